// SPDX-License-Identifier: Apache-2.0
// MSHADOW_EINSUM("bij,bjk->bik", a, b): sums of products by the names of axes.
#ifndef MSHADOW_EXTENSION_EINSUM_H_
#define MSHADOW_EXTENSION_EINSUM_H_

#include <string>
#include <type_traits>
#include <utility>

#include "../expr/aligned.h"
#include "../expr/axis_labels.h"
#include "../expr/dot.h"
#include "../expr/operators.h"
#include "../expr/typecast.h"
#include "reduction.h"
#include "reshape.h"
#include "transpose.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// e, whose axes are `from`, with the axes in the order `to`.
template <Labels from, Labels to, typename E>
inline auto InOrder(const E& e) {
  if constexpr (from == to) {
    return e;
  } else {
    constexpr int kRank = CountLabels(to);
    Shape<kRank> axes;
    for (int i = 0; i < kRank; ++i) {
      axes[i] = static_cast<index_t>(FindLabel(from, LabelAt(to, i)));
    }
    return transpose(e, axes);
  }
}

/// The extents of the labels `term`, which those of e, `labels`, or those of the others include.
template <Labels term, Labels labels, typename E>
inline void AddExtents(const E& e, Shape<CountLabels(term)>* extents) {
  constexpr int kRank = CountLabels(labels);
  const Shape<kRank> shape = ShapeCheck<kRank, E>::Check(e);
  for (int i = 0; i < CountLabels(term); ++i) {
    const int at = FindLabel(labels, LabelAt(term, i));
    if (at >= 0) (*extents)[i] = shape[at];
  }
}
template <Labels term, Labels a, Labels b, typename TA, typename TB>
inline Shape<CountLabels(term)> ExtentsOf(const TA& lhs, const TB& rhs) {
  Shape<CountLabels(term)> extents;
  AddExtents<term, a>(lhs, &extents);
  AddExtents<term, b>(rhs, &extents);
  return extents;
}

/// e with the shape `shape`; a tensor whose last axis stays what it is is not copied.
template <bool keeps_last, typename E, typename DType, int etype, int rank>
inline auto InShape(const Exp<E, DType, etype>& e, const Shape<rank>& shape) {
  return reshape(e, shape);
}
template <bool keeps_last, typename Device, int dim, typename DType, int rank>
inline auto InShape(const Tensor<Device, dim, DType>& t, const Shape<rank>& shape) {
  if constexpr (keeps_last) {
    return Tensor<Device, rank, DType>(t.dptr_, shape, t.stride_, t.stream_);
  } else {
    return reshape(t, shape);
  }
}

/// e, whose axes are `labels`, as a factor: the axes `batch`, `rows` and `cols` each joined to one.
/// Without batch it is a matrix, or a vector where `rows` or `cols` are none.
template <Labels labels, Labels batch, Labels rows, Labels cols, typename E>
inline auto AsFactor(const E& e) {
  constexpr Labels kOrder = Joined(Joined(batch, rows), cols);
  constexpr int kRank = CountLabels(kOrder), kRows = CountLabels(batch);
  constexpr int kCols = kRows + CountLabels(rows);
  constexpr int kGroups = batch != 0 ? 3 : rows != 0 && cols != 0 ? 2 : 1;
  constexpr bool kOneEach = kGroups < 3 || (rows != 0 && cols != 0);
  const auto ordered = InOrder<labels, kOrder>(e);
  if constexpr (kRank == kGroups && kOneEach) {
    return ordered;
  } else {
    const Shape<kRank> shape = ShapeCheck<kRank, std::decay_t<decltype(ordered)>>::Check(ordered);
    const index_t m = shape.CheckedProdShape(kRows, kCols);
    const index_t n = shape.CheckedProdShape(kCols, kRank);
    if constexpr (kGroups == 1) {
      return InShape<false>(ordered, Shape1(m * n));
    } else if constexpr (kGroups == 2) {
      return InShape<kRank - kCols == 1>(ordered, Shape2(m, n));
    } else {
      return InShape<kRank - kCols == 1>(ordered, Shape3(shape.CheckedProdShape(0, kRows), m, n));
    }
  }
}

/// The sums of e, whose axes are `labels`, over the axes `lost`; a value where no other is left.
template <Labels labels, Labels lost, typename E, int... i>
inline auto SumOver(const E& e, std::integer_sequence<int, i...>) {
  return adl::sum<FindLabel(labels, LabelAt(lost, i))...>(e);
}
template <typename DType, Labels labels, Labels lost, typename E>
inline auto WithoutLabels(const E& e) {
  if constexpr (lost == 0) {
    return e;
  } else {
    const auto sums =
        SumOver<labels, lost>(e, std::make_integer_sequence<int, CountLabels(lost)>());
    using Sums = std::decay_t<decltype(sums)>;
    if constexpr (CountLabels(lost) == CountLabels(labels)) {
      return static_cast<DType>(sums);
    } else if constexpr (std::is_same_v<ElementOfExp<Sums>, DType>) {
      return sums;
    } else {
      return tcast<DType>(sums);  // integers are added in 64 bits
    }
  }
}

