// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/slice.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// The positions in a tensor of `shape` of the elements [begin, end) along `axis`.
template <int dim>
std::vector<std::size_t> Positions(const Shape<dim>& shape, int axis, std::size_t begin,
                                   std::size_t end) {
  const std::size_t inner = shape.ProdShape(axis + 1, dim), n = shape[axis];
  std::vector<std::size_t> positions;
  for (std::size_t i = 0, size = shape.Size(); i < size; ++i) {
    const std::size_t at = i / inner % n;
    if (begin <= at && at < end) positions.push_back(i);
  }
  return positions;
}

template <int axis, int dim>
void CheckSlice(const Shape<dim>& shape, index_t begin, index_t end) {
  Shape<dim> part = shape;
  part[axis] = end - begin;
  const std::vector<std::size_t> at = Positions(shape, axis, begin, end);
  for (index_t pad : {0, 3}) {
    Guarded<dim> a(shape, pad, 1), b(part, 1), out(part, pad);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    const std::vector<double> before = Values(a);
    std::vector<double> expected;
    for (std::size_t i : at) expected.push_back(before[i]);
    *out = slice<axis>(*a, begin, end);
    ExpectValues(out, expected);
    for (std::size_t i = 0; i < at.size(); ++i) expected[i] += 2 * before[at[i]] + b.At(i);
    *out += slice<axis>(*a, begin, end) * 2.0f + *b;
    ExpectValues(out, expected);

    std::vector<double> after = before;
    for (std::size_t i = 0; i < at.size(); ++i) after[at[i]] = 3 * b.At(i);
    slice<axis>(*a, begin, end) = *b * 3.0f;
    ExpectValues(a, after);
    for (std::size_t i = 0; i < at.size(); ++i) after[at[i]] += b.At(i);
    slice<axis>(*a, begin, end) += *b;
    ExpectValues(a, after);
    for (std::size_t i : at) after[i] = 4;
    slice<axis>(*a, begin, end) = 4;
    ExpectValues(a, after);
  }
}

TEST(Slice, EveryRankAndAxis) {
  ForEachIsa([] {
    CheckSlice<0>(Shape1(50), 3, 41);
    CheckSlice<0>(Shape2(9, 37), 2, 8);
    CheckSlice<1>(Shape2(9, 37), 2, 36);
    CheckSlice<1>(Shape3(4, 7, 35), 0, 3);
    CheckSlice<2>(Shape4(2, 3, 5, 17), 4, 5);
    CheckSlice<1>(Shape4(2, 3, 5, 17), 1, 3);
    CheckSlice<3>(Shape4(2, 3, 5, 17), 0, 17);
    CheckSlice<2>(Shape5(2, 2, 4, 3, 5), 1, 3);
    CheckSlice<0>(Shape3(3, 4, 5), 1, 1);
    CheckSlice<1>(Shape2(3, 0), 0, 0);
  });
}

TEST(Slice, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> a(Shape1(40)), out(Shape1(17));
    FillWhole(a, 100);
    *out = slice<0>(*a, 21, 38);
    std::vector<double> all = Values(a);
    ExpectValues(out, std::vector<double>(all.begin() + 21, all.begin() + 38));
  });
}

