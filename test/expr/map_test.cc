// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/map.h>

#include <cmath>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

// A user's ops, as users write them: plain functions of float, or templates.
struct PlainSquare {
  MSHADOW_HOST_DEVICE static float Map(float a) { return a * a; }
};
struct Hypotenuse {
  MSHADOW_HOST_DEVICE static float Map(float a, float b) { return std::sqrt(a * a + b * b); }
};
struct Fused {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b, DType c) {
    return static_cast<DType>(a * b + c);
  }
};
struct Twice {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return static_cast<DType>(a + a);
  }
};

template <typename DType>
class MapOfEveryType : public ::testing::Test {};
using MapDTypes = ::testing::Types<float, double, half::half_t, bfloat::bf16_t, uint8_t, int8_t,
                                int32_t, int64_t>;
TYPED_TEST_SUITE(MapOfEveryType, MapDTypes);

// Small integers are exact in every type, so that every type has the same right answer.
TYPED_TEST(MapOfEveryType, AgreesWithPlainLoopsForOddSizesPaddingAndShifts) {
  using DType = TypeParam;
  ForEachIsa([] {
    for (index_t cols : {1u, 3u, 17u, 130u}) {
      for (index_t pad : {0u, 3u}) {
        for (index_t shift : {0u, 1u}) {
          const Shape<2> shape = Shape2(3, cols);
          Guarded<2, DType> a(shape, pad, shift), b(shape, pad == 0 ? 5 : 0, 0), out(shape, pad, 0);
          a.FillRandom(0, 4);
          b.FillRandom(1, 5, 2);
          for (std::size_t i = 0; i < a.Size(); ++i) {
            a.At(i) = static_cast<DType>(static_cast<int>(a.At(i)));
            b.At(i) = static_cast<DType>(static_cast<int>(b.At(i)));
          }
          *out = F<Fused>(F<Twice>(*a), *b, *b + 1);
          for (std::size_t i = 0; i < out.Size(); ++i) {
            const double x = static_cast<double>(a.At(i)), y = static_cast<double>(b.At(i));
            ASSERT_EQ(static_cast<double>(out.At(i)), 2 * x * y + y + 1) << i;
          }
          ASSERT_TRUE(out.Intact());
        }
      }
    }
  });
}

TEST(Map, UsersPlainFloatFunctionsWorkOnEveryInstructionSet) {
  ForEachIsa([] {
    Guarded<3> a(Shape3(2, 3, 19), 1, 1), b(Shape3(2, 3, 19)), out(Shape3(2, 3, 19), 2);
    a.FillRandom(-2, 2);
    b.FillRandom(-2, 2, 7);
    *out = F<Hypotenuse>(F<PlainSquare>(*a), *b);
    for (std::size_t i = 0; i < out.Size(); ++i) {
      const double x = static_cast<double>(a.At(i)) * a.At(i), y = b.At(i);
      ASSERT_NEAR(out.At(i), std::sqrt(x * x + y * y), 1e-5);
    }
    EXPECT_TRUE(out.Intact());
  });
}

TEST(Map, ScalarsOfAnyArithmeticTypeStandForOperands) {
  Guarded<1> a(Shape1(5)), out(Shape1(5));
  a.FillIota();
  *out = F<op::mul>(2, *a);
  EXPECT_EQ(out.At(3), 6.0f);
  *out = F<op::plus>(*a, 1.5);
  EXPECT_EQ(out.At(3), 4.5f);
  *out = F<op::plus>(*a, ScalarExp(1.0f));
  EXPECT_EQ(out.At(3), 4.0f);
  *out = F<op::plus>(*a, scalar<double>(1.0));
  EXPECT_EQ(out.At(3), 4.0f);
  *out = F<Fused>(*a, 2.0f, 1);
  EXPECT_EQ(out.At(3), 7.0f);
  *out = F<Fused>(2, 3, *a);
  EXPECT_EQ(out.At(3), 9.0f);
  *out = F<op::right>(*a, 3.0f);
  EXPECT_EQ(out.At(0), 3.0f);
  *out = MakeExp<Twice>(*a);
  EXPECT_EQ(out.At(4), 8.0f);
}

TEST(Map, HalfTensorsTakeFloatAndHalfScalars) {
  Guarded<1, half::half_t> a(Shape1(3)), out(Shape1(3));
  a.FillIota();
  *out = *a * 2.0f + half::half_t(1.0f);
  EXPECT_EQ(static_cast<float>(out.At(2)), 5.0f);
  *out = half::half_t(2.0f) * *a - 1;
  EXPECT_EQ(static_cast<float>(out.At(2)), 3.0f);
}

TEST(Map, TheErrorShowsBothShapes) {
  Guarded<2> a(Shape2(2, 3)), b(Shape2(3, 2)), out(Shape2(2, 3));
  out.FillIota();
  try {
    *out = *a + *b;
    FAIL() << "shapes (2,3) and (3,2) were added";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("Shape1=(2,3), Shape2=(3,2)"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW((*out = F<Fused>(*a, *a, *b)), Error);
  EXPECT_THROW((*out = F<Fused>(1.0f, *a, *b)), Error);
  EXPECT_EQ(out.At(5), 5.0f) << "a refused statement wrote something";
}

TEST(Map, AnEmptyTensorIsNoScalar) {
  Guarded<2> a(Shape2(2, 3)), out(Shape2(2, 3)), empty(Shape2(0, 3));
  EXPECT_THROW((*out = *a + *empty), Error);
  EXPECT_THROW((*out = *empty + 0.0f), Error);
  Guarded<2> none(Shape2(0, 3));
  *none = *empty + 1.0f;
}

TEST(Map, NodesKeepTheirOperandsByValue) {
  Guarded<1> a(Shape1(4)), out(Shape1(4));
  a.FillIota();
  const auto e = [&] {
    Tensor<TestDevice, 1> view = *a;
    return (view + 1.0f) * (view - 2.0f) * view;
  }();
  *out = e;
  EXPECT_EQ(out.At(3), 4.0f * 1.0f * 3.0f);
}

TEST(Map, KindsAreOredAndRanksAgree) {
  Tensor<TestDevice, 2> t;
  Tensor<TestDevice, 1> v;
  [[maybe_unused]] auto sum = t + 1.0f;
  [[maybe_unused]] auto chained = t.T() + t;
  static_assert(std::is_base_of_v<Exp<decltype(sum), float, type::kMapper>, decltype(sum)>);
  static_assert(
      std::is_base_of_v<Exp<decltype(chained), float, type::kChainer>, decltype(chained)>);
  static_assert(ExpInfo<decltype(sum)>::kDim == 2 && ExpInfo<decltype(v + 1)>::kDim == 1);
  static_assert(ExpInfo<decltype(t + v)>::kDim == 2);
  static_assert(ExpInfo<decltype(sum)>::kDevMask == TestDevice::kDevMask);
}

}  // namespace
}  // namespace mshadow
