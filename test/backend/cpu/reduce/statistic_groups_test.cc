// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_groups.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// The results of groups of n x m elements: dense ones, and such that lie in a wider table.
template <typename Kind, typename F>
void Check(const F& expected) {
  using In = typename Kind::In;
  using Kernel = detail::StatisticGroupsKernel<Kind>;
  testing::ForEachIsa([&] {
    for (std::ptrdiff_t groups : {1, 16, 37, 300}) {
      for (std::ptrdiff_t n : {1, 2, 3, 5, 7, 8, 9, 16, 19, 32, 90}) {
        for (std::ptrdiff_t m : {1, 2, 3, 4, 7, 16, 19}) {
          for (std::ptrdiff_t padding : {0, 2}) {
            if (m < Kernel::kMinColumns && n > Kernel::kMaxShort) continue;
            if (groups * n * m > 15000) continue;
            SCOPED_TRACE(::testing::Message()
                         << groups << "x" << n << "x" << m << " padded by " << padding);
            const std::ptrdiff_t row = m + padding, group = n * row + padding;
            const std::size_t results = static_cast<std::size_t>(groups * m);
            std::vector<In> memory(static_cast<std::size_t>(groups * group));
            for (std::size_t i = 0; i < memory.size(); ++i) {
              memory[i] = static_cast<In>(static_cast<int>(i * 37 % 101) - 50);
            }
            std::vector<typename Kind::Acc> acc(results);
            std::vector<typename Kind::Aux> aux(results);
            std::vector<typename Kind::Scout> scouts(results);
            simd::Dispatch(Kernel{{memory.data(), group, row, groups, n, m},
                                  acc.data(), aux.data(), scouts.data()});
            for (std::ptrdiff_t r = 0; r < groups * m; ++r) {
              std::vector<double> elements;
              for (std::ptrdiff_t i = 0; i < n; ++i) {
                const std::ptrdiff_t at = r / m * group + i * row + r % m;
                elements.push_back(memory[static_cast<std::size_t>(at)]);
              }
              const std::size_t at = static_cast<std::size_t>(r);
              typename Kind::Total total;
              total.First(acc[at], aux[at], scouts[at], n, 0);
              const double value = expected(elements);
              ASSERT_NEAR(static_cast<double>(Kind::Finish(total, n)), value,
                          1e-3 + 1e-5 * std::abs(value))
                  << r;
            }
          }
        }
      }
    }
  });
}

using V = std::vector<double>;
double Sum(const V& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}
TEST(StatisticGroups, OnePass) {
  Check<statistic::Sum<float>>(Sum);
  Check<statistic::Sum<int8_t>>(Sum);
  Check<statistic::Mean<double>>([](const V& v) { return Sum(v) / static_cast<double>(v.size()); });
  Check<statistic::Max<int8_t>>([](const V& v) { return *std::max_element(v.begin(), v.end()); });
  Check<statistic::Min<float>>([](const V& v) { return *std::min_element(v.begin(), v.end()); });
  Check<statistic::Norm<float>>([](const V& v) {
    double squares = 0;
    for (double x : v) squares += x * x;
    return std::sqrt(squares);
  });
  Check<statistic::All<float>>(
      [](const V& v) { return std::count(v.begin(), v.end(), 0.0) == 0 ? 1 : 0; });
}
TEST(StatisticGroups, TwoPasses) {
  Check<statistic::Var<float>>([](const V& v) {
    const double mean = Sum(v) / static_cast<double>(v.size());
    double squares = 0;
    for (double x : v) squares += (x - mean) * (x - mean);
    return squares / static_cast<double>(v.size());
  });
  const auto first = [](const V& v) {
    return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
  };
  Check<statistic::Argmax<float>>(first);
  Check<statistic::OnePassIndex<statistic::Argmax<float>>>(first);
  Check<statistic::OnePassIndex<statistic::Argmax<int8_t>>>(first);
}

}  // namespace
}  // namespace mshadow
