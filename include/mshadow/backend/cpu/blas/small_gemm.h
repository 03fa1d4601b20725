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
#include "gemm_pack.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// A tile of C, kRows x (kVecs vectors of kBytes), whose sums are registers: by reference, since
/// Clang passes no vectors to functions.
template <typename T, int kBytes, int kVecs, int kRows>
struct SmallTile {
  using Register = typename Vector<T, kBytes>::Register;
  using Memory = typename Vector<T, kBytes>::Memory;
  static constexpr std::ptrdiff_t kLanes = Vector<T, kBytes>::kLanes;
  using Sums = Register[kRows * kVecs];

  /// sum += the rows at `a` times the columns at `b`.
  MSHADOW_FORCE_INLINE static void Add(std::ptrdiff_t k, const T* a, std::ptrdiff_t a_line,
                                       std::ptrdiff_t a_step, const T* b, std::ptrdiff_t ldb,
                                       Sums& sum) {
    // A pointer for each four rows: one for every row would not fit the general registers.
    constexpr int kGroups = (kRows + 3) / 4;
    const T* pa[kGroups];
    for (int g = 0; g < kGroups; ++g) pa[g] = a + 4 * g * a_line;
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      Register vb[kVecs];
      for (int v = 0; v < kVecs; ++v) vb[v] = *reinterpret_cast<const Memory*>(b + v * kLanes);
      for (int r = 0; r < kRows; ++r) {
        const T value = pa[r / 4][r % 4 * a_line];
        for (int v = 0; v < kVecs; ++v) sum[r * kVecs + v] += value * vb[v];
      }
      for (int g = 0; g < kGroups; ++g) pa[g] += a_step;
      b += ldb;
    }
  }
  /// c = alpha * sum + beta * c
  MSHADOW_FORCE_INLINE static void Store(Sums& sum, T alpha, T beta, T* c, std::ptrdiff_t ldc) {
    for (int i = 0; i < kRows * kVecs; ++i) sum[i] *= alpha;
    // One branch for all rows: with one each, the tiles took a compiler longer than all else here.
    if (beta != T(0)) {
      for (int i = 0; i < kRows * kVecs; ++i) sum[i] += beta * *At(i, c, ldc);
    }
    for (int i = 0; i < kRows * kVecs; ++i) *At(i, c, ldc) = sum[i];
  }
  MSHADOW_FORCE_INLINE static Memory* At(int i, T* c, std::ptrdiff_t ldc) {
    return reinterpret_cast<Memory*>(c + i / kVecs * ldc + i % kVecs * kLanes);
  }
};

