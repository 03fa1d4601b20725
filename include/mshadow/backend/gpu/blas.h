// SPDX-License-Identifier: Apache-2.0
// Matrix products on a CUDA device, by cuBLAS. Programs that use them link cublas.
//
// A row-major matrix is the same memory as its transpose, column-major: C = A B is computed as
// C^T = B^T A^T. All sizes are 64 bits wide; padded rows pass through as leading dimensions.
#ifndef MSHADOW_BACKEND_GPU_BLAS_H_
#define MSHADOW_BACKEND_GPU_BLAS_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "../../core/dtype.h"
#include "device.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Throws Error with the call and cuBLAS's text where `status` is not success.
inline void Check(cublasStatus_t status, const char* call) {
  if (MSHADOW_LIKELY(status == CUBLAS_STATUS_SUCCESS)) return;
  throw Error(std::string("cuBLAS: ") + call + " failed: " + cublasGetStatusString(status) + " (" +
              cublasGetStatusName(status) + ")");
}

/// The calling thread's handle of the default stream of the current device. It lives as long as the
/// process: at exit the driver may be gone before it could be destroyed.
inline cublasHandle_t DefaultBlasHandle() {
  constexpr int kMaxDevices = 64;
  thread_local cublasHandle_t handles[kMaxDevices] = {};
  int device = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  MSHADOW_CHECK(device < kMaxDevices) << "cuBLAS: device " << device << " is beyond the "
                                      << kMaxDevices << " that have a default handle; use a stream";
  if (handles[device] == nullptr) Check(cublasCreate(&handles[device]), "cublasCreate");
  return handles[device];
}

}  // namespace cuda

inline void Stream<gpu>::DestroyBlasHandle() {
  if (blas_handle_ownership_ == OwnHandle) static_cast<void>(cublasDestroy(blas_handle_));
  blas_handle_ = nullptr;
  blas_handle_ownership_ = NoHandle;
  destroy_blas_ = nullptr;
}
/// Makes the stream's cuBLAS handle; GetBlasHandle does it where nobody did.
inline void Stream<gpu>::CreateBlasHandle() {
  DestroyBlasHandle();
  cuda::Check(cublasCreate(&blas_handle_), "cublasCreate");
  blas_handle_ownership_ = OwnHandle;
  destroy_blas_ = [](Stream<gpu>* stream) { stream->DestroyBlasHandle(); };
  cuda::Check(cublasSetStream(blas_handle_, stream_), "cublasSetStream");
}
inline cublasHandle_t Stream<gpu>::GetBlasHandle(Stream<gpu>* stream) {
  if (stream == nullptr) {
    static_cast<void>(GetStream(stream));  // MSHADOW_FORCE_STREAM has a word in it
    return cuda::DefaultBlasHandle();
  }
  if (stream->blas_handle_ == nullptr) stream->CreateBlasHandle();
  return stream->blas_handle_;
}

/// As Blas<cpu> documents; float, double, half_t, bfloat16 and complex numbers, others throw Error.
/// 16-bit operands are multiplied on tensor cores and summed in float. Asynchronous on the stream.
template <>
struct Blas<gpu> {
  explicit Blas(Stream<gpu>* stream) : stream_(stream) {}

