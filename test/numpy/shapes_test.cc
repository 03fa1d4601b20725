// SPDX-License-Identifier: Apache-2.0
#include <mshadow/numpy.h>

#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace numpy_shapes_test {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;
using testing::Guarded;

struct NumpyShapes : ::testing::Test {
  NumpyShapes() { x.FillIota(); }
  Guarded<2> x{Shape2(3, 5), 4, 1};
};

TEST_F(NumpyShapes, ExpandAndSqueeze) {
  TensorContainer<cpu, 3> y;
  y = expand_dims(*x, 1);
  EXPECT_EQ(y.shape_, Shape3(3, 1, 5));
  const auto last = eval(expand_dims(*x * 1.0f, -1));
  EXPECT_EQ(last.shape_, Shape3(3, 5, 1));
  EXPECT_EQ(last[2][3][0], 13.0f);
  TensorContainer<cpu, 2> back;
  back = squeeze(last, 2);
  EXPECT_TRUE(array_equal(back, *x));
  EXPECT_NE(ErrorOf([&] { back = squeeze(last, 1); }).find("axis 1 of (3,5,1)"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { y = expand_dims(*x, 3); }).find("axis = 3"), std::string::npos);
  const auto kept = squeeze(TensorContainer<cpu, 3>(Shape3(1, 3, 5), 4.0f), 0) + 1.0f;
  back = kept;
  EXPECT_EQ(back[1][2], 5.0f);
}

TEST_F(NumpyShapes, Repeat) {
  for (int axis = 0; axis < 2; ++axis) {
    TensorContainer<cpu, 2> y;
    y = repeat(*x, 3, axis);
    for (index_t i = 0; i < y.size(0); ++i) {
      for (index_t j = 0; j < y.size(1); ++j) {
        EXPECT_EQ(y[i][j], axis == 0 ? (*x)[i / 3][j] : (*x)[i][j / 3]);
      }
    }
  }
}

TEST_F(NumpyShapes, NegativeNumbers) {
  EXPECT_NE(ErrorOf([&] { repeat(*x, -1, 0); }).find("repeat: n = -1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { split(*x, -1); }).find("split: -1 parts"), std::string::npos);
}

TEST(NumpyShape, MoveAxis) {
  TensorContainer<cpu, 4, int> t(Shape4(2, 3, 4, 5));
  t = reshape(range<int>(0, 120), t.shape_);
  for (int from = 0; from < 4; ++from) {
    for (int to = -4; to < 4; ++to) {
      const auto moved = eval(moveaxis(t, from, to));
      std::vector<index_t> order;
      for (index_t i = 0; i < 4; ++i) {
        if (static_cast<int>(i) != from) order.push_back(i);
      }
      order.insert(order.begin() + (to < 0 ? to + 4 : to), static_cast<index_t>(from));
      const auto expected = eval(transpose(t, Shape4(order[0], order[1], order[2], order[3])));
      EXPECT_TRUE(array_equal(moved, expected)) << from << " " << to;
    }
  }
}

TEST_F(NumpyShapes, Joined) {
  TensorContainer<cpu, 3> s;
  s = stack<1>(*x, *x * 2.0f, *x);
  ASSERT_EQ(s.shape_, Shape3(3, 3, 5));
  EXPECT_EQ(s[2][1][4], 28.0f);
  const auto last = eval(stack<-1>(*x, *x + 1.0f));
  ASSERT_EQ(last.shape_, Shape3(3, 5, 2));
  EXPECT_EQ(last[1][2][1], 8.0f);
  EXPECT_EQ(eval(hstack(*x, *x)).shape_, Shape2(3, 10));
  EXPECT_EQ(eval(vstack(*x, *x)).shape_, Shape2(6, 5));
  const auto y = eval(vstack((*x)[0], (*x)[2]));
  EXPECT_EQ(y.shape_, Shape2(2, 5));
  EXPECT_EQ(y[1][1], 11.0f);
  TensorContainer<cpu, 1> v;
  v = hstack((*x)[0], (*x)[2]);
  EXPECT_EQ(v[6], 11.0f);
}

TEST_F(NumpyShapes, JoinedAlone) {
  EXPECT_TRUE(array_equal(eval(stack(*x)), eval(expand_dims(*x, 0))));
  EXPECT_TRUE(array_equal(eval(stack<-1>(*x + 1.0f)), eval(expand_dims(*x + 1.0f, -1))));
  EXPECT_TRUE(array_equal(eval(hstack(*x)), *x));
  EXPECT_TRUE(array_equal(eval(vstack(*x)), *x));
  EXPECT_EQ(eval(vstack(TensorContainer<cpu, 1>({1, 2}))).shape_, Shape2(1, 2));
}

TEST_F(NumpyShapes, Lists) {
  for (int axis = -2; axis < 2; ++axis) {
    std::vector<TensorContainer<cpu, 2, double>> list;
    for (index_t i = 1; i < 4; ++i) {
      const bool rows = axis == 0 || axis == -2;
      list.emplace_back(rows ? Shape2(i, 5) : Shape2(5, i), static_cast<double>(i));
    }
    const auto joined = concatenate(list, axis);
    ASSERT_EQ(joined.shape_, axis == 0 || axis == -2 ? Shape2(6, 5) : Shape2(5, 6));
    for (index_t i = 0; i < 6; ++i) {
      const double expected = i < 1 ? 1 : i < 3 ? 2 : 3;
      EXPECT_EQ(axis == 0 || axis == -2 ? joined[i][4] : joined[4][i], expected);
    }
  }
  std::vector<Tensor<cpu, 2>> views = {*x, *x};
  EXPECT_EQ(concatenate(views).shape_, Shape2(6, 5));
  views.push_back(x->Slice(0, 1));
  EXPECT_NE(ErrorOf([&] { concatenate(views, 1); }).find("(1,"), std::string::npos);
  EXPECT_NE(ErrorOf([] { concatenate(std::vector<Tensor<cpu, 1>>()); }).find("list of nothing"),
            std::string::npos);
}

TEST_F(NumpyShapes, Split) {
  const auto parts = split(*x, 5, 1);
  ASSERT_EQ(parts.size(), 5u);
  for (auto part : parts) part += 100.0f;
  for (index_t i = 0; i < 15; ++i) EXPECT_EQ(x.At(i), 100.0f + static_cast<float>(i));
  EXPECT_TRUE(x.Intact());
  EXPECT_EQ(split(*x, 3)[2](0, 1), 111.0f);
  EXPECT_NE(ErrorOf([&] { split(*x, 2); }).find("2 parts of axis 0 of (3,5)"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { split(*x, 0); }).find("0 parts"), std::string::npos);
}

TEST_F(NumpyShapes, Rot90) {
  for (int k = -5; k < 6; ++k) {
    TensorContainer<cpu, 2> y;
    y = rot90(*x, k);
    const int turns = ((k % 4) + 4) % 4;
    ASSERT_EQ(y.shape_, turns % 2 == 0 ? Shape2(3, 5) : Shape2(5, 3));
    for (index_t i = 0; i < y.size(0); ++i) {
      for (index_t j = 0; j < y.size(1); ++j) {
        const float expected = turns == 0   ? (*x)[i][j]
                               : turns == 1 ? (*x)[j][4 - i]
                               : turns == 2 ? (*x)[2 - i][4 - j]
                                            : (*x)[2 - j][i];
        EXPECT_EQ(y[i][j], expected) << k << " " << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace numpy_shapes_test
}  // namespace mshadow
