// SPDX-License-Identifier: Apache-2.0
// Functions of matrices: systems, inverses, eigenvalues, singular values, norms.
#ifndef MSHADOW_LINALG_FUNCTIONS_H_
#define MSHADOW_LINALG_FUNCTIONS_H_

#include <cmath>
#include <complex>
#include <limits>

#include "factors.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {
inline namespace MSHADOW_THREADS_NAMESPACE {

template <int dim, typename T>
inline void Solve(const Batch<T>& a, const Shape<dim>& shape, const RightSides<T>& sides, T* out) {
  if constexpr (!kIsComplex<T>) {
    if (a.rows <= kSmall && sides.k <= kSmall) {
      Failures failures(a.count);
      SolveSmall(a, sides.data, sides.step, sides.row, sides.k, out, static_cast<T*>(nullptr),
                 failures.data());
      return failures.Throw("solve", "is singular: there is nothing but 0 for pivot");
    }
  }
  const LU<dim, T> factors(a, shape);
  factors.CheckPivots("solve");
  factors.SolveTo(sides, out);
}

/// The inverses; those of singular matrices are all infinite where `throws` is false.
template <int dim, typename T>
inline TensorContainer<cpu, dim, T> Invert(const Batch<T>& a, const Shape<dim>& shape,
                                           bool throws) {
  const char* const kWhat = "is singular: there is nothing but 0 for pivot";
  auto out = Packed<dim, T>(shape);
  Failures failures(a.count);
  bool done = false;
  if constexpr (!kIsComplex<T>) {
    done = a.rows <= kSmall;
    if (done) InvertSmall(a, out.dptr_, failures.data());
    if (done && throws) failures.Throw("inv", kWhat);
  }
  if (!done) {
    const LU<dim, T> factors(a, shape);
    if (throws) factors.CheckPivots("inv");
    factors.InvertTo(out.dptr_);
    for (Index b = 0; b < a.count; ++b) failures[b] = factors.is_singular(b) ? 1 : 0;
  }
  const Index size = a.rows * a.cols;
  for (Index b = 0; b < a.count; ++b) {
    if (failures[b] == 0) continue;
    for (Index i = 0; i < size; ++i)
      out.dptr_[b * size + i] = std::numeric_limits<Real<T>>::infinity();
  }
  return out;
}

/// Eigenvalues of the lower triangles, to values; vectors where they are not null, as columns.
template <typename T>
inline void SymmetricBatch(const char* who, const Batch<T>& a, Real<T>* values, T* vectors) {
  const Index n = a.rows;
  if (n == 0) return;
  if constexpr (!kIsComplex<T>) {
    if (n <= kSmall) return SymmetricSmall(a, values, vectors);
  }
  Failures failures(a.count);
  const double volume = Volume(n, n, n);
  ForMatrices(a.count, 10 * volume, ThreadsOfLapack(volume), [&](Index begin, Index end) {
    Work<T> copy(n * n);
    for (Index b = begin; b < end; ++b) {
      for (Index i = 0; i < n; ++i) {
        const T* const from = a[b] + i * a.stride;
        for (Index j = 0; j < i; ++j) {
          copy[j * n + i] = from[j];
          copy[i * n + j] = Conj(from[j]);
        }
        copy[i * n + i] = RealPart(from[i]);
      }
      if (!AllFinite(copy.data(), n * n)) {
        FillNaN(values + b * n, n);
        if (vectors != nullptr) FillNaN(vectors + b * n * n, n * n);
        continue;
      }
      failures[b] = Symmetric(n, copy.data(), values + b * n, vectors != nullptr);
      if (vectors != nullptr) CopyTransposed(copy.data(), n, n, n, vectors + b * n * n, n);
    }
  });
  failures.Throw(who, "did not converge at eigenvalue");
}

/// Singular values; u (m, k) and vt (k, n) where they are not null, k = min(m, n).
template <typename T>
inline void SvdBatch(const char* who, const Batch<T>& a, Real<T>* values, T* u, T* vt) {
  const Index m = a.rows, n = a.cols, k = m < n ? m : n;
  if (k == 0) return;
  Failures failures(a.count);
  const double volume = Volume(m, n, k);
  ForMatrices(a.count, 20 * volume, ThreadsOfLapack(volume), [&](Index begin, Index end) {
    Work<T> copy(m * n);
    for (Index b = begin; b < end; ++b) {
      CopyRows(a[b], m, n, a.stride, copy.data(), n);
      T* const to_u = u == nullptr ? nullptr : u + b * m * k;
      T* const to_vt = vt == nullptr ? nullptr : vt + b * k * n;
      if (!AllFinite(copy.data(), m * n)) {
        FillNaN(values + b * k, k);
        if (u != nullptr) {
          FillNaN(to_u, m * k);
          FillNaN(to_vt, k * n);
        }
        continue;
      }
      // Row-major a is column-major a^T, whose U is our V, and the other way round.
      failures[b] = Svd(n, m, copy.data(), values + b * k, u != nullptr, to_vt, to_u);
    }
  });
  failures.Throw(who, "did not converge at value");
}

template <typename T>
inline void EigBatch(const char* who, const Batch<T>& a, std::complex<Real<T>>* values,
                     std::complex<Real<T>>* vectors) {
  const Index n = a.rows;
  if (n == 0) return;
  Failures failures(a.count);
  const double volume = Volume(n, n, n);
  ForMatrices(a.count, 25 * volume, ThreadsOfLapack(volume), [&](Index begin, Index end) {
    Work<T> copy(n * n);
    std::vector<std::complex<Real<T>>> columns(
        static_cast<std::size_t>(vectors != nullptr ? n * n : 0));
    for (Index b = begin; b < end; ++b) {
      CopyTransposed(a[b], n, n, a.stride, copy.data(), n);
      std::complex<Real<T>>* const to = vectors == nullptr ? nullptr : vectors + b * n * n;
      if (!AllFinite(copy.data(), n * n)) {
        FillNaN(values + b * n, n);
        if (to != nullptr) FillNaN(to, n * n);
        continue;
      }
      failures[b] =
          General(n, copy.data(), values + b * n, vectors != nullptr ? columns.data() : nullptr);
      for (Index i = 0; to != nullptr && i < n; ++i) {
        for (Index j = 0; j < n; ++j) to[i * n + j] = columns[static_cast<std::size_t>(j * n + i)];
      }
    }
  });
  failures.Throw(who, "did not converge at eigenvalue");
}

/// f(m, out) for each square matrix m of an expression, both as Tensors.
template <typename E, typename T, typename F>
inline auto MapSquare(const char* who, const E& e, const F& f) {
  const Operand<E, T> matrices(e);
  const Batch<T> batch = matrices.square(who);
  auto out = Packed<Operand<E, T>::kDim, T>(matrices.shape());
  const Index n = batch.rows;
  for (Index b = 0; b < batch.count && n > 0; ++b) {
    const Tensor<cpu, 2, const T> m(batch[b], Shape2(n, n), static_cast<index_t>(batch.stride),
                                    nullptr);
    f(m, Tensor<cpu, 2, T>(out.dptr_ + b * n * n, Shape2(n, n)));
  }
  return out;
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// Singular values below this times the largest count as 0; rcond where it is not negative.
template <typename T>
inline T Cutoff(Index m, Index n, double rcond) {
  if (rcond >= 0) return static_cast<T>(rcond);
  return static_cast<T>(m < n ? n : m) * std::numeric_limits<T>::epsilon();
}
/// The n elements of a, conjugated: transposed they are the adjoint then.
template <typename T>
inline void Conjugate(T* a, Index n) {
  for (Index i = 0; kIsComplex<T> && i < n; ++i) a[i] = Conj(a[i]);
}

}  // namespace detail::linalg

/// Which triangle of a matrix is read.
enum class Triangle { kLower, kUpper };

/// A norm of matrices, with x over vectors: kFro sqrt(sum |a_ij|^2); k1 and kInf the largest sum of
/// |a_ij| of a column and of a row; k2 the largest singular value, kNuc the sum of all.
enum class MatrixNorm { kFro, k1, k2, kInf, kNuc };

/// auto [values, vectors] = eigh(a): values (.., n) of type V, vectors (.., n, n) as columns.
template <int dim, typename T, typename V = T, typename Device = cpu>
struct Eigenpairs {
  TensorContainer<Device, dim - 1, V> values;
  TensorContainer<Device, dim, T> vectors;
};

/// auto [u, s, vt] = svd(a).
template <int dim, typename T, typename Device = cpu>
struct SingularValues {
  TensorContainer<Device, dim, T> u;
  TensorContainer<Device, dim - 1, detail::linalg::Real<T>> s;
  TensorContainer<Device, dim, T> vt;
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// x with A x = b: A (.., n, n), b (.., n, k) or (.., n) -> the same as b. Throws Error, which
/// names the matrix and the pivot, where A is singular. https://netlib.org/lapack/explore-html/
/// (gesv)
template <typename E, typename F, typename A, typename B, int etype, int ftype>
inline auto solve(const expr::Exp<E, A, etype>& a, const expr::Exp<F, B, ftype>& b) {
  using namespace detail::linalg;  // NOLINT
  using T = expr::detail::DotElement<A, B>;
  const Operand<E, T> matrices(a.self());
  const Operand<F, T> right(b.self());
  const Batch<T> batch = matrices.square("solve");
  const RightSides<T> sides = RightSidesOf("solve", matrices.shape(), right);
  auto out = Packed<Operand<F, T>::kDim, T>(right.shape());
  Solve(batch, matrices.shape(), sides, out.dptr_);
  return out;
}

/// The inverse matrices, (.., n, n). Throws Error as solve does. solve(a, b) takes a third of the
/// time of dot(inv(a), b), and is more exact.
template <typename E, typename T, int etype>
inline auto inv(const expr::Exp<E, T, etype>& a) {
  const detail::linalg::Operand<E, T> matrices(a.self());
  return detail::linalg::Invert(matrices.square("inv"), matrices.shape(), true);
}

/// A = P L U: an object that solves, A (.., n, n). See LU.
template <typename E, typename T, int etype>
inline auto lu(const expr::Exp<E, T, etype>& a) {
  const detail::linalg::Operand<E, T> matrices(a.self());
  return LU<detail::linalg::Operand<E, T>::kDim, T>(matrices.square("lu"), matrices.shape());
}

/// The determinants of (.., n, n): a number, or a tensor (..).
template <typename E, typename T, int etype>
inline auto det(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.square("det");
  if constexpr (!kIsComplex<T>) {
    if (batch.rows <= kSmall) {
      return FillPerMatrix<T>(matrices.shape(), [&](T* out) {
        SolveSmall(batch, static_cast<const T*>(nullptr), Index{0}, Index{0}, Index{0},
                   static_cast<T*>(nullptr), out, static_cast<int*>(nullptr));
      });
    }
  }
  return LU<Operand<E, T>::kDim, T>(batch, matrices.shape()).det();
}

/// auto [sign, logabsdet] = slogdet(a): det(a) = sign * exp(logabsdet), without overflow.
template <typename E, typename T, int etype>
inline auto slogdet(const expr::Exp<E, T, etype>& a) {
  return lu(a).slogdet();
}

/// A = L L^H: an object that solves, A (.., n, n) Hermitian, whose lower triangle is read. Throws
/// Error, which names the matrix and the pivot, where A is not positive definite.
template <typename E, typename T, int etype>
inline auto cho_factor(const expr::Exp<E, T, etype>& a) {
  const detail::linalg::Operand<E, T> matrices(a.self());
  return Cholesky<detail::linalg::Operand<E, T>::kDim, T>(
      "cho_factor", matrices.square("cho_factor"), matrices.shape());
}
/// The lower triangle L of A = L L^H, as cho_factor(a).L().
template <typename E, typename T, int etype>
inline auto cholesky(const expr::Exp<E, T, etype>& a) {
  const detail::linalg::Operand<E, T> matrices(a.self());
  return Cholesky<detail::linalg::Operand<E, T>::kDim, T>("cholesky", matrices.square("cholesky"),
                                                          matrices.shape())
      .L();
}

/// A = Q R: an object that forms Q and R when asked and solves, A (.., m, n). See QR.
template <typename E, typename T, int etype>
inline auto qr(const expr::Exp<E, T, etype>& a) {
  const detail::linalg::Operand<E, T> matrices(a.self());
  return QR<detail::linalg::Operand<E, T>::kDim, T>(matrices.batch(), matrices.shape());
}

/// x with T x = b, T the named triangle of A (.., n, n), its diagonal 1 where `unit`; b (.., n, k)
/// or (.., n) -> the same. Throws Error, which names the matrix and the row, where the diagonal is
/// 0.
template <typename E, typename F, typename A, typename B, int etype, int ftype>
inline auto triangular_solve(const expr::Exp<E, A, etype>& a, const expr::Exp<F, B, ftype>& b,
                             Triangle triangle = Triangle::kLower, bool unit = false) {
  using namespace detail::linalg;  // NOLINT
  using T = expr::detail::DotElement<A, B>;
  const Operand<E, T> matrices(a.self());
  const Operand<F, T> right(b.self());
  const Batch<T> batch = matrices.square("triangular_solve");
  const RightSides<T> sides = RightSidesOf("triangular_solve", matrices.shape(), right);
  const Index n = batch.rows;
  Failures failures(batch.count);
  for (Index m = 0; m < batch.count && !unit; ++m) {
    for (Index i = n - 1; i >= 0; --i) {
      if (batch[m][i * batch.stride + i] == T(0)) failures[m] = static_cast<int>(i) + 1;
    }
  }
  failures.Throw("triangular_solve", "is singular: the diagonal is 0 in row");
  auto out = Packed<Operand<F, T>::kDim, T>(right.shape());
  const double volume = Volume(n, n, sides.k);
  ForMatrices(batch.count, volume, ThreadsOfProducts(volume), [&](Index begin, Index end) {
    Work<T> t(n * n), x(n * sides.k);
    for (Index m = begin; m < end; ++m) {
      CopyTransposed(batch[m], n, n, batch.stride, t.data(), n);
      sides.Read(m, n, x.data());
      SolveTriangle(triangle == Triangle::kLower, unit, n, sides.k, static_cast<const T*>(t.data()),
                    n, x.data(), n);
      sides.Write(m, n, x.data(), n, out.dptr_);
    }
  });
  return out;
}

/// Eigenvalues, ascending and real, and orthonormal eigenvectors of symmetric or Hermitian A (..,
/// n, n), whose lower triangle is read: A = V diag(w) V^H. Throws Error where it does not converge.
template <typename E, typename T, int etype>
inline auto eigh(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.square("eigh");
  constexpr int kDim = Operand<E, T>::kDim;
  Eigenpairs<kDim, T, Real<T>> out{
      Packed<kDim - 1, Real<T>>(WithVector(matrices.shape(), batch.rows)),
      Packed<kDim, T>(matrices.shape())};
  SymmetricBatch("eigh", batch, out.values.dptr_, out.vectors.dptr_);
  return out;
}
/// The eigenvalues alone, (.., n).
template <typename E, typename T, int etype>
inline auto eigvalsh(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.square("eigvalsh");
  auto out = Packed<Operand<E, T>::kDim - 1, Real<T>>(WithVector(matrices.shape(), batch.rows));
  SymmetricBatch("eigvalsh", batch, out.dptr_, static_cast<T*>(nullptr));
  return out;
}

/// Eigenvalues, in no order, and eigenvectors of norm 1 of any A (.., n, n): A V = V diag(w), of
/// complex elements, of real A too. Throws Error where it does not converge.
template <typename E, typename T, int etype>
inline auto eig(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.square("eig");
  constexpr int kDim = Operand<E, T>::kDim;
  using Number = std::complex<Real<T>>;
  Eigenpairs<kDim, Number> out{Packed<kDim - 1, Number>(WithVector(matrices.shape(), batch.rows)),
                               Packed<kDim, Number>(matrices.shape())};
  EigBatch("eig", batch, out.values.dptr_, out.vectors.dptr_);
  return out;
}
/// The eigenvalues alone, (.., n), complex.
template <typename E, typename T, int etype>
inline auto eigvals(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.square("eigvals");
  using Number = std::complex<Real<T>>;
  auto out = Packed<Operand<E, T>::kDim - 1, Number>(WithVector(matrices.shape(), batch.rows));
  EigBatch("eigvals", batch, out.dptr_, static_cast<Number*>(nullptr));
  return out;
}

/// A = u diag(s) vt, A (.., m, n) -> u (.., m, k), s (.., k) real and descending, vt (.., k, n),
/// with k = min(m, n): the columns of u and the rows of vt are orthonormal. Throws Error where it
/// does not converge.
template <typename E, typename T, int etype>
inline auto svd(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.batch();
  constexpr int kDim = Operand<E, T>::kDim;
  const Index k = batch.rows < batch.cols ? batch.rows : batch.cols;
  SingularValues<kDim, T> out{Packed<kDim, T>(WithLast(matrices.shape(), batch.rows, k)),
                              Packed<kDim - 1, Real<T>>(WithVector(matrices.shape(), k)),
                              Packed<kDim, T>(WithLast(matrices.shape(), k, batch.cols))};
  SvdBatch("svd", batch, out.s.dptr_, out.u.dptr_, out.vt.dptr_);
  return out;
}
/// The singular values alone, (.., min(m, n)), descending.
template <typename E, typename T, int etype>
inline auto svdvals(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.batch();
  auto out = Packed<Operand<E, T>::kDim - 1, Real<T>>(
      WithVector(matrices.shape(), batch.rows < batch.cols ? batch.rows : batch.cols));
  SvdBatch("svdvals", batch, out.dptr_, static_cast<T*>(nullptr), static_cast<T*>(nullptr));
  return out;
}

/// The pseudo-inverse, A (.., m, n) -> (.., n, m). Singular values up to rcond times the largest
/// count as 0; the default is max(m, n) times the epsilon of T.
template <typename E, typename T, int etype>
inline auto pinv(const expr::Exp<E, T, etype>& a, double rcond = -1) {
  using namespace detail::linalg;  // NOLINT
  auto f = svd(a);
  constexpr int kDim = Operand<E, T>::kDim;
  const Batch<T> u = BatchOf<kDim, T>(f.u), vt = BatchOf<kDim, T>(f.vt);
  const Index m = u.rows, n = vt.cols, k = u.cols;
  const auto cutoff = Cutoff<Real<T>>(m, n, rcond);
  auto out = Packed<kDim, T>(WithLast(f.u.shape_, n, m));
  if (k == 0) {
    for (Index i = 0; i < u.count * m * n; ++i) out.dptr_[i] = 0;
    return out;
  }
  Conjugate(f.u.dptr_, u.count * m * k);
  Conjugate(f.vt.dptr_, u.count * k * n);
  for (Index b = 0; b < u.count; ++b) {
    const Real<T>* const s = f.s.dptr_ + b * k;
    T* const rows = f.vt.dptr_ + b * k * n;
    for (Index i = 0; i < k; ++i) {
      const bool is_zero = s[i] <= cutoff * s[0];
      for (Index j = 0; j < n; ++j) rows[i * n + j] = is_zero ? T(0) : rows[i * n + j] / s[i];
    }
    Tensor<cpu, 2, T>(out.dptr_ + b * n * m, Shape2(n, m)) =
        dot(Tensor<cpu, 2, T>(rows, Shape2(k, n)).T(),
            Tensor<cpu, 2, T>(f.u.dptr_ + b * m * k, Shape2(m, k)).T());
  }
  return out;
}

/// The x of least |A x - b|, of those the one of least |x|, for any A (.., m, n); b (.., m, k) or
/// (.., m) -> (.., n, k) or (.., n). By singular values, with rcond as pinv has it: qr(a).solve(b)
/// is several times as fast where the columns are independent.
template <typename E, typename F, typename A, typename B, int etype, int ftype>
inline auto lstsq(const expr::Exp<E, A, etype>& a, const expr::Exp<F, B, ftype>& b,
                  double rcond = -1) {
  using namespace detail::linalg;  // NOLINT
  using T = expr::detail::DotElement<A, B>;
  const Operand<E, T> matrices(a.self());
  const Operand<F, T> right(b.self());
  const RightSides<T> sides = RightSidesOf("lstsq", matrices.shape(), right);
  const Batch<T> batch = matrices.batch();
  auto f = svd(*matrices);
  const Index m = batch.rows, n = batch.cols, k = m < n ? m : n;
  const auto cutoff = Cutoff<Real<T>>(m, n, rcond);
  auto out = Packed<Operand<F, T>::kDim, T>(SolutionShape<Operand<E, T>::kDim>(right.shape(), n));
  if (k == 0) {
    for (Index i = 0; i < batch.count * n * sides.k; ++i) out.dptr_[i] = 0;
    return out;
  }
  Conjugate(f.u.dptr_, batch.count * m * k);
  Conjugate(f.vt.dptr_, batch.count * k * n);
  Work<T> c(k * sides.k);
  Tensor<cpu, 2, T> part(c.data(), Shape2(k, sides.k));
  for (Index i = 0; i < batch.count && sides.k > 0; ++i) {
    const Real<T>* const s = f.s.dptr_ + i * k;
    const Tensor<cpu, 2, const T> given(sides.data + i * sides.step, Shape2(m, sides.k),
                                        static_cast<index_t>(sides.row), nullptr);
    part = dot(Tensor<cpu, 2, T>(f.u.dptr_ + i * m * k, Shape2(m, k)).T(), given);
    for (Index r = 0; r < k; ++r) {
      const bool is_zero = s[r] <= cutoff * s[0];
      for (Index j = 0; j < sides.k; ++j) {
        c[r * sides.k + j] = is_zero ? T(0) : c[r * sides.k + j] / s[r];
      }
    }
    Tensor<cpu, 2, T>(out.dptr_ + i * n * sides.k, Shape2(n, sides.k)) =
        dot(Tensor<cpu, 2, T>(f.vt.dptr_ + i * k * n, Shape2(k, n)).T(), part);
  }
  return out;
}

/// The number of singular values above rcond times the largest: a number, or a tensor (..).
template <typename E, typename T, int etype>
inline auto matrix_rank(const expr::Exp<E, T, etype>& a, double rcond = -1) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.batch();
  const auto s = svdvals(*matrices);
  const Index k = batch.rows < batch.cols ? batch.rows : batch.cols;
  const auto cutoff = Cutoff<Real<T>>(batch.rows, batch.cols, rcond);
  return FillPerMatrix<int>(matrices.shape(), [&](int* out) {
    for (Index b = 0; b < batch.count; ++b) {
      out[b] = 0;
      for (Index i = 0; i < k; ++i) out[b] += s.dptr_[b * k + i] > cutoff * s.dptr_[b * k] ? 1 : 0;
    }
  });
}

/// The norms of (.., m, n), which are real: a number, or a tensor (..). Of an empty matrix 0.
template <typename E, typename T, int etype>
inline auto matrix_norm(const expr::Exp<E, T, etype>& a, MatrixNorm kind = MatrixNorm::kFro) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.batch();
  const Index m = batch.rows, n = batch.cols, k = m < n ? m : n;
  using R = Real<T>;
  return FillPerMatrix<R>(matrices.shape(), [&](R* out) {
    if (kind == MatrixNorm::k2 || kind == MatrixNorm::kNuc) {
      const auto s = svdvals(*matrices);
      for (Index b = 0; b < batch.count; ++b) {
        out[b] = 0;
        const Index terms = kind == MatrixNorm::kNuc || k == 0 ? k : 1;
        for (Index i = 0; i < terms; ++i) out[b] += s.dptr_[b * k + i];
      }
      return;
    }
    Work<R> sums(kind == MatrixNorm::k1 ? n : m);
    for (Index b = 0; b < batch.count; ++b) {
      if (kind == MatrixNorm::kFro) {
        // The library's norm neither overflows nor vanishes.
        out[b] = m * n == 0
                     ? R(0)
                     : static_cast<R>(norm(Tensor<cpu, 2, const T>(
                           batch[b], Shape2(m, n), static_cast<index_t>(batch.stride), nullptr)));
        continue;
      }
      const Index count = kind == MatrixNorm::k1 ? n : m;
      for (Index i = 0; i < count; ++i) sums[i] = 0;
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          sums[kind == MatrixNorm::k1 ? j : i] += std::abs(batch[b][i * batch.stride + j]);
        }
      }
      out[b] = 0;
      for (Index i = 0; i < count; ++i) {
        if (!(sums[i] <= out[b])) out[b] = sums[i];
        if (!(sums[i] == sums[i])) break;
      }
    }
  });
}

