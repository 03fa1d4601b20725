// SPDX-License-Identifier: Apache-2.0
// Rank 0: a tensor of no axes, which is one number that lies in memory.
//
//   TensorContainer<gpu, 0> s;
//   s = sum<kAllAxes>(x);          // stays on the GPU
//   y = x / s;                     // and is read there, by the kernel
//   float value = s.item();        // copies it to the host
#ifndef MSHADOW_RANK0_H_
#define MSHADOW_RANK0_H_

#include "core/letters_begin.inc"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "tensor.h"
#include "tensor_container.h"
#include "view.h"

MSHADOW_NAMESPACE_BEGIN

/// The extents of no axis, which is the shape of one element. "()" as text.
template <>
struct Shape<0> {
  static constexpr int kDimension = 0;
  static constexpr int kSubdim = -1;

  /// No extent: a place for what loops over the axes of any shape names. Every axis is this one.
  index_t shape_[1] = {1};
  MSHADOW_XINLINE index_t& operator[](int) { return shape_[0]; }
  MSHADOW_XINLINE const index_t& operator[](int) const { return shape_[0]; }

  MSHADOW_XINLINE bool operator==(const Shape&) const { return true; }
  MSHADOW_XINLINE bool operator!=(const Shape&) const { return false; }
  MSHADOW_XINLINE index_t Size() const { return 1; }
  MSHADOW_XINLINE index_t CheckedSize() const { return 1; }
  MSHADOW_XINLINE Shape<1> FlatTo1D() const { return {{1}}; }
  MSHADOW_XINLINE Shape<2> FlatTo2D() const { return {{1, 1}}; }
  MSHADOW_XINLINE Shape<2> CheckedFlatTo2D() const { return {{1, 1}}; }
};

/// A view of one element in memory of Device. In expressions it is an operand beside tensors of any
/// number of axes, as a number is, but read when the statement runs, where it lies. Copying it, and
/// `named = tensor`, bind the view; every other assignment writes the element: `t = 3`,
/// `t = sum(x)`, `t += u * 2` for u of no axes.
///
/// On the CPU it converts to its element; item() is its value on every device.
template <typename Device, typename DType>
struct Tensor<Device, 0, DType> : public detail::TensorBase<Device, 0, DType> {
  static_assert(detail::IsDevice<Device>::value,
                "mshadow: Tensor<Device, dim, DType>: the device, cpu or gpu, comes first, then "
                "the number of axes, then the element type");
  static constexpr int kRank = 0;
  static constexpr int kDevices = Device::kDevMask;
  static constexpr bool kDevCPU = Device::kDevCPU;
  static constexpr int kSubdim = -1;
  using Element = std::remove_const_t<DType>;

 private:
  struct OfBool {
    explicit OfBool(bool) {}
  };
  using Condition = std::conditional_t<std::is_same_v<Element, bool>, OfBool, bool>;

 public:
  DType* dptr_ = nullptr;
  Shape<0> shape_;
  index_t stride_ = 1;
  /// Where statements that assign to this tensor run; nullptr is the default stream.
  Stream<Device>* stream_ = nullptr;

  Tensor() = default;
  /// The element at `dptr`.
  MSHADOW_XINLINE explicit Tensor(DType* dptr, Stream<Device>* stream = nullptr)
      : dptr_(dptr), stream_(stream) {}
  MSHADOW_XINLINE Tensor(DType* dptr, const Shape<0>&, Stream<Device>* stream = nullptr)
      : Tensor(dptr, stream) {}
  MSHADOW_XINLINE Tensor(DType* dptr, const Shape<0>&, index_t, Stream<Device>* stream)
      : Tensor(dptr, stream) {}
  /// The same element, read only.
  template <typename T, typename = std::enable_if_t<std::is_same_v<const T, DType> &&
                                                    !std::is_const_v<T>>>
  MSHADOW_XINLINE Tensor(const Tensor<Device, 0, T>& t)  // NOLINT: implicit
      : Tensor(t.dptr_, t.stream_) {}

