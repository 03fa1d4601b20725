// SPDX-License-Identifier: Apache-2.0
// RowMap: which row of the source a row of the result is, where axes are cut or change places.
#ifndef MSHADOW_EXPR_PLAN_ROW_MAP_H_
#define MSHADOW_EXPR_PLAN_ROW_MAP_H_

#include "../../core/fast_divmod.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Row y of a result whose rows have the indices (i0, i1, ..), at most `most` of them, is row
/// offset + i0 * stride0 + i1 * stride1 + .. of the source. Axes that can be counted as one are
/// joined, so that a row costs no more divisions than it must.
template <int most>
class RowMap {
 public:
  MSHADOW_XINLINE explicit RowMap(std::ptrdiff_t offset = 0) : offset_(offset), last_(0) {
    stride_[0] = 1;
  }
  /// Adds an axis after those that are there: `extent` rows of the result, `stride` rows of the
  /// source apart.
  void Append(std::ptrdiff_t extent, std::ptrdiff_t stride) {
    if (extent == 1) return;
    const std::ptrdiff_t last = LastExtent();
    if (last == 1) {
      outer_ = extent;
      stride_[0] = stride;
      return;
    }
    if (EvenStride() == extent * stride) {
      extent *= last;
    } else if (last_ + 1 < most) {
      ++last_;
    } else {
      return;
    }
    if (most == 1 || last_ == 0) {
      stride_[0] = stride;
      outer_ = extent;
    } else {
      stride_[last_] = stride;
      extent_[last_] = FastDivmod(extent);
      carry_[last_] = stride_[last_ - 1] - extent * stride;
    }
  }

  MSHADOW_XINLINE std::ptrdiff_t operator()(std::ptrdiff_t y) const {
    std::ptrdiff_t row = offset_ + y * EvenStride();
    if constexpr (most == 2) {
      if (last_ > 0) row += FloorDiv(y, extent_[1]) * carry_[1];
    } else if constexpr (most > 2) {
      for (int i = last_; i > 0; --i) {
        y = FloorDiv(y, extent_[i]);
        row += y * carry_[i];
      }
    }
    return row;
  }

  /// So many rows of the result from y on are EvenStride() rows of the source apart.
  MSHADOW_XINLINE std::ptrdiff_t EvenRows(std::ptrdiff_t y) const {
    if constexpr (most > 1) {
      // (An index that is known keeps a copy of the map in registers.)
      const FastDivmod& extent = extent_[most == 2 ? 1 : last_];
      if (last_ > 0) return extent - (y - FloorDiv(y, extent) * extent);
    }
    return kAllRows;
  }
  MSHADOW_XINLINE std::ptrdiff_t EvenStride() const { return stride_[most == 1 ? 0 : last_]; }
  /// So many rows, from a multiple of it on, are one row of the source; 0: all are.
  MSHADOW_XINLINE std::ptrdiff_t EqualRows() const {
    if (EvenStride() != 0) return 1;
    return IsEven() ? 0 : LastExtent();
  }
  /// Are all rows the same distance apart?
  MSHADOW_XINLINE bool IsEven() const { return most == 1 || last_ == 0; }
  /// The layout of a result that takes whole rows, where that of the source is `src`.
  MSHADOW_XINLINE PlanLayout Layout(const PlanLayout& src) const {
    PlanLayout layout = src.Joined(Joined(src.join));
    layout.tile_step = Step(src.tile_step);
    return layout;
  }
  /// So many rows of the result make `step` rows of the source; 0: no number does.
  MSHADOW_XINLINE std::ptrdiff_t Step(std::ptrdiff_t step) const {
    std::ptrdiff_t inner = 1;
    for (int i = last_; step > 0 && i >= 0; --i) {
      const std::ptrdiff_t stride = stride_[i] < 0 ? -stride_[i] : stride_[i];
      const std::ptrdiff_t extent = i == 0 ? kAllRows : std::ptrdiff_t{extent_[i]};
      if (stride > 0 && step % stride == 0 && step / stride < extent) return step / stride * inner;
      inner *= extent;
    }
    return 0;
  }

 private:
  /// So many rows of the result can be joined, where `src_rows` of the source can be.
  MSHADOW_XINLINE std::ptrdiff_t Joined(std::ptrdiff_t src_rows) const {
    if (EvenStride() != 1) return 1;
    if (src_rows == 0) return IsEven() ? 0 : LastExtent();
    std::ptrdiff_t rows = Gcd(offset_, src_rows);
    for (int i = 0; i < last_; ++i) rows = Gcd(stride_[i] < 0 ? -stride_[i] : stride_[i], rows);
    return IsEven() ? rows : Gcd(LastExtent(), rows);
  }
  MSHADOW_XINLINE std::ptrdiff_t LastExtent() const {
    if constexpr (most > 1) {
      if (last_ != 0) return extent_[last_];
    }
    return outer_;
  }

  std::ptrdiff_t offset_;
  int last_;  // axis
  std::ptrdiff_t outer_ = 1;  // the extent of axis 0, by which nothing is divided
  FastDivmod extent_[most];   // of the others
  std::ptrdiff_t stride_[most];
  std::ptrdiff_t carry_[most];  // what stride_[i - 1] adds when axis i starts anew
};

/// All rows where they are.
template <>
class RowMap<0> {
 public:
  MSHADOW_XINLINE std::ptrdiff_t operator()(std::ptrdiff_t y) const { return y; }
  MSHADOW_XINLINE std::ptrdiff_t EvenRows(std::ptrdiff_t) const { return kAllRows; }
  MSHADOW_XINLINE std::ptrdiff_t EvenStride() const { return 1; }
  MSHADOW_XINLINE PlanLayout Layout(const PlanLayout& src) const { return src; }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_ROW_MAP_H_