/// The condition numbers |A| |A^-1| of (.., n, n), and for k2 of (.., m, n): a number, or (..).
/// Infinite where a matrix is singular.
template <typename E, typename T, int etype>
inline auto cond(const expr::Exp<E, T, etype>& a, MatrixNorm kind = MatrixNorm::k2) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.batch();
  const Index k = batch.rows < batch.cols ? batch.rows : batch.cols;
  if (kind != MatrixNorm::k2) matrices.square("cond");
  using R = Real<T>;
  return FillPerMatrix<R>(matrices.shape(), [&](R* out) {
    if (kind == MatrixNorm::k2) {
      const auto s = svdvals(*matrices);
      for (Index b = 0; b < batch.count; ++b) {
        const R* const of = s.dptr_ + b * k;
        out[b] = k == 0              ? R(0)
                 : of[k - 1] == R(0) ? std::numeric_limits<R>::infinity()
                                     : of[0] / of[k - 1];
      }
      return;
    }
    const auto inverse = Invert(batch, matrices.shape(), false);
    const auto of_a = matrix_norm(*matrices, kind), of_inverse = matrix_norm(inverse, kind);
    if constexpr (Operand<E, T>::kDim <= 2) {
      *out = of_a * of_inverse;
    } else {
      for (Index b = 0; b < batch.count; ++b) out[b] = of_a.dptr_[b] * of_inverse.dptr_[b];
    }
    // The inverse of a singular matrix is all infinite, of which a norm may be NaN, and so is 0 of
    // A times it.
    constexpr R kInfinity = std::numeric_limits<R>::infinity();
    for (Index b = 0; b < batch.count && k > 0; ++b) {
      if (inverse.dptr_[b * k * k] == kInfinity) out[b] = kInfinity;
    }
  });
}

