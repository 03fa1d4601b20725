// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_ONE_HOT_H_
#define MSHADOW_EXTENSION_ONE_HOT_H_

#include "../core/element_index.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename IndexExp, typename DType>
struct OneHotEncodeExp : public Exp<OneHotEncodeExp<IndexExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<IndexExp>::kDim == 1,
                "mshadow: one_hot_encode(index, num_choices) needs an index of one axis");
  static constexpr int kRank = 2;
  static constexpr int kDevices = ExpInfo<IndexExp>::kDevMask;
  IndexExp index_;
  index_t num_choices_;
  OneHotEncodeExp(const IndexExp& index, index_t num_choices)
      : index_(index), num_choices_(num_choices) {}
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: one_hot_encode gives a matrix");
    return Shape2(ShapeCheck<1, IndexExp>::Check(index_)[0], num_choices_);
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(index_, written, false);
  }
};

/// out[i][j] = j == index[i] ? 1 : 0, of type default_real_t; index (n) of any element type,
/// truncated -> (n, num_choices). A row whose index is out of range, or NaN, is 0.
template <typename IndexExp, typename IDType, int e1>
inline OneHotEncodeExp<IndexExp, default_real_t> one_hot_encode(
    const Exp<IndexExp, IDType, e1>& index, index_t num_choices) {
  return OneHotEncodeExp<IndexExp, default_real_t>(index.self(), num_choices);
}
MSHADOW_OWNS_TEMPORARIES_(one_hot_encode)

template <typename IndexExp, typename DType>
class Plan<OneHotEncodeExp<IndexExp, DType>, DType> {
 public:
  static constexpr int kCost = 1;
  explicit Plan(const OneHotEncodeExp<IndexExp, DType>& e) : index_(MakePlan(e.index_)) {}
  struct Cursor {
    std::ptrdiff_t column_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return static_cast<DType>(x == column_ ? 1.0f : 0.0f);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{detail::ToIndex(RowOf(index_, 0).Eval(y))};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Zeros, of as many rows at once as follow each other and stay in the first-level cache, and
  /// their ones after that.
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const auto index = RowOf(index_, 0);
    const std::ptrdiff_t n = end - x;
    const std::ptrdiff_t most = stride == n && n < kZeros ? kZeros / n : 1;
    while (y < end_y) {
      const std::ptrdiff_t rows = most < end_y - y ? most : end_y - y;
      for (std::ptrdiff_t i = 0; i < rows * n; ++i) to[i] = static_cast<DType>(0.0f);
      for (std::ptrdiff_t i = 0; i < rows; ++i) {
        const std::ptrdiff_t column = detail::ToIndex(index.Eval(y + i));
        if (x <= column && column < end) to[i * stride + column - x] = static_cast<DType>(1.0f);
      }
      to += rows * stride;
      y += rows;
    }
  }

 private:
  static constexpr std::ptrdiff_t kZeros = 4096;
  PlanOf<IndexExp> index_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_ONE_HOT_H_
