// SPDX-License-Identifier: Apache-2.0
// Training steps by a tape beside hand-written backward passes, on one thread: the shortest of many
// interleaved runs, in microseconds.
#include <mshadow/grad.h>
#include <mshadow/let.h>
#include <mshadow/random.h>

#include <chrono>
#include <cmath>
#include <cstdio>

using namespace mshadow;
using namespace mshadow::expr;

namespace {

double Now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Row {
  double by_hand = 1e30, by_tape = 1e30;
  template <typename A, typename B>
  void Time(int rounds, const A& hand, const B& tape) {
    for (int i = 0; i < rounds; ++i) {
      const double begin = Now();
      hand();
      const double middle = Now();
      tape();
      const double end = Now();
      if (middle - begin < by_hand) by_hand = middle - begin;
      if (end - middle < by_tape) by_tape = end - middle;
    }
  }
  void Print(const char* name, double difference) const {
    std::printf("%-34s %10.2f %10.2f %7.2f %12.2g\n", name, by_hand, by_tape, by_tape / by_hand,
                difference);
  }
};

double Difference(const Tensor<cpu, 2>& a, const Tensor<cpu, 2>& b) {
  return static_cast<double>(max(abs(a - b)));
}

/// A perceptron of one hidden layer: `n` rows of `in` numbers, `out` classes.
void Perceptron(const char* name, index_t n, index_t in, index_t hidden, index_t out, int rounds) {
  Random<cpu> random(1);
  TensorContainer<cpu, 2> x(Shape2(n, in)), h, z, dz, dh, gw1, gw2;
  TensorContainer<cpu, 1> labels(Shape1(n)), gb1, gb2;
  for (index_t i = 0; i < n; ++i) labels[i] = static_cast<float>(i % out);
  Parameter<cpu, 2> w1(Shape2(in, hidden)), w2(Shape2(hidden, out));
  Parameter<cpu, 1> b1{Shape1(hidden)}, b2{Shape1(out)};
  random.SampleGaussian(&x);
  random.SampleGaussian(&w1.value, 0, 0.1f);
  random.SampleGaussian(&w2.value, 0, 0.1f);
  h.Resize(Shape2(n, hidden));
  dh.Resize(h.shape_);
  z.Resize(Shape2(n, out));
  dz.Resize(z.shape_);
  gw1.Resize(w1.value.shape_);
  gw2.Resize(w2.value.shape_);
  gb1.Resize(b1.value.shape_);
  gb2.Resize(b2.value.shape_);
  Tape t;
  Row row;
  row.Time(
      rounds,
      [&] {
        h = relu(dot(x, w1.value) + b1.value);
        z = dot(h, w2.value) + b2.value;
        Softmax(z, z);
        SoftmaxGrad(dz, z, labels);
        dz *= 1.0f / static_cast<float>(n);
        gw2 = dot(h.T(), dz);
        gb2 = sum<0>(dz);
        dh = dot(dz, w2.value.T());
        dh *= h > 0.0f;
        gw1 = dot(x.T(), dh);
        gb1 = sum<0>(dh);
      },
      [&] {
        w1.ZeroGradient();
        w2.ZeroGradient();
        b1.ZeroGradient();
        b2.ZeroGradient();
        const auto hid = t(relu(dot(x, w1) + b1));
        const auto logits = t(dot(hid, w2) + b2);
        t.Backward(t(mean_all(cross_entropy(logits, labels))));
        t.Clear();
      });
  row.Print(name, Difference(gw1, w1.grad()));
}

/// tanh(a b + c) d and its four gradients.
void Map(const char* name, index_t n, int rounds) {
  Random<cpu> random(1);
  Parameter<cpu, 2> a(Shape2(1, n)), b(Shape2(1, n)), c(Shape2(1, n)), d(Shape2(1, n));
  for (Parameter<cpu, 2>* p : {&a, &b, &c, &d}) random.SampleGaussian(&p->value);
  const TensorContainer<cpu, 2> dy(Shape2(1, n), 1.0f);
  TensorContainer<cpu, 2> y(Shape2(1, n)), tanhs(y.shape_), ga(y.shape_), gb(y.shape_),
      gc(y.shape_), gd(y.shape_);
  Row row;
  row.Time(
      rounds,
      [&] {
        tanhs = tanh(a.value * b.value + c.value);
        y = tanhs * d.value;
        const auto p = dy * d.value * (1.0f - tanhs * tanhs);
        Fuse(lazy(gd) = dy * tanhs, lazy(gc) = p * 1.0f, lazy(ga) = p * b.value,
             lazy(gb) = p * a.value);
      },
      [&] {
        for (Parameter<cpu, 2>* p : {&a, &b, &c, &d}) p->ZeroGradient();
        Tape t;
        t.Backward(t(tanh(a * b + c) * d));
      });
  row.Print(name, Difference(ga, a.grad()));
}

/// The four gradients as one loop with four results, for every instruction set.
struct OneLoop {
  const float *a, *b, *c, *d, *dy;
  float *ga, *gb, *gc, *gd;
  std::ptrdiff_t n;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    const float *const a_ = a, *const b_ = b, *const c_ = c, *const d_ = d, *const dy_ = dy;
    float *const ga_ = ga, *const gb_ = gb, *const gc_ = gc, *const gd_ = gd;
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const float t = op::tanh::Map(a_[i] * b_[i] + c_[i]);
      const float p = dy_[i] * d_[i] * (1.0f - t * t);
      gd_[i] = dy_[i] * t;
      gc_[i] = p;
      ga_[i] = p * b_[i];
      gb_[i] = p * a_[i];
    }
  }
};
/// The same as a Fuse, in which tanh has a name.
void Shared(const char* name, index_t n, int rounds) {
  Random<cpu> random(1);
  TensorContainer<cpu, 2> x[5], to[4], gc(Shape2(1, n));
  for (auto& t : x) {
    t.Resize(Shape2(1, n));
    random.SampleGaussian(&t);
  }
  for (auto& t : to) t.Resize(Shape2(1, n));
  const Tensor<cpu, 2> a = x[0], b = x[1], c = x[2], d = x[3], dy = x[4];
  TensorContainer<cpu, 2> ga(gc.shape_), gb(gc.shape_), gd(gc.shape_);
  const Let<cpu, 2> t(gc.shape_);
  Row row;
  row.Time(
      rounds,
      [&] {
        simd::Dispatch(OneLoop{a.dptr_, b.dptr_, c.dptr_, d.dptr_, dy.dptr_, to[0].dptr_,
                               to[1].dptr_, to[2].dptr_, to[3].dptr_,
                               static_cast<std::ptrdiff_t>(n)});
      },
      [&] {
        Fuse(let(t) = tanh(a * b + c), lazy(gd) = dy * t, lazy(gc) = dy * d * (1.0f - t * t),
             lazy(ga) = gc * b, lazy(gb) = gc * a);
      });
  row.Print(name, Difference(gb, to[1]));
}

}  // namespace

int main() {
  std::printf("%-34s %10s %10s %7s %12s\n", "", "hand, us", "tape, us", "ratio", "difference");
  Perceptron("perceptron 784-128-10, batch 32", 32, 784, 128, 10, 1000);
  Perceptron("perceptron 16-16-4, batch 8", 8, 16, 16, 4, 10000);
  Perceptron("perceptron 256-256-16, batch 256", 256, 256, 256, 16, 300);
  Map("tanh(a b + c) d, 1,000", 1000, 5000);
  Map("tanh(a b + c) d, 1,000,000", 1000000, 50);
  std::printf("\n%-34s %10s %10s %7s %12s\n", "", "loop, us", "let, us", "ratio", "difference");
  Shared("four gradients of it, 1,024", 1024, 20000);
  Shared("four gradients of it, 8,192", 8192, 5000);
  Shared("four gradients of it, 1,048,576", 1048576, 50);
}
