// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/cumsum.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim, typename DType>
std::vector<double> Sums(Guarded<dim, DType>& a, int axis) {
  std::vector<double> sums = Values(a);
  const std::size_t step = a->shape_.ProdShape(axis + 1, dim);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i / step % a->shape_[axis] != 0) sums[i] += sums[i - step];
  }
  return sums;
}

template <int dim>
void CheckCumsum(const Shape<dim>& shape) {
  for (int axis = 0; axis < dim; ++axis) {
    Guarded<dim> a(shape, 1, 1), out(shape, 2);
    FillWhole(a, 9);
    ExpectUses(shape, Sums(a, axis), [&] { return cumsum(*a, axis); });
    *out = cumsum(*a, axis - dim);
    ExpectValues(out, Sums(a, axis));
  }
}

TEST(Cumsum, EveryAxis) {
  CheckCumsum(Shape1(1301));  // several buffers
  CheckCumsum(Shape2(4, 1037));
  CheckCumsum(Shape3(3, 7, 19));
  CheckCumsum(Shape4(2, 3, 4, 5));
  CheckCumsum(Shape2(0, 3));
}

// Begun within a row, and of a source of runs.
TEST(Cumsum, Nested) {
  Guarded<2> a(Shape2(4, 600), 1), flat(Shape2(2, 1200)), all(Shape2(2, 1200));
  Guarded<2> part(Shape2(1, 700));
  FillWhole(a, 9);
  *flat = reshape(*a, flat->shape_);
  *all = cumsum(*flat, 1);
  *part = crop(*all, part->shape_, 1, 300);
  ExpectUses(part->shape_, Values(part), [&] {
    return crop(cumsum(reshape(*a, Shape2(2, 1200)), 1), Shape2(1, 700), 1, 300);
  });
}

// A thread begins within an axis, or within a row.
TEST(Cumsum, SharedByThreads) {
  Guarded<3> a(Shape3(2, 151, 301), 1), out(a->shape_);
  FillWhole(a, 3);
  for (int axis : {0, 1, 2}) {
    *out = cumsum(*a, axis);
    ExpectValues(out, Sums(a, axis));
  }
}

// Sums of 16-bit floats keep their digits from row to row, in several buffers of columns, from any
// row on; 256 + 1 is 256 in bfloat16.
TEST(Cumsum, Of16BitFloatsOnThreads) {
  Guarded<3, bfloat::bf16_t> a(Shape3(40, 3, 1100), 1), out(a->shape_, 3);
  FillWhole(a, 12);
  std::vector<double> rounded;
  for (int axis : {0, 1}) {
    *out = cumsum(*a, axis);
    rounded = Sums(a, axis);
    for (double& x : rounded) {
      x = static_cast<double>(static_cast<float>(bfloat::bf16_t(static_cast<float>(x))));
    }
    ExpectValues(out, rounded);
  }
  FillWhole(out, 5, 2);
  const std::vector<double> before = Values(out);
  *out -= cumsum(*a, 1);
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    const float less = static_cast<float>(before[i] - rounded[i]);
    rounded[i] = static_cast<double>(static_cast<float>(bfloat::bf16_t(less)));
  }
  ExpectValues(out, rounded);
}

// Each element is read once, also where sums are added: with one sum at a time, 5e9 additions.
TEST(Cumsum, AddedDownALongAxis) {
  Guarded<2> a(Shape2(60000, 3)), out(Shape2(60000, 3), 1);
  FillWhole(a, 2);
  *out = 1.0f;
  *out += cumsum(*a, 0);
  *out *= 2.0f;
  *out -= cumsum(*a, 0);
  std::vector<double> expected(out.Size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = (i < 3 ? 2 : expected[i - 3]) + a.At(i);
  }
  ExpectValues(out, expected);
}

TEST(Cumsum, InPlace) {
  Guarded<2> a(Shape2(5, 40), 1);
  FillWhole(a, 9);
  const std::vector<double> expected = Sums(a, 0);
  *a = cumsum(*a, 0);
  ExpectValues(a, expected);
}

TEST(Cumsum, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(6, 20), 1);
    Guarded<2, decltype(sum(*a))> out(Shape2(6, 20));  // 64 bits of integers
    FillWhole(a, 6);
    for (int axis : {0, 1}) {
      *out = cumsum(*a, axis);
      ExpectValues(out, Sums(a, axis));
    }
  });
}

// As np.cumsum: in 64 bits, whose ends wrap.
TEST(Cumsum, OfIntegersDoesNotWrap) {
  Guarded<1, int32_t> a(Shape1(3));
  *a = 2000000000;
  Guarded<1, int64_t> out(Shape1(3));
  *out = cumsum(*a, 0);
  ExpectValues(out, {2e9, 4e9, 6e9});
  *out = cumsum(*a, 0) * 2 - cumsum(*a, 0);
  ExpectValues(out, {2e9, 4e9, 6e9});
  Guarded<2, uint8_t> pixels(Shape2(300, 2), 1);
  *pixels = uint8_t{200};
  Guarded<2, uint64_t> rows(Shape2(300, 2));
  *rows = cumsum(*pixels, 0);
  EXPECT_EQ(rows.At(599), 60000u);
  Guarded<1, uint8_t> ones(Shape1(300));
  *ones = uint8_t{1};
  Guarded<1, int64_t> counts(Shape1(300));
  *counts = cumsum(tcast<bool>(*ones), 0);
  EXPECT_EQ(counts.At(299), 300);
  Guarded<1, int8_t> small(Shape1(3));
  *small = int8_t{-100};
  *small = tcast<int8_t>(cumsum(*small, 0));  // where it shall wrap
  ExpectValues(small, {-100, 56, -44});
}

TEST(Cumsum, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { cumsum(*a, 2); }),
            "cumsum: axis = 2 is out of range: -2 to 1, the axes of the source");
}

}  // namespace
}  // namespace mshadow
