// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/spatial_upsampling_nearest.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckSpatialUpsamplingNearest(const Shape<dim>& shape, index_t scale) {
  Guarded<dim> a(shape, 1, 1);
  FillWhole(a, 100);
  Shape<dim> wide = shape;
  wide[dim - 2] *= scale;
  wide[dim - 1] *= scale;
  const std::vector<double> expected = Each(wide, [&](Index<dim> index) {
    index[dim - 2] /= scale;
    index[dim - 1] /= scale;
    return At(a, index);
  });
  ExpectUses(wide, expected, [&] { return upsampling_nearest(*a, scale); });
}

TEST(UpsamplingNearest, Scales) {
  CheckSpatialUpsamplingNearest(Shape2(3, 37), 1);
  CheckSpatialUpsamplingNearest(Shape2(3, 37), 2);
  CheckSpatialUpsamplingNearest(Shape3(2, 3, 19), 3);
  CheckSpatialUpsamplingNearest(Shape4(2, 1, 2, 5), 4);
  CheckSpatialUpsamplingNearest(Shape5(1, 2, 1, 2, 3), 7);
  CheckSpatialUpsamplingNearest(Shape2(1, 400), 2);   // more than a buffer
  CheckSpatialUpsamplingNearest(Shape2(1, 3), 600);   // a pixel is more than a buffer
  CheckSpatialUpsamplingNearest(Shape2(0, 3), 2);
}

TEST(UpsamplingNearest, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 10), 1), out(Shape2(4, 20));
    FillWhole(a, 100);
    *out = upsampling_nearest(*a, 2);
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                   return At(a, Index<2>{i[0] / 2, i[1] / 2});
                 }));
  });
}

// Cut, so that a run begins within a pixel; and of an expression of runs.
TEST(UpsamplingNearest, Nested) {
  Guarded<2> a(Shape2(4, 10), 1), flat(Shape2(2, 20)), wide(Shape2(6, 60)), part(Shape2(3, 41));
  FillWhole(a, 100);
  *flat = reshape(*a, flat->shape_);
  *wide = upsampling_nearest(*flat, 3);
  *part = crop(*wide, part->shape_, 2, 7);
  ExpectUses(part->shape_, Values(part), [&] {
    return crop(upsampling_nearest(reshape(*a, Shape2(2, 20)), 3), Shape2(3, 41), 2, 7);
  });
}

TEST(UpsamplingNearest, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { upsampling_nearest(*a, 0); }),
            "upsampling_nearest: scale = 0 is out of range: 1 to 429496729, what the source's "
            "extents may grow by");
  EXPECT_NE(ErrorOf([&] { upsampling_nearest(*a, static_cast<index_t>(-1)); }), "no error");
}

}  // namespace
}  // namespace mshadow
