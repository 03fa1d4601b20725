// SPDX-License-Identifier: Apache-2.0
// Rules of nodes that move elements: reshapes, transposes, slices, frames, joins, copies.
#ifndef MSHADOW_GRAD_VIEWS_H_
#define MSHADOW_GRAD_VIEWS_H_

#include "../extension.h"
#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

// ---- Each element once ----
template <typename EType, typename DType>
struct Gradient<TransposeExp<EType, DType>> : GradientBase {
  using Operands = detail::TypeList<EType>;
  static constexpr Forward kForward = Forward::kLinear;
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.exp);
  }
  MSHADOW_GRADIENT_WITH_(TransposeExp<V, DType>(v))
  MSHADOW_GRADIENT_VJP_(TransposeExp<G, DType>(g))
};
template <typename SrcExp, typename DType, int dimdst, int dimsrc>
struct Gradient<ReshapeExp<SrcExp, DType, dimdst, dimsrc>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(reshape(v, e.shape_))
  MSHADOW_GRADIENT_VJP_(reshape(g, e.src_shape_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<TransposeExExp<SrcExp, DType, dim>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(TransposeExExp<V, DType, dim>(v, e.axes_))
  MSHADOW_GRADIENT_VJP_(TransposeExExp<G, DType, dim>(g, Back(e.axes_)))

 private:
  static Shape<dim> Back(const Shape<dim>& axes) {
    Shape<dim> back;
    for (int k = 0; k < dim; ++k) back[static_cast<int>(axes[k])] = static_cast<index_t>(k);
    return back;
  }
};
template <typename SrcExp, typename DType, int dim, int m_a1, int a2>
struct Gradient<SwapAxisExp<SrcExp, DType, dim, m_a1, a2>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(SwapAxisExp<V, DType, dim, m_a1, a2>(v))
  MSHADOW_GRADIENT_VJP_(SwapAxisExp<G, DType, dim, m_a1, a2>(g))
};
template <typename SrcExp, typename Device, typename DType, int dim>
struct Gradient<FlipExp<SrcExp, Device, DType, dim>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(flip(v, e.dim_))
  MSHADOW_GRADIENT_VJP_(flip(g, e.dim_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<MirroringExp<SrcExp, DType, dim>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(mirror(v))
  MSHADOW_GRADIENT_VJP_(mirror(g))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<adl::RollExp<SrcExp, DType, dim>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(roll(v, static_cast<std::ptrdiff_t>(e.shift_), e.axis_))
  MSHADOW_GRADIENT_VJP_(roll(g, -static_cast<std::ptrdiff_t>(e.shift_), e.axis_))
};
template <typename SrcExp, typename DType, int dim, bool lower>
struct TriangleExp;  // tril and triu of linalg.h
template <typename SrcExp, typename DType, int dim, bool lower>
struct Gradient<TriangleExp<SrcExp, DType, dim, lower>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(TriangleExp<V, DType, dim, lower>(v, e.k_))
  MSHADOW_GRADIENT_VJP_(TriangleExp<G, DType, dim, lower>(g, e.k_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<PaddingExp<SrcExp, DType, dim>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(pad(v, e.pad_y_, e.pad_x_, e.value_))
  MSHADOW_GRADIENT_JVP_(pad(dx, e.pad_y_, e.pad_x_))
  MSHADOW_GRADIENT_VJP_(crop(g, Shape2(e.src_height_, e.src_width_), e.pad_y_, e.pad_x_))
};
template <typename A, typename B, typename Device, typename DType, int dim, int m_axis>
struct Gradient<ConcatExp<A, B, Device, DType, dim, m_axis>> : GradientBase {
  using Operands = detail::TypeList<A, B>;
  static constexpr Forward kForward = Forward::kLinear;
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src1_, e.src2_);
  }
  template <typename E, typename V, typename W>
  static auto With(const E&, const V& v, const W& w) {
    return concat<dim - m_axis>(v, w);
  }
  template <int i, typename E, typename G, typename Y, typename V, typename W>
  static auto Vjp(const E& e, const G& g, const Y&, const V&, const W&) {
    const index_t n = e.dcat_src1_;
    return slice<dim - m_axis>(g, i == 0 ? 0 : n, i == 0 ? n : n + e.dcat_src2_);
  }
};

