// SPDX-License-Identifier: Apache-2.0
// searchsorted, digitize.
#ifndef MSHADOW_ORDER_SEARCH_H_
#define MSHADOW_ORDER_SEARCH_H_

#include <algorithm>
#include <vector>

#include "device/primitives.h"
#include "key.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// Where values belong in a sorted vector, NaN last.
template <typename T>
class Search {
 public:
  Search(const T* sorted, std::ptrdiff_t n, bool right)
      : sorted_(sorted), n_(n), numbers_(n), right_(right) {
    while (numbers_ > 0 && isnan_typed::IsNan(sorted[numbers_ - 1])) --numbers_;
  }
  /// The first i with value <= sorted[i], or, to the right, with value < sorted[i]; n if none.
  std::ptrdiff_t operator()(T value) const {
    if (isnan_typed::IsNan(value)) return right_ ? n_ : numbers_;
    return right_ ? Find([value](T element) { return !(value < element); })
                  : Find([value](T element) { return element < value; });
  }

 private:
  /// The number of leading elements that are before the value; without branches, which would be
  /// mispredicted half of the time.
  template <typename F>
  std::ptrdiff_t Find(const F& is_before) const {
    const T* first = sorted_;
    std::ptrdiff_t length = numbers_;
    if (length == 0) return 0;
    while (length > 1) {
      const std::ptrdiff_t half = length / 2;
      first += half & -static_cast<std::ptrdiff_t>(is_before(first[half - 1]));
      length -= half;
    }
    return first - sorted_ + (is_before(*first) ? 1 : 0);
  }
  const T* sorted_;
  std::ptrdiff_t n_, numbers_;
  bool right_;
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// offset + sign * (place of each element of x), of x's shape.
template <typename E, typename DType, int etype>
inline auto Places(const expr::Exp<E, DType, etype>& x, const Search<DType>& search,
                   std::ptrdiff_t offset, int sign) {
  return OnElements(x, [&](const DType* data, const auto& shape) {
    TensorContainer<cpu, expr::ExpInfo<E>::kDim, int64_t> packed(false);
    packed.Resize(shape);
    ParallelRanges(SizeOf(shape), 1 << 12, [&](std::ptrdiff_t i, std::ptrdiff_t end) {
      for (; i < end; ++i) {
        packed.dptr_[i] = static_cast<int64_t>(offset + sign * search(data[i]));
      }
    });
    return packed;
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE

inline void CheckBins(bool is_ordered, std::ptrdiff_t n) {
  MSHADOW_CHECK(is_ordered) << "digitize: the " << n << " bins neither ascend nor descend";
}
/// Where `value` belongs in n sorted elements, as Search says.
template <typename T>
MSHADOW_XINLINE std::ptrdiff_t PlaceIn(const T* sorted, std::ptrdiff_t n, T value, bool right) {
  const T* first = sorted;
  while (n > 0) {
    const std::ptrdiff_t half = n / 2;
    const bool is_before = right ? !Before(value, first[half]) : Before(first[half], value);
    first = is_before ? first + half + 1 : first;
    n = is_before ? n - half - 1 : half;
  }
  return first - sorted;
}
template <typename T>
struct SearchBody {
  const T* sorted;
  std::ptrdiff_t n;
  bool right;
  std::ptrdiff_t offset, sign;
  const T* in;
  int64_t* out;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    out[i] = static_cast<int64_t>(offset + sign * PlaceIn(sorted, n, in[i], right));
  }
};
/// Places on a device; work on `done` makes the sorted elements.
template <typename E, typename DType, int etype, typename Device>
inline auto PlacesOnDevice(const expr::Exp<E, DType, etype>& x, const DType* sorted,
                           std::ptrdiff_t n, bool right, std::ptrdiff_t offset, int sign,
                           Stream<Device>* done) {
  return OnDevice(x, [=](const DType* data, const auto& shape, Stream<Device>* stream) {
    auto places = Made<int64_t>(shape, stream);
    Join(done, stream);
    ForRow(Primitives<Device>(stream), SizeOf(shape),
           SearchBody<DType>{sorted, n, right, offset, sign, data, places.dptr_});
    return places;
  });
}

/// Whether elements ascend, and whether they descend.
struct Order {
  bool ascends = true, descends = true;
  MSHADOW_XINLINE static Order Combine(Order a, Order b) {
    a.ascends = a.ascends && b.ascends;
    a.descends = a.descends && b.descends;
    return a;
  }
};
template <typename T>
struct OrderBody {
  const T* data;
  MSHADOW_XINLINE Order operator()(std::ptrdiff_t i) const {
    Order order;
    order.ascends = !Before(data[i + 1], data[i]);
    order.descends = !Before(data[i], data[i + 1]);
    return order;
  }
};
template <typename T>
struct ReverseBody {
  const T* from;
  std::ptrdiff_t n;
  T* to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const { to[i] = from[n - 1 - i]; }
};

}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// Where the elements of x belong in `sorted`, an ascending vector: out[i] = the first k with
/// x[i] <= sorted[k], or, with `right`, with x[i] < sorted[k]; its length if there is none.
/// x -> the same shape, int64_t. NaN is the largest.
template <typename S, typename E, typename DType, typename Other, int e1, int e2>
inline auto searchsorted(const Exp<S, DType, e1>& sorted, const Exp<E, Other, e2>& x,
                         bool right = false) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (order::AreOrdered<S, E>() && order::IsVector<S>() && order::Runs<S, E>()) {
    return order::OnElements(sorted, [&](const DType* elements, const Shape<1>& shape) {
      if constexpr (order::IsHost<S, E>()) {
        const order::Search<DType> search(elements, order::SizeOf(shape), right);
        return order::Places(x, search, 0, 1);
      } else {
        return order::PlacesOnDevice(x, elements, order::SizeOf(shape), right, 0, 1,
                                     detail::StreamOf<detail::DeviceOf<S>>(sorted.self()));
      }
    });
  }
}

/// The bins of the elements of x: out[i] = k with bins[k - 1] <= x[i] < bins[k], or, with `right`,
/// bins[k - 1] < x[i] <= bins[k]; 0 and the length of bins are outside. `bins` is a vector that
/// ascends, or descends, where the inequalities turn round. x -> the same shape, int64_t. Throws
/// Error where bins are neither.
template <typename E, typename B, typename DType, typename Other, int e1, int e2>
inline auto digitize(const Exp<E, DType, e1>& x, const Exp<B, Other, e2>& bins,
                     bool right = false) {
  namespace order = mshadow::detail::order;
  if constexpr (!order::AreOfOneType<DType, Other>()) {
  } else if constexpr (!order::AreOrdered<E, B>() || !order::IsVector<B>()) {
  } else if constexpr (order::IsHost<E, B>()) {
    return order::OnElements(bins, [&](const DType* elements, const Shape<1>& shape) {
      const std::ptrdiff_t n = order::SizeOf(shape);
      const auto before = [](DType a, DType b) { return order::Before(a, b); };
      if (std::is_sorted(elements, elements + n, before)) {
        return order::Places(x, order::Search<DType>(elements, n, !right), 0, 1);
      }
      std::vector<DType> ascending(elements, elements + n);
      std::reverse(ascending.begin(), ascending.end());
      order::CheckBins(std::is_sorted(ascending.begin(), ascending.end(), before), n);
      const order::Scratch<DType> copy(n);
      std::copy(ascending.begin(), ascending.end(), copy.data());
      return order::Places(x, order::Search<DType>(copy.data(), n, !right), n, -1);
    });
  } else if constexpr (order::IsDevice<E, B>()) {
    return order::OnDevice(bins, [&](const DType* elements, const Shape<1>& shape, auto* stream) {
      const std::ptrdiff_t n = order::SizeOf(shape);
      const order::Primitives<detail::DeviceOf<B>> primitives(stream);
      const auto is = primitives.template Reduce<order::Order>(n == 0 ? 0 : n - 1,
                                                               order::OrderBody<DType>{elements});
      if (is.ascends) return order::PlacesOnDevice(x, elements, n, !right, 0, 1, stream);
      order::CheckBins(is.descends, n);
      const auto ascending = order::Made<DType>(n, stream);
      order::ForRow(primitives, n, order::ReverseBody<DType>{elements, n, ascending.dptr_});
      return order::PlacesOnDevice(x, static_cast<const DType*>(ascending.dptr_), n, !right, n, -1,
                                   stream);
    });
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SEARCH_H_
