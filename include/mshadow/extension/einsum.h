// SPDX-License-Identifier: Apache-2.0
// MSHADOW_EINSUM("bij,bjk->bik", a, b): sums of products of operands by the names of their axes.
#ifndef MSHADOW_EXTENSION_EINSUM_H_
#define MSHADOW_EXTENSION_EINSUM_H_

#include <tuple>
#include <type_traits>
#include <utility>

#include "../expr/aligned.h"
#include "../expr/dot.h"
#include "../expr/operators.h"
#include "../expr/scalar_operand.h"
#include "../expr/typecast.h"
#include "../op/math/wrap.h"
#include "axis_labels.h"
#include "broadcast_scalar.h"
#include "reduction.h"
#include "reshape.h"
#include "slice_ex.h"
#include "transpose.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// e, whose axes are `from`, with the axes in the order `to`.
template <Labels from, Labels to, typename E>
inline auto Transposed(const E& e) {
  constexpr int kRank = CountLabels(to);
  Shape<kRank> axes;
  for (int i = 0; i < kRank; ++i) {
    axes[i] = static_cast<index_t>(FindLabel(from, LabelAt(to, i)));
  }
  return transpose(e, axes);
}
template <Labels from, Labels to, typename E>
inline auto InOrder(const E& e) {
  if constexpr (from == to) {
    return e;
  } else {
    return Transposed<from, to>(e);
  }
}

