// SPDX-License-Identifier: Apache-2.0
// Packing: an operand of the builtin GEMM, rearranged in the order the kernel reads it.
#ifndef MSHADOW_BACKEND_CPU_BLAS_GEMM_PACK_H_
#define MSHADOW_BACKEND_CPU_BLAS_GEMM_PACK_H_

#include <cstddef>
#include <type_traits>

#include "../../../core/config.h"
#include "../../../simd/isa.h"
#include "compute_type.h"

// Clang, and GCC from version 12.
#if !MSHADOW_PLAIN_CXX && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MSHADOW_BLAS_SHUFFLE 1
#endif
#endif
#ifndef MSHADOW_BLAS_SHUFFLE
#define MSHADOW_BLAS_SHUFFLE 0
#endif

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// Writes `lines` rows of op(A), or columns of op(B), of `depth` elements each into slivers, `wide`
/// while they fit, then `narrow`, padded with zeros. Element p of line i is src[i * line + p *
/// step], where one of the two strides is 1; in the sliver that starts at line s and has width W it
/// is dst[s * depth + p * W + i - s]. A kernel for simd::Dispatch.
template <typename T>
struct GemmPack {
  const T* src;
  std::ptrdiff_t line, step;
  std::ptrdiff_t lines, depth;
  std::ptrdiff_t wide, narrow;
  T* dst;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = 0; i < lines;) {
      const std::ptrdiff_t width = lines - i >= wide ? wide : narrow;
      const std::ptrdiff_t count = lines - i < width ? lines - i : width;
      const T* const from = src + i * line;
      T* const to = dst + i * depth;
      const std::ptrdiff_t done =
          line == 1 ? Copy<Isa>(from, to, count, width) : Transpose<Isa>(from, to, count, width);
      Rest(from, to, done, count, width);
      i += width;
    }
  }

 private:
  // The lines [first, count) of a sliver one by one, and zeros up to the width. Out of line: there
  // are few of them, and no instruction set makes them faster.
  MSHADOW_NOINLINE void Rest(const T* from, T* to, std::ptrdiff_t first, std::ptrdiff_t count,
                             std::ptrdiff_t width) const {
    if (first == width) return;
    for (std::ptrdiff_t p = 0; p < depth; ++p, to += width, from += step) {
      for (std::ptrdiff_t i = first; i < count; ++i) to[i] = from[i * line];
      for (std::ptrdiff_t i = count; i < width; ++i) to[i] = T(0);
    }
  }

  // to[p * width + i] = from[p * step + i], as many whole vectors of i as there are. Returns the
  // number of lines done, as Transpose does.
  template <typename Isa>
  MSHADOW_FORCE_INLINE std::ptrdiff_t Copy(const T* from, T* to, std::ptrdiff_t count,
                                           std::ptrdiff_t width) const {
    constexpr int kBytes = Isa::kVectorBytes;
    std::ptrdiff_t i = 0;
    for (; count - i >= Vector<T, kBytes>::kLanes; i += Vector<T, kBytes>::kLanes) {
      Column<kBytes>(from + i, to + i, width);
    }
    for (; kBytes > 16 && count - i >= Vector<T, 16>::kLanes; i += Vector<T, 16>::kLanes) {
      Column<16>(from + i, to + i, width);
    }
    return i;
  }
  template <int kBytes>
  MSHADOW_FORCE_INLINE void Column(const T* from, T* to, std::ptrdiff_t width) const {
    using Memory = typename Vector<T, kBytes>::Memory;
    for (std::ptrdiff_t p = 0; p < depth; ++p) {
      *reinterpret_cast<Memory*>(to + p * width) =
          *reinterpret_cast<const Memory*>(from + p * step);
    }
  }

  // to[p * width + i] = from[i * line + p] in squares of 4 x 4, where the compiler can: moving
  // single elements takes a cycle each, as long as the product itself at m = 32.
  template <typename Isa>
  MSHADOW_FORCE_INLINE std::ptrdiff_t Transpose(const T* from, T* to, std::ptrdiff_t count,
                                                std::ptrdiff_t width) const {
    std::ptrdiff_t i = 0;
#if MSHADOW_BLAS_SHUFFLE
    if constexpr (std::is_arithmetic_v<T> && 4 * sizeof(T) <= Isa::kVectorBytes) {
      using Register = typename Vector<T, 4 * sizeof(T)>::Register;
      using Memory = typename Vector<T, 4 * sizeof(T)>::Memory;
      for (; count - i >= 4 && depth >= 4; i += 4) {
        // The last square may do some columns again.
        for (std::ptrdiff_t at = 0; at < depth; at += 4) {
          const std::ptrdiff_t p = at + 4 <= depth ? at : depth - 4;
          const T* const f = from + i * line + p;
          T* const t = to + i + p * width;
          const Register r0 = *reinterpret_cast<const Memory*>(f);
          const Register r1 = *reinterpret_cast<const Memory*>(f + line);
          const Register r2 = *reinterpret_cast<const Memory*>(f + 2 * line);
          const Register r3 = *reinterpret_cast<const Memory*>(f + 3 * line);
          const Register low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
          const Register high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
          const Register low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
          const Register high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
          *reinterpret_cast<Memory*>(t) = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
          *reinterpret_cast<Memory*>(t + width) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
          *reinterpret_cast<Memory*>(t + 2 * width) =
              __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
          *reinterpret_cast<Memory*>(t + 3 * width) =
              __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
        }
      }
    }
#else
    static_cast<void>(from), static_cast<void>(to);
    static_cast<void>(count), static_cast<void>(width);
#endif
    return i;
  }
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_GEMM_PACK_H_
