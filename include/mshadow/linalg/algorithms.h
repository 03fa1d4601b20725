// SPDX-License-Identifier: Apache-2.0
// Each algorithm once: by LAPACK where the program links it and the matrix is not small, else
// builtin. Matrices are column-major without padding, and each function says what LAPACK's does.
#ifndef MSHADOW_LINALG_ALGORITHMS_H_
#define MSHADOW_LINALG_ALGORITHMS_H_

#include "builtin.h"
#include "lapack.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

/// n as LAPACK's integer. Throws Error if it does not hold it.
inline int LapackInt(Index n) {
  if (n > (std::numeric_limits<int>::max)())
    throw Error("linalg: a matrix is too large for LAPACK");
  return static_cast<int>(n);
}

/// A size of work memory, which LAPACK returns as a T: the next T, since the size may have been
/// rounded down.
template <typename T>
inline int WorkSize(T size) {
  const Real<T> exact = RealPart(size);
  return static_cast<int>(std::nextafter(exact, (std::numeric_limits<Real<T>>::max)()));
}

/// True if matrices of n rows or columns go to LAPACK.
constexpr bool UsesLapack([[maybe_unused]] Index n) {
#if MSHADOW_USE_LAPACK
  return n > kSmall;
#else
  return false;
#endif
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// The threads of an algorithm made of products, for `volume` multiply-adds in all.
inline int ThreadsOfProducts(double volume) {
  if (volume < kLarge) return 1;
  const int most = MaxThreads();
#if MSHADOW_USE_CBLAS
  PrepareForFork();
  const int limit = blas::ThreadsOfParts();
  if (limit > 0 && limit < most) return limit;
#endif
  return most;
}

/// The threads inside of an algorithm for a matrix of n rows: LAPACK's, or those of products where
/// it is builtin.
inline int InnerThreads(Index n, double volume) {
  return UsesLapack(n) ? ThreadsOfLapack(volume) : ThreadsOfProducts(volume);
}

/// P a = L U in place. Returns 1 + the first pivot that is 0, or 0.
template <typename T>
inline int Factor(Index n, T* a, int* pivots) {
#if MSHADOW_USE_LAPACK
  if (UsesLapack(n)) {
    const int size = LapackInt(n);
    const LapackThreads threads(Volume(n, n, n));
    int info = 0;
    Lapack<T>::getrf(&size, &size, a, &size, pivots, &info);
    for (Index i = 0; i < n; ++i) pivots[i] -= 1;
    return info;
  }
#endif
  return builtin::Factor(n, a, n, pivots);
}

/// b (n, k) = a^-1 b for the factors of a.
template <typename T>
inline void SolveFactored(Index n, Index k, const T* a, const int* pivots, T* b) {
#if MSHADOW_USE_LAPACK
  if (UsesLapack(n)) {
    Work<int> from_one(n);
    for (Index i = 0; i < n; ++i) from_one[i] = pivots[i] + 1;
    const int size = LapackInt(n), columns = LapackInt(k);
    const LapackThreads threads(Volume(n, n, k));
    int info = 0;
    Lapack<T>::getrs("N", &size, &columns, a, &size, from_one.data(), b, &size, &info);
    return;
  }
#endif
  for (Index i = 0; i < n; ++i) {
    if (pivots[i] == i) continue;
    for (Index c = 0; c < k; ++c) std::swap(b[c * n + i], b[c * n + pivots[i]]);
  }
  SolveTriangle(true, true, n, k, a, n, b, n);
  SolveTriangle(false, false, n, k, a, n, b, n);
}

/// a = L L^H, L to the lower triangle of the row-major a. Returns 1 + the first pivot that is not
/// positive, or 0.
template <typename T>
inline int FactorCholesky(Index n, T* a) {
#if MSHADOW_USE_LAPACK
  if (UsesLapack(n)) {
    const int size = LapackInt(n);
    const LapackThreads threads(Volume(n, n, n));
    int info = 0;
    Lapack<T>::potrf("U", &size, a, &size, &info);
    return info;
  }
#endif
  return builtin::FactorCholesky(n, a, n);
}

template <typename T>
inline void FactorQR(Index m, Index n, T* a, T* tau) {
#if MSHADOW_USE_LAPACK
  if (m > 0 && UsesLapack(m < n ? n : m)) {
    const int rows = LapackInt(m), cols = LapackInt(n), ask = -1;
    const LapackThreads threads(Volume(m, n, m < n ? m : n));
    int info = 0;
    T best = 0;
    Lapack<T>::geqrf(&rows, &cols, a, &rows, tau, &best, &ask, &info);
    const int size = WorkSize(best);
    Work<T> work(size);
    Lapack<T>::geqrf(&rows, &cols, a, &rows, tau, work.data(), &size, &info);
    return;
  }
#endif
  builtin::FactorQR(m, n, a, m, tau);
}

/// c (m, n) = Q c, or Q^H c, for the first k reflectors of a (m, ..).
template <typename T>
inline void ApplyQ(bool transposed, Index m, Index n, Index k, T* a, const T* tau, T* c) {
#if MSHADOW_USE_LAPACK
  if (UsesLapack(m)) {
    const int rows = LapackInt(m), cols = LapackInt(n), count = LapackInt(k), ask = -1;
    const char* const trans = !transposed ? "N" : kIsComplex<T> ? "C" : "T";
    const LapackThreads threads(Volume(m, n, k));
    int info = 0;
    T best = 0;
    Lapack<T>::ormqr("L", trans, &rows, &cols, &count, a, &rows, tau, c, &rows, &best, &ask, &info);
    const int size = WorkSize(best);
    Work<T> work(size);
    Lapack<T>::ormqr("L", trans, &rows, &cols, &count, a, &rows, tau, c, &rows, work.data(), &size,
                     &info);
    return;
  }
#endif
  builtin::ApplyQ(transposed, m, n, k, a, m, tau, c, m);
}

/// Eigenvalues of the Hermitian a, ascending; with `vectors` its eigenvectors replace its columns.
/// All elements of a are given, and are finite. Returns 0 unless it did not converge.
template <typename T>
inline int Symmetric(Index n, T* a, Real<T>* values, bool vectors) {
#if MSHADOW_USE_LAPACK
  if (UsesLapack(n)) {
    static_cast<void>(LapackInt(2 * n * n + 6 * n + 1));  // the size of its work memory
    const int size = LapackInt(n), ask = -1;
    const char* const job = vectors ? "V" : "N";
    const LapackThreads threads(Volume(n, n, n));
    int info = 0, iwork_size = 0;
    T best = 0;
    if constexpr (kIsComplex<T>) {
      Real<T> rbest = 0;
      Lapack<T>::syevd(job, "U", &size, a, &size, values, &best, &ask, &rbest, &ask, &iwork_size,
                       &ask, &info);
      const int work_size = WorkSize(best), rwork_size = WorkSize(rbest);
      Work<T> work(work_size);
      Work<Real<T>> rwork(rwork_size);
      Work<int> iwork(iwork_size);
      Lapack<T>::syevd(job, "U", &size, a, &size, values, work.data(), &work_size, rwork.data(),
                       &rwork_size, iwork.data(), &iwork_size, &info);
      return info;
    } else {
      Lapack<T>::syevd(job, "U", &size, a, &size, values, &best, &ask, &iwork_size, &ask, &info);
      const int work_size = WorkSize(best);
      Work<T> work(work_size);
      Work<int> iwork(iwork_size);
      Lapack<T>::syevd(job, "U", &size, a, &size, values, work.data(), &work_size, iwork.data(),
                       &iwork_size, &info);
    }
    return info;
  }
#endif
  return builtin::Symmetric(n, a, n, values, vectors);
}

/// a (m, n) = U S V^H, min(m, n) values, descending. Where `vectors`: u (m, min) and vt (min, n),
/// both column-major. Returns 0 unless it did not converge.
template <typename T>
inline int Svd(Index m, Index n, T* a, Real<T>* values, bool vectors, T* u, T* vt) {
  const Index least = m < n ? m : n;
#if MSHADOW_USE_LAPACK
  if (UsesLapack(m < n ? n : m)) {
    static_cast<void>(LapackInt(4 * least * least + 7 * least));  // the size of its work memory
    const int rows = LapackInt(m), cols = LapackInt(n), ask = -1, k = LapackInt(least);
    const char* const job = vectors ? "S" : "N";
    Work<int> iwork(8 * least);
    const LapackThreads threads(Volume(m, n, least));
    int info = 0;
    T best = 0;
    if constexpr (kIsComplex<T>) {
      // The larger of what the manual asks for where there are vectors and where there are none.
      const Index most = m < n ? n : m, wide = 2 * most + 2 * least + 1, deep = 5 * least + 7;
      Work<Real<T>> rwork(least * (wide > deep ? wide : deep));
      Lapack<T>::gesdd(job, &rows, &cols, a, &rows, values, u, &rows, vt, &k, &best, &ask,
                       rwork.data(), iwork.data(), &info);
      const int size = WorkSize(best);
      Work<T> work(size);
      Lapack<T>::gesdd(job, &rows, &cols, a, &rows, values, u, &rows, vt, &k, work.data(), &size,
                       rwork.data(), iwork.data(), &info);
    } else {
      Lapack<T>::gesdd(job, &rows, &cols, a, &rows, values, u, &rows, vt, &k, &best, &ask,
                       iwork.data(), &info);
      const int size = WorkSize(best);
      Work<T> work(size);
      Lapack<T>::gesdd(job, &rows, &cols, a, &rows, values, u, &rows, vt, &k, work.data(), &size,
                       iwork.data(), &info);
    }
    return info;
  }
#endif
  // A wide matrix is transposed: its U is the V of that.
  Work<T> other(vectors ? least * least : 0);
  if (m >= n) {
    const int info = builtin::Svd(m, n, a, values, vectors ? u : nullptr, other.data());
    if (vectors) CopyAdjoint(other.data(), least, least, least, vt, least);
    return info;
  }
  Work<T> flipped(m * n), tall(vectors ? m * n : 0);
  CopyAdjoint(a, n, m, m, flipped.data(), n);
  const int info =
      builtin::Svd(n, m, flipped.data(), values, vectors ? tall.data() : nullptr, other.data());
  if (vectors) {
    CopyRows(other.data(), m, m, m, u, m);
    CopyAdjoint(tall.data(), m, n, n, vt, m);
  }
  return info;
}

/// The builtin algorithm, on elements of at most 1.
template <typename T>
inline int ScaledGeneral(Index n, const T* a, std::complex<Real<T>>* values,
                         std::complex<Real<T>>* vectors) {
  using R = Real<T>;
  std::vector<std::complex<R>> own(static_cast<std::size_t>(vectors == nullptr ? n * n : 0));
  std::complex<R>* const h = vectors == nullptr ? own.data() : vectors;
  R square = 0, scale = 0;
  for (Index i = 0; i < n * n; ++i) scale = std::abs(a[i]) > scale ? std::abs(a[i]) : scale;
  if (scale == R(0)) scale = 1;
  // Of this scale squares of elements neither overflow nor vanish.
  for (Index i = 0; i < n * n; ++i) {
    h[i] = a[i] / scale;
    square = std::hypot(square, std::abs(h[i]));
  }
  const int info = builtin::General(n, h, values, vectors != nullptr);
  // A real matrix: what rounding alone made complex is real.
  const R least = 4 * std::numeric_limits<R>::epsilon() * square;
  for (Index i = 0; i < n; ++i) {
    if (!kIsComplex<T> && std::abs(values[i].imag()) <= least) values[i] = values[i].real();
    values[i] *= scale;
  }
  return info;
}

/// Eigenvalues of a (n, n), which is overwritten, and with `vectors` the eigenvectors as columns.
template <typename T>
inline int General(Index n, T* a, std::complex<T>* values, std::complex<T>* vectors) {
#if MSHADOW_USE_LAPACK
  // Of any size: LAPACK's pairs of conjugate values are exact.
  const int size = LapackInt(n), ask = -1, one = 1;
  const char* const job = vectors != nullptr ? "V" : "N";
  Work<T> real(n), imag(n), right(vectors != nullptr ? n * n : 1);
  const LapackThreads threads(Volume(n, n, n));
  int info = 0;
  T best = 0, none = 0;
  Lapack<T>::geev("N", job, &size, a, &size, real.data(), imag.data(), &none, &one, right.data(),
                  &size, &best, &ask, &info);
  const int work_size = WorkSize(best);
  Work<T> work(work_size);
  Lapack<T>::geev("N", job, &size, a, &size, real.data(), imag.data(), &none, &one, right.data(),
                  &size, work.data(), &work_size, &info);
  if (info != 0) return info;
  for (Index j = 0; j < n; ++j) values[j] = {real[j], imag[j]};
  if (vectors == nullptr) return 0;
  for (Index j = 0; j < n; ++j) {
    // Of a pair the columns are the real and the imaginary part.
    const bool pair = imag[j] != T(0);
    for (Index i = 0; i < n; ++i) {
      const T x = right[j * n + i];
      if (!pair) {
        vectors[j * n + i] = x;
      } else {
        const T y = right[(j + 1) * n + i];
        vectors[j * n + i] = {x, y};
        vectors[(j + 1) * n + i] = {x, -y};
      }
    }
    if (pair) ++j;
  }
  return 0;
#else
  return ScaledGeneral(n, a, values, vectors);
#endif
}
template <typename T>
inline int General(Index n, std::complex<T>* a, std::complex<T>* values, std::complex<T>* vectors) {
#if MSHADOW_USE_LAPACK
  using Number = std::complex<T>;
  if (UsesLapack(n)) {
    const int size = LapackInt(n), ask = -1, one = 1;
    const char* const job = vectors != nullptr ? "V" : "N";
    const LapackThreads threads(Volume(n, n, n));
    Work<T> rwork(2 * n);
    int info = 0;
    Number best = 0, none = 0;
    Number* const right = vectors != nullptr ? vectors : &none;
    Lapack<Number>::geev("N", job, &size, a, &size, values, &none, &one, right, &size, &best, &ask,
                         rwork.data(), &info);
    const int work_size = WorkSize(best);
    Work<Number> work(work_size);
    Lapack<Number>::geev("N", job, &size, a, &size, values, &none, &one, right, &size, work.data(),
                         &work_size, rwork.data(), &info);
    return info;
  }
#endif
  return ScaledGeneral(n, a, values, vectors);
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::linalg
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_ALGORITHMS_H_
