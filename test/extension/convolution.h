// SPDX-License-Identifier: Apache-2.0
// Convolutions of any number of axes by loops.
#ifndef MSHADOW_TEST_EXTENSION_CONVOLUTION_H_
#define MSHADOW_TEST_EXTENSION_CONVOLUTION_H_

#include <mshadow/nn.h>

#include <array>
#include <string>
#include <vector>

#include "uses.h"

namespace mshadow {
namespace testing {

/// Depth, height, width.
using Three = std::array<index_t, 3>;

/// A convolution, its images, weights and result of `dim` axes: of those of the five of the volume
/// (N, C, D, H, W) that are left out the extent is 1.
struct ConvCase {
  index_t n, c;
  Three from;
  index_t o;
  Three patch, stride{1, 1, 1}, pad{0, 0, 0}, dilation{1, 1, 1};
  index_t groups = 1;
  Three to{};

  template <int dim>
  static Shape<dim> ShapeOf(index_t n, index_t c, const Three& extent) {
    Shape<dim> shape;
    shape[0] = n;
    shape[1] = c;
    for (int i = 2; i < dim; ++i) shape[i] = extent[static_cast<std::size_t>(i + 5 - dim - 2)];
    return shape;
  }
  template <int dim>
  Shape<dim> X() const {
    return ShapeOf<dim>(n, c, from);
  }
  template <int dim>
  Shape<dim> W() const {
    return ShapeOf<dim>(o, c / groups, patch);
  }
  template <int dim>
  Shape<dim> Y() const {
    return ShapeOf<dim>(n, o, to);
  }
  Shape<2> Of(const Three& numbers) const { return Shape2(numbers[1], numbers[2]); }
  Shape<3> Of3(const Three& numbers) const { return Shape3(numbers[0], numbers[1], numbers[2]); }

  explicit ConvCase(index_t images, index_t channels, const Three& extents, index_t outputs,
                    const Three& patches, const Three& strides = {1, 1, 1},
                    const Three& pads = {0, 0, 0}, const Three& dilations = {1, 1, 1},
                    index_t of_groups = 1)
      : n(images),
        c(channels),
        from(extents),
        o(outputs),
        patch(patches),
        stride(strides),
        pad(pads),
        dilation(dilations),
        groups(of_groups) {
    for (std::size_t i = 0; i < 3; ++i) {
      to[i] = (from[i] + 2 * pad[i] - dilation[i] * (patch[i] - 1) - 1) / stride[i] + 1;
    }
  }

  /// Calls f(i, j, k) with the places of all factors x[i] * w[j] that y[k] is a sum of.
  template <typename F>
  void ForEachProduct(const F& f) const {
    const index_t in_group = c / groups, out_group = o / groups;
    for (index_t row = 0; row < n * o; ++row) {
      for (index_t channel = 0; channel < in_group; ++channel) {
        const index_t w = (row % o * in_group + channel) * patch[0] * patch[1] * patch[2];
        const index_t x = (row / o * c + row % o / out_group * in_group + channel) * from[0];
        ForEachPlace(0, w, x, row * to[0], f);
      }
    }
  }

 private:
  /// From `axis` on; w, x and y are places in weights, images and result.
  template <typename F>
  void ForEachPlace(std::size_t axis, index_t w, index_t x, index_t y, const F& f) const {
    const index_t step = stride[axis], edge = pad[axis], extent = from[axis], size = to[axis];
    index_t inner = 1;
    for (std::size_t i = axis + 1; i < 3; ++i) inner *= patch[i];
    for (index_t j = 0; j < patch[axis]; ++j) {
      for (index_t u = 0, at = j * dilation[axis]; u < size; ++u, at += step) {
        if (at < edge || at >= extent + edge) continue;
        if (axis == 2) {
          f(x + at - edge, w + j, y + u);
        } else {
          ForEachPlace(axis + 1, w + j * inner, (x + at - edge) * from[axis + 1],
                       (y + u) * to[axis + 1], f);
        }
      }
    }
  }
};

/// forward(x, w, case) is what the loops give, and so is transposed(y, w, case), of whole numbers,
/// rows of any padding, and expressions.
template <int dim, typename DType, typename F, typename B>
void CheckConvolution(const ConvCase& t, const F& forward, const B& transposed) {
  for (index_t padding : {0, 3}) {
    Guarded<dim, DType> x(t.X<dim>(), padding, 1), w(t.W<dim>(), padding, 1);
    Guarded<dim, DType> y(t.Y<dim>(), padding, 1), dx(t.X<dim>(), padding, 1);
    FillWhole(x, 7, 1);
    FillWhole(w, 5, 2);
    std::vector<double> sums(y.Size()), x_sums(x.Size());
    t.ForEachProduct([&](index_t i, index_t j, index_t k) {
      sums[k] += static_cast<double>(x.At(i)) * static_cast<double>(w.At(j));
    });
    *y = forward(*x, *w, t);
    ExpectValues(y, sums);
    *y = DType(1);
    *y += forward(*x * DType(1), *w, t) * DType(2);
    for (double& sum : sums) sum = 2 * sum + 1;
    ExpectValues(y, sums);

    FillWhole(y, 6, 3);
    t.ForEachProduct([&](index_t i, index_t j, index_t k) {
      x_sums[i] += static_cast<double>(w.At(j)) * static_cast<double>(y.At(k));
    });
    *dx = transposed(*y, *w, t);
    ExpectValues(dx, x_sums);
    *dx = DType(1);
    *dx += transposed(*y * DType(1), *w, t);
    for (double& sum : x_sums) sum += 1;
    ExpectValues(dx, x_sums);
  }
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_EXTENSION_CONVOLUTION_H_
