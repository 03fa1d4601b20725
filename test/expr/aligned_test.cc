// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/aligned.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "expr/reduced.h"
#include "extension/uses.h"

namespace mshadow {
namespace aligned_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

/// The index of a source that lacks the axes `mask`.
template <int dim, int from_dim>
Index<from_dim> Without(int mask, const Index<dim>& index) {
  Index<from_dim> from{};
  for (int i = 0, k = 0; i < dim; ++i) {
    if ((mask >> i & 1) == 0) from[k++] = index[i];
  }
  return from;
}
template <int from_dim, int dim>
Shape<from_dim> ShapeWithout(int mask, const Shape<dim>& shape) {
  Shape<from_dim> from{};
  for (int i = 0, k = 0; i < dim; ++i) {
    if ((mask >> i & 1) == 0) from[k++] = shape[i];
  }
  return from;
}
constexpr int Count(int mask) { return mask == 0 ? 0 : (mask & 1) + Count(mask >> 1); }

/// x - v * 2, where v lost the axes `lost` of x, into rows of any padding.
template <int lost, int dim>
void CheckLost(const Shape<dim>& shape) {
  SCOPED_TRACE(LogText(shape) + " without the axes " + std::to_string(lost));
  constexpr int kFrom = dim - Count(lost);
  for (index_t pad : {0, 3}) {
    Guarded<dim> x(shape, pad, 1), out(shape, 1);
    Guarded<kFrom> v(ShapeWithout<kFrom>(lost, shape), pad, 1);
    FillWhole(x, 50);
    FillWhole(v, 100, 3);
    const auto expect = [&](const auto& f) {
      return Each(shape, [&](const Index<dim>& i) {
        return f(At(x, i), At(v, Without<dim, kFrom>(lost, i)));
      });
    };
    ForEachIsa([&] {
      *out = *x - Reduced<dim, lost>(*v);
      ExpectValues(out, expect([](double a, double b) { return a - b; }));
      *out = Reduced<dim, lost>(*v) * 2.0f - *x;
      ExpectValues(out, expect([](double a, double b) { return b * 2 - a; }));
    });
  }
}

TEST(Aligned, LostAxes) {
  CheckLost<1>(Shape2(5, 7));
  CheckLost<2>(Shape2(5, 7));
  CheckLost<2>(Shape2(70, 3));
  CheckLost<2>(Shape2(70, 1));
  CheckLost<2>(Shape2(5, 5));
  CheckLost<2>(Shape2(1, 33));
  CheckLost<1>(Shape2(33, 33));
  CheckLost<2>(Shape3(3, 4, 19));
  CheckLost<5>(Shape3(4, 3, 5));
  CheckLost<3>(Shape3(4, 3, 17));
  CheckLost<6>(Shape3(4, 3, 17));
  CheckLost<4>(Shape3(4, 3, 17));
  CheckLost<5>(Shape4(3, 4, 5, 6));
  CheckLost<10>(Shape4(3, 4, 5, 6));
  CheckLost<13>(Shape4(3, 4, 5, 6));
  CheckLost<13>(Shape4(3, 1, 5, 6));
  CheckLost<9>(Shape4(3, 4, 5, 1));
  CheckLost<4>(Shape4(3, 4, 2, 6));
  CheckLost<10>(Shape5(3, 2, 4, 3, 5));
  CheckLost<21>(Shape5(3, 2, 4, 3, 5));
}

TEST(Aligned, NothingToRepeat) {
  CheckLost<1>(Shape2(0, 7));
  CheckLost<2>(Shape2(0, 7));
  CheckLost<2>(Shape2(5, 0));
  CheckLost<5>(Shape3(2, 0, 3));
}

/// x + v, where v has the last axes of x.
template <int from_dim, int dim>
void CheckLast(const Shape<dim>& shape) {
  SCOPED_TRACE(shape);
  constexpr int kNew = (1 << (dim - from_dim)) - 1;
  Guarded<dim> b(shape, 2);
  Guarded<from_dim> v(ShapeWithout<from_dim>(kNew, shape), 1, 1);
  FillWhole(b, 50);
  FillWhole(v, 100, 3);
  ExpectUses(shape,
             Each(shape,
                  [&](const Index<dim>& i) {
                    return At(b, i) - At(v, Without<dim, from_dim>(kNew, i));
                  }),
             [&] { return *b - *v; });
}

TEST(Aligned, LastAxes) {
  CheckLast<1>(Shape2(5, 17));
  CheckLast<1>(Shape2(40, 3));
  CheckLast<1>(Shape2(1, 300));
  CheckLast<2>(Shape3(4, 3, 5));
  CheckLast<1>(Shape3(4, 3, 5));
  CheckLast<2>(Shape4(2, 3, 4, 5));
}

TEST(Aligned, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> x(Shape2(20, 9), 1), out(Shape2(20, 9), 1);
    Guarded<1, DType> row(Shape1(9)), col(Shape1(20));
    FillWhole(x, 20);
    FillWhole(row, 20, 2);
    FillWhole(col, 20, 3);
    ForEachIsa([&] {
      *out = (*x + *row) + Reduced<2, 2>(*col);
      ExpectValues(out, Each(out->shape_, [&](const Index<2>& i) {
                     return At(x, i) + At(row, Index<1>{i[1]}) + At(col, Index<1>{i[0]});
                   }));
    });
  });
}

