// SPDX-License-Identifier: Apache-2.0
// CheckArgument: the arguments of extensions that have a range.
#ifndef MSHADOW_CORE_ARGUMENT_H_
#define MSHADOW_CORE_ARGUMENT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "config.h"
#include "logging.h"
#include "shape.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

[[noreturn]] MSHADOW_COLD inline void ThrowArgument(const char* function, const char* argument,
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

/// `axis`, counted from the end where it is negative; throws Error where it is none of `dim`.
inline int CheckAxis(const char* function, int axis, int dim) {
  CheckArgument(function, "axis", axis, -dim, dim - 1, ", the axes of the source");
  return axis < 0 ? axis + dim : axis;
}

/// The number that the caller wrote for an argument that may be negative, and else is n at most:
/// where index_t is unsigned, what exceeds n may have wrapped.
inline long long SignedArgument(index_t value, index_t n) {
  if (value <= n) return static_cast<long long>(value);
  const auto wrapped = static_cast<std::make_signed_t<index_t>>(value);
  return wrapped < 0 ? static_cast<long long>(wrapped) : static_cast<long long>(value);
}

/// Numbers that may be negative, as a Shape: SignedArgument finds them again. Throws Error where
/// index_t does not hold one.
template <int dim>
inline Shape<dim> AsShape(const char* function, const char* argument,
                          const std::ptrdiff_t (&numbers)[dim]) {
  constexpr long long kMax = static_cast<long long>(mshadow::detail::kMaxElements);
  constexpr long long kMin =
      static_cast<long long>((std::numeric_limits<std::make_signed_t<index_t>>::min)());
  Shape<dim> shape;
  for (int i = 0; i < dim; ++i) {
    CheckArgument(function, argument, numbers[i], kMin, kMax, ", what index_t holds");
    shape[i] = static_cast<index_t>(numbers[i]);
  }
  return shape;
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_ARGUMENT_H_
