// SPDX-License-Identifier: Apache-2.0
// Tiles of transposing plans: read along the columns, where neighbours are neighbours in memory,
// transposed in registers, written along the rows.
#ifndef MSHADOW_BACKEND_CPU_TILE_H_
#define MSHADOW_BACKEND_CPU_TILE_H_

#include "../../expr/columns.h"
#include "../../simd/cache.h"
#include "../../simd/isa.h"
#include "../../simd/transpose_block.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Side of the square of elements that a transposing plan is evaluated in: 64 rows of 4-byte
/// elements, read and written, fill half of a 32 KiB first-level cache.
constexpr std::ptrdiff_t kTileSide = 64;
/// Columns of such a tile whose neighbours lie `bytes` apart. Lines that are a multiple of a large
/// power of two apart share few places in the first-level cache, which holds eight at each.
constexpr std::ptrdiff_t TileWidth(std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t kCacheWay = 4096, kWays = 8;
  const std::ptrdiff_t power = bytes & -bytes;
  if (power * kTileSide <= kCacheWay * kWays) return kTileSide;
  return power < kCacheWay ? kCacheWay * kWays / power : kWays;
}

/// Rows of a tile. A strip of it, as wide as a block, reads so many elements in a line of each of
/// the source's rows, where it does not go from memory to memory. With few the machine does not see
/// what will be read next; with many the lines that a strip has written in part leave the cache
/// before the next strip fills them.
constexpr std::ptrdiff_t kTileRows = 1024;
/// What a thread writes without waiting for memory.
constexpr std::ptrdiff_t kNearBytes = 1 << 20;

