// SPDX-License-Identifier: Apache-2.0
// unique and its kin, isin, set operations.
#ifndef MSHADOW_ORDER_SETS_H_
#define MSHADOW_ORDER_SETS_H_

#include <utility>
#include <vector>

#include "radix.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// The distinct values of x, ascending, and where each comes from.
template <int dim, typename DType>
struct Unique {
  TensorContainer<cpu, 1, DType> values;
  TensorContainer<cpu, 1, int64_t> indices;    ///< of the first element of each value
  TensorContainer<cpu, dim, int64_t> inverse;  ///< of x's shape: values[inverse[i]] is x[i]
  TensorContainer<cpu, 1, int64_t> counts;     ///< how many elements each value has
};
template <typename DType>
struct UniqueCounts {
  TensorContainer<cpu, 1, DType> values;
  TensorContainer<cpu, 1, int64_t> counts;
};
template <int dim, typename DType>
struct UniqueInverse {
  TensorContainer<cpu, 1, DType> values;
  TensorContainer<cpu, dim, int64_t> inverse;
};

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
    SortItems(keys_.data(), other.data(), size_, K::kWidth);
    std::ptrdiff_t count = size_ == 0 ? 0 : 1;
    Bits* const keys = keys_.data();
    for (std::ptrdiff_t i = 1; i < size_; ++i) {
      // Writes each: a branch would be mispredicted.
      keys[count] = keys[i];
      count += keys[i] != keys[count - 1] ? 1 : 0;
    }
    size_ = count;
  }
  const Bits* begin() const { return keys_.data(); }
  const Bits* end() const { return keys_.data() + size_; }
  std::ptrdiff_t size() const { return size_; }
  bool Holds(Bits key) const {
    const Bits* first = keys_.data();
    for (std::ptrdiff_t length = size_; length > 1;) {
      const std::ptrdiff_t half = length / 2;
      first += first[half] <= key ? half : 0;
      length -= half;
    }
    return size_ != 0 && *first == key;
  }

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
    Item* const items = memory.data();
    ForEachKey(data, n, 0, [items](std::ptrdiff_t i, auto key) {
      items[i] = Item{key, static_cast<index_t>(i)};
    });
    SortItems(items, other.data(), n, K::kWidth);
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      count += i == 0 || items[i].bits != items[i - 1].bits ? 1 : 0;
    }
    TensorContainer<cpu, dim, int64_t> inverse(false);
    inverse.Resize(shape);
    Unique<dim, DType> result{Empty<DType>(count), Empty<int64_t>(count), std::move(inverse),
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
  }
}
/// {values, indices, inverse, counts}: what unique(x) returns, the index in row-major order of the
/// first element of each value, the index of each element's value, of x's shape, and how many
/// elements each value has.
template <typename E, typename DType, int etype>
inline auto unique_all(const Exp<E, DType, etype>& x) {
  if constexpr (mshadow::detail::order::IsHost<E>()) {
    return mshadow::detail::order::UniqueAll(x);
  }
}
/// {values, counts} of unique_all.
template <typename E, typename DType, int etype>
inline auto unique_counts(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<E>()) {
    auto all = order::UniqueAll(x);
    return order::UniqueCounts<DType>{std::move(all.values), std::move(all.counts)};
  }
}
/// {values, inverse} of unique_all.
template <typename E, typename DType, int etype>
inline auto unique_inverse(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<E>()) {
    auto all = order::UniqueAll(x);
    return order::UniqueInverse<ExpInfo<E>::kDim, DType>{std::move(all.values),
                                                         std::move(all.inverse)};
  }
}

/// Whether each element of x is one of `values`, a tensor of any shape: bool, of x's shape. NaN is
/// equal to NaN. (`!isin(x, values)` is the opposite.)
template <typename E, typename V, typename DType, int e1, int e2>
inline auto isin(const Exp<E, DType, e1>& x, const Exp<V, DType, e2>& values) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<E>() && order::IsHost<V>()) {
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
template <typename A, typename B, typename DType, int e1, int e2>
inline auto intersect1d(const Exp<A, DType, e1>& a, const Exp<B, DType, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<A>() && order::IsHost<B>()) {
    return order::Select(order::KeySet<DType>(a), order::KeySet<DType>(b), order::Among::kBoth);
  }
}
/// The distinct elements that are in a or in b, ascending.
template <typename A, typename B, typename DType, int e1, int e2>
inline auto union1d(const Exp<A, DType, e1>& a, const Exp<B, DType, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<A>() && order::IsHost<B>()) {
    const order::KeySet<DType> keys(a, b, true);
    return order::ValuesOf<DType>(keys.begin(), keys.size());
  }
}
/// The distinct elements that are in a and not in b, ascending.
template <typename A, typename B, typename DType, int e1, int e2>
inline auto setdiff1d(const Exp<A, DType, e1>& a, const Exp<B, DType, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<A>() && order::IsHost<B>()) {
    return order::Select(order::KeySet<DType>(a), order::KeySet<DType>(b), order::Among::kFirst);
  }
}
/// The distinct elements that are in one of a and b alone, ascending.
template <typename A, typename B, typename DType, int e1, int e2>
inline auto setxor1d(const Exp<A, DType, e1>& a, const Exp<B, DType, e2>& b) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<A>() && order::IsHost<B>()) {
    return order::Select(order::KeySet<DType>(a), order::KeySet<DType>(b), order::Among::kOne);
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SETS_H_
