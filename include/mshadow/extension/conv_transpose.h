// SPDX-License-Identifier: Apache-2.0
// conv_transpose1d, conv_transpose2d: what conv1d and conv2d hand back to their images.
#ifndef MSHADOW_EXTENSION_CONV_TRANSPOSE_H_
#define MSHADOW_EXTENSION_CONV_TRANSPOSE_H_

#include "conv2d.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The shape of the result of a transposed convolution of images (N, C, ..) with weights (C, O /
/// groups, ..). Throws Error, in the name of `who`, where there is none.
template <int dim>
inline Shape<dim> TransposedShape(const char* who, const Shape<dim>& x, const Shape<dim>& w,
                                  const Shape<dim - 2>& stride, const Shape<dim - 2>& pad,
                                  const Shape<dim - 2>& output_pad, const Shape<dim - 2>& dilation,
                                  index_t groups) {
  MSHADOW_CHECK(groups > 0 && x[1] == w[0] && w[0] % groups == 0)
      << who << ": images " << LogText(x) << " do not fit weights " << LogText(w) << " in "
      << groups << " groups: (N, C, ..) takes (C, O / groups, ..), groups a divisor of C";
  Shape<dim> shape;
  shape[0] = x[0];
  shape[1] = w[1] * groups;
  for (int i = 2; i < dim; ++i) {
    const long long step = Signed(stride[i - 2]), apart = Signed(dilation[i - 2]);
    const long long padding = Signed(pad[i - 2]), more = Signed(output_pad[i - 2]);
    // What no extent may be is not computed, since it may exceed any integer.
    constexpr long long kMost = 0x0fffffffffffffff;
    const auto reach = [](index_t count, long long distance) {
      return count > 1 && distance > kMost / (Signed(count) - 1) ? kMost
                                                                 : (Signed(count) - 1) * distance;
    };
    CheckPositive(who, "stride", step);
    CheckPositive(who, "dilation", apart);
    CheckArgument(who, "pad", padding, 0, 0x0fffffff, "");
    CheckArgument(who, "output_pad", more, 0, step - 1, ", less than the stride");
    const long long extent = reach(x[i], step) + reach(w[i], apart) +
                             (more < kMost ? more : kMost) - 2 * padding + 1;
    MSHADOW_CHECK(x[i] > 0 && w[i] > 0 && extent > 0)
        << who << ": images " << LogText(x) << " and weights " << LogText(w)
        << " make nothing at this padding";
    CheckArgument(who, "an extent of the result", extent, 1,
                  static_cast<long long>(mshadow::detail::kMaxElements), "");
    shape[i] = static_cast<index_t>(extent);
  }
  return shape;
}

}  // namespace detail

namespace adl {

/// y[n][o][v][u] = sum_cijab w[c][o'][i][j] x[n][c][a][b] over all of group o / O' with
/// v = a s + i d - p and u = b s + j d - p: s is stride, p pad, d dilation, O' = O / groups,
/// o' = o % O'. The gradient by its images of a conv2d with the same numbers.
/// x (N, C, H, W), w (C, O', ky, kx) -> (N, O, oh, ow) with
/// oh = (H - 1) s - 2 p + d (ky - 1) + output_pad + 1, ow likewise. The arguments come as in
/// PyTorch; those before groups, and dilation, are a number, or Shape2 of those of height and
/// width. Throws Error with both shapes where they do not fit, where nothing is left, where
/// output_pad is not less than stride, or for a stride, dilation or groups of 0.
template <typename TX, typename TW, typename DType, int tx, int tw>
inline auto conv_transpose2d(const Exp<TX, DType, tx>& x, const Exp<TW, DType, tw>& w,
                             detail::PerAxis<2> stride = 1, detail::PerAxis<2> pad = 0,
                             detail::PerAxis<2> output_pad = 0, index_t groups = 1,
                             detail::PerAxis<2> dilation = 1) {
  return detail::Convolution<detail::ConvGradX, 4>(
      x, w, [&](const Shape<4>& x_shape, const Shape<4>& w_shape) {
        const char* const who = "conv_transpose2d";
        // The convolution with this result as its images.
        return detail::ConvSizes(
            who,
            detail::TransposedShape(who, x_shape, w_shape, stride.value, pad.value,
                                    output_pad.value, dilation.value, groups),
            w_shape, stride.value, pad.value, dilation.value, groups);
      });
}
MSHADOW_OWNS_TEMPORARIES_(conv_transpose2d)

/// The same without height: x (N, C, W), w (C, O / groups, k) -> (N, O, ow).
template <typename TX, typename TW, typename DType, int tx, int tw>
inline auto conv_transpose1d(const Exp<TX, DType, tx>& x, const Exp<TW, DType, tw>& w,
                             detail::PerAxis<1> stride = 1, detail::PerAxis<1> pad = 0,
                             detail::PerAxis<1> output_pad = 0, index_t groups = 1,
                             detail::PerAxis<1> dilation = 1) {
  return detail::Convolution<detail::ConvGradX, 3>(
      x, w, [&](const Shape<3>& x_shape, const Shape<3>& w_shape) {
        const char* const who = "conv_transpose1d";
        return detail::ConvSizes(
            who,
            detail::TransposedShape(who, x_shape, w_shape, stride.value, pad.value,
                                    output_pad.value, dilation.value, groups),
            w_shape, Shape2(1, stride.value[0]), Shape2(0, pad.value[0]),
            Shape2(1, dilation.value[0]), groups);
      });
}
MSHADOW_OWNS_TEMPORARIES_(conv_transpose1d)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CONV_TRANSPOSE_H_
