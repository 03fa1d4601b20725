// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_BASICS_PRINT_H_
#define MSHADOW_EXAMPLES_BASICS_PRINT_H_

#include <mshadow/tensor.h>

#include <iostream>

/// Prints a name, a shape and the elements, a line per row.
template <typename DType>
void Print(const char* name, mshadow::Tensor<mshadow::cpu, 1, DType> vector) {
  std::cout << name << " " << vector.shape_ << "\n ";
  for (mshadow::index_t i = 0; i < vector.size(0); ++i) std::cout << " " << +vector[i];
  std::cout << "\n";
}

template <typename DType>
void Print(const char* name, mshadow::Tensor<mshadow::cpu, 2, DType> matrix) {
  std::cout << name << " " << matrix.shape_ << "\n";
  for (mshadow::index_t i = 0; i < matrix.size(0); ++i) {
    std::cout << " ";
    for (mshadow::index_t j = 0; j < matrix.size(1); ++j) std::cout << " " << +matrix[i][j];
    std::cout << "\n";
  }
}

#endif  // MSHADOW_EXAMPLES_BASICS_PRINT_H_
