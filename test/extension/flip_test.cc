// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/concat.h>
#include <mshadow/extension/flip.h>
#include <mshadow/extension/slice.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckFlip(const Shape<dim>& shape) {
  for (int axis = 0; axis < dim; ++axis) {
    Guarded<dim> a(shape, 1, 1), out(shape, 2);
    FillWhole(a, 100);
    const std::vector<double> expected = Each(shape, [&](Index<dim> index) {
      index[axis] = shape[axis] - 1 - index[axis];
      return At(a, index);
    });
    ExpectUses(shape, expected, [&] { return flip(*a, axis) * 1.0f; });
    *out = flip(*a, axis - dim);
    ExpectValues(out, expected);
    *out = 0.0f;
    flip(*out, axis) = *a * 1.0f;  // an lvalue
    ExpectValues(out, expected);
    if constexpr (dim == 2) {
      flip(*out, axis) += *a;
      std::vector<double> twice = expected;
      for (double& value : twice) value *= 2;
      ExpectValues(out, twice);
    }
    flip(*out, axis) = flip(*a, axis);  // of its own type
    ExpectValues(out, Values(a));
    if constexpr (dim == 3) {
      *out = flip(*out, axis);  // in place
      ExpectValues(out, expected);
      flip(*out, axis) = 4.0f;
      ExpectValues(out, std::vector<double>(shape.Size(), 4.0));
    }
  }
}

TEST(Flip, EveryAxis) {
  CheckFlip(Shape1(37));
  CheckFlip(Shape2(4, 19));
  CheckFlip(Shape3(2, 3, 17));
  CheckFlip(Shape5(2, 1, 3, 2, 5));
  CheckFlip(Shape2(0, 3));
}

TEST(Flip, OfOtherViews) {
  Guarded<2> a(Shape2(3, 8), 1), b(Shape2(3, 4)), out(Shape2(3, 12));
  FillWhole(a, 100);
  FillWhole(b, 100, 2);
  *out = concat<1>(flip(*a, 1), *b);
  ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                 return i[1] < 8 ? At(a, Index<2>{i[0], 7 - i[1]})
                                 : At(b, Index<2>{i[0], i[1] - 8});
               }));
  flip(slice<1>(*out, 2, 6), 1) = *b;
  ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                 if (2 <= i[1] && i[1] < 6) return At(b, Index<2>{i[0], 5 - i[1]});
                 return i[1] < 8 ? At(a, Index<2>{i[0], 7 - i[1]})
                                 : At(b, Index<2>{i[0], i[1] - 8});
               }));
}

TEST(Flip, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 20), 1), out(Shape2(2, 20));
    FillWhole(a, 100);
    *out = flip(*a, 1);
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                   return At(a, Index<2>{i[0], 19 - i[1]});
                 }));
  });
}

// Rows that are gathered and scattered, on both sides of a statement, between others.
template <typename DType>
void CheckNarrow(index_t width) {
  SCOPED_TRACE(width);
  const Shape<3> shape = Shape3(3, 11, width);
  Guarded<3, DType> a(shape, 1), b(shape, 3), out(shape, 2);
  FillWhole(a, 20);
  FillWhole(b, 7);
  for (int axis = 0; axis < 3; ++axis) {
    const auto flipped = [&](auto& t, Index<3> i) {
      i[axis] = shape[axis] - 1 - i[axis];
      return At(t, i);
    };
    *out = flip(*a, axis);
    ExpectValues(out, Each(shape, [&](Index<3> i) { return flipped(a, i); }));
    *out += flip(*a, axis) * *b;
    ExpectValues(out, Each(shape, [&](Index<3> i) { return flipped(a, i) * (1 + At(b, i)); }));
    *out = DType(0);
    flip(*out, axis) = *a;
    flip(*out, axis) += *b + flip(*b, 2);
    flip(slice<1>(*out, 2, 9), axis) += DType(1);
    ExpectValues(out, Each(shape, [&](Index<3> i) {
                   const bool inside = i[1] >= 2 && i[1] < 9;
                   Index<3> j = i;
                   j[axis] = shape[axis] - 1 - j[axis];
                   const Index<3> k{j[0], j[1], width - 1 - j[2]};
                   return At(a, j) + At(b, j) + At(b, k) + (inside ? 1 : 0);
                 }));
  }
}
TEST(Flip, NarrowRows) {
  ForEachIsa([] {
    for (index_t width : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 11u, 16u, 17u}) {
      CheckNarrow<float>(width);
      CheckNarrow<uint8_t>(width);
      CheckNarrow<half::half_t>(width);
    }
    CheckNarrow<double>(3);
    CheckNarrow<double>(6);
  });
}

TEST(Flip, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { flip(*a, 2); }),
            "flip: axis = 2 is out of range: -2 to 1, the axes of the source");
}

// Of an expression, which is not assigned to.
TEST(Flip, OfExpressions) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(3, 50), 1), out(a->shape_);
    FillWhole(a, 9);
    std::vector<double> expected;
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 50; ++x) {
        expected.push_back(2 * a.At(50 * y + 49 - x) + a.At(50 * (2 - y) + x));
      }
    }
    *out = flip(2.0f * *a, 1) + flip(flip(*a * 1.0f, -1), -1) * 0.0f + flip(*a + 0.0f, 0);
    ExpectValues(out, expected);
  });
}

}  // namespace
}  // namespace mshadow
