// SPDX-License-Identifier: Apache-2.0
// View: a tensor whose axes may have any strides, as those of NumPy and std::mdspan do.
//
//   TensorContainer<cpu, 2> x(Shape2(480, 640));
//   View<cpu, 2> v = View(x).slice(1, 0, 640, 2).flip(0);   // x[::-1, 0:640:2], without a copy
//   v(0, 0) = 1.0f;                                         // writes x[479][0]
//   v.T() += 2.0f;
#ifndef MSHADOW_VIEW_H_
#define MSHADOW_VIEW_H_

#include "core/letters_begin.inc"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/argument.h"
#include "core/fast_divmod.h"
#include "expr/source_view.h"
#include "expr/statement.h"
#include "tensor.h"
#include "tensor_container.h"

MSHADOW_NAMESPACE_BEGIN

template <typename Device, int dimension, typename DType = default_real_t>
struct View;

namespace detail {

/// What a View has of the axes of memory. Strides count elements, and may be negative or 0.
struct AxisOfView {
  std::ptrdiff_t extent, stride;
};

/// Throws Error if two elements of such axes may be one: as of an axis that repeats one.
MSHADOW_COLD MSHADOW_NOINLINE inline void CheckDistinct(const AxisOfView* given, int dim,
                                                        const index_t* shape) {
  AxisOfView axes[expr::detail::kMaxAxes];
  int n = 0;
  for (int i = 0; i < dim; ++i) {
    if (given[i].extent == 0) return;
    if (given[i].extent == 1) continue;
    const AxisOfView axis{given[i].extent,
                          given[i].stride < 0 ? -given[i].stride : given[i].stride};
    int at = n++;
    for (; at > 0 && axes[at - 1].stride > axis.stride; --at) axes[at] = axes[at - 1];
    axes[at] = axis;
  }
  std::ptrdiff_t span = 1;  // elements from the first to the last, of the axes so far
  for (int i = 0; i < n; ++i) {
    if (axes[i].stride >= span) {
      span += (axes[i].extent - 1) * axes[i].stride;
      continue;
    }
    ErrorText text;
    text.Add("View: elements of shape ");
    text.AddExtents(shape, dim);
    text.Add(" with strides (");
    for (int k = 0; k < dim; ++k) {
      text.Add("%s%lld", k == 0 ? "" : ",", static_cast<long long>(given[k].stride));
    }
    text.Add(") share memory; such a view is read only: View<Device, dim, const T>");
    text.Throw();
  }
}

/// The memory of such axes, exactly where it is rows of one length at one distance.
inline expr::WrittenView MemoryOfView(const char* begin, const AxisOfView* given, int dim,
                                      std::ptrdiff_t size) {
  AxisOfView axes[expr::detail::kMaxAxes];
  std::ptrdiff_t last = 0;  // bytes from the first to the last element
  for (int i = 0; i < dim; ++i) {
    if (given[i].extent == 0) return {begin, 0, 0, 0, false};
  }
  for (int i = 0; i < dim; ++i) {
    std::ptrdiff_t stride = given[i].stride * size;
    const std::ptrdiff_t reach = (given[i].extent - 1) * stride;
    if (stride < 0) {
      begin += reach;
      stride = -stride;
    }
    last += reach < 0 ? -reach : reach;
    int at = i;
    for (; at > 0 && axes[at - 1].stride > stride; --at) axes[at] = axes[at - 1];
    axes[at] = {given[i].extent, stride};
  }
  std::ptrdiff_t width = size, pitch = 0;
  for (int i = 0; i < dim; ++i) {
    if (axes[i].extent == 1 || axes[i].stride == 0) continue;
    if (pitch == 0 && axes[i].stride <= width) {
      width += (axes[i].extent - 1) * axes[i].stride;
    } else if (pitch == 0) {
      pitch = axes[i].stride;
    } else if (axes[i].stride % pitch != 0) {
      pitch = -1;
      break;
    }
  }
  const std::ptrdiff_t all = last + size;
  if (pitch <= 0) return {begin, all, all, 1, false};
  return {begin, pitch, width, (all - width) / pitch + 1, false};
}

template <typename Device, int dim, typename DType>
using BaseOfView =
    std::conditional_t<std::is_const_v<DType>,
                       expr::ConstViewExp<View<Device, dim, DType>, std::remove_const_t<DType>>,
                       TRValue<View<Device, dim, DType>, Device, dim, DType>>;

template <typename T>
struct IsLent : std::false_type {};
template <typename Device, int dim, typename DType>
struct IsLent<Tensor<Device, dim, DType>> : std::bool_constant<Device::kDevCPU> {};
template <typename Device, int dim, typename DType>
struct IsLent<View<Device, dim, DType>> : std::bool_constant<Device::kDevCPU> {};
template <typename T>
struct IsOwned : std::false_type {};
template <typename Device, int dim, typename DType>
struct IsOwned<expr::OwnedExp<Device, dim, DType>> : std::true_type {};
/// True if the elements of E are those of a tensor in another order, which somebody else owns.
template <typename E>
constexpr bool IsView() {
  using D = expr::detail::Described<E>;
  if constexpr (expr::detail::kViewOf<E> == expr::detail::View::kNone || !D::kOk ||
                IsOwned<E>::value) {
    return false;
  } else if constexpr (D::kCount != 1 || D::kFirst || D::kFills || D::kTensors != 1) {
    return false;
  } else {
    using Src = expr::detail::SourceExpOf<E>;
    if constexpr (IsLent<Src>::value) {
      return true;
    } else {
      return IsView<Src>();
    }
  }
}

}  // namespace detail

