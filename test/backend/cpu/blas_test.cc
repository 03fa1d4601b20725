// SPDX-License-Identifier: Apache-2.0
#include "mshadow/backend/cpu/blas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "mshadow/core/bfloat.h"
#include "mshadow/core/half.h"

namespace {

using mshadow::Blas;
using mshadow::cpu;
using mshadow::simd::Isa;

template <typename T>
constexpr bool kIsReal = !std::is_integral_v<T>;
// What the reference computes in. Integers: modulo 2^64, whose low bits are those of any wrapped
// sum.
template <typename T>
using Wide = std::conditional_t<kIsReal<T>, double, uint64_t>;

template <typename T>
Wide<T> Widen(T value) {
  if constexpr (kIsReal<T>) {
    return static_cast<double>(
        static_cast<std::conditional_t<std::is_same_v<T, double>, T, float>>(value));
  } else {
    return static_cast<uint64_t>(value);
  }
}

template <typename T>
double Epsilon() {
  return kIsReal<T> ? static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
}

// Numbers of any magnitude for integers, so that sums wrap; in [-1, 1] for floats.
template <typename T>
T RandomValue(std::mt19937_64* engine) {
  if constexpr (kIsReal<T>) {
    return T(static_cast<float>(std::uniform_real_distribution<double>(-1, 1)(*engine)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return (*engine)() % 4 == 0;
  } else {
    return static_cast<T>((*engine)());
  }
}

// A matrix inside a larger buffer: rows `ld` apart, the first element `offset` elements after an
// aligned address, all else filled with a mark that must survive.
template <typename T>
struct Matrix {
  std::ptrdiff_t rows, cols, ld, offset;
  std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>> data;

  Matrix(std::ptrdiff_t r, std::ptrdiff_t c, std::ptrdiff_t pad, std::ptrdiff_t off,
         std::mt19937_64* engine)
      : rows(r),
        cols(c),
        ld(std::max<std::ptrdiff_t>(1, c + pad)),
        offset(off),
        data(r * ld + off + 1) {
    for (auto& value : data) value = RandomValue<T>(engine);
  }
  T* ptr() { return reinterpret_cast<T*>(data.data()) + offset; }
  const T* ptr() const { return reinterpret_cast<const T*>(data.data()) + offset; }
  T at(std::ptrdiff_t i, std::ptrdiff_t j) const { return ptr()[i * ld + j]; }
  // Is this the position of an element, and not of the padding?
  bool Inside(std::ptrdiff_t at) const {
    return at >= offset && (at - offset) / ld < rows && (at - offset) % ld < cols;
  }
};

// alpha * sum + beta * old as the dtype T has it, and how far off a result may be.
template <typename T>
void ExpectResult(T actual, Wide<T> sum, double magnitude, std::ptrdiff_t k, T alpha, T beta, T old,
                  const char* what, std::ptrdiff_t i, std::ptrdiff_t j) {
  Wide<T> expected = Widen(alpha) * sum;
  if (Widen(beta) != 0) expected += Widen(beta) * Widen(old);
  if constexpr (std::is_same_v<T, bool>) {
    ASSERT_EQ(actual, expected != 0) << what << " at " << i << ", " << j;
  } else if constexpr (!kIsReal<T>) {
    ASSERT_EQ(actual, static_cast<T>(expected)) << what << " at " << i << ", " << j;
  } else {
    const double computed_in = std::is_same_v<T, double> ? Epsilon<double>() : Epsilon<float>();
    const double scale = std::abs(Widen(alpha)) * magnitude + std::abs(expected);
    const double tolerance = computed_in * (4 + static_cast<double>(k)) * scale +
                             Epsilon<T>() * std::abs(expected) +
                             static_cast<double>(std::numeric_limits<T>::denorm_min());
    ASSERT_NEAR(Widen(actual), expected, tolerance) << what << " at " << i << ", " << j;
  }
}

std::vector<Isa> Isas() {
  std::vector<Isa> isas;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (mshadow::simd::SupportedIsa(isa)) isas.push_back(isa);
  }
  return isas;
}

struct IsaGuard {
  Isa before = mshadow::simd::ActiveIsa();
  ~IsaGuard() { mshadow::simd::ForceIsa(before); }
};

template <typename T>
void CheckGemm(bool ta, bool tb, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, T alpha,
               T beta, std::ptrdiff_t pad, std::ptrdiff_t offset) {
  std::mt19937_64 engine(static_cast<uint64_t>(m * 10007 + n * 101 + k));
  const Matrix<T> a(ta ? k : m, ta ? m : k, pad, offset, &engine);
  const Matrix<T> b(tb ? n : k, tb ? k : n, 2 * pad, offset, &engine);
  Matrix<T> c(m, n, 3 * pad, offset, &engine);
  if constexpr (kIsReal<T>) {
    if (Widen(beta) == 0)
      std::fill(c.data.begin(), c.data.end(), std::numeric_limits<T>::quiet_NaN());
  }
  std::vector<Wide<T>> sums(m * n);
  std::vector<double> magnitudes(m * n);
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    for (std::ptrdiff_t p = 0; p < k; ++p) {
      const Wide<T> left = Widen(ta ? a.at(p, i) : a.at(i, p));
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        const Wide<T> product = left * Widen(tb ? b.at(j, p) : b.at(p, j));
        sums[i * n + j] += product;
        if constexpr (kIsReal<T>) magnitudes[i * n + j] += std::abs(product);
      }
    }
  }
  for (Isa isa : Isas()) {
    ASSERT_TRUE(mshadow::simd::ForceIsa(isa));
    SCOPED_TRACE(testing::Message()
                 << mshadow::simd::IsaName(isa) << " ta " << ta << " tb " << tb << " m " << m
                 << " n " << n << " k " << k << " alpha " << Widen(alpha) << " beta " << Widen(beta)
                 << " pad " << pad << " offset " << offset);
    Matrix<T> out = c;
    Blas<cpu>::Gemm(ta, tb, m, n, k, alpha, a.ptr(), a.ld, b.ptr(), b.ld, beta, out.ptr(), out.ld);
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        ExpectResult(out.at(i, j), sums[i * n + j], magnitudes[i * n + j], k, alpha, beta,
                     c.at(i, j), "C", i, j);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(c.data.size()); ++at) {
      if (c.Inside(at)) continue;
      const bool same = Widen(out.data[at]) == Widen(c.data[at]) ||
                        (out.data[at] != out.data[at] && c.data[at] != c.data[at]);
      ASSERT_TRUE(same) << "wrote into the padding, position " << at;
    }
  }
}

