// SPDX-License-Identifier: Apache-2.0
// From dst = scale * dot(a, b) to the device's Blas.
#ifndef MSHADOW_EXPR_DOT_ENGINE_H_
#define MSHADOW_EXPR_DOT_ENGINE_H_

#include "dot.h"
#include "engine.h"
#include "overlap.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// Blas<Device>, on `stream` where the device's BLAS needs one.
template <typename Device>
inline Blas<Device> BlasOn(Stream<Device>* stream) {
  if constexpr (std::is_constructible_v<Blas<Device>, Stream<Device>*>) {
    return Blas<Device>(stream);
  } else {
    (void)stream;
    return Blas<Device>();
  }
}

/// Part of the name of what calls Blas<Device>: how the file runs threads, where the device says so.
/// Else the linker would merge the forms of files with OpenMP and without.
template <typename Device, typename = void>
struct BlasForm {
  using Type = void;
};
template <typename Device>
struct BlasForm<Device, std::void_t<typename Blas<Device>::Form>> {
  using Type = typename Blas<Device>::Form;
};

/// Do `dst Saver= dot` and BLAS agree on what Saver means: dst = alpha * product + beta * dst?
template <typename Saver, typename = void>
struct HasBlasFactors : std::false_type {};
template <typename Saver>
struct HasBlasFactors<Saver, std::void_t<decltype(Saver::AlphaBLAS(), Saver::BetaBLAS())>>
    : std::true_type {};

/// 1, 0 or -1 as DType, without the undefined conversion of a negative float to an unsigned type.
template <typename DType>
inline DType BlasFactor(default_real_t factor) {
  if constexpr (std::is_integral_v<DType>) {
    return static_cast<DType>(static_cast<int>(factor));
  } else {
    return ExactScalar<DType>(factor);
  }
}

/// Elements from one matrix of a batch to the next.
template <typename T>
inline std::ptrdiff_t BatchStride(const T& t) {
  return static_cast<std::ptrdiff_t>(t.size(1)) * static_cast<std::ptrdiff_t>(t.stride_);
}

}  // namespace detail

/// dst Saver= scale * op(lhs) * op(rhs) for tensors of the ranks given; of 3 axes a product of
/// matrices for each index of axis 0.
template <typename Saver, typename Device, int ddim, int ldim, int rdim, bool ltrans, bool rtrans,
          typename DType>
