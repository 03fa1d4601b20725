// SPDX-License-Identifier: Apache-2.0
// What sorting, searching and counting on a CUDA device are made of: CUB's radix sorts, selection,
// sums and reductions, and loops.
#ifndef MSHADOW_BACKEND_GPU_PRIMITIVES_H_
#define MSHADOW_BACKEND_GPU_PRIMITIVES_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA && defined(__CUDACC__)

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <cstddef>
#include <cstdint>

#include "device.h"
#include "function/rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// T::Combine as an object.
template <typename T>
struct CombineOf {
  MSHADOW_XINLINE T operator()(const T& a, const T& b) const { return T::Combine(a, b); }
};
/// Where a segment of `length` elements begins.
struct SegmentBegin {
  std::int64_t length;
  MSHADOW_XINLINE std::int64_t operator()(std::int64_t segment) const { return segment * length; }
};

/// Few counters lie in shared memory: all threads of the device wait for one another at those in
/// global memory.
constexpr std::ptrdiff_t kSharedCounters = 4096;

/// ++counts[body(i)] for each i < n with body(i) >= 0.
template <typename Body>
__global__ void __launch_bounds__(kBlockThreads)
    CountKernel(const __grid_constant__ Body body, std::ptrdiff_t n, std::ptrdiff_t bins,
                std::int64_t* counts) {
  extern __shared__ unsigned own[];
  const bool is_shared = bins <= kSharedCounters;
  const std::ptrdiff_t threads = blockDim.x, thread = threadIdx.x;
  if (is_shared) {
    for (std::ptrdiff_t b = thread; b < bins; b += threads) own[b] = 0;
    __syncthreads();
  }
  for (std::ptrdiff_t i = blockIdx.x * threads + thread; i < n; i += gridDim.x * threads) {
    const std::ptrdiff_t bin = body(i);
    if (bin < 0) continue;
    if (is_shared) {
      atomicAdd(own + bin, 1u);
    } else {
      AtomicAdd(counts + bin, std::int64_t{1});
    }
  }
  if (is_shared) {
    __syncthreads();
    for (std::ptrdiff_t b = thread; b < bins; b += threads) {
      if (own[b] != 0) AtomicAdd(counts + b, static_cast<std::int64_t>(own[b]));
    }
  }
}

/// Memory for work on one stream.
class StreamBytes {
 public:
  StreamBytes(std::size_t bytes, Stream<gpu>* stream)
      : stream_(stream), data_(DeviceApi<gpu>::AllocTemporary(bytes, stream)) {}
  ~StreamBytes() { DeviceApi<gpu>::FreeTemporary(data_, stream_); }
  StreamBytes(const StreamBytes&) = delete;
  StreamBytes& operator=(const StreamBytes&) = delete;
  void* data() const { return data_; }

 private:
  Stream<gpu>* stream_;
  void* data_;
};

/// All of them are asynchronous on the stream; those that return a number wait for it.
/// order/device/primitives.h documents them.
class CubPrimitives {
 public:
  explicit CubPrimitives(Stream<gpu>* stream)
      : stream_(stream), on_(Stream<gpu>::GetStream(stream)) {}

  template <typename Body>
  void ForEach(std::ptrdiff_t rows, std::ptrdiff_t cols, const Body& body) const {
    LaunchItems(body, rows, cols, on_, "the launch of a function of <mshadow/index.h>");
  }

  template <typename Bits>
  void SortKeys(const Bits* keys, Bits* sorted, std::ptrdiff_t lanes, std::ptrdiff_t n,
                int width) const {
    EachOrAll(
        lanes, n,
        [=](std::ptrdiff_t first, void* memory, std::size_t& bytes) {
          return cub::DeviceRadixSort::SortKeys(memory, bytes, keys + first, sorted + first,
                                                std::int64_t{n}, 0, width, on_);
        },
        [=](const auto& begin, void* memory, std::size_t& bytes) {
          return cub::DeviceSegmentedSort::SortKeys(memory, bytes, keys, sorted,
                                                    std::int64_t{lanes * n}, std::int64_t{lanes},
                                                    begin, begin + 1, on_);
        });
  }
  template <typename Bits, typename Place>
  void SortPairs(const Bits* keys, Bits* sorted, const Place* places, Place* sorted_places,
                 std::ptrdiff_t lanes, std::ptrdiff_t n, int width) const {
    EachOrAll(
        lanes, n,
        [=](std::ptrdiff_t first, void* memory, std::size_t& bytes) {
          return cub::DeviceRadixSort::SortPairs(memory, bytes, keys + first, sorted + first,
                                                 places + first, sorted_places + first,
                                                 std::int64_t{n}, 0, width, on_);
        },
        [=](const auto& begin, void* memory, std::size_t& bytes) {
          return cub::DeviceSegmentedSort::StableSortPairs(
              memory, bytes, keys, sorted, places, sorted_places, std::int64_t{lanes * n},
              std::int64_t{lanes}, begin, begin + 1, on_);
        });
  }

