// SPDX-License-Identifier: Apache-2.0
// Memory of tensors: AllocSpace, FreeSpace, NewTensor, Copy. Nothing here is implicit.
#ifndef MSHADOW_TENSOR_MEMORY_H_
#define MSHADOW_TENSOR_MEMORY_H_

#include "view.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {

/// Are rows padded where the program does not say?
template <typename Device>
constexpr bool kAllocPad = Device::kDevCPU ? MSHADOW_ALLOC_PAD : MSHADOW_GPU_ALLOC_PAD;

/// The bytes of `shape`; throws Error where index_t cannot count its elements, or where they exceed
/// the address space.
template <int dim>
inline std::size_t CheckByteSize(const char* who, const Shape<dim>& shape, std::size_t element) {
  const std::size_t size = static_cast<std::size_t>(shape.CheckedSize());
  if (!MSHADOW_LIKELY(size <= static_cast<std::size_t>(-1) / 2 / element)) {
    ThrowTooManyBytes(who, shape.shape_, dim);
  }
  return size * element;
}

}  // namespace detail

/// Allocates uninitialised memory for obj->shape_; sets dptr_ and stride_. `pad`: rows start at
/// multiples of 16 bytes (gpu: of 128, where they have 64 elements or more). Throws Error, and
/// changes nothing, where there is not enough memory.
template <int dim, typename DType, typename Device>
inline void AllocSpace(Tensor<Device, dim, DType>* obj, bool pad = detail::kAllocPad<Device>) {
  detail::CheckByteSize("AllocSpace", obj->shape_, sizeof(DType));
  const std::size_t rows = static_cast<std::size_t>(obj->shape_.CheckedProdShape(0, dim - 1));
  const std::size_t cols = static_cast<std::size_t>(obj->shape_[dim - 1]);
  // Padding adds less than 128 bytes to a row. MSize() counts it, so it must fit index_t.
  pad = pad && cols >= DeviceApi<Device>::kMinPaddedCols &&
        uint64_t{rows} * (cols + 128) <= detail::kMaxElements;
  std::size_t pitch = 0;
  void* const memory =
      DeviceApi<Device>::AllocPitch(&pitch, cols * sizeof(DType), rows, pad);
  obj->dptr_ = static_cast<DType*>(memory);
  obj->stride_ = static_cast<index_t>(pitch / sizeof(DType));
}

/// Gives back what AllocSpace took; dptr_ becomes nullptr.
template <int dim, typename DType, typename Device>
inline void FreeSpace(Tensor<Device, dim, DType>* obj) {
  DeviceApi<Device>::Free(obj->dptr_);
  obj->dptr_ = nullptr;
}

/// Allocates host memory without padding that copies fast to and from `Device`.
template <typename Device, int dim, typename DType>
inline void AllocHost(Tensor<cpu, dim, DType>* obj) {
  const std::size_t bytes = detail::CheckByteSize("AllocHost", obj->shape_, sizeof(DType));
  obj->dptr_ = static_cast<DType*>(DeviceApi<Device>::AllocHost(bytes));
  obj->stride_ = obj->shape_[dim - 1];
}

/// Gives back what AllocHost took; throws Error where there is nothing to give back.
template <typename Device, int dim, typename DType>
inline void FreeHost(Tensor<cpu, dim, DType>* obj) {
  MSHADOW_CHECK(obj->dptr_ != nullptr) << "FreeHost: the tensor has no memory";
  DeviceApi<Device>::FreeHost(obj->dptr_);
  obj->dptr_ = nullptr;
}

/// A new tensor with all elements `initv`; FreeSpace gives its memory back.
template <typename Device, typename DType, int dim>
inline Tensor<Device, dim, DType> NewTensor(const Shape<dim>& shape, DType initv, bool pad,
                                            Stream<Device>* stream = nullptr) {
  Tensor<Device, dim, DType> tensor(nullptr, shape, stream);
  AllocSpace(&tensor, pad);
  tensor = initv;
  return tensor;
}
template <typename Device, typename DType, int dim>
inline Tensor<Device, dim, DType> NewTensor(const Shape<dim>& shape, DType initv,
                                            Stream<Device>* stream = nullptr) {
  return NewTensor<Device, DType, dim>(shape, initv, detail::kAllocPad<Device>, stream);
}

