// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/shuffle.h>

#include "lanes.h"

namespace mshadow {
namespace shuffle_test {
namespace {

using namespace expr;
using namespace testing;
using Indices = std::vector<int64_t>;

TEST(Permutation, EachOrderIsAsLikely) {
  Random<cpu> random(3);
  std::vector<int> count(24);
  for (int round = 0; round < 2400; ++round) {
    const Indices p = ToVector(permutation(random, 4));
    EXPECT_EQ(InOrder(p), (Indices{0, 1, 2, 3}));
    Indices q = {0, 1, 2, 3};
    std::size_t rank = 0;
    while (q != p) {
      ASSERT_TRUE(std::next_permutation(q.begin(), q.end()));
      ++rank;
    }
    ++count[rank];
  }
  double chi2 = 0;
  for (int c : count) chi2 += (c - 100.0) * (c - 100.0) / 100.0;
  EXPECT_LT(chi2, 49.7);  // 23 degrees of freedom, probability 0.001
  EXPECT_EQ(permutation(random, 0).size(0), 0u);
}
TEST(Permutation, SameOnAnyNumberOfThreads) {
  Random<cpu> random(5);
  const Indices one = ToVector(permutation(random, 30000));
  EXPECT_NE(ToVector(permutation(random, 30000)), one);
  SetThreads(3);
  random.Seed(5);
  EXPECT_EQ(ToVector(permutation(random, 30000)), one);
  SetThreads(1);
  Indices all(30000);
  std::iota(all.begin(), all.end(), int64_t{0});
  EXPECT_EQ(InOrder(one), all);
}
TEST(Shuffle, MovesRows) {
  Random<cpu> random(5);
  Guarded<3, int> x(Shape3(20, 2, 3), 1, 1);
  x.FillIota();
  shuffle(random, *x);
  EXPECT_TRUE(x.Intact());
  random.Seed(5);
  const Indices p = ToVector(permutation(random, 20));
  for (std::size_t i = 0; i < x.Size(); ++i) {
    EXPECT_EQ(x.At(i), p[i / 6] * 6 + static_cast<int64_t>(i % 6));
  }
  TensorContainer<cpu, 1> v{1, 2, 3}, none(Shape1(0));
  shuffle(random, v);
  EXPECT_EQ(InOrder(ToVector(v)), (std::vector<float>{1, 2, 3}));
  shuffle(random, none);
}
TEST(Choice, WithAndWithoutReplacement) {
  Random<cpu, double> random(7);
  std::vector<int> with(5), without(5);
  for (int round = 0; round < 1000; ++round) {
    for (int64_t i : ToVector(choice(random, 5, 2))) ++with[static_cast<std::size_t>(i)];
    const Indices two = ToVector(choice(random, 5, 2, false));
    EXPECT_NE(two[0], two[1]);
    for (int64_t i : two) ++without[static_cast<std::size_t>(i)];
  }
  for (int c : with) EXPECT_NEAR(c, 400, 75);
  for (int c : without) EXPECT_NEAR(c, 400, 75);
  EXPECT_EQ(choice(random, 5, 0).size(0), 0u);
  EXPECT_EQ(choice(random, 3, 9).size(0), 9u);
}
TEST(Choice, OfManyIsTheBeginningOfAPermutation) {
  Random<cpu> random(11);
  Indices expected = ToVector(permutation(random, 5000));
  expected.resize(100);
  random.Seed(11);
  EXPECT_EQ(ToVector(choice(random, 5000, 100, false)), expected);
  // All of so many do not fit into memory.
  const Indices few =
      InOrder(ToVector(choice(random, (std::numeric_limits<index_t>::max)(), 3000, false)));
  int64_t upper = 0;
  for (std::size_t i = 1; i < few.size(); ++i) EXPECT_NE(few[i], few[i - 1]);
  for (int64_t i : few) {
    EXPECT_GE(i, 0);
    upper += i > static_cast<int64_t>((std::numeric_limits<index_t>::max)() / 2) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(upper), 1500, 120);
}
TEST(Choice, BoundsOf64Bits) {
  Random<cpu> random(13);
  const mshadow::detail::order::Words<float> words(random, 500);
  random.Seed(13);
  TensorContainer<cpu, 1, unsigned> bits(Shape1(1000));
  random.GetRandInt(bits);
  for (uint64_t bound : {uint64_t{1}, uint64_t{7}, (uint64_t{1} << 32) - 1, uint64_t{1} << 32,
                         (uint64_t{5} << 40) + 3, ~uint64_t{0}}) {
    for (index_t i = 0; i < 500; ++i) {
      // The product of the word and the bound, digit by digit, from the last.
      uint64_t carry = 0;
      for (unsigned digit : {bits[2 * i + 1], bits[2 * i]}) {
        for (int bit = 0; bit < 32; ++bit) {
          const uint64_t add = ((digit >> bit) & 1u) != 0 ? bound : 0, sum = carry + add;
          carry = (sum >> 1) | (sum < add ? uint64_t{1} << 63 : 0);
        }
      }
      EXPECT_EQ(words.Below(static_cast<std::ptrdiff_t>(i), bound), carry);
    }
  }
}
TEST(Choice, ByWeights) {
  Random<cpu> random(9);
  TensorContainer<cpu, 1> w{1, 0, 3, 0};
  std::vector<int> with(4), first(4);
  for (int64_t i : ToVector(choice(random, w * 2.0f, 4000))) ++with[static_cast<std::size_t>(i)];
  EXPECT_NEAR(with[0], 1000, 110);
  EXPECT_NEAR(with[2], 3000, 110);
  EXPECT_EQ(with[1] + with[3], 0);
  for (int round = 0; round < 1000; ++round) {
    const Indices both = ToVector(choice(random, w, 2, false));
    EXPECT_EQ(both[0] + both[1], 2);
    ++first[static_cast<std::size_t>(both[0])];
  }
  EXPECT_NEAR(first[0], 250, 60);
  EXPECT_NEAR(first[2], 750, 60);
}
TEST(Choice, NamesWhatCannotBe) {
  Random<cpu> random(1);
  TensorContainer<cpu, 1> w{1, 0, 3}, bad{1, -1}, none{0, 0};
  EXPECT_NE(ErrorOf([&] { choice(random, 0, 1); }).find("k = 1 of nothing"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, 3, 4, false); }).find("k = 4 of n = 3"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, 3, -1); }).find("k = -1 of n = 3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, -3, 1); }).find("k = 1 of n = -3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, w, -1); }).find("k = -1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { permutation(random, -1); }).find("n = -1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, w, 3, false); }).find("2 of 3 weights are positive, 3"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, bad, 1); }).find("weight 1 of 2 is -1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, none, 1); }).find("0 of 2 weights"), std::string::npos);
}

}  // namespace
}  // namespace shuffle_test
}  // namespace mshadow
