// SPDX-License-Identifier: Apache-2.0
// The threads of a model: tasks for devices, by priority.
#ifndef MSHADOW_PS_WORKERS_H_
#define MSHADOW_PS_WORKERS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "../mshadow/tensor.h"
#include "thread_util.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// A thread for each device, or one for all, and a stream for each device.
template <typename xpu>
class Workers {
 public:
  /// Must not throw.
  using Task = std::function<void(Stream<xpu>*)>;

  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { Join(); }

  /// Throws Error if a device does not exist.
  void Start(const std::vector<int>& devices, bool one_each) {
    for (int device : devices) streams_.push_back(NewStream<xpu>(device));
    queues_.resize(one_each ? devices.size() : 1);
    for (Queue& queue : queues_) queue.Init();
    for (Queue& queue : queues_) {
      threads_.emplace_back([&queue] {
        std::function<void()> task;
        while (queue.Pop(&task)) {
          task();
          task = nullptr;  // what it holds goes now, not with the next task
        }
      });
    }
  }
  /// Runs `task` on the thread of devices[device].
  void Add(std::size_t device, int priority, Task task) {
    queues_[device % queues_.size()].Push(
        [this, device, task = std::move(task)] { task(streams_[device]); }, priority);
  }
  /// True on the thread of devices[device].
  bool OnThreadOf(std::size_t device) const {
    return threads_[device % threads_.size()].get_id() == std::this_thread::get_id();
  }
  /// Runs what is queued and ends the threads.
  void Join() {
    for (Queue& queue : queues_) queue.Abort();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    queues_.clear();
    for (Stream<xpu>* stream : streams_) MSHADOW_CATCH_ERROR(DeleteStream(stream));
    streams_.clear();
  }

 private:
  using Queue = utils::ThreadPQueue<std::function<void()>>;
  std::vector<Stream<xpu>*> streams_;
  std::deque<Queue> queues_;
  std::vector<std::thread> threads_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_WORKERS_H_
