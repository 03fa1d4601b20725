// SPDX-License-Identifier: Apache-2.0
// Factorisations, objects that solve again: LU, Cholesky, QR.
#ifndef MSHADOW_LINALG_FACTORS_H_
#define MSHADOW_LINALG_FACTORS_H_

#include <cmath>

#include "algorithms.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

/// The right-hand sides of a batch of systems of `rows` equations: matrices, (.., rows, k), or
/// vectors, (.., rows).
template <typename T>
struct RightSides {
  const T* data;
  Index step, row, k;
  bool vectors;

  /// Those of matrix b, column-major.
  void Read(Index b, Index rows, T* to) const {
    const T* const from = data + b * step;
    if (vectors) {
      for (Index i = 0; i < rows; ++i) to[i] = from[i];
    } else {
      CopyTransposed(from, rows, k, row, to, rows);
    }
  }
  /// The solutions of matrix b, x (rows, k) column-major, to the result, which has no padding.
  void Write(Index b, Index rows, const T* x, Index stride, T* out) const {
    T* const to = out + b * rows * k;
    if (k == 1) {
      for (Index i = 0; i < rows; ++i) to[i] = x[i];
    } else {
      CopyTransposed(x, k, rows, stride, to, k);
    }
  }
};

/// Throws Error with both shapes unless b fits matrices (.., m, n) of shape a: (.., m, k) or (..,
/// m).
template <int dim, int bdim>
inline void CheckRightSides(const char* who, const Shape<dim>& a, const Shape<bdim>& b) {
  static_assert(bdim == dim || bdim == dim - 1,
                "mshadow: the right-hand side is (.., n, k), as many axes as the matrices have, or "
                "vectors, (.., n)");
  bool fits = true;
  for (int i = 0; i < dim - 1; ++i) fits = fits && a[i] == b[i];
  if (fits) return;
  ErrorText text;
  text.Add("%s: matrices ", who);
  text.AddExtents(a.shape_, dim);
  text.Add(" and a right-hand side ");
  text.AddExtents(b.shape_, bdim);
  text.Add(" do not fit");
  text.Throw();
}
template <int dim, typename F, typename T>
inline RightSides<T> RightSidesOf(const char* who, const Shape<dim>& a, const Operand<F, T>& b) {
  constexpr int kDim = Operand<F, T>::kDim;
  const Tensor<cpu, kDim, const T>& t = *b;
  CheckRightSides(who, a, t.shape_);
  const Index stride = static_cast<Index>(t.stride_);
  if constexpr (kDim == dim) {
    return {t.dptr_, static_cast<Index>(a[dim - 2]) * stride, stride,
            static_cast<Index>(t.shape_[dim - 1]), false};
  } else {
    return {t.dptr_, kDim == 1 ? 0 : stride, 1, 1, true};
  }
}

/// The shape of the solutions: that of b with n rows.
template <int dim, int bdim>
inline Shape<bdim> SolutionShape(Shape<bdim> b, Index n) {
  b[dim - 2] = static_cast<index_t>(n);
  return b;
}

}  // namespace detail::linalg

/// The sign and the logarithm of the absolute value of determinants: numbers, or tensors (..).
template <int dim, typename T, typename Device = cpu>
struct SignAndLog {
  detail::linalg::PerMatrix<dim, T, Device> sign;  // of complex numbers det / |det|
  detail::linalg::PerMatrix<dim, detail::linalg::Real<T>, Device> logabsdet;
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// A = P L U, as lu(A) gives it, for square matrices (.., n, n) of any condition.
template <int dim, typename T>
class LU {
  using Index = detail::linalg::Index;

 public:
  LU(const detail::linalg::Batch<T>& a, const Shape<dim>& shape)
      : n_(a.rows),
        count_(a.count),
        factors_(detail::linalg::Packed<dim, T>(shape)),
        pivots_(static_cast<std::size_t>(a.count * a.rows)),
        failures_(a.count) {
    const double volume = detail::linalg::Volume(n_, n_, n_);
    detail::linalg::ForMatrices(
        count_, volume, detail::linalg::InnerThreads(n_, volume), [&](Index begin, Index end) {
          for (Index b = begin; b < end; ++b) {
            detail::linalg::CopyTransposed(a[b], n_, n_, a.stride, Matrix(b), n_);
            failures_[b] = detail::linalg::Factor(n_, Matrix(b), Pivots(b));
          }
        });
  }

