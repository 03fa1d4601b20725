// SPDX-License-Identifier: Apache-2.0
// Collectives and messages between ranks that are threads of one process.
#ifndef MSHADOW_DIST_LOCAL_OPERATIONS_H_
#define MSHADOW_DIST_LOCAL_OPERATIONS_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fold.h"
#include "local_group.h"
#include "provider.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// Throws, if another rank has left: what waits for it never ends.
inline void ThrowIfLeft(const LocalGroup& group, int rank, int only = -1) {
  std::vector<int> gone;
  std::string text;
  for (int r = 0; r < group.size(); ++r) {
    if (r == rank || !group.left(r) || (only >= 0 && r != only)) continue;
    text += (gone.empty() ? "" : ", ") + std::to_string(r);
    gone.push_back(r);
  }
  if (gone.empty()) return;
  throw CollectiveError("dist: rank " + std::to_string(rank) + " waits for rank " + text +
                        ", which has left: its communicator is destroyed", gone);
}

/// A collective: takes pieces of the work while there are any.
class LocalCollective : public Operation {
 public:
  LocalCollective(std::shared_ptr<LocalGroup> group, int rank, std::uint64_t number,
                  const Wanted& wanted, const LocalPost& post)
      : group_(std::move(group)),
        rank_(rank),
        number_(number),
        parts_(std::size_t(group_->size())) {
    LocalMeeting& here = meeting();
    here.posts[std::size_t(rank)] = post;
    here.wanted[std::size_t(rank)] = wanted;
    const std::uint64_t uses = (number + 1) / 2, size = static_cast<std::uint64_t>(parts_.size());
    if (here.posted.fetch_add(1, std::memory_order_acq_rel) + 1 == uses * size) Open();
  }
  ~LocalCollective() override {
    if (complete_) return;
    group_->Break(CollectiveError("dist: rank " + std::to_string(rank_) + " gave up its " +
                                  Mine().Text(), {rank_}));
  }

  bool Poll() override {
    LocalMeeting& here = meeting();
    if (here.open.load(std::memory_order_acquire) != number_) {
      group_->Check();
      if (!group_->any_left()) return false;
      if (here.open.load(std::memory_order_acquire) != number_) {
        ThrowIfLeft(*group_, rank_);
        return false;
      }
    }
    if (here.next.load(std::memory_order_relaxed) < here.pieces) {
      const LocalGroup::Busy busy(group_.get());
      while (busy) {
        const std::size_t piece = here.next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= here.pieces) break;
        Run(piece);
        here.finished.fetch_add(1, std::memory_order_release);
      }
    }
    complete_ = here.finished.load(std::memory_order_acquire) == here.pieces;
    if (!complete_) group_->Check();
    return complete_;
  }

 private:
  /// Bytes of a piece: some microseconds of work.
  static constexpr std::size_t kPieceBytes = 65536;

  LocalMeeting& meeting() { return group_->meeting(number_); }
  const Wanted& Mine() { return meeting().wanted[std::size_t(rank_)]; }
  static std::size_t PieceCount(const Wanted& wanted) {
    return kPieceBytes / mshadow_sizeof(wanted.type);
  }
  static std::size_t PiecesOfShare(const Wanted& wanted) {
    const std::size_t unit = PieceCount(wanted);
    return wanted.count / unit + (wanted.count % unit != 0);
  }
  static bool HasShares(const Wanted& wanted) {
    return wanted.kind == Wanted::kReduceScatter || wanted.kind == Wanted::kAllGather;
  }

  /// All ranks are here.
  void Open() {
    LocalMeeting& here = meeting();
    const Wanted& mine = Mine();
    if (const auto error = DifferenceOf(here.wanted)) return group_->Break(*error);
    here.pieces = PiecesOfShare(mine) * (HasShares(mine) ? parts_.size() : 1);
    here.next.store(0, std::memory_order_relaxed);
    here.finished.store(0, std::memory_order_relaxed);
    here.open.store(number_, std::memory_order_release);
  }

  void Run(std::size_t piece) {
    const std::vector<LocalPost>& posts = meeting().posts;
    const Wanted& mine = Mine();
    const std::size_t size = mshadow_sizeof(mine.type), share = PiecesOfShare(mine);
    const std::size_t owner = HasShares(mine) ? piece / share : 0;
    const std::size_t begin = (piece - owner * share) * PieceCount(mine);
    const std::size_t end = (std::min)(mine.count, begin + PieceCount(mine));
    const std::size_t block = kFoldBlock / size;
    for (std::size_t i = begin; i < end; i += block) {
      const std::size_t count = (std::min)(block, end - i);
      RunBlock(posts, mine, owner, i, count, size);
    }
  }

  /// Elements [i, i + count) of the share of `owner`, which stay in the first-level cache.
  void RunBlock(const std::vector<LocalPost>& posts, const Wanted& mine, std::size_t owner,
                std::size_t i, std::size_t count, std::size_t size) {
    const std::size_t in_share = i * size, in_all = (owner * mine.count + i) * size;
    const auto source = [&](std::size_t r, std::size_t at) {
      return static_cast<const char*>(posts[r].in) + at;
    };
    const auto result = [&](std::size_t r, std::size_t at) {
      return static_cast<char*>(posts[r].out) + at;
    };
    const auto fold = [&](std::size_t r, std::size_t from, std::size_t to) {
      for (std::size_t q = 0; q < parts_.size(); ++q) parts_[q] = source(q, from);
      FoldParts(parts_.data(), static_cast<int>(parts_.size()), result(r, to), count, mine.type,
                static_cast<Fold>(mine.fold));
    };
    const auto copy = [&](const char* from, std::size_t at) {
      for (std::size_t r = 0; r < parts_.size(); ++r) {
        if (result(r, at) != from) std::memcpy(result(r, at), from, count * size);
      }
    };
    const auto root = std::size_t(mine.root);
    switch (mine.kind) {
      case Wanted::kAllReduce:
        fold(0, in_share, in_share);
        return copy(result(0, in_share), in_share);
      case Wanted::kReduce: return fold(root, in_share, in_share);
      case Wanted::kReduceScatter: return fold(owner, in_all, in_share);
      case Wanted::kBroadcast: return copy(source(root, in_share), in_share);
      case Wanted::kAllGather: return copy(source(owner, in_share), in_all);
    }
  }

  std::shared_ptr<LocalGroup> group_;
  int rank_;
  std::uint64_t number_;
  std::vector<const void*> parts_;
  bool complete_ = false;
};