/// e, whose axes are `labels`, with the axes `all` of the extents `shape`: repeated along those
/// that it has not.
template <Labels labels, Labels all, typename DType, typename E, int rank>
inline auto RepeatedTo(const Shape<rank>& shape, const E& e) {
  constexpr Labels kOrder = Chosen(all, labels, true);
  constexpr auto kMask = [] {
    int mask = 0;
    for (int i = 0; i < rank; ++i) mask |= (FindLabel(labels, LabelAt(all, i)) < 0 ? 1 : 0) << i;
    return mask;
  };
  const auto ordered = InOrder<labels, kOrder>(e);
  if constexpr (kOrder == all) {
    return ordered;
  } else {
    return AlignedExp<std::decay_t<decltype(ordered)>, DType, rank, kMask()>(ordered, shape);
  }
}

/// The sum of lhs * rhs over the labels that are in a and b but not in out. No label of a or b
/// is in none of the other two.
template <typename DType, Labels a, Labels b, Labels out, typename TA, typename TB>
inline auto Contracted(const TA& lhs, const TB& rhs) {
  constexpr Labels kShared = Chosen(a, b, true);
  constexpr Labels kBatch = Chosen(kShared, out, true), kInner = Chosen(kShared, out, false);
  constexpr Labels kLeft = Chosen(a, b, false), kRight = Chosen(b, a, false);
  constexpr Labels kNatural = Joined(Joined(kBatch, kLeft), kRight);
  if constexpr (kInner == 0 || kNatural == kBatch) {
    // Element by element: no element of a or b is read for more than one element of the other.
    constexpr Labels kAll = Joined(out, kInner);
    const auto shape = ExtentsOf<kAll, a, b>(lhs, rhs);
    return WithoutLabels<DType, kAll, kInner>(RepeatedTo<a, kAll, DType>(shape, lhs) *
                                              RepeatedTo<b, kAll, DType>(shape, rhs));
  } else if constexpr (kNatural != out && Joined(Joined(kBatch, kRight), kLeft) == out) {
    return Contracted<DType, b, a, out>(rhs, lhs);  // the transposed product
  } else {
    constexpr bool kLeftLast = kLeft != 0 && a == Joined(Joined(kBatch, kInner), kLeft);
    constexpr bool kInnerLast = kRight == 0 || b == Joined(Joined(kBatch, kRight), kInner);
    constexpr bool kVectorA = kBatch == 0 && kLeft == 0, kVectorB = kBatch == 0 && kRight == 0;
    const auto left =
        AsFactor<a, kBatch, kLeftLast ? kInner : kLeft, kLeftLast ? kLeft : kInner>(lhs);
    const auto right =
        AsFactor<b, kBatch, kInnerLast ? kRight : kInner, kInnerLast ? kInner : kRight>(rhs);
    using Product = DotExp<std::decay_t<decltype(left)>, std::decay_t<decltype(right)>,
                           kLeftLast && !kVectorA, kInnerLast && !kVectorB, DType>;
    const Product product(left, right, DType(1.0f));
    constexpr bool kOneEach = kBatch == 0 || (kLeft != 0 && kRight != 0);
    if constexpr (Product::kRank == CountLabels(kNatural) && kOneEach) {
      return InOrder<kNatural, out>(product);
    } else {
      return InOrder<kNatural, out>(reshape(product, ExtentsOf<kNatural, a, b>(lhs, rhs)));
    }
  }
}

/// What is wrong with a specification; 0: nothing.
template <Labels a, Labels b, Labels out, int rank_a, int rank_b>
constexpr int EinsumProblem(bool is_einsum) {
  if (!is_einsum) return 1;
  if (CountLabels(a) + CountLabels(Chosen(b, a, false)) > kMaxLabels) return 1;
  if (HasTwice(a) || HasTwice(b) || HasTwice(out)) return 2;
  if (Chosen(Chosen(out, a, false), b, false) != 0) return 3;
  return CountLabels(a) == rank_a && CountLabels(b) == rank_b ? 0 : 4;
}

template <Labels a, Labels b, Labels out, int da, int db>
[[noreturn]] MSHADOW_COLD inline void ThrowEinsum(const Shape<da>& lhs, const Shape<db>& rhs,
                                                  char label) {
  std::string text;
  for (const Labels term : {a, b, out}) {
    for (int i = 0; i < CountLabels(term); ++i) text += LabelAt(term, i);
    text += "|";
  }
  text.replace(text.find('|'), 1, ",");
  text.replace(text.find('|'), 1, "->");
  text.pop_back();
  throw Error("MSHADOW_EINSUM: operands of shapes " + LogText(lhs) + " and " + LogText(rhs) +
              " do not fit \"" + text + "\": the extents of axis " + label + " differ");
}

/// An operand; a view of const elements is one of others.
template <typename E, typename DType, int etype>
inline const E& EinsumOperand(const Exp<E, DType, etype>& e) {
  return e.self();
}
template <typename Device, int dim, typename DType>
inline Tensor<Device, dim, DType> EinsumOperand(const Tensor<Device, dim, const DType>& e) {
  return mshadow::detail::Unconst(e);
}

