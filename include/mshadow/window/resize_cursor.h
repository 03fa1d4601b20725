// SPDX-License-Identifier: Apache-2.0
// ResizeCursor: rows of what resize makes, of the pixels around each point.
#ifndef MSHADOW_WINDOW_RESIZE_CURSOR_H_
#define MSHADOW_WINDOW_RESIZE_CURSOR_H_

#include <cstdint>
#include <type_traits>

#include "../core/fast_divmod.h"
#include "../expr/cursor/buffer_cursor.h"
#include "../expr/plan.h"
#include "../expr/short_row.h"
#include "../op/reducer.h"
#include "../simd/gather.h"
#include "window.h"

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

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_RESIZE_CURSOR_H_
