// SPDX-License-Identifier: Apache-2.0
// Memory of others as tensors, and tensors as std::span and std::mdspan, without a copy.
//
//   std::vector<float> v(12);
//   Tensor<cpu, 2> x = AsTensor(v, Shape2(3, 4));
//   Tensor<cpu, 2, uint8_t> picture = AsTensor(mat.ptr<uint8_t>(), Shape2(h, w), mat.step);
#ifndef MSHADOW_SPAN_H_
#define MSHADOW_SPAN_H_

#include "core/letters_begin.inc"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#if __cplusplus >= 202002L
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif
#ifdef __cpp_lib_mdspan
#include <array>
#include <mdspan>
#endif

#include "tensor.h"

MSHADOW_NAMESPACE_BEGIN

/// The elements of a contiguous container (std::vector, std::array, std::span) as a tensor of this
/// shape. Throws Error if it has another number of elements.
template <typename Container, int dim,
          typename DType = std::remove_pointer_t<decltype(std::declval<Container&>().data())>>
inline Tensor<cpu, dim, DType> AsTensor(Container& elements, const Shape<dim>& shape) {
  if (static_cast<std::size_t>(shape.CheckedSize()) != elements.size()) {
    throw Error("AsTensor: a container of " + std::to_string(elements.size()) +
                " elements is none of shape " + LogText(shape));
  }
  return Tensor<cpu, dim, DType>(elements.data(), shape);
}

/// Memory whose rows are `row_bytes` bytes apart, as pictures have (cv::Mat::step). Throws Error if
/// rows would overlap, or begin within an element.
template <typename DType, int dim>
inline Tensor<cpu, dim, DType> AsTensor(DType* elements, const Shape<dim>& shape,
                                        std::size_t row_bytes) {
  static_cast<void>(shape.CheckedSize());
  const std::size_t stride = row_bytes / sizeof(DType);
  if (row_bytes % sizeof(DType) != 0 || stride < static_cast<std::size_t>(shape[dim - 1]) ||
      stride != static_cast<std::size_t>(static_cast<index_t>(stride))) {
    throw Error("AsTensor: rows " + std::to_string(row_bytes) + " bytes apart do not fit shape " +
                LogText(shape) + " of " + std::to_string(sizeof(DType)) + "-byte elements");
  }
  return Tensor<cpu, dim, DType>(elements, shape, static_cast<index_t>(stride), nullptr);
}

#ifdef __cpp_lib_span
/// The elements of t in C order. Throws Error if there are gaps between its rows.
template <int dim, typename DType>
inline std::span<DType> AsSpan(const Tensor<cpu, dim, DType>& t) {
  if (!t.CheckContiguous()) {
    throw Error("AsSpan: the rows of a tensor of shape " + LogText(t.shape_) + " are " +
                std::to_string(t.stride_) + " elements apart; there are gaps between them");
  }
  return std::span<DType>(t.dptr_, static_cast<std::size_t>(t.shape_.CheckedSize()));
}
#endif

#ifdef __cpp_lib_mdspan
/// t as a view of the standard library, gaps between rows included.
template <int dim, typename DType>
inline auto AsMdspan(const Tensor<cpu, dim, DType>& t) {
  using Extents = std::dextents<std::size_t, dim>;
  std::array<std::size_t, dim> extents, strides;
  std::size_t stride = 1;
  for (int axis = dim - 1; axis >= 0; --axis) {
    const auto i = static_cast<std::size_t>(axis);
    extents[i] = static_cast<std::size_t>(t.shape_[axis]);
    strides[i] = stride;
    stride *= static_cast<std::size_t>(axis == dim - 1 ? t.stride_ : t.shape_[axis]);
  }
  return std::mdspan<DType, Extents, std::layout_stride>(
      t.dptr_, std::layout_stride::mapping<Extents>(Extents(extents), strides));
}
#endif

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_SPAN_H_
