// SPDX-License-Identifier: Apache-2.0
// permutation, shuffle, choice: random orders and samples. They depend on the seed and the number
// of draws of `random` before, not on threads.
#ifndef MSHADOW_ORDER_SHUFFLE_H_
#define MSHADOW_ORDER_SHUFFLE_H_

#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../backend/cpu/random.h"
#include "bins.h"
#include "gather.h"
#include "sort.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// 64 random bits for each of n things: one draw.
template <typename DType>
class Words {
 public:
  Words(Random<cpu, DType>& random, std::ptrdiff_t n) : memory_(2 * Fitting(n)) {
    random.GetRandInt(Tensor<cpu, 1, unsigned>(memory_.data(), Shape1(ExtentOf(2 * n))));
  }
  /// An integer in [0, bound): floor(word * bound / 2^64). No one is likelier than another by more
  /// than bound / 2^64 of its probability.
  /// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
  uint64_t Below(std::ptrdiff_t i, uint64_t bound) const {
    constexpr uint64_t kLow = 0xffffffff;
    const uint64_t high = memory_.data()[2 * i], low = memory_.data()[2 * i + 1];
    const uint64_t middle = high * (bound & kLow) + ((low * (bound & kLow)) >> 32);
    return high * (bound >> 32) + (middle >> 32) + ((low * (bound >> 32) + (middle & kLow)) >> 32);
  }
  /// A multiple of 2^-53 in [0, 1).
  double Uniform(std::ptrdiff_t i) const {
    return rng::UniformDouble(memory_.data()[2 * i], memory_.data()[2 * i + 1]);
  }

 private:
  static std::ptrdiff_t Fitting(std::ptrdiff_t n) {
    MSHADOW_CHECK(static_cast<uint64_t>(n) <= mshadow::detail::kMaxElements / 2)
        << "random numbers: " << n << " draws are more than a tensor of 32-bit words holds";
    return n;
  }
  Scratch<unsigned> memory_;
};

/// The first k of a random permutation of 0, .., n - 1. Where k is much less than n only the
/// numbers that left their places are kept; the result is the same. R. Durstenfeld, "Algorithm 235:
/// random permutation", CACM 7 (1964).
template <typename DType>
inline Vector<int64_t> SomePermuted(const char* function, Random<cpu, DType>& random,
                                    std::ptrdiff_t n, std::ptrdiff_t k) {
  MSHADOW_CHECK(n >= 0 && k >= 0 && k <= n)
      << function << ": k = " << k << " of n = " << n << " without replacement";
  const Words<DType> words(random, k);
  auto result = Empty<int64_t>(k);
  const auto other = [&](std::ptrdiff_t i) {
    return i + static_cast<std::ptrdiff_t>(words.Below(i, static_cast<uint64_t>(n - i)));
  };
  if (k < n / 32) {  // a look-up takes as long as to fill some 30 elements
    std::unordered_map<int64_t, int64_t> moved;
    const auto at = [&](std::ptrdiff_t i) {
      const auto found = moved.find(i);
      return found == moved.end() ? static_cast<int64_t>(i) : found->second;
    };
    for (std::ptrdiff_t i = 0; i < k; ++i) {
      const std::ptrdiff_t j = other(i);
      result.dptr_[i] = at(j);
      moved[j] = at(i);
    }
    return result;
  }
  const Scratch<int64_t> memory(n);
  int64_t* const all = memory.data();
  for (std::ptrdiff_t i = 0; i < n; ++i) all[i] = i;
  for (std::ptrdiff_t i = 0; i < k; ++i) {
    std::swap(all[i], all[other(i)]);
    result.dptr_[i] = all[i];
  }
  return result;
}

/// The weights of x as doubles; throws Error where one is negative or not finite, or where fewer
/// than `least` are positive.
template <typename WType>
inline std::vector<double> CheckedWeights(const WType* data, std::ptrdiff_t n,
                                          std::ptrdiff_t least) {
  std::vector<double> weights;
  std::ptrdiff_t positive = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double weight = static_cast<double>(data[i]);
    MSHADOW_CHECK(weight >= 0 && weight <= (std::numeric_limits<double>::max)())
        << "choice: weight " << i << " of " << n << " is " << weight
        << "; weights are finite numbers from 0 on";
    positive += weight > 0 ? 1 : 0;
    weights.push_back(weight);
  }
  MSHADOW_CHECK(positive >= least)
      << "choice: " << positive << " of " << n << " weights are positive, " << least << " must be";
  return weights;
}

}  // namespace detail::order

