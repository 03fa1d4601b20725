// SPDX-License-Identifier: Apache-2.0
// LocalModel: the devices of one process.
#ifndef MSHADOW_PS_LOCAL_MODEL_H_
#define MSHADOW_PS_LOCAL_MODEL_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server.h"
#include "shared_key.h"
#include "shared_model.h"
#include "workers.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// Push threads copy what devices push to the host; the one that brings the last part of a round
/// forms the aggregate, and queues the pulls that wait for it. Pull threads copy it to the devices
/// and run the callbacks. The sum runs in the order of the devices, whatever order they push in.
///
/// What a thread throws is kept for the key and device that it was busy with. The destructor waits
/// until all pushes, and all pulls whose rounds are complete, are done.
template <typename xpu, typename DType>
class LocalModel : public ISharedModel<xpu, DType> {
 public:
  using typename ISharedModel<xpu, DType>::CallbackFunction;
  using typename ISharedModel<xpu, DType>::Callback;
  using ISharedModel<xpu, DType>::Init;

  ~LocalModel() override { Shutdown(); }

  void SetParam(const char* name, const char* val) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t of_updater = params_.of_updater.size();
    Params params = params_;
    params.Set(name, val);
    const bool for_updater = params.of_updater.size() != of_updater;
    MSHADOW_CHECK(devices_.empty() || !ForInit(name))
        << "mshadow::ps: SetParam(\"" << name << "\") must come before Init";
    params_ = std::move(params);
    if (for_updater && !devices_.empty()) server_.SetParam(name, val);
  }

  void Init(const std::vector<int>& devices) override {
    MSHADOW_CHECK(devices_.empty()) << "mshadow::ps: Init was called before";
    MSHADOW_CHECK(!devices.empty()) << "mshadow::ps: Init needs at least one device";
    for (std::size_t i = 0; i < devices.size(); ++i) {
      MSHADOW_CHECK_GE(devices[i], 0) << "mshadow::ps: Init: a device is a number from 0 on";
      for (std::size_t j = 0; j < i; ++j) {
        MSHADOW_CHECK_NE(devices[i], devices[j]) << "mshadow::ps: Init: a device is there twice";
      }
    }
    server_.Init(params_, Rank());
    pushes_.Start(devices, params_.thread_per_push_device);
    pulls_.Start(devices, params_.thread_per_pull_device);
    devices_ = devices;
  }

  void PullWait(int id, int devid) override {
    Lock lock(mutex_);
    const std::size_t d = IndexOf("PullWait", id, devid);
    const auto it = keys_.find(id);
    if (it == keys_.end()) return;
    Device& device = it->second.devices[d];
    if (device.pulling && pulls_.OnThreadOf(d)) {
      Refuse("PullWait", id, devid, "a callback of this device's pulls would wait for itself");
    }
    changed_.wait(lock, [&] { return !device.pulling; });
    Rethrow(&device);
  }

  void SetWeight_(Tensor<xpu, 2, DType> data, int id, int devid) override {
    const std::lock_guard<std::mutex> server_lock(server_.mutex());
    Key& key = WithWeights("SetWeight", data.shape_, id, devid);
    CopyToHost(key.weights->data(), data);
    PublishWeights(&key);
  }

  void CheckWeight_(Tensor<xpu, 2, DType> data, int id, int devid) override {
    MSHADOW_CHECK(params_.test_on_server)
        << "mshadow::ps: CheckWeight needs the parameter test_on_server";
    const std::lock_guard<std::mutex> server_lock(server_.mutex());
    const Key& key = WithWeights("CheckWeight", data.shape_, id, devid);
    const HostMemory<cpu, DType> copy(key.size(), false);
    CopyToHost(copy.data(), data);
    const std::string text = DifferenceText(copy.data(), key.weights->data(), key.size());
    std::fprintf(stderr, "PSLocal:key=%d,dev=%d: %s\n", id, devid, text.c_str());
  }

 protected:
  using Lock = std::unique_lock<std::mutex>;
  using Key = SharedKey<xpu, DType>;
  using Device = typename Key::Device;
  using Round = typename Key::Round;
  using Memory = typename Key::Memory;

  // What "dist" does in another way.
  virtual int Rank() const { return 0; }
  /// Elements of a round's memory.
  virtual std::size_t RoundSize(const Key& key) const { return devices_.size() * key.size(); }
  /// Makes the weights of a new key.
  virtual void InitWeights(Key* key) {
    server_.InitModel(key->id, key->weights->data(), key->size());
    PublishWeights(key);
  }
  /// Forms the aggregate of `round`, the first one, and ends it with Publish, later perhaps.
  virtual void Form(Key* key, Round* round) {
    if (!round->error) {
      try {
        DType* const sum = SumDevices(*key, *round);
        if (params_.HasUpdater()) {
          const std::lock_guard<std::mutex> server_lock(server_.mutex());
          server_.Update(key->id, sum, key->size(), !params_.update_on_server);
          if (params_.update_on_server) std::copy_n(key->weights->data(), key->size(), sum);
        }
      } catch (...) {
        round->error = std::current_exception();
      }
    }
    Publish(key);
  }

  void InitKey_(Shape<2> shape, int id, int devid) override {
    const std::lock_guard<std::mutex> server_lock(server_.mutex());
    bool is_new;
    Key* key;
    {
      const Lock lock(mutex_);
      const std::size_t d = IndexOf("InitKey", id, devid);
      is_new = keys_.count(id) == 0;
      key = is_new ? NewKey(shape, id) : &keys_[id];
      CheckShape("InitKey", id, devid, shape, key->shape, "another device had ");
      if (key->devices[d].has_key) Refuse("InitKey", id, devid, "called twice");
      key->devices[d].has_key = true;
    }
    if (is_new && params_.HasUpdater()) InitWeights(key);
  }

  void Push_(Tensor<xpu, 2, DType> data, int id, int devid, int priority) override {
    const Lock lock(mutex_);
    const std::size_t d = IndexOf("Push", id, devid);
    Key& key = Find("Push", id, devid);
    Device& device = key.devices[d];
    CheckShape("Push", id, devid, data.shape_, key.shape, "InitKey had ");
    Rethrow(&device);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (key.devices[i].pushes < device.pushes) {
        Refuse("Push", id, devid,
               "data inconsistency: the device has pushed the key already, and device " +
                   std::to_string(devices_[i]) + " has not");
      }
    }
    const std::size_t number = device.pushes + 1;
    if (number > key.formed + key.rounds.size()) {
      Round round;
      round.memory = TakeMemory(&key);
      round.missing = devices_.size();
      round.priority = priority;
      key.rounds.push_back(std::move(round));
    }
    pushes_.Add(d, priority, [=, &key](Stream<xpu>* stream) {
      CopyIn(&key, d, number, data, priority, stream);
    });
    device.pushes = number;
    ++under_way_;
  }

  void PullReq_(Tensor<xpu, 2, DType> data, int id, int devid, int priority,
                CallbackFunction callback, void* arg) override {
    Callback call;
    if (callback != nullptr) call = [=](Stream<xpu>* stream) { callback(stream, arg); };
    PullReqCallback_(data, id, devid, priority, std::move(call));
  }
  void PullReqCallback_(Tensor<xpu, 2, DType> data, int id, int devid, int priority,
                        Callback callback) override {
    const Lock lock(mutex_);
    const std::size_t d = IndexOf("PullReq", id, devid);
    Key& key = Find("PullReq", id, devid);
    Device& device = key.devices[d];
    CheckShape("PullReq", id, devid, data.shape_, key.PullShape(), "a pull of the key has ");
    if (device.pulling) {
      Refuse("PullReq", id, devid, "the last request has not finished; PullWait comes first");
    }
    device.request = {data, device.pushes, priority, std::move(callback), nullptr, nullptr};
    device.pulling = true;
    QueuePullIfReady(&key, d);
  }

  /// The first part becomes the sum of all, unless they are gathered. Returns it.
  DType* SumDevices(const Key& key, const Round& round) const {
    DType* const parts = round.memory->data();
    if (key.op == Params::Op::kSum) SumParts(parts, devices_.size(), key.size(), params_);
    return parts;
  }

  /// The aggregate of the first round is there, or its error. Pulls that wait for it go on.
  void Publish(Key* key) {
    const Lock lock(mutex_);
    key->latest = std::move(key->rounds.front().memory);
    key->latest_error = std::move(key->rounds.front().error);
    key->rounds.pop_front();
    ++key->formed;
    key->forming = false;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (key->latest_error) Keep(&key->devices[d], key->latest_error);
      QueuePullIfReady(key, d);
    }
  }
  /// Pulls of a key before its first round get the weights as they are.
  void PublishWeights(Key* key) {
    if (!params_.update_on_server) return;
    const Lock lock(mutex_);
    const Memory copy = TakeMemory(key);
    std::copy_n(key->weights->data(), key->size(), copy->data());
    key->latest = copy;
    key->latest_error = nullptr;
    for (std::size_t d = 0; d < devices_.size(); ++d) QueuePullIfReady(key, d);
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
  /// A task has ended. The caller holds the lock.
  void Done() {
    --under_way_;
    changed_.notify_all();
  }
  /// Waits for all tasks and ends the threads. For destructors.
  void Shutdown() {
    {
      Lock lock(mutex_);
      changed_.wait(lock, [&] { return under_way_ == 0; });
    }
    pushes_.Join();
    pulls_.Join();
  }

  const std::vector<int>& devices() const { return devices_; }
  std::map<int, Key>& keys() { return keys_; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Tasks of all kinds, from when they are queued until they have ended.
  std::size_t under_way_ = 0;
  Params params_;
  Server<DType> server_;

 private:

  static bool ForInit(const std::string& name) {
    for (const char* of_init : {"update_on_server", "test_on_server", "use_pin_memory",
                                "bigarray_bound", "reduce_thread", "push_thread", "pull_thread"}) {
      if (name == of_init) return true;
    }
    return false;
  }

  [[noreturn]] static void Refuse(const char* call, int id, int devid, const std::string& why) {
    throw Error(std::string("mshadow::ps: ") + call + " of key " + std::to_string(id) +
                " on device " + std::to_string(devid) + ": " + why);
  }
  static void CheckShape(const char* call, int id, int devid, const Shape<2>& shape,
                         const Shape<2>& want, const char* who_wants) {
    if (shape == want) return;
    Refuse(call, id, devid,
           "shape " + LogText(shape) + " as a matrix, but " + who_wants + LogText(want));
  }
  std::size_t IndexOf(const char* call, int id, int devid) const {
    const auto it = std::find(devices_.begin(), devices_.end(), devid);
    if (it == devices_.end()) {
      Refuse(call, id, devid,
             devices_.empty() ? "Init must come first" : "Init was not given this device");
    }
    return static_cast<std::size_t>(it - devices_.begin());
  }
  Key& Find(const char* call, int id, int devid) {
    const auto it = keys_.find(id);
    if (it == keys_.end() || !it->second.devices[IndexOf(call, id, devid)].has_key) {
      Refuse(call, id, devid, "InitKey must come first");
    }
    return it->second;
  }
  /// The key, if it has weights of that shape.
  Key& WithWeights(const char* call, const Shape<2>& shape, int id, int devid) {
    const Lock lock(mutex_);
    Key& key = Find(call, id, devid);
    CheckShape(call, id, devid, shape, key.shape, "InitKey had ");
    if (key.weights == nullptr) {
      Refuse(call, id, devid, "there are no weights without update_on_server or test_on_server");
    }
    return key;
  }
  Key* NewKey(const Shape<2>& shape, int id) {
    Key key;
    key.id = id;
    key.shape = shape;
    key.op = params_.OpOf(id);
    key.devices.resize(devices_.size());
    if (params_.HasUpdater()) {
      MSHADOW_CHECK(key.op == Params::Op::kSum)
          << "mshadow::ps: key " << id << ": an updater takes sums, but push_op is gather";
      key.weights = std::make_shared<HostMemory<xpu, DType>>(key.size(), false);
      std::fill_n(key.weights->data(), key.size(), DType(0));
    }
    return &(keys_[id] = std::move(key));
  }
  /// Memory for a round that nobody uses. The caller holds the lock.
  Memory TakeMemory(Key* key) {
    for (const Memory& memory : key->memory) {
      if (memory.use_count() == 1) return memory;
    }
    key->memory.push_back(
        std::make_shared<HostMemory<xpu, DType>>(RoundSize(*key), params_.use_pin_memory));
    return key->memory.back();
  }

  static void Keep(Device* device, std::exception_ptr error) {
    if (!device->error) device->error = std::move(error);
  }
  static void Rethrow(Device* device) {
    if (device->error) std::rethrow_exception(std::exchange(device->error, nullptr));
  }

  static void CopyToHost(DType* to, const Tensor<xpu, 2, DType>& data) {
    Copy(Tensor<cpu, 2, DType>(to, data.shape_), data, data.stream_);
    if (data.stream_ != nullptr) data.stream_->Wait();
  }

  /// On a push thread: one part of a round.
  void CopyIn(Key* key, std::size_t d, std::size_t number, const Tensor<xpu, 2, DType>& data,
              int priority, Stream<xpu>* stream) {
    Lock lock(mutex_);
    Round& round = key->RoundOf(number);
    lock.unlock();
    std::exception_ptr error;
    try {
      SetDevice<xpu>(devices_[d]);
      if (data.stream_ != nullptr) data.stream_->Wait();
      const Tensor<cpu, 2, DType> part(round.memory->data() + d * key->size(), key->shape);
      Copy(part, data, stream);
      stream->Wait();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !round.error) round.error = std::move(error);
    round.priority = std::max(round.priority, priority);
    --round.missing;
    FormRounds(key, &lock);
    Done();
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
  /// On a pull thread: the copy and the callback, unless there is an error.
  void CopyOut(Key* key, std::size_t d, Stream<xpu>* stream) {
    Device& device = key->devices[d];
    typename Key::Request& request = device.request;
    if (!request.error) {
      try {
        SetDevice<xpu>(devices_[d]);
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
    if (request.error) Keep(&device, std::move(request.error));
    device.pulling = device.queued = false;
    Done();
  }

  std::vector<int> devices_;
  std::map<int, Key> keys_;
  Workers<xpu> pushes_, pulls_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_LOCAL_MODEL_H_
