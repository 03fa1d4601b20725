// SPDX-License-Identifier: Apache-2.0
// Tensors written as nested lists: {{1, 2}, {3, 4}}.
#ifndef MSHADOW_TENSOR_LITERAL_H_
#define MSHADOW_TENSOR_LITERAL_H_

#include <initializer_list>
#include <string>
#include <type_traits>

#include "../core/scalar_value.h"
#include "../core/shape.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// An element in a list: a scalar of any type, so that {1, 2} serves floats and half_t too. Throws
/// Error where DType is an integer type that does not hold it. A bool is an element of bools only:
/// TensorContainer<cpu, 1> t{false} is a container without padding.
template <typename DType>
struct ListElement {
  DType value;
  template <typename S,
            typename = std::enable_if_t<
                std::is_same_v<S, DType> ||
                (float16::kIsScalar<S> && !std::is_same_v<S, bool>)>>
  ListElement(const S& s) : value(expr::detail::ExactScalar<DType>(s)) {}  // NOLINT: implicit
};

/// Lists of `dim` levels.
template <int dim, typename DType>
struct ListOf {
  using Type = std::initializer_list<typename ListOf<dim - 1, DType>::Type>;
};
template <typename DType>
struct ListOf<0, DType> {
  using Type = ListElement<DType>;
};
template <int dim, typename DType>
using NestedList = typename ListOf<dim, DType>::Type;

[[noreturn]] MSHADOW_COLD inline void ThrowRaggedList(int axis, std::size_t length,
                                                      std::size_t expected) {
  throw Error("TensorContainer: the lists of axis " + std::to_string(axis) +
              " differ in length: one has " + std::to_string(length) + " entries, the first has " +
              std::to_string(expected));
}

/// The extents of a list, to shape[0], ..., shape[dim - 1]; after an empty list they are 0.
template <int dim, typename DType>
inline void ListExtents(const NestedList<dim, DType>& list, index_t* shape) {
  shape[0] = static_cast<index_t>(list.size());
  if constexpr (dim > 1) {
    if (list.size() == 0) {
      for (int axis = 1; axis < dim; ++axis) shape[axis] = 0;
    } else {
      ListExtents<dim - 1, DType>(*list.begin(), shape + 1);
    }
  }
}

/// Calls f(element) in row-major order. Throws Error where the lists of an axis differ in length.
template <int dim, typename DType, int full, typename F>
inline void ForEachInList(const NestedList<dim, DType>& list, const Shape<full>& shape, F* f) {
  const std::size_t expected = static_cast<std::size_t>(shape[full - dim]);
  if (list.size() != expected) ThrowRaggedList(full - dim, list.size(), expected);
  for (const auto& entry : list) {
    if constexpr (dim > 1) {
      ForEachInList<dim - 1, DType>(entry, shape, f);
    } else {
      (*f)(entry.value);
    }
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_LITERAL_H_
