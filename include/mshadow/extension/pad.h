// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_PAD_H_
#define MSHADOW_EXTENSION_PAD_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/blocks.h"
#include "../expr/plan/cursors.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct PaddingExp : public MakeTensorExp<PaddingExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: pad needs an expression of two axes or more");
  SrcExp src_;
  index_t pad_y_, pad_x_;
  index_t src_height_, src_width_;
  DType value_;
  PaddingExp(const SrcExp& src, index_t pad_y, index_t pad_x, DType value)
      : src_(src), pad_y_(pad_y), pad_x_(pad_x), value_(value) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_height_ = this->shape_[srcdim - 2];
    src_width_ = this->shape_[srcdim - 1];
    const long long most = 0x7fffffff;
    detail::CheckArgument("pad", "pad_y", pad_y, 0, (most - src_height_) / 2,
                          ", what an extent may grow by");
    detail::CheckArgument("pad", "pad_x", pad_x, 0, (most - src_width_) / 2,
                          ", what an extent may grow by");
    this->shape_[srcdim - 2] += 2 * pad_y;
    this->shape_[srcdim - 1] += 2 * pad_x;
  }
};

/// out[..][y][x] = src[..][y - pad_y][x - pad_x], `value` where that lies outside of src;
/// src (.., H, W) -> (.., H + 2 pad_y, W + 2 pad_x).
template <typename SrcExp, typename DType, int etype>
inline PaddingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> pad(const Exp<SrcExp, DType, etype>& src,
                                                            index_t pad_y, index_t pad_x,
                                                            std::common_type_t<DType> value =
                                                                DType(0.0f)) {
  return PaddingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), pad_y, pad_x, value);
}
/// The same on all four sides.
template <typename SrcExp, typename DType, int etype>
inline PaddingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> pad(const Exp<SrcExp, DType, etype>& src,
                                                            index_t pad) {
  return PaddingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), pad, pad,
                                                          detail::ExactScalar<DType>(0.0f));
}
MSHADOW_OWNS_TEMPORARIES_(pad)

template <typename SrcExp, typename DType, int srcdim>
class Plan<PaddingExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;
  using Shifted = ShiftCursor<RowCursor<Src>>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const PaddingExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        src_height_(static_cast<std::ptrdiff_t>(e.src_height_)),
        src_width_(static_cast<std::ptrdiff_t>(e.src_width_)),
        pad_y_(static_cast<std::ptrdiff_t>(e.pad_y_)),
        pad_x_(static_cast<std::ptrdiff_t>(e.pad_x_)),
        value_(e.value_) {
    // Border rows name a row of the source, whose cursor may read it.
    if constexpr (!detail::HasPointer<RowCursor<Src>>::value) {
      MSHADOW_CHECK(e.src_height_ > 0 && e.src_width_ > 0) << "pad: the source has no pixel";
    }
  }

  /// Border, a row of the source, border.
  struct Cursor {
    Shifted row_;
    DType value_;
    std::ptrdiff_t begin_, end_;  // of the row of the source; equal in rows above and below it
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return begin_ <= x && x < end_ ? static_cast<DType>(row_.Eval(x)) : value_;
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult image = DivMod(y, height_);
    const std::ptrdiff_t row = image.rem - pad_y_;
    const bool inside = 0 <= row && row < src_height_;
    return Cursor{Shifted{RowOf(src_, inside ? image.quot * src_height_ + row : 0), -pad_x_},
                  value_, pad_x_, inside ? pad_x_ + src_width_ : pad_x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const std::ptrdiff_t right = pad_x_ + src_width_;
    const std::ptrdiff_t first = pad_x_ < x ? x : pad_x_ < end ? pad_x_ : end;
    const std::ptrdiff_t last = right < first ? first : right < end ? right : end;
    for (std::ptrdiff_t n; y < end_y; y += n) {
      const DivModResult image = DivMod(y, height_);
      const std::ptrdiff_t row = image.rem - pad_y_;
      const bool inside = 0 <= row && row < src_height_;
      n = inside ? src_height_ - row : row < 0 ? -row : height_ - image.rem;
      if (n > end_y - y) n = end_y - y;
      if (inside && first < last) {
        const std::ptrdiff_t from = image.quot * src_height_ + row;
        FillBlock(src_, to + (first - x), stride, from, from + n, first - pad_x_, last - pad_x_);
      }
      for (std::ptrdiff_t i = 0; i < n; ++i, to += stride) {
        for (std::ptrdiff_t begin = x, stop = inside ? first : end;; begin = last, stop = end) {
          detail::FillShortRow(value_, stop - begin, to + (begin - x));
          if (stop == end) break;
        }
      }
    }
  }

 private:
  Src src_;
  FastDivmod height_;
  std::ptrdiff_t src_height_, src_width_, pad_y_, pad_x_;
  DType value_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_PAD_H_