/// e with the axes `axis` and the next, of n elements each, as one of extent (*joined)[axis].
/// Elements of the diagonal are (*step)[axis] apart in it. A tensor is not copied; one without
/// elements is not read.
template <int axis, typename E, typename DType, int etype, int rank>
inline auto JoinSquare(const Exp<E, DType, etype>& e, Shape<rank>* joined, Shape<rank>*) {
  return reshape(e, *joined);
}
template <int axis, typename Device, int dim, typename DType, int rank>
inline auto JoinSquare(const Tensor<Device, dim, DType>& t, Shape<rank>* joined,
                       Shape<rank>* step) {
  if (axis < dim - 2 || t.shape_.CheckedSize() == 0) {
    return Tensor<Device, rank, DType>(t.dptr_, *joined, t.stride_, t.stream_);
  } else {
    const index_t n = t.shape_[axis];
    (*joined)[axis] = n == 0 ? 0 : (n - 1) * t.stride_ + n;
    (*step)[axis] = t.stride_ + 1;
    return Tensor<Device, rank, DType>(t.dptr_, *joined, n * t.stride_, t.stream_);
  }
}
/// e, whose axes are `labels`, with the axes Distinct(labels): of several axes of one label, the
/// elements that have one index on all of them.
template <Labels labels, typename E>
inline auto Diagonal(const E& e) {
  constexpr int kAgain = FindRepeated(labels), kRank = CountLabels(labels);
  if constexpr (kAgain < 0) {
    return e;
  } else {
    constexpr int kAxis = FindLabel(labels, LabelAt(labels, kAgain));
    constexpr Labels kBefore = labels & ((Labels{1} << 8 * kAgain) - 1);
    constexpr Labels kAfter = labels >> 8 * kAgain >> 8;
    const Shape<kRank> shape = ShapeCheck<kRank, E>::Check(e);
    const bool empty = shape.CheckedSize() == 0;  // n * n may be more than any extent
    Shape<kRank> axes;
    Shape<kRank - 1> joined, begin, step;
    for (int i = 0, k = 0; i < kRank; ++i) {
      if (i == kAgain) continue;
      axes[i > kAxis && i < kAgain ? i + 1 : i] = static_cast<index_t>(i);
      const bool joins = i == kAxis && !empty;
      joined[k] = joins ? shape[i] * shape[i] : shape[i];
      begin[k] = 0;
      step[k++] = joins ? shape[i] + 1 : 1;
    }
    axes[kAxis + 1] = static_cast<index_t>(kAgain);
    const auto diagonal = [&](const auto& neighbours) {
      const auto rows = JoinSquare<kAxis>(neighbours, &joined, &step);
      return Diagonal<Joined(kBefore, kAfter)>(slice(rows, begin, joined, step));
    };
    if constexpr (kAgain == kAxis + 1) {
      return diagonal(e);
    } else {
      return diagonal(transpose(e, axes));
    }
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

/// The sums of e, whose axes are `labels`, over the axes `lost`. Where no other is left it is a
/// value, of Variables a vector of one.
template <Labels labels, Labels lost, typename E, int... i>
inline auto SumOver(const E& e, std::integer_sequence<int, i...>) {
  return adl::sum<FindLabel(labels, LabelAt(lost, i))...>(e);
}
template <typename DType, Labels labels, Labels lost, typename E>
inline auto WithoutLabels(const E& e) {
  if constexpr (lost == 0) {
    return e;
  } else if constexpr (CountLabels(lost) == CountLabels(labels) && NamesVariable<E>()) {
    const index_t size = ShapeCheck<CountLabels(labels), E>::Check(e).CheckedSize();
    return adl::sum<1>(reshape(e, Shape2(1, size)));
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

/// An operand of elements of DType: a view of const elements is one of others, real elements beside
/// complex ones are converted, a number is a value.
template <typename DType, typename E, typename EDType, int etype>
inline decltype(auto) EinsumOperand(const Exp<E, EDType, etype>& e) {
  if constexpr (kIsPartOf<DType, EDType>) {
    return tcast<DType>(e);
  } else {
    return (e.self());
  }
}
template <typename DType, typename Device, int dim, typename EDType>
inline auto EinsumOperand(const Tensor<Device, dim, const EDType>& e) {
  return EinsumOperand<DType>(mshadow::detail::Unconst(e));
}
template <typename DType, typename S, typename = std::enable_if_t<IsScalar<S>::value>>
inline DType EinsumOperand(const S& number) {
  return ExactScalar<DType>(number);
}
/// The number of axes of such an operand.
template <typename E>
constexpr int EinsumRank() {
  if constexpr (IsScalar<E>::value) {
    return 0;
  } else {
    return ExpInfo<E>::kDim;
  }
}

/// value * e, or, where both are values, their product.
template <typename DType, typename V, typename E>
inline auto Scaled(const V& value, const E& e) {
  if constexpr (IsScalar<V>::value && IsScalar<E>::value) {
    return op::math::Mul(static_cast<DType>(value), static_cast<DType>(e));
  } else if constexpr (IsScalar<V>::value || IsScalar<E>::value) {
    return value * e;
  } else {
    return broadcast_scalar(value, ShapeCheck<ExpInfo<E>::kDim, E>::Check(e)) * e;
  }
}

/// No operand has an axis twice.
template <typename DType, Labels a, Labels b, Labels out, typename TA, typename TB>
inline auto EinsumOfTwo(const TA& lhs, const TB& rhs) {
  // What is in one operand alone is summed first.
  constexpr Labels kLostA = Chosen(Chosen(a, b, false), out, false);
  constexpr Labels kLostB = Chosen(Chosen(b, a, false), out, false);
  constexpr Labels kA = Chosen(a, kLostA, false), kB = Chosen(b, kLostB, false);
  const auto left = WithoutLabels<DType, a, kLostA>(lhs);
  const auto right = WithoutLabels<DType, b, kLostB>(rhs);
  if constexpr (kA == 0) {
    return InOrder<kB, out>(Scaled<DType>(left, right));
  } else if constexpr (kB == 0) {
    return InOrder<kA, out>(Scaled<DType>(right, left));
  } else {
    return Contracted<DType, kA, kB, out>(WithoutLostAxes(left), WithoutLostAxes(right));
  }
}

/// The axes of the product of a and b, in the order that no product transposes. kept_a and kept_b:
/// those of a and of b that later terms or the result have.
constexpr Labels OrderOfProduct(Labels a, Labels b, Labels kept_a, Labels kept_b) {
  const Labels shared = Chosen(a, b, true), batch = Chosen(shared, kept_a, true);
  const Labels left = Chosen(kept_a, b, false), right = Chosen(kept_b, a, false);
  // Without an axis to sum over it is no product of matrices.
  return batch == shared ? Joined(kept_a, right) : Joined(batch, Joined(left, right));
}
/// From the left, two at a time. (Labels may follow those of the operands.)
template <typename DType, Labels out, Labels a, Labels... labels, typename TA>
inline auto EinsumOf(const TA& operand) {
  constexpr Labels kA = Distinct(a), kLost = Chosen(kA, out, false);
  // A tensor that is assigned a tensor becomes a view of it: "ij->ij" is an expression, too.
  if constexpr (a == out && a != 0) {
    return Transposed<a, a>(operand);
  } else {
    return InOrder<Chosen(kA, out, true), out>(
        WithoutLabels<DType, kA, kLost>(Diagonal<a>(operand)));
  }
}
template <typename DType, Labels out, Labels a, Labels b, Labels... rest, typename TA, typename TB,
          typename... Rest>
inline auto EinsumOf(const TA& lhs, const TB& rhs, const Rest&... operands) {
  constexpr Labels kA = Distinct(a), kB = Distinct(b);
  constexpr Labels kKeptA = ChosenOfAny(kA, out, rest...), kKeptB = ChosenOfAny(kB, out, rest...);
  constexpr bool kFits = CountLabels(kKeptA) + CountLabels(Chosen(kKeptB, kA, false)) <= kMaxLabels;
  static_assert(kFits, "mshadow: the product of two operands of MSHADOW_EINSUM has more than 8 "
                       "axes");
  if constexpr (!kFits) {
    return ScalarExp<DType>(0);
  } else if constexpr (sizeof...(operands) == 0) {
    return EinsumOfTwo<DType, kA, kB, out>(Diagonal<a>(lhs), Diagonal<b>(rhs));
  } else {
    constexpr Labels kKept = OrderOfProduct(kA, kB, kKeptA, kKeptB);
    const auto product = EinsumOfTwo<DType, kA, kB, kKept>(Diagonal<a>(lhs), Diagonal<b>(rhs));
    if constexpr (kKept == 0) {
      return Scaled<DType>(product, EinsumOf<DType, out, rest...>(operands...));
    } else {
      return EinsumOf<DType, out, kKept, rest...>(WithoutLostAxes(product), operands...);
    }
  }
}

/// What is wrong with a specification; 0: nothing.
template <Labels out, Labels... terms, int... ranks>
constexpr int EinsumProblem(int count, std::integer_sequence<int, ranks...>) {
  if (count == 0 || count > static_cast<int>(sizeof...(terms))) return 1;
  if (count != static_cast<int>(sizeof...(ranks))) return 2;
  if (FindRepeated(out) >= 0) return 3;
  if (ChosenOfAny(out, terms...) != out) return 4;
  const Labels all[] = {terms...};
  const int rank[] = {ranks...};
  for (int i = 0; i < count; ++i) {
    if (CountLabels(all[i]) != rank[i]) return 5;
  }
  return 0;
}

/// What an operand's axes are, and their extents.
struct EinsumOperandShape {
  Labels labels;
  index_t extent[kMaxLabels];
};
template <typename E>
inline EinsumOperandShape EinsumShapeOf(Labels labels, const E& e) {
  EinsumOperandShape result{labels, {}};
  constexpr int kRank = EinsumRank<E>();
  if constexpr (kRank > 0) {
    const Shape<kRank> shape = ShapeCheck<kRank, E>::Check(e);
    for (int i = 0; i < kRank; ++i) result.extent[i] = shape[i];
  }
  return result;
}

[[noreturn]] MSHADOW_COLD inline void ThrowEinsum(const EinsumOperandShape* operands, int count,
                                                  Labels out, char label) {
  mshadow::detail::ErrorText text;
  const auto add_term = [&text](Labels term, const char* before) {
    text.Add("%s", before);
    for (int i = 0; i < CountLabels(term); ++i) text.Add("%c", LabelAt(term, i));
  };
  text.Add("MSHADOW_EINSUM: %s", count == 1 ? "an operand of shape " : "operands of shapes ");
  for (int i = 0; i < count; ++i) {
    text.Add("%s", i == 0 ? "" : i + 1 == count ? " and " : ", ");
    text.AddExtents(operands[i].extent, CountLabels(operands[i].labels));
  }
  text.Add(" do%s not fit \"", count == 1 ? "es" : "");
  for (int i = 0; i < count; ++i) add_term(operands[i].labels, i == 0 ? "" : ",");
  add_term(out, "->");
  text.Add("\": the extents of axis %c differ", label);
  text.Throw();
}
inline void CheckExtents(const EinsumOperandShape* operands, int count, Labels out) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < CountLabels(operands[i].labels); ++k) {
      const char label = LabelAt(operands[i].labels, k);
      for (int j = 0; j <= i; ++j) {
        const int at = FindLabel(operands[j].labels, label);
        if (at >= 0 && !MSHADOW_LIKELY(operands[i].extent[k] == operands[j].extent[at])) {
          ThrowEinsum(operands, count, out, label);
        }
      }
    }
  }
}

/// `terms`: those of the operands, and more.
template <int count, typename D, Labels out, Labels... terms, typename... E>
inline auto EinsumOfOperands(const E&... operands) {
  constexpr int kProblem =
      EinsumProblem<out, terms...>(count, std::integer_sequence<int, EinsumRank<E>()...>());
  static_assert(kProblem != 1, "mshadow: MSHADOW_EINSUM takes a term of letters for each operand, "
                               "6 at most, and a result, \"ij,jk->ik\", of at most 8 axes each");
  static_assert(kProblem != 2, "mshadow: MSHADOW_EINSUM has a term for each operand; here are "
                               "more, or fewer");
  static_assert(kProblem != 3, "mshadow: the result of MSHADOW_EINSUM names an axis twice");
  static_assert(kProblem != 4, "mshadow: the result of MSHADOW_EINSUM has an axis that no operand "
                               "has");
  static_assert(kProblem != 5, "mshadow: a term of MSHADOW_EINSUM has one letter for each axis of "
                               "its operand, and none for a number");
  if constexpr (kProblem == 0) {
    const Labels labels[] = {terms...};
    int next = 0;
    const EinsumOperandShape shapes[] = {EinsumShapeOf(labels[next++], operands)...};
    CheckExtents(shapes, count, out);
    const auto result = EinsumOf<D, out, terms...>(operands...);
    if constexpr (IsScalar<std::decay_t<decltype(result)>>::value) {
      return static_cast<D>(result);
    } else {
      return WithoutLostAxes(result);
    }
  }
}
/// True if an operand of elements of DType is made of E without a cast.
template <typename DType, typename E>
constexpr bool IsEinsumOperand() {
  using Element = ElementOf<E>;
  return std::is_void_v<Element> || std::is_same_v<Element, DType> || kIsPartOf<DType, Element>;
}
template <int count, Labels out, Labels... terms, typename First, typename... Rest>
inline auto Einsum(const First& first, const Rest&... rest) {
  using D = CommonElement<First, Rest...>;
  constexpr bool kOneType = IsEinsumOperand<D, First>() && (... && IsEinsumOperand<D, Rest>());
  static_assert(kOneType,
                "mshadow: the operands of MSHADOW_EINSUM have different element types; convert one "
                "with tcast<T>");
  if constexpr (kOneType) {
    return EinsumOfOperands<count, D, out, terms...>(EinsumOperand<D>(first),
                                                     EinsumOperand<D>(rest)...);
  }
}
MSHADOW_OWNS_TEMPORARIES_OF_(auto, Einsum)

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END

/// The sum of products of operands, as NumPy's einsum: a letter for each axis of an operand, and
/// for each of the result; what the result does not name is summed over.
///   MSHADOW_EINSUM("ij,jk->ik", a, b)          out[i][k] = sum_j a[i][j] b[j][k]
///   MSHADOW_EINSUM("bij,bkj->bki", a, b)       out[b][k][i] = sum_j a[b][i][j] b[b][k][j]
///   MSHADOW_EINSUM("i,j->ij", a, b)            out[i][j] = a[i] b[j]
///   MSHADOW_EINSUM("ij,ij->", a, b)            a value: sum_ij a[i][j] b[i][j]
///   MSHADOW_EINSUM("ijk->ki", a)               out[k][i] = sum_j a[i][j][k]
///   MSHADOW_EINSUM("ii->i", a)                 out[i] = a[i][i], the diagonal; "ii->" is its sum
///   MSHADOW_EINSUM("ij,jk,kl->il", a, b, c)    out[i][l] = sum_jk a[i][j] b[j][k] c[k][l]
///   MSHADOW_EINSUM(",ij->ij", 2, a)            out[i][j] = 2 a[i][j]: a number has no letter
/// The operands, 6 at most, are expressions of one element type, which is that of the result, an
/// expression; and numbers. Real ones beside complex ones of their precision are converted. No
/// operand, product of two or result has more than 8 axes. Two run as a product of matrices, or
/// batches of them, where both have axes of their own beside those summed over; operands whose axes
/// stand in no order of a product are copied first. More are multiplied from the left, two at a
/// time: write first what makes the product small. A value of Variables (grad.h) is a vector of one, as sum_all is.
/// Throws Error with all shapes where extents of one letter differ.
#define MSHADOW_EINSUM(specification, ...)                                                \
  ::mshadow::expr::detail::Einsum<::mshadow::expr::detail::CountOperands(specification),  \
                                  ::mshadow::expr::detail::EinsumTerm(specification, -1), \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 0),  \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 1),  \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 2),  \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 3),  \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 4),  \
                                  ::mshadow::expr::detail::EinsumTerm(specification, 5)>( \
      __VA_ARGS__)

#endif  // MSHADOW_EXTENSION_EINSUM_H_
