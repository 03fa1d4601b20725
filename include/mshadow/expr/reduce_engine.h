// SPDX-License-Identifier: Apache-2.0
// Reductions to one axis: from `dst Saver= scale * reduction of exp` to a device's ReduceExecutor.
#ifndef MSHADOW_EXPR_REDUCE_ENGINE_H_
#define MSHADOW_EXPR_REDUCE_ENGINE_H_

#include "../op/one_pass.h"
#include "engine.h"
#include "fold_operand.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {

/// dst[c] Saver= scale * reduction of `exp` over all axes but dimkeep; no alias check.
template <typename Saver, typename Reducer, int dimkeep, typename R, typename Device,
          typename DType, typename E>
inline void ReduceExp(TRValue<R, Device, 1, DType>* dst, const E& exp, DType scale) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  static_assert(kDim > 0,
                "mshadow: the expression cannot be reduced: it is a scalar, its operands differ in "
                "the number of axes, or it holds a dot or another reduction to one axis");
  static_assert(kDim <= 0 || (0 <= dimkeep && dimkeep < kDim),
                "mshadow: the axis that a reduction keeps must be one of the expression's");
  static_assert(kDim <= 0 || (expr::ExpInfo<E>::kDevMask & Device::kDevMask) != 0,
                "mshadow: the expression and the tensor it is reduced to live on different "
                "devices; use Copy(dst, src)");
  if constexpr (kDim > 0 && 0 <= dimkeep && dimkeep < kDim) {
    const Shape<kDim> eshape = expr::ShapeCheck<kDim, E>::Check(exp);
    const Shape<1> dshape = expr::ShapeCheck<1, R>::Check(dst->self());
    if (!MSHADOW_LIKELY(eshape[dimkeep] == dshape[0])) {
      throw Error("Reduction: axis " + std::to_string(dimkeep) + " of the expression does not fit "
                  "the target, eshape: " + LogText(eshape) + " dshape:" + LogText(dshape));
    }
    Stream<Device>* const stream = expr::StreamInfo<Device, R>::Get(dst->self());
    const expr::detail::StatementMemory<Device> memory(stream);
    using Kind = std::conditional_t<red::HasCombine<Reducer, Accumulator<DType>>::value,
                                    statistic::ByReducer<Reducer, DType>,
                                    statistic::InOrder<Reducer, DType, DType, false>>;
    const auto plan = expr::detail::ReadBy<Device, Kind>(exp);
    const auto dst_plan = expr::MakePlan(dst->self());
    if constexpr (dimkeep == kDim - 1) {
      ReduceExecutor<Device>::template KeepLowest<Saver, Reducer, DType>(
          dst_plan, plan, eshape.CheckedFlatTo2D(), scale, stream);
    } else {
      const Shape<4> n_c_y_x = Shape4(eshape.CheckedProdShape(0, dimkeep), eshape[dimkeep],
                                      eshape.CheckedProdShape(dimkeep + 1, kDim - 1),
                                      eshape[kDim - 1]);
      ReduceExecutor<Device>::template KeepHighDim<Saver, Reducer, DType>(dst_plan, plan, n_c_y_x,
                                                                          scale, stream);
    }
  }
}

/// ReduceExp where dst may share memory with what exp reads: then through a temporary.
template <typename Saver, typename Reducer, int dimkeep, typename R, typename Device,
          typename DType, typename E>
inline void ReduceExpAliased(TRValue<R, Device, 1, DType>* dst, const E& exp, DType scale) {
#if MSHADOW_ALIAS_CHECK
  if (!MSHADOW_LIKELY(!ReadsTarget<false>(exp, dst->self(), false))) {
    Temporary<Device, 1, DType> result(expr::ShapeCheck<1, R>::Check(dst->self()),
                                       expr::StreamInfo<Device, R>::Get(dst->self()));
    ReduceExp<sv::saveto, Reducer, dimkeep>(&result.tensor(), exp, scale);
    MapPlan<Saver>(dst, expr::MakePlan(result.tensor()));
    return;
  }
#endif
  ReduceExp<Saver, Reducer, dimkeep>(dst, exp, scale);
}

}  // namespace detail

/// dst[x] Saver= scale * reduction of exp[...][x] over all axes but the last; throws Error where
/// the extents of x differ, or there is nothing to reduce.
template <typename Saver, typename Reducer, typename R, typename DType, typename E, int etype,
          typename Device>
inline void MapReduceKeepLowest(TRValue<R, Device, 1, DType>* dst,
                                const expr::Exp<E, DType, etype>& exp, DType scale = 1) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  if constexpr (kDim > 0) {
    const Shape<kDim> eshape = expr::ShapeCheck<kDim, E>::Check(exp.self());
    MSHADOW_CHECK(eshape.CheckedProdShape(0, kDim - 1) != 0)
        << "MapReduceKeepLowest: can not reduce over empty tensor of shape " << LogText(eshape);
  }
  detail::ReduceExpAliased<Saver, Reducer, kDim - 1>(dst, exp.self(), scale);
}

/// dst[c] Saver= scale * reduction of exp over all axes but dimkeep, of which c is the index; the
/// reducer's initial value where that is nothing. Throws Error where the extents of c differ.
template <typename Saver, typename Reducer, int dimkeep, typename R, typename DType, typename E,
          int etype, typename Device>
inline void MapReduceKeepHighDim(TRValue<R, Device, 1, DType>* dst,
                                 const expr::Exp<E, DType, etype>& exp, DType scale = 1) {
  detail::ReduceExpAliased<Saver, Reducer, dimkeep>(dst, exp.self(), scale);
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_REDUCE_ENGINE_H_
