// SPDX-License-Identifier: Apache-2.0
// Packing: an operand of the builtin GEMM, rearranged in the order the kernel reads it.
#ifndef MSHADOW_BACKEND_CPU_BLAS_PACK_H_
#define MSHADOW_BACKEND_CPU_BLAS_PACK_H_

#include <cstddef>

#include "../../../core/config.h"
#include "../../../simd/copy_rows.h"
#include "../../../simd/isa.h"
#include "../../../simd/transpose_block.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// to[i * width + j] = from[j * ld + i] for i < rows, j < cols. A kernel of the baseline: longer
/// vectors are no faster here.
template <typename T>
struct PackTransposed {
  const T* from;
  std::ptrdiff_t ld, rows, cols;
  T* to;
  std::ptrdiff_t width;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr std::ptrdiff_t kSide = simd::kCopySide<Isa, T>;
    if constexpr (simd::kShuffles<Isa, T>) {
      if (rows >= kSide && cols >= kSide) {
        // The last square of a line may do some elements again: moving single ones takes a cycle
        // each, as long as the product itself at m = 32.
        for (std::ptrdiff_t j = 0; j < cols; j += kSide) {
          const std::ptrdiff_t left = j + kSide <= cols ? j : cols - kSide;
          for (std::ptrdiff_t i = 0; i < rows; i += kSide) {
            const std::ptrdiff_t top = i + kSide <= rows ? i : rows - kSide;
            simd::CopyTransposedBlock<Isa>(from + left * ld + top, ld, to + top * width + left,
                                           width);
          }
        }
        return;
      }
    }
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t j = 0; j < cols; ++j) to[i * width + j] = from[j * ld + i];
    }
  }
};

/// to[i * width + j] = op(from)[i][j] for i < rows, j < cols; a row of `from` is ld elements long.
template <typename T>
MSHADOW_NOINLINE void Pack(bool trans, const T* from, std::ptrdiff_t ld, std::ptrdiff_t rows,
                           std::ptrdiff_t cols, T* to, std::ptrdiff_t width) {
  if (trans) return simd::Baseline::Run(PackTransposed<T>{from, ld, rows, cols, to, width});
  constexpr std::ptrdiff_t kSize = sizeof(T);
  simd::CopyRows({reinterpret_cast<char*>(to), width * kSize, reinterpret_cast<const char*>(from),
                  ld * kSize, rows, cols * kSize});
}

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_PACK_H_
