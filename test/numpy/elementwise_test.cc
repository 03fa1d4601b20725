// SPDX-License-Identifier: Apache-2.0
// Beside the C library's functions of the same elements, specials included.
#include <mshadow/numpy.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace numpy_elementwise_test {
namespace {

using namespace expr;  // NOLINT

template <typename T>
std::vector<T> Specials() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  return {T(0), T(-0.0), T(1), T(-1),  T(2.5),   T(-2.5),    T(7), T(-0.3), T(1e-30), T(3e4),
          inf,  -inf,    nan,  T(0.5), T(100.7), T(-1000.1), T(3), T(1e30), T(-4),    T(1) / T(3)};
}
template <typename T>
void ExpectSame(T value, double expected, double ulps, double a, double b) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << a << " " << b << ": " << value;
  } else if (std::isinf(expected) || expected == 0) {
    EXPECT_EQ(static_cast<double>(value), expected) << a << " " << b;
    EXPECT_EQ(std::signbit(value), std::signbit(expected)) << a << " " << b;
  } else {
    EXPECT_NEAR(static_cast<double>(value), expected,
                ulps * std::abs(expected) * std::numeric_limits<T>::epsilon())
        << a << " " << b;
  }
}
template <typename T, typename Function, typename Right>
void ForAllPairs(const Function& f, const Right& right, double ulps) {
  const std::vector<T> numbers = Specials<T>();
  const index_t n = static_cast<index_t>(numbers.size());
  testing::Guarded<2, T> a(Shape2(n, n), 3, 1), b(Shape2(n, n), 5), out(Shape2(n, n), 1, 2);
  for (index_t i = 0; i < n * n; ++i) {
    a.At(i) = numbers[i / n];
    b.At(i) = numbers[i % n];
  }
  *out = f(*a, *b);
  for (index_t i = 0; i < n * n; ++i) {
    ExpectSame<T>(out.At(i), static_cast<double>(right(a.At(i), b.At(i))), ulps,
                  static_cast<double>(a.At(i)), static_cast<double>(b.At(i)));
  }
  EXPECT_TRUE(out.Intact());
}
template <typename T>
void OfType() {
  const auto pairs = [](auto f, auto right, double ulps) { ForAllPairs<T>(f, right, ulps); };
  pairs([](auto& a, auto& b) { return hypot(a, b); }, [](T a, T b) { return std::hypot(a, b); }, 2);
  pairs([](auto& a, auto& b) { return fmod(a, b); }, [](T a, T b) { return std::fmod(a, b); }, 0);
  pairs([](auto& a, auto& b) { return copysign(a, b); },
        [](T a, T b) { return std::copysign(a, b); }, 0);
  pairs([](auto& a, auto& b) { return fmax(a, b) + 0 * (a * b > 0); },
        [](T a, T b) { return std::fmax(a, b) + 0; }, 0);
  pairs([](auto& a, auto& b) { return fmin(a, b) + 0 * (a * b > 0); },
        [](T a, T b) { return std::fmin(a, b) + 0; }, 0);
  pairs([](auto& a, auto& b) { return heaviside(a, b); },
        [](T a, T b) { return std::isnan(a) ? a
                              : a < 0       ? T(0)
                              : a > 0       ? T(1)
                                            : b; }, 0);
  pairs([](auto& a, auto& b) { return floor_divide(a, b); },
        [](T a, T b) { return std::floor(a / b); }, 0);
  pairs([](auto& a, auto& b) { return logaddexp(a, b); },
        [](T x, T y) {
          const long double a = x, b = y;
          if (a == b) return a + std::log(2.0L);
          return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b))) + 0 * (a + b > 0);
        },
        4);
}
TEST(NumpyElementwise, Floats) { OfType<float>(); }
TEST(NumpyElementwise, Doubles) { OfType<double>(); }

template <typename T>
void Integers() {
  const T low = std::numeric_limits<T>::lowest(), high = (std::numeric_limits<T>::max)();
  const std::vector<T> numbers = {T(0),  T(1), T(2), T(7),       T(-1),
                                  T(-7), low,  high, T(low + 1), T(5)};
  const index_t n = static_cast<index_t>(numbers.size());
  testing::Guarded<2, T> a(Shape2(n, n), 3, 1), b(Shape2(n, n)), out(Shape2(n, n));
  for (index_t i = 0; i < n * n; ++i) {
    a.At(i) = numbers[i / n];
    b.At(i) = numbers[i % n];
  }
  const auto check = [&](auto right) {
    for (index_t i = 0; i < n * n; ++i) {
      EXPECT_EQ(out.At(i), static_cast<T>(right(a.At(i), b.At(i)))) << +a.At(i) << " " << +b.At(i);
    }
  };
  *out = bitwise_and(*a, *b);
  check([](T x, T y) { return x & y; });
  *out = bitwise_or(*a, *b);
  check([](T x, T y) { return x | y; });
  *out = bitwise_xor(*a, *b);
  check([](T x, T y) { return x ^ y; });
  *out = invert(*a);
  check([](T x, T) { return ~x; });
  *out = left_shift(*a, 3);
  check([](T x, T) { return static_cast<std::uint64_t>(x) << 3; });
  *out = right_shift(*a, 3);
  check([](T x, T) { return x >> 3; });
  *out = left_shift(*a, *b);
  check([](T x, T y) -> T {
    for (int i = 0; i != static_cast<int>(y) && i < 64; ++i) x = static_cast<T>(x * 2u);
    return x;
  });
  *out = right_shift(*a, *b);
  check([](T x, T y) -> T {
    for (int i = 0; i != static_cast<int>(y) && i < 64; ++i) x = static_cast<T>(x >> 1);
    return x;
  });
  *out = floor_divide(*a, *b);
  check([](T x, T y) -> T {
    if (y == 0) return 0;
    const auto wide = static_cast<long double>(x) / static_cast<long double>(y);
    return static_cast<T>(static_cast<std::int64_t>(std::floor(wide)));
  });
}
TEST(NumpyElementwise, Integers) {
  Integers<std::int8_t>();
  Integers<std::uint8_t>();
  Integers<int>();
  Integers<std::uint32_t>();
}