TEST(Slice, OfSlicesAndInChainers) {
  Guarded<3> a(Shape3(4, 6, 9), 2);
  Guarded<3> out(Shape3(4, 2, 5), 1);
  FillWhole(a, 1000);
  std::vector<double> all = Values(a), expected;
  for (int i = 0; i < 4 * 2 * 5; ++i) {
    expected.push_back(all[(i / 10 * 6 + 2 + i / 5 % 2) * 9 + 3 + i % 5]);
  }
  *out = slice<2>(slice<1>(slice<1>(*a, 1, 5), 1, 3), 3, 8);
  ExpectValues(out, expected);
  *out = crop(slice<1>(*a, 1, 5), Shape2(2, 5), 1, 3);
  ExpectValues(out, expected);
  *out = mirror(mirror(slice<2>(slice<-2>(*a, 2, 4), 3, 8)));
  ExpectValues(out, expected);
  slice<2>(slice<1>(*a, 2, 4), 3, 8) *= 2.0f;
  for (int i = 0; i < 4 * 2 * 5; ++i) {
    all[(i / 10 * 6 + 2 + i / 5 % 2) * 9 + 3 + i % 5] *= 2;
  }
  ExpectValues(a, all);
  Guarded<1> sums(Shape1(2));
  *sums = sumall_except_dim<1>(slice<2>(slice<1>(*a, 2, 4), 3, 8));
  std::vector<double> sum(2, 0.0);
  for (int i = 0; i < 4 * 2 * 5; ++i) sum[i / 5 % 2] += 2 * expected[i];
  ExpectValues(sums, sum);
  Guarded<1> row(Shape1(12));
  FillWhole(row);
  std::vector<double> of_row = Values(row);
  slice<0>(*row, 3, 5) = sumall_except_dim<1>(slice<1>(*a, 2, 4));
  slice<0>(*row, 0, 2) = *sums;
  EXPECT_EQ(row.At(0), sum[0]);
  EXPECT_EQ(row.At(2), of_row[2]);
  EXPECT_EQ(row.At(5), of_row[5]);
}

TEST(Slice, OfOneTypeToTheOther) {
  Guarded<2> a(Shape2(3, 5)), b(Shape2(3, 5), 2);
  a.FillIota();
  FillWhole(b);
  std::vector<double> expected = Values(a);
  for (int i = 0; i < 3; ++i) {
    expected[i * 5] = b.At(i * 5 + 3);
    expected[i * 5 + 1] = b.At(i * 5 + 4);
  }
  slice<1>(*a, 0, 2) = slice<1>(*b, 3, 5);
  ExpectValues(a, expected);
  auto part = slice<1>(*a, 0, 2);
  const auto same = part;  // a copy of the view
  part = 0.0f;
  Guarded<2> out(Shape2(3, 2));
  *out = same;
  ExpectValues(out, std::vector<double>(6, 0.0));
}

TEST(Slice, OfItself) {
  Guarded<3> a(Shape3(2, 5, 3), 1);
  const auto check = [&](auto statement, int axis, int from, int to, int n, double scale) {
    a.FillIota();
    std::vector<double> expected = Values(a);
    const std::vector<double> before = expected;
    const int inner = axis == 2 ? 1 : axis == 1 ? 3 : 15;
    const int extent = axis == 2 ? 3 : axis == 1 ? 5 : 2;
    for (int i = 0; i < 30; ++i) {
      const int at = i / inner % extent;
      if (to <= at && at < to + n) expected[i] = scale * before[i + (from - to) * inner];
    }
    statement();
    ExpectValues(a, expected);
  };
  check([&] { slice<1>(*a, 1, 5) = slice<1>(*a, 0, 4); }, 1, 0, 1, 4, 1);
  check([&] { slice<1>(*a, 0, 4) = slice<1>(*a, 1, 5) * 2.0f; }, 1, 1, 0, 4, 2);
  check([&] { slice<2>(*a, 1, 3) = slice<2>(*a, 0, 2); }, 2, 0, 1, 2, 1);
  check([&] { slice<1>(*a, 0, 2) = slice<1>(*a, 3, 5); }, 1, 3, 0, 2, 1);
  check([&] { slice<1>(*a, 2, 4) = slice<1>(*a, 2, 4) * 3.0f; }, 1, 2, 2, 2, 3);
  check([&] { slice<0>(*a, 1, 2) = slice<0>(*a, 0, 1); }, 0, 0, 1, 1, 1);
}

