// SPDX-License-Identifier: Apache-2.0
// Reductions of short rows on the host: every element is read once, and is of its own run.
#include <mshadow/backend/gpu/short_runs_body.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Guarded;

template <typename Reducer, typename Acc, typename Plan>
std::vector<Acc> Results(const Plan& plan, std::ptrdiff_t keep, std::ptrdiff_t length) {
  using Body = cuda::ShortRunsBody<Reducer, Acc, Plan>;
  const Body body(plan, keep, length);
  const std::size_t bytes = Body::kTile * sizeof(typename Body::DType);
  std::vector<std::max_align_t> memory(bytes / sizeof(std::max_align_t) + 1);
  auto* const tile = reinterpret_cast<typename Body::DType*>(memory.data());
  std::vector<Acc> results;
  constexpr int kThreads = 7;
  for (std::ptrdiff_t b = 0; b < body.Blocks(); ++b) {
    for (int t = kThreads; t-- > 0;) body.Load(tile, b, t, kThreads);
    for (int i = 0; i < body.RunsOf(b); ++i) results.push_back(body(tile, i));
  }
  return results;
}

template <typename DType>
void CheckLengths() {
  for (index_t length = 1; length <= 256; length += length < 36 ? 1 : 11) {
    const index_t keep = length % 3 == 0 ? 5 : 10000 / length + 3;
    // One long row begins where packs do, the other does not.
    for (std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
      Guarded<1, DType> memory(Shape1(keep * length + 1));
      memory.FillRandom(std::is_unsigned_v<DType> ? 0 : -9, 9);
      const Tensor<cpu, 2, DType> a(memory->dptr_ + shift, Shape2(keep, length));
      const auto sums = Results<red::sum, double>(MakePlan(a), keep, length);
      const auto most = Results<red::maximum, double>(MakePlan(a), keep, length);
      ASSERT_EQ(sums.size(), keep);
      for (index_t c = 0; c < keep; ++c) {
        double sum = 0, largest = -100;
        for (index_t x = 0; x < length; ++x) {
          const double element = static_cast<double>(static_cast<float>(a[c][x]));
          sum += element;
          largest = element > largest ? element : largest;
        }
        ASSERT_NEAR(sums[c], sum, 1e-9) << "run " << c << " of " << length;
        ASSERT_EQ(most[c], largest) << "run " << c << " of " << length;
      }
    }
  }
}

TEST(ShortRunsBody, EveryRunOfFloats) { CheckLengths<float>(); }
TEST(ShortRunsBody, EveryRunOfDoubles) { CheckLengths<double>(); }
TEST(ShortRunsBody, EveryRunOfHalves) { CheckLengths<mshadow::half::half_t>(); }
TEST(ShortRunsBody, EveryRunOfBytes) { CheckLengths<uint8_t>(); }

TEST(ShortRunsBody, Expressions) {
  Guarded<2> a(Shape2(300, 6)), b(Shape2(300, 6));
  a.FillIota();
  b.FillRandom(-1, 1);
  const auto sums = Results<red::sum, double>(MakePlan(*a * 2.0f + *b), 300, 6);
  for (std::size_t c = 0; c < 300; ++c) {
    double sum = 0;
    for (std::size_t x = 0; x < 6; ++x) sum += 2.0f * a.At(c * 6 + x) + b.At(c * 6 + x);
    ASSERT_NEAR(sums[c], sum, 1e-2);
  }
}

TEST(ShortRunsBody, TakesOneLongRow) {
  Guarded<2> flat(Shape2(40, 6)), padded(Shape2(40, 6), 1);
  const auto plan = MakePlan(*flat), apart = MakePlan(*padded);
  using Body = cuda::ShortRunsBody<red::sum, float, std::decay_t<decltype(plan)>>;
  EXPECT_TRUE(Body::Takes(plan, 1, 1, 6));
  EXPECT_TRUE(Body::Takes(plan, 1, 42, 6));
  EXPECT_FALSE(Body::Takes(plan, 1, 43, 6));  // too long
  EXPECT_FALSE(Body::Takes(plan, 2, 1, 6));
  EXPECT_FALSE(Body::Takes(plan, 1, 0, 6));
  EXPECT_FALSE(Body::Takes(apart, 1, 1, 6));
}

}  // namespace
}  // namespace mshadow
