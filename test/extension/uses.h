// SPDX-License-Identifier: Apache-2.0
// An expression in all its places: assigned, nested, added, reduced; and indices of every element.
#ifndef MSHADOW_TEST_EXTENSION_USES_H_
#define MSHADOW_TEST_EXTENSION_USES_H_

#include <array>
#include <type_traits>
#include <vector>

#include "reference.h"

namespace mshadow {
namespace testing {

template <int dim>
using Index = std::array<std::size_t, dim>;

/// f(index) for every element of a shape, in row-major order.
template <int dim, typename F>
std::vector<double> Each(const Shape<dim>& shape, const F& f) {
  std::vector<double> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.Size()); ++i) {
    Index<dim> index;
    std::size_t rest = i;
    for (int k = dim - 1; k >= 0; --k) {
      index[k] = rest % shape[k];
      rest /= shape[k];
    }
    values.push_back(f(index));
  }
  return values;
}

/// The element at an index.
template <int dim, typename DType>
double At(Guarded<dim, DType>& t, const std::common_type_t<Index<dim>>& index) {
  std::size_t i = 0;
  for (int k = 0; k < dim; ++k) i = i * t->shape_[k] + index[k];
  return static_cast<double>(static_cast<float>(t.At(i)));
}

/// make() has this shape and these values, small whole numbers, into rows of any padding, on every
/// instruction set; of 2 axes also as an operand, with +=, and reduced. (Each is a program of its
/// own to compile, and the way to the elements is the same for all ranks.)
template <int dim, typename Make>
void ExpectUses(const Shape<dim>& shape, const std::vector<double>& expected, const Make& make) {
  using namespace expr;
  ForEachIsa([&] {
    for (index_t pad : {0, 3}) {
      Guarded<dim> out(shape, pad, 1), b(shape, 1);
      FillWhole(b, 50, 3);
      *out = make();
      ExpectValues(out, expected);
      if constexpr (dim == 2) {
        std::vector<double> sums = expected;
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = 3 * expected[i] + b.At(i);
        *out += make() * 2.0f + *b;
        ExpectValues(out, sums);
      }
    }
    if constexpr (dim == 2) {
      if (shape.Size() == 0) return;
      const std::size_t cols = shape[dim - 1];
      Guarded<1> sum(Shape1(cols));
      std::vector<double> sums(cols);
      for (std::size_t i = 0; i < expected.size(); ++i) sums[i % cols] += expected[i];
      *sum = sumall_except_dim<dim - 1>(make());
      ExpectValues(sum, sums);
    }
  });
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_EXTENSION_USES_H_
