// SPDX-License-Identifier: Apache-2.0
// Described: a statement of maps and views as data. What is compiled for it is one loop over rows
// of contiguous elements, whose type says its ops and element types alone.
#ifndef MSHADOW_EXPR_STATEMENT_H_
#define MSHADOW_EXPR_STATEMENT_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "map.h"
#include "materialised.h"
#include "operand.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// A tensor as an operand, rows `stride` elements apart; or a value, without a shape.
struct LeafRef {
  const char* at;
  std::ptrdiff_t stride;
  const index_t* shape;
};
/// to[x] Saver= the functor of in[0][x], in[1][x], ... for x < n.
using LeafLoop = void (*)(char* to, const char* const* in, std::ptrdiff_t n);

/// What is known of a statement from its type.
struct StatementTable {
  const LeafLoop* forms;  ///< one for each instruction set; null: a copy
  const int* sizes;       ///< of the operands' elements
  const signed char* codes;  ///< the maps, see ThrowPlainMismatch
  int count, dim, size;   ///< operands, axes, size of an element of the result
  int tensors;
  int narrow;             ///< rows of at most so many elements are computed together
  std::ptrdiff_t grain;   ///< fewest elements worth a thread
  std::ptrdiff_t least, most;  ///< the loop is all, of so many contiguous elements and below `most`
  bool loads;             ///< true if the loop reads what it writes
  bool light;             ///< true if an element costs little
};

}  // namespace detail

