// SPDX-License-Identifier: Apache-2.0
// expect: no BLAS has a matrix product of this element type
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

#ifdef FIXED
using Element = int8_t;
#else
using Element = bool;
#endif

void Statement(Tensor<cpu, 2, Element> a, Tensor<cpu, 2, Element> b) { a = dot(b, b); }
