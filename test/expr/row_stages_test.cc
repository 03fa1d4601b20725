// SPDX-License-Identifier: Apache-2.0
// Reductions over last axes inside statements that are large enough to run by stages.
#include <mshadow/expr/row_stages.h>

#include <mshadow/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

using Values1 = std::vector<double>;

struct Row {
  double max, mean, var, sum_exp;
};
std::vector<Row> RowsOf(const Values1& x, std::size_t n) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < x.size(); i += n) {
    Row row = {x[i], 0, 0, 0};
    for (std::size_t j = 0; j < n; ++j) {
      row.max = std::max(row.max, x[i + j]);
      row.mean += x[i + j] / static_cast<double>(n);
    }
    for (std::size_t j = 0; j < n; ++j) {
      row.var += (x[i + j] - row.mean) * (x[i + j] - row.mean) / static_cast<double>(n);
      row.sum_exp += std::exp(x[i + j] - row.max);
    }
    rows.push_back(row);
  }
  return rows;
}

template <typename G>
void ExpectNear(G& guarded, const Values1& expected, double error) {
  const Values1 values = Values(guarded);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], error * (1 + std::abs(expected[i]))) << i;
  }
}

// Statements of few elements, which are no stages, and of many; rows padded or not.
TEST(RowStages, SoftmaxAndLayerNorm) {
  ForEachIsa([] {
    for (index_t m : {1, 3, 700}) {
      for (index_t n : {1, 17, 400}) {
        for (index_t pad : {0, 3}) {
          Guarded<2> x(Shape2(m, n), pad, 1), y(Shape2(m, n), 3 - pad, 1);
          Guarded<1> gamma(Shape1(n), 0, 1), beta(Shape1(n), 0, 1);
          FillWhole(x, 11, 5);
          FillWhole(gamma, 7, 3);
          FillWhole(beta, 5, 1);
          const Values1 v = Values(x), g = Values(gamma), b = Values(beta);
          const std::vector<Row> rows = RowsOf(v, n);
          Values1 softmax, norm;
          for (std::size_t i = 0; i < v.size(); ++i) {
            const Row& row = rows[i / n];
            softmax.push_back(std::exp(v[i] - row.max) / row.sum_exp);
            norm.push_back(g[i % n] * (v[i] - row.mean) / std::sqrt(row.var + 1e-3) + b[i % n]);
          }
          const auto e = F<op::exp>(*x - mshadow::max<1>(*x));
          *y = e / mshadow::sum<1>(e);
          ExpectNear(y, softmax, 1e-6);
          *y += e / mshadow::sum<1>(e);
          for (double& s : softmax) s *= 2;
          ExpectNear(y, softmax, 1e-6);
          *y = *gamma * (*x - mshadow::mean<1>(*x)) /
                   sqrt(mshadow::var<-1>(*x) + 1e-3f) +
               *beta;
          ExpectNear(y, norm, 1e-5);
          // In place: a row is read as a whole before it is written.
          *x = *gamma * (*x - mshadow::mean<1>(*x)) /
                   sqrt(mshadow::var<1>(*x) + 1e-3f) +
               *beta;
          ExpectNear(x, norm, 1e-5);
        }
      }
    }
  });
}

// Rows that are read elsewhere than where they are written cannot be stages.
TEST(RowStages, RowsOfTheTarget) {
  const index_t m = 400, n = 200;
  Guarded<2> x(Shape2(m, n), 1, 1), y(Shape2(m, n), 1, 1);
  FillWhole(x, 13, 6);
  FillWhole(y, 7, 2);
  const Values1 v = Values(x);
  const std::vector<Row> rows = RowsOf(v, n);
  Values1 expected;
  for (std::size_t i = 0; i < v.size(); ++i) {
    expected.push_back(v[i] - rows[m - 1 - i / n].max);
  }
  *x = *x - mshadow::max<1>(flip(*x, 0));
  ExpectValues(x, expected);
  // The sums of a target of one axis less, which is part of the operand.
  Guarded<2> z(Shape2(m, n), 0, 1);
  FillWhole(z, 5, 2);
  const Values1 w = Values(z);
  const std::vector<Row> sums = RowsOf(w, n);
  for (std::size_t i = 0; i < w.size(); ++i) expected[i] = w[i] * std::round(sums[i / n].mean * n);
  *z = *z * mshadow::sum<1>(*z);
  ExpectValues(z, expected);
}

