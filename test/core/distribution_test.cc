// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/samplers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistics.h"

namespace mshadow {
namespace rng {
namespace {

template <typename Sampler>
std::vector<double> SampleOf(const Sampler& sampler, std::uint32_t seed, int n = 50000) {
  std::vector<double> sample;
  for (int i = 0; i < n; ++i) {
    ElementStream stream(Draw::Of(seed, 0), static_cast<std::uint64_t>(i));
    sample.push_back(static_cast<double>(sampler(&stream)));
  }
  return sample;
}

TEST(ElementStream, TakesTheBlocksOfItsElement) {
  const Draw draw = Draw::Of(7, 9);
  ElementStream stream(draw, 0x123456789ull);
  for (std::uint32_t turn = 1; turn < 4; ++turn) {
    const Block a = stream.NextBlock(), b = draw.At(0x23456789u, 1, turn);
    EXPECT_EQ(a.w0, b.w0);
    EXPECT_EQ(a.w3, b.w3);
  }
}

TEST(UniformInt, EveryValueEquallyLikely) {
  for (const std::uint64_t range : {1, 2, 3, 7, 10, 100}) {
    const auto sample = SampleOf(UniformIntSampler(5, range), 1);
    testing::ExpectProbabilities(sample, [&](double k) {
      return k >= 5 && k < 5 + static_cast<double>(range) ? 1.0 / static_cast<double>(range) : 0.0;
    });
  }
}

// With a range of 3/4 2^64 a sampler that does not reject puts half of its numbers into a third of
// the range, in any of the usual ways.
TEST(UniformInt, WideRanges) {
  const std::uint64_t wide = (std::uint64_t{3} << 62);
  for (const std::uint64_t range : {wide, wide + 1, std::uint64_t{1} << 63, std::uint64_t{0}}) {
    const double span = range == 0 ? 0x1p64 : static_cast<double>(range);
    const auto sample = SampleOf(UniformIntSampler(0, range), 2);
    testing::ExpectDistribution(sample, [&](double x) { return x / span; });
    std::vector<double> thirds;
    ElementStream stream(Draw::Of(3, 0), 0);
    const UniformIntSampler sampler(0, range);
    for (int i = 0; i < 50000; ++i) thirds.push_back(static_cast<double>(sampler(&stream) % 3));
    testing::ExpectProbabilities(thirds, [](double k) { return k < 3 ? 1.0 / 3 : 0.0; });
  }
}

TEST(UniformInt, SignedEndsInTwosComplement) {
  const UniformIntSampler sampler(static_cast<std::uint64_t>(-2), 5);
  testing::ExpectProbabilities(
      [&] {
        std::vector<double> sample;
        for (int i = 0; i < 20000; ++i) {
          ElementStream stream(Draw::Of(4, 0), static_cast<std::uint64_t>(i));
          sample.push_back(static_cast<double>(static_cast<std::int64_t>(sampler(&stream))));
        }
        return sample;
      }(),
      [](double k) { return k >= -2 && k <= 2 ? 0.2 : 0.0; });
}

TEST(Gamma, DistributionAndMoments) {
  for (const double shape : {0.05, 0.5, 0.999, 1.0, 1.5, 4.0, 100.0, 1e6}) {
    SCOPED_TRACE(shape);
    const double scale = 2.5;
    const auto sample = SampleOf(GammaSampler(shape, scale), 11);
    testing::ExpectDistribution(sample,
                             [&](double x) { return testing::GammaCdf(shape, x / scale); });
    testing::ExpectMoments(sample, shape * scale, shape * scale * scale, 3 + 6 / shape);
  }
}

TEST(Poisson, LogFactorial) {
  for (double k = 0; k < 1e7; k = std::floor(k * 1.3) + 1) {
    EXPECT_NEAR(detail::LogFactorial(k), std::lgamma(k + 1), 1e-13 + 2e-15 * std::lgamma(k + 1));
  }
}

TEST(Poisson, ProbabilitiesAndMoments) {
  for (const double lambda : {0.0, 1e-3, 0.3, 1.0, 5.5, 9.999, 10.0, 11.0, 30.0, 1234.5}) {
    SCOPED_TRACE(lambda);
    const auto sample = SampleOf(PoissonSampler(lambda), 12, 100000);
    testing::ExpectProbabilities(sample, [&](double k) { return testing::PoissonPmf(lambda, k); });
    if (lambda > 0) testing::ExpectMoments(sample, lambda, lambda, 3 + 1 / lambda);
  }
}

TEST(Poisson, LargeMeansAreNormal) {
  for (const double lambda : {1e6, 1e9, 1e12}) {
    SCOPED_TRACE(lambda);
    auto sample = SampleOf(PoissonSampler(lambda), 13);
    for (double& x : sample) x = (x - lambda) / std::sqrt(lambda);
    testing::ExpectDistribution(sample, [](double z) { return testing::NormalCdf(z); });
  }
  // Beyond 2^53 every double is an integer; what counts is that sampling ends.
  for (const double lambda : {1e20, 1e200, 1e308}) {
    for (const double x : SampleOf(PoissonSampler(lambda), 14, 100)) {
      EXPECT_NEAR(x / lambda, 1.0, 1e-8);
    }
  }
}

TEST(NegativeBinomial, ProbabilitiesAndMoments) {
  const double cases[][2] = {{1, 0.5}, {3, 0.3}, {0.4, 0.1}, {20, 0.9}, {5, 1}, {2.5, 0.02}};
  for (const auto& c : cases) {
    const double k = c[0], p = c[1];
    SCOPED_TRACE(::testing::Message() << "k = " << k << ", p = " << p);
    const auto sample = SampleOf(GammaPoissonSampler::NegativeBinomial(k, p), 15, 100000);
    testing::ExpectProbabilities(sample,
                              [&](double n) { return testing::NegativeBinomialPmf(k, p, n); });
    const double mean = k * (1 - p) / p;
    testing::ExpectMoments(sample, mean, mean / p,
                        p == 1 ? 3 : 3 + 6 / k + p * p / ((1 - p) * k));
  }
}

TEST(GeneralizedNegativeBinomial, ProbabilitiesAndMoments) {
  const double cases[][2] = {{2, 0.3}, {10, 0.01}, {0.5, 4}, {100, 1}};
  for (const auto& c : cases) {
    const double mu = c[0], alpha = c[1];
    SCOPED_TRACE(::testing::Message() << "mu = " << mu << ", alpha = " << alpha);
    const double k = 1 / alpha, p = 1 / (1 + mu * alpha);
    const auto sample = SampleOf(GammaPoissonSampler::Generalized(mu, alpha), 16, 100000);
    testing::ExpectProbabilities(sample,
                              [&](double n) { return testing::NegativeBinomialPmf(k, p, n); });
    testing::ExpectMoments(sample, mu, mu + alpha * mu * mu, 3 + 6 / k + p * p / ((1 - p) * k));
  }
  for (const double x : SampleOf(GammaPoissonSampler::Generalized(0, 1), 17, 100)) EXPECT_EQ(x, 0);
}

TEST(Beta, DistributionAndMoments) {
  const double shapes[][2] = {{1, 1}, {2, 5}, {0.5, 0.5}, {30, 2}, {0.05, 0.3}, {1000, 1500}};
  for (const auto& ab : shapes) {
    const double a = ab[0], b = ab[1], n = a + b;
    SCOPED_TRACE(a);
    const auto sample = SampleOf(BetaSampler(a, b), 21);
    testing::ExpectDistribution(sample, [&](double x) { return testing::BetaCdf(a, b, x); });
    const double excess =
        6 * ((a - b) * (a - b) * (n + 1) - a * b * (n + 2)) / (a * b * (n + 2) * (n + 3));
    testing::ExpectMoments(sample, a / n, a * b / (n * n * (n + 1)), excess + 3);
  }
  // Both gamma numbers are 0 in double: one of the ends, each as often.
  double ones = 0;
  for (const double x : SampleOf(BetaSampler(1e-9, 1e-9), 22)) {
    ASSERT_TRUE(x == 0 || x == 1) << x;
    ones += x;
  }
  EXPECT_NEAR(ones, 25000, 400);
  for (const double x : SampleOf(BetaSampler(5e-324, 5e-324), 23, 100)) {
    EXPECT_TRUE(x >= 0 && x <= 1);
  }
}

TEST(Binomial, ProbabilitiesAndMoments) {
  const double cases[][2] = {{1, 0.3},   {5, 0.5},    {20, 0.1},    {40, 0.25},  {40, 0.75},
                             {100, 0.5}, {1000, 0.9}, {1e6, 0.001}, {1e9, 5e-9}, {19, 0.52},
                             {1e5, 1e-5}};
  for (const auto& np : cases) {
    const double n = np[0], p = np[1], variance = n * p * (1 - p);
    SCOPED_TRACE(n);
    const auto sample = SampleOf(BinomialSampler(n, p), 24, 100000);
    testing::ExpectProbabilities(sample,
                                 [&](double k) { return testing::BinomialPmf(n, p, k); });
    testing::ExpectMoments(sample, n * p, variance, 3 + (1 - 6 * p * (1 - p)) / variance);
  }
  // So many trials that it is normal.
  const double n = 1e15, p = 0.3, deviation = std::sqrt(n * p * (1 - p));
  auto sample = SampleOf(BinomialSampler(n, p), 25);
  for (double& x : sample) x = (x - n * p) / deviation;
  testing::ExpectDistribution(sample, testing::NormalCdf);
  testing::ExpectMoments(sample, 0, 1, 3);
}
TEST(Binomial, WithoutChoice) {
  for (const double n : {0.0, 1.0, 7.0, 1e6, 0x1p53}) {
    for (const double p : {0.0, 1.0}) {
      for (const double k : SampleOf(BinomialSampler(n, p), 26, 50)) ASSERT_EQ(k, n * p);
    }
  }
  for (const double k : SampleOf(BinomialSampler(0, 0.5), 27, 50)) ASSERT_EQ(k, 0);
}

TEST(Categorical, Probabilities) {
  const float weights[] = {0, 2, 1, 0, 5, NAN, 0.5f, -3};
  const double sum = 8.5;
  const auto sample = SampleOf(CategoricalSampler<float>{weights, 8, 0, 1}, 28);
  testing::ExpectProbabilities(sample, [&](double k) {
    return k >= 0 && k < 8 && weights[static_cast<int>(k)] > 0
               ? weights[static_cast<int>(k)] / sum
               : 0.0;
  });
  // Elements 0 to 2 take row 0, 3 to 5 row 1.
  const double rows[] = {1, 0, 9, 0, 1, 9};
  const auto first = SampleOf(CategoricalSampler<double>{rows, 2, 3, 3}, 29, 6);
  EXPECT_EQ(first, (std::vector<double>{0, 0, 0, 1, 1, 1}));
}

TEST(Multinomial, EachCountIsBinomialAndTheSumIsN) {
  const double weights[] = {0, 2, 1, 0, 5, 0.5, 0}, sum = 8.5;
  for (const double n : {0.0, 1.0, 30.0, 1000.0}) {
    SCOPED_TRACE(n);
    constexpr int kRows = 20000, kCount = 7;
    std::vector<double> counts(kRows * kCount, -1);
    const MultinomialSampler<double, double> sampler{weights, kCount, n, counts.data(), kCount};
    const auto first = SampleOf(sampler, 30, kRows);
    std::vector<double> of[kCount];
    for (int i = 0; i < kRows; ++i) {
      double total = 0;
      counts[i * kCount] = first[i];
      for (int j = 0; j < kCount; ++j) {
        of[j].push_back(counts[i * kCount + j]);
        total += counts[i * kCount + j];
      }
      ASSERT_EQ(total, n);
    }
    for (int j = 0; j < kCount; ++j) {
      testing::ExpectProbabilities(
          of[j], [&](double k) { return testing::BinomialPmf(n, weights[j] / sum, k); });
    }
    if (n < 2) continue;
    // Covariance -n p q of two of them.
    const double p = 2 / sum, q = 5 / sum;
    double covariance = 0;
    for (int i = 0; i < kRows; ++i) covariance += (of[1][i] - n * p) * (of[4][i] - n * q) / kRows;
    EXPECT_NEAR(covariance, -n * p * q, 4 * n * std::sqrt(2 * p * q / kRows));
  }
}

TEST(TruncatedNormal, Distribution) {
  const double inf = HUGE_VAL;
  const double bounds[][2] = {{-1, 2},   {-inf, inf}, {-inf, -1}, {0, inf},  {0.5, 0.6}, {3, 3.2},
                              {3, inf},  {8, inf},    {-9, -8},   {-inf, 0}, {-0.1, 0.1}, {1, 9},
                              {-5, 2.6}, {-3, 0.01},  {-20, -19.99}};
  for (const auto& ab : bounds) {
    const double a = ab[0], b = ab[1], mu = 3, sigma = 2;
    SCOPED_TRACE(a);
    const auto sample =
        SampleOf(TruncatedNormalSampler(mu, sigma, mu + sigma * a, mu + sigma * b), 31);
    // By the tail that has more digits.
    const double sign = a + b > 0 ? -1 : 1;
    const double from = testing::NormalCdf(sign * (sign > 0 ? a : b));
    const double mass = testing::NormalCdf(sign * (sign > 0 ? b : a)) - from;
    testing::ExpectDistribution(sample, [&](double x) {
      const double part = (testing::NormalCdf(sign * (x - mu) / sigma) - from) / mass;
      return sign > 0 ? part : 1 - part;
    });
    for (const double x : sample) {
      ASSERT_GE(x, mu + sigma * a);
      ASSERT_LE(x, mu + sigma * b);
    }
  }
}
TEST(TruncatedNormal, FarOut) {
  const double inf = HUGE_VAL;
  // Exponential of rate a / sigma^2 beyond a.
  auto tail = SampleOf(TruncatedNormalSampler(0, 2, 3e6, inf), 32);
  for (double& x : tail) x = (x - 3e6) * 3e6 / 4;
  testing::ExpectMoments(tail, 1, 1, 9);
  testing::ExpectDistribution(tail, [](double x) { return -std::expm1(-x); });
  for (const double a : {5.0, 1e300, 1.7e308}) {
    for (const double sigma : {1.0, 1e-310}) {
      for (const double x : SampleOf(TruncatedNormalSampler(0, sigma, a, inf), 33, 20)) {
        ASSERT_GE(x, a);
        ASSERT_LE(x, a * (1 + 1e-1) + 2);
      }
      for (const double x : SampleOf(TruncatedNormalSampler(0, sigma, -inf, -a), 33, 20)) {
        ASSERT_LE(x, -a);
      }
      for (const double x : SampleOf(TruncatedNormalSampler(0, sigma, a, a), 34, 20)) {
        ASSERT_EQ(x, a);
      }
    }
  }
}

}  // namespace
}  // namespace rng
}  // namespace mshadow
