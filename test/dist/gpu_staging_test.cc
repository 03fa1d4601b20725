// SPDX-License-Identifier: Apache-2.0
// Communicator<gpu> over providers of the host and over NcclProvider, on fake_cuda.h: what is read
// before the stream has come to it, or is not copied back, is wrong.
#include <mshadow/dist.h>

#include <gtest/gtest.h>

#if !MSHADOW_DIST_USE_NCCL

TEST(GpuStaging, NotBuilt) { GTEST_SKIP() << "this program was built without CUDA and NCCL"; }

#else

#include <string>
#include <vector>

#include "fake_cuda.h"

using namespace mshadow;

namespace {

/// A stream on which what is put there takes time.
class SlowStream {
 public:
  SlowStream() { cudaStreamCreate(&stream_.stream_); }
  ~SlowStream() {
    cudaStreamSynchronize(stream_.stream_);
    cudaStreamDestroy(stream_.stream_);
  }
  Stream<gpu>* get() { return &stream_; }

 private:
  Stream<gpu> stream_;
};

/// A padded matrix on the device: the padding holds -7, which no call may change.
class Matrix {
 public:
  Matrix(index_t rows, index_t cols, index_t stride, SlowStream* stream)
      : stream_(stream), memory_(static_cast<float*>(fake::Allocate(rows * stride * 4 + 4))) {
    view = Tensor<gpu, 2, float>(memory_, Shape2(rows, cols), stride, stream->get());
    for (index_t i = 0; i < rows * stride; ++i) memory_[i] = -7;
  }
  ~Matrix() {
    cudaStreamSynchronize(stream_->get()->stream_);
    fake::Free(memory_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// Element i becomes base + i, at some later time on the stream.
  void FillLater(float base) {
    int late = 30;
    const Tensor<gpu, 2, float> at = view;
    fake::Push(stream_->get()->stream_, [=]() mutable {
      if (--late > 0) return false;
      for (index_t y = 0; y < at.size(0); ++y) {
        for (index_t x = 0; x < at.size(1); ++x) {
          at.dptr_[y * at.stride_ + x] = base + static_cast<float>(y * at.size(1) + x);
        }
      }
      return true;
    });
  }
  /// Element i is scale * i + base, for i = first ...
  void Expect(float scale, float base, index_t first = 0) const {
    for (index_t y = 0; y < view.size(0); ++y) {
      for (index_t x = 0; x < view.stride_; ++x) {
        const float i = static_cast<float>(first + y * view.size(1) + x);
        EXPECT_EQ(memory_[y * view.stride_ + x], x < view.size(1) ? scale * i + base : -7)
            << y << ", " << x;
      }
    }
  }

  Tensor<gpu, 2, float> view;

 private:
  SlowStream* stream_;
  float* memory_;
};

void CheckCalls(dist::Communicator<gpu>& world, index_t stride) {
  const int rank = world.rank(), n = world.size();
  const float mine = static_cast<float>(100 * rank), all = static_cast<float>(50 * n * (n - 1));
  SlowStream stream;
  {
    Matrix a(5, 7, stride, &stream);
    a.FillLater(mine);
    world.AllReduce<red::sum>(a.view).Wait();
    a.Expect(static_cast<float>(n), all);
    a.FillLater(mine);
    world.AllReduce<dist::mean>(a.view).Wait();
    a.Expect(1, all / static_cast<float>(n));
    // Two under way at once; the destructors wait.
    Matrix b(3, 7, stride, &stream);
    a.FillLater(mine);
    b.FillLater(-mine);
    {
      const dist::Request first = world.AllReduce<red::maximum>(a.view);
      const dist::Request second = world.AllReduce<red::minimum>(b.view);
    }
    a.Expect(1, static_cast<float>(100 * (n - 1)));
    b.Expect(1, static_cast<float>(-100 * (n - 1)));
  }
  {
    Matrix a(2, 7, stride, &stream);
    a.FillLater(mine);
    world.Reduce<red::sum>(a.view, 1).Wait();
    rank == 1 ? a.Expect(static_cast<float>(n), all) : a.Expect(1, mine);
    a.FillLater(mine);
    world.Broadcast(a.view, 1).Wait();
    a.Expect(1, 100);
  }
  {
    Matrix whole(static_cast<index_t>(2 * n), 7, stride, &stream), part(2, 7, stride, &stream);
    whole.FillLater(mine);
    world.ReduceScatter<red::sum>(whole.view, part.view).Wait();
    part.Expect(static_cast<float>(n), all, static_cast<index_t>(rank * 14));
    whole.Expect(1, mine);
    part.FillLater(mine);
    world.AllGather(part.view, whole.view).Wait();
    for (int r = 0; r < n; ++r) {
      for (index_t i = 0; i < 14; ++i) {
        EXPECT_EQ(whole.view.dptr_[(2 * r + i / 7) * stride + i % 7],
                  static_cast<float>(100 * r + static_cast<int>(i)));
      }
    }
  }
  {
    Matrix sent(2, 7, stride, &stream), got(2, 7, stride, &stream);
    sent.FillLater(mine);
    dist::Request receive = world.Recv(got.view, (rank + n - 1) % n);
    dist::Request send = world.Send(sent.view, (rank + 1) % n);
    receive.Wait();
    send.Wait();
    got.Expect(1, static_cast<float>(100 * ((rank + n - 1) % n)));
  }
  Matrix empty(0, 7, stride, &stream);
  world.AllReduce<red::sum>(empty.view).Wait();
  world.AllGather(empty.view, empty.view).Wait();
  world.Barrier().Wait();
}

dist::Options OptionsFor(dist::Progress progress) {
  dist::Options options;
  options.check = true;
  options.progress = progress;
  options.timeout = 20;
  return options;
}

TEST(GpuStaging, OverAProviderOfTheHost) {
  for (const auto progress : {dist::Progress::kThread, dist::Progress::kCaller}) {
    for (const index_t stride : {7, 9}) {
      dist::RunLocal<gpu>(3, [&](auto& world) { CheckCalls(world, stride); },
                          OptionsFor(progress));
    }
  }
  // Buffers are used again.
  const int allocations = fake::host_allocations;
  EXPECT_GT(allocations, 0);
  dist::RunLocal<gpu>(2, [&](auto& world) { CheckCalls(world, 9); });
  EXPECT_EQ(fake::host_allocations, allocations);
}

TEST(GpuStaging, OverNccl) {
  const int allocations = fake::host_allocations;
  for (const auto progress : {dist::Progress::kThread, dist::Progress::kCaller}) {
    for (const index_t stride : {7, 9}) {
      dist::Options options = OptionsFor(progress);
      options.provider = "nccl";
      dist::RunLocal<gpu>(3, [&](auto& world) {
        EXPECT_STREQ(world.provider(), "nccl");
        CheckCalls(world, stride);
        dist::Communicator<gpu> part = world.Split(world.rank() == 0 ? 0 : 1);
        if (part.size() == 2) CheckCalls(part, stride);
      }, options);
    }
  }
  EXPECT_EQ(fake::host_allocations, allocations) << "NCCL takes the memory of the device";
  EXPECT_TRUE(fake::TheWorld().device_memory.empty());
}

TEST(GpuStaging, ACallThatFailsLeavesNoCopyBehind) {
  dist::Options options = OptionsFor(dist::Progress::kThread);
  EXPECT_THROW(dist::RunLocal<gpu>(2, [&](auto& world) {
    SlowStream stream;
    Matrix a(5, 7, 9, &stream);
    a.FillLater(1);
    if (world.rank() == 1) throw dmlc::Error("rank 1 leaves");
    EXPECT_THROW(world.template AllReduce<red::sum>(a.view).Wait(), dist::CollectiveError);
    cudaStreamSynchronize(stream.get()->stream_);
    a.Expect(1, 1);
  }, options), dmlc::Error);
}

}  // namespace

#endif  // MSHADOW_DIST_USE_NCCL
