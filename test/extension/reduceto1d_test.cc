// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce.h>
#include <mshadow/extension/reduceto1d.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

TEST(ReduceTo1D, NamesTypesAndMembers) {
  Guarded<3> t(Shape3(2, 3, 4));
  using T = Tensor<TestDevice, 3, float>;
  auto kept_middle = sumall_except_dim<1>(*t);
  static_assert(std::is_same_v<decltype(kept_middle), ReduceTo1DExp<T, float, red::sum, 2>>);
  static_assert(std::is_same_v<decltype(reduce_except_dim<-1, red::maximum>(*t)),
                               ReduceTo1DExp<T, float, red::maximum, 1>>);
  EXPECT_EQ(kept_middle.src_.dptr_, t->dptr_);
  EXPECT_EQ(kept_middle.scale_, 1.0f);
  EXPECT_EQ((2 * kept_middle * 3.0).scale_, 6.0f);
}

TEST(ReduceTo1D, AllSavers) {
  ForEachIsa([] {
    Guarded<1> o(Shape1(3));
    Guarded<2> s(Shape2(2, 3));
    *o = 10.0f;
    *s = 2.0f;
    *o *= sum_rows(*s);
    EXPECT_EQ(o.At(0), 40);
    *o /= 2 * sum_rows(*s);
    EXPECT_EQ(o.At(1), 5);
    *o -= sum_rows(*s + 1) * 0.5;
    EXPECT_EQ(o.At(2), 2);
    *o += sum_rows(*s);
    EXPECT_EQ(o.At(2), 6);
    *o = sum_rows(*s) * 2.0f;
    EXPECT_EQ(o.At(2), 8);
  });
}

TEST(ReduceTo1D, EachAxisOfFour) {
  Guarded<4> t(Shape4(2, 3, 4, 5), 1);
  t.FillIota();
  Guarded<1> n(Shape1(2)), c(Shape1(3)), y(Shape1(4)), x(Shape1(5));
  *n = sumall_except_dim<0>(*t);
  *c = sumall_except_dim<1>(*t);
  *y = sumall_except_dim<-2>(*t);
  *x = reduce_except_dim<3, red::maximum>(*t);
  EXPECT_EQ((*n)[0], 59 * 60 / 2);
  EXPECT_EQ((*n)[1], 60 * 60 + 59 * 60 / 2);
  EXPECT_EQ((*c)[0], 20 * 60 + 2 * 190);
  EXPECT_EQ((*c)[2], 20 * 60 + 2 * 190 + 2 * 40 * 20);
  EXPECT_EQ((*y)[0], 5 * 3 * (0 + 20 + 40) - 300 + (2 + 22 + 42 + 62 + 82 + 102) * 5 - 600);
  for (index_t i = 0; i < 5; ++i) EXPECT_EQ((*x)[i], 115 + i);
}

TEST(ReduceTo1D, OneAxis) {
  Guarded<1> v(Shape1(5)), o(Shape1(5));
  v.FillIota();
  *o = sumall_except_dim<0>(*v + 1) * 2;
  for (index_t i = 0; i < 5; ++i) EXPECT_EQ((*o)[i], 2 * (i + 1));
}

TEST(ReduceTo1D, ExtremesOfInfinitiesAndNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ForEachIsa([inf, nan] {
    Guarded<2> t(Shape2(3, 2));
    const float values[] = {-inf, nan, -inf, 1, -inf, 0};
    for (int i = 0; i < 6; ++i) t.At(i) = values[i];
    Guarded<1> o(Shape1(2));
    *o = reduce_except_dim<1, red::maximum>(*t);
    EXPECT_EQ((*o)[0], -inf);
    EXPECT_TRUE(std::isnan((*o)[1]));
    *o = reduce_except_dim<0, red::minimum>((*t).T());
    EXPECT_EQ((*o)[0], -inf);
    EXPECT_TRUE(std::isnan((*o)[1]));
  });
}

TEST(ReduceTo1D, TargetInsideTheSource) {
  Guarded<2> m(Shape2(40, 3));
  m.FillIota();
  Tensor<TestDevice, 1> first = (*m)[0];
  first = sum_rows(*m);
  EXPECT_EQ(m.At(0), 3 * 780);
  EXPECT_EQ(m.At(1), 3 * 780 + 40);
  EXPECT_EQ(m.At(2), 3 * 780 + 80);
  m.FillIota();
  first += sum_rows(*m * 2.0f);
  EXPECT_EQ(m.At(2), 2 + 2 * (3 * 780 + 80));
  // Results are written while later rows are still to be read.
  Guarded<2> wide(Shape2(700, 70)), copy(Shape2(700, 70));
  wide.FillRandom(0, 1);
  copy.FillRandom(0, 1);
  Guarded<1> expected(Shape1(700));
  *expected = sumall_except_dim<0>(*copy);
  Tensor<TestDevice, 1> inside(wide->dptr_ + 690 * 70, Shape1(700));
  inside = sumall_except_dim<0>(*wide);
  for (index_t i = 0; i < 700; ++i) ASSERT_EQ(wide.At(690 * 70 + i), expected.At(i)) << i;
  // A target that ends where the source begins is no danger, and takes no detour.
  Guarded<1> both(Shape1(6));
  both.FillIota();
  Tensor<TestDevice, 1> low(both->dptr_, Shape1(3));
  low = sum_rows(Tensor<TestDevice, 2>(both->dptr_ + 3, Shape2(1, 3)));
  EXPECT_EQ(both.At(2), 5);
}