/// Copies `rows` rows of `width` elements, side by side. Row by row, unlike GemmPack, since rows
/// crowd the cache.
template <typename T>
inline void CopyRows(const T* from, std::ptrdiff_t stride, std::ptrdiff_t rows,
                     std::ptrdiff_t width, T* to) {
  for (std::ptrdiff_t p = 0; p < rows; ++p, from += stride, to += width) {
    std::memcpy(to, from, static_cast<std::size_t>(width) * sizeof(T));
  }
}

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
  void RunInPlace() const { simd::RunOn(BestIsa(), *this); }

  /// op(B) is B, and a row of C at least a vector or shorter than any. What is left of rows and
  /// columns are the ends of vectors and tiles that begin before them.
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kBytes = Isa::kVectorBytes;
    constexpr std::ptrdiff_t kLanes = Vector<T, kBytes>::kLanes;
    if constexpr (kBytes == 16 && kLanes > 1) {
      if (n < kLanes) return Narrow();
    }
    std::ptrdiff_t j = 0;
    if constexpr (kBytes > 16 || !MSHADOW_SIMD_DISPATCH) {  // else few rows are so long
      for (; n - j >= 2 * kLanes; j += 2 * kLanes) Columns<kBytes, 2>(j, 0);
    }
    for (; j < n; j += kLanes) {
      const std::ptrdiff_t begin = j + kLanes <= n ? j : n - kLanes;
      Columns<kBytes, 1>(begin, j - begin);
    }
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
    if (n <= 0) return true;  // Narrow would read a row of B
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
      CopyRows(a, a_step, k, m, a_rows);
      copy.a = a_rows;
      copy.a_step = m;
    }
    if (CopiesB()) {
      if (trans_b) {
        simd::Dispatch(GemmPack<T>{b, ldb, 1, n, k, n, n, b_rows});
      } else {
        CopyRows(b, ldb, k, n, b_rows);
      }
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

  /// Writes the first `rows` rows and `cols` columns of a tile, but those done already. A row of
  /// the tile has `width` elements. Out of line: it is rare, and there are many kernels. Static: an
  /// object whose address is taken would not live in registers.
  MSHADOW_NOINLINE static void StorePart(const T* tile, std::ptrdiff_t width, T alpha, T beta,
                                         T* pc, std::ptrdiff_t ldc, std::ptrdiff_t rows,
                                         std::ptrdiff_t cols, std::ptrdiff_t done_rows,
                                         std::ptrdiff_t done_cols) {
    for (std::ptrdiff_t r = done_rows; r < rows; ++r) {
      for (std::ptrdiff_t q = done_cols; q < cols; ++q) {
        T* const out = pc + r * ldc + q;
        const T sum = alpha * tile[r * width + q];
        *out = beta == T(0) ? sum : sum + beta * *out;
      }
    }
  }

  /// All of a product whose rows of C are shorter than a vector.
  MSHADOW_FORCE_INLINE void Narrow() const {
    constexpr std::ptrdiff_t kLanes = Vector<T, 16>::kLanes;
    T part[4 * kLanes], last[kLanes] = {};  // the last row of B: what lies behind it is not read
    std::memcpy(last, b + (k - 1) * ldb, static_cast<std::size_t>(Bytes()));
    for (std::ptrdiff_t i = 0; i < m; i += 4) {
      const std::ptrdiff_t rows = m - i < 4 ? m - i : 4;
      if (rows == 4) NarrowTile<4>(i, last, part);
      for (std::ptrdiff_t r = 0; r < rows && rows < 4; ++r)
        NarrowTile<1>(i + r, last, part + r * kLanes);
      StorePart(part, kLanes, alpha, beta, c + i * ldc, ldc, rows, n, 0, 0);
    }
  }
  template <int kRows>
  MSHADOW_FORCE_INLINE void NarrowTile(std::ptrdiff_t i, const T* last, T* part) const {
    using Memory = typename Vector<T, 16>::Memory;
    typename Vector<T, 16>::Register sum[kRows] = {};
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      const T* const from = p + 1 < k ? b + p * ldb : last;
      for (int r = 0; r < kRows; ++r) {
        sum[r] += a[(i + r) * a_line + p * a_step] * *reinterpret_cast<const Memory*>(from);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      *reinterpret_cast<Memory*>(part + r * Vector<T, 16>::kLanes) = sum[r];
    }
  }

  /// kVecs vectors of columns from column j, of which the first `done` have been written.
  template <int kBytes, int kVecs>
  MSHADOW_FORCE_INLINE void Columns(std::ptrdiff_t j, std::ptrdiff_t done) const {
    constexpr int kMany = (kBytes == 64 ? 16 : 8) / kVecs;
    std::ptrdiff_t i = 0;
    if (m < 4) {
      for (; i < m; ++i) Tile<kBytes, kVecs, 1>(i, j, 0, done);
      return;
    }
    if constexpr (kMany > 4) {
      for (; m - i >= kMany; i += kMany) Tile<kBytes, kVecs, kMany>(i, j, 0, done);
    }
    for (; i < m; i += 4) {
      const std::ptrdiff_t begin = i + 4 <= m ? i : m - 4;
      Tile<kBytes, kVecs, 4>(begin, j, i - begin, done);
    }
  }

  /// The rows from row i, the columns from column j; the first `done_rows` and `done_cols` of C
  /// have been written.
  template <int kBytes, int kVecs, int kRows>
  MSHADOW_FORCE_INLINE void Tile(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t done_rows,
                                 std::ptrdiff_t done_cols) const {
    using Rows = SmallTile<T, kBytes, kVecs, kRows>;
    constexpr std::ptrdiff_t kLanes = Rows::kLanes;
    typename Rows::Sums sum = {};
    Rows::Add(k, a + i * a_line, a_line, a_step, b + j, ldb, sum);
    T* const pc = c + i * ldc + j;
    if (beta == T(0) || (done_rows == 0 && done_cols == 0)) {  // written again, the same is written
      return Rows::Store(sum, alpha, beta, pc, ldc);
    }
    T part[kRows * kVecs * kLanes];
    for (int r = 0; r < kRows * kVecs; ++r) {
      *reinterpret_cast<typename Rows::Memory*>(part + r * kLanes) = sum[r];
    }
    StorePart(part, kVecs * kLanes, alpha, beta, pc, ldc, kRows, kVecs * kLanes, done_rows,
              done_cols);
  }
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_SMALL_GEMM_H_