namespace detail {

/// Where a copy from B to A runs: on the device that is not the host. Not deduced from the stream,
/// so that Copy takes nullptr and NULL.
template <typename A, typename B>
using CopyDevice = std::conditional_t<std::is_same_v<A, cpu>, B, A>;

template <typename A, typename B, int dim, typename DType, typename OnDevice>
inline void CopyRows(const Tensor<A, dim, DType>& dst, const Tensor<B, dim, DType>& src,
                     Stream<OnDevice>* stream) {
  if constexpr (dim == 0) {
    CopyRows(dst.FlatTo1D(), src.FlatTo1D(), stream);
  } else {
    const Shape<2> flat = src.shape_.CheckedFlatTo2D();
    const auto bytes = [](index_t elements) { return std::size_t(elements) * sizeof(DType); };
    DeviceApi<OnDevice>::Copy2D(dst.dptr_, bytes(dim == 1 ? flat[1] : dst.stride_), src.dptr_,
                                bytes(dim == 1 ? flat[1] : src.stride_), bytes(flat[1]),
                                std::size_t(flat[0]), stream);
  }
}

}  // namespace detail

/// dst[i] = src[i], between any two devices that the build knows. Throws Error where shapes differ.
/// With a GPU it is asynchronous on `stream`; without a stream it has finished on return.
template <int dim, typename DType, typename A, typename B>
inline void Copy(Tensor<A, dim, DType> dst, const Tensor<B, dim, DType>& src,
                 Stream<detail::CopyDevice<A, B>>* stream = nullptr) {
  MSHADOW_CHECK_EQ(dst.shape_, src.shape_) << "Copy:shape mismatch";
  detail::CopyRows(dst, src, stream);
}
template <int dim, typename DType, typename A, typename B>
inline void Copy(Tensor<A, dim, DType> dst, const Tensor<B, dim, const DType>& src,
                 Stream<detail::CopyDevice<A, B>>* stream = nullptr) {
  Copy(dst, detail::Unconst(src), stream);
}
/// Says in a sentence why a copy does not compile. (`...`: any call that fits is preferred.)
template <typename A, int dst_axes, typename T, typename B, int src_axes, typename U,
          typename = std::enable_if_t<dst_axes != src_axes ||
                                      !std::is_same_v<T, std::remove_const_t<U>>>>
inline void Copy(Tensor<A, dst_axes, T>, const Tensor<B, src_axes, U>&, ...) {
  static_assert(dst_axes == src_axes,
                "mshadow: Copy(dst, src): src has another number of axes than dst; FlatTo1D(), "
                "FlatTo2D() and t[i] are views with fewer");
  static_assert(dst_axes != src_axes || std::is_same_v<T, std::remove_const_t<U>>,
                "mshadow: Copy(dst, src): src has another element type than dst; "
                "dst = tcast<T>(src) converts it");
}
template <typename A, int dim, typename T, typename E, typename U, int etype>
inline void Copy(Tensor<A, dim, T>, const expr::Exp<E, U, etype>&, ...) {
  static_assert(sizeof(E) == 0,
                "mshadow: Copy(dst, src) copies from a tensor; dst = expression evaluates one");
}

namespace detail {

template <typename Device, int dim, typename DType>
class Temporary {
 public:
  Temporary(const Shape<dim>& shape, Stream<Device>* stream)
      : tensor_(static_cast<DType*>(DeviceApi<Device>::AllocTemporary(
                    CheckByteSize("Temporary", shape, sizeof(DType)), stream)),
                shape, stream) {}
  ~Temporary() { DeviceApi<Device>::FreeTemporary(tensor_.dptr_, tensor_.stream_); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  Tensor<Device, dim, DType>& tensor() { return tensor_; }
  const Tensor<Device, dim, DType>& tensor() const { return tensor_; }

 private:
  Tensor<Device, dim, DType> tensor_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_MEMORY_H_
