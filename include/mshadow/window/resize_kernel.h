// SPDX-License-Identifier: Apache-2.0
// ResizeKernel: what resize makes, of the pixels around each point. One function for each way to
// blend and element type, whatever the statement.
#ifndef MSHADOW_WINDOW_RESIZE_KERNEL_H_
#define MSHADOW_WINDOW_RESIZE_KERNEL_H_

#include <cstdint>
#include <type_traits>

#include "../core/fast_divmod.h"
#include "../expr/plan/plan.h"
#include "../expr/plan/short_row.h"
#include "../op/reducer.h"
#include "../simd/gather.h"
#include "memory_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
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

/// What resize makes of the rows of Src: kTaps rows are blended into one, then its columns. Real is
/// what pixels are computed in; one that is copied alone may stay a DType.
template <typename Kernel, typename Src, typename DType>
struct ResizedRows {
  static constexpr int kTaps = Kernel::kTaps;
  static constexpr int kBefore = (kTaps - 1) / 2;  // taps before Base
  // float holds the pixels of these types exactly; double does not hold integers of 64 bits.
  using Real = std::conditional_t<(sizeof(DType) <= 2 || std::is_same_v<DType, float>), float,
                                  std::conditional_t<kTaps == 1, DType, double>>;
  using Axis = ResizeAxis<kTaps == 1>;
  using Part = std::conditional_t<std::is_same_v<Real, float>, float, double>;

  Src src_;
  FastDivmod height_;
  Axis y_, x_;
  bool edge_;
  Real pad_;

  struct Cursor {
    const ResizedRows& all_;
    std::ptrdiff_t row_[kTaps];  // of the source
    bool inside_[kTaps];
    Part part_y_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const Axis& axis = all_.x_;
      const DivModResult at = axis.At(x);
      Real pixel[kTaps];
      for (int j = 0; j < kTaps; ++j) {
        const std::ptrdiff_t c = at.quot + j - kBefore;
        Real column[kTaps];
        for (int i = 0; i < kTaps; ++i) {
          column[i] = inside_[i] && (all_.edge_ || c == axis.Clamp(c))
                          ? static_cast<Real>(RowOf(all_.src_, row_[i]).Eval(axis.Clamp(c)))
                          : all_.pad_;
        }
        pixel[j] = Blend(part_y_, column);
      }
      return Round(Blend(axis.template Part<Part>(at.rem), pixel));
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t image = FloorDiv(y, height_);
    const DivModResult at = y_.At(y - image * height_);
    const std::ptrdiff_t first = at.quot - kBefore;
    Cursor row{*this, {}, {}, y_.template Part<Part>(at.rem)};
    for (int k = 0; k < kTaps; ++k) {
      const std::ptrdiff_t v = y_.Clamp(first + k);
      row.row_[k] = image * y_.size + v;
      row.inside_[k] = edge_ || v == first + k;
    }
    return row;
  }
  /// A pixel that is copied alone takes no part in arithmetic.
  MSHADOW_XINLINE static Real Blend(Part part, const Real (&pixel)[kTaps]) {
    if constexpr (kTaps == 1) {
      return pixel[0];
    } else {
      return Kernel::Blend(part, pixel);
    }
  }
  MSHADOW_XINLINE static DType Round(Real value) {
    if constexpr (std::is_integral_v<DType> && kTaps > 2) {
      constexpr DType kLowest = red::limits::Constants<DType>::kMin;
      constexpr DType kLargest = red::limits::Constants<DType>::kMax;
      return value <= static_cast<Real>(kLowest)    ? kLowest
             : value >= static_cast<Real>(kLargest) ? kLargest
                                                    : static_cast<DType>(value);
    } else {
      return static_cast<DType>(value);
    }
  }
};

/// Elements [x, end) of `count` rows from row y on, of images in memory.
template <typename Kernel, typename DType>
struct ResizeKernel {
  using Rows = ResizedRows<Kernel, StridedRows<DType>, DType>;
  using Row = typename Rows::Cursor;
  using Real = typename Rows::Real;
  using Part = typename Rows::Part;
  using Axis = typename Rows::Axis;
  static constexpr int kTaps = Rows::kTaps, kBefore = Rows::kBefore;
  static constexpr std::ptrdiff_t kMax = 512;

