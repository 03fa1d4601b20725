// SPDX-License-Identifier: Apache-2.0
// The calls of cuSOLVER and cuBLAS that backend/gpu/solver.h makes, on memory of the host, by the
// algorithms of the host: their arguments are tested where there is no GPU. Each call refuses what
// the manuals forbid, and fills the work memory that it asked for.
#ifndef MSHADOW_TEST_LINALG_FAKE_CUSOLVER_H_
#define MSHADOW_TEST_LINALG_FAKE_CUSOLVER_H_

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <mshadow/linalg.h>

#include <algorithm>
#include <vector>

#include "../dist/fake_cuda.h"

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};
struct cublasContext {
  cudaStream_t stream = nullptr;
};
struct syevjInfo {};

namespace fake {

namespace la = mshadow::detail::linalg;
inline int batched_calls = 0, single_calls = 0;

/// True where the call may go on; the stream has come to it then.
template <typename Handle>
bool Begins(Handle* handle, std::initializer_list<bool> holds) {
  if (handle == nullptr) return false;
  for (const bool each : holds) {
    if (!each) return false;
  }
  return cudaStreamSynchronize(handle->stream) == cudaSuccess;
}
constexpr int kWork = 37;
template <typename T>
void Use(T* work, int size) {
  std::fill(work, work + size, T(77));
}
/// The (rows, cols) matrix at a, without padding, and back.
template <typename T>
std::vector<T> Read(const T* a, int rows, int cols, int lda) {
  std::vector<T> packed;
  for (int j = 0; j < cols; ++j) packed.insert(packed.end(), a + j * lda, a + j * lda + rows);
  return packed;
}
template <typename T>
void Write(const std::vector<T>& packed, T* a, int rows, int cols, int lda) {
  for (int j = 0; j < cols; ++j) {
    std::copy(packed.begin() + j * rows, packed.begin() + (j + 1) * rows, a + j * lda);
  }
}

template <typename T>
void Getrf(int n, T* a, int lda, int* pivots, int* info) {
  auto m = Read(a, n, n, lda);
  *info = la::Factor(n, m.data(), pivots);
  for (int i = 0; i < n; ++i) ++pivots[i];
  Write(m, a, n, n, lda);
}
template <typename T>
void Getrs(int n, int k, const T* a, int lda, const int* pivots, T* b, int ldb) {
  const auto m = Read(a, n, n, lda);
  auto x = Read(b, n, k, ldb);
  std::vector<int> from_zero(pivots, pivots + n);
  for (int& p : from_zero) --p;
  la::SolveFactored(n, k, m.data(), from_zero.data(), x.data());
  Write(x, b, n, k, ldb);
}
template <typename T>
int Potrf(int n, T* a, int lda) {
  auto m = Read(a, n, n, lda);  // the upper triangle: row-major, the lower one
  const int info = la::FactorCholesky(n, m.data());
  Write(m, a, n, n, lda);
  return info;
}
template <typename T>
int Syev(bool vectors, int n, T* a, int lda, T* values) {
  auto m = Read(a, n, n, lda);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) {
      m[static_cast<std::size_t>(i * n + j)] = m[static_cast<std::size_t>(j * n + i)];
    }
  }
  const int info = la::Symmetric(n, m.data(), values, vectors);
  if (!vectors) Use(m.data(), n * n);
  Write(m, a, n, n, lda);
  return info;
}
template <typename T>
void Trsm(bool lower, bool transposed, bool unit, int n, int k, const T* t, int ldt, T* b,
          int ldb) {
  const auto m = Read(t, n, n, ldt);
  auto turned = m;
  for (int i = 0; transposed && i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      turned[static_cast<std::size_t>(i * n + j)] = m[static_cast<std::size_t>(j * n + i)];
    }
  }
  auto x = Read(b, n, k, ldb);
  la::SolveTriangle(lower != transposed, unit, n, k, static_cast<const T*>(turned.data()), n,
                    x.data(), n);
  Write(x, b, n, k, ldb);
}

}  // namespace fake

extern "C" {
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return cudaSuccess; }
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  return *handle = new cusolverDnContext, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  return delete handle, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  return handle->stream = stream, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info) {
  return *info = new syevjInfo, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info) {
  return delete info, CUSOLVER_STATUS_SUCCESS;
}
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return *handle = new cublasContext, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return delete handle, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return handle->stream = stream, CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t) { return "fake"; }
const char* cublasGetStatusString(cublasStatus_t) { return "fake"; }

// FAKE_BEGIN_(handle, conditions ..): the rest of a call.
#define FAKE_BEGIN_(...) \
  if (!fake::Begins(handle, {__VA_ARGS__})) return CUSOLVER_STATUS_INVALID_VALUE