/// `dimension` axes of memory of Device, of any strides. Like a Tensor it owns nothing, copying it
/// and `named = view` touch no element, and every other assignment writes elements. It is an
/// operand of all expressions. Of elements of `const T` it is read only.
///
/// Made of a Tensor, of pointer, shape and strides, and, on the CPU, of an expression that is a
/// view of a tensor: `View<cpu, 2> v = slice<1>(x, 0, 3)`. Views that cannot be assigned to, as
/// x.T() and broadcasts, make one of const elements. Its members slice, flip, T, transpose,
/// broadcast_to and operator[] are views too. It is valid as long as the memory.
template <typename Device, int dimension, typename DType>
struct View : public detail::BaseOfView<Device, dimension, DType> {
  static_assert(dimension > 0 && dimension <= expr::detail::kMaxAxes,
                "mshadow: a View has 1 to 8 axes");
  static constexpr int kRank = dimension;
  static constexpr int kDevices = Device::kDevMask;
  using Element = std::remove_const_t<DType>;

  /// Element (i0, ..., ik) lies at dptr_[i0 * stride_[0] + ... + ik * stride_[k]].
  DType* dptr_ = nullptr;
  Shape<dimension> shape_{};
  std::ptrdiff_t stride_[static_cast<std::size_t>(dimension)] = {};
  /// Where statements that assign to this view run; nullptr is the default stream.
  Stream<Device>* stream_ = nullptr;

