// SPDX-License-Identifier: Apache-2.0
// Record<E>: a statement that was computed, and what its gradient needs of it.
#ifndef MSHADOW_GRAD_RECORD_H_
#define MSHADOW_GRAD_RECORD_H_

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../expr/fuse.h"
#include "../expr/materialised.h"
#include "../expr/traits.h"
#include "unchanged.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

struct Nothing {};

template <typename R, typename G>
struct Deferred {
  const R* record;
  G g;
  void Run() const { record->Backward(g); }
};
template <typename T>
struct IsDeferred : std::false_type {};
template <typename R, typename G>
struct IsDeferred<Deferred<R, G>> : std::true_type {};

template <typename Item>
inline auto StatementOf(const Item& item) {
  if constexpr (IsDeferred<Item>::value) {
    return std::tuple<>();
  } else {
    return std::tuple<Item>(item);
  }
}
/// Runs the statements together, then what waits for them.
template <typename... Items>
inline void RunAll(const std::tuple<Items...>& items) {
  constexpr int kStatements = (0 + ... + (IsDeferred<Items>::value ? 0 : 1));
  if constexpr (kStatements == 1) {
    std::apply(
        [](const auto&... s) {
          [[maybe_unused]] const auto run = [](const auto& item) {
            if constexpr (!IsDeferred<std::decay_t<decltype(item)>>::value) item.Run();
          };
          (run(s), ...);
        },
        items);
  } else if constexpr (kStatements > 1) {
    const auto statements =
        std::apply([](const auto&... s) { return std::tuple_cat(StatementOf(s)...); }, items);
    std::apply([](const auto&... s) { mshadow::Fuse(s...); }, statements);
  }
  std::apply(
      [](const auto&... s) {
        [[maybe_unused]] const auto run = [](const auto& item) {
          if constexpr (IsDeferred<std::decay_t<decltype(item)>>::value) item.Run();
        };
        (run(s), ...);
      },
      items);
}

/// In memory, for good or if needed.
template <typename E>
using SavedOf =
    std::optional<mshadow::detail::Temporary<DeviceOf<E>, ExpInfo<E>::kDim, ElementOfExp<E>>>;
template <typename E, typename V>
inline void Save(const E& e, const V& value, SavedOf<E>* saved) {
  saved->emplace(ShapeCheck<ExpInfo<E>::kDim, E>::Check(e), StreamOf<DeviceOf<E>>(e));
  saved->value().tensor().__assign(value);  // a tensor, too: not another view of it
}

/// From this cost on an expression is computed once: that of a function.
constexpr int kCostly = 16;

/// What is kept of a value for the backward pass.
enum Keep { kForget, kAgain, kMemory };  // nothing; an expression will do; a tensor

template <typename E, Keep keep, bool root, typename = void>
class Record;

/// A constant.
template <typename E, Keep keep, bool root>
class Record<E, keep, root, std::enable_if_t<!kVaries<E>>> {
  static constexpr bool kSaves = ExpInfo<E>::kDim > 0 && !IsTensor<E>::value && keep != kForget &&
                                 (keep == kMemory || kKindOf<E> == type::kComplex);

 public:
  static constexpr int kWants = 0, kUses = 0;
  explicit Record(const E& e) : e_(e) {
    if constexpr (kSaves) Save(e_, e_, &saved_);
  }
  decltype(auto) value() const {
    if constexpr (kSaves) {
      return (saved_->tensor());
    } else {
      return (e_);
    }
  }
  decltype(auto) saved() const { return value(); }
  template <typename G, typename Y>
  std::tuple<> Collect(const G&, const Y&) const {
    return {};
  }
  template <typename T>
  void SetResult(const T&) {}
  /// Calls f with each tensor that the gradient reads and that is not the record's own.
  template <typename F>
  void ForEachKept(const F& f) const {
    if constexpr (keep != kForget && !kSaves) ForEachTensor(e_, f);
  }
  /// True if a Variable of that gradient_id is in it.
  bool HasLeaf(const mshadow::detail::GradientSpan&) const { return false; }
  /// Drops the gradients that are left in results of a tape, and returns how many there were.
  int DropGradients() const { return 0; }

 private:
  struct Empty {};
  const E e_;
  std::conditional_t<kSaves, SavedOf<std::conditional_t<kSaves, E, Tensor<cpu, 1, float>>>, Empty>
      saved_;
};

