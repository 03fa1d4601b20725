// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: the elements of a tensor as doubles.
#ifndef MSHADOW_TEST_COMPAT_VALUES_H_
#define MSHADOW_TEST_COMPAT_VALUES_H_

#include <mshadow/tensor.h>

#include <vector>

namespace mshadow {
namespace testing {

/// The elements in row-major order.
template <typename xpu, int dim, typename DType>
std::vector<double> Values(const Tensor<xpu, dim, DType> &t) {
  Tensor<xpu, 2, DType> rows = t.FlatTo2D();
  std::vector<double> values;
  for (index_t y = 0; y < rows.size(0); ++y) {
    for (index_t x = 0; x < rows.size(1); ++x) values.push_back(static_cast<double>(rows[y][x]));
  }
  return values;
}
typedef std::vector<double> V;

/// 0, 1, 2, ... in row-major order.
template <typename xpu, int dim, typename DType>
void Iota(Tensor<xpu, dim, DType> t, int first = 0) {
  Tensor<xpu, 2, DType> rows = t.FlatTo2D();
  for (index_t y = 0; y < rows.size(0); ++y) {
    for (index_t x = 0; x < rows.size(1); ++x) {
      rows[y][x] = static_cast<DType>(static_cast<float>(first + y * rows.size(1) + x));
    }
  }
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_COMPAT_VALUES_H_
