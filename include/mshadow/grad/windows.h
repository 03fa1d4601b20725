// SPDX-License-Identifier: Apache-2.0
// Rules of windows: pooling, patches.
#ifndef MSHADOW_GRAD_WINDOWS_H_
#define MSHADOW_GRAD_WINDOWS_H_

#include "../extension.h"
#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int dim>
struct Gradient<WindowExp<detail::WindowReduction<Reducer, DType>, SrcExp, DType, dim, 2>>
    : detail::OfSource<SrcExp> {
  static constexpr unsigned Reads(int) { return kA | kResult; }
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return pool<Reducer>(v, Shape2(e.shape_[dim - 2], e.shape_[dim - 1]), e.ksize_[0], e.ksize_[1],
                         e.kstride_[0], e.kstride_[1]);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y& y, const V& v) {
    return unpool<Reducer>(v, y, g, e.ksize_[0], e.ksize_[1], e.kstride_[0], e.kstride_[1]);
  }
};

template <typename SrcExp, typename DType, int dim>
struct Gradient<UnpackPatchToColXExp<SrcExp, DType, dim>> : GradientBase {
  using Operands = detail::TypeList<SrcExp>;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.img_);
  }
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return unpack_patch2col(v, e.psize_y_, e.psize_x_, e.pstride_y_, e.pstride_x_, e.pdilate_y_,
                            e.pdilate_x_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return pack_col2patch(g, detail::ShapeOf(e.img_), e.psize_y_, e.psize_x_, e.pstride_y_,
                          e.pstride_x_, e.pdilate_y_, e.pdilate_x_);
  }
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<PackColToPatchXExp<SrcExp, DType, dim>> : detail::OfSource<SrcExp> {
  template <typename E, typename V>
  static auto With(const E& e, const V& v) {
    return pack_col2patch(v, e.shape_, e.psize_y_, e.psize_x_, e.pstride_y_, e.pstride_x_,
                          e.pdilate_y_, e.pdilate_x_);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V&) {
    return unpack_patch2col(g, e.psize_y_, e.psize_x_, e.pstride_y_, e.pstride_x_, e.pdilate_y_,
                            e.pdilate_x_);
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_WINDOWS_H_
