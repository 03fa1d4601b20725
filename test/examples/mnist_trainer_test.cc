// SPDX-License-Identifier: Apache-2.0
#include "../../examples/mnist/run.h"
#include "../../examples/mnist/trainer.h"

#include <cmath>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

using mnist::Snapshot;
using mnist::Tally;
using mnist::TrainAndTest;
using mshadow::cpu;
using mshadow::index_t;
using Trainer = mnist::Trainer<cpu, float>;

constexpr int kBatch = 40;  // parts of 16, 16 and 8; 164 digits leave a last batch of 4

const TrainAndTest& Data() {
  static const TrainAndTest data = mnist::DrawDataset(205, 3);  // 164 to train on, 41 to test on
  return data;
}

Trainer::Settings Settings() { return {kBatch, /*epochs=*/2, /*seed=*/5, /*learning_rate=*/0.02}; }

/// One rank.
Trainer::World* World() {
  static Trainer::World world(std::move(mshadow::dist::MakeLocalProviders(1)[0]));
  return &world;
}

bool Train(Trainer* trainer, int epoch) {
  return trainer->TrainEpoch(epoch, [](const Tally&) {});
}

void ExpectSame(const Snapshot<float>& a, const Snapshot<float>& b) {
  for (index_t i = 0; i < a.weights.size(0); ++i) {
    ASSERT_EQ(a.weights[i], b.weights[i]) << i;
    ASSERT_EQ(a.velocity[i], b.velocity[i]) << i;
  }
}

TEST(Trainer, GoesOnFromASnapshotAsIfItHadNeverStopped) {
  Trainer whole(Data(), Settings(), World());
  ASSERT_TRUE(Train(&whole, 0));
  const Snapshot<float> middle = whole.Save(1);
  ASSERT_TRUE(Train(&whole, 1));

  Trainer resumed(Data(), Settings(), World());
  resumed.Restore(middle);
  ASSERT_TRUE(Train(&resumed, 1));
  ExpectSame(whole.Save(2), resumed.Save(2));
}

TEST(Trainer, SeesEveryDigitOnceInAnEpoch) {
  Trainer trainer(Data(), Settings(), World());
  std::size_t updates = 0, digits = 0;
  trainer.TrainEpoch(0, [&](const Tally& tally) {
    ++updates;
    digits = tally.digits;
  });
  EXPECT_EQ(updates, 5u);  // four batches of 40 and one of 4
  EXPECT_EQ(digits, 164u);
}

TEST(Trainer, TestCountsEveryDigitUnderItsLabel) {
  Trainer trainer(Data(), Settings(), World());
  const mnist::Evaluation evaluation = trainer.Test();
  EXPECT_EQ(evaluation.tally.digits, 41u);
  std::size_t want[10] = {}, correct = 0;
  for (std::uint8_t label : Data().test.labels) ++want[label];
  for (int i = 0; i < 10; ++i) {
    std::size_t row = 0;
    for (std::size_t count : evaluation.confusion[i]) row += count;
    EXPECT_EQ(row, want[i]) << i;
    correct += evaluation.confusion[i][i];
  }
  EXPECT_EQ(evaluation.tally.correct, correct);
}

TEST(Trainer, StopsAfterAnInterrupt) {
  Trainer trainer(Data(), Settings(), World());
  int updates = 0;
  EXPECT_FALSE(trainer.TrainEpoch(0, [&](const Tally&) {
    if (++updates == 2) mnist::interrupted = 1;
  }));
  mnist::interrupted = 0;
  EXPECT_EQ(updates, 2) << "the batch is finished, the next is not begun";
}

