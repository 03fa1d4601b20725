// SPDX-License-Identifier: Apache-2.0
// Fuse: several element-wise statements as one pass over memory.
#ifndef MSHADOW_EXPR_FUSE_H_
#define MSHADOW_EXPR_FUSE_H_

#include "aligned.h"
#include "engine.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {
template <int dim>
[[noreturn]] MSHADOW_COLD inline void ThrowFuseMismatch(const Shape<dim>& a, const Shape<dim>& b) {
  throw Error("Fuse: Shapes of the statements are not the same, Shape1=" + LogText(a) +
              ", Shape2=" + LogText(b));
}
/// Does an assignable node say what is written when it is assigned to?
template <typename R>
inline constexpr bool kSaysWritten =
    HasWritten<R>::value || HasAnyWritten<R, bool (*)(const WrittenView&)>::value;
}  // namespace detail

/// `dst Saver= exp`, which has not run: what `lazy(dst) = exp` makes, and Fuse runs.
template <typename Saver_, typename R, typename Device, int dim, typename DType_, typename E,
          int etype>
class [[nodiscard]] LazyAssignment {
 public:
  using Saver = Saver_;
  using DType = DType_;
  using DeviceType = Device;
  static constexpr int kDim = dim;
  static constexpr int kType = etype;
  static constexpr bool kMapPass = TypeCheck<Device, dim, DType, E>::kMapPass;
  using Target = R;
  using Source = E;
  static constexpr bool kIsLet = false;

  LazyAssignment(const R& dst, const Exp<E, DType, etype>& exp) : dst_(dst), exp_(exp.self()) {}

  /// Runs as a statement of its own.
  void Run() const {
    R dst = dst_;
    ExpEngine<Saver, R, DType>::Eval(&dst, static_cast<const Exp<E, DType, etype>&>(exp_));
  }
  Shape<dim> DstShape() const { return ShapeCheck<dim, R>::Check(dst_); }
  Stream<Device>* GetStream() const { return StreamInfo<Device, R>::Get(dst_); }
  MSHADOW_FORCE_INLINE void CheckShape(const Shape<dim>& shape) const {
    const Shape<dim> dshape = DstShape();
    if (!MSHADOW_LIKELY(dshape == shape)) detail::ThrowFuseMismatch(shape, dshape);
    if constexpr (ExpInfo<E>::kDim != 0) {
      const Shape<dim> eshape = ShapeCheck<dim, E>::Check(exp_);
      if (!MSHADOW_LIKELY(eshape == shape)) mshadow::detail::ThrowAssignMismatch(eshape, shape);
    }
  }

  /// Does it take no longer in parts of rows, and element by element on a GPU, than as a whole? All
  /// that is element-wise does not. (On the CPU parts are those of described statements.)
  static constexpr bool kIsFusable() {
    using To = PlanOf<R>;
    using From = WholePlanOf<E>;
    constexpr bool kOneByOne =
        (etype | type::kMapper) == type::kMapper || !kFillsOf<From>;
    constexpr bool kTransposes = kTransposedOf<To> || kTransposedOf<From>;
    return detail::kSaysWritten<R> && kOneByOne && !kTransposes &&
           !detail::ComputesItself<E>::value &&
           (!Device::kDevCPU || detail::IsDescribed<R, E>());
  }
  /// Could it read what is written to `dst`, other than at the same index?
  template <typename Target>
  MSHADOW_FORCE_INLINE bool Reads(const Target& dst) const {
    return mshadow::detail::ReadsTarget<true>(exp_, dst, true);
  }
  /// May elements of it and of `other` be computed in turn: does neither read or write what the
  /// other writes, but for the element at hand?
  template <typename Other>
  MSHADOW_FORCE_INLINE bool IndependentOf(const Other& other) const {
    return !Reads(other.dst()) && !other.Reads(dst_) &&
           !mshadow::detail::ReadsTarget<true>(dst_, other.dst(), true);
  }
  const R& dst() const { return dst_; }
  const E& exp() const { return exp_; }

  /// What an Executor runs.
  struct Planned {
    using Saver = Saver_;
    using DType = DType_;
    using Dst = PlanOf<R>;
    using Src = WholePlanOf<E>;
    Dst dst;
    Src src;
  };
  MSHADOW_FORCE_INLINE Planned MakePlanned() const {
    return Planned{MakePlan(dst_), MakeWholePlan(exp_)};
  }

 private:
  R dst_;
  E exp_;
};

