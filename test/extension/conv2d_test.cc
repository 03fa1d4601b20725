// SPDX-License-Identifier: Apache-2.0
#include <mshadow/nn.h>

#include <string>
#include <vector>

#include "../error_of.h"
#include "uses.h"

#ifndef MSHADOW_TEST_DEVICE  // others have no products
namespace mshadow {
namespace conv2d_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

struct ConvCase {
  index_t n, c, h, w, o, ky, kx, stride, pad, dilation, groups;
};

/// Calls f(i, j, k) with the places of all factors x[i] * w[j] that y[k] is a sum of.
template <typename F>
void ForEachConvProduct(const ConvCase& t, const Shape<4>& y, const F& f) {
  const index_t in_group = t.c / t.groups, out_group = t.o / t.groups;
  for (index_t n = 0; n < t.n; ++n) {
    for (index_t o = 0; o < t.o; ++o) {
      for (index_t v = 0; v < y[2]; ++v) {
        for (index_t u = 0; u < y[3]; ++u) {
          for (index_t c = 0; c < in_group; ++c) {
            for (index_t i = 0; i < t.ky; ++i) {
              for (index_t j = 0; j < t.kx; ++j) {
                const index_t row = v * t.stride + i * t.dilation;
                const index_t col = u * t.stride + j * t.dilation;
                if (row < t.pad || row >= t.h + t.pad || col < t.pad || col >= t.w + t.pad) {
                  continue;
                }
                const index_t channel = o / out_group * in_group + c;
                f(((n * t.c + channel) * t.h + row - t.pad) * t.w + col - t.pad,
                  ((o * in_group + c) * t.ky + i) * t.kx + j,
                  ((n * t.o + o) * y[2] + v) * y[3] + u);
              }
            }
          }
        }
      }
    }
  }
}

template <typename DType>
void CheckConv2d(const ConvCase& t) {
  const Shape<4> x_shape = Shape4(t.n, t.c, t.h, t.w);
  const Shape<4> w_shape = Shape4(t.o, t.c / t.groups, t.ky, t.kx);
  const index_t high = (t.h + 2 * t.pad - t.dilation * (t.ky - 1) - 1) / t.stride + 1;
  const index_t wide = (t.w + 2 * t.pad - t.dilation * (t.kx - 1) - 1) / t.stride + 1;
  const Shape<4> y_shape = Shape4(t.n, t.o, high, wide);
  for (index_t padding : {0, 3}) {
    Guarded<4, DType> x(x_shape, padding, 1), w(w_shape, padding, 1), y(y_shape, padding, 1);
    Guarded<4, DType> dx(x_shape, padding, 1), dw(w_shape, padding, 1);
    FillWhole(x, 7, 1);
    FillWhole(w, 5, 2);
    std::vector<double> y_sums(y.Size()), x_sums(x.Size()), w_sums(w.Size());
    ForEachConvProduct(t, y_shape, [&](index_t i, index_t j, index_t k) {
      y_sums[k] += static_cast<double>(x.At(i)) * static_cast<double>(w.At(j));
    });
    *y = conv2d(*x, *w, t.stride, t.pad, t.dilation, t.groups);
    ExpectValues(y, y_sums);
    *y = DType(1);
    *y += conv2d(*x * DType(1), *w, t.stride, t.pad, t.dilation, t.groups) * DType(2);
    for (double& sum : y_sums) sum = 2 * sum + 1;
    ExpectValues(y, y_sums);

    FillWhole(y, 6, 3);
    ForEachConvProduct(t, y_shape, [&](index_t i, index_t j, index_t k) {
      x_sums[i] += static_cast<double>(w.At(j)) * static_cast<double>(y.At(k));
      w_sums[j] += static_cast<double>(x.At(i)) * static_cast<double>(y.At(k));
    });
    *dx = conv2d_grad_x(*y, *w, Shape2(t.h, t.w), t.stride, t.pad, t.dilation, t.groups);
    ExpectValues(dx, x_sums);
    *dw = conv2d_grad_w(*y, *x, Shape2(t.ky, t.kx), t.stride, t.pad, t.dilation, t.groups);
    ExpectValues(dw, w_sums);
  }
}

TEST(Conv2d, AsTheLoops) {
  //                   n  c  h  w  o ky kx  s  p  d  g
  CheckConv2d<float>({2, 3, 7, 6, 4, 3, 3, 1, 0, 1, 1});
  CheckConv2d<float>({2, 3, 7, 6, 4, 3, 2, 1, 1, 1, 1});
  CheckConv2d<float>({1, 4, 9, 8, 6, 3, 3, 2, 1, 1, 2});
  CheckConv2d<float>({2, 4, 9, 11, 4, 2, 3, 1, 2, 2, 4});
  CheckConv2d<float>({2, 3, 5, 5, 2, 1, 1, 1, 0, 1, 1});
  CheckConv2d<float>({1, 2, 6, 5, 2, 6, 5, 3, 0, 1, 1});
  CheckConv2d<double>({2, 3, 7, 6, 4, 3, 3, 2, 1, 1, 1});
}
TEST(Conv2d, InSeveralBlocksOfRows) {
  CheckConv2d<float>({1, 64, 40, 41, 1, 5, 5, 1, 2, 1, 1});
  CheckConv2d<float>({1, 64, 80, 41, 2, 5, 5, 2, 2, 1, 1});
  CheckConv2d<float>({1, 96, 40, 40, 2, 5, 3, 1, 0, 2, 1});
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
