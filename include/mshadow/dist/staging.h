// SPDX-License-Identifier: Apache-2.0
// Staging: the elements of a tensor as one piece of memory, which is what providers take.
#ifndef MSHADOW_DIST_STAGING_H_
#define MSHADOW_DIST_STAGING_H_

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "call.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// Memory of a provider, and what is to be done before and after a call. `ready` and `finish` are
/// called until they return true, and may be called again after that.
struct Staged {
  void* data = nullptr;
  std::function<bool()> ready, finish;
};

/// Adds what is to be done for the memory of a call.
inline void Attach(std::vector<Staged> all, Call* call) {
  for (auto member : {&Staged::ready, &Staged::finish}) {
    std::vector<std::function<bool()>> steps;
    for (Staged& staged : all) {
      if (staged.*member) steps.push_back(std::move(staged.*member));
    }
    if (steps.empty()) continue;
    (member == &Staged::ready ? call->ready : call->finish) = [steps] {
      bool done = true;
      for (const auto& step : steps) done = step() && done;
      return done;
    };
  }
}

/// Elements of a tensor; index_t may be too narrow for their bytes.
template <typename Device, int dim, typename T>
inline std::size_t CountOf(const Tensor<Device, dim, T>& t) {
  std::size_t count = 1;
  for (int axis = 0; axis < dim; ++axis) count *= static_cast<std::size_t>(t.shape_[axis]);
  return count;
}

/// True if no memory lies between the elements.
template <typename Device, int dim, typename T>
inline bool IsPacked(const Tensor<Device, dim, T>& t) {
  const std::size_t cols = static_cast<std::size_t>(t.shape_[dim - 1]);
  return t.CheckContiguous() || CountOf(t) <= cols;
}

/// How elements travel between a tensor of a device and a provider of the host. A device brings
///   Staged Make(const Tensor<Device, dim, T>& t, bool read, bool write, bool copy,
///               Provider* provider, bool collective)
/// read: the call reads the elements of t, as they are after what t.stream_ holds so far; write: it
/// writes them; copy: into memory of their own, also where they are packed; collective:
/// neither Send nor Recv.
template <typename Device>
struct Staging;

/// Packed tensors go as they are, others by a copy.
template <>
struct Staging<cpu> {
  template <int dim, typename T>
  static Staged Make(const Tensor<cpu, dim, T>& t, bool read, bool write, bool copy, Provider*,
                     bool) {
    Staged staged;
    if (IsPacked(t) && !copy) {
      staged.data = t.dptr_;
      return staged;
    }
    struct Rows {
      char* tensor;
      std::size_t stride, bytes, count;
      std::unique_ptr<char[]> packed;
    };
    const auto rows = std::make_shared<Rows>();
    const std::size_t cols = static_cast<std::size_t>(t.shape_[dim - 1]), count = CountOf(t);
    rows->tensor = reinterpret_cast<char*>(t.dptr_);
    rows->stride = (dim == 1 ? cols : static_cast<std::size_t>(t.stride_)) * sizeof(T);
    rows->bytes = cols * sizeof(T);
    rows->count = count == 0 ? 0 : count / cols;
    rows->packed.reset(new char[count * sizeof(T)]);
    staged.data = rows->packed.get();
    if (read) {
      for (std::size_t y = 0; y < rows->count; ++y) {
        std::memcpy(rows->packed.get() + y * rows->bytes, rows->tensor + y * rows->stride,
                    rows->bytes);
      }
    }
    staged.finish = [rows, write] {
      for (std::size_t y = 0; write && y < rows->count; ++y) {
        std::memcpy(rows->tensor + y * rows->stride, rows->packed.get() + y * rows->bytes,
                    rows->bytes);
      }
      return true;
    };
    return staged;
  }
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_STAGING_H_
