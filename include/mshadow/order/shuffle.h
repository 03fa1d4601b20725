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
#include "../expr/typecast.h"
#include "../op/elementary.h"
#include "gather.h"
#include "search.h"
#include "sort.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// An integer in [0, bound): floor(word * bound / 2^64) of the word (high, low). No one is likelier
/// than another by more than bound / 2^64 of its probability.
/// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
MSHADOW_XINLINE uint64_t BelowBound(uint64_t high, uint64_t low, uint64_t bound) {
  constexpr uint64_t kLow = 0xffffffff;
  const uint64_t middle = high * (bound & kLow) + ((low * (bound & kLow)) >> 32);
  return high * (bound >> 32) + (middle >> 32) + ((low * (bound >> 32) + (middle & kLow)) >> 32);
}

inline void CheckDraws(std::ptrdiff_t n) {
  MSHADOW_CHECK(static_cast<uint64_t>(n) <= mshadow::detail::kMaxElements / 2)
      << "random numbers: " << n << " draws are more than a tensor of 32-bit words holds";
}

/// 64 random bits for each of n things: one draw.
template <typename DType>
class Words {
 public:
  Words(Random<cpu, DType>& random, std::ptrdiff_t n) : memory_(2 * Fitting(n)) {
    random.GetRandInt(Tensor<cpu, 1, unsigned>(memory_.data(), Shape1(ExtentOf(2 * n))));
  }
  /// An integer in [0, bound).
  uint64_t Below(std::ptrdiff_t i, uint64_t bound) const {
    return BelowBound(memory_.data()[2 * i], memory_.data()[2 * i + 1], bound);
  }
  /// A multiple of 2^-53 in [0, 1).
  double Uniform(std::ptrdiff_t i) const {
    return rng::UniformDouble(memory_.data()[2 * i], memory_.data()[2 * i + 1]);
  }

 private:
  static std::ptrdiff_t Fitting(std::ptrdiff_t n) {
    CheckDraws(n);
    return n;
  }
  Scratch<unsigned> memory_;
};

inline void CheckSome(const char* function, std::ptrdiff_t n, std::ptrdiff_t k) {
  MSHADOW_CHECK(n >= 0 && k >= 0 && k <= n)
      << function << ": k = " << k << " of n = " << n << " without replacement";
}
inline void CheckChoice(std::ptrdiff_t n, std::ptrdiff_t k) {
  MSHADOW_CHECK(n != 0 || k == 0) << "choice: k = " << k << " of nothing";
  MSHADOW_CHECK(n >= 0 && k >= 0) << "choice: k = " << k << " of n = " << n;
}

/// The first k of a random permutation of 0, .., n - 1. Where k is much less than n only the
/// numbers that left their places are kept; the result is the same. R. Durstenfeld, "Algorithm 235:
/// random permutation", CACM 7 (1964).
template <typename DType>
inline Vector<int64_t> SomePermuted(const char* function, Random<cpu, DType>& random,
                                    std::ptrdiff_t n, std::ptrdiff_t k) {
  CheckSome(function, n, k);
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

MSHADOW_XINLINE bool IsWeight(double weight) { return weight >= 0 && weight - weight == 0; }
inline void CheckWeight(std::ptrdiff_t i, std::ptrdiff_t n, double weight) {
  MSHADOW_CHECK(IsWeight(weight)) << "choice: weight " << i << " of " << n << " is " << weight
                                  << "; weights are finite numbers from 0 on";
}
inline void CheckPositive(std::ptrdiff_t positive, std::ptrdiff_t n, std::ptrdiff_t least) {
  MSHADOW_CHECK(positive >= least)
      << "choice: " << positive << " of " << n << " weights are positive, " << least << " must be";
}
inline void CheckSum(double sum) {
  MSHADOW_CHECK(sum <= (std::numeric_limits<double>::max)())
      << "choice: the sum of the weights is infinite";
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
    CheckWeight(i, n, weight);
    positive += weight > 0 ? 1 : 0;
    weights.push_back(weight);
  }
  CheckPositive(positive, n, least);
  return weights;
}

