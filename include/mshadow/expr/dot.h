// SPDX-License-Identifier: Apache-2.0
// dot(a, b), with .T() on either side, and batch_dot; assigned with =, += or -=, scaled or not, or
// an operand of a larger expression, which is computed first. dot of two vectors is a number.
#ifndef MSHADOW_EXPR_DOT_H_
#define MSHADOW_EXPR_DOT_H_

#include "../op/math/wrap.h"
#include "exp.h"
#include "materialised.h"
#include "traits.h"
#include "transpose.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// The rank of op(a) * op(b); -1: there is no such product.
constexpr int DotRank(int a, int b, bool ltrans, bool rtrans) {
  if (a == 2 && b == 2) return 2;
  if (a == 1 && b == 2) return ltrans ? -1 : 1;
  if (a == 2 && b == 1) return rtrans ? -1 : 1;
  if (a == 1 && b == 1) return ltrans && !rtrans ? 2 : -1;
  return a == 3 && b == 3 ? 3 : -1;
}

/// The last two axes, exchanged where `trans`; a vector is a row or a column.
template <int dim>
inline Shape<2> MatrixOf(const Shape<dim>& shape, [[maybe_unused]] bool trans,
                         [[maybe_unused]] bool is_row) {
  if constexpr (dim == 1) {
    return is_row ? Shape2(1, shape[0]) : Shape2(shape[0], 1);
  } else {
    return trans ? Shape2(shape[dim - 1], shape[dim - 2]) : Shape2(shape[dim - 2], shape[dim - 1]);
  }
}
/// The extent of an operand that dot sums over.
template <int dim>
inline index_t SummedExtent(const Shape<dim>& shape, bool first_axis) {
  return shape[dim == 1 ? 0 : first_axis ? dim - 2 : dim - 1];
}
/// What to write where a transposed operand would fit the other; else nothing.
template <int da, int db>
MSHADOW_COLD inline const char* TransposeHint(const Shape<da>& lhs, bool ltrans,
                                              const Shape<db>& rhs, bool rtrans) {
  const index_t left = SummedExtent(lhs, ltrans), right = SummedExtent(rhs, !rtrans);
  if (left == right) return "";
  if (db > 1 && left == SummedExtent(rhs, rtrans)) {
    return rtrans ? "; without the second .T() it has a common extent"
                  : "; dot(a, b.T()) has a common extent";
  }
  if (da > 1 && right == SummedExtent(lhs, !ltrans)) {
    return ltrans ? "; without the first .T() it has a common extent"
                  : "; dot(a.T(), b) has a common extent";
  }
  return "";
}
/// `target`: the extents of a target that the product does not fit; null: the operands do not fit
/// each other.
template <int da, int db>
[[noreturn]] MSHADOW_COLD inline void ThrowDotMismatch(const char* who, const Shape<da>& lhs,
                                                       bool ltrans, const Shape<db>& rhs,
                                                       bool rtrans, const index_t* target = nullptr,
                                                       int target_axes = 0) {
  mshadow::detail::ErrorText text;
  text.Add("%s: matrix shape mismatch, dot(", who);
  text.AddExtents(lhs.shape_, da);
  text.Add("%s, ", ltrans ? ".T()" : "");
  text.AddExtents(rhs.shape_, db);
  text.Add(
      "%s) %s", rtrans ? ".T()" : "",
      target == nullptr ? "has no common extent to sum over" : "does not fit the target of shape ");
  if (target != nullptr) text.AddExtents(target, target_axes);
  text.Add("%s", TransposeHint(lhs, ltrans, rhs, rtrans));
  text.Throw();
}

}  // namespace detail

/// scale_ * op(lhs_) * op(rhs_), op being the transpose where the flag is set.
template <typename TA, typename TB, bool ltrans, bool rtrans, typename DType>
struct DotExp : public Exp<DotExp<TA, TB, ltrans, rtrans, DType>, DType, type::kComplex> {
 private:
  static constexpr int kLeft = ExpInfo<TA>::kDim, kRight = ExpInfo<TB>::kDim;

