// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/temporary_cache.h>

#include <gtest/gtest.h>

#include <vector>

namespace mshadow {
namespace {

using detail::TemporaryCache;

std::vector<void*> released;
void Release(void* block) { released.push_back(block); }

// Blocks of a size each; nothing but the size is looked at.
std::vector<std::size_t> Blocks(int n, std::size_t bytes) {
  return std::vector<std::size_t>(static_cast<std::size_t>(n), bytes);
}

TEST(TemporaryCache, GivesTheSmallestThatFits) {
  if (TemporaryCache::kSlots == 0) GTEST_SKIP() << "AddressSanitizer sees every block";
  released.clear();
  std::vector<std::size_t> block = {100000, 60000, 50000, 4096};
  {
    TemporaryCache cache(&Release);
    EXPECT_EQ(cache.Take(1), nullptr);
    for (std::size_t& b : block) cache.Give(&b);
    EXPECT_EQ(cache.Take(50001), &block[1]);
    EXPECT_EQ(cache.Take(50001), &block[0]);
    EXPECT_EQ(cache.Take(50001), nullptr);
    EXPECT_EQ(cache.Take(20000), nullptr);  // 50000 bytes would be too many
    EXPECT_EQ(cache.Take(0), &block[3]);
    EXPECT_TRUE(released.empty());
  }
  EXPECT_EQ(released, std::vector<void*>{&block[2]});
}

TEST(TemporaryCache, KeepsSoManyBlocksAndBytes) {
  if (TemporaryCache::kSlots == 0) GTEST_SKIP() << "AddressSanitizer sees every block";
  released.clear();
  const std::size_t most = TemporaryCache::kMaxBytes;
  std::vector<std::size_t> large = {most / 2, most / 2 + 1, most + 1}, small = Blocks(20, 4096);
  TemporaryCache cache(&Release);
  cache.Give(&large[0]);
  cache.Give(&large[1]);
  EXPECT_EQ(released, std::vector<void*>{&large[0]});
  cache.Give(&large[2]);
  EXPECT_EQ(released.back(), &large[2]);
  for (std::size_t& b : small) cache.Give(&b);
  EXPECT_EQ(released.size(), 2u + 21u - TemporaryCache::kSlots);
  EXPECT_EQ(released[2], &large[1]);
}

}  // namespace
}  // namespace mshadow
