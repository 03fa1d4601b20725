// SPDX-License-Identifier: Apache-2.0
// Whole functions on tensors: softmax and its gradients, mean and variance, sorting, adding and
// filling by index.
//
// They check shapes before anything is written, and call the device's FunctionApi. Operands may
// share memory with what is written: a function reads what they held before the call
// (expr/overlap.h). Template parameters have the order of mshadow 2.x; the device comes last.
#ifndef MSHADOW_TENSOR_FUNCTION_H_
#define MSHADOW_TENSOR_FUNCTION_H_

#include <string>
#include <type_traits>

#include "../expr/overlap.h"
#include "../expr/typecast.h"
#include "view.h"

MSHADOW_NAMESPACE_BEGIN

/// What a back end defines: a static member for each function below, called after the checks.
///   Softmax(dst, energy)                                    2 axes (also for 1), and 3 axes
///   SoftmaxGrad(dst, src, label, const LType* ignored, float alpha)   ignored: nullptr for none
///   MeanVariance<dimkeep>(mean, variance, src)                dimkeep: 0 to dim - 1
///   VectorDot(dst, lhs, rhs)
///   AddTakeGrad<clip>(dst, index, src)                      dst of another element type than src
///   AddTakeGradLargeBatch(dst, sorted, index, src), IndexFill(dst, index, src)
///   SortByKey(keys, values, is_ascend)
template <typename Device>
struct FunctionApi;

namespace detail {
/// T, where it is not to be deduced: a literal of another type converts.
template <typename T>
using Plain = std::common_type_t<T>;

/// Throws Error for integers. At run time: a type switch compiles its body for them too.
template <typename DType>
inline void CheckFractions([[maybe_unused]] const char* who) {
  if constexpr (!float16::kIsFloat<DType>) {
    throw Error(std::string(who) + " gives fractions; it takes tensors of floating-point numbers, "
                "not of integers");
  }
}
}  // namespace detail

// ---- Softmax ---------------------------------------------------------------------------------

/// dst[i] = exp(energy[i]) / sum_j exp(energy[j]) along axis 0 of a vector, axis 1 of 2 or 3 axes;
/// dst may be energy. The largest energy is subtracted first, so that nothing overflows; sums of
/// 16-bit floats are taken in float, long ones in blocks. NaN or +inf in a row makes the row NaN.
/// Throws Error where shapes differ, or for integers.
template <typename DType, typename Device, int dim>
inline void Softmax(Tensor<Device, dim, DType> dst,
                    const detail::Source<Device, dim, DType>& energy) {
  static_assert(1 <= dim && dim <= 3, "mshadow: Softmax takes 1 to 3 axes");
  MSHADOW_CHECK_EQ(dst.shape_, energy.shape_) << "Softmax: shape mismatch";
  detail::CheckFractions<DType>("Softmax");
  if constexpr (float16::kIsFloat<DType>) {
    detail::OnOperand(dst, energy, true, [&](const Tensor<Device, dim, DType>& src) {
      if constexpr (dim == 1) {
        FunctionApi<Device>::Softmax(dst.FlatTo2D(), src.FlatTo2D());
      } else {
        FunctionApi<Device>::Softmax(dst, src);
      }
    });
  }
}

namespace detail {

template <typename Device, int dim, typename DType, int ldim, typename LType>
inline void SoftmaxGrad(const char* who, const Tensor<Device, dim, DType>& dst,
                        const Source<Device, dim, DType>& src,
                        const Tensor<Device, ldim, LType>& label, float alpha = 0.0f,
                        const Plain<LType>* ignored = nullptr) {
  static_assert(dim == 2 || dim == 3, "mshadow: gradients of softmax take 2 or 3 axes");
  static_assert(ldim == dim - 1, "mshadow: gradients of softmax: label has one axis less than src");
  MSHADOW_CHECK_EQ(dst.shape_, src.shape_) << who << ": shape mismatch of dst and src";
  bool fits = label.size(0) == src.size(0);
  if constexpr (dim == 3) fits = fits && label.size(1) == src.size(2);
  MSHADOW_CHECK(fits) << who << ": label " << LogText(label.shape_) << " does not fit src "
              << LogText(src.shape_);
  OnOperand(dst, src, true, [&](const Tensor<Device, dim, DType>& probability) {
    OnOperand(dst, label, false, [&](const auto& labels) {
      FunctionApi<Device>::SoftmaxGrad(dst, probability, labels, ignored, alpha);
    });
  });
}

}  // namespace detail

