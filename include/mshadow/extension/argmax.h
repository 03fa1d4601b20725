// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_ARGMAX_H_
#define MSHADOW_EXTENSION_ARGMAX_H_

#include "reduce_with_axis.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace by_argument {

/// out[..][..] = the first index i of `axis` at which src[..][i][..] is largest, or NaN; see
/// reduce_with_axis for shapes, errors and the range of indices.
template <typename SrcExp, typename DType, int etype>
inline auto argmax(const Exp<SrcExp, DType, etype>& src, int axis) {
  return reduce_with_axis<red::maximum, true>(src, axis);
}
/// The same where src is smallest.
template <typename SrcExp, typename DType, int etype>
inline auto argmin(const Exp<SrcExp, DType, etype>& src, int axis) {
  return reduce_with_axis<red::minimum, true>(src, axis);
}

}  // namespace by_argument
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_ARGMAX_H_
