// SPDX-License-Identifier: Apache-2.0
// What Random<Device, DType> does on every device; RandomFill<Device> brings the loops.
#ifndef MSHADOW_TENSOR_RANDOM_BASE_H_
#define MSHADOW_TENSOR_RANDOM_BASE_H_

#include <limits>
#include <type_traits>

#include "../core/bit_cast.h"
#include "../core/libmvec.h"
#include "../core/variate.h"
#include "container.h"
#include "random.h"
#include "random_numbers.h"

MSHADOW_NAMESPACE_BEGIN

// Defined in core/samplers.h, of <mshadow/random.h>.
namespace rng {
class BetaSampler;
class BinomialSampler;
class TruncatedNormalSampler;
template <typename Weight>
struct CategoricalSampler;
template <typename Weight, typename DType>
struct MultinomialSampler;
}  // namespace rng

namespace detail {

/// The type that numbers for a DType are computed in.
template <typename DType>
using RandomReal =
    std::conditional_t<std::is_same_v<DType, float> || float16::kIsFloat16<DType>, float, double>;

/// The largest DType below `end`, a finite DType.
template <typename DType>
inline RandomReal<DType> LastBelow(RandomReal<DType> end) {
  if constexpr (float16::kIsFloat16<DType>) {
    const std::uint16_t bits = BitCast<std::uint16_t>(static_cast<DType>(end));
    const std::uint16_t below = (bits & 0x7FFF) == 0   ? 0x8001
                                : (bits & 0x8000) != 0 ? static_cast<std::uint16_t>(bits + 1)
                                                       : static_cast<std::uint16_t>(bits - 1);
    return static_cast<float>(BitCast<DType>(below));
  } else if constexpr (std::is_same_v<DType, float>) {
    return MSHADOW_HOST_LIBM(nextafterf)(end, std::numeric_limits<float>::lowest());
  } else {
    return MSHADOW_HOST_LIBM(nextafter)(end, std::numeric_limits<double>::lowest());
  }
}

/// `value` as an integer of type DType; throws Error where it is none.
template <typename DType, typename T>
inline DType IntegerArgument(const char* name, const T& value) {
  DType result = DType();
  bool fits = true;
  if constexpr (std::is_integral_v<T>) {
    result = static_cast<DType>(value);
    fits = static_cast<T>(result) == value && (result < DType(0)) == (value < T(0));
  } else {
    const double real = static_cast<double>(value);
    // One past the upper end is a power of two, hence exact.
    const double end = 2.0 * (static_cast<double>((std::numeric_limits<DType>::max)() / 2) + 1.0);
    fits = real >= static_cast<double>((std::numeric_limits<DType>::min)()) && real < end;
    if (fits) result = static_cast<DType>(real);
  }
  MSHADOW_CHECK(fits) << "SampleUniform: " << name << " = " << value
              << " does not fit the tensor's element type";
  return result;
}

}  // namespace detail

/// A source of random numbers. Every member that samples starts a new draw; what it writes depends
/// on the seed and the number of draws since Seed() alone, and is the same on every device. One
/// object serves one host thread; its fills use all of the device.
///
/// Uniform and integer numbers are the same bits on every instruction set and device; normal and
/// exponential ones agree to 1e-6 of the radius or better, see core/normal.h.
///
/// Destinations are tensors or containers of any rank; padding is not touched. Arguments may be of
/// any arithmetic type. Integer tensors get real values truncated, and stopped at the type's ends.
template <typename Device, typename DType>
class RandomBase {
 public:
  RandomBase(const RandomBase&) = delete;
  RandomBase& operator=(const RandomBase&) = delete;

  unsigned GetSeed() const { return seed_; }

  /// dst[i] = 32 random bits.
  void GetRandInt(const Tensor<Device, 1, unsigned>& dst) { Fill(dst, rng::WordVariate()); }

