// SPDX-License-Identifier: Apache-2.0
// unique and its kin, isin, set operations.
#ifndef MSHADOW_ORDER_SETS_H_
#define MSHADOW_ORDER_SETS_H_

#include <utility>
#include <vector>

#include "device/sort.h"
#include "radix.h"
#include "select.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// The distinct values of x, ascending, and where each comes from.
template <typename Device, int dim, typename DType>
struct Unique {
  TensorContainer<Device, 1, DType> values;
  TensorContainer<Device, 1, int64_t> indices;    ///< of the first element of each value
  TensorContainer<Device, dim, int64_t> inverse;  ///< of x's shape: values[inverse[i]] is x[i]
  TensorContainer<Device, 1, int64_t> counts;     ///< how many elements each value has
};
template <typename Device, typename DType>
struct UniqueCounts {
  TensorContainer<Device, 1, DType> values;
  TensorContainer<Device, 1, int64_t> counts;
};
template <typename Device, int dim, typename DType>
struct UniqueInverse {
  TensorContainer<Device, 1, DType> values;
  TensorContainer<Device, dim, int64_t> inverse;
};

/// True if `key` is one of n ascending keys.
template <typename Bits>
MSHADOW_XINLINE bool HoldsKey(const Bits* keys, std::ptrdiff_t n, Bits key) {
  const Bits* first = keys;
  for (std::ptrdiff_t length = n; length > 1;) {
    const std::ptrdiff_t half = length / 2;
    first += first[half] <= key ? half : 0;
    length -= half;
  }
  return n != 0 && *first == key;
}

/// The values of keys[0], .., keys[n - 1].
template <typename DType>
inline Vector<DType> ValuesOf(const typename Key<DType>::Bits* keys, std::ptrdiff_t n) {
  auto values = Empty<DType>(n);
  simd::Dispatch(ToValuesKernel<DType>{keys, values.dptr_, n, 0});
  return values;
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// The distinct keys of a tensor's elements, ascending.
template <typename DType>
class KeySet {
  using K = Key<DType>;

 public:
  using Bits = typename K::Bits;
  template <typename E, int etype>
  explicit KeySet(const expr::Exp<E, DType, etype>& x) : KeySet(x, x, false) {}
  /// Those of both, if `both`.
  template <typename E, typename O, int e1, int e2>
  KeySet(const expr::Exp<E, DType, e1>& x, const expr::Exp<O, DType, e2>& y, bool both)
      : keys_(SizeOf(expr::ShapeCheck<expr::ExpInfo<E>::kDim, E>::Check(x.self())) +
              (both ? SizeOf(expr::ShapeCheck<expr::ExpInfo<O>::kDim, O>::Check(y.self())) : 0)) {
    Append(x);
    if (both) Append(y);
    const Scratch<Bits> other(size_);
    const Bits* const sorted = SortItems(keys_.data(), other.data(), size_, K::kWidth);
    std::ptrdiff_t count = size_ == 0 ? 0 : 1;
    Bits* const keys = keys_.data();
    if (count == 1) keys[0] = sorted[0];
    for (std::ptrdiff_t i = 1; i < size_; ++i) {
      // Writes each: a branch would be mispredicted.
      const Bits key = sorted[i];
      keys[count] = key;
      count += key != keys[count - 1] ? 1 : 0;
    }
    size_ = count;
  }
  const Bits* begin() const { return keys_.data(); }
  const Bits* end() const { return keys_.data() + size_; }
  std::ptrdiff_t size() const { return size_; }
  bool Holds(Bits key) const { return HoldsKey(keys_.data(), size_, key); }

 private:
  template <typename E, int etype>
  void Append(const expr::Exp<E, DType, etype>& x) {
    OnElements(x, [&](const DType* data, const auto& shape) {
      const std::ptrdiff_t n = SizeOf(shape);
      ToKeys<Zeros::kEqual>(data, keys_.data() + size_, n, 0);
      size_ += n;
    });
  }
  Scratch<Bits> keys_;
  std::ptrdiff_t size_ = 0;
};

/// The keys of `a` and `b` that are in both, in the first alone, or in one alone.
enum class Among { kBoth, kFirst, kOne };
template <typename DType>
inline Vector<DType> Select(const KeySet<DType>& a, const KeySet<DType>& b, Among among) {
  using Bits = typename KeySet<DType>::Bits;
  std::vector<Bits> keys;
  const Bits *i = a.begin(), *j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool in_a = i != a.end() && (j == b.end() || *i <= *j);
    const bool in_b = j != b.end() && (i == a.end() || *j <= *i);
    const Bits key = in_a ? *i : *j;
    i += in_a;
    j += in_b;
    const bool is_wanted = among == Among::kBoth    ? in_a && in_b
                           : among == Among::kFirst ? in_a && !in_b
                                                    : in_a != in_b;
    if (is_wanted) keys.push_back(key);
  }
  return ValuesOf<DType>(keys.data(), static_cast<std::ptrdiff_t>(keys.size()));
}

