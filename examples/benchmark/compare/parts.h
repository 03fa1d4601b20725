// SPDX-License-Identifier: Apache-2.0
// The list of statements that a program has, in parts that are compiled on their own.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_PARTS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_PARTS_H_

#include <vector>

#include "peer.h"

namespace compare {

std::vector<Entry> Maps();        // element by element, biases, views, casts
std::vector<Entry> Reductions();  // sums, moments, softmax
std::vector<Entry> Images();      // pooling, patches, resize
std::vector<Entry> Layouts();     // elements and rows that move
std::vector<Entry> Products();    // matrices, and the network

inline std::vector<Entry> AllParts() {
  std::vector<Entry> all;
  for (const auto part : {Maps, Reductions, Images, Layouts, Products}) {
    const std::vector<Entry> entries = part();
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_PARTS_H_
