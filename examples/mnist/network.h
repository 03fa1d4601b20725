// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_NETWORK_H_
#define MSHADOW_EXAMPLES_MNIST_NETWORK_H_

#include <mshadow/grad.h>

#include "parameters.h"

namespace mnist {

/// The network: conv+pool, conv+pool, dense, dropout, dense, softmax. The parameters come from
/// outside and may be shared.
template <typename xpu, typename DType>
class Network {
 public:
  explicit Network(Stream<xpu>* stream) : dropout_(/*seed=*/0) {
    dropout_.set_stream(stream);
    mask_.set_stream(stream);
    output.set_stream(stream);
  }

  /// (N, 10): the probability of each digit, filled by Forward and Train
  TensorContainer<xpu, 2, DType> output{false};

  /// Restarts the random numbers of the dropout.
  void Seed(int seed) { dropout_.Seed(seed); }

  /// Fills `output` for the images (N, 1, 28, 28), without dropout.
  void Forward(const Tensor<xpu, 4, DType>& images, const Parameters<xpu, DType>& p) {
    Tape tape;
    Logits(&tape, images, p, p, DType(1));
  }

  /// Fills `output`, and `gradient` with the gradient of
  ///   scale * sum over n of -log(output[n][labels[n]])
  /// Every hidden unit is dropped with probability 1 - keep, and those that stay are scaled by
  /// 1 / keep; keep = 1 drops none.
  /// Srivastava et al. 2014, https://jmlr.org/papers/v15/srivastava14a.html
  void Train(const Tensor<xpu, 4, DType>& images, const Tensor<xpu, 1, DType>& labels,
             const Parameters<xpu, DType>& p, DType keep, DType scale,
             Parameters<xpu, DType>* gradient) {
    gradient->all = DType(0);
    Tape tape;
    const auto logits = Logits(&tape, images, p, *gradient, keep);
    tape.Backward(tape(cross_entropy(logits, labels) * scale));
  }

 private:
  /// The layers. The gradients of p, if the tape runs backwards, are added to those of `gradient`.
  Variable<xpu, 2, DType> Logits(Tape* tape, const Tensor<xpu, 4, DType>& images,
                                 const Parameters<xpu, DType>& p,
                                 const Parameters<xpu, DType>& gradient, DType keep) {
    Tape& t = *tape;
    const auto of = [](const auto& value, const auto& grad) { return Variable(value, grad); };
    const auto conv1 = ConvPool(&t, images, of(p.conv1_weight, gradient.conv1_weight),
                                of(p.conv1_bias, gradient.conv1_bias));
    const auto conv2 = ConvPool(&t, conv1, of(p.conv2_weight, gradient.conv2_weight),
                                of(p.conv2_bias, gradient.conv2_bias));

    mask_.Resize(Shape2(images.size(0), kHidden));
    mask_ = DType(1);
    if (keep < DType(1)) {
      mask_ = F<op::lt>(dropout_.uniform(mask_.shape_), keep) * (DType(1) / keep);
    }
    const auto flat = reshape(conv2, Shape2(images.size(0), kFlat));
    const auto hidden = t(relu(dot(flat, of(p.dense1_weight, gradient.dense1_weight)) +
                               of(p.dense1_bias, gradient.dense1_bias)) *
                          mask_);
    const auto logits = t(dot(hidden, of(p.dense2_weight, gradient.dense2_weight)) +
                          of(p.dense2_bias, gradient.dense2_bias));
    output.Resize(logits.value.shape_);
    output = softmax<1>(logits.value);
    return logits;
  }

  /// relu(max_pool(conv(in, weight)) + bias), convolution without border, pooling 2x2. Bias and
  /// relu come after the pool, which gives the same values from a quarter of the work.
  ///
  /// in (N, C, H, W), a constant or not; weight (K, C, 5, 5); bias (K)
  /// -> (N, K, (H - 4) / 2, (W - 4) / 2)
  template <typename In>
  static Variable<xpu, 4, DType> ConvPool(Tape* tape, const In& in,
                                          const Variable<xpu, 4, DType>& weight,
                                          const Variable<xpu, 1, DType>& bias) {
    const auto pooled = pool<red::maximum>(conv2d(in, weight), 2, 2, 2);
    return (*tape)(relu(pooled + broadcast<1>(bias, pooled.shape_)));
  }

  Random<xpu, DType> dropout_;
  TensorContainer<xpu, 2, DType> mask_{false};
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_NETWORK_H_
