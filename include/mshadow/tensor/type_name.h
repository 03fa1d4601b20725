// SPDX-License-Identifier: Apache-2.0
// TypeName: the name of a type as a reader of descriptions wants it.
#ifndef MSHADOW_TENSOR_TYPE_NAME_H_
#define MSHADOW_TENSOR_TYPE_NAME_H_

#include <string>

#include "../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// "plus" of "mshadow::op::plus".
inline std::string WithoutNamespaces(const std::string& name) {
  return name.substr(name.rfind(':') + 1);  // npos + 1 is 0
}

/// The name of a type without namespaces, template arguments and "Exp" at its end: "Mirroring". An
/// op or reducer that is the first template argument stays: "ReduceWithAxis<sum>". "function" of a
/// lambda, and with compilers that do not tell names.
template <typename T>
std::string TypeName() {
  std::string name;
#if !MSHADOW_PLAIN_CXX
  const std::string text = __PRETTY_FUNCTION__;  // "... [with T = mshadow::op::plus; ...]"
  const std::size_t begin = text.find("T = ") + 4, end = text.find_first_of("<;]", begin);
  if (text.compare(begin, 7, "(lambda") == 0) return "function";  // Clang: "(lambda at ...)"
  name = WithoutNamespaces(text.substr(begin, end - begin));
  const std::size_t size = name.size();
  if (size > 3 && name.compare(size - 3, 3, "Exp") == 0) name.resize(size - 3);
  if (!name.empty() && text[end] == '<') {
    const std::size_t stop = text.find_first_of("<,>", end + 1);
    const std::string first = text.substr(end + 1, stop - end - 1);
    // Not operands, which are templates, nor element types.
    const bool is_op = text[stop] != '<' && first.find("::") != std::string::npos &&
                       first.find("half_t") == std::string::npos &&
                       first.find("bf16_t") == std::string::npos;
    if (is_op) name += "<" + WithoutNamespaces(first) + ">";
  }
#endif
  return name.empty() ? "function" : name;
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_TYPE_NAME_H_
