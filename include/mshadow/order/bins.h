// SPDX-License-Identifier: Apache-2.0
// searchsorted, digitize, bincount, histogram.
#ifndef MSHADOW_ORDER_BINS_H_
#define MSHADOW_ORDER_BINS_H_

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

/// Counts of [0, n) in `bins` bins, on threads: count(begin, end, counts) adds to its counts. A
/// thread has counts of its own, so only as many are used as leave n much larger than all of them.
template <typename F>
inline Vector<int64_t> CountParts(std::ptrdiff_t n, std::size_t bins, const F& count) {
  constexpr std::ptrdiff_t kGrain = 1 << 17;
  auto counts = Empty<int64_t>(static_cast<std::ptrdiff_t>(bins));
  std::fill(counts.dptr_, counts.dptr_ + bins, int64_t{0});
  const std::size_t most = static_cast<std::size_t>(n) / 4 / (bins + 1);
  int threads = ThreadsFor(n, kGrain);
  if (static_cast<std::size_t>(threads) > most) threads = most < 2 ? 1 : static_cast<int>(most);
  std::vector<std::vector<int64_t>> parts(static_cast<std::size_t>(threads));
  ParallelFor(threads, threads, [&](std::ptrdiff_t t) {
    std::vector<int64_t>& part = parts[static_cast<std::size_t>(t)];
    if (t > 0) part.resize(bins);
    count(n * t / threads, n * (t + 1) / threads, t > 0 ? part.data() : counts.dptr_);
  });
  for (std::size_t t = 1; t < parts.size(); ++t) {
    for (std::size_t b = 0; b < bins; ++b) counts.dptr_[b] += parts[t][b];
  }
  return counts;
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// The smallest and the largest of data[0], .., data[n - 1], of 0 too, as vectors.
template <typename T>
struct ExtremesKernel {
  const T* data;
  std::ptrdiff_t n;
  T* low;
  T* high;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kLanes = 64 / sizeof(T);
    alignas(64) T least[kLanes] = {}, most[kLanes] = {};
    std::ptrdiff_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) {
        const T value = data[i + l];
        least[l] = value < least[l] ? value : least[l];
        most[l] = value > most[l] ? value : most[l];
      }
    }
    for (; i < n; ++i) {
      least[0] = data[i] < least[0] ? data[i] : least[0];
      most[0] = data[i] > most[0] ? data[i] : most[0];
    }
    *low = *std::min_element(least, least + kLanes);
    *high = *std::max_element(most, most + kLanes);
  }
};

/// The number of bins that hold the elements. Throws Error where one is negative or too large for
/// an extent.
template <typename DType>
inline std::size_t BinsOf(const DType* data, std::ptrdiff_t n) {
  if (n == 0) return 0;
  DType low = 0, high = 0;
  simd::Dispatch(ExtremesKernel<DType>{data, n, &low, &high});
  const auto fits = [](DType value) {
    return value >= DType(0) && static_cast<uint64_t>(value) < kMaxElements;
  };
  for (std::ptrdiff_t i = 0; !(fits(low) && fits(high)) && i < n; ++i) {
    MSHADOW_CHECK(fits(data[i])) << "bincount: element " << i << " of " << n << " is "
                                 << static_cast<int64_t>(data[i])
                                 << "; it counts integers from 0 on that an extent holds";
  }
  return static_cast<std::size_t>(high) + 1;
}

/// Adds the counts of data[i], i in [begin, end), to `counts`. Where there are few bins, elements
/// at even and odd places are counted apart, since a counter waits for its own last store.
template <typename DType>
inline void CountBins(const DType* data, std::ptrdiff_t i, std::ptrdiff_t end, std::size_t bins,
                      int64_t* counts) {
  if (bins <= 4096 && bins <= static_cast<std::size_t>(end - i)) {
    std::vector<int64_t> others(bins);
    for (int64_t* const odd = others.data(); i + 1 < end; i += 2) {
      ++counts[static_cast<std::size_t>(data[i])];
      ++odd[static_cast<std::size_t>(data[i + 1])];
    }
    for (std::size_t b = 0; b < bins; ++b) counts[b] += others[b];
  }
  for (; i < end; ++i) ++counts[static_cast<std::size_t>(data[i])];
}

