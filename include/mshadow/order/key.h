// SPDX-License-Identifier: Apache-2.0
// Sort keys: numbers as unsigned integers of the same order, and back.
#ifndef MSHADOW_ORDER_KEY_H_
#define MSHADOW_ORDER_KEY_H_

#include <type_traits>

#include "../core/bit_cast.h"
#include "../core/ordered_bits.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// Which zeros are one key: of values that are sorted each keeps its sign, of those that are
/// compared both are equal.
enum class Zeros { kApart, kEqual };

/// The key of a T, in ascending or descending order; NaN is the last in both.
template <typename T>
struct Key {
  using Bits = SortBits<sizeof(T)>;
  static constexpr bool kIsFloat = float16::kIsFloat<T>;
  static constexpr int kWidth = 8 * static_cast<int>(sizeof(T));
  static constexpr Bits kAll = static_cast<Bits>(~uint64_t{0} >> (64 - kWidth));
  static constexpr Bits kSign = static_cast<Bits>(uint64_t{1} << (kWidth - 1));
  static constexpr Bits kInfinity =
      static_cast<Bits>(std::is_same_v<T, double>         ? uint64_t{0x7FF0000000000000}
                        : std::is_same_v<T, float>        ? uint64_t{0x7F800000}
                        : std::is_same_v<T, half::half_t> ? uint64_t{0x7C00}
                                                          : uint64_t{0x7F80});
  static_assert(float16::kIsScalar<T>,
                "mshadow: what is sorted and searched has an order: real numbers, not complex ones "
                "(sort abs(z) or real(z)) nor half2_t");

  /// What descending order flips in a key.
  static constexpr Bits Flip(bool ascending) { return ascending ? Bits(0) : kAll; }

  /// Without branches, so that loops of it become vectors.
  template <Zeros zeros>
  MSHADOW_XINLINE static Bits Of(T value, Bits flip) {
    if constexpr (kIsFloat) {
      Bits bits = BitCast<Bits>(value);
      const bool is_nan = static_cast<Bits>(bits & ~kSign) > kInfinity;
      if constexpr (zeros == Zeros::kEqual) bits = bits == kSign ? Bits(0) : bits;
      const Bits mask = static_cast<Bits>(
          static_cast<Bits>(Bits(0) - static_cast<Bits>(bits >> (kWidth - 1))) | kSign);
      return is_nan ? kAll : static_cast<Bits>(bits ^ mask ^ flip);
    } else {
      constexpr Bits kLowest = std::is_signed_v<T> ? kSign : Bits(0);
      return static_cast<Bits>((static_cast<Bits>(value) & kAll) ^ kLowest ^ flip);
    }
  }
  /// The value of a key. Every NaN becomes one quiet NaN.
  MSHADOW_XINLINE static T Value(Bits key, Bits flip) {
    const Bits bits = static_cast<Bits>(key ^ flip);
    if constexpr (kIsFloat) {
      const Bits mask = static_cast<Bits>(
          static_cast<Bits>(static_cast<Bits>(bits >> (kWidth - 1)) - Bits(1)) | kSign);
      return BitCast<T>(static_cast<Bits>(bits ^ mask));
    } else {
      constexpr Bits kLowest = std::is_signed_v<T> ? kSign : Bits(0);
      return static_cast<T>(static_cast<Bits>(bits ^ kLowest));
    }
  }
};

/// out[i] = the key of in[i], as vectors.
template <Zeros zeros, typename T>
struct ToKeysKernel {
  const T* in;
  typename Key<T>::Bits* out;
  std::ptrdiff_t n;
  typename Key<T>::Bits flip;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = Key<T>::template Of<zeros>(in[i], flip);
  }
};
template <Zeros zeros, typename T>
inline void ToKeys(const T* in, typename Key<T>::Bits* out, std::ptrdiff_t n,
                   typename Key<T>::Bits flip) {
  simd::Dispatch(ToKeysKernel<zeros, T>{in, out, n, flip});
}
/// f(i, key of in[i]) for each i, both zeros equal.
template <typename T, typename F>
inline void ForEachKey(const T* in, std::ptrdiff_t n, typename Key<T>::Bits flip, const F& f) {
  constexpr std::ptrdiff_t kBlock = 512;
  typename Key<T>::Bits keys[kBlock];
  for (std::ptrdiff_t first = 0; first < n; first += kBlock) {
    const std::ptrdiff_t count = n - first < kBlock ? n - first : kBlock;
    ToKeys<Zeros::kEqual>(in + first, keys, count, flip);
    for (std::ptrdiff_t i = 0; i < count; ++i) f(first + i, keys[i]);
  }
}
/// *count = the number of keys below `limit`, as vectors.
template <typename Bits>
struct CountBelow {
  const Bits* keys;
  std::ptrdiff_t n;
  Bits limit;
  std::ptrdiff_t* count;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr std::ptrdiff_t kBlock = 1 << 15;  // which the smallest Bits count
    std::ptrdiff_t total = 0;
    for (std::ptrdiff_t i = 0; i < n; i += kBlock) {
      const std::ptrdiff_t end = n - i < kBlock ? n : i + kBlock;
      Bits part = 0;
      for (std::ptrdiff_t k = i; k < end; ++k) {
        part = static_cast<Bits>(part + (keys[k] < limit ? 1 : 0));
      }
      total += static_cast<std::ptrdiff_t>(part);
    }
    *count = total;
  }
};
template <typename Bits>
inline std::ptrdiff_t KeysBelow(const Bits* keys, std::ptrdiff_t n, Bits limit) {
  std::ptrdiff_t count = 0;
  simd::Dispatch(CountBelow<Bits>{keys, n, limit, &count});
  return count;
}
/// out[i] = the value of keys[i], as vectors.
template <typename T>
struct ToValuesKernel {
  const typename Key<T>::Bits* keys;
  T* out;
  std::ptrdiff_t n;
  typename Key<T>::Bits flip;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = Key<T>::Value(keys[i], flip);
  }
};

/// True if a comes before b in sorted order: a < b, or b alone is NaN.
template <typename T>
MSHADOW_XINLINE bool Before(T a, T b) {
  if constexpr (float16::kIsFloat<T>) {
    return a < b || (isnan_typed::IsNan(b) && !isnan_typed::IsNan(a));
  } else {
    return a < b;
  }
}

}  // namespace detail::order
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_KEY_H_
