// SPDX-License-Identifier: Apache-2.0
// What one thread of a reduction does before the threads of its block come together, as functions
// of its index and the number of threads; host functions too, so that tests run all of them.
//
// What is added to what depends on the shape alone: results are the same in every run.
#ifndef MSHADOW_BACKEND_GPU_REDUCE_BODY_H_
#define MSHADOW_BACKEND_GPU_REDUCE_BODY_H_

#include <cstddef>
#include <type_traits>

#include "../../core/dtype.h"
#include "../../core/fast_divmod.h"
#include "../../expr/plan/plan.h"
#include "../../op/reducer_traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Where results go: with the saver to the destination, or, of a part, to `partial`.
template <typename Saver, typename Reducer, typename DType, typename Dst, typename Acc>
struct ReduceSink {
  Dst dst;
  DType scale;
  Acc* partial;  // nullptr: whole results
  MSHADOW_XINLINE void Put(std::ptrdiff_t result, std::ptrdiff_t part, std::ptrdiff_t pitch,
                           Acc value) const {
    if (partial != nullptr) {
      partial[result + part * pitch] = value;
    } else {
      auto row = expr::RowOf(dst, 0);
      Saver::template Save<DType>(row.REval(result),
                                  red::Finished<Reducer, DType, Acc>(value, scale));
    }
  }
};

/// The elements of column x of a plan as accumulators. A plan of a reduction by name has columns.
template <typename Acc, typename Src>
struct PlanColumn {
  const Src& src;
  std::ptrdiff_t x;
  MSHADOW_XINLINE Acc Eval(std::ptrdiff_t y) const {
    return static_cast<Acc>(expr::RowOf(src, y).Eval(x));
  }
};
template <typename Src, typename = void>
struct IsOfStates : std::false_type {};
template <typename Src>
struct IsOfStates<Src, std::void_t<typename Src::State>> : std::true_type {};
template <typename Acc, typename Src>
MSHADOW_XINLINE auto ColumnOf(const Src& src, std::ptrdiff_t x) {
  if constexpr (IsOfStates<Src>::value) {
    return src.Column(x);
  } else {
    return PlanColumn<Acc, Src>{src, x};
  }
}

/// Combines acc with eval(at), eval(at + step), .. before `end`, at most U elements. All loads
/// start before the first is waited for; those past the end load the last element again.
template <typename Reducer, int U, typename Acc, typename Eval>
MSHADOW_XINLINE Acc CombineFew(Acc acc, std::ptrdiff_t at, std::ptrdiff_t step, std::ptrdiff_t end,
                               const Eval& eval) {
  if (at >= end) return acc;
  Acc item[U];
  for (int k = 0; k < U; ++k) item[k] = eval(at + k * step < end ? at + k * step : end - 1);
  for (int k = 0; k < U; ++k) {
    if (at + k * step < end) acc = Reducer::Combine(acc, item[k]);
  }
  return acc;
}

/// Columns: result x is the reduction of src(y, x) over y. Part p of `parts` takes part_rows rows.
template <typename Reducer, typename Acc, typename Src>
struct ColumnsBody {
  static constexpr std::ptrdiff_t kBlock = 2048;  // rows of a thread
  static constexpr int kUnroll = 4;               // loads before the first is waited for
  Src src;
  std::ptrdiff_t rows, cols, part_rows;

  /// Thread ty of ny takes rows ty, ty + ny, ... of the part.
  MSHADOW_XINLINE Acc operator()(std::ptrdiff_t x, std::ptrdiff_t part, int ty, int ny) const {
    const auto column = ColumnOf<Acc>(src, x);
    const auto eval = [&](std::ptrdiff_t y) { return column.Eval(y); };
    Acc acc = red::InitValue<Reducer, Acc>();
    const std::ptrdiff_t begin = part * part_rows;
    const std::ptrdiff_t end = begin + part_rows < rows ? begin + part_rows : rows;
    // In blocks: a long sum would outgrow what is added to it.
    for (std::ptrdiff_t y = begin + ty; y < end;) {
      const std::ptrdiff_t stop = end - y > kBlock * ny ? y + kBlock * ny : end;
      Acc block = red::InitValue<Reducer, Acc>();
      for (; y + (kUnroll - 1) * ny < stop; y += kUnroll * ny) {
        Acc item[kUnroll];
        for (int k = 0; k < kUnroll; ++k) item[k] = eval(y + k * ny);
        for (int half = kUnroll / 2; half > 0; half /= 2) {
          for (int k = 0; k < half; ++k) item[k] = Reducer::Combine(item[k], item[k + half]);
        }
        block = Reducer::Combine(block, item[0]);
      }
      block = CombineFew<Reducer, kUnroll>(block, y, ny, stop, eval);
      y = stop;
      acc = Reducer::Combine(acc, block);
    }
    return acc;
  }
};

