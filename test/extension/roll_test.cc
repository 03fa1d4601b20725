// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/roll.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckRoll(const Shape<dim>& shape) {
  for (int axis = 0; axis < dim; ++axis) {
    for (int shift : {0, 1, -1, 5, -1000001}) {
      Guarded<dim> a(shape, 1, 1);
      FillWhole(a, 100);
      const long long extent = shape[axis];
      const std::vector<double> expected = Each(shape, [&](Index<dim> index) {
        const long long from = (static_cast<long long>(index[axis]) - shift) % extent;
        index[axis] = static_cast<std::size_t>(from < 0 ? from + extent : from);
        return At(a, index);
      });
      ExpectUses(shape, expected, [&] { return roll(*a, shift, axis); });
      Guarded<dim> out(shape);
      *out = roll(*a * 1.0f, shift, axis - dim);
      ExpectValues(out, expected);
    }
  }
}

TEST(Roll, EveryAxis) {
  CheckRoll(Shape1(19));
  CheckRoll(Shape2(4, 17));
  CheckRoll(Shape4(2, 3, 2, 5));
}

TEST(Roll, Empty) {
  Guarded<2> a(Shape2(0, 3)), out(Shape2(0, 3));
  *out = roll(*a, 1, 0);
  EXPECT_TRUE(out.Intact());
}

TEST(Roll, OfRunsAndInPlace) {
  Guarded<2> a(Shape2(4, 10), 1), flat(Shape2(2, 20)), expected(Shape2(2, 20));
  FillWhole(a, 100);
  *flat = reshape(*a, flat->shape_);
  *expected = roll(*flat, 7, 1);
  ExpectUses(expected->shape_, Values(expected),
             [&] { return roll(reshape(*a, Shape2(2, 20)), 7, 1); });
  *flat = roll(*flat, 7, 1);
  ExpectValues(flat, Values(expected));
}

TEST(Roll, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { roll(*a, 1, -3); }),
            "roll: axis = -3 is out of range: -2 to 1, the axes of the source");
}

}  // namespace
}  // namespace mshadow
