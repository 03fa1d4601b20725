// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_BASICS_PRINT_H_
#define MSHADOW_EXAMPLES_BASICS_PRINT_H_

#include <mshadow/print.h>

#include <iostream>

/// Prints a name, a shape and the elements of a tensor or of an expression's value.
template <typename E, typename DType, int etype>
void Print(const char* name, const mshadow::expr::Exp<E, DType, etype>& exp) {
  const auto value = eval(exp);
  std::cout << name << " " << value.shape_ << "\n" << value << "\n";
}

#endif  // MSHADOW_EXAMPLES_BASICS_PRINT_H_
