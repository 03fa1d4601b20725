// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/crop.h>
#include <mshadow/extension/pad.h>
#include <mshadow/extension/spatial_unpool.h>

#include <cmath>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

struct UnpoolWindow {
  std::size_t ky, kx, sy, sx;
};

// Spreads the gradient of every window over the elements it covers.
template <typename Reducer>
std::vector<double> Unpool(const std::vector<double>& src, const std::vector<double>& pooled,
                           const std::vector<double>& grad, std::size_t H, std::size_t W,
                           std::size_t h, std::size_t w, const UnpoolWindow& k) {
  std::vector<double> out(src.size());
  for (std::size_t i = 0; i < pooled.size(); ++i) {
    const std::size_t x = i % w, y = i / w % h, plane = i / w / h;
    for (std::size_t v = y * k.sy; v < std::min(y * k.sy + k.ky, H); ++v) {
      for (std::size_t u = x * k.sx; u < std::min(x * k.sx + k.kx, W); ++u) {
        const std::size_t at = (plane * H + v) * W + u;
        out[at] += Reducer::PartialGrad(src[at], pooled[i]) * grad[i];
      }
    }
  }
  return out;
}

template <typename Reducer, int dim>
void CheckSpatialUnpool(const Shape<dim>& shape, const UnpoolWindow& k) {
  const std::size_t H = shape[dim - 2], W = shape[dim - 1];
  for (int clipped : {0, 1}) {
    if (!clipped && (k.ky > H || k.kx > W)) continue;
    const std::size_t h = clipped ? (H - 1) / k.sy + 1 : (H - k.ky) / k.sy + 1;
    const std::size_t w = clipped ? (W - 1) / k.sx + 1 : (W - k.kx) / k.sx + 1;
    Shape<dim> small = shape;
    small[dim - 2] = static_cast<index_t>(h);
    small[dim - 1] = static_cast<index_t>(w);
    // Few different values: ties.
    Guarded<dim> src(shape, 2, 1), pooled(small, 1), grad(small, 3), out(shape, 1), b(shape);
    FillWhole(src, 3);
    FillWhole(pooled, 3, 5);
    FillWhole(grad, 9, 2);
    FillWhole(b, 9, 3);
    std::vector<double> expected =
        Unpool<Reducer>(Values(src), Values(pooled), Values(grad), H, W, h, w, k);
    const index_t ky = static_cast<index_t>(k.ky), kx = static_cast<index_t>(k.kx);
    const index_t sy = static_cast<index_t>(k.sy), sx = static_cast<index_t>(k.sx);
    *out = unpool<Reducer>(*src, *pooled, *grad, ky, kx, sy, sx);
    ExpectValues(out, expected);
    if (sy == sx) {
      *out = 0.0f;
      *out = unpool<Reducer>(*src, *pooled, *grad, ky, kx, sx);
      ExpectValues(out, expected);
    }
    std::vector<double> more = expected;
    for (std::size_t i = 0; i < more.size(); ++i) more[i] += 2 * expected[i] + b.At(i);
    *out += unpool<Reducer>(*src * 2.0f, *pooled * 2.0f, *grad * 2.0f, ky, kx, sy, sx) + *b;
    ExpectValues(out, more);
    // A part, as of a padded image: of operands in memory, and of such that are computed.
    if (H > 2 && W > 3) {
      Shape<dim> inner = shape;
      inner[dim - 2] -= 2;
      inner[dim - 1] -= 3;
      const Shape<2> size = Shape2(inner[dim - 2], inner[dim - 1]);
      std::vector<double> part;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t x = i % W, y = i / W % H;
        if (y >= 1 && y + 1 < H && x >= 2 && x + 1 < W) part.push_back(expected[i]);
      }
      Guarded<dim> cropped(inner, 2);
      *cropped = crop(unpool<Reducer>(*src, *pooled, *grad, ky, kx, sy, sx), size, 1, 2);
      ExpectValues(cropped, part);
      *cropped = -1.0f;
      *cropped = 0.5f * crop(unpool<Reducer>(pad(*src, 0), pad(*pooled, 0), pad(*grad, 0) * 2.0f,
                                             ky, kx, sy, sx),
                             size, 1, 2);
      ExpectValues(cropped, part);
    }
    Guarded<dim> in_place(shape, 1);
    *in_place = *src * 1.0f;
    *in_place = unpool<Reducer>(*in_place, *pooled, *grad, ky, kx, sy, sx);
    ExpectValues(in_place, expected);
    // Operands of three types, in place: src is read at the index that is written.
    *src = unpool<Reducer>(*src, *pooled + 0.0f, *grad * 1.0f, ky, kx, sy, sx);
    ExpectValues(src, expected);
  }
}

