// SPDX-License-Identifier: Apache-2.0
// dot, reductions, extensions and functions as programs for mshadow 2.x call them, with the values
// that 2.x computed, or should have.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>


#include "compat/values.h"

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::Iota;
using mshadow::testing::V;
using mshadow::testing::Values;

namespace {

typedef half::half_t H;

// ---- dot -------------------------------------------------------------------------------------

template <typename xpu, typename DType>
void Products() {
  TensorContainer<xpu, 2, DType> a(Shape2(2, 3)), b(Shape2(2, 3)), c(Shape2(3, 3), DType(1));
  Iota(static_cast<Tensor<xpu, 2, DType> &>(a));     // 0 1 2 / 3 4 5
  Iota(static_cast<Tensor<xpu, 2, DType> &>(b), 1);  // 1 2 3 / 4 5 6
  c += 2.0 * dot(a.T(), b);
  EXPECT_EQ(Values(c), (V{25, 31, 37, 35, 45, 55, 45, 59, 73}));
  TensorContainer<xpu, 2, DType> d(Shape2(2, 2), DType(0));
  d -= dot(a, b.T()) * 3.0f;
  EXPECT_EQ(Values(d), (V{-24, -51, -78, -186}));
  d = dot(a, b.T());
  EXPECT_EQ(Values(d), (V{8, 17, 26, 62}));
  TensorContainer<xpu, 1, DType> w(Shape1(3), DType(2)), v(Shape1(2));
  v = dot(w, a.T());
  EXPECT_EQ(Values(v), (V{6, 24}));
  TensorContainer<xpu, 1, DType> u(Shape1(3));
  u = dot(v, a);
  EXPECT_EQ(Values(u), (V{72, 102, 132}));
  // The outer product; `=` overwrites, which 2.x got wrong.
  TensorContainer<xpu, 2, DType> outer(Shape2(2, 3), DType(100));
  outer = dot(v.T(), w);
  EXPECT_EQ(Values(outer), (V{12, 12, 12, 48, 48, 48}));
  outer += dot(v.T(), w);
  EXPECT_EQ(Values(outer), (V{24, 24, 24, 96, 96, 96}));
}

TEST(Contract, Dot) {
  Products<cpu, float>();
  Products<cpu, double>();
}

TEST(Contract, DotGolden) {
  TensorContainer<cpu, 1> w(Shape1(2), 2.0f), o(Shape1(3));
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f);
  o = dot(w, a);
  EXPECT_EQ(Values(o), V(3, 4));
  o += 2 * dot(w, a);
  EXPECT_EQ(Values(o), V(3, 12));
}

// ---- Reductions ------------------------------------------------------------------------------

TEST(Contract, SumRowsIntoARow) {
  TensorContainer<cpu, 2> s(Shape2(2, 3), 2.0f), m(Shape2(2, 3), 0.0f);
  m[1] = sum_rows(s);
  EXPECT_EQ(Values(m), (V{0, 0, 0, 4, 4, 4}));
}

TEST(Contract, SumRowsGolden) {
  TensorContainer<cpu, 2> s(Shape2(2, 3), 2.0f);
  TensorContainer<cpu, 1> o(Shape1(3), 10.0f);
  o *= sum_rows(s);
  EXPECT_EQ(Values(o), V(3, 40));
  o /= 2 * sum_rows(s);
  EXPECT_EQ(Values(o), V(3, 5));
  o -= sum_rows(s + 1) * 0.5;
  EXPECT_EQ(Values(o), V(3, 2));
}

// ---- Extensions ------------------------------------------------------------------------------

class Golden : public ::testing::Test {
 protected:
  Golden() : x5(Shape2(5, 5)), v(Shape2(2, 3)), b1(Shape1(3)) {
    Iota(static_cast<Tensor<cpu, 2> &>(x5));
    Iota(static_cast<Tensor<cpu, 2> &>(v));
    Iota(static_cast<Tensor<cpu, 1> &>(b1));
  }
  template <typename E, int etype, int dim>
  static V Of(const Exp<E, float, etype> &exp, Shape<dim> shape) {
    TensorContainer<cpu, dim> result(shape, -99.0f);
    result = exp;
    return Values(result);
  }
  TensorContainer<cpu, 2> x5, v;
  TensorContainer<cpu, 1> b1;
};