// A stage and its operand have one address. The operand is another reduction, of elements that the
// statement overwrites: all of it is computed first.
TEST(RowStages, OperandAtTheAddressOfAStage) {
  const index_t m = 20000, c = 8;
  Guarded<3> x(Shape3(m, 1, c), 0, 1);
  FillWhole(x, 11, 5);
  const Values1 v = Values(x);
  Values1 expected;
  for (std::size_t i = 0; i < m; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < c; ++k) sum += v[i * c + k];
    expected.push_back(v[v.size() - m + i] - sum);
  }
  const Tensor<cpu, 2> last((*x).dptr_ + (v.size() - m), Shape2(m, 1));
  const Tensor<cpu, 3> all((*x).dptr_, Shape3(m, 1, c));
  Tensor<cpu, 2> y = last;
  y = y - mshadow::max<1>(mshadow::sum<2>(all));
  for (std::size_t i = 0; i < m; ++i) ASSERT_EQ(last[static_cast<index_t>(i)][0], expected[i]) << i;
}

TEST(RowStages, SeveralAxesAndOtherReductions) {
  const index_t a = 60, b = 9, c = 70;
  Guarded<3> x(Shape3(a, b, c), 2, 1), y(Shape3(a, b, c), 0, 1);
  FillWhole(x, 11, 4);
  const Values1 v = Values(x);
  const std::vector<Row> images = RowsOf(v, b * c), rows = RowsOf(v, c);
  Values1 first(b * c, 0.0), expected;
  for (std::size_t i = 0; i < v.size(); ++i) first[i % (b * c)] += v[i];
  for (std::size_t i = 0; i < v.size(); ++i) {
    expected.push_back((v[i] - images[i / (b * c)].max) * rows[i / c].max +
                       first[i % (b * c)]);
  }
  *y = (*x - mshadow::max<1, 2>(*x)) * mshadow::max<2>(*x) + mshadow::sum<0>(*x);
  ExpectValues(y, expected);
  *y = 0.0f;
  *y -= (*x - mshadow::max<1, 2>(*x)) * mshadow::max<2>(*x) + mshadow::sum<0>(*x);
  for (double& e : expected) e = -e;
  ExpectValues(y, expected);
}

// One pass gives both, over rows that are one block, that are longer, and of several lines.
TEST(RowStages, MeanAndVariance) {
  ForEachIsa([] {
    for (index_t n : {1, 5, 17, 300, 20000}) {
      const index_t m = 40000 / n + 3;
      Guarded<2> x(Shape2(m, n), 3, 1), y(Shape2(m, n), 0, 1);
      FillWhole(x, 11, 5);
      const Values1 v = Values(x);
      const std::vector<Row> rows = RowsOf(v, n);
      Values1 expected;
      for (std::size_t i = 0; i < v.size(); ++i) {
        const Row& row = rows[i / n];
        expected.push_back((v[i] - row.mean) * row.var + row.mean + std::sqrt(row.var));
      }
      *y = (*x - mshadow::mean<1>(*x)) * mshadow::var<1>(*x) + mshadow::mean<1>(*x) +
           mshadow::stddev<1>(*x);
      ExpectNear(y, expected, 1e-4);
      *y = mshadow::stddev<1>(*x) + (*x - mshadow::mean<1>(*x)) * mshadow::var<1>(*x) +
           mshadow::mean<1>(*x);
      ExpectNear(y, expected, 1e-4);
      // Those of different operands stay apart.
      *y = *x - mshadow::mean<1>(*x * 2.0f) + mshadow::var<1>(*x);
      for (std::size_t i = 0; i < v.size(); ++i) {
        expected[i] = v[i] - 2 * rows[i / n].mean + rows[i / n].var;
      }
      ExpectNear(y, expected, 1e-4);
    }
  });
  Guarded<3> x(Shape3(90, 7, 70), 2, 1), y(Shape3(90, 7, 70), 0, 1);
  FillWhole(x, 11, 4);
  const Values1 v = Values(x);
  const std::vector<Row> images = RowsOf(v, 7 * 70);
  Values1 expected;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Row& row = images[i / (7 * 70)];
    expected.push_back((v[i] - row.mean) * row.var);
  }
  *y = (*x - mshadow::mean<1, 2>(*x)) * mshadow::var<1, 2>(*x);
  ExpectNear(y, expected, 1e-4);
}

struct CountedIdentity {
  static int calls;
  template <typename DType>
  MSHADOW_FORCE_INLINE static DType Map(DType a) {
    ++calls;
    return a;
  }
};
int CountedIdentity::calls = 0;

TEST(RowStages, MeanAndVarianceInEitherOrder) {
  const index_t m = 100, n = 200;
  Guarded<2> x(Shape2(m, n), 0, 1), y(Shape2(m, n), 0, 1);
  FillWhole(x, 11, 5);
  const auto counted = F<CountedIdentity>(*x);
  CountedIdentity::calls = 0;
  *y = *x * mshadow::var<1>(counted);
  const int once = CountedIdentity::calls;
  CountedIdentity::calls = 0;
  *y = *x * mshadow::mean<1>(counted) + mshadow::var<1>(counted);
  EXPECT_EQ(CountedIdentity::calls, once);
  const Values1 expected = Values(y);
  CountedIdentity::calls = 0;
  *y = mshadow::var<1>(counted) + *x * mshadow::mean<1>(counted);
  EXPECT_EQ(CountedIdentity::calls, once);
  ExpectValues(y, expected);
}

