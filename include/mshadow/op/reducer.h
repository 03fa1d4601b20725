// SPDX-License-Identifier: Apache-2.0
// Reducers: red::sum, red::maximum, red::minimum, and the protocol that a user's own follows.
#ifndef MSHADOW_OP_REDUCER_H_
#define MSHADOW_OP_REDUCER_H_

#include <limits>
#include <type_traits>

#include "../core/config.h"
#include "../core/dtype.h"
#include "math/wrap.h"

MSHADOW_NAMESPACE_BEGIN
/// Reducers. One is a struct with these static members, templates over the element type:
///
///   SetInitValue(DType& init)                        the value of a reduction over nothing
///   Reduce(volatile DType& dst, DType src)           dst = dst (+) src
///   Merge(volatile DType& dst, volatile DType& src)  the same for two partial results
///   Finalize(volatile DType& dst)                    last step, once per result
///   PartialGrad(DType result, DType src)             d result / d src
///
/// and, for reductions that carry a correction term, overloads with a residual: SetInitValue(init,
/// residual), Reduce(dst, src, residual), Merge(dst, dst_residual, src, src_residual),
/// Finalize(dst, residual). Operands are volatile for GPU code that reduces through shared memory.
///
/// The CPU needs no volatile: without it in Reduce, Merge and Finalize the compiler makes vectors
/// of several results, or of parts of a long one that Merge joins. Both forms see the elements in
/// the order of the axis.
///
/// Optional: `DType Combine(DType a, DType b)`, an associative and commutative `a (+) b` without
/// volatile and without branches. The engines then reduce through it, several values at once and in
/// any order. `Combine(DType a, DType b, DType c)` may join it where three at once are cheaper.
namespace red {

namespace limits {

// std::numeric_limits cannot be called in device code; constants made of it can be used there.
template <typename DType>
struct Constants {
  using Limits = std::numeric_limits<DType>;
  static constexpr DType kMin = Limits::lowest();
  static constexpr DType kMax = (Limits::max)();
  static constexpr DType kInf = Limits::has_infinity ? Limits::infinity() : (Limits::max)();
  static constexpr DType kNegInf =
      Limits::has_infinity ? static_cast<DType>(-Limits::infinity()) : Limits::lowest();
  static constexpr DType kNan = Limits::quiet_NaN();
};

#define MSHADOW_LIMIT_(name, constant, float16_value) \
  template <typename DType>                           \
  MSHADOW_XINLINE DType name() {                      \
    if constexpr (float16::kIsFloat16<DType>) {       \
      return float16_value;                           \
    } else {                                          \
      return Constants<DType>::constant;              \
    }                                                 \
  }

/// The lowest finite DType.
MSHADOW_LIMIT_(MinValue, kMin, std::numeric_limits<DType>::lowest())

/// The highest finite DType.
MSHADOW_LIMIT_(MaxValue, kMax, (std::numeric_limits<DType>::max)())

/// Not a number, or 0 where DType has none.
MSHADOW_LIMIT_(NanValue, kNan, std::numeric_limits<DType>::quiet_NaN())

/// Minus infinity, or MinValue where DType has none.
MSHADOW_LIMIT_(NegInfValue, kNegInf, -std::numeric_limits<DType>::infinity())

/// Plus infinity, or MaxValue where DType has none.
MSHADOW_LIMIT_(PosInfValue, kInf, std::numeric_limits<DType>::infinity())
#undef MSHADOW_LIMIT_

}  // namespace limits

/// Sum; integers wrap around. With a residual it is compensated (W. Kahan, "Further remarks on
/// reducing truncation errors", 1965): the sum so far is dst - residual.
struct sum {
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b) {
    return op::math::Add(a, b);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {
    if constexpr (op::math::kWraps<DType>) {
      const DType sum = dst;
      dst = op::math::Add(sum, src);
    } else {
      dst = static_cast<DType>(dst + src);
    }
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src, volatile DType& residual) {
    if constexpr (std::is_integral_v<DType>) {
      // Sums of integers are exact, and wrap around.
      Reduce(dst, src);
      residual = DType(0);
    } else {
      const DType y = static_cast<DType>(src - residual);
      const DType t = static_cast<DType>(dst + y);
      if (isinf_typed::IsInf(t)) {
        residual = static_cast<DType>(0);
      } else {
        residual = static_cast<DType>(static_cast<DType>(t - dst) - y);
      }
      dst = t;
    }
  }
  template <typename DType>
  MSHADOW_XINLINE static void Merge(volatile DType& dst_val, volatile DType& src_val) {
    Reduce(dst_val, src_val);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Merge(volatile DType& dst_val, volatile DType& dst_residual,
                                    volatile DType& src_val, volatile DType& src_residual) {
    if constexpr (std::is_integral_v<DType>) {
      Reduce(dst_val, src_val);
      dst_residual = DType(0);
    } else {
      MergeCompensated(dst_val, dst_residual, src_val, src_residual);
    }
  }
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType&) {}
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType&, volatile DType&) {}
  template <typename DType>
  MSHADOW_XINLINE static DType PartialGrad(DType, DType) {
    return static_cast<DType>(1);
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv) {  // NOLINT: the interface of reducers
    initv = static_cast<DType>(0);
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv, DType& residual) {  // NOLINT
    SetInitValue(initv);
    residual = static_cast<DType>(0);
  }

