// SPDX-License-Identifier: Apache-2.0
// Models whose updater runs on the server.
#include "devices.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "../error_of.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
using testing::MakeModel;
using testing::ModelPointer;
using testing::OnThreads;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What the updaters of this file tell the tests.
struct Seen {
  std::string keys;
  std::string params;
  int argc = -1;
  testing::Gate* busy = nullptr;
  testing::Gate* gate = nullptr;
};
Seen seen;
bool make_updater = true;

/// Weights begin with the number of their key, and lose the eta-th part of the sum of gradients.
class Sgd : public ps::IModelUpdater<double> {
 public:
  void SetParam(const char* name, const char* val) override {
    seen.params += std::string(name) + "=" + val + ";";
    if (std::string(name) == "eta") eta_ = std::stod(val);
  }
  void InitUpdater(int rank, int argc, char**) override {
    EXPECT_EQ(rank, 0);
    seen.argc = argc;
  }

 protected:
  void InitModel_(int key, Tensor<cpu, 1, double> data) override {
    for (index_t i = 0; i < data.size(0); ++i) EXPECT_EQ(data[i], 0.0);
    data = key;
    weights_[key] = data;
  }
  void Update_(int key, Tensor<cpu, 1, double> data) override {
    if (key == 13) throw Error("an unlucky key");
    if (seen.gate != nullptr && key == 0) {
      seen.busy->Open();
      seen.gate->Wait();
    }
    seen.keys += std::to_string(key);
    weights_[key] -= eta_ * data;
    data = 1e9;  // allowed
  }

 private:
  double eta_ = 1;
  std::map<int, Tensor<cpu, 1, double>> weights_;
};

class Server : public ::testing::Test {
 protected:
  void SetUp() override {
    seen = Seen();
    make_updater = true;
  }
};

TEST_F(Server, PullsGiveTheWeights) {
  const ModelPointer<double> model =
      MakeModel<double>("local", 2, {{"update_on_server", "1"}, {"eta", "0.5"}, {"mu", "x"}});
  EXPECT_EQ(seen.params, "eta=0.5;mu=x;");
  EXPECT_EQ(seen.argc, 0);
  model->SetParam("eta", "0.25");  // also later
  OnThreads(2, [&](int d) {
    TensorContainer<cpu, 2, double> weights(false), gradient(false);
    weights.Resize(Shape2(3, 5));
    gradient.Resize(Shape2(3, 5));
    model->InitKey(weights.shape_, 7, d);
    model->PullReq(weights, 7, d);  // before any push
    model->PullWait(7, d);
    EXPECT_EQ(weights[2][4], 7.0);
    for (int step = 1; step < 20; ++step) {
      gradient = d + 1.0;
      model->Push(gradient, 7, d);
      model->PullReq(weights, 7, d);
      model->PullWait(7, d);
      for (index_t i = 0; i < 15; ++i) ASSERT_EQ(weights[i / 5][i % 5], 7 - 0.75 * step);
    }
  });
}

TEST_F(Server, PushesByPriority) {
  testing::Gate busy, gate;
  seen.busy = &busy;
  seen.gate = &gate;
  const ModelPointer<double> model = MakeModel<double>("local", 1, {{"update_on_server", "1"}});
  // Pushes still read `data` while the first pulls write.
  TensorContainer<cpu, 1, double> data(Shape1(1), 1.0), out(Shape1(1));
  const int priorities[] = {0, -5, 3, 0, 9, 3, -7};
  for (int key = 0; key < 7; ++key) model->InitKey(data.shape_, key, 0);
  for (int key = 0; key < 7; ++key) {
    model->Push(data, key, 0, priorities[key]);
    if (key == 0) busy.Wait();
  }
  gate.Open();
  for (int key = 0; key < 7; ++key) {
    model->PullReq(out, key, 0);
    model->PullWait(key, 0);
  }
  EXPECT_EQ(seen.keys, "0425316");
}

