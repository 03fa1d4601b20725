// SPDX-License-Identifier: Apache-2.0
// The driver of the builtin GEMM: cuts a product into cache-sized blocks and spreads it over
// threads.
#ifndef MSHADOW_BACKEND_CPU_BLAS_GEMM_H_
#define MSHADOW_BACKEND_CPU_BLAS_GEMM_H_

#include <cstddef>
#include <type_traits>

#include "../../../core/config.h"
#include "../../../expr/long_sum.h"
#include "../../../simd/isa.h"
#include "../threads.h"
#include "compute_type.h"
#include "convert.h"
#include "gemm_kernel.h"
#include "gemm_pack.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// C = alpha * op(A) * op(B) + beta * C, row-major: op(A) m x k, op(B) k x n, C m x n.
template <typename DType>
struct GemmProblem {
  bool trans_a, trans_b;
  std::ptrdiff_t m, n, k;
  Compute<DType> alpha;
  const DType* a;
  std::ptrdiff_t lda;
  const DType* b;
  std::ptrdiff_t ldb;
  Compute<DType> beta;
  DType* c;
  std::ptrdiff_t ldc;

  /// The rows [i, i + rows) and columns [j, j + cols) of C.
  GemmProblem Part(std::ptrdiff_t i, std::ptrdiff_t rows, std::ptrdiff_t j,
                   std::ptrdiff_t cols) const {
    GemmProblem part = *this;
    part.m = rows;
    part.n = cols;
    part.a += trans_a ? i : i * lda;
    part.b += trans_b ? j * ldb : j;
    part.c += i * ldc + j;
    return part;
  }
};

namespace detail {

inline std::ptrdiff_t Smaller(std::ptrdiff_t x, std::ptrdiff_t y) { return x < y ? x : y; }
/// The length of equal parts, multiples of `unit`, of which `total` needs as few as possible where
/// none is longer than `most`, itself a multiple or at least `total`.
inline std::ptrdiff_t PartLength(std::ptrdiff_t total, std::ptrdiff_t most, std::ptrdiff_t unit) {
  const std::ptrdiff_t parts = (total + most - 1) / most;
  const std::ptrdiff_t length = (total + parts - 1) / parts;
  return (length + unit - 1) / unit * unit;
}

// Sizes of a block, in elements. A sliver of B, kBlockDepth x 2 vectors, is 32 KiB with AVX-512,
// half and a quarter of it with shorter vectors: it stays in the first-level cache. A block of A is
// 150 KiB of floats, in the second-level cache; the block of B 1 MiB, there or in the third.
inline constexpr std::ptrdiff_t kBlockRows = 144;
inline constexpr std::ptrdiff_t kBlockCols = 1024;
inline constexpr std::ptrdiff_t kBlockDepth = 256;
/// A deeper product of floats is computed in parts of this depth, which are added up in double. A
/// float total of many blocks would lose digits.
inline constexpr std::ptrdiff_t kLongDepth = 64 * kBlockDepth;
/// An operand is packed where it is read more often than by this many rows (or columns) of tiles
/// and spreads over more than this many bytes: below, the copy costs more than the strided reads.
inline constexpr std::ptrdiff_t kInPlaceTiles = 4;
inline constexpr std::ptrdiff_t kInPlaceBytes = 32768;

/// The part of op(A) or op(B) that a block needs, in slivers of `wide` and `narrow` lines: packed
/// into `room`, or in place but for a last sliver that is not whole.
template <typename T>
inline GemmOperand<T> Operand(const T* src, std::ptrdiff_t line, std::ptrdiff_t step,
                              std::ptrdiff_t lines, std::ptrdiff_t depth, std::ptrdiff_t wide,
                              std::ptrdiff_t narrow, bool pack, T* room) {
  const std::ptrdiff_t copied = pack ? lines : lines % narrow;
  if (copied > 0) {
    const T* const from = src + (lines - copied) * line;
    simd::Dispatch(GemmPack<T>{from, line, step, copied, depth, wide, narrow, room});
  }
  return GemmOperand<T>{pack ? room : src, pack, line, step, room};
}

/// A product of great depth: multiply(part) does each part of kLongDepth of it.
template <typename F>
inline void GemmInDepths(const GemmProblem<float>& g, const F& multiply) {
  const std::ptrdiff_t cols = Smaller(g.n, kBlockCols);
  const Scratch<float> sums(g.m * cols);
  const Scratch<double> totals(g.m * cols);
  for (std::ptrdiff_t j = 0; j < g.n; j += cols) {
    const auto part = g.Part(0, g.m, j, Smaller(cols, g.n - j));
    const std::ptrdiff_t size = part.m * part.n;
    for (std::ptrdiff_t p = 0; p < g.k; p += kLongDepth) {
      GemmProblem<float> depth = part;
      depth.k = Smaller(kLongDepth, g.k - p);
      depth.a += g.trans_a ? p * g.lda : p;
      depth.b += g.trans_b ? p : p * g.ldb;
      depth.alpha = 1;
      depth.beta = 0;
      depth.c = sums.data();
      depth.ldc = part.n;
      multiply(depth);
      for (std::ptrdiff_t i = 0; i < size; ++i) {
        const double sum = static_cast<double>(sums.data()[i]);
        totals.data()[i] = p == 0 ? sum : totals.data()[i] + sum;
      }
    }
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      sums.data()[i] = static_cast<float>(totals.data()[i]);
    }
    simd::Dispatch(AddSums<float>{part.m, part.n, g.alpha, sums.data(), g.beta, part.c, g.ldc});
  }
}