/// The left-hand side of a LazyAssignment.
template <typename R, typename Device, int dim, typename DType>
class LazyTarget {
 public:
  explicit LazyTarget(const R& dst) : dst_(dst) {}
  LazyTarget(const LazyTarget&) = delete;
  LazyTarget& operator=(const LazyTarget&) = delete;

#define MSHADOW_DEFINE_ASSIGNMENT_(symbol, saver)                                     \
  template <typename E, typename EDType, int etype>                                   \
  MSHADOW_FORCE_INLINE auto operator symbol(const Exp<E, EDType, etype>& exp) const { \
    (void)sizeof(AssignedDType<DType, EDType>);                                       \
    if constexpr (kIsPartOf<DType, EDType>) {                                         \
      return Assign<saver>(tcast<DType>(exp));                                        \
    } else {                                                                          \
      return Assign<saver>(exp);                                                      \
    }                                                                                 \
  }                                                                                   \
  MSHADOW_FORCE_INLINE auto operator symbol(DType s) const {                          \
    return Assign<saver>(ScalarExp<DType>(s));                                        \
  }
  MSHADOW_DEFINE_ASSIGNMENT_(=, sv::saveto)
  MSHADOW_DEFINE_ASSIGNMENT_(+=, sv::plusto)
  MSHADOW_DEFINE_ASSIGNMENT_(-=, sv::minusto)
  MSHADOW_DEFINE_ASSIGNMENT_(*=, sv::multo)
  MSHADOW_DEFINE_ASSIGNMENT_(/=, sv::divto)
#undef MSHADOW_DEFINE_ASSIGNMENT_

 private:
  template <typename Saver, typename E, int etype>
  MSHADOW_FORCE_INLINE auto Assign(const Exp<E, DType, etype>& exp) const {
    if constexpr (std::is_same_v<Saver, sv::saveto>) {
      return LazyAssignment<Saver, R, Device, dim, DType, E, etype>(dst_, exp);
    } else {
      return Aligned<Saver>(detail::AlignedWithTarget(exp, dst_));
    }
  }
  template <typename Saver, typename E, int etype>
  MSHADOW_FORCE_INLINE auto Aligned(const Exp<E, DType, etype>& exp) const {
    return LazyAssignment<Saver, R, Device, dim, DType, E, etype>(dst_, exp);
  }
  /// Of another element type, which is an error that the caller has told.
  template <typename Saver, typename E, typename EDType, int etype>
  auto Assign(const Exp<E, EDType, etype>&) const {
    return Assign<Saver>(ScalarExp<DType>(DType()));
  }
  R dst_;
};

/// `dst = exp` of a Let.
template <typename Assignment>
struct [[nodiscard]] LetAssignment : Assignment {
  static constexpr bool kIsLet = true;
  explicit LetAssignment(const Assignment& assignment) : Assignment(assignment) {}
};
/// The left-hand side of a LetAssignment.
template <typename Device, int dim, typename DType>
class LetTarget {
 public:
  explicit LetTarget(const Tensor<Device, dim, DType>& t) : target_(t) {}
  LetTarget(const LetTarget&) = delete;
  LetTarget& operator=(const LetTarget&) = delete;
  template <typename E>
  MSHADOW_FORCE_INLINE auto operator=(const E& exp) const {
    return LetAssignment<decltype(target_ = exp)>(target_ = exp);
  }

 private:
  LazyTarget<Tensor<Device, dim, DType>, Device, dim, DType> target_;
};

namespace adl {

/// `let(t) = exp` is `lazy(t) = exp` of a Let: a value that the statements after it in one Fuse
/// take, and nothing else does.
template <typename Device, int dim, typename DType>
MSHADOW_FORCE_INLINE auto let(const Let<Device, dim, DType>& t) {
  return LetTarget<Device, dim, DType>(t);
}

/// `lazy(dst) = exp`, and so with += -= *= /=, is the statement `dst = exp` as a value, for Fuse to
/// run. It holds views, as expressions do. (lazy(a) = b copies elements, where a = b rebinds a.)
template <typename R, typename Device, int dim, typename DType>
MSHADOW_FORCE_INLINE auto lazy(const TRValue<R, Device, dim, DType>& dst) {
  return LazyTarget<R, Device, dim, DType>(dst.self());
}

}  // namespace adl

