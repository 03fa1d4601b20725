// SPDX-License-Identifier: Apache-2.0
// Evaluates plans on a CUDA device: one kernel a statement, or several to choose from where the
// plan may transpose or holds running sums.
#ifndef MSHADOW_BACKEND_GPU_EXECUTOR_H_
#define MSHADOW_BACKEND_GPU_EXECUTOR_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#ifdef __CUDACC__
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_scan.cuh>
#endif

#include "../../core/shape.h"
#include "../../tensor/memory.h"
#include "device.h"
#include "fused_body.h"
#include "choose_body.h"
#include "reduce_body.h"
#include "row_folds.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// False if kernels of DType need an option of nvcc that is not set.
template <typename DType>
inline constexpr bool kHasKernels =
#ifdef __CUDACC_RELAXED_CONSTEXPR__
    true;
#else
    !kIsComplex<DType>;
#endif

/// Threads of a block.
constexpr int kBlockThreads = 256;

/// Whether a multiprocessor holds 2048 threads. (Others hold 1024 or 1536.)
constexpr bool kHolds2048Threads =
#if defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030)
    true;
#else
    false;
#endif

/// Limits of a grid along x and y.
constexpr std::ptrdiff_t kMaxBlocksX = 0x7fffffff, kMaxBlocksY = 65535;

/// How rows of `units` each are laid out over blocks.
struct Layout {
  dim3 grid, block;
  /// `unroll` units of one row go to a thread, which asks for the row once, where 8 threads remain
  /// side by side: so many elements of four bytes are what memory moves at a time.
  static Layout Of(std::ptrdiff_t rows, std::ptrdiff_t units, int unroll) {
    const std::ptrdiff_t least = Smaller(units, 8);
    std::ptrdiff_t threads = (units + unroll - 1) / unroll;
    if (threads < least) threads = least;
    int across = 1;
    while (across < kBlockThreads && across < threads) across *= 2;
    const int down = kBlockThreads / across;
    const std::ptrdiff_t x = Smaller((threads + across - 1) / across, kMaxBlocksX);
    const std::ptrdiff_t y = Smaller((rows + down - 1) / down, kMaxBlocksY);
    return Layout{dim3(static_cast<unsigned>(x), static_cast<unsigned>(y)),
                  dim3(static_cast<unsigned>(across), static_cast<unsigned>(down))};
  }
  static std::ptrdiff_t Smaller(std::ptrdiff_t a, std::ptrdiff_t b) { return a < b ? a : b; }
};

#ifdef __CUDACC__

template <typename Body>
__global__ void __launch_bounds__(kBlockThreads) MapKernel(const __grid_constant__ Body body) {
  using Index = typename Body::Index;
  body(static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) +
           static_cast<Index>(threadIdx.x),
       static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x),
       static_cast<Index>(blockIdx.y) * static_cast<Index>(blockDim.y) +
           static_cast<Index>(threadIdx.y),
       static_cast<Index>(gridDim.y) * static_cast<Index>(blockDim.y));
}

template <bool kSquare, typename Body>
__device__ __forceinline__ void RunTiles(const Body& body, typename Body::Tile& tile) {
  using Index = typename Body::Index;
  const int t = static_cast<int>(threadIdx.x);
  const Index tiles_down = body.TilesDown(), tiles_across = body.TilesAcross();
  for (Index down = static_cast<Index>(blockIdx.y); down < tiles_down;
       down += static_cast<Index>(gridDim.y)) {
    for (Index across = static_cast<Index>(blockIdx.x); across < tiles_across;
         across += static_cast<Index>(gridDim.x)) {
      body.template Load<kSquare>(tile, across, down, t);
      __syncthreads();
      body.template Store<kSquare>(tile, across, down, t);
      __syncthreads();
    }
  }
}

template <typename Body>
__global__ void __launch_bounds__(Body::kThreads) TileKernel(const __grid_constant__ Body body) {
  // Raw memory: element types may have constructors.
  __shared__ alignas(16) unsigned char memory[sizeof(typename Body::Tile)];
  typename Body::Tile& tile = *reinterpret_cast<typename Body::Tile*>(memory);
  if (body.IsSquare()) {
    RunTiles<true>(body, tile);
  } else {
    RunTiles<false>(body, tile);
  }
}