  const Rows& all;
  DType* to;
  std::ptrdiff_t stride, y, count, x, end;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    const Axis& axis = all.x_;
    // Where most pixels of the source are skipped, blending all of them does not pay.
    std::ptrdiff_t most = axis.step > kMax / 32 * axis.unit ? 0 : kMax;
    if (most > 0 && most * axis.step > (kMax - kTaps - 4) * axis.unit) {
      most = FloorDiv((kMax - kTaps - 4) * axis.unit, axis.step);
    }
    if (most == 0) return FillOneByOne(all, to, stride, y, y + count, x, end);
    for (std::ptrdiff_t i = x, n; i < end; i += n) {
      n = end - i < most ? end - i : most;
      Columns columns;
      columns.Find(axis, i, n);
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        Write(all.Row(y + k), columns, n, to + (i - x) + k * stride);
      }
    }
  }

 private:
  /// Where some columns come from: column i blends those from left + index[i] on, `part` of the way
  /// between them; all are in [left, right). The same for all rows.
  struct Columns {
    static constexpr std::ptrdiff_t kStep = 16;
    std::ptrdiff_t left, right;
    int32_t index[kMax];
    Part part[kMax];
    /// Columns [first, first + n), and to whole vectors the last one again.
    MSHADOW_FORCE_INLINE void Find(const Axis& axis, std::ptrdiff_t first, std::ptrdiff_t n) {
      const DivModResult at = axis.At(first);
      left = at.quot - kBefore;
      right = axis.At(first + n - 1).quot + kTaps - kBefore;
      // float holds integers below 2^24.
      if (std::is_same_v<Part, float> && kMax * axis.unit < (1 << 24)) {
        FindBy<float>(axis, at.rem, n);
      } else {
        FindBy<double>(axis, at.rem, n);
      }
    }
    MSHADOW_FORCE_INLINE static std::ptrdiff_t RoundUp(std::ptrdiff_t n) {
      return (n + kStep - 1) / kStep * kStep;
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
      const int32_t number = static_cast<int32_t>(RoundUp(n));
      MSHADOW_IVDEP
      for (int32_t i = 0; i < number; ++i) {
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

  MSHADOW_FORCE_INLINE void Write(const Row& row, const Columns& columns, std::ptrdiff_t n,
                                  DType* out) const {
    // The nearest pixel is one of the image. (Gathers of float read beyond it, and have a buffer.)
    if constexpr (kTaps == 1 && !std::is_same_v<Real, float>) {
      const DType* const from = all.src_.Row(row.row_[0]).Pointer(columns.left);
      return ForEachInShortRow(n, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        out[i] = from[columns.index[i]];
      });
    }
    Real blend[kMax + 32], pixels[kTaps][kMax];
    BlendRows(row, columns.left, columns.right, blend);
    for (int j = 0; j < kTaps; ++j) {
      simd::GatherAscending(pixels[j], blend + j, columns.index, Columns::RoundUp(n));
    }
    ForEachInShortRow(n, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      Real pixel[kTaps];
      for (int j = 0; j < kTaps; ++j) pixel[j] = pixels[j][i];
      out[i] = Rows::Round(Rows::Blend(columns.part[i], pixel));
    });
  }
  /// blend[c - left] = the blend of the rows in column c, for c in [left, right).
  MSHADOW_FORCE_INLINE void BlendRows(const Row& row, std::ptrdiff_t left, std::ptrdiff_t right,
                                      Real* blend) const {
    const std::ptrdiff_t begin = left < 0 ? 0 : left;
    const std::ptrdiff_t stop = right < all.x_.size ? right : all.x_.size;
    DType pads[kMax];
    const DType* from[kTaps];
    bool padded = false;
    for (int k = 0; k < kTaps; ++k) {
      from[k] = row.inside_[k] ? all.src_.Row(row.row_[k]).Pointer(begin) : pads;
      padded = padded || !row.inside_[k];
    }
    if (padded) FillShortRow(static_cast<DType>(all.pad_), stop - begin, pads);
    Real* const out = blend + (begin - left);
    ForEachInShortRow(stop - begin, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      Real pixel[kTaps];
      for (int k = 0; k < kTaps; ++k) pixel[k] = static_cast<Real>(from[k][i]);
      out[i] = Rows::Blend(row.part_y_, pixel);
    });
    const Real before = all.edge_ ? out[0] : all.pad_;
    const Real behind = all.edge_ ? out[stop - begin - 1] : all.pad_;
    for (std::ptrdiff_t c = left; c < begin; ++c) blend[c - left] = before;
    for (std::ptrdiff_t c = stop; c < right; ++c) blend[c - left] = behind;
  }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_RESIZE_KERNEL_H_
