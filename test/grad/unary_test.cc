// SPDX-License-Identifier: Apache-2.0
#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

#define UNARY_(name, low, high)                                    \
  TEST(GradientOf, name) {                                         \
    Filled<1> x(Shape1(7), low, high);                             \
    CheckGradient([](Tape& t, auto& a) { return t(name(a)); }, x); \
  }
UNARY_(abs, -1, 1)
UNARY_(square, -1, 1)
UNARY_(sqrt, 0.3, 2)
UNARY_(rsqrt, 0.3, 2)
UNARY_(cbrt, 0.3, 2)
UNARY_(reciprocal, 0.3, 2)
UNARY_(exp, -1, 1)
UNARY_(exp2, -1, 1)
UNARY_(expm1, -1, 1)
UNARY_(log, 0.3, 2)
UNARY_(log2, 0.3, 2)
UNARY_(log10, 0.3, 2)
UNARY_(log1p, 0.3, 2)
UNARY_(sin, -2, 2)
UNARY_(cos, -2, 2)
UNARY_(tan, -1, 1)
UNARY_(asin, -0.9, 0.9)
UNARY_(acos, -0.9, 0.9)
UNARY_(atan, -2, 2)
UNARY_(sinh, -1, 1)
UNARY_(cosh, -1, 1)
UNARY_(tanh, -2, 2)
UNARY_(asinh, -2, 2)
UNARY_(acosh, 1.3, 3)
UNARY_(atanh, -0.8, 0.8)
UNARY_(erf, -2, 2)
UNARY_(erfc, -2, 2)
UNARY_(sigmoid, -3, 3)
UNARY_(softplus, -3, 3)
UNARY_(silu, -3, 3)
UNARY_(gelu, -3, 3)
UNARY_(relu, -1, 1)
UNARY_(hardswish, -4, 4)
UNARY_(leaky_relu, -1, 1)
#undef UNARY_

// Inside of others, values are computed again.
TEST(GradientOf, FunctionsInside) {
  Filled<1> x(Shape1(7), 0.3, 0.8);
  CheckGradient([](Tape& t, auto& a) { return t(sin(tanh(a * 0.9) * 2.0)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(sin(gelu(a * 0.9) + sqrt(a * 0.9))); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(exp(relu(a) * log(a))); }, x);
}

}  // namespace
}  // namespace mshadow
