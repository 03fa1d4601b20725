// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/scalar_operand.h>

#include <cmath>
#include <limits>
#include <string>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ErrorOf;
using mshadow::testing::Guarded;

/// Ends of the range, their neighbours, and a row that becomes vectors.
template <typename DType>
std::vector<DType> Elements() {
  using Limits = std::numeric_limits<DType>;
  std::vector<DType> all = {Limits::lowest(), DType(Limits::lowest() + 1), DType(Limits::max() - 1),
                            Limits::max(), DType(0), DType(1)};
  for (int i = 90; i < 130; ++i) all.push_back(static_cast<DType>(i));
  return all;
}

/// Both orders of a comparison, beside the comparison of long double, which holds all integers.
template <typename OP, typename DType, typename S, typename Compare>
void CheckComparison(S s, const Compare& compare) {
  const std::vector<DType> elements = Elements<DType>();
  const index_t n = static_cast<index_t>(elements.size());
  Guarded<1, DType> a(Shape1(n)), out(Shape1(n)), turned(Shape1(n));
  for (index_t i = 0; i < n; ++i) a.At(i) = elements[i];
  *out = F<OP>(*a, s);
  *turned = F<OP>(s, *a);
  for (index_t i = 0; i < n; ++i) {
    const long double x = static_cast<long double>(a.At(i));
    const long double y = static_cast<long double>(s);
    ASSERT_EQ(out.At(i), DType(compare(x, y) ? 1 : 0)) << double(x) << " " << double(y);
    ASSERT_EQ(turned.At(i), DType(compare(y, x) ? 1 : 0)) << double(y) << " " << double(x);
  }
}
template <typename DType, typename S>
void CheckComparisons(S s) {
  using Number = long double;
  CheckComparison<op::eq, DType>(s, [](Number a, Number b) { return a == b; });
  CheckComparison<op::ne, DType>(s, [](Number a, Number b) { return a != b; });
  CheckComparison<op::lt, DType>(s, [](Number a, Number b) { return a < b; });
  CheckComparison<op::le, DType>(s, [](Number a, Number b) { return a <= b; });
  CheckComparison<op::gt, DType>(s, [](Number a, Number b) { return a > b; });
  CheckComparison<op::ge, DType>(s, [](Number a, Number b) { return a >= b; });
}
template <typename DType>
void CheckScalars() {
  SCOPED_TRACE(std::to_string(sizeof(DType)) + (std::is_signed_v<DType> ? " signed" : " unsigned"));
  for (int s : {-300, -129, -128, -1, 0, 1, 2, 100, 127, 128, 255, 256, 300, 65536, -32769}) {
    CheckComparisons<DType>(s);
  }
  for (double s : {-1.5, -0.5, 0.0, 0.5, 100.0, 100.5, 127.5, 254.5, 255.5, 256.0, 65535.5, 4e9,
                   2147483647.5, -2147483648.5, 9223372036854775808.0, 1.8446744073709552e19, 1e300,
                   -1e300}) {
    CheckComparisons<DType>(s);
    CheckComparisons<DType>(static_cast<float>(s));
  }
  CheckComparisons<DType>(std::numeric_limits<double>::infinity());
  CheckComparisons<DType>(-std::numeric_limits<float>::infinity());
  CheckComparisons<DType>(std::numeric_limits<float>::quiet_NaN());
  CheckComparisons<DType>(std::numeric_limits<int64_t>::min());
  CheckComparisons<DType>(std::numeric_limits<int64_t>::max());
  CheckComparisons<DType>(std::numeric_limits<uint64_t>::max());
  CheckComparisons<DType>(half::half_t(100.5f));
}

TEST(ScalarOperand, ComparisonsTakeEveryNumber) {
  CheckScalars<uint8_t>();
  CheckScalars<int8_t>();
  CheckScalars<int16_t>();
  CheckScalars<uint16_t>();
  CheckScalars<int32_t>();
  CheckScalars<uint32_t>();
  CheckScalars<int64_t>();
  CheckScalars<uint64_t>();
}

