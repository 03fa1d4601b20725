// SPDX-License-Identifier: Apache-2.0
// LocalModel without an updater: sums, gathered parts, priorities, wrong use.
#include "devices.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "../error_of.h"
#include "../testing.h"

namespace mshadow {
namespace ps {
template <typename DType>
IModelUpdater<DType>* CreateModelUpdater() {
  return nullptr;
}
}  // namespace ps
namespace {

using testing::ErrorOf;
using testing::Guarded;
using testing::MakeModel;
using testing::ModelPointer;
using testing::OnThreads;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Element i of what device d pushes in that round: small whole numbers, which every type holds.
template <typename DType>
DType Pushed(int d, int round, std::size_t i) {
  return static_cast<DType>(static_cast<float>((i * 7 + d * 3 + round) % 5));
}
template <typename DType>
DType SumOf(int devices, int round, std::size_t i) {
  float sum = 0;
  for (int d = 0; d < devices; ++d) sum += static_cast<float>(Pushed<DType>(d, round, i));
  return static_cast<DType>(sum);
}

/// Rounds of two keys, with padded rows, on every device; a pull gives the sum.
template <typename DType>
void CheckSums(int devices, const testing::Settings& settings, index_t rows, index_t cols) {
  const ModelPointer<DType> model = MakeModel<DType>("local", devices, settings);
  OnThreads(devices, [&](int d) {
    Guarded<3, DType> a(Shape3(2, rows, cols), d + 1, 1), out(Shape3(2, rows, cols), 3);
    Guarded<1, DType> b(Shape1(cols)), b_out(Shape1(cols));
    model->InitKey(a->shape_, 3, d);
    model->InitKey(b->shape_, -4, d);
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = Pushed<DType>(d, round, i);
      for (std::size_t i = 0; i < b.Size(); ++i) b.At(i) = Pushed<DType>(d, round + 1, i);
      std::atomic<int> calls{0};
      model->Push(*a, 3, d, -3);
      model->PullReq(*out, 3, d, -3, [&](Stream<cpu>* stream) {
        EXPECT_NE(stream, nullptr);
        ++calls;
      });
      model->Push(*b, -4, d);
      model->PullReq(*b_out, -4, d);
      model->PullWait(3, d);
      model->PullWait(-4, d);
      EXPECT_EQ(calls, 1);
      for (std::size_t i = 0; i < out.Size(); ++i) {
        ASSERT_EQ(out.At(i), SumOf<DType>(devices, round, i)) << d << " " << round << " " << i;
      }
      for (std::size_t i = 0; i < b.Size(); ++i) {
        ASSERT_EQ(b_out.At(i), SumOf<DType>(devices, round + 1, i)) << d << " " << round;
      }
      EXPECT_TRUE(out.Intact() && b_out.Intact());
    }
  });
}

TEST(LocalModel, SumsOfEveryElementType) {
#define CHECK_TYPE(flag, value, DType, ...) CheckSums<DType>(3, {}, 3, 5);
  MSHADOW_DTYPES_FLOAT_DOUBLE_(CHECK_TYPE, )
  MSHADOW_DTYPES_HALF_(CHECK_TYPE, )
  MSHADOW_DTYPES_BF16_(CHECK_TYPE, )
  MSHADOW_DTYPES_INTEGER_(CHECK_TYPE, )
  MSHADOW_DTYPES_MORE_INTEGER_(CHECK_TYPE, )
#undef CHECK_TYPE
}

TEST(LocalModel, TheSumOfBoolIsOr) {
  const ModelPointer<bool> model = MakeModel<bool>("local", 2);
  TensorContainer<cpu, 2, bool> data[2];
  for (int d = 0; d < 2; ++d) {
    data[d].Resize(Shape2(2, 2));
    for (index_t i = 0; i < 4; ++i) data[d][i / 2][i % 2] = d == 0 ? i % 2 == 1 : i / 2 == 1;
    model->InitKey(data[d].shape_, 0, d);
    model->Push(data[d], 0, d);
  }
  model->PullReq(data[0], 0, 0);
  model->PullWait(0, 0);
  for (index_t i = 0; i < 4; ++i) EXPECT_EQ(data[0][i / 2][i % 2], i != 0) << i;
}

// 2049 is no half_t: a sum that is rounded after every device stays 2048.
TEST(LocalModel, HalvesAreSummedInFloat) {
  const ModelPointer<half::half_t> model = MakeModel<half::half_t>("local", 3);
  const float values[] = {2048, 1, 1};
  TensorContainer<cpu, 1, half::half_t> data[3];
  for (int d = 0; d < 3; ++d) {
    data[d].Resize(Shape1(1), half::half_t(values[d]));
    model->InitKey(data[d].shape_, 0, d);
    model->Push(data[d], 0, d);
  }
  model->PullReq(data[0], 0, 0);
  model->PullWait(0, 0);
  EXPECT_EQ(static_cast<float>(data[0][0]), 2050.0f);
}

TEST(LocalModel, OneToFourDevicesOnOneThreadOrMore) {
  for (int devices = 1; devices <= 4; ++devices) {
    CheckSums<float>(devices, {}, 2, 7);
    CheckSums<float>(devices, {{"push_thread", "one"}, {"pull_thread", "one"}}, 2, 7);
    CheckSums<float>(devices, {{"use_pin_memory", "0"}, {"push_thread", "one"}}, 3, 1);
  }
}

TEST(LocalModel, LargeSumsOnThreads) {
  CheckSums<float>(2, {{"bigarray_bound", "100"}, {"reduce_thread", "3"}}, 41, 67);
  CheckSums<half::half_t>(3, {{"bigarray_bound", "0"}}, 101, 33);
}

TEST(LocalModel, EmptyTensors) { CheckSums<float>(2, {}, 2, 0); }

// 2^24 + 1 - 2^24 + ...: another order of the sum gives other bits.
TEST(LocalModel, SumInTheOrderOfTheDevices) {
  const float values[] = {16777216.0f, 1.0f, -16777216.0f, 0.5f};
  for (int first = 0; first < 4; ++first) {
    const ModelPointer<float> model = MakeModel<float>("local", 4);
    TensorContainer<cpu, 1> data[4];
    for (int d = 0; d < 4; ++d) {
      data[d].Resize(Shape1(1), values[d]);
      model->InitKey(data[d].shape_, 0, d);
    }
    for (int i = 0; i < 4; ++i) model->Push(data[(first + 3 * i) % 4], 0, (first + 3 * i) % 4);
    model->PullReq(data[0], 0, 0);
    model->PullWait(0, 0);
    EXPECT_EQ(data[0][0], ((16777216.0f + 1.0f) - 16777216.0f) + 0.5f);
  }
}

TEST(LocalModel, Gather) {
  const ModelPointer<int> model = MakeModel<int>("local", 3, {{"push_op[7]", "gather"}});
  OnThreads(3, [&](int d) {
    Guarded<2, int> part(Shape2(2, 3), 1), all(Shape2(6, 3), 2);
    model->InitKey(part->shape_, 7, d);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 6; ++i) part.At(i) = 100 * round + 10 * d + i;
      model->Push(*part, 7, d);
      model->PullReq(*all, 7, d);
      model->PullWait(7, d);
      for (int i = 0; i < 18; ++i) {
        ASSERT_EQ(all.At(i), 100 * round + 10 * (i / 6) + i % 6) << d << " " << i;
      }
      EXPECT_TRUE(all.Intact());
    }
  });
}

