// SPDX-License-Identifier: Apache-2.0
// Hand-written loops, and what the memory of the machine can do.
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../peer.h"
#include "more_loops.h"

namespace compare {
namespace {

constexpr long kPlane = kSide * kSide;

using FunctionLoop = void (*)(float*, const float*, std::ptrdiff_t);
template <FunctionLoop loop>
Body Function(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.count(0)] { loop(o, a, n); };
}

/// Loops over images of one size.
using PlaneLoop = void (*)(float*, const float*, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t);
template <PlaneLoop loop>
Body Planes(Job& job) {
  return [o = job.out(), a = job.in(0), planes = job.n() * kChannels] {
    loop(o, a, planes, kSide, kSide);
  };
}

using UnpoolLoop = void (*)(float*, const float*, const float*, const float*, std::ptrdiff_t,
                            std::ptrdiff_t, std::ptrdiff_t);
template <PlaneLoop pool, UnpoolLoop loop>
Body Unpool(Job& job) {
  const auto most = std::make_shared<Buffer>(4 * job.count(1));
  float* const m = static_cast<float*>(most->data());
  pool(m, job.in(0), job.n() * kChannels, kSide, kSide);
  return [=, o = job.out(), a = job.in(0), g = job.in(1), planes = job.n() * kChannels] {
    static_cast<void>(most);  // held
    loop(o, a, m, g, planes, kSide, kSide);
  };
}

Body Sgd(Job& job) {
  return [w = job.out(), g = job.in(1), n = job.count(0)] { hand::Sgd(w, g, kEta, kLambda, n); };
}
Body SgdRows(Job& job) {
  const long first = job.what().name == "sliced" ? kFirstColumn : 0;
  return [w = job.out() + first, g = job.in(1) + first, n = job.n()] {
    hand::SgdRows(w, g, kEta, kLambda, n, kColumns, kPitch);
  };
}
Body Momentum(Job& job) {
  return [w = job.out(), v = job.in(1), g = job.in(2), n = job.n()] {
    hand::Momentum(w, v, g, kMomentum, kEta, kLambda, n);
  };
}
Body Chain(Job& job) {
  return [o = job.out(), a = job.in(0), b = job.in(1), n = job.n()] { hand::Chain(o, a, b, n); };
}

using RowLoop = void (*)(float*, const float*, const float*, std::ptrdiff_t, std::ptrdiff_t);
template <RowLoop loop>
Body Bias(Job& job) {
  return [o = job.out(), a = job.in(0), v = job.in(1), rows = job.size(0, 0),
          cols = job.size(0, 1)] { loop(o, a, v, rows, cols); };
}
Body BiasChannels(Job& job) {
  return [o = job.out(), a = job.in(0), v = job.in(1), n = job.n()] {
    hand::AddChannels(o, a, v, n, kChannels, kPlane);
  };
}
Body BiasThree(Job& job) {
  return [o = job.out(), a = job.in(0), v = job.in(1), n = job.n()] { hand::AddThree(o, a, v, n); };
}

using MatrixLoop = void (*)(float*, const float*, std::ptrdiff_t, std::ptrdiff_t);
template <MatrixLoop loop>
Body Matrix(Job& job) {
  return [o = job.out(), a = job.in(0), rows = job.size(0, 0), cols = job.size(0, 1)] {
    loop(o, a, rows, cols);
  };
}
Body SumChannels(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::SumChannels(o, a, n, kChannels, kPlane);
  };
}
Body SumAll(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] { *o = hand::Sum(a, n); };
}
Body MeanVariance(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::MeanVariance(o, o + kChannels, a, n, kChannels, kPlane);
  };
}

