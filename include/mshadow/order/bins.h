// SPDX-License-Identifier: Apache-2.0
// bincount, histogram.
#ifndef MSHADOW_ORDER_BINS_H_
#define MSHADOW_ORDER_BINS_H_

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../backend/gpu/function/rows.h"
#include "../simd/isa.h"
#include "device/primitives.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

inline namespace MSHADOW_THREADS_NAMESPACE {

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

template <typename DType>
[[noreturn]] MSHADOW_COLD inline void ThrowBin(std::ptrdiff_t i, std::ptrdiff_t n, DType value) {
  throw Error("bincount: element " + std::to_string(i) + " of " + std::to_string(n) + " is " +
              std::to_string(static_cast<int64_t>(value)) +
              "; it counts integers from 0 on that an extent holds");
}
/// The number of bins that hold the elements. Throws Error where one is negative or too large for
/// an extent.
template <typename DType>
inline std::size_t BinsOf(const DType* data, std::ptrdiff_t n) {
  if (n == 0) return 0;
  DType low = 0, high = 0;
  simd::Dispatch(ExtremesKernel<DType>{data, n, &low, &high});
  const auto fits = [](DType value) {
    return static_cast<uint64_t>(value) < kMaxElements;  // negative ones are above it
  };
  for (std::ptrdiff_t i = 0; !(fits(low) && fits(high)) && i < n; ++i) {
    if (!fits(data[i])) ThrowBin(i, n, data[i]);
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

/// Which bin a value is in; equal widths let it be computed.
struct BinFinder {
  const double* edges;
  std::ptrdiff_t last;  ///< bin
  double per_width;
  bool is_even;
  /// The bin: edge[b] <= value < edge[b + 1], or <= in the last; -1 if there is none.
  MSHADOW_XINLINE std::ptrdiff_t operator()(double value) const {
    if (!(value >= edges[0] && value <= edges[last + 1])) return -1;
    std::ptrdiff_t b = 0;
    if (is_even) {
      b = static_cast<std::ptrdiff_t>((value - edges[0]) * per_width);
      b = b < last ? b : last;
      // The product is rounded, and so are the edges.
      while (b > 0 && value < edges[b]) --b;
      while (b < last && value >= edges[b + 1]) ++b;
      return b;
    }
    // The last edge that is not above the value, but not that of the end.
    for (std::ptrdiff_t length = last + 1; length > 1;) {
      const std::ptrdiff_t half = length / 2;
      b += value >= edges[b + half] ? half : 0;
      length -= half;
    }
    return b;
  }
};

/// The edges of bins.
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
  /// Looks at `edges`, a copy of those here.
  BinFinder Finder(const double* edges) const {
    return {edges, static_cast<std::ptrdiff_t>(count()) - 1, per_width_, is_even_};
  }
  BinFinder Finder() const { return Finder(edges_.data()); }

 private:
  std::vector<double> edges_;
  double per_width_ = 0;
  bool is_even_;
};

inline void CheckFiniteRange(bool is_finite) {
  MSHADOW_CHECK(is_finite) << "histogram: an element is NaN or infinite; give a range, in which "
                              "such elements are not";
}
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
  CheckFiniteRange(sum == 0);
  return {low, high};
}

/// The result of histogram: how many elements each bin has, or the sum of their weights, and the
/// edges of the bins, one more.
template <typename Device, typename T>
struct Histogram {
  TensorContainer<Device, 1, T> counts;
  TensorContainer<Device, 1, double> edges;
};

/// The largest of integers, and the first that counts no bin.
struct LargestBin {
  uint64_t high = 0;
  Lowest bad;
  MSHADOW_XINLINE static LargestBin Combine(LargestBin a, LargestBin b) {
    a.high = a.high < b.high ? b.high : a.high;
    a.bad = Lowest::Combine(a.bad, b.bad);
    return a;
  }
};
template <typename T>
struct LargestBinBody {
  const T* data;
  uint64_t end;
  MSHADOW_XINLINE LargestBin operator()(std::ptrdiff_t i) const {
    LargestBin bin;
    const auto value = static_cast<uint64_t>(data[i]);  // of a negative one, above all extents
    if (value < end) {
      bin.high = value;
    } else {
      bin.bad.at = static_cast<int64_t>(i);
    }
    return bin;
  }
};
/// BinsOf on a device.
template <typename T, typename Device>
inline std::ptrdiff_t BinsOnDevice(const T* data, std::ptrdiff_t n, Stream<Device>* stream) {
  if (n == 0) return 0;
  const auto bin = Primitives<Device>(stream).template Reduce<LargestBin>(
      n, LargestBinBody<T>{data, kMaxElements});
  if (bin.bad.at != Lowest::kNone) ThrowBin(bin.bad.at, n, ReadFrom(data + bin.bad.at, stream));
  return static_cast<std::ptrdiff_t>(bin.high) + 1;
}
template <typename T>
struct IsBin {
  const T* data;
  MSHADOW_XINLINE std::ptrdiff_t operator()(std::ptrdiff_t i) const {
    return static_cast<std::ptrdiff_t>(data[i]);
  }
};
template <typename T>
struct FindsBin {
  const T* data;
  BinFinder find;
  MSHADOW_XINLINE std::ptrdiff_t operator()(std::ptrdiff_t i) const {
    return find(static_cast<double>(data[i]));
  }
};
/// sums[bin(i)] += weights[i]
template <typename Bin, typename W>
struct AddWeightBody {
  Bin bin;
  const W* weights;
  double* sums;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    const std::ptrdiff_t b = bin(i);
    if (b >= 0) cuda::AtomicAdd(sums + b, static_cast<double>(weights[i]));
  }
};
template <typename Device, typename Bin>
inline TensorContainer<Device, 1, int64_t> CountsOnDevice(std::ptrdiff_t n, std::ptrdiff_t bins,
                                                          const Bin& bin, Stream<Device>* stream) {
  auto counts = Filled<int64_t>(bins, 0, stream);
  Primitives<Device>(stream).Count(n, bins, bin, counts.dptr_);
  return counts;
}
template <typename Device, typename Bin, typename W>
inline TensorContainer<Device, 1, double> SumsOnDevice(std::ptrdiff_t n, std::ptrdiff_t bins,
                                                       const Bin& bin, const W* weights,
                                                       Stream<Device>* stream) {
  auto sums = Filled<double>(bins, 0, stream);
  ForRow(Primitives<Device>(stream), n, AddWeightBody<Bin, W>{bin, weights, sums.dptr_});
  return sums;
}

