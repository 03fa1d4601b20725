// SPDX-License-Identifier: Apache-2.0
// What a model knows of one key.
#ifndef MSHADOW_PS_SHARED_KEY_H_
#define MSHADOW_PS_SHARED_KEY_H_

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../mshadow/tensor.h"
#include "params.h"
#include "stream_mark.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// Memory of the host for `count` elements, page-locked for xpu if `pinned`.
template <typename xpu, typename DType>
class HostMemory {
 public:
  HostMemory(std::size_t count, bool pinned)
      : pinned_(pinned),
        data_(static_cast<DType*>(pinned ? DeviceApi<xpu>::AllocHost(count * sizeof(DType))
                                         : DeviceApi<cpu>::AllocHost(count * sizeof(DType)))) {}
  ~HostMemory() {
    if (pinned_) {
      MSHADOW_CATCH_ERROR(DeviceApi<xpu>::FreeHost(data_));
    } else {
      DeviceApi<cpu>::FreeHost(data_);
    }
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  DType* data() const { return data_; }

 private:
  bool pinned_;
  DType* data_;
};

/// A key goes through rounds. A round begins with the first push of a device, and is complete with
/// the last one's; its aggregate is then formed, and is the key's latest until the next one is.
/// Rounds are formed in order, one at a time.
template <typename xpu, typename DType>
struct SharedKey {
  using Memory = std::shared_ptr<HostMemory<xpu, DType>>;

  // Errors are moved, never copied, by threads: ThreadSanitizer does not see what counts their
  // references.
  struct Request {
    Tensor<xpu, 2, DType> data;
    StreamMark<xpu> mark;
    /// The round whose aggregate it waits for, or a later one.
    std::size_t round = 0;
    int priority = 0;
    std::function<void(Stream<xpu>*)> callback;
    Memory source;
    std::exception_ptr error;
  };
  struct Device {
    bool has_key = false;
    std::size_t pushes = 0;
    /// From PullReq until the callback has returned; `queued` from when the aggregate is there.
    bool pulling = false, queued = false;
    Request request;
    /// What Push or PullWait is to throw.
    std::exception_ptr error;

    void Keep(std::exception_ptr thrown) {
      if (!error) error = std::move(thrown);
    }
    void Rethrow() {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
  };
  struct Round {
    /// The parts of all devices, one after another; the aggregate is at the beginning.
    Memory memory;
    std::size_t missing = 0;
    int priority = 0;
    std::exception_ptr error;
  };

  int id = 0;
  Shape<2> shape;
  Params::Op op = Params::Op::kSum;
  /// Tensors of that shape that a pull gets, one below the other.
  std::size_t copies = 1;
  std::vector<Device> devices;
  /// Those that are not formed. The first is number formed + 1.
  std::deque<Round> rounds;
  std::size_t formed = 0;
  /// True while the first round is being formed.
  bool forming = false;
  /// The aggregate that pulls get, or why there is none; neither before the first.
  Memory latest;
  std::exception_ptr latest_error;
  /// All memory of rounds. What nothing else refers to is free.
  std::vector<Memory> memory;
  /// With an updater; `own` is the part of this rank where "dist" splits the key.
  Memory weights, own;
  /// Calls of SetWeight of "dist".
  std::size_t weights_set = 0;

  std::size_t size() const {
    return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
  }
  Shape<2> PullShape() const {
    return Shape2(static_cast<index_t>(std::size_t(shape[0]) * copies), shape[1]);
  }
  Round& RoundOf(std::size_t number) { return rounds[number - formed - 1]; }
  /// Memory of that many elements, always the same number, that nobody uses.
  Memory TakeMemory(std::size_t count, bool pinned) {
    for (const Memory& one : memory) {
      if (one.use_count() == 1) return one;
    }
    memory.push_back(std::make_shared<HostMemory<xpu, DType>>(count, pinned));
    return memory.back();
  }
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_SHARED_KEY_H_
