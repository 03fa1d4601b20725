// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_RUN_H_
#define MSHADOW_EXAMPLES_MNIST_RUN_H_

#include <mshadow/dist.h>
#include <mshadow/tensor.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "dataset.h"
#include "interrupt.h"
#include "model_file.h"
#include "options.h"
#include "parallel.h"
#include "progress.h"
#include "ranks.h"
#include "trainer.h"

namespace mnist {

constexpr int kExitFailure = 1, kExitUsage = 2, kExitInterrupted = 130;

inline void PrintConfusion(const Evaluation& evaluation) {
  std::printf("\nrows: the digit; columns: what the network took it for\n     ");
  for (int j = 0; j < kClasses; ++j) std::printf("%5d", j);
  std::printf("\n");
  for (int i = 0; i < kClasses; ++i) {
    std::printf("%5d", i);
    for (int j = 0; j < kClasses; ++j) std::printf("%5zu", evaluation.confusion[i][j]);
    std::printf("\n");
  }
  std::printf("\n");
}

/// Loads the model into the trainer and returns the number of epochs that it has seen.
template <typename xpu, typename DType>
int Resume(const Options& options, Trainer<xpu, DType>* trainer) {
  Snapshot<DType> snapshot(Parameters<xpu, DType>::kCount);
  LoadModel(options.model, &snapshot);
  if (snapshot.seed != options.seed) {
    throw FileError(options.model, "was trained with --seed " + std::to_string(snapshot.seed) +
                                       "; give the same to go on");
  }
  trainer->Restore(snapshot);
  std::printf("resumed %s after epoch %d\n", options.model.c_str(), snapshot.epochs_done);
  if (snapshot.epochs_done >= options.epochs) {
    std::printf("nothing left to train: --epochs %d counts from the start\n", options.epochs);
  }
  return snapshot.epochs_done;
}

/// At the end of an epoch. Throws Error unless all ranks have the same weights. Returns true if
/// Ctrl-C has reached one of them.
template <typename xpu, typename DType>
bool CompareRanks(const Snapshot<DType>& mine, dist::Communicator<xpu>* world) {
  const std::vector<std::int64_t> all =
      FromAllRanks<xpu, std::int64_t>(world, {HashOf(mine), interrupted});
  bool stops = false;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    if (all[i] != all[0]) {
      throw std::runtime_error("the weights of rank " + std::to_string(i / 2) +
                               " differ from those of rank 0");
    }
    stops = stops || all[i + 1] != 0;
  }
  return stops;
}

/// The whole program on one rank: reads or draws the digits, trains, tests. Rank 0 prints, and
/// saves the model. Returns the exit status.
template <typename xpu, typename DType = float>
int Run(const Options& options, dist::Communicator<xpu>* world) {
  UseThreads(options.threads);
  const bool leads = world->rank() == 0;
  const TrainAndTest data = options.data.empty() ? DrawDataset(options.digits, options.seed)
                                                 : LoadMnist(options.data);
  if (leads) {
    std::printf("%zu digits to train on, %zu to test on: %s\n", data.train.size(),
                data.test.size(), data.origin.c_str());
    if constexpr (xpu::kDevCPU) std::printf("products by %s\n", Blas<cpu>::Name().c_str());
    if (world->size() > 1) std::printf("%d ranks (%s)\n", world->size(), world->provider());
    CheckWritable(options.model);
  }

  Trainer<xpu, DType> trainer(
      data, {options.batch, options.epochs, options.seed, options.learning_rate}, world);
  std::vector<int> start{0};
  if (options.resume && leads) start[0] = Resume(options, &trainer);
  trainer.Broadcast();
  start = FromAllRanks(world, start);

  CatchInterrupt();
  Evaluation evaluation;
  if (start[0] >= options.epochs) evaluation = trainer.Test();
  for (int epoch = start[0]; epoch < options.epochs; ++epoch) {
    Progress progress(epoch + 1, options.epochs, data.train.size());
    Tally mine;
    const bool finished = trainer.TrainEpoch(epoch, [&](const Tally& tally) {
      mine = tally;
      if (leads) progress.Update(mine, world->size());
    });
    progress.StopClock();
    const Snapshot<DType> snapshot = trainer.Save(finished ? epoch + 1 : epoch);
    const bool stops = CompareRanks(snapshot, world);
    if (leads) SaveModel(options.model, snapshot);
    if (stops && !(finished && epoch + 1 == options.epochs)) {
      if (leads) {
        std::printf("\ninterrupted in epoch %d; saved %s, go on with --resume\n", epoch + 1,
                    options.model.c_str());
      }
      return kExitInterrupted;
    }
    evaluation = trainer.Test();
    mine = trainer.OfAllRanks(mine);
    if (leads) progress.Finish(mine, evaluation.tally.Accuracy());
  }

  if (leads) {
    PrintConfusion(evaluation);
    if (start[0] < options.epochs) std::printf("model saved in %s\n", options.model.c_str());
    std::printf("test accuracy: %.2f %%\n", evaluation.tally.Accuracy());
  }
  return 0;
}

/// Run on all ranks: threads of this process, or what mpirun has started, or this one alone.
template <typename xpu>
int RunOnRanks(const Options& options) {
  dist::Options choice;
  if (!options.dist.empty()) choice.provider = options.dist;
  int status = 0;
  if (options.ranks > 1) {
    dist::RunLocal<xpu>(options.ranks, [&](dist::Communicator<xpu>& world) {
      const int mine = Run(options, &world);
      if (world.rank() == 0) status = mine;
    }, choice);
  } else {
    dist::SetLocalDevice<xpu>();
    auto world = dist::Communicator<xpu>::World(choice);
    try {
      status = Run(options, &world);
    } catch (const std::exception& error) {
      // The others must not wait for this rank.
      if (world.size() > 1) {
        world.Abort("mnist: rank " + std::to_string(world.rank()) + ": " + error.what());
      }
      throw;
    }
  }
  ShutdownTensorEngine<xpu>();
  return status;
}

#if MSHADOW_USE_CUDA
/// RunOnRanks<gpu>, in gpu.cu: only nvcc compiles statements of Tensor<gpu>.
int RunOnGpu(const Options& options);
#endif

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_RUN_H_
