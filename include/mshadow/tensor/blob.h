// SPDX-License-Identifier: Apache-2.0
// TBlob: a tensor whose rank, device and element type are known at run time.
#ifndef MSHADOW_TENSOR_BLOB_H_
#define MSHADOW_TENSOR_BLOB_H_

#include <string>

#include "../core/dtype.h"
#include "tshape.h"
#include "view.h"

MSHADOW_NAMESPACE_BEGIN

/// A view as Tensor is, with the template parameters of Tensor as fields. It owns nothing and
/// computes nothing: get<Device, dim, DType>() gives the Tensor to compute with, and throws Error
/// where device, element type or number of axes are not those of the blob.
class TBlob {
 public:
  void* dptr_ = nullptr;
  TShape shape_;
  /// Elements from one row to the next.
  index_t stride_ = 0;
  /// kDevMask of the device that the memory belongs to.
  int dev_mask_ = cpu::kDevMask;
  /// TypeFlag of the elements.
  int type_flag_ = default_type_flag;

  TBlob() {}
  /// `dptr` seen as `shape`, without padding.
  template <typename DType>
  TBlob(DType* dptr, const TShape& shape, int dev_mask)
      : TBlob(dptr, shape, dev_mask, DataType<DType>::kFlag) {}
  TBlob(void* dptr, const TShape& shape, int dev_mask, int type_flag)
      : dptr_(dptr),
        shape_(shape),
        stride_(shape.ndim() == 0 ? 1 : shape[shape.ndim() - 1]),
        dev_mask_(dev_mask),
        type_flag_(type_flag) {}
  template <typename Device, int dim, typename DType>
  TBlob(const Tensor<Device, dim, DType>& src) {  // NOLINT: implicit as in 2.x
    *this = src;
  }
  template <typename Device, int dim, typename DType>
  TBlob& operator=(const Tensor<Device, dim, DType>& src) {
    shape_ = src.shape_;
    dptr_ = src.dptr_;
    stride_ = src.stride_;
    dev_mask_ = Device::kDevMask;
    type_flag_ = DataType<DType>::kFlag;
    return *this;
  }

  int dev_mask() const { return dev_mask_; }
  index_t ndim() const { return shape_.ndim(); }
  /// The extent of an axis; throws Error where there is no such axis.
  template <typename I = index_t>
  index_t size(I axis) const {
    MSHADOW_CHECK(mshadow::detail::Widened(axis) < static_cast<uint64_t>(ndim()))
        << "TBlob.size: axis " << mshadow::detail::Given(axis).Text() << " of shape " << shape_;
    return shape_[static_cast<index_t>(axis)];
  }
  /// The number of elements.
  size_t Size() const { return shape_.Size(); }
  /// Are rows packed without padding? A blob of one row always is.
  bool CheckContiguous() const { return ndim() <= 1 || shape_[ndim() - 1] == stride_; }

  /// The memory; throws Error where the elements are no DType.
  template <typename DType>
  DType* dptr() const {
    MSHADOW_CHECK_EQ(type_flag_, static_cast<int>(DataType<DType>::kFlag))
        << "TBlob: the elements are " << dtype_string(type_flag_) << ", asked for "
        << dtype_string(DataType<DType>::kFlag);
    return static_cast<DType*>(dptr_);
  }
  /// The same elements in another shape; throws Error unless it has as many and rows are packed.
  TBlob reshape(const TShape& shape) const {
    CheckFlat(shape);
    return TBlob(dptr_, shape, dev_mask_, type_flag_);
  }

  /// The Tensor of the same shape.
  template <typename Device, int dim, typename DType>
  Tensor<Device, dim, DType> get(Stream<Device>* stream = nullptr) const {
    return Tensor<Device, dim, DType>(On<Device, DType>(), shape_.get<dim>(), stride_, stream);
  }
  /// The elements as `shape`; throws Error unless it has as many and there is no padding.
  template <typename Device, int dim, typename DType>
  Tensor<Device, dim, DType> get_with_shape(const Shape<dim>& shape,
                                            Stream<Device>* stream = nullptr) const {
    CheckFlat(shape);
    return Tensor<Device, dim, DType>(On<Device, DType>(), shape, stream);
  }
  /// All elements in a line.
  template <typename Device, typename DType>
  Tensor<Device, 1, DType> FlatTo1D(Stream<Device>* stream = nullptr) const {
    return get_with_shape<Device, 1, DType>(Shape1(static_cast<index_t>(Size())), stream);
  }
  /// All axes but the last joined; rows may be padded.
  template <typename Device, typename DType>
  Tensor<Device, 2, DType> FlatTo2D(Stream<Device>* stream = nullptr) const {
    return Tensor<Device, 2, DType>(On<Device, DType>(), shape_.FlatTo2D(), stride_, stream);
  }
  /// The axes before, in, and after [axis_begin, axis_end] joined.
  template <typename Device, typename DType>
  Tensor<Device, 3, DType> FlatTo3D(index_t axis_begin, index_t axis_end,
                                    Stream<Device>* stream = nullptr) const {
    return get_with_shape<Device, 3, DType>(shape_.FlatTo3D(axis_begin, axis_end), stream);
  }
  template <typename Device, typename DType>
  Tensor<Device, 3, DType> FlatTo3D(index_t axis, Stream<Device>* stream = nullptr) const {
    return FlatTo3D<Device, DType>(axis, axis, stream);
  }
  /// `dim` axes: the leading ones joined where the blob has more, ones put before where it has
  /// fewer.
  template <typename Device, int dim, typename DType>
  Tensor<Device, dim, DType> FlatToKD(Stream<Device>* stream = nullptr) const {
    const int ndim = static_cast<int>(shape_.ndim());
    Shape<dim> shape;
    for (int i = 0; i < dim; ++i) {
      const int axis = ndim - dim + i;
      shape[i] = axis < 0 ? 1 : i == 0 ? shape_.ProdShape(0, axis + 1) : shape_[axis];
    }
    return get_with_shape<Device, dim, DType>(shape, stream);
  }

 private:
  static std::string DeviceText(int mask) {
    return mask == cpu::kDevMask   ? "cpu"
           : mask == gpu::kDevMask ? "gpu"
                                   : "device " + std::to_string(mask);
  }
  /// The memory as that of a Device; throws Error where device or element type are others.
  template <typename Device, typename DType>
  DType* On() const {
    MSHADOW_CHECK_EQ(dev_mask_, static_cast<int>(Device::kDevMask))
        << "TBlob: the memory is on the " << DeviceText(dev_mask_) << ", asked for the "
        << DeviceText(Device::kDevMask);
    return dptr<DType>();
  }
  static size_t Count(const TShape& shape) { return shape.Size(); }
  template <int dim>
  static size_t Count(const Shape<dim>& shape) {
    return static_cast<size_t>(shape.CheckedSize());
  }
  template <typename AnyShape>
  void CheckFlat(const AnyShape& shape) const {
    MSHADOW_CHECK(CheckContiguous())
        << "TBlob: shape " << shape << " asked for, but the rows of shape " << shape_
        << " are padded to " << stride_ << " elements";
    MSHADOW_CHECK_EQ(Size(), Count(shape)) << "TBlob: shape " << shape << " asked for, shape "
                                           << shape_ << " has another number of elements";
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_BLOB_H_
