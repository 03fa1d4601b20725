// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/distribution.h"

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

}  // namespace
}  // namespace rng
}  // namespace mshadow
