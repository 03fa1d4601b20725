// SPDX-License-Identifier: Apache-2.0
// EvalPack: neighbouring elements of a row at once, so that a GPU thread loads 16 bytes of each
// operand.
//
// A cursor over memory (one with Pointer) is loaded. Element-wise cursors pass the questions on:
//
//   static constexpr bool kPacks = kPacksOf<A>;
//   template <int W> bool PacksAligned(std::ptrdiff_t x) const;
//   template <int W> Pack<DType, W> EvalPack(std::ptrdiff_t x) const;
//
// A cursor that finds the way to an element by branches that are the same in all of a row offers
//
//   template <int U> void EvalEach(const std::ptrdiff_t (&x)[U], DType (&value)[U]) const;
//
// and takes them once for U elements, so that all are loaded before the first is waited for.
//
// A cursor whose elements cost nothing (a scalar, a broadcast value) only says kPacks = true. All
// others are evaluated element by element.
#ifndef MSHADOW_EXPR_PLAN_PACK_H_
#define MSHADOW_EXPR_PLAN_PACK_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../core/dtype.h"
#include "../../op/math/convert.h"
#include "../../op/pairs.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

constexpr int PackAlignment(int bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

#ifdef __CUDACC__
/// The widest word that memory moves at the alignment of P.
template <typename P>
using PackWord = std::conditional_t<
    alignof(P) == 16, uint4,
    std::conditional_t<alignof(P) == 8, uint2,
                       std::conditional_t<alignof(P) == 4, std::uint32_t,
                                          std::conditional_t<alignof(P) == 2, std::uint16_t,
                                                             std::uint8_t>>>>;
#endif

MSHADOW_HAS_MEMBER_(HasEvalPack, template EvalPack<1>(std::ptrdiff_t()))

template <typename C, typename DType, typename = void>
struct HasEvalEach : std::false_type {};
template <typename C, typename DType>
struct HasEvalEach<C, DType,
                   std::void_t<decltype(std::declval<const C&>().EvalEach(
                       std::declval<const std::ptrdiff_t (&)[1]>(), std::declval<DType (&)[1]>()))>>
    : std::true_type {};

}  // namespace detail

/// W neighbouring elements, aligned so that they are one access of 16 bytes, or several.
template <typename DType, int W>
struct alignas(detail::PackAlignment(W * static_cast<int>(sizeof(DType)))) Pack {
  DType item[W];
};

/// *from, in accesses of the width of its alignment. (NVCC takes some structs apart into single
/// elements, and keeps what it copies by address out of registers.)
template <typename DType, int W>
MSHADOW_XINLINE Pack<DType, W> LoadPack(const Pack<DType, W>* from) {
#ifdef __CUDA_ARCH__
  using Word = detail::PackWord<Pack<DType, W>>;
  constexpr int kWords = static_cast<int>(sizeof(*from) / sizeof(Word));
  Word words[kWords];
  for (int i = 0; i < kWords; ++i) words[i] = reinterpret_cast<const Word*>(from)[i];
  Pack<DType, W> pack;
  memcpy(&pack, words, sizeof(pack));
  return pack;
#else
  return *from;
#endif
}
/// *to = pack, likewise.
template <typename DType, int W>
MSHADOW_XINLINE void StorePack(Pack<DType, W>* to, const Pack<DType, W>& pack) {
#ifdef __CUDA_ARCH__
  using Word = detail::PackWord<Pack<DType, W>>;
  constexpr int kWords = static_cast<int>(sizeof(pack) / sizeof(Word));
  Word words[kWords];
  memcpy(words, &pack, sizeof(pack));
  for (int i = 0; i < kWords; ++i) reinterpret_cast<Word*>(to)[i] = words[i];
#else
  *to = pack;
#endif
}

/// Is it worth asking the cursor C for packs?
MSHADOW_MEMBER_OR_(kPacksOf, kPacks, detail::HasPointer<T>::value)

/// Do packs of W that begin at element x, and at multiples of W from there, lie in memory so that
/// they can be loaded as such?
template <int W, typename C>
MSHADOW_XINLINE bool PacksAligned(const C& cursor, [[maybe_unused]] std::ptrdiff_t x) {
  if constexpr (detail::HasEvalPack<C>::value) {
    return cursor.template PacksAligned<W>(x);
  } else if constexpr (detail::HasPointer<C>::value) {
    using DType = std::decay_t<decltype(cursor.Eval(x))>;
    return reinterpret_cast<std::uintptr_t>(cursor.Pointer(x)) % alignof(Pack<DType, W>) == 0;
  } else {
    return true;
  }
}

/// The elements x, ..., x + W - 1 of a row; PacksAligned<W>(cursor, x) must be true.
template <int W, typename C>
MSHADOW_XINLINE auto EvalPack(const C& cursor, std::ptrdiff_t x) {
  using DType = std::decay_t<decltype(cursor.Eval(x))>;
  if constexpr (detail::HasEvalPack<C>::value) {
    return cursor.template EvalPack<W>(x);
  } else if constexpr (detail::HasPointer<C>::value) {
    return LoadPack(reinterpret_cast<const Pack<DType, W>*>(cursor.Pointer(x)));
  } else {
    Pack<DType, W> pack;
    for (int i = 0; i < W; ++i) pack.item[i] = cursor.Eval(x + i);
    return pack;
  }
}

/// value[u] = element x[u] of a row.
template <int U, typename C, typename DType>
MSHADOW_XINLINE void EvalEach(const C& cursor, const std::ptrdiff_t (&x)[U], DType (&value)[U]) {
  if constexpr (detail::HasEvalEach<C, DType>::value) {
    cursor.EvalEach(x, value);
  } else {
    for (int u = 0; u < U; ++u) value[u] = cursor.Eval(x[u]);
  }
}

namespace detail {

/// Two DType in one value, for ops with op::kMapsPairs; void where there is no such type.
template <typename DType>
using PairOf = std::conditional_t<
    std::is_same_v<DType, half::half_t>, half::half2_t,
    std::conditional_t<std::is_same_v<DType, bfloat::bf16_t>, bfloat::bf16x2_t, void>>;

/// The elements i and i + 1 of a pack.
template <typename DType, int W>
MSHADOW_XINLINE PairOf<DType> PairAt(const Pack<DType, W>& pack, int i) {
  PairOf<DType> pair;
  std::memcpy(&pair, pack.item + i, sizeof(pair));
  return pair;
}

}  // namespace detail

/// out[i] = OP::Map(operand[i]...); of 16-bit floats two at a time, where OP allows.
template <typename OP, typename DType, int W, typename... Packs>
MSHADOW_XINLINE Pack<DType, W> MapPack(const Packs&... operand) {
  using Pair = detail::PairOf<DType>;
  Pack<DType, W> out;
  if constexpr (op::kMapsPairs<OP> && !std::is_void_v<Pair> && W % 2 == 0 &&
                (std::is_same_v<Packs, Pack<DType, W>> && ...)) {
    for (int i = 0; i < W; i += 2) {
      const Pair pair = OP::Map(detail::PairAt(operand, i)...);
      std::memcpy(out.item + i, &pair, sizeof(pair));
    }
  } else {
    for (int i = 0; i < W; ++i) out.item[i] = op::math::Convert<DType>(OP::Map(operand.item[i]...));
  }
  return out;
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_PACK_H_
