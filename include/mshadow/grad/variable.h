// SPDX-License-Identifier: Apache-2.0
// Variable and Parameter: values that have a gradient.
#ifndef MSHADOW_GRAD_VARIABLE_H_
#define MSHADOW_GRAD_VARIABLE_H_

#include <optional>
#include <type_traits>

#include "../tensor.h"
#include "../tensor_container.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
struct GradientSpan {
  const char *begin, *end;
  bool Meets(const GradientSpan& b) const {
    return begin == b.begin || (begin < b.end && b.begin < end);
  }
};
/// A gradient: memory from the first use on; 0 until something is added.
template <typename Device, int dim, typename DType>
class GradientMemory {
 public:
  GradientMemory() = default;
  explicit GradientMemory(const Tensor<Device, dim, DType>& memory) : tensor_(memory) {}
  /// is_of_tape: it belongs to a statement, and its tape alone hands it on.
  explicit GradientMemory(bool is_of_tape) : is_of_tape_(is_of_tape) {}
  bool reached() const { return reached_; }
  bool is_of_tape() const { return is_of_tape_; }
  const Tensor<Device, dim, DType>& Get(const Shape<dim>& shape, Stream<Device>* stream) {
    if (!reached_) {
      GetNew(shape, stream);
      tensor_ = DType(0);
    }
    return tensor_;
  }
  /// Not filled: the caller writes every element.
  const Tensor<Device, dim, DType>& GetNew(const Shape<dim>& shape, Stream<Device>* stream) {
    if (tensor_.dptr_ == nullptr) {
      memory_.emplace(shape, stream);
      tensor_ = memory_->tensor();
    }
    reached_ = true;
    return tensor_;
  }
  /// 0 again, without writing it.
  void Forget() { reached_ = false; }
  void Free() {
    reached_ = false;
    if (!memory_) return;
    memory_.reset();
    tensor_.dptr_ = nullptr;
  }

 private:
  bool reached_ = false;
  const bool is_of_tape_ = false;
  Tensor<Device, dim, DType> tensor_{nullptr, Shape<dim>{}};
  std::optional<Temporary<Device, dim, DType>> memory_;
};
}  // namespace detail

namespace detail {
/// The value of a Variable: a Tensor, but `value = tensor` writes elements, as all assignments do.
template <typename Device, int dim, typename DType>
struct ValueOfVariable : Tensor<Device, dim, DType> {
  using Base = Tensor<Device, dim, DType>;
  using Base::operator=;
  ValueOfVariable() = default;
  explicit ValueOfVariable(const Base& t) : Base(t) {}
  ValueOfVariable(const ValueOfVariable&) = default;
  ValueOfVariable& operator=(const ValueOfVariable&) & = default;
  Base& operator=(const Base& t) & { return this->__assign(t); }
};
}  // namespace detail

/// A leaf of an expression that has a gradient: two views.
template <typename Device, int dim, typename DType MSHADOW_DEFAULT_DTYPE>
struct Variable : public expr::Exp<Variable<Device, dim, DType>, DType, expr::type::kMapper> {
  static constexpr int kRank = dim;
  static constexpr int kDevices = Device::kDevMask;
  static_assert(
      std::is_floating_point_v<DType> || float16::kIsFloat16<DType> || kIsComplex<DType>,
      "mshadow: integers have no gradient; a tensor of them is a constant");
  detail::ValueOfVariable<Device, dim, DType> value;
  Stream<Device>* stream_ = nullptr;

  Variable() = default;
  Variable(const Tensor<Device, dim, DType>& v, const Tensor<Device, dim, DType>& gradient)
      : value(v), stream_(v.stream_), grad_(gradient) {
    MSHADOW_CHECK_EQ(v.shape_, gradient.shape_) << "Variable: value and gradient differ in shape";
  }
  Variable(const Tensor<Device, dim, DType>& v, detail::GradientMemory<Device, dim, DType>* memory)
      : value(v), stream_(v.stream_), memory_(memory) {}

