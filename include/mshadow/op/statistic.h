// SPDX-License-Identifier: Apache-2.0
// Reductions by name, as scalar code: sum, prod, mean, norm, var, stddev, min, max, any, all,
// logsumexp, argmin, argmax.
#ifndef MSHADOW_OP_STATISTIC_H_
#define MSHADOW_OP_STATISTIC_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../core/config.h"
#include "../core/dtype.h"
#include "math/exp.h"
#include "math/libm.h"
#include "math/log.h"
#include "math/wrap.h"
#include "reducer.h"
#include "reducer_traits.h"

MSHADOW_NAMESPACE_BEGIN
/// Reductions by name. Each is a struct over the element type DType with
///
///   In                       what elements are converted to: float of 16-bit floats, else DType
///   Acc, Aux                 a lane: where elements of a block are collected; kHasAux: Aux counts
///   Total                    where blocks are collected
///   Out                      the result
///   kTwoPasses, Pre, Scout   true: a first pass over (a part of) a block, by Pre, gives Scout
///   kReadsTwice              true: that pass reads the whole block
///   Start(Acc*, Aux*, Aux i) a lane of nothing, whose first element will have number i
///   Add(Acc*, Aux*, In x, Scout s, Aux i)   adds element number i of the block to a lane
///   Join(Acc*, Aux*, Acc, Aux)              adds one lane to another
///   SampleOf(n)                             how many of n elements the first pass reads
///   ScoutOf(Pre::Acc, n)                    what the first pass over n elements says
///   kNumbers                 true: Add needs i, the number of the element in the block
///   Total::First(Acc, Aux, Scout, n, first) is a block of n elements, number `first` and on
///   Total::Put(Acc, Aux, Scout, n, first)   adds a block of n elements, number `first` and on
///   Total::Merge(Total)                     adds what comes after
///   Finish(Total, n)                        the result of n elements
///   Part                     a Total for the threads of a GPU, of numbers no wider than needed
///
/// Blocks are short, so that a lane of floats keeps its digits, and one of 32-bit integers holds
/// sums of 16-bit ones.
namespace statistic {

struct NoScout {};

/// The base of a reduction of one pass and one accumulator.
struct OnePass {
  using Aux = int32_t;
  using Scout = NoScout;
  static constexpr bool kHasAux = false, kTwoPasses = false, kReadsTwice = false;
  static constexpr bool kNumbers = false;
};

template <typename DType>
inline constexpr bool kIsReal = std::is_floating_point_v<DType> || float16::kIsFloat16<DType>;
/// The element type of means and the like: double of integers.
template <typename DType>
using Real = std::conditional_t<kIsReal<DType>, DType, double>;
/// The element type of sums and products: 64 bits of integers.
template <typename DType>
using Long = std::conditional_t<kIsReal<DType>, DType,
                                std::conditional_t<std::is_signed_v<DType> ||
                                                       std::is_same_v<DType, bool>,
                                                   int64_t, uint64_t>>;
/// The type that holds the sum of a block.
template <typename DType>
using BlockSum = std::conditional_t<
    kIsReal<DType>, Accumulator<DType>,
    std::conditional_t<(sizeof(DType) > 2), Long<DType>,
                       std::conditional_t<std::is_signed_v<DType>, int32_t, uint32_t>>>;

/// A total that adds up blocks in Wide.
template <typename Acc, typename Wide>
struct SumTotal {
  Wide value = Wide(0);
  template <typename Aux, typename Scout>
  MSHADOW_XINLINE void Put(Acc acc, Aux, Scout, std::ptrdiff_t, std::ptrdiff_t) {
    value = op::math::Add(value, static_cast<Wide>(acc));
  }
  template <typename Aux, typename Scout>
  MSHADOW_XINLINE void First(Acc acc, Aux, Scout, std::ptrdiff_t, std::ptrdiff_t) {
    value = static_cast<Wide>(acc);
  }
  MSHADOW_XINLINE void Merge(const SumTotal& other) {
    value = op::math::Add(value, other.value);
  }
};

template <typename T>
using WideOf = std::conditional_t<std::is_floating_point_v<T>, double, T>;

/// The sum; of integers in 64 bits, modulo 2^64.
template <typename DType>
struct Sum : OnePass {
  using In = Accumulator<DType>;
  using Acc = BlockSum<DType>;
  using Out = Long<DType>;
  using Total = SumTotal<Acc, std::conditional_t<kIsReal<DType>, double, Out>>;
  using Part = SumTotal<Acc, std::conditional_t<kIsReal<DType>, Acc, Out>>;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(0); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
    *acc = op::math::Add(*acc, static_cast<Acc>(x));
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = op::math::Add(*acc, other);
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(static_cast<Accumulator<Out>>(total.value));
  }
};

