// SPDX-License-Identifier: Apache-2.0
// sort, argsort, topk, partition, argpartition along an axis.
#ifndef MSHADOW_ORDER_SORT_H_
#define MSHADOW_ORDER_SORT_H_

#include "../core/argument.h"
#include "device/sort.h"
#include "gather.h"
#include "radix.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

inline namespace MSHADOW_THREADS_NAMESPACE {

/// Lanes of x as sorted values, after select(keys, other, n) has put them in order; it returns
/// where they are.
template <int dim, typename DType, typename F>
inline TensorContainer<cpu, dim, DType> ReorderKeys(const Tensor<cpu, dim, DType>& x, int axis,
                                                    bool ascending, const F& order) {
  using Bits = typename Key<DType>::Bits;
  const auto n = static_cast<std::ptrdiff_t>(x.shape_[axis]);
  const Bits flip = Key<DType>::Flip(ascending);
  return FromLanes<DType>(x, axis, x.shape_[axis], [&] {
    return [&, keys = Scratch<Bits>(n), other = Scratch<Bits>(n)](const DType* in, DType* out) {
      Bits* const from = keys.data();
      ToKeys<Zeros::kApart>(in, from, n, flip);
      const Bits* const sorted = order(from, other.data(), n);
      simd::Dispatch(ToValuesKernel<DType>{sorted, out, n, flip});
    };
  });
}
/// The places of the first m elements of each lane, after order(items, other, n) has put all in
/// order; it returns where they are.
template <int dim, typename DType, typename F>
inline TensorContainer<cpu, dim, int64_t> ReorderPlaces(const Tensor<cpu, dim, DType>& x, int axis,
                                                        index_t m, bool ascending, const F& order) {
  using K = Key<DType>;
  using Item = SortItem<typename K::Bits>;
  const auto n = static_cast<std::ptrdiff_t>(x.shape_[axis]);
  const auto flip = K::Flip(ascending);
  return FromLanes<int64_t>(x, axis, m, [&] {
    return [&, keys = Scratch<Item>(n), other = Scratch<Item>(n)](const DType* in, int64_t* out) {
      Item* const from = keys.data();
      ForEachKey(in, n, flip, [from](std::ptrdiff_t i, auto key) {
        from[i] = Item{key, static_cast<index_t>(i)};
      });
      const Item* const sorted = order(from, other.data(), n);
      for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(m); ++i) {
        out[i] = static_cast<int64_t>(sorted[i].from);
      }
    };
  });
}
template <int dim, typename DType>
inline TensorContainer<cpu, dim, int64_t> Argsort(const Tensor<cpu, dim, DType>& x, int axis,
                                                  bool ascending) {
  return ReorderPlaces(x, axis, x.shape_[axis], ascending,
                       [](auto* items, auto* other, std::ptrdiff_t n) {
                         return SortItems(items, other, n, Key<DType>::kWidth);
                       });
}
/// The places of the first k elements of each lane in sorted order.
template <int dim, typename DType>
inline TensorContainer<cpu, dim, int64_t> FirstPlaces(const Tensor<cpu, dim, DType>& x, int axis,
                                                      index_t k, bool ascending) {
  using K = Key<DType>;
  using Item = SortItem<typename K::Bits>;
  const auto n = static_cast<std::ptrdiff_t>(x.shape_[axis]);
  const auto wanted = static_cast<std::ptrdiff_t>(k);
  // Above this, fewer elements are found to be of no use than it costs to look.
  if (wanted > n / 8)
    return ReorderPlaces(x, axis, k, ascending, [&](auto* items, auto* other, auto) {
      return SortItems(items, other, n, K::kWidth);
    });
  const auto flip = K::Flip(ascending);
  const std::ptrdiff_t room = 2 * wanted + 64;
  return FromLanes<int64_t>(x, axis, k, [&] {
    return [&, memory = Scratch<Item>(room)](const DType* in, int64_t* out) {
      // Items that may be among the first; when there is no room left, all but the first leave.
      Item* const items = memory.data();
      std::ptrdiff_t count = 0;
      auto limit = wanted == 0 ? typename K::Bits(0) : K::kAll;
      bool has_limit = wanted == 0;
      ForEachKey(in, n, flip, [&](std::ptrdiff_t i, auto key) {
        if (key >= limit && has_limit) return;
        items[count++] = Item{key, static_cast<index_t>(i)};
        if (count == room) {
          std::nth_element(items, items + wanted - 1, items + count, ItemBefore());
          count = wanted;
          limit = items[wanted - 1].bits;
          has_limit = true;
        }
      });
      std::sort(items, items + count, ItemBefore());
      for (std::ptrdiff_t i = 0; i < wanted; ++i) out[i] = static_cast<int64_t>(items[i].from);
    };
  });
}

