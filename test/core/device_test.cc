// SPDX-License-Identifier: Apache-2.0
// Device tags, streams and the life-cycle of the engine, in a program that uses the cpu alone.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <type_traits>

using mshadow::cpu;
using mshadow::gpu;
using mshadow::Stream;

namespace {

TEST(Device, Tags) {
  static_assert(cpu::kDevCPU && cpu::kDevMask == 1);
  static_assert(!gpu::kDevCPU && gpu::kDevMask == 2);
}

TEST(Device, GpuTypesCanBeNamedInEveryBuild) {
  mshadow::Tensor<gpu, 2> tensor;
  Stream<gpu>* stream = nullptr;
  tensor.set_stream(stream);
  EXPECT_EQ(tensor.dptr_, nullptr);
  EXPECT_EQ(tensor.stream_, nullptr);
}

TEST(Device, CpuStreamsAreIdle) {
  Stream<cpu> local;
  local.Wait();
  local.CreateBlasHandle();
  EXPECT_TRUE(local.CheckIdle());
  for (Stream<cpu>* stream :
       {mshadow::NewStream<cpu>(), mshadow::NewStream<cpu>(0), mshadow::NewStream<cpu>(true, false),
        mshadow::NewStream<cpu>(false, true, 2)}) {
    ASSERT_NE(stream, nullptr);
    stream->Wait();
    EXPECT_TRUE(stream->CheckIdle());
    mshadow::DeleteStream(stream);
  }
  mshadow::DeleteStream<cpu>(nullptr);
}

TEST(Device, EngineLifeCycle) {
  mshadow::InitTensorEngine<cpu>();
  mshadow::InitTensorEngine<cpu>(3);
  mshadow::SetDevice<cpu>(1);
  mshadow::ShutdownTensorEngine<cpu>();
  mshadow::InitTensorEngine<cpu>(-1);
  mshadow::ShutdownTensorEngine<cpu>();
  mshadow::ShutdownTensorEngine<cpu>();
}

TEST(Device, TensorsUseAStreamThatIsSet) {
  Stream<cpu>* const stream = mshadow::NewStream<cpu>(0);
  mshadow::Tensor<cpu, 2> tensor =
      mshadow::NewTensor<cpu>(mshadow::Shape2(2, 3), 1.0f, stream);
  EXPECT_EQ(tensor.stream_, stream);
  tensor += 1.0f;
  stream->Wait();
  EXPECT_EQ(tensor[1][2], 2.0f);
  EXPECT_EQ((mshadow::expr::StreamInfo<cpu, mshadow::Tensor<cpu, 2>>::Get(tensor)), stream);
  mshadow::FreeSpace(&tensor);
  mshadow::DeleteStream(stream);
}

}  // namespace