  void set_stream(Stream<Device>* stream) { stream_ = stream; }
  MSHADOW_XINLINE index_t MSize() const { return 1; }
  MSHADOW_XINLINE bool CheckContiguous() const { return true; }
  /// The same element as a vector of one, and as a matrix.
  MSHADOW_XINLINE Tensor<Device, 1, DType> FlatTo1D() const {
    return Tensor<Device, 1, DType>(dptr_, Shape<1>{{1}}, 1, stream_);
  }
  MSHADOW_XINLINE Tensor<Device, 2, DType> FlatTo2D() const {
    return Tensor<Device, 2, DType>(dptr_, Shape<2>{{1, 1}}, 1, stream_);
  }

  /// The element, t(): of no indices.
  template <typename... I>
  MSHADOW_XINLINE DType& operator()(I...) const {
    static_assert(sizeof...(I) == 0,
                  "mshadow: a tensor of rank 0 has no axis to index; t() is its element");
    return *dptr_;
  }
  template <typename I>
  DType& operator[](const I&) const {
    static_assert(sizeof(I) == 0,
                  "mshadow: a tensor of rank 0 has no axis to index; t() is its element");
    return *dptr_;
  }

  /// The value, copied from the device where it is another one than the host: that waits for its
  /// stream. Throws Error without memory.
  Element item() const {
    CheckMemory();
    if constexpr (Device::kDevCPU) {
      return *dptr_;
    } else {
      Element value = Element();
      detail::CopyAndWait(Tensor<cpu, 0, Element>(&value), detail::Unconst(*this), stream_);
      return value;
    }
  }
  operator Element() const {  // NOLINT: implicit, it is one number
    static_assert(Device::kDevCPU,
                  "mshadow: a tensor of rank 0 converts to its element on the cpu alone; t.item() "
                  "waits for a device, and copies it");
    return item();
  }
  explicit operator Condition() const {
    static_assert(Device::kDevCPU,
                  "mshadow: a tensor of rank 0 is a condition on the cpu alone; t.item() waits for "
                  "a device, and copies it");
    return Condition(item() != Element());
  }

  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) & = default;
  template <typename T, typename = std::enable_if_t<std::is_same_v<const T, DType> &&
                                                    !std::is_const_v<T>>>
  Tensor& operator=(const Tensor<Device, 0, T>& t) & {
    return *this = Tensor(t);
  }
  template <typename E, typename EDType, int etype>
  Tensor& operator=(const expr::Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, Element>>>
  Tensor& operator=(TensorContainer<Device, 0, T>&&) & {
    static_assert(detail::Never<T>::value,
                  "mshadow: y = eval(x * 2) would rebind the view y to a temporary container, "
                  "which dies with the statement; y = x * 2 writes the element");
    return *this;
  }
  Tensor& operator=(const Element& value) { return this->__assign(value); }
  template <typename S, typename = expr::EnableIfOtherScalar<Element, S>>
  Tensor& operator=(const S& value) {
    return this->__assign(value);
  }

  // What the expression layer asks of a node (expr/traits.h).
  template <int dim>
  MSHADOW_XINLINE Shape<dim> GetShape() const {
    Shape<dim> shape{};  // fits any shape, as ScalarExp
    for (int i = 0; i < dim; ++i) shape[i] = 0;
    return shape;
  }
  template <typename OtherDevice>
  Stream<OtherDevice>* GetStream() const {
    static_assert(std::is_same_v<Device, OtherDevice>,
                  "mshadow: a tensor of one device is used on another; use Copy(dst, src)");
    return stream_;
  }
  expr::WrittenView Written() const { return FlatTo1D().Written(); }
  bool Overlaps(const expr::WrittenView& written, bool same_index) const {
    return expr::detail::ReadsWritten(written, Written(), same_index);
  }
  bool IsSame(const Tensor& other) const { return dptr_ == other.dptr_; }

 private:
  void CheckMemory() const {
    MSHADOW_CHECK(dptr_ != nullptr) << "mshadow: a tensor of shape () has no memory";
  }
};