Body Im2Col(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] { hand::Im2Col3(o, a, 1, kChannels, n, n); };
}
Body Col2Im(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] { hand::Col2Im3(o, a, 1, kChannels, n, n); };
}
Body SwapRows(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::SwapRows(o, a, n, kChannels, kSide, kSide);
  };
}
Body Nhwc(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::TransposeEach(o, a, n, kChannels, kPlane);
  };
}
Body Crop(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    constexpr long kStart = (kSide - kCropped) / 2;
    hand::Crop(o, a, n * kChannels, kSide, kSide, kCropped, kCropped, kStart, kStart);
  };
}
Body Pad(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::Pad(o, a, n * kChannels, kSide, kSide, 1);
  };
}
Body Mirror(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::Mirror(o, a, n * kChannels * kSide, kSide);
  };
}
Body Concat(Job& job) {
  return [o = job.out(), a = job.in(0), b = job.in(1), n = job.n(), c1 = job.size(0, 1) * kPlane,
          c2 = job.size(1, 1) * kPlane] { hand::Concat(o, a, b, n, c1, c2); };
}
Body Slice(Job& job) {
  return [o = job.out(), a = job.in(0) + 16 * kPlane, n = job.n()] {
    hand::CopyRows(o, kChannels / 2 * kPlane, a, kChannels * kPlane, n, kChannels / 2 * kPlane);
  };
}
Body Resize(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.n()] {
    hand::Resize(o, a, n * kChannels, kSide, kSide, 2 * kSide, 2 * kSide);
  };
}
Body Take(Job& job) {
  return [o = job.out(), index = job.indices(0), a = job.in(1), n = job.n()] {
    hand::TakeRows(o, a, index, n, 128);
  };
}
Body OneHot(Job& job) {
  return [o = job.out(), index = job.indices(0), n = job.n()] { hand::OneHot(o, index, n, 1000); };
}
Body ToHalf(Job& job) {
  return [o = job.half_out(), a = job.in(0), n = job.n()] { hand::ToHalf(o, a, n); };
}
Body FromHalf(Job& job) {
  return [o = job.out(), a = job.halves(0), n = job.n()] { hand::FromHalf(o, a, n); };
}

// ---- What memory can do ----
Body Copy(Job& job) {
  return [o = job.out(), a = job.in(1), n = job.count(0)] { hand::Copy(o, a, n); };
}
Body Triad(Job& job) {
  return [o = job.out(), a = job.in(1), b = job.in(2), n = job.count(0)] {
    hand::Triad(o, a, b, 0.5f, n);
  };
}
Body Read(Job& job) {
  const auto sum = std::make_shared<float>();
  return [sum, a = job.in(0), n = job.count(0)] { *sum = hand::Sum(a, n); };
}
Body Write(Job& job) {
  return [o = job.out(), n = job.count(0)] { hand::Write(o, 1, n); };
}

std::vector<Entry> Entries() {
  std::vector<Entry> entries = {{"sgd", Sgd},
                                {"narrow_sgd", Sgd},
                                {"whole", Sgd},
                                {"padded", SgdRows},
                                {"sliced", SgdRows},
                                {"momentum", Momentum},
                                {"sigmoid", Function<hand::Sigmoid>},
                                {"tanh", Function<hand::Tanh>},
                                {"exp", Function<hand::Exp>},
                                {"gelu", Function<hand::Gelu>},
                                {"chain", Chain},
                                {"bias0", Bias<hand::AddColumn>},
                                {"bias1", BiasChannels},
                                {"bias_last", Bias<hand::AddRow>},
                                {"narrow_bias", BiasThree},
                                {"sum_rows", Matrix<hand::SumRows>},
                                {"sum_columns", Matrix<hand::SumEachRow>},
                                {"sum_channels", SumChannels},
                                {"sum_all", SumAll},
                                {"mean_variance", MeanVariance},
                                {"softmax", Matrix<hand::Softmax>},
                                {"max_pool2", Planes<hand::MaxPool2>},
                                {"max_pool3", Planes<hand::MaxPool3TwoPass>},
                                {"unpool2", Unpool<hand::MaxPool2, hand::Unpool2>},
                                {"unpool3", Unpool<hand::MaxPool3, hand::Unpool3>},
                                {"im2col", Im2Col},
                                {"col2im", Col2Im},
                                {"transpose", Matrix<hand::Transpose64>},
                                {"swap_rows", SwapRows},
                                {"nhwc", Nhwc},
                                {"crop", Crop},
                                {"pad", Pad},
                                {"mirror", Mirror},
                                {"concat", Concat},
                                {"slice", Slice},
                                {"resize", Resize},
                                {"take", Take},
                                {"one_hot", OneHot},
                                {"read", Read},
                                {"copy", Copy},
                                {"write", Write},
                                {"triad", Triad}};
  if (hand::HasHalf()) {
    entries.push_back({"to_half", ToHalf});
    entries.push_back({"from_half", FromHalf});
  }
  return entries;
}

}  // namespace
}  // namespace compare

int main() {
  return compare::RunPeer(compare::Entries(), COMPARE_FLAGS, [](int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    static_cast<void>(threads);
#endif
  });
}
