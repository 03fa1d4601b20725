// SPDX-License-Identifier: Apache-2.0
// What the tests of extensions share: exact comparison with plain loops over doubles.
#ifndef MSHADOW_TEST_EXTENSION_REFERENCE_H_
#define MSHADOW_TEST_EXTENSION_REFERENCE_H_

#include <mshadow/extension.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "error_of.h"
#include "../testing.h"

namespace mshadow {
namespace testing {

/// The elements in row-major order.
template <int dim, typename DType>
std::vector<double> Values(Guarded<dim, DType>& t) {
  std::vector<double> values(t.Size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(static_cast<float>(t.At(i)));
  }
  return values;
}

/// Small whole numbers 0, 1, ..., below - 1 in disorder: exact in every element type.
template <int dim, typename DType>
void FillWhole(Guarded<dim, DType>& t, uint32_t below = 7, uint32_t seed = 1) {
  for (std::size_t i = 0; i < t.Size(); ++i) {
    const uint32_t hash = (static_cast<uint32_t>(i) + 1) * 2654435761u + seed * 40503u;
    t.At(i) = static_cast<DType>(static_cast<float>((hash >> 12) % below));
  }
}

/// Every element of t is expected[i], and nothing around them was written.
template <int dim, typename DType>
void ExpectValues(Guarded<dim, DType>& t, const std::vector<double>& expected,
                  double tolerance = 0) {
  ASSERT_EQ(t.Size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = static_cast<double>(static_cast<float>(t.At(i)));
    if (!(std::abs(value - expected[i]) <= tolerance) && !(value == expected[i])) {
      FAIL() << "element " << i << " of " << LogText(t->shape_) << " is " << value << ", not "
             << expected[i];
    }
  }
  EXPECT_TRUE(t.Intact()) << "wrote outside of the tensor";
}

/// Calls f(DType()) for one element type of each size. For what a test of its own takes every type
/// through.
template <typename F>
void ForDTypeOfEachSize(const F& f) {
  f(float());
  f(half::half_t());
  f(uint8_t());
  f(int64_t());
}
/// Calls f(DType()) for every element type, or (MSHADOW_TEST_FEW_DTYPES) for one of each size.
template <typename F>
void ForEachDType(const F& f) {
  ForDTypeOfEachSize(f);
#ifndef MSHADOW_TEST_FEW_DTYPES
  f(double());
  f(bfloat::bf16_t());
  f(int8_t());
  f(int32_t());
#endif
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_EXTENSION_REFERENCE_H_