struct DotEngine {
  MSHADOW_FORCE_INLINE static void Eval(Tensor<Device, ddim, DType>* dst,
                                        const Tensor<Device, ldim, DType>& lhs,
                                        const Tensor<Device, rdim, DType>& rhs, DType scale) {
    Product(*dst, lhs, rhs,
            static_cast<DType>(scale * detail::BlasFactor<DType>(Saver::AlphaBLAS())),
            detail::BlasFactor<DType>(Saver::BetaBLAS()));
  }
  /// dst = alpha * op(lhs) * op(rhs) + beta * dst
  template <typename Form = typename detail::BlasForm<Device>::Type>
  static void Product(const Tensor<Device, ddim, DType>& dst,
                      const Tensor<Device, ldim, DType>& lhs,
                      const Tensor<Device, rdim, DType>& rhs, DType alpha, DType beta) {
    constexpr bool kOuter = IsProduct(2, 1, 1), kFromLeft = IsProduct(1, 1, 2);
    constexpr bool kFromRight = IsProduct(1, 2, 1), kBatch = IsProduct(3, 3, 3);
    static_assert(kOuter || kFromLeft || kFromRight || kBatch || IsProduct(2, 2, 2),
                  "mshadow: no dot for tensors of these ranks; there are matrix = dot(matrix, "
                  "matrix), vector = dot(vector, matrix), vector = dot(matrix, vector), matrix = "
                  "dot(vector.T(), vector), and batch_dot");
    static_assert(!(kFromLeft && ltrans), "mshadow: a transposed vector times a matrix has no "
                                          "meaning; write dot(vector, matrix)");
    static_assert(!(kFromRight && rtrans), "mshadow: a matrix times a transposed vector has no "
                                           "meaning; write dot(matrix, vector)");
    static_assert(!kOuter || (ltrans && !rtrans),
                  "mshadow: the outer product of two vectors is dot(u.T(), v), the inner one "
                  "dot(u, v)");
    const Shape<2> left = detail::MatrixOf(lhs.shape_, ltrans, rdim > 1);
    const Shape<2> right = detail::MatrixOf(rhs.shape_, rtrans, ldim == 1);
    const index_t rows = left[0], inner = left[1], cols = right[1];
    bool fits = right[0] == inner;
    fits = fits && detail::MatrixOf(dst.shape_, false, ldim == 1) == Shape2(rows, cols);
    if (kBatch) fits = fits && dst.size(0) == lhs.size(0) && rhs.size(0) == lhs.size(0);
    if (!fits) {
      constexpr const char* kName = kBatch   ? "batch_dot"
                                    : kOuter ? "dot-ger"
                                             : ddim == 1 ? "dot-gemv" : "dot-gemm";
      detail::ThrowDotMismatch(kName, lhs.shape_, ltrans, rhs.shape_, rtrans, dst.shape_.shape_,
                               ddim);
    }
    auto blas = detail::BlasOn<Device>(dst.stream_);
    if constexpr (kBatch) {
      blas.BatchGemm(ltrans, rtrans, rows, cols, inner, alpha, lhs.dptr_, lhs.stride_,
                     detail::BatchStride(lhs), rhs.dptr_, rhs.stride_, detail::BatchStride(rhs),
                     beta, dst.dptr_, dst.stride_, detail::BatchStride(dst), dst.size(0));
    } else if constexpr (kOuter) {
      blas.Ger(rows, cols, alpha, lhs.dptr_, 1, rhs.dptr_, 1, beta, dst.dptr_, dst.stride_);
    } else if constexpr (kFromLeft) {
      blas.Gemv(!rtrans, rhs.size(0), rhs.size(1), alpha, rhs.dptr_, rhs.stride_, lhs.dptr_, 1,
                beta, dst.dptr_, 1);
    } else if constexpr (kFromRight) {
      blas.Gemv(ltrans, lhs.size(0), lhs.size(1), alpha, lhs.dptr_, lhs.stride_, rhs.dptr_, 1,
                beta, dst.dptr_, 1);
    } else {
      blas.Gemm(ltrans, rtrans, rows, cols, inner, alpha, lhs.dptr_, lhs.stride_, rhs.dptr_,
                rhs.stride_, beta, dst.dptr_, dst.stride_);
    }
  }

 private:
  static constexpr bool IsProduct(int d, int l, int r) {
    return ddim == d && ldim == l && rdim == r;
  }
};

template <typename Saver, typename Device, int ddim, int ldim, int rdim, bool ltrans, bool rtrans,
          typename DType>
struct ExpComplexEngine<
    Saver, Tensor<Device, ddim, DType>,
    DotExp<Tensor<Device, ldim, DType>, Tensor<Device, rdim, DType>, ltrans, rtrans, DType>,
    DType> {
  using Product =
      DotExp<Tensor<Device, ldim, DType>, Tensor<Device, rdim, DType>, ltrans, rtrans, DType>;
  template <typename S>
  using Engine = DotEngine<S, Device, ddim, ldim, rdim, ltrans, rtrans, DType>;

  MSHADOW_FORCE_INLINE static void Eval(Tensor<Device, ddim, DType>* dst, const Product& product) {
    if constexpr (!detail::HasBlasFactors<Saver>::value) {
      MapExp<Saver>(dst, product);
    } else {
#if MSHADOW_ALIAS_CHECK
      // A product reads its operands until it is finished, so any overlap is one too many.
      const WrittenView written = dst->Written();
      if (expr::Overlaps(product.lhs_, written, false) ||
          expr::Overlaps(product.rhs_, written, false)) {
        mshadow::detail::Temporary<Device, ddim, DType> result(dst->shape_, dst->stream_);
        // Copies of bytes: a loop over elements would be compiled for it.
        if constexpr (!std::is_same_v<Saver, sv::saveto>) {
          mshadow::detail::CopyRows(result.tensor(), *dst, dst->stream_);
        }
        Engine<Saver>::Eval(&result.tensor(), product.lhs_, product.rhs_, product.scale_);
        return mshadow::detail::CopyRows(*dst, result.tensor(), dst->stream_);
      }
#endif
      Engine<Saver>::Eval(dst, product.lhs_, product.rhs_, product.scale_);
    }
  }
};

