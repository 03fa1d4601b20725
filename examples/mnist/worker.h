// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_WORKER_H_
#define MSHADOW_EXAMPLES_MNIST_WORKER_H_

#include <mshadow/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset.h"
#include "network.h"
#include "parameters.h"
#include "progress.h"

namespace mnist {

/// Digits on the device, each with a dark border of kBorder pixels, so that a crop can shift them.
template <typename xpu>
struct Digits {
  static constexpr index_t kBorder = 1;

  TensorContainer<xpu, 3, std::uint8_t> images{false};  // (n, 30, 30)
  std::vector<std::uint8_t> labels;

  Digits(const Dataset& data, Stream<xpu>* stream) : labels(data.labels) {
    const index_t count = static_cast<index_t>(data.size()), side = kSide + 2 * kBorder;
    TensorContainer<cpu, 3, std::uint8_t> host(false);
    host.Resize(Shape3(count, side, side), 0);
    for (index_t n = 0; n < count; ++n) {
      for (index_t y = 0; y < kSide; ++y) {
        std::copy_n(data.image(n) + y * kSide, kSide, &host[n][y + kBorder][kBorder]);
      }
    }
    images.set_stream(stream);
    images.Resize(host.shape_);
    Copy(images, host, stream);
    stream->Wait();  // before the memory of `host` goes
  }
};

/// One digit of an epoch: which, and the corner of its crop; (kBorder, kBorder) does not shift.
struct Sample {
  std::uint32_t index;
  std::uint8_t y, x;
};

/// Handles one part of each batch with a network of its own; several workers share the weights.
template <typename xpu, typename DType>
class Worker {
 public:
  explicit Worker(Stream<xpu>* stream) : network(stream), gradient(stream), stream_(stream) {
    images_.set_stream(stream);
    labels_.set_stream(stream);
  }

  Network<xpu, DType> network;
  Parameters<xpu, DType> gradient;  ///< filled by Train
  Tally tally;                      ///< of the last call
  std::vector<int> predicted;       ///< by the last call, one per sample

  /// Fills `gradient` for the loss weighted by `scale`, and compares with the labels.
  void Train(const Digits<xpu>& digits, const Sample* samples, index_t count,
             const Parameters<xpu, DType>& parameters, DType keep, DType scale) {
    Load(digits, samples, count);
    network.Train(images_, labels_, parameters, keep, scale, &gradient);
    Compare();
  }

  /// Forward without dropout, and compare with the labels.
  void Test(const Digits<xpu>& digits, const Sample* samples, index_t count,
            const Parameters<xpu, DType>& parameters) {
    Load(digits, samples, count);
    network.Forward(images_, parameters);
    Compare();
  }

 private:
  /// Brings the samples to mean 0 and variance 1 (over all of MNIST) as numbers of the network.
  void Load(const Digits<xpu>& digits, const Sample* samples, index_t count) {
    const DType mean(33.3), deviation(78.6);
    images_.Resize(Shape4(count, 1, kSide, kSide));
    labels_.Resize(Shape1(count));
    host_labels_.Resize(Shape1(count));
    for (index_t n = 0; n < count; ++n) {
      const Sample& sample = samples[n];
      // Crop, convert and scale in one pass over the pixels.
      images_[n][0] = (tcast<DType>(crop(digits.images[sample.index], Shape2(kSide, kSide),
                                         sample.y, sample.x)) - mean) * (DType(1) / deviation);
      host_labels_[n] = digits.labels[sample.index];
    }
    Copy(labels_, host_labels_, stream_);
  }

  void Compare() {
    const index_t count = network.output.size(0);
    host_output_.Resize(network.output.shape_);
    Copy(host_output_, network.output, stream_);
    stream_->Wait();
    tally = Tally();
    predicted.clear();
    for (index_t n = 0; n < count; ++n) {
      const Tensor<cpu, 1, DType> probability = host_output_[n];
      const DType* const begin = probability.dptr_;
      const int label = static_cast<int>(host_labels_[n]);
      predicted.push_back(static_cast<int>(std::max_element(begin, begin + kClasses) - begin));
      tally.digits += 1;
      tally.correct += predicted.back() == label;
      tally.loss -= std::log(std::max(probability[label], DType(1e-30)));
    }
  }

  Stream<xpu>* stream_;
  TensorContainer<xpu, 4, DType> images_{false};
  TensorContainer<xpu, 1, DType> labels_;
  TensorContainer<cpu, 1, DType> host_labels_;
  TensorContainer<cpu, 2, DType> host_output_{false};
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_WORKER_H_
