// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/take_grad.h>

#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename IDType, typename DType>
void CheckTakeGrad(index_t count, index_t rows, index_t cols, index_t pad) {
  Guarded<1, IDType> index(Shape1(count));
  Guarded<2, DType> src(Shape2(count, cols), pad, 1), out(Shape2(rows, cols), pad);
  FillWhole(index, rows + 2);  // some are out of range
  FillWhole(src, 3);
  std::vector<double> expected(out.Size(), 0.0);
  for (std::size_t i = 0; i < src.Size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(static_cast<float>(index.At(i / cols)));
    if (row < std::size_t(rows)) expected[row * cols + i % cols] += static_cast<float>(src.At(i));
  }
  *out = take_grad(*index, *src, rows);
  ExpectValues(out, expected);
  for (double& value : expected) value += 2 * value + 1;
  *out += take_grad(*index + IDType(0), *src * DType(2), rows) + DType(1);
  ExpectValues(out, expected);
}

TEST(TakeGrad, Rows) {
  ForEachIsa([] {
    CheckTakeGrad<float, float>(17, 5, 33, 0);
    CheckTakeGrad<float, float>(17, 5, 33, 2);
    CheckTakeGrad<int32_t, float>(40, 300, 37, 0);  // more than a buffer
    CheckTakeGrad<int32_t, float>(3, 2, 5000, 1);
    CheckTakeGrad<int32_t, float>(50, 7, 1, 0);
    CheckTakeGrad<int32_t, float>(0, 5, 3, 0);
  });
}

TEST(TakeGrad, EveryDTypeOfTheIndexAndOfTheSource) {
  ForEachDType([](auto zero) {
    CheckTakeGrad<decltype(zero), float>(6, 5, 4, 0);
    CheckTakeGrad<int32_t, decltype(zero)>(6, 5, 4, 1);
  });
}

TEST(TakeGrad, SumsHalvesInFloat) {
  Guarded<1, int32_t> index(Shape1(3000));
  Guarded<2, half::half_t> src(Shape2(3000, 1)), out(Shape2(1, 1));
  *index = 0;
  *src = half::half_t(1.0f);
  *out = take_grad(*index, *src, 1);
  ExpectValues(out, {3000});
}

TEST(TakeGrad, OtherIndicesAddNothing) {
  Guarded<1> index(Shape1(4));
  const float values[] = {-1, 2, std::numeric_limits<float>::quiet_NaN(), 1.5f};
  for (int i = 0; i < 4; ++i) index.At(i) = values[i];
  Guarded<2> src(Shape2(4, 1)), out(Shape2(2, 1));
  src.FillIota();
  *out = take_grad(*index, *src, 2);
  ExpectValues(out, {0, 3});
}

// As an operand it is computed once: each part would read the whole index.
TEST(TakeGrad, NestedReducedAndOfItself) {
  using Exp = TakeGradExp<Tensor<TestDevice, 1, int>, Tensor<TestDevice, 2>, float>;
  static_assert(kHasDirectPlan<Exp>);
  Guarded<2> flat(Shape2(6, 10), 1), out(Shape2(4, 12)), square(Shape2(5, 12));
  FillWhole(flat, 9);
  Guarded<1, int32_t> index(Shape1(5));
  FillWhole(index, 4);
  std::vector<double> expected(48, 0.0), sums(12, 0.0), rows(4, 0.0);
  for (int i = 0; i < 60; ++i) {
    expected[index.At(i / 12) * 12 + i % 12] += flat.At(i);
    sums[i % 12] += flat.At(i);
    rows[index.At(i / 12)] += flat.At(i);
  }
  *out = mirror(take_grad(*index, mirror(reshape(*flat, Shape2(5, 12))), 4));
  ExpectValues(out, expected);
  *out = take_grad(*index, mirror(mirror(reshape(*flat, Shape2(5, 12)))), 4) * 1.0f;
  ExpectValues(out, expected);
  Guarded<2> transposed(Shape2(12, 4));
  *transposed = reshape(take_grad(*index, reshape(*flat, Shape2(5, 12)), 4), Shape2(12, 4));
  ExpectValues(transposed, expected);
  Guarded<1> sum(Shape1(12)), row(Shape1(4));
  *sum = sum_rows(take_grad(*index, reshape(*flat, Shape2(5, 12)), 4));
  ExpectValues(sum, sums);
  *row = sumall_except_dim<0>(take_grad(*index, reshape(*flat, Shape2(5, 12)), 4));
  ExpectValues(row, rows);
  *square = reshape(*flat, square->shape_);
  *square = take_grad(*index, *square, 5);
  expected.resize(60, 0.0);
  ExpectValues(square, expected);
}

TEST(TakeGrad, Errors) {
  Guarded<1> index(Shape1(3));
  Guarded<2> src(Shape2(2, 4));
  EXPECT_NE(ErrorOf([&] { take_grad(*index, *src, 5); }).find("source (2,4), index (3,)"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
