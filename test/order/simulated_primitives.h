// SPDX-License-Identifier: Apache-2.0
// The primitives of <mshadow/index.h> and random numbers on the simulated device: what is built of
// them is tested where there is no GPU.
#ifndef MSHADOW_TEST_ORDER_SIMULATED_PRIMITIVES_H_
#define MSHADOW_TEST_ORDER_SIMULATED_PRIMITIVES_H_

#include <mshadow/index.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../gpu/simulated_device.h"

namespace mshadow {
namespace testing {

class SimulatedPrimitives {
 public:
  explicit SimulatedPrimitives(Stream<simulated>*) {}
  /// The last thread first.
  template <typename Body>
  void ForEach(std::ptrdiff_t rows, std::ptrdiff_t cols, const Body& body) const {
    for (std::ptrdiff_t y = rows; y-- > 0;) {
      for (std::ptrdiff_t x = cols; x-- > 0;) body(y, x);
    }
  }
  template <typename Bits>
  void SortKeys(const Bits* keys, Bits* sorted, std::ptrdiff_t lanes, std::ptrdiff_t n,
                int width) const {
    std::vector<int> places(static_cast<std::size_t>(lanes * n)), moved(places.size());
    SortPairs(keys, sorted, places.data(), moved.data(), lanes, n, width);
  }
  template <typename Bits, typename Place>
  void SortPairs(const Bits* keys, Bits* sorted, const Place* places, Place* sorted_places,
                 std::ptrdiff_t lanes, std::ptrdiff_t n, int width) const {
    std::vector<std::ptrdiff_t> from(static_cast<std::size_t>(n));
    for (std::ptrdiff_t first = 0; first < lanes * n; first += n) {
      std::iota(from.begin(), from.end(), first);
      std::stable_sort(from.begin(), from.end(),
                       [=](std::ptrdiff_t a, std::ptrdiff_t b) { return keys[a] < keys[b]; });
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const std::ptrdiff_t at = from[static_cast<std::size_t>(i)];
        EXPECT_EQ(uint64_t{keys[at]} >> (width - 1) >> 1, 0u);
        sorted[first + i] = keys[at];
        sorted_places[first + i] = places[at];
      }
    }
  }
  void Select(const bool* flags, std::ptrdiff_t n, int64_t* places) const {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      if (flags[i]) *places++ = i;
    }
  }
  template <typename T>
  void InclusiveSum(const T* in, T* out, std::ptrdiff_t n) const {
    std::partial_sum(in, in + n, out);
  }
  /// In three parts, the last one first.
  template <typename T, typename Body>
  T Reduce(std::ptrdiff_t n, const Body& body) const {
    T result;
    for (std::ptrdiff_t part = 3; part-- > 0;) {
      T own;
      for (std::ptrdiff_t i = part; i < n; i += 3) own = T::Combine(own, body(i));
      result = T::Combine(own, result);
    }
    return result;
  }
  template <typename Body>
  void Count(std::ptrdiff_t n, std::ptrdiff_t bins, const Body& body, int64_t* counts) const {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const std::ptrdiff_t bin = body(i);
      EXPECT_LT(bin, bins);
      if (bin >= 0) ++counts[bin];
    }
  }
};

}  // namespace testing

template <>
struct detail::order::PrimitivesOf<testing::simulated> {
  using Type = testing::SimulatedPrimitives;
};

template <>
struct RandomFill<testing::simulated> {
  template <typename DType, typename Variate>
  static void Fill(const rng::Rows<DType>& rows, const rng::Draw& draw, const Variate& variate,
                   Stream<testing::simulated>*) {
    RandomFill<cpu>::Fill(rows, draw, variate, nullptr);
  }
};
template <typename DType>
class Random<testing::simulated, DType> : public RandomBase<testing::simulated, DType> {
 public:
  explicit Random(int seed) : RandomBase<testing::simulated, DType>(seed) {}
  void Seed(int seed) { this->Restart(seed); }
};

}  // namespace mshadow
#endif  // MSHADOW_TEST_ORDER_SIMULATED_PRIMITIVES_H_
