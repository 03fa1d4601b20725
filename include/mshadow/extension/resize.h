// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_RESIZE_H_
#define MSHADOW_EXTENSION_RESIZE_H_

#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/quotient.h"

namespace mshadow {
namespace expr {

namespace resize_pad {
/// What lies around the image: a constant, or the pixel at the edge.
enum PadMode { kConstant, kEdge };
}  // namespace resize_pad

template <typename SrcExp, typename DType, int srcdim>
struct ResizeExp : public MakeTensorExp<ResizeExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: resize needs an expression of two axes or more");
  SrcExp src_;
  index_t src_height_, src_width_;
  int pad_mode_;
  DType pad_value_;
  ResizeExp(const SrcExp& src, index_t out_height, index_t out_width, int pad_mode, DType pad_value)
      : src_(src), pad_mode_(pad_mode), pad_value_(pad_value) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_height_ = this->shape_[srcdim - 2];
    src_width_ = this->shape_[srcdim - 1];
    detail::CheckPositive("resize", "out_height", out_height);
    detail::CheckPositive("resize", "out_width", out_width);
    CHECK(src_height_ > 0 && src_width_ > 0)
        << "resize: the source " << this->shape_ << " has no pixel";
    detail::CheckArgument("resize", "the source's width", src_width_, 1, 0x7fffffff, "");
    CHECK(pad_mode == resize_pad::kConstant || pad_mode == resize_pad::kEdge)
        << "resize: pad_mode = " << pad_mode << " is neither kConstant (0) nor kEdge (1)";
    this->shape_[srcdim - 2] = out_height;
    this->shape_[srcdim - 1] = out_width;
  }
};

/// out[..][y][x] = src at the point (sy, sx), linear between its four pixels, where
/// sy = (H / out_height - 1) / 2 + y H / out_height, likewise sx: the grids of both images have the
/// same outline, and pixels are their cells' centres. Outside of the image lies the edge pixel, or
/// pad_value. src (.., H, W) -> (.., out_height, out_width); integers are rounded towards 0.
/// Throws Error where an image has no pixel.
template <typename SrcExp, typename DType, int etype>
inline ResizeExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> resize(
    const Exp<SrcExp, DType, etype>& src, index_t out_height, index_t out_width,
    int pad_mode = resize_pad::kEdge, DType pad_value = DType(0)) {
  return ResizeExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), out_height, out_width,
                                                         pad_mode, pad_value);
}

template <typename SrcExp, typename DType, int srcdim>
class Plan<ResizeExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;
  // float holds the pixels of these types exactly.
  using Real = std::conditional_t<(sizeof(DType) <= 2 || std::is_same_v<DType, float>), float,
                                  double>;

  /// A coordinate of the result in one of the source: pixels index and index + 1, the latter with
  /// the weight `part`.
  struct Axis {
    Real start, step;
    std::ptrdiff_t last;
    Axis(index_t src, index_t out)
        : start((static_cast<Real>(src) / static_cast<Real>(out) - 1) / 2),
          step(static_cast<Real>(src) / static_cast<Real>(out)),
          last(static_cast<std::ptrdiff_t>(src) - 1) {}
    MSHADOW_XINLINE Real At(std::ptrdiff_t i) const { return start + static_cast<Real>(i) * step; }
  };

 public:
  static constexpr int kCost = 32 + 4 * kCostOf<Src>;
  explicit Plan(const ResizeExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(e.src_height_, e.shape_[srcdim - 2]),
        x_(e.src_width_, e.shape_[srcdim - 1]),
        edge_(e.pad_mode_ == resize_pad::kEdge),
        pad_(static_cast<Real>(e.pad_value_)) {}

  struct EdgeCursor {
    RowCursor<Src> top_, bottom_;
    Real part_y_;
    Axis x_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      Real at = x_.At(x);
      const Real last = static_cast<Real>(x_.last);
      at = at > Real(0) ? at : Real(0);
      at = at < last ? at : last;
      const std::ptrdiff_t left = static_cast<int32_t>(at);
      const std::ptrdiff_t right = left < x_.last ? left + 1 : left;
      return Blend(static_cast<Real>(top_.Eval(left)), static_cast<Real>(top_.Eval(right)),
                   static_cast<Real>(bottom_.Eval(left)), static_cast<Real>(bottom_.Eval(right)),
                   part_y_, at - static_cast<Real>(left));
    }
  };
  struct Cursor {
    static constexpr bool kSpecializes = true;
    EdgeCursor edge_row_;
    Real pad_;
    bool edge_, top_inside_, bottom_inside_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      if (edge_) return edge_row_.Eval(x);
      // Not below -0.5, so that this rounds down.
      const Axis& axis = edge_row_.x_;
      const Real at = axis.At(x);
      const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(at + Real(1)) - 1;
      const bool left_inside = left >= 0;
      const bool right_inside = left < axis.last;
      const std::ptrdiff_t from_left = left_inside ? left : 0;
      const std::ptrdiff_t from_right = right_inside ? left + 1 : axis.last;
      const Real top_left = static_cast<Real>(edge_row_.top_.Eval(from_left));
      const Real top_right = static_cast<Real>(edge_row_.top_.Eval(from_right));
      const Real bottom_left = static_cast<Real>(edge_row_.bottom_.Eval(from_left));
      const Real bottom_right = static_cast<Real>(edge_row_.bottom_.Eval(from_right));
      return Blend(top_inside_ && left_inside ? top_left : pad_,
                   top_inside_ && right_inside ? top_right : pad_,
                   bottom_inside_ && left_inside ? bottom_left : pad_,
                   bottom_inside_ && right_inside ? bottom_right : pad_, edge_row_.part_y_,
                   at - static_cast<Real>(left));
    }
    template <typename F>
    MSHADOW_XINLINE void Specialize(const F& f) const {
      if (edge_) {
        f(edge_row_);
      } else {
        f(*this);
      }
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t image = Quotient(y, height_);
    Real at = y_.At(y - image * height_);
    if (edge_) {
      const Real last = static_cast<Real>(y_.last);
      at = at > Real(0) ? at : Real(0);
      at = at < last ? at : last;
    }
    const std::ptrdiff_t top = static_cast<std::ptrdiff_t>(at + Real(1)) - 1;
    const bool top_inside = top >= 0;
    const bool bottom_inside = top < y_.last;
    const std::ptrdiff_t base = image * (y_.last + 1);
    return Cursor{EdgeCursor{RowOf(src_, base + (top_inside ? top : 0)),
                             RowOf(src_, base + (bottom_inside ? top + 1 : y_.last)),
                             at - static_cast<Real>(top), x_},
                  pad_, edge_, top_inside, bottom_inside};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  // a + part (b - a) is a where a = b: flat areas stay flat.
  MSHADOW_XINLINE static DType Blend(Real top_left, Real top_right, Real bottom_left,
                                     Real bottom_right, Real part_y, Real part_x) {
    const Real top = top_left + part_x * (top_right - top_left);
    const Real bottom = bottom_left + part_x * (bottom_right - bottom_left);
    return static_cast<DType>(top + part_y * (bottom - top));
  }
  Src src_;
  std::ptrdiff_t height_;
  Axis y_, x_;
  bool edge_;
  Real pad_;
};

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_RESIZE_H_