/// The sum divided by the number of elements; NaN where there is none.
template <typename DType>
struct Mean : OnePass {
  using In = Accumulator<DType>;
  using Acc = std::conditional_t<sizeof(DType) == 8, double, BlockSum<DType>>;
  using Out = Real<DType>;
  using Total = SumTotal<Acc, std::conditional_t<std::is_floating_point_v<Acc>, double,
                                                 Long<DType>>>;
  using Part = SumTotal<Acc, std::conditional_t<std::is_floating_point_v<Acc>, Acc, Long<DType>>>;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(0); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
    *acc = op::math::Add(*acc, static_cast<Acc>(x));
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = op::math::Add(*acc, other);
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t n) {
    return static_cast<Out>(
        static_cast<Accumulator<Out>>(static_cast<double>(total.value) / static_cast<double>(n)));
  }
};

/// The square root of the sum of squares.
template <typename DType>
struct Norm : OnePass {
  using In = Accumulator<DType>;
  using Acc = Accumulator<Real<DType>>;
  using Out = Real<DType>;
  using Total = SumTotal<Acc, double>;
  using Part = SumTotal<Acc, Acc>;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(0); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
    const Acc real = static_cast<Acc>(x);
    *acc += real * real;
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) { *acc += other; }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(static_cast<Accumulator<Out>>(op::math::Sqrt(total.value)));
  }
};

/// The product; of integers in 64 bits, modulo 2^64.
template <typename DType>
struct Prod : OnePass {
  using In = Accumulator<DType>;
  using Out = Long<DType>;
  using Acc = Accumulator<Out>;
  template <typename Wide>
  struct TotalIn {
    Wide value = Wide(1);
    MSHADOW_XINLINE void Put(Acc acc, Aux, Scout, std::ptrdiff_t, std::ptrdiff_t) {
      value = op::math::Mul(value, static_cast<Wide>(acc));
    }
    MSHADOW_XINLINE void First(Acc acc, Aux, Scout, std::ptrdiff_t, std::ptrdiff_t) {
      value = static_cast<Wide>(acc);
    }
    MSHADOW_XINLINE void Merge(const TotalIn& other) {
      value = op::math::Mul(value, other.value);
    }
  };
  using Total = TotalIn<WideOf<Acc>>;
  using Part = TotalIn<Acc>;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(1); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
    *acc = op::math::Mul(*acc, static_cast<Acc>(x));
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = op::math::Mul(*acc, other);
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(static_cast<Acc>(total.value));
  }
};

/// Reducer::Combine of all elements, as DType.
template <typename Reducer, typename DType>
struct Extreme : OnePass {
  using In = Accumulator<DType>;
  using Acc = In;
  using Out = DType;
  struct Total {
    Acc value = red::InitValue<Reducer, Acc>();
    template <typename A, typename S>
    MSHADOW_XINLINE void Put(Acc acc, A, S, std::ptrdiff_t, std::ptrdiff_t) {
      value = Reducer::Combine(value, acc);
    }
    template <typename A, typename S>
    MSHADOW_XINLINE void First(Acc acc, A, S, std::ptrdiff_t, std::ptrdiff_t) {
      value = acc;
    }
    MSHADOW_XINLINE void Merge(const Total& other) {
      value = Reducer::Combine(value, other.value);
    }
  };
  using Part = Total;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) {
    *acc = red::InitValue<Reducer, Acc>();
  }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
    *acc = Reducer::Combine(*acc, x);
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = Reducer::Combine(*acc, other);
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(total.value);
  }
};
/// The largest element, or NaN if one is NaN.
template <typename DType>
struct Max : Extreme<red::maximum, DType> {
  static constexpr const char* kName = "max";
};
/// The smallest element, or NaN if one is NaN.
template <typename DType>
struct Min : Extreme<red::minimum, DType> {
  static constexpr const char* kName = "min";
};

/// kAll: 1 if no element is 0; otherwise 1 if some element is not 0.
template <bool kAll, typename DType>
struct Logical : OnePass {
  using In = Accumulator<DType>;
  /// As wide as the elements, so that a vector of them is one of these.
  using Acc = std::conditional_t<
      sizeof(In) == 8, uint64_t,
      std::conditional_t<sizeof(In) == 4, uint32_t,
                         std::conditional_t<sizeof(In) == 2, uint16_t, uint8_t>>>;
  using Out = DType;
  struct Total {
    Acc value = Acc(kAll);
    MSHADOW_XINLINE void Put(Acc acc, Aux, Scout, std::ptrdiff_t, std::ptrdiff_t) {
      Join(&value, nullptr, acc, 0);
    }
    MSHADOW_XINLINE void First(Acc acc, Aux, Scout, std::ptrdiff_t, std::ptrdiff_t) {
      value = acc;
    }
    MSHADOW_XINLINE void Merge(const Total& other) { Join(&value, nullptr, other.value, 0); }
  };
  using Part = Total;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(kAll); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux* aux, In x, Scout, Aux i) {
    Join(acc, aux, static_cast<Acc>(x != In(0)), i);
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = static_cast<Acc>(kAll ? *acc & other : *acc | other);
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(static_cast<int>(total.value));
  }
};
template <typename DType>
struct Any : Logical<false, DType> {};
template <typename DType>
struct All : Logical<true, DType> {};

