// SPDX-License-Identifier: Apache-2.0
// What the tests of swapaxis, transpose and transpose_indices share.
#ifndef MSHADOW_TEST_EXTENSION_PERMUTED_H_
#define MSHADOW_TEST_EXTENSION_PERMUTED_H_

#include "reference.h"

namespace mshadow {
namespace testing {

template <int dim>
Shape<dim> PermutedShape(const Shape<dim>& shape, const Shape<dim>& axes) {
  Shape<dim> result;
  for (int i = 0; i < dim; ++i) result[i] = shape[static_cast<int>(axes[i])];
  return result;
}

/// For each element of a tensor of `shape` after its axes were permuted, where it was before.
template <int dim>
std::vector<std::size_t> PermutedFrom(const Shape<dim>& shape, const Shape<dim>& axes) {
  const Shape<dim> result = PermutedShape(shape, axes);
  std::vector<std::size_t> from;
  for (std::size_t i = 0, size = shape.Size(); i < size; ++i) {
    std::size_t rest = i, at[dim];
    for (int d = dim - 1; d >= 0; --d) {
      at[static_cast<int>(axes[d])] = rest % result[d];
      rest /= result[d];
    }
    std::size_t position = 0;
    for (int d = 0; d < dim; ++d) position = position * shape[d] + at[d];
    from.push_back(position);
  }
  return from;
}

/// permute(expression) is checked on plain tensors, nested both ways, with += and in place.
template <int dim, typename Permute>
void CheckPermutation(const Shape<dim>& shape, const Shape<dim>& axes, const Permute& permute) {
  const Shape<dim> permuted = PermutedShape(shape, axes);
  const std::vector<std::size_t> from = PermutedFrom(shape, axes);
  for (index_t pad : {0, 3}) {
    Guarded<dim> a(shape, pad, 1), b(permuted, 1), out(permuted, pad);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    std::vector<double> expected;
    for (std::size_t i : from) expected.push_back(a.At(i));
    *out = permute(*a);
    ExpectValues(out, expected);
    for (std::size_t i = 0; i < from.size(); ++i) expected[i] += 2 * a.At(from[i]) + b.At(i);
    *out += permute(*a * 2.0f) + *b;
    ExpectValues(out, expected);
    if (permuted == shape) {
      for (std::size_t i = 0; i < from.size(); ++i) expected[i] = a.At(from[i]);
      *a = permute(*a);
      ExpectValues(a, expected);
    }
  }
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_EXTENSION_PERMUTED_H_
