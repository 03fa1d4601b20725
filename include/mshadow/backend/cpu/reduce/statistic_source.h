// SPDX-License-Identifier: Apache-2.0
// What a reduction is of: a plan without its type, and the function that adds its blocks.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_SOURCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_SOURCE_H_

#include <cstddef>

#include "../../../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// A block of a plan: element (r, i) is (y + r * step, x + i), r < rows, i < cols. `flat` >= 0: all
/// of them follow each other, from element `flat` of row 0 on; step 0: only this says where.
/// first: so many rows are in the lanes, which this block is added to. group > 0: so many rows are
/// a group, the columns of which are reduced by themselves; < 0: every -group-th row is of one
/// group, and row y + `next` is the second of the first. So many columns as `width` share what the
/// first pass says: their lanes may be joined.
struct StatisticRegion {
  std::ptrdiff_t y, step, rows, x, cols, flat, first, group = 0, width = 1, next = 0;
};

/// The most rows or columns that a block is reduced to: 4 KiB of lanes, and at least so many.
template <typename Kind>
constexpr std::ptrdiff_t kMaxStatisticLanes =
    sizeof(typename Kind::Acc) < 4 ? 4096 / static_cast<int>(sizeof(typename Kind::Acc)) : 1024;

template <typename Kind>
struct StatisticSource {
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  const void* plan;
  simd::Isa isa;
  std::ptrdiff_t join;  // expr::FlatRows
  int cost;
  /// The most elements of a block along what is reduced, and along what is kept: so few that a lane
  /// of floats keeps its digits, and that what is read twice stays in a cache.
  std::ptrdiff_t reduced, kept;
  /// How many results are worth taking at a time, beside those that make enough work.
  std::ptrdiff_t side_by_side;
  /// True if a block of columns may be added to lanes that hold others.
  bool continues;
  /// The most elements of a block of groups of columns; 0: there are none.
  std::ptrdiff_t groups;
  /// True if blocks are read where they lie.
  bool in_memory;
  /// True if elements of narrow lines are gathered faster than they are added line by line.
  bool gathers;
  /// Shorter rows have a lane each.
  std::ptrdiff_t min_row;
  /// Reduces a block: lanes acc[k], aux[k] and scouts[k] get row, or column, k.
  void (*add)(const StatisticSource* source, const StatisticRegion& region, Acc* acc, Aux* aux,
              Scout* scouts);
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_SOURCE_H_
