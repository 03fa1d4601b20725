// SPDX-License-Identifier: Apache-2.0
// Threads, mutexes and semaphores with the interface of mshadow 2.x: Init before use, Destroy
// after. New code takes those of the standard library.
#ifndef MSHADOW_PS_THREAD_H_
#define MSHADOW_PS_THREAD_H_

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "../mshadow/core/config.h"
#include "../mshadow/core/logging.h"

/// The result type of a function that a Thread runs.
#define MSHADOW_THREAD_PREFIX void*

MSHADOW_NAMESPACE_BEGIN
namespace utils {
namespace detail {

/// An object from Init to Destroy. Its owner may be moved, as in a vector that grows.
template <typename T>
class FromInit {
 public:
  void Init() { object_.reset(new T()); }
  void Destroy() { object_.reset(); }
  T* operator->() const { return &**this; }
  T& operator*() const {
    MSHADOW_CHECK(object_ != nullptr) << "mshadow::utils: Init must come before any other call";
    return *object_;
  }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace detail

class Mutex {
 public:
  void Init() { mutex_.Init(); }
  void Destroy() { mutex_.Destroy(); }
  void Lock() { mutex_->lock(); }
  void Unlock() { mutex_->unlock(); }
  // For std::lock_guard.
  void lock() { Lock(); }
  void unlock() { Unlock(); }

 private:
  friend class ConditionVariable;
  detail::FromInit<std::mutex> mutex_;
};

class ConditionVariable {
 public:
  void Init() { condition_.Init(); }
  void Destroy() { condition_.Destroy(); }
  /// Unlocks `mutex`, which the caller has locked, until a signal comes, and locks it again. May
  /// return without a signal.
  void Wait(Mutex* mutex) {
    std::unique_lock<std::mutex> lock(*mutex->mutex_, std::adopt_lock);
    condition_->wait(lock);
    lock.release();
  }
  void Signal() { condition_->notify_one(); }
  void Broadcast() { condition_->notify_all(); }

 private:
  detail::FromInit<std::condition_variable> condition_;
};

/// Wait takes one from the count, and waits while that is 0; Post adds one.
class Semaphore {
 public:
  void Init(int count) {
    state_.Init();
    state_->count = count;
  }
  void Destroy() { state_.Destroy(); }
  void Wait() {
    State& state = *state_;
    std::unique_lock<std::mutex> lock(state.mutex);
    state.posted.wait(lock, [&] { return state.count > 0; });
    --state.count;
  }
  void Post() {
    State& state = *state_;
    const std::lock_guard<std::mutex> lock(state.mutex);
    ++state.count;
    state.posted.notify_one();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable posted;
    int count = 0;
  };
  detail::FromInit<State> state_;
};

namespace detail {
/// What ThreadExit throws.
struct ThreadExitRequest {};
}  // namespace detail

class Thread {
 public:
  /// Runs entry(param) in a new thread. Join must follow.
  void Start(MSHADOW_THREAD_PREFIX entry(void*), void* param) {
    std::shared_ptr<std::exception_ptr> error = error_ = std::make_shared<std::exception_ptr>();
    thread_ = std::thread([=] {
      try {
        entry(param);
      } catch (const detail::ThreadExitRequest&) {
      } catch (...) {
        *error = std::current_exception();
      }
    });
  }
  /// Waits for the end of the thread, and rethrows what the function threw. Returns 0.
  int Join() {
    thread_.join();
    if (*error_) std::rethrow_exception(*error_);
    return 0;
  }

 private:
  std::thread thread_;
  std::shared_ptr<std::exception_ptr> error_;
};

/// Ends the calling thread, which a Thread started; destructors run.
[[noreturn]] inline void ThreadExit(void* /*status*/) { throw detail::ThreadExitRequest(); }

}  // namespace utils
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_THREAD_H_