 public:
  static constexpr int kRank = detail::DotRank(kLeft, kRight, ltrans, rtrans);
  static constexpr int kDevices = ExpInfo<TA>::kDevMask & ExpInfo<TB>::kDevMask;
  TA lhs_;
  TB rhs_;
  DType scale_;
  MSHADOW_XINLINE explicit DotExp(const TA& lhs, const TB& rhs, DType scale)
      : lhs_(lhs), rhs_(rhs), scale_(scale) {}
  template <int dim>
  Shape<dim> GetShape() const {
    const Shape<kLeft> lhs = ShapeCheck<kLeft, TA>::Check(lhs_);
    const Shape<kRight> rhs = ShapeCheck<kRight, TB>::Check(rhs_);
    const Shape<2> left = detail::MatrixOf(lhs, ltrans, kRight > 1);
    const Shape<2> right = detail::MatrixOf(rhs, rtrans, kLeft == 1);
    if (left[1] != right[0] || (dim == 3 && lhs[0] != rhs[0])) {
      detail::ThrowDotMismatch(dim == 3 ? "batch_dot" : "dot", lhs, ltrans, rhs, rtrans);
    }
    Shape<dim> shape;
    shape[0] = lhs[0];  // of a batch
    if constexpr (dim > 1) shape[dim - 2] = left[0];
    shape[dim - 1] = dim == 1 && kLeft > 1 ? left[0] : right[1];
    return shape;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first &&
           (expr::Overlaps(lhs_, written, false) || expr::Overlaps(rhs_, written, false));
  }
  bool IsSame(const DotExp& other) const {
    return scale_ == other.scale_ && detail::IsSame(lhs_, other.lhs_) &&
           detail::IsSame(rhs_, other.rhs_);
  }
};

template <typename TA, typename TB, bool ltrans, bool rtrans, typename DType>
class Plan<DotExp<TA, TB, ltrans, rtrans, DType>, DType>
    : public detail::MaterialisedPlan<DotExp<TA, TB, ltrans, rtrans, DType>, DType> {
 public:
  explicit Plan(const DotExp<TA, TB, ltrans, rtrans, DType>& e) : Plan::MaterialisedPlan(e) {}
};

namespace detail {

/// One operand of dot: the expression, and whether it is transposed.
template <typename E, typename DType, int etype>
struct DotOperand {
  using Tensor = E;
  static constexpr bool kTransposed = false;
  static const E& Get(const E& e) { return e; }
};
template <typename Device, int dim, typename DType>
struct DotOperand<mshadow::Tensor<Device, dim, const DType>, DType, type::kRValue> {
  using Tensor = mshadow::Tensor<Device, dim, DType>;
  static constexpr bool kTransposed = false;
  static Tensor Get(const mshadow::Tensor<Device, dim, const DType>& e) {
    return mshadow::detail::Unconst(e);
  }
};
template <typename E, typename DType>
struct DotOperand<TransposeExp<E, DType>, DType, type::kChainer> {
  using Tensor = E;
  static constexpr bool kTransposed = true;
  static const E& Get(const TransposeExp<E, DType>& e) { return e.exp; }
};

/// An operand of dot as one of elements of DType: a real one beside a complex one, as tcast does.
template <typename DType, typename E>
inline decltype(auto) DotFactor(const E& e) {
  if constexpr (kIsPartOf<DType, ElementOfExp<E>>) {
    return tcast<DType>(e);
  } else {
    return (e);
  }
}
template <typename DType, bool ltrans, bool rtrans, typename A, typename B>
inline auto MakeDot(const A& a, const B& b) {
  return DotExp<A, B, ltrans, rtrans, DType>(a, b, detail::ExactScalar<DType>(1.0f));
}
/// The element type of a product: DA, or where DB is complex and DA the type of its parts, DB.
template <typename DA, typename DB>
using DotElement = std::conditional_t<kIsPartOf<DB, DA>, DB, DA>;

/// sum_i lhs[i] rhs[i]. Defined in dot_engine.h.
template <typename DType, typename TA, typename TB>
MSHADOW_FORCE_INLINE DType InnerProduct(const TA& lhs, const TB& rhs);

}  // namespace detail

