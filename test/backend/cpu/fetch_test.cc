// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/fetch.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

/// += would show an element that is stored twice.
template <typename DType>
void Check(const Shape<3>& shape) {
  SCOPED_TRACE(LogText(shape));
  Guarded<3, DType> a(shape, 1, 1), out(Shape3(shape[2], shape[1], shape[0]), 2);
  a.FillRandom(0, 50, 3);
  *out = DType(1);
  *out += swapaxis<2, 0>(*a);
  for (index_t i = 0; i < shape[0]; ++i) {
    for (index_t j = 0; j < shape[1]; ++j) {
      for (index_t k = 0; k < shape[2]; ++k) {
        ASSERT_EQ((*out)[k][j][i], static_cast<DType>((*a)[i][j][k] + DType(1)))
            << i << ' ' << j << ' ' << k;
      }
    }
  }
  ASSERT_TRUE(out.Intact());
  *out = swapaxis<2, 0>(*a);
  for (index_t k = 0; k < shape[2]; ++k) {
    for (index_t j = 0; j < shape[1]; ++j) {
      for (index_t i = 0; i < shape[0]; ++i) {
        ASSERT_EQ((*out)[k][j][i], (*a)[i][j][k]) << i << ' ' << j << ' ' << k;
      }
    }
  }
  ASSERT_TRUE(out.Intact());
}

// Fewer and more than a block both ways, and more rows than a tile.
TEST(Tile, EverySizeAroundTheBlocks) {
  ForEachIsa([] {
    for (index_t rows : {1u, 3u, 5u, 15u, 16u, 17u, 40u}) {
      for (index_t cols : {2u, 4u, 15u, 16u, 33u}) {
        Check<float>(Shape3(rows, 1, cols));
        Check<float>(Shape3(rows, 3, cols));
        Check<uint8_t>(Shape3(rows, 1, cols));
        Check<int16_t>(Shape3(rows, 1, cols));
      }
    }
    Check<float>(Shape3(5, 1, 2100));
    Check<float>(Shape3(83, 1, 130));   // groups of blocks, side by side
    Check<float>(Shape3(723, 1, 731));  // more than a cache holds
    Check<double>(Shape3(13, 2, 21));
    Check<double>(Shape3(70, 1, 67));
    Check<uint8_t>(Shape3(18, 2, 21));
    Check<uint8_t>(Shape3(83, 1, 530));
    Check<half::half_t>(Shape3(18, 1, 35));
    Check<half::half_t>(Shape3(8, 2, 9));
  });
}

// As if no cache held the result: whole lines of rows that begin anywhere in a line, and rows of
// which no two begin alike.
TEST(Tile, ExceedsCache) {
  simd::detail::SharedCache& cache = simd::detail::TheLastLevelCache();
  const simd::detail::SharedCache machine = cache;
  cache = {1, 1};
  ForEachIsa([] {
    for (index_t width : {16, 17, 40, 61, 703, 720}) {
      for (index_t pad : {0, 1, 2, 3, 8}) {
        for (index_t shift : {0, 1, 12, 14}) {
          // In whole lines, and `pad` more.
          const index_t stride = (width + 15) / 16 * 16 + pad;
          if (pad % 8 != 0 && shift != 1) continue;
          SCOPED_TRACE(std::to_string(width) + " of " + std::to_string(stride) + " behind " +
                       std::to_string(shift));
          const index_t height = 530000 / width;
          Guarded<2> a(Shape2(width, height), 1), out(Shape2(height, width), stride - width, shift);
          a.FillIota();
          *out = a->T();
          std::size_t wrong = 0;
          for (index_t y = 0; y < height; ++y) {
            for (index_t x = 0; x < width; ++x) wrong += (*out)[y][x] != (*a)[x][y];
          }
          ASSERT_EQ(wrong, 0);
          ASSERT_TRUE(out.Intact());
        }
      }
    }
    Guarded<2, uint8_t> bytes(Shape2(703, 800), 1), turned(Shape2(800, 703), 1, 3);
    bytes.FillRandom(0, 50);
    *turned = bytes->T();
    for (index_t y = 0; y < 800; ++y) {
      for (index_t x = 0; x < 703; ++x) ASSERT_EQ((*turned)[y][x], (*bytes)[x][y]) << y << ' ' << x;
    }
    ASSERT_TRUE(turned.Intact());
    Guarded<4, double> a(Shape4(3, 24, 70, 60), 1), out(Shape4(3, 70, 60, 24));
    a.FillRandom(0, 50);
    *out = transpose(*a, Shape4(0, 2, 3, 1));
    for (std::size_t i = 0; i < out.Size(); ++i) {
      const std::size_t c = i % 24, pixel = i / 24 % 4200, image = i / 24 / 4200;
      ASSERT_EQ(out.At(i), a.At((image * 24 + c) * 4200 + pixel)) << i;
    }
  });
  cache = machine;
}

/// Columns [1, 38), rows [2, 4) and images [3, 20) of what is transposed.
template <typename DType>
void CheckParts() {
  Guarded<3, DType> a(Shape3(40, 5, 22), 1), out(Shape3(17, 2, 37), 2);
  a.FillRandom(0, 50, 3);
  *out = DType(1);
  const auto all = swapaxis<2, 0>(*a);  // (22, 5, 40)
  *out += slice<0>(slice<1>(slice<2>(all, 1, 38), 2, 4), 3, 20);
  const auto check = [&](DType more) {
    for (index_t i = 0; i < 17; ++i) {
      for (index_t j = 0; j < 2; ++j) {
        for (index_t k = 0; k < 37; ++k) {
          ASSERT_EQ((*out)[i][j][k], static_cast<DType>((*a)[k + 1][j + 2][i + 3] + more))
              << i << ' ' << j << ' ' << k;
        }
      }
    }
    ASSERT_TRUE(out.Intact());
  };
  check(DType(1));
  *out = slice<0>(slice<1>(slice<2>(all, 1, 38), 2, 4), 3, 20);
  check(DType(0));
}
TEST(Tile, PartsOfWhatTransposes) {
  ForEachIsa([] {
    CheckParts<float>();
    CheckParts<double>();
    CheckParts<half::half_t>();
    CheckParts<uint8_t>();
  });
}

// Destinations whose rows are no plain memory.
TEST(Tile, IntoOtherViews) {
  Guarded<2> a(Shape2(40, 50), 1), b(Shape2(50, 18)), c(Shape2(50, 22), 3), d(Shape2(60, 90));
  a.FillIota();
  *d = -1.0f;
  concat<1>(*b, *c) = a->T();
  slice(*d, Shape2(5, 3), Shape2(55, 83), Shape2(1, 2)) = a->T();
  for (index_t i = 0; i < 50; ++i) {
    for (index_t j = 0; j < 40; ++j) {
      ASSERT_EQ(j < 18 ? (*b)[i][j] : (*c)[i][j - 18], (*a)[j][i]);
      ASSERT_EQ((*d)[5 + i][3 + 2 * j], (*a)[j][i]);
      ASSERT_EQ((*d)[5 + i][4 + 2 * j], -1.0f);
    }
  }
  EXPECT_TRUE(b.Intact() && c.Intact());
}

}  // namespace
}  // namespace mshadow
