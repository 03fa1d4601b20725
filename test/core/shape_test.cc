// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/shape.h>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

using mshadow::index_t;
using mshadow::Shape;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Shape4;
using mshadow::Shape5;

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

TEST(Shape, Access) {
  Shape<3> shape = Shape3(2, 3, 4);
  shape[1] = 30;
  EXPECT_EQ(shape.shape_[1], 30u);
  shape[2u] = 5;  // [19] indexes with index_t
  EXPECT_EQ(shape[2], 5u);
  const Shape<3> fixed = shape;
  static_assert(std::is_same_v<decltype(fixed[0]), const index_t&>);
}

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
    EXPECT_THROW(Shape2(static_cast<index_t>(-1), 3).CheckedSize(), mshadow::Error);
    EXPECT_THROW(Shape2(static_cast<index_t>(-1), static_cast<index_t>(-3)).CheckedSize(), mshadow::Error);
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
  EXPECT_EQ(Shape2(kMax, 2).FlatTo1D(), Shape1(wrapped(max * 2)));
  EXPECT_EQ(Shape3(kMax, 2, 1).FlatTo2D(), Shape2(wrapped(max * 2), 1));
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