/// The same for code that takes Views. broadcast_to(shape) repeats the element, read only.
template <typename Device, typename DType>
struct View<Device, 0, DType> : public Tensor<Device, 0, DType> {
  using Base = Tensor<Device, 0, DType>;
  using Base::Base;
  using Base::operator=;
  View() = default;
  View(const Base& t) : Base(t) {}  // NOLINT: implicit, as of other ranks
  View(DType* dptr, const Shape<0>&, const std::ptrdiff_t*, Stream<Device>* stream = nullptr)
      : Base(dptr, stream) {}
  bool is_contiguous() const { return true; }
  template <int dim>
  View<Device, dim, const DType> broadcast_to(const Shape<dim>& shape) const {
    View<Device, dim, const DType> repeated;
    repeated.dptr_ = this->dptr_;
    repeated.shape_ = shape;
    repeated.stream_ = this->stream_;
    return repeated;
  }
};

/// The element, without a shape before it.
template <typename DType, typename TStream, typename Device>
inline void SaveBinary(TStream& fo, const Tensor<Device, 0, DType>& src) {
  const std::remove_const_t<DType> value = src.item();
  fo.Write(&value, sizeof(value));
}
/// dst has memory; throws Error where the data end too early.
template <typename DType, typename TStream, typename Device>
inline void LoadBinary(TStream& fi, Tensor<Device, 0, DType>* dst, bool) {
  DType value;
  detail::ReadExactly(fi, &value, sizeof(value));
  detail::CopyAndWait(*dst, Tensor<cpu, 0, DType>(&value), dst->stream_);
}

/// One number with memory of its own on Device. As of other ranks, copying it copies the element,
/// and every assignment writes it.
template <typename Device, typename DType>
class TensorContainer<Device, 0, DType> : public Tensor<Device, 0, DType> {
  static_assert(!std::is_const_v<DType>, "mshadow: a TensorContainer's elements are not const");
  using View = Tensor<Device, 0, DType>;

 public:
  using View::dptr_, View::stream_;

  TensorContainer(DType value = DType())  // NOLINT: implicit, it is one number
      : TensorContainer(WithoutMemory()) {
    Put(value);
  }
  template <typename S, typename = expr::EnableIfOtherScalar<DType, S>>
  TensorContainer(const S& value)  // NOLINT: implicit
      : TensorContainer(expr::detail::ExactScalar<DType>(value)) {}
  explicit TensorContainer(const Shape<0>&, DType value = DType()) : TensorContainer(value) {}
  /// The value of an expression of rank 0, on the stream of its first operand that has one.
  template <typename E, typename EDType, int etype>
  TensorContainer(const expr::Exp<E, EDType, etype>& exp)  // NOLINT: implicit
      : TensorContainer(WithoutMemory()) {
    stream_ = expr::detail::StreamOf<Device>(exp.self());
    *this = exp;
  }
  TensorContainer(const TensorContainer& src) : TensorContainer(WithoutMemory()) { *this = src; }
  TensorContainer(TensorContainer&& src) noexcept : View(src) { src.dptr_ = nullptr; }
  ~TensorContainer() noexcept {
    try {
      Release();
    } catch (...) {  // as in ~TensorContainer of other ranks
    }
  }

  TensorContainer& operator=(const TensorContainer& src) {
    if (this == &src) return *this;
    stream_ = src.stream_;
    if (src.dptr_ == nullptr) {
      Release();
    } else {
      CopyFrom(src);
    }
    return *this;
  }
  TensorContainer& operator=(TensorContainer&& src) noexcept {
    std::swap(dptr_, src.dptr_);
    std::swap(stream_, src.stream_);
    return *this;
  }
  View& operator=(const DType& value) {
    Allocate();
    return this->__assign(value);
  }
  template <typename S, typename = expr::EnableIfOtherScalar<DType, S>>
  View& operator=(const S& value) {
    return *this = expr::detail::ExactScalar<DType>(value);
  }
  template <typename E, typename EDType, int etype>
  View& operator=(const expr::Exp<E, EDType, etype>& exp) {
    if constexpr (std::is_same_v<E, View> || std::is_same_v<E, Tensor<Device, 0, const DType>>) {
      CopyFrom(detail::Unconst(exp.self()));
      return *this;
    } else {
      Allocate();
      return this->__assign(exp);
    }
  }

