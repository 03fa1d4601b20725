// SPDX-License-Identifier: Apache-2.0
// From a run-time TypeFlag to a type:
//
//   MSHADOW_TYPE_SWITCH(flag, DType, {
//     Tensor<cpu, 1, DType> t(static_cast<DType*>(data), Shape1(n));
//     t = 0;
//   });
//
// compiles the body once per type with DType a name of that type and runs the one that `flag`
// names. The body may hold commas, `return`, and other switches; `break` leaves the switch. A flag
// that a switch does not support throws Error with the name of the switch and of the type.
#ifndef MSHADOW_CORE_TYPE_SWITCH_H_
#define MSHADOW_CORE_TYPE_SWITCH_H_

#include <string>

#include "dtype.h"
#include "logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Throws Error: `macro` was given the flag of a type that it has no case for.
[[noreturn]] inline void ThrowUnsupportedType(const char* macro, int flag, const char* supported) {
  switch (flag) {
#define MSHADOW_DTYPE_ROW_(flag, value, type, text, cuda, ...) case flag:
    MSHADOW_FOREACH_DTYPE(MSHADOW_DTYPE_ROW_, )
#undef MSHADOW_DTYPE_ROW_
    case kComplex64:
    case kComplex128:
      throw Error(std::string(macro) + " does not support type " + dtype_string(flag) +
                  " (type enum " + std::to_string(flag) + "); it supports " + supported);
    default:
      throw Error(std::string(macro) + ": Unknown type enum " + std::to_string(flag));
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END

// One case of a switch: a row of a list of dtype.h, then the user's name for the type and the body.
#define MSHADOW_TYPE_CASE_(flag, value, type, text, cuda, DType, ...) \
  case ::mshadow::flag: {                                             \
    using DType [[maybe_unused]] = type;                              \
    { __VA_ARGS__ }                                                   \
  } break;
#define MSHADOW_TYPE_DEFAULT_(macro, flag, supported) \
  default:                                            \
    ::mshadow::detail::ThrowUnsupportedType(macro, static_cast<int>(flag), supported);

// 2.x with bfloat16 leaves it out under nvcc, so bodies in .cu files may not compile for it.
#ifdef __NVCC__
#define MSHADOW_DTYPES_HOST_BF16_(X, ...)
#else
#define MSHADOW_DTYPES_HOST_BF16_(X, ...) MSHADOW_DTYPES_BF16_(X, __VA_ARGS__)
#endif
// The types of MSHADOW_TYPE_SWITCH.
#define MSHADOW_DTYPES_COMMON_(X, ...)         \
  MSHADOW_DTYPES_FLOAT_DOUBLE_(X, __VA_ARGS__) \
  MSHADOW_DTYPES_HALF_(X, __VA_ARGS__)         \
  MSHADOW_DTYPES_HOST_BF16_(X, __VA_ARGS__)    \
  MSHADOW_DTYPES_INTEGER_(X, __VA_ARGS__)

/// float, double, half_t, bf16_t (not under nvcc), uint8_t, int8_t, int32_t, int64_t.
#define MSHADOW_TYPE_SWITCH(type, DType, ...)                             \
  switch (type) {                                                         \
    MSHADOW_DTYPES_COMMON_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)        \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_TYPE_SWITCH", type,                    \
                          "floating point, uint8, int8, int32 and int64") \
  }

/// The types of MSHADOW_TYPE_SWITCH and bool.
#define MSHADOW_TYPE_SWITCH_WITH_BOOL(type, DType, ...)                         \
  switch (type) {                                                               \
    MSHADOW_DTYPES_COMMON_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)              \
    MSHADOW_DTYPES_BOOL_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)                \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_TYPE_SWITCH_WITH_BOOL", type,                \
                          "floating point, uint8, int8, int32, int64 and bool") \
  }

/// The types of MSHADOW_TYPE_SWITCH, int16_t, uint16_t, uint32_t and uint64_t.
#define MSHADOW_TYPE_SWITCH_EXT(type, DType, ...)                        \
  switch (type) {                                                        \
    MSHADOW_DTYPES_COMMON_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)       \
    MSHADOW_DTYPES_MORE_INTEGER_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__) \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_TYPE_SWITCH_EXT", type,               \
                          "floating point and integers of 8 to 64 bits") \
  }

