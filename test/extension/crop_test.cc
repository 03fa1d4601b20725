// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/crop.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckCrop(const Shape<dim>& shape, index_t height, index_t width, index_t y0, index_t x0) {
  const std::size_t H = shape[dim - 2], W = shape[dim - 1];
  Shape<dim> cropped = shape;
  cropped[dim - 2] = height;
  cropped[dim - 1] = width;
  for (index_t pad : {0, 3}) {
    Guarded<dim> a(shape, pad, 1), b(cropped, 1), out(cropped, pad);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    std::vector<double> box;
    for (std::size_t i = 0; i < out.Size(); ++i) {
      const std::size_t x = i % width, y = i / width % height, n = i / width / height;
      box.push_back(a.At((n * H + y + y0) * W + x + x0));
    }
    *out = crop(*a, Shape2(height, width), y0, x0);
    ExpectValues(out, box);
    std::vector<double> expected = box;
    for (std::size_t i = 0; i < box.size(); ++i) expected[i] += 2 * box[i] + b.At(i);
    *out += crop(*a * 2.0f, Shape2(height, width), y0, x0) + *b;
    ExpectValues(out, expected);
    if (y0 == (shape[dim - 2] - height) / 2 && x0 == (shape[dim - 1] - width) / 2) {
      *out = crop(*a, Shape2(height, width));
      ExpectValues(out, box);
    }
    *out = crop(crop(*a, Shape2(height, W), y0, 0), Shape2(height, width), 0, x0);
    ExpectValues(out, box);
  }
}

TEST(Crop, Boxes) {
  ForEachIsa([] {
    CheckCrop(Shape2(9, 40), 4, 19, 0, 0);
    CheckCrop(Shape2(9, 40), 4, 19, 2, 10);
    CheckCrop(Shape2(9, 40), 9, 40, 0, 0);
    CheckCrop(Shape3(3, 7, 37), 5, 35, 1, 1);
    CheckCrop(Shape4(2, 3, 7, 9), 2, 3, 5, 6);
    CheckCrop(Shape5(2, 1, 3, 4, 5), 1, 1, 3, 4);
    CheckCrop(Shape3(2, 4, 5), 0, 3, 1, 1);
  });
}

TEST(Crop, GoldenValues) {
  Guarded<2> a(Shape2(5, 5)), out(Shape2(2, 2));
  a.FillIota();
  *out = crop(*a, Shape2(2, 2));
  ExpectValues(out, {6, 7, 11, 12});
  *out = crop(*a, Shape2(2, 2), 3, 3);
  ExpectValues(out, {18, 19, 23, 24});
}

TEST(Crop, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(3, 20), 1), out(Shape2(1, 17));
    FillWhole(a, 100);
    *out = crop(*a, Shape2(1, 17), 1, 2);
    std::vector<double> all = Values(a);
    ExpectValues(out, std::vector<double>(all.begin() + 22, all.begin() + 39));
  });
}

// Rows of a reshaped padded tensor are runs, which crop and a cast hand on.
TEST(Crop, OfRuns) {
  Guarded<2> a(Shape2(12, 10), 2);
  FillWhole(a, 1000);
  Guarded<2, double> out(Shape2(3, 25), 1);
  *out = tcast<double>(crop(reshape(*a, Shape2(4, 30)), Shape2(3, 25), 1, 2)) * 1.0;
  const std::vector<double> all = Values(a);
  std::vector<double> expected;
  for (int i = 0; i < 75; ++i) expected.push_back(all[(i / 25 + 1) * 30 + i % 25 + 2]);
  ExpectValues(out, expected);
}

TEST(Crop, OfItself) {
  Guarded<2> a(Shape2(4, 6), 1);
  a.FillIota();
  const std::vector<double> all = Values(a);
  Tensor<TestDevice, 2> upper = a->Slice(0, 3);
  upper = crop(*a, Shape2(3, 6), 1, 0);
  std::vector<double> expected(all.begin() + 6, all.end());
  expected.insert(expected.end(), all.begin() + 18, all.end());
  ExpectValues(a, expected);
}

TEST(Crop, Errors) {
  Guarded<2> a(Shape2(5, 7));
  EXPECT_EQ(ErrorOf([&] { crop(*a, Shape2(6, 2)); }),
            "crop: oshape[0] = 6 is out of range: 0 to 5, the source's height");
  EXPECT_EQ(ErrorOf([&] { crop(*a, Shape2(2, 8), 0, 0); }),
            "crop: oshape[1] = 8 is out of range: 0 to 7, the source's width");
  EXPECT_EQ(ErrorOf([&] { crop(*a, Shape2(3, 3), 3, 0); }),
            "crop: start_height = 3 is out of range: 0 to 2, the source's height less the "
            "result's");
  EXPECT_EQ(ErrorOf([&] { crop(*a, Shape2(3, 3), 0, 5); }),
            "crop: start_width = 5 is out of range: 0 to 4, the source's width less the result's");
  EXPECT_NE(ErrorOf([&] { crop(*a, Shape2(3, 3), static_cast<index_t>(-1), 0); }), "no error");
}

}  // namespace
}  // namespace mshadow
