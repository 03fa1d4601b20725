// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/spatial_pool.h>

#include <cmath>
#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

struct PoolWindow {
  index_t ky, kx, sy, sx;
};

// Pooling of planes (H, W) to (h, w); windows are clipped at the end of the plane.
template <typename Reducer>
std::vector<double> Pool(const std::vector<double>& a, std::size_t H, std::size_t W, std::size_t h,
                         std::size_t w, const PoolWindow& k) {
  std::vector<double> out;
  for (std::size_t plane = 0; plane < a.size() / (H * W); ++plane) {
    for (std::size_t y = 0; y < h; ++y) {
      for (std::size_t x = 0; x < w; ++x) {
        double value;
        Reducer::SetInitValue(value);
        for (std::size_t v = y * k.sy; v < std::min<std::size_t>(y * k.sy + k.ky, H); ++v) {
          for (std::size_t u = x * k.sx; u < std::min<std::size_t>(x * k.sx + k.kx, W); ++u) {
            const double element = a[(plane * H + v) * W + u];
            value = Reducer::Combine(value, element);
          }
        }
        out.push_back(value);
      }
    }
  }
  return out;
}

template <typename Reducer, int dim>
void CheckSpatialPool(const Shape<dim>& shape, const PoolWindow& k) {
  const index_t H = shape[dim - 2], W = shape[dim - 1];
  Guarded<dim> a(shape, k.ky, 1);
  FillWhole(a, 13);
  Shape<dim> pooled = shape;
  if (k.ky <= H && k.kx <= W) {
    pooled[dim - 2] = (H - k.ky) / k.sy + 1;
    pooled[dim - 1] = (W - k.kx) / k.sx + 1;
    Guarded<dim> out(pooled, k.kx), b(pooled, 1);
    FillWhole(b, 13, 2);
    std::vector<double> expected =
        Pool<Reducer>(Values(a), H, W, pooled[dim - 2], pooled[dim - 1], k);
    *out = pool<Reducer>(*a, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected);
    // What is pooled need not lie in memory.
    *out = 0.0f;
    *out = pool<Reducer>(*a * 1.0f, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected);
    if (k.sy == k.sx) {
      *out = 0.0f;
      *out = pool<Reducer>(*a, k.ky, k.kx, k.sx);
      ExpectValues(out, expected);
    }
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 3 * expected[i] + b.At(i);
    *out += pool<Reducer>(*a * 2.0f, k.ky, k.kx, k.sy, k.sx) + *b;
    ExpectValues(out, expected);
  }
  // All windows that begin inside.
  pooled[dim - 2] = (H - 1) / k.sy + 1;
  pooled[dim - 1] = (W - 1) / k.sx + 1;
  Guarded<dim> out(pooled, 1);
  const std::vector<double> expected =
      Pool<Reducer>(Values(a), H, W, pooled[dim - 2], pooled[dim - 1], k);
  const Shape<2> pshape = Shape2(pooled[dim - 2], pooled[dim - 1]);
  *out = pool<Reducer>(*a, pshape, k.ky, k.kx, k.sy, k.sx);
  ExpectValues(out, expected);
  *out = 0.0f;
  *out = pool<Reducer>(*a * 1.0f, pshape, k.ky, k.kx, k.sy, k.sx);
  ExpectValues(out, expected);
  if (k.sy == k.sx) {
    *out = 0.0f;
    *out = pool<Reducer>(*a, pshape, k.ky, k.kx, k.sx);
    ExpectValues(out, expected);
  }
}

template <typename Reducer, int dim>
void CheckAllSpatialPool(const Shape<dim>& small, const Shape<dim>& wide) {
  const PoolWindow windows[] = {{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 2, 2}, {3, 3, 1, 1},
                                {2, 2, 1, 1}, {2, 3, 3, 2}, {3, 2, 1, 2}, {5, 5, 2, 2},
                                {5, 4, 1, 3}, {1, 3, 2, 5}, {7, 9, 1, 1}, {9, 2, 1, 1}};
  for (const PoolWindow& k : windows) {
    SCOPED_TRACE(::testing::Message() << k.ky << 'x' << k.kx << '/' << k.sy << ',' << k.sx);
    CheckSpatialPool<Reducer>(small, k);
    CheckSpatialPool<Reducer>(wide, k);
  }
}

