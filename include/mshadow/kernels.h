// SPDX-License-Identifier: Apache-2.0
// Kernels that depend on element types alone: pooling and its gradient, matrix products, softmax,
// reductions by name and random numbers of float (products of double too). They are most of what a
// statement with one of these takes to compile, the same in every file.
//
// A program that compiles kernels/*.cc, as the CMake target mshadow::kernels does, and defines
// MSHADOW_COMPILED_KERNELS=1 has them from there. Nothing else changes: what is not in these lists,
// and all expressions, stay with the files that use them.
#ifndef MSHADOW_KERNELS_H_
#define MSHADOW_KERNELS_H_

#include "core/letters_begin.inc"

#include "tensor.h"

#define MSHADOW_KERNELS_OF_GRADIENT_(KERNEL, Reducer)     \
  KERNEL(expr::detail::SmallUnpoolKernel<Reducer, float>) \
  KERNEL(expr::detail::UnpoolKernel<Reducer, float>)
/// unpool, unpool3d, avg_unpool.
#define MSHADOW_KERNELS_OF_UNPOOLING(KERNEL)         \
  MSHADOW_KERNELS_OF_GRADIENT_(KERNEL, red::maximum) \
  MSHADOW_KERNELS_OF_GRADIENT_(KERNEL, red::sum)     \
  KERNEL(expr::detail::ShareGradientsKernel<float>)  \
  KERNEL(expr::detail::ShareTwosKernel<float>)

/// Softmax, SoftmaxGrad, Random<cpu, float>.
#define MSHADOW_KERNELS_OF_FUNCTIONS(KERNEL)                \
  KERNEL(mshadow::detail::SoftmaxKernel<float>)             \
  KERNEL(mshadow::detail::SoftmaxGradKernel<float, float>)  \
  KERNEL(rng::FillKernel<rng::NormalVariate<float>, float>) \
  KERNEL(rng::FillKernel<rng::UniformVariate<float>, float>)

/// In namespace mshadow::simd: a kernel that is compiled elsewhere, and here.
#define MSHADOW_DECLARE_KERNEL(...) extern template void RunOn(Isa, const __VA_ARGS__&);
#define MSHADOW_DEFINE_KERNEL(...) template void RunOn(Isa, const __VA_ARGS__&);

// The same for those that simd::Call runs, with their arguments; and for those of kShortForms.
#define MSHADOW_CALLED_KERNEL_(PREFIX, ISA, KERNEL, ...) \
  PREFIX template void ISA::Call<KERNEL>(__VA_ARGS__);
#if MSHADOW_SIMD_DISPATCH
#define MSHADOW_SHORT_KERNEL(PREFIX, KERNEL, ...)               \
  MSHADOW_CALLED_KERNEL_(PREFIX, Baseline, KERNEL, __VA_ARGS__) \
  MSHADOW_CALLED_KERNEL_(PREFIX, Avx2, KERNEL, __VA_ARGS__)
#define MSHADOW_CALLED_KERNEL(PREFIX, KERNEL, ...)   \
  MSHADOW_SHORT_KERNEL(PREFIX, KERNEL, __VA_ARGS__)  \
  MSHADOW_CALLED_KERNEL_(PREFIX, Avx512, KERNEL, __VA_ARGS__)
#else
#define MSHADOW_SHORT_KERNEL(PREFIX, KERNEL, ...) \
  MSHADOW_CALLED_KERNEL_(PREFIX, Baseline, KERNEL, __VA_ARGS__)
#define MSHADOW_CALLED_KERNEL MSHADOW_SHORT_KERNEL
#endif
#define MSHADOW_KERNELS_OF_KIND_(PREFIX, K)                                                        \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::FoldRows<K>,                                      \
                        const mshadow::detail::FoldLanes*, const mshadow::detail::FoldBlock*)      \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::FoldColumns<K>,                                   \
                        const mshadow::detail::FoldLanes*, const mshadow::detail::FoldBlock*)      \
  MSHADOW_SHORT_KERNEL(PREFIX, mshadow::detail::JoinLanes<K>, const mshadow::detail::FoldLanes*,   \
                        std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, bool)                      \
  MSHADOW_CALLED_KERNEL_(PREFIX, Baseline, mshadow::detail::MergeLanes<K>,                         \
                         const mshadow::detail::FoldLanes*, std::ptrdiff_t, std::ptrdiff_t,        \
                         std::ptrdiff_t, std::ptrdiff_t, char*)
