// SPDX-License-Identifier: Apache-2.0
// expect: a vector fills a TensorContainer of one axis
#include <mshadow/tensor.h>

#include <vector>

using namespace mshadow;

void Statement(const std::vector<float>& elements) {
#ifdef FIXED
  TensorContainer<cpu, 2> a(elements, Shape2(2, 3));
#else
  TensorContainer<cpu, 2> a(elements);
#endif
}
