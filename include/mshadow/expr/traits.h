// SPDX-License-Identifier: Apache-2.0
// What the engine asks of a node: rank, devices, shape, stream, whether it reads what is written.
//
// A node answers by members:
//   static constexpr int kRank      number of axes; 0 for a scalar
//   static constexpr int kDevices   devices it can be evaluated on: or of kDevMask
//   template <int dim> Shape<dim> GetShape() const       throws Error on operands that do not fit
//   template <typename D> Stream<D>* GetStream() const   optional, of assignable nodes
//   template <typename V> bool Overlaps(const V& written, bool same_index) const     optional
//   bool IsSame(const Node& other) const       optional: is it the same, of the same memory?
//   using Operands = detail::TypeList<...>      of element-wise nodes, whose operands these are
//   template <typename F> void ForEachOperand(const F& f) const          calls f(operand) for each
//   template <typename F> auto WithOperands(const F& f) const     the node of f(operand) for each
// Third-party nodes may specialise ExpInfo, ShapeCheck and StreamInfo instead, as in 2.x.
#ifndef MSHADOW_EXPR_TRAITS_H_
#define MSHADOW_EXPR_TRAITS_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../core/device.h"
#include "../core/has_member.h"
#include "exp.h"
#include "temporary.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {
template <typename... Types>
struct TypeList {};
template <typename E, typename = void>
struct HasOperands : std::false_type {};
template <typename E>
struct HasOperands<E, std::void_t<typename E::Operands>> : std::true_type {};

template <typename E, typename = void>
struct NodeInfo {
  static constexpr int kDim = -1;
  static constexpr int kDevMask = 0;
};
template <typename E>
struct NodeInfo<E, std::void_t<decltype(E::kRank), decltype(E::kDevices)>> {
  static constexpr int kDim = E::kRank;
  static constexpr int kDevMask = E::kDevices;
};
}  // namespace detail

/// kDim: the rank of E, 0 for a scalar, -1 where it cannot be part of an element-wise statement.
/// kDevMask: the devices it can be evaluated on.
template <typename E>
struct ExpInfo {
  static constexpr int kDim = detail::NodeInfo<E>::kDim;
  static constexpr int kDevMask = detail::NodeInfo<E>::kDevMask;
};

/// May E be part of a statement on Tensor<Device, dim, DType> (kMapPass), or be reduced to one
/// (kRedPass)?
template <typename Device, int dim, typename DType, typename E>
struct TypeCheck {
  static constexpr int kExpDim = ExpInfo<E>::kDim;
  static constexpr bool kDevPass = (ExpInfo<E>::kDevMask & Device::kDevMask) != 0;
  static constexpr bool kMapPass = (kExpDim == 0 || kExpDim == dim) && kDevPass;
  static constexpr bool kRedPass = (kExpDim > dim) && kDevPass;
};

/// Third-party code calls these functions to assert; only TypeCheckPass<true> has them.
template <bool kPass>
struct TypeCheckPass;
template <>
struct TypeCheckPass<true> {
  static void Error_All_Tensor_in_Exp_Must_Have_Same_Type() {}
  static void Error_TypeCheck_Not_Pass_For_Reduce_Exp() {}
  static void Error_Expression_Does_Not_Meet_Dimension_Req() {}
};

/// The shape of `e`; throws Error with both shapes where its operands do not fit each other.
template <int dim, typename E>
struct ShapeCheck {
  static Shape<dim> Check(const E& e) { return e.template GetShape<dim>(); }
};

/// The stream that a statement which assigns to `e` runs on.
template <typename Device, typename E>
struct StreamInfo {
  static Stream<Device>* Get(const E& e) { return e.template GetStream<Device>(); }
};

