// SPDX-License-Identifier: Apache-2.0
// conv2d(x, w) and its gradients, as products of weights and patches.
#ifndef MSHADOW_EXTENSION_CONV2D_H_
#define MSHADOW_EXTENSION_CONV2D_H_

#include <type_traits>

#include "../expr/dot.h"
#include "../window/conv_sizes.h"
#include "computed.h"
#include "pack_col2patch.h"
#include "pad.h"
#include "slice_ex.h"
#include "unpack_patch2col.h"
#include "unpad.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The images of a convolution, padded, a block of one group at a time: patches of tensors
/// are gathered several times as fast as those of expressions.
template <typename Device, typename DType>
class ConvImages {
  using Image = Tensor<Device, 3, DType>;

 public:
  ConvImages(const Tensor<Device, 4, DType>& x, const ConvSizes& sizes)
      : x_(x),
        sizes_(sizes),
        shape_(sizes.PaddedGroup()),
        padded_(shape_, x.stream_),
        box_(shape_, x.stream_) {}
  /// The patches of a block of the result: (C / groups ky kx, pixels).
  auto PatchesOf(index_t n, index_t g, index_t first, index_t last) {
    return unpack_patch2col(BoxOf(n, g, first, last), sizes_.w[2], sizes_.w[3], sizes_.stride[0],
                            sizes_.stride[1], sizes_.dilation[0], sizes_.dilation[1]);
  }

 private:
  /// The box of image n that they are computed from. Blocks of one group follow each other.
  Image BoxOf(index_t n, index_t g, index_t first, index_t last) {
    Image image = ConvSizes::GroupOf(x_, n, g, sizes_.InputsOfGroup());
    if (sizes_.pad[0] != 0 || sizes_.pad[1] != 0) {
      if (first == 0) padded_.tensor() = expr::pad(image, sizes_.pad[0], sizes_.pad[1]);
      image = padded_.tensor();
    }
    if (first == 0 && last == sizes_.BlockExtent()) return image;
    const Shape<3> begin = sizes_.BoxBegin(first), end = sizes_.BoxEnd(last);
    Image box(box_.tensor().dptr_, Shape3(end[0], end[1] - begin[1], end[2] - begin[2]),
              x_.stream_);
    box = slice(image, begin, end);
    return box;
  }

  const Tensor<Device, 4, DType>& x_;
  const ConvSizes& sizes_;
  const Shape<3> shape_;
  mshadow::detail::Temporary<Device, 3, DType> padded_, box_;
};

