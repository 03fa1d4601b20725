// SPDX-License-Identifier: Apache-2.0
// Distributions whose samplers need an unknown number of random words. Each element of a tensor
// draws from a stream of its own, so the order in which elements are computed does not matter.
//
// A sampler is a small struct: parameters worked out in the constructor (which checks nothing),
// and `double operator()(ElementStream*) const`.
#ifndef MSHADOW_CORE_DISTRIBUTION_H_
#define MSHADOW_CORE_DISTRIBUTION_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "config.h"
#include "dtype.h"
#include "libmvec.h"
#include "normal.h"
#include "philox.h"

MSHADOW_NAMESPACE_BEGIN
namespace rng {

/// `value` as a DType: real values in integers truncate and stop at the ends (NaN at the lower);
/// integers are in range already, negative ones in two's complement.
template <typename DType, typename Real>
MSHADOW_XINLINE DType ConvertTo(Real value) {
  if constexpr (std::is_integral_v<Real>) {
    return static_cast<DType>(value);
  } else if constexpr (std::is_same_v<DType, bool>) {
    return value != Real(0);
  } else if constexpr (std::is_integral_v<DType>) {
    // 2^digits, the upper end plus one, is a power of two and hence exact.
    constexpr DType kMax = (std::numeric_limits<DType>::max)();
    constexpr Real kEnd = static_cast<Real>(kMax / 2 + 1) * Real(2);
    constexpr DType kMin = (std::numeric_limits<DType>::min)();
    if (!(value > static_cast<Real>(kMin))) return kMin;
    return value >= kEnd ? kMax : static_cast<DType>(value);
  } else {
    return static_cast<DType>(value);
  }
}

/// The words of element `index` of a draw: blocks of turn 1, 2, ... one after another.
class ElementStream {
 public:
  MSHADOW_HOST_DEVICE ElementStream(const Draw& draw, std::uint64_t index)
      : draw_(draw), index_(index) {}

  /// Four fresh words.
  MSHADOW_HOST_DEVICE Block NextBlock() {
    ++turn_;
    return draw_.At(static_cast<std::uint32_t>(index_), static_cast<std::uint32_t>(index_ >> 32),
                    turn_);
  }
  /// Two independent uniforms, multiples of 2^-53 in [0, 1).
  MSHADOW_HOST_DEVICE void NextUniforms(double* u, double* v) {
    const Block block = NextBlock();
    *u = UniformDouble(block.w0, block.w1);
    *v = UniformDouble(block.w2, block.w3);
  }
  MSHADOW_HOST_DEVICE std::uint64_t index() const { return index_; }

 private:
  Draw draw_;
  std::uint64_t index_;
  std::uint32_t turn_ = 0;
};

/// Integers lo, lo + 1, ..., lo + range - 1, each equally likely; range 0 stands for 2^64.
/// The upper half of word * range, words with an excess lower half rejected:
/// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019.
class UniformIntSampler {
 public:
  MSHADOW_HOST_DEVICE UniformIntSampler(std::uint64_t lo, std::uint64_t range)
      : lo_(lo), range_(range), threshold_(range == 0 ? 0 : (0 - range) % range) {}

  /// As 64 bits in two's complement.
  MSHADOW_HOST_DEVICE std::uint64_t operator()(ElementStream* stream) const {
    for (;;) {
      const Block block = stream->NextBlock();
      const std::uint64_t words[2] = {Word(block.w0, block.w1), Word(block.w2, block.w3)};
      for (const std::uint64_t word : words) {
        if (range_ == 0) return lo_ + word;
        if (word * range_ >= threshold_) return lo_ + HighProduct(word, range_);
      }
    }
  }

 private:
  MSHADOW_HOST_DEVICE static std::uint64_t Word(std::uint32_t high, std::uint32_t low) {
    return (static_cast<std::uint64_t>(high) << 32) | low;
  }
  /// The upper 64 bits of x * y.
  MSHADOW_HOST_DEVICE static std::uint64_t HighProduct(std::uint64_t x, std::uint64_t y) {
    const std::uint64_t x0 = x & 0xFFFFFFFFu, x1 = x >> 32, y0 = y & 0xFFFFFFFFu, y1 = y >> 32;
    const std::uint64_t middle = x1 * y0 + ((x0 * y0) >> 32);
    return x1 * y1 + (middle >> 32) + ((x0 * y1 + (middle & 0xFFFFFFFFu)) >> 32);
  }

