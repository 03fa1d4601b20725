// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor/tshape.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "error_of.h"

using mshadow::index_t;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Shape5;
using mshadow::TShape;
using mshadow::testing::ErrorOf;

namespace {

constexpr index_t kMax = std::numeric_limits<index_t>::max();

/// The extents 1, 2, ..., ndim.
TShape Counting(index_t ndim) {
  TShape shape(ndim);
  for (index_t i = 0; i < ndim; ++i) shape[i] = i + 1;
  return shape;
}

TEST(TShape, Constructors) {
  EXPECT_EQ(TShape().ndim(), 0u);
  const TShape ones(6);
  EXPECT_EQ(ones.ndim(), 6u);
  for (index_t i = 0; i < 6; ++i) EXPECT_EQ(ones[i], 1u);
  const std::vector<index_t> extents = {4, 5, 6};
  const TShape from_range(extents.begin(), extents.end());
  EXPECT_EQ(from_range, Shape3(4, 5, 6));
  const int raw[] = {7, 8};
  EXPECT_EQ(TShape(raw, raw + 2), Shape2(7, 8));
  const TShape from_shape = Shape5(1, 2, 3, 4, 5);
  EXPECT_EQ(from_shape, Counting(5));
  static_assert(!std::is_convertible_v<index_t, TShape>);
}

TEST(TShape, ExtentsThatNoIndexHoldsAreRefused) {
  const std::string most = " is out of range: an extent is 0 to " + std::to_string(kMax);
  EXPECT_EQ(ErrorOf([] { TShape shape(-1); }), "TShape: ndim = -1" + most);
  const std::vector<int> extents = {2, 2, 2, 2, 2, -3};
  EXPECT_EQ(ErrorOf([&] { TShape shape(extents.begin(), extents.end()); }),
            "TShape: extent = -3" + most);
  TShape shape = Shape2(4, 5);
  EXPECT_EQ(ErrorOf([&] { shape = extents; }), "TShape: extent = -3" + most);
  EXPECT_EQ(ErrorOf([&] { shape.CopyFrom(extents.begin(), extents.end()); }),
            "TShape: extent = -3" + most);
  EXPECT_EQ(ErrorOf([&] { shape.Append(-1L); }), "TShape: extent = -1" + most);
  EXPECT_THROW(shape.Append(~uint64_t{0}), mshadow::Error);
  EXPECT_EQ(shape, Shape2(4, 5)) << "nothing changed";
  shape.Append(std::size_t{6});
  shape.Append({});
  EXPECT_EQ(LogText(shape), "(4,5,6,0)");
  enum { kThree = 3 };
  EXPECT_EQ(TShape(kThree).ndim(), 3u);
  EXPECT_EQ(TShape(std::size_t{2}).ndim(), 2u);
}

#if MSHADOW_BOUNDS_CHECK
TEST(TShape, AxesAreChecked) {
  TShape shape = Shape2(4, 5);
  const TShape none;
  EXPECT_EQ(ErrorOf([&] { shape[2] = 1; }), "TShape: axis = 2 is out of range: 0 to 1");
  EXPECT_EQ(ErrorOf([&] { shape[-1] = 1; }), "TShape: axis = -1 is out of range: 0 to 1");
  EXPECT_EQ(ErrorOf([&] { static_cast<void>(none[0u]); }),
            "TShape: axis = 0 is out of range: there is none");
}
#endif

TEST(TShape, CopiesMovesAndAssignments) {
  // Below, at and above what needs memory of its own.
  for (index_t from : {0, 1, 3, 4, 5, 8, 9, 17}) {
    for (index_t to : {0, 4, 5, 16}) {
      const TShape source = Counting(from);
      TShape copy(source);
      EXPECT_EQ(copy, source);
      TShape target = Counting(to);
      target = copy;
      EXPECT_EQ(target, source);
      if (from != 0) {
        target[0] = 99;
        EXPECT_EQ(copy[0], 1u);
        target[0] = 1;
      }
      TShape moved(std::move(copy));
      EXPECT_EQ(moved, source);
      TShape taken = Counting(to);
      taken = std::move(moved);
      EXPECT_EQ(taken, source);
      const TShape& same = taken;
      taken = same;
      EXPECT_EQ(taken, source);
      if (from > 2) {
        taken.CopyFrom(taken.begin() + 1, taken.end());
        EXPECT_EQ(taken.ndim(), from - 1);
        EXPECT_EQ(taken[0], 2u);
      }
    }
  }
  TShape shape;
  shape = Shape2(3, 4);
  EXPECT_EQ(shape, Shape2(3, 4));
  shape = std::vector<index_t>{5, 6, 7};
  EXPECT_EQ(shape, Shape3(5, 6, 7));
  shape = {8, 9};
  EXPECT_EQ(shape, Shape2(8, 9));
  shape.data()[1] = 1;
  EXPECT_EQ(shape, Shape2(8, 1));
}

TEST(TShape, Equality) {
  EXPECT_TRUE(Counting(3) == Shape3(1, 2, 3));
  EXPECT_FALSE(Counting(3) != Shape3(1, 2, 3));
  EXPECT_TRUE(Counting(3) != Shape2(1, 2));
  EXPECT_TRUE(Counting(3) != Shape3(1, 2, 4));
  EXPECT_TRUE(Counting(6) == Counting(6));
  EXPECT_TRUE(Counting(6) != Counting(5));
  EXPECT_FALSE(Counting(2) == Counting(3));
}

TEST(TShape, Products) {
  EXPECT_EQ(TShape().Size(), 1u);
  EXPECT_EQ(Counting(5).Size(), 120u);
  EXPECT_EQ(Counting(5).ProdShape(1, 3), 6u);
  EXPECT_EQ(Counting(5).ProdShape(2, 2), 1u);
  EXPECT_THROW(Counting(5).ProdShape(3, 6), mshadow::Error);
  EXPECT_THROW(Counting(5).ProdShape(-1, 2), mshadow::Error);
  EXPECT_THROW(Counting(5).ProdShape(3, 2), mshadow::Error);
  EXPECT_EQ(TShape(Shape3(kMax, 0, kMax)).Size(), 0u);
  EXPECT_THROW(TShape(Shape3(kMax, kMax, kMax)).Size(), mshadow::Error);
}

TEST(TShape, Flattened) {
  EXPECT_EQ(TShape().FlatTo2D(), Shape2(0, 0));
  EXPECT_EQ(TShape(Shape1(7)).FlatTo2D(), Shape2(1, 7));
  EXPECT_EQ(Counting(5).FlatTo2D(), Shape2(24, 5));
  EXPECT_EQ(Counting(5).FlatTo3D(2), Shape3(2, 3, 20));
  EXPECT_EQ(Counting(5).FlatTo3D(1, 3), Shape3(1, 24, 5));
  EXPECT_EQ(Counting(5).FlatTo3D(0, 4), Shape3(1, 120, 1));
  EXPECT_THROW(Counting(5).FlatTo3D(3, 1), mshadow::Error);
  EXPECT_THROW(Counting(5).FlatTo3D(5), mshadow::Error);
}

TEST(TShape, GetNamesBothRanks) {
  EXPECT_EQ(Counting(3).get<3>(), Shape3(1, 2, 3));
  try {
    Counting(3).get<2>();
    FAIL();
  } catch (const mshadow::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("(1,2,3)"), std::string::npos) << text;
    EXPECT_NE(text.find("(3 vs. 2)"), std::string::npos) << text;
  }
}

