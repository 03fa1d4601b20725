// SPDX-License-Identifier: Apache-2.0
// Tensors of std::complex against plain loops in complex<double>.
#include <mshadow/complex.h>
#include <mshadow/numpy.h>

#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace complex_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using testing::ErrorOf;
using testing::Guarded;

using Wide = std::complex<double>;
using Numbers = std::vector<Wide>;

/// Parts in [-2, 2), no small ones.
template <int dim, typename C>
void Fill(Guarded<dim, C>& t, uint32_t seed) {
  using T = typename C::value_type;
  uint32_t state = seed * 2654435761u + 12345u;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    const double x = static_cast<double>(state >> 8) / 16777216.0 * 3.5 - 1.75;
    return static_cast<T>(x < 0 ? x - 0.25 : x + 0.25);
  };
  for (std::size_t i = 0; i < t.Size(); ++i) {
    const T re = next();
    t.At(i) = C(re, next());
  }
}
template <int dim, typename T>
Numbers NumbersOf(Guarded<dim, T>& t) {
  Numbers values;
  for (std::size_t i = 0; i < t.Size(); ++i) values.push_back(Wide(t.At(i)));
  return values;
}
template <typename T>
bool IsNear(T value, Wide expected, double ulps, double scale) {
  using Part = decltype(std::real(value));
  const double epsilon = static_cast<double>(std::numeric_limits<Part>::epsilon());
  return std::abs(Wide(value) - expected) <= ulps * epsilon * scale;
}
/// Every element within `ulps` of the magnitude of what is expected, or of `scale`.
template <int dim, typename T>
void Expect(Guarded<dim, T>& t, const Numbers& expected, double ulps = 4, double scale = 0,
            int line = __builtin_LINE()) {
  SCOPED_TRACE("line " + std::to_string(line));
  ASSERT_EQ(t.Size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double size = std::abs(expected[i]);
    if (!IsNear(t.At(i), expected[i], ulps, size < scale ? scale : size)) {
      FAIL() << "element " << i << " is " << Wide(t.At(i)) << ", not " << expected[i];
    }
  }
  EXPECT_TRUE(t.Intact()) << "wrote outside of the tensor";
}
/// f of each element, and of two.
template <typename F>
Numbers Each(const Numbers& a, const F& f) {
  Numbers result;
  for (const Wide& z : a) result.push_back(Wide(f(z)));
  return result;
}
template <typename F>
Numbers Each(const Numbers& a, const Numbers& b, const F& f) {
  Numbers result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(Wide(f(a[i], b[i])));
  return result;
}

template <typename F>
void ForEachComplex(const F& f) {
  f(std::complex<float>());
  f(std::complex<double>());
}
/// f(shape, pad, shift): odd sizes, padded rows, misaligned pointers, nothing.
template <typename F>
void ForEachMemory(const F& f) {
  f(Shape2(3, 7), 2, 1);
  f(Shape2(1, 1), 0, 0);
  f(Shape2(5, 33), 0, 1);
  f(Shape2(4, 64), 1, 0);
  f(Shape2(0, 5), 0, 0);
}

TEST(Complex, Arithmetic) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    ForEachMemory([](Shape<2> shape, index_t pad, index_t shift) {
      Guarded<2, C> a(shape, pad, shift), b(shape, 0, 1), y(shape, pad, 1);
      Fill(a, 1);
      Fill(b, 2);
      const Numbers x = NumbersOf(a), w = NumbersOf(b);
      *y = *a + *b;
      Expect(y, Each(x, w, [](Wide p, Wide q) { return p + q; }), 4, 4);
      *y = *a - *b;
      Expect(y, Each(x, w, [](Wide p, Wide q) { return p - q; }), 4, 4);
      *y = *a * *b;
      Expect(y, Each(x, w, [](Wide p, Wide q) { return p * q; }));
      *y = *a / *b;
      Expect(y, Each(x, w, [](Wide p, Wide q) { return p / q; }));
      *y = -*a * 2 + 1.5f - C(0, 1) / *b;
      Expect(y, Each(x, w, [](Wide p, Wide q) { return -p * 2.0 + 1.5 - Wide(0, 1) / q; }), 4, 8);
      *y = 3.0 - *a * T(2) + std::complex<double>(0.5, 0.25);
      Expect(y, Each(x, [](Wide p) { return 3.0 - p * 2.0 + Wide(0.5, 0.25); }), 4, 8);
      Copy(*y, *a);
      *y *= *b;
      *y += C(1, 2);
      *y /= *b;
      *y -= 2;
      Expect(y, Each(x, w, [](Wide p, Wide q) { return (p * q + Wide(1, 2)) / q - 2.0; }), 8, 8);
      *y = C(3, -4);
      Expect(y, Each(x, [](Wide) { return Wide(3, -4); }), 0);
      *y = 2;
      Expect(y, Each(x, [](Wide) { return Wide(2); }), 0);
      Copy(*y, *a);
      Expect(y, x, 0);
    });
  });
}

