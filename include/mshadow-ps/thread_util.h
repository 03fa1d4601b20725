// SPDX-License-Identifier: Apache-2.0
// What threads hand to each other: a queue by priority, and a map.
#ifndef MSHADOW_PS_THREAD_UTIL_H_
#define MSHADOW_PS_THREAD_UTIL_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "thread.h"

MSHADOW_NAMESPACE_BEGIN
namespace utils {

/// A queue for several producers and consumers. The element of the largest priority leaves first;
/// of equal ones the oldest.
template <typename DType>
class ThreadPQueue {
 public:
  /// use_fifo: priorities do not count.
  void Init(bool use_fifo = false) {
    use_fifo_ = use_fifo;
    lock_.Init();
    count_.Init(0);
  }
  void Destroy() {
    heap_.clear();
    lock_.Destroy();
    count_.Destroy();
  }
  void Push(DType data, int priority = 0) {
    {
      const std::lock_guard<Mutex> lock(lock_);
      heap_.push_back(Entry{use_fifo_ ? 0 : priority, pushed_++, std::move(data)});
      std::push_heap(heap_.begin(), heap_.end());
    }
    count_.Post();
  }
  /// Waits for an element and moves it to *data_out. False once Abort was called and the queue is
  /// empty.
  bool Pop(DType* data_out) {
    count_.Wait();
    const std::lock_guard<Mutex> lock(lock_);
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end());
    *data_out = std::move(heap_.back().data);
    heap_.pop_back();
    return true;
  }
  /// Ends one Pop of each of max_nthread threads, after the elements that are in the queue.
  void Abort(int max_nthread = 1) {
    for (int i = 0; i < max_nthread; ++i) count_.Post();
  }

 private:
  struct Entry {
    int priority;
    std::uint64_t number;
    DType data;
    bool operator<(const Entry& other) const {
      return priority != other.priority ? priority < other.priority : number > other.number;
    }
  };
  bool use_fifo_ = false;
  std::uint64_t pushed_ = 0;
  std::vector<Entry> heap_;
  Mutex lock_;
  Semaphore count_;
};

/// Values by key, each made once. A value stays where it is until Destroy.
template <typename TValue>
class ThreadSafeMap {
 public:
  void Init() { lock_.Init(); }
  void Destroy() {
    map_.clear();
    lock_.Destroy();
  }
  /// Makes the value of `key`, if there is none yet.
  void Init(int key) {
    const std::lock_guard<Mutex> lock(lock_);
    std::unique_ptr<TValue>& value = map_[key];
    if (value == nullptr) value.reset(new TValue());
  }
  /// The value, or nullptr if Init(key) was not called.
  TValue* Get(int key) {
    const std::lock_guard<Mutex> lock(lock_);
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : it->second.get();
  }
  /// The value; throws Error if Init(key) was not called.
  TValue& GetRef(int key) {
    TValue* const value = Get(key);
    MSHADOW_CHECK(value != nullptr) << "ThreadSafeMap: key " << key << " does not exist";
    return *value;
  }

 private:
  Mutex lock_;
  std::map<int, std::unique_ptr<TValue>> map_;
};

}  // namespace utils
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_THREAD_UTIL_H_
