// SPDX-License-Identifier: Apache-2.0
// Rows of half_t, computed in float.
//
// GCC 12 vectorises no conversion of half_t to its instruction. Here ops that round once
// (op::kRoundsOnce) take floats, and instructions round what they return.
#ifndef MSHADOW_BACKEND_CPU_HALF_ROWS_H_
#define MSHADOW_BACKEND_CPU_HALF_ROWS_H_

#include <type_traits>
#include <utility>

#include "../../expr/plan/map_plan.h"
#include "../../expr/typecast.h"
#include "../../op/rounds_once.h"
#include "../../op/saver.h"
#include "../../simd/half_convert.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

template <typename C>
using ElementOfCursor = std::decay_t<decltype(std::declval<const C&>().Eval(std::ptrdiff_t()))>;

/// True for the element types of such rows and of their operands.
template <typename T>
inline constexpr bool kComputesInFloat = std::is_same_v<T, float> || float16::kIsFloat16<T>;

/// Elements x + k of a cursor as floats, computed one by one. (As elements first: a loop over eight
/// floats that converts makes vectors of four, and a load of eight waits for both.)
template <typename C>
MSHADOW_FORCE_INLINE void LanesOneByOne(const C& cursor, std::ptrdiff_t x, float* to) {
  ElementOfCursor<C> element[simd::kHalfLanes];
  MSHADOW_SIMD_LOOP
  for (int k = 0; k < simd::kHalfLanes; ++k) element[k] = cursor.Eval(x + k);
  simd::LanesToFloat(element, to);
}

/// simd::kHalfLanes elements of a cursor from x on, as floats: loaded, or one by one.
template <typename C>
struct LanesOf {
  /// True if the elements are computed in float. They are rounded afterwards.
  static constexpr bool kInFloat = false;
  /// False where longer loops are faster.
  static constexpr bool kPlain = true;
  static constexpr bool kHasHalf = std::is_same_v<ElementOfCursor<C>, half::half_t>;
  MSHADOW_FORCE_INLINE static void Eval(const C& cursor, std::ptrdiff_t x, float* to) {
    if constexpr (expr::detail::HasPointer<C>::value) {
      simd::LanesToFloat(cursor.Pointer(x), to);
    } else {
      LanesOneByOne(cursor, x, to);
    }
  }
};

template <typename C>
MSHADOW_FORCE_INLINE void RoundedLanes(const C& cursor, std::ptrdiff_t x, float* to) {
  LanesOf<C>::Eval(cursor, x, to);
  if constexpr (LanesOf<C>::kInFloat) simd::RoundLanes<ElementOfCursor<C>>(to);
}

/// OP::Map of floats, where it may take floats instead of its operands' types; identity is a cast.
template <typename OP, typename DType, std::size_t... i, typename... Cursors>
struct LanesOf<expr::detail::MapCursorOf<OP, DType, std::index_sequence<i...>, Cursors...>> {
  using Cursor = expr::detail::MapCursorOf<OP, DType, std::index_sequence<i...>, Cursors...>;
  static constexpr bool kIsCast =
      std::is_same_v<OP, op::identity> && (... && !std::is_same_v<ElementOfCursor<Cursors>, DType>);
  static constexpr bool kOfFloats =
      std::is_same_v<DType, float> && (... && std::is_same_v<ElementOfCursor<Cursors>, float>);
  static constexpr bool kInFloat = (op::kRoundsOnce<OP> || kIsCast || kOfFloats) &&
                                   kComputesInFloat<DType> &&
                                   (... && kComputesInFloat<ElementOfCursor<Cursors>>);
  static constexpr bool kPlain = (... && LanesOf<Cursors>::kPlain) &&
                                 (kInFloat || kIsCast || !float16::kIsFloat16<DType>);
  static constexpr bool kHasHalf =
      std::is_same_v<DType, half::half_t> || (... || LanesOf<Cursors>::kHasHalf);
  MSHADOW_FORCE_INLINE static void Eval(const Cursor& cursor, std::ptrdiff_t x, float* to) {
    if constexpr (kInFloat) {
      float in[sizeof...(i)][simd::kHalfLanes];
      (RoundedLanes(expr::detail::Get<i>(cursor), x, in[i]), ...);
      MSHADOW_SIMD_LOOP
      for (int k = 0; k < simd::kHalfLanes; ++k) {
        to[k] = op::math::Convert<float>(OP::Map(in[i][k]...));
      }
    } else {
      LanesOneByOne(cursor, x, to);
    }
  }
};