/// Everything that unique knows.
template <typename E, typename DType, int etype>
inline auto UniqueAll(const expr::Exp<E, DType, etype>& x) {
  constexpr int dim = expr::ExpInfo<E>::kDim;
  using K = Key<DType>;
  using Item = SortItem<typename K::Bits>;
  return OnElements(x, [&](const DType* data, const Shape<dim>& shape) {
    const std::ptrdiff_t n = SizeOf(shape);
    const Scratch<Item> memory(n), other(n);
    Item* const unsorted = memory.data();
    ForEachKey(data, n, 0, [unsorted](std::ptrdiff_t i, auto key) {
      unsorted[i] = Item{key, static_cast<index_t>(i)};
    });
    const Item* const items = SortItems(unsorted, other.data(), n, K::kWidth);
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      count += i == 0 || items[i].bits != items[i - 1].bits ? 1 : 0;
    }
    TensorContainer<cpu, dim, int64_t> inverse(false);
    inverse.Resize(shape);
    Unique<cpu, dim, DType> result{Empty<DType>(count), Empty<int64_t>(count), std::move(inverse),
                                   Empty<int64_t>(count)};
    std::ptrdiff_t value = -1, first = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      if (i == 0 || items[i].bits != items[i - 1].bits) {
        first = i;
        ++value;
        result.values.dptr_[value] = K::Value(items[i].bits, 0);
        result.indices.dptr_[value] = static_cast<int64_t>(items[i].from);
      }
      result.counts.dptr_[value] = static_cast<int64_t>(i - first + 1);
      result.inverse.dptr_[static_cast<std::size_t>(items[i].from)] = static_cast<int64_t>(value);
    }
    return result;
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// mask[i] = sorted key i is the first of its value, or, if `kAlone`, the only one.
template <typename Bits, bool kAlone>
struct FirstBody {
  const Bits* keys;
  std::ptrdiff_t n;
  bool* mask;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    bool is_first = i == 0 || keys[i] != keys[i - 1];
    if (kAlone && i + 1 < n && keys[i] == keys[i + 1]) is_first = false;
    mask[i] = is_first;
  }
};
/// mask[i] = key i is among the others, or, unless `wanted`, is not.
template <typename Bits>
struct AmongBody {
  const Bits* keys;
  const Bits* others;
  std::ptrdiff_t n;
  bool wanted;
  bool* mask;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    mask[i] = HoldsKey(others, n, keys[i]) == wanted;
  }
};
template <typename Bits>
struct CopyKeysBody {
  const Bits* from;
  Bits* to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const { to[i] = from[i]; }
};

