// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CLIP_H_
#define MSHADOW_EXTENSION_CLIP_H_

#include "../expr/map.h"
#include "../op/ternary.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace adl {

/// out[i] = min(max(src[i], low), high): F<op::clip>(src, low, high). The limits are scalars of any
/// arithmetic type or expressions; NaN stays NaN.
template <typename SrcExp, typename DType, int etype, typename Low, typename High>
inline auto clip(const Exp<SrcExp, DType, etype>& src, const Low& low, const High& high) {
  return F<op::clip>(src.self(), low, high);
}
MSHADOW_OWNS_TEMPORARIES_(clip)

}  // namespace adl

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CLIP_H_
