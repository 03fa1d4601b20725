// SPDX-License-Identifier: Apache-2.0
// FoldParts: the elements of several ranks become one, in the order of the ranks.
#ifndef MSHADOW_DIST_FOLD_H_
#define MSHADOW_DIST_FOLD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "../tensor.h"
#include "provider.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// "sum", "product", "minimum", "maximum", "mean".
inline const char* FoldName(Fold fold) {
  constexpr const char* kNames[] = {"sum", "product", "minimum", "maximum", "mean"};
  return kNames[static_cast<int>(fold)];
}

namespace detail {

/// Bytes of a block. Those of a few ranks and of the result stay in the first-level cache.
constexpr std::size_t kFoldBlock = 8192;

/// Where the elements of T are folded: 16-bit floats as float. Integers wrap around, so sums and
/// products of signed ones have the bits of unsigned ones.
template <typename T, bool kWraps>
struct FoldTypeOf {
  using type = std::conditional_t<float16::kIsFloat16<T>, float, T>;
};
template <typename T>
struct FoldTypeOf<T, true> : FoldTypeOf<std::make_unsigned_t<T>, false> {};

template <typename T>
inline Tensor<cpu, 1, T> BlockOf(void* data, std::size_t count) {
  return Tensor<cpu, 1, T>(static_cast<T*>(data), Shape1(static_cast<index_t>(count)));
}

/// out = Op of the elements of a and b; T is the type that they are folded in.
template <typename Op, typename T>
inline void FoldTwo(void* out, const void* a, const void* b, std::size_t count) {
  Tensor<cpu, 1, T> to = BlockOf<T>(out, count);
  to = expr::F<Op>(BlockOf<T>(const_cast<void*>(a), count),
                   BlockOf<T>(const_cast<void*>(b), count));
}

template <typename To, typename From>
inline void ConvertBlock(void* out, const void* in, std::size_t count) {
  Tensor<cpu, 1, To> to = BlockOf<To>(out, count);
  to = expr::tcast<To>(BlockOf<From>(const_cast<void*>(in), count));
}

/// Divides the sum of n ranks.
template <typename T>
inline void DivideBlock(void* data, int n, std::size_t count) {
  Tensor<cpu, 1, T> mean = BlockOf<T>(data, count);
  mean /= static_cast<T>(n);
}

/// FoldParts of the elements [begin, begin + count) of type T, a block.
template <typename Op, typename T, typename In>
inline void FoldBlock(const void* const* parts, int n, void* out, std::size_t begin,
                      std::size_t count, bool mean) {
  alignas(64) unsigned char sum[kFoldBlock / sizeof(In) * sizeof(T)];
  const auto part = [&](int r) { return static_cast<const In*>(parts[r]) + begin; };
  In* const to = static_cast<In*>(out) + begin;
  if constexpr (std::is_same_v<T, In>) {
    // `out` may be a part that is yet to come: only the last step writes it.
    FoldTwo<Op, T>(n == 2 ? static_cast<void*>(to) : sum, part(0), part(1), count);
    for (int r = 2; r < n; ++r) {
      FoldTwo<Op, T>(r + 1 == n ? static_cast<void*>(to) : sum, sum, part(r), count);
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (mean) DivideBlock<T>(to, n, count);
    }
  } else {
    alignas(64) unsigned char next[sizeof(sum)];
    ConvertBlock<T, In>(sum, part(0), count);
    for (int r = 1; r < n; ++r) {
      ConvertBlock<T, In>(next, part(r), count);
      FoldTwo<Op, T>(sum, sum, next, count);
    }
    if (mean) DivideBlock<T>(sum, n, count);
    ConvertBlock<In, T>(to, sum, count);
  }
}

template <typename Op, typename In, bool kWraps>
inline void FoldAll(const void* const* parts, int n, void* out, std::size_t count, bool mean) {
  using T = typename FoldTypeOf<In, kWraps>::type;
  using Stored = std::conditional_t<kWraps, T, In>;
  constexpr std::size_t kCount = kFoldBlock / sizeof(In);
  for (std::size_t i = 0; i < count; i += kCount) {
    FoldBlock<Op, T, Stored>(parts, n, out, i, count - i < kCount ? count - i : kCount, mean);
  }
}

template <typename In>
inline void FoldOf(const void* const* parts, int n, void* out, std::size_t count, Fold fold) {
  constexpr bool kWraps = std::is_integral_v<In>;
  switch (fold) {
    case Fold::kMin: return FoldAll<op::min, In, false>(parts, n, out, count, false);
    case Fold::kMax: return FoldAll<op::max, In, false>(parts, n, out, count, false);
    case Fold::kProduct: return FoldAll<op::mul, In, kWraps>(parts, n, out, count, false);
    default: return FoldAll<op::plus, In, kWraps>(parts, n, out, count, fold == Fold::kMean);
  }
}

}  // namespace detail

/// out[i] = fold over r of parts[r][i], r = 0, 1, ..., n - 1, n > 0. Floats of 16 bits are folded in
/// float and rounded once, a mean after its division. Sums and products of integers wrap around;
/// those of bool are `or` and `and`. `out` may be one of the parts. Runs on the calling thread.
/// Throws Error for the mean of integers.
inline void FoldParts(const void* const* parts, int n, void* out, std::size_t count, int type,
                      Fold fold) {
  const bool is_float =
      type == kFloat32 || type == kFloat64 || type == kFloat16 || type == kBfloat16;
  if (fold == Fold::kMean && !is_float) {
    throw Error("dist: the mean of elements of type " + dtype_string(type) +
                ": ranks have a mean of floating-point numbers only");
  }
  if (n == 1) {
    if (out != parts[0] && count != 0) std::memcpy(out, parts[0], count * mshadow_sizeof(type));
    return;
  }
  if (type == kBool) {  // 0 and 1
    if (fold == Fold::kSum) fold = Fold::kMax;
    if (fold == Fold::kProduct) fold = Fold::kMin;
    type = kUint8;
  }
  switch (type) {
#define MSHADOW_DTYPE_ROW_(flag, value, DType, ...) \
  case flag: return detail::FoldOf<DType>(parts, n, out, count, fold);
    MSHADOW_DTYPES_FLOAT_DOUBLE_(MSHADOW_DTYPE_ROW_, )
    MSHADOW_DTYPES_HALF_(MSHADOW_DTYPE_ROW_, )
    MSHADOW_DTYPES_BF16_(MSHADOW_DTYPE_ROW_, )
    MSHADOW_DTYPES_INTEGER_(MSHADOW_DTYPE_ROW_, )
    MSHADOW_DTYPES_MORE_INTEGER_(MSHADOW_DTYPE_ROW_, )
#undef MSHADOW_DTYPE_ROW_
    default: throw Error("dist: unknown element type " + std::to_string(type));
  }
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_FOLD_H_
