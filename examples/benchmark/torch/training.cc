// SPDX-License-Identifier: Apache-2.0
// Training steps by a tape beside libtorch's autograd, on one thread: values, gradients and the
// update. Prints the shortest of many interleaved steps, and the bytes that each library keeps
// between forward and backward.
//   benchmark_training [ROUNDS]
#include <ATen/Parallel.h>
#include <malloc.h>
#include <mshadow/grad.h>
#include <mshadow/nn.h>
#include <mshadow/random.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;

namespace {

constexpr float kRate = 1e-4f;

double Now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The parameters of a network, in order: ours, and a copy of each for libtorch.
class Parameters {
 public:
  template <int dim>
  const Parameter<cpu, dim>& New(const Shape<dim>& shape, float scale) {
    auto made = std::make_unique<Of<dim>>(shape);
    Parameter<cpu, dim>& p = made->parameter;
    random_.SampleGaussian(&p.value, 0, scale);
    all_.push_back(std::move(made));
    theirs.push_back(Copy(p.value).set_requires_grad(true));
    return p;
  }
  template <int dim>
  static at::Tensor Copy(const Tensor<cpu, dim>& t) {
    const std::vector<int64_t> sizes(t.shape_.shape_, t.shape_.shape_ + dim);
    return at::from_blob(t.dptr_, sizes).clone();
  }
  void Update() {
    for (const auto& p : all_) p->Update();
  }
  void UpdateTheirs() {
    const at::NoGradGuard guard;
    for (at::Tensor& w : theirs) {
      w.sub_(w.grad(), kRate);
      w.mutable_grad() = at::Tensor();
    }
  }
  /// The largest difference of gradients, and of the largest one.
  double Difference() const {
    double most = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const at::Tensor ours = all_[i]->Gradient(), other = theirs[i].grad();
      const double size = other.abs().max().item<double>();
      most = (std::max)(most, (ours - other).abs().max().item<double>() / size);
    }
    return most;
  }
  std::vector<at::Tensor> theirs;

 private:
  struct Any {
    virtual ~Any() = default;
    virtual void Update() = 0;
    virtual at::Tensor Gradient() const = 0;
  };
  template <int dim>
  struct Of : Any {
    Parameter<cpu, dim> parameter;
    explicit Of(const Shape<dim>& shape) : parameter(shape) {}
    void Update() override {
      parameter.value -= kRate * parameter.grad();
      parameter.ZeroGradient();
    }
    at::Tensor Gradient() const override { return Copy<dim>(parameter.grad()); }
  };
  Random<cpu> random_{1};
  std::vector<std::unique_ptr<Any>> all_;
};

std::size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
/// Bytes that the result of f() holds. Its thread has ended, with all that it had cached.
template <typename F>
std::size_t BytesOf(const F& f) {
  const std::size_t before = BytesInUse();
  decltype(f()) kept{};
  std::thread([&] {
    at::set_num_threads(1);
    kept = f();
  }).join();
  return BytesInUse() - before;
}

/// ours(tape) and theirs() compute a loss.
template <typename Ours, typename Theirs>
void Time(const char* name, int rounds, Parameters* p, const Ours& ours, const Theirs& theirs) {
  Tape tape;
  const auto our_step = [&] {
    tape.Backward(ours(tape));
    tape.Clear();
  };
  our_step();  // and all that is made once
  theirs().backward();
  const double difference = p->Difference();
  p->Update();
  p->UpdateTheirs();
  const std::size_t our_bytes = BytesOf([&] {
    auto t = std::make_unique<Tape>();
    ours(*t);
    return t;
  });
  const std::size_t their_bytes = BytesOf(theirs);
  double our_time = 1e30, their_time = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const double begin = Now();
    our_step();
    p->Update();
    const double middle = Now();
    theirs().backward();
    p->UpdateTheirs();
    const double end = Now();
    our_time = (std::min)(our_time, middle - begin);
    their_time = (std::min)(their_time, end - middle);
  }
  std::printf("%-36s %9.3f %9.3f %6.2f %9zu %9zu %6.2f %10.1e\n", name, our_time / 1000,
              their_time / 1000, our_time / their_time, our_bytes, their_bytes,
              static_cast<double>(our_bytes) / static_cast<double>(their_bytes), difference);
  std::fflush(stdout);
}

template <int dim>
TensorContainer<cpu, dim> Numbers(const Shape<dim>& shape) {
  Random<cpu> random(2);
  TensorContainer<cpu, dim> x(shape);
  random.SampleGaussian(&x);
  return x;
}

void Perceptron(const char* name, index_t n, int rounds) {
  constexpr index_t kIn = 784, kHidden = 128, kOut = 10;
  Parameters p;
  const auto& w1 = p.New(Shape2(kIn, kHidden), 0.05f);
  const auto& b1 = p.New(Shape1(kHidden), 0.05f);
  const auto& w2 = p.New(Shape2(kHidden, kOut), 0.1f);
  const auto& b2 = p.New(Shape1(kOut), 0.1f);
  const auto x = Numbers(Shape2(n, kIn));
  TensorContainer<cpu, 1> labels{Shape1(n)};
  for (index_t i = 0; i < n; ++i) labels[i] = static_cast<float>(i % kOut);
  const at::Tensor tx = p.Copy(x), tl = p.Copy(labels).to(at::kLong);
  Time(
      name, rounds, &p,
      [&](Tape& t) {
        const auto hidden = t(relu(dot(x, w1) + b1));
        return t(mean_all(cross_entropy(t(dot(hidden, w2) + b2), labels)));
      },
      [&] {
        const auto& w = p.theirs;
        return at::cross_entropy_loss(at::addmm(w[3], at::addmm(w[1], tx, w[0]).relu(), w[2]), tl);
      });
}

