// SPDX-License-Identifier: Apache-2.0
// Results that no cache holds: computed half a kilobyte at a time where the first-level cache keeps
// them, and written from there past the caches, by the loops that the statement has. Stretches of a
// result take turns: a processor's prefetchers follow each of them by itself, so that more is under
// way (Blom, Rietveld, van Nieuwpoort, "Multi-Strided Access Patterns to Boost Hardware
// Prefetching", ICPE 2025).
#ifndef MSHADOW_BACKEND_CPU_STREAMING_H_
#define MSHADOW_BACKEND_CPU_STREAMING_H_

#include <cstdint>
#include <type_traits>

#include "../../expr/map_plan.h"
#include "../../expr/plan.h"
#include "../../expr/gather_rows.h"
#include "../../simd/cache.h"
#include "../../simd/isa.h"
#include "map_kernel.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The loops of a statement: of its way through the executor, all that is compiled for each.
struct MapLoops {
  const BlockFunction* forms;    ///< one for each instruction set
  BlockFunction narrow;          ///< of rows of at most narrow_columns; null: the same as others
  std::ptrdiff_t grain;          ///< the fewest elements worth a thread
  std::ptrdiff_t element_bytes;  ///< of the result
  bool light;                    ///< do all forms compute the same, and little?
  int operands = 0;              ///< of what is computed, see expr::PlanFacts
  std::ptrdiff_t narrow_columns = 0;

  void Block(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
             std::ptrdiff_t x1) const {
    const bool is_narrow =
        x1 - x0 <= narrow_columns && (y1 - y0 >= 8 || x1 - x0 <= kNarrowColumns);
    const BlockFunction block = is_narrow ? narrow : forms[static_cast<int>(simd::ActiveIsa())];
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
    const std::ptrdiff_t head = -simd::LineOffset(to) & (simd::kLineBytes - 1);
    std::ptrdiff_t i = 0;
    for (; i < head && i < bytes; ++i) to[i] = from[i];
    for (; i + simd::kLineBytes <= bytes; i += simd::kLineBytes) {
      simd::StreamLine<Isa>(from + i, to + i);
    }
    for (; i < bytes; ++i) to[i] = from[i];
  }
};

/// What is computed at a time, in bytes.
constexpr std::ptrdiff_t kPartBytes = 512;
/// Stretches of a result that take turns: at most so many, and no more than read in kPlaces places
/// at a time. (Of three operands, four stretches are slower than one.)
constexpr int kStretches = 4, kPlaces = 6;
constexpr int StretchesOf(int operands) {
  return operands <= 1 ? kStretches : operands < kPlaces ? kPlaces / operands : 1;
}

/// Is a statement faster past the cache where no cache holds its result? One is that converts or
/// computes little element by element.
/// (A function takes as long as the memory either way, and what waits for it computes nothing; a
/// scalar reads nothing, so that its stores have the memory to themselves.)
template <typename Saver, typename DType, typename Dst, typename Src,
          typename Kernel = MapKernel<Saver, DType, Dst, Src>>
inline constexpr bool kStreams =
    std::is_same_v<Saver, sv::saveto> && expr::detail::HasOrigin<Dst>::value &&
    expr::detail::HasRowStride<Dst>::value && std::is_trivially_copyable_v<DType> &&
    simd::kLineBytes % sizeof(DType) == 0 && expr::kCostOf<Src> > 0 &&
    expr::kCostOf<Src> < kExpensiveCost && expr::kFactsOf<Src>.access == expr::Access::kSame &&
    (Kernel::kPlain || Kernel::kFills);

/// Does the plan, or an operand that it reads element by element, lie in memory from `at` on?
template <typename P>
inline bool BeginsAt([[maybe_unused]] const void* at, [[maybe_unused]] const P& plan) {
  if constexpr (expr::detail::HasPointer<expr::RowCursor<P>>::value) {
    return expr::RowOf(plan, 0).Pointer(0) == at;
  } else if constexpr (expr::detail::IsMap<P>::value) {
    return plan.AnyOperand([at](const auto& operand) { return BeginsAt(at, operand); });
  } else {
    return false;
  }
}