TEST(Pool, Maximum) {
  ForEachIsa([] {
    CheckAllSpatialPool<red::maximum>(Shape2(7, 9), Shape2(2, 40));
    CheckAllSpatialPool<red::maximum>(Shape5(2, 1, 2, 6, 7), Shape5(1, 2, 1, 9, 33));
  });
}
TEST(Pool, Sum) {
  ForEachIsa([] { CheckAllSpatialPool<red::sum>(Shape3(3, 8, 57), Shape3(2, 4, 5)); });
}

// Rows of images are cut into vectors of 16, 8 or 4 windows that overlap: as many of each.
TEST(Pool, EveryWidth) {
  ForEachIsa([] {
    for (index_t width = 1; width <= 70; ++width) {
      for (const PoolWindow& k : {PoolWindow{2, 2, 2, 2}, PoolWindow{3, 3, 2, 2},
                                  PoolWindow{2, 2, 1, 1}, PoolWindow{3, 3, 1, 1}}) {
        SCOPED_TRACE(::testing::Message() << width << ": " << k.ky << 'x' << k.kx << '/' << k.sy);
        CheckSpatialPool<red::maximum>(Shape2(6, width), k);
      }
    }
  });
}

// Few large windows in a row, of several images, of which a kernel takes a few rows at a time.
TEST(Pool, FewLargeWindows) {
  ForEachIsa([] {
    for (index_t images : {1, 3, 21}) {
      CheckSpatialPool<red::maximum>(Shape3(images, 16, 16), PoolWindow{8, 8, 8, 8});
      CheckSpatialPool<red::sum>(Shape3(images, 9, 30), PoolWindow{4, 9, 4, 10});
      CheckSpatialPool<red::sum>(Shape3(images, 12, 5), PoolWindow{4, 5, 4, 1});
    }
  });
}

// Rows, windows and images larger than what is computed in advance at a time.
TEST(Pool, LargeImages) {
  const auto check = [](const Shape<2>& shape, const PoolWindow& k) {
    Guarded<2> a(shape), out(Shape2((shape[0] - k.ky) / k.sy + 1, (shape[1] - k.kx) / k.sx + 1));
    FillWhole(a, 1000);
    const std::vector<double> expected = Pool<red::maximum>(
        Values(a), shape[0], shape[1], out->shape_[0], out->shape_[1], k);
    *out = pool<red::maximum>(*a, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected);
    *out = 0.0f;
    *out = pool<red::maximum>(*a * 1.0f, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected);
  };
  check(Shape2(5, 3001), PoolWindow{3, 3, 2, 2});
  check(Shape2(5, 3001), PoolWindow{5, 1801, 1, 4});
  check(Shape2(301, 70), PoolWindow{3, 3, 2, 2});
  check(Shape2(301, 70), PoolWindow{2, 3, 3, 1});
  check(Shape2(301, 70), PoolWindow{211, 2, 10, 2});
  check(Shape2(301, 70), PoolWindow{211, 40, 10, 2});
}

// Windows of which the image holds one row and one column.
TEST(Pool, ClippedWindows) {
  const auto check = [](auto zero, const Shape<2>& shape, const PoolWindow& k) {
    using DType = decltype(zero);
    const Shape<2> pshape = Shape2((shape[0] - 1) / k.sy + 1, (shape[1] - 1) / k.sx + 1);
    Guarded<2, DType> a(shape, 1), out(pshape, 2);
    FillWhole(a, 13);
    const std::vector<double> expected =
        Pool<red::maximum>(Values(a), shape[0], shape[1], pshape[0], pshape[1], k);
    *out = pool<red::maximum>(*a, pshape, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected);
    *out = DType(0);
    *out = pool<red::maximum>(F<op::identity>(*a), pshape, k.ky, k.kx, k.sy, k.sx);
    ExpectValues(out, expected);
  };
  for (const Shape<2>& shape : {Shape2(1, 10), Shape2(6, 4), Shape2(5, 70)}) {
    for (const PoolWindow& k : {PoolWindow{1, 4, 1, 12}, PoolWindow{2, 2, 1, 1},
                                PoolWindow{3, 3, 2, 2}, PoolWindow{4, 5, 1, 1}}) {
      check(0.0f, shape, k);
      check(half::half_t(0.0f), shape, k);
    }
  }
}

