// SPDX-License-Identifier: Apache-2.0
// Softmax on a CUDA device: a row is read once and kept, in the registers of a warp or the shared
// memory of up to eight blocks, where it fits there.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_

#include <cstdint>

#include "../../../core/dtype.h"
#include "softmax_state.h"
#ifdef __CUDACC__
#include "../executor.h"
#endif

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Rows of `cols` elements; `dst` may be `src`.
template <typename DType>
struct SoftmaxRows {
  DType* dst;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, rows, cols;
};

#ifdef __CUDACC__

/// Blocks of 256 threads that a multiprocessor is to have registers for.
template <typename DType>
constexpr int kSoftmaxBlocks = sizeof(Accumulator<DType>) > 4 ? 2 : 4;
/// And of 1024 threads.
template <typename DType>
constexpr int kSoftmaxLargeBlocks = kHolds2048Threads ? kSoftmaxBlocks<DType> / 2 : 1;

/// Rows of up to `lanes` kItems elements, each kept in the registers of `lanes` lanes of a warp, a
/// power of two, that take packs of W elements in turn.
template <int kItems, int W, typename DType>
__global__ void __launch_bounds__(kBlockThreads, kSoftmaxBlocks<DType>)
    SoftmaxWarpKernel(const __grid_constant__ SoftmaxRows<DType> s, int lanes) {
  using Acc = Accumulator<DType>;
  using Pack = expr::Pack<DType, W>;
  const int lane = static_cast<int>(threadIdx.x) % lanes, packs = static_cast<int>(s.cols) / W;
  const int group = static_cast<int>(threadIdx.x) / lanes, groups = kBlockThreads / lanes;
  // All lanes of a warp go through the loop equally often.
  for (std::ptrdiff_t first = static_cast<std::ptrdiff_t>(blockIdx.x) * groups; first < s.rows;
       first += static_cast<std::ptrdiff_t>(gridDim.x) * groups) {
    const std::ptrdiff_t y = first + group;
    const int end = y < s.rows ? packs : 0;
    Pack pack[kItems / W];
    LoadPacks<false>(s.src + y * s.src_stride, lane, end, pack, lanes);
    Acc kept[kItems], total = Acc(0);
#pragma unroll
    for (int i = 0; i < kItems; ++i) kept[i] = static_cast<Acc>(pack[i / W].item[i % W]);
    Acc most = kept[0];
#pragma unroll
    for (int i = 1; i < kItems; ++i) most = red::maximum::Combine(most, kept[i]);
    most = WarpAllReduce<red::maximum>(most, lanes);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (i / W * lanes >= packs) break;
      kept[i] = op::exp::Map(static_cast<Acc>(kept[i] - most));
      total += kept[i];
    }
    const Acc scale = Acc(1) / WarpAllReduce<red::sum>(total, lanes);
    Pack* const to = reinterpret_cast<Pack*>(s.dst + y * s.dst_stride);
#pragma unroll
    for (int i = 0; i < kItems / W; ++i) {
      if (lane + i * lanes >= end) break;
      Pack out;
#pragma unroll
      for (int k = 0; k < W; ++k) out.item[k] = static_cast<DType>(kept[i * W + k] * scale);
      expr::StorePack(to + lane + i * lanes, out);
    }
  }
}

