// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tensors.h"

namespace compare {
namespace {

struct Threads {
  explicit Threads(int count) : pool(count), device(&pool, count) {}
  Eigen::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
};
std::unique_ptr<Threads> the_threads;

}  // namespace

const Eigen::ThreadPoolDevice& Pool() { return the_threads->device; }

std::string Description() {
  return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
         std::to_string(EIGEN_MINOR_VERSION) + " with " + COMPARE_FLAGS;
}
void UseThreads(int threads) {
  Eigen::setNbThreads(threads);
  if (threads > 1) the_threads = std::make_unique<Threads>(threads);
}

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
  const long n = job.count(0);
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

void BiasRows(Job& job) {
  const Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>> bias(job.in(1), job.size(0, 1));
  RowsMap o = OutRows(job), a = InRows(job);
  InBlocks(job, a.rows(), [&](long begin, long count) {
    o.middleRows(begin, count) = a.middleRows(begin, count).rowwise() + bias;
  });
}
void BiasColumns(Job& job) {
  const Vector bias(job.in(1), job.size(0, 0));
  RowsMap o = OutRows(job), a = InRows(job);
  InBlocks(job, a.rows(), [&](long begin, long count) {
    o.middleRows(begin, count) = a.middleRows(begin, count).colwise() + bias.segment(begin, count);
  });
}
/// An image is a matrix of channels and pixels.
void BiasChannels(Job& job) {
  const long channels = job.size(1), plane = job.size(2) * job.size(3), image = channels * plane;
  const Vector bias(job.in(1), channels);
  ForEach(job, job.size(0), [&](long i) {
    Eigen::Map<Rows> o(job.out() + i * image, channels, plane);
    o = Eigen::Map<Rows>(job.in(0) + i * image, channels, plane).colwise() + bias;
  });
}

using Halves = Eigen::Map<Eigen::Array<Eigen::half, Eigen::Dynamic, 1>, Eigen::Aligned64>;
using HalfTensor =
    Eigen::TensorMap<Eigen::Tensor<Eigen::half, 1, Eigen::RowMajor>, Eigen::Aligned64>;

Body ToHalf(Job& job) {
  auto* const out = reinterpret_cast<Eigen::half*>(job.half_out());
  if (OnPool(job)) {
    HalfTensor o(out, job.count(0));
    return [o, a = In<1>(job, 0)]() mutable { o.device(Pool()) = a.cast<Eigen::half>(); };
  }
  return [o = Halves(out, job.count(0)), a = Vector(job.in(0), job.count(0))]() mutable {
    o = a.cast<Eigen::half>();
  };
}

Body FromHalf(Job& job) {
  auto* const in = reinterpret_cast<Eigen::half*>(job.halves(0));
  if (OnPool(job)) {
    HalfTensor a(in, job.count(0));
    return [a, o = Out<1>(job)]() mutable { o.device(Pool()) = a.cast<float>(); };
  }
  return [a = Halves(in, job.count(0)), o = Vector(job.out(), job.count(0))]() mutable {
    o = a.cast<float>();
  };
}

/// The columns of the size, from `first` on.
template <long first>
void View(Job& job) {
  using Strided = Eigen::Map<Rows, Eigen::Unaligned, Eigen::OuterStride<>>;
  const long rows = job.size(0), cols = job.size(1);
  const Eigen::OuterStride<> pitch(job.size(2));
  Strided w(job.out() + first, rows, cols, pitch), g(job.in(1) + first, rows, cols, pitch);
  InBlocks(job, rows, [&](long begin, long count) {
    auto part = w.middleRows(begin, count);
    part = -kEta * (g.middleRows(begin, count) + kLambda * part);
  });
}

const Entries entries{
    {"sgd", Sgd},
    {"sgd_matrix", Sgd},
    {"momentum", Momentum},
    {"sigmoid", Sigmoid},
    {"user_sigmoid", Sigmoid},
    {"tanh", Tanh},
    {"exp", Exp},
    {"gelu", Gelu},
    {"chain", Chain},
    {"bias0", BiasColumns},
    {"bias1", BiasChannels},
    {"bias_last", BiasRows},
    {"to_half", ToHalf},
    {"from_half", FromHalf},
    {"sgd_padded", View<0>},
    {"sgd_columns", View<3>},
};

}  // namespace
}  // namespace compare
