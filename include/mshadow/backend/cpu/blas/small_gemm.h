// SPDX-License-Identifier: Apache-2.0
// Products of small matrices, in place: what a BLAS does before its first multiplication, copies of
// the operands above all, takes longer than such a product.
#ifndef MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_
#define MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "compute_type.h"

namespace mshadow {
namespace blas {

/// C = alpha * op(A) * B + beta * C, row-major; beta == 0 overwrites. op(A)[i][p] lies at
/// a[i * a_line + p * a_step]; a row of B is one vector of the instruction set.
template <typename T>
struct SmallGemm {
  std::ptrdiff_t m, n, k;
  T alpha;
  const T* a;
  std::ptrdiff_t a_line, a_step;
  const T* b;
  std::ptrdiff_t ldb;
  T beta;
  T* c;
  std::ptrdiff_t ldc;

  /// Computes the product and returns true where that is faster here than in a BLAS.
  bool Run() const {
    if (Vector<T, 16>::kLanes == 1) return false;  // the compiler has no vectors
    if (m > kMost || k > kMost || k <= 0 || alpha == T(0)) return false;
    const std::ptrdiff_t bytes = n * static_cast<std::ptrdiff_t>(sizeof(T));
    if (bytes == 16) {
      simd::RunOn(simd::Isa::kBaseline, *this);
      return true;
    }
#if MSHADOW_SIMD_DISPATCH
    if (bytes == 32 && simd::ActiveIsa() != simd::Isa::kBaseline) {
      simd::RunOn(simd::Isa::kAvx2, *this);
      return true;
    }
    if (bytes == 64 && simd::ActiveIsa() == simd::Isa::kAvx512) {
      simd::RunOn(simd::Isa::kAvx512, *this);
      return true;
    }
#endif
    return false;
  }

  // As many sums as registers hold, and the multiply-adds of modern processors need under way.
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kBytes = Isa::kVectorBytes, kMany = kBytes == 64 ? 16 : 8;
    std::ptrdiff_t i = 0;
    for (; m - i >= kMany; i += kMany) Tile<kBytes, kMany>(i);
    for (; m - i >= 4; i += 4) Tile<kBytes, 4>(i);
    for (; i < m; ++i) Tile<kBytes, 1>(i);
  }

 private:
  static constexpr std::ptrdiff_t kMost = 32;

  template <int kBytes, int kRows>
  MSHADOW_FORCE_INLINE void Tile(std::ptrdiff_t i) const {
    using Register = typename Vector<T, kBytes>::Register;
    using Memory = typename Vector<T, kBytes>::Memory;
    // A pointer for each four rows: one for every row would not fit the general registers.
    constexpr int kGroups = (kRows + 3) / 4;
    const T* pa[kGroups];
    for (int g = 0; g < kGroups; ++g) pa[g] = a + (i + 4 * g) * a_line;
    const T* pb = b;
    Register sum[kRows] = {};
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      const Register vb = *reinterpret_cast<const Memory*>(pb);
      for (int r = 0; r < kRows; ++r) sum[r] += pa[r / 4][r % 4 * a_line] * vb;
      for (int g = 0; g < kGroups; ++g) pa[g] += a_step;
      pb += ldb;
    }
    for (int r = 0; r < kRows; ++r) {
      Memory* const out = reinterpret_cast<Memory*>(c + (i + r) * ldc);
      Register old = {};
      if (beta != T(0)) old = *out;
      *out = alpha * sum[r] + beta * old;
    }
  }
};

}  // namespace blas
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_