/// The edges of bins; equal widths let a bin be computed.
class Bins {
 public:
  Bins(std::ptrdiff_t bins, double low, double high) : is_even_(true) {
    MSHADOW_CHECK(bins > 0 && static_cast<uint64_t>(bins) < kMaxElements)
        << "histogram: " << bins << " bins; there is one at least";
    MSHADOW_CHECK(low <= high && high - low <= (std::numeric_limits<double>::max)())
        << "histogram: the range [" << low << ", " << high << "] must be finite and ascending";
    if (low == high) {
      low -= 0.5;
      high += 0.5;
    }
    const auto count = static_cast<std::size_t>(bins);
    const double width = (high - low) / static_cast<double>(count);
    edges_.reserve(count + 1);
    for (std::size_t b = 0; b < count; ++b) edges_.push_back(low + width * static_cast<double>(b));
    edges_.push_back(high);
    per_width_ = static_cast<double>(count) / (high - low);
    // So narrow that it overflows.
    is_even_ = per_width_ <= (std::numeric_limits<double>::max)();
  }
  explicit Bins(const std::vector<double>& edges) : edges_(edges), is_even_(false) {
    MSHADOW_CHECK(edges.size() >= 2) << "histogram: " << edges.size() << " edges; a bin has two";
    for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
      MSHADOW_CHECK(edges[b] <= edges[b + 1])
          << "histogram: edge " << b + 1 << " is " << edges[b + 1] << ", below the one before, "
          << edges[b];
    }
  }
  std::size_t count() const { return edges_.size() - 1; }
  const std::vector<double>& edges() const { return edges_; }
  /// Calls f(bin) if `value` lies in one: edge[b] <= value < edge[b + 1], or <= in the last.
  template <typename F>
  void Find(double value, const F& f) const {
    const std::size_t last = count() - 1;
    if (!(value >= edges_.front() && value <= edges_.back())) return;
    std::size_t b = last;
    if (is_even_) {
      b = (std::min)(static_cast<std::size_t>((value - edges_.front()) * per_width_), last);
      // The product is rounded, and so are the edges.
      while (b > 0 && value < edges_[b]) --b;
      while (b < last && value >= edges_[b + 1]) ++b;
    } else {
      const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
      if (above != edges_.end()) b = static_cast<std::size_t>(above - edges_.begin()) - 1;
    }
    f(b);
  }

 private:
  std::vector<double> edges_;
  double per_width_ = 0;
  bool is_even_;
};

/// The smallest and the largest element, 0 and 1 of nothing. Throws Error where one is not finite.
template <typename DType>
inline std::pair<double, double> RangeOf(const DType* data, std::ptrdiff_t n) {
  if (n == 0) return {0, 1};
  double low = static_cast<double>(data[0]), high = low, sum = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(data[i]);
    low = value < low ? value : low;
    high = value > high ? value : high;
    sum += value - value;  // not 0 where one is NaN or infinite
  }
  MSHADOW_CHECK(sum == 0) << "histogram: an element is NaN or infinite; give a range, in which "
                             "such elements are not";
  return {low, high};
}

/// The result of histogram: how many elements each bin has, or the sum of their weights, and the
/// edges of the bins, one more.
template <typename T>
struct Histogram {
  TensorContainer<cpu, 1, T> counts;
  TensorContainer<cpu, 1, double> edges;
};

inline namespace MSHADOW_THREADS_NAMESPACE {

template <typename E, typename DType, int etype, typename F>
inline Histogram<int64_t> CountHistogram(const expr::Exp<E, DType, etype>& x, const F& make_bins) {
  return OnElements(x, [&](const DType* data, const auto& shape) {
    const std::ptrdiff_t n = SizeOf(shape);
    const Bins bins = make_bins(data, n);
    auto counts =
        CountParts(n, bins.count(), [&](std::ptrdiff_t i, std::ptrdiff_t end, int64_t* c) {
          for (; i < end; ++i) {
            bins.Find(static_cast<double>(data[i]), [&](std::size_t b) { ++c[b]; });
          }
        });
    return Histogram<int64_t>{std::move(counts), Vector<double>(bins.edges())};
  });
}
/// On one thread: the order of additions is that of the elements.
template <typename E, typename DType, typename W, typename WType, int e1, int e2, typename F>
inline Histogram<double> WeightHistogram(const expr::Exp<E, DType, e1>& x,
                                         const expr::Exp<W, WType, e2>& weights,
                                         const F& make_bins) {
  return OnElements(x, [&](const DType* data, const auto& shape) {
    return OnElements(weights, [&](const WType* weight, const auto& weight_shape) {
      MSHADOW_CHECK_EQ(shape, weight_shape) << "histogram: shape mismatch of x and weights";
      const std::ptrdiff_t n = SizeOf(shape);
      const Bins bins = make_bins(data, n);
      std::vector<double> sums(bins.count());
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        bins.Find(static_cast<double>(data[i]),
                  [&](std::size_t b) { sums[b] += static_cast<double>(weight[i]); });
      }
      return Histogram<double>{Vector<double>(sums), Vector<double>(bins.edges())};
    });
  });
}

