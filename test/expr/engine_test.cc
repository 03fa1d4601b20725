// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/engine.h>

#include <string>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;
using mshadow::testing::TestMemory;
using mshadow::testing::WaitForDevice;

// GPUs run rows that are reduced and used again as one kernel. (The page adding_a_device.md has a
// device that cannot.)
using ComplexMemory = expr::detail::MemoryFor<TestDevice, type::kComplex>;
static_assert(mshadow::detail::HasMapRows<TestDevice, sv::saveto, float, Tensor<TestDevice, 2>,
                                          Tensor<TestDevice, 2>, ComplexMemory>::value ==
              !TestDevice::kDevCPU);

TEST(Engine, EverySaverWithExpressionsAndScalars) {
  Guarded<2> t(Shape2(2, 3)), a(Shape2(2, 3));
  *t = 3.0f;
  *a = 2.0f;
  *t += *a * 2.0f;
  EXPECT_EQ(t.At(5), 7.0f);
  *t -= *a + 1.0f;
  EXPECT_EQ(t.At(5), 4.0f);
  *t *= *a;
  EXPECT_EQ(t.At(5), 8.0f);
  *t /= *a * 2.0f;
  EXPECT_EQ(t.At(5), 2.0f);
  *t += 1;
  *t *= 4;
  *t -= 2;
  *t /= 5;
  EXPECT_EQ(t.At(0), 2.0f);
}

TEST(Engine, ARowTakesTheElementsOfATensorOrAnExpression) {
  Guarded<2> m(Shape2(2, 3));
  m.FillIota();
  (*m)[0] = (*m)[1];
  EXPECT_EQ(m.At(0), 3.0f);
  EXPECT_EQ(m.At(2), 5.0f);
  m.FillIota();
  (*m)[0] = (*m)[1] * 1.0f;
  EXPECT_EQ(m.At(0), 3.0f);
  (*m)[0] += (*m)[1];
  EXPECT_EQ(m.At(0), 6.0f);
}

TEST(Engine, AMismatchNamesBothShapes) {
  Guarded<2> t(Shape2(2, 3)), a(Shape2(2, 4));
  try {
    *t = *a + 1.0f;
    FAIL() << "(2,4) was assigned to (2,3)";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("eshape: (2,4) dshape:(2,3)"), std::string::npos)
        << e.what();
  }
}

// ---- Aliases: the destination among the operands ---------------------------------------------

TEST(Alias, SameElementsNeedNoTemporary) {
  Guarded<1> v(Shape1(100));
  v.FillIota();
  const WrittenView written = v->Written();
  EXPECT_FALSE(Overlaps(*v * 2.0f + *v, written, true));
  *v = *v * 2.0f + *v;
  EXPECT_EQ(v.At(33), 99.0f);
}

TEST(Alias, ShiftedViewsOfOneVector) {
  ForEachIsa([] {
    Guarded<1> v(Shape1(100));
    v.FillIota();
    v->Slice(1, 100) = v->Slice(0, 99) + 0.0f;
    for (int i = 1; i < 100; ++i) ASSERT_EQ(v.At(i), static_cast<float>(i - 1));
    v.FillIota();
    v->Slice(0, 99) += v->Slice(1, 100);
    for (int i = 0; i < 99; ++i) ASSERT_EQ(v.At(i), static_cast<float>(2 * i + 1));
  });
}

// What is added to is copied too, and nothing but the padded rows is written.
TEST(Alias, ShiftedRowsOfAPaddedMatrix) {
  ForEachIsa([] {
    Guarded<2> m(Shape2(9, 17), 3);
    m.FillIota();
    m->Slice(0, 8) += m->Slice(1, 9) * 2.0f;
    for (int i = 0; i < 8 * 17; ++i) ASSERT_EQ(m.At(i), static_cast<float>(3 * i + 34));
    for (int i = 8 * 17; i < 9 * 17; ++i) ASSERT_EQ(m.At(i), static_cast<float>(i));
    EXPECT_TRUE(m.Intact());
  });
}

TEST(Alias, AnotherPitchOverTheSameMemory) {
  TestMemory<float> memory(12);
  Tensor<TestDevice, 2> packed(memory.data(), Shape2(3, 3), 3, nullptr);
  Tensor<TestDevice, 2> padded(memory.data(), Shape2(3, 3), 4, nullptr);
  for (int i = 0; i < 12; ++i) memory[i] = static_cast<float>(i);
  padded = packed + 0.0f;  // (y, x) of padded is memory 4y + x, and must become 3y + x
  WaitForDevice();
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(padded[y][x], static_cast<float>(3 * y + x));
  }
}