namespace detail {

/// Throws Error where e is no scalar and has another shape.
template <int dim, typename E>
MSHADOW_FORCE_INLINE void CheckSameShape([[maybe_unused]] const char* who,
                                         [[maybe_unused]] const Shape<dim>& shape,
                                         [[maybe_unused]] const E& e) {
  if constexpr (ExpInfo<E>::kDim != 0) {
    const Shape<dim> other = ShapeCheck<dim, E>::Check(e);
    if (!MSHADOW_LIKELY(shape == other)) {
      mshadow::detail::ThrowShapeMismatch(who, shape.shape_, other.shape_, dim);
    }
  }
}
/// The one shape of the operands of an element-wise node; scalars fit every shape.
template <int dim, typename First, typename... Rest>
MSHADOW_FORCE_INLINE Shape<dim> CommonShape([[maybe_unused]] const char* who, const First& first,
                                            const Rest&... rest) {
  if constexpr (ExpInfo<First>::kDim == 0 && sizeof...(Rest) > 0) {
    return CommonShape<dim>(who, rest...);
  } else {
    const Shape<dim> shape = ShapeCheck<dim, First>::Check(first);
    (CheckSameShape(who, shape, rest), ...);
    return shape;
  }
}

}  // namespace detail

/// The memory that a statement writes, for the question whether it reads it elsewhere.
struct WrittenView {
  const char* begin;        // first byte
  std::ptrdiff_t pitch;     // bytes from row to row
  std::ptrdiff_t width;     // bytes of a row that are written
  std::ptrdiff_t rows;      // may join rows of the statement, of a part cut out of an outer axis
  bool same_layout;         // false: element i is not where these four numbers and the shape say
  bool unknown = false;     // what Overlaps is to answer for a node that does not say what it reads
  bool first = false;       // true: Overlaps counts what is read before anything is written, too
};

namespace detail {

/// Does one view end before the other begins? An empty one may seem to lie within another.
inline bool AreDisjoint(const WrittenView& a, const WrittenView& b) {
  const auto begin = [](const WrittenView& v) { return reinterpret_cast<std::intptr_t>(v.begin); };
  const auto end = [&](const WrittenView& v) {
    return begin(v) + (v.rows - 1) * v.pitch + v.width;
  };
  return begin(a) >= end(b) || begin(b) >= end(a);
}

/// Do two views that do not lie apart share a byte? Interleaved columns of one matrix do not.
/// Seldom asked: not compiled into each statement; by value, so that nothing is stored until then.
MSHADOW_NOINLINE inline bool Intersect(WrittenView a, WrittenView b) {
  if (a.rows == 0 || b.rows == 0 || a.width == 0 || b.width == 0) return false;
  if (a.pitch != b.pitch || a.pitch <= 0) return true;
  std::ptrdiff_t shift = (b.begin - a.begin) % a.pitch;
  if (shift < 0) shift += a.pitch;
  return !(a.width <= shift && shift + b.width <= a.pitch);
}

/// Do two views share a byte?
inline bool ViewsIntersect(const WrittenView& a, const WrittenView& b) {
  return !AreDisjoint(a, b) && Intersect(a, b);
}

/// Does reading the memory `read`, at the index that is written or at others, need a temporary?
inline bool ReadsWritten(const WrittenView& written, const WrittenView& read, bool same_index) {
  if (AreDisjoint(written, read)) return false;  // first: so it is of nearly every operand
  if (same_index && written.same_layout && read.same_layout && read.begin == written.begin &&
      read.pitch == written.pitch && read.width == written.width && read.rows == written.rows) {
    return false;
  }
  return Intersect(written, read);
}

MSHADOW_HAS_MEMBER_(HasOverlaps, Overlaps(std::declval<const WrittenView&>(), true))
MSHADOW_HAS_MEMBER_(HasSource, src_)
MSHADOW_HAS_MEMBER_(HasWritten, Written())
MSHADOW_HAS_MEMBER_(HasIsSame, IsSame(std::declval<const T&>()))

template <typename R, typename F, typename = void>
struct HasAnyWritten : std::false_type {};
template <typename R, typename F>
struct HasAnyWritten<R, F, std::void_t<decltype(std::declval<const R&>().AnyWritten(
                               std::declval<const F&>()))>> : std::true_type {};

}  // namespace detail

