// SPDX-License-Identifier: Apache-2.0
// TensorContainer: a Tensor that owns its memory.
#ifndef MSHADOW_TENSOR_CONTAINER_H_
#define MSHADOW_TENSOR_CONTAINER_H_

#include "io.h"
#include "memory.h"

MSHADOW_NAMESPACE_BEGIN

/// A tensor with memory of its own. Copying a container copies the elements; in expressions, and
/// wherever a Tensor is expected, it stands for its view, which is valid until Resize or Release.
///
///   TensorContainer<cpu, 2> weight(Shape2(3, 4), 0.0f);
///   weight += 1.0f;                 // evaluated into the memory: no resize, shapes must agree
///   Tensor<cpu, 2> view = weight;   // no copy
template <typename Device, int dimension, typename DType = default_real_t>
class TensorContainer : public Tensor<Device, dimension, DType> {
  using View = Tensor<Device, dimension, DType>;

 public:
  using View::dptr_;
  using View::shape_;
  using View::stream_;
  using View::stride_;

  /// Without memory. `pad`: will rows be padded? false for tensors that must be contiguous.
  explicit TensorContainer(bool pad = detail::kAllocPad<Device>) : pad_(pad) { SetEmpty(); }
  /// The elements are uninitialised.
  explicit TensorContainer(const Shape<dimension>& shape) : TensorContainer() { Resize(shape); }
  explicit TensorContainer(const Shape<dimension>& shape, DType initv) : TensorContainer() {
    Resize(shape, initv);
  }
  // Delegating: an exception after the first constructor destroys the object.
  TensorContainer(const TensorContainer& src) : TensorContainer(src.pad_) {
    CopyFrom(src, src.pad_, src.stream_);
  }
  TensorContainer(TensorContainer&& src) noexcept : TensorContainer(src.pad_) { Take(&src); }
  ~TensorContainer() noexcept {
    try {
      FreeSpace(&owned_);
    } catch (...) {
      // A device that fails here has failed before: the program has seen the error.
    }
  }

  /// Gives the container a shape; elements are not kept. Memory is allocated anew only where a row
  /// is longer than the allocated rows, or where there are more rows than were allocated. Throws
  /// Error, and changes nothing, where there is not enough memory.
  void Resize(const Shape<dimension>& shape) { Fit(shape, pad_); }
  /// Resize, then all elements become `initv`.
  void Resize(const Shape<dimension>& shape, DType initv) {
    Resize(shape);
    this->__assign(initv);
  }
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
  /// Evaluates `exp` into the memory; the shapes must agree. A plain tensor is copied as a
  /// container is: this one takes its shape.
  template <typename E, typename EDType, int etype>
  View& operator=(const expr::Exp<E, EDType, etype>& exp) {
    if constexpr (std::is_same_v<E, View>) {
      CopyFrom(exp.self(), pad_, stream_);
      return *this;
    } else {
      return this->__assign(exp);
    }
  }

 private:
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
  /// Takes shape and elements of `src`, none where it has no memory, and the other two.
  void CopyFrom(const View& src, bool pad, Stream<Device>* stream) {
    if (src.dptr_ != nullptr && expr::detail::ViewsIntersect(owned_.Written(), src.Written())) {
      // A part of this very container: a new size would take its memory away.
      TensorContainer copy(pad);
      copy.CopyFrom(src, pad, stream);
      *this = static_cast<TensorContainer&&>(copy);
      return;
    }
    if (src.dptr_ != nullptr) Fit(src.shape_, pad);
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
    owned_ = Tensor<Device, 2, DType>(nullptr, Shape2(0, 0));
    dptr_ = nullptr;
    for (int i = 0; i < dimension; ++i) shape_[i] = 0;
    stride_ = 0;
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

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_CONTAINER_H_