  /// A view of nothing.
  View() = default;
  /// The element with all indices 0, extents, strides in elements. Throws Error if two elements
  /// share memory, unless they are const.
  View(DType* dptr, const Shape<dimension>& shape, const std::ptrdiff_t (&stride)[dimension],
       Stream<Device>* stream = nullptr)
      : dptr_(dptr), shape_(shape), stream_(stream) {
    for (int i = 0; i < dimension; ++i) stride_[i] = stride[i];
    CheckElements();
  }
  View(const Tensor<Device, dimension, DType>& t)  // NOLINT: implicit, it is more general
      : dptr_(t.dptr_), shape_(t.shape_), stream_(t.stream_) {
    std::ptrdiff_t stride = 1;
    for (int i = dimension - 1; i >= 0; --i) {
      stride_[i] = stride;
      stride *= static_cast<std::ptrdiff_t>(i == dimension - 1 ? t.stride_ : t.shape_[i]);
    }
  }
  template <typename T, typename = std::enable_if_t<std::is_same_v<const T, DType>>>
  View(const Tensor<Device, dimension, T>& t)  // NOLINT: implicit
      : View(Tensor<Device, dimension, DType>(t)) {}
  template <typename T>
  View(TensorContainer<Device, dimension, T>&&) {
    static_assert(detail::Never<T>::value,
                  "mshadow: a View of a temporary container would outlive its memory");
  }
  /// The same elements, read only.
  template <typename T, typename = std::enable_if_t<std::is_same_v<const T, DType>>>
  View(const View<Device, dimension, T>& v)  // NOLINT: implicit
      : dptr_(v.dptr_), shape_(v.shape_), stream_(v.stream_) {
    for (int i = 0; i < dimension; ++i) stride_[i] = v.stride_[i];
  }
  template <typename E, int etype,
            typename = std::enable_if_t<detail::IsView<E>() && Device::kDevCPU &&
                                        expr::ExpInfo<E>::kDim == dimension>>
  View(const expr::Exp<E, Element, etype>& exp) {  // NOLINT: implicit, it is a view already
    static_assert(etype == expr::type::kRValue || std::is_const_v<DType>,
                  "mshadow: the expression is a view that cannot be assigned to; it makes a View "
                  "of const elements. View(x).T(), .broadcast_to(..) and the like keep what x is");
    detail::OperandView operand;
    expr::detail::Described<E>::template Describe<expr::detail::View::kAny>(exp.self(), &operand);
    dptr_ = reinterpret_cast<DType*>(const_cast<char*>(operand.base));
    shape_ = expr::ShapeCheck<dimension, E>::Check(exp.self());
    for (int i = 0; i < dimension; ++i) {
      stride_[i] = operand.stride[i] / static_cast<std::ptrdiff_t>(sizeof(DType));
    }
    CheckElements();
  }

  /// Element (i0, i1, ...), which is checked with MSHADOW_BOUNDS_CHECK.
  template <typename... I>
  MSHADOW_XINLINE DType& operator()(I... i) const {
    static_assert(sizeof...(I) == dimension,
                  "mshadow: v(i, j, ..) takes as many indices as the view has axes");
    const std::ptrdiff_t index[] = {static_cast<std::ptrdiff_t>(i)...};
    std::ptrdiff_t at = 0;
    for (int k = 0; k < dimension; ++k) {
      MSHADOW_CHECK_INDEX_("View(): index", index[k], shape_.shape_[k]);
      at += index[k] * stride_[k];
    }
    return dptr_[at];
  }
  /// Index i of axis 0: a view of one axis less; of one axis, the element.
  template <typename I>
  MSHADOW_XINLINE decltype(auto) operator[](I i) const {
    MSHADOW_CHECK_INDEX_("View[]: index", i, shape_.shape_[0]);
    if constexpr (dimension == 1) {
      return (dptr_[static_cast<std::ptrdiff_t>(i) * stride_[0]]);
    } else {
      View<Device, dimension - 1, DType> part;
      part.dptr_ = dptr_ + static_cast<std::ptrdiff_t>(i) * stride_[0];
      part.stream_ = stream_;
      for (int k = 1; k < dimension; ++k) {
        part.shape_.shape_[k - 1] = shape_.shape_[k];
        part.stride_[k - 1] = stride_[k];
      }
      return part;
    }
  }
  MSHADOW_XINLINE index_t size(int axis) const { return shape_[axis]; }
  MSHADOW_XINLINE std::ptrdiff_t stride(int axis) const { return stride_[axis]; }
  /// True if the elements follow each other in C order.
  bool is_contiguous() const {
    std::ptrdiff_t stride = 1;
    for (int i = dimension - 1; i >= 0; --i) {
      if (shape_[i] > 1 && stride_[i] != stride) return shape_.Size() == 0;
      stride *= static_cast<std::ptrdiff_t>(shape_[i]);
    }
    return true;
  }