TEST_F(Golden, Pool) {
  EXPECT_EQ(Of(pool<red::maximum>(x5, 2, 2, 2, 2), Shape2(2, 2)), (V{6, 8, 16, 18}));
  EXPECT_EQ(Of(pool<red::maximum>(x5, 2, 2, 2), Shape2(2, 2)), (V{6, 8, 16, 18}));
  EXPECT_EQ(Of(pool<red::maximum>(x5, Shape2(3, 3), 2, 2, 2, 2), Shape2(3, 3)),
            (V{6, 8, 9, 16, 18, 19, 21, 23, 24}));
  EXPECT_EQ(Of(pool<red::sum>(x5, Shape2(3, 3), 2, 2, 2, 2), Shape2(3, 3)),
            (V{12, 20, 13, 52, 60, 33, 41, 45, 24}));
  EXPECT_EQ(Of(pool<red::sum>(x5, Shape2(3, 3), 2, 2, 2), Shape2(3, 3)),
            (V{12, 20, 13, 52, 60, 33, 41, 45, 24}));
  // The reducer's initial value in 2.x: windows that hold no element.
  EXPECT_THROW(Of(pool<red::maximum>(x5, Shape2(4, 4), 2, 2, 2, 2), Shape2(4, 4)), Error);
}

TEST_F(Golden, Unpool) {
  TensorContainer<cpu, 2> ones(Shape2(4, 4), 1.0f), pooled(Shape2(2, 2), 1.0f),
      grad(Shape2(2, 2), 5.0f);
  EXPECT_EQ(Of(unpool<red::maximum>(ones, pooled, grad, 2, 2, 2, 2), Shape2(4, 4)), V(16, 5));
  EXPECT_EQ(Of(unpool<red::maximum>(ones, pooled, grad, 2, 2, 2), Shape2(4, 4)), V(16, 5));
  // refused by 2.x: operands of different types
  EXPECT_EQ(Of(unpool<red::maximum>(ones, pooled, grad * 2.0f, 2, 2, 2, 2), Shape2(4, 4)),
            V(16, 10));
}

TEST_F(Golden, BroadcastAndTranspose) {
  EXPECT_EQ(Of(broadcast<1>(b1, Shape2(2, 3)), Shape2(2, 3)), (V{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(Of(broadcast<0>(b1, Shape2(3, 2)), Shape2(3, 2)), (V{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(Of(repmat(b1, 2), Shape2(2, 3)), (V{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(Of(v.T(), Shape2(3, 2)), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Of(reshape(v, Shape2(3, 2)), Shape2(3, 2)), (V{0, 1, 2, 3, 4, 5}));
}

TEST_F(Golden, CropAndMirror) {
  EXPECT_EQ(Of(crop(x5, Shape2(2, 2)), Shape2(2, 2)), (V{6, 7, 11, 12}));
  EXPECT_EQ(Of(crop(x5, Shape2(2, 2), 3, 3), Shape2(2, 2)), (V{18, 19, 23, 24}));
  EXPECT_EQ(Of(mirror(v), Shape2(2, 3)), (V{2, 1, 0, 5, 4, 3}));
  TensorContainer<cpu, 2> a(Shape2(2, 4));
  Iota(static_cast<Tensor<cpu, 2> &>(a));
  a = mirror(a);  // 2.x gave 3 2 2 3
  EXPECT_EQ(Values(a), (V{3, 2, 1, 0, 7, 6, 5, 4}));
}

TEST_F(Golden, ImplicitDot) {
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f);
  EXPECT_EQ(Of(implicit_dot(a, v.T()) + 1.0f, Shape2(2, 2)), (V{4, 13, 4, 13}));
}

// ---- Functions on whole tensors --------------------------------------------------------------

template <typename DType>
void SoftmaxOfContainers() {
  TensorContainer<cpu, 2, DType> in(Shape2(2, 4), DType(0.5f)), out(Shape2(2, 4));
  Softmax(out, in);
  EXPECT_EQ(Values(out), V(8, 0.25));
}

TEST(Contract, BatchGEMM) {
  TensorContainer<cpu, 3> a(Shape3(2, 2, 4), 1.0f), b(Shape3(2, 4, 4), 2.0f);
  TensorContainer<cpu, 3> c(Shape3(2, 2, 4), 1.0f);
  TensorContainer<cpu, 1, float *> workspace(Shape1(3 * 2));
  BatchGEMM<false, false>(c, a, b, 1.0f, 2.0f, workspace);
  EXPECT_EQ(Values(c), V(16, 10));
}

TEST(Contract, FunctionsTakeContainers) {
  SoftmaxOfContainers<float>();
  SoftmaxOfContainers<H>();
  TensorContainer<cpu, 1> values(Shape1(5)), segments(Shape1(5));
  const float unsorted[] = {3, 1, 2, 5, 4}, in_segment[] = {1, 0, 1, 0, 1};
  for (int i = 0; i < 5; ++i) {
    values[i] = unsorted[i];
    segments[i] = in_segment[i];
  }
  VectorizedSort(values, segments);
  EXPECT_EQ(Values(values), (V{1, 5, 2, 3, 4}));
  EXPECT_EQ(Values(segments), (V{0, 0, 1, 1, 1}));
}

}  // namespace