/// A cast between half_t and float, which a buffer would hold elsewhere.
template <typename DstDType, typename SrcDType, typename C>
struct LanesOf<expr::detail::HalfCastCursor<DstDType, SrcDType, C>> {
  static constexpr bool kInFloat = true, kPlain = LanesOf<C>::kPlain, kHasHalf = true;
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static void Eval(const Cursor& cursor, std::ptrdiff_t x, float* to) {
    RoundedLanes(cursor.a_, x, to);
  }
};

/// True if a row is one of memory, converted.
template <typename C>
inline constexpr bool kConvertsMemory = false;
template <typename DstDType, typename SrcDType, typename C>
inline constexpr bool kConvertsMemory<expr::detail::HalfCastCursor<DstDType, SrcDType, C>> =
    expr::detail::HasPointer<C>::value;

/// True if the plan P fills for another reason than casts, which RoundedLanes reads as they are.
template <typename P, typename = void>
inline constexpr bool kFillsElse = expr::kFillsOf<P>;
template <typename Operands>
inline constexpr bool kAnyFillsElse = false;
template <typename... Ps>
inline constexpr bool kAnyFillsElse<expr::detail::TypeList<Ps...>> = (... || kFillsElse<Ps>);
template <typename P>
inline constexpr bool kFillsElse<P, std::void_t<typename P::Operands>> =
    kAnyFillsElse<typename P::Operands>;

/// row[k] Saver= element x + k of the cursor, for k < simd::kHalfLanes.
template <typename Saver, typename DType, typename C>
MSHADOW_FORCE_INLINE void SaveLanes(DType* row, const C& cursor, std::ptrdiff_t x) {
  float value[simd::kHalfLanes];
  if constexpr (std::is_same_v<Saver, sv::saveto>) {
    LanesOf<C>::Eval(cursor, x, value);
  } else {
    float old[simd::kHalfLanes];
    RoundedLanes(cursor, x, value);
    simd::LanesToFloat(row, old);
    MSHADOW_SIMD_LOOP
    for (int k = 0; k < simd::kHalfLanes; ++k) value[k] = Saver::OPType::Map(old[k], value[k]);
  }
  simd::LanesFromFloat(value, row);
}

/// In a loop of few elements: GCC makes no vectors of it, for which there would be much code.
MSHADOW_FORCE_INLINE void KeepScalar() {
#if MSHADOW_HALF_LANES
  __asm__ volatile("");
#endif
}

template <typename Saver, typename = void>
inline constexpr bool kSavesInFloat = false;
template <typename Saver>
inline constexpr bool kSavesInFloat<Saver, std::void_t<typename Saver::OPType>> =
    op::kRoundsOnce<typename Saver::OPType>;

/// True if SaveLanes takes less time than one element after the other.
template <typename Saver, typename DType, typename C>
inline constexpr bool kSavesLanes =
    MSHADOW_HALF_LANES && kComputesInFloat<DType> && std::is_same_v<DType, ElementOfCursor<C>> &&
    LanesOf<C>::kPlain && LanesOf<C>::kHasHalf &&
    (std::is_same_v<Saver, sv::saveto> ? LanesOf<C>::kInFloat && !kConvertsMemory<C>
                                       : kSavesInFloat<Saver>);

/// True if the elements of a cursor are worth adding by RoundedLanes.
template <typename Acc, typename C>
inline constexpr bool kAddsLanes =
    MSHADOW_HALF_LANES && std::is_same_v<Acc, float> && kComputesInFloat<ElementOfCursor<C>> &&
    LanesOf<C>::kPlain && LanesOf<C>::kHasHalf;

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_HALF_ROWS_H_
