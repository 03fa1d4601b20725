// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_block.h>
#include <mshadow/backend/cpu/reduce/statistic_columns.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using Sum = statistic::Sum<float>;
using Block = detail::BlockInMemory<float>;

TEST(StatisticColumns, AddsRowsToLanes) {
  constexpr std::ptrdiff_t kStride = 80;
  std::vector<float> memory(20 * kStride);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 53);
  const Block block{memory.data(), kStride};
  testing::ForEachIsa([&] {
    for (std::ptrdiff_t rows : {1, 3, 4, 5, 8, 20}) {
      for (std::ptrdiff_t cols : {1, 15, 16, 17, 70}) {
        std::vector<float> acc(kStride, 5.0f);
        int32_t aux = 0;
        const statistic::NoScout scout;
        const auto add = [&](std::ptrdiff_t n, std::ptrdiff_t first) {
          simd::Call<detail::StatisticColumnsKernel<Sum, Block>>(&block, n, cols, first,
                                                                 acc.data(), &aux, &scout);
        };
        add(rows, 0);
        add(rows, rows);  // beside what the lanes hold
        for (std::ptrdiff_t x = 0; x < kStride; ++x) {
          float sum = 0;
          for (std::ptrdiff_t r = 0; r < rows; ++r) sum += 2 * memory[r * kStride + x];
          ASSERT_EQ(acc[x], x < cols ? sum : 5.0f) << x << " of " << rows << " x " << cols;
        }
      }
    }
  });
}

TEST(StatisticColumns, FoldJoinsEveryTerm) {
  testing::ForEachIsa([] {
    for (std::ptrdiff_t count : {1, 3, 16, 40}) {
      for (std::ptrdiff_t times : {1, 2, 3, 7, 8}) {
        std::vector<float> acc(count * times), expected(count);
        for (std::ptrdiff_t i = 0; i < count * times; ++i) {
          acc[i] = static_cast<float>(i * i % 97);
          expected[i % count] += acc[i];
        }
        simd::Call<detail::StatisticFoldKernel<Sum>>(acc.data(), count, times);
        acc.resize(count);
        ASSERT_EQ(acc, expected) << times;
      }
    }
  });
}

// Totals of a result that follow each other, few and many, and others that do not.
TEST(StatisticColumns, FinishMergesTotals) {
  testing::ForEachIsa([] {
    constexpr std::ptrdiff_t kCount = 21;
    for (std::ptrdiff_t times : {1, 2, 15, 16, 17, 49}) {
      std::vector<Sum::Total> total(kCount * times);
      std::vector<float> expected(kCount), results(kCount);
      for (std::ptrdiff_t i = 0; i < kCount * times; ++i) {
        total[i].value = static_cast<double>(i % 31);
        expected[i % kCount] += static_cast<float>(i % 31);
      }
      simd::Call<detail::StatisticFinishKernel<Sum>>(total.data(), kCount, times, kCount,
                                                     std::ptrdiff_t{1}, results.data());
      ASSERT_EQ(results, expected) << times;
    }
  });
}

TEST(StatisticColumns, NeighboursShareScoutsAndAreJoined) {
  using Var = statistic::Var<float>;
  testing::ForEachIsa([] {
    for (std::ptrdiff_t width : {1, 2, 7, 49}) {
      constexpr std::ptrdiff_t kCount = 3;
      std::vector<float> sum(kCount * width), scouts(sum.size()), acc(sum.size()), aux(sum.size());
      std::vector<float> total(kCount), joined(kCount), squares(kCount);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = acc[i] = static_cast<float>(i % 13);
        aux[i] = static_cast<float>(i % 11);
        joined[i / width] += acc[i];
        squares[i / width] += aux[i];
      }
      simd::Call<detail::StatisticScoutsKernel<Var>>(sum.data(), kCount * width, std::ptrdiff_t{5},
                                                     width, scouts.data());
      for (std::size_t i = 0; i < scouts.size(); ++i) {
        ASSERT_FLOAT_EQ(scouts[i], joined[i / width] / static_cast<float>(5 * width)) << i;
      }
      simd::Call<detail::StatisticJoinKernel<Var>>(acc.data(), aux.data(), scouts.data(),
                                                   kCount, width);
      for (std::ptrdiff_t k = 0; k < kCount; ++k) {
        ASSERT_EQ(acc[k], joined[k]) << k;
        ASSERT_EQ(aux[k], squares[k]) << k;
        ASSERT_FLOAT_EQ(scouts[k], joined[k] / static_cast<float>(5 * width)) << k;
      }
    }
  });
}

TEST(StatisticColumns, MergeBeginsOrAdds) {
  const float acc[] = {1, 2, 3};
  const int32_t aux = 0;
  const statistic::NoScout scout;
  Sum::Total total[3];
  total[1].value = 100;
  for (bool begin : {true, false}) {
    simd::Call<detail::StatisticMergeKernel<Sum>>(static_cast<const float*>(acc), &aux, &scout,
                                                  std::ptrdiff_t{3}, std::ptrdiff_t{1},
                                                  std::ptrdiff_t{0}, begin,
                                                  static_cast<Sum::Total*>(total));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(total[k].value, (begin ? 1 : 2) * acc[k]);
  }
}

}  // namespace
}  // namespace mshadow
