// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/pool3d.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// Pooling of volumes (size) to (out); windows are clipped at the end of the volume.
template <typename Reducer>
std::vector<double> Pool(const std::vector<double>& a, const Shape<3>& size, const Shape<3>& out,
                         const Shape<3>& k, const Shape<3>& s) {
  std::vector<double> pooled;
  for (std::size_t base = 0; base < a.size(); base += size.Size()) {
    for (index_t i = 0; i < out.Size(); ++i) {
      const index_t at[] = {i / (out[1] * out[2]), i / out[2] % out[1], i % out[2]};
      double value;
      Reducer::SetInitValue(value);
      for (index_t z = at[0] * s[0]; z < std::min<index_t>(at[0] * s[0] + k[0], size[0]); ++z) {
        for (index_t y = at[1] * s[1]; y < std::min<index_t>(at[1] * s[1] + k[1], size[1]); ++y) {
          for (index_t x = at[2] * s[2]; x < std::min<index_t>(at[2] * s[2] + k[2], size[2]); ++x) {
            value = Reducer::Combine(value, a[base + (z * size[1] + y) * size[2] + x]);
          }
        }
      }
      pooled.push_back(value);
    }
  }
  return pooled;
}

template <int dim>
Shape<3> Last3(const Shape<dim>& shape) {
  return Shape3(shape[dim - 3], shape[dim - 2], shape[dim - 1]);
}

