// SPDX-License-Identifier: Apache-2.0
// The operands of any node, found by the names that nodes give them, and the stream of the first.
#ifndef MSHADOW_EXPR_STREAM_OF_H_
#define MSHADOW_EXPR_STREAM_OF_H_

#include <type_traits>

#include "../core/device.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Calls f(operand) for each operand of `e`. Does not find those of nodes that use other names.
template <typename E, typename F>
inline void ForEachOperandOf([[maybe_unused]] const E& e, [[maybe_unused]] const F& f) {
  if constexpr (HasOperands<E>::value) {
    e.ForEachOperand(f);
  } else {
    [[maybe_unused]] const auto look_at = [&](auto member) {
      if constexpr (std::is_invocable_v<decltype(member), const E&>) f(member(e));
    };
    look_at([](const auto& n) -> decltype(n.index_.self()) { return n.index_.self(); });
    look_at([](const auto& n) -> decltype(n.src_.self()) { return n.src_.self(); });
    look_at([](const auto& n) -> decltype(n.src1_.self()) { return n.src1_.self(); });
    look_at([](const auto& n) -> decltype(n.src2_.self()) { return n.src2_.self(); });
    look_at([](const auto& n) -> decltype(n.exp.self()) { return n.exp.self(); });
    look_at([](const auto& n) -> decltype(n.lhs_.self()) { return n.lhs_.self(); });
    look_at([](const auto& n) -> decltype(n.rhs_.self()) { return n.rhs_.self(); });
  }
}

MSHADOW_HAS_MEMBER_(HasStream, stream_)
/// The stream of the first tensor of Device in `e` that has one; nullptr where none has, and for
/// what is computed on the host, where streams do nothing.
template <typename Device, typename E>
inline Stream<Device>* StreamOf([[maybe_unused]] const E& e) {
  Stream<Device>* stream = nullptr;
  if constexpr (Device::kDevCPU) {
  } else if constexpr (HasStream<E>::value) {
    if constexpr (std::is_same_v<decltype(E::stream_), Stream<Device>*>) stream = e.stream_;
  } else {
    ForEachOperandOf(e, [&stream](const auto& operand) {
      if (stream == nullptr) stream = StreamOf<Device>(operand);
    });
  }
  return stream;
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_STREAM_OF_H_