inline namespace MSHADOW_THREADS_NAMESPACE {

/// 0, .., n - 1 in random order, int64_t. Every order is as likely as another. One draw of
/// `random`.
template <typename DType>
inline TensorContainer<cpu, 1, int64_t> permutation(Random<cpu, DType>& random, std::ptrdiff_t n) {
  return detail::order::SomePermuted("permutation", random, n, n);
}

/// Puts the sub-tensors x[0], x[1], .. in random order, of a vector the elements. One draw of
/// `random`.
template <typename DType, int dim, typename T>
inline void shuffle(Random<cpu, DType>& random, Tensor<cpu, dim, T> x) {
  const auto from = permutation(random, x.shape_[0]);
  if (x.shape_.Size() == 0) return;
  const auto shuffled = take(from, x, 0);
  Copy(x, static_cast<const Tensor<cpu, dim, T>&>(shuffled));
}

/// k of 0, .., n - 1, each as likely as another, int64_t; without replacement they differ. One draw
/// of `random`. take(choice(random, x.size(0), k), x, 0) are elements of x. Throws Error where n is
/// 0 and k is not, or, without replacement, where k is more than n.
template <typename DType>
inline TensorContainer<cpu, 1, int64_t> choice(Random<cpu, DType>& random, std::ptrdiff_t n,
                                               std::ptrdiff_t k, bool replace = true) {
  namespace order = detail::order;
  if (!replace) return order::SomePermuted("choice", random, n, k);
  MSHADOW_CHECK(n != 0 || k == 0) << "choice: k = " << k << " of nothing";
  MSHADOW_CHECK(n >= 0 && k >= 0) << "choice: k = " << k << " of n = " << n;
  auto result = order::Empty<int64_t>(k);
  const order::Words<DType> words(random, k);
  for (std::ptrdiff_t i = 0; i < k; ++i) {
    result.dptr_[i] = static_cast<int64_t>(words.Below(i, static_cast<uint64_t>(n)));
  }
  return result;
}

/// k of 0, .., n - 1, i with the probability weights[i] / sum(weights), int64_t; weights (n). One
/// draw of `random`. Without replacement each is drawn from those left, in this order. Throws Error
/// where a weight is negative or not finite, or where fewer are positive than are needed.
/// P. Efraimidis, P. Spirakis, "Weighted random sampling with a reservoir", IPL 97 (2006).
template <typename DType, typename W, typename WType, int etype>
inline TensorContainer<cpu, 1, int64_t> choice(Random<cpu, DType>& random,
                                               const expr::Exp<W, WType, etype>& weights,
                                               std::ptrdiff_t k, bool replace = true) {
  namespace order = detail::order;
  static_assert(order::IsHostVector<W>());
  MSHADOW_CHECK(k >= 0) << "choice: k = " << k << " is negative";
  return order::OnElements(weights, [&](const WType* data, const Shape<1>& shape) {
    const std::ptrdiff_t n = order::SizeOf(shape);
    std::vector<double> weight = order::CheckedWeights(data, n, replace ? (k > 0 ? 1 : 0) : k);
    if (!replace) {
      // Times of exponential events of these rates: the first k.
      const order::Words<DType> words(random, n);
      TensorContainer<cpu, 1, double> times(shape);
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const double w = weight[static_cast<std::size_t>(i)];
        times.dptr_[i] = w > 0 ? -std::log1p(-words.Uniform(i)) / w
                               : std::numeric_limits<double>::quiet_NaN();  // never
      }
      return order::FirstPlaces(static_cast<const Tensor<cpu, 1, double>&>(times), 0,
                                static_cast<index_t>(k), true);
    }
    double sum = 0;
    std::ptrdiff_t last = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      double& w = weight[static_cast<std::size_t>(i)];
      if (w > 0) last = i;
      w = sum += w;
    }
    MSHADOW_CHECK(sum <= (std::numeric_limits<double>::max)())
        << "choice: the sum of the weights is infinite";
    const order::Words<DType> words(random, k);
    const order::Search<double> search(weight.data(), n, true);
    auto result = order::Empty<int64_t>(k);
    for (std::ptrdiff_t i = 0; i < k; ++i) {
      const std::ptrdiff_t place = search(words.Uniform(i) * sum);
      result.dptr_[i] = static_cast<int64_t>(place < last ? place : last);
    }
    return result;
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SHUFFLE_H_
