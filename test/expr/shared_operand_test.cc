// SPDX-License-Identifier: Apache-2.0
// Operands that a statement reduces and reads beside that.
#include <mshadow/expr/shared_operand.h>

#include <mshadow/tensor.h>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

using Values1 = std::vector<double>;

template <typename E>
using Shared = expr::detail::SharedOperandOf<E, Tensor<cpu, 2>, float>;

TEST(SharedOperand, Types) {
  Guarded<2> x(Shape2(2, 3), 0, 1);
  const auto e = F<op::exp>(*x - mshadow::max<1>(*x));
  const auto scaled = e * 2.0f;
  using E = std::decay_t<decltype(e)>;
  const auto softmax = e / mshadow::sum<1>(e);
  const auto larger = scaled / sqrt(mshadow::sum<1>(scaled)) + *x;
  const auto part = e / mshadow::sum<1>(e * *x);
  const auto cheap = *x / mshadow::sum<1>(*x);
  const auto columns = e / mshadow::sum<0>(e);
  const auto beside = *x - mshadow::sum<1>(e);
  EXPECT_TRUE((std::is_same_v<Shared<std::decay_t<decltype(softmax)>>, E>));
  EXPECT_TRUE((std::is_same_v<Shared<std::decay_t<decltype(part)>>, E>));
  EXPECT_TRUE((std::is_same_v<Shared<std::decay_t<decltype(larger)>>,
                              std::decay_t<decltype(scaled)>>));
  EXPECT_TRUE(std::is_void_v<Shared<std::decay_t<decltype(cheap)>>>);
  EXPECT_TRUE(std::is_void_v<Shared<std::decay_t<decltype(columns)>>>);
  EXPECT_TRUE(std::is_void_v<Shared<std::decay_t<decltype(beside)>>>);
}

Values1 Exps(const Values1& x) {
  Values1 exps;
  for (double v : x) exps.push_back(std::exp(v));
  return exps;
}
Values1 SumsOf(const Values1& x, std::size_t n) {
  Values1 sums(x.size() / n, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i / n] += x[i];
  return sums;
}
template <typename G>
void ExpectNear(G& guarded, const Values1& expected) {
  const Values1 values = Values(guarded);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], 2e-6 * (1 + std::abs(expected[i]))) << i;
  }
}

// What is computed into the target may be read elsewhere, or be another expression of one type.
TEST(SharedOperand, ReadsOfTheTarget) {
  for (index_t m : {3, 400}) {
    for (index_t n : {1, 17, 200}) {
      Guarded<2> x(Shape2(m, n), 1, 1), y(Shape2(m, n), 0, 1);
      const auto fill = [&] {
        FillWhole(x, 11, 5);
        FillWhole(y, 7, 3);
      };
      fill();
      const Values1 v = Values(x), w = Values(y), ev = Exps(v), ew = Exps(w);
      const Values1 sum_ev = SumsOf(ev, n), sum_ew = SumsOf(ew, n), sum_v = SumsOf(v, n);
      Values1 expected(v.size());
      const auto expect = [&](auto& target, const auto& formula) {
        for (std::size_t i = 0; i < v.size(); ++i) expected[i] = formula(i, i / n);
        ExpectNear(target, expected);
        fill();
      };
      // In place.
      *x = F<op::exp>(*x) / mshadow::sum<1>(F<op::exp>(*x));
      expect(x, [&](std::size_t i, std::size_t r) { return ev[i] / sum_ev[r]; });
      // The target is an operand beside the shared one, or is reduced.
      *x = *x * F<op::exp>(*x) / mshadow::sum<1>(F<op::exp>(*x));
      expect(x, [&](std::size_t i, std::size_t r) { return v[i] * ev[i] / sum_ev[r]; });
      *x = F<op::exp>(*x) / mshadow::sum<1>(F<op::exp>(*x)) + mshadow::sum<1>(*x);
      expect(x, [&](std::size_t i, std::size_t r) { return ev[i] / sum_ev[r] + sum_v[r]; });
      // One reduction before the target is written and the same afterwards.
      *x = F<op::exp>(*x - mshadow::sum<1>(*x) * 0.01f) +
           mshadow::sum<1>(F<op::exp>(*x - mshadow::sum<1>(*x) * 0.01f)) * 0.01f;
      Values1 e(v.size());
      for (std::size_t i = 0; i < v.size(); ++i) e[i] = std::exp(v[i] - sum_v[i / n] * 0.01);
      const Values1 sum_e = SumsOf(e, n);
      expect(x, [&](std::size_t i, std::size_t r) { return e[i] + sum_e[r] * 0.01; });
      // Two of one type.
      *x = F<op::exp>(*x) / mshadow::sum<1>(F<op::exp>(*y));
      expect(x, [&](std::size_t i, std::size_t r) { return ev[i] / sum_ew[r]; });
      *y = F<op::exp>(*x) / mshadow::sum<1>(F<op::exp>(*y));
      expect(y, [&](std::size_t i, std::size_t r) { return ev[i] / sum_ew[r]; });
      // The shared operand reads the target at another index.
      *x = F<op::exp>(flip(*x, 1)) / mshadow::sum<1>(F<op::exp>(flip(*x, 1)));
      expect(x, [&](std::size_t i, std::size_t r) {
        return ev[r * n + n - 1 - (i - r * n)] / sum_ev[r];
      });
      *x = F<op::exp>(flip(*x, 0)) / mshadow::sum<1>(F<op::exp>(flip(*x, 0)));
      expect(x, [&](std::size_t i, std::size_t r) {
        return ev[(m - 1 - r) * n + i - r * n] / sum_ev[m - 1 - r];
      });
      // Added to the target.
      *x += F<op::exp>(*x) / mshadow::sum<1>(F<op::exp>(*x));
      expect(x, [&](std::size_t i, std::size_t r) { return v[i] + ev[i] / sum_ev[r]; });
    }
  }
}

// Reductions of different axes, of which only some are stages.
TEST(SharedOperand, SeveralAxes) {
  const index_t a = 40, b = 9, c = 70;
  Guarded<3> x(Shape3(a, b, c), 0, 1), y(Shape3(a, b, c), 2, 1);
  FillWhole(x, 11, 4);
  const Values1 v = Values(x), e = Exps(v), rows = SumsOf(e, c), images = SumsOf(e, b * c);
  Values1 expected;
  for (std::size_t i = 0; i < v.size(); ++i) {
    expected.push_back(e[i] / rows[i / c] + e[i] / images[i / (b * c)]);
  }
  const auto exps = F<op::exp>(*x);
  *y = exps / mshadow::sum<2>(exps) + exps / mshadow::sum<1, 2>(exps);
  ExpectNear(y, expected);
}

struct CountedExp {
  static int calls;
  template <typename DType>
  MSHADOW_FORCE_INLINE static DType Map(DType a) {
    ++calls;
    return std::exp(a);
  }
};
int CountedExp::calls = 0;

TEST(SharedOperand, IsComputedOnce) {
  for (index_t m : {10, 100}) {
    const index_t n = 200;
    Guarded<2> x(Shape2(m, n), 0, 1), y(Shape2(m, n), 0, 1);
    FillWhole(x, 11, 5);
    const auto e = F<CountedExp>(*x);
    CountedExp::calls = 0;
    *y = tanh(e) / mshadow::sum<1>(tanh(e));
    EXPECT_EQ(CountedExp::calls, static_cast<int>(m * n));
  }
}

}  // namespace
}  // namespace mshadow
