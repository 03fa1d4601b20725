// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/search.h>

#include "lanes.h"

namespace mshadow {
namespace search_test {
namespace {

using namespace expr;
using namespace testing;
using Indices = std::vector<int64_t>;

TEST(Searchsorted, OfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    for (index_t n : {0u, 1u, 2u, 7u, 64u, 101u}) {
      Guarded<1, T> unsorted(Shape1(n), 0, 1);
      FillWithTies(&unsorted, n);
      const auto sorted = sort(*unsorted);
      const std::vector<T> elements = ToVector(sorted);
      Guarded<2, T> x(Shape2(7, 11), 3, 1);
      FillWithTies(&x, n + 1);
      const auto left = searchsorted(sorted, *x), right = searchsorted(sorted, *x, true);
      ASSERT_EQ(left.shape_, x->shape_);
      for (std::size_t i = 0; i < x.Size(); ++i) {
        const T value = x.At(i);
        const auto low = std::lower_bound(elements.begin(), elements.end(), value, NanLast<T>);
        const auto high = std::upper_bound(elements.begin(), elements.end(), value, NanLast<T>);
        EXPECT_EQ(left.dptr_[i], low - elements.begin());
        EXPECT_EQ(right.dptr_[i], high - elements.begin());
      }
    }
  });
}
TEST(Digitize, AscendingAndDescending) {
  TensorContainer<cpu, 1> x{0.2f, 6.4f, 3, 1.6f, 1, 10}, up{0, 1, 2.5f, 4, 10};
  EXPECT_EQ(ToVector(digitize(x, up)), (Indices{1, 4, 3, 2, 2, 5}));
  EXPECT_EQ(ToVector(digitize(x, up, true)), (Indices{1, 4, 3, 2, 1, 4}));
  TensorContainer<cpu, 1> down(flip(up, 0)), mixed{1, 3, 2};
  EXPECT_EQ(ToVector(digitize(x, down)), (Indices{4, 1, 2, 3, 3, 0}));
  EXPECT_EQ(ToVector(digitize(x, down, true)), (Indices{4, 1, 2, 3, 4, 1}));
  EXPECT_NE(ErrorOf([&] { digitize(x, mixed); }).find("3 bins neither ascend nor descend"),
            std::string::npos);
}

}  // namespace
}  // namespace search_test
}  // namespace mshadow
