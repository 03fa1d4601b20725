// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/unpack_patch2col.h>

#include "patches.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckUnpackPatch2col(const Shape<dim>& shape, const Patch& p) {
  const Grid grid(shape.ProdShape(0, dim - 3), shape[dim - 3], shape[dim - 2], shape[dim - 1], p);
  if (!grid.Fits()) return;
  for (index_t pad : {0, 2}) {
    Guarded<dim> a(shape, pad, 1);
    Guarded<2> out(grid.MatShape(), pad), b(grid.MatShape(), 1);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    std::vector<double> cols(out.Size());
    grid.ForEach([&](std::size_t m, std::size_t i) { cols[m] = a.At(i); });
    *out = unpack_patch2col(*a, p.py, p.px, p.sy, p.sx, p.dy, p.dx);
    ExpectValues(out, cols);
    if (p.sy == p.sx && p.dy == p.dx) {
      *out = 0.0f;
      *out = unpack_patch2col(*a, p.py, p.px, p.sx, p.dx);
      ExpectValues(out, cols);
    }
    if (p.sy == p.sx && p.dy == 1 && p.dx == 1) {
      *out = 0.0f;
      *out = unpack_patch2col(*a, p.py, p.px, p.sx);
      ExpectValues(out, cols);
    }
    for (std::size_t i = 0; i < cols.size(); ++i) cols[i] = 3 * cols[i] + b.At(i);
    *out += unpack_patch2col(*a * 2.0f, p.py, p.px, p.sy, p.sx, p.dy, p.dx) + *b;
    ExpectValues(out, cols);
  }
}

TEST(UnpackPatch2Col, EveryStrideAndDilation) {
  ForEachIsa([] {
    ForEachPatch([](const Patch& p) {
      CheckUnpackPatch2col(Shape3(2, 7, 9), p);
      CheckUnpackPatch2col(Shape3(1, 6, 43), p);
      CheckUnpackPatch2col(Shape4(3, 2, 8, 7), p);
      CheckUnpackPatch2col(Shape5(2, 2, 3, 5, 6), p);
    });
  });
}

// Rows of an image are copied in vectors of 16, 8 or 4 elements that overlap.
TEST(UnpackPatch2Col, EveryWidth) {
  ForEachIsa([] {
    for (index_t width = 3; width <= 40; ++width) {
      CheckUnpackPatch2col(Shape4(2, 2, 4, width), Patch{3, 3, 1, 1, 1, 1});
      CheckUnpackPatch2col(Shape4(2, 2, 4, width), Patch{2, 3, 2, 2, 1, 1});
    }
  });
}

// Patches that take whole rows, one after the other, of images whose rows are contiguous or not.
TEST(UnpackPatch2Col, WholeRows) {
  for (index_t width : {1, 2, 5}) {
    CheckUnpackPatch2col(Shape4(3, 2, 7, width), Patch{1, 1, 1, 1, 1, 1});
    CheckUnpackPatch2col(Shape4(3, 2, 7, width), Patch{3, 1, 1, 1, 2, 1});
    CheckUnpackPatch2col(Shape4(3, 2, 7, width), Patch{2, 1, 2, 1, 1, 1});
    CheckUnpackPatch2col(Shape4(3, 2, 7, width), Patch{7, 1, 3, 2, 1, 1});
  }
}

TEST(UnpackPatch2Col, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    const Grid grid(2, 2, 5, 21, Patch{3, 3, 1, 1, 1, 1});
    Guarded<4, DType> a(Shape4(2, 2, 5, 21), 1);
    Guarded<2, DType> out(grid.MatShape());
    FillWhole(a, 100);
    std::vector<double> cols(out.Size());
    grid.ForEach([&](std::size_t m, std::size_t i) { cols[m] = static_cast<float>(a.At(i)); });
    *out = unpack_patch2col(*a, 3, 3, 1);
    ExpectValues(out, cols);
  });
}