template <typename Reducer, int dim>
void CheckAllSpatialUnpool(const Shape<dim>& small, const Shape<dim>& wide) {
  const UnpoolWindow windows[] = {{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 2, 2}, {3, 3, 1, 1},
                                  {2, 2, 1, 1}, {2, 3, 3, 2}, {3, 2, 1, 2}, {5, 5, 2, 2},
                                  {1, 3, 2, 5}, {7, 9, 1, 1}, {4, 4, 4, 4}, {3, 2, 2, 3}};
  for (const UnpoolWindow& k : windows) {
    SCOPED_TRACE(::testing::Message() << k.ky << 'x' << k.kx << '/' << k.sy << ',' << k.sx);
    CheckSpatialUnpool<Reducer>(small, k);
    CheckSpatialUnpool<Reducer>(wide, k);
  }
}

TEST(Unpool, Maximum) {
  ForEachIsa([] {
    CheckAllSpatialUnpool<red::maximum>(Shape2(7, 9), Shape2(2, 40));
    CheckAllSpatialUnpool<red::maximum>(Shape5(2, 1, 2, 6, 7), Shape5(1, 2, 1, 9, 33));
  });
}
TEST(Unpool, Sum) {
  ForEachIsa([] { CheckAllSpatialUnpool<red::sum>(Shape3(3, 8, 57), Shape3(2, 4, 5)); });
}

// Rows are cut into vectors of 16, 8 or 4 windows that overlap, or few are taken cell by cell.
TEST(Unpool, EveryWidth) {
  ForEachIsa([] {
    for (index_t width = 1; width <= 70; ++width) {
      for (const UnpoolWindow& k :
           {UnpoolWindow{2, 2, 2, 2}, UnpoolWindow{3, 3, 2, 2}, UnpoolWindow{3, 3, 1, 1}}) {
        SCOPED_TRACE(::testing::Message() << width << ": " << k.ky << 'x' << k.kx << '/' << k.sy);
        CheckSpatialUnpool<red::maximum>(Shape2(6, width), k);
        CheckSpatialUnpool<red::sum>(Shape2(6, width), k);
      }
    }
  });
}

// Rows of so many cells are taken in one go, longer ones in parts.
TEST(Unpool, AboutTheLongestRows) {
  ForEachIsa([] {
    for (index_t width : {255, 256, 257, 263, 264, 509, 512, 513, 545, 1031}) {
      for (std::size_t k : {2, 3}) {
        SCOPED_TRACE(::testing::Message() << width << ' ' << k);
        CheckSpatialUnpool<red::maximum>(Shape3(2, 9, width), UnpoolWindow{k, k, 2, 2});
        CheckSpatialUnpool<red::sum>(Shape3(2, 9, width), UnpoolWindow{k, k, 2, 2});
      }
    }
  });
}

// The square root of a sum of squares: a window that is not there must not count as one of norm 0.
struct Norm : public red::sum {
  template <typename DType>
  MSHADOW_XINLINE static DType PartialGrad(DType src, DType norm) {
    return src / norm;
  }
};
TEST(Unpool, WindowsThatAreNotThereDivideNothing) {
  for (std::size_t s : {1, 2, 3}) {
    SCOPED_TRACE(s);
    const std::size_t w = (21 - 3) / s + 1;
    const index_t small = static_cast<index_t>(w), stride = static_cast<index_t>(s);
    Guarded<2> src(Shape2(21, 21)), norm(Shape2(small, small)), grad(norm->shape_),
        out(src->shape_);
    FillWhole(src, 9);
    FillWhole(grad, 9, 2);
    *norm = 4.0f;
    *out = unpool<Norm>(*src, *norm, *grad, 3, 3, stride);
    ExpectValues(out, Unpool<Norm>(Values(src), Values(norm), Values(grad), 21, 21, w, w,
                                   UnpoolWindow{3, 3, s, s}));
  }
}