  /// x with A x = b; b (.., n, k) or (.., n) -> the same. Throws Error, which names the matrix and
  /// the pivot, where a matrix is singular.
  template <typename F, typename B, int etype>
  auto solve(const expr::Exp<F, B, etype>& b) const {
    using namespace detail::linalg;  // NOLINT
    const Operand<F, T> operand(b.self());
    const RightSides<T> sides = RightSidesOf("LU.solve", factors_.shape_, operand);
    CheckPivots("solve");
    auto out = Packed<Operand<F, T>::kDim, T>(operand.shape());
    SolveTo(sides, out.dptr_);
    return out;
  }
  /// The inverse matrices. Throws Error as solve does.
  TensorContainer<cpu, dim, T> inv() const {
    CheckPivots("inv");
    auto out = detail::linalg::Packed<dim, T>(factors_.shape_);
    InvertTo(out.dptr_);
    return out;
  }
  /// The determinants: a number, or (..).
  detail::linalg::PerMatrix<dim, T> det() const {
    return detail::linalg::FillPerMatrix<T>(factors_.shape_, [&](T* out) {
      for (Index b = 0; b < count_; ++b) {
        T product = 1;
        for (Index i = 0; i < n_; ++i) product *= Pivot(b, i);
        out[b] = product;
      }
    });
  }
  /// det = sign * exp(logabsdet), which neither overflows nor vanishes; of a singular matrix 0 and
  /// -infinity.
  SignAndLog<dim, T> slogdet() const {
    using R = detail::linalg::Real<T>;
    const auto map = [&](auto f) {
      using To = decltype(f(Index{0}));
      return detail::linalg::FillPerMatrix<To>(factors_.shape_, [&](To* out) {
        for (Index b = 0; b < count_; ++b) out[b] = f(b);
      });
    };
    return {map([&](Index b) {
              T sign = 1;
              for (Index i = 0; i < n_; ++i) {
                const T pivot = Pivot(b, i);
                if constexpr (kIsComplex<T>) {
                  const R size = std::abs(pivot);
                  sign *= size > 0 ? pivot / size : pivot;
                } else {
                  sign *= pivot > T(0) ? T(1) : pivot < T(0) ? T(-1) : pivot;
                }
              }
              return sign;
            }),
            map([&](Index b) {
              R sum = 0;
              for (Index i = 0; i < n_; ++i) sum += std::log(std::abs(Pivot(b, i)));
              return sum;
            })};
  }
  /// The lower triangle, its diagonal 1.
  TensorContainer<cpu, dim, T> L() const {
    return Form([&](Index b, Index i, Index j) {
      return i > j ? Matrix(b)[j * n_ + i] : i == j ? T(1) : T(0);
    });
  }
  /// The upper triangle.
  TensorContainer<cpu, dim, T> U() const {
    return Form([&](Index b, Index i, Index j) { return i <= j ? Matrix(b)[j * n_ + i] : T(0); });
  }
  /// The order of the rows, as a matrix of 0 and 1.
  TensorContainer<cpu, dim, T> P() const {
    auto out = Form([](Index, Index, Index) { return T(0); });
    std::vector<Index> order(static_cast<std::size_t>(n_));
    for (Index b = 0; b < count_; ++b) {
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
      for (Index i = 0; i < n_; ++i) {
        std::swap(order[static_cast<std::size_t>(i)],
                  order[static_cast<std::size_t>(Pivots(b)[i])]);
      }
      for (Index i = 0; i < n_; ++i) {
        out.dptr_[(b * n_ + order[static_cast<std::size_t>(i)]) * n_ + i] = 1;
      }
    }
    return out;
  }
  /// True if matrix b of the batch has a pivot that is 0.
  bool is_singular(std::ptrdiff_t b = 0) const { return failures_[b] != 0; }

