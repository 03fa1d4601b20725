// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce.h>

#include <cmath>

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

/// The last element but 0: associative, not commutative, so that the order of merging shows.
struct Last {
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& init) {  // NOLINT: the interface of reducers
    init = DType(0);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(DType& dst, DType src) {  // NOLINT
    dst = src != DType(0) ? src : dst;
  }
  template <typename DType>
  MSHADOW_XINLINE static void Merge(DType& dst, DType src) {  // NOLINT
    Reduce(dst, src);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(DType& dst) {  // NOLINT
    dst = -dst;
  }
};

/// Results in lanes, fewer than lanes, and one whose parts are merged; of one row each or of many.
template <typename DType>
void CheckLast(const Shape<4>& shape, index_t padding) {
  SCOPED_TRACE(::testing::Message() << shape << " padded by " << padding);
  testing::Guarded<4, DType> a(shape, padding);
  testing::Guarded<1, DType> out(Shape1(shape[1]));
  for (std::size_t i = 0; i < a.Size(); ++i) {
    a.At(i) = static_cast<DType>(i % 23 == 5 ? i / 23 % 40 + 1 : 0);
  }
  *out = expr::reduce_except_dim<1, Last>(*a);
  for (index_t c = 0; c < shape[1]; ++c) {
    double last = 0;
    for (index_t n = 0; n < shape[0]; ++n) {
      for (index_t i = 0; i < shape[2] * shape[3]; ++i) {
        const double x = a.At((n * shape[1] + c) * shape[2] * shape[3] + i);
        if (x != 0) last = x;
      }
    }
    ASSERT_EQ(static_cast<double>(out.At(c)), -last) << c;
  }
  EXPECT_TRUE(out.Intact());
}
TEST(InOrder, LanesAndParts) {
  testing::ForEachIsa([] {
    for (index_t padding : {0u, 3u}) {
      for (index_t keep : {1u, 2u, 17u, 31u, 32u, 45u, 140u}) {
        CheckLast<float>(Shape4(2, keep, 3, 37), padding);
        CheckLast<float>(Shape4(1, keep, 1, 1100), padding);
      }
      CheckLast<double>(Shape4(1, 1, 1, 70000), padding);
      CheckLast<half::half_t>(Shape4(3, 33, 2, 70), padding);
    }
  });
}

/// log(sum(exp)): its branches and functions become vectors.
struct LogSumExp {
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& init) {  // NOLINT: the interface of reducers
    init = red::limits::NegInfValue<DType>();
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(DType& dst, DType src) {  // NOLINT
    const DType high = dst > src ? dst : src, low = dst > src ? src : dst;
    dst = high + std::log(DType(1) + std::exp(low - high));
  }
};
TEST(InOrder, Functions) {
  testing::ForEachIsa([] {
    testing::Guarded<2> a(Shape2(70, 45), 2);
    testing::Guarded<1> rows(Shape1(70)), cols(Shape1(45));
    for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<float>(i % 13) - 6;
    *rows = expr::reduce_except_dim<0, LogSumExp>(*a);
    *cols = expr::reduce_except_dim<1, LogSumExp>(*a);
    for (index_t y = 0; y < 70; ++y) {
      double sum = 0;
      for (index_t x = 0; x < 45; ++x) sum += std::exp(double(a.At(y * 45 + x)));
      EXPECT_NEAR(rows.At(y), std::log(sum), 1e-5);
    }
    for (index_t x = 0; x < 45; ++x) {
      double sum = 0;
      for (index_t y = 0; y < 70; ++y) sum += std::exp(double(a.At(y * 45 + x)));
      EXPECT_NEAR(cols.At(x), std::log(sum), 1e-5);
    }
  });
}

}  // namespace
}  // namespace mshadow
