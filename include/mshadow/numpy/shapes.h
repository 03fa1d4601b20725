// SPDX-License-Identifier: Apache-2.0
// Elements in another shape or order: expand_dims, squeeze, repeat, moveaxis, stack, concatenate,
// split, rot90.
#ifndef MSHADOW_NUMPY_SHAPES_H_
#define MSHADOW_NUMPY_SHAPES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "../tensor.h"
#include "../tensor_container.h"
#include "../view.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

template <typename E>
inline auto ShapeOfExp(const E& e) {
  return ShapeCheck<ExpInfo<E>::kDim, E>::Check(e);
}
/// [begin, end) of one axis, all of the others.
template <typename E>
inline auto PartOf(const E& e, int axis, index_t begin, index_t end) {
  Shape<ExpInfo<E>::kDim> from, to = ShapeOfExp(e);
  for (int i = 0; i < ExpInfo<E>::kDim; ++i) from[i] = 0;
  from[axis] = begin;
  to[axis] = end;
  return slice(e, from, to);
}

}  // namespace detail

namespace adl {

/// e with an axis of extent 1 as axis `axis` of the result; a negative one counts from its end.
template <typename E, typename DType, int etype>
inline auto expand_dims(const Exp<E, DType, etype>& e, int axis) {
  constexpr int kDim = ExpInfo<E>::kDim + 1;
  const int at = detail::CheckAxis("expand_dims", axis, kDim);
  const Shape<kDim - 1> old = detail::ShapeOfExp(e.self());
  Shape<kDim> shape;
  for (int i = 0; i < kDim; ++i) shape[i] = i < at ? old[i] : i == at ? 1 : old[i - 1];
  return reshape(e, shape);
}
/// e without axis `axis`. Throws Error where its extent is not 1.
template <typename E, typename DType, int etype>
inline auto squeeze(const Exp<E, DType, etype>& e, int axis) {
  constexpr int kDim = ExpInfo<E>::kDim - 1;
  static_assert(kDim > 0, "mshadow: squeeze leaves one axis at least; v[0] is the element");
  const int at = detail::CheckAxis("squeeze", axis, kDim + 1);
  const Shape<kDim + 1> old = detail::ShapeOfExp(e.self());
  MSHADOW_CHECK_EQ(old[at], index_t{1}) << "squeeze: axis " << at << " of " << old;
  Shape<kDim> shape;
  for (int i = 0; i < kDim; ++i) shape[i] = old[i < at ? i : i + 1];
  return reshape(e, shape);
}

/// Each element `n` times along `axis`: out[..][i][..] = e[..][i / n][..].
template <typename E, typename DType, int etype>
inline auto repeat(const Exp<E, DType, etype>& e, std::ptrdiff_t n, int axis) {
  constexpr int kDim = ExpInfo<E>::kDim;
  const int at = detail::CheckAxis("repeat", axis, kDim);
  MSHADOW_CHECK(static_cast<uint64_t>(n) <= mshadow::detail::kMaxElements)
      << "repeat: n = " << n << " is negative, or more than an extent holds";
  const auto times = static_cast<index_t>(n);
  Shape<kDim> shape = detail::ShapeOfExp(e.self());
  MSHADOW_CHECK(n == 0 || static_cast<uint64_t>(shape[at]) <=
                              mshadow::detail::kMaxElements / static_cast<uint64_t>(n))
      << "repeat: no extent holds " << shape[at] << " elements " << n << " times";
  shape[at] *= times;
  return reshape(broadcast_with_axis(e, at, times), shape);
}

/// e with its axis `from` as axis `to`; the others keep their order.
template <typename E, typename DType, int etype>
inline auto moveaxis(const Exp<E, DType, etype>& e, int from, int to) {
  constexpr int kDim = ExpInfo<E>::kDim;
  const int source = detail::CheckAxis("moveaxis", from, kDim);
  const int target = detail::CheckAxis("moveaxis", to, kDim);
  Shape<kDim> axes;
  for (int i = 0, next = 0; i < kDim; ++i) {
    if (next == source) ++next;
    axes[i] = static_cast<index_t>(i == target ? source : next++);
  }
  return transpose(e, axes);
}
MSHADOW_OWNS_TEMPORARIES_(expand_dims)
MSHADOW_OWNS_TEMPORARIES_(squeeze)
MSHADOW_OWNS_TEMPORARIES_(repeat)
MSHADOW_OWNS_TEMPORARIES_(moveaxis)

}  // namespace adl

using adl::expand_dims;
using adl::moveaxis;
using adl::repeat;
using adl::squeeze;

namespace detail {
/// concat<axis>, of one expression too.
template <int axis, typename First, typename... Rest>
inline auto ConcatAll(const First& first, const Rest&... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return reshape(first, ShapeOfExp(first));
  } else {
    return concat<axis>(first, rest...);
  }
}
}  // namespace detail