/// KeySet on a device.
template <typename Device, typename DType>
class DeviceKeySet {
 public:
  using Bits = typename Key<DType>::Bits;
  using Keys = TensorContainer<Device, 1, Bits>;
  template <typename E, int etype>
  explicit DeviceKeySet(const expr::Exp<E, DType, etype>& x)
      : keys_(OnDevice(x, [](const DType* data, const auto& shape, Stream<Device>* stream) {
          const Tensor<Device, 1, DType> all(const_cast<DType*>(data),
                                             Shape1(ExtentOf(SizeOf(shape))), stream);
          const SortedLanes<Device, DType, Zeros::kEqual, false> sorted(all, 0, true);
          return Firsts<false>(sorted.keys(), sorted.lanes().n, stream);
        })) {}
  /// The keys that are in one of a and b, or, if `kAlone`, in one of them alone.
  template <bool kAlone>
  static Keys Joined(const DeviceKeySet& a, const DeviceKeySet& b) {
    auto* const stream = a.keys_.stream_;
    Join(b.keys_.stream_, stream);
    const std::ptrdiff_t n = a.size() + b.size();
    const DeviceScratch<Device, Bits> both(n, stream), sorted(n, stream);
    const Primitives<Device> primitives(stream);
    ForRow(primitives, a.size(), CopyKeysBody<Bits>{a.keys(), both.data()});
    ForRow(primitives, b.size(), CopyKeysBody<Bits>{b.keys(), both.data() + a.size()});
    primitives.SortKeys(static_cast<const Bits*>(both.data()), sorted.data(), 1, n,
                        Key<DType>::kWidth);
    return Firsts<kAlone>(sorted.data(), n, stream);
  }
  /// The keys of this set that are in `other`, or, unless `wanted`, are not.
  Keys Among(const DeviceKeySet& other, bool wanted) const {
    auto* const stream = keys_.stream_;
    Join(other.keys_.stream_, stream);
    const DeviceScratch<Device, bool> mask(size(), stream);
    ForRow(Primitives<Device>(stream), size(),
           AmongBody<Bits>{keys(), other.keys(), other.size(), wanted, mask.data()});
    return Chosen(keys(), mask.data(), size(), stream);
  }
  const Bits* keys() const { return keys_.dptr_; }
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(keys_.shape_[0]); }
  const Keys& container() const { return keys_; }

 private:
  static Keys Chosen(const Bits* keys, const bool* mask, std::ptrdiff_t n, Stream<Device>* stream) {
    return Gathered(keys, TruePlaces(mask, n, stream), stream);
  }
  template <bool kAlone>
  static Keys Firsts(const Bits* keys, std::ptrdiff_t n, Stream<Device>* stream) {
    const DeviceScratch<Device, bool> mask(n, stream);
    ForRow(Primitives<Device>(stream), n, FirstBody<Bits, kAlone>{keys, n, mask.data()});
    return Chosen(keys, mask.data(), n, stream);
  }
  Keys keys_;
};
/// The values of keys on a device.
template <typename DType, typename Device, typename Bits>
inline TensorContainer<Device, 1, DType> ValuesOf(const TensorContainer<Device, 1, Bits>& keys) {
  const auto n = static_cast<std::ptrdiff_t>(keys.shape_[0]);
  auto values = Made<DType>(n, keys.stream_);
  const Lanes to(values, 0);
  ForLanes(Primitives<Device>(keys.stream_), to, n,
           ValuesBody<DType>{keys.dptr_, n, 0, values.dptr_, to});
  return values;
}
template <typename DType>
struct IsInBody {
  using Bits = typename Key<DType>::Bits;
  const DType* in;
  const Bits* keys;
  std::ptrdiff_t n;
  bool* out;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    out[i] = HoldsKey(keys, n, Key<DType>::template Of<Zeros::kEqual>(in[i], Bits(0)));
  }
};

