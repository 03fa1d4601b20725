// SPDX-License-Identifier: Apache-2.0
// Softmax on a CUDA device: a row is read once and kept, in registers or shared memory, where it
// fits there.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_

#include "../../../core/dtype.h"
#include "../../../op/elementary.h"
#include "../../../op/reducer.h"
#ifdef __CUDACC__
#include "../executor.h"
#endif

namespace mshadow {
namespace cuda {

/// The largest element so far, and the sum of exp(element - largest): what softmax needs of a row,
/// in one pass (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018).
template <typename Acc>
struct SoftmaxState {
  Acc most, sum;

  MSHADOW_XINLINE static SoftmaxState Empty() {
    return SoftmaxState{red::limits::NegInfValue<Acc>(), Acc(0)};
  }
  /// 1 / sum; NaN where the largest element is infinite or NaN.
  MSHADOW_XINLINE Acc Scale() const { return Acc(1) / sum + (most - most); }
  MSHADOW_XINLINE void Add(Acc value) { Merge(SoftmaxState{value, Acc(1)}); }
  MSHADOW_XINLINE void Merge(const SoftmaxState& other) {
    const Acc both = red::maximum::Combine(most, other.most);
    sum = Part(*this, both) + Part(other, both);
    most = both;
  }

 private:
  /// The sum of `state` seen from `both`; as it is where they are equal, infinities too.
  MSHADOW_XINLINE static Acc Part(const SoftmaxState& state, Acc both) {
    return state.most == both ? state.sum
                              : state.sum * op::exp::Map(static_cast<Acc>(state.most - both));
  }
};

/// Rows of `cols` elements; `dst` may be `src`.
template <typename DType>
struct SoftmaxRows {
  DType* dst;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, rows, cols;
};

/// One thread's columns (n, x): dst[n][c][x] = softmax over c of src[n][c][x].
template <typename DType>
struct SoftmaxChannels {
  using Acc = Accumulator<DType>;
  DType* dst;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, images, channels, cols;

  MSHADOW_XINLINE void operator()(std::ptrdiff_t thread, std::ptrdiff_t threads) const {
    for (std::ptrdiff_t i = thread; i < images * cols; i += threads) {
      const std::ptrdiff_t image = i / cols, x = i - image * cols;
      const DType* const from = src + image * channels * src_stride + x;
      DType* const to = dst + image * channels * dst_stride + x;
      SoftmaxState<Acc> state = SoftmaxState<Acc>::Empty();
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        state.Add(static_cast<Acc>(from[c * src_stride]));
      }
      const Acc scale = state.Scale();
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const Acc value = static_cast<Acc>(from[c * src_stride]);
        to[c * dst_stride] = static_cast<DType>(
            op::exp::Map(static_cast<Acc>(value - state.most)) * scale);
      }
    }
  }
};

#ifdef __CUDACC__

