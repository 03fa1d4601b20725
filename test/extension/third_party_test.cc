// SPDX-License-Identifier: Apache-2.0
// An extension as code written for 2.x has it: the node keeps a reference to its source, the plan
// has Eval alone and a member of type Plan<SrcExp, DType>; nothing else is specialised.
#include <mshadow/tensor.h>

#include <cmath>

#include "reference.h"

#ifdef __clang__
// `struct Plan` or `class Plan`: old code has both.
#pragma clang diagnostic ignored "-Wmismatched-tags"
#endif

namespace mshadow {
namespace expr {

namespace zoom_border {
enum Mode { kValue, kRepeat };
}

template <typename SrcExp, typename DType, int srcdim>
struct ZoomExp : public MakeTensorExp<ZoomExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  const SrcExp& src_;
  index_t rows_, src_rows_, src_cols_;
  float first_y_, first_x_, step_y_, step_x_;
  int mode_;
  DType border_;
  ZoomExp(const SrcExp& src, index_t rows, index_t cols, int mode, DType border)
      : src_(src), rows_(rows), mode_(mode), border_(border) {
    const Shape<srcdim> from = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_rows_ = from[srcdim - 2];
    src_cols_ = from[srcdim - 1];
    this->shape_ = from;
    this->shape_[srcdim - 2] = rows;
    this->shape_[srcdim - 1] = cols;
    step_y_ = src_rows_ / static_cast<float>(rows);
    step_x_ = src_cols_ / static_cast<float>(cols);
    first_y_ = (step_y_ - 1) / 2;
    first_x_ = (step_x_ - 1) / 2;
  }
};

template <typename SrcExp, typename DType, int etype>
inline ZoomExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> zoom(const Exp<SrcExp, DType, etype>& src,
                                                          index_t rows, index_t cols,
                                                          int mode = zoom_border::kRepeat,
                                                          DType border = 0) {
  return ZoomExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), rows, cols, mode, border);
}

template <typename SrcExp, typename DType, int srcdim>
struct Plan<ZoomExp<SrcExp, DType, srcdim>, DType> {
 public:
  explicit Plan(const ZoomExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)), rows_(e.rows_), src_rows_(e.src_rows_), src_cols_(e.src_cols_),
        first_y_(e.first_y_), first_x_(e.first_x_), step_y_(e.step_y_), step_x_(e.step_x_),
        mode_(e.mode_), border_(e.border_) {}
  MSHADOW_XINLINE DType Eval(index_t i, index_t j) const {
    const index_t image = i / rows_;
    const float y = first_y_ + (i % rows_) * step_y_;
    const float x = first_x_ + j * step_x_;
    const int32_t top = static_cast<int32_t>(std::floor(y));
    const int32_t left = static_cast<int32_t>(std::floor(x));
    auto pixel = [&](int32_t row, int32_t column) {
      const int32_t last_row = static_cast<int32_t>(src_rows_) - 1;
      const int32_t last_column = static_cast<int32_t>(src_cols_) - 1;
      const int32_t near_row = op::min::Map(op::max::Map(row, 0), last_row);
      const int32_t near_column = op::min::Map(op::max::Map(column, 0), last_column);
      const bool outside = near_row != row || near_column != column;
      if (outside && mode_ == zoom_border::kValue) return border_;
      return DType(src_.Eval(image * src_rows_ + near_row, near_column));
    };
    const float dy = y - top, dx = x - left;
    return static_cast<DType>((1 - dy) * ((1 - dx) * pixel(top, left) + dx * pixel(top, left + 1)) +
                              dy * ((1 - dx) * pixel(top + 1, left) +
                                    dx * pixel(top + 1, left + 1)));
  }

 private:
  Plan<SrcExp, DType> src_;
  const index_t rows_, src_rows_, src_cols_;
  const float first_y_, first_x_, step_y_, step_x_;
  const int mode_;
  const DType border_;
};

}  // namespace expr

