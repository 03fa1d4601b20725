// SPDX-License-Identifier: Apache-2.0
#include <mshadow/simd/cache.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using mshadow::testing::ForEachIsa;

TEST(Cache, LineOffset) {
  alignas(64) const char line[128] = {};
  EXPECT_EQ(simd::LineOffset(line), 0);
  EXPECT_EQ(simd::LineOffset(line + 63), 63);
  EXPECT_EQ(simd::LineOffset(line + 68), 4);
}

TEST(Cache, AsMuchAsTheCachesOfAllThreads) {
  simd::detail::SharedCache& cache = simd::detail::TheLastLevelCache();
  const simd::detail::SharedCache machine = cache;
  cache = {1000, 4};
  EXPECT_FALSE(simd::ExceedsCache(999, 1));
  EXPECT_TRUE(simd::ExceedsCache(1000, 1));
  EXPECT_TRUE(simd::ExceedsCache(1000, 4));
  EXPECT_FALSE(simd::ExceedsCache(1999, 5));
  EXPECT_TRUE(simd::ExceedsCache(2000, 5));
  cache = {0, 1};  // unknown
  EXPECT_FALSE(simd::ExceedsCache(std::size_t{1} << 40, 1));
  cache = machine;
}

TEST(Cache, VectorsForMemory) {
  simd::detail::SharedCache& cache = simd::detail::TheLastLevelCache();
  const simd::detail::SharedCache machine = cache;
  const simd::Isa isa = simd::ActiveIsa();
  ForEachIsa([&] {
    const simd::Isa active = simd::ActiveIsa();
    cache = {1000, 4, true};
    EXPECT_EQ(simd::IsaForMemory(499, 1), active);
    EXPECT_EQ(simd::IsaForMemory(500, 1),
              active == simd::Isa::kAvx512 ? simd::Isa::kAvx2 : active);
    EXPECT_EQ(simd::IsaForMemory(999, 5), active);
    cache = {1000, 4, false};
    EXPECT_EQ(simd::IsaForMemory(1 << 20, 1), active);
    cache = {0, 1, true};
    EXPECT_EQ(simd::IsaForMemory(1 << 20, 1), active);
  });
  EXPECT_EQ(simd::ActiveIsa(), isa);
  cache = machine;
}

// What a processor says of its last cache can be true: one thread or more share 256 KiB to 4 GiB.
TEST(Cache, LastLevelCache) {
  const simd::detail::SharedCache cache = simd::detail::LastLevelCache();
  EXPECT_GE(cache.threads, 1);
  if (cache.bytes == 0) GTEST_SKIP() << "not a processor that says so";
  EXPECT_GE(cache.bytes, std::ptrdiff_t{256} << 10);
  EXPECT_LE(cache.bytes, std::ptrdiff_t{4} << 30);
}

}  // namespace
}  // namespace mshadow
