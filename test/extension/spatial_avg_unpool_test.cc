// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/spatial_avg_unpool.h>

#include <mshadow/extension/spatial_avg_pool.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

struct AvgUnpoolWindow {
  index_t ky, kx, sy, sx, py, px;
};

// Shares the gradient of every window among its cells in planes (H, W).
std::vector<double> AvgUnpool(const std::vector<double>& grad, long H, long W, long h, long w,
                              const AvgUnpoolWindow& k) {
  const long planes = static_cast<long>(grad.size()) / (h * w);
  std::vector<double> out(planes * H * W);
  for (long i = 0; i < static_cast<long>(grad.size()); ++i) {
    const long x = i % w, y = i / w % h, plane = i / w / h;
    std::vector<long> cells;
    for (long j = 0; j < static_cast<long>(k.ky * k.kx); ++j) {
      const long v = y * k.sy - k.py + j / k.kx, u = x * k.sx - k.px + j % k.kx;
      if (v >= 0 && v < H && u >= 0 && u < W) cells.push_back((plane * H + v) * W + u);
    }
    for (long at : cells) out[at] += grad[i] / static_cast<double>(cells.size());
  }
  return out;
}

template <int dim>
void CheckSpatialAvgUnpool(const Shape<dim>& shape, const AvgUnpoolWindow& k) {
  SCOPED_TRACE(::testing::Message() << shape << ": " << k.ky << 'x' << k.kx << '/' << k.sy << ','
                                    << k.sx << " pad " << k.py << ',' << k.px);
  const index_t H = shape[dim - 2], W = shape[dim - 1];
  Shape<dim> small = shape;
  const index_t h = small[dim - 2] = (H + 2 * k.py - k.ky) / k.sy + 1;
  const index_t w = small[dim - 1] = (W + 2 * k.px - k.kx) / k.sx + 1;
  Guarded<dim> grad(small, 3, 1), out(shape, 1), b(shape);
  FillWhole(grad, 13);
  FillWhole(b, 13, 2);
  std::vector<double> expected = AvgUnpool(Values(grad), H, W, h, w, k);
  *out = avg_unpool(*grad, Shape2(H, W), k.ky, k.kx, k.sy, k.sx, k.py, k.px);
  ExpectValues(out, expected, 1e-5);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 3 * expected[i] + b.At(i);
  *out += avg_unpool(*grad * 2.0f, Shape2(H, W), k.ky, k.kx, k.sy, k.sx, k.py, k.px) + *b;
  ExpectValues(out, expected, 1e-4);
}

TEST(AvgUnpool, AnyWindow) {
  ForEachIsa([] {
    const AvgUnpoolWindow windows[] = {{2, 2, 2, 2, 0, 0}, {2, 2, 1, 1, 1, 1}, {3, 3, 2, 2, 1, 1},
                              {3, 3, 1, 1, 1, 1}, {3, 2, 1, 3, 0, 1}, {5, 4, 2, 1, 2, 0},
                              {1, 1, 2, 2, 0, 0}, {7, 9, 3, 4, 3, 4}, {3, 3, 2, 2, 0, 0},
                              {2, 3, 3, 2, 0, 1}, {4, 3, 2, 2, 2, 0}, {5, 3, 2, 2, 1, 1},
                              {4, 4, 4, 4, 0, 0}, {5, 3, 2, 5, 1, 1}, {2, 8, 2, 9, 1, 4}};
    for (const AvgUnpoolWindow& k : windows) {
      CheckSpatialAvgUnpool(Shape2(7, 9), k);
      CheckSpatialAvgUnpool(Shape4(2, 1, 9, 57), k);
      CheckSpatialAvgUnpool(Shape3(3, 8, 64), k);
    }
  });
}

// Rows are cut into vectors of 16, 8 or 4 windows that overlap.
TEST(AvgUnpool, EveryWidth) {
  ForEachIsa([] {
    for (index_t width = 3; width <= 70; ++width) {
      for (const AvgUnpoolWindow& k : {AvgUnpoolWindow{2, 2, 2, 2, 0, 0},
                                       AvgUnpoolWindow{3, 3, 2, 2, 0, 0},
                                       AvgUnpoolWindow{3, 3, 2, 2, 1, 1},
                                       AvgUnpoolWindow{3, 3, 1, 1, 1, 1}}) {
        CheckSpatialAvgUnpool(Shape2(6, width), k);
      }
    }
  });
}

