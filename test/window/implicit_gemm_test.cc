// SPDX-License-Identifier: Apache-2.0
#include <mshadow/window/implicit_gemm.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

template <typename DType>
void CheckImplicitGemm(index_t m, index_t k, index_t n, index_t pad) {
  Guarded<2, DType> a(Shape2(m, k), pad, 1), bt(Shape2(n, k), pad), out(Shape2(m, n), pad);
  a.FillRandom(0, 3);
  bt.FillRandom(0, 3, 2);
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<DType>(int(a.At(i)));
  for (std::size_t i = 0; i < bt.Size(); ++i) bt.At(i) = static_cast<DType>(int(bt.At(i)));
  *out = implicit_dot(*a + 1, bt->T()) + 1;
  *out += implicit_dot(*a, bt->T());
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      double want = 1;
      for (index_t l = 0; l < k; ++l) {
        const double x = static_cast<double>((*a)[i][l]), y = static_cast<double>((*bt)[j][l]);
        want += (x + 1) * y + x * y;
      }
      ASSERT_EQ(static_cast<double>((*out)[i][j]), want) << i << ' ' << j;
    }
  }
  ASSERT_TRUE(out.Intact());
}

TEST(ImplicitDot, OfExpressionsInsideExpressionsForEveryType) {
  ForEachIsa([] {
    for (index_t pad : {0u, 3u}) {
      CheckImplicitGemm<float>(3, 5, 17, pad);
      CheckImplicitGemm<double>(1, 1, 1, pad);
      CheckImplicitGemm<half::half_t>(4, 3, 9, pad);
      CheckImplicitGemm<int32_t>(2, 7, 33, pad);
      CheckImplicitGemm<uint8_t>(2, 3, 5, pad);
    }
  });
}

TEST(ImplicitDot, HalfSumsInFloat) {
  // 4096 ones: a sum in half would stop at 2048.
  Guarded<2, half::half_t> a(Shape2(1, 4096)), b(Shape2(4096, 1)), out(Shape2(1, 1));
  *a = 1.0f;
  *b = 1.0f;
  *out = implicit_dot(*a, *b);
  EXPECT_EQ(static_cast<float>(out.At(0)), 4096.0f);
}

TEST(ImplicitDot, TheDestinationMayBeAnOperand) {
  Guarded<2> a(Shape2(2, 2));
  a.FillIota();
  *a = implicit_dot(*a, *a);
  EXPECT_EQ(a.At(0), 2.0f);
  EXPECT_EQ(a.At(3), 11.0f);
}

TEST(ImplicitDot, AMismatchNamesBothShapes) {
  Guarded<2> a(Shape2(2, 3)), out(Shape2(2, 3));
  try {
    *out = implicit_dot(*a, *a);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("lhs (2,3), rhs (2,3)"), std::string::npos) << e.what();
  }
  EXPECT_THROW((*out = implicit_dot(*a, a->T())), Error) << "a (2,2) result for a (2,3) target";
}

// Sums of several rows at a time, in several buffers; begun within a row.
TEST(ImplicitDot, WideRows) {
  ForEachIsa([] {
    for (index_t inner : {1, 4, 7}) {
      Guarded<2> a(Shape2(3, inner), 1), b(Shape2(inner, 1301), 2), out(Shape2(3, 1301));
      FillWhole(a, 5);
      FillWhole(b, 7);
      std::vector<double> expected;
      for (index_t y = 0; y < 3; ++y) {
        for (index_t x = 0; x < 1301; ++x) {
          double sum = 0;
          for (index_t k = 0; k < inner; ++k) sum += (*a)[y][k] * (*b)[k][x];
          expected.push_back(sum);
        }
      }
      *out = implicit_dot(*a, *b);
      ExpectValues(out, expected);
      *out = implicit_dot(*a, *b * 1.0f);
      ExpectValues(out, expected);
    }
  });
}

TEST(ImplicitDot, AnEmptySumIsZero) {
  Guarded<2> a(Shape2(2, 0)), b(Shape2(0, 3)), out(Shape2(2, 3));
  *out = implicit_dot(*a, *b) + 1.0f;
  EXPECT_EQ(out.At(5), 1.0f);
}

}  // namespace
}  // namespace mshadow