TEST(Complex, QuotientsThatCanBeRepresented) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    const T big = (std::numeric_limits<T>::max)() / 2, tiny = (std::numeric_limits<T>::min)() * 4;
    Guarded<1, C> a(Shape1(3)), y(Shape1(3));
    Guarded<1, T> r(Shape1(3));
    a.At(0) = C(big, big);
    a.At(1) = C(tiny, -tiny);
    a.At(2) = C(big, 0);
    *y = *a / *a;
    Expect(y, Numbers{1, 1, 1});
    Guarded<1, C> most(Shape1(1)), one(Shape1(1));
    most.At(0) = C((std::numeric_limits<T>::max)(), (std::numeric_limits<T>::max)());
    *one = *most / *most;
    Expect(one, Numbers(1, Wide(1)));
    *r = abs(*a) / real(*a);
    Expect(r, Numbers{std::sqrt(2), std::sqrt(2), 1});
    a.At(0) = C(std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN());
    a.At(1) = C(0, 0);
    *r = abs(*a);
    EXPECT_EQ(r.At(0), std::numeric_limits<T>::infinity());
    EXPECT_EQ(r.At(1), T(0));
    *r = abs(C(1, 1) / *a);
    EXPECT_FALSE(std::isfinite(r.At(1)));
  });
}

TEST(Complex, Comparisons) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    Guarded<2, C> a(Shape2(3, 11), 1), b(Shape2(3, 11), 0, 1), y(Shape2(3, 11));
    Fill(a, 1);
    Fill(b, 1);
    b.At(4) = C(a.At(4).real(), 9);
    b.At(30) = C(9, a.At(30).imag());
    a.At(1) = C(1, 0);
    a.At(2) = C(0, 0);
    Numbers same(33, 1);
    same[1] = same[2] = same[4] = same[30] = 0;
    *y = *a == *b;
    Expect(y, same, 0);
    *y = *a != *b;
    Expect(y, Each(same, [](Wide z) { return 1.0 - z; }), 0);
    *y = 1 == *a;
    EXPECT_EQ(y.At(1), C(1));
    EXPECT_EQ(y.At(0), C(0));
    const Numbers p = NumbersOf(a), q = NumbersOf(b);
    *y = where(*a == *b, *a, 2.0f);
    Expect(y, Each(p, q, [](Wide s, Wide t) { return s == t ? s : Wide(2); }), 0);
    *y = where(*a, *b, C(0, 1));
    Expect(y, Each(p, q, [](Wide s, Wide t) { return s != 0.0 ? t : Wide(0, 1); }), 0);
    *y = where(real(*a) > 0.0f, *a, *b);
    Expect(y, Each(p, q, [](Wide s, Wide t) { return s.real() > 0 ? s : t; }), 0);
    const int64_t count = sum(*a == *b);
    EXPECT_EQ(count, 29);
    EXPECT_FALSE(all(*a == *b));
    EXPECT_TRUE(any(*a == *b));
    EXPECT_TRUE(all(*a == *a));
    EXPECT_FALSE(any(*a != *a));
    EXPECT_FALSE(all(*a));
    Guarded<1, C> rows(Shape1(3)), cols(Shape1(11));
    *rows = all<1>(*a == *b);
    Expect(rows, Numbers{0, 1, 0}, 0);
    *cols = any<0>(*a != *b);
    EXPECT_EQ(cols.At(1), C(1));
    EXPECT_EQ(cols.At(0), C(0));
  });
}

