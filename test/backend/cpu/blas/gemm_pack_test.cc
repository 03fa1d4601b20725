// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/gemm_pack.h>

#include <cstdint>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// Packs lines whose elements (or whose neighbours) lie side by side, and looks at every place of
/// the slivers: element p of line i of a sliver of width w at p * w + i, zeros behind the last
/// line.
template <typename T>
void Check(bool lines_are_neighbours, std::ptrdiff_t lines, std::ptrdiff_t depth,
           std::ptrdiff_t big, std::ptrdiff_t small) {
  constexpr std::ptrdiff_t kPad = 3;
  const std::ptrdiff_t line = lines_are_neighbours ? 1 : depth + kPad;
  const std::ptrdiff_t step = lines_are_neighbours ? lines + kPad : 1;
  std::vector<T> src(static_cast<std::size_t>((lines - 1) * line + (depth - 1) * step + 1));
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<T>(i % 1021 + 1);
  const std::ptrdiff_t room = (lines + big) * depth;
  std::vector<T> dst(static_cast<std::size_t>(room), T(-1));
  simd::Dispatch(blas::GemmPack<T>{src.data(), line, step, lines, depth, big, small, dst.data()});
  std::ptrdiff_t i = 0;
  while (i < lines) {
    const std::ptrdiff_t width = lines - i >= big ? big : small;
    for (std::ptrdiff_t p = 0; p < depth; ++p) {
      for (std::ptrdiff_t l = 0; l < width; ++l) {
        const T expected = i + l < lines ? src[(i + l) * line + p * step] : T(0);
        ASSERT_EQ(dst[i * depth + p * width + l], expected)
            << "line " << i + l << " of " << lines << ", element " << p << " of " << depth;
      }
    }
    i += width;
  }
  for (std::ptrdiff_t at = i * depth; at < room; ++at) ASSERT_EQ(dst[at], T(-1)) << at;
}

template <typename T>
class GemmPack : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::uint64_t>;
TYPED_TEST_SUITE(GemmPack, Types);

TYPED_TEST(GemmPack, SliversOfRowsAndOfColumns) {
  testing::ForEachIsa([] {
    for (const bool neighbours : {true, false}) {
      for (const std::ptrdiff_t lines : {1, 3, 4, 12, 13, 33, 70}) {
        for (const std::ptrdiff_t depth : {1, 3, 4, 9}) {
          Check<TypeParam>(neighbours, lines, depth, 12, 4);
          Check<TypeParam>(neighbours, lines, depth, 6, 3);
          Check<TypeParam>(neighbours, lines, depth, 32, 16);
        }
      }
    }
  });
}

}  // namespace
}  // namespace mshadow
