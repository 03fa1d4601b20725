// SPDX-License-Identifier: Apache-2.0
// Values that a gradient reads must not change until Backward. Builds without NDEBUG compare
// checksums of those in the memory of a CPU.
#ifndef MSHADOW_GRAD_UNCHANGED_H_
#define MSHADOW_GRAD_UNCHANGED_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

#ifdef NDEBUG
constexpr bool kComparesValues = false;
#else
constexpr bool kComparesValues = true;
#endif

/// A checksum of rows of `bytes` bytes each, `pitch` apart.
inline std::uint64_t ChecksumOf(const void* memory, std::size_t bytes, std::size_t pitch,
                                std::size_t rows) {
  std::uint64_t sum = rows;
  for (std::size_t y = 0; y < rows; ++y) {
    const char* const row = static_cast<const char*>(memory) + y * pitch;
    for (std::size_t i = 0; i < bytes; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, row + i, bytes - i < 8 ? bytes - i : 8);
      sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
      sum ^= sum >> 32;
    }
  }
  return sum;
}
template <typename Device, int dim, typename DType>
inline std::uint64_t ChecksumOf(const Tensor<Device, dim, DType>& t) {
  if constexpr (Device::kDevCPU) {
    const auto rows = t.FlatTo2D();
    const std::size_t size = sizeof(DType);
    return ChecksumOf(rows.dptr_, static_cast<std::size_t>(rows.shape_[1]) * size,
                      static_cast<std::size_t>(rows.stride_) * size,
                      static_cast<std::size_t>(rows.shape_[0]));
  } else {
    return 0;
  }
}
/// Calls f with each tensor that e, a constant of maps, reads.
template <typename E, typename F>
inline void ForEachTensor(const E& e, const F& f) {
  if constexpr (IsTensor<E>::value) {
    f(e);
  } else if constexpr (IsVariable<E>::value) {  // in a comparison
    f(e.value);
  } else if constexpr (MapOf<E>::kIsMap) {
    e.Apply([&](const auto&... x) { (ForEachTensor(x, f), ...); });
  }
}

/// Checksums of what a record keeps.
class Unchanged {
 public:
  template <typename Record>
  void Note(const Record& record) {
    record.ForEachKept([this](const auto& t) { sums_.push_back(ChecksumOf(t)); });
  }
  template <typename Record>
  void Check(const Record& record) const {
    std::size_t i = 0;
    record.ForEachKept([this, &i](const auto& t) {
      if (i < sums_.size() && ChecksumOf(t) != sums_[i++]) {
        throw Error("Tape.Backward: a value of shape " + LogText(t.shape_) +
                    " changed after the statement that reads it; Parameters may change after "
                    "Backward, results of a tape never");
      }
    });
  }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_UNCHANGED_H_
