// SPDX-License-Identifier: Apache-2.0
// What argmax and argmin share with reduce_with_axis is tested there.
#include <mshadow/extension/argmax.h>

#include <limits>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// The first of the greatest elements, times `sign`, along `axis`.
template <int dim>
std::vector<double> First(Guarded<dim>& a, int axis, double sign) {
  Shape<dim> kept = a->shape_;
  kept[axis] = 1;
  return Each(kept, [&](Index<dim> index) {
    Index<dim> best = index;
    for (std::size_t i = 0; i < a->shape_[axis]; ++i) {
      index[axis] = i;
      if (sign * At(a, index) > sign * At(a, best)) best = index;
    }
    return static_cast<double>(best[axis]);
  });
}

TEST(ArgMax, EveryAxis) {
  ForEachIsa([] {
    Guarded<3> a(Shape3(5, 7, 83), 1, 1);
    FillWhole(a, 9);  // many ties
    Guarded<2> rows(Shape2(5, 7)), columns(Shape2(5, 83)), planes(Shape2(7, 83));
    *rows = argmax(*a, -1);
    ExpectValues(rows, First(a, 2, 1));
    *rows = argmin(*a, 2) + 0.0f;
    ExpectValues(rows, First(a, 2, -1));
    *columns = argmax(*a * 2.0f, 1);
    ExpectValues(columns, First(a, 1, 1));
    *planes = argmin(*a, 0);
    ExpectValues(planes, First(a, 0, -1));
  });
}

TEST(ArgMax, OfNaNAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  Guarded<2> a(Shape2(2, 600));
  Guarded<1> out(Shape1(2));
  *a = 1.0f;
  (*a)[0][599] = inf;
  (*a)[1][17] = inf;
  (*a)[1][531] = std::numeric_limits<float>::quiet_NaN();
  (*a)[1][532] = (*a)[1][531];
  *out = argmax(*a, 1);
  ExpectValues(out, {599, 531});
}

}  // namespace
}  // namespace mshadow