// Nor does a window that the element is not in, but that is computed with its own.
TEST(Unpool, OtherWindowsDivideNothing) {
  for (std::size_t k : {2, 3}) {
    const std::size_t w = (21 - k) / 2 + 1;
    const index_t small = static_cast<index_t>(w), side = static_cast<index_t>(k);
    Guarded<2> src(Shape2(21, 21)), norm(Shape2(small, small)), grad(norm->shape_);
    Guarded<2> out(src->shape_);
    FillWhole(src, 9);
    FillWhole(grad, 9, 2);
    for (index_t i = 0; i < small * small; ++i) {
      (*norm)[i / small][i % small] = i % 4 == 3 ? 0.0f : 4.0f;
    }
    *out = unpool<Norm>(*src, *norm, *grad, side, side, 2);
    const std::vector<double> expected = Unpool<Norm>(Values(src), Values(norm), Values(grad), 21,
                                                      21, w, w, UnpoolWindow{k, k, 2, 2});
    int finite = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!std::isfinite(expected[i])) continue;
      ++finite;
      EXPECT_FLOAT_EQ(out.At(i), static_cast<float>(expected[i])) << i;
    }
    EXPECT_GT(finite, 100);
  }
}

// Fewer windows than fit, and as many as begin in the image.
TEST(Unpool, AnyNumberOfWindows) {
  ForEachIsa([] {
    for (std::size_t k : {2, 3}) {
      for (std::size_t h : {1, 2, 3}) {
        for (std::size_t w : {1, 2, 17, 18, 19, 20}) {
          SCOPED_TRACE(::testing::Message() << k << ": " << h << 'x' << w);
          const index_t size = static_cast<index_t>(k);
          Guarded<3> src(Shape3(2, 5, 40), 1);
          Guarded<3> pooled(Shape3(2, static_cast<index_t>(h), static_cast<index_t>(w)));
          Guarded<3> grad(pooled->shape_), out(src->shape_, 1);
          FillWhole(src, 3);
          FillWhole(pooled, 3, 5);
          FillWhole(grad, 9);
          *out = unpool<red::maximum>(*src, *pooled, *grad, size, size, 2);
          ExpectValues(out, Unpool<red::maximum>(Values(src), Values(pooled), Values(grad), 5, 40,
                                                 h, w, UnpoolWindow{k, k, 2, 2}));
        }
      }
    }
  });
}

// How a row is cut, by threads or by a view, changes no bit: sums of four windows are in one order.
TEST(Unpool, PartsAreTheSameBits) {
  ForEachIsa([] {
    for (std::size_t k : {2, 3, 5}) {
      const index_t side = static_cast<index_t>(k), small = (61 - side) / 2 + 1;
      Guarded<2> src(Shape2(9, 61), 1), pooled(Shape2((9 - side) / 2 + 1, small), 2);
      Guarded<2> grad(pooled->shape_, 1), all(src->shape_);
      FillWhole(src, 3);
      FillWhole(pooled, 3, 5);
      for (index_t i = 0; i < grad->shape_.Size(); ++i) {
        (*grad)[i / small][i % small] = 1.0f / static_cast<float>(i * 7 % 23 + 3);
      }
      const auto check = [&](const auto& exp) {
        *all = exp;
        for (index_t n : {1, 2, 3, 5, 8, 9, 17, 40, 61}) {
          for (index_t x = 0; x + n <= 61; x += n < 9 ? 1 : 4) {
            Guarded<2> part(Shape2(9, n), 3);
            *part = crop(exp, Shape2(9, n), 0, x);
            for (index_t i = 0; i < 9 * n; ++i) {
              ASSERT_EQ((*part)[i / n][i % n], (*all)[i / n][x + i % n])
                  << k << ": " << n << " from " << x << ", " << i;
            }
          }
        }
      };
      check(unpool<red::sum>(*src, *pooled, *grad, side, side, 2));
      check(unpool<red::maximum>(*src, *pooled, *grad, side, side, 2));
    }
  });
}

