// SPDX-License-Identifier: Apache-2.0
// The functions of tensor/function.h on a CUDA device, asynchronous on the destination's stream.
//
// The device cannot throw: it leaves out rows whose index is out of range.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include "../../expr/map.h"
#include "../../extension/broadcast.h"
#include "../../extension/reduceto1d.h"
#include "../../op/binary.h"
#include "../../op/reducer.h"
#include "../../tensor/function.h"
#include "executor.h"
#include "function/rows.h"
#include "function/softmax.h"
#include "function/softmax_channels.h"
#include "function/softmax_grad.h"
#include "function/sort.h"
#include "reduce.h"

MSHADOW_NAMESPACE_BEGIN

#ifdef __CUDACC__

template <>
struct FunctionApi<gpu> {
  template <typename DType>
  static void Softmax(Tensor<gpu, 2, DType> dst, const Tensor<gpu, 2, DType>& src) {
    cuda::LaunchSoftmax(
        cuda::SoftmaxRows<DType>{dst.dptr_, src.dptr_, Extent(dst.stride_), Extent(src.stride_),
                                 Extent(src.shape_[0]), Extent(src.shape_[1])},
        Stream<gpu>::GetStream(dst.stream_));
  }
  template <typename DType>
  static void Softmax(Tensor<gpu, 3, DType> dst, const Tensor<gpu, 3, DType>& src) {
    const cuda::SoftmaxChannels<DType> body{
        dst.dptr_,          src.dptr_,          Extent(dst.stride_), Extent(src.stride_),
        Extent(src.size(0)), Extent(src.size(1)), Extent(src.size(2))};
    if (body.channels == 0) return;
    cuda::LaunchThreads(body, body.images * body.cols, Stream<gpu>::GetStream(dst.stream_),
                        "the launch of Softmax");
  }

  template <int dim, typename DType, int ldim, typename LType>
  static void SoftmaxGrad(Tensor<gpu, dim, DType> dst, const Tensor<gpu, dim, DType>& src,
                          const Tensor<gpu, ldim, LType>& label, const LType* ignored,
                          float alpha) {
    using Plan = cuda::SoftmaxGradPlan<DType, LType>;
    using Acc = typename Plan::Acc;
    const std::ptrdiff_t classes = Extent(src.shape_[1]);
    const double smooth = static_cast<double>(alpha);
    const Plan plan{
        src.dptr_, label.dptr_, Extent(src.stride_),
        ldim == 1 ? 0 : Extent(label.stride_), classes,
        static_cast<Acc>(classes < 2 ? 0 : smooth / static_cast<double>(classes - 1)),
        static_cast<Acc>(1 - smooth), ignored != nullptr, dim == 3,
        ignored != nullptr ? expr::detail::ToLabel(*ignored) : 0};
    Executor<gpu>::template Map<sv::saveto, DType>(expr::MakePlan(dst), plan,
                                                   src.shape_.CheckedFlatTo2D(), dst.stream_);
  }

  /// Two passes: means, then squared deviations from them; half_t in float, others in double, where
  /// sums of float do not overflow. Sums of double are of elements times a power of 2.
  template <int dimkeep, int dim, typename DType>
  static void MeanVariance(Tensor<gpu, 1, DType> mean, Tensor<gpu, 1, DType> variance,
                           const Tensor<gpu, dim, DType>& src) {
    using Acc = std::conditional_t<std::is_same_v<DType, half::half_t>, float, double>;
    if (src.size(dimkeep) == 0) return;
    const Acc count = static_cast<Acc>(src.shape_.CheckedSize() / src.size(dimkeep));
    const auto moments = [&](Tensor<gpu, 1, Acc> m, Tensor<gpu, 1, Acc> v, const auto& x) {
      if constexpr (std::is_same_v<DType, double>) {
        Acc part = Acc(1);  // at most 1 / sqrt(count)
        while (part * part * count > 1) part /= 2;
        const Acc square = part * part, scale = Acc(1) / (count * square);
        m = scale * expr::sumall_except_dim<dimkeep>(x * square);
        v = scale * expr::sumall_except_dim<dimkeep>(
                        expr::F<op::square>((x - expr::broadcast<dimkeep>(m, src.shape_)) * part));
      } else {
        const Acc scale = Acc(1) / count;
        m = scale * expr::sumall_except_dim<dimkeep>(x);
        v = scale * expr::sumall_except_dim<dimkeep>(
                        expr::F<op::square>(x - expr::broadcast<dimkeep>(m, src.shape_)));
      }
    };
    if constexpr (std::is_same_v<Acc, DType>) {
      moments(mean, variance, src);
    } else {
      detail::Temporary<gpu, 2, Acc> memory(Shape2(2, mean.size(0)), mean.stream_);
      const Tensor<gpu, 2, Acc>& sums = memory.tensor();
      moments(sums[0], sums[1], expr::tcast<Acc>(src));
      mean = expr::tcast<DType>(sums[0]);
      variance = expr::tcast<DType>(sums[1]);
    }
  }