  /// Indices begin, begin + step, ... of `axis`, below end where step > 0, above end where step <
  /// 0, as NumPy's v[begin:end:step]: what is negative counts from the end, what lies outside is
  /// cut. (With a step < 0, an end of -n - 1 and less takes index 0 too.) Throws Error if step is
  /// 0.
  View slice(int axis, std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t step = 1) const {
    axis = expr::detail::CheckAxis("View.slice", axis, dimension);
    if (step == 0) throw Error("View.slice: step = 0");
    if (step < -PTRDIFF_MAX) step = -PTRDIFF_MAX;  // so that -step is a number
    const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(shape_[axis]);
    const std::ptrdiff_t least = step < 0 ? -1 : 0, most = step < 0 ? n - 1 : n;
    const auto bound = [=](std::ptrdiff_t i) {
      if (i < 0) i += n;
      return i < least ? least : i > most ? most : i;
    };
    begin = bound(begin);
    const std::ptrdiff_t length = step < 0 ? begin - bound(end) : bound(end) - begin;
    const std::ptrdiff_t width = step < 0 ? -step : step;
    View part = *this;
    part.shape_[axis] = length <= 0 ? 0 : static_cast<index_t>((length - 1) / width + 1);
    if (part.shape_[axis] > 0) part.dptr_ += begin * stride_[axis];
    if (part.shape_[axis] > 1) part.stride_[axis] *= step;
    return part;
  }
  /// out[..][i][..] = v[..][n - 1 - i][..] along `axis`, which may count from the end.
  View flip(int axis) const {
    axis = expr::detail::CheckAxis("View.flip", axis, dimension);
    View part = *this;
    if (shape_[axis] > 0) {
      part.dptr_ += (static_cast<std::ptrdiff_t>(shape_[axis]) - 1) * stride_[axis];
    }
    part.stride_[axis] = -stride_[axis];
    return part;
  }
  /// Two axes change places.
  View swapaxis(int a, int b) const {
    a = expr::detail::CheckAxis("View.swapaxis", a, dimension);
    b = expr::detail::CheckAxis("View.swapaxis", b, dimension);
    View part = *this;
    part.shape_[a] = shape_[b];
    part.shape_[b] = shape_[a];
    part.stride_[a] = stride_[b];
    part.stride_[b] = stride_[a];
    return part;
  }
  /// The matrix transposed.
  View T() const {
    static_assert(dimension == 2,
                  "mshadow: .T() of a view is defined for matrices (2 axes); use "
                  "transpose or swapaxis for more");
    return swapaxis(0, 1);
  }
  /// Axis i of the result is axis axes[i]. Throws Error unless each axis occurs once.
  View transpose(const Shape<dimension>& axes) const {
    View part = *this;
    unsigned seen = 0;
    for (int i = 0; i < dimension; ++i) {
      const int axis = static_cast<int>(axes[i]);
      if (axes[i] >= static_cast<index_t>(dimension) || (seen >> axis & 1) != 0) {
        detail::ErrorText text;
        text.Add("View.transpose: axes ");
        text.AddExtents(axes.shape_, dimension);
        text.Add(" are no order of 0 to %d", dimension - 1);
        text.Throw();
      }
      seen |= 1u << axis;
      part.shape_[i] = shape_[axis];
      part.stride_[i] = stride_[axis];
    }
    return part;
  }
  /// The view repeated as NumPy's broadcast_to does: axes are aligned at the last, and those of
  /// extent 1, or that are missing, are repeated. Throws Error with both shapes if it does not fit.
  template <int dim>
  View<Device, dim, const DType> broadcast_to(const Shape<dim>& shape) const {
    static_assert(dim >= dimension, "mshadow: broadcast_to a shape of fewer axes");
    View<Device, dim, const DType> part;
    part.dptr_ = dptr_;
    part.shape_ = shape;
    part.stream_ = stream_;
    bool fits = true;
    for (int i = 0; i < dimension; ++i) {
      const int to = dim - dimension + i;
      part.stride_[to] = shape_[i] == 1 ? 0 : stride_[i];
      fits = fits && (shape_[i] == 1 || shape_[i] == shape[to]);
    }
    if (!fits) {
      detail::ErrorText text;
      text.Add("View.broadcast_to: shape ");
      text.AddExtents(shape_.shape_, dimension);
      text.Add(" is not repeated to ");
      text.AddExtents(shape.shape_, dim);
      text.Throw();
    }
    return part;
  }

