// SPDX-License-Identifier: Apache-2.0
// Reductions to one axis on a CUDA device, in one pass or two, with a fixed order of additions.
#ifndef MSHADOW_BACKEND_GPU_REDUCE_H_
#define MSHADOW_BACKEND_GPU_REDUCE_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include "../../tensor/memory.h"
#include "device.h"
#include "executor.h"
#include "reduce_body.h"
#include "short_runs_body.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Blocks that keep every card of today busy, the last of them too: several times as many as run at
/// a time.
constexpr std::ptrdiff_t kManyBlocks = 4096;

#ifdef __CUDACC__

/// Blocks for which a multiprocessor of 2048 threads must have registers. Without a demand, nvcc
/// aims at 32 registers a thread, and lets the last loads wait for the first. 0: no demand, where
/// elements take more registers, or multiprocessors are smaller.
template <typename Body, typename Acc, int kBlocks>
inline constexpr int kMinBlocks =
    kHolds2048Threads && sizeof(Acc) <= 4 && expr::kCostOf<decltype(Body::src)> <= 4 ? kBlocks : 0;

/// Values of the threads of a block, for which `shared` has room, reduced in a fixed order: those
/// of lanes 0, 1, .. of `lanes`, whose threads are `step` apart. Lane 0 gets it. Lanes of no more
/// than 32 threads in all are those of one warp.
template <typename Reducer, typename Acc>
__device__ __forceinline__ Acc CombineLanes(Acc acc, Acc* shared, int lane, int lanes, int step) {
  Acc* const own = shared + threadIdx.y * blockDim.x + threadIdx.x;
  while (lanes > 1) {
    const int half = (lanes + 1) / 2;
    if (lane < lanes) *own = acc;
    // Lanes of one warp need not wait for others.
    if (lanes * step <= 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
    if (lane + half < lanes) acc = Reducer::Combine(acc, own[half * step]);
    lanes = half;
  }
  return acc;
}

/// A block reduces nx columns of one part: thread ty * nx + x of it takes every ny-th row of column
/// x, where nx ny threads have work.
template <typename Reducer, typename Acc, typename Body, typename Sink>
__global__ void __launch_bounds__(kBlockThreads, kMinBlocks<Body, Acc, 8>)
    ColumnsKernel(const __grid_constant__ Body body, const __grid_constant__ Sink sink, int nx) {
  __shared__ alignas(16) unsigned char memory[kBlockThreads * sizeof(Acc)];
  const int t = static_cast<int>(threadIdx.x), ty = t / nx, ny = kBlockThreads / nx;
  const std::ptrdiff_t x = static_cast<std::ptrdiff_t>(blockIdx.x) * nx + t % nx;
  const std::ptrdiff_t part = blockIdx.y;
  Acc acc = red::InitValue<Reducer, Acc>();
  if (x < body.cols && ty < ny) acc = body(x, part, ty, ny);
  acc = CombineLanes<Reducer>(acc, reinterpret_cast<Acc*>(memory), ty, ny, nx);
  if (ty == 0 && x < body.cols) sink.Put(x, part, body.cols, acc);
}

/// The `group` threads of a block that have one threadIdx.y reduce one part of one result.
template <typename Reducer, typename Acc, typename Body, typename Sink>
__global__ void __launch_bounds__(kBlockThreads, kMinBlocks<Body, Acc, 6>)
    RunsKernel(const __grid_constant__ Body body, const __grid_constant__ Sink sink, int nx) {
  __shared__ alignas(16) unsigned char memory[kBlockThreads * sizeof(Acc)];
  const int lane = static_cast<int>(threadIdx.x), group = static_cast<int>(blockDim.x);
  const std::ptrdiff_t part = blockIdx.y;
  const std::ptrdiff_t c = static_cast<std::ptrdiff_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  Acc acc = red::InitValue<Reducer, Acc>();
  if (c < body.keep) acc = body(c, part, lane % nx, nx, lane / nx, group / nx);
  acc = CombineLanes<Reducer>(acc, reinterpret_cast<Acc*>(memory), lane, group, 1);
  if (lane == 0 && c < body.keep) sink.Put(c, part, body.keep, acc);
}

template <typename Body, typename Sink>
__global__ void __launch_bounds__(kBlockThreads)
    ShortRunsKernel(const __grid_constant__ Body body, const __grid_constant__ Sink sink) {
  using DType = typename Body::DType;
  __shared__ alignas(16) unsigned char memory[Body::kTile * sizeof(DType)];
  DType* const tile = reinterpret_cast<DType*>(memory);
  const std::ptrdiff_t b = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), runs = body.RunsOf(b);
  body.Load(tile, b, t, kBlockThreads);
  __syncthreads();
  for (int i = t; i < runs; i += kBlockThreads) sink.Put(b * body.runs + i, 0, 0, body(tile, i));
}

