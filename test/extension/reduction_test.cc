// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/reduction.h>

#include <algorithm>
#include <any>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "../error_of.h"
#include "uses.h"

// Names of a user's own, and of the standard library.
namespace user {
struct sum {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a + DType(1);
  }
};
float Use(mshadow::Tensor<mshadow::cpu, 2> x) {
  using namespace mshadow::expr;
  x = F<sum>(x);
  const float mean = mshadow::mean(x), norm = 2;
  return mean * norm;
}
}  // namespace user


// Beside everything of the standard library.
namespace everything {
using namespace std;
using namespace mshadow;
using namespace mshadow::expr;
float Use(Tensor<cpu, 2> x, Tensor<cpu, 1> v) {
  const std::any number = 2.0f;
  v = max<0>(x) + min<0>(x) + sum<0>(x);
  v += tcast<float>(argmax<0>(x)) + mshadow::any<0>(x);
  const float most = max(std::any_cast<float>(number), 1.0f), least = min(2.0f, 3.0f);
  return most + least + max({1.0f, 5.0f}) + max(v) + norm(complex<float>(3, 4)) + norm(v - v);
}
}  // namespace everything

namespace mshadow {
namespace reduction_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;

// Reductions of the elements of one result, in double.
double SumOf(const Values& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}
double ProdOf(const Values& v) {
  double product = 1;
  for (double x : v) product *= x;
  return product;
}
double MeanOf(const Values& v) { return SumOf(v) / static_cast<double>(v.size()); }
double VarOf(const Values& v) {
  const double mean = MeanOf(v);
  double squares = 0;
  for (double x : v) squares += (x - mean) * (x - mean);
  return squares / static_cast<double>(v.size());
}
double StddevOf(const Values& v) { return std::sqrt(VarOf(v)); }
double NormOf(const Values& v) {
  double squares = 0;
  for (double x : v) squares += x * x;
  return std::sqrt(squares);
}
double ArgOf(const Values& v, double sign) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const bool is_better = sign * v[i] > sign * v[best] || v[i] != v[i];
    if (is_better && v[best] == v[best]) best = i;
  }
  return static_cast<double>(best);
}
double ArgmaxOf(const Values& v) { return ArgOf(v, 1); }
double ArgminOf(const Values& v) { return ArgOf(v, -1); }
double MaxOf(const Values& v) { return v[static_cast<std::size_t>(ArgOf(v, 1))]; }
double MinOf(const Values& v) { return v[static_cast<std::size_t>(ArgOf(v, -1))]; }
double AnyOf(const Values& v) {
  return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
}
double AllOf(const Values& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return x != 0; });
}
double LogsumexpOf(const Values& v) {
  const double most = MaxOf(v);
  if (most - most != 0) return most;
  double sum = 0;
  for (double x : v) sum += std::exp(x - most);
  return most + std::log(sum);
}

