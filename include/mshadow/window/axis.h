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
                  false};
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(windows) - 1;
  axis.all_whole = last < 0 || (axis.pad == 0 && last * axis.stride + axis.ksize <= axis.size);
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

/// The pairs of cells 2 u and 2 u + 1 of a row that are in windows: in window u, and of windows of
/// 3 the first of them in window u - 1 too; of the first and the last pair one of these may not be
/// there. (Cells are counted from the begin of window 0, which may lie before the image.)
struct CellPairs {
  std::ptrdiff_t begin, end;  ///< of u
  MSHADOW_XINLINE static CellPairs Of(const CoveringWindows& axis, std::ptrdiff_t x,
                                      std::ptrdiff_t end) {
    const std::ptrdiff_t behind = (end + axis.pad) / 2;
    return CellPairs{(x + axis.pad + 1) / 2, behind < Most(axis) ? behind : Most(axis)};
  }
  /// Behind the last pair that is in a window.
  MSHADOW_XINLINE static std::ptrdiff_t Most(const CoveringWindows& axis) {
    return axis.ksize == 3 ? axis.windows + 1 : axis.windows;
  }
  MSHADOW_XINLINE std::ptrdiff_t Count() const { return end - begin; }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_AXIS_H_