/// dst(y, x) Saver= src(y, x) for every `step`-th y in [y0, y1), x in [x0, x1). `Rows` is the
/// kernel that does the same row by row, which is faster where few rows are neighbours; `join` rows
/// of the plans make one row of this grid.
template <typename Saver, typename DType, typename Dst, typename Src, typename Rows>
struct TileKernel {
  const Dst& dst_;
  const Src& src_;
  std::ptrdiff_t y0, y1, x0, x1;
  std::ptrdiff_t join, step;
  bool is_large;  // true if the thread writes more than kNearBytes
  bool stream;    // true if it uses non-temporal stores

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr std::ptrdiff_t kSide = simd::kBlockSide<Isa, DType>;
    const Dst dst = dst_;
    const Src src = src_;
    for (std::ptrdiff_t y = y0; y < y1;) {
      std::ptrdiff_t n = (y1 - y + step - 1) / step;
      const auto columns = src.Columns(y * join, &n);
      constexpr bool kCopy = kCopies<Isa, decltype(columns)>;
      constexpr std::ptrdiff_t kWhole = kCopy ? simd::kCopySide<Isa, DType> : kSide;
      if (n < kFewRows) {
        const Rows rows{dst_, src_, y, y + n * step, x0, x1, join, step};
        rows.template operator()<Isa>();
      } else if (n < kWhole || x1 - x0 < kWhole) {
        ForEachBlock<kSide>(n, [&](std::ptrdiff_t x, std::ptrdiff_t j) MSHADOW_INLINE_LAMBDA {
          Block<Isa>(dst, columns, y, j, j, j + kSide < n ? j + kSide : n, x, x,
                     x + kSide < x1 ? x + kSide : x1);
        });
      } else if constexpr (kCopy) {
        CopyBlocks<Isa>(dst, columns, y, n);
      } else {
        // The last block overlaps the one before, of which it stores nothing again.
        ForEachBlock<kSide>(n, [&](std::ptrdiff_t x, std::ptrdiff_t j) MSHADOW_INLINE_LAMBDA {
          const std::ptrdiff_t top = j + kSide <= n ? j : n - kSide;
          const std::ptrdiff_t left = x + kSide <= x1 ? x : x1 - kSide;
          Block<Isa>(dst, columns, y, top, j, top + kSide, left, x, left + kSide);
        });
      }
      y += n * step;
    }
    if (stream) simd::StreamFence();
  }

 private:
  static constexpr std::ptrdiff_t kFewRows = 8;
  static constexpr std::ptrdiff_t kSize = sizeof(DType);
  /// Columns that are written side by side: 256 bytes of each row.
  static constexpr std::ptrdiff_t kGroup = 256 / kSize;
  static constexpr std::ptrdiff_t kLine = simd::kLineBytes / kSize;
  template <typename Isa, typename Columns>
  static constexpr bool kCopies =
      std::is_same_v<Saver, sv::saveto> && expr::detail::HasRowStride<Dst>::value &&
      expr::detail::HasColumnStride<Columns>::value && simd::kShuffles<Isa, DType>;

  /// From memory to memory: blocks in registers, with so few instructions that the machine has
  /// several at a time in work. The first and the last ones overlap those beside them.
  template <typename Isa, typename Columns>
  MSHADOW_FORCE_INLINE void CopyBlocks(const Dst& dst, const Columns& columns, std::ptrdiff_t y,
                                       std::ptrdiff_t n) const {
    constexpr std::ptrdiff_t kSide = simd::kCopySide<Isa, DType>;
    const DType* const from = columns.Column(0).Pointer(0);
    const std::ptrdiff_t from_stride = columns.ColumnStride();
    auto row = expr::RowOf(dst, y * join);
    DType* const to = &row.REval(0);
    const std::ptrdiff_t to_stride = dst.RowStride() * join * step;
    // Past the cache go whole lines: of rows that are so far apart, from where one begins.
    const bool lines =
        stream && to_stride * kSize % simd::kLineBytes == 0 && simd::LineOffset(to) % kSize == 0;
    const std::ptrdiff_t begin = lines ? x0 - simd::LineOffset(to + x0) / kSize : x0;
    for (std::ptrdiff_t group = begin; group < x1; group += kGroup) {
      const std::ptrdiff_t end = group + kGroup < x1 ? group + kGroup : x1;
      for (std::ptrdiff_t j = 0; j < n; j += kSide) {
        const std::ptrdiff_t top = j + kSide <= n ? j : n - kSide;
        for (std::ptrdiff_t x = group; x < end;) {
          if (lines && x >= x0 && x + kLine <= x1 && (x - group) % kLine == 0) {
            const DType* const block = from + x * from_stride + top;
            for (std::ptrdiff_t i = 0; i < kLine; ++i) Prefetch(block + i * from_stride);
            simd::StreamTransposedLines<Isa>(block, from_stride, to + top * to_stride + x,
                                             to_stride);
            x += kLine;
            continue;
          }
          const std::ptrdiff_t left = x < x0 ? x0 : x + kSide <= x1 ? x : x1 - kSide;
          const DType* const block = from + left * from_stride + top;
          DType* const out = to + top * to_stride + left;
          if (is_large && !lines) {
            // What the next blocks write: of such lines, far apart, the machine itself asks for few
            // in advance. Up to twice as fast where nothing is cached, a tenth slower where all is.
            const DType* next = out + kSide * to_stride;
            for (std::ptrdiff_t i = 0; i < kSide; ++i, next += to_stride) simd::Prefetch<1>(next);
          }
          for (std::ptrdiff_t i = 0; i < kSide; ++i) Prefetch(block + i * from_stride);
          simd::CopyTransposedBlock<Isa>(block, from_stride, out, to_stride);
          x += kSide;
        }
      }
    }
  }

  template <std::ptrdiff_t side, typename F>
  MSHADOW_FORCE_INLINE void ForEachBlock(std::ptrdiff_t n, const F& f) const {
    for (std::ptrdiff_t x = x0; x < x1; x += side) {
      for (std::ptrdiff_t j = 0; j < n; j += side) f(x, j);
    }
  }

  /// The rows y + j * step and columns x of a block. Elements from (top, left) on are computed,
  /// what lies before (j, x) is not stored. Inlined: whole blocks are read in constant loops.
  template <typename Isa, typename Columns>
  MSHADOW_FORCE_INLINE void Block(const Dst& dst, const Columns& columns, std::ptrdiff_t y,
                                  std::ptrdiff_t top, std::ptrdiff_t j, std::ptrdiff_t bottom,
                                  std::ptrdiff_t left, std::ptrdiff_t x,
                                  std::ptrdiff_t right) const {
    constexpr int kSide = simd::kBlockSide<Isa, DType>;
    alignas(64) DType block[kSide][kSide];
    for (std::ptrdiff_t i = 0; i < right - left; ++i) {
      DType* const to = block[i];
      const auto column = columns.Column(left + i);
      Prefetch(column, top);
      expr::ForEachRun(column, top, bottom,
                       [=](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t end)
                           MSHADOW_INLINE_LAMBDA {
                             MSHADOW_IVDEP
                             for (std::ptrdiff_t k = begin; k < end; ++k) to[k - top] = run.Eval(k);
                           });
    }
    simd::TransposeBlock<Isa>(block);
    if (x == left) {
      Store(dst, y, top, j, bottom, left, left, right, block);
    } else {
      Store(dst, y, top, j, bottom, left, x, right, block);
    }
  }
  template <int side>
  MSHADOW_FORCE_INLINE void Store(const Dst& dst, std::ptrdiff_t y, std::ptrdiff_t top,
                                  std::ptrdiff_t j, std::ptrdiff_t bottom, std::ptrdiff_t left,
                                  std::ptrdiff_t x, std::ptrdiff_t right,
                                  const DType (&block)[side][side]) const {
    for (std::ptrdiff_t k = j; k < bottom; ++k) {
      const DType* const from = block[k - top];
      expr::ForEachRun(expr::RowOf(dst, (y + k * step) * join), x, right,
                       [=](auto run, std::ptrdiff_t begin, std::ptrdiff_t end)
                           MSHADOW_INLINE_LAMBDA {
                             MSHADOW_IVDEP
                             for (std::ptrdiff_t i = begin; i < end; ++i) {
                               Saver::template Save<DType>(run.REval(i), from[i - left]);
                             }
                           });
    }
  }

  /// Two cache lines ahead: where rows of the source are a multiple of 4 KiB apart, this doubles
  /// the speed. It may point behind the end of a row, which a prefetch does not mind.
  template <typename Column>
  MSHADOW_FORCE_INLINE static void Prefetch([[maybe_unused]] const Column& column,
                                            [[maybe_unused]] std::ptrdiff_t j) {
    if constexpr (expr::detail::HasPointer<Column>::value) Prefetch(column.Pointer(j));
  }
  MSHADOW_FORCE_INLINE static void Prefetch(const DType* from) {
    simd::Prefetch(reinterpret_cast<const char*>(from) + 128);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_TILE_H_
