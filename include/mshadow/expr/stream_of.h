// SPDX-License-Identifier: Apache-2.0
// StreamOf: the stream of an expression's operands.
#ifndef MSHADOW_EXPR_STREAM_OF_H_
#define MSHADOW_EXPR_STREAM_OF_H_

#include <type_traits>

#include "../core/device.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// The stream of the first tensor of Device in `e` that has one; nullptr where none has, and for
/// what is computed on the host, where streams do nothing. Finds operands by the names that nodes
/// give their members; it does not find those of nodes that use other names.
template <typename Device, typename E>
inline Stream<Device>* StreamOf([[maybe_unused]] const E& e) {
  Stream<Device>* stream = nullptr;
  if constexpr (!Device::kDevCPU) {
    [[maybe_unused]] const auto look_at = [&](auto member) {
      if constexpr (std::is_invocable_v<decltype(member), const E&>) {
        using Member = std::decay_t<std::invoke_result_t<decltype(member), const E&>>;
        if constexpr (std::is_same_v<Member, Stream<Device>*>) {
          stream = member(e);
        } else if constexpr (std::is_class_v<Member>) {
          if (stream == nullptr) stream = StreamOf<Device>(member(e));
        }
      }
    };
    look_at([](const auto& n) -> decltype((n.stream_)) { return n.stream_; });
    look_at([](const auto& n) -> decltype((n.src_)) { return n.src_; });
    look_at([](const auto& n) -> decltype((n.lhs_)) { return n.lhs_; });
    look_at([](const auto& n) -> decltype((n.rhs_)) { return n.rhs_; });
    look_at([](const auto& n) -> decltype((n.item1_)) { return n.item1_; });
    look_at([](const auto& n) -> decltype((n.item2_)) { return n.item2_; });
    look_at([](const auto& n) -> decltype((n.item3_)) { return n.item3_; });
    look_at([](const auto& n) -> decltype((n.src1_)) { return n.src1_; });
    look_at([](const auto& n) -> decltype((n.src2_)) { return n.src2_; });
    look_at([](const auto& n) -> decltype((n.index_)) { return n.index_; });
    look_at([](const auto& n) -> decltype((n.exp)) { return n.exp; });
  }
  return stream;
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_STREAM_OF_H_
