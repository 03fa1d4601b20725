// SPDX-License-Identifier: Apache-2.0
// The functions of tensor/function.h on the host.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_H_

#include "../../tensor/function.h"
#include "../../tensor/memory.h"
#include "blas.h"
#include "executor.h"
#include "function/add_rows.h"
#include "function/mean_variance.h"
#include "function/softmax.h"
#include "function/softmax_grad.h"
#include "function/sort.h"
#include "threads.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Runs `kernel` for its items [0, n), which cost `cost` (in units of kGrainCost) each.
template <typename Kernel>
inline void RunRange(const Kernel& kernel, std::ptrdiff_t n, std::ptrdiff_t cost) {
  ParallelRanges(n, 1 + kGrainCost / (cost + 1),
                 [&kernel](std::ptrdiff_t begin, std::ptrdiff_t end) {
                   Kernel part = kernel;
                   part.begin = begin;
                   part.end = end;
                   simd::Dispatch(part);
                 });
}

inline std::ptrdiff_t Extent(index_t extent) { return static_cast<std::ptrdiff_t>(extent); }

/// Work of an element of softmax, most of it the exponential.
constexpr std::ptrdiff_t kSoftmaxCost = 2 * kMinCost;

}  // namespace detail

template <>
struct FunctionApi<cpu> {
  template <typename DType>
  static void Softmax(Tensor<cpu, 2, DType> dst, const Tensor<cpu, 2, DType>& src) {
    using detail::Extent;
    const std::ptrdiff_t cols = Extent(src.shape_[1]);
    if (cols == 0) return;
    detail::RunRange(
        detail::SoftmaxKernel<DType>{dst.dptr_, src.dptr_, Extent(dst.stride_),
                                     Extent(src.stride_), cols, 0, 0},
        Extent(src.shape_[0]), cols * detail::kSoftmaxCost);
  }
  template <typename DType>
  static void Softmax(Tensor<cpu, 3, DType> dst, const Tensor<cpu, 3, DType>& src) {
    using detail::Extent;
    const std::ptrdiff_t channels = Extent(src.shape_[1]);
    const std::ptrdiff_t cols = Extent(src.shape_[2]);
    if (channels == 0 || cols == 0) return;
    detail::RunRange(
        detail::SoftmaxChannelsKernel<DType>{dst.dptr_, src.dptr_, Extent(dst.stride_),
                                             Extent(src.stride_), channels, cols, 0, 0},
        Extent(src.shape_[0]) * cols, 2 * channels * detail::kSoftmaxCost);
  }

  template <int dim, typename DType, int ldim, typename LType>
  static void SoftmaxGrad(Tensor<cpu, dim, DType> dst, const Tensor<cpu, dim, DType>& src,
                          const Tensor<cpu, ldim, LType>& label, const LType* ignored,
                          float alpha) {
    using detail::Extent;
    using Kernel = detail::SoftmaxGradKernel<DType, LType>;
    using Acc = typename Kernel::Acc;
    const std::ptrdiff_t classes = Extent(src.shape_[1]);
    const std::ptrdiff_t cols = dim == 3 ? Extent(src.shape_[dim - 1]) : 1;
    const double smooth = static_cast<double>(alpha);
    Kernel kernel{};
    kernel.dst = dst.dptr_;
    kernel.src = src.dptr_;
    kernel.label = label.dptr_;
    kernel.dst_stride = Extent(dst.stride_);
    kernel.src_stride = Extent(src.stride_);
    kernel.label_stride = Extent(label.stride_);
    kernel.classes = classes;
    kernel.cols = cols;
    // Of one class there is no other.
    kernel.other = static_cast<Acc>(classes < 2 ? 0 : smooth / static_cast<double>(classes - 1));
    kernel.hit = static_cast<Acc>(1 - smooth);
    kernel.ignores = ignored != nullptr;
    kernel.ignored = ignored != nullptr ? detail::ToLabel(*ignored) : 0;
    kernel.three_axes = dim == 3;
    detail::RunRange(kernel, Extent(src.shape_[0]), detail::kMinCost * classes * cols);
  }

