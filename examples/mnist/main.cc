// SPDX-License-Identifier: Apache-2.0
// Trains a convolutional network on handwritten digits. The network is network.h, the layer that
// convolves conv_pool.h, one step of the training trainer.h; the rest reads, draws, shows, saves.
#include <mshadow/tensor.h>

#include <cstdio>
#include <exception>
#include <string>

#include "dataset.h"
#include "interrupt.h"
#include "model_file.h"
#include "options.h"
#include "progress.h"
#include "trainer.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace mnist {

constexpr int kExitFailure = 1, kExitUsage = 2, kExitInterrupted = 130;

void PrintConfusion(const Evaluation& evaluation) {
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

int Main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  if (options.help) {
    std::fputs(Usage(), stdout);
    return 0;
  }
#ifdef _OPENMP
  if (options.threads > 0) omp_set_num_threads(options.threads);
#else
  if (options.threads > 1) std::fputs("built without OpenMP: running on one thread\n", stderr);
#endif
  if (options.device == "cpu") return Run<cpu>(options);
#if MSHADOW_USE_CUDA
  return Run<gpu>(options);
#else
  throw UsageError("--device gpu: this program was built without CUDA (compile it with nvcc)");
#endif
}

}  // namespace mnist

int main(int argc, char** argv) {
  try {
    return mnist::Main(argc, argv);
  } catch (const mnist::UsageError& error) {
    std::fprintf(stderr, "mnist: %s\n\n%s", error.what(), mnist::Usage());
    return mnist::kExitUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mnist: %s\n", error.what());
    return mnist::kExitFailure;
  }
}
