// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/host_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

namespace mshadow {
namespace {

TEST(HostEngine, EqualsMt19937) {
  for (const unsigned seed : {0u, 1u, 5489u, 0xFFFFFFFFu}) {
    HostEngine engine(seed);
    std::mt19937 expected(seed);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(engine(), expected()) << seed << " " << i;
  }
  // The 10000th number of a default engine, [rand.predef].
  HostEngine engine;
  engine.discard(9999);
  EXPECT_EQ(engine(), 4123659995u);
}

TEST(HostEngine, SeedStartsAnew) {
  HostEngine engine(3);
  const auto first = engine();
  engine.discard(700);
  engine.seed(3);
  EXPECT_EQ(engine(), first);
}

TEST(HostEngine, ServesTemplatesOverEngines) {
  HostEngine engine(7);
  std::mt19937 expected(7);
  static_assert(std::is_same_v<HostEngine::result_type, std::mt19937::result_type>);
  std::vector<int> a(50), b(50);
  for (int i = 0; i < 50; ++i) a[i] = b[i] = i;
  std::shuffle(a.begin(), a.end(), engine);
  std::shuffle(b.begin(), b.end(), expected);
  EXPECT_EQ(a, b);
  std::normal_distribution<double> normal, normal2;
  EXPECT_EQ(normal(engine), normal2(expected));
  std::uniform_int_distribution<int> dice(1, 6), dice2(1, 6);
  EXPECT_EQ(dice(engine), dice2(expected));
}

TEST(HostEngine, ConvertsInTheSameState) {
  HostEngine engine(11);
  std::mt19937 expected(11);
  engine.discard(1000);
  expected.discard(1000);
  std::mt19937& std_engine = engine;
  EXPECT_EQ(std_engine, expected);
  // From here on one state under two names.
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(engine(), expected());
    EXPECT_EQ(std_engine(), expected());
  }
  std::mt19937& again = engine;
  EXPECT_EQ(&again, &std_engine);
  engine.seed(5);
  EXPECT_EQ(std_engine, std::mt19937(5));
  const std::mt19937 copy = engine;
  EXPECT_EQ(copy, std_engine);
}

double TakesStdEngine(std::mt19937& engine) { return static_cast<double>(engine()); }

TEST(HostEngine, PassesAsAnArgument) {
  HostEngine engine(1);
  EXPECT_EQ(TakesStdEngine(engine), static_cast<double>(std::mt19937(1)()));
  EXPECT_FALSE((std::is_convertible_v<HostEngine&, std::mt19937_64&>));
  EXPECT_FALSE((std::is_convertible_v<HostEngine&, unsigned>));
}

}  // namespace
}  // namespace mshadow