/// dst = [scale *] dot(a[.T()], b[.T()]), and += and -=; `=` overwrites in every form.
///   dst[i][j] = sum_k a[i][k] b[k][j]       a (m, k), b (k, n) -> (m, n)
///   dst[j]    = sum_k a[k] b[k][j]          a (k), b (k, n) -> (n)
///   dst[i]    = sum_k a[i][k] b[k]          a (m, k), b (k) -> (m)
///   dst[i][j] = a[i] b[j]                   dot(a.T(), b), a (m), b (n) -> (m, n)
///   sum_i a[i] b[i], a number               a (n), b (n)
/// The operands are tensors, padded or not, or expressions, which are computed into memory first.
/// Throws Error with all shapes where they do not fit.
template <typename TA, typename TB, typename DA, typename DB, int ta, int tb>
inline auto dot(const Exp<TA, DA, ta>& lhs, const Exp<TB, DB, tb>& rhs) {
  using DType = detail::DotElement<DA, DB>;
  static_assert(std::is_same_v<DType, DB> || kIsPartOf<DType, DB>,
                "mshadow: the operands of dot have different element types; convert one to a "
                "tensor of the other's type with tcast<T>");
  static_assert(IsScalar<DType>::value && !std::is_same_v<DType, bool>,
                "mshadow: no BLAS has a matrix product of this element type; the builtin one takes "
                "every number type of core/dtype.h");
  static_assert(ExpInfo<TA>::kDim <= 2 && ExpInfo<TB>::kDim <= 2,
                "mshadow: dot takes vectors and matrices; batch_dot multiplies batches of them");
  using Lhs = detail::DotOperand<TA, DA, ta>;
  using Rhs = detail::DotOperand<TB, DB, tb>;
  constexpr bool kTransposed = Lhs::kTransposed || Rhs::kTransposed;
  if constexpr (ExpInfo<TA>::kDim == 1 && ExpInfo<TB>::kDim == 1 && !kTransposed) {
    return detail::InnerProduct<DType>(detail::DotFactor<DType>(Lhs::Get(lhs.self())),
                                       detail::DotFactor<DType>(Rhs::Get(rhs.self())));
  } else {
    return detail::MakeDot<DType, Lhs::kTransposed, Rhs::kTransposed>(
        detail::DotFactor<DType>(Lhs::Get(lhs.self())),
        detail::DotFactor<DType>(Rhs::Get(rhs.self())));
  }
}
MSHADOW_OWNS_TEMPORARIES_(dot)

/// dst[n] = op(lhs[n]) * op(rhs[n]) for every n; op is the transpose where the flag is set.
/// lhs (N, m, k) or transposed, rhs (N, k, n) or transposed -> (N, m, n); tensors or expressions.
template <bool transpose_left, bool transpose_right, typename TA, typename TB, typename DA,
          typename DB, int ta, int tb>
inline auto batch_dot(const Exp<TA, DA, ta>& lhs, const Exp<TB, DB, tb>& rhs) {
  using DType = detail::DotElement<DA, DB>;
  static_assert(std::is_same_v<DType, DB> || kIsPartOf<DType, DB>,
                "mshadow: the operands of batch_dot have different element types; convert one to "
                "a tensor of the other's type with tcast<T>");
  static_assert(ExpInfo<TA>::kDim == 3 && ExpInfo<TB>::kDim == 3,
                "mshadow: batch_dot takes batches of matrices, operands of 3 axes");
  using Lhs = detail::DotOperand<TA, DA, ta>;
  using Rhs = detail::DotOperand<TB, DB, tb>;
  return detail::MakeDot<DType, transpose_left, transpose_right>(
      detail::DotFactor<DType>(Lhs::Get(lhs.self())),
      detail::DotFactor<DType>(Rhs::Get(rhs.self())));
}
MSHADOW_OWNS_TEMPORARIES_OF_(bool, batch_dot)

template <typename TA, typename TB, bool ltrans, bool rtrans, typename DType, typename S,
          typename = std::enable_if_t<IsScalar<S>::value>>
inline DotExp<TA, TB, ltrans, rtrans, DType> operator*(
    const DotExp<TA, TB, ltrans, rtrans, DType>& product, const S& scale) {
  return DotExp<TA, TB, ltrans, rtrans, DType>(
      product.lhs_, product.rhs_, op::math::Mul(product.scale_, detail::ExactScalar<DType>(scale)));
}
template <typename TA, typename TB, bool ltrans, bool rtrans, typename DType, typename S,
          typename = std::enable_if_t<IsScalar<S>::value>>
inline DotExp<TA, TB, ltrans, rtrans, DType> operator*(
    const S& scale, const DotExp<TA, TB, ltrans, rtrans, DType>& product) {
  return product * scale;
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_DOT_H_
