// SPDX-License-Identifier: Apache-2.0
// Collectives on the memory of GPUs, by NCCL. MSHADOW_DIST_USE_NCCL=1 compiles it in; the program
// links with -lnccl and -lcudart. Only host code: g++ compiles it as nvcc does.
#ifndef MSHADOW_DIST_NCCL_PROVIDER_H_
#define MSHADOW_DIST_NCCL_PROVIDER_H_

#include "nccl_operation.h"
#include "nccl_pairs.h"

#if MSHADOW_DIST_USE_NCCL

#include <algorithm>
#include <cstdio>
#include <memory>

MSHADOW_NAMESPACE_BEGIN
namespace dist {
/// Provider for memory of the device that is current where it is made.
///
/// Folds: NCCL adds in an order of its own. All ranks get the same bits, and the same bits in
/// every run on the same GPUs. 16-bit floats are added in float and rounded to 16 bits at every
/// rank that they pass. Means are ncclAvg: parts are scaled before they are added. bool is
/// folded as 0 and 1. NCCL has no 16-bit integers: Error.
///
/// Calls start after the events that StartAfter named since the last one. Memory of the host, as
/// the engine's checks hand over, goes through the companion, a provider of the same ranks. Without
/// one it goes through a copy on the device, and errors do not say where other ranks are.
///
/// Send and Recv have a communicator of two ranks for each pair and direction, made by the first
/// call: they wait neither for collectives nor for each other.
class NcclProvider : public Provider {
 public:
  /// The rank `companion->rank()` of a group of `companion->size()`. Waits for the others,
  /// `timeout` seconds at most.
  static std::unique_ptr<NcclProvider> WithCompanion(std::unique_ptr<Provider> companion,
                                                     double timeout = 60) {
    std::vector<std::unique_ptr<Provider>> companions;
    companions.push_back(std::move(companion));
    return std::move(ForDevices(std::move(companions), {CurrentDevice()}, timeout)[0]);
  }

