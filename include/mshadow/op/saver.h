// SPDX-License-Identifier: Apache-2.0
// Savers: how a value that was computed goes into its destination. `out += expression` is the saver
// plusto with the expression.
#ifndef MSHADOW_OP_SAVER_H_
#define MSHADOW_OP_SAVER_H_

#include "../core/config.h"
#include "binary.h"

MSHADOW_NAMESPACE_BEGIN
/// Savers. OPType is the operator in `dst = OPType(dst, value)`. Where AlphaBLAS and BetaBLAS
/// exist, a product p computed by BLAS is saved as `dst = AlphaBLAS p + BetaBLAS dst`.
namespace sv {

/// a = b
struct saveto {
  template <typename DType>
  MSHADOW_XINLINE static void Save(DType& a, DType b) {  // NOLINT: the interface of savers
    a = b;
  }
  MSHADOW_XINLINE static default_real_t AlphaBLAS() { return 1.0f; }
  MSHADOW_XINLINE static default_real_t BetaBLAS() { return 0.0f; }
  using OPType = op::right;
};

#define MSHADOW_SAVER_(name, Op, ...)                                                       \
  struct name {                                                                             \
    template <typename DType>                                                               \
    MSHADOW_XINLINE static void Save(DType& a, DType b) { /* NOLINT: interface of savers */ \
      a = op::Op::Map(a, b);                                                                \
    }                                                                                       \
    __VA_ARGS__                                                                             \
    using OPType = op::Op;                                                                  \
  };
#define MSHADOW_ADDS_IN_BLAS_(alpha)                                  \
  MSHADOW_XINLINE static default_real_t AlphaBLAS() { return alpha; } \
  MSHADOW_XINLINE static default_real_t BetaBLAS() { return 1.0f; }

/// a += b; integers wrap.
MSHADOW_SAVER_(plusto, plus, MSHADOW_ADDS_IN_BLAS_(1.0f))

/// a -= b; integers wrap.
MSHADOW_SAVER_(minusto, minus, MSHADOW_ADDS_IN_BLAS_(-1.0f))

/// a *= b; integers wrap.
MSHADOW_SAVER_(multo, mul, )

/// a /= b, as op::div.
MSHADOW_SAVER_(divto, div, )
#undef MSHADOW_ADDS_IN_BLAS_
#undef MSHADOW_SAVER_

}  // namespace sv
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_SAVER_H_
