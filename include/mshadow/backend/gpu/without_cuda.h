// SPDX-License-Identifier: Apache-2.0
// Tensor<gpu> in files that are compiled without CUDA: programs templated on the device compile and
// link, and what they do on a gpu throws Error when it runs. Destroying empty containers and null
// streams does not throw.
#ifndef MSHADOW_BACKEND_GPU_WITHOUT_CUDA_H_
#define MSHADOW_BACKEND_GPU_WITHOUT_CUDA_H_

#include "../../core/config.h"

#if !MSHADOW_USE_CUDA

#include <cstddef>

#include "../../core/device.h"
#include "../../core/logging.h"
#include "../../expr/dot_engine.h"
#include "../../tensor/function.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

[[noreturn]] MSHADOW_COLD inline void ThrowWithoutCuda() {
  throw Error(
      "mshadow: this file was built without CUDA; Tensor<gpu> and Stream<gpu> need nvcc, "
      "or MSHADOW_USE_CUDA=1");
}

}  // namespace detail

/// Every member throws Error.
template <>
struct Stream<gpu> {
  enum HandleState { NoHandle = 0, OwnHandle = 1 };
  void* stream_ = nullptr;
  void* blas_handle_ = nullptr;
  void* solver_handle_ = nullptr;
  void* dnn_handle_ = nullptr;
  HandleState blas_handle_ownership_ = NoHandle;
  HandleState solver_handle_ownership_ = NoHandle;
  HandleState dnn_handle_ownership_ = NoHandle;
  int dev_id = -1;

  void Wait() { detail::ThrowWithoutCuda(); }
  bool CheckIdle() { detail::ThrowWithoutCuda(); }
  static void* GetStream(Stream<gpu>*) { detail::ThrowWithoutCuda(); }
  static void* GetBlasHandle(Stream<gpu>*) { detail::ThrowWithoutCuda(); }
  void CreateBlasHandle() { detail::ThrowWithoutCuda(); }
  void DestroyBlasHandle() { detail::ThrowWithoutCuda(); }
  static void* GetSolverHandle(Stream<gpu>*) { detail::ThrowWithoutCuda(); }
  void CreateSolverHandle() { detail::ThrowWithoutCuda(); }
  void DestroySolverHandle() { detail::ThrowWithoutCuda(); }
  static void* GetDnnHandle(Stream<gpu>*) { detail::ThrowWithoutCuda(); }
  void CreateDnnHandle() { detail::ThrowWithoutCuda(); }
  void DestroyDnnHandle() { detail::ThrowWithoutCuda(); }
};

template <>
struct DeviceApi<gpu> {
  static constexpr std::size_t kMinPaddedCols = 32 * MSHADOW_MIN_PAD_RATIO;

  static void Init(int) { detail::ThrowWithoutCuda(); }
  static void Shutdown() {}
  static void SetDevice(int) { detail::ThrowWithoutCuda(); }
  static Stream<gpu>* NewStream(bool, bool, int) { detail::ThrowWithoutCuda(); }
  static void DeleteStream(Stream<gpu>* stream) {
    if (stream != nullptr) detail::ThrowWithoutCuda();
  }
  static void* AllocPitch(std::size_t*, std::size_t, std::size_t, bool) {
    detail::ThrowWithoutCuda();
  }
  static void Free(void* memory) {
    if (memory != nullptr) detail::ThrowWithoutCuda();
  }
  static void* AllocTemporary(std::size_t, Stream<gpu>*) { detail::ThrowWithoutCuda(); }
  static void FreeTemporary(void*, Stream<gpu>*) noexcept {}
  static void* AllocHost(std::size_t) { detail::ThrowWithoutCuda(); }
  static void FreeHost(void*) { detail::ThrowWithoutCuda(); }
  static void Copy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t,
                     Stream<gpu>*) {
    detail::ThrowWithoutCuda();
  }
};

// A static member of any template and call arguments.
#define MSHADOW_THROWS_(name, ...)        \
  template <__VA_ARGS__ typename... Args> \
  static void name(const Args&...) {      \
    detail::ThrowWithoutCuda();           \
  }

template <>
struct Executor<gpu> {
  MSHADOW_THROWS_(Map, typename Saver, typename DType, )
  MSHADOW_THROWS_(MapFused, )
  template <typename Saver, typename DType, typename... Args>
  static bool MapRows(const Args&...) {
    return false;
  }
};

template <>
struct ReduceExecutor<gpu> {
  MSHADOW_THROWS_(KeepLowest, typename Saver, typename Reducer, typename DType, )
  MSHADOW_THROWS_(KeepHighDim, typename Saver, typename Reducer, typename DType, )
};

template <>
struct Blas<gpu> {
  MSHADOW_THROWS_(Gemm, )
  MSHADOW_THROWS_(Gemv, )
  MSHADOW_THROWS_(Ger, )
  MSHADOW_THROWS_(Dot, )
  MSHADOW_THROWS_(BatchGemm, )
};

template <>
struct FunctionApi<gpu> {
  MSHADOW_THROWS_(Softmax, )
  MSHADOW_THROWS_(SoftmaxGrad, )
  MSHADOW_THROWS_(MeanVariance, int dimkeep, )
  MSHADOW_THROWS_(VectorDot, )
  MSHADOW_THROWS_(AddTakeGrad, bool clip, )
  MSHADOW_THROWS_(AddTakeGradLargeBatch, )
  MSHADOW_THROWS_(IndexFill, )
  MSHADOW_THROWS_(SortByKey, )
};
#undef MSHADOW_THROWS_

template <typename DType>
inline void GetBatchedView(DType**, DType*, int, int, Stream<gpu>*) {
  detail::ThrowWithoutCuda();
}

MSHADOW_NAMESPACE_END
#endif  // !MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_WITHOUT_CUDA_H_