/// dst[i][k] = src[i][k] - (k == label[i] ? 1 : 0): the gradient of the cross entropy of softmax by
/// its input, src (rows, classes) being its output; or src (n, classes, m) and label (n, m). dst
/// may be src. Labels are truncated to integers; one that is no class hits none. Rows labelled
/// `ignore_label` become 0. Throws Error where shapes do not fit.
template <typename DType, typename Device, int dim, int ldim, typename LType>
inline void SoftmaxGrad(Tensor<Device, dim, DType> dst,
                        const detail::Source<Device, dim, DType>& src,
                        const Tensor<Device, ldim, LType>& label) {
  detail::SoftmaxGrad("SoftmaxGrad", dst, src, label);
}
template <typename DType, typename Device, int dim, int ldim, typename LType>
inline void SoftmaxGrad(Tensor<Device, dim, DType> dst,
                        const detail::Source<Device, dim, DType>& src,
                        const Tensor<Device, ldim, LType>& label,
                        const detail::Plain<LType>& ignore_label) {
  detail::SoftmaxGrad("SoftmaxGrad", dst, src, label, 0.0f, &ignore_label);
}

/// SoftmaxGrad for labels smoothed by alpha:
/// dst[i][k] = src[i][k] - (k == label[i] ? 1 - alpha : alpha / (classes - 1)).
/// Throws Error as SoftmaxGrad does, and for integers.
/// C. Szegedy et al., "Rethinking the Inception architecture for computer vision", 2016.
template <typename DType, typename Device, int dim, int ldim, typename LType>
inline void SmoothSoftmaxGrad(Tensor<Device, dim, DType> dst,
                              const detail::Source<Device, dim, DType>& src,
                              const Tensor<Device, ldim, LType>& label, const float alpha) {
  detail::CheckFractions<DType>("SmoothSoftmaxGrad");
  detail::SoftmaxGrad("SmoothSoftmaxGrad", dst, src, label, alpha);
}
template <typename DType, typename Device, int dim, int ldim, typename LType>
inline void SmoothSoftmaxGrad(Tensor<Device, dim, DType> dst,
                              const detail::Source<Device, dim, DType>& src,
                              const Tensor<Device, ldim, LType>& label,
                              const detail::Plain<LType>& ignore_label, const float alpha) {
  detail::CheckFractions<DType>("SmoothSoftmaxGrad");
  detail::SoftmaxGrad("SmoothSoftmaxGrad", dst, src, label, alpha, &ignore_label);
}

// ---- Mean and variance -----------------------------------------------------------------------

/// mean[c] = average of src over all axes but dimkeep, of which c is the index;
/// variance[c] = average of (src - mean[c])^2: of the population, divided by the number of elements
/// (NumPy's mean and var; torch.var_mean with unbiased = False). src (n, ..., C, ..., m) -> (C),
/// (C); a negative dimkeep counts from the end. NaN where there is nothing to average.
/// Deviations are squared, so that a large mean costs the variance no digits; 16-bit floats
/// accumulate in float. On the cpu results do not depend on the number of threads. On the gpu float
/// and bf16_t accumulate in double, half_t in float. Sums that overflow do no harm.
/// Throws Error where mean or variance has not C elements, or where they share memory.
template <int dimkeep, typename Device, int dim, typename DType, typename SrcDType>
inline void MeanVariance(Tensor<Device, 1, DType> mean, Tensor<Device, 1, DType> variance,
                         const Tensor<Device, dim, SrcDType>& source) {
  static_assert(std::is_same_v<std::remove_const_t<SrcDType>, DType>,
                "mshadow: MeanVariance: src has another element type than mean and variance");
  const auto src = detail::Unconst(source);
  constexpr int kKeep = dimkeep < 0 ? dimkeep + dim : dimkeep;
  static_assert(float16::kIsFloat<DType>, "mshadow: MeanVariance gives fractions; it takes tensors "
                                          "of floating-point numbers");
  static_assert(0 <= kKeep && kKeep < dim, "mshadow: MeanVariance: dimkeep must be an axis of src");
  if constexpr (float16::kIsFloat<DType> && 0 <= kKeep && kKeep < dim) {
    MSHADOW_CHECK(mean.size(0) == src.size(kKeep) && variance.size(0) == src.size(kKeep))
        << "MeanVariance: mean " << LogText(mean.shape_) << " and variance "
        << LogText(variance.shape_) << " do not fit axis " << kKeep << " of src "
        << LogText(src.shape_);
    detail::CheckApart("MeanVariance", "mean", mean, "variance", variance);
    detail::OnResult(mean, src, [&](const Tensor<Device, 1, DType>& means) {
      detail::OnResult(variance, src, [&](const Tensor<Device, 1, DType>& variances) {
        FunctionApi<Device>::template MeanVariance<kKeep>(means, variances, src);
      });
    });
  }
}

