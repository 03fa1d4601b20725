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

/// a += b; integers wrap.
struct plusto {
  template <typename DType>
  MSHADOW_XINLINE static void Save(DType& a, DType b) {  // NOLINT: the interface of savers
    a = op::plus::Map(a, b);
  }
  MSHADOW_XINLINE static default_real_t AlphaBLAS() { return 1.0f; }
  MSHADOW_XINLINE static default_real_t BetaBLAS() { return 1.0f; }
  using OPType = op::plus;
};

/// a -= b; integers wrap.
struct minusto {
  template <typename DType>
  MSHADOW_XINLINE static void Save(DType& a, DType b) {  // NOLINT: the interface of savers
    a = op::minus::Map(a, b);
  }
  MSHADOW_XINLINE static default_real_t AlphaBLAS() { return -1.0f; }
  MSHADOW_XINLINE static default_real_t BetaBLAS() { return 1.0f; }
  using OPType = op::minus;
};

/// a *= b; integers wrap.
struct multo {
  template <typename DType>
  MSHADOW_XINLINE static void Save(DType& a, DType b) {  // NOLINT: the interface of savers
    a = op::mul::Map(a, b);
  }
  using OPType = op::mul;
};

/// a /= b
struct divto {
  template <typename DType>
  MSHADOW_XINLINE static void Save(DType& a, DType b) {  // NOLINT: the interface of savers
    a = op::div::Map(a, b);  // what a / b gives, a zero divisor of integers included
  }
  using OPType = op::div;
};

}  // namespace sv
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_SAVER_H_
