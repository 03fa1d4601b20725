// SPDX-License-Identifier: Apache-2.0
// Element by element.
#include <mshadow/random.h>

#include <cmath>

#include "tensors.h"

namespace compare {

std::string Description() { return COMPARE_FLAGS; }
void UseThreads(int) {}

namespace {

Body Sgd(Job& job) {
  return [w = Out<1>(job), g = In<1>(job, 1)]() mutable { w = -kEta * (g + kLambda * w); };
}
Body Momentum(Job& job) {
  return [w = Out<1>(job), v = In<1>(job, 1), g = In<1>(job, 2)]() mutable {
    Fuse(lazy(v) = kMomentum * v - kEta * (g + kLambda * w), lazy(w) += v);
  };
}
Body Chain(Job& job) {
  return [o = Out<1>(job), a = In<1>(job), b = In<1>(job, 1)]() mutable {
    o = F<op::sigmoid>(F<op::tanh>(a) + F<op::exp>(b));
  };
}
template <typename To, typename From>
Body Cast(Job& job) {
  return [o = Out<1, To>(job), a = In<1, From>(job)]() mutable { o = tcast<To>(a); };
}
template <typename DType>
Body MulAdd(Job& job) {
  return [o = Out<1, DType>(job), h = In<1, DType>(job), k = In<1, DType>(job, 1)]() mutable {
    o = h * k + k;
  };
}

/// Operand 0 and the result in containers, which ask for pages of 2 MiB.
template <typename Statement>
Body InPages(Job& job, Statement statement) {
  using Matrix = TensorContainer<cpu, 2>;
  const auto a = std::make_shared<Matrix>(In<2>(job).shape_);
  const auto o = std::make_shared<Matrix>(Out<2>(job).shape_);
  Copy(*a, In<2>(job));
  job.ResultIsAt(o->dptr_);
  return [=] { statement(*o, *a); };
}

void Uniform(Job& job) {
  static Random<cpu> random(1);
  Tensor<cpu, 1> o = Out<1>(job);
  random.SampleUniform(&o);
}
void Gaussian(Job& job) {
  static Random<cpu> random(1);
  Tensor<cpu, 1> o = Out<1>(job);
  random.SampleGaussian(&o);
}

// ---- As a user writes them ----
struct Sigmoid {
  MSHADOW_XINLINE static float Map(float a) { return 1.0f / (1.0f + expf(-a)); }
};
struct Elu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : std::exp(a) - 1; }
};
struct Huber {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType delta) {
    const DType size = a < DType(0) ? -a : a;
    if (size <= delta) return DType(0.5f) * a * a;
    return delta * (size - DType(0.5f) * delta);
  }
};

const Entries entries{
    {"sgd", Sgd},
    {"sgd_matrix", [](Job& j) { Out<2>(j) = -kEta * (In<2>(j, 1) + kLambda * In<2>(j)); }},
    {"momentum", Momentum},
    {"sigmoid", Function<op::sigmoid>},
    {"tanh", Function<op::tanh>},
    {"exp", Function<op::exp>},
    {"gelu", Function<op::gelu>},
    {"chain", Chain},
    {"scale", [](Job& j) { Out<2>(j) = 2.0f * In<2>(j) + 1.0f; }},
    {"scale_pages",
     [](Job& j) {
       return InPages(j, [](Tensor<cpu, 2> o, Tensor<cpu, 2> a) { o = 2.0f * a + 1.0f; });
     }},
    {"transpose_pages",
     [](Job& j) { return InPages(j, [](Tensor<cpu, 2> o, Tensor<cpu, 2> a) { o = a.T(); }); }},
    {"clip", [](Job& j) { Out<4>(j) = clip(In<4>(j), 0.25f, 0.75f); }},
    {"where", [](Job& j) { Out<4>(j) = where(In<4>(j), In<4>(j, 1), In<4>(j, 2)); }},
    {"range", [](Job& j) { Out<1>(j) = range<float>(3, 3 + 0.5f * j.count(), 0.5f); }},
    {"to_half", Cast<half::half_t, float>},
    {"from_half", Cast<float, half::half_t>},
    {"half_mul_add", MulAdd<half::half_t>},
    {"bfloat_mul_add", MulAdd<bfloat::bf16_t>},
    {"uniform", Uniform},
    {"gaussian", Gaussian},
    {"user_sigmoid", Function<Sigmoid>},
    {"user_elu", Function<Elu>},
    {"user_huber", [](Job& j) { Out<1>(j) = F<Huber>(In<1>(j), 2.0f); }},
    {"where_scaled", [](Job& j) { Out<1>(j) = where(In<1>(j), In<1>(j, 1), 0.1f * In<1>(j, 1)); }},
    {"where_exp",
     [](Job& j) {
       Out<1>(j) = where(F<op::gt>(In<1>(j), 0.0f), F<op::exp>(In<1>(j)), In<1>(j, 1));
     }},
    {"complex_mul", [](Job& j) { Out<4>(j) = complex_mul_cc(In<4>(j), In<4>(j, 1)); }},
    {"complex_conj", [](Job& j) { Out<4>(j) = conj(In<4>(j)); }},
    {"complex_exchange", [](Job& j) { Out<4>(j) = complex_exchange(In<4>(j)); }},
    {"complex_toreal", [](Job& j) { Out<4>(j) = complex_toreal(In<4>(j)); }},
    {"complex_pad_imag", [](Job& j) { Out<4>(j) = complex_pad_imag(In<4>(j)); }},
    {"complex_abs_square", [](Job& j) { Out<4>(j) = complex_abs_square(In<4>(j)); }},
};

}  // namespace
}  // namespace compare
