// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis, each element added once: what one thread does, as functions of its
// index; host functions too, so that tests run all of them.
#ifndef MSHADOW_BACKEND_GPU_SCAN_BODY_H_
#define MSHADOW_BACKEND_GPU_SCAN_BODY_H_

#include <cstddef>

#include "../../core/dtype.h"
#include "../../expr/plan.h"

namespace mshadow {
namespace cuda {

/// Sums of 16-bit floats are taken in float.
template <typename DType>
struct ScanSum {
  using Acc = Accumulator<DType>;
  MSHADOW_XINLINE Acc operator()(const Acc& a, const Acc& b) const {
    return static_cast<Acc>(a + b);
  }
};

/// Down the columns: dst(v + i * step, x) Saver= sum of src(v + j * step, x) over j <= i, for
/// i < count, x < cols and `rows` v: the first `step` of every step * count.
/// A column is one thread's; neighbours in memory are neighbours among threads.
template <typename Saver, typename DType, typename Dst, typename Src>
struct ScanColumnsBody {
  using Acc = Accumulator<DType>;
  using Index = std::ptrdiff_t;
  Dst dst;
  Src src;
  std::ptrdiff_t rows, cols, step, count;

  /// As MapBody has them: what one row gives the threads along x to do, one unit a thread.
  MSHADOW_XINLINE std::ptrdiff_t PacksOfRow() const { return cols; }
  static constexpr int kUnroll = 1;

  /// Thread (tx, ty) of nx x ny.
  MSHADOW_XINLINE void operator()(std::ptrdiff_t tx, std::ptrdiff_t nx, std::ptrdiff_t ty,
                                  std::ptrdiff_t ny) const {
    for (std::ptrdiff_t y = ty; y < rows; y += ny) {
      const std::ptrdiff_t outer = y / step;
      const std::ptrdiff_t first = outer * step * count + (y - outer * step);
      for (std::ptrdiff_t x = tx; x < cols; x += nx) {
        Acc sum(0);
        std::ptrdiff_t i = 0;
        for (; count - i >= kAhead; i += kAhead) Several<kAhead>(first + i * step, x, &sum);
        for (; i < count; ++i) Several<1>(first + i * step, x, &sum);
      }
    }
  }

 private:
  /// Elements loaded before the first is waited for.
  static constexpr int kAhead = 4;

  template <int U>
  MSHADOW_XINLINE void Several(std::ptrdiff_t y, std::ptrdiff_t x, Acc* sum) const {
    Acc item[U];
    for (int u = 0; u < U; ++u) {
      item[u] = static_cast<Acc>(expr::RowOf(src, y + u * step).Eval(x));
    }
    for (int u = 0; u < U; ++u) {
      *sum = ScanSum<DType>()(*sum, item[u]);
      auto to = expr::RowOf(dst, y + u * step);
      Saver::template Save<DType>(to.REval(x), static_cast<DType>(*sum));
    }
  }
};

/// Along rows: dst(y, x) Saver= sum of src(y, v) over v <= x. The `nt` threads of a block take a
/// row in chunks of kItems elements a thread: all load, the block adds up, all store.
template <typename Saver, typename DType, typename Dst, typename Src>
struct ScanRowsBody {
  using Acc = Accumulator<DType>;
  using Sum = ScanSum<DType>;
  static constexpr int kItems = 8;
  Dst dst;
  Src src;
  std::ptrdiff_t rows, cols;

  /// Thread t's elements of the chunk from x on: every nt-th, so that neighbours in memory are
  /// neighbours among threads; 0 behind the end of the row.
  MSHADOW_XINLINE void Load(std::ptrdiff_t y, std::ptrdiff_t x, int t, int nt, Acc* item) const {
    const auto from = expr::RowOf(src, y);
    for (int k = 0; k < kItems; ++k) {
      const std::ptrdiff_t at = x + k * nt + t;
      item[k] = at < cols ? static_cast<Acc>(from.Eval(at)) : Acc(0);
    }
  }
  /// Writes the sums up to these elements.
  MSHADOW_XINLINE void Store(std::ptrdiff_t y, std::ptrdiff_t x, int t, int nt,
                             const Acc* sum) const {
    auto to = expr::RowOf(dst, y);
    for (int k = 0; k < kItems; ++k) {
      const std::ptrdiff_t at = x + k * nt + t;
      if (at < cols) Saver::template Save<DType>(to.REval(at), static_cast<DType>(sum[k]));
    }
  }
};

}  // namespace cuda
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_GPU_SCAN_BODY_H_
