// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/cumsum.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim, typename DType>
std::vector<double> Sums(Guarded<dim, DType>& a, int axis) {
  return Each(a->shape_, [&](Index<dim> index) {
    const std::size_t last = index[axis];
    double sum = 0;
    for (index[axis] = 0; index[axis] <= last; ++index[axis]) sum += At(a, index);
    return sum;
  });
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
    Guarded<2, DType> a(Shape2(6, 20), 1), out(Shape2(6, 20));
    FillWhole(a, 6);
    for (int axis : {0, 1}) {
      *out = cumsum(*a, axis);
      ExpectValues(out, Sums(a, axis));
    }
  });
}

TEST(Cumsum, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { cumsum(*a, 2); }),
            "cumsum: axis = 2 is out of range: -2 to 1, the axes of the source");
}

}  // namespace
}  // namespace mshadow
