// SPDX-License-Identifier: Apache-2.0
// The functions of complex numbers as ops, and their reductions by name.
#ifndef MSHADOW_OP_COMPLEX_FUNCTIONS_H_
#define MSHADOW_OP_COMPLEX_FUNCTIONS_H_

#include <complex>
#include <cstddef>
#include <cstdint>

#include "../core/complex.h"
#include "../core/config.h"
#include "binary.h"
#include "math/complex_divide.h"
#include "math/complex_elementary.h"
#include "math/real.h"
#include "math/round.h"
#include "statistic.h"
#include "unary.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

namespace complex {

template <typename T>
using Number = ComplexNumber<std::complex<T>>;

template <typename N, typename T>
MSHADOW_XINLINE N Sign(N z, T size) {
  return z == N(0) ? N(0) : N(z.re / size, z.im / size);
}
template <typename OP, typename N>
MSHADOW_XINLINE auto Either(N z) {
  return op::max::Map(OP::Map(z.re), OP::Map(z.im));
}

#define MSHADOW_PART_OP_(name, Out, ...)                     \
  struct name {                                              \
    static constexpr int kCost = 2;                          \
    template <typename T>                                    \
    MSHADOW_XINLINE static Out Map(std::complex<T> number) { \
      const Number<T> z(number);                             \
      return __VA_ARGS__;                                    \
    }                                                        \
  };
/// The parts of z, z with the other sign of the imaginary one, |z|, and 1 / z.
MSHADOW_PART_OP_(real, T, z.re)
MSHADOW_PART_OP_(imag, T, z.im)
MSHADOW_PART_OP_(conj, std::complex<T>, Number<T>(z.re, -z.im))
MSHADOW_PART_OP_(abs, T, math::ComplexAbs(z.re, z.im))
MSHADOW_PART_OP_(reciprocal, std::complex<T>, math::ComplexDiv(Number<T>(1), z))
/// The angle of z in [-pi, pi].
MSHADOW_PART_OP_(arg, T, math::Atan2(z.im, z.re))
/// z / |z|, and 0 of 0.
MSHADOW_PART_OP_(sign, std::complex<T>, Sign(z, math::ComplexAbs(z.re, z.im)))
/// Both parts rounded to integers, halves to even ones.
MSHADOW_PART_OP_(round, std::complex<T>, Number<T>(math::Round(z.re), math::Round(z.im)))
/// 1 if a part is NaN; if one is infinite; if both are finite; else 0.
MSHADOW_PART_OP_(is_nan, T, Either<op::is_nan>(z))
MSHADOW_PART_OP_(is_inf, T, Either<op::is_inf>(z))
MSHADOW_PART_OP_(is_finite, T, op::is_finite::Map(z.re) * op::is_finite::Map(z.im))
#undef MSHADOW_PART_OP_

/// a + i b, of real a and b.
struct join {
  static constexpr int kCost = 1;
  template <typename T>
  MSHADOW_XINLINE static std::complex<T> Map(T a, T b) {
    return Number<T>(a, b);
  }
};

/// cos a + i sin a, of real a.
struct unit {
  template <typename T>
  MSHADOW_XINLINE static std::complex<T> Map(T a) {
    return Number<T>(math::Cos(a), math::Sin(a));
  }
};

// Functions of the standard library, with its results for infinite parts; in kernels of a GPU those
// of math/complex_elementary.h. In double: GCC passes two floats to a function through memory,
// which takes longer than the function.
#ifdef __CUDA_ARCH__
#define MSHADOW_STD_OP_(name, Name) MSHADOW_OWN_OP_(name, Name)
#else
#define MSHADOW_STD_OP_(name, Name)                                   \
  struct name {                                                       \
    template <typename T>                                             \
    MSHADOW_XINLINE static std::complex<T> Map(std::complex<T> z) {   \
      const std::complex<double> wide = Number<double>(Number<T>(z)); \
      return Number<T>(Number<double>(std::name(wide)));              \
    }                                                                 \
  };
#endif
#define MSHADOW_OWN_OP_(name, Name)                                            \
  struct name {                                                                \
    template <typename T>                                                      \
    MSHADOW_XINLINE static std::complex<T> Map(std::complex<T> z) {            \
      return Number<T>(math::elementary::Name(Number<double>(Number<T>(z))));  \
    }                                                                          \
  };
MSHADOW_STD_OP_(exp, Exp)
MSHADOW_STD_OP_(log, Log)
MSHADOW_STD_OP_(log10, Log10)
MSHADOW_STD_OP_(sqrt, Sqrt)
MSHADOW_STD_OP_(sin, Sin)
MSHADOW_STD_OP_(cos, Cos)
MSHADOW_STD_OP_(tan, Tan)
MSHADOW_STD_OP_(asin, Asin)
MSHADOW_STD_OP_(acos, Acos)
MSHADOW_STD_OP_(atan, Atan)
MSHADOW_STD_OP_(sinh, Sinh)
MSHADOW_STD_OP_(cosh, Cosh)
MSHADOW_STD_OP_(tanh, Tanh)
MSHADOW_STD_OP_(asinh, Asinh)
MSHADOW_STD_OP_(acosh, Acosh)
MSHADOW_STD_OP_(atanh, Atanh)
#undef MSHADOW_STD_OP_
// Functions that <complex> does not have.
MSHADOW_OWN_OP_(exp2, Exp2)
MSHADOW_OWN_OP_(expm1, Expm1)
MSHADOW_OWN_OP_(log2, Log2)
MSHADOW_OWN_OP_(log1p, Log1p)
#undef MSHADOW_OWN_OP_

/// 1 / sqrt(z)
struct rsqrt {
  template <typename T>
  MSHADOW_XINLINE static std::complex<T> Map(std::complex<T> z) {
    return reciprocal::Map(sqrt::Map(z));
  }
};
/// sin(pi z) / (pi z); 1 for z = 0.
struct sinc {
  template <typename T>
  MSHADOW_XINLINE static std::complex<T> Map(std::complex<T> number) {
    using Wide = Number<double>;
    const Wide z = Wide(Number<T>(number)) * Wide(3.14159265358979323846);
    return z == Wide(0) ? Number<T>(1)
                        : Number<T>(math::ComplexDiv(math::elementary::Sin(z), z));
  }
};

}  // namespace complex
template <>
inline constexpr bool kIsTruth<complex::is_nan> = true;
template <>
inline constexpr bool kIsTruth<complex::is_inf> = true;
template <>
inline constexpr bool kIsTruth<complex::is_finite> = true;