  /// Of the library: throws Error if a matrix is singular.
  void CheckPivots(const char* who) const {
    failures_.Throw(who, "is singular: there is nothing but 0 for pivot");
  }
  /// Of the library: the inverses, whatever the pivots are.
  void InvertTo(T* out) const {
    const double volume = detail::linalg::Volume(n_, n_, n_);
    detail::linalg::ForMatrices(
        count_, 2 * volume, detail::linalg::InnerThreads(n_, volume), [&](Index begin, Index end) {
          detail::linalg::Work<T> x(n_ * n_);
          for (Index b = begin; b < end; ++b) {
            for (Index i = 0; i < n_ * n_; ++i) x[i] = i % (n_ + 1) == 0 ? T(1) : T(0);
            detail::linalg::SolveFactored(n_, n_, Matrix(b), Pivots(b), x.data());
            detail::linalg::CopyTransposed(x.data(), n_, n_, n_, out + b * n_ * n_, n_);
          }
        });
  }
  void SolveTo(const detail::linalg::RightSides<T>& sides, T* out) const {
    const double volume = detail::linalg::Volume(n_, n_, sides.k);
    const int inner = detail::linalg::InnerThreads(n_, volume);
    detail::linalg::ForMatrices(count_, 2 * volume, inner, [&](Index begin, Index end) {
      detail::linalg::Work<T> x(n_ * sides.k);
      for (Index b = begin; b < end; ++b) {
        sides.Read(b, n_, x.data());
        detail::linalg::SolveFactored(n_, sides.k, Matrix(b), Pivots(b), x.data());
        sides.Write(b, n_, x.data(), n_, out);
      }
    });
  }

 private:
  T* Matrix(Index b) const { return factors_.dptr_ + b * n_ * n_; }
  const int* Pivots(Index b) const { return pivots_.data() + b * n_; }
  int* Pivots(Index b) { return pivots_.data() + b * n_; }
  /// Pivot i, with the sign of the exchange of rows.
  T Pivot(Index b, Index i) const {
    const T pivot = Matrix(b)[i * n_ + i];
    return Pivots(b)[i] == i ? pivot : -pivot;
  }
  template <typename F>
  TensorContainer<cpu, dim, T> Form(const F& f) const {
    auto out = detail::linalg::Packed<dim, T>(factors_.shape_);
    for (Index b = 0; b < count_; ++b) {
      for (Index i = 0; i < n_; ++i) {
        for (Index j = 0; j < n_; ++j) out.dptr_[(b * n_ + i) * n_ + j] = f(b, i, j);
      }
    }
    return out;
  }

  Index n_, count_;
  TensorContainer<cpu, dim, T> factors_;  // column-major
  std::vector<int> pivots_;
  detail::linalg::Failures failures_;
};

/// A = L L^H, as cho_factor(A) gives it, for Hermitian positive definite matrices (.., n, n).
template <int dim, typename T>
class Cholesky {
  using Index = detail::linalg::Index;

 public:
  /// Reads the lower triangles. Throws Error, which names the matrix and the pivot, where one is
  /// not positive definite.
  Cholesky(const char* who, const detail::linalg::Batch<T>& a, const Shape<dim>& shape)
      : n_(a.rows), count_(a.count), lower_(detail::linalg::Packed<dim, T>(shape)) {
    detail::linalg::Failures failures(count_);
    const double volume = detail::linalg::Volume(n_, n_, n_);
    detail::linalg::ForMatrices(count_, volume, detail::linalg::InnerThreads(n_, volume),
                                [&](Index begin, Index end) {
                                  for (Index b = begin; b < end; ++b) {
                                    T* const to = lower_.dptr_ + b * n_ * n_;
                                    for (Index i = 0; i < n_; ++i) {
                                      const T* const from = a[b] + i * a.stride;
                                      for (Index j = 0; j <= i; ++j) to[i * n_ + j] = from[j];
                                      for (Index j = i + 1; j < n_; ++j) to[i * n_ + j] = 0;
                                    }
                                    if (detail::linalg::AllFinite(to, n_ * n_)) {
                                      failures[b] = detail::linalg::FactorCholesky(n_, to);
                                    } else {
                                      detail::linalg::FillNaN(to, n_ * n_);
                                      ClearUpper(to);
                                    }
                                    // The builtin algorithm leaves parts of products there.
                                    if (!detail::linalg::UsesLapack(n_)) ClearUpper(to);
                                  }
                                });
    failures.Throw(who, "is not positive definite at pivot");
  }