TEST(Complex, Parts) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    ForEachMemory([](Shape<2> shape, index_t pad, index_t shift) {
      Guarded<2, C> a(shape, pad, shift), y(shape);
      Guarded<2, T> r(shape, 1, 1), s(shape);
      Fill(a, 3);
      const Numbers x = NumbersOf(a);
      *r = real(*a);
      Expect(r, Each(x, [](Wide z) { return z.real(); }), 0);
      *r = imag(*a) + 1.0f;
      Expect(r, Each(x, [](Wide z) { return z.imag() + 1; }), 1, 4);
      *r = abs(*a);
      Expect(r, Each(x, [](Wide z) { return std::abs(z); }), 1);
      *r = arg(*a);
      Expect(r, Each(x, [](Wide z) { return std::arg(z); }));
      *s = angle(*a) - *r;
      Expect(s, Numbers(s.Size(), 0));
      *y = polar(abs(*a), *r);
      Expect(y, x, 8);
      *y = polar(2, *r);
      Expect(y, Each(x, [](Wide z) { return 2.0 * z / std::abs(z); }), 8);
      *y = conj(*a);
      Expect(y, Each(x, [](Wide z) { return std::conj(z); }), 0);
      *y = reciprocal(*a);
      Expect(y, Each(x, [](Wide z) { return 1.0 / z; }));
      *y = tcast<C>(real(*a)) + tcast<C>(imag(*a)) * C(0, 1);
      Expect(y, x, 0);
      Guarded<2, std::complex<double>> wide(shape);
      Guarded<2, std::complex<float>> narrow(shape);
      *wide = tcast<std::complex<double>>(*a);
      Expect(wide, x, 0);
      *narrow = tcast<std::complex<float>>(*wide);
      Expect(narrow, x, 1);
    });
  });
}

TEST(Complex, Functions) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    Guarded<2, C> a(Shape2(5, 13), 3, 1), y(Shape2(5, 13));
    Fill(a, 5);
    a.At(0) = C(0, 0);
    a.At(1) = C(-4, 0);
    a.At(2) = C(0, 2);
    const Numbers x = NumbersOf(a);
#define MSHADOW_CHECK_FUNCTION_(name) \
  *y = name(*a);                      \
  Expect(y, Each(x, [](Wide z) { return std::name(z); }), 8);
    MSHADOW_CHECK_FUNCTION_(exp)
    MSHADOW_CHECK_FUNCTION_(sqrt)
    MSHADOW_CHECK_FUNCTION_(sin)
    MSHADOW_CHECK_FUNCTION_(cos)
    MSHADOW_CHECK_FUNCTION_(tan)
    MSHADOW_CHECK_FUNCTION_(sinh)
    MSHADOW_CHECK_FUNCTION_(cosh)
    MSHADOW_CHECK_FUNCTION_(tanh)
    MSHADOW_CHECK_FUNCTION_(asin)
    MSHADOW_CHECK_FUNCTION_(acos)
    MSHADOW_CHECK_FUNCTION_(atan)
    MSHADOW_CHECK_FUNCTION_(asinh)
    MSHADOW_CHECK_FUNCTION_(acosh)
    MSHADOW_CHECK_FUNCTION_(atanh)
