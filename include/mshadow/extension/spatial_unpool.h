// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_
#define MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_

#include "../window/unpool_exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The three operands may be of different expression types.
template <typename Reducer, typename SrcExp, typename DType, int srcdim,
          typename PooledExp = SrcExp, typename GradExp = SrcExp>
using UnPoolingExp = UnpoolExp<Reducer, SrcExp, DType, srcdim, 2, PooledExp, GradExp>;

/// The gradient of pool: out[..][y][x] = sum of PartialGrad(src[..][y][x], pooled[..][v][u])
/// grad[..][v][u] over the windows (v, u) that cover (y, x): v sy <= y < v sy + ky, likewise u.
/// Of a maximum, every element equal to it gets the gradient. data_src (.., H, W) and data_pooled,
/// grad_pooled (.., h, w) -> (.., H, W); the destination may be data_src itself.
/// Throws Error where shapes do not fit, a window holds no element of data_src, or an argument is
/// not positive.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x) {
  return {"unpool", data_src.self(), data_pooled.self(), grad_pooled.self(),
          Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x)};
}
/// The same stride both ways.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t ksize_y, index_t ksize_x,
    index_t kstride) {
  return unpool<Reducer>(data_src, data_pooled, grad_pooled, ksize_y, ksize_x, kstride, kstride);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, unpool)

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_
