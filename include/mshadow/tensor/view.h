// SPDX-License-Identifier: Apache-2.0
// Tensor: a view of memory as an array of `dim` axes. It owns nothing and is as cheap as a pointer.
#ifndef MSHADOW_TENSOR_VIEW_H_
#define MSHADOW_TENSOR_VIEW_H_

#include <type_traits>

#include "../core/device.h"
#include "../core/has_member.h"
#include "../core/shape.h"
#include "../expr/engine.h"
#include "../expr/exp.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
MSHADOW_HAS_MEMBER_(IsDevice, kDevMask)
template <typename Device, int dim, typename DType>
using TensorBase =
    std::conditional_t<std::is_const_v<DType>,
                       expr::ConstViewExp<Tensor<Device, dim, DType>, std::remove_const_t<DType>>,
                       TRValue<Tensor<Device, dim, DType>, Device, dim, DType>>;
}  // namespace detail

/// A view of `dimension` axes on memory of `Device`. Copying it rebinds the view and touches no
/// element, and so does `named = tensor`. Every other assignment writes elements: `t = expression`,
/// `t = scalar`, and `t[0] = u[1]`, since a view that has no name cannot be rebound.
///
/// The elements of a Tensor<Device, dimension, const T> are read only; in expressions it is one of
/// element type T. Tensors of T convert to it.
template <typename Device, int dimension, typename DType>
struct Tensor : public detail::TensorBase<Device, dimension, DType> {
  static_assert(detail::IsDevice<Device>::value,
                "mshadow: Tensor<Device, dim, DType>: the device, cpu or gpu, comes first, then the "
                "number of axes, then the element type");
  static_assert(dimension > 0,
                "mshadow: Tensor<Device, 0, DType>, of no axes, is in <mshadow/rank0.h>");
  static constexpr int kRank = dimension;
  static constexpr int kDevices = Device::kDevMask;
  static constexpr bool kDevCPU = Device::kDevCPU;
  static constexpr int kSubdim = dimension - 1;
  using SubTensor = Tensor<Device, (kSubdim > 0 ? kSubdim : 1), DType>;

  /// Element (i0, ..., ik) lies at dptr_[((i0 * shape_[1] + i1) * shape_[2] + ...) * stride_ + ik].
  DType* dptr_ = nullptr;
  Shape<dimension> shape_;
  /// Elements from one row to the next: the last extent, or more where rows are padded. It plays no
  /// part with one axis.
  index_t stride_;
  /// Where statements that assign to this tensor run; nullptr is the default stream.
  Stream<Device>* stream_ = nullptr;

  /// A view of nothing: no memory, extents of 0, no stream.
  MSHADOW_XINLINE Tensor() : shape_{}, stride_(0) {}
  /// A view without memory, for AllocSpace to fill.
  MSHADOW_XINLINE Tensor(const Shape<dimension>& shape)  // NOLINT: implicit as in 2.x
      : Tensor(nullptr, shape) {}
  /// `dptr` seen as `shape`, rows `stride` elements apart (default: no padding).
  MSHADOW_XINLINE Tensor(DType* dptr, const Shape<dimension>& shape,
                         Stream<Device>* stream = nullptr)
      : Tensor(dptr, shape, shape[dimension - 1], stream) {}
  MSHADOW_XINLINE Tensor(DType* dptr, const Shape<dimension>& shape, index_t stride,
                         Stream<Device>* stream)
      : dptr_(dptr), shape_(shape), stride_(stride), stream_(stream) {}

  /// The same elements, read only.
  template <typename T, typename = std::enable_if_t<std::is_same_v<const T, DType> &&
                                                    !std::is_const_v<T>>>
  MSHADOW_XINLINE Tensor(const Tensor<Device, dimension, T>& t)  // NOLINT: implicit
      : Tensor(t.dptr_, t.shape_, t.stride_, t.stream_) {}

  void set_stream(Stream<Device>* stream) { stream_ = stream; }

  /// Elements of memory that axes startdim.. span, padding included.
  template <int startdim>
  MSHADOW_XINLINE index_t MemSize() const {
    static_assert(startdim == 0 || dimension > 1,
                  "a tensor of one axis has no other axis to start from");
    Shape<dimension> memory = shape_;
    if constexpr (dimension > 1) memory[dimension - 1] = stride_;
    return memory.ProdShape(startdim, dimension);
  }
  /// Elements of memory that the tensor spans, padding included.
  MSHADOW_XINLINE index_t MSize() const { return this->template MemSize<0>(); }
  /// True if rows are packed without padding.
  MSHADOW_XINLINE bool CheckContiguous() const {
    return dimension == 1 || shape_[dimension - 1] == stride_;
  }
  /// The extent of an axis, which is checked with MSHADOW_BOUNDS_CHECK. With one axis it is the
  /// extent whatever `axis` is, as in 2.x.
  template <typename I = index_t>
  MSHADOW_XINLINE index_t size([[maybe_unused]] I axis) const {
    if constexpr (dimension == 1) {
      return shape_[0];
    } else {
      MSHADOW_CHECK_INDEX_("Tensor.size: axis", axis, dimension);
      return shape_.shape_[static_cast<index_t>(axis)];
    }
  }
  template <int axis = -1>
  index_t size() const {
    static_assert(axis >= 0,
                  "mshadow: t.size(axis) is an extent; the number of elements is t.shape_.Size()");
    return 0;
  }

