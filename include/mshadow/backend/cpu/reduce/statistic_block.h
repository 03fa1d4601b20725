// SPDX-License-Identifier: Apache-2.0
// What the loops of reductions read: blocks of memory, or of a plan, which a loop may compute.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_BLOCK_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_BLOCK_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../../../expr/columns.h"
#include "../../../expr/plan.h"
#include "../../../expr/row_lanes.h"
#include "../../../expr/short_row.h"
#include "../../../simd/isa.h"
#include "../half_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Rows of a block in memory: element x of row r is from[r * stride + x].
template <typename In>
struct BlockInMemory {
  static constexpr bool kLanes = false;
  const In* from;
  std::ptrdiff_t stride;
  MSHADOW_FORCE_INLINE const In* Row(std::ptrdiff_t r) const { return from + r * stride; }
};

/// Rows of a block of a plan: element (r, i) is src(y + r * step, x + r * step_x + i).
template <typename In, typename Src>
struct BlockOfPlan {
  /// True if elements are converted faster by simd::kHalfLanes at a time.
  static constexpr bool kLanes = kAddsLanes<In, expr::RowCursor<Src>>;
  struct Cursor {
    expr::RowCursor<Src> row;
    std::ptrdiff_t x;
    MSHADOW_FORCE_INLINE In operator[](std::ptrdiff_t i) const {
      return static_cast<In>(row.Eval(x + i));
    }
    /// to[k] = element i + k, k < simd::kHalfLanes.
    MSHADOW_FORCE_INLINE void Lanes(std::ptrdiff_t i, In* to) const {
      RoundedLanes(row, x + i, to);
    }
  };
  const Src* src;
  std::ptrdiff_t y, step, x, step_x;
  MSHADOW_FORCE_INLINE Cursor Row(std::ptrdiff_t r) const {
    return Cursor{expr::RowOf(*src, y + r * step), x + r * step_x};
  }
};

/// The same of a plan that transposes, read along y, where its elements are neighbours in memory:
/// element (r, i) is src(y + i * TileStep(src), x + r).
template <typename In, typename Src>
class TransposedBlock {
  /// Columns of a plan that does not offer them, in tiles of step 1.
  struct Rows {
    struct Cursor {
      const Src* src;
      std::ptrdiff_t y, x;
      MSHADOW_FORCE_INLINE auto Eval(std::ptrdiff_t i) const {
        return expr::RowOf(*src, y + i).Eval(x);
      }
    };
    const Src* src;
    std::ptrdiff_t y;
    MSHADOW_FORCE_INLINE Cursor Column(std::ptrdiff_t x) const { return Cursor{src, y, x}; }
  };
  static auto ColumnsOf(const Src& src, std::ptrdiff_t y, [[maybe_unused]] std::ptrdiff_t* n) {
    if constexpr (expr::kColumnsOf<Src>) {
      return src.Columns(y, n);
    } else {
      return Rows{&src, y};
    }
  }
  using Columns = decltype(ColumnsOf(std::declval<const Src&>(), 0, nullptr));
  using Column = decltype(std::declval<const Columns&>().Column(0));
  Columns columns_;
  std::ptrdiff_t x_;

 public:
  static constexpr bool kLanes = false;
  struct Cursor {
    Column column;
    MSHADOW_FORCE_INLINE In operator[](std::ptrdiff_t i) const {
      return static_cast<In>(column.Eval(i));
    }
  };
  /// Lowers *n to the elements of a row that there are.
  TransposedBlock(const Src& src, std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t* n)
      : columns_(ColumnsOf(src, y, n)), x_(x) {}
  MSHADOW_FORCE_INLINE Cursor Row(std::ptrdiff_t r) const {
    return Cursor{columns_.Column(x_ + r)};
  }
};

/// Computes a block: to[r * cols + i] = element (y + r * step, x + i).
template <typename In, typename Src>
struct StatisticFillKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Src* src, In* to, std::ptrdiff_t y,
                                       std::ptrdiff_t step, std::ptrdiff_t rows, std::ptrdiff_t x,
                                       std::ptrdiff_t cols) {
    for (std::ptrdiff_t r = 0; r < rows; ++r, to += cols, y += step) {
      const auto row = expr::RowOf(*src, y);
      if constexpr (kAddsLanes<In, std::decay_t<decltype(row)>> &&
                    Isa::kIsa != simd::Isa::kBaseline) {
        std::ptrdiff_t i = 0;
        for (; i + simd::kHalfLanes <= cols; i += simd::kHalfLanes) {
          RoundedLanes(row, x + i, to + i);
        }
        for (; i < cols; ++i) to[i] = static_cast<In>(row.Eval(x + i));
      } else {
        expr::detail::WriteShortRow(row, x, x + cols, to);
      }
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_BLOCK_H_