  template <typename DType>
  void Gemm(bool trans_a, bool trans_b, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k,
            DType alpha, const DType* a, std::ptrdiff_t lda, const DType* b, std::ptrdiff_t ldb,
            DType beta, DType* c, std::ptrdiff_t ldc) const {
    BatchGemm(trans_a, trans_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
  }

  template <typename DType>
  void BatchGemm(bool trans_a, bool trans_b, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k,
                 DType alpha, const DType* a, std::ptrdiff_t lda, std::ptrdiff_t stride_a,
                 const DType* b, std::ptrdiff_t ldb, std::ptrdiff_t stride_b, DType beta, DType* c,
                 std::ptrdiff_t ldc, std::ptrdiff_t stride_c, std::ptrdiff_t batch) const {
    if constexpr (!kHas<DType>) {
      // At run time: a type switch compiles its body for integers too.
      throw Error("dot: cuBLAS multiplies float, double, half_t, bfloat16 and complex numbers; "
                  "convert the operands with tcast<T>(expression) into tensors first");
    } else {
      if (m <= 0 || n <= 0 || batch <= 0) return;
      constexpr bool kWide = std::is_same_v<typename PartOf<DType>::Type, double>;
      using Scale = std::conditional_t<kIsComplex<DType>, DType,
                                       std::conditional_t<kWide, double, float>>;
      const Scale alpha_s = static_cast<Scale>(alpha), beta_s = static_cast<Scale>(beta);
      constexpr cudaDataType_t kType = DataType<DType>::kCudaFlag;
      const cublasComputeType_t compute = kWide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
      const std::int64_t leading_a = Leading(trans_a ? k : m, trans_a ? m : k, lda);
      const std::int64_t leading_b = Leading(trans_b ? n : k, trans_b ? k : n, ldb);
      const std::int64_t leading_c = Leading(m, n, ldc);
      const cublasHandle_t handle = Stream<gpu>::GetBlasHandle(stream_);
      if (batch == 1) {
        cuda::Check(cublasGemmEx_64(handle, Op(trans_b), Op(trans_a), n, m, k, &alpha_s, b, kType,
                                    leading_b, a, kType, leading_a, &beta_s, c, kType, leading_c,
                                    compute, CUBLAS_GEMM_DEFAULT),
                    "cublasGemmEx_64");
      } else {
        cuda::Check(cublasGemmStridedBatchedEx_64(
                        handle, Op(trans_b), Op(trans_a), n, m, k, &alpha_s, b, kType, leading_b,
                        stride_b, a, kType, leading_a, stride_a, &beta_s, c, kType, leading_c,
                        stride_c, batch, compute, CUBLAS_GEMM_DEFAULT),
                    "cublasGemmStridedBatchedEx_64");
      }
    }
  }

  template <typename DType>
  void Gemv(bool trans, std::ptrdiff_t m, std::ptrdiff_t n, DType alpha, const DType* a,
            std::ptrdiff_t lda, const DType* x, std::ptrdiff_t inc_x, DType beta, DType* y,
            std::ptrdiff_t inc_y) const {
    if constexpr (std::is_same_v<DType, float> || std::is_same_v<DType, double>) {
      if (m > 0 && n > 0) {
        const cublasHandle_t handle = Stream<gpu>::GetBlasHandle(stream_);
        const std::int64_t leading = Leading(m, n, lda);
        if constexpr (std::is_same_v<DType, float>) {
          cuda::Check(cublasSgemv_64(handle, Op(!trans), n, m, &alpha, a, leading, x, inc_x, &beta,
                                     y, inc_y),
                      "cublasSgemv_64");
        } else {
          cuda::Check(cublasDgemv_64(handle, Op(!trans), n, m, &alpha, a, leading, x, inc_x, &beta,
                                     y, inc_y),
                      "cublasDgemv_64");
        }
        return;
      }
    }
    // x and y are matrices of one column.
    Gemm(trans, false, trans ? n : m, 1, trans ? m : n, alpha, a, lda, x, inc_x, beta, y, inc_y);
  }

  /// The product of a matrix of one column and one of one row.
  template <typename DType>
  void Ger(std::ptrdiff_t m, std::ptrdiff_t n, DType alpha, const DType* x, std::ptrdiff_t inc_x,
           const DType* y, std::ptrdiff_t inc_y, DType beta, DType* a, std::ptrdiff_t lda) const {
    Gemm(false, true, m, n, 1, alpha, x, inc_x, y, inc_y, beta, a, lda);
  }

  /// *result = sum_i x[i * inc_x] y[i * inc_y], in device memory: a product of a row and a column.
  template <typename DType>
  void Dot(std::ptrdiff_t n, const DType* x, std::ptrdiff_t inc_x, const DType* y,
           std::ptrdiff_t inc_y, DType* result) const {
    Gemm(true, false, 1, 1, n, DType(1.0f), x, inc_x, y, inc_y, DType(0.0f), result, 1);
  }

 private:
  template <typename DType>
  static constexpr bool kHas =
      std::is_floating_point_v<DType> || float16::kIsFloat16<DType> || kIsComplex<DType>;

  static cublasOperation_t Op(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
  /// The distance of rows; that of a single row says nothing, yet cuBLAS wants at least `cols`.
  static std::int64_t Leading(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t ld) {
    if (rows <= 1 && ld < cols) ld = cols;
    return ld < 1 ? 1 : ld;
  }

  Stream<gpu>* stream_;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_BLAS_H_
