// SPDX-License-Identifier: Apache-2.0
// Reductions by reducers that do not offer Combine: value by value, in row-major order.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_IN_ORDER_H_
#define MSHADOW_BACKEND_CPU_REDUCE_IN_ORDER_H_

#include "../../../expr/plan.h"
#include "../../../expr/row_lanes.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// dst[c] Saver= scale * reduction of src(n, c, y, x) over n, y, x; with `keep_lowest` of src(n, c)
/// over n.
/// Every result sees its values in row-major order, so the operation need not be associative.
template <typename Saver, typename Reducer, typename Acc, typename DType, typename Dst,
          typename Src>
struct InOrderKernel {
  Dst dst;
  Src src;
  DType scale;
  bool keep_lowest;
  bool flat;  // src is one row: a result takes `cols` elements of it at a time; rows is 1
  std::ptrdiff_t outer, keep, rows, cols;
  std::ptrdiff_t begin, end;    // results

  /// Results at a time, end - begin at most: whole stretches of memory are read.
  static constexpr std::ptrdiff_t kBlock = 128;

  MSHADOW_FORCE_INLINE void Lowest(Acc* acc, std::ptrdiff_t c0, std::ptrdiff_t n) const {
    for (std::ptrdiff_t o = 0; o < outer; ++o) {
      const auto row = expr::RowOf(src, o);
      for (std::ptrdiff_t c = 0; c < n; ++c) {
        Reducer::Reduce(acc[c], static_cast<Acc>(row.Eval(c0 + c)));
      }
    }
  }
  MSHADOW_FORCE_INLINE void High(Acc* acc, std::ptrdiff_t c0, std::ptrdiff_t n) const {
    using namespace expr::detail;
    constexpr int kLanes = kOrderedLanes;
    // Calls f(y, x), where row r of result c0 + c begins, for all of its rows in order.
    const auto for_each_row = [&](std::ptrdiff_t c, const auto& f) MSHADOW_INLINE_LAMBDA {
      for (std::ptrdiff_t o = 0; o < outer; ++o) {
        for (std::ptrdiff_t y = 0; y < rows; ++y) {
          const std::ptrdiff_t row = (o * keep + c0 + c) * rows + y;
          f(flat ? 0 : row, flat ? row * cols : 0);
        }
      }
    };
    ForEachLaneGroup<Reducer, Acc>(
        n, cols,
        [&](std::ptrdiff_t c, std::ptrdiff_t count) MSHADOW_INLINE_LAMBDA {
          Acc state[kLanes];
          Lanes<Reducer, Acc>::Init(state, kLanes);
          for_each_row(c, [&](std::ptrdiff_t y, std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
            const LaneRows from{y, flat ? 0 : rows, x, flat ? cols : 0, count};
            ReduceInOrder<Reducer>(src, from, cols, state);
          });
          for (std::ptrdiff_t l = 0; l < count; ++l) acc[c + l] = state[l];
        },
        [&](std::ptrdiff_t c) MSHADOW_INLINE_LAMBDA {
          for_each_row(c, [&](std::ptrdiff_t y, std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
            ReduceRowInOrder<Reducer>(src, y, x, cols, acc + c);
          });
        });
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    Acc acc[kBlock];
    const std::ptrdiff_t n = end - begin;
    Lanes<Reducer, Acc>::Init(acc, n);
    if (keep_lowest) {
      Lowest(acc, begin, n);
    } else {
      High(acc, begin, n);
    }
    auto row = expr::RowOf(dst, 0);
    for (std::ptrdiff_t c = 0; c < n; ++c) {
      Saver::template Save<DType>(row.REval(begin + c), Finished<Reducer, DType>(acc[c], scale));
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_IN_ORDER_H_