  /// In the accumulator of DType, so that a half_t product is not rounded on its own.
  template <typename DType>
  static void VectorDot(Tensor<gpu, 1, DType> dst, const Tensor<gpu, 1, DType>& lhs,
                        const Tensor<gpu, 1, DType>& rhs) {
    using Acc = Accumulator<DType>;
    const auto product = expr::F<op::mul>(expr::tcast<Acc>(lhs), expr::tcast<Acc>(rhs));
    ReduceExecutor<gpu>::template KeepHighDim<sv::saveto, red::sum, DType>(
        expr::MakePlan(dst), expr::MakePlan(product), Shape4(1, 1, 1, lhs.size(0)), DType(1.0f),
        dst.stream_);
  }

  template <bool clip, typename DType, typename IndexType, typename SType>
  static void AddTakeGrad(Tensor<gpu, 2, DType> dst, const Tensor<gpu, 1, IndexType>& index,
                          const Tensor<gpu, 2, SType>& src) {
    cuda::LaunchItems(
        cuda::AddTakeGradBody<clip, DType, IndexType, SType>{
            dst.dptr_, index.dptr_, src.dptr_, Extent(dst.stride_), Extent(src.stride_),
            Extent(dst.size(0))},
        Extent(src.size(0)), Extent(src.size(1)), Stream<gpu>::GetStream(dst.stream_),
        "the launch of AddTakeGrad");
  }

  template <typename DType, typename IndexType>
  static void AddTakeGradLargeBatch(Tensor<gpu, 2, DType> dst,
                                    const Tensor<gpu, 1, IndexType>& sorted,
                                    const Tensor<gpu, 1, IndexType>& index,
                                    const Tensor<gpu, 2, DType>& src) {
    cuda::LaunchItems(
        cuda::AddSortedRowsBody<DType, IndexType>{
            dst.dptr_, sorted.dptr_, index.dptr_, src.dptr_, Extent(dst.stride_),
            Extent(src.stride_), Extent(dst.size(0)), Extent(src.size(0)), Extent(index.size(0))},
        Extent(index.size(0)), Extent(src.size(1)), Stream<gpu>::GetStream(dst.stream_),
        "the launch of AddTakeGradLargeBatch");
  }

  template <typename DType, typename IndexType>
  static void IndexFill(Tensor<gpu, 2, DType> dst, const Tensor<gpu, 1, IndexType>& index,
                        const Tensor<gpu, 2, DType>& src) {
    cuda::LaunchItems(
        cuda::IndexFillBody<DType, IndexType>{dst.dptr_, index.dptr_, src.dptr_,
                                              Extent(dst.stride_), Extent(src.stride_),
                                              Extent(dst.size(0))},
        Extent(index.size(0)), Extent(src.size(1)), Stream<gpu>::GetStream(dst.stream_),
        "the launch of IndexFill");
  }

  template <typename KDType, typename VDType>
  static void SortByKey(Tensor<gpu, 1, KDType> keys, Tensor<gpu, 1, VDType> values,
                        bool is_ascend) {
    cuda::SortByKey(keys.dptr_, values.dptr_, keys.size(0), is_ascend, keys.stream_);
  }

 private:
  static std::ptrdiff_t Extent(index_t extent) { return static_cast<std::ptrdiff_t>(extent); }
};

namespace cuda {
template <typename DType>
struct BatchedViewBody {
  DType** rows;
  DType* memory;
  std::ptrdiff_t stride;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t, std::ptrdiff_t i) const {
    rows[i] = memory + i * stride;
  }
};
}  // namespace cuda
/// dst[i] = src + i * stride for i < num, dst being an array in device memory.
template <typename DType>
inline void GetBatchedView(DType** dst, DType* src, int num, int stride, Stream<gpu>* stream) {
  cuda::LaunchItems(cuda::BatchedViewBody<DType>{dst, src, stride}, 1, num,
                    Stream<gpu>::GetStream(stream), "the launch of GetBatchedView");
}

#endif  // __CUDACC__

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_H_
