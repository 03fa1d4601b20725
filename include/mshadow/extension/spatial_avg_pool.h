// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_AVG_POOL_H_
#define MSHADOW_EXTENSION_SPATIAL_AVG_POOL_H_

#include "../window/window_exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
using AvgPoolingExp = WindowExp<detail::WindowMean<DType>, SrcExp, DType, srcdim, 2>;

namespace adl {

/// out[..][y][x] = the mean of src[..][y sy - py + i][x sx - px + j] over those i < ky, j < kx that
/// lie within the image: cells outside do not count (count_include_pad=False in PyTorch).
/// src (.., H, W) -> (.., (H + 2 py - ky) / sy + 1, (W + 2 px - kx) / sx + 1), rounded down.
/// Integers are summed up in wider ones, and their means are rounded towards 0.
/// Throws Error where the window exceeds the padded image, a padding half the window, or where a
/// stride is not positive.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x, index_t pad_y, index_t pad_x) {
  return {"avg_pool", src.self(), Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x),
          Shape2(pad_y, pad_x)};
}
/// Without padding.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x) {
  return avg_pool(src, ksize_y, ksize_x, kstride_y, kstride_x, 0, 0);
}
/// The same stride both ways.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride) {
  return avg_pool(src, ksize_y, ksize_x, kstride, kstride, 0, 0);
}
/// The same with the result's last two axes given: src (.., H, W) -> (.., pshape[0], pshape[1]).
/// Throws Error where a window holds no cell of the image.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x, index_t pad_y = 0, index_t pad_x = 0) {
  return {"avg_pool", src.self(), pshape, Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x),
          Shape2(pad_y, pad_x)};
}
MSHADOW_OWNS_TEMPORARIES_(avg_pool)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_AVG_POOL_H_
