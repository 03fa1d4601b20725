// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_DATASET_H_
#define MSHADOW_EXAMPLES_MNIST_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "uniform_rng.h"
#include "drawn_digits.h"
#include "idx.h"

namespace mnist {

constexpr int kSide = 28;     ///< images are kSide x kSide pixels
constexpr int kClasses = 10;  ///< digits 0 to 9

/// Labelled digits: pixels (n, kSide, kSide), 0 is background; labels (n), 0 to 9.
struct Dataset {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return labels.size(); }
  const std::uint8_t* image(std::size_t i) const { return pixels.data() + i * kSide * kSide; }

  void Append(const Dataset& other, std::size_t i) {
    pixels.insert(pixels.end(), other.image(i), other.image(i + 1));
    labels.push_back(other.labels[i]);
  }
};

/// What a run needs, and where it came from in words.
struct TrainAndTest {
  Dataset train, test;
  std::string origin;
};

/// Path of an IDX file in `dir`, plain or with .gz; empty if neither is there.
inline std::string FindIdx(const std::string& dir, const std::string& name) {
  for (const char* suffix : {"", ".gz"}) {
    const std::filesystem::path path = std::filesystem::path(dir) / (name + suffix);
    if (std::filesystem::exists(path)) return path.string();
  }
  return "";
}

/// Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte of `dir`; empty if both are absent.
/// Throws FileError when one of the two is missing, when they disagree, or on a label above 9.
inline Dataset LoadPair(const std::string& dir, const std::string& prefix) {
  const std::string image_path = FindIdx(dir, prefix + "-images-idx3-ubyte");
  const std::string label_path = FindIdx(dir, prefix + "-labels-idx1-ubyte");
  if (image_path.empty() && label_path.empty()) return {};
  if (image_path.empty()) throw FileError(label_path, "has no file of images beside it");
  if (label_path.empty()) throw FileError(image_path, "has no file of labels beside it");

  IdxArray images = ReadIdx(image_path, 3);
  IdxArray labels = ReadIdx(label_path, 1);
  if (images.extents[1] != kSide || images.extents[2] != kSide) {
    throw FileError(image_path, "holds images of " + std::to_string(images.extents[1]) + " x " +
                                    std::to_string(images.extents[2]) + ", expected 28 x 28");
  }
  if (images.extents[0] != labels.extents[0]) {
    throw FileError(label_path, "holds " + std::to_string(labels.extents[0]) + " labels for " +
                                    std::to_string(images.extents[0]) + " images");
  }
  for (std::uint8_t label : labels.bytes) {
    if (label >= kClasses) throw FileError(label_path, "holds the label " + std::to_string(label));
  }
  return {std::move(images.bytes), std::move(labels.bytes)};
}

/// Shuffles with a fixed seed and keeps four fifths to train on: the same split in every run, so
/// that a resumed model is never tested on digits it has seen.
inline TrainAndTest Split(const Dataset& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  UniformRng(20150901).Shuffle(&order);
  TrainAndTest split;
  const std::size_t train_size = all.size() * 4 / 5;
  for (std::size_t k = 0; k < order.size(); ++k) {
    (k < train_size ? split.train : split.test).Append(all, order[k]);
  }
  return split;
}

/// MNIST in `dir`: the train and t10k files as they are, or one of the two split four to one.
/// Throws FileError when there is nothing to read, and as LoadPair does.
inline TrainAndTest LoadMnist(const std::string& dir) {
  if (!std::filesystem::is_directory(dir)) throw FileError(dir, "is no directory");
  TrainAndTest data;
  data.train = LoadPair(dir, "train");
  data.test = LoadPair(dir, "t10k");
  data.origin = dir;
  const bool one_pair = data.train.size() == 0 || data.test.size() == 0;
  if (one_pair) {
    data = Split(data.train.size() == 0 ? data.test : data.train);
    data.origin = dir + " (one pair of files, split four to one)";
  }
  if (data.train.size() == 0 || data.test.size() == 0) {
    throw FileError(dir, "holds neither train-images-idx3-ubyte[.gz] nor "
                         "t10k-images-idx3-ubyte[.gz] with digits in it");
  }
  return data;
}

/// Draws `count` digits, every class equally often, and splits them four to one.
inline TrainAndTest DrawDataset(std::size_t count, std::uint64_t seed) {
  Dataset all;
  UniformRng dice(seed);
  std::uint8_t pixels[kSide * kSide];
  for (std::size_t i = 0; i < count; ++i) {
    const int digit = static_cast<int>(i % kClasses);
    DrawDigit(digit, kSide, &dice, pixels);
    all.pixels.insert(all.pixels.end(), std::begin(pixels), std::end(pixels));
    all.labels.push_back(static_cast<std::uint8_t>(digit));
  }
  TrainAndTest data = Split(all);
  data.origin = "digits drawn by this program (give --data DIR for MNIST)";
  return data;
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_DATASET_H_