template <typename DType, Labels a, Labels b, Labels out, typename TA, typename TB>
inline auto EinsumOf(const TA& lhs, const TB& rhs) {
  constexpr int kA = CountLabels(a), kB = CountLabels(b);
  const Shape<kA> a_shape = ShapeCheck<kA, TA>::Check(lhs);
  const Shape<kB> b_shape = ShapeCheck<kB, TB>::Check(rhs);
  for (int i = 0; i < kA; ++i) {
    const int at = FindLabel(b, LabelAt(a, i));
    if (at >= 0 && a_shape[i] != b_shape[at]) {
      ThrowEinsum<a, b, out>(a_shape, b_shape, LabelAt(a, i));
    }
  }
  // What is in one operand alone is summed first.
  constexpr Labels kLostA = Chosen(Chosen(a, b, false), out, false);
  constexpr Labels kLostB = Chosen(Chosen(b, a, false), out, false);
  constexpr Labels kA2 = Chosen(a, kLostA, false), kB2 = Chosen(b, kLostB, false);
  const auto left = WithoutLabels<DType, a, kLostA>(lhs);
  const auto right = WithoutLabels<DType, b, kLostB>(rhs);
  if constexpr (kA2 == 0 && kB2 == 0) {
    return static_cast<DType>(left * right);
  } else if constexpr (kA2 == 0 || kB2 == 0) {
    return InOrder<Joined(kA2, kB2), out>(left * right);
  } else {
    return Contracted<DType, kA2, kB2, out>(WithoutLostAxes(left), WithoutLostAxes(right));
  }
}

template <Labels a, Labels b, Labels out, bool is_einsum, typename TA, typename TB, typename DA,
          typename DB, int ta, int tb>
inline auto Einsum(const Exp<TA, DA, ta>& lhs, const Exp<TB, DB, tb>& rhs) {
  constexpr int kProblem =
      EinsumProblem<a, b, out, ExpInfo<TA>::kDim, ExpInfo<TB>::kDim>(is_einsum);
  static_assert(kProblem != 1, "mshadow: MSHADOW_EINSUM takes two terms of letters and a result, "
                               "\"ij,jk->ik\", of at most 8 axes");
  static_assert(kProblem != 2, "mshadow: a term of MSHADOW_EINSUM names an axis twice; diagonals "
                               "are not taken");
  static_assert(kProblem != 3, "mshadow: the result of MSHADOW_EINSUM has an axis that no operand "
                               "has");
  static_assert(kProblem != 4, "mshadow: a term of MSHADOW_EINSUM has one letter for each axis of "
                               "its operand");
  static_assert(std::is_same_v<DA, DB>,
                "mshadow: the operands of MSHADOW_EINSUM have different element types; convert one "
                "with tcast<T>");
  if constexpr (kProblem == 0 && std::is_same_v<DA, DB>) {
    const auto result =
        EinsumOf<DA, a, b, out>(EinsumOperand(lhs.self()), EinsumOperand(rhs.self()));
    if constexpr (out == 0) {
      return result;
    } else {
      return WithoutLostAxes(result);
    }
  }
}
MSHADOW_OWNS_TEMPORARIES_OF_(auto, Einsum)

template <Labels a, Labels b, Labels out, bool is_einsum, typename TA, typename TB, typename TC,
          typename... Rest>
inline ScalarExp<ElementOf<TA>> Einsum(const TA&, const TB&, const TC&, const Rest&...) {
  static_assert(mshadow::detail::Never<TC, Rest...>::value,
                "mshadow: MSHADOW_EINSUM takes two operands; of three, eval(MSHADOW_EINSUM(..)) of "
                "two of them is one");
  return 0;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END

/// The sum of products of two operands, as NumPy's einsum: a letter for each axis of an operand,
/// and for each of the result; what the result does not name is summed over.
///   MSHADOW_EINSUM("ij,jk->ik", a, b)      out[i][k] = sum_j a[i][j] b[j][k]
///   MSHADOW_EINSUM("bij,bkj->bki", a, b)   out[b][k][i] = sum_j a[b][i][j] b[b][k][j]
///   MSHADOW_EINSUM("i,j->ij", a, b)        out[i][j] = a[i] b[j]
///   MSHADOW_EINSUM("ij,ij->", a, b)        a value: sum_ij a[i][j] b[i][j]
/// The operands are expressions of one element type, which is that of the result, an expression. It
/// runs as a product of matrices, or batches of them, where both operands have axes of their own
/// beside those summed over; operands whose axes stand in no order of a product are copied first.
/// Throws Error with both shapes where extents of one letter differ.
#define MSHADOW_EINSUM(specification, ...)                                              \
  ::mshadow::expr::detail::Einsum<::mshadow::expr::detail::EinsumTerm(specification, 0), \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 1), \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 2), \
                                  ::mshadow::expr::detail::IsEinsum(specification)>(__VA_ARGS__)

#endif  // MSHADOW_EXTENSION_EINSUM_H_
