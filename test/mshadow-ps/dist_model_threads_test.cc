// SPDX-License-Identifier: Apache-2.0
// DistModel: ranks are threads of this process.
#include "devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../error_of.h"
#include "../testing.h"

namespace mshadow {
namespace {

using testing::Devices;
using testing::ErrorOf;
using testing::Guarded;
using testing::ModelPointer;
using testing::OnThreads;
using testing::Settings;
using World = dist::Communicator<cpu>;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <typename DType>
ModelPointer<DType> MakeDist(World& world, int devices, const Settings& settings = {}) {
  ModelPointer<DType> model(ps::CreateSharedModel<cpu, DType>("dist", world.Split(0)));
  for (const auto& setting : settings) model->SetParam(setting.first, setting.second);
  model->Init(Devices(devices));
  return model;
}

/// f(world, model, d) for `devices` devices of each of `ranks` ranks.
template <typename DType, typename F>
void OnAll(int ranks, int devices, const Settings& settings, const F& f) {
  dist::RunLocal(ranks, [&](World& world) {
    const ModelPointer<DType> model = MakeDist<DType>(world, devices, settings);
    OnThreads(devices, [&](int d) { f(world.rank(), *model, d); });
  });
}

/// Element i of what device d of a rank pushes: small whole numbers, which every type holds.
template <typename DType>
DType Pushed(int rank, int d, int round, std::size_t i) {
  return static_cast<DType>(static_cast<float>((i * 7 + d * 3 + rank * 5 + round) % 4));
}

/// The sum of that over all devices of all ranks.
template <typename DType>
DType SumOf(int ranks, int devices, int round, std::size_t i) {
  float sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    for (int d = 0; d < devices; ++d) sum += static_cast<float>(Pushed<DType>(rank, d, round, i));
  }
  return static_cast<DType>(sum);
}

/// Three rounds of several keys, which each rank pushes in an order of its own.
template <typename DType>
void CheckSums(int ranks, int devices, const Settings& settings = {}) {
  constexpr int kKeys = 4;
  OnAll<DType>(ranks, devices, settings, [&](int rank, auto& model, int d) {
    std::vector<std::unique_ptr<Guarded<2, DType>>> data, out;
    for (int key = 0; key < kKeys; ++key) {
      data.emplace_back(new Guarded<2, DType>(Shape2(3, 5 + key), d + 1));
      out.emplace_back(new Guarded<2, DType>(Shape2(3, 5 + key), 2));
      model.InitKey((*data[key])->shape_, key, d);
    }
    for (int round = 0; round < 3; ++round) {
      for (int k = 0; k < kKeys; ++k) {
        const int key = (k * (rank % 2 == 0 ? 1 : 3) + rank) % kKeys;
        for (std::size_t i = 0; i < data[key]->Size(); ++i) {
          data[key]->At(i) = Pushed<DType>(rank, d, round + key, i);
        }
        model.Push(**data[key], key, d, rank == 0 ? -key : key);
        model.PullReq(**out[key], key, d, -key);
      }
      for (int key = 0; key < kKeys; ++key) {
        model.PullWait(key, d);
        for (std::size_t i = 0; i < out[key]->Size(); ++i) {
          ASSERT_EQ(out[key]->At(i), SumOf<DType>(ranks, devices, round + key, i))
              << "rank " << rank << " device " << d << " key " << key << " round " << round;
        }
        EXPECT_TRUE(out[key]->Intact());
      }
    }
  });
}

TEST(DistModel, SumsOverRanksAndDevices) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    CheckSums<float>(ranks, 1);
    CheckSums<float>(ranks, 2);
  }
  CheckSums<float>(2, 2, {{"bigarray_bound", "3"}, {"push_thread", "one"}});
}

TEST(DistModel, SumsOfEveryElementType) {
#define CHECK_TYPE(flag, value, DType, ...) CheckSums<DType>(2, 2);
  MSHADOW_DTYPES_FLOAT_DOUBLE_(CHECK_TYPE, )
  MSHADOW_DTYPES_HALF_(CHECK_TYPE, )
  MSHADOW_DTYPES_BF16_(CHECK_TYPE, )
  MSHADOW_DTYPES_INTEGER_(CHECK_TYPE, )
  MSHADOW_DTYPES_MORE_INTEGER_(CHECK_TYPE, )
#undef CHECK_TYPE
}

