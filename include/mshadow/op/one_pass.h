// SPDX-License-Identifier: Apache-2.0
// Reductions by name of one pass, as scalar code: sum, prod, mean, norm, min, max, any, all.
#ifndef MSHADOW_OP_ONE_PASS_H_
#define MSHADOW_OP_ONE_PASS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../core/config.h"
#include "../core/dtype.h"
#include "math/libm.h"
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
///   kLanesAreResults         true: a lane of all elements is the result
///   Start(Acc*, Aux*, Aux i) a lane of nothing, whose first element will have number i
///   Add(Acc*, Aux*, In x, Scout s, Aux i)   adds element number i of the block to a lane
///   Join(Acc*, Aux*, Acc, Aux)              adds one lane to another
///   Single(In x)             with one pass and no Aux: a lane of x alone
///   SampleOf(n)                             how many of n elements the first pass reads
///   ScoutOf(Pre::Acc, n)                    what the first pass over n elements says
///   kNumbers                 true: Add needs i, the number of the element in the block
///   Total::First(Acc, Aux, Scout, n, first) is a block of n elements, number `first` and on
///   Total::Merge(Total)                     adds what comes after
///   Finish(Total, n)                        the result of n elements
///   Part                     a Total for the threads of a GPU, of numbers no wider than needed
///   kSumsFloats              true: Join is a sum of floats, which are added in short chains
///   IsSuspect(Out), Again(m) optional: a result that may have overflowed or underflowed on the
///                            way, and the same of the Moments of its elements; on the host
///   IsFinal(Total)           optional: true if more elements change nothing, so that none are read
///   kInOrder                 true: an InOrder, whose elements are added one by one in their order
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
  static constexpr bool kNumbers = false, kLanesAreResults = false, kSumsFloats = false;
};

/// Mean, variance, and 2-norm of elements times 2^-exponent, which makes the largest about 1.
struct Moments {
  double mean = 0, variance = 0, norm = 0;
  int exponent = 0;
  static double Scaled(double x, int exponent) { return MSHADOW_HOST_LIBM(ldexp)(x, exponent); }
};
template <typename Kind, typename = void>
inline constexpr bool kHasAgain = false;
/// True if Kind has Again.
template <typename Kind>
inline constexpr bool kHasAgain<Kind, std::void_t<decltype(Kind::Again(Moments()))>> = true;
template <typename Kind, typename = void>
inline constexpr bool kStops = false;
/// True if Kind has IsFinal.
template <typename Kind>
inline constexpr bool
    kStops<Kind, std::void_t<decltype(Kind::IsFinal(std::declval<typename Kind::Total>()))>> = true;
template <typename T>
inline bool IsFinite(T x) {
  return x - x == 0;
}
/// True if squares of elements near `size`, a norm, may be infinite or have lost digits.
template <typename T>
inline bool HasExtremeSquares(T size) {
  return !(IsFinite(size) && size > (sizeof(T) == 8 ? T(0x1p-480) : T(0x1p-40)));
}

template <typename Kind, typename = void>
struct HasInOrder : std::false_type {};
template <typename Kind>
struct HasInOrder<Kind, std::enable_if_t<Kind::kInOrder>> : std::true_type {};
/// True if Kind is an InOrder.
template <typename Kind>
inline constexpr bool kIsInOrder = HasInOrder<Kind>::value;

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

/// The type of totals of such sums, for the threads of a GPU no wider than needed.
template <typename DType, typename Acc>
using WideSum = std::conditional_t<std::is_floating_point_v<Acc>, double, Long<DType>>;
template <typename DType, typename Acc>
using NarrowSum = std::conditional_t<std::is_floating_point_v<Acc>, Acc, Long<DType>>;
template <typename T>
using WideOf = std::conditional_t<std::is_floating_point_v<T>, double, T>;

/// Reducer::Combine of all elements: as Lane within a block, then as Wide, or Narrow on a GPU.
template <typename Reducer, typename DType, typename Result, typename Lane, typename Wide = Lane,
          typename Narrow = Lane>
