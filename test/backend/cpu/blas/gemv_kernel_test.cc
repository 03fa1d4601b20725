// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/gemv_kernel.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using half::half_t;

/// Small integers, whose sums every type holds exactly: the order of additions is free.
template <typename T>
std::vector<T> Integers(std::ptrdiff_t size, int period) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (std::ptrdiff_t i = 0; i < size; ++i) values[i] = static_cast<T>(i % period);
  return values;
}

// Rows four at a time and one by one; columns: whole steps of the unrolled loop, vectors, the rest,
// and more than a chunk.
const std::ptrdiff_t kRows[] = {0, 1, 3, 4, 9};
const std::ptrdiff_t kCols[] = {0, 1, 7, 16, 33, 130, 515, 2050};
constexpr std::ptrdiff_t kPad = 3;

/// Products of an m x n matrix with a vector: one result a row, or one a column added to dst.
template <typename DType, typename Kernel>
void CheckProducts(bool of_rows) {
  using T = blas::Compute<DType>;
  testing::ForEachIsa([=] {
    for (const std::ptrdiff_t m : kRows) {
      for (const std::ptrdiff_t n : kCols) {
        const std::ptrdiff_t lda = n + kPad, results = of_rows ? m : n, terms = of_rows ? n : m;
        const auto a = Integers<DType>(m * lda, 5);
        const auto x = Integers<T>(terms, 3);
        std::vector<T> dst(static_cast<std::size_t>(results + 1), T(77));
        simd::Dispatch(Kernel{m, n, a.data(), lda, x.data(), dst.data()});
        for (std::ptrdiff_t r = 0; r < results; ++r) {
          double sum = of_rows ? 0 : 77;
          for (std::ptrdiff_t t = 0; t < terms; ++t) {
            sum += (of_rows ? r * lda + t : t * lda + r) % 5 * (t % 3);
          }
          ASSERT_EQ(static_cast<double>(dst[r]), sum) << m << " x " << n << ", result " << r;
        }
        ASSERT_EQ(dst[results], T(77)) << m << " x " << n;
      }
    }
  });
}

template <typename DType>
class GemvKernel : public ::testing::Test {};
using Types = ::testing::Types<float, double, half_t, std::int32_t>;
TYPED_TEST_SUITE(GemvKernel, Types);

TYPED_TEST(GemvKernel, RowDots) { CheckProducts<TypeParam, blas::RowDots<TypeParam>>(true); }

TYPED_TEST(GemvKernel, RowSums) { CheckProducts<TypeParam, blas::RowSums<TypeParam>>(false); }

TYPED_TEST(GemvKernel, OuterProductAddsOrOverwrites) {
  using T = blas::Compute<TypeParam>;
  testing::ForEachIsa([] {
    constexpr std::ptrdiff_t m = 5, n = 37, lda = n + kPad;
    const auto x = Integers<T>(m, 4), y = Integers<T>(n, 6);
    for (const int beta : {0, 3}) {
      // Of what is overwritten not even a NaN may be seen.
      TypeParam old = static_cast<TypeParam>(5);
      if (beta == 0 && !std::is_integral_v<TypeParam>) {
        old = static_cast<TypeParam>(std::numeric_limits<float>::quiet_NaN());
      }
      std::vector<TypeParam> a(m * lda, static_cast<TypeParam>(7));
      for (std::ptrdiff_t i = 0; i < m; ++i) {
        for (std::ptrdiff_t j = 0; j < n; ++j) a[i * lda + j] = old;
      }
      simd::Dispatch(blas::OuterProduct<TypeParam>{m, n, T(2), x.data(), y.data(),
                                                   static_cast<T>(beta), a.data(), lda});
      for (std::ptrdiff_t i = 0; i < m; ++i) {
        for (std::ptrdiff_t j = 0; j < lda; ++j) {
          const double expected = j >= n ? 7.0 : 2.0 * (i % 4) * (j % 6) + beta * 5.0;
          ASSERT_EQ(static_cast<double>(a[i * lda + j]), expected) << i << ", " << j;
        }
      }
    }
  });
}

}  // namespace
}  // namespace mshadow
