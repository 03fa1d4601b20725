// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/flip.h>
#include <mshadow/extension/transpose_indices.h>

#include <limits>

#include "permuted.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// Every element of a tensor of `shape`, looked up in the tensor transposed.
template <typename DType, int dim>
void CheckTransposeIndices(const Shape<dim>& shape, const Shape<dim>& axes) {
  const std::vector<std::size_t> from = PermutedFrom(shape, axes);
  std::vector<double> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[from[i]] = static_cast<double>(i);
  const index_t rows = shape.Size() % 2 == 0 ? 2 : 1;
  Guarded<2, DType> index(Shape2(rows, shape.Size() / rows), 1), out(index->shape_);
  index.FillIota();
  *out = transpose_indices(*index, shape, axes);
  ExpectValues(out, to);
  for (double& value : to) value = value * 2 + 1;
  *index = transpose_indices(*index * DType(1), shape, axes) * DType(2) + DType(1);
  ExpectValues(index, to);
}

TEST(TransposeIndices, EveryRank) {
  ForEachIsa([] {
    CheckTransposeIndices<float>(Shape1(9), Shape1(0));
    CheckTransposeIndices<float>(Shape2(7, 11), Shape2(1, 0));
    CheckTransposeIndices<float>(Shape2(5, 49),
                                 Shape2(1, 0));  // in doubles, 49 * (1 / 49) is less than 1
    CheckTransposeIndices<double>(Shape3(3, 5, 7), Shape3(2, 0, 1));
    CheckTransposeIndices<int32_t>(Shape4(3, 2, 4, 5), Shape4(0, 3, 1, 2));
    CheckTransposeIndices<int64_t>(Shape5(2, 3, 1, 4, 5), Shape5(4, 2, 0, 3, 1));
  });
}

// Narrow rows that do not follow each other are computed as one.
TEST(TransposeIndices, NarrowRows) {
  ForEachIsa([] {
    for (const index_t cols : {1u, 2u, 3u, 4u, 7u, 9u}) {
      const Shape<2> shape = Shape2(101, cols);
      const std::vector<std::size_t> from = PermutedFrom(shape, Shape2(1, 0));
      Guarded<2, int32_t> index(shape, 5);
      Guarded<2, int32_t> out(shape, 3);
      index.FillIota();
      std::vector<double> expected(from.size()), flipped(from.size());
      for (std::size_t i = 0; i < from.size(); ++i) expected[from[i]] = static_cast<double>(i);
      for (std::size_t i = 0; i < from.size(); ++i) {
        flipped[(100 - i / cols) * cols + i % cols] = expected[i] + 1;
      }
      *out = transpose_indices(*index, shape, Shape2(1, 0));
      ExpectValues(out, expected);
      flip(*out, 0) = tcast<int32_t>(transpose_indices(tcast<float>(*index), shape, Shape2(1, 0))) +
                      1;
      ExpectValues(out, flipped);
    }
  });
}

TEST(TransposeIndices, GoldenValues) {
  Guarded<2> v(Shape2(2, 3)), out(Shape2(2, 3));
  v.FillIota();
  *out = transpose_indices(*v, Shape2(2, 3), Shape2(1, 0));
  ExpectValues(out, {0, 2, 4, 1, 3, 5});
}

TEST(TransposeIndices, EveryDType) {
  ForEachDType(
      [](auto zero) { CheckTransposeIndices<decltype(zero)>(Shape2(3, 4), Shape2(1, 0)); });
}

// Where a product with the reciprocal and a quotient could differ.
TEST(TransposeIndices, OfLargeTensors) {
  const int64_t rows = 60013, cols = 70001;
  Guarded<1, int64_t> index(Shape1(1000)), out(Shape1(1000));
  for (std::size_t i = 0; i < 1000; ++i) {
    index.At(i) = static_cast<int64_t>(i) * 60 * cols - static_cast<int64_t>(i % 3 != 0 && i > 0);
  }
  *out = transpose_indices(*index, Shape2(rows, cols), Shape2(1, 0));
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(out.At(i), index.At(i) % cols * rows + index.At(i) / cols) << i;
  }
}

TEST(TransposeIndices, ClipsWhatIsNoIndex) {
  Guarded<1> index(Shape1(5)), out(Shape1(5));
  index.At(0) = -1;
  index.At(1) = 6;
  index.At(2) = 1e30f;
  index.At(3) = std::numeric_limits<float>::quiet_NaN();
  index.At(4) = 1.9f;
  *out = transpose_indices(*index, Shape2(2, 3), Shape2(1, 0));
  ExpectValues(out, {0, 5, 5, 0, 2});
  *out = transpose_indices(*index, Shape2(0, 3), Shape2(1, 0));
  ExpectValues(out, std::vector<double>(5, 0.0));
}

TEST(TransposeIndices, NestedReducedAndInPlace) {
  Guarded<2> v(Shape2(3, 4), 1), out(Shape2(3, 4));
  v.FillIota();
  *out = mirror(transpose_indices(mirror(*v), Shape2(4, 3), Shape2(1, 0)));
  std::vector<double> expected, sums(4, 0.0);
  for (int i = 0; i < 12; ++i) {
    expected.push_back(i % 3 * 4 + i / 3);
    sums[i % 4] += expected[i];
  }
  ExpectValues(out, expected);
  Guarded<1> sum(Shape1(4));
  *sum = sum_rows(transpose_indices(*v, Shape2(4, 3), Shape2(1, 0)));
  ExpectValues(sum, sums);
  *v = transpose_indices(*v, Shape2(4, 3), Shape2(1, 0));
  ExpectValues(v, expected);
}

TEST(TransposeIndices, Errors) {
  Guarded<1> index(Shape1(3));
  EXPECT_NE(ErrorOf([&] { transpose_indices(*index, Shape2(2, 3), Shape2(0, 0)); })
                .find("transpose_indices: axes (0,0) names axis 0 twice"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
