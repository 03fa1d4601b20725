// SPDX-License-Identifier: Apache-2.0
// Tensor<gpu> in memory that the host reaches too, so that one source tests cpu and gpu.
#ifndef MSHADOW_TEST_GPU_MANAGED_DEVICE_H_
#define MSHADOW_TEST_GPU_MANAGED_DEVICE_H_

#include <gtest/gtest.h>
#include <mshadow/tensor.h>

#include <cstddef>
#include <new>
#include <vector>

namespace mshadow {
namespace testing {

using TestDevice = gpu;

/// Statements run behind the host's back: everything that reads or writes elements waits first.
inline void WaitForDevice() {
  if (cudaDeviceSynchronize() != cudaSuccess) {
    ADD_FAILURE() << cudaGetErrorString(cudaGetLastError());
  }
}

template <typename T>
struct ManagedAllocator {
  using value_type = T;
  ManagedAllocator() = default;
  template <typename U>
  ManagedAllocator(const ManagedAllocator<U>&) {}  // NOLINT: as allocators convert
  T* allocate(std::size_t n) {
    void* memory = nullptr;
    if (cudaMallocManaged(&memory, n * sizeof(T) + 1) != cudaSuccess) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { static_cast<void>(cudaFree(memory)); }
  friend bool operator==(const ManagedAllocator&, const ManagedAllocator&) { return true; }
  friend bool operator!=(const ManagedAllocator&, const ManagedAllocator&) { return false; }
};

template <typename DType>
using TestMemory = std::vector<DType, ManagedAllocator<DType>>;

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_GPU_MANAGED_DEVICE_H_