/// The smallest and the largest number, and whether one is not finite.
struct Extremes {
  double low = 1, high = 0;  ///< of nothing
  bool has_infinite = false;
  MSHADOW_XINLINE static Extremes Combine(Extremes a, Extremes b) {
    const bool a_is_none = a.low > a.high;
    if (a_is_none || (b.low <= b.high && b.low < a.low)) a.low = b.low;
    if (a_is_none || (b.low <= b.high && b.high > a.high)) a.high = b.high;
    a.has_infinite = a.has_infinite || b.has_infinite;
    return a;
  }
};
template <typename T>
struct ExtremesBody {
  const T* data;
  MSHADOW_XINLINE Extremes operator()(std::ptrdiff_t i) const {
    Extremes one;
    const auto value = static_cast<double>(data[i]);
    if (value - value == 0) {
      one.low = one.high = value;
    } else {
      one.has_infinite = true;
    }
    return one;
  }
};
template <typename T, typename Device>
inline std::pair<double, double> RangeOnDevice(const T* data, std::ptrdiff_t n,
                                               Stream<Device>* stream) {
  if (n == 0) return {0, 1};
  const auto range = Primitives<Device>(stream).template Reduce<Extremes>(n, ExtremesBody<T>{data});
  CheckFiniteRange(!range.has_infinite);
  return {range.low, range.high};
}
/// histogram on a device: f(n, bins, FindsBin, stream) returns what each bin has.
template <typename T, typename Device, typename Make, typename F>
inline auto HistogramOnDevice(const T* data, std::ptrdiff_t n, Stream<Device>* stream,
                              const Make& make_bins, const F& f) {
  const Bins bins = make_bins([=] { return RangeOnDevice(data, n, stream); });
  const DeviceScratch<Device, double> edges(bins.edges(), stream);
  auto counts =
      f(n, static_cast<std::ptrdiff_t>(bins.count()), FindsBin<T>{data, bins.Finder(edges.data())});
  using Count = std::remove_pointer_t<decltype(counts.dptr_)>;
  return Histogram<Device, Count>{std::move(counts),
                                  Cut(static_cast<const double*>(edges.data()),
                                      static_cast<std::ptrdiff_t>(bins.count()) + 1, stream)};
}

