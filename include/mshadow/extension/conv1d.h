// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CONV1D_H_
#define MSHADOW_EXTENSION_CONV1D_H_

#include "conv2d.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace adl {

/// y[n][o][u] = sum_cj w[o][c][j] x[n][c + g C'][u s + j d - p], x being 0 outside of the row: s is
/// stride, p pad, d dilation, C' = C / groups, g = o / (O / groups).
/// x (N, C, W), w (O, C', k) -> (N, O, ow) with ow = (W + 2 p - d (k - 1) - 1) / s + 1, rounded
/// down. Throws Error as conv2d does.
template <typename TX, typename TW, typename DType, int tx, int tw>
inline auto conv1d(const Exp<TX, DType, tx>& x, const Exp<TW, DType, tw>& w,
                   detail::PerAxis<1> stride = 1, detail::PerAxis<1> pad = 0,
                   detail::PerAxis<1> dilation = 1, index_t groups = 1) {
  return detail::Convolution<detail::ConvForward, 3>(
      x, w, [&](const Shape<3>& x_shape, const Shape<3>& w_shape) {
        return detail::ConvSizes("conv1d", x_shape, w_shape, Shape2(1, stride.value[0]),
                                 Shape2(0, pad.value[0]), Shape2(1, dilation.value[0]), groups);
      });
}
MSHADOW_OWNS_TEMPORARIES_(conv1d)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CONV1D_H_