TEST(Alias, NeighbouringColumnsOfOneMatrixDoNotOverlap) {
  TestMemory<float> memory(20, 1.0f);
  Tensor<TestDevice, 2> left(memory.data(), Shape2(4, 2), 5, nullptr);
  Tensor<TestDevice, 2> right(memory.data() + 2, Shape2(4, 3), 5, nullptr);
  EXPECT_FALSE(expr::detail::ReadsWritten(left.Written(), right.Written(), false));
  EXPECT_FALSE(expr::detail::ReadsWritten(right.Written(), left.Written(), false));
  Tensor<TestDevice, 2> middle(memory.data() + 1, Shape2(4, 2), 5, nullptr);
  EXPECT_TRUE(expr::detail::ReadsWritten(left.Written(), middle.Written(), true));
  EXPECT_TRUE(expr::detail::ReadsWritten(middle.Written(), right.Written(), true));
}

// A chainer as third-party code writes it: it keeps a reference, has only Eval, says nothing of
// overlaps, and reads another element than the one it computes.
}  // namespace

namespace expr {
template <typename SrcExp, typename DType>
struct ReverseExp : public MakeTensorExp<ReverseExp<SrcExp, DType>, SrcExp, 1, DType> {
  const SrcExp& src_;
  explicit ReverseExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<1, SrcExp>::Check(src_);
  }
};
template <typename SrcExp, typename DType, int etype>
inline ReverseExp<SrcExp, DType> reverse(const Exp<SrcExp, DType, etype>& src) {
  return ReverseExp<SrcExp, DType>(src.self());
}
template <typename SrcExp, typename DType>
class Plan<ReverseExp<SrcExp, DType>, DType> {
 public:
  explicit Plan(const ReverseExp<SrcExp, DType>& e)
      : src_(MakePlan(e.src_)), last_(e.shape_[0] - 1) {}
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return src_.Eval(y, last_ - x); }

 private:
  Plan<SrcExp, DType> src_;
  const index_t last_;
};
}  // namespace expr

namespace {

TEST(Alias, AThirdPartyChainerOfTheDestination) {
  ForEachIsa([] {
    Guarded<1> v(Shape1(37));
    v.FillIota();
    *v = reverse(*v * 2.0f) + 1.0f;
    for (int i = 0; i < 37; ++i) ASSERT_EQ(v.At(i), 2.0f * (36 - i) + 1.0f);
    *v += reverse(reverse(*v));
    for (int i = 0; i < 37; ++i) ASSERT_EQ(v.At(i), 4.0f * (36 - i) + 2.0f);
  });
}

// ---- Direct Exp style: a node that specialises the traits instead of answering by members ------

}  // namespace
namespace expr {
struct CountExp : public Exp<CountExp, float, type::kMapper> {
  index_t n;
  explicit CountExp(index_t size) : n(size) {}
};
template <>
class Plan<CountExp, float> {
 public:
  MSHADOW_XINLINE float Eval(index_t, index_t x) const { return static_cast<float>(x); }
};
inline Plan<CountExp, float> MakePlan(const CountExp&) { return Plan<CountExp, float>(); }
template <>
struct ExpInfo<CountExp> {
  static const int kDim = 1;
  static const int kDevMask = 0xffff;
};
template <int dim>
struct ShapeCheck<dim, CountExp> {
  static Shape<dim> Check(const CountExp& e) { return Shape1(e.n); }
};
}  // namespace expr
namespace {

TEST(Engine, NodesMaySpecialiseTheTraits) {
  Guarded<1> v(Shape1(9));
  *v = CountExp(9) * 2.0f;
  EXPECT_EQ(v.At(8), 16.0f);
  EXPECT_THROW((*v = CountExp(8) + 1.0f), Error);
}

TEST(Engine, MapPlanAndMapExpByName) {
  Guarded<2> t(Shape2(3, 5), 1), a(Shape2(3, 5));
  a.FillIota();
  MapExp<sv::saveto>(&*t, *a + 1.0f);
  EXPECT_EQ(t.At(14), 15.0f);
  MapPlan<sv::plusto>(&*t, MakePlan(*a * 2.0f));
  EXPECT_EQ(t.At(14), 43.0f);
  EXPECT_TRUE(t.Intact());
}

}  // namespace
}  // namespace mshadow