  void set_stream(Stream<Device>* stream) { stream_ = stream; }

  // As of a Tensor: a view with a name is bound anew by a view, one without takes elements.
  View(const View&) = default;
  View& operator=(const View&) & = default;
  View& operator=(const Tensor<Device, dimension, DType>& t) & { return *this = View(t); }
  template <typename T,
            typename = std::enable_if_t<std::is_same_v<const T, DType> && !std::is_const_v<T>>>
  View& operator=(const View<Device, dimension, T>& v) & {
    return *this = View(v);
  }
  template <typename E, typename EDType, int etype>
  View& operator=(const expr::Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  View& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = expr::EnableIfOtherScalar<DType, S>>
  View& operator=(const S& value) {
    return this->__assign(value);
  }

  // What the expression layer asks of a node (expr/traits.h).
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == dimension,
                  "mshadow: a view has another number of axes than the statement "
                  "it stands in");
    return shape_;
  }
  template <typename OtherDevice>
  Stream<OtherDevice>* GetStream() const {
    static_assert(std::is_same_v<Device, OtherDevice>,
                  "mshadow: a view of one device is used on another; use Copy(dst, src)");
    return stream_;
  }
  expr::WrittenView Written() const {
    if (IsTensor()) {
      const index_t stride = static_cast<index_t>(stride_[dimension > 1 ? dimension - 2 : 0]);
      return Tensor<Device, dimension, DType>(dptr_, shape_, dimension == 1 ? shape_[0] : stride,
                                              stream_)
          .Written();
    }
    detail::AxisOfView axes[dimension];
    Axes(axes);
    return detail::MemoryOfView(reinterpret_cast<const char*>(dptr_), axes, dimension,
                                static_cast<std::ptrdiff_t>(sizeof(DType)));
  }
  bool Overlaps(const expr::WrittenView& written, bool same_index) const {
    return expr::detail::ReadsWritten(written, Written(), same_index);
  }
  bool IsSame(const View& other) const {
    bool same = dptr_ == other.dptr_ && shape_ == other.shape_;
    for (int i = 0; i < dimension; ++i) same = same && stride_[i] == other.stride_[i];
    return same;
  }

 private:
  /// True if rows are contiguous, and at one distance, as those of a Tensor.
  bool IsTensor() const {
    bool is_tensor = stride_[dimension - 1] == 1;
    if (dimension > 1) {
      const std::ptrdiff_t stride = stride_[dimension > 1 ? dimension - 2 : 0];
      is_tensor = is_tensor && stride >= static_cast<std::ptrdiff_t>(shape_[dimension - 1]) &&
                  static_cast<std::ptrdiff_t>(static_cast<index_t>(stride)) == stride;
    }
    for (int i = 0; i < dimension - 2; ++i) {
      is_tensor =
          is_tensor && stride_[i] == stride_[i + 1] * static_cast<std::ptrdiff_t>(shape_[i + 1]);
    }
    return is_tensor;
  }
  void Axes(detail::AxisOfView* axes) const {
    for (int i = 0; i < dimension; ++i) {
      axes[i] = {static_cast<std::ptrdiff_t>(shape_[i]), stride_[i]};
    }
  }
  void CheckElements() const {
    if constexpr (!std::is_const_v<DType>) {
      detail::AxisOfView axes[dimension];
      Axes(axes);
      detail::CheckDistinct(axes, dimension, shape_.shape_);
    }
  }
};

template <typename Device, int dim, typename DType>
View(const Tensor<Device, dim, DType>&) -> View<Device, dim, DType>;
template <typename Device, int dim, typename DType>
View(const TensorContainer<Device, dim, DType>&) -> View<Device, dim, DType>;
template <typename E, typename DType, int etype>
View(const expr::Exp<E, DType, etype>&)
    -> View<cpu, expr::ExpInfo<E>::kDim,
            std::conditional_t<etype == expr::type::kRValue, DType, const DType>>;

