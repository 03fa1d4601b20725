// SPDX-License-Identifier: Apache-2.0
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../parts.h"

// An OpenBLAS with threads of its own does not ask OpenMP how many to use.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

int main() {
  return compare::RunPeer(compare::AllParts(), COMPARE_FLAGS, [](int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    if (openblas_set_num_threads != nullptr) {
      openblas_set_num_threads(threads);
    }
  });
}
