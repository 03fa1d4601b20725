// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_INTEROP_STORED_ARRAY_H_
#define MSHADOW_INTEROP_STORED_ARRAY_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/dtype.h"
#include "../tensor/container.h"
#include "bytes.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

template <int dim>
std::size_t Extent(const Shape<dim>& shape, int axis) {
  return static_cast<std::size_t>(shape[axis]);
}
template <int dim>
std::size_t SizeOf(const Shape<dim>& shape) {
  return static_cast<std::size_t>(shape.CheckedSize());
}

/// An array in the bytes of a file, which outlive it. Read copies it into a tensor, View is a
/// tensor in these bytes. Both throw Error where rank or element type are not those of the file.
class StoredArray {
 public:
  struct Layout {
    int type = 0;              // a TypeFlag
    bool swapped = false;      // the bytes of an element are in reverse order
    bool fortran_order = false;  // the first index runs fastest
    std::vector<std::uint64_t> shape;
  };
  /// `name` is for messages. bytes: elements of the layout's size, checked by the caller.
  StoredArray(std::string name, const unsigned char* bytes, Layout layout)
      : name_(std::move(name)), bytes_(bytes), layout_(std::move(layout)) {}

  /// The TypeFlag of the elements.
  int type() const { return layout_.type; }
  const std::vector<std::uint64_t>& shape() const { return layout_.shape; }
  bool fortran_order() const { return layout_.fortran_order; }

  template <int dim, typename DType = default_real_t>
  TensorContainer<cpu, dim, DType> Read() const {
    const Shape<dim> shape = CheckedShape<dim, DType>("Read");
    TensorContainer<cpu, dim, DType> result(shape);
    const Shape<2> flat = shape.FlatTo2D();
    const std::size_t width = Extent(flat, 1);
    const std::size_t rows = width == 0 ? 0 : Extent(flat, 0);
    std::size_t step = 1;  // from an element to the next of its row, in the file
    if (layout_.fortran_order) {
      for (int axis = 0; axis < dim - 1; ++axis) step *= Extent(shape, axis);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      DType* const to = result.dptr_ + row * static_cast<std::size_t>(result.stride_);
      const unsigned char* from = bytes_ + Offset(shape, row) * sizeof(DType);
      for (std::size_t x = 0; x < (step == 1 ? 0 : width); ++x) {
        Copy(to + x, from + x * step * sizeof(DType), 1);
      }
      if (step == 1) Copy(to, from, width);
    }
    return result;
  }

  /// A tensor in the bytes of the file. Throws Error also where these are not as a tensor has them:
  /// in C order, in the byte order of this machine, and aligned.
  template <int dim, typename DType = default_real_t>
  Tensor<cpu, dim, const DType> View() const {
    const Shape<dim> shape = CheckedShape<dim, DType>("View");
    const char* const other =
        layout_.swapped                ? "the bytes of its elements are in the other order"
        : layout_.fortran_order && dim > 1 ? "it is in Fortran order"
        : reinterpret_cast<std::uintptr_t>(bytes_) % alignof(DType) != 0 ? "it is not aligned"
                                                                         : nullptr;
    if (other != nullptr) {
      throw Error(name_ + " cannot be viewed in place, " + other + "; Read copies it");
    }
    if constexpr (std::is_same_v<DType, bool>) {
      for (std::size_t i = 0; i < SizeOf(shape); ++i) {
        if (bytes_[i] > 1) throw Error(name_ + " holds a bool that is neither 0 nor 1");
      }
    }
    return Tensor<cpu, dim, const DType>(reinterpret_cast<const DType*>(bytes_), shape);
  }

 private:
  template <int dim, typename DType>
  Shape<dim> CheckedShape(const char* caller) const {
    if (layout_.type != DataType<DType>::kFlag) {
      throw Error(name_ + " holds elements of type " + dtype_string(layout_.type) + ", not " +
                  dtype_string(DataType<DType>::kFlag) + "; the type is the second argument of " +
                  caller + "<rank, type>");
    }
    const std::size_t rank = layout_.shape.size();
    if (rank != dim && !(rank == 0 && dim == 1)) {
      throw Error(name_ + " has the shape " + ShapeText(layout_.shape) + ", so its rank is " +
                  std::to_string(rank) + ", not the " + std::to_string(dim) + " of " + caller +
                  "<" + std::to_string(dim) + ">");
    }
    Shape<dim> shape;
    bool fits = true;
    for (int i = 0; i < dim; ++i) {
      const std::uint64_t extent = rank == 0 ? 1 : layout_.shape[static_cast<std::size_t>(i)];
      fits = fits && extent <= detail::kMaxElements;
      shape[i] = static_cast<index_t>(extent);
    }
    std::uint64_t elements = 0;
    if (!fits || !BytesOf(layout_.shape, 1, &elements) || elements > detail::kMaxElements) {
      throw Error(name_ + " has the shape " + ShapeText(layout_.shape) +
                  ", more than index_t counts" +
                  (sizeof(index_t) == 8 ? "" : "; define MSHADOW_INT64_TENSOR_SIZE=1"));
    }
    return shape;
  }

  /// Where the first element of a row lies, in elements.
  template <int dim>
  std::size_t Offset([[maybe_unused]] const Shape<dim>& shape,
                     [[maybe_unused]] std::size_t row) const {
    if constexpr (dim < 2) {
      return 0;  // the only row
    } else {
      if (!layout_.fortran_order) return row * Extent(shape, dim - 1);
      std::size_t strides[dim];
      strides[0] = 1;
      for (int axis = 1; axis < dim; ++axis) {
        strides[axis] = strides[axis - 1] * Extent(shape, axis - 1);
      }
      std::size_t offset = 0;
      for (int axis = dim - 2; axis >= 0; --axis) {
        offset += row % Extent(shape, axis) * strides[axis];
        row /= Extent(shape, axis);
      }
      return offset;
    }
  }

  template <typename DType>
  void Copy(DType* to, const unsigned char* from, std::size_t count) const {
    if constexpr (std::is_same_v<DType, bool>) {
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i] != 0;
    } else {
      std::memcpy(static_cast<void*>(to), from, count * sizeof(DType));
      constexpr std::size_t kParts = kIsComplex<DType> ? 2 : 1;  // whose bytes are swapped
      if (layout_.swapped) SwapBytes(to, count * kParts, sizeof(DType) / kParts);
    }
  }

  std::string name_;
  const unsigned char* bytes_;
  Layout layout_;
};

/// Calls write(bytes, size) for the elements of t in C order, the rows one after another.
template <int dim, typename DType, typename Write>
void WriteElements(const Tensor<cpu, dim, DType>& t, const Write& write) {
  const std::size_t width = Extent(t.shape_.FlatTo2D(), 1);
  if (t.CheckContiguous()) {
    write(t.dptr_, SizeOf(t.shape_) * sizeof(DType));
  } else if (width > 0) {
    const std::size_t rows = SizeOf(t.shape_) / width, stride = static_cast<std::size_t>(t.stride_);
    for (std::size_t row = 0; row < rows; ++row) {
      write(t.dptr_ + row * stride, width * sizeof(DType));
    }
  }
}

template <int dim>
std::vector<std::uint64_t> ExtentsOf(const Shape<dim>& shape) {
  std::vector<std::uint64_t> extents;
  for (int i = 0; i < dim; ++i) extents.push_back(static_cast<std::uint64_t>(shape[i]));
  return extents;
}

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_STORED_ARRAY_H_