#undef MSHADOW_CHECK_FUNCTION_
    *y = square(*a);
    Expect(y, Each(x, [](Wide z) { return z * z; }));
    *y = pow(*a, 3);
    Expect(y, Each(x, [](Wide z) { return z * z * z; }), 8);
    *y = pow(*a, 0);
    Expect(y, Numbers(65, 1), 0);
    a.At(0) = C(1, 1);
    *y = log(*a);
    Expect(y, Each(NumbersOf(a), [](Wide z) { return std::log(z); }), 8);
    *y = log10(*a);
    Expect(y, Each(NumbersOf(a), [](Wide z) { return std::log10(z); }), 8);
    *y = pow(*a, -2);
    Expect(y, Each(NumbersOf(a), [](Wide z) { return 1.0 / (z * z); }), 8);
    *y = pow(*a, C(0.5, 1));
    Expect(y, Each(NumbersOf(a), [](Wide z) { return std::pow(z, Wide(0.5, 1)); }), 16);
    *y = pow(2.0f, *a);
    Expect(y, Each(NumbersOf(a), [](Wide z) { return std::pow(Wide(2), z); }), 16);
    *y = pow(*a, *a);
    Expect(y, Each(NumbersOf(a), [](Wide z) { return std::pow(z, z); }), 32);
    // Operands of their own.
    TensorContainer<cpu, 2, C> t(a->shape_);
    Copy(t, *a);
    *y = exp(TensorContainer<cpu, 2, C>(t)) * conj(TensorContainer<cpu, 2, C>(t));
    Expect(y, Each(NumbersOf(a), [](Wide z) { return std::exp(z) * std::conj(z); }), 16);
  });
}

TEST(Complex, ExponentialAtTheEnds) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const std::vector<C> in = {C(inf, 0), C(inf, 1), C(-inf, 2),  C(-inf, inf), C(-inf, nan),
                               C(nan, 0), C(0, nan), C(inf, inf), C(-2000, 1),  C(2000, 1)};
    Guarded<1, C> a(Shape1(static_cast<index_t>(in.size()))), y(a->shape_);
    for (std::size_t i = 0; i < in.size(); ++i) a.At(i) = in[i];
    *y = exp(*a);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const C expected = std::exp(in[i]), value = y.At(i);
      const auto same = [](T p, T q) {
        return std::isnan(q) ? std::isnan(p) : std::isinf(q) ? p == q : std::abs(p - q) == 0;
      };
      const bool is_sign_open = std::isinf(in[i].real()) && !std::isfinite(in[i].imag());
      const T re = is_sign_open ? std::abs(value.real()) : value.real();
      EXPECT_TRUE(same(re, is_sign_open ? std::abs(expected.real()) : expected.real()) &&
                  same(std::abs(value.imag()), std::abs(expected.imag())))
          << in[i] << ": " << value << ", not " << expected;
    }
  });
  // Beyond e^709, and yet a number.
  Guarded<1, Wide> a(Shape1(2)), y(Shape1(2));
  a.At(0) = Wide(710, 1.5707963);
  a.At(1) = Wide(-730, 0.5);
  *y = exp(*a);
  EXPECT_NEAR(y.At(0).real() / std::exp(a.At(0)).real(), 1, 1e-13);
  EXPECT_NEAR(std::abs(y.At(1) / std::exp(a.At(1))), 1, 1e-6);
}

