// SPDX-License-Identifier: Apache-2.0
// The kernels of the builtin BLAS that read a matrix once: products with a vector, outer products.
//
// Vectors here are contiguous and in the type of the computation; the matrix is row-major in DType,
// consecutive rows lda elements apart. All are kernels for simd::Dispatch.
#ifndef MSHADOW_BACKEND_CPU_BLAS_GEMV_KERNEL_H_
#define MSHADOW_BACKEND_CPU_BLAS_GEMV_KERNEL_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../expr/long_sum.h"
#include "../../../simd/isa.h"
#include "compute_type.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// dst[i] = sum_j a[i][j] * x[j] for m rows of n elements.
template <typename DType>
struct RowDots {
  using T = Compute<DType>;
  std::ptrdiff_t m, n;
  const DType* a;
  std::ptrdiff_t lda;
  const T* x;
  T* dst;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    if (n < kShort) {
      for (std::ptrdiff_t i = 0; i < m; i += 4) ShortRows(i);
    } else {
      for (std::ptrdiff_t i = 0; i < m; ++i) Row<Isa>(i);
    }
  }

 private:
  /// Shorter rows are added up element by element, four rows at a time.
  static constexpr std::ptrdiff_t kShort = 16;
  /// Elements that are converted, or added to the lanes of a vector, before they go to the total.
  static constexpr std::ptrdiff_t kChunk = kComputesInPlace<DType> ? 8192 : 512;

  MSHADOW_FORCE_INLINE void ShortRows(std::ptrdiff_t i) const {
    const DType* row[4];
    T sum[4] = {};
    for (int r = 0; r < 4; ++r) row[r] = a + (i + r < m ? i + r : m - 1) * lda;
    for (std::ptrdiff_t q = 0; q < n; ++q) {
      for (int r = 0; r < 4; ++r) sum[r] += ToCompute(row[r][q]) * x[q];
    }
    for (int r = 0; r < 4; ++r) {
      if (i + r < m) dst[i + r] = sum[r];
    }
  }

  template <typename Isa>
  MSHADOW_FORCE_INLINE void Row(std::ptrdiff_t i) const {
    red::WideSum<T> total = 0;
    for (std::ptrdiff_t j = 0; j < n; j += kChunk) {
      const std::ptrdiff_t length = n - j < kChunk ? n - j : kChunk;
      const DType* const from = a + i * lda + j;
      if constexpr (kComputesInPlace<DType>) {
        total +=
            static_cast<red::WideSum<T>>(Dot<Isa>(reinterpret_cast<const T*>(from), x + j, length));
      } else {
        alignas(64) T chunk[kChunk];
        MSHADOW_IVDEP
        for (std::ptrdiff_t q = 0; q < length; ++q) chunk[q] = ToCompute(from[q]);
        total += static_cast<red::WideSum<T>>(Dot<Isa>(chunk, x + j, length));
      }
    }
    dst[i] = static_cast<T>(total);
  }

  /// The sum of the lanes of a vector, halved while a half is still a register.
  template <int kBytes>
  MSHADOW_FORCE_INLINE static T SumLanes(const T* lane) {
    constexpr int kLanes = Vector<T, kBytes>::kLanes;
    if constexpr (kBytes > 16 && kLanes > 1) {
      using Half = typename Vector<T, kBytes / 2>::Memory;
      alignas(64) T sums[kLanes / 2];
      *reinterpret_cast<Half*>(sums) =
          *reinterpret_cast<const Half*>(lane) + *reinterpret_cast<const Half*>(lane + kLanes / 2);
      return SumLanes<kBytes / 2>(sums);
    } else {
      T sum = lane[0];
      for (int q = 1; q < kLanes; ++q) sum += lane[q];
      return sum;
    }
  }

  // kUnroll running vectors hide the latency of the multiply-add.
  template <typename Isa>
  MSHADOW_FORCE_INLINE static T Dot(const T* row, const T* px, std::ptrdiff_t length) {
    using Vec = Vector<T, Isa::kVectorBytes>;
    using Register = typename Vec::Register;
    using Memory = typename Vec::Memory;
    constexpr int kUnroll = 4, kLanes = Vec::kLanes;
    Register sum[kUnroll] = {};
    std::ptrdiff_t j = 0;
    for (; length - j >= kUnroll * kLanes; j += kUnroll * kLanes) {
      for (int u = 0; u < kUnroll; ++u) {
        sum[u] += *reinterpret_cast<const Memory*>(row + j + u * kLanes) *
                  *reinterpret_cast<const Memory*>(px + j + u * kLanes);
      }
    }
    for (; length - j >= kLanes; j += kLanes) {
      sum[0] +=
          *reinterpret_cast<const Memory*>(row + j) * *reinterpret_cast<const Memory*>(px + j);
    }
    alignas(64) T lane[kLanes];
    *reinterpret_cast<Memory*>(lane) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    T total = SumLanes<Isa::kVectorBytes>(lane);
    for (; j < length; ++j) total += row[j] * px[j];
    return total;
  }
};

/// dst[j] += sum_i x[i] * a[i][j] for m rows of n elements.
template <typename DType>
struct RowSums {
  using T = Compute<DType>;
  std::ptrdiff_t m, n;
  const DType* a;
  std::ptrdiff_t lda;
  const T* x;
  T* dst;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    // A chunk of dst stays in the first-level cache while all rows are added to it, four at a time.
    // Beside it is a total of long sums.
    constexpr std::ptrdiff_t kChunk = 8192 / sizeof(T), kRows = 4 * red::kSumBlock;
    red::WideSum<T> total[kChunk];
    for (std::ptrdiff_t begin = 0; begin < n; begin += kChunk) {
      const std::ptrdiff_t length = n - begin < kChunk ? n - begin : kChunk;
      T* const to = dst + begin;
      const DType* row = a + begin;
      const bool is_long = m > kRows;
      for (std::ptrdiff_t j = 0; is_long && j < length; ++j) total[j] = 0;
      for (std::ptrdiff_t i = 0; i < m;) {
        const std::ptrdiff_t stop = m - i < kRows ? m : i + kRows;
        for (; stop - i >= 4; i += 4, row += 4 * lda) {
          const DType *const r0 = row, *const r1 = r0 + lda, *const r2 = r1 + lda,
                             *const r3 = r2 + lda;
          const T x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
          MSHADOW_IVDEP
          for (std::ptrdiff_t j = 0; j < length; ++j) {
            to[j] += (x0 * ToCompute(r0[j]) + x1 * ToCompute(r1[j])) +
                     (x2 * ToCompute(r2[j]) + x3 * ToCompute(r3[j]));
          }
        }
        for (; i < stop; ++i, row += lda) {
          const T xi = x[i];
          MSHADOW_IVDEP
          for (std::ptrdiff_t j = 0; j < length; ++j) to[j] += xi * ToCompute(row[j]);
        }
        if (is_long) red::FlushSums(to, length, total);
      }
      for (std::ptrdiff_t j = 0; is_long && j < length; ++j) to[j] = static_cast<T>(total[j]);
    }
  }
};

/// a[i][j] = alpha * x[i] * y[j] + beta * a[i][j]; beta == 0 overwrites.
template <typename DType>
struct OuterProduct {
  using T = Compute<DType>;
  std::ptrdiff_t m, n;
  T alpha;
  const T* x;
  const T* y;
  T beta;
  DType* a;
  std::ptrdiff_t lda;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = 0; i < m; ++i) AddScaled(n, alpha * x[i], y, beta, a + i * lda);
  }
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_GEMV_KERNEL_H_