TEST(Aligned, EveryOperandOfThree) {
  const Shape<3> shape = Shape3(3, 4, 5);
  Guarded<3> x(shape, 1), out(shape);
  Guarded<2> m(Shape2(4, 5), 2);
  Guarded<1> v(Shape1(5)), lost(Shape1(3));
  FillWhole(x, 3);
  FillWhole(m, 3, 2);
  FillWhole(v, 50, 3);
  FillWhole(lost, 50, 4);
  const auto expect = [&](const auto& f) {
    ExpectValues(out, Each(shape, [&](const Index<3>& i) {
                   return f(At(x, i), At(m, Index<2>{i[1], i[2]}), At(v, Index<1>{i[2]}),
                            At(lost, Index<1>{i[0]}));
                 }));
  };
  *out = where(*x, *m, *v);
  expect([](double a, double b, double c, double) { return a != 0 ? b : c; });
  *out = where(*v, *m, *x);
  expect([](double a, double b, double c, double) { return c != 0 ? b : a; });
  *out = where(*m, 7, *x);
  expect([](double a, double b, double, double) { return b != 0 ? 7 : a; });
  *out = where(*m, Reduced<3, 6>(*lost), *x);
  expect([](double a, double b, double, double d) { return b != 0 ? d : a; });
  *out = where(*x, Reduced<3, 6>(*lost), *v);
  expect([](double a, double, double c, double d) { return a != 0 ? d : c; });
  *out = clip(*x, 0, *v);
  expect([](double a, double, double c, double) { return std::min(std::max(a, 0.0), c); });
  *out = F<op::minus>(*v, *x);
  expect([](double a, double, double c, double) { return c - a; });
  *out = MakeExp<op::minus>(*m, *x);
  expect([](double a, double b, double, double) { return b - a; });
}

