// SPDX-License-Identifier: Apache-2.0
// NumPy's functions of complex tensors, and real operands beside complex ones.
#include <mshadow/complex.h>
#include <mshadow/index.h>
#include <mshadow/numpy.h>
#include <mshadow/tensor_container.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace complex_numpy_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using testing::ErrorOf;
using testing::Guarded;

using Wide = std::complex<double>;

template <typename F>
void ForEachComplex(const F& f) {
  f(std::complex<float>());
  f(std::complex<double>());
}
/// Some numbers, none of them small.
template <int dim, typename T>
void Fill(Guarded<dim, T>& t, int seed = 0) {
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
/// f(i) for each element of t.
template <int dim, typename T, typename F>
void Expect(Guarded<dim, T>& t, const F& f, double tolerance = 1e-6, int line = __builtin_LINE()) {
  SCOPED_TRACE("line " + std::to_string(line));
  for (std::size_t i = 0; i < t.Size(); ++i) {
    const Wide expected(f(i)), value(t.At(i));
    if (!(std::abs(value - expected) <= tolerance * (1 + std::abs(expected)))) {
      FAIL() << "element " << i << " is " << value << ", not " << expected;
    }
  }
  EXPECT_TRUE(t.Intact()) << "wrote outside of the tensor";
}
/// f(shape, pad, shift): odd sizes, padded rows, misaligned pointers, nothing.
template <typename F>
void ForEachMemory(const F& f) {
  f(Shape2(3, 7), 2, 1);
  f(Shape2(5, 33), 0, 1);
  f(Shape2(4, 64), 1, 0);
  f(Shape2(0, 5), 0, 0);
}

TEST(ComplexNumpy, RealOperandsArePromoted) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    ForEachMemory([](Shape<2> shape, index_t pad, index_t shift) {
      Guarded<2, C> z(shape, pad, shift), y(shape, 0, 1);
      Guarded<2, T> x(shape, 1, shift);
      Guarded<1, T> row(Shape1(shape[1]), 0, 1), column(Shape1(shape[0]));
      Fill(z);
      Fill(x);
      Fill(row, 3);
      Fill(column, 4);
      const auto at_z = [&](std::size_t i) { return Wide(z.At(i)); };
      const auto at_x = [&](std::size_t i) { return static_cast<double>(x.At(i)); };
      const auto at_row = [&](std::size_t i) {
        return static_cast<double>(row.At(i % static_cast<std::size_t>(shape[1])));
      };
      *y = *z * *x;
      Expect(y, [&](std::size_t i) { return at_z(i) * at_x(i); });
      *y = *x - *z * 2;
      Expect(y, [&](std::size_t i) { return at_x(i) - at_z(i) * 2.0; });
      *y = *x / *z + *row;
      Expect(y, [&](std::size_t i) { return at_x(i) / at_z(i) + at_row(i); });
      *y = *row / *z;
      Expect(y, [&](std::size_t i) { return at_row(i) / at_z(i); });
      *y = *x * C(0, 1);
      Expect(y, [&](std::size_t i) { return at_x(i) * Wide(0, 1); });
      *y = Wide(0.5, 1) + *x;
      Expect(y, [&](std::size_t i) { return Wide(0.5, 1) + at_x(i); });
      *y = where(*x > 0, *z, *x);
      Expect(y, [&](std::size_t i) { return at_x(i) > 0 ? at_z(i) : Wide(at_x(i)); });
      *y = *z == *x;
      Expect(y, [](std::size_t) { return 0.0; });
      *y = pow(*z, tcast<T>(*x > 0) + T(1));
      Expect(y, [&](std::size_t i) { return at_x(i) > 0 ? at_z(i) * at_z(i) : at_z(i); }, 1e-5);
      *y = F([](C a, C b) { return a + b * C(0, 1); }, *x, *z);
      Expect(y, [&](std::size_t i) { return at_x(i) + at_z(i) * Wide(0, 1); });
      *y = *x;
      Expect(y, at_x);
      *y = *x * 2 + 1;
      Expect(y, [&](std::size_t i) { return at_x(i) * 2 + 1; });
      *y += *x;
      *y *= *row;
      *y -= (*x).T().T();
      Expect(y, [&](std::size_t i) { return (at_x(i) * 3 + 1) * at_row(i) - at_x(i); });
      *y = *x;
      if (shape[0] > 0) {
        *y = *z - mean<1>(*x);
        Expect(y, [&](std::size_t i) {
          const std::size_t n = static_cast<std::size_t>(shape[1]), begin = i / n * n;
          double sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += at_x(begin + k);
          return at_z(i) - sum / static_cast<double>(n);
        });
        Guarded<2, C> yt(Shape2(shape[1], shape[0]));
        *yt = (*x).T();
        Expect(yt, [&](std::size_t i) {
          const std::size_t m = static_cast<std::size_t>(shape[0]);
          return at_x(i % m * static_cast<std::size_t>(shape[1]) + i / m);
        });
      }
    });
  });
}

