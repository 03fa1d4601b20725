// SPDX-License-Identifier: Apache-2.0
// A communicator of NCCL with its stream, and the calls that are under way on it. Part of
// nccl_provider.h.
#ifndef MSHADOW_DIST_NCCL_CHANNEL_H_
#define MSHADOW_DIST_NCCL_CHANNEL_H_

#include "options.h"
#include "provider.h"

#if MSHADOW_DIST_USE_NCCL

#if !MSHADOW_USE_CUDA
#error "MSHADOW_DIST_USE_NCCL=1 needs nvcc, or MSHADOW_USE_CUDA=1 for the C++ compiler"
#endif

#if !__has_include(<nccl.h>)
#error "mshadow/dist.h: MSHADOW_DIST_USE_NCCL=1, but nccl.h is not on the include path (NVIDIA's \
packages for Debian: libnccl-dev)"
#endif
#include <nccl.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 18, 0)
#error "mshadow/dist: NCCL 2.18 or newer is needed, for ncclCommSplit"
#endif

MSHADOW_NAMESPACE_BEGIN
namespace dist {
namespace nccl {

/// Throws CollectiveError where `result` is neither success nor ncclInProgress.
inline void Check(ncclResult_t result, const std::string& call, ncclComm_t comm = nullptr) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  std::string text = "NCCL: " + call + " failed: " + ncclGetErrorString(result);
  const char* const detail = ncclGetLastError(comm);
  if (detail != nullptr && *detail != '\0') text += std::string(": ") + detail;
  throw CollectiveError(text);
}

/// How NCCL folds elements of one of the library's types.
struct Folding {
  ncclDataType_t type;
  ncclRedOp_t op;
};

/// Throws Error where NCCL has no such type.
inline Folding FoldingOf(int type, Fold fold) {
  static constexpr ncclRedOp_t kOps[] = {ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg};
  const ncclRedOp_t op = kOps[static_cast<int>(fold)];
  switch (type) {
    case kFloat32: return {ncclFloat32, op};
    case kFloat64: return {ncclFloat64, op};
    case kFloat16: return {ncclFloat16, op};
    case kBfloat16: return {ncclBfloat16, op};
    default: break;
  }
  MSHADOW_CHECK(fold != Fold::kMean) << "NcclProvider: the mean of " << dtype_string(type)
                                     << " is no integer; take the sum";
  switch (type) {
    case kUint8: return {ncclUint8, op};
    case kInt8: return {ncclInt8, op};
    case kInt32: return {ncclInt32, op};
    case kUint32: return {ncclUint32, op};
    case kInt64: return {ncclInt64, op};
    case kUint64: return {ncclUint64, op};
    // As bytes of 0 and 1: what C++ makes of their sum is true where one of them is.
    case kBool: return {ncclUint8, fold == Fold::kSum ? ncclMax : op};
    default: break;
  }
  throw Error("NcclProvider: NCCL has no elements of type " + dtype_string(type) +
              "; use int32_t, or the provider mpi");
}

/// True if `memory` is a device's, or managed.
inline bool IsOnDevice(const void* memory) {
  cudaPointerAttributes attributes = {};
  cuda::Check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

/// A time after which waiting is an error.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : seconds_(seconds),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(seconds))) {}

  bool Over() const { return Clock::now() > end_; }

  /// Calls done() until it is true. Throws CollectiveError after the deadline.
  template <typename Done>
  void Wait(const std::string& what, const Done& done) const {
    while (!done()) {
      if (Over()) {
        throw CollectiveError(what + " is not complete after " +
                              std::to_string(static_cast<int>(seconds_)) +
                              " s: a rank has not come");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_;
  Clock::time_point end_;
};

/// Joins the calls of one thread on several devices to one of NCCL, until End. Their operations
/// are polled after it.
class Group {
 public:
  Group() {
    Check(ncclGroupStart(), "ncclGroupStart");
    ++Depth();
  }
  ~Group() {
    if (!ended_) Close();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void End() { Check(Close(), "ncclGroupEnd"); }

  /// True if this thread has a group that has not ended.
  static bool IsOpen() { return Depth() > 0; }

 private:
  ncclResult_t Close() {
    ended_ = true;
    --Depth();
    return ncclGroupEnd();
  }
  static int& Depth() {
    static thread_local int depth = 0;
    return depth;
  }

  bool ended_ = false;
};

/// A communicator that never blocks, and a stream of high priority for its kernels.
class Channel {
 public:
  explicit Channel(int device) : device_(device) {
    const cuda::DeviceScope scope(device);
    int least = 0, greatest = 0;
    cuda::Check(cudaDeviceGetStreamPriorityRange(&least, &greatest),
                "cudaDeviceGetStreamPriorityRange");
    cuda::Check(cudaStreamCreateWithPriority(&stream_.stream_, cudaStreamNonBlocking, greatest),
                "cudaStreamCreateWithPriority");
  }
  /// Aborts the communicator where Finalize has not ended it.
  ~Channel() {
    Abort("the provider is gone");
    static_cast<void>(cudaStreamDestroy(stream_.stream_));
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Begins to join the group of `id`; Ready says when that is done.
  void Init(const ncclUniqueId& id, int rank, int size) {
    const cuda::DeviceScope scope(device_);
    ncclConfig_t config = NonBlocking();
    Check(ncclCommInitRankConfig(&comm_, size, id, rank, &config), "ncclCommInitRankConfig");
  }
  /// Begins to join the ranks of `whole` that have this color.
  void Split(Channel* whole, int color, int key) {
    const cuda::DeviceScope scope(device_);
    ncclConfig_t config = NonBlocking();
    Check(ncclCommSplit(whole->comm_, color, key, &comm_, &config), "ncclCommSplit", whole->comm_);
  }
  /// `connect` is called by Ready until it is true, and by then has called Init.
  void InitLater(std::function<bool()> connect) { connect_ = std::move(connect); }

  /// True if the communicator takes the next call. Throws CollectiveError where it has failed.
  bool Ready() {
    CheckUsable();
    if (connect_ != nullptr) {
      if (!connect_()) return false;
      connect_ = nullptr;
    }
    if (comm_ == nullptr) return false;
    ncclResult_t state = ncclSuccess;
    Check(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError", comm_);
    if (state == ncclInProgress) return false;
    if (state != ncclSuccess) Fail(state, "a call on the communicator");
    joined_ = true;
    return true;
  }

  void CheckUsable() const {
    if (!broken_.empty()) throw CollectiveError(broken_);
  }
  [[noreturn]] void Fail(ncclResult_t result, const std::string& call) {
    try {
      Check(result, call, comm_);
      broken_ = "NCCL: " + call + " failed";
    } catch (const CollectiveError& error) {
      broken_ = error.what();
    }
    Abort(broken_);
    throw CollectiveError(broken_);
  }
  /// Ends kernels that wait for other ranks; what follows throws `why`.
  void Abort(const std::string& why) noexcept {
    if (broken_.empty()) broken_ = why;
    connect_ = nullptr;
    if (comm_ != nullptr) static_cast<void>(ncclCommAbort(comm_));
    comm_ = nullptr;
  }
  /// A step of the communicator's end, which waits for the other ranks. True once it is over.
  bool Finalize() {
    if (comm_ == nullptr) return true;
    if (under_way_ > 0 || !joined_) {
      Abort("the provider is gone");
      return true;
    }
    const cuda::DeviceScope scope(device_);
    if (!finalizing_) {
      if (!Ready()) return false;
      finalizing_ = true;
      Check(ncclCommFinalize(comm_), "ncclCommFinalize", comm_);
    }
    if (!Ready()) return false;
    static_cast<void>(ncclCommDestroy(std::exchange(comm_, nullptr)));
    return true;
  }

  ncclComm_t comm() const { return comm_; }
  Stream<gpu>* stream() { return &stream_; }
  int device() const { return device_; }

 private:
  friend class NcclOperation;

  static ncclConfig_t NonBlocking() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return config;
  }

  int device_;
  Stream<gpu> stream_;
  ncclComm_t comm_ = nullptr;
  std::function<bool()> connect_;
  std::string broken_;  // why, where it is
  bool joined_ = false, finalizing_ = false;
  int under_way_ = 0;  // operations
  // Calls are launched in the order in which they were made.
  unsigned tickets_ = 0, next_ticket_ = 0;
};

}  // namespace nccl

/// NcclGroup group; ... calls on several providers of one thread ...; group.End();
using NcclGroup = nccl::Group;

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_NCCL
#endif  // MSHADOW_DIST_NCCL_CHANNEL_H_
