// SPDX-License-Identifier: Apache-2.0
// Samplers of <mshadow/random.h>, which tensor.h does without: beta, binomial, categorical,
// multinomial and truncated normal numbers.
#ifndef MSHADOW_CORE_SAMPLERS_H_
#define MSHADOW_CORE_SAMPLERS_H_

#include "distribution.h"

MSHADOW_NAMESPACE_BEGIN
namespace rng {

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

/// Normal of mean mu and standard deviation sigma > 0, given that it lies in [a, b]; a may be
/// -infinity, b infinity. C. Robert, "Simulation of truncated normal variables", Statistics
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
      const double least =
          1.6487212707 / rate_ * MSHADOW_LIBM(exp)((from_ * from_ - from_ * root) / 4.0);
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
      const double x = -MSHADOW_LIBM(log1p)(u * MSHADOW_LIBM(expm1)(-from_ * width)) / from_;
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
#endif  // MSHADOW_CORE_SAMPLERS_H_