TEST(ComplexNumpy, ContainersOfRealExpressions) {
  using C = std::complex<float>;
  const TensorContainer<cpu, 2> x({{1, 2, 3}, {4, 5, 6}});
  const TensorContainer<cpu, 2, C> made = x, sum = x + 1;
  TensorContainer<cpu, 2, C> taken, own(Shape2(2, 3), C(1, 1));
  taken = x;
  own = x * 2;
  EXPECT_EQ(made(1, 2), C(6));
  EXPECT_EQ(sum(0, 1), C(3));
  EXPECT_EQ(taken(1, 0), C(4));
  EXPECT_EQ(own(1, 2), C(12));
  TensorContainer<cpu, 2, C> again(Shape2(7, 2));
  EXPECT_NE(ErrorOf([&] { slice<1>(again, 0, 1) = x; }), "");
  own = TensorContainer<cpu, 2>(x) * made;
  EXPECT_EQ(own(1, 2), C(36));
  Fuse(lazy(taken) = x, lazy(own) += x);
  EXPECT_EQ(own(1, 1), C(30));
}

TEST(ComplexNumpy, ProductsWithRealFactors) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    Guarded<2, C> z(Shape2(3, 5), 1, 1), y(Shape2(3, 3), 2), thin(Shape2(5, 5));
    Guarded<2, T> x(Shape2(3, 5), 2, 1);
    Guarded<1, T> v(Shape1(5));
    Guarded<1, C> u(Shape1(3)), w(Shape1(5));
    Fill(z);
    Fill(x);
    Fill(v, 2);
    Fill(w, 5);
    *y = dot(*z, (*x).T());
    Expect(y, [&](std::size_t i) {
      Wide sum = 0;
      for (std::size_t k = 0; k < 5; ++k) {
        sum += Wide(z.At(i / 3 * 5 + k)) * static_cast<double>(x.At(i % 3 * 5 + k));
      }
      return sum;
    });
    *thin = dot((*x).T(), *z);
    *thin += dot(conj(*z).T(), *x) * C(0, 1);
    Expect(thin, [&](std::size_t i) {
      Wide sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += Wide(z.At(k * 5 + i % 5)) * static_cast<double>(x.At(k * 5 + i / 5));
        sum += std::conj(Wide(z.At(k * 5 + i / 5))) * static_cast<double>(x.At(k * 5 + i % 5)) *
               Wide(0, 1);
      }
      return sum;
    });
    *u = dot(*z, *v);
    Expect(u, [&](std::size_t i) {
      Wide sum = 0;
      for (std::size_t k = 0; k < 5; ++k) sum += Wide(z.At(i * 5 + k)) * double(v.At(k));
      return sum;
    });
    Wide sum = 0;
    for (std::size_t k = 0; k < 5; ++k) sum += Wide(w.At(k)) * double(v.At(k));
    EXPECT_LT(std::abs(Wide(dot(*w, *v)) - sum), 1e-5);
    EXPECT_LT(std::abs(Wide(dot(*v, *w)) - sum), 1e-5);
    EXPECT_LT(std::abs(Wide(vdot(*w, *v)) - std::conj(sum)), 1e-5);
    EXPECT_LT(std::abs(Wide(vdot(*v, *w)) - sum), 1e-5);
    *thin = outer(*w, *v);
    Expect(thin, [&](std::size_t i) { return Wide(w.At(i / 5)) * double(v.At(i % 5)); });
    Guarded<3, C> a(Shape3(2, 2, 3)), p(Shape3(2, 2, 2));
    Guarded<3, T> b(Shape3(2, 3, 2), 1);
    Fill(a);
    Fill(b);
    *p = batch_dot<false, false>(*a, *b);
    Expect(p, [&](std::size_t i) {
      Wide total = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        total += Wide(a.At(i / 4 * 6 + i / 2 % 2 * 3 + k)) *
                 static_cast<double>(b.At(i / 4 * 6 + k * 2 + i % 2));
      }
      return total;
    });
  });
}

