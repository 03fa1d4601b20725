// SPDX-License-Identifier: Apache-2.0
// The MPI provider without MPI: ranks take turns on one thread, on fake_mpi/mpi.h. So 1 to 40 ranks
// cost seconds, and what MPI does with memory is seen by AddressSanitizer.
#define MSHADOW_DIST_USE_MPI 1
#include <gtest/gtest.h>
#include <mshadow/dist/mpi_provider.h>

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "error_of.h"

namespace mshadow {
namespace {

using dist::Fold;
using dist::MpiGroup;
using dist::MpiOperation;
using dist::MpiPieces;
using dist::MpiProcess;
using dist::MpiProvider;
using dist::MpiShares;
using dist::detail::Wanted;
using Floats = std::vector<float>;

constexpr std::size_t kSlots = dist::kMpiSlots;

// Every number of elements that a last piece may have. Buffers are made for the first piece.
TEST(MpiShares, CoverAllAndNeverGrow) {
  for (int size = 1; size <= 40; ++size) {
    for (const std::size_t share : {1, 100}) {
      const std::size_t piece = (share + 63) / 64 * 64 * static_cast<std::size_t>(size);
      for (std::size_t count = 0; count <= 2 * piece; count += count < piece ? 97 : 1) {
        const MpiShares shares(false, size, count, share);
        std::size_t at = 0;
        for (std::size_t k = 0; k < shares.pieces(); ++k) {
          for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r) {
            const MpiShares::Share now = shares.Of(k, r);
            const bool aligned = now.count == 0 || now.begin % 64 == 0;
            if (now.begin != at || !aligned || now.count > shares.Of(0, r).count) {
              FAIL() << size << " ranks, " << count << " elements, piece " << k << ", rank " << r;
            }
            at += now.count;
          }
        }
        ASSERT_EQ(at, count) << size << " ranks";
      }
    }
  }
}

/// Element i of rank r.
float Element(int r, std::size_t i) { return static_cast<float>((i * 31 + std::size_t(r) * 17) % 101); }
Floats Elements(int r, std::size_t count) {
  Floats all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = Element(r, i);
  return all;
}

/// The calls that make(group) begins on `size` ranks, to their end: what each throws.
std::vector<std::string> RunCalls(int size,
                                  const std::function<MpiOperation*(const MpiGroup&)>& make) {
  std::vector<int> members(static_cast<std::size_t>(size));
  std::iota(members.begin(), members.end(), 0);
  std::vector<MpiGroup> groups;
  for (int r = 0; r < size; ++r) groups.push_back({7, r, members});
  std::vector<std::unique_ptr<MpiOperation>> calls;
  for (const MpiGroup& group : groups) {
    fake::TheMpi().rank = group.rank;
    calls.emplace_back(make(group));
    calls.back()->Begin();
  }
  std::vector<std::string> errors(members.size());
  bool goes_on = true;
  for (int round = 0; goes_on && round < 1000; ++round) {
    goes_on = false;
    for (std::size_t r = 0; r < calls.size(); ++r) {
      if (!calls[r] || !errors[r].empty()) continue;
      fake::TheMpi().rank = static_cast<int>(r);
      goes_on = true;
      try {
        if (calls[r]->Poll()) calls[r].reset();
      } catch (const dist::CollectiveError& error) {
        errors[r] = error.what();
      }
    }
  }
  for (std::size_t r = 0; r < calls.size(); ++r) {
    fake::TheMpi().rank = static_cast<int>(r);
    if (calls[r] && errors[r].empty()) errors[r] = "never ends";
    calls[r].reset();
  }
  fake::TheMpi().rank = 0;
  return errors;
}
/// The same in shares of 100 elements, rounded up, without errors: what each has in `out` after it.
std::vector<Floats> RunPieces(const Wanted& wanted, const std::vector<Floats>& in,
                              std::vector<Floats> out) {
  const bool in_place = wanted.kind == Wanted::kAllReduce;
  const auto errors = RunCalls(static_cast<int>(in.size()), [&](const MpiGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank);
    return new MpiPieces(&MpiProcess::Get(), &group, wanted, in_place ? out[r].data() : in[r].data(),
                         out[r].data(), 400);
  });
  EXPECT_EQ(errors, std::vector<std::string>(in.size()));
  return out;
}