TEST(Complex, Views) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    for (index_t m : {1, 3, 20, 67}) {
      for (index_t n : {1, 5, 34}) {
        Guarded<2, C> a(Shape2(m, n), 1, 1), y(Shape2(m, n)), t(Shape2(n, m), 2),
            wide(Shape2(m, n + 3)), both(Shape2(2 * m, n), 1);
        Guarded<1, C> row(Shape1(n)), column(Shape1(m));
        Fill(a, 7);
        Fill(row, 8);
        Fill(column, 9);
        const Numbers x = NumbersOf(a);
        const auto at = [&](std::size_t i, std::size_t j) { return x[i * n + j]; };
        Numbers expected;
        for (index_t j = 0; j < n; ++j) {
          for (index_t i = 0; i < m; ++i) expected.push_back(at(i, j));
        }
        *t = (*a).T();
        Expect(t, expected, 0);
        *t = conj(*a).T() * 2.0f;
        Expect(t, Each(expected, [](Wide z) { return std::conj(z) * 2.0; }), 0);
        *t = transpose(*a, Shape2(1, 0));
        Expect(t, expected, 0);
        expected.clear();
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) expected.push_back(at(i, n - 1 - j));
        }
        *y = flip(*a, 1);
        Expect(y, expected, 0);
        *y = mirror(*a);
        Expect(y, expected, 0);
        expected.clear();
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) {
            expected.push_back(at((i + m - 1) % m, j) + Wide(row.At(j)) + Wide(column.At(i)));
          }
        }
        *y = roll(*a, 1, 0) + broadcast<1>(*row, y->shape_) + broadcast<0>(*column, y->shape_);
        Expect(y, expected, 4, 8);
        expected.clear();
        for (int k = 0; k < 2; ++k) {
          for (const Wide& z : x) expected.push_back(k == 0 ? z : z * Wide(0, 1));
        }
        *y = *a * C(0, 1);
        *both = concat<0>(*a, *y);
        Expect(both, expected, 0);
        expected.assign(m * (n + 3), Wide(1, 1));
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) expected[i * (n + 3) + j + 2] = at(i, j);
        }
        *wide = C(1, 1);
        slice<1>(*wide, 2, n + 2) = *a;
        Expect(wide, expected, 0);
        *y = slice<1>(*wide, 2, n + 2);
        Expect(y, x, 0);
        Guarded<2, C> padded(Shape2(m + 2, n + 2), 1), odd(Shape2((m + 1) / 2, n));
        *padded = pad(*a, 1);
        EXPECT_EQ(padded.At(0), C(0));
        *y = unpad(*padded, 1);
        Expect(y, x, 0);
        Guarded<3, C> three(Shape3(2, n, m), 1);
        *three = swapaxis<2, 1>(reshape(*both, Shape3(2, m, n)));
        EXPECT_EQ(Wide(three.At(static_cast<std::size_t>(n) * m)), at(0, 0) * Wide(0, 1));
        EXPECT_EQ(Wide(three.At(static_cast<std::size_t>(n) * m - 1)), at(m - 1, n - 1));
        EXPECT_TRUE(three.Intact());
        // The target is an operand.
        Copy(*y, *a);
        *y = flip(*y, 0) * *y;
        expected.clear();
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) expected.push_back(at(m - 1 - i, j) * at(i, j));
        }
        Expect(y, expected);
      }
    }
  });
}

