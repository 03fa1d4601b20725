// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_CORE_BIT_CAST_H_
#define MSHADOW_CORE_BIT_CAST_H_

#include <cstring>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN

/// The bits of `from` read as a To of the same size. Costs nothing once compiled.
template <typename To, typename From>
MSHADOW_XINLINE To BitCast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "BitCast: the two types differ in size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_BIT_CAST_H_
