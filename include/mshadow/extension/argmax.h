// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_ARGMAX_H_
#define MSHADOW_EXTENSION_ARGMAX_H_

#include "reduce_with_axis.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The index of `axis` at which the reduction of src_ by Extreme got its value, as an Index.
template <typename Extreme, typename SrcExp, typename DType, int dimsrc, typename Index>
struct ArgExtremeExp
    : public AxisReductionExp<ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>,
                              statistic::FirstExtreme<Extreme, DType, Index>, SrcExp, dimsrc,
                              dimsrc - 1> {
  static_assert(dimsrc > 1, "mshadow: argmax and argmin leave out an axis of at least two; "
                            "reduce_keepdim leaves one of extent 1");
  ArgExtremeExp(const char* function, const SrcExp& src, int axis)
      : ArgExtremeExp::AxisReductionExp(function, src, axis) {
    MSHADOW_CHECK(this->src_shape_[this->axis_] != 0 || this->shape_.Size() == 0)
        << function << ": there is nothing to choose from in a source of shape "
        << LogText(this->src_shape_);
    detail::CheckCounts<Index>(function, static_cast<std::size_t>(this->src_shape_[this->axis_]));
  }
};

template <typename Extreme, typename SrcExp, typename DType, int dimsrc, typename Index>
class Plan<ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>, Index>
    : public detail::MaterialisedPlan<ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>, Index> {
 public:
  explicit Plan(const ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>& e)
      : Plan::MaterialisedPlan(e) {}
};

template <typename Saver, typename R, typename Extreme, typename SrcExp, typename DType, int dimsrc,
          typename Index>
struct ExpComplexEngine<Saver, R, ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>, Index>
    : detail::ReductionEngine<Saver, R, ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>,
                              Index> {};

namespace adl {

/// out[..][..] = the first index i of `axis` at which src[..][i][..] is largest, or NaN; src
/// (.., n, ..) -> (.., ..) without the axis, of element type Index: argmax<float>(src, axis) gives
/// floats. A negative axis counts from the end. Throws Error where it is none of src, where n is 0,
/// and where Index does not count n exactly.
template <typename Index = int64_t, typename SrcExp, typename DType, int etype>
inline ArgExtremeExp<red::maximum, SrcExp, DType, ExpInfo<SrcExp>::kDim, Index> argmax(
    const Exp<SrcExp, DType, etype>& src, int axis) {
  return ArgExtremeExp<red::maximum, SrcExp, DType, ExpInfo<SrcExp>::kDim, Index>(
      "argmax", src.self(), axis);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, argmax)
/// The same where src is smallest.
template <typename Index = int64_t, typename SrcExp, typename DType, int etype>
inline ArgExtremeExp<red::minimum, SrcExp, DType, ExpInfo<SrcExp>::kDim, Index> argmin(
    const Exp<SrcExp, DType, etype>& src, int axis) {
  return ArgExtremeExp<red::minimum, SrcExp, DType, ExpInfo<SrcExp>::kDim, Index>(
      "argmin", src.self(), axis);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, argmin)

}  // namespace adl

}  // namespace expr
MSHADOW_NAMESPACE_END

namespace mshadow_functions {
using mshadow::expr::adl::argmax;
using mshadow::expr::adl::argmin;
}  // namespace mshadow_functions
#endif  // MSHADOW_EXTENSION_ARGMAX_H_