  /// The lower triangle.
  const TensorContainer<cpu, dim, T>& L() const& { return lower_; }
  TensorContainer<cpu, dim, T> L() && {
    return static_cast<TensorContainer<cpu, dim, T>&&>(lower_);
  }
  /// x with A x = b; b (.., n, k) or (.., n) -> the same.
  template <typename F, typename B, int etype>
  auto solve(const expr::Exp<F, B, etype>& b) const {
    using namespace detail::linalg;  // NOLINT
    const Operand<F, T> operand(b.self());
    const RightSides<T> sides = RightSidesOf("Cholesky.solve", lower_.shape_, operand);
    auto out = Packed<Operand<F, T>::kDim, T>(operand.shape());
    const double volume = Volume(n_, n_, sides.k);
    ForMatrices(count_, 2 * volume, ThreadsOfProducts(volume), [&](Index begin, Index end) {
      Work<T> x(n_ * sides.k), column_major(n_ * n_);
      for (Index m = begin; m < end; ++m) {
        const T* const rows = lower_.dptr_ + m * n_ * n_;
        CopyTransposed(rows, n_, n_, n_, column_major.data(), n_);
        sides.Read(m, n_, x.data());
        SolveTriangle(true, false, n_, sides.k, static_cast<const T*>(column_major.data()), n_,
                      x.data(), n_);
        // L^T, column-major, is L as it lies there.
        const T* upper = rows;
        if constexpr (kIsComplex<T>) {
          for (Index i = 0; i < n_ * n_; ++i) column_major[i] = Conj(rows[i]);
          upper = column_major.data();
        }
        SolveTriangle(false, false, n_, sides.k, upper, n_, x.data(), n_);
        sides.Write(m, n_, x.data(), n_, out.dptr_);
      }
    });
    return out;
  }
  /// The determinants: a number, or (..).
  detail::linalg::PerMatrix<dim, T> det() const {
    return detail::linalg::FillPerMatrix<T>(lower_.shape_, [&](T* out) {
      for (Index b = 0; b < count_; ++b) {
        T product = 1;
        for (Index i = 0; i < n_; ++i) product *= lower_.dptr_[(b * n_ + i) * n_ + i];
        out[b] = product * product;
      }
    });
  }

 private:
  void ClearUpper(T* to) const {
    for (Index i = 0; i < n_; ++i) {
      for (Index j = i + 1; j < n_; ++j) to[i * n_ + j] = 0;
    }
  }

  Index n_, count_;
  TensorContainer<cpu, dim, T> lower_;
};

/// A = Q R, as qr(A) gives it, for matrices (.., m, n): Q (.., m, k) has orthonormal columns, R
/// (.., k, n) is an upper triangle, k = min(m, n). Neither is formed before it is asked for.
template <int dim, typename T>
class QR {
  using Index = detail::linalg::Index;

 public:
  QR(const detail::linalg::Batch<T>& a, const Shape<dim>& shape)
      : m_(a.rows),
        n_(a.cols),
        k_(a.rows < a.cols ? a.rows : a.cols),
        count_(a.count),
        shape_(shape),
        factors_(a.count * a.rows * a.cols),
        tau_(a.count * k_) {
    detail::linalg::ForMatrices(count_, 2 * Multiplies(n_), Inner(n_), [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        detail::linalg::CopyTransposed(a[b], m_, n_, a.stride, Matrix(b), m_);
        detail::linalg::FactorQR(m_, n_, Matrix(b), Tau(b));
      }
    });
  }