TEST(ComplexNumpy, NanAndInfinity) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const T most = (std::numeric_limits<T>::max)();
    Guarded<1, C> z(Shape1(7), 0, 1), y(Shape1(7));
    Guarded<1, T> r(Shape1(7));
    const C values[] = {C(1, 2), C(nan, 1), C(2, nan), C(inf, 3), C(4, -inf), C(nan, inf), C(0, 0)};
    for (int i = 0; i < 7; ++i) z.At(i) = values[i];
    const auto expect = [&](std::vector<int> flags) {
      Expect(r, [&](std::size_t i) { return flags[i]; });
    };
    *r = isnan(*z);
    expect({0, 1, 1, 0, 0, 1, 0});
    *r = isinf(*z);
    expect({0, 0, 0, 1, 1, 1, 0});
    *r = isfinite(*z);
    expect({1, 0, 0, 0, 0, 0, 1});
    EXPECT_EQ(sum(isnan(*z)), 3);  // a count
    EXPECT_TRUE(any(isinf(*z)));
    *y = where(isnan(*z), C(0, 9), *z);
    EXPECT_EQ(y.At(1), C(0, 9));
    EXPECT_EQ(y.At(3), C(inf, 3));
    *y = nan_to_num(*z);
    const C numbers[] = {C(1, 2), C(0, 1), C(2, 0), C(most, 3), C(4, -most), C(0, most), C(0, 0)};
    for (int i = 0; i < 7; ++i) EXPECT_EQ(y.At(i), numbers[i]) << i;
    *y = nan_to_num(*z, 7, 8, -9);
    EXPECT_EQ(y.At(5), C(7, 8));
    EXPECT_EQ(y.At(4), C(4, -9));
    EXPECT_EQ(count_nonzero(*z), 6);
    const auto places = nonzero(*z);
    EXPECT_EQ(places.shape_[0], index_t{6});
    EXPECT_FALSE(array_equal(*z, *z));
    EXPECT_FALSE(allclose(*z, *z));
    EXPECT_TRUE(allclose(*z, *z, 1e-5, 1e-8, true));
    z.At(3) = z.At(4) = C(1, 1);
    EXPECT_EQ(nansum(*z), C(3, 4));
    EXPECT_EQ(nanprod(where(*z == C(0), C(1), *z)), C(1, 2) * C(0, 2));
    EXPECT_LT(std::abs(nanmean(*z) - C(3, 4) / T(4)), 1e-6);
    EXPECT_TRUE(any(*z));
    EXPECT_FALSE(all(*z));
  });
}

TEST(ComplexNumpy, Variances) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    for (const Shape<2>& shape : {Shape2(3, 7), Shape2(1, 40), Shape2(50, 3)}) {
      const std::size_t m = shape[0], n = shape[1];
      Guarded<2, C> z(shape, 2, 1);
      Guarded<1, T> rows(Shape1(shape[0])), columns(Shape1(shape[1]), 0, 1);
      Fill(z);
      const auto variance = [&](std::size_t begin, std::size_t step, std::size_t count) {
        Wide mean = 0;
        for (std::size_t k = 0; k < count; ++k) mean += Wide(z.At(begin + k * step));
        mean /= static_cast<double>(count);
        double squares = 0;
        for (std::size_t k = 0; k < count; ++k) {
          squares += std::norm(Wide(z.At(begin + k * step)) - mean);
        }
        return squares / static_cast<double>(count);
      };
      *rows = var<1>(*z);
      Expect(rows, [&](std::size_t i) { return variance(i * n, 1, n); });
      *columns = stddev<0>(*z);
      Expect(columns, [&](std::size_t i) { return std::sqrt(variance(i, n, m)); });
      *columns = var(*z, 0);
      Expect(columns, [&](std::size_t i) { return variance(i, n, m); });
      *rows = var<1>(*z, Ddof{1});
      const double freedom = static_cast<double>(n) / static_cast<double>(n - 1);
      Expect(rows, [&](std::size_t i) { return variance(i * n, 1, n) * freedom; });
      const T all = var(*z), root = stddev(*z);
      EXPECT_NEAR(all, variance(0, 1, m * n), 1e-5 * variance(0, 1, m * n));
      EXPECT_NEAR(root, std::sqrt(variance(0, 1, m * n)), 1e-5);
      if (m == 3) {
        Guarded<2, C> c(Shape2(3, 3));
        Copy(*c, cov(*z));
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(c.At(i * 4).real(), variance(i * n, 1, n) * 7 / 6, 1e-4);
          EXPECT_NEAR(c.At(i * 4).imag(), 0, 1e-5);
        }
        EXPECT_LT(std::abs(c.At(1) - std::conj(c.At(3))), 1e-5);
        const auto correlations = corrcoef(*z);
        EXPECT_NEAR(std::abs(correlations[1][1] - C(1)), 0, 1e-5);
        const C expected = c.At(1) / std::sqrt(c.At(0).real() * c.At(4).real());
        EXPECT_LT(std::abs(correlations[0][1] - expected), 1e-5);
      }
    }
  });
}

