// SPDX-License-Identifier: Apache-2.0
// The algorithms without LAPACK. Matrices are column-major, arguments and results those of LAPACK's
// routines: G. Golub, C. Van Loan, Matrix Computations, 4th edition, chapters 3, 4, 5, 7 and 8.
#ifndef MSHADOW_LINALG_BUILTIN_H_
#define MSHADOW_LINALG_BUILTIN_H_

#include <cmath>
#include <complex>
#include <limits>

#include "kernels.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg::builtin {

/// P a = L U in place, rows exchanged: row j with pivots[j]. Returns 1 + the first pivot that is 0,
/// or 0.
template <typename T>
inline int Factor(Index n, T* a, Index lda, int* pivots) {
  constexpr Index kPanel = 32;
  int failed = 0;
  for (Index k = 0; k < n; k += kPanel) {
    const Index end = n - k < kPanel ? n : k + kPanel;
    for (Index j = k; j < end; ++j) {
      T* const column = a + j * lda;
      Index best = j;
      for (Index i = j + 1; i < n; ++i) {
        if (Abs1(column[i]) > Abs1(column[best])) best = i;
      }
      pivots[j] = static_cast<int>(best);
      if (best != j) {
        for (Index c = 0; c < n; ++c) std::swap(a[j + c * lda], a[best + c * lda]);
      }
      if (column[j] == T(0)) {
        if (failed == 0) failed = static_cast<int>(j) + 1;
        continue;
      }
      for (Index i = j + 1; i < n; ++i) column[i] /= -column[j];
      RankOne(n - j - 1, end - j - 1, column + j + 1, column + lda + j, lda, column + lda + j + 1,
              lda);
      for (Index i = j + 1; i < n; ++i) column[i] = -column[i];
    }
    const Index rest = n - end;
    T* const right = a + end * lda;
    SolveTriangle(true, true, end - k, rest, a + k * lda + k, lda, right + k, lda);
    SubtractProduct(rest, rest, end - k, a + k * lda + end, lda, right + k, lda, false, right + end,
                    lda);
  }
  return failed;
}

/// a = L L^H, L to the lower triangle of the *row-major* matrix a. Returns 1 + the first pivot that
/// is not positive, or 0.
template <typename T>
inline int FactorCholesky(Index n, T* a, Index lda) {
  constexpr Index kPanel = 32, kStrip = 128;
  for (Index k = 0; k < n; k += kPanel) {
    const Index end = n - k < kPanel ? n : k + kPanel;
    for (Index i = k; i < n; ++i) {
      T* const row = a + i * lda;
      const Index last = i < end ? i : end;
      for (Index j = k; j < last; ++j) {
        const T* const other = a + j * lda;
        Computed<T> sum = row[j];
        for (Index c = k; c < j; ++c) sum += Computed<T>(-row[c]) * Computed<T>(Conj(other[c]));
        row[j] = T(sum) / RealPart(other[j]);
      }
      if (i >= end) continue;
      Real<T> pivot = RealPart(row[i]);
      for (Index c = k; c < i; ++c) pivot -= Square(row[c]);
      if (!(pivot > 0)) return static_cast<int>(i) + 1;
      row[i] = std::sqrt(pivot);
    }
    Work<T> conjugate(kIsComplex<T> ? (n - end) * (end - k) : 0);
    for (Index i = end; kIsComplex<T> && i < n; ++i) {
      for (Index j = k; j < end; ++j) {
        conjugate[(i - end) * (end - k) + j - k] = Conj(a[i * lda + j]);
      }
    }
    // Row-major: rows [j, n) of strip j of columns, as a column-major product of transposed
    // operands.
    using Matrix = Tensor<cpu, 2, T>;
    const auto part = [&](Index i, Index rows, Index j, Index cols) {
      return Matrix(a + i * lda + j, Shape2(rows, cols), static_cast<index_t>(lda), nullptr);
    };
    for (Index j = end; j < n; j += kStrip) {
      const Index cols = n - j < kStrip ? n - j : kStrip;
      const Matrix right =
          kIsComplex<T> ? Matrix(conjugate.data() + (j - end) * (end - k), Shape2(cols, end - k))
                        : part(j, cols, k, end - k);
      part(j, n - j, j, cols) -= dot(part(j, n - j, k, end - k), right.T());
    }
  }
  return 0;
}

