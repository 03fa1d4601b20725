// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/shape.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

#include "error_of.h"

using mshadow::index_t;
using mshadow::Shape;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Shape4;
using mshadow::Shape5;
using mshadow::testing::ErrorOf;

namespace {

constexpr index_t kMax = std::numeric_limits<index_t>::max();

TEST(Shape, IsItsExtents) {
  static_assert(sizeof(Shape<3>) == 3 * sizeof(index_t));
  static_assert(std::is_trivially_copyable_v<Shape<4>>);
  static_assert(std::is_trivially_default_constructible_v<Shape<4>>, "2.x leaves it uninitialised");
  static_assert(Shape<4>::kDimension == 4 && Shape<4>::kSubdim == 3);
  const Shape<3> shape = Shape3(2, 3, 4);
  index_t raw[3];
  std::memcpy(raw, &shape, sizeof(raw));
  EXPECT_EQ(raw[0], 2u);
  EXPECT_EQ(raw[2], 4u);
}

TEST(Shape, Factories) {
  EXPECT_EQ(Shape1(9)[0], 9u);
  EXPECT_EQ(Shape2(9, 8)[1], 8u);
  EXPECT_EQ(Shape4(9, 8, 7, 6)[3], 6u);
  const Shape<5> five = Shape5(9, 8, 7, 6, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(five[i], static_cast<index_t>(9 - i));
}

TEST(Shape, ExtentsOfAnyType) {
  enum Size { kSize = 3 };
  enum class Unused { kNone };
  struct Number {
    operator index_t() const { return 3; }
  };
  struct Bits {
    unsigned field : 4;
  };
  const Bits bits = {3};
  const signed char small = 3;
  const uint64_t large = 3;
  const std::size_t size = 3;
  EXPECT_EQ(Shape5(kSize, Number(), bits.field, small, large), Shape5(3, 3, 3, 3, 3));
  EXPECT_EQ(Shape4(3.5, 3.0f, 3L, size), Shape4(3, 3, 3, 3));
#ifndef __clang__  // which takes braces around one number for a mistake
  EXPECT_EQ(Shape3({3}, true, 'a'), Shape3(3, 1, 97));
#endif
  EXPECT_EQ(Shape2({}, -0.0), Shape2(0, 0));
  EXPECT_EQ(Shape1(std::integral_constant<int, 3>()), Shape1(3));
  EXPECT_EQ(Shape1(int64_t{0x7FFFFFFF}), Shape1(0x7FFFFFFF));
  EXPECT_EQ(Shape1(uint64_t{kMax})[0], kMax);
  static_assert(!std::is_convertible_v<Unused, index_t>);
}

TEST(Shape, ExtentsThatNoIndexHoldsAreRefused) {
  const std::string most = " is out of range: an extent is 0 to " + std::to_string(kMax);
  int minus = -1;
  EXPECT_EQ(ErrorOf([&] { Shape1(minus); }), "Shape1: s0 = -1" + most);
  EXPECT_EQ(ErrorOf([] { Shape1(-1); }), "Shape1: s0 = -1" + most);
  EXPECT_EQ(ErrorOf([] { Shape2(2, -2L); }), "Shape2: s1 = -2" + most);
  EXPECT_EQ(ErrorOf([] { Shape3(2, 3, -3.5); }), "Shape3: s2 = -3" + most);
  EXPECT_EQ(ErrorOf([] { Shape4(2, 3, 4, static_cast<signed char>(-4)); }),
            "Shape4: s3 = -4" + most);
  EXPECT_EQ(ErrorOf([] { Shape5(2, 3, 4, 5, std::numeric_limits<int64_t>::min()); }),
            "Shape5: s4 = -9223372036854775808" + most);
  EXPECT_EQ(ErrorOf([] { Shape5(-1, 3, 4, 5, 6); }), "Shape5: s0 = -1" + most);
  if (sizeof(index_t) == 4) {
    const std::string wider = ", what index_t holds; define MSHADOW_INT64_TENSOR_SIZE=1";
    const std::size_t size = 5000000000;
    EXPECT_EQ(ErrorOf([&] { Shape1(size); }), "Shape1: s0 = 5000000000" + most + wider);
    EXPECT_EQ(ErrorOf([&] { Shape2(1, 5e9); }), "Shape2: s1 = 5000000000" + most + wider);
  } else {
    EXPECT_EQ(Shape1(std::size_t{5000000000})[0], 5000000000);
  }
  EXPECT_THROW(Shape1(~uint64_t{0}), mshadow::Error);
  EXPECT_THROW(Shape1(std::numeric_limits<double>::quiet_NaN()), mshadow::Error);
  EXPECT_THROW(Shape1(1e300), mshadow::Error);
  if (std::is_signed_v<index_t>) {
    EXPECT_THROW(Shape1(static_cast<index_t>(-1)), mshadow::Error);
  }
}

TEST(Shape, Access) {
  Shape<3> shape = Shape3(2, 3, 4);
  shape[1] = 30;
  EXPECT_EQ(shape.shape_[1], 30u);
  shape[2u] = 5;  // [19] indexes with index_t
  EXPECT_EQ(shape[2], 5u);
  const Shape<3> fixed = shape;
  static_assert(std::is_same_v<decltype(fixed[0]), const index_t&>);
}

#if MSHADOW_BOUNDS_CHECK
TEST(Shape, AxesAreChecked) {
  Shape<3> shape = Shape3(2, 3, 4);
  const Shape<3> fixed = shape;
  volatile int axis = 3;
  EXPECT_EQ(ErrorOf([&] { shape[axis] = 1; }), "Shape: axis = 3 is out of range: 0 to 2");
  axis = -1;
  EXPECT_EQ(ErrorOf([&] { static_cast<void>(fixed[axis]); }),
            "Shape: axis = -1 is out of range: 0 to 2");
}
#endif

TEST(Shape, Equality) {
  EXPECT_TRUE(Shape3(2, 3, 4) == Shape3(2, 3, 4));
  EXPECT_FALSE(Shape3(2, 3, 4) != Shape3(2, 3, 4));
  for (int axis = 0; axis < 3; ++axis) {
    Shape<3> other = Shape3(2, 3, 4);
    ++other[axis];
    EXPECT_FALSE(Shape3(2, 3, 4) == other);
    EXPECT_TRUE(Shape3(2, 3, 4) != other);
  }
}

TEST(Shape, Products) {
  const Shape<4> shape = Shape4(2, 3, 4, 5);
  EXPECT_EQ(shape.Size(), 120u);
  EXPECT_EQ(shape.ProdShape(1, 3), 12u);
  EXPECT_EQ(shape.ProdShape(2, 2), 1u);
  EXPECT_EQ(shape.ProdShape(0, 4), 120u);
  EXPECT_EQ(Shape3(2, 0, 4).Size(), 0u);
  EXPECT_EQ(Shape1(kMax).Size(), kMax);
}

TEST(Shape, ParentAndChildShapes) {
  const Shape<4> shape = Shape4(2, 3, 4, 5);
  EXPECT_EQ(shape.FlatTo1D(), Shape1(120));
  EXPECT_EQ(shape.FlatTo2D(), Shape2(24, 5));
  EXPECT_EQ(Shape1(7).FlatTo2D(), Shape2(1, 7));
  EXPECT_EQ(Shape1(7).FlatTo1D(), Shape1(7));
  EXPECT_EQ(Shape2(2, 7).FlatTo2D(), Shape2(2, 7));
  EXPECT_EQ(shape.SubShape(), Shape3(3, 4, 5));
  EXPECT_EQ((shape.Slice<1, 3>()), Shape2(3, 4));
  EXPECT_EQ((shape.Slice<3, 4>()), Shape1(5));
}

TEST(Shape, CountsThatDoNotFitAreRefused) {
  // The first product wraps to 0 in 32 bits, the third in 64.
  EXPECT_THROW(Shape3(kMax, kMax, kMax).CheckedSize(), mshadow::Error);
  EXPECT_THROW(Shape2(kMax, 2).CheckedSize(), mshadow::Error);
  EXPECT_THROW(Shape3(kMax, 2, 1).CheckedFlatTo2D(), mshadow::Error);
  EXPECT_THROW(Shape5(kMax, kMax, kMax, kMax, kMax).CheckedSize(), mshadow::Error);
  if (sizeof(index_t) == 4) {
    EXPECT_THROW(Shape2(65536, 65536).CheckedSize(), mshadow::Error);
    EXPECT_THROW(Shape4(65536, 65536, 65536, 65536).CheckedSize(), mshadow::Error);
  } else {
    EXPECT_EQ(Shape2(65536, 65536).CheckedSize(), static_cast<index_t>(uint64_t(1) << 32));
    EXPECT_THROW(Shape4(65536, 65536, 65536, 65536).CheckedSize(), mshadow::Error);
  }
  if (std::is_signed_v<index_t>) {
    const index_t minus = static_cast<index_t>(-1);
    EXPECT_THROW((Shape<2>{{minus, 3}}.CheckedSize()), mshadow::Error);
    EXPECT_THROW((Shape<2>{{minus, minus}}.CheckedSize()), mshadow::Error);
  }
  EXPECT_THROW(Shape3(kMax, 2, 5).CheckedProdShape(0, 2), mshadow::Error);
  EXPECT_EQ(Shape3(kMax, 2, 5).CheckedProdShape(1, 3), 10u);
  EXPECT_EQ(Shape3(3, 2, 5).CheckedFlatTo2D(), Shape2(6, 5));
  // Nothing is there, however long the other axes.
  EXPECT_EQ(Shape3(kMax, kMax, 0).CheckedSize(), 0u);
  EXPECT_EQ(Shape3(0, kMax, kMax).CheckedSize(), 0u);
  try {
    Shape2(kMax, 7).CheckedSize();
    FAIL();
  } catch (const mshadow::Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(kMax) + ", 7"), std::string::npos)
        << error.what();
  }
}

