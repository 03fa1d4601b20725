// SPDX-License-Identifier: Apache-2.0
// A function of our own becomes an operator of the library: a struct with a static Map.
#include <cmath>

#include "print.h"

using namespace mshadow;
using namespace mshadow::expr;

// MSHADOW_XINLINE: inlined, and on a gpu compiled for both sides.
struct sigmoid {
  MSHADOW_XINLINE static float Map(float a) { return 1.0f / (1.0f + expf(-a)); }
};

// As a template it serves every element type; two arguments make it binary, three ternary.
struct maximum {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    return a > b ? a : b;
  }
};

struct clip {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType low, DType high) {
    return a < low ? low : a > high ? high : a;
  }
};

int main() {
  TensorContainer<cpu, 2> a(Shape2(2, 3)), b(Shape2(2, 3), 0.25f);
  for (index_t i = 0; i < a.size(0); ++i) {
    for (index_t j = 0; j < a.size(1); ++j) a[i][j] = static_cast<float>(i * 3 + j) - 2.5f;
  }
  Print("a", a);

  // F<> applies it, anywhere in an expression; the loop is vectorised as for built-in operators.
  std::cout.precision(3);
  Print("sigmoid(2 a) + 1", F<sigmoid>(a * 2.0f) + 1.0f);
  Print("10 max(a + 1, b)", 10.0f * F<maximum>(a + 1.0f, b));
  Print("max(a, 0)", F<maximum>(a, 0.0f));

  TensorContainer<cpu, 2> low(Shape2(2, 3), -1.0f), high(Shape2(2, 3), 2.0f);
  Print("clip(a, -1, 2)", F<clip>(a, low, high));

  TensorContainer<cpu, 1, int> x(Shape1(3), 7);
  Print("max(7 - 3, 5) on int", F<maximum>(x - 3, 5));
}
