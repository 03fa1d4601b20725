// SPDX-License-Identifier: Apache-2.0
// A program with a GPU half starts without a GPU; what needs one says so.
#include <gtest/gtest.h>
#include <mshadow/tensor.h>

#include <string>

#include "has_device.h"

namespace mshadow {
namespace {

TEST(GpuMemory, ClearErrorWithoutADevice) {
  if (testing::HasDevice()) GTEST_SKIP() << "this machine has a CUDA device";
  try {
    NewTensor<gpu>(Shape2(2, 3), 1.0f);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cudaMalloc failed"), std::string::npos) << text;
    EXPECT_NE(text.find("Tensor<gpu> needs an NVIDIA GPU and its driver"), std::string::npos)
        << text;
  }
  EXPECT_THROW(InitTensorEngine<gpu>(), Error);
  EXPECT_THROW(NewStream<gpu>(), Error);
  TensorContainer<cpu, 1> a(Shape1(3), 1.0f);
  a = a * 2.0f;
  EXPECT_EQ(a[2], 2.0f);
}

}  // namespace
}  // namespace mshadow