TEST(Complex, Reductions) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    for (index_t m : {1, 3, 40}) {
      for (index_t n : {1, 15, 70, 1000}) {
        Guarded<3, C> a(Shape3(2, m, n), 1, 1);
        Guarded<2, C> last(Shape2(2, m)), first(Shape2(m, n), 1), middle(Shape2(2, n));
        Guarded<2, T> norms(Shape2(2, m));
        Fill(a, 11);
        const Numbers x = NumbersOf(a);
        Numbers s0(m * n), s1(2 * n), s2(2 * m), p0(m * n, 1), norm2(2 * m);
        Wide total = 0;
        double squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const std::size_t k = i / n / m, j = i / n % m, l = i % n;
          s0[j * n + l] += x[i];
          p0[j * n + l] *= x[i];
          s1[k * n + l] += x[i];
          s2[k * m + j] += x[i];
          norm2[k * m + j] += std::norm(x[i]);
          total += x[i];
          squares += std::norm(x[i]);
        }
        const double scale = std::sqrt(static_cast<double>(x.size()));
        *first = sum<0>(*a);
        Expect(first, s0, 4, 4);
        *first = prod<0>(*a);
        Expect(first, p0);
        *middle = sum<1>(*a);
        Expect(middle, s1, 8, scale);
        *middle = mean<1>(*a) * 2.0f;
        Expect(middle, Each(s1, [&](Wide z) { return 2.0 * z / static_cast<double>(m); }), 8,
               scale);
        *last = sum<2>(*a);
        Expect(last, s2, 8, scale);
        *last = mean<-1>(*a);
        Expect(last, Each(s2, [&](Wide z) { return z / static_cast<double>(n); }), 8, scale);
        *last = sum<2>(*a * C(0, 1) + 1);
        Expect(last, Each(s2, [&](Wide z) { return z * Wide(0, 1) + static_cast<double>(n); }), 8,
               scale + static_cast<double>(n));
        *norms = norm<2>(*a);
        Expect(norms, Each(norm2, [](Wide z) { return std::sqrt(z.real()); }), 8);
        const C all = sum(*a), average = mean(*a);
        EXPECT_TRUE(IsNear(all, total, 16, scale + std::abs(total))) << all << " " << total;
        EXPECT_TRUE(IsNear(average, total / static_cast<double>(x.size()), 16, scale));
        const T size = norm(*a);
        EXPECT_TRUE(IsNear(size, std::sqrt(squares), 8, std::sqrt(squares)));
        // Along the rows of a transpose, and what is not in rows.
        Guarded<1, C> sums(Shape1(m)), columns(Shape1(n));
        *sums = sum<0>((*a)[0].T());
        Expect(sums, Numbers(s2.begin(), s2.begin() + m), 8, scale);
        *columns = sum<1>(flip((*a)[0].T(), 0));
        Numbers reversed(s1.begin(), s1.begin() + n);
        Expect(columns, Numbers(reversed.rbegin(), reversed.rend()), 8, scale);
        *columns = sum_rows((*a)[0]);
        Expect(columns, Numbers(s1.begin(), s1.begin() + n), 8, scale);
        *sums = sumall_except_dim<0>((*a)[0]);
        Expect(sums, Numbers(s2.begin(), s2.begin() + m), 8, scale);
      }
    }
    Guarded<2, C> nothing(Shape2(3, 0)), two(Shape2(2, 3));
    Guarded<1, C> zeros(Shape1(3));
    *zeros = C(5, 5);
    *zeros = sum<1>(*nothing);
    Expect(zeros, Numbers(3), 0);
    EXPECT_EQ(sum(*nothing), C(0));
    EXPECT_EQ(prod(*nothing), C(1));
    Fill(two, 4);
    Wide product = 1;
    for (const Wide& z : NumbersOf(two)) product *= z;
    EXPECT_TRUE(IsNear(prod(*two), product, 8, std::abs(product)));
  });
  // A long sum of floats.
  TensorContainer<cpu, 1, std::complex<float>> many(Shape1(3000000), std::complex<float>(0.1f, 1));
  const std::complex<float> sums = sum(many);
  EXPECT_NEAR(sums.real() / 3e5, 1, 1e-6);
  EXPECT_NEAR(sums.imag() / 3e6, 1, 1e-7);
}

