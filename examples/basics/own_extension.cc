// SPDX-License-Identifier: Apache-2.0
// An expression of our own that reads other elements than it writes: a type that knows its shape,
// a function that makes it, and a Plan that computes one element.
#include "print.h"

namespace mshadow {
namespace expr {

/// out[..][x] = src[..][(x + steps) % width]
template <typename SrcExp, typename DType, int dim>
struct RollExp : public MakeTensorExp<RollExp<SrcExp, DType, dim>, SrcExp, dim, DType> {
  const SrcExp src_;
  const index_t steps_;
  RollExp(const SrcExp& src, index_t steps) : src_(src), steps_(steps) {
    this->shape_ = ShapeCheck<dim, SrcExp>::Check(src);
  }
};

template <typename SrcExp, typename DType, int etype>
RollExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> roll(const Exp<SrcExp, DType, etype>& src,
                                                   index_t steps) {
  return RollExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), steps);
}

template <typename SrcExp, typename DType, int dim>
class Plan<RollExp<SrcExp, DType, dim>, DType> {
 public:
  explicit Plan(const RollExp<SrcExp, DType, dim>& e)
      : src_(MakePlan(e.src_)), steps_(e.steps_), width_(e.shape_[dim - 1]) {}

  /// Element x of row y, where all axes but the last are counted as rows.
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const {
    return src_.Eval(y, (x + steps_) % width_);
  }

 private:
  Plan<SrcExp, DType> src_;
  const index_t steps_, width_;
};

}  // namespace expr
}  // namespace mshadow

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  float data[] = {0, 1, 2, 3,  //
                  4, 5, 6, 7};
  Tensor<cpu, 2> a(data, Shape2(2, 4));
  Print("rolled by one", roll(a, 1));

  // It is an expression like any other: it takes expressions, and goes into them.
  Print("mean of ten times the left neighbour and the element", (roll(a * 10.0f, 3) + a) / 2.0f);
}