template <typename DType>
void CheckNarrow() {
  for (index_t cols : {1, 2, 3, 5, 7, 8, 12, 17, 40, 41}) {
    for (index_t pad : {0, 5}) {
      const Shape<3> shape = Shape3(3, 50, cols);
      SCOPED_TRACE(LogText(shape));
      Guarded<3, DType> x(shape, pad, 1), out(shape, pad);
      Guarded<1, DType> col(Shape1(50), 0, 1), row(Shape1(cols));
      Guarded<2, DType> both(Shape2(3, 50), 2, 1);
      FillWhole(x, 20);
      FillWhole(col, 20, 2);
      FillWhole(row, 20, 3);
      FillWhole(both, 20, 4);
      ForEachIsa([&] {
        *out = F<op::exp>(*x - Reduced<3, 5>(*col) - 20) - *row + Reduced<3, 4>(*both);
        ExpectValues(out, Each(shape, [&](const Index<3>& i) {
                       return std::exp(At(x, i) - At(col, Index<1>{i[1]}) - 20) -
                              At(row, Index<1>{i[2]}) + At(both, Index<2>{i[0], i[1]});
                     }), sizeof(DType) == 2 ? 0.05 : 1e-5);
      });
    }
  }
}

TEST(Aligned, NarrowRowsOfExpensiveElements) {
  CheckNarrow<float>();
  CheckNarrow<half::half_t>();
}

TEST(Aligned, LayerNorm) {
  const Shape<2> shape = Shape2(7, 37);
  Guarded<2> x(shape, 3), out(shape);
  Guarded<1> mean(Shape1(7)), var(Shape1(7)), gamma(Shape1(37)), beta(Shape1(37));
  x.FillRandom(-1, 1);
  mean.FillRandom(-1, 1, 2);
  var.FillRandom(0, 1, 3);
  gamma.FillRandom(-1, 1, 4);
  beta.FillRandom(-1, 1, 5);
  ForEachIsa([&] {
    *out = *gamma * (*x - Reduced<2, 2>(*mean)) / F<op::sqrt>(Reduced<2, 2>(*var) + 1e-5f) + *beta;
    ExpectValues(out, Each(shape, [&](const Index<2>& i) {
                   const Index<1> row{i[0]}, col{i[1]};
                   return At(gamma, col) * (At(x, i) - At(mean, row)) /
                              std::sqrt(At(var, row) + 1e-5) + At(beta, col);
                 }), 1e-4);
  });
}

template <typename E>
constexpr bool Lost(const E&, int full, int lost) {
  using Axes = expr::detail::LostAxes<E>;
  return Axes::kFullRank == full && Axes::kLostAxes == lost;
}

TEST(Aligned, MapsRememberLostAxes) {
  Guarded<2> x(Shape2(4, 4));
  Guarded<1> v(Shape1(4)), w(Shape1(4));
  const auto lost = Reduced<2, 2>(*v);
  EXPECT_TRUE(Lost(*v, 1, 0));
  EXPECT_TRUE(Lost(scalar(1.0f), 0, 0));
  EXPECT_TRUE(Lost(lost, 2, 2));
  EXPECT_TRUE(Lost(-lost, 2, 2));
  EXPECT_TRUE(Lost(1.0f - lost, 2, 2));
  EXPECT_TRUE(Lost(lost / 3, 2, 2));
  EXPECT_TRUE(Lost(lost * lost, 2, 2));
  EXPECT_TRUE(Lost(*w * lost, 2, 2));
  EXPECT_TRUE(Lost(lost * *w, 2, 2));
  EXPECT_TRUE(Lost(where(*w, lost, 1), 2, 2));
  EXPECT_TRUE(Lost(where(*w, 1, lost), 2, 2));
  EXPECT_TRUE(Lost(tcast<double>(lost), 2, 2));
  EXPECT_TRUE(Lost(*x + lost, 2, 0));
  EXPECT_TRUE(Lost(*x + *v, 2, 0));
  // What is repeated beside a reduction leaves its memory as it is.
  Guarded<2> y(Shape2(4, 4));
  EXPECT_TRUE(Lost(Reduced<3, 4>(*y) + *v, 3, 4));
}

/// True if e joins a reduction with what is aligned at the last axes.
template <typename E>
constexpr bool Joins(const E&) {
  return expr::detail::LostAxes<E>::kTwoReadings;
}

