// SPDX-License-Identifier: Apache-2.0
// What a plan does not say itself, it has from its operands, whatever lies between.
#include <mshadow/expr/plan/facts.h>

#include <mshadow/tensor.h>

#include <atomic>
#if defined(_OPENMP)
#include <omp.h>
#endif

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// A plan with Eval alone, and one that says what it costs and joins.
struct Products {
  double Eval(index_t y, index_t x) const { return 10.0 * y + x; }
};
struct Saw {
  static constexpr int kCost = 3;
  float Eval(index_t, index_t x) const { return static_cast<float>(x % 4); }
  PlanLayout Layout(std::ptrdiff_t cols) const { return {cols == 6 ? 2 : 1}; }
};

TEST(FlatRows, OfPlansThatSayNothingOrAskForMultiples) {
  EXPECT_EQ(FlatRows(Products(), 5), 1);
  EXPECT_EQ(FlatRows(Saw(), 6), 2);
  EXPECT_FALSE(expr::IsFlat(Saw(), 6));
  EXPECT_TRUE(expr::IsFlat(MakePlan(ScalarExp<float>(1.0f)), 3));
  Tensor<cpu, 2> padded(nullptr, Shape2(3, 5), 8, nullptr);
  EXPECT_FALSE(expr::IsFlat(MakePlan(padded), 5));
  EXPECT_TRUE(expr::IsFlat(MakePlan(padded), 8));
}

TEST(Gcd, OfRowsThatCanBeJoined) {
  EXPECT_EQ(Gcd(0, 0), 0);
  EXPECT_EQ(Gcd(0, 12), 12);
  EXPECT_EQ(Gcd(12, 0), 12);
  EXPECT_EQ(Gcd(1, 12), 1);
  EXPECT_EQ(Gcd(8, 12), 4);
  EXPECT_EQ(Gcd(12, 8), 4);
}

TEST(ReadsOf, TheOperandThatIsReadMost) {
  struct Sums : Products {
    std::ptrdiff_t reads;
    PlanLayout Layout(std::ptrdiff_t) const { return PlanLayout{}.Reading(reads); }
  };
  Sums few, many;
  few.reads = 3;
  many.reads = 500;
  EXPECT_EQ(ReadsOf(Products()), 1);
  EXPECT_EQ(ReadsOf(few, Products(), many), 500);
  few.reads = 0;
  EXPECT_EQ(ReadsOf(few), 1);
  many.reads = PTRDIFF_MAX;
  EXPECT_EQ(ReadsOf(many), 1 << 20);
}

TEST(Cost, OfAnUnknownOpIsThatOfALibraryFunction) {
  static_assert(kCostOf<Products> == 16 && kCostOf<Saw> == 3);
  static_assert(!kTransposedOf<Products>);
}

template <typename E>
std::ptrdiff_t Reads(const E& e) {
  return ReadsOf(MakePlan(e));
}
template <typename E>
std::ptrdiff_t Step(const E& e) {
  return TileStep(MakePlan(e));
}

// How many elements each one takes is passed on by maps.
TEST(PlanFacts, ReadsOfWhatTakesMany) {
  Tensor<cpu, 3> a(nullptr, Shape3(8, 64, 64));
  const auto pooled = pool<red::maximum>(a, 8, 8, 8);
  EXPECT_EQ(Reads(pooled), 64);
  EXPECT_EQ(Reads(2.0f * pooled + 1.0f), 64);
  EXPECT_EQ(Reads(tcast<double>(pooled)), 64);
}

#if defined(_OPENMP)
/// Which threads compute elements.
struct Mark {
  static std::atomic<unsigned> threads;
  MSHADOW_FORCE_INLINE static float Map(float a) {
    threads |= 1u << omp_get_thread_num();
    return a;
  }
};
std::atomic<unsigned> Mark::threads{0};

