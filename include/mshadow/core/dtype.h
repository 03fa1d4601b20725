// SPDX-License-Identifier: Apache-2.0
// The element types: the one list of them, their run-time flags, and traits.
//
// A new element type is its header in core/ and a row in one of the lists below.
#ifndef MSHADOW_CORE_DTYPE_H_
#define MSHADOW_CORE_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "bfloat.h"
#include "complex_number.h"
#include "config.h"
#include "fwd.h"
#include "half.h"
#include "libmvec.h"
#include "logging.h"

#if MSHADOW_USE_CUDA
#include <library_types.h>
#endif

// X(flag, value, type, text, CUDA name, ...) once per type. The groups are what the type switches
// (type_switch.h) are made of. Arguments after X are passed on to it.
#define MSHADOW_DTYPES_FLOAT_DOUBLE_(X, ...)              \
  X(kFloat32, 0, float, "float", CUDA_R_32F, __VA_ARGS__) \
  X(kFloat64, 1, double, "double", CUDA_R_64F, __VA_ARGS__)
#define MSHADOW_DTYPES_HALF_(X, ...) \
  X(kFloat16, 2, ::mshadow::half::half_t, "half", CUDA_R_16F, __VA_ARGS__)
#define MSHADOW_DTYPES_BF16_(X, ...) \
  X(kBfloat16, 12, ::mshadow::bfloat::bf16_t, "bfloat16", CUDA_R_16BF, __VA_ARGS__)
#define MSHADOW_DTYPES_INTEGER_(X, ...)                          \
  X(kUint8, 3, uint8_t, "unsigned char", CUDA_R_8U, __VA_ARGS__) \
  X(kInt8, 5, int8_t, "char", CUDA_R_8I, __VA_ARGS__)            \
  X(kInt32, 4, int32_t, "int", CUDA_R_32I, __VA_ARGS__)          \
  X(kInt64, 6, int64_t, "long long", CUDA_R_64I, __VA_ARGS__)
#define MSHADOW_DTYPES_BOOL_(X, ...) X(kBool, 7, bool, "bool", CUDA_R_8U, __VA_ARGS__)
#define MSHADOW_DTYPES_MORE_INTEGER_(X, ...)                         \
  X(kInt16, 8, int16_t, "short", CUDA_R_16I, __VA_ARGS__)            \
  X(kUint16, 9, uint16_t, "unsigned short", CUDA_R_16U, __VA_ARGS__) \
  X(kUint32, 10, uint32_t, "unsigned int", CUDA_R_32U, __VA_ARGS__)  \
  X(kUint64, 11, uint64_t, "unsigned long long", CUDA_R_64U, __VA_ARGS__)

/// X(flag, value, type, text, CUDA name, ...) for each of the 13 element types.
#define MSHADOW_FOREACH_DTYPE(X, ...)          \
  MSHADOW_DTYPES_FLOAT_DOUBLE_(X, __VA_ARGS__) \
  MSHADOW_DTYPES_HALF_(X, __VA_ARGS__)         \
  MSHADOW_DTYPES_BF16_(X, __VA_ARGS__)         \
  MSHADOW_DTYPES_INTEGER_(X, __VA_ARGS__)      \
  MSHADOW_DTYPES_BOOL_(X, __VA_ARGS__)         \
  MSHADOW_DTYPES_MORE_INTEGER_(X, __VA_ARGS__)

MSHADOW_NAMESPACE_BEGIN

/// Run-time name of an element type. The values are part of file formats and interfaces.
enum TypeFlag {
#define MSHADOW_DTYPE_ROW_(flag, value, type, text, cuda, ...) flag = value,
  MSHADOW_FOREACH_DTYPE(MSHADOW_DTYPE_ROW_, )
#undef MSHADOW_DTYPE_ROW_
  // <mshadow/complex.h> has them as element types; no type switch does.
  kComplex64 = 16,
  kComplex128 = 17
};

/// Type in which sums and products of T are accumulated: float for the 16-bit types, T otherwise.
template <typename T>
struct AccumulatorOf {
  using type = std::conditional_t<float16::kIsFloat16<T>, float, T>;
};
template <typename T>
using Accumulator = typename AccumulatorOf<T>::type;

/// Facts of an element type: kFlag, its TypeFlag; kLanes, the numbers in one element; ScaleType,
/// the type of the factors of a matrix product; kCudaFlag, its cudaDataType_t (in builds with
/// CUDA).
template <typename DType>
struct DataType;

#if MSHADOW_USE_CUDA
#define MSHADOW_DTYPE_CUDA_FLAG_(cuda) static constexpr cudaDataType_t kCudaFlag = cuda;
#else
#define MSHADOW_DTYPE_CUDA_FLAG_(cuda)
#endif
#define MSHADOW_DTYPE_ROW_(flag, value, type, text, cuda, ...) \
  template <>                                                  \
  struct DataType<type> {                                      \
    static constexpr int kFlag = flag;                         \
    static constexpr int kLanes = 1;                           \
    using ScaleType = Accumulator<type>;                       \
    MSHADOW_DTYPE_CUDA_FLAG_(cuda)                             \
  };
