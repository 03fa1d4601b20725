// SPDX-License-Identifier: Apache-2.0
#include "check_jvp.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckJvp;
using testing::Filled;

struct ForwardNetworks : ::testing::Test {
  Filled<2> x{Shape2(3, 4), -1, 1, 1}, w{Shape2(4, 2), -1, 1, 2}, p{Shape2(3, 4), 0.3, 1.5, 3};
  Filled<1> b{Shape1(2), -1, 1, 4};
};

TEST_F(ForwardNetworks, Reductions) {
  CheckJvp([](auto& t, const auto& a) { return t(sum<0>(a * a) * max<0>(a) - mean<0>(a)); }, x);
  CheckJvp([](auto& t, const auto& a) { return t(prod<1>(a) + norm<1>(a) * logsumexp<1>(a)); }, p);
  CheckJvp([](auto& t, const auto& a) { return t((a - mean<1>(a)) / stddev<1>(a)); }, x);
  CheckJvp([](auto& t, const auto& a) { return t(reduce_with_axis<red::maximum, false>(a, 0)); },
           x);
}
TEST_F(ForwardNetworks, Networks) {
  const TensorContainer<cpu, 1, int> labels({1, 0, 1});
  CheckJvp(
      [&](auto& t, const auto& a, const auto& m, const auto& o) {
        const auto h = t(sigmoid(dot(a, m) + o));
        return t(mean_all(cross_entropy(h, labels)));
      },
      x, w, b);
  CheckJvp([](auto& t, const auto& a) { return t(softmax<1>(a * 2.0)); }, x);
  CheckJvp([](auto& t, const auto& a) { return t(log_softmax<1>(a)); }, x);
}

TEST(HessianTimes, Vectors) {
  Filled<1> x(Shape1(4), -1, 1), v(Shape1(4), -1, 1, 2);
  const auto cubes =
      hessian_times([](auto& t, const auto& a) { return t(a * a * a); }, x.value, v.value);
  for (index_t i = 0; i < 4; ++i) EXPECT_NEAR(cubes[i], 6 * x.value[i] * v.value[i], 1e-8);
  // (a . a)^2 / 2, whose Hessian is 2 (a . a) + 4 a a'
  const auto products = hessian_times(
      [](auto& t, const auto& a) {
        const auto square = t(sum_all(a * a));
        return t(square * square * 0.5);
      },
      x.value, v.value);
  const double xx = sum(x.value * x.value), xv = sum(x.value * v.value);
  for (index_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(products[i], 2 * xx * v.value[i] + 4 * xv * x.value[i], 1e-8);
  }
  const auto none =
      hessian_times([](auto& t, const auto& a) { return t(a * a); }, x.value, eval(v.value * 0.0));
  EXPECT_EQ(sum(abs(none)), 0.0);
}
TEST(HessianTimes, WrongShapes) {
  Filled<1> x(Shape1(4), -1, 1), v(Shape1(3), -1, 1);
  const auto f = [](auto& t, const auto& a) { return t(a * a); };
  EXPECT_THROW(hessian_times(f, x.value, v.value), Error);
  EXPECT_THROW(jvp(f, std::tie(x.value), std::tie(v.value)), Error);
}

}  // namespace
}  // namespace mshadow
