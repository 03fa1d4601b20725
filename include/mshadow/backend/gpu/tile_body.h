// SPDX-License-Identifier: Apache-2.0
// TileBody: what one thread of a statement that transposes does.
#ifndef MSHADOW_BACKEND_GPU_TILE_BODY_H_
#define MSHADOW_BACKEND_GPU_TILE_BODY_H_

#include "map_body.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// dst(y, x) Saver= src(y, x) through tiles in shared memory, for plans whose neighbours in memory
/// are rows `step` apart: the threads of a warp first take neighbours in memory of the source, then
/// those of the destination. A tile is of 32 rows and columns, or of less of these where there are
/// few, and more of those.
template <typename Saver, typename DType, typename Dst, typename Src>
struct TileBody {
  using Index = std::int32_t;
  /// Threads of a block, and elements of a tile that each takes.
  static constexpr int kThreads = 256, kPart = 4;
  /// The most rows or columns of a tile.
  static constexpr int kMaxSide = 256;
  /// Memory of a tile: columns lie beside each other, so far apart that reading along either way
  /// meets all banks.
  using Tile = DType[kThreads * kPart + kMaxSide];

  Dst dst;
  Src src;
  Index rows, cols;
  std::ptrdiff_t join;
  Index step;
  int log_height, log_width;

  TileBody(const Dst& to, const Src& from, Index rows_of_both, Index cols_of_both,
           std::ptrdiff_t join_of_both, Index step_of_rows)
      : dst(to),
        src(from),
        rows(rows_of_both),
        cols(cols_of_both),
        join(join_of_both),
        step(step_of_rows),
        log_height(5),
        log_width(5) {
    if (step > kMaxNarrow / kMaxSide) return;
    while (log_height > 2 && Index{1} << (log_height - 1) >= (rows + step - 1) / step) {
      --log_height;
      ++log_width;
    }
    while (log_width > 2 && Index{1} << (log_width - 1) >= cols) {
      --log_width;
      ++log_height;
    }
  }

  /// Is a tile of 32 rows and columns? The compiler knows more of these.
  MSHADOW_XINLINE bool IsSquare() const { return log_height == 5 && log_width == 5; }
  MSHADOW_XINLINE Index TilesAcross() const {
    return (cols + (Index{1} << log_width) - 1) >> log_width;
  }
  MSHADOW_XINLINE Index TilesDown() const {
    const Index height = step << log_height;
    return (rows + height - 1) / height * step;
  }
  /// Thread t of kThreads fills its part of a tile.
  template <bool kSquare>
  MSHADOW_XINLINE void Load(Tile& tile, Index across, Index down, int t) const {
    const Side height = Height<kSquare>(), width = Width<kSquare>();
    const int i = t & height.mask, j = t >> height.log;
    const Index y = First(down, height) + i * step, x = (across << width.log) + j;
    if (y >= rows || x >= cols) return;
    const int beside = kThreads >> height.log;
    const auto from = expr::RowOf(src, Row(y));
    // All loads come before all that waits; beyond the last column it is loaded again.
    DType value[kPart];
    for (int k = 0; k < kPart; ++k) {
      const Index at = x + k * beside;
      value[k] = from.Eval(WideIndex(at < cols ? at : cols - 1));
    }
    const int column = ColumnStride(height, width);
    for (int k = 0; k < kPart; ++k) tile[(j + k * beside) * column + i] = value[k];
  }
  /// When all threads have: writes its part.
  template <bool kSquare>
  MSHADOW_XINLINE void Store(const Tile& tile, Index across, Index down, int t) const {
    const Side height = Height<kSquare>(), width = Width<kSquare>();
    const int i = t >> width.log, j = t & width.mask;
    const Index x = (across << width.log) + j;
    if (x >= cols) return;
    const int below = kThreads >> width.log, column = ColumnStride(height, width);
    Index y = First(down, height) + i * step;
    for (int k = 0; k < kPart; ++k, y += below * step) {
      if (y >= rows) return;
      auto to = expr::RowOf(dst, Row(y));
      Saver::template Save<DType>(to.REval(WideIndex(x)), tile[j * column + i + k * below]);
    }
  }

 private:
  struct Side {
    int log, mask;
  };
  template <bool kSquare>
  MSHADOW_XINLINE Side Height() const {
    return kSquare ? Side{5, 31} : Side{log_height, (1 << log_height) - 1};
  }
  template <bool kSquare>
  MSHADOW_XINLINE Side Width() const {
    return kSquare ? Side{5, 31} : Side{log_width, (1 << log_width) - 1};
  }
  MSHADOW_XINLINE std::ptrdiff_t Row(Index y) const {
    return kMayJoinRows<Dst, Src> ? WideIndex(y) * join : WideIndex(y);
  }
  MSHADOW_XINLINE Index First(Index down, const Side& height) const {
    if (step == 1) return down << height.log;
    return down / step * (step << height.log) + down % step;
  }
  MSHADOW_XINLINE static int ColumnStride(const Side& height, const Side& width) {
    return height.mask + 1 + (width.log < 5 ? 32 >> width.log : 1);
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_TILE_BODY_H_
