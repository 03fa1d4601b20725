// SPDX-License-Identifier: Apache-2.0
// Small statements, for check.sh to count their instructions: what a statement does around its
// elements, and the loops that short rows get, shows here and is exact, where a time is noise.
//   valgrind --tool=callgrind --collect-atstart=no instructions [TEXT]
// Each statement of whose name TEXT is a part runs 1,000 times and becomes a part of callgrind's
// output, named `SIZE: STATEMENT`. What it does the first time only is not in it.
#include <mshadow/tensor.h>
#include <valgrind/callgrind.h>

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace mshadow;
using namespace mshadow::expr;

namespace {

constexpr int kRepeats = 1000;  // check.sh divides by it

struct Sigmoid {
  MSHADOW_XINLINE static float Map(float a) { return 1.0f / (1.0f + std::exp(-a)); }
};

/// A loop of its own, which must be unrolled for the loop over elements to become vectors.
struct Polynomial {
  MSHADOW_XINLINE static float Map(float a) {
    constexpr float kTerms[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1.0f};
    float sum = 0.0f;
    for (const float term : kTerms) sum = sum * a + term;
    return sum;
  }
};

/// Branches, which must become blends.
struct LeakyRelu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : 0.01f * a; }
};
struct Elu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : std::exp(a) - 1; }
};

const char* wanted = "";

template <typename Statement>
void Count(const char* name, const Statement& statement) {
  if (std::strstr(name, wanted) == nullptr) return;
  statement();  // binds symbols, takes memory
  CALLGRIND_TOGGLE_COLLECT;
  for (int i = 0; i < kRepeats; ++i) {
    statement();
    __asm__ volatile("" ::: "memory");
  }
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name);
}

#define COUNT(size, ...) Count(size ": " #__VA_ARGS__, [&] { __VA_ARGS__; })

void ElementWise() {
  TensorContainer<cpu, 1> o(Shape1(64)), a(Shape1(64), 0.5f), b(Shape1(64), 0.25f);
  TensorContainer<cpu, 1> w(Shape1(64), 1.0f), g(Shape1(64), 1e-3f);
  TensorContainer<cpu, 1, half::half_t> h(Shape1(64));
  const float eta = 0.1f, lambda = 1e-4f;
  COUNT("64", o = a + b);
  COUNT("64", w = -eta * (g + lambda * w));
  COUNT("64", Fuse(lazy(o) = 0.9f * o - eta * (g + lambda * w), lazy(w) += o));
  COUNT("64", o = F<Sigmoid>(a));
  COUNT("64", o = F<Polynomial>(a));
  COUNT("64", o = F<LeakyRelu>(a));
  COUNT("64", o = F<Elu>(a));
  COUNT("64", o = F<op::where>(a, b, 0.1f * b));
  COUNT("64", h = tcast<half::half_t>(a));
  COUNT("64", h = h * h + h);

  TensorContainer<cpu, 2> memory(Shape2(16, 4), 1.0f);
  const Tensor<cpu, 2> padded(memory.dptr_, Shape2(16, 3), 4, nullptr);
  TensorContainer<cpu, 2> values(Shape2(16, 3), 2.0f);
  COUNT("16x3 of 4", padded.Slice(4, 12) += values.Slice(4, 12));
}

void Matrices() {
  TensorContainer<cpu, 2> a(Shape2(16, 16), 0.5f), o(Shape2(16, 16));
  TensorContainer<cpu, 1> sums(Shape1(16));
  COUNT("16x16", o = a.T());
  COUNT("16x16", sums = sum_rows(a));

  TensorContainer<cpu, 2> x(Shape2(8, 8), 0.5f), y(Shape2(8, 8), 0.25f), z(Shape2(8, 8));
  COUNT("8x8", z = dot(x, y));

  TensorContainer<cpu, 2> energy(Shape2(4, 16), 0.5f), probability(Shape2(4, 16));
  COUNT("4x16", Softmax(probability, energy));
}

void Images() {
  const Shape<4> shape = Shape4(4, 8, 4, 4);
  TensorContainer<cpu, 4> a(shape, 0.5f), o(shape);
  TensorContainer<cpu, 1> bias(Shape1(8), 0.25f), sums(Shape1(8));
  COUNT("4x8x4x4", o = a + broadcast<1>(bias, shape));
  COUNT("4x8x4x4", sums = sumall_except_dim<1>(a));

  TensorContainer<cpu, 3> image(Shape3(2, 8, 8), 0.5f), pooled(Shape3(2, 4, 4));
  COUNT("2x8x8", pooled = pool<red::maximum>(image, 2, 2, 2));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) wanted = argv[1];
#if defined(__clang__)
  std::printf("clang++ %d", __clang_major__);
#else
  std::printf("g++ %d", __GNUC__);
#endif
  std::printf(" %s\n", simd::IsaName(simd::ActiveIsa()));  // what the counts depend on
  ElementWise();
  Matrices();
  Images();
  return 0;
}
