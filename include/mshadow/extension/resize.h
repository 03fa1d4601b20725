// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_RESIZE_H_
#define MSHADOW_EXTENSION_RESIZE_H_

#include <cstdint>
#include <type_traits>

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/buffer_cursor.h"
#include "../expr/make_tensor.h"
#include "../expr/short_row.h"
#include "../simd/gather.h"
#include "../window/window.h"

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

namespace detail {

/// A coordinate i of the result in the source: pixel base, and rest / unit of the way to the next;
/// base is the nearest pixel if kNearest. A float could not tell the pixels of long rows apart, so
/// the numbers are integers: base + kBefore = (first + i step) / unit, rounded down, where kBefore
/// keeps the dividend from being negative. Extents below 2^31 keep it below 2^63.
template <bool kNearest>
struct ResizeAxis {
  static constexpr std::ptrdiff_t kBefore = kNearest ? 0 : 1;
  std::ptrdiff_t first, step;
  FastDivmod unit;
  std::ptrdiff_t size;
  ResizeAxis(index_t src, index_t out, bool align_corners)
      : size(static_cast<std::ptrdiff_t>(src)) {
    // i from / to: the distance of two pixels of the result, in lowest terms.
    std::ptrdiff_t from = size, to = static_cast<std::ptrdiff_t>(out);
    if (align_corners) {
      from = to > 1 ? from - 1 : 0;
      to = to > 1 ? to - 1 : 1;
    }
    const std::ptrdiff_t common = Gcd(from, to);
    from /= common;
    to /= common;
    step = 2 * from;
    unit = FastDivmod(2 * to);
    first = (align_corners ? to : from) + (kNearest ? 0 : to);
  }
  MSHADOW_XINLINE DivModResult At(std::ptrdiff_t i) const {
    const DivModResult at = DivMod(first + i * step, unit);
    return DivModResult{at.quot - kBefore, at.rem};
  }
  /// The part of the way that a rest is: at most 1.
  template <typename Real>
  MSHADOW_XINLINE Real Part(std::ptrdiff_t rest) const {
    return static_cast<Real>(rest) / static_cast<Real>(std::ptrdiff_t(unit));
  }
  MSHADOW_XINLINE std::ptrdiff_t Clamp(std::ptrdiff_t i) const {
    return i < 0 ? 0 : i < size ? i : size - 1;
  }
};

/// A row of the result: kTaps rows of the source are blended into one, then its columns. Real is
/// what pixels are computed in; one that is copied alone may stay a DType.
template <typename Kernel, typename Src, typename DType, typename Real>
struct ResizeCursor {
  static constexpr int kTaps = Kernel::kTaps;
  static constexpr int kBefore = (kTaps - 1) / 2;  // taps before Base
  using Buffer = BufferCursor<DType, DType>;
  using Axis = ResizeAxis<kTaps == 1>;
  using Part = std::conditional_t<std::is_same_v<Real, float>, float, double>;