// The updater runs beside the update of the devices; a pull gives the sum.
TEST_F(Server, TestOnServer) {
  const ModelPointer<double> model = MakeModel<double>("local", 2, {{"test_on_server", "1"}});
  TensorContainer<cpu, 2, double> weights(Shape2(2, 2), 3.0), gradient[2];
  for (int d = 0; d < 2; ++d) {
    gradient[d].Resize(Shape2(2, 2), 0.5);
    model->InitKey(weights.shape_, 1, d);
  }
  model->SetWeight_(weights, 1, 0);
  for (int d = 0; d < 2; ++d) model->Push(gradient[d], 1, d);
  model->PullReq(gradient[0], 1, 0, 0,
                 [&](Stream<cpu>*) { weights -= gradient[0]; });
  model->PullWait(1, 0);
  EXPECT_EQ(gradient[0][1][1], 1.0);
  ::testing::internal::CaptureStderr();
  model->CheckWeight(weights, 1, 0);
  weights[1][1] += 0.125;
  model->CheckWeight(weights, 1, 1);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(printed,
            "PSLocal:key=1,dev=0: the weights agree\n"
            "PSLocal:key=1,dev=1: 1 of 4 weights differ; the largest relative error is 0.0588235: "
            "[3] is 2.125, on the server 2\n");
}

TEST_F(Server, SetWeightOnServer) {
  const ModelPointer<double> model = MakeModel<double>("local", 1, {{"update_on_server", "1"}});
  TensorContainer<cpu, 1, double> weights(Shape1(3), 5.0), out(Shape1(3));
  model->InitKey(weights.shape_, 0, 0);
  model->SetWeight_(weights.FlatTo2D(), 0, 0);
  model->PullReq(out, 0, 0);
  model->PullWait(0, 0);
  EXPECT_EQ(out[2], 5.0);
}

TEST_F(Server, ErrorsReachEveryDevice) {
  const ModelPointer<double> model = MakeModel<double>("local", 2, {{"update_on_server", "1"}});
  TensorContainer<cpu, 1, double> data(Shape1(3), 5.0);
  for (int d = 0; d < 2; ++d) model->InitKey(data.shape_, 13, d);
  for (int round = 0; round < 2; ++round) {
    bool called = false;
    model->Push(data, 13, 0);
    model->PullReq(data, 13, 0, 0, [&](Stream<cpu>*) { called = true; });
    model->Push(data, 13, 1);
    EXPECT_TRUE(Has(ErrorOf([&] { model->PullWait(13, 0); }), "an unlucky key"));
    EXPECT_FALSE(called);
    EXPECT_TRUE(Has(ErrorOf([&] { model->Push(data, 13, 1); }), "an unlucky key"));
  }
}

TEST_F(Server, WrongUse) {
  ModelPointer<double> model =
      MakeModel<double>("local", 1, {{"update_on_server", "1"}, {"push_op[2]", "gather"}});
  EXPECT_TRUE(Has(ErrorOf([&] { model->InitKey(Shape1(3), 2, 0); }), "push_op is gather"));
  make_updater = false;
  EXPECT_TRUE(Has(ErrorOf([] { MakeModel<double>("local", 1, {{"update_on_server", "1"}}); }),
                  "CreateModelUpdater made none"));
  MakeModel<double>("local", 1, {{"eta", "1"}});  // for nobody
}

TEST_F(Server, CommandLine) {
  char name[] = "program";
  char* argv[] = {name};
  {
    const ps::MShadowServerNode<double> node(1, argv);
    MakeModel<double>("local", 1, {{"update_on_server", "1"}});
    EXPECT_EQ(seen.argc, 1);
  }
  MakeModel<double>("local", 1, {{"update_on_server", "1"}});
  EXPECT_EQ(seen.argc, 0);
}

TEST_F(Server, UpdatersWithoutMethods) {
  struct Nothing : ps::IModelUpdater<float> {
  } nothing;
  float weight = 0;
  EXPECT_TRUE(Has(ErrorOf([&] { nothing.InitModel(4, &weight, 1); }),
                  "key 4: the updater does not override InitModel"));
  EXPECT_TRUE(Has(ErrorOf([&] { nothing.Update(4, &weight, 1); }),
                  "key 4: the updater does not override Update"));
}

}  // namespace

namespace ps {
template <>
IModelUpdater<double>* CreateModelUpdater<double>() {
  return make_updater ? new Sgd() : nullptr;
}
}  // namespace ps
}  // namespace mshadow