/// One thread's product in the type of the computation; m, n, k > 0.
template <typename T>
inline void GemmSerial(const GemmProblem<T>& problem) {
  const GemmProblem<T> g = problem;
  if constexpr (std::is_same_v<T, float>) {
    if (g.k > kLongDepth) {
      return GemmInDepths(g, [](const GemmProblem<float>& depth) { GemmSerial(depth); });
    }
  }
  GemmTileSize tile;
  simd::Dispatch(GetGemmTileSize<T>{&tile});
  const std::ptrdiff_t mc = PartLength(g.m, kBlockRows, tile.big_rows);
  const std::ptrdiff_t nc = PartLength(g.n, kBlockCols, tile.big_cols);
  const std::ptrdiff_t kc = PartLength(g.k, kBlockDepth, 1);

  // op(A)[i][p] is a[i * a_line + p * a_step], op(B)[p][j] is b[j * b_line + p * b_step].
  const std::ptrdiff_t a_line = g.trans_a ? 1 : g.lda, a_step = g.trans_a ? g.lda : 1;
  const std::ptrdiff_t b_line = g.trans_b ? g.ldb : 1, b_step = g.trans_b ? 1 : g.ldb;
  constexpr std::ptrdiff_t kSize = sizeof(T);
  const bool pack_a =
      g.trans_a && g.n > kInPlaceTiles * tile.big_cols && kc * g.lda * kSize > kInPlaceBytes;
  const bool pack_b =
      g.trans_b || (g.m > kInPlaceTiles * tile.big_rows && kc * g.ldb * kSize > kInPlaceBytes);
  const std::ptrdiff_t a_lines = pack_a ? mc : tile.small_rows;
  const std::ptrdiff_t b_lines = pack_b ? nc : tile.small_cols;
  const bool whole = g.m % tile.small_rows == 0 && g.n % tile.small_cols == 0;
  Scratch<T> scratch;
  T *a_room = nullptr, *b_room = nullptr;
  if (pack_a || pack_b || !whole) {
    b_room = scratch.Allocate((a_lines + b_lines) * kc);
    a_room = b_room + b_lines * kc;
  }

  GemmBlock<T> block;
  block.alpha = g.alpha;
  block.ldc = g.ldc;
  for (std::ptrdiff_t j = 0; j < g.n; j += nc) {
    block.n = Smaller(nc, g.n - j);
    for (std::ptrdiff_t p = 0; p < g.k; p += kc) {
      block.k = Smaller(kc, g.k - p);
      block.beta = p == 0 ? g.beta : T(1);
      block.b = Operand(g.b + j * b_line + p * b_step, b_line, b_step, block.n, block.k,
                        tile.big_cols, tile.small_cols, pack_b, b_room);
      for (std::ptrdiff_t i = 0; i < g.m; i += mc) {
        block.m = Smaller(mc, g.m - i);
        block.a = Operand(g.a + i * a_line + p * a_step, a_line, a_step, block.m, block.k,
                          tile.big_rows, tile.small_rows, pack_a, a_room);
        block.c = g.c + i * g.ldc + j;
        simd::Dispatch(block);
      }
    }
  }
}

