// SPDX-License-Identifier: Apache-2.0
#include <mshadow/nn.h>

#include <cmath>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace normalise_test {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;
using testing::Guarded;

struct Normalise : ::testing::Test {
  Normalise() {
    x.FillRandom(-1, 1);
    rows.FillRandom(-2, 2, 5);
    gamma.FillRandom(0.5, 1.5, 2);
    beta.FillRandom(-1, 1, 3);
    width.FillRandom(0.5, 1.5, 4);
  }
  Guarded<4> x{Shape4(3, 6, 4, 5), 3, 1}, out{Shape4(3, 6, 4, 5), 2};
  Guarded<2> rows{Shape2(7, 6), 2}, rows_out{Shape2(7, 6)};
  Guarded<1> gamma{Shape1(6)}, beta{Shape1(6)}, width{Shape1(6)};
};

TEST_F(Normalise, RmsNorm) {
  *rows_out = rms_norm(*rows, *width, 0.01);
  for (std::size_t i = 0; i < 7; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < 6; ++j) squares += std::pow(rows.At(i * 6 + j), 2.0) / 6;
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(rows_out.At(i * 6 + j),
                  rows.At(i * 6 + j) / std::sqrt(squares + 0.01) * width.At(j), 1e-6);
    }
  }
}
TEST_F(Normalise, RmsNormOfAVector) {
  Guarded<1> y{Shape1(6)};
  *y = rms_norm(*width, *gamma, 0.01);
  double squares = 0;
  for (std::size_t j = 0; j < 6; ++j) squares += std::pow(width.At(j), 2.0) / 6;
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(y.At(j), width.At(j) / std::sqrt(squares + 0.01) * gamma.At(j), 1e-6);
  }
}

/// Checks `out` where the elements of a group are those for which group_of(n, c) is the same.
template <typename GroupOf>
void Check(Normalise* t, int groups, const GroupOf& group_of) {
  for (int g = 0; g < groups; ++g) {
    double sum = 0, squares = 0, n = 0;
    const auto each = [&](const auto& f) {
      for (std::size_t i = 0; i < 360; ++i) {
        if (group_of(i / 120, i / 20 % 6) == g) f(i, static_cast<double>(t->x.At(i)));
      }
    };
    each([&](std::size_t, double value) { sum += value, ++n; });
    each([&](std::size_t, double value) { squares += std::pow(value - sum / n, 2.0); });
    each([&](std::size_t i, double value) {
      const std::size_t c = i / 20 % 6;
      ASSERT_NEAR(
          t->out.At(i),
          (value - sum / n) / std::sqrt(squares / n + 1e-5) * t->gamma.At(c) + t->beta.At(c), 2e-6);
    });
  }
  EXPECT_TRUE(t->out.Intact());
}
TEST_F(Normalise, BatchNorm) {
  *out = batch_norm(*x, *gamma, *beta);
  Check(this, 6, [](std::size_t, std::size_t c) { return static_cast<int>(c); });
  Guarded<1> means(Shape1(6)), variances(Shape1(6));
  *means = mean<0, 2, 3>(*x);
  *variances = var<0, 2, 3>(*x);
  *out = batch_norm(*x, *means, *variances, *gamma, *beta);
  Check(this, 6, [](std::size_t, std::size_t c) { return static_cast<int>(c); });
  *rows_out = batch_norm(*rows, *gamma, *beta);
  double sum = 0;
  for (std::size_t i = 0; i < 7; ++i) sum += rows_out.At(i * 6 + 2);
  EXPECT_NEAR(sum / 7, beta.At(2), 1e-6);
}
TEST_F(Normalise, GroupNorm) {
  *out = group_norm(*x, 3, *gamma, *beta);
  Check(this, 9, [](std::size_t n, std::size_t c) { return static_cast<int>(n * 3 + c / 2); });
  EXPECT_NE(ErrorOf([&] { *out = group_norm(*x, 4, *gamma, *beta); }).find("4 groups of the"),
            std::string::npos);
}

TEST_F(Normalise, SquaresOfHalvesDoNotOverflow) {
  using half::half_t;
  Guarded<2, half_t> x(Shape2(2, 2)), y(Shape2(2, 2));
  Guarded<1, half_t> one(Shape1(2)), zero(Shape1(2));
  for (std::size_t i = 0; i < 4; ++i) x.At(i) = half_t(i < 2 ? -300.0f : 300.0f);
  *one = half_t(1.0f);
  *zero = half_t(0.0f);
  *y = batch_norm(*x, *one, *zero);
  EXPECT_NEAR(static_cast<float>(y.At(0)), -1, 1e-3);
  *y = rms_norm(*x, *one);
  EXPECT_NEAR(static_cast<float>(y.At(3)), 1, 1e-3);
}

}  // namespace
}  // namespace normalise_test
}  // namespace mshadow
