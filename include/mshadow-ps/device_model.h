// SPDX-License-Identifier: Apache-2.0
// DeviceModel: what all models do with their devices. Threads copy to the host and back.
#ifndef MSHADOW_PS_DEVICE_MODEL_H_
#define MSHADOW_PS_DEVICE_MODEL_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "key_table.h"
#include "server.h"
#include "shared_model.h"
#include "workers.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// Push threads copy what devices push to the host; the one that brings the last part of a round
/// calls Form, which makes the aggregate. Then Publish queues the pulls that wait for it. Pull
/// threads copy it to the devices and run the callbacks.
///
/// What a thread throws is kept for the key and device that it was busy with.
template <typename xpu, typename DType>
class DeviceModel : public ISharedModel<xpu, DType> {
 public:
  using typename ISharedModel<xpu, DType>::CallbackFunction;
  using typename ISharedModel<xpu, DType>::Callback;
  using ISharedModel<xpu, DType>::Init;

  void SetParam(const char* name, const char* val) override {
    const std::lock_guard<std::mutex> server_lock(server_.mutex());
    const Lock lock(mutex_);
    const bool started = !table_.devices().empty();
    if (params_.Set(name, val, started) && started) server_.SetParam(name, val);
  }

  void Init(const std::vector<int>& devices) override {
    table_.CheckDevices(devices);
    server_.Init(params_, Rank());
    pushes_.Start(devices, params_.thread_per_push_device);
    pulls_.Start(devices, params_.thread_per_pull_device);
    table_.SetDevices(devices, Ranks());
  }

  void PullWait(int id, int devid) override {
    Lock lock(mutex_);
    const std::size_t d = table_.IndexOf("PullWait", id, devid);
    Key* const key = table_.Get(id);
    if (key == nullptr) return;
    Device& device = key->devices[d];
    if (device.pulling && pulls_.OnThreadOf(d)) {
      Table::Refuse("PullWait", id, devid,
                    "a callback of this device's pulls would wait for itself");
    }
    changed_.wait(lock, [&] { return !device.pulling; });
    device.Rethrow();
  }

 protected:
  using Lock = std::unique_lock<std::mutex>;
  using Table = KeyTable<xpu, DType>;
  using Key = SharedKey<xpu, DType>;
  using Device = typename Key::Device;
  using Round = typename Key::Round;
  using Memory = typename Key::Memory;

  virtual int Rank() const = 0;
  virtual int Ranks() const = 0;
  /// Elements of the memory of a key's weights.
  virtual std::size_t WeightsSize(const Key& key) const = 0;
  /// Makes the weights of a new key. server_.mutex() is locked.
  virtual void InitWeights(Key* key) = 0;
  /// Forms the aggregate of `round`, the first one, at the beginning of its memory, and calls
  /// Publish, later perhaps. May set round->error.
  virtual void Form(Key* key, Round* round) = 0;

  void InitKey_(Shape<2> shape, int id, int devid) override {
    const std::lock_guard<std::mutex> server_lock(server_.mutex());
    bool is_new;
    Key* key;
    {
      const Lock lock(mutex_);
      const std::size_t d = table_.IndexOf("InitKey", id, devid);
      is_new = table_.Get(id) == nullptr;
      key = is_new ? NewKey(shape, id) : table_.Get(id);
      Table::CheckShape("InitKey", id, devid, shape, key->shape, "another device had ");
      if (key->devices[d].has_key) Table::Refuse("InitKey", id, devid, "called twice");
      key->devices[d].has_key = true;
    }
    if (!is_new || !params_.HasUpdater()) return;
    try {
      InitWeights(key);
    } catch (...) {
      const Lock lock(mutex_);
      key->latest_error = std::current_exception();
      throw;
    }
  }

  void Push_(Tensor<xpu, 2, DType> data, int id, int devid, int priority) override {
    const Lock lock(mutex_);
    const std::size_t d = table_.IndexOf("Push", id, devid);
    Key& key = table_.Find("Push", id, devid);
    Device& device = key.devices[d];
    Table::CheckShape("Push", id, devid, data.shape_, key.shape, "InitKey had ");
    device.Rethrow();
    table_.CheckPush(key, d);
    const StreamMark<xpu> mark(data.stream_, devid);
    const std::size_t number = device.pushes + 1;
    if (number > key.formed + key.rounds.size()) {
      Round round;
      round.memory = TakeMemory(&key);
      round.missing = devices().size();
      round.priority = priority;
      key.rounds.push_back(std::move(round));
    }
    pushes_.Add(d, priority, [this, &key, d, number, data, priority, mark](Stream<xpu>* stream) {
      CopyIn(&key, d, number, data, priority, mark, stream);
    });
    device.pushes = number;
    ++under_way_;
  }

  void PullReq_(Tensor<xpu, 2, DType> data, int id, int devid, int priority,
                CallbackFunction callback, void* arg) override {
    Callback call;
    if (callback != nullptr) call = [callback, arg](Stream<xpu>* stream) { callback(stream, arg); };
    PullReqCallback_(data, id, devid, priority, std::move(call));
  }
  void PullReqCallback_(Tensor<xpu, 2, DType> data, int id, int devid, int priority,
                        Callback callback) override {
    const Lock lock(mutex_);
    const std::size_t d = table_.IndexOf("PullReq", id, devid);
    Key& key = table_.Find("PullReq", id, devid);
    Device& device = key.devices[d];
    Table::CheckShape("PullReq", id, devid, data.shape_, key.PullShape(), "a pull of the key has ");
    if (device.pulling) {
      Table::Refuse("PullReq", id, devid,
                    "the last request has not finished; PullWait comes first");
    }
    const StreamMark<xpu> mark(data.stream_, devid);
    device.request = {data, mark, device.pushes, priority, std::move(callback), nullptr, nullptr};
    device.pulling = true;
    QueuePullIfReady(&key, d);
  }

