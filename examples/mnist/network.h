// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_NETWORK_H_
#define MSHADOW_EXAMPLES_MNIST_NETWORK_H_

#include "conv_pool.h"
#include "parameters.h"

namespace mnist {

/// The network: conv+pool, conv+pool, dense, dropout, dense, softmax. It owns the values between
/// the layers for one batch at a time; the parameters come from outside and may be shared.
template <typename xpu, typename DType>
class Network {
 public:
  explicit Network(Stream<xpu>* stream)
      : conv1_(stream), conv2_(stream), dropout_(/*seed=*/0) {
    dropout_.set_stream(stream);
    for (auto* t : {&hidden_, &mask_, &grad_output_, &grad_hidden_}) t->set_stream(stream);
    output.set_stream(stream);
    grad_flat_.set_stream(stream);
    grad_conv1_.set_stream(stream);
  }

  /// (N, 10): the probability of each digit, filled by Forward
  TensorContainer<xpu, 2, DType> output{false};

  /// Restarts the random numbers of the dropout.
  void Seed(int seed) { dropout_.Seed(seed); }

  /// Fills `output` for the images (N, 1, 28, 28). In training every hidden unit is dropped with
  /// probability 1 - keep, and those that stay are scaled by 1 / keep; keep = 1 drops none.
  /// Srivastava et al. 2014, https://jmlr.org/papers/v15/srivastava14a.html
  void Forward(const Tensor<xpu, 4, DType>& images, const Parameters<xpu, DType>& p, DType keep) {
    const index_t count = images.size(0);
    conv1_.Forward(images, p.conv1_weight, p.conv1_bias);
    conv2_.Forward(conv1_.out, p.conv2_weight, p.conv2_bias);

    hidden_.Resize(Shape2(count, kHidden));
    hidden_ = dot(Flat(conv2_.out), p.dense1_weight);
    hidden_ = F<relu>(hidden_ + repmat(p.dense1_bias, count));
    mask_.Resize(hidden_.shape_);
    mask_ = DType(1);
    if (keep < DType(1)) {
      mask_ = F<op::lt>(dropout_.uniform(mask_.shape_), keep) * (DType(1) / keep);
      hidden_ *= mask_;
    }

    output.Resize(Shape2(count, kOutput));
    output = dot(hidden_, p.dense2_weight);
    output += repmat(p.dense2_bias, count);
    Softmax(output, output);
  }

  /// Right after Forward(images, p, keep): fills `grad` with the gradient of
  ///   scale * sum over n of -log(output[n][labels[n]])
  void Backward(const Tensor<xpu, 4, DType>& images, const Tensor<xpu, 1, DType>& labels,
                const Parameters<xpu, DType>& p, DType scale, Parameters<xpu, DType>* grad) {
    grad_output_.Resize(output.shape_);
    SoftmaxGrad(grad_output_, output, labels);
    grad_output_ *= scale;
    grad->dense2_weight = dot(hidden_.T(), grad_output_);
    grad->dense2_bias = sum_rows(grad_output_);

    grad_hidden_.Resize(hidden_.shape_);
    grad_hidden_ = dot(grad_output_, p.dense2_weight.T());
    grad_hidden_ *= F<relu_grad>(hidden_) * mask_;
    grad->dense1_weight = dot(Flat(conv2_.out).T(), grad_hidden_);
    grad->dense1_bias = sum_rows(grad_hidden_);

    grad_flat_.Resize(conv2_.out.shape_);
    Flat(grad_flat_) = dot(grad_hidden_, p.dense1_weight.T());
    grad_conv1_.Resize(conv1_.out.shape_);
    conv2_.Backward(conv1_.out, p.conv2_weight, grad_flat_, grad->conv2_weight, grad->conv2_bias,
                    &grad_conv1_);
    conv1_.Backward(images, p.conv1_weight, grad_conv1_, grad->conv1_weight, grad->conv1_bias,
                    nullptr);
  }

 private:
  /// (N, C, H, W) as the matrix (N, C * H * W): another view of the same memory.
  static Tensor<xpu, 2, DType> Flat(const Tensor<xpu, 4, DType>& t) {
    return {t.dptr_, Shape2(t.size(0), t.size(1) * t.size(2) * t.size(3)), t.stream_};
  }

  ConvPool<xpu, DType> conv1_, conv2_;
  Random<xpu, DType> dropout_;
  TensorContainer<xpu, 2, DType> hidden_{false}, mask_{false};
  TensorContainer<xpu, 2, DType> grad_output_{false}, grad_hidden_{false};
  TensorContainer<xpu, 4, DType> grad_flat_{false}, grad_conv1_{false};
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_NETWORK_H_