// A std::vector of bool has no memory of bools: not a Guarded.
template <typename OP, typename S>
void CheckBools(S s, bool of_false, bool of_true) {
  bool memory[2] = {false, true}, result[2];
  Tensor<cpu, 1, bool> a(memory, Shape1(2)), out(result, Shape1(2));
  out = F<OP>(a, s);
  EXPECT_EQ(out[0], of_false);
  EXPECT_EQ(out[1], of_true);
}
TEST(ScalarOperand, ComparisonsOfBools) {
  CheckBools<op::eq>(2, false, false);
  CheckBools<op::ne>(2, true, true);
  CheckBools<op::lt>(0.5, true, false);
  CheckBools<op::ge>(-1, true, true);
  CheckBools<op::le>(0, true, false);
  CheckBools<op::eq>(true, false, true);
}

TEST(ScalarOperand, LimitsBeyondTheRange) {
  Guarded<1, uint8_t> a(Shape1(3)), out(Shape1(3));
  a.At(0) = 0;
  a.At(1) = 100;
  a.At(2) = 255;
  const auto expect = [&](int first, int second, int third) {
    EXPECT_EQ(out.At(0), first);
    EXPECT_EQ(out.At(1), second);
    EXPECT_EQ(out.At(2), third);
  };
  *out = F<op::min>(*a, 256);
  expect(0, 100, 255);
  *out = F<op::min>(1e30, *a);
  expect(0, 100, 255);
  *out = F<op::max>(*a, -1);
  expect(0, 100, 255);
  *out = F<op::max>(*a, -std::numeric_limits<float>::infinity());
  expect(0, 100, 255);
  *out = F<op::max>(*a, 7.0);
  expect(7, 100, 255);
  *out = F<op::clip>(*a, -1, 300);
  expect(0, 100, 255);
  *out = F<op::clip>(*a, 50, 1000.5f);
  expect(50, 100, 255);
}

TEST(ScalarOperand, LimitsThatAResultCannotBe) {
  Guarded<1, uint8_t> a(Shape1(3)), out(Shape1(3));
  *out = 5;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ErrorOf([&] { *out = F<op::min>(*a, -5); }),
            "mshadow: no element of type uint8_t equals the scalar -5; convert the expression with "
            "tcast<T>(expression), or the scalar with a cast");
  EXPECT_THROW((*out = F<op::max>(*a, 300)), Error);
  EXPECT_THROW((*out = F<op::max>(*a, 1.5)), Error);
  EXPECT_THROW((*out = F<op::min>(*a, nan)), Error);
  EXPECT_THROW((*out = F<op::clip>(*a, 300, 400)), Error);
  EXPECT_THROW((*out = F<op::clip>(*a, nan, 4)), Error);
  EXPECT_THROW((*out = F<op::clip>(*a, 0, -1)), Error);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out.At(i), 5);
}

TEST(ScalarOperand, Truth) {
  Guarded<1, uint8_t> a(Shape1(2)), out(Shape1(2));
  a.At(0) = 0;
  a.At(1) = 3;
  *out = F<op::logical_and>(*a, 256);
  EXPECT_EQ(out.At(0), 0);
  EXPECT_EQ(out.At(1), 1);
  *out = F<op::logical_xor>(0.5, *a);
  EXPECT_EQ(out.At(0), 1);
  EXPECT_EQ(out.At(1), 0);
  *out = F<op::where>(0.5, *a, 7);
  EXPECT_EQ(out.At(0), 0);
  EXPECT_EQ(out.At(1), 3);
  EXPECT_THROW((*out = F<op::where>(*a, 0.5, 7)), Error);
}

TEST(ScalarOperand, FloatsTakeEveryScalar) {
  Guarded<1> a(Shape1(2)), out(Shape1(2));
  a.FillIota();
  *out = F<op::lt>(*a, 0.1) + F<op::min>(*a, 1e300);
  EXPECT_EQ(out.At(0), 1.0f);
  EXPECT_EQ(out.At(1), 1.0f);
}

}  // namespace
}  // namespace mshadow