/// Longer rows, each kept in the shared memory of a cluster of blocks, `part` elements in each.
/// While a row is written the next one is read into its place, so that memory is never idle.
template <int W, typename DType>
__global__ void __launch_bounds__(1024)
    SoftmaxBlockKernel(const __grid_constant__ SoftmaxRows<DType> s, int part) {
  using Acc = Accumulator<DType>;
  using Pack = expr::Pack<DType, W>;
  constexpr int kAhead = W == 1 ? 8 : 2;  // packs that a thread has on their way
  extern __shared__ __align__(16) unsigned char softmax_row[];
  Pack* const kept = reinterpret_cast<Pack*>(softmax_row);
  __shared__ Acc shared[32];
  __shared__ SoftmaxState<Acc> of_block[2];
  const int begin = FirstOfThread<kAhead>(), step = static_cast<int>(blockDim.x) * kAhead;
  const std::ptrdiff_t clusters = gridDim.x / ClusterBlocks();
  const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(ClusterRank()) * part;
  const std::ptrdiff_t rest = s.cols - column;
  const int packs = static_cast<int>(rest < part ? rest : part) / W;
  // A thread's next packs, of the next row too, are on their way while it works and while the block
  // adds up. In `kept` it reads what it wrote there itself: nobody waits.
  Pack next[kAhead];
  const auto load = [&](std::ptrdiff_t y, int p) {
    const DType* const from = s.src + y * s.src_stride + column;
    if (y < s.rows && p + 32 * (kAhead - 1) < packs) {
      LoadPacks<true>(from, p, packs, next);
    } else {
      LoadPacks<false>(from, p, y < s.rows ? packs : 0, next);
    }
  };
  SoftmaxState<Acc> state = SoftmaxState<Acc>::Empty();
  bool first_row = true, odd = false;
  std::ptrdiff_t y = blockIdx.x / ClusterBlocks();
  for (load(y, begin); first_row || y - clusters < s.rows; y += clusters) {
    Pack* const to = reinterpret_cast<Pack*>(s.dst + (y - clusters) * s.dst_stride + column);
    if (!first_row) state = ClusterState(BlockState(state, shared), of_block[odd]);
    const Acc most = state.most, scale = first_row ? Acc(0) : state.Scale();
    state = SoftmaxState<Acc>::Empty();
    for (int p = begin; p < packs; p += step) {
      Pack value[kAhead];
#pragma unroll
      for (int i = 0; i < kAhead; ++i) value[i] = next[i];
      const bool same_row = p + step < packs;
      load(same_row ? y : y + clusters, same_row ? p + step : begin);
      const auto swap = [&](int at, const Pack& read) {
        if (!first_row) {
          const Pack old = expr::LoadPack(kept + at);
          Pack out;
#pragma unroll
          for (int k = 0; k < W; ++k) {
            const Acc x = static_cast<Acc>(old.item[k]) - most;
            out.item[k] = static_cast<DType>(op::exp::Map(static_cast<Acc>(x)) * scale);
          }
          expr::StorePack(to + at, out);
        }
        expr::StorePack(kept + at, read);
      };
      if (!first_row && p + 32 * (kAhead - 1) < packs) {
#pragma unroll
        for (int i = 0; i < kAhead; ++i) swap(p + 32 * i, value[i]);
      } else {
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
          if (p + 32 * i < packs) swap(p + 32 * i, value[i]);
        }
      }
      if (y < s.rows) AddPacks(value, &state);
    }
    first_row = false;
    odd = !odd;
  }
  ClusterSync();  // no block ends while another reads its shared memory
}

/// Rows that fit nowhere are read twice, the second time from the cache where they fit there.
template <typename DType>
__global__ void __launch_bounds__(1024, kSoftmaxLargeBlocks<DType>)
    SoftmaxTwiceKernel(const __grid_constant__ SoftmaxRows<DType> s) {
  using Acc = Accumulator<DType>;
  constexpr int kAhead = 4;
  __shared__ Acc shared[32];
  for (std::ptrdiff_t y = blockIdx.x; y < s.rows; y += gridDim.x) {
    const DType* const from = s.src + y * s.src_stride;
    DType* const to = s.dst + y * s.dst_stride;
    SoftmaxState<Acc> state = SoftmaxState<Acc>::Empty();
    const std::ptrdiff_t threads = static_cast<std::ptrdiff_t>(blockDim.x);
    for (std::ptrdiff_t x = FirstOfThread<kAhead>(); x < s.cols; x += threads * kAhead) {
      expr::Pack<DType, 1> value[kAhead];
      LoadPacks<false>(from, x, s.cols, value);
      AddPacks(value, &state);
    }
    state = BlockState(state, shared);
    const Acc scale = state.Scale();
#pragma unroll 4
    for (std::ptrdiff_t x = threadIdx.x; x < s.cols; x += threads) {
      const Acc value = static_cast<Acc>(from[x]);
      to[x] = static_cast<DType>(op::exp::Map(static_cast<Acc>(value - state.most)) * scale);
    }
  }
}

inline int DeviceAttribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

/// Whether blocks of SoftmaxBlockKernel can share a row: on devices that have clusters, by code
/// that was compiled for such.
template <int W, typename DType>
inline bool SoftmaxHasClusters() {
  cudaFuncAttributes code;
  Check(cudaFuncGetAttributes(&code, SoftmaxBlockKernel<W, DType>), "cudaFuncGetAttributes");
  return code.ptxVersion >= 90 && DeviceAttribute(cudaDevAttrClusterLaunch) != 0;
}