/// One end of a message. Whichever rank finds both ends copies.
class LocalTransfer : public Operation {
 public:
  LocalTransfer(std::shared_ptr<LocalGroup> group, int rank, int other, bool sends,
                const void* from, void* to, std::size_t bytes)
      : group_(std::move(group)), rank_(rank), other_(other),
        box_(sends ? group_->mailbox(rank, other) : group_->mailbox(other, rank)),
        message_(std::make_shared<LocalMessage>()) {
    message_->from = from;
    message_->to = to;
    message_->bytes = bytes;
    std::lock_guard<std::mutex> lock(box_.mutex);
    (sends ? box_.sends : box_.receives).push_back(message_);
  }
  ~LocalTransfer() override {
    if (message_->state.load() == LocalMessage::kDone) return;
    group_->Break(CollectiveError("dist: rank " + std::to_string(rank_) + " gave up a message " +
                                  "to or from rank " + std::to_string(other_), {rank_}));
  }
  bool Poll() override {
    if (Done()) return true;
    const bool left = group_->left(other_);
    Meet();
    if (Done()) return true;
    group_->Check();
    if (left && message_->state.load() == LocalMessage::kWaiting) {
      ThrowIfLeft(*group_, rank_, other_);
    }
    return false;
  }

 private:
  bool Done() const { return message_->state.load() == LocalMessage::kDone; }
  void Meet() {
    const LocalGroup::Busy busy(group_.get());
    std::shared_ptr<LocalMessage> send, receive;
    {
      std::lock_guard<std::mutex> lock(box_.mutex);
      if (!busy || box_.sends.empty() || box_.receives.empty()) return;
      send = box_.sends.front();
      receive = box_.receives.front();
      if (send->bytes != receive->bytes) {
        throw CollectiveError("dist: a message of " + std::to_string(send->bytes) +
                              " bytes meets a Recv of " + std::to_string(receive->bytes),
                              {other_});
      }
      box_.sends.pop_front();
      box_.receives.pop_front();
      send->state.store(LocalMessage::kCopying);
      receive->state.store(LocalMessage::kCopying);
    }
    if (send->bytes != 0) std::memmove(receive->to, send->from, send->bytes);
    send->state.store(LocalMessage::kDone);
    receive->state.store(LocalMessage::kDone);
  }

  std::shared_ptr<LocalGroup> group_;
  int rank_, other_;
  LocalMailbox& box_;
  std::shared_ptr<LocalMessage> message_;
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_LOCAL_OPERATIONS_H_
