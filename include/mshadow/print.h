// SPDX-License-Identifier: Apache-2.0
// Tensors and expressions as text, in NumPy's layout:
//
//   std::cout << x << "\n" << (x - 1) * 2 << "\n";
//
// and what a statement would run: std::cout << describe(lazy(y) = x * 2 + b).
// Not part of tensor.h, which does without <ostream>.
#ifndef MSHADOW_PRINT_H_
#define MSHADOW_PRINT_H_

#include "core/letters_begin.inc"

#include <ostream>
#include <string>
#include <type_traits>

#include "tensor.h"
#include "tensor/describe.h"
#include "tensor/print.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
/// Writes ToString(t) with the stream's precision, which is 6 unless the program sets another:
/// digits after the point, at most. std::fixed and std::scientific show as many of each number,
/// std::setw widens each element, once. Other flags play no part.
template <typename Traits, typename T>
std::basic_ostream<char, Traits>& Print(std::basic_ostream<char, Traits>& stream, const T& t) {
  PrintOptions options;
  options.precision = static_cast<int>(stream.precision());
  const auto notation = stream.flags() & std::ios_base::floatfield;
  if (notation == std::ios_base::fixed) options.notation = PrintOptions::kFixed;
  if (notation == std::ios_base::scientific) options.notation = PrintOptions::kScientific;
  options.width = static_cast<std::size_t>(stream.width(0));
  const std::string text = ToString(t, options);
  return stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}
}  // namespace detail

namespace expr::adl {

template <typename Traits, typename E, typename DType, int etype>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream,
                                             const Exp<E, DType, etype>& exp) {
  return mshadow::detail::Print(stream, exp.self());
}

}  // namespace expr::adl

template <typename Traits, typename Blob,
          std::enable_if_t<std::is_same_v<Blob, TBlob>, int> = 0>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream,
                                             const Blob& blob) {
  return detail::Print(stream, blob);
}

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_PRINT_H_
