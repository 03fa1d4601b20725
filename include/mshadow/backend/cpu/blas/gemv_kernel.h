// SPDX-License-Identifier: Apache-2.0
// Products of a matrix with a vector, on one thread. They read the matrix once.
#ifndef MSHADOW_BACKEND_CPU_BLAS_GEMV_KERNEL_H_
#define MSHADOW_BACKEND_CPU_BLAS_GEMV_KERNEL_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../op/long_sum.h"
#include "../../../simd/isa.h"
#include "compute_type.h"
#include "convert.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// A row-major matrix of m rows of n elements, lda apart, and vectors. Arguments of the kernels.
template <typename T>
struct MatrixAndVectors {
  std::ptrdiff_t m, n;
  const T* a;
  std::ptrdiff_t lda;
  const T* x;
  T* y;
};

/// The type of totals of long sums in T.
template <typename T>
struct WideTotal {
  using Type = red::WideSum<T>;
};

/// y[i] = sum_j a[i][j] * x[j]. For simd::Call.
template <typename T>
struct RowDots {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const MatrixAndVectors<T>* argument) {
    using Vec = Vector<T, Isa::kVectorBytes>;
    using Register = typename Vec::Register;
    using Memory = typename Vec::Memory;
    using Few = Vector<T, 16>;
    constexpr int kUnroll = 4, kLanes = Vec::kLanes, kFew = Few::kLanes;
    const MatrixAndVectors<T> of(*argument);  // in registers
    const std::ptrdiff_t n = of.n;
    const T* const x = of.x;
    for (std::ptrdiff_t i = 0; i < of.m; ++i) {
      const T* const row = of.a + i * of.lda;
      // By reference, since Clang passes no vectors to functions.
      const auto add = [=](std::ptrdiff_t at, Register& sum) MSHADOW_INLINE_LAMBDA {
        sum += *reinterpret_cast<const Memory*>(row + at) *
               *reinterpret_cast<const Memory*>(x + at);
      };
      std::ptrdiff_t j = 0;
      typename Few::Register few = {};
      if (n >= 2 * kLanes) {
        Register sum[kUnroll] = {};  // so many hide the latency of the multiply-add
        for (; n - j >= kUnroll * kLanes; j += kUnroll * kLanes) {
          for (int u = 0; u < kUnroll; ++u) add(j + u * kLanes, sum[u]);
        }
        for (; n - j >= kLanes; j = Opaque(j + kLanes)) add(j, sum[0]);
        alignas(64) T lanes[kLanes];
        *reinterpret_cast<Memory*>(lanes) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (int q = 0; q < kLanes; q += kFew) {
          few += *reinterpret_cast<const typename Few::Memory*>(lanes + q);
        }
      }
      for (; n - j >= kFew; j = Opaque(j + kFew)) {
        few += *reinterpret_cast<const typename Few::Memory*>(row + j) *
               *reinterpret_cast<const typename Few::Memory*>(x + j);
      }
      T total = T(0);
      if (kFew > 2 && n < kFew) {
        for (int q = 0; q < kFew - 1; ++q) {
          if (q < n) total += row[q] * x[q];
        }
      } else {
        alignas(16) T lanes[kFew];
        *reinterpret_cast<typename Few::Memory*>(lanes) = few;
        for (int q = 0; q < kFew; ++q) total += lanes[q];
        for (; j < n; j = Opaque(j + 1)) total += row[j] * x[j];
      }
      of.y[i] = total;
    }
  }
};