namespace detail {
/// `operand` as a tensor: in `memory` unless it is one, or owns one.
template <typename DType, typename Device, typename E>
inline MaterialisedTensor<E, DType> AsTensor(const E& operand, OperandMemory<Device>* memory) {
  if constexpr (std::is_convertible_v<const E&, MaterialisedTensor<E, DType>>) {
    return operand;
  } else {
    return InMemory<DType>(operand, memory);
  }
}
}  // namespace detail

namespace detail {
template <typename E>
constexpr bool NamesVariable();  // extension/reduction.h

/// Devices other than the CPU compute it as that reduction.
template <typename DType, typename TA, typename TB>
MSHADOW_FORCE_INLINE DType InnerProduct(const TA& lhs, const TB& rhs) {
  static_assert(!NamesVariable<TA>() && !NamesVariable<TB>(),
                "mshadow: dot of two vectors, a number, would leave the tape: sum_all(u * v) is an "
                "expression");
  constexpr int kDevices = ExpInfo<TA>::kDevMask & ExpInfo<TB>::kDevMask;
  static_assert(kDevices != 0, "mshadow: the operands of dot live on different devices");
  const Shape<1> left = ShapeCheck<1, TA>::Check(lhs), right = ShapeCheck<1, TB>::Check(rhs);
  if (left != right) ThrowDotMismatch("dot", left, false, right, false);
  using Device = typename DeviceOfMask<kDevices>::Type;
  if constexpr (Device::kDevCPU) {
    StatementMemory<Device> memory(nullptr);
    const Tensor<Device, 1, DType> a = AsTensor<DType, Device>(lhs, &memory);
    const Tensor<Device, 1, DType> b = AsTensor<DType, Device>(rhs, &memory);
    return Blas<Device>::Dot(left[0], a.dptr_, 1, b.dptr_, 1);
  } else {
    return static_cast<DType>(sum(lhs * rhs));
  }
}
}  // namespace detail

/// A product of expressions: these first.
template <typename Saver, typename Device, int ddim, typename TA, typename TB, bool ltrans,
          bool rtrans, typename DType>
struct ExpComplexEngine<Saver, Tensor<Device, ddim, DType>, DotExp<TA, TB, ltrans, rtrans, DType>,
                        DType> {
  MSHADOW_FORCE_INLINE static void Eval(Tensor<Device, ddim, DType>* dst,
                                        const DotExp<TA, TB, ltrans, rtrans, DType>& product) {
    detail::StatementMemory<Device> memory(dst->stream_);
    const auto lhs = detail::AsTensor<DType, Device>(product.lhs_, &memory);
    const auto rhs = detail::AsTensor<DType, Device>(product.rhs_, &memory);
    using Product = DotExp<detail::MaterialisedTensor<TA, DType>,
                           detail::MaterialisedTensor<TB, DType>, ltrans, rtrans, DType>;
    ExpComplexEngine<Saver, Tensor<Device, ddim, DType>, Product, DType>::Eval(
        dst, Product(lhs, rhs, product.scale_));
  }
};

