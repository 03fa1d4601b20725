// SPDX-License-Identifier: Apache-2.0
// The type that the builtin BLAS computes in, and its vectors.
#ifndef MSHADOW_BACKEND_CPU_BLAS_COMPUTE_TYPE_H_
#define MSHADOW_BACKEND_CPU_BLAS_COMPUTE_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "../../../core/config.h"
#include "../../../core/float16_ops.h"
#include "../../../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace blas {

/// float, double: themselves. 16-bit floats: float. Integers: the unsigned type of their size, 32
/// bits at the least, whose low bits are those of the wrapped sum and whose overflow is defined.
/// bool: 64 bits, true where any product is. Any other type: itself.
template <typename DType>
struct ComputeType {
  static constexpr bool kWide = sizeof(DType) == 8 || std::is_same_v<DType, bool>;
  using Unsigned = std::conditional_t<kWide, uint64_t, uint32_t>;
  using type = std::conditional_t<std::is_base_of_v<float16::Tag, DType>, float,
                                  std::conditional_t<std::is_integral_v<DType>, Unsigned, DType>>;
};
template <typename DType>
using Compute = typename ComputeType<DType>::type;

/// May an array of DType be read and written as an array of Compute<DType>? True also for a signed
/// integer and its unsigned twin, which the language lets alias.
template <typename DType>
inline constexpr bool kComputesInPlace = std::is_same_v<DType, Compute<DType>> ||
                                         (std::is_integral_v<DType> &&
                                          !std::is_same_v<DType, bool> &&
                                          sizeof(DType) == sizeof(Compute<DType>));

template <typename DType>
MSHADOW_FORCE_INLINE Compute<DType> ToCompute(const DType& value) {
  return static_cast<Compute<DType>>(value);
}
template <typename DType>
MSHADOW_FORCE_INLINE DType FromCompute(const Compute<DType>& value) {
  return static_cast<DType>(value);
}

/// `value`, which the compiler knows nothing about. GCC makes several loops of one whose stride may
/// be 1 or whose last turns differ, and vectorises what a loop over vectors leaves.
MSHADOW_FORCE_INLINE std::ptrdiff_t Opaque(std::ptrdiff_t value) {
#if !MSHADOW_PLAIN_CXX
  __asm__("" : "+r"(value));
#endif
  return value;
}

/// A vector of kBytes in a register, and the same at any address of memory. One element where the
/// compiler has no vector types or T is no number: the kernels are then the plain scalar loops.
template <typename T, int kBytes, bool kVectors = std::is_arithmetic_v<T>>
struct Vector {
#if !MSHADOW_PLAIN_CXX
  typedef T Register __attribute__((vector_size(kBytes)));
  typedef T Memory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  static constexpr int kLanes = kBytes / sizeof(T);
#else
  using Register = T;
  using Memory = T;
  static constexpr int kLanes = 1;
#endif
};
template <typename T, int kBytes>
struct Vector<T, kBytes, false> {
  using Register = T;
  using Memory = T;
  static constexpr int kLanes = 1;
};

/// Uninitialised scratch memory of one call, aligned to a cache line. Throws std::bad_alloc.
template <typename T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::ptrdiff_t size) { Allocate(size); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { Free(); }

  /// Room for `size` elements; the old contents are lost.
  T* Allocate(std::ptrdiff_t size) {
    Free();
    data_ = static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), kAlignment));
    return data_;
  }
  T* data() const { return data_; }

 private:
  static_assert(std::is_trivially_destructible_v<T>, "the builtin BLAS works on plain numbers");
  static constexpr std::align_val_t kAlignment{64};
  void Free() {
    if (data_ != nullptr) ::operator delete(data_, kAlignment);
    data_ = nullptr;
  }
  T* data_ = nullptr;
};

}  // namespace blas
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLAS_COMPUTE_TYPE_H_
