// SPDX-License-Identifier: Apache-2.0
// ShareMap: the elements of a statement shared among threads, where they are worth it.
#ifndef MSHADOW_BACKEND_CPU_SHARE_MAP_H_
#define MSHADOW_BACKEND_CPU_SHARE_MAP_H_

#include "../../core/fast_divmod.h"
#include "../../simd/isa.h"
#include "map_kernel.h"
#include "../../simd/cache.h"
#include "threads.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Least work of a thread, in units of kCost, and the least that an element counts: 25,000
/// elements are worth a thread, fewer only where each is far dearer than a function. So statements
/// in turn on tensors of one size agree whether to use threads: if one does and the next does not,
/// a core waits for what lies in the cache of another, which takes longer than either. (Of 25,000
/// floats a statement takes 2 us from the first-level cache; to enter and leave a parallel region
/// takes 1 us.)
constexpr std::ptrdiff_t kGrainCost = 800000, kMinCost = 32;
constexpr std::ptrdiff_t GrainCostOf(std::ptrdiff_t cost) {
  return cost < kMinCost ? kMinCost : cost;
}

/// The fewest elements worth a thread where each takes so many: what is read counts as an element
/// that is written does.
MSHADOW_XINLINE std::ptrdiff_t GrainOf(const MapLoops& loops, std::ptrdiff_t reads) {
  if (reads == 1) return loops.grain;
  const std::ptrdiff_t grain = FloorDiv(kGrainCost / kMinCost, reads);
  return grain < 1 ? 1 : grain < loops.grain ? grain : loops.grain;
}

/// A statement on threads, which share the elements in row-major order, whatever the proportions of
/// the shape; a part starts at a multiple of 64 elements, so that no two threads write to one cache
/// line, unless so few are a thread's work. It is part of a row, whole rows, part of a row. One
/// function for all statements: none of it is worth compiling for each.
void ShareMap(const ThreadTeam& team, const MapLoops& loops, const MapTask& task,
              std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t grain);

#if MSHADOW_SHARED_BODIES
MSHADOW_NOINLINE MSHADOW_SHARED void ShareMap(const ThreadTeam& team, const MapLoops& loops,
                                              const MapTask& task, std::ptrdiff_t rows,
                                              std::ptrdiff_t cols, std::ptrdiff_t grain) {
  const std::ptrdiff_t size = rows * cols, unit = grain < 64 ? 1 : 64;
  simd::Isa isa = simd::ActiveIsa();
  if (loops.light) {  // what is read is as much as what is written, or more
    isa = simd::IsaForMemory(2 * static_cast<std::size_t>(size * loops.element_bytes),
                             team.ThreadsFor(size, grain));
  }
  const BlockFunction block = loops.forms[static_cast<int>(isa)];
  team.ParallelRanges((size + unit - 1) / unit, unit == 1 ? grain : grain / unit + 1,
                      [&](std::ptrdiff_t first, std::ptrdiff_t last) {
                        const std::ptrdiff_t begin = first * unit;
                        const std::ptrdiff_t end = last * unit < size ? last * unit : size;
                        std::ptrdiff_t y = begin / cols;
                        const std::ptrdiff_t x = begin % cols;
                        const std::ptrdiff_t end_y = end / cols;
                        if (x != 0) {
                          const std::ptrdiff_t stop = y == end_y ? end % cols : cols;
                          block(task, y, y + 1, x, stop);
                          if (y == end_y) return;
                          ++y;
                        }
                        if (y < end_y) block(task, y, end_y, 0, cols);
                        if (end % cols != 0) block(task, end_y, end_y + 1, 0, end % cols);
                      });
}
#endif

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_SHARE_MAP_H_
