// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/source.h>
#include <mshadow/tensor.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using Tile = detail::ReduceTile<double>;

/// Element (y, x) of the source is 100 y + x; lanes start at 5 where they are not initialised.
void Check(const detail::ReduceSource<double>& source, Tile tile) {
  const std::ptrdiff_t size = (tile.runs - 1) * tile.pitch + tile.n;
  std::vector<double> acc(static_cast<std::size_t>(size + 3), 5.0);
  std::vector<double> expected = acc;
  for (std::ptrdiff_t l = 0; l < tile.init; ++l) expected[l] = 0;
  for (std::ptrdiff_t i = 0; i < tile.runs; ++i) {
    for (std::ptrdiff_t j = 0; j < tile.steps; ++j) {
      for (std::ptrdiff_t l = 0; l < tile.n; ++l) {
        expected[i * tile.pitch + l] +=
            static_cast<double>(100 * (tile.y + i * tile.run_y + j * tile.step_y) + tile.x +
                                i * tile.run_x + j * tile.step_x + l);
      }
    }
  }
  tile.acc = acc.data();
  source.Add(tile);
  for (std::size_t l = 0; l < acc.size(); ++l) {
    ASSERT_EQ(acc[l], expected[l])
        << l << ": " << tile.runs << " runs of " << tile.steps << " steps of " << tile.n;
  }
}

TEST(ReduceSource, AddsTheElementsOfATile) {
  testing::Guarded<2> src(Shape2(40, 90), 5);
  for (std::size_t i = 0; i < src.Size(); ++i)
    src.At(i) = static_cast<float>(i / 90 * 100 + i % 90);
  const auto plan = expr::MakePlan(*src);
  testing::ForEachIsa([&] {
    const auto source = detail::MakeReduceSource<red::sum, double>(plan, 40, 90);
    EXPECT_EQ(source.flat_rows, 1);  // padded
    for (const std::ptrdiff_t steps : {1, 3, 4, 5, 8, 11}) {
      for (const std::ptrdiff_t n : {1, 16, 63, 64, 70}) {
        Check(source, Tile{nullptr, n, n, 2, 3, steps, 1, 0, 1, 0, 0, 0});           // down
        Check(source, Tile{nullptr, 0, n, 2, 3, steps, 2, 0, 2, n, 17, 0});          // two runs
        Check(source, Tile{nullptr, 2 * n, n, 0, 0, steps, 1, 1, 2, n + 2, 20, 5});  // and across
      }
    }
  });
}

TEST(ReduceSource, ReducesWholeRuns) {
  testing::Guarded<2> src(Shape2(3, 9000), 5);
  for (std::size_t i = 0; i < src.Size(); ++i) src.At(i) = static_cast<float>(i % 31);
  const auto plan = expr::MakePlan(*src);
  testing::ForEachIsa([&] {
    const auto source = detail::MakeReduceSource<red::sum, double>(plan, 3, 9000);
    for (const std::ptrdiff_t n : {1, 15, 63, 64, 255, 256, 300, 8192, 8300}) {
      double acc[] = {-1, -1, -1, -1, -1};
      source.ReduceRows(Tile{acc, 0, n, 1, 7, 1, 0, 0, 2, 2, 1, 3});
      for (std::size_t i = 0; i < 2; ++i) {
        double sum = 0;
        for (std::size_t l = 0; l < static_cast<std::size_t>(n); ++l) {
          sum += src.At((1 + i) * 9000 + 7 + 3 * i + l);
        }
        EXPECT_EQ(acc[2 * i], sum) << n;
        EXPECT_EQ(acc[2 * i + 1], -1);
      }
    }
  });
}

TEST(ReduceSource, NarrowVectorsWhereTheyPay) {
  if (!simd::SupportedIsa(simd::Isa::kAvx512)) GTEST_SKIP() << "no AVX-512";
  const simd::detail::SharedCache machine = simd::detail::TheLastLevelCache();
  const simd::Isa best = simd::ActiveIsa();
  simd::ForceIsa(simd::Isa::kAvx512);
  simd::detail::TheLastLevelCache() = {28800, 64, true};
  testing::Guarded<2> src(Shape2(40, 90));
  const auto plan = expr::MakePlan(*src);
  const auto dear = expr::MakePlan(expr::F<op::exp>(*src));
  using simd::Isa;
  EXPECT_EQ((detail::MakeReduceSource<red::sum, float>(plan, 40, 90).isa), Isa::kAvx2);
  EXPECT_EQ((detail::MakeReduceSource<red::sum, float>(plan, 39, 90).isa), Isa::kAvx512);
  EXPECT_EQ((detail::MakeReduceSource<red::sum, float>(dear, 40, 90).isa), Isa::kAvx512);
  simd::ForceIsa(best);
  simd::detail::TheLastLevelCache() = machine;
}

// Of runs, the elements of each would be added to the same few lanes.
TEST(ReduceSource, RowsOfRunsAreNotReducedByThemselves) {
  testing::Guarded<2> src(Shape2(40, 90), 5);
  const auto plan = expr::MakePlan(expr::reshape(*src, Shape2(90, 40)));
  EXPECT_EQ((detail::MakeReduceSource<red::sum, float>(plan, 90, 40).reduce_rows), nullptr);
}

TEST(ReduceSource, TransposedPlansSwapTheLoops) {
  testing::Guarded<2> src(Shape2(30, 50), 5);
  for (std::size_t i = 0; i < src.Size(); ++i)
    src.At(i) = static_cast<float>(i % 50 * 100 + i / 50);
  const auto plan = expr::MakePlan(expr::transpose(*src, Shape2(1, 0)));  // (y, x): 100 y + x
  testing::ForEachIsa([&] {
    const auto source = detail::MakeReduceSource<red::sum, double>(plan, 50, 30);
    ASSERT_NE(source.add_transposed, nullptr);
    for (const std::ptrdiff_t runs : {1, 7, 40}) {
      for (const std::ptrdiff_t n : {1, 4, 25}) {
        std::vector<double> acc(41, 5.0);
        source.AddTransposed(Tile{acc.data(), runs, n, 3, 2, 1, 0, 0, runs, 0, 0, 0});
        for (std::ptrdiff_t i = 0; i < 41; ++i) {
          double expected = 5;
          if (i < runs) {
            expected = 0;
            for (std::ptrdiff_t x = 2; x < 2 + n; ++x) {
              expected += static_cast<double>(100 * (3 + i) + x);
            }
          }
          ASSERT_EQ(acc[i], expected) << "run " << i << " of " << runs << ", " << n << " columns";
        }
      }
    }
  });
}

}  // namespace
}  // namespace mshadow
