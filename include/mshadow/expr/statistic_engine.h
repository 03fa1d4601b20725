// SPDX-License-Identifier: Apache-2.0
// Reductions by name on any device, through its ReduceExecutor: each element becomes a state, and
// states are merged. The CPU has loops of its own.
#ifndef MSHADOW_EXPR_STATISTIC_ENGINE_H_
#define MSHADOW_EXPR_STATISTIC_ENGINE_H_

#include <type_traits>

#include "../core/axis_groups.h"
#include "../core/device.h"
#include "../core/fast_divmod.h"
#include "../op/statistic.h"
#include "engine.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// What some elements were reduced to.
template <typename Kind>
struct StatisticState {
  typename Kind::Part part;
  // An engine scales results, by nothing here.
  MSHADOW_XINLINE friend StatisticState operator*(const StatisticState& a, const StatisticState&) {
    return a;
  }
};

/// The reducer of such states.
struct StatisticReducer {
  template <typename State>
  MSHADOW_XINLINE static State Combine(State a, State b) {
    a.part.Merge(b.part);
    return a;
  }
  template <typename State>
  MSHADOW_XINLINE static void SetInitValue(State& state) {  // NOLINT: the interface of reducers
    state = State();
  }
};

/// The same of an InOrder.
struct InOrderReducer {
  template <typename State>
  MSHADOW_XINLINE static void Reduce(State& state, const State& element) {  // NOLINT
    state.part.Append(element.part);
  }
  template <typename State>
  MSHADOW_XINLINE static void SetInitValue(State& state) {  // NOLINT: the interface of reducers
    state = State();
  }
};

/// Saves what Kind makes of a state.
template <typename Saver, typename Kind>
struct StatisticSaver {
  template <typename State, typename Place>
  MSHADOW_XINLINE static void Save(const Place& to, const State& state) {
    using Out = typename Kind::Out;
    Saver::template Save<Out>(*to.element, Kind::Finish(state.part, to.n));
  }
};

/// Dst as one row, of places; `cols` of its elements are a row of Dst. n: elements of a result.
template <typename Dst, typename Out>
struct StatisticPlaces {
  Dst dst;
  FastDivmod cols;
  std::ptrdiff_t n;
  struct Place {
    Out* element;
    std::ptrdiff_t n;
  };
  struct Cursor {
    const StatisticPlaces& places;
    MSHADOW_XINLINE Place REval(std::ptrdiff_t i) {
      // In the first row, often the only one, nothing is divided.
      const DivModResult at = i < places.cols ? DivModResult{0, i} : DivMod(i, places.cols);
      auto row = RowOf(places.dst, at.quot);
      return Place{&row.REval(at.rem), places.n};
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const { return Cursor{*this}; }
};

/// The state of one element, which has this number in what is reduced.
template <typename Kind, typename DType>
MSHADOW_XINLINE StatisticState<Kind> StateOf(DType element, std::ptrdiff_t number) {
  const auto x = static_cast<typename Kind::In>(element);
  typename Kind::Acc acc;
  typename Kind::Aux aux = 0;
  typename Kind::Scout scout = typename Kind::Scout();
  if constexpr (Kind::kTwoPasses) {
    typename Kind::Pre::Acc sum;
    typename Kind::Pre::Aux unused = 0;
    Kind::Pre::Start(&sum, &unused, 0);
    Kind::Pre::Add(&sum, &unused, x, typename Kind::Pre::Scout(), 0);
    scout = Kind::ScoutOf(sum, 1);
  }
  Kind::Start(&acc, &aux, 0);
  Kind::Add(&acc, &aux, x, scout, 0);
  StatisticState<Kind> state;
  state.part.First(acc, aux, scout, 1, number);
  return state;
}

/// The states of the elements of Src. rows: a plan, whose row (n * results + c) * lines + j is line
/// j of part n of result c. Otherwise: columns; column c holds the elements of result c.
/// one_axis: rows have no outer groups, columns at most one, which is kept.
template <typename Kind, bool rows, bool one_axis, typename Src>
class StatisticStates {
 public:
  using State = StatisticState<Kind>;
  static constexpr int kCost = 8 + kCostOf<Src>;
  StatisticStates(const Src& src, const AxisGroups& groups)
      : src_(src),
        groups_(groups),
        lines_(groups.inner / (groups.cols > 0 ? groups.cols : 1)),
        results_(groups.Results()),
        middle_(groups.middle),
        inner_(groups.inner),
        cols_(groups.cols) {}

