// SPDX-License-Identifier: Apache-2.0
// Random numbers. The peers are the generators of <random>, one after another on one thread; theirs
// is another sequence, so that results are not compared.
#include <mshadow/random.h>
#include <mshadow/tensor.h>

#include <random>

#include "program.h"

using namespace mshadow;

namespace {

using report::Measurement;

constexpr index_t kCount = 1 << 20;

void Uniform(Measurement& m) {
  Random<cpu> random(1);
  TensorContainer<cpu, 1> o{Shape1(kCount)};
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> uniform;
  m.Bytes(4.0 * kCount, report::Roof::kWrite);
  m.Ours([&] { random.SampleUniform(&o); });
  m.Peer("std::mt19937", [&] {
    for (index_t i = 0; i < kCount; ++i) o.dptr_[i] = uniform(engine);
  });
  m.Run();
}

void Gaussian(Measurement& m) {
  Random<cpu> random(1);
  TensorContainer<cpu, 1> o{Shape1(kCount)};
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  m.Bytes(4.0 * kCount, report::Roof::kWrite);
  m.Ours([&] { random.SampleGaussian(&o); });
  m.Peer("std::mt19937", [&] {
    for (index_t i = 0; i < kCount; ++i) o.dptr_[i] = normal(engine);
  });
  m.Run();
}

}  // namespace

void report::AddRandom() {
  Add("uniform", "random.SampleUniform(&o)", "1M", Threads::kOneAndAll, kNoAim, Uniform);
  Add("gaussian", "random.SampleGaussian(&o)", "1M", Threads::kOneAndAll, kNoAim, Gaussian);
}
