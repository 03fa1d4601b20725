// SPDX-License-Identifier: Apache-2.0
// Adding rows of a matrix to the rows of another that an index names.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_ADD_ROWS_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_ADD_ROWS_H_

#include "../../../core/dtype.h"
#include "../../../extension/row_sums.h"
#include "../../../op/long_sum.h"
#include "../../../op/math/convert.h"
#include "../../../op/math/wrap.h"
#include "../../../simd/isa.h"
#include "row_index.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// dst[k][x] += src[i][x] for i in order, k = index[i] brought into range, x in [begin, end). Rows
/// that many indices name have sums of their own.
template <bool clip, typename DType, typename IndexType, typename SType>
struct AddTakeGradKernel {
  DType* dst;
  const IndexType* index;
  const SType* src;
  std::ptrdiff_t dst_stride, src_stride, dst_rows, src_rows;
  std::ptrdiff_t begin, end;    // columns
  const expr::detail::NamedRows* named = nullptr;

  using Sums = expr::detail::RowSums<Accumulator<DType>>;

  MSHADOW_FORCE_INLINE std::ptrdiff_t RowOf(std::ptrdiff_t i) const {
    return IntoRange<clip>(index[i], dst_rows);
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    Sums sums(named, end - begin);
    for (std::ptrdiff_t i = 0; i < src_rows; ++i) {
      const SType* const from = src + i * src_stride;
      const std::ptrdiff_t k = RowOf(i);
      if (auto* const often = sums.Next(k)) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = begin; x < end; ++x) {
          const auto element = static_cast<Accumulator<DType>>(op::math::Convert<DType>(from[x]));
          often[x - begin] = op::math::Add(often[x - begin], element);
        }
        continue;
      }
      DType* const to = dst + k * dst_stride;
      MSHADOW_IVDEP
      for (std::ptrdiff_t x = begin; x < end; ++x) {
        to[x] = op::math::Add(to[x], op::math::Convert<DType>(from[x]));
      }
    }
    sums.ForEach([&](std::ptrdiff_t k, const auto* total) MSHADOW_INLINE_LAMBDA {
      DType* const to = dst + k * dst_stride;
      for (std::ptrdiff_t x = begin; x < end; ++x) {
        using Wide = typename Sums::Wide;
        const Wide before = static_cast<Wide>(static_cast<Accumulator<DType>>(to[x]));
        const Wide sum = op::math::Add(before, static_cast<Wide>(total[x - begin]));
        to[x] = static_cast<DType>(static_cast<Accumulator<DType>>(sum));
      }
    });
  }
};

/// dst[sorted[i]][x] += src[index[i]][x], x in [begin, end); rows with the same target that follow
/// each other are added up first.
template <typename DType, typename IndexType>
struct AddSortedRowsKernel {
  using Acc = Accumulator<DType>;

  DType* dst;
  const IndexType* sorted;
  const IndexType* index;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, count;
  std::ptrdiff_t begin, end;    // columns

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr std::ptrdiff_t kBlock = 512;
    for (std::ptrdiff_t x0 = begin; x0 < end; x0 += kBlock) {
      const std::ptrdiff_t n = end - x0 < kBlock ? end - x0 : kBlock;
      for (std::ptrdiff_t i = 0; i < count;) {
        const std::ptrdiff_t target = ToIndex(sorted[i]);
        DType* const to = dst + target * dst_stride + x0;
        Acc sum[kBlock];
        red::WideSum<Acc> total[kBlock];
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = 0; x < n; ++x) sum[x] = static_cast<Acc>(to[x]);
        const std::ptrdiff_t first = i;
        for (; i < count && ToIndex(sorted[i]) == target; ++i) {
          if ((i - first) % red::kSumBlock == 0 && i > first) {
            if (i - first == red::kSumBlock) {
              for (std::ptrdiff_t x = 0; x < n; ++x) total[x] = 0;
            }
            red::FlushSums(sum, n, total);
          }
          const DType* const from = src + ToIndex(index[i]) * src_stride + x0;
          MSHADOW_IVDEP
          for (std::ptrdiff_t x = 0; x < n; ++x) {
            sum[x] = op::math::Add(sum[x], static_cast<Acc>(from[x]));
          }
        }
        if (i - first > red::kSumBlock) {
          red::FlushSums(sum, n, total);
          for (std::ptrdiff_t x = 0; x < n; ++x) sum[x] = static_cast<Acc>(total[x]);
        }
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = 0; x < n; ++x) to[x] = static_cast<DType>(sum[x]);
      }
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_ADD_ROWS_H_
