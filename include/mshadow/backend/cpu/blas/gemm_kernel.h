// SPDX-License-Identifier: Apache-2.0
// The inner part of the builtin GEMM: a block of the product out of packed or in-place operands.
//
// A tile of C, kRows x (kVecs vectors), stays in registers over the whole depth k: one step loads
// kVecs vectors of B, broadcasts kRows elements of A and does kRows * kVecs multiply-adds. With 24
// (AVX-512) or 12 (16 registers) running sums the latency of the multiply-add is hidden twice over.
// The scheme is that of Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
// ACM TOMS 34(3), 2008.
#ifndef MSHADOW_BACKEND_CPU_BLAS_GEMM_KERNEL_H_
#define MSHADOW_BACKEND_CPU_BLAS_GEMM_KERNEL_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "compute_type.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// The tiles of an instruction set. A block is cut into tiles of the big size while they fit, then
/// into small ones, the last of them padded with zeros.
template <typename Isa, typename T>
struct GemmTile {
  using Vec = Vector<T, Isa::kVectorBytes>;
#if defined(__aarch64__)
  static constexpr bool kManyRegisters = true;
#else
  static constexpr bool kManyRegisters = Isa::kVectorBytes == 64;
#endif
  static constexpr int kBigRows = kManyRegisters ? 12 : 6;
  static constexpr int kSmallRows = kManyRegisters ? 4 : 3;
  static constexpr int kSmallCols = Vec::kLanes;
  static constexpr int kBigCols = 2 * kSmallCols;
};

/// One operand of a block, cut into slivers: the rows of A, or the columns of B, of one tile.
/// Element p (along the depth) of line i (a row of A, a column of B) of the sliver that starts at
/// line s is, with W its width,
///   packed:    data[s * depth + p * W + i]
///   in place:  data[s * line + i * line + p * step]; line is 1 for B, whose vectors are loaded.
/// A last sliver of less than the small width is always packed; in place it lies at `tail`.
template <typename T>
struct GemmOperand {
  const T* data;
  bool packed;
  std::ptrdiff_t line;
  std::ptrdiff_t step;
  const T* tail;

  MSHADOW_FORCE_INLINE const T* Sliver(std::ptrdiff_t start, std::ptrdiff_t depth,
                                       bool full) const {
    if (packed) return data + start * depth;
    return full ? data + start * line : tail;
  }
};

/// C = alpha * A * B + beta * C for one block; beta == 0 overwrites. C is row-major.
/// A kernel for simd::Dispatch; the operands must be packed for the same instruction set.
template <typename T>
struct GemmBlock {
  std::ptrdiff_t m, n, k;
  GemmOperand<T> a, b;
  T alpha, beta;
  T* c;
  std::ptrdiff_t ldc;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    using Tile = GemmTile<Isa, T>;
    std::ptrdiff_t j = 0;
    for (; n - j >= Tile::kBigCols; j += Tile::kBigCols) Column<Isa, 2>(j, Tile::kBigCols);
    for (; j < n; j += Tile::kSmallCols) {
      Column<Isa, 1>(j, n - j < Tile::kSmallCols ? n - j : Tile::kSmallCols);
    }
  }

 private:
  // One sliver of B, which stays in the first-level cache, against all of A.
  template <typename Isa, int kVecs>
  MSHADOW_FORCE_INLINE void Column(std::ptrdiff_t j, std::ptrdiff_t cols) const {
    using Tile = GemmTile<Isa, T>;
    constexpr int kCols = kVecs * Tile::kSmallCols;
    const T* const pb = b.Sliver(j, k, cols == kCols);
    const std::ptrdiff_t b_step = b.packed || cols != kCols ? kCols : b.step;
    std::ptrdiff_t i = 0;
    for (; m - i >= Tile::kBigRows; i += Tile::kBigRows) {
      Multiply<Isa, Tile::kBigRows, kVecs>(i, Tile::kBigRows, pb, b_step, c + i * ldc + j, cols);
    }
    for (; i < m; i += Tile::kSmallRows) {
      const std::ptrdiff_t rows = m - i < Tile::kSmallRows ? m - i : Tile::kSmallRows;
      Multiply<Isa, Tile::kSmallRows, kVecs>(i, rows, pb, b_step, c + i * ldc + j, cols);
    }
  }

  // One tile. Vectors never pass through a function call: Clang refuses that across targets.
  template <typename Isa, int kRows, int kVecs>
  MSHADOW_FORCE_INLINE void Multiply(std::ptrdiff_t i, std::ptrdiff_t rows, const T* pb,
                                     std::ptrdiff_t b_step, T* pc, std::ptrdiff_t cols) const {
    using Vec = typename GemmTile<Isa, T>::Vec;
    using Register = typename Vec::Register;
    using Memory = typename Vec::Memory;
    constexpr int kLanes = Vec::kLanes;
    // The rows are reached through few pointers and the offsets 0, 1 and 2 times `line`, all of
    // which fit the general registers; a pointer a row would not.
    constexpr int kGroup = kRows % 3 == 0 ? 3 : 2;
    constexpr int kGroups = kRows / kGroup;

    const bool in_place = !a.packed && rows == kRows;
    const std::ptrdiff_t line = in_place ? a.line : 1;
    const std::ptrdiff_t step = in_place ? a.step : kRows;
    const T* pa[kGroups];
    pa[0] = a.Sliver(i, k, rows == kRows);
    for (int g = 1; g < kGroups; ++g) pa[g] = pa[g - 1] + kGroup * line;

    Register sum[kRows * kVecs] = {};
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      Register vb[kVecs];
      for (int v = 0; v < kVecs; ++v) vb[v] = *reinterpret_cast<const Memory*>(pb + v * kLanes);
      for (int r = 0; r < kRows; ++r) {
        const T value = pa[r / kGroup][(r % kGroup) * line];
        for (int v = 0; v < kVecs; ++v) sum[r * kVecs + v] += value * vb[v];
      }
      for (int g = 0; g < kGroups; ++g) pa[g] += step;
      pb += b_step;
    }

    if (rows == kRows && cols == kVecs * kLanes) {
      if (beta == T(0)) {
        for (int r = 0; r < kRows; ++r) {
          for (int v = 0; v < kVecs; ++v) {
            *reinterpret_cast<Memory*>(pc + r * ldc + v * kLanes) = alpha * sum[r * kVecs + v];
          }
        }
      } else {
        for (int r = 0; r < kRows; ++r) {
          for (int v = 0; v < kVecs; ++v) {
            Memory* const out = reinterpret_cast<Memory*>(pc + r * ldc + v * kLanes);
            *out = alpha * sum[r * kVecs + v] + beta * *out;
          }
        }
      }
      return;
    }
    alignas(64) T tile[kRows * kVecs * kLanes];
    for (int r = 0; r < kRows * kVecs; ++r) {
      *reinterpret_cast<Memory*>(tile + r * kLanes) = sum[r];
    }
    StorePart(tile, kVecs * kLanes, rows, cols, alpha, beta, pc, ldc);
  }

  // A part of a tile, through memory. Out of line: it is rare, and there are many kernels.
  MSHADOW_KERNEL static void StorePart(const T* tile, std::ptrdiff_t width, std::ptrdiff_t rows,
                                       std::ptrdiff_t cols, T alpha, T beta, T* pc,
                                       std::ptrdiff_t ldc) {
    for (std::ptrdiff_t r = 0; r < rows; ++r, tile += width, pc += ldc) {
      AddScaled(cols, alpha, tile, beta, pc);
    }
  }
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_GEMM_KERNEL_H_
