// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/range.h>

#include <limits>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

TEST(Range, StepsAndRepeats) {
  ExpectUses(Shape1(50), Each(Shape1(50), [](Index<1> i) { return 3.0 + 2.0 * i[0]; }),
             [] { return range<float>(3, 103, 2); });
  ExpectUses(Shape1(6), {0, 0, 0, 2, 2, 2}, [] { return range<float>(0, 4, 2, 3); });
  ExpectUses(Shape1(5), {5, 4, 3, 2, 1}, [] { return range<float>(5, 0, -1); });
  ExpectUses(Shape1(3), {0, 2, 4}, [] { return range<float>(0, 5, 2); });
  ExpectUses(Shape1(0), {}, [] { return range<float>(2, 2); });
}

TEST(Range, MixedTypes) {
  const index_t n = 3;
  static_assert(std::is_same_v<decltype(range(0, n)), RangeExp<index_t>>);
  static_assert(std::is_same_v<decltype(range(0, 1.5f)), RangeExp<float>>);
  static_assert(std::is_same_v<decltype(range(0, 2, 0.5)), RangeExp<double>>);
  static_assert(std::is_same_v<decltype(range<float>(0, n)), RangeExp<float>>);
  Guarded<1, double> out(Shape1(4));
  *out = range(0, 2, 0.5);
  ExpectValues(out, {0, 0.5, 1, 1.5});
}

TEST(Range, OutSize) {
  EXPECT_EQ((RangeOutSize<int>(0, 5, 2, 1)), 3u);
  EXPECT_EQ((RangeOutSize<float>(5, 0, -1, 1)), 5u);
  EXPECT_EQ((RangeOutSize<int>(5, 0, -1, 1)), 5u);
  EXPECT_EQ((RangeOutSize<int>(5, 0, -2, 4)), 12u);
  EXPECT_EQ((RangeOutSize<double>(0, 1, 0.25, 1)), 4u);
  EXPECT_EQ((RangeOutSize<int64_t>(INT64_MIN, INT64_MAX, INT64_MAX, 1)), 3u);
  EXPECT_EQ((RangeOutSize<uint8_t>(250, 255, 2, 1)), 3u);
}

TEST(Range, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> out(Shape1(30));
    *out = range<DType>(static_cast<DType>(2.0f), static_cast<DType>(62.0f),
                        static_cast<DType>(4.0f), 2);
    ExpectValues(out, Each(out->shape_, [](Index<1> i) { return 2.0 + i[0] / 2 * 4.0; }));
  });
}

TEST(Range, Broadcast) {
  Guarded<2> a(Shape2(3, 5), 1), out(Shape2(3, 5));
  FillWhole(a, 100);
  *out = *a + broadcast<0>(range<float>(0, 30, 10), out->shape_);
  ExpectValues(out, Each(out->shape_, [&](Index<2> i) { return At(a, i) + 10.0 * i[0]; }));
}

// The product of number and step exceeds the type, the sum does not.
TEST(Range, AllOfAType) {
  const auto low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  Guarded<1, int64_t> wide(Shape1(4));
  *wide = range<int64_t>(low, high, int64_t(1) << 62);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(wide.At(i), low / 2 * (2 - i)) << i;
  Guarded<1, int32_t> narrow(Shape1(8));
  *narrow = range<int32_t>(std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max(), 1 << 30, 2);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(narrow.At(i), (i / 2 - 2) * (1 << 30)) << i;
  Guarded<1, int8_t> bytes(Shape1(255));
  *bytes = range<int8_t>(127, -128, -1);
  for (int i = 0; i < 255; ++i) EXPECT_EQ(bytes.At(i), 127 - i) << i;
}

TEST(Range, Errors) {
  EXPECT_EQ(ErrorOf([] { range<float>(0, 5, 0); }).find("range: step must not be 0") !=
                std::string::npos,
            true);
  EXPECT_NE(ErrorOf([] { range<float>(0, 5, -1); }).find("leads away from stop"),
            std::string::npos);
  EXPECT_NE(ErrorOf([] { range<int>(0, 5, 1, 0); }).find("repeat = 0 must be positive"),
            std::string::npos);
  EXPECT_NE(ErrorOf([] { range<double>(0, 1e18, 1e-3); }).find("index_t cannot count"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