TEST(Aligned, MapsRememberThatAReductionWasJoined) {
  Guarded<2> x(Shape2(4, 4));
  Guarded<1> v(Shape1(4));
  const auto row = Reduced<2, 2>(*v);
  const auto column = Reduced<2, 1>(*v);
  EXPECT_TRUE(Joins(row + *v));
  EXPECT_TRUE(Joins(2 * (*v - row)));
  EXPECT_TRUE(Joins(where(row, 1, *v) + row));
  EXPECT_TRUE(Joins(Reduced<3, 4>(*x) + *x));
  EXPECT_TRUE(Joins(Reduced<3, 4>(*x) + *v));
  EXPECT_TRUE(Joins(Reduced<3, 4>(*x) + row));
  EXPECT_FALSE(Joins(row + 1));
  EXPECT_FALSE(Joins(row * row));
  EXPECT_FALSE(Joins(*x + row));
  EXPECT_FALSE(Joins(*x + row + *v));
  EXPECT_FALSE(Joins(column + *v));
  EXPECT_FALSE(Joins(Reduced<3, 4>(*x) / Reduced<3, 6>(*v)));
}

TEST(Aligned, ReductionsOfOneExpression) {
  // sum<2>(x) / sum<1, 2>(x), both of x (3, 4, 5).
  Guarded<2> a(Shape2(3, 4)), out(Shape2(3, 4));
  Guarded<1> b(Shape1(3));
  FillWhole(a, 50);
  FillWhole(b, 50, 2);
  *out = Reduced<3, 4>(*a) - Reduced<3, 6>(*b);
  const auto expected = Each(out->shape_, [&](const Index<2>& i) {
    return At(a, i) - At(b, Index<1>{i[0]});
  });
  ExpectValues(out, expected);
  const auto difference = Reduced<3, 4>(*a) - Reduced<3, 6>(*b);
  EXPECT_TRUE(Lost(difference, 3, 4));
  // sum<0>(x) - sum<0, 1>(x), both of x (5, 3, 4).
  Guarded<1> c(Shape1(4));
  FillWhole(c, 50, 3);
  *out = Reduced<3, 1>(*a) - Reduced<3, 3>(*c);
  ExpectValues(out, Each(out->shape_, [&](const Index<2>& i) {
                 return At(a, i) - At(c, Index<1>{i[1]});
               }));
}

TEST(Aligned, FirstAxesLostAreLikeNone) {
  // x (6, 4) beside sum<0, 1>(y), y (2, 3, 4).
  Guarded<2> x(Shape2(6, 4)), out(Shape2(6, 4));
  Guarded<1> v(Shape1(4));
  FillWhole(x, 50);
  FillWhole(v, 50, 2);
  *out = *x - Reduced<3, 3>(*v);
  ExpectValues(out, Each(out->shape_, [&](const Index<2>& i) {
                 return At(x, i) - At(v, Index<1>{i[1]});
               }));
}

TEST(Aligned, OperandsOfOneRankMakeTheNodesTheyMade) {
  using T2 = Tensor<TestDevice, 2>;
  T2 x;
  EXPECT_TRUE((std::is_same_v<decltype(x + x), BinaryMapExp<op::plus, T2, T2, float, 1>>));
  EXPECT_TRUE((std::is_same_v<decltype(x * 2), BinaryMapExp<op::mul, T2, ScalarExp<float>, float,
                                                            type::kMapper>>));
  EXPECT_TRUE((std::is_same_v<decltype(where(x, x, 1)),
                              TernaryMapExp<op::where, T2, T2, ScalarExp<float>, float, 1>>));
}