/// y = conv2d(x, w)
struct ConvForward {
  static constexpr const char* kName = "conv";
  static Shape<4> ShapeOf(const ConvSizes& sizes) { return sizes.y; }
  template <typename Device, typename DType>
  static void Run(const Tensor<Device, 4, DType>& y, const Tensor<Device, 4, DType>& x,
                  const Tensor<Device, 4, DType>& w, const ConvSizes& sizes) {
    ConvImages<Device, DType> images(x, sizes);
    sizes.ForEachBlock(sizeof(DType), [&](index_t n, index_t g, index_t first, index_t last) {
      auto block = sizes.BlockOf(y, n, g, first, last);
      block = dot(sizes.WeightsOf(w, g), images.PatchesOf(n, g, first, last));
    });
  }
};
/// dx from dy and w
struct ConvGradX {
  static constexpr const char* kName = "conv_grad_x";
  static Shape<4> ShapeOf(const ConvSizes& sizes) { return sizes.x; }
  template <typename Device, typename DType>
  static void Run(const Tensor<Device, 4, DType>& dx, const Tensor<Device, 4, DType>& dy,
                  const Tensor<Device, 4, DType>& w, const ConvSizes& sizes) {
    const Shape<3> shape = sizes.PaddedGroup();
    mshadow::detail::Temporary<Device, 3, DType> sums(shape, dx.stream_), box(shape, dx.stream_);
    sizes.ForEachBlock(sizeof(DType), [&](index_t n, index_t g, index_t first, index_t last) {
      if (first == 0) sums.tensor() = DType(0.0f);
      const Shape<3> begin = sizes.BoxBegin(first), end = sizes.BoxEnd(last);
      Tensor<Device, 3, DType> image(
          box.tensor().dptr_, Shape3(end[0], end[1] - begin[1], end[2] - begin[2]), dx.stream_);
      image = pack_col2patch(dot(sizes.WeightsOf(w, g).T(), sizes.BlockOf(dy, n, g, first, last)),
                             image.shape_, sizes.w[2], sizes.w[3], sizes.stride[0], sizes.stride[1],
                             sizes.dilation[0], sizes.dilation[1]);
      slice(sums.tensor(), begin, end) += image;
      if (last == sizes.BlockExtent()) {
        auto group = ConvSizes::GroupOf(dx, n, g, shape[0]);
        group = unpad(sums.tensor(), sizes.pad[0], sizes.pad[1]);
      }
    });
  }
};
/// dw from dy and x
struct ConvGradW {
  static constexpr const char* kName = "conv_grad_w";
  static Shape<4> ShapeOf(const ConvSizes& sizes) { return sizes.w; }
  template <typename Device, typename DType>
  static void Run(Tensor<Device, 4, DType> dw, const Tensor<Device, 4, DType>& dy,
                  const Tensor<Device, 4, DType>& x, const ConvSizes& sizes) {
    dw = DType(0.0f);
    ConvImages<Device, DType> images(x, sizes);
    sizes.ForEachBlock(sizeof(DType), [&](index_t n, index_t g, index_t first, index_t last) {
      const auto patches = images.PatchesOf(n, g, first, last);
      auto weights = sizes.WeightsOf(dw, g);
      weights +=
          DotExp<Tensor<Device, 2, DType>, std::decay_t<decltype(patches)>, false, true, DType>(
              sizes.BlockOf(dy, n, g, first, last), patches, DType(1.0f));
    });
  }
};

/// A convolution or one of its gradients, of images of `rank` axes: four, or three without height.
template <typename Part, int rank>
struct ConvFunction {
  ConvSizes sizes;
  static const char* name() { return Part::kName; }
  Shape<rank> shape() const {
    const Shape<4> all = Part::ShapeOf(sizes);
    Shape<rank> result;
    for (int i = 0; i < rank; ++i) result[i] = all[i < 2 ? i : i + 4 - rank];
    return result;
  }
  template <typename Device, typename DType>
  void Run(const Tensor<Device, rank, DType>& result, const Tensor<Device, rank, DType>& lhs,
           const Tensor<Device, rank, DType>& rhs) const {
    Part::Run(AsImages(result), AsImages(lhs), AsImages(rhs), sizes);
  }

 private:
  template <typename Device, typename DType>
  static Tensor<Device, 4, DType> AsImages(const Tensor<Device, rank, DType>& t) {
    return Tensor<Device, 4, DType>(t.dptr_, WithHeight(t.shape_), t.stream_);
  }
};

/// The node of operands of `dim` axes; sizes_of(their shapes) checks them.
template <typename Part, int dim, typename TA, typename TB, typename DType, int ta, int tb,
          typename F>
inline auto Convolution(const Exp<TA, DType, ta>& lhs, const Exp<TB, DType, tb>& rhs,
                        const F& sizes_of) {
  constexpr bool kFits = ExpInfo<TA>::kDim == dim && ExpInfo<TB>::kDim == dim;
  static_assert(kFits,
                "mshadow: conv2d, conv_transpose2d and gradients take images (N, C, H, W) "
                "and weights (O, C / groups, ky, kx), conv1d and conv_transpose1d images "
                "without H and weights without ky");
  if constexpr (kFits) {
    using Lhs = DotOperand<TA, DType, ta>;
    using Rhs = DotOperand<TB, DType, tb>;
    return ComputedExp<ConvFunction<Part, dim>, DType, dim, typename Lhs::Tensor,
                       typename Rhs::Tensor>(
        {sizes_of(ShapeCheck<dim, TA>::Check(lhs.self()), ShapeCheck<dim, TB>::Check(rhs.self()))},
        Lhs::Get(lhs.self()), Rhs::Get(rhs.self()));
  }
}

}  // namespace detail

