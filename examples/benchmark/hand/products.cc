// SPDX-License-Identifier: Apache-2.0
// Products as the BLAS computes them that the library calls, or by a loop.
#if COMPARE_CBLAS
#include <cblas.h>
#endif

#include "loops.h"

namespace compare {
namespace {

/// Row by row of the right operand; side: 4 n.
void Multiply(Job& job) {
  const float *const a = job.in(0), *const b = job.in(1);
  float* const o = job.out();
  const long side = job.size(0);
  ForRows(side, [=](ptrdiff_t y) {
    float* const to = o + y * side;
    Set(to, side, [](ptrdiff_t) { return 0.0f; });
    for (ptrdiff_t k = 0; k < side; k += 4) {
      const float *const factor = a + y * side + k, *const row = b + k * side;
      Set(to, side, [=](ptrdiff_t x) {
        return to[x] + factor[0] * row[x] + factor[1] * row[side + x] +
               factor[2] * row[2 * side + x] + factor[3] * row[3 * side + x];
      });
    }
  });
}
const Entries entries{{"implicit_dot", Multiply}};

#if COMPARE_CBLAS
template <CBLAS_TRANSPOSE trans_b>
Body Sgemm(Job& job) {
  return [o = job.out(), a = job.in(0), b = job.in(1), n = static_cast<int>(job.size(0))] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, trans_b, n, n, n, 1.0f, a, n, b, n, 0.0f, o, n);
  };
}
const Entries products{{"dot", Sgemm<CblasNoTrans>},
                       {"dot_transposed", Sgemm<CblasTrans>},
                       {"builtin_gemm", Sgemm<CblasNoTrans>}};
#endif

}  // namespace
}  // namespace compare
