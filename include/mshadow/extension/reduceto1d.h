// SPDX-License-Identifier: Apache-2.0
// Reductions to one axis: sum_rows, sumall_except_dim, reduce_except_dim.
#ifndef MSHADOW_EXTENSION_REDUCETO1D_H_
#define MSHADOW_EXTENSION_REDUCETO1D_H_

#include "../expr/reduce_engine.h"
#include "../op/math/wrap.h"
#include "../op/reducer.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// scale_ * (reduction of src_ over all axes but one), of one axis; m_dimkeep counts the axis that
/// is kept from the end. As a part of a larger expression it is computed first.
template <typename SrcExp, typename DType, typename Reducer, int m_dimkeep>
struct ReduceTo1DExp
    : public Exp<ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>, DType, type::kComplex> {
  static constexpr int kRank = ExpInfo<SrcExp>::kDim > 0 ? 1 : -1;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  static constexpr int kFullRank = ExpInfo<SrcExp>::kDim;
  static constexpr int kLostAxes = detail::FirstAxes(kFullRank) ^ 1 << (kFullRank - m_dimkeep);
  SrcExp src_;
  DType scale_;
  ReduceTo1DExp(const SrcExp& src, DType scale) : src_(src), scale_(scale) {}
  template <int dim>
  Shape<dim> GetShape() const {
    constexpr int kDim = ExpInfo<SrcExp>::kDim;
    return Shape1(ShapeCheck<kDim, SrcExp>::Check(src_)[kDim - m_dimkeep]);
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first && expr::Overlaps(src_, written, false);
  }
};

template <typename SrcExp, typename DType, typename Reducer, int m_dimkeep>
class Plan<ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>, DType>
    : public detail::MaterialisedPlan<ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>, DType> {
 public:
  explicit Plan(const ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>& e)
      : Plan::MaterialisedPlan(e) {}
};

/// out[c] = reduction by Reducer of exp over all axes but dimkeep, of which c is the index; a
/// negative dimkeep counts from the end. Over nothing it is the reducer's initial value.
/// exp (n, ..., C, ..., m) -> (C). Throws Error where the tensor assigned to has not C elements.
///
/// Memory is read in order, and 16-bit floats accumulate in float. A sum is taken in many partial
/// sums, so that the relative error of 16 million floats of one sign stays near 1e-7. Results do
/// not depend on the number of threads. Reducers without Combine run in row-major order; Merge
/// joins parts of a long row.
///
/// The result has the element type of exp, as in 2.x: integer sums wrap, those of uint8_t at 256.
/// sum_rows(tcast<int32_t>(exp)) counts on.
template <int dimkeep, typename Reducer, typename SrcExp, typename DType, int etype>
inline auto reduce_except_dim(const Exp<SrcExp, DType, etype>& exp) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  constexpr int kKeep = dimkeep < 0 ? dimkeep + kDim : dimkeep;
  static_assert(kDim > 0,
                "mshadow: sumall_except_dim and reduce_except_dim: the expression cannot be "
                "reduced: it is a scalar, its operands differ in the number of axes, or it holds a "
                "dot or another reduction to one axis");
  static_assert(kDim <= 0 || (0 <= kKeep && kKeep < kDim),
                "mshadow: sumall_except_dim and reduce_except_dim: dimkeep must be an axis of the "
                "expression");
  return ReduceTo1DExp<SrcExp, DType, Reducer, kDim - kKeep>(exp.self(), DType(1));
}
template <int dimkeep, typename Reducer, typename Device, int dim, typename DType>
inline auto reduce_except_dim(TensorContainer<Device, dim, DType>&& exp) {
  return reduce_except_dim<dimkeep, Reducer>(
      static_cast<TensorContainer<Device, dim, DType>&&>(exp).Owned());
}

/// out[c] = sum of exp over all axes but dimkeep; see reduce_except_dim.
template <int dimkeep, typename SrcExp, typename DType, int etype>
inline auto sumall_except_dim(const Exp<SrcExp, DType, etype>& exp) {
  return reduce_except_dim<dimkeep, red::sum>(exp);
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, sumall_except_dim)

/// out[j] = sum_i exp[i][j]; exp (m, n) -> (n). Sums of small integers wrap: see reduce_except_dim.
template <typename SrcExp, typename DType, int etype>
inline ReduceTo1DExp<SrcExp, DType, red::sum, 1> sum_rows(const Exp<SrcExp, DType, etype>& exp) {
  static_assert(ExpInfo<SrcExp>::kDim == 2,
                "mshadow: sum_rows takes a matrix (2 axes); use sumall_except_dim for others");
  return ReduceTo1DExp<SrcExp, DType, red::sum, 1>(exp.self(), DType(1));
}
MSHADOW_OWNS_TEMPORARIES_(sum_rows)

/// reduction * s and s * reduction: scale_ is multiplied; s takes the element type.
template <typename SrcExp, typename DType, typename Reducer, int m_dimkeep, typename S,
          typename = std::enable_if_t<IsScalar<S>::value>>
inline auto operator*(const ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>& e, const S& s) {
  return ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>(
      e.src_, op::math::Mul(e.scale_, detail::ExactScalar<DType>(s)));
}
template <typename SrcExp, typename DType, typename Reducer, int m_dimkeep, typename S,
          typename = std::enable_if_t<IsScalar<S>::value>>
inline auto operator*(const S& s, const ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>& e) {
  return e * s;
}

template <typename Saver, typename R, typename SrcExp, typename DType, typename Reducer,
          int m_dimkeep>
struct ExpComplexEngine<Saver, R, ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>, DType> {
  static void Eval(R* dst, const ReduceTo1DExp<SrcExp, DType, Reducer, m_dimkeep>& exp) {
    static_assert(ExpInfo<R>::kDim == 1,
                  "mshadow: sum_rows, sumall_except_dim and reduce_except_dim give a tensor of one "
                  "axis and can only be assigned to one");
    if constexpr (ExpInfo<R>::kDim == 1) {
      mshadow::detail::ReduceExpAliased<Saver, Reducer, ExpInfo<SrcExp>::kDim - m_dimkeep>(
          dst, exp.src_, exp.scale_);
    }
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_REDUCETO1D_H_
