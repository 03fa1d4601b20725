// SPDX-License-Identifier: Apache-2.0
// Softmax on the host: the passes over a row find it in the cache.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_SOFTMAX_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_SOFTMAX_H_

#include "../../../expr/plan/row_lanes.h"
#include "../../../op/elementary.h"
#include "../../../op/long_sum.h"
#include "../../../op/reducer.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Row pointer as a cursor.
template <typename DType>
struct RowPointer {
  const DType* row;
  MSHADOW_FORCE_INLINE DType Eval(std::ptrdiff_t x) const { return row[x]; }
};

/// exp(row[x] - shift), shift the largest element
template <typename Acc, typename DType>
struct ShiftedExp {
  const DType* row;
  Acc shift;
  MSHADOW_FORCE_INLINE Acc Eval(std::ptrdiff_t x) const {
    return op::exp::Map(static_cast<Acc>(static_cast<Acc>(row[x]) - shift));
  }
};

/// Rows [begin, end): dst[y] = softmax(src[y]).
template <typename DType>
struct SoftmaxKernel {
  DType* dst;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, cols;
  std::ptrdiff_t begin, end;

  using Acc = Accumulator<DType>;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    const std::ptrdiff_t n = cols;
    for (std::ptrdiff_t y = begin; y < end; ++y) {
      const DType* const from = src + y * src_stride;
      DType* const to = dst + y * dst_stride;
      const Acc most = expr::detail::ReduceRow<red::maximum, Acc>(RowPointer<DType>{from}, 0, n);
      const ShiftedExp<Acc, DType> row{from, most};
      if constexpr (std::is_same_v<Acc, DType>) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = 0; x < n; ++x) to[x] = row.Eval(x);
        const Acc scale = 1 / expr::detail::ReduceRow<red::sum, Acc>(RowPointer<DType>{to}, 0, n);
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = 0; x < n; ++x) to[x] *= scale;
      } else {
        // Rounded once, at the end: exponentials are computed twice.
        const Acc scale = 1 / expr::detail::ReduceRow<red::sum, Acc>(row, 0, n);
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = 0; x < n; ++x) to[x] = static_cast<DType>(row.Eval(x) * scale);
      }
    }
  }
};

/// dst[n][c][x] = softmax over c of src[n][c][x], for columns [begin, end) of the n * cols columns
/// (n, x).
template <typename DType>
struct SoftmaxChannelsKernel {
  DType* dst;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, channels, cols;
  std::ptrdiff_t begin, end;

  using Acc = Accumulator<DType>;
  static constexpr std::ptrdiff_t kBlock = 256;

  MSHADOW_FORCE_INLINE void Block(const DType* from, DType* to, std::ptrdiff_t n) const {
    Acc most[kBlock], sum[kBlock];
    red::WideSum<Acc> total[kBlock];
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      most[x] = red::InitValue<red::maximum, Acc>();
      sum[x] = 0;
      total[x] = 0;
    }
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      const DType* const row = from + c * src_stride;
      MSHADOW_IVDEP
      for (std::ptrdiff_t x = 0; x < n; ++x) {
        most[x] = red::maximum::Combine(most[x], static_cast<Acc>(row[x]));
      }
    }
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      if (c > 0 && c % red::kSumBlock == 0) red::FlushSums(sum, n, total);
      const DType* const row = from + c * src_stride;
      MSHADOW_IVDEP
      for (std::ptrdiff_t x = 0; x < n; ++x) {
        sum[x] += op::exp::Map(static_cast<Acc>(static_cast<Acc>(row[x]) - most[x]));
      }
    }
    if (channels > red::kSumBlock) {
      red::FlushSums(sum, n, total);
      for (std::ptrdiff_t x = 0; x < n; ++x) sum[x] = static_cast<Acc>(total[x]);
    }
    MSHADOW_IVDEP
    for (std::ptrdiff_t x = 0; x < n; ++x) sum[x] = 1 / sum[x];
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      const DType* const row = from + c * src_stride;
      DType* const out = to + c * dst_stride;
      MSHADOW_IVDEP
      for (std::ptrdiff_t x = 0; x < n; ++x) {
        const Acc e = op::exp::Map(static_cast<Acc>(static_cast<Acc>(row[x]) - most[x]));
        out[x] = static_cast<DType>(e * sum[x]);
      }
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = begin; i < end;) {
      const std::ptrdiff_t image = i / cols;
      const std::ptrdiff_t x = i - image * cols;
      std::ptrdiff_t n = cols - x < end - i ? cols - x : end - i;
      if (n > kBlock) n = kBlock;
      Block(src + image * channels * src_stride + x, dst + image * channels * dst_stride + x, n);
      i += n;
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_SOFTMAX_H_
