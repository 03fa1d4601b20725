// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/blocks.h>

#include <mshadow/tensor.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// What blocks are asked of: element (y, x) is 1000 y + x.
struct Numbers {
  void WriteRows(float* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y,
                 std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (std::ptrdiff_t v = y; v < end_y; ++v) {
      for (std::ptrdiff_t u = x; u < end; ++u) {
        to[(v - y) * stride + (u - x)] = static_cast<float>(1000 * v + u);
      }
    }
  }
};

// Every element comes once, of rows that fit a block many at a time and of longer ones in parts.
TEST(Blocks, OfRows) {
  for (std::ptrdiff_t columns : {1, 7, 700, 2047, 2048, 2049, 5000}) {
    std::vector<int> seen(static_cast<std::size_t>(5 * columns));
    expr::detail::ForEachBlockRow<float>(
        Numbers(), 3, 8, 2, 2 + columns,
        [&](const float* row, std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n) {
          for (std::ptrdiff_t i = 0; i < n; ++i) {
            EXPECT_EQ(row[i], static_cast<float>(1000 * y + x + i));
            ++seen[static_cast<std::size_t>((y - 3) * columns + (x - 2) + i)];
          }
        });
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << columns;
  }
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