TEST(Pool, GoldenValues) {
  Guarded<2> a(Shape2(5, 5)), two(Shape2(2, 2)), three(Shape2(3, 3));
  a.FillIota();
  *two = pool<red::maximum>(*a, 2, 2, 2, 2);
  ExpectValues(two, {6, 8, 16, 18});
  *three = pool<red::maximum>(*a, Shape2(3, 3), 2, 2, 2, 2);
  ExpectValues(three, {6, 8, 9, 16, 18, 19, 21, 23, 24});
  *three = pool<red::sum>(*a, Shape2(3, 3), 2, 2, 2, 2);
  ExpectValues(three, {12, 20, 13, 52, 60, 33, 41, 45, 24});
}

TEST(Pool, NanAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  ForEachIsa([&] {
    for (int at = 0; at < 4; ++at) {
      Guarded<2> a(Shape2(2, 80)), out(Shape2(1, 40));
      *a = -inf;
      (*a)[at / 2][10 + at % 2] = nan;
      (*a)[at / 2][78 + at % 2] = nan;
      *out = pool<red::maximum>(*a, 2, 2, 2);
      for (int x = 0; x < 40; ++x) {
        const float value = (*out)[0][x];
        EXPECT_TRUE(x == 5 || x == 39 ? std::isnan(value) : value == -inf) << x << ": " << value;
      }
    }
  });
}

// Also where three elements are combined at a time, in every row of a window.
TEST(Pool, NanInLargeWindows) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto check = [&](index_t width, index_t ksize, index_t stride, index_t y, index_t at) {
    Guarded<2> a(Shape2(ksize, width)), out(Shape2(1, (width - ksize) / stride + 1));
    *a = 1.0f;
    (*a)[y][at] = nan;
    *out = pool<red::minimum>(*a, ksize, ksize, stride);
    for (index_t x = 0; x < out->shape_[1]; ++x) {
      const bool covers = x * stride <= at && at < x * stride + ksize;
      EXPECT_EQ(std::isnan((*out)[0][x]), covers)
          << width << ": " << ksize << '/' << stride << ", " << y << " at " << at << ": " << x;
    }
  };
  ForEachIsa([&] {
    for (index_t width : {12, 20, 70}) {
      for (index_t ksize : {2, 3, 5}) {
        for (index_t stride : {1, 2, 3}) {
          for (index_t at = width - 12; at < width; ++at) {
            for (index_t y = 0; y < ksize; ++y) check(width, ksize, stride, y, at);
          }
        }
      }
    }
  });
}

TEST(Pool, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<3, DType> a(Shape3(2, 6, 37), 1), out(Shape3(2, 3, 18), 2);
    FillWhole(a, 9);
    const PoolWindow k{2, 2, 2, 2};
    *out = pool<red::maximum>(*a, 2, 2, 2);
    ExpectValues(out, Pool<red::maximum>(Values(a), 6, 37, 3, 18, k));
    *out = DType(0);
    *out = pool<red::maximum>(F<op::identity>(*a), 2, 2, 2);
    ExpectValues(out, Pool<red::maximum>(Values(a), 6, 37, 3, 18, k));
    if constexpr (sizeof(DType) == 2) {
      *out = pool<red::sum>(*a, 2, 2, 2);
      ExpectValues(out, Pool<red::sum>(Values(a), 6, 37, 3, 18, k));
    }
  });
}