  void Select(const bool* flags, std::ptrdiff_t n, std::int64_t* places) const {
    const StreamBytes count(sizeof(std::int64_t), stream_);
    Run("cub::DeviceSelect::Flagged", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<std::int64_t>(0),
                                        flags, places, static_cast<std::int64_t*>(count.data()),
                                        std::int64_t{n}, on_);
    });
  }

  template <typename T>
  void InclusiveSum(const T* in, T* out, std::ptrdiff_t n) const {
    Run("cub::DeviceScan::InclusiveSum", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(memory, bytes, in, out, std::int64_t{n}, on_);
    });
  }

  template <typename T, typename Body>
  T Reduce(std::ptrdiff_t n, const Body& body) const {
    T result;
    if (n == 0) return result;
    const StreamBytes on_device(sizeof(T), stream_);
    T* const to = static_cast<T*>(on_device.data());
    Run("cub::DeviceReduce::TransformReduce", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(memory, bytes,
                                                thrust::counting_iterator<std::int64_t>(0), to,
                                                std::int64_t{n}, CombineOf<T>(), body, result, on_);
    });
    DeviceApi<gpu>::Copy2D(&result, sizeof(T), to, sizeof(T), sizeof(T), 1, stream_);
    if (stream_ != nullptr) stream_->Wait();
    return result;
  }

  template <typename Body>
  void Count(std::ptrdiff_t n, std::ptrdiff_t bins, const Body& body, std::int64_t* counts) const {
    if (n == 0 || bins == 0) return;
    // As many blocks as run at once: each clears and adds all counters.
    constexpr std::ptrdiff_t kBlocks = 1024, kEach = 16 * kBlockThreads;
    const std::ptrdiff_t needed = (n + kEach - 1) / kEach;
    const auto blocks = static_cast<unsigned>(needed < kBlocks ? needed : kBlocks);
    const std::size_t shared = bins <= kSharedCounters ? bins * sizeof(unsigned) : 0;
    CountKernel<<<blocks, kBlockThreads, shared, on_>>>(body, n, bins, counts);
    Check(cudaPeekAtLastError(), "the launch of a count");
  }

 private:
  /// call(memory, bytes) with the memory that it asks for.
  template <typename F>
  void Run(const char* what, const F& call) const {
    std::size_t bytes = 0;
    Check(call(nullptr, bytes), what);
    const StreamBytes memory(bytes, stream_);
    Check(call(memory.data(), bytes), what);
  }
  /// Sorts the lanes one after another where few fill the device each, else all at once: then a
  /// block of threads sorts a lane.
  template <typename Each, typename All>
  void EachOrAll(std::ptrdiff_t lanes, std::ptrdiff_t n, const Each& each, const All& all) const {
    if (lanes == 0 || n == 0) return;
    if (lanes > 1 && (lanes >= 128 || n < (1 << 17))) {
      const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                         SegmentBegin{n});
      return Run("cub::DeviceSegmentedSort",
                 [&](void* memory, std::size_t& bytes) { return all(begin, memory, bytes); });
    }
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      Run("cub::DeviceRadixSort",
          [&](void* memory, std::size_t& bytes) { return each(lane * n, memory, bytes); });
    }
  }

  Stream<gpu>* stream_;
  cudaStream_t on_;
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA && defined(__CUDACC__)
#endif  // MSHADOW_BACKEND_GPU_PRIMITIVES_H_
