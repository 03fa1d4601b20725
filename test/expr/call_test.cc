// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/call.h>

#include <cmath>

#include "testing.h"

namespace mshadow {
namespace call_test {  // several tests are one file of a batch
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

/// An object as users write it, for every device.
struct Line {
  float slope, offset;
  MSHADOW_XINLINE float operator()(float a) const { return a * slope + offset; }
};
struct Larger {
  template <typename DType>
  MSHADOW_XINLINE DType operator()(DType a, DType b) const {
    return a > b ? a : b;
  }
};
struct Between {
  static constexpr int kCost = 3;
  float low;
  template <typename DType>
  MSHADOW_XINLINE bool operator()(DType a, DType b, DType c) const {
    return DType(low) + a <= b && b < c;
  }
};

TEST(Call, ObjectsOfOneTwoAndThreeOperandsOnEveryInstructionSet) {
  ForEachIsa([] {
    for (index_t cols : {1u, 3u, 17u, 130u}) {
      for (index_t pad : {0u, 3u}) {
        Guarded<2> a(Shape2(3, cols), pad, 1), b(Shape2(3, cols)), out(Shape2(3, cols), pad);
        a.FillRandom(-2, 2);
        b.FillRandom(-2, 2, 7);
        const float slope = static_cast<float>(cols);
        *out =
            F(Line{slope, 1}, *a) + 100 * F(Larger(), *a, *b) + 1000 * F(Between{0.5f}, *a, *b, 1);
        for (std::size_t i = 0; i < out.Size(); ++i) {
          const double x = a.At(i), y = b.At(i);
          ASSERT_NEAR(out.At(i),
                      x * cols + 1 + 100 * std::fmax(x, y) + 1000 * (x + 0.5 <= y && y < 1), 1e-3);
        }
        ASSERT_TRUE(out.Intact());
      }
    }
  });
}

TEST(Call, ScalarsAndExpressionsAreOperands) {
  Guarded<2> a(Shape2(2, 3)), b(Shape2(3, 2)), out(Shape2(2, 3));
  a.FillIota();
  b.FillIota();
  *out = F(Larger(), 2, *a * 2) - F(Larger(), (*b).T() + 1, scalar(3.0f));
  for (int i = 0; i < 6; ++i) {
    const int transposed = i % 3 * 2 + i / 3;
    EXPECT_EQ(out.At(i), std::max(2, 2 * i) - std::max(3, transposed + 1));
  }
  *out += F(Line{2, 0}, F(Line{1, 1}, *a));
  EXPECT_EQ(out.At(5), 10 - 6 + 12);
}

// A function of float serves other types as F<OP> does: in and out as C++ converts.
TEST(Call, OtherElementTypes) {
  Guarded<1, half::half_t> h(Shape1(35)), half_out(Shape1(35));
  Guarded<1, uint8_t> u(Shape1(35)), u_out(Shape1(35));
  h.FillIota();
  u.FillIota();
  *half_out = F(Line{2, 1}, *h);
  *u_out = F(Line{0.5f, 0}, *u) + F(Larger(), *u, 7);
  for (int i = 0; i < 35; ++i) {
    EXPECT_EQ(static_cast<float>(half_out.At(i)), 2 * i + 1);
    EXPECT_EQ(u_out.At(i), i / 2 + std::max(i, 7));
  }
}

TEST(Call, RowsAreRepeated) {
  Guarded<2> a(Shape2(3, 3)), out(Shape2(3, 3));
  Guarded<1> row(Shape1(3));
  a.FillIota();
  row.FillIota();
  *out = F(Larger(), *a, *row * 4) + F(Between{0}, *row, *a, 7);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(out.At(i), std::max(i, i % 3 * 4) + (i % 3 <= i && i < 7));
  }
}

TEST(Call, ShapesAndAliasesAreChecked) {
  Guarded<2> a(Shape2(2, 3)), b(Shape2(3, 2)), square(Shape2(3, 3));
  EXPECT_THROW((*a = F(Larger(), *a, *b)), Error);
  EXPECT_THROW((*b = F(Line{1, 1}, *a)), Error);
  square.FillIota();
  *square = F(Line{2, 0}, (*square).T());
  EXPECT_EQ(square.At(1), 6);
  EXPECT_EQ(square.At(3), 2);
}

// A product or a reduction that stands twice in a statement is computed once where both are the same.
TEST(Call, TheSameFunctionOfTheSameOperands) {
  Guarded<1> a(Shape1(4)), b(Shape1(4));
  const auto same = [](const auto& x, const auto& y) { return expr::detail::IsSame(x, y); };
  EXPECT_TRUE(same(F(Line{2, 1}, *a), F(Line{2, 1}, *a)));
  EXPECT_FALSE(same(F(Line{2, 1}, *a), F(Line{3, 1}, *a)));
  EXPECT_FALSE(same(F(Line{2, 1}, *a), F(Line{2, 1}, *b)));
  EXPECT_FALSE(same(F(Line{2, 1}, *a), F(Line{3, 1}, *b)));
}

TEST(Call, TheCostIsThatOfTheFunction) {
  using Node = decltype(F(Between{0}, Tensor<cpu, 1>(), 1, 2));
  using Plain = decltype(F(Larger(), Tensor<cpu, 1>(), 1));
  static_assert(kCostOf<PlanOf<Node>> == 3 + kCostOf<PlanOf<Tensor<cpu, 1>>>);
  static_assert(kCostOf<PlanOf<Plain>> == kCostOf<void*> + kCostOf<PlanOf<Tensor<cpu, 1>>>);
  static_assert(ExpInfo<Node>::kDim == 1);
}

#ifndef MSHADOW_TEST_DEVICE
// Lambdas run where they are compiled for; a device has other ones.
TEST(Call, Lambdas) {
  ForEachIsa([] {
    Guarded<1> a(Shape1(133), 0, 1), b(Shape1(133)), out(Shape1(133));
    a.FillRandom(-2, 2);
    b.FillRandom(-2, 2, 7);
    const float k = 3;
    const double table[] = {1, 10};
    *out = F([k](float x) { return x * k; }, *a) +
           F([&](auto x, auto y) { return x > y ? table[0] : table[1]; }, *a, *b) +
           F([](double x, float y, int z) { return x < y && z == 2; }, *a, *b, 2);
    for (std::size_t i = 0; i < out.Size(); ++i) {
      const double x = a.At(i), y = b.At(i);
      ASSERT_NEAR(out.At(i), x * 3 + (x > y ? 1 : 10) + (x < y), 1e-5);
    }
    EXPECT_TRUE(out.Intact());
  });
}

/// vector_code.sh looks for vectors in the kernels of this function's lambdas.
void LambdaWithBranch(const Tensor<cpu, 1>& out, const Tensor<cpu, 1>& a, float k) {
  Tensor<cpu, 1> dst = out;
  dst = F(
      [k](float x) {
        if (x > 0) return x * k;
        return x / 2 + k;
      },
      a);
}

TEST(Call, BranchesInLambdas) {
  ForEachIsa([] {
    Guarded<1> a(Shape1(133)), out(Shape1(133));
    a.FillRandom(-2, 2);
    LambdaWithBranch(*out, *a, 3);
    for (std::size_t i = 0; i < out.Size(); ++i) {
      ASSERT_NEAR(out.At(i), a.At(i) > 0 ? a.At(i) * 3 : a.At(i) / 2 + 3, 1e-5);
    }
  });
}

TEST(Call, ProductsAreComputedFirst) {
  Guarded<2> a(Shape2(2, 2)), out(Shape2(2, 2));
  a.FillIota();  // its square is (2, 3; 6, 11)
  *out = F([](float p) { return p + 1; }, dot(*a, *a)) +
         F([](float x, float p, float q) { return x + p * q; }, *a, dot(*a, *a), 10);
  EXPECT_EQ(out.At(0), 3 + 20);
  EXPECT_EQ(out.At(3), 12 + 113);
}

TEST(Call, AnExpressionKeepsItsFunction) {
  Guarded<1> a(Shape1(4)), out(Shape1(4));
  a.FillIota();
  const auto times = [](const Tensor<cpu, 1>& x, float k) {
    return F([k](float v) { return v * k; }, x) + 1;
  };
  const auto two = times(*a, 2), five = times(*a, 5);
  *out = five;
  *out -= two;
  EXPECT_EQ(out.At(3), 9);
}

TEST(Call, FunctionsByPointer) {
  Guarded<1> a(Shape1(4)), out(Shape1(4));
  a.FillIota();
  float (*const f)(float) = [](float v) { return v + 1; };
  *out = F(f, *a);
  EXPECT_EQ(out.At(3), 4);
}

template <typename DType>
void Scale(Tensor<cpu, 1, DType> out, DType k) {
  struct Negated {  // local to a function
    static DType Map(DType a) { return static_cast<DType>(-a); }
  };
  out = F([k](DType a) { return static_cast<DType>(a * k); }, F<Negated>(out));
}

TEST(Call, LambdasAndLocalOpsWithinTemplates) {
  Guarded<1> a(Shape1(4));
  Guarded<1, int> n(Shape1(4));
  a.FillIota();
  n.FillIota();
  Scale(*a, 2.5f);
  Scale(*n, 2);
  EXPECT_EQ(a.At(3), -7.5f);
  EXPECT_EQ(n.At(3), -6);
}
#endif

}  // namespace
}  // namespace call_test
}  // namespace mshadow
