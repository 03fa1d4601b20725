// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_OPTIONS_H_
#define MSHADOW_EXAMPLES_MNIST_OPTIONS_H_

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace mnist {

/// What the command line decides.
struct Options {
  std::string data;
  int digits = 10000;
  int epochs = 10;
  int batch = 64;
  double learning_rate = 0.03;
  int seed = 1;
  std::string model = "mnist.model";
  bool resume = false;
  std::string device = "cpu";
  int threads = 0;
  std::string dist;
  int ranks = 1;
  bool help = false;
};

inline const char* Usage() {
  return "usage: mnist [options]\n"
         "Trains a small convolutional network on handwritten digits and tests it.\n"
         "\n"
         "  --data DIR      read MNIST's files (plain or .gz) from DIR: train-images-idx3-ubyte,\n"
         "                  train-labels-idx1-ubyte and the same of t10k; one pair alone is split\n"
         "                  four to one; without --data the program draws its own digits\n"
         "  --digits N      how many digits to draw (default 10000)\n"
         "  --epochs N      passes over the training digits in all (default 10)\n"
         "  --batch N       digits per step (default 64)\n"
         "  --lr X          highest learning rate (default 0.03)\n"
         "  --seed N        seed of everything random (default 1)\n"
         "  --model FILE    where the trained model is saved (default mnist.model)\n"
         "  --resume        go on from the model in FILE\n"
         "  --device NAME   cpu or gpu (default cpu)\n"
         "  --threads N     threads (default: one per core); the result does not depend on it\n"
         "  --dist NAME     how ranks talk: local, mpi or nccl (default: mpi under mpirun, if\n"
         "                  built with it); each takes a share of every batch\n"
         "  --ranks N       ranks in this process, with --dist local or nccl (default 1)\n"
         "  --help          this text\n"
         "\n"
         "Ctrl-C saves the model and stops; several ranks finish the epoch first.\n";
}

/// A mistake on the command line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of `flag` as a whole number; throws UsageError unless it is one in [least, most].
inline int ParseInt(const std::string& flag, const std::string& text, int least, int most) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 || value < least || value > most) {
    throw UsageError(flag + " needs a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not '" + text + "'");
  }
  return static_cast<int>(value);
}

/// The value of `flag` as a number; throws UsageError unless it is finite and above zero.
inline double ParsePositive(const std::string& flag, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value <= 0) {
    throw UsageError(flag + " needs a number above zero, not '" + text + "'");
  }
  return value;
}

/// Reads `--flag value` and `--flag=value`; throws UsageError on anything it does not know.
inline Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i], inline_value;
    const std::size_t equals = flag.find('=');
    const bool has_inline_value = equals != std::string::npos;
    if (has_inline_value) {
      inline_value = flag.substr(equals + 1);
      flag.resize(equals);
    }
    auto value = [&]() -> std::string {
      if (has_inline_value) return inline_value;
      if (i + 1 == argc) throw UsageError(flag + " needs a value");
      return argv[++i];
    };
    if (flag == "--data") {
      options.data = value();
    } else if (flag == "--digits") {
      options.digits = ParseInt(flag, value(), 10, 1000000);
    } else if (flag == "--epochs") {
      options.epochs = ParseInt(flag, value(), 1, 10000);
    } else if (flag == "--batch") {
      options.batch = ParseInt(flag, value(), 1, 4096);
    } else if (flag == "--lr") {
      options.learning_rate = ParsePositive(flag, value());
    } else if (flag == "--seed") {
      options.seed = ParseInt(flag, value(), 0, 1000000000);
    } else if (flag == "--model") {
      options.model = value();
    } else if (flag == "--device") {
      options.device = value();
    } else if (flag == "--threads") {
      options.threads = ParseInt(flag, value(), 1, 1024);
    } else if (flag == "--dist") {
      options.dist = value();
    } else if (flag == "--ranks") {
      options.ranks = ParseInt(flag, value(), 1, 1024);
    } else if (flag == "--resume" && !has_inline_value) {
      options.resume = true;
    } else if ((flag == "--help" || flag == "-h") && !has_inline_value) {
      options.help = true;
    } else {
      throw UsageError("unknown option '" + std::string(argv[i]) + "'");
    }
  }
  if (options.device != "cpu" && options.device != "gpu") {
    throw UsageError("--device is cpu or gpu, not '" + options.device + "'");
  }
  if (!options.dist.empty() && options.dist != "local" && options.dist != "mpi" &&
      options.dist != "nccl") {
    throw UsageError("--dist is local, mpi or nccl, not '" + options.dist + "'");
  }
  if (options.dist == "nccl" && options.device != "gpu") {
    throw UsageError("--dist nccl needs --device gpu");
  }
  if (options.ranks > 1 && options.dist != "local" && options.dist != "nccl") {
    throw UsageError("--ranks needs --dist local or nccl; for mpi, mpirun -n says how many");
  }
  return options;
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_OPTIONS_H_
