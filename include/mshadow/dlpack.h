// SPDX-License-Identifier: Apache-2.0
// Tensors of other libraries (NumPy, PyTorch, CuPy, ...) without a copy, by the protocol DLPack.
// https://dmlc.github.io/dlpack/latest/c_api.html
//
//   auto* managed = ToDLPack(std::move(x));            // x is a container; the reader frees it
//   DLPackTensor<cpu, 2> y(managed);                   // and here is a reader
//   y.tensor() += 1.0f;
//
// The structs of <dlpack/dlpack.h> serve as well as those below: ToDLPack<DLManagedTensor>(...).
#ifndef MSHADOW_DLPACK_H_
#define MSHADOW_DLPACK_H_

#include "core/letters_begin.inc"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/has_member.h"
#include "tensor.h"
#include "tensor_container.h"
#include "view.h"

MSHADOW_NAMESPACE_BEGIN

/// The structs of the protocol, whose layout is fixed.
namespace dlpack {

constexpr std::int32_t kDLCPU = 1, kDLCUDA = 2;
constexpr std::uint8_t kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLComplex = 5,
                       kDLBool = 6;
/// A flag of DLManagedTensorVersioned.
constexpr std::uint64_t kReadOnly = 1;

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C order without gaps
  std::uint64_t byte_offset;
};
/// Before version 1.0: what a Python capsule named "dltensor" holds.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};
/// Since version 1.0: what a capsule named "dltensor_versioned" holds.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

template <typename DType>
constexpr DLDataType TypeOf() {
  const std::uint8_t code = std::is_same_v<DType, bool>             ? kDLBool
                            : std::is_same_v<DType, bfloat::bf16_t> ? kDLBfloat
                            : kIsComplex<DType>                     ? kDLComplex
                            : std::is_unsigned_v<DType>             ? kDLUInt
                            : std::is_integral_v<DType>             ? kDLInt
                                                                    : kDLFloat;
  return DLDataType{code, static_cast<std::uint8_t>(8 * sizeof(DType)), 1};
}

MSHADOW_HAS_MEMBER_(IsVersioned, flags)

namespace detail {

/// A tensor that waits for its reader's deleter, and who owns its memory.
template <typename Managed, int dim, typename Owner>
struct Held {
  static constexpr std::size_t kAxes = dim > 0 ? dim : 1;
  Managed managed = Managed();
  std::int64_t shape[kAxes], strides[kAxes];
  Owner owner;
  explicit Held(Owner&& from) : owner(std::move(from)) {}
};

template <typename Managed, typename Owner, typename Device, int dim, typename DType>
Managed* Hold(const Tensor<Device, dim, DType>& t, Owner owner, int device_id) {
  using Element = std::remove_const_t<DType>;
  using Self = Held<Managed, dim, Owner>;
  Self* const held = new Self(std::move(owner));
  std::int64_t stride = 1;
  for (int axis = dim - 1; axis >= 0; --axis) {
    held->shape[axis] = static_cast<std::int64_t>(t.shape_[axis]);
    held->strides[axis] = stride;
    stride *= static_cast<std::int64_t>(axis == dim - 1 ? t.stride_ : t.shape_[axis]);
  }
  auto& tensor = held->managed.dl_tensor;
  tensor.data = const_cast<Element*>(t.dptr_);
  tensor.device.device_type =
      static_cast<decltype(tensor.device.device_type)>(Device::kDevCPU ? kDLCPU : kDLCUDA);
  tensor.device.device_id = device_id;
  tensor.ndim = dim;
  tensor.dtype.code = TypeOf<Element>().code;
  tensor.dtype.bits = TypeOf<Element>().bits;
  tensor.dtype.lanes = 1;
  tensor.shape = held->shape;
  tensor.strides = held->strides;
  tensor.byte_offset = 0;
  held->managed.manager_ctx = held;
  held->managed.deleter = [](Managed* self) { delete static_cast<Self*>(self->manager_ctx); };
  if constexpr (IsVersioned<Managed>::value) {
    held->managed.version.major = 1;
    held->managed.version.minor = 0;
    held->managed.flags = std::is_const_v<DType> ? kReadOnly : 0;
  } else {
    static_assert(!std::is_const_v<DType>,
                  "mshadow: before version 1.0 DLPack has no tensors that are only read");
  }
  return &held->managed;
}

}  // namespace detail
}  // namespace dlpack

