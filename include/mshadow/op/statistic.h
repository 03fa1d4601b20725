// SPDX-License-Identifier: Apache-2.0
// Reductions by name, as scalar code: those of one_pass.h, and those that look at elements twice,
// var, stddev, logsumexp, argmin, argmax.
#ifndef MSHADOW_OP_STATISTIC_H_
#define MSHADOW_OP_STATISTIC_H_

#include "math/exp.h"
#include "math/log.h"
#include "one_pass.h"

MSHADOW_NAMESPACE_BEGIN
namespace statistic {

template <typename DType>
struct MeanOfVar;
/// The mean of squared deviations from the mean, over the number of elements; NaN where there is
/// none. Deviations of a block are from its own mean; T. Chan, G. Golub, R. LeVeque, "Updating
/// Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979, joins blocks.
template <typename DType>
struct Var {
  using MeanKind = MeanOfVar<DType>;
  static constexpr bool kHasAux = true, kTwoPasses = true, kReadsTwice = false;
  static constexpr bool kNumbers = false, kLanesAreResults = false, kSumsFloats = false;
  using In = Accumulator<DType>;
  using Acc = Accumulator<Real<DType>>;
  using Aux = Acc;
  using Scout = Acc;
  using Out = Real<DType>;
  using Pre = Combining<red::sum, DType, Acc, Acc>;
  /// The first elements of a block say well enough where its mean is: the variance of all counts
  /// their distance from it, so that at most a factor of 16 of the accuracy is lost. Whole vectors.
  MSHADOW_XINLINE static std::ptrdiff_t SampleOf(std::ptrdiff_t n) {
    return n < 16 ? n : (n / 16 + 15) & -16;
  }
  MSHADOW_XINLINE static Scout ScoutOf(Acc sum, std::ptrdiff_t n) {
    const Acc mean = sum / static_cast<Acc>(n);
    return mean - mean == 0 ? mean : Acc(0);  // from another, every deviation is NaN
  }
  /// `count` elements, their mean, and the sum of squared deviations from it.
  template <typename Wide>
  struct TotalIn {
    Wide count = 0, mean = 0, squares = 0;
    MSHADOW_XINLINE void First(Acc offset, Acc square, Scout scout, std::ptrdiff_t n,
                               std::ptrdiff_t) {
      const Wide sum = static_cast<Wide>(offset), scale = 1 / static_cast<Wide>(n);
      count = static_cast<Wide>(n);
      mean = static_cast<Wide>(scout) + sum * scale;
      squares = static_cast<Wide>(square) - sum * sum * scale;
      squares = squares < 0 ? 0 : squares;
    }
    MSHADOW_XINLINE void Merge(const TotalIn& other) {
      const Wide n = count + other.count;
      const Wide share = n > 0 ? other.count / n : 0;
      const Wide step = other.mean - mean;
      mean += step - step == 0 ? step * share : other.mean;  // infinite where one of them is
      squares += other.squares + step * step * share * count;
      count = n;
    }
  };
  using Total = TotalIn<double>;
  using Part = Total;  // single elements are merged: a large mean needs the digits
  MSHADOW_XINLINE static void Start(Acc* acc, Aux* aux, Aux) { *acc = *aux = Acc(0); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux* aux, In x, Scout scout, Aux) {
    const Acc deviation = static_cast<Acc>(x) - scout;
    *acc += deviation;
    *aux += deviation * deviation;
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux* aux, Acc other, Aux other_aux) {
    *acc += other;
    *aux += other_aux;
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t n) {
    return static_cast<Out>(
        static_cast<Accumulator<Out>>(total.squares / static_cast<double>(n)));
  }
  static bool IsSuspect(Out variance) { return !IsFinite(static_cast<Acc>(variance)); }
  static Out Again(const Moments& m) {
    return static_cast<Out>(static_cast<Acc>(Moments::Scaled(m.variance, 2 * m.exponent)));
  }
};
/// The mean, from the totals of Var.
template <typename DType>
struct MeanOfVar : Var<DType> {
  template <typename T>
  MSHADOW_XINLINE static Real<DType> Finish(const T& total, std::ptrdiff_t n) {
    using Out = Real<DType>;
    const double mean = n > 0 ? total.mean : static_cast<double>(n) / static_cast<double>(n);
    return static_cast<Out>(static_cast<Accumulator<Out>>(mean));
  }
  static Real<DType> Again(const Moments& m) { return Mean<DType>::Again(m); }
};
template <typename Kind, typename = void>
struct MeanOf {
  using Type = void;
};
template <typename Kind>
struct MeanOf<Kind, std::void_t<typename Kind::MeanKind>> {
  using Type = typename Kind::MeanKind;
};
/// True if the totals of Kind say what the mean is: the results by Kind::MeanKind.
template <typename Kind>
inline constexpr bool kGivesMean = !std::is_void_v<typename MeanOf<Kind>::Type>;
/// The square root of Var.
template <typename DType>
struct Stddev : Var<DType> {
  using Out = typename Var<DType>::Out;
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t n) {
    return static_cast<Out>(
        static_cast<Accumulator<Out>>(op::math::Sqrt(total.squares / static_cast<double>(n))));
  }
  static bool IsSuspect(Out deviation) {
    return HasExtremeSquares(static_cast<typename Var<DType>::Acc>(deviation));
  }
  static Out Again(const Moments& m) {
    const double deviation = Moments::Scaled(op::math::Sqrt(m.variance), m.exponent);
    return static_cast<Out>(static_cast<typename Var<DType>::Acc>(deviation));
  }
};

