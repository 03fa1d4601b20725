// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_PARAMETERS_H_
#define MSHADOW_EXAMPLES_MNIST_PARAMETERS_H_

#include <mshadow/tensor.h>

#include <cmath>

namespace mnist {

using namespace mshadow;
using namespace mshadow::expr;

/// The sizes of the network; shapes are (channels, height, width):
/// (1, 28, 28) conv 5x5 (16, 24, 24) pool (16, 12, 12) conv 5x5 (32, 8, 8) pool (32, 4, 4)
/// dense (128) dense (10)
constexpr index_t kPatch = 5;
constexpr index_t kChannels1 = 16, kChannels2 = 32;
constexpr index_t kFlat = kChannels2 * 4 * 4;
constexpr index_t kHidden = 128;
constexpr index_t kOutput = 10;

/// All weights and biases, or their gradients, in one block of memory.
/// A Tensor is only a view, so each layer sees its own matrix while the optimiser, the sum over
/// threads and the model file see one long vector.
template <typename xpu, typename DType>
struct Parameters {
  static constexpr index_t kCount = kChannels1 * (kPatch * kPatch + 1) +
                                    kChannels2 * (kChannels1 * kPatch * kPatch + 1) +
                                    (kFlat + 1) * kHidden + (kHidden + 1) * kOutput;

  TensorContainer<xpu, 1, DType> all;
  Tensor<xpu, 4, DType> conv1_weight, conv2_weight;    // (channels out, channels in, 5, 5)
  Tensor<xpu, 2, DType> dense1_weight, dense2_weight;  // (inputs, outputs)
  Tensor<xpu, 1, DType> conv1_bias, conv2_bias, dense1_bias, dense2_bias;

  explicit Parameters(Stream<xpu>* stream) {
    all.set_stream(stream);
    all.Resize(Shape1(kCount), DType(0));
    DType* next = all.dptr_;
    auto place = [&next, stream](auto shape) {
      Tensor<xpu, decltype(shape)::kDimension, DType> view(next, shape, stream);
      next += shape.Size();
      return view;
    };
    conv1_weight = place(Shape4(kChannels1, 1, kPatch, kPatch));
    conv1_bias = place(Shape1(kChannels1));
    conv2_weight = place(Shape4(kChannels2, kChannels1, kPatch, kPatch));
    conv2_bias = place(Shape1(kChannels2));
    dense1_weight = place(Shape2(kFlat, kHidden));
    dense1_bias = place(Shape1(kHidden));
    dense2_weight = place(Shape2(kHidden, kOutput));
    dense2_bias = place(Shape1(kOutput));
    CHECK_EQ(next, all.dptr_ + kCount);
  }

  // The views point into `all`; a copy's would point into the original.
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// Gaussian weights of variance 2 / fan-in, biases zero.
  /// He, Zhang, Ren, Sun 2015, https://arxiv.org/abs/1502.01852
  void Initialize(Random<xpu, DType>* random) {
    auto gauss = [random](auto* weight, index_t fan_in) {
      random->SampleGaussian(weight, DType(0), static_cast<DType>(std::sqrt(2.0 / fan_in)));
    };
    all = DType(0);
    gauss(&conv1_weight, kPatch * kPatch);
    gauss(&conv2_weight, kChannels1 * kPatch * kPatch);
    gauss(&dense1_weight, dense1_weight.size(0));
    gauss(&dense2_weight, dense2_weight.size(0));
  }
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_PARAMETERS_H_
