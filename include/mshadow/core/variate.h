// SPDX-License-Identifier: Apache-2.0
// From Philox blocks to the elements of a tensor, on every device.
//
// A variate is a struct that turns one Philox block into kPerBlock numbers of type Real at
// out[0], out[step], ..., branch-free, and Finish(number, draw, element) into the element, with the
// same bits on every instruction set.
#ifndef MSHADOW_CORE_VARIATE_H_
#define MSHADOW_CORE_VARIATE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "distribution.h"
#include "dtype.h"
#include "normal.h"
#include "philox.h"

MSHADOW_NAMESPACE_BEGIN
namespace rng {

/// Memory seen as rows; of a tensor without padding, one row.
template <typename DType>
struct Rows {
  DType* dptr;
  std::ptrdiff_t size, cols, stride;

  /// Where element `first` lies, if the `count` elements from it on are contiguous; else nullptr.
  MSHADOW_XINLINE DType* Run(std::ptrdiff_t first, std::ptrdiff_t count) const {
    if (cols == size) return size - first >= count ? dptr + first : nullptr;
    const std::ptrdiff_t x = first % cols;
    return cols - x >= count ? dptr + first / cols * stride + x : nullptr;
  }
};

/// What variates over floating-point numbers share.
template <typename RealType>
struct RealVariate {
  using Real = RealType;
  /// Out of a block come four floats or two doubles.
  static constexpr int kPerBlock = sizeof(Real) == 4 ? 4 : 2;
  template <typename DType>
  MSHADOW_XINLINE DType Finish(Real value, const Draw&, std::ptrdiff_t) const {
    return ConvertTo<DType>(value);
  }
};

/// min(a + u width, last), u uniform in [0, 1): the same bits on every instruction set.
template <typename Real>
struct UniformVariate : RealVariate<Real> {
  Real a_, width_, last_;
  UniformVariate(Real a, Real width, Real last) : a_(a), width_(width), last_(last) {}
  MSHADOW_XINLINE Real Place(Real u) const {
    // The first limit holds anyway. It stands between product and sum, which the compilers would
    // else contract to one rounding on instruction sets with an FMA, and only there.
    const Real product = u * width_;
    const Real part = product < width_ ? product : width_;
    const Real value = a_ + part;
    return value < last_ ? value : last_;
  }
  template <int step = kChunkBlocks>
  MSHADOW_XINLINE void operator()(const Block& block, Real* out) const {
    if constexpr (sizeof(Real) == 4) {
      out[0] = Place(UniformFloat(block.w0));
      out[step] = Place(UniformFloat(block.w1));
      out[2 * step] = Place(UniformFloat(block.w2));
      out[3 * step] = Place(UniformFloat(block.w3));
    } else {
      out[0] = Place(UniformDouble(block.w0, block.w1));
      out[step] = Place(UniformDouble(block.w2, block.w3));
    }
  }
};

/// mu + sigma N(0, 1).
template <typename Real>
struct NormalVariate : RealVariate<Real> {
  Real mu_, sigma_;
  NormalVariate(Real mu, Real sigma) : mu_(mu), sigma_(sigma) {}
  template <int step = kChunkBlocks>
  MSHADOW_XINLINE void operator()(const Block& block, Real* out) const {
    if constexpr (sizeof(Real) == 4) {
      const NormalPair<float> p = Normal32(block.w0, block.w1);
      const NormalPair<float> q = Normal32(block.w2, block.w3);
      out[0] = mu_ + sigma_ * p.a;
      out[step] = mu_ + sigma_ * p.b;
      out[2 * step] = mu_ + sigma_ * q.a;
      out[3 * step] = mu_ + sigma_ * q.b;
    } else {
      const NormalPair<double> p = Normal64(block);
      out[0] = mu_ + sigma_ * p.a;
      out[step] = mu_ + sigma_ * p.b;
    }
  }
};

/// -ln U * scale.
template <typename Real>
struct ExponentialVariate : RealVariate<Real> {
  Real scale_;
  explicit ExponentialVariate(Real scale) : scale_(scale) {}
  template <int step = kChunkBlocks>
  MSHADOW_XINLINE void operator()(const Block& block, Real* out) const {
    if constexpr (sizeof(Real) == 4) {
      out[0] = scale_ * NegLogUniform32(block.w0);
      out[step] = scale_ * NegLogUniform32(block.w1);
      out[2 * step] = scale_ * NegLogUniform32(block.w2);
      out[3 * step] = scale_ * NegLogUniform32(block.w3);
    } else {
      out[0] = scale_ * NegLogUniform64(block.w0, block.w1);
      out[step] = scale_ * NegLogUniform64(block.w2, block.w3);
    }
  }
};

/// The words themselves.
struct WordVariate {
  using Real = std::uint32_t;
  static constexpr int kPerBlock = 4;
  template <int step = kChunkBlocks>
  MSHADOW_XINLINE void operator()(const Block& block, std::uint32_t* out) const {
    out[0] = block.w0;
    out[step] = block.w1;
    out[2 * step] = block.w2;
    out[3 * step] = block.w3;
  }
  template <typename DType>
  MSHADOW_XINLINE DType Finish(std::uint32_t word, const Draw&, std::ptrdiff_t) const {
    return word;
  }
};

/// 1 with probability p, a multiple of 2^-32, else 0.
struct BernoulliVariate : WordVariate {
  std::uint32_t last_, any_;
  /// 0 <= p <= 1.
  explicit BernoulliVariate(double p) {
    const auto count = static_cast<std::uint64_t>(p * 0x1p32 + 0.5);
    any_ = count != 0;
    last_ = static_cast<std::uint32_t>(count - any_);
  }
  template <typename DType>
  MSHADOW_XINLINE DType Finish(std::uint32_t word, const Draw&, std::ptrdiff_t) const {
    const std::uint32_t one = static_cast<std::uint32_t>(word <= last_) & any_;
    return static_cast<DType>(static_cast<std::int32_t>(one));
  }
};

/// One of `range` <= 2^32 integers from lo on: UniformIntSampler with a word for an attempt. The
/// few words that it rejects (below one in 2^32 / range) are made up for by the element's stream.
struct IntVariate : WordVariate {
  std::uint64_t lo_, range_, threshold_;
  IntVariate(std::uint64_t lo, std::uint64_t range)
      : lo_(lo), range_(range), threshold_((std::uint64_t{1} << 32) % range) {}
  template <typename DType>
  MSHADOW_XINLINE DType Finish(std::uint32_t word, const Draw& draw,
                                    std::ptrdiff_t element) const {
    const std::uint64_t product = word * range_;
    if (static_cast<std::uint32_t>(product) < threshold_) {
      return static_cast<DType>(Again(draw, static_cast<std::uint64_t>(element)));
    }
    return static_cast<DType>(lo_ + (product >> 32));
  }
  MSHADOW_HOST_DEVICE MSHADOW_NOINLINE std::uint64_t Again(const Draw& draw,
                                                           std::uint64_t element) const {
    ElementStream stream(draw, element);
    return UniformIntSampler(lo_, range_)(&stream);
  }
};

/// Element i of a draw, of the block that holds it.
template <typename DType, typename Variate>
MSHADOW_XINLINE DType ElementOf(const Variate& variate, const Draw& draw, std::ptrdiff_t i) {
  constexpr int kPerBlock = Variate::kPerBlock;
  const auto element = static_cast<std::uint64_t>(i);
  const std::uint64_t block =
      element / (kChunkBlocks * kPerBlock) * kChunkBlocks + element % kChunkBlocks;
  const int number = static_cast<int>(element / kChunkBlocks % kPerBlock);
  typename Variate::Real numbers[kPerBlock];
  variate.template operator()<1>(
      draw.At(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0),
      numbers);
  typename Variate::Real value = numbers[0];
  for (int k = 1; k < kPerBlock; ++k) value = k == number ? numbers[k] : value;  // in registers
  return variate.template Finish<DType>(value, draw, i);
}

}  // namespace rng
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_VARIATE_H_