/// Value k is at sorted[starts[k]], and from there on as often as its count.
template <typename DType>
struct UniqueBody {
  const typename Key<DType>::Bits* sorted;
  const index_t* from;
  const int64_t* starts;
  std::ptrdiff_t n, count;
  DType* values;
  int64_t *indices, *counts;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t k) const {
    const int64_t start = starts[k];
    values[k] = Key<DType>::Value(sorted[start], 0);
    indices[k] = static_cast<int64_t>(from[start]);
    counts[k] = (k + 1 < count ? starts[k + 1] : static_cast<int64_t>(n)) - start;
  }
};
/// inverse[from[i]] = the k whose stretch has i.
struct InverseBody {
  const index_t* from;
  const int64_t* starts;
  std::ptrdiff_t count;
  int64_t* inverse;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    std::ptrdiff_t k = 0;
    for (std::ptrdiff_t length = count; length > 1;) {
      const std::ptrdiff_t half = length / 2;
      k += starts[k + half] <= i ? half : 0;
      length -= half;
    }
    inverse[from[i]] = static_cast<int64_t>(k);
  }
};
template <typename E, typename DType, int etype>
inline auto UniqueOnDevice(const expr::Exp<E, DType, etype>& x) {
  constexpr int dim = expr::ExpInfo<E>::kDim;
  using Device = expr::detail::DeviceOf<E>;
  using Bits = typename Key<DType>::Bits;
  return OnDevice(x, [](const DType* data, const Shape<dim>& shape, Stream<Device>* stream) {
    const std::ptrdiff_t n = SizeOf(shape);
    const Tensor<Device, 1, DType> all(const_cast<DType*>(data), Shape1(ExtentOf(n)), stream);
    const SortedLanes<Device, DType, Zeros::kEqual, true> sorted(all, 0, true);
    const Primitives<Device> primitives(stream);
    const DeviceScratch<Device, bool> mask(n, stream);
    ForRow(primitives, n, FirstBody<Bits, false>{sorted.keys(), n, mask.data()});
    const auto starts = TruePlaces(static_cast<const bool*>(mask.data()), n, stream);
    const auto count = static_cast<std::ptrdiff_t>(starts.shape_[0]);
    Unique<Device, dim, DType> result{Made<DType>(count, stream), Made<int64_t>(count, stream),
                                      Made<int64_t>(shape, stream), Made<int64_t>(count, stream)};
    ForRow(primitives, count,
           UniqueBody<DType>{sorted.keys(), sorted.places(), starts.dptr_, n, count,
                             result.values.dptr_, result.indices.dptr_, result.counts.dptr_});
    ForRow(primitives, n, InverseBody{sorted.places(), starts.dptr_, count, result.inverse.dptr_});
    return result;
  });
}

/// Everything that unique knows, and its kinds.
template <typename E, typename DType, int etype>
inline auto UniqueOf(const expr::Exp<E, DType, etype>& x) {
  if constexpr (IsHost<E>()) {
    return UniqueAll(x);
  } else {
    return UniqueOnDevice(x);
  }
}

}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// The distinct elements of x, ascending: a vector; of NaNs one, the last. Both zeros are 0.
template <typename E, typename DType, int etype>
inline auto unique(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<E>()) {
    const order::KeySet<DType> keys(x);
    return order::ValuesOf<DType>(keys.begin(), keys.size());
  } else if constexpr (order::IsDevice<E>()) {
    const order::DeviceKeySet<detail::DeviceOf<E>, DType> keys(x);
    return order::ValuesOf<DType>(keys.container());
  }
}
/// {values, indices, inverse, counts}: what unique(x) returns, the index in row-major order of the
/// first element of each value, the index of each element's value, of x's shape, and how many
/// elements each value has.
template <typename E, typename DType, int etype>
inline auto unique_all(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) return order::UniqueOf(x);
}
/// {values, counts} of unique_all.
template <typename E, typename DType, int etype>
inline auto unique_counts(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    auto all = order::UniqueOf(x);
    return order::UniqueCounts<detail::DeviceOf<E>, DType>{std::move(all.values),
                                                           std::move(all.counts)};
  }
}
/// {values, inverse} of unique_all.
template <typename E, typename DType, int etype>
inline auto unique_inverse(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    auto all = order::UniqueOf(x);
    return order::UniqueInverse<detail::DeviceOf<E>, ExpInfo<E>::kDim, DType>{
        std::move(all.values), std::move(all.inverse)};
  }
}

