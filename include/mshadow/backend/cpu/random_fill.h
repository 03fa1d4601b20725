// SPDX-License-Identifier: Apache-2.0
// Fills memory with random numbers on all threads; core/philox.h says which element gets which.
//
// A variate is a struct that turns one Philox block into kPerBlock numbers of type Real at
// out[0], out[kChunkBlocks], ..., branch-free, and Finish(number, draw, element) into the
// element, with the same bits on every instruction set.
#ifndef MSHADOW_BACKEND_CPU_RANDOM_FILL_H_
#define MSHADOW_BACKEND_CPU_RANDOM_FILL_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../../core/distribution.h"
#include "../../core/dtype.h"
#include "../../core/normal.h"
#include "../../core/philox.h"
#include "../../simd/isa.h"
#include "../../simd/philox.h"
#include "threads.h"

namespace mshadow {
namespace rng {

/// `value` as a DType: real values in integers truncate and stop at the ends (NaN at the lower);
/// integers are in range already, negative ones in two's complement.
template <typename DType, typename Real>
MSHADOW_FORCE_INLINE DType ConvertTo(Real value) {
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

/// Memory seen as rows; of a tensor without padding, one row.
template <typename DType>
struct Rows {
  DType* dptr;
  std::ptrdiff_t size, cols, stride;

  /// Where element `first` lies, if the `count` elements from it on lie side by side; else nullptr.
  MSHADOW_FORCE_INLINE DType* Run(std::ptrdiff_t first, std::ptrdiff_t count) const {
    if (cols == size) return size - first >= count ? dptr + first : nullptr;
    const std::ptrdiff_t x = first % cols;
    return cols - x >= count ? dptr + first / cols * stride + x : nullptr;
  }
};

/// The chunks [begin, end) of a fill.
template <typename Variate, typename DType>
struct FillKernel {
  using Real = typename Variate::Real;
  Variate variate;
  Draw draw;
  Rows<DType> rows;
  std::ptrdiff_t begin, end;

  static constexpr int kChunk = kChunkBlocks * Variate::kPerBlock;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    std::uint32_t words[4 * kChunkBlocks];
    Real numbers[kChunk];
    for (std::ptrdiff_t chunk = begin; chunk < end; ++chunk) {
      // A multiple of 16, so that adding the lane does not carry.
      const std::uint64_t block = static_cast<std::uint64_t>(chunk) * kChunkBlocks;
      simd::PhiloxChunk<Isa>(draw, static_cast<std::uint32_t>(block),
                             static_cast<std::uint32_t>(block >> 32), words);
      MSHADOW_IVDEP
      for (int l = 0; l < kChunkBlocks; ++l) {
        variate(Block{words[l], words[16 + l], words[32 + l], words[48 + l]}, numbers + l);
      }
      const std::ptrdiff_t first = chunk * kChunk;
      if (DType* const to = rows.Run(first, kChunk)) {
        // The common case apart: with a constant count the loop is a few vector stores.
        MSHADOW_IVDEP
        for (int i = 0; i < kChunk; ++i) {
          to[i] = variate.template Finish<DType>(numbers[i], draw, first + i);
        }
      } else {
        Scatter(numbers, first);
      }
    }
  }

 private:
  /// A chunk that goes on in the next row, or ends early. Finish gives the same bits everywhere, so
  /// this is compiled once, not once an instruction set.
  MSHADOW_NOINLINE void Scatter(const Real* numbers, std::ptrdiff_t first) const {
    const std::ptrdiff_t count = rows.size - first < kChunk ? rows.size - first : kChunk;
    std::ptrdiff_t y = first / rows.cols, x = first % rows.cols;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      rows.dptr[y * rows.stride + x] = variate.template Finish<DType>(numbers[i], draw, first + i);
      if (++x == rows.cols) {
        x = 0;
        ++y;
      }
    }
  }
};

// Least work of a thread, about 10 us: at 2 to 5 ns an element, and at some 60 ns.
constexpr std::ptrdiff_t kFillGrain = 4096;
constexpr std::ptrdiff_t kElementGrain = 256;

inline namespace MSHADOW_THREADS_NAMESPACE {

/// rows[i] = the number that `variate` makes for element i.
template <typename Variate, typename DType>
inline void Fill(const Rows<DType>& rows, const Draw& draw, const Variate& variate) {
  using Kernel = FillKernel<Variate, DType>;
  if (rows.size == 0) return;
  const std::ptrdiff_t chunks = (rows.size + Kernel::kChunk - 1) / Kernel::kChunk;
  ParallelRanges(chunks, kFillGrain / Kernel::kChunk,
                 [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                   simd::Dispatch(Kernel{variate, draw, rows, begin, end});
                 });
}

/// rows[i] = sampler(&stream of element i).
template <typename Sampler, typename DType>
inline void FillEach(const Rows<DType>& rows, const Draw& draw, const Sampler& sampler) {
  ParallelRanges(rows.size, kElementGrain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      ElementStream stream(draw, static_cast<std::uint64_t>(i));
      rows.dptr[i / rows.cols * rows.stride + i % rows.cols] = ConvertTo<DType>(sampler(&stream));
    }
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// What variates over floating-point numbers share.
template <typename RealType>
struct RealVariate {
  using Real = RealType;
  /// Out of a block come four floats or two doubles.
  static constexpr int kPerBlock = sizeof(Real) == 4 ? 4 : 2;
  template <typename DType>
  MSHADOW_FORCE_INLINE DType Finish(Real value, const Draw&, std::ptrdiff_t) const {
    return ConvertTo<DType>(value);
  }
};

/// min(a + u width, last), u uniform in [0, 1): the same bits on every instruction set.
template <typename Real>
struct UniformVariate : RealVariate<Real> {
  Real a_, width_, last_;
  UniformVariate(Real a, Real width, Real last) : a_(a), width_(width), last_(last) {}
  MSHADOW_FORCE_INLINE Real Place(Real u) const {
    // The first limit holds anyway. It stands between product and sum, which the compilers would
    // else contract to one rounding on instruction sets with an FMA, and only there.
    const Real product = u * width_;
    const Real part = product < width_ ? product : width_;
    const Real value = a_ + part;
    return value < last_ ? value : last_;
  }
  MSHADOW_FORCE_INLINE void operator()(const Block& block, Real* out) const {
    if constexpr (sizeof(Real) == 4) {
      out[0] = Place(UniformFloat(block.w0));
      out[kChunkBlocks] = Place(UniformFloat(block.w1));
      out[2 * kChunkBlocks] = Place(UniformFloat(block.w2));
      out[3 * kChunkBlocks] = Place(UniformFloat(block.w3));
    } else {
      out[0] = Place(UniformDouble(block.w0, block.w1));
      out[kChunkBlocks] = Place(UniformDouble(block.w2, block.w3));
    }
  }
};

/// mu + sigma N(0, 1).
template <typename Real>
struct NormalVariate : RealVariate<Real> {
  Real mu_, sigma_;
  NormalVariate(Real mu, Real sigma) : mu_(mu), sigma_(sigma) {}
  MSHADOW_FORCE_INLINE void operator()(const Block& block, Real* out) const {
    if constexpr (sizeof(Real) == 4) {
      const NormalPair<float> p = Normal32(block.w0, block.w1);
      const NormalPair<float> q = Normal32(block.w2, block.w3);
      out[0] = mu_ + sigma_ * p.a;
      out[kChunkBlocks] = mu_ + sigma_ * p.b;
      out[2 * kChunkBlocks] = mu_ + sigma_ * q.a;
      out[3 * kChunkBlocks] = mu_ + sigma_ * q.b;
    } else {
      const NormalPair<double> p = Normal64(block);
      out[0] = mu_ + sigma_ * p.a;
      out[kChunkBlocks] = mu_ + sigma_ * p.b;
    }
  }
};

/// -ln U * scale.
template <typename Real>
struct ExponentialVariate : RealVariate<Real> {
  Real scale_;
  explicit ExponentialVariate(Real scale) : scale_(scale) {}
  MSHADOW_FORCE_INLINE void operator()(const Block& block, Real* out) const {
    if constexpr (sizeof(Real) == 4) {
      out[0] = scale_ * NegLogUniform32(block.w0);
      out[kChunkBlocks] = scale_ * NegLogUniform32(block.w1);
      out[2 * kChunkBlocks] = scale_ * NegLogUniform32(block.w2);
      out[3 * kChunkBlocks] = scale_ * NegLogUniform32(block.w3);
    } else {
      out[0] = scale_ * NegLogUniform64(block.w0, block.w1);
      out[kChunkBlocks] = scale_ * NegLogUniform64(block.w2, block.w3);
    }
  }
};

/// The words themselves.
struct WordVariate {
  using Real = std::uint32_t;
  static constexpr int kPerBlock = 4;
  MSHADOW_FORCE_INLINE void operator()(const Block& block, std::uint32_t* out) const {
    out[0] = block.w0;
    out[kChunkBlocks] = block.w1;
    out[2 * kChunkBlocks] = block.w2;
    out[3 * kChunkBlocks] = block.w3;
  }
  template <typename DType>
  MSHADOW_FORCE_INLINE DType Finish(std::uint32_t word, const Draw&, std::ptrdiff_t) const {
    return word;
  }
};

/// One of `range` <= 2^32 integers from lo on: UniformIntSampler with a word for an attempt. The
/// few words that it rejects (below one in 2^32 / range) are made up for by the element's stream.
struct IntVariate : WordVariate {
  std::uint64_t lo_, range_, threshold_;
  IntVariate(std::uint64_t lo, std::uint64_t range)
      : lo_(lo), range_(range), threshold_((std::uint64_t{1} << 32) % range) {}
  template <typename DType>
  MSHADOW_FORCE_INLINE DType Finish(std::uint32_t word, const Draw& draw,
                                    std::ptrdiff_t element) const {
    const std::uint64_t product = word * range_;
    if (static_cast<std::uint32_t>(product) < threshold_) {
      return static_cast<DType>(Again(draw, static_cast<std::uint64_t>(element)));
    }
    return static_cast<DType>(lo_ + (product >> 32));
  }
  MSHADOW_NOINLINE std::uint64_t Again(const Draw& draw, std::uint64_t element) const {
    ElementStream stream(draw, element);
    return UniformIntSampler(lo_, range_)(&stream);
  }
};

}  // namespace rng
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_CPU_RANDOM_FILL_H_