struct Combining : OnePass {
  using In = Accumulator<DType>;
  using Acc = Lane;
  using Out = Result;
  static constexpr bool kLanesAreResults = std::is_same_v<Lane, Result>;
  static constexpr bool kSumsFloats =
      std::is_same_v<Reducer, red::sum> && std::is_same_v<Lane, float>;
  template <typename T>
  struct TotalIn {
    T value;
    MSHADOW_XINLINE TotalIn() : value(red::InitValue<Reducer, T>()) {}
    template <typename S>
    MSHADOW_XINLINE void First(Acc acc, Aux, S, std::ptrdiff_t, std::ptrdiff_t) {
      value = static_cast<T>(acc);
    }
    MSHADOW_XINLINE void Merge(const TotalIn& other) {
      value = Reducer::Combine(value, other.value);
    }
  };
  using Total = TotalIn<Wide>;
  using Part = TotalIn<Narrow>;
  MSHADOW_XINLINE static void Start(Acc* acc, Aux*, Aux) {
    *acc = red::InitValue<Reducer, Acc>();
  }
  MSHADOW_XINLINE static Acc Single(In x) { return static_cast<Acc>(x); }
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, Scout, Aux) {
    *acc = Reducer::Combine(*acc, Single(x));
  }
  MSHADOW_XINLINE static void Join(Acc* acc, Aux*, Acc other, Aux) {
    *acc = Reducer::Combine(*acc, other);
  }
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Out>(static_cast<Accumulator<Out>>(total.value));
  }
};

/// What a Reducer that offers Combine makes of elements, its last step done; sums of blocks of
/// floats are added in double.
template <typename Reducer, typename DType, typename Result = DType>
struct ByReducer
    : Combining<Reducer, DType, Result, Accumulator<DType>,
                std::conditional_t<std::is_same_v<Reducer, red::sum>, WideOf<Accumulator<DType>>,
                                   Accumulator<DType>>> {
  using Acc = Accumulator<DType>;
  static constexpr bool kLanesAreResults =
      std::is_same_v<Acc, Result> && !red::HasFinalize<Reducer, Acc>::value;
  template <typename T>
  MSHADOW_XINLINE static Result Finish(const T& total, std::ptrdiff_t) {
    return red::LastStep<Reducer, Result>(static_cast<Acc>(total.value));
  }
};

/// The elements, of type Lane, in their order: what Reducer makes of them, or with kIndex the
/// number of the element that changed the accumulator last, 0 if none did.
template <typename Reducer, typename Result, typename Lane, bool kIndex>
struct InOrder : OnePass {
  static constexpr bool kInOrder = true, kNumbers = kIndex;
  using In = Lane;
  using Acc = Lane;
  using Out = Result;
  using ReducerType = Reducer;
  MSHADOW_XINLINE static Acc Next(Acc acc, In element) {
    if constexpr (red::HasCombine<Reducer, Acc>::value) {
      return Reducer::Combine(acc, element);
    } else {
      Reducer::Reduce(acc, element);
      return acc;
    }
  }
  MSHADOW_XINLINE static Out ResultOf(Acc acc, std::ptrdiff_t index) {
    if constexpr (kIndex) {
      return static_cast<Out>(index);
    } else {
      return red::LastStep<Reducer, Out>(acc);
    }
  }
  /// The state of one thread of a GPU: elements, each a block of one, are appended to it.
  struct Part {
    Acc value;
    std::ptrdiff_t index = 0;
    MSHADOW_XINLINE Part() : value(red::InitValue<Reducer, Acc>()) {}
    MSHADOW_XINLINE void First(Acc acc, Aux, NoScout, std::ptrdiff_t, std::ptrdiff_t first) {
      value = acc;
      index = first;
    }
    MSHADOW_XINLINE void Append(const Part& element) {
      const Acc next = Next(value, element.value);
      if constexpr (kIndex) index = red::Changes(value, next) ? element.index : index;
      value = next;
    }
  };
  MSHADOW_XINLINE static void Start(Acc*, Aux*, Aux) {}
  MSHADOW_XINLINE static void Add(Acc* acc, Aux*, In x, NoScout, Aux) { *acc = x; }
  MSHADOW_XINLINE static Out Finish(const Part& part, std::ptrdiff_t) {
    return ResultOf(part.value, part.index);
  }
};

/// The sum; of integers in 64 bits, modulo 2^64.
template <typename DType>
struct Sum : Combining<red::sum, DType, Long<DType>, BlockSum<DType>,
                       WideSum<DType, BlockSum<DType>>, NarrowSum<DType, BlockSum<DType>>> {};

/// The sum of numbers that are 0 or 1: exact, whatever the element type.
template <typename DType>
struct Count : Combining<red::sum, DType, int64_t, BlockSum<DType>, int64_t, int64_t> {};