/// Hands a container over: the reader calls the result's deleter when it needs it no more. Managed:
/// DLManagedTensorVersioned or DLManagedTensor, of this header or of <dlpack/dlpack.h>.
template <typename Managed = dlpack::DLManagedTensorVersioned, typename Device, int dim,
          typename DType>
inline Managed* ToDLPack(TensorContainer<Device, dim, DType>&& t, int device_id = 0) {
  const Tensor<Device, dim, DType> view = t;
  return dlpack::detail::Hold<Managed>(view, std::move(t), device_id);
}
/// A view for a reader. `owner` keeps the memory alive and is let go by the deleter; without one
/// the memory must outlive the reader.
template <typename Managed = dlpack::DLManagedTensorVersioned, typename Device, int dim,
          typename DType>
inline Managed* ToDLPack(const Tensor<Device, dim, DType>& t, std::shared_ptr<void> owner,
                         int device_id = 0) {
  return dlpack::detail::Hold<Managed>(t, std::move(owner), device_id);
}

namespace dlpack::detail {

/// What another library lends, of any strides; it is given back in the end.
template <typename Device, int dim, typename DType>
class Loan {
 public:
  /// Takes `managed` over. Throws Error, and does not take it, if it is on another device, has
  /// another rank or element type, or the memory is not aligned. What may only be read needs a
  /// const DType. accept(view): throws where the view does not do.
  template <typename Managed, typename F>
  Loan(Managed* managed, const F& accept) {
    CheckVersion(*managed);
    const auto& from = managed->dl_tensor;
    CheckElements(from);
    std::ptrdiff_t stride[dim > 0 ? dim : 1], contiguous = 1;
    for (int axis = dim - 1; axis >= 0; --axis) {
      const std::int64_t extent = from.shape[axis];
      if (extent < 0 || static_cast<std::uint64_t>(extent) > mshadow::detail::kMaxElements) {
        Fail("an extent of " + TextOf(from.shape) + " is none that index_t holds");
      }
      view_.shape_[axis] = static_cast<index_t>(extent);
      stride[axis] = from.strides == nullptr ? contiguous
                                             : static_cast<std::ptrdiff_t>(from.strides[axis]);
      contiguous *= static_cast<std::ptrdiff_t>(extent);
    }
    const bool is_empty = view_.shape_.CheckedSize() == 0;
    char* const data = static_cast<char*>(from.data) + from.byte_offset;
    if (!is_empty && reinterpret_cast<std::uintptr_t>(data) % alignof(DType) != 0) {
      Fail("the memory is not aligned to the " + std::to_string(alignof(DType)) +
           " bytes of an element");
    }
    view_ = View<Device, dim, DType>(reinterpret_cast<DType*>(data), view_.shape_, stride);
    accept(view_);
    managed_ = std::unique_ptr<void, void (*)(void*)>(managed, [](void* owned) {
      Managed* const self = static_cast<Managed*>(owned);
      if (self->deleter != nullptr) self->deleter(self);
    });
  }
  const View<Device, dim, DType>& view() const { return view_; }

  [[noreturn]] static void Fail(const std::string& why) { throw Error("DLPackTensor: " + why); }
  template <typename T>
  static std::string TextOf(const T* numbers) {
    std::string text = "(";
    for (int i = 0; i < dim; ++i) text += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
    return text + ")";
  }