#define FAKE_CUSOLVER_(S, T)                                                                       \
  cusolverStatus_t cusolverDn##S##getrf_bufferSize(cusolverDnHandle_t, int, int, T*, int,          \
                                                   int* size) {                                    \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda,    \
                                        T* work, int* pivots, int* info) {                         \
    FAKE_BEGIN_(m == n, n > 0, lda >= m);                                                          \
    ++fake::single_calls;                                                                          \
    fake::Use(work, fake::kWork);                                                                  \
    return fake::Getrf(n, a, lda, pivots, info), CUSOLVER_STATUS_SUCCESS;                          \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, \
                                        int k, const T* a, int lda, const int* pivots, T* b,       \
                                        int ldb, int* info) {                                      \
    FAKE_BEGIN_(trans == CUBLAS_OP_N, n > 0, k > 0, lda >= n, ldb >= n);                           \
    *info = 0;                                                                                     \
    fake::Getrs(n, k, a, lda, pivots, b, ldb);                                                     \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, T*,  \
                                                   int, int* size) {                               \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,   \
                                        T* a, int lda, T* work, int size, int* info) {             \
    FAKE_BEGIN_(uplo == CUBLAS_FILL_MODE_UPPER, n > 0, lda >= n, size == fake::kWork);             \
    ++fake::single_calls;                                                                          \
    fake::Use(work, size);                                                                         \
    return *info = fake::Potrf(n, a, lda), CUSOLVER_STATUS_SUCCESS;                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo,   \
                                               int n, T* a[], int lda, int* info, int count) {     \
    FAKE_BEGIN_(uplo == CUBLAS_FILL_MODE_UPPER, n > 0, lda >= n, count > 0);                       \
    ++fake::batched_calls;                                                                         \
    for (int b = 0; b < count; ++b) {                                                              \
      info[b] = fake::Potrf(n, a[b], lda);                                                         \
      if (n > 1) a[b][1] = 77; /* "destroyed" */                                                   \
    }                                                                                              \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##geqrf_bufferSize(cusolverDnHandle_t, int, int, T*, int,          \
                                                   int* size) {                                    \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda,    \
                                        T* tau, T* work, int size, int* info) {                    \
    FAKE_BEGIN_(m > 0, n > 0, lda >= m, size == fake::kWork);                                      \
    fake::Use(work, size);                                                                         \
    *info = 0;                                                                                     \
    auto q = fake::Read(a, m, n, lda);                                                             \
    fake::la::FactorQR(m, n, q.data(), tau);                                                       \
    return fake::Write(q, a, m, n, lda), CUSOLVER_STATUS_SUCCESS;                                  \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t, int, int, int, const T*,    \
                                                   int, const T*, int* size) {                     \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a,      \
                                        int lda, const T* tau, T* work, int size, int* info) {     \
    FAKE_BEGIN_(m >= n, n >= k, k > 0, lda >= m, size == fake::kWork);                             \
    fake::Use(work, size);                                                                         \
    *info = 0;                                                                                     \
    auto reflectors = fake::Read(a, m, k, lda);                                                    \
    std::vector<T> q(static_cast<std::size_t>(m * n), T(0));                                       \
    for (int i = 0; i < n; ++i) q[static_cast<std::size_t>(i * (m + 1))] = 1;                      \
    fake::la::ApplyQ(false, m, n, k, reflectors.data(), tau, q.data());                            \
    return fake::Write(q, a, m, n, lda), CUSOLVER_STATUS_SUCCESS;                                  \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##ormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t,           \
                                                   cublasOperation_t, int, int, int, const T*,     \
                                                   int, const T*, const T*, int, int* size) {      \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##ormqr(                                                           \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,     \
      int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work, int size, int* info) {     \
    FAKE_BEGIN_(side == CUBLAS_SIDE_LEFT, m >= k, n > 0, k > 0, lda >= m, ldc >= m,                \
                size == fake::kWork);                                                              \
    fake::Use(work, size);                                                                         \
    *info = 0;                                                                                     \
    auto reflectors = fake::Read(a, m, k, lda);                                                    \
    auto x = fake::Read(c, m, n, ldc);                                                             \
    fake::la::ApplyQ(trans == CUBLAS_OP_T, m, n, k, reflectors.data(), tau, x.data());             \
    return fake::Write(x, c, m, n, ldc), CUSOLVER_STATUS_SUCCESS;                                  \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##syevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,          \
                                                   cublasFillMode_t, int, const T*, int, const T*, \
                                                   int* size) {                                    \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##syevd(cusolverDnHandle_t handle, cusolverEigMode_t mode,         \
                                        cublasFillMode_t uplo, int n, T* a, int lda, T* values,    \
                                        T* work, int size, int* info) {                            \
    FAKE_BEGIN_(uplo == CUBLAS_FILL_MODE_UPPER, n > 0, lda >= n, size == fake::kWork);             \
    ++fake::single_calls;                                                                          \
    fake::Use(work, size);                                                                         \
    *info = fake::Syev(mode == CUSOLVER_EIG_MODE_VECTOR, n, a, lda, values);                       \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##syevjBatched_bufferSize(                                         \
      cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const T*,       \
      int* size, syevjInfo_t info, int) {                                                          \
    if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                                     \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##syevjBatched(                                                    \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, T* a,       \
      int lda, T* values, T* work, int size, int* info, syevjInfo_t params, int count) {           \
    FAKE_BEGIN_(uplo == CUBLAS_FILL_MODE_UPPER, n > 0, lda >= n, size == fake::kWork,              \
                params != nullptr, count > 0);                                                     \
    ++fake::batched_calls;                                                                         \
    fake::Use(work, size);                                                                         \
    for (int b = 0; b < count; ++b) {                                                              \
      info[b] =                                                                                    \
          fake::Syev(mode == CUSOLVER_EIG_MODE_VECTOR, n, a + b * lda * n, lda, values + b * n);   \
    }                                                                                              \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvd_bufferSize(cusolverDnHandle_t, int m, int n, int* size) {  \
    if (m < n) return CUSOLVER_STATUS_INVALID_VALUE;                                               \
    return *size = fake::kWork, CUSOLVER_STATUS_SUCCESS;                                           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvd(cusolverDnHandle_t handle, signed char job_u,              \
                                        signed char job_vt, int m, int n, T* a, int lda,           \
                                        T* values, T* u, int ldu, T* vt, int ldvt, T* work,        \
                                        int size, T* rwork, int* info) {                           \
    const bool vectors = job_u == 'S';                                                             \
    FAKE_BEGIN_(job_u == job_vt, vectors || job_u == 'N', m >= n, n > 0, lda >= m, ldu >= m,       \
                ldvt >= n, size == fake::kWork, rwork == nullptr, !vectors || u != nullptr);       \
    fake::Use(work, size);                                                                         \
    auto x = fake::Read(a, m, n, lda);                                                             \
    std::vector<T> left(static_cast<std::size_t>(m * n)), right(static_cast<std::size_t>(n * n));  \
    *info = fake::la::Svd(m, n, x.data(), values, vectors, left.data(), right.data());             \
    fake::Use(x.data(), m* n);                                                                     \
    fake::Write(x, a, m, n, lda);                                                                  \
    if (vectors) {                                                                                 \
      fake::Write(left, u, m, n, ldu);                                                             \
      fake::Write(right, vt, n, n, ldvt);                                                          \
    }                                                                                              \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,      \
                                         int* pivots, int* info, int count) {                      \
    if (!fake::Begins(handle, {n > 0, lda >= n, count > 0})) return CUBLAS_STATUS_INVALID_VALUE;   \
    ++fake::batched_calls;                                                                         \
    for (int b = 0; b < count; ++b) fake::Getrf(n, a[b], lda, pivots + b * n, info + b);           \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n,    \
                                         int k, const T* const a[], int lda, const int* pivots,    \
                                         T* const b[], int ldb, int* info, int count) {            \
    if (!fake::Begins(handle,                                                                      \
                      {trans == CUBLAS_OP_N, n > 0, k > 0, lda >= n, ldb >= n, count > 0})) {      \
      return CUBLAS_STATUS_INVALID_VALUE;                                                          \
    }                                                                                              \
    *info = 0;                                                                                     \
    for (int i = 0; i < count; ++i) {                                                              \
      fake::Getrs(n, k, a[i], lda, pivots + i * n, b[i], ldb);                                     \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##trsmBatched(                                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                         \
      cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,                \
      const T* const a[], int lda, T* const b[], int ldb, int count) {                             \
    if (!fake::Begins(handle, {side == CUBLAS_SIDE_LEFT, m > 0, n > 0, *alpha == T(1), lda >= m,   \
                               ldb >= m, count > 0})) {                                            \
      return CUBLAS_STATUS_INVALID_VALUE;                                                          \
    }                                                                                              \
    for (int i = 0; i < count; ++i) {                                                              \
      fake::Trsm(uplo == CUBLAS_FILL_MODE_LOWER, trans == CUBLAS_OP_T, diag == CUBLAS_DIAG_UNIT,   \
                 m, n, a[i], lda, b[i], ldb);                                                      \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a,  \
                                 int lda, T* b, int ldb) {                                         \
    if (!fake::Begins(handle, {side == CUBLAS_SIDE_LEFT, m > 0, n > 0, *alpha == T(1), lda >= m,   \
                               ldb >= m})) {                                                       \
      return CUBLAS_STATUS_INVALID_VALUE;                                                          \
    }                                                                                              \
    ++fake::single_calls;                                                                          \
    fake::Trsm(uplo == CUBLAS_FILL_MODE_LOWER, trans == CUBLAS_OP_T, diag == CUBLAS_DIAG_UNIT, m,  \
               n, a, lda, b, ldb);                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }
FAKE_CUSOLVER_(S, float)
FAKE_CUSOLVER_(D, double)
#undef FAKE_CUSOLVER_
#undef FAKE_BEGIN_
}  // extern "C"

#endif  // MSHADOW_TEST_LINALG_FAKE_CUSOLVER_H_