  TensorContainer<cpu, dim, T> Q() const {
    auto out = detail::linalg::Packed<dim, T>(detail::linalg::WithLast(shape_, m_, k_));
    detail::linalg::ForMatrices(count_, 2 * Multiplies(k_), Inner(k_), [&](Index begin, Index end) {
      detail::linalg::Work<T> q(m_ * k_);
      for (Index b = begin; b < end; ++b) {
        for (Index i = 0; i < m_ * k_; ++i) q[i] = i % (m_ + 1) == 0 ? T(1) : T(0);
        detail::linalg::ApplyQ(false, m_, k_, k_, Copy(b).data(), Tau(b), q.data());
        detail::linalg::CopyTransposed(q.data(), k_, m_, m_, out.dptr_ + b * m_ * k_, k_);
      }
    });
    return out;
  }
  TensorContainer<cpu, dim, T> R() const {
    auto out = detail::linalg::Packed<dim, T>(detail::linalg::WithLast(shape_, k_, n_));
    for (Index b = 0; b < count_; ++b) {
      for (Index i = 0; i < k_; ++i) {
        for (Index j = 0; j < n_; ++j) {
          out.dptr_[(b * k_ + i) * n_ + j] = i <= j ? Matrix(b)[j * m_ + i] : T(0);
        }
      }
    }
    return out;
  }
  /// The x of least |A x - b|, for m >= n and columns that are independent; b (.., m, k) or (.., m)
  /// -> (.., n, k) or (.., n). Throws Error where R has a 0 on its diagonal; lstsq takes any A.
  template <typename F, typename B, int etype>
  auto solve(const expr::Exp<F, B, etype>& b) const {
    using namespace detail::linalg;  // NOLINT
    const Operand<F, T> operand(b.self());
    const RightSides<T> sides = RightSidesOf("QR.solve", shape_, operand);
    if (m_ < n_)
      throw Error("QR.solve: there are fewer equations than unknowns; lstsq solves them");
    Failures failures(count_);
    for (Index m = 0; m < count_; ++m) {
      for (Index i = n_ - 1; i >= 0; --i) {
        if (Matrix(m)[i * m_ + i] == T(0)) failures[m] = static_cast<int>(i) + 1;
      }
    }
    failures.Throw("QR.solve", "has dependent columns: R is 0 at");
    auto out = Packed<Operand<F, T>::kDim, T>(SolutionShape<dim>(operand.shape(), n_));
    ForMatrices(count_, 2 * Multiplies(sides.k), Inner(sides.k), [&](Index begin, Index end) {
      Work<T> x(m_ * sides.k);
      for (Index m = begin; m < end; ++m) {
        sides.Read(m, m_, x.data());
        ApplyQ(true, m_, sides.k, k_, Copy(m).data(), Tau(m), x.data());
        SolveTriangle(false, false, n_, sides.k, static_cast<const T*>(Matrix(m)), m_, x.data(),
                      m_);
        sides.Write(m, n_, x.data(), m_, out.dptr_);
      }
    });
    return out;
  }

 private:
  T* Matrix(Index b) const { return factors_.data() + b * m_ * n_; }
  T* Tau(Index b) const { return tau_.data() + b * k_; }
  /// The reflectors of matrix b: applying them writes the diagonal for a while.
  detail::linalg::Work<T> Copy(Index b) const {
    detail::linalg::Work<T> copy(m_ * n_);
    for (Index i = 0; i < m_ * n_; ++i) copy[i] = Matrix(b)[i];
    return copy;
  }
  /// What it takes to apply the reflectors to `columns` columns.
  double Multiplies(Index columns) const { return detail::linalg::Volume(m_, k_, columns); }
  /// The threads of LAPACK: the builtin algorithm has one.
  int Inner(Index columns) const { return detail::linalg::ThreadsOfLapack(Multiplies(columns)); }

  Index m_, n_, k_, count_;
  Shape<dim> shape_;
  detail::linalg::Work<T> factors_, tau_;  // column-major
};

}  // namespace MSHADOW_THREADS_NAMESPACE
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_FACTORS_H_
