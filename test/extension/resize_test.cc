// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/resize.h>

#include <algorithm>
#include <cmath>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// Bilinear between pixels that may lie outside.
std::vector<double> Resize(const std::vector<double>& a, long H, long W, long h, long w, bool edge,
                           double pad) {
  std::vector<double> out;
  for (long i = 0; i < static_cast<long>(a.size()) / (H * W) * h * w; ++i) {
    const long x = i % w, y = i / w % h, plane = i / w / h;
    const double v = (double(H) / h - 1) / 2 + y * double(H) / h;
    const double u = (double(W) / w - 1) / 2 + x * double(W) / w;
    const long top = static_cast<long>(std::floor(v)), left = static_cast<long>(std::floor(u));
    const auto pixel = [&](long row, long column) {
      const bool inside = row >= 0 && row < H && column >= 0 && column < W;
      if (!inside && !edge) return pad;
      row = std::min(std::max(row, 0l), H - 1);
      column = std::min(std::max(column, 0l), W - 1);
      return a[(plane * H + row) * W + column];
    };
    const double dy = v - top, dx = u - left;
    out.push_back(pixel(top, left) * (1 - dy) * (1 - dx) + pixel(top, left + 1) * (1 - dy) * dx +
                  pixel(top + 1, left) * dy * (1 - dx) + pixel(top + 1, left + 1) * dy * dx);
  }
  return out;
}

template <int dim>
void CheckResize(const Shape<dim>& shape, index_t h, index_t w) {
  SCOPED_TRACE(LogText(shape) + " to " + LogText(Shape2(h, w)));
  const long H = shape[dim - 2], W = shape[dim - 1];
  Shape<dim> resized = shape;
  resized[dim - 2] = h;
  resized[dim - 1] = w;
  Guarded<dim> a(shape, 2, 1), b(resized), out(resized, 1);
  FillWhole(a, 100);
  FillWhole(b, 100, 2);
  *out = resize(*a, h, w);
  ExpectValues(out, Resize(Values(a), H, W, h, w, true, 0), 2e-3);
  std::vector<double> expected = Resize(Values(a), H, W, h, w, false, -5);
  *out = resize(*a, h, w, resize_pad::kConstant, -5.0f);
  ExpectValues(out, expected, 2e-3);
  const std::vector<double> zero = Resize(Values(a), H, W, h, w, false, 0);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += 2 * zero[i] + b.At(i);
  *out += resize(*a * 2.0f, h, w, resize_pad::kConstant) + *b;
  ExpectValues(out, expected, 5e-3);
}

TEST(Resize, UpAndDown) {
  ForEachIsa([] {
    CheckResize(Shape2(2, 2), 4, 4);
    CheckResize(Shape2(1, 1), 3, 5);
    CheckResize(Shape2(7, 9), 7, 9);
    CheckResize(Shape2(7, 40), 3, 67);
    CheckResize(Shape5(2, 1, 1, 30, 31), 17, 5);
    CheckResize(Shape5(1, 2, 3, 5, 8), 10, 12);
    CheckResize(Shape5(2, 1, 2, 5, 6), 1, 1);
    // More columns than are found at a time, of fewer and of more; and most of them skipped.
    CheckResize(Shape3(2, 2, 300), 3, 1200);
    CheckResize(Shape3(2, 3, 1280), 2, 640);
    CheckResize(Shape3(2, 3, 1280), 2, 10);
  });
}

// Part of what is resized is the same as in the whole.
void CheckPart(index_t width, index_t w, index_t begin, index_t part_width) {
  Guarded<3> a(Shape3(2, 5, width)), whole(Shape3(2, 7, w)), part(Shape3(2, 4, part_width));
  a.FillIota();
  *whole = resize(*a, 7, w);
  *part = crop(resize(*a, 7, w), Shape2(4, part_width), 2, begin);
  std::vector<double> expected;
  for (index_t i = 0; i < 2 * 4 * part_width; ++i) {
    const index_t row = i / part_width;
    expected.push_back(whole.At((row / 4 * 7 + 2 + row % 4) * w + begin + i % part_width));
  }
  ExpectValues(part, expected);
}

