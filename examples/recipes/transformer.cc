// SPDX-License-Identifier: Apache-2.0
// A transformer that learns to sort: each token of a sequence becomes the one that stands there
// when the sequence is sorted. Two blocks of attention in several heads and of a perceptron, each
// after a normalisation, trained by a tape. https://arxiv.org/abs/1706.03762 All parameters lie in
// one block of memory, so that a step of Adam is one fused statement.
#include <mshadow/grad.h>
#include <mshadow/nn.h>
#include <mshadow/print.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles
using Matrix = Variable<Device, 2>;
using Vector = Variable<Device, 1>;

constexpr index_t kBatch = 32, kLength = 6, kTokens = 8, kWidth = 32, kHeads = 4, kBlocks = 2;
constexpr index_t kRows = kBatch * kLength, kHead = kWidth / kHeads;

/// Sequences of random tokens, one behind the other, and each sequence sorted.
struct Batch {
  TensorContainer<Device, 1, int> tokens{Shape1(kRows)}, sorted{Shape1(kRows)};
  explicit Batch(int seed) {
    std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761u + 1;
    TensorContainer<cpu, 1, int> numbers(Shape1(kRows)), in_order(Shape1(kRows));
    for (index_t i = 0; i < kRows; ++i) {
      state = state * 1664525u + 1013904223u;
      numbers[i] = in_order[i] = static_cast<int>((state >> 16) % kTokens);
    }
    for (index_t i = 0; i < kRows; i += kLength) {
      std::sort(in_order.dptr_ + i, in_order.dptr_ + i + kLength);
    }
    Copy(tokens, numbers);
    Copy(sorted, in_order);
  }
};

/// One block of memory, handed out in parts.
struct Parameters {
  TensorContainer<Device, 1> value, gradient, mean, square;
  index_t used = 0;
  explicit Parameters(index_t n)
      : value(Shape1(n)), gradient(value.shape_, 0.0f), mean(gradient), square(gradient) {
    const auto i = range<float>(1, 1.0f + n);
    value = 0.2f * sin(i * i);
  }
  template <int dim>
  Variable<Device, dim> Part(const Shape<dim>& shape) {
    const index_t begin = used;
    used += static_cast<index_t>(shape.Size());
    return {Tensor<Device, dim>(value.dptr_ + begin, shape),
            Tensor<Device, dim>(gradient.dptr_ + begin, shape)};
  }
  void Adam(int step, float rate) {
    const float of_mean = 1 - std::pow(0.9f, 1.0f * step);
    const float of_square = 1 - std::pow(0.99f, 1.0f * step);
    Fuse(lazy(mean) = 0.9f * mean + 0.1f * gradient,
         lazy(square) = 0.99f * square + 0.01f * gradient * gradient,
         lazy(value) -= rate * (mean / of_mean) / (sqrt(square / of_square) + 1e-8f));
  }
};

struct Norm {
  Vector gain, bias;
  explicit Norm(Parameters* p) : gain(p->Part(Shape1(kWidth))), bias(p->Part(Shape1(kWidth))) {
    gain.value = 1.0f;
    bias.value = 0.0f;
  }
  Matrix operator()(Tape& t, const Matrix& x) const { return t(layer_norm(x, gain, bias)); }
};

struct Block {
  Norm before_attention, before_perceptron;
  Matrix query, key, content, output, up, down;
  explicit Block(Parameters* p)
      : before_attention(p),
        before_perceptron(p),
        query(p->Part(Shape2(kWidth, kWidth))),
        key(p->Part(query.value.shape_)),
        content(p->Part(query.value.shape_)),
        output(p->Part(query.value.shape_)),
        up(p->Part(Shape2(kWidth, 4 * kWidth))),
        down(p->Part(Shape2(4 * kWidth, kWidth))) {}

  /// x w, whose columns are those of all heads: -> (batch heads, length, head).
  static Variable<Device, 3> Heads(Tape& t, const Matrix& x, const Matrix& w) {
    const auto split = reshape(dot(x, w), Shape4(kBatch, kLength, kHeads, kHead));
    return t(
        reshape(transpose(split, Shape4(0, 2, 1, 3)), Shape3(kBatch * kHeads, kLength, kHead)));
  }
  Matrix operator()(Tape& t, const Matrix& x) const {
    const Matrix n = before_attention(t, x);
    const auto q = Heads(t, n, query), k = Heads(t, n, key), v = Heads(t, n, content);
    const float scale = 1 / std::sqrt(1.0f * kHead);
    const auto weights = t(softmax<2>(batch_dot<false, true>(q, k) * scale));
    const auto mixed =
        reshape(t(batch_dot<false, false>(weights, v)), Shape4(kBatch, kHeads, kLength, kHead));
    const auto joined = t(reshape(transpose(mixed, Shape4(0, 2, 1, 3)), x.value.shape_));
    const Matrix y = t(x + dot(joined, output));
    return t(y + dot(t(relu(dot(before_perceptron(t, y), up))), down));
  }
};

struct Transformer {
  Parameters* p;
  Matrix token = p->Part(Shape2(kTokens, kWidth)), place = p->Part(Shape2(kLength, kWidth));
  std::vector<Block> blocks = BlocksOf(p);
  Norm last = Norm(p);
  Matrix output = p->Part(Shape2(kWidth, kTokens));

  static constexpr index_t kSize =
      (2 * kTokens + kLength + 2) * kWidth + kBlocks * (4 + 12 * kWidth) * kWidth;

  static std::vector<Block> BlocksOf(Parameters* p) {
    std::vector<Block> blocks;
    for (index_t i = 0; i < kBlocks; ++i) blocks.emplace_back(p);
    return blocks;
  }
  Matrix operator()(Tape& t, const Tensor<Device, 1, int>& tokens) const {
    Matrix x = t(take(tokens, token) + tile(place, Shape2(kBatch, 1)));
    for (const Block& block : blocks) x = block(t, x);
    return t(dot(last(t, x), output));
  }
};

int main() {
  Parameters parameters(Transformer::kSize);
  const Transformer transformer{&parameters};

  std::cout << std::fixed << std::setprecision(1);
  const int steps = 500;
  for (int step = 1; step <= steps; ++step) {
    const Batch batch(step);
    Tape t;
    const auto loss = t(mean_all(cross_entropy(transformer(t, batch.tokens), batch.sorted)));
    parameters.gradient = 0.0f;
    t.Backward(loss);
    parameters.Adam(step, 0.004f * (1 - 0.99f * step / steps));
    if (step == 1 || step == steps) {
      std::cout << "step " << step << ", loss " << sum(loss.value) << "\n";
    }
  }

  const Batch batch(-1);  // not seen in training
  Tape t;
  const TensorContainer<Device, 1, int> written =
      tcast<int>(argmax<1>(transformer(t, batch.tokens).value));
  std::cout << "read    " << batch.tokens.Slice(0, kLength) << "\nwritten "
            << written.Slice(0, kLength) << "\nright   " << sum(tcast<int>(written == batch.sorted))
            << " of " << kRows << "\n";
}
