// SPDX-License-Identifier: Apache-2.0
// Images a second of a network 784-1024-1024-10 with 256 images a rank and step: of one rank alone,
// of all ranks on their own at once, and of all ranks with one set of weights. The median of rounds
// in which the three take turns.
//   OMP_NUM_THREADS=1 mpirun -n 2 benchmark_scaling [steps]
#include <mshadow/dist.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace dist = mshadow::dist;
using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using World = dist::Communicator<cpu>;

namespace {

constexpr int kBatch = 256, kLayers = 3, kRounds = 5;
constexpr int kUnits[] = {784, 1024, 1024, 10};

class Network {
 public:
  Network() {
    Random<cpu> random(1);  // the same weights on all ranks
    for (int l = 0; l < kLayers; ++l) {
      weights_[l].Resize(Shape2(kUnits[l], kUnits[l + 1]));
      gradients_[l].Resize(weights_[l].shape_);
      random.SampleGaussian(&weights_[l], 0.0f, 0.05f);
      outputs_[l].Resize(Shape2(kBatch, kUnits[l + 1]));
      errors_[l].Resize(outputs_[l].shape_);
    }
  }
  /// Gradients of one batch; ready(l) as soon as there is that of layer l.
  template <typename Ready>
  void Step(const Tensor<cpu, 2>& images, const Tensor<cpu, 1>& labels, const Ready& ready) {
    for (int l = 0; l < kLayers; ++l) {
      outputs_[l] = dot(Input(images, l), weights_[l]);
      if (l + 1 < kLayers) outputs_[l] = F<op::relu>(outputs_[l]);
    }
    Softmax(outputs_[2], outputs_[2]);
    SoftmaxGrad(errors_[2], outputs_[2], labels);
    for (int l = kLayers - 1; l >= 0; --l) {
      gradients_[l] = dot(Input(images, l).T(), errors_[l]);
      ready(l);
      if (l == 0) break;
      errors_[l - 1] = dot(errors_[l], weights_[l].T());
      errors_[l - 1] *= outputs_[l - 1] > 0.0f;
    }
  }
  void Update() {
    for (int l = 0; l < kLayers; ++l) weights_[l] -= (0.1f / kBatch) * gradients_[l];
  }
  Tensor<cpu, 2>& weights(int l) { return weights_[l]; }
  Tensor<cpu, 2>& gradients(int l) { return gradients_[l]; }

 private:
  Tensor<cpu, 2> Input(const Tensor<cpu, 2>& images, int l) {
    return l == 0 ? images : outputs_[l - 1];
  }
  TensorContainer<cpu, 2> weights_[kLayers], gradients_[kLayers], outputs_[kLayers],
      errors_[kLayers];
};

/// Images a second of one rank over `steps` calls of step().
template <typename F>
double Speed(int steps, const F& step) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  return steps * kBatch /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double Sum(World* world, double value) {
  TensorContainer<cpu, 1, double> all(Shape1(1), value);
  world->AllReduce(all).Wait();
  return all[0];
}
double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 40;
  World world = World::World();
  TensorContainer<cpu, 2> images(Shape2(kBatch, kUnits[0]));
  TensorContainer<cpu, 1> labels(Shape1(kBatch));
  Random<cpu> random(2 + world.rank());  // every rank has images of its own
  random.SampleUniform(&images);
  for (int i = 0; i < kBatch; ++i) labels[i] = static_cast<float>(i % 10);

  Network network, own;
  dist::GradientBuckets<cpu> buckets(world);
  for (int l = kLayers - 1; l >= 0; --l) {
    buckets.Add("weights " + std::to_string(l), network.gradients(l));
  }
  const auto alone = [&] {
    own.Step(images, labels, [](int) {});
    own.Update();
  };
  const auto together = [&] {
    network.Step(images, labels, [&](int l) { buckets.Ready(network.gradients(l)); });
    buckets.Finish();
    network.Update();
  };

  std::vector<double> one, each, all;
  for (int round = 0; round <= kRounds; ++round) {  // the first one warms up
    const double first = world.rank() == 0 ? Speed(steps, alone) : 0.0;
    world.Barrier();
    const double apart = Sum(&world, Speed(steps, alone));
    const double joined = Sum(&world, Speed(steps, together));
    if (round == 0) continue;
    one.push_back(first);
    each.push_back(apart);
    all.push_back(joined);
  }

  bool same = true;
  for (int l = 0; l < kLayers; ++l) {
    const Tensor<cpu, 2>& w = network.weights(l);
    TensorContainer<cpu, 2> root(w.shape_);
    Copy(root, w);
    world.Broadcast(root, 0).Wait();
    for (index_t y = 0; y < w.size(0); ++y)
      same = same && std::memcmp(root[y].dptr_, w[y].dptr_, w.size(1) * sizeof(float)) == 0;
  }
  const bool all_same = Sum(&world, same) == world.size();
  if (world.rank() == 0) {
    std::printf("%d rank%s of %s: one alone %.0f images/s, each on its own %.0f, together %.0f\n"
                "together: %.2f of %d times one alone, %.2f of each on its own\n",
                world.size(), world.size() == 1 ? "" : "s", world.provider(), Median(one),
                Median(each), Median(all), Median(all) / (world.size() * Median(one)),
                world.size(), Median(all) / Median(each));
    if (!all_same) std::printf("weights differ between ranks\n");
  }
  return all_same ? 0 : 1;
}