 private:
  template <typename Managed>
  static void CheckVersion(const Managed& managed) {
    if constexpr (IsVersioned<Managed>::value) {
      if (managed.version.major != 1) {
        Fail("the tensor is one of DLPack " + std::to_string(managed.version.major) +
             ", version 1 is known");
      }
      if (!std::is_const_v<DType> && (managed.flags & kReadOnly) != 0) {
        Fail("the tensor is read-only; copy it, or ask for const elements");
      }
    }
  }
  template <typename From>
  static void CheckElements(const From& from) {
    constexpr DLDataType kType = dlpack::TypeOf<std::remove_const_t<DType>>();
    constexpr std::int32_t kDevice = Device::kDevCPU ? kDLCPU : kDLCUDA;
    const auto device = static_cast<std::int32_t>(from.device.device_type);
    const auto& type = from.dtype;
    if (device != kDevice) {
      Fail("the tensor is on a device of type " + std::to_string(device) + ", not on " +
           std::to_string(kDevice) + (Device::kDevCPU ? " (CPU)" : " (CUDA)"));
    }
    if (from.ndim != dim) {
      Fail("the tensor has rank " + std::to_string(from.ndim) + ", not " + std::to_string(dim));
    }
    if (type.code != kType.code || type.bits != kType.bits || type.lanes != 1) {
      Fail("the elements are of type " + NameOf(type) + ", not " + NameOf(kType));
    }
  }
  /// "float64"; several lanes are "float32x4".
  template <typename Type>
  static std::string NameOf(const Type& type) {
    constexpr const char* kNames[] = {"int", "uint", "float", "opaque", "bfloat", "complex",
                                       "bool"};
    const int code = type.code;
    const std::string name = code < 7 ? kNames[code] : "code " + std::to_string(code) + " ";
    const std::string lanes = type.lanes == 1 ? "" : "x" + std::to_string(type.lanes);
    return (code == kDLBool ? name : name + std::to_string(type.bits)) + lanes;
  }

  View<Device, dim, DType> view_;
  std::unique_ptr<void, void (*)(void*)> managed_{nullptr, [](void*) {}};
};

}  // namespace dlpack::detail

/// An array that another library lends, of any strides: slices, transposes, flips. Its memory is
/// given back in the end. Throws Error, and does not take `managed`, if it is on another device, has
/// another rank or element type, is not aligned, or may only be read, or repeats elements, and DType
/// is not const.
template <typename Device, int dim, typename DType = default_real_t>
class DLPackView {
 public:
  template <typename Managed>
  explicit DLPackView(Managed* managed) : loan_(managed, [](const auto&) {}) {}
  /// Valid as long as this object.
  const View<Device, dim, DType>& view() const { return loan_.view(); }

 private:
  dlpack::detail::Loan<Device, dim, DType> loan_;
};

/// The same as a Tensor, whose rows must be contiguous and their distance the same throughout.
template <typename Device, int dim, typename DType = default_real_t>
class DLPackTensor {
 public:
  template <typename Managed>
  explicit DLPackTensor(Managed* managed)
      : loan_(managed, [this](const View<Device, dim, DType>& view) {
          if constexpr (dim == 0) {
            tensor_ = view;
          } else {
            tensor_ = Tensor<Device, dim, DType>(view.dptr_, view.shape_, StrideOf(view), nullptr);
          }
        }) {}

  /// Valid as long as this object.
  Tensor<Device, dim, DType> tensor() const { return tensor_; }

 private:
  /// The distance of rows, if all strides are those of a Tensor. Axes of extent 1 have any stride.
  static index_t StrideOf(const View<Device, dim, DType>& from) {
    using Loan = dlpack::detail::Loan<Device, dim, DType>;
    const auto extent = [&](int axis) { return static_cast<std::ptrdiff_t>(from.shape_[axis]); };
    const std::ptrdiff_t width = extent(dim - 1);
    if (from.shape_.Size() == 0) return from.shape_[dim - 1];
    bool fits = width == 1 || from.stride_[dim - 1] == 1;
    std::ptrdiff_t stride = 0;  // unknown until an axis of more than one row tells
    std::ptrdiff_t rows = 1;    // rows in one step of the axis
    for (int axis = dim - 2; axis >= 0; --axis) {
      if (extent(axis) > 1) {
        if (stride == 0) stride = from.stride_[axis] / rows;
        fits = fits && stride >= width && from.stride_[axis] == stride * rows;
      }
      rows *= extent(axis);
    }
    if (stride == 0) stride = width;
    if (!fits || static_cast<std::uint64_t>(stride) > detail::kMaxElements) {
      Loan::Fail("a tensor of shape " + Loan::TextOf(from.shape_.shape_) + " with strides " +
                 Loan::TextOf(from.stride_) +
                 " is none of rows at one distance; make it contiguous first, or take it as a View");
    }
    return static_cast<index_t>(stride);
  }

  Tensor<Device, dim, DType> tensor_;
  dlpack::detail::Loan<Device, dim, DType> loan_;
};

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_DLPACK_H_
