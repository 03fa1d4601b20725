// SPDX-License-Identifier: Apache-2.0
// TensorContainer: a Tensor that owns its memory.
#ifndef MSHADOW_TENSOR_CONTAINER_H_
#define MSHADOW_TENSOR_CONTAINER_H_

#include <vector>

#include "../expr/materialised.h"
#include "../expr/owned.h"
#include "../expr/traits.h"
#include "io.h"
#include "literal.h"
#include "memory.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {

/// True if an expression gives a tensor of `dim` axes on Device; else the error says why it does
/// not. An E that does not say its rank can only be assigned to a tensor that has a shape.
template <typename Device, int dim, typename DType, typename E, typename EDType>
constexpr bool CheckOwner() {
  using Check = expr::TypeCheck<Device, dim, DType, E>;
  static_assert(std::is_same_v<DType, EDType>,
                "mshadow: the expression has another element type than the container made of it; "
                "convert it with tcast<T>(expression)");
  static_assert(Check::kExpDim > 0,
                "mshadow: the shape of the expression is not known without a target: it is a "
                "scalar, its operands differ in the number of axes, or there is no dot for tensors "
                "of these ranks");
  static_assert(Check::kExpDim <= 0 || Check::kExpDim == dim,
                "mshadow: the expression has another number of axes than the container made of it; "
                "broadcast<axis>(v, shape) and repmat(v, rows) repeat a vector, t[i] and "
                "sum<axis>(t) have an axis less");
  static_assert(Check::kExpDim <= 0 || Check::kDevPass,
                "mshadow: the expression and the container made of it live on different devices; "
                "use Copy(dst, src)");
  return std::is_same_v<DType, EDType> && Check::kExpDim == dim && Check::kDevPass;
}

}  // namespace detail

/// A tensor with memory of its own. Copying a container copies the elements; in expressions, and
/// wherever a Tensor is expected, it stands for its view, which is valid until Resize or Release.
template <typename Device, int dimension, typename DType = default_real_t>
class TensorContainer : public Tensor<Device, dimension, DType> {
  static_assert(!std::is_const_v<DType>, "mshadow: a TensorContainer's elements are not const");
  using View = Tensor<Device, dimension, DType>;

 public:
  using View::dptr_, View::shape_, View::stream_, View::stride_;

