// SPDX-License-Identifier: Apache-2.0
// The order in which the ranks of "dist" work on keys: the same on all, though each is ready with
// them in an order of its own.
#ifndef MSHADOW_PS_SCHEDULE_H_
#define MSHADOW_PS_SCHEDULE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../mshadow/core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// What a rank is ready to do together with the others. Travels as bytes.
struct Job {
  enum Kind : std::int32_t { kInit, kSetWeight, kPush };

  std::int32_t key = 0;
  std::int32_t kind = kPush;
  /// Among those of the key and kind.
  std::uint64_t number = 0;
  std::int32_t priority = 0;
  /// 1: this rank failed with its part.
  std::int32_t failed = 0;
  // What must be equal on all ranks.
  std::int32_t gather = 0, updates = 0;
  std::uint64_t devices = 0;
  std::uint64_t rows = 0, cols = 0;

  bool Matches(const Job& other) const {
    return gather == other.gather && updates == other.updates && rows == other.rows &&
           cols == other.cols && (!gather || devices == other.devices);
  }
  std::string Text() const {
    return "shape (" + std::to_string(rows) + "," + std::to_string(cols) + ") as a matrix, " +
           (gather ? "gathered from " + std::to_string(devices) + " devices" : "summed") +
           (updates ? ", with an updater" : "");
  }
  std::string Name() const {
    const char* const names[] = {"InitKey", "SetWeight", "push"};
    return std::string(names[kind]) + " " + std::to_string(number) + " of key " +
           std::to_string(key);
  }
};

/// Every rank has one and gives it the same news in the same order. So all choose the same jobs.
class Schedule {
 public:
  explicit Schedule(int ranks) : ranks_(ranks) {}

  /// `rank` is ready for `job`.
  void Announce(int rank, const Job& job) {
    State& state = states_[Id(job.kind, job.key, job.number)];
    if (state.jobs.empty()) state.jobs.resize(std::size_t(ranks_));
    state.jobs[std::size_t(rank)] = job;
    state.ready.push_back(rank);
    state.priority = (std::max)(state.priority, job.priority);
    if (static_cast<int>(state.ready.size()) == ranks_) state.complete = ++completed_;
  }
  /// Takes the job that comes next: among those that all ranks are ready for, weights before
  /// pushes, then the largest priority of any rank, then the one that was complete first. False if
  /// there is none. `error`: why ranks cannot do it together, or empty.
  bool Next(Job* job, std::string* error) {
    auto best = states_.end();
    for (auto it = states_.begin(); it != states_.end(); ++it) {
      if (it->second.complete == 0) continue;
      if (best == states_.end() || Rank(*it) < Rank(*best)) best = it;
    }
    if (best == states_.end()) return false;
    *job = best->second.jobs[0];
    *error = ErrorOf(best->second.jobs);
    states_.erase(best);
    return true;
  }
  bool HasNext() const {
    for (const auto& state : states_) {
      if (state.second.complete != 0) return true;
    }
    return false;
  }
  /// True if some rank waits for others.
  bool Waits() const { return !states_.empty(); }
  /// The jobs that wait, with the ranks that they wait for.
  std::string Waiting() const {
    std::string text;
    for (const auto& state : states_) {
      if (state.second.complete != 0) continue;
      const Job& job = state.second.jobs[std::size_t(state.second.ready[0])];
      text += "\n  " + job.Name() + ": not there is rank";
      for (int rank = 0; rank < ranks_; ++rank) {
        if (!IsReady(state.second, rank)) text += " " + std::to_string(rank);
      }
    }
    return text;
  }
  /// True if a job waits for `rank`.
  bool WaitsFor(int rank) const {
    for (const auto& state : states_) {
      if (!IsReady(state.second, rank)) return true;
    }
    return false;
  }

 private:
  using Id = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
  struct State {
    std::vector<Job> jobs;
    std::vector<int> ready;
    std::int32_t priority = INT32_MIN;
    std::uint64_t complete = 0;
  };

  static bool IsReady(const State& state, int rank) {
    return std::find(state.ready.begin(), state.ready.end(), rank) != state.ready.end();
  }
  /// Smaller comes first.
  static std::tuple<bool, std::int64_t, std::uint64_t> Rank(const std::pair<const Id, State>& s) {
    return {std::get<0>(s.first) == Job::kPush, -std::int64_t{s.second.priority},
            s.second.complete};
  }
  static std::string ErrorOf(const std::vector<Job>& jobs) {
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
      if (jobs[rank].failed) {
        return "mshadow::ps: " + jobs[0].Name() + ": rank " + std::to_string(rank) + " failed";
      }
      if (!jobs[rank].Matches(jobs[0])) {
        return "mshadow::ps: the ranks differ in key " + std::to_string(jobs[0].key) +
               ":\n  rank 0: " + jobs[0].Text() + "\n  rank " + std::to_string(rank) + ": " +
               jobs[rank].Text();
      }
    }
    return "";
  }

  int ranks_;
  std::uint64_t completed_ = 0;
  std::map<Id, State> states_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_SCHEDULE_H_