  std::uint64_t lo_, range_, threshold_;
};

/// Gamma of shape > 0 and scale >= 0: mean shape * scale, variance shape * scale^2.
/// G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000;
/// a shape below 1 through shape + 1 and a power of a uniform (their section 6).
class GammaSampler {
 public:
  MSHADOW_HOST_DEVICE GammaSampler(double shape, double scale)
      : boost_(shape < 1.0 ? 1.0 / shape : 0.0),
        d_((shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0),
        c_(1.0 / MSHADOW_LIBM(sqrt)(9.0 * d_)),
        scale_(scale) {}

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    double v;
    const double value = Boosted(stream, &v) * scale_;
    return boost_ == 0.0 ? value : value * MSHADOW_LIBM(pow)(1.0 - v, boost_);
  }
  /// The logarithm of a number, which may be too small for a double.
  MSHADOW_HOST_DEVICE double Log(ElementStream* stream) const {
    double v;
    const double log = MSHADOW_LIBM(log)(Boosted(stream, &v) * scale_);
    return boost_ == 0.0 ? log : log + boost_ * MSHADOW_LIBM(log)(1.0 - v);
  }

 private:
  /// Of shape 1 or more, and scale 1; v is uniform.
  MSHADOW_HOST_DEVICE double Boosted(ElementStream* stream, double* v) const {
    for (;;) {
      const NormalPair<double> normals = Normal64(stream->NextBlock());
      double u;
      stream->NextUniforms(&u, v);
      u = 1.0 - u;  // (0, 1]: its logarithm is finite
      const double x = normals.a;
      const double root = 1.0 + c_ * x;
      if (root <= 0.0) continue;
      const double cube = root * root * root;
      // The squeeze spares both logarithms nine times in ten.
      if (u >= 1.0 - 0.0331 * (x * x) * (x * x) &&
          MSHADOW_LIBM(log)(u) >= 0.5 * x * x + d_ * (1.0 - cube + MSHADOW_LIBM(log)(cube))) {
        continue;
      }
      return d_ * cube;
    }
  }

  double boost_, d_, c_, scale_;
};

/// Beta of shapes alpha, beta > 0: x / (x + y) of gamma numbers of these shapes, by logarithms, as
/// both may be too small for a double.
class BetaSampler {
 public:
  MSHADOW_HOST_DEVICE BetaSampler(double alpha, double beta)
      : x_(AtLeast(alpha), 1.0), y_(AtLeast(beta), 1.0) {}
  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    const double log_x = x_.Log(stream);
    return 1.0 / (1.0 + MSHADOW_LIBM(exp)(y_.Log(stream) - log_x));
  }

 private:
  /// 1 / shape is finite.
  MSHADOW_HOST_DEVICE static double AtLeast(double shape) {
    return shape < 1e-300 ? 1e-300 : shape;
  }
  GammaSampler x_, y_;
};

namespace detail {
/// ln k! for an integer k >= 0. Stirling's series past 9: the term left out is below 1e-13.
/// (std::lgamma writes a global, signgam, which two threads must not.)
MSHADOW_HOST_DEVICE inline double LogFactorial(double k) {
  if (k < 10.0) {
    double product = 1.0;
    for (int i = 2; i <= static_cast<int>(k); ++i) product *= i;
    return MSHADOW_LIBM(log)(product);
  }
  const double x = k + 1.0, z = 1.0 / (x * x);
  const double series =
      (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / x;
  return (x - 0.5) * MSHADOW_LIBM(log)(x) - x + 0.91893853320467274 + series;  // ln(2 pi) / 2
}
/// What Stirling's formula lacks: ln k! - ((k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi) / 2).
MSHADOW_HOST_DEVICE inline double StirlingRest(double k) {
  const double x = k + 1.0, z = 1.0 / (x * x);
  if (k >= 10.0) {
    return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) /
           x;
  }
  return LogFactorial(k) - ((x - 0.5) * MSHADOW_LIBM(log)(x) - x + 0.91893853320467274);
}
}  // namespace detail