/// op over the values of a warp, in a fixed order; all get the result.
template <typename T, typename Op>
__device__ __forceinline__ T WarpAllReduce(T value, const Op& op) {
  for (int step = 16; step > 0; step /= 2) value = op(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

/// The same of a block of whole warps, a power of two of them, by way of `shared`.
template <typename T, typename Op>
__device__ __forceinline__ T BlockAllReduce(T value, T (&shared)[32], const Op& op) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warps = static_cast<int>(blockDim.x) / 32;
  value = WarpAllReduce(value, op);
  __syncthreads();  // the values of the last call have been read
  if (lane == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[lane % warps];
  for (int step = warps / 2; step > 0; step /= 2) {
    value = op(value, __shfl_xor_sync(~0u, value, step));
  }
  return value;
}

template <typename Acc>
struct MaximumOf {
  MSHADOW_XINLINE Acc operator()(Acc a, Acc b) const { return red::maximum::Combine(a, b); }
};
template <typename Acc>
struct SumOf {
  MSHADOW_XINLINE Acc operator()(Acc a, Acc b) const { return a + b; }
};

/// value[i] = from[x + i * step] of a row of `cols`; minus infinity behind its end, which adds
/// nothing.
template <int kItems, typename DType, typename Acc>
__device__ __forceinline__ void LoadItems(const DType* from, std::ptrdiff_t x, std::ptrdiff_t step,
                                          std::ptrdiff_t cols, Acc (&value)[kItems]) {
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const std::ptrdiff_t at = x + i * step;
    value[i] = at < cols ? static_cast<Acc>(from[at]) : red::limits::NegInfValue<Acc>();
  }
}

/// Blocks of 256 threads that a multiprocessor is to have registers for.
template <typename DType>
constexpr int kSoftmaxBlocks = sizeof(Accumulator<DType>) > 4 ? 2 : 4;

/// Rows of up to 32 kItems elements, each kept in the registers of a warp.
template <int kItems, typename DType>
__global__ void __launch_bounds__(kBlockThreads, kSoftmaxBlocks<DType>)
    SoftmaxWarpKernel(const __grid_constant__ SoftmaxRows<DType> s) {
  using Acc = Accumulator<DType>;
  const int lane = static_cast<int>(threadIdx.x) % 32, cols = static_cast<int>(s.cols);
  const std::ptrdiff_t warps = static_cast<std::ptrdiff_t>(gridDim.x) * (kBlockThreads / 32);
  for (std::ptrdiff_t y = (static_cast<std::ptrdiff_t>(blockIdx.x) * kBlockThreads + threadIdx.x) /
                          32;
       y < s.rows; y += warps) {
    Acc kept[kItems];
    LoadItems(s.src + y * s.src_stride, lane, 32, cols, kept);
    Acc most = kept[0], total = Acc(0);
#pragma unroll
    for (int i = 1; i < kItems; ++i) most = MaximumOf<Acc>()(most, kept[i]);
    most = WarpAllReduce(most, MaximumOf<Acc>());
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      kept[i] = op::exp::Map(static_cast<Acc>(kept[i] - most));
      total += kept[i];
    }
    const Acc scale = Acc(1) / WarpAllReduce(total, SumOf<Acc>());
    DType* const to = s.dst + y * s.dst_stride;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int x = lane + i * 32;
      if (x < cols) to[x] = static_cast<DType>(kept[i] * scale);
    }
  }
}

/// The state of `value`, minus infinity where there is none.
template <int kItems, typename Acc>
__device__ __forceinline__ SoftmaxState<Acc> StateOf(const Acc (&value)[kItems]) {
  Acc most = value[0], sum = Acc(0);
#pragma unroll
  for (int i = 1; i < kItems; ++i) most = MaximumOf<Acc>()(most, value[i]);
  const Acc base = most == red::limits::NegInfValue<Acc>() ? Acc(0) : most;
#pragma unroll
  for (int i = 0; i < kItems; ++i) sum += op::exp::Map(static_cast<Acc>(value[i] - base));
  return SoftmaxState<Acc>{most, sum};
}

/// The states of all threads of a block together.
template <typename Acc>
__device__ __forceinline__ SoftmaxState<Acc> BlockState(SoftmaxState<Acc> state,
                                                        Acc (&shared)[32]) {
  const Acc most = BlockAllReduce(state.most, shared, MaximumOf<Acc>());
  state.Merge(SoftmaxState<Acc>{most, Acc(0)});
  state.sum = BlockAllReduce(state.sum, shared, SumOf<Acc>());
  return state;
}

/// Longer rows, each kept in the shared memory of a block, cols * sizeof(Acc) bytes. While a row is
/// written the next one is read into its place, so that memory is never idle.
template <typename DType>
__global__ void __launch_bounds__(1024)
    SoftmaxBlockKernel(const __grid_constant__ SoftmaxRows<DType> s) {
  using Acc = Accumulator<DType>;
  constexpr int kAhead = 8;
  extern __shared__ __align__(16) unsigned char softmax_row[];
  Acc* const kept = reinterpret_cast<Acc*>(softmax_row);
  __shared__ Acc shared[32];
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int cols = static_cast<int>(s.cols);
  SoftmaxState<Acc> state = SoftmaxState<Acc>::Empty();
  bool first_row = true;
  // A thread reads from `kept` what it wrote there: nobody waits.
  for (std::ptrdiff_t y = blockIdx.x; first_row || y - gridDim.x < s.rows; y += gridDim.x) {
    const bool reads = y < s.rows;
    const DType* const from = s.src + y * s.src_stride;
    DType* const to = s.dst + (y - gridDim.x) * s.dst_stride;
    if (!first_row) state = BlockState(state, shared);
    const Acc most = state.most, scale = first_row ? Acc(0) : state.Scale();
    state = SoftmaxState<Acc>::Empty();
    for (int first = t; first < cols; first += kAhead * threads) {
      Acc value[kAhead];
      LoadItems(from, first, threads, reads ? cols : 0, value);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const int x = first + i * threads;
        if (x >= cols) break;
        if (!first_row) {
          to[x] = static_cast<DType>(op::exp::Map(static_cast<Acc>(kept[x] - most)) * scale);
        }
        kept[x] = value[i];
      }
      if (reads) state.Merge(StateOf(value));
    }
    first_row = false;
  }
}

