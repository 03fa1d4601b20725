// SPDX-License-Identifier: Apache-2.0
// Programs that bring all names of std, mshadow and mshadow::expr, and have ops, functions and
// comparisons of their own: the functions of expressions must not get in their way.
#include <mshadow/tensor.h>
#include <mshadow/tensor_blob.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <valarray>
#include <vector>

using namespace std;
using namespace mshadow;
using namespace mshadow::expr;

// Ops as programs of 2.x name them.
struct sigmoid {
  MSHADOW_XINLINE static float Map(float a) { return 1.0f / (1.0f + expf(-a)); }
};
struct relu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : 0; }
};
struct square {
  MSHADOW_XINLINE static float Map(float a) { return a * a; }
};
struct maximum {
  MSHADOW_XINLINE static float Map(float a, float b) { return max(a, b); }
};
struct where_positive {
  MSHADOW_XINLINE static float Map(float a) { return a > 0; }
};

#include <gtest/gtest.h>

TEST(UsingNamespaces, OpsOfTheUserKeepTheirNames) {
  TensorContainer<cpu, 1> x(Shape1(3), -1.0f), y(Shape1(3));
  x[1] = 2.0f;
  y = F<sigmoid>(x) * 0 + F<relu>(x) + F<square>(x) + F<::maximum>(x, 1.0f) + F<where_positive>(x);
  EXPECT_EQ(y[0], 2.0f);
  EXPECT_EQ(y[1], 9.0f);
  y = exp(x) + tanh(x) + expr::adl::relu(x);  // the struct hides the function of a plain call
  EXPECT_NEAR(y[1], exp(2.0) + tanh(2.0) + 2, 1e-5);
}

TEST(UsingNamespaces, FunctionsOfScalarsAreThoseOfStd) {
  const float f = 2.0f;
  const double d = -2.0;
  EXPECT_EQ(max(1.0f, f), 2.0f);
  EXPECT_EQ(min(3, 2), 2);
  EXPECT_EQ(abs(d), 2.0);
  EXPECT_EQ(abs(-3), 3);
  EXPECT_EQ(exp(0.0f) + pow(f, 2) + sqrt(4.0f) + floor(1.5) + round(2.5) + log(1.0), 11);
  EXPECT_EQ(abs(complex<double>(3, 4)), 5.0);
  const valarray<double> v = {1.0, 4.0};
  EXPECT_EQ(valarray<double>(sqrt(v))[1], 2.0);
  EXPECT_EQ(fmod(7.0, 4.0) + atan2(0.0, 1.0), 3.0);
}

TEST(UsingNamespaces, FunctionsAndOperatorsOfExpressions) {
  TensorContainer<cpu, 1> x(Shape1(2), 3.0f), y(Shape1(2), 2.0f);
  y = pow(x, 2) + minimum(x, 1) + sqrt(x + 1) + (x == 3) + (y <= x) + (!(x > 3) && (y != 0.0f)) +
      x % 2 + abs(-x) + clip(x, 0, 1) + where(x < 4, x, 0);
  EXPECT_EQ(y[0], 9 + 1 + 2 + 1 + 1 + 1 + 1 + 3 + 1 + 3);
}

TEST(UsingNamespaces, ComparisonsOfOtherThings) {
  EXPECT_TRUE(Shape2(1, 2) == Shape2(1, 2));
  EXPECT_TRUE(Shape2(1, 2) != Shape2(1, 3));
  EXPECT_EQ(Shape1(4), Shape1(4));
  const TShape shape = Shape2(2, 3);
  EXPECT_TRUE(shape == Shape2(2, 3));
  EXPECT_EQ(shape, TShape(Shape2(2, 3)));
  TensorContainer<cpu, 2> t(Shape2(2, 3), 1.0f);
  const TBlob blob(t);
  EXPECT_TRUE(blob.shape_ == shape);
  EXPECT_TRUE(t.shape_ == Shape2(2, 3) && t.dptr_ != nullptr && !(t.stride_ == 0));
  EXPECT_EQ(t.stream_, nullptr);
  EXPECT_TRUE(t[0][0] == 1.0f && t[1][2] >= 1 && t.size(0) == 2);
  const half::half_t h(2.0f);
  EXPECT_TRUE(h == half::half_t(2.0f) && h < 3.0f && h != 1);
}

TEST(UsingNamespaces, TensorsInContainers) {
  TensorContainer<cpu, 2> t(Shape2(2, 3), 1.0f);
  vector<Tensor<cpu, 2>> tensors = {t, t};
  vector<Tensor<cpu, 2>>::iterator i = tensors.begin();
  EXPECT_TRUE(i == tensors.begin() && i != tensors.end() && i < tensors.end());
  map<string, Tensor<cpu, 2>> named = {{"t", t}};
  EXPECT_TRUE(named.find("t") != named.end());
  optional<Tensor<cpu, 2>> maybe = t;
  EXPECT_TRUE(maybe && maybe != nullopt && maybe.has_value());
  pair<int, Tensor<cpu, 2>> both(1, t);
  EXPECT_TRUE(both.first == 1);
  const auto found = find_if(tensors.begin(), tensors.end(),
                             [&](const Tensor<cpu, 2>& a) { return a.dptr_ == t.dptr_; });
  EXPECT_TRUE(found == tensors.begin());
  function<float(float)> f = [](float a) { return a * 2; };
  EXPECT_TRUE(f && f != nullptr);
  const set<int> numbers = {1, 2};
  EXPECT_EQ(accumulate(numbers.begin(), numbers.end(), 0), 3);
  // An expression converts to nothing by itself.
  static_assert(!is_convertible_v<Tensor<cpu, 2>, bool>);
  static_assert(!is_convertible_v<decltype(t == t), bool>);
  static_assert(!is_constructible_v<int, Tensor<cpu, 2>>);
}
