// SPDX-License-Identifier: Apache-2.0
// Indices out of tensors of any element type.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_ROW_INDEX_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_ROW_INDEX_H_

#include <cstddef>
#include <type_traits>

#include "../../../core/element_index.h"
#include "../../../core/logging.h"
#include "../../../tensor/view.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

using expr::detail::ToIndex;
using expr::detail::ToLabel;

/// An index clipped to [0, rows), or wrapped into it.
template <bool clip, typename T>
MSHADOW_XINLINE std::ptrdiff_t IntoRange(T i, std::ptrdiff_t rows) {
  return clip ? expr::detail::ClipIndex(i, rows) : expr::detail::WrapIndex(i, rows);
}

/// An index as a message shows it: integers as they are.
template <typename T>
inline auto ShownIndex(T i) {
  if constexpr (std::is_integral_v<T>) {
    return +i;
  } else {
    return ToIndex(i);
  }
}

/// Throws Error, naming the first, where an index lies outside [0, rows).
template <typename T>
inline void CheckIndices(const char* who, const char* name, const Tensor<cpu, 1, T>& index,
                         index_t rows) {
  for (index_t i = 0; i < index.size(0); ++i) {
    const std::ptrdiff_t k = ToIndex(index[i]);
    MSHADOW_CHECK(k >= 0 && k < static_cast<std::ptrdiff_t>(rows))
        << who << ": " << name << "[" << i << "] = " << ShownIndex(index[i]) << " is not one of "
        << rows << " rows";
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_ROW_INDEX_H_
