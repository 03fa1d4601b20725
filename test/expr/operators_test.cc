// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/operators.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

template <typename DType>
class Operators : public ::testing::Test {};
using OperatorDTypes = ::testing::Types<float, double, half::half_t, bfloat::bf16_t, int32_t,
                                        int64_t, int16_t, int8_t, uint8_t>;
TYPED_TEST_SUITE(Operators, OperatorDTypes);

TYPED_TEST(Operators, FourOperatorsWithTensorsAndScalarsOnEitherSide) {
  using DType = TypeParam;
  Guarded<1, DType> a(Shape1(9)), b(Shape1(9)), out(Shape1(9));
  for (std::size_t i = 0; i < 9; ++i) {
    a.At(i) = static_cast<DType>(static_cast<int>(i) + 2);
    b.At(i) = static_cast<DType>(2);
  }
  *out = (*a + *b) * *b - *a / *b;
  for (int i = 0; i < 9; ++i) {
    const double x = i + 2;
    const double half = std::is_integral_v<DType> ? std::floor(x / 2) : x / 2;
    EXPECT_EQ(static_cast<double>(out.At(i)), (x + 2) * 2 - half);
  }
  *out = 2 * (*a + 1) - 1;
  EXPECT_EQ(static_cast<double>(out.At(3)), 2 * 6 - 1);
  *out = 20.0 - *a * 2.0f;
  EXPECT_EQ(static_cast<double>(out.At(3)), 10);
  *out = 30L / *a + 0u;
  EXPECT_EQ(static_cast<double>(out.At(3)), 6);
  *out = 10 + -(*a - 7);
  EXPECT_EQ(static_cast<double>(out.At(3)), 12);
}

TYPED_TEST(Operators, ComparisonsAndLogicGiveOneOrZeroOfTheOperandsType) {
  using DType = TypeParam;
  Guarded<1, DType> a(Shape1(9)), b(Shape1(9)), out(Shape1(9));
  for (std::size_t i = 0; i < 9; ++i) {
    a.At(i) = static_cast<DType>(static_cast<int>(i % 3));
    b.At(i) = static_cast<DType>(static_cast<int>(i / 3));
  }
  using Result = decltype(*a == *b);
  static_assert(std::is_base_of_v<Exp<Result, DType, type::kMapper>, Result>);
  // Every result is a digit of a sum, so that a swapped one shows.
  *out = (*a == *b) + 2 * (*a != *b) + 4 * (*a < *b) + 8 * (*a <= *b) + 16 * (*a > *b) +
         32 * (*a >= *b);
  for (int i = 0; i < 9; ++i) {
    const int x = i % 3, y = i / 3;
    EXPECT_EQ(static_cast<int>(static_cast<float>(out.At(i))),
              (x == y) + 2 * (x != y) + 4 * (x < y) + 8 * (x <= y) + 16 * (x > y) + 32 * (x >= y))
        << i;
  }
  *out = (*a == 1) + 2 * (1 != *b) + 4 * (*a < 1.5) + 8 * (1.5 <= *b) + 16 * (*a > -1) +
         32 * (1 >= *b);
  for (int i = 0; i < 9; ++i) {
    const int x = i % 3, y = i / 3;
    EXPECT_EQ(static_cast<int>(static_cast<float>(out.At(i))),
              (x == 1) + 2 * (y != 1) + 4 * (x < 2) + 8 * (y >= 2) + 16 + 32 * (y <= 1))
        << i;
  }
  *out = (*a && *b) + 2 * (*a || *b) + 4 * !*a + 8 * (*a && true) + 16 * (0 || *b) +
         32 * (*a % 2);
  for (int i = 0; i < 9; ++i) {
    const int x = i % 3, y = i / 3;
    EXPECT_EQ(static_cast<int>(static_cast<float>(out.At(i))),
              (x && y) + 2 * (x || y) + 4 * !x + 8 * (x != 0) + 16 * (y != 0) + 32 * (x % 2))
        << i;
  }
}

TEST(Operators, NaNIsTrueAndEqualsNothing) {
  Guarded<1> a(Shape1(1)), out(Shape1(1));
  a.At(0) = std::nanf("");
  *out = (*a == *a) + 2 * (*a != *a) + 4 * !*a + 8 * (*a && 1) + 16 * (*a < 1) + 32 * (1 <= *a);
  EXPECT_EQ(out.At(0), 2 + 8);
}

TEST(Operators, ModHasTheSignOfTheDivisor) {
  Guarded<1> a(Shape1(2)), out(Shape1(2));
  a.At(0) = -1;
  a.At(1) = 5;
  *out = *a % 3;
  EXPECT_EQ(out.At(0), 2);
  EXPECT_EQ(out.At(1), 2);
  *out = -7 % *a;
  EXPECT_EQ(out.At(1), 3);
}

// A mask of a mask, beside an expression that is no map.
TEST(Operators, ComparisonsOfEveryKindOfExpression) {
  Guarded<2> a(Shape2(3, 4)), b(Shape2(4, 3)), out(Shape2(3, 4));
  a.FillIota();
  b.FillIota();
  *out = (*a > 4.5f) && ((*b).T() <= *a) && !(*a == 7);
  for (int i = 0; i < 12; ++i) {
    const int transposed = i % 4 * 3 + i / 4;
    EXPECT_EQ(out.At(i), i > 4.5 && transposed <= i && i != 7) << i;
  }
}

TEST(OperatorsOfScalars, TakeTheTypeOfTheExpression) {
  Tensor<TestDevice, 1, uint8_t> t;
  using Sum = decltype(t + 1.5);
  static_assert(std::is_base_of_v<Exp<Sum, uint8_t, type::kMapper>, Sum>);
}

TEST(OperatorsOfScalars, DoNotTouchOtherTypes) {
  EXPECT_EQ(std::string("a") + "b", "ab");
  EXPECT_EQ(static_cast<float>(half::half_t(2.0f) * 3.0f), 6.0f);
}

}  // namespace
}  // namespace mshadow
