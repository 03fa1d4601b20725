// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/crop.h>
#include <mshadow/extension/spatial_avg_pool.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

struct AvgWindow {
  index_t ky, kx, sy, sx, py, px;
};

// The mean of the cells of each window that lie in planes (H, W).
std::vector<double> AvgPool(const std::vector<double>& a, long H, long W, long h, long w,
                            const AvgWindow& k) {
  std::vector<double> out;
  for (long plane = 0; plane < static_cast<long>(a.size()) / (H * W); ++plane) {
    for (long y = 0; y < h; ++y) {
      for (long x = 0; x < w; ++x) {
        double sum = 0;
        int cells = 0;
        for (long i = 0; i < static_cast<long>(k.ky * k.kx); ++i) {
          const long v = y * k.sy - k.py + i / k.kx, u = x * k.sx - k.px + i % k.kx;
          if (v < 0 || v >= H || u < 0 || u >= W) continue;
          sum += a[(plane * H + v) * W + u];
          ++cells;
        }
        out.push_back(cells == 0 ? 0 : sum / cells);
      }
    }
  }
  return out;
}

template <int dim>
void CheckSpatialAvgPool(const Shape<dim>& shape, const AvgWindow& k) {
  SCOPED_TRACE(::testing::Message() << shape << ": " << k.ky << 'x' << k.kx << '/' << k.sy << ','
                                    << k.sx << " pad " << k.py << ',' << k.px);
  const index_t H = shape[dim - 2], W = shape[dim - 1];
  Guarded<dim> a(shape, 3, 1);
  FillWhole(a, 13);
  Shape<dim> pooled = shape;
  pooled[dim - 2] = (H + 2 * k.py - k.ky) / k.sy + 1;
  pooled[dim - 1] = (W + 2 * k.px - k.kx) / k.sx + 1;
  Guarded<dim> out(pooled, 2), b(pooled, 1);
  FillWhole(b, 13, 2);
  std::vector<double> expected = AvgPool(Values(a), H, W, pooled[dim - 2], pooled[dim - 1], k);
  *out = avg_pool(*a, k.ky, k.kx, k.sy, k.sx, k.py, k.px);
  ExpectValues(out, expected, 1e-5);
  *out = 0.0f;
  *out = avg_pool(*a * 1.0f, k.ky, k.kx, k.sy, k.sx, k.py, k.px);
  ExpectValues(out, expected, 1e-5);
  if (k.py == 0 && k.px == 0) {
    *out = 0.0f;
    *out = avg_pool(*a, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected, 1e-5);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 3 * expected[i] + b.At(i);
  *out += avg_pool(*a * 2.0f, k.ky, k.kx, k.sy, k.sx, k.py, k.px) + *b;
  ExpectValues(out, expected, 1e-4);
  // All windows that begin in the image.
  pooled[dim - 2] = (H - 1 + k.py) / k.sy + 1;
  pooled[dim - 1] = (W - 1 + k.px) / k.sx + 1;
  Guarded<dim> more(pooled, 1);
  const Shape<2> pshape = Shape2(pooled[dim - 2], pooled[dim - 1]);
  *more = avg_pool(*a, pshape, k.ky, k.kx, k.sy, k.sx, k.py, k.px);
  ExpectValues(more, AvgPool(Values(a), H, W, pooled[dim - 2], pooled[dim - 1], k), 1e-5);
}

TEST(AvgPool, AnyWindow) {
  ForEachIsa([] {
    const AvgWindow windows[] = {{2, 2, 2, 2, 0, 0}, {2, 2, 1, 1, 1, 1}, {3, 3, 2, 2, 1, 1},
                              {3, 3, 1, 1, 1, 1}, {3, 2, 1, 3, 0, 1}, {5, 4, 2, 1, 2, 0},
                              {1, 1, 2, 2, 0, 0}, {7, 9, 3, 4, 3, 4}, {3, 3, 2, 2, 0, 0}};
    for (const AvgWindow& k : windows) {
      CheckSpatialAvgPool(Shape2(7, 9), k);
      CheckSpatialAvgPool(Shape4(2, 1, 9, 57), k);
    }
  });
}

// Rows are cut into vectors of 16, 8 or 4 windows that overlap.
TEST(AvgPool, EveryWidth) {
  ForEachIsa([] {
    for (index_t width = 3; width <= 70; ++width) {
      for (const AvgWindow& k : {AvgWindow{2, 2, 2, 2, 0, 0}, AvgWindow{3, 3, 2, 2, 1, 1},
                                 AvgWindow{3, 3, 1, 1, 1, 1}}) {
        CheckSpatialAvgPool(Shape2(6, width), k);
      }
    }
  });
}

// Images that are a window each; a sum of a million does not outgrow what is added to it.
TEST(AvgPool, WholeImages) {
  for (index_t side : {3u, 4u, 7u, 14u, 19u}) {
    Guarded<3> a(Shape3(4, side, side)), out(Shape3(4, 1, 1));
    FillWhole(a, 13);
    *out = avg_pool(*a, side, side, 1, 1, 0, 0);
    ExpectValues(out, AvgPool(Values(a), side, side, 1, 1, {side, side, 1, 1, 0, 0}), 1e-5);
  }
  Guarded<2> large(Shape2(1000, 1000)), one(Shape2(1, 1));
  *large = 0.1f;
  *one = avg_pool(*large, 1000, 1000, 1, 1, 0, 0);
  EXPECT_NEAR((*one)[0][0], 0.1, 1e-6);
}

// How a row is cut, by threads or by a view, changes no bit, nor does whether its source is in
// memory.
TEST(AvgPool, PartsAreTheSameBits) {
  ForEachIsa([] {
    for (index_t k : {2, 3, 5, 9}) {
      for (index_t stride : {1, 2, 3}) {
        const index_t n = (47 - k) / stride + 1, rows = (11 - k) / stride + 1;
        Guarded<2> src(Shape2(11, 47), 1), all(Shape2(rows, n), 1);
        for (index_t i = 0; i < 11 * 47; ++i) {
          (*src)[i / 47][i % 47] = 1.0f / static_cast<float>(i * 7 % 23 + 3);
        }
        *all = avg_pool(*src, k, k, stride);
        const auto check = [&](const auto& exp) {
          for (index_t width : {1, 2, 3, 4, 7, 9, 17}) {
            for (index_t x = 0; x + width <= n; x += width < 4 ? 1 : 3) {
              Guarded<2> part(Shape2(rows, width), 3);
              *part = crop(exp, Shape2(rows, width), 0, x);
              for (index_t i = 0; i < rows * width; ++i) {
                ASSERT_EQ((*part)[i / width][i % width], (*all)[i / width][x + i % width])
                    << k << '/' << stride << ": " << width << " from " << x << ", " << i;
              }
            }
          }
        };
        check(avg_pool(*src, k, k, stride));
        check(avg_pool(*src * 1.0f, k, k, stride));
      }
    }
  });
}

TEST(AvgPool, LongRows) {
  Guarded<2> a(Shape2(3, 3001)), out(Shape2(2, 1501)), one(Shape2(1, 5));
  FillWhole(a, 10);
  *out = avg_pool(*a, 3, 3, 2, 2, 1, 1);
  ExpectValues(out, AvgPool(Values(a), 3, 3001, 2, 1501, AvgWindow{3, 3, 2, 2, 1, 1}), 1e-5);
  *out = 0.0f;
  *out = avg_pool(*a * 1.0f, 3, 3, 2, 2, 1, 1);
  ExpectValues(out, AvgPool(Values(a), 3, 3001, 2, 1501, AvgWindow{3, 3, 2, 2, 1, 1}), 1e-5);
  *one = avg_pool(*a, 3, 1801, 1, 300);
  ExpectValues(one, AvgPool(Values(a), 3, 3001, 1, 5, AvgWindow{3, 1801, 1, 300, 0, 0}), 1e-4);
}

TEST(AvgPool, GoldenValues) {
  Guarded<2> a(Shape2(3, 3)), out(Shape2(2, 2));
  a.FillIota();
  *out = avg_pool(*a, 3, 3, 2, 2, 1, 1);
  ExpectValues(out, {2, 3, 5, 6});
  *out = avg_pool(*a, 2, 2, 1);
  ExpectValues(out, {2, 3, 5, 6});
  *out = avg_pool(*a, Shape2(2, 2), 2, 2, 2, 2);
  ExpectValues(out, {2, 3.5, 6.5, 8});
}

// Sums of integers are wider than the integers, and means are rounded towards 0.
TEST(AvgPool, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 36)), out(Shape2(1, 18));
    *a = static_cast<DType>(100.0f);
    (*a)[1][3] = static_cast<DType>(90.0f);
    *out = avg_pool(*a, 2, 2, 2);
    std::vector<double> expected(18, 100);
    expected[1] = std::is_integral_v<DType> ? 97 : 97.5;
    ExpectValues(out, expected);
    *out = DType(0);
    *out = avg_pool(F<op::identity>(*a), 2, 2, 2);
    ExpectValues(out, expected);
  });
}

