// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/bins.h>

#ifdef __linux__
#include <sys/resource.h>
#endif

#include "lanes.h"

namespace mshadow {
namespace bins_test {
namespace {

using namespace expr;
using namespace testing;
using Indices = std::vector<int64_t>;
using Numbers = std::vector<double>;

template <typename T>
void CheckCounts(index_t n, int bins, int threads) {
  SetThreads(threads);
  std::vector<T> v(n);
  std::vector<int64_t> expected;
  uint32_t state = 3;
  for (T& e : v) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<T>((state >> 8) % static_cast<uint32_t>(bins));
    if (static_cast<std::size_t>(e) >= expected.size())
      expected.resize(static_cast<std::size_t>(e) + 1);
    ++expected[static_cast<std::size_t>(e)];
  }
  const Tensor<cpu, 1, T> x(v.data(), Shape1(n));
  EXPECT_EQ(ToVector(bincount(x)), expected);
  EXPECT_EQ(ToVector(bincount(x + T(0))), expected);
  expected.resize(std::max<std::size_t>(expected.size(), 1000));
  EXPECT_EQ(ToVector(bincount(x, 1000)), expected);
  SetThreads(1);
}
TEST(Bincount, OfManyElements) {
  CheckCounts<int8_t>(1001, 128, 1);
  CheckCounts<uint8_t>(1000, 256, 1);
  CheckCounts<int32_t>(3, 70000, 1);
  CheckCounts<int64_t>(300001, 3000, 1);
  CheckCounts<uint32_t>(600001, 500, 3);
}
#ifdef __linux__
TEST(Bincount, NeedsTheMemoryOfTheResult) {
  const auto most = [] {  // KiB that were in use at once
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  TensorContainer<cpu, 1, int> x{(1 << 23) - 1, 3};
  const long before = most(), result = 1 << 16;
  EXPECT_EQ(bincount(x)[3], 1);
  EXPECT_LE(most() - before, result + result / 2);
}
#endif
TEST(Bincount, Weights) {
  TensorContainer<cpu, 1, int> x{3, 0, 3, 1};
  TensorContainer<cpu, 1> w{0.5f, 1, 0.25f, -1};
  EXPECT_EQ(ToVector(bincount(x, w)), (Numbers{1, -1, 0, 0.75}));
  EXPECT_EQ(ToVector(bincount(x, w * 2.0f, 6)), (Numbers{2, -2, 0, 1.5, 0, 0}));
  EXPECT_NE(ErrorOf([&] { bincount(x, w.Slice(0, 3)); }).find("bincount: shape mismatch"),
            std::string::npos);
}
TEST(Bincount, NegativeNumbersOfBins) {
  const TensorContainer<cpu, 1, int> x{3, 0};
  const TensorContainer<cpu, 1> w{0.5f, 1};
  const auto is_named = [](const std::string& error, const char* text) {
    return error.find(text) != std::string::npos;
  };
  EXPECT_TRUE(is_named(ErrorOf([&] { bincount(x, -1); }), "bincount: length = -1 is negative"));
  EXPECT_TRUE(is_named(ErrorOf([&] { bincount(x, w, -2); }), "bincount: length = -2 is negative"));
  EXPECT_TRUE(is_named(ErrorOf([&] { histogram(w, -3); }), "histogram: -3 bins"));
}
TEST(Bincount, NamesTheFirstItCannotCount) {
  std::vector<int64_t> v(100, 5);
  v[41] = (std::numeric_limits<int64_t>::max)();
  v[77] = -1;
  EXPECT_NE(ErrorOf([&] {
              bincount(Tensor<cpu, 1, int64_t>(v.data(), Shape1(100)));
            }).find("element 41 of 100 is 9223372036854775807"),
            std::string::npos);
}

/// The bin of `value` by comparison with each edge; -1 for none.
int BinByEdges(double value, const std::vector<double>& edges) {
  const int bins = static_cast<int>(edges.size()) - 1;
  for (int b = 0; b < bins; ++b) {
    const double low = edges[static_cast<std::size_t>(b)],
                 high = edges[static_cast<std::size_t>(b) + 1];
    if (value >= low && (value < high || (b == bins - 1 && value == high))) return b;
  }
  return -1;
}
TEST(Histogram, CountsByEdges) {
  for (int threads : {1, 3}) {
    SetThreads(threads);
    TensorContainer<cpu, 2> x(Shape2(700, 601)), w(x.shape_);
    uint32_t state = 3;
    for (index_t i = 0; i < 700; ++i) {
      for (index_t j = 0; j < 601; ++j) {
        state = state * 1664525u + 1013904223u;
        // Many lie on edges.
        x[i][j] = static_cast<float>((state >> 8) % 1000) * 0.001f;
        w[i][j] = static_cast<float>((state >> 20) % 8);
      }
    }
    const std::vector<double> own = {0, 0.1, 0.1, 0.35, 0.9};
    const auto check = [&](const auto& result, const auto& sums) {
      const std::vector<double> edges = ToVector(result.edges);
      std::vector<int64_t> counts(edges.size() - 1);
      std::vector<double> weights(counts.size());
      for (index_t i = 0; i < 700; ++i) {
        for (index_t j = 0; j < 601; ++j) {
          const int b = BinByEdges(static_cast<double>(x[i][j]), edges);
          if (b >= 0) ++counts[static_cast<std::size_t>(b)];
          if (b >= 0) weights[static_cast<std::size_t>(b)] += static_cast<double>(w[i][j]);
        }
      }
      EXPECT_EQ(ToVector(result.counts), counts);
      EXPECT_EQ(ToVector(sums.counts), weights);
      EXPECT_EQ(ToVector(sums.edges), edges);
    };
    check(histogram(x), histogram(x, w));
    check(histogram(x, 30), histogram(x, w, 30));
    check(histogram(x, 7, {0.1, 0.8}), histogram(x, w, 7, {0.1, 0.8}));
    check(histogram(x, own), histogram(x, w, own));
    EXPECT_EQ(ToVector(histogram(x, 4, {0, 1}).edges), (Numbers{0, 0.25, 0.5, 0.75, 1}));
  }
  SetThreads(1);
}
TEST(Histogram, OfFewNothingAndNan) {
  TensorContainer<cpu, 1> x{1, 1, 1}, none(Shape1(0)), with_nan{1, NAN, 3, INFINITY};
  const auto [counts, edges] = histogram(x, 2);
  EXPECT_EQ(ToVector(counts), (Indices{0, 3}));
  EXPECT_EQ(ToVector(edges), (Numbers{0.5, 1, 1.5}));
  EXPECT_EQ(ToVector(histogram(none, 2).edges), (Numbers{0, 0.5, 1}));
  EXPECT_EQ(ToVector(histogram(with_nan, 2, {1, 3}).counts), (Indices{1, 1}));
  EXPECT_EQ(ToVector(histogram(with_nan, {1, 2, 3}).counts), (Indices{1, 1}));
  EXPECT_EQ(ToVector(histogram(TensorContainer<cpu, 1, uint8_t>{1, 2, 255}, 2).counts),
            (Indices{2, 1}));
  EXPECT_NE(ErrorOf([&] { histogram(with_nan); }).find("NaN or infinite"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { histogram(x, 0); }).find("0 bins"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { histogram(x, 2, {3, 1}); }).find("[3, 1]"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { histogram(x, {0, 2, 1}); }).find("edge 2 is 1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { histogram(x, none); }).find("shape mismatch"), std::string::npos);
}

}  // namespace
}  // namespace bins_test
}  // namespace mshadow
