// SPDX-License-Identifier: Apache-2.0
// InBlocks: statements with operands that are computed aside, see expr/blocks.h.
// ThroughBlocks: statements that change 16-bit floats which do not lie in rows of memory.
#ifndef MSHADOW_BACKEND_CPU_BLOCKS_ASIDE_H_
#define MSHADOW_BACKEND_CPU_BLOCKS_ASIDE_H_

#include <type_traits>

#include "../../core/fast_divmod.h"
#include "../../expr/blocks.h"
#include "../../expr/plan.h"
#include "map_kernel.h"
#include "tile.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Bytes of each of so many operands computed aside: few enough that all stay in a first-level
/// cache of 32 KiB with what they are computed from; tiles are better larger.
constexpr std::ptrdiff_t BytesAside(int operands, bool tiles) {
  if (tiles) return operands <= 2 ? 16384 : 8192;
  return operands == 1 ? 12288 : operands <= 8 ? 4096 : 2048;
}

/// InBlocks with blocks of height x width elements, where each operand has `bytes` at `memory`.
template <typename Loops, typename Saver, typename DType, bool tiles, typename Dst, typename Src>
void InBlocksAt(unsigned char* memory, std::ptrdiff_t bytes, const Dst& dst, const Src& src,
                std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0, std::ptrdiff_t x1,
                std::ptrdiff_t join, std::ptrdiff_t width, std::ptrdiff_t height) {
  std::ptrdiff_t step = 1;
  if constexpr (tiles && expr::detail::AsideOf<Src>::kFills == 0) {
    const std::ptrdiff_t tile_step = expr::TileStep(src, dst);
    if (tile_step > join) step = tile_step / join;
  }
  // Whole rows that follow each other in all else, too, make one with those of the block.
  const auto flat_block = [x1](const auto&) {
    return expr::detail::BlockPlan<float>{nullptr, x1, 0, 0, FastDivmod(1)};
  };
  const bool flat = join == 1 && step == 1 && x0 == 0 && width == x1 && expr::IsFlat(dst, x1) &&
                    expr::IsFlat(expr::detail::WithAside(src, flat_block), x1);
  const FastDivmod rows(join * step);
  for (std::ptrdiff_t block = y0, end = y0; block < y1; block = end) {
    end = height * step < y1 - block ? block + height * step : y1;
    for (std::ptrdiff_t y = block; y < block + step && y < end; ++y) {
      for (std::ptrdiff_t x = x0, stop = x0; x < x1; x = stop) {
        stop = x1 - x < width ? x1 : x + width;
        unsigned char* part = memory;
        const auto map = expr::detail::WithAside(src, [&](const auto& operand) {
          using Element = expr::ElementOfPlan<std::decay_t<decltype(operand)>>;
          expr::detail::BlockPlan<Element> aside{reinterpret_cast<Element*>(part), stop - x,
                                                 y * join, x, rows};
          part += bytes;
          Loops::template Run<sv::saveto, Element, tiles>(aside, operand, y, end, x, stop, join,
                                                          step);
          if (flat) {
            aside.y_ = 0;
            aside.x_ = y * x1;
          }
          return aside;
        });
        if (flat) {
          Loops::template Run<Saver, DType, tiles>(dst, map, 0, 1, y * x1, end * x1, 1, 1);
        } else {
          Loops::template Run<Saver, DType, tiles>(dst, map, y, end, x, stop, join, step);
        }
      }
    }
  }
}

/// dst(y, x) Saver= src(y, x) of a map with operands that are computed aside, block by block, by
/// Loops::Run of each. Not inlined: kernels call it where such a map is an operand itself.
template <typename Loops, typename Saver, typename DType, typename Dst, typename Src>
MSHADOW_NOINLINE void InBlocks(const Dst& dst, const Src& src, std::ptrdiff_t y0,
                               std::ptrdiff_t y1, std::ptrdiff_t x0, std::ptrdiff_t x1,
                               std::ptrdiff_t join) {
  using Aside = expr::detail::AsideOf<Src>;
  constexpr bool kTiles = expr::kTransposedOf<Src> || expr::kTransposedOf<Dst>;
  constexpr int kParts = Aside::kParts;
  constexpr std::ptrdiff_t kBytes = BytesAside(kParts, kTiles);
  constexpr std::ptrdiff_t kPart = kBytes / Aside::kBytes;
  if (x0 >= x1) return;  // an operand may be asked for nothing
  alignas(64) unsigned char memory[kParts * kBytes];
  std::ptrdiff_t width = x1 - x0 < kPart ? x1 - x0 : kPart, height = FloorDiv(kPart, width);
  if constexpr (kTiles) {
    constexpr std::ptrdiff_t kSide = kPart < 1024 ? 16 : kPart < 4096 ? 32 : 64;
    const expr::PlanLayout layout = expr::LayoutOf(std::ptrdiff_t{1}, src, dst);
    if (layout.tile_step != 0) {
      const std::ptrdiff_t wide = TileWidth(layout.column_bytes);
      width = wide < kSide ? wide : kSide;
      if (width > x1 - x0) width = x1 - x0;
      height = kPart < 16 * width ? 1 : FloorDiv(kPart, width) & -16;
    }
  }
  InBlocksAt<Loops, Saver, DType, kTiles>(memory, kBytes, dst, src, y0, y1, x0, x1, join, width,
                                          height);
}

/// True if a statement changes numbers that are converted, in a view whose rows are no rows of
/// memory. Conversions one by one take up to ten times as long as what ThroughBlocks copies.
template <typename Saver, typename DType, typename Dst, typename Src>
inline constexpr bool kThroughBlocks =
    !std::is_same_v<Saver, sv::saveto> && std::is_same_v<DType, half::half_t> &&
    !expr::detail::HasPointer<expr::RunCursor<expr::RowCursor<Dst>>>::value &&
    !expr::kTransposedOf<Dst> && !expr::kTransposedOf<Src>;

/// A BlockFunction: copies a block of the result, computes one of the source, changes the copy as
/// one row, and copies it back.
template <typename Loops, typename Saver, typename DType, typename Dst, typename Src>
void ThroughBlocks(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                   std::ptrdiff_t x1) {
  constexpr std::ptrdiff_t kSize = 2048;
  alignas(64) DType old[kSize], value[kSize];
  const Dst& dst = *static_cast<const Dst*>(task.dst);
  const Src& src = *static_cast<const Src*>(task.src);
  const std::ptrdiff_t join = task.join;
  const std::ptrdiff_t width = x1 - x0 < kSize ? x1 - x0 : kSize, height = kSize / width;
  for (std::ptrdiff_t y = y0, end = y0; y < y1; y = end) {
    end = height < y1 - y ? y + height : y1;
    for (std::ptrdiff_t x = x0, stop = x0; x < x1; x = stop) {
      stop = x1 - x < width ? x1 : x + width;
      const expr::detail::RowBlock rows{x, stop - x, join, y, end - y};
      const expr::detail::RowBlock row{0, rows.n * rows.cols, 1, 0, 1};
      Loops::template Run<sv::saveto, DType>(rows.At<DType>(old), dst, y, end, x, stop, join);
      Loops::template Run<sv::saveto, DType>(rows.At<DType>(value), src, y, end, x, stop, join);
      Loops::template Run<Saver, DType>(row.At<DType>(old), row.At<DType>(value), 0, 1, 0, row.cols,
                                        1);
      Loops::template Run<sv::saveto, DType>(dst, rows.At<DType>(old), y, end, x, stop, join);
    }
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_BLOCKS_ASIDE_H_