TEST(UnpackPatch2Col, OfPooledAndReshaped) {
  Guarded<2> a(Shape2(6, 8 * 40), 1);
  FillWhole(a, 1000);
  Guarded<4> small(Shape4(3, 2, 4, 20));
  *small = pool<red::maximum>(reshape(*a, Shape4(3, 2, 8, 40)), 2, 2, 2);
  const auto check = [](Guarded<4>& image, const auto& patches) {
    const Shape<4> shape = image->shape_;
    const Grid grid(shape[0], shape[1], shape[2], shape[3], Patch{3, 3, 1, 1, 1, 1});
    Guarded<2> out(grid.MatShape());
    *out = patches;
    std::vector<double> cols(out.Size());
    grid.ForEach([&](std::size_t m, std::size_t i) { cols[m] = image.At(i); });
    ExpectValues(out, cols);
    return cols;
  };
  const std::vector<double> cols = check(
      small,
      unpack_patch2col(pool<red::maximum>(reshape(*a, Shape4(3, 2, 8, 40)), 2, 2, 2), 3, 3, 1));
  // Rows that a border is a part of.
  Guarded<4> padded(Shape4(3, 2, 6, 24));
  *padded = pad(*small, 1, 2);
  check(padded, unpack_patch2col(pad(*small, 1, 2), 3, 3, 1));
  // The flat order of the matrix, read back in other rows.
  Guarded<1> flat(Shape1(static_cast<index_t>(cols.size())));
  *flat = reshape(unpack_patch2col(*small, 3, 3, 1), flat->shape_);
  ExpectValues(flat, cols);
}

// Elements that are asked for one by one, of a source that computes runs in advance.
TEST(UnpackPatch2Col, OneElementAtATime) {
  Guarded<3> a(Shape3(2, 8, 40), 1), small(Shape3(2, 4, 20));
  FillWhole(a, 1000);
  *small = pool<red::maximum>(*a, 2, 2, 2);
  const Grid grid(1, 2, 4, 20, Patch{2, 3, 1, 1, 1, 1});
  Guarded<2> out(Shape2(grid.MatShape()[1], grid.MatShape()[0]));
  *out = TransposeExp<decltype(unpack_patch2col(pool<red::maximum>(*a, 2, 2, 2), 2, 3, 1)), float>(
      unpack_patch2col(pool<red::maximum>(*a, 2, 2, 2), 2, 3, 1));
  std::vector<double> cols(out.Size());
  grid.ForEach([&](std::size_t m, std::size_t i) {
    cols[m % out->size(0) * out->size(1) + m / out->size(0)] = small.At(i);
  });
  ExpectValues(out, cols);
}

TEST(UnpackPatch2Col, LargeIsSplitAmongThreads) {
  const Grid grid(8, 16, 29, 31, Patch{3, 3, 1, 1, 1, 1});
  Guarded<4> a(Shape4(8, 16, 29, 31));
  Guarded<2> out(grid.MatShape());
  FillWhole(a, 1000);
  std::vector<double> cols(out.Size());
  grid.ForEach([&](std::size_t m, std::size_t i) { cols[m] = a.At(i); });
  *out = unpack_patch2col(*a, 3, 3, 1);
  ExpectValues(out, cols);
}

TEST(UnpackPatch2Col, OfItself) {
  Guarded<1> memory(Shape1(40));
  memory.FillIota();
  Tensor<TestDevice, 3> image(memory->dptr_, Shape3(1, 3, 4));
  Tensor<TestDevice, 2> out(memory->dptr_, Shape2(4, 6));
  out = unpack_patch2col(image, 2, 2, 1);
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(memory.At(i), (i / 12 + i % 6 / 3) * 4 + i / 6 % 2 + i % 3) << i;
  }
}

TEST(UnpackPatch2Col, Errors) {
  Guarded<3> a(Shape3(2, 5, 7));
  EXPECT_EQ(ErrorOf([&] { unpack_patch2col(*a, 6, 3, 1); }),
            "unpack_patch2col: psize_y = 6 is out of range: 1 to 5, what the image's height holds "
            "at this dilation");
  EXPECT_EQ(ErrorOf([&] { unpack_patch2col(*a, 3, 5, 1, 2); }),
            "unpack_patch2col: psize_x = 5 is out of range: 1 to 4, what the image's width holds "
            "at this dilation");
  EXPECT_EQ(ErrorOf([&] { unpack_patch2col(*a, 3, 3, 0); }),
            "unpack_patch2col: pstride_y = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { unpack_patch2col(*a, 3, 3, 1, 1, 1, 0); }),
            "unpack_patch2col: pdilate_x = 0 must be positive");
}

}  // namespace
}  // namespace mshadow
