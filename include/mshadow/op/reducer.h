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
/// Finalize(dst, residual). The operands are volatile for the sake of GPU code that reduces within
/// a warp through shared memory.
///
/// The CPU needs no volatile: with Reduce(DType& dst, DType src), and with Merge and Finalize alike,
/// the compiler makes vectors of several results, or of parts of a long one that Merge joins. With
/// volatile it may not. Both forms see the elements in the order of the axis.
///
/// Optional: `DType Combine(DType a, DType b)` is `a (+) b` without volatile and without branches.
/// The engines reduce through it where it is there, several values at once and in any order, so
/// only an associative and commutative operation may have it. `Combine(DType a, DType b, DType c)`
/// may stand beside it, where three at once are cheaper than two and two.
namespace red {

namespace limits {

// std::numeric_limits cannot be called in device code; constants made of it can be used there.
template <typename DType>
struct Constants {
  using Limits = std::numeric_limits<DType>;
  static constexpr DType kMin = Limits::lowest();
  static constexpr DType kMax = (Limits::max)();
  static constexpr DType kInf = Limits::has_infinity ? Limits::infinity() : (Limits::max)();
  static constexpr DType kNan = Limits::quiet_NaN();
};

/// The lowest finite DType.
template <typename DType>
MSHADOW_XINLINE DType MinValue() {
  if constexpr (float16::kIsFloat16<DType>) {
    return std::numeric_limits<DType>::lowest();
  } else {
    return Constants<DType>::kMin;
  }
}

/// The highest finite DType.
template <typename DType>
MSHADOW_XINLINE DType MaxValue() {
  if constexpr (float16::kIsFloat16<DType>) {
    return (std::numeric_limits<DType>::max)();
  } else {
    return Constants<DType>::kMax;
  }
}

/// Not a number, or 0 where DType has none.
template <typename DType>
MSHADOW_XINLINE DType NanValue() {
  if constexpr (float16::kIsFloat16<DType>) {
    return std::numeric_limits<DType>::quiet_NaN();
  } else {
    return Constants<DType>::kNan;
  }
}

/// Minus infinity, or MinValue where DType has none.
template <typename DType>
MSHADOW_XINLINE DType NegInfValue() {
  if constexpr (float16::kIsFloat16<DType>) {
    return -std::numeric_limits<DType>::infinity();
  } else if constexpr (std::numeric_limits<DType>::has_infinity) {
    return -Constants<DType>::kInf;
  } else {
    return MinValue<DType>();
  }
}

/// Plus infinity, or MaxValue where DType has none.
template <typename DType>
MSHADOW_XINLINE DType PosInfValue() {
  if constexpr (float16::kIsFloat16<DType>) {
    return std::numeric_limits<DType>::infinity();
  } else {
    return Constants<DType>::kInf;
  }
}

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

/// What red::maximum and red::minimum share; Extreme has Combine and SetInitValue(initv).
template <typename Extreme>
struct ExtremeProtocol {
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {
    const DType a = dst;
    const DType b = src;
    dst = Extreme::Combine(a, b);
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

 protected:
  /// Is one of them NaN?
  template <typename DType>
  MSHADOW_XINLINE static bool Unordered(DType a, DType b) {
#ifndef __CUDACC__
    if constexpr (std::is_floating_point_v<DType>) return __builtin_isunordered(a, b);
#endif
    return int(a != a) | int(b != b);
  }
};

/// Maximum; NaN if any operand is NaN, minus infinity over nothing.
struct maximum : public ExtremeProtocol<maximum> {
  // The first choice is one vector instruction; what it does not do is to take a NaN in b.
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<DType, float>) {
      float result;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
    const DType larger = b > a ? b : a;
    return b != b ? b : larger;
  }
  // One comparison finds a NaN in b and in c; one in a stays.
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b, DType c) {
#ifdef __CUDA_ARCH__
    return Combine(Combine(a, b), c);
#endif
    const DType larger = b > a ? b : a;
    const DType largest = c > larger ? c : larger;
    return Unordered(b, c) ? limits::NanValue<DType>() : largest;
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv) {  // NOLINT: the interface of reducers
    initv = limits::NegInfValue<DType>();
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv, DType&) {  // NOLINT
    SetInitValue(initv);
  }
};

/// Minimum; NaN if any operand is NaN, plus infinity over nothing.
struct minimum : public ExtremeProtocol<minimum> {
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<DType, float>) {
      float result;
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
    const DType smaller = b < a ? b : a;
    return b != b ? b : smaller;
  }
  template <typename DType>
  MSHADOW_XINLINE static DType Combine(DType a, DType b, DType c) {
#ifdef __CUDA_ARCH__
    return Combine(Combine(a, b), c);
#endif
    const DType smaller = b < a ? b : a;
    const DType smallest = c < smaller ? c : smaller;
    return Unordered(b, c) ? limits::NanValue<DType>() : smallest;
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv) {  // NOLINT: the interface of reducers
    initv = limits::PosInfValue<DType>();
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv, DType&) {  // NOLINT
    SetInitValue(initv);
  }
};

}  // namespace red
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_REDUCER_H_
