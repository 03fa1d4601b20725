// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/span.h>

#include <array>
#include <vector>

#include "error_of.h"

namespace mshadow {
namespace {

using testing::ErrorOf;

TEST(Span, ContainersAsTensors) {
  std::vector<float> v(12);
  const Tensor<cpu, 2> x = AsTensor(v, Shape2(3, 4));
  x[2][1] = 5.0f;
  EXPECT_EQ(v[9], 5.0f);
  const std::array<int32_t, 6> a = {1, 2, 3, 4, 5, 6};
  const Tensor<cpu, 3, const int32_t> y = AsTensor(a, Shape3(1, 2, 3));
  EXPECT_EQ(y[0][1][0], 4);
  EXPECT_EQ(ErrorOf([&] { AsTensor(v, Shape2(3, 5)); }),
            "AsTensor: a container of 12 elements is none of shape (3,5)");
}

TEST(Span, RowsOfPictures) {
  std::vector<float> memory(3 * 8);
  const Tensor<cpu, 2> x = AsTensor(memory.data(), Shape2(3, 5), 8 * sizeof(float));
  x[2][4] = 1.0f;
  EXPECT_EQ(memory[20], 1.0f);
  for (std::size_t bytes : {std::size_t{16}, std::size_t{33}, (std::size_t{1} << 34) + 1}) {
    EXPECT_EQ(ErrorOf([&] { AsTensor(memory.data(), Shape2(3, 5), bytes); }),
              "AsTensor: rows " + std::to_string(bytes) +
                  " bytes apart do not fit shape (3,5) of 4-byte elements");
  }
}

#ifdef __cpp_lib_span
TEST(Span, MoreElementsThanIndexCounts) {
  if (sizeof(index_t) == 8) return;
  uint8_t byte = 0;
  EXPECT_NE(ErrorOf([&] { AsTensor(&byte, Shape2(65536, 65536), 65536); })
                .find("Shape (65536, 65536) has more elements than index_t can count"),
            std::string::npos);
}

TEST(Span, TensorsAsSpans) {
  std::vector<float> memory(24);
  const Tensor<cpu, 2> x(memory.data(), Shape2(4, 6)), padded(memory.data(), Shape2(4, 5), 6, nullptr);
  AsSpan(x)[7] = 2.0f;
  EXPECT_EQ(x[1][1], 2.0f);
  EXPECT_EQ(AsSpan(x).size(), 24u);
  EXPECT_EQ(ErrorOf([&] { AsSpan(padded); }),
            "AsSpan: the rows of a tensor of shape (4,5) are 6 elements apart; there are gaps "
            "between them");
}
#endif

#ifdef __cpp_lib_mdspan
TEST(Span, TensorsAsMdspans) {
  std::vector<float> memory(24);
  const Tensor<cpu, 3> padded(memory.data(), Shape3(2, 2, 5), 6, nullptr);
  const auto view = AsMdspan(padded);
  view[1, 0, 3] = 2.0f;
  EXPECT_EQ(padded[1][0][3], 2.0f);
  EXPECT_EQ(view.extent(2), 5u);
}
#endif

}  // namespace
}  // namespace mshadow
