// SPDX-License-Identifier: Apache-2.0
#include <mshadow/numpy.h>

#include <cmath>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace numpy_creation_test {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;

TEST(NumpyCreation, FilledContainers) {
  const TensorContainer<cpu, 2> a = zeros(Shape2(2, 3)), b = ones(Shape2(2, 3));
  const TensorContainer<cpu, 1, int> c = full<int>(Shape1(4), 7);
  EXPECT_TRUE(all(a == 0.0f));
  EXPECT_TRUE(all(b == 1.0f));
  EXPECT_EQ(sum(c), 28);
  EXPECT_EQ(zeros<double>(Shape2(0, 3)).shape_, Shape2(0, 3));
}

TEST(NumpyCreation, Linspace) {
  for (const index_t n : {1, 2, 3, 7, 1000}) {
    for (const bool endpoint : {true, false}) {
      TensorContainer<cpu, 1, double> a(Shape1(n)), b(Shape1(n));
      TensorContainer<cpu, 1> f(Shape1(n));
      a = linspace<double>(-0.3, 7.1, n, endpoint);
      f = linspace(-0.3, 7.1, n, endpoint);
      b = logspace<double>(0.0, 3.0, n, endpoint, 2.0);
      const double gaps = endpoint ? n - 1.0 : n;
      for (index_t i = 0; i < n; ++i) {
        const double share = gaps == 0 ? 0 : i / gaps;
        EXPECT_NEAR(a[i], -0.3 + share * 7.4, 1e-14) << n << " " << i;
        EXPECT_EQ(f[i], static_cast<float>(a[i]));
        EXPECT_NEAR(b[i], std::pow(2.0, 3.0 * share), 1e-13);
      }
      if (endpoint && n > 1) {
        EXPECT_EQ(a[n - 1], 7.1);
      }
    }
  }
  TensorContainer<cpu, 1> none(Shape1(0));
  none = linspace(0, 1, 0);
}

TEST(NumpyCreation, NegativeNumbers) {
  EXPECT_NE(ErrorOf([] { linspace(0, 1, -2); }).find("linspace: n = -2"), std::string::npos);
  EXPECT_NE(ErrorOf([] { logspace(0, 1, -2); }).find("n = -2 is negative"), std::string::npos);
  for (const auto& message :
       {ErrorOf([] { hanning(-3); }), ErrorOf([] { hamming(-3); }), ErrorOf([] { blackman(-3); }),
        ErrorOf([] { bartlett(-3); })}) {
    EXPECT_NE(message.find("a window of -3 elements"), std::string::npos) << message;
  }
}

TEST(NumpyCreation, FromIndices) {
  TensorContainer<cpu, 3, int> first(Shape3(2, 3, 5)), last(first.shape_);
  TensorContainer<cpu, 3> f(first.shape_);
  first = indices<int>(first.shape_, 0);
  last = indices<int>(first.shape_, -1);
  f = from_function(first.shape_, [](float z, float y, float x) { return z * 100 + y * 10 + x; });
  for (index_t z = 0; z < 2; ++z) {
    for (index_t y = 0; y < 3; ++y) {
      for (index_t x = 0; x < 5; ++x) {
        EXPECT_EQ(first[z][y][x], static_cast<int>(z));
        EXPECT_EQ(last[z][y][x], static_cast<int>(x));
        EXPECT_EQ(f[z][y][x], static_cast<float>(z * 100 + y * 10 + x));
      }
    }
  }
  EXPECT_NE(ErrorOf([] { indices(Shape2(2, 3), 2); }).find("indices: axis = 2"), std::string::npos);
}

TEST(NumpyCreation, IndicesOfSmallTypes) {
  TensorContainer<cpu, 1, uint8_t> bytes(Shape1(256));
  bytes = indices<uint8_t>(bytes.shape_, 0);
  EXPECT_EQ(bytes[255], 255);
}

TEST(NumpyCreation, Meshgrid) {
  const TensorContainer<cpu, 1> x({1, 2, 3}), y({5, 7});
  const auto [first, second] = meshgrid(x, y * 2.0f);
  TensorContainer<cpu, 2> a, b;
  a = first + 0.0f;
  b = second;
  ASSERT_EQ(a.shape_, Shape2(2, 3));
  for (index_t j = 0; j < 2; ++j) {
    for (index_t i = 0; i < 3; ++i) {
      EXPECT_EQ(a[j][i], x[i]);
      EXPECT_EQ(b[j][i], 2 * y[j]);
    }
  }
}

TEST(NumpyCreation, Windows) {
  for (const index_t n : {1, 2, 5, 8}) {
    TensorContainer<cpu, 1, double> hann(Shape1(n)), hamm(Shape1(n)), black(Shape1(n)),
        bart(Shape1(n));
    hann = hanning<double>(n);
    hamm = hamming<double>(n);
    black = blackman<double>(n);
    bart = bartlett<double>(n);
    for (index_t i = 0; i < n; ++i) {
      const double phase = n == 1 ? M_PI : 2 * M_PI * i / (n - 1.0);
      EXPECT_NEAR(hann[i], 0.5 - 0.5 * std::cos(phase), 1e-15);
      EXPECT_NEAR(hamm[i], 0.54 - 0.46 * std::cos(phase), 1e-15);
      EXPECT_NEAR(black[i], 0.42 - 0.5 * std::cos(phase) + 0.08 * std::cos(2 * phase), 1e-15);
      EXPECT_NEAR(bart[i], 1 - std::abs(phase / M_PI - 1), 1e-15);
    }
  }
}

}  // namespace
}  // namespace numpy_creation_test
}  // namespace mshadow