TEST(Aligned, OperandsOfTheWrittenMemory) {
  const Shape<2> shape = Shape2(6, 6);
  Guarded<2> x(shape, 2);
  const auto start = [&] { FillWhole(x, 50); };
  start();
  const std::vector<double> before = Values(x);
  const auto each = [&](const auto& f) {
    return Each(shape, [&](const Index<2>& i) { return f(i[0], i[1]); });
  };
  const auto was = [&](std::size_t y, std::size_t c) { return before[y * 6 + c]; };
  *x = *x - (*x)[2];
  ExpectValues(x, each([&](std::size_t y, std::size_t c) { return was(y, c) - was(2, c); }));
  start();
  *x -= (*x)[2] * 2.0f - *x;
  ExpectValues(x, each([&](std::size_t y, std::size_t c) {
                 return 2 * was(y, c) - 2 * was(2, c);
               }));
  start();
  *x = *x - Reduced<2, 2>((*x)[2]);
  ExpectValues(x, each([&](std::size_t y, std::size_t c) { return was(y, c) - was(2, y); }));
}

#ifndef MSHADOW_TEST_DEVICE  // one that is simulated has no products and no reductions by name
std::atomic<int> calls{0};
struct TwiceCounted {
  MSHADOW_FORCE_INLINE static float Map(float a) {
    ++calls;
    return a * 2;
  }
};

TEST(Aligned, ElementsAreComputedOnce) {
  Guarded<2> x(Shape2(40, 30)), out(Shape2(40, 30));
  Guarded<1> row(Shape1(30)), col(Shape1(40));
  FillWhole(x, 50);
  FillWhole(row, 50, 2);
  FillWhole(col, 50, 3);
  calls = 0;
  *out = *x - F<TwiceCounted>(*row) + F<TwiceCounted>(Reduced<2, 2>(*col) - 1);
  EXPECT_LT(calls, 70 + 2 * 8);  // the last elements of a row may be computed twice
  ExpectValues(out, Each(x->shape_, [&](const Index<2>& i) {
                 return At(x, i) - 2 * At(row, Index<1>{i[1]}) + 2 * (At(col, Index<1>{i[0]}) - 1);
               }));
}

TEST(Aligned, ReductionsAndProducts) {
  const Shape<2> shape = Shape2(6, 9);
  Guarded<2> x(shape, 1), w(Shape2(9, 9)), out(shape);
  Guarded<1> row(Shape1(9));
  FillWhole(x, 20);
  FillWhole(w, 20, 2);
  FillWhole(row, 20, 3);
  const std::vector<double> before = Values(x);
  std::vector<double> rows(6), columns(9), product(54);
  for (std::size_t i = 0; i < 54; ++i) {
    rows[i / 9] += before[i];
    columns[i % 9] += before[i];
    for (std::size_t k = 0; k < 9; ++k) product[i] += before[i / 9 * 9 + k] * w.At(k * 9 + i % 9);
  }
  const auto expect = [&](const auto& f) {
    return Each(shape, [&](const Index<2>& i) { return f(i[0] * 9 + i[1], i[0], i[1]); });
  };
  ForEachIsa([&] {
    *out = F<op::relu>(dot(*x, *w) + *row);
    ExpectValues(out, expect([&](std::size_t i, std::size_t, std::size_t c) {
                   return std::max(product[i] + row.At(c), 0.0);
                 }));
    *out = dot(*x, *w) - sumall_except_dim<0>(*x) * 2.0f - sum_rows(*x);
    ExpectValues(out, expect([&](std::size_t i, std::size_t y, std::size_t c) {
                   return product[i] - 2 * rows[y] - columns[c];
                 }));
  });
  *x = *x - sumall_except_dim<0>(*x) * 2.0f;
  ExpectValues(x, expect([&](std::size_t i, std::size_t y, std::size_t) {
                 return before[i] - 2 * rows[y];
               }));
}

/// Rows and columns of a matrix, in double.
struct Statistics {
  explicit Statistics(const std::vector<double>& x, std::size_t cols)
      : row_max(x.size() / cols, -1e30), row_sum(row_max.size()), row_var(row_max.size()),
        column_sum(cols) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      row_max[i / cols] = std::max(row_max[i / cols], x[i]);
      row_sum[i / cols] += x[i];
      column_sum[i % cols] += x[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = x[i] - row_sum[i / cols] / static_cast<double>(cols);
      row_var[i / cols] += d * d / static_cast<double>(cols);
    }
  }
  std::vector<double> row_max, row_sum, row_var, column_sum;
};

