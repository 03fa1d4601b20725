// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/make_tensor.h>

#include "testing.h"

namespace mshadow {
namespace expr {

// out[i] = src[i / 2]; src (n) -> (2 n): the smallest extension there can be.
template <typename SrcExp, typename DType>
struct TwiceEachExp : public MakeTensorExp<TwiceEachExp<SrcExp, DType>, SrcExp, 1, DType> {
  SrcExp src_;
  explicit TwiceEachExp(const SrcExp& src) : src_(src) {
    this->shape_ = Shape1(2 * ShapeCheck<1, SrcExp>::Check(src_)[0]);
  }
};
template <typename SrcExp, typename DType, int etype>
inline TwiceEachExp<SrcExp, DType> twice_each(const Exp<SrcExp, DType, etype>& src) {
  return TwiceEachExp<SrcExp, DType>(src.self());
}
template <typename SrcExp, typename DType>
class Plan<TwiceEachExp<SrcExp, DType>, DType> {
 public:
  explicit Plan(const TwiceEachExp<SrcExp, DType>& e) : src_(MakePlan(e.src_)) {}
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return src_.Eval(y, x / 2); }

 private:
  Plan<SrcExp, DType> src_;
};

}  // namespace expr

namespace {

using namespace mshadow::expr;
using mshadow::testing::Guarded;

TEST(MakeTensorExp, AnExtensionNeedsAShapeAndEvalOnly) {
  Guarded<1> a(Shape1(5)), out(Shape1(20));
  a.FillIota();
  *out = 1.0f;
  *out += twice_each(twice_each(*a * 2.0f) + 1.0f) - 1.0f;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(out.At(i), 1.0f + 2.0f * (i / 4));
}

TEST(MakeTensorExp, FactsOfTheNode) {
  Tensor<cpu, 1> t(nullptr, Shape1(3));
  using Node = decltype(twice_each(t));
  static_assert(ExpInfo<Node>::kDim == 1 && ExpInfo<Node>::kDevMask == cpu::kDevMask);
  static_assert(std::is_base_of_v<Exp<Node, float, type::kChainer>, Node>);
  const Node node = twice_each(t);
  EXPECT_EQ((ShapeCheck<1, Node>::Check(node)), Shape1(6));
  EXPECT_EQ(&node.real_self(), &node);
  EXPECT_THROW((t = twice_each(t)), Error);
}

TEST(MakeTensorExp, InPlaceGoesThroughATemporary) {
  Guarded<1> a(Shape1(8));
  a.FillIota();
  *a = twice_each(a->Slice(4, 8));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(a.At(i), 4.0f + i / 2);
}

}  // namespace
}  // namespace mshadow