/// An index along an axis of n elements, counted from the end where it is negative.
inline std::ptrdiff_t RankIn(const char* function, long long kth, std::ptrdiff_t n) {
  expr::detail::CheckArgument(function, "kth", kth, -static_cast<long long>(n),
                              static_cast<long long>(n) - 1, ", the elements along the axis");
  return static_cast<std::ptrdiff_t>(kth) + (kth < 0 ? n : 0);
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// The result of topk: of one shape, that of x with extent k along the axis.
template <typename Device, int dim, typename DType>
struct TopK {
  TensorContainer<Device, dim, DType> values;
  TensorContainer<Device, dim, int64_t> indices;
};

}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// x sorted along `axis`; x -> the same shape. NaN comes last, also in descending order; -0 comes
/// before 0. Throws Error where the axis is none of x.
template <typename E, typename DType, int etype>
inline auto sort(const Exp<E, DType, etype>& x, int axis = -1, bool ascending = true) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    axis = detail::CheckAxis("sort", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      if constexpr (order::IsHost<E>()) {
        return order::ReorderKeys(
            t, axis, ascending, [](auto* keys, auto* other, std::ptrdiff_t n) {
              return order::SortItems(keys, other, n, order::Key<DType>::kWidth);
            });
      } else {
        return order::SortOnDevice(t, axis, ascending);
      }
    });
  }
}
/// sort(x, -1, ascending).
template <typename E, typename DType, int etype>
inline auto sort(const Exp<E, DType, etype>& x, bool ascending) {
  return sort(x, -1, ascending);
}

/// The indices along `axis` that sort x: x[out[0]] <= x[out[1]] <= ..., or >= where `ascending` is
/// false; x -> the same shape, int64_t. Stable: equal elements stay in order, and the zeros are
/// equal. NaN comes last in both orders. Throws Error where the axis is none of x.
template <typename E, typename DType, int etype>
inline auto argsort(const Exp<E, DType, etype>& x, int axis, bool ascending = true) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    axis = detail::CheckAxis("argsort", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      if constexpr (order::IsHost<E>()) {
        return order::Argsort(t, axis, ascending);
      } else {
        return order::PlacesOnDevice(t, axis, t.shape_[axis], ascending);
      }
    });
  }
}
/// argsort(x, -1, ascending).
template <typename E, typename DType, int etype>
inline auto argsort(const Exp<E, DType, etype>& x, bool ascending = true) {
  return argsort(x, -1, ascending);
}

/// The k largest elements along `axis`, the largest first, or the k smallest, the smallest first:
/// {values, indices}, the first k of sort and argsort. NaN comes last. x -> its shape with extent k
/// along the axis. Throws Error where the axis is none of x, or k is more than it has elements.
///   auto [values, indices] = topk(x, 10);
template <typename E, typename DType, int etype>
inline auto topk(const Exp<E, DType, etype>& x, index_t k, int axis = -1, bool largest = true) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    constexpr int dim = ExpInfo<E>::kDim;
    using Device = detail::DeviceOf<E>;
    axis = detail::CheckAxis("topk", axis, dim);
    return order::OnTensor(x, [&](const Tensor<Device, dim, DType>& t) {
      const auto n = t.shape_[axis];
      detail::CheckArgument("topk", "k", detail::SignedArgument(k, n), 0, static_cast<long long>(n),
                            ", the elements along the axis");
      using TopK = order::TopK<Device, dim, DType>;
      if constexpr (order::IsHost<E>()) {
        auto indices = order::FirstPlaces(t, axis, k, !largest);
        auto values = order::TakeAlong("topk", t, indices, axis);
        return TopK{std::move(values), std::move(indices)};
      } else {
        auto indices = order::PlacesOnDevice(t, axis, k, !largest);
        auto values = order::TakeChecked<Device, dim, DType, int64_t>(t, indices, axis);
        return TopK{std::move(values), std::move(indices)};
      }
    });
  }
}

/// x with element kth along `axis` where sort would put it, no larger ones before and no smaller
/// ones after it; NaN comes last. A negative kth counts from the end. Throws Error where the axis
/// is none of x, or kth none of its elements.
template <typename E, typename DType, int etype>
inline auto partition(const Exp<E, DType, etype>& x, long long kth, int axis = -1) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    axis = detail::CheckAxis("partition", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      [[maybe_unused]] const std::ptrdiff_t rank =
          order::RankIn("partition", kth, static_cast<std::ptrdiff_t>(t.shape_[axis]));
      if constexpr (order::IsHost<E>()) {
        return order::ReorderKeys(t, axis, true, [&](auto* keys, auto*, std::ptrdiff_t n) {
          std::nth_element(keys, keys + rank, keys + n);
          return keys;
        });
      } else {
        return order::SortOnDevice(t, axis, true);
      }
    });
  }
}
/// The indices along `axis` that partition x: as argsort is to sort.
template <typename E, typename DType, int etype>
inline auto argpartition(const Exp<E, DType, etype>& x, long long kth, int axis = -1) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    axis = detail::CheckAxis("argpartition", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      [[maybe_unused]] const std::ptrdiff_t rank =
          order::RankIn("argpartition", kth, static_cast<std::ptrdiff_t>(t.shape_[axis]));
      if constexpr (order::IsHost<E>()) {
        return order::ReorderPlaces(
            t, axis, t.shape_[axis], true, [&](auto* items, auto*, std::ptrdiff_t n) {
              std::nth_element(items, items + rank, items + n, order::ItemBefore());
              return items;
            });
      } else {
        return order::PlacesOnDevice(t, axis, t.shape_[axis], true);
      }
    });
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SORT_H_
