// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/pack_col2patch.h>

#include <limits>

#include "patches.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckPackCol2patch(const Shape<dim>& shape, const Patch& p) {
  const Grid grid(shape.ProdShape(0, dim - 3), shape[dim - 3], shape[dim - 2], shape[dim - 1], p);
  if (!grid.Fits()) return;
  for (index_t pad : {0, 2}) {
    Guarded<2> mat(grid.MatShape(), pad, 1), again(grid.MatShape());
    Guarded<dim> out(shape, pad), b(shape, 1);
    FillWhole(mat, 20);
    FillWhole(b, 20, 2);
    std::vector<double> images(out.Size());
    grid.ForEach([&](std::size_t m, std::size_t i) { images[i] += mat.At(m); });
    *out = pack_col2patch(*mat, shape, p.py, p.px, p.sy, p.sx, p.dy, p.dx);
    ExpectValues(out, images);
    // The adjoint: <unpack(b), mat> = <b, pack(mat)>, exact in whole numbers.
    *again = unpack_patch2col(*b, p.py, p.px, p.sy, p.sx, p.dy, p.dx);
    double left = 0, right = 0;
    for (std::size_t m = 0; m < mat.Size(); ++m) left += double(again.At(m)) * mat.At(m);
    for (std::size_t i = 0; i < out.Size(); ++i) right += double(b.At(i)) * out.At(i);
    EXPECT_EQ(left, right);
    if (p.sy == p.sx && p.dy == p.dx) {
      *out = 0.0f;
      *out = pack_col2patch(*mat, shape, p.py, p.px, p.sx, p.dx);
      ExpectValues(out, images);
    }
    if (p.sy == p.sx && p.dy == 1 && p.dx == 1) {
      *out = 0.0f;
      *out = pack_col2patch(*mat, shape, p.py, p.px, p.sx);
      ExpectValues(out, images);
    }
    for (std::size_t i = 0; i < images.size(); ++i) images[i] = 3 * images[i] + b.At(i);
    *out += pack_col2patch(*mat * 2.0f, shape, p.py, p.px, p.sy, p.sx, p.dy, p.dx) + *b;
    ExpectValues(out, images);
  }
}

TEST(PackCol2Patch, AdjointAtEveryStrideAndDilation) {
  ForEachIsa([] {
    ForEachPatch([](const Patch& p) {
      CheckPackCol2patch(Shape3(2, 7, 9), p);
      CheckPackCol2patch(Shape3(1, 6, 43), p);
      CheckPackCol2patch(Shape4(3, 2, 8, 7), p);
      CheckPackCol2patch(Shape5(2, 2, 3, 5, 6), p);
    });
  });
}

// The rows of an image are joined.
TEST(PackCol2Patch, PatchesOfOnePixel) {
  for (index_t width : {1, 2, 5, 21}) {
    CheckPackCol2patch(Shape4(3, 2, 7, width), Patch{1, 1, 1, 1, 1, 1});
    CheckPackCol2patch(Shape3(3, 1, width), Patch{1, 1, 1, 1, 1, 1});
  }
}

TEST(PackCol2Patch, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    const Grid grid(2, 2, 5, 21, Patch{3, 3, 1, 1, 1, 1});
    Guarded<4, DType> out(Shape4(2, 2, 5, 21), 1);
    Guarded<2, DType> mat(grid.MatShape());
    FillWhole(mat, 9);
    std::vector<double> images(out.Size());
    grid.ForEach([&](std::size_t m, std::size_t i) { images[i] += static_cast<float>(mat.At(m)); });
    *out = pack_col2patch(*mat, out->shape_, 3, 3, 1);
    ExpectValues(out, images);
  });
}

TEST(PackCol2Patch, OfUnpacked) {
  Guarded<3> a(Shape3(2, 6, 9), 1), out(a->shape_);
  FillWhole(a, 100);
  *out = pack_col2patch(unpack_patch2col(*a, 3, 3, 1) * 2.0f, a->shape_, 3, 3, 1);
  const Grid grid(1, 2, 6, 9, Patch{3, 3, 1, 1, 1, 1});
  std::vector<double> images(out.Size());
  grid.ForEach([&](std::size_t, std::size_t i) { images[i] += 2 * a.At(i); });
  ExpectValues(out, images);
}

TEST(PackCol2Patch, LargeIsSplitAmongThreads) {
  const Grid grid(8, 16, 29, 31, Patch{3, 3, 1, 1, 1, 1});
  Guarded<4> out(Shape4(8, 16, 29, 31));
  Guarded<2> mat(grid.MatShape());
  FillWhole(mat, 100);
  std::vector<double> images(out.Size());
  grid.ForEach([&](std::size_t m, std::size_t i) { images[i] += mat.At(m); });
  *out = pack_col2patch(*mat, out->shape_, 3, 3, 1);
  ExpectValues(out, images);
}

TEST(PackCol2Patch, LongRows) {
  CheckPackCol2patch(Shape3(1, 4, 1501), Patch{3, 3, 1, 1, 1, 1});
  CheckPackCol2patch(Shape3(1, 4, 1501), Patch{2, 3, 2, 3, 1, 300});
}

TEST(PackCol2Patch, Errors) {
  Guarded<2> mat(Shape2(18, 35));
  const Shape<3> image = Shape3(2, 7, 9);
  EXPECT_EQ(ErrorOf([&] { pack_col2patch(*mat, image, 3, 3, 1); }), "no error");
  const std::string error = ErrorOf([&] { pack_col2patch(*mat, image, 3, 3, 2); });
  EXPECT_NE(error.find("(18,35)"), std::string::npos) << error;
  EXPECT_NE(error.find("(18,12)"), std::string::npos) << error;
  EXPECT_EQ(ErrorOf([&] { pack_col2patch(*mat, image, 8, 3, 1); }),
            "pack_col2patch: psize_y = 8 is out of range: 1 to 7, what the image's height holds at "
            "this dilation");
  EXPECT_EQ(ErrorOf([&] { pack_col2patch(*mat, image, 3, 3, 1, 0); }),
            "pack_col2patch: pdilate_y = 0 must be positive");
}

// One patch: strides and dilations as large as index_t.
TEST(PackCol2Patch, HugeSteps) {
  const index_t most = std::numeric_limits<index_t>::max();
  Guarded<2> row(Shape2(2, 3)), flat(Shape2(2, 1));
  Guarded<4> images(Shape4(1, 2, 1, 3));
  FillWhole(row, 9);
  *images = pack_col2patch(*row, images->shape_, 1, 1, most, 1, most, most);
  ExpectValues(images, Values(row));
  *row = unpack_patch2col(*images, 1, 1, most, 1, most, most);
  ExpectValues(images, Values(row));
}

}  // namespace
}  // namespace mshadow
