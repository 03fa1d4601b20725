// SPDX-License-Identifier: Apache-2.0
// Tensors and expressions as text, in NumPy's layout:
//
//   std::cout << x << "\n" << (x - 1) * 2 << "\n";
//
// Not part of tensor.h, which does without <ostream>.
#ifndef MSHADOW_PRINT_H_
#define MSHADOW_PRINT_H_

#include <ostream>

#include "tensor.h"
#include "tensor/print.h"

MSHADOW_NAMESPACE_BEGIN

namespace expr {
namespace adl {

/// Writes ToString(exp); the formatting flags of the stream play no part.
template <typename Traits, typename E, typename DType, int etype>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream,
                                             const Exp<E, DType, etype>& exp) {
  const std::string text = ToString(exp);
  return stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace adl
}  // namespace expr

template <typename Traits, typename Blob,
          std::enable_if_t<std::is_same_v<Blob, TBlob>, int> = 0>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream,
                                             const Blob& blob) {
  const std::string text = ToString(blob);
  return stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PRINT_H_