TEST(NumpyElementwise, Numbers) {
  const TensorContainer<cpu, 1> a({3, -5, 0});
  TensorContainer<cpu, 1> out;
  out = hypot(a, 4);
  EXPECT_EQ(out[0], 5.0f);
  out = copysign(2.0f, a);
  EXPECT_EQ(out[1], -2.0f);
  out = sinc(a / 2.0f);
  EXPECT_NEAR(out[0], std::sin(1.5 * M_PI) / (1.5 * M_PI), 1e-7);
  EXPECT_EQ(out[2], 1.0f);
  out = rad2deg(deg2rad(a));
  EXPECT_NEAR(out[1], -5, 1e-6);
  out = hypot(TensorContainer<cpu, 1>({6, 8, 0}), a + 0.0f);
  EXPECT_NEAR(out[1], std::hypot(8.0, 5.0), 1e-6);
}

TEST(NumpyElementwise, NanToNum) {
  const double inf = std::numeric_limits<double>::infinity();
  const TensorContainer<cpu, 1, double> a({1, NAN, inf, -inf});
  TensorContainer<cpu, 1, double> out;
  out = nan_to_num(a);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], (std::numeric_limits<double>::max)());
  EXPECT_EQ(out[3], std::numeric_limits<double>::lowest());
  out = nan_to_num(a, -1, 5, 6);
  EXPECT_EQ(out[1], -1);
  EXPECT_EQ(out[2], 5);
  EXPECT_EQ(out[3], 6);
}

TEST(NumpyElementwise, IsClose) {
  const float inf = std::numeric_limits<float>::infinity();
  const TensorContainer<cpu, 1> a({1, 1, inf, inf, NAN, 1e30f, 0, inf}),
      b({1.000001f, 1.1f, inf, -inf, NAN, 1.1e30f, 1e-9f, 1});
  const float expected[] = {1, 0, 1, 0, 0, 0, 1, 0};
  TensorContainer<cpu, 1> out;
  out = isclose(a, b);
  for (index_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], expected[i]) << i;
  out = isclose(a, b, 0.2, 0.0, true);
  const float loose[] = {1, 1, 1, 0, 1, 1, 0, 0};
  for (index_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], loose[i]) << i;
  EXPECT_FALSE(allclose(a, b));
  EXPECT_TRUE(allclose(b.Slice(0, 1), a.Slice(0, 1)));
  EXPECT_TRUE(array_equal(a.Slice(0, 3), a.Slice(0, 3)));
  EXPECT_FALSE(array_equal(a.Slice(0, 3), a.Slice(0, 2)));
  EXPECT_FALSE(array_equal(a, b));
}

TEST(NumpyElementwise, IsCloseOfOtherElementTypes) {
  const TensorContainer<cpu, 1> a({1, 2, NAN});
  const TensorContainer<cpu, 1, double> b({1.0000001, 2.1, NAN});
  const TensorContainer<cpu, 1, int> i({1, 2, 3});
  const TensorContainer<cpu, 1> close = isclose(a, b);
  EXPECT_TRUE(close[0] == 1 && close[1] == 0 && close[2] == 0);
  EXPECT_TRUE(allclose(a.Slice(0, 1), b.Slice(0, 1)));
  EXPECT_FALSE(allclose(b, a));
  EXPECT_TRUE(allclose(a.Slice(0, 2), i.Slice(0, 2)));
  EXPECT_FALSE(allclose(i, b));
}

TEST(NumpyElementwise, ComparesTensorsInParts) {
  testing::Guarded<3, float> a(Shape3(300, 7, 11), 3), b(Shape3(300, 7, 11), 1);
  a.FillIota();
  b.FillIota();
  EXPECT_TRUE(array_equal(*a, *b));
  EXPECT_TRUE(allclose(*a, *b));
  EXPECT_FALSE(array_equal(*a, *b + 1.0f));
  for (index_t row : {0u, 60u, 299u}) {
    float& element = (*b)[row][6][10];
    const float before = element;
    element *= 1.1f;
    EXPECT_FALSE(array_equal(*a, *b)) << row;
    EXPECT_FALSE(allclose(*a, *b)) << row;
    element = before;
  }
  const TensorContainer<cpu, 2> none(Shape2(0, 3)), empty(Shape2(3, 0));
  EXPECT_TRUE(array_equal(none, none));
  EXPECT_TRUE(array_equal(empty, empty));
  EXPECT_FALSE(array_equal(none, empty));
  // What differs at once is not read to the end, which is not there.
  TensorContainer<cpu, 1> zeros(Shape1(1 << 14), 0.0f), ones(Shape1(1 << 14), 1.0f);
  const Shape<2> shape = Shape2(1 << 19, 1 << 10);
  const Tensor<cpu, 2> x(zeros.dptr_, shape), y(ones.dptr_, shape);
  EXPECT_FALSE(array_equal(x, y));
  EXPECT_FALSE(allclose(x, y));
}

}  // namespace
}  // namespace numpy_elementwise_test
}  // namespace mshadow