  /// Real element types: uniform on [a, b), steps of (b - a) 2^-24 or, for double, 2^-53.
  /// Integer ones: the integers a, ..., b, both included.
  /// Throws Error unless a <= b and, for integers, both fit the type.
  template <int dim, typename A = DType, typename B = DType>
  void SampleUniform(Tensor<Device, dim, DType>* dst, A a = A(0), B b = B(1)) {
    if constexpr (std::is_integral_v<DType>) {
      const auto lo = static_cast<std::uint64_t>(detail::IntegerArgument<DType>("a", a));
      const auto hi = static_cast<std::uint64_t>(detail::IntegerArgument<DType>("b", b));
      MSHADOW_CHECK(static_cast<DType>(lo) <= static_cast<DType>(hi))
          << "SampleUniform: a <= b is needed, not a = " << a << ", b = " << b;
      const std::uint64_t range = hi - lo + 1;  // 0: all 2^64
      if (range != 0 && range <= std::uint64_t{1} << 32) {
        Fill(*dst, rng::IntVariate(lo, range));
      } else {
        FillEach(*dst, rng::UniformIntSampler(lo, range));
      }
    } else {
      const Real from = static_cast<Real>(static_cast<DType>(a));
      const Real to = static_cast<Real>(static_cast<DType>(b));
      const Real width = to - from;
      MSHADOW_CHECK(width >= Real(0) && width <= (std::numeric_limits<Real>::max)())
          << "SampleUniform: a <= b and a finite b - a are needed, not a = " << a << ", b = " << b;
      const Real last = width > Real(0) ? detail::LastBelow<DType>(to) : from;
      Fill(*dst, rng::UniformVariate<Real>(from, width, last));
    }
  }

  /// Normal of mean mu and standard deviation sigma; sigma <= 0 gives mu.
  template <int dim, typename A = DType, typename B = DType>
  void SampleGaussian(Tensor<Device, dim, DType>* dst, A mu = A(0), B sigma = B(1)) {
    Fill(*dst, NormalOf(mu, sigma));
  }

  /// Gamma of shape alpha > 0 and scale beta > 0: mean alpha beta.
  template <int dim, typename A, typename B>
  void SampleGamma(Tensor<Device, dim, DType>* dst, A alpha, B beta) {
    CheckPositive("SampleGamma", "alpha", alpha);
    CheckPositive("SampleGamma", "beta", beta);
    FillEach(*dst, rng::GammaSampler(static_cast<double>(alpha), static_cast<double>(beta)));
  }

  /// Exponential of rate lambda > 0: mean 1 / lambda.
  template <int dim, typename A>
  void SampleExponential(Tensor<Device, dim, DType>* dst, A lambda) {
    CheckPositive("SampleExponential", "lambda", lambda);
    Fill(*dst, rng::ExponentialVariate<Real>(Real(1) / static_cast<Real>(lambda)));
  }

  /// Poisson of mean lambda >= 0.
  template <int dim, typename A>
  void SamplePoisson(Tensor<Device, dim, DType>* dst, A lambda) {
    CheckPositive("SamplePoisson", "lambda", lambda, true);
    FillEach(*dst, rng::PoissonSampler(static_cast<double>(lambda)));
  }

  /// Failures before the k-th success, each trial a success with probability p:
  /// k > 0, 0 < p <= 1, mean k (1 - p) / p.
  template <int dim, typename A, typename B>
  void SampleNegativeBinomial(Tensor<Device, dim, DType>* dst, A k, B p) {
    CheckPositive("SampleNegativeBinomial", "k", k);
    CheckPositive("SampleNegativeBinomial", "p", p);
    MSHADOW_CHECK(static_cast<double>(p) <= 1.0)
        << "SampleNegativeBinomial: p <= 1 is needed, not p = " << p;
    FillEach(*dst, rng::GammaPoissonSampler::NegativeBinomial(static_cast<double>(k),
                                                              static_cast<double>(p)));
  }

  /// Poisson of a gamma variate: mean mu >= 0, variance mu + alpha mu^2, alpha >= 0.
  template <int dim, typename A, typename B>
  void SampleGeneralizedNegativeBinomial(Tensor<Device, dim, DType>* dst, A mu, B alpha) {
    CheckPositive("SampleGeneralizedNegativeBinomial", "mu", mu, true);
    CheckPositive("SampleGeneralizedNegativeBinomial", "alpha", alpha, true);
    // Below 1e-300, 1 / alpha is no number any more, and the gamma variate is mu.
    if (static_cast<double>(alpha) < 1e-300) return SamplePoisson(dst, mu);
    FillEach(*dst, rng::GammaPoissonSampler::Generalized(static_cast<double>(mu),
                                                         static_cast<double>(alpha)));
  }

