// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor.h>

#include <cstdio>

float SumOfSquares(float x, float y);  // second.cc, which includes mshadow too

int main() {
  using namespace mshadow;
  using namespace mshadow::expr;
  InitTensorEngine<cpu>();
  TensorContainer<cpu, 2> a(Shape2(2, 3)), b(Shape2(4, 3)), c(Shape2(2, 4));
  a = 1.0f;
  b = 2.0f;
  a += b.Slice(0, 2) * 0.5f;  // a = 2
  c = dot(a, b.T());          // c = 3 * 2 * 2
  float sum = 0.0f;
  for (index_t y = 0; y < c.size(0); ++y) {
    for (index_t x = 0; x < c.size(1); ++x) sum += c[y][x];
  }
  ShutdownTensorEngine<cpu>();
  static_assert(MSHADOW_VERSION >= 30000, "3.0 is the first of this numbering");
  std::printf("sum %g, squares %g\n", sum, SumOfSquares(3.0f, 4.0f));
  return sum == 96.0f && SumOfSquares(3.0f, 4.0f) == 25.0f ? 0 : 1;
}
