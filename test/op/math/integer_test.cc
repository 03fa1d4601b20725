// SPDX-License-Identifier: Apache-2.0
#include <mshadow/op/math/integer.h>

#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

template <typename DType>
void CheckPowers() {
  const std::vector<DType> bases = {DType(0), DType(1), DType(2), DType(3), DType(7), DType(-1),
                                    DType(-2), DType(-3), std::numeric_limits<DType>::min(),
                                    std::numeric_limits<DType>::max()};
  const std::vector<int> exponents = {0, 1, 2, 3, 5, 8, 31, 39, 63, 64, 100};
  for (DType a : bases) {
    for (int b : exponents) {
      uint64_t power = 1;
      for (int i = 0; i < b; ++i) power *= static_cast<uint64_t>(a);
      EXPECT_EQ(op::pow::Map(a, DType(b)), static_cast<DType>(power)) << +a << "^" << b;
    }
    if (std::is_signed_v<DType>) {
      for (int b : {-1, -2, -63}) {
        const int expected = a == DType(1) ? 1 : a == DType(-1) ? (b % 2 == 0 ? 1 : -1) : 0;
        EXPECT_EQ(op::pow::Map(a, DType(b)), DType(expected)) << +a << "^" << b;
      }
    }
  }
}

TEST(Integer, Powers) {
  CheckPowers<int8_t>();
  CheckPowers<uint8_t>();
  CheckPowers<int16_t>();
  CheckPowers<uint16_t>();
  CheckPowers<int32_t>();
  CheckPowers<uint32_t>();
  CheckPowers<int64_t>();
  CheckPowers<uint64_t>();
  EXPECT_EQ(op::pow::Map(int64_t{3}, int64_t{39}), 4052555153018976267);
  ForEachIsa([] {
    Guarded<1, int64_t> a(Shape1(21)), out(Shape1(21));
    a.FillIota();
    *out = expr::F<op::pow>(*a, 14);
    EXPECT_EQ(out.At(19), 799006685782884121);
    *out = expr::F<op::pow>(3, *a);
    EXPECT_EQ(out.At(20), 3486784401);
  });
}

template <typename DType>
void CheckRoots(const std::vector<uint64_t>& roots) {
  for (uint64_t r : roots) {
    if (r < 2) continue;
    const uint64_t most = static_cast<uint64_t>(std::numeric_limits<DType>::max());
    if (r <= most / r) {
      EXPECT_EQ(op::sqrt::Map(static_cast<DType>(r * r)), static_cast<DType>(r));
      EXPECT_EQ(op::sqrt::Map(static_cast<DType>(r * r - 1)), static_cast<DType>(r - 1));
    }
    if (r <= most / r / r) {
      const DType cube = static_cast<DType>(r * r * r);
      EXPECT_EQ(op::cbrt::Map(cube), static_cast<DType>(r));
      EXPECT_EQ(op::cbrt::Map(static_cast<DType>(cube - 1)), static_cast<DType>(r - 1));
      if (std::is_signed_v<DType>) {
        EXPECT_EQ(op::cbrt::Map(static_cast<DType>(-cube)), static_cast<DType>(0 - r));
      }
    }
  }
}

TEST(Integer, Roots) {
  std::vector<uint64_t> roots;
  for (uint64_t r = 2; r < 5000; ++r) roots.push_back(r);
  for (uint64_t r = 0; r < 300; ++r) {
    for (uint64_t end : {2097151u, 2642245u, 3037000499u, 4294967295u, 94906267u}) {
      roots.push_back(end - r);
    }
  }
  CheckRoots<uint8_t>(roots);
  CheckRoots<int16_t>(roots);
  CheckRoots<int32_t>(roots);
  CheckRoots<uint32_t>(roots);
  CheckRoots<int64_t>(roots);
  CheckRoots<uint64_t>(roots);
  EXPECT_EQ(op::sqrt::Map(std::numeric_limits<uint64_t>::max()), 4294967295u);
  EXPECT_EQ(op::sqrt::Map(int64_t{-4}), 0);
  EXPECT_EQ(op::sqrt::Map(int64_t{0}), 0);
  EXPECT_EQ(op::cbrt::Map(std::numeric_limits<uint64_t>::max()), 2642245u);
  EXPECT_EQ(op::cbrt::Map(std::numeric_limits<int64_t>::min()), -2097152);
  EXPECT_EQ(op::cbrt::Map(std::numeric_limits<int8_t>::min()), -5);
}

TEST(Integer, Logarithms) {
  for (int k = 1; k < 64; ++k) {
    const uint64_t power = uint64_t{1} << k;
    EXPECT_EQ(op::log2::Map(power), static_cast<uint64_t>(k));
    EXPECT_EQ(op::log2::Map(power - 1), static_cast<uint64_t>(k - 1));
    if (k == 63) break;
    EXPECT_EQ(op::log2::Map(static_cast<int64_t>(power)), k);
    EXPECT_EQ(op::log2::Map(static_cast<int64_t>(power - 1)), k - 1);
  }
  EXPECT_EQ(op::log2::Map(std::numeric_limits<uint64_t>::max()), 63u);
  uint64_t power = 10;
  for (uint64_t k = 1; k < 20; ++k, power *= 10) {
    EXPECT_EQ(op::log10::Map(power), k);
    EXPECT_EQ(op::log10::Map(power - 1), k - 1);
  }
}

TEST(Integer, LargeNumbersStay) {
  const int64_t large = (int64_t{1} << 60) + 1;
  EXPECT_EQ(op::leaky_relu::Map(large), large);
  EXPECT_EQ(op::leaky_relu::Map(large, int64_t{2}), large);
  EXPECT_EQ(op::leaky_relu::Map(-large, int64_t{2}), -2 * large);
  EXPECT_EQ(op::relu::Map(large), large);
  EXPECT_EQ(op::abs::Map(-large), large);
  EXPECT_EQ(op::sign::Map(-large), -1);
  EXPECT_EQ(op::floor::Map(large), large);
  EXPECT_EQ(op::round::Map(large), large);
  EXPECT_EQ(op::clip::Map(large, int64_t{0}, large + 1), large);
  EXPECT_EQ(op::where::Map(large, large, int64_t{0}), large);
  EXPECT_EQ(op::mod::Map(large, int64_t{1} << 60), 1);
}

}  // namespace
}  // namespace mshadow
