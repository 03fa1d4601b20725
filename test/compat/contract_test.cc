// SPDX-License-Identifier: Apache-2.0
// Statements that compiled with mshadow 2.x, in the style of the programs that hold them, and what
// they compute; beside them those that 2.x refused though their meaning is clear.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>

#include "compat/values.h"

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::Iota;
using mshadow::testing::V;
using mshadow::testing::Values;

namespace {

typedef half::half_t H;

// ---- Scalars and element types ---------------------------------------------------------------

template <typename xpu, typename DType>
void ScalarsOnEitherSide() {
  TensorContainer<xpu, 2, DType> a(Shape2(2, 3), DType(1));
  a = a * 2 + 1;
  EXPECT_EQ(Values(a), V(6, 3));
  a += 1;
  EXPECT_EQ(Values(a), V(6, 4));
  a = 3;
  EXPECT_EQ(Values(a), V(6, 3));
  a = 2.0 * a + 5;
  EXPECT_EQ(Values(a), V(6, 11));
  a = -a;  // refused by 2.x
  EXPECT_EQ(Values(a), V(6, -11));
}

TEST(Contract, Scalars) {
  ScalarsOnEitherSide<cpu, float>();
  ScalarsOnEitherSide<cpu, double>();
  ScalarsOnEitherSide<cpu, int64_t>();
}

TEST(Contract, SmallIntegers) {
  TensorContainer<cpu, 1, uint8_t> a(Shape1(5), 250), b(Shape1(5));
  b = a + scalar<uint8_t>(1);
  EXPECT_EQ(Values(b), V(5, 251));
  a += 1;
  EXPECT_EQ(Values(a), V(5, 251));
  a = 4;
  b = a + 1;  // refused by 2.x
  EXPECT_EQ(Values(b), V(5, 5));
  b = 2 * a;
  EXPECT_EQ(Values(b), V(5, 8));
}

TEST(Contract, MixedTypesNeedTcast) {
  TensorContainer<cpu, 2, float> a(Shape2(2, 2), 1.0f);
  TensorContainer<cpu, 2, double> d(Shape2(2, 2), 0.5);
  a = a + tcast<float>(d);
  EXPECT_EQ(Values(a), V(4, 1.5));
  d = tcast<double>(a * 3.0f) + d;
  EXPECT_EQ(Values(d), V(4, 5));
}

TEST(Contract, Half) {
  TensorContainer<cpu, 2, H> a(Shape2(2, 3), H(1.5f)), b(Shape2(2, 3));
  b = a * scalar(H(2)) + a;
  EXPECT_EQ(Values(b), V(6, 4.5));
  b = H(3);
  EXPECT_EQ(Values(b), V(6, 3));
  b = 1.0f;
  EXPECT_EQ(Values(b), V(6, 1));
  b *= H(2);
  EXPECT_EQ(Values(b), V(6, 2));
  TensorContainer<cpu, 1, H> row(Shape1(3));
  row = sum_rows(a);
  EXPECT_EQ(Values(row), V(3, 3));
  row = reduce_except_dim<1, red::maximum>(a);
  EXPECT_EQ(Values(row), V(3, 1.5));
  b = a * 2.0f;  // refused by 2.x, as the next one
  EXPECT_EQ(Values(b), V(6, 3));
  b = H(4) * a + H(1);
  EXPECT_EQ(Values(b), V(6, 7));
}

// ---- Handles and containers ------------------------------------------------------------------

TEST(Contract, TensorsAreHandles) {
  TensorContainer<cpu, 2> container(Shape2(2, 3), 1.0f), other(Shape2(2, 3), 2.0f);
  Tensor<cpu, 2> t;
  t = container;
  t += 1.0f;
  EXPECT_EQ(container[1][2], 2.0f);
  other = 7.0f;
  container[0] = other[0];
  EXPECT_EQ(container[0][0], 7.0f) << "2.x rebinds a temporary, and changes nothing";
  container = 1.0f;
  container[0] = other[0] * 1.0f;
  EXPECT_EQ(container[0][0], 7.0f);
  container = t;  // refused by 2.x
  EXPECT_EQ(container[0][0], 7.0f);
}

TEST(Contract, OneAxisHasTheMembersOfMore) {  // refused by 2.x
  EXPECT_TRUE((Tensor<cpu, 1>::kDevCPU));
  Tensor<cpu, 1> t = NewTensor<cpu>(Shape1(5), 0.0f);
  EXPECT_EQ(t.MemSize<0>(), 5u);
  FreeSpace(&t);
}

// ---- F, ScalarExp and operators --------------------------------------------------------------

TEST(Contract, Functions) {
  TensorContainer<cpu, 2> t(Shape2(2, 3), 2.0f), o(Shape2(2, 3));
  o = F<op::plus>(F<op::identity>(t), ScalarExp(1.0f));
  EXPECT_EQ(Values(o), V(6, 3));
  o = F<op::mul>(2.0f, t);
  EXPECT_EQ(Values(o), V(6, 4));
  o = F<op::right>(t, 3.0f);
  EXPECT_EQ(Values(o), V(6, 3));
  o = F<op::right>(t, 3);
  o = MakeExp<op::minus>(o, t);
  EXPECT_EQ(Values(o), V(6, 1));
  EXPECT_EQ(op::max::Map(int32_t(3), int32_t(-4)), 3);
  EXPECT_EQ(op::min::Map(3.0f, -4.0f), -4.0f);
}

// ---- Expressions may be kept -----------------------------------------------------------------

TEST(Contract, ExpressionsMayBeKept) {
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f), b(Shape2(2, 3), 2.0f), c(Shape2(2, 3));
  auto e = (a + b * 3.0f) * a;
  c = e;  // dangling operands in 2.x
  EXPECT_EQ(Values(c), V(6, 7));
}

