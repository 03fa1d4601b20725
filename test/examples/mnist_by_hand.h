// SPDX-License-Identifier: Apache-2.0
// The network of examples/mnist with its backward pass written by hand.
#ifndef MSHADOW_TEST_EXAMPLES_MNIST_BY_HAND_H_
#define MSHADOW_TEST_EXAMPLES_MNIST_BY_HAND_H_

#include "../../examples/mnist/parameters.h"

namespace mnist {

struct Relu {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a > DType(0) ? a : DType(0);
  }
};

/// derivative of relu, from its output
struct ReluGrad {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a > DType(0) ? DType(1) : DType(0);
  }
};

/// out = relu(max_pool(conv(in, weight)) + bias), convolution without border, pooling 2x2.
/// Bias and relu come after the pool, which gives the same values from a quarter of the work.
///
/// in (N, C, H, W); weight (K, C * 5 * 5); bias (K); out (N, K, (H - 4) / 2, (W - 4) / 2).
template <typename xpu, typename DType>
class ConvPool {
 public:
  explicit ConvPool(Stream<xpu>* stream) {
    columns_.set_stream(stream);
    conv_.set_stream(stream);
    pooled_.set_stream(stream);
    grad_pooled_.set_stream(stream);
    out.set_stream(stream);
  }

  TensorContainer<xpu, 4, DType> out{false};

  /// Fills `out`.
  void Forward(const Tensor<xpu, 4, DType>& in, const Tensor<xpu, 2, DType>& weight,
               const Tensor<xpu, 1, DType>& bias) {
    const index_t height = in.size(2) - kPatch + 1, width = in.size(3) - kPatch + 1;
    columns_.Resize(Shape2(weight.size(1), height * width));
    conv_.Resize(Shape4(in.size(0), weight.size(0), height, width));
    pooled_.Resize(Shape4(in.size(0), weight.size(0), height / 2, width / 2));
    out.Resize(pooled_.shape_);

    // Image by image, so that the columns stay in the cache.
    for (index_t n = 0; n < in.size(0); ++n) {
      columns_ = unpack_patch2col(in[n], kPatch, kPatch, 1);  // (C * 5 * 5, height * width)
      ChannelRows(conv_[n]) = dot(weight, columns_);
    }
    pooled_ = pool<red::maximum>(conv_, 2, 2, 2);
    out = F<Relu>(pooled_ + broadcast<1>(bias, pooled_.shape_));
  }

  /// From the gradient of `out`, right after Forward(in, weight, bias): fills the gradients of
  /// weight and bias and, where `grad_in` is not null, of in.
  void Backward(const Tensor<xpu, 4, DType>& in, const Tensor<xpu, 2, DType>& weight,
                const Tensor<xpu, 4, DType>& grad_out, Tensor<xpu, 2, DType> grad_weight,
                Tensor<xpu, 1, DType> grad_bias, Tensor<xpu, 4, DType>* grad_in) {
    grad_pooled_.Resize(pooled_.shape_);
    grad_pooled_ = F<ReluGrad>(out) * grad_out;
    grad_bias = sumall_except_dim<1>(grad_pooled_);
    // From here on conv_ holds its own gradient.
    conv_ = unpool<red::maximum>(conv_, pooled_, grad_pooled_, 2, 2, 2);

    grad_weight = DType(0);
    for (index_t n = 0; n < in.size(0); ++n) {
      const Tensor<xpu, 2, DType> grad_conv = ChannelRows(conv_[n]);
      columns_ = unpack_patch2col(in[n], kPatch, kPatch, 1);
      grad_weight += dot(grad_conv, columns_.T());
      if (grad_in != nullptr) {
        columns_ = dot(weight.T(), grad_conv);
        (*grad_in)[n] = pack_col2patch(columns_, in[n].shape_, kPatch, kPatch, 1);
      }
    }
  }

 private:
  /// An image (C, H, W) as the matrix (C, H * W): another view of the same memory.
  static Tensor<xpu, 2, DType> ChannelRows(const Tensor<xpu, 3, DType>& image) {
    return {image.dptr_, Shape2(image.size(0), image.size(1) * image.size(2)), image.stream_};
  }

  // `false`: rows without padding, as ChannelRows needs.
  TensorContainer<xpu, 2, DType> columns_{false};
  TensorContainer<xpu, 4, DType> conv_{false}, pooled_{false}, grad_pooled_{false};
};

/// The network: conv+pool, conv+pool, dense, dropout, dense, softmax. It owns the values between
/// the layers for one batch at a time; the parameters come from outside and may be shared.
template <typename xpu, typename DType>
class NetworkByHand {
 public:
  explicit NetworkByHand(Stream<xpu>* stream)
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
    conv1_.Forward(images, Flat(p.conv1_weight), p.conv1_bias);
    conv2_.Forward(conv1_.out, Flat(p.conv2_weight), p.conv2_bias);

    hidden_.Resize(Shape2(count, kHidden));
    hidden_ = dot(Flat(conv2_.out), p.dense1_weight);
    hidden_ = F<Relu>(hidden_ + repmat(p.dense1_bias, count));
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
    grad_hidden_ *= F<ReluGrad>(hidden_) * mask_;
    grad->dense1_weight = dot(Flat(conv2_.out).T(), grad_hidden_);
    grad->dense1_bias = sum_rows(grad_hidden_);

    grad_flat_.Resize(conv2_.out.shape_);
    Flat(grad_flat_) = dot(grad_hidden_, p.dense1_weight.T());
    grad_conv1_.Resize(conv1_.out.shape_);
    conv2_.Backward(conv1_.out, Flat(p.conv2_weight), grad_flat_, Flat(grad->conv2_weight),
                    grad->conv2_bias, &grad_conv1_);
    conv1_.Backward(images, Flat(p.conv1_weight), grad_conv1_, Flat(grad->conv1_weight),
                    grad->conv1_bias, nullptr);
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
#endif  // MSHADOW_TEST_EXAMPLES_MNIST_BY_HAND_H_