 private:
  template <typename DType>
  MSHADOW_XINLINE static void MergeCompensated(volatile DType& dst_val,
                                               volatile DType& dst_residual,
                                               volatile DType& src_val,
                                               volatile DType& src_residual) {
    const DType a = dst_val;
    const DType b = src_val;
    const DType s = static_cast<DType>(a + b);
    if (isinf_typed::IsInf(s)) {
      dst_val = s;
      dst_residual = static_cast<DType>(0);
      return;
    }
    // a + b = s + error exactly (D. Knuth, "The Art of Computer Programming", vol. 2, 4.2.2).
    const DType b_part = static_cast<DType>(s - a);
    const DType a_part = static_cast<DType>(s - b_part);
    const DType error =
        static_cast<DType>(static_cast<DType>(a - a_part) + static_cast<DType>(b - b_part));
    const DType rest = static_cast<DType>(error - static_cast<DType>(dst_residual + src_residual));
    const DType t = static_cast<DType>(s + rest);
    dst_residual = static_cast<DType>(static_cast<DType>(t - s) - rest);
    dst_val = t;
  }
};

/// The maximum (kMax) or minimum; NaN if any operand is NaN.
template <bool kMax>
struct Extreme {
  // The first choice is one vector instruction, which misses a NaN in b.
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b) {
    static_assert(!kIsComplex<DType>,
                  "mshadow: complex numbers have no order: reduce abs(z), real(z) or imag(z)");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<DType, float>) {
      float result;
      if constexpr (kMax) {
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      } else {
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      }
      return result;
    }
#endif
    const DType extreme = (kMax ? b > a : b < a) ? b : a;
    return b != b ? b : extreme;
  }
  // One comparison finds a NaN in b and in c; one in a stays.
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b, DType c) {
#ifdef __CUDA_ARCH__
    return Combine(Combine(a, b), c);
#endif
    const DType first = (kMax ? b > a : b < a) ? b : a;
    const DType extreme = (kMax ? c > first : c < first) ? c : first;
    return Unordered(b, c) ? limits::NanValue<DType>() : extreme;
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv) {  // NOLINT: the interface of reducers
    initv = kMax ? limits::NegInfValue<DType>() : limits::PosInfValue<DType>();
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv, DType&) {  // NOLINT
    SetInitValue(initv);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {
    const DType a = dst;
    const DType b = src;
    dst = Combine(a, b);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src, volatile DType&) {
    Reduce(dst, src);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Merge(volatile DType& dst_val, volatile DType& src_val) {
    Reduce(dst_val, src_val);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Merge(volatile DType& dst_val, volatile DType&,
                                    volatile DType& src_val, volatile DType&) {
    Reduce(dst_val, src_val);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType&) {}
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType&, volatile DType&) {}
  template <typename DType>
  MSHADOW_XINLINE static DType PartialGrad(DType redres, DType redsrc) {
    return static_cast<DType>(redres == redsrc ? 1 : 0);
  }

 private:
  /// True if one of them is NaN.
  template <typename DType>
  MSHADOW_XINLINE static bool Unordered(DType a, DType b) {
#if !MSHADOW_PLAIN_CXX && !defined(__CUDACC__)
    if constexpr (std::is_floating_point_v<DType>) return __builtin_isunordered(a, b);
#endif
    return int(a != a) | int(b != b);
  }
};

/// Maximum; NaN if any operand is NaN, minus infinity over nothing.
struct maximum : public Extreme<true> {};

/// Minimum; NaN if any operand is NaN, plus infinity over nothing.
struct minimum : public Extreme<false> {};

}  // namespace red
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_REDUCER_H_