template <typename Body, typename Sink>
__global__ void __launch_bounds__(kBlockThreads)
    InOrderKernel(const __grid_constant__ Body body, const __grid_constant__ Sink sink) {
  for (std::ptrdiff_t c = static_cast<std::ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       c < body.keep; c += static_cast<std::ptrdiff_t>(gridDim.x) * blockDim.x) {
    sink.Put(c, 0, 0, body(c));
  }
}

/// The partial results of a statement, and their plan.
template <typename Acc>
class Partials {
 public:
  Partials(std::ptrdiff_t parts, std::ptrdiff_t results, Stream<gpu>* stream)
      : memory_(Shape2(static_cast<index_t>(parts), static_cast<index_t>(results)), stream) {}
  Acc* data() { return memory_.tensor().dptr_; }
  auto plan() { return expr::MakePlan(memory_.tensor()); }

 private:
  detail::Temporary<gpu, 2, Acc> memory_;
};

inline void CheckLaunch() { Check(cudaPeekAtLastError(), "the launch of a reduction"); }

template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
void ReduceColumns(const Dst& dst, const Src& src, std::ptrdiff_t rows, std::ptrdiff_t cols,
                   DType scale, Stream<gpu>* stream) {
  using Acc = Accumulator<DType>;
  using Body = ColumnsBody<Reducer, Acc, Src>;
  using Sink = ReduceSink<Saver, Reducer, DType, Dst, Acc>;
  // All columns of a block lie in one stretch of memory, and no thread but a few at the end is
  // idle; rows of a thread are enough for several loads at a time.
  const std::ptrdiff_t most_down = rows < 16 ? 1 : rows / 8;
  const std::ptrdiff_t most = most_down * 32 < kBlockThreads ? kBlockThreads / most_down : 32;
  std::ptrdiff_t across = cols <= 64 ? 1 : (cols + most - 1) / most;
  const int nx = static_cast<int>((cols + across - 1) / across), ny = kBlockThreads / nx;
  across = (cols + nx - 1) / nx;
  // Parts of at least 16 rows a thread, and no more than keep the card busy: the results of many
  // parts have to be reduced too.
  const std::ptrdiff_t blocks = cols <= 64 ? kManyBlocks / 4 : kManyBlocks / 2;
  std::ptrdiff_t parts = Layout::Smaller((blocks + across - 1) / across, rows / (16 * ny));
  if (parts < 1) parts = 1;
  const std::ptrdiff_t part_rows = rows == 0 ? 0 : (rows + parts - 1) / parts;
  if (parts > 1) parts = (rows + part_rows - 1) / part_rows;
  const auto launch = [&](const auto& body, std::ptrdiff_t of_grid, const Sink& sink) {
    ColumnsKernel<Reducer, Acc>
        <<<dim3(static_cast<unsigned>(across), static_cast<unsigned>(of_grid)), kBlockThreads, 0,
           Stream<gpu>::GetStream(stream)>>>(body, sink, nx);
    CheckLaunch();
  };
  const Body body{src, rows, cols, part_rows};
  if (parts == 1) return launch(body, 1, Sink{dst, scale, nullptr});
  Partials<Acc> partial(parts, cols, stream);
  launch(body, parts, Sink{dst, scale, partial.data()});
  const auto plan = partial.plan();
  const ColumnsBody<Reducer, Acc, std::decay_t<decltype(plan)>> rest{plan, parts, cols, parts};
  launch(rest, 1, Sink{dst, scale, nullptr});
}