  /// All elements in a line; right only without padding, which is checked in debug builds.
  MSHADOW_XINLINE Tensor<Device, 1, DType> FlatTo1D() const {
#ifndef __CUDA_ARCH__
    MSHADOW_DCHECK(CheckContiguous()) << "FlatTo1D: rows of " << shape_[dimension - 1]
                              << " elements are padded to " << stride_
                              << "; reshape(t, Shape1(t.shape_.Size())) works on padded tensors";
#endif
    return Tensor<Device, 1, DType>(dptr_, shape_.FlatTo1D(), stride_, stream_);
  }
  /// All axes but the last joined: shape (Size / n, n).
  MSHADOW_XINLINE Tensor<Device, 2, DType> FlatTo2D() const {
    return Tensor<Device, 2, DType>(dptr_, shape_.FlatTo2D(), stride_, stream_);
  }
  /// The sub-tensor, or with one axis the element, at index `i` of axis 0, which is checked with
  /// MSHADOW_BOUNDS_CHECK.
  template <typename I = index_t>
  MSHADOW_XINLINE std::conditional_t<dimension == 1, const DType&, SubTensor> operator[](
      I i) const {
    static_assert(std::is_convertible_v<I, index_t>,
                  "mshadow: the index of t[i] is an integer; where(mask, a, b) chooses by a mask, "
                  "take(index, t) by a tensor of indices");
    MSHADOW_CHECK_INDEX_("Tensor[]: index", i, shape_.shape_[0]);
    if constexpr (dimension == 1) {
      return dptr_[static_cast<index_t>(i)];
    } else {
      return SubTensor(dptr_ + RowOffset(static_cast<index_t>(i)), shape_.SubShape(), stride_,
                       stream_);
    }
  }
  template <typename I = index_t, int dim = dimension, typename = std::enable_if_t<dim == 1>>
  MSHADOW_XINLINE DType& operator[](I i) {
    static_assert(std::is_convertible_v<I, index_t>,
                  "mshadow: the index of t[i] is an integer; where(mask, a, b) chooses by a mask, "
                  "take(index, t) by a tensor of indices");
    MSHADOW_CHECK_INDEX_("Tensor[]: index", i, shape_.shape_[0]);
    return dptr_[static_cast<index_t>(i)];
  }
  /// Element (i0, i1, ...): t(i, j) is t[i][j]. Checked with MSHADOW_BOUNDS_CHECK.
  template <typename... I>
  MSHADOW_XINLINE DType& operator()(I... i) const {
    static_assert(sizeof...(I) == dimension,
                  "mshadow: t(i, j, ..) takes as many indices as the tensor has axes; t[i] is a "
                  "part of it");
    static_assert((... && std::is_convertible_v<I, index_t>),
                  "mshadow: the indices of t(i, j) are integers");
    const index_t index[] = {static_cast<index_t>(i)...};
    std::ptrdiff_t row = 0;
    for (int k = 0; k < dimension; ++k) {
      MSHADOW_CHECK_INDEX_("Tensor(): index", index[k], shape_.shape_[k]);
      if (k == dimension - 1) break;
      row = row * static_cast<std::ptrdiff_t>(shape_.shape_[k]) +
            static_cast<std::ptrdiff_t>(index[k]);
    }
    return dptr_[row * static_cast<std::ptrdiff_t>(stride_) +
                 static_cast<std::ptrdiff_t>(index[dimension - 1])];
  }
  /// The part [begin, end) of axis 0. Throws Error, on the host, unless
  /// 0 <= begin <= end <= extent.
  template <typename B = index_t, typename E = index_t>
  MSHADOW_XINLINE Tensor Slice(B begin, E end) const {
    detail::CheckSlice(begin, end, shape_[0]);
    Shape<dimension> shape = shape_;
    shape[0] = static_cast<index_t>(end) - static_cast<index_t>(begin);
    return Tensor(dptr_ + RowOffset(static_cast<index_t>(begin)), shape,
                  dimension == 1 ? shape[0] : stride_, stream_);
  }

