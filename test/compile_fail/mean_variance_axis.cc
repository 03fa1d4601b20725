// SPDX-License-Identifier: Apache-2.0
// expect: MeanVariance: dimkeep must be an axis of src
#include <mshadow/tensor.h>

using namespace mshadow;

void Statement(Tensor<cpu, 1> mean, Tensor<cpu, 1> variance, Tensor<cpu, 2> a) {
#ifdef FIXED
  MeanVariance<-2>(mean, variance, a);
#else
  MeanVariance<-3>(mean, variance, a);
#endif
}
