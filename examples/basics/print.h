// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_BASICS_PRINT_H_
#define MSHADOW_EXAMPLES_BASICS_PRINT_H_

#include <mshadow/print.h>

#include <iostream>

/// Prints a name, a shape and the elements.
template <typename Device, int dim, typename DType>
void Print(const char* name, const mshadow::Tensor<Device, dim, DType>& t) {
  std::cout << name << " " << t.shape_ << "\n" << t << "\n";
}

#endif  // MSHADOW_EXAMPLES_BASICS_PRINT_H_
