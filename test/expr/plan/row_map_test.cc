// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/row_map.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

template <int most>
std::vector<std::ptrdiff_t> Rows(const RowMap<most>& map, std::ptrdiff_t count) {
  std::vector<std::ptrdiff_t> rows;
  for (std::ptrdiff_t y = 0; y < count; ++y) rows.push_back(map(y));
  return rows;
}

using Expected = std::vector<std::ptrdiff_t>;

TEST(RowMap, OfNoAxisIsOneRowAndOneAfterTheOther) {
  EXPECT_EQ(Rows(RowMap<1>(), 3), (Expected{0, 1, 2}));
  EXPECT_EQ(Rows(RowMap<1>(4), 1), (Expected{4}));
}

TEST(RowMap, AddsWhatEachAxisMoves) {
  RowMap<3> map(1);
  map.Append(2, 100);
  map.Append(3, 10);
  map.Append(2, 7);
  EXPECT_FALSE(map.IsEven());
  EXPECT_EQ(Rows(map, 12),
            (Expected{1, 8, 11, 18, 21, 28, 101, 108, 111, 118, 121, 128}));
}

TEST(RowMap, JoinsAxesThatCountOn) {
  RowMap<4> map;
  map.Append(1, 1000);
  map.Append(2, 30);
  map.Append(3, 10);
  map.Append(1, 5);
  EXPECT_TRUE(map.IsEven());
  EXPECT_EQ(Rows(map, 6), (Expected{0, 10, 20, 30, 40, 50}));
  map.Append(2, 1);
  EXPECT_FALSE(map.IsEven());
  EXPECT_EQ(Rows(map, 5), (Expected{0, 1, 10, 11, 20}));
}

template <int most>
void ExpectEvenRowsToEndWithTheLastAxis() {
  RowMap<most> map(1);
  map.Append(2, 100);
  map.Append(3, 10);
  const std::ptrdiff_t expected[] = {3, 2, 1, 3, 2, 1};
  for (std::ptrdiff_t y = 0; y < 6; ++y) {
    EXPECT_EQ(map.EvenRows(y), expected[y]) << y;
    for (std::ptrdiff_t i = 0; i < map.EvenRows(y); ++i) {
      EXPECT_EQ(map(y + i), map(y) + i * map.EvenStride());
    }
  }
  RowMap<most> all;
  all.Append(6, 7);
  EXPECT_GE(all.EvenRows(2), 4);
  EXPECT_EQ(all.EvenStride(), 7);
}

TEST(RowMap, EvenRowsEndWithTheLastAxis) {
  ExpectEvenRowsToEndWithTheLastAxis<2>();
  ExpectEvenRowsToEndWithTheLastAxis<3>();
}

TEST(RowMap, FlatRowsAreThoseOfNeighbours) {
  RowMap<2> all;
  all.Append(6, 1);
  EXPECT_EQ(all.Layout({0}).join, 0);
  EXPECT_EQ(all.Layout({4}).join, 4);
  RowMap<2> from(6);
  from.Append(6, 1);
  EXPECT_EQ(from.Layout({0}).join, 0);
  EXPECT_EQ(from.Layout({4}).join, 2) << "the first row is not the first of four";
  RowMap<2> blocks;
  blocks.Append(3, 12);
  blocks.Append(8, 1);
  EXPECT_EQ(blocks.Layout({0}).join, 8);
  EXPECT_EQ(blocks.Layout({3}).join, 1);
  EXPECT_EQ(blocks.Layout({6}).join, 2);
  RowMap<2> steps;
  steps.Append(6, 2);
  EXPECT_EQ(steps.Layout({0}).join, 1);
}

TEST(RowMap, EqualRowsAreOneRowOfTheSource) {
  RowMap<2> one;
  EXPECT_EQ(one.EqualRows(), 1);
  one.Append(6, 0);
  EXPECT_EQ(one.EqualRows(), 0);
  RowMap<2> blocks;
  blocks.Append(3, 1);
  blocks.Append(8, 0);
  EXPECT_EQ(blocks.EqualRows(), 8);
  RowMap<2> others;
  others.Append(3, 0);
  others.Append(8, 1);
  EXPECT_EQ(others.EqualRows(), 1);
}

}  // namespace
}  // namespace mshadow
