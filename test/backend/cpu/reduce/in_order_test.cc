// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce.h>

#include "testing.h"

namespace mshadow {
namespace {

/// 10 a + b: neither commutative nor associative, so that the order shows; and no Combine.
struct Digits : red::sum {
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, volatile DType src) {  // NOLINT
    dst = 10 * dst + src;
  }
  static void Combine();
};

// Two images of `keep` channels of 1 x 2, with more channels than are reduced at a time.
TEST(InOrder, EveryResultSeesRowMajorOrder) {
  for (index_t keep : {1u, 3u, 128u, 129u, 300u}) {
    testing::Guarded<4> a(Shape4(2, keep, 1, 2), 1);
    testing::Guarded<1> high(Shape1(keep));
    for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<float>(i % 7);
    *high = expr::reduce_except_dim<1, Digits>(*a);
    testing::Guarded<2> b(Shape2(4, keep), 2);
    testing::Guarded<1> low(Shape1(keep));
    for (std::size_t i = 0; i < b.Size(); ++i) b.At(i) = static_cast<float>(i % 9);
    *low = 1.0f;
    *low += expr::reduce_except_dim<1, Digits>(*b);
    for (index_t c = 0; c < keep; ++c) {
      double h = 0, l = 0;
      for (int n = 0; n < 2; ++n) {
        for (int x = 0; x < 2; ++x) h = 10 * h + a.At((n * keep + c) * 2 + x);
      }
      for (int n = 0; n < 4; ++n) l = 10 * l + b.At(n * keep + c);
      ASSERT_EQ(high.At(c), h) << c << " of " << keep;
      ASSERT_EQ(low.At(c), 1 + l) << c << " of " << keep;
    }
  }
}

}  // namespace
}  // namespace mshadow