/// Poisson of mean lambda >= 0. Below 10: inversion, the terms of the distribution function summed
/// up; from 10 on PTRS of W. Hoermann, "The transformed rejection method for generating Poisson
/// random variables", Insurance: Mathematics and Economics 12, 1993.
class PoissonSampler {
 public:
  MSHADOW_HOST_DEVICE explicit PoissonSampler(double lambda) : lambda_(lambda) {
    if (lambda_ < kInversionBelow) {
      p0_ = MSHADOW_LIBM(exp)(-lambda_);
    } else {
      b_ = 0.931 + 2.53 * MSHADOW_LIBM(sqrt)(lambda_);
      a_ = -0.059 + 0.02483 * b_;
      inv_alpha_ = 1.1239 + 1.1328 / (b_ - 3.4);
      v_r_ = 0.9277 - 3.6224 / (b_ - 2.0);
      log_lambda_ = MSHADOW_LIBM(log)(lambda_);
    }
  }

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    return lambda_ < kInversionBelow ? Invert(stream) : Reject(stream);
  }

 private:
  static constexpr double kInversionBelow = 10.0;

  MSHADOW_HOST_DEVICE double Invert(ElementStream* stream) const {
    double u, unused, term = p0_, k = 0.0;
    stream->NextUniforms(&u, &unused);
    // The terms past k = 200 are below 1e-170: the bound only stops a u that rounding left over.
    for (; u >= term && k < 200.0; term *= lambda_ / k) {
      u -= term;
      k += 1.0;
    }
    return k;
  }
  MSHADOW_HOST_DEVICE double Reject(ElementStream* stream) const {
    for (;;) {
      double u, v;
      stream->NextUniforms(&u, &v);
      u -= 0.5;
      v = 1.0 - v;  // (0, 1]
      const double us = 0.5 - MSHADOW_LIBM(fabs)(u);
      const double k = MSHADOW_LIBM(floor)((2.0 * a_ / us + b_) * u + lambda_ + 0.43);
      if (us >= 0.07 && v <= v_r_) return k;
      if (!(k >= 0.0) || (us < 0.013 && v > us)) continue;
      if (MSHADOW_LIBM(log)(v * inv_alpha_ / (a_ / (us * us) + b_)) <=
          k * log_lambda_ - lambda_ - detail::LogFactorial(k)) {
        return k;
      }
    }
  }

  double lambda_;
  double p0_ = 0.0, b_ = 0.0, a_ = 0.0, inv_alpha_ = 0.0, v_r_ = 0.0, log_lambda_ = 0.0;
};

/// Poisson whose mean is gamma distributed, itself drawn anew for every element.
class GammaPoissonSampler {
 public:
  /// Failures before the k-th success of trials that succeed with probability p:
  /// k > 0 (any real), 0 < p <= 1; mean k (1 - p) / p.
  MSHADOW_HOST_DEVICE static GammaPoissonSampler NegativeBinomial(double k, double p) {
    return GammaPoissonSampler(k, (1.0 - p) / p);
  }
  /// Mean mu >= 0 and variance mu + alpha mu^2, alpha > 0.
  MSHADOW_HOST_DEVICE static GammaPoissonSampler Generalized(double mu, double alpha) {
    return GammaPoissonSampler(1.0 / alpha, mu * alpha);
  }

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    const double lambda = gamma_(stream);
    return PoissonSampler(lambda)(stream);
  }

 private:
  MSHADOW_HOST_DEVICE GammaPoissonSampler(double shape, double scale) : gamma_(shape, scale) {}

  GammaSampler gamma_;
};

