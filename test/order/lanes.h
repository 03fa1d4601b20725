// SPDX-License-Identifier: Apache-2.0
// What the tests of order and selection share: awkward tensors, and their lanes as vectors.
#ifndef MSHADOW_TEST_ORDER_LANES_H_
#define MSHADOW_TEST_ORDER_LANES_H_

#include <gtest/gtest.h>
#include <mshadow/index.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "../error_of.h"
#include "../testing.h"

namespace mshadow {
namespace testing {

/// Numbers as NumPy orders them, NaN last.
template <typename T>
bool NanLast(const T& a, const T& b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  return x < y || (std::isnan(y) && !std::isnan(x));
}

/// Fills with small numbers, many of them equal, among them NaN, infinities and both zeros, as far
/// as T has them.
template <typename T, int dim>
void FillWithTies(Guarded<dim, T>* x, uint32_t seed = 1, bool with_nan = true) {
  uint32_t state = seed * 2654435761u + 99u;
  for (std::size_t i = 0; i < x->Size(); ++i) {
    state = state * 1664525u + 1013904223u;
    const int k = static_cast<int>(state >> 8) % 37;
    double value = k - (std::is_signed_v<T> || !std::is_integral_v<T> ? 18 : 0);
    if (!std::is_integral_v<T>) {
      if (k == 0 && with_nan) value = std::numeric_limits<double>::quiet_NaN();
      if (k == 1) value = std::numeric_limits<double>::infinity();
      if (k == 2) value = -std::numeric_limits<double>::infinity();
      if (k == 3) value = -0.0;
    }
    x->At(i) = static_cast<T>(static_cast<float>(value));
  }
}

/// The elements along `axis`, a vector for each place of the other axes, in row-major order.
template <int dim, typename T>
std::vector<std::vector<T>> LanesOf(const Tensor<cpu, dim, T>& t, int axis) {
  const std::vector<T> all = ToVector(t);
  std::size_t inner = 1, outer = 1;
  for (int a = 0; a < axis; ++a) outer *= static_cast<std::size_t>(t.shape_[a]);
  for (int a = axis + 1; a < dim; ++a) inner *= static_cast<std::size_t>(t.shape_[a]);
  const std::size_t n = static_cast<std::size_t>(t.shape_[axis]);
  std::vector<std::vector<T>> lanes;
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      lanes.emplace_back();
      for (std::size_t k = 0; k < n; ++k) lanes.back().push_back(all[(o * n + k) * inner + i]);
    }
  }
  return lanes;
}

/// True if a and b are equal, or both NaN.
template <typename T>
bool Same(const T& a, const T& b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  return x == y || (std::isnan(x) && std::isnan(y));
}
template <typename T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!Same(static_cast<T>(a[i]), static_cast<T>(b[i]))) return false;
  }
  return true;
}

/// The indices that sort `lane`, stable, NaN last.
template <typename T>
std::vector<int64_t> PlacesInOrder(const std::vector<T>& lane, bool ascending = true) {
  std::vector<int64_t> places(lane.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](int64_t i, int64_t j) {
    const T a = lane[static_cast<std::size_t>(i)], b = lane[static_cast<std::size_t>(j)];
    if (ascending) return NanLast(a, b);
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return x > y || (std::isnan(y) && !std::isnan(x));
  });
  return places;
}
template <typename T>
std::vector<T> InOrder(const std::vector<T>& lane, bool ascending = true) {
  std::vector<T> sorted;
  for (int64_t i : PlacesInOrder(lane, ascending)) {
    sorted.push_back(lane[static_cast<std::size_t>(i)]);
  }
  return sorted;
}

/// f(T()) for the element types but bool, of which there is no Guarded.
template <typename F>
void ForEachType(const F& f) {
  f(float());
  f(double());
  f(half::half_t(0.0f));
  f(int8_t());
  f(int64_t());
#ifndef MSHADOW_TEST_FEW_DTYPES
  f(bfloat::bf16_t(0.0f));
  f(uint8_t());
  f(int16_t());
  f(uint16_t());
  f(int32_t());
  f(uint32_t());
  f(uint64_t());
#endif
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_ORDER_LANES_H_
