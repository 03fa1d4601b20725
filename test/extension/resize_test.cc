// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/resize.h>

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
void Check(const Shape<dim>& shape, index_t h, index_t w) {
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
    Check(Shape2(2, 2), 4, 4);
    Check(Shape2(1, 1), 3, 5);
    Check(Shape2(7, 9), 7, 9);
    Check(Shape2(7, 40), 3, 67);
    Check(Shape3(2, 30, 31), 17, 5);
    Check(Shape4(2, 3, 5, 8), 10, 12);
    Check(Shape5(2, 1, 2, 5, 6), 1, 1);
  });
}

TEST(Resize, GoldenValues) {
  Guarded<2> a(Shape2(2, 2)), out(Shape2(4, 4));
  a.FillIota();
  *out = resize(*a, 4, 4);
  ExpectValues(out, {0, .25, .75, 1, .5, .75, 1.25, 1.5, 1.5, 1.75, 2.25, 2.5, 2, 2.25, 2.75, 3});
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
