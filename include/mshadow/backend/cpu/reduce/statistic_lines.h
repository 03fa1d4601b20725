// SPDX-License-Identifier: Apache-2.0
// The lines of a reduction: as much of the inner group of axes as lies in one row.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_LINES_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_LINES_H_

#include <cstddef>

#include "../../../expr/axis_groups.h"
#include "../../../expr/facts.h"
#include "statistic_blocks.h"
#include "statistic_groups.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Blocks of lines; result r is that of the columns [r * width, (r + 1) * width).
template <typename Kind>
class StatisticLines : protected StatisticBlocks<Kind> {
  using Base = StatisticBlocks<Kind>;

 protected:
  using typename Base::Out, typename Base::Room;
  using Base::source_, Base::results_, Base::kMaxTotals;

  StatisticLines(const StatisticSource<Kind>& source, const expr::AxisGroups& groups,
                 const StatisticSink<Out>& sink, std::ptrdiff_t width)
      : Base(source, sink, groups.Results() / width, groups.Reduced() * width),
        groups_(groups),
        width_(width) {
    const std::ptrdiff_t cols = groups.cols;
    const std::ptrdiff_t count = groups.inner == cols ? 1 : groups.inner / cols;
    join_ = count > 1 ? expr::Gcd(source.join, count) : 1;
    line_ = cols * join_;
    lines_ = count / join_;
  }

  /// So many lines that lie apart are worth gathering.
  static constexpr std::ptrdiff_t kApart = 16;

  /// A block of `count` lines, n elements each from column x on.
  StatisticRegion RegionOf(std::ptrdiff_t line, std::ptrdiff_t count, std::ptrdiff_t x,
                           std::ptrdiff_t n) const {
    const bool flat = source_.join == 0 && lines_ == 1 && n == line_;
    return {line * join_, lines_ * join_, count, x, n, flat ? line * line_ : -1, 0};
  }

  /// True if lines of the inner group lie apart, and are so short that they are groups.
  bool AreBesideEachOther() const {
    // Longer ones take as long line by line.
    const bool is_fast = source_.in_memory && !Kind::kTwoPasses;
    const bool fits = groups_.middle <= (is_fast ? 64 : 16);
    static_assert(StatisticGroupsKernel<Kind>::kMaxShort >= 16, "of two passes in a buffer");
    return fits && width_ == 1 && lines_ >= kApart && line_ <= kMaxBeside &&
           line_ * kApart <= source_.groups;
  }
  /// Reduces such lines, many of them side by side.
  void SideBySide(std::ptrdiff_t outer) const {
    const std::ptrdiff_t middle = groups_.middle;
    std::ptrdiff_t most = Larger(kApart, source_.groups / (line_ * middle));  // at a time
    most = Smaller(Smaller(most, kMaxTotals / line_), lines_);
    const std::ptrdiff_t batches = DivideUp(lines_, most);
    const std::ptrdiff_t high = Smaller(source_.reduced, source_.groups / (line_ * most));
    this->Split(outer * batches, groups_.OuterReduced() * middle, line_ * most,
                Kind::kTwoPasses ? 256 : 1,
          [&](std::ptrdiff_t task, std::ptrdiff_t first, std::ptrdiff_t last, Room* room) {
            const std::ptrdiff_t o = task / batches, begin = (task - o * batches) * most;
            const std::ptrdiff_t count = Smaller(most, lines_ - begin);
            const std::ptrdiff_t line = groups_.OuterKept(o, lines_) + begin;
            room->count = count * line_;
            room->result = (o * lines_ + begin) * line_;
            for (std::ptrdiff_t row = first, n = 0; row < last; row += n) {
              const std::ptrdiff_t q = row / middle, r = row - q * middle;
              n = Smaller(Smaller(middle - r, last - row), high);
              const std::ptrdiff_t at = line + groups_.OuterReducedAt(q, lines_) + r * lines_;
              StatisticRegion region = RegionOf(at, n * count, 0, line_);
              region.next = region.step;
              region.step = join_;
              region.group = -count;
              this->Load(region, room);
              this->Put(room->count, n, n, row, room);
            }
          });
  }

  const expr::AxisGroups& groups_;
  std::ptrdiff_t width_, join_, line_, lines_;

 private:
  /// Lines of at most so many elements are reduced side by side: 64 bytes of lanes.
  static constexpr std::ptrdiff_t kMaxBeside =
      64 / static_cast<std::ptrdiff_t>(sizeof(typename Base::Acc));
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_LINES_H_
