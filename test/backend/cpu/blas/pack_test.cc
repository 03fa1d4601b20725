// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/pack.h>

#include <cstdint>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// Packs op(A) of rows x cols into rows of `width`, and looks at every place.
template <typename T>
void CheckPack(bool trans, std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t width) {
  constexpr std::ptrdiff_t kPad = 3;
  const std::ptrdiff_t ld = (trans ? rows : cols) + kPad;
  // No element after the last one that is read: ASan sees what lies there.
  std::vector<T> from(static_cast<std::size_t>(
      trans ? (cols - 1) * ld + rows : (rows - 1) * ld + cols));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i % 1021 + 1);
  std::vector<T> to(static_cast<std::size_t>(rows * width), T(2000));
  blas::Pack(trans, from.data(), ld, rows, cols, to.data(), width);
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < width; ++j) {
      const T expected = j < cols ? from[trans ? j * ld + i : i * ld + j] : T(2000);
      ASSERT_EQ(to[i * width + j], expected) << i << ", " << j << " of " << rows << " x " << cols;
    }
  }
}

template <typename T>
class Packing : public ::testing::Test {};
using PackedTypes = ::testing::Types<float, double, std::uint64_t>;
TYPED_TEST_SUITE(Packing, PackedTypes);

TYPED_TEST(Packing, RowsAndColumns) {
  for (const bool trans : {false, true}) {
    for (const std::ptrdiff_t rows : {1, 2, 3, 4, 9, 16}) {
      for (const std::ptrdiff_t cols : {1, 3, 4, 12, 13, 33, 70}) {
        CheckPack<TypeParam>(trans, rows, cols, cols);
        CheckPack<TypeParam>(trans, rows, cols, cols + 5);
      }
    }
  }
}

}  // namespace
}  // namespace mshadow
