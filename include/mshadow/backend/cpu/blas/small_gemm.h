// SPDX-License-Identifier: Apache-2.0
// Products of small matrices, in place: what a BLAS does before its first multiplication, copies of
// the operands above all, takes longer than such a product. Large ones are cut into them (gemm.h).
#ifndef MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_
#define MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_

#include <cstddef>
#include <cstring>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "compute_type.h"
#include "pack.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// C = alpha * op(A) * op(B) + beta * C, row-major; beta == 0 overwrites. op(A)[i][p] lies at
/// a[i * a_line + p * a_step], op(B)[p][j] at b[p * ldb + j] or, transposed, at b[j * ldb + p].
template <typename T>
struct SmallGemm {
  std::ptrdiff_t m, n, k;
  T alpha;
  const T* a;
  std::ptrdiff_t a_line, a_step;
  bool trans_b;
  const T* b;
  std::ptrdiff_t ldb;
  T beta;
  T* c;
  std::ptrdiff_t ldc;

  /// Computes the product and returns true where that is faster here than in a BLAS.
  MSHADOW_FORCE_INLINE bool Run() const {
    if (Vector<T, 16>::kLanes == 1) return false;  // the compiler has no vectors
    if (k <= 0 || alpha == T(0)) return false;
    return RunAny();
  }
  /// Computes a product whose B is not transposed. Where a row of C is shorter than 16 bytes, all
  /// rows of B but the last are read to 16 bytes.
  void RunInPlace() const {
    simd::kForms<SmallGemm, void (*)(const SmallGemm*)>[static_cast<int>(BestIsa())](this);
  }

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const SmallGemm* product) {
    product->template Tiles<Isa::kVectorBytes>();
  }

 private:
  static constexpr std::ptrdiff_t kMax = 1 << 18;  // multiply-adds
  static constexpr std::ptrdiff_t kMaxDepth = 512;
  static constexpr std::ptrdiff_t kFew = 8;  // rows of C, for which those of B are read once
  static constexpr std::ptrdiff_t kCache = 1 << 15;
  static constexpr std::ptrdiff_t kMaxCopied = kCache / 2 / static_cast<std::ptrdiff_t>(sizeof(T));

  /// That of vectors which are no longer than a row of C.
  MSHADOW_FORCE_INLINE simd::Isa BestIsa() const {
#if MSHADOW_SIMD_DISPATCH
    const simd::Isa isa = simd::ActiveIsa();
    if (Bytes() >= 64 && isa == simd::Isa::kAvx512) return isa;
    if (Bytes() >= 32 && isa != simd::Isa::kBaseline) return simd::Isa::kAvx2;
#endif
    return simd::Isa::kBaseline;
  }
  MSHADOW_FORCE_INLINE std::ptrdiff_t Bytes() const {
    return n * static_cast<std::ptrdiff_t>(sizeof(T));
  }
  MSHADOW_NOINLINE bool RunAny() const {
    if (n <= 0) return true;
    if (m > kMax || n > kMax || k > kMaxDepth || m * n * k > kMax) return false;
    if (n == 1 || (Bytes() < 16 && !trans_b && ldb < n)) return false;  // see RunInPlace
    if (trans_b && n * k > (m < 4 ? kFew * kFew : kMaxCopied)) return false;
    if (!trans_b && m > kFew && !CopiesB() && Crowd(ldb) > 2 * kCache) return false;
    if (TransA() && n > kFew && !CopiesA() && Crowd(a_step) > 2 * kCache) return false;
    CopiesA() || CopiesB() ? RunOnCopies() : RunInPlace();
    return true;
  }
  /// Out of line: its arrays are large.
  MSHADOW_NOINLINE void RunOnCopies() const {
    alignas(64) T a_rows[kMaxCopied], b_rows[kMaxCopied];
    SmallGemm copy = *this;
    if (CopiesA()) {
      Pack(false, a, a_step, k, m, a_rows, m);
      copy.a = a_rows;
      copy.a_step = m;
    }
    if (CopiesB()) {
      Pack(trans_b, b, ldb, k, n, b_rows, n);
      copy.b = b_rows;
      copy.ldb = n;
      copy.trans_b = false;
    }
    copy.RunInPlace();
  }

  /// The size of a cache of 8 ways and 64 sets of lines, as the first-level ones are at the least,
  /// that keeps a line of each of k rows, which share sets where the stride is a power of two.
  std::ptrdiff_t Crowd(std::ptrdiff_t stride) const {
    const std::ptrdiff_t bytes = stride * static_cast<std::ptrdiff_t>(sizeof(T)) | 4096;
    return k * (bytes & -bytes);
  }
  bool TransA() const { return a_line == 1; }
  bool CopiesA() const {
    return TransA() && n > kFew && m * k <= kMaxCopied && m < a_step && Crowd(a_step) >= kCache;
  }
  bool CopiesB() const {
    return trans_b || (m > kFew && n * k <= kMaxCopied && n < ldb && Crowd(ldb) >= kCache);
  }

  /// All of C. A row is at least a vector, or shorter than 16 bytes.
  template <int kBytes>
  MSHADOW_FORCE_INLINE void Tiles() const {
    using Register = typename Vector<T, kBytes>::Register;
    constexpr std::ptrdiff_t kLanes = Vector<T, kBytes>::kLanes;
    const SmallGemm g(*this);  // in registers
    // Vectors: scalars would take registers of the sums beside them.
    const Register factors[] = {Register{} + alpha, Register{} + beta};
    const bool adds = Opaque(beta != T(0)) != 0;
    if constexpr (kBytes == 16 && kLanes > 1) {
      if (n < kLanes) return g.template Columns<kBytes, 1, true>(0, 0, factors, adds);
    }
    for (std::ptrdiff_t j = 0, rest; j < g.n;) {
      rest = g.n - j;
      if (rest == kLanes) return g.template Columns<kBytes, 1, false>(j, 0, factors, adds);
      // Two vectors. The second begins in the first where fewer columns are left, and where less
      // than a vector would be left after two.
      std::ptrdiff_t second = kLanes;
      if (rest < 2 * kLanes) second = rest - kLanes;
      if (rest > 2 * kLanes && rest < 3 * kLanes) second = rest - 2 * kLanes;
      g.template Columns<kBytes, 2, false>(j, second, factors, adds);
      j += kLanes + second;
    }
  }
  /// kVecs vectors of columns of C, at column j and `second` after it. The sums of four rows are
  /// registers: with two vectors enough to hide the latency of the multiply-add. Where fewer rows
  /// are left the last is several of them, which write the same. kNarrow: a row of C is shorter
  /// than the vector.
  template <int kBytes, int kVecs, bool kNarrow>
  MSHADOW_FORCE_INLINE void Columns(std::ptrdiff_t j, std::ptrdiff_t second,
                                    const typename Vector<T, kBytes>::Register (&factors)[2],
                                    bool adds) const {
    using Register = typename Vector<T, kBytes>::Register;
    using Memory = typename Vector<T, kBytes>::Memory;
    constexpr int kLanes = Vector<T, kBytes>::kLanes, kRows = 4;
    constexpr std::ptrdiff_t kSize = sizeof(T);
    T last_b[kLanes] = {};  // what lies after the last row of B is not read
    if constexpr (kNarrow) {  // a row has at most three elements
      const T* const from = b + (k - 1) * ldb;
      last_b[0] = from[0];
      if (n > 1) last_b[1] = from[1];
      if (n > 2) last_b[2 % kLanes] = from[2];
    }
    std::ptrdiff_t line[kRows], out[kRows];
    for (int r = 0; r < kRows; ++r) line[r] = r * a_line * kSize, out[r] = r * ldc;
    // In bytes, which GCC does not take for strides that may be 1.
    const std::ptrdiff_t step = Opaque(a_step * kSize), b_step = Opaque(ldb * kSize);
    const T* row = a;
    T* to = c + j;
    for (std::ptrdiff_t left = m; left > 0; left = Opaque(left - kRows)) {
      for (int r = 1; r < kRows && left < kRows; ++r) {
        const std::ptrdiff_t i = r < left ? r : left - 1;
        line[r] = i * a_line * kSize;
        out[r] = i * ldc;
      }
      Register sum[kRows * kVecs] = {};
      const char* pa = reinterpret_cast<const char*>(row);
      const char* pb = reinterpret_cast<const char*>(b + j);
      std::ptrdiff_t p = k;
      do {
        if (kNarrow && p == 1) pb = reinterpret_cast<const char*>(last_b);
        Register vb[kVecs];
        for (int v = 0; v < kVecs; ++v) {
          vb[v] = *reinterpret_cast<const Memory*>(pb + v * second * kSize);
        }
        for (int r = 0; r < kRows; ++r) {
          const T value = *reinterpret_cast<const T*>(pa + line[r]);
          for (int v = 0; v < kVecs; ++v) sum[r * kVecs + v] += value * vb[v];
        }
        pa += step;
        pb += b_step;
      } while (--p > 0);
      for (int s = 0; s < kRows * kVecs; ++s) sum[s] *= factors[0];
      if constexpr (kNarrow) {
        T tile[kRows * kLanes];
        for (int r = 0; r < kRows; ++r) *reinterpret_cast<Memory*>(tile + r * kLanes) = sum[r];
        StorePart(tile, kLanes, left < kRows ? left : kRows, n, beta, to, ldc);
      } else {
        const auto at = [&](int s) MSHADOW_INLINE_LAMBDA {
          return reinterpret_cast<Memory*>(to + out[s / kVecs] + s % kVecs * second);
        };
        // One branch for all rows: one each takes a compiler longer than all else here.
        if (adds) {
          for (int s = 0; s < kRows * kVecs; ++s) sum[s] += factors[1] * *at(s);
        }
        for (int s = 0; s < kRows * kVecs; ++s) *at(s) = sum[s];
      }
      row += kRows * a_line;
      to += kRows * ldc;
    }
  }
  /// The rows of a tile that are shorter than its vectors. Out of line: it is rare. Static: an
  /// object whose address is taken would not live in registers.
  MSHADOW_NOINLINE static void StorePart(const T* tile, std::ptrdiff_t width, std::ptrdiff_t rows,
                                         std::ptrdiff_t cols, T beta, T* to, std::ptrdiff_t ldc) {
    for (std::ptrdiff_t r = 0; r < rows; ++r, tile += width, to += ldc) {
      if (beta == T(0)) {
        to[0] = tile[0];
        if (cols > 1) to[1] = tile[1];
        if (cols > 2) to[2] = tile[2];
      } else {
        for (std::ptrdiff_t q = 0; q < cols; ++q) to[q] = tile[q] + beta * to[q];
      }
    }
  }
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_
