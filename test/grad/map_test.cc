// SPDX-License-Identifier: Apache-2.0
#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

struct Cube {  // by dual numbers
  template <typename T>
  MSHADOW_XINLINE static T Map(T a) {
    return a * a * a + T(2) * a;
  }
};
struct Hypot {  // says its derivatives
  template <typename T>
  MSHADOW_XINLINE static T Map(T a, T b) {
    return std::sqrt(a * a + b * b);
  }
  template <int i, typename T>
  MSHADOW_XINLINE static T Partial(T a, T b) {
    return (i == 0 ? a : b) / std::sqrt(a * a + b * b);
  }
};

struct Maps : ::testing::Test {
  Filled<2> x{Shape2(3, 5), -1.5, 1.5, 1}, z{Shape2(3, 5), 0.3, 1.7, 2};
  Filled<1> row{Shape1(5), -1, 1, 3}, column{Shape1(3), 0.5, 1.5, 4};
  TensorContainer<cpu, 2, double> k{Shape2(3, 5), 0.25};
};

TEST_F(Maps, Arithmetic) {
  CheckGradient([&](Tape& t, auto& a, auto& b) { return t(a - b + k - a * 3.0); }, x, z);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(a * b / (b + 2.0) * a - 1.0 / b); }, x, z);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(pow(a, b) + pow(a, 3.0)); }, z, x);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(atan2(a, b) + a % 0.7); }, x, z);
}
TEST_F(Maps, Choices) {
  CheckGradient([&](Tape& t, auto& a, auto& b) { return t(maximum(a, b) * minimum(a, k)); }, x, z);
  CheckGradient(
      [](Tape& t, auto& a, auto& b) { return t(clip(a, -1.0, 1.0) + where(a > b, a * a, b)); }, x,
      z);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(leaky_relu(a, b)); }, x, z);
}
TEST_F(Maps, FunctionsOfTheUser) {
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(F<Cube>(a * 2.0) + F<Hypot>(a, b)); }, x,
                z);
  const double slope = 0.3;
  CheckGradient(
      [slope](Tape& t, auto& a, auto& b) {
        return t(
            F([slope](auto p, auto q) { return p > 0 ? p * exp(q) : slope * p * tanh(q); }, a, b));
      },
      x, z);
}
TEST_F(Maps, Casts) {
  CheckGradient([](Tape& t, auto& a) { return t(tcast<double>(tcast<float>(a) * 1.0f) * 0.0 + a); },
                x);
}
TEST_F(Maps, OperandsOfFewerAxes) {
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(relu(a + b) * b); }, x, row);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(a + exp(b * 2.0) * b); }, x, row);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(a * broadcast<0>(b, Shape2(3, 5))); }, x,
                column);
  CheckGradient([](Tape& t, auto& b) { return t(sin(repmat(b, 4))); }, row);
}

TEST(Gradient, OfWhatIsInfiniteElsewhere) {
  Parameter<cpu, 1, double> v(Shape1(4), 0.0);
  Tape t;
  t.Backward(t(where(v > 1.0, sqrt(v), v * 3.0)));
  EXPECT_EQ(v.grad()[0], 3.0);
}
template <typename F>
double SlopeAt(double x, const F& f) {
  Parameter<cpu, 1, double> v(Shape1(1), x);
  Tape t;
  t.Backward(t(f(v)));
  return v.grad()[0];
}
TEST(Gradient, OfFunctionsThatOverflowElsewhere) {
  EXPECT_EQ(SlopeAt(1000, [](auto& v) { return where(v > 20.0, v, log(exp(v) + 1.0)); }), 1.0);
  EXPECT_EQ(SlopeAt(0, [](auto& v) {
              return where(v > 1.0, F([](auto a) { return sqrt(a); }, v), v);
            }),
            1.0);
  EXPECT_EQ(SlopeAt(0, [](auto& v) { return pow(v, 0.0); }), 0.0);
}
TEST(Gradient, IsSharedByEqualMaxima) {
  Parameter<cpu, 1, double> v(Shape1(3), 2.0);
  const TensorContainer<cpu, 1, double> c({2, 2, 1});
  Tape t;
  t.Backward(t(maximum(v, c)));
  EXPECT_EQ(v.grad()[0], 0.5);
  EXPECT_EQ(v.grad()[2], 1.0);
}

}  // namespace
}  // namespace mshadow