namespace detail {

template <typename S>
struct IsLazy : std::false_type {};
template <typename Saver, typename R, typename Device, int dim, typename DType, typename E,
          int etype>
struct IsLazy<LazyAssignment<Saver, R, Device, dim, DType, E, etype>> : std::true_type {};
template <typename Assignment>
struct IsLazy<LetAssignment<Assignment>> : IsLazy<Assignment> {};

/// Does each statement go with those behind it?
template <typename First, typename... Rest>
MSHADOW_FORCE_INLINE bool GoTogether(const First& first, const Rest&... rest) {
  bool together = !first.Reads(first.dst());
  ((together = together && first.IndependentOf(rest) && first.GetStream() == rest.GetStream()),
   ...);
  if constexpr (sizeof...(Rest) > 0) together = together && GoTogether(rest...);
  return together;
}

/// So few elements, which caches hold, are as fast one statement after another.
constexpr std::size_t kFewToFuse = 8192;

/// One after another. By value: so that the statements are not stored unless it comes to this.
template <typename... S>
MSHADOW_COLD void RunInTurn(S... statement) {
  (statement.Run(), ...);
}

}  // namespace detail
}  // namespace expr

namespace detail {
/// Several described statements, each a LazyAssignment, a part of the elements at a time. False: it
/// cannot, and nothing is done. Defined in backend/cpu/run.h.
template <typename... S>
bool RunTogether(const S&... statements);
/// The same of plain ones in one loop. Defined in backend/cpu/run_fused.h, of <mshadow/let.h>.
template <typename... S>
bool RunAsOne(const S&... statements);
}  // namespace detail

/// Runs element-wise statements of one shape together:
///
///     Fuse(lazy(v) = mu * v - eta * g, lazy(w) += v);
///
/// The result is that of the statements one after another. Where each element takes, of what the
/// others write, the one at its own index alone, they take turns on parts that a cache holds, or
/// share one kernel of a GPU: what several of them read or write comes from memory, and goes there,
/// once. Else (a statement reads another element of what one writes, transposes, pools, adds up)
/// they run one after another.
///
/// What several statements compute gets a name: `let(t) = exp`, of a Let of <mshadow/let.h>, is
/// computed once.
///
///     Let<cpu, 2> t(a.shape_);
///     Fuse(let(t) = tanh(a * b + c), lazy(dd) = g * t, lazy(dc) = g * d * (1 - t * t));
///
/// Throws Error with both shapes where shapes differ; then nothing is written.
template <typename First, typename... Rest>
MSHADOW_FORCE_INLINE void Fuse(const First& first, const Rest&... rest) {
  constexpr bool kLazy =
      (expr::detail::IsLazy<First>::value && ... && expr::detail::IsLazy<Rest>::value);
  static_assert(kLazy,
                "mshadow: Fuse takes statements that have not run: "
                "Fuse(lazy(v) = mu * v - eta * g, lazy(w) += v)");
  if constexpr (kLazy) {
    using Device = typename First::DeviceType;
    constexpr bool kSame = ((First::kDim == Rest::kDim) && ... && true) &&
                           (std::is_same_v<Device, typename Rest::DeviceType> && ... && true);
    static_assert(kSame,
                  "mshadow: the statements of one Fuse assign to tensors of one device, of "
                  "the same number of axes");
    if constexpr (!(First::kMapPass && ... && Rest::kMapPass)) {
      expr::detail::RunInTurn(first, rest...);  // says what is wrong
    } else if constexpr (kSame) {
      const Shape<First::kDim> shape = first.DstShape();
      first.CheckShape(shape);
      (rest.CheckShape(shape), ...);
      if constexpr (Device::kDevCPU) {
        if constexpr ((First::kIsFusable() && ... && Rest::kIsFusable())) {
          if constexpr ((First::kIsLet || ... || Rest::kIsLet)) {
            if (detail::RunAsOne(first, rest...)) return;
          }
          if (static_cast<std::size_t>(shape.Size()) <= expr::detail::kFewToFuse) {
            first.Run();
            return (rest.Run(), ...);
          }
          if (expr::detail::GoTogether(first, rest...)) {
            const expr::detail::StatementMemory<Device> memory(first.GetStream());
            if (detail::RunTogether(first, rest...)) return;
          }
        }
      } else if constexpr ((First::kIsFusable() && ... && Rest::kIsFusable())) {
        if (expr::detail::GoTogether(first, rest...)) {
          const expr::detail::MemoryFor<Device, (First::kType | ... | Rest::kType)> memory(
              first.GetStream());
          return Executor<Device>::MapFused(shape.CheckedFlatTo2D(), first.GetStream(),
                                            first.MakePlanned(), rest.MakePlanned()...);
        }
      }
      expr::detail::RunInTurn(first, rest...);
    }
  }
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_FUSE_H_
