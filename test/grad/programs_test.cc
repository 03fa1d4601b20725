// SPDX-License-Identifier: Apache-2.0
// Programs as users of PyTorch write them.
#include <mshadow/nn.h>

#include <deque>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::FillBetween;
using testing::Filled;

TEST(Program, WeightsOfTwoLayersAreOne) {
  Filled<2> w(Shape2(5, 4), -1, 1), m(Shape2(4, 4), -1, 1, 2);
  const TensorContainer<cpu, 1, int> tokens({0, 3, 3, 1, 4, 0}), next({3, 3, 1, 4, 0, 2});
  CheckGradient(
      [&](Tape& t, auto& embedding, auto& hidden) {
        const auto h = t(tanh(dot(take(tokens, embedding), hidden)));
        return t(cross_entropy(dot(h, embedding.T()), next));
      },
      w, m);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(dot(dot(a, b), dot(a, b).T())); }, w, m);
  CheckGradient([](Tape& t, auto& a) { return t(a * a + a * a.T() + dot(a, a)); }, m);
}
TEST(Program, LeavesAreSlicesOfABlock) {
  TensorContainer<cpu, 1, double> value(Shape1(20)), gradient(Shape1(20), 0.0);
  FillBetween(value, -1, 1);
  const Variable<cpu, 1, double> b(value.Slice(0, 4), gradient.Slice(0, 4)), all(value, gradient);
  const Variable<cpu, 2, double> w(Tensor<cpu, 2, double>(value.dptr_ + 4, Shape2(4, 4)),
                                   Tensor<cpu, 2, double>(gradient.dptr_ + 4, Shape2(4, 4)));
  const auto loss = [&](bool backward) {
    Tape t;
    const auto h = t(tanh(dot(w, w) + b));
    const auto y = t(sum_all(h * b) + sum_all(all * all));
    if (backward) t.Backward(y);
    return y.value[0];
  };
  loss(true);
  for (index_t i = 0; i < 20; ++i) {
    const double old = value[i];
    value[i] = old + 1e-5;
    const double above = loss(false);
    value[i] = old - 1e-5;
    const double below = loss(false);
    value[i] = old;
    EXPECT_NEAR(gradient[i], (above - below) / 2e-5, 1e-7) << i;
  }
}
/// A view of some columns of a block, and of others of a block of gradients.
struct Columns : Variable<cpu, 2, double> {
  TensorContainer<cpu, 2, double> block, gradients;
  Columns(index_t rows, index_t cols, std::uint32_t seed)
      : block(Shape2(rows, cols + 3)), gradients(Shape2(rows, cols + 5), 0.0) {
    FillBetween(block, -1, 1, seed);
    static_cast<Variable<cpu, 2, double>&>(*this) = Variable<cpu, 2, double>(
        Tensor<cpu, 2, double>(block.dptr_ + 1, Shape2(rows, cols), cols + 3, nullptr),
        Tensor<cpu, 2, double>(gradients.dptr_ + 2, Shape2(rows, cols), cols + 5, nullptr));
  }
  void ZeroGradient() { gradients = 0.0; }
};
TEST(Program, LeavesHavePaddedRows) {
  Columns a(4, 5, 1), b(5, 4, 2), c(4, 5, 3);
  CheckGradient(
      [](Tape& t, auto& x, auto& y, auto& z) { return t(tanh(dot(x, y)) + dot(z, x.T())); }, a, b,
      c);
  CheckGradient(
      [](Tape& t, auto& x, auto& y, auto& z) {
        return t(reshape(x, Shape2(5, 4)) * y +
                 concat<0>(slice<0>(y, 0, 2), slice<0>(z.T(), 2, 5)));
      },
      a, b, c);
  EXPECT_EQ(a.gradients(1, 0) + a.gradients(1, 1) + a.gradients(1, 7), 0.0);
}
TEST(Program, ListsOfLayers) {
  std::deque<Parameter<cpu, 2, double>> layers;  // a Parameter does not move
  for (int i = 0; i < 3; ++i) layers.emplace_back(Shape2(3, 3), 0.1 * (i + 1));
  const TensorContainer<cpu, 2, double> x(Shape2(2, 3), 1.0);
  Tape t;
  Variable<cpu, 2, double> h = t(x);
  for (const auto& w : layers) h = t(dot(h, w));
  t.Backward(h);
  EXPECT_NEAR(layers[0].grad()(0, 0), 2 * 0.6 * 0.9, 1e-12);
}
TEST(Program, BatchesOfOne) {
  Filled<2> x(Shape2(1, 3), -1, 1, 2), w(Shape2(3, 4), -1, 1);
  Filled<1> gain(Shape1(4), 0.5, 1, 6), bias(Shape1(4), -1, 1, 3);
  const TensorContainer<cpu, 1, int> label({2});
  CheckGradient(
      [&](Tape& t, auto& a, auto& c, auto& g, auto& b) {
        const auto h = t(layer_norm(dot(a, c), g, b));
        return t(mean_all(cross_entropy(h, label)));
      },
      x, w, gain, bias);
}
TEST(Program, EmptyBatches) {
  Filled<2> w(Shape2(3, 4), -1, 1);
  Filled<1> gain(Shape1(4), 0.5, 1), bias(Shape1(4), -1, 1, 3);
  Filled<4> kernels(Shape4(3, 2, 3, 3), -1, 1);
  const TensorContainer<cpu, 2, double> x(Shape2(0, 3));
  const TensorContainer<cpu, 4, double> images(Shape4(0, 2, 5, 5));
  const TensorContainer<cpu, 1, int> label(Shape1(0));
  Tape t;
  const auto h = t(layer_norm(relu(dot(x, w) + bias), gain, bias));
  t.Backward(t(sum_all(cross_entropy(h, label))));
  const auto y = t(relu(conv2d(images, kernels, 1, 1)));
  t.Backward(t(sum_all(pool<red::maximum>(y, 2, 2, 2, 2))));
  EXPECT_EQ(sum(abs(w.grad())) + sum(abs(bias.grad())) + sum(abs(kernels.grad())), 0.0);
  EXPECT_EQ(w.grad().shape_, w.value.shape_);
}
TEST(Program, ATapeIsClearedAndUsedAgain) {
  Filled<1> w(Shape1(3), -1, 1);
  Tape t;
  for (int step = 0; step < 3; ++step) {
    t.Backward(t(w * w));
    EXPECT_EQ(w.grad()[0], 2 * w.value[0]);
    w.value -= 0.1 * w.grad();
    w.ZeroGradient();
    t.Clear();
  }
}
#ifndef NDEBUG
TEST(Program, ParametersThatChangeBeforeBackward) {
  Filled<1> w(Shape1(3), -1, 1);
  Tape t;
  const auto reads = t(w * w), reads_not = t(w * 2.0);
  w.value -= 0.1;
  EXPECT_THROW(t.Backward(reads), Error);
  w.ZeroGradient();
  t.Backward(reads_not);
  EXPECT_EQ(w.grad()[0], 2.0);
}
#endif
TEST(Program, AStatementThatThrows) {
  Filled<2> w(Shape2(3, 4), -1, 1);
  const TensorContainer<cpu, 2, double> x(Shape2(5, 3), 1.0), wrong(Shape2(5, 7), 1.0);
  Tape t;
  const auto h = t(dot(x, w));
  EXPECT_THROW(t(dot(wrong, w)), Error);
  EXPECT_THROW(t(softmax<1>(dot(x, w)) + wrong), Error);
  t.Backward(t(h * h));
  const TensorContainer<cpu, 2, double> expected = 2.0 * dot(x.T(), h.value);
  EXPECT_LT(max(abs(w.grad() - expected)), 1e-12);
}
TEST(Program, SixteenBits) {
  using half::half_t;
  Parameter<cpu, 2, half_t> w(Shape2(3, 4), half_t(0.5f));
  Parameter<cpu, 1, half_t> b(Shape1(4), half_t(0.25f));
  const TensorContainer<cpu, 2, half_t> x(Shape2(2, 3), half_t(1.0f));
  const TensorContainer<cpu, 1, int> label({2, 1});
  Tape t;
  const auto h = t(tanh(dot(x, w) + b));
  t.Backward(t(mean_all(tcast<float>(cross_entropy(h, label)))));
  EXPECT_NEAR(float(b.grad()[0]), 0.25 * (1 - std::pow(std::tanh(1.75), 2)), 1e-3);
  // The parameter has 32 bits, the product 16.
  Parameter<cpu, 2> master(Shape2(3, 4), 0.5f);
  const auto y = t(tcast<float>(dot(x, tcast<half_t>(master))));
  t.Backward(t(sum_all(y * y)));
  EXPECT_NEAR(master.grad()(0, 0), 2 * 1.5 * 2, 1e-2);
}
TEST(Program, RandomNumbersAreTheSameInBackward) {
  Filled<2> x(Shape2(30, 40), 1, 2);
  Random<cpu, double> random(3);
  Tape t;
  const auto y = t(dropout(x, 0.5, &random)), z = t(dropout(x, 0.5, &random) * 3.0);
  t.Backward(y);
  EXPECT_EQ(sum((y.value != 0.0) != (x.grad() != 0.0)), 0);
  x.ZeroGradient();
  t.Backward(z);
  EXPECT_EQ(sum((z.value != 0.0) != (x.grad() != 0.0)), 0);
  x.ZeroGradient();
  Random<cpu, double> noise(5), same(5);
  const auto added = noise.uniform(x.value.shape_);
  t.Backward(t(tanh(x * noise.gaussian(x.value.shape_, 1, 2)) + added));
  same.uniform(x.value.shape_);
  const auto factor = same.gaussian(x.value.shape_, 1, 2);
  const TensorContainer<cpu, 2, double> th = tanh(x.value * factor);
  EXPECT_LT(max(abs(x.grad() - (1.0 - th * th) * factor)), 1e-12);
}
TEST(Program, ThreadsHaveGradientsOfTheirOwn) {
  Filled<1> w(Shape1(300), -1, 1);
  TensorContainer<cpu, 2, double> gradients(Shape2(4, 300), 0.0);
  std::vector<std::thread> threads;
  for (index_t k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      const Variable<cpu, 1, double> mine(w.value, gradients[k]);
      for (int i = 0; i < 10; ++i) {
        Tape t;
        t.Backward(t(tanh(mine * mine)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (index_t k = 1; k < 4; ++k) EXPECT_EQ(sum(gradients[k] != gradients[0]), 0);
}
TEST(Program, AnExceptionLeavesNothingOnOtherTapes) {
  Parameter<cpu, 1, double> w(Shape1(1), 2.0), q(Shape1(1), 1.0);
  Tape a, b;
  const auto h = a(w * w);
  const auto y = b(b(q * q) * h);
  EXPECT_THROW(b.BackwardEach(y, [](auto&) { throw std::runtime_error("done"); }, q),
               std::runtime_error);
  w.ZeroGradient();
  a.Backward(h);
  EXPECT_EQ(w.grad()[0], 4.0);
}
TEST(Program, Losses) {
  Filled<2> z(Shape2(3, 4), -1, 1), q(Shape2(3, 4), -1, 1, 3);
  const TensorContainer<cpu, 2, double> y(Shape2(3, 4), 0.5);
  CheckGradient(  // logistic
      [&](Tape& t, auto& a) { return t(maximum(a, 0.0) - a * y + log1p(exp(-abs(a)))); }, z);
  CheckGradient(  // Huber
      [&](Tape& t, auto& a) {
        return t(where(abs(a - y) < 1.0, 0.5 * square(a - y), abs(a - y) - 0.5));
      },
      z);
  CheckGradient(  // cosine
      [](Tape& t, auto& a, auto& b) { return t(sum<1>(a * b) / (norm<1>(a) * norm<1>(b))); }, z, q);
  CheckGradient(  // Kullback, Leibler
      [](Tape& t, auto& a, auto& b) {
        return t(sum<1>(softmax<1>(a) * (log_softmax<1>(a) - log_softmax<1>(b))));
      },
      z, q);
}
TEST(Program, CausalAttention) {
  Filled<3> q(Shape3(2, 3, 4), -1, 1), k(Shape3(2, 3, 4), -1, 1, 2);
  TensorContainer<cpu, 2, double> mask(Shape2(3, 3));
  const auto i = range(0, 3);
  mask = where(i > broadcast<0>(i, mask.shape_), -std::numeric_limits<double>::infinity(), 0.0);
  CheckGradient(
      [&](Tape& t, auto& a, auto& b) { return t(softmax<2>(batch_dot<false, true>(a, b) + mask)); },
      q, k);
}

}  // namespace
}  // namespace mshadow