namespace adl {

/// y[n][o][v][u] = sum_cij w[o][c][i][j] x[n][c + g C'][v s + i d - p][u s + j d - p], x being 0
/// outside of the image: s is stride, p pad, d dilation, C' = C / groups, g = o / (O / groups).
/// x (N, C, H, W), w (O, C', ky, kx) -> (N, O, oh, ow) with
/// oh = (H + 2 p - d (ky - 1) - 1) / s + 1, ow likewise, rounded down. Stride, pad and dilation are
/// a number, or Shape2 of those of height and width. x and w are tensors or expressions. Throws
/// Error with both shapes where they do not fit, where a patch exceeds the padded image, or for an
/// argument of 0 other than pad. As an operand it is computed first.
template <typename TX, typename TW, typename DType, int tx, int tw>
inline auto conv2d(const Exp<TX, DType, tx>& x, const Exp<TW, DType, tw>& w,
                   detail::PerAxis<2> stride = 1, detail::PerAxis<2> pad = 0,
                   detail::PerAxis<2> dilation = 1, index_t groups = 1) {
  return detail::Convolution<detail::ConvForward, 4>(
      x, w, [&](const Shape<4>& x_shape, const Shape<4>& w_shape) {
        return detail::ConvSizes("conv2d", x_shape, w_shape, stride.value, pad.value,
                                 dilation.value, groups);
      });
}
MSHADOW_OWNS_TEMPORARIES_(conv2d)

/// The gradient of conv2d by x, from that by y: dy (N, O, oh, ow), w (O, C / groups, ky, kx),
/// images of shape (H, W) -> (N, C, H, W). Throws Error as conv2d does, and where dy does not fit.
template <typename TY, typename TW, typename DType, int ty, int tw>
inline auto conv2d_grad_x(const Exp<TY, DType, ty>& dy, const Exp<TW, DType, tw>& w, Shape<2> image,
                          detail::PerAxis<2> stride = 1, detail::PerAxis<2> pad = 0,
                          detail::PerAxis<2> dilation = 1, index_t groups = 1) {
  return detail::Convolution<detail::ConvGradX, 4>(
      dy, w, [&](const Shape<4>& dy_shape, const Shape<4>& w_shape) {
        MSHADOW_CHECK(groups > 0 && groups <= w_shape[0])
            << "conv2d_grad_x: weights " << LogText(w_shape) << " have no " << groups << " groups";
        const detail::ConvSizes sizes("conv2d",
                                      Shape4(dy_shape[0], w_shape[1] * groups, image[0], image[1]),
                                      w_shape, stride.value, pad.value, dilation.value, groups);
        MSHADOW_CHECK_EQ(dy_shape, sizes.y) << "conv2d_grad_x: dy has not the shape of the result";
        return sizes;
      });
}
MSHADOW_OWNS_TEMPORARIES_(conv2d_grad_x)

/// The gradient of conv2d by w: dy (N, O, oh, ow), x (N, C, H, W), weights of patches (ky, kx) ->
/// (O, C / groups, ky, kx). Throws Error as conv2d does, and where dy does not fit.
template <typename TY, typename TX, typename DType, int ty, int tx>
inline auto conv2d_grad_w(const Exp<TY, DType, ty>& dy, const Exp<TX, DType, tx>& x, Shape<2> patch,
                          detail::PerAxis<2> stride = 1, detail::PerAxis<2> pad = 0,
                          detail::PerAxis<2> dilation = 1, index_t groups = 1) {
  return detail::Convolution<detail::ConvGradW, 4>(
      dy, x, [&](const Shape<4>& dy_shape, const Shape<4>& x_shape) {
        MSHADOW_CHECK(groups > 0) << "conv2d_grad_w: groups is 0";
        const detail::ConvSizes sizes("conv2d", x_shape,
                                      Shape4(dy_shape[1], x_shape[1] / groups, patch[0], patch[1]),
                                      stride.value, pad.value, dilation.value, groups);
        MSHADOW_CHECK_EQ(dy_shape, sizes.y) << "conv2d_grad_w: dy has not the shape of the result";
        return sizes;
      });
}
MSHADOW_OWNS_TEMPORARIES_(conv2d_grad_w)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CONV2D_H_