  void Resize(const Shape<0>&) { Allocate(); }
  void Resize(const Shape<0>&, DType value) { *this = value; }
  /// Gives the memory back; an assignment allocates it anew.
  void Release() {
    DeviceApi<Device>::Free(dptr_);
    dptr_ = nullptr;
  }
  /// The value as an operand that owns the memory, which this temporary gives away.
  expr::OwnedExp<Device, 0, DType> Owned() && {
    using Memory = expr::detail::Shared<expr::detail::DeviceMemory<Device>>;
    Memory memory;
    if (dptr_ != nullptr) memory = Memory::Make(dptr_);
    const expr::OwnedExp<Device, 0, DType> operand(*this, memory);
    dptr_ = nullptr;
    return operand;
  }
  DType* begin() const {
    static_assert(Device::kDevCPU, "mshadow: begin() and end() are those of containers on the cpu");
    return dptr_;
  }
  DType* end() const { return begin() + 1; }

  template <typename TStream>
  void SaveBinary(TStream& fo) const {  // NOLINT
    mshadow::SaveBinary(fo, static_cast<const View&>(*this));
  }
  template <typename TStream>
  void LoadBinary(TStream& fi) {  // NOLINT
    mshadow::LoadBinary(fi, this, true);
  }

 private:
  /// Once this constructor is done, an exception in one that calls it runs the destructor.
  struct WithoutMemory {};
  explicit TensorContainer(WithoutMemory) {}
  void Allocate() {
    std::size_t pitch;
    if (dptr_ != nullptr) return;
    dptr_ = static_cast<DType*>(DeviceApi<Device>::AllocPitch(&pitch, sizeof(DType), 1, false));
  }
  void CopyFrom(const View& src) {
    Allocate();
    Copy(static_cast<View&>(*this), src, stream_);
  }
  void Put(DType value) {
    Allocate();
    detail::CopyAndWait(static_cast<View&>(*this), Tensor<cpu, 0, DType>(&value), stream_);
  }
};

/// Element (i0, i1, ...) of t as a tensor of rank 0: a view of it, without a copy. On a GPU it is
/// what the host cannot read. Throws Error with the index and the shape if there is none.
template <typename Device, int dim, typename DType, typename... I>
inline Tensor<Device, 0, DType> At(const View<Device, dim, DType>& t, I... i) {
  static_assert(sizeof...(I) == dim, "mshadow: At(t, i, j, ..) takes an index for each axis");
  static_assert((... && std::is_integral_v<I>), "mshadow: the indices of At(t, i, j) are integers");
  const uint64_t index[] = {detail::Widened(i)...};  // negative ones are very large
  std::ptrdiff_t at = 0;
  for (int axis = 0; axis < dim; ++axis) {
    if (index[axis] >= static_cast<uint64_t>(t.shape_[axis])) {
      std::string text;
      ((text += (text.empty() ? "" : ",") + detail::Given(i).Text()), ...);
      throw Error("At: index (" + text + ") of a tensor of shape " + LogText(t.shape_));
    }
    at += static_cast<std::ptrdiff_t>(index[axis]) * t.stride_[axis];
  }
  return Tensor<Device, 0, DType>(t.dptr_ + at, t.stream_);
}
template <typename Device, int dim, typename DType, typename... I>
inline Tensor<Device, 0, DType> At(const Tensor<Device, dim, DType>& t, I... i) {
  return At(View<Device, dim, DType>(t), i...);
}

