// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_UNPAD_H_
#define MSHADOW_EXTENSION_UNPAD_H_

#include "crop.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace adl {

/// What pad(.., pad_y, pad_x) added taken away: out[..][y][x] = src[..][y + pad_y][x + pad_x];
/// src (.., H, W) -> (.., H - 2 pad_y, W - 2 pad_x). Throws Error where that is less than nothing.
template <typename SrcExp, typename DType, int etype>
inline CroppingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> unpad(
    const Exp<SrcExp, DType, etype>& src, index_t pad_y, index_t pad_x) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  static_assert(kDim >= 2, "mshadow: unpad needs an expression of two axes or more");
  const Shape<kDim> shape = ShapeCheck<kDim, SrcExp>::Check(src.self());
  detail::CheckArgument("unpad", "pad_y", pad_y, 0, shape[kDim - 2] / 2,
                        ", half of the source's height");
  detail::CheckArgument("unpad", "pad_x", pad_x, 0, shape[kDim - 1] / 2,
                        ", half of the source's width");
  return crop(src, Shape2(shape[kDim - 2] - 2 * pad_y, shape[kDim - 1] - 2 * pad_x), pad_y, pad_x);
}
/// The same on all four sides.
template <typename SrcExp, typename DType, int etype>
inline CroppingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> unpad(
    const Exp<SrcExp, DType, etype>& src, index_t pad) {
  return unpad(src, pad, pad);
}
MSHADOW_OWNS_TEMPORARIES_(unpad)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_UNPAD_H_