/// SoftmaxBlockKernel with clusters of `cluster` blocks of `threads` threads; false, and nothing
/// done, where the device has no place for them.
template <int W, typename DType>
inline bool LaunchSoftmaxBlocks(const SoftmaxRows<DType>& s, int cluster, int threads,
                                cudaStream_t stream) {
  constexpr std::ptrdiff_t kDeclared = 1024;  // more than kernel and system need
  const std::ptrdiff_t part = (s.cols + cluster * 32 * W - 1) / (cluster * 32 * W) * (32 * W);
  const std::ptrdiff_t bytes = part * static_cast<std::ptrdiff_t>(sizeof(DType));
  const std::ptrdiff_t most = DeviceAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - kDeclared;
  if (bytes > most) return false;
  const auto kernel = SoftmaxBlockKernel<W, DType>;
  // The same for every launch, as threads of the host may launch at a time.
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(most)),
        "cudaFuncSetAttribute");
  cudaLaunchAttribute shape;
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = static_cast<unsigned>(cluster);
  shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(cluster));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  config.attrs = &shape;
  config.numAttrs = cluster > 1 ? 1 : 0;
  // As many clusters as run at a time; each has several rows.
  int resident = 0;
  if (cluster > 1) {
    Check(cudaOccupancyMaxActiveClusters(&resident, kernel, &config),
          "cudaOccupancyMaxActiveClusters");
  } else {
    Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads,
                                                        config.dynamicSmemBytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    resident *= DeviceAttribute(cudaDevAttrMultiProcessorCount);
  }
  if (resident == 0) return false;
  config.gridDim.x = static_cast<unsigned>(Layout::Smaller(s.rows, resident)) *
                     static_cast<unsigned>(cluster);
  Check(cudaLaunchKernelEx(&config, kernel, s, static_cast<int>(part)), "the launch of Softmax");
  return true;
}

/// The same for rows of whole packs of W, at addresses of such.
template <int W, typename DType>
inline void LaunchSoftmaxPacks(const SoftmaxRows<DType>& s, cudaStream_t stream) {
  const auto blocks = [&](std::ptrdiff_t rows_a_block) {
    return static_cast<unsigned>(
        Layout::Smaller((s.rows + rows_a_block - 1) / rows_a_block, kMaxBlocksX));
  };
  if (s.cols <= 32 * 32) {
    // 32 bytes of each lane fill memory's pipes; single elements are those of few lanes.
    constexpr int kFewItems = W > 1 ? 32 / static_cast<int>(sizeof(DType)) : 4;
    int lanes = 1;
    while (lanes < 32 && lanes * kFewItems < s.cols) lanes *= 2;
    const auto kernel = s.cols <= 32 * kFewItems ? SoftmaxWarpKernel<kFewItems, W, DType>
                                                 : SoftmaxWarpKernel<32, W, DType>;
    kernel<<<blocks(kBlockThreads / lanes), kBlockThreads, 0, stream>>>(s, lanes);
    return Check(cudaPeekAtLastError(), "the launch of Softmax");
  }
  // Several blocks a multiprocessor, so that some work while others wait for their sums. Clusters
  // of more than 8 blocks are not found on every device.
  constexpr std::ptrdiff_t kGoodPart = (64 << 10) / sizeof(Accumulator<DType>);
  int cluster = 1;
  if (s.cols > kGoodPart && SoftmaxHasClusters<W, DType>()) {
    while (cluster < 8 && s.cols > cluster * kGoodPart) cluster *= 2;
  }
  const std::ptrdiff_t part = s.cols / cluster;
  const int threads = part <= 8192 ? 128 : part <= 16384 ? 256 : 1024;
  if (LaunchSoftmaxBlocks<W>(s, cluster, threads, stream)) return;
  SoftmaxTwiceKernel<<<blocks(1), 1024, 0, stream>>>(s);
  Check(cudaPeekAtLastError(), "the launch of Softmax");
}

template <typename DType>
inline void LaunchSoftmax(const SoftmaxRows<DType>& s, cudaStream_t stream) {
  if (s.rows == 0 || s.cols == 0) return;
  constexpr int kWidth = 16 / static_cast<int>(sizeof(DType));
  const auto address = [](const DType* at) { return reinterpret_cast<std::uintptr_t>(at) % 16; };
  if (address(s.dst) == 0 && address(s.src) == 0 && s.cols % kWidth == 0 &&
      s.dst_stride % kWidth == 0 && s.src_stride % kWidth == 0) {
    return LaunchSoftmaxPacks<kWidth>(s, stream);
  }
  LaunchSoftmaxPacks<1>(s, stream);
}

#endif  // __CUDACC__

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_
