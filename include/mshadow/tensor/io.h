// SPDX-License-Identifier: Apache-2.0
// SaveBinary and LoadBinary: tensors in files. ToVector: elements in a std::vector.
//
// The format: the extents as they lie in memory (an index_t each, outermost first), then the
// elements, row after row, without the padding. No magic number, no element type, no rank.
#ifndef MSHADOW_TENSOR_IO_H_
#define MSHADOW_TENSOR_IO_H_

#include <cstring>
#include <type_traits>
#include <vector>

#include "memory.h"

MSHADOW_NAMESPACE_BEGIN

namespace utils {

/// A stream of bytes. Every type with these two members serves SaveBinary and LoadBinary.
class IStream {
 public:
  virtual ~IStream() {}
  /// Reads up to `size` bytes; returns how many, 0 at the end of the data.
  virtual size_t Read(void* ptr, size_t size) = 0;
  virtual void Write(const void* ptr, size_t size) = 0;
};

}  // namespace utils

namespace detail {

/// Reads `size` bytes, in as many pieces as the stream hands out; returns how many there were.
template <typename TStream>
inline std::size_t ReadUpTo(TStream& fi, void* to, std::size_t size) {
  std::size_t have = 0;
  while (have != size) {
    const std::size_t count =
        static_cast<std::size_t>(fi.Read(static_cast<char*>(to) + have, size - have));
    // A count above what was asked for is the -1 of a stream that failed.
    if (count == 0 || count > size - have) break;
    have += count;
  }
  return have;
}

/// Reads exactly `size` bytes.
template <typename TStream>
inline void ReadExactly(TStream& fi, void* to, std::size_t size) {
  const std::size_t have = ReadUpTo(fi, to, size);
  MSHADOW_CHECK_EQ(have, size) << "LoadBinary: the data end too early, " << size - have << " of "
                               << size << " bytes missing";
}

/// Host memory that grows as data arrive.
template <typename Device>
class HostBuffer {
 public:
  HostBuffer() {}
  ~HostBuffer() { DeviceApi<Device>::Free(memory_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  void* get() const { return memory_; }

  /// Reads `size` bytes. Memory is taken for what has arrived and as much again, and for
  /// kFirstStep at the start: a header may claim any size.
  template <typename TStream>
  void ReadFrom(TStream& fi, std::size_t size) {
    for (std::size_t used = 0; used != size;) {
      const std::size_t free = used == 0 ? kFirstStep : used;
      const std::size_t step = free < size - used ? free : size - used;
      Grow(used, used + step);
      ReadExactly(fi, static_cast<char*>(memory_) + used, step);
      used += step;
    }
  }

 private:
  static constexpr std::size_t kFirstStep = std::size_t(1) << 22;

  void Grow(std::size_t used, std::size_t size) {
    std::size_t pitch;
    void* const larger = DeviceApi<Device>::AllocPitch(&pitch, size, 1, false);
    if (used != 0) std::memcpy(larger, memory_, used);
    DeviceApi<Device>::Free(memory_);
    memory_ = larger;
  }

  void* memory_ = nullptr;
};

/// A tensor read from a stream, without padding, that owns its memory. `Host` is cpu, as a
/// parameter because a higher layer defines its memory functions.
template <typename Host, int dim, typename DType>
class LoadedTensor {
  static_assert(std::is_trivially_copyable_v<DType>,
                "mshadow: files hold the bytes of elements; this element type is more than bytes");

 public:
  /// `expected`: the shape that must be in the stream, or nullptr.
  template <typename TStream>
  LoadedTensor(TStream& fi, const Shape<dim>* expected) {
    Shape<dim>& shape = tensor_.shape_;
    ReadExactly(fi, shape.shape_, sizeof(shape.shape_));
    for (int i = 0; i < dim; ++i) {
      MSHADOW_CHECK_GE(static_cast<int64_t>(shape[i]), 0)
          << "LoadBinary: the data claim the shape " << shape;
    }
    if (expected != nullptr) {
      MSHADOW_CHECK_EQ(shape, *expected)
          << "LoadBinary: the tensor in the stream has another shape than "
             "the preallocated one";
    }
    buffer_.ReadFrom(fi, CheckByteSize("LoadBinary", shape, sizeof(DType)));
    tensor_.dptr_ = static_cast<DType*>(buffer_.get());
    tensor_.stride_ = shape[dim - 1];
  }
  const Tensor<Host, dim, DType>& tensor() const { return tensor_; }

 private:
  HostBuffer<Host> buffer_;
  Tensor<Host, dim, DType> tensor_;
};

/// dst = src between a device and the host, finished on return. The copy takes its turn on the
/// stream of the tensor on the device.
template <typename Device, typename A, typename B, int dim, typename DType>
inline void CopyAndWait(Tensor<A, dim, DType> dst, const Tensor<B, dim, DType>& src,
                        Stream<Device>* stream) {
  Stream<Device> default_stream;
  if (stream == nullptr) stream = &default_stream;
  Copy(dst, src, stream);
  stream->Wait();
}

}  // namespace detail

/// The elements of `t` in row-major order, without padding, also from a device.
template <typename Device, int dim, typename DType>
inline std::vector<std::remove_const_t<DType>> ToVector(const Tensor<Device, dim, DType>& t) {
  using Element = std::remove_const_t<DType>;
  const std::size_t size = static_cast<std::size_t>(t.shape_.CheckedSize());
  if constexpr (std::is_same_v<Element, bool>) {
    detail::Temporary<cpu, dim, bool> host(t.shape_, nullptr);
    detail::CopyAndWait(host.tensor(), detail::Unconst(t), t.stream_);
    return std::vector<bool>(host.tensor().dptr_, host.tensor().dptr_ + size);
  } else {
    std::vector<Element> elements(size);
    detail::CopyAndWait(Tensor<cpu, dim, Element>(elements.data(), t.shape_), detail::Unconst(t),
                        t.stream_);
    return elements;
  }
}

/// Writes `src` to `fo`: one Write for the shape, one for every row.
template <int dim, typename DType, typename TStream, typename Device>
inline void SaveBinary(TStream& fo, const Tensor<Device, dim, DType>& src) {
  static_assert(std::is_trivially_copyable_v<DType>,
                "mshadow: files hold the bytes of elements; this element type is more than bytes");
  if constexpr (Device::kDevCPU) {
    fo.Write(src.shape_.shape_, sizeof(src.shape_.shape_));
    if (src.shape_.CheckedSize() == 0) return;
    const Tensor<Device, 2, DType> rows = src.FlatTo2D();
    const std::ptrdiff_t stride = dim == 1 ? 0 : static_cast<std::ptrdiff_t>(rows.stride_);
    for (std::ptrdiff_t y = 0; y < static_cast<std::ptrdiff_t>(rows.shape_[0]); ++y) {
      fo.Write(rows.dptr_ + y * stride, sizeof(DType) * rows.shape_[1]);
    }
  } else {
    detail::Temporary<cpu, dim, std::remove_const_t<DType>> host(src.shape_, nullptr);
    detail::CopyAndWait(host.tensor(), detail::Unconst(src), src.stream_);
    SaveBinary(fo, host.tensor());
  }
}

/// Reads a tensor that SaveBinary wrote. `pre_alloc`: *dst has memory, and its shape is that in the
/// stream; otherwise dst's shape is set and memory allocated, which FreeSpace gives back. Throws
/// Error, and changes nothing, where the data end too early or their shape cannot be.
template <int dim, typename DType, typename TStream, typename Device>
inline void LoadBinary(TStream& fi, Tensor<Device, dim, DType>* dst, bool pre_alloc) {
  const detail::LoadedTensor<cpu, dim, DType> loaded(fi, pre_alloc ? &dst->shape_ : nullptr);
  if (pre_alloc) return detail::CopyAndWait(*dst, loaded.tensor(), dst->stream_);
  Tensor<Device, dim, DType> result(nullptr, loaded.tensor().shape_, dst->stream_);
  AllocSpace(&result);
  try {
    detail::CopyAndWait(result, loaded.tensor(), result.stream_);
  } catch (...) {
    FreeSpace(&result);
    throw;
  }
  *dst = result;
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_IO_H_