/// The reflector H = I - tau v v^H, v[0] = 1, with H^H x = (beta, 0, ..) and beta real: v replaces
/// x but for x[0], which becomes beta. Returns tau.
template <typename T>
inline T MakeReflector(Index n, T* x) {
  Real<T> scale = 0;
  for (Index i = 1; i < n; ++i) {
    if (!(std::abs(x[i]) <= scale)) scale = std::abs(x[i]);
  }
  if (scale == 0 && IsReal(x[0])) return 0;
  if (std::abs(x[0]) > scale) scale = std::abs(x[0]);
  Real<T> sum = 0;
  for (Index i = 1; i < n; ++i) sum += Square(x[i] / scale);
  const T first = x[0] / scale;
  const Real<T> beta = -std::copysign(std::sqrt(Square(first) + sum), RealPart(first));
  // By scale first: numbers next to nothing are divided exactly only by each other.
  for (Index i = 1; i < n; ++i) x[i] = x[i] / scale / (first - beta);
  x[0] = beta * scale;
  return (beta - first) / beta;
}

/// c (m, n) = (I - tau v v^H) c, with v[0] = 1 whatever lies there; work has n elements.
template <typename T>
inline void ApplyReflector(Index m, Index n, T* v, T tau, T* c, Index ldc, T* work) {
  if (tau == T(0) || n == 0) return;
  const T kept = v[0];
  v[0] = 1;
  Dots(m, n, c, ldc, v, work);  // v^H c
  for (Index j = 0; j < n; ++j) work[j] *= -tau;
  RankOne(m, n, v, work, Index{1}, c, ldc);
  v[0] = kept;
}

/// a (m, n) = Q R: R above, the reflectors below the diagonal, their factors in tau.
template <typename T>
inline void FactorQR(Index m, Index n, T* a, Index lda, T* tau) {
  Work<T> work(n);
  for (Index j = 0; j < (m < n ? m : n); ++j) {
    T* const x = a + j * lda + j;
    tau[j] = MakeReflector(m - j, x);
    ApplyReflector(m - j, n - j - 1, x, Conj(tau[j]), x + lda, lda, work.data());
  }
}

/// c (m, n) = Q c, or Q^H c, for the first k reflectors below the diagonal of a.
template <typename T>
inline void ApplyQ(bool transposed, Index m, Index n, Index k, T* a, Index lda, const T* tau, T* c,
                   Index ldc) {
  Work<T> work(n);
  for (Index s = 0; s < k; ++s) {
    const Index j = transposed ? s : k - 1 - s;
    ApplyReflector(m - j, n, a + j * lda + j, transposed ? Conj(tau[j]) : tau[j], c + j, ldc,
                   work.data());
  }
}

/// Eigenvalues, ascending, of the Hermitian matrix a (n, n), all of whose elements are given;
/// with `vectors` its eigenvectors replace the columns. Returns 1 + an eigenvalue that was not
/// found, or 0. Tridiagonal form, then implicit QL steps.
template <typename T>
inline int Symmetric(Index n, T* a, Index lda, Real<T>* values, bool vectors) {
  using R = Real<T>;
  Work<R> rest(n);
  Work<T> tau(n), w(n);
  R* const d = values;
  R* const e = rest.data();
  for (Index k = 0; k + 1 < n; ++k) {
    T* const v = a + k * lda + k + 1;
    const Index size = n - k - 1;
    tau[k] = MakeReflector(size, v);
    e[k] = RealPart(v[0]);
    if (tau[k] == T(0)) continue;
    v[0] = 1;
    T* const square = v + lda;
    Dots(size, size, square, lda, v, w.data());
    for (Index i = 0; i < size; ++i) w[i] = Conj(w[i]);
    const R half = Square(tau[k]) * RealPart(DotOf(size, w.data(), v)) / 2;
    for (Index i = 0; i < size; ++i) w[i] = half * v[i] - tau[k] * w[i];
    simd::Call<RankTwoKernel<T>>(size, static_cast<const T*>(v), static_cast<const T*>(w.data()),
                                 square, lda);
  }
  for (Index k = 0; k < n; ++k) d[k] = RealPart(a[k * lda + k]);
  e[n - 1] = 0;
  if (vectors) {
    Work<T> q(n * n);
    for (Index i = 0; i < n * n; ++i) q[i] = i % (n + 1) == 0 ? T(1) : T(0);
    for (Index k = n - 2; k >= 0; --k) {
      ApplyReflector(n - k - 1, n - k - 1, a + k * lda + k + 1, tau[k], &q[(k + 1) * n + k + 1], n,
                     w.data());
    }
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) a[j * lda + i] = q[j * n + i];
    }
  }
  const R eps = std::numeric_limits<R>::epsilon();
  R size = 0;
  for (Index i = 0; i < n; ++i) {
    const R sum = std::abs(d[i]) + std::abs(e[i]);
    if (sum > size) size = sum;
  }
  for (Index l = 0; l < n; ++l) {
    for (int step = 0;; ++step) {
      // Beside small eigenvalues rounding may keep e from vanishing: then what counts is the
      // matrix.
      const R enough = step < 15 ? R(0) : eps * size;
      Index m = l;
      while (m + 1 < n &&
             !(std::abs(e[m]) <= eps * (std::abs(d[m]) + std::abs(d[m + 1])) + enough)) {
        ++m;
      }
      if (m == l) break;
      if (step == 60) return static_cast<int>(l) + 1;
      const R slope = (d[l + 1] - d[l]) / (2 * e[l]);
      R g = d[m] - d[l] + e[l] / (slope + std::copysign(std::hypot(slope, R(1)), slope));
      R sine = 1, cosine = 1, shift = 0;
      Index i = m - 1;
      for (; i >= l; --i) {
        const R f = sine * e[i], b = cosine * e[i];
        const R r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == R(0)) {
          d[i + 1] -= shift;
          e[m] = 0;
          break;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1] - shift;
        const R u = (d[i] - g) * sine + 2 * cosine * b;
        shift = sine * u;
        d[i + 1] = g + shift;
        g = cosine * u - b;
        if (vectors) Rotate(n, a + i * lda, a + (i + 1) * lda, cosine, sine);
      }
      if (i >= l) continue;
      d[l] -= shift;
      e[l] = g;
      e[m] = 0;
    }
  }
  for (Index i = 0; i < n; ++i) {
    Index least = i;
    for (Index j = i + 1; j < n; ++j) {
      if (d[j] < d[least]) least = j;
    }
    if (least == i) continue;
    std::swap(d[i], d[least]);
    if (!vectors) continue;
    for (Index r = 0; r < n; ++r) std::swap(a[i * lda + r], a[least * lda + r]);
  }
  return 0;
}

