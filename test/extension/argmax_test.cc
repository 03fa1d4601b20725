// SPDX-License-Identifier: Apache-2.0
// What argmax and argmin share with reduce_with_axis is tested there.
#include <mshadow/extension/argmax.h>

#include <limits>
#include <string>

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
    Guarded<2, int64_t> rows(Shape2(5, 7)), columns(Shape2(5, 83)), planes(Shape2(7, 83));
    *rows = argmax(*a, -1);
    ExpectValues(rows, First(a, 2, 1));
    *rows = argmin(*a, 2) + 0;
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
  Guarded<1, int64_t> out(Shape1(2));
  *a = 1.0f;
  (*a)[0][599] = inf;
  (*a)[1][17] = inf;
  (*a)[1][531] = std::numeric_limits<float>::quiet_NaN();
  (*a)[1][532] = (*a)[1][531];
  *out = argmax(*a, 1);
  ExpectValues(out, {599, 531});
}

TEST(ArgMax, IndexTypes) {
  Guarded<2> a(Shape2(3, 50), 1);
  FillWhole(a, 9);
  const std::vector<double> expected = First(a, 1, 1);
  Guarded<1> floats(Shape1(3));
  *floats = argmax<float>(*a, 1) * 2 - argmax<float>(*a, 1);
  ExpectValues(floats, expected);
  Guarded<1, int32_t> ints(Shape1(3));
  *ints = argmax<int32_t>(*a, 1);
  ExpectValues(ints, expected);
  *floats = tcast<float>(argmin(*a, 1));
  ExpectValues(floats, First(a, 1, -1));
  Guarded<1, uint8_t> bytes(Shape1(50));
  *bytes = argmin<uint8_t>(*a, 0);
  ExpectValues(bytes, First(a, 0, -1));
}

// Indices that the element type does not count.
template <typename DType>
void CheckLongAxis(index_t n) {
  for (int axis : {0, 1}) {
    Guarded<2, DType> a(axis == 1 ? Shape2(2, n) : Shape2(n, 2), axis == 1 ? 1 : 0);
    *a = DType(1);
    const std::size_t last = static_cast<std::size_t>(n) - 1;
    a.At(axis == 1 ? last : 2 * last) = DType(2);
    a.At(axis == 1 ? 2 * last : 2 * (last - 1) + 1) = DType(0);
    Guarded<1, int64_t> most(Shape1(2)), least(Shape1(2));
    *most = argmax(*a, axis);
    ExpectValues(most, {static_cast<double>(last), 0});
    *least = argmin(*a, axis);
    ExpectValues(least, {0, static_cast<double>(last - 1)});
  }
}
TEST(ArgMax, LongAxes) {
  CheckLongAxis<half::half_t>(5000);
  CheckLongAxis<bfloat::bf16_t>(5000);
  CheckLongAxis<uint8_t>(5000);
  CheckLongAxis<int8_t>(300);
}
TEST(ArgMax, MoreThanFloatsCount) {
  const index_t n = (1 << 24) + 3;
  TensorContainer<cpu, 2> a(Shape2(1, n), 0.0f);
  a[0][n - 2] = 1;
  TensorContainer<cpu, 1, int64_t> out(Shape1(1));
  out = argmax(a, 1);
  EXPECT_EQ(out[0], n - 2);
  out = argmax(reshape(a, Shape2(n, 1)), 0);
  EXPECT_EQ(out[0], n - 2);
}

template <typename F>
std::string ArgMaxMessage(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no Error";
}
TEST(ArgMax, AxesLongerThanTheIndexTypeCounts) {
  Guarded<2, half::half_t> a(Shape2(1, 2049)), one(Shape2(1, 1));
  Guarded<1, half::half_t> out(Shape1(1));
  *a = half::half_t(1);
  const std::string message =
      ArgMaxMessage([&] { *out = reduce_with_axis<red::maximum, true>(*a, 1); });
  EXPECT_NE(message.find("reduce_with_axis: the element type counts 2048 indices exactly, the axis "
                         "has 2049 elements; argmax and argmin give int64_t"),
            std::string::npos)
      << message;
  EXPECT_THROW((*one = reduce_keepdim<red::minimum, true>(*a, 1)), Error);
  EXPECT_THROW((*out = argmax<half::half_t>(*a, 1)), Error);
  *out = reduce_with_axis<red::maximum, false>(*a, 1);
  *out = reduce_with_axis<red::maximum, true>(slice<1>(*a, 0, 2048), 1);
  Guarded<2, uint8_t> b(Shape2(257, 2));
  Guarded<1, uint8_t> bytes(Shape1(2));
  *b = 0;
  EXPECT_THROW((*bytes = reduce_with_axis<red::maximum, true>(*b, 0)), Error);
  *bytes = reduce_with_axis<red::maximum, true>(slice<0>(*b, 0, 256), 0);
  EXPECT_THROW((argmin<int8_t>(*b, 0)), Error);
}

}  // namespace
}  // namespace mshadow
