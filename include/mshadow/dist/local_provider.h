// SPDX-License-Identifier: Apache-2.0
// LocalProvider: ranks are threads of one process. They fold straight from each other's memory.
#ifndef MSHADOW_DIST_LOCAL_PROVIDER_H_
#define MSHADOW_DIST_LOCAL_PROVIDER_H_

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "local_group.h"
#include "local_operations.h"
#include "provider.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// "node7, process 1234" of this process.
inline std::string HostAndProcess() {
#if defined(__unix__) || defined(__APPLE__)
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) std::strcpy(name, "unknown host");
  return std::string(name) + ", process " + std::to_string(getpid());
#else
  return "this process";
#endif
}

/// A rank of a group of threads. Make all ranks of a group with MakeLocalProviders.
class LocalProvider : public Provider {
 public:
  LocalProvider(std::shared_ptr<detail::LocalGroup> group, int rank)
      : group_(std::move(group)), rank_(rank) {}
  ~LocalProvider() override { group_->Leave(rank_); }

  int rank() const override { return rank_; }
  int size() const override { return group_->size(); }
  const char* name() const override { return "local"; }
  std::string host(int rank) const override {
    return HostAndProcess() + ", thread " + std::to_string(rank);
  }
  int local_size() const override { return size(); }

  OperationPointer AllReduce(void* data, std::size_t count, int type, Fold fold) override {
    return Post(Wanted(Wanted::kAllReduce, count, type, fold), data, data);
  }
  OperationPointer Reduce(const void* in, void* out, std::size_t count, int type, Fold fold,
                          int root) override {
    return Post(Wanted(Wanted::kReduce, count, type, fold, root), in, out);
  }
  OperationPointer ReduceScatter(const void* in, void* out, std::size_t count, int type,
                                 Fold fold) override {
    return Post(Wanted(Wanted::kReduceScatter, count, type, fold), in, out);
  }
  OperationPointer Broadcast(void* data, std::size_t bytes, int root,
                             int type = kUint8) override {
    const std::size_t count = bytes / mshadow_sizeof(type);
    return Post(Wanted(Wanted::kBroadcast, count, type, Fold::kSum, root), data, data);
  }
  OperationPointer AllGather(const void* in, void* out, std::size_t bytes,
                             int type = kUint8) override {
    return Post(Wanted(Wanted::kAllGather, bytes / mshadow_sizeof(type), type), in, out);
  }
  OperationPointer Send(const void* data, std::size_t bytes, int to) override {
    return OperationPointer(
        new detail::LocalTransfer(group_, rank_, to, true, data, nullptr, bytes));
  }
  OperationPointer Recv(void* data, std::size_t bytes, int from) override {
    return OperationPointer(
        new detail::LocalTransfer(group_, rank_, from, false, nullptr, data, bytes));
  }

  std::unique_ptr<Provider> Split(const std::vector<int>& members, int) override {
    const auto group = detail::LocalGroup::Split(group_, ++splits_, members);
    const auto me = std::find(members.begin(), members.end(), rank_) - members.begin();
    return std::unique_ptr<Provider>(new LocalProvider(group, static_cast<int>(me)));
  }

  bool Asked() override { return group_->asked() != answered_; }
  void Answer(const std::string& where) override {
    answered_ = group_->asked();
    group_->Tell(rank_, where);
  }
  std::vector<std::string> Inquire(const std::string& where, double seconds) override {
    return group_->Inquire(rank_, where, seconds);
  }
  void Fail(const CollectiveError& error) noexcept override { group_->Break(error); }
  void Abort(const std::string& why) noexcept override {
    group_->Break(CollectiveError(why, {rank_}));
  }

 private:
  using Wanted = detail::Wanted;

  OperationPointer Post(const Wanted& wanted, const void* in, void* out) {
    return OperationPointer(
        new detail::LocalCollective(group_, rank_, ++collectives_, wanted, {in, out}));
  }

  std::shared_ptr<detail::LocalGroup> group_;
  int rank_;
  std::uint64_t collectives_ = 0, splits_ = 0, answered_ = 0;
};

/// The `size` ranks of a new group, one for each thread.
inline std::vector<std::unique_ptr<Provider>> MakeLocalProviders(int size) {
  const auto group = std::make_shared<detail::LocalGroup>(size);
  std::vector<std::unique_ptr<Provider>> all;
  for (int rank = 0; rank < size; ++rank) all.emplace_back(new LocalProvider(group, rank));
  return all;
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_LOCAL_PROVIDER_H_