// Images that are a window each, in one piece: vectors of their cells, of every type.
TEST(Pool, WholeImages) {
  for (index_t side = 2; side <= 19; ++side) {
    Guarded<3> a(Shape3(5, side, side)), out(Shape3(5, 1, 1));
    FillWhole(a, 13);
    const PoolWindow k{side, side, 1, 1};
    *out = pool<red::maximum>(*a, side, side, 1);
    ExpectValues(out, Pool<red::maximum>(Values(a), side, side, 1, 1, k));
    *out = pool<red::sum>(*a * 2.0f, side, side, 1);
    std::vector<double> sums = Pool<red::sum>(Values(a), side, side, 1, 1, k);
    for (double& sum : sums) sum *= 2;
    ExpectValues(out, sums);
    if (side % 4 != 3) continue;
    for (index_t cell = 0; cell < side * side; ++cell) {
      const float old = (*a)[2][cell / side][cell % side];
      (*a)[2][cell / side][cell % side] = NAN;
      *out = pool<red::maximum>(*a, side, side, 1);
      for (index_t i = 0; i < 5; ++i) ASSERT_EQ(std::isnan((*out)[i][0][0]), i == 2) << cell;
      (*a)[2][cell / side][cell % side] = old;
    }
  }
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<3, DType> a(Shape3(3, 6, 7)), out(Shape3(3, 1, 1));
    FillWhole(a, 2);
    *out = pool<red::sum>(*a, Shape2(1, 1), 6, 7, 1, 1);
    ExpectValues(out, Pool<red::sum>(Values(a), 6, 7, 1, 1, PoolWindow{6, 7, 1, 1}));
  });
}

// 256 + 1 is 256 in bfloat16: the sum of a window is rounded once.
TEST(Pool, SumsOf16BitFloatsAreKeptInFloat) {
  Guarded<2, bfloat::bf16_t> a(Shape2(3, 3)), out(Shape2(1, 1));
  *a = bfloat::bf16_t(1.0f);
  (*a)[0][0] = bfloat::bf16_t(256.0f);
  *out = pool<red::sum>(*a, 3, 3, 1);
  EXPECT_EQ(static_cast<float>((*out)[0][0]), 264.0f);
}

// A reducer with nothing but what 2015's had.
struct SumOfSquares {
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, volatile DType src) {  // NOLINT
    dst += src * src;
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv) {  // NOLINT
    initv = 0;
  }
};

TEST(Pool, UsersReducer) {
  Guarded<2> a(Shape2(2, 6)), out(Shape2(1, 3));
  a.FillIota();
  *out = pool<SumOfSquares>(*a, 2, 2, 2);
  ExpectValues(out, {0 + 1 + 36 + 49, 4 + 9 + 64 + 81, 16 + 25 + 100 + 121});
}

TEST(Pool, OfPooledAndReshaped) {
  Guarded<3> a(Shape3(3, 12, 40), 1), out(Shape3(3, 3, 10));
  FillWhole(a, 1000);
  *out = pool<red::maximum>(pool<red::maximum>(*a, 2, 2, 2) * 2.0f, 2, 2, 2);
  std::vector<double> expected =
      Pool<red::maximum>(Values(a), 12, 40, 3, 10, PoolWindow{4, 4, 4, 4});
  for (double& value : expected) value *= 2;
  ExpectValues(out, expected);
  Guarded<2> flat(Shape2(12, 3 * 40), 2), wide(Shape2(9, 20));
  FillWhole(flat, 1000);
  Guarded<3> padded(Shape3(3, 14, 42)), cut(Shape3(3, 10, 30));
  *padded = pad(*a, 1);
  *cut = crop(*a, Shape2(10, 30), 1, 3);
  Guarded<3> out3(Shape3(3, 6, 20));
  *out3 = pool<red::maximum>(pad(*a, 1), 3, 3, 2);
  ExpectValues(out3, Pool<red::maximum>(Values(padded), 14, 42, 6, 20, PoolWindow{3, 3, 2, 2}));
  Guarded<3> out_cut(Shape3(3, 5, 15));
  *out_cut = pool<red::maximum>(crop(*a, Shape2(10, 30), 1, 3), 2, 2, 2);
  ExpectValues(out_cut, Pool<red::maximum>(Values(cut), 10, 30, 5, 15, PoolWindow{2, 2, 2, 2}));
  *wide = pool<red::maximum>(reshape(*flat, Shape2(36, 40)), Shape2(9, 20), 2, 2, 4, 2);
  ExpectValues(wide, Pool<red::maximum>(Values(flat), 36, 40, 9, 20, PoolWindow{2, 2, 4, 2}));
}

TEST(Pool, LargeIsSplitAmongThreads) {
  Guarded<4> a(Shape4(8, 16, 55, 57)), out(Shape4(8, 16, 27, 28));
  FillWhole(a, 1000);
  *out = pool<red::maximum>(*a, 3, 3, 2);
  ExpectValues(out, Pool<red::maximum>(Values(a), 55, 57, 27, 28, PoolWindow{3, 3, 2, 2}));
}

