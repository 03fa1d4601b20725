// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include "../error_of.h"

#ifndef MSHADOW_TEST_DEVICE  // others have no products
namespace mshadow {
namespace conv1d_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

template <typename DType>
void CheckConv1d(const ConvCase& t) {
  CheckConvolution<3, DType>(
      t,
      [](const auto& x, const auto& w, const ConvCase& c) {
        return conv1d(x, w, c.stride[2], c.pad[2], c.dilation[2], c.groups);
      },
      [](const auto& y, const auto& w, const ConvCase& c) {
        const index_t reached = (c.to[2] - 1) * c.stride[2] + c.dilation[2] * (c.patch[2] - 1) + 1;
        return conv_transpose1d(y, w, c.stride[2], c.pad[2], c.from[2] + 2 * c.pad[2] - reached,
                                c.groups, c.dilation[2]);
      });
}

TEST(Conv1d, AsTheLoopsAndSoIsItsTranspose) {
  CheckConv1d<float>(ConvCase(2, 3, {1, 1, 11}, 4, {1, 1, 3}));
  CheckConv1d<float>(ConvCase(1, 2, {1, 1, 8}, 3, {1, 1, 4}, {1, 1, 3}, {0, 0, 2}));
  CheckConv1d<double>(ConvCase(3, 4, {1, 1, 9}, 6, {1, 1, 2}, {1, 1, 2}, {0, 0, 1}, {1, 1, 3}, 2));
  CheckConv1d<float>(ConvCase(2, 1, {1, 1, 5}, 1, {1, 1, 1}));
}
TEST(Conv1d, InSeveralBlocks) {
  CheckConv1d<float>(ConvCase(1, 64, {1, 1, 1500}, 1, {1, 1, 25}, {1, 1, 1}, {0, 0, 2}));
  CheckConv1d<float>(ConvCase(1, 64, {1, 1, 2001}, 2, {1, 1, 25}, {1, 1, 2}, {0, 0, 0}));
}
TEST(Conv1d, NoImages) {
  Guarded<3> x(Shape3(0, 3, 7), 0), w(Shape3(4, 3, 3), 0, 1), y(Shape3(0, 4, 5), 0);
  *y = conv1d(*x, *w);
  *x = conv_transpose1d(*y, *w);
}
TEST(Conv1d, ShapesThatDoNotFit) {
  Guarded<3> x(Shape3(2, 3, 7), 0), w(Shape3(4, 2, 3), 0), good(Shape3(4, 3, 3), 0),
      y(Shape3(2, 4, 6), 0);
  std::string error = ErrorOf([&] { conv1d(*x, *w); });
  EXPECT_NE(error.find("conv1d: images (2,3,7) do not fit weights (4,2,3) in 1 groups"),
            std::string::npos)
      << error;
  error = ErrorOf([&] { *y = conv1d(*x, *good); });
  EXPECT_NE(error.find("(2,4,5)"), std::string::npos) << error;
  error = ErrorOf([&] { conv1d(*x, *good, Shape1(1), 0, 4); });
  EXPECT_NE(error.find("conv1d: patches of weights (4,3,3), 4 apart, exceed images (2,3,7) with "
                       "padding 0 along axis 2"),
            std::string::npos)
      << error;
  EXPECT_NE(ErrorOf([&] { conv1d(*x, *good, 0); }).find("conv1d"), std::string::npos);
}

}  // namespace
}  // namespace conv1d_test
}  // namespace mshadow
#endif
