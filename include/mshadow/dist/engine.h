// SPDX-License-Identifier: Apache-2.0
// Engine: who drives the calls of the communicators of a process, its own thread or the callers.
#ifndef MSHADOW_DIST_ENGINE_H_
#define MSHADOW_DIST_ENGINE_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "options.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// Waits a little longer each time: spins, yields, then sleeps. What takes microseconds is noticed
/// at once, and what takes long leaves the core to others.
class Backoff {
 public:
  void Reset() { count_ = 0; }
  void Pause() {
    ++count_;
    if (count_ <= kSpins) return Relax();
    if (count_ <= kYields) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  static constexpr int kSpins = 20, kYields = 2000;
  static void Relax() {
#if (defined(__x86_64__) || defined(__i386__)) && !MSHADOW_PLAIN_CXX
    __builtin_ia32_pause();
#endif
  }
  int count_ = 0;
};

/// Drives its members, on one thread at a time, so that a provider need not be thread-safe. A
/// communicator and those split from it are members of one engine: one thread makes all calls of
/// MPI.
class Engine {
 public:
  enum class Progress { kIdle, kWaits, kMoved };
  /// The calls of one communicator.
  class Member {
   public:
    virtual ~Member() = default;
    /// Does what can be done without waiting. kIdle: nothing is under way; kMoved: it did something.
    virtual Progress Step() = 0;
  };

  explicit Engine(bool has_thread) : has_thread_(has_thread) {}
  ~Engine() { Stop(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  bool has_thread() const { return has_thread_; }

  void Add(Member* member) {
    std::lock_guard<std::mutex> lock(drive_);
    members_.push_back(member);
    if (has_thread_ && !thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  }
  /// The member is not driven any more once this returns.
  void Remove(Member* member) {
    bool last;
    {
      std::lock_guard<std::mutex> lock(drive_);
      members_.erase(std::find(members_.begin(), members_.end(), member));
      last = members_.empty();
    }
    if (last) Stop();
  }

  /// A member has something new to do.
  void Notify() {
    if (!has_thread_) return Advance();
    {
      std::lock_guard<std::mutex> lock(sleep_);
      notified_ = true;
    }
    wake_.notify_one();
  }
  /// A call is complete.
  void Completed() {
    if (!has_thread_) return;
    { std::lock_guard<std::mutex> lock(sleep_); }
    finished_.notify_all();
  }
  /// Calls f() while nobody drives.
  template <typename F>
  void Exclusively(const F& f) {
    std::lock_guard<std::mutex> lock(drive_);
    f();
  }
  /// Drives each member once, where no thread does, and nobody else is at it.
  void Advance() { TryStep(); }

  /// Returns when done(), which a call's completion must bring about. Drives the members, or leaves
  /// that to the thread.
  template <typename Done>
  void WaitUntil(const Done& done) {
    Backoff backoff;
    if (has_thread_) {
      for (int i = 0; i < 200; ++i) {
        if (done()) return;
        backoff.Pause();
      }
      std::unique_lock<std::mutex> lock(sleep_);
      return finished_.wait(lock, done);
    }
    while (!done()) {
      if (TryStep() == Progress::kMoved) {
        backoff.Reset();
      } else if (!done()) {
        backoff.Pause();
      }
    }
  }

 private:
  Progress TryStep() {
    // A member's step may bring this thread here again.
    if (has_thread_ || driver_.load() == std::this_thread::get_id()) return Progress::kIdle;
    const std::unique_lock<std::mutex> lock(drive_, std::try_to_lock);
    if (!lock.owns_lock()) return Progress::kWaits;
    driver_.store(std::this_thread::get_id());
    const Progress status = StepAll();
    driver_.store(std::thread::id());
    return status;
  }
  Progress StepAll() {
    Progress all = Progress::kIdle;
    for (Member* const member : members_) all = (std::max)(all, member->Step());
    return all;
  }
  void Loop() {
    Backoff backoff;
    for (;;) {
      Progress status;
      {
        std::lock_guard<std::mutex> lock(drive_);
        status = StepAll();
      }
      if (status == Progress::kWaits) {
        if (stop_.load()) return;
        backoff.Pause();
        continue;
      }
      backoff.Reset();
      if (status == Progress::kMoved) continue;
      // Idle. Other ranks may ask where this one is: members look at that each time.
      std::unique_lock<std::mutex> lock(sleep_);
      wake_.wait_for(lock, std::chrono::milliseconds(20),
                     [this] { return notified_ || stop_.load(); });
      if (stop_.load()) return;
      notified_ = false;
    }
  }
  void Stop() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard<std::mutex> lock(sleep_);
      stop_.store(true);
    }
    wake_.notify_one();
    thread_.join();
    stop_.store(false);
  }

  const bool has_thread_;
  std::mutex drive_;  // held by whoever drives
  std::atomic<std::thread::id> driver_{std::thread::id()};
  std::vector<Member*> members_;
  std::mutex sleep_;
  std::condition_variable wake_, finished_;
  bool notified_ = false;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_ENGINE_H_
