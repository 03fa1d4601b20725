// SPDX-License-Identifier: Apache-2.0
// median, quantile, percentile, of all elements or along an axis.
#ifndef MSHADOW_ORDER_QUANTILE_H_
#define MSHADOW_ORDER_QUANTILE_H_

#include <cmath>
#include <vector>

#include "../core/argument.h"
#include "../extension/reshape.h"
#include "../op/reducer.h"
#include "device/sort.h"
#include "radix.h"

MSHADOW_NAMESPACE_BEGIN

/// How a quantile is taken where it lies between two elements, by NumPy's names. The first nine are
/// those of R. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
/// Statistician 50 (1996); https://numpy.org/doc/stable/reference/generated/numpy.quantile.html
enum class QuantileMethod {
  kInvertedCdf,
  kAveragedInvertedCdf,
  kClosestObservation,
  kInterpolatedInvertedCdf,
  kHazen,
  kWeibull,
  kLinear,
  kMedianUnbiased,
  kNormalUnbiased,
  kLower,
  kHigher,
  kMidpoint,
  kNearest,
};

namespace detail::order {

/// A quantile lies at sorted[low] + (sorted[low + 1] - sorted[low]) * part.
struct QuantilePlace {
  std::ptrdiff_t low;
  double part;
};

/// Where quantile q of n > 0 elements lies.
inline QuantilePlace PlaceOfQuantile(double q, std::ptrdiff_t n, QuantileMethod method) {
  using M = QuantileMethod;
  const double count = static_cast<double>(n);
  double at = q * (count - 1);  // from 0
  const auto continuous = [&](double alpha, double beta) {
    return count * q + (alpha + q * (1 - alpha - beta)) - 1;
  };
  switch (method) {
    case M::kInvertedCdf:
      at = std::ceil(count * q) - 1;
      break;
    case M::kAveragedInvertedCdf: {
      const double place = count * q;
      at = place == std::floor(place) ? place - 0.5 : std::floor(place);
      break;
    }
    case M::kClosestObservation: {
      // The nearest integer to n q - 1/2, counted from 1; of two the even one.
      const double place = count * q - 0.5, floor = std::floor(place);
      const bool stays = place == floor && std::fmod(floor, 2.0) == 0;
      at = (stays ? floor : floor + 1) - 1;
      break;
    }
    case M::kInterpolatedInvertedCdf:
      at = continuous(0, 1);
      break;
    case M::kHazen:
      at = continuous(0.5, 0.5);
      break;
    case M::kWeibull:
      at = continuous(0, 0);
      break;
    case M::kLinear:
      break;
    case M::kMedianUnbiased:
      at = continuous(1.0 / 3, 1.0 / 3);
      break;
    case M::kNormalUnbiased:
      at = continuous(3.0 / 8, 3.0 / 8);
      break;
    case M::kLower:
      at = std::floor(at);
      break;
    case M::kHigher:
      at = std::ceil(at);
      break;
    case M::kMidpoint:
      at = std::floor(at) == at ? at : std::floor(at) + 0.5;
      break;
    case M::kNearest: {
      const double floor = std::floor(at), part = at - floor;
      const bool up = part > 0.5 || (part == 0.5 && std::fmod(floor, 2.0) != 0);
      at = up ? floor + 1 : floor;
      break;
    }
  }
  if (!(at > 0)) return {0, 0};
  if (at >= count - 1) return {n - 1, 0};
  const double floor = std::floor(at);
  return {static_cast<std::ptrdiff_t>(floor), at - floor};
}

/// The type of quantiles of T, as NumPy's: double of integers.
template <typename T>
using QuantileOf = std::conditional_t<float16::kIsFloat<T>, T, double>;

/// a + (b - a) * part, for 0 <= part < 1.
template <typename Real>
MSHADOW_XINLINE Real Between(Real a, Real b, Real part) {
  if (part == 0 || a == b) return a;            // equal ones may be infinite
  if (part == Real(0.5)) return a / 2 + b / 2;  // the mean, which does not overflow
  const Real gap = b - a;
  if (!(gap <= red::limits::MaxValue<Real>())) return a * (Real(1) - part) + b * part;
  // From the nearer end, so that the result lies between both.
  return part < Real(0.5) ? a + gap * part : b - gap * (Real(1) - part);
}

/// Quantiles q[0], .., q[m - 1] of the n elements at `in`, to `out`; `keys` and `other` have room
/// for as many. NaN, and of nothing, is NaN.
template <typename DType>
inline void Quantiles(const DType* in, std::ptrdiff_t n, const double* q, std::ptrdiff_t m,
                      QuantileMethod method, typename Key<DType>::Bits* keys,
                      typename Key<DType>::Bits* other, QuantileOf<DType>* out) {
  using K = Key<DType>;
  using Bits = typename K::Bits;
  using Real = Accumulator<QuantileOf<DType>>;
  ToKeys<Zeros::kApart>(in, keys, n, Bits(0));
  bool has_nan = n == 0;
  if constexpr (K::kIsFloat) has_nan = has_nan || KeysBelow(keys, n, K::kAll) != n;
  constexpr std::ptrdiff_t kFew = 3;
  if (m > kFew && !has_nan) SortItemsTo(keys, keys, other, n, K::kWidth);
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    if (has_nan) {
      out[i] = static_cast<QuantileOf<DType>>(std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    const QuantilePlace place = PlaceOfQuantile(q[i], n, method);
    Bits at[2];
    if (m > kFew) {
      at[0] = keys[place.low];
      at[1] = keys[place.low + 1 < n ? place.low + 1 : place.low];
    } else {
      if (i > 0) ToKeys<Zeros::kApart>(in, keys, n, Bits(0));  // KeysOfRank overwrote them
      KeysOfRank(keys, other, n, place.low, at);
    }
    const Real a = static_cast<Real>(K::Value(at[0], Bits(0)));
    const Real b = static_cast<Real>(K::Value(at[1], Bits(0)));
    const Real part = static_cast<Real>(place.part);
    out[i] = static_cast<QuantileOf<DType>>(Between(a, b, part));
  }
}

/// out[.., i, ..] = quantile i of the sorted lane; NaN where an element is.
template <typename T>
struct QuantilesBody {
  const typename Key<T>::Bits* keys;
  std::ptrdiff_t n;
  const QuantilePlace* places;
  QuantileOf<T> nan;
  QuantileOf<T>* out;
  Lanes to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t lane, std::ptrdiff_t i) const {
    using K = Key<T>;
    using Real = Accumulator<QuantileOf<T>>;
    QuantileOf<T>& result = out[to.At(lane) + i * to.step];
    const typename K::Bits* const sorted = keys + lane * n;
    result = nan;
    if (n == 0) return;
    if (K::kIsFloat && sorted[n - 1] == K::kAll) return;
    const std::ptrdiff_t low = places[i].low, high = low + 1 < n ? low + 1 : low;
    result = static_cast<QuantileOf<T>>(Between(static_cast<Real>(K::Value(sorted[low], 0)),
                                                static_cast<Real>(K::Value(sorted[high], 0)),
                                                static_cast<Real>(places[i].part)));
  }
};
/// The quantiles q of each lane of t, into `out`: t's shape with as many elements along the axis.
template <int dim, typename Device, typename T>
inline void QuantilesOnDevice(const Tensor<Device, dim, T>& t, int axis,
                              const std::vector<double>& q, QuantileMethod method,
                              const Tensor<Device, dim, QuantileOf<T>>& out) {
  const SortedLanes<Device, T, Zeros::kApart, false> sorted(t, axis, true);
  const std::ptrdiff_t n = sorted.lanes().n;
  std::vector<QuantilePlace> places;
  for (const double part : q) {
    places.push_back(n == 0 ? QuantilePlace{0, 0} : PlaceOfQuantile(part, n, method));
  }
  const DeviceScratch<Device, QuantilePlace> on_device(places, t.stream_);
  const Lanes to(out, axis);
  ForLanes(Primitives<Device>(t.stream_), to, to.n,
           QuantilesBody<T>{sorted.keys(), n, on_device.data(),
                            static_cast<QuantileOf<T>>(std::numeric_limits<float>::quiet_NaN()),
                            out.dptr_, to});
}
template <int dim, typename Device, typename T>
inline TensorContainer<Device, dim, QuantileOf<T>> LaneQuantilesOnDevice(
    const Tensor<Device, dim, T>& t, const std::vector<double>& q, int axis,
    QuantileMethod method) {
  Shape<dim> shape = t.shape_;
  shape[axis] = ExtentOf(static_cast<std::ptrdiff_t>(q.size()));
  auto out = Made<QuantileOf<T>>(shape, t.stream_);
  QuantilesOnDevice<dim, Device, T>(t, axis, q, method, out);
  return out;
}
/// Those of all elements.
template <typename E, typename DType, int etype>
inline auto AllQuantilesOnDevice(const expr::Exp<E, DType, etype>& x, const std::vector<double>& q,
                                 QuantileMethod method) {
  using Device = expr::detail::DeviceOf<E>;
  return OnDevice(x, [&](const DType* data, const auto& shape, Stream<Device>* stream) {
    auto out = Made<QuantileOf<DType>>(static_cast<std::ptrdiff_t>(q.size()), stream);
    const Tensor<Device, 1, DType> all(const_cast<DType*>(data), Shape1(ExtentOf(SizeOf(shape))),
                                       stream);
    QuantilesOnDevice<1, Device, DType>(all, 0, q, method, out);
    return out;
  });
}

inline void CheckQuantiles(const char* function, const double* q, std::size_t m, double most) {
  for (std::size_t i = 0; i < m; ++i) {
    MSHADOW_CHECK(q[i] >= 0 && q[i] <= most)
        << function << ": q = " << q[i] << " is not between 0 and " << most;
  }
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// The quantiles of all elements.
template <typename E, typename DType, int etype>
inline Vector<QuantileOf<DType>> AllQuantiles(const expr::Exp<E, DType, etype>& x,
                                              const std::vector<double>& q, QuantileMethod method) {
  using Bits = typename Key<DType>::Bits;
  return OnElements(x, [&](const DType* data, const auto& shape) {
    const std::ptrdiff_t n = SizeOf(shape), m = static_cast<std::ptrdiff_t>(q.size());
    auto result = Empty<QuantileOf<DType>>(m);
    const Scratch<Bits> keys(n), other(n);
    Quantiles(data, n, q.data(), m, method, keys.data(), other.data(), result.dptr_);
    return result;
  });
}
/// x (.., n, ..) -> (.., m, ..), the quantiles of each lane.
template <int dim, typename DType>
inline TensorContainer<cpu, dim, QuantileOf<DType>> LaneQuantiles(const Tensor<cpu, dim, DType>& x,
                                                                  const std::vector<double>& q,
                                                                  int axis, QuantileMethod method) {
  using Bits = typename Key<DType>::Bits;
  const auto n = static_cast<std::ptrdiff_t>(x.shape_[axis]);
  const auto m = static_cast<std::ptrdiff_t>(q.size());
  return FromLanes<QuantileOf<DType>>(x, axis, static_cast<index_t>(m), [&] {
    return [&, keys = Scratch<Bits>(n), other = Scratch<Bits>(n)](const DType* in,
                                                                  QuantileOf<DType>* out) {
      Quantiles(in, n, q.data(), m, method, keys.data(), other.data(), out);
    };
  });
}
/// The quantile of each lane, without the axis.
template <typename E, typename DType, int etype>
inline auto AxisQuantile(const char* function, const expr::Exp<E, DType, etype>& x, double q,
                         int axis, QuantileMethod method) {
  constexpr int dim = expr::ExpInfo<E>::kDim;
  static_assert(dim != 1,
                "mshadow: the quantile of a vector is a number: median(x), "
                "quantile(x, q), percentile(x, q) without an axis");
  if constexpr (dim > 1) {
    using Device = expr::detail::DeviceOf<E>;
    axis = expr::detail::CheckAxis(function, axis, dim);
    return OnTensor(x, [&](const Tensor<Device, dim, DType>& t) {
      Shape<dim - 1> shape;
      for (int a = 0, b = 0; a < dim; ++a) {
        if (a != axis) shape[b++] = t.shape_[a];
      }
      if constexpr (IsHost<E>()) {
        const auto kept = LaneQuantiles(t, {q}, axis, method);
        return TensorContainer<cpu, dim - 1, QuantileOf<DType>>(expr::reshape(kept, shape));
      } else {
        auto out = Made<QuantileOf<DType>>(shape, t.stream_);
        Shape<dim> kept = t.shape_;
        kept[axis] = 1;
        QuantilesOnDevice(t, axis, {q}, method,
                          Tensor<Device, dim, QuantileOf<DType>>(out.dptr_, kept, t.stream_));
        return out;
      }
    });
  }
}
inline std::vector<double> Hundredths(const std::vector<double>& q) {
  std::vector<double> parts;
  for (double percent : q) parts.push_back(percent / 100);
  return parts;
}

}  // namespace MSHADOW_THREADS_NAMESPACE

}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// The quantile q of all elements of x, 0 <= q <= 1: the value at (n - 1) q of the n sorted ones,
/// or as `method` says. A number of x's type, of integers a double. NaN where an element is NaN,
/// and of nothing. Throws Error where q is out of range.
template <typename E, typename DType, int etype>
inline auto quantile(const Exp<E, DType, etype>& x, double q,
                     QuantileMethod method = QuantileMethod::kLinear) {
  namespace order = mshadow::detail::order;
  order::CheckQuantiles("quantile", &q, 1, 1);
  if constexpr (order::IsHost<E>()) {
    return order::QuantileOf<DType>(order::AllQuantiles(x, {q}, method)[0]);
  } else if constexpr (order::IsDevice<E>()) {
    const auto one = order::AllQuantilesOnDevice(x, {q}, method);
    return order::ReadFrom(static_cast<const order::QuantileOf<DType>*>(one.dptr_), one.stream_);
  }
}
/// The quantiles q of all elements, a vector of as many: quantile(x, {0.25, 0.5, 0.75}).
template <typename E, typename DType, int etype>
inline auto quantile(const Exp<E, DType, etype>& x, const std::vector<double>& q,
                     QuantileMethod method = QuantileMethod::kLinear) {
  namespace order = mshadow::detail::order;
  order::CheckQuantiles("quantile", q.data(), q.size(), 1);
  if constexpr (order::IsHost<E>()) return order::AllQuantiles(x, q, method);
  if constexpr (order::IsDevice<E>()) return order::AllQuantilesOnDevice(x, q, method);
}
/// The quantile q along `axis`; x -> its shape without the axis. Throws Error where q is out of
/// range, or the axis is none of x.
template <typename E, typename DType, int etype>
inline auto quantile(const Exp<E, DType, etype>& x, double q, int axis,
                     QuantileMethod method = QuantileMethod::kLinear) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    order::CheckQuantiles("quantile", &q, 1, 1);
    return order::AxisQuantile("quantile", x, q, axis, method);
  }
}
/// The quantiles q along `axis`; x -> its shape with as many elements along the axis as q has.
/// (NumPy puts them in front.)
template <typename E, typename DType, int etype>
inline auto quantile(const Exp<E, DType, etype>& x, const std::vector<double>& q, int axis,
                     QuantileMethod method = QuantileMethod::kLinear) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    order::CheckQuantiles("quantile", q.data(), q.size(), 1);
    axis = detail::CheckAxis("quantile", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      if constexpr (order::IsHost<E>()) {
        return order::LaneQuantiles(t, q, axis, method);
      } else {
        return order::LaneQuantilesOnDevice(t, q, axis, method);
      }
    });
  }
}