TEST(PlanFacts, ThreadsOfWhatIsMoved) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(2);
  TensorContainer<cpu, 3> a(Shape3(8, 8, 20000), 1.0f);
  TensorContainer<cpu, 2> p(Shape2(8, 8));
  TensorContainer<cpu, 1> v(Shape1(64));
  const auto sums = reduce_with_axis<red::sum, false>(F<Mark>(a), 2);
  const auto threads = [](const auto& statement) {
    Mark::threads = 0;
    statement();
    return Mark::threads.load();
  };
  EXPECT_EQ(threads([&] { p = sums; }), 3u);
  EXPECT_EQ(threads([&] { v = reshape(sums, Shape1(64)); }), 3u);
  EXPECT_EQ(threads([&] { p = mirror(sums); }), 3u);
  EXPECT_EQ(threads([&] { p = swapaxis<1, 0>(sums); }), 3u);
  EXPECT_EQ(threads([&] { p = roll(sums, 3, 1); }), 3u);
  EXPECT_EQ(p[7][7], 20000.0f);
  omp_set_num_threads(before);
}
#endif

// Rows that are neighbours in memory, as the transposing operand says.
TEST(PlanFacts, TileStepOfWhatIsMoved) {
  Tensor<cpu, 4> t(nullptr, Shape4(3, 4, 5, 6));
  Tensor<cpu, 3> u(nullptr, Shape3(3, 8, 6));
  const auto kept = transpose(t, Shape4(0, 2, 1, 3));
  EXPECT_EQ(Step(pad(kept, 1)), 0);
  EXPECT_EQ(Step(crop(kept, Shape2(2, 2))), 0);
  EXPECT_EQ(Step(reshape(kept, Shape2(60, 6))), 0);
  EXPECT_EQ(Step(pool<red::sum>(kept, 2, 2, 2)), 0);
  const auto swapped = swapaxis<2, 0>(u);
  EXPECT_EQ(Step(swapped), 8);
  EXPECT_EQ(Step(pad(swapped, 1)), 8);
  EXPECT_EQ(Step(mirror(swapped)), 8);
  EXPECT_EQ(Step(roll(swapped, 1, 0)), 8);
  EXPECT_EQ(Step(2.0f * swapped), 8);
}

// Rows that share places in the cache.
TEST(PlanFacts, TransposedRowsOfAPowerOfTwo) {
  ForEachIsa([] {
    for (index_t rows : {1, 40, 150}) {
      Guarded<2> a(Shape2(rows, 1024), 0), out(Shape2(1024, rows), 1);
      FillWhole(a, 90);
      std::vector<double> expected;
      for (std::size_t x = 0; x < 1024; ++x) {
        for (index_t y = 0; y < rows; ++y) expected.push_back(2 * a.At(y * 1024 + x) - 1);
      }
      *out = 2.0f * a->T() - 1.0f;
      ExpectValues(out, expected);
      *out += pool<red::maximum>(*out, 1, 1, 1) - 2.0f * a->T() + 1.0f;
      ExpectValues(out, expected);
    }
  });
}

// The type tells which operands are read from one end to the other, and in place.
TEST(PlanFacts, OfTypes) {
  Tensor<cpu, 2> a(nullptr, Shape2(4, 6));
  const auto facts = [](const auto& e) { return kFactsOf<decltype(MakePlan(e))>; };
  EXPECT_EQ(facts(a + 1.0f).access, Access::kSame);
  EXPECT_EQ(facts(a + a).operands, 2);
  EXPECT_EQ(facts(tcast<double>(a)).access, Access::kSame);
  EXPECT_EQ(facts(mirror(a)).access, Access::kRows);
  EXPECT_EQ(facts(mirror(a)).operands, 1000);
  EXPECT_EQ(facts(reduce_with_axis<red::sum, false>(a, 0)).access, Access::kSame);  // memory
  EXPECT_TRUE(facts(a.T() + a).transposes);
  EXPECT_FALSE(facts(reduce_with_axis<red::sum, false>(a, 0)).transposes);
}

}  // namespace
}  // namespace mshadow
