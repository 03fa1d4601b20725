// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_CONV_POOL_H_
#define MSHADOW_EXAMPLES_MNIST_CONV_POOL_H_

#include "parameters.h"

namespace mnist {

// Element-wise functions of our own: a struct with a static Map is all that F<> needs.

struct relu {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a > DType(0) ? a : DType(0);
  }
};

/// derivative of relu, from its output
struct relu_grad {
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
    out = F<relu>(pooled_ + broadcast<1>(bias, pooled_.shape_));
  }

  /// From the gradient of `out`, right after Forward(in, weight, bias): fills the gradients of
  /// weight and bias and, where `grad_in` is not null, of in.
  void Backward(const Tensor<xpu, 4, DType>& in, const Tensor<xpu, 2, DType>& weight,
                const Tensor<xpu, 4, DType>& grad_out, Tensor<xpu, 2, DType> grad_weight,
                Tensor<xpu, 1, DType> grad_bias, Tensor<xpu, 4, DType>* grad_in) {
    grad_pooled_.Resize(pooled_.shape_);
    grad_pooled_ = F<relu_grad>(out) * grad_out;
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

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_CONV_POOL_H_
