// SPDX-License-Identifier: Apache-2.0
// The routines of LAPACK that are called, by their Fortran symbols, where MSHADOW_USE_LAPACK is 1.
// Matrices are column-major. https://netlib.org/lapack/explore-html/
#ifndef MSHADOW_LINALG_LAPACK_H_
#define MSHADOW_LINALG_LAPACK_H_

#include <limits>

#include "batch.h"

/// 1: the program links LAPACK. mshadow::mshadow of CMake sets it where what links cblas_sgemm
/// links dgesdd_ too. A program with MSHADOW_STAND_ALONE links none.
#if MSHADOW_STAND_ALONE
#undef MSHADOW_USE_LAPACK
#endif
#ifndef MSHADOW_USE_LAPACK
#define MSHADOW_USE_LAPACK 0
#endif

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// The threads that LAPACK gets for `volume` multiply-adds: of an OpenBLAS with POSIX threads those
/// that products took from it, blas::ThreadsOfParts(). Of others, and without LAPACK, 1.
inline int ThreadsOfLapack([[maybe_unused]] double volume) {
#if MSHADOW_USE_LAPACK && MSHADOW_USE_CBLAS
  PrepareForFork();
  const int limit = blas::ThreadsOfParts(), most = MaxThreads();
  const bool has_threads = limit > 1 && limit < (std::numeric_limits<int>::max)();
  if (volume >= kLarge && has_threads) return limit < most ? limit : most;
#endif
  return 1;
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::linalg
MSHADOW_NAMESPACE_END

#if MSHADOW_USE_LAPACK
// Names of our own for the symbols: a program may declare dgetrf_ too, with other types.
#if MSHADOW_PLAIN_CXX
#define MSHADOW_LAPACK_(name, ...) void name##_(__VA_ARGS__);
#define MSHADOW_LAPACK_NAME_(name) ::name##_
#else
#define MSHADOW_LAPACK_TEXT_(x) #x
#define MSHADOW_LAPACK_SYMBOL_(prefix, name) MSHADOW_LAPACK_TEXT_(prefix) #name "_"
#define MSHADOW_LAPACK_(name, ...)                 \
  void mshadow_lapack_##name(__VA_ARGS__) __asm__( \
      MSHADOW_LAPACK_SYMBOL_(__USER_LABEL_PREFIX__, name));
