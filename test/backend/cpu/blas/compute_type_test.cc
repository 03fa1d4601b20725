// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/blas/compute_type.h>
#include <mshadow/core/half.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace mshadow {
namespace {

using blas::Compute;
using blas::kComputesInPlace;

template <typename DType, typename Expected>
constexpr bool kIs = std::is_same_v<Compute<DType>, Expected>;

TEST(ComputeType, OfEveryKind) {
  EXPECT_TRUE((kIs<float, float> && kIs<double, double> && kIs<half::half_t, float>));
  EXPECT_TRUE((kIs<uint8_t, uint32_t> && kIs<int8_t, uint32_t> && kIs<int32_t, uint32_t>));
  EXPECT_TRUE((kIs<int64_t, uint64_t> && kIs<bool, uint64_t>));
  EXPECT_TRUE(kComputesInPlace<float> && kComputesInPlace<int32_t> && kComputesInPlace<int64_t>);
  EXPECT_FALSE(kComputesInPlace<half::half_t> || kComputesInPlace<int8_t> ||
               kComputesInPlace<bool>);
}

// A sum of the unsigned twin has the low bits of the wrapped signed one.
TEST(ComputeType, NegativeIntegersSurvive) {
  const auto sum = blas::ToCompute(int8_t{-100}) * blas::ToCompute(int8_t{3});
  EXPECT_EQ(blas::FromCompute<int8_t>(sum), static_cast<int8_t>(-300 & 255));
  EXPECT_EQ(blas::FromCompute<int32_t>(blas::ToCompute(int32_t{-5})), -5);
  EXPECT_TRUE(blas::FromCompute<bool>(uint64_t{2}));
}

TEST(Scratch, IsAlignedAndGrows) {
  blas::Scratch<float> scratch;
  EXPECT_EQ(scratch.data(), nullptr);
  for (std::ptrdiff_t size : {1, 1000, 3}) {
    float* const data = scratch.Allocate(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
    data[0] = data[size - 1] = 1;
    EXPECT_EQ(scratch.data(), data);
  }
}

}  // namespace
}  // namespace mshadow
