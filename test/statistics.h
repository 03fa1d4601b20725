// SPDX-License-Identifier: Apache-2.0
// Tests of samples against the distribution they should come from. Seeds are fixed, so a test
// passes or fails for good; the limits are those that a right sampler exceeds once in 1000 seeds.
#ifndef MSHADOW_TEST_STATISTICS_H_
#define MSHADOW_TEST_STATISTICS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace mshadow {
namespace testing {

/// Kolmogorov-Smirnov: sqrt(n) sup |F_n - F| < 1.95 (exceeded with probability 0.001).
template <typename Cdf>
void ExpectDistribution(std::vector<double> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(sample[i]);
    distance = std::max(distance, std::max(f - i / n, (i + 1) / n - f));
  }
  EXPECT_LT(distance * std::sqrt(n), 1.95);
}

/// Pearson's chi-square of integers against their probabilities; values expected fewer than 10
/// times share a cell with their neighbours. The limit is the 0.999 quantile (Wilson-Hilferty).
template <typename Pmf>
void ExpectProbabilities(const std::vector<double>& sample, const Pmf& pmf) {
  std::map<long long, double> counts;
  for (const double x : sample) {
    ASSERT_EQ(x, std::floor(x));
    counts[static_cast<long long>(x)] += 1;
  }
  const double n = static_cast<double>(sample.size());
  const long long lowest = counts.begin()->first, highest = counts.rbegin()->first;
  double chi_square = 0, seen = 0, expected = 0, expected_total = 0;
  int cells = 0;
  for (long long k = lowest; k <= highest; ++k) {
    const auto found = counts.find(k);
    seen += found == counts.end() ? 0 : found->second;
    expected += n * pmf(static_cast<double>(k));
    if (expected >= 10) {
      chi_square += (seen - expected) * (seen - expected) / expected;
      expected_total += expected;
      seen = expected = 0;
      ++cells;
    }
  }
  // The last cell holds what is left of the tails.
  expected = n - expected_total;
  if (expected > 1) {
    chi_square += (seen - expected) * (seen - expected) / expected;
    ++cells;
  } else {
    EXPECT_LT(seen, 8);
  }
  if (cells < 2) return;
  const double degrees = cells - 1, spread = 2.0 / (9.0 * degrees);
  const double limit = degrees * std::pow(1 - spread + 3.09 * std::sqrt(spread), 3);
  EXPECT_LT(chi_square, limit) << cells << " cells";
}

/// Mean and variance within 3.5 standard errors; `kurtosis` is that of the distribution, E z^4.
inline void ExpectMoments(const std::vector<double>& sample, double mean, double variance,
                          double kurtosis) {
  const double n = static_cast<double>(sample.size());
  double sum = 0, squares = 0;
  for (const double x : sample) sum += x;
  for (const double x : sample) squares += (x - mean) * (x - mean);
  EXPECT_NEAR(sum / n, mean, 3.5 * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, 3.5 * variance * std::sqrt((kurtosis - 1) / n));
}

/// Correlation of x[i] and y[i] within 3.5 standard errors of 0.
inline void ExpectUncorrelated(const std::vector<double>& x, const std::vector<double>& y) {
  ASSERT_EQ(x.size(), y.size());
  const double n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i], sy += y[i];
    sxx += x[i] * x[i], syy += y[i] * y[i], sxy += x[i] * y[i];
  }
  const double cov = sxy / n - sx / n * (sy / n);
  const double r = cov / std::sqrt((sxx / n - sx / n * (sx / n)) * (syy / n - sy / n * (sy / n)));
  EXPECT_LT(std::fabs(r), 3.5 / std::sqrt(n));
}

// ---- Distribution functions, from their textbook formulas --------------------------------------

inline double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// The regularised lower incomplete gamma function P(a, x), by its series or continued fraction.
inline double GammaCdf(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 10000 && term > sum * 1e-16; ++k) sum += term *= x / (a + k);
    return front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return 1 - front * h;
}

inline double PoissonPmf(double lambda, double k) {
  if (k < 0) return 0;
  return lambda == 0 ? k == 0 : std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1));
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction.
inline double BetaCdf(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x >= 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - BetaCdf(b, a, 1 - x);
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x)) / a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 10000; ++m) {
    for (const double t : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 / (1 + t * d);
      c = 1 + t / c;
      h *= d * c;
    }
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

inline double BinomialPmf(double n, double p, double k) {
  if (k < 0 || k > n) return 0;
  if (p == 0 || p == 1) return k == n * p;
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                  k * std::log(p) + (n - k) * std::log1p(-p));
}

/// n failures before success number k (real), each with probability p.
inline double NegativeBinomialPmf(double k, double p, double n) {
  if (n < 0) return 0;
  if (p == 1) return n == 0;
  return std::exp(std::lgamma(n + k) - std::lgamma(n + 1) - std::lgamma(k) + k * std::log(p) +
                  n * std::log1p(-p));
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_STATISTICS_H_
