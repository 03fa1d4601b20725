// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/small_gemm.h>

#include <cmath>
#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using blas::SmallGemm;

/// C = 2 op(A) B + beta C, rows padded and off by one element, beside a plain loop.
template <typename T>
void CheckProduct(bool trans_a, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, T beta) {
  SCOPED_TRACE(::testing::Message() << "trans_a " << trans_a << " m " << m << " n " << n << " k "
                                    << k << " beta " << beta);
  const std::ptrdiff_t lda = (trans_a ? m : k) + 3, ldb = n + 2, ldc = n + 5;
  std::vector<T> a((trans_a ? k : m) * lda + 1), b(k * ldb + 1), c(m * ldc + 1);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(int(i * 7 % 13) - 6) / 4;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(int(i * 5 % 11) - 5) / 8;
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] = beta == 0 ? std::numeric_limits<T>::quiet_NaN() : T(int(i % 9));
  }
  std::vector<T> out = c;
  const SmallGemm<T> product{m,   n,   k,    T(2),          a.data() + 1, trans_a ? 1 : lda,
                             trans_a ? lda : 1, b.data() + 1, ldb, beta, out.data() + 1, ldc};
  ASSERT_TRUE(product.Run());
  for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(out.size()); ++at) {
    const std::ptrdiff_t i = (at - 1) / ldc, j = (at - 1) % ldc;
    if (at == 0 || j >= n) {  // the padding is left alone
      ASSERT_TRUE(out[at] == c[at] || std::isnan(c[at])) << at;
      continue;
    }
    double sum = 0;
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      sum += double(a[1 + (trans_a ? p * lda + i : i * lda + p)]) * b[1 + p * ldb + j];
    }
    const double old = beta == 0 ? 0 : double(beta) * c[at];
    ASSERT_EQ(out[at], T(2 * sum + old)) << "row " << i << " column " << j;  // exact numbers
  }
}

template <typename T>
void CheckEveryShape(std::ptrdiff_t bytes) {
  const std::ptrdiff_t n = bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::ptrdiff_t m = 1; m <= 32; ++m) {
    for (std::ptrdiff_t k : {1, 2, 5, 16, 32}) {
      CheckProduct<T>(m % 2, m, n, k, T(0));
      CheckProduct<T>(m % 3 == 0, m, n, k, T(3));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SmallGemm, OneVectorOfEveryInstructionSet) {
  testing::ForEachIsa([] {
    std::ptrdiff_t most = 16;
    if (simd::ActiveIsa() == simd::Isa::kAvx2) most = 32;
    if (simd::ActiveIsa() == simd::Isa::kAvx512) most = 64;
    for (std::ptrdiff_t bytes = 16; bytes <= most; bytes *= 2) {
      CheckEveryShape<float>(bytes);
      CheckEveryShape<double>(bytes);
    }
  });
}

TEST(SmallGemm, LeavesTheRestToTheBlas) {
  float a[64 * 64] = {}, b[64 * 64] = {}, c[64 * 64];
  for (float& value : c) value = 7;
  const auto run = [&](std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, float alpha) {
    return SmallGemm<float>{m, n, k, alpha, a, 64, 1, b, 64, 0, c, 64}.Run();
  };
  EXPECT_FALSE(run(33, 4, 4, 1));  // large
  EXPECT_FALSE(run(4, 4, 33, 1));
  EXPECT_FALSE(run(4, 3, 4, 1));   // no vector
  EXPECT_FALSE(run(4, 12, 4, 1));
  EXPECT_FALSE(run(4, 4, 0, 1));   // beta C, without a look at A and B
  EXPECT_FALSE(run(4, 4, 4, 0));
  EXPECT_EQ(c[0], 7);
  EXPECT_TRUE(run(0, 4, 4, 1));  // no rows
  EXPECT_EQ(c[0], 7);
  EXPECT_TRUE(run(1, 4, 4, 1));
  EXPECT_EQ(c[3], 0);
  EXPECT_EQ(c[4], 7);
}

}  // namespace
}  // namespace mshadow
