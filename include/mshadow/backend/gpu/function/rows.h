// SPDX-License-Identifier: Apache-2.0
// Functions that go by an index of rows, on a CUDA device. Each body is one thread's work on
// element x of item i. An index out of range is clipped, wrapped or left out; it never reaches
// other memory.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_ROWS_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_ROWS_H_

#include <cstdint>
#include <type_traits>

#include "../../../core/bit_cast.h"
#include "../../../core/dtype.h"
#include "../../../core/element_index.h"
#include "../../../op/long_sum.h"
#include "../../../op/math/convert.h"
#ifdef __CUDACC__
#include "../executor.h"
#endif

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// *to += value, all at once where threads share an element.
template <typename DType>
MSHADOW_XINLINE void AtomicAdd(DType* to, DType value) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<DType, float> || std::is_same_v<DType, double>) {
    atomicAdd(to, value);
  } else if constexpr (std::is_integral_v<DType> && sizeof(DType) == 4) {
    atomicAdd(reinterpret_cast<unsigned*>(to), static_cast<unsigned>(value));
  } else if constexpr (std::is_integral_v<DType> && sizeof(DType) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to),  // NOLINT: the type that CUDA has
              static_cast<unsigned long long>(value));    // NOLINT
  } else {
    // Small elements: through the 32 bits around them.
    using Bits = std::conditional_t<sizeof(DType) == 1, std::uint8_t, std::uint16_t>;
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(to);
    unsigned* const word = reinterpret_cast<unsigned*>(address & ~std::uintptr_t{3});
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    const unsigned mask = (sizeof(DType) == 1 ? 0xffu : 0xffffu) << shift;
    unsigned seen = *word, expected;
    do {
      expected = seen;
      const DType old = BitCast<DType>(static_cast<Bits>((expected & mask) >> shift));
      const unsigned bits = BitCast<Bits>(op::math::Add(old, value));
      seen = atomicCAS(word, expected, (expected & ~mask) | (bits << shift));
    } while (seen != expected);
  }
#else
  *to = op::math::Add(*to, value);
#endif
}

/// dst[k][x] += src[i][x], k = index[i] clipped to the rows of dst, or wrapped.
template <bool clip, typename DType, typename IndexType, typename SType>
struct AddTakeGradBody {
  DType* dst;
  const IndexType* index;
  const SType* src;
  std::ptrdiff_t dst_stride, src_stride, dst_rows;

  MSHADOW_XINLINE void operator()(std::ptrdiff_t i, std::ptrdiff_t x) const {
    const std::ptrdiff_t k = clip ? expr::detail::ClipIndex(index[i], dst_rows)
                                  : expr::detail::WrapIndex(index[i], dst_rows);
    AtomicAdd(dst + k * dst_stride + x, op::math::Convert<DType>(src[i * src_stride + x]));
  }
};

/// dst[sorted[i]][x] += the sum of src[index[j]][x] over the stretch of equal targets that begins
/// at i; nothing where i begins none.
template <typename DType, typename IndexType>
struct AddSortedRowsBody {
  using Acc = Accumulator<DType>;
  DType* dst;
  const IndexType* sorted;
  const IndexType* index;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, dst_rows, src_rows, count;

  MSHADOW_XINLINE void operator()(std::ptrdiff_t i, std::ptrdiff_t x) const {
    const std::ptrdiff_t target = expr::detail::ToIndex(sorted[i]);
    if (i > 0 && expr::detail::ToIndex(sorted[i - 1]) == target) return;
    if (target < 0 || target >= dst_rows) return;
    DType* const to = dst + target * dst_stride + x;
    red::PrefixSum<Acc> sum;
    sum.Add(static_cast<Acc>(*to));
    for (std::ptrdiff_t j = i; j < count && expr::detail::ToIndex(sorted[j]) == target; ++j) {
      const std::ptrdiff_t k = expr::detail::ToIndex(index[j]);
      if ((j - i) % sum.kCarry == 0) sum.Carry();
      if (k >= 0 && k < src_rows) sum.Add(static_cast<Acc>(src[k * src_stride + x]));
    }
    *to = static_cast<DType>(sum.Value());
  }
};

/// dst[index[i]][x] = src[i][x]
template <typename DType, typename IndexType>
struct IndexFillBody {
  DType* dst;
  const IndexType* index;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, dst_rows;

  MSHADOW_XINLINE void operator()(std::ptrdiff_t i, std::ptrdiff_t x) const {
    const std::ptrdiff_t k = expr::detail::ToIndex(index[i]);
    if (k >= 0 && k < dst_rows) dst[k * dst_stride + x] = src[i * src_stride + x];
  }
};

#ifdef __CUDACC__

template <typename Body>
__global__ void __launch_bounds__(kBlockThreads)
    ItemsKernel(const __grid_constant__ Body body, std::ptrdiff_t items, std::ptrdiff_t cols) {
  for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(blockIdx.y) * blockDim.y + threadIdx.y;
       i < items; i += static_cast<std::ptrdiff_t>(gridDim.y) * blockDim.y) {
    for (std::ptrdiff_t x = static_cast<std::ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         x < cols; x += static_cast<std::ptrdiff_t>(gridDim.x) * blockDim.x) {
      body(i, x);
    }
  }
}

/// body(i, x) for all i < items, x < cols.
template <typename Body>
inline void LaunchItems(const Body& body, std::ptrdiff_t items, std::ptrdiff_t cols,
                        cudaStream_t stream, const char* what) {
  if (items == 0 || cols == 0) return;
  const Layout layout = Layout::Of(items, cols, 1);
  ItemsKernel<<<layout.grid, layout.block, 0, stream>>>(body, items, cols);
  Check(cudaPeekAtLastError(), what);
}

#endif  // __CUDACC__

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_ROWS_H_
