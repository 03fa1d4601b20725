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

#include "tensor.h"

#define MSHADOW_KERNELS_OF_WINDOW_(KERNEL, ...)                 \
  KERNEL(expr::detail::GlobalPoolKernel<__VA_ARGS__, float>)    \
  KERNEL(expr::detail::MemoryWindowsKernel<__VA_ARGS__, float>) \
  KERNEL(expr::detail::SquareWindowsKernel<__VA_ARGS__, float>)
/// pool<red::maximum>, pool<red::sum>, avg_pool, pool3d.
#define MSHADOW_KERNELS_OF_POOLING(KERNEL)                                               \
  MSHADOW_KERNELS_OF_WINDOW_(KERNEL, expr::detail::WindowReduction<red::maximum, float>) \
  MSHADOW_KERNELS_OF_WINDOW_(KERNEL, expr::detail::WindowReduction<red::sum, float>)     \
  MSHADOW_KERNELS_OF_WINDOW_(KERNEL, expr::detail::WindowMean<float>)

#define MSHADOW_KERNELS_OF_GRADIENT_(KERNEL, Reducer)              \
  KERNEL(expr::detail::NonOverlappingUnpoolKernel<Reducer, float>) \
  KERNEL(expr::detail::SmallUnpoolKernel<Reducer, float>)          \
  KERNEL(expr::detail::StridedUnpoolKernel<Reducer, float>)
/// unpool, unpool3d, avg_unpool.
#define MSHADOW_KERNELS_OF_UNPOOLING(KERNEL)         \
  MSHADOW_KERNELS_OF_GRADIENT_(KERNEL, red::maximum) \
  MSHADOW_KERNELS_OF_GRADIENT_(KERNEL, red::sum)

#define MSHADOW_KERNELS_OF_TYPE_(KERNEL, T) \
  KERNEL(blas::AddSums<T>)                  \
  KERNEL(blas::GemmBlock<T>)                \
  KERNEL(blas::GemmPack<T>)                 \
  KERNEL(blas::GetGemmTileSize<T>)          \
  KERNEL(blas::OuterProduct<T>)             \
  KERNEL(blas::RowDots<T>)                  \
  KERNEL(blas::RowSums<T>)                  \
  KERNEL(blas::SmallGemm<T>)
/// dot and batch_dot without a BLAS, and with one those of 16-bit floats, and those that the
/// builtin product is faster at (Cblas::BuiltinIsFaster).
#define MSHADOW_KERNELS_OF_PRODUCTS(KERNEL) \
  MSHADOW_KERNELS_OF_TYPE_(KERNEL, float)   \
  MSHADOW_KERNELS_OF_TYPE_(KERNEL, double)

/// Softmax, SoftmaxGrad, Random<cpu, float>.
#define MSHADOW_KERNELS_OF_FUNCTIONS(KERNEL)                \
  KERNEL(mshadow::detail::SoftmaxKernel<float>)             \
  KERNEL(mshadow::detail::SoftmaxGradKernel<float, float>)  \
  KERNEL(rng::FillKernel<rng::NormalVariate<float>, float>) \
  KERNEL(rng::FillKernel<rng::UniformVariate<float>, float>)

/// In namespace mshadow::simd: a kernel that is compiled elsewhere, and here.
#define MSHADOW_DECLARE_KERNEL(...) extern template void RunOn(Isa, const __VA_ARGS__&);
#define MSHADOW_DEFINE_KERNEL(...) template void RunOn(Isa, const __VA_ARGS__&);

// The same for those that simd::Call runs, with their arguments.
#define MSHADOW_CALLED_KERNEL_(PREFIX, ISA, KERNEL, ...) \
  PREFIX template void ISA::Call<KERNEL>(__VA_ARGS__);
#if MSHADOW_SIMD_DISPATCH
#define MSHADOW_CALLED_KERNEL(PREFIX, KERNEL, ...)                \
  MSHADOW_CALLED_KERNEL_(PREFIX, Baseline, KERNEL, __VA_ARGS__) \
  MSHADOW_CALLED_KERNEL_(PREFIX, Avx2, KERNEL, __VA_ARGS__)     \
  MSHADOW_CALLED_KERNEL_(PREFIX, Avx512, KERNEL, __VA_ARGS__)
#else
#define MSHADOW_CALLED_KERNEL(PREFIX, KERNEL, ...) \
  MSHADOW_CALLED_KERNEL_(PREFIX, Baseline, KERNEL, __VA_ARGS__)
#endif
#define MSHADOW_KERNELS_OF_KIND_(PREFIX, K)                                                       \
  PREFIX template void RunOn(Isa, const mshadow::detail::StatisticGroupsKernel<K>&);              \
  PREFIX template void RunOn(Isa, const mshadow::detail::StatisticRowsKernel<K, FloatBlock>&);    \
  MSHADOW_CALLED_KERNEL(PREFIX, FloatColumns<K>, const FloatBlock*, std::ptrdiff_t,               \
                        std::ptrdiff_t, std::ptrdiff_t, K::Acc*, K::Aux*, const K::Scout*)        \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StatisticResultsKernel<K>, const K::Acc*,        \
                        const K::Aux*, const K::Scout*, std::ptrdiff_t, std::ptrdiff_t, K::Out*)  \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StatisticMergeKernel<K>, const K::Acc*,          \
                        const K::Aux*, const K::Scout*, std::ptrdiff_t, std::ptrdiff_t,           \
                        std::ptrdiff_t, bool, K::Total*)                                          \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StatisticFoldKernel<K>, K::Acc*, std::ptrdiff_t, \
                        std::ptrdiff_t)                                                           \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StatisticJoinKernel<K>, K::Acc*, K::Aux*,        \
                        K::Scout*, std::ptrdiff_t, std::ptrdiff_t)                                \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StatisticFinishKernel<K>, K::Total*,             \
                        std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, K::Out*)
/// sum, mean, max over any axes, sumall_except_dim, sum_rows: all kernels for a tensor, and those
/// for an expression that do not read its elements. And non-temporal stores, which any large
/// statement may use. PREFIX: extern, or nothing.
#define MSHADOW_KERNELS_OF_REDUCTIONS(PREFIX)                                                      \
  MSHADOW_CALLED_KERNEL(PREFIX, mshadow::detail::StreamKernel, const char*, char*, std::ptrdiff_t) \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, mshadow::statistic::Sum<float>)                                 \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, mshadow::statistic::Mean<float>)                                \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, mshadow::statistic::Max<float>)                                 \
  MSHADOW_KERNELS_OF_KIND_(PREFIX, FloatSum)

MSHADOW_NAMESPACE_BEGIN
namespace simd {
using FloatSum = mshadow::statistic::ByReducer<red::sum, float, float>;
using FloatBlock = mshadow::detail::BlockInMemory<float>;
template <typename K>
using FloatColumns = mshadow::detail::StatisticColumnsKernel<K, FloatBlock>;
#if MSHADOW_EXTERN_KERNELS
MSHADOW_KERNELS_OF_POOLING(MSHADOW_DECLARE_KERNEL)
MSHADOW_KERNELS_OF_UNPOOLING(MSHADOW_DECLARE_KERNEL)
MSHADOW_KERNELS_OF_PRODUCTS(MSHADOW_DECLARE_KERNEL)
MSHADOW_KERNELS_OF_FUNCTIONS(MSHADOW_DECLARE_KERNEL)
MSHADOW_KERNELS_OF_REDUCTIONS(extern)
#endif
}  // namespace simd
MSHADOW_NAMESPACE_END

#endif  // MSHADOW_KERNELS_H_