  explicit TensorContainer() : pad_(detail::kAllocPad<Device>) { SetEmpty(); }
  /// The same. `pad`: will rows be padded? false for tensors that must be contiguous. (A template,
  /// which {5} does not fit: that is a list.)
  template <typename B, typename = std::enable_if_t<std::is_convertible_v<B, bool>>>
  explicit TensorContainer(B pad) : pad_(pad) {
    SetEmpty();
    if constexpr (std::is_arithmetic_v<B> && !std::is_same_v<B, bool>) {
      MSHADOW_CHECK(pad == 0 || pad == 1)
          << "TensorContainer: one number says whether rows are padded, 0 or 1; " << pad
          << " elements are TensorContainer<cpu, 1> t(Shape1(" << pad << "))";
    }
  }
  /// The elements are uninitialised.
  explicit TensorContainer(const Shape<dimension>& shape) : TensorContainer() { Resize(shape); }
  explicit TensorContainer(const Shape<dimension>& shape, DType initv) : TensorContainer() {
    Resize(shape, initv);
  }
  template <typename S, typename = std::enable_if_t<kIsComplex<S> && kIsComplex<DType> &&
                                                    !std::is_same_v<S, DType>>>
  explicit TensorContainer(const Shape<dimension>& shape, const S& initv)
      : TensorContainer(shape, expr::detail::ExactScalar<DType>(initv)) {}
  template <int dim, typename... Value, typename = std::enable_if_t<dim != dimension>>
  explicit TensorContainer(const Shape<dim>&, const Value&...) {
    static_assert(detail::Never<Value...>::value,
                  "mshadow: a TensorContainer is given a shape of another number of axes than its "
                  "own");
  }
  template <typename T, std::size_t n,
            typename = std::enable_if_t<(dimension > 1 && n > dimension)>>  // else it is a shape
  explicit TensorContainer(const T (&)[n]) {
    static_assert(sizeof(T) == 0,
                  "mshadow: the list that fills a TensorContainer has a level for each axis, "
                  "{{1, 2}, {3, 4}} for two; a shape is Shape2(2, 3)");
  }
  // Delegating: an exception after the first constructor destroys the object.
  /// The value of an expression of as many axes, in memory of its own; on a device other than the
  /// host, on the stream of the first operand that has one. Throws Error where operands do not fit.
  template <typename E, typename EDType, int etype>
  TensorContainer(const expr::Exp<E, EDType, etype>& exp) : TensorContainer() {  // NOLINT
    if constexpr (detail::CheckOwner<Device, dimension, DType, E, EDType>()) {
      if constexpr (kIsView<E>) {
        CopyFrom(detail::Unconst(exp.self()), pad_, exp.self().stream_);
      } else {
        stream_ = expr::detail::StreamOf<Device>(exp.self());
        Resize(expr::ShapeCheck<dimension, E>::Check(exp.self()));
        this->__assign(exp);
      }
    }
  }
  /// The elements of nested lists: {{1, 2}, {3, 4}} for two axes. Throws Error where lists of one
  /// axis differ in length, or where an integer type does not hold an element.
  TensorContainer(detail::NestedList<dimension, DType> list) : TensorContainer() {  // NOLINT
    Shape<dimension> shape;
    detail::ListExtents<dimension, DType>(list, shape.shape_);
    Resize(shape);
    FillOnHost([&](DType* to) {
      auto add = [&to](const DType& value) { *to++ = value; };
      detail::ForEachInList<dimension, DType>(list, shape, &add);
    });
  }
  /// `elements` in row-major order. Throws Error unless they are as many as `shape` has.
  TensorContainer(const std::vector<DType>& elements, const Shape<dimension>& shape)
      : TensorContainer() {
    MSHADOW_CHECK_EQ(elements.size(), static_cast<std::size_t>(shape.CheckedSize()))
        << "TensorContainer: a vector of " << elements.size() << " elements does not fill shape "
        << LogText(shape);
    Resize(shape);
    FillOnHost([&](DType* to) {
      for (const DType& element : elements) *to++ = element;
    });
  }
  /// The elements of a vector, along one axis.
  template <typename T, typename Allocator>
  explicit TensorContainer(const std::vector<T, Allocator>& elements) : TensorContainer() {
    static_assert(dimension == 1,
                  "mshadow: a vector fills a TensorContainer of one axis; more axes need a shape: "
                  "TensorContainer<cpu, 2> t(elements, Shape2(2, 3))");
    static_assert(std::is_same_v<T, DType>,
                  "mshadow: the vector has another element type than the TensorContainer");
    if constexpr (dimension == 1 && std::is_same_v<T, DType>) {
      MSHADOW_CHECK(elements.size() <= detail::kMaxElements)
          << "TensorContainer: " << elements.size() << " elements are more than an axis can have";
      Resize(Shape1(static_cast<index_t>(elements.size())));
      FillOnHost([&](DType* to) {
        for (const DType& element : elements) *to++ = element;
      });
    }
  }
  TensorContainer(const TensorContainer& src) : TensorContainer(src.pad_) {
    CopyFrom(src, src.pad_, src.stream_);
  }
  TensorContainer(TensorContainer&& src) noexcept : TensorContainer(src.pad_) { Take(&src); }
  ~TensorContainer() noexcept {
    try {
      FreeSpace(&owned_);
    } catch (...) {  // A device that fails here has failed before: the program has seen the error.
    }
  }

