// SPDX-License-Identifier: Apache-2.0
// Under UBSan none of these is a report.
#include <mshadow/op/math/wrap.h>

#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

constexpr int kLow = std::numeric_limits<int>::min();
constexpr int kHigh = std::numeric_limits<int>::max();

TEST(Wrap, Scalars) {
  using namespace op::math;
  EXPECT_EQ(Add(kHigh, 1), kLow);
  EXPECT_EQ(Sub(kLow, 1), kHigh);
  EXPECT_EQ(Mul(kLow, -1), kLow);
  EXPECT_EQ(Negative(kLow), kLow);
  EXPECT_EQ(Negative(int8_t(-128)), -128);
  EXPECT_EQ(Mul(uint16_t(65535), uint16_t(65535)), 1);
  EXPECT_EQ(Mul(int16_t(-32768), int16_t(-1)), -32768);
  EXPECT_EQ(Add(std::numeric_limits<int64_t>::max(), int64_t{2}),
            std::numeric_limits<int64_t>::min() + 1);
  EXPECT_EQ(MulAdd(kHigh, 2, 5), 3);
  EXPECT_EQ(MulAdd(2.0f, 3.0f, 0.5f), 6.5f);
  EXPECT_EQ(Add(true, true), true);
}

template <typename DType>
void CheckStatements() {
  using Limits = std::numeric_limits<DType>;
  constexpr index_t n = 71;
  Guarded<2, DType> a(Shape2(1, n)), out(Shape2(1, n));
  const auto wrapped = [](uint64_t value) { return static_cast<DType>(value); };
  for (DType value : {Limits::min(), Limits::max()}) {
    const uint64_t v = static_cast<uint64_t>(value);
    *a = value;
    const auto expect = [&](uint64_t expected) {
      for (index_t i = 0; i < n; ++i) ASSERT_EQ(out.At(i), wrapped(expected));
      ASSERT_TRUE(out.Intact());
    };
    *out = -*a;
    expect(0 - v);
    *out = F<op::abs>(*a);
    expect(std::is_signed_v<DType> && value < 0 ? 0 - v : v);
    *out = F<op::square>(*a);
    expect(v * v);
    *out = *a + *a;
    expect(v + v);
    *out = *a - DType(1) - *a - *a;
    expect(0 - v - 1);
    *out = *a * *a * DType(3);
    expect(v * v * 3);
    *out = value;
    *out += *a;
    *out *= *a;
    *out -= DType(2);
    *out -= *a;
    expect(2 * v * v - 2 - v);
    *out = mask(F<op::identity>((*a)[0].Slice(0, 1)), *a);
    expect(v * v);
  }
}
template <typename DType>
void CheckSums() {
  using Limits = std::numeric_limits<DType>;
  constexpr index_t n = 71;
  Guarded<2, DType> a(Shape2(1, n)), out(Shape2(1, n)), pooled(Shape2(1, n - 2));
  Guarded<1, DType> sum(Shape1(1)), columns(Shape1(n));
  const auto wrapped = [](uint64_t value) { return static_cast<DType>(value); };
  for (DType value : {Limits::min(), Limits::max()}) {
    const uint64_t v = static_cast<uint64_t>(value);
    *a = value;
    *sum = sumall_except_dim<0>(*a);
    ASSERT_EQ(sum.At(0), wrapped(n * v));
    *sum = sumall_except_dim<0>(*a) * DType(3);
    ASSERT_EQ(sum.At(0), wrapped(3 * n * v));
    *columns = sum_rows(*a) * DType(3);
    ASSERT_EQ(columns.At(n - 1), wrapped(3 * v));
    *sum = reduce_with_axis<red::sum, false>(*a, 1);
    ASSERT_EQ(sum.At(0), wrapped(n * v));
    *out = tcast<DType>(cumsum(*a, 1));
    ASSERT_EQ(out.At(n - 1), wrapped(n * v));
    *pooled = pool<red::sum>(*a, 1, 3, 1, 1);
    ASSERT_EQ(pooled.At(1), wrapped(3 * v));
  }
}
TEST(Wrap, Statements) {
  ForEachIsa([] {
    CheckStatements<int8_t>();
    CheckStatements<uint16_t>();
    CheckStatements<int16_t>();
    CheckStatements<int32_t>();
    CheckStatements<int64_t>();
    CheckStatements<uint32_t>();
  });
}
TEST(Wrap, Sums) {
  ForEachIsa([] {
    CheckSums<int8_t>();
    CheckSums<int32_t>();
  });
}

TEST(Wrap, TheLowestNumber) {
  Guarded<1, int> a(Shape1(1)), out(Shape1(1));
  *a = kLow;
  *out = -*a;
  EXPECT_EQ(out.At(0), kLow);
  *out = *a * -1;
  EXPECT_EQ(out.At(0), kLow);
  *out = *a + -1;
  EXPECT_EQ(out.At(0), kHigh);
  *out = F<op::abs>(*a);
  EXPECT_EQ(out.At(0), kLow);
}

TEST(Wrap, Products) {
  TensorContainer<cpu, 2, int> a(Shape2(3, 5), kHigh), b(Shape2(5, 4), kHigh), c(Shape2(3, 4));
  c = dot(a, b);
  EXPECT_EQ(c[2][3], 5);
  c += 3 * dot(a, b);
  EXPECT_EQ(c[2][3], 20);
  c = implicit_dot(a, b);
  EXPECT_EQ(c[2][3], 5);
  TensorContainer<cpu, 2, int> table(Shape2(2, 3), kHigh), rows(Shape2(3, 3), kHigh);
  TensorContainer<cpu, 1, int> index(Shape1(3), 1);
  AddTakeGrad(table, index, rows);
  EXPECT_EQ(table[1][2], -4);
  table = take_grad(index, rows, 2);
  EXPECT_EQ(table[1][2], kHigh - 2);
}

TEST(Wrap, ReducersWithAResidual) {
  volatile int sum = kHigh, residual = 0, other = -1, other_residual = 0;
  red::sum::Reduce(sum, 1, residual);
  EXPECT_EQ(sum, kLow);
  EXPECT_EQ(residual, 0);
  red::sum::Merge(sum, residual, other, other_residual);
  EXPECT_EQ(sum, kHigh);
}

}  // namespace
}  // namespace mshadow