/// quantile(x, q / 100, ..), 0 <= q <= 100, in all its forms.
template <typename E, typename DType, int etype, typename... Rest>
inline auto percentile(const Exp<E, DType, etype>& x, double q, const Rest&... rest) {
  mshadow::detail::order::CheckQuantiles("percentile", &q, 1, 100);
  return quantile(x, q / 100, rest...);
}
template <typename E, typename DType, int etype, typename... Rest>
inline auto percentile(const Exp<E, DType, etype>& x, const std::vector<double>& q,
                       const Rest&... rest) {
  mshadow::detail::order::CheckQuantiles("percentile", q.data(), q.size(), 100);
  return quantile(x, mshadow::detail::order::Hundredths(q), rest...);
}

/// The middle element of all of x in sorted order, or the mean of the two in the middle: a number
/// of x's type, of integers a double. NaN where an element is NaN, and of nothing.
template <typename E, typename DType, int etype>
inline auto median(const Exp<E, DType, etype>& x) {
  return quantile(x, 0.5);
}
/// The median along `axis`; x -> its shape without the axis. Throws Error where it is none of x.
template <typename E, typename DType, int etype>
inline auto median(const Exp<E, DType, etype>& x, int axis) {
  namespace order = mshadow::detail::order;
  if constexpr (order::Runs<E>()) {
    return order::AxisQuantile("median", x, 0.5, axis, QuantileMethod::kLinear);
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_QUANTILE_H_
