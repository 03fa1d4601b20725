// SPDX-License-Identifier: Apache-2.0
// The devices and keys of a model, and the errors of calls that do not fit them.
#ifndef MSHADOW_PS_KEY_TABLE_H_
#define MSHADOW_PS_KEY_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "../mshadow/tensor.h"
#include "params.h"
#include "shared_key.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

template <typename xpu, typename DType>
class KeyTable {
 public:
  using Key = SharedKey<xpu, DType>;

  /// Empty before Init.
  const std::vector<int>& devices() const { return devices_; }
  /// Throws Error unless they may be the devices of Init.
  void CheckDevices(const std::vector<int>& devices) const {
    MSHADOW_CHECK(devices_.empty()) << "mshadow::ps: Init was called before";
    MSHADOW_CHECK(!devices.empty()) << "mshadow::ps: Init needs at least one device";
    for (auto i = devices.begin(); i != devices.end(); ++i) {
      MSHADOW_CHECK_GE(*i, 0) << "mshadow::ps: Init: a device is a number from 0 on";
      MSHADOW_CHECK(std::find(devices.begin(), i, *i) == i)
          << "mshadow::ps: Init: device " << *i << " is there twice";
    }
  }
  /// ranks: that have as many devices.
  void SetDevices(const std::vector<int>& devices, int ranks) {
    devices_ = devices;
    copies_ = devices.size() * static_cast<std::size_t>(ranks);
  }

  /// The position of device `devid`.
  std::size_t IndexOf(const char* call, int id, int devid) const {
    const auto it = std::find(devices_.begin(), devices_.end(), devid);
    if (it == devices_.end()) {
      Refuse(call, id, devid,
             devices_.empty() ? "Init must come first" : "Init was not given this device");
    }
    return static_cast<std::size_t>(it - devices_.begin());
  }
  /// The key, or nullptr.
  Key* Get(int id) {
    const auto it = keys_.find(id);
    return it == keys_.end() ? nullptr : &it->second;
  }
  /// The key, which the device has.
  Key& Find(const char* call, int id, int devid) {
    Key* const key = Get(id);
    if (key == nullptr || !key->devices[IndexOf(call, id, devid)].has_key) {
      Refuse(call, id, devid, "InitKey must come first");
    }
    return *key;
  }
  /// Throws Error if the device has pushed a round that another has not.
  void CheckPush(const Key& key, std::size_t d) const {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (key.devices[i].pushes >= key.devices[d].pushes) continue;
      Refuse("Push", key.id, devices_[d],
             "data inconsistency: the device has pushed the key already, and device " +
                 std::to_string(devices_[i]) + " has not");
    }
  }
  /// A new key. It stays where it is.
  Key* Add(const Shape<2>& shape, int id, Params::Op op) {
    Key& key = keys_[id];
    key.id = id;
    key.shape = shape;
    key.op = op;
    key.copies = op == Params::Op::kGather ? copies_ : 1;
    key.devices.resize(devices_.size());
    return &key;
  }

  /// Prints the errors that no Push or PullWait has thrown.
  void PrintErrors() const {
    for (const auto& key : keys_) {
      for (std::size_t d = 0; d < devices_.size(); ++d) {
        if (!key.second.devices[d].error) continue;
        std::string text = "not a std::exception";
        try {
          std::rethrow_exception(key.second.devices[d].error);
        } catch (const std::exception& error) {
          text = error.what();
        } catch (...) {
        }
        std::fprintf(stderr, "mshadow::ps: key %d, device %d: %s\n", key.first, devices_[d],
                     text.c_str());
      }
    }
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

 private:
  std::vector<int> devices_;
  std::size_t copies_ = 1;
  std::map<int, Key> keys_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_KEY_TABLE_H_
