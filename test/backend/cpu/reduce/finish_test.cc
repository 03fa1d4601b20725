// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/finish.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using Plan1 = expr::Plan<Tensor<cpu, 1>, float>;
using Target = detail::ReduceTarget<sv::plusto, red::sum, float, Plan1>;

/// out = 100 += 2 * results; results `first` on are what `count` and `n` lanes make.
void Check(detail::FinishKind kind, std::ptrdiff_t n, std::ptrdiff_t count, std::ptrdiff_t results,
           std::ptrdiff_t (*result)(std::ptrdiff_t lane, std::ptrdiff_t n)) {
  constexpr std::ptrdiff_t kFirst = 3;
  std::vector<float> acc(n * count);
  std::vector<double> expected(results);
  for (std::ptrdiff_t l = 0; l < n * count; ++l) {
    acc[l] = static_cast<float>(l % 13);
    expected[result(l, n)] += acc[l];
  }
  testing::Guarded<1> out(Shape1(static_cast<index_t>(results + 2 * kFirst)));
  std::vector<float> scratch(results + 2 * kFirst, -1.0f);
  for (bool to_scratch : {false, true}) {
    std::vector<float> lanes = acc;
    *out = 100.0f;
    Target target{Plan1(*out), 2.0f};
    detail::Finish<red::sum>(to_scratch ? detail::PartialSink(scratch.data()) : target.Sink(), kind,
                             lanes.data(), n, count, kFirst);
    for (std::ptrdiff_t i = 0; i < results + 2 * kFirst; ++i) {
      const bool inside = i >= kFirst && i < kFirst + results;
      const double sum = inside ? expected[i - kFirst] : 0;
      ASSERT_EQ(out.At(i), to_scratch || !inside ? 100 : 100 + 2 * sum) << i;
      ASSERT_EQ(scratch[i], to_scratch && inside ? sum : -1) << i;
    }
  }
}

TEST(Finish, ColumnsRunsAndShortRuns) {
  const auto column = [](std::ptrdiff_t lane, std::ptrdiff_t n) { return lane % n; };
  const auto run = [](std::ptrdiff_t lane, std::ptrdiff_t n) { return lane / n; };
  testing::ForEachIsa([&] {
    for (std::ptrdiff_t count : {1, 2, 3, 7, 64, 65, 130}) {
      for (std::ptrdiff_t n : {1, 5, 16, 33, 600}) {
        Check(detail::FinishKind::kColumns, n, count, n, column);
        Check(detail::FinishKind::kShort, n, count, count, run);
      }
      for (std::ptrdiff_t n : {16, 64, 256}) {
        Check(detail::FinishKind::kRuns, n, count, count, run);
      }
    }
  });
}

// Terms that are all alike show whether rounding errors grow with their number.
TEST(Finish, ManyPartialResults) {
  testing::ForEachIsa([] {
    for (std::ptrdiff_t n : {512, 513, 100001}) {
      std::vector<float> acc(n, 1.1f);
      float sum = 0;
      detail::Finish<red::sum>(detail::PartialSink(&sum), detail::FinishKind::kShort, acc.data(), n,
                               1, 0);
      const double exact = static_cast<double>(1.1f) * static_cast<double>(n);
      EXPECT_NEAR(sum, exact, 2e-6 * exact) << n;
    }
  });
}

}  // namespace
}  // namespace mshadow
