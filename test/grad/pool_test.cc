// SPDX-License-Identifier: Apache-2.0
#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

TEST(GradientOf, MeansOfWindows) {
  Filled<3> x(Shape3(2, 5, 6), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(avg_pool(a * a, 3, 2, 2, 1, 1, 1)); }, x);
  // A window that is wider than the image beside its padding.
  CheckGradient([](Tape& t, auto& a) { return t(avg_pool(a * a, 16, 3, 1, 1, 8, 1)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(avg_unpool(sin(a), Shape2(10, 13), 2, 3, 2, 2)); },
                x);
}
TEST(GradientOf, WindowsOfThreeAxes) {
  Filled<4> x(Shape4(2, 3, 4, 5), -1, 1);
  CheckGradient(
      [](Tape& t, auto& a) {
        return t(pool3d<red::sum>(sin(a), Shape3(2, 2, 3), Shape3(1, 2, 1)));
      },
      x);
  CheckGradient(
      [](Tape& t, auto& a) { return t(pool3d<red::maximum>(a, Shape3(2, 3, 2), Shape3(1, 1, 2))); },
      x);
}
TEST(GradientOf, WindowsOfAGivenNumber) {
  Filled<2> x(Shape2(5, 5), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(pool<red::maximum>(a, Shape2(3, 3), 2, 2, 2)); },
                x);
}
TEST(GradientOf, Channels) {
  Filled<3> x(Shape3(5, 2, 3), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(chpool<red::sum>(a * a, 3)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(chpool<red::maximum>(sin(a), 2, 2, 1)); }, x);
}
TEST(GradientOf, LargestOfAWindowGetAllOfIt) {
  Parameter<cpu, 2, double> x(Shape2(2, 2), 1.0);
  Tape t;
  t.Backward(t(pool<red::maximum>(x, 2, 2, 2)));
  EXPECT_EQ(x.grad()(0, 0) + x.grad()(1, 1), 2.0);
}

}  // namespace
}  // namespace mshadow