/// Rows that fit nowhere are read twice, the second time from the cache where they fit there.
template <typename DType>
__global__ void __launch_bounds__(1024, kSoftmaxBlocks<DType> / 2)
    SoftmaxTwiceKernel(const __grid_constant__ SoftmaxRows<DType> s) {
  using Acc = Accumulator<DType>;
  constexpr int kAhead = 4;
  __shared__ Acc shared[32];
  const std::ptrdiff_t threads = static_cast<std::ptrdiff_t>(blockDim.x);
  for (std::ptrdiff_t y = blockIdx.x; y < s.rows; y += gridDim.x) {
    const DType* const from = s.src + y * s.src_stride;
    DType* const to = s.dst + y * s.dst_stride;
    SoftmaxState<Acc> state = SoftmaxState<Acc>::Empty();
    for (std::ptrdiff_t first = threadIdx.x; first < s.cols; first += kAhead * threads) {
      Acc value[kAhead];
      LoadItems(from, first, threads, s.cols, value);
      state.Merge(StateOf(value));
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

template <typename DType>
inline void LaunchSoftmax(const SoftmaxRows<DType>& s, cudaStream_t stream) {
  using Acc = Accumulator<DType>;
  if (s.rows == 0 || s.cols == 0) return;
  const auto blocks = [&](std::ptrdiff_t rows_a_block) {
    return static_cast<unsigned>(
        Layout::Smaller((s.rows + rows_a_block - 1) / rows_a_block, kMostBlocksX));
  };
  if (s.cols <= 32 * 4) {
    SoftmaxWarpKernel<4><<<blocks(kBlockThreads / 32), kBlockThreads, 0, stream>>>(s);
    return Check(cudaPeekAtLastError(), "the launch of Softmax");
  }
  if (s.cols <= 32 * 32) {
    SoftmaxWarpKernel<32><<<blocks(kBlockThreads / 32), kBlockThreads, 0, stream>>>(s);
    return Check(cudaPeekAtLastError(), "the launch of Softmax");
  }
  int device = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    Check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return static_cast<std::ptrdiff_t>(value);
  };
  constexpr std::ptrdiff_t kDeclared = 1024;  // more than kernel and system have beside rows
  constexpr std::ptrdiff_t kAlways = 48 << 10;  // bytes that need not be asked for
  const std::ptrdiff_t bytes = s.cols * static_cast<std::ptrdiff_t>(sizeof(Acc));
  if (bytes > attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - kDeclared) {
    SoftmaxTwiceKernel<<<blocks(1), 1024, 0, stream>>>(s);
    return Check(cudaPeekAtLastError(), "the launch of Softmax");
  }
  if (bytes > kAlways - kDeclared) {
    Check(cudaFuncSetAttribute(SoftmaxBlockKernel<DType>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
  }
  // Threads so that several blocks, by their shared memory, fill a multiprocessor; blocks for all
  // multiprocessors, each of which then has several rows.
  const int threads = s.cols <= 8192 ? 256 : s.cols <= 16384 ? 512 : 1024;
  const std::ptrdiff_t by_memory =
      attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / (bytes + kDeclared);
  const std::ptrdiff_t resident = Layout::Smaller(2048 / threads, by_memory < 1 ? 1 : by_memory);
  const std::ptrdiff_t all = resident * attribute(cudaDevAttrMultiProcessorCount);
  SoftmaxBlockKernel<<<static_cast<unsigned>(Layout::Smaller(s.rows, all)), threads,
                       static_cast<std::size_t>(bytes), stream>>>(s);
  Check(cudaPeekAtLastError(), "the launch of Softmax");
}

#endif  // __CUDACC__

}  // namespace cuda
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_
