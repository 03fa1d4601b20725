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
  EXPECT_EQ(calls([&] { triangular_solve(*one, *one); }), Calls(0, 1));
  EXPECT_EQ(calls([&] { eigvalsh(*one); }), Calls(0, 1));
}

TEST(CudaSolver, LargeMatricesOneAfterAnother) {
  const index_t n = 260;
  Guarded<3, double> a(Shape3(2, n, n), 1), p(Shape3(2, n, n)), b(Shape3(2, n, 2));
  a.FillRandom(-1, 1);
  b.FillRandom(-1, 1, 2);
  for (index_t m = 0; m < 2; ++m) {
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j) Off (*p)(m, i, j) = i == j ? double(n + m) : 1;
    }
  }
  const auto x = solve(*a, *b), y = cho_factor(*p).solve(*b), z = triangular_solve(*p, *b);
  const auto values = eigvalsh(*p), s = svdvals(*p);
  for (index_t m = 0; m < 2; ++m) {
    const auto dense = In(Off(*a)[m]), positive = In(Off(*p)[m]), right = In(Off(*b)[m]);
    const auto of_x = In(Off(x)[m]), of_y = In(Off(y)[m]);
    EXPECT_LE(Size(dense * of_x - right), Bound<double>(int(n), Size(dense) * Size(of_x)));
    EXPECT_LE(Size(positive * of_y - right), Bound<double>(int(n), Size(positive) * Size(of_y)));
    EXPECT_EQ(Off(z)(m, 0, 1), Off(*b)(m, 0, 1) / (n + m));
    EXPECT_NEAR(Off(values)(m, n - 1), 2.0 * n + m - 1, 1e-8);
    EXPECT_NEAR(Off(s)(m, 0), 2.0 * n + m - 1, 1e-8);
  }
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
