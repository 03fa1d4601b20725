// SPDX-License-Identifier: Apache-2.0
// What guide/gradients.md promises where a gradient is not the limit of a quotient.
#include "check_gradient.h"

#include <limits>

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

TEST(GradientRules, EqualExtremesShare) {
  Parameter<cpu, 1, double> v(Shape1(2), 2.0);
  const TensorContainer<cpu, 1, double> c({2, 3});
  Tape t;
  t.Backward(t(minimum(v, c)));
  EXPECT_EQ(v.grad()[0], 0.5);
  EXPECT_EQ(v.grad()[1], 1.0);
  v.ZeroGradient();
  t.Backward(t(maximum(v, v)));  // one tensor twice: half and half
  EXPECT_EQ(v.grad()[0], 1.0);
  v.ZeroGradient();
  t.Backward(t(min<0>(reshape(v, Shape2(2, 1)))));
  EXPECT_EQ(v.grad()[1], 0.5);
}
TEST(GradientRules, OneTensorSeveralTimes) {
  Filled<2> x(Shape2(3, 3), 0.5, 1.5);
  CheckGradient([](Tape& t, auto& a) { return t(a * a / (a + a) - a); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(dot(a, a) * a); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(concat<0>(a, a) * 2.0); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(where(a > 1.0, a, a * a)); }, x);
}
TEST(GradientRules, IntegersAreConstants) {
  Filled<1> x(Shape1(4), 0.1, 0.9);
  const TensorContainer<cpu, 1, int> k({1, -2, 0, 3});
  CheckGradient([&](Tape& t, auto& a) { return t(a * tcast<double>(k) + a); }, x);
  CheckGradient([&](Tape& t, auto& a) { return t(a + tcast<double>(tcast<int>(a))); }, x);
}
TEST(GradientRules, Empties) {
  Parameter<cpu, 2, double> none(Shape2(3, 0)), w(Shape2(0, 2));
  Parameter<cpu, 1, double> b(Shape1(2), 1.0);
  Tape t;
  t.Backward(t(dot(none, w) + b));  // a sum over nothing is 0
  EXPECT_EQ(none.grad().shape_, Shape2(3, 0));
  EXPECT_EQ(w.grad().shape_, Shape2(0, 2));
  EXPECT_EQ(b.grad()[1], 3.0);
  t.Backward(t(sum<1>(none * 2.0) + prod<1>(none)));
  t.Backward(t(sum_all(none)));
}
TEST(GradientRules, TemporariesAreOwned) {
  Filled<2> x(Shape2(3, 4), -1, 1);
  const auto labels = [] { return TensorContainer<cpu, 1, int>({2, 0, 3}); };
  Tape t;
  t.Backward(t(cross_entropy(x, labels())));
  EXPECT_LT(x.grad()(0, 2), 0.0);
  EXPECT_GT(x.grad()(0, 0), 0.0);
  const auto total = sum_all(TensorContainer<cpu, 1, double>({1, 2, 3}));
  EXPECT_EQ(eval(total * 1.0)[0], 6.0);
}
TEST(GradientRules, ZeroWinsOverInfinity) {
  Parameter<cpu, 1, double> v(Shape1(2), 0.0);
  const TensorContainer<cpu, 1, double> dy({0, 1});
  Tape t;
  t.Backward(t(sqrt(v)), Tensor<cpu, 1, double>(dy));
  EXPECT_EQ(v.grad()[0], 0.0);
  EXPECT_EQ(v.grad()[1], std::numeric_limits<double>::infinity());
}

#ifndef NDEBUG
TEST(GradientRules, ChangedValuesAreNoticed) {
  Parameter<cpu, 2, double> w(Shape2(2, 3), 0.5);
  TensorContainer<cpu, 2, double> x(Shape2(2, 3), 2.0);
  const auto expect_error = [&w](Tape* t, const auto& y) {
    w.ZeroGradient();
    try {
      t->Backward(y);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a value of shape (2,3) changed"), std::string::npos)
          << error.what();
    }
    t->Clear();
  };
  Tape t;
  const auto parameter = t(w * w);
  w.value(1, 2) = 3.0;
  expect_error(&t, parameter);
  const auto constant = t(w * (x + 1.0));
  x(0, 0) = 1.0;
  expect_error(&t, constant);
  const auto result = t(tanh(w));
  auto memory = result.value;
  memory(0, 1) = 0.0;
  expect_error(&t, result);
  const auto last = t(exp(w));
  t.Backward(last);
  w.value = 1.0;  // after Backward: a step of training
}
TEST(GradientRules, ValuesThatNoGradientReadsMayChange) {
  Parameter<cpu, 1, double> w(Shape1(2), 0.5);
  TensorContainer<cpu, 1, double> x(Shape1(2), 2.0);
  Tape t;
  const auto y = t(w + x);
  w.value = 2.0;
  x = 1.0;
  t.Backward(y);
  EXPECT_EQ(w.grad()[1], 1.0);
}
#endif

TEST(Rules, IndicesOfSmallTypes) {
  // The last index of 256 or 300 rows is none of a byte.
  Parameter<cpu, 2> x(Shape2(300, 2), 1.0f), scores(Shape2(1, 256), 0.0f);
  const TensorContainer<cpu, 1, uint8_t> rows(Shape1(1), uint8_t{200}), label(Shape1(1), uint8_t{7});
  Tape t;
  t.Backward(t(take(rows, x)));
  EXPECT_EQ(x.grad()[200][1], 1.0f);
  EXPECT_EQ(sum(x.grad()), 2.0f);
  t.Backward(t(mean_all(cross_entropy(scores, label))));
  EXPECT_NEAR(scores.grad()[0][7], -1 + 1 / 256.0, 1e-6);
}
TEST(Rules, ConditionsThatChange) {
#ifndef NDEBUG
  Parameter<cpu, 1> v(Shape1(2), 2.0f), w(Shape1(2), 3.0f);
  Tape t;
  const auto y = t(where(w > 1.0f, v * v, v));
  w.value = 0.0f;
  EXPECT_THROW(t.Backward(y), Error);
#endif
}

}  // namespace
}  // namespace mshadow