// Each reduction, with and without axes, beside its reference.
#define REDUCTION(Name, name)                           \
  struct Name {                                         \
    template <int... axes, typename E>                  \
    static auto Of(const E& e) {                        \
      return name<axes...>(e);                          \
    }                                                   \
    static double In(const Values& v) { return Name##Of(v); } \
    static constexpr const char* kName = #name;         \
  }
REDUCTION(Sum, sum);
REDUCTION(Prod, prod);
REDUCTION(Mean, mean);
REDUCTION(Var, var);
REDUCTION(Stddev, stddev);
REDUCTION(Norm, norm);
REDUCTION(Max, max);
REDUCTION(Min, min);
REDUCTION(Any, any);
REDUCTION(All, all);
REDUCTION(Logsumexp, logsumexp);
REDUCTION(Argmax, argmax);
REDUCTION(Argmin, argmin);
#undef REDUCTION

template <typename E, typename DType, int etype>
DType ElementOf(const Exp<E, DType, etype>&);

template <typename DType>
double AsDouble(DType value) {
  if constexpr (float16::kIsFloat16<DType>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}
// How far a result may be off, as a part of its size and of 1. (References are plain loops in
// double, which are no better than results in double.)
template <typename DType>
double Tolerance() {
  if constexpr (std::is_same_v<DType, double>) return 1e-12;
  if constexpr (std::numeric_limits<DType>::is_integer) return 0;
  return 8 * AsDouble(std::numeric_limits<DType>::epsilon());
}
template <typename DType>
void ExpectNear(DType result, double expected, const std::string& where, double factor = 1) {
  const double value = AsDouble(result);
  if (expected != expected) {
    EXPECT_NE(value, value) << where;
  } else if (expected - expected != 0) {
    EXPECT_EQ(value, expected) << where;
  } else {
    EXPECT_NEAR(value, expected, factor * Tolerance<DType>() * (1 + std::fabs(expected)))
        << where;
  }
}

// Each factor of a product is one more error.
template <typename R>
double FactorOf(std::size_t n) {
  return std::is_same_v<R, Prod> ? 1 + std::sqrt(static_cast<double>(n)) / 4 : 1;
}

// What each result is made of, in row-major order of the reduced axes.
template <int dim, typename DType>
std::vector<Values> Groups(Guarded<dim, DType>& a, unsigned mask) {
  const Shape<dim> shape = a->shape_;
  std::size_t results = 1;
  for (int axis = 0; axis < dim; ++axis) results *= (mask >> axis & 1) ? 1 : shape[axis];
  std::vector<Values> groups(results);
  for (std::size_t i = 0; i < a.Size(); ++i) {
    std::size_t rest = i, result = 0, step = 1;
    for (int axis = dim - 1; axis >= 0; --axis) {
      const std::size_t at = rest % shape[axis];
      rest /= shape[axis];
      if ((mask >> axis & 1) == 0) {
        result += at * step;
        step *= shape[axis];
      }
    }
    groups[result].push_back(AsDouble(a.At(i)));
  }
  return groups;
}

template <int dim, int... axes>
constexpr unsigned Mask() {
  return (0u | ... | (1u << (axes < 0 ? axes + dim : axes)));
}

// The reduction of `a` over the axes, assigned to rows of any padding, and added.
template <typename R, int... axes, int dim, typename DType>
void ExpectReduced(Guarded<dim, DType>& a) {
  constexpr unsigned kMask = Mask<dim, axes...>();
  const auto e = R::template Of<axes...>(*a);
  using Out = decltype(ElementOf(e));
  constexpr int kRank = std::decay_t<decltype(e)>::kRank;
  const std::vector<Values> groups = Groups(a, kMask);
  for (index_t pad : {0, 3}) {
    Guarded<kRank, Out> out(e.template GetShape<kRank>(), pad, 1);
    *out = e;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      ExpectNear(out.At(i), R::In(groups[i]),
                 std::string(R::kName) + " " + LogText(a->shape_) + " axes " +
                     std::to_string(kMask) + " result " + std::to_string(i),
                 FactorOf<R>(groups[i].size()));
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_TRUE(out.Intact());
  }
}
template <typename R, int dim, typename DType>
void ExpectValue(Guarded<dim, DType>& a) {
  const auto value = R::Of(*a);
  ExpectNear(value, R::In(Groups(a, ~0u)[0]), std::string(R::kName) + " " + LogText(a->shape_),
             FactorOf<R>(a.Size()));
}

// Numbers of which products are no larger than floats.
template <int dim, typename DType>
void Fill(Guarded<dim, DType>& a, uint32_t seed = 1) {
  if constexpr (std::numeric_limits<DType>::is_integer) {
    a.FillRandom(std::is_signed_v<DType> ? -60 : 0, std::is_same_v<DType, bool> ? 2 : 61, seed);
  } else {
    a.FillRandom(0.8, 1.25, seed);
  }
}

template <typename... Rs, typename F>
void ForEachOf(const F& f) {
  (f(Rs()), ...);
}
template <typename F>
void ForEachReduction(const F& f) {
  ForEachOf<Sum, Prod, Mean, Var, Stddev, Norm, Max, Min, Any, All, Logsumexp, Argmax, Argmin>(f);
}

TEST(Reduction, EachOverRowsAndColumns) {
  ForEachIsa([] {
    ForEachReduction([](auto r) {
      using R = decltype(r);
      for (const Shape<2> shape : {Shape2(1, 1), Shape2(37, 3), Shape2(3, 37), Shape2(35, 129)}) {
        for (index_t pad : {0, 3}) {
          Guarded<2> a(shape, pad, 1);
          Fill(a);
          ExpectReduced<R, 0>(a);
          ExpectReduced<R, -1>(a);
          ExpectValue<R>(a);
        }
      }
    });
  });
}

// So many elements that the work is cut into parts.
TEST(Reduction, OfManyElements) {
  ForEachReduction([](auto r) {
    using R = decltype(r);
    Guarded<2> tall(Shape2(70001, 3)), wide(Shape2(3, 140003), 1), both(Shape2(700, 2100));
    tall.FillRandom(0.99, 1.01);
    wide.FillRandom(0.99, 1.01);
    both.FillRandom(0.9, 1.1);
    wide.At(140002) = 0;
    wide.At(2 * 140003 - 1) = 2;
    ExpectReduced<R, 0>(tall);
    ExpectReduced<R, 1>(wide);
    ExpectReduced<R, 0>(both);
    Guarded<3> channels(Shape3(4, 23, 3001));  // 21 at a time
    channels.FillRandom(0.99, 1.01);
    ExpectReduced<R, 0, 2>(channels);
    if constexpr (!std::is_same_v<R, Prod>) {
      ExpectValue<R>(tall);
      ExpectValue<R>(wide);
    }
  });
}

// Narrow rows, which are gathered where they do not follow each other.
TEST(Reduction, OfNarrowRows) {
  ForEachIsa([] {
    ForEachOf<Sum, Max, Norm, Argmax>([](auto r) {
      using R = decltype(r);
      for (index_t cols : {1u, 2u, 5u, 7u}) {
        for (index_t rows : {70u, 5003u}) {
          Guarded<2> a(Shape2(rows, cols), 3, 1);
          a.FillRandom(0.9, 1.1);
          ExpectReduced<R, 0>(a);
        }
        for (index_t pad : {0u, 3u}) {
          Guarded<3> a(Shape3(19, 101, cols), pad);
          a.FillRandom(0.9, 1.1);
          ExpectReduced<R, 1>(a);
        }
      }
    });
    for (index_t cols : {1u, 3u}) {
      Guarded<2> a(Shape2(3001, cols), 1);
      Guarded<1> sums(Shape1(cols));
      a.FillRandom(0.9, 1.1);
      *sums = sum<0>(F<op::exp>(*a));
      for (std::size_t x = 0; x < cols; ++x) {
        double total = 0;
        for (std::size_t i = x; i < a.Size(); i += cols) total += std::exp(double(a.At(i)));
        EXPECT_NEAR(sums.At(x), total, 1e-5 * total) << cols;
      }
    }
  });
}

// Groups of axes, neighbouring or not, at each place.
template <typename R, typename DType = float>
void CheckThreeAxes() {
  for (index_t pad : {0, 3}) {
    Guarded<3, DType> a(Shape3(5, 7, 23), pad, 1);
    Fill(a);
    ExpectReduced<R, 0>(a);
    ExpectReduced<R, 1>(a);
    ExpectReduced<R, 2>(a);
    ExpectReduced<R, 0, 1>(a);
    ExpectReduced<R, 0, 2>(a);
    ExpectReduced<R, -1, 1>(a);
    ExpectValue<R>(a);
  }
}
template <typename R>
void CheckFourAxes() {
  for (index_t pad : {0, 3}) {
    Guarded<4> a(Shape4(3, 5, 4, 9), pad, 1);
    Fill(a);
    ExpectReduced<R, 1>(a);
    ExpectReduced<R, 0, 2>(a);
    ExpectReduced<R, 1, 3>(a);
    ExpectReduced<R, 1, 2>(a);
    ExpectReduced<R, 0, 3>(a);
    ExpectReduced<R, 2, 0, 3>(a);
    ExpectReduced<R, 0, 1, 2>(a);
    ExpectReduced<R, -1, -2>(a);
  }
}
TEST(Reduction, ThreeAxes) {
  ForEachOf<Sum, Var, Logsumexp, Argmax, Min>([](auto r) { CheckThreeAxes<decltype(r)>(); });
}
TEST(Reduction, FourAxes) {
  ForEachOf<Mean, Stddev, Argmin>([](auto r) { CheckFourAxes<decltype(r)>(); });
}
TEST(Reduction, OneAxisIsAValue) {
  Guarded<1> a(Shape1(1003), 0, 1);
  Fill(a);
  ForEachReduction([&](auto r) { ExpectValue<decltype(r)>(a); });
  const float total = sum<0>(*a);
  ExpectNear(total, SumOf(Groups(a, 1)[0]), "sum<0>");
  Guarded<1> p(Shape1(1003));
  *p = *a / sum<-1>(*a);
  ExpectNear(sum(*p), 1, "a distribution");
}

// Floats go through every reduction above. Every other type meets several, and every reduction
// several types.
template <typename DType, typename... Rs>
void CheckDType() {
  ForEachOf<Rs...>([](auto r) {
    using R = decltype(r);
    for (const Shape<2> shape : {Shape2(21, 5), Shape2(5, 133)}) {
      Guarded<2, DType> a(shape, 1, 1);
      Fill(a, 5);
      ExpectReduced<R, 0>(a);
      ExpectReduced<R, 1>(a);
      ExpectValue<R>(a);
    }
  });
}
TEST(Reduction, Double) { CheckDType<double, Sum, Prod, Var, Min, Logsumexp, Argmax>(); }
TEST(Reduction, Half) {
  ForEachIsa([] { CheckDType<half::half_t, Sum, Mean, Stddev, Max, Logsumexp, Argmin, Any>(); });
}
TEST(Reduction, Int8) { CheckDType<int8_t, Sum, Var, Max, Argmin, All>(); }
TEST(Reduction, Int64) { CheckDType<int64_t, Mean, Norm, Min, Argmax, Any>(); }
#ifndef MSHADOW_TEST_DEVICE  // whose memory is not the host's
TEST(Reduction, Bool) {
  bool data[] = {true, false, true, false, false, false};
  const Tensor<cpu, 2, bool> a(data, Shape2(2, 3));
  EXPECT_EQ(sum(a), 2);
  EXPECT_TRUE(any(a));
  EXPECT_FALSE(all(a));
  int64_t rows[2];
  Tensor<cpu, 1, int64_t> sums(rows, Shape1(2));
  sums = sum<1>(a);
  EXPECT_EQ(rows[0], 2);
  EXPECT_EQ(rows[1], 0);
}
#endif
#ifndef MSHADOW_TEST_FEW_DTYPES
TEST(Reduction, Bfloat16) { CheckDType<bfloat::bf16_t, Prod, Norm, Min, Logsumexp, Argmax>(); }
TEST(Reduction, Uint8) { CheckDType<uint8_t, Sum, Mean, Min, Argmax>(); }
TEST(Reduction, Int16) { CheckDType<int16_t, Sum, Stddev, Max>(); }
TEST(Reduction, Uint16) { CheckDType<uint16_t, Mean, Logsumexp, All>(); }
TEST(Reduction, Int32) { CheckDType<int32_t, Sum, Logsumexp, Max, Argmin>(); }
TEST(Reduction, Uint32) { CheckDType<uint32_t, Sum, Norm, Argmax>(); }
TEST(Reduction, Uint64) { CheckDType<uint64_t, Sum, Var, Max>(); }
#endif

TEST(Reduction, ElementTypes) {
  Guarded<2, int8_t> small(Shape2(300, 400));
  *small = int8_t(127);
  static_assert(std::is_same_v<decltype(sum(*small)), int64_t>);
  EXPECT_EQ(sum(*small), 127 * 120000);
  Guarded<1, int64_t> rows(Shape1(300));
  *rows = sum<1>(*small);
  EXPECT_EQ(rows.At(299), 127 * 400);
  static_assert(std::is_same_v<decltype(mean(*small)), double>);
  EXPECT_EQ(mean(*small), 127);
  Guarded<1, uint16_t> words(Shape1(100000));
  *words = uint16_t(65535);
  static_assert(std::is_same_v<decltype(sum(*words)), uint64_t>);
  EXPECT_EQ(sum(*words), 6553500000u);
  Guarded<1, int32_t> ints(Shape1(100000));
  *ints = 2000000000;
  static_assert(std::is_same_v<decltype(sum(*ints)), int64_t>);
  EXPECT_EQ(sum(*ints), 200000000000000);
  *ints = 3;
  EXPECT_EQ(prod(*ints), static_cast<int64_t>([] {
    uint64_t product = 1;
    for (int i = 0; i < 100000; ++i) product *= 3;
    return product;
  }()));
  static_assert(std::is_same_v<decltype(max(*small)), int8_t>);
  static_assert(std::is_same_v<decltype(any(*small)), bool>);
  static_assert(std::is_same_v<decltype(ElementOf(any<0>(*small))), int8_t>);
  static_assert(std::is_same_v<decltype(argmin(*small)), int64_t>);
  Guarded<1, half::half_t> halves(Shape1(4000));
  *halves = half::half_t(0.5f);
  EXPECT_EQ(static_cast<float>(sum(*halves)), 2000);
  EXPECT_EQ(static_cast<float>(mean(*halves)), 0.5f);
}

TEST(Reduction, OfExpressions) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(35, 129), 1, 1), b(Shape2(35, 129)), ab(Shape2(35, 129));
    Fill(a);
    Fill(b, 2);
    for (std::size_t i = 0; i < ab.Size(); ++i) ab.At(i) = a.At(i) * b.At(i) + 1;
    Guarded<1> rows(Shape1(35)), columns(Shape1(129));
    const auto expect = [&](Guarded<1>& out, unsigned mask, double (*f)(const Values&)) {
      const std::vector<Values> groups = Groups(ab, mask);
      for (std::size_t i = 0; i < groups.size(); ++i) ExpectNear(out.At(i), f(groups[i]), "a b");
    };
    const auto e = *a * *b + 1.0f;
    *rows = sum<1>(e);
    expect(rows, 2, SumOf);
    *columns = sum<0>(e);
    expect(columns, 1, SumOf);
    *rows = var<1>(e);
    expect(rows, 2, VarOf);
    *columns = var<0>(e);
    expect(columns, 1, VarOf);
    *rows = logsumexp<1>(e);
    expect(rows, 2, LogsumexpOf);
    *columns = logsumexp<0>(e);
    expect(columns, 1, LogsumexpOf);
    ExpectNear(norm(e), NormOf(Groups(ab, 3)[0]), "norm");
    // Rows that consist of runs, and rows that lie far apart in memory.
    Guarded<2> t(Shape2(129, 35));
    *t = ab->T();
    *rows = max<0>(*t);
    expect(rows, 2, MaxOf);
    *columns = sum<0>(t->T());
    expect(columns, 1, SumOf);
    *rows = sum<1>(t->T());
    expect(rows, 2, SumOf);
    *rows = logsumexp<1>(t->T());
    expect(rows, 2, LogsumexpOf);
    *columns = sum<0>(mirror(mirror(*ab)));
    expect(columns, 1, SumOf);
    *rows = mean<1>(flip(flip(*ab, 0), 0));
    expect(rows, 2, MeanOf);
    *rows = stddev<1>(mirror(*ab));
    expect(rows, 2, StddevOf);
  });
}