  FixedArray<RowCursor<Src>, kTaps> rows_;
  bool inside_[kTaps];
  Part part_y_;
  Axis x_;
  bool edge_;
  Real pad_;

  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    const DivModResult at = x_.At(x);
    Real pixel[kTaps];
    for (int j = 0; j < kTaps; ++j) {
      const std::ptrdiff_t c = at.quot + j - kBefore;
      Real column[kTaps];
      for (int i = 0; i < kTaps; ++i) {
        column[i] = inside_[i] && (edge_ || c == x_.Clamp(c))
                        ? static_cast<Real>(rows_.item[i].Eval(x_.Clamp(c)))
                        : pad_;
      }
      pixel[j] = Blend(part_y_, column);
    }
    return Round(Blend(x_.template Part<Part>(at.rem), pixel));
  }
  /// Row k < rows, row_of(k), goes to to + k stride. Where columns come from is the same for all.
  template <typename F>
  MSHADOW_FORCE_INLINE static void FillRows(const F& row_of, const Axis& axis, std::ptrdiff_t rows,
                                            DType* to, std::ptrdiff_t stride, std::ptrdiff_t x,
                                            std::ptrdiff_t end) {
    // Where most pixels of the source are skipped, blending all of them does not pay.
    std::ptrdiff_t most = axis.step > kMax / 32 * axis.unit ? 0 : kMax;
    if (most > 0 && most * axis.step > (kMax - kTaps - 4) * axis.unit) {
      most = FloorDiv((kMax - kTaps - 4) * axis.unit, axis.step);
    }
    if (most == 0) {
      for (std::ptrdiff_t k = 0; k < rows; ++k) {
        const ResizeCursor row = row_of(k);
        for (std::ptrdiff_t i = x; i < end; ++i) to[k * stride + (i - x)] = row.Eval(i);
      }
      return;
    }
    for (std::ptrdiff_t n; x < end; x += n, to += n) {
      n = end - x < most ? end - x : most;
      Columns columns;
      columns.Find(axis, x, n);
      for (std::ptrdiff_t k = 0; k < rows; ++k) {
        row_of(k).WriteColumns(columns, n, to + k * stride);
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t kMax = 512;

  /// Where some columns come from: column i blends those from left + index[i] on, `part` of the way
  /// between them; all are in [left, right).
  struct Columns {
    std::ptrdiff_t left, right;
    int32_t index[kMax];
    Part part[kMax];
    /// Columns [x, x + n), and to whole vectors the last one again.
    MSHADOW_FORCE_INLINE void Find(const Axis& axis, std::ptrdiff_t x, std::ptrdiff_t n) {
      const DivModResult at = axis.At(x);
      left = at.quot - kBefore;
      right = axis.At(x + n - 1).quot + kTaps - kBefore;
      // float holds integers below 2^24.
      if (std::is_same_v<Part, float> && kMax * axis.unit < (1 << 24)) {
        FindBy<float>(axis, at.rem, n);
      } else {
        FindBy<double>(axis, at.rem, n);
      }
    }

   private:
    /// Column i lies rest + i step units behind the first one's pixel. T holds these numbers and
    /// multiples of the unit exactly. The quotient may be off by one, and the rest shows it.
    template <typename T>
    MSHADOW_FORCE_INLINE void FindBy(const Axis& axis, std::ptrdiff_t rest, std::ptrdiff_t n) {
      const DivModResult step = DivMod(axis.step, axis.unit);
      const T begin = static_cast<T>(rest), by = static_cast<T>(step.rem);
      const T unit = static_cast<T>(std::ptrdiff_t(axis.unit)), inverse = 1 / unit;
      const int32_t whole = static_cast<int32_t>(step.quot);
      const int32_t last = static_cast<int32_t>(n - 1);
      const int32_t count = static_cast<int32_t>(Buffer::RoundUp(n));
      MSHADOW_IVDEP
      for (int32_t i = 0; i < count; ++i) {
        const int32_t column = i < last ? i : last;
        const T at = begin + static_cast<T>(column) * by;
        const T quotient = static_cast<T>(static_cast<int32_t>(at * inverse));
        const T over = at - quotient * unit;
        const T more = over < 0 ? T(-1) : over < unit ? T(0) : T(1);
        part[i] = static_cast<Part>((over - more * unit) / unit);
        index[i] = column * whole + static_cast<int32_t>(quotient + more);
      }
    }
  };
  /// A pixel that is copied alone takes no part in arithmetic.
  MSHADOW_XINLINE static Real Blend(Part part, const Real (&pixel)[kTaps]) {
    if constexpr (kTaps == 1) {
      return pixel[0];
    } else {
      return Kernel::Blend(part, pixel);
    }
  }

  MSHADOW_FORCE_INLINE void WriteColumns(const Columns& columns, std::ptrdiff_t n,
                                         DType* to) const {
    // The nearest pixel is one of the image. (Gathers of float read beyond it, and have a buffer.)
    if constexpr (kTaps == 1 && !std::is_same_v<Real, float> &&
                  HasPointer<RowCursor<Src>>::value) {
      const auto* const from = rows_.item[0].Pointer(columns.left);
      return ForEachInShortRow(n, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        to[i] = static_cast<DType>(from[columns.index[i]]);
      });
    }
    Real blend[kMax + 32], pixels[kTaps][kMax];
    BlendRows(columns.left, columns.right, blend);
    const std::ptrdiff_t whole = Buffer::RoundUp(n);
    for (int j = 0; j < kTaps; ++j) {
      simd::GatherAscending(pixels[j], blend + j, columns.index, whole);
    }
    ForEachInShortRow(n, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      Real pixel[kTaps];
      for (int j = 0; j < kTaps; ++j) pixel[j] = pixels[j][i];
      to[i] = Round(Blend(columns.part[i], pixel));
    });
  }
  /// blend[c - left] = the blend of the rows in column c, for c in [left, right).
  MSHADOW_FORCE_INLINE void BlendRows(std::ptrdiff_t left, std::ptrdiff_t right,
                                      Real* blend) const {
    const std::ptrdiff_t begin = left < 0 ? 0 : left;
    const std::ptrdiff_t end = right < x_.size ? right : x_.size;
    DType memory[kTaps][kMax];
    const DType* row[kTaps];
    for (int k = 0; k < kTaps; ++k) {
      row[k] = memory[k];
      if constexpr (HasPointer<RowCursor<Src>>::value) {
        if (inside_[k]) row[k] = rows_.item[k].Pointer(begin);
      }
      if (row[k] != memory[k]) continue;
      if (inside_[k]) {
        ForEachRun(rows_.item[k], begin, end,
                   [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop)
                       MSHADOW_INLINE_LAMBDA {
                         MSHADOW_IVDEP
                         for (; x < stop; ++x) memory[k][x - begin] = run.Eval(x);
                       });
      } else {
        for (std::ptrdiff_t i = 0; i < end - begin; ++i) memory[k][i] = static_cast<DType>(pad_);
      }
    }
    Real* const to = blend + (begin - left);
    ForEachInShortRow(end - begin, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      Real pixel[kTaps];
      for (int k = 0; k < kTaps; ++k) pixel[k] = static_cast<Real>(row[k][i]);
      to[i] = Blend(part_y_, pixel);
    });
    const Real before = edge_ ? to[0] : pad_, behind = edge_ ? to[end - begin - 1] : pad_;
    for (std::ptrdiff_t c = left; c < begin; ++c) blend[c - left] = before;
    for (std::ptrdiff_t c = end; c < right; ++c) blend[c - left] = behind;
  }
  MSHADOW_XINLINE static DType Round(Real value) {
    if constexpr (std::is_integral_v<DType> && kTaps > 2) {
      constexpr DType kMin = red::limits::Constants<DType>::kMin;
      constexpr DType kMax = red::limits::Constants<DType>::kMax;
      return value <= static_cast<Real>(kMin)   ? kMin
             : value >= static_cast<Real>(kMax) ? kMax
                                                : static_cast<DType>(value);
    } else {
      return static_cast<DType>(value);
    }
  }
};

}  // namespace detail

