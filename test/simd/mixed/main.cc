// SPDX-License-Identifier: Apache-2.0
// One program of files for all instruction sets and of files for the compiler's flags alone, which
// the linker must not take for one another. Returns how many elements are wrong.
#include "products.h"

#include <cstdio>

int main() {
  using mshadow::simd::Isa;
  int wrong = 0;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (!mshadow::simd::ForceIsa(isa)) continue;
    const int with = WrongWithDispatch(), without = WrongWithoutDispatch();
    std::printf("%s: %d and %d wrong\n", mshadow::simd::IsaName(isa), with, without);
    wrong += with + without;
  }
  return wrong == 0 ? 0 : 1;
}