  /// The aggregate of the first round is there, or its error. Pulls that wait for it go on.
  void Publish(Key* key) {
    const Lock lock(mutex_);
    key->latest = std::move(key->rounds.front().memory);
    key->latest_error = std::move(key->rounds.front().error);
    key->rounds.pop_front();
    ++key->formed;
    key->forming = false;
    for (std::size_t d = 0; d < devices().size(); ++d) {
      if (key->latest_error) key->devices[d].Keep(key->latest_error);
      QueuePullIfReady(key, d);
    }
  }
  /// There are no weights to pull.
  void PublishError(Key* key, std::exception_ptr error) {
    const Lock lock(mutex_);
    key->latest = nullptr;
    key->latest_error = std::move(error);
    for (std::size_t d = 0; d < devices().size(); ++d) {
      key->devices[d].Keep(key->latest_error);
      QueuePullIfReady(key, d);
    }
  }
  /// Lets a pull go on whose aggregate is there. The caller holds the lock.
  void QueuePullIfReady(Key* key, std::size_t d) {
    Device& device = key->devices[d];
    if (!device.pulling || device.queued || key->formed < device.request.round) return;
    if (key->latest_error == nullptr && key->latest == nullptr) return;
    device.queued = true;
    device.request.source = key->latest;
    device.request.error = key->latest_error;
    ++under_way_;
    pulls_.Add(d, device.request.priority,
               [this, key, d](Stream<xpu>* stream) { CopyOut(key, d, stream); });
  }
  /// Forms the rounds that are complete. The caller holds the lock.
  void FormRounds(Key* key, Lock* lock) {
    while (!key->forming && !key->rounds.empty() && key->rounds.front().missing == 0) {
      key->forming = true;
      Round* const round = &key->rounds.front();
      ++under_way_;
      lock->unlock();
      Form(key, round);
      lock->lock();
      Done();
    }
  }
  /// Memory for a round. The caller holds the lock.
  Memory TakeMemory(Key* key) {
    const std::size_t parts = (std::max)(devices().size(), key->copies) * key->size();
    return key->TakeMemory(std::max(parts, WeightsSize(*key)), params_.use_pin_memory);
  }
  /// A task has ended. The caller holds the lock.
  void Done() {
    --under_way_;
    changed_.notify_all();
  }
  /// Runs all pushes, and all pulls whose rounds are complete, and ends the threads. For
  /// destructors of what is derived from this. Prints the errors that nobody has seen.
  void Shutdown() {
    {
      Lock lock(mutex_);
      changed_.wait(lock, [&] { return under_way_ == 0; });
    }
    pushes_.Join();
    pulls_.Join();
    table_.PrintErrors();
  }

  const std::vector<int>& devices() const { return table_.devices(); }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Tasks of all kinds, from when they are queued until they have ended.
  std::size_t under_way_ = 0;
  Params params_;
  Server<DType> server_;
  Table table_;

 private:
  /// The caller holds the lock.
  Key* NewKey(const Shape<2>& shape, int id) {
    const Params::Op op = params_.OpOf(id);
    MSHADOW_CHECK(op == Params::Op::kSum || !params_.HasUpdater())
        << "mshadow::ps: key " << id << ": an updater takes sums, but push_op is gather";
    Key* const key = table_.Add(shape, id, op);
    if (params_.HasUpdater()) {
      const std::size_t size = WeightsSize(*key);
      key->weights = std::make_shared<HostMemory<xpu, DType>>(size, false);
      std::fill_n(key->weights->data(), size, DType(0));
    }
    return key;
  }

  /// On a push thread: one part of a round.
  void CopyIn(Key* key, std::size_t d, std::size_t number, const Tensor<xpu, 2, DType>& data,
              int priority, const StreamMark<xpu>& mark, Stream<xpu>* stream) {
    Lock lock(mutex_);
    Round& round = key->RoundOf(number);
    lock.unlock();
    std::exception_ptr error;
    try {
      SetDevice<xpu>(devices()[d]);
      mark.OrderBefore(stream);
      const Tensor<cpu, 2, DType> part(round.memory->data() + d * key->size(), key->shape);
      Copy(part, data, stream);
      stream->Wait();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !round.error) round.error = std::move(error);
    round.priority = (std::max)(round.priority, priority);
    --round.missing;
    FormRounds(key, &lock);
    Done();
  }

  /// On a pull thread: the copy and the callback, unless there is an error.
  void CopyOut(Key* key, std::size_t d, Stream<xpu>* stream) {
    Device& device = key->devices[d];
    typename Key::Request& request = device.request;
    if (!request.error) {
      try {
        SetDevice<xpu>(devices()[d]);
        request.mark.OrderBefore(stream);
        const Tensor<cpu, 2, DType> from(request.source->data(), key->PullShape());
        Copy(request.data, from, stream);
        if (request.callback) request.callback(stream);
        stream->Wait();
      } catch (...) {
        request.error = std::current_exception();
      }
    }
    request.callback = nullptr;  // what it holds is gone when PullWait returns
    const Lock lock(mutex_);
    request.source = nullptr;
    if (request.error) device.Keep(std::move(request.error));
    device.pulling = device.queued = false;
    Done();
  }

  Workers<xpu> pushes_, pulls_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_DEVICE_MODEL_H_
