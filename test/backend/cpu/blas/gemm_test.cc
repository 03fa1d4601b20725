// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/gemm.h>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

TEST(PartLength, CoversWithFewEqualParts) {
  EXPECT_EQ(blas::detail::PartLength(100, 144, 12), 108);  // one part, a multiple of the unit
  EXPECT_EQ(blas::detail::PartLength(300, 144, 12), 108);  // three
  EXPECT_EQ(blas::detail::PartLength(144, 144, 12), 144);
  EXPECT_EQ(blas::detail::PartLength(257, 256, 1), 129);
}

/// C = 2 A B + beta C with rows that are padded, of small integers, whose sums are exact.
template <typename DType>
void Check(bool trans_a, bool trans_b, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k,
           int beta) {
  using T = blas::Compute<DType>;
  const std::ptrdiff_t lda = (trans_a ? m : k) + 1, ldb = (trans_b ? k : n) + 2, ldc = n + 3;
  const auto a_at = [=](std::ptrdiff_t i, std::ptrdiff_t p) {
    return trans_a ? p * lda + i : i * lda + p;
  };
  const auto b_at = [=](std::ptrdiff_t p, std::ptrdiff_t j) {
    return trans_b ? j * ldb + p : p * ldb + j;
  };
  std::vector<DType> a(static_cast<std::size_t>((trans_a ? k : m) * lda));
  std::vector<DType> b(static_cast<std::size_t>((trans_b ? n : k) * ldb));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<DType>(i % 7 / 3);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<DType>(i % 5 / 2);
  // What beta = 0 overwrites may be anything; no integer is a NaN.
  constexpr float kAny = std::is_integral_v<DType> ? 7.0f : std::numeric_limits<float>::quiet_NaN();
  const DType old = static_cast<DType>(beta == 0 ? kAny : 5.0f);
  std::vector<DType> c(static_cast<std::size_t>(m * ldc), static_cast<DType>(9));
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    for (std::ptrdiff_t j = 0; j < n; ++j) c[i * ldc + j] = old;
  }
  blas::GemmThreads(blas::GemmProblem<DType>{trans_a, trans_b, m, n, k, T(2), a.data(), lda,
                                             b.data(), ldb, static_cast<T>(beta), c.data(), ldc},
                    4, blas::detail::GemmOneThread<DType>);
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    for (std::ptrdiff_t j = 0; j < ldc; ++j) {
      double expected = 9;
      if (j < n) {
        double sum = 0;
        for (std::ptrdiff_t p = 0; p < k; ++p) {
          sum += static_cast<double>(a_at(i, p) % 7 / 3) * static_cast<double>(b_at(p, j) % 5 / 2);
        }
        expected = 2 * sum + beta * 5;
      }
      ASSERT_EQ(static_cast<double>(c[i * ldc + j]), expected)
          << i << ", " << j << " of " << m << " x " << n << " x " << k;
    }
  }
}

template <typename DType>
class Gemm : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::int32_t, half::half_t>;  // the last through copies
TYPED_TEST_SUITE(Gemm, Types);

TYPED_TEST(Gemm, BlocksOfEveryOrientation) {
  testing::ForEachIsa([] {
    for (const bool trans_a : {false, true}) {
      for (const bool trans_b : {false, true}) {
        for (std::ptrdiff_t n : {1, 2, 3, 7}) {
          for (std::ptrdiff_t k : {1, 3, 300}) Check<TypeParam>(trans_a, trans_b, 5, n, k, 3);
        }
        Check<TypeParam>(trans_a, trans_b, 30, 3, 5, 0);
        Check<TypeParam>(trans_a, trans_b, 150, 40, 270, 3);  // two blocks of rows and of depth
        Check<TypeParam>(trans_a, trans_b, 30, 1050, 20, 0);  // two of columns
        Check<TypeParam>(trans_a, trans_b, 300, 7, 5, 0);
        Check<TypeParam>(trans_a, trans_b, 9, 20, 600, 1);  // two parts of what is converted
      }
    }
  });
  Check<TypeParam>(false, true, 190, 170, 90, 1);  // enough for two threads
}

// A thread's part of a few columns has the bits that they have beside others.
TYPED_TEST(Gemm, ThreadsChangeNothing) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    constexpr std::ptrdiff_t kDeep = blas::detail::kLongDepth + 1;
    for (const auto& [m, k, n] : {std::array<std::ptrdiff_t, 3>{8, 8192, 17}, {8, 8192, 33},
                                  {8, 8192, 35}, {8, kDeep, 1026}}) {
      if (k == kDeep && !std::is_same_v<TypeParam, float>) continue;
      std::vector<TypeParam> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(n * k));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = TypeParam(i * 7919 % 1000) / 999;
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = TypeParam(i * 104729 % 1000) / 999;
      std::vector<TypeParam> c[2];
      for (int threads = 1; threads <= 2; ++threads) {
        auto& to = c[threads - 1];
        to.resize(static_cast<std::size_t>(m * n));
        blas::GemmThreads(blas::GemmProblem<TypeParam>{false, false, m, n, k, 1, a.data(), k,
                                                       b.data(), n, 0, to.data(), n},
                          threads, blas::detail::GemmOneThread<TypeParam>);
      }
      EXPECT_TRUE(c[0] == c[1]) << n;
    }
  }
}

}  // namespace
}  // namespace mshadow
