// SPDX-License-Identifier: Apache-2.0
// Staging<gpu>: how tensors of a GPU travel. Providers that take its memory get it as it is; for
// the others the elements are copied to page-locked memory of the host, and back.
#ifndef MSHADOW_DIST_GPU_STAGING_H_
#define MSHADOW_DIST_GPU_STAGING_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "options.h"
#include "staging.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {
namespace detail {

inline void ChooseDevice(cpu, int) {}

#if MSHADOW_USE_CUDA

/// What staging keeps from one call to the next: page-locked memory, which takes milliseconds to
/// allocate, and a stream for each device. Never freed: CUDA may be gone before static objects are.
class GpuStagingPool {
 public:
  static GpuStagingPool& Get() {
    static GpuStagingPool* const pool = new GpuStagingPool;
    return *pool;
  }

  /// At least `bytes` bytes; give them back with the same number.
  void* Take(std::size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::vector<void*>& free = free_[Capacity(bytes)];
    if (free.empty()) {
      lock.unlock();
      return DeviceApi<gpu>::AllocHost(Capacity(bytes));
    }
    void* const memory = free.back();
    free.pop_back();
    return memory;
  }
  void Give(void* memory, std::size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_[Capacity(bytes)].push_back(memory);
  }

  /// For copies back: they need not wait for what the tensor's stream holds by then.
  Stream<gpu>* CopyStream(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Stream<gpu>>& stream = streams_[device];
    if (stream == nullptr) {
      auto made = std::make_unique<Stream<gpu>>();
      cuda::Check(cudaStreamCreateWithFlags(&made->stream_, cudaStreamNonBlocking),
                  "cudaStreamCreateWithFlags");
      stream = std::move(made);
    }
    return stream.get();
  }

 private:
  /// The next power of two: buffers serve calls of about their size.
  static std::size_t Capacity(std::size_t bytes) {
    std::size_t capacity = 4096;
    while (capacity < bytes) capacity *= 2;
    return capacity;
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;  // by capacity
  std::map<int, std::unique_ptr<Stream<gpu>>> streams_;
};

/// The memory of a call: the tensor's, or a packed copy on the device or on the host.
class GpuStage {
 public:
  enum Place { kTensor, kDevice, kHost };

  /// `rows` rows of `row_bytes` bytes, `pitch` bytes apart, on the current device.
  GpuStage(Place place, void* tensor, std::size_t pitch, std::size_t row_bytes, std::size_t rows,
           Stream<gpu>* stream)
      : place_(place), tensor_(tensor), pitch_(pitch), row_bytes_(row_bytes), rows_(rows) {
    // Not null: the copies are asynchronous on the default stream too.
    stream_.stream_ = Stream<gpu>::GetStream(stream);
    cuda::Check(cudaGetDevice(&device_), "cudaGetDevice");
    cuda::Check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming),
                "cudaEventCreateWithFlags");
    data_ = place == kTensor ? tensor
            : place == kHost ? GpuStagingPool::Get().Take(bytes())
                             : DeviceApi<gpu>::AllocTemporary(bytes(), &stream_);
  }
  ~GpuStage() {
    // A copy that is under way still uses the memory, where the call has failed.
    static_cast<void>(cudaEventSynchronize(event_));
    static_cast<void>(cudaEventDestroy(event_));
    if (place_ == kHost) GpuStagingPool::Get().Give(data_, bytes());
    if (place_ == kDevice) DeviceApi<gpu>::FreeTemporary(data_, &stream_);
  }
  GpuStage(const GpuStage&) = delete;
  GpuStage& operator=(const GpuStage&) = delete;

  void* data() const { return data_; }

  /// Copies the elements, where the call reads them, once the tensor's stream has come here.
  void Begin(bool read) {
    if (read && place_ != kTensor) {
      DeviceApi<gpu>::Copy2D(data_, row_bytes_, tensor_, pitch_, row_bytes_, rows_, &stream_);
    }
    Record(stream_.stream_);
  }
  /// True if the elements are there, or the provider waits for that by itself.
  bool Ready(Provider* provider) {
    ready_ = ready_ || provider->StartAfter(event_) || Passed();
    return ready_;
  }
  /// Copies the elements back. True once they are there.
  bool Finish() {
    if (place_ == kTensor) return true;
    if (!finishes_) {
      const cuda::DeviceScope scope(device_);
      Stream<gpu>* const stream = GpuStagingPool::Get().CopyStream(device_);
      DeviceApi<gpu>::Copy2D(tensor_, pitch_, data_, row_bytes_, row_bytes_, rows_, stream);
      Record(stream->stream_);
      finishes_ = true;
    }
    return Passed();
  }

 private:
  std::size_t bytes() const { return row_bytes_ * rows_; }
  void Record(cudaStream_t stream) {
    cuda::Check(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  bool Passed() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    cuda::Check(status, "cudaEventQuery");
    return true;
  }

  Place place_;
  void* tensor_;
  std::size_t pitch_, row_bytes_, rows_;
  Stream<gpu> stream_;
  int device_ = 0;
  cudaEvent_t event_ = nullptr;
  void* data_ = nullptr;
  bool ready_ = false, finishes_ = false;
};

template <>
struct Staging<gpu> {
  template <int dim, typename T>
  static Staged Make(const Tensor<gpu, dim, T>& t, bool read, bool write, bool copy,
                     Provider* provider, bool collective) {
    const std::size_t cols = static_cast<std::size_t>(t.shape_[dim - 1]), count = CountOf(t);
    if (count == 0) return Staged();
    const std::size_t pitch = dim == 1 ? cols : static_cast<std::size_t>(t.stride_);
    const bool direct = provider->TakesDeviceMemory(collective);
    const GpuStage::Place place = !direct                ? GpuStage::kHost
                                  : IsPacked(t) && !copy ? GpuStage::kTensor
                                                         : GpuStage::kDevice;
    const auto stage = std::make_shared<GpuStage>(place, t.dptr_, pitch * sizeof(T),
                                                  cols * sizeof(T), count / cols, t.stream_);
    stage->Begin(read);
    Staged staged;
    staged.data = stage->data();
    staged.ready = [stage, provider] { return stage->Ready(provider); };
    staged.finish = [stage, write] { return !write || stage->Finish(); };
    return staged;
  }
};

inline void ChooseDevice(gpu, int rank) {
  int devices = 0;
  cuda::Check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  InitTensorEngine<gpu>(rank % devices);
}

#else

inline void ChooseDevice(gpu, int) { mshadow::detail::ThrowWithoutCuda(); }

template <>
struct Staging<gpu> {
  template <int dim, typename T>
  static Staged Make(const Tensor<gpu, dim, T>&, bool, bool, bool, Provider*, bool) {
    mshadow::detail::ThrowWithoutCuda();
  }
};

#endif  // MSHADOW_USE_CUDA

}  // namespace detail

/// Gives each process of a host a GPU of its own, as far as there are: number LocalRank() modulo
/// their number. Call it before World(). With cpu it does nothing.
template <typename xpu>
inline void SetLocalDevice() {
  detail::ChooseDevice(xpu(), LocalRank());
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_GPU_STAGING_H_
