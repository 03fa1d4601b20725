// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include "../error_of.h"

#ifndef MSHADOW_TEST_DEVICE  // others have no products
namespace mshadow {
namespace conv2d_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

template <typename DType>
void CheckConv2d(const ConvCase& t) {
  CheckConvolution<4, DType>(
      t,
      [](const auto& x, const auto& w, const ConvCase& c) {
        return conv2d(x, w, c.Of(c.stride), c.Of(c.pad), c.Of(c.dilation), c.groups);
      },
      [](const auto& y, const auto& w, const ConvCase& c) {
        return conv2d_grad_x(y, w, c.Of(c.from), c.Of(c.stride), c.Of(c.pad), c.Of(c.dilation),
                             c.groups);
      });
  for (index_t padding : {0, 3}) {
    Guarded<4, DType> x(t.X<4>(), padding, 1), y(t.Y<4>(), padding, 1), dw(t.W<4>(), padding, 1);
    FillWhole(x, 7, 1);
    FillWhole(y, 6, 3);
    std::vector<double> sums(dw.Size());
    t.ForEachProduct([&](index_t i, index_t j, index_t k) {
      sums[j] += static_cast<double>(x.At(i)) * static_cast<double>(y.At(k));
    });
    *dw = conv2d_grad_w(*y, *x, t.Of(t.patch), t.Of(t.stride), t.Of(t.pad), t.Of(t.dilation),
                        t.groups);
    ExpectValues(dw, sums);
  }
}

TEST(Conv2d, AsTheLoops) {
  CheckConv2d<float>(ConvCase(2, 3, {1, 7, 6}, 4, {1, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1));
  CheckConv2d<float>(ConvCase(2, 3, {1, 7, 6}, 4, {1, 3, 2}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1));
  CheckConv2d<float>(ConvCase(1, 4, {1, 9, 8}, 6, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}, 2));
  CheckConv2d<float>(ConvCase(2, 4, {1, 9, 11}, 4, {1, 2, 3}, {1, 1, 1}, {0, 2, 2}, {1, 2, 2}, 4));
  CheckConv2d<float>(ConvCase(2, 3, {1, 5, 5}, 2, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1));
  CheckConv2d<float>(ConvCase(1, 2, {1, 6, 5}, 2, {1, 6, 5}, {1, 3, 3}, {0, 0, 0}, {1, 1, 1}, 1));
  CheckConv2d<double>(ConvCase(2, 3, {1, 7, 6}, 4, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}, 1));
}
TEST(Conv2d, NumbersOfEachAxis) {
  CheckConv2d<float>(ConvCase(2, 2, {1, 9, 8}, 3, {1, 3, 2}, {1, 2, 1}, {0, 0, 1}, {1, 1, 3}, 1));
  CheckConv2d<float>(ConvCase(1, 4, {1, 7, 10}, 2, {1, 2, 3}, {1, 1, 3}, {0, 2, 0}, {1, 3, 2}, 2));
}
TEST(Conv2d, InSeveralBlocksOfRows) {
  CheckConv2d<float>(
      ConvCase(1, 64, {1, 40, 41}, 1, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}, 1));
  CheckConv2d<float>(
      ConvCase(1, 64, {1, 80, 41}, 2, {1, 5, 5}, {1, 2, 2}, {0, 2, 2}, {1, 1, 1}, 1));
  CheckConv2d<float>(
      ConvCase(1, 96, {1, 40, 40}, 2, {1, 5, 3}, {1, 1, 1}, {0, 0, 0}, {1, 2, 2}, 1));
}
TEST(Conv2d, NoImages) {
  Guarded<4> x(Shape4(0, 3, 7, 6), 0), w(Shape4(4, 3, 3, 3), 0, 1), y(Shape4(0, 4, 5, 4), 0);
  FillWhole(w, 5, 2);
  *y = conv2d(*x, *w);
  *w = conv2d_grad_w(*y, *x, Shape2(3, 3));
  for (std::size_t i = 0; i < w.Size(); ++i) EXPECT_EQ(w.At(i), 0.0f);
}
TEST(Conv2d, TargetThatIsRead) {
  Guarded<4> x(Shape4(1, 1, 5, 5), 0), y(Shape4(1, 1, 5, 5), 0), w(Shape4(1, 1, 3, 3), 0);
  FillWhole(x, 7, 1);
  FillWhole(w, 5, 2);
  *y = conv2d(*x, *w, 1, 1);
  *x = conv2d(*x, *w, 1, 1);
  for (std::size_t i = 0; i < x.Size(); ++i) EXPECT_EQ(x.At(i), y.At(i));
}
TEST(Conv2d, ShapesThatDoNotFit) {
  Guarded<4> x(Shape4(2, 3, 7, 6), 0), w(Shape4(4, 2, 3, 3), 0), y(Shape4(2, 4, 5, 4), 0);
  std::string error = ErrorOf([&] { *y = conv2d(*x, *w); });
  EXPECT_NE(error.find("(2,3,7,6) do not fit weights (4,2,3,3) in 1 groups"), std::string::npos)
      << error;
  error = ErrorOf([&] { conv2d(*x, *w, 1, 0, 1, 0); });
  EXPECT_NE(error.find("in 0 groups"), std::string::npos) << error;
  Guarded<4> good(Shape4(4, 3, 3, 3), 0), wrong(Shape4(2, 4, 5, 5), 0);
  error = ErrorOf([&] { *wrong = conv2d(*x, *good); });
  EXPECT_NE(error.find("(2,4,5,4)"), std::string::npos) << error;
  error = ErrorOf([&] { conv2d_grad_x(*wrong, *good, Shape2(7, 6)); });
  EXPECT_NE(error.find("conv2d_grad_x"), std::string::npos) << error;
  error = ErrorOf([&] { conv2d(*x, *good, 0); });
  EXPECT_NE(error.find("conv2d"), std::string::npos) << error;
}

}  // namespace
}  // namespace conv2d_test
}  // namespace mshadow
#endif