/// Runs: result c is the reduction of src((n * keep + c) * rows + y, x) over n, y, x, where `join`
/// rows of the plan make one of these. A row is cut into chunks of kChunk columns; chunk number i
/// of a result belongs to part i / part_chunks.
template <typename Reducer, typename Acc, typename Src>
struct RunsBody {
  static constexpr std::ptrdiff_t kChunk = 4096;
  Src src;
  std::ptrdiff_t outer, keep;
  FastDivmod rows;
  std::ptrdiff_t cols, join, part_chunks;
  FastDivmod across;  // chunks of a row

  /// Rows joined where memory allows; one part.
  static RunsBody Of(const Src& src, std::ptrdiff_t outer, std::ptrdiff_t keep,
                     std::ptrdiff_t rows, std::ptrdiff_t cols) {
    std::ptrdiff_t join = 1;
    if (rows > 1 && cols > 0) join = expr::Gcd(expr::FlatRows(src, cols), rows);
    cols *= join;
    RunsBody body{src,  outer, keep, FastDivmod(rows / join),
                  cols, join,  0,    FastDivmod((cols + kChunk - 1) / kChunk)};
    body.SetParts(1);
    return body;
  }
  /// Cuts the chunks into about `parts`; returns how many there are.
  std::ptrdiff_t SetParts(std::ptrdiff_t parts) {
    const std::ptrdiff_t chunks = Chunks();
    part_chunks = (chunks + parts - 1) / parts;
    return part_chunks == 0 ? 1 : (chunks + part_chunks - 1) / part_chunks;
  }
  std::ptrdiff_t Chunks() const { return outer * rows * across; }

  /// Thread (tx, ty) of nx x ny.
  MSHADOW_XINLINE Acc operator()(std::ptrdiff_t c, std::ptrdiff_t part, int tx, int nx, int ty,
                                 int ny) const {
    Acc acc = red::InitValue<Reducer, Acc>();
    const std::ptrdiff_t chunks = outer * rows * across;
    const std::ptrdiff_t begin = part * part_chunks;
    const std::ptrdiff_t end = begin + part_chunks < chunks ? begin + part_chunks : chunks;
    for (std::ptrdiff_t i = begin + ty; i < end; i += ny) {
      // n * rows + y, and the chunk of that row. Where each is one, nothing is divided.
      const DivModResult run = across == 1 ? DivModResult{i, 0} : DivMod(i, across);
      const DivModResult image = rows == 1 ? DivModResult{run.quot, 0} : DivMod(run.quot, rows);
      const auto row = expr::RowOf(src, ((image.quot * keep + c) * rows + image.rem) * join);
      std::ptrdiff_t x = run.rem * kChunk + tx;
      const std::ptrdiff_t last = x - tx + kChunk < cols ? x - tx + kChunk : cols;
      Acc chunk = red::InitValue<Reducer, Acc>();
      const auto eval = [&](std::ptrdiff_t at) { return static_cast<Acc>(row.Eval(at)); };
      // Eight loads before the first is waited for.
      for (; x + 7 * nx < last; x += 8 * nx) {
        Acc item[8];
        for (int k = 0; k < 8; ++k) item[k] = eval(x + k * nx);
        for (int k = 0; k < 4; ++k) item[k] = Reducer::Combine(item[k], item[k + 4]);
        chunk = Reducer::Combine(chunk, Reducer::Combine(Reducer::Combine(item[0], item[1]),
                                                         Reducer::Combine(item[2], item[3])));
      }
      chunk = CombineFew<Reducer, 8>(chunk, x, nx, last, eval);
      acc = Reducer::Combine(acc, chunk);
    }
    return acc;
  }
};

/// A reducer without Combine: one thread goes through a result in row-major order.
template <typename Reducer, typename Acc, typename Src>
struct InOrderBody {
  Src src;
  std::ptrdiff_t outer, keep, rows, cols;
  bool keep_lowest;  // result c is a column of `outer` rows, `keep` wide

  MSHADOW_XINLINE Acc operator()(std::ptrdiff_t c) const {
    Acc acc = red::InitValue<Reducer, Acc>();
    if (keep_lowest) {
      const auto column = ColumnOf<Acc>(src, c);
      for (std::ptrdiff_t n = 0; n < outer; ++n) Reducer::Reduce(acc, column.Eval(n));
      return acc;
    }
    for (std::ptrdiff_t n = 0; n < outer; ++n) {
      for (std::ptrdiff_t y = 0; y < rows; ++y) {
        const auto row = expr::RowOf(src, (n * keep + c) * rows + y);
        for (std::ptrdiff_t x = 0; x < cols; ++x) {
          Reducer::Reduce(acc, static_cast<Acc>(row.Eval(x)));
        }
      }
    }
    return acc;
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_REDUCE_BODY_H_
