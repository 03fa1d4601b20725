// SPDX-License-Identifier: Apache-2.0
// Two threads that evaluate at once, on tensors of their own and on shared operands.
#include <mshadow/expr/engine.h>

#include <cmath>
#include <thread>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::Guarded;

void Work(const Tensor<cpu, 2>& shared, bool* right) {
  Guarded<2> a(Shape2(64, 700), 3), b(Shape2(64, 700)), product(Shape2(64, 64));
  a.FillRandom(-1, 1);
  for (int i = 0; i < 20; ++i) {
    *b = *a * 2.0f + shared;
    *b += *b - *a;
    b->Slice(1, 64) = b->Slice(0, 63) + 0.0f;  // through a temporary
    *product = dot(*b, shared.T());
  }
  *right = true;
  for (index_t y = 1; y < 64; ++y) {
    for (index_t x = 0; x < 700; ++x) {
      const float want = 3.0f * (*a)[y - 1][x] + 2.0f * shared[y - 1][x];
      if (std::abs((*b)[y][x] - want) > 1e-5f) *right = false;
    }
  }
  try {
    *product = *b + 1.0f;
    *right = false;
  } catch (const Error&) {
  }
}

TEST(EngineThreads, TwoThreadsEvaluateAtOnce) {
  Guarded<2> shared(Shape2(64, 700), 1);
  shared.FillRandom(-1, 1, 3);
  bool right[2] = {false, false};
  std::thread first([&] { Work(*shared, &right[0]); });
  std::thread second([&] { Work(*shared, &right[1]); });
  first.join();
  second.join();
  EXPECT_TRUE(right[0]);
  EXPECT_TRUE(right[1]);
}

}  // namespace
}  // namespace mshadow