/// What makes the bins of a call: of a number, of a number and a range, of edges.
inline auto BinMaker(std::ptrdiff_t bins) {
  return [bins](const auto* data, std::ptrdiff_t n) {
    const std::pair<double, double> range = RangeOf(data, n);
    return Bins(bins, range.first, range.second);
  };
}
inline auto BinMaker(std::ptrdiff_t bins, std::pair<double, double> range) {
  return
      [bins, range](const auto*, std::ptrdiff_t) { return Bins(bins, range.first, range.second); };
}
inline auto BinMaker(const std::vector<double>& edges) {
  return [&edges](const auto*, std::ptrdiff_t) { return Bins(edges); };
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// Where the elements of x belong in `sorted`, an ascending vector: out[i] = the first k with
/// x[i] <= sorted[k], or, with `right`, with x[i] < sorted[k]; its length if there is none.
/// x -> the same shape, int64_t. NaN is the largest.
template <typename S, typename E, typename DType, int e1, int e2>
inline auto searchsorted(const Exp<S, DType, e1>& sorted, const Exp<E, DType, e2>& x,
                         bool right = false) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHostVector<S>() && order::IsOrderedHost<E>()) {
    return order::OnElements(sorted, [&](const DType* elements, const Shape<1>& shape) {
      const order::Search<DType> search(elements, order::SizeOf(shape), right);
      return order::Places(x, search, 0, 1);
    });
  }
}

/// The bins of the elements of x: out[i] = k with bins[k - 1] <= x[i] < bins[k], or, with `right`,
/// bins[k - 1] < x[i] <= bins[k]; 0 and the length of bins are outside. `bins` is a vector that
/// ascends, or descends, where the inequalities turn round. x -> the same shape, int64_t. Throws
/// Error where bins are neither.
template <typename E, typename B, typename DType, int e1, int e2>
inline auto digitize(const Exp<E, DType, e1>& x, const Exp<B, DType, e2>& bins,
                     bool right = false) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>() && order::IsHostVector<B>()) {
    return order::OnElements(bins, [&](const DType* elements, const Shape<1>& shape) {
      const std::ptrdiff_t n = order::SizeOf(shape);
      const auto before = [](DType a, DType b) { return order::Before(a, b); };
      if (std::is_sorted(elements, elements + n, before)) {
        return order::Places(x, order::Search<DType>(elements, n, !right), 0, 1);
      }
      std::vector<DType> ascending(elements, elements + n);
      std::reverse(ascending.begin(), ascending.end());
      MSHADOW_CHECK(std::is_sorted(ascending.begin(), ascending.end(), before))
          << "digitize: the " << n << " bins neither ascend nor descend";
      const order::Scratch<DType> copy(n);
      std::copy(ascending.begin(), ascending.end(), copy.data());
      return order::Places(x, order::Search<DType>(copy.data(), n, !right), n, -1);
    });
  }
}

