// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/reordered.h>

#include <type_traits>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

using Matrix = Tensor<TestDevice, 4>;
using Pooled = decltype(pool<red::maximum>(std::declval<Matrix>(), 2, 2, 1));
using Exps = decltype(F<op::exp>(std::declval<Matrix>()));
constexpr bool kOnHost = TestDevice::kDevCPU;
static_assert(std::is_same_v<ReorderedPlan<Matrix, float>, PlanOf<Matrix>>);
static_assert(std::is_same_v<RereadPlan<Matrix, float>, PlanOf<Matrix>>);
static_assert(std::is_same_v<ReorderedPlan<Exps, float>, PlanOf<Exps>>);
static_assert(std::is_same_v<RereadPlan<Exps, float>, PlanOf<Exps>> != kOnHost);
static_assert(std::is_same_v<ReorderedPlan<Pooled, float>, PlanOf<Pooled>> != kOnHost);

/// Expects node(pooled) to be node of a tensor that holds the same.
template <typename Node>
void CheckOfPooled(const Node& node) {
  for (const Shape<4>& shape : {Shape4(3, 2, 6, 4), Shape4(2, 2, 5, 41)}) {
    Guarded<4> a(shape, 1), pooled(Shape4(shape[0], shape[1], shape[2] - 1, shape[3] - 1));
    a.FillRandom(-4, 4);
    *pooled = pool<red::maximum>(*a, 2, 2, 1);
    const auto expected = node(*pooled);
    constexpr int kDim = ExpInfo<decltype(expected)>::kDim;
    const Shape<kDim> out = ShapeCheck<kDim, std::decay_t<decltype(expected)>>::Check(expected);
    Guarded<kDim> one(out, 1), two(out), sum(out);
    *one = expected;
    *two = node(pool<red::maximum>(*a, 2, 2, 1));
    *sum = 1.0f;
    *sum += node(pool<red::maximum>(*a, 2, 2, 1)) * 2.0f;
    for (std::size_t i = 0; i < one.Size(); ++i) {
      ASSERT_EQ(one.At(i), two.At(i)) << out << " [" << i << "]";
      ASSERT_EQ(2 * one.At(i) + 1, sum.At(i)) << out << " [" << i << "]";
    }
    EXPECT_TRUE(two.Intact());
  }
}

TEST(Reordered, OfPooled) {
  CheckOfPooled([](const auto& e) { return mirror(e); });
  CheckOfPooled([](const auto& e) { return flip(e, 1); });
  CheckOfPooled([](const auto& e) { return flip(e, 3); });
  CheckOfPooled([](const auto& e) { return tile(e, Shape4(2, 1, 3, 2)); });
  CheckOfPooled([](const auto& e) { return swapaxis<3, 0>(e); });
  CheckOfPooled([](const auto& e) { return swapaxis<2, 1>(e); });
  CheckOfPooled([](const auto& e) { return transpose(e, Shape4(1, 3, 0, 2)); });
  CheckOfPooled([](const auto& e) { return roll(e, 2, 3); });
  CheckOfPooled([](const auto& e) { return pad(e, 1, 2); });
  CheckOfPooled([](const auto& e) { return concat<3>(e, e * 2.0f); });
  CheckOfPooled([](const auto& e) { return concat<1>(e, e); });
  CheckOfPooled([](const auto& e) { return unpack_patch2col(e, 2, 3, 1); });
  CheckOfPooled([](const auto& e) { return pool<red::sum>(e, 2, 3, 1); });
  CheckOfPooled([](const auto& e) { return avg_pool(e, 2, 2, 1); });
  CheckOfPooled([](const auto& e) { return chpool<red::sum>(e, 1); });
  CheckOfPooled([](const auto& e) { return resize(e, 7, 9); });
  CheckOfPooled([](const auto& e) { return upsampling_nearest(e, 2); });
  CheckOfPooled([](const auto& e) { return unpool<red::maximum>(pad(e, 1, 1), e, e, 3, 3, 1); });
  CheckOfPooled([](const auto& e) { return broadcast_with_axis(e, 3, 2) + 1.0f; });
}

TEST(Reordered, OfItself) {
  Guarded<4> a(Shape4(2, 2, 5, 7)), out(Shape4(2, 2, 5, 7));
  a.FillRandom(-4, 4);
  *out = mirror(avg_pool(*a, 1, 1, 1) + *a);
  *a = mirror(avg_pool(*a, 1, 1, 1) + *a);
  for (std::size_t i = 0; i < a.Size(); ++i) ASSERT_EQ(a.At(i), out.At(i)) << i;
}

/// The identity, at the cost of a function.
struct Counted {
  static constexpr int kCost = 16;
  static int count;
  MSHADOW_XINLINE static float Map(float a) {
    ++count;
    return a;
  }
};
int Counted::count = 0;

// On the CPU an operand that is read again and again is computed once; the last elements of a row
// twice, where they are no whole vector.
TEST(Reordered, ComputesOnce) {
  if constexpr (std::is_same_v<TestDevice, cpu>) {
    Guarded<4> a(Shape4(2, 2, 5, 7)), big(Shape4(2, 2, 20, 30));
    Guarded<2> m(Shape2(9, 5)), n(Shape2(5, 11)), product(Shape2(9, 11));
    Guarded<2> columns(Shape2(18, 2 * 3 * 5));
    a.FillIota();
    const auto count = [](const auto& statement) {
      Counted::count = 0;
      statement();
      return Counted::count;
    };
    EXPECT_LT(count([&] { *big = resize(F<Counted>(*a), 20, 30); }), 160);
    EXPECT_LT(count([&] { *columns = unpack_patch2col(F<Counted>(*a), 3, 3, 1); }), 160);
    Guarded<1> v(Shape1(5));
    Guarded<2> rows(Shape2(40, 5));
    Guarded<4> twice(Shape4(2, 2, 10, 14)), pooled(Shape4(2, 2, 3, 5));
    EXPECT_LT(count([&] { *rows = broadcast<1>(F<Counted>(*v), rows->shape_); }), 10);
    EXPECT_LT(count([&] { *rows = broadcast_with_axis(F<Counted>(*v), -1, 40); }), 10);
    EXPECT_LT(count([&] { *twice = tile(F<Counted>(*a), Shape4(1, 1, 2, 2)); }), 160);
    EXPECT_LT(count([&] { *twice = upsampling_nearest(F<Counted>(*a), 2); }), 160);
    EXPECT_LT(count([&] { *pooled = pool<red::sum>(F<Counted>(*a), 3, 3, 1); }), 160);
    EXPECT_LT(count([&] { *pooled = avg_pool(F<Counted>(*a), 3, 3, 1); }), 160);
    EXPECT_LT(count([&] { *product = implicit_dot(F<Counted>(*m), F<Counted>(*n)); }), 120);
  }
}

}  // namespace
}  // namespace mshadow