/// Every element type (bf16_t not under nvcc).
#define MSHADOW_TYPE_SWITCH_EXT_WITH_BOOL(type, DType, ...)                    \
  switch (type) {                                                              \
    MSHADOW_DTYPES_COMMON_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)             \
    MSHADOW_DTYPES_BOOL_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)               \
    MSHADOW_DTYPES_MORE_INTEGER_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)       \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_TYPE_SWITCH_EXT_WITH_BOOL", type,           \
                          "floating point, integers of 8 to 64 bits and bool") \
  }

/// float, double, uint8_t, int32_t, int64_t, and half2_t for kFloat16.
#define MSHADOW_TYPE_SWITCH_WITH_HALF2(type, DType, ...)                             \
  switch (type) {                                                                    \
    MSHADOW_DTYPES_FLOAT_DOUBLE_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)             \
    MSHADOW_TYPE_CASE_(kFloat16, , ::mshadow::half::half2_t, , , DType, __VA_ARGS__) \
    MSHADOW_TYPE_CASE_(kUint8, , uint8_t, , , DType, __VA_ARGS__)                    \
    MSHADOW_TYPE_CASE_(kInt32, , int32_t, , , DType, __VA_ARGS__)                    \
    MSHADOW_TYPE_CASE_(kInt64, , int64_t, , , DType, __VA_ARGS__)                    \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_TYPE_SWITCH_WITH_HALF2", type,                    \
                          "float, double, half2, uint8, int32 and int64")            \
  }

/// float, double.
#define MSHADOW_SGL_DBL_TYPE_SWITCH(type, DType, ...)                    \
  switch (type) {                                                        \
    MSHADOW_DTYPES_FLOAT_DOUBLE_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__) \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_SGL_DBL_TYPE_SWITCH", type,           \
                          "only 32-bit and 64-bit floating point types") \
  }

/// float, double, half_t.
#define MSHADOW_REAL_TYPE_SWITCH(type, DType, ...)                       \
  switch (type) {                                                        \
    MSHADOW_DTYPES_FLOAT_DOUBLE_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__) \
    MSHADOW_DTYPES_HALF_(MSHADOW_TYPE_CASE_, DType, __VA_ARGS__)         \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_REAL_TYPE_SWITCH", type,              \
                          "only floating point types, not bfloat16")     \
  }

#define MSHADOW_REAL_TYPE_CASE_EX_(flag, value, type, text, cuda, DType, DLargeType, ...) \
  case ::mshadow::flag: {                                                                 \
    using DType [[maybe_unused]] = type;                                                  \
    using DLargeType [[maybe_unused]] = ::mshadow::Accumulator<type>;                     \
    { __VA_ARGS__ }                                                                       \
  } break;
/// (float, float), (double, double), (half_t, float), (bf16_t, float) (not under nvcc): the type
/// and the one to accumulate it in.
#define MSHADOW_REAL_TYPE_SWITCH_EX(type, DType, DLargeType, ...)                            \
  switch (type) {                                                                            \
    MSHADOW_DTYPES_FLOAT_DOUBLE_(MSHADOW_REAL_TYPE_CASE_EX_, DType, DLargeType, __VA_ARGS__) \
    MSHADOW_DTYPES_HALF_(MSHADOW_REAL_TYPE_CASE_EX_, DType, DLargeType, __VA_ARGS__)         \
    MSHADOW_DTYPES_HOST_BF16_(MSHADOW_REAL_TYPE_CASE_EX_, DType, DLargeType, __VA_ARGS__)    \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_REAL_TYPE_SWITCH_EX", type, "only floating point types")  \
  }

/// int64_t: the type of indices in files and between libraries.
#define MSHADOW_IDX_TYPE_SWITCH(type, DType, ...)                   \
  switch (type) {                                                   \
    MSHADOW_TYPE_CASE_(kInt64, , int64_t, , , DType, __VA_ARGS__)   \
    MSHADOW_TYPE_DEFAULT_("MSHADOW_IDX_TYPE_SWITCH", type, "int64") \
  }

#endif  // MSHADOW_CORE_TYPE_SWITCH_H_
