// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/bit_cast.h"

#include <gtest/gtest.h>

#include <cstdint>

TEST(BitCast, ReadsTheSameBits) {
  EXPECT_EQ(mshadow::BitCast<uint32_t>(1.0f), 0x3f800000u);
  EXPECT_EQ(mshadow::BitCast<uint64_t>(-2.0), 0xc000000000000000u);
  EXPECT_EQ(mshadow::BitCast<float>(uint32_t{0x7f800001}) == 0, false);
  EXPECT_EQ(mshadow::BitCast<uint32_t>(mshadow::BitCast<float>(0x12345678u)), 0x12345678u);
}
