// SPDX-License-Identifier: Apache-2.0
#include <mshadow/simd/transpose_block.h>

#include "testing.h"

namespace mshadow {
namespace {

template <typename T>
struct TransposeKernel {
  bool* wrong;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kSide = simd::kBlockSide<Isa, T>;
    alignas(64) T block[kSide][kSide];
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) block[i][j] = static_cast<T>(static_cast<float>(i * 16 + j));
    }
    [[maybe_unused]] T copy[kSide][kSide + 3];
    constexpr int kLine = static_cast<int>(simd::kLineBytes / sizeof(T));
    [[maybe_unused]] T tall[kLine][kSide + 3];
    alignas(64) [[maybe_unused]] T lines[kSide][2 * kLine];
    if constexpr (simd::kShuffles<Isa, T>) {
      simd::CopyTransposedBlock<Isa>(&block[0][0], kSide, &copy[0][0], kSide + 3);
      for (int i = 0; i < kLine; ++i) {
        for (int j = 0; j < kSide; ++j) tall[i][j] = static_cast<T>(i * 16 + j);
      }
      simd::StreamTransposedLines<Isa>(&tall[0][0], kSide + 3, &lines[0][0], 2 * kLine);
      simd::StreamFence();
      for (int i = 0; i < kLine; ++i) {
        for (int j = 0; j < kSide; ++j) {
          if (!(lines[j][i] == static_cast<T>(i * 16 + j))) *wrong = true;
        }
      }
    }
    simd::TransposeBlock<Isa>(block);
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        const T expected = static_cast<T>(static_cast<float>(j * 16 + i));
        if (!(block[i][j] == expected)) *wrong = true;
        if constexpr (simd::kShuffles<Isa, T>) {
          if (!(copy[i][j] == expected)) *wrong = true;
        }
      }
    }
  }
};

template <typename T>
void Check() {
  bool wrong = false;
  simd::Dispatch(TransposeKernel<T>{&wrong});
  EXPECT_FALSE(wrong) << sizeof(T) << " bytes";
}

TEST(TransposeBlock, EverySizeOfElement) {
  mshadow::testing::ForEachIsa([] {
    Check<float>();
    Check<double>();
    Check<int32_t>();
    Check<int64_t>();
    Check<half::half_t>();
    Check<uint8_t>();
  });
}

}  // namespace
}  // namespace mshadow
