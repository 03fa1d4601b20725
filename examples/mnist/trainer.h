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
template <typename xpu, typename DType>
class Trainer {
 public:
  struct Settings {
    int batch, epochs, seed;
    double learning_rate;
    double momentum = 0.9, weight_decay = 5e-4, keep = 0.7;
  };

  Trainer(const TrainAndTest& data, const Settings& settings)
      : settings_(settings),
        stream_(NewStream<xpu>(), &DeleteStream<xpu>),
        train_(data.train, stream_.get()),
        test_(data.test, stream_.get()),
        parameters_(stream_.get()),
        part_(static_cast<index_t>(xpu::kDevCPU ? std::min(settings.batch, kPart)
                                                : settings.batch)) {
    for (int first = 0; first < settings.batch; first += static_cast<int>(part_)) {
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
  /// called after each batch. Returns false if Ctrl-C ended it early.
  template <typename Update>
  bool TrainEpoch(int epoch, Update update) {
    const std::vector<Sample> samples = ShuffledSamples(epoch);
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      workers_[w]->network.Seed(settings_.seed + 1000 * epoch + static_cast<int>(w));
    }
    Tally tally;
    const std::size_t batch = static_cast<std::size_t>(settings_.batch);
    for (std::size_t begin = 0; begin < samples.size(); begin += batch) {
      if (interrupted) return false;
      const std::size_t count = std::min(batch, samples.size() - begin);
      const DType scale = DType(1) / static_cast<DType>(count);
      const std::size_t parts =
          OnWorkers(&samples[begin], count, [&](Worker<xpu, DType>* worker, const Sample* first,
                                                index_t size) {
            worker->Train(train_, first, size, parameters_, DType(settings_.keep), scale);
          });
      const double done = static_cast<double>(begin + count) / static_cast<double>(samples.size());
      Step(parts, LearningRate(epoch + done));
      for (std::size_t w = 0; w < parts; ++w) Add(workers_[w]->tally, &tally);
      update(tally);
    }
    return true;
  }

  /// Tests on all test digits.
  Evaluation Test() {
    Evaluation result;
    std::vector<Sample> samples;
    for (std::uint32_t i = 0; i < test_.labels.size(); ++i) samples.push_back(Unshifted(i));
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
    return result;
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

 private:
  static constexpr int kPart = 16;
  using StreamPointer = std::unique_ptr<Stream<xpu>, void (*)(Stream<xpu>*)>;

  static Sample Unshifted(std::uint32_t index) {
    return {index, Digits<xpu>::kBorder, Digits<xpu>::kBorder};
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
  /// where gradient is the sum over the workers that had a part. On a cpu this goes slice by slice,
  /// so that each stays in the cache from one statement to the next.
  void Step(std::size_t parts, double learning_rate) {
    const DType momentum(settings_.momentum), decay(settings_.weight_decay), rate(learning_rate);
    const index_t count = parameters_.kCount, slice = xpu::kDevCPU ? 8192 : count;
    for (index_t begin = 0; begin < count; begin += slice) {
      const index_t end = std::min(begin + slice, count);
      Tensor<xpu, 1, DType> gradient = workers_[0]->gradient.all.Slice(begin, end);
      for (std::size_t w = 1; w < parts; ++w) {
        gradient += workers_[w]->gradient.all.Slice(begin, end);
      }
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
  StreamPointer stream_;
  Digits<xpu> train_, test_;
  Parameters<xpu, DType> parameters_;
  TensorContainer<xpu, 1, DType> velocity_;
  index_t part_;
  std::vector<std::unique_ptr<Worker<xpu, DType>>> workers_;
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_TRAINER_H_
