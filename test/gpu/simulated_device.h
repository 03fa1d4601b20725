// SPDX-License-Identifier: Apache-2.0
// A device of host memory on which a statement is every thread of what Tensor<gpu> would launch,
// one after the other: the kernels' work is tested, also by sanitizers, where there is no GPU.
#ifndef MSHADOW_TEST_GPU_SIMULATED_DEVICE_H_
#define MSHADOW_TEST_GPU_SIMULATED_DEVICE_H_

#include <mshadow/backend/gpu/fused_body.h>
#include <mshadow/backend/gpu/choose_body.h>
#include <mshadow/backend/gpu/reduce_body.h>
#include <mshadow/backend/gpu/row_folds.h>
#include <mshadow/backend/gpu/short_runs_body.h>
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace mshadow {
namespace testing {

struct simulated {
  static constexpr bool kDevCPU = false;
  static constexpr int kDevMask = 1 << 6;
};

using TestDevice = simulated;
template <typename DType>
using TestMemory = std::vector<DType>;
inline void WaitForDevice() {}

/// A grid as no launch has, so that neither rows nor columns divide evenly among its threads.
constexpr int kAcross = 3, kDown = 2;

/// All threads load, then all store, as between barriers.
template <bool kSquare, typename Body>
void RunTilesOf(const Body& body) {
  typename Body::Tile tile;
  for (std::ptrdiff_t down = 0; down < body.TilesDown(); ++down) {
    for (std::ptrdiff_t across = 0; across < body.TilesAcross(); ++across) {
      for (int t = 0; t < Body::kThreads; ++t) body.template Load<kSquare>(tile, across, down, t);
      for (int t = 0; t < Body::kThreads; ++t) body.template Store<kSquare>(tile, across, down, t);
    }
  }
}
template <typename Body>
void RunTiles(const Body& body) {
  if (body.IsSquare()) return RunTilesOf<true>(body);
  RunTilesOf<false>(body);
}

/// A row at a time, in chunks of few threads: all load, what they have is added up as between
/// barriers, all store.
template <typename Body>
void RunScan(const Body& body) {
  constexpr int kThreads = kAcross, kItems = Body::kItems;
  using Acc = typename Body::Acc;
  for (std::ptrdiff_t y = 0; y < body.rows; ++y) {
    red::PrefixSum<Acc> before;
    for (std::ptrdiff_t x = 0; x < body.cols; x += kThreads * kItems) {
      Acc sum(0), item[kThreads][kItems];
      for (int t = 0; t < kThreads; ++t) body.Load(y, x, t, kThreads, item[t]);
      for (int i = 0; i < kThreads * kItems; ++i) {
        Acc& next = item[i % kThreads][i / kThreads];
        sum = typename Body::Sum()(sum, next);
        next = before.With(sum);
      }
      before.Add(sum);
      before.Carry();
      for (int t = 0; t < kThreads; ++t) body.Store(y, x, t, kThreads, item[t]);
    }
  }
}

/// plan.Eval(y, x), which plans of other plans may ask for, gives the element of the row's cursor.
template <typename DType, typename P>
void ExpectSameByEval(const P& plan, const Shape<2>& shape) {
  for (index_t y = 0; y < shape[0]; ++y) {
    const auto row = expr::RowOf(plan, static_cast<std::ptrdiff_t>(y));
    for (index_t x = 0; x < shape[1]; ++x) {
      const DType by_row = row.Eval(static_cast<std::ptrdiff_t>(x)), by_plan = plan.Eval(y, x);
      ASSERT_EQ(std::memcmp(&by_row, &by_plan, sizeof(DType)), 0)
          << "Eval(" << y << ", " << x << ") is not element " << x << " of Row(" << y << ")";
    }
  }
}

/// The last thread first.
template <typename Body>
void RunThreads(const Body& body) {
  for (int ty = kDown; ty-- > 0;) {
    for (int tx = kAcross; tx-- > 0;) body(tx, kAcross, ty, kDown);
  }
}

/// How many folds were computed for row 0 of statements that reduce rows.
inline int folds_of_rows = 0;

/// All folds of a row in turn, each by some threads, then what is written.
template <typename Folds>
void FoldRow(const Folds& folds, std::ptrdiff_t y, std::ptrdiff_t join, cuda::NarrowIndex cols) {
  if constexpr (Folds::kCount > 0) {
    if (folds.first.is_new) {
      typename Folds::First::Part part;
      for (int t = kAcross; t-- > 0;) part.Merge(folds.first.Of(y, join, cols, t, kAcross));
      folds.first.Put(y, cols, part);
      if (y == 0) ++folds_of_rows;
    }
    FoldRow(folds.rest, y, join, cols);
  }
}
template <typename Body>
void RunRowFolds(const Body& body) {
  for (cuda::NarrowIndex y = body.rows(); y-- > 0;) {
    FoldRow(body.folds, y, body.map.join, body.map.cols);
    for (int t = kAcross; t-- > 0;) body.Write(y, t, kAcross);
  }
}

/// All threads load, then each reduces whole runs.
template <typename Body, typename Sink>
void RunShortRuns(const Body& body, const Sink& sink) {
  std::vector<std::max_align_t> memory(Body::kTile * sizeof(typename Body::DType) /
                                           sizeof(std::max_align_t) + 1);
  auto* const tile = reinterpret_cast<typename Body::DType*>(memory.data());
  for (std::ptrdiff_t b = 0; b < body.Blocks(); ++b) {
    for (int t = 0; t < kAcross; ++t) body.Load(tile, b, t, kAcross);
    for (int i = 0; i < body.RunsOf(b); ++i) sink.Put(b * body.runs + i, 0, 0, body(tile, i));
  }
}

/// Even numbers of elements in parts, odd ones whole.
template <typename Body>
void RunScanColumns(const Body& body) {
  if (body.count % 2 != 0) return RunThreads(body);
  const index_t parts = body.count < 6 ? 2 : 3, columns = static_cast<index_t>(body.Columns());
  mshadow::detail::Temporary<simulated, 2, typename Body::Acc> sums(Shape2(parts, columns),
                                                                    nullptr);
  cuda::ScanInParts(body, sums.tensor(), [](const auto& part) { RunThreads(part); });
}

}  // namespace testing

template <>
struct Stream<testing::simulated> {
  void Wait() {}
};

template <>
struct expr::DeviceOfMask<testing::simulated::kDevMask> {
  using Type = testing::simulated;
};

template <>
struct DeviceApi<testing::simulated> {
  static constexpr std::size_t kMinPaddedCols = 32 * MSHADOW_MIN_PAD_RATIO;
  static void* AllocPitch(std::size_t* pitch, std::size_t row_bytes, std::size_t rows, bool pad) {
    return DeviceApi<cpu>::AllocPitch(pitch, row_bytes, rows, pad);
  }
  static void Free(void* memory) { DeviceApi<cpu>::Free(memory); }
  static void* AllocTemporary(std::size_t bytes, Stream<testing::simulated>*) {
    return ::operator new(bytes);
  }
  static void FreeTemporary(void* memory, Stream<testing::simulated>*) noexcept {
    ::operator delete(memory);
  }
  static void Copy2D(void* dst, std::size_t dst_pitch, const void* src, std::size_t src_pitch,
                     std::size_t row_bytes, std::size_t rows, Stream<testing::simulated>*) {
    DeviceApi<cpu>::Copy2D(dst, dst_pitch, src, src_pitch, row_bytes, rows, nullptr);
  }
};

template <>
struct Executor<testing::simulated> {
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Map(const Dst& dst, const Src& src, const Shape<2>& shape,
                  Stream<testing::simulated>*) {
    if (shape.Size() < 10000) testing::ExpectSameByEval<DType>(src, shape);
    cuda::ChooseBody<Saver, DType>(
        dst, src, shape, [](const auto& body) { testing::RunTiles(body); },
        [](const auto& body) { testing::RunScan(body); },
        [](const auto& body) { testing::RunScanColumns(body); },
        [](const auto& body) { testing::RunThreads(body); });
  }
  template <typename Saver, typename DType, typename R, typename E, typename Memory>
  static bool MapRows(const R& dst, const E& exp, Memory* memory) {
    return cuda::MapRowFolds<Saver, DType>(
        dst, exp, memory, [](std::ptrdiff_t, std::ptrdiff_t) { return true; },
        [](const auto& body) { testing::RunRowFolds(body); });
  }
  template <typename... Maps>
  static void MapFused(const Shape<2>& shape, Stream<testing::simulated>*, const Maps&... maps) {
    cuda::ChooseFusedBody(
        shape, [](const auto& body, std::ptrdiff_t) { testing::RunThreads(body); }, maps...);
  }
};

template <>
struct ReduceExecutor<testing::simulated> {
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepLowest(const Dst& dst, const Src& src, const Shape<2>& shape, DType scale,
                         Stream<testing::simulated>*) {
    using Acc = Accumulator<DType>;
    const std::ptrdiff_t rows = Extent(shape[0]), cols = Extent(shape[1]);
    const cuda::ReduceSink<Saver, Reducer, DType, Dst, Acc> sink{dst, scale, nullptr};
    if constexpr (red::HasCombine<Reducer, Acc>::value) {
      // Two parts, in two launches on a GPU.
      const cuda::ColumnsBody<Reducer, Acc, Src> body{src, rows, cols, (rows + 1) / 2};
      for (std::ptrdiff_t x = 0; x < cols; ++x) {
        Acc acc = red::InitValue<Reducer, Acc>();
        for (int part = 0; part < 2; ++part) {
          for (int ty = 0; ty < testing::kAcross; ++ty) {
            acc = Reducer::Combine(acc, body(x, part, ty, testing::kAcross));
          }
        }
        sink.Put(x, 0, cols, acc);
      }
    } else {
      const cuda::InOrderBody<Reducer, Acc, Src> body{src, rows, cols, 1, 1, true};
      for (std::ptrdiff_t x = 0; x < cols; ++x) sink.Put(x, 0, 0, body(x));
    }
  }

  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepHighDim(const Dst& dst, const Src& src, const Shape<4>& shape, DType scale,
                          Stream<testing::simulated>*) {
    using Acc = Accumulator<DType>;
    const std::ptrdiff_t outer = Extent(shape[0]), keep = Extent(shape[1]);
    const std::ptrdiff_t rows = Extent(shape[2]), cols = Extent(shape[3]);
    const cuda::ReduceSink<Saver, Reducer, DType, Dst, Acc> sink{dst, scale, nullptr};
    if constexpr (red::HasCombine<Reducer, Acc>::value) {
      using Short = cuda::ShortRunsBody<Reducer, Acc, Src>;
      if (Short::Takes(src, outer, rows, cols)) {
        return testing::RunShortRuns(Short(src, keep, rows * cols), sink);
      }
      auto body = cuda::RunsBody<Reducer, Acc, Src>::Of(src, outer, keep, rows, cols);
      body.SetParts(2);
      for (std::ptrdiff_t c = 0; c < keep; ++c) {
        Acc acc = red::InitValue<Reducer, Acc>();
        for (int part = 0; part < 2; ++part) {
          for (int t = 0; t < testing::kAcross * testing::kDown; ++t) {
            acc = Reducer::Combine(acc, body(c, part, t % testing::kAcross, testing::kAcross,
                                             t / testing::kAcross, testing::kDown));
          }
        }
        sink.Put(c, 0, keep, acc);
      }
    } else {
      const cuda::InOrderBody<Reducer, Acc, Src> body{src, outer, keep, rows, cols, false};
      for (std::ptrdiff_t c = 0; c < keep; ++c) sink.Put(c, 0, 0, body(c));
    }
  }

 private:
  static std::ptrdiff_t Extent(index_t extent) { return static_cast<std::ptrdiff_t>(extent); }
};

}  // namespace mshadow
#endif  // MSHADOW_TEST_GPU_SIMULATED_DEVICE_H_
