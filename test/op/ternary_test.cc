// SPDX-License-Identifier: Apache-2.0
#include "mshadow/op/ternary.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel.h"
#include "mshadow/core/half.h"

namespace {

using mshadow::half::half_t;
namespace op = mshadow::op;
using op_test::Check;
using op_test::RunOf;

/// Every a with some b and c, specials first.
template <typename T>
void CheckAll(const std::vector<T>& values) {
  std::vector<T> a, b, c;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t shift : {1, 2, 5, 11, 19}) {
      a.push_back(values[i]);
      b.push_back(values[(i + shift) % values.size()]);
      c.push_back(values[(i + 3 * shift) % values.size()]);
    }
  }
  const auto clip = [](double x, double low, double high) {
    const double raised = x > low || x != x ? x : low;
    return raised < high || raised != raised ? raised : high;
  };
  Check<T>("clip", RunOf<op::clip, 3, T>(), clip, a, b, c, 0);
  const auto where = [](double x, double yes, double no) { return x != 0 ? yes : no; };
  Check<T>("where", RunOf<op::where, 3, T>(), where, a, b, c, 0);
}

template <typename T>
std::vector<T> Small() {
  std::vector<T> values;
  for (int i = 0; i < 120; ++i) values.push_back(T(i * 37 % 101));
  return values;
}

TEST(Ternary, ClipAndWhere) {
  CheckAll(op_test::Specials<float>());
  CheckAll(op_test::Specials<double>());
  CheckAll(Small<uint8_t>());
  CheckAll(Small<int8_t>());
  CheckAll(Small<int32_t>());
  CheckAll(Small<half_t>());
}

TEST(Ternary, LargeIntegersKeepEveryDigit) {
  constexpr int64_t large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(op::clip::Map(large, int64_t{0}, large + 1), large);
  EXPECT_EQ(op::where::Map(int64_t{1}, large, int64_t{0}), large);
}

}  // namespace