template <typename SrcExp, typename DType, int srcdim, typename Kernel>
class Plan<ResizeExp<SrcExp, DType, srcdim, Kernel>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  // float holds the pixels of these types exactly; double does not hold integers of 64 bits.
  using Real =
      std::conditional_t<(sizeof(DType) <= 2 || std::is_same_v<DType, float>), float,
                         std::conditional_t<Kernel::kTaps == 1, DType, double>>;
  using Cursor = detail::ResizeCursor<Kernel, Src, DType, Real>;
  using Axis = typename Cursor::Axis;

 public:
  static constexpr int kCost = 8 * Kernel::kTaps + Kernel::kTaps * kCostOf<Src>;
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const ResizeExp<SrcExp, DType, srcdim, Kernel>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(e.src_height_, e.shape_[srcdim - 2], e.align_corners_),
        x_(e.src_width_, e.shape_[srcdim - 1], e.align_corners_),
        edge_(e.pad_mode_ == resize_pad::kEdge),
        pad_(static_cast<Real>(e.pad_value_)) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t image = FloorDiv(y, height_);
    const DivModResult at = y_.At(y - image * height_);
    const std::ptrdiff_t first = at.quot - Cursor::kBefore;
    Cursor row{detail::MakeFixedArray<Kernel::kTaps>([&](int k) MSHADOW_INLINE_LAMBDA {
                 return RowOf(src_, image * y_.size + y_.Clamp(first + k));
               }),
               {},
               y_.template Part<typename Cursor::Part>(at.rem),
               x_,
               edge_,
               pad_};
    for (int k = 0; k < Kernel::kTaps; ++k) {
      row.inside_[k] = edge_ || y_.Clamp(first + k) == first + k;
    }
    return row;
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const auto row = [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA { return Row(y + k); };
    Cursor::FillRows(row, x_, end_y - y, to, stride, x, end);
  }

 private:
  Src src_;
  FastDivmod height_;
  Axis y_, x_;
  bool edge_;
  Real pad_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_RESIZE_H_
