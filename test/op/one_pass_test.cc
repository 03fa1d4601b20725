// SPDX-License-Identifier: Apache-2.0
#include <mshadow/op/one_pass.h>

#include <gtest/gtest.h>

namespace mshadow {
namespace {

/// The result of two blocks of elements.
template <typename Kind, typename T>
double Of(const std::initializer_list<T>& one, const std::initializer_list<T>& two) {
  typename Kind::Total total;
  std::ptrdiff_t n = 0;
  for (const auto& block : {one, two}) {
    typename Kind::Acc acc;
    typename Kind::Aux aux = 0;
    Kind::Start(&acc, &aux, 0);
    for (T x : block) Kind::Add(&acc, &aux, typename Kind::In(x), typename Kind::Scout(), 0);
    typename Kind::Total next;
    next.First(acc, aux, typename Kind::Scout(), static_cast<std::ptrdiff_t>(block.size()), n);
    total.Merge(next);
    n += static_cast<std::ptrdiff_t>(block.size());
  }
  return static_cast<double>(Kind::Finish(total, n));
}

TEST(OnePass, BlocksAreMerged) {
  EXPECT_EQ(Of<statistic::Sum<float>>({1.0f, 2.0f}, {4.0f}), 7);
  EXPECT_EQ(Of<statistic::Sum<int8_t>>({int8_t{100}, int8_t{100}}, {int8_t{100}}), 300);
  EXPECT_EQ(Of<statistic::Mean<uint8_t>>({uint8_t{200}, uint8_t{201}}, {uint8_t{205}}), 202);
  EXPECT_EQ(Of<statistic::Prod<int8_t>>({int8_t{100}, int8_t{100}}, {int8_t{-3}}), -30000);
  EXPECT_EQ(Of<statistic::Norm<double>>({3.0}, {4.0}), 5);
  EXPECT_EQ(Of<statistic::Max<float>>({1.0f, 9.0f}, {4.0f}), 9);
  EXPECT_EQ(Of<statistic::Min<float>>({1.0f, 9.0f}, {-4.0f}), -4);
  EXPECT_EQ(Of<statistic::Any<float>>({0.0f, 0.5f}, {0.0f}), 1);
  EXPECT_EQ(Of<statistic::Any<float>>({0.0f, 0.0f}, {0.0f}), 0);
  EXPECT_EQ(Of<statistic::All<float>>({2.0f, 0.5f}, {1.0f}), 1);
  EXPECT_EQ(Of<statistic::All<float>>({2.0f, 0.5f}, {0.0f}), 0);
}

/// A sum, doubled at the end.
struct Doubled : red::sum {
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType& dst) {  // NOLINT
    dst = static_cast<DType>(dst + dst);
  }
};

// A reducer's result keeps the element type, and wraps around.
TEST(OnePass, ByReducerKeepsTheElementType) {
  EXPECT_EQ((Of<statistic::ByReducer<red::sum, uint8_t>>({uint8_t{200}}, {uint8_t{100}})), 44);
  EXPECT_EQ((Of<statistic::ByReducer<Doubled, uint8_t>>({uint8_t{70}}, {uint8_t{70}})), 24);
  EXPECT_EQ((Of<statistic::ByReducer<Doubled, float>>({1.0f, 2.0f}, {4.0f})), 14);
  using Sum = statistic::ByReducer<red::sum, float>;
  static_assert(std::is_same_v<decltype(Sum::Total::value), double>);
  static_assert(Sum::kLanesAreResults && !statistic::ByReducer<Doubled, float>::kLanesAreResults &&
                !statistic::Mean<float>::kLanesAreResults &&
                !statistic::Norm<float>::kLanesAreResults &&
                !statistic::Sum<int8_t>::kLanesAreResults);
}

/// 10 a + b: the order of elements shows.
struct Digits {
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& init) {  // NOLINT: the interface of reducers
    init = DType(0);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {  // NOLINT
    dst = 10 * dst + src;
  }
};

TEST(OnePass, InOrderAppendsElements) {
  using Value = statistic::InOrder<Digits, double, double, false>;
  using Index = statistic::InOrder<Digits, int, double, true>;
  static_assert(statistic::kIsInOrder<Value> && !statistic::kIsInOrder<statistic::Sum<float>>);
  Value::Part value;
  Index::Part index;
  int number = 0;
  for (double x : {0.0, 4.0, 2.0}) {
    Value::Part v;
    v.First(x, 0, statistic::NoScout(), 1, number);
    value.Append(v);
    Index::Part i;
    i.First(x, 0, statistic::NoScout(), 1, number++);
    index.Append(i);
  }
  EXPECT_EQ(Value::Finish(value, 3), 42);
  EXPECT_EQ(Index::Finish(index, 3), 2);
  EXPECT_EQ(Index::Finish(Index::Part(), 0), 0);
}

}  // namespace
}  // namespace mshadow
