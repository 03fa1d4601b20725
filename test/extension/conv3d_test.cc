// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include "../error_of.h"

#ifndef MSHADOW_TEST_DEVICE  // others have no products
namespace mshadow {
namespace conv3d_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

template <typename DType>
void CheckConv3d(const ConvCase& t) {
  CheckConvolution<5, DType>(
      t,
      [](const auto& x, const auto& w, const ConvCase& c) {
        return conv3d(x, w, c.Of3(c.stride), c.Of3(c.pad), c.Of3(c.dilation), c.groups);
      },
      [](const auto& y, const auto& w, const ConvCase& c) {
        Shape<3> output_pad;
        for (std::size_t i = 0; i < 3; ++i) {
          const index_t reached =
              (c.to[i] - 1) * c.stride[i] + c.dilation[i] * (c.patch[i] - 1) + 1;
          output_pad[static_cast<int>(i)] = c.from[i] + 2 * c.pad[i] - reached;
        }
        return conv_transpose3d(y, w, c.Of3(c.stride), c.Of3(c.pad), output_pad, c.groups,
                                c.Of3(c.dilation));
      });
}

TEST(Conv3d, AsTheLoopsAndSoIsItsTranspose) {
  CheckConv3d<float>(ConvCase(2, 3, {5, 4, 7}, 4, {3, 2, 3}));
  CheckConv3d<float>(ConvCase(1, 2, {4, 5, 6}, 3, {2, 3, 3}, {2, 1, 3}, {1, 0, 2}));
  CheckConv3d<double>(ConvCase(2, 4, {7, 5, 5}, 6, {2, 3, 2}, {1, 2, 1}, {2, 1, 0}, {3, 1, 2}, 2));
  CheckConv3d<float>(ConvCase(1, 1, {3, 3, 3}, 1, {1, 1, 1}, {2, 2, 2}));
}
TEST(Conv3d, OneNumberForAllAxes) {
  const ConvCase t(1, 2, {5, 6, 7}, 2, {3, 3, 3}, {2, 2, 2}, {1, 1, 1});
  Guarded<5> x(t.X<5>(), 0), w(t.W<5>(), 0), y(t.Y<5>(), 0), same(t.Y<5>(), 0);
  FillWhole(x, 7, 1);
  FillWhole(w, 5, 2);
  *y = conv3d(*x, *w, 2, 1);
  *same = conv3d(*x, *w, Shape3(2, 2, 2), Shape3(1, 1, 1));
  for (std::size_t i = 0; i < y.Size(); ++i) EXPECT_EQ(y.At(i), same.At(i));
}
TEST(Conv3d, NoImages) {
  Guarded<5> x(Shape5(0, 3, 4, 5, 6), 0), w(Shape5(2, 3, 3, 3, 3), 0, 1),
      y(Shape5(0, 2, 2, 3, 4), 0);
  *y = conv3d(*x, *w);
  *x = conv_transpose3d(*y, *w);
}
TEST(Conv3d, ShapesThatDoNotFit) {
  Guarded<5> x(Shape5(2, 3, 4, 5, 6), 0), w(Shape5(4, 2, 3, 3, 3), 0),
      deep(Shape5(4, 3, 5, 3, 3), 0);
  std::string error = ErrorOf([&] { conv3d(*x, *w); });
  EXPECT_NE(error.find("conv3d: images (2,3,4,5,6) do not fit weights (4,2,3,3,3)"),
            std::string::npos)
      << error;
  error = ErrorOf([&] { conv3d(*x, *deep); });
  EXPECT_NE(error.find("conv3d: patches of weights (4,3,5,3,3), 1 apart, exceed images (2,3,4,5,6) "
                       "with padding 0 along axis 2"),
            std::string::npos)
      << error;
  error = ErrorOf([&] { conv3d(*x, *deep, 1, Shape3(1, static_cast<index_t>(-1), 0)); });
  EXPECT_NE(error.find("conv3d: pad = -1 is out of range"), std::string::npos) << error;
  Guarded<5> flat(Shape5(2, 3, 0, 5, 6), 0);
  error = ErrorOf([&] { conv3d(*flat, *deep, 1, 3); });
  EXPECT_NE(error.find("conv3d: images (2,3,0,5,6) have no pixel"), std::string::npos) << error;
  error = ErrorOf([&] { conv_transpose3d(*x, *w); });
  EXPECT_NE(error.find("conv_transpose3d: images (2,3,4,5,6) do not fit weights (4,2,3,3,3)"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace conv3d_test
}  // namespace mshadow
#endif
