// SPDX-License-Identifier: Apache-2.0
#include "../../examples/mnist/trainer.h"

#include <gtest/gtest.h>

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
  Trainer whole(Data(), Settings());
  ASSERT_TRUE(Train(&whole, 0));
  const Snapshot<float> middle = whole.Save(1);
  ASSERT_TRUE(Train(&whole, 1));

  Trainer resumed(Data(), Settings());
  resumed.Restore(middle);
  ASSERT_TRUE(Train(&resumed, 1));
  ExpectSame(whole.Save(2), resumed.Save(2));
}

TEST(Trainer, SeesEveryDigitOnceInAnEpoch) {
  Trainer trainer(Data(), Settings());
  std::size_t updates = 0, digits = 0;
  trainer.TrainEpoch(0, [&](const Tally& tally) {
    ++updates;
    digits = tally.digits;
  });
  EXPECT_EQ(updates, 5u);  // four batches of 40 and one of 4
  EXPECT_EQ(digits, 164u);
}

TEST(Trainer, TestCountsEveryDigitUnderItsLabel) {
  Trainer trainer(Data(), Settings());
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
  Trainer trainer(Data(), Settings());
  int updates = 0;
  EXPECT_FALSE(trainer.TrainEpoch(0, [&](const Tally&) {
    if (++updates == 2) mnist::interrupted = 1;
  }));
  mnist::interrupted = 0;
  EXPECT_EQ(updates, 2) << "the batch is finished, the next is not begun";
}

#ifdef _OPENMP
TEST(Trainer, DoesTheSameOnAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  Trainer one(Data(), Settings());
  ASSERT_TRUE(Train(&one, 0));
  omp_set_num_threads(3);
  Trainer three(Data(), Settings());
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
