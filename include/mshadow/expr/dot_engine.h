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
    return static_cast<DType>(factor);
  }
}

template <bool kTrans>
inline Shape<2> OpShape(const Shape<2>& shape) {
  return kTrans ? Shape2(shape[1], shape[0]) : shape;
}

/// Where the products do not fit the target.
template <int da, int db, int dc>
[[noreturn]] MSHADOW_COLD inline void ThrowDotMismatch(const char* who, const Shape<da>& lhs,
                                                       bool ltrans, const Shape<db>& rhs,
                                                       bool rtrans, const Shape<dc>& dst) {
  ThrowDotMismatch(who, lhs, ltrans, rhs, rtrans,
                   "does not fit the target of shape " + std::string(LogText(dst)));
}

}  // namespace detail

/// dst Saver= scale * op(lhs) * op(rhs) for tensors of the ranks given.
template <typename Saver, typename Device, int ddim, int ldim, int rdim, bool ltrans, bool rtrans,
          typename DType>
struct DotEngine {
  template <typename Dst, typename Lhs, typename Rhs>
  static void Eval(Dst*, const Lhs&, const Rhs&, DType) {
    static_assert(mshadow::detail::Never<Dst>::value,
                  "mshadow: no dot for tensors of these ranks; there are matrix = dot(matrix, "
                  "matrix), vector = dot(vector, matrix), vector = dot(matrix, vector), matrix = "
                  "dot(vector.T(), vector), and batch_dot");
  }
};

template <typename Saver, typename Device, bool ltrans, bool rtrans, typename DType>
struct DotEngine<Saver, Device, 2, 2, 2, ltrans, rtrans, DType> {
  static void Eval(Tensor<Device, 2, DType>* dst, const Tensor<Device, 2, DType>& lhs,
                   const Tensor<Device, 2, DType>& rhs, DType scale) {
    const Shape<2> left = detail::OpShape<ltrans>(lhs.shape_);
    const Shape<2> right = detail::OpShape<rtrans>(rhs.shape_);
    if (dst->shape_ != Shape2(left[0], right[1]) || left[1] != right[0]) {
      detail::ThrowDotMismatch("dot-gemm", lhs.shape_, ltrans, rhs.shape_, rtrans, dst->shape_);
    }
    detail::BlasOn<Device>(dst->stream_)
        .Gemm(ltrans, rtrans, left[0], right[1], left[1],
              static_cast<DType>(scale * detail::BlasFactor<DType>(Saver::AlphaBLAS())),
              lhs.dptr_, lhs.stride_, rhs.dptr_, rhs.stride_,
              detail::BlasFactor<DType>(Saver::BetaBLAS()), dst->dptr_, dst->stride_);
  }
};

/// vector = dot(vector, matrix)
template <typename Saver, typename Device, bool ltrans, bool rtrans, typename DType>
struct DotEngine<Saver, Device, 1, 1, 2, ltrans, rtrans, DType> {
  static_assert(!ltrans, "mshadow: a transposed vector times a matrix has no meaning; write "
                         "dot(vector, matrix)");
  static void Eval(Tensor<Device, 1, DType>* dst, const Tensor<Device, 1, DType>& lhs,
                   const Tensor<Device, 2, DType>& rhs, DType scale) {
    const Shape<2> right = detail::OpShape<rtrans>(rhs.shape_);
    if (dst->size(0) != right[1] || lhs.size(0) != right[0]) {
      detail::ThrowDotMismatch("dot-gemv", lhs.shape_, ltrans, rhs.shape_, rtrans, dst->shape_);
    }
    detail::BlasOn<Device>(dst->stream_)
        .Gemv(!rtrans, rhs.size(0), rhs.size(1),
              static_cast<DType>(scale * detail::BlasFactor<DType>(Saver::AlphaBLAS())),
              rhs.dptr_, rhs.stride_, lhs.dptr_, 1,
              detail::BlasFactor<DType>(Saver::BetaBLAS()), dst->dptr_, 1);
  }
};

/// vector = dot(matrix, vector)
template <typename Saver, typename Device, bool ltrans, bool rtrans, typename DType>
struct DotEngine<Saver, Device, 1, 2, 1, ltrans, rtrans, DType> {
  static_assert(!rtrans, "mshadow: a matrix times a transposed vector has no meaning; write "
                         "dot(matrix, vector)");
  static void Eval(Tensor<Device, 1, DType>* dst, const Tensor<Device, 2, DType>& lhs,
                   const Tensor<Device, 1, DType>& rhs, DType scale) {
    const Shape<2> left = detail::OpShape<ltrans>(lhs.shape_);
    if (dst->size(0) != left[0] || rhs.size(0) != left[1]) {
      detail::ThrowDotMismatch("dot-gemv", lhs.shape_, ltrans, rhs.shape_, rtrans, dst->shape_);
    }
    detail::BlasOn<Device>(dst->stream_)
        .Gemv(ltrans, lhs.size(0), lhs.size(1),
              static_cast<DType>(scale * detail::BlasFactor<DType>(Saver::AlphaBLAS())),
              lhs.dptr_, lhs.stride_, rhs.dptr_, 1,
              detail::BlasFactor<DType>(Saver::BetaBLAS()), dst->dptr_, 1);
  }
};