TEST(DistModel, GatherInTheOrderOfRanksAndDevices) {
  OnAll<int>(3, 2, {{"push_op[1]", "gather"}}, [](int rank, auto& model, int d) {
    Guarded<2, int> part(Shape2(2, 3), 1), all(Shape2(12, 3), 2);
    model.InitKey(part->shape_, 1, d);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 6; ++i) part.At(i) = 1000 * round + 100 * rank + 10 * d + i;
      model.Push(*part, 1, d);
      model.PullReq(*all, 1, d);
      model.PullWait(1, d);
      for (int i = 0; i < 36; ++i) {
        ASSERT_EQ(all.At(i), 1000 * round + 100 * (i / 12) + 10 * (i / 6 % 2) + i % 6);
      }
    }
  });
}

TEST(DistModel, EmptyTensors) {
  OnAll<float>(2, 1, {}, [](int, auto& model, int d) {
    TensorContainer<cpu, 2> data(Shape2(0, 3));
    model.InitKey(data.shape_, 1, d);
    model.Push(data, 1, d);
    model.PullReq(data, 1, d);
    model.PullWait(1, d);
  });
}

// ---- Updaters ----

/// Elements that the updaters of all ranks have made, by key.
std::mutex owned_mutex;
std::map<int, std::vector<std::pair<int, std::size_t>>> owned;

class Sgd : public ps::IModelUpdater<double> {
 public:
  void InitUpdater(int rank, int, char**) override { rank_ = rank; }

 protected:
  void InitModel_(int key, Tensor<cpu, 1, double> data) override {
    if (key == 12) throw Error("no weights for 12");
    data = key;
    weights_[key] = data;
    const std::lock_guard<std::mutex> lock(owned_mutex);
    owned[key].emplace_back(rank_, data.size(0));
  }
  void Update_(int key, Tensor<cpu, 1, double> data) override {
    if (key == 13) throw Error("an unlucky key");
    weights_[key] -= 0.5 * data;
    data = 1e9;
  }

 private:
  int rank_ = -1;
  std::map<int, Tensor<cpu, 1, double>> weights_;
};

/// The sum over devices of what they push to keys of 7 elements is ranks * devices * (i + 1).
void CheckUpdates(int ranks, int devices, const Settings& settings) {
  owned.clear();
  OnAll<double>(ranks, devices, settings, [&](int, auto& model, int d) {
    TensorContainer<cpu, 1, double> gradient(Shape1(7)), weights(Shape1(7));
    for (int i = 0; i < 7; ++i) gradient[i] = i + 1;
    for (int key = 0; key < 5; ++key) {
      model.InitKey(weights.shape_, key, d);
      model.PullReq(weights, key, d);
      model.PullWait(key, d);
      EXPECT_EQ(weights[6], key);
    }
    for (int step = 1; step <= 4; ++step) {
      for (int key = 0; key < 5; ++key) {
        model.Push(gradient, key, d);
        model.PullReq(weights, key, d);
        model.PullWait(key, d);
        for (int i = 0; i < 7; ++i) {
          ASSERT_EQ(weights[i], key - 0.5 * step * ranks * devices * (i + 1)) << key << " " << i;
        }
      }
    }
  });
}

TEST(DistUpdater, EveryKeyHasAnOwner) {
  for (int ranks = 1; ranks <= 3; ++ranks) {
    CheckUpdates(ranks, 2, {{"update_on_server", "1"}});
    for (int key = 0; key < 5; ++key) {
      ASSERT_EQ(owned[key].size(), 1u);
      EXPECT_EQ(owned[key][0].second, 7u);
    }
  }
}

TEST(DistUpdater, LargeKeysAreSplit) {
  CheckUpdates(3, 2, {{"update_on_server", "1"}, {"bigarray_bound", "6"}});
  for (int key = 0; key < 5; ++key) {
    std::sort(owned[key].begin(), owned[key].end());
    const std::vector<std::pair<int, std::size_t>> want = {{0, 3}, {1, 3}, {2, 1}};
    EXPECT_EQ(owned[key], want);
  }
  CheckUpdates(4, 1, {{"update_on_server", "1"}, {"bigarray_bound", "6"}});  // 2, 2, 2, 1
  CheckUpdates(2, 1, {{"update_on_server", "1"}, {"bigarray_bound", "6"}});
}