TEST(Resize, PartOfRows) {
  CheckPart(40, 90, 21, 33);
  CheckPart(1280, 20, 9, 10);
}

TEST(Resize, GoldenValues) {
  Guarded<2> a(Shape2(2, 2)), out(Shape2(4, 4));
  a.FillIota();
  *out = resize(*a, 4, 4);
  ExpectValues(out, {0, .25, .75, 1, .5, .75, 1.25, 1.5, 1.5, 1.75, 2.25, 2.5, 2, 2.25, 2.75, 3});
}

// The weight of the pixel at the distance d.
double Weight(const resize_kernel::Nearest&, double d) { return d >= -0.5 && d < 0.5 ? 1 : 0; }
double Weight(const resize_kernel::Bilinear&, double d) { return std::max(0.0, 1 - std::abs(d)); }
double Weight(const resize_kernel::Bicubic&, double d) {
  const double a = -0.75, x = std::abs(d);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

// Any kernel: the sum of all pixels near by, each with its weight.
template <typename Kernel>
std::vector<double> ResizeBy(const Kernel& kernel, const std::vector<double>& a, long H, long W,
                             long h, long w, bool align, bool edge, double pad) {
  const auto place = [&](long i, long size, long out) {
    if (align) return out > 1 ? i * double(size - 1) / double(out - 1) : 0.0;
    return (i + 0.5) * double(size) / double(out) - 0.5;
  };
  std::vector<double> out;
  for (long i = 0; i < static_cast<long>(a.size()) / (H * W) * h * w; ++i) {
    const double v = place(i / w % h, H, h), u = place(i % w, W, w);
    double sum = 0;
    for (long row = -3; row < H + 3; ++row) {
      const double weight = Weight(kernel, v - static_cast<double>(row));
      if (weight == 0) continue;
      for (long column = -3; column < W + 3; ++column) {
        const bool inside = row >= 0 && row < H && column >= 0 && column < W;
        const long y = std::min(std::max(row, 0l), H - 1);
        const long x = std::min(std::max(column, 0l), W - 1);
        sum += weight * Weight(kernel, u - static_cast<double>(column)) *
               (inside || edge ? a[((i / w / h) * H + y) * W + x] : pad);
      }
    }
    out.push_back(sum);
  }
  return out;
}

template <typename Kernel, int dim>
void CheckKernel(const Kernel& kernel, const Shape<dim>& shape, index_t h, index_t w) {
  const long H = shape[dim - 2], W = shape[dim - 1];
  Shape<dim> resized = shape;
  resized[dim - 2] = h;
  resized[dim - 1] = w;
  Guarded<dim> a(shape, 2, 1), out(resized, 1);
  FillWhole(a, 100);
  for (bool align : {false, true}) {
    SCOPED_TRACE(LogText(shape) + " to " + LogText(Shape2(h, w)) + (align ? " aligned" : ""));
    const std::vector<double> expected = ResizeBy(kernel, Values(a), H, W, h, w, align, true, 0);
    *out = resize(*a, h, w, kernel, align);
    ExpectValues(out, expected, 1e-2);
    *out = resize(*a, h, w, kernel, align, resize_pad::kConstant, -5.0f);
    ExpectValues(out, ResizeBy(kernel, Values(a), H, W, h, w, align, false, -5), 1e-2);
  }
}

TEST(Resize, Kernels) {
  ForEachIsa([] {
    CheckKernel(resize_kernel::kBilinear, Shape2(7, 40), 3, 67);
    CheckKernel(resize_kernel::kBicubic, Shape2(7, 40), 13, 67);
    CheckKernel(resize_kernel::kBicubic, Shape2(30, 50), 7, 9);
    CheckKernel(resize_kernel::kBicubic, Shape2(1, 2), 3, 35);
    CheckKernel(resize_kernel::kBicubic, Shape2(2, 700), 1, 40);
    // No point lies where two pixels meet.
    CheckKernel(resize_kernel::kNearest, Shape2(7, 10), 20, 50);
    CheckKernel(resize_kernel::kNearest, Shape2(9, 35), 3, 7);
  });
}

TEST(Resize, NearestRepeatsPixels) {
  Guarded<2, int32_t> a(Shape2(2, 3)), out(Shape2(4, 6));
  for (int i = 0; i < 6; ++i) a.At(i) = 700000001 * (i - 2);
  *out = resize(*a, 4, 6, resize_kernel::kNearest);
  for (index_t i = 0; i < 24; ++i) {
    EXPECT_EQ((*out)[i / 6][i % 6], (*a)[i / 12][i % 6 / 2]) << i;
  }
}

// Positions are fractions of integers: the pixel at the boundary of two cells is the latter.
TEST(Resize, NearestIsExact) {
  const auto check = [](index_t from, index_t to, bool align) {
    SCOPED_TRACE(::testing::Message() << from << " to " << to << (align ? " aligned" : ""));
    Guarded<2, int32_t> a(Shape2(1, from)), out(Shape2(1, to));
    a.FillIota();
    *out = resize(*a, 1, to, resize_kernel::kNearest, align);
    const auto at = [&](int64_t i) {
      const int64_t s = static_cast<int64_t>(from), o = static_cast<int64_t>(to);
      if (!align) return (2 * i + 1) * s / (2 * o);
      return o == 1 ? 0 : (2 * i * (s - 1) + o - 1) / (2 * (o - 1));
    };
    for (index_t i = 0; i < to; ++i) ASSERT_EQ(out.At(i), at(static_cast<int64_t>(i))) << i;
    // Columns from one row; and rows from one column.
    Tensor<TestDevice, 2, int32_t> tall(a->dptr_, Shape2(from, 1)), row(out->dptr_, Shape2(to, 1));
    row = 0;
    row = resize(tall, to, 1, resize_kernel::kNearest, align);
    for (index_t i = 0; i < to; ++i) ASSERT_EQ(out.At(i), at(static_cast<int64_t>(i))) << i;
  };
  ForEachIsa([&] {
    for (bool align : {false, true}) {
      for (index_t from = 1; from <= 24; ++from) {
        for (index_t to = 1; to <= 40; ++to) check(from, to, align);
      }
      check(1000, 1499, align);
      check(1499, 1000, align);
      check(40000, 39999, align);  // beyond the precision of float
      check(3, 100003, align);
      check(100003, 40, align);
    }
  });
}

TEST(Resize, IdentityOfLongRows) {
  // Another device may be simulated, and slow.
  const index_t n = std::is_same_v<TestDevice, cpu> ? 20000000 : 20000;
  Guarded<2> a(Shape2(1, n)), out(Shape2(1, n));
  for (index_t i = 0; i < n; ++i) a->dptr_[i] = static_cast<float>(i % 8191);
  const auto check = [&] {
    WaitForDevice();
    index_t moved = 0;
    for (index_t i = 0; i < n; ++i) moved += out->dptr_[i] != a->dptr_[i];
    EXPECT_EQ(moved, index_t(0));
  };
  *out = resize(*a, 1, n, resize_kernel::kNearest);
  check();
  *out = resize(*a, 1, n);
  check();
  // Positions near the end, where a float has no bits left for a fraction.
  Guarded<2> twice(Shape2(1, 2 * n));
  *twice = resize(*a, 1, 2 * n);
  WaitForDevice();
  for (index_t i = n - 10; i < n; ++i) {
    const float before = a->dptr_[i - 1], here = a->dptr_[i];
    ASSERT_EQ(twice->dptr_[2 * i], here + 0.25f * (before - here)) << i;
  }
}

TEST(Resize, NearestCopiesElements) {
  const int64_t large = (int64_t(1) << 60) + 1;
  Guarded<2, int64_t> a(Shape2(3, 5)), out(Shape2(6, 40));
  for (int i = 0; i < 15; ++i) a.At(i) = i % 2 == 0 ? large + i : -large - i;
  *out = resize(*a, 6, 40, resize_kernel::kNearest);
  for (index_t i = 0; i < 240; ++i) {
    ASSERT_EQ((*out)[i / 40][i % 40], (*a)[i / 80][i % 40 / 8]) << i;
  }
  Guarded<2, uint64_t> one(Shape2(1, 1)), many(Shape2(3, 3));
  one.At(0) = ~uint64_t(0);
  *many = resize(*one, 3, 3, resize_kernel::kNearest);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(many.At(i), ~uint64_t(0));
  Guarded<2, int64_t> padded(Shape2(1, 4));
  *padded = resize(*a, 1, 4, resize_kernel::kNearest, false, resize_pad::kConstant, large);
  EXPECT_EQ(padded.At(0), (*a)[1][0]);
}

// The impulse response at the distances 1/4, 3/4, 5/4, 7/4 by equation 4 of Keys.
TEST(Resize, CubicWeights) {
  Guarded<2> a(Shape2(1, 6)), out(Shape2(1, 12));
  *a = 0.0f;
  (*a)[0][2] = 128.0f;
  *out = resize(*a, 1, 12, resize_kernel::kBicubic);
  ExpectValues(out, {0, -4.5, -13.5, 33.5, 112.5, 112.5, 33.5, -13.5, -4.5, 0, 0, 0}, 1e-4);
}

TEST(Resize, CubicOvershootIsCutOff) {
  Guarded<2, uint8_t> a(Shape2(1, 4)), out(Shape2(1, 8));
  const int pixels[] = {0, 0, 255, 255};
  for (int i = 0; i < 4; ++i) a.At(i) = static_cast<uint8_t>(pixels[i]);
  *out = resize(*a, 1, 8, resize_kernel::kBicubic);
  EXPECT_EQ(out.At(2), 0);
  EXPECT_EQ(out.At(5), 255);
  *a = uint8_t(200);
  *out = resize(*a, 1, 8, resize_kernel::kBicubic);
  ExpectValues(out, std::vector<double>(8, 200));
}

TEST(Resize, OfPooledAndReduced) {
  Guarded<3> a(Shape3(2, 4, 40)), out(Shape3(2, 4, 40)), pooled(Shape3(2, 2, 20));
  FillWhole(a, 100);
  *pooled = pool<red::maximum>(*a, 2, 2, 2);
  *out = resize(pool<red::maximum>(*a, 2, 2, 2), 4, 40);
  const std::vector<double> expected = Resize(Values(pooled), 2, 20, 4, 40, true, 0);
  ExpectValues(out, expected, 1e-3);
  Guarded<1> total(Shape1(2));
  *total = sumall_except_dim<0>(resize(*pooled, 4, 40));
  double sums[2] = {0, 0};
  for (int i = 0; i < 320; ++i) sums[i / 160] += expected[i];
  ExpectValues(total, {sums[0], sums[1]}, 0.1);
}

TEST(Resize, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(3, 2)), out(Shape2(3, 4));
    const float pixels[] = {0, 4, 8, 8, 100, 20};
    for (int i = 0; i < 6; ++i) a.At(i) = static_cast<DType>(pixels[i]);
    *out = resize(*a, 3, 4);
    ExpectValues(out, {0, 1, 3, 4, 8, 8, 8, 8, 100, 80, 40, 20});
  });
}

