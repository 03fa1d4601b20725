// SPDX-License-Identifier: Apache-2.0
// A CUDA device: its memory, and the stream that statements run on.
//
// Only the CUDA runtime is needed to build and link this. The library handles that a stream owns
// are made when they are first asked for, by the headers that need them (blas.h, handles.h).
#ifndef MSHADOW_BACKEND_GPU_DEVICE_H_
#define MSHADOW_BACKEND_GPU_DEVICE_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

#include "../../core/device.h"
#include "../../core/logging.h"
#include "check.h"

// The handle types of libraries that this header does not need, as those libraries define them.
struct cublasContext;
struct cusolverDnContext;
struct cudnnContext;
typedef struct cublasContext* cublasHandle_t;
typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct cudnnContext* cudnnHandle_t;

MSHADOW_NAMESPACE_BEGIN

/// A CUDA stream and the library handles that go with it. A default-constructed one stands for the
/// default stream. NewStream and DeleteStream make and destroy those of their own.
template <>
struct Stream<gpu> {
  enum HandleState { NoHandle = 0, OwnHandle = 1 };
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_handle_ = nullptr;
  cusolverDnHandle_t solver_handle_ = nullptr;
  cudnnHandle_t dnn_handle_ = nullptr;
  HandleState blas_handle_ownership_ = NoHandle;
  HandleState solver_handle_ownership_ = NoHandle;
  HandleState dnn_handle_ownership_ = NoHandle;
  /// Filled where NewStream was given a device.
  cudaDeviceProp prop = {};
  int dev_id = -1;

  /// Returns when all work on the stream has finished.
  void Wait() { cuda::Check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  /// Has all work on the stream finished?
  bool CheckIdle() {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    cuda::Check(status, "cudaStreamQuery");
    return true;
  }
  /// The CUDA stream of `stream`; of a null pointer the default one, unless MSHADOW_FORCE_STREAM.
  static cudaStream_t GetStream(Stream<gpu>* stream) {
    if (stream != nullptr) return stream->stream_;
#if MSHADOW_FORCE_STREAM
    throw Error("Default GPU stream was used when MSHADOW_FORCE_STREAM was on");
#endif
    return nullptr;
  }

  // Defined in blas.h: cuBLAS is needed by who calls them.
  static cublasHandle_t GetBlasHandle(Stream<gpu>* stream);
  void CreateBlasHandle();
  void DestroyBlasHandle();
  // Defined in handles.h, for code that names cuSOLVER or cuDNN itself.
  static cusolverDnHandle_t GetSolverHandle(Stream<gpu>* stream);
  void CreateSolverHandle();
  void DestroySolverHandle();
  static cudnnHandle_t GetDnnHandle(Stream<gpu>* stream);
  void CreateDnnHandle();
  void DestroyDnnHandle();

  /// Set along with a handle, so that destroying the stream needs no library that was not used.
  void (*destroy_blas_)(Stream<gpu>*) = nullptr;
  void (*destroy_solver_)(Stream<gpu>*) = nullptr;
  void (*destroy_dnn_)(Stream<gpu>*) = nullptr;
};

namespace cuda {

/// Makes a device current, and the former one again at the end of the scope.
class DeviceScope {
 public:
  explicit DeviceScope(int device) {
    Check(cudaGetDevice(&former_), "cudaGetDevice");
    changed_ = device >= 0 && device != former_;
    if (changed_) Check(cudaSetDevice(device), "cudaSetDevice");
  }
  ~DeviceScope() {
    if (changed_) static_cast<void>(cudaSetDevice(former_));
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int former_ = 0;
  bool changed_ = false;
};

/// Has the current device memory that is allocated and freed in the order of a stream? Each device
/// is asked once: every temporary wants to know. Threads that ask at once get the same answer.
inline bool HasPool() {
  enum Answer { kNotAsked, kNo, kYes };
  constexpr int kDevices = 64;  // those beyond are asked every time
  static std::atomic<Answer> answers[kDevices];
  int device = 0, supported = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  if (device < kDevices) {
    const Answer answer = answers[device].load(std::memory_order_relaxed);
    if (answer != kNotAsked) return answer == kYes;
  }
  Check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device),
        "cudaDeviceGetAttribute");
  if (device < kDevices) {
    answers[device].store(supported != 0 ? kYes : kNo, std::memory_order_relaxed);
  }
  return supported != 0;
}

}  // namespace cuda

template <>
struct DeviceApi<gpu> {
  /// Rows of padded tensors start at multiples of this many bytes, those of a cache line.
  static constexpr std::size_t kPitchAlignment = 128;
  /// Shorter rows are not padded: the pad would be a large part of the tensor.
  static constexpr std::size_t kMinPaddedCols = 32 * MSHADOW_MIN_PAD_RATIO;

