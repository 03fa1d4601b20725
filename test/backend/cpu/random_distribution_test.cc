// SPDX-License-Identifier: Apache-2.0
// Do the fills have the distributions they are named after? Limits: see statistics.h.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mshadow/backend/cpu/random.h"
#include "mshadow/tensor.h"
#include "statistics.h"
#include "testing.h"

namespace mshadow {
namespace {

constexpr index_t kCount = 200000;

/// What `sample(&random, &tensor)` writes, in double.
template <typename DType, typename F>
std::vector<double> SampleOf(int seed, const F& sample, index_t n = kCount) {
  std::vector<DType> memory(n);
  Tensor<cpu, 1, DType> t(memory.data(), Shape1(n));
  Random<cpu, DType> random(seed);
  sample(&random, &t);
  std::vector<double> numbers(n);
  for (index_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(memory[i]);
  return numbers;
}

template <typename DType>
class RealRandom : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RealRandom, Reals);

TYPED_TEST(RealRandom, Uniform) {
  testing::ForEachIsa([] {
    const auto unit = SampleOf<TypeParam>(1, [](auto* r, auto* t) { r->SampleUniform(t); });
    testing::ExpectDistribution(unit, [](double x) { return x; });
    testing::ExpectMoments(unit, 0.5, 1.0 / 12, 1.8);
    const auto wide = SampleOf<TypeParam>(2, [](auto* r, auto* t) { r->SampleUniform(t, -3, 5); });
    testing::ExpectDistribution(wide, [](double x) { return (x + 3) / 8; });
  });
}

TYPED_TEST(RealRandom, Gaussian) {
  testing::ForEachIsa([] {
    const auto z = SampleOf<TypeParam>(3, [](auto* r, auto* t) { r->SampleGaussian(t); });
    testing::ExpectDistribution(z, testing::NormalCdf);
    testing::ExpectMoments(z, 0, 1, 3);
    const auto x = SampleOf<TypeParam>(4, [](auto* r, auto* t) { r->SampleGaussian(t, -7, 0.5); });
    testing::ExpectDistribution(x, [](double v) { return testing::NormalCdf((v + 7) / 0.5); });
  });
}

// Beyond 4 lie 6.3e-5 of all, beyond 5 5.7e-7: the tails are neither cut nor fat.
TEST(RandomDistribution, GaussianTails) {
  constexpr index_t n = 10000000;
  double beyond4 = 0, beyond5 = 0, fourth = 0;
  for (const double z :
       SampleOf<float>(5, [](auto* r, auto* t) { r->SampleGaussian(t); }, n)) {
    beyond4 += std::fabs(z) > 4;
    beyond5 += std::fabs(z) > 5;
    fourth += z * z * z * z / n;
  }
  EXPECT_NEAR(beyond4, n * 6.334e-5, 3.5 * std::sqrt(n * 6.334e-5));
  EXPECT_NEAR(beyond5, n * 5.733e-7, 3.5 * std::sqrt(n * 5.733e-7));
  EXPECT_NEAR(fourth, 3, 3.5 * std::sqrt(96.0 / n));
}

TYPED_TEST(RealRandom, Exponential) {
  testing::ForEachIsa([] {
    const auto x = SampleOf<TypeParam>(6, [](auto* r, auto* t) { r->SampleExponential(t, 2.5); });
    testing::ExpectDistribution(x, [](double v) { return -std::expm1(-2.5 * v); });
    testing::ExpectMoments(x, 1 / 2.5, 1 / 6.25, 9);
  });
}

TYPED_TEST(RealRandom, Gamma) {
  const auto x = SampleOf<TypeParam>(7, [](auto* r, auto* t) { r->SampleGamma(t, 2.5, 0.2); });
  testing::ExpectDistribution(x, [](double v) { return testing::GammaCdf(2.5, v / 0.2); });
}

TYPED_TEST(RealRandom, Counts) {
  for (const double lambda : {2.0, 60.0}) {
    testing::ExpectProbabilities(
        SampleOf<TypeParam>(8, [=](auto* r, auto* t) { r->SamplePoisson(t, lambda); }),
        [=](double k) { return testing::PoissonPmf(lambda, k); });
  }
  testing::ExpectProbabilities(
      SampleOf<TypeParam>(9, [](auto* r, auto* t) { r->SampleNegativeBinomial(t, 3, 0.25); }),
      [](double k) { return testing::NegativeBinomialPmf(3, 0.25, k); });
  testing::ExpectProbabilities(
      SampleOf<TypeParam>(
          10, [](auto* r, auto* t) { r->SampleGeneralizedNegativeBinomial(t, 6, 0.5); }),
      [](double k) { return testing::NegativeBinomialPmf(2, 0.25, k); });
}

TEST(RandomDistribution, Integers) {
  testing::ForEachIsa([] {
    for (const int last : {0, 1, 2, 9, 99}) {
      const auto dice =
          SampleOf<int>(11, [=](auto* r, auto* t) { r->SampleUniform(t, -5, last - 5); });
      testing::ExpectProbabilities(
          dice, [=](double k) { return k >= -5 && k <= last - 5 ? 1.0 / (last + 1) : 0.0; });
    }
    // 3/4 of all words: without rejection the thirds of the range would be hit unevenly.
    const auto wide = SampleOf<std::uint32_t>(
        12, [](auto* r, auto* t) { r->SampleUniform(t, 0u, 0xBFFFFFFFu); });
    std::vector<double> thirds;
    for (const double x : wide) thirds.push_back(std::fmod(x, 3.0));
    testing::ExpectProbabilities(thirds, [](double k) { return k < 3 ? 1.0 / 3 : 0.0; });
    testing::ExpectDistribution(wide, [](double x) { return x / 0xC0000000u; });
  });
}

TEST(RandomDistribution, SixteenBitTypes) {
  // Their steps are coarse against the resolution of a Kolmogorov-Smirnov test: moments.
  const auto uniform =
      SampleOf<half::half_t>(13, [](auto* r, auto* t) { r->SampleUniform(t); });
  testing::ExpectMoments(uniform, 0.5, 1.0 / 12, 1.8);
  const auto z = SampleOf<half::half_t>(14, [](auto* r, auto* t) { r->SampleGaussian(t); });
  testing::ExpectMoments(z, 0, 1, 3);
  const auto coarse =
      SampleOf<bfloat::bf16_t>(15, [](auto* r, auto* t) { r->SampleGaussian(t, 0, 1); });
  testing::ExpectMoments(coarse, 0, 1, 3);
}

// Numbers of one element in two draws, of neighbours, of the lanes of a block, and under
// neighbouring seeds have nothing to do with each other.
TEST(RandomDistribution, Independence) {
  for (const bool normal : {false, true}) {
    const auto draw = [=](int seed, int skip) {
      return SampleOf<float>(seed, [=](auto* r, auto* t) {
        for (int i = 0; i <= skip; ++i) {
          if (normal) {
            r->SampleGaussian(t);
          } else {
            r->SampleUniform(t);
          }
        }
      });
    };
    const auto first = draw(1, 0);
    testing::ExpectUncorrelated(first, draw(1, 1));
    testing::ExpectUncorrelated(first, draw(2, 0));
    const auto squares = [](std::vector<double> x) {
      for (double& v : x) v = (v - 0.5) * (v - 0.5);
      return x;
    };
    testing::ExpectUncorrelated(squares(first), squares(draw(1, 1)));
    for (const std::ptrdiff_t lag : {1, 15, 16, 17, 32, 48, 64}) {
      const std::vector<double> head(first.begin(), first.end() - lag);
      const std::vector<double> tail(first.begin() + lag, first.end());
      testing::ExpectUncorrelated(head, tail);
      testing::ExpectUncorrelated(squares(head), squares(tail));
    }
  }
}

}  // namespace
}  // namespace mshadow
