// SPDX-License-Identifier: Apache-2.0
// Evaluates plans on the host, row by row: rows joined where memory allows, threads above a grain.
// Statements of maps and views do not come here, see run.h.
#ifndef MSHADOW_BACKEND_CPU_EXECUTOR_H_
#define MSHADOW_BACKEND_CPU_EXECUTOR_H_

#include <type_traits>

#include "../../core/device.h"
#include "../../core/shape.h"
#include "../../expr/engine.h"
#include "../../expr/plan/plan.h"
#include "../../simd/isa.h"
#include "map_kernel.h"
#include "map_parts.h"
#include "run.h"
#include "share_map.h"
#include "threads.h"

MSHADOW_NAMESPACE_BEGIN

template <>
struct Executor<cpu> {
  /// dst(y, x) Saver= plan(y, x) over `shape`.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Map(const Dst& dst, const Src& src, const Shape<2>& shape,
                  [[maybe_unused]] Stream<cpu>* stream) {
    std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    if (rows == 0 || cols == 0) return;
    if constexpr (expr::detail::HasRunningSum<Src>::value && !std::is_same_v<Saver, sv::saveto>) {
      // Only what is written is there to be added to; one by one, each sum would be taken anew.
      mshadow::detail::Temporary<cpu, 2, DType> sums(shape, stream);
      const auto plan = expr::MakePlan(sums.tensor());
      Map<sv::saveto, DType>(plan, src, shape, stream);
      Map<Saver, DType>(dst, plan, shape, stream);
    } else {
      const expr::PlanLayout layout = expr::LayoutOf(cols, src, dst);
      const std::ptrdiff_t join = expr::JoinRows(&rows, &cols, layout.join);
      constexpr const detail::MapLoops& loops = kLoops<Saver, DType, Dst, Src>;
      const std::ptrdiff_t grain = detail::GrainOf(loops, layout.reads);
      const detail::MapTask task{&dst, &src, join};
      if (rows * cols >= 2 * grain) {
        return detail::ShareMap(kThreadTeam, loops, task, rows, cols, grain);
      }
      loops.Block(task, 0, rows, 0, cols);
    }
  }

  using Parts = detail::MapParts;
  /// Map over some parts of its elements at a time.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static Parts PartsOf(const Dst& dst, const Src& src, const Shape<2>& shape,
                       const expr::detail::RowParts& parts) {
    std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    const std::ptrdiff_t join =
        expr::JoinRows(&rows, &cols, expr::LayoutOf(cols, src, dst).join);
    return Parts(kLoops<Saver, DType, Dst, Src>, {&dst, &src, join}, rows, cols, parts);
  }
  /// dst(y, x) = src(y, x) for y in [y0, y1), x in [x0, x1), where `join` rows of the plans make
  /// one row of this grid.
  template <typename DType, typename Dst, typename Src>
  static void FillBlock(const Dst& dst, const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1,
                        std::ptrdiff_t x0, std::ptrdiff_t x1, std::ptrdiff_t join = 1) {
    kLoops<sv::saveto, DType, Dst, Src>.Block({&dst, &src, join}, y0, y1, x0, x1);
  }

  /// The threads that share a statement of `size` elements, of plans that read one for each.
  template <typename Dst, typename Src>
  static int ThreadsOf(std::ptrdiff_t size) {
    return ThreadsFor(size, kGrain<Dst, Src>);
  }

 private:
  template <typename Dst, typename Src>
  static constexpr std::ptrdiff_t kGrain =
      detail::kGrainCost / detail::GrainCostOf(1 + expr::kCostOf<Dst> + expr::kCostOf<Src>);

  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr const detail::BlockFunction* FormsOf() {
    using Rows = detail::RowsKernel<Saver, DType, Dst, Src>;
    if constexpr (Rows::kUsed) {
      return simd::kForms<Rows, detail::BlockFunction>;
    } else {
      return kBlock<Saver, DType, Dst, Src>;
    }
  }
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr detail::MapLoops kLoops{
      FormsOf<Saver, DType, Dst, Src>(), kGrain<Dst, Src>, sizeof(DType),
      detail::RowsKernel<Saver, DType, Dst, Src>::kUsed &&
          expr::kCostOf<Src> < detail::kExpensiveCost};

  /// What is more than rows of elements.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Block(const detail::MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                    std::ptrdiff_t x0, std::ptrdiff_t x1) {
    using Kernel = detail::MapKernel<Saver, DType, Dst, Src>;
    simd::Dispatch(Kernel{*static_cast<const Dst*>(task.dst), *static_cast<const Src*>(task.src),
                          y0, y1, x0, x1, task.join});
  }
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr detail::BlockFunction kBlock[] = {
      Block<Saver, DType, Dst, Src>, Block<Saver, DType, Dst, Src>, Block<Saver, DType, Dst, Src>};
};

namespace expr {
namespace detail {
template <typename P, typename DType>
void FillBox(const void* plan, char* to, std::ptrdiff_t pitch, std::ptrdiff_t y,
             std::ptrdiff_t rows, std::ptrdiff_t x, std::ptrdiff_t cols) {
  constexpr std::ptrdiff_t kSize = sizeof(DType);
  const BlockPlan<DType> box{reinterpret_cast<DType*>(to), pitch / kSize, y, x, FastDivmod(1)};
  Executor<cpu>::FillBlock<DType>(box, *static_cast<const P*>(plan), y, y + rows, x, x + cols);
}
}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_EXECUTOR_H_