template <typename DType>
struct MeanOfVar;
/// The mean of squared deviations from the mean, over the number of elements; NaN where there is
/// none. Deviations of a block are from its own mean; T. Chan, G. Golub, R. LeVeque, "Updating
/// Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979, joins blocks.
template <typename DType>
struct Var {
  using MeanKind = MeanOfVar<DType>;
  static constexpr bool kHasAux = true, kTwoPasses = true, kReadsTwice = false;
  static constexpr bool kNumbers = false;
  using In = Accumulator<DType>;
  using Acc = Accumulator<Real<DType>>;
  using Aux = Acc;
  using Scout = Acc;
  using Out = Real<DType>;
  struct Pre : OnePass {
    using In = Var::In;
    using Acc = Var::Acc;
    MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = Acc(0); }
    MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
      *acc += static_cast<Acc>(x);
    }
    MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) { *acc += other; }
  };
  /// The first elements of a block say well enough where its mean is: the variance of all counts
  /// their distance from it, so that at most a factor of 16 of the accuracy is lost.
  MSHADOW_XINLINE static std::ptrdiff_t SampleOf(std::ptrdiff_t n) {
    return n < 64 ? n : n < 1024 ? 64 : n / 16;
  }
  MSHADOW_XINLINE static Scout ScoutOf(Acc sum, std::ptrdiff_t n) {
    return sum / static_cast<Acc>(n);
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
    MSHADOW_XINLINE void Put(Acc offset, Acc square, Scout scout, std::ptrdiff_t n,
                             std::ptrdiff_t first) {
      TotalIn block;
      block.First(offset, square, scout, n, first);
      Merge(block);
    }
    MSHADOW_XINLINE void Merge(const TotalIn& other) {
      const Wide n = count + other.count;
      const Wide share = n > 0 ? other.count / n : 0;
      const Wide step = other.mean - mean;
      mean += step * share;
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
    MSHADOW_XINLINE void Put(Acc acc, Aux aux, Scout scout, std::ptrdiff_t n,
                             std::ptrdiff_t first) {
      TotalIn block;
      block.First(acc, aux, scout, n, first);
      Merge(block);
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

/// The index of the first element that is the reduction by Reducer, or is NaN: the first pass over
/// a block finds the value, the second its place.
template <typename Reducer, typename DType>
struct ArgExtreme {
  static constexpr bool kHasAux = false, kTwoPasses = true, kReadsTwice = true, kNumbers = true;
  using In = Accumulator<DType>;
  /// As wide as an element: both make vectors of as many lanes.
  using Acc = std::conditional_t<sizeof(In) == 8, int64_t, int32_t>;
  using Aux = Acc;
  using Scout = In;
  using Out = int64_t;
  using Pre = Extreme<Reducer, DType>;
  MSHADOW_XINLINE static std::ptrdiff_t SampleOf(std::ptrdiff_t n) { return n; }
  MSHADOW_XINLINE static Scout ScoutOf(In value, std::ptrdiff_t) { return value; }
  struct Total {
    In value = In(0);
    int64_t index = -1;
    MSHADOW_XINLINE void First(Acc acc, Aux, Scout scout, std::ptrdiff_t,
                                    std::ptrdiff_t first) {
      value = scout;
      index = static_cast<int64_t>(acc) + static_cast<int64_t>(first);
    }
    MSHADOW_XINLINE void Put(Acc acc, Aux aux, Scout scout, std::ptrdiff_t n,
                                  std::ptrdiff_t first) {
      Total block;
      block.First(acc, aux, scout, n, first);
      Merge(block);
    }
    /// Of equal elements the first stays, whichever comes first here.
    MSHADOW_XINLINE void Merge(const Total& other) {
      const bool is_better = red::Changes(value, Reducer::Combine(value, other.value));
      const bool is_worse = red::Changes(other.value, Reducer::Combine(other.value, value));
      const bool precedes = is_better || (!is_worse && other.index < index);
      if (other.index >= 0 && (index < 0 || precedes)) *this = other;
    }
  };
  using Part = Total;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) { *acc = 0x7fffffff; }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux* aux, In x, Scout scout, Aux i) {
    Join(acc, aux, int(x == scout) | int(x != x) ? i : Acc(0x7fffffff), i);
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = other < *acc ? other : *acc;
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return total.index;
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
