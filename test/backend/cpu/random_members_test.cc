// SPDX-License-Identifier: Apache-2.0
// What callers may write: both generations of signatures, arguments and their limits, and the
// members beside the fills. What must hold of every fill: random_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "mshadow/backend/cpu/random.h"
#include "mshadow/core/samplers.h"
#include "mshadow/tensor.h"
#include "testing.h"

namespace mshadow {
namespace {

using bfloat::bf16_t;
using half::half_t;

TEST(RandomMembers, BothGenerationsOfSignatures) {
  Random<cpu> random(0);
  random.set_stream(nullptr);
  TensorContainer<cpu, 2> w(Shape2(5, 3));
  TensorContainer<cpu, 1> v(Shape1(7));
  Tensor<cpu, 2> view = w;
  random.SampleUniform(&w);
  random.SampleUniform(&w, 1.0f);
  random.SampleUniform(&w, -1, 1.0);
  random.SampleUniform(&view, -0.5f, 0.5f);
  random.SampleUniform<2>(&view, 0.0f, 1.0f);
  random.SampleUniform<2, float>(&view, 0.0f, 1.0f);
  random.SampleGaussian(&v);
  random.SampleGaussian(&w, 0, 0.01f);
  random.SampleGaussian<2, float>(&view, 0.0f, 1.0f);
  random.SampleGamma(&w, 1, 2.0f);
  random.SampleExponential(&w, 1);
  random.SamplePoisson(&w, 3.5);
  random.SampleNegativeBinomial(&w, 3, 0.5f);
  random.SampleGeneralizedNegativeBinomial(&w, 1.0f, 0);
  Random<cpu, half_t> halves(0);
  TensorContainer<cpu, 2, half_t> h(Shape2(5, 3));
  halves.SampleUniform(&h, half_t(-1.0f), half_t(1.0f));
  halves.SampleGaussian(&h);
  Random<cpu, bool> booleans(0);
  TensorContainer<cpu, 1, bool> b(Shape1(100));
  booleans.SampleUniform(&b);
  EXPECT_GT(std::count(b.dptr_, b.dptr_ + 100, true), 20);
}

TEST(RandomMembers, UniformStaysInsideItsInterval) {
  Random<cpu> random(1);
  std::vector<float> memory(4096);
  Tensor<cpu, 1> t(memory.data(), Shape1(4096));
  const float above = std::nextafter(1.0f, 2.0f);
  const float intervals[][2] = {{0, 1},      {1, above},       {-1, 1},
                                {-1e-45f, 0}, {0, 1e-45f},      {-3e38f, -2e38f},
                                {16777216, 16777218}, {1e8f, 1.00000016e8f}};
  for (const auto& interval : intervals) {
    random.SampleUniform(&t, interval[0], interval[1]);
    for (const float x : memory) {
      ASSERT_GE(x, interval[0]);
      ASSERT_LT(x, interval[1]);
    }
  }
  random.SampleUniform(&t, 2.5f, 2.5f);
  for (const float x : memory) ASSERT_EQ(x, 2.5f);

  // 16-bit types round to nearest, hence upwards too: never as far as b.
  const auto check = [](auto zero) {
    using T = decltype(zero);
    TensorContainer<cpu, 1, T> h(Shape1(20000));
    Random<cpu, T> narrow(2);
    const float ends[][2] = {{0, 1}, {-1, 0}, {-1, 1}, {1, 2}, {-3, -2.5f}};
    for (const auto& end : ends) {
      narrow.SampleUniform(&h, end[0], end[1]);
      float least = 1e9f, most = -1e9f;
      for (index_t i = 0; i < 20000; ++i) {
        least = std::min(least, static_cast<float>(h[i]));
        most = std::max(most, static_cast<float>(h[i]));
      }
      EXPECT_GE(least, end[0]);
      EXPECT_LT(most, end[1]);
      EXPECT_GT(most, end[1] - 0.02f * std::fabs(end[1]) - 0.001f);
    }
  };
  check(half_t(0.0f));
  check(bf16_t(0.0f));
}

template <typename DType>
void CheckIntegers(DType a, DType b) {
  constexpr index_t n = 4096;
  TensorContainer<cpu, 1, DType> t(Shape1(n));
  Random<cpu, DType> random(1);
  random.SampleUniform(&t, a, b);
  DType least = t[0], most = t[0];
  for (index_t i = 0; i < n; ++i) {
    least = std::min(least, t[i]);
    most = std::max(most, t[i]);
  }
  const double span = static_cast<double>(b) - static_cast<double>(a);
  EXPECT_GE(least, a);
  EXPECT_LE(most, b);
  EXPECT_LE(static_cast<double>(least), static_cast<double>(a) + span / 100);
  EXPECT_GE(static_cast<double>(most), static_cast<double>(b) - span / 100);
}
template <typename DType>
void CheckIntegerType() {
  using Limits = std::numeric_limits<DType>;
  CheckIntegers<DType>(0, 0);
  CheckIntegers<DType>(0, 1);
  CheckIntegers<DType>(3, 17);
  CheckIntegers<DType>(Limits::min(), Limits::max());
  CheckIntegers<DType>(Limits::min(), Limits::max() - 1);
  CheckIntegers<DType>(Limits::max(), Limits::max());
  if (Limits::is_signed) CheckIntegers<DType>(static_cast<DType>(-5), 9);
}

TEST(RandomMembers, IntegersOfEveryTypeToBothEnds) {
  CheckIntegerType<std::int8_t>();
  CheckIntegerType<std::uint8_t>();
  CheckIntegerType<std::int16_t>();
  CheckIntegerType<std::uint16_t>();
  CheckIntegerType<std::int32_t>();
  CheckIntegerType<std::uint32_t>();
  CheckIntegerType<std::int64_t>();
  CheckIntegerType<std::uint64_t>();
}

TEST(RandomMembers, RealValuesInIntegerTensorsStopAtTheEnds) {
  TensorContainer<cpu, 1, std::uint8_t> bytes(Shape1(1000));
  Random<cpu, std::uint8_t> random(1);
  random.SampleGaussian(&bytes, 128, 1000);
  EXPECT_GT(std::count(bytes.dptr_, bytes.dptr_ + 1000, 255), 350);
  EXPECT_GT(std::count(bytes.dptr_, bytes.dptr_ + 1000, 0), 350);
  random.SamplePoisson(&bytes, 1e6);
  EXPECT_EQ(std::count(bytes.dptr_, bytes.dptr_ + 1000, 255), 1000);
  TensorContainer<cpu, 1, std::int64_t> wide(Shape1(1000));
  Random<cpu, std::int64_t> random64(1);
  random64.SampleGaussian(&wide, 0, 1e30);
  const auto most = std::numeric_limits<std::int64_t>::max();
  const auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(std::count(wide.dptr_, wide.dptr_ + 1000, most) +
                std::count(wide.dptr_, wide.dptr_ + 1000, least),
            1000);
}

TEST(RandomMembers, SpecialArguments) {
  std::vector<float> memory(100);
  Tensor<cpu, 1> t(memory.data(), Shape1(100));
  Random<cpu> random(1);
  for (const double sigma : {0.0, -1.0}) {
    random.SampleGaussian(&t, 2.5, sigma);
    for (const float x : memory) ASSERT_EQ(x, 2.5f);
  }
  random.SamplePoisson(&t, 0);
  for (const float x : memory) ASSERT_EQ(x, 0.0f);
  random.SampleNegativeBinomial(&t, 3, 1);
  for (const float x : memory) ASSERT_EQ(x, 0.0f);
  // alpha = 0 is Poisson(mu), number for number.
  random.Seed(4);
  random.SampleGeneralizedNegativeBinomial(&t, 7.5, 0);
  const std::vector<float> copy = memory;
  random.Seed(4);
  random.SamplePoisson(&t, 7.5);
  EXPECT_EQ(memory, copy);
}

template <typename F>
void ExpectError(const F& f, const std::string& part) {
  try {
    f();
    ADD_FAILURE() << "no error; expected: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(RandomMembers, WrongArgumentsAreNamed) {
  Random<cpu> r(1);
  TensorContainer<cpu, 1> t(Shape1(4), 7.0f);
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  ExpectError([&] { r.SampleUniform(&t, 1, 0); }, "a = 1, b = 0");
  ExpectError([&] { r.SampleUniform(&t, 0, nan); }, "b = nan");
  ExpectError([&] { r.SampleUniform(&t, -3e38, 3e38); }, "finite b - a");
  ExpectError([&] { r.SampleExponential(&t, -2); }, "lambda = -2");
  ExpectError([&] { r.SampleExponential(&t, 0); }, "lambda = 0");
  ExpectError([&] { r.SamplePoisson(&t, -0.5); }, "SamplePoisson: a finite lambda >= 0");
  ExpectError([&] { r.SamplePoisson(&t, inf); }, "lambda = inf");
  ExpectError([&] { r.SamplePoisson(&t, nan); }, "lambda = nan");
  ExpectError([&] { r.SampleGamma(&t, 0, 1); }, "alpha = 0");
  ExpectError([&] { r.SampleGamma(&t, 1, -1); }, "beta = -1");
  ExpectError([&] { r.SampleNegativeBinomial(&t, 0, 0.5); }, "k = 0");
  ExpectError([&] { r.SampleNegativeBinomial(&t, 1, 0); }, "p = 0");
  ExpectError([&] { r.SampleNegativeBinomial(&t, 1, 1.5); }, "p = 1.5");
  ExpectError([&] { r.SampleGeneralizedNegativeBinomial(&t, -1, 1); }, "mu = -1");
  ExpectError([&] { r.SampleGeneralizedNegativeBinomial(&t, 1, -1); }, "alpha = -1");
  for (index_t i = 0; i < 4; ++i) EXPECT_EQ(t[i], 7.0f);  // nothing was written

  Random<cpu, std::uint8_t> bytes(1);
  TensorContainer<cpu, 1, std::uint8_t> b(Shape1(4));
  ExpectError([&] { bytes.SampleUniform(&b, 0, 256); }, "b = 256 does not fit");
  ExpectError([&] { bytes.SampleUniform(&b, -1, 4); }, "a = -1 does not fit");
  ExpectError([&] { bytes.SampleUniform(&b, 0.0, 256.0); }, "b = 256 does not fit");
  ExpectError([&] { bytes.SampleUniform(&b, 9, 4); }, "a = 9, b = 4");
}

TEST(RandomMembers, Multinomial) {
  Random<cpu> r(4);
  testing::Guarded<3> t(Shape3(5, 20, 3), 2);
  TensorContainer<cpu, 1> weights({1, 0, 3});
  r.SampleMultinomial(&*t, 16, weights);
  double first = 0;
  for (std::size_t row = 0; row < 100; ++row) {
    EXPECT_EQ(t.At(3 * row) + t.At(3 * row + 2), 16.0f);
    EXPECT_EQ(t.At(3 * row + 1), 0.0f);
    first += t.At(3 * row);
  }
  EXPECT_NEAR(first, 400, 4 * std::sqrt(300));
  EXPECT_TRUE(t.Intact());
  TensorContainer<cpu, 1, int> one(Shape1(3));
  Random<cpu, int>(4).SampleMultinomial(&one, 1000000000, weights);
  EXPECT_EQ(one[0] + one[2], 1000000000);
  Random<cpu>(4).SampleMultinomial(&*t, 0, weights);
  for (std::size_t i = 0; i < t.Size(); ++i) EXPECT_EQ(t.At(i), 0.0f);
  // The same for any layout, and a draw of an empty tensor is a draw.
  Random<cpu> same(4);
  TensorContainer<cpu, 2> dense(Shape2(100, 3)), none(Shape2(0, 3));
  same.SampleMultinomial(&none, 16, weights);
  same.SampleMultinomial(&dense, 16, weights);
  Random<cpu> other(4);
  other.SampleUniform(&none);
  other.SampleMultinomial(&*t, 16, weights);
  for (index_t i = 0; i < 300; ++i) ASSERT_EQ(t.At(i), dense[i / 3][i % 3]);
}

TEST(RandomMembers, Categorical) {
  Random<cpu, int> r(4);
  TensorContainer<cpu, 2> weights({{0, 1, 0}, {0, 0, 2}, {3, 0, 0}});
  TensorContainer<cpu, 1, int> t(Shape1(3));
  r.SampleCategorical(&t, weights);
  EXPECT_EQ(t[0], 1);
  EXPECT_EQ(t[1], 2);
  EXPECT_EQ(t[2], 0);
  testing::Guarded<2, int> rows(Shape2(3, 40), 3);
  r.SampleCategorical(&*rows, weights);
  for (std::size_t i = 0; i < 120; ++i) EXPECT_EQ(rows.At(i), (i / 40 + 1) % 3);
  r.SampleCategorical(&*rows, weights[1]);
  for (std::size_t i = 0; i < 120; ++i) EXPECT_EQ(rows.At(i), 2);
  TensorContainer<cpu, 2, int> none(Shape2(0, 4));
  r.SampleCategorical(&none, TensorContainer<cpu, 2>(Shape2(0, 3)));
}

TEST(RandomMembers, TruncatedNormalIsNotRoundedBeyondItsEnds) {
  Random<cpu, half_t> r(4);
  TensorContainer<cpu, 1, half_t> t(Shape1(20000));
  r.SampleTruncatedGaussian(&t, 0, 1, -0.1, 0.1001);
  for (index_t i = 0; i < 20000; ++i) {
    ASSERT_GE(static_cast<float>(t[i]), static_cast<float>(half_t(-0.1f)));
    ASSERT_LE(static_cast<float>(t[i]), static_cast<float>(half_t(0.1001f)));
  }
}

TEST(RandomMembers, WrongArgumentsOfTheNewerOnesAreNamed) {
  Random<cpu> r(1);
  TensorContainer<cpu, 1> t(Shape1(4), 7.0f);
  TensorContainer<cpu, 2> rows(Shape2(2, 4), 7.0f);
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  ExpectError([&] { r.SampleBeta(&t, 0, 1); }, "SampleBeta: a finite alpha > 0");
  ExpectError([&] { r.SampleBeta(&t, 1, nan); }, "beta = nan");
  ExpectError([&] { r.SampleBinomial(&t, -1, 0.5); }, "n = -1");
  ExpectError([&] { r.SampleBinomial(&t, 1.5, 0.5); }, "n = 1.5");
  ExpectError([&] { r.SampleBinomial(&t, inf, 0.5); }, "n = inf");
  ExpectError([&] { r.SampleBinomial(&t, 3, 1.5); }, "SampleBinomial: 0 <= p <= 1");
  ExpectError([&] { r.SampleBernoulli(&t, nan); }, "p = nan");
  ExpectError([&] { r.SampleTruncatedGaussian(&t, 0, 0, -1, 1); }, "sigma = 0");
  ExpectError([&] { r.SampleTruncatedGaussian(&t, 0, 1, 2, 1); }, "a = 2, b = 1");
  ExpectError([&] { r.SampleTruncatedGaussian(&t, 0, 1, nan, 1); }, "a = nan");
  ExpectError([&] { r.SampleTruncatedGaussian(&t, 0, 1, inf, inf); }, "a = inf");
  ExpectError([&] { r.SampleTruncatedGaussian(&t, inf, 1, 0, 1); }, "mu = inf");
  const TensorContainer<cpu, 1> three({1, 2, 3}), zeros(Shape1(4), 0.0f);
  const TensorContainer<cpu, 1> negative({1, -2, 3, 1});
  const TensorContainer<cpu, 2> square(Shape2(3, 3), 1.0f);
  ExpectError([&] { r.SampleMultinomial(&t, 5, three); }, "dst (4,), weights (3,)");
  ExpectError([&] { r.SampleMultinomial(&t, 5, negative); }, "weight 1 of row 0 is -2");
  ExpectError([&] { r.SampleMultinomial(&t, 5, zeros); }, "one of the 4 weights");
  ExpectError([&] { r.SampleMultinomial(&t, -5, zeros); }, "n = -5");
  ExpectError([&] { r.SampleCategorical(&t, negative); }, "weight 1 of row 0 is -2");
  ExpectError([&] { r.SampleCategorical(&t, zeros); }, "SampleCategorical: one of the 4 weights");
  ExpectError([&] { r.SampleCategorical(&rows, square); }, "dst (2,4), weights (3,3)");
  for (index_t i = 0; i < 4; ++i) EXPECT_EQ(t[i], 7.0f);  // nothing was written
}

// ---- The other members ----------------------------------------------------------------------

struct threshold {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    return a < b ? DType(1) : DType(0);
  }
};

TEST(RandomMembers, DropoutMask) {
  Random<cpu> random(3);
  TensorContainer<cpu, 2> mask(Shape2(61, 7));
  const float keep = 0.25f;
  mask = expr::F<threshold>(random.uniform(mask.shape_), keep) * (1.0f / keep);
  int kept = 0;
  for (index_t y = 0; y < 61; ++y) {
    for (index_t x = 0; x < 7; ++x) {
      ASSERT_TRUE(mask[y][x] == 0.0f || mask[y][x] == 4.0f);
      kept += mask[y][x] == 4.0f;
    }
  }
  EXPECT_NEAR(kept / 427.0, 0.25, 0.075);
}

TEST(RandomMembers, EveryDrawOfAStatementHasItsOwnNumbers) {
  const Shape<2> shape = Shape2(61, 7);
  Random<cpu> random(3), same(3);
  TensorContainer<cpu, 2> a(shape), b(shape), result(shape);
  // Which of two operands is drawn first is up to the compiler.
  result = abs(random.uniform(shape) - random.uniform(shape));
  same.SampleUniform(&a);
  same.SampleUniform(&b);
  for (index_t y = 0; y < 61; ++y) {
    for (index_t x = 0; x < 7; ++x) ASSERT_EQ(result[y][x], std::abs(a[y][x] - b[y][x]));
  }
  // Kept ones stay as they are, whatever is drawn later.
  const auto uniform = random.uniform(shape) * 2;
  const auto normal = random.gaussian(shape, 1, 3);
  same.SampleUniform(&a);
  same.SampleGaussian(&b, 1, 3);
  for (int i = 0; i < 3; ++i) {
    result = random.uniform(shape) * random.gaussian(shape) + random.uniform(shape) * 3;
    result *= random.uniform(shape);
  }
  result = uniform + normal;
  for (index_t y = 0; y < 61; ++y) {
    for (index_t x = 0; x < 7; ++x) ASSERT_EQ(result[y][x], a[y][x] * 2 + b[y][x]);
  }
}

TEST(RandomMembers, NumbersMayOutliveTheirSource) {
  TensorContainer<cpu, 1> result(Shape1(5)), expected(Shape1(5));
  const auto numbers = Random<cpu>(4).uniform(Shape1(5));
  Random<cpu>(4).SampleUniform(&expected);
  result = numbers;
  for (index_t i = 0; i < 5; ++i) EXPECT_EQ(result[i], expected[i]);
}

TEST(RandomMembers, ExpressionsHoldTheNumbersOfADraw) {
  Random<cpu> random(3), same(3);
  TensorContainer<cpu, 2> a(Shape2(61, 7)), b(Shape2(61, 7)), c(Shape2(61, 7));
  const auto equal = [&] {
    for (index_t y = 0; y < 61; ++y) {
      for (index_t x = 0; x < 7; ++x) ASSERT_EQ(a[y][x], b[y][x]);
    }
  };
  expr::ReshapeExp<Tensor<cpu, 1, float>, float, 2, 1> expression = random.uniform(a.shape_);
  a = expression;
  same.SampleUniform(&b);
  equal();
  a = random.gaussian(a.shape_);
  same.SampleGaussian(&b);
  equal();
  a = random.gaussian(a.shape_, 3, 0.5f);
  same.SampleGaussian(&b, 3, 0.5f);
  equal();
  // The buffer grows.
  TensorContainer<cpu, 3> large(Shape3(9, 61, 7));
  large = random.gaussian(large.shape_) + 1.0f;
  same.SampleGaussian(&c);
  EXPECT_EQ(large[0][0][0], c[0][0] + 1.0f);
  a = random.uniform(a.shape_);
  same.SampleUniform(&b);
  equal();
}

TEST(RandomMembers, RawWords) {
  Random<cpu> random(21);
  std::vector<unsigned> words(1000);
  random.GetRandInt(Tensor<cpu, 1, unsigned>(words.data(), Shape1(1000)));
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const rng::Block b = rng::Draw::Of(21, 0).At(i / 64 * 16 + i % 16, 0, 0);
    const std::uint32_t expected[] = {b.w0, b.w1, b.w2, b.w3};
    ASSERT_EQ(words[i], expected[i % 64 / 16]);
  }
}

TEST(RandomMembers, Engine) {
  Random<cpu> random(21);
  std::mt19937 expected(21);
  EXPECT_EQ(random.GetRandInt(), expected());
  EXPECT_EQ(random.GetRndEngine()(), expected());
  std::mt19937& engine = random.GetRndEngine();
  EXPECT_EQ(engine(), expected());
  EXPECT_EQ(random.GetRandInt(), expected());
  random.Seed(8);
  EXPECT_EQ(engine(), std::mt19937(8)());
  std::vector<int> order = {1, 2, 3, 4, 5};
  std::shuffle(order.begin(), order.end(), random.GetRndEngine());
  std::normal_distribution<float> normal;
  EXPECT_LT(std::fabs(normal(random.GetRndEngine())), 10.0f);
}

TEST(RandomMembers, SampleDistributionCallsTheSamplerInOrder) {
  testing::Guarded<3, int> t(Shape3(2, 3, 5), 2);
  Random<cpu, int> random(1);
  int next = 0;
  random.SampleDistribution(&*t, [&next] { return next++; });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(t.At(i), i);
  EXPECT_TRUE(t.Intact());
}

#if !MSHADOW_USE_CUDA
// A program templated on the device compiles, and says at run time what is missing.
template <typename xpu>
void Uses(int seed) {
  Random<xpu, float> random(seed);
  Tensor<xpu, 2, float> t;
  random.set_stream(nullptr);
  random.Seed(random.GetSeed());
  random.SampleUniform(&t);
  random.SampleUniform(&t, -1, 1.0f);
  random.SampleGaussian(&t, 0, 0.01f);
  random.SampleExponential(&t, 1);
  random.uniform(Shape2(1, 1));
  random.gaussian(Shape2(1, 1), 0, 1);
}
TEST(RandomMembers, WithoutItsDevice) {
  ExpectError([] { Uses<gpu>(1); }, "built without CUDA");
}
#endif

}  // namespace
}  // namespace mshadow
