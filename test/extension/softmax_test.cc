// SPDX-License-Identifier: Apache-2.0
#include <mshadow/nn.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../error_of.h"
#include "uses.h"

namespace mshadow {
namespace softmax_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

#ifdef MSHADOW_TEST_DEVICE  // others have no Softmax
constexpr bool kHasSoftmax = false;
#else
constexpr bool kHasSoftmax = true;
#endif
constexpr float kInfinite = std::numeric_limits<float>::infinity();

template <typename DType>
double SoftmaxValue(DType value) {
  return static_cast<double>(static_cast<float>(value));
}
template <typename DType>
double SoftmaxTolerance() {
  if constexpr (std::is_same_v<DType, double>) return 1e-6;  // of SoftmaxValue
  return 16 * SoftmaxValue(std::numeric_limits<DType>::epsilon());
}

/// softmax along `axis` of the elements in row-major order, or its logarithm.
template <int dim>
std::vector<double> SoftmaxOf(const std::vector<double>& x, const Shape<dim>& shape, int axis,
                              bool take_log) {
  std::size_t inner = 1;
  for (int i = axis + 1; i < dim; ++i) inner *= shape[i];
  const std::size_t n = shape[axis];
  std::vector<double> result(x.size()), most(x.size()), sum(x.size());
  const auto first_of = [&](std::size_t i) { return i / (n * inner) * n * inner + i % inner; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    double& m = most[first_of(i)];
    m = first_of(i) == i ? x[i] : std::fmax(m, x[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) sum[first_of(i)] += std::exp(x[i] - most[first_of(i)]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t first = first_of(i);
    result[i] = take_log ? x[i] - most[first] - std::log(sum[first])
                         : std::exp(x[i] - most[first]) / sum[first];
  }
  return result;
}

template <int dim, typename DType>
std::vector<double> SoftmaxElements(Guarded<dim, DType>& t) {
  std::vector<double> elements(t.Size());
  for (std::size_t i = 0; i < t.Size(); ++i) elements[i] = SoftmaxValue(t.At(i));
  return elements;
}

template <int dim, typename DType>
void ExpectSoftmax(Guarded<dim, DType>& result, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(result.Size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(SoftmaxValue(result.At(i)), expected[i],
                SoftmaxTolerance<DType>() * (1 + std::fabs(expected[i])))
        << what << ", element " << i;
  }
  EXPECT_TRUE(result.Intact()) << what;
}

/// Both along `axis`, alone and, of up to two axes, in expressions, for rows of any padding.
template <int axis, typename DType, int dim>
void CheckSoftmax(const Shape<dim>& shape, double scale = 1) {
  constexpr int kAxis = axis < 0 ? axis + dim : axis;
  const std::string what = LogText(shape) + " axis " + std::to_string(axis);
  for (index_t pad : {0, 3}) {
    Guarded<dim, DType> x(shape, pad, 1), y(shape, 3 - pad, 1);
    for (std::size_t i = 0; i < x.Size(); ++i) {
      x.At(i) = static_cast<DType>(static_cast<float>(scale * (0.5 * ((7 * i) % 19) - 4)));
    }
    const std::vector<double> elements = SoftmaxElements(x);
    const std::vector<double> p = SoftmaxOf(elements, shape, kAxis, false);
    const std::vector<double> log_p = SoftmaxOf(elements, shape, kAxis, true);
    *y = log_softmax<axis>(*x);
    ExpectSoftmax(y, log_p, "log_softmax " + what);
    if constexpr (kHasSoftmax) {
      *y = softmax<axis>(*x);
      ExpectSoftmax(y, p, "softmax " + what);
      if constexpr (dim < 3) {
        *y = DType(1.0f);
        *y += softmax<axis>(*x + *x - *x);
        std::vector<double> expected = p;
        for (double& value : expected) value += 1;
        ExpectSoftmax(y, expected, "added " + what);
        *y = DType(2.0f) * softmax<axis>(*x) - tcast<DType>(*x);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 2 * p[i] - elements[i];
        ExpectSoftmax(y, expected, "operand " + what);
      }
      Copy(*y, *x);
      *y = softmax<axis>(*y);
      ExpectSoftmax(y, p, "in place " + what);
    }
    Copy(*y, *x);
    *y = log_softmax<axis>(*y);
    ExpectSoftmax(y, log_p, "log in place " + what);
  }
}

TEST(Softmax, EachAxis) {
  CheckSoftmax<0, float>(Shape1(7));
  CheckSoftmax<0, float>(Shape2(5, 7));
  CheckSoftmax<1, float>(Shape2(5, 7));
  CheckSoftmax<-1, float>(Shape2(3, 70));
  CheckSoftmax<0, float>(Shape3(3, 4, 5));
  CheckSoftmax<1, float>(Shape3(3, 4, 5));
  CheckSoftmax<2, float>(Shape3(3, 4, 5));
  CheckSoftmax<1, float>(Shape4(2, 5, 3, 6));
  CheckSoftmax<-2, float>(Shape4(2, 5, 3, 6));
}
TEST(Softmax, EachType) {
  CheckSoftmax<1, double>(Shape2(5, 7));
  CheckSoftmax<0, double>(Shape2(5, 7));
  CheckSoftmax<1, half::half_t>(Shape2(5, 7));
  CheckSoftmax<1, bfloat::bf16_t>(Shape3(2, 5, 7));
}
TEST(Softmax, NothingOverflows) {
  CheckSoftmax<1, float>(Shape2(4, 9), 1e4);
  CheckSoftmax<0, float>(Shape2(4, 9), 1e4);
  CheckSoftmax<0, float>(Shape1(9), 1e4);
  CheckSoftmax<1, half::half_t>(Shape2(4, 9), 1e3);
}
TEST(Softmax, LongRowsRunInStages) {
  CheckSoftmax<1, float>(Shape2(70, 1001));
  CheckSoftmax<0, float>(Shape2(301, 300));
}
#ifndef MSHADOW_TEST_DEVICE
TEST(Softmax, EmptyAndSpecialValues) {
  Guarded<2> empty(Shape2(0, 3), 0), y(Shape2(0, 3), 0);
  *y = softmax<1>(*empty);
  *y = log_softmax<1>(*empty);
  Guarded<2> x(Shape2(2, 2), 0), p(Shape2(2, 2), 0);
  *x = 0.0f;
  x.At(0) = -kInfinite;
  x.At(2) = kInfinite;
  *p = softmax<1>(*x);
  EXPECT_EQ(p.At(0), 0.0f);
  EXPECT_EQ(p.At(1), 1.0f);
  EXPECT_TRUE(std::isnan(p.At(2)));
  *p = log_softmax<1>(*x);
  EXPECT_EQ(p.At(0), -kInfinite);
  EXPECT_EQ(p.At(1), 0.0f);
  EXPECT_TRUE(std::isnan(p.At(2)));
}
TEST(Softmax, StandsInsideProducts) {
  Guarded<2> q(Shape2(5, 6), 0), k(Shape2(7, 6), 0), v(Shape2(7, 3), 0), y(Shape2(5, 3), 0);
  FillWhole(q, 9, 1);
  FillWhole(k, 7, 2);
  FillWhole(v, 11, 3);
  *y = dot(softmax<1>(dot(*q, (*k).T()) * 0.1f), *v);
  std::vector<double> scores(35), expected(15);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 7; ++j) {
      for (std::size_t c = 0; c < 6; ++c) {
        scores[7 * i + j] += 0.1 * SoftmaxValue(q.At(6 * i + c)) * SoftmaxValue(k.At(6 * j + c));
      }
    }
  }
  const std::vector<double> p = SoftmaxOf(scores, Shape2(5, 7), 1, false);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 7; ++j) {
      for (std::size_t c = 0; c < 3; ++c) {
        expected[3 * i + c] += p[7 * i + j] * SoftmaxValue(v.At(3 * j + c));
      }
    }
  }
  for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(y.At(i), expected[i], 1e-3) << i;
}
TEST(Softmax, AnExpressionMayBeKept) {
  Guarded<1> x(Shape1(4), 0), y(Shape1(4), 0);
  const auto e = log_softmax<0>(*x);
  const auto p = softmax<0>(*x);
  for (std::size_t i = 0; i < 4; ++i) x.At(i) = 2.0f;
  *y = e;
  EXPECT_NEAR(y.At(0), std::log(0.25), 1e-6);
  *y = p;
  EXPECT_NEAR(y.At(0), 0.25, 1e-6);
}
TEST(Softmax, ShapesThatDoNotFit) {
  Guarded<2> x(Shape2(2, 3), 0), y(Shape2(3, 2), 0);
  const std::string error = ErrorOf([&] { *y = softmax<1>(*x); });
  EXPECT_NE(error.find("(2,3)"), std::string::npos) << error;
  EXPECT_NE(error.find("(3,2)"), std::string::npos) << error;
}
#endif

