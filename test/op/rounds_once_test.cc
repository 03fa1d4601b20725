// SPDX-License-Identifier: Apache-2.0
// An op with kRoundsOnce gives for 16-bit floats what it gives for the same floats, rounded.
#include <gtest/gtest.h>
#include <mshadow/core/bit_cast.h>
#include <mshadow/core/dtype.h>
#include <mshadow/op/rounds_once.h>
#include <mshadow/op/ternary.h>
#include <mshadow/op/unary.h>

#include <cstdint>
#include <initializer_list>

namespace {

using namespace mshadow;

struct Own : op::mul {};
static_assert(op::kRoundsOnce<op::mul> && !op::kRoundsOnce<Own>,
              "an op derived from one may have a Map of its own");
static_assert(!op::kRoundsOnce<op::identity> && !op::kRoundsOnce<op::right>,
              "a signalling NaN stays one");

template <typename T>
T FromBits(uint32_t bits) {
  return T::Binary(static_cast<uint16_t>(bits));
}

/// The same bits, or two NaNs: which of two operands' NaNs comes out is not said.
template <typename OP, typename T, typename... Operands>
bool Agrees(Operands... a) {
  const T got = OP::Map(a...);
  const T expected = T(OP::Map(static_cast<float>(a)...));
  return BitCast<uint16_t>(got) == BitCast<uint16_t>(expected) ||
         (isnan_typed::IsNan(got) && isnan_typed::IsNan(expected));
}

template <typename OP, typename T>
void CheckUnary(const char* name) {
  static_assert(op::kRoundsOnce<OP>, "said by the op");
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const T a = FromBits<T>(bits);
    ASSERT_TRUE((Agrees<OP, T>(a))) << name << " of bits " << bits;
  }
}

/// Every 37th number with numbers of every kind.
template <typename OP, typename T, bool three>
void CheckMore(const char* name) {
  static_assert(op::kRoundsOnce<OP>, "said by the op");
  const T others[] = {T(0.0f),  T(-0.0f), T(1.0f),        T(-2.5f),       T(0.3f),
                      T(1e-7f), T(6e4f),  FromBits<T>(1), FromBits<T>(0x7f81), FromBits<T>(0xff80),
                      FromBits<T>(0x7c00)};
  for (uint32_t bits = 0; bits < 65536; bits += 37) {
    const T a = FromBits<T>(bits);
    for (T b : others) {
      if constexpr (three) {
        for (T c : others) {
          ASSERT_TRUE((Agrees<OP, T>(a, b, c))) << name << " " << a << " " << b << " " << c;
        }
      } else {
        ASSERT_TRUE((Agrees<OP, T>(a, b))) << name << " " << a << " " << b;
        ASSERT_TRUE((Agrees<OP, T>(b, a))) << name << " " << b << " " << a;
      }
    }
  }
}

template <typename T>
void CheckAll() {
#define CHECK_OP(name) CheckUnary<op::name, T>(#name);
  CHECK_OP(negate) CHECK_OP(abs) CHECK_OP(sign) CHECK_OP(square) CHECK_OP(sqrt) CHECK_OP(rsqrt)
  CHECK_OP(cbrt) CHECK_OP(reciprocal) CHECK_OP(floor) CHECK_OP(ceil) CHECK_OP(round)
  CHECK_OP(trunc) CHECK_OP(logical_not)
  CHECK_OP(sigmoid) CHECK_OP(softplus) CHECK_OP(silu) CHECK_OP(gelu) CHECK_OP(relu)
  CHECK_OP(leaky_relu)
  CHECK_OP(exp) CHECK_OP(exp2) CHECK_OP(expm1) CHECK_OP(log) CHECK_OP(log2) CHECK_OP(log10)
  CHECK_OP(log1p) CHECK_OP(sin) CHECK_OP(cos) CHECK_OP(tan) CHECK_OP(asin) CHECK_OP(acos)
  CHECK_OP(atan) CHECK_OP(sinh) CHECK_OP(cosh) CHECK_OP(tanh) CHECK_OP(asinh) CHECK_OP(acosh)
  CHECK_OP(atanh) CHECK_OP(erf) CHECK_OP(erfc)
#undef CHECK_OP
#define CHECK_OP(name) CheckMore<op::name, T, false>(#name);
  CHECK_OP(plus) CHECK_OP(minus) CHECK_OP(mul) CHECK_OP(div) CHECK_OP(mod) CHECK_OP(pow)
  CHECK_OP(atan2) CHECK_OP(max) CHECK_OP(min) CHECK_OP(eq) CHECK_OP(ne) CHECK_OP(lt) CHECK_OP(le)
  CHECK_OP(gt) CHECK_OP(ge) CHECK_OP(logical_and) CHECK_OP(logical_or) CHECK_OP(logical_xor)
  CHECK_OP(leaky_relu)
#undef CHECK_OP
  CheckMore<op::clip, T, true>("clip");
  CheckMore<op::where, T, true>("where");
}

TEST(RoundsOnce, Half) { CheckAll<half::half_t>(); }
TEST(RoundsOnce, Bfloat16) { CheckAll<bfloat::bf16_t>(); }

}  // namespace