/// Rows of at most this many elements are the work of a warp each, longer ones that of a block.
constexpr std::ptrdiff_t kShortScan = 1024;

/// A block of kThreads takes a row at a time; the order of additions depends on its length alone.
template <int kThreads, typename Body>
__global__ void __launch_bounds__(kThreads) ScanKernel(const __grid_constant__ Body body) {
  using Acc = typename Body::Acc;
  using Sum = typename Body::Sum;
  using Exchange = cub::BlockExchange<Acc, kThreads, Body::kItems>;
  using Scan = cub::BlockScan<Acc, kThreads>;
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Scan::TempStorage scan;
  } memory;
  const int t = static_cast<int>(threadIdx.x);
  for (std::ptrdiff_t y = blockIdx.x; y < body.rows; y += gridDim.x) {
    red::PrefixSum<Acc> before;  // the sum of the chunks in front
    for (std::ptrdiff_t x = 0; x < body.cols; x += kThreads * Body::kItems) {
      Acc item[Body::kItems], chunk;
      body.Load(y, x, t, kThreads, item);
      Exchange(memory.exchange).StripedToBlocked(item, item);
      __syncthreads();
      Scan(memory.scan).InclusiveScan(item, item, Sum(), chunk);
      __syncthreads();
      Exchange(memory.exchange).BlockedToStriped(item, item);
      for (int k = 0; k < Body::kItems; ++k) item[k] = before.With(item[k]);
      body.Store(y, x, t, kThreads, item);
      before.Add(chunk);
      before.Carry();
      __syncthreads();
    }
  }
}

template <typename Body>
__global__ void __launch_bounds__(kBlockThreads) ThreadsKernel(const __grid_constant__ Body body) {
  body(static_cast<std::ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x,
       static_cast<std::ptrdiff_t>(gridDim.x) * blockDim.x);
}

/// body(thread, threads) for as many threads as there are items, or less of very many.
template <typename Body>
inline void LaunchThreads(const Body& body, std::ptrdiff_t items, cudaStream_t stream,
                          const char* what) {
  if (items == 0) return;
  const std::ptrdiff_t blocks =
      Layout::Smaller((items + kBlockThreads - 1) / kBlockThreads, kMaxBlocksX);
  ThreadsKernel<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(body);
  Check(cudaPeekAtLastError(), what);
}

/// body(tx, nx, ty, ny) of all threads; a row of these has body.PacksOfRow() units to do.
template <typename Body>
inline void LaunchMap(const Body& body, std::ptrdiff_t rows, cudaStream_t stream) {
  const Layout layout = Layout::Of(rows, body.PacksOfRow(), body.UnitsOfThread());
  MapKernel<<<layout.grid, layout.block, 0, stream>>>(body);
  Check(cudaPeekAtLastError(), "the launch of a statement");
}

/// Running sums down columns, of few long ones in parts.
template <typename Body>
inline void ScanColumns(const Body& body, Stream<gpu>* stream) {
  const std::ptrdiff_t parts = PartsOfColumns(body);
  const cudaStream_t on = Stream<gpu>::GetStream(stream);
  if (parts == 1) return LaunchMap(body, body.RowsOfThreads(), on);
  detail::Temporary<gpu, 2, typename Body::Acc> sums(
      Shape2(static_cast<index_t>(parts), static_cast<index_t>(body.Columns())), stream);
  ScanInParts(body, sums.tensor(), [&](const auto& part) {
    if (part.parts > 1) {
      LaunchMap(part, part.RowsOfThreads(), on);
    } else {
      ScanColumns(part, stream);
    }
  });
}

#endif  // __CUDACC__

}  // namespace cuda

