// SPDX-License-Identifier: Apache-2.0
// The driver of the builtin GEMM: cuts a product into cache-sized blocks and spreads it over
// threads.
#ifndef MSHADOW_BACKEND_CPU_BLAS_GEMM_H_
#define MSHADOW_BACKEND_CPU_BLAS_GEMM_H_

#include <cstddef>
#include <type_traits>

#include "../../../core/config.h"
#include "../../../op/long_sum.h"
#include "../../../simd/isa.h"
#include "../threads.h"
#include "compute_type.h"
#include "convert.h"
#include "pack.h"
#include "small_gemm.h"

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

/// Elements of two vectors of the active instruction set: the width of a sliver of B.
template <typename T>
inline std::ptrdiff_t SliverWidth() {
  return 2 * (std::ptrdiff_t{Vector<T, 16>::kLanes} << static_cast<int>(simd::ActiveIsa()));
}

/// A product of great depth: multiply(part) does each part of kLongDepth of it.
void GemmInDepths(const GemmProblem<float>& g, void (*multiply)(const GemmProblem<float>&));
#if MSHADOW_SHARED_BODIES
MSHADOW_COLD MSHADOW_NOINLINE MSHADOW_SHARED void GemmInDepths(const GemmProblem<float>& g,
                                                  void (*multiply)(const GemmProblem<float>&)) {
  // No part is narrower than a sliver: of another instruction set its elements had other bits.
  const std::ptrdiff_t most = kBlockCols + SliverWidth<float>(), room = Smaller(g.n, most);
  const Scratch<float> sums(g.m * room);
  const Scratch<double> totals(g.m * room);
  for (std::ptrdiff_t j = 0, cols; j < g.n; j += cols) {
    cols = g.n - j < most ? g.n - j : kBlockCols;
    const auto part = g.Part(0, g.m, j, cols);
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
      float* const out = part.c + i / part.n * g.ldc + i % part.n;
      const float sum = g.alpha * static_cast<float>(totals.data()[i]);
      *out = g.beta == 0 ? sum : sum + g.beta * *out;
    }
  }
}
#endif

/// One thread's product in the type of the computation, of any size; m, n, k > 0.
template <typename T>
MSHADOW_COLD inline void BlockGemm(const GemmProblem<T>& problem) {
  const GemmProblem<T> g = problem;
  if constexpr (std::is_same_v<T, float>) {
    if (g.k > kLongDepth) {
      return GemmInDepths(g, BlockGemm<float>);
    }
  }
  constexpr std::ptrdiff_t kLeast = Vector<T, 16>::kLanes;
  const std::ptrdiff_t width = SliverWidth<T>();
  const std::ptrdiff_t mc = PartLength(g.m, kBlockRows, 4);
  const std::ptrdiff_t nc = PartLength(g.n, kBlockCols, width);
  const std::ptrdiff_t kc = PartLength(g.k, kBlockDepth, 1);
  // An operand that few columns or rows read is read in place, unless it is transposed.
  const bool copies_a = g.trans_a || g.n > 8 * width;
  const bool copies_b =
      g.trans_b || g.m > 8 || (g.n < kLeast && (g.n == 1 || g.ldb < g.n));  // see RunInPlace
  Scratch<T> scratch;
  T *b_room = nullptr, *a_room = nullptr;
  if (copies_a || copies_b) {
    b_room = scratch.Allocate((nc + width + mc) * kc);
    a_room = b_room + (nc + width) * kc;
  }

  for (std::ptrdiff_t j = 0, n; j < g.n; j += n) {
    n = g.n - j < nc + width ? g.n - j : nc;  // no block is narrower than a sliver beside others
    for (std::ptrdiff_t p = 0; p < g.k; p += kc) {
      const std::ptrdiff_t k = Smaller(kc, g.k - p);
      const T* const b = g.b + (g.trans_b ? j * g.ldb + p : p * g.ldb + j);
      for (std::ptrdiff_t i = 0; i < g.m; i += mc) {
        const std::ptrdiff_t m = Smaller(mc, g.m - i);
        const T* a = g.a + (g.trans_a ? i + p * g.lda : i * g.lda + p);
        if (copies_a) {
          Pack(g.trans_a, a, g.lda, m, k, a_room, k);
          a = a_room;
        }
        for (std::ptrdiff_t q = 0, cols; q < n; q += cols) {
          // The last sliver takes the rest of the columns too.
          cols = !copies_b || n - q < 2 * width ? n - q : width;
          const std::ptrdiff_t pitch = !copies_b ? g.ldb : cols < kLeast ? kLeast : cols;
          if (copies_b && i == 0) {  // multiplied at once, while it is in the first-level cache
            for (std::ptrdiff_t r = 0; pitch > cols && r < pitch * k; ++r) b_room[r] = T(0);
            Pack(g.trans_b, b + (g.trans_b ? q * g.ldb : q), g.ldb, k, cols, b_room + q * k, pitch);
          }
          SmallGemm<T>{m, cols, k, g.alpha, a, copies_a ? k : g.lda, 1, false,
                       copies_b ? b_room + q * k : b, pitch, p == 0 ? g.beta : T(1),
                       g.c + i * g.ldc + j + q, g.ldc}
              .RunInPlace();
        }
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
  const T one = 1;
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
        BlockGemm(GemmProblem<T>{g.trans_a, g.trans_b, part.m, part.n, k, T(1), a.data(), a_cols,
                                 b.data(), b_cols, T(p == 0 ? 0 : 1), sums.data(), part.n});
      }
      simd::Dispatch(AddRows<DType>{part.m, part.n, g.alpha, &one, 0, sums.data(), part.n, g.beta,
                                    part.c, g.ldc});
    }
  }
}

template <typename DType>
inline void GemmOneThread(const GemmProblem<DType>& g) {
  using T = Compute<DType>;
  if constexpr (kIsComplex<DType>) {
    GemmOfParts(g);  // complex_gemm.h
  } else if constexpr (kComputesInPlace<DType>) {
    BlockGemm(GemmProblem<T>{
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

/// The whole product; m, n, k > 0. C is cut into a grid of equal parts of whole tiles, at most
/// `most` of them, each a thread's multiply(part), of a shape that lets the threads read as little
/// of A and B as possible.
template <typename DType>
MSHADOW_COLD MSHADOW_NOINLINE void GemmThreads(const GemmProblem<DType>& g, int most,
                                  void (*multiply)(const GemmProblem<DType>&)) {
  const double work = GemmWork(g.m, g.n, g.k);
  most = work < 2 || most < 2 ? 1 : static_cast<int>(detail::Smaller(most, MaxThreads()));
  const int threads = work < most ? static_cast<int>(work) : most;
  if (threads <= 1) return multiply(g);

  std::ptrdiff_t rows = g.m, cols = g.n;
  double least = -1;
  for (int across = 1; across <= threads; ++across) {
    const int down = threads / across;
    const std::ptrdiff_t r = detail::PartLength(g.m, (g.m + down - 1) / down, 8);
    const std::ptrdiff_t c =
        detail::PartLength(g.n, (g.n + across - 1) / across, detail::SliverWidth<Compute<DType>>());
    // A part of less than a sliver would be computed by another kernel, which rounds otherwise.
    if (c < g.n && g.n % c != 0 && g.n % c < detail::SliverWidth<Compute<DType>>()) continue;
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
    multiply(g.Part(i, detail::Smaller(rows, g.m - i), j, detail::Smaller(cols, g.n - j)));
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_GEMM_H_
