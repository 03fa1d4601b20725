// SPDX-License-Identifier: Apache-2.0
// What one thread of fused statements does: of each statement in turn the same elements, so that
// none waits for what another thread stores.
#ifndef MSHADOW_BACKEND_GPU_FUSED_BODY_H_
#define MSHADOW_BACKEND_GPU_FUSED_BODY_H_

#include <utility>

#include "map_body.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// The body of the statement at `place` among several.
template <std::size_t place, typename Body>
struct FusedPart {
  Body body;
};

/// Bodies of statements over one grid.
template <typename Places, typename... Bodies>
struct FusedBody;
template <std::size_t... place, typename First, typename... Rest>
struct FusedBody<std::index_sequence<0, place...>, First, Rest...> : FusedPart<0, First>,
                                                                     FusedPart<place, Rest>... {
  using Index = typename First::Index;

  /// Elements of a pack: those of the largest type fill one.
  static constexpr int kWidth = [] {
    int width = First::kWidth;
    ((width = Rest::kWidth < width ? Rest::kWidth : width), ...);
    return width;
  }();
  /// What one row gives the threads along x to do, and how much of it a thread takes.
  MSHADOW_XINLINE std::ptrdiff_t PacksOfRow() const { return (Grid().cols + kWidth - 1) / kWidth; }
  MSHADOW_XINLINE int UnitsOfThread() const { return First::kUnroll; }

  /// Thread (tx, ty) of nx x ny.
  MSHADOW_XINLINE void operator()(Index tx, Index nx, Index ty, Index ny) const {
    for (Index y = ty; y < Grid().rows; y += ny) {
      if constexpr (kWidth > 1) {
        // Packs where those of all statements begin at the same element.
        const Index head = Grid().template PackedFrom<kWidth>(y);
        if (head < Grid().cols &&
            ((FusedPart<place, Rest>::body.template PackedFrom<kWidth>(y) == head) && ...)) {
          Row<kWidth>(y, head, tx, nx);
          continue;
        }
      }
      Row<1>(y, 0, tx, nx);
    }
  }

 private:
  MSHADOW_XINLINE const First& Grid() const { return FusedPart<0, First>::body; }
  template <int W>
  MSHADOW_XINLINE void Row(Index y, Index head, Index tx, Index nx) const {
    Grid().template Row<W>(y, head, tx, nx);
    (FusedPart<place, Rest>::body.template Row<W>(y, head, tx, nx), ...);
  }
};

/// The MapBody of a statement, an expr::LazyAssignment::Planned.
template <typename Map, typename Index>
using BodyOf =
    MapBody<typename Map::Saver, typename Map::DType, typename Map::Dst, typename Map::Src, Index>;

/// The body of the statements over a grid of rows x cols, where `join` rows of the plans make one.
template <typename Index, typename... Maps>
inline auto MakeFusedBody(Index rows, Index cols, std::ptrdiff_t join, const Maps&... maps) {
  using Body = FusedBody<std::index_sequence_for<Maps...>, BodyOf<Maps, Index>...>;
  return Body{{BodyOf<Maps, Index>{maps.dst, maps.src, rows, cols, join}}...};
}

/// Calls run(body, rows) of fused statements over `shape`, rows joined where memory allows; not
/// where it is empty.
template <typename Run, typename... Maps>
inline void ChooseFusedBody(const Shape<2>& shape, const Run& run, const Maps&... maps) {
  std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
  std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
  if (rows == 0 || cols == 0) return;
  const std::ptrdiff_t join = expr::JoinRows(
      &rows, &cols, expr::LayoutOf(cols, maps.src..., maps.dst...).join);
  if (rows > kMaxNarrow || cols > kMaxNarrow) {
    run(MakeFusedBody(rows, cols, join, maps...), rows);
  } else {
    run(MakeFusedBody(static_cast<NarrowIndex>(rows), static_cast<NarrowIndex>(cols), join,
                      maps...),
        rows);
  }
}

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUSED_BODY_H_
