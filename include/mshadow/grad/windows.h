// SPDX-License-Identifier: Apache-2.0
// Rules of windows: pooling, patches.
#ifndef MSHADOW_GRAD_WINDOWS_H_
#define MSHADOW_GRAD_WINDOWS_H_

#include <algorithm>

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

namespace detail {
template <typename Reducer>
struct PartialGradOp {
  static constexpr int kCost = 2;
  template <typename T>
  MSHADOW_XINLINE static T Map(T element, T pooled) {
    return Reducer::template PartialGrad<T>(element, pooled);
  }
};
template <typename E>
inline decltype(auto) Evaluated(const E& e) {
  if constexpr (IsTensor<E>::value) {
    return (e);
  } else {
    return eval(e);
  }
}
/// gradient[window] += sum of PartialGrad(src[i], pooled[window]) g[i] over the elements i of each
/// window, one element of all windows at a time. Window w of axis k is
/// [w stride - pad, w stride - pad + ksize), as far as there are elements.
template <typename Reducer, typename S, typename P, typename G, typename T, int dim>
inline void AddOfWindows(const S& src, const P& pooled, const G& g, T* gradient,
                         const Shape<dim>& ksize, const Shape<dim>& kstride,
                         const Shape<dim>& pad) {
  static_assert(std::is_same_v<Reducer, red::sum> || std::is_same_v<Reducer, red::maximum> ||
                    std::is_same_v<Reducer, red::minimum>,
                "mshadow: unpool of this reducer has no gradient; of red::sum, red::maximum and "
                "red::minimum it has");
  const Shape<dim> extent = ShapeOf(src), windows = ShapeOf(pooled);
  Shape<dim> at{}, first, last, begin, end;  // windows [first, last), their elements [begin, end)
  if (windows.Size() == 0) return;
  for (bool more = true; more;) {
    bool any = true;
    for (int k = 0; k < dim; ++k) {
      first[k] = at[k] < pad[k] ? (pad[k] - at[k] - 1) / kstride[k] + 1 : 0;
      last[k] = at[k] < extent[k] + pad[k] ? (extent[k] + pad[k] - at[k] - 1) / kstride[k] + 1 : 0;
      last[k] = (std::min)(last[k], windows[k]);
      any = any && first[k] < last[k];
      if (!any) break;
      begin[k] = first[k] * kstride[k] + at[k] - pad[k];
      end[k] = (last[k] - 1) * kstride[k] + at[k] - pad[k] + 1;
    }
    if (any) {
      slice(*gradient, first, last) +=
          slice(g, begin, end, kstride) *
          MakeExp<PartialGradOp<Reducer>>(slice(src, begin, end, kstride),
                                          slice(pooled, first, last));
    }
    more = false;
    for (int k = dim - 1; k >= 0 && !more; --k) {
      more = ++at[k] < ksize[k];
      if (!more) at[k] = 0;
    }
  }
}
/// unpool and its like are linear in the gradient that they spread. Which elements they give it to
/// depends on data_src and data_pooled, which are constants here, as comparisons are.
template <typename GradExp>
struct OfUnpooled : GradientBase {
  using Operands = TypeList<GradExp>;
  static constexpr Forward kForward = Forward::kLinear;
  static constexpr bool kAdds = true;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.grad_pooled_);
  }
};
}  // namespace detail
template <typename Reducer, typename SrcExp, typename DType, int dim, int axes, typename PooledExp,
          typename GradExp>
struct Gradient<UnpoolExp<Reducer, SrcExp, DType, dim, axes, PooledExp, GradExp>>
    : detail::OfUnpooled<GradExp> {
  MSHADOW_GRADIENT_WITH_(UnpoolExp<Reducer, SrcExp, DType, dim, axes, PooledExp, V>(
      "unpool", e.data_src_, e.data_pooled_, v, e.ksize_, e.kstride_))
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    Shape<dim> ksize, kstride, pad{};
    for (int k = 0; k < dim; ++k) {
      const int axis = k - (dim - axes);
      ksize[k] = axis < 0 ? 1 : e.ksize_[axis];
      kstride[k] = axis < 0 ? 1 : e.kstride_[axis];
    }
    detail::AddOfWindows<Reducer>(detail::Evaluated(e.data_src_), detail::Evaluated(e.data_pooled_),
                                  g, gradient, ksize, kstride, pad);
  }
};
template <typename Reducer, typename SrcExp, typename DType, int dim, typename PooledExp,
          typename GradExp>
struct Gradient<ChannelUnpoolingExp<Reducer, SrcExp, DType, dim, PooledExp, GradExp>>
    : detail::OfUnpooled<GradExp> {
  MSHADOW_GRADIENT_WITH_(ch_unpool<Reducer>(e.data_src_, e.data_pooled_, v, e.nsize_, e.kstride_,
                                            e.pad_))
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    Shape<dim> ksize, kstride, pad{};
    for (int k = 0; k < dim; ++k) ksize[k] = kstride[k] = 1;
    ksize[E::kAxis] = e.nsize_;
    kstride[E::kAxis] = e.kstride_;
    pad[E::kAxis] = e.pad_;
    detail::AddOfWindows<Reducer>(detail::Evaluated(e.data_src_), detail::Evaluated(e.data_pooled_),
                                  g, gradient, ksize, kstride, pad);
  }
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
