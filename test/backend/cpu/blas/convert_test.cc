// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/convert.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using half::half_t;

// 3 rows of 37 elements, 40 apart, into 3 rows without gaps.
TEST(ConvertRows, LeavesThePaddingOut) {
  testing::ForEachIsa([] {
    std::vector<half_t> src(120, half_t(-1.0f));
    for (int i = 0; i < 120; ++i) src[i] = half_t(static_cast<float>(i));
    std::vector<float> dst(112, -7.0f);
    simd::Dispatch(blas::ConvertRows<half_t>{3, 37, src.data(), 40, dst.data()});
    for (int i = 0; i < 111; ++i) ASSERT_EQ(dst[i], i / 37 * 40 + i % 37) << i;
    EXPECT_EQ(dst[111], -7.0f);
  });
}

// Rows of 19 elements, 20 apart, the second one twice as much; to rows 23 apart.
TEST(AddRows, ScalesAddsAndOverwrites) {
  testing::ForEachIsa([] {
    std::vector<float> rows(2 * 20);
    for (int i = 0; i < 40; ++i) rows[i] = static_cast<float>(i);
    const float x[] = {1, 0, 2};
    for (float beta : {0.0f, 2.0f}) {
      const float before = beta == 0 ? std::numeric_limits<float>::quiet_NaN() : 5.0f;
      std::vector<half_t> c(2 * 23, half_t(before));
      simd::Dispatch(
          blas::AddRows<half_t>{2, 19, 3.0f, x, 2, rows.data(), 20, beta, c.data(), 23});
      for (int i = 0; i < 46; ++i) {
        if (i % 23 >= 19) {  // the padding is left alone
          ASSERT_EQ(c[i].half_, half_t(before).half_) << i;
        } else {
          const float old = beta == 0 ? 0.0f : beta * before;
          ASSERT_EQ(static_cast<float>(c[i]),
                    3.0f * (i / 23 + 1) * static_cast<float>(i / 23 * 20 + i % 23) + old)
              << i;
        }
      }
    }
  });
}

// An outer product: every row is the same.
TEST(AddRows, RowsThatRepeat) {
  testing::ForEachIsa([] {
    std::vector<std::int32_t> c(5 * 40, 7);
    const std::uint32_t x[] = {0, 1, 2, 3, 0}, y[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 9};
    simd::Dispatch(blas::AddRows<std::int32_t>{5, 13, 2u, x, 1, y, 0, 1u, c.data(), 40});
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(c[i], i % 40 < 13 ? static_cast<int>(2 * x[i / 40] * y[i % 40]) + 7 : 7) << i;
    }
  });
}

}  // namespace
}  // namespace mshadow