/// Orthogonalises the columns of g (n, n) by rotations, one-sided Jacobi: g becomes U S, and v,
/// the identity before, V. Returns 1 where it did not converge, else 0.
template <typename T>
inline int OrthogonaliseColumns(Index n, T* g, T* v) {
  using R = Real<T>;
  Work<R> squares(n);
  // Less than the rounding of a product of two columns would never be reached.
  const R tolerance = 4 * std::numeric_limits<R>::epsilon() * std::sqrt(static_cast<R>(n));
  // Of a product below this, zeta would be infinite.
  const R least = (std::numeric_limits<R>::min)() / std::numeric_limits<R>::epsilon();
  // Products below this are rounding of rounding, beside 1: no sweep is worth it.
  const R eps2 = std::numeric_limits<R>::epsilon() * std::numeric_limits<R>::epsilon();
  const R matters = eps2 * eps2;
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (Index j = 0; j < n; ++j) squares[j] = SquareOf(n, g + j * n);
    for (Index p = 0; p + 1 < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        const T inner = DotOf(n, g + q * n, g + p * n);
        R product = RealPart(inner);
        if constexpr (kIsComplex<T>) product = std::abs(inner);
        const R limit = tolerance * std::sqrt(squares[p]) * std::sqrt(squares[q]);
        if (!(std::abs(product) > limit + least)) continue;
        if (std::abs(product) > matters) rotated = true;
        if constexpr (kIsComplex<T>) {  // a column by a phase: their product is real then
          const T phase = Conj(inner) / product;
          for (Index i = 0; i < n; ++i) g[q * n + i] *= phase;
          for (Index i = 0; v != nullptr && i < n; ++i) v[q * n + i] *= phase;
        }
        const R zeta = (squares[q] - squares[p]) / (2 * product);
        const R t = std::copysign(R(1), zeta) / (std::abs(zeta) + std::hypot(R(1), zeta));
        const R cosine = 1 / std::sqrt(1 + t * t);
        Rotate(n, g + p * n, g + q * n, cosine, cosine * t);
        if (v != nullptr) Rotate(n, v + p * n, v + q * n, cosine, cosine * t);
        squares[p] -= t * product;
        squares[q] += t * product;
        if (!(squares[p] > 0)) squares[p] = SquareOf(n, g + p * n);
      }
    }
    if (!rotated) return 0;
  }
  return 1;
}

