// SPDX-License-Identifier: Apache-2.0
// Functions, random numbers, memory and streams of a CUDA device.
#include "gpu_testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Twin;
using Half = mshadow::half::half_t;

template <typename DType>
void CheckSoftmax(double tolerance) {
  for (index_t cols : {1u, 10u, 1000u, 5000u, 30000u, 40000u}) {
    Twin<2, DType> a(Shape2(9, cols), 1), o(Shape2(9, cols), 1);
    a.Fill(-5, 5);
    Softmax(o.c(), a.c());
    Softmax(o.g(), a.g());
    o.ExpectEqual(tolerance);
    Softmax(a.c(), a.c());
    Softmax(a.g(), a.g());
    a.ExpectEqual(tolerance);
  }
  Twin<3, DType> a(Shape3(4, 13, 301), 1), o(Shape3(4, 13, 301), 1);
  a.Fill(-5, 5);
  Softmax(o.c(), a.c());
  Softmax(o.g(), a.g());
  o.ExpectEqual(tolerance);
}

TEST(GpuFunction, Softmax) {
  MSHADOW_NEEDS_GPU();
  CheckSoftmax<float>(2e-6);
  CheckSoftmax<Half>(2e-3);
}

TEST(GpuFunction, SoftmaxGrad) {
  MSHADOW_NEEDS_GPU();
  Twin<2> a(Shape2(50, 17), 1), o(Shape2(50, 17), 1);
  Twin<1> label(Shape1(50));
  a.Fill(0, 1);
  label.Fill(-1, 18);
  SmoothSoftmaxGrad(o.c(), a.c(), label.c(), 3.0f, 0.1f);
  SmoothSoftmaxGrad(o.g(), a.g(), label.g(), 3.0f, 0.1f);
  o.ExpectEqual(1e-6);
  Twin<3> a3(Shape3(3, 5, 40)), o3(Shape3(3, 5, 40));
  Twin<2> label3(Shape2(3, 40), 1);
  a3.Fill(0, 1);
  label3.Fill(0, 5);
  SoftmaxGrad(o3.c(), a3.c(), label3.c());
  SoftmaxGrad(o3.g(), a3.g(), label3.g());
  o3.ExpectEqual(1e-6);
}

TEST(GpuFunction, RowsByIndex) {
  MSHADOW_NEEDS_GPU();
  Twin<2> dst(Shape2(20, 33), 1), src(Shape2(500, 33), 2);
  Twin<1, int32_t> index(Shape1(500)), sorted(Shape1(500)), from(Shape1(500));
  src.Fill(0, 1);
  for (int i = 0; i < 500; ++i) {
    index.host().At(i) = i * 7 % 30 - 5;
    sorted.host().At(i) = i / 25;
    from.host().At(i) = i * 3 % 500;
  }
  index.Upload();
  sorted.Upload();
  from.Upload();
  dst.Fill(0, 1);
  AddTakeGrad(dst.c(), index.c(), src.c());
  AddTakeGrad(dst.g(), index.g(), src.g());
  dst.ExpectEqual(1e-5);
  AddTakeGradLargeBatch(dst.c(), sorted.c(), from.c(), src.c());
  AddTakeGradLargeBatch(dst.g(), sorted.g(), from.g(), src.g());
  dst.ExpectEqual(1e-5);
  Twin<2, Half> half(Shape2(20, 33), 1), half_src(Shape2(500, 33));
  half.Fill(0, 0);
  half_src.Fill(1, 1);  // sums of ones are exact
  AddTakeGrad(half.c(), index.c(), half_src.c());
  AddTakeGrad(half.g(), index.g(), half_src.g());
  half.ExpectEqual();
}

TEST(GpuFunction, Sorts) {
  MSHADOW_NEEDS_GPU();
  Twin<1> keys(Shape1(30001));
  Twin<1, int32_t> values(Shape1(30001));
  for (bool ascending : {true, false}) {
    keys.Fill(-100, 100);
    for (int i = 0; i < 30001; ++i) {
      keys.host().At(i) = std::floor(keys.host().At(i));  // many equal ones
      values.host().At(i) = i;
    }
    keys.host().At(5) = std::nanf("");
    keys.Upload();
    values.Upload();
    SortByKey(keys.c(), values.c(), ascending);
    SortByKey(keys.g(), values.g(), ascending);
    keys.ExpectEqual();
    values.ExpectEqual();
  }
}