TEST(ComplexNumpy, Functions) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    using T = typename C::value_type;
    Guarded<2, C> z(Shape2(3, 9), 1, 1), y(Shape2(3, 9));
    Fill(z);
    z.At(3) = C(0, 0);
    const auto each = [&](const auto& f) {
      return [&, f](std::size_t i) { return Wide(f(Wide(z.At(i)))); };
    };
    const double tolerance = sizeof(T) == 4 ? 1e-6 : 1e-14;
    *y = sign(*z);
    Expect(y, each([](Wide a) { return a == 0.0 ? a : a / std::abs(a); }), tolerance);
    *y = round(*z * 1.3f);
    const T scale = 1.3f;
    Expect(y, [&](std::size_t i) {
      return Wide(std::nearbyint(z.At(i).real() * scale), std::nearbyint(z.At(i).imag() * scale));
    }, 0);
    *y = exp2(*z);
    Expect(y, each([](Wide a) { return std::exp(a * std::log(2.0)); }), tolerance);
    *y = expm1(*z * 1e-3f);
    Expect(y, each([](Wide a) { return std::exp(a * double(1e-3f)) - 1.0; }), tolerance);
    EXPECT_EQ(y.At(3), C(0));
    *y = log1p(*z);
    Expect(y, each([](Wide a) { return std::log(1.0 + a); }), tolerance);
    z.At(3) = C(1e-12f, -1e-12f);
    *y = log1p(*z);
    EXPECT_LT(std::abs(y.At(3) - z.At(3)), 1e-18);
    *y = expm1(*z);
    EXPECT_LT(std::abs(y.At(3) - z.At(3)), 1e-18);
    z.At(3) = C(2, 1);
    *y = log2(*z);
    Expect(y, each([](Wide a) { return std::log(a) / std::log(2.0); }), tolerance);
    *y = rsqrt(*z);
    Expect(y, each([](Wide a) { return 1.0 / std::sqrt(a); }), tolerance);
    *y = tcast<C>(saturate_cast<C>(*z));
    Expect(y, each([](Wide a) { return a; }), 0);
    *y = MakeComplex(imag(*z), real(*z) + 1);
    Expect(y, each([](Wide a) { return Wide(a.imag(), a.real() + 1); }), tolerance);
  });
}

TEST(ComplexNumpy, RunningValuesAndDifferences) {
  ForEachComplex([](auto zero) {
    using C = decltype(zero);
    const std::size_t n = 6;
    Guarded<2, C> z(Shape2(2, 6), 1, 1), y(Shape2(2, 6), 0, 1);
    Guarded<1, C> areas(Shape1(2));
    Fill(z);
    const auto at = [&](std::size_t i) { return Wide(z.At(i)); };
    Copy(*y, eval(cumsum(*z, 1)));
    Expect(y, [&](std::size_t i) {
      Wide sum = 0;
      for (std::size_t k = i / n * n; k <= i; ++k) sum += at(k);
      return sum;
    });
    Copy(*y, cumprod(*z, 1));
    Expect(y, [&](std::size_t i) {
      Wide product = 1;
      for (std::size_t k = i / n * n; k <= i; ++k) product *= at(k);
      return product;
    });
    *y = gradient(*z, 0.5);
    Expect(y, [&](std::size_t i) {
      const std::size_t j = i % n, low = j == 0 ? i : i - 1, high = j == n - 1 ? i : i + 1;
      return (at(high) - at(low)) / (0.5 * static_cast<double>(high - low));
    });
    *areas = trapezoid(*z, 2.0);
    Expect(areas, [&](std::size_t i) {
      Wide sum = 0;
      for (std::size_t k = 0; k + 1 < n; ++k) sum += at(i * n + k) + at(i * n + k + 1);
      return sum;
    });
    const auto chosen = select(*z, real(*z) > 2);
    for (index_t i = 0; i < chosen.shape_[0]; ++i) EXPECT_GT(chosen[i].real(), 2);
    EXPECT_EQ(count_nonzero(real(*z) > 2), static_cast<int64_t>(chosen.shape_[0]));
  });
}

