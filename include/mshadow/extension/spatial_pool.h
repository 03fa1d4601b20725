// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_POOL_H_
#define MSHADOW_EXTENSION_SPATIAL_POOL_H_

#include "../window/window_exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
using PoolingExp =
    WindowExp<detail::WindowReduction<typename detail::OrderedReducer<Reducer, DType>::Type, DType>,
              SrcExp, DType, srcdim, 2>;

/// out[..][y][x] = reduction of src[..][y sy + i][x sx + j] over i < ky, j < kx;
/// src (.., H, W) -> (.., (H - ky) / sy + 1, (W - kx) / sx + 1), rounded down: what is left of the
/// image behind the last whole window is not read. Sums are not divided by the window's size.
/// Throws Error where the window exceeds the image or a stride is not positive.
template <typename Reducer = void, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x) {
  return {"pool", src.self(), Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x), Shape2(0, 0)};
}
/// The same stride both ways.
template <typename Reducer = void, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride) {
  return pool<Reducer>(src, ksize_y, ksize_x, kstride, kstride);
}

/// The same with the result's last two axes given: src (.., H, W) -> (.., pshape[0], pshape[1]).
/// The image's end clips the windows that cross it: the reduction is over what is left of them.
/// Throws Error where a window holds no element, (pshape[0] - 1) sy >= H or (pshape[1] - 1) sx >=
/// W, or where a size or stride is not positive.
template <typename Reducer = void, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x) {
  return {"pool", src.self(), pshape, Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x),
          Shape2(0, 0)};
}
template <typename Reducer = void, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride) {
  return pool<Reducer>(src, pshape, ksize_y, ksize_x, kstride, kstride);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, pool)

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_POOL_H_
