// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_RESIZE_H_
#define MSHADOW_EXTENSION_RESIZE_H_

#include <type_traits>

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../window/resize_kernel.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace resize_pad {
/// What lies around the image: a constant, or the pixel at the edge.
enum PadMode { kConstant, kEdge };
}  // namespace resize_pad

/// How a value between pixels is made. A kernel is a struct with kTaps, the pixels in a row that it
/// reads, 1 or an even number, and Blend(part, pixel): the value between pixel[n - 1] and pixel[n],
/// n = kTaps / 2, at the distance `part` behind the former. With one tap, the pixel is copied.
/// Where all pixels are the same Blend must give just that: flat areas stay flat.
namespace resize_kernel {

/// The pixel whose cell the point lies in; at the boundary of two, the one with the greater index.
/// Elements are copied as they are.
struct Nearest {
  static constexpr int kTaps = 1;
  template <typename Real>
  MSHADOW_XINLINE static Real Blend(Real, const Real (&pixel)[1]) {
    return pixel[0];
  }
};
/// Linear between two pixels.
struct Bilinear {
  static constexpr int kTaps = 2;
  template <typename Real>
  MSHADOW_XINLINE static Real Blend(Real part, const Real (&pixel)[2]) {
    return pixel[0] + part * (pixel[1] - pixel[0]);
  }
};
/// Cubic convolution over four pixels (R. Keys, "Cubic convolution interpolation for digital image
/// processing", IEEE Trans. ASSP 29 (6), 1981, equation 4), a = -0.75 as in PyTorch and OpenCV.
struct Bicubic {
  static constexpr int kTaps = 4;
  template <typename Real>
  MSHADOW_XINLINE static Real Blend(Real part, const Real (&pixel)[4]) {
    const Real a = Real(-0.75), rest = Real(1) - part;
    const Real before = a * part * rest * rest;
    const Real next = ((a + 2) * rest - (a + 3)) * rest * rest + 1;
    const Real last = a * rest * part * part;
    return pixel[1] + (before * (pixel[0] - pixel[1]) + next * (pixel[2] - pixel[1]) +
                       last * (pixel[3] - pixel[1]));
  }
};
constexpr Nearest kNearest{};
constexpr Bilinear kBilinear{};
constexpr Bicubic kBicubic{};

}  // namespace resize_kernel

template <typename SrcExp, typename DType, int srcdim, typename Kernel = resize_kernel::Bilinear>
struct ResizeExp
    : public MakeTensorExp<ResizeExp<SrcExp, DType, srcdim, Kernel>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: resize needs an expression of two axes or more");
  SrcExp src_;
  index_t src_height_, src_width_;
  bool align_corners_;
  int pad_mode_;
  DType pad_value_;
  ResizeExp(const SrcExp& src, index_t out_height, index_t out_width, bool align_corners,
            int pad_mode, DType pad_value)
      : src_(src), align_corners_(align_corners), pad_mode_(pad_mode), pad_value_(pad_value) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_height_ = this->shape_[srcdim - 2];
    src_width_ = this->shape_[srcdim - 1];
    detail::CheckPositive("resize", "out_height", out_height);
    detail::CheckPositive("resize", "out_width", out_width);
    MSHADOW_CHECK(src_height_ > 0 && src_width_ > 0)
        << "resize: the source " << this->shape_ << " has no pixel";
    detail::CheckArgument("resize", "the source's height", src_height_, 1, 0x7fffffff, "");
    detail::CheckArgument("resize", "the source's width", src_width_, 1, 0x7fffffff, "");
    detail::CheckArgument("resize", "out_height", out_height, 1, 0x7fffffff, "");
    detail::CheckArgument("resize", "out_width", out_width, 1, 0x7fffffff, "");
    MSHADOW_CHECK(pad_mode == resize_pad::kConstant || pad_mode == resize_pad::kEdge)
        << "resize: pad_mode = " << pad_mode << " is neither kConstant (0) nor kEdge (1)";
    this->shape_[srcdim - 2] = out_height;
    this->shape_[srcdim - 1] = out_width;
  }
};