TEST(DistUpdater, OwnersOfKeysAreSpread) {
  dist::RunLocal(4, [](World& world) {
    const ps::DistModel<cpu, float> model(world.Split(0));
    for (int step : {1, 2, 3, 4, 10}) {
      int count[4] = {};
      for (int i = 0; i < 100; ++i) ++count[model.OwnerOf(i * step)];
      for (int rank = 0; rank < 4; ++rank) EXPECT_NEAR(count[rank], 25, 5) << step;
    }
  });
}

TEST(DistUpdater, WeightsOfRank0BecomeThoseOfAll) {
  for (const char* bound : {"1000", "2"}) {
    OnAll<double>(3, 1, {{"update_on_server", "1"}, {"bigarray_bound", bound}},
                  [](int rank, auto& model, int d) {
                    TensorContainer<cpu, 1, double> weights(Shape1(5), rank + 8.0),
                        gradient(Shape1(5), 1.0);
                    model.InitKey(weights.shape_, 3, d);
                    model.SetWeight_(weights.FlatTo2D(), 3, d);
                    model.PullReq(weights, 3, d);
                    model.PullWait(3, d);
                    EXPECT_EQ(weights[4], 8.0);
                    model.Push(gradient, 3, d);
                    model.PullReq(weights, 3, d);
                    model.PullWait(3, d);
                    EXPECT_EQ(weights[4], 6.5);
                  });
  }
}

TEST(DistUpdater, TestOnServer) {
  ::testing::internal::CaptureStderr();
  OnAll<double>(2, 1, {{"test_on_server", "1"}}, [](int, auto& model, int d) {
    TensorContainer<cpu, 1, double> weights(Shape1(5), 2.0), gradient(Shape1(5), 1.0);
    model.InitKey(weights.shape_, 2, d);
    for (int step = 0; step < 3; ++step) {
      gradient = 1.0;
      model.Push(gradient, 2, d);
      model.PullReq(gradient, 2, d);
      model.PullWait(2, d);
      EXPECT_EQ(gradient[3], 2.0);
      weights -= 0.5 * gradient;
    }
    model.CheckWeight(weights, 2, d);
  });
  const std::string line = "PSLocal:key=2,dev=0: the weights agree\n";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), line + line);
}

TEST(DistUpdater, WhatAnUpdaterThrowsReachesAllRanks) {
  for (const char* bound : {"1000", "2"}) {
    OnAll<double>(2, 2, {{"update_on_server", "1"}, {"bigarray_bound", bound}},
                  [](int, auto& model, int d) {
                    TensorContainer<cpu, 1, double> data(Shape1(5), 2.0);
                    model.InitKey(data.shape_, 12, d);
                    model.PullReq(data, 12, d);
                    EXPECT_TRUE(Has(ErrorOf([&] { model.PullWait(12, d); }), "no weights for 12"));
                    model.InitKey(data.shape_, 13, d);
                    model.PullReq(data, 13, d);
                    model.PullWait(13, d);
                    for (int round = 0; round < 2; ++round) {
                      model.Push(data, 13, d);
                      model.PullReq(data, 13, d);
                      EXPECT_TRUE(Has(ErrorOf([&] { model.PullWait(13, d); }), "an unlucky key"));
                    }
                    model.InitKey(data.shape_, 1, d);  // others go on
                    model.Push(data, 1, d);
                    model.PullReq(data, 1, d);
                    model.PullWait(1, d);
                  });
  }
}

// ---- What goes wrong ----

