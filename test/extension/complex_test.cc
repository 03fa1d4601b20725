// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/complex.h>

#include <cmath>
#include <complex>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

using Number = std::complex<double>;

/// Number p of row y.
Number Of(Guarded<2>& t, std::size_t y, std::size_t p) {
  return Number(At(t, Index<2>{y, 2 * p}), At(t, Index<2>{y, 2 * p + 1}));
}
/// The parts of f(y, p).
template <typename F>
std::vector<double> Parts(const Shape<2>& shape, const F& f) {
  return Each(shape, [&](Index<2> i) {
    const Number number = f(i[0], i[1] / 2);
    return i[1] % 2 == 0 ? number.real() : number.imag();
  });
}

struct ComplexTest : ::testing::Test {
  Guarded<2> a{Shape2(3, 38), 3, 1}, b{Shape2(3, 38), 1}, real{Shape2(3, 19), 2, 1};
  ComplexTest() {
    FillWhole(a, 9);
    FillWhole(b, 9, 2);
    FillWhole(real, 9, 3);
  }
  double Real(std::size_t y, std::size_t p) { return At(real, Index<2>{y, p}); }
};

TEST_F(ComplexTest, Products) {
  const Shape<2> shape = a->shape_;
  ExpectUses(shape, Parts(shape, [&](auto y, auto p) { return Of(a, y, p) * Of(b, y, p); }),
             [&] { return complex_mul_cc(*a, *b); });
  ExpectUses(shape, Parts(shape, [&](auto y, auto p) { return Of(a, y, p) * Real(y, p); }),
             [&] { return complex_mul_cr(*a, *real * 1.0f); });
  ExpectUses(shape, Parts(shape, [&](auto y, auto p) { return Real(y, p) * Of(b, y, p); }),
             [&] { return complex_mul_rc(*real, *b); });
}

TEST_F(ComplexTest, Quotients) {
  const Shape<2> shape = a->shape_;
  *b += 1.0f;
  *real += 1.0f;
  Guarded<2> out(shape, 1);
  ForEachIsa([&] {
    *out = complex_div_cc(*a, *b);
    ExpectValues(out, Parts(shape, [&](auto y, auto p) { return Of(a, y, p) / Of(b, y, p); }),
                 1e-5);
    *out = complex_div_cr(*a, *real);
    ExpectValues(out, Parts(shape, [&](auto y, auto p) { return Of(a, y, p) / Real(y, p); }), 1e-5);
    *out = complex_div_rc(*real, *b);
    ExpectValues(out, Parts(shape, [&](auto y, auto p) { return Real(y, p) / Of(b, y, p); }), 1e-5);
  });
}

/// The quotient of two numbers, of elements of DType.
template <typename DType>
Number Quotient(Number a, Number b) {
  TensorContainer<cpu, 1, DType> x(Shape1(2)), y(Shape1(2)), out(Shape1(2));
  x[0] = static_cast<DType>(a.real());
  x[1] = static_cast<DType>(a.imag());
  y[0] = static_cast<DType>(b.real());
  y[1] = static_cast<DType>(b.imag());
  out = complex_div_cc(x, y);
  return Number(static_cast<double>(out[0]), static_cast<double>(out[1]));
}
void ExpectNear(Number a, Number b, double tolerance) {
  EXPECT_LE(std::abs(a - b), tolerance * std::abs(b)) << a << " vs. " << b;
}