namespace {

using namespace expr;
using namespace testing;

TEST(ThirdParty, ValuesOfResize) {
  ForEachIsa([] {
    Guarded<4> a(Shape4(2, 3, 5, 7), 1), b(Shape4(2, 3, 9, 4)), out(b->shape_, 2), mine(b->shape_);
    FillWhole(a, 100);
    FillWhole(b, 100, 2);
    *out = zoom(*a, 9, 4);
    *mine = resize(*a, 9, 4);
    ExpectValues(out, Values(mine), 1e-3);
    *out = zoom(*a, 9, 4, zoom_border::kValue, 3.0f);
    *mine = resize(*a, 9, 4, resize_pad::kConstant, 3.0f);
    ExpectValues(out, Values(mine), 1e-3);
    *out += zoom(*a * 2.0f, 9, 4) + *b;
    *mine += resize(*a * 2.0f, 9, 4) + *b;
    ExpectValues(out, Values(mine), 1e-3);
  });
}

TEST(ThirdParty, GoldenValues) {
  Guarded<2> a(Shape2(2, 2)), out(Shape2(4, 4));
  a.FillIota();
  *out = zoom(*a, 4, 4);
  ExpectValues(out, {0, .25, .75, 1, .5, .75, 1.25, 1.5, 1.5, 1.75, 2.25, 2.5, 2, 2.25, 2.75, 3});
}

// Around and inside of the library's extensions, whose cursors hold its plan.
TEST(ThirdParty, Nested) {
  Guarded<3> a(Shape3(2, 4, 6), 1), big(Shape3(2, 8, 12)), out(Shape3(2, 4, 6)), mine(out->shape_);
  FillWhole(a, 100);
  *big = zoom(*a, 8, 12);
  *out = pool<red::maximum>(zoom(*a, 8, 12), 2, 2, 2) + 1.0f;
  *mine = pool<red::maximum>(*big, 2, 2, 2) + 1.0f;
  ExpectValues(out, Values(mine));
  *out = zoom(zoom(*a * 2.0f, 8, 12), 4, 6);
  *mine = zoom(*big * 2.0f, 4, 6);
  ExpectValues(out, Values(mine));
  *out = crop(mirror(zoom(*a, 8, 12)), Shape2(4, 6)) * 0.5f;
  *mine = crop(mirror(*big), Shape2(4, 6)) * 0.5f;
  ExpectValues(out, Values(mine));
  Guarded<2> flat(Shape2(6, 32)), same(Shape2(6, 32));
  *flat = reshape(zoom(*a, 8, 12), Shape2(6, 32));
  *same = reshape(*big, Shape2(6, 32));
  ExpectValues(flat, Values(same));
  *out = unpool<red::maximum>(zoom(*a, 4, 6), zoom(*a, 2, 3), zoom(*a, 2, 3), 2, 2, 2);
  *mine = unpool<red::maximum>(resize(*a, 4, 6), resize(*a, 2, 3), resize(*a, 2, 3), 2, 2, 2);
  ExpectValues(out, Values(mine), 1e-3);
  Guarded<2> col(Shape2(18, 8));
  Guarded<2> mine_col(col->shape_);
  *col = unpack_patch2col(zoom(*a, 4, 6), 3, 3, 1);
  *mine_col = unpack_patch2col(resize(*a, 4, 6), 3, 3, 1);
  ExpectValues(col, Values(mine_col), 1e-3);
  *out = pack_col2patch(zoom(*col, 18, 8), out->shape_, 3, 3, 1);
  *mine = pack_col2patch(*col, mine->shape_, 3, 3, 1);
  ExpectValues(out, Values(mine), 1e-3);
}

// A statement that reads what it writes goes through a temporary for a node with a member src_.
TEST(ThirdParty, OfItself) {
  Guarded<2> a(Shape2(2, 2)), flipped(Shape2(2, 2));
  a.FillIota();
  *flipped = zoom(*a, 2, 2) + a->T();
  *a = zoom(*a, 2, 2) + a->T();
  ExpectValues(a, Values(flipped));
}

}  // namespace
}  // namespace mshadow