TEST(Reduction, InLargerExpressions) {
  Guarded<2> x(Shape2(19, 33), 2, 1), p(Shape2(19, 33));
  x.FillRandom(-3, 3);
  Guarded<1> rows(Shape1(19));
  *rows = mean<1>(*x * 2.0f) + 1.0f;
  const std::vector<Values> groups = Groups(x, 2);
  for (std::size_t i = 0; i < 19; ++i) ExpectNear(rows.At(i), 2 * MeanOf(groups[i]) + 1, "mean + 1");
  *p = F<op::exp>(*x - max<1>(*x));
  *p = *p / sum<1>(*p);
  for (std::size_t i = 0; i < p.Size(); ++i) {
    ExpectNear(p.At(i), std::exp(x.At(i) - LogsumexpOf(groups[i / 33])), "softmax");
  }
  *p = (*x - mean<1>(*x)) / F<op::sqrt>(var<1>(*x) + 1e-5f);
  for (std::size_t i = 0; i < p.Size(); ++i) {
    const Values& row = groups[i / 33];
    ExpectNear(p.At(i), (x.At(i) - MeanOf(row)) / std::sqrt(VarOf(row) + 1e-5), "normalised");
  }
  // A square matrix: the reduced axis decides, not the extent.
  Guarded<2> q(Shape2(9, 9)), r(Shape2(9, 9));
  q.FillRandom(0, 1);
  *r = *q - max<1>(*q);
  EXPECT_EQ(r.At(9 * 4 + 2), q.At(9 * 4 + 2) - static_cast<float>(MaxOf(Groups(q, 2)[4])));
  *r = *q - max<0>(*q);
  EXPECT_EQ(r.At(9 * 4 + 2), q.At(9 * 4 + 2) - static_cast<float>(MaxOf(Groups(q, 1)[2])));
  // Reductions of reductions.
  ExpectNear(max(sum<1>(*x)), MaxOf([&] {
    Values sums;
    for (const Values& row : groups) sums.push_back(SumOf(row));
    return sums;
  }()), "max of sums");
}

