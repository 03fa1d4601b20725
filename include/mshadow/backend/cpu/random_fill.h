// SPDX-License-Identifier: Apache-2.0
// Fills memory with random numbers on all threads; core/philox.h says which element gets which.
#ifndef MSHADOW_BACKEND_CPU_RANDOM_FILL_H_
#define MSHADOW_BACKEND_CPU_RANDOM_FILL_H_

#include <cstddef>
#include <cstdint>

#include "../../core/variate.h"
#include "../../simd/isa.h"
#include "../../simd/philox.h"
#include "../../tensor/random_base.h"
#include "threads.h"

MSHADOW_NAMESPACE_BEGIN
namespace rng {

/// The chunks [begin, end) of a fill. Element 0 of `rows` is element `base` of the draw.
template <typename Variate, typename DType>
struct FillKernel {
  using Real = typename Variate::Real;
  Variate variate;
  Draw draw;
  Rows<DType> rows;
  std::ptrdiff_t begin, end, base = 0;

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
      const std::ptrdiff_t first = chunk * kChunk - base;
      DType* const to = first >= 0 ? rows.Run(first, kChunk) : nullptr;
      if (to != nullptr) {
        // The common case apart: with a constant count the loop is a few vector stores.
        MSHADOW_IVDEP
        for (int i = 0; i < kChunk; ++i) {
          to[i] = variate.template Finish<DType>(numbers[i], draw, base + first + i);
        }
      } else {
        Scatter(numbers, first);
      }
    }
  }

 private:
  /// A chunk that goes on in the next row, begins late or ends early. Finish gives the same bits
  /// everywhere, so this is compiled once, not once an instruction set.
  MSHADOW_NOINLINE void Scatter(const Real* numbers, std::ptrdiff_t first) const {
    const std::ptrdiff_t count = rows.size - first < kChunk ? rows.size - first : kChunk;
    std::ptrdiff_t i = first < 0 ? -first : 0;
    std::ptrdiff_t y = (first + i) / rows.cols, x = (first + i) % rows.cols;
    for (; i < count; ++i) {
      rows.dptr[y * rows.stride + x] =
          variate.template Finish<DType>(numbers[i], draw, base + first + i);
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

/// rows[i] = the number that `variate` makes for element base + i, on this thread.
template <typename Variate, typename DType>
inline void FillPart(const Rows<DType>& rows, std::ptrdiff_t base, const Draw& draw,
                     const Variate& variate) {
  using Kernel = FillKernel<Variate, DType>;
  simd::Dispatch(Kernel{variate, draw, rows, base / Kernel::kChunk,
                        (base + rows.size + Kernel::kChunk - 1) / Kernel::kChunk, base});
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

}  // namespace rng

template <>
struct RandomFill<cpu> {
  template <typename DType, typename Variate>
  static void Fill(const rng::Rows<DType>& rows, const rng::Draw& draw, const Variate& variate,
                   Stream<cpu>*) {
    rng::Fill(rows, draw, variate);
  }
  template <typename DType, typename Variate>
  static void FillPart(const rng::Rows<DType>& rows, std::ptrdiff_t base, const rng::Draw& draw,
                       const Variate& variate) {
    rng::FillPart(rows, base, draw, variate);
  }
  template <typename DType, typename Sampler>
  static void FillEach(const rng::Rows<DType>& rows, const rng::Draw& draw, const Sampler& sampler,
                       Stream<cpu>*) {
    rng::FillEach(rows, draw, sampler);
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_RANDOM_FILL_H_