/// Whether each element of x is one of `values`, a tensor of any shape: bool, of x's shape. NaN is
/// equal to NaN. (`!isin(x, values)` is the opposite.)
template <typename E, typename V, typename DType, typename Other, int e1, int e2>
inline auto isin(const Exp<E, DType, e1>& x, const Exp<V, Other, e2>& values) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (order::IsDevice<E, V>()) {
    using Device = detail::DeviceOf<E>;
    const order::DeviceKeySet<Device, DType> keys(values);
    return order::OnDevice(x, [&](const DType* data, const auto& shape, Stream<Device>* stream) {
      auto result = order::Made<bool>(shape, stream);
      order::Join(keys.container().stream_, stream);
      order::ForRow(order::Primitives<Device>(stream), order::SizeOf(shape),
                    order::IsInBody<DType>{data, keys.keys(), keys.size(), result.dptr_});
      return result;
    });
  } else if constexpr (order::IsHost<E, V>()) {
    const order::KeySet<DType> keys(values);
    return order::OnElements(x, [&](const DType* data, const auto& shape) {
      TensorContainer<cpu, ExpInfo<E>::kDim, bool> result(false);
      result.Resize(shape);
      ParallelRanges(order::SizeOf(shape), 1 << 12, [&](std::ptrdiff_t i, std::ptrdiff_t end) {
        order::ForEachKey(
            data + i, end - i, 0,
            [&, to = result.dptr_ + i](std::ptrdiff_t k, auto key) { to[k] = keys.Holds(key); });
      });
      return result;
    });
  }
}

/// The distinct elements that are in a and in b, ascending. a and b of any shape.
template <typename A, typename B, typename DType, typename Other, int e1, int e2>
inline auto intersect1d(const Exp<A, DType, e1>& a, const Exp<B, Other, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (order::IsHost<A, B>()) {
    return order::Select(order::KeySet<DType>(a), order::KeySet<DType>(b), order::Among::kBoth);
  } else if constexpr (order::IsDevice<A, B>()) {
    using Keys = order::DeviceKeySet<detail::DeviceOf<A>, DType>;
    return order::ValuesOf<DType>(Keys(a).Among(Keys(b), true));
  }
}
/// The distinct elements that are in a or in b, ascending.
template <typename A, typename B, typename DType, typename Other, int e1, int e2>
inline auto union1d(const Exp<A, DType, e1>& a, const Exp<B, Other, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (order::IsHost<A, B>()) {
    const order::KeySet<DType> keys(a, b, true);
    return order::ValuesOf<DType>(keys.begin(), keys.size());
  } else if constexpr (order::IsDevice<A, B>()) {
    using Keys = order::DeviceKeySet<detail::DeviceOf<A>, DType>;
    return order::ValuesOf<DType>(Keys::template Joined<false>(Keys(a), Keys(b)));
  }
}
/// The distinct elements that are in a and not in b, ascending.
template <typename A, typename B, typename DType, typename Other, int e1, int e2>
inline auto setdiff1d(const Exp<A, DType, e1>& a, const Exp<B, Other, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (order::IsHost<A, B>()) {
    return order::Select(order::KeySet<DType>(a), order::KeySet<DType>(b), order::Among::kFirst);
  } else if constexpr (order::IsDevice<A, B>()) {
    using Keys = order::DeviceKeySet<detail::DeviceOf<A>, DType>;
    return order::ValuesOf<DType>(Keys(a).Among(Keys(b), false));
  }
}
/// The distinct elements that are in one of a and b alone, ascending.
template <typename A, typename B, typename DType, typename Other, int e1, int e2>
inline auto setxor1d(const Exp<A, DType, e1>& a, const Exp<B, Other, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (order::IsHost<A, B>()) {
    return order::Select(order::KeySet<DType>(a), order::KeySet<DType>(b), order::Among::kOne);
  } else if constexpr (order::IsDevice<A, B>()) {
    using Keys = order::DeviceKeySet<detail::DeviceOf<A>, DType>;
    return order::ValuesOf<DType>(Keys::template Joined<true>(Keys(a), Keys(b)));
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SETS_H_
