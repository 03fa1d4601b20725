// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/sets.h>

#include "lanes.h"

namespace mshadow {
namespace sets_test {
namespace {

using namespace expr;
using namespace testing;

template <typename T>
std::vector<T> Distinct(const std::vector<T>& v) {
  std::vector<T> distinct;
  for (const T& e : InOrder(v)) {
    if (distinct.empty() || !Same(e, distinct.back())) distinct.push_back(e);
  }
  return distinct;
}
template <typename T>
bool Holds(const std::vector<T>& v, const T& value) {
  return std::any_of(v.begin(), v.end(), [&](const T& e) { return Same(e, value); });
}

TEST(Unique, OfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    Guarded<2, T> x(Shape2(9, 13), 3, 1);
    FillWithTies(&x);
    const std::vector<T> elements = ToVector(*x), expected = Distinct(elements);
    EXPECT_TRUE(Same(ToVector(unique(*x)), expected));
    const auto [values, indices, inverse, counts] = unique_all(*x);
    EXPECT_TRUE(Same(ToVector(values), expected));
    ASSERT_EQ(inverse.shape_, x->shape_);
    for (index_t k = 0; k < values.size(0); ++k) {
      std::vector<int64_t> places;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        if (Same(elements[i], T(values[k]))) places.push_back(static_cast<int64_t>(i));
      }
      EXPECT_EQ(indices[k], places.front());
      EXPECT_EQ(counts[k], static_cast<int64_t>(places.size()));
      for (int64_t i : places) EXPECT_EQ(inverse.dptr_[i], static_cast<int64_t>(k));
    }
    EXPECT_EQ(ToVector(unique_counts(*x).counts), ToVector(counts));
    EXPECT_EQ(ToVector(unique_inverse(*x).inverse), ToVector(inverse));
    EXPECT_TRUE(x.Intact());
  });
}
TEST(Unique, OfManyAndOfNothing) {
  TensorContainer<cpu, 1> x(Shape1(50000)), none(Shape1(0));
  for (index_t i = 0; i < 50000; ++i) x[i] = static_cast<float>(i * 7919 % 30011) - 100.0f;
  EXPECT_EQ(ToVector(unique(x)), Distinct(ToVector(x)));
  EXPECT_EQ(unique(none).size(0), 0u);
  EXPECT_EQ(unique_all(none).counts.size(0), 0u);
  EXPECT_EQ(ToVector(unique(TensorContainer<cpu, 1>{-0.0f, 1, 0.0f})), (std::vector<float>{0, 1}));
  TensorContainer<cpu, 1, bool> bools(Shape1(3), true);
  EXPECT_EQ(unique(bools).size(0), 1u);
}

TEST(Sets, OfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    for (index_t n : {0u, 1u, 40u}) {
      Guarded<1, T> a(Shape1(25), 0, 1);
      Guarded<2, T> b(Shape2(2, n), 1, 0);
      FillWithTies(&a, 5);
      FillWithTies(&b, 8);
      const std::vector<T> in_a = ToVector(*a), in_b = ToVector(*b);
      std::vector<T> both, either = in_a, first, one;
      either.insert(either.end(), in_b.begin(), in_b.end());
      for (const T& e : Distinct(either)) {
        if (Holds(in_a, e) && Holds(in_b, e)) both.push_back(e);
        if (Holds(in_a, e) && !Holds(in_b, e)) first.push_back(e);
        if (Holds(in_a, e) != Holds(in_b, e)) one.push_back(e);
      }
      EXPECT_TRUE(Same(ToVector(intersect1d(*a, *b)), both));
      EXPECT_TRUE(Same(ToVector(union1d(*a, *b)), Distinct(either)));
      EXPECT_TRUE(Same(ToVector(setdiff1d(*a, *b)), first));
      EXPECT_TRUE(Same(ToVector(setxor1d(*a, *b)), one));
      const auto is_in = isin(*b, *a);
      const auto back = isin(*a, *b);
      ASSERT_EQ(is_in.shape_, b->shape_);
      for (std::size_t i = 0; i < in_b.size(); ++i) {
        EXPECT_EQ(is_in.dptr_[i], Holds(in_a, in_b[i]));
      }
      for (std::size_t i = 0; i < in_a.size(); ++i) {
        EXPECT_EQ(back.dptr_[i], Holds(in_b, in_a[i]));
      }
    }
  });
}
TEST(Sets, InExpressions) {
  TensorContainer<cpu, 1, int> x{1, 2, 3, 4};
  TensorContainer<cpu, 1, int> y(where(isin(x, x * 2), x, 0));
  EXPECT_EQ(ToVector(y), (std::vector<int>{0, 2, 0, 4}));
}

}  // namespace
}  // namespace sets_test
}  // namespace mshadow
