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
// dot of two vectors is a number; devices other than the CPU compute it by this reduction.
TEST(Reduction, DotOfVectors) {
  Guarded<1> u(Shape1(37), 0, 1), v(Shape1(37));
  u.FillIota();
  v.FillIota();
  float sum = 0;
  for (int i = 0; i < 37; ++i) sum += u.At(i) * (v.At(i) + 1);
  EXPECT_EQ(dot(*u, *v + 1), sum);
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

// A sum of 0 and 1 is the number of ones, also where the element type cannot hold it.
TEST(Reduction, CountsAreExact) {
  using half::half_t;
  const index_t n = (1u << 24) + 3;
  TensorContainer<cpu, 1, int8_t> bytes(Shape1(n), int8_t(1));
  TensorContainer<cpu, 1, half_t> halves(Shape1(70000), half_t(1.0f));
  halves[17] = half_t(-1.0f);
  static_assert(std::is_same_v<decltype(sum(halves > 0)), int64_t>);
  EXPECT_EQ(sum(tcast<float>(bytes) > 0), static_cast<int64_t>(n));
  EXPECT_EQ(sum(halves > 0), 69999);
  EXPECT_EQ(sum<0>(!(halves > 0) || halves == 2), 1);
  EXPECT_EQ(sum(isfinite(halves)), 70000);
  const float as_float = static_cast<float>(sum(halves.Slice(0, 4999) != 0));
  EXPECT_EQ(as_float, 4999.0f);
  // With axes in the element type, rounded once; numbers that are not 0 or 1 as well.
  TensorContainer<cpu, 1, half_t> rows(Shape1(2));
  rows = sum<1>(reshape(halves, Shape2(2, 35000)) >= 0);
  EXPECT_EQ(static_cast<float>(rows[0]), static_cast<float>(half_t(34999.0f)));
  static_assert(std::is_same_v<decltype(sum((halves > 0) * half_t(0.5f))), half_t>);
}

// Squares and sums that overflow or underflow, of results that do not.
template <typename DType>
void CheckExtremes(double huge, double tiny) {
  const auto near = [](auto value, double expected) {
    EXPECT_NEAR(static_cast<double>(value) / expected, 1, 1e-6) << value;
  };
  TensorContainer<cpu, 1, DType> v(Shape1(4)), rows(Shape1(3)), columns(Shape1(300));
  const auto all = [&](double a, double b) {
    v = static_cast<DType>(a);
    v[3] = static_cast<DType>(b);
  };
  all(1, huge / 4);
  near(norm(v), huge / 4);
  all(tiny, tiny);
  near(norm(v), 2 * tiny);
  EXPECT_EQ(stddev(v), 0);
  all(huge, huge);
  near(mean(v), huge);
  EXPECT_EQ(var(v), 0);
  EXPECT_EQ(stddev(v), 0);
  all(huge, -huge);
  near(mean(v), huge / 2);
  near(stddev(v), huge * std::sqrt(0.75));
  EXPECT_EQ(static_cast<double>(var(v)), kInf);
  all(tiny, -tiny);
  near(stddev(v), tiny * std::sqrt(0.75));
  all(huge, kInf);
  EXPECT_EQ(static_cast<double>(mean(v)), kInf);
  EXPECT_EQ(static_cast<double>(norm(v)), kInf);
  all(huge, kNan);
  EXPECT_NE(norm(v), norm(v));
  all(0, 0);
  EXPECT_EQ(norm(v), 0);
  // Over axes: one result is extreme, and the others are not.
  TensorContainer<cpu, 2, DType> x(Shape2(3, 300), DType(1));
  x[1] = static_cast<DType>(huge);
  x[1][7] = static_cast<DType>(-huge);
  rows = mean<1>(x);
  EXPECT_EQ(rows[2], 1);
  near(rows[1], huge * (298.0 / 300));
  rows = DType(1);
  rows += stddev<1>(x);
  EXPECT_EQ(rows[0], 1);
  near(rows[1], huge * std::sqrt(1 - 298.0 / 300 * 298 / 300));
  columns = norm<0>(x / 4);
  near(columns[7], huge / 4);
  TensorContainer<cpu, 2, DType> y(Shape2(3, 300));
  y = (x - broadcast_with_axis(mean<1>(x), 0, 300)) / 2;  // in the loop of a statement
  EXPECT_NEAR(static_cast<double>(y[1][0]) / huge, 1.0 / 300, 1e-6);
}
TEST(Reduction, ExtremeMagnitudes) {
  CheckExtremes<float>(3e38, 1e-30);
  CheckExtremes<double>(1.7e308, 1e-300);
  TensorContainer<cpu, 1, double> smallest(Shape1(4), 5e-324);
  EXPECT_EQ(norm(smallest), 1e-323);
  TensorContainer<cpu, 1, bfloat::bf16_t> v(Shape1(4), bfloat::bf16_t(3e38f));
  EXPECT_EQ(mean(v), v[0]);
}

// The error of a long sum is that of a short one, 2e-7, of numbers that round the same way each
// time.
TEST(Reduction, LongSumsKeepTheirDigits) {
  ForEachIsa([] {
    for (const float value : {0.1f, 0.7f}) {
      const auto near = [&](float sum, double n) {
        EXPECT_NEAR(static_cast<double>(sum) / (static_cast<double>(value) * n), 1, 2e-7);
      };
      TensorContainer<cpu, 1> v(Shape1(200003), value), two(Shape1(2)), wide(Shape1(70));
      near(sum(v), 200003);
      near(mean(v), 1);
      near(mean(v * 1.0f), 1);
      TensorContainer<cpu, 2> tall(Shape2(20001, 70), value), rows(Shape2(2, 20003), value);
      wide = sum<0>(tall);
      near(wide[69], 20001);
      wide = sum_rows(tall * 1.0f);
      near(wide[3], 20001);
      two = mean<1>(rows);
      near(two[1], 1);
      two = reduce_with_axis<red::sum, false>(rows, 1);
      near(two[0], 20003);
      two = mean<0>(Tensor<cpu, 2>(tall.dptr_, Shape2(200000, 2), 7, nullptr));
      near(two[1], 1);
      two = mean<0>(rows.T());
      near(two[1], 1);
      two = mean<0, 2>(Tensor<cpu, 3>(tall.dptr_, Shape3(300, 2, 200), 200, nullptr));
      near(two[1], 1);
    }
  });
}

#ifndef __CUDACC__  // the op counts on the host
struct CountedCalls {
  static inline long calls = 0;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    ++calls;
    return a;
  }
};
// any and all read no more than they need, a block at a time.
TEST(Reduction, AnyAndAllStop) {
  TensorContainer<cpu, 1> v(Shape1(1000000), 0.0f);
  v[20000] = 1;
  EXPECT_TRUE(mshadow::any(F<CountedCalls>(v)));
  EXPECT_FALSE(mshadow::all(F<CountedCalls>(v)));
  EXPECT_LT(CountedCalls::calls, 100000);
  TensorContainer<cpu, 1> rows(Shape1(2)), two(Shape1(2));
  CountedCalls::calls = 0;
  v[700000] = 1;
  rows = mshadow::any<1>(F<CountedCalls>(reshape(v, Shape2(2, 500000))));
  EXPECT_EQ(rows[0] + rows[1], 2);
  EXPECT_LT(CountedCalls::calls, 700000);
  v = 1.0f;
  v[999999] = 0;
  two = mshadow::any<0>(reshape(v, Shape2(500000, 2)));
  EXPECT_EQ(two[0] + two[1], 2);
  two = mshadow::all<0>(reshape(v, Shape2(500000, 2)));
  EXPECT_EQ(two[0], 1);
  EXPECT_EQ(two[1], 0);
  EXPECT_FALSE(mshadow::all(v));
}
#endif