/// at::lstm takes all steps at once, and its weights transposed. The third of the four gates is a
/// tanh(z) = 2 sigmoid(2 z) - 1.
void Lstm(const char* name, int rounds) {
  constexpr index_t kSteps = 10, n = 32, m = 64;
  Parameters p;
  const auto& of_input = p.New(Shape2(4 * m, m), 0.1f);
  const auto& of_state = p.New(Shape2(4 * m, m), 0.1f);
  const auto& bias = p.New(Shape1(4 * m), 0.1f);
  const auto x = Numbers(Shape2(kSteps * n, m));
  const TensorContainer<cpu, 2> zero(Shape2(n, m), 0.0f);
  TensorContainer<cpu, 1> factor(Shape1(4 * m), 1.0f);
  factor.Slice(2 * m, 3 * m) = 2.0f;
  const at::Tensor tx = p.Copy(x).view({kSteps, n, m}), none = at::zeros({1, n, m});
  const at::Tensor no_bias = at::zeros({4 * m});
  Time(
      name, rounds, &p,
      [&](Tape& t) {
        Variable<cpu, 2> h = t(zero), c = h;
        for (index_t s = 0; s < kSteps; ++s) {
          // All gates in one statement, which keeps its result alone.
          const auto z = dot(x.Slice(s * n, (s + 1) * n), of_input.T()) + dot(h, of_state.T());
          const auto gates = t(sigmoid((z + bias) * factor));
          const auto gate = [&](index_t i) { return slice<1>(gates, i * m, (i + 1) * m); };
          c = t(gate(1) * c + gate(0) * (2.0f * gate(2) - 1.0f));
          h = t(gate(3) * tanh(c));
        }
        return t(mean_all(h * h));
      },
      [&] {
        const auto& w = p.theirs;
        const auto [all, h, c] = at::lstm(tx, {none, none}, {w[0], w[1], w[2], no_bias}, true, 1,
                                          0.0, true, false, false);
        return h.square().mean();
      });
}

void LayerNormBlock(const char* name, int rounds) {
  constexpr index_t n = 64, m = 256;
  Parameters p;
  const auto& gamma = p.New(Shape1(m), 1.0f);
  const auto& beta = p.New(Shape1(m), 1.0f);
  const auto& w1 = p.New(Shape2(m, m), 0.1f);
  const auto& b1 = p.New(Shape1(m), 0.1f);
  const auto& w2 = p.New(Shape2(m, m), 0.1f);
  const auto& b2 = p.New(Shape1(m), 0.1f);
  const auto x = Numbers(Shape2(n, m));
  const at::Tensor tx = p.Copy(x);
  Time(
      name, rounds, &p,
      [&](Tape& t) {
        const auto hidden = t(relu(dot(t(layer_norm(x, gamma, beta)), w1) + b1));
        const auto y = t(dot(hidden, w2) + b2 + x);
        return t(mean_all(y * y));
      },
      [&] {
        const auto& w = p.theirs;
        const auto normal = at::layer_norm(tx, {m}, w[0], w[1]);
        const auto hidden = at::addmm(w[3], normal, w[2]).relu_();
        return (at::addmm(w[5], hidden, w[4]) + tx).square().mean();
      });
}

void Attention(const char* name, int rounds) {
  constexpr index_t n = 64, m = 64;
  Parameters p;
  const auto& wq = p.New(Shape2(m, m), 0.1f);
  const auto& wk = p.New(Shape2(m, m), 0.1f);
  const auto& wv = p.New(Shape2(m, m), 0.1f);
  const auto& wo = p.New(Shape2(m, m), 0.1f);
  const auto x = Numbers(Shape2(n, m));
  const at::Tensor tx = p.Copy(x);
  const float scale = 1 / std::sqrt(static_cast<float>(m));
  Time(
      name, rounds, &p,
      [&](Tape& t) {
        const auto q = t(dot(x, wq)), k = t(dot(x, wk)), v = t(dot(x, wv));
        const auto weights = t(softmax<1>(dot(q, k.T()) * scale));
        const auto y = t(dot(t(dot(weights, v)), wo) + x);
        return t(mean_all(y * y));
      },
      [&] {
        const auto& w = p.theirs;
        const auto q = at::mm(tx, w[0]), k = at::mm(tx, w[1]), v = at::mm(tx, w[2]);
        const auto weights = at::softmax(at::mm(q, k.t()) * scale, 1);
        return at::addmm(tx, at::mm(weights, v), w[3]).square().mean();
      });
}

}  // namespace

int main(int argc, char** argv) {
  at::set_num_threads(1);
  BytesOf([] { return std::make_unique<char[]>(100); });  // makes the memory of threads
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::printf("libtorch %s, one thread\n%-36s %9s %9s %6s %9s %9s %6s %10s\n", TORCH_VERSION, "",
              "ours, ms", "torch, ms", "ratio", "kept, B", "torch, B", "ratio", "difference");
  Perceptron("perceptron 784-128-10, batch 32", 32, rounds);
  Perceptron("perceptron 784-128-10, batch 256", 256, rounds / 2);
  Lstm("LSTM, 64 cells, batch 32, 10 steps", rounds / 2);
  LayerNormBlock("layer norm block, 64x256", rounds);
  Attention("attention, 64x64", rounds);
}
