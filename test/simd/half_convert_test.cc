// SPDX-License-Identifier: Apache-2.0
#include <mshadow/simd/half_convert.h>

#include <cstring>
#include <vector>

#include "../testing.h"

namespace mshadow {
namespace {

using half::half_t;

TEST(HalfConvert, EveryHalf) {
  std::vector<half_t> from(65536);
  for (int i = 0; i < 65536; ++i) from[i] = half_t::Binary(static_cast<uint16_t>(i));
  testing::ForEachIsa([&] {
    std::vector<float> to(65536, -1.0f);
    simd::ConvertHalves(to.data(), from.data(), 65536);
    for (int i = 0; i < 65536; ++i) {
      const float expected = from[i];
      ASSERT_EQ(std::memcmp(&to[i], &expected, sizeof(float)), 0) << i;
    }
  });
}

TEST(HalfConvert, FloatsOfEveryExponent) {
  std::vector<float> from;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 10007) {
    const uint32_t word = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &word, sizeof(value));
    from.push_back(value);
  }
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(from.size());
  testing::ForEachIsa([&] {
    std::vector<half_t> to(from.size());
    simd::ConvertHalves(to.data(), from.data(), n);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      ASSERT_EQ(to[i].half_, half_t(from[i]).half_) << from[i];
    }
  });
}

// Nothing behind the last element is read or written, whatever the length.
TEST(HalfConvert, EveryLength) {
  testing::ForEachIsa([] {
    for (std::ptrdiff_t n = 0; n < 40; ++n) {
      std::vector<float> floats(n + 1, 77.0f);
      std::vector<half_t> halves(n + 1, half_t(55.0f));
      for (std::ptrdiff_t i = 0; i < n; ++i) floats[i] = static_cast<float>(i) + 0.5f;
      simd::ConvertHalves(halves.data(), floats.data(), n);
      for (std::ptrdiff_t i = 0; i < n; ++i) EXPECT_EQ(float(halves[i]), floats[i]);
      EXPECT_EQ(float(halves[n]), 55.0f);
      simd::ConvertHalves(floats.data(), halves.data(), n);
      for (std::ptrdiff_t i = 0; i < n; ++i) EXPECT_EQ(floats[i], float(halves[i]));
      EXPECT_EQ(floats[n], 77.0f);
    }
  });
}

}  // namespace
}  // namespace mshadow