/// a (m, n) = U S V^H for m >= n; `a` is overwritten. With u (m, n) and v (n, n), or neither.
/// Returns 0, or 1 where it did not converge.
template <typename T>
inline int Svd(Index m, Index n, T* a, Real<T>* values, T* u, T* v) {
  using R = Real<T>;
  // a = Q R, R^H = X S Y^H, so that a = (Q Y) S X^H. R^H needs fewer sweeps than a.
  R largest = 0;
  for (Index i = 0; i < m * n; ++i) {
    if (std::abs(a[i]) > largest) largest = std::abs(a[i]);
  }
  const R scale = largest > R(0) ? largest : R(1);
  for (Index i = 0; i < m * n; ++i) a[i] /= scale;
  Work<T> tau(n), x(n * n), y(n * n);
  FactorQR(m, n, a, m, tau.data());
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      x[j * n + i] = i >= j ? Conj(a[i * m + j]) : T(0);
      y[j * n + i] = i == j ? T(1) : T(0);
    }
  }
  const int failed = OrthogonaliseColumns(n, x.data(), u == nullptr ? nullptr : y.data());
  Work<Index> order(n);
  for (Index j = 0; j < n; ++j) {
    const R value = std::sqrt(SquareOf(n, &x[j * n]));
    Index at = j;
    for (; at > 0 && values[at - 1] < value; --at) {
      values[at] = values[at - 1];
      order[at] = order[at - 1];
    }
    values[at] = value;
    order[at] = j;
  }
  if (u != nullptr) {
    // Rounding gives shorter columns their direction.
    const R little = static_cast<R>(n) * std::numeric_limits<R>::epsilon() * values[0];
    for (Index i = 0; i < m * n; ++i) u[i] = 0;
    for (Index j = 0; j < n; ++j) {
      const Index from = order[j];
      for (Index i = 0; i < n; ++i) u[j * m + i] = y[from * n + i];
      T* const to = v + j * n;
      const bool usable = values[j] > (std::numeric_limits<R>::min)();
      for (Index i = 0; usable && i < n; ++i) to[i] = x[from * n + i] / values[j];
      if (usable && values[j] > little) continue;
      // Made orthogonal to those before, or a unit vector that can be.
      for (Index unit = usable ? -1 : 0; unit < n; ++unit) {
        for (Index i = 0; unit >= 0 && i < n; ++i) to[i] = i == unit ? T(1) : T(0);
        for (int pass = 0; pass < 2; ++pass) {
          for (Index c = 0; c < j; ++c) {
            const T f = DotOf(n, to, v + c * n);
            for (Index i = 0; i < n; ++i) to[i] -= f * v[c * n + i];
          }
        }
        const R norm = std::sqrt(SquareOf(n, to));
        if (norm * norm * static_cast<R>(2 * n) < R(1)) continue;
        for (Index i = 0; i < n; ++i) to[i] /= norm;
        break;
      }
    }
    ApplyQ(false, m, n, n, a, m, tau.data(), u, m);
  }
  for (Index j = 0; j < n; ++j) values[j] *= scale;
  return failed;
}

