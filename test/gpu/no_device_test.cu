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

// What nvcc hands to the host's compiler is no longer what the headers say.
TEST(GpuFile, StatementsOfTheHost) {
  using namespace expr;
  TensorContainer<cpu, 2> a(Shape2(3, 5), 2.0f), o(Shape2(3, 5), 1.0f);
  TensorContainer<cpu, 1> row(Shape1(5), 3.0f);
  o += a * broadcast<1>(row, a.shape_) - F<op::square>(a);
  EXPECT_EQ(o[2][4], 3.0f);
  o = where(F<op::gt>(a, 1.0f), cumsum(a, 1), o);
  EXPECT_EQ(o[2][4], 10.0f);
  row = sum_rows(o);
  EXPECT_EQ(row[4], 30.0f);
}

}  // namespace
}  // namespace mshadow
