// SPDX-License-Identifier: Apache-2.0
// Windows along one axis: the cells of a window, and the windows of a cell.
#ifndef MSHADOW_WINDOW_AXIS_H_
#define MSHADOW_WINDOW_AXIS_H_

#include <cstddef>

#include "../core/config.h"
#include "../core/fast_divmod.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The windows along one axis: window i has the cells [i stride - pad, i stride - pad + ksize) of
/// `size`, as far as they are there.
struct WindowAxis {
  std::ptrdiff_t size, ksize, stride, pad;
  std::ptrdiff_t reads;  ///< cells that a window has and the one before has not
  bool all_whole;        ///< do all windows have all their cells?
  bool few;              ///< few and long ones, as of a global pooling: each is reduced by itself
  MSHADOW_XINLINE std::ptrdiff_t Begin(std::ptrdiff_t i) const {
    const std::ptrdiff_t first = i * stride - pad;
    return first < 0 ? 0 : first < size ? first : size;
  }
  MSHADOW_XINLINE std::ptrdiff_t End(std::ptrdiff_t i) const {
    const std::ptrdiff_t last = i * stride - pad + ksize;
    return last < 0 ? 0 : last < size ? last : size;
  }
  /// The first window that does not begin before the cells.
  MSHADOW_XINLINE std::ptrdiff_t FirstWhole() const { return FloorDiv(pad + stride - 1, stride); }
  /// How many windows of [i, end), from i on, have all their cells.
  MSHADOW_XINLINE std::ptrdiff_t Whole(std::ptrdiff_t i, std::ptrdiff_t end) const {
    const std::ptrdiff_t room = size - ksize + pad;
    if (i * stride < pad || i * stride > room) return 0;
    const std::ptrdiff_t behind = FloorDiv(room, stride) + 1;
    return (behind < end ? behind : end) - i;
  }
};
/// The first `windows` windows along an axis.
inline WindowAxis MakeWindowAxis(index_t size, index_t ksize, index_t stride, index_t pad,
                                 index_t windows) {
  const index_t next = windows == 1 || ksize < stride ? ksize : stride;
  WindowAxis axis{static_cast<std::ptrdiff_t>(size),
                  static_cast<std::ptrdiff_t>(ksize),
                  static_cast<std::ptrdiff_t>(stride),
                  static_cast<std::ptrdiff_t>(pad),
                  static_cast<std::ptrdiff_t>(next < size ? next : size),
                  false,
                  false};
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(windows) - 1;
  axis.all_whole = last < 0 || (axis.pad == 0 && last * axis.stride + axis.ksize <= axis.size);
  // (Found of the whole row: how it is cut changes no result.)
  axis.few = axis.size + 2 * axis.pad - axis.ksize < 3 * axis.stride &&
             (axis.ksize >= 8 || axis.ksize == axis.size);
  return axis;
}

/// The windows of one axis that cover a cell: window i covers `ksize` from i stride - pad on.
struct CoveringWindows {
  std::ptrdiff_t windows, ksize;
  FastDivmod stride;
  std::ptrdiff_t pad;
  /// The windows [begin, end) that cover a cell.
  struct Windows {
    std::ptrdiff_t begin, end;
    MSHADOW_XINLINE std::ptrdiff_t Count() const { return end - begin; }
  };
  MSHADOW_XINLINE Windows Of(std::ptrdiff_t cell) const {
    cell += pad;
    const DivModResult at =
        DivMod(cell, stride);  // the last window that begins at the cell or before
    std::ptrdiff_t first = at.quot + (at.rem < ksize ? 0 : 1);
    if (ksize > stride) first = cell < ksize ? 0 : FloorDiv(cell - ksize, stride) + 1;
    const std::ptrdiff_t behind = at.quot + 1;
    return Windows{first < windows ? first : windows, behind < windows ? behind : windows};
  }
};
inline CoveringWindows MakeCoverAxis(index_t windows, index_t ksize, index_t stride,
                                     index_t pad = 0) {
  return CoveringWindows{static_cast<std::ptrdiff_t>(windows), static_cast<std::ptrdiff_t>(ksize),
                         FastDivmod(static_cast<std::ptrdiff_t>(stride)),
                         static_cast<std::ptrdiff_t>(pad)};
}

/// `axis` as seen from cell `begin` on, for the windows that cover the cells up to `end`; these are
/// counted from *first on.
MSHADOW_XINLINE CoveringWindows PartOf(const CoveringWindows& axis, std::ptrdiff_t begin,
                                       std::ptrdiff_t end, std::ptrdiff_t* first) {
  std::ptrdiff_t window = axis.Of(begin).begin;
  if (window * axis.stride > begin + axis.pad) --window;  // the cell lies between two
  const std::ptrdiff_t windows = axis.Of(end - 1).end - window;
  *first = window;
  return CoveringWindows{windows > 0 ? windows : 0, axis.ksize, axis.stride,
                         axis.pad + begin - window * axis.stride};
}
/// At most so many windows has a PartOf so many cells, 1 or more.
MSHADOW_XINLINE std::ptrdiff_t MostWindows(const CoveringWindows& axis, std::ptrdiff_t cells) {
  const std::ptrdiff_t longer = axis.ksize > axis.stride ? axis.ksize : axis.stride;
  const std::ptrdiff_t most = FloorDiv(cells + longer - 2, axis.stride) + 1;
  return most < axis.windows ? most : axis.windows;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_AXIS_H_
