// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/transpose.h>

#include <algorithm>

#include "permuted.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// All permutations of a rank, on one shape.
template <int dim>
void CheckAllTranspose(const Shape<dim>& shape) {
  std::vector<index_t> order;
  for (int i = 0; i < dim; ++i) order.push_back(i);
  do {
    Shape<dim> axes;
    for (int i = 0; i < dim; ++i) axes[i] = order[i];
    SCOPED_TRACE(LogText(axes));
    CheckPermutation(shape, axes, [&axes](const auto& e) { return transpose(e, axes); });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(TransposeAxes, EveryPermutation) {
  ForEachIsa([] {
    CheckAllTranspose(Shape1(7));
    CheckAllTranspose(Shape2(70, 67));
    CheckAllTranspose(Shape3(3, 5, 66));
    CheckAllTranspose(Shape4(2, 3, 4, 5));
    CheckAllTranspose(Shape3(4, 4, 4));
    CheckAllTranspose(Shape3(2, 0, 3));
  });
  CheckAllTranspose(Shape5(2, 3, 1, 4, 5));
}

TEST(TransposeAxes, GoldenValuesAndNegativeAxes) {
  Guarded<2> a(Shape2(2, 3)), out(Shape2(3, 2));
  a.FillIota();
  *out = transpose(*a, Shape2(1, 0));
  ExpectValues(out, {0, 3, 1, 4, 2, 5});
  *out = transpose(*a, {-1, -2});
  ExpectValues(out, {0, 3, 1, 4, 2, 5});
}

TEST(TransposeAxes, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(3, 2)), out(Shape2(2, 3));
    a.FillIota();
    *out = transpose(*a, Shape2(1, 0));
    ExpectValues(out, {0, 2, 4, 1, 3, 5});
  });
}

// Of rows that consist of runs, computed ones too, and as the operand of reductions.
TEST(TransposeAxes, Nested) {
  Guarded<2> flat(Shape2(12, 10), 2);
  FillWhole(flat, 1000);
  Guarded<3> cube(Shape3(4, 5, 6));
  *cube = reshape(*flat, cube->shape_);
  for (const Shape<3>& axes : {Shape3(1, 0, 2), Shape3(2, 0, 1), Shape3(0, 1, 2)}) {
    const Shape<3> permuted = PermutedShape(cube->shape_, axes);
    const std::vector<std::size_t> from = PermutedFrom(cube->shape_, axes);
    Guarded<3> out(permuted, 1), sums_of(permuted);
    std::vector<double> expected;
    for (std::size_t i : from) expected.push_back(cube.At(i));
    *out = transpose(reshape(*flat, cube->shape_), axes);
    ExpectValues(out, expected);
    *out = mirror(mirror(transpose(reshape(*flat, cube->shape_) * 1.0f, axes) + 1.0f) - 1.0f);
    ExpectValues(out, expected);
    Guarded<3> pooled(cube->shape_);
    *pooled = pool<red::sum>(*cube, Shape2(5, 6), 2, 2, 1, 1);
    for (std::size_t i = 0; i < from.size(); ++i) expected[i] = pooled.At(from[i]);
    *out = transpose(pool<red::sum>(*cube, Shape2(5, 6), 2, 2, 1, 1), axes);
    ExpectValues(out, expected);
    Guarded<1> last(Shape1(permuted[2])), first(Shape1(permuted[0]));
    std::vector<double> of_last(permuted[2], 0.0), of_first(permuted[0], 0.0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      of_last[i % permuted[2]] += cube.At(from[i]);
      of_first[i / (permuted[1] * permuted[2])] += cube.At(from[i]);
    }
    *last = sumall_except_dim<2>(transpose(*cube, axes));
    ExpectValues(last, of_last);
    *first = sumall_except_dim<0>(transpose(*cube, axes));
    ExpectValues(first, of_first);
  }
}

TEST(TransposeAxes, TilesOnlyWhereTheLastAxisMoves) {
  Tensor<TestDevice, 4> t(nullptr, Shape4(2, 3, 4, 5));
  const auto step = [&](index_t a, index_t b, index_t c, index_t d) {
    return TileStep(MakePlan(transpose(t, Shape4(a, b, c, d))));
  };
  EXPECT_EQ(step(0, 2, 1, 3), 0);
  EXPECT_EQ(step(0, 1, 3, 2), 1);
  EXPECT_EQ(step(0, 3, 1, 2), 3);
  EXPECT_EQ(step(3, 0, 1, 2), 6);
  EXPECT_EQ(FlatRows(MakePlan(transpose(t, Shape4(1, 0, 2, 3))), 5), 4);
  EXPECT_EQ(FlatRows(MakePlan(transpose(t, Shape4(0, 1, 2, 3))), 5), 0);
  EXPECT_EQ(FlatRows(MakePlan(transpose(t, Shape4(0, 3, 1, 2))), 4), 3);
  EXPECT_EQ(FlatRows(MakePlan(transpose(t, Shape4(3, 0, 1, 2))), 4), 6);
  EXPECT_EQ(FlatRows(MakePlan(transpose(t, Shape4(3, 1, 0, 2))), 4), 1);
}

TEST(TransposeAxes, Errors) {
  Guarded<3> a(Shape3(2, 3, 4));
  EXPECT_EQ(ErrorOf([&] { transpose(*a, Shape3(0, 3, 1)); }),
            "transpose: axes[1] = 3 is out of range: -3 to 2, the axes of the tensor");
  EXPECT_EQ(ErrorOf([&] { transpose(*a, {0, -4, 1}); }),
            "transpose: axes[1] = -4 is out of range: -3 to 2, the axes of the tensor");
  EXPECT_NE(ErrorOf([&] { transpose(*a, Shape3(0, 2, 2)); })
                .find("transpose: axes (0,2,2) names axis 2 twice"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
