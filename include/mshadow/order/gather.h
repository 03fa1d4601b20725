// SPDX-License-Identifier: Apache-2.0
// take_along_axis, put_along_axis, take of any axis.
#ifndef MSHADOW_ORDER_GATHER_H_
#define MSHADOW_ORDER_GATHER_H_

#include <utility>

#include "../core/argument.h"
#include "device/primitives.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// Throws Error where the value of `index` at `i` is none of n.
[[noreturn]] MSHADOW_COLD inline void ThrowIndex(const char* function, long long index,
                                                 std::ptrdiff_t n) {
  throw Error(std::string(function) + ": index " + std::to_string(index) +
              " is out of range: the axis has " + std::to_string(n) + " elements");
}
/// `index` as a number, counted from the end where it is negative: in [0, n) unless it is out of
/// range.
template <typename I>
MSHADOW_XINLINE std::ptrdiff_t FromEnd(I index, std::ptrdiff_t n) {
  static_assert(std::is_integral_v<I> && !std::is_same_v<I, bool>,
                "mshadow: indices are integers: tcast<int>(e) converts, select(x, mask) takes "
                "a mask");
  const auto wide = static_cast<int64_t>(index);
  return static_cast<std::ptrdiff_t>(std::is_signed_v<I> && wide < 0 ? wide + n : wide);
}
/// `index` as a number in [0, n). Throws Error where it is none.
template <typename I>
inline std::ptrdiff_t PlaceOf(const char* function, I index, std::ptrdiff_t n) {
  const std::ptrdiff_t place = FromEnd(index, n);
  if (!MSHADOW_LIKELY(place >= 0 && place < n)) {
    ThrowIndex(function, static_cast<long long>(index), n);
  }
  return place;
}

/// Throws Error unless the shapes agree in all axes but `axis`.
template <int dim>
inline void CheckAlong(const char* function, const Shape<dim>& x, const Shape<dim>& index,
                       int axis) {
  Shape<dim> fits = x;
  fits[axis] = index[axis];
  MSHADOW_CHECK_EQ(index, fits) << function << ": the index " << LogText(index) << " and x "
                                << LogText(x) << " differ in more than axis " << axis;
}

/// Throws Error where an index of `index` is none of n.
template <int dim, typename I>
inline void CheckPlaces(const char* function, const Tensor<cpu, dim, I>& index, std::ptrdiff_t n) {
  const Lanes rows(index, dim - 1);
  for (std::ptrdiff_t row = 0; row < rows.count; ++row) {
    const I* const places = index.dptr_ + rows.At(row);
    for (std::ptrdiff_t i = 0; i < rows.n; ++i) PlaceOf(function, places[i], n);
  }
}

/// The first element of `index` that is none of n, in row-major order.
template <typename I>
struct BadIndexBody {
  const I* index;
  Lanes rows;
  std::ptrdiff_t n;
  MSHADOW_XINLINE const I* At(std::ptrdiff_t i) const {
    return index + rows.At(i / rows.n) + i % rows.n;
  }
  MSHADOW_XINLINE Lowest operator()(std::ptrdiff_t i) const {
    const std::ptrdiff_t place = FromEnd(*At(i), n);
    Lowest lowest;
    if (place < 0 || place >= n) lowest.at = i;
    return lowest;
  }
};
template <typename Device, int dim, typename I>
inline void CheckPlaces(const char* function, const Tensor<Device, dim, I>& index,
                        std::ptrdiff_t n) {
  const BadIndexBody<I> body{index.dptr_, Lanes(index, dim - 1), n};
  const auto bad = Primitives<Device>(index.stream_)
                       .template Reduce<Lowest>(body.rows.count * body.rows.n, body);
  if (bad.at == Lowest::kNone) return;
  const I* const at = body.At(static_cast<std::ptrdiff_t>(bad.at));
  ThrowIndex(function, static_cast<long long>(ReadFrom(at, index.stream_)), n);
}