  struct Cursor {
    const StatisticStates& states;
    std::ptrdiff_t line, number;
    MSHADOW_XINLINE State Eval(std::ptrdiff_t x) const {
      return StateOf<Kind>(RowOf(states.src_, line).Eval(x), number + x);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    if (one_axis || groups_.count == 0) {
      return Cursor{*this, y, lines_ == 1 ? 0 : DivMod(y, lines_).rem * cols_};
    }
    const DivModResult line = DivMod(y, lines_), part = DivMod(line.quot, results_);
    const DivModResult result = DivMod(part.rem, middle_);
    return Cursor{*this,
                  groups_.OuterKept(result.quot, lines_) + result.rem * lines_ +
                      groups_.OuterReducedAt(part.quot, lines_) + line.rem,
                  (part.quot * lines_ + line.rem) * cols_};
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return {Gcd(LayoutOf(src_, cols).join, lines_)};
  }

  struct ColumnCursor {
    const StatisticStates& states;
    std::ptrdiff_t line, x;
    MSHADOW_XINLINE State Eval(std::ptrdiff_t y) const {
      return StateOf<Kind>(RowOf(states.src_, line + states.LineOf(y)).Eval(x), y);
    }
  };
  MSHADOW_XINLINE ColumnCursor Column(std::ptrdiff_t c) const {
    if (results_ == cols_) return ColumnCursor{*this, 0, c};
    const DivModResult outer = DivMod(c, inner_), inner = DivMod(outer.rem, cols_);
    const std::ptrdiff_t kept = outer.quot == 0 ? 0 : groups_.OuterKept(outer.quot, lines_);
    return ColumnCursor{*this, kept + inner.quot, inner.rem};
  }

  /// True if element i of result c is element c * n + i of source(), for n elements a result; its
  /// state is Lift(element, i).
  bool IsSource() const { return groups_.count == 0; }
  const Src& source() const { return src_; }
  template <typename DType>
  MSHADOW_XINLINE static State Lift(DType element, std::ptrdiff_t number) {
    return StateOf<Kind>(element, number);
  }

 private:
  /// The line of element y of each result, from that of element 0 on.
  MSHADOW_XINLINE std::ptrdiff_t LineOf(std::ptrdiff_t y) const {
    if (one_axis || groups_.count < 2) return y * lines_;
    const DivModResult at = DivMod(y, middle_);
    return groups_.OuterReducedAt(at.quot, lines_) + at.rem * lines_;
  }

  Src src_;
  AxisGroups groups_;
  FastDivmod lines_, results_, middle_, inner_, cols_;
};

/// dst Saver= e, where e is a reduction over axes that computes itself:
///
///   void Reduce<Saver>(const Dst& dst, std::ptrdiff_t cols, Stream<Device>* stream) const
///       dst, a plan of rows of so many columns, Saver= the reduction; no checks
template <typename Saver, typename R, typename E, typename DType>
struct ReductionEngine {
  static constexpr int kDim = E::kRank;
  template <typename Device>
  static void EvalOn(TRValue<R, Device, kDim, DType>* dst, const E& e) {
    static_assert((E::kDevices & Device::kDevMask) != 0,
                  "mshadow: the reduction and the tensor it is assigned to live on different "
                  "devices; use Copy(dst, src)");
    const Shape<kDim> eshape = e.template GetShape<kDim>();
    const Shape<kDim> dshape = ShapeCheck<kDim, R>::Check(dst->self());
    if (!MSHADOW_LIKELY(eshape == dshape)) mshadow::detail::ThrowAssignMismatch(eshape, dshape);
    Stream<Device>* const stream = StreamInfo<Device, R>::Get(dst->self());
#if MSHADOW_ALIAS_CHECK
    if (!MSHADOW_LIKELY(!mshadow::detail::ReadsTarget<true>(e, dst->self(), false))) {
      using Copy = Tensor<Device, kDim, DType>;
      mshadow::detail::Temporary<Device, kDim, DType> copy(dshape, stream);
      if constexpr (std::is_same_v<R, Copy>) {
        if (!std::is_same_v<Saver, sv::saveto>) {
          mshadow::detail::CopyRows(copy.tensor(), dst->self(), stream);
        }
        Into<Saver>(&copy.tensor(), e, stream);
        mshadow::detail::CopyRows(dst->self(), copy.tensor(), stream);
      } else {
        Into<sv::saveto>(&copy.tensor(), e, stream);
        mshadow::MapPlan<Saver>(dst, MakePlan(copy.tensor()));
      }
      return;
    }
#endif
    Into<Saver>(dst->ptrself(), e, stream);
  }
  static void Eval(R* dst, const E& e) {
    static_assert(kDim == 0 || ExpInfo<R>::kDim == kDim,
                  "mshadow: a reduction is assigned to a tensor of another number of axes: it has "
                  "those of its operand but the reduced ones");
    if constexpr (kDim == 0) {
      MapExp<Saver>(dst, e);  // the same value for all elements
    } else if constexpr (ExpInfo<R>::kDim == kDim) {
      EvalOn(dst, e);
    }
  }

