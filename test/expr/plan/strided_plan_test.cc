// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/strided_plan.h>

#include <mshadow/tensor.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// Copies of what lies in memory in several ways, and each of them computed with.
TEST(StridedPlan, OfEachOther) {
  ForEachIsa([] {
    for (index_t width : {3, 9, 40}) {
      SCOPED_TRACE(width);
      Guarded<3> a(Shape3(4, 6, width), 3), out(Shape3(2, 3, width - 2), 1);
      FillWhole(a, 50);
      const auto at = [&](std::size_t i, std::size_t y, std::size_t x) {
        return a.At((i * 6 + y) * width + x);
      };
      std::vector<double> sliced, stepped, flipped, swapped, tiled;
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t y = 0; y < 3; ++y) {
          for (index_t x = 0; x + 2 < width; ++x) {
            sliced.push_back(at(i + 1, y + 2, x + 1));
            stepped.push_back(at(2 * i, 2 * y + 1, x + 2));
            flipped.push_back(at(2 - i, 4 - y, width - 2 - x));
            swapped.push_back(at(y, i + 2, x + 1));
            tiled.push_back(at(0, i, x + 1));
          }
        }
      }
      const auto check = [&](const auto& e, const std::vector<double>& expected) {
        *out = 0.0f;
        *out = e;
        ExpectValues(out, expected);
        *out += e;
        *out = *out - 1.0f * e;
        ExpectValues(out, expected);
      };
      const Shape<3> box = Shape3(3, 5, width - 1);
      check(slice<1>(slice<2>(slice<0>(*a, 1, 3), 1, width - 1), 2, 5), sliced);
      check(crop(slice(*a, Shape3(1, 1, 0), Shape3(3, 6, width)), Shape2(3, width - 2), 1, 1),
            sliced);
      check(slice(slice(*a, Shape3(0, 1, 2), Shape3(4, 6, width), Shape3(2, 2, 1)),
                  Shape3(0, 0, 0), Shape3(2, 3, width - 2)),
            stepped);
      check(flip(flip(flip(slice(*a, Shape3(1, 2, 1), box), 2), 1), 0), flipped);
      check(mirror(flip(flip(slice(*a, Shape3(1, 2, 1), box), -2), 0)), flipped);
      check(swapaxis<1, 0>(slice(*a, Shape3(0, 2, 1), Shape3(3, 4, width - 1))), swapped);
      check(swapaxis<1, 0>(tile(slice(*a, Shape3(0, 0, 1), Shape3(1, 2, width - 1)),
                                Shape3(3, 1, 1))),
            tiled);
    }
  });
}

// Blocks of rows are asked of the source, where these follow each other there too.
TEST(StridedPlan, OfBlocks) {
  ForEachIsa([] {
    Guarded<4> a(Shape4(3, 2, 10, 30), 1), out(Shape4(2, 3, 3, 11), 2);
    FillWhole(a, 40);
    std::vector<double> expected;
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t y = 1; y < 4; ++y) {
          for (std::size_t x = 2; x < 13; ++x) {
            const auto at = [&](std::size_t v, std::size_t u) {
              return a.At(((i * 2 + j) * 10 + v) * 30 + u);
            };
            expected.push_back(std::max(std::max(at(2 * y, 2 * x), at(2 * y, 2 * x + 1)),
                                        std::max(at(2 * y + 1, 2 * x), at(2 * y + 1, 2 * x + 1))));
          }
        }
      }
    }
    const auto pooled = pool<red::maximum>(*a, 2, 2, 2);
    *out = swapaxis<1, 0>(crop(pooled, Shape2(3, 11), 1, 2));
    ExpectValues(out, expected);
    *out = crop(swapaxis<1, 0>(pooled), Shape2(3, 11), 1, 2);
    ExpectValues(out, expected);
    *out = 2.0f * crop(swapaxis<1, 0>(pooled), Shape2(3, 11), 1, 2) - *out;
    ExpectValues(out, expected);
  });
}

/// Expects node(map) to be node of a tensor that holds the same.
template <typename Node>
void CheckOfMap(const Node& node) {
  for (index_t width : {3, 7, 40}) {
    Guarded<3> a(Shape3(4, 6, width), 3), b(Shape3(4, 6, width)), map(Shape3(4, 6, width));
    FillWhole(a, 50);
    FillWhole(b, 50, 2);
    *map = F<op::exp>(*a * -0.125f) + *b * 2.0f;
    const auto expected = node(*map);
    const Shape<3> shape = ShapeCheck<3, std::decay_t<decltype(expected)>>::Check(expected);
    Guarded<3> one(shape), two(shape, 2);
    *one = expected;
    *two = 1.0f;
    *two += node(F<op::exp>(*a * -0.125f) + *b * 2.0f);
    for (std::size_t i = 0; i < one.Size(); ++i) {
      ASSERT_NEAR(one.At(i) + 1, two.At(i), 1e-4) << shape << " [" << i << "]";
    }
    EXPECT_TRUE(two.Intact());
  }
}

// The rows of a map are maps of its operands' rows.
TEST(StridedPlan, OfMaps) {
  const auto slices = [](const auto& e) { return slice(e, {1, 0, 1}, {4, 5, 3}); };
  using Matrix = Tensor<TestDevice, 3>;
  using OfMap = PlanOf<decltype(mirror(std::declval<Matrix>() * 2.0f))>;
  static_assert(expr::detail::IsMap<OfMap>::value);
  static_assert(!expr::detail::IsMap<PlanOf<decltype(mirror(std::declval<Matrix>()))>>::value);
  ForEachIsa([&] {
    CheckOfMap(slices);
    CheckOfMap([](const auto& e) { return slice(e, {0, 1, 0}, {4, 6, 3}, {2, 1, 2}); });
    CheckOfMap([](const auto& e) { return slice<1>(e, 1, 4); });
    CheckOfMap([](const auto& e) { return slice<2>(e, 1, 3); });
    CheckOfMap([](const auto& e) { return crop(e, Shape2(5, 2)); });
    CheckOfMap([](const auto& e) { return mirror(e); });
    CheckOfMap([](const auto& e) { return flip(e, 0); });
    CheckOfMap([](const auto& e) { return flip(e, 2); });
    CheckOfMap([](const auto& e) { return swapaxis<1, 0>(e); });
    CheckOfMap([](const auto& e) { return tile(e, Shape3(1, 2, 3)); });
  });
}

}  // namespace
}  // namespace mshadow