/// Do rows of `cols` elements, from `row_zero` on and `stride` apart, gain by it? Long ones do that
/// begin where a line does: what is left of a line takes long to be written the ordinary way.
template <typename DType>
inline bool RowsStream(const DType* row_zero, std::ptrdiff_t stride, std::ptrdiff_t cols) {
  constexpr std::ptrdiff_t kSize = sizeof(DType), kMinBytes = 2048;
  return cols * kSize >= kMinBytes && stride * kSize % simd::kLineBytes == 0 &&
         simd::LineOffset(row_zero) == 0;
}

/// A BlockFunction of a CachedTask whose results are rows of `Dst`: in parts, which end where a
/// line or a row does.
template <typename DType, typename Dst>
void StreamBlock(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                 std::ptrdiff_t x1) {
  constexpr std::ptrdiff_t kSize = sizeof(DType);
  alignas(simd::kLineBytes) char buffer[kPartBytes];
  const CachedTask& statement = *static_cast<const CachedTask*>(task.src);
  const Dst& dst = *static_cast<const Dst*>(task.dst);
  Dst part_dst = dst;
  const DType* const dst_base = part_dst.Origin();
  MapTask part = *statement.task;
  part.dst = &part_dst;
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  struct Stretch {
    std::ptrdiff_t y, x, left;
  } stretches[kStretches];
  const int count = StretchesOf(statement.loops->operands);
  const std::ptrdiff_t cols = x1 - x0, size = (y1 - y0) * cols;
  for (int i = 0; i < count; ++i) {
    const std::ptrdiff_t first = size * i / count;
    stretches[i] = {y0 + first / cols, x0 + first % cols, size * (i + 1) / count - first};
  }
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < count; ++i) {
      Stretch& at = stretches[i];
      if (at.left == 0) continue;
      const std::ptrdiff_t y = at.y * task.join;
      auto row = expr::RowOf(dst, y);
      char* const to = reinterpret_cast<char*>(&row.REval(at.x));
      const std::ptrdiff_t behind = simd::LineOffset(to);
      std::ptrdiff_t n = (kPartBytes - behind) / kSize;
      if (n > at.left) n = at.left;
      if (n > x1 - at.x) n = x1 - at.x;
      char* const from = buffer + behind;
      part_dst.Origin() = reinterpret_cast<DType*>(address(dst_base) + address(from) - address(to));
      statement.loops->Block(part, at.y, at.y + 1, at.x, at.x + n);
      simd::Call<StreamKernel, const char*, char*, std::ptrdiff_t>(from, to, n * kSize);
      at.left -= n;
      at.x += n;
      if (at.x == x1) {
        at.x = x0;
        ++at.y;
      }
      more |= at.left != 0;
    }
  }
  simd::StreamFence();
}

/// What takes the place of the loops where no cache holds the result; null: nothing.
template <typename Saver, typename DType, typename Dst, typename Src>
BlockFunction StreamingBlock([[maybe_unused]] const Dst& dst, [[maybe_unused]] const Src& src,
                             [[maybe_unused]] std::ptrdiff_t rows,
                             [[maybe_unused]] std::ptrdiff_t cols,
                             [[maybe_unused]] std::ptrdiff_t join) {
  if constexpr (kStreams<Saver, DType, Dst, Src>) {
    auto row = expr::RowOf(dst, 0);
    const DType* const first = &row.REval(0);
    const bool streams = rows == 1 || (expr::kFactsOf<Src>.operands <= kPlaces &&
                                       RowsStream(first, join * dst.RowStride(), cols));
    if (streams && !BeginsAt(first, src) && expr::TileStep(src, dst) == 0) {
      return StreamBlock<DType, Dst>;
    }
  }
  return nullptr;
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_STREAMING_H_