  /// Gives the container a shape; elements are not kept. Memory is allocated anew only where a row
  /// is longer than the allocated rows, or where there are more rows than were allocated. Throws
  /// Error, and changes nothing, where there is not enough memory.
  void Resize(const Shape<dimension>& shape) { Fit(shape, pad_); }
  void Resize(const Shape<dimension>& shape, DType initv) {
    Resize(shape);
    this->__assign(initv);
  }
  template <typename... Extents,
            typename = std::enable_if_t<(... && std::is_arithmetic_v<Extents>)>>
  void Resize(Extents...) {
    static_assert(detail::Never<Extents...>::value,
                  "mshadow: Resize takes a Shape: t.Resize(Shape2(2, 3))");
  }
  /// The value as an operand that owns the memory, which this temporary gives away.
  expr::OwnedExp<Device, dimension, DType> Owned() && {
    using Memory = expr::detail::Shared<expr::detail::DeviceMemory<Device>>;
    Memory memory;
    if (owned_.dptr_ != nullptr) memory = Memory::Make(owned_.dptr_);
    expr::OwnedExp<Device, dimension, DType> operand(*this, memory);
    SetEmpty();
    return operand;
  }
  auto T() const& { return View::T(); }
  auto T() && { return static_cast<TensorContainer&&>(*this).Owned().T(); }

  /// Are rows to be padded? Takes effect with the next Resize.
  void set_pad(bool pad) { pad_ = pad; }
  /// Gives the memory back; the container can be used again.
  void Release() {
    FreeSpace(&owned_);
    SetEmpty();
  }

  template <typename TStream>
  void SaveBinary(TStream& fo) const {  // NOLINT
    mshadow::SaveBinary(fo, static_cast<const View&>(*this));
  }
  /// Takes shape and elements of what SaveBinary wrote; throws Error, and changes nothing, on data
  /// that end too early or claim a shape that cannot be.
  template <typename TStream>
  void LoadBinary(TStream& fi) {  // NOLINT
    const detail::LoadedTensor<cpu, dimension, DType> loaded(fi, nullptr);
    Resize(loaded.tensor().shape_);
    detail::CopyAndWait(static_cast<View&>(*this), loaded.tensor(), stream_);
  }

  /// Takes padding, stream, shape and elements of `src`; of an empty one padding and stream only.
  TensorContainer& operator=(const TensorContainer& src) {
    if (this != &src) CopyFrom(src, src.pad_, src.stream_);
    return *this;
  }
  TensorContainer& operator=(TensorContainer&& src) noexcept {
    if (this != &src) {
      TensorContainer old(static_cast<TensorContainer&&>(*this));
      pad_ = src.pad_;
      Take(&src);
    }
    return *this;
  }
  View& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = expr::EnableIfOtherScalar<DType, S>>
  View& operator=(const S& value) {
    return this->__assign(value);
  }
  /// Evaluates `exp` into the memory; the shapes must agree, unless the container is empty, which
  /// takes that of `exp`. A plain tensor is copied as a container is: this one takes its shape.
  template <typename E, typename EDType, int etype>
  View& operator=(const expr::Exp<E, EDType, etype>& exp) {
    if constexpr (kIsView<E>) {
      CopyFrom(detail::Unconst(exp.self()), pad_, stream_);
      return *this;
    } else {
      if constexpr (expr::ExpInfo<E>::kDim == dimension && std::is_same_v<DType, EDType>) {
        if (!MSHADOW_LIKELY(owned_.dptr_ != nullptr)) {
          TakeShape(expr::ShapeCheck<dimension, E>::Check(exp.self()));
          if constexpr (Device::kDevCPU && (etype & ~expr::type::kMapper) == 0) {
            // Ends here: after a call that changes this tensor's members, w = w + g would compare
            // those with what it read of them before, to see whether w is w.
            const expr::WholePlanOf<E> plan = expr::MakeWholePlan(exp.self());
            detail::MapErasedPlan<sv::saveto, View, expr::WholePlanOf<E>>(this, &plan);
            return *this;
          }
        }
      }
      return this->__assign(exp);
    }
  }

  /// The elements in row-major order, on the host. Throws Error where rows are padded.
  DType* begin() { return ContiguousData(); }
  DType* end() { return ContiguousData() + shape_.Size(); }
  const DType* begin() const { return ContiguousData(); }
  const DType* end() const { return ContiguousData() + shape_.Size(); }

