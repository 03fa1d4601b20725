// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/fold.h>
#include <mshadow/backend/cpu/reduce/reduce_groups.h>
#include <mshadow/tensor.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

template <typename T>
char* Bytes(std::vector<T>* v) {
  return reinterpret_cast<char*>(v->data());
}

/// Lanes of a Kind.
template <typename Kind>
struct Lanes {
  std::vector<typename Kind::Acc> acc;
  std::vector<typename Kind::Aux> aux;
  std::vector<typename Kind::Scout> scouts;
  explicit Lanes(std::size_t n) : acc(n), aux(n), scouts(n) {}
  detail::FoldLanes View() { return {Bytes(&acc), Bytes(&aux), Bytes(&scouts)}; }
  double Result(std::size_t k, std::ptrdiff_t n) const {
    typename Kind::Total total;
    total.First(acc[k], aux[k], scouts[k], n, 0);
    return static_cast<double>(Kind::Finish(total, n));
  }
};

using V = std::vector<double>;
/// Rows, and columns, of a block of every size about that of a vector.
template <typename Kind, typename F>
void Check(const F& expected) {
  using In = typename Kind::In;
  constexpr std::ptrdiff_t kStride = 1300, kMost = 19;
  std::vector<In> memory(kMost * kStride);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<In>(static_cast<int>(i * 37 % 101) - 7);
  }
  const detail::FoldTable& kind = detail::FoldTableOf<Kind>::kTable;
  const std::ptrdiff_t bytes = kStride * std::ptrdiff_t{sizeof(In)};
  testing::ForEachIsa([&] {
    const int isa = static_cast<int>(simd::ActiveIsa());
    for (std::ptrdiff_t n : {1, 2, 15, 16, 17, 19, 20, 31, 33, 127, 128, 129, 255, 700, 1290}) {
      for (const bool rows : {true, false}) {
        if (rows && n < detail::kRowLanes) continue;
        Lanes<Kind> lanes(kStride), wide(kMost * detail::kRowLanes);
        const detail::FoldLanes view = lanes.View();
        for (auto& scout : lanes.scouts) {
          if constexpr (Kind::kTwoPasses) scout = 40;
        }
        const detail::FoldBlock all{reinterpret_cast<char*>(memory.data()), bytes, kMost, n, 1, 0,
                                    0};
        if (rows) {
          wide.scouts = lanes.scouts;
          const detail::FoldLanes to = wide.View();
          kind.rows[isa](&to, &all);
          for (std::ptrdiff_t k = 0; k < kMost; ++k) {
            Lanes<Kind> row(detail::kRowLanes);
            for (int l = 0; l < detail::kRowLanes; ++l) {
              row.acc[l] = wide.acc[k * detail::kRowLanes + l];
              row.aux[l] = Kind::kHasAux ? wide.aux[k * detail::kRowLanes + l] : 0;
            }
            const detail::FoldLanes joined = row.View();
            kind.join[isa](&joined, 1, 1, detail::kRowLanes, false);
            lanes.acc[k] = row.acc[0];
            lanes.aux[k] = row.aux[0];
          }
        } else {
          kind.columns[isa](&view, &all);
        }
        for (std::ptrdiff_t k = 0; k < (rows ? kMost : n); ++k) {
          V v;
          for (std::ptrdiff_t i = 0; i < (rows ? n : kMost); ++i) {
            v.push_back(memory[static_cast<std::size_t>(rows ? k * kStride + i : i * kStride + k)]);
          }
          ASSERT_NEAR(lanes.Result(static_cast<std::size_t>(k), rows ? n : kMost), expected(v),
                      1e-2)
              << k << " of " << n << (rows ? " in rows" : " in columns");
        }
      }
    }
  });
}

double Mean(const V& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}
TEST(Fold, OnePass) {
  Check<statistic::Mean<float>>(Mean);
  Check<statistic::Mean<int8_t>>(Mean);
  Check<statistic::Max<float>>([](const V& v) { return *std::max_element(v.begin(), v.end()); });
  Check<statistic::Min<int8_t>>([](const V& v) { return *std::min_element(v.begin(), v.end()); });
  Check<statistic::Norm<double>>([](const V& v) {
    double squares = 0;
    for (double x : v) squares += x * x;
    return std::sqrt(squares);
  });
  Check<statistic::All<float>>(
      [](const V& v) { return std::count(v.begin(), v.end(), 0.0) == 0 ? 1 : 0; });
}
TEST(Fold, TwoAccumulators) {
  Check<statistic::Var<float>>([](const V& v) {
    const double mean = Mean(v);
    double squares = 0;
    for (double x : v) squares += (x - mean) * (x - mean);
    return squares / static_cast<double>(v.size());
  });
  const auto first = [](const V& v) {
    return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
  };
  Check<statistic::Argmax<float>>(first);
  Check<statistic::Argmax<int8_t>>(first);
  Check<statistic::Argmin<double>>([](const V& v) {
    return static_cast<double>(std::min_element(v.begin(), v.end()) - v.begin());
  });
}

