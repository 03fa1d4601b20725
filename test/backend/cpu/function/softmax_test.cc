// SPDX-License-Identifier: Apache-2.0
// Rows of every length around the lanes and blocks of a row; tensor/function_test.cc has the rest.
#include <mshadow/tensor.h>

#include <cmath>
#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using testing::ForEachIsa;
using testing::Guarded;

template <typename DType>
void Check(index_t cols, double tolerance) {
  Guarded<2, DType> a(Shape2(3, cols), 1, 1), out(Shape2(3, cols), 2);
  for (index_t y = 0; y < 3; ++y) {
    for (index_t x = 0; x < cols; ++x) {
      (*a)[y][x] = static_cast<DType>((x * 37 + y * 11) % 101 * 0.25 - 12);
    }
    (*a)[y][cols - 1] = static_cast<DType>(y == 1 ? 20 : -20);  // the rest of the row counts
  }
  Softmax(*out, *a);
  for (index_t y = 0; y < 3; ++y) {
    double sum = 0;
    for (index_t x = 0; x < cols; ++x) sum += std::exp(static_cast<double>((*a)[y][x]) - 20);
    for (index_t x = 0; x < cols; ++x) {
      const double want = std::exp(static_cast<double>((*a)[y][x]) - 20) / sum;
      ASSERT_NEAR(static_cast<double>((*out)[y][x]), want, tolerance * want + 1e-30)
          << cols << " columns: " << y << ' ' << x;
    }
  }
  ASSERT_TRUE(out.Intact());
}

TEST(Softmax, RowsOfEveryLength) {
  ForEachIsa([] {
    for (index_t cols : {1, 2, 7, 15, 16, 17, 31, 40, 63, 64, 65, 255, 256, 257, 1000, 8193}) {
      Check<float>(cols, 1e-5);
      Check<double>(cols, 1e-13);
    }
  });
}

TEST(Softmax, FarBelowTheLargest) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(1, 20)), out(Shape2(1, 20));
    *a = -std::numeric_limits<float>::infinity();
    (*a)[0][3] = 0;
    (*a)[0][17] = -100;  // subnormal
    Softmax(*out, *a);
    EXPECT_EQ((*out)[0][3], 1.0f);
    EXPECT_EQ((*out)[0][4], 0.0f);
    EXPECT_NEAR((*out)[0][17], std::exp(-100.0), 1.5e-45);
  });
}

}  // namespace
}  // namespace mshadow
