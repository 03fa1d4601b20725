// SPDX-License-Identifier: Apache-2.0
// Sorted lanes on a device: their keys, their values, the places that they come from.
#ifndef MSHADOW_ORDER_DEVICE_SORT_H_
#define MSHADOW_ORDER_DEVICE_SORT_H_

#include "../key.h"
#include "primitives.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// keys[lane n + i] = the key of element i of a lane; places[..] = i, where they are wanted.
template <typename T, Zeros zeros>
struct KeysBody {
  using Bits = typename Key<T>::Bits;
  const T* in;
  Lanes lanes;
  Bits* keys;
  index_t* places;
  Bits flip;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t lane, std::ptrdiff_t i) const {
    const std::ptrdiff_t at = lane * lanes.n + i;
    keys[at] = Key<T>::template Of<zeros>(in[lanes.At(lane) + i * lanes.step], flip);
    if (places != nullptr) places[at] = static_cast<index_t>(i);
  }
};

/// The sorted keys of the lanes of a tensor, with the places in their lanes that they come from if
/// `kPlaces`; stable.
template <typename Device, typename T, Zeros zeros, bool kPlaces>
class SortedLanes {
 public:
  using Bits = typename Key<T>::Bits;
  template <int dim>
  SortedLanes(const Tensor<Device, dim, T>& t, int axis, bool ascending)
      : lanes_(t, axis),
        keys_(lanes_.count * lanes_.n, t.stream_),
        places_(kPlaces ? lanes_.count * lanes_.n : 0, t.stream_) {
    const std::ptrdiff_t size = lanes_.count * lanes_.n;
    const DeviceScratch<Device, Bits> unsorted(size, t.stream_);
    const DeviceScratch<Device, index_t> from(kPlaces ? size : 0, t.stream_);
    const Primitives<Device> primitives(t.stream_);
    ForLanes(primitives, lanes_, lanes_.n,
             KeysBody<T, zeros>{t.dptr_, lanes_, unsorted.data(), kPlaces ? from.data() : nullptr,
                                Key<T>::Flip(ascending)});
    if constexpr (kPlaces) {
      primitives.SortPairs(static_cast<const Bits*>(unsorted.data()), keys_.data(),
                           static_cast<const index_t*>(from.data()), places_.data(), lanes_.count,
                           lanes_.n, Key<T>::kWidth);
    } else {
      primitives.SortKeys(static_cast<const Bits*>(unsorted.data()), keys_.data(), lanes_.count,
                          lanes_.n, Key<T>::kWidth);
    }
  }
  const Lanes& lanes() const { return lanes_; }
  const Bits* keys() const { return keys_.data(); }
  const index_t* places() const { return places_.data(); }

 private:
  Lanes lanes_;
  DeviceScratch<Device, Bits> keys_;
  DeviceScratch<Device, index_t> places_;
};

template <typename T>
struct ValuesBody {
  const typename Key<T>::Bits* keys;
  std::ptrdiff_t n;
  typename Key<T>::Bits flip;
  T* out;
  Lanes to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t lane, std::ptrdiff_t i) const {
    out[to.At(lane) + i * to.step] = Key<T>::Value(keys[lane * n + i], flip);
  }
};
template <int dim, typename Device, typename T>
inline TensorContainer<Device, dim, T> SortOnDevice(const Tensor<Device, dim, T>& t, int axis,
                                                    bool ascending) {
  const SortedLanes<Device, T, Zeros::kApart, false> sorted(t, axis, ascending);
  auto out = Made<T>(t.shape_, t.stream_);
  const Lanes to(out, axis);
  ForLanes(Primitives<Device>(t.stream_), to, to.n,
           ValuesBody<T>{sorted.keys(), to.n, Key<T>::Flip(ascending), out.dptr_, to});
  return out;
}

struct PlacesBody {
  const index_t* places;
  std::ptrdiff_t n;
  int64_t* out;
  Lanes to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t lane, std::ptrdiff_t i) const {
    out[to.At(lane) + i * to.step] = static_cast<int64_t>(places[lane * n + i]);
  }
};
/// The places of the first m elements of each lane in sorted order.
template <int dim, typename Device, typename T>
inline TensorContainer<Device, dim, int64_t> PlacesOnDevice(const Tensor<Device, dim, T>& t,
                                                            int axis, index_t m, bool ascending) {
  const SortedLanes<Device, T, Zeros::kEqual, true> sorted(t, axis, ascending);
  Shape<dim> shape = t.shape_;
  shape[axis] = m;
  auto out = Made<int64_t>(shape, t.stream_);
  const Lanes to(out, axis);
  ForLanes(Primitives<Device>(t.stream_), to, to.n,
           PlacesBody{sorted.places(), sorted.lanes().n, out.dptr_, to});
  return out;
}

}  // namespace detail::order
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_DEVICE_SORT_H_
