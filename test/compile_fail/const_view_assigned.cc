// SPDX-License-Identifier: Apache-2.0
// expect: a view of const elements, Tensor<Device, dim, const T>, cannot be assigned to
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

#ifdef FIXED
using Target = Tensor<cpu, 2>;
#else
using Target = Tensor<cpu, 2, const float>;
#endif

void Statement(Target a, Tensor<cpu, 2> b) { a = b * 2.0f; }
