// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_RUN_H_
#define MSHADOW_EXAMPLES_MNIST_RUN_H_

#include <mshadow/tensor.h>

#include <cstdio>
#include <string>

#include "dataset.h"
#include "interrupt.h"
#include "model_file.h"
#include "options.h"
#include "progress.h"
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

/// Loads the model into the trainer and returns the number of epochs behind it.
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

/// The whole program on one device: reads or draws the digits, trains, tests, saves. Returns the
/// exit status.
template <typename xpu, typename DType = float>
int Run(const Options& options) {
  const TrainAndTest data = options.data.empty() ? DrawDataset(options.digits, options.seed)
                                                 : LoadMnist(options.data);
  std::printf("%zu digits to train on, %zu to test on: %s\n", data.train.size(), data.test.size(),
              data.origin.c_str());

  CheckWritable(options.model);
  InitTensorEngine<xpu>();
  Trainer<xpu, DType> trainer(
      data, {options.batch, options.epochs, options.seed, options.learning_rate});
  const int start = options.resume ? Resume(options, &trainer) : 0;

  CatchInterrupt();
  Evaluation evaluation;
  if (start >= options.epochs) evaluation = trainer.Test();
  for (int epoch = start; epoch < options.epochs; ++epoch) {
    Progress progress(epoch + 1, options.epochs, data.train.size());
    Tally train_tally;
    const bool finished = trainer.TrainEpoch(epoch, [&](const Tally& tally) {
      train_tally = tally;
      progress.Update(tally);
    });
    progress.StopClock();
    SaveModel(options.model, trainer.Save(finished ? epoch + 1 : epoch));
    if (!finished) {
      std::printf("\ninterrupted in epoch %d; saved %s, go on with --resume\n", epoch + 1,
                  options.model.c_str());
      return kExitInterrupted;
    }
    evaluation = trainer.Test();
    progress.Finish(train_tally, evaluation.tally.Accuracy());
  }

  PrintConfusion(evaluation);
  if (start < options.epochs) std::printf("model saved in %s\n", options.model.c_str());
  std::printf("test accuracy: %.2f %%\n", evaluation.tally.Accuracy());
  ShutdownTensorEngine<xpu>();
  return 0;
}

#if MSHADOW_USE_CUDA
/// Run<gpu>, in gpu.cu: only nvcc compiles statements of Tensor<gpu>.
int RunOnGpu(const Options& options);
#endif

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_RUN_H_
