// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

/// out = f(operand 0, operand 1), as arrays or as tensors, which f both takes.
template <int operands, typename F>
Body Map(Job& job, F f) {
  const long n = job.count(0);
  if (OnPool(job)) {
    const auto tensor = [n](float* p) { return Tensor<1>(p, n); };
    auto o = tensor(job.out()), a = tensor(job.in(0)), b = tensor(job.in(operands - 1));
    return [=]() mutable {
      if constexpr (operands == 1) o.device(Pool()) = f(a);
      if constexpr (operands == 2) o.device(Pool()) = f(a, b);
    };
  }
  Vector o(job.out(), n), a(job.in(0), n), b(job.in(operands - 1), n);
  return [=]() mutable {
    if constexpr (operands == 1) o = f(a);
    if constexpr (operands == 2) o = f(a, b);
  };
}

/// Arrays and tensors name it differently.
template <typename A>
auto Logistic(const Eigen::ArrayBase<A>& a) {
  return a.logistic();
}
template <typename A, int access>
auto Logistic(const Eigen::TensorBase<A, access>& a) {
  return a.sigmoid();
}

Body Sgd(Job& job) {
  return Map<2>(job, [](auto& w, auto& g) { return -kEta * (g + kLambda * w); });
}
Body Momentum(Job& job) {
  const long n = job.n();
  if (OnPool(job)) {
    Tensor<1> w(job.out(), n), v(job.in(1), n), g(job.in(2), n);
    return [=]() mutable {
      v.device(Pool()) = kMomentum * v - kEta * (g + kLambda * w);
      w.device(Pool()) += v;
    };
  }
  Vector w(job.out(), n), v(job.in(1), n), g(job.in(2), n);
  return [=]() mutable {
    v = kMomentum * v - kEta * (g + kLambda * w);
    w += v;
  };
}
Body Sigmoid(Job& job) {
  return Map<1>(job, [](auto& a) { return Logistic(a); });
}
Body Tanh(Job& job) {
  return Map<1>(job, [](auto& a) { return a.tanh(); });
}
Body Exp(Job& job) {
  return Map<1>(job, [](auto& a) { return a.exp(); });
}
Body Gelu(Job& job) {
  return Map<1>(job, [](auto& a) { return 0.5f * a * (1.0f + (a * 0.70710678f).erf()); });
}
Body Chain(Job& job) {
  return Map<2>(job, [](auto& a, auto& b) { return Logistic(a.tanh() + b.exp()); });
}

// Arrays in blocks of rows are faster than tensors that are broadcast.

Body BiasRows(Job& job) {
  const Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>> bias(job.in(1), job.size(0, 1));
  return [=, o = OutRows(job), a = InRows(job, 0), threads = job.threads()]() mutable {
    InBlocks(a.rows(), threads, [&](long begin, long count) {
      o.middleRows(begin, count) = a.middleRows(begin, count).rowwise() + bias;
    });
  };
}

Body BiasColumns(Job& job) {
  const Vector bias(job.in(1), job.size(0, 0));
  return [=, o = OutRows(job), a = InRows(job, 0), threads = job.threads()]() mutable {
    InBlocks(a.rows(), threads, [&](long begin, long count) {
      o.middleRows(begin, count) =
          a.middleRows(begin, count).colwise() + bias.segment(begin, count);
    });
  };
}

/// An image is a matrix of channels and pixels.
Body BiasChannels(Job& job) {
  const long n = job.n(), plane = kSide * kSide;
  const Vector bias(job.in(1), kChannels);
  return [=, out = job.out(), in = job.in(0), threads = job.threads()] {
#pragma omp parallel for schedule(static) if (threads > 1)
    for (long i = 0; i < n; ++i) {
      RowsMap o(out + i * kChannels * plane, kChannels, plane);
      o = RowsMap(in + i * kChannels * plane, kChannels, plane).colwise() + bias;
    }
  };
}

using Halves = Eigen::Map<Eigen::Array<Eigen::half, Eigen::Dynamic, 1>, Eigen::Aligned64>;
using HalfTensor =
    Eigen::TensorMap<Eigen::Tensor<Eigen::half, 1, Eigen::RowMajor>, Eigen::Aligned64>;

Body ToHalf(Job& job) {
  auto* const out = reinterpret_cast<Eigen::half*>(job.half_out());
  if (OnPool(job)) {
    HalfTensor o(out, job.n());
    return [o, a = In<1>(job, 0)]() mutable { o.device(Pool()) = a.cast<Eigen::half>(); };
  }
  return [o = Halves(out, job.n()), a = Vector(job.in(0), job.n())]() mutable {
    o = a.cast<Eigen::half>();
  };
}

Body FromHalf(Job& job) {
  auto* const in = reinterpret_cast<Eigen::half*>(job.halves(0));
  if (OnPool(job)) {
    HalfTensor a(in, job.n());
    return [a, o = Out<1>(job)]() mutable { o.device(Pool()) = a.cast<float>(); };
  }
  return
      [a = Halves(in, job.n()), o = Vector(job.out(), job.n())]() mutable { o = a.cast<float>(); };
}

/// kColumns of the columns, from `first` on.
template <long first>
Body View(Job& job) {
  using Strided = Eigen::Map<Rows, Eigen::Unaligned, Eigen::OuterStride<kPitch>>;
  Strided w(job.out() + first, job.n(), kColumns), g(job.in(1) + first, job.n(), kColumns);
  return [=, threads = job.threads()]() mutable {
    InBlocks(w.rows(), threads, [&](long begin, long count) {
      auto part = w.middleRows(begin, count);
      part = -kEta * (g.middleRows(begin, count) + kLambda * part);
    });
  };
}

}  // namespace

std::vector<Entry> Maps() {
  return {{"sgd", Sgd},
          {"narrow_sgd", Sgd},
          {"whole", Sgd},
          {"momentum", Momentum},
          {"sigmoid", Sigmoid},
          {"tanh", Tanh},
          {"exp", Exp},
          {"gelu", Gelu},
          {"chain", Chain},
          {"bias0", BiasColumns},
          {"bias1", BiasChannels},
          {"bias_last", BiasRows},
          {"narrow_bias", BiasRows},
          {"to_half", ToHalf},
          {"from_half", FromHalf},
          {"padded", View<0>},
          {"sliced", View<kFirstColumn>}};
}

}  // namespace compare
