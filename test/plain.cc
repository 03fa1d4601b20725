// SPDX-License-Identifier: Apache-2.0
// What standard C++ computes in other ways than GCC and Clang: products, division by extents, rounded
// bounds, transposition, half precision, random numbers. plain.sh compiles and runs it.
#include <mshadow/random.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_container.h>

#include <cmath>
#include <cstdio>

using namespace mshadow;
using namespace mshadow::expr;

namespace {
int failures = 0;
void Expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}
}  // namespace

int main() {
  const index_t m = 37, k = 29, n = 41;
  TensorContainer<cpu, 2> a(Shape2(m, k)), b(Shape2(k, n)), c(Shape2(m, n)), t(Shape2(k, m));
  Random<cpu> random(1);
  random.SampleUniform(&a);
  random.SampleGaussian(&b, 0, 1);
  c = dot(a, b);
  t = a.T();
  bool product = true, transposed = true;
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      double sum = 0;
      for (index_t l = 0; l < k; ++l) sum += double{a[i][l]} * double{b[l][j]};
      product = product && std::fabs(sum - double{c[i][j]}) < 1e-4;
    }
    for (index_t l = 0; l < k; ++l) transposed = transposed && t[l][i] == a[i][l];
  }
  Expect(product, "dot");
  Expect(transposed, "T()");

  TensorContainer<cpu, 3> x(Shape3(3, 5, 7)), y(Shape3(7, 3, 5));
  x = reshape(range<float>(0, 105), x.shape_);
  y = transpose(x, Shape3(2, 0, 1));
  bool moved = true;
  for (index_t i = 0; i < 105; ++i) {
    moved = moved && y[i % 7][i / 35][i / 7 % 5] == static_cast<float>(i);
  }
  Expect(moved, "reshape, transpose");
  TensorContainer<cpu, 1> steps;
  steps = range<float>(0.0f, 1.0f, 0.3f);
  Expect(steps.size(0) == 4, "range");

  TensorContainer<cpu, 1, int32_t> numbers(Shape1(5), 3), above(Shape1(5));
  above = numbers > 2.5;
  Expect(above[4] == 1, "comparison with a fraction");
  TensorContainer<cpu, 1, half::half_t> h(Shape1(33), half::half_t(0.1f));
  h = h * h;
  Expect(std::fabs(static_cast<float>(h[32]) - 0.01f) < 1e-5f, "half");
  TensorContainer<cpu, 1> v(Shape1(100), 2.0f), e(Shape1(100));
  e = F<op::exp>(F<op::log>(v)) + F<op::relu>(v - 3.0f);
  Expect(std::fabs(e[99] - 2.0f) < 1e-5f, "exp, log");
  TensorContainer<cpu, 1> sums(Shape1(n));
  sums = sum_rows(c);
  double total = 0;
  for (index_t i = 0; i < m; ++i) total += double{c[i][3]};
  Expect(std::fabs(total - double{sums[3]}) < 1e-3, "sum_rows");
  std::puts(failures == 0 ? "right" : "wrong");
  return failures;
}