#define MSHADOW_KERNELS_OF_TYPE_(PREFIX, T)                                              \
  MSHADOW_CALLED_KERNEL(PREFIX, blas::RowDots<T>, const blas::MatrixAndVectors<T>*)      \
  MSHADOW_CALLED_KERNEL(PREFIX, blas::RowSums<T>, const blas::MatrixAndVectors<T>*)      \
  MSHADOW_CALLED_KERNEL(PREFIX, blas::SmallGemm<T>, const blas::SmallGemm<T>*)           \
  PREFIX template void Baseline::Run(const blas::PackTransposed<T>&);                    \
  PREFIX template void RunOn(Isa, const blas::AddRows<T>&);
/// dot and batch_dot without a BLAS, with one those of 16-bit floats, and all where the builtin
/// replaces it (blas::ReplacesCblas).
#define MSHADOW_KERNELS_OF_PRODUCTS(PREFIX) \
  MSHADOW_KERNELS_OF_TYPE_(PREFIX, float)   \
  MSHADOW_KERNELS_OF_TYPE_(PREFIX, double)

#define MSHADOW_KERNEL_OF_WINDOWS_(PREFIX, KERNEL) \
  MSHADOW_CALLED_KERNEL(PREFIX, KERNEL, const expr::detail::RowsOfWindows<float>*)
/// pool<red::maximum>, pool<red::sum>, avg_pool, pool3d. PREFIX: extern, or nothing.
#define MSHADOW_KERNELS_OF_POOLING(PREFIX)           \
  MSHADOW_KERNEL_OF_WINDOWS_(PREFIX, FloatMaxPool)   \
  MSHADOW_KERNEL_OF_WINDOWS_(PREFIX, FloatSumPool)   \
  MSHADOW_KERNEL_OF_WINDOWS_(PREFIX, FloatMeanPool)

/// sum, mean, max over any axes, sumall_except_dim, sum_rows: all kernels for a tensor, and those
/// for an expression that do not read its elements. And non-temporal stores, which any large
/// statement may use.
#define MSHADOW_KERNELS_OF_REDUCTIONS(PREFIX)                                                      \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StreamKernel, const char*, char*, std::ptrdiff_t) \
  MSHADOW_SHORT_KERNEL(PREFIX, mshadow::detail::Turn<4>, const char*, std::ptrdiff_t,              \
                       std::ptrdiff_t, std::ptrdiff_t, char*)                                      \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, mshadow::statistic::Sum<float>)                                 \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, mshadow::statistic::Mean<float>)                                \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, mshadow::statistic::Max<float>)                                 \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, FloatSum)

MSHADOW_NAMESPACE_BEGIN
namespace simd {
using FloatMaxPool =
    expr::detail::PoolKernel<expr::detail::WindowReduction<red::maximum, float>, float>;
using FloatSumPool =
    expr::detail::PoolKernel<expr::detail::WindowReduction<red::sum, float>, float>;
using FloatMeanPool = expr::detail::PoolKernel<expr::detail::WindowMean<float>, float>;
using FloatSum = mshadow::statistic::ByReducer<red::sum, float, float>;
#if MSHADOW_EXTERN_KERNELS
MSHADOW_KERNELS_OF_POOLING(extern)
MSHADOW_KERNELS_OF_UNPOOLING(MSHADOW_DECLARE_KERNEL)
MSHADOW_KERNELS_OF_PRODUCTS(extern)
MSHADOW_KERNELS_OF_FUNCTIONS(MSHADOW_DECLARE_KERNEL)
MSHADOW_KERNELS_OF_REDUCTIONS(extern)
#endif
}  // namespace simd
MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_KERNELS_H_
