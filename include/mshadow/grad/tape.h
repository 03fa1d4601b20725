// SPDX-License-Identifier: Apache-2.0
// Tape: statements that were computed, in order, and their gradients in the opposite one.
#ifndef MSHADOW_GRAD_TAPE_H_
#define MSHADOW_GRAD_TAPE_H_

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "record.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

template <typename... Lists>
struct JoinOf {
  using Type = TypeList<>;
};
template <typename... A>
struct JoinOf<TypeList<A...>> {
  using Type = TypeList<A...>;
};
template <typename... A, typename... B, typename... Rest>
struct JoinOf<TypeList<A...>, TypeList<B...>, Rest...> : JoinOf<TypeList<A..., B...>, Rest...> {};

/// The products, reductions, .. of Variables in E, at any depth.
template <typename E, typename = void>
struct CostlyIn {
  using Type = TypeList<>;
};
template <typename List>
struct CostlyInAll;
template <typename... Es>
struct CostlyInAll<TypeList<Es...>> : JoinOf<typename CostlyIn<Es>::Type...> {};
template <typename E>
struct CostlyIn<E, std::enable_if_t<kVaries<E> && MapOf<E>::kIsMap>>
    : CostlyInAll<typename E::Operands> {};
template <typename E>
struct CostlyIn<E, std::enable_if_t<kVaries<E> && HasGradient<E>::value>>
    : JoinOf<std::conditional_t<kKindOf<E> == type::kComplex, TypeList<E>, TypeList<>>,
             typename CostlyInAll<typename Gradient<E>::Operands>::Type> {};

template <typename E, typename... Es>
constexpr int Occurs(TypeList<Es...>) {
  return (0 + ... + (std::is_same_v<E, Es> ? 1 : 0));
}
/// Does some type of List stand twice in All?
template <typename All, typename... Es>
constexpr bool AnyTwice(TypeList<Es...>) {
  return (false || ... || (Occurs<Es>(All()) > 1));
}
template <typename E>
inline constexpr bool kTwice = AnyTwice<typename CostlyIn<E>::Type>(typename CostlyIn<E>::Type());

}  // namespace expr::detail

