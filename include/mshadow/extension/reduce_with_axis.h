// SPDX-License-Identifier: Apache-2.0
// Reductions over one axis as part of an expression: reduce_with_axis, reduce_keepdim.
#ifndef MSHADOW_EXTENSION_REDUCE_WITH_AXIS_H_
#define MSHADOW_EXTENSION_REDUCE_WITH_AXIS_H_

#include <limits>
#include <type_traits>

#include "../core/argument.h"
#include "../core/axis_groups.h"
#include "../core/dtype.h"
#include "../expr/fold_operand.h"
#include "../expr/make_tensor.h"
#include "../expr/materialised.h"
#include "../expr/statistic_engine.h"
#include "../op/statistic.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// Throws Error where DType does not count the indices of an axis of n elements exactly: n above
/// 2^24 for float, 2048 for half_t, 256 for bf16_t and uint8_t, 128 for int8_t.
template <typename DType>
inline void CheckCounts(const char* function, std::size_t n) {
  constexpr int kDigits = std::numeric_limits<DType>::digits;
  if constexpr (kDigits < 63) {
    MSHADOW_CHECK(n <= std::size_t{1} << kDigits)
        << function << ": the element type counts " << (std::size_t{1} << kDigits)
        << " indices exactly, the axis has " << n << " elements; argmax and argmin give int64_t";
  }
}

/// How Reducer reduces DType; kIndex: to the index, an Index, at which it got its value.
template <typename Reducer, typename DType, bool kIndex, typename Index = DType>
struct AxisKind {
  static constexpr bool kCombines = red::HasCombine<Reducer, Accumulator<DType>>::value;
  static constexpr bool kExtreme =
      std::is_same_v<Reducer, red::maximum> || std::is_same_v<Reducer, red::minimum>;
  using Ordered = statistic::InOrder<Reducer, std::conditional_t<kIndex, Index, DType>,
                                     std::conditional_t<kCombines, Accumulator<DType>, DType>,
                                     kIndex>;
  using Type = std::conditional_t<
      kIndex && kExtreme, statistic::FirstExtreme<Reducer, DType, Index>,
      std::conditional_t<kCombines && !kIndex, statistic::ByReducer<Reducer, DType>, Ordered>>;
};

}  // namespace detail

/// The base of a reduction by Kind of src_ over one axis, which is left out (dimdst = dimsrc - 1)
/// or has extent 1. As an operand it is computed into memory first.
template <typename SubType, typename Kind, typename SrcExp, int dimsrc, int dimdst>
struct AxisReductionExp : public MakeTensorExp<SubType, SrcExp, dimdst, typename Kind::Out> {
  static constexpr int kFullRank = dimsrc, kLostAxes = dimdst < dimsrc ? -1 : 0;
  static constexpr bool kComputesItself = true;
  SrcExp src_;
  Shape<dimsrc> src_shape_;
  int axis_;
  AxisReductionExp(const char* function, const SrcExp& src, int axis)
      : src_(src),
        src_shape_(ShapeCheck<dimsrc, SrcExp>::Check(src_)),
        axis_(detail::CheckAxis(function, axis, dimsrc)) {
    for (int i = 0; i < dimdst; ++i) {
      this->shape_[i] = dimdst == dimsrc ? (i == axis_ ? 1 : src_shape_[i])
                                         : src_shape_[i < axis_ ? i : i + 1];
    }
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first && expr::Overlaps(src_, written, false);
  }
  /// For detail::ReductionEngine.
  template <typename Saver, typename Dst, typename Device>
  void Reduce(const Dst& dst, std::ptrdiff_t cols, Stream<Device>* stream) const {
    using Executor = StatisticExecutor<Device>;
    const auto plan = detail::ReadBy<Device, Kind>(src_);
    // Later axes of extent 1 are reduced with it, where rows of one element follow each other.
    const bool is_last = src_shape_.CheckedProdShape(axis_ + 1, dimsrc) == 1 &&
                         (axis_ == dimsrc - 1 || FlatRows(plan, 1) == 0);
    // An axis of one element is none.
    const bool is_one = src_shape_[axis_] == 1;
    if (is_last && !is_one) {
      Executor::template Axes<Saver, Kind, true, true>(
          dst, cols, plan, AxisGroupsOf(src_shape_, ~0u << axis_), stream);
    } else {
      Executor::template Axes<Saver, Kind, false, true>(
          dst, cols, plan, AxisGroupsOf(src_shape_, is_one ? 0u : 1u << axis_), stream);
    }
  }
};

