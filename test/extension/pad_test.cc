// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/pad.h>
#include <mshadow/extension/unpad.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckPad(const Shape<dim>& shape, index_t pad_y, index_t pad_x) {
  Guarded<dim> a(shape, 1, 1);
  FillWhole(a, 100);
  Shape<dim> wide = shape;
  wide[dim - 2] += 2 * pad_y;
  wide[dim - 1] += 2 * pad_x;
  const auto padded = [&](double value) {
    return Each(wide, [&](Index<dim> index) {
      index[dim - 2] -= pad_y;  // wraps where that is above
      index[dim - 1] -= pad_x;
      return index[dim - 2] < shape[dim - 2] && index[dim - 1] < shape[dim - 1] ? At(a, index)
                                                                                : value;
    });
  };
  ExpectUses(wide, padded(0), [&] { return pad(*a, pad_y, pad_x); });
  if constexpr (dim < 4) {
    ExpectUses(wide, padded(8), [&] { return pad(*a, pad_y, pad_x, 8.0f); });
    ExpectUses(shape, Values(a), [&] { return unpad(pad(*a, pad_y, pad_x), pad_y, pad_x); });
  }
}

TEST(Pad, Shapes) {
  CheckPad(Shape2(3, 37), 1, 2);
  CheckPad(Shape2(1, 1), 2, 20);
  CheckPad(Shape3(2, 5, 16), 0, 3);
  CheckPad(Shape3(2, 5, 16), 3, 0);
  CheckPad(Shape4(2, 3, 4, 5), 1, 1);
  CheckPad(Shape5(1, 2, 2, 3, 4), 2, 1);
  CheckPad(Shape2(0, 4), 1, 1);
}

TEST(Pad, GoldenValues) {
  Guarded<2> v(Shape2(2, 3)), out(Shape2(4, 5));
  v.FillIota();
  *out = pad(*v, 1);
  ExpectValues(out, {0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0});
  Guarded<2> back(Shape2(2, 3));
  *back = unpad(*out, 1);
  ExpectValues(back, Values(v));
}

TEST(Pad, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 20), 1), out(Shape2(4, 24));
    FillWhole(a, 100);
    *out = pad(*a, 1, 2);
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                   return i[0] - 1 < 2 && i[1] - 2 < 20 ? At(a, Index<2>{i[0] - 1, i[1] - 2}) : 0.0;
                 }));
  });
}

// Of runs and of what is computed in advance; and as cxxnet uses it, cropped again.
TEST(Pad, Nested) {
  Guarded<2> a(Shape2(8, 20), 1);
  FillWhole(a, 100);
  Guarded<2> pooled(Shape2(4, 10)), expected(Shape2(6, 14));
  *pooled = pool<red::maximum>(*a, 2, 2, 2);
  *expected = pad(*pooled, 1, 2);
  ExpectUses(expected->shape_, Values(expected),
             [&] { return pad(pool<red::maximum>(*a, 2, 2, 2), 1, 2); });
  Guarded<2> flat(Shape2(5, 32)), wide(Shape2(7, 34));
  *flat = reshape(*a, flat->shape_);
  *wide = pad(*flat, 1);
  ExpectUses(wide->shape_, Values(wide), [&] { return pad(reshape(*a, Shape2(5, 32)), 1); });
  ExpectUses(wide->shape_, Values(wide), [&] { return pad(pad(*flat, 1, 0), 0, 1); });
}

TEST(Pad, InPlaceOfItsOwnCentre) {
  Guarded<2> a(Shape2(4, 6));
  a.FillIota();
  const std::vector<double> all = Values(a);
  *a = pad(crop(*a, Shape2(2, 4), 1, 1), 1);
  ExpectValues(a, Each(a->shape_, [&](Index<2> i) {
                 return i[0] - 1 < 2 && i[1] - 1 < 4 ? all[i[0] * 6 + i[1]] : 0.0;
               }));
}

// Only plain memory may be empty: the rows of an expression are made of what is there.
TEST(Pad, OfNothing) {
  Guarded<2> a(Shape2(0, 3)), b(Shape2(0, 1)), out(Shape2(2, 5));
  Guarded<1> index(Shape1(0));
  *out = pad(*a, 1);
  ExpectValues(out, std::vector<double>(10, 0.0));
  for (const std::string& text : {ErrorOf([&] { *out = pad(mask(*index, *a), 1); }),
                                  ErrorOf([&] { *out = pad(broadcast_keepdim(*b, 1, 3), 1); }),
                                  ErrorOf([&] { *out = pad(reshape(*a, Shape2(0, 3)), 1); })}) {
    EXPECT_NE(text.find("the source has no pixel"), std::string::npos) << text;
  }
}

TEST(Pad, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_NE(ErrorOf([&] { pad(*a, static_cast<index_t>(-1)); }).find("pad: pad_y ="),
            std::string::npos);
  EXPECT_EQ(ErrorOf([&] { unpad(*a, 2, 1); }),
            "unpad: pad_y = 2 is out of range: 0 to 1, half of the source's height");
  EXPECT_EQ(ErrorOf([&] { unpad(*a, 1, 3); }),
            "unpad: pad_x = 3 is out of range: 0 to 2, half of the source's width");
}

}  // namespace
}  // namespace mshadow
