// SPDX-License-Identifier: Apache-2.0
// AlignedExp: an operand of fewer axes than the others of an element-wise node, repeated along the
// axes that it lacks.
//
// Which axes these are is known at compile time. An operand that came from a reduction lacks the
// axes that the reduction lost. The node says so by two members; a map has a type Lost with those
// of its operands:
//   static constexpr int kFullRank    number of axes of the expression that was reduced
//   static constexpr int kLostAxes    bit i: axis i of these is lost; none: like a tensor; -1: an
//                                     axis that is known at run time
// Any other operand is aligned at the last axes, as in NumPy. A map of both kinds, sum<1>(x) + v,
// has two readings: it is refused where it would have to be repeated.
#ifndef MSHADOW_EXPR_ALIGNED_H_
#define MSHADOW_EXPR_ALIGNED_H_

#include <type_traits>

#include "operand.h"
#include "plan/broadcast_plan.h"
#include "reordered.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The axes that E lost in a reduction, see above. A kFullRank of 0 leaves it to the other operand.
/// kTwoReadings: E joins a reduction with an operand that is aligned at the last axes.
template <typename E, typename = void>
struct LostAxes {
  static constexpr int kFullRank = ExpInfo<E>::kDim;
  static constexpr int kLostAxes = 0;
  static constexpr bool kTwoReadings = false;
};
template <typename E>
struct LostAxes<E, std::void_t<decltype(E::kFullRank), decltype(E::kLostAxes)>> {
  static constexpr int kFullRank = E::kFullRank;
  static constexpr int kLostAxes = E::kLostAxes;
  static constexpr bool kTwoReadings = false;
};

template <typename E>
struct LostAxes<E, std::enable_if_t<!std::is_void_v<typename E::Lost>>> : E::Lost {};

/// The first n axes.
constexpr int FirstAxes(int n) { return (1 << n) - 1; }

/// An operand that a map of more axes ignores.
struct NoLostAxes {
  static constexpr int kFullRank = 0, kLostAxes = 0;
  static constexpr bool kTwoReadings = false;
};
/// The axes that a map of two operands of `rank` axes lost.
template <int rank, typename A, typename B>
struct SameLostAxes {
 private:
  static constexpr bool kIsA = A::kFullRank >= B::kFullRank;
  static_assert(A::kLostAxes == 0 || B::kLostAxes == 0 ||
                    (A::kFullRank == B::kFullRank && A::kLostAxes == B::kLostAxes),
                "mshadow: two operands of one rank came from reductions of different axes; assign "
                "one to a tensor first, which is aligned at the last axes");

 public:
  static constexpr int kFullRank = kIsA ? A::kFullRank : B::kFullRank;
  static constexpr int kLostAxes = kIsA ? A::kLostAxes : B::kLostAxes;
  static constexpr bool kTwoReadings =
      A::kTwoReadings || B::kTwoReadings ||
      (A::kLostAxes != B::kLostAxes && A::kFullRank != 0 && B::kFullRank != 0 &&
       kLostAxes != FirstAxes(kFullRank - rank));
};

/// Those of a map of `rank` axes over A, B, ..; operands of fewer axes are ignored.
template <int rank, typename A, typename... Rest>
struct LostAxesOf : std::conditional_t<ExpInfo<A>::kDim == rank, LostAxes<A>, NoLostAxes> {};
template <int rank, typename A, typename B, typename... Rest>
struct LostAxesOf<rank, A, B, Rest...>
    : SameLostAxes<rank, LostAxesOf<rank, A>, LostAxesOf<rank, B, Rest...>> {};

