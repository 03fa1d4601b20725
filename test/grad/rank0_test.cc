// SPDX-License-Identifier: Apache-2.0
// A tensor of rank 0 beside Variables is a constant, read where it lies.
#include <gtest/gtest.h>
#include <mshadow/complex.h>
#include <mshadow/grad.h>
#include <mshadow/rank0.h>

#include <cmath>

namespace mshadow {
namespace {

using namespace expr;

TEST(Rank0, IsAConstantOfATape) {
  TensorContainer<cpu, 2> w({{1, 2, 3}, {4, 5, 6}}), dw(Shape2(2, 3), 0.0f);
  TensorContainer<cpu, 0> s(4.0f);
  Tape tape;
  const Variable<cpu, 2, float> x(w, dw);
  const auto loss = tape(sum_all(x * x * s + s));
  EXPECT_EQ(loss.value[0], 91 * 4 + 6 * 4);
  tape.Backward(loss);
  for (index_t i = 0; i < 6; ++i) EXPECT_EQ(dw(i / 3, i % 3), 8 * w(i / 3, i % 3));
}

TEST(Rank0, IsAConstantOfAStatement) {
  TensorContainer<cpu, 1> w({1, 2, 3}), dw(Shape1(3), 0.0f), dy(Shape1(3), 1.0f);
  TensorContainer<cpu, 0> s(4.0f);
  AddGradient(exp(Variable<cpu, 1, float>(w, dw) * 0.0f + s) * s / Variable<cpu, 1, float>(w, dw),
              dy);
  for (index_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(dw[i], -4 * std::exp(4.0) / (w[i] * w[i]), 1e-3);
  }
}

TEST(Rank0, OfComplexElementsIsAConstant) {
  using Complex = std::complex<double>;
  Parameter<cpu, 1, Complex> z(Shape1(3), Complex(1, 2));
  const TensorContainer<cpu, 0, Complex> s = Complex(2, 1);
  Tape tape;
  tape.Backward(tape(sum_all(real(z * s / 2.0) + imag(s * z))));
  for (index_t i = 0; i < 3; ++i) EXPECT_EQ(z.grad()[i], Complex(2, -1) * Complex(0.5, 1));
}

}  // namespace
}  // namespace mshadow
