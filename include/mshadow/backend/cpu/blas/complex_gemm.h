// SPDX-License-Identifier: Apache-2.0
// The builtin products of complex numbers: of their real and imaginary parts, by the real kernels.
#ifndef MSHADOW_BACKEND_CPU_BLAS_COMPLEX_GEMM_H_
#define MSHADOW_BACKEND_CPU_BLAS_COMPLEX_GEMM_H_

#include <complex>
#include <cstddef>

#include "../../../core/complex_number.h"
#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "compute_type.h"
#include "gemm.h"
#include "gemv_kernel.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

template <typename T>
struct ComputeType<std::complex<T>> {
  using type = ComplexNumber<std::complex<T>>;
};

namespace detail {

/// re, im (rows x cols, contiguous) = the parts of `from`.
template <typename T>
struct SplitRows {
  std::ptrdiff_t rows, cols;
  const std::complex<T>* from;
  std::ptrdiff_t stride;
  T *re, *im;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      const std::complex<T>* const row = from + i * stride;
      T *const r = re + i * cols, *const m = im + i * cols;
      MSHADOW_IVDEP
      for (std::ptrdiff_t j = 0; j < cols; ++j) {
        const ComplexNumber<std::complex<T>> z(row[j]);
        r[j] = z.re;
        m[j] = z.im;
      }
    }
  }
};
/// to = alpha (re + i im) + beta to; beta == 0 overwrites.
template <typename T>
struct JoinRows {
  std::ptrdiff_t rows, cols;
  ComplexNumber<std::complex<T>> alpha;
  const T *re, *im;
  ComplexNumber<std::complex<T>> beta;
  std::complex<T>* to;
  std::ptrdiff_t stride;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    using Number = ComplexNumber<std::complex<T>>;
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      std::complex<T>* const row = to + i * stride;
      const T *const r = re + i * cols, *const m = im + i * cols;
      if (beta == Number(0)) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t j = 0; j < cols; ++j) row[j] = alpha * Number(r[j], m[j]);
      } else {
        MSHADOW_IVDEP
        for (std::ptrdiff_t j = 0; j < cols; ++j) {
          row[j] = alpha * Number(r[j], m[j]) + beta * Number(row[j]);
        }
      }
    }
  }
};

}  // namespace detail

