// SPDX-License-Identifier: Apache-2.0
#include "../../examples/mnist/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mnist_by_hand.h"

namespace {

using namespace mshadow;
using mnist::Network;
using mnist::Parameters;

class NetworkTest : public ::testing::Test {
 protected:
  NetworkTest() : network_(nullptr), parameters_(nullptr), gradient_(nullptr), unused_(nullptr) {
    Random<cpu, double> random(3);
    parameters_.Initialize(&random);
    parameters_.conv1_bias = 0.1;
    parameters_.conv2_bias = -0.1;
    parameters_.dense1_bias = 0.05;
    random.SampleUniform(&images_, -1.0, 1.0);
    for (index_t n = 0; n < labels_.size(0); ++n) labels_[n] = static_cast<double>(n * 3 % 10);
  }

  /// The loss that Train differentiates; the seed fixes which units are dropped.
  double Loss(double keep) {
    network_.Seed(17);
    network_.Train(images_, labels_, parameters_, keep, kScale, &unused_);
    double loss = 0;
    for (index_t n = 0; n < labels_.size(0); ++n) {
      loss -= kScale * std::log(network_.output[n][static_cast<index_t>(labels_[n])]);
    }
    return loss;
  }

  /// Compares gradient number i with a difference quotient.
  void ExpectGradient(index_t i, double keep) {
    const double step = 1e-6, at = parameters_.all[i];
    parameters_.all[i] = at + step;
    const double above = Loss(keep);
    parameters_.all[i] = at - step;
    const double below = Loss(keep);
    parameters_.all[i] = at;
    const double want = (above - below) / (2 * step);
    EXPECT_NEAR(gradient_.all[i], want, 1e-6 + 1e-5 * std::abs(want)) << "parameter " << i;
  }

  static constexpr double kScale = 0.25;
  TensorContainer<cpu, 4, double> images_{Shape4(3, 1, 28, 28)};
  TensorContainer<cpu, 1, double> labels_{Shape1(3)};
  Network<cpu, double> network_;
  Parameters<cpu, double> parameters_, gradient_, unused_;
};

TEST_F(NetworkTest, OutputsAreProbabilities) {
  network_.Forward(images_, parameters_);
  for (index_t n = 0; n < 3; ++n) {
    double sum = 0;
    for (index_t j = 0; j < 10; ++j) {
      EXPECT_GE(network_.output[n][j], 0.0);
      sum += network_.output[n][j];
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

// A sample of every layer's parameters. 101 is prime to the widths of all the matrices.
TEST_F(NetworkTest, GradientIsThatOfTheLoss) {
  network_.Train(images_, labels_, parameters_, 1.0, kScale, &gradient_);
  const index_t count = Parameters<cpu, double>::kCount;
  for (index_t i = 0; i < count; i += 101 * 23) ExpectGradient(i, 1.0);
}

// With and without dropout.
TEST_F(NetworkTest, GradientIsTheOneWrittenByHand) {
  mnist::NetworkByHand<cpu, double> by_hand(nullptr);
  Parameters<cpu, double> expected(nullptr);
  for (double keep : {1.0, 0.6}) {
    network_.Seed(17);
    network_.Train(images_, labels_, parameters_, keep, kScale, &gradient_);
    by_hand.Seed(17);
    by_hand.Forward(images_, parameters_, keep);
    by_hand.Backward(images_, labels_, parameters_, kScale, &expected);
    for (index_t i = 0; i < Parameters<cpu, double>::kCount; ++i) {
      ASSERT_NEAR(gradient_.all[i], expected.all[i], 1e-12) << i << ", keep " << keep;
    }
  }
}

// A batch is the sum of its parts: what lets workers share it.
TEST_F(NetworkTest, GradientOfABatchIsTheSumOverItsParts) {
  network_.Train(images_, labels_, parameters_, 1.0, kScale, &gradient_);
  Parameters<cpu, double> sum(nullptr), part(nullptr);
  Network<cpu, double> other(nullptr);
  for (index_t n = 0; n < 3; ++n) {
    other.Train(images_.Slice(n, n + 1), labels_.Slice(n, n + 1), parameters_, 1.0, kScale, &part);
    sum.all += part.all;
  }
  for (index_t i = 0; i < Parameters<cpu, double>::kCount; ++i) {
    ASSERT_NEAR(sum.all[i], gradient_.all[i], 1e-12) << i;
  }
}

}  // namespace