// Images of two and three columns: many rows of lanes are joined at once.
TEST(Reduction, ManyLinesOfFewColumns) {
  for (index_t cols : {2, 3}) {
    Guarded<3> a(Shape3(8, 512, cols));
    Guarded<1> out(Shape1(512));
    FillWhole(a);
    const std::vector<double> all = testing::Values(a);
    std::vector<double> want(512);
    for (std::size_t i = 0; i < all.size(); ++i) want[i / cols % 512] += all[i];
    *out = sumall_except_dim<1>(*a);
    ExpectValues(out, want);
  }
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
// The last block of a row has fewer columns than a vector: of what is computed, each row of it is a
// block of its own.
TEST(Reduction, OfFunctionsOfPaddedRows) {
  Guarded<2> a(Shape2(12, 770), 10);
  a.FillRandom(-1, 1);
  Guarded<1> sums(Shape1(770)), variances(Shape1(770)), rows(Shape1(12));
  *sums = sum<0>(exp(*a));
  *variances = var<0>(exp(*a));
  *rows = sum<1>(exp(*a));
  double row = 0;
  for (index_t x = 0; x < 770; ++x) {
    double total = 0, squares = 0;
    for (index_t y = 0; y < 12; ++y) total += std::exp(static_cast<double>((*a)[y][x]));
    for (index_t y = 0; y < 12; ++y) {
      const double rest = std::exp(static_cast<double>((*a)[y][x])) - total / 12;
      squares += rest * rest;
    }
    row += std::exp(static_cast<double>((*a)[0][x]));
    ASSERT_NEAR(static_cast<double>(sums.At(x)), total, 1e-5 * total) << x;
    ASSERT_NEAR(static_cast<double>(variances.At(x)), squares / 12, 1e-5) << x;
  }
  EXPECT_NEAR(static_cast<double>(rows.At(0)), row, 1e-5 * row);
}

}  // namespace
}  // namespace reduction_test
}  // namespace mshadow
