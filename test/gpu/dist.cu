// SPDX-License-Identifier: Apache-2.0
// Communicator<gpu> and models of mshadow-ps on real devices. What is read before the stream comes
// to it, or is not copied back, is wrong. Ranks share a device where there are fewer; NCCL takes one
// rank a device.
#include <mshadow-ps/mshadow_ps.h>
#include <mshadow/dist.h>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace mshadow {
namespace ps {
template <>
IModelUpdater<float>* CreateModelUpdater<float>() {
  return nullptr;
}
}  // namespace ps

namespace {

void Check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

int Devices() {
  int count = 0;
  Check(cudaGetDeviceCount(&count));
  return count;
}

class OwnStream {
 public:
  explicit OwnStream(int device) : stream_(NewStream<gpu>(device)) {}
  ~OwnStream() { DeleteStream(stream_); }
  Stream<gpu>* get() { return stream_; }

 private:
  Stream<gpu>* stream_;
};

int CurrentDevice() {
  int device = 0;
  Check(cudaGetDevice(&device));
  return device;
}

/// A padded matrix on the current device: the padding holds -7, which no call may change.
template <typename T>
class Matrix {
 public:
  Matrix(index_t rows, index_t cols, index_t stride, Stream<gpu>* stream)
      : host_(rows * stride + 1, T(-7)) {
    Check(cudaMalloc(&memory_, host_.size() * sizeof(T)));
    Check(cudaMalloc(&busy_, kBusyBytes));
    view = Tensor<gpu, 2, T>(static_cast<T*>(memory_), Shape2(rows, cols), stride, stream);
    Check(cudaMemcpy(memory_, host_.data(), host_.size() * sizeof(T), cudaMemcpyDefault));
  }
  ~Matrix() {
    Check(cudaStreamSynchronize(view.stream_->stream_));
    Check(cudaFree(memory_));
    Check(cudaFree(busy_));
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// Element i becomes base + i, milliseconds later on the stream.
  void FillLater(double base) {
    const cudaStream_t stream = view.stream_->stream_;
    Check(cudaStreamSynchronize(stream));  // the host's numbers may still be on their way
    ForEach([&](index_t at, int i) { host_[at] = T(static_cast<float>(base + i)); });
    for (int i = 0; i < 20; ++i) Check(cudaMemsetAsync(busy_, i, kBusyBytes, stream));
    Check(cudaMemcpyAsync(memory_, host_.data(), host_.size() * sizeof(T), cudaMemcpyDefault,
                          stream));
  }
  /// Element i is factor * (i + first) + base, and the padding is as it was.
  void Expect(double factor, double base, int first = 0) {
    std::vector<T> got(host_.size());
    Check(cudaMemcpyAsync(got.data(), memory_, got.size() * sizeof(T), cudaMemcpyDefault,
                          view.stream_->stream_));
    Check(cudaStreamSynchronize(view.stream_->stream_));
    std::vector<T> want(host_.size(), T(-7));
    ForEach([&](index_t at, int i) {
      want[at] = T(static_cast<float>(factor * (i + first) + base));
    });
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(static_cast<float>(got[i]), static_cast<float>(want[i])) << "element " << i;
    }
  }

  Tensor<gpu, 2, T> view;

 private:
  static constexpr std::size_t kBusyBytes = 64 << 20;

  template <typename F>
  void ForEach(const F& f) {
    for (index_t y = 0; y < view.size(0); ++y) {
      for (index_t x = 0; x < view.size(1); ++x) {
        f(y * view.stride_ + x, static_cast<int>(y * view.size(1) + x));
      }
    }
  }

