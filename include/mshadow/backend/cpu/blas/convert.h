// SPDX-License-Identifier: Apache-2.0
// Into the type of the computation and back, as kernels for simd::Dispatch.
#ifndef MSHADOW_BACKEND_CPU_BLAS_CONVERT_H_
#define MSHADOW_BACKEND_CPU_BLAS_CONVERT_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "compute_type.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// dst[i][j] = src[i][j], dst contiguous: m rows of n elements.
template <typename DType>
struct ConvertRows {
  using T = Compute<DType>;
  std::ptrdiff_t m, n;
  const DType* src;
  std::ptrdiff_t ld;
  T* dst;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      const DType* const from = src + i * ld;
      T* const to = dst + i * n;
      MSHADOW_IVDEP
      for (std::ptrdiff_t j = 0; j < n; ++j) to[j] = ToCompute(from[j]);
    }
  }
};

/// c[i][j] = alpha * x[i * step] * rows[i * ld + j] + beta * c[i][j] for m rows of n elements;
/// beta == 0 overwrites.
template <typename DType>
struct AddRows {
  using T = Compute<DType>;
  std::ptrdiff_t m, n;
  T alpha;
  const T* x;
  std::ptrdiff_t step;
  const T* rows;
  std::ptrdiff_t ld;
  T beta;
  DType* c;
  std::ptrdiff_t ldc;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      const T factor = alpha * x[i * step];
      const T* const from = rows + i * ld;
      DType* const to = c + i * ldc;
      if (beta == T(0)) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t j = 0; j < n; ++j) to[j] = FromCompute<DType>(factor * from[j]);
      } else {
        MSHADOW_IVDEP
        for (std::ptrdiff_t j = 0; j < n; ++j) {
          to[j] = FromCompute<DType>(factor * from[j] + beta * ToCompute(to[j]));
        }
      }
    }
  }
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_CONVERT_H_
