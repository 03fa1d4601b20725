// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/gather.h>

#include "lanes.h"

namespace mshadow {
namespace gather_test {
namespace {

using namespace expr;
using namespace testing;

template <typename T, typename I>
void Check(const Shape<3>& shape, index_t m) {
  for (int axis = 0; axis < 3; ++axis) {
    const int n = static_cast<int>(shape[axis]);
    if (n == 0) continue;
    SCOPED_TRACE(::testing::Message() << LogText(shape) << " axis " << axis << " m " << m);
    Guarded<3, T> x(shape, 2, 1);
    x.FillRandom(0, 100, 3);
    Shape<3> index_shape = shape;
    index_shape[axis] = m;
    Guarded<3, I> index(index_shape, 1, 1);
    Guarded<1, I> vector(Shape1(m), 0, 1);
    for (std::size_t i = 0; i < index.Size(); ++i) {
      index.At(i) = static_cast<I>(static_cast<int>(i * 7 % static_cast<std::size_t>(2 * n)) - n);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
      vector.At(i) = static_cast<I>(static_cast<int>(i * 5) % n - (i % 2 ? n : 0));
    const auto at = [n](I i) { return static_cast<std::size_t>(i < 0 ? i + n : i); };

    const auto from = LanesOf(*x, axis);
    const auto places = LanesOf(*index, axis);
    const auto taken = LanesOf(take_along_axis(*x, *index, axis), axis);
    const auto rows = LanesOf(take(*vector, *x, axis - 3), axis);
    Guarded<3, T> values(index_shape, 0, 1);
    values.FillRandom(0, 100, 9);
    const auto written = LanesOf(*values, axis);
    put_along_axis(*x, *index, *values, axis);
    const auto put = LanesOf(*x, axis);
    EXPECT_TRUE(x.Intact());
    for (std::size_t l = 0; l < from.size(); ++l) {
      std::vector<T> lane, row, changed = from[l];
      for (I i : places[l]) lane.push_back(from[l][at(i)]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
        row.push_back(from[l][at(vector.At(i))]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
        changed[at(places[l][i])] = written[l][i];
      EXPECT_EQ(taken[l], lane);
      EXPECT_EQ(rows[l], row);
      EXPECT_EQ(put[l], changed);
    }
  }
}
TEST(Gather, AlongEachAxis) {
  for (index_t m : {0u, 1u, 9u}) {
    Check<float, int32_t>(Shape3(4, 5, 7), m);
    Check<double, int64_t>(Shape3(1, 3, 2), m);
    Check<uint8_t, int8_t>(Shape3(3, 0, 2), m);
    Check<half::half_t, int16_t>(Shape3(2, 1, 17), m);
  }
}
TEST(Gather, ManyElementsOnThreads) {
  SetThreads(3);
  Check<float, int32_t>(Shape3(40, 50, 30), 20);
  SetThreads(1);
}
TEST(Gather, OfExpressions) {
  TensorContainer<cpu, 2> x({{1, 2, 3}, {4, 5, 6}});
  TensorContainer<cpu, 1, uint8_t> i{2, 0};
  EXPECT_EQ(ToVector(take(i, x * 2.0f, 1)), (std::vector<float>{6, 2, 12, 8}));
  EXPECT_EQ(ToVector(take(i, TensorContainer<cpu, 1>{7, 8, 9}, 0)), (std::vector<float>{9, 7}));
  TensorContainer<cpu, 2, int> k({{1}, {-1}});
  EXPECT_EQ(ToVector(take_along_axis(x, k, 1)), (std::vector<float>{2, 6}));
  put_along_axis(x, k, TensorContainer<cpu, 2>({{0}, {0}}) - 1.0f, 1);
  EXPECT_EQ(ToVector(x), (std::vector<float>{1, -1, 3, 4, 5, -1}));
}
TEST(Gather, NamesWhatDoesNotFit) {
  TensorContainer<cpu, 2> x(Shape2(2, 3), 1.0f);
  TensorContainer<cpu, 2, int> k(Shape2(2, 2), 3), rows(Shape2(3, 2), 0);
  TensorContainer<cpu, 2> v(k.shape_, 5.0f);
  TensorContainer<cpu, 1, int> i{0, -4};
  EXPECT_NE(
      ErrorOf([&] { take_along_axis(x, k, 1); }).find("index 3 is out of range: the axis has 3"),
      std::string::npos);
  EXPECT_NE(ErrorOf([&] { take_along_axis(x, rows, 1); }).find("differ in more than axis 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { take(i, x, 1); }).find("take: index -4"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { take(i, x, 2); }).find("take: axis = 2"), std::string::npos);
  k[0][0] = 0;
  EXPECT_NE(ErrorOf([&] { put_along_axis(x, k, v, 1); }).find("index 3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { put_along_axis(x, k, x, 1); }).find("values and index"),
            std::string::npos);
  EXPECT_EQ(ToVector(x), std::vector<float>(6, 1.0f));
}

}  // namespace
}  // namespace gather_test
}  // namespace mshadow
