// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "check_gradient.h"

namespace mshadow {
namespace {

using testing::Filled;

TEST(BackwardEach, TellsWhenAGradientIsFinal) {
  Filled<2> w1(Shape2(4, 4), -1, 1, 1), w2(Shape2(4, 4), -1, 1, 2), x(Shape2(3, 4), -1, 1, 3);
  Filled<1> b(Shape1(4), -1, 1, 4), unused(Shape1(2), -1, 1);
  Tape t;
  const auto h = t(tanh(dot(x.value, w1) + b));
  const auto g = t(dot(h, w2));
  const auto y = t(g * b);  // b is read twice: its gradient is final with that of w1
  t.Backward(y);
  const TensorContainer<cpu, 2, double> dw1(w1.grad() * 1.0), dw2(w2.grad() * 1.0);
  const TensorContainer<cpu, 1, double> db(b.grad() * 1.0);
  for (auto* w : {&w1, &w2}) w->ZeroGradient();
  b.ZeroGradient();

  std::string order;
  const auto done = [&](const auto& v) {
    const auto id = v.gradient_id().begin;
    if (id == w1.gradient_id().begin) {
      order += "w1 ";
      EXPECT_EQ(sum(w1.grad() != dw1), 0.0);
    } else if (id == w2.gradient_id().begin) {
      order += "w2 ";
      EXPECT_EQ(sum(w2.grad() != dw2), 0.0);
    } else if (id == b.gradient_id().begin) {
      order += "b ";
      EXPECT_EQ(sum(b.grad() != db), 0.0);
    } else {
      order += "unused ";
    }
  };
  t.BackwardEach(y, done, w1, b, w2, unused);
  EXPECT_EQ(order, "unused w2 w1 b ");
}
TEST(BackwardEach, OfNoLeaves) {
  Filled<1> a(Shape1(3), -1, 1);
  Tape t;
  int calls = 0;
  const auto done = [&](const auto&) { ++calls; };
  t.BackwardEach(t(a * a), done);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(a.grad()[1], 2 * a.value[1]);
  t.Clear();
  t.BackwardEach(a, done, a);  // no statement: final from the start
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(a.grad()[1], 2 * a.value[1] + 1);
}
TEST(BackwardEach, WhatIsCalledMayThrow) {
  Filled<1> a(Shape1(3), -1, 1), b(Shape1(3), -1, 1, 2);
  Tape t;
  const auto square = t(a * a);
  const auto y = t(square * b);
  const auto stops = [](const auto&) { throw std::string("stop"); };
  EXPECT_THROW(t.BackwardEach(y, stops, b, a), std::string);
  a.ZeroGradient();
  b.ZeroGradient();
  t.Backward(y);
  EXPECT_NEAR(a.grad()[0], 2 * a.value[0] * b.value[0], 1e-12);
  EXPECT_NEAR(b.grad()[0], a.value[0] * a.value[0], 1e-12);
}
TEST(Tape, BlocksThatThrowWhenTheyRunAgain) {
  Filled<1> a(Shape1(3), -1, 1);
  Tape t;
  int calls = 0;
  const auto cube = [&](Tape& s, const Variable<cpu, 1, double>& v) {
    if (++calls == 2) throw Error("not now");
    const auto square = s(v * v);
    return s(square * v);
  };
  const auto h = t(2.0 * a);
  const auto y = t(t.Again(cube, h) + h);
  EXPECT_THROW(t.Backward(y), Error);
  a.ZeroGradient();
  t.Backward(y);
  EXPECT_NEAR(a.grad()[0], 24 * a.value[0] * a.value[0] + 2, 1e-12);
}
TEST(BackwardEach, BlocksThatRunAgainMayReadAny) {
  Filled<1> a(Shape1(3), -1, 1), b(Shape1(3), -1, 1, 2);
  Tape t;
  const auto square = t.Again([&](Tape& s, const auto& v) { return s(v * v * b); }, a);
  int calls = 0;
  t.BackwardEach(
      t(square * b), [&](const auto&) { ++calls; }, a, b);
  EXPECT_EQ(calls, 2);
  EXPECT_NEAR(b.grad()[1], 2 * b.value[1] * a.value[1] * a.value[1], 1e-12);
}

}  // namespace
}  // namespace mshadow
