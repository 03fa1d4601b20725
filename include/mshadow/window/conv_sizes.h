// SPDX-License-Identifier: Apache-2.0
// The shapes of a convolution, checked, and how its rows are divided into blocks.
#ifndef MSHADOW_WINDOW_CONV_SIZES_H_
#define MSHADOW_WINDOW_CONV_SIZES_H_

#include <cstddef>
#include <type_traits>

#include "../core/argument.h"
#include "../expr/exp.h"
#include "window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// A number for each of n axes: one for all, or a Shape of them.
template <int n>
struct PerAxis {
  Shape<n> value;
  PerAxis(index_t all) {  // NOLINT: implicit
    for (int i = 0; i < n; ++i) value[i] = all;
  }
  PerAxis(const Shape<n>& each) : value(each) {}  // NOLINT: implicit
};

/// (N, C, W) as (N, C, 1, W), for images and for weights.
inline Shape<4> WithHeight(const Shape<4>& shape) { return shape; }
inline Shape<4> WithHeight(const Shape<3>& shape) {
  return Shape4(shape[0], shape[1], 1, shape[2]);
}

/// Throws Error, in the name of `who`, where images and weights (O, C / groups, ..) do not fit.
template <int dim>
inline void CheckConvolution(const char* who, const Shape<dim>& x, const Shape<dim>& w,
                             index_t groups) {
  MSHADOW_CHECK(groups > 0 && x[1] % groups == 0 && w[0] % groups == 0 && x[1] / groups == w[1])
      << who << ": images " << LogText(x) << " do not fit weights " << LogText(w) << " in "
      << groups << " groups: (N, C, ..) takes (O, C / groups, ..), groups a divisor of C and O";
}

/// An argument as its caller wrote it: index_t may have no sign.
inline long long Signed(index_t number) {
  return static_cast<long long>(static_cast<std::make_signed_t<index_t>>(number));
}
/// Throws Error, in the name of `who`, where a number of the last n axes is out of range, or a patch
/// exceeds the padded images.
template <int dim, int n>
inline void CheckPatches(const char* who, const Shape<dim>& x, const Shape<dim>& w,
                         const Shape<n>& stride, const Shape<n>& pad, const Shape<n>& dilation) {
  for (int i = 2; i < dim; ++i) {
    const int k = i + n - dim;
    CheckPositive(who, "stride", Signed(stride[k]));
    CheckPositive(who, "dilation", Signed(dilation[k]));
    CheckArgument(who, "pad", Signed(pad[k]), 0, 0x0fffffff, "");
    const long long room = static_cast<long long>(x[i]) + 2 * Signed(pad[k]);
    MSHADOW_CHECK(w[i] > 0 && room > 0 &&
                  Signed(w[i]) - 1 <= (room - 1) / Signed(dilation[k]))
        << who << ": patches of weights " << LogText(w) << ", " << dilation[k]
        << " apart, exceed images " << LogText(x) << " with padding " << pad[k] << " along axis "
        << i;
  }
}

/// The shapes and numbers of a convolution: x (N, C, H, W), w (O, C / groups, ky, kx) -> y. Of
/// vectors, which have no H, it is 1.
struct ConvSizes {
  Shape<4> x, w, y;
  Shape<2> stride, pad, dilation;
  index_t groups;
  template <int dim>
  ConvSizes(const char* who, const Shape<dim>& x_shape, const Shape<dim>& w_shape,
            const Shape<2>& stride_, const Shape<2>& pad_, const Shape<2>& dilation_,
            index_t groups_)
      : x(WithHeight(x_shape)),
        w(WithHeight(w_shape)),
        stride(stride_),
        pad(pad_),
        dilation(dilation_),
        groups(groups_) {
    CheckConvolution(who, x_shape, w_shape, groups);
    CheckPatches(who, x_shape, w_shape, stride, pad, dilation);
    const PatchGrid grid(who, x[2] + 2 * pad[0], x[3] + 2 * pad[1], w[2], w[3], stride[0],
                         stride[1], dilation[0], dilation[1]);
    y = Shape4(x[0], w[0], grid.height, grid.width);
  }
  index_t InputsOfGroup() const { return w[1]; }
  index_t OutputsOfGroup() const { return w[0] / groups; }
  Shape<3> PaddedGroup() const { return Shape3(w[1], x[2] + 2 * pad[0], x[3] + 2 * pad[1]); }
  Shape<2> WeightsOfGroup() const { return Shape2(OutputsOfGroup(), w[1] * w[2] * w[3]); }

