// SPDX-License-Identifier: Apache-2.0
// Attention that learns to write sequences backwards: embeddings of tokens and of places, and one
// head over a batch of sequences, trained by a tape. https://arxiv.org/abs/1706.03762
// All parameters lie in one block of memory, so that a step of Adam is one fused statement.
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

constexpr index_t kBatch = 16, kLength = 5, kTokens = 6, kWidth = 16;

/// The part of a block from `begin` on, as a matrix.
Variable<Device, 2> Part(const Tensor<Device, 1>& value, const Tensor<Device, 1>& gradient,
                         index_t begin, index_t rows, index_t cols) {
  const Shape<2> shape = Shape2(rows, cols);
  return {Tensor<Device, 2>(value.dptr_ + begin, shape),
          Tensor<Device, 2>(gradient.dptr_ + begin, shape)};
}

/// Sequence i of batch `step`: token j is one of the first kTokens numbers.
TensorContainer<Device, 1, int> Sequences(int step) {
  std::uint32_t state = static_cast<std::uint32_t>(step) * 2654435761u + 1;
  TensorContainer<cpu, 1, int> tokens(Shape1(kBatch * kLength));
  for (index_t i = 0; i < tokens.size(0); ++i) {
    state = state * 1664525u + 1013904223u;
    tokens[i] = static_cast<int>((state >> 16) % kTokens);
  }
  TensorContainer<Device, 1, int> result(tokens.shape_);
  Copy(result, tokens);
  return result;
}

int main() {
  const index_t d = kWidth, n = d * (kTokens + kLength + 3 * d + kTokens);
  const auto i = range<float>(1, 1 + n);
  TensorContainer<Device, 1> value = 0.3f * sin(i * i), gradient(Shape1(n));
  TensorContainer<Device, 1> mean(Shape1(n), 0.0f), square(Shape1(n), 0.0f);
  index_t next = 0;
  const auto part = [&](index_t rows, index_t cols) {
    next += rows * cols;
    return Part(value, gradient, next - rows * cols, rows, cols);
  };
  const auto token = part(kTokens, d), place = part(kLength, d), query = part(d, d),
             key = part(d, d), content = part(d, d), output = part(d, kTokens);

  const auto network = [&](Tape& t, const Tensor<Device, 1, int>& tokens) {
    const Shape<3> batches = Shape3(kBatch, kLength, d);
    const auto x = t(take(tokens, token) + tile(place, Shape2(kBatch, 1)));
    const auto q = t(reshape(dot(x, query), batches)), k = t(reshape(dot(x, key), batches));
    const auto v = t(reshape(dot(x, content), batches));
    const auto weights = t(softmax<2>(batch_dot<false, true>(q, k) * (1 / std::sqrt(1.0f * d))));
    const auto mixed = t(batch_dot<false, false>(weights, v));
    return t(dot(reshape(mixed, Shape2(kBatch * kLength, d)), output));
  };
  const auto backwards = [](const Tensor<Device, 1, int>& tokens) {
    return eval(reshape(flip(reshape(tokens, Shape2(kBatch, kLength)), 1), tokens.shape_));
  };

  std::cout << std::fixed << std::setprecision(1);
  for (int step = 1; step <= 120; ++step) {
    const auto tokens = Sequences(step);
    Tape t;
    const auto loss = t(mean_all(cross_entropy(network(t, tokens), backwards(tokens))));
    gradient = 0.0f;
    t.Backward(loss);
    const float of_mean = 1 - std::pow(0.9f, step), of_square = 1 - std::pow(0.99f, step);
    Fuse(lazy(mean) = 0.9f * mean + 0.1f * gradient,
         lazy(square) = 0.99f * square + 0.01f * gradient * gradient,
         lazy(value) -= 0.01f * (mean / of_mean) / (sqrt(square / of_square) + 1e-8f));
    if (step % 119 == 1) std::cout << "step " << step << ", loss " << sum(loss.value) << "\n";
  }

  const auto tokens = Sequences(0);
  Tape t;
  const TensorContainer<Device, 1, int> written = tcast<int>(argmax<1>(network(t, tokens).value));
  std::cout << "read    " << tokens.Slice(0, kLength) << "\nwritten " << written.Slice(0, kLength)
            << "\nright   " << sum(tcast<int>(written == backwards(tokens))) << " of "
            << kBatch * kLength << "\n";
}
