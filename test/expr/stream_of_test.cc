// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/traits.h>

#include "tensor/counting_device.h"
#include "testing.h"

using mshadow::index_t;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Stream;
using mshadow::Tensor;
using mshadow::testing::counting;
namespace expr = mshadow::expr;

namespace {

template <typename E>
Stream<counting>* StreamOf(const E& e) {
  return expr::detail::StreamOf<counting>(e);
}

TEST(StreamOf, IsThatOfTheFirstOperandThatHasOne) {
  Stream<counting> first, second;
  float data[4] = {0, 1, 2, 3};
  const Tensor<counting, 2> none(data, Shape2(2, 2));
  const Tensor<counting, 2> a(data, Shape2(2, 2), &first), b(data, Shape2(2, 2), &second);
  EXPECT_EQ(StreamOf(none), nullptr);
  EXPECT_EQ(StreamOf(a), &first);
  EXPECT_EQ(StreamOf(none * 2.0f), nullptr);
  EXPECT_EQ(StreamOf(2.0f * a), &first);
  EXPECT_EQ(StreamOf(none + b * a), &second);
  EXPECT_EQ(StreamOf(none + 1.0f - a * b), &first);
  EXPECT_EQ(StreamOf(a.T()), &first);
  EXPECT_EQ(StreamOf(expr::F<mshadow::op::where>(none, none, b)), &second);
  EXPECT_EQ(StreamOf(expr::tcast<double>(b)), &second);
  EXPECT_EQ(StreamOf(expr::slice<1>(none + b, 0, 1)), &second);
  EXPECT_EQ(StreamOf(expr::concat<1>(a, b)), &first);
  EXPECT_EQ(StreamOf(expr::dot(none, b)), &second);
  EXPECT_EQ(StreamOf(expr::sum_rows(b)), &second);
  EXPECT_EQ(StreamOf(expr::take(a[0], none)), &first);
}

TEST(StreamOf, OnTheHostIsNone) {
  Stream<mshadow::cpu> stream;
  float data[4] = {0, 1, 2, 3};
  const Tensor<mshadow::cpu, 1> a(data, Shape1(4), &stream);
  EXPECT_EQ(expr::detail::StreamOf<mshadow::cpu>(a + a), nullptr);
}

}  // namespace
