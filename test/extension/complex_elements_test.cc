// SPDX-License-Identifier: Apache-2.0
// Statements of std::complex elements on every device.
#include <mshadow/complex.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "uses.h"

namespace mshadow {
namespace complex_elements_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

using Wide = std::complex<double>;

template <int dim, typename T>
void Fill(Guarded<dim, T>& t, int seed) {
  for (std::size_t i = 0; i < t.Size(); ++i) {
    const int k = static_cast<int>(i) + seed;
    if constexpr (kIsComplex<T>) {
      using Part = typename T::value_type;
      t.At(i) = T(static_cast<Part>(0.75 + k * 7 % 5), static_cast<Part>(k * 3 % 7 - 2.5));
    } else {
      t.At(i) = static_cast<T>(k * 5 % 9 - 3.5);
    }
  }
}
/// f(i) for each element of t, to some units of float.
template <int dim, typename T, typename F>
void Expect(Guarded<dim, T>& t, const F& f, int line = __builtin_LINE()) {
  SCOPED_TRACE("line " + std::to_string(line));
  for (std::size_t i = 0; i < t.Size(); ++i) {
    const Wide expected(f(i)), value(t.At(i));
    ASSERT_LE(std::abs(value - expected), 2e-6 * (1 + std::abs(expected)))
        << "element " << i << " is " << value << ", not " << expected;
  }
  EXPECT_TRUE(t.Intact()) << "wrote outside of the tensor";
}

template <typename C>
struct Operands {
  using T = typename C::value_type;
  enum : std::size_t { m = 3, n = 37 };
  Guarded<2, C> z{Shape2(3, 37), 2, 1}, w{Shape2(3, 37), 0, 1}, y{Shape2(3, 37), 3};
  Guarded<2, T> x{Shape2(3, 37), 1, 1}, r{Shape2(3, 37)};
  Guarded<1, C> row{Shape1(37), 0, 1}, column{Shape1(3)};
  Guarded<1, T> real_row{Shape1(37)}, real_column{Shape1(3)};
  Operands() {
    Fill(z, 0);
    Fill(w, 5);
    Fill(x, 2);
    Fill(row, 3);
    Fill(column, 4);
  }
  Wide Z(std::size_t i) { return Wide(z.At(i)); }
  Wide W(std::size_t i) { return Wide(w.At(i)); }
  double X(std::size_t i) { return static_cast<double>(x.At(i)); }
};

template <typename C>
void CheckArithmetic() {
  Operands<C> o;
  using T = typename C::value_type;
  *o.y = *o.z + *o.w * 2.0f - C(1, 2);
  Expect(o.y, [&](std::size_t i) { return o.Z(i) + o.W(i) * 2.0 - Wide(1, 2); });
  *o.y = *o.z * *o.w / (*o.z + C(0, 1));
  Expect(o.y, [&](std::size_t i) { return o.Z(i) * o.W(i) / (o.Z(i) + Wide(0, 1)); });
  *o.y = -conj(*o.z) + *o.row;
  Expect(o.y, [&](std::size_t i) { return Wide(o.row.At(i % o.n)) - std::conj(o.Z(i)); });
  *o.y *= *o.x;
  *o.y += 1;
  Expect(o.y, [&](std::size_t i) {
    return (Wide(o.row.At(i % o.n)) - std::conj(o.Z(i))) * o.X(i) + 1.0;
  });
  *o.y = *o.x * C(0, 1) + *o.z * *o.x;
  Expect(o.y, [&](std::size_t i) { return o.X(i) * (Wide(0, 1) + o.Z(i)); });
  *o.y = where(*o.x > 0, *o.z, *o.x);
  Expect(o.y, [&](std::size_t i) { return o.X(i) > 0 ? o.Z(i) : Wide(o.X(i)); });
  *o.y = where(*o.z == *o.z, *o.z, *o.w) + (*o.z != *o.w) * (!*o.z);
  Expect(o.y, [&](std::size_t i) { return o.Z(i); });
  *o.y = C(3, 4);
  Expect(o.y, [](std::size_t) { return Wide(3, 4); });
  *o.y = F<op::identity>(*o.z) + tcast<C>(*o.x);
  Expect(o.y, [&](std::size_t i) { return o.Z(i) + o.X(i); });
  *o.r = real(*o.z) * T(2) + imag(*o.z) - abs(*o.w);
  Expect(o.r, [&](std::size_t i) {
    return o.Z(i).real() * 2 + o.Z(i).imag() - std::abs(o.W(i));
  });
  *o.r = arg(*o.z) + isnan(*o.z) + isfinite(*o.w);
  Expect(o.r, [&](std::size_t i) { return std::arg(o.Z(i)) + 1; });
  *o.y = polar(abs(*o.z), arg(*o.z));
  Expect(o.y, [&](std::size_t i) { return o.Z(i); });
}
/// On other devices than the host each statement is a kernel to compile, or several.
#if defined(MSHADOW_TEST_DEVICE) && defined(MSHADOW_TEST_FEW_DTYPES)
constexpr bool kManyTypes = false;
#else
constexpr bool kManyTypes = true;
#endif
TEST(ComplexElements, Arithmetic) {
  CheckArithmetic<std::complex<float>>();
  CheckArithmetic<std::complex<double>>();
}

template <typename C>
void CheckFunctions() {
  Operands<C> o;
#define MSHADOW_CHECK_NAME_(name) \
  *o.y = name(*o.z * 0.25f);      \
  Expect(o.y, [&](std::size_t i) { return std::name(o.Z(i) * 0.25); });
  MSHADOW_CHECK_NAME_(exp)
  MSHADOW_CHECK_NAME_(log)
  MSHADOW_CHECK_NAME_(log10)
  MSHADOW_CHECK_NAME_(sqrt)
  MSHADOW_CHECK_NAME_(sin)
  MSHADOW_CHECK_NAME_(cos)
  MSHADOW_CHECK_NAME_(tan)
  MSHADOW_CHECK_NAME_(sinh)
  MSHADOW_CHECK_NAME_(cosh)
  MSHADOW_CHECK_NAME_(tanh)
  MSHADOW_CHECK_NAME_(asin)
  MSHADOW_CHECK_NAME_(acos)
  MSHADOW_CHECK_NAME_(atan)
  MSHADOW_CHECK_NAME_(asinh)
  MSHADOW_CHECK_NAME_(acosh)
  MSHADOW_CHECK_NAME_(atanh)
#undef MSHADOW_CHECK_NAME_
  *o.y = pow(*o.z, 3) + pow(*o.z, C(0.5f, 0.25f)) + square(*o.w) - reciprocal(*o.w);
  Expect(o.y, [&](std::size_t i) {
    return o.Z(i) * o.Z(i) * o.Z(i) + std::pow(o.Z(i), Wide(0.5, 0.25)) + o.W(i) * o.W(i) -
           1.0 / o.W(i);
  });
  *o.y = log1p(*o.z) + expm1(*o.w * 0.1f) + sign(*o.z) + rsqrt(*o.w);
  Expect(o.y, [&](std::size_t i) {
    return std::log(1.0 + o.Z(i)) + std::exp(o.W(i) * double(0.1f)) - 1.0 +
           o.Z(i) / std::abs(o.Z(i)) + 1.0 / std::sqrt(o.W(i));
  });
}
TEST(ComplexElements, Functions) {
  CheckFunctions<std::complex<float>>();
  if constexpr (kManyTypes) CheckFunctions<std::complex<double>>();
}

template <typename C>
void CheckViews() {
  Operands<C> o;
  Guarded<2, C> t(Shape2(37, 3), 1), part(Shape2(2, 5), 1, 1), wide(Shape2(3, 74));
  *t = (*o.z).T() + C(1, 0);
  Expect(t, [&](std::size_t i) { return o.Z(i % 3 * 37 + i / 3) + 1.0; });
  *part = slice(*o.z, Shape2(1, 3), Shape2(3, 8)) * 2.0f;
  Expect(part, [&](std::size_t i) { return 2.0 * o.Z((1 + i / 5) * 37 + 3 + i % 5); });
  *o.y = flip(*o.z, 1) + broadcast<1>(*o.row, o.y->shape_);
  Expect(o.y, [&](std::size_t i) {
    return o.Z(i / 37 * 37 + 36 - i % 37) + Wide(o.row.At(i % 37));
  });
  *wide = concat<1>(*o.z, *o.w);
  Expect(wide, [&](std::size_t i) {
    const std::size_t y = i / 74, x = i % 74;
    return x < 37 ? o.Z(y * 37 + x) : o.W(y * 37 + x - 37);
  });
}
TEST(ComplexElements, Views) {
  CheckViews<std::complex<float>>();
  if constexpr (kManyTypes) CheckViews<std::complex<double>>();
}

template <typename C>
void CheckReductions() {
  using T = typename C::value_type;
  Operands<C> o;
  const std::size_t m = o.m, n = o.n;
  const auto sum_of = [](std::size_t count, const auto& f) {
    decltype(f(0)) total{};
    for (std::size_t k = 0; k < count; ++k) total += f(k);
    return total;
  };
  *o.column = sum<1>(*o.z * C(0, 1));
  Expect(o.column, [&](std::size_t i) {
    return sum_of(n, [&](std::size_t k) { return o.Z(i * n + k) * Wide(0, 1); });
  });
  *o.row = mean<0>(*o.z);
  Expect(o.row, [&](std::size_t i) {
    return sum_of(m, [&](std::size_t k) { return o.Z(k * n + i); }) / 3.0;
  });
  *o.real_column = norm<1>(*o.z);
  Expect(o.real_column, [&](std::size_t i) {
    return std::sqrt(sum_of(n, [&](std::size_t k) { return std::norm(o.Z(i * n + k)); }));
  });
  *o.real_row = var<0>(*o.z);
  Expect(o.real_row, [&](std::size_t i) {
    const Wide mean = sum_of(m, [&](std::size_t k) { return o.Z(k * n + i); }) / 3.0;
    return sum_of(m, [&](std::size_t k) { return std::norm(o.Z(k * n + i) - mean); }) / 3;
  });
  *o.row = prod<0>(*o.z);
  Expect(o.row, [&](std::size_t i) { return o.Z(i) * o.Z(n + i) * o.Z(2 * n + i); });
  *o.y = *o.z - mean<1>(*o.z);
  Expect(o.y, [&](std::size_t i) {
    const std::size_t first = i / n * n;
    return o.Z(i) - sum_of(n, [&](std::size_t k) { return o.Z(first + k); }) / double(n);
  });
  *o.y = cumsum(*o.z, 1);
  Expect(o.y, [&](std::size_t i) {
    return sum_of(i % n + 1, [&](std::size_t k) { return o.Z(i / n * n + k); });
  });
  *o.y = cumsum(*o.z, 0);
  Expect(o.y, [&](std::size_t i) {
    return sum_of(i / n + 1, [&](std::size_t k) { return o.Z(k * n + i % n); });
  });
  *o.column = all<1>(*o.z == *o.z) + any<1>(*o.z != *o.z);
  Expect(o.column, [](std::size_t) { return 1.0; });
  *o.row = sum_rows(*o.z);
  Expect(o.row, [&](std::size_t i) {
    return sum_of(m, [&](std::size_t k) { return o.Z(k * n + i); });
  });
  const Wide total = sum_of(m * n, [&](std::size_t k) { return o.Z(k); });
  const C sums = sum(*o.z), average = mean(*o.z);
  EXPECT_LT(std::abs(Wide(sums) - total), 1e-4);
  EXPECT_LT(std::abs(Wide(average) - total / double(m * n)), 1e-5);
  const T size = norm(*o.z);
  const double squares = sum_of(m * n, [&](std::size_t k) { return std::norm(o.Z(k)); });
  EXPECT_NEAR(size, std::sqrt(squares), 1e-4);
  EXPECT_EQ(sum(*o.z == *o.z), static_cast<int64_t>(m * n));
  EXPECT_TRUE(all(*o.z == *o.z));
  EXPECT_FALSE(any(*o.z != *o.z));
}
TEST(ComplexElements, Reductions) {
  CheckReductions<std::complex<float>>();
  if constexpr (kManyTypes) CheckReductions<std::complex<double>>();
}

#if !defined(MSHADOW_TEST_DEVICE) || MSHADOW_USE_CUDA  // others have no products
template <typename C>
void CheckProducts() {
  using T = typename C::value_type;
  Guarded<2, C> a(Shape2(5, 7), 1, 1), b(Shape2(7, 4)), y(Shape2(5, 4), 2), thin(Shape2(7, 7));
  Guarded<1, C> v(Shape1(7)), u(Shape1(5));
  Guarded<2, T> x(Shape2(7, 4), 1);
  Fill(a, 1);
  Fill(b, 2);
  Fill(v, 3);
  Fill(x, 4);
  const auto sum_of = [](std::size_t count, const auto& f) {
    Wide total = 0;
    for (std::size_t k = 0; k < count; ++k) total += f(k);
    return total;
  };
  const auto at = [&](std::size_t i, std::size_t k) { return Wide(a.At(i * 7 + k)); };
  *y = dot(*a, *b);
  *y += dot(*a, *x) * C(0, 2);
  Expect(y, [&](std::size_t i) {
    return sum_of(7, [&](std::size_t k) {
      const std::size_t at_b = k * 4 + i % 4;
      return at(i / 4, k) * (Wide(b.At(at_b)) + Wide(0, 2) * double(x.At(at_b)));
    });
  });
  *thin = dot(conj(*a).T(), *a);
  Expect(thin, [&](std::size_t i) {
    return sum_of(5, [&](std::size_t k) { return std::conj(at(k, i / 7)) * at(k, i % 7); });
  });
  *u = dot(*a, *v);
  Expect(u, [&](std::size_t i) {
    return sum_of(7, [&](std::size_t k) { return at(i, k) * Wide(v.At(k)); });
  });
  const Wide inner = sum_of(7, [&](std::size_t k) { return Wide(v.At(k)) * Wide(v.At(k)); });
  EXPECT_LT(std::abs(Wide(C(dot(*v, *v))) - inner), 1e-4);
}
TEST(ComplexElements, Products) {
  CheckProducts<std::complex<float>>();
  CheckProducts<std::complex<double>>();
}
#endif

}  // namespace
}  // namespace complex_elements_test
}  // namespace mshadow
