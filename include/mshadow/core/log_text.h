// SPDX-License-Identifier: Apache-2.0
// ToText: a value as a failed CHECK prints it. Built without <sstream>, which would double the cost
// of logging.h.
#ifndef MSHADOW_CORE_LOG_TEXT_H_
#define MSHADOW_CORE_LOG_TEXT_H_

#include <cstdio>
#include <iosfwd>
#include <string>
#include <type_traits>

#include "config.h"

namespace dmlc::log {

// An output stream over a string for types that bring only operator<<(std::ostream&, ...). Their
// header made std::ostream complete; here it is a dependent name, looked at in instantiation only.
template <typename T, typename Char = char>
struct StreamText {
  struct Buffer : std::basic_streambuf<Char> {
    std::string text;
    using Int = typename std::basic_streambuf<Char>::int_type;
    Int overflow(Int c) override {
      text.push_back(static_cast<char>(c));
      return c;
    }
  };
  static std::string Of(const T& value) {
    Buffer buffer;
    std::basic_ostream<Char> stream(&buffer);
    stream << value;
    return buffer.text;
  }
};

template <typename T, typename = void>
struct HasLogText : std::false_type {};
template <typename T>
struct HasLogText<T, std::void_t<decltype(LogText(std::declval<const T&>()))>> : std::true_type {};

// True if T brings an operator<<. (Those that std::ostream itself has are not looked at: it is
// declared only, so the answer does not depend on what was included. ToText knows those types.)
template <typename T, typename Stream = std::basic_ostream<char>, typename = void>
struct HasStreamText : std::false_type {};
template <typename T, typename Stream>
struct HasStreamText<
    T, Stream, std::void_t<decltype(operator<<(std::declval<Stream&>(), std::declval<const T&>()))>>
    : std::true_type {};

/// `value` as text: numbers as std::ostream prints them, types with LogText(value) as that says;
/// "?" where nothing says how.
template <typename T>
MSHADOW_COLD std::string ToText(const T& value) {
  char buffer[64];
  if constexpr (HasLogText<T>::value) {
    return LogText(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string(1, value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    return "nullptr";
  } else if constexpr (std::is_pointer_v<T> && std::is_convertible_v<T, const char*>) {
    return value == nullptr ? "(null)" : static_cast<const char*>(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string>) {
    return value;
  } else if constexpr (std::is_pointer_v<T>) {
    std::snprintf(buffer, sizeof(buffer), "%p", static_cast<const void*>(value));
    return buffer;
  } else if constexpr (std::is_convertible_v<const T&, double>) {
    std::snprintf(buffer, sizeof(buffer), "%g", static_cast<double>(value));
    return buffer;
  } else if constexpr (HasStreamText<T>::value) {
    return StreamText<T>::Of(value);
  } else {
    return "?";
  }
}

}  // namespace dmlc::log
#endif  // MSHADOW_CORE_LOG_TEXT_H_
