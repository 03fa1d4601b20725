// SPDX-License-Identifier: Apache-2.0
// expect: a View of a temporary container would outlive its memory
#include <mshadow/rank0.h>

using namespace mshadow;

float Statement(Tensor<cpu, 0> s) {
#ifdef FIXED
  const TensorContainer<cpu, 0> twice = s * 2;
  const View<cpu, 0> v(twice);
#else
  const View<cpu, 0> v(eval(s * 2));
#endif
  return v;
}