TEST(Slice, WrittenTellsPartsOfOneTensorApart) {
  Guarded<3> a(Shape3(2, 6, 4), 2);
  const auto meets = [](const auto& read, const auto& dst, bool same_index) {
    return Overlaps(read, dst.Written(), same_index);
  };
  EXPECT_FALSE(meets(slice<1>(*a, 0, 3), slice<1>(*a, 3, 6), true));
  EXPECT_TRUE(meets(slice<1>(*a, 0, 3), slice<1>(*a, 2, 5), true));
  EXPECT_FALSE(meets(slice<1>(*a, 2, 5), slice<1>(*a, 2, 5), true));
  EXPECT_TRUE(meets(slice<1>(*a, 2, 5), slice<1>(*a, 2, 5), false));
  EXPECT_FALSE(meets(slice<2>(*a, 0, 2), slice<2>(*a, 2, 4), true));
  EXPECT_TRUE(meets(slice<2>(*a, 0, 3), slice<2>(*a, 1, 4), true));
  EXPECT_FALSE(meets(slice<0>(*a, 0, 1), slice<0>(*a, 1, 2), true));
  EXPECT_TRUE(meets(*a, slice<1>(*a, 1, 2), true));
  EXPECT_FALSE(meets(slice<2>(slice<0>(*a, 1, 2), 0, 2), slice<2>(*a, 2, 4), false));
  EXPECT_TRUE(meets(slice<0>(slice<1>(*a, 1, 3), 0, 1), slice<1>(*a, 1, 3), true));
}

TEST(Slice, BoundsFromTheEnd) {
  Guarded<1> a(Shape1(6)), two(Shape1(2));
  a.FillIota();
  *two = slice<0>(*a, static_cast<index_t>(-2), 6);
  ExpectValues(two, {4, 5});
  *two = slice<-1>(*a, 2, static_cast<index_t>(-2));
  ExpectValues(two, {2, 3});
}

TEST(Slice, Errors) {
  Guarded<2> a(Shape2(3, 5));
  const std::string range = "slice: The slice went out of range: ";
  EXPECT_EQ(ErrorOf([&] { slice<1>(*a, 2, 6); }),
            range + "end = 6 is not one of 2 to 5, the extent of axis 1");
  EXPECT_EQ(ErrorOf([&] { slice<0>(*a, 4, 4); }),
            range + "begin = 4 is not one of 0 to 3, the extent of axis 0");
  EXPECT_EQ(ErrorOf([&] { slice<1>(*a, 3, 2); }),
            range + "end = 2 is not one of 3 to 5, the extent of axis 1");
  EXPECT_EQ(ErrorOf([&] { slice<1>(*a, static_cast<index_t>(-6), 2); }),
            range + "begin = -6 is not one of 0 to 5, the extent of axis 1");
  Guarded<2> out(Shape2(3, 5));
  EXPECT_NE(ErrorOf([&] { *out = slice<1>(*a, 0, 2); }).find("eshape: (3,2) dshape:(3,5)"),
            std::string::npos);
}

// Of an expression, which is not assigned to.
TEST(Slice, OfExpressions) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(6, 9), 1), part(Shape2(2, 4), 1);
    FillWhole(a, 9);
    std::vector<double> expected;
    for (std::size_t y = 3; y < 5; ++y) {
      for (std::size_t x = 2; x < 6; ++x) expected.push_back(2 * a.At(9 * y + x));
    }
    *part = slice<1>(slice<0>(2.0f * *a, 3, 5), 2, static_cast<index_t>(-3));
    ExpectValues(part, expected);
    *part = slice(2.0f * *a, Shape2(3, 2), Shape2(5, 6));
    ExpectValues(part, expected);
    *part = slice(2.0f * *a, {3, 2}, {-1, -3});
    ExpectValues(part, expected);
    expected.clear();
    for (std::size_t y = 0; y < 6; y += 3) {
      for (std::size_t x = 1; x < 9; x += 2) expected.push_back(a.At(9 * y + x) + 1);
    }
    *part = slice(*a + 1.0f, {0, 1}, {6, 9}, {3, 2});
    ExpectValues(part, expected);
  });
}

}  // namespace
}  // namespace mshadow
