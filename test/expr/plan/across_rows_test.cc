// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/across_rows.h>
#include <mshadow/tensor.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// 2 acc + x, halved at the end: in order, without Combine.
struct Digits {
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& init) {  // NOLINT: the interface of reducers
    init = DType(0);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {  // NOLINT
    dst = 2 * dst + src;
  }
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType& dst) {  // NOLINT
    dst = dst / 2;
  }
};

template <typename Reducer, typename DType, typename F>
void Check(std::ptrdiff_t count, const F& expected) {
  testing::Guarded<2, DType> a(Shape2(20, 1100), 3);
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<DType>(static_cast<int>(i % 7));
  const auto plan = expr::MakePlan(*a);
  using Src = std::decay_t<decltype(plan)>;
  const expr::detail::AcrossRowsCursor<Reducer, Src, DType> row{plan, 1, 2, count};
  std::vector<DType> out(1100, DType(-1.0f));
  row.Write(out.data(), 5, 1090);
  for (std::ptrdiff_t x = 5; x < 1090; ++x) {
    double value = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      value = expected(value, static_cast<double>(a.At((1 + 2 * i) * 1100 + x)));
    }
    if (std::is_same_v<Reducer, Digits>) value /= 2;
    ASSERT_EQ(static_cast<double>(out[x - 5]), value) << x << " of " << count << " rows";
    ASSERT_EQ(static_cast<double>(row.Eval(x)), value) << x << " of " << count << " rows";
  }
  ASSERT_EQ(static_cast<double>(out[1085]), -1);
}

TEST(AcrossRows, ReducesRows) {
  const auto add = [](double a, double b) { return a + b; };
  for (std::ptrdiff_t count : {0, 1, 2, 3, 4, 7}) {
    Check<red::sum, float>(count, add);
    Check<red::sum, half::half_t>(count, add);
    Check<Digits, float>(count, [](double a, double b) { return 2 * a + b; });
  }
}

}  // namespace
}  // namespace mshadow
