// SPDX-License-Identifier: Apache-2.0
// expect: MeanVariance gives fractions
#include <mshadow/tensor.h>

using namespace mshadow;

#ifdef FIXED
using DType = float;
#else
using DType = int32_t;
#endif

void Statement(Tensor<cpu, 1, DType> mean, Tensor<cpu, 1, DType> variance,
               Tensor<cpu, 4, DType> a) {
  MeanVariance<1>(mean, variance, a);
}
