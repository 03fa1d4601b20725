// SPDX-License-Identifier: Apache-2.0
// Models of tensors of a GPU, on dist/fake_cuda.h: what is copied before its stream has come to it
// is wrong, and so is a callback that runs with another device selected.
#include <mshadow-ps/mshadow_ps.h>

#include <gtest/gtest.h>

#if !MSHADOW_USE_CUDA

TEST(GpuModel, NotBuilt) { GTEST_SKIP() << "this program was built without CUDA"; }

#else

#include <memory>
#include <vector>

#include "../dist/fake_cuda.h"
#include "devices.h"

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int device) {
  return device < fake::kDevices ? cudaSuccess : cudaErrorInvalidDevice;
}

namespace mshadow {
namespace ps {
template <>
IModelUpdater<float>* CreateModelUpdater<float>() {
  return nullptr;
}
}  // namespace ps
namespace {

using testing::OnThreads;

/// A padded matrix of a device.
class Matrix {
 public:
  explicit Matrix(Stream<gpu>* stream)
      : view(static_cast<float*>(fake::Allocate(kRows * kStride * sizeof(float))),
             Shape2(kRows, kCols), kStride, stream) {}
  ~Matrix() {
    view.stream_->Wait();
    fake::Free(view.dptr_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// All elements become `value`, some time later on the stream.
  void FillLater(float value) {
    int late = 30;
    const Tensor<gpu, 2> at = view;
    fake::Push(view.stream_->stream_, [=]() mutable {
      if (--late > 0) return false;
      for (index_t y = 0; y < kRows; ++y) {
        for (index_t x = 0; x < kCols; ++x) at.dptr_[y * kStride + x] = value;
      }
      return true;
    });
  }
  bool Holds(float value) const {
    const fake::Lock lock(fake::TheWorld().mutex);
    for (index_t y = 0; y < kRows; ++y) {
      for (index_t x = 0; x < kCols; ++x) {
        if (view.dptr_[y * kStride + x] != value) return false;
      }
    }
    return true;
  }

  Tensor<gpu, 2> view;

 private:
  static constexpr index_t kRows = 3, kCols = 5, kStride = 8;
};

void CheckSums(ps::ISharedModel<gpu, float>* model, const std::vector<int>& ids) {
  model->Init(ids);
  OnThreads(static_cast<int>(ids.size()), [&](int i) {
    const int devid = ids[i];
    Stream<gpu>* const stream = NewStream<gpu>(devid);
    {
      Matrix data(stream), out(stream);
      model->InitKey(data.view.shape_, 4, devid);
      for (int round = 1; round <= 3; ++round) {
        data.FillLater(static_cast<float>(round * (i + 1)));
        model->Push(data.view, 4, devid);
        out.FillLater(-1.0f);  // the pull comes after it
        bool called = false;
        model->PullReq(out.view, 4, devid, 0, [&](Stream<gpu>* of_pull) {
          called = true;
          EXPECT_EQ(fake::current_device, devid);
          EXPECT_NE(of_pull, stream);
          const Tensor<gpu, 2> sum = out.view;
          fake::Push(of_pull->stream_, [=] { return sum.dptr_[0] += 100.0f, true; });
        });
        model->PullWait(4, devid);
        EXPECT_TRUE(called);
        {
          const fake::Lock lock(fake::TheWorld().mutex);
          EXPECT_EQ(out.view.dptr_[0], 100.0f + 6.0f * static_cast<float>(round));
          out.view.dptr_[0] -= 100.0f;
        }
        EXPECT_TRUE(out.Holds(6.0f * static_cast<float>(round))) << round;
      }
    }
    DeleteStream(stream);
  });
}

TEST(GpuModel, Local) {
  const int before = fake::host_allocations;
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("local"));
  CheckSums(model.get(), {0, 2, 5});
  EXPECT_GT(fake::host_allocations, before);
}

TEST(GpuModel, WithoutPageLockedMemoryOnOneThread) {
  const int before = fake::host_allocations;
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("local"));
  model->SetParam("use_pin_memory", "0");
  model->SetParam("push_thread", "one");
  model->SetParam("pull_thread", "one");
  CheckSums(model.get(), {3, 1, 0});
  EXPECT_EQ(fake::host_allocations, before);
}

TEST(GpuModel, Dist) {
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("dist"));
  CheckSums(model.get(), {0, 1, 2});
}

TEST(GpuModel, DevicesThatAreNotThere) {
  std::unique_ptr<ps::ISharedModel<gpu, float>> model(ps::CreateSharedModel<gpu, float>("local"));
  EXPECT_THROW(model->Init({0, 77}), Error);
}

}  // namespace
}  // namespace mshadow

#endif  // MSHADOW_USE_CUDA
