// SPDX-License-Identifier: Apache-2.0
// Matrix products on the CPU. The provider is chosen here, and only here.
#ifndef MSHADOW_BACKEND_CPU_BLAS_H_
#define MSHADOW_BACKEND_CPU_BLAS_H_

#include "../../core/config.h"
#include "../../core/device.h"
#include "blas/builtin.h"
#if MSHADOW_USE_CBLAS || MSHADOW_USE_MKL
#include "blas/cblas.h"
#endif

MSHADOW_NAMESPACE_BEGIN
namespace blas {
#if MSHADOW_USE_CBLAS || MSHADOW_USE_MKL
using Provider = Cblas;
#else
using Provider = Builtin;
#endif
}  // namespace blas

/// Matrix products on raw row-major memory, for every dtype. Sizes, row strides (ld*), increments
/// and batch strides are std::ptrdiff_t and count elements; results must not overlap operands.
/// beta == 0 overwrites: old contents, NaN too, are not read. An empty sum, or alpha == 0, leaves
/// beta times the old contents; m, n, batch == 0 do nothing. Throws std::bad_alloc.
///
///   Gemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
///     C = alpha * op(A) * op(B) + beta * C;  op(A) m x k, op(B) k x n, C m x n
///   BatchGemm(trans_a, trans_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta,
///             c, ldc, stride_c, batch)
///     Gemm for each i < batch on a + i * stride_a, b + i * stride_b, c + i * stride_c
///   Gemv(trans, m, n, alpha, a, lda, x, inc_x, beta, y, inc_y)
///     y = alpha * op(A) * x + beta * y;  A m x n, whether transposed or not
///   Ger(m, n, alpha, x, inc_x, y, inc_y, beta, a, lda)
///     A = alpha * x * y^T + beta * A;  A m x n
///   Dot(n, x, inc_x, y, inc_y) -> DType
///     sum_i x[i * inc_x] * y[i * inc_y]
///   Name() -> std::string
///     what computes products of float and double, for people
///   Replaces() -> bool
///     true if that is not the BLAS of the program, though it has one
///   Form
///     a type that is another one in files with OpenMP; optional for other devices
template <>
struct Blas<cpu> : blas::Provider {
  using Form = blas::Provider;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_H_