TEST(Complex, QuotientsNearTheEndsOfTheRange) {
  for (double size : {1e20, 1e-30, 3e38, 1e-44}) {
    const Number number(size, size);
    ExpectNear(Quotient<float>(number, number), Number(1, 0), 1e-6);
    if (size > 1e-40) ExpectNear(Quotient<bfloat::bf16_t>(number, number), Number(1, 0), 1e-2);
  }
  ExpectNear(Quotient<float>(Number(1, 0), Number(0, 1e30)), Number(0, -1e-30), 1e-6);
  ExpectNear(Quotient<float>(Number(3e38, -1e38), Number(3, 4)), Number(2e37, -6e37), 1e-6);
  for (double size : {1e200, 1e-300, 1.7e308, 4e-320}) {
    const Number number(size, -size);
    ExpectNear(Quotient<double>(number, number), Number(1, 0), 1e-14);
  }
  ExpectNear(Quotient<double>(Number(1, 0), Number(0, 1e300)), Number(0, -1e-300), 1e-14);
  ExpectNear(Quotient<double>(Number(1.5e308, -1e308), Number(3, 4)), Number(2e306, -3.6e307),
             1e-14);
  ExpectNear(Quotient<double>(Number(5, 6), Number(7e307, 8)), Number(5 / 7e307, 6 / 7e307), 1e-14);
  ExpectNear(Quotient<half::half_t>(Number(6e4, 6e4), Number(6e4, 6e4)), Number(1, 0), 1e-3);
  EXPECT_EQ(Quotient<float>(Number(1, 2), Number(INFINITY, 0)), Number(0, 0));
  EXPECT_TRUE(std::isnan(Quotient<float>(Number(1, 2), Number(0, 0)).real()));
  EXPECT_EQ(Quotient<int>(Number(7, 1), Number(2, 0)), Number(3, 0));
  EXPECT_EQ(Quotient<int>(Number(7, 1), Number(0, 0)), Number(0, 0));
}

TEST_F(ComplexTest, OfOneNumber) {
  const Shape<2> shape = a->shape_, half = real->shape_;
  ExpectUses(shape, Parts(shape, [&](auto y, auto p) { return std::conj(Of(a, y, p)); }),
             [&] { return conj(*a); });
  ExpectUses(shape, Parts(shape, [&](auto y, auto p) {
               return Number(Of(a, y, p).imag(), Of(a, y, p).real());
             }),
             [&] { return complex_exchange(*a); });
  ExpectUses(shape, Parts(shape, [&](auto y, auto p) { return Number(Real(y, p)); }),
             [&] { return complex_pad_imag(*real); });
  ExpectUses(half, Each(half, [&](Index<2> i) { return Of(a, i[0], i[1]).real(); }),
             [&] { return complex_toreal(*a); });
  ExpectUses(half, Each(half, [&](Index<2> i) { return std::norm(Of(a, i[0], i[1])); }),
             [&] { return complex_abs_square(*a); });
  ExpectUses(half, Each(half, [&](Index<2> i) {
               return Of(a, i[0], i[1]).real() + Of(a, i[0], i[1]).imag();
             }),
             [&] { return complex_sum_real_imag(*a); });
}

TEST_F(ComplexTest, NestedAndCut) {
  Guarded<2> product(a->shape_), part(Shape2(2, 21));
  *product = complex_mul_cc(*a, *b);
  *part = crop(*product, part->shape_, 1, 3);
  ExpectUses(part->shape_, Values(part), [&] {  // begins and ends within a number
    return crop(complex_mul_cc(conj(conj(*a)), *b + 0.0f), Shape2(2, 21), 1, 3);
  });
}

TEST_F(ComplexTest, InPlace) {
  const std::vector<double> expected =
      Parts(a->shape_, [&](auto y, auto p) { return Of(a, y, p) * Of(a, y, p); });
  *a = complex_mul_cc(*a, *a);
  ExpectValues(a, expected);
}

TEST(Complex, OfReductions) {
  // Half as wide as its operand, which is computed first, into memory of its own.
  Guarded<2> m(Shape2(6, 2), 1);
  Guarded<1> a(Shape1(6), 0, 1), out(Shape1(3), 0, 1);
  for (std::size_t i = 0; i < 12; ++i) m.At(i) = static_cast<float>(i);
  for (std::size_t i = 0; i < 6; ++i) a.At(i) = static_cast<float>(i % 4);
  *out = complex_toreal(complex_mul_cc(*a, sum<1>(*m)));
  for (std::size_t i = 0; i < 3; ++i) {
    const float real = m.At(4 * i) + m.At(4 * i + 1), imag = m.At(4 * i + 2) + m.At(4 * i + 3);
    EXPECT_EQ(out.At(i), a.At(2 * i) * real - a.At(2 * i + 1) * imag);
  }
  *out += complex_abs_square(sum<1>(*m) + *a) * 0.0f;
  EXPECT_TRUE(out.Intact());
}
TEST(Complex, OtherRanksAndLongRows) {
  Guarded<1> v(Shape1(2600)), out(Shape1(2600)), odd(Shape1(3));
  FillWhole(v, 9);
  *out = conj(*v);
  ExpectValues(out, Each(v->shape_, [&](Index<1> i) {
                 return i[0] % 2 == 0 ? At(v, i) : -At(v, i);
               }));
  *odd = 2.0f;
  Guarded<1> wide(Shape1(6));
  *wide = complex_pad_imag(*odd);
  ExpectValues(wide, {2, 0, 2, 0, 2, 0});
  Guarded<4> a(Shape4(2, 3, 2, 6), 1), b(Shape4(2, 3, 2, 3));
  FillWhole(a, 9);
  *b = complex_toreal(*a);
  ExpectValues(b, Each(b->shape_, [&](Index<4> i) {
                 i[3] *= 2;
                 return At(a, i);
               }));
}

