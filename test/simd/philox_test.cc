// SPDX-License-Identifier: Apache-2.0
#include "mshadow/simd/philox.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace mshadow {
namespace simd {
namespace {

struct ChunkKernel {
  rng::Draw draw;
  std::uint32_t low, high;
  std::uint32_t* words;
  std::uint32_t* scalar_words;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    PhiloxChunk<Isa>(draw, low, high, words);
    PhiloxScalar(draw, low, high, scalar_words);
  }
};

// Every bit of every coordinate: seed, number of the draw, number of the block.
TEST(PhiloxChunk, EqualsTheScalarCipher) {
  const Isa best = ActiveIsa();
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (!ForceIsa(isa)) continue;
    SCOPED_TRACE(IsaName(isa));
    for (int bit = -1; bit < 160; ++bit) {
      std::uint32_t v[5] = {0x9abcdef0u, 0x13572468u, 0xfedcba90u, 0xdeadbee0u, 0x0badf00du};
      if (bit >= 0) v[bit / 32] ^= 1u << (bit % 32);
      const rng::Draw draw = {v[0], v[1], v[2]};
      const std::uint32_t low = v[3] & ~15u, high = v[4];
      std::uint32_t words[64], scalar_words[64];
      Dispatch(ChunkKernel{draw, low, high, words, scalar_words});
      for (std::uint32_t l = 0; l < 16; ++l) {
        const rng::Block block = draw.At(low + l, high, 0);
        const std::uint32_t expected[] = {block.w0, block.w1, block.w2, block.w3};
        for (int k = 0; k < 4; ++k) {
          ASSERT_EQ(words[16 * k + l], expected[k]) << bit << " " << l << " " << k;
          ASSERT_EQ(scalar_words[16 * k + l], expected[k]) << bit << " " << l << " " << k;
        }
      }
    }
  }
  ForceIsa(best);
}

}  // namespace
}  // namespace simd
}  // namespace mshadow