/// out[k] = the number of i with x[i] == k; x (n) of integers >= 0 ->
/// (max(length, largest element + 1)). Throws Error, with the element and its index, where one is
/// negative or too large for an extent.
template <typename E, typename DType, int etype>
inline auto bincount(const Exp<E, DType, etype>& x, std::ptrdiff_t length = 0) {
  namespace order = mshadow::detail::order;
  static_assert(std::is_integral_v<DType> && !std::is_same_v<DType, bool>,
                "mshadow: bincount counts integers; convert with tcast<int>(x)");
  if constexpr (order::IsHostVector<E>() && std::is_integral_v<DType>) {
    return order::OnElements(x, [&](const DType* data, const Shape<1>& shape) {
      MSHADOW_CHECK(length >= 0) << "bincount: length = " << length << " is negative";
      const std::ptrdiff_t n = order::SizeOf(shape);
      const std::size_t bins = (std::max)(static_cast<std::size_t>(length), order::BinsOf(data, n));
      return order::CountParts(n, bins,
                               [&](std::ptrdiff_t begin, std::ptrdiff_t end, int64_t* counts) {
                                 order::CountBins(data, begin, end, bins, counts);
                               });
    });
  }
}
/// out[k] = the sum of weights[i] over the i with x[i] == k, double, added in the order of x.
/// Throws Error as bincount(x) does, and unless x and weights are of one length.
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto bincount(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                     std::ptrdiff_t length = 0) {
  namespace order = mshadow::detail::order;
  static_assert(std::is_integral_v<DType> && !std::is_same_v<DType, bool>,
                "mshadow: bincount counts integers; convert with tcast<int>(x)");
  if constexpr (order::IsHostVector<E>() && order::IsHostVector<W>() && std::is_integral_v<DType>) {
    return order::OnElements(x, [&](const DType* data, const Shape<1>& shape) {
      return order::OnElements(weights, [&](const WType* weight, const Shape<1>& weight_shape) {
        MSHADOW_CHECK_EQ(shape, weight_shape) << "bincount: shape mismatch of x and weights";
        MSHADOW_CHECK(length >= 0) << "bincount: length = " << length << " is negative";
        const std::ptrdiff_t n = order::SizeOf(shape);
        const std::size_t bins =
            (std::max)(static_cast<std::size_t>(length), order::BinsOf(data, n));
        auto sums = order::Empty<double>(static_cast<std::ptrdiff_t>(bins));
        std::fill(sums.dptr_, sums.dptr_ + bins, 0.0);
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          sums.dptr_[static_cast<std::size_t>(data[i])] += static_cast<double>(weight[i]);
        }
        return sums;
      });
    });
  }
}

/// How many elements of x, of any shape, each of `bins` bins of equal width has: {counts, edges}.
/// edges (bins + 1) of double; element e is in bin b if edges[b] <= e < edges[b + 1], or <= in the
/// last. The bins cover [range.first, range.second], by default from the smallest to the largest
/// element; what is outside, and NaN, is not counted. Throws Error where there is no bin, the range
/// descends, or where without a range an element is not finite.
///   auto [counts, edges] = histogram(x, 10, {0.0, 1.0});
template <typename E, typename DType, int etype>
inline auto histogram(const Exp<E, DType, etype>& x, std::ptrdiff_t bins = 10) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>()) return order::CountHistogram(x, order::BinMaker(bins));
}
template <typename E, typename DType, int etype>
inline auto histogram(const Exp<E, DType, etype>& x, std::ptrdiff_t bins,
                      std::pair<double, double> range) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>()) {
    return order::CountHistogram(x, order::BinMaker(bins, range));
  }
}
/// The same for bins of these edges, which ascend; throws Error where they do not, or where there
/// are fewer than two.
template <typename E, typename DType, int etype>
inline auto histogram(const Exp<E, DType, etype>& x, const std::vector<double>& edges) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>()) return order::CountHistogram(x, order::BinMaker(edges));
}
/// The sums of the elements' weights in each bin, double, in all the forms above. Throws Error
/// unless x and weights have one shape, too.
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto histogram(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                      std::ptrdiff_t bins = 10) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>() && order::IsOrderedHost<W>()) {
    return order::WeightHistogram(x, weights, order::BinMaker(bins));
  }
}
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto histogram(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                      std::ptrdiff_t bins, std::pair<double, double> range) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>() && order::IsOrderedHost<W>()) {
    return order::WeightHistogram(x, weights, order::BinMaker(bins, range));
  }
}
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto histogram(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                      const std::vector<double>& edges) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsOrderedHost<E>() && order::IsOrderedHost<W>()) {
    return order::WeightHistogram(x, weights, order::BinMaker(edges));
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_BINS_H_