#ifndef MSHADOW_TEST_DEVICE  // others have no products
TEST(Reduction, OfProducts) {
  Guarded<2> x(Shape2(19, 33), 2, 1), product(Shape2(19, 19));
  x.FillRandom(-3, 3);
  *product = dot(*x, x->T());
  ExpectNear(sum(dot(*x, x->T())), SumOf(Groups(product, 3)[0]), "sum of a product");
}
#endif

TEST(Reduction, Savers) {
  Guarded<2> x(Shape2(6, 11), 1);
  x.FillRandom(1, 2);
  Guarded<1> out(Shape1(6));
  const std::vector<Values> groups = Groups(x, 2);
  *out = 3.0f;
  *out += sum<1>(*x);
  *out -= mean<1>(*x);
  *out *= max<1>(*x);
  *out /= min<1>(*x);
  for (std::size_t i = 0; i < 6; ++i) {
    const Values& v = groups[i];
    ExpectNear(out.At(i), (3 + SumOf(v) - MeanOf(v)) * MaxOf(v) / MinOf(v), "savers");
  }
}

TEST(Reduction, IntoItsOperand) {
  Guarded<2> x(Shape2(7, 45), 3), y(Shape2(7, 45), 3);
  x.FillRandom(1, 2);
  Copy(*y, *x);
  const std::vector<Values> columns = Groups(x, 1);
  Tensor<TestDevice, 1> row = (*x)[3];
  row = sum<0>(*x);
  for (std::size_t i = 0; i < 45; ++i) ExpectNear(x.At(3 * 45 + i), SumOf(columns[i]), "row");
  Tensor<TestDevice, 1> other = (*y)[3];
  other += max<0>(*y);
  for (std::size_t i = 0; i < 45; ++i) {
    ExpectNear(y.At(3 * 45 + i), columns[i][3] + MaxOf(columns[i]), "row +=");
  }
  EXPECT_TRUE(x.Intact());
}

