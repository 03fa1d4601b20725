// SPDX-License-Identifier: Apache-2.0
// Ranks that disagree, throw, leave early or never come: every other rank gets an error that names
// them, and nothing hangs.
#include <gtest/gtest.h>
#include <mshadow/dist.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "error_of.h"

namespace mshadow {
namespace {

using dist::CollectiveError;
using dist::Communicator;

/// How each rank ended.
struct Outcome {
  std::string error;  // empty: without one
  std::vector<int> ranks;
  bool collective = false;
};

dist::Options Limit(double seconds, dist::Progress progress = dist::Progress::kAuto) {
  dist::Options options;
  options.timeout = seconds;
  options.check = true;
  options.progress = progress;
  return options;
}

/// f(world) on each rank, whose errors are kept: they end no rank.
std::vector<Outcome> Outcomes(int ranks, const dist::Options& options,
                              const std::function<void(Communicator<cpu>&)>& f) {
  std::vector<Outcome> outcomes(ranks);
  dist::RunLocal(
      ranks,
      [&](Communicator<cpu>& world) {
        Outcome& mine = outcomes[world.rank()];
        try {
          f(world);
        } catch (const CollectiveError& error) {
          mine = {error.what(), error.ranks, true};
          // The same again, by every call.
          EXPECT_EQ(testing::ErrorOf([&] { world.Barrier(); }), mine.error);
          TensorContainer<cpu, 1> x(Shape1(3), 0.0f);
          EXPECT_EQ(testing::ErrorOf([&] { world.Broadcast(x, 0); }), mine.error);
        } catch (const std::exception& error) {
          mine = {error.what(), {}, false};
        }
      },
      options);
  return outcomes;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const dist::Progress kBoth[] = {dist::Progress::kThread, dist::Progress::kCaller};

/// Rank 1 of 3 does `odd`, the others `usual`: all get the same error, which says what each wanted.
void CheckDifference(const std::function<void(Communicator<cpu>&)>& usual, const std::string& text,
                     const std::function<void(Communicator<cpu>&)>& odd,
                     const std::string& odd_text) {
  for (const dist::Progress progress : kBoth) {
    const auto outcomes = Outcomes(3, Limit(20, progress), [&](Communicator<cpu>& world) {
      world.Barrier().Wait();
      (world.rank() == 1 ? odd : usual)(world);
    });
    for (const Outcome& outcome : outcomes) {
      EXPECT_TRUE(outcome.collective) << outcome.error;
      EXPECT_EQ(outcome.ranks, std::vector<int>{1});
      EXPECT_EQ(outcome.error, "dist: collective 2 differs between ranks:\n  ranks 0, 2: " + text +
                                   "\n  rank 1: " + odd_text);
    }
  }
}

template <typename Op, typename T = float>
std::function<void(Communicator<cpu>&)> AllReduceOf(index_t rows, index_t cols,
                                                    const std::string& name = "") {
  return [=](Communicator<cpu>& world) {
    TensorContainer<cpu, 2, T> x(Shape2(rows, cols), T(1));
    world.AllReduce<Op>(x, name).Wait();
  };
}

TEST(Failures, RanksThatDiffer) {
  const auto usual = AllReduceOf<red::sum>(3, 4);
  const std::string text = "AllReduce<sum> (3,4) float";
  CheckDifference(usual, text, AllReduceOf<red::sum>(4, 4), "AllReduce<sum> (4,4) float");
  CheckDifference(usual, text, AllReduceOf<red::sum>(4, 3), "AllReduce<sum> (4,3) float");
  CheckDifference(usual, text, AllReduceOf<red::maximum>(3, 4), "AllReduce<maximum> (3,4) float");
  CheckDifference(usual, text, AllReduceOf<red::sum, int32_t>(3, 4), "AllReduce<sum> (3,4) int");
  CheckDifference(usual, text, AllReduceOf<red::sum>(3, 4, "w"), "AllReduce<sum> \"w\" (3,4) float");
  CheckDifference(usual, text, [](Communicator<cpu>& world) { world.Barrier().Wait(); }, "Barrier");
  const auto broadcast = [](int root) {
    return [root](Communicator<cpu>& world) {
      TensorContainer<cpu, 1> x(Shape1(7), 0.0f);
      world.Broadcast(x, root).Wait();
    };
  };
  CheckDifference(broadcast(0), "Broadcast (7,) float, root 0", broadcast(2),
                  "Broadcast (7,) float, root 2");
  CheckDifference(usual, text, [](Communicator<cpu>& world) { world.Split(3); }, "Split");
}

/// Rank 1 of 3 does `odd` where no signatures are compared: the provider says what differs.
void CheckProvider(const std::function<void(Communicator<cpu>&)>& usual, const std::string& text,
                   const std::function<void(Communicator<cpu>&)>& odd, const std::string& odd_text) {
  dist::Options options = Limit(20);
  options.check = false;
  const auto outcomes = Outcomes(3, options, [&](Communicator<cpu>& world) {
    world.Barrier().Wait();
    (world.rank() == 1 ? odd : usual)(world);
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.ranks, std::vector<int>{1});
    EXPECT_TRUE(Holds(outcome.error, "dist: a collective differs between ranks:\n  ranks 0, 2: " +
                                         text + "\n  rank 1: " + odd_text + "\n"))
        << outcome.error;
  }
}

TEST(Failures, WithoutComparisonTheProviderSeesWhatDiffers) {
  const auto usual = AllReduceOf<red::sum>(3, 4);
  const std::string text = "AllReduce<sum> of 12 elements of float";
  CheckProvider(usual, text, AllReduceOf<red::sum>(3, 5), "AllReduce<sum> of 15 elements of float");
  CheckProvider(usual, text, AllReduceOf<red::maximum>(3, 4),
                "AllReduce<maximum> of 12 elements of float");
  CheckProvider(usual, text, AllReduceOf<red::sum, int32_t>(3, 4),
                "AllReduce<sum> of 12 elements of int");
  const auto broadcast = [](auto zero, int root) {
    return [root](Communicator<cpu>& world) {
      TensorContainer<cpu, 1, decltype(zero)> x(Shape1(7), 0);
      world.Broadcast(x, root).Wait();
    };
  };
  const std::string from_0 = "Broadcast of 7 elements of float, root 0";
  CheckProvider(broadcast(0.0f, 0), from_0, broadcast(0.0f, 2),
                "Broadcast of 7 elements of float, root 2");
  CheckProvider(broadcast(0.0f, 0), from_0, broadcast(int32_t(), 0),
                "Broadcast of 7 elements of int, root 0");
  const auto gather = [](auto zero) {
    return [](Communicator<cpu>& world) {
      TensorContainer<cpu, 1, decltype(zero)> part(Shape1(2), 0), all(Shape1(6), 0);
      world.AllGather(part, Tensor<cpu, 1, decltype(zero)>(all)).Wait();
    };
  };
  CheckProvider(gather(0.0f), "AllGather of 2 elements of float", gather(int32_t()),
                "AllGather of 2 elements of int");
}

TEST(Failures, OneComparesAndTheOtherDoesNot) {
  std::vector<std::unique_ptr<dist::Provider>> providers = dist::MakeLocalProviders(2);
  std::string errors[2];
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      dist::Options options = Limit(20);
      options.check = r == 1;
      Communicator<cpu> world(std::move(providers[r]), options);
      errors[r] = testing::ErrorOf([&] { world.Barrier().Wait(); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Holds(errors[0], "rank 0: Barrier, MSHADOW_DIST_CHECK=0")) << errors[0];
  EXPECT_TRUE(Holds(errors[1], "rank 1: Barrier, MSHADOW_DIST_CHECK=1")) << errors[1];
}

TEST(Failures, Messages) {
  const auto outcomes = Outcomes(2, Limit(20), [](Communicator<cpu>& world) {
    TensorContainer<cpu, 2> a(Shape2(3, 4), 1.0f);
    TensorContainer<cpu, 2> b(Shape2(4, 3), 1.0f);
    if (world.rank() == 0) {
      world.Send(a, 1).Wait();
      world.Barrier().Wait();
    } else {
      world.Recv(b, 0).Wait();
    }
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_TRUE(Holds(outcome.error, "rank 0 sends (3,4) float")) << outcome.error;
    EXPECT_TRUE(Holds(outcome.error, "rank 1 receives (4,3) float")) << outcome.error;
  }
}

TEST(Failures, ARankThrows) {
  for (const dist::Progress progress : kBoth) {
    std::vector<std::string> errors(3);
    const std::string thrown = testing::ErrorOf([&] {
      dist::RunLocal(
          3,
          [&](Communicator<cpu>& world) {
            TensorContainer<cpu, 1> x(Shape1(1000), 1.0f);
            if (world.rank() == 2) throw Error("the disk is full");
            try {
              world.AllReduce<red::sum>(x).Wait();
            } catch (const CollectiveError& error) {
              errors[world.rank()] = error.what();
              EXPECT_EQ(error.ranks, std::vector<int>{2});
              throw;
            }
          },
          Limit(20, progress));
    });
    EXPECT_EQ(thrown, "the disk is full");
    for (int r = 0; r < 2; ++r) {
      EXPECT_EQ(errors[r], "dist: rank 2 ended with an error: the disk is full\n  rank " +
                               std::to_string(r) +
                               " was in collective 1, AllReduce<sum> (1000,) float");
    }
  }
}

TEST(Failures, ARankThrowsWithCallsUnderWay) {
  // Memory of the rank that leaves is not touched after its tensors are gone.
  for (int step = 0; step < 30; ++step) {
    EXPECT_EQ(testing::ErrorOf([&] {
                dist::RunLocal(
                    3,
                    [&](Communicator<cpu>& world) {
                      TensorContainer<cpu, 1> x(Shape1(100000), 1.0f);
                      auto a = world.AllReduce<red::sum>(x);
                      auto b = world.AllReduce<red::sum>(x);
                      if (world.rank() == step % 3) {
                        if (step % 2 == 0) a.Wait();
                        world.Abort("gone");
                        throw Error("gone");
                      }
                      b.Wait();
                      world.AllReduce<red::sum>(x).Wait();
                    },
                    Limit(20, kBoth[step / 3 % 2]));
              }).substr(0, 4),
              "gone");
  }
}

TEST(Failures, AnExceptionPassesACommunicator) {
  dist::RunLocal(
      2,
      [](Communicator<cpu>& world) {
        const std::string error = testing::ErrorOf([&] {
          Communicator<cpu> pair = world.Split(0);
          if (world.rank() == 0) throw Error("mine");
          pair.Barrier().Wait();
        });
        if (world.rank() == 0) {
          EXPECT_EQ(error, "mine");
        } else {
          EXPECT_TRUE(Holds(error, "dist: rank 0 leaves by an exception\n"
                                   "  rank 1 was in collective 1, Barrier"))
              << error;
        }
        world.Barrier().Wait();  // which goes on
      },
      Limit(20));
}

TEST(Failures, GroupsEndWithTheGroupThatTheyAreOf) {
  const std::string thrown = testing::ErrorOf([] {
    dist::RunLocal(
        3,
        [](Communicator<cpu>& world) {
          Communicator<cpu> pair = world.Split(world.rank() == 1 ? 0 : 1);
          if (world.rank() == 2) world.Abort("dist: no more");
          const std::string error = testing::ErrorOf([&] { pair.Barrier().Wait(); });
          if (world.rank() == 0) {
            EXPECT_TRUE(Holds(error, "no more")) << error;
          }
        },
        Limit(20));
  });
  EXPECT_EQ(thrown, "no error");
}

TEST(Failures, ARankReturnsEarly) {
  for (const dist::Progress progress : kBoth) {
    const auto outcomes = Outcomes(3, Limit(20, progress), [](Communicator<cpu>& world) {
      TensorContainer<cpu, 1> x(Shape1(1000), 1.0f);
      world.AllReduce<red::sum>(x).Wait();
      if (world.rank() == 1) return;
      world.AllReduce<red::sum>(x).Wait();
    });
    EXPECT_EQ(outcomes[1].error, "");
    for (const int r : {0, 2}) {
      EXPECT_EQ(outcomes[r].ranks, std::vector<int>{1});
      EXPECT_TRUE(Holds(outcomes[r].error, "waits for rank 1, which has left")) << outcomes[r].error;
      EXPECT_TRUE(Holds(outcomes[r].error, "collective 2, AllReduce<sum> (1000,) float"))
          << outcomes[r].error;
    }
  }
}

TEST(Failures, ARankNeverComes) {
  for (const dist::Progress progress : kBoth) {
    const auto begin = std::chrono::steady_clock::now();
    const auto outcomes = Outcomes(3, Limit(0.5, progress), [](Communicator<cpu>& world) {
      TensorContainer<cpu, 1> x(Shape1(1000), 1.0f);
      world.AllReduce<red::sum>(x).Wait();
      if (world.rank() == 2) std::this_thread::sleep_for(std::chrono::seconds(3));
      world.AllReduce<red::sum>(x).Wait();
    });
    for (int r = 0; r < 3; ++r) {
      EXPECT_TRUE(outcomes[r].collective);
      EXPECT_EQ(outcomes[r].ranks, std::vector<int>{2}) << outcomes[r].error;
      EXPECT_TRUE(Holds(outcomes[r].error, " waited 0.5 s in collective 2, AllReduce<sum> (1000,)"))
          << outcomes[r].error;
      EXPECT_TRUE(Holds(outcomes[r].error, progress == dist::Progress::kThread
                                               ? "thread 2): idle after collective 1"
                                               : "thread 2): does not answer"))
          << outcomes[r].error;
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(passed.count(), 20);
  }
}

TEST(Failures, TheTimeLimitIsKept) {
  for (const dist::Progress progress : kBoth) {
    double seconds = 0;
    Outcomes(2, Limit(1, progress), [&](Communicator<cpu>& world) {
      world.Barrier().Wait();
      if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
      const auto begin = std::chrono::steady_clock::now();
      const std::string error = testing::ErrorOf([&] { world.Barrier().Wait(); });
      EXPECT_TRUE(Holds(error, "waited 1 s")) << error;
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (world.rank() == 0) seconds = passed.count();
    });
    EXPECT_GT(seconds, 0.99);
    EXPECT_LT(seconds, 1.6);  // 1.1, and what other programs on these cores take
  }
}

TEST(Failures, AMessageNeverComes) {
  const auto outcomes = Outcomes(2, Limit(0.3), [](Communicator<cpu>& world) {
    TensorContainer<cpu, 1> x(Shape1(5), 1.0f);
    if (world.rank() == 0) world.Recv(x, 1).Wait();
    if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
  });
  EXPECT_EQ(outcomes[0].ranks, std::vector<int>{1});
  EXPECT_TRUE(Holds(outcomes[0].error, "waited 0.3 s in Recv (5,) float from rank 1"))
      << outcomes[0].error;
  EXPECT_EQ(outcomes[1].error, "");
}

TEST(Failures, DestructionWithCallsUnderWay) {
  // A request that the other rank never joins: the destructors end within the limit.
  for (const dist::Progress progress : kBoth) {
    const auto begin = std::chrono::steady_clock::now();
    dist::RunLocal(
        2,
        [](Communicator<cpu>& world) {
          TensorContainer<cpu, 1> x(Shape1(5), 1.0f);
          if (world.rank() == 0) auto dropped = world.AllReduce<red::sum>(x);
          if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
        },
        Limit(0.3, progress));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(passed.count(), 20);
  }
}

TEST(Failures, WrongArguments) {
  dist::RunLocal(2, [](Communicator<cpu>& world) {
    TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f), b(Shape2(5, 3), 1.0f), c(Shape2(4, 4), 1.0f);
    const auto error = [](const auto& f) { return testing::ErrorOf(f); };
    EXPECT_TRUE(Holds(error([&] { world.Broadcast(a, 2); }),
                      "dist: Broadcast: root = 2, of 2 ranks"));
    EXPECT_TRUE(Holds(error([&] { world.Reduce(a, -1); }), "dist: Reduce: root = -1, of 2 ranks"));
    EXPECT_TRUE(Holds(error([&] { world.Send(a, 7); }), "dist: Send: to = 7, of 2 ranks"));
    EXPECT_TRUE(Holds(error([&] { world.Recv(a, 7); }), "dist: Recv: from = 7, of 2 ranks"));
    EXPECT_TRUE(Holds(error([&] { world.AllGather(a, b); }),
                      "dist: AllGather: shape (5,3) does not hold that of 2 ranks, (2,3) each"));
    EXPECT_TRUE(Holds(error([&] { world.ReduceScatter(c, a); }),
                      "ReduceScatter: shape (4,4) does not hold that of 2 ranks, (2,3) each"));
    // Nothing was sent, and all goes on.
    world.AllReduce<red::sum>(a).Wait();
    EXPECT_EQ(a[1][2], 2.0f);
  });
  EXPECT_TRUE(Holds(testing::ErrorOf([] { dist::RunLocal(0, [](Communicator<cpu>&) {}); }),
                    "RunLocal: 0 ranks"));
  dist::Options options;
  options.provider = "carrier pigeon";
  EXPECT_TRUE(Holds(testing::ErrorOf([&] { Communicator<cpu>::World(options); }),
                    "unknown provider \"carrier pigeon\""));
}

TEST(Failures, ALauncherWhoseRanksDoNotFindEachOther) {
  const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (const char* const name : names) {  // the tests themselves may run under one
    if (std::getenv(name) != nullptr) GTEST_SKIP() << name;
  }
  dist::Options alone;
  alone.provider = "local";
  for (const char* const name : names) {
    setenv(name, "2", 1);
    EXPECT_TRUE(Holds(testing::ErrorOf([] { Communicator<cpu>::World(); }),
                      std::string("dist: ") + name + "=2: a launcher has started 2 processes"));
    EXPECT_EQ(Communicator<cpu>::World(alone).size(), 1);
    setenv(name, "1", 1);
    EXPECT_EQ(Communicator<cpu>::World().size(), 1);
    unsetenv(name);
  }
}

TEST(Failures, Environment) {
  const auto with = [](const char* name, const char* value) {
    setenv(name, value, 1);
    const std::string error = testing::ErrorOf([] { dist::Options(); });
    unsetenv(name);
    return error;
  };
  EXPECT_EQ(with("MSHADOW_DIST_TIMEOUT", "soon"),
            "MSHADOW_DIST_TIMEOUT=soon: wanted seconds, more than 0");
  EXPECT_EQ(with("MSHADOW_DIST_TIMEOUT", "0"), "MSHADOW_DIST_TIMEOUT=0: wanted seconds, more than 0");
  EXPECT_EQ(with("MSHADOW_DIST_TIMEOUT", "2.5"), "no error");
  EXPECT_EQ(with("MSHADOW_DIST_CHECK", "yes"), "MSHADOW_DIST_CHECK=yes: wanted 0 or 1");
  EXPECT_EQ(with("MSHADOW_DIST_PROGRESS", "fast"),
            "MSHADOW_DIST_PROGRESS=fast: wanted auto, thread or caller");
  EXPECT_EQ(with("MSHADOW_DIST_PROGRESS", "caller"), "no error");
}

}  // namespace
}  // namespace mshadow
