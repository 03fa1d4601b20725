// SPDX-License-Identifier: Apache-2.0
// What the functions of <mshadow/index.h> are made of on devices other than the host.
#ifndef MSHADOW_ORDER_DEVICE_PRIMITIVES_H_
#define MSHADOW_ORDER_DEVICE_PRIMITIVES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "../../backend/gpu/primitives.h"
#include "../../backend/gpu/without_cuda.h"
#include "../../tensor/container.h"
#include "../lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// Names the primitives of a device, `Type(Stream<Device>*)`, all of them on that stream:
///   ForEach(rows, cols, body)                      body(y, x) for all y < rows, x < cols
///   SortKeys(keys, sorted, lanes, n, width)        sorts each n of lanes * n unsigned integers, of
///                                                  which `width` bits differ from 0
///   SortPairs(keys, sorted, places, sorted_places, lanes, n, width)
///                                                  the same, stable, and `places` along with them
///   Select(flags, n, places)                       the ascending i with flags[i]
///   InclusiveSum(in, out, n)                       out[i] = in[0] + .. + in[i]
///   T Reduce<T>(n, body)                           T() and all body(i), joined by T::Combine, in
///                                                  any order; waits
///   Count(n, bins, body, counts)                   ++counts[body(i)] for all i < n, unless it is
///   -1
/// Bodies run on the device: they are structs with an operator() MSHADOW_XINLINE.
template <typename Device>
struct PrimitivesOf;

#if MSHADOW_USE_CUDA && defined(__CUDACC__)
template <>
struct PrimitivesOf<gpu> {
  using Type = cuda::CubPrimitives;
};
#else
/// Has the functions, and says what is missing where they are called.
class AbsentPrimitives {
  template <typename... Args>
  static void Fail() {
#if MSHADOW_USE_CUDA
    static_assert(mshadow::detail::Never<Args...>::value,
                  "mshadow: the functions of <mshadow/index.h> on a Tensor<gpu, ...> are kernels; "
                  "compile this file with nvcc (as .cu)");
#else
    mshadow::detail::ThrowWithoutCuda();
#endif
  }

 public:
  explicit AbsentPrimitives(Stream<gpu>*) {}
#define MSHADOW_ABSENT_(name)       \
  template <typename... Args>       \
  void name(const Args&...) const { \
    Fail<Args...>();                \
  }
  MSHADOW_ABSENT_(ForEach)
  MSHADOW_ABSENT_(SortKeys)
  MSHADOW_ABSENT_(SortPairs)
  MSHADOW_ABSENT_(Select)
  MSHADOW_ABSENT_(InclusiveSum)
  MSHADOW_ABSENT_(Count)
#undef MSHADOW_ABSENT_
  template <typename T, typename... Args>
  T Reduce(const Args&...) const {
    Fail<T>();
    return T();
  }
};
template <>
struct PrimitivesOf<gpu> {
  using Type = AbsentPrimitives;
};
#endif

template <typename Device>
using Primitives = typename PrimitivesOf<Device>::Type;

/// Memory of n elements, without a value, for work on one stream.
template <typename Device, typename T>
class DeviceScratch {
 public:
  DeviceScratch(std::ptrdiff_t n, Stream<Device>* stream) : stream_(stream) {
    ExtentOf(n);
    data_ = static_cast<T*>(
        DeviceApi<Device>::AllocTemporary(static_cast<std::size_t>(n) * sizeof(T), stream));
  }
  /// Those of `elements`.
  DeviceScratch(const std::vector<T>& elements, Stream<Device>* stream)
      : DeviceScratch(static_cast<std::ptrdiff_t>(elements.size()), stream) {
    const std::size_t bytes = elements.size() * sizeof(T);
    DeviceApi<Device>::Copy2D(data_, bytes, elements.data(), bytes, bytes, 1, stream);
  }
  ~DeviceScratch() { DeviceApi<Device>::FreeTemporary(data_, stream_); }
  DeviceScratch(const DeviceScratch&) = delete;
  DeviceScratch& operator=(const DeviceScratch&) = delete;
  T* data() const { return data_; }
  Stream<Device>* stream() const { return stream_; }

