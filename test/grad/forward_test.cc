// SPDX-License-Identifier: Apache-2.0
#include "check_jvp.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckJvp;
using testing::Filled;

struct Forward : ::testing::Test {
  Filled<2> x{Shape2(3, 4), -1, 1, 1}, w{Shape2(4, 2), -1, 1, 2}, p{Shape2(3, 4), 0.3, 1.5, 3};
  Filled<1> b{Shape1(2), -1, 1, 4}, row{Shape1(4), 0.5, 1.5, 5};
};

TEST_F(Forward, Maps) {
  CheckJvp([](auto& t, const auto& a, const auto& c) { return t(tanh(a * c) / c - pow(c, a)); }, x,
           p);
  CheckJvp([](auto& t, const auto& a) { return t(where(a > 0.0, sqrt(abs(a)), a * floor(a))); }, x);
  CheckJvp([](auto& t, const auto& a, const auto& c) { return t(a * 2.0 + exp(c) * a); }, x, row);
  CheckJvp([](auto& t, const auto& a) { return t(F([](auto s) { return s * sin(s); }, a)); }, x);
}
TEST_F(Forward, Products) {
  CheckJvp([](auto& t, const auto& a, const auto& m) { return t(dot(sin(a), m)); }, x, w);
  CheckJvp([](auto& t, const auto& a) { return t(dot(a, a.T())); }, x);
  Filled<4> images(Shape4(2, 2, 4, 4), -1, 1), kernels(Shape4(2, 2, 3, 3), -1, 1, 2);
  CheckJvp([](auto& t, const auto& a, const auto& k) { return t(relu(conv2d(a, k, 1, 1))); },
           images, kernels);
  CheckJvp([](auto& t, const auto& a, const auto& k) { return t(conv_transpose2d(a, k, 2)); },
           images, kernels);
  CheckJvp([](auto& t, const auto& a,
              const auto& k) { return t(conv2d_grad_x(a * a, k, Shape2(4, 4), 1, 1)); },
           images, kernels);
}
TEST_F(Forward, SumsAndSpreadGradients) {
  const TensorContainer<cpu, 2, double> image(Shape2(6, 8), 1.0), pooled(x.value.shape_, 1.0);
  CheckJvp([](auto& t, const auto& a) { return t(sum_to(a * a, Shape2(3, 1))); }, x);
  CheckJvp([&](auto& t,
               const auto& a) { return t(unpool<red::maximum>(image, pooled, sin(a), 2, 2, 2)); },
           x);
}
TEST_F(Forward, Views) {
  CheckJvp([](auto& t, const auto& a) { return t(concat<0>(a.T(), slice<1>(a, 1, 4).T())); }, x);
  CheckJvp([&](auto& t, const auto& a) { return t(concat<0>(a * a, p.value)); }, x);
  CheckJvp([](auto& t, const auto& a) { return t(pad(sin(a), 1) + 1.0); }, x);
  CheckJvp([](auto& t, const auto& a) { return t(resize(a, 5, 6)); }, x);
  CheckJvp([](auto& t, const auto& a) { return t(pool<red::sum>(a * a, 2, 2, 1)); }, x);
}

TEST_F(Forward, Casts) {
  const TensorContainer<cpu, 1> a({1, 2}), da({1, -1});
  const auto [y, dy] = jvp([](auto& t, const auto& v) { return t(tcast<double>(v * v)); },
                           std::tie(a), std::tie(da));
  EXPECT_EQ(y[1], 4.0);
  EXPECT_EQ(dy[0], 2.0);
  EXPECT_EQ(dy[1], -4.0);
}
TEST_F(Forward, BlocksThatRunAgain) {
  CheckJvp(
      [](auto& t, const auto& a) {
        return t.Again([](auto& s, const auto& v) { return s(v * v); }, a);
      },
      x);
}
TEST_F(Forward, ParametersOfOthersAreRefused) {
  const TensorContainer<cpu, 1, double> a({1, 2}), da({1, 1});
  Parameter<cpu, 1, double> other(Shape1(2), 3.0);
  EXPECT_THROW(jvp([&](auto& t, const auto& v) { return t(v * other); }, std::tie(a), std::tie(da)),
               Error);
  const auto [y, dy] =
      jvp([&](auto& t, const auto& v) { return t(v * other.value); }, std::tie(a), std::tie(da));
  EXPECT_EQ(dy[1], 3.0);
  EXPECT_EQ(y[1], 6.0);
}

}  // namespace
}  // namespace mshadow