namespace adl {

/// out[..][y][x] = src at the point (sy, sx), linear between its four pixels, where
/// sy = (H / out_height - 1) / 2 + y H / out_height, likewise sx: the grids of both images have the
/// same outline, and pixels are their cells' centres. Positions are exact fractions. Outside of the
/// image lies the edge pixel, or pad_value. src (.., H, W) -> (.., out_height, out_width); integers
/// are rounded towards 0. Throws Error where an image has no pixel, or an extent exceeds 2^31 - 1.
template <typename SrcExp, typename DType, int etype>
inline ResizeExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> resize(
    const Exp<SrcExp, DType, etype>& src, index_t out_height, index_t out_width,
    int pad_mode = resize_pad::kEdge, DType pad_value = DType(0)) {
  return ResizeExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), out_height, out_width, false,
                                                         pad_mode, pad_value);
}
/// The same with a kernel: resize_kernel::kNearest, kBilinear, kBicubic, or a struct of your own.
/// With align_corners the outer pixels' centres meet instead of the outlines:
/// sy = y (H - 1) / (out_height - 1), and 0 where out_height is 1. Where a cubic overshoots the
/// range of an integer type it is cut off.
template <typename Kernel, typename SrcExp, typename DType, int etype,
          typename = std::enable_if_t<(Kernel::kTaps > 0)>>
inline ResizeExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, Kernel> resize(
    const Exp<SrcExp, DType, etype>& src, index_t out_height, index_t out_width, Kernel,
    bool align_corners = false, int pad_mode = resize_pad::kEdge, DType pad_value = DType(0)) {
  static_assert(Kernel::kTaps == 1 || Kernel::kTaps % 2 == 0,
                "mshadow: a kernel of resize reads 1 pixel in a row, or an even number");
  return ResizeExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, Kernel>(
      src.self(), out_height, out_width, align_corners, pad_mode, pad_value);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, resize)

}  // namespace adl

template <typename SrcExp, typename DType, int srcdim, typename Kernel>
class Plan<ResizeExp<SrcExp, DType, srcdim, Kernel>, DType> {
  using Src = detail::InMemoryPlan<SrcExp, DType>;
  using Rows = detail::ResizedRows<Kernel, Src, DType>;
  using Axis = typename Rows::Axis;

 public:
  static constexpr int kCost = 8 * Kernel::kTaps + Kernel::kTaps * kCostOf<Src>;
  MSHADOW_XINLINE const Src& source() const { return rows_.src_; }
  explicit Plan(const ResizeExp<SrcExp, DType, srcdim, Kernel>& e)
      : rows_{MakePlanOf<Src>(e.src_),
              FastDivmod(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
              Axis(e.src_height_, e.shape_[srcdim - 2], e.align_corners_),
              Axis(e.src_width_, e.shape_[srcdim - 1], e.align_corners_),
              e.pad_mode_ == resize_pad::kEdge,
              static_cast<typename Rows::Real>(e.pad_value_)} {}

  MSHADOW_XINLINE typename Rows::Cursor Row(std::ptrdiff_t y) const { return rows_.Row(y); }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::kInMemory<Src>) {
      using Kernels = detail::ResizeKernel<Kernel, DType>;
      const typename Kernels::Rows rows{detail::MemoryRowsOf<DType>(rows_.src_),
                                        rows_.height_,
                                        rows_.y_,
                                        rows_.x_,
                                        rows_.edge_,
                                        rows_.pad_};
      simd::Dispatch(Kernels{rows, to, stride, y, end_y - y, x, end});
    } else {
      detail::FillOneByOne(*this, to, stride, y, end_y, x, end);
    }
  }

 private:
  Rows rows_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_RESIZE_H_