TEST(Trainer, RanksKeepTheSameWeights) {
  Trainer::Settings settings = Settings();
  settings.keep = 1;  // dropout differs from one number of ranks to another
  Trainer alone(Data(), settings, World());
  ASSERT_TRUE(Train(&alone, 0));
  const Snapshot<float> one = alone.Save(1);
  for (int ranks : {2, 5}) {  // 5: the last batch of 4 leaves a rank without a digit
    std::vector<std::unique_ptr<Snapshot<float>>> all(ranks);
    mshadow::dist::RunLocal(ranks, [&](Trainer::World& world) {
      Trainer trainer(Data(), settings, &world);
      Tally mine;
      ASSERT_TRUE(trainer.TrainEpoch(0, [&](const Tally& tally) { mine = tally; }));
      EXPECT_EQ(trainer.OfAllRanks(mine).digits, 164u);
      EXPECT_EQ(trainer.Test().tally.digits, 41u);
      all[world.rank()] = std::make_unique<Snapshot<float>>(trainer.Save(1));
    });
    for (int r = 1; r < ranks; ++r) {
      ExpectSame(*all[r], *all[0]);
      EXPECT_EQ(HashOf(*all[r]), HashOf(*all[0]));
    }
    EXPECT_NE(HashOf(*all[0]), HashOf(one)) << "they add in another order";
    // Rounding may turn a unit that is nearly 0 on or off, which moves the weights around it.
    double sum = 0;
    for (index_t i = 0; i < one.weights.size(0); ++i) {
      ASSERT_NEAR(all[0]->weights[i], one.weights[i], 1e-2) << i;
      sum += std::fabs(all[0]->weights[i] - one.weights[i]);
    }
    EXPECT_LT(sum / one.weights.size(0), 1e-4);
  }
}

TEST(Trainer, RanksCompareTheirWeights) {
  mshadow::dist::RunLocal(3, [&](Trainer::World& world) {
    Snapshot<float> mine(4);
    EXPECT_FALSE(mnist::CompareRanks(mine, &world));
    if (world.rank() == 1) mine.velocity[3] = 1e-30f;
    try {
      mnist::CompareRanks(mine, &world);
      ADD_FAILURE() << "they differ";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "the weights of rank 1 differ from those of rank 0");
    }
  });
  mnist::interrupted = 1;
  mshadow::dist::RunLocal(2, [&](Trainer::World& world) {
    EXPECT_TRUE(mnist::CompareRanks(Snapshot<float>(4), &world));
  });
  mnist::interrupted = 0;
}

TEST(Trainer, BroadcastTakesWhatRankZeroHas) {
  mshadow::dist::RunLocal(2, [&](Trainer::World& world) {
    Trainer::Settings settings = Settings();
    settings.seed += world.rank();
    Trainer trainer(Data(), settings, &world);
    Snapshot<float> changed = trainer.Save(0);
    changed.velocity = static_cast<float>(world.rank() + 1);
    trainer.Restore(changed);
    trainer.Broadcast();
    const Snapshot<float> now = trainer.Save(0);
    EXPECT_EQ(now.velocity[3], 1.0f);
    const auto all = mnist::FromAllRanks<cpu, std::int64_t>(&world, {HashOf(now)});
    EXPECT_EQ(all[0], all[1]);
  });
}

#ifdef _OPENMP
TEST(Trainer, DoesTheSameOnAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  Trainer one(Data(), Settings(), World());
  ASSERT_TRUE(Train(&one, 0));
  omp_set_num_threads(3);
  Trainer three(Data(), Settings(), World());
  ASSERT_TRUE(Train(&three, 0));
  omp_set_num_threads(before);
#if MSHADOW_USE_CBLAS
  // OpenBLAS 0.3.21 with its kernels for Haswell adds in another order where there are more threads.
  const Snapshot<float> a = one.Save(1), b = three.Save(1);
  for (index_t i = 0; i < a.weights.size(0); ++i) {
    ASSERT_NEAR(a.weights[i], b.weights[i], 1e-5) << i;
    ASSERT_NEAR(a.velocity[i], b.velocity[i], 1e-5) << i;
  }
#else
  ExpectSame(one.Save(1), three.Save(1));
#endif
}
#endif

}  // namespace