TEST(AvgPool, NestsAndIsReduced) {
  Guarded<3> a(Shape3(2, 8, 64)), out(Shape3(2, 2, 16));
  FillWhole(a, 100);
  *out = avg_pool(avg_pool(*a, 2, 2, 2), 2, 2, 2);
  const std::vector<double> expected =
      AvgPool(Values(a), 8, 64, 2, 16, AvgWindow{4, 4, 4, 4, 0, 0});
  ExpectValues(out, expected, 1e-4);
  Guarded<1> total(Shape1(2));
  *total = sumall_except_dim<0>(avg_pool(*a, 4, 4, 4));
  double sums[2] = {0, 0};
  for (int i = 0; i < 64; ++i) sums[i / 32] += expected[i];
  ExpectValues(total, {sums[0], sums[1]}, 1e-2);
}

TEST(AvgPool, Errors) {
  Guarded<2> a(Shape2(5, 7));
  EXPECT_EQ(ErrorOf([&] { avg_pool(*a, 8, 2, 1, 1, 1, 1); }),
            "avg_pool: ksize_y = 8 is out of range: 1 to 7, the extent with its padding (kernel "
            "must be smaller than image)");
  EXPECT_EQ(ErrorOf([&] { avg_pool(*a, 3, 3, 1, 1, 1, 2); }),
            "avg_pool: pad_x = 2 is out of range: 0 to 1, half the window");
  EXPECT_EQ(ErrorOf([&] { avg_pool(*a, 2, 2, 0); }), "avg_pool: kstride_y = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { avg_pool(*a, Shape2(4, 4), 2, 2, 2, 2, 1, 1); }),
            "avg_pool: pooled shape (4,4) has windows that hold no element: image (5,7), window (2,2), "
            "stride (2,2), padding (1,1)");
  EXPECT_EQ(ErrorOf([&] { avg_pool(*a, Shape2(3, 4), 2, 2, 2, 2, 1, 1); }), "no error");
}

}  // namespace
}  // namespace mshadow
