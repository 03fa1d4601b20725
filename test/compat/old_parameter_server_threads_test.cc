// SPDX-License-Identifier: Apache-2.0
// Programs written for mshadow-ps of 2.x.
#include <gtest/gtest.h>
#include "mshadow/tensor.h"
#include "mshadow-ps/mshadow_ps.h"

#include <map>
#include <string>

using namespace mshadow;
using namespace mshadow::expr;
using namespace mshadow::ps;

namespace {

// A layer of a network, as in nnet_ps and cxxnet.
template<typename xpu>
class Layer {
 public:
  Layer(mshadow::ps::ISharedModel<xpu, float> *ps, int key, int devid)
      : ps_(ps), key_(key), devid_(devid) {
    stream_ = NewStream<xpu>(devid);
    w_.set_stream(stream_); g_.set_stream(stream_);
    w_.Resize(Shape2(4, 3)); g_.Resize(Shape2(4, 3));
    w_ = 1.0f;
    ps_->InitKey(w_.shape_, key_, devid_);
  }
  ~Layer(void) { DeleteStream(stream_); }
  inline void Update(float grad) {
    g_ = grad;
    ps_->Push(g_, key_, devid_, -key_);
    ps_->PullReq(g_, key_, devid_, -key_, UpdateWeight_, this);
  }
  inline void Wait(void) { ps_->PullWait(key_, devid_); }
  TensorContainer<xpu, 2, float> w_;

 private:
  inline static void UpdateWeight_(Stream<xpu> *stream, void *arg) {
    Layer<xpu> *p = static_cast<Layer<xpu>*>(arg);
    p->g_.set_stream(stream);
    p->w_.set_stream(stream);
    p->w_ -= 0.1f * p->g_;
  }
  mshadow::ps::ISharedModel<xpu, float> *ps_;
  int key_, devid_;
  Stream<xpu> *stream_;
  TensorContainer<xpu, 2, float> g_;
};

struct Worker {
  ISharedModel<cpu, float> *ps;
  int devid;
  float result;
};

inline MSHADOW_THREAD_PREFIX RunWorker(void *arg) {
  Worker *w = static_cast<Worker*>(arg);
  {
    mshadow::InitTensorEngine<cpu>(w->devid);
    Layer<cpu> first(w->ps, 0, w->devid), second(w->ps, 4, w->devid);
    for (int i = 0; i < 3; ++i) {
      first.Wait(); second.Wait();
      second.Update(1.0f + w->devid);
      first.Update(2.0f);
    }
    first.Wait(); second.Wait();
    w->result = second.w_[3][2];
    mshadow::ShutdownTensorEngine<cpu>();
  }
  mshadow::utils::ThreadExit(NULL);
  return NULL;
}

TEST(OldParameterServer, LayersOnThreads) {
  std::vector<int> devs;
  devs.push_back(0); devs.push_back(1);
  ISharedModel<cpu, float> *ps = CreateSharedModel<cpu, float>("local");
  ps->SetParam("push_thread", "one");
  ps->SetParam("eta", "0.1");
  ps->Init(devs);
  std::vector<mshadow::utils::Thread> threads(devs.size());
  std::vector<Worker> workers(devs.size());
  for (size_t i = 0; i < devs.size(); ++i) {
    workers[i].ps = ps;
    workers[i].devid = devs[i];
    threads[i].Start(RunWorker, &workers[i]);
  }
  for (size_t i = 0; i < devs.size(); ++i) threads[i].Join();
  for (size_t i = 0; i < devs.size(); ++i) EXPECT_NEAR(workers[i].result, 1.0f - 3 * 0.3f, 1e-5f);
  delete ps;
}

// A model of the program's own: callbacks come as function pointers.
template<typename xpu>
class EchoModel : public ISharedModel<xpu, float> {
 public:
  typedef typename ISharedModel<xpu, float>::CallbackFunction CallbackFunction;
  virtual void PullWait(int, int) {}
  virtual void SetWeight_(Tensor<xpu, 2, float>, int, int) {}
  virtual void CheckWeight_(Tensor<xpu, 2, float>, int, int) {}

 protected:
  virtual void InitKey_(Shape<2>, int, int) {}
  virtual void Push_(Tensor<xpu, 2, float> data, int, int, int) {
    value_ = data[0][0];
  }
  virtual void PullReq_(Tensor<xpu, 2, float> data, int, int, int,
                        CallbackFunction callback, void *callback_arg) {
    data = value_;
    if (callback != NULL) (*callback)(NULL, callback_arg);
  }

 private:
  float value_;
};

TEST(OldParameterServer, ModelsOfTheProgram) {
  EchoModel<cpu> model;
  ISharedModel<cpu, float> *ps = &model;
  ps->SetParam("name", "value");
  ps->Init();
  TensorContainer<cpu, 1, float> data(Shape1(3), 5.0f);
  ps->InitKey(data.shape_, 0, 0);
  ps->Push(data, 0, 0);
  data = 0.0f;
  int calls = 0;
  ps->PullReq(data, 0, 0, 0, [&calls](Stream<cpu> *) { ++calls; });
  ps->PullReq(data, 0, 0);
  ps->PullWait(0, 0);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(data[2], 5.0f);
}

class SgdUpdater : public IModelUpdater<float> {
 public:
  virtual void SetParam(const char *name, const char *val) { params_[name] = val; }
  virtual void InitUpdater(int, int, char *[]) {}
  virtual void InitModel(int, float *dptr, size_t size) {
    weight_ = Tensor<cpu, 1, float>(dptr, Shape1(size));
    weight_ = 2.0f;
  }

 protected:
  virtual void Update_(int, Tensor<cpu, 1, float> grad) { weight_ -= grad; }

 private:
  std::map<std::string, std::string> params_;
  Tensor<cpu, 1, float> weight_;
};

TEST(OldParameterServer, UpdateOnServer) {
  ISharedModel<cpu, float> *ps = CreateSharedModel<cpu, float>("local");
  ps->SetParam("update_on_server", "1");
  ps->SetParam("test_on_server", "1");
  ps->Init();
  TensorContainer<cpu, 2, float> data(Shape2(2, 3), 0.5f);
  ps->InitKey(data.shape_, 0, 0);
  ps->Push(data, 0, 0);
  ps->PullReq(data, 0, 0);
  ps->PullWait(0, 0);
  EXPECT_EQ(data[1][2], 1.5f);
  ps->CheckWeight(data, 0, 0);
  delete ps;
}

}  // namespace

namespace mshadow {
namespace ps {
template<>
IModelUpdater<float> *CreateModelUpdater(void) {
  return new SgdUpdater();
}
}  // namespace ps
}  // namespace mshadow