inline namespace MSHADOW_THREADS_NAMESPACE {

template <typename E, typename DType, int etype, typename F>
inline auto CountHistogram(const expr::Exp<E, DType, etype>& x, const F& make_bins) {
  if constexpr (IsHost<E>()) {
    return OnElements(x, [&](const DType* data, const auto& shape) {
      const std::ptrdiff_t n = SizeOf(shape);
      const Bins bins = make_bins([=] { return RangeOf(data, n); });
      const BinFinder find = bins.Finder();
      auto counts =
          CountParts(n, bins.count(), [&](std::ptrdiff_t i, std::ptrdiff_t end, int64_t* c) {
            for (; i < end; ++i) {
              const std::ptrdiff_t b = find(static_cast<double>(data[i]));
              if (b >= 0) ++c[b];
            }
          });
      return Histogram<cpu, int64_t>{std::move(counts), Vector<double>(bins.edges())};
    });
  } else {
    return OnDevice(x, [&](const DType* data, const auto& shape, auto* stream) {
      return HistogramOnDevice(data, SizeOf(shape), stream, make_bins,
                               [=](std::ptrdiff_t n, std::ptrdiff_t bins, const auto& bin) {
                                 return CountsOnDevice(n, bins, bin, stream);
                               });
    });
  }
}
/// On one thread: the order of additions is that of the elements. On a device it is any order.
template <typename E, typename DType, typename W, typename WType, int e1, int e2, typename F>
inline auto WeightHistogram(const expr::Exp<E, DType, e1>& x,
                            const expr::Exp<W, WType, e2>& weights, const F& make_bins) {
  return OnElements(x, [&](const DType* data, const auto& shape) {
    return OnElements(weights, [&](const WType* weight, const auto& weight_shape) {
      MSHADOW_CHECK_EQ(shape, weight_shape) << "histogram: shape mismatch of x and weights";
      const std::ptrdiff_t n = SizeOf(shape);
      if constexpr (IsHost<E, W>()) {
        const Bins bins = make_bins([=] { return RangeOf(data, n); });
        const BinFinder find = bins.Finder();
        std::vector<double> sums(bins.count());
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          const std::ptrdiff_t b = find(static_cast<double>(data[i]));
          if (b >= 0) sums[static_cast<std::size_t>(b)] += static_cast<double>(weight[i]);
        }
        return Histogram<cpu, double>{Vector<double>(sums), Vector<double>(bins.edges())};
      } else {
        auto* const stream = expr::detail::StreamOf<expr::detail::DeviceOf<E>>(x.self());
        Join(expr::detail::StreamOf<expr::detail::DeviceOf<E>>(weights.self()), stream);
        return HistogramOnDevice(data, n, stream, make_bins,
                                 [=](std::ptrdiff_t count, std::ptrdiff_t bins, const auto& bin) {
                                   return SumsOnDevice(count, bins, bin, weight, stream);
                                 });
      }
    });
  });
}