/// The matrix products of a device with the column-major arguments of BLAS, as 2.x offered them.
/// Batches lie without gaps: operand i of op(A) m x k begins at A + i * m * k.
template <typename Device, typename DType>
struct BLASEngine {
  static bool GetT(bool transposed) { return transposed; }
  static void SetStream(Stream<Device>*) {}
  static void gemm(Stream<Device>* stream, bool transa, bool transb, index_t m, index_t n,
                   index_t k, DType alpha, const DType* A, index_t lda, const DType* B,
                   index_t ldb, DType beta, DType* C, index_t ldc) {
    // The transpose of a column-major matrix is the same memory read row by row.
    detail::BlasOn<Device>(stream).Gemm(transb, transa, n, m, k, alpha, B, ldb, A, lda, beta, C,
                                        ldc);
  }
  static void batched_gemm(Stream<Device>* stream, bool transa, bool transb, index_t m, index_t n,
                           index_t k, DType alpha, const DType* A, index_t lda, const DType* B,
                           index_t ldb, DType beta, DType* C, index_t ldc, index_t batch_count,
                           DType** workspace = nullptr) {
    (void)workspace;
    const std::ptrdiff_t rows = m, cols = n, inner = k;
    detail::BlasOn<Device>(stream).BatchGemm(transb, transa, n, m, k, alpha, B, ldb, inner * cols,
                                             A, lda, rows * inner, beta, C, ldc, rows * cols,
                                             batch_count);
  }
  static void gemv(Stream<Device>* stream, bool trans, index_t m, index_t n, DType alpha,
                   const DType* A, index_t lda, const DType* X, index_t incX, DType beta, DType* Y,
                   index_t incY) {
    detail::BlasOn<Device>(stream).Gemv(!trans, n, m, alpha, A, lda, X, incX, beta, Y, incY);
  }
  static void batched_gemv(Stream<Device>* stream, bool trans, index_t m, index_t n, DType alpha,
                           const DType* A, index_t lda, const DType* X, index_t incX, DType beta,
                           DType* Y, index_t incY, index_t batch_count) {
    const std::ptrdiff_t rows = m, cols = n;
    const std::ptrdiff_t x_step = (trans ? rows : cols) * static_cast<std::ptrdiff_t>(incX);
    const std::ptrdiff_t y_step = (trans ? cols : rows) * static_cast<std::ptrdiff_t>(incY);
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(batch_count); ++i) {
      gemv(stream, trans, m, n, alpha, A + i * rows * cols, lda, X + i * x_step, incX, beta,
           Y + i * y_step, incY);
    }
  }
  static void ger(Stream<Device>* stream, index_t m, index_t n, DType alpha, const DType* X,
                  index_t incX, const DType* Y, index_t incY, DType* A, index_t lda) {
    detail::BlasOn<Device>(stream).Ger(n, m, alpha, Y, incY, X, incX, DType(1.0f), A, lda);
  }
  static void batched_ger(Stream<Device>* stream, index_t m, index_t n, DType alpha,
                          const DType* X, index_t incX, const DType* Y, index_t incY, DType* A,
                          index_t lda, index_t batch_count) {
    const std::ptrdiff_t rows = m, cols = n;
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(batch_count); ++i) {
      ger(stream, m, n, alpha, X + i * rows * static_cast<std::ptrdiff_t>(incX), incX,
          Y + i * cols * static_cast<std::ptrdiff_t>(incY), incY, A + i * rows * cols, lda);
    }
  }
  static void dot(Stream<Device>* stream, index_t n, const DType* X, index_t incX, const DType* Y,
                  index_t incY, DType* ret) {
    if constexpr (Device::kDevCPU) {
      *ret = detail::BlasOn<Device>(stream).Dot(n, X, incX, Y, incY);
    } else {
      detail::BlasOn<Device>(stream).Dot(n, X, incX, Y, incY, ret);
    }
  }
};

}  // namespace expr

/// dst[i] = alpha * op(lhs[i]) * op(rhs[i]) + beta * dst[i]; rows may be padded. The workspace of
/// 2.x is accepted and not needed. lhs and rhs may share memory with dst: the product then goes
/// through a copy of it. Throws Error with all shapes where they do not fit.
template <bool transpose_left, bool transpose_right, typename Device, typename DType>
inline void BatchGEMM(Tensor<Device, 3, DType> dst, const Tensor<Device, 3, DType>& lhs,
                      const Tensor<Device, 3, DType>& rhs, DType alpha, DType beta,
                      Tensor<Device, 1, DType*> workspace) {
  if (detail::Overwrites(dst, lhs) || detail::Overwrites(dst, rhs)) {
    return detail::ThroughCopy(dst, [&](const auto& copy) {
      BatchGEMM<transpose_left, transpose_right>(copy, lhs, rhs, alpha, beta, workspace);
    });
  }
  expr::DotEngine<sv::saveto, Device, 3, 3, 3, transpose_left, transpose_right,
                  DType>::Product(dst, lhs, rhs, alpha, beta);
}

/// dst[i] = src + i * stride for i < num.
template <typename DType>
inline void GetBatchedView(DType** dst, DType* src, int num, int stride, Stream<cpu>*) {
  for (int i = 0; i < num; ++i) dst[i] = src + static_cast<std::ptrdiff_t>(i) * stride;
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_DOT_ENGINE_H_
