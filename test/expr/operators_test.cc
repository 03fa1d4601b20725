// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/operators.h>

#include <cmath>

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

/// Element i of a vector expression, without the loops of a statement.
template <typename E>
int ElementOf(const E& e, index_t i) {
  return static_cast<int>(static_cast<float>(MakePlan(e).Eval(0, i)));
}

TYPED_TEST(Operators, ComparisonsAndLogicGiveOneOrZeroOfTheOperandsType) {
  using DType = TypeParam;
  Guarded<1, DType> a_memory(Shape1(9)), b_memory(Shape1(9));
  for (std::size_t i = 0; i < 9; ++i) {
    a_memory.At(i) = static_cast<DType>(static_cast<int>(i % 3));
    b_memory.At(i) = static_cast<DType>(static_cast<int>(i / 3));
  }
  const auto a = *a_memory, b = *b_memory;
  using Result = decltype(a == b);
  static_assert(std::is_base_of_v<Exp<Result, DType, type::kMapper>, Result>);
  for (index_t i = 0; i < 9; ++i) {
    SCOPED_TRACE(i);
    const int x = static_cast<int>(i % 3), y = static_cast<int>(i / 3);
    EXPECT_EQ(ElementOf(a == b, i), x == y);
    EXPECT_EQ(ElementOf(a != b, i), x != y);
    EXPECT_EQ(ElementOf(a < b, i), x < y);
    EXPECT_EQ(ElementOf(a <= b, i), x <= y);
    EXPECT_EQ(ElementOf(a > b, i), x > y);
    EXPECT_EQ(ElementOf(a >= b, i), x >= y);
    EXPECT_EQ(ElementOf(a == 1, i), x == 1);
    EXPECT_EQ(ElementOf(1 != b, i), y != 1);
    EXPECT_EQ(ElementOf(a < 1.5, i), x < 1.5);
    EXPECT_EQ(ElementOf(1.5 <= b, i), 1.5 <= y);
    EXPECT_EQ(ElementOf(a > -1, i), 1);
    EXPECT_EQ(ElementOf(1 >= b, i), 1 >= y);
    EXPECT_EQ(ElementOf(a && b, i), x && y);
    EXPECT_EQ(ElementOf(a || b, i), x || y);
    EXPECT_EQ(ElementOf(!a, i), !x);
    EXPECT_EQ(ElementOf(a && true, i), x != 0);
    EXPECT_EQ(ElementOf(0 || b, i), y != 0);
    EXPECT_EQ(ElementOf(a % 2, i), x % 2);
    EXPECT_EQ(ElementOf(7 % (b + 1), i), 7 % (y + 1));
    EXPECT_EQ(ElementOf(a % (b + 1), i), x % (y + 1));
  }
}

TEST(OperatorsOfFloats, NaNIsTrueAndEqualsNothing) {
  Guarded<1> memory(Shape1(1));
  memory.At(0) = std::nanf("");
  const auto a = *memory;
  EXPECT_EQ(ElementOf(a == a, 0), 0);
  EXPECT_EQ(ElementOf(a != a, 0), 1);
  EXPECT_EQ(ElementOf(!a, 0), 0);
  EXPECT_EQ(ElementOf(a && 1, 0), 1);
  EXPECT_EQ(ElementOf(a < 1, 0), 0);
  EXPECT_EQ(ElementOf(1 <= a, 0), 0);
}

TEST(OperatorsOfFloats, ModHasTheSignOfTheDivisor) {
  Guarded<1> memory(Shape1(2));
  memory.At(0) = -1;
  memory.At(1) = 5;
  const auto a = *memory;
  EXPECT_EQ(ElementOf(a % 3, 0), 2);
  EXPECT_EQ(ElementOf(a % -3, 1), -1);
  EXPECT_EQ(ElementOf(-7 % a, 1), 3);
}

// A mask of a mask, beside an expression that is no map.
TEST(OperatorsOfFloats, ComparisonsOfEveryKindOfExpression) {
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