/// The axes of a node of `rank` axes along which the operand E is repeated. Others: the axes lost
/// by the operands of `rank` axes.
template <int rank, typename E, typename Others>
constexpr int RepeatedAxes() {
  constexpr int kOwn = ExpInfo<E>::kDim;
  constexpr int kFull = LostAxes<E>::kFullRank, kLost = LostAxes<E>::kLostAxes;
  static_assert(kLost >= 0,
                "mshadow: which axis an operand lost in a reduction is known at run time only; "
                "repeat it by broadcast_with_axis, or assign it to a tensor first, which is "
                "aligned at the last axes");
  static_assert(!LostAxes<E>::kTwoReadings,
                "mshadow: a tensor v and a reduction r were joined, as in r + v - x, before they "
                "meet x of more axes: v is aligned at the last axes of x, r along those that it "
                "kept. Let each meet x by itself, r - x + v, or say along which axis v lies, r + "
                "broadcast<axis>(v, x.shape_) - x");
  if constexpr (kLost == FirstAxes(kFull - kOwn)) {
    return FirstAxes(rank - kOwn);
  } else if constexpr (kFull <= rank) {
    return kLost << (rank - kFull) | FirstAxes(rank - kFull);
  } else {
    // Two reductions of one expression, say sum<2>(x) / sum<1, 2>(x): what the first lost is gone.
    static_assert(kFull == Others::kFullRank && (Others::kLostAxes & ~kLost) == 0,
                  "mshadow: an operand came from a reduction of an expression that has more axes "
                  "than the operand beside it; assign it to a tensor first, which is aligned at "
                  "the last axes");
    int axes = 0;
    for (int i = 0, axis = 0; i < kFull; ++i) {
      if ((Others::kLostAxes >> i & 1) == 0) axes |= (kLost >> i & 1) << axis++;
    }
    return axes;
  }
}

[[noreturn]] MSHADOW_COLD inline void ThrowAligned(const index_t* own, int dim,
                                                   const index_t* shape, int rank, int mask) {
  index_t kept[16];
  bool repeats_one = true, fits_last = true;
  for (int i = 0; i < dim; ++i) fits_last = fits_last && own[i] == shape[rank - dim + i];
  mshadow::detail::ErrorText text, axes;
  for (int i = 0, k = 0; i < rank; ++i) {
    if ((mask >> i & 1) != 0) {
      axes.Add("%s%d", axes.text()[0] == '\0' ? "" : ", ", i);
    } else {
      repeats_one = repeats_one && (own[k] == shape[i] || own[k] == 1);
      kept[k++] = shape[i];
    }
  }
  text.Add("mshadow: an operand of shape ");
  text.AddExtents(own, dim);
  text.Add(" does not fit one of shape ");
  text.AddExtents(shape, rank);
  text.Add(": repeated along axis %s it would need the shape ", axes.text());
  text.AddExtents(kept, dim);
  text.Add("%s%s", fits_last ? "; eval(operand) is aligned at the last axes, and fits" : "",
           repeats_one ? "; broadcast_to and broadcast_keepdim repeat axes of extent 1" : "");
  text.Throw();
}

/// True if E is computed into memory before it is repeated: on the CPU all that does not lie there.
/// A GPU computes an element anew in less time than it starts another kernel.
template <typename E>
inline constexpr bool kComputedFirst =
    ExpInfo<E>::kDevMask == cpu::kDevMask && !HasRowStride<PlanOf<E>>::value;
/// The plan of E, whose elements are asked for again and again.
template <typename E, typename DType>
using RepeatedPlan = PlanFirstIf<kComputedFirst<E>, E, DType>;
}  // namespace detail