TEST(Resize, FlatAreasStayFlat) {
  Guarded<2, uint8_t> a(Shape2(13, 17)), out(Shape2(29, 31));
  *a = uint8_t(100);
  *out = resize(*a, 29, 31);
  ExpectValues(out, std::vector<double>(29 * 31, 100));
}

TEST(Resize, OfItself) {
  Guarded<2> a(Shape2(4, 4));
  a.FillIota();
  const std::vector<double> expected = Resize(Values(a), 2, 4, 4, 4, true, 0);
  *a = resize(a->Slice(0, 2), 4, 4);
  std::vector<double> upper(8);
  for (int i = 0; i < 8; ++i) upper[i] = i;
  ExpectValues(a, Resize(upper, 2, 4, 4, 4, true, 0), 1e-5);
}

TEST(Resize, Errors) {
  Guarded<2> a(Shape2(5, 7)), empty(Shape2(0, 3));
  EXPECT_EQ(ErrorOf([&] { resize(*a, 0, 3); }), "resize: out_height = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { resize(*a, 3, 0); }), "resize: out_width = 0 must be positive");
  EXPECT_NE(ErrorOf([&] { resize(*empty, 3, 3); }).find("(0,3)"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { resize(*a, 3, 3, 7); }).find("pad_mode = 7"), std::string::npos);
}

}  // namespace
}  // namespace mshadow