#define MSHADOW_LAPACK_NAME_(name) ::mshadow_lapack_##name
#endif
#define MSHADOW_LAPACK_OF_(s, T)                                                                   \
  MSHADOW_LAPACK_(s##getrf, const int* m, const int* n, T* a, const int* lda, int* pivots,         \
                  int* info)                                                                       \
  MSHADOW_LAPACK_(s##getrs, const char* trans, const int* n, const int* k, const T* a,             \
                  const int* lda, const int* pivots, T* b, const int* ldb, int* info)              \
  MSHADOW_LAPACK_(s##potrf, const char* uplo, const int* n, T* a, const int* lda, int* info)       \
  MSHADOW_LAPACK_(s##geqrf, const int* m, const int* n, T* a, const int* lda, T* tau, T* work,     \
                  const int* size, int* info)                                                      \
  MSHADOW_LAPACK_(s##ormqr, const char* side, const char* trans, const int* m, const int* n,       \
                  const int* k, const T* a, const int* lda, const T* tau, T* c, const int* ldc,    \
                  T* work, const int* size, int* info)                                             \
  MSHADOW_LAPACK_(s##syevd, const char* job, const char* uplo, const int* n, T* a, const int* lda, \
                  T* values, T* work, const int* size, int* iwork, const int* isize, int* info)    \
  MSHADOW_LAPACK_(s##gesdd, const char* job, const int* m, const int* n, T* a, const int* lda,     \
                  T* values, T* u, const int* ldu, T* vt, const int* ldvt, T* work,                \
                  const int* size, int* iwork, int* info)                                          \
  MSHADOW_LAPACK_(s##geev, const char* left, const char* right, const int* n, T* a,                \
                  const int* lda, T* real, T* imag, T* vl, const int* ldvl, T* vr,                 \
                  const int* ldvr, T* work, const int* size, int* info)
// Of complex numbers: R is the type of their parts.
#define MSHADOW_LAPACK_OF_COMPLEX_(s, T, R)                                                        \
  MSHADOW_LAPACK_(s##getrf, const int* m, const int* n, T* a, const int* lda, int* pivots,         \
                  int* info)                                                                       \
  MSHADOW_LAPACK_(s##getrs, const char* trans, const int* n, const int* k, const T* a,             \
                  const int* lda, const int* pivots, T* b, const int* ldb, int* info)              \
  MSHADOW_LAPACK_(s##potrf, const char* uplo, const int* n, T* a, const int* lda, int* info)       \
  MSHADOW_LAPACK_(s##geqrf, const int* m, const int* n, T* a, const int* lda, T* tau, T* work,     \
                  const int* size, int* info)                                                      \
  MSHADOW_LAPACK_(s##unmqr, const char* side, const char* trans, const int* m, const int* n,       \
                  const int* k, const T* a, const int* lda, const T* tau, T* c, const int* ldc,    \
                  T* work, const int* size, int* info)                                             \
  MSHADOW_LAPACK_(s##heevd, const char* job, const char* uplo, const int* n, T* a, const int* lda, \
                  R* values, T* work, const int* size, R* rwork, const int* rsize, int* iwork,     \
                  const int* isize, int* info)                                                     \
  MSHADOW_LAPACK_(s##gesdd, const char* job, const int* m, const int* n, T* a, const int* lda,     \
                  R* values, T* u, const int* ldu, T* vt, const int* ldvt, T* work,                \
                  const int* size, R* rwork, int* iwork, int* info)                                \
  MSHADOW_LAPACK_(s##geev, const char* left, const char* right, const int* n, T* a,                \
                  const int* lda, T* values, T* vl, const int* ldvl, T* vr, const int* ldvr,       \
                  T* work, const int* size, R* rwork, int* info)
extern "C" {
MSHADOW_LAPACK_OF_(s, float)
MSHADOW_LAPACK_OF_(d, double)
MSHADOW_LAPACK_OF_COMPLEX_(c, std::complex<float>, float)
MSHADOW_LAPACK_OF_COMPLEX_(z, std::complex<double>, double)
}

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

template <typename T>
struct Lapack;
#define MSHADOW_LAPACK_STRUCT_(s, q, eigen, T)                    \
  template <>                                                     \
  struct Lapack<T> {                                              \
    static constexpr auto getrf = MSHADOW_LAPACK_NAME_(s##getrf); \
    static constexpr auto getrs = MSHADOW_LAPACK_NAME_(s##getrs); \
    static constexpr auto potrf = MSHADOW_LAPACK_NAME_(s##potrf); \
    static constexpr auto geqrf = MSHADOW_LAPACK_NAME_(s##geqrf); \
    static constexpr auto ormqr = MSHADOW_LAPACK_NAME_(s##q);     \
    static constexpr auto syevd = MSHADOW_LAPACK_NAME_(s##eigen); \
    static constexpr auto gesdd = MSHADOW_LAPACK_NAME_(s##gesdd); \
    static constexpr auto geev = MSHADOW_LAPACK_NAME_(s##geev);   \
  };
MSHADOW_LAPACK_STRUCT_(s, ormqr, syevd, float)
MSHADOW_LAPACK_STRUCT_(d, ormqr, syevd, double)
MSHADOW_LAPACK_STRUCT_(c, unmqr, heevd, std::complex<float>)
MSHADOW_LAPACK_STRUCT_(z, unmqr, heevd, std::complex<double>)
#undef MSHADOW_LAPACK_STRUCT_

inline namespace MSHADOW_THREADS_NAMESPACE {

/// Lets LAPACK compute `volume` multiply-adds with ThreadsOfLapack(volume) while this object lives.
class LapackThreads {
 public:
  explicit LapackThreads([[maybe_unused]] double volume) {
    PrepareForFork();
#if MSHADOW_USE_CBLAS && defined(OPENBLAS_THREAD) && defined(__ELF__) && !MSHADOW_PLAIN_CXX
    const int threads = ThreadsOfLapack(volume);
    if (threads < 2) return;
    openblas_set_num_threads(threads);
    is_on_ = true;
#endif
  }
  ~LapackThreads() {
#if MSHADOW_USE_CBLAS && defined(OPENBLAS_THREAD) && defined(__ELF__) && !MSHADOW_PLAIN_CXX
    if (is_on_) openblas_set_num_threads(1);
#endif
  }
  LapackThreads(const LapackThreads&) = delete;
  LapackThreads& operator=(const LapackThreads&) = delete;

 private:
  [[maybe_unused]] bool is_on_ = false;
};

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::linalg
MSHADOW_NAMESPACE_END
#undef MSHADOW_LAPACK_OF_
#undef MSHADOW_LAPACK_OF_COMPLEX_
#undef MSHADOW_LAPACK_NAME_
#undef MSHADOW_LAPACK_
#endif  // MSHADOW_USE_LAPACK
#endif  // MSHADOW_LINALG_LAPACK_H_
