// SPDX-License-Identifier: Apache-2.0
// Rules of windows: pooling, patches.
#ifndef MSHADOW_GRAD_WINDOWS_H_
#define MSHADOW_GRAD_WINDOWS_H_

#include "../extension.h"
#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {
/// Windows overlap: the tangent of an extreme is none that a loop over windows makes.
template <typename Reducer>
inline constexpr Forward kLinearIfSum =
    std::is_same_v<Reducer, red::sum> ? Forward::kLinear : Forward::kNone;
}  // namespace detail
/// Every largest element of a window gets its gradient: unpool, as in 2.x. (max shares it.)
template <typename Reducer, typename SrcExp, typename DType, int dim, int axes>
struct Gradient<WindowExp<detail::WindowReduction<Reducer, DType>, SrcExp, DType, dim, axes>>
    : detail::OfSource<SrcExp> {
  static constexpr Forward kForward = detail::kLinearIfSum<Reducer>;
  static constexpr unsigned Reads(int) { return kA | kResult; }
  MSHADOW_GRADIENT_WITH_(WindowExp<detail::WindowReduction<Reducer, DType>, V, DType, dim, axes>(
      "pool", v, detail::LastAxes<axes>(e.shape_), e.ksize_, e.kstride_, e.pad_))
  MSHADOW_GRADIENT_VJP_(UnpoolExp<Reducer, V, DType, dim, axes, Y, G>("unpool", v, y, g, e.ksize_,
                                                                      e.kstride_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<WindowExp<detail::WindowMean<DType>, SrcExp, DType, dim, 2>>
    : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(WindowExp<detail::WindowMean<DType>, V, DType, dim, 2>(
      "avg_pool", v, detail::LastAxes<2>(e.shape_), e.ksize_, e.kstride_, e.pad_))
  MSHADOW_GRADIENT_VJP_(AvgUnPoolingExp<G, DType, dim>(g, e.src_size_, e.ksize_, e.kstride_,
                                                       e.pad_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<AvgUnPoolingExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(AvgUnPoolingExp<V, DType, dim>(v, detail::LastAxes<2>(e.shape_), e.ksize_,
                                                        e.kstride_, e.pad_))
  MSHADOW_GRADIENT_VJP_(WindowExp<detail::WindowMean<DType>, G, DType, dim, 2>("avg_pool", g,
                                                                               e.pshape_, e.ksize_,
                                                                               e.kstride_, e.pad_))
};
template <typename Reducer, typename SrcExp, typename DType, int dim>
struct Gradient<ChannelPoolingExp<Reducer, SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  static constexpr Forward kForward = detail::kLinearIfSum<Reducer>;
  static constexpr unsigned Reads(int) { return kA | kResult; }
  MSHADOW_GRADIENT_WITH_(chpool<Reducer>(v, e.nsize_, e.stride_, e.pad_))
  MSHADOW_GRADIENT_VJP_(ch_unpool<Reducer>(v, y, g, e.nsize_, e.stride_, e.pad_))
};

template <typename SrcExp, typename DType, int dim>
struct Gradient<UnpackPatchToColXExp<SrcExp, DType, dim>> : GradientBase {
  using Operands = detail::TypeList<SrcExp>;
  static constexpr Forward kForward = Forward::kLinear;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.img_);
  }
  MSHADOW_GRADIENT_WITH_(unpack_patch2col(v, e.psize_y_, e.psize_x_, e.pstride_y_, e.pstride_x_,
                                          e.pdilate_y_, e.pdilate_x_))
  MSHADOW_GRADIENT_VJP_(pack_col2patch(g, detail::ShapeOf(e.img_), e.psize_y_, e.psize_x_,
                                       e.pstride_y_, e.pstride_x_, e.pdilate_y_, e.pdilate_x_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<PackColToPatchXExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(pack_col2patch(v, e.shape_, e.psize_y_, e.psize_x_, e.pstride_y_,
                                        e.pstride_x_, e.pdilate_y_, e.pdilate_x_))
  MSHADOW_GRADIENT_VJP_(unpack_patch2col(g, e.psize_y_, e.psize_x_, e.pstride_y_, e.pstride_x_,
                                         e.pdilate_y_, e.pdilate_x_))
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_WINDOWS_H_