  std::vector<T> host_;
  void* memory_ = nullptr;
  void* busy_ = nullptr;
};

template <typename T, typename World>
void CheckCalls(World& world, index_t pad) {
  const int n = world.size(), rank = world.rank();
  const index_t cols = 37, stride = cols + pad;
  const double mine = 10 * rank, all = 10 * n * (n - 1) / 2;
  OwnStream stream(CurrentDevice());
  Matrix<T> a(3, cols, stride, stream.get()), b(3, cols, stride, stream.get());
  a.FillLater(mine);
  world.template AllReduce<red::sum>(a.view).Wait();
  a.Expect(n, all);
  a.FillLater(mine);
  b.FillLater(-mine);
  {
    const dist::Request first = world.template AllReduce<red::maximum>(a.view);
    const dist::Request second = world.template AllReduce<red::minimum>(b.view);
  }
  a.Expect(1, 10 * (n - 1));
  b.Expect(1, -10 * (n - 1));
  a.FillLater(mine);
  world.template Reduce<red::sum>(a.view, n - 1).Wait();
  rank == n - 1 ? a.Expect(n, all) : a.Expect(1, mine);
  a.FillLater(mine);
  world.Broadcast(a.view, n - 1).Wait();
  a.Expect(1, 10 * (n - 1));
  {
    Matrix<T> whole(static_cast<index_t>(n), cols, stride, stream.get());
    Matrix<T> part(1, cols, stride, stream.get());
    whole.FillLater(mine);
    world.template ReduceScatter<red::sum>(whole.view, part.view).Wait();
    part.Expect(n, all, rank * static_cast<int>(cols));
    part.FillLater(37 * rank);
    world.AllGather(part.view, whole.view).Wait();
    whole.Expect(1, 0);
  }
  if (n > 1) {
    a.FillLater(mine);
    dist::Request receive = world.Recv(b.view, (rank + n - 1) % n);
    dist::Request send = world.Send(a.view, (rank + 1) % n);
    receive.Wait();
    send.Wait();
    b.Expect(1, 10 * ((rank + n - 1) % n));
  }
  Matrix<T> empty(0, cols, stride, stream.get());
  world.template AllReduce<red::sum>(empty.view).Wait();
  world.Barrier().Wait();
}

/// Three gradients, ready in another order than the one they were added in.
template <typename World>
void CheckBuckets(World& world) {
  OwnStream stream(CurrentDevice());
  Matrix<float> a(3, 5, 5, stream.get()), b(40, 50, 50, stream.get()), c(1, 7, 9, stream.get());
  dist::GradientBuckets<gpu> buckets(world, {128});
  buckets.Add("a", a.view);
  buckets.Add("b", b.view);
  buckets.Add("c", c.view);
  for (int step = 0; step < 3; ++step) {
    const double mine = 10 * world.rank() + step;
    for (Matrix<float>* m : {&b, &a, &c}) {
      m->FillLater(mine);
      buckets.Ready(m->view);
    }
    buckets.Finish();
    for (Matrix<float>* m : {&b, &a, &c}) m->Expect(1, 5 * (world.size() - 1) + step);
  }
}

dist::Options Checked(const std::string& provider) {
  dist::Options options;
  options.check = true;
  options.timeout = 20;
  options.provider = provider;
  return options;
}

TEST(GpuDist, OverProvidersOfTheHost) {
  for (const auto progress : {dist::Progress::kThread, dist::Progress::kCaller}) {
    dist::Options options = Checked("local");
    options.progress = progress;
    dist::RunLocal<gpu>(3, [](auto& world) {
      CheckCalls<float>(world, 0);
      CheckCalls<double>(world, 3);
      CheckCalls<half::half_t>(world, 1);
      CheckBuckets(world);
    }, options);
  }
}

TEST(GpuDist, OverNccl) {
  const int ranks = std::min(Devices(), 4);
  dist::RunLocal<gpu>(ranks, [](auto& world) {
    EXPECT_STREQ(world.provider(), "nccl");
    CheckCalls<float>(world, 0);
    CheckCalls<double>(world, 3);
    CheckCalls<half::half_t>(world, 1);
    CheckBuckets(world);
    dist::Communicator<gpu> alone = world.Split(world.rank());
    CheckCalls<float>(alone, 2);
  }, Checked("nccl"));
}

TEST(GpuDist, ARankThatLeaves) {
  const auto run = [] {
    dist::RunLocal<gpu>(2, [](auto& world) {
      OwnStream stream(CurrentDevice());
      Matrix<float> a(5, 7, 9, stream.get());
      a.FillLater(1);
      if (world.rank() == 1) throw dmlc::Error("rank 1 leaves");
      EXPECT_THROW(world.template AllReduce<red::sum>(a.view).Wait(), dist::CollectiveError);
      a.Expect(1, 1);
    }, Checked("local"));
  };
  EXPECT_THROW(run(), dmlc::Error);
}

/// Devices push rank + 1 times the round; every pull gives the sum.
void CheckModel(ps::ISharedModel<gpu, float>* model) {
  const int n = Devices();
  std::vector<int> ids;
  for (int i = 0; i < n; ++i) ids.push_back(i);
  model->Init(ids);
  std::vector<std::thread> threads;
  for (int device : ids) {
    threads.emplace_back([=] {
      SetDevice<gpu>(device);
      OwnStream stream(device);
      Matrix<float> data(3, 5, 8, stream.get()), out(3, 5, 8, stream.get());
      model->InitKey(data.view.shape_, 4, device);
      for (int round = 1; round <= 3; ++round) {
        data.FillLater(round * (device + 1));
        model->Push(data.view, 4, device);
        out.FillLater(-1);  // the pull comes after it
        bool called = false;
        model->PullReq(out.view, 4, device, 0, [&](Stream<gpu>* of_pull) {
          called = of_pull != stream.get();
        });
        model->PullWait(4, device);
        EXPECT_TRUE(called);
        out.Expect(n, round * n * (n + 1) / 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(GpuModel, Local) {
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("local"));
  CheckModel(model.get());
}

TEST(GpuModel, WithoutPageLockedMemoryOnOneThread) {
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("local"));
  model->SetParam("use_pin_memory", "0");
  model->SetParam("push_thread", "one");
  model->SetParam("pull_thread", "one");
  CheckModel(model.get());
}

TEST(GpuModel, Dist) {
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("dist"));
  CheckModel(model.get());
}

}  // namespace
}  // namespace mshadow
