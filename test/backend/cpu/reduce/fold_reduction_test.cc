// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/reduce_groups.h>
#include <mshadow/tensor.h>

#include <algorithm>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// Sums over axes with bit i in `mask`, beside those of a plain loop.
template <int dim>
void Check(const Shape<dim>& shape, unsigned mask, index_t padding) {
  SCOPED_TRACE(::testing::Message() << shape << " mask " << mask << " padded by " << padding);
  using Kind = statistic::Sum<float>;
  testing::Guarded<dim> a(shape, padding);
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<float>(i % 29);
  const expr::AxisGroups groups = expr::AxisGroupsOf(shape, mask);
  std::vector<double> expected(static_cast<std::size_t>(groups.Results()));
  for (std::size_t i = 0; i < a.Size(); ++i) {
    std::size_t rest = i, result = 0, step = 1;
    for (int axis = dim - 1; axis >= 0; rest /= shape[axis--]) {
      if (mask >> axis & 1) continue;
      result += rest % shape[axis] * step;
      step *= shape[axis];
    }
    expected[result] += a.At(i);
  }
  testing::ForEachIsa([&] {
    std::vector<float> results(expected.size(), -1.0f);
    const auto put = [](void* target, const void* from, std::ptrdiff_t i, std::ptrdiff_t n) {
      const float* const begin = static_cast<const float*>(from);
      std::copy(begin, begin + n, static_cast<float*>(target) + i);
    };
    detail::ReduceGroups<Kind>(expr::detail::ReadBy<cpu, Kind>(*a), groups, {results.data(), put});
    for (std::size_t r = 0; r < expected.size(); ++r) {
      ASSERT_NEAR(results[r], expected[r], 1e-6 * expected[r]) << r;
    }
  });
}

TEST(FoldReduction, BlocksAndParts) {
  for (index_t padding : {0, 3}) {
    for (const Shape<2>& s : {Shape2(1, 1), Shape2(3, 40), Shape2(64, 64), Shape2(100, 33),
                              Shape2(1100, 7), Shape2(2, 9000), Shape2(3000, 90)}) {
      Check(s, 2, padding);
      Check(s, 1, padding);
    }
    Check(Shape2(1, 300000), 2, padding);
    Check(Shape2(700, 1100), 1, padding);  // more columns than lanes, more rows than a block
    for (const Shape<4>& s : {Shape4(5, 4, 3, 7), Shape4(40, 1, 30, 33), Shape4(3, 300, 2, 5)}) {
      Check(s, 0xd, padding);
      Check(s, 0xa, padding);
      Check(s, 0x5, padding);
      Check(s, 0x3, padding);
    }
  }
}

// Lines of the inner group that lie apart are reduced side by side.
TEST(FoldReduction, ManyShortLines) {
  for (index_t cols : {1, 3, 4, 7, 16, 17}) {
    for (index_t reduced : {1, 2, 9, 33, 64, 700}) {
      Check(Shape3(reduced, 50, cols), 0x1, 1);
      Check(Shape3(reduced, 15, cols), 0x1, 1);
    }
    Check(Shape3(3, 1500, cols), 0x1, 2);
    Check(Shape4(3, 4, 40, cols), 0x2, 1);
    Check(Shape4(3, 4, 40, cols), 0x5, 1);
  }
  Check(Shape3(9000, 40, 2), 0x1, 1);
}

// Many groups of few lines, which are transposed, or share lanes; and short rows.
TEST(FoldReduction, ManyGroups) {
  for (index_t padding : {0, 2}) {
    for (index_t n : {1, 2, 3, 7, 8, 9, 16, 19, 33, 90}) {
      for (index_t cols : {1, 2, 3, 5, 8, 16, 19, 40, 70}) {
        Check(Shape3(37, n, cols), 2, padding);
        Check(Shape3(2100, n, cols), 2, padding);
      }
      Check(Shape2(3000, n), 2, padding);
    }
  }
}

// The same of each kind of statistic, of memory and of a plan.
TEST(FoldReduction, KindsOfManyShortLines) {
  testing::ForEachIsa([] {
    for (index_t cols : {1, 3, 5, 13}) {
      for (index_t n : {2, 10, 40}) {
        const index_t lines = 37;
        testing::Guarded<3> a(Shape3(n, lines, cols), 1);
        testing::Guarded<2> out(Shape2(lines, cols)), most(out->shape_), of_map(out->shape_);
        testing::Guarded<2> at(out->shape_);
        a.FillRandom(-2, 2);
        *out = expr::var<0>(*a);
        *most = expr::max<0>(*a);
        *of_map = expr::sum<0>(*a * *a);
        *at = expr::reduce_with_axis<red::maximum, true>(*a, 0);
        for (std::size_t i = 0; i < out.Size(); ++i) {
          double sum = 0, squares = 0;
          std::size_t first = 0;
          for (std::size_t k = 0; k < n; ++k) {
            const double element = static_cast<double>(a.At(k * out.Size() + i));
            sum += element;
            squares += element * element;
            if (a.At(k * out.Size() + i) > a.At(first * out.Size() + i)) first = k;
          }
          EXPECT_NEAR(out.At(i), squares / n - sum / n * (sum / n), 1e-5);
          EXPECT_NEAR(of_map.At(i), squares, 1e-5 * n);
          EXPECT_EQ(most.At(i), a.At(first * out.Size() + i));
          EXPECT_EQ(at.At(i), static_cast<float>(first));
        }
      }
    }
  });
}

// Lanes of 32 bits hold the sum of so many integers of 16.
TEST(FoldReduction, LanesHoldShortIntegers) {
  const std::ptrdiff_t n = 300001;
  for (std::ptrdiff_t cols : {1, 3}) {
    std::vector<int16_t> a(static_cast<std::size_t>(n * cols), -32768);
    const Tensor<cpu, 2, int16_t> t(a.data(), Shape2(static_cast<index_t>(n),
                                                     static_cast<index_t>(cols)));
    std::vector<int64_t> sums(static_cast<std::size_t>(cols));
    Tensor<cpu, 1, int64_t> out(sums.data(), Shape1(static_cast<index_t>(cols)));
    out = expr::sum<0>(t);
    for (int64_t sum : sums) EXPECT_EQ(sum, n * -32768);
    EXPECT_EQ(expr::sum(t), n * cols * -32768);
  }
}

// Of nothing there are results, and of no results nothing.
TEST(FoldReduction, Empty) {
  Check(Shape2(3, 0), 2, 0);
  Check(Shape2(0, 3), 1, 0);
  Check(Shape2(0, 3), 2, 0);
  Check(Shape2(3, 0), 1, 0);
}

}  // namespace
}  // namespace mshadow
