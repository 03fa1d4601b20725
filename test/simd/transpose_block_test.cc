// SPDX-License-Identifier: Apache-2.0
#include <mshadow/simd/transpose_block.h>

#include "testing.h"

namespace mshadow {
namespace {

template <typename T>
MSHADOW_FORCE_INLINE T Element(int i, int j) {
  return static_cast<T>(static_cast<float>(i % 16 * 16 + j));
}

template <typename T>
struct TransposeKernel {
  bool* wrong;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kSide = simd::kBlockSide<Isa, T>;
    alignas(64) T block[kSide][kSide];
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) block[i][j] = Element<T>(i, j);
    }
    constexpr int kCopy = simd::kCopySide<Isa, T>;
    [[maybe_unused]] T copy[kCopy][kCopy + 3];
    constexpr int kLine = static_cast<int>(simd::kLineBytes / sizeof(T));
    [[maybe_unused]] T tall[kLine][kCopy + 3];
    alignas(64) [[maybe_unused]] T lines[kCopy][2 * kLine];
    if constexpr (simd::kShuffles<Isa, T>) {
      simd::CopyTransposedBlock<Isa>(&block[0][0], kSide, &copy[0][0], kCopy + 3);
      for (int i = 0; i < kLine; ++i) {
        for (int j = 0; j < kCopy; ++j) tall[i][j] = Element<T>(i, j);
      }
      simd::StreamTransposedLines<Isa>(&tall[0][0], kCopy + 3, &lines[0][0], 2 * kLine);
      simd::StreamFence();
      for (int i = 0; i < kLine; ++i) {
        for (int j = 0; j < kCopy; ++j) {
          if (!(lines[j][i] == Element<T>(i, j))) *wrong = true;
        }
      }
    }
    if constexpr (simd::kShuffles<Isa, T>) {
      for (int i = 0; i < kCopy; ++i) {
        for (int j = 0; j < kCopy; ++j) {
          if (!(copy[i][j] == Element<T>(j, i))) *wrong = true;
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
    Check<bfloat::bf16_t>();
    Check<int16_t>();
    Check<uint8_t>();
  });
}

}  // namespace
}  // namespace mshadow
