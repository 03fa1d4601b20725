// SPDX-License-Identifier: Apache-2.0
// float and double through <cblas.h> (OpenBLAS is the tested one) or <mkl_cblas.h>.
#ifndef MSHADOW_BACKEND_CPU_BLAS_CBLAS_H_
#define MSHADOW_BACKEND_CPU_BLAS_CBLAS_H_

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#if MSHADOW_USE_MKL
#include <mkl_cblas.h>
#else
extern "C" {
#include <cblas.h>
}
#endif
#include "builtin.h"
#include "openblas_core.h"
#include "small_gemm.h"

#if defined(OPENBLAS_VERSION) && defined(OPENBLAS_THREAD) && defined(__ELF__) && !MSHADOW_PLAIN_CXX
// Weak, as those of openblas_core.h.
extern "C" {
__attribute__((weak)) int openblas_get_parallel(void);
__attribute__((weak)) void openblas_set_num_threads(int num_threads);
}
#endif

MSHADOW_NAMESPACE_BEGIN
namespace blas {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// The most threads of a product that is cut up here, each part a product of cblas on one thread;
/// 0 where cblas is to do that. The POSIX threads of an OpenBLAS wait for work in a loop and run
/// one product at a time: two threads of OpenMP are slower with them than one. OpenBLAS is then
/// told to use one thread from the first product on, and OPENBLAS_NUM_THREADS limits the threads
/// here. One without threads gets those of OpenMP.
inline int ThreadsOfParts() {
#if defined(OPENBLAS_VERSION) && defined(OPENBLAS_THREAD) && defined(__ELF__) && !MSHADOW_PLAIN_CXX
  if constexpr (kHasThreads) {
    static const int threads = [] {
      if (openblas_get_parallel == nullptr || openblas_set_num_threads == nullptr) return 0;
      const int kind = openblas_get_parallel();
      if (kind == OPENBLAS_SEQUENTIAL) return (std::numeric_limits<int>::max)();
      if (kind != OPENBLAS_THREAD) return 0;
      const int limit = openblas_get_num_threads();
      openblas_set_num_threads(1);
      return limit;
    }();
    return threads;
  }
#endif
  return 0;
}

/// The provider over cblas. The members are documented at Blas<cpu> in ../blas.h. The builtin
/// computes what cblas does not: other dtypes, sizes beyond its int, rows that overlap (lda < cols;
/// cblas prints a message and computes nothing), an empty sum, increments other than positive. It
/// computes everything where ReplacesCblas().
struct Cblas {
  // Inlined, since two functions of so many arguments take 3 ns, 5 % of a product of 16 x 16.
  template <typename DType>
  MSHADOW_FORCE_INLINE static void Gemm(bool trans_a, bool trans_b, std::ptrdiff_t m,
                                        std::ptrdiff_t n, std::ptrdiff_t k, DType alpha,
                                        const DType* a, std::ptrdiff_t lda, const DType* b,
                                        std::ptrdiff_t ldb, DType beta, DType* c,
                                        std::ptrdiff_t ldc) {
    if constexpr (kHas<DType> || kIsComplex<DType>) {
      if constexpr (kHas<DType>) {
        if (SmallGemm<DType>{m, n, k, alpha, a, trans_a ? 1 : lda, trans_a ? lda : 1, trans_b, b,
                             ldb, beta, c, ldc}
                .Run()) {
          return;
        }
      }
      GemmProblem<DType> g{trans_a, trans_b,         m, n,  k, ToCompute(alpha), a, lda, b,
                           ldb,     ToCompute(beta), c, ldc};
      const bool is_long =  // added up in double there
          kIsComplex<DType> && sizeof(DType) == 2 * sizeof(float) && k > detail::kLongDepth;
      if (Replaces() || is_long || m <= 0 || n <= 0 || k <= 0 ||
          !Fits(trans_a ? k : m, trans_a ? m : k, &g.lda) ||
          !Fits(trans_b ? n : k, trans_b ? k : n, &g.ldb) || !Fits(m, n, &g.ldc)) {
        return Builtin::BlockedGemm(g);
      }
      PrepareForFork();
      GemmThreads(g, ThreadsOfParts(), CblasGemm<DType>);
    } else {
      Builtin::Gemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
  }

  /// The product by cblas, which must be able to take it.
  template <typename DType>
  static void CblasGemm(const GemmProblem<DType>& g) {
    const auto ta = g.trans_a ? CblasTrans : CblasNoTrans;
    const auto tb = g.trans_b ? CblasTrans : CblasNoTrans;
    if constexpr (std::is_same_v<DType, float>) {
      if (g.k > detail::kLongDepth) return detail::GemmInDepths(g, CblasGemm<float>);
    }
    if constexpr (kIsComplex<DType>) {
      const auto gemm = sizeof(DType) == 2 * sizeof(float) ? cblas_cgemm : cblas_zgemm;
      gemm(CblasRowMajor, ta, tb, Int(g.m), Int(g.n), Int(g.k), &g.alpha, g.a, Int(g.lda), g.b,
           Int(g.ldb), &g.beta, g.c, Int(g.ldc));
    } else {
      Of<DType>(cblas_sgemm, cblas_dgemm)(CblasRowMajor, ta, tb, Int(g.m), Int(g.n), Int(g.k),
                                          g.alpha, g.a, Int(g.lda), g.b, Int(g.ldb), g.beta, g.c,
                                          Int(g.ldc));
    }
  }

  static std::string Name() {
    const std::string core = OpenBlasCore();
    if (!Replaces()) return core.empty() ? "cblas" : "OpenBLAS (" + core + ")";
    return Builtin::Name() + (IsSlowCore(core.c_str(), simd::ActiveIsa(), 1)
                                  ? ", since OpenBLAS takes the processor for " + core
                                  : ", as MSHADOW_BLAS says");
  }
  static bool Replaces() { return ReplacesCblas(); }

  template <typename DType>
  static void BatchGemm(bool trans_a, bool trans_b, std::ptrdiff_t m, std::ptrdiff_t n,
                        std::ptrdiff_t k, DType alpha, const DType* a, std::ptrdiff_t lda,
                        std::ptrdiff_t stride_a, const DType* b, std::ptrdiff_t ldb,
                        std::ptrdiff_t stride_b, DType beta, DType* c, std::ptrdiff_t ldc,
                        std::ptrdiff_t stride_c, std::ptrdiff_t batch) {
    if constexpr (kHas<DType> || kIsComplex<DType>) {
      // Small products are one thread's work each.
      Builtin::Batch<1>(m, n, k, batch, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        Gemm(trans_a, trans_b, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta,
             c + i * stride_c, ldc);
      });
    } else {
      Builtin::BatchGemm(trans_a, trans_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta,
                         c, ldc, stride_c, batch);
    }
  }

