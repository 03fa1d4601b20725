// SPDX-License-Identifier: Apache-2.0
// What one thread of a random fill does; host functions too, so that tests run all of them.
#ifndef MSHADOW_BACKEND_GPU_RANDOM_BODY_H_
#define MSHADOW_BACKEND_GPU_RANDOM_BODY_H_

#include "../../core/variate.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// Where element i lies.
template <typename DType>
MSHADOW_XINLINE DType* At(const rng::Rows<DType>& rows, std::ptrdiff_t i) {
  if (rows.cols == rows.size) return rows.dptr + i;
  const std::ptrdiff_t y = i / rows.cols;
  return rows.dptr + y * rows.stride + (i - y * rows.cols);
}

/// Each thread makes the numbers of one Philox block, then of others; neighbours store side by
/// side.
template <typename Variate, typename DType>
struct FillBody {
  Variate variate;
  rng::Draw draw;
  rng::Rows<DType> rows;

  static constexpr std::ptrdiff_t kChunk = rng::kChunkBlocks * Variate::kPerBlock;

  MSHADOW_XINLINE std::ptrdiff_t Blocks() const {
    return (rows.size + kChunk - 1) / kChunk * rng::kChunkBlocks;
  }
  MSHADOW_XINLINE void operator()(std::ptrdiff_t thread, std::ptrdiff_t threads) const {
    for (std::ptrdiff_t block = thread; block < Blocks(); block += threads) {
      typename Variate::Real numbers[Variate::kPerBlock];
      variate.template operator()<1>(
          draw.At(static_cast<std::uint32_t>(block),
                  static_cast<std::uint32_t>(static_cast<std::uint64_t>(block) >> 32), 0),
          numbers);
      const std::ptrdiff_t first =
          block / rng::kChunkBlocks * kChunk + block % rng::kChunkBlocks;
      for (int k = 0; k < Variate::kPerBlock; ++k) {
        const std::ptrdiff_t i = first + k * rng::kChunkBlocks;
        if (i < rows.size) *At(rows, i) = variate.template Finish<DType>(numbers[k], draw, i);
      }
    }
  }
};

/// Each thread samples one element, then others.
template <typename Sampler, typename DType>
struct FillEachBody {
  Sampler sampler;
  rng::Draw draw;
  rng::Rows<DType> rows;

  MSHADOW_XINLINE void operator()(std::ptrdiff_t thread, std::ptrdiff_t threads) const {
    for (std::ptrdiff_t i = thread; i < rows.size; i += threads) {
      rng::ElementStream stream(draw, static_cast<std::uint64_t>(i));
      *At(rows, i) = rng::ConvertTo<DType>(sampler(&stream));
    }
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_RANDOM_BODY_H_
