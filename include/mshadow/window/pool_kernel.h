// SPDX-License-Identifier: Apache-2.0
// WritePooledRows: pooling of rows that lie in memory. One function for each reduction and element
// type, whatever the statement.
#ifndef MSHADOW_WINDOW_POOL_KERNEL_H_
#define MSHADOW_WINDOW_POOL_KERNEL_H_

#include <cstddef>

#include "../core/config.h"
#include "../core/fast_divmod.h"
#include "../expr/plan/row_lanes.h"
#include "../expr/plan/short_row.h"
#include "../op/long_sum.h"
#include "../simd/isa.h"
#include "axis.h"
#include "memory_rows.h"
#include "window_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Windows that may be reduced in any order: first their rows to one line of columns, then the
/// columns of that line. Several lines at a time: a load that overlaps recent stores waits for
/// them.
template <typename Window, typename DType>
struct PoolKernel {
  using Value = typename Window::Value;
  RowsOfWindows<DType> all;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const RowsOfWindows<DType>* all) {
    PoolKernel{*all}.WriteAll();
  }

 private:
  MSHADOW_FORCE_INLINE void WriteAll() const {
    const WindowAxis& axis = all.axis;
    const std::ptrdiff_t height = all.planes * all.window_rows;
    if (axis.few || axis.ksize > kMax / 2 || height > red::kSumBlock || height < 1) {
      return WriteEach();
    }
    // The commonest windows, 1.5 to 3 times as fast as by Write.
    if (axis.ksize == all.window_rows && all.planes == 1 && axis.all_whole &&
        all.end - all.x >= kLeast) {
      if (axis.ksize == 2 && axis.stride == 2) return WriteSquares<2, 2>();
      if (axis.ksize == 2 && axis.stride == 1) return WriteSquares<2, 1>();
      if (axis.ksize == 3 && axis.stride == 2) return WriteThrees();
      if (axis.ksize == 3 && axis.stride == 1) return WriteSquares<3, 1>();
    }
    const std::ptrdiff_t most = FloorDiv(kMax - axis.ksize, axis.stride) + 1;
    for (std::ptrdiff_t x = all.x, n; x < all.end; x += n) {
      n = all.end - x < most ? all.end - x : most;
      Write(x, n, height, all.to + (x - all.x));
    }
  }
  static constexpr std::ptrdiff_t kMax = 512;  // columns at a time
  static constexpr std::ptrdiff_t kLines = 4, kLanes = 8, kLeast = 4;

  /// Calls f(i) for i < n, and up to kLanes where n is less; for some of them twice.
  template <std::ptrdiff_t lanes = kLanes, typename F>
  MSHADOW_FORCE_INLINE static void InVectors(std::ptrdiff_t n, const F& f) {
    ForEachVectorOf<lanes>(n < lanes ? lanes : n,
                           [&f](std::ptrdiff_t begin, auto) MSHADOW_INLINE_LAMBDA {
                             MSHADOW_SIMD_LOOP
                             for (int k = 0; k < lanes; ++k) f(begin + k);
                           });
  }

  /// Windows of k by k cells, s columns apart, which have all their cells: what Write makes of
  /// them, bit by bit, in one pass.
  template <int k, int s>
  MSHADOW_FORCE_INLINE void WriteSquares() const {
    const Value part = Window::Part(k * k);
    const std::ptrdiff_t n = all.end - all.x, pitch = all.src.stride_;
    const DType* top = all.src.Row(all.first).Pointer(s * all.x - all.axis.pad);
    DType* to = all.to;
    for (std::ptrdiff_t r = 0; r < all.rows; ++r, to += all.stride, top += all.step * pitch) {
      const DType* const a = top;
      const DType* const b = a + pitch;
      const DType* const c = a + (k - 1) * pitch;
      const auto window = [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        const auto column = [=](std::ptrdiff_t j) MSHADOW_INLINE_LAMBDA {
          const Value first = static_cast<Value>(a[j]), second = static_cast<Value>(b[j]);
          if constexpr (k == 2) return Window::Combine(first, second);
          return Window::Combine(first, second, static_cast<Value>(c[j]));
        };
        Value value = Window::Combine(column(s * i), column(s * i + 1));
        if constexpr (k == 3) value = Window::Combine(value, column(s * i + 2));
        to[i] = Window::Result(value, part);
      };
      n < kLanes ? InVectors<kLeast>(n, window) : InVectors(n, window);
    }
  }

  /// Windows of 3 by 3 cells, 2 columns apart, as by WriteSquares. Their last columns are those of
  /// other vectors: pairs of columns go to lines first.
  MSHADOW_FORCE_INLINE void WriteThrees() const {
    constexpr std::ptrdiff_t kMost = kMax / 2;
    Value even[kLines][kMost + 1], sum[kLines][kMost];
    const Value part = Window::Part(9);
    const std::ptrdiff_t pitch = all.src.stride_;
    for (std::ptrdiff_t x = all.x, n; x < all.end; x += n) {
      n = PartInVectors(all.end - x, kMost);
      const auto in_vectors = [n](const auto& f) MSHADOW_INLINE_LAMBDA {
        n < kLanes ? InVectors<kLeast>(n, f) : InVectors(n, f);
      };
      const DType* top = all.src.Row(all.first).Pointer(2 * x - all.axis.pad);
      DType* to = all.to + (x - all.x);
      for (std::ptrdiff_t k = 0; k < all.rows; k += kLines) {
        const std::ptrdiff_t lines = all.rows - k < kLines ? all.rows - k : kLines;
        for (std::ptrdiff_t r = 0; r < lines; ++r, top += all.step * pitch) {
          const DType* const a = top;
          const DType* const b = a + pitch;
          const DType* const c = b + pitch;
          const auto column = [=](std::ptrdiff_t j) MSHADOW_INLINE_LAMBDA {
            return Window::Combine(static_cast<Value>(a[j]), static_cast<Value>(b[j]),
                                   static_cast<Value>(c[j]));
          };
          Value* const even_of = even[r];
          Value* const sum_of = sum[r];
          in_vectors([=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            even_of[i] = column(2 * i);
            sum_of[i] = Window::Combine(even_of[i], column(2 * i + 1));
          });
          even_of[n] = column(2 * n);
        }
        for (std::ptrdiff_t r = 0; r < lines; ++r, to += all.stride) {
          const Value* const next = even[r] + 1;
          const Value* const pair = sum[r];
          DType* const out = to;
          in_vectors([=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            out[i] = Window::Result(Window::Combine(pair[i], next[i]), part);
          });
        }
      }
    }
  }

  /// Windows [x, x + n) of all rows, of `height` rows of cells each.
  MSHADOW_FORCE_INLINE void Write(std::ptrdiff_t x, std::ptrdiff_t n, std::ptrdiff_t height,
                                  DType* to) const {
    const WindowAxis& axis = all.axis;
    const std::ptrdiff_t stride = axis.stride, ksize = axis.ksize;
    const std::ptrdiff_t left = x * stride - axis.pad, right = left + (n - 1) * stride + ksize;
    const std::ptrdiff_t begin = left < 0 ? 0 : left, end = right < axis.size ? right : axis.size;
    Value line[kLines][kMax + 2 * kLanes], sum[kLines][kMax / 2 + kLanes];
    Value even[kLines][kMax / 2 + kLanes], buffer[2][kMax + kLanes];
    // Columns beyond the image change nothing.
    for (std::ptrdiff_t r = 0; r < kLines; ++r) {
      for (std::ptrdiff_t c = left; c < begin; ++c) line[r][c - left] = Window::Initial();
      for (std::ptrdiff_t c = end; c < right; ++c) line[r][c - left] = Window::Initial();
    }
    Value parts[Window::kCounts ? kMax + kLanes : 1] = {Window::Part(0)};
    if constexpr (Window::kCounts) {
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        parts[i] = Window::Part(height * (axis.End(x + i) - axis.Begin(x + i)));
      }
      for (std::ptrdiff_t i = n; i < kLanes; ++i) parts[i] = parts[0];
    }
    const bool in_pairs = stride == 2 && ksize > 1;
    // What is reduced to a window: so many neighbours, and one even column behind the pairs.
    const std::ptrdiff_t count = stride == 1 ? ksize : in_pairs ? ksize / 2 : 1;
    const std::ptrdiff_t columns = count + (in_pairs && ksize % 2 == 1);
    for (std::ptrdiff_t k = 0; k < all.rows; k += kLines) {
      const std::ptrdiff_t lines = all.rows - k < kLines ? all.rows - k : kLines;
      for (std::ptrdiff_t r = 0; r < lines; ++r) {
        ReduceRows(all.first + (k + r) * all.step, begin, end - begin, height,
                   line[r] + (begin - left));
      }
      for (std::ptrdiff_t r = 0; r < lines && stride > 1; ++r) {
        const Value* const from = line[r];
        if (in_pairs) {
          Value* const even_of = even[r];
          Value* const sum_of = sum[r];
          InVectors((right - left + 1) / 2, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            even_of[i] = from[2 * i];
            sum_of[i] = Window::Combine(from[2 * i], from[2 * i + 1]);
          });
        } else {
          for (std::ptrdiff_t i = 0; i < n; ++i) {
            Value value = from[i * stride];
            for (std::ptrdiff_t j = 1; j < ksize; ++j) {
              value = Window::Combine(value, from[i * stride + j]);
            }
            sum[r][i] = value;
          }
        }
      }
      for (std::ptrdiff_t r = 0; r < lines; ++r, to += all.stride) {
        const auto column = [&](std::ptrdiff_t j) MSHADOW_INLINE_LAMBDA {
          return j >= count ? even[r] + count : (stride == 1 ? line[r] : sum[r]) + j;
        };
        const Value* first = column(0);
        std::ptrdiff_t j = 1;
        for (; columns - j > 2; j += 2) {
          const Value* const a = first;
          const Value* const b = column(j);
          const Value* const c = column(j + 1);
          Value* const more = buffer[j / 2 % 2];
          InVectors(n, [=](std::ptrdiff_t i)
                           MSHADOW_INLINE_LAMBDA { more[i] = Window::Combine(a[i], b[i], c[i]); });
          first = more;
        }
        DType few[kLanes];
        DType* const out = n < kLanes ? few : to;
        const Value* const a = first;
        const Value* const part = parts;
        const auto result = [=](std::ptrdiff_t i, Value value) MSHADOW_INLINE_LAMBDA {
          out[i] = Window::Result(value, part[Window::kCounts ? i : 0]);
        };
        if (j == columns) {
          InVectors(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA { result(i, a[i]); });
        } else if (j + 1 == columns) {
          const Value* const b = column(j);
          InVectors(n, [=](std::ptrdiff_t i)
                           MSHADOW_INLINE_LAMBDA { result(i, Window::Combine(a[i], b[i])); });
        } else {
          const Value* const b = column(j);
          const Value* const c = column(j + 1);
          InVectors(n, [=](std::ptrdiff_t i)
                           MSHADOW_INLINE_LAMBDA { result(i, Window::Combine(a[i], b[i], c[i])); });
        }
        for (std::ptrdiff_t i = 0; n < kLanes && i < n; ++i) to[i] = few[i];
      }
    }
  }
  /// line[i] = what `height` rows from row y on are reduced to in column x + i, for i < n.
  MSHADOW_FORCE_INLINE void ReduceRows(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n,
                                       std::ptrdiff_t height, Value* line) const {
    const DType* row[3] = {};
    std::ptrdiff_t in_plane = 0;
    const auto take = [&](std::ptrdiff_t rows) MSHADOW_INLINE_LAMBDA {
      for (std::ptrdiff_t i = 0; i < rows; ++i) {
        row[i] = all.src.Row(y++).Pointer(x);
        if (++in_plane == all.window_rows) {
          in_plane = 0;
          y += all.plane_step - all.window_rows;
        }
      }
    };
    std::ptrdiff_t done = height == 1 || height == 2 ? height : 2 + height % 2;
    take(done);
    Value buffer[kMax];
    Value* to = (height - done) / 2 % 2 == 0 ? line : buffer;
    const DType* const a = row[0];
    const DType* const b = row[1];
    const DType* const c = row[2];
    const auto each = [n](const auto& f) MSHADOW_INLINE_LAMBDA {
      if (n >= kLanes) return InVectors(n, f);
      MSHADOW_NO_UNROLL
      for (std::ptrdiff_t i = 0; i < kLanes; ++i) {  // of two ends, so it stays this short
        if (i == n) break;
        f(i);
      }
    };
    if (done == 1) {
      each([=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA { to[i] = static_cast<Value>(a[i]); });
    } else if (done == 2) {
      each([=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        to[i] = Window::Combine(static_cast<Value>(a[i]), static_cast<Value>(b[i]));
      });
    } else {
      each([=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        to[i] = Window::Combine(static_cast<Value>(a[i]), static_cast<Value>(b[i]),
                                static_cast<Value>(c[i]));
      });
    }
    for (; done < height; done += 2) {
      take(2);
      const DType* const d = row[0];
      const DType* const e = row[1];
      const Value* const from = to;
      Value* const next = to == line ? buffer : line;
      each([=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        next[i] = Window::Combine(from[i], static_cast<Value>(d[i]), static_cast<Value>(e[i]));
      });
      to = next;
    }
  }

  /// All windows, each by itself. Long sums outgrow what is added to them: a total is wider.
  MSHADOW_FORCE_INLINE void WriteEach() const {
    using Total = typename Window::Total;
    constexpr std::ptrdiff_t kBlock = 4096;
    for (std::ptrdiff_t k = 0; k < all.rows; ++k) {
      for (std::ptrdiff_t x = all.x; x < all.end; ++x) {
        const std::ptrdiff_t left = all.axis.Begin(x), n = all.axis.End(x) - left;
        // Whole rows of the source are one piece.
        const std::ptrdiff_t joined = n == all.src.stride_ ? all.window_rows : 1;
        Total total = static_cast<Total>(Window::Initial());
        for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
          const std::ptrdiff_t top = all.first + k * all.step + plane * all.plane_step;
          for (std::ptrdiff_t i = 0; i < all.window_rows; i += joined) {
            const DType* const row = all.src.Row(top + i).Pointer(left);
            for (std::ptrdiff_t c = 0; c < joined * n; c += kBlock) {
              const std::ptrdiff_t rest = joined * n - c;
              total = Window::AddTo(total, Piece(row + c, rest < kBlock ? rest : kBlock));
            }
          }
        }
        const std::ptrdiff_t cells = all.planes * all.window_rows * n;
        all.to[k * all.stride + (x - all.x)] =
            Window::Result(static_cast<Value>(total), Window::Part(cells));
      }
    }
  }
  MSHADOW_FORCE_INLINE static Value Piece(const DType* cells, std::ptrdiff_t n) {
    constexpr int kAcc = 16;
    Value acc[kAcc];
    for (int l = 0; l < kAcc; ++l) acc[l] = Window::Initial();
    const auto cell = [cells](std::ptrdiff_t c)
                          MSHADOW_INLINE_LAMBDA { return static_cast<Value>(cells[c]); };
    const auto combine = [](Value a, Value b)
                             MSHADOW_INLINE_LAMBDA { return Window::Combine(a, b); };
    return ReduceInLanes<kAcc>(acc, 0, n, cell, combine);
  }
};