TEST(DistErrors, ShapesThatDiffer) {
  OnAll<float>(3, 1, {}, [](int rank, auto& model, int d) {
    TensorContainer<cpu, 2> data(Shape2(rank == 1 ? 4 : 3, 5), 1.0f), good(Shape2(2, 2), 1.0f);
    model.InitKey(data.shape_, 9, d);
    model.InitKey(good.shape_, 8, d);
    model.Push(data, 9, d);
    model.PullReq(data, 9, d);
    const std::string error = ErrorOf([&] { model.PullWait(9, d); });
    EXPECT_TRUE(Has(error, "the ranks differ in key 9:\n  rank 0: shape (3,5) as a matrix, summed\n"
                           "  rank 1: shape (4,5) as a matrix, summed")) << error;
    model.Push(good, 8, d);
    model.PullReq(good, 8, d);
    model.PullWait(8, d);
    EXPECT_EQ(good[1][1], 3.0f);
  });
}

TEST(DistErrors, AKeyThatARankDoesNotPush) {
  dist::Options options;
  options.timeout = 0.3;
  dist::RunLocal(2, [](World& world) {
    TensorContainer<cpu, 2> data(Shape2(2, 2), 1.0f);
    const ModelPointer<float> model = MakeDist<float>(world, 1);
    model->InitKey(data.shape_, 5, 0);
    model->InitKey(data.shape_, 6, 0);
    const int key = 5 + world.rank();
    model->Push(data, key, 0);
    model->PullReq(data, key, 0);
    const std::string error = ErrorOf([&] { model->PullWait(key, 0); });
    EXPECT_TRUE(Has(error, "longer than the time limit")) << error;
    EXPECT_TRUE(Has(error, "push 1 of key 5: not there is rank 1")) << error;
    EXPECT_TRUE(Has(error, "push 1 of key 6: not there is rank 0")) << error;
    // From now on it is of no use, but nothing hangs.
    model->Push(data, key, 0);
    EXPECT_TRUE(Has(ErrorOf([&] { model->PullReq(data, key, 0); model->PullWait(key, 0); }),
                    "time limit"));
  }, options);
}

TEST(DistErrors, ARankThatDestroysItsModel) {
  dist::RunLocal(3, [](World& world) {
    TensorContainer<cpu, 2> data(Shape2(2, 2), 1.0f);
    const ModelPointer<float> model = MakeDist<float>(world, 1);
    model->InitKey(data.shape_, 5, 0);
    if (world.rank() == 2) return;
    model->Push(data, 5, 0);
    model->PullReq(data, 5, 0);
    const std::string error = ErrorOf([&] { model->PullWait(5, 0); });
    EXPECT_TRUE(Has(error, "rank 2 has destroyed its model")) << error;
  });
}

TEST(DistErrors, ARankThatThrows) {
  const std::string error = ErrorOf([] {
    dist::RunLocal(2, [](World& world) {
      TensorContainer<cpu, 2> data(Shape2(2, 2), 1.0f);
      const ModelPointer<float> model = MakeDist<float>(world, 1);
      model->InitKey(data.shape_, 5, 0);
      if (world.rank() == 1) throw Error("rank 1 had enough");
      model->Push(data, 5, 0);
      model->PullReq(data, 5, 0);
      EXPECT_TRUE(Has(ErrorOf([&] { model->PullWait(5, 0); }), "rank 1 leaves by an exception"));
    });
  });
  EXPECT_EQ(error, "rank 1 had enough");
}

TEST(DistModel, ByTheNameAlone) {
  const ModelPointer<float> model = testing::MakeModel<float>("dist", 2);
  TensorContainer<cpu, 1> data[2], out(Shape1(3));
  for (int d = 0; d < 2; ++d) {
    data[d].Resize(Shape1(3), d + 1.0f);
    model->InitKey(data[d].shape_, 0, d);
    model->Push(data[d], 0, d);
  }
  model->PullReq(out, 0, 1);
  model->PullWait(0, 1);
  EXPECT_EQ(out[2], 3.0f);
  EXPECT_TRUE(Has(ErrorOf([] {
                    dist::RunLocal(1, [](World& world) {
                      ps::CreateSharedModel<cpu, float>("local", world.Split(0));
                    });
                  }),
                  "has no communicator"));
}

}  // namespace

namespace ps {
template <typename DType>
IModelUpdater<DType>* CreateModelUpdater() {
  if constexpr (std::is_same_v<DType, double>) return new Sgd();
  return nullptr;
}
}  // namespace ps
}  // namespace mshadow
