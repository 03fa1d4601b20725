// SPDX-License-Identifier: Apache-2.0
// Rules of nodes that move elements: reshapes, transposes, slices, frames, joins.
#ifndef MSHADOW_GRAD_VIEWS_H_
#define MSHADOW_GRAD_VIEWS_H_

#include "../extension.h"
#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename EType, typename DType>
struct Gradient<TransposeExp<EType, DType>> : GradientBase {
  using Operands = detail::TypeList<EType>;
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.exp);
  }
  template <typename E, typename V>
  static auto With(const E&, const V& v) {
    return TransposeExp<V, DType>(v);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E&, const G& g, const Y&, const V&) {
    return TransposeExp<G, DType>(g);
  }
};

template <typename SrcExp, typename DType, int dimdst, int dimsrc>
struct Gradient<ReshapeExp<SrcExp, DType, dimdst, dimsrc>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return reshape(v, e.shape_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return reshape(g, e.src_shape_);
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<TransposeExExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return TransposeExExp<V, DType, dim>(v, e.axes_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    Shape<dim> back;
    for (int k = 0; k < dim; ++k) back[static_cast<int>(e.axes_[k])] = static_cast<index_t>(k);
    return TransposeExExp<G, DType, dim>(g, back);
  }
};
template <typename SrcExp, typename DType, int dim, int m_a1, int a2>
struct Gradient<SwapAxisExp<SrcExp, DType, dim, m_a1, a2>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename V>
  static auto With(const E&, const V& v) {
    return SwapAxisExp<V, DType, dim, m_a1, a2>(v);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E&, const G& g, const Y&, const V&) {
    return SwapAxisExp<G, DType, dim, m_a1, a2>(g);
  }
};

template <typename SrcExp, typename Device, typename DType, int dim, int m_axis>
struct Gradient<SliceExp<SrcExp, Device, DType, dim, m_axis>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true, kAdds = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return slice<dim - m_axis>(v, e.ch_begin_, e.ch_begin_ + e.shape_[dim - m_axis]);
  }
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    slice<dim - m_axis>(*gradient, e.ch_begin_, e.ch_begin_ + e.shape_[dim - m_axis]) += g;
  }
};
template <typename SrcExp, typename Device, typename DType, int dim, bool stepped>
struct Gradient<SliceExExp<SrcExp, Device, DType, dim, stepped>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true, kAdds = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return slice(v, e.begin_, e.end_, e.step_);
  }
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    slice(*gradient, e.begin_, e.end_, e.step_) += g;
  }
};
template <typename A, typename B, typename Device, typename DType, int dim, int m_axis>
struct Gradient<ConcatExp<A, B, Device, DType, dim, m_axis>> : GradientBase {
  using Operands = detail::TypeList<A, B>;
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
template <typename SrcExp, typename DType, int dim>
struct Gradient<PaddingExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return pad(v, e.pad_y_, e.pad_x_, e.value_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return crop(g, Shape2(e.src_height_, e.src_width_), e.pad_y_, e.pad_x_);
  }
};
template <typename SrcExp, typename Device, typename DType, int dim>
struct Gradient<FlipExp<SrcExp, Device, DType, dim>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return flip(v, e.dim_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return flip(g, e.dim_);
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<adl::RollExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return roll(v, static_cast<std::ptrdiff_t>(e.shift_), e.axis_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return roll(g, -static_cast<std::ptrdiff_t>(e.shift_), e.axis_);
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<adl::TileExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return tile(v, e.reps_);
  }
  /// The copies of each axis are an axis of their own, which is summed.
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    Shape<2 * dim> copies;
    for (int k = 0; k < dim; ++k) {
      copies[2 * k] = e.reps_[k];
      copies[2 * k + 1] = e.src_shape_[k];
    }
    return detail::SumOver<0x5555u & ((1u << 2 * dim) - 1)>(reshape(g, copies));
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<adl::CumsumExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return cumsum(v, e.axis_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return flip(cumsum(flip(g, e.axis_), e.axis_), e.axis_);
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<CroppingExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true, kAdds = true;
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return crop(v, Shape2(e.shape_[dim - 2], e.shape_[dim - 1]), e.start_height_, e.start_width_);
  }
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

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_VIEWS_H_
