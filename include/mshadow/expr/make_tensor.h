// SPDX-License-Identifier: Apache-2.0
// MakeTensorExp: the base of extensions, whose shape is not that of an operand.
#ifndef MSHADOW_EXPR_MAKE_TENSOR_H_
#define MSHADOW_EXPR_MAKE_TENSOR_H_

#include "operand.h"
#include "plan/plan.h"
#include "reordered.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Base of an expression over `SrcExp` that has `dim` axes and a shape of its own. A subclass sets
/// shape_ in its constructor and brings Plan<SubType, DType>; nothing else is needed.
/// guide/adding_an_extension.md shows the way.
template <typename SubType, typename SrcExp, int dim, typename DType>
struct MakeTensorExp : public Exp<SubType, DType, type::kChainer> {
  // The rank is that of the result, if the source can be part of a statement at all.
  static constexpr int kRank = ExpInfo<SrcExp>::kDim >= 0 ? dim : -1;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  Shape<dim> shape_;
  MakeTensorExp() = default;
  MakeTensorExp(const MakeTensorExp&) = default;
  // reshape(a, s) = reshape(b, s) would replace one node by another and write no element.
  MakeTensorExp& operator=(const MakeTensorExp&) = delete;
  MSHADOW_XINLINE const SubType& real_self() const { return *static_cast<const SubType*>(this); }
  template <int rank>
  Shape<rank> GetShape() const {
    static_assert(rank == dim, "mshadow: the expression has another number of axes than the "
                               "statement it stands in");
    return shape_;
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MAKE_TENSOR_H_