  /// Makes device `id` (negative: 0) the thread's, and lets the memory of temporaries stay with the
  /// process between statements.
  static void Init(int id) {
    if (id < 0) id = 0;
    int count = 0;
    cuda::Check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    MSHADOW_CHECK(id < count) << "InitTensorEngine: there is no CUDA device " << id << "; devices: "
                      << count;
    SetDevice(id);
    if (cuda::HasPool()) {
      cudaMemPool_t pool;
      cuda::Check(cudaDeviceGetDefaultMemPool(&pool, id), "cudaDeviceGetDefaultMemPool");
      unsigned long long all = ~0ULL;  // NOLINT: the type that CUDA asks for, cuuint64_t
      cuda::Check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
                  "cudaMemPoolSetAttribute");
    }
  }
  static void Shutdown() {}
  static void SetDevice(int id) { cuda::Check(cudaSetDevice(id), "cudaSetDevice"); }

  /// A new stream, on device `id` unless that is negative. Handles are made on demand.
  static Stream<gpu>* NewStream(bool, bool, int id) {
    const cuda::DeviceScope scope(id);
    Stream<gpu>* const stream = new Stream<gpu>();
    cudaError_t status = cudaStreamCreate(&stream->stream_);
    const char* call = "cudaStreamCreate";
    if (status == cudaSuccess && id >= 0) {
      stream->dev_id = id;
      status = cudaGetDeviceProperties(&stream->prop, id);
      call = "cudaGetDeviceProperties";
      if (status != cudaSuccess) static_cast<void>(cudaStreamDestroy(stream->stream_));
    }
    if (status != cudaSuccess) {
      delete stream;
      cuda::ThrowError(status, call);
    }
    return stream;
  }
  static void DeleteStream(Stream<gpu>* stream) {
    if (stream == nullptr) return;
    if (stream->destroy_blas_ != nullptr) stream->destroy_blas_(stream);
    if (stream->destroy_solver_ != nullptr) stream->destroy_solver_(stream);
    if (stream->destroy_dnn_ != nullptr) stream->destroy_dnn_(stream);
    const cudaError_t status =
        stream->stream_ == nullptr ? cudaSuccess : cudaStreamDestroy(stream->stream_);
    delete stream;
    cuda::Check(status, "cudaStreamDestroy");
  }

  /// `rows` rows of `row_bytes` bytes each, *pitch bytes apart. When this returns, every stream may
  /// use the memory.
  static void* AllocPitch(std::size_t* pitch, std::size_t row_bytes, std::size_t rows, bool pad) {
    constexpr std::size_t kMax = static_cast<std::size_t>(-1) / 2;
    *pitch = pad && row_bytes <= kMax ? (row_bytes + kPitchAlignment - 1) / kPitchAlignment *
                                            kPitchAlignment
                                      : row_bytes;
    MSHADOW_CHECK(row_bytes <= kMax && (rows == 0 || *pitch <= kMax / rows))
        << "out of memory: " << rows << " rows of " << row_bytes << " bytes";
    void* memory = nullptr;
    if (*pitch * rows != 0) cuda::Check(cudaMalloc(&memory, *pitch * rows), "cudaMalloc");
    return memory;
  }
  /// Waits for the device: no kernel still uses the memory.
  static void Free(void* memory) { cuda::Check(cudaFree(memory), "cudaFree"); }

  /// Memory for work on `stream` alone, which no call here waits for.
  static void* AllocTemporary(std::size_t bytes, Stream<gpu>* stream) {
    void* memory = nullptr;
    if (bytes == 0) return memory;
    if (cuda::HasPool()) {
      cuda::Check(cudaMallocAsync(&memory, bytes, Stream<gpu>::GetStream(stream)),
                  "cudaMallocAsync");
    } else {
      cuda::Check(cudaMalloc(&memory, bytes), "cudaMalloc");
    }
    return memory;
  }
  static void FreeTemporary(void* memory, Stream<gpu>* stream) noexcept {
    if (memory == nullptr) return;
    // An error here was one of an earlier kernel, which a later call reports.
    if (cudaFreeAsync(memory, stream == nullptr ? nullptr : stream->stream_) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      static_cast<void>(cudaFree(memory));
    }
  }

  /// Page-locked, so that copies are asynchronous and fast.
  static void* AllocHost(std::size_t bytes) {
    void* memory = nullptr;
    if (bytes != 0) {
      cuda::Check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "cudaHostAlloc");
    }
    return memory;
  }
  static void FreeHost(void* memory) { cuda::Check(cudaFreeHost(memory), "cudaFreeHost"); }

  /// Between any two of host and devices; asynchronous on `stream`, finished without one.
  static void Copy2D(void* dst, std::size_t dst_pitch, const void* src, std::size_t src_pitch,
                     std::size_t row_bytes, std::size_t rows, Stream<gpu>* stream) {
    if (row_bytes == 0 || rows == 0) return;
    const cudaStream_t on = Stream<gpu>::GetStream(stream);
    if (rows == 1 || (dst_pitch == row_bytes && src_pitch == row_bytes)) {
      cuda::Check(cudaMemcpyAsync(dst, src, row_bytes * rows, cudaMemcpyDefault, on),
                  "cudaMemcpyAsync");
    } else {
      cuda::Check(cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, row_bytes, rows,
                                    cudaMemcpyDefault, on),
                  "cudaMemcpy2DAsync");
    }
    if (stream == nullptr) cuda::Check(cudaStreamSynchronize(on), "cudaStreamSynchronize");
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_DEVICE_H_