// Rows and windows longer than what is computed in advance at a time.
TEST(Unpool, LongRows) {
  for (std::size_t kx : {2, 3, 5, 1801}) {
    const std::size_t stride = kx == 1801 ? 600 : 2, w = (3001 - kx) / stride + 1;
    const index_t small = static_cast<index_t>(w);
    Guarded<2> src(Shape2(2, 3001)), pooled(Shape2(1, small)), grad(Shape2(1, small));
    Guarded<2> out(src->shape_);
    FillWhole(src, 3);
    FillWhole(pooled, 3, 5);
    FillWhole(grad, 9);
    *out = unpool<red::maximum>(*src, *pooled, *grad, 2, static_cast<index_t>(kx), 2,
                                static_cast<index_t>(stride));
    const std::vector<double> expected = Unpool<red::maximum>(
        Values(src), Values(pooled), Values(grad), 2, 3001, 1, w, UnpoolWindow{2, kx, 2, stride});
    ExpectValues(out, expected);
    *out = unpool<red::maximum>(*src, *pooled, *grad * 1.0f, 2, static_cast<index_t>(kx), 2,
                                static_cast<index_t>(stride));
    ExpectValues(out, expected);
    *src = unpool<red::maximum>(*src, *pooled, *grad, 2, static_cast<index_t>(kx), 2,
                                static_cast<index_t>(stride));
    ExpectValues(src, expected);
  }
}

// A wide image with few windows: parts of its rows have none. Their gradients are computed too.
TEST(Unpool, FarBehindTheWindows) {
  ForEachIsa([] {
    for (std::size_t k : {2, 3}) {
      for (index_t w : {3, 4, 9, 17, 256, 300}) {
        SCOPED_TRACE(::testing::Message() << k << ' ' << w);
        Guarded<2> src(Shape2(8, 2000)), pooled(Shape2(4, w)), grad(pooled->shape_);
        Guarded<2> out(src->shape_);
        FillWhole(src, 3);
        FillWhole(pooled, 3, 5);
        FillWhole(grad, 9, 2);
        const index_t side = static_cast<index_t>(k);
        *out = unpool<red::maximum>(*src, *pooled, *grad, side, side, 2);
        ExpectValues(out, Unpool<red::maximum>(Values(src), Values(pooled), Values(grad), 8, 2000,
                                               4, w, UnpoolWindow{k, k, 2, 2}));
      }
    }
  });
}
TEST(Unpool, FarBehindComputedWindows) {
  Guarded<2> src(Shape2(8, 2000)), pooled(Shape2(4, 9)), out(src->shape_);
  Guarded<2> inner_src(Shape2(4, 9)), inner_pooled(Shape2(2, 4)), inner_grad(Shape2(2, 4));
  FillWhole(src, 3);
  FillWhole(pooled, 3, 5);
  FillWhole(inner_src, 3, 1);
  FillWhole(inner_pooled, 3, 2);
  FillWhole(inner_grad, 9);
  const UnpoolWindow k{2, 2, 2, 2};
  const std::vector<double> grad = Unpool<red::maximum>(Values(inner_src), Values(inner_pooled),
                                                        Values(inner_grad), 4, 9, 2, 4, k);
  *out = unpool<red::maximum>(*src, *pooled,
                              unpool<red::maximum>(*inner_src, *inner_pooled, *inner_grad, 2, 2, 2),
                              2, 2, 2);
  ExpectValues(out, Unpool<red::maximum>(Values(src), Values(pooled), grad, 8, 2000, 4, 9, k));
}

// So many rows of windows cover a cell that a band does not hold them, nor what a cell needs.
TEST(Unpool, ManyRowsOfWindows) {
  for (std::size_t k : {50, 110}) {
    const index_t size = static_cast<index_t>(k), n = 120 - size + 1;
    const std::size_t windows = 120 - k + 1;
    Guarded<2> src(Shape2(120, 120)), pooled(Shape2(n, n)), grad(Shape2(n, n)), out(src->shape_);
    FillWhole(src, 3);
    FillWhole(pooled, 3, 5);
    FillWhole(grad, 9);
    const std::vector<double> expected =
        Unpool<red::maximum>(Values(src), Values(pooled), Values(grad), 120, 120, windows, windows,
                             UnpoolWindow{k, k, 1, 1});
    *out = unpool<red::maximum>(*src, *pooled, *grad, size, size, 1);
    ExpectValues(out, expected);
    *out = 0.0f;
    *out = unpool<red::maximum>(*src * 1.0f, *pooled, *grad, size, size, 1);
    ExpectValues(out, expected);
  }
}