// ---- A part: the rest of the gradient is 0 ----
namespace detail {
template <typename SrcExp>
struct OfPart : OfMoved<SrcExp> {
  static constexpr bool kAdds = true;
};
}  // namespace detail
template <typename SrcExp, typename Device, typename DType, int dim, int m_axis>
struct Gradient<SliceExp<SrcExp, Device, DType, dim, m_axis>> : detail::OfPart<SrcExp> {
  MSHADOW_GRADIENT_WITH_(slice<dim - m_axis>(v, e.ch_begin_, e.ch_begin_ + e.shape_[dim - m_axis]))
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    slice<dim - m_axis>(*gradient, e.ch_begin_, e.ch_begin_ + e.shape_[dim - m_axis]) += g;
  }
};
template <typename SrcExp, typename Device, typename DType, int dim, bool stepped>
struct Gradient<SliceExExp<SrcExp, Device, DType, dim, stepped>> : detail::OfPart<SrcExp> {
  MSHADOW_GRADIENT_WITH_(slice(v, e.begin_, e.end_, e.step_))
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    slice(*gradient, e.begin_, e.end_, e.step_) += g;
  }
};
template <typename SrcExp, typename Device, typename DType, int dim>
struct Gradient<ColumnExp<SrcExp, Device, DType, dim>> : detail::OfPart<SrcExp> {
  MSHADOW_GRADIENT_WITH_(Column(v, static_cast<std::ptrdiff_t>(e.index_)))
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    Column(*gradient, static_cast<std::ptrdiff_t>(e.index_)) += g;
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<CroppingExp<SrcExp, DType, dim>> : detail::OfPart<SrcExp> {
  MSHADOW_GRADIENT_WITH_(crop(v, Shape2(e.shape_[dim - 2], e.shape_[dim - 1]), e.start_height_,
                              e.start_width_))
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    Shape<dim> begin, end = e.shape_;
    for (int k = 0; k < dim; ++k) begin[k] = 0;
    begin[dim - 2] = e.start_height_;
    begin[dim - 1] = e.start_width_;
    end[dim - 2] += e.start_height_;
    end[dim - 1] += e.start_width_;
    slice(*gradient, begin, end) += g;
  }
};

// ---- Copies, which are summed ----
template <typename SrcExp, typename DType, int dim>
struct Gradient<adl::TileExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(tile(v, e.reps_))
  MSHADOW_GRADIENT_VJP_(detail::SumOfCopies(g, e.reps_, e.src_shape_))
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<UpSamplingNearestExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(upsampling_nearest(v, e.scale_))
  /// Each pixel is a square of scale_ by scale_: two axes of their own.
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    const Shape<dim> from = detail::ShapeOf(e.src_);
    Shape<dim + 2> split;
    for (int k = 0; k < dim - 1; ++k) split[k] = from[k];
    split[dim - 1] = split[dim + 1] = e.scale_;
    split[dim] = from[dim - 1];
    return detail::SumOver<5u << (dim - 1)>(reshape(g, split));
  }
};
template <typename SrcExp, typename DType, int dimdst>
struct Gradient<BroadcastScalarExp<SrcExp, DType, dimdst>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(broadcast_scalar(v, e.shape_))
  MSHADOW_GRADIENT_VJP_(
      detail::SumOver<2u>(reshape(g, Shape2(1, static_cast<index_t>(e.shape_.Size())))))
};
template <typename SrcExp, typename DType, int dimsrc, int dimdst>
struct Gradient<BroadcastWithAxisExp<SrcExp, DType, dimsrc, dimdst>> : detail::OfSource<SrcExp> {
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    BroadcastWithMultiAxesExp<V, DType, dimsrc, dimdst> same(v);
    same.aligned_ = e.aligned_;
    same.shape_ = e.shape_;
    return same;
  }
  MSHADOW_GRADIENT_VJP_(reshape(sum_to(g, e.aligned_), detail::ShapeOf(e.src_)))
};
template <typename SrcExp, typename DType, int dimsrc, int dimdst>
struct Gradient<BroadcastWithMultiAxesExp<SrcExp, DType, dimsrc, dimdst>>
    : Gradient<BroadcastWithAxisExp<SrcExp, DType, dimsrc, dimdst>> {};
template <typename SrcExp, typename DType, int dim>
struct Gradient<adl::CumsumExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(cumsum(v, e.axis_))
  MSHADOW_GRADIENT_VJP_(flip(cumsum(flip(g, e.axis_), e.axis_), e.axis_))
};
/// Resizing multiplies height and width by a matrix each, which is what it makes of the identity.
/// The gradient is the product with both matrices transposed.
template <typename SrcExp, typename DType, int dim, typename Kernel>
struct Gradient<ResizeExp<SrcExp, DType, dim, Kernel>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(Of(e, v, e.shape_[dim - 2], e.shape_[dim - 1], e.pad_value_))
  MSHADOW_GRADIENT_JVP_(Of(e, dx, e.shape_[dim - 2], e.shape_[dim - 1], DType(0)))
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    using detail::Product;
    const index_t height = e.src_height_, width = e.src_width_;
    const index_t g_height = e.shape_[dim - 2], g_width = e.shape_[dim - 1];
    const index_t planes = static_cast<index_t>(e.shape_.CheckedProdShape(0, dim - 2));
    const auto by_width =
        Product<false, true>(reshape(g, Shape2(planes * g_height, g_width)),
                             Of(e, Identity(width), width, g_width, DType(0)), DType(1));
    const auto columns = swapaxis<2, 1>(reshape(by_width, Shape3(planes, g_height, width)));
    const auto by_height =
        Product<false, false>(reshape(columns, Shape2(planes * width, g_height)),
                              Of(e, Identity(height), g_height, height, DType(0)), DType(1));
    return reshape(swapaxis<2, 1>(reshape(by_height, Shape3(planes, width, height))),
                   detail::ShapeOf(e.src_));
  }

 private:
  static auto Identity(index_t n) { return tcast<DType>(one_hot_encode(range(index_t(0), n), n)); }
  template <typename E, typename V>
  static auto Of(const E& e, const V& v, index_t height, index_t width, DType pad_value) {
    return ResizeExp<V, DType, ExpInfo<V>::kDim, Kernel>(v, height, width, e.align_corners_,
                                                         e.pad_mode_, pad_value);
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_VIEWS_H_