  /// 1 with probability p, a multiple of 2^-32, else 0. Throws Error unless 0 <= p <= 1.
  template <int dim>
  void SampleBernoulli(Tensor<Device, dim, DType>* dst, double p) {
    CheckProbability("SampleBernoulli", p);
    Fill(*dst, rng::BernoulliVariate(p));
  }

  /// Beta of shapes alpha > 0 and beta > 0: in [0, 1], mean alpha / (alpha + beta).
  template <int dim, typename A, typename B>
  void SampleBeta(Tensor<Device, dim, DType>* dst, A alpha, B beta) {
    CheckPositive("SampleBeta", "alpha", alpha);
    CheckPositive("SampleBeta", "beta", beta);
    FillEach(*dst, Later<A, rng::BetaSampler>(static_cast<double>(alpha), static_cast<double>(beta)));
  }

  /// Successes in n trials that succeed with probability p each: n a whole number from 0 to 2^53,
  /// 0 <= p <= 1, mean n p.
  template <int dim, typename A>
  void SampleBinomial(Tensor<Device, dim, DType>* dst, A n, double p) {
    CheckCount("SampleBinomial", n);
    CheckProbability("SampleBinomial", p);
    FillEach(*dst, Later<A, rng::BinomialSampler>(static_cast<double>(n), p));
  }

  /// Each row of dst, of k numbers: how often each of k indices occurs in n draws, each an index
  /// with a probability in proportion to its weight; the sum is n. Throws Error where there are not
  /// k weights, and for weights as SampleCategorical.
  template <int dim, typename A, typename Weight>
  void SampleMultinomial(Tensor<Device, dim, DType>* dst, A n,
                         const Tensor<Device, 1, Weight>& weights) {
    CheckCount("SampleMultinomial", n);
    MSHADOW_CHECK(dst->shape_[dim - 1] == weights.shape_[0])
        << "SampleMultinomial: rows need as many numbers as there are weights: dst "
        << dst->shape_ << ", weights " << weights.shape_;
    CheckWeights("SampleMultinomial", weights.dptr_, 1, weights.shape_[0], 0);
    const rng::Draw draw = rng::Draw::Of(seed_, draws_++);
    const rng::Rows<DType> all = RowsOf(*dst);
    if (all.size == 0) return;
    const std::ptrdiff_t k = static_cast<std::ptrdiff_t>(weights.shape_[0]);
    const std::ptrdiff_t stride = all.cols == all.size ? k : all.stride;
    const rng::MultinomialSampler<Weight, DType> sampler{weights.dptr_, k, static_cast<double>(n),
                                                         dst->dptr_, stride};
    RandomFill<Device>::FillEach(rng::Rows<DType>{dst->dptr_, all.size / k, 1, stride},
                                 draw, sampler,
                                 stream_ != nullptr ? stream_ : dst->stream_);
  }

  /// An index of the weights, with a probability in proportion to its weight. Takes a pass over the
  /// weights for each element. Throws Error on the host unless weights are finite, 0 or more, and
  /// one of them more than 0; on other devices, what is no positive number counts as 0.
  template <int dim, typename Weight>
  void SampleCategorical(Tensor<Device, dim, DType>* dst,
                         const Tensor<Device, 1, Weight>& weights) {
    CheckWeights("SampleCategorical", weights.dptr_, 1, weights.shape_[0], 0);
    FillEach(*dst, rng::CategoricalSampler<Weight>{
                       weights.dptr_, static_cast<std::ptrdiff_t>(weights.shape_[0]), 0, 1});
  }
  /// The same with row i of the weights for dst[i], a number, a row, .. . Throws Error, too,
  /// where there are not as many rows.
  template <int dim, typename Weight>
  void SampleCategorical(Tensor<Device, dim, DType>* dst,
                         const Tensor<Device, 2, Weight>& weights) {
    MSHADOW_CHECK(dst->shape_[0] == weights.shape_[0])
        << "SampleCategorical: a row of weights for each index of the first axis is needed: dst "
        << dst->shape_ << ", weights " << weights.shape_;
    CheckWeights("SampleCategorical", weights.dptr_, weights.shape_[0], weights.shape_[1],
                 weights.stride_);
    const index_t rows = dst->shape_[0] == 0 ? 1 : dst->shape_[0];
    FillEach(*dst, rng::CategoricalSampler<Weight>{
                       weights.dptr_, static_cast<std::ptrdiff_t>(weights.shape_[1]),
                       static_cast<std::ptrdiff_t>(weights.stride_),
                       static_cast<std::uint64_t>(dst->shape_.CheckedSize() / rows)});
  }

