// SPDX-License-Identifier: Apache-2.0
// The loops that the builtin algorithms are made of, compiled for each instruction set. Matrices
// are column-major: element (i, j) at a[i + j * lda].
#ifndef MSHADOW_LINALG_KERNELS_H_
#define MSHADOW_LINALG_KERNELS_H_

#include "../simd/isa.h"
#include "batch.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

/// a (m, n) += x y^T. y has stride incy.
template <typename T>
struct RankOneKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(Index m, Index n, const T* x, const T* y, Index incy, T* a,
                                       Index lda) {
    for (Index j = 0; j < n; ++j) {
      const Computed<T> f = y[j * incy];
      T* const to = a + j * lda;
      MSHADOW_IVDEP
      for (Index i = 0; i < m; ++i) to[i] = Computed<T>(to[i]) + f * Computed<T>(x[i]);
    }
  }
};
template <typename T>
inline void RankOne(Index m, Index n, const T* x, const T* y, Index incy, T* a, Index lda) {
  simd::Call<RankOneKernel<T>>(m, n, x, y, incy, a, lda);
}

/// a (m, n) += x y^H + y x^H
template <typename T>
struct RankTwoKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(Index n, const T* x, const T* y, T* a, Index lda) {
    for (Index j = 0; j < n; ++j) {
      const Computed<T> f = Conj(y[j]), g = Conj(x[j]);
      T* const to = a + j * lda;
      MSHADOW_IVDEP
      for (Index i = 0; i < n; ++i) {
        to[i] = Computed<T>(to[i]) + (f * Computed<T>(x[i]) + g * Computed<T>(y[i]));
      }
    }
  }
};

/// out[j] = sum_i a(i, j) conj(x[i])
template <typename T>
struct DotsKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(Index m, Index n, const T* a, Index lda, const T* x,
                                       T* out) {
    constexpr int kLanes = 64 / sizeof(T);
    for (Index j = 0; j < n; ++j) {
      const T* const from = a + j * lda;
      T sums[kLanes] = {};
      Index i = 0;
      for (; i + kLanes <= m; i += kLanes) {
        MSHADOW_SIMD_LOOP
        for (int k = 0; k < kLanes; ++k) sums[k] += from[i + k] * x[i + k];
      }
      T sum = 0;
      for (; i < m; ++i) sum += from[i] * x[i];
      for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; ++k) sums[k] += sums[k + width];
      }
      out[j] = sum + sums[0];
    }
  }
};
template <typename T>
struct DotsKernel<std::complex<T>> {
  using Number = ComplexNumber<std::complex<T>>;
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(Index m, Index n, const std::complex<T>* a, Index lda,
                                       const std::complex<T>* x, std::complex<T>* out) {
    for (Index j = 0; j < n; ++j) {
      Number sum(0);
      for (Index i = 0; i < m; ++i) {
        const Number v(x[i]);
        sum += Number(a[j * lda + i]) * Number(v.re, -v.im);
      }
      out[j] = sum;
    }
  }
};
template <typename T>
inline void Dots(Index m, Index n, const T* a, Index lda, const T* x, T* out) {
  simd::Call<DotsKernel<T>>(m, n, a, lda, x, out);
}
/// sum_i x[i] conj(y[i])
template <typename T>
inline T DotOf(Index n, const T* x, const T* y) {
  T out;
  Dots(n, Index{1}, x, n, y, &out);
  return out;
}
/// sum_i |x[i]|^2
template <typename T>
inline Real<T> SquareOf(Index n, const T* x) {
  return RealPart(DotOf(n, x, x));
}

/// (x, y) = (c x - s y, s x + c y)
template <typename T>
struct RotateKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(Index n, T* x, T* y, T c, T s) {
    MSHADOW_IVDEP
    for (Index i = 0; i < n; ++i) {
      const T u = x[i], v = y[i];
      x[i] = c * u - s * v;
      y[i] = s * u + c * v;
    }
  }
};
template <typename T>
inline void Rotate(Index n, T* x, T* y, T c, T s) {
  simd::Call<RotateKernel<T>>(n, x, y, c, s);
}
template <typename T>
inline void Rotate(Index n, std::complex<T>* x, std::complex<T>* y, T c, T s) {
  // The parts turn alike. As the standard allows.
  Rotate(2 * n, reinterpret_cast<T*>(x), reinterpret_cast<T*>(y), c, s);
}

/// c (m, n) -= a (m, k) b (k, n), or a b^T with b (n, k) where `transposed`.
template <typename T>
inline void SubtractProduct(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb,
                            bool transposed, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  // Column-major matrices are the transposed row-major ones: c^T -= b^T a^T.
  using Matrix = Tensor<cpu, 2, T>;
  const auto view = [](const T* p, Index rows, Index cols, Index stride) {
    return Matrix(const_cast<T*>(p), Shape2(rows, cols), static_cast<index_t>(stride), nullptr);
  };
  Matrix to = view(c, n, m, ldc);
  if (transposed) {
    to -= dot(view(b, k, n, ldb).T(), view(a, k, m, lda));
  } else {
    to -= dot(view(b, n, k, ldb), view(a, k, m, lda));
  }
}

/// Solves t x = b in place, column by column of b.
template <typename T>
struct TriangleKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(bool lower, bool unit, Index n, Index k, const T* t,
                                       Index ldt, T* b, Index ldb) {
    for (Index c = 0; c < k; ++c) {
      T* const x = b + c * ldb;
      for (Index s = 0; s < n; ++s) {
        const Index j = lower ? s : n - 1 - s;
        const T* const column = t + j * ldt;
        if (!unit) x[j] /= column[j];
        const Computed<T> f = -x[j];
        const Index begin = lower ? j + 1 : 0, end = lower ? n : j;
        MSHADOW_IVDEP
        for (Index i = begin; i < end; ++i) x[i] = Computed<T>(x[i]) + f * Computed<T>(column[i]);
      }
    }
  }
};

/// Solves t x = b in place, t (n, n) a triangle, b (n, k): the columns are split in halves, so that
/// most of the work is a product.
template <typename T>
inline void SolveTriangle(bool lower, bool unit, Index n, Index k, const T* t, Index ldt, T* b,
                          Index ldb) {
  if (n == 0 || k == 0) return;
  if (n > 32) {
    const Index h = (n / 2 + 15) / 16 * 16, rest = n - h;
    if (lower) {
      SolveTriangle(lower, unit, h, k, t, ldt, b, ldb);
      SubtractProduct(rest, k, h, t + h, ldt, b, ldb, false, b + h, ldb);
      SolveTriangle(lower, unit, rest, k, t + h * ldt + h, ldt, b + h, ldb);
    } else {
      SolveTriangle(lower, unit, rest, k, t + h * ldt + h, ldt, b + h, ldb);
      SubtractProduct(h, k, rest, t + h * ldt, ldt, b + h, ldb, false, b, ldb);
      SolveTriangle(lower, unit, h, k, t, ldt, b, ldb);
    }
    return;
  }
  simd::Call<TriangleKernel<T>>(lower, unit, n, k, t, ldt, b, ldb);
}

}  // namespace detail::linalg
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_KERNELS_H_