TEST(ReduceTo1D, ErrorsNameBothShapes) {
  Guarded<2> m(Shape2(2, 3));
  Guarded<1> o(Shape1(2));
  try {
    *o = sum_rows(*m);
    FAIL() << "not refused";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("(2,3)"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("(2,)"), std::string::npos) << e.what();
  }
  Guarded<2> other(Shape2(3, 3));
  EXPECT_THROW((*o = sumall_except_dim<0>(*m + *other)), Error);
}

TEST(ReduceTo1D, SmallIntegersWrapAsIn2x) {
  ForEachIsa([] {
    Guarded<2, uint8_t> a(Shape2(300, 37), 3);
    Guarded<1, uint8_t> small(Shape1(37));
    Guarded<1, int32_t> large(Shape1(37));
    *a = uint8_t{200};
    *small = sum_rows(*a);
    *large = sum_rows(tcast<int32_t>(*a));
    for (std::size_t i = 0; i < 37; ++i) {
      EXPECT_EQ(small.At(i), 60000 % 256) << i;
      EXPECT_EQ(large.At(i), 60000) << i;
    }
  });
}

/// Compares sums and maxima of `src` along all axes but one with loops over its elements.
template <int axis, typename E>
void CheckBlocks(const E& src, const Shape<4>& shape) {
  Guarded<4> whole(shape);
  *whole = src;
  const index_t keep = shape[axis], inner = shape.ProdShape(axis + 1, 4);
  Guarded<1> sum(Shape1(keep)), most(Shape1(keep));
  *sum = sumall_except_dim<axis>(src);
  *most = reduce_except_dim<axis, red::maximum>(src);
  std::vector<double> sums(keep), maxima(keep, -1e30);
  for (std::size_t i = 0; i < whole.Size(); ++i) {
    const std::size_t k = i / inner % keep;
    sums[k] += whole.At(i);
    maxima[k] = std::max<double>(maxima[k], whole.At(i));
  }
  for (index_t i = 0; i < keep; ++i) {
    EXPECT_EQ(sum.At(i), sums[i]) << shape << " axis " << axis << " [" << i << "]";
    EXPECT_EQ(most.At(i), maxima[i]) << shape << " axis " << axis << " [" << i << "]";
  }
}
template <typename E>
void CheckEachAxis(const E& src, const Shape<4>& shape) {
  CheckBlocks<0>(src, shape);
  CheckBlocks<1>(src, shape);
  CheckBlocks<2>(src, shape);
  CheckBlocks<3>(src, shape);
}

// Plans that compute many elements at a time: blocks of rows of every length, of which several, one
// or less fill a buffer. All numbers are whole.
TEST(ReduceTo1D, OfPlansThatFillBlocks) {
  for (const Shape<4>& shape :
       {Shape4(3, 2, 5, 3), Shape4(40, 3, 7, 4), Shape4(2, 3, 9, 40), Shape4(2, 2, 70, 65),
        Shape4(2, 1, 3, 1100), Shape4(1, 2, 3, 9000), Shape4(1, 700, 1, 5), Shape4(5, 1, 600, 2)}) {
    Guarded<4> a(shape, 1);
    for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<float>(i * 7 % 23) - 11;
    CheckEachAxis(pool<red::maximum>(*a, 1, 2, 1),
                  Shape4(shape[0], shape[1], shape[2], shape[3] - 1));
    CheckEachAxis(*a + chpool<red::sum>(*a, 1), shape);
    const index_t size = shape.ProdShape(1, 4);
    Guarded<2> mat(Shape2(size / shape[3] / shape[2], shape[0] * shape[2] * shape[3]));
    for (std::size_t i = 0; i < mat.Size(); ++i) mat.At(i) = static_cast<float>(i * 5 % 19) - 9;
    CheckEachAxis(pack_col2patch(*mat, shape, 1, 1, 1), shape);  // rows of an image are joined
    const Shape<4> turned = Shape4(shape[0], shape[1], shape[3] - 1, shape[2]);
    CheckEachAxis(pool<red::maximum>(swapaxis<3, 2>(*a), 2, 1, 1), turned);
  }
}

TEST(ReduceTo1D, OfNothing) {
  Guarded<2> none(Shape2(0, 3)), narrow(Shape2(3, 0));
  Guarded<1> o(Shape1(3));
  *o = 7.0f;
  *o = sum_rows(*none);
  EXPECT_EQ((*o)[2], 0);
  *o = reduce_except_dim<0, red::maximum>(*narrow);
  EXPECT_EQ((*o)[0], -std::numeric_limits<float>::infinity());
}

TEST(ReduceTo1D, AnExpressionMayBeKept) {
  Guarded<2> m(Shape2(2, 3));
  m.FillIota();
  const auto kept = sum_rows(*m * 2.0f) * 0.5f;
  Guarded<1> o(Shape1(3));
  *o = kept;
  EXPECT_EQ((*o)[2], 7);
}

}  // namespace