  /// The gradient, into which Backward adds.
  Tensor<Device, dim, DType> grad() const {
    if (memory_ != nullptr) grad_ = memory_->Get(value.shape_, stream_);
    return grad_;
  }
  /// True if nothing was added yet: then *to is where the first gradient is to be written.
  bool IsFirst(Tensor<Device, dim, DType>* to) const {
    if (memory_ == nullptr || memory_->reached()) return false;
    *to = memory_->GetNew(value.shape_, stream_);
    return true;
  }
  /// grad() += g, or grad() = g where nothing was added yet.
  template <typename G>
  void AddGradient(const G& g) const {
    Tensor<Device, dim, DType> to;
    if (memory_ != nullptr && !memory_->reached()) {
      to = memory_->GetNew(value.shape_, stream_);
      memory_->Forget();  // until it is written: g may throw
      to.__assign(g);     // a tensor, too: not another view of it
      memory_->GetNew(value.shape_, stream_);
    } else {
      to = grad();
      to += g;
    }
  }
  /// True if its gradient is memory of the caller's.
  bool IsView() const { return memory_ == nullptr; }
  /// Meets that of Variables that share a gradient, or elements of it.
  detail::GradientSpan gradient_id() const {
    const char* const memory = reinterpret_cast<const char*>(memory_);
    const char* const view = reinterpret_cast<const char*>(grad_.dptr_);
    return memory_ != nullptr
               ? detail::GradientSpan{memory, memory + 1}
               : detail::GradientSpan{
                     view, view + static_cast<std::size_t>(grad_.MSize()) * sizeof(DType)};
  }
  /// True if a gradient arrived that a tape has not handed on. It is dropped.
  bool DropIfOfTape() const {
    if (memory_ == nullptr || !memory_->is_of_tape() || !memory_->reached()) return false;
    memory_->Free();
    return true;
  }
  template <int d>
  Shape<d> GetShape() const {
    return value.shape_;
  }
  bool Overlaps(const expr::WrittenView& written, bool same_index) const {
    return expr::Overlaps(value, written, same_index);
  }
  bool IsSame(const Variable& other) const {
    return value.IsSame(other.value) && memory_ == other.memory_ &&
           (memory_ != nullptr || grad_.IsSame(other.grad_));
  }

 private:
  mutable Tensor<Device, dim, DType> grad_;
  detail::GradientMemory<Device, dim, DType>* memory_ = nullptr;
};

namespace detail {
template <typename Device, int dim, typename DType>
const Variable<Device, dim, DType>& AsVariable(const Variable<Device, dim, DType>& v) {
  return v;
}
}  // namespace detail

/// A Variable that owns its memory.
template <typename Device, int dim, typename DType MSHADOW_DEFAULT_DTYPE>
class Parameter : public Variable<Device, dim, DType> {
 public:
  explicit Parameter(const Shape<dim>& shape, DType init = DType(0)) {
    value_.Resize(shape, init);
    Bind();
  }
  /// Its value is that of the expression.
  template <typename E, int etype>
  explicit Parameter(const expr::Exp<E, DType, etype>& e) {
    value_ = e.self();
    Bind();
  }
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;
  /// The gradient is 0 from now on. (Nothing is written: what is added first is assigned.)
  void ZeroGradient() { gradient_.Forget(); }

 private:
  void Bind() {
    static_cast<Variable<Device, dim, DType>&>(*this) =
        Variable<Device, dim, DType>(value_, &gradient_);
  }
  TensorContainer<Device, dim, DType> value_{false};
  detail::GradientMemory<Device, dim, DType> gradient_;
};
namespace expr {
template <typename Device, int dim, typename DType>
class Plan<Variable<Device, dim, DType>, DType> : public Plan<Tensor<Device, dim, DType>, DType> {
 public:
  explicit Plan(const Variable<Device, dim, DType>& v)
      : Plan<Tensor<Device, dim, DType>, DType>(v.value) {}
};
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_VARIABLE_H_
