// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/gemm_kernel.h>
#include <mshadow/backend/cpu/blas/gemm_pack.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// `lines` lines of `depth` small integers, side by side in a line or in a step, as an operand: in
/// place with the last lines packed, or packed altogether.
template <typename T>
class Lines {
 public:
  Lines(bool is_b, std::ptrdiff_t lines, std::ptrdiff_t depth, bool packed, std::ptrdiff_t big,
        std::ptrdiff_t small)
      : line_(is_b ? 1 : depth + 2),
        step_(is_b ? lines + 2 : 1),
        values_(static_cast<std::size_t>((lines + 2) * (depth + 2))),
        room_(static_cast<std::size_t>((lines + big) * depth)) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<T>(i % 7);
    const std::ptrdiff_t copied = packed ? lines : lines % small;
    simd::Dispatch(blas::GemmPack<T>{values_.data() + (lines - copied) * line_, line_, step_,
                                     copied, depth, big, small, room_.data()});
    operand = {packed ? room_.data() : values_.data(), packed, line_, step_, room_.data()};
  }
  double At(std::ptrdiff_t line, std::ptrdiff_t p) const {
    return static_cast<double>(values_[line * line_ + p * step_]);
  }
  blas::GemmOperand<T> operand;

 private:
  std::ptrdiff_t line_, step_;
  std::vector<T> values_, room_;
};

template <typename T>
void Check(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, bool pack_a, bool pack_b,
           int beta) {
  blas::GemmTileSize tile;
  simd::Dispatch(blas::GetGemmTileSize<T>{&tile});
  const Lines<T> a(false, m, k, pack_a, tile.big_rows, tile.small_rows);
  const Lines<T> b(true, n, k, pack_b, tile.big_cols, tile.small_cols);
  const std::ptrdiff_t ldc = n + 5;
  // What beta = 0 overwrites may be anything.
  const bool hidden = beta == 0 && std::is_floating_point_v<T>;
  const T old = hidden ? std::numeric_limits<T>::quiet_NaN() : T(5);
  std::vector<T> c(static_cast<std::size_t>(m * ldc), T(9));
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    for (std::ptrdiff_t j = 0; j < n; ++j) c[i * ldc + j] = old;
  }
  blas::GemmBlock<T> block;
  block.m = m, block.n = n, block.k = k;
  block.alpha = T(2), block.beta = static_cast<T>(beta);
  block.a = a.operand, block.b = b.operand;
  block.c = c.data(), block.ldc = ldc;
  simd::Dispatch(block);
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    for (std::ptrdiff_t j = 0; j < ldc; ++j) {
      double expected = 9;
      if (j < n) {
        double sum = 0;
        for (std::ptrdiff_t p = 0; p < k; ++p) sum += a.At(i, p) * b.At(j, p);
        expected = 2 * sum + beta * 5;
      }
      ASSERT_EQ(static_cast<double>(c[i * ldc + j]), expected)
          << i << ", " << j << " of " << m << " x " << n << " x " << k;
    }
  }
}

template <typename T>
class GemmBlock : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::uint32_t>;
TYPED_TEST_SUITE(GemmBlock, Types);

// Big tiles, small ones, and what is left of one, of every vector width.
TYPED_TEST(GemmBlock, PackedAndInPlace) {
  testing::ForEachIsa([] {
    for (const std::ptrdiff_t m : {1, 3, 4, 6, 12, 17, 29}) {
      for (const std::ptrdiff_t n : {1, 4, 16, 32, 37, 67}) {
        for (const int way : {0, 1, 2, 3}) {
          Check<TypeParam>(m, n, 5, way % 2 != 0, way / 2 != 0, way == 1 ? 3 : 0);
        }
      }
    }
    Check<TypeParam>(13, 35, 1, true, true, 1);
  });
}

}  // namespace
}  // namespace mshadow