/// Successes in n trials that succeed with probability p: n a whole number from 0 to 2^53, p in
/// [0, 1]. Below a mean of 10: inversion. From 10 on BTRS of W. Hoermann, "The generation of
/// binomial random variates", Journal of Statistical Computation and Simulation 46, 1993. Of p
/// above 1/2, failures are drawn.
class BinomialSampler {
 public:
  MSHADOW_HOST_DEVICE BinomialSampler(double n, double p)
      : n_(n), p_(p > 0.5 ? 1.0 - p : p), flips_(p > 0.5) {
    const double mean = n_ * p_, q = 1.0 - p_;
    odds_ = p_ / q;
    inverts_ = mean < kInversionBelow;
    if (inverts_) {
      p0_ = MSHADOW_LIBM(exp)(n_ * MSHADOW_LIBM(log1p)(-p_));
    } else {
      const double deviation = MSHADOW_LIBM(sqrt)(mean * q);
      b_ = 1.15 + 2.53 * deviation;
      a_ = -0.0873 + 0.0248 * b_ + 0.01 * p_;
      v_r_ = 0.92 - 4.2 / b_;
      alpha_ = (2.83 + 5.1 / b_) * deviation;
      mode_ = MSHADOW_LIBM(floor)((n_ + 1.0) * p_);
    }
  }

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    const double k = inverts_ ? Invert(stream) : Reject(stream);
    return flips_ ? n_ - k : k;
  }

 private:
  static constexpr double kInversionBelow = 10.0;

  MSHADOW_HOST_DEVICE double Invert(ElementStream* stream) const {
    double u, unused, term = p0_, k = 0.0;
    stream->NextUniforms(&u, &unused);
    // As PoissonSampler: the terms past k = 200 are below 1e-170.
    for (; u >= term && k < n_ && k < 200.0; term *= (n_ - k + 1.0) / k * odds_) {
      u -= term;
      k += 1.0;
    }
    return k;
  }
  MSHADOW_HOST_DEVICE double Reject(ElementStream* stream) const {
    for (;;) {
      double u, v;
      stream->NextUniforms(&u, &v);
      u -= 0.5;
      v = 1.0 - v;  // (0, 1]
      const double us = 0.5 - MSHADOW_LIBM(fabs)(u);
      const double k = MSHADOW_LIBM(floor)((2.0 * a_ / us + b_) * u + n_ * p_ + 0.5);
      if (us >= 0.07 && v <= v_r_) return k;
      if (!(k >= 0.0 && k <= n_)) continue;
      if (MSHADOW_LIBM(log)(v * alpha_ / (a_ / (us * us) + b_)) <= LogRatio(k)) return k;
    }
  }
  /// The logarithm of the probability of k over that of the mode.
  MSHADOW_HOST_DEVICE double LogRatio(double k) const {
    const double m = mode_, rest = n_ - k + 1.0;
    return (m + 0.5) * MSHADOW_LIBM(log)((m + 1.0) / (odds_ * (n_ - m + 1.0))) +
           (n_ + 1.0) * MSHADOW_LIBM(log1p)((k - m) / rest) +
           (k + 0.5) * MSHADOW_LIBM(log)(odds_ * rest / (k + 1.0)) + detail::StirlingRest(m) +
           detail::StirlingRest(n_ - m) - detail::StirlingRest(k) - detail::StirlingRest(n_ - k);
  }

  double n_, p_, odds_;
  double p0_ = 0.0, b_ = 0.0, a_ = 0.0, v_r_ = 0.0, alpha_ = 0.0, mode_ = 0.0;
  bool flips_, inverts_;
};

namespace detail {
/// A weight; what is no positive number counts as 0.
template <typename Weight>
MSHADOW_HOST_DEVICE inline double WeightOf(Weight weight) {
  const double w = static_cast<double>(weight);
  return w > 0.0 ? w : 0.0;
}
}  // namespace detail

/// The index of one of `count` weights, each with a probability in proportion to it. Elements
/// [i * per_row, (i + 1) * per_row) take those of row i.
template <typename Weight>
struct CategoricalSampler {
  const Weight* weights;
  std::ptrdiff_t count, stride;
  std::uint64_t per_row;

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    const Weight* const row =
        weights + static_cast<std::ptrdiff_t>(stream->index() / per_row) * stride;
    double total = 0.0, u, unused;
    for (std::ptrdiff_t j = 0; j < count; ++j) total += detail::WeightOf(row[j]);
    stream->NextUniforms(&u, &unused);
    u *= total;
    std::ptrdiff_t last = 0;  // of a positive weight: what rounding leaves over is its
    double sum = 0.0;
    for (std::ptrdiff_t j = 0; j < count; ++j) {
      const double weight = detail::WeightOf(row[j]);
      if (weight == 0.0) continue;
      last = j;
      sum += weight;
      if (u < sum) break;
    }
    return static_cast<double>(last);
  }
};

