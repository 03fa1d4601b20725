// SPDX-License-Identifier: Apache-2.0
// The interfaces of the parameter server: ISharedModel, which programs call, and IModelUpdater,
// which they may implement.
#ifndef MSHADOW_PS_SHARED_MODEL_H_
#define MSHADOW_PS_SHARED_MODEL_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../mshadow/tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// Tensors that several devices push and pull, each by its key. A pull gives the sum, over the
/// devices, of what they pushed; with push_op "gather" all of it, device after device; with
/// update_on_server the weights after the update with the sum.
///
/// The order of calls: SetParam, Init, and from each device InitKey, then rounds of Push, PullReq
/// and PullWait. All but SetParam and Init may come from any thread. A `devid` is an element of
/// the `devices` of Init. Throws Error, which names key, device and shapes, for calls that do not
/// fit.
template <typename xpu, typename DType MSHADOW_DEFAULT_DTYPE>
class ISharedModel {
 public:
  /// Runs once a pull has arrived, on the pull thread with its device selected. Work that it puts
  /// on `stream` has finished when PullWait returns.
  typedef void(CallbackFunction)(Stream<xpu>* stream, void* arg);
  using Callback = std::function<void(Stream<xpu>* stream)>;

  virtual ~ISharedModel() = default;

  /// A parameter of the model (params.h), or of its updater. Comes before Init.
  virtual void SetParam(const char* /*name*/, const char* /*val*/) {}
  /// Starts the model for `devices`: distinct numbers >= 0, at least one. Called once.
  virtual void Init(const std::vector<int>& /*devices*/) {}
  /// Device 0 alone.
  void Init() { Init(std::vector<int>{0}); }

  /// Registers tensors of `shape` of one device as `key`. Every device calls it once for each key,
  /// before Push and PullReq. The shape of all devices is one.
  template <int dim>
  void InitKey(Shape<dim> shape, int key, int devid) {
    InitKey_(shape.FlatTo2D(), key, devid);
  }
  /// Adds `data` to the round of its device. Asynchronous: `data` must stay as it is until PullWait
  /// returns. On a gpu it is read after what data.stream_ holds now. Once all devices have pushed
  /// the key, its aggregate is formed. Of what waits for the thread, the larger priority goes
  /// first.
  ///
  /// Throws Error if the device has pushed the key already and another has not, and what went wrong
  /// with the last round of the key on that device.
  template <int dim>
  void Push(Tensor<xpu, dim, DType> data, int key, int devid, int priority = 0) {
    Push_(data.FlatTo2D(), key, devid, priority);
  }
  /// data = aggregate of the round that the device pushed last, once it is formed; of the latest
  /// one if the device has pushed none. Then calls callback(stream, callback_arg). Asynchronous:
  /// PullWait returns once both have been. On a gpu `data` is written after what data.stream_ holds
  /// now. Throws Error while an earlier request for that key and device is under way.
  template <int dim>
  void PullReq(Tensor<xpu, dim, DType> data, int key, int devid, int priority = 0,
               CallbackFunction callback = nullptr, void* callback_arg = nullptr) {
    PullReq_(data.FlatTo2D(), key, devid, priority, callback, callback_arg);
  }
  template <int dim>
  void PullReq(Tensor<xpu, dim, DType> data, int key, int devid, int priority, Callback callback) {
    PullReqCallback_(data.FlatTo2D(), key, devid, priority, std::move(callback));
  }
  /// Returns when the last PullReq of that key and device has finished, its callback included; at
  /// once if there was none. Rethrows what its threads threw.
  virtual void PullWait(int key, int devid) = 0;

  /// Prints to stderr how `data` differs from the weights of the server: for test_on_server.
  template <int dim>
  void CheckWeight(Tensor<xpu, dim, DType> data, int key, int devid) {
    CheckWeight_(data.FlatTo2D(), key, devid);
  }
  /// The weights of the server become `data`. Needs an updater, or test_on_server.
  virtual void SetWeight_(Tensor<xpu, 2, DType> data, int key, int devid) = 0;
  virtual void CheckWeight_(Tensor<xpu, 2, DType> data, int key, int devid) = 0;