/// src_ reduced by Reducer over one axis. mask: not the value, but the index where the accumulator
/// changed last.
template <typename Reducer, typename SrcExp, typename DType, int dimsrc, bool mask, int dimdst>
struct ReduceWithAxisExp
    : public AxisReductionExp<ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>,
                              typename detail::AxisKind<Reducer, DType, mask>::Type, SrcExp,
                              dimsrc, dimdst> {
  static_assert(dimsrc > 0, "mshadow: a reduction over an axis needs an expression with axes");
  static_assert(dimdst > 0, "mshadow: reduce_with_axis would leave no axis; reduce_keepdim leaves "
                            "one of extent 1");
  ReduceWithAxisExp(const char* function, const SrcExp& src, int axis)
      : ReduceWithAxisExp::AxisReductionExp(function, src, axis) {
    if constexpr (mask) {
      detail::CheckCounts<DType>(function, static_cast<std::size_t>(this->src_shape_[this->axis_]));
    }
  }
};

/// out[..][..] = reduction by Reducer of src[..][i][..] over i, the index of `axis`; or, with mask,
/// the least i at which the reduction of src[..][0][..], .., src[..][i][..] has its final value:
/// where a maximum or minimum is first met, or the first NaN (0 where no element changes the
/// reducer's initial value). src (.., n, ..) -> (.., ..) without the axis. A negative axis counts
/// from the end; throws Error where it is none of src.
///
/// 16-bit floats accumulate in float. Sums are taken in blocks: those of one sign are off by 1e-5
/// at most, however long the axis is. Reducers without Combine go in order, and
/// Merge joins parts of a long axis. Indices are given in
/// the element type; throws Error where it does not count those of the axis exactly (2^24 for
/// float, 2048 for half_t, 256 for uint8_t). argmax and argmin count further.
template <typename Reducer, bool mask, typename SrcExp, typename DType, int etype>
inline ReduceWithAxisExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, mask,
                         ExpInfo<SrcExp>::kDim - 1>
reduce_with_axis(const Exp<SrcExp, DType, etype>& src, int axis) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  return ReduceWithAxisExp<Reducer, SrcExp, DType, kDim, mask, kDim - 1>("reduce_with_axis",
                                                                         src.self(), axis);
}
template <typename Reducer, bool mask, typename Device, int dim, typename DType>
inline auto reduce_with_axis(TensorContainer<Device, dim, DType>&& src, int axis) {
  return reduce_with_axis<Reducer, mask>(
      static_cast<TensorContainer<Device, dim, DType>&&>(src).Owned(), axis);
}

/// The same, the axis staying with extent 1; src (.., n, ..) -> (.., 1, ..).
template <typename Reducer, bool mask, typename SrcExp, typename DType, int etype>
inline ReduceWithAxisExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, mask,
                         ExpInfo<SrcExp>::kDim>
reduce_keepdim(const Exp<SrcExp, DType, etype>& src, int axis) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  return ReduceWithAxisExp<Reducer, SrcExp, DType, kDim, mask, kDim>("reduce_keepdim", src.self(),
                                                                     axis);
}
template <typename Reducer, bool mask, typename Device, int dim, typename DType>
inline auto reduce_keepdim(TensorContainer<Device, dim, DType>&& src, int axis) {
  return reduce_keepdim<Reducer, mask>(
      static_cast<TensorContainer<Device, dim, DType>&&>(src).Owned(), axis);
}

template <typename Reducer, typename SrcExp, typename DType, int dimsrc, bool mask, int dimdst>
class Plan<ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>, DType>
    : public detail::MaterialisedPlan<
          ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>, DType> {
 public:
  explicit Plan(const ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>& e)
      : Plan::MaterialisedPlan(e) {}
};

template <typename Saver, typename R, typename Reducer, typename SrcExp, typename DType, int dimsrc,
          bool mask, int dimdst>
struct ExpComplexEngine<Saver, R, ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>,
                        DType>
    : detail::ReductionEngine<
          Saver, R, ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>, DType> {};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_REDUCE_WITH_AXIS_H_
