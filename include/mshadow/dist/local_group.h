// SPDX-License-Identifier: Apache-2.0
// What ranks that are threads of one process share.
#ifndef MSHADOW_DIST_LOCAL_GROUP_H_
#define MSHADOW_DIST_LOCAL_GROUP_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "provider.h"
#include "signature.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// What a rank brings to a collective.
struct LocalPost {
  const void* in;
  void* out;
};

/// One collective. Ranks post what they bring; the last one opens it. The work is cut into pieces,
/// which any rank that has time takes: a rank that is busy elsewhere holds up nobody. There are two
/// meetings, used in turn: no rank starts a collective before every rank has posted the last one.
struct LocalMeeting {
  std::vector<LocalPost> posts;
  std::vector<Wanted> wanted;
  alignas(64) std::atomic<std::uint64_t> posted{0};
  /// The number of the collective that is open here, from 1.
  alignas(64) std::atomic<std::uint64_t> open{0};
  std::size_t pieces = 0;
  alignas(64) std::atomic<std::size_t> next{0};
  alignas(64) std::atomic<std::size_t> finished{0};
};

/// One end of a message.
struct LocalMessage {
  enum State { kWaiting, kCopying, kDone };
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
  std::atomic<int> state{kWaiting};
};

/// The messages from one rank to another that have not met.
struct LocalMailbox {
  std::mutex mutex;
  std::deque<std::shared_ptr<LocalMessage>> sends, receives;
};

class LocalGroup {
 public:
  explicit LocalGroup(int size)
      : size_(size),
        mailboxes_(std::size_t(size) * std::size_t(size)),
        left_(std::size_t(size)),
        places_(std::size_t(size)) {
    for (LocalMeeting& meeting : meetings_) {
      meeting.posts.resize(std::size_t(size));
      meeting.wanted.assign(std::size_t(size), Wanted(Wanted::kAllReduce, 0, kUint8));
    }
  }

  int size() const { return size_; }
  LocalMeeting& meeting(std::uint64_t number) { return meetings_[number % 2]; }
  LocalMailbox& mailbox(int from, int to) { return mailboxes_[std::size_t(from * size_ + to)]; }

  // ---- Failures ----

  /// Whoever touches memory of other ranks holds this meanwhile. Where it is false, the group is
  /// broken.
  class Busy {
   public:
    explicit Busy(LocalGroup* group) : group_(group) { group_->busy_.fetch_add(1); }
    ~Busy() { group_->busy_.fetch_sub(1); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    explicit operator bool() const { return !group_->broken_.load(); }

   private:
    LocalGroup* group_;
  };

  /// Every call of every rank throws `error` from now on. Returns when no rank touches memory of
  /// another, so that what was handed over may be freed.
  void Break(const CollectiveError& error) noexcept {
    std::vector<std::pair<std::shared_ptr<LocalGroup>, std::vector<int>>> children;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_.reset(new CollectiveError(error));
      broken_.store(true);
      for (const auto& child : children_) {
        if (auto group = child.first.lock()) children.emplace_back(group, child.second);
      }
    }
    changed_.notify_all();
    while (busy_.load() != 0) std::this_thread::yield();
    for (const auto& child : children) {
      std::vector<int> ranks;
      for (const int rank : error.ranks) {
        for (std::size_t i = 0; i < child.second.size(); ++i) {
          if (child.second[i] == rank) ranks.push_back(static_cast<int>(i));
        }
      }
      child.first->Break(CollectiveError(error.what(), ranks));
    }
  }
  bool broken() const { return broken_.load(); }
  /// Throws what broke the group, if it is broken.
  void Check() {
    if (!broken_.load()) return;
    while (busy_.load() != 0) std::this_thread::yield();
    std::lock_guard<std::mutex> lock(mutex_);
    throw CollectiveError(*error_);
  }

  /// `rank` takes part in nothing from now on.
  void Leave(int rank) {
    left_[std::size_t(rank)].store(true);
    any_left_.store(true);
    std::lock_guard<std::mutex> lock(mutex_);
    // What it answered stands: those that asked may not have read it yet.
    Place& place = places_[std::size_t(rank)];
    if (place.answered < asked_.load()) place.text.clear();
    changed_.notify_all();
  }
  bool any_left() const { return any_left_.load(); }
  bool left(int rank) const { return left_[std::size_t(rank)].load(); }

  // ---- Where ranks are ----

  std::uint64_t asked() const { return asked_.load(std::memory_order_relaxed); }
  void Tell(int rank, const std::string& where) {
    std::lock_guard<std::mutex> lock(mutex_);
    places_[std::size_t(rank)] = Place{where, asked_.load(), false};
    changed_.notify_all();
  }
  std::vector<std::string> Inquire(int rank, const std::string& where, double seconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t question = asked_.load() + 1;
    asked_.store(question);
    Place& mine = places_[std::size_t(rank)];
    mine = Place{where, question, true};  // it answers nobody else meanwhile
    const auto answered = [&](std::size_t r) {
      return left_[r].load() || places_[r].inquires || places_[r].answered >= question;
    };
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
      for (std::size_t r = 0; r < places_.size(); ++r) {
        if (!answered(r)) return false;
      }
      return true;
    });
    mine.answered = asked_.load();  // of those that asked meanwhile
    mine.inquires = false;
    std::vector<std::string> all(places_.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (answered(r)) all[r] = places_[r].text;
    }
    return all;
  }

  // ---- Groups of some of the ranks ----

  /// The group of `members` that the `number`-th Split makes; its members get the same one.
  static std::shared_ptr<LocalGroup> Split(const std::shared_ptr<LocalGroup>& parent,
                                           std::uint64_t number, const std::vector<int>& members) {
    std::lock_guard<std::mutex> lock(parent->mutex_);
    auto& entry = parent->splits_[{number, members[0]}];
    if (!entry.first) {
      entry.first = std::make_shared<LocalGroup>(static_cast<int>(members.size()));
      parent->children_.emplace_back(entry.first, members);
      if (parent->error_) {
        entry.first->error_.reset(new CollectiveError(*parent->error_));
        entry.first->broken_.store(true);
      }
    }
    const std::shared_ptr<LocalGroup> group = entry.first;
    if (++entry.second == static_cast<int>(members.size())) {
      parent->splits_.erase({number, members[0]});
    }
    return group;
  }

 private:
  struct Place {
    std::string text;
    std::uint64_t answered = 0;
    bool inquires = false;
  };

  const int size_;
  LocalMeeting meetings_[2];
  std::vector<LocalMailbox> mailboxes_;
  std::atomic<int> busy_{0};
  std::atomic<bool> broken_{false};
  std::atomic<bool> any_left_{false};
  std::vector<std::atomic<bool>> left_;
  std::atomic<std::uint64_t> asked_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<CollectiveError> error_;
  std::vector<Place> places_;
  std::map<std::pair<std::uint64_t, int>, std::pair<std::shared_ptr<LocalGroup>, int>> splits_;
  std::vector<std::pair<std::weak_ptr<LocalGroup>, std::vector<int>>> children_;
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_LOCAL_GROUP_H_
