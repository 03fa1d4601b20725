// SPDX-License-Identifier: Apache-2.0
// RunTasks: parts of a reduction, on threads where they pay.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_TASKS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_TASKS_H_

#include <cstddef>

#include "../share_map.h"
#include "../threads.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

inline std::ptrdiff_t DivideUp(std::ptrdiff_t a, std::ptrdiff_t b) { return (a + b - 1) / b; }
MSHADOW_XINLINE std::ptrdiff_t Smaller(std::ptrdiff_t a, std::ptrdiff_t b) { return a < b ? a : b; }
MSHADOW_XINLINE std::ptrdiff_t Larger(std::ptrdiff_t a, std::ptrdiff_t b) { return a > b ? a : b; }

/// Calls run(task) for tasks [0, tasks) of `elements` each, on threads if it is worth it.
template <typename F>
inline void RunTasks(const ThreadTeam& team, std::ptrdiff_t tasks, std::ptrdiff_t elements,
                     int cost, const F& run) {
  const std::ptrdiff_t work = elements * GrainCostOf(cost) + 1;
  if (tasks * work < 2 * kGrainCost) {
    for (std::ptrdiff_t task = 0; task < tasks; ++task) run(task);
  } else {
    team.ParallelRanges(tasks, 1 + kGrainCost / work,
                        [&run](std::ptrdiff_t begin, std::ptrdiff_t end) {
                          for (std::ptrdiff_t task = begin; task < end; ++task) run(task);
                        });
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_TASKS_H_
