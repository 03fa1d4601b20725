// SPDX-License-Identifier: Apache-2.0
// AxisGroups: the axes of a reduction, where neighbours of one kind, reduced or kept, are one.
#ifndef MSHADOW_CORE_AXIS_GROUPS_H_
#define MSHADOW_CORE_AXIS_GROUPS_H_

#include <cstddef>

#include "shape.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Groups of neighbouring axes that are reduced, or are kept, in turn: from the right `inner`,
/// `middle`, and all others. A line holds the elements of the inner group, or as many of them as
/// lie in one row of a plan. Extents are 1 where there is no such group.
struct AxisGroups {
  static constexpr int kMax = 16;
  std::ptrdiff_t cols = 1;   // the extent of the last axis
  std::ptrdiff_t inner = 1, middle = 1;
  bool rows = true;          // the inner group is reduced
  /// The other groups, from the right; those with an even number are of the kind of `inner`.
  int count = 0;
  std::ptrdiff_t extent[kMax];

  /// The product of the extents of all kept, or of all reduced axes.
  MSHADOW_HOST_DEVICE std::ptrdiff_t Results() const {
    return (rows ? middle : inner) * Product(rows ? 1 : 0);
  }
  MSHADOW_HOST_DEVICE std::ptrdiff_t Reduced() const {
    return (rows ? inner : middle) * Product(rows ? 0 : 1);
  }
  std::ptrdiff_t Elements() const {
    std::ptrdiff_t product = inner * middle;
    for (int g = 0; g < count; ++g) product *= extent[g];
    return product;
  }
  /// Leaves out an inner group of extent 1, where all elements lie in one row.
  void DropInner() {
    if (inner != 1) return;
    inner = cols = middle;
    middle = count > 0 ? extent[0] : 1;
    for (int g = 1; g < count; ++g) extent[g - 1] = extent[g];
    if (count > 0) --count;
    rows = !rows;
  }
  MSHADOW_XINLINE std::ptrdiff_t OuterReduced() const { return Product(rows ? 0 : 1); }

  /// The first line of index `i` of all outer groups that are kept, where the inner group has
  /// `lines`; and the same of those that are reduced.
  MSHADOW_HOST_DEVICE std::ptrdiff_t OuterKept(std::ptrdiff_t i, std::ptrdiff_t lines) const {
    return Line(i, lines, rows ? 1 : 0);
  }
  MSHADOW_HOST_DEVICE std::ptrdiff_t OuterReducedAt(std::ptrdiff_t i, std::ptrdiff_t lines) const {
    return Line(i, lines, rows ? 0 : 1);
  }

 private:
  MSHADOW_XINLINE std::ptrdiff_t Product(int first) const {
    std::ptrdiff_t product = 1;
    for (int g = first; g < count; g += 2) product *= extent[g];
    return product;
  }
  MSHADOW_HOST_DEVICE std::ptrdiff_t Line(std::ptrdiff_t i, std::ptrdiff_t lines, int first) const {
    std::ptrdiff_t line = 0, step = lines * middle;
    for (int g = 0; g < count; step *= extent[g], ++g) {
      if (g % 2 != first) continue;
      const std::ptrdiff_t rest = i / extent[g];
      line += (i - rest * extent[g]) * step;
      i = rest;
    }
    return line;
  }
};

/// The groups of a shape whose axes i with bit i in `reduced` are reduced.
MSHADOW_NOINLINE inline AxisGroups AxisGroupsOf(const std::ptrdiff_t* shape, int dim,
                                                unsigned reduced) {
  AxisGroups groups;
  groups.cols = shape[dim - 1];
  groups.rows = (reduced >> (dim - 1) & 1) != 0;
  int group = 0;  // 0: inner, 1: middle
  bool kind = groups.rows;
  for (int axis = dim - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;  // of either kind
    if (((reduced >> axis & 1) != 0) != kind) {
      kind = !kind;
      ++group;
      if (group > 1) groups.extent[groups.count++] = 1;
    }
    std::ptrdiff_t& extent =
        group == 0 ? groups.inner : group == 1 ? groups.middle : groups.extent[groups.count - 1];
    extent *= shape[axis];
  }
  return groups;
}
template <int dim>
inline AxisGroups AxisGroupsOf(const Shape<dim>& shape, unsigned reduced) {
  std::ptrdiff_t extents[dim];
  for (int i = 0; i < dim; ++i) extents[i] = static_cast<std::ptrdiff_t>(shape[i]);
  return AxisGroupsOf(extents, dim, reduced);
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_AXIS_GROUPS_H_