/// Statements that were computed, in order.
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// Computes e into memory of the tape, which Clear gives back.
  /// What occurs twice in e, as a product that log_softmax names four times, is a statement before.
  template <typename E, typename DType, int etype>
  auto operator()(const expr::Exp<E, DType, etype>& e) {
    (void)expr::detail::kVaries<E>;  // what is refused is refused in a sentence
    if constexpr (expr::detail::kTwice<E>) {
      Known known;
      return Remember(Hoisted<typename expr::detail::CostlyIn<E>::Type>(e.self(), &known));
    } else {
      return Remember(e);
    }
  }
  /// Adds, for all Variables that `y` was computed from, the gradient of the sum of all y; or of
  /// dy y, dy being a tensor or an expression of the shape of y.
  template <typename Device, int dim, typename DType>
  void Backward(const Variable<Device, dim, DType>& y) {
    static_assert(!kIsComplex<DType>,
                  "mshadow: Backward(y) starts at a real loss; of a complex y it needs dy, "
                  "Backward(y, dy)");
    Backward(y, expr::ScalarExp<DType>(DType(1)));
  }
  template <typename Device, int dim, typename DType, typename G, typename GType, int gtype>
  void Backward(const Variable<Device, dim, DType>& y, const expr::Exp<G, GType, gtype>& dy) {
    Run(y, dy.self(), [](std::size_t) {});
    CheckTapeOf(y);
  }
  /// Backward(y), and done(v) for each Variable v of `leaves` as soon as nothing more is added to
  /// its gradient: to let it travel while the rest is computed.
  template <typename Device, int dim, typename DType, typename F, typename... V>
  void BackwardEach(const Variable<Device, dim, DType>& y, const F& done, const V&... leaves) {
    static_assert(!kIsComplex<DType>, "mshadow: BackwardEach starts at a real loss");
    [[maybe_unused]] const auto first = [this](const mshadow::detail::GradientSpan& id) {
      std::size_t i = 0;
      while (i < nodes_.size() && !nodes_[i]->HasLeaf(id)) ++i;
      return i;
    };
    // One more than there are: an array of none is no C++.
    const std::size_t firsts[sizeof...(V) + 1] = {first(leaves.gradient_id())...};
    Run(y, expr::ScalarExp<DType>(DType(1)), [&]([[maybe_unused]] std::size_t i) {
      [[maybe_unused]] const std::size_t* at = firsts;
      ((*at++ == i ? static_cast<void>(done(leaves)) : static_cast<void>(0)), ...);
    });
    CheckTapeOf(y);
  }
  /// f(tape, x...) is computed now and once more in Backward: what lies between is not kept.
  template <typename F, typename... V>
  auto Again(const F& f, const V&... x);

  void Clear() { nodes_.clear(); }
  std::size_t size() const { return nodes_.size(); }

  struct Node {
    virtual ~Node() = default;
    virtual void Backward() = 0;
    virtual void Forget() = 0;
    virtual bool HasLeaf(const mshadow::detail::GradientSpan& id) const = 0;
    /// As that of Record.
    virtual int DropGradients() const = 0;
  };

 private:
  /// Gradients of statements are handed on, or, where something is thrown, forgotten.
  struct Forgetting {
    Tape* tape;
    ~Forgetting() {
      for (const auto& node : tape->nodes_) node->Forget();
    }
  };
  /// after(i) is called when statement i has run, and after(size()) at the start.
  template <typename Y, typename G, typename F>
  void Run(const Y& y, const G& dy, const F& after) {
    const Forgetting forgetting{this};
    try {
      y.AddGradient(dy);
      after(nodes_.size());
      for (std::size_t i = nodes_.size(); i-- > 0; after(i)) nodes_[i]->Backward();
    } catch (...) {
      DropGradients(y);  // of another tape, which would add them in its next Backward
      throw;
    }
  }
  /// Results of this tape have handed their gradients on: one that is left is of another tape's.
  template <typename Y>
  void CheckTapeOf(const Y& y) const {
    if (DropGradients(y) > 0) {
      throw Error("Tape.Backward: a Variable was computed on another tape");
    }
  }
  /// Forgets gradients that are left in results, and counts them.
  template <typename Y>
  int DropGradients(const Y& y) const {
    int left = y.DropIfOfTape() ? 1 : 0;
    for (const auto& node : nodes_) left += node->DropGradients();
    return left;
  }
  template <typename E, typename DType, int etype>
  auto Remember(const expr::Exp<E, DType, etype>& e) {
    auto statement = std::make_unique<Statement<E, DType>>(e.self());
    const auto variable = statement->variable();
    nodes_.push_back(std::move(statement));
    return variable;
  }

  /// Nodes that are statements already.
  struct KnownNode {
    virtual ~KnownNode() = default;
    const void* type = nullptr;
  };
  template <typename E>
  struct KnownOf : KnownNode {
    using V =
        Variable<expr::detail::DeviceOf<E>, expr::ExpInfo<E>::kDim, expr::detail::ElementOfExp<E>>;
    KnownOf(const E& exp, const V& v) : e(exp), variable(v) { type = &expr::detail::kTypeOf<E>; }
    const E e;
    const V variable;
  };
  using Known = std::vector<std::unique_ptr<KnownNode>>;
  /// e with Variables in place of nodes whose type occurs twice in All.
  template <typename All, typename E>
  auto Hoisted(const E& e, Known* known) {
    using expr::detail::MapOf;
    const auto hoist = [&](const auto&... x) { return std::make_tuple(Hoisted<All>(x, known)...); };
    if constexpr (!expr::detail::AnyTwice<All>(typename expr::detail::CostlyIn<E>::Type())) {
      return e;
    } else if constexpr (MapOf<E>::kIsMap) {
      return std::apply([&](const auto&... v) { return MapOf<E>::With(e, v...); }, e.Apply(hoist));
    } else {
      using Rule = expr::Gradient<E>;
      if constexpr (expr::detail::Occurs<E>(All()) > 1) {
        for (const auto& node : *known) {
          if (node->type != &expr::detail::kTypeOf<E>) continue;
          const auto* const same = static_cast<const KnownOf<E>*>(node.get());
          if (expr::detail::IsSame(same->e, e)) return same->variable;
        }
        const typename KnownOf<E>::V variable = Remember(std::apply(
            [&](const auto&... v) { return Rule::With(e, v...); }, Rule::Apply(e, hoist)));
        known->push_back(std::make_unique<KnownOf<E>>(e, variable));
        return variable;
      } else {
        return std::apply([&](const auto&... v) { return Rule::With(e, v...); },
                          Rule::Apply(e, hoist));
      }
    }
  }

  template <typename E, typename DType>
  class Statement : public Node {
    using Device = expr::detail::DeviceOf<E>;
    static constexpr int kDim = expr::ExpInfo<E>::kDim;

   public:
    explicit Statement(const E& e)
        : record_(e),
          value_(expr::ShapeCheck<kDim, E>::Check(e), expr::detail::StreamOf<Device>(e)) {
      value_.tensor().__assign(record_.value());
      record_.SetResult(value_.tensor());
      if constexpr (expr::detail::kComparesValues) unchanged_.Note(record_);
    }
    Variable<Device, kDim, DType> variable() { return {value_.tensor(), &grad_}; }
    void Forget() override { grad_.Free(); }
    bool HasLeaf(const mshadow::detail::GradientSpan& id) const override {
      return record_.HasLeaf(id);
    }
    int DropGradients() const override { return record_.DropGradients(); }
    void Backward() override {
      if (!grad_.reached()) return;
      if constexpr (expr::detail::kComparesValues) unchanged_.Check(record_);
      expr::detail::RunAll(record_.Collect(
          grad_.Get(value_.tensor().shape_, value_.tensor().stream_), value_.tensor()));
      grad_.Free();
    }

   private:
    expr::detail::Record<E, expr::detail::kForget, true> record_;
    mshadow::detail::Temporary<Device, kDim, DType> value_;
    mshadow::detail::GradientMemory<Device, kDim, DType> grad_{true};
    expr::detail::Unchanged unchanged_;  // the same layout with and without NDEBUG
  };
  template <typename F, typename Y, typename... V>
  class Repeated;
  std::vector<std::unique_ptr<Node>> nodes_;
};