 private:
  template <typename S, typename Dst, typename Device>
  MSHADOW_NOINLINE static void Into(Dst* dst, const E& e, Stream<Device>* stream) {
    const StatementMemory<Device> memory(stream);
    const auto dst_plan = MakePlan(*dst);
    const std::ptrdiff_t cols =
        static_cast<std::ptrdiff_t>(ShapeCheck<kDim, Dst>::Check(*dst)[kDim - 1]);
    e.template Reduce<S>(dst_plan, cols, stream);
  }
};

}  // namespace detail
}  // namespace expr

/// Reductions by name; see the declaration in core/device.h.
template <typename Device>
struct StatisticExecutor {
  template <typename Saver, typename Kind, bool rows, bool one_axis, typename Dst, typename Src>
  static void Axes(const Dst& dst, std::ptrdiff_t cols, const Src& src,
                   const expr::AxisGroups& groups, Stream<Device>* stream) {
    using State = expr::detail::StatisticState<Kind>;
    using SaverOfState = expr::detail::StatisticSaver<Saver, Kind>;
    using Reducer =
        std::conditional_t<statistic::kIsInOrder<Kind>, expr::detail::InOrderReducer,
                           expr::detail::StatisticReducer>;
    const std::ptrdiff_t results = groups.Results();
    if (results == 0) return;
    const expr::detail::StatisticPlaces<Dst, typename Kind::Out> places{dst, FastDivmod(cols),
                                                                        groups.Reduced()};
    const expr::detail::StatisticStates<Kind, rows, one_axis, Src> states(src, groups);
    if constexpr (rows) {
      const std::ptrdiff_t lines = groups.inner / (groups.cols > 0 ? groups.cols : 1);
      ReduceExecutor<Device>::template KeepHighDim<SaverOfState, Reducer, State>(
          places, states,
          Shape4(static_cast<index_t>(groups.OuterReduced()), static_cast<index_t>(results),
                 static_cast<index_t>(lines), static_cast<index_t>(groups.cols)),
          State(), stream);
    } else {
      ReduceExecutor<Device>::template KeepLowest<SaverOfState, Reducer, State>(
          places, states,
          Shape2(static_cast<index_t>(groups.Reduced()), static_cast<index_t>(results)), State(),
          stream);
    }
  }

  template <typename Kind, bool one_axis, typename Src>
  static typename Kind::Out Value(const Src& src, const expr::AxisGroups& groups,
                                  Stream<Device>* stream) {
    using Out = typename Kind::Out;
    detail::Temporary<Device, 1, Out> result(Shape1(1), stream);
    Axes<sv::saveto, Kind, true, one_axis>(expr::MakePlan(result.tensor()), 1, src, groups, stream);
    Out value = Out();
    const Tensor<cpu, 1, Out> host(&value, Shape1(1));
    detail::CopyRows(host, result.tensor(), stream);
    if constexpr (!std::is_empty_v<Stream<Device>>) {
      if (stream != nullptr) stream->Wait();
    }
    return value;
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_STATISTIC_ENGINE_H_