TEST(Complex, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 20), 1), out(Shape2(2, 20));
    FillWhole(a, 6);
    *out = complex_mul_cr(*a, complex_toreal(*a));
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                   return At(a, i) * At(a, Index<2>{i[0], i[1] / 2 * 2});
                 }));
  });
}

struct TimesI {  // of a user, on numbers
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType, DType imag) {
    return -imag;
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType real, DType) {
    return real;
  }
};
struct TimesIOfPlan {  // the same as 2.x had it
  template <typename TA, typename DType>
  MSHADOW_XINLINE static DType RealMap(const Plan<TA, DType>& src, index_t, index_t, index_t y,
                                       index_t x) {
    return -src.Eval(y, x);
  }
  template <typename TA, typename DType>
  MSHADOW_XINLINE static DType ImagMap(const Plan<TA, DType>& src, index_t y, index_t x, index_t,
                                       index_t) {
    return src.Eval(y, x);
  }
};
struct Sum {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType a_real, DType, DType b_real, DType) {
    return a_real + b_real;
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType, DType a_imag, DType, DType b_imag) {
    return a_imag + b_imag;
  }
};

TEST_F(ComplexTest, OpsOfAUser) {
  const Shape<2> shape = a->shape_;
  const std::vector<double> turned =
      Parts(shape, [&](auto y, auto p) { return Of(a, y, p) * Number(0, 1); });
  Guarded<2> out(shape);
  *out = ComplexF<op::complex::kUnitaryC2C, TimesI>(*a);
  ExpectValues(out, turned);
  *out = ComplexF<op::complex::kUnitaryC2C, TimesIOfPlan>(*a * 1.0f);
  ExpectValues(out, turned);
  *out = ComplexF<op::complex::kBinaryCR, Sum>(*a, *real);
  ExpectValues(out, Parts(shape, [&](auto y, auto p) { return Of(a, y, p) + Real(y, p); }));
}

TEST_F(ComplexTest, Errors) {
  Guarded<2> odd(Shape2(3, 5)), other(Shape2(3, 6)), out(Shape2(3, 38));
  EXPECT_NE(ErrorOf([&] { *odd = conj(*odd); }).find("(3,5) must hold pairs"), std::string::npos);
  const std::string text = ErrorOf([&] { *out = complex_mul_cc(*a, *other); });
  EXPECT_NE(text.find("(3,38) and (3,6)"), std::string::npos) << text;
  EXPECT_NE(ErrorOf([&] { *out = complex_mul_cr(*a, *b); }).find("do not fit"), std::string::npos);
}

// Threads may begin and end within a pair.
TEST_F(ComplexTest, AnyPartOfARow) {
  const auto plan = MakePlan(complex_exchange(*a));
  for (std::ptrdiff_t x = 0; x <= 38; ++x) {
    for (std::ptrdiff_t end = x; end <= 38; ++end) {
      std::vector<float> to(39, -1.0f);
      plan.Fill(to.data(), 0, 1, 2, x, end);
      for (std::ptrdiff_t i = x; i < end; ++i) {
        ASSERT_EQ(to[i - x], (*a)[1][static_cast<index_t>(i ^ 1)]) << x << " to " << end;
      }
      ASSERT_EQ(to[end - x], -1.0f);
    }
  }
}