template <typename F, typename Device, int dim, typename DType, typename... V>
class Tape::Repeated<F, Variable<Device, dim, DType>, V...> : public Tape::Node {
 public:
  explicit Repeated(const F& f, const V&... x) : f_(f), x_(x...) {
    Tape tape;
    const auto y = std::apply([&](const auto&... v) { return f_(tape, v...); }, x_);
    value_.emplace(y.value.shape_, y.value.stream_);
    value_->tensor() = y.value * DType(1);
  }
  Variable<Device, dim, DType> variable() { return {value_->tensor(), &grad_}; }
  void Forget() override { grad_.Free(); }
  bool HasLeaf(const mshadow::detail::GradientSpan&) const override {
    return true;
  }  // f may read any
  int DropGradients() const override {
    return std::apply([](const auto&... v) { return (0 + ... + (v.DropIfOfTape() ? 1 : 0)); }, x_);
  }
  void Backward() override {
    if (!grad_.reached()) return;
    Tape tape;
    const auto y = std::apply([&](const auto&... v) { return f_(tape, v...); }, x_);
    // Unchecked: gradients are left in x_, of the tape around this one.
    tape.Run(y, grad_.Get(y.value.shape_, y.value.stream_), [](std::size_t) {});
    grad_.Free();
  }

 private:
  F f_;
  std::tuple<V...> x_;
  std::optional<mshadow::detail::Temporary<Device, dim, DType>> value_;
  mshadow::detail::GradientMemory<Device, dim, DType> grad_{true};
};
template <typename F, typename... V>
auto Tape::Again(const F& f, const V&... x) {
  // (A Parameter is no copy.)
  using Y = decltype(f(std::declval<Tape&>(), detail::AsVariable(x)...));
  using Block = Repeated<F, Y, std::decay_t<decltype(detail::AsVariable(x))>...>;
  auto node = std::make_unique<Block>(f, detail::AsVariable(x)...);
  const auto variable = node->variable();
  nodes_.push_back(std::move(node));
  return variable;
}

/// One statement: adds the gradients of the sum of e dy to those of the Variables of e.
template <typename E, typename DType, int etype, typename Device, int dim>
inline void AddGradient(const expr::Exp<E, DType, etype>& e, const Tensor<Device, dim, DType>& dy) {
  expr::detail::Record<E, expr::detail::kForget, true> record(e.self());
  mshadow::detail::Temporary<Device, dim, DType> value(dy.shape_, dy.stream_);
  value.tensor().__assign(record.value());
  record.SetResult(value.tensor());
  expr::detail::RunAll(record.Collect(dy, value.tensor()));
}

/// (f(tape, x...), gradient by each x): auto [loss, dw, db] = value_and_gradient(f, w, b).
template <typename F, typename Device, typename DType, int... dims>
inline auto value_and_gradient(const F& f, const Tensor<Device, dims, DType>&... x) {
  auto gradients = std::make_tuple(TensorContainer<Device, dims, DType>(x.shape_, DType(0))...);
  Tape tape;
  const auto y = std::apply(
      [&](auto&... g) { return f(tape, Variable<Device, dims, DType>(x, g)...); }, gradients);
  tape.Backward(y);
  return std::tuple_cat(std::make_tuple(sum(y.value)), std::move(gradients));
}
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_TAPE_H_
