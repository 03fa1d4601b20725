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
// A window of more than the image and one padding is cut to fit; the rule makes the node again of
// the size that is left.
TEST(GradientOf, MeansOfWindowsLargerThanTheImage) {
  for (index_t width : {1, 2, 3, 4}) {
    for (index_t ksize : {4, 5, 6}) {
      Filled<2> x(Shape2(3, width), -1, 1);
      const index_t pad = 2, stride = 1;
      if (ksize > width + 2 * pad) continue;
      const auto f = [&](Tape& t, auto& a) {
        return t(avg_pool(a, 2, ksize, stride, stride, 1, pad));
      };
      Tape tape;
      const auto y = f(tape, x);
      for (index_t v = 0; v < y.value.size(0); ++v) {
        for (index_t u = 0; u < y.value.size(1); ++u) {
          double total = 0;
          int cells = 0;
          for (index_t i = 0; i < 3; ++i) {
            for (index_t j = 0; j < width; ++j) {
              if (i + 1 < v || i + 1 >= v + 2 || j + pad < u || j + pad >= u + ksize) continue;
              total += x.value(i, j);
              ++cells;
            }
          }
          EXPECT_NEAR(y.value(v, u), total / cells, 1e-12) << width << " " << ksize;
        }
      }
      CheckGradient(f, x);
      CheckGradient([&](Tape& t, auto& a) { return t(sin(avg_pool(a * a, 2, ksize, 1, 1, 1, 2))); },
                    x);
    }
  }
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
template <int dim>
void FillRepeating(int period, TensorContainer<cpu, dim, double>* t) {
  const auto i = reshape(range<double>(0, static_cast<double>(t->shape_.Size())), t->shape_);
  *t = F<op::mod>(i, static_cast<double>(period));
}
// By the gradient that is spread: what is pooled is a constant. Values repeat, so that several
// elements of a window are the largest.
TEST(GradientOf, SpreadGradients) {
  TensorContainer<cpu, 3, double> image(Shape3(2, 5, 7));
  FillRepeating(4, &image);
  for (index_t stride : {1, 2, 4}) {
    const TensorContainer<cpu, 3, double> most = pool<red::maximum>(image, 3, 2, stride, stride);
    Filled<3> g(most.shape_, -1, 1);
    CheckGradient(
        [&](Tape& t, auto& a) {
          return t(unpool<red::maximum>(image, most, sin(a), 3, 2, stride, stride));
        },
        g);
    CheckGradient(
        [&](Tape& t, auto& a) {
          return t(sin(unpool<red::sum>(image * 2.0, most, a, 3, 2, stride, stride)));
        },
        g);
  }
  // Windows that the image cuts.
  const TensorContainer<cpu, 3, double> cut = pool<red::minimum>(image, Shape2(3, 4), 2, 2, 2, 2);
  Filled<3> g(cut.shape_, -1, 1);
  CheckGradient(
      [&](Tape& t, auto& a) { return t(unpool<red::minimum>(image, cut, a, 2, 2, 2, 2)); }, g);
}
TEST(GradientOf, SpreadGradientsByPlaceAreConstants) {
  Filled<2> x(Shape2(4, 6), -1, 1), g(Shape2(2, 3), -1, 1, 2);
  Tape t;
  const auto most = t(pool<red::maximum>(x, 2, 2, 2));
  const auto y = t(unpool<red::maximum>(x, most, g * g, 2, 2, 2));
  t.Backward(y);
  EXPECT_EQ(sum(abs(x.grad())), 0.0);
  EXPECT_LT(max(abs(g.grad() - 2.0 * g.value)), 1e-12);  // one of each window
}
struct OtherSum : red::sum {};
TEST(GradientOf, SpreadGradientsOfOtherReducersAreConstants) {
  const TensorContainer<cpu, 2, double> image(Shape2(4, 6), 2.0), pooled(Shape2(2, 3), 8.0);
  Filled<2> x(Shape2(4, 6), -1, 1);
  CheckGradient(
      [&](Tape& t, auto& a) { return t(a * unpool<OtherSum>(image, pooled, pooled, 2, 2, 2)); }, x);
}
TEST(GradientOf, SpreadGradientsOfChannelsAndVolumes) {
  TensorContainer<cpu, 4, double> image(Shape4(2, 5, 4, 3));
  FillRepeating(7, &image);
  for (index_t pad : {0, 1, 2}) {
    for (index_t stride : {1, 2}) {
      const TensorContainer<cpu, 4, double> most = chpool<red::maximum>(image, 3, stride, pad);
      Filled<4> g(most.shape_, -1, 1);
      CheckGradient(
          [&](Tape& t, auto& a) {
            return t(sin(ch_unpool<red::maximum>(image, most, a * a, 3, stride, pad)));
          },
          g);
    }
  }
  const Shape<3> size = Shape3(2, 3, 2), step = Shape3(1, 1, 2);
  const TensorContainer<cpu, 4, double> most = pool3d<red::maximum>(image, size, step);
  Filled<4> g(most.shape_, -1, 1);
  CheckGradient(
      [&](Tape& t, auto& a) { return t(unpool3d<red::maximum>(image, most, a, size, step)); }, g);
}
TEST(GradientOf, LargestOfAWindowGetAllOfIt) {
  Parameter<cpu, 2, double> x(Shape2(2, 2), 1.0);
  Tape t;
  t.Backward(t(pool<red::maximum>(x, 2, 2, 2)));
  EXPECT_EQ(x.grad()(0, 0) + x.grad()(1, 1), 2.0);
}

}  // namespace
}  // namespace mshadow
