// SPDX-License-Identifier: Apache-2.0
#include "../../examples/mnist/drawn_digits.h"

#include <gtest/gtest.h>

#include <vector>

#include "../../examples/mnist/dataset.h"

namespace {

constexpr int kSide = 28;

std::vector<std::uint8_t> Draw(int digit, std::uint64_t seed, int side = kSide) {
  std::vector<std::uint8_t> pixels(side * side, 99);
  mnist::UniformRng dice(seed);
  mnist::DrawDigit(digit, side, &dice, pixels.data());
  return pixels;
}

TEST(DrawnDigits, SameSeedSameDigit) {
  for (int digit = 0; digit < 10; ++digit) {
    EXPECT_EQ(Draw(digit, 5), Draw(digit, 5));
    EXPECT_NE(Draw(digit, 5), Draw(digit, 6));
  }
}

// The figures of one drawing, so that a change of compiler or library cannot change it unseen.
TEST(DrawnDigits, FirstNumbersOfTheDice) {
  mnist::UniformRng dice(5489);
  EXPECT_EQ(dice.Below(1000000007), 14514284786278117030u % 1000000007);
  EXPECT_DOUBLE_EQ(dice.Uniform(0, 1), (4620546740167642908u >> 11) * 0x1.0p-53);
}

TEST(DrawnDigits, LeavesInkInsideAndAFreeBorder) {
  for (int seed = 0; seed < 200; ++seed) {
    const std::vector<std::uint8_t> pixels = Draw(seed % 10, seed);
    int ink = 0, border = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        ink += pixels[y * kSide + x] > 127;
        const bool edge = y == 0 || x == 0 || y == kSide - 1 || x == kSide - 1;
        border += edge && pixels[y * kSide + x] > 127;
      }
    }
    EXPECT_GT(ink, 20) << seed;
    EXPECT_LT(ink, kSide * kSide / 2) << seed;
    EXPECT_LE(border, 6) << seed;
  }
}

TEST(DrawnDigits, AnySide) {
  for (int side : {1, 2, 7, 64}) EXPECT_EQ(Draw(8, 1, side).size(), std::size_t(side * side));
}

TEST(Dataset, SplitsFourToOneWithoutOverlap) {
  const mnist::TrainAndTest data = mnist::DrawDataset(250, 3);
  EXPECT_EQ(data.train.size(), 200u);
  EXPECT_EQ(data.test.size(), 50u);
  EXPECT_EQ(data.train.pixels.size(), 200u * kSide * kSide);
  int counts[10] = {};
  for (const mnist::Dataset* part : {&data.train, &data.test}) {
    for (std::uint8_t label : part->labels) ++counts[label];
  }
  for (int count : counts) EXPECT_EQ(count, 25);
  for (std::size_t i = 0; i < data.train.size(); ++i) {
    for (std::size_t j = 0; j < data.test.size(); ++j) {
      EXPECT_FALSE(std::equal(data.train.image(i), data.train.image(i + 1), data.test.image(j)));
    }
  }
}

}  // namespace
