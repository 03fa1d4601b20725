// SPDX-License-Identifier: Apache-2.0
// Random numbers, memory and streams of a CUDA device.
#include "gpu_testing.h"

namespace mshadow {
namespace {

using testing::Twin;
using Half = mshadow::half::half_t;

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

TEST(GpuMemory, HasPoolAsTheDeviceSays) {
  int device = 0, supported = 0;
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device),
            cudaSuccess);
  for (int asked = 0; asked < 2; ++asked) EXPECT_EQ(cuda::HasPool(), supported != 0);
}

TEST(GpuMemory, CopiesAndContainers) {
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

TEST(GpuMemory, ViewsWithoutANameTakeElements) {
  Twin<3> a(Shape3(4, 5, 37), 3, 1), b(Shape3(4, 5, 37), 2);
  a.Fill(-1, 1, 1);
  b.Fill(-1, 1, 2);
  const auto run = [](auto& x, auto& y) {
    x[0][1] = y[3][2];
    x[3] = y[0];
    x.Slice(0, 3) = x.Slice(1, 4);  // overlap
  };
  run(a.c(), b.c());
  run(a.g(), b.g());
  a.ExpectEqual();
  EXPECT_THROW(a.g()[0] = b.g()[0].Slice(0, 4), Error);
  EXPECT_THROW(a.g().Slice(0, 5), Error);
}

}  // namespace
}  // namespace mshadow