/// y[j] += sum_i x[i] * a[i][j]. For simd::Call.
template <typename T>
struct RowSums {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const MatrixAndVectors<T>* argument) {
    const MatrixAndVectors<T> of(*argument);  // in registers
    std::ptrdiff_t i = 0;
    for (; of.m - i >= 4; i += 4) Rows<Isa::kVectorBytes, 4>(of, i);
    for (; i < of.m; i = Opaque(i + 1)) Rows<Isa::kVectorBytes, 1>(of, i);
  }

 private:
  template <int kBytes, int kRows>
  MSHADOW_FORCE_INLINE static void Rows(const MatrixAndVectors<T>& of, std::ptrdiff_t i) {
    const T* row[kRows];
    T x[kRows];
    for (int r = 0; r < kRows; ++r) row[r] = of.a + (i + r) * of.lda, x[r] = of.x[i + r];
    std::ptrdiff_t j = 0;
    Add<Vector<T, kBytes>>(row, x, of, &j);
    if (kBytes > 16) Add<Vector<T, 16>>(row, x, of, &j);
    Add<Vector<T, 16, false>>(row, x, of, &j);  // one element at a time
  }
  /// All whole vectors of columns from column *at. The same operations in the same order, whatever
  /// the vector.
  template <typename Vec, int kRows>
  MSHADOW_FORCE_INLINE static void Add(const T* (&row)[kRows], const T (&x)[kRows],
                                       const MatrixAndVectors<T>& of, std::ptrdiff_t* at) {
    using Memory = typename Vec::Memory;
    std::ptrdiff_t j = *at;
    for (; of.n - j >= Vec::kLanes; j = Opaque(j + Vec::kLanes)) {
      typename Vec::Register sum[kRows];
      for (int r = 0; r < kRows; ++r) sum[r] = x[r] * *reinterpret_cast<const Memory*>(row[r] + j);
      Memory& out = *reinterpret_cast<Memory*>(of.y + j);
      if constexpr (kRows == 4) {
        out += (sum[0] + sum[1]) + (sum[2] + sum[3]);
      } else {
        out += sum[0];
      }
    }
    *at = j;
  }
};

/// y[i * inc_y] = alpha * sums[i] + beta * y[i * inc_y] for begin <= i < end, where sums[i] is that
/// of `terms` products of x with row i of the matrix or, where `trans`, column i; beta == 0
/// overwrites. A sum does not depend on what is computed beside it.
template <typename DType>
MSHADOW_NOINLINE void GemvRange(bool trans, std::ptrdiff_t begin, std::ptrdiff_t end,
                                std::ptrdiff_t terms, const DType* a, std::ptrdiff_t lda,
                                const Compute<DType>* x, Compute<DType> alpha, Compute<DType> beta,
                                DType* y, std::ptrdiff_t inc_y) {
  using T = Compute<DType>;
  constexpr bool kInPlace = kComputesInPlace<DType>;
  // The results stay in the first-level cache while rows are added to them, and so does what is
  // converted. `depth` terms are added in T.
  constexpr std::ptrdiff_t kResults = kInPlace ? 8192 / sizeof(T) : 256, kFew = 32;
  const std::ptrdiff_t most = kInPlace || trans ? kResults : kFew;
  const std::ptrdiff_t depth = kInPlace ? (trans ? 4 * red::kSumBlock : 8192) : trans ? kFew : 256;
  alignas(64) T sums[kResults], converted[kInPlace ? 1 : kResults * kFew];
  using Total = typename WideTotal<T>::Type;
  Total totals[kResults];
  for (std::ptrdiff_t n; begin < end; begin += n) {
    n = end - begin < most ? end - begin : most;
    for (std::ptrdiff_t p = 0; p < terms; p += depth) {
      const std::ptrdiff_t k = terms - p < depth ? terms - p : depth;
      const DType* const from = a + (trans ? p * lda + begin : begin * lda + p);
      MatrixAndVectors<T> part{trans ? k : n, trans ? n : k, converted, trans ? n : k, x + p, sums};
      if constexpr (kInPlace) {
        part.a = reinterpret_cast<const T*>(from);
        part.lda = lda;
      } else {
        simd::Dispatch(ConvertRows<DType>{part.m, part.n, from, lda, converted});
      }
      if (trans) {
        for (std::ptrdiff_t i = 0; i < n; ++i) sums[i] = T(0);
        simd::Call<RowSums<T>, const MatrixAndVectors<T>*>(&part);
      } else {
        simd::Call<RowDots<T>, const MatrixAndVectors<T>*>(&part);
      }
      if (terms <= depth) break;
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        totals[i] = (p == 0 ? Total(0) : totals[i]) + static_cast<Total>(sums[i]);
        sums[i] = static_cast<T>(totals[i]);
      }
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      DType& out = y[(begin + i) * inc_y];
      const T sum = alpha * sums[i];
      out = FromCompute<DType>(beta == T(0) ? sum : sum + beta * ToCompute(out));
    }
  }
}

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_GEMV_KERNEL_H_
