// SPDX-License-Identifier: Apache-2.0
// Reductions by name: sum, prod, mean, norm, var, stddev, min, max, any, all, logsumexp, argmin,
// argmax. Without axes they return the value; with axes they are expressions of lower rank.
#ifndef MSHADOW_EXTENSION_REDUCTION_H_
#define MSHADOW_EXTENSION_REDUCTION_H_

#include <type_traits>

#include "../core/axis_groups.h"
#include "../expr/engine.h"
#include "../expr/fold_operand.h"
#include "../expr/statistic_engine.h"
#include "../expr/traits.h"
#include "../op/statistic.h"
#include "argmax.h"

MSHADOW_NAMESPACE_BEGIN

/// sum<kAllAxes>(x), and the like of other reductions: the value as an expression of rank 0, for
/// <mshadow/rank0.h>. On a GPU it is computed there, and stays there.
constexpr int kAllAxes = -32768;

namespace expr {

namespace detail {

template <typename Kind, typename = void>
struct NeedsElements : std::false_type {};
template <typename Kind>
struct NeedsElements<Kind, std::void_t<decltype(Kind::kName)>> : std::true_type {};

/// Throws Error where there is nothing to reduce, and Kind is not defined for nothing.
template <typename Kind, int dim>
inline void CheckElements([[maybe_unused]] const AxisGroups& groups,
                          [[maybe_unused]] const Shape<dim>& shape) {
  if constexpr (NeedsElements<Kind>::value) {
    MSHADOW_CHECK(groups.Reduced() != 0 || groups.Results() == 0)
        << Kind::kName << ": there is nothing to choose from in a source of shape "
        << LogText(shape);
  }
}

/// True if the elements of E are 0 or 1: E is a comparison, or logic.
template <typename E, typename = void>
inline constexpr bool kIsTruth = false;
template <typename E>
inline constexpr bool kIsTruth<E, std::void_t<typename E::Function>> =
    op::kIsTruth<typename E::Function>;

/// What reduces all elements of E to one value by Kind: sums of 0 and 1 are counts.
template <template <typename> class Kind, typename E, typename DType>
struct ValueKind {
  using Type = Kind<DType>;
};
template <typename E, typename DType>
struct ValueKind<statistic::Sum, E, DType> {
  using Type = std::conditional_t<kIsTruth<E> && (statistic::kIsReal<DType> || kIsComplex<DType>),
                                  statistic::Count<DType>, statistic::Sum<DType>>;
};

}  // namespace detail

/// The reduction by Kind of src_ over its axes i with bit i in `mask`, which are left out.
template <template <typename> class Kind, typename SrcExp, typename DType, int dimsrc,
          unsigned mask>
struct ReductionExp : public Exp<ReductionExp<Kind, SrcExp, DType, dimsrc, mask>,
                                 typename Kind<DType>::Out, type::kComplex> {
  static constexpr int CountAxes() {
    int count = 0;
    for (int axis = 0; axis < dimsrc; ++axis) count += mask >> axis & 1;
    return count;
  }
  /// Axis i of the result, as one of src_.
  static constexpr int KeptAxis(int i) {
    int axis = 0;
    for (;; ++axis) {
      if ((mask >> axis & 1) == 0 && i-- == 0) return axis;
    }
  }
  static constexpr int kRank = dimsrc - CountAxes();
  // Of rank 0 it is no tensor to align, but as a scalar.
  static constexpr int kFullRank = kRank == 0 ? 0 : dimsrc;
  static constexpr int kLostAxes = kRank == 0 ? 0 : static_cast<int>(mask);
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  SrcExp src_;
  explicit ReductionExp(const SrcExp& src) : src_(src) {}
  template <int dim>
  Shape<dim> GetShape() const {
    const Shape<dimsrc> full = ShapeCheck<dimsrc, SrcExp>::Check(src_);
    Shape<dim> shape;
    for (int i = 0; i < dim; ++i) shape[i] = full[KeptAxis(i)];
    return shape;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first && expr::Overlaps(src_, written, false);
  }
  template <typename F>
  auto WithOperands(const F& f) const {
    return ReductionExp<Kind, decltype(f(src_)), DType, dimsrc, mask>(f(src_));
  }
  bool IsSame(const ReductionExp& other) const { return detail::IsSame(src_, other.src_); }
  /// For detail::ReductionEngine.
  template <typename Saver, typename Dst, typename Device>
  void Reduce(const Dst& dst, std::ptrdiff_t cols, Stream<Device>* stream) const {
    const Shape<dimsrc> full = ShapeCheck<dimsrc, SrcExp>::Check(src_);
    const AxisGroups groups = AxisGroupsOf(full, mask);
    detail::CheckElements<Kind<DType>>(groups, full);
    const auto plan = detail::ReadBy<Device, Kind<DType>>(src_);
    constexpr bool kRows = (mask >> (dimsrc - 1) & 1) != 0;
    // Columns: neighbours count as one axis.
    constexpr bool kOneAxis =
        kRows ? mask == 1u << (dimsrc - 1) : (mask & (mask + (mask & (~mask + 1u)))) == 0;
    StatisticExecutor<Device>::template Axes<Saver, Kind<DType>, kRows, kOneAxis>(
        dst, cols, plan, groups, stream);
  }
};

template <template <typename> class Kind, typename SrcExp, typename SrcDType, int dimsrc,
          unsigned mask, typename DType>
class Plan<ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>, DType>
    : public detail::MaterialisedPlan<ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>, DType> {
 public:
  explicit Plan(const ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>& e)
      : Plan::MaterialisedPlan(e) {}
};

namespace detail {

/// The axes as bits. Throws, which no constant expression does, where they are none of `dim` or
/// where one is named twice: the caller has said so in words.
template <int dim, int... axes>
constexpr bool AreAxes() {
  return (... && (-dim <= axes && axes < dim));
}
template <int dim, int... axes>
constexpr unsigned MaskOf() {
  return (0u | ... | (1u << (axes < 0 ? axes + dim : axes)));
}
constexpr int CountBits(unsigned mask) {
  int count = 0;
  for (; mask != 0; mask &= mask - 1) ++count;
  return count;
}

/// The reduction of all elements.
template <typename Kind, typename E, typename DType, int etype>
inline typename Kind::Out ReducedValue(const Exp<E, DType, etype>& src) {
  constexpr int kDim = ExpInfo<E>::kDim;
  using Device = DeviceOf<E>;
  const Shape<kDim> shape = ShapeCheck<kDim, E>::Check(src.self());
  const AxisGroups groups = AxisGroupsOf(shape, ~0u);
  CheckElements<Kind>(groups, shape);
  Stream<Device>* const stream = StreamOf<Device>(src.self());
  const StatementMemory<Device> memory(stream);
  const auto plan = ReadBy<Device, Kind>(src.self());
  return StatisticExecutor<Device>::template Value<Kind, kDim == 1>(plan, groups, stream);
}

/// The base of a stage that computes means, E, as well.
template <typename E, bool gives_mean>
struct StageWithMeans {};
template <typename E>
struct StageWithMeans<E, true> {
  using Partner = E;
};

/// A reduction over the last axes, or all but neighbours before these, some results at a time.
template <template <typename> class Kind, typename SrcExp, typename SrcDType, int dimsrc,
          unsigned mask, typename DType>
struct Stage<ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>, DType,
             std::enable_if_t<
                 (ExpInfo<SrcExp>::kDevMask & cpu::kDevMask) != 0 &&
                 IsRowReduction<ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>>()>>
    : StageWithMeans<ReductionExp<statistic::Mean, SrcExp, SrcDType, dimsrc, mask>,
                     statistic::kGivesMean<Kind<SrcDType>>> {
  using E = ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>;
  static constexpr bool kExists = true;
  Stage(const E& e, const MaterialisedTensor<E, DType>& target, const RowParts& parts)
      : target_(target.dptr_),
        groups_(AxisGroupsOf(ShapeCheck<dimsrc, SrcExp>::Check(e.src_), mask)),
        ok_(groups_.Results() == parts.count),
        plan_(ReadBy<DeviceOf<E>, Kind<SrcDType>>(e.src_)),
        results_(plan_, groups_) {
    CheckElements<Kind<SrcDType>>(groups_, ShapeCheck<dimsrc, SrcExp>::Check(e.src_));
  }
  Stage(const Stage&) = delete;
  bool ok() const { return ok_; }
  void Compute(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    results_.Compute(begin, end, target_ + begin, means_ == nullptr ? nullptr : means_ + begin);
  }
  template <typename Mean>
  static bool IsPartner(const E& e, const Mean& mean) {
    return IsSame(mean.src_, e.src_);
  }
  void ComputePartner(DType* means) { means_ = means; }

 private:
  using Source = decltype(ReadBy<DeviceOf<E>, Kind<SrcDType>>(std::declval<const SrcExp&>()));
  using Results = typename StatisticExecutor<DeviceOf<E>>::template RowResults<Kind<SrcDType>,
                                                                               Source>;
  DType* const target_;
  DType* means_ = nullptr;
  const AxisGroups groups_;
  const bool ok_;
  const Source plan_;
  const Results results_;
};

/// A parameter that matches worse than those of any user's function.
struct AnyArgument {
  template <typename T>
  AnyArgument(const T&) {}  // NOLINT: implicit
};

/// A value as bool; an expression as it is.
template <typename T>
inline auto Truth(const T& result) {
  if constexpr (std::is_base_of_v<adl::AdlTag<T>, T>) {
    return result;
  } else {
    return result != T(0);
  }
}

/// Is there a Variable in the name of E? Of nodes without a rule nothing else is known. (Where the
/// compiler does not tell names, no.)
template <typename E>
constexpr bool NamesVariable() {
#if !MSHADOW_PLAIN_CXX
  const char* const name = __PRETTY_FUNCTION__;
  const char word[] = "mshadow::Variable<";
  for (int i = 0; name[i] != '\0'; ++i) {
    int k = 0;
    while (word[k] != '\0' && name[i + k] == word[k]) ++k;
    if (word[k] == '\0') return true;
  }
#endif
  return false;
}

/// The value without axes, or with all of them; otherwise the expression.
template <template <typename> class Kind, int... axes, typename E, typename DType, int etype>
inline auto Reduced(const Exp<E, DType, etype>& src) {
  constexpr int kDim = ExpInfo<E>::kDim;
  static_assert(kDim > 0, "mshadow: this expression cannot be reduced: it is a scalar, or its "
                          "operands do not fit each other");
  if constexpr (kDim > 0 && (... || (axes == kAllAxes))) {
    static_assert(sizeof...(axes) == 1, "mshadow: kAllAxes are all axes, and stand alone");
    static_assert(!NamesVariable<E>(),
                  "mshadow: a reduction of a Variable to rank 0 would leave the tape: sum_all(x) "
                  "and mean_all(x) are vectors of one");
    return ReductionExp<Kind, E, DType, kDim, (1u << kDim) - 1u>(src.self());
  } else if constexpr (kDim > 0) {
    constexpr bool kAreAxes = AreAxes<kDim, axes...>();
    static_assert(kAreAxes, "mshadow: a reduction over an axis that the expression does not have; "
                            "axes are 0, 1, ..., and -1, -2, ... from the end");
    if constexpr (kAreAxes) {
      constexpr unsigned kMask = MaskOf<kDim, axes...>();
      constexpr int kCount = CountBits(kMask);
      static_assert(kCount == sizeof...(axes),
                    "mshadow: a reduction names an axis twice; -1 is the last one");
      if constexpr (kCount == 0 || kCount == kDim) {
        constexpr bool kVariable = NamesVariable<E>();
        static_assert(!kVariable,
                      "mshadow: a reduction of a Variable to a number would leave the tape: "
                      "sum_all(x) and mean_all(x) are expressions; of x.value it is a number");
        return ReducedValue<typename ValueKind<Kind, E, DType>::Type>(src);
      } else {
        return ReductionExp<Kind, E, DType, kDim, kMask>(src.self());
      }
    }
  }
}

}  // namespace detail

template <typename Saver, typename R, template <typename> class Kind, typename SrcExp,
          typename SrcDType, int dimsrc, unsigned mask, typename DType>
struct ExpComplexEngine<Saver, R, ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>, DType>
    : detail::ReductionEngine<Saver, R, ReductionExp<Kind, SrcExp, SrcDType, dimsrc, mask>,
                              DType> {};

namespace adl {

// Takes one argument alone: argmax(src, axis) has an overload of its own.
#define MSHADOW_OWNED_REDUCTION_(name)                                                    \
  template <int... axes, typename Device, int dim, typename DType>                        \
  inline auto (name)(TensorContainer<Device, dim, DType>&& src) {                         \
    return name<axes...>(static_cast<TensorContainer<Device, dim, DType>&&>(src).Owned()); \
  }
#define MSHADOW_REDUCTION_(name, Kind)                                                    \
  template <int... axes, typename E>                                                      \
  inline auto (name)(const AdlTag<E>& src) {                                              \
    return detail::Reduced<statistic::Kind, axes...>(static_cast<const E&>(src));         \
  }                                                                                       \
  MSHADOW_OWNED_REDUCTION_(name)

/// Says in a sentence why name(a, b) does not compile.
#define MSHADOW_REFUSE_TWO_(name)                                                         \
  template <int... axes, typename E>                                                      \
  inline auto (name)(const AdlTag<E>&, const detail::AnyArgument&) {                      \
    static_assert(sizeof(E) == 0,                                                         \
                  "mshadow: " #name "<axis>(t) reduces one tensor: its axes are template " \
                  "arguments; maximum(a, b) and minimum(a, b) compare two");              \
  }

#define MSHADOW_LOGICAL_(name, Kind)                                                      \
  template <int... axes, typename E>                                                      \
  inline auto (name)(const AdlTag<E>& src) {                                              \
    return detail::Truth(                                                                 \
        detail::Reduced<statistic::Kind, axes...>(static_cast<const E&>(src)));           \
  }                                                                                       \
  MSHADOW_OWNED_REDUCTION_(name)

/// sum(src): the value. sum<0>(src), sum<0, 2>(src), sum<-1>(src): the sums over these axes, which
/// are left out; with all of them the value. Integers are added in 64 bits. Over nothing it is 0.
/// The value of a comparison or of logic is the exact count, an int64_t, as in sum(x > 0).
MSHADOW_REDUCTION_(sum, Sum)
MSHADOW_REFUSE_TWO_(sum)
/// The products; of integers in 64 bits. Over nothing it is 1.
MSHADOW_REDUCTION_(prod, Prod)
MSHADOW_REFUSE_TWO_(prod)
/// The means; of integers as double. Over nothing it is NaN.
MSHADOW_REDUCTION_(mean, Mean)
MSHADOW_REFUSE_TWO_(mean)
/// The population variances: mean squared deviations from the mean; of integers as double.
MSHADOW_REDUCTION_(var, Var)
/// The square roots of the variances.
MSHADOW_REDUCTION_(stddev, Stddev)
/// The 2-norms, square roots of sums of squares; of integers as double.
MSHADOW_REDUCTION_(norm, Norm)
/// The largest elements, or NaN where one is NaN. Throws Error over nothing.
MSHADOW_REDUCTION_(max, Max)
MSHADOW_REFUSE_TWO_(max)
/// The smallest elements, or NaN where one is NaN. Throws Error over nothing.
MSHADOW_REDUCTION_(min, Min)
MSHADOW_REFUSE_TWO_(min)
/// 1 where some element is not 0, otherwise 0, in the element type of src; the value without axes
/// is a bool. Over nothing it is 0. (std::any is a class: with `using namespace std` write
/// mshadow::any<0>(src).)
MSHADOW_LOGICAL_(any, Any)
/// 1 where no element is 0; over nothing it is 1.
MSHADOW_LOGICAL_(all, All)
/// log(sum exp(src)) without overflow; of integers as double. -inf over nothing.
MSHADOW_REDUCTION_(logsumexp, Logsumexp)
/// The indices, as int64_t, of the first largest elements, or the first NaN; in row-major order of
/// the reduced axes. Throws Error over nothing.
MSHADOW_REDUCTION_(argmax, Argmax)
/// The same of the smallest.
MSHADOW_REDUCTION_(argmin, Argmin)
#undef MSHADOW_OWNED_REDUCTION_
#undef MSHADOW_REDUCTION_
#undef MSHADOW_REFUSE_TWO_
#undef MSHADOW_LOGICAL_

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END

namespace mshadow_functions {
using mshadow::expr::adl::all;
using mshadow::expr::adl::any;
using mshadow::expr::adl::argmax;
using mshadow::expr::adl::argmin;
using mshadow::expr::adl::logsumexp;
using mshadow::expr::adl::max;
using mshadow::expr::adl::mean;
using mshadow::expr::adl::min;
using mshadow::expr::adl::norm;
using mshadow::expr::adl::prod;
using mshadow::expr::adl::stddev;
using mshadow::expr::adl::sum;
using mshadow::expr::adl::var;
}  // namespace mshadow_functions
#endif  // MSHADOW_EXTENSION_REDUCTION_H_