MSHADOW_FOREACH_DTYPE(MSHADOW_DTYPE_ROW_, )
#undef MSHADOW_DTYPE_ROW_
#undef MSHADOW_DTYPE_CUDA_FLAG_

template <>
struct DataType<half::half2_t> {
  static constexpr int kFlag = kFloat16;
  static constexpr int kLanes = 2;
};

/// Flag of default_real_t.
constexpr int default_type_flag = DataType<default_real_t>::kFlag;
/// Type of the sizes that LAPACK is given, and its flag.
using lapack_index_t = int;
constexpr int index_type_flag = DataType<lapack_index_t>::kFlag;
template <typename Device>
struct LapackIndex {
  using IndexT = lapack_index_t;
};

/// Bytes of an element; throws Error for an unknown flag.
inline size_t mshadow_sizeof(int type) {
  switch (type) {
#define MSHADOW_DTYPE_ROW_(flag, value, type, text, cuda, ...) \
  case flag:                                                   \
    return sizeof(type);
    MSHADOW_FOREACH_DTYPE(MSHADOW_DTYPE_ROW_, )
#undef MSHADOW_DTYPE_ROW_
    case kComplex64:
      return 2 * sizeof(float);
    case kComplex128:
      return 2 * sizeof(double);
    default:
      throw Error("mshadow_sizeof: unknown type enum " + std::to_string(type));
  }
}

/// Name of an element type in C, "half", "bfloat16" or "complex64"; throws Error for an
/// unknown flag.
inline std::string dtype_string(int type) {
  switch (type) {
#define MSHADOW_DTYPE_ROW_(flag, value, type, text, cuda, ...) \
  case flag:                                                   \
    return text;
    MSHADOW_FOREACH_DTYPE(MSHADOW_DTYPE_ROW_, )
#undef MSHADOW_DTYPE_ROW_
    case kComplex64:
      return "complex64";
    case kComplex128:
      return "complex128";
    default:
      throw Error("dtype_string: unknown type enum " + std::to_string(type));
  }
}

namespace detail {
template <typename SubType, typename DType, int etype>
std::true_type AskExpression(const volatile expr::Exp<SubType, DType, etype>*);
std::false_type AskExpression(const volatile void*);
template <typename T>
inline constexpr bool kIsExpression = decltype(AskExpression(static_cast<T*>(nullptr)))::value;
}  // namespace detail

// By value: the template argument of a volatile operand then is not volatile.
namespace isnan_typed {
/// Is `value` not a number? False for whatever is no floating-point number.
template <typename DType>
MSHADOW_XINLINE bool IsNan(DType value) {
  static_assert(!detail::kIsExpression<DType>, "mshadow: IsNan takes one number; isnan(e) is that "
                                               "of each element");
  if constexpr (std::is_floating_point_v<DType>) {
    return value != value;
  } else if constexpr (float16::kIsFloat16<DType>) {
    return IsNan(static_cast<float>(value));
  } else {
    return false;
  }
}
}  // namespace isnan_typed

namespace isinf_typed {
/// Is `value` plus or minus infinity? False for whatever is no floating-point number.
template <typename DType>
MSHADOW_XINLINE bool IsInf(DType value) {
  static_assert(!detail::kIsExpression<DType>, "mshadow: IsInf takes one number; isinf(e) is that "
                                               "of each element");
  if constexpr (std::is_floating_point_v<DType>) {
    constexpr DType kInfinity = static_cast<DType>(MSHADOW_INFINITY);
    return (value == kInfinity) | (value == -kInfinity);
  } else if constexpr (float16::kIsFloat16<DType>) {
    return IsInf(static_cast<float>(value));
  } else {
    return false;
  }
}
}  // namespace isinf_typed

namespace detail {
struct ClassifiedNumber {
  template <typename T, typename = std::enable_if_t<!kIsExpression<T>>>
  MSHADOW_XINLINE ClassifiedNumber(T value)  // NOLINT: implicit
      : is_nan(isnan_typed::IsNan(value)), is_inf(isinf_typed::IsInf(value)) {}
  bool is_nan, is_inf;
};
}  // namespace detail

// Code in this namespace and code that uses it call these unqualified. Those of <cmath>, which is
// not included here, need no conversion: beside them nothing is ambiguous. Those of expressions
// are in expr/functions.h.
MSHADOW_XINLINE bool isnan(detail::ClassifiedNumber number) { return number.is_nan; }
MSHADOW_XINLINE bool isinf(detail::ClassifiedNumber number) { return number.is_inf; }

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_DTYPE_H_
