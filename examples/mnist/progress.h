// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_PROGRESS_H_
#define MSHADOW_EXAMPLES_MNIST_PROGRESS_H_

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace mnist {

/// Sums over the digits seen so far.
struct Tally {
  std::size_t digits = 0, correct = 0;
  double loss = 0;

  double MeanLoss() const { return digits == 0 ? 0 : loss / static_cast<double>(digits); }
  double Accuracy() const {  // in percent
    return digits == 0 ? 0 : 100.0 * static_cast<double>(correct) / static_cast<double>(digits);
  }
};

/// One line per epoch: on a terminal a bar that grows, elsewhere only the finished line.
class Progress {
 public:
  Progress(int epoch, int epochs, std::size_t digits)
      : epoch_(epoch), epochs_(epochs), digits_(digits), start_(Clock::now()), drawn_(start_) {}

  /// Redraws the bar, ten times a second at most. `tally` is one of `ranks` equal shares.
  void Update(Tally tally, int ranks = 1) {
    const Clock::time_point now = Clock::now();
    if (!kTerminal || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    tally.digits *= static_cast<std::size_t>(ranks);
    tally.correct *= static_cast<std::size_t>(ranks);
    tally.loss *= ranks;
    constexpr int kWidth = 16;
    const int filled = static_cast<int>(kWidth * std::min(tally.digits, digits_) / digits_);
    const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
    std::printf("\r");
    PrintFigures(tally);
    std::printf("  [%s]", bar.c_str());
    std::fflush(stdout);
  }

  /// Replaces the bar by the finished line.
  void Finish(const Tally& tally, double test_accuracy) {
    if (kTerminal) std::printf("\r\033[K");
    PrintFigures(tally);
    std::printf("  test %.2f %%\n", test_accuracy);
    std::fflush(stdout);
  }

  /// Call when the training of this epoch is over: the speed is that of training alone.
  void StopClock() { stop_ = Clock::now(), stopped_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  static inline const bool kTerminal = isatty(STDOUT_FILENO) != 0;

  void PrintFigures(const Tally& tally) const {
    const std::chrono::duration<double> time = (stopped_ ? stop_ : Clock::now()) - start_;
    std::printf("epoch %2d/%d  %6.0f images/s  loss %.4f  train %.2f %%", epoch_, epochs_,
                static_cast<double>(tally.digits) / time.count(), tally.MeanLoss(),
                tally.Accuracy());
  }

  int epoch_, epochs_;
  std::size_t digits_;
  Clock::time_point start_, drawn_, stop_;
  bool stopped_ = false;
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_PROGRESS_H_