TEST(MpiPieces, AllReduceOfOneToFortyRanks) {
  for (int size = 1; size <= 40; size += size < 20 ? 1 : 5) {
    // A slot gets a second piece, which is shorter. Not rounded, a rank's last share would be larger.
    const std::size_t count = (2 * kSlots * 100 + 64) * static_cast<std::size_t>(size);
    std::vector<Floats> data;
    Floats sum(count);
    for (int r = 0; r < size; ++r) {
      data.push_back(Elements(r, count));
      for (std::size_t i = 0; i < count; ++i) sum[i] += data.back()[i];
    }
    const auto result = RunPieces(Wanted(Wanted::kAllReduce, count, kFloat32), data, data);
    for (const Floats& mine : result) ASSERT_TRUE(mine == sum) << size << " ranks";
  }
}

TEST(MpiPieces, TheOtherCollectives) {
  for (const int size : {2, 3, 17}) {
    const auto n = static_cast<std::size_t>(size);
    const std::size_t count = kSlots * 128 * n + 1009;
    std::vector<Floats> shares, whole;
    for (int r = 0; r < size; ++r) shares.push_back(Elements(r, count));
    for (int r = 0; r < size; ++r) whole.push_back(Elements(r, count * n));
    const std::vector<Floats> nothing(n, Floats(count, -1.0f)), all(n, Floats(count * n, -1.0f));
    const int root = size - 1;
    const auto sum = [&](std::size_t i) {
      float total = 0;
      for (int r = 0; r < size; ++r) total += Element(r, i);
      return total;
    };
    const auto reduced =
        RunPieces(Wanted(Wanted::kReduce, count, kFloat32, Fold::kSum, root), shares, nothing);
    const auto scattered = RunPieces(Wanted(Wanted::kReduceScatter, count, kFloat32), whole, nothing);
    auto gathered = all;
    for (std::size_t r = 0; r < n; ++r) {
      std::copy(shares[r].begin(), shares[r].end(), gathered[r].begin() + std::ptrdiff_t(r * count));
    }
    gathered = RunPieces(Wanted(Wanted::kAllGather, count, kFloat32), shares, gathered);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(reduced[r][i], int(r) == root ? sum(i) : -1.0f) << size << " ranks, " << i;
        ASSERT_EQ(scattered[r][i], sum(r * count + i)) << size << " ranks, " << i;
      }
      for (std::size_t i = 0; i < count * n; ++i) {
        ASSERT_EQ(gathered[r][i], Element(int(i / count), i % count)) << size << " ranks, " << i;
      }
    }
  }
}

/// The calls of three ranks, where rank 1 wants `odd`: small ones if `small`.
void CheckDifference(bool small, const Wanted& usual, const Wanted& odd) {
  std::vector<Floats> data(3, Floats(600));
  const auto nothing = [](const void* const*) {};
  const auto errors = RunCalls(3, [&](const MpiGroup& group) -> MpiOperation* {
    MpiProcess* const mpi = &MpiProcess::Get();
    const Wanted& mine = group.rank == 1 ? odd : usual;
    float* const memory = data[static_cast<std::size_t>(group.rank)].data();
    if (!small) return new MpiPieces(mpi, &group, mine, memory, memory, 400);
    return new dist::MpiSmallAllGather<decltype(nothing)>(mpi, &group, mine, memory, mine.count * 4,
                                                          nothing);
  });
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(errors[std::size_t(r)], "dist: a collective differs between ranks:\n  ranks 0, 2: " +
                                          usual.Text() + "\n  rank 1: " + odd.Text())
        << r;
  }
}

