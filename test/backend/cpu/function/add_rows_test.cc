// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/function/add_rows.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

// Rows of 700 columns, of which [begin, end) are added: more than a block of sums, and parts.
constexpr std::ptrdiff_t kCols = 700, kStride = 703;

std::vector<float> Source(std::ptrdiff_t rows) {
  std::vector<float> src(rows * kStride);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<float>(i % 101);
  return src;
}

/// dst is what `pairs` of (target, source row) make of zeros.
void ExpectSums(const std::vector<float>& dst, const std::vector<float>& src,
                const std::vector<std::pair<int, int>>& pairs, std::ptrdiff_t begin,
                std::ptrdiff_t end) {
  std::vector<double> expected(dst.size());
  for (const auto& [target, row] : pairs) {
    for (std::ptrdiff_t x = begin; x < end; ++x) {
      expected[target * kStride + x] += src[row * kStride + x];
    }
  }
  for (std::size_t i = 0; i < dst.size(); ++i) ASSERT_EQ(dst[i], expected[i]) << i;
}

TEST(AddRows, ByIndexClippedAndWrapped) {
  testing::ForEachIsa([] {
    const std::vector<float> src = Source(5);
    const int index[] = {2, -1, 2, 4, 0};  // of 3 rows
    for (std::ptrdiff_t begin : {std::ptrdiff_t{0}, std::ptrdiff_t{33}}) {
      std::vector<float> dst(3 * kStride);
      simd::Dispatch(detail::AddTakeGradKernel<true, float, int, float>{
          dst.data(), index, src.data(), kStride, kStride, 3, 5, begin, kCols});
      ExpectSums(dst, src, {{2, 0}, {0, 1}, {2, 2}, {2, 3}, {0, 4}}, begin, kCols);
      std::fill(dst.begin(), dst.end(), 0.0f);
      simd::Dispatch(detail::AddTakeGradKernel<false, float, int, float>{
          dst.data(), index, src.data(), kStride, kStride, 3, 5, begin, kCols});
      ExpectSums(dst, src, {{2, 0}, {2, 1}, {2, 2}, {1, 3}, {0, 4}}, begin, kCols);
    }
  });
}

TEST(AddRows, SortedTargetsOnceEach) {
  testing::ForEachIsa([] {
    const std::vector<float> src = Source(4);
    const int sorted[] = {0, 2, 2, 2, 3}, index[] = {3, 0, 0, 1, 2};
    std::vector<float> dst(4 * kStride);
    simd::Dispatch(detail::AddSortedRowsKernel<float, int>{
        dst.data(), sorted, index, src.data(), kStride, kStride, 5, 1, kCols});
    ExpectSums(dst, src, {{0, 3}, {2, 0}, {2, 0}, {2, 1}, {3, 2}}, 1, kCols);
  });
}

}  // namespace
}  // namespace mshadow
