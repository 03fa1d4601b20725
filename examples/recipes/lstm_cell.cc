// SPDX-License-Identifier: Apache-2.0
// An LSTM that learns to add: of each sequence of numbers two are marked, and after the last one
// it says their sum. The first test of the paper: https://doi.org/10.1162/neco.1997.9.8.1735
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

constexpr index_t kSteps = 10, kBatch = 32, kIn = 2, kCells = 16;

/// Sequences of (number, mark), and the sums of the marked ones.
struct Batch {
  TensorContainer<Device, 3> x{Shape3(kSteps, kBatch, kIn)};
  TensorContainer<Device, 1> sum{Shape1(kBatch)};
  explicit Batch(std::uint32_t seed) {
    std::uint32_t state = seed * 2654435761u + 1;
    const auto random = [&] { return state = state * 1664525u + 1013904223u, state >> 16; };
    TensorContainer<cpu, 3> numbers(x.shape_, 0.0f);
    TensorContainer<cpu, 1> sums(sum.shape_, 0.0f);
    for (index_t i = 0; i < kBatch; ++i) {
      for (index_t s = 0; s < kSteps; ++s) numbers(s, i, 0) = random() / 65536.0f;
      const index_t first = random() % (kSteps / 2), second = kSteps / 2 + random() % (kSteps / 2);
      for (const index_t s : {first, second}) {
        numbers(s, i, 1) = 1;
        sums[i] += numbers(s, i, 0);
      }
    }
    Copy(x, numbers);
    Copy(sum, sums);
  }
};

/// All parameters lie in one block of memory, so that a step of Adam is one statement.
struct Lstm {
  static constexpr index_t kGates = 4 * kCells, kSize = (kIn + kCells + 1) * kGates + kCells + 1;
  TensorContainer<Device, 1> value{Shape1(kSize)}, gradient{Shape1(kSize), 0.0f};
  TensorContainer<Device, 1> mean{Shape1(kSize), 0.0f}, square{Shape1(kSize), 0.0f};
  index_t used = 0;
  const Variable<Device, 2> of_input = Part(Shape2(kIn, kGates));
  const Variable<Device, 2> of_state = Part(Shape2(kCells, kGates));
  const Variable<Device, 1> bias = Part(Shape1(kGates)), out = Part(Shape1(kCells));
  const Variable<Device, 1> out_bias = Part(Shape1(1));

  template <int dim>
  Variable<Device, dim> Part(const Shape<dim>& shape) {
    const index_t begin = used;
    used += static_cast<index_t>(shape.Size());
    return {Tensor<Device, dim>(value.dptr_ + begin, shape),
            Tensor<Device, dim>(gradient.dptr_ + begin, shape)};
  }

  /// The sums that it says; x (steps, batch, in) -> (batch).
  Variable<Device, 1> Sums(Tape& t, const Tensor<Device, 3>& x) const {
    const index_t n = x.size(1), m = kCells;
    const TensorContainer<Device, 2> zero(Shape2(n, m), 0.0f);
    Variable<Device, 2> h = t(zero), c = h;
    for (index_t s = 0; s < x.size(0); ++s) {
      const auto z = t(dot(x[s], of_input) + dot(h, of_state) + bias);
      c = t(sigmoid(slice<1>(z, m, 2 * m)) * c +                            // keep
            sigmoid(slice<1>(z, 0, m)) * tanh(slice<1>(z, 2 * m, 3 * m)));  // and write
      h = t(sigmoid(slice<1>(z, 3 * m, 4 * m)) * tanh(c));                  // read
    }
    return t(dot(h, out) + broadcast_scalar(out_bias, Shape1(n)));
  }
  void Adam(int step, float rate) {
    const float of_mean = 1 - std::pow(0.9f, 1.0f * step);
    const float of_square = 1 - std::pow(0.99f, 1.0f * step);
    Fuse(lazy(mean) = 0.9f * mean + 0.1f * gradient,
         lazy(square) = 0.99f * square + 0.01f * gradient * gradient,
         lazy(value) -= rate * (mean / of_mean) / (sqrt(square / of_square) + 1e-8f));
  }
};

int main() {
  Lstm lstm;
  const auto i = range<float>(1, 1 + Lstm::kSize);
  lstm.value = 0.3f * sin(i * i);

  std::cout << std::fixed << std::setprecision(1);
  for (int step = 1; step <= 2000; ++step) {
    const Batch batch(static_cast<std::uint32_t>(step));
    Tape t;
    const auto error = t(lstm.Sums(t, batch.x) - batch.sum);
    lstm.gradient = 0.0f;
    t.Backward(t(mean_all(error * error)));
    lstm.Adam(step, step <= 1200 ? 0.01f : 0.002f);
  }

  const Batch batch(3004);  // not seen in training
  Tape t;
  const auto sums = lstm.Sums(t, batch.x);
  std::cout << "says  " << sums.value.Slice(0, 3) << "\nright " << batch.sum.Slice(0, 3)
            << "\nall errors less than 0.1: " << (max(abs(sums.value - batch.sum)) < 0.1f) << "\n";
}