/// A leaf.
template <typename Device, int dim, typename DType, Keep keep, bool root>
class Record<Variable<Device, dim, DType>, keep, root, void> {
 public:
  static constexpr int kWants = 0, kUses = 1;
  explicit Record(const Variable<Device, dim, DType>& e) : e_(e) {}
  const Tensor<Device, dim, DType>& value() const { return e_.value; }
  const Tensor<Device, dim, DType>& saved() const { return e_.value; }
  Tensor<Device, dim, DType> grad() const { return e_.grad(); }
  const Variable<Device, dim, DType>& variable() const { return e_; }
  /// The first gradient is assigned; later ones, which are rarer, are written into a temporary and
  /// added: one loop to compile in place of two.
  template <typename G, typename Y>
  auto Collect(const G& g, const Y&) const {
    Tensor<Device, dim, DType> to;
    later_.reset();  // left of a Backward in which something was thrown
    if (!e_.IsFirst(&to)) {
      later_.emplace(e_.value.shape_, e_.stream_);
      to = later_->tensor();
    }
    return std::make_tuple(lazy(to) = g, Deferred<Record, Nothing>{this, Nothing()});
  }
  void Backward(Nothing) const {
    if (!later_) return;
    e_.AddGradient(later_->tensor());
    later_.reset();
  }
  template <typename T>
  void SetResult(const T&) {}
  template <typename F>
  void ForEachKept(const F& f) const {
    if constexpr (keep != kForget) f(e_.value);
  }
  bool HasLeaf(const mshadow::detail::GradientSpan& id) const { return id.Meets(e_.gradient_id()); }
  int DropGradients() const { return e_.DropIfOfTape() ? 1 : 0; }

 private:
  const Variable<Device, dim, DType> e_;
  mutable SavedOf<Tensor<Device, dim, DType>> later_;
};
template <typename R>
struct IsLeafRecord : std::false_type {};
template <typename Device, int dim, typename DType, Keep keep, bool root>
struct IsLeafRecord<Record<Variable<Device, dim, DType>, keep, root, void>> : std::true_type {};

/// A map.
template <typename E, Keep keep, bool root>
class Record<E, keep, root, std::enable_if_t<kVaries<E> && MapOf<E>::kIsMap>> {
  using Map = MapOf<E>;
  using Operands = typename E::Operands;
  static constexpr int kCount = LengthOf<Operands>::value;
  using Sequence = std::make_integer_sequence<int, kCount>;
  template <int i>
  using Operand = typename TypeAt<Operands, i>::Type;
  template <int i>
  static constexpr bool kWanted = kVaries<Operand<i>> && !Map::template At<i>::kZero;
  template <int... i>
  static constexpr unsigned ReadsOf(std::integer_sequence<int, i...>) {
    return (0u | ... | (kWanted<i> ? Map::template At<i>::kReads : 0u));
  }
  static constexpr unsigned kReads = ReadsOf(Sequence());
  // A function takes longer than a pass over memory, and each of the gradients would call it.
  static constexpr bool kIsRead = keep != kForget || (kReads & kResult) != 0;
  static constexpr bool kSaves = !root && (keep == kMemory || (kIsRead && Map::kCost >= kCostly));
  static constexpr bool kHasResult = root || kSaves;
  static constexpr bool kAllAgain = !kHasResult && kIsRead;
  static constexpr bool kReadsResult = root && (kReads & kResult) != 0;
  template <int i>
  using Kid = Record<Operand<i>, kAllAgain || (kReads >> i & 1) != 0 ? kAgain : kForget, false>;
  template <int... i>
  static auto KidsOf(std::integer_sequence<int, i...>) -> std::tuple<Kid<i>...>;
  using Kids = decltype(KidsOf(Sequence()));
  template <int i>
  static constexpr int WantsOf() {
    if constexpr (kWanted<i>) {
      return Map::template At<i>::kPass ? Kid<i>::kWants : 0;
    } else {
      return 0;
    }
  }
  template <int... i>
  static constexpr int AllWants(std::integer_sequence<int, i...>) {
    return (0 + ... + WantsOf<i>());
  }
  template <int i>
  static constexpr int UsesOf() {
    if constexpr (kWanted<i>) {
      return Kid<i>::kUses;
    } else {
      return 0;
    }
  }
  template <int... i>
  static constexpr int AllUses(std::integer_sequence<int, i...>) {
    return (0 + ... + UsesOf<i>());
  }

