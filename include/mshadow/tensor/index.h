// SPDX-License-Identifier: Apache-2.0
// argsort, nonzero, unique, bincount: indices and values of vectors, as containers.
#ifndef MSHADOW_TENSOR_INDEX_H_
#define MSHADOW_TENSOR_INDEX_H_

#include <cstdint>
#include <type_traits>

#include "container.h"
#include "function.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// True if these functions take E; else the error says why not.
template <typename E>
constexpr bool IsHostVector() {
  using expr::ExpInfo;
  static_assert(ExpInfo<E>::kDim == 1,
                "mshadow: argsort, nonzero, unique and bincount take vectors; reshape(x, "
                "Shape1(x.shape_.Size())) is one of all elements");
  static_assert(ExpInfo<E>::kDim != 1 || (ExpInfo<E>::kDevMask & cpu::kDevMask) != 0,
                "mshadow: argsort, nonzero, unique and bincount run on the host: Copy the vector "
                "there");
  return ExpInfo<E>::kDim == 1 && (ExpInfo<E>::kDevMask & cpu::kDevMask) != 0;
}

/// Calls f(tensor), the value of x in memory.
template <typename DType, typename E, typename F>
inline auto OnVector(const E& x, const F& f) {
  if constexpr (std::is_same_v<E, Tensor<cpu, 1, DType>> ||
                std::is_same_v<E, Tensor<cpu, 1, const DType>>) {
    return f(Unconst(x));
  } else {
    const TensorContainer<cpu, 1, DType> value(x);
    return f(static_cast<const Tensor<cpu, 1, DType>&>(value));
  }
}

/// A type that depends on DType: the back end is known when a call is compiled.
template <typename DType>
using IndexVector = TensorContainer<cpu, 1, std::conditional_t<sizeof(DType) != 0, int64_t, void>>;

/// 0, 1, .., n - 1.
template <typename DType>
inline IndexVector<DType> IndicesTo(index_t n) {
  IndexVector<DType> indices(Shape1(n));
  int64_t i = 0;
  for (int64_t& index : indices) index = i++;
  return indices;
}

/// The first n elements of `from`.
template <typename DType>
inline TensorContainer<cpu, 1, DType> FirstElements(const TensorContainer<cpu, 1, DType>& from,
                                                    index_t n) {
  TensorContainer<cpu, 1, DType> first(Shape1(n));
  if (n != 0) Copy(first, from.Slice(0, n));
  return first;
}

}  // namespace detail

namespace expr::adl {

/// The indices that sort x: x[out[0]] <= x[out[1]] <= ..., or >= where `ascending` is false. x (n)
/// -> (n). Stable: equal elements stay in order. NaN comes last, also in descending order.
template <typename E, typename DType, int etype>
inline auto argsort(const Exp<E, DType, etype>& x, bool ascending = true) {
  if constexpr (mshadow::detail::IsHostVector<E>()) {
    TensorContainer<cpu, 1, DType> keys(x);
    auto indices = mshadow::detail::IndicesTo<DType>(keys.size(0));
    SortByKey(static_cast<Tensor<cpu, 1, DType>&>(keys),
              static_cast<Tensor<cpu, 1, int64_t>&>(indices), ascending);
    return indices;
  }
}

/// The indices i, ascending, with x[i] != 0, of which NaN is one: nonzero(x > 0.5f). x (n) -> (m).
template <typename E, typename DType, int etype>
inline auto nonzero(const Exp<E, DType, etype>& x) {
  if constexpr (mshadow::detail::IsHostVector<E>()) {
    return mshadow::detail::OnVector<DType>(x.self(), [](const Tensor<cpu, 1, DType>& v) {
      mshadow::detail::IndexVector<DType> indices(v.shape_);
      index_t count = 0;
      for (index_t i = 0; i < v.size(0); ++i) {
        // Writes each: a branch would be mispredicted.
        indices[count] = static_cast<int64_t>(i);
        count += v[i] != DType(0) ? 1 : 0;
      }
      return mshadow::detail::FirstElements(indices, count);
    });
  }
}

/// The distinct elements of x, ascending; of NaNs one, the last. x (n) -> (m).
template <typename E, typename DType, int etype>
inline auto unique(const Exp<E, DType, etype>& x) {
  if constexpr (mshadow::detail::IsHostVector<E>()) {
    TensorContainer<cpu, 1, DType> keys(x);
    const index_t n = keys.size(0);
    auto indices = mshadow::detail::IndicesTo<DType>(n);
    SortByKey(static_cast<Tensor<cpu, 1, DType>&>(keys),
              static_cast<Tensor<cpu, 1, int64_t>&>(indices));
    const auto is_nan = [](DType value) { return value != value; };
    index_t count = 0;
    for (index_t i = 0; i < n; ++i) {
      const bool is_new = count == 0 || (keys[i] != keys[count - 1] &&
                                         !(is_nan(keys[i]) && is_nan(keys[count - 1])));
      if (is_new) keys[count++] = keys[i];
    }
    return mshadow::detail::FirstElements(keys, count);
  }
}

/// out[k] = the number of i with x[i] == k; x (n) of integers >= 0 ->
/// (max(length, largest element + 1)). Throws Error, with the element and its index, where one is
/// negative or too large for an extent.
template <typename E, typename DType, int etype>
inline auto bincount(const Exp<E, DType, etype>& x, index_t length = 0) {
  static_assert(std::is_integral_v<DType> && !std::is_same_v<DType, bool>,
                "mshadow: bincount counts integers; convert with tcast<int>(x)");
  if constexpr (mshadow::detail::IsHostVector<E>() && std::is_integral_v<DType>) {
    return mshadow::detail::OnVector<DType>(x.self(), [&](const Tensor<cpu, 1, DType>& v) {
      index_t bins = length;
      for (index_t i = 0; i < v.size(0); ++i) {
        const bool fits =
            v[i] >= DType(0) && static_cast<uint64_t>(v[i]) < mshadow::detail::kMaxElements;
        MSHADOW_CHECK(fits) << "bincount: element " << i << " of " << v.size(0) << " is "
                            << static_cast<int64_t>(v[i])
                            << "; it counts integers from 0 on that an extent holds";
        if (static_cast<index_t>(v[i]) >= bins) bins = static_cast<index_t>(v[i]) + 1;
      }
      mshadow::detail::IndexVector<DType> counts(Shape1(bins), 0);
      for (index_t i = 0; i < v.size(0); ++i) ++counts[static_cast<index_t>(v[i])];
      return counts;
    });
  }
}

}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_INDEX_H_
