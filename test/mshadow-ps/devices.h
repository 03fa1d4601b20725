// SPDX-License-Identifier: Apache-2.0
// What the tests of the parameter server share.
#ifndef MSHADOW_TEST_PS_DEVICES_H_
#define MSHADOW_TEST_PS_DEVICES_H_

#include <mshadow-ps/mshadow_ps.h>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mshadow {
namespace testing {

/// f(0) ... f(n - 1), each on a thread; rethrows what one of them threw.
template <typename F>
void OnThreads(int n, const F& f) {
  std::vector<std::exception_ptr> errors(n);
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      try {
        f(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Where a thread of a model waits, so that what comes after it queues up.
class Gate {
 public:
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// 0, 1, ..., n - 1.
inline std::vector<int> Devices(int n) {
  std::vector<int> devices;
  for (int i = 0; i < n; ++i) devices.push_back(i);
  return devices;
}

template <typename DType>
using ModelPointer = std::unique_ptr<ps::ISharedModel<cpu, DType>>;

using Settings = std::vector<std::pair<const char*, const char*>>;

/// A model of that kind, with devices 0 to n - 1.
template <typename DType>
ModelPointer<DType> MakeModel(const char* type, int n, const Settings& settings = {}) {
  ModelPointer<DType> model(ps::CreateSharedModel<cpu, DType>(type));
  for (const auto& setting : settings) model->SetParam(setting.first, setting.second);
  model->Init(Devices(n));
  return model;
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_PS_DEVICES_H_
