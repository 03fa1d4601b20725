// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/select.h>

#include "lanes.h"

namespace mshadow {
namespace select_test {
namespace {

using namespace expr;
using namespace testing;
using Indices = std::vector<int64_t>;

template <int dim, typename T>
void Check(const Shape<dim>& shape, index_t pad, index_t shift) {
  SCOPED_TRACE(LogText(shape));
  Guarded<dim, T> x(shape, pad, shift), mask(shape, pad / 2, shift);
  FillWithTies(&x, 3);
  FillWithTies(&mask, 4);
  for (std::size_t i = 0; i < mask.Size(); i += 2) mask.At(i) = T(0);
  const std::vector<T> elements = ToVector(*x), bits = ToVector(*mask);
  std::vector<T> chosen;
  Indices places;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (static_cast<double>(bits[i]) == 0) continue;
    chosen.push_back(elements[i]);
    std::size_t rest = i;
    Indices place;
    for (int axis = dim - 1; axis >= 0; --axis) {
      place.insert(place.begin(),
                   static_cast<int64_t>(rest % static_cast<std::size_t>(shape[axis])));
      rest /= static_cast<std::size_t>(shape[axis]);
    }
    places.insert(places.end(), place.begin(), place.end());
  }
  const auto found = nonzero(*mask);
  EXPECT_EQ(ToVector(found), places);
  EXPECT_EQ(found.size(0), chosen.size());
  EXPECT_EQ(count_nonzero(*mask), static_cast<int64_t>(chosen.size()));
  EXPECT_TRUE(Same(ToVector(select(*x, *mask)), chosen));
  EXPECT_TRUE(Same(ToVector(select(*x, isin(*mask, *mask))), elements));

  std::vector<T> written(chosen.size());
  for (std::size_t i = 0; i < written.size(); ++i)
    written[i] = static_cast<T>(static_cast<float>(i % 50));
  std::vector<T> expected = elements;
  for (std::size_t i = 0, k = 0; i < bits.size(); ++i) {
    if (static_cast<double>(bits[i]) != 0) expected[i] = written[k++];
  }
  put_mask(*x, *mask,
           Tensor<cpu, 1, T>(written.data(), Shape1(static_cast<index_t>(written.size()))));
  EXPECT_TRUE(Same(ToVector(*x), expected));
  EXPECT_TRUE(x.Intact());
}
TEST(Select, OfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    Check<1, T>(Shape1(0), 0, 0);
    Check<1, T>(Shape1(71), 0, 1);
    Check<2, T>(Shape2(5, 67), 3, 1);
    Check<3, T>(Shape3(3, 4, 17), 1, 0);
  });
}
TEST(Select, ManyElementsOnThreads) {
  for (int threads : {1, 3}) {
    SetThreads(threads);
    Check<2, float>(Shape2(1100, 301), 3, 1);
    Check<1, float>(Shape1(65536 * 2), 0, 0);
  }
  SetThreads(1);
  TensorContainer<cpu, 1, bool> mask(Shape1(200001), true);
  EXPECT_EQ(count_nonzero(mask), 200001);
  mask = false;
  EXPECT_EQ(nonzero(mask).size(0), 0u);
}
TEST(Select, OfExpressions) {
  TensorContainer<cpu, 2> x({{1, -2, 3}, {-4, 5, -6}});
  EXPECT_EQ(ToVector(select(x * 2.0f, x > 0.0f)), (std::vector<float>{2, 6, 10}));
  EXPECT_EQ(ToVector(nonzero(x > 0.0f)), (Indices{0, 0, 0, 2, 1, 1}));
  EXPECT_EQ(count_nonzero(x < 0.0f), 3);
  put_mask(x, x < 0.0f, select(x, x < 0.0f) * -10.0f);
  EXPECT_EQ(ToVector(x), (std::vector<float>{1, 20, 3, 40, 5, 60}));
  // What is written is read before.
  put_mask(x, x > 2.0f, flip(select(x, x > 2.0f), 0));
  EXPECT_EQ(ToVector(x), (std::vector<float>{1, 60, 5, 40, 3, 20}));
}
TEST(Select, NamesWhatDoesNotFit) {
  TensorContainer<cpu, 2> x(Shape2(2, 3), 1.0f), y(Shape2(3, 2), 1.0f);
  TensorContainer<cpu, 1> v(Shape1(5), 7.0f);
  EXPECT_NE(ErrorOf([&] { select(x, y); }).find("select: shape mismatch"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { put_mask(x, y, v); }).find("put_mask: shape mismatch"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { put_mask(x, x, v); }).find("5 values for 6 elements"), std::string::npos);
  EXPECT_EQ(ToVector(x), std::vector<float>(6, 1.0f));
}

TEST(CountNonzero, AlongAxes) {
  Guarded<3, float> x(Shape3(5, 7, 9), 2);
  x.FillIota();
  const auto y = where(*x - floor(*x / 3.0f) * 3.0f == 1.0f, 0.0f, *x);  // 0 where x is 1 modulo 3
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto value = [&](index_t a, index_t b, index_t c) {
    const int i = static_cast<int>((a * 7 + b) * 9 + c);
    return i % 3 != 1 && i != 0 ? 1 : 0;
  };
  for (int threads : {1, 3}) {
    SetThreads(threads);
    const auto first = count_nonzero(y, 0), middle = count_nonzero(y, 1),
               last = count_nonzero(y, -1);
    EXPECT_EQ(first.shape_, Shape2(7, 9));
    EXPECT_EQ(middle.shape_, Shape2(5, 9));
    EXPECT_EQ(last.shape_, Shape2(5, 7));
    std::vector<int64_t> a(63), b(45), c(35);
    for (index_t i = 0; i < 5; ++i) {
      for (index_t j = 0; j < 7; ++j) {
        for (index_t k = 0; k < 9; ++k) {
          a[j * 9 + k] += value(i, j, k);
          b[i * 9 + k] += value(i, j, k);
          c[i * 7 + j] += value(i, j, k);
        }
      }
    }
    EXPECT_EQ(ToVector(first), a);
    EXPECT_EQ(ToVector(middle), b);
    EXPECT_EQ(ToVector(last), c);
  }
  SetThreads(1);
  EXPECT_EQ(ToVector(count_nonzero(TensorContainer<cpu, 2>({{0, nan}, {0, 0}}), 1)),
            (std::vector<int64_t>{1, 0}));
  const TensorContainer<cpu, 2, int> none(Shape2(0, 3)), narrow(Shape2(2, 0));
  EXPECT_EQ(ToVector(count_nonzero(none, 0)), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(count_nonzero(none, 1).shape_, Shape1(0));
  EXPECT_EQ(ToVector(count_nonzero(narrow, 1)), (std::vector<int64_t>{0, 0}));
  EXPECT_NE(ErrorOf([&] { count_nonzero(none, 2); }).find("count_nonzero"), std::string::npos);
}

}  // namespace
}  // namespace select_test
}  // namespace mshadow
