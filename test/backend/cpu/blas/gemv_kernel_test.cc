// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/gemv_kernel.h>

#include <cstdint>
#include <type_traits>
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

// Columns: whole steps of the unrolled loop, vectors of each size, the rest, and more than a chunk.
const std::ptrdiff_t kRows[] = {0, 1, 3, 4, 9};
const std::ptrdiff_t kCols[] = {0, 1, 2, 3, 7, 16, 33, 130, 515, 2050};
constexpr std::ptrdiff_t kPad = 3;

/// Products of an m x n matrix with a vector: one result a row, or one a column added to dst.
template <typename T, typename Kernel>
void CheckProducts(bool of_rows) {
  testing::ForEachIsa([=] {
    for (const std::ptrdiff_t m : kRows) {
      for (const std::ptrdiff_t n : kCols) {
        const std::ptrdiff_t lda = n + kPad, results = of_rows ? m : n, terms = of_rows ? n : m;
        // No element after the last one that is read: ASan sees what lies there.
        const auto a = Integers<T>(m > 0 ? (m - 1) * lda + n : 0, 5);
        const auto x = Integers<T>(terms, 3);
        std::vector<T> dst(static_cast<std::size_t>(results + 1), T(77));
        const blas::MatrixAndVectors<T> of{m, n, a.data(), lda, x.data(), dst.data()};
        simd::Call<Kernel, const blas::MatrixAndVectors<T>*>(&of);
        for (std::ptrdiff_t r = 0; r < results; ++r) {
          double sum = of_rows ? 0 : 77;
          for (std::ptrdiff_t t = 0; t < terms; ++t) {
            sum += static_cast<double>((of_rows ? r * lda + t : t * lda + r) % 5 * (t % 3));
          }
          ASSERT_EQ(static_cast<double>(dst[r]), sum) << m << " x " << n << ", result " << r;
        }
        ASSERT_EQ(dst[results], T(77)) << m << " x " << n;
      }
    }
  });
}

template <typename T>
class GemvKernel : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::uint32_t>;
TYPED_TEST_SUITE(GemvKernel, Types);

TYPED_TEST(GemvKernel, RowDots) { CheckProducts<TypeParam, blas::RowDots<TypeParam>>(true); }

TYPED_TEST(GemvKernel, RowSums) { CheckProducts<TypeParam, blas::RowSums<TypeParam>>(false); }

template <typename T>
class GemvRange : public ::testing::Test {};
using AllTypes = ::testing::Types<float, double, half_t, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(GemvRange, AllTypes);

/// y = 2 op(A) x + beta y on results begin to end, y every second element.
template <typename DType>
void CheckRange(bool trans, std::ptrdiff_t results, std::ptrdiff_t terms, int beta) {
  using T = blas::Compute<DType>;
  const std::ptrdiff_t m = trans ? terms : results, n = trans ? results : terms, lda = n + kPad;
  const auto a = Integers<DType>((m - 1) * lda + n, 2);
  const auto x = Integers<T>(terms, 2);
  std::vector<DType> y(static_cast<std::size_t>(2 * results), static_cast<DType>(3));
  blas::GemvRange(trans, 1, results, terms, a.data(), lda, x.data(), T(2), static_cast<T>(beta),
                  y.data(), 2);
  for (std::ptrdiff_t i = 0; i < 2 * results; ++i) {
    double expected = 3;
    if (i % 2 == 0 && i > 0) {
      double sum = 0;
      for (std::ptrdiff_t t = 0; t < terms; ++t) {
        sum += static_cast<double>((trans ? t * lda + i / 2 : i / 2 * lda + t) % 2 * (t % 2));
      }
      expected = 2 * sum + 3 * beta;
    }
    const DType rounded = static_cast<DType>(
        static_cast<std::conditional_t<std::is_integral_v<DType>, int, float>>(expected));
    ASSERT_EQ(static_cast<double>(y[i]), static_cast<double>(rounded))
        << i << " of " << results << " x " << terms << ", trans " << trans;
  }
}

TYPED_TEST(GemvRange, PartsOfResultsAndTerms) {
  testing::ForEachIsa([] {
    for (const bool trans : {false, true}) {
      CheckRange<TypeParam>(trans, 5, 20, 0);
      CheckRange<TypeParam>(trans, 5, 20, 2);
      CheckRange<TypeParam>(trans, 4100, 3, 2);
      CheckRange<TypeParam>(trans, 37, 270, 2);
      CheckRange<TypeParam>(trans, 3, 17000, 2);
    }
  });
}

// A thread's part has the bits that it has beside others.
TYPED_TEST(GemvRange, ResultsDependOnNoOthers) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    testing::ForEachIsa([] {
      const std::ptrdiff_t results = 67, terms = 2301;
      for (const bool trans : {false, true}) {
        const std::ptrdiff_t lda = trans ? results : terms;
        std::vector<TypeParam> a(results * terms), x(terms), all(results), parts(results);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = TypeParam(i * 7919 % 1000) / 999;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = TypeParam(i * 104729 % 1000) / 999;
        const auto run = [&](std::ptrdiff_t begin, std::ptrdiff_t end, TypeParam* y) {
          blas::GemvRange(trans, begin, end, terms, a.data(), lda, x.data(), TypeParam(1),
                          TypeParam(0), y, 1);
        };
        run(0, results, all.data());
        for (std::ptrdiff_t begin = 0, size = 1; begin < results; begin += size, size += 5) {
          run(begin, begin + size < results ? begin + size : results, parts.data());
        }
        EXPECT_EQ(all, parts) << trans;
      }
    });
  }
}

// A float total of many terms would lose digits.
TEST(GemvRange, LongSums) {
  testing::ForEachIsa([] {
    const std::ptrdiff_t terms = (1 << 24) + (1 << 20);
    const std::vector<float> a(static_cast<std::size_t>(terms), 1.0f);
    for (const bool trans : {false, true}) {
      float y = 0;
      blas::GemvRange(trans, 0, 1, terms, a.data(), trans ? 1 : terms, a.data(), 1.0f, 0.0f, &y, 1);
      EXPECT_EQ(y, static_cast<float>(terms)) << trans;
    }
  });
}

}  // namespace
}  // namespace mshadow