  /// Providers for several devices of one thread, as many as there are companions. Calls on them
  /// stand in an NcclGroup.
  static std::vector<std::unique_ptr<NcclProvider>> ForDevices(
      std::vector<std::unique_ptr<Provider>> companions, const std::vector<int>& devices,
      double timeout = 60) {
    MSHADOW_CHECK(companions.size() == devices.size())
        << "NcclProvider: " << companions.size() << " companions for " << devices.size()
        << " devices";
    const nccl::Deadline deadline(timeout);
    const auto hellos = nccl::Exchange(companions, devices, deadline);
    std::vector<std::unique_ptr<NcclProvider>> made;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const int rank = companions[i]->rank(), size = companions[i]->size();
      made.emplace_back(
          new NcclProvider(std::move(companions[i]), "", rank, size, devices[i], timeout));
    }
    NcclGroup group;
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i]->channel_->Init(hellos[i][0].id, made[i]->rank(), made[i]->size());
    }
    group.End();
    for (const auto& provider : made) provider->WaitUntilReady("ncclCommInitRankConfig", deadline);
    return made;
  }

  /// Without a companion: rank 0 writes NCCL's id to the file `path`, which all ranks see, and
  /// deletes it once all have come. A file that a killed run left must be deleted first: ranks that
  /// read it wait in vain, `timeout` seconds.
  static std::unique_ptr<NcclProvider> WithFile(const std::string& path, int rank, int size,
                                                double timeout = 60) {
    MSHADOW_CHECK(size > 0 && rank >= 0 && rank < size)
        << "NcclProvider: rank " << rank << " of " << size;
    const nccl::Deadline deadline(timeout);
    std::unique_ptr<NcclProvider> made(
        new NcclProvider(nullptr, path, rank, size, CurrentDevice(), timeout));
    made->channel_->Init(nccl::IdInFile(path, rank, deadline), rank, size);
    made->WaitUntilReady("ncclCommInitRankConfig", deadline);
    if (rank == 0) std::remove(path.c_str());
    const nccl::Hello hello = nccl::HelloOf(made->device_);
    made->hello_.resize(size);
    std::vector<OperationPointer> gather;
    gather.push_back(made->AllGather(&hello, made->hello_.data(), sizeof(nccl::Hello)));
    nccl::WaitForAll(std::move(gather), "NcclProvider: the exchange of host names", deadline);
    return made;
  }

  ~NcclProvider() override {
    try {
      const nccl::Deadline deadline(kSecondsToFinalize);
      while (!Finalize() && !deadline.Over()) std::this_thread::yield();
    } catch (const dmlc::Error&) {
      // A lost rank: the channels abort what is left.
    }
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const char* name() const override { return "nccl"; }
  std::string host(int rank) const override {
    if (companion_ != nullptr) return companion_->host(rank);
    return std::string(hello_[rank].host) + ", process " + std::to_string(hello_[rank].process);
  }
  int local_size() const override {
    if (companion_ != nullptr) return companion_->local_size();
    const auto here = [&](const nccl::Hello& other) {
      return nccl::OnOneHost(other, hello_[rank_]);
    };
    return static_cast<int>(std::count_if(hello_.begin(), hello_.end(), here));
  }

  bool TakesDeviceMemory(bool) const override { return true; }
  bool StartAfter(void* event) override {
    after_.push_back(static_cast<cudaEvent_t>(event));
    return true;
  }

  /// Ends the communicators of ForDevices, each of which waits for the others.
  static void Close(std::vector<std::unique_ptr<NcclProvider>>* providers, double timeout = 60) {
    const nccl::Deadline deadline(timeout);
    deadline.Wait("ncclCommFinalize", [&] {
      bool closed = true;
      for (const auto& provider : *providers) closed = provider->Finalize() && closed;
      return closed;
    });
    providers->clear();
  }

  OperationPointer AllReduce(void* data, std::size_t count, int type, Fold fold) override {
    const std::size_t bytes = count * mshadow_sizeof(type);
    if (UsesCompanion(data, bytes)) return companion_->AllReduce(data, count, type, fold);
    const nccl::Folding f = nccl::FoldingOf(type, fold);
    return Start("AllReduce", {data, bytes}, {data, bytes}, [=](auto in, auto out, auto... on) {
      return ncclAllReduce(in, out, count, f.type, f.op, on...);
    });
  }
  OperationPointer Reduce(const void* in, void* out, std::size_t count, int type, Fold fold,
                          int root) override {
    const std::size_t bytes = count * mshadow_sizeof(type);
    if (UsesCompanion(in, bytes)) return companion_->Reduce(in, out, count, type, fold, root);
    const nccl::Folding f = nccl::FoldingOf(type, fold);
    return Start("Reduce", Read(in, bytes), {out, rank_ == root ? bytes : 0},
                 [=](auto from, auto to, auto... on) {
                   return ncclReduce(from, to, count, f.type, f.op, root, on...);
                 });
  }
  OperationPointer ReduceScatter(const void* in, void* out, std::size_t count, int type,
                                 Fold fold) override {
    const std::size_t bytes = count * mshadow_sizeof(type);
    if (UsesCompanion(in, bytes)) return companion_->ReduceScatter(in, out, count, type, fold);
    const nccl::Folding f = nccl::FoldingOf(type, fold);
    return Start("ReduceScatter", Read(in, bytes * size_), {out, bytes},
                 [=](auto from, auto to, auto... on) {
                   return ncclReduceScatter(from, to, count, f.type, f.op, on...);
                 });
  }
  OperationPointer Broadcast(void* data, std::size_t bytes, int root,
                             int type = kUint8) override {
    if (UsesCompanion(data, bytes)) return companion_->Broadcast(data, bytes, root, type);
    return Start("Broadcast", {data, bytes}, {data, bytes}, [=](auto in, auto out, auto... on) {
      return ncclBroadcast(in, out, bytes, ncclUint8, root, on...);
    });
  }
  OperationPointer AllGather(const void* in, void* out, std::size_t bytes,
                             int type = kUint8) override {
    if (UsesCompanion(in, bytes)) return companion_->AllGather(in, out, bytes, type);
    return Start("AllGather", Read(in, bytes), {out, bytes * size_},
                 [=](auto from, auto to, auto... on) {
                   return ncclAllGather(from, to, bytes, ncclUint8, on...);
                 });
  }
  OperationPointer Send(const void* data, std::size_t bytes, int to) override {
    if (UsesCompanion(data, bytes)) return companion_->Send(data, bytes, to);
    return StartOn(pairs_.Get(rank_, to, companion_.get()), "Send", Read(data, bytes), {nullptr, 0},
                   [=](auto in, auto, auto... on) {
                     return ncclSend(in, bytes, ncclUint8, nccl::PairChannels::kReceiver, on...);
                   });
  }
  OperationPointer Recv(void* data, std::size_t bytes, int from) override {
    if (UsesCompanion(data, bytes)) return companion_->Recv(data, bytes, from);
    return StartOn(pairs_.Get(from, rank_, companion_.get()), "Recv", {nullptr, 0}, {data, bytes},
                   [=](auto, auto out, auto... on) {
                     return ncclRecv(out, bytes, ncclUint8, nccl::PairChannels::kSender, on...);
                   });
  }

  bool TakesThreads() const override {
    return companion_ == nullptr || companion_->TakesThreads();
  }
  int NewGroup() override { return companion_ == nullptr ? 0 : companion_->NewGroup(); }
  /// Waits for all ranks of this group.
  std::unique_ptr<Provider> Split(const std::vector<int>& members, int number) override {
    const auto me = std::find(members.begin(), members.end(), rank_);
    MSHADOW_CHECK(me != members.end()) << "NcclProvider: rank " << rank_ << " is no member";
    const nccl::Deadline deadline(timeout_);
    const std::string path =
        path_.empty() ? "" : path_ + "." + std::to_string(++splits_) + "." +
                                 std::to_string(members[0]);
    std::unique_ptr<NcclProvider> part(new NcclProvider(
        companion_ == nullptr ? nullptr : companion_->Split(members, number), path,
        static_cast<int>(me - members.begin()), static_cast<int>(members.size()), device_,
        timeout_));
    part->channel_->Split(channel_.get(), members[0], part->rank_);
    deadline.Wait("ncclCommSplit", [&] { return channel_->Ready(); });
    part->WaitUntilReady("ncclCommSplit", deadline);
    if (companion_ == nullptr) {
      for (int member : members) part->hello_.push_back(hello_[member]);
    }
    return part;
  }

  // Without a companion nobody asks, and nobody answers.
  bool Asked() override { return companion_ != nullptr && companion_->Asked(); }
  void Answer(const std::string& where) override {
    if (companion_ != nullptr) companion_->Answer(where);
  }
  std::vector<std::string> Inquire(const std::string& where, double seconds) override {
    if (companion_ != nullptr) return companion_->Inquire(where, seconds);
    std::vector<std::string> answers(size_);
    answers[rank_] = where;
    return answers;
  }
  void Fail(const CollectiveError& error) noexcept override {
    AbortChannels(error.what());
    if (companion_ != nullptr) companion_->Fail(error);
  }
  void Abort(const std::string& why) noexcept override {
    AbortChannels(why);
    if (companion_ != nullptr) companion_->Abort(why);
  }

 private:
  NcclProvider(std::unique_ptr<Provider> companion, const std::string& path, int rank, int size,
               int device, double timeout)
      : companion_(std::move(companion)),
        path_(path),
        rank_(rank),
        size_(size),
        device_(device),
        timeout_(timeout),
        channel_(std::make_shared<nccl::Channel>(device)),
        pairs_(rank, size, device, path) {}

  static int CurrentDevice() {
    int device = 0;
    cuda::Check(cudaGetDevice(&device), "cudaGetDevice");
    return device;
  }

  void WaitUntilReady(const char* call, const nccl::Deadline& deadline) {
    deadline.Wait(call, [&] { return channel_->Ready(); });
  }

  /// True if a call on `memory` is the companion's. Without bytes all ranks take that path.
  bool UsesCompanion(const void* memory, std::size_t bytes) {
    if (companion_ == nullptr || (bytes != 0 && nccl::IsOnDevice(memory))) return false;
    after_.clear();
    return true;
  }

  static nccl::Bytes Read(const void* data, std::size_t bytes) {
    return {const_cast<void*>(data), bytes};  // NcclOperation does not write what is in
  }

  OperationPointer Start(const char* name, nccl::Bytes in, nccl::Bytes out,
                         nccl::NcclOperation::Call call) {
    return StartOn(channel_, name, in, out, std::move(call));
  }
  OperationPointer StartOn(const std::shared_ptr<nccl::Channel>& channel, const char* name,
                           nccl::Bytes in, nccl::Bytes out, nccl::NcclOperation::Call call) {
    return std::make_unique<nccl::NcclOperation>(channel, std::exchange(after_, {}), in, out,
                                                 std::move(call), name);
  }

  /// ncclCommAbort: kernels that wait for other ranks end.
  void AbortChannels(const std::string& why) noexcept {
    channel_->Abort(why);
    pairs_.Abort(why);
  }

  /// A step of the end of all communicators, which wait for the other ranks. True once it is over.
  bool Finalize() {
    const bool done = channel_->Finalize();
    return pairs_.Finalize() && done;
  }

  static constexpr double kSecondsToFinalize = 5;

  std::unique_ptr<Provider> companion_;
  std::string path_;  // of the file with the id, where there is no companion
  int rank_, size_, device_;
  double timeout_;
  int splits_ = 0;
  std::shared_ptr<nccl::Channel> channel_;
  nccl::PairChannels pairs_;
  std::vector<nccl::Hello> hello_;  // of all ranks, where there is no companion
  std::vector<cudaEvent_t> after_;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_NCCL
#endif  // MSHADOW_DIST_NCCL_PROVIDER_H_
