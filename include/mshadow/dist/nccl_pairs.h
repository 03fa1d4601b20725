// SPDX-License-Identifier: Apache-2.0
// The communicators of pairs of ranks. Part of nccl_provider.h.
#ifndef MSHADOW_DIST_NCCL_PAIRS_H_
#define MSHADOW_DIST_NCCL_PAIRS_H_

#include "nccl_bootstrap.h"

#if MSHADOW_DIST_USE_NCCL

#include <cstdio>
#include <map>

MSHADOW_NAMESPACE_BEGIN
namespace dist::nccl {

/// A communicator of two ranks for each pair and direction, made by the first call.
class PairChannels {
 public:
  enum { kSender = 0, kReceiver = 1 };  // the ranks of a pair

  /// `path`: of the files with ids, where there is no companion.
  PairChannels(int rank, int size, int device, const std::string& path)
      : rank_(rank), size_(size), device_(device), path_(path) {}

  /// The communicator for what `from` sends to `to`, one of which is this rank. The sender makes
  /// its id. Each of them polls until it has come, and then until the other has joined.
  std::shared_ptr<Channel> Get(int from, int to, Provider* companion) {
    MSHADOW_CHECK(from != to && from >= 0 && to >= 0 && from < size_ && to < size_)
        << "NcclProvider: rank " << from << " cannot send to rank " << to << " of " << size_;
    std::shared_ptr<Channel>& pair = pairs_[{from, to}];
    if (pair != nullptr) return pair;
    pair = std::make_shared<Channel>(device_);
    const auto id = std::make_shared<ncclUniqueId>();
    const bool sends = rank_ == from;
    if (sends) Check(ncclGetUniqueId(id.get()), "ncclGetUniqueId");
    std::function<bool()> has_id;
    if (companion != nullptr) {
      std::shared_ptr<Operation> exchange = sends ? companion->Send(id.get(), sizeof(*id), to)
                                                  : companion->Recv(id.get(), sizeof(*id), from);
      has_id = [exchange] { return exchange->Poll(); };
    } else {
      const std::string path = path_ + "." + std::to_string(from) + "-" + std::to_string(to);
      if (sends) WriteId(path, *id);
      has_id = [=] {
        if (sends) return true;
        const bool read = ReadId(path, id.get());
        if (read) std::remove(path.c_str());
        return read;
      };
    }
    Channel* const channel = pair.get();
    pair->InitLater([=] {
      if (!has_id()) return false;
      channel->Init(*id, sends ? kSender : kReceiver, 2);
      return true;
    });
    return pair;
  }

  void Abort(const std::string& why) noexcept {
    for (auto& pair : pairs_) pair.second->Abort(why);
  }
  /// As Channel::Finalize, of all.
  bool Finalize() {
    bool done = true;
    for (auto& pair : pairs_) done = pair.second->Finalize() && done;
    return done;
  }

 private:
  int rank_, size_, device_;
  std::string path_;
  std::map<std::pair<int, int>, std::shared_ptr<Channel>> pairs_;  // from, to
};

}  // namespace dist::nccl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_NCCL
#endif  // MSHADOW_DIST_NCCL_PAIRS_H_