/// log(sum exp(x)), where the largest element of a block is subtracted first; -inf of elements that
/// are all -inf, or of none.
template <typename DType>
struct Logsumexp : OnePass {
  static constexpr bool kTwoPasses = true, kReadsTwice = true;
  using In = Accumulator<DType>;
  using Acc = Accumulator<Real<DType>>;
  using Scout = Acc;
  using Out = Real<DType>;
  using Pre = Extreme<red::maximum, In>;
  MSHADOW_XINLINE static std::ptrdiff_t SampleOf(std::ptrdiff_t n) { return n; }
  MSHADOW_XINLINE static Scout ScoutOf(In most, std::ptrdiff_t) {
    const Acc max = static_cast<Acc>(most);
    return max - max == 0 ? max : Acc(0);
  }
  /// sum exp(x - most).
  template <typename Wide>
  struct TotalIn {
    Wide most = 0, sum = 0;
    MSHADOW_XINLINE void First(Acc acc, Aux, Scout scout, std::ptrdiff_t, std::ptrdiff_t) {
      most = static_cast<Wide>(scout);
      sum = static_cast<Wide>(acc);
    }
    MSHADOW_XINLINE void Merge(const TotalIn& other) {
      if (other.sum == 0) return;
      if (sum == 0) {
        *this = other;
      } else if (!(sum + other.sum - (sum + other.sum) == 0)) {
        sum += other.sum;  // infinite, or NaN
      } else {
        const Wide step = most - other.most;
        const Wide factor = op::math::Exp(step < 0 ? step : -step);
        sum = step < 0 ? sum * factor + other.sum : sum + other.sum * factor;
        most = step < 0 ? other.most : most;
      }
    }
  };
  using Total = TotalIn<double>;
  using Part = TotalIn<Acc>;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(0); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout scout, Aux) {
    *acc += op::math::Exp(static_cast<Acc>(x) - scout);
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) { *acc += other; }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    const double log = static_cast<double>(op::math::Log(static_cast<Acc>(total.sum)));
    return static_cast<Out>(static_cast<Accumulator<Out>>(total.most + log));
  }
};

/// The index of the first element that is the reduction by Reducer, red::maximum or red::minimum,
/// or is NaN: a lane holds a value and the number of its element.
template <typename Reducer, typename DType>
struct ArgExtreme : OnePass {
  static constexpr bool kHasAux = true, kNumbers = true;
  using In = Accumulator<DType>;
  using Acc = In;
  /// As wide as an element, so that both make vectors of as many lanes, but at least 16 bits: lanes
  /// have less than 2^15 elements.
  using Aux = std::conditional_t<
      sizeof(In) == 8, int64_t, std::conditional_t<sizeof(In) == 4, int32_t, int16_t>>;
  using Out = int64_t;
  struct Total {
    In value = In(0);
    int64_t index = -1;
    MSHADOW_XINLINE void First(Acc acc, Aux aux, NoScout, std::ptrdiff_t, std::ptrdiff_t first) {
      value = acc;
      index = static_cast<int64_t>(aux) + static_cast<int64_t>(first);
    }
    /// Of equal elements the first stays, whichever comes first here.
    MSHADOW_XINLINE void Merge(const Total& other) {
      const bool precedes = Precedes(other.value, other.index, value, index);
      if (other.index >= 0 && (index < 0 || precedes)) *this = other;
    }
  };
  using Part = Total;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux* aux, Aux) {
    *acc = red::InitValue<Reducer, Acc>();
    *aux = 0;
  }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux* aux, In x, NoScout, Aux i) {
    const bool is_better = IsBetter(x, *acc);
    *aux = is_better ? i : *aux;
    *acc = is_better ? x : *acc;
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux* aux, Acc other, Aux other_aux) {
    const bool precedes = Precedes(other, other_aux, *acc, *aux);
    *aux = precedes ? other_aux : *aux;
    *acc = precedes ? other : *acc;
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return total.index;
  }

 private:
  /// True if x takes the place of acc: so does a NaN, which stays.
  MSHADOW_XINLINE static bool IsBetter(In x, In acc) {
    constexpr bool kMax = std::is_same_v<Reducer, red::maximum>;
    const bool is_no_worse = kMax ? x <= acc : x >= acc;
    return int(!is_no_worse) & int(acc == acc);
  }
  template <typename I>
  MSHADOW_XINLINE static bool Precedes(In x, I i, In y, I j) {
    const bool is_equal = int(!IsBetter(x, y)) & int(!IsBetter(y, x));
    return int(IsBetter(x, y)) | (int(is_equal) & int(i < j));
  }
};

/// The same as an Index; 0 over nothing.
template <typename Reducer, typename DType, typename Index>
struct FirstExtreme : ArgExtreme<Reducer, DType> {
  using Out = Index;
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(total.index < 0 ? 0 : total.index);
  }
};
template <typename DType>
struct Argmax : ArgExtreme<red::maximum, DType> {
  static constexpr const char* kName = "argmax";
};
template <typename DType>
struct Argmin : ArgExtreme<red::minimum, DType> {
  static constexpr const char* kName = "argmin";
};

}  // namespace statistic
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_STATISTIC_H_
