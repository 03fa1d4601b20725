// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/short_segments.h>

#include <gtest/gtest.h>
#include <mshadow/op/reducer.h>

#include <cstdint>
#include <vector>

namespace mshadow {
namespace expr {
namespace detail {
namespace {

template <typename Acc>
void CheckSegments(std::ptrdiff_t n, std::ptrdiff_t m, std::ptrdiff_t count) {
  SCOPED_TRACE(::testing::Message() << count << " times " << n << ", " << m << " apart");
  using Sums = ShortSegments<red::sum, Acc>;
  ASSERT_LE(count, Sums::MaxCount(n, m));
  std::vector<Acc> from, sums, most;
  std::vector<int> at;
  for (std::ptrdiff_t i = 0; i < count * n * m; ++i) {
    from.push_back(static_cast<Acc>(i * i % 11));  // exact sums, ties
  }
  for (std::ptrdiff_t r = 0; r < count * m; ++r) {
    const std::ptrdiff_t first = r / m * n * m + r % m;
    Acc sum = 0, largest = from[static_cast<std::size_t>(first)];
    int index = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const Acc x = from[static_cast<std::size_t>(first + i * m)];
      sum = static_cast<Acc>(sum + x);
      if (x > largest) index = static_cast<int>(i);
      if (x > largest) largest = x;
    }
    sums.push_back(sum);
    most.push_back(largest);
    at.push_back(index);
  }
  std::vector<Acc> to(sums.size());
  std::vector<int> indices(sums.size());
  Sums::Reduce(from.data(), n, m, count, to.data());
  EXPECT_EQ(to, sums);
  Sums::LanePerSegment(from.data(), n, m, count, to.data());
  EXPECT_EQ(to, sums);
  ShortSegments<red::maximum, Acc>::Reduce(from.data(), n, m, count, to.data());
  EXPECT_EQ(to, most);
  ShortSegments<red::maximum, Acc>::LastChange(from.data(), n, m, count, indices.data());
  EXPECT_EQ(indices, at);
  if (m == 1) {  // the first of them are overwritten
    Sums::Reduce(from.data(), n, m, count, from.data());
    from.resize(sums.size());
    EXPECT_EQ(from, sums);
  }
}

template <typename Acc>
void CheckAll() {
  using Segments = ShortSegments<red::sum, Acc>;
  for (std::ptrdiff_t n = 1; n <= Segments::kMaxLength; ++n) {
    for (std::ptrdiff_t m : {1, 2, 3, 7}) {
      const std::ptrdiff_t most = Segments::MaxCount(n, m);
      EXPECT_LE(most * n * m, Segments::kMaxElements);
      for (std::ptrdiff_t count : {std::ptrdiff_t{1}, std::ptrdiff_t{2}, std::ptrdiff_t{17}, most}) {
        if (count <= most) CheckSegments<Acc>(n, m, count);
      }
    }
  }
}
TEST(ShortSegments, SumsMaximaAndTheirIndices) {
  CheckAll<float>();
  CheckAll<double>();
  CheckAll<int8_t>();
  CheckAll<int64_t>();
}

}  // namespace
}  // namespace detail
}  // namespace expr
}  // namespace mshadow
