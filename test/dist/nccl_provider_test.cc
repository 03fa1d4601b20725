// SPDX-License-Identifier: Apache-2.0
// NcclProvider, with a NCCL of the host in place of the real one (fake_cuda.h): what it asks of
// NCCL and in which order, errors and the end. With MSHADOW_TEST_NCCL=1 the real one, on the GPUs
// there are.
#include <mshadow/dist/local_provider.h>
#include <mshadow/dist/nccl_provider.h>

#include <gtest/gtest.h>

#if !MSHADOW_DIST_USE_NCCL

TEST(NcclProvider, NotBuilt) { GTEST_SKIP() << "this program was built without NCCL's headers"; }

#else

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#if !MSHADOW_TEST_NCCL
#include "fake_cuda.h"
#endif

using namespace mshadow;
using dist::Fold;
using dist::NcclProvider;

namespace {

template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : size_(values.size()) {
    cudaMalloc(&memory_, size_ * sizeof(T));
    Set(values);
  }
  ~OnDevice() { cudaFree(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() { return static_cast<T*>(memory_); }
  std::vector<T> values() const {
    const auto copy = std::make_unique<T[]>(size_);  // no vector<bool>
    cudaMemcpy(copy.get(), memory_, size_ * sizeof(T), cudaMemcpyDefault);
    return std::vector<T>(copy.get(), copy.get() + size_);
  }

 private:
  void Set(const std::vector<T>& values) {
    const auto copy = std::make_unique<T[]>(size_);
    std::copy(values.begin(), values.end(), copy.get());
    cudaMemcpy(memory_, copy.get(), size_ * sizeof(T), cudaMemcpyDefault);
  }

  std::size_t size_;
  void* memory_ = nullptr;
};

void Wait(const dist::Provider::OperationPointer& operation) {
  while (!operation->Poll()) std::this_thread::yield();
}

/// f(rank) on n threads; the first exception is rethrown.
template <typename F>
void OnRanks(int n, F f) {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors(n);
  for (int rank = 0; rank < n; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        cudaSetDevice(rank);
        f(rank);
      } catch (...) {
        errors[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

std::string IdFile() {
  static std::atomic<int> next{0};
  return ::testing::TempDir() + "nccl_provider_test." + std::to_string(getpid()) + "." +
         std::to_string(next++);
}

/// True where there are fewer; says so.
bool LacksDevices(int n) {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices < n) std::printf("NOT RUN: needs %d GPUs; there are %d\n", n, devices);
  return devices < n;
}

/// f(provider) on n ranks of a group without companion, each on a device of its own.
template <typename F>
void WithFile(int n, F f) {
  if (LacksDevices(n)) GTEST_SKIP();
  const std::string path = IdFile();
  OnRanks(n, [&](int rank) {
    const auto provider = NcclProvider::WithFile(path, rank, n, 20);
    f(*provider);
  });
  EXPECT_EQ(std::fopen(path.c_str(), "rb"), nullptr) << "the file is still there";
}

std::string ErrorOf(const std::function<void()>& f) {
  try {
    f();
  } catch (const dmlc::Error& error) {
    return error.what();
  }
  return "";
}

template <typename T, typename U>
bool Holds(const OnDevice<T>& data, const std::vector<U>& expected) {
  std::vector<T> converted;
  for (U value : expected) converted.push_back(T(value));
  return data.values() == converted;
}

template <typename T>
void CheckFolds(dist::Provider& provider) {
  const int rank = provider.rank(), n = provider.size(), type = DataType<T>::kFlag;
  const T mine(static_cast<float>(rank + 1));
  int sum = 0, product = 1;
  for (int r = 1; r <= n; ++r) sum += r, product *= r;
  const auto all = [&](Fold fold) {
    OnDevice<T> data({mine, T(2.0f), mine});
    Wait(provider.AllReduce(data.data(), 3, type, fold));
    return data.values();
  };
  int twos = 1;
  for (int r = 0; r < n; ++r) twos *= 2;
  const auto is = [](const std::vector<T>& values, int a, int b) {
    return values[0] == T(float(a)) && values[1] == T(float(b)) && values[2] == T(float(a));
  };
  EXPECT_TRUE(is(all(Fold::kSum), sum, 2 * n)) << dtype_string(type);
  EXPECT_TRUE(is(all(Fold::kProduct), product, twos)) << dtype_string(type);
  EXPECT_TRUE(is(all(Fold::kMin), 1, 2)) << dtype_string(type);
  EXPECT_TRUE(is(all(Fold::kMax), n, 2)) << dtype_string(type);
}

TEST(NcclProvider, FoldsEveryElementType) {
  WithFile(3, [](dist::Provider& provider) {
    CheckFolds<float>(provider);
    CheckFolds<double>(provider);
    CheckFolds<half::half_t>(provider);
    CheckFolds<bfloat::bf16_t>(provider);
    CheckFolds<std::uint8_t>(provider);
    CheckFolds<std::int8_t>(provider);
    CheckFolds<std::int32_t>(provider);
    CheckFolds<std::uint32_t>(provider);
    CheckFolds<std::int64_t>(provider);
    CheckFolds<std::uint64_t>(provider);

    OnDevice<float> mean({float(provider.rank())});
    Wait(provider.AllReduce(mean.data(), 1, kFloat32, Fold::kMean));
    EXPECT_EQ(mean.values()[0], 1.0f);

    OnDevice<bool> flags({provider.rank() == 1, false, true});
    Wait(provider.AllReduce(flags.data(), 3, kBool, Fold::kSum));
    EXPECT_TRUE(Holds(flags, std::vector<bool>{true, false, true}));
    OnDevice<bool> both({provider.rank() == 1, false, true});
    Wait(provider.AllReduce(both.data(), 3, kBool, Fold::kProduct));
    EXPECT_TRUE(Holds(both, std::vector<bool>{false, false, true}));

    // Nothing has been started: the provider is still of use.
    OnDevice<std::int16_t> small({1});
    EXPECT_NE(ErrorOf([&] { provider.AllReduce(small.data(), 1, kInt16, Fold::kSum); })
                  .find("no elements of type short"),
              std::string::npos);
    OnDevice<int> whole({1});
    EXPECT_NE(ErrorOf([&] { provider.AllReduce(whole.data(), 1, kInt32, Fold::kMean); })
                  .find("mean of int"),
              std::string::npos);
    CheckFolds<float>(provider);
  });
}

template <template <typename> class Memory>
void CheckCollectives(dist::Provider& provider) {
  const int rank = provider.rank(), n = provider.size();
  const float r = static_cast<float>(rank);
  {
    Memory<float> in({r, 1}), out({-1, -1});
    Wait(provider.Reduce(in.data(), out.data(), 2, kFloat32, Fold::kSum, n - 1));
    const auto expected = rank == n - 1 ? std::vector<float>{n * (n - 1) / 2.0f, float(n)}
                                        : std::vector<float>{-1, -1};
    EXPECT_EQ(out.values(), expected);
  }
  {
    std::vector<float> values, expected;
    for (int i = 0; i < 2 * n; ++i) values.push_back(static_cast<float>(i) + r);
    for (int i = 2 * rank; i < 2 * rank + 2; ++i) {
      expected.push_back(static_cast<float>(n * i) + n * (n - 1) / 2.0f);
    }
    Memory<float> in(values), out({0, 0});
    Wait(provider.ReduceScatter(in.data(), out.data(), 2, kFloat32, Fold::kSum));
    EXPECT_EQ(out.values(), expected);
  }
  {
    Memory<float> data({r, r + 10});
    Wait(provider.Broadcast(data.data(), 2 * sizeof(float), 1));
    EXPECT_EQ(data.values(), (std::vector<float>{1, 11}));
  }
  {
    Memory<std::int16_t> in({static_cast<std::int16_t>(rank), 7});
    Memory<std::int16_t> out(std::vector<std::int16_t>(2 * n));
    Wait(provider.AllGather(in.data(), out.data(), 2 * sizeof(std::int16_t)));
    for (int i = 0; i < n; ++i) EXPECT_EQ(out.values()[2 * i], i);
    EXPECT_EQ(out.values()[1], 7);
  }
  Memory<float> empty(std::vector<float>{});
  Wait(provider.AllReduce(empty.data(), 0, kFloat32, Fold::kSum));
  Wait(provider.AllGather(nullptr, nullptr, 0));
  {
    // Every rank receives before it sends, twice from each, and the later call is polled first.
    Memory<float> sent1({r}), sent2({r + 100});
    std::vector<std::unique_ptr<Memory<float>>> got1, got2;
    std::vector<dist::Provider::OperationPointer> operations;
    for (int other = 0; other < n; ++other) {
      if (other == rank) continue;
      got1.push_back(std::make_unique<Memory<float>>(std::vector<float>{-1}));
      got2.push_back(std::make_unique<Memory<float>>(std::vector<float>{-1}));
      operations.push_back(provider.Recv(got1.back()->data(), sizeof(float), other));
      operations.push_back(provider.Recv(got2.back()->data(), sizeof(float), other));
      operations.push_back(provider.Send(sent1.data(), sizeof(float), other));
      operations.push_back(provider.Send(sent2.data(), sizeof(float), other));
    }
    // Beside them, a collective.
    Memory<float> data({1});
    Wait(provider.AllReduce(data.data(), 1, kFloat32, Fold::kSum));
    EXPECT_EQ(data.values()[0], static_cast<float>(n));
    for (bool done = false; !done;) {
      done = true;
      for (auto i = operations.rbegin(); i != operations.rend(); ++i) done = (*i)->Poll() && done;
    }
    std::size_t i = 0;
    for (int other = 0; other < n; ++other) {
      if (other == rank) continue;
      EXPECT_EQ(got1[i]->values()[0], static_cast<float>(other));
      EXPECT_EQ(got2[i++]->values()[0], static_cast<float>(other + 100));
    }
  }
}

template <typename T>
class OnHost {
 public:
  explicit OnHost(std::vector<T> values) : values_(std::move(values)) {}
  T* data() { return values_.data(); }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
};

TEST(NcclProvider, CollectivesOnTheMemoryOfDevices) {
  WithFile(3, [](dist::Provider& provider) { CheckCollectives<OnDevice>(provider); });
}
TEST(NcclProvider, CollectivesOnTheMemoryOfTheHostWithoutCompanion) {
  WithFile(3, [](dist::Provider& provider) { CheckCollectives<OnHost>(provider); });
}
TEST(NcclProvider, OneRank) {
  WithFile(1, [](dist::Provider& provider) {
    CheckFolds<float>(provider);
    EXPECT_EQ(provider.local_size(), 1);
  });
}

TEST(NcclProvider, SaysWhoItIs) {
  WithFile(2, [](dist::Provider& provider) {
    EXPECT_STREQ(provider.name(), "nccl");
    EXPECT_EQ(provider.size(), 2);
    EXPECT_EQ(provider.local_size(), 2);
    EXPECT_EQ(provider.host(0), provider.host(1));
    EXPECT_NE(provider.host(0).find(", process "), std::string::npos);
    EXPECT_FALSE(provider.Asked());
    EXPECT_EQ(provider.Inquire("here", 0.1)[provider.rank()], "here");
  });
}

TEST(NcclProvider, WithACompanion) {
  if (LacksDevices(3)) GTEST_SKIP();
  auto companions = dist::MakeLocalProviders(3);
  OnRanks(3, [&](int rank) {
    const auto provider = NcclProvider::WithCompanion(std::move(companions[rank]), 20);
    EXPECT_EQ(provider->rank(), rank);
    EXPECT_EQ(provider->local_size(), 3);
    CheckFolds<float>(*provider);
    CheckCollectives<OnDevice>(*provider);
    CheckCollectives<OnHost>(*provider);
    const auto part = provider->Split(rank == 1 ? std::vector<int>{1} : std::vector<int>{0, 2}, 0);
    CheckFolds<float>(*part);
  });
}

TEST(NcclProvider, SeveralDevicesOfOneThread) {
  if (LacksDevices(2)) GTEST_SKIP();
  auto providers = NcclProvider::ForDevices(dist::MakeLocalProviders(2), {0, 1}, 20);
  cudaSetDevice(0);
  OnDevice<float> first({1, 2});
  cudaSetDevice(1);
  OnDevice<float> second({10, 20});
  cudaSetDevice(0);
  for (int i = 0; i < 3; ++i) {
    dist::NcclGroup group;
    const auto a = providers[0]->AllReduce(first.data(), 2, kFloat32, Fold::kMax);
    const auto b = providers[1]->AllReduce(second.data(), 2, kFloat32, Fold::kMax);
    for (int poll = 0; poll < 10; ++poll) EXPECT_FALSE(a->Poll() || b->Poll());
    group.End();
    for (bool done = false; !done;) {
      done = a->Poll();
      done = b->Poll() && done;
    }
  }
  EXPECT_EQ(first.values(), (std::vector<float>{10, 20}));
  EXPECT_EQ(second.values(), (std::vector<float>{10, 20}));
  int device = -1;
  cudaGetDevice(&device);
  EXPECT_EQ(device, 0);
  NcclProvider::Close(&providers, 20);
  EXPECT_THROW(NcclProvider::ForDevices(dist::MakeLocalProviders(2), {0}), dmlc::Error);
  try {
    NcclProvider::ForDevices(dist::MakeLocalProviders(2), {1, 1});
    ADD_FAILURE() << "two ranks on one device";
  } catch (const dist::CollectiveError& error) {
    EXPECT_EQ(error.ranks, (std::vector<int>{0, 1}));
    EXPECT_NE(std::string(error.what()).find("ranks 0 and 1 are both on device"),
              std::string::npos) << error.what();
  }
}

TEST(NcclProvider, SplitsIntoGroupsOfTheirOwn) {
  WithFile(4, [](dist::Provider& provider) {
    const bool odd = provider.rank() % 2 == 1;
    // In reverse: rank 3 is rank 0 of the odd ones.
    const std::unique_ptr<dist::Provider> part =
        provider.Split(odd ? std::vector<int>{3, 1} : std::vector<int>{2, 0}, 0);
    EXPECT_EQ(part->size(), 2);
    EXPECT_EQ(part->rank(), provider.rank() / 2 == 1 ? 0 : 1);
    OnDevice<float> data({static_cast<float>(provider.rank())});
    Wait(part->AllReduce(data.data(), 1, kFloat32, Fold::kSum));
    EXPECT_EQ(data.values()[0], odd ? 4.0f : 2.0f);
    CheckCollectives<OnDevice>(*part);
    CheckFolds<float>(provider);
  });
}

#if !MSHADOW_TEST_NCCL

TEST(NcclProvider, StartsAfterTheEventOfTheCallersStream) {
  WithFile(2, [](dist::Provider& provider) {
    OnDevice<float> data({0});
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreateWithFlags(&event, 0);
    float* const at = data.data();
    int late = 50;  // the gradient is there only after some time
    fake::Push(stream, [=]() mutable { return --late == 0 ? (*at = 5, true) : false; });
    cudaEventRecord(event, stream);
    provider.StartAfter(event);
    const auto operation = provider.AllReduce(at, 1, kFloat32, Fold::kSum);
    cudaEventDestroy(event);
    Wait(operation);
    EXPECT_EQ(data.values()[0], 10.0f);
    cudaStreamDestroy(stream);
  });
}

TEST(NcclProvider, ARankThatIsLost) {
  const int aborted = fake::aborted;
  const std::string text = ErrorOf([] {
    WithFile(2, [](dist::Provider& provider) {
      OnDevice<float> data({1});
      Wait(provider.AllReduce(data.data(), 1, kFloat32, Fold::kSum));
      if (provider.rank() == 1) throw dmlc::Error("rank 1 leaves");
      const auto operation = provider.AllReduce(data.data(), 1, kFloat32, Fold::kSum);
      for (int i = 0; i < 20; ++i) EXPECT_FALSE(operation->Poll());
      {
        const fake::Lock lock(fake::TheWorld().mutex);
        for (auto& clique : fake::Cliques()) clique.second->lost = true;
      }
      EXPECT_THROW(Wait(operation), dist::CollectiveError);
      // What follows throws the same.
      const std::string again = ErrorOf(
          [&] { provider.AllReduce(data.data(), 1, kFloat32, Fold::kSum); });
      EXPECT_NE(again.find("remote process exited"), std::string::npos) << again;
      throw dmlc::Error(again);
    });
  });
  EXPECT_NE(text.find("remote process exited: the fake's last error"), std::string::npos) << text;
  EXPECT_GE(fake::aborted - aborted, 1);
  for (auto& clique : fake::Cliques()) clique.second->lost = false;
}

TEST(NcclProvider, GivenUpCallsAndTheEnd) {
  const int aborted = fake::aborted, destroyed = fake::destroyed;
  WithFile(2, [](dist::Provider& provider) {
    if (provider.rank() == 1) return provider.Abort("rank 1 has an error");
    OnDevice<float> data({1});
    { const auto operation = provider.AllReduce(data.data(), 1, kFloat32, Fold::kSum); }
    EXPECT_NE(ErrorOf([&] { provider.Broadcast(data.data(), 4, 0); }).find("was given up"),
              std::string::npos);
  });
  EXPECT_EQ(fake::aborted - aborted, 2);
  EXPECT_EQ(fake::destroyed, destroyed);
  WithFile(2, [](dist::Provider& provider) { CheckFolds<float>(provider); });
  EXPECT_EQ(fake::destroyed - destroyed, 2);
  EXPECT_EQ(fake::alive, 0);
  EXPECT_TRUE(fake::TheWorld().device_memory.empty());
}

#endif  // !MSHADOW_TEST_NCCL

TEST(NcclProvider, RanksThatDoNotCome) {
  const std::string path = IdFile();
  EXPECT_NE(ErrorOf([&] { NcclProvider::WithFile(path, 1, 2, 0.1); })
                .find("the wait for the file " + path),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { NcclProvider::WithFile(path, 0, 2, 0.1); })
                .find("a rank has not come"),
            std::string::npos);
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  std::fputs("no id", file);
  std::fclose(file);
  EXPECT_NE(ErrorOf([&] { NcclProvider::WithFile(path, 1, 2, 0.1); })
                .find("does not hold an id of NCCL"),
            std::string::npos);
  std::remove(path.c_str());
  EXPECT_THROW(NcclProvider::WithFile(path, 2, 2), dmlc::Error);
}

}  // namespace

#endif  // MSHADOW_DIST_USE_NCCL