 public:
  /// How many statements take it.
  static constexpr int kUses = AllUses(Sequence());
  /// How many of the nodes below take the gradient of this one as it is, from memory.
  static constexpr int kWants = AllWants(Sequence());
  explicit Record(const E& e)
      : e_(e), kids_(e.Apply([](const auto&... x) {
          return std::tuple<const std::decay_t<decltype(x)>&...>(x...);
        })) {
    if constexpr (kSaves) Save(e_, Again(false), &saved_);
  }
  decltype(auto) value() const {
    if constexpr (kSaves) {
      return (saved_->tensor());
    } else {
      return Again(false);
    }
  }
  decltype(auto) saved() const {
    if constexpr (kSaves) {
      return (saved_->tensor());
    } else {
      return Again(true);
    }
  }
  template <typename T>
  void SetResult(const T& result) {
    if constexpr (kReadsResult) result_ = result;
  }
  template <typename F>
  void ForEachKept(const F& f) const {
    if constexpr (kReadsResult) f(result_);
    std::apply([&](const auto&... kid) { (kid.ForEachKept(f), ...); }, kids_);
  }
  bool HasLeaf(const mshadow::detail::GradientSpan& id) const {
    return std::apply([&](const auto&... kid) { return (... || kid.HasLeaf(id)); }, kids_);
  }
  int DropGradients() const {
    return std::apply([&](const auto&... kid) { return (0 + ... + kid.DropGradients()); }, kids_);
  }

  template <typename G, typename Y>
  auto Collect(const G& g, const Y& y) const {
    // Once into memory what several statements would compute again.
    if constexpr (!IsTensor<G>::value &&
                  (kWants >= 2 || (kUses >= 2 && kCostOf<PlanOf<G>> >= kCostly))) {
      g_.emplace(ShapeCheck<ExpInfo<E>::kDim, E>::Check(e_), StreamOf<DeviceOf<E>>(e_));
      const auto& memory = g_->tensor();
      return std::tuple_cat(std::make_tuple(lazy(memory) = g), Spread(memory, y, Sequence()));
    } else {
      return Spread(g, y, Sequence());
    }
  }

 private:
  struct Empty {};
  auto Again(bool) const {
    return std::apply([this](const auto&... kid) { return Map::With(e_, kid.value()...); }, kids_);
  }
  template <typename G, typename Y, int... i>
  auto Spread(const G& g, const Y& y, std::integer_sequence<int, i...>) const {
    return std::tuple_cat(SpreadTo<i>(g, y)...);
  }
  template <int i, typename G, typename Y>
  auto SpreadTo([[maybe_unused]] const G& g, [[maybe_unused]] const Y& y) const {
    if constexpr (!kWanted<i>) {
      return std::tuple<>();
    } else {
      return std::apply(
          [&](const auto&... kid) {
            if constexpr (std::is_same_v<Y, Nothing>) {
              return std::get<i>(kids_).Collect(
                  Map::template Vjp<i>(e_, g, ConjugateFor<E>(saved()),
                                       ConjugateFor<E>(kid.saved())...),
                  Nothing());
            } else {
              return std::get<i>(kids_).Collect(
                  Map::template Vjp<i>(e_, g, ConjugateFor<E>(y), ConjugateFor<E>(kid.saved())...),
                  Nothing());
            }
          },
          kids_);
    }
  }
  const E e_;
  const Kids kids_;
  std::conditional_t<kSaves, SavedOf<E>, Empty> saved_;
  mutable SavedOf<E> g_;
  std::conditional_t<kReadsResult, MaterialisedTensor<E, ElementOfExp<E>>, Empty> result_;
};