namespace math {

/// For op::pow: z^w, the principal value; whole w up to 100 by multiplication, as in NumPy. 0^0 is
/// 1.
template <typename T>
struct ComplexPower<std::complex<T>> {
  MSHADOW_XINLINE static std::complex<T> Of(std::complex<T> z, std::complex<T> w) {
    using Number = ComplexNumber<std::complex<T>>;
    using Wide = ComplexNumber<std::complex<double>>;
    const Number exponent(w);
    if (exponent.im == T(0) && exponent.re >= T(-100) && exponent.re <= T(100) &&
        exponent.re == static_cast<T>(static_cast<int>(exponent.re))) {
      const int n = static_cast<int>(exponent.re);
      int rest = n < 0 ? -n : n;
      if (rest == 0) return Number(1);
      Number square(z);
      for (; rest % 2 == 0; rest /= 2) square = square * square;
      Number power = square;
      while ((rest /= 2) != 0) {
        square = square * square;
        if (rest % 2 != 0) power = power * square;
      }
      return n < 0 ? ComplexDiv(Number(1), power) : power;
    }
#ifdef __CUDA_ARCH__
    return Number(elementary::Pow(Wide(Number(z)), Wide(exponent)));
#else
    const std::complex<double> base = Wide(Number(z)), by = Wide(exponent);
    return Number(Wide(std::pow(base, by)));
#endif
  }
};

}  // namespace math
}  // namespace op

