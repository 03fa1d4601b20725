// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_TRAINER_H_
#define MSHADOW_EXAMPLES_MNIST_TRAINER_H_

#include <mshadow/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interrupt.h"
#include "model_file.h"
#include "parallel.h"
#include "ranks.h"
#include "worker.h"

namespace mnist {

/// The outcome of a test: confusion[label][predicted] counts digits.
struct Evaluation {
  Tally tally;
  std::size_t confusion[kClasses][kClasses] = {};
};

/// Stochastic gradient descent with momentum, a batch at a time.
///
/// A batch is cut into parts of kPart images, one worker each, which run on as many threads as
/// there are. Their gradients are summed in a fixed order, so the result depends on the seed but
/// not on the number of threads, but for what a BLAS rounds. On a gpu one worker takes the whole
/// batch.
///
/// Where there are several ranks, each takes a share of every batch, and all take the same step
/// with the sum of their gradients: their weights stay the same, bit for bit.
template <typename xpu, typename DType>
class Trainer {
 public:
  struct Settings {
    int batch, epochs, seed;
    double learning_rate;
    double momentum = 0.9, weight_decay = 5e-4, keep = 0.7;
  };

  using World = dist::Communicator<xpu>;

  Trainer(const TrainAndTest& data, const Settings& settings, World* world)
      : settings_(settings),
        world_(world),
        stream_(NewStream<xpu>(), &DeleteStream<xpu>),
        train_(data.train, stream_.get()),
        test_(data.test, stream_.get()),
        parameters_(stream_.get()),
        part_(static_cast<index_t>(xpu::kDevCPU ? std::min(settings.batch, kPart)
                                                : settings.batch)) {
    const int share = (settings.batch + world->size() - 1) / world->size();
    for (int first = 0; first < share; first += static_cast<int>(part_)) {
      workers_.push_back(std::make_unique<Worker<xpu, DType>>(stream_.get()));
    }
    velocity_.set_stream(stream_.get());
    velocity_.Resize(parameters_.all.shape_, DType(0));
    Random<xpu, DType> random(settings.seed);
    random.set_stream(stream_.get());
    parameters_.Initialize(&random);
    stream_->Wait();
  }

  /// Trains epoch number `epoch` (from 0) on every digit once, in random order. `update(tally)` is
  /// called after each batch with what this rank has seen. Returns false if Ctrl-C ended it early;
  /// several ranks, which might see that at different batches, go on to the end.
  template <typename Update>
  bool TrainEpoch(int epoch, Update update) {
    const std::vector<Sample> samples = ShuffledSamples(epoch);
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const std::size_t number = w + workers_.size() * world_->rank();
      workers_[w]->network.Seed(settings_.seed + 1000 * epoch + static_cast<int>(number));
    }
    Tally tally;
    const std::size_t batch = static_cast<std::size_t>(settings_.batch);
    for (std::size_t begin = 0; begin < samples.size(); begin += batch) {
      if (interrupted && world_->size() == 1) return false;
      const std::size_t count = std::min(batch, samples.size() - begin);
      const DType scale = DType(1) / static_cast<DType>(count);
      const std::size_t first_of_share = begin + ShareOf(count, 0);
      const std::size_t share = begin + ShareOf(count, 1) - first_of_share;
      const std::size_t parts =
          OnWorkers(samples.data() + first_of_share, share,
                    [&](Worker<xpu, DType>* worker, const Sample* first, index_t size) {
            worker->Train(train_, first, size, parameters_, DType(settings_.keep), scale);
          });
      const double done = static_cast<double>(begin + count) / static_cast<double>(samples.size());
      Step(parts, LearningRate(epoch + done));
      for (std::size_t w = 0; w < parts; ++w) Add(workers_[w]->tally, &tally);
      update(tally);
    }
    return true;
  }

  /// Tests on all test digits. Each rank takes a share of them.
  Evaluation Test() {
    Evaluation result;
    std::vector<Sample> samples;
    const std::size_t total = test_.labels.size();
    for (std::size_t i = ShareOf(total, 0); i < ShareOf(total, 1); ++i) {
      samples.push_back(Unshifted(static_cast<std::uint32_t>(i)));
    }
    const std::size_t batch = part_ * workers_.size();
    for (std::size_t begin = 0; begin < samples.size(); begin += batch) {
      const std::size_t count = std::min(batch, samples.size() - begin);
      const std::size_t parts =
          OnWorkers(&samples[begin], count, [&](Worker<xpu, DType>* worker, const Sample* first,
                                                index_t size) {
            worker->Test(test_, first, size, parameters_);
          });
      std::size_t next = begin;
      for (std::size_t w = 0; w < parts; ++w) {
        Add(workers_[w]->tally, &result.tally);
        for (int predicted : workers_[w]->predicted) {
          ++result.confusion[test_.labels[samples[next++].index]][predicted];
        }
      }
    }
    result.tally = OfAllRanks(result.tally);
    std::size_t* const cells = &result.confusion[0][0];
    const std::vector<double> counts =
        SumOverRanks(world_, std::vector<double>(cells, cells + kClasses * kClasses));
    std::copy(counts.begin(), counts.end(), cells);
    return result;
  }

  /// The sums over all ranks.
  Tally OfAllRanks(const Tally& mine) const {
    const std::vector<double> sums = SumOverRanks(
        world_, {static_cast<double>(mine.digits), static_cast<double>(mine.correct), mine.loss});
    return {static_cast<std::size_t>(sums[0]), static_cast<std::size_t>(sums[1]), sums[2]};
  }