/// Eigenvalues of a (n, n), and with `vectors` the eigenvectors, of norm 1, as its columns.
/// Hessenberg form, QR steps with Wilkinson's shift, back substitution. Returns 1 + an eigenvalue
/// that was not found, or 0.
template <typename T>
inline int General(Index n, std::complex<T>* a, std::complex<T>* values, bool vectors) {
  using Number = std::complex<T>;
  const T eps = std::numeric_limits<T>::epsilon();
  std::vector<Number> basis(static_cast<std::size_t>(vectors ? n * n : 0));
  Number* const z = basis.data();
  if (vectors) {
    for (Index i = 0; i < n; ++i) z[i * (n + 1)] = 1;
  }
  const auto at = [a, n](Index i, Index j) -> Number& { return a[j * n + i]; };
  // (x, y) = G (x, y), with G = (c, s; -conj(s), c) and c real.
  const auto rotate = [](Index count, Number* x, Number* y, Index step, T c, Number s) {
    const T sr = s.real(), si = s.imag();
    for (Index i = 0; i < count; ++i, x += step, y += step) {
      const T xr = x->real(), xi = x->imag(), yr = y->real(), yi = y->imag();
      *x = Number(c * xr + sr * yr - si * yi, c * xi + sr * yi + si * yr);
      *y = Number(c * yr - sr * xr - si * xi, c * yi - sr * xi + si * xr);
    }
  };
  // c and s that make the second of (f, g) 0.
  const auto make = [](Number f, Number g, T* c, Number* s) {
    const T length = std::hypot(std::abs(f), std::abs(g));
    const T size = std::abs(f);
    if (length == T(0)) {
      *c = 1;
      *s = 0;
      return;
    }
    *c = size / length;
    *s = (size == T(0) ? Number(1) : f / size) * std::conj(g) / length;
  };
  T norm = 0;
  for (Index i = 0; i < n * n; ++i) norm = std::hypot(norm, std::abs(a[i]));
  for (Index k = 0; k + 2 < n; ++k) {
    for (Index i = n - 1; i > k + 1; --i) {
      if (at(i, k) == Number(0)) continue;
      T c;
      Number s;
      make(at(i - 1, k), at(i, k), &c, &s);
      rotate(n - k, &at(i - 1, k), &at(i, k), n, c, s);
      at(i, k) = 0;
      rotate(n, &at(0, i - 1), &at(0, i), 1, c, std::conj(s));
      if (vectors) rotate(n, z + (i - 1) * n, z + i * n, 1, c, std::conj(s));
    }
  }
  std::vector<T> cosines(static_cast<std::size_t>(n));
  std::vector<Number> sines(static_cast<std::size_t>(n));
  int steps = 0;
  for (Index high = n - 1; high > 0;) {
    Index low = high;
    while (low > 0) {
      T size = std::abs(at(low, low)) + std::abs(at(low - 1, low - 1));
      if (size == T(0)) size = norm;
      if (std::abs(at(low, low - 1)) <= eps * size) {
        at(low, low - 1) = 0;
        break;
      }
      --low;
    }
    if (low == high) {
      --high;
      steps = 0;
      continue;
    }
    if (++steps > 60) return static_cast<int>(high) + 1;
    const Number d = at(high, high), b = at(high, high - 1) * at(high - 1, high);
    Number shift = d;
    if (steps % 10 == 0) {
      shift += std::abs(at(high, high - 1));  // out of a cycle
    } else {
      const Number half = (at(high - 1, high - 1) - d) / T(2), root = std::sqrt(half * half + b);
      const Number larger =
          std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
      if (larger != Number(0)) shift = d - b / larger;
    }
    for (Index i = low; i <= high; ++i) at(i, i) -= shift;
    for (Index i = low; i < high; ++i) {
      T& c = cosines[static_cast<std::size_t>(i)];
      Number& s = sines[static_cast<std::size_t>(i)];
      make(at(i, i), at(i + 1, i), &c, &s);
      rotate(n - i, &at(i, i), &at(i + 1, i), n, c, s);
      at(i + 1, i) = 0;
    }
    for (Index i = low; i < high; ++i) {
      const T c = cosines[static_cast<std::size_t>(i)];
      const Number s = std::conj(sines[static_cast<std::size_t>(i)]);
      rotate((i + 2 < high + 1 ? i + 2 : high + 1), &at(0, i), &at(0, i + 1), 1, c, s);
      if (vectors) rotate(n, z + i * n, z + (i + 1) * n, 1, c, s);
    }
    for (Index i = low; i <= high; ++i) at(i, i) += shift;
  }
  for (Index i = 0; i < n; ++i) values[i] = at(i, i);
  if (!vectors) return 0;
  const T least = norm > T(0) ? eps * norm : T(1);
  std::vector<Number> y(static_cast<std::size_t>(n));
  std::vector<Number> result(static_cast<std::size_t>(n * n));
  for (Index k = 0; k < n; ++k) {
    for (Index i = k; i >= 0; --i) {
      Number sum = i == k ? Number(1) : Number(0);
      for (Index j = i + 1; j <= k; ++j) sum -= at(i, j) * y[static_cast<std::size_t>(j)];
      if (i < k) {
        Number divisor = at(i, i) - at(k, k);
        if (std::abs(divisor) < least) divisor = least;
        sum /= divisor;
      }
      y[static_cast<std::size_t>(i)] = sum;
      // An almost defective matrix makes it grow; only the direction counts.
      const T size = std::abs(sum);
      if (size > T(1e15)) {
        for (Index j = i; j <= k; ++j) y[static_cast<std::size_t>(j)] /= size;
      }
    }
    T square = 0;
    Number* const to = &result[static_cast<std::size_t>(k * n)];
    for (Index j = 0; j <= k; ++j) {
      for (Index i = 0; i < n; ++i) to[i] += z[j * n + i] * y[static_cast<std::size_t>(j)];
    }
    for (Index i = 0; i < n; ++i) square = std::hypot(square, std::abs(to[i]));
    for (Index i = 0; i < n; ++i) to[i] /= square;
  }
  for (Index i = 0; i < n * n; ++i) a[i] = result[static_cast<std::size_t>(i)];
  return 0;
}

}  // namespace detail::linalg::builtin
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_BUILTIN_H_