/// The keys in the order in which their callbacks ran: key 0 was first, and held up the others.
std::string OrderOfPulls(const std::vector<int>& priorities) {
  const ModelPointer<float> model = MakeModel<float>("local", 1);
  TensorContainer<cpu, 1> data(Shape1(1), 1.0f);
  const int keys = static_cast<int>(priorities.size());
  for (int key = 0; key < keys; ++key) {
    model->InitKey(data.shape_, key, 0);
    model->Push(data, key, 0);
    model->PullReq(data, key, 0);
    model->PullWait(key, 0);
  }
  testing::Gate busy, gate;
  std::string order;
  for (int key = 0; key < keys; ++key) {
    model->PullReq(data, key, 0, priorities[key], [&, key](Stream<cpu>*) {
      if (key == 0) {
        busy.Open();
        gate.Wait();
      }
      order += std::to_string(key);
    });
    if (key == 0) busy.Wait();
  }
  gate.Open();
  for (int key = 0; key < keys; ++key) model->PullWait(key, 0);
  return order;
}

TEST(LocalModel, PullsByPriority) {
  EXPECT_EQ(OrderOfPulls({0, -5, 3, 0, 9, 3, -7}), "0425316");
  EXPECT_EQ(OrderOfPulls({9, 0, 0, 0}), "0123");
}