TEST(Complex, Products) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    for (std::size_t m : {1, 4, 45}) {
      for (std::size_t k : {1, 7, 300}) {
        for (std::size_t n : {1, 3, 50}) {
          Guarded<2, C> a(Shape2(m, k), 1, 1), b(Shape2(k, n)), bt(Shape2(n, k), 2),
              ah(Shape2(k, m)), y(Shape2(m, n), 1);
          Guarded<1, C> v(Shape1(k)), row(Shape1(n)), column(Shape1(m));
          Fill(a, 1);
          Fill(b, 2);
          Fill(v, 3);
          *bt = (*b).T();
          *ah = conj(*a).T();
          const Numbers p = NumbersOf(a), q = NumbersOf(b), w = NumbersOf(v);
          Numbers ab(m * n), av(m), vb(n);
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t l = 0; l < k; ++l) {
              av[i] += p[i * k + l] * w[l];
              for (std::size_t j = 0; j < n; ++j) ab[i * n + j] += p[i * k + l] * q[l * n + j];
            }
          }
          for (std::size_t l = 0; l < k; ++l) {
            for (std::size_t j = 0; j < n; ++j) vb[j] += w[l] * q[l * n + j];
          }
          const double scale = 8 * std::sqrt(static_cast<double>(k));
          *y = dot(*a, *b);
          Expect(y, ab, 8, scale);
          *y += dot(*a, (*bt).T()) * C(0, 1);
          Expect(y, Each(ab, [](Wide z) { return z * Wide(1, 1); }), 16, scale);
          *y -= 2.0f * dot((*ah).T(), *b);  // the conjugate of a
          Numbers conjugate(m * n);
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t l = 0; l < k; ++l) {
              for (std::size_t j = 0; j < n; ++j) {
                conjugate[i * n + j] += std::conj(p[i * k + l]) * q[l * n + j];
              }
            }
          }
          Expect(y, Each(ab, conjugate, [](Wide z, Wide c) { return z * Wide(1, 1) - 2.0 * c; }),
                 32, scale);
          Guarded<2, C> gram(Shape2(k, n));
          Fill(y, 12);
          *gram = dot(conj(*a).T(), *y);
          const Numbers z = NumbersOf(y);
          Numbers expected(k * n);
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t l = 0; l < k; ++l) {
              for (std::size_t j = 0; j < n; ++j) {
                expected[l * n + j] += std::conj(p[i * k + l]) * z[i * n + j];
              }
            }
          }
          Expect(gram, expected, 16, 8 * std::sqrt(static_cast<double>(m)));
          *column = dot(*a, *v);
          Expect(column, av, 8, scale);
          *row = dot(*v, *b) * 2;
          Expect(row, Each(vb, [](Wide s) { return s * 2.0; }), 8, scale);
          *row = dot(*v, (*bt).T());
          Expect(row, vb, 8, scale);
          Guarded<2, C> outer(Shape2(k, n));
          *outer = dot((*v).T(), *row);
          const Numbers r = NumbersOf(row);
          Numbers outers;
          for (const Wide& s : w) {
            for (const Wide& t : r) outers.push_back(s * t);
          }
          Expect(outer, outers);
          if (k != m) {
            EXPECT_NE(ErrorOf([&] { *y = dot(*a, *y); }), "");
          }
        }
      }
    }
    Guarded<3, C> a(Shape3(4, 5, 6), 1), b(Shape3(4, 3, 6)), y(Shape3(4, 5, 3), 2);
    Fill(a, 1);
    Fill(b, 2);
    *y = batch_dot<false, true>(*a, *b);
    const Numbers p = NumbersOf(a), q = NumbersOf(b);
    Numbers expected(60);
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t batch = i / 15, r = i / 3 % 5, c = i % 3;
      for (std::size_t l = 0; l < 6; ++l) {
        expected[i] += p[(batch * 5 + r) * 6 + l] * q[(batch * 3 + c) * 6 + l];
      }
    }
    Expect(y, expected, 8, 8);
    Tensor<cpu, 1, C> u = (*a)[0][0], w = (*b)[0][0];
    Guarded<1, C> one(Shape1(1));
    VectorDot(*one, u, w);
    EXPECT_TRUE(IsNear(one.At(0), expected[0], 8, 8));
  });
}

TEST(Complex, LongSumsOfProductsKeepTheirDigits) {
  using C = std::complex<float>;
  constexpr index_t kCount = 1000000;
  TensorContainer<cpu, 2, C> row(Shape2(1, kCount), C(0.1f, 0.2f)),
      column(Shape2(kCount, 1), C(0.3f, 0.0f)), product(Shape2(1, 1));
  const std::complex<double> right = std::complex<double>(0.1f, 0.2f) *
                                     std::complex<double>(0.3f, 0.0f) * double{kCount};
  const auto error = [&](const C& z) { return std::abs(std::complex<double>(z) - right); };
  const double most = 1e-5 * std::abs(right);
  const C number = dot(row[0], reshape(column, Shape1(kCount)));
  EXPECT_LT(error(number), most);
  product = dot(row, column);
  EXPECT_LT(error(product[0][0]), most);
  TensorContainer<cpu, 1, C> x(Shape1(kCount), C(0.3f, 0.0f)), y(Shape1(1));
  y = dot(row, x);
  EXPECT_LT(error(y[0]), most);
  y = dot(x, row.T());
  EXPECT_LT(error(y[0]), most);
  TensorContainer<cpu, 2, C> many(Shape2(kCount, 2), C(0.1f, 0.2f)), few(Shape2(2, 3)),
      wide(Shape2(kCount, 3), C(0.3f, 0.0f));
  TensorContainer<cpu, 1, C> sums(Shape1(2));
  sums = dot(x, many);
  EXPECT_LT(error(sums[1]), most);
  few = dot(many.T(), wide);
  EXPECT_LT(error(few[1][2]), most);
}

