// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/sort.h>

#include "lanes.h"

namespace mshadow {
namespace sort_test {
namespace {

using namespace expr;
using namespace testing;

/// sort, argsort and topk of x along each axis are those of plain vectors.
template <int dim, typename T>
void Check(const Shape<dim>& shape, index_t pad, index_t shift) {
  Guarded<dim, T> x(shape, pad, shift);
  FillWithTies(&x);
  const std::vector<T> before = ToVector(*x);
  for (int axis = 0; axis < dim; ++axis) {
    for (bool ascending : {true, false}) {
      SCOPED_TRACE(::testing::Message() << LogText(shape) << " pad " << pad << " axis " << axis
                                        << " ascending " << ascending);
      const auto lanes = LanesOf(*x, axis);
      const auto values = sort(*x, axis, ascending);
      const auto places = argsort(*x, axis - dim, ascending);
      ASSERT_EQ(values.shape_, shape);
      ASSERT_EQ(places.shape_, shape);
      const index_t k = shape[axis] < 3 ? shape[axis] : 3;
      const auto top = topk(*x, k, axis, !ascending);
      const auto sorted_lanes = LanesOf(values, axis);
      const auto place_lanes = LanesOf(places, axis);
      const auto top_values = LanesOf(top.values, axis);
      const auto top_places = LanesOf(top.indices, axis);
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        EXPECT_TRUE(Same(sorted_lanes[l], InOrder(lanes[l], ascending)));
        auto expected = PlacesInOrder(lanes[l], ascending);
        EXPECT_EQ(place_lanes[l], expected);
        expected.resize(static_cast<std::size_t>(k));
        EXPECT_EQ(top_places[l], expected);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_TRUE(
              Same(T(top_values[l][i]), T(lanes[l][static_cast<std::size_t>(expected[i])])));
        }
      }
    }
  }
  EXPECT_TRUE(Same(ToVector(*x), before));
  EXPECT_TRUE(x.Intact());
}

TEST(Sort, NoneOfManyElements) {
  const TensorContainer<cpu, 1> x(Shape1(1000), 2.0f);
  EXPECT_EQ(topk(x, 0).values.shape_, Shape1(0));
}

TEST(Sort, AlongEachAxisOfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    Check<1, T>(Shape1(0), 0, 0);
    Check<1, T>(Shape1(37), 0, 1);
    Check<1, T>(Shape1(300), 0, 1);
    Check<2, T>(Shape2(5, 67), 3, 1);
    Check<3, T>(Shape3(3, 70, 17), 1, 0);
  });
}
TEST(Sort, OddShapes) {
  for (const Shape<2>& s :
       {Shape2(1, 1), Shape2(3, 0), Shape2(0, 3), Shape2(1, 90), Shape2(90, 1)}) {
    Check<2, float>(s, 0, 0);
    Check<2, float>(s, 5, 3);
  }
  Check<4, float>(Shape4(2, 3, 1, 5), 2, 0);
}
TEST(Sort, ManyElements) {
  // Past the cache, and of keys that differ in few bits, in high ones, or in all.
  for (const index_t n : {16385u, 40003u}) {
    for (const uint32_t mask : {0x7u, 0xFF000000u, 0xFFFFFFFFu, 0x80000001u}) {
      TensorContainer<cpu, 1, int32_t> x{Shape1(n)};
      uint32_t state = 5;
      for (int32_t& e : x) {
        state = state * 1664525u + 1013904223u;
        e = static_cast<int32_t>(((state >> 9) * 2654435761u) & mask);
      }
      const std::vector<int32_t> lane = ToVector(x);
      EXPECT_EQ(ToVector(sort(x)), InOrder(lane));
      EXPECT_EQ(ToVector(argsort(x)), PlacesInOrder(lane));
      const TensorContainer<cpu, 1, double> wide(tcast<double>(x) * 1e-3);
      EXPECT_EQ(ToVector(argsort(wide, 0, false)), PlacesInOrder(ToVector(wide), false));
      auto top = PlacesInOrder(lane, false);
      top.resize(100);
      EXPECT_EQ(ToVector(topk(x, 100).indices), top);
    }
  }
}
TEST(Sort, OnAnyNumberOfThreads) {
  Guarded<2> x(Shape2(3, 40001), 3, 1);
  FillWithTies(&x);
  const auto expected = LanesOf(*x, 1);
  for (int threads : {1, 2, 5}) {
    SetThreads(threads);
    const auto lanes = LanesOf(argsort(*x), 1);
    for (std::size_t l = 0; l < lanes.size(); ++l) EXPECT_EQ(lanes[l], PlacesInOrder(expected[l]));
    EXPECT_EQ(ToVector(argsort(x->Slice(0, 1))), PlacesInOrder(expected[0]));
    EXPECT_TRUE(Same(ToVector(sort((*x)[1])), InOrder(expected[1])));
  }
  SetThreads(1);
}
// topk keeps fewer elements than an eighth of a lane apart.
template <typename T>
void TakesTheFirstOfEqual(T value) {
  TensorContainer<cpu, 1, T> x(Shape1(1000), value);
  for (const bool largest : {false, true}) {
    for (const index_t k : {0u, 1u, 5u}) {
      const auto top = topk(x, k, 0, largest);
      std::vector<int64_t> places(k);
      std::iota(places.begin(), places.end(), int64_t{0});
      EXPECT_EQ(ToVector(top.indices), places);
      EXPECT_TRUE(Same(ToVector(top.values), std::vector<T>(k, value)));
    }
  }
}
TEST(TopK, FewOfManyEqualOnes) {
  TakesTheFirstOfEqual<uint8_t>(255);
  TakesTheFirstOfEqual<uint8_t>(0);
  TakesTheFirstOfEqual<int8_t>(127);
  TakesTheFirstOfEqual<int8_t>(-128);
  TakesTheFirstOfEqual<float>(std::numeric_limits<float>::quiet_NaN());
  TakesTheFirstOfEqual<double>(std::numeric_limits<double>::infinity());
}
TEST(Sort, ZerosKeepTheirSign) {
  std::vector<float> v = {0.0f, -0.0f, -1, 0.0f};
  const auto sorted = sort(Tensor<cpu, 1>(v.data(), Shape1(4)));
  EXPECT_TRUE(std::signbit(sorted[1]));
  EXPECT_FALSE(std::signbit(sorted[2]));
  EXPECT_FALSE(std::signbit(sorted[3]));
}
TEST(Sort, NegativeNanIsLast) {
  const float nan = std::copysign(std::numeric_limits<float>::quiet_NaN(), -1.0f);
  std::vector<float> v = {nan, 1, -2};
  const Tensor<cpu, 1> x(v.data(), Shape1(3));
  EXPECT_EQ(ToVector(argsort(x)), (std::vector<int64_t>{2, 1, 0}));
  EXPECT_TRUE(std::isnan(sort(x)[2]));
  EXPECT_TRUE(std::isnan(sort(x, false)[2]));
}
TEST(Sort, OfBools) {
  TensorContainer<cpu, 2, bool> x(Shape2(2, 3), false);
  x[0][1] = x[1][0] = x[1][2] = true;
  EXPECT_EQ(ToVector(eval(tcast<int>(sort(x)))), (std::vector<int>{0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(ToVector(eval(tcast<int>(sort(x, false)))), (std::vector<int>{1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(ToVector(argsort(x)), (std::vector<int64_t>{0, 2, 1, 1, 0, 2}));
  EXPECT_EQ(ToVector(topk(x, 1).indices), (std::vector<int64_t>{1, 0}));
}
TEST(Sort, OfExpressionsAndInThem) {
  TensorContainer<cpu, 2> x({{3, 1, 2}, {4, 6, 5}});
  TensorContainer<cpu, 2> y;
  y = sort(x * -1.0f) * 2.0f + 1.0f;
  EXPECT_EQ(ToVector(y), (std::vector<float>{-5, -3, -1, -11, -9, -7}));
  const Tensor<cpu, 2, const float> view(x);
  EXPECT_EQ(ToVector(sort(view, 0, false)), (std::vector<float>{4, 6, 5, 3, 1, 2}));
  EXPECT_EQ(ToVector(sort(x, false)), (std::vector<float>{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(ToVector(argsort(x, false)), (std::vector<int64_t>{0, 2, 1, 1, 2, 0}));
  const auto [values, indices] = topk(x, 2);
  EXPECT_EQ(ToVector(values), (std::vector<float>{3, 2, 6, 5}));
  EXPECT_EQ(ToVector(indices), (std::vector<int64_t>{0, 2, 1, 2}));
}

template <typename T>
void CheckPartition(index_t n) {
  Guarded<2, T> x(Shape2(n, 5), 2, 1);
  FillWithTies(&x, n);
  const auto lanes = LanesOf(*x, 0);
  for (index_t k = 0; k < n; k += 1 + n / 7) {
    const auto parts = LanesOf(partition(*x, k, 0), 0);
    const auto places =
        LanesOf(argpartition(*x, static_cast<long long>(k) - static_cast<long long>(n), 0), 0);
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      std::vector<T> part(parts[l].begin(), parts[l].end()), by_place;
      for (int64_t i : places[l]) by_place.push_back(lanes[l][static_cast<std::size_t>(i)]);
      const std::vector<T> sorted = InOrder(lanes[l]);
      for (const std::vector<T>& p : {part, by_place}) {
        EXPECT_TRUE(Same(InOrder(p), sorted));
        const T kth = p[static_cast<std::size_t>(k)];
        EXPECT_TRUE(Same(kth, T(sorted[static_cast<std::size_t>(k)])));
        for (std::size_t i = 0; i < p.size(); ++i) {
          EXPECT_FALSE(i < static_cast<std::size_t>(k) ? NanLast(kth, T(p[i]))
                                                       : NanLast(T(p[i]), kth));
        }
      }
    }
  }
}
TEST(Partition, OfEachType) {
  ForEachType([](auto zero) {
    CheckPartition<decltype(zero)>(1);
    CheckPartition<decltype(zero)>(53);
  });
}

TEST(Sort, NamesWhatIsOutOfRange) {
  TensorContainer<cpu, 2> x(Shape2(2, 3), 1.0f);
  EXPECT_EQ(ErrorOf([&] { sort(x, 2); }),
            "sort: axis = 2 is out of range: -2 to 1, the axes of the source");
  EXPECT_NE(ErrorOf([&] { argsort(x, -3); }).find("argsort: axis = -3"), std::string::npos);
  EXPECT_EQ(ErrorOf([&] { topk(x, 4); }),
            "topk: k = 4 is out of range: 0 to 3, the elements along the axis");
  EXPECT_NE(ErrorOf([&] { partition(x, 3); }).find("kth = 3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { partition(x, -3, 0); }).find("kth = -3"), std::string::npos);
  EXPECT_EQ(topk(x, 0).values.shape_, Shape2(2, 0));
}

}  // namespace
}  // namespace sort_test
}  // namespace mshadow
