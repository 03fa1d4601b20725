// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/tile.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckTile(const Shape<dim>& shape, const Shape<dim>& reps) {
  Guarded<dim> a(shape, 1, 1);
  FillWhole(a, 100);
  Shape<dim> wide = shape;
  for (int i = 0; i < dim; ++i) wide[i] *= reps[i];
  const std::vector<double> expected = Each(wide, [&](Index<dim> index) {
    for (int i = 0; i < dim; ++i) index[i] %= shape[i];
    return At(a, index);
  });
  ExpectUses(wide, expected, [&] { return tile(*a, reps); });
}

TEST(Tile, Shapes) {
  CheckTile(Shape1(7), Shape1(5));
  CheckTile(Shape2(3, 17), Shape2(2, 3));
  CheckTile(Shape2(3, 17), Shape2(1, 1));
  CheckTile(Shape3(2, 3, 5), Shape3(3, 1, 2));
  CheckTile(Shape4(2, 1, 3, 5), Shape4(1, 4, 2, 1));
  CheckTile(Shape5(1, 2, 1, 2, 3), Shape5(2, 2, 2, 2, 2));
  CheckTile(Shape2(3, 5), Shape2(0, 2));
}

TEST(Tile, OfRuns) {
  Guarded<2> a(Shape2(4, 10), 1), flat(Shape2(2, 20)), expected(Shape2(4, 60));
  FillWhole(a, 100);
  *flat = reshape(*a, flat->shape_);
  *expected = tile(*flat, Shape2(2, 3));
  ExpectUses(expected->shape_, Values(expected),
             [&] { return tile(reshape(*a, Shape2(2, 20)), Shape2(2, 3)); });
}

TEST(Tile, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_NE(ErrorOf([&] { tile(*a, Shape<2>{{static_cast<index_t>(-1), 1}}); }).find("tile: reps ="),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