namespace expr {
namespace detail {

using mshadow::detail::LeafRef;

/// A row of contiguous elements.
template <typename DType>
struct VectorCursor {
  const DType* row_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_[x]; }
  MSHADOW_XINLINE const DType* Pointer(std::ptrdiff_t x) const { return row_ + x; }
};

/// Row<k>(in): the cursor C of a row whose operands are at in[k], ...
template <typename C>
struct CursorOfRows {  // a value for all elements
  static constexpr int kCount = 1;
  template <int k>
  MSHADOW_FORCE_INLINE static C Row(const char* const* in) {
    return *reinterpret_cast<const C*>(in[k]);
  }
};
template <typename DType>
struct CursorOfRows<VectorCursor<DType>> {
  static constexpr int kCount = 1;
  template <int k>
  MSHADOW_FORCE_INLINE static VectorCursor<DType> Row(const char* const* in) {
    return {reinterpret_cast<const DType*>(in[k])};
  }
};
template <typename OP, typename DType, typename A>
struct CursorOfRows<MapCursorOf<OP, DType, std::index_sequence<0>, A>> {
  static constexpr int kCount = CursorOfRows<A>::kCount;
  template <int k>
  MSHADOW_FORCE_INLINE static MapCursor<OP, DType, A> Row(const char* const* in) {
    return {{CursorOfRows<A>::template Row<k>(in)}};
  }
};
template <typename OP, typename DType, typename A, typename B>
struct CursorOfRows<MapCursorOf<OP, DType, std::index_sequence<0, 1>, A, B>> {
  static constexpr int kSecond = CursorOfRows<A>::kCount;
  static constexpr int kCount = kSecond + CursorOfRows<B>::kCount;
  template <int k>
  MSHADOW_FORCE_INLINE static MapCursor<OP, DType, A, B> Row(const char* const* in) {
    return {{CursorOfRows<A>::template Row<k>(in)},
            {CursorOfRows<B>::template Row<k + kSecond>(in)}};
  }
};
template <typename OP, typename DType, std::size_t... i, typename A, typename B, typename... Cs>
struct CursorOfRows<MapCursorOf<OP, DType, std::index_sequence<0, 1, 2, i...>, A, B, Cs...>> {
  static constexpr int kCount =
      CursorOfRows<A>::kCount + (CursorOfRows<B>::kCount + ... + CursorOfRows<Cs>::kCount);
  static constexpr int Before(int n) {
    constexpr int kCounts[] = {CursorOfRows<A>::kCount, CursorOfRows<B>::kCount,
                               CursorOfRows<Cs>::kCount...};
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += kCounts[j];
    return sum;
  }
  template <int k, std::size_t... n>
  MSHADOW_FORCE_INLINE static auto RowOf(const char* const* in, std::index_sequence<n...>) {
    return MapCursor<OP, DType, A, B, Cs...>{
        {CursorOfRows<A>::template Row<k>(in)},
        {CursorOfRows<B>::template Row<k + Before(1)>(in)},
        {CursorOfRows<Cs>::template Row<k + Before(static_cast<int>(n) + 2)>(in)}...};
  }
  template <int k>
  MSHADOW_FORCE_INLINE static auto Row(const char* const* in) {
    return RowOf<k>(in, std::make_index_sequence<sizeof...(Cs)>());
  }
};

/// Codes of operands, and of a map of n > 1 of them, n. A function that a map calls is not counted.
constexpr signed char kLeafCode = 0, kFunctionCode = -1, kEndCode = -2;

/// How E is described: by kCount operands and the Cursor that the loop reads. kPlain: all operands
/// are tensors as they are, and values.
struct NotDescribed {
  static constexpr bool kOk = false;
};
template <typename E, View view = kViewOf<E>>
struct DescribedView;
template <typename E, typename = void>
struct Described : DescribedView<E> {};

template <typename T>
inline constexpr bool kMayDescribe = std::is_trivially_copyable_v<T> &&
                                     (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||
                                      sizeof(T) == 8 || kIsComplex<T>);

template <int dim, typename T>
struct Described<Tensor<cpu, dim, T>,
                 std::enable_if_t<(dim > 0 && dim <= kMaxAxes) && kMayDescribe<T>>> {
  static constexpr bool kOk = true, kPlain = true;
  static constexpr bool kFirst = false, kFills = false, kArithmetic = true;
  static constexpr View kView = View::kNone;
  static constexpr int kCount = 1, kTensors = 1, kCost = sizeof(T) / 2;
  static constexpr int kSize = sizeof(T);
  using Cursor = VectorCursor<std::remove_const_t<T>>;
  static constexpr void Sizes(int* to) { *to = kSize; }
  static constexpr void Codes(signed char** to) { *(*to)++ = kLeafCode; }
  MSHADOW_FORCE_INLINE static void Put(const Tensor<cpu, dim, T>& e, LeafRef* to) {
    *to = {reinterpret_cast<const char*>(e.dptr_), static_cast<std::ptrdiff_t>(e.stride_),
           e.shape_.shape_};
  }
  template <View view>
  static void Describe(const Tensor<cpu, dim, T>& e, OperandView* to) {
    to->base = reinterpret_cast<const char*>(e.dptr_);
    to->size = kSize;
    to->copy = CopyOf<view, kSize>();
    to->stride[dim - 1] = kSize;
    if constexpr (dim > 1) {
      std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(e.stride_) * kSize;
      for (int i = dim - 2; i >= 0; --i) {
        to->stride[i] = stride;
        stride *= static_cast<std::ptrdiff_t>(e.shape_[i]);
      }
    }
  }
};

/// A value: *at, which is a Cursor.
template <typename C, int cost>
struct DescribedValue {
  static constexpr bool kOk = true, kPlain = true;
  static constexpr bool kFirst = false, kFills = false, kArithmetic = true;
  static constexpr View kView = View::kNone;
  static constexpr int kCount = 1, kTensors = 0, kCost = cost;
  using Cursor = C;
  static constexpr void Sizes(int* to) { *to = 0; }
  static constexpr void Codes(signed char** to) { *(*to)++ = kLeafCode; }
  MSHADOW_FORCE_INLINE static void PutValue(const void* at, LeafRef* to) {
    *to = {static_cast<const char*>(at), 0, nullptr};
  }
  static void DescribeValue(const void* at, OperandView* to) {
    *to = {static_cast<const char*>(at), {}, nullptr, 0};
  }
};
template <typename DType>
struct Described<ScalarExp<DType>> : DescribedValue<ValueCursor<DType>, 0> {
  MSHADOW_FORCE_INLINE static void Put(const ScalarExp<DType>& e, LeafRef* to) {
    Described::PutValue(&e.scalar_, to);
  }
  template <View view>
  static void Describe(const ScalarExp<DType>& e, OperandView* to) {
    Described::DescribeValue(&e.scalar_, to);
  }
};

template <typename E>
inline const auto& SourceOf(const E& e) {
  if constexpr (HasSource<E>::value) {
    return e.src_;
  } else {
    return e.exp;
  }
}
template <typename E>
using SourceExpOf = std::decay_t<decltype(detail::SourceOf(std::declval<const E&>()))>;

constexpr View Harder(View a, View b) { return a < b ? b : a; }

/// An operand that is computed into memory before the statement.
template <typename E>
struct DescribedFirst : Described<MaterialisedTensor<E, ElementOfExp<E>>> {
  using InTensor = Described<MaterialisedTensor<E, ElementOfExp<E>>>;
  static constexpr bool kFirst = true;
  static auto Computed(const E& e) {
    return InMemory<ElementOfExp<E>>(e, StatementMemory<cpu>::Current());
  }
  static void Put(const E& e, LeafRef* to) { InTensor::Put(Computed(e), to); }
  template <View view>
  static void Describe(const E& e, OperandView* to) {
    InTensor::template Describe<view>(Computed(e), to);
  }
};
/// True if E is one.
template <typename E, bool on_cpu = ExpInfo<E>::kDevMask == cpu::kDevMask, typename = void>
struct IsComputedFirst : std::false_type {};
template <typename E>
struct IsComputedFirst<E, true, std::enable_if_t<kIsMaterialised<E>>> : std::true_type {};

/// to = a box of the plan P, as elements of DType. Defined in backend/cpu/executor.h.
template <typename P, typename DType>
void FillBox(const void* plan, char* to, std::ptrdiff_t pitch, std::ptrdiff_t y,
             std::ptrdiff_t rows, std::ptrdiff_t x, std::ptrdiff_t cols);

/// An operand of any other node, which its plan computes a box at a time.
template <typename E>
struct DescribedProducer {
  using P = PlanOf<E>;
  using DType = ElementOfExp<E>;
  static constexpr bool kOk = true, kPlain = false, kFirst = true, kFills = true,
                        kArithmetic = true;
  static constexpr View kView = View::kNone;
  static constexpr int kCount = 1, kTensors = 1, kCost = kCostOf<P>, kSize = sizeof(DType);
  using Cursor = VectorCursor<DType>;
  static constexpr void Sizes(int* to) { *to = kSize; }
  template <View>
  static void Describe(const E& e, OperandView* to) {
    constexpr int kDim = ExpInfo<E>::kDim;
    const P& plan = StatementMemory<cpu>::Current()->Keep(MakePlan(e));
    *to = {reinterpret_cast<const char*>(&plan), {}, nullptr, kSize, FillBox<P, DType>,
           expr::ReadsOf(plan)};
    const Shape<kDim> shape = ShapeCheck<kDim, E>::Check(e);
    to->stride[kDim - 1] = kSize;
    std::ptrdiff_t rows = 1;
    for (int i = kDim - 2; i >= 0; --i) {
      to->stride[i] = rows;
      rows *= static_cast<std::ptrdiff_t>(shape[i]);
    }
  }
};
template <typename E, bool on_cpu = (ExpInfo<E>::kDevMask == cpu::kDevMask &&
                                     ExpInfo<E>::kDim > 0 && ExpInfo<E>::kDim <= kMaxAxes),
          typename = void>
struct IsProducer : std::false_type {};
template <typename E>
struct IsProducer<E, true, std::void_t<PlanOf<E>>>
    : std::bool_constant<kMayDescribe<ElementOfExp<E>> && !HasOperands<E>::value> {};
/// What is no tensor, map or view.
template <typename E>
using DescribedOther = std::conditional_t<
    IsComputedFirst<E>::value, DescribedFirst<E>,
    std::conditional_t<IsProducer<E>::value, DescribedProducer<E>, NotDescribed>>;

/// The source of a view. Of one that repeats or reorders elements, what is computed is computed
/// first.
MSHADOW_MEMBER_OR_(kRepeatsSource, kRepeats, false)
template <typename E, typename Src>
constexpr bool ComputesSourceFirst() {
  if constexpr (!Described<Src>::kOk) {
    return false;
  } else if constexpr (Described<Src>::kFills) {
    return kRepeatsSource<E> || kViewOf<E> == View::kAny;
  } else {
    return kRepeatsSource<E> &&
           !std::is_same_v<typename Described<Src>::Cursor, VectorCursor<ElementOfExp<Src>>>;
  }
}
template <typename E>
using DescribedSource =
    std::conditional_t<ComputesSourceFirst<E, SourceExpOf<E>>(), DescribedFirst<SourceExpOf<E>>,
                       Described<SourceExpOf<E>>>;

template <typename D>
constexpr bool MayMove() {
  if constexpr (D::kOk) {
    return !D::kFills;
  } else {
    return false;
  }
}
/// A view: the operands of its source, moved.
template <typename E, View own>
struct MovedOperands : DescribedSource<E> {
  using Src = DescribedSource<E>;
  static constexpr bool kPlain = false;
  static constexpr View kView = Harder(Src::kView, own);
  template <View view>
  static void Describe(const E& e, OperandView* to) {
    Src::template Describe<Harder(view, own)>(detail::SourceOf(e), to);
    e.Move(OperandViews(to, Src::kCount));
  }
};

template <typename E>
struct DescribedView<E, View::kNone>
    : DescribedOther<E> {};
template <typename E, View own>
struct DescribedView
    : std::conditional_t<(ExpInfo<E>::kDim <= kMaxAxes && MayMove<DescribedSource<E>>()),
                         MovedOperands<E, own>, DescribedOther<E>> {};

/// A map of described operands.
template <typename OP, typename DType, typename... Es>
struct DescribedMap {
  static constexpr bool kOk = true;
  static constexpr bool kPlain = (... && Described<Es>::kPlain);
  static constexpr View kView = View::kNone;  // of the result, which is in rows
  static constexpr bool kFirst = (... || Described<Es>::kFirst);
  static constexpr bool kFills = (... || Described<Es>::kFills);
  static constexpr bool kArithmetic = (op::kMapsPairs<OP> && ... && Described<Es>::kArithmetic);
  static constexpr int kCount = (0 + ... + Described<Es>::kCount);
  static constexpr int kTensors = (0 + ... + Described<Es>::kTensors);
  static constexpr int kCost = (kCostOf<OP> + ... + Described<Es>::kCost);
  using Cursor = MapCursor<OP, DType, typename Described<Es>::Cursor...>;
  static constexpr void Sizes(int* to) {
    ((Described<Es>::Sizes(to), to += Described<Es>::kCount), ...);
  }
  static constexpr void Codes(signed char** to) {
    (Described<Es>::Codes(to), ...);
    if (sizeof...(Es) > 1) *(*to)++ = sizeof...(Es);
  }
  MSHADOW_FORCE_INLINE static void PutAll(LeafRef* to, const Es&... e) {
    ((Described<Es>::Put(e, to), to += Described<Es>::kCount), ...);
  }
  template <View view>
  static void DescribeAll(OperandView* to, const Es&... e) {
    ((Described<Es>::template Describe<view>(e, to), to += Described<Es>::kCount), ...);
  }
};
template <typename... Es>
inline constexpr bool kDescribed = (... && Described<Es>::kOk);

template <typename OP, typename A, typename DType, int etype>
struct Described<UnaryMapExp<OP, A, DType, etype>, std::enable_if_t<kDescribed<A>>>
    : DescribedMap<OP, DType, A> {
  using Node = UnaryMapExp<OP, A, DType, etype>;
  MSHADOW_FORCE_INLINE static void Put(const Node& e, LeafRef* to) {
    Described::PutAll(to, e.src_);
  }
  template <View view>
  static void Describe(const Node& e, OperandView* to) {
    Described::template DescribeAll<view>(to, e.src_);
  }
};
template <typename OP, typename A, typename B, typename DType, int etype>
struct Described<BinaryMapExp<OP, A, B, DType, etype>, std::enable_if_t<kDescribed<A, B>>>
    : DescribedMap<OP, DType, A, B> {
  using Node = BinaryMapExp<OP, A, B, DType, etype>;
  MSHADOW_FORCE_INLINE static void Put(const Node& e, LeafRef* to) {
    Described::PutAll(to, e.lhs_, e.rhs_);
  }
  template <View view>
  static void Describe(const Node& e, OperandView* to) {
    Described::template DescribeAll<view>(to, e.lhs_, e.rhs_);
  }
};
template <typename OP, typename A, typename B, typename C, typename DType, int etype>
struct Described<TernaryMapExp<OP, A, B, C, DType, etype>, std::enable_if_t<kDescribed<A, B, C>>>
    : DescribedMap<OP, DType, A, B, C> {
  using Node = TernaryMapExp<OP, A, B, C, DType, etype>;
  MSHADOW_FORCE_INLINE static void Put(const Node& e, LeafRef* to) {
    Described::PutAll(to, e.item1_, e.item2_, e.item3_);
  }
  template <View view>
  static void Describe(const Node& e, OperandView* to) {
    Described::template DescribeAll<view>(to, e.item1_, e.item2_, e.item3_);
  }
};

/// True if `R Saver= E` is a described statement. (What is computed as a whole, and only assigned,
/// is not: it is written where it is to be.)
template <typename R, typename E, typename Saver = sv::saveto>
constexpr bool IsDescribed() {
  if constexpr (Described<R>::kOk && Described<E>::kOk) {
    using D = Described<E>;
    return Described<R>::kCount == 1 && !Described<R>::kFirst && D::kCount <= kMaxOperands &&
           !(std::is_base_of_v<DescribedProducer<E>, D> && std::is_same_v<Saver, sv::saveto>) &&
           !std::is_base_of_v<DescribedFirst<E>, D>;
  } else {
    return false;
  }
}
/// True if it is one of tensors as they are, and values.
template <typename Device, typename R, typename E>
constexpr bool IsPlainStatement() {
  if constexpr (Device::kDevCPU && IsDescribed<R, E>()) {
    return Described<R>::kPlain && Described<E>::kPlain && !Described<E>::kFirst;
  } else {
    return false;
  }
}
/// True if it needs memory for what is computed first.
template <typename R, typename E, typename Saver>
constexpr bool DescribesFirst() {
  if constexpr (IsDescribed<R, E, Saver>()) {
    return Described<E>::kFirst;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_STATEMENT_H_