// Fewer windows than fit, and windows that reach beyond the image or lie beyond it.
TEST(AvgUnpool, AnyNumberOfWindows) {
  ForEachIsa([] {
    for (const AvgUnpoolWindow& k : {AvgUnpoolWindow{2, 2, 2, 2, 0, 0},
                                     AvgUnpoolWindow{3, 3, 2, 2, 0, 0},
                                     AvgUnpoolWindow{3, 3, 2, 2, 1, 1}}) {
      for (index_t h : {1, 2, 3}) {
        for (index_t width : {15, 16, 17, 48}) {
          for (index_t w : {4, 7, 8, 9, 19, 20, 23, 24}) {
            if (w > (width - 1 + k.px) / k.sx + 1) continue;
            SCOPED_TRACE(::testing::Message() << k.ky << " pad " << k.py << ": " << h << 'x' << w
                                              << " to " << width);
            Guarded<3> grad(Shape3(2, h, w), 3, 1), out(Shape3(2, 6, width), 1);
            FillWhole(grad, 13);
            *out = avg_unpool(*grad, Shape2(6, width), k.ky, k.kx, k.sy, k.sx, k.py, k.px);
            ExpectValues(out, AvgUnpool(Values(grad), 6, width, h, w, k), 1e-5);
          }
        }
      }
    }
  });
}

TEST(AvgUnpool, LargeIsSplitAmongThreads) {
  for (const AvgUnpoolWindow& k :
       {AvgUnpoolWindow{2, 2, 2, 2, 0, 0}, AvgUnpoolWindow{3, 3, 2, 2, 1, 1}}) {
    Guarded<4> grad(Shape4(3, 5, 25, 64)), out(Shape4(3, 5, 50, 128));
    FillWhole(grad, 13);
    *out = avg_unpool(*grad, Shape2(50, 128), k.ky, k.kx, k.sy, k.sx, k.py, k.px);
    ExpectValues(out, AvgUnpool(Values(grad), 50, 128, 25, 64, k), 1e-5);
  }
}

// <avg_pool(a), g> = <a, avg_unpool(g)>
TEST(AvgUnpool, IsTheAdjoint) {
  Guarded<2> a(Shape2(13, 41)), g(Shape2(7, 21)), back(a->shape_), pooled(g->shape_);
  FillWhole(a, 13);
  FillWhole(g, 13, 2);
  *pooled = avg_pool(*a, 3, 3, 2, 2, 1, 1);
  *back = avg_unpool(*g, Shape2(13, 41), 3, 3, 2, 2, 1, 1);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < g.Size(); ++i) left += double(pooled.At(i)) * g.At(i);
  for (std::size_t i = 0; i < a.Size(); ++i) right += double(back.At(i)) * a.At(i);
  EXPECT_NEAR(left, right, 1e-5 * left);
}

TEST(AvgUnpool, Doubles) {
  Guarded<2, double> grad(Shape2(2, 20)), out(Shape2(4, 40));
  FillWhole(grad, 9);
  *out = avg_unpool(*grad, Shape2(4, 40), 2, 2, 2, 2);
  ExpectValues(out, AvgUnpool(Values(grad), 4, 40, 2, 20, AvgUnpoolWindow{2, 2, 2, 2, 0, 0}));
}
TEST(AvgUnpool, Halves) {
  Guarded<2, half::half_t> grad(Shape2(2, 20)), out(Shape2(4, 40));
  FillWhole(grad, 9);
  *out = avg_unpool(*grad, Shape2(4, 40), 2, 2, 2, 2);
  ExpectValues(out, AvgUnpool(Values(grad), 4, 40, 2, 20, AvgUnpoolWindow{2, 2, 2, 2, 0, 0}));
}

TEST(AvgUnpool, Reduced) {
  Guarded<3> grad(Shape3(2, 3, 9));
  FillWhole(grad, 9);
  Guarded<1> total(Shape1(2));
  *total = sumall_except_dim<0>(avg_unpool(*grad, Shape2(5, 17), 3, 3, 2, 2, 1, 1));
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < grad.Size(); ++i) sums[i / 27] += grad.At(i);
  ExpectValues(total, {sums[0], sums[1]}, 1e-4);
}

TEST(AvgUnpool, Errors) {
  Guarded<2> g(Shape2(5, 7));
  EXPECT_EQ(ErrorOf([&] { avg_unpool(*g, Shape2(9, 9), 0, 2, 1, 1); }),
            "avg_unpool: ksize_y = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { avg_unpool(*g, Shape2(9, 9), 2, 2, 1, 1, 2, 0); }),
            "avg_unpool: pad_y = 2 is out of range: 0 to 1, half the window");
  EXPECT_NE(ErrorOf([&] { avg_unpool(*g, Shape2(1, 1), 2, 2, 9, 9); })
                .find("avg_unpool: pooled shape "),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