/// keys[i] = word i, places[i] = i.
struct WordsBody {
  const unsigned* words;
  uint64_t* keys;
  index_t* places;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    keys[i] = (uint64_t{words[2 * i]} << 32) | words[2 * i + 1];
    places[i] = static_cast<index_t>(i);
  }
};
/// 64 random bits for each of n things on a device: one draw.
template <typename Device, typename DType>
inline TensorContainer<Device, 1, unsigned> WordsOnDevice(Random<Device, DType>& random,
                                                          std::ptrdiff_t n,
                                                          Stream<Device>* stream) {
  CheckDraws(n);
  auto words = Made<unsigned>(2 * n, stream);
  random.GetRandInt(words);
  return words;
}
/// The first k of a random permutation on a device: the places of random keys in order.
template <typename Device, typename DType>
inline TensorContainer<Device, 1, int64_t> SomeOnDevice(const char* function,
                                                        Random<Device, DType>& random,
                                                        std::ptrdiff_t n, std::ptrdiff_t k,
                                                        Stream<Device>* stream) {
  CheckSome(function, n, k);
  const auto words = WordsOnDevice(random, n, stream);
  const DeviceScratch<Device, uint64_t> keys(n, stream), sorted(n, stream);
  const DeviceScratch<Device, index_t> from(n, stream), places(n, stream);
  const Primitives<Device> primitives(stream);
  ForRow(primitives, n, WordsBody{words.dptr_, keys.data(), from.data()});
  primitives.SortPairs(static_cast<const uint64_t*>(keys.data()), sorted.data(),
                       static_cast<const index_t*>(from.data()), places.data(), 1, n, 64);
  auto some = Made<int64_t>(k, stream);
  const Lanes to(some, 0);
  ForLanes(primitives, to, k, PlacesBody{places.data(), n, some.dptr_, to});
  return some;
}
struct BelowBody {
  const unsigned* words;
  uint64_t bound;
  int64_t* out;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    out[i] = static_cast<int64_t>(BelowBound(words[2 * i], words[2 * i + 1], bound));
  }
};

/// What choice must know of weights.
struct WeightFacts {
  Lowest bad;
  int64_t positive = 0, last = 0;  ///< the place of the last positive one
  MSHADOW_XINLINE static WeightFacts Combine(WeightFacts a, WeightFacts b) {
    a.bad = Lowest::Combine(a.bad, b.bad);
    a.positive += b.positive;
    a.last = a.last < b.last ? b.last : a.last;
    return a;
  }
};
struct WeightFactsBody {
  const double* weights;
  MSHADOW_XINLINE WeightFacts operator()(std::ptrdiff_t i) const {
    WeightFacts facts;
    if (!IsWeight(weights[i])) facts.bad.at = static_cast<int64_t>(i);
    if (weights[i] > 0) {
      facts.positive = 1;
      facts.last = static_cast<int64_t>(i);
    }
    return facts;
  }
};
/// times[i] = the time of an exponential event of rate weights[i]; NaN where there is none.
struct TimesBody {
  const double* weights;
  const unsigned* words;
  double nan;
  double* times;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    const double uniform = rng::UniformDouble(words[2 * i], words[2 * i + 1]);
    times[i] = weights[i] > 0 ? -op::log1p::Map(-uniform) / weights[i] : nan;
  }
};
/// out[i] = where a random part of the sum lies among the sums of the first weights.
struct DrawBody {
  const double* weights;
  const double* sums;
  std::ptrdiff_t n;
  double sum;
  std::ptrdiff_t last;
  const unsigned* words;
  int64_t* out;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    const double uniform = rng::UniformDouble(words[2 * i], words[2 * i + 1]);
    auto place = static_cast<std::ptrdiff_t>(PlaceIn(sums, n, uniform * sum, true));
    place = place < last ? place : last;
    // Sums of parallel parts are rounded apart: one may be below the sum before it.
    while (place > 0 && !(weights[place] > 0)) --place;
    out[i] = static_cast<int64_t>(place);
  }
};
template <typename Device, typename DType, typename W, typename WType, int etype>
inline TensorContainer<Device, 1, int64_t> WeightedOnDevice(
    Random<Device, DType>& random, const expr::Exp<W, WType, etype>& weights, std::ptrdiff_t k,
    bool replace) {
  return OnDevice(expr::tcast<double>(weights.self()), [&](const double* weight,
                                                           const Shape<1>& shape,
                                                           Stream<Device>* stream) {
    const std::ptrdiff_t n = SizeOf(shape);
    const Primitives<Device> primitives(stream);
    const auto facts = primitives.template Reduce<WeightFacts>(n, WeightFactsBody{weight});
    if (facts.bad.at != Lowest::kNone) {
      CheckWeight(facts.bad.at, n, ReadFrom(weight + facts.bad.at, stream));
    }
    CheckPositive(facts.positive, n, replace ? (k > 0 ? 1 : 0) : k);
    if (!replace) {
      const auto words = WordsOnDevice(random, n, stream);
      auto times = Made<double>(shape, stream);
      ForRow(primitives, n,
             TimesBody{weight, words.dptr_, std::numeric_limits<double>::quiet_NaN(), times.dptr_});
      return PlacesOnDevice<1, Device, double>(times, 0, ExtentOf(k), true);
    }
    auto result = Made<int64_t>(k, stream);
    const auto words = WordsOnDevice(random, k, stream);
    if (k == 0) return result;
    const DeviceScratch<Device, double> sums(n, stream);
    primitives.InclusiveSum(weight, sums.data(), n);
    const double sum = ReadFrom(static_cast<const double*>(sums.data() + n - 1), stream);
    CheckSum(sum);
    ForRow(primitives, k,
           DrawBody{weight, sums.data(), n, sum, static_cast<std::ptrdiff_t>(facts.last),
                    words.dptr_, result.dptr_});
    return result;
  });
}

}  // namespace detail::order