 private:
  Stream<Device>* stream_;
  T* data_ = nullptr;
};

/// *from, after all work on the stream.
template <typename Device, typename T>
inline T ReadFrom(const T* from, Stream<Device>* stream) {
  T value;
  DeviceApi<Device>::Copy2D(&value, sizeof(T), from, sizeof(T), sizeof(T), 1, stream);
  if (stream != nullptr) stream->Wait();
  return value;
}

/// A container of `shape` without padding, on `stream`.
template <typename T, typename Device, int dim>
inline TensorContainer<Device, dim, T> Made(const Shape<dim>& shape, Stream<Device>* stream) {
  TensorContainer<Device, dim, T> made(false);
  made.stream_ = stream;
  made.Resize(shape);
  return made;
}
template <typename T, typename Device>
inline TensorContainer<Device, 1, T> Made(std::ptrdiff_t n, Stream<Device>* stream) {
  return Made<T>(Shape1(ExtentOf(n)), stream);
}
/// The first n elements of `from` as a container; on the device.
template <typename Device, typename T>
inline TensorContainer<Device, 1, T> Cut(const T* from, std::ptrdiff_t n, Stream<Device>* stream) {
  auto made = Made<T>(n, stream);
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  DeviceApi<Device>::Copy2D(made.dptr_, bytes, from, bytes, bytes, 1, stream);
  return made;
}

/// What runs on `next` from here on comes after all work on `done`. (The default stream, a null
/// pointer, and others wait for each other.)
template <typename Device>
inline void Join(Stream<Device>* done, Stream<Device>* next) {
  if (done != next && done != nullptr) done->Wait();
}

/// f(x's elements without padding, shape, stream).
template <typename E, typename DType, int etype, typename F>
inline auto OnDevice(const expr::Exp<E, DType, etype>& x, const F& f) {
  using Device = expr::detail::DeviceOf<E>;
  auto* const stream = expr::detail::StreamOf<Device>(x.self());
  return OnElements(x,
                    [&](const DType* data, const auto& shape) { return f(data, shape, stream); });
}

/// body(lane, i), with neighbouring threads at neighbouring elements of memory.
template <typename Body>
struct LanesBody {
  Body body;
  bool lanes_are_columns;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t y, std::ptrdiff_t x) const {
    body(lanes_are_columns ? x : y, lanes_are_columns ? y : x);
  }
};
/// body(lane, i) for n elements of each of `lanes`.
template <typename P, typename Body>
inline void ForLanes(const P& primitives, const Lanes& lanes, std::ptrdiff_t n, const Body& body) {
  const bool lanes_are_columns = lanes.step != 1;
  const LanesBody<Body> each{body, lanes_are_columns};
  if (lanes_are_columns) return primitives.ForEach(n, lanes.count, each);
  primitives.ForEach(lanes.count, n, each);
}
/// body(i) for i < n.
template <typename Body>
struct RowBody {
  Body body;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t, std::ptrdiff_t i) const { body(i); }
};
template <typename P, typename Body>
inline void ForRow(const P& primitives, std::ptrdiff_t n, const Body& body) {
  primitives.ForEach(1, n, RowBody<Body>{body});
}

template <typename T>
struct FillBody {
  T* to;
  T value;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const { to[i] = value; }
};
/// A vector of n elements `value`.
template <typename T, typename Device>
inline TensorContainer<Device, 1, T> Filled(std::ptrdiff_t n, T value, Stream<Device>* stream) {
  auto made = Made<T>(n, stream);
  ForRow(Primitives<Device>(stream), n, FillBody<T>{made.dptr_, value});
  return made;
}

/// The lowest i for which something holds, kNone if there is none.
struct Lowest {
  static constexpr int64_t kNone = INT64_MAX;
  int64_t at = kNone;
  MSHADOW_XINLINE static Lowest Combine(Lowest a, Lowest b) { return a.at < b.at ? a : b; }
};
struct Total {
  int64_t count = 0;
  MSHADOW_XINLINE static Total Combine(Total a, Total b) {
    a.count += b.count;
    return a;
  }
};

}  // namespace detail::order
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_DEVICE_PRIMITIVES_H_
