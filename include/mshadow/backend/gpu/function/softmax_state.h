// SPDX-License-Identifier: Apache-2.0
// What softmax keeps of a row on a CUDA device, and how the threads of a warp, of a block and of a
// cluster of blocks join it.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_STATE_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_STATE_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../expr/plan/pack.h"
#include "../../../op/elementary.h"
#include "../../../op/reducer.h"

MSHADOW_NAMESPACE_BEGIN
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

#ifdef __CUDACC__

/// Reducer over the values of each `lanes` neighbours of a warp, in a fixed order; all get the
/// result.
template <typename Reducer, typename T>
__device__ __forceinline__ T WarpAllReduce(T value, int lanes = 32) {
  for (int step = lanes / 2; step > 0; step /= 2) {
    value = Reducer::Combine(value, __shfl_xor_sync(~0u, value, step));
  }
  return value;
}

/// The same over a block of whole warps, a power of two of them, through `shared`.
template <typename Reducer, typename T>
__device__ __forceinline__ T BlockAllReduce(T value, T (&shared)[32]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warps = static_cast<int>(blockDim.x) / 32;
  value = WarpAllReduce<Reducer>(value);
  __syncthreads();  // the values of the last call have been read
  if (lane == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  return WarpAllReduce<Reducer>(shared[lane % warps], warps);
}

/// value[i] = pack p + step i of a row of `packs`: neighbours in memory are neighbours in a warp.
/// Minus infinity, which adds nothing, after the end of the row; `whole`: none is there.
template <bool whole, int W, int kPacks, typename DType>
__device__ __forceinline__ void LoadPacks(const DType* from, std::ptrdiff_t p, std::ptrdiff_t packs,
                                          expr::Pack<DType, W> (&value)[kPacks], int step = 32) {
  const auto* const row = reinterpret_cast<const expr::Pack<DType, W>*>(from);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    if (whole || p + step * i < packs) {
      value[i] = expr::LoadPack(row + p + step * i);
    } else {
#pragma unroll
      for (int k = 0; k < W; ++k) value[i].item[k] = red::limits::NegInfValue<DType>();
    }
  }
}

/// Adds elements, minus infinity where there is none, to a state.
template <int W, int kPacks, typename DType, typename Acc>
__device__ __forceinline__ void AddPacks(const expr::Pack<DType, W> (&pack)[kPacks],
                                         SoftmaxState<Acc>* state) {
  Acc value[kPacks * W], sum = Acc(0);
#pragma unroll
  for (int i = 0; i < kPacks * W; ++i) value[i] = static_cast<Acc>(pack[i / W].item[i % W]);
  Acc most = value[0];
#pragma unroll
  for (int i = 1; i < kPacks * W; ++i) most = red::maximum::Combine(most, value[i]);
  most = red::maximum::Combine(most, state->most);
  const Acc base = most == red::limits::NegInfValue<Acc>() ? Acc(0) : most;
  // exp2 takes fewer instructions than exp. That the product is rounded changes exp(-x) by x ulp at
  // most, and the sum, which is 1 or more, by less than its own rounding.
  constexpr Acc kLog2e = Acc(1.442695040888963407L);
#pragma unroll
  for (int i = 0; i < kPacks * W; ++i) {
    sum += op::exp2::Map(static_cast<Acc>((value[i] - base) * kLog2e));
  }
  // The largest element of many does not change often.
  if (most != state->most) state->sum *= op::exp::Map(static_cast<Acc>(state->most - base));
  *state = SoftmaxState<Acc>{most, state->sum + sum};
}

/// The states of all threads of a block together.
template <typename Acc>
__device__ __forceinline__ SoftmaxState<Acc> BlockState(SoftmaxState<Acc> state,
                                                        Acc (&shared)[32]) {
  const Acc most = BlockAllReduce<red::maximum>(state.most, shared);
  state.Merge(SoftmaxState<Acc>{most, Acc(0)});
  state.sum = BlockAllReduce<red::sum>(state.sum, shared);
  return state;
}

/// How many blocks share a row, and which of them this one is: a cluster on sm_90 and later.
__device__ __forceinline__ int ClusterBlocks() {
#if __CUDA_ARCH__ >= 900
  return static_cast<int>(__clusterSizeInBlocks());
#else
  return 1;
#endif
}
__device__ __forceinline__ int ClusterRank() {
#if __CUDA_ARCH__ >= 900
  return static_cast<int>(__clusterRelativeBlockRank());
#else
  return 0;
#endif
}
/// Waits for all threads of the cluster; what they wrote before is seen after.
__device__ __forceinline__ void ClusterSync() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
#endif
}

/// The states of all blocks of a cluster together. `shared` is another one than at the last call,
/// so that a block that is still reading there is not disturbed.
template <typename Acc>
__device__ __forceinline__ SoftmaxState<Acc> ClusterState(SoftmaxState<Acc> state,
                                                          SoftmaxState<Acc>& shared) {
#if __CUDA_ARCH__ >= 900
  const unsigned blocks = __clusterSizeInBlocks(), lane = threadIdx.x % 32;
  if (blocks == 1) return state;
  if (threadIdx.x == 0) shared = state;
  ClusterSync();
  state = lane < blocks
              ? *static_cast<const SoftmaxState<Acc>*>(__cluster_map_shared_rank(&shared, lane))
              : SoftmaxState<Acc>::Empty();
  const Acc most = WarpAllReduce<red::maximum>(state.most);
  state.Merge(SoftmaxState<Acc>{most, Acc(0)});
  state.sum = WarpAllReduce<red::sum>(state.sum);
#endif
  return state;
}

/// Where a thread begins in a row that the warps of its block take by kPacks * 32 packs in turn.
template <int kPacks>
__device__ __forceinline__ int FirstOfThread() {
  const int t = static_cast<int>(threadIdx.x);
  return t / 32 * (32 * kPacks) + t % 32;
}

#endif  // __CUDACC__

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_STATE_H_
