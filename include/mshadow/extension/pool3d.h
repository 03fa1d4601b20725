// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_POOL3D_H_
#define MSHADOW_EXTENSION_POOL3D_H_

#include "../window/window_exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
using Pooling3dExp =
    WindowExp<detail::WindowReduction<typename detail::OrderedReducer<Reducer, DType>::Type, DType>,
              SrcExp, DType, srcdim, 3>;

namespace adl {

/// out[..][z][y][x] = reduction of src[..][z s0 + h][y s1 + i][x s2 + j] over h < k0, i < k1,
/// j < k2, where (k0, k1, k2) = ksize and (s0, s1, s2) = kstride;
/// src (.., D, H, W) -> (.., (D - k0) / s0 + 1, (H - k1) / s1 + 1, (W - k2) / s2 + 1), rounded
/// down: what is left of the volume behind the last whole window is not read. Sums are not divided.
/// Throws Error where the window exceeds the volume or a stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline Pooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool3d(
    const Exp<SrcExp, DType, etype>& src, Shape<3> ksize, Shape<3> kstride) {
  return {"pool3d", src.self(), ksize, kstride, Shape3(0, 0, 0)};
}
/// The same with the result's last three axes given: src (.., D, H, W) -> (.., pshape). The end of
/// the volume clips the windows that cross it. Throws Error where a window holds no element, or
/// where a size or stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline Pooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool3d(
    const Exp<SrcExp, DType, etype>& src, Shape<3> pshape, Shape<3> ksize, Shape<3> kstride) {
  return {"pool3d", src.self(), pshape, ksize, kstride, Shape3(0, 0, 0)};
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, pool3d)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END

namespace mshadow_functions {
using mshadow::expr::adl::pool3d;
}  // namespace mshadow_functions
#endif  // MSHADOW_EXTENSION_POOL3D_H_
