// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_block.h>
#include <mshadow/backend/cpu/reduce/statistic_rows.h>

#include <algorithm>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// The results of three rows more than a vector has lanes, of every length about that of a vector
/// and of a part, from blocks of memory.
template <typename Kind, typename F>
void Check(const F& expected) {
  constexpr std::ptrdiff_t kRows = 19, kStride = 1300;
  std::vector<typename Kind::In> memory(kRows * kStride);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<typename Kind::In>(i * 37 % 101) - 7;
  }
  using Block = detail::BlockInMemory<typename Kind::In>;
  testing::ForEachIsa([&] {
    for (std::ptrdiff_t n : {1, 2, 15, 16, 17, 19, 20, 31, 33, 255, 256, 257, 700, 1290}) {
      typename Kind::Acc acc[kRows];
      typename Kind::Aux aux[kRows];
      typename Kind::Scout scouts[kRows];
      simd::Dispatch(detail::StatisticRowsKernel<Kind, Block>{
          Block{memory.data(), kStride}, kRows, n, acc, aux, scouts});
      for (std::ptrdiff_t r = 0; r < kRows; ++r) {
        typename Kind::Total total;
        total.First(acc[r], aux[r], scouts[r], n, 0);
        const auto begin = memory.begin() + r * kStride;
        ASSERT_NEAR(static_cast<double>(Kind::Finish(total, n)), expected(begin, begin + n), 1e-3)
            << r << " of " << n;
      }
    }
  });
}

using Begin = std::vector<float>::iterator;
double Mean(Begin begin, Begin end) {
  double sum = 0;
  for (Begin i = begin; i != end; ++i) sum += *i;
  return sum / static_cast<double>(end - begin);
}
TEST(StatisticRows, OnePass) {
  Check<statistic::Mean<float>>(Mean);
  Check<statistic::Max<float>>([](Begin b, Begin e) { return *std::max_element(b, e); });
}
TEST(StatisticRows, TwoPasses) {
  Check<statistic::Var<float>>([](Begin begin, Begin end) {
    const double mean = Mean(begin, end);
    double squares = 0;
    for (Begin i = begin; i != end; ++i) squares += (*i - mean) * (*i - mean);
    return squares / static_cast<double>(end - begin);
  });
}
TEST(StatisticRows, Indices) {
  Check<statistic::Argmax<float>>(
      [](Begin b, Begin e) { return static_cast<double>(std::max_element(b, e) - b); });
  Check<statistic::Argmin<float>>(
      [](Begin b, Begin e) { return static_cast<double>(std::min_element(b, e) - b); });
}

}  // namespace
}  // namespace mshadow
