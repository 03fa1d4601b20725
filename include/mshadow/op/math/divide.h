// SPDX-License-Identifier: Apache-2.0
// Division and remainder of integers and the remainder of floats, in forms that vectorise.
#ifndef MSHADOW_OP_MATH_DIVIDE_H_
#define MSHADOW_OP_MATH_DIVIDE_H_

#include <type_traits>

#include "libm.h"
#include "real.h"
#include "round.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// b, or 1 where a / b would trap: b = 0, and lowest / -1, whose quotient does not fit.
template <typename DType>
MSHADOW_XINLINE DType SafeDivisor(DType a, DType b) {
  int step = int(b == DType(0));
  if constexpr (std::is_signed<DType>::value) {
    step += 2 * (int(a == IntegerRange<DType>::kLowest) & int(b == DType(-1)));
  }
  return static_cast<DType>(b + static_cast<DType>(step));
}

/// a where the condition holds, else 0, without a branch.
template <typename DType>
MSHADOW_XINLINE DType KeepIf(bool condition, DType a) {
  return static_cast<DType>(a & static_cast<DType>(-int(condition)));
}

/// The quotient towards zero for a divisor that does not trap. There is no vector instruction for
/// integers; up to 32 bits the floating-point quotient is exact once truncated.
template <typename DType>
MSHADOW_XINLINE DType IntegerQuotient(DType a, DType b) {
  if constexpr (sizeof(DType) > 4) {
    return a / b;
  } else if constexpr (sizeof(DType) == 4) {
    return static_cast<DType>(static_cast<double>(a) / static_cast<double>(b));
  } else {
    return static_cast<DType>(
        static_cast<int>(static_cast<float>(a) / static_cast<float>(b)));
  }
}

/// a - b trunc(a / b), exactly; the sign of a.
MSHADOW_XINLINE double Remainder(double a, double b) { return Fmod(a, b); }
#if MSHADOW_OWN_ROUNDING
/// In double, ten times 28 bits of the quotient: the quotient of two floats is below 2^277. Every
/// product and every difference is exact.
MSHADOW_XINLINE float Remainder(float a, float b) {
  const double divisor = static_cast<double>(Abs(b));
  const double inverse = 1 / divisor;
  const double shifter = IntegersFrom<double>() + IntegersFrom<double>() / 2;
  double rest = static_cast<double>(Abs(a));
  double scale = 0x1p252;
  for (int step = 0; step < 10; ++step) {
    const double quotient = (rest * (inverse / scale) + shifter) - shifter;
    rest = rest - quotient * (divisor * scale);
    scale *= 0x1p-28;
  }
  rest = rest + Select(Less(rest, 0.0), divisor, 0.0);
  const uint64_t above = Less(0x1.fffffep127, divisor);  // b is infinite
  const float finite = static_cast<float>(Select(above, double(Abs(a)), rest));
  const float result = Select(SmallMask(a, Ieee<float>::kInfinity), finite, Ieee<float>::kNaN);
  return WithSign(result, a);
}
#else
MSHADOW_XINLINE float Remainder(float a, float b) { return Fmod(a, b); }
#endif

/// a - b floor(a / b): the sign of b, as Python's % and np.mod. 0 for an integer b = 0.
template <typename DType>
MSHADOW_XINLINE DType FloorMod(DType a, DType b) {
  if constexpr (std::is_integral<DType>::value) {
    const DType divisor = SafeDivisor(a, b);
    const DType rest = static_cast<DType>(a - IntegerQuotient(a, divisor) * divisor);
    if constexpr (std::is_unsigned<DType>::value) {
      return rest;
    } else {
      const bool move = int(rest != 0) & int((rest ^ divisor) < 0);
      return static_cast<DType>(rest + KeepIf(move, divisor));
    }
  } else {
    const DType rest = Remainder(a, b);
    const auto differ = Less(rest, DType(0)) ^ Less(b, DType(0));
    const DType moved = Select(differ, rest + b, rest);
    return Select(Less(DType(0), Abs(rest)), moved, WithSign(rest, b));
  }
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_DIVIDE_H_
