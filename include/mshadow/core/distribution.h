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
  /// A number of a shape of 1 or more and scale 1; v is uniform.
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

}  // namespace rng
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_DISTRIBUTION_H_