// Plain products wrap, as unsigned arithmetic does: a loop's condition costs no check.
TEST(Shape, PlainCountsWrap) {
  const auto wrapped = [](uint64_t count) { return static_cast<index_t>(count); };
  const uint64_t max = static_cast<uint64_t>(kMax);
  EXPECT_EQ(Shape2(kMax, 2).Size(), wrapped(max * 2));
  EXPECT_EQ(Shape3(kMax, kMax, kMax).Size(), wrapped(max * max * max));
  EXPECT_EQ(Shape3(kMax, 3, 7).ProdShape(0, 2), wrapped(max * 3));
  EXPECT_EQ(Shape2(kMax, 2).FlatTo1D()[0], wrapped(max * 2));
  EXPECT_EQ(Shape3(kMax, 2, 1).FlatTo2D()[0], wrapped(max * 2));
}

TEST(Shape, PrintsAsAPythonTuple) {
  std::ostringstream stream;
  stream << Shape1(3) << Shape2(2, 3) << Shape5(1, 2, 3, 4, 5);
  EXPECT_EQ(stream.str(), "(3,)(2,3)(1,2,3,4,5)");
  EXPECT_EQ(LogText(Shape3(7, 0, 1)), "(7,0,1)");
}

TEST(Shape, ComparesWithNumbersOfEitherSign) {
  CHECK_EQ(Shape2(2, 3).Size(), 6U);
  CHECK_EQ(Shape2(2, 3).Size(), 6);
  CHECK_LT(Shape2(2, 3)[0], 3U);
  CHECK_GT(Shape2(2, 3)[0], -1);
}

}  // namespace