/// Windows whose cells are reduced in order; one form for all instruction sets.
template <typename Window, typename DType>
MSHADOW_SCALAR_KERNEL void WriteWindowsInOrder(const RowsOfWindows<DType>& all) {
  for (std::ptrdiff_t k = 0; k < all.rows; ++k) {
    const WindowCursor<Window, StridedRows<DType>, DType> row{
        all.src, all.first + k * all.step, all.window_rows, all.planes, all.plane_step, all.axis};
    for (std::ptrdiff_t x = all.x; x < all.end; ++x)
      all.to[k * all.stride + x - all.x] = row.Eval(x);
  }
}

template <typename Window, typename DType>
MSHADOW_NOINLINE void WriteWindows(const RowsOfWindows<DType>& all) {
  if constexpr (Window::kAnyOrder) {
    simd::Call<PoolKernel<Window, DType>>(&all);
  } else {
    WriteWindowsInOrder<Window>(all);
  }
}

/// Writes rows of windows of any source, `all` but its `src`. What is not in memory is computed
/// into a band, once for all windows of these rows that share it. False: not even one window fits.
template <typename Window, typename DType>
MSHADOW_NOINLINE bool WritePooledRows(const SourceRows<DType>& source, RowsOfWindows<DType> all) {
  if (source.plan == nullptr) {
    all.src = source.memory;
    WriteWindows<Window>(all);
    return true;
  }
  constexpr std::ptrdiff_t kBand = 16384 / sizeof(DType), kMaxColumns = 512;
  DType band[kBand];
  const std::ptrdiff_t height = all.planes * all.window_rows;
  const WindowAxis& axis = all.axis;
  const std::ptrdiff_t room = height < 1 ? 0 : FloorDiv(kBand, height);
  const std::ptrdiff_t widest = room < kMaxColumns || axis.ksize > kMaxColumns ? room : kMaxColumns;
  if (widest < axis.ksize) return false;
  const std::ptrdiff_t most = FloorDiv(widest - axis.ksize, axis.stride) + 1;
  for (std::ptrdiff_t x = all.x, n; x < all.end; x += n) {
    n = all.end - x < most ? all.end - x : most;
    const std::ptrdiff_t left = axis.Begin(x), columns = axis.End(x + n - 1) - left;
    // So many rows of windows at a time, where they share rows of the source.
    std::ptrdiff_t most_rows = 1;
    if (all.planes == 1 && all.step <= height && columns > 0) {
      most_rows = FloorDiv(FloorDiv(kBand, columns) - height, all.step) + 1;
    }
    for (std::ptrdiff_t k = 0, count; k < all.rows; k += count) {
      count = all.rows - k < most_rows ? all.rows - k : most_rows;
      const std::ptrdiff_t band_rows = (count - 1) * all.step + all.window_rows;
      for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
        const std::ptrdiff_t top = all.first + k * all.step + plane * all.plane_step;
        source.compute(source.plan, band + plane * band_rows * columns, top, top + band_rows, left,
                       left + columns);
      }
      RowsOfWindows<DType> part = all;
      part.src = StridedRows<DType>{band, columns};
      part.first = 0;
      part.plane_step = band_rows;
      part.axis.size = columns;
      part.axis.pad += left;
      part.to = all.to + k * all.stride + (x - all.x);
      part.rows = count;
      part.x = x;
      part.end = x + n;
      WriteWindows<Window>(part);
    }
  }
  return true;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_POOL_KERNEL_H_