// Parts that are pieces of several images: a channel. Rows are padded or not.
TEST(RowStages, Channels) {
  const Shape<4> shape = Shape4(2, 17, 61, 2039);
  for (index_t pad : {0, 9}) {
    Guarded<4> x(shape, pad, 1), y(shape, 9 - pad, 1);
    Guarded<1> gamma(Shape1(shape[1]), 0, 1);
    FillWhole(x, 11, 5);
    FillWhole(gamma, 7, 3);
    const Values1 v = Values(x), g = Values(gamma);
    const std::size_t channels = shape[1], size = shape[2] * shape[3];
    const auto channel = [&](std::size_t i) { return i / size % channels; };
    const double n = static_cast<double>(v.size() / channels);
    Values1 mean(channels, 0.0), var(channels, 0.0), sums(channels, 0.0), norm, softmax;
    for (std::size_t i = 0; i < v.size(); ++i) mean[channel(i)] += v[i] / n;
    for (std::size_t i = 0; i < v.size(); ++i) {
      var[channel(i)] += (v[i] - mean[channel(i)]) * (v[i] - mean[channel(i)]) / n;
      sums[channel(i)] += std::exp(v[i]) / n;
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      const std::size_t c = channel(i);
      norm.push_back(g[c] * (v[i] - mean[c]) / std::sqrt(var[c] + 1e-3));
      softmax.push_back(std::exp(v[i]) / sums[c]);
    }
    const auto e = exp(*x);
    *y = e / mshadow::mean<0, 2, 3>(e);
    ExpectNear(y, softmax, 1e-5);
    const auto formula = broadcast<1>(*gamma, shape) * (*x - mshadow::mean<0, 2, 3>(*x)) /
                         sqrt(mshadow::var<0, 2, 3>(*x) + 1e-3f);
    expr::detail::StatementMemory<cpu> memory(nullptr);
    ASSERT_TRUE(expr::detail::AddRowStages<float>(*x, formula, &memory));
    EXPECT_TRUE(memory.parts() == (expr::detail::RowParts{17, 2}));
    memory.ForgetStages();
    *x = formula;
    ExpectNear(x, norm, 1e-5);
  }
}

// The shared operand is a stage of other parts than what is computed from it.
TEST(RowStages, PartsOfTheSharedOperandAndOfTheRest) {
  const index_t a = 40, b = 9, c = 70;
  Guarded<3> x(Shape3(a, b, c), 0, 1), y(Shape3(a, b, c), 0, 1);
  FillWhole(x, 11, 5);
  const Values1 v = Values(x);
  const std::vector<Row> images = RowsOf(v, b * c), rows = RowsOf(v, c);
  const auto e = exp(*x - mshadow::max<1, 2>(*x));
  *y = e / mshadow::sum<2>(e);
  Values1 expected;
  for (std::size_t i = 0; i < v.size(); ++i) {
    expected.push_back(std::exp(v[i] - rows[i / c].max) / rows[i / c].sum_exp);
  }
  ExpectNear(y, expected, 1e-5);
}

// What a statement finds: two reductions of one row and the map over one of them.
TEST(RowStages, AreFound) {
  Guarded<2> x(Shape2(300, 100), 0, 1), y(Shape2(300, 100), 0, 1);
  FillWhole(x, 5, 1);
  const auto layer_norm =
      (*x - mshadow::mean<1>(*x)) / sqrt(mshadow::var<1>(*x) + 1e-3f);
  static_assert(expr::detail::HasRowStages<std::decay_t<decltype(layer_norm)>>::value);
  static_assert(!expr::detail::HasRowStages<decltype(*x + mshadow::sum<0>(*x))>::value);
  using expr::detail::KeepsNeighbours;
  static_assert(KeepsNeighbours(4, 0b1101) && KeepsNeighbours(4, 0b1001) &&
                KeepsNeighbours(2, 0b10) && KeepsNeighbours(3, 0b110));
  static_assert(!KeepsNeighbours(4, 0b1010) && !KeepsNeighbours(4, 0b0011) &&
                !KeepsNeighbours(3, 0b111));
  expr::detail::StatementMemory<cpu> memory(nullptr);
  expr::detail::AddRowStages<float>(*y, layer_norm, &memory);
  const auto plan = MakePlan(layer_norm);
  static_cast<void>(plan);
  EXPECT_TRUE(memory.HasStages());
  EXPECT_EQ(memory.parts().count, 300);
  memory.FinishStages();
  EXPECT_FALSE(memory.HasStages());
}

}  // namespace
}  // namespace mshadow
