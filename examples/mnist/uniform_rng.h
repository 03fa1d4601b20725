// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_UNIFORM_RNG_H_
#define MSHADOW_EXAMPLES_MNIST_UNIFORM_RNG_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace mnist {

/// Random numbers on the host: the order of the images, their shifts, the drawn digits.
/// The standard fixes std::mt19937_64 bit for bit but not the distributions of <random>, so this
/// class brings its own: one seed means one run, with every compiler and standard library.
class UniformRng {
 public:
  explicit UniformRng(std::uint64_t seed) : engine_(seed) {}

  /// uniform in [low, high)
  double Uniform(double low, double high) {
    const double unit = static_cast<double>(engine_() >> 11) * 0x1.0p-53;
    return low + unit * (high - low);
  }

  /// uniform in {0, ..., bound - 1}; the bias of the modulo is below 2^-32 for our small bounds
  std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(engine_() % bound);
  }

  /// Fisher-Yates
  template <typename T>
  void Shuffle(std::vector<T>* items) {
    for (std::size_t i = items->size(); i > 1; --i) {
      std::swap((*items)[i - 1], (*items)[Below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_UNIFORM_RNG_H_