TEST(LocalModel, PullsGetTheRoundThatTheyFollow) {
  const ModelPointer<int> model = MakeModel<int>("local", 2);
  OnThreads(2, [&](int d) {
    model->InitKey(Shape1(1000), 0, d);
    TensorContainer<cpu, 1, int> data[2], out(Shape1(1000));
    data[0].Resize(Shape1(1000));
    data[1].Resize(Shape1(1000));
    for (int round = 0; round < 200; ++round) {
      data[round % 2] = round;
      model->Push(data[round % 2], 0, d);
      model->PullReq(out, 0, d);
      if (round % 7 == d) std::this_thread::yield();
      model->PullWait(0, d);
      ASSERT_EQ(out[999], 2 * round);
    }
  });
}

TEST(LocalModel, CallbacksMayPush) {
  const ModelPointer<float> model = MakeModel<float>("local", 2);
  TensorContainer<cpu, 1> data[2], other[2];
  OnThreads(2, [&](int d) {
    data[d].Resize(Shape1(3), 1.0f);
    other[d].Resize(Shape1(3), 0.0f);
    model->InitKey(data[d].shape_, 0, d);
    model->InitKey(data[d].shape_, 1, d);
    model->Push(data[d], 0, d);
    model->PullReq(data[d], 0, d, 0, [&, d](Stream<cpu>*) {
      data[d] *= 10.0f;
      model->Push(data[d], 1, d);
      model->PullReq(other[d], 1, d);
    });
    model->PullWait(0, d);
    model->PullWait(1, d);
    EXPECT_EQ(other[d][2], 40.0f);
  });
}

TEST(LocalModel, FunctionPointersAsCallbacks) {
  const ModelPointer<float> model = MakeModel<float>("local", 1);
  TensorContainer<cpu, 1> data(Shape1(3), 1.0f);
  model->InitKey(data.shape_, 0, 0);
  model->Push(data, 0, 0);
  int calls = 0;
  model->PullReq(data, 0, 0, 0,
                 [](Stream<cpu>*, void* arg) { ++*static_cast<int*>(arg); }, &calls);
  model->PullWait(0, 0);
  EXPECT_EQ(calls, 1);
  model->PullReq(data, 0, 0, 0, NULL, NULL);
  model->PullWait(0, 0);
}

