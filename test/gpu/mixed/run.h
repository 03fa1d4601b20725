// SPDX-License-Identifier: Apache-2.0
// Included by a file of nvcc and by one that is compiled without CUDA.
#ifndef MSHADOW_TEST_GPU_MIXED_RUN_H_
#define MSHADOW_TEST_GPU_MIXED_RUN_H_

#include <mshadow/tensor.h>

#include <string>

/// What a statement on `Device` threw; empty where it threw nothing.
template <typename Device>
std::string ErrorOf() {
  using namespace mshadow;
  using namespace mshadow::expr;
  std::string text;
  Tensor<Device, 2> a(nullptr, Shape2(0, 3)), b(nullptr, Shape2(0, 3));
  try {
    TensorContainer<Device, 2> c(Shape2(2, 3), 1.0f);
    c = c * 2.0f + 1.0f;
  } catch (const Error& error) {
    text += error.what();
  }
  try {
    a += F<op::identity>(b) + 1.0f;
  } catch (const Error& error) {
    text += error.what();
  }
  return text;
}

std::string WithCuda();
std::string WithoutCuda();

#endif  // MSHADOW_TEST_GPU_MIXED_RUN_H_