  /// The axis of the result that blocks divide: 0 is height, or, where there is one row, 1, width.
  int BlockAxis() const { return y[2] == 1 ? 1 : 0; }
  index_t BlockExtent() const { return y[2 + BlockAxis()]; }
  /// Pixels of the result at one index of it.
  index_t PixelsOfIndex() const { return BlockAxis() == 0 ? y[3] : 1; }
  /// Calls f(n, g, first, last) for all images n, groups g, and blocks [first, last) of the result.
  /// The patches of a block stay in the cache that the cores share, unless their product were too
  /// narrow. Smaller blocks are no faster, and threads wait for each other at each.
  template <typename F>
  void ForEachBlock(std::size_t element, const F& f) const {
    constexpr std::size_t kBytes = 1 << 22, kMinColumns = 256;
    const std::size_t patch = static_cast<std::size_t>(w[1] * w[2] * w[3]) * element;
    const std::size_t extent = static_cast<std::size_t>(BlockExtent());
    std::size_t columns = kBytes / (patch + 1);
    if (columns < kMinColumns) columns = kMinColumns;
    std::size_t size = columns / static_cast<std::size_t>(PixelsOfIndex());
    if (size < 1) size = 1;
    for (index_t n = 0; n < x[0]; ++n) {
      for (index_t g = 0; g < groups; ++g) {
        for (std::size_t first = 0; first < extent; first += size) {
          const std::size_t last = first + size < extent ? first + size : extent;
          f(n, g, static_cast<index_t>(first), static_cast<index_t>(last));
        }
      }
    }
  }
  /// The box of padded images that a block is computed from: [BoxBegin(first), BoxEnd(last)).
  Shape<3> BoxBegin(index_t first) const {
    Shape<3> begin = Shape3(0, 0, 0);
    begin[1 + BlockAxis()] = first * stride[BlockAxis()];
    return begin;
  }
  Shape<3> BoxEnd(index_t last) const {
    const int axis = BlockAxis();
    Shape<3> end = PaddedGroup();
    end[1 + axis] = (last - 1) * stride[axis] + dilation[axis] * (w[2 + axis] - 1) + 1;
    return end;
  }

  /// The channels of group g of image n, of `of_group` each.
  template <typename T>
  static auto GroupOf(const T& images, index_t n, index_t g, index_t of_group) {
    return images[n].Slice(g * of_group, (g + 1) * of_group);
  }
  /// A block of the same of a result, without padding, as a matrix (O / groups, pixels).
  template <typename Device, typename DType>
  Tensor<Device, 2, DType> BlockOf(const Tensor<Device, 4, DType>& t, index_t n, index_t g,
                                   index_t first, index_t last) const {
    const auto group = GroupOf(t, n, g, OutputsOfGroup());
    return Tensor<Device, 2, DType>(group.dptr_ + first * PixelsOfIndex(),
                                    Shape2(OutputsOfGroup(), (last - first) * PixelsOfIndex()),
                                    y[2] * y[3], t.stream_);
  }
  /// Group g of weights without padding.
  template <typename Device, typename DType>
  Tensor<Device, 2, DType> WeightsOf(const Tensor<Device, 4, DType>& t, index_t g) const {
    const Shape<2> shape = WeightsOfGroup();
    return Tensor<Device, 2, DType>(t.dptr_ + g * shape[0] * shape[1], shape, t.stream_);
  }
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_CONV_SIZES_H_
