// SPDX-License-Identifier: Apache-2.0
// RowMap: which row of the source a row of the result is, where axes are cut or change places.
#ifndef MSHADOW_EXPR_ROW_MAP_H_
#define MSHADOW_EXPR_ROW_MAP_H_

#include "../core/fast_divmod.h"
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
  /// Adds an axis behind those that are there: `extent` rows of the result, `stride` rows of the
  /// source apart.
  void Append(std::ptrdiff_t extent, std::ptrdiff_t stride) {
    if (extent == 1) return;
    if (extent_[last_] == 1) {
      extent_[last_] = FastDivmod(extent);
      stride_[last_] = stride;
    } else if (stride_[last_] == extent * stride) {
      extent_[last_] = FastDivmod(extent_[last_] * extent);
      stride_[last_] = stride;
    } else if (last_ + 1 < most) {
      ++last_;
      extent_[last_] = FastDivmod(extent);
      stride_[last_] = stride;
    }
    if (last_ > 0) carry_[last_] = stride_[last_ - 1] - extent_[last_] * stride_[last_];
  }

  MSHADOW_XINLINE std::ptrdiff_t operator()(std::ptrdiff_t y) const {
    std::ptrdiff_t row = offset_ + y * stride_[last_];
    if constexpr (most > 1) {
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
      const FastDivmod& extent = extent_[last_];
      if (last_ > 0) return extent - (y - FloorDiv(y, extent) * extent);
    }
    return kAll;
  }
  MSHADOW_XINLINE std::ptrdiff_t EvenStride() const { return stride_[last_]; }
  /// Are all rows the same distance apart?
  bool IsEven() const { return last_ == 0; }
  /// The layout of a result that takes whole rows, where that of the source is `src`.
  MSHADOW_XINLINE PlanLayout Layout(const PlanLayout& src) const {
    return src.Joined(Joined(src.join));
  }

 private:
  /// So many rows of the result can be joined, where `src_rows` of the source can be.
  MSHADOW_XINLINE std::ptrdiff_t Joined(std::ptrdiff_t src_rows) const {
    if (stride_[last_] != 1) return 1;
    if (src_rows == 0) return last_ == 0 ? 0 : extent_[last_];
    std::ptrdiff_t rows = Gcd(offset_, src_rows);
    for (int i = 0; i < last_; ++i) rows = Gcd(stride_[i], rows);
    return last_ == 0 ? rows : Gcd(extent_[last_], rows);
  }

  static constexpr std::ptrdiff_t kAll = std::ptrdiff_t{1} << (8 * sizeof(std::ptrdiff_t) - 2);
  std::ptrdiff_t offset_;
  int last_;  // axis
  FastDivmod extent_[most];
  std::ptrdiff_t stride_[most];
  std::ptrdiff_t carry_[most];  // what stride_[i - 1] adds when axis i starts anew
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_ROW_MAP_H_
