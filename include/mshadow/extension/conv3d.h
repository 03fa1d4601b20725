// SPDX-License-Identifier: Apache-2.0
// conv3d, conv_transpose3d: conv2d of each depth of the result, with depth as more channels.
#ifndef MSHADOW_EXTENSION_CONV3D_H_
#define MSHADOW_EXTENSION_CONV3D_H_

#include "conv_transpose.h"
#include "reshape.h"
#include "swapaxis.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {
/// The numbers of height and width.
inline Shape<2> OfPlane(const PerAxis<3>& numbers) {
  return Shape2(numbers.value[1], numbers.value[2]);
}
}  // namespace detail

namespace adl {

/// y[n][o][t][v][u] = sum_chij w[o][c][h][i][j] x[n][c + g C'][t s + h d - p][..][..], height and
/// width as in conv2d: s is stride, p pad, d dilation, C' = C / groups, g = o / (O / groups).
/// x (N, C, D, H, W), w (O, C', kd, ky, kx) -> (N, O, od, oh, ow) with
/// od = (D + 2 p - d (kd - 1) - 1) / s + 1, the others likewise, rounded down. Stride, pad and
/// dilation are a number, or Shape3 of those of depth, height and width. Throws Error with both
/// shapes where they do not fit. It takes memory of od kd / D times x, twice.
template <typename TX, typename TW, typename DType, int tx, int tw>
inline auto conv3d(const Exp<TX, DType, tx>& x, const Exp<TW, DType, tw>& w,
                   detail::PerAxis<3> stride = 1, detail::PerAxis<3> pad = 0,
                   detail::PerAxis<3> dilation = 1, index_t groups = 1) {
  constexpr bool kFits = ExpInfo<TX>::kDim == 5 && ExpInfo<TW>::kDim == 5;
  static_assert(kFits,
                "mshadow: conv3d takes images (N, C, D, H, W) and weights (O, C / groups, "
                "kd, ky, kx)");
  if constexpr (kFits) {
    const Shape<5> from = ShapeCheck<5, TX>::Check(x.self());
    const Shape<5> patch = ShapeCheck<5, TW>::Check(w.self());
    detail::CheckConvolution("conv3d", from, patch, groups);
    detail::CheckPatches("conv3d", from, patch, stride.value, pad.value, dilation.value);
    MSHADOW_CHECK(from[2] > 0 && from[3] > 0 && from[4] > 0)
        << "conv3d: images " << LogText(from) << " have no pixel";
    const detail::PatchGrid grid("conv3d: depth", from[2] + 2 * pad.value[0], 1, patch[2], 1,
                                 stride.value[0], 1, dilation.value[0], 1);
    const index_t plane = from[3] * from[4], images = from[0] * grid.height;
    const index_t channels = from[1] * patch[2];
    // A plane of the result reads kd planes of each channel: they become channels.
    const auto columns = unpack_patch2col(
        expr::pad(reshape(x, Shape4(from[0], from[1], from[2], plane)), pad.value[0], 0), patch[2],
        1, stride.value[0], 1, dilation.value[0], 1);  // (C kd, N od H W)
    const auto y =
        conv2d(reshape(swapaxis<1, 0>(reshape(columns, Shape3(channels, images, plane))),
                       Shape4(images, channels, from[3], from[4])),
               reshape(w, Shape4(patch[0], patch[1] * patch[2], patch[3], patch[4])),
               detail::OfPlane(stride), detail::OfPlane(pad), detail::OfPlane(dilation), groups);
    const Shape<4> to = y.function_.sizes.y;  // (N od, O, oh, ow)
    return swapaxis<2, 1>(reshape(y, Shape5(from[0], grid.height, to[1], to[2], to[3])));
  }
}
MSHADOW_OWNS_TEMPORARIES_(conv3d)

/// conv_transpose2d with a depth: the gradient by its images of a conv3d with the same numbers.
/// x (N, C, D, H, W), w (C, O / groups, kd, ky, kx) -> (N, O, od, oh, ow) with
/// od = (D - 1) s - 2 p + d (kd - 1) + output_pad + 1, the others likewise. Throws Error as
/// conv_transpose2d does.
template <typename TX, typename TW, typename DType, int tx, int tw>
inline auto conv_transpose3d(const Exp<TX, DType, tx>& x, const Exp<TW, DType, tw>& w,
                             detail::PerAxis<3> stride = 1, detail::PerAxis<3> pad = 0,
                             detail::PerAxis<3> output_pad = 0, index_t groups = 1,
                             detail::PerAxis<3> dilation = 1) {
  constexpr bool kFits = ExpInfo<TX>::kDim == 5 && ExpInfo<TW>::kDim == 5;
  static_assert(kFits,
                "mshadow: conv_transpose3d takes images (N, C, D, H, W) and weights (C, O / "
                "groups, kd, ky, kx)");
  if constexpr (kFits) {
    const Shape<5> from = ShapeCheck<5, TX>::Check(x.self());
    const Shape<5> patch = ShapeCheck<5, TW>::Check(w.self());
    const Shape<5> to =
        detail::TransposedShape("conv_transpose3d", from, patch, stride.value, pad.value,
                                output_pad.value, dilation.value, groups);
    const auto y = conv_transpose2d(
        reshape(swapaxis<2, 1>(x), Shape4(from[0] * from[2], from[1], from[3], from[4])),
        reshape(w, Shape4(patch[0], patch[1] * patch[2], patch[3], patch[4])),
        detail::OfPlane(stride), detail::OfPlane(pad), detail::OfPlane(output_pad), groups,
        detail::OfPlane(dilation));
    const index_t images = from[0] * from[2], plane = to[3] * to[4];  // y: (N D, O kd, oh, ow)
    const auto columns =
        swapaxis<1, 0>(reshape(y, Shape3(images, to[1] * patch[2], plane)));  // (O kd, N D, oh ow)
    const auto planes = pack_col2patch(reshape(columns, Shape2(to[1] * patch[2], images * plane)),
                                       Shape4(to[0], to[1], to[2] + 2 * pad.value[0], plane),
                                       patch[2], 1, stride.value[0], 1, dilation.value[0], 1);
    return reshape(unpad(planes, pad.value[0], 0), to);
  }
}
MSHADOW_OWNS_TEMPORARIES_(conv_transpose3d)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CONV3D_H_
