// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/short_row.h>

#include <gtest/gtest.h>

#include <vector>

namespace mshadow {
namespace expr {
namespace detail {
namespace {

template <int least>
void CheckForEach() {
  for (std::ptrdiff_t n = least; n <= 100; ++n) {
    std::vector<int> calls(static_cast<std::size_t>(n));
    ForEachInVectors<least>(n, [&](std::ptrdiff_t i) { ++calls.at(static_cast<std::size_t>(i)); });
    for (int count : calls) EXPECT_TRUE(count == 1 || count == 2) << n << ": " << count;
  }
}
TEST(ShortRow, EachElementOnceOrTwice) {
  CheckForEach<4>();
  CheckForEach<8>();
  CheckForEach<16>();
}

TEST(ShortRow, PartsLeaveNoneOrAVector) {
  for (std::ptrdiff_t n = 1; n <= 500; ++n) {
    const std::ptrdiff_t part = PartInVectors(n, 32);
    EXPECT_LE(part, 32);
    EXPECT_GT(part, 0);
    EXPECT_TRUE(part == n || (part >= 16 && n - part >= 16)) << n << ": " << part;
  }
}

struct MemoryRow {
  const float* row_;
  float Eval(std::ptrdiff_t x) const { return row_[x]; }
  const float* Pointer(std::ptrdiff_t x) const { return row_ + x; }
};
struct Iota {
  float Eval(std::ptrdiff_t x) const { return static_cast<float>(x); }
};
template <typename Write>
void CheckWritten(const Write& write) {
  for (std::ptrdiff_t n = 0; n <= 70; ++n) {
    std::vector<float> to(100, -1.0f);
    const auto expected = write(n, to.data() + 2);
    for (std::ptrdiff_t i = 0; i < 100; ++i) {
      const bool written = i >= 2 && i < n + 2;
      EXPECT_EQ(to[static_cast<std::size_t>(i)], written ? expected(i - 2) : -1.0f) << n;
    }
  }
}
TEST(ShortRow, WritesNothingElse) {
  std::vector<float> from(100);
  for (std::size_t i = 0; i < 100; ++i) from[i] = static_cast<float>(i);
  const auto check = [](const auto& row) {
    CheckWritten([&](std::ptrdiff_t n, float* to) {
      WriteShortRow(row, 3, 3 + n, to);
      return [](std::ptrdiff_t i) { return static_cast<float>(3 + i); };
    });
  };
  check(MemoryRow{from.data()});
  check(Iota());
  CheckWritten([](std::ptrdiff_t n, float* to) {
    FillShortRow(7.0f, n, to);
    return [](std::ptrdiff_t) { return 7.0f; };
  });
}

}  // namespace
}  // namespace detail
}  // namespace expr
}  // namespace mshadow