/// One thread's product: four real ones of parts that a second-level cache holds.
template <typename T>
inline void GemmOfParts(const GemmProblem<std::complex<T>>& g) {
  using Number = ComplexNumber<std::complex<T>>;
  using detail::PartLength;
  using detail::Smaller;
  constexpr std::ptrdiff_t kBlockRows = detail::kBlockRows, kBlockDepth = detail::kBlockDepth;
  const std::ptrdiff_t rows = PartLength(g.m, Smaller(g.m, 2 * kBlockRows), 1);
  const std::ptrdiff_t cols = PartLength(g.n, Smaller(g.n, 512), 1);
  const std::ptrdiff_t depth = PartLength(g.k, kBlockDepth, 1);
  const std::ptrdiff_t a_size = rows * depth, b_size = cols * depth, c_size = rows * cols;
  const Scratch<T> scratch(2 * (a_size + b_size + c_size));
  T *const a_re = scratch.data(), *const a_im = a_re + a_size, *const b_re = a_im + a_size,
           *const b_im = b_re + b_size, *const c_re = b_im + b_size, *const c_im = c_re + c_size;
  // A float total of many parts would lose digits.
  const bool is_long = std::is_same_v<T, float> && g.k > detail::kLongDepth;
  Scratch<double> totals;
  if (is_long) totals.Allocate(2 * c_size);
  for (std::ptrdiff_t j = 0; j < g.n; j += cols) {
    for (std::ptrdiff_t i = 0; i < g.m; i += rows) {
      const auto part = g.Part(i, Smaller(rows, g.m - i), j, Smaller(cols, g.n - j));
      std::ptrdiff_t start = 0;  // of what is in c
      for (std::ptrdiff_t p = 0; p < g.k; p += depth) {
        const std::ptrdiff_t k = Smaller(depth, g.k - p);
        const std::ptrdiff_t a_rows = g.trans_a ? k : part.m, a_cols = g.trans_a ? part.m : k;
        const std::ptrdiff_t b_rows = g.trans_b ? part.n : k, b_cols = g.trans_b ? k : part.n;
        simd::Dispatch(detail::SplitRows<T>{a_rows, a_cols, part.a + (g.trans_a ? p * g.lda : p),
                                            g.lda, a_re, a_im});
        simd::Dispatch(detail::SplitRows<T>{b_rows, b_cols, part.b + (g.trans_b ? p : p * g.ldb),
                                            g.ldb, b_re, b_im});
        const auto add = [&](T alpha, const T* a, const T* b, T beta, T* c) {
          detail::BlockGemm(GemmProblem<T>{g.trans_a, g.trans_b, part.m, part.n, k, alpha, a,
                                           a_cols, b, b_cols, beta, c, part.n});
        };
        const T old = p == start ? T(0) : T(1);
        add(T(1), a_re, b_re, old, c_re);
        add(T(-1), a_im, b_im, T(1), c_re);
        add(T(1), a_re, b_im, old, c_im);
        add(T(1), a_im, b_re, T(1), c_im);
        if (!is_long || (p + k - start < detail::kLongDepth && p + k < g.k)) continue;
        for (std::ptrdiff_t q = 0; q < 2 * part.m * part.n; ++q) {
          T& c = q < part.m * part.n ? c_re[q] : c_im[q - part.m * part.n];
          double& total = totals.data()[q];
          total = (start == 0 ? 0.0 : total) + static_cast<double>(c);
          if (p + k == g.k) c = static_cast<T>(total);
        }
        start = p + k;
      }
      simd::Dispatch(detail::JoinRows<T>{part.m, part.n, Number(g.alpha), c_re, c_im,
                                         Number(g.beta), part.c, part.ldc});
    }
  }
}

template <>
struct WideTotal<ComplexNumber<std::complex<float>>> {
  using Type = ComplexNumber<std::complex<double>>;
};

/// Added up in double.
template <typename T>
struct RowDots<ComplexNumber<std::complex<T>>> {
  using Number = ComplexNumber<std::complex<T>>;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const MatrixAndVectors<Number>* argument) {
    constexpr int kLanes = 2 * Isa::kVectorBytes / static_cast<int>(sizeof(T));
    const MatrixAndVectors<Number> of(*argument);
    for (std::ptrdiff_t i = 0; i < of.m; ++i) {
      const Number* const row = of.a + i * of.lda;
      const Number* const x = of.x;
      double re = 0, im = 0;
      std::ptrdiff_t j = 0;
      while (of.n - j >= kLanes) {
        T res[kLanes], ims[kLanes];
        for (int l = 0; l < kLanes; ++l) res[l] = ims[l] = T(0);
        const std::ptrdiff_t end = of.n - j < kChunk ? of.n : j + kChunk;
        for (; end - j >= kLanes; j += kLanes) {
          MSHADOW_SIMD_LOOP_LONG
          for (int l = 0; l < kLanes; ++l) {
            const Number p = row[j + l] * x[j + l];
            res[l] += p.re;
            ims[l] += p.im;
          }
        }
        for (int l = 0; l < kLanes; ++l) {
          re += static_cast<double>(res[l]);
          im += static_cast<double>(ims[l]);
        }
      }
      for (; j < of.n; ++j) {
        const Number p = row[j] * x[j];
        re += static_cast<double>(p.re);
        im += static_cast<double>(p.im);
      }
      of.y[i] = Number(static_cast<T>(re), static_cast<T>(im));
    }
  }

 private:
  static constexpr std::ptrdiff_t kChunk = 8192;
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_COMPLEX_GEMM_H_
