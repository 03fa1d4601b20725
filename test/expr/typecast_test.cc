// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/typecast.h>

#include <cmath>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;
using mshadow::testing::TestMemory;
using mshadow::testing::WaitForDevice;

template <typename From, typename To>
void Convert() {
  for (index_t pad : {0u, 1u}) {
    Guarded<2, From> a(Shape2(3, 21), pad, 1);
    Guarded<2, To> out(Shape2(3, 21), 0, 1);
    for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<From>(static_cast<int>(i));
    *out = tcast<To>(*a) + tcast<To>(*a * 1);
    for (std::size_t i = 0; i < a.Size(); ++i) {
      ASSERT_EQ(static_cast<double>(out.At(i)), 2.0 * static_cast<double>(i));
    }
    ASSERT_TRUE(out.Intact());
  }
}

TEST(Typecast, BetweenAllKindsOfTypes) {
  ForEachIsa([] {
    Convert<float, double>();
    Convert<double, float>();
    Convert<float, half::half_t>();
    Convert<half::half_t, float>();
    Convert<bfloat::bf16_t, half::half_t>();
    Convert<uint8_t, float>();
    Convert<float, uint8_t>();
    Convert<int64_t, int32_t>();
    Convert<int32_t, double>();
  });
}

// Rows longer than the buffers of a cast: written directly, added, cast from an expression, cast of
// a cast, and read at a shift.
TEST(Typecast, LongRowsOfHalves) {
  using half::half_t;
  ForEachIsa([] {
    for (index_t pad : {0u, 3u}) {
      Guarded<2, half_t> h(Shape2(3, 1303), pad, 1), h_out(Shape2(3, 1303), pad, 1);
      Guarded<2> f(Shape2(3, 1303), pad, 1), f_out(Shape2(3, 1303), 0, 1);
      Guarded<2> part(Shape2(2, 1201), pad);
      h.FillRandom(-9, 9);
      f.FillRandom(-9, 9, 2);
      f_out.FillRandom(-9, 9, 3);
      std::vector<float> sum(f.Size());
      for (std::size_t i = 0; i < f.Size(); ++i) {
        sum[i] = f_out.At(i) + (float(h.At(i)) * 2.0f + f.At(i));
      }
      *f_out += tcast<float>(*h) * 2.0f + *f;
      for (std::size_t i = 0; i < f.Size(); ++i) ASSERT_EQ(f_out.At(i), sum[i]) << i;
      *f_out = tcast<float>(*h);
      for (std::size_t i = 0; i < f.Size(); ++i) ASSERT_EQ(f_out.At(i), float(h.At(i))) << i;
      *h_out = tcast<half_t>(*f - tcast<float>(*h));
      for (std::size_t i = 0; i < f.Size(); ++i) {
        ASSERT_EQ(h_out.At(i).half_, half_t(f.At(i) - float(h.At(i))).half_) << i;
      }
      *f_out = tcast<float>(tcast<half_t>(*f));
      for (std::size_t i = 0; i < f.Size(); ++i) {
        ASSERT_EQ(f_out.At(i), float(half_t(f.At(i)))) << i;
      }
      *part = crop(tcast<float>(crop(*h, Shape2(3, 1299), 0, 1)), Shape2(2, 1201), 1, 7);
      for (std::size_t i = 0; i < part.Size(); ++i) {
        ASSERT_EQ(part.At(i), float(h.At((i / 1201 + 1) * 1303 + i % 1201 + 8))) << i;
      }
      for (bool intact : {f_out.Intact(), h_out.Intact(), part.Intact()}) EXPECT_TRUE(intact);
    }
  });
}

TEST(Typecast, TruncatesTowardsZeroAndKeepsNaN) {
  Guarded<1> a(Shape1(3));
  a.At(0) = 3.9f;
  a.At(1) = -3.9f;
  a.At(2) = 0.0f;
  Guarded<1, int32_t> i(Shape1(3));
  *i = tcast<int32_t>(*a);
  EXPECT_EQ(i.At(0), 3);
  EXPECT_EQ(i.At(1), -3);
  a.At(2) = std::nanf("");
  Guarded<1, half::half_t> h(Shape1(3));
  *h = tcast<half::half_t>(*a);
  EXPECT_TRUE(std::isnan(static_cast<float>(h.At(2))));
}

TEST(Typecast, ScalarsToAndFromHalf) {
  Guarded<1, half::half_t> a(Shape1(3));
  Guarded<1> b(Shape1(3));
  for (std::size_t i = 0; i < 3; ++i) {
    a.At(i) = static_cast<half::half_t>(1.5f);
    b.At(i) = 1.5f;
  }
  *a = *a * tcast<half::half_t>(scalar<float>(2.0f));
  *b = *b * tcast<float>(scalar<half::half_t>(static_cast<half::half_t>(2.0f)));
  EXPECT_EQ(static_cast<float>(a.At(2)), 3);
  EXPECT_EQ(b.At(2), 3);
}

TEST(Typecast, InPlaceWithAnotherElementSizeGoesThroughATemporary) {
  // The same memory as floats and as doubles: element i of the one is not element i of the other.
  TestMemory<double> memory(8);
  Tensor<TestDevice, 1, double> wide(memory.data(), Shape1(8));
  Tensor<TestDevice, 1, float> narrow(reinterpret_cast<float*>(memory.data()), Shape1(8));
  for (int i = 0; i < 8; ++i) wide[i] = i;
  std::vector<float> want;
  for (int i = 0; i < 8; ++i) want.push_back(static_cast<float>(i));
  narrow = tcast<float>(wide);
  WaitForDevice();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(narrow[i], want[i]) << i;
}

}  // namespace
}  // namespace mshadow
