// SPDX-License-Identifier: Apache-2.0
// Shapes of each way to cut the work, beside plain loops; ../reduce_test.cc has statements.
#include <mshadow/backend/cpu/reduce/reduction.h>
#include <mshadow/tensor.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using Sums = detail::Reduction<red::sum, double>;

constexpr double kUntouched = -1;

/// Small integers, whose sums are exact in any order.
double Element(std::size_t i) { return static_cast<double>(i * 37 % 11); }
void Fill(testing::Guarded<2, double>* src) {
  for (std::size_t i = 0; i < src->Size(); ++i) src->At(i) = Element(i);
}

/// Result x: the sum of column x.
void CheckColumns(index_t rows, index_t cols, index_t pad) {
  testing::Guarded<2, double> src(Shape2(rows, cols), pad);
  Fill(&src);
  const auto plan = expr::MakePlan(*src);
  std::vector<double> results(cols + 1, kUntouched);
  Sums(detail::PartialSink(results.data()))
      .Columns(detail::MakeReduceSource<red::sum, double>(plan, rows, cols), rows, cols);
  for (std::size_t x = 0; x < cols; ++x) {
    double sum = 0;
    for (std::size_t y = 0; y < rows; ++y) sum += Element(y * cols + x);
    ASSERT_EQ(results[x], sum) << "column " << x << " of " << rows << " x " << cols;
  }
  ASSERT_EQ(results[cols], kUntouched);
}

/// Result c: the sum of src((n keep + c) rows + y, x) over n, y and x.
template <typename Plan>
void CheckRunsOf(const Plan& plan, index_t outer, index_t keep, index_t rows, index_t cols) {
  std::vector<double> results(keep + 1, kUntouched);
  Sums(detail::PartialSink(results.data()))
      .Runs(detail::MakeReduceSource<red::sum, double>(plan, outer * keep * rows, cols), outer, keep,
            rows, cols);
  for (std::size_t c = 0; c < keep; ++c) {
    double sum = 0;
    for (std::size_t n = 0; n < outer; ++n) {
      for (std::size_t i = 0; i < std::size_t{rows} * cols; ++i) {
        sum += Element((n * keep + c) * rows * cols + i);
      }
    }
    ASSERT_EQ(results[c], sum) << "result " << c << " of " << outer << " x " << keep << " x "
                               << rows << " x " << cols;
  }
  ASSERT_EQ(results[keep], kUntouched);
}
void CheckRuns(index_t outer, index_t keep, index_t rows, index_t cols, index_t pad) {
  testing::Guarded<2, double> src(Shape2(outer * keep * rows, cols), pad);
  Fill(&src);
  CheckRunsOf(expr::MakePlan(*src), outer, keep, rows, cols);
}

TEST(Reduction, Columns) {
  testing::ForEachIsa([] {
    for (const index_t pad : {0u, 3u}) {
      CheckColumns(1, 5, pad);
      CheckColumns(1001, 3, pad);   // narrow rows are joined
      CheckColumns(7, 2500, pad);   // several blocks of columns
      CheckColumns(700, 600, pad);  // parts
    }
    CheckColumns(0, 4, 0);
  });
}

TEST(Reduction, Runs) {
  testing::ForEachIsa([] {
    for (const index_t pad : {0u, 3u}) {
      CheckRuns(1, 300, 1, 10, pad);    // short rows
      CheckRuns(1, 5, 40, 100, pad);    // images
      CheckRuns(3, 6, 9, 33, pad);      // of several images
      CheckRuns(1, 3, 1, 1500, pad);    // long rows
      CheckRuns(1, 2, 1, 150000, pad);  // parts of very long ones
      CheckRuns(4, 1, 5, 70, pad);      // one result
    }
  });
}

TEST(Reduction, RunsOfATransposingPlan) {
  testing::ForEachIsa([] {
    testing::Guarded<2, double> src(Shape2(50, 130), 3);
    for (std::size_t i = 0; i < src.Size(); ++i) src.At(i) = Element(i % 130 * 50 + i / 130);
    CheckRunsOf(expr::MakePlan(expr::transpose(*src, Shape2(1, 0))), 1, 130, 1, 50);
  });
}

TEST(Reduction, RunsOfRowsThatConsistOfRuns) {
  testing::ForEachIsa([] {
    testing::Guarded<2, double> src(Shape2(3000, 7), 3);
    Fill(&src);
    CheckRunsOf(expr::MakePlan(expr::reshape(*src, Shape2(3, 7000))), 1, 3, 1, 7000);
    CheckRunsOf(expr::MakePlan(expr::reshape(*src, Shape2(30, 700))), 3, 10, 1, 700);
  });
}

// Terms that are all alike show whether rounding errors grow with their number.
TEST(Reduction, RoundingErrorsStaySmall) {
  testing::ForEachIsa([] {
    testing::Guarded<2, float> memory(Shape2(60001, 7), 1);
    for (std::size_t i = 0; i < memory.Size(); ++i) memory.At(i) = 1.1f;
    const double exact = static_cast<double>(1.1f) * 60001 * 7;
    TensorContainer<cpu, 1> sum(Shape1(1));
    sum = expr::sumall_except_dim<0>(expr::reshape(*memory, Shape2(1, 60001 * 7)));
    EXPECT_NEAR(sum[0], exact, 3e-6 * exact);
    TensorContainer<cpu, 2> whole(Shape2(1, 60001 * 7));
    whole = 1.1f;
    sum = expr::sumall_except_dim<0>(whole);
    EXPECT_NEAR(sum[0], exact, 3e-6 * exact);
  });
}

}  // namespace
}  // namespace mshadow
