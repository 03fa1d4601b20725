// SPDX-License-Identifier: Apache-2.0
#include "mshadow/backend/cpu/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using mshadow::MaxThreads;
using mshadow::ParallelFor;
using mshadow::ParallelRanges;
using mshadow::ThreadsFor;

TEST(Threads, MaxThreads) {
  EXPECT_GE(MaxThreads(), 1);
#ifndef _OPENMP
  EXPECT_EQ(MaxThreads(), 1);
#endif
}

TEST(Threads, ThreadsForHasWorkForEach) {
  EXPECT_EQ(ThreadsFor(0, 10), 1);
  EXPECT_EQ(ThreadsFor(-5, 10), 1);
  EXPECT_EQ(ThreadsFor(19, 10), 1);
  EXPECT_LE(ThreadsFor(20, 10), 2);
  EXPECT_EQ(ThreadsFor(1 << 30, 1), MaxThreads());
  EXPECT_EQ(ThreadsFor(1 << 30, 0), MaxThreads());
}

TEST(Threads, ParallelForCallsEachOnce) {
  for (std::ptrdiff_t n : {0, 1, 2, 3, 5, 64, 1001}) {
    for (int threads : {1, 2, 3, 7}) {
      std::vector<int> calls(n);
      ParallelFor(n, threads, [&](std::ptrdiff_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(n, 1)) << n << " items, " << threads << " threads";
    }
  }
}

TEST(Threads, ParallelRangesCoverExactlyOnce) {
  for (std::ptrdiff_t n : {-1, 0, 1, 2, 3, 5, 63, 64, 1001}) {
    for (std::ptrdiff_t grain : {0, 1, 2, 40, 5000}) {
      std::vector<int> calls(n > 0 ? n : 0);
      std::atomic<int> ranges(0);
      ParallelRanges(n, grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        ++ranges;
        EXPECT_LT(begin, end);
        EXPECT_TRUE(end - begin >= grain || (begin == 0 && end == n));
        for (std::ptrdiff_t i = begin; i < end; ++i) ++calls[i];
      });
      EXPECT_EQ(calls, std::vector<int>(calls.size(), 1)) << n << " items, grain " << grain;
      EXPECT_LE(ranges.load(), MaxThreads());
      EXPECT_EQ(ranges.load() == 0, n <= 0);
    }
  }
}

TEST(Threads, RangesOfHugeCountsDoNotOverflow) {
  const std::ptrdiff_t n = PTRDIFF_MAX;
  std::atomic<std::ptrdiff_t> covered(0);
  ParallelRanges(n, 1, [&](std::ptrdiff_t begin, std::ptrdiff_t end) { covered += end - begin; });
  EXPECT_EQ(covered.load(), n);
}

TEST(Threads, RegionsDoNotNest) {
  std::atomic<int> inner(0);
  const int outer = MaxThreads() > 1 ? 2 : 1;
  ParallelFor(outer, outer, [&](std::ptrdiff_t) {
    if (outer > 1) {
      EXPECT_EQ(MaxThreads(), 1);
    }
    const std::thread::id here = std::this_thread::get_id();
    ParallelRanges(100, 1, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      if (outer > 1) {
        EXPECT_EQ(std::this_thread::get_id(), here);
      }
      inner += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(inner.load(), 100 * outer);
}

TEST(Threads, ExceptionsOfAnyThreadArrive) {
  for (std::ptrdiff_t thrower : {0, 7, 63}) {
    for (int threads : {1, 2, 4}) {
      const auto run = [&] {
        ParallelFor(64, threads, [&](std::ptrdiff_t i) {
          if (i == thrower) throw std::runtime_error("item");
        });
      };
      EXPECT_THROW(run(), std::runtime_error) << thrower << ", " << threads << " threads";
    }
  }
  const auto all = [] {
    ParallelRanges(1000, 1,
                   [](std::ptrdiff_t, std::ptrdiff_t) { throw std::runtime_error("all"); });
  };
  EXPECT_THROW(all(), std::runtime_error);
  std::atomic<int> calls(0);  // and the next region runs as if nothing had happened
  ParallelFor(10, 2, [&](std::ptrdiff_t) { ++calls; });
  EXPECT_EQ(calls.load(), 10);
}

TEST(Threads, TwoThreadsRunRegionsAtOnce) {
  const auto work = [](std::vector<int>* out) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      ParallelRanges(static_cast<std::ptrdiff_t>(out->size()), 1,
                     [out](std::ptrdiff_t begin, std::ptrdiff_t end) {
                       for (std::ptrdiff_t i = begin; i < end; ++i) ++(*out)[i];
                     });
    }
  };
  std::vector<int> mine(300), others(300);
  std::thread other(work, &others);
  work(&mine);
  other.join();
  EXPECT_EQ(mine, std::vector<int>(300, 50));
  EXPECT_EQ(others, std::vector<int>(300, 50));
}

}  // namespace