namespace expr {
namespace detail {

/// An operand as a number is, but one that lies in memory: not kPlain, as statements ask whether it
/// is written.
template <typename T>
struct Described<Tensor<cpu, 0, T>, std::enable_if_t<kMayDescribe<T>>>
    : DescribedValue<ValueCursor<std::remove_const_t<T>>, 0> {
  static constexpr bool kPlain = false;
  template <View view>
  static void Describe(const Tensor<cpu, 0, T>& e, OperandView* to) {
    Described::DescribeValue(e.dptr_, to);
  }
};

template <typename E>
struct EvalRank<E, std::enable_if_t<ExpInfo<E>::kDim == 0 &&
                                    !std::is_same_v<E, ScalarExp<ElementOfExp<E>>>>> {
  static constexpr int kDim = 0;
};

}  // namespace detail

/// The same element wherever it is asked for; a cursor reads it once.
template <typename Device, typename DType>
class Plan<Tensor<Device, 0, DType>, DType> {
 public:
  static constexpr PlanFacts kFacts{0, 0, Access::kSame, true};
  template <typename T>
  MSHADOW_XINLINE explicit Plan(const Tensor<Device, 0, T>& t)
      : dptr_(const_cast<DType*>(t.dptr_)) {}
  struct Cursor : detail::ValueCursor<DType> {
    DType* at_;
    MSHADOW_XINLINE DType& REval(std::ptrdiff_t) { return *at_; }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const { return {{*dptr_}, dptr_}; }
  MSHADOW_XINLINE DType Eval(index_t, index_t) const { return *dptr_; }
  MSHADOW_XINLINE DType& REval(index_t, index_t) { return *dptr_; }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0}; }

 private:
  DType* dptr_;
};

/// t Saver= exp, as a statement on a vector of one. What reduces all axes is reduced into it.
template <typename Saver, typename Device, typename DType>
struct ExpEngine<Saver, Tensor<Device, 0, DType>, DType> {
  using Vector = Tensor<Device, 1, DType>;
  template <typename E, int etype>
  static void Eval(Tensor<Device, 0, DType>* dst, const Exp<E, DType, etype>& exp) {
    static_assert(ExpInfo<E>::kDim <= 0,
                  "mshadow: an expression that has axes is assigned to a tensor of rank 0; "
                  "sum<kAllAxes>(e), max<kAllAxes>(e) and the like have none");
    if constexpr (ExpInfo<E>::kDim <= 0) {
      Vector vector = dst->FlatTo1D();
      if constexpr (etype == type::kComplex) {
        Reduce(&vector, exp.self());
      } else {
        MapExp<Saver>(&vector, exp);
      }
    }
  }

 private:
  template <typename E>
  static void Reduce(Vector* dst, const E& exp) {
    MapExp<Saver>(dst, exp);
  }
  template <template <typename> class Kind, typename Src, typename SrcDType, int dim, unsigned mask>
  static void Reduce(Vector* dst, const ReductionExp<Kind, Src, SrcDType, dim, mask>& e) {
    static_assert((ExpInfo<Src>::kDevMask & Device::kDevMask) != 0,
                  "mshadow: the reduction and the tensor it is assigned to live on different "
                  "devices; use Copy(dst, src)");
#if MSHADOW_ALIAS_CHECK
    if (mshadow::detail::ReadsTarget<true>(e, *dst, false)) {
      mshadow::detail::Temporary<Device, 1, DType> result(dst->shape_, dst->stream_);
      Into<sv::saveto>(&result.tensor(), e);
      return MapPlan<Saver>(dst, MakePlan(result.tensor()));
    }
#endif
    Into<Saver>(dst, e);
  }
  template <typename S, typename E>
  static void Into(Vector* dst, const E& e) {
    const detail::StatementMemory<Device> memory(dst->stream_);
    e.template Reduce<S>(MakePlan(*dst), 1, dst->stream_);
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_RANK0_H_