  /// What a model file holds, after `epochs_done` epochs.
  Snapshot<DType> Save(int epochs_done) const {
    Snapshot<DType> snapshot(parameters_.kCount);
    snapshot.epochs_done = epochs_done;
    snapshot.seed = settings_.seed;
    Copy(snapshot.weights, parameters_.all, stream_.get());
    Copy(snapshot.velocity, velocity_, stream_.get());
    stream_->Wait();
    return snapshot;
  }

  void Restore(const Snapshot<DType>& snapshot) {
    Copy(parameters_.all, snapshot.weights, stream_.get());
    Copy(velocity_, snapshot.velocity, stream_.get());
    stream_->Wait();
  }

  /// All ranks go on from what rank 0 has.
  void Broadcast() {
    world_->Broadcast(parameters_.all, 0, "weights").Wait();
    world_->Broadcast(velocity_, 0, "velocity").Wait();
  }

 private:
  static constexpr int kPart = 16;
  using StreamPointer = std::unique_ptr<Stream<xpu>, void (*)(Stream<xpu>*)>;

  static Sample Unshifted(std::uint32_t index) {
    return {index, Digits<xpu>::kBorder, Digits<xpu>::kBorder};
  }

  /// Where the share of this rank begins (end: 0) and ends (end: 1) in `count` things.
  std::size_t ShareOf(std::size_t count, int end) const {
    return count * static_cast<std::size_t>(world_->rank() + end) / world_->size();
  }

  static void Add(const Tally& part, Tally* sum) {
    sum->digits += part.digits;
    sum->correct += part.correct;
    sum->loss += part.loss;
  }

  /// All training digits in random order, each shifted at random.
  std::vector<Sample> ShuffledSamples(int epoch) const {
    UniformRng dice(static_cast<std::uint64_t>(settings_.seed) << 32 | static_cast<unsigned>(epoch + 1));
    constexpr std::uint32_t kShifts = 2 * Digits<xpu>::kBorder + 1;
    std::vector<Sample> samples;
    for (std::uint32_t i = 0; i < train_.labels.size(); ++i) {
      const auto y = static_cast<std::uint8_t>(dice.Below(kShifts));
      const auto x = static_cast<std::uint8_t>(dice.Below(kShifts));
      samples.push_back({i, y, x});
    }
    dice.Shuffle(&samples);
    return samples;
  }

  /// The rate after `epochs` epochs: half a cosine from the first rate to zero, on which the first
  /// half epoch climbs from zero: large steps from random weights would kill units for good.
  /// Loshchilov, Hutter 2017, https://arxiv.org/abs/1608.03983
  double LearningRate(double epochs) const {
    const double cosine = 0.5 * (1 + std::cos(3.14159265358979 * epochs / settings_.epochs));
    return settings_.learning_rate * cosine * std::min(1.0, epochs / 0.5);
  }

  /// velocity = momentum * velocity - rate * (gradient + decay * weights); weights += velocity
  /// where gradient is the sum over all ranks, and there over the workers that had a part. On a cpu
  /// this goes slice by slice, so that each stays in the cache from one statement to the next.
  void Step(std::size_t parts, double learning_rate) {
    const DType momentum(settings_.momentum), decay(settings_.weight_decay), rate(learning_rate);
    const index_t count = parameters_.kCount, slice = xpu::kDevCPU ? 8192 : count;
    Tensor<xpu, 1, DType> sum = workers_[0]->gradient.all;
    if (parts == 0) sum = DType(0);  // a last batch of fewer digits than ranks
    for (index_t begin = 0; begin < count; begin += slice) {
      const index_t end = std::min(begin + slice, count);
      Tensor<xpu, 1, DType> gradient = sum.Slice(begin, end);
      for (std::size_t w = 1; w < parts; ++w) {
        gradient += workers_[w]->gradient.all.Slice(begin, end);
      }
    }
    if (world_->size() > 1) world_->template AllReduce<red::sum>(sum, "gradient").Wait();
    for (index_t begin = 0; begin < count; begin += slice) {
      const index_t end = std::min(begin + slice, count);
      const Tensor<xpu, 1, DType> gradient = sum.Slice(begin, end);
      Tensor<xpu, 1, DType> weights = parameters_.all.Slice(begin, end);
      Tensor<xpu, 1, DType> velocity = velocity_.Slice(begin, end);
      mshadow::Fuse(lazy(velocity) = momentum * velocity - rate * (gradient + decay * weights),
                    lazy(weights) += velocity);
    }
  }

  /// Hands part i of the samples to worker i, on all threads, and returns how many parts there
  /// are; count is at most part_ * workers_.size().
  template <typename Task>
  std::size_t OnWorkers(const Sample* samples, std::size_t count, const Task& task) {
    const int parts = static_cast<int>((count + part_ - 1) / part_);
    OnAllThreads(parts, [&](int i) {
      const std::size_t first = static_cast<std::size_t>(i) * part_;
      const std::size_t size = std::min<std::size_t>(part_, count - first);
      task(workers_[i].get(), samples + first, static_cast<index_t>(size));
    });
    return static_cast<std::size_t>(parts);
  }

  Settings settings_;
  World* world_;
  StreamPointer stream_;
  Digits<xpu> train_, test_;
  Parameters<xpu, DType> parameters_;
  TensorContainer<xpu, 1, DType> velocity_;
  index_t part_;
  std::vector<std::unique_ptr<Worker<xpu, DType>>> workers_;
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_TRAINER_H_