/// dst[0] = sum_i lhs[i] rhs[i]; dst may be an element of lhs or rhs. Throws Error where sizes
/// differ or dst has not one element.
template <typename Device, typename DType>
inline void VectorDot(Tensor<Device, 1, DType> dst, const detail::Source<Device, 1, DType>& lhs,
                      const detail::Source<Device, 1, DType>& rhs) {
  MSHADOW_CHECK_EQ(lhs.shape_, rhs.shape_) << "VectorDot: shape mismatch";
  MSHADOW_CHECK_EQ(dst.shape_, Shape1(1)) << "VectorDot: dst holds one element";
  FunctionApi<Device>::VectorDot(dst, detail::Unconst(lhs), detail::Unconst(rhs));
}

// ---- Rows by index ---------------------------------------------------------------------------
// An index of any element type, truncated to an integer. Indices out of range throw Error before
// anything is written, or are clipped or wrapped.

namespace detail {

template <typename Device, typename DType, typename IndexType>
inline void CheckRows(const char* who, const Tensor<Device, 2, DType>& dst,
                      const Tensor<Device, 1, IndexType>& index,
                      const Source<Device, 2, DType>& src) {
  MSHADOW_CHECK_EQ(dst.size(1), src.size(1)) << who << ": rows of dst " << LogText(dst.shape_)
                                     << " and src " << LogText(src.shape_) << " differ in length";
  MSHADOW_CHECK_EQ(index.size(0), src.size(0)) << who << ": index " << LogText(index.shape_)
                                       << " does not fit src " << LogText(src.shape_);
}

}  // namespace detail

/// dst[k] += src[i] for all i, k = index[i] clipped to the rows of dst; with clip = false, k is
/// index[i] modulo the number of rows, never negative. On the cpu, rows that many indices name are
/// summed up in blocks, of 16-bit floats in float. Throws Error where shapes do not fit.
template <bool clip, typename IndexType, typename DType, typename Device>
inline void AddTakeGrad(Tensor<Device, 2, DType> dst, const Tensor<Device, 1, IndexType>& index,
                        const detail::Source<Device, 2, DType>& src) {
  detail::CheckRows("AddTakeGrad", dst, index, src);
  MSHADOW_CHECK(dst.size(0) != 0 || index.size(0) == 0) << "AddTakeGrad: dst has no rows";
  detail::OnOperands(
      dst,
      [&](const auto&... operands) {
        FunctionApi<Device>::template AddTakeGrad<clip>(dst, operands...);
      },
      index, src);
}
template <typename IndexType, typename DType, typename Device>
inline void AddTakeGrad(Tensor<Device, 2, DType> dst, const Tensor<Device, 1, IndexType>& index,
                        const detail::Source<Device, 2, DType>& src) {
  AddTakeGrad<true>(dst, index, src);
}
/// AddTakeGrad with sums taken in the element type of `temp`, a scratch tensor of dst's shape.
template <bool clip, typename IndexType, typename DType, typename AType, typename Device>
inline void AddTakeGrad(Tensor<Device, 2, DType> dst, Tensor<Device, 2, AType> temp,
                        const Tensor<Device, 1, IndexType>& index,
                        const detail::Source<Device, 2, DType>& src) {
  detail::CheckRows("AddTakeGrad", dst, index, src);
  MSHADOW_CHECK(dst.size(0) != 0 || index.size(0) == 0) << "AddTakeGrad: dst has no rows";
  MSHADOW_CHECK_EQ(temp.shape_, dst.shape_) << "AddTakeGrad: shape mismatch of temp and dst";
  detail::OnOperands(
      temp,
      [&](const auto&... operands) {
        temp = expr::tcast<AType>(dst);
        FunctionApi<Device>::template AddTakeGrad<clip>(temp, operands...);
        dst = expr::tcast<DType>(temp);
      },
      index, src);
}
template <typename IndexType, typename DType, typename AType, typename Device>
inline void AddTakeGrad(Tensor<Device, 2, DType> dst, Tensor<Device, 2, AType> temp,
                        const Tensor<Device, 1, IndexType>& index,
                        const detail::Source<Device, 2, DType>& src) {
  AddTakeGrad<true>(dst, temp, index, src);
}