/// The quotient of numbers of large and small parts, in each type.
template <typename DType>
void CheckQuotient(std::complex<long double> a, std::complex<long double> b, double relative) {
  ForEachIsa([&] {
    constexpr index_t n = 9;
    Guarded<2, DType> x(Shape2(1, 2 * n)), y(Shape2(1, 2 * n)), out(Shape2(1, 2 * n));
    for (index_t p = 0; p < n; ++p) {
      x.At(2 * p) = static_cast<DType>(a.real());
      x.At(2 * p + 1) = static_cast<DType>(a.imag());
      y.At(2 * p) = static_cast<DType>(b.real());
      y.At(2 * p + 1) = static_cast<DType>(b.imag());
    }
    *out = complex_div_cc(*x, *y);
    const std::complex<long double> expected = a / b;
    for (index_t p = 0; p < n; ++p) {
      const long double size = std::abs(expected);
      ASSERT_NEAR(double(out.At(2 * p)), double(expected.real()), double(size * relative))
          << a << " / " << b;
      ASSERT_NEAR(double(out.At(2 * p + 1)), double(expected.imag()), double(size * relative))
          << a << " / " << b;
    }
  });
}

TEST(ComplexQuotient, OfLargeAndSmallNumbers) {
  using Long = std::complex<long double>;
  const auto all = [](Long a, Long b) {
    CheckQuotient<float>(a, b, 3e-7);
    CheckQuotient<double>(a, b, 1e-15);
    CheckQuotient<bfloat::bf16_t>(a, b, 2e-2);
  };
  all(Long(1e20L, 1e20L), Long(1e20L, 1e20L));
  all(Long(1e-30L, 1e-30L), Long(1e-30L, 1e-30L));
  all(Long(1, 0), Long(0, 1e30L));
  all(Long(3e38L, 3e38L), Long(2, 2));
  all(Long(3, -4), Long(-5, 12));
  all(Long(1e-38L, 2e-38L), Long(3e-38L, -1e-38L));
  all(Long(1e10L, 1), Long(1, 1e-10L));
  CheckQuotient<double>(Long(1e200L, 1e200L), Long(1e200L, 1e200L), 1e-15);
  CheckQuotient<double>(Long(1.7e308L, 1.7e308L), Long(2, 2), 1e-15);
  CheckQuotient<double>(Long(1.7e308L, 1.7e308L), Long(1.7e308L, -1.7e308L), 1e-15);
  CheckQuotient<double>(Long(1e-300L, 3e-301L), Long(1e-300L, -2e-300L), 1e-15);
  CheckQuotient<double>(Long(0x1p-1074L, 0), Long(0, 0x1p-1074L), 1e-15);
  CheckQuotient<double>(Long(0x1p-1070L, 0x1p-1074L), Long(0x1p-1000L, 0x1p-1000L), 1e-15);
  CheckQuotient<double>(Long(1e300L, 1), Long(1e-8L, 0), 1e-15);
  CheckQuotient<double>(Long(1e-300L, 0), Long(1e8L, 0), 1e-15);
  CheckQuotient<half::half_t>(Long(60000, 60000), Long(60000, 60000), 1e-3);
  CheckQuotient<half::half_t>(Long(0x1p-24L, 0), Long(0, 0x1p-24L), 1e-3);
}

TEST(ComplexQuotient, SpecialValues) {
  Guarded<2, double> a(Shape2(1, 4)), b(Shape2(1, 4)), out(Shape2(1, 4));
  *a = 1;
  *b = 0;
  b.At(2) = 4;
  a.At(2) = INFINITY;
  *out = complex_div_cc(*a, *b);
  EXPECT_TRUE(std::isnan(out.At(0)));
  EXPECT_TRUE(std::isnan(out.At(1)));
  EXPECT_EQ(out.At(2), INFINITY);
}

TEST(ComplexQuotient, OfIntegers) {
  Guarded<2, int> a(Shape2(1, 4)), b(Shape2(1, 4)), out(Shape2(1, 4));
  const int left[] = {23, 14, 1, 1}, right[] = {3, -4, 0, 0};
  for (int i = 0; i < 4; ++i) {
    a.At(i) = left[i];
    b.At(i) = right[i];
  }
  *out = complex_div_cc(*a, *b);  // (13 + 134 i) / 25
  EXPECT_EQ(out.At(0), 0);
  EXPECT_EQ(out.At(1), 5);
  EXPECT_EQ(out.At(2), 0);
  EXPECT_EQ(out.At(3), 0);
}

}  // namespace
}  // namespace mshadow
