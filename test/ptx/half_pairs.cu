// SPDX-License-Identifier: Apache-2.0
// Statements on half_t: 16 bytes a load, two numbers an instruction, each operation rounded.
// Of each instruction a pack has 4, and a thread takes 4 packs at a time, or one.
//
// sm_75: 20 of mul\.rn\.f16x2
// sm_75: 20 of add\.rn\.f16x2
// sm_75: 20 of sub\.rn\.f16x2
// sm_75: 10 of ld\.global(\.nc)?\.v4\.[bu]32
// sm_75: 10 of st\.global\.v4\.[bu]32
// sm_90: 20 of mul\.rn\.f16x2
// sm_90: 20 of add\.rn\.f16x2
// sm_90: 20 of sub\.rn\.f16x2
// sm_90: 10 of ld\.global(\.nc)?\.v4\.[bu]32
// sm_90: 10 of st\.global\.v4\.[bu]32
// sm_90: none of fma[.a-z]*\.f16x2
// sm_90: none of ld\.local[.a-z0-9]*
#include <mshadow/tensor.h>

using namespace mshadow;
using Vector = Tensor<gpu, 1, mshadow::half::half_t>;

void Statements(Vector out, Vector a, Vector b) {
  out = a * b + a;
  out -= a;
}