/// How often each of `count` indices occurs in n draws of CategoricalSampler: for element i, the
/// row that begins at `to + i * stride`. Returns its first number, and writes the others.
template <typename Weight, typename DType>
struct MultinomialSampler {
  const Weight* weights;
  std::ptrdiff_t count;
  double n;
  DType* to;
  std::ptrdiff_t stride;

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    DType* const row = to + static_cast<std::ptrdiff_t>(stream->index()) * stride;
    double rest = 0.0, left = n, first = 0.0;
    std::ptrdiff_t last = 0;
    for (std::ptrdiff_t j = 0; j < count; ++j) {
      const double weight = detail::WeightOf(weights[j]);
      if (weight > 0.0) last = j;
      rest += weight;
    }
    for (std::ptrdiff_t j = 0; j < count; ++j) {
      const double weight = detail::WeightOf(weights[j]);
      double k = 0.0;
      if (j == last) {
        k = left;
      } else if (left > 0.0 && weight > 0.0) {
        k = BinomialSampler(left, weight < rest ? weight / rest : 1.0)(stream);
      }
      left -= k;
      rest -= weight;
      if (j == 0) {
        first = k;
      } else {
        row[j] = ConvertTo<DType>(k);
      }
    }
    return first;
  }
};

/// Normal of mean mu and standard deviation sigma > 0, given that it lies in [a, b], of which a may
/// be -infinity and b infinity. C. Robert, "Simulation of truncated normal variables", Statistics
/// and Computing 5, 1995: https://arxiv.org/abs/0907.4010
class TruncatedNormalSampler {
 public:
  MSHADOW_HOST_DEVICE TruncatedNormalSampler(double mu, double sigma, double a, double b)
      : mu_(mu), scale_(sigma), a_(a), b_(b), from_((a - mu) / sigma), to_((b - mu) / sigma) {
    if (to_ < 0.0) {  // the mirror image, so that 0 lies in [from, to], or below
      const double from = -to_;
      to_ = -from_;
      from_ = from;
      scale_ = -sigma;
    }
    const double root = MSHADOW_LIBM(sqrt)(from_ * from_ + 4.0);
    rate_ = (from_ + root) / 2.0;
    if (from_ <= 0.0) {
      way_ = to_ - from_ > 2.5 ? kNormal : kUniform;
    } else if (from_ > 1e6) {
      way_ = kExponential;
    } else {
      const double least = 1.6487212707 / rate_ *
                           MSHADOW_LIBM(exp)((from_ * from_ - from_ * root) / 4.0);
      way_ = to_ - from_ > least ? kTail : kUniform;
    }
  }

  MSHADOW_HOST_DEVICE double operator()(ElementStream* stream) const {
    if (!(a_ < b_)) return a_;
    if (way_ == kExponential) {
      // So far out it is exponential to 1e-12.
      double u, unused;
      stream->NextUniforms(&u, &unused);
      const double width = (b_ - a_) / MSHADOW_LIBM(fabs)(scale_);
      const double x =
          -MSHADOW_LIBM(log1p)(u * MSHADOW_LIBM(expm1)(-from_ * width)) / from_;
      return Within((scale_ > 0.0 ? a_ : b_) + scale_ * x);
    }
    return Within(mu_ + scale_ * Standard(stream));
  }

 private:
  enum Way { kNormal, kUniform, kTail, kExponential };

  MSHADOW_HOST_DEVICE double Standard(ElementStream* stream) const {
    for (;;) {
      if (way_ == kNormal) {
        const NormalPair<double> x = Normal64(stream->NextBlock());
        if (x.a >= from_ && x.a <= to_) return x.a;
        if (x.b >= from_ && x.b <= to_) return x.b;
        continue;
      }
      double u, v;
      stream->NextUniforms(&u, &v);
      if (way_ == kUniform) {
        const double x = from_ + u * (to_ - from_), top = from_ > 0.0 ? from_ : 0.0;
        if (v < MSHADOW_LIBM(exp)((top - x) * (top + x) / 2.0)) return x;
      } else {
        const double x = from_ - MSHADOW_LIBM(log1p)(-u) / rate_, beyond = x - rate_;
        if (x <= to_ && v < MSHADOW_LIBM(exp)(-beyond * beyond / 2.0)) return x;
      }
    }
  }
  MSHADOW_HOST_DEVICE double Within(double x) const { return x < a_ ? a_ : x > b_ ? b_ : x; }

  double mu_, scale_, a_, b_, from_, to_, rate_;
  Way way_;
};

}  // namespace rng
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_DISTRIBUTION_H_
