// SPDX-License-Identifier: Apache-2.0
// MapParts: a statement over some parts of its elements at a time.
#ifndef MSHADOW_BACKEND_CPU_MAP_PARTS_H_
#define MSHADOW_BACKEND_CPU_MAP_PARTS_H_

#include <cstddef>

#include "../../expr/operand_memory.h"
#include "../../expr/plan/facts.h"
#include "map_kernel.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The loops of a statement over parts of its elements: whole rows, or neighbours where all rows
/// are one. By the thread that calls.
class MapParts {
 public:
  /// The grid has `rows` rows of `cols` elements. Each is task.join rows of the plans.
  MapParts(const MapLoops& loops, const MapTask& task, std::ptrdiff_t rows, std::ptrdiff_t cols,
           const expr::detail::RowParts& parts)
      : loops_(loops), task_(task), flat_(rows == 1), cols_(cols), outer_(parts.outer) {
    const std::ptrdiff_t pieces = parts.count * parts.outer;
    const std::ptrdiff_t all = flat_ ? cols : rows * task.join;
    units_ = pieces > 0 && all % pieces == 0 ? all / pieces : 0;
    if (!flat_) {
      task_.join = expr::Gcd(task.join, units_);
      cols_ = cols / task.join * task_.join;
      units_ /= task_.join;
    }
    stride_ = parts.count * units_;
  }
  /// False if no part is of whole rows.
  bool ok() const { return units_ > 0; }
  void Run(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t i = 0, at = 0; i < outer_; ++i, at += stride_) {
      const std::ptrdiff_t first = at + begin * units_, last = at + end * units_;
      if (flat_) {
        loops_.Block(task_, 0, 1, first, last);
      } else {
        loops_.Block(task_, first, last, 0, cols_);
      }
    }
  }

 private:
  const MapLoops& loops_;
  MapTask task_;
  bool flat_;
  std::ptrdiff_t units_, cols_;  // of a piece
  std::ptrdiff_t outer_, stride_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_MAP_PARTS_H_