/// A std::mdspan of any strides, or a class with the same members, as a View of its memory. Throws
/// Error if an extent is none that index_t holds.
template <typename Span, typename DType = std::remove_pointer_t<
                             decltype(std::declval<const Span&>().data_handle())>>
inline View<cpu, static_cast<int>(Span::rank()), DType> AsView(const Span& span) {
  constexpr int kDim = static_cast<int>(Span::rank());
  if constexpr (kDim == 0) {
    return View<cpu, kDim, DType>(span.data_handle());
  } else {
    std::ptrdiff_t extent[kDim], stride[kDim];
    for (std::size_t i = 0; i < kDim; ++i) {
      extent[i] = static_cast<std::ptrdiff_t>(span.extent(i));
      stride[i] = static_cast<std::ptrdiff_t>(span.stride(i));
    }
    const Shape<kDim> shape = expr::detail::AsShape("AsView", "an extent", extent);
    static_cast<void>(shape.CheckedSize());
    return {span.data_handle(), shape, stride};
  }
}

namespace expr {

namespace detail {

template <int dim, typename T>
struct Described<mshadow::View<cpu, dim, T>, std::enable_if_t<kMayDescribe<T>>>
    : Described<Tensor<cpu, dim, T>> {
  static constexpr bool kPlain = false;
  static constexpr View kView = View::kAny;
  template <View>
  static void Describe(const mshadow::View<cpu, dim, T>& e, OperandView* to) {
    constexpr int kSize = sizeof(T);
    to->base = reinterpret_cast<const char*>(e.dptr_);
    to->size = kSize;
    to->copy = CopyAny<kSize>;
    for (int i = 0; i < dim; ++i) to->stride[i] = e.stride_[i] * kSize;
  }
};

}  // namespace detail

/// A view of const elements is read as one of others.
template <typename Device, int dim, typename DType>
inline Plan<View<Device, dim, DType>, DType> MakePlan(
    const Exp<View<Device, dim, const DType>, DType, type::kRValue>& e) {
  return Plan<View<Device, dim, DType>, DType>(e.self());
}

/// Row y counts all axes but the last.
template <typename Device, int dim, typename DType>
class Plan<View<Device, dim, DType>, DType> {
 public:
  static constexpr PlanFacts kFacts{sizeof(DType) / 2 + 4, 1, Access::kRows, dim == 1, true};
  template <typename T>
  explicit Plan(const View<Device, dim, T>& v)
      : dptr_(const_cast<DType*>(v.dptr_)), last_(v.stride_[dim - 1]) {
    for (int i = 0; i < dim - 1; ++i) {
      extent_[i] = FastDivmod(static_cast<std::ptrdiff_t>(v.shape_[i]));
      stride_[i] = v.stride_[i];
    }
  }
  struct Cursor {
    DType* row_;
    std::ptrdiff_t stride_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_[x * stride_]; }
    MSHADOW_XINLINE DType& REval(std::ptrdiff_t x) { return row_[x * stride_]; }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    DType* row = dptr_;
    if constexpr (dim > 1) {
      for (int i = dim - 2; i > 0; --i) {
        const DivModResult index = DivMod(y, extent_[i]);
        row += index.rem * stride_[i];
        y = index.quot;
      }
      row += y * stride_[0];
    }
    return Cursor{row, last_};
  }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) {
    return Row(static_cast<std::ptrdiff_t>(y)).REval(static_cast<std::ptrdiff_t>(x));
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const {
    return Row(static_cast<std::ptrdiff_t>(y)).Eval(static_cast<std::ptrdiff_t>(x));
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {1}; }

 private:
  static constexpr int kOuter = dim > 1 ? dim - 1 : 1;
  DType* dptr_;
  std::ptrdiff_t last_;
  FastDivmod extent_[kOuter];
  std::ptrdiff_t stride_[kOuter] = {};
};

}  // namespace expr
MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_VIEW_H_