/// Does f(view) hold for any of the views that a statement assigning to `dst` writes? A node has a
/// member Written(), the view, or AnyWritten(f) if it writes several (concat). One of 2.x that says
/// nothing is not checked, as in 2.x.
template <typename R, typename F>
inline bool AnyWritten([[maybe_unused]] const R& dst, [[maybe_unused]] const F& f) {
  if constexpr (detail::HasAnyWritten<R, F>::value) {
    return dst.AnyWritten(f);
  } else if constexpr (detail::HasWritten<R>::value) {
    return f(dst.Written());
  } else {
    return false;
  }
}

/// Could evaluating `e` into `written` read an element after it was overwritten? `same_index`:
/// everything between `e` and the destination is element-wise.
/// A third-party node that says nothing, but has a member src_, may read src_ anywhere. One that is
/// computed into memory first reads nothing afterwards: its answer is false unless written.first.
template <typename E>
inline bool Overlaps(const E& e, const WrittenView& written, bool same_index) {
  if constexpr (detail::HasOverlaps<E>::value) {
    return e.Overlaps(written, same_index);
  } else if constexpr (detail::HasSource<E>::value) {
    return expr::Overlaps(e.src_, written, false);
  } else {
    return written.unknown;
  }
}

namespace detail {

/// True if a and b are the same expression of the same memory, as a member IsSame says. Without one
/// it may be false where they are: what lies between members need not be the same.
template <typename E>
inline bool IsSame([[maybe_unused]] const E& a, [[maybe_unused]] const E& b) {
  if constexpr (HasIsSame<E>::value) {
    return a.IsSame(b);
  } else if constexpr (std::is_trivially_copyable_v<E>) {
    return std::memcmp(&a, &b, sizeof(E)) == 0;
  } else {
    return false;
  }
}

template <typename E, typename F, typename = void>
struct NamesOperands : std::false_type {};
template <typename E, typename F>
struct NamesOperands<
    E, F, std::void_t<decltype(std::declval<const E&>().ForEachOperand(std::declval<const F&>()))>>
    : std::true_type {};
/// Calls f(operand) for each operand of `e`. Does not find those of nodes that use other names.
template <typename E, typename F>
inline void ForEachOperandOf([[maybe_unused]] const E& e, [[maybe_unused]] const F& f) {
  if constexpr (NamesOperands<E, F>::value) {
    e.ForEachOperand(f);
  } else {
    [[maybe_unused]] const auto look_at = [&](auto member) {
      if constexpr (std::is_invocable_v<decltype(member), const E&>) f(member(e));
    };
    look_at([](const auto& n) -> decltype(n.index_.self()) { return n.index_.self(); });
    look_at([](const auto& n) -> decltype(n.src_.self()) { return n.src_.self(); });
    look_at([](const auto& n) -> decltype(n.src1_.self()) { return n.src1_.self(); });
    look_at([](const auto& n) -> decltype(n.src2_.self()) { return n.src2_.self(); });
    look_at([](const auto& n) -> decltype(n.exp.self()) { return n.exp.self(); });
    look_at([](const auto& n) -> decltype(n.lhs_.self()) { return n.lhs_.self(); });
    look_at([](const auto& n) -> decltype(n.rhs_.self()) { return n.rhs_.self(); });
  }
}

MSHADOW_HAS_MEMBER_(HasStream, stream_)
/// The stream of the first tensor of Device in `e` that has one; nullptr where none has, and for
/// what is computed on the host, where streams do nothing.
template <typename Device, typename E>
inline Stream<Device>* StreamOf([[maybe_unused]] const E& e) {
  Stream<Device>* stream = nullptr;
  if constexpr (Device::kDevCPU) {
  } else if constexpr (HasStream<E>::value) {
    if constexpr (std::is_same_v<decltype(E::stream_), Stream<Device>*>) stream = e.stream_;
  } else {
    ForEachOperandOf(e, [&stream](const auto& operand) {
      if (stream == nullptr) stream = StreamOf<Device>(operand);
    });
  }
  return stream;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_TRAITS_H_