TEST(Fold, JoinsEveryLane) {
  using Kind = statistic::Argmax<float>;
  testing::ForEachIsa([] {
    for (std::ptrdiff_t count : {1, 3, 16, 40}) {
      for (std::ptrdiff_t times : {1, 2, 3, 7, 8}) {
        // Groups of rows of count columns, each of which went to a lane of its own.
        const std::size_t all = static_cast<std::size_t>(2 * count * times);
        Lanes<Kind> lanes(all);
        for (std::size_t i = 0; i < all; ++i) lanes.acc[i] = static_cast<float>(i * i % 17);
        const std::vector<float> before = lanes.acc;
        const detail::FoldLanes view = lanes.View();
        detail::FoldTableOf<Kind>::kTable.join[static_cast<int>(simd::ActiveIsa())](
            &view, 2, count, times, true);
        for (std::ptrdiff_t r = 0; r < 2 * count; ++r) {
          const std::ptrdiff_t begin = r / count * count * times + r % count;
          std::ptrdiff_t best = 0;
          for (std::ptrdiff_t i = 1; i < times; ++i) {
            if (before[begin + i * count] > before[begin + best * count]) best = i;
          }
          ASSERT_EQ(lanes.acc[r], before[begin + best * count]);
          ASSERT_EQ(lanes.aux[r], best);
        }
      }
    }
  });
}

TEST(Fold, MergesAndFinishes) {
  using Sum = statistic::Sum<float>;
  const detail::FoldTable& kind = detail::FoldTableOf<Sum>::kTable;
  Lanes<Sum> lanes(6);
  for (int i = 0; i < 6; ++i) lanes.acc[i] = static_cast<float>(i);
  std::vector<Sum::Total> totals(6);
  totals[1].value = 100;
  kind.nothing(Bytes(&totals), 3);
  const detail::FoldLanes view = lanes.View();
  for (int times : {1, 2}) {
    kind.merge(&view, 3, 2, 5, 0, Bytes(&totals));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(totals[k].value, times * (k + k + 3));
  }
  std::vector<float> results(2);
  kind.add(Bytes(&totals), Bytes(&totals) + 2 * sizeof(Sum::Total), 2);
  kind.finish(Bytes(&totals), 2, 30, Bytes(&results));
  EXPECT_EQ(results[0], 6 + 14 + 0);
  EXPECT_EQ(results[1], 10 + 0);
}

template <int size, typename T>
void CheckTurn() {
  testing::ForEachIsa([] {
    for (std::ptrdiff_t rows : {1, 3, 7, 8, 16, 17, 40}) {
      for (std::ptrdiff_t cols : {1, 2, 5, 8, 13, 16, 17, 35}) {
        for (std::ptrdiff_t padding : {0, 3}) {
          const std::ptrdiff_t stride = cols + padding;
          // No more than the rows is read.
          std::vector<T> from(static_cast<std::size_t>((rows - 1) * stride + cols));
          std::vector<T> to(static_cast<std::size_t>((cols + 16) * rows));
          for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
          simd::Call<detail::Turn<size>>(static_cast<const char*>(Bytes(&from)), stride * size,
                                         rows, cols, Bytes(&to));
          for (std::ptrdiff_t i = 0; i < rows; ++i) {
            for (std::ptrdiff_t j = 0; j < cols; ++j) {
              ASSERT_EQ(to[j * rows + i], from[i * stride + j]) << i << ' ' << j;
            }
          }
        }
      }
    }
  });
}
TEST(Fold, TurnsRows) {
  CheckTurn<1, uint8_t>();
  CheckTurn<2, uint16_t>();
  CheckTurn<4, uint32_t>();
  CheckTurn<8, uint64_t>();
}

}  // namespace
}  // namespace mshadow