inline namespace MSHADOW_THREADS_NAMESPACE {

/// 0, .., n - 1 in random order, int64_t. Every order is as likely as another. One draw of
/// `random`. A GPU has other orders than the host under the same seed.
template <typename Device, typename DType>
inline TensorContainer<Device, 1, int64_t> permutation(Random<Device, DType>& random,
                                                       std::ptrdiff_t n) {
  namespace order = mshadow::detail::order;
  if constexpr (Device::kDevCPU) {
    return order::SomePermuted("permutation", random, n, n);
  } else {
    return order::SomeOnDevice<Device>("permutation", random, n, n, nullptr);
  }
}

/// Puts the sub-tensors x[0], x[1], .. in random order, of a vector the elements. One draw of
/// `random`.
template <typename Device, typename DType, int dim, typename T>
inline void shuffle(Random<Device, DType>& random, Tensor<Device, dim, T> x) {
  namespace order = mshadow::detail::order;
  const auto n = static_cast<std::ptrdiff_t>(x.shape_[0]);
  const auto draw = [&] {
    if constexpr (Device::kDevCPU) {
      return permutation(random, n);
    } else {
      return order::SomeOnDevice<Device>("shuffle", random, n, n, x.stream_);
    }
  };
  const auto from = draw();
  if (x.shape_.Size() == 0) return;
  const auto shuffled = take(from, x, 0);
  Copy(x, static_cast<const Tensor<Device, dim, T>&>(shuffled), x.stream_);
}

/// k of 0, .., n - 1, each as likely as another, int64_t; without replacement they differ. One draw
/// of `random`. take(choice(random, x.size(0), k), x, 0) are elements of x. Throws Error where n is
/// 0 and k is not, or, without replacement, where k is more than n.
template <typename DType>
inline TensorContainer<cpu, 1, int64_t> choice(Random<cpu, DType>& random, std::ptrdiff_t n,
                                               std::ptrdiff_t k, bool replace = true) {
  namespace order = mshadow::detail::order;
  if (!replace) return order::SomePermuted("choice", random, n, k);
  order::CheckChoice(n, k);
  auto result = order::Empty<int64_t>(k);
  const order::Words<DType> words(random, k);
  for (std::ptrdiff_t i = 0; i < k; ++i) {
    result.dptr_[i] = static_cast<int64_t>(words.Below(i, static_cast<uint64_t>(n)));
  }
  return result;
}

template <typename Device, typename DType>
inline TensorContainer<Device, 1, int64_t> choice(Random<Device, DType>& random, std::ptrdiff_t n,
                                                  std::ptrdiff_t k, bool replace = true) {
  namespace order = mshadow::detail::order;
  Stream<Device>* const stream = nullptr;
  if (!replace) return order::SomeOnDevice("choice", random, n, k, stream);
  order::CheckChoice(n, k);
  auto result = order::Made<int64_t>(k, stream);
  const auto words = order::WordsOnDevice(random, k, stream);
  order::ForRow(order::Primitives<Device>(stream), k,
                order::BelowBody{words.dptr_, static_cast<uint64_t>(n), result.dptr_});
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
  namespace order = mshadow::detail::order;
  static_assert(order::IsVector<W>() && order::IsHost<W>());
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
    order::CheckSum(sum);
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

template <typename Device, typename DType, typename W, typename WType, int etype>
inline TensorContainer<Device, 1, int64_t> choice(Random<Device, DType>& random,
                                                  const expr::Exp<W, WType, etype>& weights,
                                                  std::ptrdiff_t k, bool replace = true) {
  namespace order = mshadow::detail::order;
  static_assert(order::IsVector<W>() && order::IsDevice<W>());
  MSHADOW_CHECK(k >= 0) << "choice: k = " << k << " is negative";
  return order::WeightedOnDevice(random, weights, k, replace);
}

}  // namespace MSHADOW_THREADS_NAMESPACE
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SHUFFLE_H_