/// out[i0]..[ik] = src[ij].. for the axes j that are not in `mask`; src -> shape, of `rank` axes.
/// Throws Error with both shapes where the other extents differ.
template <typename E, typename DType, int rank, int mask>
struct AlignedExp : public Exp<AlignedExp<E, DType, rank, mask>, DType, type::kChainer> {
  static constexpr int kRank = rank;
  static constexpr int kDevices = ExpInfo<E>::kDevMask;
  static constexpr int kSrcRank = ExpInfo<E>::kDim;
  // E and the other operand are reductions of one expression: nothing is joined.
  static constexpr int kFullRank = detail::LostAxes<E>::kFullRank > rank ? 0 : rank;
  static constexpr int kLostAxes = 0;
  E src_;
  Shape<rank> shape_;
  Shape<kSrcRank> src_shape_;
  AlignedExp(const E& src, const Shape<rank>& shape)
      : src_(src), shape_(shape), src_shape_(ShapeCheck<kSrcRank, E>::Check(src)) {
    bool fits = true;
    for (int i = 0, k = 0; i < rank; ++i) {
      if ((mask >> i & 1) == 0) fits = fits && src_shape_[k++] == shape[i];
    }
    if (!MSHADOW_LIKELY(fits)) {
      detail::ThrowAligned(src_shape_.shape_, kSrcRank, shape.shape_, rank, mask);
    }
  }
  template <int dim>
  Shape<dim> GetShape() const {
    return shape_;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(src_, written, false);
  }
  static constexpr bool kRepeats = true;
  static constexpr detail::View kView =
      (mask >> (rank - 1)) != 0 ? detail::View::kRepeats : detail::View::kRows;
  void Move(const detail::OperandViews& operands) const { operands.Repeat(rank, mask); }
  template <typename F>
  auto WithOperands(const F& f) const {
    return AlignedExp<decltype(f(src_)), DType, rank, mask>(f(src_), shape_);
  }
  bool IsSame(const AlignedExp& other) const {
    return shape_ == other.shape_ && detail::IsSame(src_, other.src_);
  }
};

template <typename E, typename DType, int rank, int mask>
class Plan<AlignedExp<E, DType, rank, mask>, DType>
    : public detail::MaskedBroadcastPlan<detail::RepeatedPlan<E, DType>, DType, rank, mask> {
 public:
  explicit Plan(const AlignedExp<E, DType, rank, mask>& e)
      : Plan::MaskedBroadcastPlan(MakePlanOf<detail::RepeatedPlan<E, DType>>(e.src_), e.shape_,
                                  e.src_shape_[e.kSrcRank - 1]) {}
};

namespace detail {

/// The shape of the first operand that has `rank` axes.
template <int rank, typename First, typename... Rest>
inline Shape<rank> ShapeOfRank(const First& first, [[maybe_unused]] const Rest&... rest) {
  if constexpr (ExpInfo<First>::kDim == rank) {
    return ShapeCheck<rank, First>::Check(first);
  } else {
    return ShapeOfRank<rank>(rest...);
  }
}

/// The most axes of an operand.
template <typename... Es>
constexpr int MostAxes() {
  int most = 0;
  ((most = ExpInfo<Es>::kDim > most ? ExpInfo<Es>::kDim : most), ...);
  return most;
}
/// True if operands are to be aligned: no rank is unknown, and some have fewer axes than others.
template <typename... Es>
inline constexpr bool kAligns =
    (... && (ExpInfo<Es>::kDim >= 0)) &&
    (... || (ExpInfo<Es>::kDim != 0 && ExpInfo<Es>::kDim != MostAxes<Es...>()));

/// `e`, or that repeated to `shape`.
template <typename Others, typename E, typename DType, int etype, int rank>
inline decltype(auto) Aligned(const Exp<E, DType, etype>& e,
                              [[maybe_unused]] const Shape<rank>& shape) {
  if constexpr (ExpInfo<E>::kDim == rank || ExpInfo<E>::kDim == 0) {
    return e.self();
  } else {
    constexpr int kMask = RepeatedAxes<rank, E, Others>();
    return AlignedExp<E, DType, rank, kMask>(e.self(), shape);
  }
}
/// f(operand...), each repeated to the shape of the first of most axes.
template <typename F, typename... Es>
inline auto WithAligned(const F& f, const Es&... operands) {
  constexpr int kRank = MostAxes<Es...>();
  using Lost = LostAxesOf<kRank, Es...>;
  const Shape<kRank> shape = ShapeOfRank<kRank>(operands...);
  return f(Aligned<Lost>(operands, shape)...);
}

template <typename E, typename DType, int etype, typename R>
decltype(auto) AlignedWithTarget(const Exp<E, DType, etype>& exp, const R& dst) {
  constexpr int kRank = ExpInfo<R>::kDim;
  if constexpr (ExpInfo<E>::kDim > 0 && ExpInfo<E>::kDim < kRank) {
    return Aligned<LostAxes<R>>(exp, ShapeCheck<kRank, R>::Check(dst));
  } else {
    return exp.self();
  }
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_ALIGNED_H_
