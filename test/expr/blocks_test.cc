// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/blocks.h>

#include <mshadow/tensor.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// A block holds every step-th row of a plan.
TEST(Blocks, AsAPlan) {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  expr::detail::BlockPlan<float> block{memory, 3, 10, 100, FastDivmod(4)};
  EXPECT_EQ(RowOf(block, 10).Eval(100), 1);
  EXPECT_EQ(RowOf(block, 14).Eval(102), 6);
  RowOf(block, 14).REval(101) = 7;
  EXPECT_EQ(memory[4], 7);
  EXPECT_EQ(RowOf(block, 14).Pointer(101), memory + 4);
}

template <typename E>
constexpr auto AsideIn(const E&) {
  return expr::detail::AsideOf<PlanOf<E>>();
}
template <typename E>
constexpr bool ComputesAside(const E&) {
  return expr::detail::HasAside<PlanOf<E>>();
}

// What fills blocks is computed aside, and so are operands with variants from the third on.
TEST(Blocks, WhichOperands) {
  Guarded<2> a(Shape2(6, 8)), half(Shape2(6, 4));
  const auto pooled = pool<red::maximum>(*a, 1, 2, 1, 2);
  const auto padded = crop(pad(*half, 1), half->shape_, 1, 0);
  EXPECT_FALSE(ComputesAside(*a + 1.0f));
  EXPECT_FALSE(ComputesAside(pooled));
  EXPECT_TRUE(ComputesAside(F<op::exp>(pooled)));
  EXPECT_TRUE(ComputesAside(tcast<double>(pooled)));
  EXPECT_TRUE(ComputesAside(clip(pooled, 0.0f, 1.0f)));
  EXPECT_TRUE(ComputesAside(where(*half, pooled, 0.0f)));
  EXPECT_FALSE(ComputesAside(*half + padded * 2.0f));
  EXPECT_FALSE(ComputesAside(padded + (*half - padded)));
  EXPECT_TRUE(ComputesAside(padded + (*half - padded) * padded));
  EXPECT_EQ(AsideIn(padded + (*half - padded)).kVariants, 2);
  EXPECT_EQ(AsideIn(padded + (pooled - padded)).kFills, 1);
}

// The maximum of pairs of columns, what maps and savers do with it, and with what is transposed or
// lies in the destination.
TEST(Blocks, OfMapsAndSavers) {
  ForEachIsa([] {
    for (index_t columns : {1, 5, 64, 3000}) {
      SCOPED_TRACE(columns);
      const std::size_t w = columns, h = 7;
      Guarded<2> a(Shape2(h, 2 * columns), 1), b(Shape2(h, columns), 3), out(b->shape_, 2);
      Guarded<2> transposed(Shape2(columns, h));
      FillWhole(a, 9);
      FillWhole(b, 7, 2);
      FillWhole(out, 5, 3);
      FillWhole(transposed, 5, 1);
      std::vector<double> maps, savers, itself;
      for (std::size_t i = 0; i < w * h; ++i) {
        const std::size_t y = i / w, x = i % w;
        const double pooled = std::max(a.At(y * 2 * w + 2 * x), a.At(y * 2 * w + 2 * x + 1));
        maps.push_back(3 - pooled * transposed.At(x * h + y));
        savers.push_back(out.At(i) - (pooled * pooled + b.At(i)));
        itself.push_back(out.At(i) * (2 * pooled));
      }
      Guarded<2> second(out->shape_), third(out->shape_, 1);
      *second = *out * 1.0f;
      *third = *out * 1.0f;
      *out -= F<op::square>(pool<red::maximum>(*a, 1, 2, 1, 2)) + *b;
      ExpectValues(out, savers);
      *second = *second * (pool<red::maximum>(*a, 1, 2, 1, 2) * 2.0f);
      ExpectValues(second, itself);
      *third = 3.0f - pool<red::maximum>(*a, 1, 2, 1, 2) * transposed->T();
      ExpectValues(third, maps);
    }
  });
}

// Tiles of a transposing operand are of rows apart, blocks of rows beside each other.
TEST(Blocks, BesideTiles) {
  ForEachIsa([] {
    Guarded<3> a(Shape3(5, 40, 70), 1), b(Shape3(70, 40, 5)), out(a->shape_);
    FillWhole(a, 9);
    FillWhole(b, 7, 2);
    FillWhole(out, 5, 3);
    std::vector<double> sums, products;
    for (std::size_t i = 0; i < 5 * 40 * 70; ++i) {
      const std::size_t x = i % 70, y = i / 70 % 40, z = i / 70 / 40;
      const double product = a.At(i) * b.At((x * 40 + y) * 5 + z);
      sums.push_back(out.At(i) + product);
      products.push_back(product);
    }
    *out += pool<red::maximum>(*a, 1, 1, 1) * swapaxis<2, 0>(*b);
    ExpectValues(out, sums);
    *out = pool<red::maximum>(*a, 1, 1, 1) * swapaxis<2, 0>(*b);
    ExpectValues(out, products);
  });
}

}  // namespace
}  // namespace mshadow