  /// Normal of mean mu and standard deviation sigma > 0, given that it lies in [a, b]; a may be
  /// -infinity, b infinity. Throws Error unless mu is finite and a <= b.
  template <int dim>
  void SampleTruncatedGaussian(Tensor<Device, dim, DType>* dst, double mu, double sigma, double a,
                               double b) {
    constexpr double kMost = (std::numeric_limits<double>::max)();
    CheckPositive("SampleTruncatedGaussian", "sigma", sigma);
    MSHADOW_CHECK(mu >= -kMost && mu <= kMost && a <= b && a <= kMost && b >= -kMost)
        << "SampleTruncatedGaussian: a finite mu and a <= b are needed, not mu = " << mu
        << ", a = " << a << ", b = " << b;
    if constexpr (!std::is_integral_v<DType>) {  // so that no number is rounded to one beyond
      a = static_cast<double>(static_cast<DType>(static_cast<Real>(a)));
      b = static_cast<double>(static_cast<DType>(static_cast<Real>(b)));
    }
    FillEach(*dst, Later<Shape<dim>, rng::TruncatedNormalSampler>(mu, sigma, a, b));
  }

  /// Random numbers as an operand that needs no memory: the same ones at each evaluation, in any
  /// order and on any number of threads. It may outlive the Random.
  template <typename Variate, int dim>
  using Numbers = expr::RandomExp<Device, Variate, dim, DType>;

  /// The numbers of SampleUniform(&t), on [0, 1), as an expression of this shape (integer types: 0
  /// or 1). A call is a draw of its own, wherever and how often its result stands.
  template <int dim>
  auto uniform(const Shape<dim>& shape) {
    if constexpr (std::is_integral_v<DType>) {
      return Drawn(rng::IntVariate(0, 2), shape);
    } else {
      const Real last = detail::LastBelow<DType>(Real(1));
      return Drawn(rng::UniformVariate<Real>(Real(0), Real(1), last), shape);
    }
  }
  /// The same of SampleGaussian: mu + sigma N(0, 1).
  template <int dim, typename A = DType, typename B = DType>
  auto gaussian(const Shape<dim>& shape, A mu = A(0), B sigma = B(1)) {
    return Drawn(NormalOf(mu, sigma), shape);
  }
  /// The same of SampleBernoulli: 1 with probability p, else 0.
  template <int dim>
  auto bernoulli(const Shape<dim>& shape, double p) {
    CheckProbability("bernoulli", p);
    return Drawn(rng::BernoulliVariate(p), shape);
  }

  /// The numbers in a buffer, which the next call overwrites.
  template <typename Variate, int dim>
  Tensor<Device, 1, DType> InMemory(const Numbers<Variate, dim>& numbers) {
    buffer_.Resize(Shape1(numbers.shape_.Size()));
    RandomFill<Device>::Fill(RowsOf(buffer_), numbers.draw_, numbers.variate_, stream_);
    return buffer_;
  }

  /// Sampler, which must be defined where a member is instantiated with T, not here.
  template <typename T, typename Sampler>
  using Later = typename std::conditional_t<sizeof(T) != 0, std::remove_const<Sampler>, T>::type;

 protected:
  explicit RandomBase(int seed) { Restart(seed); }
  ~RandomBase() = default;

  void Restart(int seed) {
    seed_ = static_cast<unsigned>(seed);
    draws_ = 0;
  }
  /// Fills run on `stream` from here on; on null each runs on the stream of its destination.
  void RunOn(Stream<Device>* stream) { stream_ = stream; }