TEST(Aligned, ReductionsByName) {
  for (const Shape<2>& shape : {Shape2(7, 7), Shape2(5, 37), Shape2(90, 3), Shape2(300, 120)}) {
    SCOPED_TRACE(shape);
    Guarded<2> x(shape, 1, 1), out(shape, 2);
    Guarded<1> gamma(Shape1(shape[1])), beta(Shape1(shape[1]));
    x.FillRandom(-2, 2);
    gamma.FillRandom(-1, 1, 2);
    beta.FillRandom(-1, 1, 3);
    const std::vector<double> values = Values(x);
    const std::size_t cols = shape[1];
    const Statistics of(values, cols);
    const auto expect = [&](const auto& f) {
      ExpectValues(out, Each(shape, [&](const Index<2>& i) {
                     return f(values[i[0] * cols + i[1]], i[0], i[1]);
                   }), 2e-4);
    };
    ForEachIsa([&] {
      *out = *x - max<1>(*x);
      expect([&](double v, std::size_t y, std::size_t) { return v - of.row_max[y]; });
      *out = sum<0>(*x) + *x;
      expect([&](double v, std::size_t, std::size_t c) { return v + of.column_sum[c]; });
      *out = *gamma * (*x - mean<1>(*x)) / F<op::sqrt>(var<1>(*x) + 1e-5f) + *beta;
      expect([&](double v, std::size_t y, std::size_t c) {
        const double mean = of.row_sum[y] / static_cast<double>(cols);
        return gamma.At(c) * (v - mean) / std::sqrt(of.row_var[y] + 1e-5) + beta.At(c);
      });
    });
    *out = *x * 1.0f;
    *out = *out - sum<1>(*out) * 0.5f;
    expect([&](double v, std::size_t y, std::size_t) { return v - 0.5 * of.row_sum[y]; });
  }
}

TEST(Aligned, SoftmaxAndBatchNorm) {
  Guarded<2> x(Shape2(6, 9), 1), out(Shape2(6, 9));
  x.FillRandom(-3, 3);
  *out = F<op::exp>(*x - max<1>(*x)) / sum<1>(F<op::exp>(*x - max<1>(*x)));
  ExpectValues(out, Each(x->shape_, [&](const Index<2>& i) {
                 double sum = 0;
                 for (std::size_t c = 0; c < 9; ++c) sum += std::exp(At(x, Index<2>{i[0], c}));
                 return std::exp(At(x, i)) / sum;
               }), 1e-5);
  const Shape<4> shape = Shape4(3, 4, 5, 2);
  Guarded<4> image(shape, 1), normal(shape);
  image.FillRandom(-3, 3);
  *normal = (*image - mean<0, 2, 3>(*image)) / F<op::sqrt>(var<0, 2, 3>(*image));
  ExpectValues(normal, Each(shape, [&](const Index<4>& i) {
                 double sum = 0, squares = 0;
                 for (std::size_t k = 0; k < 30; ++k) {
                   const double v = At(image, Index<4>{k / 10, i[1], k / 2 % 5, k % 2});
                   sum += v;
                   squares += v * v;
                 }
                 return (At(image, i) - sum / 30) / std::sqrt(squares / 30 - sum * sum / 900);
               }), 1e-4);
}
#endif

