// SPDX-License-Identifier: Apache-2.0
// Every call of the MPI provider, for every element type, beside what one process computes. Runs
// under mpirun with any number of ranks.
#include "mshadow/dist/mpi_provider.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>

namespace {

using mshadow::dist::Fold;
using mshadow::dist::FoldParts;
using mshadow::dist::MpiProvider;
using mshadow::dist::Operation;
using mshadow::dist::Provider;
using Bytes = std::vector<char>;

Provider& World() {
  static std::unique_ptr<Provider> world = [] {
    auto made = MpiProvider::World();
    static_cast<MpiProvider*>(made.get())->set_share_bytes(4096);  // many pieces
    return made;
  }();
  return *world;
}
void Wait(Operation* operation) {
  const double limit = mshadow::dist::MpiProcess::Now() + 30;
  for (int i = 0; !operation->Poll(); ++i) {
    ASSERT_LT(mshadow::dist::MpiProcess::Now(), limit);
    if (i > 20) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}
void Wait(std::unique_ptr<Operation> operation) { Wait(operation.get()); }

/// What rank r holds: small numbers. Fractions sum up to other bits in another order.
Bytes Elements(int r, std::size_t count, int type) {
  Bytes bytes(count * mshadow::mshadow_sizeof(type));
  const auto fill = [&](auto zero) {
    using DType = decltype(zero);
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned seed = static_cast<unsigned>(i * 31 + r * 17) * 2654435761u >> 16;
      const DType element = static_cast<DType>(  // fractions, where there are some
          std::is_same_v<DType, bool> ? seed % 2 : static_cast<float>(seed % 1000) / 201.3f);
      std::memcpy(&bytes[i * sizeof(DType)], &element, sizeof(DType));
    }
  };
  switch (type) {
#define FILL(flag, value, DType, ...) case mshadow::flag: fill(DType()); break;
    MSHADOW_FOREACH_DTYPE(FILL, )
#undef FILL
  }
  return bytes;
}
/// The fold of n elements of each rank from `begin` of `count`.
Bytes Folded(std::size_t count, int type, Fold fold, std::size_t begin, std::size_t n, int size) {
  const std::size_t unit = mshadow::mshadow_sizeof(type);
  std::vector<Bytes> all;
  std::vector<const void*> parts;
  for (int r = 0; r < size; ++r) all.push_back(Elements(r, count, type));
  for (const Bytes& bytes : all) parts.push_back(bytes.data() + begin * unit);
  Bytes out(n * unit);
  FoldParts(parts.data(), size, out.data(), n, type, fold);
  return out;
}

constexpr int kTypes[] = {
#define TYPE(flag, ...) mshadow::flag,
    MSHADOW_FOREACH_DTYPE(TYPE, )
#undef TYPE
};
constexpr Fold kFolds[] = {Fold::kSum, Fold::kProduct, Fold::kMin, Fold::kMax, Fold::kMean};

/// f(count, type, fold) for counts that are empty, odd, less than the ranks, and of several pieces.
template <typename F>
void ForEach(const F& f) {
  for (int type : kTypes) {
    const bool floats = type <= mshadow::kFloat16 || type == mshadow::kBfloat16;
    for (Fold fold : kFolds) {
      if (fold == Fold::kMean && !floats) continue;
      SCOPED_TRACE("type " + std::to_string(type) + ", fold " + std::to_string(int(fold)));
      for (std::size_t count : {0, 3, 1021, 20011}) f(count, type, fold);
    }
  }
}

TEST(MpiProvider, KnowsItsRanks) {
  EXPECT_STREQ(World().name(), "mpi");
  EXPECT_LT(World().rank(), World().size());
  EXPECT_EQ(World().local_size(), World().size());
  EXPECT_NE(World().host(World().rank()).find("process " + std::to_string(getpid())),
            std::string::npos);
  EXPECT_FALSE(World().Asked());
  EXPECT_FALSE(MpiProvider::CudaAware());  // Debian's
}

TEST(MpiProvider, AllReduce) {
  const int rank = World().rank(), size = World().size();
  ForEach([&](std::size_t count, int type, Fold fold) {
    Bytes data = Elements(rank, count, type);
    Wait(World().AllReduce(data.data(), count, type, fold));
    EXPECT_TRUE(data == Folded(count, type, fold, 0, count, size)) << count;
  });
}

TEST(MpiProvider, AllReduceInSharesAsTheyAre) {
  const int rank = World().rank(), size = World().size();
  auto world = MpiProvider::World();
  for (std::size_t count : {std::size_t{1} << 20, std::size_t{1700011} * size}) {
    Bytes data = Elements(rank, count, mshadow::kFloat32);
    Wait(world->AllReduce(data.data(), count, mshadow::kFloat32, Fold::kSum));
    EXPECT_TRUE(data == Folded(count, mshadow::kFloat32, Fold::kSum, 0, count, size)) << count;
  }
}

TEST(MpiProvider, Reduce) {
  const int rank = World().rank(), size = World().size();
  int root = 0;
  ForEach([&](std::size_t count, int type, Fold fold) {
    const Bytes data = Elements(rank, count, type);
    Bytes out(data.size(), 77);
    root = (root + 1) % size;
    Wait(World().Reduce(data.data(), out.data(), count, type, fold, root));
    EXPECT_TRUE(data == Elements(rank, count, type)) << count;
    EXPECT_TRUE(out == (rank == root ? Folded(count, type, fold, 0, count, size)
                                     : Bytes(data.size(), 77))) << count;
  });
}

TEST(MpiProvider, ReduceScatter) {
  const int rank = World().rank(), size = World().size();
  ForEach([&](std::size_t count, int type, Fold fold) {
    const Bytes data = Elements(rank, count * size, type);
    Bytes out(count * mshadow::mshadow_sizeof(type));
    Wait(World().ReduceScatter(data.data(), out.data(), count, type, fold));
    EXPECT_TRUE(out == Folded(count * size, type, fold, rank * count, count, size)) << count;
  });
}

TEST(MpiProvider, BroadcastAndAllGather) {
  const int rank = World().rank(), size = World().size();
  for (std::size_t bytes : {0, 1, 3, 4099, 70001, 500011}) {
    for (int root = 0; root < size; ++root) {
      Bytes data = Elements(rank, bytes, mshadow::kInt8);
      Wait(World().Broadcast(data.data(), bytes, root));
      EXPECT_TRUE(data == Elements(root, bytes, mshadow::kInt8)) << bytes;
    }
    const Bytes own = Elements(rank, bytes, mshadow::kInt8);
    Bytes all(bytes * size), expected;
    for (int r = 0; r < size; ++r) {
      const Bytes block = Elements(r, bytes, mshadow::kInt8);
      expected.insert(expected.end(), block.begin(), block.end());
    }
    Wait(World().AllGather(own.data(), all.data(), bytes));
    EXPECT_TRUE(all == expected) << bytes;
    if (bytes != 0) std::copy(own.begin(), own.end(), all.begin() + rank * bytes);
    Wait(World().AllGather(all.data() + rank * bytes, all.data(), bytes));  // in place
    EXPECT_TRUE(all == expected) << bytes;
  }
}

// Several are under way between two ranks, beside collectives.
TEST(MpiProvider, SendAndRecv) {
  const int rank = World().rank(), size = World().size();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  std::vector<Bytes> out, in;
  std::vector<std::unique_ptr<Operation>> calls;
  for (std::size_t bytes : {5, 0, 100003, 7, 3000001}) {
    out.push_back(Elements(rank, bytes, mshadow::kUint8));
    in.emplace_back(bytes);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    calls.push_back(World().Send(out[i].data(), out[i].size(), next));
    calls.push_back(World().Recv(in[i].data(), in[i].size(), before));
  }
  Bytes data = Elements(rank, 100, mshadow::kInt32);
  Wait(World().AllReduce(data.data(), 100, mshadow::kInt32, Fold::kSum));
  EXPECT_TRUE(data == Folded(100, mshadow::kInt32, Fold::kSum, 0, 100, size));
  for (auto& call : calls) Wait(call.get());
  for (std::size_t i = 0; i < in.size(); ++i)
    EXPECT_TRUE(in[i] == Elements(before, in[i].size(), mshadow::kUint8)) << i;
}

/// The members' own group: they exchange numbers, as a Communicator does.
std::unique_ptr<Provider> Split(Provider* of, const std::vector<int>& members) {
  const int mine = of->NewGroup();
  std::vector<int> all(of->size());
  Wait(of->AllGather(&mine, all.data(), sizeof(int)));
  return of->Split(members, all[members[0]]);
}

// Groups of even and odd ranks, in reverse, and groups of groups; calls of two at once.
TEST(MpiProvider, Split) {
  const int rank = World().rank(), size = World().size();
  std::vector<int> members;
  for (int r = size - 1; r >= 0; --r)
    if (r % 2 == rank % 2) members.push_back(r);
  auto half = Split(&World(), members);
  EXPECT_EQ(half->size(), static_cast<int>(members.size()));
  EXPECT_EQ(members[half->rank()], rank);
  auto alone = Split(half.get(), {half->rank()});
  auto again = MpiProvider::World();
  EXPECT_EQ(alone->size(), 1);
  EXPECT_EQ(again->size(), size);
  std::int64_t ranks[2] = {rank, rank}, bits = std::int64_t{1} << rank, expected = 0;
  auto one = again->AllReduce(&ranks[0], 1, mshadow::kInt64, Fold::kMax);
  auto two = half->AllReduce(&bits, 1, mshadow::kInt64, Fold::kSum);
  auto three = alone->AllReduce(&ranks[1], 1, mshadow::kInt64, Fold::kSum);
  Wait(std::move(three));
  Wait(std::move(two));
  Wait(std::move(one));
  for (int r : members) expected += std::int64_t{1} << r;
  EXPECT_EQ(bits, expected);
  EXPECT_EQ(ranks[0], size - 1);
  EXPECT_EQ(ranks[1], rank);
}

// All inquire but the last rank, which answers.
TEST(MpiProvider, Inquiries) {
  const int rank = World().rank(), size = World().size();
  const std::string where = "rank " + std::to_string(rank);
  if (rank != size - 1 || size == 1) {
    const auto answers = World().Inquire(where, 20);
    for (int r = 0; r < size; ++r) EXPECT_EQ(answers[r], "rank " + std::to_string(r));
  }
  // Some inquire later than others.
  char byte = 0;
  auto all_are_here = World().AllReduce(&byte, 1, mshadow::kInt8, Fold::kSum);
  while (!all_are_here->Poll())
    if (World().Asked()) World().Answer(where);
}
}  // namespace