/// matrix = dot(vector.T(), vector)
template <typename Saver, typename Device, bool ltrans, bool rtrans, typename DType>
struct DotEngine<Saver, Device, 2, 1, 1, ltrans, rtrans, DType> {
  static_assert(ltrans && !rtrans,
                "mshadow: the outer product of two vectors is dot(u.T(), v); VectorDot gives the "
                "inner one");
  static void Eval(Tensor<Device, 2, DType>* dst, const Tensor<Device, 1, DType>& lhs,
                   const Tensor<Device, 1, DType>& rhs, DType scale) {
    if (dst->shape_ != Shape2(lhs.size(0), rhs.size(0))) {
      detail::ThrowDotMismatch("dot-ger", lhs.shape_, ltrans, rhs.shape_, rtrans, dst->shape_);
    }
    detail::BlasOn<Device>(dst->stream_)
        .Ger(lhs.size(0), rhs.size(0),
             static_cast<DType>(scale * detail::BlasFactor<DType>(Saver::AlphaBLAS())), lhs.dptr_,
             1, rhs.dptr_, 1, detail::BlasFactor<DType>(Saver::BetaBLAS()), dst->dptr_,
             dst->stride_);
  }
};

/// A product of matrices for each index of axis 0.
template <typename Saver, typename Device, bool ltrans, bool rtrans, typename DType>
struct DotEngine<Saver, Device, 3, 3, 3, ltrans, rtrans, DType> {
  static void Eval(Tensor<Device, 3, DType>* dst, const Tensor<Device, 3, DType>& lhs,
                   const Tensor<Device, 3, DType>& rhs, DType scale) {
    BatchProduct(*dst, lhs, rhs,
                 static_cast<DType>(scale * detail::BlasFactor<DType>(Saver::AlphaBLAS())),
                 detail::BlasFactor<DType>(Saver::BetaBLAS()));
  }
  /// dst[i] = alpha * op(lhs[i]) * op(rhs[i]) + beta * dst[i]
  static void BatchProduct(const Tensor<Device, 3, DType>& dst,
                           const Tensor<Device, 3, DType>& lhs,
                           const Tensor<Device, 3, DType>& rhs, DType alpha, DType beta) {
    const Shape<2> left = detail::OpShape<ltrans>(Shape2(lhs.size(1), lhs.size(2)));
    const Shape<2> right = detail::OpShape<rtrans>(Shape2(rhs.size(1), rhs.size(2)));
    if (dst.shape_ != Shape3(lhs.size(0), left[0], right[1]) || left[1] != right[0] ||
        rhs.size(0) != lhs.size(0)) {
      detail::ThrowDotMismatch("batch_dot", lhs.shape_, ltrans, rhs.shape_, rtrans, dst.shape_);
    }
    detail::BlasOn<Device>(dst.stream_)
        .BatchGemm(ltrans, rtrans, left[0], right[1], left[1], alpha, lhs.dptr_, lhs.stride_,
                   Pitch(lhs), rhs.dptr_, rhs.stride_, Pitch(rhs), beta, dst.dptr_, dst.stride_,
                   Pitch(dst), dst.size(0));
  }

 private:
  static std::ptrdiff_t Pitch(const Tensor<Device, 3, DType>& t) {
    return static_cast<std::ptrdiff_t>(t.size(1)) * static_cast<std::ptrdiff_t>(t.stride_);
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

  static void Eval(Tensor<Device, ddim, DType>* dst, const Product& product) {
    if constexpr (!detail::HasBlasFactors<Saver>::value) {
      MapExp<Saver>(dst, product);
    } else {
#if MSHADOW_ALIAS_CHECK
      // A product reads its operands until it is finished, so any overlap is one too many.
      const WrittenView written = dst->Written();
      if (expr::Overlaps(product.lhs_, written, false) ||
          expr::Overlaps(product.rhs_, written, false)) {
        mshadow::detail::Temporary<Device, ddim, DType> result(dst->shape_, dst->stream_);
        Engine<sv::saveto>::Eval(&result.tensor(), product.lhs_, product.rhs_, product.scale_);
        MapPlan<Saver>(dst, MakePlan(result.tensor()));
        return;
      }
#endif
      Engine<Saver>::Eval(dst, product.lhs_, product.rhs_, product.scale_);
    }
  }
};

namespace detail {
/// `operand` as a tensor: in `memory` unless it is one.
template <typename DType, typename Device, typename E>
inline MaterialisedTensor<E, DType> AsTensor(const E& operand, OperandMemory<Device>* memory) {
  if constexpr (std::is_same_v<E, MaterialisedTensor<E, DType>>) {
    return operand;
  } else {
    return InMemory<DType>(operand, memory);
  }
}
}  // namespace detail

/// A product of expressions: these first.
template <typename Saver, typename Device, int ddim, typename TA, typename TB, bool ltrans,
          bool rtrans, typename DType>
struct ExpComplexEngine<Saver, Tensor<Device, ddim, DType>, DotExp<TA, TB, ltrans, rtrans, DType>,
                        DType> {
  static void Eval(Tensor<Device, ddim, DType>* dst,
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
                  DType>::BatchProduct(dst, lhs, rhs, alpha, beta);
}

/// dst[i] = src + i * stride for i < num.
template <typename DType>
inline void GetBatchedView(DType** dst, DType* src, int num, int stride, Stream<cpu>*) {
  for (int i = 0; i < num; ++i) dst[i] = src + static_cast<std::ptrdiff_t>(i) * stride;
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_DOT_ENGINE_H_