TEST(Aligned, InOtherStatements) {
  Guarded<2> x(Shape2(5, 6)), a(Shape2(5, 6)), b(Shape2(5, 6));
  Guarded<1> row(Shape1(6)), col(Shape1(5)), sum(Shape1(6));
  FillWhole(x, 50);
  FillWhole(row, 50, 2);
  FillWhole(col, 50, 3);
  const auto minus_row = Each(x->shape_, [&](const Index<2>& i) {
    return At(x, i) - At(row, Index<1>{i[1]});
  });
  Fuse(lazy(*a) = *x - *row, lazy(*b) = *x - Reduced<2, 2>(*col));
  ExpectValues(a, minus_row);
  ExpectValues(b, Each(x->shape_, [&](const Index<2>& i) {
                 return At(x, i) - At(col, Index<1>{i[0]});
               }));
  // The second statement reads a row of what the first one writes: they run in turn.
  Fuse(lazy(*a) = *x * 2.0f, lazy(*b) = *x - (*a)[1]);
  ExpectValues(b, Each(x->shape_, [&](const Index<2>& i) {
                 return At(x, i) - 2 * At(x, Index<2>{1, i[1]});
               }));
  *sum = sumall_except_dim<1>(*x - *row);
  std::vector<double> sums(6);
  for (std::size_t i = 0; i < minus_row.size(); ++i) sums[i % 6] += minus_row[i];
  ExpectValues(sum, sums);
  *a = transpose(transpose(*x - *row, Shape2(1, 0)), Shape2(1, 0));
  ExpectValues(a, minus_row);
  *a = *x - range(0.0f, 6.0f);
  ExpectValues(a, Each(x->shape_, [&](const Index<2>& i) {
                 return At(x, i) - static_cast<double>(i[1]);
               }));
}

TEST(Aligned, CompoundAssignments) {
  const Shape<2> shape = Shape2(5, 6);
  Guarded<2> x(shape, 1), out(shape, 1);
  Guarded<1> row(Shape1(6)), col(Shape1(5));
  x.FillRandom(-3, 3);
  row.FillRandom(1, 3, 2);
  col.FillRandom(1, 3, 3);
  const auto expect = [&](const auto& f) {
    ExpectValues(out, Each(shape, [&](const Index<2>& i) {
      return f(At(x, i), At(row, Index<1>{i[1]}), At(col, Index<1>{i[0]}));
    }), 1e-5);
  };
  *out = *x * 1.0f;
  *out += *row;
  expect([](double a, double r, double) { return a + r; });
  *out -= Reduced<2, 2>(*col) * 2.0f;
  expect([](double a, double r, double c) { return a + r - 2 * c; });
  *out *= *row + 1.0f;
  expect([](double a, double r, double c) { return (a + r - 2 * c) * (r + 1); });
  *out /= Reduced<2, 2>(*col);
  expect([](double a, double r, double c) { return (a + r - 2 * c) * (r + 1) / c; });
  *out = *x * 1.0f;
  Fuse(lazy(*out) -= *row);
  expect([](double a, double r, double) { return a - r; });

  // What is written is read by the operand: a row of it, and its own means.
  *out = *x * 1.0f;
  *out -= (*out)[1];
  ExpectValues(out, Each(shape, [&](const Index<2>& i) {
    return At(x, i) - At(x, Index<2>{1, i[1]});
  }), 1e-5);
  *out = *x * 1.0f;
  *out -= mean<1>(*out);
  ExpectValues(out, Each(shape, [&](const Index<2>& i) {
    double sum = 0;
    for (std::size_t j = 0; j < 6; ++j) sum += At(x, Index<2>{i[0], j});
    return At(x, i) - sum / 6;
  }), 1e-5);
  EXPECT_EQ(ErrorOf([&] { *out += *col; }),
            "mshadow: an operand of shape (5,) does not fit one of shape (5,6): repeated along axis "
            "0 it would need the shape (6,)");
  EXPECT_TRUE(out.Intact());
}

