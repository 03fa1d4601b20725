// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/normal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mshadow {
namespace rng {
namespace {

constexpr long double kTau = 6.283185307179586476925286766559L;

// Words of every magnitude at both ends, and random ones between.
template <typename F>
void ForWords(const F& f) {
  for (std::uint32_t i = 0; i < 2000; ++i) {
    f(i);
    f(~i);
  }
  for (std::uint32_t i = 0; i < 200000; ++i) {
    const std::uint32_t word = Draw::Of(1, 0).At(i, 0, 0).w0;
    f(word);
    f(word >> (i % 32));
    f(~(word >> (i % 32)));
  }
  // Around the ends of the binary interval and of the quadrants.
  for (const std::uint32_t middle : {0xB504F334u, 0x5A82799Au, 0x80000000u, 0x20000000u,
                                     0x60000000u, 0xA0000000u, 0xE0000000u, 0x40000000u}) {
    for (std::uint32_t i = 0; i < 1000; ++i) f(middle - 500 + i);
  }
}

TEST(Normal, NegLogUniform32) {
  double worst = 0;
  ForWords([&](std::uint32_t word) {
    const long double rest = (static_cast<long double>(~word) + 0.5L) * 0x1p-32L;  // 1 - U
    const long double expected = -std::log1p(-rest);
    worst = std::fmax(worst, std::fabs(static_cast<double>(NegLogUniform32(word) / expected - 1)));
  });
  EXPECT_LT(worst, 3.5e-7);
}

TEST(Normal, NegLogUniform64) {
  double worst = 0;
  ForWords([&](std::uint32_t high) {
    for (const std::uint32_t low : {0u, 0xffffffffu, high * 2654435769u}) {
      const long double w = (high >> 5) * 0x1p26L + (low >> 6);
      const long double rest = 1.0L - (w + 0.5L) * 0x1p-53L;
      const long double expected = -std::log1p(-rest);
      worst = std::fmax(worst,
                        std::fabs(static_cast<double>(NegLogUniform64(high, low) / expected - 1)));
    }
  });
  EXPECT_LT(worst, 7e-16);
}

TEST(Normal, CosSin) {
  double worst32 = 0, worst64 = 0;
  ForWords([&](std::uint32_t word) {
    const CosSin<float> turn = CosSinTurn32(word);
    const long double angle = kTau * word * 0x1p-32L;
    worst32 = std::fmax(worst32, std::fabs(static_cast<double>(turn.cos - std::cos(angle))));
    worst32 = std::fmax(worst32, std::fabs(static_cast<double>(turn.sin - std::sin(angle))));
    const std::uint32_t low = word * 2654435769u;
    const CosSin<double> fine = CosSinTurn64(word, low);
    const long double fine_angle = kTau * (word + low * 0x1p-32L) * 0x1p-32L;
    worst64 = std::fmax(worst64, std::fabs(static_cast<double>(fine.cos - std::cos(fine_angle))));
    worst64 = std::fmax(worst64, std::fabs(static_cast<double>(fine.sin - std::sin(fine_angle))));
  });
  EXPECT_LT(worst32, 1.4e-7);
  EXPECT_LT(worst64, 2.6e-16);
}

TEST(Normal, PositiveSqrt) {
  for (double x = 1e-17; x < 1e3; x *= 1.001) {
    ASSERT_NEAR(PositiveSqrt(x) / std::sqrt(x), 1.0, 5e-16) << x;
    const float f = static_cast<float>(x);
    ASSERT_NEAR(PositiveSqrt(f) / std::sqrt(static_cast<double>(f)), 1.0, 2.5e-7) << x;
  }
}

TEST(Normal, RangesAsDocumented) {
  EXPECT_NEAR(NegLogUniform32(0), 22.8738, 1e-3);
  EXPECT_FLOAT_EQ(NegLogUniform32(0xffffffffu), 0x1p-33f);
  EXPECT_NEAR(NegLogUniform64(0, 0), 37.4299, 1e-3);
  EXPECT_DOUBLE_EQ(NegLogUniform64(0xffffffffu, 0xffffffffu), 0x1p-54);
  EXPECT_NEAR(Normal32(0, 0).a, 6.7637f, 1e-3f);
  EXPECT_NEAR(Normal64({0, 0, 0x40000000u, 0}).b, 8.6522, 1e-3);
}

}  // namespace
}  // namespace rng
}  // namespace mshadow