  // A copy of the view; what it shows stays where it is. A view without a name does not take this
  // assignment but the next: the tensor is an expression like any other.
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) & = default;
  template <typename T, typename = std::enable_if_t<std::is_same_v<const T, DType> &&
                                                    !std::is_const_v<T>>>
  Tensor& operator=(const Tensor<Device, dimension, T>& t) & {
    return *this = Tensor(t);
  }
  template <typename E, typename EDType, int etype>
  Tensor& operator=(const expr::Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, std::remove_const_t<DType>>>>
  Tensor& operator=(TensorContainer<Device, dimension, T>&&) & {
    static_assert(detail::Never<T>::value,
                  "mshadow: y = eval(x * 2) would rebind the view y to a temporary container, "
                  "which dies with the statement; y = x * 2 writes elements, Copy(y, container) "
                  "copies them");
    return *this;
  }
  template <typename T, std::size_t n, typename = std::enable_if_t<(n > 1)>>
  Tensor& operator=(const T (&)[n]) {
    static_assert(sizeof(T) == 0,
                  "mshadow: a Tensor is a view and takes no list of elements; "
                  "TensorContainer<cpu, 1> t({1, 2, 3}) does");
    return *this;
  }
  Tensor& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = expr::EnableIfOtherScalar<DType, S>>
  Tensor& operator=(const S& value) {
    return this->__assign(value);
  }

  // What the expression layer asks of a node (expr/traits.h).
  template <int dim>
  MSHADOW_XINLINE Shape<dim> GetShape() const {
    static_assert(dim == dimension,
                  "mshadow: a tensor has another number of axes than the "
                  "statement it stands in");
    return shape_;
  }
  template <typename OtherDevice>
  Stream<OtherDevice>* GetStream() const {
    static_assert(std::is_same_v<Device, OtherDevice>,
                  "mshadow: a tensor of one device is used on another; use Copy(dst, src)");
    return stream_;
  }
  expr::WrittenView Written() const {
    std::ptrdiff_t rows = 1;
    for (int i = 0; i < dimension - 1; ++i) rows *= static_cast<std::ptrdiff_t>(shape_[i]);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(sizeof(DType));
    return expr::WrittenView{reinterpret_cast<const char*>(dptr_),
                             static_cast<std::ptrdiff_t>(stride_) * size,
                             static_cast<std::ptrdiff_t>(shape_[dimension - 1]) * size, rows, true};
  }
  bool Overlaps(const expr::WrittenView& written, bool same_index) const {
    return expr::detail::ReadsWritten(written, Written(), same_index);
  }
  bool IsSame(const Tensor& other) const {
    return dptr_ == other.dptr_ && shape_ == other.shape_ && stride_ == other.stride_;
  }

 private:
  MSHADOW_XINLINE std::ptrdiff_t RowOffset(index_t i) const {
    if constexpr (dimension == 1) return static_cast<std::ptrdiff_t>(i);
    std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(stride_);
    for (int axis = 1; axis < dimension - 1; ++axis) {
      offset *= static_cast<std::ptrdiff_t>(shape_[axis]);
    }
    return offset;
  }
};

namespace detail {

/// An operand whose types other arguments give: a Tensor of DType or of const DType.
template <typename Device, int dim, typename DType>
using Source = std::common_type_t<Tensor<Device, dim, const DType>>;

}  // namespace detail

namespace expr {

/// A view of const elements is read as one of others.
template <typename Device, int dim, typename DType>
inline Plan<Tensor<Device, dim, DType>, DType> MakePlan(
    const Exp<Tensor<Device, dim, const DType>, DType, type::kRValue>& e) {
  return Plan<Tensor<Device, dim, DType>, DType>(e.self());
}

/// Element (y, x) of a tensor seen as a matrix; of one axis, y plays no part.
template <typename Device, int dim, typename DType>
class Plan<Tensor<Device, dim, DType>, DType> {
 public:
  static constexpr PlanFacts kFacts{sizeof(DType) / 2, 1, Access::kSame, dim == 1};
  MSHADOW_XINLINE explicit Plan(const Tensor<Device, dim, DType>& t)
      : dptr_(t.dptr_), stride_(dim == 1 ? 0 : static_cast<Stride>(t.stride_)) {}
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, const DType>>>
  MSHADOW_XINLINE explicit Plan(const Tensor<Device, dim, T>& t)
      : Plan(mshadow::detail::Unconst(t)) {}
  struct Cursor {
    DType* row_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_[x]; }
    MSHADOW_XINLINE DType& REval(std::ptrdiff_t x) { return row_[x]; }
    MSHADOW_XINLINE const DType* Pointer(std::ptrdiff_t x) const { return row_ + x; }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    if constexpr (sizeof(Stride) == 4) {
      const uint64_t offset = uint64_t{static_cast<uint32_t>(y)} * static_cast<uint32_t>(stride_);
      return Cursor{dptr_ + offset};
    } else {
      return Cursor{dptr_ + y * RowStride()};
    }
  }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) {
    return Row(static_cast<std::ptrdiff_t>(y)).row_[x];
  }
  MSHADOW_XINLINE const DType& Eval(index_t y, index_t x) const {
    return Row(static_cast<std::ptrdiff_t>(y)).row_[x];
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return {dim == 1 || static_cast<std::ptrdiff_t>(stride_) == cols ? 0 : 1};
  }
  MSHADOW_XINLINE std::ptrdiff_t RowStride() const { return static_cast<std::ptrdiff_t>(stride_); }

 private:
  // A GPU multiplies numbers of 32 bits, which index_t usually has, in fewer instructions; and what
  // the number of a row comes from, in 32 bits too.
  using Stride = std::conditional_t<Device::kDevCPU, std::ptrdiff_t, index_t>;
  DType* dptr_;
  Stride stride_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_VIEW_H_