template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
void ReduceRuns(const Dst& dst, const Src& src, std::ptrdiff_t outer, std::ptrdiff_t keep,
                std::ptrdiff_t rows, std::ptrdiff_t cols, DType scale, Stream<gpu>* stream) {
  using Acc = Accumulator<DType>;
  using Body = RunsBody<Reducer, Acc, Src>;
  using Sink = ReduceSink<Saver, Reducer, DType, Dst, Acc>;
  using Short = ShortRunsBody<Reducer, Acc, Src>;
  if (Short::Takes(src, outer, rows, cols)) {
    const Short body(src, keep, rows * cols);
    ShortRunsKernel<<<static_cast<unsigned>(body.Blocks()), kBlockThreads, 0,
                      Stream<gpu>::GetStream(stream)>>>(body, Sink{dst, scale, nullptr});
    return CheckLaunch();
  }
  Body body = Body::Of(src, outer, keep, rows, cols);
  // Few elements: some lanes of a warp a result; many: a block, or several that take a part each.
  const std::ptrdiff_t elements = outer * body.rows * body.cols;
  int group = 1, nx = 1;
  while (group < 32 && (group == 1 ? 8 : 4 * group) < elements) group *= 2;
  std::ptrdiff_t parts = 1;
  if (elements > 1024) {
    group = kBlockThreads;
    parts = Layout::Smaller((kManyBlocks + keep - 1) / keep, elements / (16 * kBlockThreads));
    parts = parts < 1 ? 1 : Layout::Smaller(parts, body.Chunks());
    parts = body.SetParts(parts);
  }
  while (nx < group && nx < body.cols) nx *= 2;
  const int groups = kBlockThreads / group;
  const dim3 block(static_cast<unsigned>(group), static_cast<unsigned>(groups));
  const dim3 grid(static_cast<unsigned>((keep + groups - 1) / groups),
                  static_cast<unsigned>(parts));
  const auto launch = [&](const Sink& sink) {
    RunsKernel<Reducer, Acc>
        <<<grid, block, 0, Stream<gpu>::GetStream(stream)>>>(body, sink, nx);
    CheckLaunch();
  };
  if (parts == 1) return launch(Sink{dst, scale, nullptr});
  Partials<Acc> partial(parts, keep, stream);
  launch(Sink{dst, scale, partial.data()});
  ReduceColumns<Saver, Reducer, DType>(dst, partial.plan(), parts, keep, scale, stream);
}

template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
void ReduceInOrder(const Dst& dst, const Src& src, bool keep_lowest, std::ptrdiff_t outer,
                   std::ptrdiff_t keep, std::ptrdiff_t rows, std::ptrdiff_t cols, DType scale,
                   Stream<gpu>* stream) {
  using Acc = Accumulator<DType>;
  using Body = InOrderBody<Reducer, Acc, Src>;
  using Sink = ReduceSink<Saver, Reducer, DType, Dst, Acc>;
  const std::ptrdiff_t blocks =
      Layout::Smaller((keep + kBlockThreads - 1) / kBlockThreads, kMaxBlocksX);
  InOrderKernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0,
                  Stream<gpu>::GetStream(stream)>>>(
      Body{src, outer, keep, rows, cols, keep_lowest}, Sink{dst, scale, nullptr});
  CheckLaunch();
}

#endif  // __CUDACC__

}  // namespace cuda

template <>
struct ReduceExecutor<gpu> {
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepLowest(const Dst& dst, const Src& src, const Shape<2>& shape, DType scale,
                         Stream<gpu>* stream) {
#ifdef __CUDACC__
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    if (cols == 0) return;
    if constexpr (red::HasCombine<Reducer, Accumulator<DType>>::value) {
      cuda::ReduceColumns<Saver, Reducer, DType>(dst, src, rows, cols, scale, stream);
    } else {
      cuda::ReduceInOrder<Saver, Reducer, DType>(dst, src, true, rows, cols, 1, 1, scale, stream);
    }
#else
    static_assert(detail::Never<Saver>::value, "mshadow: a reduction on Tensor<gpu, ...> is a "
                                               "kernel; compile this file with nvcc (as .cu)");
#endif
  }

  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepHighDim(const Dst& dst, const Src& src, const Shape<4>& shape, DType scale,
                          Stream<gpu>* stream) {
#ifdef __CUDACC__
    const std::ptrdiff_t outer = static_cast<std::ptrdiff_t>(shape[0]);
    const std::ptrdiff_t keep = static_cast<std::ptrdiff_t>(shape[1]);
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[2]);
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[3]);
    if (keep == 0) return;
    if constexpr (red::HasCombine<Reducer, Accumulator<DType>>::value) {
      cuda::ReduceRuns<Saver, Reducer, DType>(dst, src, outer, keep, rows, cols, scale, stream);
    } else {
      cuda::ReduceInOrder<Saver, Reducer, DType>(dst, src, false, outer, keep, rows, cols, scale,
                                                 stream);
    }
#else
    static_assert(detail::Never<Saver>::value, "mshadow: a reduction on Tensor<gpu, ...> is a "
                                               "kernel; compile this file with nvcc (as .cu)");
#endif
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_REDUCE_H_
