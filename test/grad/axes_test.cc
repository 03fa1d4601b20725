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
TEST(GradientOf, SumsToAShape) {
  Filled<3> x(Shape3(2, 3, 5), -1, 1);
  const auto check = [&](const auto& shape) {
    const TensorContainer<cpu, std::decay_t<decltype(shape)>::kDimension, double> y =
        sum_to(x.value * 2.0, shape);
    ASSERT_EQ(y.shape_, shape);
    TensorContainer<cpu, 3, double> expected(Shape3(1, 1, 1), 0.0);
    // By a loop: element (i, j, k) of x belongs to the one where extents of 1 are 0.
    constexpr int kDim = std::decay_t<decltype(shape)>::kDimension;
    Shape<3> kept = Shape3(1, 1, 1);
    for (int a = 0; a < kDim; ++a) kept[3 - kDim + a] = shape[a];
    expected.Resize(kept, 0.0);
    for (index_t i = 0; i < 2; ++i) {
      for (index_t j = 0; j < 3; ++j) {
        for (index_t k = 0; k < 5; ++k) {
          expected(i % kept[0], j % kept[1], k % kept[2]) += 2 * x.value(i, j, k);
        }
      }
    }
    const auto a = ToVector(y), b = ToVector(expected);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << shape;
    CheckGradient([&](Tape& t, auto& v) { return t(sum_to(v * v, shape)); }, x);
    CheckGradient([&](Tape& t, auto& v) { return t(sin(sum_to(v, shape))); }, x);
  };
  check(Shape3(2, 3, 5));
  check(Shape3(1, 3, 1));
  check(Shape3(2, 1, 5));
  check(Shape3(1, 1, 1));
  check(Shape2(3, 5));
  check(Shape2(3, 1));
  check(Shape2(1, 5));
  check(Shape1(5));
  check(Shape1(1));
}
TEST(SumTo, IsTheOppositeOfBroadcastTo) {
  const TensorContainer<cpu, 2> none(Shape2(0, 4)), x(Shape2(3, 4), 1.0f);
  EXPECT_EQ(eval(sum_to(none, Shape2(1, 4)))(0, 3), 0.0f);
  EXPECT_EQ(eval(sum_to(none, Shape2(0, 4))).shape_, Shape2(0, 4));
  EXPECT_EQ(eval(sum_to(TensorContainer<cpu, 2>(Shape2(3, 4), 2.0f), Shape1(4)))[1], 6.0f);
  EXPECT_THROW(sum_to(x, Shape2(3, 2)), Error);
  EXPECT_THROW(sum_to(x, Shape1(3)), Error);
  const TensorContainer<cpu, 2> one(Shape2(1, 4), 1.0f);
  EXPECT_THROW(sum_to(one, Shape2(3, 4)), Error);
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