template <typename T>
class BlasTest : public testing::Test {
 protected:
  IsaGuard guard_;
  static T Scalar(double value) {  // the same value where the type has it
    if constexpr (std::is_same_v<T, bool>) {
      return value != 0;
    } else {
      return T(static_cast<float>(value));
    }
  }
};
using Types = testing::Types<float, double, mshadow::half::half_t, mshadow::bfloat::bf16_t, uint8_t,
                             int8_t, int16_t, int32_t, int64_t, bool>;
TYPED_TEST_SUITE(BlasTest, Types);

TYPED_TEST(BlasTest, GemmOfEverySmallSizeAndTranspose) {
  // float has every size of the list, the others the ones that differ in kind.
  const std::vector<std::ptrdiff_t> sizes =
      std::is_same_v<TypeParam, float>
          ? std::vector<std::ptrdiff_t>{0, 1, 2, 3, 7, 16, 17, 33, 64, 65, 100}
          : std::vector<std::ptrdiff_t>{0, 1, 3, 16, 33, 65};
  for (std::ptrdiff_t m : sizes) {
    for (std::ptrdiff_t n : sizes) {
      for (std::ptrdiff_t k : sizes) {
        for (int t = 0; t < 4; ++t) {
          // Alternately tight and padded, aligned and off by one, overwriting and adding.
          const int variant = static_cast<int>(m + n + k + t) % 4;
          CheckGemm<TypeParam>(t & 1, t & 2, m, n, k, TestFixture::Scalar(variant & 1 ? 1 : 3),
                               TestFixture::Scalar(variant & 2 ? 2 : 0), variant * 3, variant & 1);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(BlasTest, GemmScalars) {
  for (double alpha : {0.0, 1.0, -1.0, 0.5}) {
    for (double beta : {0.0, 1.0, -1.0, 0.5}) {
      if (!kIsReal<TypeParam> && (alpha == 0.5 || beta == 0.5)) continue;
      if (std::is_unsigned_v<TypeParam> && (alpha < 0 || beta < 0)) continue;
      for (std::ptrdiff_t n : {0, 1, 19}) {
        for (std::ptrdiff_t k : {0, 1, 20}) {
          CheckGemm<TypeParam>(false, true, 13, n, k, TestFixture::Scalar(alpha),
                               TestFixture::Scalar(beta), 1, 1);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(BlasTest, GemmOfSeveralBlocks) {
  for (int t = 0; t < 4; ++t) {
    CheckGemm<TypeParam>(t & 1, t & 2, 151, 45, 523, TestFixture::Scalar(1),
                         TestFixture::Scalar(t / 2), 5, 1);
    CheckGemm<TypeParam>(t & 1, t & 2, 18, 1063, 260, TestFixture::Scalar(1),
                         TestFixture::Scalar(t / 2), 0, 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(BlasTest, GemmWithinOneRowThatRepeats) {
  // lda == 0: every row of A is the same row.
  using T = TypeParam;
  std::mt19937_64 engine(3);
  const Matrix<T> a(1, 8, 0, 0, &engine), b(8, 5, 0, 0, &engine);
  Matrix<T> c(6, 5, 0, 0, &engine), row(1, 5, 0, 0, &engine);
  Blas<cpu>::Gemm(false, false, 6, 5, 8, T(1), a.ptr(), 0, b.ptr(), 5, T(0), c.ptr(), 5);
  Blas<cpu>::Gemm(false, false, 2, 5, 8, T(1), a.ptr(), 0, b.ptr(), 5, T(0), row.ptr(), 0);
  for (std::ptrdiff_t i = 0; i < 6; ++i) {
    for (std::ptrdiff_t j = 0; j < 5; ++j) EXPECT_EQ(c.at(i, j), row.at(0, j));
  }
}

TYPED_TEST(BlasTest, BatchGemm) {
  using T = TypeParam;
  const std::ptrdiff_t m = 5, n = 17, k = 9, gap = 3;
  for (std::ptrdiff_t batch : {0, 1, 2, 7}) {
    std::mt19937_64 engine(11);
    const Matrix<T> a(batch, k * m + gap, 0, 1, &engine), b(batch, n * k + gap, 0, 1, &engine);
    const Matrix<T> c(batch, m * n + gap, 0, 1, &engine);
    Matrix<T> once = c, batched = c;
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      Blas<cpu>::Gemm(true, false, m, n, k, T(1), a.ptr() + i * a.ld, m, b.ptr() + i * b.ld, n,
                      T(1), once.ptr() + i * c.ld, n);
    }
    Blas<cpu>::BatchGemm(true, false, m, n, k, T(1), a.ptr(), m, a.ld, b.ptr(), n, b.ld, T(1),
                         batched.ptr(), n, c.ld, batch);
    for (std::size_t i = 0; i < c.data.size(); ++i) {
      ASSERT_NEAR(double(batched.data[i]), double(once.data[i]),
                  64 * Epsilon<T>() * (1 + std::abs(double(once.data[i]))));
    }
  }
}

TYPED_TEST(BlasTest, GemvAndDot) {
  using T = TypeParam;
  for (std::ptrdiff_t m : {0, 1, 2, 5, 16, 65}) {
    for (std::ptrdiff_t n : {0, 1, 3, 17, 64, 300, 1100}) {
      std::mt19937_64 engine(static_cast<uint64_t>(m * 1000 + n));
      const Matrix<T> a(m, n, 3, 1, &engine);
      for (bool trans : {false, true}) {
        const std::ptrdiff_t x_size = trans ? m : n, y_size = trans ? n : m;
        for (std::ptrdiff_t inc : {1, 3}) {
          const Matrix<T> x(1, x_size * inc, 0, 1, &engine), y(1, y_size * inc, 0, 1, &engine);
          for (Isa isa : Isas()) {
            ASSERT_TRUE(mshadow::simd::ForceIsa(isa));
            SCOPED_TRACE(testing::Message() << mshadow::simd::IsaName(isa) << " trans " << trans
                                            << " m " << m << " n " << n << " inc " << inc);
            for (double beta : {0.0, 1.0}) {
              Matrix<T> out = y;
              Blas<cpu>::Gemv(trans, m, n, T(1), a.ptr(), a.ld, x.ptr(), inc,
                              TestFixture::Scalar(beta), out.ptr(), inc);
              for (std::ptrdiff_t i = 0; i < y_size * inc; ++i) {
                if (i % inc != 0) {
                  ASSERT_EQ(out.at(0, i), y.at(0, i));
                  continue;
                }
                Wide<T> sum = 0;
                double magnitude = 0;
                for (std::ptrdiff_t p = 0; p < x_size; ++p) {
                  const Wide<T> left = Widen(trans ? a.at(p, i / inc) : a.at(i / inc, p));
                  const Wide<T> product = left * Widen(x.at(0, p * inc));
                  sum += product;
                  if constexpr (kIsReal<T>) magnitude += std::abs(product);
                }
                ExpectResult(out.at(0, i), sum, magnitude, x_size, T(1), TestFixture::Scalar(beta),
                             y.at(0, i), "y", i, 0);
                if (testing::Test::HasFatalFailure()) return;
                if (!trans && beta == 0) {
                  const T dot = Blas<cpu>::Dot(n, a.ptr() + i / inc * a.ld, 1, x.ptr(), inc);
                  ExpectResult(dot, sum, magnitude, n, T(1), T(0), T(0), "dot", i, 0);
                  if (testing::Test::HasFatalFailure()) return;
                }
              }
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(BlasTest, DotStrides) {
  using T = TypeParam;
  std::mt19937_64 engine(5);
  const Matrix<T> x(1, 400, 0, 1, &engine), y(1, 400, 0, 0, &engine);
  for (std::ptrdiff_t inc_x : {1, 2, 3}) {
    for (std::ptrdiff_t inc_y : {1, 4}) {
      Wide<T> sum = 0;
      for (std::ptrdiff_t i = 0; i < 100; ++i)
        sum += Widen(x.at(0, i * inc_x)) * Widen(y.at(0, i * inc_y));
      ExpectResult(Blas<cpu>::Dot(100, x.ptr(), inc_x, y.ptr(), inc_y), sum, 100., 100, T(1), T(0),
                   T(0), "dot", inc_x, inc_y);
    }
  }
}

TYPED_TEST(BlasTest, Ger) {
  using T = TypeParam;
  for (std::ptrdiff_t m : {0, 1, 4, 33}) {
    for (std::ptrdiff_t n : {0, 1, 5, 40}) {
      for (std::ptrdiff_t inc : {1, 2}) {
        for (double beta : {0.0, 1.0, 3.0}) {
          std::mt19937_64 engine(static_cast<uint64_t>(m * 100 + n));
          const Matrix<T> x(1, m * inc, 0, 1, &engine), y(1, n * inc, 0, 1, &engine);
          Matrix<T> a(m, n, 2, 1, &engine);
          if constexpr (kIsReal<T>) {
            if (beta == 0)
              std::fill(a.data.begin(), a.data.end(), std::numeric_limits<T>::quiet_NaN());
          }
          for (Isa isa : Isas()) {
            ASSERT_TRUE(mshadow::simd::ForceIsa(isa));
            Matrix<T> out = a;
            Blas<cpu>::Ger(m, n, TestFixture::Scalar(2), x.ptr(), inc, y.ptr(), inc,
                           TestFixture::Scalar(beta), out.ptr(), out.ld);
            for (std::ptrdiff_t i = 0; i < m; ++i) {
              for (std::ptrdiff_t j = 0; j < n; ++j) {
                const Wide<T> product = Widen(x.at(0, i * inc)) * Widen(y.at(0, j * inc));
                ExpectResult(out.at(i, j), product, 1., 1, TestFixture::Scalar(2),
                             TestFixture::Scalar(beta), a.at(i, j), "A", i, j);
                if (testing::Test::HasFatalFailure()) return;
              }
            }
          }
        }
      }
    }
  }
}

// Large enough for threads where the program has them.
TYPED_TEST(BlasTest, LargeProductsAndThreads) {
  using T = TypeParam;
  std::mt19937_64 engine(17);
  const std::ptrdiff_t m = 70, n = 210, k = 257;
  CheckGemm<T>(false, false, m, n, k, T(1), T(0), 0, 0);
  CheckGemm<T>(true, true, n, m, k, T(1), T(1), 1, 1);
  const std::ptrdiff_t size = 1 << 19;
  const Matrix<T> x(1, size, 0, 0, &engine), y(1, size, 0, 0, &engine);
  Wide<T> sum = 0;
  for (std::ptrdiff_t i = 0; i < size; ++i) sum += Widen(x.at(0, i)) * Widen(y.at(0, i));
  // A bound on the rounding of lane-wise sums; the worst case of k additions would allow anything.
  const T dot = Blas<cpu>::Dot(size, x.ptr(), 1, y.ptr(), 1);
  ExpectResult(dot, sum, 0.01 * size, 100, T(1), T(0), T(0), "dot", 0, 0);
}

TEST(BlasThreads, TwoThreadsMultiplyAtOnce) {
  const std::ptrdiff_t size = 90;
  std::mt19937_64 engine(23);
  const Matrix<float> a(size, size, 1, 1, &engine), b(size, size, 0, 0, &engine);
  std::vector<float> c[2] = {std::vector<float>(size * size), std::vector<float>(size * size)};
  const auto multiply = [&](int who) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      Blas<cpu>::Gemm(false, true, size, size, size, 1.f, a.ptr(), a.ld, b.ptr(), b.ld, 0.f,
                      c[who].data(), size);
    }
  };
  std::thread other(multiply, 1);
  multiply(0);
  other.join();
  EXPECT_EQ(c[0], c[1]);
}

}  // namespace
