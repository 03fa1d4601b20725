// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/transpose.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

template <typename DType>
void CheckT(index_t rows, index_t cols, index_t pad) {
  Guarded<2, DType> a(Shape2(rows, cols), pad, 1), out(Shape2(cols, rows), pad);
  a.FillRandom(0, 3);
  *out = a->T();
  for (index_t i = 0; i < cols; ++i) {
    for (index_t j = 0; j < rows; ++j) ASSERT_EQ((*out)[i][j], (*a)[j][i]) << i << ' ' << j;
  }
  *out += a->T() * 2 + a->T();
  for (index_t i = 0; i < cols; ++i) {
    for (index_t j = 0; j < rows; ++j) {
      ASSERT_NEAR(static_cast<double>((*out)[i][j]), 4.0 * static_cast<double>((*a)[j][i]), 0.1);
    }
  }
  ASSERT_TRUE(out.Intact());
}

TEST(Transpose, EverySizeAroundTheTiles) {
  ForEachIsa([] {
    for (index_t rows : {1u, 2u, 63u, 64u, 65u}) {
      for (index_t cols : {1u, 5u, 64u, 131u}) CheckT<float>(rows, cols, rows % 2);
    }
    CheckT<double>(33, 70, 1);
    CheckT<half::half_t>(33, 70, 1);
    CheckT<uint8_t>(65, 129, 3);
  });
}

TEST(Transpose, LargeOnesOnSeveralThreads) {
  Guarded<2> a(Shape2(700, 513), 1), out(Shape2(513, 700));
  a.FillRandom(-3, 3);
  *out = a->T() * 2.0f;
  for (index_t i = 0; i < 513; ++i) {
    for (index_t j = 0; j < 700; ++j) ASSERT_EQ((*out)[i][j], 2.0f * (*a)[j][i]);
  }
}

TEST(Transpose, OfItselfInPlace) {
  Guarded<2> a(Shape2(5, 5), 2);
  a.FillIota();
  *a = a->T();
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) EXPECT_EQ((*a)[i][j], static_cast<float>(j * 5 + i));
  }
  EXPECT_TRUE(a.Intact());
}

#ifndef MSHADOW_TEST_DEVICE  // has products
TEST(Transpose, OfAnExpression) {
  Guarded<2> a(Shape2(3, 70), 1), b(Shape2(3, 70)), out(Shape2(70, 3)), product(Shape2(70, 70));
  a.FillRandom(-3, 3);
  b.FillRandom(-3, 3, 2);
  ForEachIsa([&] {
    *out = (*a - *b).T();
    *product = dot((*a - *b).T(), *a);
    for (index_t i = 0; i < 70; ++i) {
      for (index_t j = 0; j < 3; ++j) ASSERT_EQ((*out)[i][j], (*a)[j][i] - (*b)[j][i]);
      for (index_t j = 0; j < 70; ++j) {
        double sum = 0;
        for (index_t k = 0; k < 3; ++k) sum += double((*out)[i][k]) * double((*a)[k][j]);
        ASSERT_NEAR((*product)[i][j], sum, 1e-4);
      }
    }
  });
  // An operand that is computed first.
  Guarded<2> small(Shape2(3, 3)), transposed(Shape2(3, 3));
  *small = dot(*a, b->T());
  *transposed = dot(*a, b->T()).T() + 1.0f;
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 3; ++j) EXPECT_EQ((*transposed)[i][j], (*small)[j][i] + 1.0f);
  }
  EXPECT_TRUE(out.Intact());
}
#endif

TEST(Transpose, TwiceIsTheTensorAgain) {
  Tensor<TestDevice, 2> t;
  static_assert(std::is_same_v<decltype(t.T().T()), const Tensor<TestDevice, 2>&>);
}

}  // namespace
}  // namespace mshadow