/// Expressions of one shape along a new axis: stack<0>(a, b)[1] is b.
template <int axis = 0, typename First, typename... Rest>
inline auto stack(const First& first, const Rest&... rest) {
  constexpr int kDim = ExpInfo<First>::kDim + 1;
  static_assert(axis >= -kDim && axis < kDim, "mshadow: stack along an axis that is none");
  return detail::ConcatAll<axis>(expand_dims(first, axis), expand_dims(rest, axis)...);
}
/// Vectors behind each other, others along axis 1.
template <typename First, typename... Rest>
inline auto hstack(const First& first, const Rest&... rest) {
  return detail::ConcatAll<(ExpInfo<First>::kDim > 1 ? 1 : 0)>(first, rest...);
}
/// Vectors as rows of a matrix, others along axis 0.
template <typename First, typename... Rest>
inline auto vstack(const First& first, const Rest&... rest) {
  if constexpr (ExpInfo<First>::kDim == 1) {
    return stack<0>(first, rest...);
  } else {
    return detail::ConcatAll<0>(first, rest...);
  }
}

MSHADOW_OWNS_TEMPORARIES_OF_(int, stack)
MSHADOW_OWNS_TEMPORARIES_(hstack)
MSHADOW_OWNS_TEMPORARIES_(vstack)

/// Tensors whose number is known at run time, behind each other along `axis`, in a container.
/// Throws Error where the list is empty or another extent differs.
template <typename T>
inline auto concatenate(const std::vector<T>& list, int axis = 0) {
  constexpr int kDim = ExpInfo<T>::kDim;
  using Device = detail::DeviceOf<T>;
  using DType = detail::ElementOfExp<T>;
  MSHADOW_CHECK(!list.empty()) << "concatenate: a list of nothing";
  const int at = detail::CheckAxis("concatenate", axis, kDim);
  Shape<kDim> shape = list[0].shape_;
  shape[at] = 0;
  for (const T& t : list) {
    Shape<kDim> other = t.shape_;
    other[at] = shape[at];
    MSHADOW_CHECK_EQ(other, shape) << "concatenate: tensors differ beside axis " << at;
    shape[at] += t.shape_[at];
  }
  TensorContainer<Device, kDim, DType> result(shape);
  Tensor<Device, kDim, DType> whole = result;
  index_t begin = 0;
  for (const T& t : list) {
    detail::PartOf(whole, at, begin, begin + t.shape_[at]) = t;
    begin += t.shape_[at];
  }
  return result;
}

}  // namespace expr

namespace detail {
/// Any tensor as a View.
template <typename Device, int dim, typename DType>
inline View<Device, dim, DType> ViewOf(const Tensor<Device, dim, DType>& t) {
  return t;
}
template <typename Device, int dim, typename DType>
inline View<Device, dim, DType> ViewOf(const View<Device, dim, DType>& v) {
  return v;
}
}  // namespace detail

/// The parts of a tensor along `axis`, `parts` of equal extents, as views that can be assigned to.
/// Throws Error where the extent is no multiple of `parts`.
template <typename T>
inline auto split(const T& t, std::ptrdiff_t parts, int axis = 0) {
  const auto whole = detail::ViewOf(t);
  using V = std::decay_t<decltype(whole)>;
  const int at = expr::detail::CheckAxis("split", axis, V::kRank);
  const auto extent = static_cast<std::ptrdiff_t>(whole.shape_[at]);
  MSHADOW_CHECK(parts > 0 && extent % parts == 0)
      << "split: " << parts << " parts of axis " << at << " of " << whole.shape_;
  const std::ptrdiff_t each = extent / parts;
  std::vector<V> result;
  for (std::ptrdiff_t i = 0; i < parts; ++i) {
    result.push_back(whole.slice(at, i * each, (i + 1) * each));
  }
  return result;
}

/// A view of a temporary container would outlive its memory.
template <typename Device, int dim, typename DType>
void split(TensorContainer<Device, dim, DType>&&, std::ptrdiff_t, int = 0) = delete;

/// A matrix turned by 90 degrees, `k` times, from the first axis to the second: a view.
template <typename T>
inline auto rot90(const T& t, int k = 1) {
  const auto whole = detail::ViewOf(t);
  using V = std::decay_t<decltype(whole)>;
  static_assert(V::kRank == 2, "mshadow: rot90 turns matrices");
  const int turns = ((k % 4) + 4) % 4;
  if (turns == 0) return V(whole);
  if (turns == 1) return V(whole.flip(1).T());
  if (turns == 2) return V(whole.flip(0).flip(1));
  return V(whole.T().flip(1));
}
template <typename Device, int dim, typename DType>
void rot90(TensorContainer<Device, dim, DType>&&, int = 1) = delete;

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_NUMPY_SHAPES_H_