 protected:
  virtual void InitKey_(Shape<2> shape, int key, int devid) = 0;
  virtual void Push_(Tensor<xpu, 2, DType> data, int key, int devid, int priority = 0) = 0;
  virtual void PullReq_(Tensor<xpu, 2, DType> data, int key, int devid, int priority,
                        CallbackFunction callback, void* callback_arg) = 0;
  /// For models that only know function pointers. The callback must run, or its memory is lost.
  virtual void PullReqCallback_(Tensor<xpu, 2, DType> data, int key, int devid, int priority,
                                Callback callback) {
    std::unique_ptr<Callback> owner(new Callback(std::move(callback)));
    PullReq_(
        data, key, devid, priority,
        [](Stream<xpu>* stream, void* arg) {
          const std::unique_ptr<Callback> own(static_cast<Callback*>(arg));
          (*own)(stream);
        },
        owner.get());
    owner.release();  // NOLINT: the callback owns it
  }
};

/// What runs on the server: it makes the weights of a key, and updates them. Calls come from
/// threads of the model, one at a time. With "dist" it sees the part of a key that its rank owns.
template <typename DType>
class IModelUpdater {
 public:
  virtual ~IModelUpdater() = default;
  /// Every parameter that is not one of the model's.
  virtual void SetParam(const char* /*name*/, const char* /*val*/) {}
  /// After SetParam, before the first key. The command line is that of MShadowServerNode, if one
  /// was made, else empty.
  virtual void InitUpdater(int /*rank*/, int /*argc*/, char* /*argv*/[]) {}
  /// Writes the initial weights of `key` to dptr[0 ... size). The memory is theirs from now on, and
  /// holds zeros before.
  virtual void InitModel(int key, DType* dptr, std::size_t size) {
    InitModel_(key, Tensor<cpu, 1, DType>(dptr, Shape1(static_cast<index_t>(size))));
  }
  /// Updates the weights of `key` with the sum that the devices pushed, dptr[0 ... size). It may
  /// overwrite the sum.
  virtual void Update(int key, DType* dptr, std::size_t size) {
    Update_(key, Tensor<cpu, 1, DType>(dptr, Shape1(static_cast<index_t>(size))));
  }

 protected:
  virtual void InitModel_(int key, Tensor<cpu, 1, DType> /*data*/) {
    throw Error("IModelUpdater: key " + std::to_string(key) +
                ": the updater does not override InitModel");
  }
  virtual void Update_(int key, Tensor<cpu, 1, DType> /*data*/) {
    throw Error("IModelUpdater: key " + std::to_string(key) +
                ": the updater does not override Update");
  }
};

/// The updater of the models of element type DType. The program must define it for each type of
/// which it makes a model, also where none updates on the server:
///   namespace mshadow { namespace ps {
///   template <> IModelUpdater<float>* CreateModelUpdater<float>() { return nullptr; }
///   } }
/// The model deletes what it returns.
template <typename DType>
IModelUpdater<DType>* CreateModelUpdater();

/// The command line that InitUpdater of the models of this process gets. In mshadow 2.x it was a
/// server; here every rank of "dist" owns a part of the keys, and there is no process but those.
template <typename DType MSHADOW_DEFAULT_DTYPE>
class MShadowServerNode {
 public:
  MShadowServerNode(int argc, char* argv[]) { CommandLine() = {argc, argv}; }
  virtual ~MShadowServerNode() { CommandLine() = {0, nullptr}; }
  MShadowServerNode(const MShadowServerNode&) = delete;
  MShadowServerNode& operator=(const MShadowServerNode&) = delete;

  static std::pair<int, char**>& CommandLine() {
    static std::pair<int, char**> line(0, nullptr);
    return line;
  }
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_SHARED_MODEL_H_