TEST(Reduction, OfNothing) {
  Guarded<2> rows(Shape2(3, 0)), columns(Shape2(0, 3));
  Guarded<1> out(Shape1(3)), none(Shape1(0));
  *out = 5.0f;
  *out = sum<1>(*rows);
  ExpectValues(out, {0, 0, 0});
  *out = prod<0>(*columns);
  ExpectValues(out, {1, 1, 1});
  *out = any<0>(*columns);
  ExpectValues(out, {0, 0, 0});
  *out = all<1>(*rows);
  ExpectValues(out, {1, 1, 1});
  *out = mean<1>(*rows);
  EXPECT_NE(out.At(1), out.At(1));
  *out = var<0>(*columns);
  EXPECT_NE(out.At(1), out.At(1));
  *out = norm<0>(*columns);
  ExpectValues(out, {0, 0, 0});
  *out = logsumexp<0>(*columns);
  ExpectValues(out, {-kInf, -kInf, -kInf});
  *none = sum<0>(*rows);
  *none = max<0>(*rows);  // no result is asked for
  EXPECT_EQ(sum(*rows), 0);
  EXPECT_TRUE(all(*rows));
  const std::string error = ErrorOf([&] { *out = max<1>(*rows); });
  EXPECT_NE(error.find("max: "), std::string::npos) << error;
  EXPECT_NE(error.find("(3,0)"), std::string::npos) << error;
  EXPECT_NE(ErrorOf([&] { argmin(*columns); }).find("argmin: "), std::string::npos);
}