  template <int dim, typename T>
  static rng::Rows<T> RowsOf(const Tensor<Device, dim, T>& t) {
    const Shape<2> shape = t.shape_.CheckedFlatTo2D();
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    const std::ptrdiff_t stride = dim == 1 ? cols : static_cast<std::ptrdiff_t>(t.stride_);
    if (rows <= 1 || stride == cols) return {t.dptr_, rows * cols, rows * cols, rows * cols};
    return {t.dptr_, rows * cols, cols, stride};
  }

 private:
  template <int dim, typename T, typename Variate>
  void Fill(const Tensor<Device, dim, T>& dst, const Variate& variate) {
    RandomFill<Device>::Fill(RowsOf(dst), rng::Draw::Of(seed_, draws_++), variate,
                             stream_ != nullptr ? stream_ : dst.stream_);
  }
  template <int dim, typename T, typename Sampler>
  void FillEach(const Tensor<Device, dim, T>& dst, const Sampler& sampler) {
    RandomFill<Device>::FillEach(RowsOf(dst), rng::Draw::Of(seed_, draws_++), sampler,
                                 stream_ != nullptr ? stream_ : dst.stream_);
  }

  using Real = detail::RandomReal<DType>;

  template <typename T>
  static void CheckPositive(const char* function, const char* name, const T& value,
                            bool or_zero = false) {
    const double x = static_cast<double>(value);
    MSHADOW_CHECK((or_zero ? x >= 0.0 : x > 0.0) && x <= (std::numeric_limits<double>::max)())
        << function << ": a finite " << name << (or_zero ? " >= 0" : " > 0") << " is needed, not "
        << name << " = " << value;
  }

  template <typename T>
  static void CheckCount(const char* function, const T& n) {
    const double x = static_cast<double>(n);
    MSHADOW_CHECK(x >= 0.0 && x <= 0x1p53 && x == MSHADOW_HOST_LIBM(floor)(x))
        << function << ": a whole number n from 0 to 2^53 is needed, not n = " << n;
  }
  template <typename Weight>
  static void CheckWeights([[maybe_unused]] const char* function,
                           [[maybe_unused]] const Weight* weights, [[maybe_unused]] index_t rows,
                           [[maybe_unused]] index_t count, [[maybe_unused]] index_t stride) {
    if constexpr (Device::kDevCPU) {
      for (index_t y = 0; y < rows; ++y) {
        double total = 0.0;
        for (index_t j = 0; j < count; ++j) {
          const double weight = static_cast<double>(weights[y * stride + j]);
          MSHADOW_CHECK(weight >= 0.0 && weight <= (std::numeric_limits<double>::max)())
              << function << ": weight " << j << " of row " << y << " is " << weight
              << "; it must be finite, 0 or more";
          total += weight;
        }
        MSHADOW_CHECK(total > 0.0 && total <= (std::numeric_limits<double>::max)())
            << function << ": one of the " << count << " weights of row " << y
            << " must be more than 0, and their sum be finite";
      }
    }
  }
  static void CheckProbability(const char* function, double p) {
    MSHADOW_CHECK(p >= 0.0 && p <= 1.0)
        << function << ": 0 <= p <= 1 is needed, not p = " << p;
  }

  template <typename A, typename B>
  static rng::NormalVariate<Real> NormalOf(A mu, B sigma) {
    const Real scale = static_cast<Real>(sigma);
    return {static_cast<Real>(mu), scale <= Real(0) ? Real(0) : scale};
  }
  template <typename Variate, int dim>
  Numbers<Variate, dim> Drawn(const Variate& variate, const Shape<dim>& shape) {
    const Numbers<Variate, dim> numbers(variate, rng::Draw::Of(seed_, draws_), shape, this);
    ++draws_;  // not of a shape that is too large
    return numbers;
  }

  unsigned seed_ = 0;
  std::uint64_t draws_ = 0;
  Stream<Device>* stream_ = nullptr;
  TensorContainer<Device, 1, DType> buffer_;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_RANDOM_BASE_H_
