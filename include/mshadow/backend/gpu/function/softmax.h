// SPDX-License-Identifier: Apache-2.0
// Softmax on a CUDA device: a row is read once and kept in registers where it fits there.
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

/// op over the values of kGroup threads, a warp or a block, in a fixed order; all get the result.
template <int kGroup, typename T, typename Op>
__device__ __forceinline__ T AllReduce(T value, T* shared, const Op& op) {
  for (int step = 16; step > 0; step /= 2) value = op(value, __shfl_xor_sync(~0u, value, step));
  if constexpr (kGroup > 32) {
    constexpr int kWarps = kGroup / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    __syncthreads();  // the values of the last call have been read
    if (lane == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    value = shared[lane % kWarps];
    for (int step = kWarps / 2; step > 0; step /= 2) {
      value = op(value, __shfl_xor_sync(~0u, value, step));
    }
  }
  return value;
}

/// Elements of a row that a thread keeps.
constexpr int kSoftmaxKept = 32;

/// kGroup threads a row; rows of up to kGroup * kSoftmaxKept elements are read once, longer ones
/// twice.
template <int kGroup, bool kKeep, typename DType>
__global__ void __launch_bounds__(kGroup > kBlockThreads ? kGroup : kBlockThreads)
    SoftmaxKernel(const __grid_constant__ SoftmaxRows<DType> s) {
  using Acc = Accumulator<DType>;
  constexpr int kGroups = kGroup > kBlockThreads ? 1 : kBlockThreads / kGroup;
  __shared__ Acc shared[32];
  const int lane = static_cast<int>(threadIdx.x) % kGroup;
  const auto maximum = [](Acc a, Acc b) { return red::maximum::Combine(a, b); };
  const auto sum = [](Acc a, Acc b) { return a + b; };
  for (std::ptrdiff_t y = static_cast<std::ptrdiff_t>(blockIdx.x) * kGroups + threadIdx.x / kGroup;
       y < s.rows; y += static_cast<std::ptrdiff_t>(gridDim.x) * kGroups) {
    const DType* const from = s.src + y * s.src_stride;
    DType* const to = s.dst + y * s.dst_stride;
    if constexpr (kKeep) {
      Acc kept[kSoftmaxKept];
      Acc most = red::limits::NegInfValue<Acc>(), total = Acc(0);
#pragma unroll
      for (int i = 0; i < kSoftmaxKept; ++i) {
        const std::ptrdiff_t x = lane + static_cast<std::ptrdiff_t>(i) * kGroup;
        kept[i] = x < s.cols ? static_cast<Acc>(from[x]) : red::limits::NegInfValue<Acc>();
      }
#pragma unroll
      for (int i = 0; i < kSoftmaxKept; ++i) most = maximum(most, kept[i]);
      most = AllReduce<kGroup>(most, shared, maximum);
#pragma unroll
      for (int i = 0; i < kSoftmaxKept; ++i) {
        const bool inside = lane + static_cast<std::ptrdiff_t>(i) * kGroup < s.cols;
        kept[i] = inside ? op::exp::Map(static_cast<Acc>(kept[i] - most)) : Acc(0);
        total += kept[i];
      }
      const Acc scale = Acc(1) / AllReduce<kGroup>(total, shared, sum);
#pragma unroll
      for (int i = 0; i < kSoftmaxKept; ++i) {
        const std::ptrdiff_t x = lane + static_cast<std::ptrdiff_t>(i) * kGroup;
        if (x < s.cols) to[x] = static_cast<DType>(kept[i] * scale);
      }
    } else {
      SoftmaxState<Acc> state = SoftmaxState<Acc>::Empty();
      for (std::ptrdiff_t x = lane; x < s.cols; x += kGroup) state.Add(static_cast<Acc>(from[x]));
      const Acc most = AllReduce<kGroup>(state.most, shared, maximum);
      state.Merge(SoftmaxState<Acc>{most, Acc(0)});
      state.sum = AllReduce<kGroup>(state.sum, shared, sum);
      const Acc scale = state.Scale();
      for (std::ptrdiff_t x = lane; x < s.cols; x += kGroup) {
        const Acc value = static_cast<Acc>(from[x]);
        to[x] = static_cast<DType>(op::exp::Map(static_cast<Acc>(value - most)) * scale);
      }
    }
  }
}

template <typename DType>
inline void LaunchSoftmax(const SoftmaxRows<DType>& s, cudaStream_t stream) {
  if (s.rows == 0 || s.cols == 0) return;
  const auto blocks = [&](std::ptrdiff_t rows_a_block) {
    return static_cast<unsigned>(
        Layout::Smaller((s.rows + rows_a_block - 1) / rows_a_block, kMostBlocksX));
  };
  if (s.cols <= 32 * kSoftmaxKept) {
    SoftmaxKernel<32, true><<<blocks(kBlockThreads / 32), kBlockThreads, 0, stream>>>(s);
  } else if (s.cols <= kBlockThreads * kSoftmaxKept) {
    SoftmaxKernel<kBlockThreads, true><<<blocks(1), kBlockThreads, 0, stream>>>(s);
  } else if (s.cols <= 1024 * kSoftmaxKept) {
    SoftmaxKernel<1024, true><<<blocks(1), 1024, 0, stream>>>(s);
  } else {
    SoftmaxKernel<1024, false><<<blocks(1), 1024, 0, stream>>>(s);
  }
  Check(cudaPeekAtLastError(), "the launch of Softmax");
}

#endif  // __CUDACC__

}  // namespace cuda
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_H_