/// dst[sorted[i]] += src[index[i]] for all i: `sorted` holds target rows, equal ones side by side,
/// as SortByKey(sorted, index) brings them. Each stretch of equal targets is summed in float where
/// elements are 16-bit floats. Throws Error where shapes do not fit, or for an index out of range.
template <typename IndexType, typename DType, typename Device>
inline void AddTakeGradLargeBatch(Tensor<Device, 2, DType> dst,
                                  const Tensor<Device, 1, IndexType>& sorted,
                                  const Tensor<Device, 1, IndexType>& index,
                                  const detail::Source<Device, 2, DType>& src) {
  MSHADOW_CHECK_EQ(dst.size(1), src.size(1))
      << "AddTakeGradLargeBatch: rows of dst " << LogText(dst.shape_) << " and src "
      << LogText(src.shape_) << " differ in length";
  MSHADOW_CHECK_EQ(sorted.shape_, index.shape_) << "AddTakeGradLargeBatch: sorted and index differ";
  detail::OnOperands(
      dst,
      [&](const auto&... operands) {
        FunctionApi<Device>::AddTakeGradLargeBatch(dst, operands...);
      },
      sorted, index, src);
}

/// dst[index[i]] = src[i] for all i; the last of several equal indices counts. Throws Error where
/// shapes do not fit, or for an index out of range.
template <typename IndexType, typename DType, typename Device>
inline void IndexFill(Tensor<Device, 2, DType> dst, const Tensor<Device, 1, IndexType>& index,
                      const detail::Source<Device, 2, DType>& src) {
  detail::CheckRows("IndexFill", dst, index, src);
  detail::OnOperands(
      dst, [&](const auto&... operands) { FunctionApi<Device>::IndexFill(dst, operands...); },
      index, src);
}

// ---- Sorting ---------------------------------------------------------------------------------

/// Sorts keys, and values along with them, in place. Stable: equal keys stay in order, ascending or
/// descending. NaN comes last in both. values may be keys themselves. Throws Error where sizes
/// differ, or where keys and values share memory otherwise.
template <typename KDType, typename VDType, typename Device>
inline void SortByKey(Tensor<Device, 1, KDType> keys, Tensor<Device, 1, VDType> values,
                      bool is_ascend = true) {
  MSHADOW_CHECK_EQ(keys.shape_, values.shape_) << "SortByKey: keys and values differ in size";
  if (detail::AreSame(keys, values)) {
    return detail::OnCopy(values, keys.stream_, [&](const auto& copy) {
      SortByKey(keys, copy, is_ascend);
    });
  }
  detail::CheckApart("SortByKey", "keys", keys, "values", values);
  FunctionApi<Device>::SortByKey(keys, values, is_ascend);
}

/// Sorts by segment, and by value within each segment, both ascending; both arrays are permuted.
/// segments may be values themselves. Throws Error where sizes differ, or where both share memory
/// otherwise.
template <typename Device, typename VDType, typename SDType>
inline void VectorizedSort(Tensor<Device, 1, VDType> values, Tensor<Device, 1, SDType> segments) {
  MSHADOW_CHECK_EQ(values.shape_, segments.shape_)
      << "VectorizedSort: values and segments differ in size";
  if (detail::AreSame(values, segments)) return SortByKey(values, segments);
  detail::CheckApart("VectorizedSort", "values", values, "segments", segments);
  FunctionApi<Device>::SortByKey(values, segments, true);
  FunctionApi<Device>::SortByKey(segments, values, true);
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_FUNCTION_H_