/// x[.., index[.., i, ..], ..] = other[.., i, ..] if `kPut`, or the other way round.
template <typename DType, typename I, bool kPut>
struct AlongBody {
  DType* x;
  Lanes in;
  const I* index;
  Lanes by;
  DType* other;
  Lanes out;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t lane, std::ptrdiff_t i) const {
    const std::ptrdiff_t place = FromEnd(index[by.At(lane) + i * by.step], in.n);
    DType& a = x[in.At(lane) + place * in.step];
    DType& b = other[out.At(lane) + i * out.step];
    if constexpr (kPut) {
      a = b;
    } else {
      b = a;
    }
  }
};
template <bool kPut, typename Device, int dim, typename DType, typename I>
inline void AlongOnDevice(const Tensor<Device, dim, DType>& x, const Tensor<Device, dim, I>& index,
                          const Tensor<Device, dim, DType>& other, int axis) {
  const Lanes out(other, axis);
  ForLanes(Primitives<Device>(x.stream_), out, out.n,
           AlongBody<DType, I, kPut>{x.dptr_, Lanes(x, axis), index.dptr_, Lanes(index, axis),
                                     other.dptr_, out});
}
/// The elements of x at indices that are in range.
template <typename Device, int dim, typename DType, typename I>
inline TensorContainer<Device, dim, DType> TakeChecked(const Tensor<Device, dim, DType>& x,
                                                       const Tensor<Device, dim, I>& index,
                                                       int axis) {
  auto out = Made<DType>(index.shape_, x.stream_);
  AlongOnDevice<false, Device, dim, DType, I>(x, index, out, axis);
  return out;
}
template <typename Device, int dim, typename DType, typename I>
inline TensorContainer<Device, dim, DType> TakeAlong(const char* function,
                                                     const Tensor<Device, dim, DType>& x,
                                                     const Tensor<Device, dim, I>& index,
                                                     int axis) {
  CheckAlong(function, x.shape_, index.shape_, axis);
  CheckPlaces(function, index, static_cast<std::ptrdiff_t>(x.shape_[axis]));
  return TakeChecked(x, index, axis);
}

