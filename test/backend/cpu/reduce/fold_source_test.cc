// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/reduce_groups.h>
#include <mshadow/tensor.h>

#include <algorithm>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// Sums of rows and of columns, beside those of a plain loop.
template <typename E>
void CheckBoth(const E& e) {
  using Kind = statistic::Sum<double>;
  const Shape<2> shape = expr::ShapeCheck<2, E>::Check(e);
  const auto plan = expr::MakePlan(e);
  const std::ptrdiff_t sides[] = {shape[0], shape[1]};
  testing::ForEachIsa([&] {
    for (int rows : {0, 1}) {
      std::vector<double> results(static_cast<std::size_t>(sides[rows ? 0 : 1]), 7.0);
      const auto put = [](void* target, const void* from, std::ptrdiff_t i, std::ptrdiff_t n) {
        const double* const begin = static_cast<const double*>(from);
        std::copy(begin, begin + n, static_cast<double*>(target) + i);
      };
      detail::ReduceGroups<Kind>(expr::detail::ReadBy<cpu, Kind>(e),
                                 expr::AxisGroupsOf(shape, rows ? 2u : 1u),
                                 {results.data(), put});
      for (std::ptrdiff_t k = 0; k < sides[rows ? 0 : 1]; ++k) {
        double sum = 0;
        for (std::ptrdiff_t i = 0; i < sides[rows ? 1 : 0]; ++i) {
          sum += static_cast<double>(expr::RowOf(plan, rows ? k : i).Eval(rows ? i : k));
        }
        ASSERT_NEAR(results[static_cast<std::size_t>(k)], sum, 1e-9) << k;
      }
    }
  });
}

TEST(FoldSource, OfEveryKindOfPlan) {
  testing::Guarded<2, double> a(Shape2(23, 45), 3), b(Shape2(23, 45));
  a.FillRandom(-1, 1, 5);
  b.FillRandom(-1, 1, 6);
  CheckBoth(*a);                                     // memory
  CheckBoth(*a * *b + 1.0);                          // computed in the loop
  CheckBoth(expr::concat<1>(*a, *b));                // runs
  CheckBoth(expr::pool<red::maximum>(*a, 3, 3, 1));  // computed in blocks
  CheckBoth(a->T());                                 // columns of memory
  CheckBoth(a->T() + b->T());
  CheckBoth(a->T() * 2.0 + expr::broadcast<0>(a->Slice(3, 4)[0], Shape2(45, 23)));
  testing::Guarded<2, half::half_t> h(Shape2(23, 45), 3);
  h.FillRandom(-1, 1, 7);
  CheckBoth(expr::tcast<double>(*h));
}

template <typename E, typename DType, int etype>
TensorContainer<cpu, 2, DType> Evaluated(const expr::Exp<E, DType, etype>& e) {
  TensorContainer<cpu, 2, DType> result(expr::ShapeCheck<2, E>::Check(e.self()));
  result = e.self();
  return result;
}
// What a reduction reads in the order of its memory, and through boxes: views of three axes, beside
// the same in memory.
template <typename E>
void CheckThree(const E& e) {
  const Shape<3> shape = expr::ShapeCheck<3, E>::Check(e);
  TensorContainer<cpu, 3, double> whole(shape);
  whole = e;
  const auto same = [](const auto& got, const auto& expected) {
    ASSERT_EQ(got.shape_, expected.shape_);
    for (index_t i = 0; i < got.size(0); ++i) {
      for (index_t j = 0; j < got.size(1); ++j) ASSERT_NEAR(got[i][j], expected[i][j], 1e-9);
    }
  };
  testing::ForEachIsa([&] {
    const auto both = [&](auto reduce) {
      const auto expected = Evaluated(reduce(whole));
      same(Evaluated(reduce(e)), expected);
    };
    both([](const auto& x) { return expr::sum<0>(x); });
    both([](const auto& x) { return expr::sum<1>(x); });
    both([](const auto& x) { return expr::sum<2>(x); });
    both([](const auto& x) { return expr::var<2>(x); });
    both([](const auto& x) { return expr::argmax<1>(x); });
    both([](const auto& x) { return expr::argmax<2>(x); });
    TensorContainer<cpu, 1, double> rows(Shape1(shape[1])), columns(Shape1(shape[1]));
    rows = expr::sum<0, 2>(e), columns = expr::sum<0, 2>(whole);
    for (index_t i = 0; i < shape[1]; ++i) ASSERT_NEAR(rows[i], columns[i], 1e-9);
    ASSERT_NEAR(double{expr::sum(e)}, double{expr::sum(whole)}, 1e-9);
  });
}
TEST(FoldSource, OfViews) {
  for (const Shape<3>& s :
       {Shape3(3, 5, 7), Shape3(2, 9, 70), Shape3(40, 3, 33), Shape3(6, 1, 5)}) {
    for (index_t padding : {0, 3}) {
      testing::Guarded<3, double> a(s, padding), b(s, padding);
      a.FillRandom(-1, 1, 8);
      b.FillRandom(-1, 1, 9);
      CheckThree(*a * *b);
      CheckThree(exp(*a));  // by a loop that takes no fewer elements than a vector
      CheckThree(exp(expr::swapaxis<2, 1>(*a)));
      CheckThree(expr::swapaxis<2, 0>(*a));
      CheckThree(expr::swapaxis<1, 0>(*a));
      CheckThree(expr::transpose(*a, Shape3(2, 0, 1)) * 3.0);
      CheckThree(expr::swapaxis<2, 1>(*a) - expr::swapaxis<2, 1>(*b));
      CheckThree(expr::swapaxis<2, 1>(*a * *b));
      CheckThree(expr::flip(*a, 2) * *b);
      CheckThree(expr::flip(*a, 0));
      CheckThree(expr::slice<2>(*a, 1, s[2]));
      CheckThree(expr::slice<1>(*a, 0, 1));
    }
  }
}

}  // namespace
}  // namespace mshadow
