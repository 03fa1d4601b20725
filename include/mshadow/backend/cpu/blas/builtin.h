// SPDX-License-Identifier: Apache-2.0
// The builtin BLAS: any dtype, no dependency. Computes in Compute<DType> (compute_type.h), so
// 16-bit floats are rounded once per result and integers wrap.
#ifndef MSHADOW_BACKEND_CPU_BLAS_BUILTIN_H_
#define MSHADOW_BACKEND_CPU_BLAS_BUILTIN_H_

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "../threads.h"
#include "compute_type.h"
#include "convert.h"
#include "gemm.h"
#include "gemv_kernel.h"
#include "small_gemm.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// The provider that needs nothing. The members are documented at Blas<cpu> in ../blas.h.
struct Builtin {
  static std::string Name() {
    return std::string("the builtin kernels (") + simd::IsaName(simd::ActiveIsa()) + ")";
  }
  static bool Replaces() { return false; }

  // Inlined, as for Cblas: a function of so many arguments takes longer than a product of 4 x 4.
  template <typename DType>
  MSHADOW_FORCE_INLINE static void Gemm(bool trans_a, bool trans_b, std::ptrdiff_t m,
                                        std::ptrdiff_t n, std::ptrdiff_t k, DType alpha,
                                        const DType* a, std::ptrdiff_t lda, const DType* b,
                                        std::ptrdiff_t ldb, DType beta, DType* c,
                                        std::ptrdiff_t ldc) {
    if constexpr (std::is_floating_point_v<DType>) {
      const bool is_gemv = m == 1 && n * k > 1024;  // four rows would be computed
      if (!is_gemv && SmallGemm<DType>{m, n, k, alpha, a, trans_a ? 1 : lda, trans_a ? lda : 1,
                                       trans_b, b, ldb, beta, c, ldc}
                          .Run()) {
        return;
      }
    }
    LargeGemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  /// A product that is not small.
  template <typename DType>
  static void LargeGemm(bool trans_a, bool trans_b, std::ptrdiff_t m, std::ptrdiff_t n,
                        std::ptrdiff_t k, DType alpha, const DType* a, std::ptrdiff_t lda,
                        const DType* b, std::ptrdiff_t ldb, DType beta, DType* c,
                        std::ptrdiff_t ldc) {
    if (n == 1) {  // op(A) times a column
      const std::ptrdiff_t rows = trans_a ? k : m, cols = trans_a ? m : k;
      return Gemv(trans_a, rows, cols, alpha, a, lda, b, trans_b ? 1 : ldb, beta, c, ldc);
    }
    if (m == 1) {  // a row times op(B), the transpose of op(B)^T times a column
      const std::ptrdiff_t rows = trans_b ? n : k, cols = trans_b ? k : n;
      return Gemv(!trans_b, rows, cols, alpha, b, ldb, a, trans_a ? lda : 1, beta, c, 1);
    }
    BlockedGemm(GemmProblem<DType>{trans_a, trans_b, m, n, k, ToCompute(alpha), a, lda, b, ldb,
                                   ToCompute(beta), c, ldc});
  }
  /// The same without the kernels of Gemv, which a file that uses a BLAS need not compile.
  template <typename DType>
  static void BlockedGemm(const GemmProblem<DType>& g) {
    if (g.m <= 0 || g.n <= 0) return;
    if (g.k <= 0 || g.alpha == Compute<DType>(0)) return Scale(g.m, g.n, g.beta, g.c, g.ldc);
    GemmThreads(g, (std::numeric_limits<int>::max)(), detail::GemmOneThread<DType>);
  }

  template <typename DType>
  static void BatchGemm(bool trans_a, bool trans_b, std::ptrdiff_t m, std::ptrdiff_t n,
                        std::ptrdiff_t k, DType alpha, const DType* a, std::ptrdiff_t lda,
                        std::ptrdiff_t stride_a, const DType* b, std::ptrdiff_t ldb,
                        std::ptrdiff_t stride_b, DType beta, DType* c, std::ptrdiff_t ldc,
                        std::ptrdiff_t stride_c, std::ptrdiff_t batch) {
    Batch<2>(m, n, k, batch, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      Gemm(trans_a, trans_b, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta,
           c + i * stride_c, ldc);
    });
  }
  /// multiply(i) for each of a batch of products. Many: each on one thread. A few of at least
  /// `large` units of kGemmGrain: one after another, each on all threads.
  template <int large, typename F>
  static void Batch(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, std::ptrdiff_t batch,
                    const F& multiply) {
    const double work = GemmWork(m, n, k);
    const bool in_turn = work >= large && (large == 1 || batch < 2 * MaxThreads());
    const auto least = static_cast<std::ptrdiff_t>(1 / (work + 1e-6)) + 1;
    ParallelRanges(batch, in_turn ? batch : least, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) multiply(i);
    });
  }

  template <typename DType>
  static void Gemv(bool trans, std::ptrdiff_t m, std::ptrdiff_t n, DType alpha, const DType* a,
                   std::ptrdiff_t lda, const DType* x, std::ptrdiff_t inc_x, DType beta, DType* y,
                   std::ptrdiff_t inc_y) {
    using T = Compute<DType>;
    const std::ptrdiff_t x_size = trans ? m : n, y_size = trans ? n : m;
    if (y_size <= 0) return;
    const T alpha_t = ToCompute(alpha), beta_t = ToCompute(beta);
    if (x_size <= 0 || alpha_t == T(0)) return Scale(y_size, 1, beta_t, y, inc_y);
    Scratch<T> copy;
    const T* const xs = Contiguous(x_size, x, inc_x, &copy);
    ParallelRanges(y_size, Grain(x_size), [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      GemvRange(trans, begin, end, x_size, a, lda, xs, alpha_t, beta_t, y, inc_y);
    });
  }

  template <typename DType>
  static void Ger(std::ptrdiff_t m, std::ptrdiff_t n, DType alpha, const DType* x,
                  std::ptrdiff_t inc_x, const DType* y, std::ptrdiff_t inc_y, DType beta, DType* a,
                  std::ptrdiff_t lda) {
    using T = Compute<DType>;
    if (m <= 0 || n <= 0) return;
    if (ToCompute(alpha) == T(0)) return Scale(m, n, ToCompute(beta), a, lda);
    Scratch<T> x_copy, y_copy;
    const T* const xs = Contiguous(m, x, inc_x, &x_copy);
    const T* const ys = Contiguous(n, y, inc_y, &y_copy);
    ParallelRanges(m, Grain(n), [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      simd::Dispatch(AddRows<DType>{end - begin, n, ToCompute(alpha), xs + begin, 1, ys, 0,
                                    ToCompute(beta), a + begin * lda, lda});
    });
  }

  template <typename DType>
  static DType Dot(std::ptrdiff_t n, const DType* x, std::ptrdiff_t inc_x, const DType* y,
                   std::ptrdiff_t inc_y) {
    using T = Compute<DType>;
    if (n <= 0) return FromCompute<DType>(T(0));
    Scratch<T> x_copy, y_copy, many;
    const T* const xs = Contiguous(n, x, inc_x, &x_copy);
    const T* const ys = Contiguous(n, y, inc_y, &y_copy);
    // Parts of fixed length, whatever the number of threads: so the result does not depend on it.
    const std::ptrdiff_t parts = (n + kDotPart - 1) / kDotPart;
    alignas(64) T few[kFew];
    T* const sums = parts <= kFew ? few : many.Allocate(parts);
    ParallelRanges(parts, kStreamGrain / kDotPart, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const std::ptrdiff_t at = i * kDotPart, length = detail::Smaller(kDotPart, n - at);
        const MatrixAndVectors<T> part{1, length, xs + at, length, ys + at, sums + i};
        simd::Call<RowDots<T>, const MatrixAndVectors<T>*>(&part);
      }
    });
    using Total = typename WideTotal<T>::Type;
    Total total = static_cast<Total>(sums[0]);
    for (std::ptrdiff_t i = 1; i < parts; ++i) total += static_cast<Total>(sums[i]);
    return FromCompute<DType>(static_cast<T>(total));
  }

 private:
  /// Elements read from memory a thread, below which another thread is not worth its start.
  static constexpr std::ptrdiff_t kStreamGrain = 1 << 17;
  static constexpr std::ptrdiff_t kDotPart = 1 << 13;
  static constexpr std::ptrdiff_t kFew = 64;
  static std::ptrdiff_t Grain(std::ptrdiff_t row) { return kStreamGrain / row + 1; }

  /// The n elements x[i * inc] side by side in Compute<DType>: in place, or in *copy.
  template <typename DType>
  static const Compute<DType>* Contiguous(std::ptrdiff_t n, const DType* x, std::ptrdiff_t inc,
                                          Scratch<Compute<DType>>* copy) {
    if constexpr (kComputesInPlace<DType>) {
      if (inc == 1) return reinterpret_cast<const Compute<DType>*>(x);
    }
    Compute<DType>* const to = copy->Allocate(n);
    if constexpr (kComputesInPlace<DType>) {
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = ToCompute(x[i * inc]);
    } else if (inc == 1) {
      simd::Dispatch(ConvertRows<DType>{1, n, x, n, to});
    } else {
      simd::Dispatch(ConvertRows<DType>{n, 1, x, inc, to});
    }
    return to;
  }

  /// c = beta * c; beta == 0 overwrites.
  template <typename DType>
  static void Scale(std::ptrdiff_t m, std::ptrdiff_t n, Compute<DType> factor, DType* c,
                    std::ptrdiff_t ldc) {
    using T = Compute<DType>;
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        DType& out = c[i * ldc + j];
        out = FromCompute<DType>(factor == T(0) ? T(0) : factor * ToCompute(out));
      }
    }
  }
};

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_BUILTIN_H_