/// out[.., i, ..] = x[.., index[i], ..].
template <typename DType, typename I>
struct TakeBody {
  const DType* x;
  Lanes from;
  const I* index;
  DType* out;
  Lanes to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t lane, std::ptrdiff_t i) const {
    out[to.At(lane) + i * to.step] = x[from.At(lane) + FromEnd(index[i], from.n) * from.step];
  }
};
template <typename Device, int dim, typename DType, typename I>
inline TensorContainer<Device, dim, DType> Take(const Tensor<Device, dim, DType>& x,
                                                const Tensor<Device, 1, I>& index, int axis) {
  CheckPlaces("take", index, static_cast<std::ptrdiff_t>(x.shape_[axis]));
  Shape<dim> shape = x.shape_;
  shape[axis] = index.shape_[0];
  auto out = Made<DType>(shape, x.stream_);
  const Lanes to(out, axis);
  ForLanes(Primitives<Device>(x.stream_), to, to.n,
           TakeBody<DType, I>{x.dptr_, Lanes(x, axis), index.dptr_, out.dptr_, to});
  return out;
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// f(&x[.., index[.., i, ..], ..], &other[.., i, ..]) for each element of `index`.
template <int dim, typename I, typename DType, typename F>
inline void ForEachAlong(const char* function, const Tensor<cpu, dim, DType>& x,
                         const Tensor<cpu, dim, I>& index, const Tensor<cpu, dim, DType>& other,
                         int axis, const F& f) {
  const Lanes in(x, axis), by(index, axis), out(other, axis);
  constexpr std::ptrdiff_t kGrain = 1 << 14;
  ParallelRanges(by.count, kGrain / (by.n + 1) + 1, [&](std::ptrdiff_t lane, std::ptrdiff_t end) {
    for (; lane < end; ++lane) {
      DType *const a = x.dptr_ + in.At(lane), *const b = other.dptr_ + out.At(lane);
      const I* const places = index.dptr_ + by.At(lane);
      for (std::ptrdiff_t i = 0; i < by.n; ++i) {
        f(a + PlaceOf(function, places[i * by.step], in.n) * in.step, b + i * out.step);
      }
    }
  });
}
template <int dim, typename DType, typename I>
inline TensorContainer<cpu, dim, DType> TakeAlong(const char* function,
                                                  const Tensor<cpu, dim, DType>& x,
                                                  const Tensor<cpu, dim, I>& index, int axis) {
  CheckAlong(function, x.shape_, index.shape_, axis);
  auto out = Empty<DType>(index.shape_);
  ForEachAlong(function, x, index, static_cast<const Tensor<cpu, dim, DType>&>(out), axis,
               [](const DType* from, DType* to) { *to = *from; });
  return out;
}
/// out[.., i, ..] = x[.., index[i], ..], in rows of memory where `axis` is not the last.
template <int dim, typename DType, typename I>
inline TensorContainer<cpu, dim, DType> Take(const Tensor<cpu, dim, DType>& x,
                                             const Tensor<cpu, 1, I>& index, int axis) {
  const auto n = static_cast<std::ptrdiff_t>(x.shape_[axis]);
  CheckPlaces("take", index, n);
  Shape<dim> shape = x.shape_;
  shape[axis] = index.shape_[0];
  auto out = Empty<DType>(shape);
  const Lanes from(x, axis), to(out, axis);
  if (from.count == 0 || to.n == 0) return out;
  const std::ptrdiff_t rows = from.rows, cols = from.cols;
  constexpr std::ptrdiff_t kGrain = 1 << 14;
  ParallelRanges(from.count / (rows * cols), kGrain / (rows * cols * to.n) + 1,
                 [&](std::ptrdiff_t outer, std::ptrdiff_t end) {
                   for (; outer < end; ++outer) {
                     const DType* const source = x.dptr_ + outer * from.outer_step;
                     DType* const target = out.dptr_ + outer * to.outer_step;
                     for (std::ptrdiff_t i = 0; i < to.n; ++i) {
                       const std::ptrdiff_t place =
                           PlaceOf("take", index.dptr_[static_cast<std::size_t>(i)], n);
                       for (std::ptrdiff_t y = 0; y < rows; ++y) {
                         const DType* const a = source + place * from.step + y * from.row_step;
                         DType* const b = target + i * to.step + y * to.row_step;
                         for (std::ptrdiff_t c = 0; c < cols; ++c) b[c] = a[c];
                       }
                     }
                   }
                 });
  return out;
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// out[.., i, ..] = x[.., index[.., i, ..], ..] along `axis`: what argsort, argpartition and topk
/// return takes the elements. x, index -> the shape of index, which differs from that of x in
/// `axis` alone. A negative index counts from the end. Throws Error where the shapes do not fit, or
/// where an index is out of range.
template <typename E, typename I, typename DType, typename IType, int e1, int e2>
inline auto take_along_axis(const Exp<E, DType, e1>& x, const Exp<I, IType, e2>& index, int axis) {
  namespace order = mshadow::detail::order;
  static_assert(ExpInfo<E>::kDim == ExpInfo<I>::kDim,
                "mshadow: take_along_axis: x and index have as many axes");
  if constexpr (order::Runs<E, I>() && ExpInfo<E>::kDim == ExpInfo<I>::kDim) {
    axis = detail::CheckAxis("take_along_axis", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      return order::OnTensor(index, [&](const auto& places) {
        return order::TakeAlong("take_along_axis", t, places, axis);
      });
    });
  }
}

/// x[.., index[.., i, ..], ..] = values[.., i, ..] along `axis`; index and values have one shape,
/// which differs from that of x in `axis` alone. The last of equal indices counts, on a GPU any of
/// them. Throws Error as take_along_axis does, before anything is written.
template <typename Device, int dim, typename DType, typename I, typename IType, typename V,
          typename VType, int e1, int e2>
inline void put_along_axis(Tensor<Device, dim, DType> x, const Exp<I, IType, e1>& index,
                           const Exp<V, VType, e2>& values, int axis) {
  namespace order = mshadow::detail::order;
  static_assert(ExpInfo<I>::kDim == dim && ExpInfo<V>::kDim == dim,
                "mshadow: put_along_axis: x, index and values have as many axes");
  if constexpr (order::AreOfOneType<DType, VType>() &&
                order::Runs<Tensor<Device, dim, DType>, I, V>() && ExpInfo<I>::kDim == dim &&
                ExpInfo<V>::kDim == dim) {
    using Places = Tensor<Device, dim, IType>;
    using Values = Tensor<Device, dim, DType>;
    axis = detail::CheckAxis("put_along_axis", axis, dim);
    // Copies: what is written may be read by the expressions.
    const TensorContainer<Device, dim, IType> places(index);
    const TensorContainer<Device, dim, DType> written(values);
    order::CheckAlong("put_along_axis", x.shape_, places.shape_, axis);
    MSHADOW_CHECK_EQ(written.shape_, places.shape_)
        << "put_along_axis: shape mismatch of values and index";
    order::CheckPlaces("put_along_axis", static_cast<const Places&>(places),
                       static_cast<std::ptrdiff_t>(x.shape_[axis]));
    if constexpr (Device::kDevCPU) {
      order::ForEachAlong("put_along_axis", x, static_cast<const Places&>(places),
                          static_cast<const Values&>(written), axis,
                          [](DType* to, const DType* from) { *to = *from; });
    } else {
      order::Join(written.stream_, x.stream_);
      order::AlongOnDevice<true>(x, static_cast<const Places&>(places),
                                 static_cast<const Values&>(written), axis);
    }
  }
}

/// out[.., i, ..] = x[.., index[i], ..] along `axis`; index (n) of integers, x -> its shape with
/// extent n along the axis. A negative index counts from the end. Throws Error where the axis is
/// none of x, or where an index is out of range. (take(index, x), without an axis, clips indices,
/// is an expression.)
template <typename I, typename E, typename IType, typename DType, int e1, int e2>
inline auto take(const Exp<I, IType, e1>& index, const Exp<E, DType, e2>& x, int axis) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsVector<I>() && order::Runs<I, E>()) {
    axis = detail::CheckAxis("take", axis, ExpInfo<E>::kDim);
    return order::OnTensor(x, [&](const auto& t) {
      return order::OnTensor(index,
                             [&](const auto& places) { return order::Take(t, places, axis); });
    });
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_GATHER_H_
