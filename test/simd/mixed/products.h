// SPDX-License-Identifier: Apache-2.0
// Included by files that are compiled with other switches than each other.
#ifndef MSHADOW_TEST_SIMD_MIXED_PRODUCTS_H_
#define MSHADOW_TEST_SIMD_MIXED_PRODUCTS_H_

#include <mshadow/tensor.h>

/// Wrong elements of statements and products of rows of all sorts.
template <typename DType>
int WrongElements() {
  using namespace mshadow;
  int wrong = 0;
  for (index_t n : {2, 4, 8, 16, 33, 200}) {
    const DType expected = static_cast<DType>(n + 1);
    TensorContainer<cpu, 2, DType> a(Shape2(n, n), DType(1)), b(Shape2(n, n), DType(1));
    TensorContainer<cpu, 2, DType> c(Shape2(n, n), DType(0));
    c = dot(a, b);
    c += a * b;
    for (index_t i = 0; i < n * n; ++i) wrong += c[i / n][i % n] != expected;
  }
  return wrong;
}

int WrongWithDispatch();
int WrongWithoutDispatch();

#endif  // MSHADOW_TEST_SIMD_MIXED_PRODUCTS_H_
