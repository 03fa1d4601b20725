// SPDX-License-Identifier: Apache-2.0
// A device for tests: host memory that is counted, that runs out on demand, and that is reached
// through Copy only, as that of an accelerator.
#ifndef MSHADOW_TEST_TENSOR_COUNTING_DEVICE_H_
#define MSHADOW_TEST_TENSOR_COUNTING_DEVICE_H_

#include <mshadow/tensor.h>

#include <cstddef>

namespace mshadow {
namespace testing {

struct counting {
  static const bool kDevCPU = false;
  static const int kDevMask = 1 << 5;

  /// Allocations that have not been given back.
  static inline int live = 0;
  /// Bytes of the largest allocation so far.
  static inline std::size_t largest = 0;
  /// So many allocations succeed from now on, then they fail; negative: all succeed.
  static inline int left = -1;
  /// Copies that were waited for.
  static inline int waits = 0;
  /// Does the next copy throw?
  static inline bool copy_fails = false;
};

}  // namespace testing

template <>
struct expr::DeviceOfMask<testing::counting::kDevMask> {
  using Type = testing::counting;
};

template <>
struct Stream<testing::counting> {
  void Wait() { ++testing::counting::waits; }
  bool CheckIdle() { return true; }
};

template <>
struct DeviceApi<testing::counting> {
  using State = testing::counting;
  static constexpr std::size_t kMinPaddedCols = DeviceApi<cpu>::kMinPaddedCols;
  static void* AllocTemporary(std::size_t bytes, Stream<State>*) {
    std::size_t pitch;
    return AllocPitch(&pitch, bytes, 1, false);
  }
  static void FreeTemporary(void* memory, Stream<State>*) noexcept { Free(memory); }
  static void* AllocPitch(std::size_t* pitch, std::size_t row_bytes, std::size_t rows, bool pad) {
    CHECK_NE(State::left, 0) << "out of memory";
    if (State::left > 0) --State::left;
    void* const memory = DeviceApi<cpu>::AllocPitch(pitch, row_bytes, rows, pad);
    ++State::live;
    if (*pitch * rows > State::largest) State::largest = *pitch * rows;
    return memory;
  }
  static void Free(void* memory) {
    if (memory != nullptr) --State::live;
    DeviceApi<cpu>::Free(memory);
  }
  static void Copy2D(void* dst, std::size_t dst_pitch, const void* src, std::size_t src_pitch,
                     std::size_t row_bytes, std::size_t rows, Stream<State>*) {
    CHECK(!State::copy_fails) << "the device is gone";
    DeviceApi<cpu>::Copy2D(dst, dst_pitch, src, src_pitch, row_bytes, rows, nullptr);
  }
};

template <>
struct Executor<testing::counting> {
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Map(const Dst& dst, const Src& src, const Shape<2>& shape,
                  Stream<testing::counting>*) {
    Executor<cpu>::Map<Saver, DType>(dst, src, shape, nullptr);
  }
};

}  // namespace mshadow
#endif  // MSHADOW_TEST_TENSOR_COUNTING_DEVICE_H_
