// SPDX-License-Identifier: Apache-2.0
// The tests of on_device_test.cc with the calls that Tensor<gpu> makes, on a CUDA, a cuSOLVER and a
// cuBLAS of the host.
#include <gtest/gtest.h>
#include <mshadow/core/config.h>

#if !MSHADOW_USE_CUDA

TEST(CudaSolver, NotBuilt) { GTEST_SKIP() << "this program was built without CUDA"; }

#else

#define MSHADOW_TEST_CUDA_SOLVER 1
#include "fake_cusolver.h"
// After the calls.
#include <mshadow/backend/gpu/solver.h>

#include "on_device_test.cc"

namespace mshadow {
namespace {

TEST(CudaSolver, OneCallForABatchOfSmallMatrices) {
  Guarded<3, float> many(Shape3(4, 3, 3)), one(Shape3(1, 3, 3)), large(Shape3(2, 260, 260));
  many.FillRandom(-1, 1);
  one.FillRandom(-1, 1);
  large.FillRandom(-1, 1);
  const auto calls = [](const auto& f) {
    fake::batched_calls = fake::single_calls = 0;
    f();
    return std::pair<int, int>(fake::batched_calls, fake::single_calls);
  };
  using Calls = std::pair<int, int>;
  EXPECT_EQ(calls([&] { det(*many); }), Calls(1, 0));
  EXPECT_EQ(calls([&] { det(*one); }), Calls(0, 1));
  EXPECT_EQ(calls([&] { det(*large); }), Calls(0, 2));
  EXPECT_EQ(calls([&] { eigvalsh(*many); }), Calls(1, 0));
  EXPECT_EQ(calls([&] { eigvalsh(*one); }), Calls(0, 1));
}

TEST(CudaSolver, AStreamHasAHandleOfItsOwn) {
  Stream<gpu>* const stream = NewStream<gpu>(0);
  {
    const cuda::Solver solver(stream);
    ASSERT_NE(stream->solver_handle_, nullptr);
    EXPECT_EQ(stream->solver_handle_->stream, stream->stream_);
    EXPECT_EQ(stream->blas_handle_->stream, stream->stream_);
    EXPECT_EQ(cuda::DefaultSolverHandle()->stream, nullptr);
    EXPECT_EQ(cuda::DefaultSolverHandle(), cuda::DefaultSolverHandle());
  }
  DeleteStream(stream);
  float a[4] = {};
  EXPECT_EQ(ErrorOf([&] {
              cuda::Solver(nullptr).gesvd(false, 1, 2, 1, a, a, a, a, static_cast<int*>(nullptr));
            }),
            "cuSOLVER: cusolverDn<t>gesvd_bufferSize failed: status 3");
}

}  // namespace
}  // namespace mshadow

#endif
