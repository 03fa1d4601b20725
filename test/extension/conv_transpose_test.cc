// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include "../error_of.h"

#ifndef MSHADOW_TEST_DEVICE  // others have no products
namespace mshadow {
namespace conv_transpose_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

template <typename DType>
void CheckTransposed(const ConvCase& t, index_t output_y, index_t output_x) {
  CheckConvolution<4, DType>(
      t,
      [](const auto& x, const auto& w, const ConvCase& c) {
        return conv2d(x, w, c.Of(c.stride), c.Of(c.pad), c.Of(c.dilation), c.groups);
      },
      [&](const auto& y, const auto& w, const ConvCase& c) {
        return conv_transpose2d(y, w, c.Of(c.stride), c.Of(c.pad), Shape2(output_y, output_x),
                                c.groups, c.Of(c.dilation));
      });
}

TEST(ConvTranspose, AsTheLoops) {
  CheckTransposed<float>(ConvCase(2, 3, {1, 7, 6}, 4, {1, 3, 2}), 0, 0);
  CheckTransposed<float>(ConvCase(2, 3, {1, 9, 6}, 4, {1, 3, 3}, {1, 2, 3}, {0, 1, 2}), 0, 1);
  CheckTransposed<double>(
      ConvCase(1, 4, {1, 8, 9}, 6, {1, 2, 3}, {1, 2, 1}, {0, 0, 1}, {1, 2, 2}, 2), 1, 0);
}
TEST(ConvTranspose, OneNumberForBothAxes) {
  const ConvCase t(1, 2, {1, 6, 6}, 3, {1, 3, 3}, {1, 2, 2}, {0, 1, 1});
  Guarded<4> y(t.Y<4>(), 0), w(t.W<4>(), 0), x(t.X<4>(), 0), same(t.X<4>(), 0);
  FillWhole(y, 7, 1);
  FillWhole(w, 5, 2);
  *x = conv_transpose2d(*y, *w, 2, 1, 1);
  *same = conv2d_grad_x(*y, *w, Shape2(6, 6), 2, 1);
  for (std::size_t i = 0; i < x.Size(); ++i) EXPECT_EQ(x.At(i), same.At(i));
}
TEST(ConvTranspose, NoImages) {
  Guarded<4> x(Shape4(0, 3, 4, 5), 0), w(Shape4(3, 2, 3, 3), 0, 1), y(Shape4(0, 2, 6, 7), 0);
  *y = conv_transpose2d(*x, *w);
}
TEST(ConvTranspose, ShapesThatDoNotFit) {
  Guarded<4> x(Shape4(2, 3, 4, 5), 0), w(Shape4(2, 3, 3, 3), 0), good(Shape4(3, 2, 3, 3), 0);
  std::string error = ErrorOf([&] { conv_transpose2d(*x, *w); });
  EXPECT_NE(error.find("conv_transpose2d: images (2,3,4,5) do not fit weights (2,3,3,3)"),
            std::string::npos)
      << error;
  error = ErrorOf([&] { conv_transpose2d(*x, *good, 1, 3); });
  EXPECT_NE(error.find("images (2,3,4,5) and weights (3,2,3,3) make nothing"), std::string::npos)
      << error;
  error = ErrorOf([&] { conv_transpose2d(*x, *good, 2, 1, 2); });
  EXPECT_NE(error.find("output_pad = 2 is out of range: 0 to 1"), std::string::npos) << error;
  error = ErrorOf([&] { conv_transpose2d(*x, *good, 0); });
  EXPECT_NE(error.find("stride = 0 must be positive"), std::string::npos) << error;
  error = ErrorOf([&] { conv_transpose2d(*x, *good, 1, static_cast<index_t>(-1)); });
  EXPECT_NE(error.find("pad = -1 is out of range"), std::string::npos) << error;
  constexpr index_t kHuge = index_t(1) << (sizeof(index_t) == 8 ? 62 : 30);
  error = ErrorOf([&] { conv_transpose2d(*x, *good, kHuge, 0, kHuge - 1, 1, kHuge); });
  EXPECT_NE(error.find("an extent of the result = "), std::string::npos) << error;
  error = ErrorOf([&] { conv_transpose2d(*x, *good, 1, 0, 0, 2); });
  EXPECT_NE(error.find("in 2 groups"), std::string::npos) << error;
}

}  // namespace
}  // namespace conv_transpose_test
}  // namespace mshadow
#endif