TEST(MpiOperation, RanksThatDiffer) {
  const auto all_reduce = [](int type, Fold fold) {
    return Wanted(Wanted::kAllReduce, 200, type, fold);
  };
  const Wanted sum = all_reduce(kFloat32, Fold::kSum);
  for (const bool small : {true, false}) {
    CheckDifference(small, sum, all_reduce(kInt32, Fold::kSum));
    CheckDifference(small, sum, all_reduce(kFloat32, Fold::kMax));
  }
  const auto broadcast = [](int type, int root) {
    return Wanted(Wanted::kBroadcast, 200, type, Fold::kSum, root);
  };
  CheckDifference(false, broadcast(kFloat32, 0), broadcast(kFloat32, 1));
  CheckDifference(false, broadcast(kFloat32, 0), broadcast(kInt32, 0));
}

TEST(MpiOperation, ASmallBroadcastIsComparedWithTheRoots) {
  std::vector<Floats> data(5, Floats(10));
  const auto errors = RunCalls(5, [&](const MpiGroup& group) {
    const Wanted mine(Wanted::kBroadcast, 10, group.rank == 3 ? kInt32 : kFloat32, Fold::kSum, 1);
    return new dist::MpiSmallBroadcast(&MpiProcess::Get(), &group, mine,
                                       data[static_cast<std::size_t>(group.rank)].data(), 40);
  });
  EXPECT_EQ(errors, (std::vector<std::string>{
                        "", "", "",
                        "dist: a collective differs between ranks:\n"
                        "  rank 1: Broadcast of 10 elements of float, root 1\n"
                        "  rank 3: Broadcast of 10 elements of int, root 1",
                        ""}));
}

/// Rank 1 sends what the only receive of rank 0 waits for.
void SendToRankZero(const void* data, int bytes) {
  for (auto& line : fake::TheMpi().lines) {
    if (line.second.receives.empty()) continue;
    fake::TheMpi().rank = 1;
    MPI_Request sent;
    MPI_Isend(data, bytes, MPI_BYTE, 0, std::get<2>(line.first), MPI_COMM_WORLD, &sent);
    fake::TheMpi().rank = 0;
    return;
  }
  ADD_FAILURE() << "nobody receives";
}

TEST(MpiProvider, GivesUpAReceiveAndGoesOn) {
  const auto provider = MpiProvider::World();
  Floats memory(1000), message(1000, 3.0f);
  provider->Recv(memory.data(), 4000, 1);  // is cancelled
  const auto recv = provider->Recv(memory.data(), 4000, 1);
  SendToRankZero(message.data(), 4000);
  EXPECT_TRUE(recv->Poll());
  EXPECT_EQ(memory, message);
}

// A failed call, whose memory the caller frees, while a message has met its receive. (The last test:
// MPI stays unusable.)
TEST(MpiProviderLast, GivesUpMpiWithAReceiveThatHasMetItsMessage) {
  const auto provider = MpiProvider::World();
  Floats memory(1000), message(1000, 3.0f), other(4);
  std::unique_ptr<dist::Operation> recv = provider->Recv(memory.data(), 4000, 1);
  fake::TheMpi().stalled = true;
  SendToRankZero(message.data(), 4000);
  provider->Fail(dist::CollectiveError("late"));
  recv.reset();
  fake::TheMpi().stalled = false;
  const long calls = fake::TheMpi().calls;
  EXPECT_FALSE(provider->Asked());
  provider->Answer("here");
  EXPECT_EQ(provider->Inquire("here", 0.01)[0], "here");
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { provider->Recv(other.data(), 16, 1); },
           [&] { provider->AllReduce(other.data(), 4, kFloat32, Fold::kSum); },
           [&] { MpiProvider::World(); }}) {
    EXPECT_NE(testing::ErrorOf(call).find("an earlier call failed while MPI had its memory"),
              std::string::npos)
        << testing::ErrorOf(call);
  }
  EXPECT_EQ(fake::TheMpi().calls, calls);  // so nothing can move
  EXPECT_EQ(memory, Floats(1000));
}

}  // namespace
}  // namespace mshadow