/// One thread's product where DType is not the type of the computation: part by part, through
/// copies in that type, the sums over the whole depth too, so that C is rounded once.
template <typename DType>
inline void GemmConverting(const GemmProblem<DType>& g) {
  using T = Compute<DType>;
  const std::ptrdiff_t rows = Smaller(g.m, 2 * kBlockRows), cols = Smaller(g.n, 512);
  const std::ptrdiff_t depth = PartLength(g.k, 2 * kBlockDepth, 1);
  const Scratch<T> a(rows * depth), b(cols * depth), sums(rows * cols);
  for (std::ptrdiff_t i = 0; i < g.m; i += rows) {
    for (std::ptrdiff_t j = 0; j < g.n; j += cols) {
      const auto part = g.Part(i, Smaller(rows, g.m - i), j, Smaller(cols, g.n - j));
      for (std::ptrdiff_t p = 0; p < g.k; p += depth) {
        const std::ptrdiff_t k = Smaller(depth, g.k - p);
        const std::ptrdiff_t a_rows = g.trans_a ? k : part.m, a_cols = g.trans_a ? part.m : k;
        const std::ptrdiff_t b_rows = g.trans_b ? part.n : k, b_cols = g.trans_b ? k : part.n;
        const DType* const a_from = part.a + (g.trans_a ? p * g.lda : p);
        const DType* const b_from = part.b + (g.trans_b ? p : p * g.ldb);
        simd::Dispatch(ConvertRows<DType>{a_rows, a_cols, a_from, g.lda, a.data()});
        simd::Dispatch(ConvertRows<DType>{b_rows, b_cols, b_from, g.ldb, b.data()});
        GemmSerial(GemmProblem<T>{g.trans_a, g.trans_b, part.m, part.n, k, T(1), a.data(), a_cols,
                                  b.data(), b_cols, T(p == 0 ? 0 : 1), sums.data(), part.n});
      }
      simd::Dispatch(AddSums<DType>{part.m, part.n, g.alpha, sums.data(), g.beta, part.c, g.ldc});
    }
  }
}

template <typename DType>
inline void GemmOneThread(const GemmProblem<DType>& g) {
  using T = Compute<DType>;
  if constexpr (kComputesInPlace<DType>) {
    GemmSerial(GemmProblem<T>{
        g.trans_a, g.trans_b, g.m, g.n, g.k, g.alpha, reinterpret_cast<const T*>(g.a), g.lda,
        reinterpret_cast<const T*>(g.b), g.ldb, g.beta, reinterpret_cast<T*>(g.c), g.ldc});
  } else {
    GemmConverting(g);
  }
}

}  // namespace detail

inline namespace MSHADOW_THREADS_NAMESPACE {

/// A product of fewer multiply-adds a thread than this is not worth starting the thread.
inline constexpr std::ptrdiff_t kGemmGrain = 1 << 20;

/// m * n * k in units of kGemmGrain; the product may be beyond 64 bits.
inline double GemmWork(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / kGemmGrain;
}

/// The whole product; m, n, k > 0. C is cut into a grid of equal parts, one a thread, of a shape
/// that lets the threads read as little of A and B as possible.
template <typename DType>
inline void GemmThreads(const GemmProblem<DType>& g) {
  const double work = GemmWork(g.m, g.n, g.k);
  const int threads = ThreadsFor(static_cast<std::ptrdiff_t>(work < 1e6 ? work : 1e6), 1);
  if (threads <= 1) return detail::GemmOneThread(g);

  GemmTileSize tile;
  simd::Dispatch(GetGemmTileSize<Compute<DType>>{&tile});
  std::ptrdiff_t rows = g.m, cols = g.n;
  double least = -1;
  for (int across = 1; across <= threads; ++across) {
    const int down = threads / across;
    const std::ptrdiff_t r = detail::PartLength(g.m, (g.m + down - 1) / down, tile.big_rows);
    const std::ptrdiff_t c = detail::PartLength(g.n, (g.n + across - 1) / across, tile.big_cols);
    // The time is that of the largest part; where it is equal, less is read.
    const double cost =
        static_cast<double>(r) * static_cast<double>(c) + static_cast<double>(r + c);
    if (least < 0 || cost < least) {
      least = cost;
      rows = r;
      cols = c;
    }
  }
  const std::ptrdiff_t down = (g.m + rows - 1) / rows, across = (g.n + cols - 1) / cols;
  ParallelFor(down * across, threads, [&](std::ptrdiff_t part) {
    const std::ptrdiff_t i = part / across * rows, j = part % across * cols;
    detail::GemmOneThread(
        g.Part(i, detail::Smaller(rows, g.m - i), j, detail::Smaller(cols, g.n - j)));
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_GEMM_H_