TEST(GpuFunction, VectorDot) {
  MSHADOW_NEEDS_GPU();
  Twin<1, Half> a(Shape1(5001)), b(Shape1(5001)), o(Shape1(1));
  a.Fill(0, 1);
  b.Fill(0, 1, 2);
  VectorDot(o.c(), a.c(), b.c());
  VectorDot(o.g(), a.g(), b.g());
  o.ExpectEqual(2e-3);
}

template <typename DType>
void CheckRandom(double tolerance) {
  Random<cpu, DType> on_cpu(11);
  Random<gpu, DType> on_gpu(11);
  Twin<2, DType> a(Shape2(37, 101), 3);
  for (int round = 0; round < 2; ++round) {
    on_cpu.SampleUniform(&a.c(), -1, 2);
    on_gpu.SampleUniform(&a.g(), -1, 2);
    a.ExpectEqual();
    on_cpu.SampleGaussian(&a.c(), 1, 2);
    on_gpu.SampleGaussian(&a.g(), 1, 2);
    a.ExpectEqual(tolerance);
    on_cpu.SampleExponential(&a.c(), 2);
    on_gpu.SampleExponential(&a.g(), 2);
    a.ExpectEqual(tolerance);
  }
}

TEST(GpuRandom, TheNumbersOfTheHost) {
  MSHADOW_NEEDS_GPU();
  CheckRandom<float>(1e-5);
  CheckRandom<double>(1e-6);
  CheckRandom<Half>(2e-3);
  Random<cpu> on_cpu(5);
  Random<gpu> on_gpu(5);
  Twin<1> a(Shape1(3001));
  on_cpu.SamplePoisson(&a.c(), 20.0);
  on_gpu.SamplePoisson(&a.g(), 20.0);
  a.ExpectEqual();
  Twin<1, unsigned> bits(Shape1(1001));
  on_cpu.GetRandInt(bits.c());
  on_gpu.GetRandInt(bits.g());
  bits.ExpectEqual();
  a.c() = on_cpu.uniform(a.c().shape_);
  a.g() = on_gpu.uniform(a.g().shape_);
  a.ExpectEqual();
}

TEST(GpuMemory, CopiesAndContainers) {
  MSHADOW_NEEDS_GPU();
  InitTensorEngine<gpu>();
  Stream<gpu>* const stream = NewStream<gpu>(0);
  EXPECT_GT(stream->prop.multiProcessorCount, 0);
  TensorContainer<cpu, 3> a(Shape3(3, 5, 70)), back(Shape3(3, 5, 70), 0.0f);
  for (index_t i = 0; i < 15; ++i) {
    for (index_t j = 0; j < 70; ++j) a[i / 5][i % 5][j] = static_cast<float>(100 * i + j);
  }
  Tensor<gpu, 3> x = NewTensor<gpu>(Shape3(3, 5, 70), 1.0f, stream);
  EXPECT_EQ(x.stride_, 96u);  // 70 floats, padded to 128 bytes
  TensorContainer<gpu, 3> y(Shape3(3, 5, 70));
  Copy(x, a, stream);
  Copy(y, x, stream);
  Copy(back, y, stream);
  stream->Wait();
  EXPECT_TRUE(stream->CheckIdle());
  for (index_t i = 0; i < 15; ++i) {
    for (index_t j = 0; j < 70; ++j) ASSERT_EQ(back[i / 5][i % 5][j], 100 * i + j);
  }
  FreeSpace(&x);
  Tensor<cpu, 2> pinned(nullptr, Shape2(3, 4));
  AllocHost<gpu>(&pinned);
  pinned = 2.0f;
  FreeHost<gpu>(&pinned);
  DeleteStream(stream);
}

// A program with a GPU half starts without a GPU; what needs one says so.
TEST(GpuMemory, ClearErrorWithoutADevice) {
  if (testing::HasGpu()) GTEST_SKIP() << "this machine has a CUDA device";
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