TEST(Reduction, NaNAndInfinity) {
  ForEachIsa([] {
    for (std::size_t n : {7u, 300u}) {
      const std::size_t cols = n;
      Guarded<2> x(Shape2(5, static_cast<index_t>(cols)));
      *x = 1.0f;
      x.At(cols - 1) = static_cast<float>(kNan);
      for (std::size_t i = 0; i < cols; ++i) x.At(cols + i) = static_cast<float>(-kInf);
      x.At(2 * cols + 3) = static_cast<float>(kInf);
      x.At(3 * cols + 2) = static_cast<float>(-kInf);
      x.At(4 * cols + 1) = 200.0f;
      const auto expect = [&](auto r) {
        using R = decltype(r);
        ExpectReduced<R, 1>(x);
        Guarded<2> t(Shape2(static_cast<index_t>(cols), 5));
        *t = x->T();
        ExpectReduced<R, 0>(t);
      };
      ForEachOf<Sum, Max, Min, Logsumexp, Argmax, Argmin, Any, All, Norm>(expect);
      EXPECT_NE(max(*x), max(*x));
      EXPECT_EQ(argmax(*x), static_cast<int64_t>(cols - 1));
    }
  });
}

// A large mean costs the variance no digits; equal elements have none.
TEST(Reduction, VarianceIsStable) {
  for (const Shape<2> shape : {Shape2(600, 17), Shape2(17, 600)}) {
    Guarded<2> x(shape);
    x.FillRandom(4096, 4097);
    ExpectReduced<Var, 0>(x);
    ExpectReduced<Var, 1>(x);
    ExpectValue<Var>(x);
    *x = 0.1f;
    EXPECT_LT(var(*x), 1e-18f);
  }
  // The first elements of a row are not like the others. (They count a sixteenth of it at most.)
  Guarded<2> x(Shape2(3, 5000));
  x.FillRandom(1000, 1001);
  for (std::size_t i = 0; i < 100; ++i) x.At(i) = x.At(5000 + i) = 0;
  const std::vector<Values> rows = Groups(x, 2);
  Guarded<1> out(Shape1(3));
  *out = var<1>(*x);
  for (std::size_t i = 0; i < 3; ++i) ExpectNear(out.At(i), VarOf(rows[i]), "two parts", 16);
}

TEST(Reduction, ShapesThatDoNotFit) {
  Guarded<2> x(Shape2(4, 6));
  Guarded<1> out(Shape1(6));
  const std::string error = ErrorOf([&] { *out = sum<1>(*x); });
  EXPECT_NE(error.find("(4,)"), std::string::npos) << error;
  EXPECT_NE(error.find("(6,)"), std::string::npos) << error;
}

TEST(Reduction, NamesOfTheStandardLibrary) {
  TensorContainer<cpu, 2> x(Shape2(2, 2), 1.0f);
  TensorContainer<cpu, 1> v(Shape1(2));
  EXPECT_EQ(everything::Use(x, v), 2 + 2 + 5 + (1 + 1 + 2 + 0 + 1) + 25 + 0);
}
TEST(Reduction, NamesOfAUser) {
  TensorContainer<cpu, 2> x(Shape2(2, 2), 1.0f);
  EXPECT_EQ(user::Use(x), 4);
}
}  // namespace
}  // namespace reduction_test
}  // namespace mshadow
