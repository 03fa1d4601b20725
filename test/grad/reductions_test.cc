// SPDX-License-Identifier: Apache-2.0
#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

#define REDUCTION_(name, low, high)                                                      \
  TEST(GradientOf, name) {                                                               \
    Filled<2> x(Shape2(3, 5), low, high);                                                \
    CheckGradient([](Tape& t, auto& a) { return t(name<0>(a * a * 0.5)); }, x);          \
    CheckGradient([](Tape& t, auto& a) { return t(sin(a - name<1>(a * 2.0)) * a); }, x); \
  }
REDUCTION_(sum, -1, 1)
REDUCTION_(mean, -1, 1)
REDUCTION_(max, -1, 1)
REDUCTION_(min, -1, 1)
REDUCTION_(var, -1, 1)
REDUCTION_(stddev, -1, 1)
REDUCTION_(norm, -1, 1)
REDUCTION_(prod, 0.3, 1)
REDUCTION_(logsumexp, -1, 1)
#undef REDUCTION_

TEST(GradientOf, SeveralAxesAndAll) {
  Filled<3> x(Shape3(2, 3, 4), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(a * sum<0, 2>(a)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(sum_all(a * a) + mean_all(a)); }, x);
}
TEST(GradientOf, sum_rows) {
  Filled<2> x(Shape2(3, 5), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(sum_rows(a * a) * 2.0); }, x);
}
TEST(GradientOf, ProductsWithZeros) {
  Parameter<cpu, 2, double> x(Shape2(3, 3));
  const double values[] = {2, 0, 3, 0, 0, 4, 2, 3, 4}, expected[] = {0, 6, 0, 0, 0, 0, 12, 8, 6};
  for (index_t i = 0; i < 9; ++i) x.value(i / 3, i % 3) = values[i];
  Tape t;
  t.Backward(t(prod<1>(x)));
  for (index_t i = 0; i < 9; ++i) EXPECT_EQ(x.grad()(i / 3, i % 3), expected[i]) << i;
}
TEST(GradientOf, EqualMaxima) {
  Parameter<cpu, 2, double> x(Shape2(2, 4), 1.0);
  x.value(1, 3) = 2.0;
  Tape t;
  t.Backward(t(max<1>(x)));
  EXPECT_EQ(x.grad()(0, 2), 0.25);
  EXPECT_EQ(x.grad()(1, 2), 0.0);
  EXPECT_EQ(x.grad()(1, 3), 1.0);
}

TEST(GradientOf, RowsOfZeros) {
  Parameter<cpu, 2, double> x(Shape2(2, 3));
  x.value[1] = 2.0;
  Tape t;
  t.Backward(t(norm<1>(x) + stddev<1>(x)));
  EXPECT_EQ(x.grad()(0, 1), 0.0);
  EXPECT_NEAR(x.grad()(1, 1), 1 / std::sqrt(3.0), 1e-12);
}
TEST(GradientOf, IndicesAreConstants) {
  Filled<2> x(Shape2(3, 5), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(tcast<double>(argmax<1>(a)) + sum<1>(a)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(argmin<double>(a, 0) * t(sum<0>(a))); }, x);
}
TEST(GradientOf, CrossEntropyLeavesOut) {
  Filled<2> x(Shape2(3, 4), -1, 1);
  const TensorContainer<cpu, 1, double> labels({2, -1, 4});
  CheckGradient([&](Tape& t, auto& a) { return t(cross_entropy(a, labels)); }, x);
  const TensorContainer<cpu, 1, double> loss = cross_entropy(x.value, labels);  // of tensors
  EXPECT_GT(loss[0], 0.0);
  EXPECT_EQ(loss[1], 0.0);
  EXPECT_EQ(loss[2], 0.0);
}

TEST(GradientOf, StepsOfNetworks) {
  Filled<2> x(Shape2(4, 6), -1, 1);
  Filled<1> gamma(Shape1(6), 0.5, 1.5), beta(Shape1(6), -1, 1, 2);
  const TensorContainer<cpu, 1, double> labels({0, 3, 5, 2});
  CheckGradient([](Tape& t, auto& a) { return t(softmax<1>(a * 2.0)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(softmax<0>(a) * a); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(log_softmax<1>(a)); }, x);
  CheckGradient([&](Tape& t, auto& a) { return t(cross_entropy(a, labels)); }, x);
  CheckGradient([](Tape& t, auto& a, auto& g, auto& b) { return t(layer_norm(a, g, b)); }, x, gamma,
                beta);
}

}  // namespace
}  // namespace mshadow
