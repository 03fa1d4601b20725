// SPDX-License-Identifier: Apache-2.0
// expect: error: .+operator<<.+include.+mshadow.print.h.+to.print.tensors.and.expressions
#include <mshadow/tensor.h>

#include <iostream>
#ifdef FIXED
#include <mshadow/print.h>
#endif

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) { std::cout << a << a * 2.0f; }
