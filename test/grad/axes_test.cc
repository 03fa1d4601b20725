// SPDX-License-Identifier: Apache-2.0
// Rules of nodes whose axes are known when they run, of pictures, and of einsum.
#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

TEST(GradientOf, BroadcastAlongAxes) {
  Filled<2> x(Shape2(3, 4), -1, 1), column(Shape2(3, 1), -1, 1);
  Filled<1> row(Shape1(4), -1, 1), one(Shape1(1), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(sin(broadcast_with_axis(a, 0, 2))); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(broadcast_with_axis(a, -1, 2) * 2.0); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(broadcast_keepdim(a * a, 1, 5)); }, column);
  CheckGradient([](Tape& t, auto& a) { return t(sin(broadcast_to(a, Shape2(3, 5)))); }, column);
  CheckGradient([](Tape& t, auto& a) { return t(broadcast_to(a * a, Shape3(2, 3, 4))); }, row);
  CheckGradient([](Tape& t, auto& a) { return t(exp(broadcast_scalar(a, Shape2(2, 3)))); }, one);
}
TEST(GradientOf, ReductionsAlongAnAxis) {
  Filled<3> x(Shape3(2, 3, 4), -1, 1);
  for (int axis = 0; axis < 3; ++axis) {
    CheckGradient(
        [=](Tape& t, auto& a) { return t(reduce_with_axis<red::sum, false>(a * a, axis)); }, x);
    CheckGradient([=](Tape& t, auto& a) { return t(reduce_keepdim<red::maximum, false>(a, axis)); },
                  x);
    CheckGradient(
        [=](Tape& t, auto& a) {
          return t(reduce_with_axis<red::minimum, false>(a, axis) +
                   reduce_with_axis<red::maximum, true>(a, axis));
        },
        x);
  }
}
TEST(GradientOf, Pictures) {
  Filled<3> x(Shape3(2, 3, 4), -1, 1);
  using namespace resize_kernel;
  CheckGradient([](Tape& t, auto& a) { return t(upsampling_nearest(a * a, 3)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(mirror(sin(a))); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(sin(resize(a, 5, 7))); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(resize(a * a, 7, 3, kBicubic, true)); }, x);
  CheckGradient(
      [](Tape& t, auto& a) {
        return t(resize(a, 5, 2, kNearest, false, resize_pad::kConstant, 2.0));
      },
      x);
}
TEST(GradientOf, Columns) {
  Filled<3> x(Shape3(2, 3, 4), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(Column(a, 1) * Column(a * a, -1)); }, x);
}

TEST(GradientOf, RowsByAnIndex) {
  Filled<2> x(Shape2(3, 4), -1, 1);
  Filled<1> values(Shape1(3), -1, 1);
  const TensorContainer<cpu, 1, double> index({2, 0, 7});
  CheckGradient([&](Tape& t, auto& a) { return t(take_grad(index, a * a, 4)); }, x);
  CheckGradient([&](Tape& t, auto& a) { return t(sin(mask(index, a))); }, x);
  CheckGradient([&](Tape& t, auto& a, auto& v) { return t(mat_fill_row_element(a * a, v, index)); },
                x, values);
}

}  // namespace
}  // namespace mshadow