namespace statistic {

/// What Reducer combines, of blocks in the type of the elements, of several blocks in double.
template <typename Reducer, typename T>
struct ComplexCombining
    : Combining<Reducer, std::complex<T>, std::complex<T>, ComplexNumber<std::complex<T>>,
                ComplexNumber<std::complex<double>>> {
  template <typename Total>
  MSHADOW_XINLINE static std::complex<T> Finish(const Total& total, std::ptrdiff_t) {
    return ComplexNumber<std::complex<T>>(total.value);
  }
};
template <typename T>
struct Sum<std::complex<T>> : ComplexCombining<red::sum, T> {};
template <typename T>
struct Prod<std::complex<T>> : ComplexCombining<Product, T> {};
template <typename T>
struct Mean<std::complex<T>> : Sum<std::complex<T>> {
  template <typename Total>
  MSHADOW_XINLINE static std::complex<T> Finish(const Total& total, std::ptrdiff_t n) {
    using Number = ComplexNumber<std::complex<T>>;
    const double count = static_cast<double>(n);
    return Number(static_cast<T>(total.value.re / count), static_cast<T>(total.value.im / count));
  }
};
/// The square root of the sum of |z|^2, a real number.
template <typename T>
struct Norm<std::complex<T>> : Combining<red::sum, std::complex<T>, T, T, double> {
  using Acc = T;
  static constexpr bool kLanesAreResults = false, kSumsFloats = false;
  MSHADOW_XINLINE static T Single(std::complex<T> element) {
    const ComplexNumber<std::complex<T>> z(element);
    return z.re * z.re + z.im * z.im;
  }
  MSHADOW_XINLINE static void Add(T* acc, OnePass::Aux*, std::complex<T> z, NoScout, OnePass::Aux) {
    *acc += Single(z);
  }
  template <typename Total>
  MSHADOW_XINLINE static T Finish(const Total& total, std::ptrdiff_t) {
    return static_cast<T>(op::math::Sqrt(static_cast<double>(total.value)));
  }
  static bool IsSuspect(T norm) { return HasExtremeSquares(norm); }
  static T Again(const Moments& m) { return static_cast<T>(Moments::Scaled(m.norm, m.exponent)); }
};
/// The number of elements that are not 0.
template <typename T>
struct Count<std::complex<T>>
    : Combining<red::sum, std::complex<T>, int64_t, int32_t, int64_t, int64_t> {
  MSHADOW_XINLINE static int32_t Single(std::complex<T> z) {
    return ComplexNumber<std::complex<T>>(z).re != T(0) ? 1 : 0;
  }
  MSHADOW_XINLINE static void Add(int32_t* acc, OnePass::Aux*, std::complex<T> z, NoScout,
                                  OnePass::Aux) {
    *acc += Single(z);
  }
};
template <bool kAll, typename T>
struct Logical<kAll, std::complex<T>>
    : Combining<Both<kAll>, std::complex<T>, std::complex<T>, uint8_t> {
  static constexpr bool kLanesAreResults = false;
  MSHADOW_XINLINE static uint8_t Single(std::complex<T> element) {
    using Number = ComplexNumber<std::complex<T>>;
    return Number(element) != Number(0) ? 1 : 0;
  }
  MSHADOW_XINLINE static void Add(uint8_t* acc, OnePass::Aux*, std::complex<T> z, NoScout,
                                  OnePass::Aux) {
    *acc = Both<kAll>::Combine(*acc, Single(z));
  }
  template <typename Total>
  MSHADOW_XINLINE static std::complex<T> Finish(const Total& total, std::ptrdiff_t) {
    return ComplexNumber<std::complex<T>>(total.value);
  }
  template <typename Total>
  MSHADOW_XINLINE static bool IsFinal(const Total& total) {
    return (total.value == 0) == kAll;
  }
};

#define MSHADOW_NO_COMPLEX_(Kind, ...)                      \
  template <typename T>                                     \
  struct Kind<std::complex<T>> : Sum<std::complex<T>> {     \
    static_assert(sizeof(T) == 0, "mshadow: " __VA_ARGS__); \
  };
MSHADOW_NO_COMPLEX_(Max, "complex numbers have no order: max(abs(z)) is that of magnitudes")
MSHADOW_NO_COMPLEX_(Min, "complex numbers have no order: min(abs(z)) is that of magnitudes")
MSHADOW_NO_COMPLEX_(Argmax, "complex numbers have no order: argmax(abs(z)) is that of magnitudes")
MSHADOW_NO_COMPLEX_(Argmin, "complex numbers have no order: argmin(abs(z)) is that of magnitudes")
MSHADOW_NO_COMPLEX_(Logsumexp, "logsumexp takes real numbers; log(sum(exp(z))) may overflow")
#undef MSHADOW_NO_COMPLEX_

}  // namespace statistic
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_COMPLEX_FUNCTIONS_H_