TEST(LocalModel, TheDestructorRunsWhatIsQueued) {
  std::atomic<int> calls{0};
  const auto token = std::make_shared<int>(0);
  TensorContainer<cpu, 1> data[2], out(Shape1(100));
  for (auto& one : data) one.Resize(Shape1(100), 1.0f);
  {
    const ModelPointer<float> model = MakeModel<float>("local", 2);
    for (int key = 0; key < 10; ++key) {
      for (int d = 0; d < 2; ++d) model->InitKey(data[d].shape_, key, d);
      // Key 9 is never complete: its callback is dropped.
      for (int d = 0; d < (key == 9 ? 1 : 2); ++d) model->Push(data[d], key, d);
      model->PullReq(out, key, 0, 0, [&calls, token](Stream<cpu>*) { ++calls; });
    }
  }
  EXPECT_EQ(calls, 9);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(LocalModel, WrongUse) {
  EXPECT_TRUE(Has(ErrorOf([] { ps::CreateSharedModel<cpu, float>("remote"); }), "\"remote\""));
  TensorContainer<cpu, 2> data(Shape2(2, 3), 1.0f), other(Shape2(3, 2), 1.0f);
  ModelPointer<float> model(ps::CreateSharedModel<cpu, float>("local"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Push(data, 5, 0); }), "Push of key 5 on device 0: Init"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Init(std::vector<int>()); }), "at least one device"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Init({0, -2}); }), "-2"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Init({1, 4, 1}); }), "twice"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->SetParam("push_op[1]", "mean"); }), "sum or gather"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->SetParam("reduce_thread", "0"); }), "reduce_thread"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->SetParam("bigarray_bound", "1e6"); }), "1e6"));
  model->SetParam("msg:disable_allreduce", "whatever");
  model->Init({0, 4});
  EXPECT_TRUE(Has(ErrorOf([&] { model->Init({0}); }), "before"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->SetParam("push_thread", "one"); }), "before Init"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Push(data, 5, 0); }),
                  "Push of key 5 on device 0: InitKey must come first"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->PullReq(data, 5, 0); }), "InitKey must come first"));
  model->PullWait(5, 0);  // nothing was asked for
  model->InitKey(data.shape_, 5, 0);
  EXPECT_TRUE(Has(ErrorOf([&] { model->InitKey(data.shape_, 5, 0); }), "twice"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->InitKey(other.shape_, 5, 4); }),
                  "InitKey of key 5 on device 4: shape (3,2) as a matrix, but another device had "
                  "(2,3)"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Push(data, 5, 4); }), "InitKey must come first"));
  model->InitKey(data.shape_, 5, 4);
  EXPECT_TRUE(Has(ErrorOf([&] { model->Push(data, 5, 1); }), "device 1: Init was not given"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->PullWait(5, 1); }), "device 1"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->Push(other, 5, 4); }), "shape (3,2) as a matrix"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->PullReq(other, 5, 4); }), "shape (3,2) as a matrix"));
  model->Push(data, 5, 4);
  EXPECT_TRUE(Has(ErrorOf([&] { model->Push(data, 5, 4); }),
                  "Push of key 5 on device 4: data inconsistency: the device has pushed the key "
                  "already, and device 0 has not"));
  model->PullReq(data, 5, 4);
  EXPECT_TRUE(Has(ErrorOf([&] { model->PullReq(data, 5, 4); }), "has not finished"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->SetWeight_(data, 5, 4); }), "no weights"));
  EXPECT_TRUE(Has(ErrorOf([&] { model->CheckWeight(data, 5, 4); }), "test_on_server"));
  model->Push(data, 5, 0);
  model->PullWait(5, 4);
  model->Push(data, 5, 4);
}

TEST(LocalModel, ErrorsOfCallbacks) {
  TensorContainer<cpu, 1> data(Shape1(3), 1.0f), out(Shape1(3));
  const ModelPointer<float> model = MakeModel<float>("local", 1);
  model->InitKey(data.shape_, 0, 0);
  model->Push(data, 0, 0);
  model->PullReq(out, 0, 0, 0, [](Stream<cpu>*) { throw Error("of the callback"); });
  EXPECT_TRUE(Has(ErrorOf([&] { model->PullWait(0, 0); }), "of the callback"));
  model->PullWait(0, 0);  // told once
  model->PullReq(out, 0, 0, 0, [](Stream<cpu>*) { throw 5; });
  while (true) {  // the next push throws it as well
    try {
      model->Push(data, 0, 0);
    } catch (int value) {
      EXPECT_EQ(value, 5);
      break;
    }
  }
  model->PullWait(0, 0);
  model->PullReq(out, 0, 0, 0, [&](Stream<cpu>*) { model->PullWait(0, 0); });
  EXPECT_TRUE(Has(ErrorOf([&] { model->PullWait(0, 0); }), "would wait for itself"));
  model->Push(data, 0, 0);
  model->PullReq(out, 0, 0);
  model->PullWait(0, 0);
}

}  // namespace
}  // namespace mshadow
