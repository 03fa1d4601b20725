// SPDX-License-Identifier: Apache-2.0
// Results that no cache holds and that are one run of memory: computed a few kilobytes at a time
// where the first-level cache keeps them, and written from there past the caches, by the loops that
// the statement has. (Of results in rows some gain as much and some lose; the ends of their parts
// fall anywhere.)
#ifndef MSHADOW_BACKEND_CPU_PAST_CACHE_H_
#define MSHADOW_BACKEND_CPU_PAST_CACHE_H_

#include <cstdint>
#include <type_traits>

#include "../../expr/plan.h"
#include "../../expr/repeat_rows.h"
#include "../../simd/cache.h"
#include "../../simd/isa.h"
#include "map_kernel.h"

namespace mshadow {
namespace detail {

/// The loops of a statement: of its way through the executor, all that is compiled for each.
struct MapLoops {
  const BlockFunction* forms;    ///< one for each instruction set
  BlockFunction few_columns;     ///< of blocks of at most kFewColumns; null: the same as others
  std::ptrdiff_t grain;          ///< the fewest elements worth a thread
  std::ptrdiff_t element_bytes;  ///< of the result
  bool light;                    ///< do all forms compute the same, and little?

  void Block(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
             std::ptrdiff_t x1) const {
    const bool few = x1 - x0 <= kFewColumns && few_columns != nullptr;
    const BlockFunction block = few ? few_columns : forms[static_cast<int>(simd::ActiveIsa())];
    block(task, y0, y1, x0, x1);
  }
};

/// A statement as the `src` of a task.
struct CachedTask {
  const MapLoops* loops;
  const MapTask* task;
};

/// to[i] = from[i], `bytes` of them, whole lines past the cache. `from` lies as far behind the
/// beginning of a line as `to` does.
struct StreamKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const char* from, char* to, std::ptrdiff_t bytes) {
    const std::ptrdiff_t head = -simd::BehindLine(to) & (simd::kLineBytes - 1);
    std::ptrdiff_t i = 0;
    for (; i < head && i < bytes; ++i) to[i] = from[i];
    for (; i + simd::kLineBytes <= bytes; i += simd::kLineBytes) {
      simd::StreamLine<Isa>(from + i, to + i);
    }
    for (; i < bytes; ++i) to[i] = from[i];
  }
};

/// What is computed at a time, in bytes.
constexpr std::ptrdiff_t kPartBytes = 4096;

/// Is a statement faster past the cache where no cache holds its result? One that converts or
/// computes little element by element takes 0.7 to 0.9 of the time.
/// (A function takes as long as the memory either way, and what waits for it computes nothing; a
/// scalar reads nothing, so that its stores have the memory to themselves.)
template <typename Saver, typename DType, typename Dst, typename Src,
          typename Kernel = MapKernel<Saver, DType, Dst, Src>>
inline constexpr bool kStreams =
    std::is_same_v<Saver, sv::saveto> && expr::kHasMoveTo<Dst> &&
    std::is_trivially_copyable_v<DType> && simd::kLineBytes % sizeof(DType) == 0 &&
    expr::kCostOf<Src> > 0 && expr::kCostOf<Src> < kDear &&
    expr::detail::HasBeginsAt<Src>::value && (Kernel::kPlain || Kernel::kRowsWrite);

/// A BlockFunction of a CachedTask whose result is a single row of `Dst`: in parts, which end where
/// a line does.
template <typename DType, typename Dst>
void StreamBlock(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                 std::ptrdiff_t x1) {
  constexpr std::ptrdiff_t kSize = sizeof(DType);
  alignas(simd::kLineBytes) char buffer[kPartBytes];
  const CachedTask& statement = *static_cast<const CachedTask*>(task.src);
  Dst near = *static_cast<const Dst*>(task.dst);
  MapTask part = *statement.task;
  part.dst = &near;
  auto row = expr::RowOf(*static_cast<const Dst*>(task.dst), y0);
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  for (std::ptrdiff_t x = x0, end = x0; x < x1; x = end) {
    char* const to = reinterpret_cast<char*>(&row.REval(x));
    const std::ptrdiff_t behind = simd::BehindLine(to), n = (kPartBytes - behind) / kSize;
    char* const from = buffer + behind;
    end = n < x1 - x ? x + n : x1;
    near.MoveTo(reinterpret_cast<DType*>(address(from) - static_cast<std::uintptr_t>(x * kSize)));
    statement.loops->Block(part, y0, y1, x, end);
    simd::Call<StreamKernel, const char*, char*, std::ptrdiff_t>(from, to, (end - x) * kSize);
  }
  simd::StreamFence();
}

}  // namespace detail
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_CPU_PAST_CACHE_H_