  template <int dimkeep, int dim, typename DType>
  static void MeanVariance(Tensor<cpu, 1, DType> mean, Tensor<cpu, 1, DType> variance,
                           const Tensor<cpu, dim, DType>& src) {
    detail::ChannelMoments<DType> moments{mean.dptr_, variance.dptr_};
    moments.Compute(src, expr::AxisGroupsOf(src.shape_, ~(1u << dimkeep)));
  }

  template <typename DType>
  static void VectorDot(Tensor<cpu, 1, DType> dst, const Tensor<cpu, 1, DType>& lhs,
                        const Tensor<cpu, 1, DType>& rhs) {
    dst[0] = Blas<cpu>::Dot(detail::Extent(lhs.size(0)), lhs.dptr_, 1, rhs.dptr_, 1);
  }

  template <bool clip, typename DType, typename IndexType, typename SType>
  static void AddTakeGrad(Tensor<cpu, 2, DType> dst, const Tensor<cpu, 1, IndexType>& index,
                          const Tensor<cpu, 2, SType>& src) {
    using detail::Extent;
    detail::AddTakeGradKernel<clip, DType, IndexType, SType> kernel{
        dst.dptr_, index.dptr_, src.dptr_, Extent(dst.stride_), Extent(src.stride_),
        Extent(dst.shape_[0]), Extent(src.shape_[0]), 0, 0};
    constexpr std::ptrdiff_t kMax = expr::detail::kMaxInRow<DType>;
    const expr::detail::NamedRows named(kernel.dst_rows, kMax, [&kernel](const auto& name) {
      if (kernel.src_rows <= kMax) return;
      for (std::ptrdiff_t i = 0; i < kernel.src_rows; ++i) name(kernel.RowOf(i));
    });
    kernel.named = &named;
    // Threads share the columns: two rows may go to one place.
    detail::RunRange(kernel, Extent(src.shape_[1]), detail::kMinCost * kernel.src_rows);
  }

  template <typename DType, typename IndexType>
  static void AddTakeGradLargeBatch(Tensor<cpu, 2, DType> dst,
                                    const Tensor<cpu, 1, IndexType>& sorted,
                                    const Tensor<cpu, 1, IndexType>& index,
                                    const Tensor<cpu, 2, DType>& src) {
    using detail::Extent;
    detail::CheckIndices("AddTakeGradLargeBatch", "sorted", sorted, dst.shape_[0]);
    detail::CheckIndices("AddTakeGradLargeBatch", "index", index, src.shape_[0]);
    const std::ptrdiff_t count = Extent(index.size(0));
    detail::RunRange(
        detail::AddSortedRowsKernel<DType, IndexType>{dst.dptr_, sorted.dptr_, index.dptr_,
                                                      src.dptr_, Extent(dst.stride_),
                                                      Extent(src.stride_), count, 0, 0},
        Extent(src.shape_[1]), detail::kMinCost * count);
  }

  template <typename DType, typename IndexType>
  static void IndexFill(Tensor<cpu, 2, DType> dst, const Tensor<cpu, 1, IndexType>& index,
                        const Tensor<cpu, 2, DType>& src) {
    detail::CheckIndices("IndexFill", "index", index, dst.shape_[0]);
    for (index_t i = 0; i < index.size(0); ++i) {
      Copy(dst[static_cast<index_t>(detail::ToIndex(index[i]))], src[i]);
    }
  }

  template <typename KDType, typename VDType>
  static void SortByKey(Tensor<cpu, 1, KDType> keys, Tensor<cpu, 1, VDType> values,
                        bool is_ascend) {
    detail::SortByKey(keys.dptr_, values.dptr_, detail::Extent(keys.size(0)), is_ascend);
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_H_
