// SPDX-License-Identifier: Apache-2.0
// Statements on bfloat16: 16 bytes a load, two numbers an instruction where the GPU has one.
// Of each operation a pack has 4, and a thread takes 4 packs at a time, or one.
//
// sm_75: none of fma[.a-z]*\.bf16x2
// sm_75: 10 of ld\.global(\.nc)?\.v4\.[bu]32
// sm_75: 10 of st\.global\.v4\.[bu]32
// sm_80: 60 of fma\.rn\.bf16x2
// sm_90: 60 of fma\.rn\.bf16x2
// sm_90: 10 of ld\.global(\.nc)?\.v4\.[bu]32
// sm_90: 10 of st\.global\.v4\.[bu]32
// sm_90: 1 of cvt\.rn\.bf16\.f32
// sm_90: none of ld\.local[.a-z0-9]*
#include <mshadow/tensor.h>

using namespace mshadow;
using Vector = Tensor<gpu, 1, bfloat16>;

void Statements(Vector out, Vector a, Vector b) {
  out = a * b + a;
  out -= a;
}