/// A^power of (.., n, n) by repeated squares; of power < 0 the inverse's, and then it throws Error
/// where A is singular.
template <typename E, typename T, int etype>
inline auto matrix_power(const expr::Exp<E, T, etype>& a, int power) {
  return detail::linalg::MapSquare<E, T>(
      "matrix_power", a.self(), [power](const Tensor<cpu, 2, const T>& m, Tensor<cpu, 2, T> out) {
        TensorContainer<cpu, 2, T> square(m), next;
        if (power < 0) square = inv(m);
        unsigned left =
            power < 0 ? 0u - static_cast<unsigned>(power) : static_cast<unsigned>(power);
        out = T(0);
        for (index_t i = 0; i < out.shape_[0]; ++i) out(i, i) = 1;
        for (bool first = true; left > 0;) {
          if ((left & 1u) != 0) {
            if (first) {
              Copy(out, square);
            } else {
              out = dot(out, square);
            }
            first = false;
          }
          left >>= 1;
          if (left > 0) square = dot(square, square);
        }
      });
}

/// e^A of (.., n, n): a Pade quotient of order 13 of A / 2^s, squared s times. N. Higham, The
/// scaling and squaring method for the matrix exponential revisited, 2005.
template <typename E, typename T, int etype>
inline auto expm(const expr::Exp<E, T, etype>& a) {
  return detail::linalg::MapSquare<E, T>(
      "expm", a.self(), [](const Tensor<cpu, 2, const T>& m, Tensor<cpu, 2, T> out) {
        using R = detail::linalg::Real<T>;
        const R size = matrix_norm(m, MatrixNorm::k1);
        if (!(size <= (std::numeric_limits<R>::max)())) {
          detail::linalg::FillNaN(out.dptr_, static_cast<std::ptrdiff_t>(out.shape_.Size()));
          return;
        }
        int squares = 0;
        std::frexp(size / R(5.371920351148152), &squares);
        if (squares < 0) squares = 0;
        const double c[] = {64764752532480000.,
                            32382376266240000.,
                            7771770303897600.,
                            1187353796428800.,
                            129060195264000.,
                            10559470521600.,
                            670442572800.,
                            33522128640.,
                            1323241920.,
                            40840800.,
                            960960.,
                            16380.,
                            182.,
                            1.};
        // Divided by c[0], so that floats hold them.
        const auto k = [&c](int i) { return static_cast<R>(c[i] / c[0]); };
        const index_t n = m.shape_[0];
        TensorContainer<cpu, 2, T> x(m * std::ldexp(R(1), -squares)), x2(dot(x, x)),
            x4(dot(x2, x2)), x6(dot(x4, x2)), odd(Shape2(n, n)), even(Shape2(n, n)),
            sum(Shape2(n, n));
        sum = x6 * k(13) + x4 * k(11) + x2 * k(9);
        odd = dot(x6, sum);
        odd += x6 * k(7) + x4 * k(5) + x2 * k(3);
        sum = x6 * k(12) + x4 * k(10) + x2 * k(8);
        even = dot(x6, sum);
        even += x6 * k(6) + x4 * k(4) + x2 * k(2);
        for (index_t i = 0; i < n; ++i) {
          odd(i, i) += k(1);
          even(i, i) += k(0);
        }
        sum = dot(x, odd);
        x = solve(even - sum, even + sum);
        for (; squares > 0; --squares) x = dot(x, x);
        Copy(out, x);
      });
}

}  // namespace MSHADOW_THREADS_NAMESPACE
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_FUNCTIONS_H_