template <>
struct Executor<gpu> {
  /// dst(y, x) Saver= plan(y, x) over `shape`, asynchronously on `stream`.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Map(const Dst& dst, const Src& src, const Shape<2>& shape, Stream<gpu>* stream) {
#ifdef __CUDACC__
    static_assert(cuda::kHasKernels<DType>,
                  "mshadow: kernels of std::complex, whose constructors are constexpr, need nvcc "
                  "--expt-relaxed-constexpr");
    const cudaStream_t on = Stream<gpu>::GetStream(stream);
    cuda::ChooseBody<Saver, DType>(
        dst, src, shape,
        [&](const auto& body) {
          using Body = std::decay_t<decltype(body)>;
          const dim3 grid(
              static_cast<unsigned>(cuda::Layout::Smaller(body.TilesAcross(), cuda::kMaxBlocksX)),
              static_cast<unsigned>(cuda::Layout::Smaller(body.TilesDown(), cuda::kMaxBlocksY)));
          cuda::TileKernel<<<grid, Body::kThreads, 0, on>>>(body);
          cuda::Check(cudaPeekAtLastError(), "the launch of a statement");
        },
        [&](const auto& body) {
          const unsigned blocks =
              static_cast<unsigned>(cuda::Layout::Smaller(body.rows, cuda::kMaxBlocksX));
          if (body.cols <= cuda::kShortScan) {
            cuda::ScanKernel<32><<<blocks, 32, 0, on>>>(body);
          } else {
            cuda::ScanKernel<cuda::kBlockThreads><<<blocks, cuda::kBlockThreads, 0, on>>>(body);
          }
          cuda::Check(cudaPeekAtLastError(), "the launch of a statement");
        },
        [&](const auto& body) { cuda::ScanColumns(body, stream); },
        [&](const auto& body) { cuda::LaunchMap(body, body.rows, on); });
#else
    static_assert(detail::Never<Saver>::value,
                  "mshadow: a statement on Tensor<gpu, ...> is a kernel; compile this file with "
                  "nvcc (as .cu). Memory, streams and Copy work in other files too");
#endif
  }

  /// dst Saver= exp, if it reduces rows and uses the results in these, in one kernel. False: no.
  template <typename Saver, typename DType, typename R, typename E, typename Memory>
  static bool MapRows([[maybe_unused]] const R& dst, [[maybe_unused]] const E& exp,
                      [[maybe_unused]] Memory* memory) {
#ifdef __CUDACC__
    // Shorter rows leave threads idle; longer ones are in no cache when they are read again.
    constexpr std::ptrdiff_t kLeast = 16, kMost = (std::ptrdiff_t{256} << 10) / sizeof(DType);
    return cuda::MapRowFolds<Saver, DType>(
        dst, exp, memory,
        [](std::ptrdiff_t, std::ptrdiff_t cols) { return kLeast <= cols && cols <= kMost; },
        [&](const auto& body) {
          using Body = std::decay_t<decltype(body)>;
          // Bytes of a row for each thread: those of the 1024 that registers allow on a
          // multiprocessor are in its cache together. Some lanes of a warp take a row, or a block;
          // a warp takes twice as much before a block does.
          constexpr int kSize = static_cast<int>(sizeof(DType)), kBytes = kSize == 4 ? 64 : 128;
          constexpr int kOfThread = kBytes / kSize;
          const int cols = body.map.cols;
          int across = 2;
          while (across < 32 && across * kOfThread < cols) across *= 2;
          if (across * 128 < cols * kSize) {
            while (across < 1024 && across * kOfThread < cols) across *= 2;
          }
          const int down = across <= 32 ? cuda::kBlockThreads / across : 1;
          const int blocks = (body.rows() + down - 1) / down;
          cuda::RowFoldsKernel<Body, decltype(body.folds)>
              <<<static_cast<unsigned>(blocks),
                 dim3(static_cast<unsigned>(across), static_cast<unsigned>(down)), 0,
                 Stream<gpu>::GetStream(expr::StreamInfo<gpu, R>::Get(dst))>>>(body);
          cuda::Check(cudaPeekAtLastError(), "the launch of a statement");
        });
#else
    return false;
#endif
  }

  /// Several such statements in one kernel, each an expr::LazyAssignment::Planned.
  template <typename... Maps>
  static void MapFused(const Shape<2>& shape, Stream<gpu>* stream, const Maps&... maps) {
#ifdef __CUDACC__
    const cudaStream_t on = Stream<gpu>::GetStream(stream);
    cuda::ChooseFusedBody(
        shape, [&](const auto& body, std::ptrdiff_t rows) { cuda::LaunchMap(body, rows, on); },
        maps...);
#else
    static_assert(sizeof...(Maps) == 0,
                  "mshadow: fused statements on Tensor<gpu, ...> are a kernel; compile this file "
                  "with nvcc (as .cu)");
#endif
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_EXECUTOR_H_
