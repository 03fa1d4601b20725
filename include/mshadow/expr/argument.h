// SPDX-License-Identifier: Apache-2.0
// CheckArgument: the arguments of extensions that have a range.
#ifndef MSHADOW_EXPR_ARGUMENT_H_
#define MSHADOW_EXPR_ARGUMENT_H_

#include <string>

#include "../core/config.h"
#include "../core/logging.h"

namespace mshadow {
namespace expr {
namespace detail {

[[noreturn]] MSHADOW_NOINLINE inline void ThrowArgument(const char* function, const char* argument,
                                                        long long value, long long least,
                                                        long long most, const char* extent) {
  throw Error(std::string(function) + ": " + argument + " = " + std::to_string(value) +
              " is out of range: " + std::to_string(least) + " to " + std::to_string(most) +
              extent);
}

/// Throws Error "function: argument = value is out of range: least to most<extent>" where `value`
/// is; `extent` says in words what sets the limit.
inline void CheckArgument(const char* function, const char* argument, long long value,
                          long long least, long long most, const char* extent) {
  if (!MSHADOW_LIKELY(least <= value && value <= most)) {
    ThrowArgument(function, argument, value, least, most, extent);
  }
}

/// CheckArgument for what need only be positive: strides, dilations.
inline void CheckPositive(const char* function, const char* argument, long long value) {
  if (!MSHADOW_LIKELY(value > 0)) {
    throw Error(std::string(function) + ": " + argument + " = " + std::to_string(value) +
                " must be positive");
  }
}

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_ARGUMENT_H_
