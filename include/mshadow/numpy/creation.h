// SPDX-License-Identifier: Apache-2.0
// Tensors from a formula: zeros, ones, full, linspace, logspace, indices, from_function, meshgrid,
// windows.
#ifndef MSHADOW_NUMPY_CREATION_H_
#define MSHADOW_NUMPY_CREATION_H_

#include <cstddef>
#include <utility>

#include "../tensor.h"
#include "../tensor_container.h"

MSHADOW_NAMESPACE_BEGIN

/// A container of zeros, of ones, of `value`: zeros(Shape2(m, n)), ones<double>(Shape1(n)),
/// full<float, gpu>(shape, 2).
template <typename DType = default_real_t, typename Device = cpu, int dim>
inline TensorContainer<Device, dim, DType> full(const Shape<dim>& shape, DType value) {
  return TensorContainer<Device, dim, DType>(shape, value);
}
template <typename DType = default_real_t, typename Device = cpu, int dim>
inline TensorContainer<Device, dim, DType> zeros(const Shape<dim>& shape) {
  return full<DType, Device>(shape, DType(0));
}
template <typename DType = default_real_t, typename Device = cpu, int dim>
inline TensorContainer<Device, dim, DType> ones(const Shape<dim>& shape) {
  return full<DType, Device>(shape, DType(1));
}

namespace expr {

/// `n` numbers at equal distances, out[i] = start + i (stop - start) / (n - 1), the last exactly
/// `stop`; without `endpoint` divided by n, and `stop` is left out. Computed in double. Throws
/// Error where n is negative.
template <typename DType = default_real_t>
inline auto linspace(double start, double stop, std::ptrdiff_t n, bool endpoint = true) {
  MSHADOW_CHECK(n >= 0) << "linspace: n = " << n << " is negative";
  const double count = static_cast<double>(n), gaps = endpoint ? count - 1 : count;
  const double step = gaps > 0 ? (stop - start) / gaps : 0, last = endpoint && n > 1 ? gaps : -1;
  const auto i = range<double>(0, count);
  return tcast<DType>(where(i == last, stop, i * step + start));
}
/// base ^ linspace(start, stop, n).
template <typename DType = default_real_t>
inline auto logspace(double start, double stop, std::ptrdiff_t n, bool endpoint = true,
                     double base = 10) {
  return tcast<DType>(pow(base, linspace<double>(start, stop, n, endpoint)));
}

/// out[i0]..[ik] = i_axis, as a number of DType; a negative axis counts from the end. Throws Error
/// where it is none.
template <typename DType = default_real_t, int dim>
inline auto indices(const Shape<dim>& shape, int axis) {
  const int at = detail::CheckAxis("indices", axis, dim);
  Shape<dim> ones;
  for (int i = 0; i < dim; ++i) ones[i] = 1;
  ones[at] = shape[at];
  return broadcast_to(reshape(tcast<DType>(range<double>(0, static_cast<double>(shape[at]))), ones),
                      shape);
}
namespace detail {
template <typename DType, typename Function, int dim, int... axes>
inline auto FromFunction(const Shape<dim>& shape, const Function& f,
                         std::integer_sequence<int, axes...>) {
  return F(f, indices<DType>(shape, axes)...);
}
}  // namespace detail
/// out[i0]..[ik] = f(i0, .., ik), for a function of as many numbers of DType as there are axes:
/// from_function(Shape2(m, n), [](float y, float x) { return y * 10 + x; }).
template <typename DType = default_real_t, typename Function, int dim>
inline auto from_function(const Shape<dim>& shape, const Function& f) {
  return detail::FromFunction<DType>(shape, f, std::make_integer_sequence<int, dim>());
}

/// The coordinates of a grid, as a pair of (ny, nx): first[j][i] = x[i], second[j][i] = y[j].
template <typename X, typename Y, typename DType, int e1, int e2>
inline auto meshgrid(const Exp<X, DType, e1>& x, const Exp<Y, DType, e2>& y) {
  static_assert(ExpInfo<X>::kDim == 1 && ExpInfo<Y>::kDim == 1,
                "mshadow: meshgrid takes two vectors; indices(shape, axis) has any rank");
  const Shape<2> shape =
      Shape2(ShapeCheck<1, Y>::Check(y.self())[0], ShapeCheck<1, X>::Check(x.self())[0]);
  const auto first = broadcast_to(x, shape);
  const auto second = broadcast_to(reshape(y, Shape2(shape[0], 1)), shape);
  return std::pair<std::decay_t<decltype(first)>, std::decay_t<decltype(second)>>(first, second);
}

MSHADOW_OWNS_TEMPORARIES_(meshgrid)

namespace detail {
/// The phases 2 pi i / (n - 1) of a window; of one element pi, where all windows are 1.
template <typename DType>
inline auto WindowPhase(std::ptrdiff_t n) {
  MSHADOW_CHECK(n >= 0) << "a window of " << n << " elements";
  const double step = n > 1 ? 6.283185307179586477 / static_cast<double>(n - 1) : 0;
  return range<double>(0, static_cast<double>(n)) * step + (n > 1 ? 0 : 3.141592653589793238);
}
}  // namespace detail
/// Windows of n elements, symmetric:
/// https://numpy.org/doc/stable/reference/routines.window.html
template <typename DType = default_real_t>
inline auto hanning(std::ptrdiff_t n) {
  return tcast<DType>(0.5 - cos(detail::WindowPhase<DType>(n)) * 0.5);
}
template <typename DType = default_real_t>
inline auto hamming(std::ptrdiff_t n) {
  return tcast<DType>(0.54 - cos(detail::WindowPhase<DType>(n)) * 0.46);
}
template <typename DType = default_real_t>
inline auto blackman(std::ptrdiff_t n) {
  const auto phase = detail::WindowPhase<DType>(n);
  return tcast<DType>(0.42 - cos(phase) * 0.5 + cos(phase * 2.0) * 0.08);
}
template <typename DType = default_real_t>
inline auto bartlett(std::ptrdiff_t n) {
  return tcast<DType>(1.0 - abs(detail::WindowPhase<DType>(n) * 0.318309886183790672 - 1.0));
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_NUMPY_CREATION_H_