TEST(Pool, OfItself) {
  Guarded<2> a(Shape2(4, 4));
  a.FillIota();
  Tensor<TestDevice, 2> upper(a->dptr_, Shape2(2, 2));
  upper = pool<red::maximum>(*a, 2, 2, 2);
  EXPECT_EQ(a->dptr_[0], 5);
  EXPECT_EQ(a->dptr_[1], 7);
  EXPECT_EQ(a->dptr_[2], 13);
  EXPECT_EQ(a->dptr_[3], 15);
}

TEST(Pool, Errors) {
  Guarded<2> a(Shape2(5, 7));
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*a, 6, 2, 1); }),
            "pool: ksize_y = 6 is out of range: 1 to 5, the extent with its padding (kernel "
            "must be smaller than image)");
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*a, 2, 8, 1); }),
            "pool: ksize_x = 8 is out of range: 1 to 7, the extent with its padding (kernel "
            "must be smaller than image)");
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*a, 2, 2, 0); }), "pool: kstride_y = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*a, Shape2(2, 2), 0, 2, 1); }),
            "pool: ksize_y = 0 must be positive");
}

TEST(Pool, WindowsWithoutAnElement) {
  Guarded<2> a(Shape2(4, 4)), none(Shape2(0, 4)), out(Shape2(0, 7));
  const char* const message =
      "pool: pooled shape (4,4) has windows that hold no element: image (4,4), window (2,2), "
      "stride (2,2)";
  EXPECT_EQ(ErrorOf([&] { pool<red::maximum>(*a, Shape2(4, 4), 2, 2, 2, 2); }), message);
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*a, Shape2(4, 4), 2, 2, 2); }), message);
  EXPECT_NE(ErrorOf([&] { pool<red::sum>(*a, Shape2(2, 3), 5, 5, 2); }), "no error");
  EXPECT_NE(ErrorOf([&] { pool<red::sum>(*a, Shape2(3, 2), 5, 5, 2); }), "no error");
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*a, Shape2(2, 2), 5, 5, 2); }), "no error");
  EXPECT_NE(ErrorOf([&] { pool<red::sum>(*a, Shape2(1, static_cast<index_t>(-1)), 1, 1, 1); }), "no error");
  EXPECT_EQ(ErrorOf([&] { pool<red::sum>(*none, Shape2(1, 1), 1, 1, 1); }),
            "pool: pooled shape (1,1) has windows that hold no element: image (0,4), window (1,1), "
            "stride (1,1)");
  *out = pool<red::sum>(*a, out->shape_, 2, 2, 2);  // no windows at all
}

// Sizes and strides that no image has, which nothing may add up or multiply.
TEST(Pool, HugeWindows) {
  const index_t most = std::numeric_limits<index_t>::max();
  Guarded<2> a(Shape2(4, 40)), one(Shape2(1, 1)), row(Shape2(1, 40)), out(Shape2(4, 40));
  a.FillIota();
  *one = pool<red::sum>(*a, Shape2(1, 1), most, most, most);
  ExpectValues(one, {12720});
  *one = pool<red::maximum>(*a * 1.0f, Shape2(1, 1), most, most, most);
  ExpectValues(one, {159});
  *one = pool<red::sum>(*a, 2, 2, most);
  ExpectValues(one, {82});
  *row = pool<red::minimum>(*a, Shape2(1, 40), most, 1, most, 1);
  for (int x = 0; x < 40; ++x) EXPECT_EQ(row.At(x), x);
  *one = 1.0f;
  *out = unpool<red::sum>(*a, *one, *one, most, most, most);
  ExpectValues(out, std::vector<double>(160, 1));
  *one = avg_pool(*a, Shape2(1, 1), most, most, most, most);
  ExpectValues(one, {79.5}, 1e-4);
  *out = avg_unpool(*one, out->shape_, most, most, most, most);
  ExpectValues(out, std::vector<double>(160, 79.5 / 160), 1e-6);
  EXPECT_NE(ErrorOf([&] { pad(*a, most / 2); }), "no error");
}

}  // namespace
}  // namespace mshadow
