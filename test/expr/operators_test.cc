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
