// SPDX-License-Identifier: Apache-2.0
// The thread of each rank that owns the communicator of a model.
#ifndef MSHADOW_PS_RANK_LOOP_H_
#define MSHADOW_PS_RANK_LOOP_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "../mshadow/dist.h"
#include "schedule.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// Runs jobs that all ranks are ready for, one after the other, in the same order on all of them.
/// In each step every rank sends the others the jobs that it has become ready for, and all choose
/// the next one by the same rule. A rank that has nothing to send waits a little first, and takes
/// part all the same: so a step fails only where a rank is stopped or dead.
class RankLoop {
 public:
  /// Runs on the thread of the loop: with nullptr together with all other ranks, else with the
  /// error that keeps them from it. Must not throw.
  using Work = std::function<void(const std::exception_ptr&)>;
  using World = dist::Communicator<cpu>;

  explicit RankLoop(World* world)
      : world_(world), timeout_(world->channel()->options().timeout), schedule_(world->size()),
        thread_([this] { Run(); }) {}
  RankLoop(const RankLoop&) = delete;
  RankLoop& operator=(const RankLoop&) = delete;
  ~RankLoop() { Stop(); }

  /// This rank is ready for `job`, and does it by `work`.
  void Add(const Job& job, Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    inbox_.emplace_back(job, std::move(work));
    changed_.notify_all();
  }
  /// Leaves, with all other ranks. All work has been done.
  void Stop() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  using Id = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
  /// What a rank sends in a step.
  struct Message {
    static constexpr std::uint32_t kJobs = 8;
    std::uint32_t count = 0;
    /// 1: this rank will be ready for nothing more; it has waited too long.
    std::uint16_t leaves = 0, late = 0;
    Job jobs[kJobs];
  };

  static Id IdOf(const Job& job) { return Id(job.key, job.kind, job.number); }

  void Run() {
    try {
      while (Step()) {
      }
      return;
    } catch (const std::exception&) {
      // The communicator is broken: what calls it throws the same.
    }
    RunAll(nullptr);
    Lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !inbox_.empty(); });
      if (inbox_.empty()) return;
      const Work work = std::move(inbox_.front().second);
      inbox_.pop_front();
      lock.unlock();
      work(nullptr);
      lock.lock();
    }
  }

  /// False once all ranks leave.
  bool Step() {
    const Message mine = Tell();
    const int ranks = world_->size();
    std::vector<Message> all(static_cast<std::size_t>(ranks));
    world_->AllGather(Bytes(const_cast<Message*>(&mine), 1), Bytes(all.data(), ranks), "next key")
        .Wait();
    int leaving = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Message& told = all[std::size_t(rank)];
      for (std::uint32_t i = 0; i < told.count; ++i) schedule_.Announce(rank, told.jobs[i]);
      leaving += told.leaves;
    }
    if (leaving == ranks) return false;
    FailIfStuck(all);

    Job job;
    std::string error;
    if (schedule_.Next(&job, &error)) {
      const auto it = works_.find(IdOf(job));
      const Work work = std::move(it->second);
      works_.erase(it);
      work(error.empty() ? nullptr : std::make_exception_ptr(Error(error)));
      waits_since_ = Clock::now();
      pause_ = kLeast;
    } else if (schedule_.Waits()) {
      pause_ = std::min<Clock::duration>(2 * pause_, kMost);
    } else {
      waits_since_ = Clock::now();
      pause_ = kIdle;
    }
    return true;
  }

  /// Waits for something to tell, at most until pause_ is over.
  Message Tell() {
    Message message;
    std::vector<Work> refused;
    {
      Lock lock(mutex_);
      if (!schedule_.HasNext()) {
        changed_.wait_for(lock, pause_, [this] { return stop_ || !inbox_.empty(); });
      }
      while (!inbox_.empty() && message.count < Message::kJobs) {
        if (!failed_.empty()) {
          refused.push_back(std::move(inbox_.front().second));
        } else {
          message.jobs[message.count++] = inbox_.front().first;
          works_[IdOf(inbox_.front().first)] = std::move(inbox_.front().second);
        }
        inbox_.pop_front();
      }
      message.leaves = stop_ && inbox_.empty();
    }
    for (const Work& work : refused) work(Failure());
    const double waited = std::chrono::duration<double>(Clock::now() - waits_since_).count();
    message.late = schedule_.Waits() && !schedule_.HasNext() && waited > timeout_;
    return message;
  }

  /// Ends all work if a rank has waited too long, or waits for one that leaves. All ranks see the
  /// same messages, and come to the same end.
  void FailIfStuck(const std::vector<Message>& all) {
    std::string why;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].leaves && schedule_.WaitsFor(static_cast<int>(rank))) {
        why += "rank " + std::to_string(rank) + " has destroyed its model; ";
        failed_ranks_.push_back(static_cast<int>(rank));
      }
      if (all[rank].late) {
        why += "rank " + std::to_string(rank) + " has waited longer than the time limit; ";
      }
    }
    if (why.empty() || !failed_.empty()) return;
    failed_ = "mshadow::ps: " + why + "the ranks wait for" + schedule_.Waiting();
    schedule_ = Schedule(world_->size());
    RunAll(Failure());
  }
  std::exception_ptr Failure() const {
    return std::make_exception_ptr(dist::CollectiveError(failed_, failed_ranks_));
  }
  void RunAll(const std::exception_ptr& error) {
    std::map<Id, Work> works = std::move(works_);
    works_.clear();
    for (const auto& work : works) work.second(error);
  }

  static Tensor<cpu, 1, std::uint8_t> Bytes(Message* messages, int count) {
    return Tensor<cpu, 1, std::uint8_t>(
        reinterpret_cast<std::uint8_t*>(messages),
        Shape1(static_cast<index_t>(sizeof(Message) * static_cast<std::size_t>(count))));
  }

  // Pauses between steps in which nothing is to be done: while ranks wait for each other, and while
  // none does.
  static constexpr Clock::duration kLeast = std::chrono::microseconds(20);
  static constexpr Clock::duration kMost = std::chrono::milliseconds(1);
  static constexpr Clock::duration kIdle = std::chrono::milliseconds(100);

  World* const world_;
  const double timeout_;
  std::mutex mutex_;  // of the next three
  std::condition_variable changed_;
  std::deque<std::pair<Job, Work>> inbox_;
  bool stop_ = false;
  // Used by the thread alone:
  Schedule schedule_;
  std::map<Id, Work> works_;
  Clock::duration pause_ = kIdle;
  Clock::time_point waits_since_ = Clock::now();
  std::string failed_;
  std::vector<int> failed_ranks_;
  std::thread thread_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_RANK_LOOP_H_
