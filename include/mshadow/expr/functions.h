// SPDX-License-Identifier: Apache-2.0
// The ops of the library as functions, which a call finds by its argument: exp(x) is F<op::exp>(x).
#ifndef MSHADOW_EXPR_FUNCTIONS_H_
#define MSHADOW_EXPR_FUNCTIONS_H_

#include "../op/binary.h"
#include "../op/unary.h"
#include "operators.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::adl {

// name(a): out[i] = op::name::Map(a[i]).
#define MSHADOW_FUNCTION_(name) MSHADOW_DEFINE_UNARY_(name, op::name)
MSHADOW_FUNCTION_(abs)
MSHADOW_FUNCTION_(sign)
MSHADOW_FUNCTION_(square)
MSHADOW_FUNCTION_(sqrt)
MSHADOW_FUNCTION_(rsqrt)
MSHADOW_FUNCTION_(cbrt)
MSHADOW_FUNCTION_(reciprocal)
MSHADOW_FUNCTION_(floor)
MSHADOW_FUNCTION_(ceil)
MSHADOW_FUNCTION_(round)
MSHADOW_FUNCTION_(trunc)
MSHADOW_FUNCTION_(exp)
MSHADOW_FUNCTION_(exp2)
MSHADOW_FUNCTION_(expm1)
MSHADOW_FUNCTION_(log)
MSHADOW_FUNCTION_(log2)
MSHADOW_FUNCTION_(log10)
MSHADOW_FUNCTION_(log1p)
MSHADOW_FUNCTION_(sin)
MSHADOW_FUNCTION_(cos)
MSHADOW_FUNCTION_(tan)
MSHADOW_FUNCTION_(asin)
MSHADOW_FUNCTION_(acos)
MSHADOW_FUNCTION_(atan)
MSHADOW_FUNCTION_(sinh)
MSHADOW_FUNCTION_(cosh)
MSHADOW_FUNCTION_(tanh)
MSHADOW_FUNCTION_(asinh)
MSHADOW_FUNCTION_(acosh)
MSHADOW_FUNCTION_(atanh)
MSHADOW_FUNCTION_(erf)
MSHADOW_FUNCTION_(erfc)
MSHADOW_FUNCTION_(sigmoid)
MSHADOW_FUNCTION_(softplus)
MSHADOW_FUNCTION_(silu)
MSHADOW_FUNCTION_(gelu)
MSHADOW_FUNCTION_(relu)
MSHADOW_FUNCTION_(hardswish)
MSHADOW_FUNCTION_(leaky_relu)
#undef MSHADOW_FUNCTION_
// 1 where it holds, else 0, of the operand's element type.
MSHADOW_DEFINE_UNARY_(isnan, op::is_nan)
MSHADOW_DEFINE_UNARY_(isinf, op::is_inf)
MSHADOW_DEFINE_UNARY_(isfinite, op::is_finite)

// name(a, b): out[i] = OP::Map(a[i], b[i]); a or b may be a scalar.
MSHADOW_DEFINE_BINARY_(pow, op::pow)
MSHADOW_DEFINE_BINARY_(atan2, op::atan2)
MSHADOW_DEFINE_BINARY_(leaky_relu, op::leaky_relu)
MSHADOW_DEFINE_BINARY_(logical_xor, op::logical_xor)
// Not max and min: of one operand, max(x) is the largest element.
MSHADOW_DEFINE_BINARY_(maximum, op::max)
MSHADOW_DEFINE_BINARY_(minimum, op::min)

#undef MSHADOW_DEFINE_UNARY_
#undef MSHADOW_DEFINE_BINARY_

}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_FUNCTIONS_H_
