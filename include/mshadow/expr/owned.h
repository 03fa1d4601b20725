// SPDX-License-Identifier: Apache-2.0
// OwnedExp: a tensor as an operand that keeps its memory.
#ifndef MSHADOW_EXPR_OWNED_H_
#define MSHADOW_EXPR_OWNED_H_

#include <type_traits>

#include "../core/fwd.h"
#include "../core/shared.h"
#include "exp.h"
#include "operand.h"
#include "plan/plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN

namespace expr {

namespace detail {

/// Memory of a device, which it gives back.
template <typename Device>
struct DeviceMemory {
  void* memory;
  explicit DeviceMemory(void* m) : memory(m) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    try {
      DeviceApi<Device>::Free(memory);
    } catch (...) {  // as in ~TensorContainer
    }
  }
};

}  // namespace detail

/// out[i] = src_[i]; src_ lies in memory_, which copies share.
template <typename Device, int dim, typename DType>
struct OwnedExp : public Exp<OwnedExp<Device, dim, DType>, DType, type::kMapper> {
  static constexpr int kRank = dim;
  static constexpr int kDevices = Device::kDevMask;
  Tensor<Device, dim, DType> src_;
  detail::Shared<detail::DeviceMemory<Device>> memory_;
  OwnedExp(const Tensor<Device, dim, DType>& src,
           const detail::Shared<detail::DeviceMemory<Device>>& memory)
      : src_(src), memory_(memory) {}
  /// The view, without the memory.
  operator Tensor<Device, dim, DType>() const { return src_; }  // NOLINT: implicit
  template <int d>
  Shape<d> GetShape() const {
    return src_.template GetShape<d>();
  }
  template <typename D>
  Stream<D>* GetStream() const {
    return src_.template GetStream<D>();
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return src_.Overlaps(written, same_index);
  }
  static constexpr detail::View kView = detail::View::kRows;
  void Move(const detail::OperandViews&) const {}
  bool IsSame(const OwnedExp& other) const { return src_.IsSame(other.src_); }
};

template <typename Device, int dim, typename DType>
inline Plan<Tensor<Device, dim, DType>, DType> MakePlan(const OwnedExp<Device, dim, DType>& e) {
  return Plan<Tensor<Device, dim, DType>, DType>(e.src_);
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_OWNED_H_