// What kernels of a GPU call in the place of <complex>.
TEST(ComplexNumpy, ElementaryFunctionsOfKernels) {
  namespace elementary = op::math::elementary;
  using N = ComplexNumber<Wide>;
  const double parts[] = {0.0,  1e-300, 1e-8, 0.1,  0.5, 0.999, 1.0,    1.0001, 2.0,  3.3,
                          19.0, 50.0,   300.0, -0.0, -1e-8, -0.1, -1.0, -2.5, -70.0, 1e160};
  const auto check = [&](const char* name, const auto& f, const auto& g) {
    for (double x : parts) {
      for (double y : parts) {
        const Wide z(x, y), value = f(N(z)), expected = g(z);
        if (!std::isfinite(expected.real()) || !std::isfinite(expected.imag())) continue;
        const double size = std::abs(expected);
        ASSERT_LE(std::abs(value - expected), 2e-15 * size) << name << " of " << z << ": " << value;
        if (std::abs(expected.imag()) > 1e-14 * size) {
          ASSERT_EQ(std::signbit(value.imag()), std::signbit(expected.imag())) << name << z;
        }
      }
    }
  };
#define MSHADOW_CHECK_NAME_(Name, name)                       \
  check(#name, [](N z) { return Wide(elementary::Name(z)); }, \
        [](const Wide& z) { return std::name(z); });
  MSHADOW_CHECK_NAME_(Exp, exp)
  MSHADOW_CHECK_NAME_(Log, log)
  MSHADOW_CHECK_NAME_(Log10, log10)
  MSHADOW_CHECK_NAME_(Sqrt, sqrt)
  MSHADOW_CHECK_NAME_(Sin, sin)
  MSHADOW_CHECK_NAME_(Cos, cos)
  MSHADOW_CHECK_NAME_(Tan, tan)
  MSHADOW_CHECK_NAME_(Asin, asin)
  MSHADOW_CHECK_NAME_(Acos, acos)
  MSHADOW_CHECK_NAME_(Atan, atan)
  MSHADOW_CHECK_NAME_(Sinh, sinh)
  MSHADOW_CHECK_NAME_(Cosh, cosh)
  MSHADOW_CHECK_NAME_(Tanh, tanh)
  MSHADOW_CHECK_NAME_(Asinh, asinh)
  MSHADOW_CHECK_NAME_(Acosh, acosh)
  MSHADOW_CHECK_NAME_(Atanh, atanh)
#undef MSHADOW_CHECK_NAME_
  const Wide power = elementary::Pow(N(Wide(1.5, -2)), N(Wide(0.25, 3)));
  EXPECT_LT(std::abs(power / std::pow(Wide(1.5, -2), Wide(0.25, 3)) - 1.0), 1e-14);
  EXPECT_EQ(Wide(elementary::Pow(N(0), N(Wide(2.5, 1)))), Wide(0));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Wide(elementary::Exp(N(-inf, inf))), Wide(0));
  EXPECT_EQ(elementary::Exp(N(inf, inf)).re, inf);
  EXPECT_EQ(elementary::Sqrt(N(-inf, 1.0)).im, inf);
  EXPECT_EQ(elementary::Sqrt(N(1.0, -inf)).re, inf);
  EXPECT_EQ(elementary::Log(N(0.0, 0.0)).re, -inf);
  EXPECT_EQ(elementary::Atanh(N(1.0, 0.0)).re, inf);
}

}  // namespace
}  // namespace complex_numpy_test
}  // namespace mshadow
