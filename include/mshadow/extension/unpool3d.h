// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_UNPOOL3D_H_
#define MSHADOW_EXTENSION_UNPOOL3D_H_

#include "../window/unpool_exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The three operands may be of different expression types.
template <typename Reducer, typename SrcExp, typename DType, int srcdim, typename PooledExp,
          typename GradExp>
using UnPooling3dExp = UnpoolExp<Reducer, SrcExp, DType, srcdim, 3, PooledExp, GradExp>;

namespace adl {

/// The gradient of pool3d: out[..][z][y][x] = sum of
/// PartialGrad(src[..][z][y][x], pooled[..][w][v][u]) grad[..][w][v][u] over the windows (w, v, u)
/// that cover (z, y, x): w s0 <= z < w s0 + k0, likewise v and u. Of a maximum, every element
/// equal to it gets the gradient. data_src (.., D, H, W) and
/// data_pooled, grad_pooled (.., d, h, w) -> (.., D, H, W); the destination may be data_src itself.
/// Throws Error where shapes do not fit, a window holds no element of data_src, or an argument is
/// not positive.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool3d(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, Shape<3> ksize, Shape<3> kstride) {
  return {"unpool3d", data_src.self(), data_pooled.self(), grad_pooled.self(), ksize, kstride};
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, unpool3d)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END

namespace mshadow_functions {
using mshadow::expr::adl::unpool3d;
}  // namespace mshadow_functions
#endif  // MSHADOW_EXTENSION_UNPOOL3D_H_