TEST(TShape, Prints) {
  std::ostringstream stream;
  stream << TShape() << TShape(Shape1(4)) << Counting(6);
  EXPECT_EQ(stream.str(), "()(4,)(1,2,3,4,5,6)");
}

TEST(TShape, Reads) {
  const auto read = [](const std::string& text, std::string* rest = nullptr) {
    std::istringstream stream(text);
    TShape shape = Shape1(99);
    stream >> shape;
    if (stream.fail()) {
      EXPECT_EQ(shape, Shape1(99)) << text;
      return std::string("failed");
    }
    if (rest != nullptr) std::getline(stream, *rest);
    return LogText(shape);
  };
  EXPECT_EQ(read("(1,2,3)"), "(1,2,3)");
  EXPECT_EQ(read("(4,)"), "(4,)");
  EXPECT_EQ(read("(4)"), "(4,)");
  EXPECT_EQ(read("5"), "(5,)");
  EXPECT_EQ(read("  ( 7L , 8 ,9L ) "), "(7,8,9)");
  EXPECT_EQ(read("12L"), "(12,)");
  EXPECT_EQ(read("()"), "()");
  EXPECT_EQ(read("(1,2,3,4,5,6,7,8,9,10)"), "(1,2,3,4,5,6,7,8,9,10)");
  std::string rest;
  EXPECT_EQ(read("(1,2) tail", &rest), "(1,2)");
  EXPECT_EQ(rest, " tail");
  for (const char* text : {"", " ", "(", "(1", "(1,", "(1 2)", "(,)", "(1,,2)", "-1", "(-1)", "x",
                           "(1,x)", "99999999999999999999", "(1,99999999999999999999)"}) {
    EXPECT_EQ(read(text), "failed") << text;
  }
  std::istringstream stream("(1,2)(3,)4");
  TShape a, b, c;
  stream >> a >> b >> c;
  EXPECT_EQ(LogText(a) + LogText(b) + LogText(c), "(1,2)(3,)(4,)");
}

/// One byte a call.
struct Stream {
  std::string bytes;
  std::size_t position = 0;
  std::size_t Read(void* ptr, std::size_t size) {
    if (size == 0 || position == bytes.size()) return 0;
    *static_cast<char*>(ptr) = bytes[position++];
    return 1;
  }
  void Write(const void* ptr, std::size_t size) {
    bytes.append(static_cast<const char*>(ptr), size);
  }
};

TEST(TShape, SaveAndLoad) {
  Stream stream;
  Counting(6).Save(&stream);
  EXPECT_EQ(stream.bytes.size(), 4 + 6 * sizeof(index_t));
  uint32_t ndim = 0;
  std::memcpy(&ndim, stream.bytes.data(), sizeof(ndim));
  EXPECT_EQ(ndim, 6u);
  TShape loaded;
  EXPECT_TRUE(loaded.Load(&stream));
  EXPECT_EQ(loaded, Counting(6));
  for (std::size_t length = 0; length < stream.bytes.size(); ++length) {
    Stream part;
    part.bytes = stream.bytes.substr(0, length);
    EXPECT_FALSE(loaded.Load(&part)) << length;
    EXPECT_EQ(loaded, Counting(6));
  }
  Stream hostile;
  hostile.bytes = "\xff\xff\xff\xff ninety extents and no more";
  EXPECT_FALSE(loaded.Load(&hostile));
  EXPECT_EQ(loaded, Counting(6));
}

}  // namespace