/// A node with a rule.
template <typename E, Keep keep, bool root>
class Record<E, keep, root,
             std::enable_if_t<kVaries<E> && !MapOf<E>::kIsMap && !IsVariable<E>::value>> {
  using Rule = Gradient<E>;
  using Operands = typename Rule::Operands;
  static constexpr int kCount = LengthOf<Operands>::value;
  using Sequence = std::make_integer_sequence<int, kCount>;
  template <int i>
  using Operand = typename TypeAt<Operands, i>::Type;
  template <int i>
  static constexpr bool kWanted = kVaries<Operand<i>>;
  template <int... i>
  static constexpr unsigned ReadsOf(std::integer_sequence<int, i...>) {
    return (0u | ... | (kWanted<i> ? Rule::Reads(i) : 0u));
  }
  template <int... i>
  static constexpr int WantedOf(std::integer_sequence<int, i...>) {
    return (0 + ... + (kWanted<i> ? 1 : 0));
  }
  static constexpr unsigned kReads = ReadsOf(Sequence());
  static constexpr bool kSaves =
      !root && (keep == kMemory || (kReads & kResult) != 0 || (keep == kAgain && !Rule::kCheap));
  static constexpr bool kAllAgain = !root && !kSaves && keep == kAgain;
  template <int i>
  using Kid =
      Record<Operand<i>,
             kAllAgain || (kReads >> i & 1) != 0 ? (Rule::kInMemory ? kMemory : kAgain) : kForget,
             false>;
  template <int... i>
  static auto KidsOf(std::integer_sequence<int, i...>) -> std::tuple<Kid<i>...>;
  using Kids = decltype(KidsOf(Sequence()));
  using Target = MaterialisedTensor<E, ElementOfExp<E>>;
  static constexpr bool kLazy = Rule::kReadsOnce && WantedOf(Sequence()) == 1;

 public:
  static constexpr int kWants = 1, kUses = 1;
  explicit Record(const E& e)
      : e_(e), kids_(Rule::Apply(e, [](const auto&... x) {
          return std::tuple<const std::decay_t<decltype(x)>&...>(x...);
        })) {
    if constexpr (kSaves) {
      Save(e_, Again(), &saved_);
      result_ = saved_->tensor();
    }
  }
  decltype(auto) value() const {
    if constexpr (kSaves) {
      return (result_);
    } else {
      return Again();
    }
  }
  decltype(auto) saved() const { return value(); }
  void SetResult(const Target& result) { result_ = result; }
  template <typename F>
  void ForEachKept(const F& f) const {
    if constexpr (root && (kReads & kResult) != 0) f(result_);
    std::apply([&](const auto&... kid) { (kid.ForEachKept(f), ...); }, kids_);
  }
  bool HasLeaf(const mshadow::detail::GradientSpan& id) const {
    return std::apply([&](const auto&... kid) { return (... || kid.HasLeaf(id)); }, kids_);
  }
  int DropGradients() const {
    return std::apply([&](const auto&... kid) { return (0 + ... + kid.DropGradients()); }, kids_);
  }

  template <typename G, typename Y>
  auto Collect(const G& g, const Y&) const {
    if constexpr (kLazy || IsTensor<G>::value) {
      return std::make_tuple(Deferred<Record, G>{this, g});
    } else {
      g_.emplace(ShapeCheck<ExpInfo<E>::kDim, E>::Check(e_), StreamOf<DeviceOf<E>>(e_));
      const Target& memory = g_->tensor();
      return std::make_tuple(lazy(memory) = g, Deferred<Record, Target>{this, memory});
    }
  }
  template <typename G>
  void Backward(const G& g) const {
    BackwardAll(g, Sequence());
    g_.reset();
  }

 private:
  struct Empty {};
  auto Again() const {
    return std::apply([this](const auto&... kid) { return Rule::With(e_, kid.value()...); }, kids_);
  }
  template <typename G, int... i>
  void BackwardAll(const G& g, std::integer_sequence<int, i...>) const {
    (BackwardTo<i>(g), ...);
  }
  template <int i, typename G>
  void BackwardTo([[maybe_unused]] const G& g) const {
    if constexpr (kWanted<i>) {
      std::apply(
          [&](const auto&... kid) {
            const auto& target = std::get<i>(kids_);
            if constexpr (Rule::kAdds) {
              const auto add = [&](auto* gradient) {
                Rule::template AddTo<i>(e_, g, gradient, kid.saved()...);
              };
              if constexpr (IsLeafRecord<std::decay_t<decltype(target)>>::value) {
                auto gradient = target.grad();
                add(&gradient);
              } else {
                SavedOf<Operand<i>> sum;
                using D = ElementOfExp<Operand<i>>;
                Save(OperandOf<i>(), ScalarExp<D>(D(0)), &sum);
                add(&sum->tensor());
                RunAll(target.Collect(sum->tensor(), Nothing()));
              }
            } else {
              Take<i>(Rule::template Vjp<i>(e_, g, ConjugateFor<E>(result_),
                                            ConjugateFor<E>(kid.saved())...));
            }
          },
          kids_);
    }
  }
  template <int i>
  Operand<i> OperandOf() const {
    return Rule::Apply(e_,
                       [](const auto&... x) { return Operand<i>(std::get<i>(std::tie(x...))); });
  }
  /// Hands a gradient on. What is no map of tensors is computed before a map takes it.
  template <int i, typename V>
  void Take(const V& g) const {
    const auto& target = std::get<i>(kids_);
    if constexpr (IsVariable<Operand<i>>::value) {
      target.variable().AddGradient(g);
    } else if constexpr (MapOf<Operand<i>>::kIsMap && !IsTensor<V>::value &&
                         kKindOf<V> > type::kMapper) {
      SavedOf<Operand<i>> memory;
      Save(OperandOf<i>(), g, &memory);
      RunAll(target.Collect(memory->tensor(), Nothing()));
    } else {
      RunAll(target.Collect(g, Nothing()));
    }
  }
  const E e_;
  const Kids kids_;
  std::conditional_t<kSaves, SavedOf<E>, Empty> saved_;
  mutable SavedOf<E> g_;
  Target result_;
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_RECORD_H_