// Rows so short that several are computed together, which the last channel cuts.
TEST(Aligned, ChannelsOfSmallImages) {
  const Shape<4> shape = Shape4(2, 3, 2, 2);
  Guarded<4> x(shape), out(shape);
  Guarded<1> a(Shape1(3)), b(Shape1(3));
  x.FillRandom(-3, 3);
  a.FillRandom(-3, 3, 2);
  b.FillRandom(1, 3, 3);
  ForEachIsa([&] {
    *out = broadcast<1>(*a, shape) / sqrt(Reduced<4, 13>(*b) + 1.0f) *
           (*x - Reduced<4, 13>(*a) - *x * Reduced<4, 13>(*b));
    ExpectValues(out, Each(shape, [&](const Index<4>& i) {
      const double u = At(a, Index<1>{i[1]}), v = At(b, Index<1>{i[1]});
      return u / std::sqrt(v + 1) * (At(x, i) - u - At(x, i) * v);
    }), 1e-3);
  });
}

// An operand that is a view of what is written, of more rows than one box holds.
TEST(Aligned, ViewsOfTheDestination) {
  constexpr std::size_t kRows = 40, kCols = 3000;
  Guarded<2> d(Shape2(kRows, kCols));
  const auto check = [&](std::size_t first, std::ptrdiff_t step, double sign, const auto& run) {
    FillWhole(d);
    std::vector<double> want = Values(d);
    const std::vector<double> row(want.begin() + std::ptrdiff_t{2 * kCols},
                                  want.begin() + std::ptrdiff_t{3 * kCols});
    for (std::size_t i = 0; i < want.size(); ++i) {
      const std::ptrdiff_t x = static_cast<std::ptrdiff_t>(first) +
                               step * static_cast<std::ptrdiff_t>(i % kCols);
      want[i] += sign * row[static_cast<std::size_t>(x)];
    }
    run();
    ExpectValues(d, want);
  };
  check(0, 1, -1, [&] { *d = *d - slice((*d)[2], Shape1(0), Shape1(kCols)); });
  check(kCols - 1, -1, 1, [&] { *d += flip((*d)[2], 0); });
}

TEST(Aligned, ErrorsSayWhatWouldFit) {
  Guarded<2> x(Shape2(3, 4)), out(Shape2(3, 4));
  Guarded<1> v(Shape1(3)), one(Shape1(1));
  EXPECT_EQ(ErrorOf([&] { *out = *x + *v; }),
            "mshadow: an operand of shape (3,) does not fit one of shape (3,4): repeated along "
            "axis 0 it would need the shape (4,)");
  EXPECT_EQ(ErrorOf([&] { *out = Reduced<2, 2>(*one) - *x; }),
            "mshadow: an operand of shape (1,) does not fit one of shape (3,4): repeated along "
            "axis 1 it would need the shape (3,); broadcast_to and broadcast_keepdim "
            "repeat axes of extent 1");
  Guarded<1> col(Shape1(4));
  EXPECT_EQ(ErrorOf([&] { *out = Reduced<2, 2>(*col) - *x; }),
            "mshadow: an operand of shape (4,) does not fit one of shape (3,4): repeated along axis "
            "1 it would need the shape (3,); eval(operand) is aligned at the last axes, and fits");
  Guarded<4> big(Shape4(2, 3, 4, 5));
  Guarded<2> two(Shape2(4, 1));
  EXPECT_EQ(ErrorOf([&] { *big = *big * *two; }),
            "mshadow: an operand of shape (4,1) does not fit one of shape (2,3,4,5): repeated "
            "along axis 0, 1 it would need the shape (4,5); broadcast_to and broadcast_keepdim "
            "repeat axes of extent 1");
  Guarded<2> row(Shape2(1, 4));
  EXPECT_EQ(ErrorOf([&] { *out = *x + *row; }),
            "BinaryMapExp: Shapes of operands are not the same, Shape1=(3,4), Shape2=(1,4); "
            "broadcast_to and broadcast_keepdim repeat axes of extent 1");
  EXPECT_EQ(ErrorOf([&] { *out = (*x + broadcast_to(*one, Shape1(4))); }), "no error");
  EXPECT_TRUE(out.Intact());
}

}  // namespace
}  // namespace aligned_test
}  // namespace mshadow