TEST(Complex, ReductionsOfRowsInFormulas) {
  using C = std::complex<float>;
  TensorContainer<cpu, 2, C> z(Shape2(3, 5));
  TensorContainer<cpu, 2> x(Shape2(3, 5));
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 5; ++j) {
      z[i][j] = C(static_cast<float>(i) + 1, static_cast<float>(j) - 2);
    }
  }
  TensorContainer<cpu, 1, C> v(Shape1(3));
  TensorContainer<cpu, 1> r(Shape1(3));
  v = sum<1>(z) * 2;
  EXPECT_EQ(v[2], C(30, 0));
  v = conj(mean<1>(z)) + C(0, 1);
  EXPECT_EQ(v[1], C(2, 1));
  r = abs(sum<1>(z));
  EXPECT_EQ(r[0], 5);
  x = abs(z) / broadcast<0>(norm<1>(z), z.shape_);
  EXPECT_NEAR(x[1][2], 2 / std::sqrt(30.0), 1e-6);  // 5 times 2^2, and 4 + 1 + 0 + 1 + 4
  z -= broadcast<0>(mean<1>(z), z.shape_);
  EXPECT_EQ(z[2][4], C(0, 2));
}
TEST(Complex, NormsNeitherOverflowNorUnderflow) {
  TensorContainer<cpu, 1, std::complex<float>> z(Shape1(4), std::complex<float>(0, 1e20f));
  EXPECT_FLOAT_EQ(norm(z), 2e20f);
  z = std::complex<float>(1e-30f, 0);
  EXPECT_FLOAT_EQ(norm(z), 2e-30f);
  TensorContainer<cpu, 1, std::complex<double>> w(Shape1(4), std::complex<double>(0, 1e200));
  EXPECT_DOUBLE_EQ(norm(w), 2e200);
}
TEST(Complex, PowersAndQuotientsKeepInfinitiesAndSignsOfZero) {
  using C = std::complex<double>;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  TensorContainer<cpu, 1, C> z(Shape1(1)), w(Shape1(1));
  const auto pow_of = [&](const C& x, double n) {
    z = x;
    w = pow(z, n);
    return w[0];
  };
  EXPECT_EQ(pow_of(C(kInf, 1), 1), C(kInf, 1));
  EXPECT_TRUE(std::signbit(pow_of(C(3, -0.0), 1).imag()));
  EXPECT_EQ(pow_of(C(1e200, 3), 2).imag(), 6e200);
  EXPECT_EQ(pow_of(C(2, 1), 0), C(1, 0));
  z = C(-1, -2);
  w = sqrt(z / C(1, 2));
  EXPECT_EQ(w[0], C(0, 1));
}
TEST(Complex, ScalarsOfTheOtherComplexType) {
  using C = std::complex<float>;
  const std::complex<double> i(0, 1);
  TensorContainer<cpu, 2, C> z(Shape2(2, 2), i);
  z += i;
  z *= 2.0 * i;
  EXPECT_EQ(z[1][1], C(-4, 0));
  z = i;
  EXPECT_EQ(z[0][1], C(0, 1));
}
TEST(Complex, CloseElements) {
  using C = std::complex<float>;
  TensorContainer<cpu, 1, C> z(Shape1(3), C(1, 2)), w = z;
  EXPECT_TRUE(allclose(z, w));
  w[1] = C(1, 2.1f);
  TensorContainer<cpu, 1> close(Shape1(3));
  close = isclose(z, w);
  EXPECT_FALSE(allclose(z, w));
  EXPECT_EQ(close[0], 1);
  EXPECT_EQ(close[1], 0);

  TensorContainer<cpu, 1> x(Shape1(3), 1.0f);
  const TensorContainer<cpu, 1, std::complex<double>> wide(Shape1(3), std::complex<double>(1, 2));
  EXPECT_TRUE(allclose(z, wide));
  EXPECT_FALSE(allclose(z, x));
  EXPECT_FALSE(array_equal(x, z));
  z = x;
  EXPECT_TRUE(allclose(z, x));
  EXPECT_TRUE(allclose(x, z));
  EXPECT_TRUE(array_equal(x, z));
}

}  // namespace
}  // namespace complex_test
}  // namespace mshadow
