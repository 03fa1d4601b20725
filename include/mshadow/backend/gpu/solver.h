// SPDX-License-Identifier: Apache-2.0
// Solver: the calls of linear algebra on a CUDA device, by cuSOLVER, and by cuBLAS where it has one
// for a batch. Programs that use it link cusolver and cublas, and say MSHADOW_USE_CUSOLVER=1.
// https://docs.nvidia.com/cuda/cusolver/
//
// As LAPACK's: matrices are column-major without padding, those of a batch one after another,
// pivots count from 1, and info[b] is 1 + where matrix b failed. All is on the device, and
// asynchronous on the stream.
#ifndef MSHADOW_BACKEND_GPU_SOLVER_H_
#define MSHADOW_BACKEND_GPU_SOLVER_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA && MSHADOW_USE_CUSOLVER

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "blas.h"
#include "handles.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Throws Error with the call and the status where that is not success.
inline void Check(cusolverStatus_t status, const char* call) {
  if (MSHADOW_LIKELY(status == CUSOLVER_STATUS_SUCCESS)) return;
  throw Error(std::string("cuSOLVER: ") + call + " failed: status " +
              std::to_string(static_cast<int>(status)));
}

/// As DefaultBlasHandle.
inline cusolverDnHandle_t DefaultSolverHandle() {
  constexpr int kMaxDevices = 64;
  thread_local cusolverDnHandle_t handles[kMaxDevices] = {};
  int device = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  MSHADOW_CHECK(device < kMaxDevices) << "cuSOLVER: device " << device << " is beyond the "
                                      << kMaxDevices << " that have a default handle; use a stream";
  if (handles[device] == nullptr) Check(cusolverDnCreate(&handles[device]), "cusolverDnCreate");
  return handles[device];
}

/// Memory of the device for n objects, for work on the stream.
template <typename T>
class SolverMemory {
 public:
  SolverMemory(std::ptrdiff_t n, Stream<gpu>* stream)
      : data_(static_cast<T*>(
            DeviceApi<gpu>::AllocTemporary(static_cast<std::size_t>(n) * sizeof(T), stream))),
        stream_(stream) {}
  ~SolverMemory() { DeviceApi<gpu>::FreeTemporary(data_, stream_); }
  SolverMemory(const SolverMemory&) = delete;
  SolverMemory& operator=(const SolverMemory&) = delete;
  T* data() const { return data_; }

 private:
  T* data_;
  Stream<gpu>* stream_;
};

template <typename T>
struct SolverCalls;
#define MSHADOW_SOLVER_CALLS_(S, T)                                            \
  template <>                                                                  \
  struct SolverCalls<T> {                                                      \
    static constexpr auto getrf_size = cusolverDn##S##getrf_bufferSize;        \
    static constexpr auto getrf = cusolverDn##S##getrf;                        \
    static constexpr auto getrs = cusolverDn##S##getrs;                        \
    static constexpr auto potrf_size = cusolverDn##S##potrf_bufferSize;        \
    static constexpr auto potrf = cusolverDn##S##potrf;                        \
    static constexpr auto potrf_batched = cusolverDn##S##potrfBatched;         \
    static constexpr auto geqrf_size = cusolverDn##S##geqrf_bufferSize;        \
    static constexpr auto geqrf = cusolverDn##S##geqrf;                        \
    static constexpr auto orgqr_size = cusolverDn##S##orgqr_bufferSize;        \
    static constexpr auto orgqr = cusolverDn##S##orgqr;                        \
    static constexpr auto ormqr_size = cusolverDn##S##ormqr_bufferSize;        \
    static constexpr auto ormqr = cusolverDn##S##ormqr;                        \
    static constexpr auto syevd_size = cusolverDn##S##syevd_bufferSize;        \
    static constexpr auto syevd = cusolverDn##S##syevd;                        \
    static constexpr auto syevj_size = cusolverDn##S##syevjBatched_bufferSize; \
    static constexpr auto syevj = cusolverDn##S##syevjBatched;                 \
    static constexpr auto gesvd_size = cusolverDn##S##gesvd_bufferSize;        \
    static constexpr auto gesvd = cusolverDn##S##gesvd;                        \
    static constexpr auto getrf_batched = cublas##S##getrfBatched;             \
    static constexpr auto getrs_batched = cublas##S##getrsBatched;             \
    static constexpr auto trsm_batched = cublas##S##trsmBatched;               \
    static constexpr auto trsm = cublas##S##trsm;                              \
  };