 private:
  template <typename E>
  static constexpr bool kIsView =
      std::is_same_v<E, View> || std::is_same_v<E, Tensor<Device, dimension, const DType>>;
  /// Gives the container a shape if it never had one, or has given its memory back. Throws Error
  /// where it has another one, without elements.
  MSHADOW_COLD void TakeShape(Shape<dimension> shape) {
    if (shape_ == Shape<dimension>{}) Resize(shape);
    if (shape != shape_) detail::ThrowAssignMismatch(shape, shape_);
  }
  DType* ContiguousData() const {
    static_assert(Device::kDevCPU,
                  "mshadow: begin() and end() are those of containers on the cpu; ToVector(t) "
                  "copies the elements of a device");
    MSHADOW_CHECK(this->CheckContiguous() || shape_.ProdShape(0, dimension - 1) <= 1)
        << "begin(): rows of " << shape_[dimension - 1] << " elements are padded to " << stride_
        << "; ToVector(t) copies the elements, and a container made with pad = false has no "
        << "padding";
    return dptr_;
  }
  /// Calls fill(to) with memory for all elements on the host, and copies them.
  template <typename F>
  void FillOnHost(const F& fill) {
    const detail::Temporary<cpu, dimension, DType> host(shape_, nullptr);
    fill(host.tensor().dptr_);
    detail::CopyAndWait(static_cast<View&>(*this), host.tensor(), stream_);
  }
  void Fit(const Shape<dimension>& shape, bool pad) {
    const Shape<2> flat = shape.CheckedFlatTo2D();
    if (owned_.dptr_ == nullptr || flat[1] > owned_.stride_ || flat[0] > owned_.shape_[0]) {
      Tensor<Device, 2, DType> fresh(flat);
      AllocSpace(&fresh, pad);
      FreeSpace(&owned_);
      owned_ = fresh;
    }
    dptr_ = owned_.dptr_;
    shape_ = shape;
    stride_ = pad ? owned_.stride_ : flat[1];
  }
  /// Takes shape and elements of `src`, none where it has no memory, and the other two. What has
  /// extents but no element, and no memory, is a view of an empty std::vector.
  void CopyFrom(const View& src, bool pad, Stream<Device>* stream) {
    if (src.dptr_ != nullptr && expr::detail::ViewsIntersect(owned_.Written(), src.Written())) {
      // A part of this very container: a new size would take its memory away.
      TensorContainer copy(pad);
      copy.CopyFrom(src, pad, stream);
      *this = static_cast<TensorContainer&&>(copy);
      return;
    }
    const bool is_shaped = src.shape_ != Shape<dimension>{} && src.shape_.Size() == 0;
    if (src.dptr_ != nullptr || is_shaped) Fit(src.shape_, pad);
    pad_ = pad;
    stream_ = stream;
    if (src.dptr_ != nullptr) Copy(static_cast<View&>(*this), src, stream_);
  }
  /// Takes over all that `src` has; this container is empty before, and `src` after.
  void Take(TensorContainer* src) noexcept {
    static_cast<View&>(*this) = static_cast<const View&>(*src);
    owned_ = src->owned_;
    src->SetEmpty();
  }
  void SetEmpty() noexcept {
    owned_ = Tensor<Device, 2, DType>();
    static_cast<View&>(*this) = View(nullptr, Shape<dimension>{}, stream_);
  }

  bool pad_;
  /// The memory as it was allocated.
  Tensor<Device, 2, DType> owned_;
};

/// As container->LoadBinary(fi); with `pre_alloc` the shape in the stream must be its shape.
template <int dim, typename DType, typename TStream, typename Device>
inline void LoadBinary(TStream& fi, TensorContainer<Device, dim, DType>* dst, bool pre_alloc) {
  if (!pre_alloc) return dst->LoadBinary(fi);
  LoadBinary(fi, static_cast<Tensor<Device, dim, DType>*>(dst), true);
}

namespace expr::detail {
/// The rank of eval(exp); 1 where its shape is not known, which an error says.
template <typename E, typename = void>
struct EvalRank {
  static constexpr int kDim = ExpInfo<E>::kDim > 0 ? ExpInfo<E>::kDim : 1;
};
}  // namespace expr::detail

namespace expr::adl {

/// A tensor of its own with the value, shape and element type of `exp`: auto z = eval(x * 2 - 1).
template <typename E, typename DType, int etype>
inline TensorContainer<detail::DeviceOf<E>, detail::EvalRank<E>::kDim, DType> eval(const Exp<E, DType, etype>& exp) {
  return exp;
}

}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_CONTAINER_H_
