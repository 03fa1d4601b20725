// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis, each element added once or twice: what one thread does, as functions
// of its index; host functions too, so that tests run all of them.
#ifndef MSHADOW_BACKEND_GPU_SCAN_BODY_H_
#define MSHADOW_BACKEND_GPU_SCAN_BODY_H_

#include <cstddef>
#include <type_traits>

#include "../../core/dtype.h"
#include "../../expr/plan/plan.h"
#include "../../op/long_sum.h"
#include "../../op/math/wrap.h"
#include "../../op/saver.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Sums of 16-bit floats are taken in float.
template <typename DType>
struct ScanSum {
  using Acc = Accumulator<DType>;
  MSHADOW_XINLINE Acc operator()(const Acc& a, const Acc& b) const {
    return op::math::Add(a, b);
  }
};

/// Down the columns: dst(v + i * step, x) Saver= sum of src(v + j * step, x) over j <= i, for
/// i < count, x < cols and `rows` v: the first `step` of every step * count.
/// A column is one thread's, or several threads' that have a part of `length` elements each;
/// neighbours in memory are neighbours among threads.
template <typename Saver, typename DType, typename Dst, typename Src>
struct ScanColumnsBody {
  using Acc = Accumulator<DType>;
  using Index = std::ptrdiff_t;
  Dst dst;
  Src src;
  std::ptrdiff_t rows, cols, step, count;
  std::ptrdiff_t parts = 1, length = count;
  /// Of parts: the sums of each, and later of each and those in front of it; (parts, rows * cols).
  Acc* sums = nullptr;
  bool only_sums = false;

  /// Columns.
  std::ptrdiff_t Columns() const { return rows * cols; }
  /// As MapBody has them: rows of the threads, what one of them gives the threads along x to do,
  /// and units a thread.
  std::ptrdiff_t RowsOfThreads() const { return rows * parts; }
  MSHADOW_XINLINE std::ptrdiff_t PacksOfRow() const { return cols; }
  MSHADOW_XINLINE int UnitsOfThread() const { return 1; }

  /// Thread (tx, ty) of nx x ny.
  MSHADOW_XINLINE void operator()(std::ptrdiff_t tx, std::ptrdiff_t nx, std::ptrdiff_t ty,
                                  std::ptrdiff_t ny) const {
    for (std::ptrdiff_t y = ty; y < rows * parts; y += ny) {
      const std::ptrdiff_t part = parts == 1 ? 0 : y / rows, v = y - part * rows;
      const std::ptrdiff_t outer = v / step, begin = part * length;
      const std::ptrdiff_t first = outer * step * count + (v - outer * step) + begin * step;
      const std::ptrdiff_t n = count - begin < length ? count - begin : length;
      for (std::ptrdiff_t x = tx; x < cols; x += nx) {
        Acc* const own = sums == nullptr ? nullptr : sums + part * rows * cols + v * cols + x;
        red::PrefixSum<Acc> sum;
        if (own != nullptr && !only_sums && part > 0) sum.Add(own[-rows * cols]);
        std::ptrdiff_t i = 0;
        for (; n - i >= kAhead; i += kAhead) {
          if (i % sum.kCarry == 0) sum.Carry();
          Unrolled<kAhead>(first + i * step, x, &sum);
        }
        for (; i < n; ++i) Unrolled<1>(first + i * step, x, &sum);
        if (only_sums) *own = sum.Value();
      }
    }
  }

 private:
  /// Elements loaded before the first is waited for.
  static constexpr int kAhead = 8;

  template <int U>
  MSHADOW_XINLINE void Unrolled(std::ptrdiff_t y, std::ptrdiff_t x,
                                red::PrefixSum<Acc>* sum) const {
    Acc item[U];
    for (int u = 0; u < U; ++u) {
      item[u] = static_cast<Acc>(expr::RowOf(src, y + u * step).Eval(x));
    }
    for (int u = 0; u < U; ++u) {
      sum->Add(item[u]);
      if (only_sums) continue;
      auto to = expr::RowOf(dst, y + u * step);
      Saver::template Save<DType>(to.REval(x), static_cast<DType>(sum->Value()));
    }
  }
};

/// How many parts columns are cut into: one where they are many, else as many as keep a large card
/// busy and are worth it.
template <typename Body>
inline std::ptrdiff_t PartsOfColumns(const Body& body) {
  constexpr std::ptrdiff_t kManyThreads = std::ptrdiff_t{1} << 18, kShortPart = 32;
  const std::ptrdiff_t busy = kManyThreads / body.Columns(), worth = body.count / kShortPart;
  const std::ptrdiff_t parts = busy < worth ? busy : worth;
  return parts < 2 ? 1 : parts;
}

/// Running sums down columns in parts: the sum of each part, the running sums of these, and from
/// them on those of each part. `sums` has a row for each; run(ScanColumnsBody) does what its body
/// says.
template <typename Body, typename Sums, typename Run>
inline void ScanInParts(Body body, const Sums& sums, const Run& run) {
  using Acc = typename Body::Acc;
  const std::ptrdiff_t most = static_cast<std::ptrdiff_t>(sums.size(0));
  body.length = (body.count + most - 1) / most;
  body.parts = (body.count + body.length - 1) / body.length;
  body.sums = sums.dptr_;
  body.only_sums = true;
  run(body);
  const auto plan = expr::MakePlan(sums);
  using Plan = std::decay_t<decltype(plan)>;
  run(ScanColumnsBody<sv::saveto, Acc, Plan, Plan>{plan, plan, 1, body.Columns(), 1, body.parts});
  body.only_sums = false;
  run(body);
}

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
  /// neighbours among threads; 0 after the end of the row.
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
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_SCAN_BODY_H_
