// SPDX-License-Identifier: Apache-2.0
// LocalModel: the devices of one process.
#ifndef MSHADOW_PS_LOCAL_MODEL_H_
#define MSHADOW_PS_LOCAL_MODEL_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>

#include "device_model.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// Sums what the devices push, in the order of the devices, whatever order they push in, and has
/// the updater work with it. The destructor waits until all pushes, and all pulls whose rounds are
/// complete, are done.
template <typename xpu, typename DType>
class LocalModel : public DeviceModel<xpu, DType> {
  using Base = DeviceModel<xpu, DType>;

 public:
  ~LocalModel() override { Base::Shutdown(); }

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
  using typename Base::Key;
  using typename Base::Lock;
  using typename Base::Memory;
  using typename Base::Round;
  using typename Base::Table;
  using Base::devices;
  using Base::mutex_;
  using Base::params_;
  using Base::server_;
  using Base::table_;

  // What "dist" does in another way.
  int Rank() const override { return 0; }
  int Ranks() const override { return 1; }
  std::size_t WeightsSize(const Key& key) const override { return key.size(); }
  void InitWeights(Key* key) override {
    server_.InitModel(key->id, key->weights->data(), key->size());
    PublishWeights(key);
  }
  void Form(Key* key, Round* round) override {
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
    Base::Publish(key);
  }

  /// The first part becomes the sum of all, unless they are gathered. Returns it.
  DType* SumDevices(const Key& key, const Round& round) const {
    DType* const parts = round.memory->data();
    if (key.op == Params::Op::kSum) SumParts(parts, devices().size(), key.size(), params_);
    return parts;
  }

  /// Pulls of a key before its first round get the weights as they are.
  void PublishWeights(Key* key) {
    if (!params_.update_on_server) return;
    const Lock lock(mutex_);
    const Memory copy = Base::TakeMemory(key);
    std::copy_n(key->weights->data(), key->size(), copy->data());
    key->latest = copy;
    key->latest_error = nullptr;
    for (std::size_t d = 0; d < devices().size(); ++d) Base::QueuePullIfReady(key, d);
  }
  /// The key, if it has weights of that shape.
  Key& WithWeights(const char* call, const Shape<2>& shape, int id, int devid) {
    const Lock lock(mutex_);
    Key& key = table_.Find(call, id, devid);
    Table::CheckShape(call, id, devid, shape, key.shape, "InitKey had ");
    if (key.weights == nullptr) {
      Table::Refuse(call, id, devid,
                    "there are no weights without update_on_server or test_on_server");
    }
    return key;
  }
  static void CopyToHost(DType* to, const Tensor<xpu, 2, DType>& data) {
    Copy(Tensor<cpu, 2, DType>(to, data.shape_), data, data.stream_);
    if (data.stream_ != nullptr) data.stream_->Wait();
  }
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_LOCAL_MODEL_H_
