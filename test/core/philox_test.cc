// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace mshadow {
namespace rng {
namespace {

void ExpectBlock(const Block& b, std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                 std::uint32_t w3) {
  EXPECT_EQ(b.w0, w0);
  EXPECT_EQ(b.w1, w1);
  EXPECT_EQ(b.w2, w2);
  EXPECT_EQ(b.w3, w3);
}

// The known answers published with Random123 (file kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
  ExpectBlock(Philox4x32(0, 0, 0, 0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  constexpr std::uint32_t kOnes = 0xffffffff;
  ExpectBlock(Philox4x32(kOnes, kOnes, kOnes, kOnes, kOnes, kOnes), 0x408f276d, 0x41c83b0e,
              0xa20bc7c6, 0x6d5451fd);
  ExpectBlock(
      Philox4x32(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0),
      0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Philox, DrawPlacesEveryCoordinate) {
  const Draw draw = Draw::Of(0xa4093822, 0x299f31d013198a2eull);
  ExpectBlock(draw.At(0x243f6a88, 0x85a308d3, 0x03707344), 0xd16cfe09, 0x94fdcceb, 0x5001e420,
              0x24126ea1);
}

TEST(Philox, EveryCoordinateMatters) {
  std::set<std::uint32_t> words;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    const std::uint32_t x = 1u << bit;
    words.insert(Draw::Of(x, 0).At(0, 0, 0).w0);
    words.insert(Draw::Of(0, x).At(0, 0, 0).w0);
    words.insert(Draw::Of(0, static_cast<std::uint64_t>(x) << 32).At(0, 0, 0).w0);
    words.insert(Draw::Of(0, 0).At(x, 0, 0).w0);
    words.insert(Draw::Of(0, 0).At(0, x, 0).w0);
    words.insert(Draw::Of(0, 0).At(0, 0, x).w0);
  }
  EXPECT_EQ(words.size(), 6u * 32u);
}

TEST(Uniform, EndsAndSteps) {
  EXPECT_EQ(UniformFloat(0), 0.0f);
  EXPECT_EQ(UniformFloat(0xff), 0.0f);
  EXPECT_EQ(UniformFloat(0x100), 0x1p-24f);
  EXPECT_EQ(UniformFloat(0x80000000u), 0.5f);
  EXPECT_EQ(UniformFloat(0xffffffffu), 1.0f - 0x1p-24f);
  EXPECT_EQ(UniformDouble(0, 0), 0.0);
  EXPECT_EQ(UniformDouble(0, 64), 0x1p-53);
  EXPECT_EQ(UniformDouble(32, 0), 0x1p-27);
  EXPECT_EQ(UniformDouble(0x80000000u, 0), 0.5);
  EXPECT_EQ(UniformDouble(0xffffffffu, 0xffffffffu), 1.0 - 0x1p-53);
}

}  // namespace
}  // namespace rng
}  // namespace mshadow