  template <typename DType>
  static void Gemv(bool trans, std::ptrdiff_t m, std::ptrdiff_t n, DType alpha, const DType* a,
                   std::ptrdiff_t lda, const DType* x, std::ptrdiff_t inc_x, DType beta, DType* y,
                   std::ptrdiff_t inc_y) {
    if constexpr (kHas<DType>) {
      if (!Replaces() && m > 0 && n > 0 && Fits(m, n, &lda) && Fits(inc_x) && Fits(inc_y) &&
          !IsLongSum<DType>(trans ? m : n) && !IsForThreads(m, n)) {
        const auto t = trans ? CblasTrans : CblasNoTrans;
        PrepareForFork();
        return Of<DType>(cblas_sgemv, cblas_dgemv)(CblasRowMajor, t, Int(m), Int(n), alpha, a,
                                                   Int(lda), x, Int(inc_x), beta, y, Int(inc_y));
      }
    }
    Builtin::Gemv(trans, m, n, alpha, a, lda, x, inc_x, beta, y, inc_y);
  }

  template <typename DType>
  static void Ger(std::ptrdiff_t m, std::ptrdiff_t n, DType alpha, const DType* x,
                  std::ptrdiff_t inc_x, const DType* y, std::ptrdiff_t inc_y, DType beta, DType* a,
                  std::ptrdiff_t lda) {
    if constexpr (kHas<DType>) {  // cblas only adds
      if (beta == DType(1) && !Replaces() && m > 0 && n > 0 && Fits(m, n, &lda) && Fits(inc_x) &&
          Fits(inc_y) && !IsForThreads(m, n)) {
        PrepareForFork();
        return Of<DType>(cblas_sger, cblas_dger)(CblasRowMajor, Int(m), Int(n), alpha, x,
                                                 Int(inc_x), y, Int(inc_y), a, Int(lda));
      }
    }
    Builtin::Ger(m, n, alpha, x, inc_x, y, inc_y, beta, a, lda);
  }

  template <typename DType>
  static DType Dot(std::ptrdiff_t n, const DType* x, std::ptrdiff_t inc_x, const DType* y,
                   std::ptrdiff_t inc_y) {
    if constexpr (kHas<DType>) {
      if (!Replaces() && n > 0 && Fits(n) && Fits(inc_x) && Fits(inc_y) && !IsLongSum<DType>(n) &&
          !IsForThreads(n, 1)) {
        PrepareForFork();
        return Of<DType>(cblas_sdot, cblas_ddot)(Int(n), x, Int(inc_x), y, Int(inc_y));
      }
    }
    return Builtin::Dot(n, x, inc_x, y, inc_y);
  }

 private:
  /// True if the builtin shares so many elements among threads, where cblas has one.
  static bool IsForThreads(std::ptrdiff_t m, std::ptrdiff_t n) {
    return ThreadsOfParts() > 1 && m * n >= 1 << 18 && MaxThreads() > 1;
  }
  /// The function for DType.
  template <typename DType, typename Single, typename Double>
  static constexpr auto Of(Single single, Double of_double) {
    if constexpr (std::is_same_v<DType, float>) {
      return single;
    } else {
      return of_double;
    }
  }
  template <typename DType>
  static constexpr bool kHas = std::is_same_v<DType, float> || std::is_same_v<DType, double>;

  /// Whether so many terms lose digits: a BLAS promises nothing of how it adds them up.
  template <typename DType>
  static constexpr bool IsLongSum(std::ptrdiff_t terms) {
    return std::is_same_v<DType, float> && terms > detail::kLongDepth;
  }

  /// cblas takes int, or a wider type where it is built so.
  static int Int(std::ptrdiff_t value) { return static_cast<int>(value); }
  static bool Fits(std::ptrdiff_t value) {
    return value > 0 && value <= (std::numeric_limits<int>::max)();
  }
  /// Can cblas take a matrix of this shape? The row stride of a single row says nothing, yet cblas
  /// wants it to be at least cols: *ld becomes that.
  static bool Fits(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t* ld) {
    if (rows <= 1) *ld = cols;
    return Fits(rows) && Fits(cols) && Fits(*ld) && *ld >= cols;
  }
};

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_CBLAS_H_