/// The type that holds the sum of a block of which the mean is taken.
template <typename DType>
using BlockMean = std::conditional_t<sizeof(DType) == 8, double, BlockSum<DType>>;
/// The sum divided by the number of elements; NaN where there is none.
template <typename DType>
struct Mean : Combining<red::sum, DType, Real<DType>, BlockMean<DType>,
                        WideSum<DType, BlockMean<DType>>, NarrowSum<DType, BlockMean<DType>>> {
  static constexpr bool kLanesAreResults = false;
  template <typename T>
  MSHADOW_XINLINE static Real<DType> Finish(const T& total, std::ptrdiff_t n) {
    return static_cast<Real<DType>>(static_cast<Accumulator<Real<DType>>>(
        static_cast<double>(total.value) / static_cast<double>(n)));
  }
  static bool IsSuspect(Real<DType> mean) {
    return !IsFinite(static_cast<Accumulator<Real<DType>>>(mean));
  }
  static Real<DType> Again(const Moments& m) {
    return static_cast<Real<DType>>(
        static_cast<Accumulator<Real<DType>>>(Moments::Scaled(m.mean, m.exponent)));
  }
};

/// The square root of the sum of squares.
template <typename DType>
struct Norm
    : Combining<red::sum, DType, Real<DType>, Accumulator<Real<DType>>, double> {
  using Acc = Accumulator<Real<DType>>;
  static constexpr bool kLanesAreResults = false, kSumsFloats = false;  // FMA is faster
  MSHADOW_XINLINE static Acc Single(Accumulator<DType> x) {
    const Acc real = static_cast<Acc>(x);
    return real * real;
  }
  MSHADOW_XINLINE static void Add(Acc* acc, OnePass::Aux*, Accumulator<DType> x, NoScout,
                                  OnePass::Aux) {
    *acc += Single(x);
  }
  template <typename T>
  MSHADOW_XINLINE static Real<DType> Finish(const T& total, std::ptrdiff_t) {
    return static_cast<Real<DType>>(static_cast<Acc>(op::math::Sqrt(total.value)));
  }
  static bool IsSuspect(Real<DType> norm) { return HasExtremeSquares(static_cast<Acc>(norm)); }
  static Real<DType> Again(const Moments& m) {
    return static_cast<Real<DType>>(static_cast<Acc>(Moments::Scaled(m.norm, m.exponent)));
  }
};

/// The reducers of products, and of 0 and 1.
struct Product {
  template <typename T>
  MSHADOW_XINLINE static T Combine(T a, T b) {
    return op::math::Mul(a, b);
  }
  template <typename T>
  MSHADOW_XINLINE static void SetInitValue(T& init) {  // NOLINT: the interface of reducers
    init = T(1);
  }
};
template <bool kAll>
struct Both {
  template <typename T>
  MSHADOW_XINLINE static T Combine(T a, T b) {
    return static_cast<T>(kAll ? a & b : a | b);
  }
  template <typename T>
  MSHADOW_XINLINE static void SetInitValue(T& init) {  // NOLINT: the interface of reducers
    init = T(kAll);
  }
};

/// The product; of integers in 64 bits, modulo 2^64.
template <typename DType>
struct Prod : Combining<Product, DType, Long<DType>, Accumulator<Long<DType>>,
                        WideOf<Accumulator<Long<DType>>>> {};

/// The Reducer's choice of all elements.
template <typename Reducer, typename DType>
using Extreme = Combining<Reducer, DType, DType, Accumulator<DType>>;
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

/// An unsigned integer as wide as T, so that a vector of one is a vector of the other.
template <typename T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, uint64_t,
    std::conditional_t<sizeof(T) == 4, uint32_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
/// kAll: 1 if no element is 0; otherwise 1 if some element is not 0.
template <bool kAll, typename DType>
struct Logical : Combining<Both<kAll>, DType, DType, BitsOf<Accumulator<DType>>> {
  using In = Accumulator<DType>;
  using Acc = BitsOf<In>;
  MSHADOW_XINLINE static Acc Single(In x) { return static_cast<Acc>(x != In(0)); }
  MSHADOW_XINLINE static void Add(Acc* acc, OnePass::Aux*, In x, NoScout, OnePass::Aux) {
    *acc = Both<kAll>::Combine(*acc, Single(x));
  }
  template <typename T>
  MSHADOW_XINLINE static bool IsFinal(const T& total) {
    return (total.value == 0) == kAll;
  }
};
template <typename DType>
struct Any : Logical<false, DType> {};
template <typename DType>
struct All : Logical<true, DType> {};

}  // namespace statistic
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_ONE_PASS_H_