template <typename DType, int dim>
void CheckLayerNorm(const Shape<dim>& shape, double offset) {
  const std::size_t n = shape[dim - 1];
  const double eps = 1e-3;
  for (index_t pad : {0, 3}) {
    Guarded<dim, DType> x(shape, pad, 1), y(shape, pad, 1);
    Guarded<1, DType> gamma(Shape1(shape[dim - 1]), 0, 1), beta(Shape1(shape[dim - 1]), 0, 1);
    for (std::size_t i = 0; i < x.Size(); ++i) {
      x.At(i) = static_cast<DType>(static_cast<float>(offset + 0.5 * ((7 * i) % 19)));
    }
    for (std::size_t i = 0; i < n; ++i) {
      gamma.At(i) = static_cast<DType>(0.25f * static_cast<float>(i % 5));
      beta.At(i) = static_cast<DType>(0.5f * static_cast<float>(i % 3));
    }
    std::vector<double> expected(x.Size());
    for (std::size_t row = 0; row < x.Size() / n; ++row) {
      double mean = 0, var = 0;
      for (std::size_t i = 0; i < n; ++i) mean += SoftmaxValue(x.At(row * n + i)) / n;
      for (std::size_t i = 0; i < n; ++i) {
        var += std::pow(SoftmaxValue(x.At(row * n + i)) - mean, 2) / n;
      }
      for (std::size_t i = 0; i < n; ++i) {
        expected[row * n + i] =
            SoftmaxValue(gamma.At(i)) * (SoftmaxValue(x.At(row * n + i)) - mean) /
                std::sqrt(var + eps) +
            SoftmaxValue(beta.At(i));
      }
    }
    *y = layer_norm(*x, *gamma, *beta, eps);
    ExpectSoftmax(y, expected, "layer_norm " + LogText(shape));
    Copy(*y, *x);
    *y = layer_norm(*y, *gamma, *beta, eps) + DType(0.0f);
    ExpectSoftmax(y, expected, "layer_norm in place " + LogText(shape));
  }
}
TEST(LayerNorm, LastAxis) {
  CheckLayerNorm<float>(Shape1(9), 0);
  CheckLayerNorm<float>(Shape2(5, 7), 0);
  CheckLayerNorm<float>(Shape3(2, 5, 33), 2);
  CheckLayerNorm<float>(Shape2(70, 1001), 0);
  CheckLayerNorm<double>(Shape2(5, 7), 3);
  CheckLayerNorm<half::half_t>(Shape2(5, 7), 0);
  CheckLayerNorm<half::half_t>(Shape2(5, 7), 1000);
}
TEST(LayerNorm, VectorsThatAreReductions) {
  // They are aligned at the last axis, not repeated along the one they lost; and so is the result.
  Guarded<2> x(Shape2(3, 3), 1), y(Shape2(3, 3), 0), a(Shape2(3, 3), 0), z(Shape2(3, 3), 0);
  Guarded<1> gamma(Shape1(3), 0), beta(Shape1(3), 0), v(Shape1(3), 0);
  for (std::size_t i = 0; i < 9; ++i) {
    x.At(i) = static_cast<float>((7 * i) % 5);
    a.At(i) = static_cast<float>(i);
  }
  *gamma = sum<1>(*a);
  *beta = max<1>(*a);
  *z = layer_norm(*x, *gamma, *beta);
  *y = layer_norm(*x, sum<1>(*a), max<1>(*a));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(y.At(i), z.At(i));
  *v = log_softmax<0>(sum<1>(*a));
  *z = *x + *v;
  *y = *x + log_softmax<0>(sum<1>(*a));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(y.At(i), z.At(i));
}
TEST(LayerNorm, ShapesThatDoNotFit) {
  Guarded<2> x(Shape2(2, 3), 0), y(Shape2(2, 3), 0);
  Guarded<1> gamma(Shape1(3), 0), beta(Shape1(2), 0);
  const std::string error = ErrorOf([&] { *y = layer_norm(*x, *gamma, *beta); });
  EXPECT_NE(error.find("(2,3)"), std::string::npos) << error;
  EXPECT_NE(error.find("(2,)"), std::string::npos) << error;
}

}  // namespace
}  // namespace softmax_test
}  // namespace mshadow
