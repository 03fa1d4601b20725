// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/small_gemm.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using blas::SmallGemm;

/// An instruction set with vectors of kBytes: without one, the compiler takes vectors to pieces,
/// and so the form for it is seen to compute right where it cannot run.
template <int kBytes>
struct Pieces {
  static constexpr int kVectorBytes = kBytes;
};

/// How op(A) and op(B) lie in memory.
struct Layout {
  bool trans_a, trans_b;
  std::ptrdiff_t least;  ///< stride of the rows of A and B
};

/// C = 2 op(A) op(B) + beta C, rows padded and off by one element, beside a plain loop.
template <typename T, typename Isa = void>
void CheckProduct(Layout layout, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, T beta) {
  const bool trans_a = layout.trans_a, trans_b = layout.trans_b;
  SCOPED_TRACE(::testing::Message()
               << "trans_a " << trans_a << " trans_b " << trans_b << " least " << layout.least
               << " m " << m << " n " << n << " k " << k << " beta " << beta);
  const std::ptrdiff_t lda = std::max((trans_a ? m : k) + 3, layout.least);
  const std::ptrdiff_t ldb = std::max((trans_b ? k : n) + 2, layout.least), ldc = n + 5;
  // No element behind the last one that is read or written: ASan sees what lies there.
  std::vector<T> a(((trans_a ? k : m) - 1) * lda + (trans_a ? m : k) + 1);
  std::vector<T> b(((trans_b ? n : k) - 1) * ldb + (trans_b ? k : n) + 1);
  std::vector<T> c((m - 1) * ldc + n + 1);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(int(i * 7 % 13) - 6) / 4;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(int(i * 5 % 11) - 5) / 8;
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] = beta == 0 ? std::numeric_limits<T>::quiet_NaN() : T(int(i % 9));
  }
  std::vector<T> out = c;
  const SmallGemm<T> product{m,
                             n,
                             k,
                             T(2),
                             a.data() + 1,
                             trans_a ? 1 : lda,
                             trans_a ? lda : 1,
                             trans_b,
                             b.data() + 1,
                             ldb,
                             beta,
                             out.data() + 1,
                             ldc};
  if constexpr (std::is_void_v<Isa>) {
    ASSERT_TRUE(product.Run());
  } else {
    SmallGemm<T>::template Run<Isa>(&product);
  }
  for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(out.size()); ++at) {
    const std::ptrdiff_t i = (at - 1) / ldc, j = (at - 1) % ldc;
    if (at == 0 || j >= n) {  // the padding is left alone
      ASSERT_TRUE(out[at] == c[at] || std::isnan(c[at])) << at;
      continue;
    }
    double sum = 0;
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      sum += double(a[1 + (trans_a ? p * lda + i : i * lda + p)]) *
             b[1 + (trans_b ? j * ldb + p : p * ldb + j)];
    }
    const double old = beta == 0 ? 0 : double(beta) * c[at];
    ASSERT_EQ(out[at], T(2 * sum + old)) << "row " << i << " column " << j;  // exact numbers
  }
}

template <typename T>
void CheckEveryShape() {
  for (std::ptrdiff_t m : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 32}) {
    for (std::ptrdiff_t n = 2; n <= 37; ++n) {
      for (std::ptrdiff_t k : {1, 5, 16, 33}) {
        CheckProduct<T>({m % 2 != 0, false, 0}, m, n, k, T(0));
        CheckProduct<T>({n % 3 == 0, false, 0}, m, n, k, T(3));
        if (m >= 4 || n * k <= 64) CheckProduct<T>({n % 2 != 0, true, 0}, m, n, k, n % 3 == 0 ? T(3) : T(0));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(SmallGemm, EveryShapeOnEveryInstructionSet) {
  testing::ForEachIsa([] {
    CheckEveryShape<float>();
    CheckEveryShape<double>();
  });
}

template <typename T, typename Isa>
void CheckInPieces() {
  constexpr std::ptrdiff_t kLanes = Isa::kVectorBytes / sizeof(T);
  for (std::ptrdiff_t m : {1, 3, 4, 8, 15, 16, 18, 37}) {
    for (std::ptrdiff_t n : {kLanes, kLanes + 1, 2 * kLanes, 3 * kLanes + 3, 4 * kLanes}) {
      for (std::ptrdiff_t k : {3, 16, 21}) {
        CheckProduct<T, Isa>({n % 2 == 0, false, 0}, m, n, k, T(m % 2));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(SmallGemm, VectorsThatTheMachineHasNot) {
  CheckInPieces<float, Pieces<32>>();
  CheckInPieces<double, Pieces<32>>();
  CheckInPieces<float, Pieces<64>>();
  CheckInPieces<double, Pieces<64>>();
}

// Rows that share sets of the cache are copied, side by side.
TEST(SmallGemm, RowsFarApart) {
  testing::ForEachIsa([] {
    for (const bool trans_a : {false, true}) {
      for (const bool trans_b : {false, true}) {
        for (const float beta : {0.0f, 3.0f}) {
          CheckProduct<float>({trans_a, trans_b, 1024}, 21, 19, 33, beta);
          CheckProduct<double>({trans_a, trans_b, 512}, 16, 40, 40, beta);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(SmallGemm, LargeOnes) {
  testing::ForEachIsa([] {
    CheckProduct<float>({false, false, 0}, 64, 64, 64, 0.0f);
    CheckProduct<double>({true, false, 0}, 7, 73, 512, 0.0);
    CheckProduct<float>({false, true, 0}, 100, 20, 100, 3.0f);
    CheckProduct<float>({false, false, 0}, 1, 4096, 64, 3.0f);
    CheckProduct<float>({true, false, 0}, 4096, 4, 16, 0.0f);
  });
}

TEST(SmallGemm, LeavesTheRestToTheBlas) {
  std::vector<float> a(64 * 1024), b(64 * 1024), c(65 * 64, 7.0f);
  const auto run = [&](std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, float alpha = 1,
                       std::ptrdiff_t lda = 64, bool trans_b = false, std::ptrdiff_t ldb = 64) {
    return SmallGemm<float>{m,       n,        k,   alpha, a.data(), lda, 1,
                            trans_b, b.data(), ldb, 0,     c.data(), 64}
        .Run();
  };
  EXPECT_FALSE(run(65, 64, 64));  // large
  EXPECT_FALSE(run(1, 4, 513));
  EXPECT_FALSE(run(4, 1, 4));                             // a vector
  EXPECT_FALSE(run(4, 3, 4, 1, 64, false, 2));            // rows that overlap
  EXPECT_FALSE(run(4, 4, 0));  // beta C, without a look at A and B
  EXPECT_FALSE(run(4, 4, 4, 0));
  EXPECT_FALSE(run(3, 17, 4, 1, 64, true));             // transposing takes longer
  EXPECT_FALSE(run(4, 64, 128, 1, 128, true, 128));     // more than is copied
  EXPECT_FALSE(run(16, 64, 128, 1, 128, false, 1024));  // crowds the cache, and the same
  EXPECT_EQ(c[0], 7);
  EXPECT_TRUE(run(0, 4, 4));  // no rows
  EXPECT_EQ(c[0], 7);
  EXPECT_TRUE(run(1, 5, 4));
  EXPECT_EQ(c[4], 0);
  EXPECT_EQ(c[5], 7);
}

}  // namespace
}  // namespace mshadow
