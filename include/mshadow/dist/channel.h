// SPDX-License-Identifier: Apache-2.0
// Channel: the queue of calls of one communicator, their order, comparison, time limit and failure.
#ifndef MSHADOW_DIST_CHANNEL_H_
#define MSHADOW_DIST_CHANNEL_H_

#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call.h"
#include "engine.h"
#include "message.h"
#include "provider.h"
#include "request.h"
#include "signature.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// Collectives run one at a time, in the order in which they were submitted, and so do messages
/// from one rank to another. What fails breaks the channel: every call throws the same error from
/// then on.
class Channel : public Engine::Member {
 public:
  Channel(std::unique_ptr<Provider> provider, std::shared_ptr<Engine> engine,
          const Options& options)
      : provider_(std::move(provider)), engine_(std::move(engine)), options_(options),
        lanes_(1 + 2 * std::size_t(provider_->size())) {
    engine_->Add(this);
  }
  ~Channel() override {
    engine_->Remove(this);
    if (error_ && !*reported_) std::fprintf(stderr, "%s\n", error_->what());
  }

  const Provider& provider() const { return *provider_; }
  Provider& provider() { return *provider_; }
  const std::shared_ptr<Engine>& engine() const { return engine_; }
  const Options& options() const { return options_; }

  bool broken() const { return broken_.load(); }
  /// Throws what broke the channel, if something did.
  void Check() {
    if (!broken_.load()) return;
    std::lock_guard<std::mutex> lock(mutex_);
    *reported_ = true;
    throw CollectiveError(*error_);
  }
  /// Queues a call. Throws what broke the channel, if something did.
  Request Submit(Call call) {
    std::shared_ptr<CallState> state = Post(std::move(call));
    return Request(engine_, std::move(state));
  }
  /// The same for a call that nobody waits for.
  std::shared_ptr<CallState> Post(Call call) {
    auto task = std::make_unique<Task>();
    task->call = std::move(call);
    task->state = std::make_shared<CallState>();
    const std::shared_ptr<CallState> state = task->state;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (error_) {
        *reported_ = true;
        throw CollectiveError(*error_);
      }
      ++pending_;
      inbox_.push_back(std::move(task));
      has_new_.store(true, std::memory_order_release);
    }
    engine_->Notify();
    return state;
  }

  /// Finishes what is under way, or fails.
  void Close() {
    engine_->WaitUntil([this] { return pending_.load() == 0; });
    engine_->Exclusively([this] {
      if (error_ && !all_know_ && provider_->size() > 1) provider_->Abort(error_->what());
    });
  }
  /// Fails whatever is under way. The others must not wait for this rank.
  void Leave(const std::string& why) {
    engine_->Exclusively([&] {
      if (!error_ && provider_->size() > 1) provider_->Abort(why);
      Break(CollectiveError(why, {provider_->rank()}));
      *reported_ = true;
    });
  }

  Engine::Progress Step() override {
    bool moved = false;
    current_ = nullptr;
    try {
      if (has_new_.load(std::memory_order_acquire)) TakeNew();
      if (provider_->Asked()) provider_->Answer(Where());
      if (waiting_ == 0) {
        last_step_ = Clock::time_point();
        return Engine::Progress::kIdle;
      }
      const double passed = Passed();
      for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        while (!lanes_[lane].empty() && StepFirst(&lanes_[lane], passed)) moved = true;
      }
    } catch (const DifferError& error) {
      Break(error, true);
      moved = true;
    } catch (const LateError& error) {
      Break(error);
      moved = true;
    } catch (const CollectiveError& error) {
      Break(CollectiveError(std::string(error.what()) + "\n  rank " +
                                std::to_string(provider_->rank()) + " was " + Place(),
                            error.ranks));
      moved = true;
    } catch (const std::exception& error) {
      Break(CollectiveError("dist: rank " + std::to_string(provider_->rank()) + ", " + Place() +
                                ": " + error.what(),
                            {provider_->rank()}));
      moved = true;
    }
    return moved ? Engine::Progress::kMoved : Engine::Progress::kWaits;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Lane = std::deque<std::unique_ptr<Task>>;

  void TakeNew() {
    std::lock_guard<std::mutex> lock(mutex_);
    has_new_.store(false, std::memory_order_relaxed);
    for (auto& task : inbox_) {
      const Call& call = task->call;
      const bool message = call.lane != Call::kCollective;
      const int lane = message ? 1 + 2 * call.peer + (call.lane == Call::kRecv) : 0;
      lanes_[std::size_t(lane)].push_back(std::move(task));
      ++waiting_;
    }
    inbox_.clear();
  }

  /// Seconds since the last step while something was under way. Long ones do not count: nobody
  /// drove, or the process was stopped.
  double Passed() {
    const Clock::time_point now = Clock::now();
    const double passed = last_step_ == Clock::time_point()
                              ? 0.0
                              : std::chrono::duration<double>(now - last_step_).count();
    last_step_ = now;
    return (std::min)(passed, 0.1);
  }

  /// Advances the first call of a lane. True if it is complete.
  bool StepFirst(Lane* lane, double passed) {
    Task& task = *lane->front();
    current_ = &task;
    if (!Advance(&task)) {
      task.waited += passed;
      if (task.waited > options_.timeout) {
        throw Late(task, Where(), provider_.get(), options_.timeout);
      }
      return false;
    }
    const std::unique_ptr<Task> done = std::move(lane->front());
    lane->pop_front();
    --waiting_;
    done->operation.reset();
    done->call = Call();  // what it holds may be memory
    Complete(*done);
    return true;
  }
  void Complete(const Task& task) {
    task.state->done.store(true, std::memory_order_release);
    --pending_;
    engine_->Completed();
  }

  bool Advance(Task* task) {
    Call& call = task->call;
    if (task->stage == Task::kQueued) {
      if (call.lane == Call::kCollective) task->number = ++collectives_;
      const bool first = call.lane == Call::kCollective && collectives_ == 1;
      task->stage = Task::kCompares;
      if (provider_->size() > 1 && (options_.check || call.compare || first)) {
        task->operation = Compare(*task, first);
      }
    }
    if (task->stage == Task::kCompares) {
      if (task->operation && !task->operation->Poll()) return false;
      task->operation.reset();
      task->stage = Task::kPrepares;
    }
    if (task->stage == Task::kPrepares) {
      if (call.ready && !call.ready()) return false;
      task->operation = call.start(provider_.get());
      task->stage = Task::kRuns;
    }
    if (task->stage == Task::kRuns) {
      if (task->operation && !task->operation->Poll()) return false;
      task->stage = Task::kFinishes;
    }
    return !call.finish || call.finish();
  }
  Provider::OperationPointer Compare(const Task& task, bool first) {
    const Call& call = task.call;
    if (call.lane == Call::kCollective) {
      return Provider::OperationPointer(new Comparison(provider_.get(), call.signature,
                                                       task.number, options_.check, first));
    }
    if (!options_.check) return nullptr;
    return Provider::OperationPointer(
        new MessageHeader(provider_.get(), call.signature, call.peer, call.lane == Call::kSend));
  }

  // ---- Failure ----

  std::string Place() const { return current_ == nullptr ? "idle" : "in " + current_->What(); }
  /// Where this rank is, for others: the number of its collective, then text.
  std::string Where() const {
    std::string text;
    if (error_) {
      text = "failed: " + std::string(error_->what());
    } else {
      for (const Lane& lane : lanes_) {
        if (!lane.empty()) text += (text.empty() ? "in " : "; ") + lane.front()->What();
      }
      if (text.empty()) text = "idle after collective " + std::to_string(collectives_);
    }
    return std::to_string(collectives_) + " " + text;
  }

  /// Fails all calls, and those to come. Called by whoever drives.
  void Break(const CollectiveError& error, bool all_know = false) {
    std::vector<std::unique_ptr<Task>> tasks;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (error_) return;
      error_ = std::make_shared<const CollectiveError>(error);
      all_know_ = all_know;
      broken_.store(true);
      has_new_.store(false, std::memory_order_relaxed);
      for (Lane& lane : lanes_) {
        for (auto& task : lane) tasks.push_back(std::move(task));
        lane.clear();
      }
      for (auto& task : inbox_) tasks.push_back(std::move(task));
      inbox_.clear();
      waiting_ = 0;
    }
    if (!all_know_) provider_->Fail(error);
    for (const auto& task : tasks) task->operation.reset();
    for (const auto& task : tasks) {
      task->state->error = error_;
      task->state->reported = reported_;
      Complete(*task);
    }
  }

  std::unique_ptr<Provider> provider_;
  std::shared_ptr<Engine> engine_;
  const Options options_;
  std::mutex mutex_;  // of inbox_ and error_
  std::vector<std::unique_ptr<Task>> inbox_;
  std::atomic<bool> has_new_{false};
  std::shared_ptr<const CollectiveError> error_;
  std::shared_ptr<std::atomic<bool>> reported_ = std::make_shared<std::atomic<bool>>(false);
  bool all_know_ = false;
  std::atomic<bool> broken_{false};
  std::atomic<std::size_t> pending_{0};
  // Of whoever drives:
  std::vector<Lane> lanes_;
  std::size_t waiting_ = 0;
  const Task* current_ = nullptr;
  std::uint64_t collectives_ = 0;
  Clock::time_point last_step_;
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_CHANNEL_H_