TEST(Unpool, TiesAllGetTheGradient) {
  Guarded<2> src(Shape2(4, 4)), pooled(Shape2(2, 2)), grad(Shape2(2, 2)), out(Shape2(4, 4));
  *src = 1.0f;
  *pooled = 1.0f;
  *grad = 5.0f;
  *out = unpool<red::maximum>(*src, *pooled, *grad, 2, 2, 2, 2);
  ExpectValues(out, std::vector<double>(16, 5));
}

TEST(Unpool, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    for (std::size_t k : {2, 3}) {
      const index_t size = static_cast<index_t>(k);
      Guarded<2, DType> src(Shape2(5, 37), 1), pooled(Shape2(2, 18)), grad(Shape2(2, 18), 2),
          out(Shape2(5, 37));
      FillWhole(src, 3);
      FillWhole(pooled, 3, 5);
      FillWhole(grad, 9);
      *out = unpool<red::maximum>(*src, *pooled, *grad, size, size, 2);
      ExpectValues(out, Unpool<red::maximum>(Values(src), Values(pooled), Values(grad), 5, 37, 2,
                                             18, UnpoolWindow{k, k, 2, 2}));
    }
  });
}

TEST(Unpool, LargeIsSplitAmongThreads) {
  for (std::size_t k : {2, 3}) {
    Guarded<4> src(Shape4(9, 15, 50, 56)), pooled(Shape4(9, 15, 25, 28)), grad(pooled->shape_);
    FillWhole(src, 3);
    FillWhole(pooled, 3, 5);
    FillWhole(grad, 9);
    const std::vector<double> expected = Unpool<red::maximum>(
        Values(src), Values(pooled), Values(grad), 50, 56, 25, 28, UnpoolWindow{k, k, 2, 2});
    *src = unpool<red::maximum>(*src, *pooled, *grad, static_cast<index_t>(k),
                                static_cast<index_t>(k), 2);
    ExpectValues(src, expected);
  }
}

// The gradient lies in the destination: a temporary keeps it whole.
TEST(Unpool, IntoItsGradient) {
  Guarded<1> memory(Shape1(64));
  memory.FillIota();
  Tensor<TestDevice, 2> out(memory->dptr_, Shape2(4, 8)), grad(memory->dptr_, Shape2(2, 4));
  Guarded<2> src(Shape2(4, 8)), pooled(Shape2(2, 4));
  *src = 1.0f;
  *pooled = 1.0f;
  out = unpool<red::maximum>(*src, *pooled, grad, 2, 2, 2);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(memory.At(i), i / 16 * 4 + i % 8 / 2) << i;
}

TEST(Unpool, Errors) {
  Guarded<3> src(Shape3(2, 4, 4)), pooled(Shape3(2, 2, 2)), grad(Shape3(2, 2, 3));
  Guarded<3> planes(Shape3(3, 2, 2));
  std::string error = ErrorOf([&] { unpool<red::sum>(*src, *pooled, *grad, 2, 2, 2); });
  EXPECT_NE(error.find("UnPoolingExp: pooled shape mismatch"), std::string::npos) << error;
  EXPECT_NE(error.find("(2,2,3)"), std::string::npos) << error;
  error = ErrorOf([&] { unpool<red::sum>(*src, *planes, *planes, 2, 2, 2); });
  EXPECT_NE(error.find("(3,2,2)"), std::string::npos) << error;
  EXPECT_EQ(ErrorOf([&] { unpool<red::sum>(*src, *pooled, *pooled, 2, 2, 0); }),
            "unpool: kstride_y = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { unpool<red::maximum>(*src, *pooled, *pooled, 2, 2, 3, 4); }),
            "unpool: pooled shape (2,2) has windows that hold no element: image (4,4), window (2,2), "
            "stride (3,4)");
}

}  // namespace
}  // namespace mshadow