MSHADOW_SOLVER_CALLS_(S, float)
MSHADOW_SOLVER_CALLS_(D, double)
#undef MSHADOW_SOLVER_CALLS_

class Solver {
  using Index = std::ptrdiff_t;

 public:
  explicit Solver(Stream<gpu>* stream)
      : stream_(stream), blas_(Stream<gpu>::GetBlasHandle(stream)) {
    solver_ = stream == nullptr ? DefaultSolverHandle() : Stream<gpu>::GetSolverHandle(stream);
  }

  /// P a = L U of `count` matrices (n, n); pivots: n for each.
  template <typename T>
  void getrf(Index n, Index count, T* a, int* pivots, int* info) const {
    const int size = Int(n);
    if (IsBatch(n, count)) {
      const Addresses<T> matrices(a, n * n, count, stream_);
      return Check(SolverCalls<T>::getrf_batched(blas_, size, matrices.data(), size, pivots, info,
                                                 Int(count)),
                   "cublas<t>getrfBatched");
    }
    int work_size = 0;
    Check(SolverCalls<T>::getrf_size(solver_, size, size, a, size, &work_size),
          "cusolverDn<t>getrf_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::getrf(solver_, size, size, a + b * n * n, size, work.data(),
                                  pivots + b * n, info + b),
            "cusolverDn<t>getrf");
    }
  }
  /// b (n, k) = a^-1 b, for the factors of getrf.
  template <typename T>
  void getrs(Index n, Index k, Index count, const T* a, const int* pivots, T* b) const {
    const int size = Int(n), columns = Int(k);
    const cublasOperation_t op = CUBLAS_OP_N;
    if (IsBatch(n, count)) {
      const Addresses<const T> matrices(a, n * n, count, stream_);
      const Addresses<T> sides(b, n * k, count, stream_);
      int info = 0;  // of the arguments
      return Check(SolverCalls<T>::getrs_batched(blas_, op, size, columns, matrices.data(), size,
                                                 pivots, sides.data(), size, &info, Int(count)),
                   "cublas<t>getrsBatched");
    }
    const SolverMemory<int> info(1, stream_);
    for (Index i = 0; i < count; ++i) {
      Check(SolverCalls<T>::getrs(solver_, op, size, columns, a + i * n * n, size, pivots + i * n,
                                  b + i * n * k, size, info.data()),
            "cusolverDn<t>getrs");
    }
  }
  /// a = U^T U, from the upper triangles and to them; what is below may be overwritten.
  template <typename T>
  void potrf(Index n, Index count, T* a, int* info) const {
    const int size = Int(n);
    if (IsBatch(n, count)) {
      const Addresses<T> matrices(a, n * n, count, stream_);
      return Check(SolverCalls<T>::potrf_batched(solver_, CUBLAS_FILL_MODE_UPPER, size,
                                                 matrices.data(), size, info, Int(count)),
                   "cusolverDn<t>potrfBatched");
    }
    int work_size = 0;
    Check(SolverCalls<T>::potrf_size(solver_, CUBLAS_FILL_MODE_UPPER, size, a, size, &work_size),
          "cusolverDn<t>potrf_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::potrf(solver_, CUBLAS_FILL_MODE_UPPER, size, a + b * n * n, size,
                                  work.data(), work_size, info + b),
            "cusolverDn<t>potrf");
    }
  }
  /// a (m, n) = Q R: R above, reflectors below the diagonal; tau: min(m, n) for each matrix.
  template <typename T>
  void geqrf(Index m, Index n, Index count, T* a, T* tau) const {
    const int rows = Int(m), cols = Int(n);
    int work_size = 0;
    Check(SolverCalls<T>::geqrf_size(solver_, rows, cols, a, rows, &work_size),
          "cusolverDn<t>geqrf_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    const SolverMemory<int> info(1, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::geqrf(solver_, rows, cols, a + b * m * n, rows,
                                  tau + b * (m < n ? m : n), work.data(), work_size, info.data()),
            "cusolverDn<t>geqrf");
    }
  }
  /// q (m, k), k reflectors of geqrf, becomes the first k columns of Q.
  template <typename T>
  void orgqr(Index m, Index k, Index count, T* q, const T* tau) const {
    const int rows = Int(m), cols = Int(k);
    int work_size = 0;
    Check(SolverCalls<T>::orgqr_size(solver_, rows, cols, cols, q, rows, tau, &work_size),
          "cusolverDn<t>orgqr_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    const SolverMemory<int> info(1, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::orgqr(solver_, rows, cols, cols, q + b * m * k, rows, tau + b * k,
                                  work.data(), work_size, info.data()),
            "cusolverDn<t>orgqr");
    }
  }
  /// c (m, n) = Q^T c, for the k reflectors of a (m, k).
  template <typename T>
  void ormqr(Index m, Index n, Index k, Index count, const T* a, const T* tau, T* c) const {
    const int rows = Int(m), cols = Int(n), reflectors = Int(k);
    int work_size = 0;
    Check(SolverCalls<T>::ormqr_size(solver_, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, rows, cols, reflectors,
                                     a, rows, tau, c, rows, &work_size),
          "cusolverDn<t>ormqr_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    const SolverMemory<int> info(1, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::ormqr(solver_, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, rows, cols, reflectors,
                                  a + b * m * k, rows, tau + b * k, c + b * m * n, rows,
                                  work.data(), work_size, info.data()),
            "cusolverDn<t>ormqr");
    }
  }
  /// Eigenvalues, ascending, of symmetric a, whose upper triangles are read; with `vectors` the
  /// eigenvectors replace the columns, else a is overwritten too.
  template <typename T>
  void syevd(bool vectors, Index n, Index count, T* a, T* values, int* info) const {
    const int size = Int(n);
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    int work_size = 0;
    if (count > 1 && n <= 32) {  // Jacobi rotations, made for matrices of this size
      const Jacobi jacobi;
      Check(SolverCalls<T>::syevj_size(solver_, mode, CUBLAS_FILL_MODE_UPPER, size, a, size, values,
                                       &work_size, jacobi.info, Int(count)),
            "cusolverDn<t>syevjBatched_bufferSize");
      const SolverMemory<T> work(work_size, stream_);
      return Check(
          SolverCalls<T>::syevj(solver_, mode, CUBLAS_FILL_MODE_UPPER, size, a, size, values,
                                work.data(), work_size, info, jacobi.info, Int(count)),
          "cusolverDn<t>syevjBatched");
    }
    Check(SolverCalls<T>::syevd_size(solver_, mode, CUBLAS_FILL_MODE_UPPER, size, a, size, values,
                                     &work_size),
          "cusolverDn<t>syevd_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::syevd(solver_, mode, CUBLAS_FILL_MODE_UPPER, size, a + b * n * n, size,
                                  values + b * n, work.data(), work_size, info + b),
            "cusolverDn<t>syevd");
    }
  }
  /// a (m, n) = U S V^T for m >= n, which is overwritten: n values, descending, and where `vectors`
  /// u (m, n) and vt (n, n).
  template <typename T>
  void gesvd(bool vectors, Index m, Index n, Index count, T* a, T* values, T* u, T* vt,
             int* info) const {
    const int rows = Int(m), cols = Int(n);
    const signed char job = vectors ? 'S' : 'N';
    int work_size = 0;
    Check(SolverCalls<T>::gesvd_size(solver_, rows, cols, &work_size),
          "cusolverDn<t>gesvd_bufferSize");
    const SolverMemory<T> work(work_size, stream_);
    for (Index b = 0; b < count; ++b) {
      Check(SolverCalls<T>::gesvd(solver_, job, job, rows, cols, a + b * m * n, rows,
                                  values + b * n, vectors ? u + b * m * n : nullptr, rows,
                                  vectors ? vt + b * n * n : nullptr, cols, work.data(), work_size,
                                  nullptr, info + b),
            "cusolverDn<t>gesvd");
    }
  }
  /// b = t^-1 b, or t^-T b, of the first n rows of b (ldb, k), for triangles t, the first n rows of
  /// (ldt, n).
  template <typename T>
  void trsm(bool lower, bool transposed, bool unit, Index n, Index k, Index count, const T* t,
            Index ldt, T* b, Index ldb) const {
    const cublasFillMode_t fill = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasDiagType_t diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const int rows = Int(n), columns = Int(k), step_t = Int(ldt), step_b = Int(ldb);
    const T one = 1;
    if (IsBatch(n, count)) {
      const Addresses<const T> triangles(t, ldt * n, count, stream_);
      const Addresses<T> sides(b, ldb * k, count, stream_);
      return Check(SolverCalls<T>::trsm_batched(blas_, CUBLAS_SIDE_LEFT, fill, op, diagonal, rows,
                                                columns, &one, triangles.data(), step_t,
                                                sides.data(), step_b, Int(count)),
                   "cublas<t>trsmBatched");
    }
    for (Index i = 0; i < count; ++i) {
      Check(SolverCalls<T>::trsm(blas_, CUBLAS_SIDE_LEFT, fill, op, diagonal, rows, columns, &one,
                                 t + i * ldt * n, step_t, b + i * ldb * k, step_b),
            "cublas<t>trsm");
    }
  }

 private:
  /// The addresses of the matrices of a batch, on the device.
  template <typename T>
  class Addresses {
   public:
    Addresses(T* first, Index step, Index count, Stream<gpu>* stream) : memory_(count, stream) {
      std::vector<T*> host(static_cast<std::size_t>(count));
      for (Index b = 0; b < count; ++b) host[static_cast<std::size_t>(b)] = first + b * step;
      // From memory that is not page-locked: the copy has read it when the call returns.
      const std::size_t bytes = host.size() * sizeof(T*);
      DeviceApi<gpu>::Copy2D(memory_.data(), bytes, host.data(), bytes, bytes, 1, stream);
    }
    T** data() const { return memory_.data(); }

   private:
    SolverMemory<T*> memory_;
  };
  struct Jacobi {
    syevjInfo_t info = nullptr;
    Jacobi() { Check(cusolverDnCreateSyevjInfo(&info), "cusolverDnCreateSyevjInfo"); }
    ~Jacobi() { static_cast<void>(cusolverDnDestroySyevjInfo(info)); }
    Jacobi(const Jacobi&) = delete;
    Jacobi& operator=(const Jacobi&) = delete;
  };

  /// One call for all matrices: larger ones fill the device one by one.
  static bool IsBatch(Index n, Index count) { return count > 1 && n <= 256; }
  static int Int(Index n) {
    if (n > (std::numeric_limits<int>::max)()) {
      throw Error("linalg: a matrix or a batch is too large for cuSOLVER");
    }
    return static_cast<int>(n);
  }

  Stream<gpu>* stream_;
  cublasHandle_t blas_;
  cusolverDnHandle_t solver_;
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA && MSHADOW_USE_CUSOLVER
#endif  // MSHADOW_BACKEND_GPU_SOLVER_H_
