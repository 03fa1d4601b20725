// SPDX-License-Identifier: Apache-2.0
// Steps of training, each one fused statement over a parameter: momentum, RMSProp, Adam, AdamW;
// gradients clipped by their norm. Each fits a line whose inputs differ in scale.
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <cmath>
#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

/// What an optimiser keeps beside a parameter: means of its gradient and of the gradient's square.
template <int dim>
struct State {
  TensorContainer<Device, dim> mean, square;
  explicit State(const Shape<dim>& shape) : mean(shape, 0.0f), square(shape, 0.0f) {}
};

// Polyak 1964, https://doi.org/10.1016/0041-5553(64)90137-5
template <int dim>
void Momentum(Parameter<Device, dim>* p, State<dim>* s, float rate, float mu = 0.9f) {
  Fuse(lazy(s->mean) = mu * s->mean + p->grad(), lazy(p->value) -= rate * s->mean);
}
// Hinton 2012, https://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf
template <int dim>
void RmsProp(Parameter<Device, dim>* p, State<dim>* s, float rate, float rho = 0.9f) {
  const auto g = p->grad();
  Fuse(lazy(s->square) = rho * s->square + (1 - rho) * g * g,
       lazy(p->value) -= rate * g / (sqrt(s->square) + 1e-8f));
}
// Kingma, Ba 2015, https://arxiv.org/abs/1412.6980; with decay, AdamW: Loshchilov, Hutter 2019,
// https://arxiv.org/abs/1711.05101. step counts from 1.
template <int dim>
void Adam(Parameter<Device, dim>* p, State<dim>* s, int step, float rate, float decay = 0,
          float beta1 = 0.9f, float beta2 = 0.999f) {
  const auto g = p->grad();
  const float of_mean = 1 - std::pow(beta1, static_cast<float>(step));
  const float of_square = 1 - std::pow(beta2, static_cast<float>(step));
  Fuse(lazy(s->mean) = beta1 * s->mean + (1 - beta1) * g,
       lazy(s->square) = beta2 * s->square + (1 - beta2) * g * g,
       lazy(p->value) -=
       rate * (s->mean / of_mean / (sqrt(s->square / of_square) + 1e-8f) + decay * p->value));
}
/// Gradients whose common norm exceeds `most` are scaled down to it.
template <typename... P>
void Clip(float most, P*... p) {
  const float length = std::sqrt((0.0f + ... + sum(p->grad() * p->grad())));
  if (length > most) ((p->grad() *= most / length), ...);
}

/// w and b after 500 steps towards y = x w + b; update(parameter, state, step) makes one.
template <typename Update>
void Fit(const char* name, const Update& update) {
  const index_t n = 32;
  const auto i = range<float>(0, n);
  TensorContainer<Device, 2> x(Shape2(n, 2));
  Column(x, 0) = sin(i);
  Column(x, 1) = 0.2f * cos(3.0f * i);
  const TensorContainer<Device, 1> y = 2.0f * sin(i) - cos(3.0f * i) + 1.0f;  // w = 2, -5; b = 1

  Parameter<Device, 1> w(Shape1(2)), b(Shape1(1));
  State<1> of_w(w.value.shape_), of_b(b.value.shape_);
  for (int step = 1; step <= 500; ++step) {
    Tape t;
    const auto error = t(dot(x, w) + broadcast_scalar(b, Shape1(n)) - y);
    t.Backward(t(mean_all(error * error)));
    Clip(5.0f, &w, &b);
    update(&w, &of_w, step);
    update(&b, &of_b, step);
    w.ZeroGradient();
    b.ZeroGradient();
  }
  std::cout << std::setw(8) << name << ": w = " << w.value << ", b = " << b.value << "\n";
}

int main() {
  std::cout << std::fixed << std::setprecision(1);
  Fit("descent", [](auto* p, auto*, int) { p->value -= 0.1f * p->grad(); });
  Fit("momentum", [](auto* p, auto* s, int) { Momentum(p, s, 0.1f); });
  Fit("RMSProp", [](auto* p, auto* s, int) { RmsProp(p, s, 0.02f); });
  Fit("Adam", [](auto* p, auto* s, int step) { Adam(p, s, step, 0.1f); });
  Fit("AdamW", [](auto* p, auto* s, int step) { Adam(p, s, step, 0.1f, 0.05f); });
}
