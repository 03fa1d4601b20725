// SPDX-License-Identifier: Apache-2.0
// Request: a call on a communicator that is under way.
#ifndef MSHADOW_DIST_REQUEST_H_
#define MSHADOW_DIST_REQUEST_H_

#include <atomic>
#include <memory>
#include <utility>

#include "engine.h"
#include "provider.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {
namespace detail {

/// What the engine tells of a call. The other members are written before `done`.
struct CallState {
  std::atomic<bool> done{false};
  std::shared_ptr<const CollectiveError> error;
  /// To be set where the error is thrown.
  std::shared_ptr<std::atomic<bool>> reported;
};

}  // namespace detail

/// A call that is under way. The tensors it was given stay as they are, and allocated, until it is
/// complete. Requests may be waited for in any order.
class Request {
 public:
  /// Nothing: complete.
  Request() = default;
  Request(std::shared_ptr<detail::Engine> engine, std::shared_ptr<detail::CallState> state)
      : engine_(std::move(engine)), state_(std::move(state)) {}
  Request(Request&&) = default;
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      Finish();
      engine_ = std::move(other.engine_);
      state_ = std::move(other.state_);
    }
    return *this;
  }
  /// Waits. An error is dropped; the next call on the communicator throws it again.
  ~Request() { Finish(); }

  /// Returns when the call is complete: results are there, memory may be used again. Throws what
  /// went wrong, a CollectiveError; each time it is called.
  void Wait() {
    if (!state_) return;
    Finish();
    if (!state_->error) return;
    state_->reported->store(true);
    throw CollectiveError(*state_->error);
  }
  /// True if the call is complete, and Wait returns or throws at once. Drives what is under way,
  /// where no thread does.
  bool Test() {
    if (!state_ || state_->done.load(std::memory_order_acquire)) return true;
    engine_->Advance();
    return state_->done.load(std::memory_order_acquire);
  }

 private:
  void Finish() noexcept {
    if (!state_) return;
    const auto& done = state_->done;
    engine_->WaitUntil([&done] { return done.load(std::memory_order_acquire); });
  }

  std::shared_ptr<detail::Engine> engine_;
  std::shared_ptr<detail::CallState> state_;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_REQUEST_H_