/// What makes the bins of a call: of a number, for elements whose range a function returns; of a
/// number and a range; of edges.
inline auto BinMaker(std::ptrdiff_t bins) {
  return [bins](const auto& range_of) {
    const std::pair<double, double> range = range_of();
    return Bins(bins, range.first, range.second);
  };
}
inline auto BinMaker(std::ptrdiff_t bins, std::pair<double, double> range) {
  return [bins, range](const auto&) { return Bins(bins, range.first, range.second); };
}
inline auto BinMaker(const std::vector<double>& edges) {
  return [&edges](const auto&) { return Bins(edges); };
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// out[k] = the number of i with x[i] == k; x (n) of integers >= 0 ->
/// (max(length, largest element + 1)). Throws Error, with the element and its index, where one is
/// negative or too large for an extent.
template <typename E, typename DType, int etype>
inline auto bincount(const Exp<E, DType, etype>& x, std::ptrdiff_t length = 0) {
  namespace order = mshadow::detail::order;
  static_assert(std::is_integral_v<DType> && !std::is_same_v<DType, bool>,
                "mshadow: bincount counts integers; convert with tcast<int>(x)");
  if constexpr (order::IsVector<E>() && order::Runs<E>() && std::is_integral_v<DType>) {
    MSHADOW_CHECK(length >= 0) << "bincount: length = " << length << " is negative";
    if constexpr (order::IsHost<E>()) {
      return order::OnElements(x, [&](const DType* data, const Shape<1>& shape) {
        const std::ptrdiff_t n = order::SizeOf(shape);
        const std::size_t bins =
            (std::max)(static_cast<std::size_t>(length), order::BinsOf(data, n));
        return order::CountParts(n, bins,
                                 [&](std::ptrdiff_t begin, std::ptrdiff_t end, int64_t* counts) {
                                   order::CountBins(data, begin, end, bins, counts);
                                 });
      });
    } else {
      return order::OnDevice(x, [&](const DType* data, const Shape<1>& shape, auto* stream) {
        const std::ptrdiff_t n = order::SizeOf(shape);
        const std::ptrdiff_t bins = (std::max)(length, order::BinsOnDevice(data, n, stream));
        return order::CountsOnDevice(n, bins, order::IsBin<DType>{data}, stream);
      });
    }
  }
}
/// out[k] = the sum of weights[i] over the i with x[i] == k, double, added in the order of x, on
/// a GPU in any. Throws Error as bincount(x) does, and unless x and weights are of one length.
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto bincount(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                     std::ptrdiff_t length = 0) {
  namespace order = mshadow::detail::order;
  static_assert(std::is_integral_v<DType> && !std::is_same_v<DType, bool>,
                "mshadow: bincount counts integers; convert with tcast<int>(x)");
  if constexpr (order::IsVector<E>() && order::IsVector<W>() && order::Runs<E, W>() &&
                std::is_integral_v<DType>) {
    MSHADOW_CHECK(length >= 0) << "bincount: length = " << length << " is negative";
    return order::OnElements(x, [&](const DType* data, const Shape<1>& shape) {
      return order::OnElements(weights, [&](const WType* weight, const Shape<1>& weight_shape) {
        MSHADOW_CHECK_EQ(shape, weight_shape) << "bincount: shape mismatch of x and weights";
        const std::ptrdiff_t n = order::SizeOf(shape);
        if constexpr (order::IsHost<E, W>()) {
          const std::size_t bins =
              (std::max)(static_cast<std::size_t>(length), order::BinsOf(data, n));
          auto sums = order::Empty<double>(static_cast<std::ptrdiff_t>(bins));
          std::fill(sums.dptr_, sums.dptr_ + bins, 0.0);
          for (std::ptrdiff_t i = 0; i < n; ++i) {
            sums.dptr_[static_cast<std::size_t>(data[i])] += static_cast<double>(weight[i]);
          }
          return sums;
        } else {
          auto* const stream = detail::StreamOf<detail::DeviceOf<E>>(x.self());
          order::Join(detail::StreamOf<detail::DeviceOf<E>>(weights.self()), stream);
          const std::ptrdiff_t bins = (std::max)(length, order::BinsOnDevice(data, n, stream));
          return order::SumsOnDevice(n, bins, order::IsBin<DType>{data}, weight, stream);
        }
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
  if constexpr (order::Runs<E>()) return order::CountHistogram(x, order::BinMaker(bins));
}
template <typename E, typename DType, int etype>
inline auto histogram(const Exp<E, DType, etype>& x, std::ptrdiff_t bins,
                      std::pair<double, double> range) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) return order::CountHistogram(x, order::BinMaker(bins, range));
}
/// The same for bins of these edges, which ascend; throws Error where they do not, or where there
/// are fewer than two.
template <typename E, typename DType, int etype>
inline auto histogram(const Exp<E, DType, etype>& x, const std::vector<double>& edges) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) return order::CountHistogram(x, order::BinMaker(edges));
}
/// The sums of the elements' weights in each bin, double, in all the forms above. Throws Error
/// unless x and weights have one shape, too.
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto histogram(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                      std::ptrdiff_t bins = 10) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E, W>()) {
    return order::WeightHistogram(x, weights, order::BinMaker(bins));
  }
}
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto histogram(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                      std::ptrdiff_t bins, std::pair<double, double> range) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E, W>()) {
    return order::WeightHistogram(x, weights, order::BinMaker(bins, range));
  }
}
template <typename E, typename DType, typename W, typename WType, int e1, int e2>
inline auto histogram(const Exp<E, DType, e1>& x, const Exp<W, WType, e2>& weights,
                      const std::vector<double>& edges) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E, W>()) {
    return order::WeightHistogram(x, weights, order::BinMaker(edges));
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_BINS_H_