template <typename Reducer, int dim>
void CheckPool3d(const Shape<dim>& shape, const Shape<3>& k, const Shape<3>& s) {
  SCOPED_TRACE(LogText(shape) + ": " + LogText(k) + " / " + LogText(s));
  Guarded<dim> a(shape, 3, 1);
  FillWhole(a, 13);
  Shape<dim> pooled = shape;
  const Shape<3> size = Last3(shape);
  for (int i = 0; i < 3; ++i) pooled[dim - 3 + i] = (size[i] - k[i]) / s[i] + 1;
  Guarded<dim> out(pooled, 2), b(pooled, 1);
  FillWhole(b, 13, 2);
  std::vector<double> expected = Pool<Reducer>(Values(a), size, Last3(pooled), k, s);
  *out = pool3d<Reducer>(*a * 1.0f, k, s);
  ExpectValues(out, expected);
  *out = 0.0f;
  *out = pool3d<Reducer>(*a, k, s);
  ExpectValues(out, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 3 * expected[i] + b.At(i);
  *out += pool3d<Reducer>(*a * 2.0f, k, s) + *b;
  ExpectValues(out, expected);
  // All windows that begin inside.
  for (int i = 0; i < 3; ++i) pooled[dim - 3 + i] = (size[i] - 1) / s[i] + 1;
  Guarded<dim> more(pooled, 1);
  *more = pool3d<Reducer>(*a, Last3(pooled), k, s);
  ExpectValues(more, Pool<Reducer>(Values(a), size, Last3(pooled), k, s));
}

TEST(Pool3d, Maximum) {
  ForEachIsa([] {
    CheckPool3d<red::maximum>(Shape3(5, 6, 37), Shape3(2, 2, 2), Shape3(2, 2, 2));
    CheckPool3d<red::maximum>(Shape3(5, 6, 37), Shape3(3, 3, 3), Shape3(2, 2, 2));
    CheckPool3d<red::maximum>(Shape3(4, 5, 40), Shape3(1, 2, 2), Shape3(1, 2, 2));
    CheckPool3d<red::maximum>(Shape3(4, 5, 40), Shape3(1, 3, 3), Shape3(2, 1, 2));
    CheckPool3d<red::maximum>(Shape3(4, 5, 7), Shape3(4, 5, 7), Shape3(1, 1, 1));
  });
}
TEST(Pool3d, Sum) {
  ForEachIsa([] {
    CheckPool3d<red::sum>(Shape5(2, 2, 4, 5, 9), Shape3(2, 3, 4), Shape3(1, 2, 3));
    CheckPool3d<red::sum>(Shape5(2, 2, 3, 4, 33), Shape3(3, 1, 3), Shape3(1, 1, 1));
  });
}

// Planes that lie in one piece, some of them a window.
TEST(Pool3d, WholePlanes) {
  Guarded<4> a(Shape4(2, 5, 6, 7)), out(Shape4(2, 2, 1, 1));
  FillWhole(a, 13);
  const Shape<3> k = Shape3(2, 6, 7), s = Shape3(3, 1, 1);
  *out = pool3d<red::sum>(*a, k, s);
  ExpectValues(out, Pool<red::sum>(Values(a), Shape3(5, 6, 7), Shape3(2, 1, 1), k, s));
  *out = pool3d<red::maximum>(*a, k, s);
  ExpectValues(out, Pool<red::maximum>(Values(a), Shape3(5, 6, 7), Shape3(2, 1, 1), k, s));
}

TEST(Pool3d, IsPoolWhereThereIsOnePlane) {
  Guarded<3> a(Shape3(3, 8, 40)), out(Shape3(3, 4, 20)), flat(Shape3(3, 4, 20));
  FillWhole(a, 1000);
  *out = pool3d<red::minimum>(*a, Shape3(1, 2, 2), Shape3(1, 2, 2));
  *flat = pool<red::minimum>(*a, 2, 2, 2);
  ExpectValues(out, Values(flat));
}

TEST(Pool3d, NestsAndIsReduced) {
  Guarded<4> a(Shape4(2, 4, 8, 24)), out(Shape4(2, 1, 2, 6));
  FillWhole(a, 1000);
  const Shape<3> two = Shape3(2, 2, 2), four = Shape3(4, 4, 4);
  *out = pool3d<red::maximum>(pool3d<red::maximum>(*a, two, two), two, two);
  const std::vector<double> expected =
      Pool<red::maximum>(Values(a), Shape3(4, 8, 24), Shape3(1, 2, 6), four, four);
  ExpectValues(out, expected);
  Guarded<1> total(Shape1(2));
  *total = sumall_except_dim<0>(pool3d<red::maximum>(*a, four, four));
  double sums[2] = {0, 0};
  for (int i = 0; i < 24; ++i) sums[i / 12] += expected[i];
  ExpectValues(total, {sums[0], sums[1]});
}

// The kernels are those of pool, which takes every type.
TEST(Pool3d, DTypeOfEachSize) {
  ForDTypeOfEachSize([](auto zero) {
    using DType = decltype(zero);
    Guarded<3, DType> a(Shape3(2, 4, 37), 1), out(Shape3(1, 2, 18), 2);
    FillWhole(a, 9);
    const Shape<3> two = Shape3(2, 2, 2);
    *out = pool3d<red::maximum>(*a, two, two);
    ExpectValues(out, Pool<red::maximum>(Values(a), Shape3(2, 4, 37), out->shape_, two, two));
  });
}

TEST(Pool3d, KeepsNan) {
  Guarded<3> a(Shape3(3, 3, 49)), out(Shape3(1, 1, 24));
  *a = -std::numeric_limits<float>::infinity();
  (*a)[2][1][10] = std::numeric_limits<float>::quiet_NaN();
  *out = pool3d<red::maximum>(*a, Shape3(3, 3, 3), Shape3(2, 2, 2));
  for (index_t x = 0; x < 24; ++x) {
    EXPECT_EQ(std::isnan((*out)[0][0][x]), x == 4 || x == 5) << x;
  }
}

TEST(Pool3d, Errors) {
  Guarded<3> a(Shape3(4, 5, 7));
  EXPECT_EQ(ErrorOf([&] { pool3d<red::sum>(*a, Shape3(5, 2, 2), Shape3(1, 1, 1)); }),
            "pool3d: ksize[0] = 5 is out of range: 1 to 4, the extent with its padding (kernel "
            "must be smaller than image)");
  EXPECT_EQ(ErrorOf([&] { pool3d<red::sum>(*a, Shape3(2, 2, 2), Shape3(1, 0, 1)); }),
            "pool3d: kstride[1] = 0 must be positive");
  const Shape<3> one = Shape3(1, 1, 1);
  EXPECT_EQ(ErrorOf([&] { pool3d<red::sum>(*a, one, Shape3(0, 2, 2), one); }),
            "pool3d: ksize[0] = 0 must be positive");
  const Shape<3> two = Shape3(2, 2, 2);
  EXPECT_EQ(ErrorOf([&] { pool3d<red::maximum>(*a, Shape3(3, 3, 4), two, two); }),
            "pool3d: pooled shape (3,3,4) has windows that hold no element: image (4,5,7), window "
            "(2,2,2), stride (2,2,2)");
  EXPECT_EQ(ErrorOf([&] { pool3d<red::maximum>(*a, Shape3(2, 3, 4), two, two); }), "no error");
}

}  // namespace
}  // namespace mshadow
