// SPDX-License-Identifier: Apache-2.0
// A call of NCCL that is under way. Part of nccl_provider.h.
#ifndef MSHADOW_DIST_NCCL_OPERATION_H_
#define MSHADOW_DIST_NCCL_OPERATION_H_

#include "nccl_channel.h"

#if MSHADOW_DIST_USE_NCCL
MSHADOW_NAMESPACE_BEGIN
namespace dist::nccl {

/// Memory of a call as the caller named it: a device's, or the host's.
struct Bytes {
  void* data;
  std::size_t size;
};

/// A call of NCCL on `in` and `out`: launched once the channel is ready for it, complete when the
/// stream has passed it. Memory of the host goes through a copy on the device.
class NcclOperation : public Operation {
 public:
  using Call = std::function<ncclResult_t(const void* in, void* out, ncclComm_t, cudaStream_t)>;

  /// in and out may be the same memory.
  NcclOperation(std::shared_ptr<Channel> channel, const std::vector<cudaEvent_t>& after, Bytes in,
                Bytes out, Call call, const char* name)
      : channel_(std::move(channel)), in_(in), out_(out), call_(std::move(call)), name_(name) {
    channel_->CheckUsable();
    const cuda::DeviceScope scope(channel_->device());
    for (const cudaEvent_t event : after) {
      cuda::Check(cudaStreamWaitEvent(channel_->stream()->stream_, event, 0),
                  "cudaStreamWaitEvent");
    }
    cuda::Check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "cudaEventCreate");
    ticket_ = channel_->tickets_++;
    ++channel_->under_way_;
    Advance();
  }
  ~NcclOperation() override {
    // The memory is the caller's again: no kernel may use it any more.
    if (state_ != kDone) channel_->Abort(std::string("NCCL: ") + name_ + " was given up");
    DeviceApi<gpu>::FreeTemporary(in_copy_, channel_->stream());
    if (out_copy_ != in_copy_) DeviceApi<gpu>::FreeTemporary(out_copy_, channel_->stream());
    static_cast<void>(cudaEventDestroy(done_));
  }
  NcclOperation(const NcclOperation&) = delete;
  NcclOperation& operator=(const NcclOperation&) = delete;

  bool Poll() override {
    if (state_ != kDone && !Group::IsOpen()) {
      const cuda::DeviceScope scope(channel_->device());
      Advance();
    }
    return state_ == kDone;
  }

 private:
  enum State { kWaiting, kLaunched, kRunning, kDone };

  void Advance() {
    const cudaStream_t stream = channel_->stream()->stream_;
    if (state_ == kWaiting) {
      if (channel_->next_ticket_ != ticket_ || !channel_->Ready()) return;
      const void* const in = In();
      void* const out = Out();
      const ncclResult_t result = call_(in, out, channel_->comm(), stream);
      if (result != ncclSuccess && result != ncclInProgress) channel_->Fail(result, name_);
      state_ = kLaunched;
      if (Group::IsOpen()) return;
    }
    // The kernel is on the stream only when the call is no longer in progress.
    if (state_ == kLaunched) {
      if (!channel_->Ready()) return;
      if (out_copy_ != nullptr) Copy(out_.data, out_copy_, out_.size);
      cuda::Check(cudaEventRecord(done_, stream), "cudaEventRecord");
      ++channel_->next_ticket_;
      state_ = kRunning;
    }
    const cudaError_t status = cudaEventQuery(done_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      static_cast<void>(channel_->Ready());  // throws where a rank is lost
      return;
    }
    if (status != cudaSuccess) {
      channel_->Abort(std::string("NCCL: ") + name_ + " failed: " + cudaGetErrorString(status));
      channel_->CheckUsable();
    }
    state_ = kDone;
    --channel_->under_way_;
  }

  /// Where NCCL reads and writes.
  const void* In() {
    if (in_.size == 0 || IsOnDevice(in_.data)) return in_.data;
    in_copy_ = DeviceApi<gpu>::AllocTemporary(in_.size, channel_->stream());
    Copy(in_copy_, in_.data, in_.size);
    return in_copy_;
  }
  void* Out() {
    if (out_.size == 0 || IsOnDevice(out_.data)) return out_.data;
    out_copy_ = out_.data == in_.data
                    ? in_copy_
                    : DeviceApi<gpu>::AllocTemporary(out_.size, channel_->stream());
    return out_copy_;
  }
  void Copy(void* to, const void* from, std::size_t bytes) {
    DeviceApi<gpu>::Copy2D(to, bytes, from, bytes, bytes, 1, channel_->stream());
  }

  std::shared_ptr<Channel> channel_;
  Bytes in_, out_;
  Call call_;
  const char* name_;
  void* in_copy_ = nullptr;
  void* out_copy_ = nullptr;
  cudaEvent_t done_ = nullptr;
  unsigned ticket_ = 0;
  State state_ = kWaiting;
};

}  // namespace dist::nccl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_NCCL
#endif  // MSHADOW_DIST_NCCL_OPERATION_H_