// ---- Traits that third parties name ----------------------------------------------------------

TEST(Contract, Traits) {
  typedef Tensor<cpu, 2> T2;
  EXPECT_EQ(ExpInfo<T2>::kDim, 2);
  EXPECT_EQ(ExpInfo<ScalarExp<float>>::kDim, 0);
  EXPECT_EQ(ExpInfo<int>::kDim, -1);
  EXPECT_EQ(ExpInfo<ScalarExp<float>>::kDevMask, 0xffff);
  EXPECT_EQ((ExpInfo<Tensor<gpu, 3>>::kDevMask), gpu::kDevMask);
  EXPECT_TRUE((TypeCheck<cpu, 2, float, T2>::kMapPass));
  EXPECT_FALSE((TypeCheck<gpu, 2, float, T2>::kDevPass));
  EXPECT_TRUE((TypeCheck<cpu, 1, float, T2>::kRedPass));
  TypeCheckPass<true>::Error_All_Tensor_in_Exp_Must_Have_Same_Type();
  TypeCheckPass<true>::Error_TypeCheck_Not_Pass_For_Reduce_Exp();
  TypeCheckPass<TypeCheck<cpu, 2, float, T2>::kMapPass>::
      Error_Expression_Does_Not_Meet_Dimension_Req();
  EXPECT_EQ(type::kRValue | type::kMapper | type::kChainer, 3);
  EXPECT_EQ(type::kComplex, 7);
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f);
  EXPECT_EQ((ShapeCheck<2, T2>::Check(a)), Shape2(2, 3));
  EXPECT_EQ(MakePlan(a + 1.0f).Eval(1, 2), 2.0f);
  Plan<T2, float> plan(a);
  plan.REval(1, 2) = 5.0f;
  EXPECT_EQ(a[1][2], 5.0f);
}

TEST(Contract, MapExpAndMapPlan) {
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f), b(Shape2(2, 3), 2.0f);
  Tensor<cpu, 2> dst = a;
  MapExp<sv::plusto>(&dst, b * 2.0f);
  EXPECT_EQ(Values(a), V(6, 5));
  MapPlan<sv::saveto>(&dst, MakePlan(b + 1.0f));
  EXPECT_EQ(Values(a), V(6, 3));
}

TEST(Contract, ShapesPrintAsTuples) {
  std::ostringstream stream;
  stream << Shape1(3) << Shape2(2, 3);
  EXPECT_EQ(stream.str(), "(3,)(2,3)");
}

}  // namespace
