// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/broadcast_with_axis.h>
#include <mshadow/tensor_blob.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dim>
void CheckNewAxis(const Shape<dim>& shape) {
  for (int axis = -1; axis < dim; ++axis) {
    Guarded<dim> a(shape, 2, 1);
    FillWhole(a, 100);
    Shape<dim + 1> wide;
    for (int i = 0; i <= dim; ++i) wide[i] = i == axis + 1 ? 3 : shape[i <= axis ? i : i - 1];
    const std::vector<double> expected = Each(wide, [&](const Index<dim + 1>& index) {
      Index<dim> from;
      for (int i = 0; i < dim; ++i) from[i] = index[i <= axis ? i : i + 1];
      return At(a, from);
    });
    ExpectUses(wide, expected, [&] { return broadcast_with_axis(*a, axis, 3); });
  }
}

TEST(BroadcastWithAxis, NewAxis) {
  CheckNewAxis(Shape1(19));
  CheckNewAxis(Shape2(5, 17));
  CheckNewAxis(Shape3(2, 3, 7));
  CheckNewAxis(Shape4(2, 1, 3, 5));
}

TEST(BroadcastWithAxis, GoldenValues) {
  Guarded<2> v(Shape2(2, 3));
  v.FillIota();
  Guarded<3> in_front(Shape3(2, 2, 3)), last(Shape3(2, 3, 2));
  *in_front = broadcast_with_axis(*v, -1, 2);
  ExpectValues(in_front, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  *in_front = broadcast_with_axis(*v, 0, 2);
  ExpectValues(in_front, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  *last = broadcast_with_axis(*v, 1, 2);
  ExpectValues(last, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
}

template <int dim>
void CheckTo(const Shape<dim>& from, const Shape<dim>& to) {
  Guarded<dim> a(from, 1, 1);
  FillWhole(a, 100);
  const std::vector<double> expected = Each(to, [&](Index<dim> index) {
    for (int i = 0; i < dim; ++i) index[i] = from[i] == 1 ? 0 : index[i];
    return At(a, index);
  });
  ExpectUses(to, expected, [&] { return broadcast_to(*a, to); });
  std::vector<index_t> axes, sizes;
  for (int i = 0; i < dim; ++i) {
    if (from[i] != to[i]) {
      axes.push_back(i);
      sizes.push_back(to[i]);
    }
  }
  Guarded<dim> out(to, 1);
  *out = broadcast_multi_axes(*a, TShape(axes.begin(), axes.end()),
                              TShape(sizes.begin(), sizes.end()));
  ExpectValues(out, expected);
  *out = broadcast_with_multi_axes(*a, TShape(axes.begin(), axes.end()),
                                   TShape(sizes.begin(), sizes.end()));
  ExpectValues(out, expected);
  *out = broadcast_to(*a, TShape(to.shape_, to.shape_ + dim));
  ExpectValues(out, expected);
}

TEST(BroadcastTo, AxesOfExtentOne) {
  CheckTo(Shape1(1), Shape1(5));
  CheckTo(Shape2(1, 17), Shape2(4, 17));
  CheckTo(Shape2(4, 1), Shape2(4, 17));
  CheckTo(Shape2(1, 1), Shape2(3, 5));
  CheckTo(Shape3(2, 1, 9), Shape3(2, 5, 9));
  CheckTo(Shape4(2, 1, 3, 1), Shape4(2, 5, 3, 19));
  CheckTo(Shape5(1, 2, 1, 3, 7), Shape5(3, 2, 2, 3, 7));
  CheckTo(Shape3(2, 4, 9), Shape3(2, 4, 9));
}

TEST(BroadcastTo, NewAxesInFront) {
  Guarded<2> a(Shape2(3, 1), 1);
  FillWhole(a, 100);
  const Shape<4> to = Shape4(2, 4, 3, 6);
  ExpectUses(to, Each(to, [&](const Index<4>& i) { return At(a, Index<2>{i[2], 0}); }),
             [&] { return broadcast_to(*a, to); });
  Guarded<1> v(Shape1(6));
  FillWhole(v, 100);
  ExpectUses(to, Each(to, [&](const Index<4>& i) { return At(v, Index<1>{i[3]}); }),
             [&] { return broadcast_to(*v * 1.0f, to); });
}

TEST(BroadcastKeepdim, RepeatsAnAxis) {
  Guarded<3> a(Shape3(2, 1, 5), 1), b(Shape3(2, 5, 1), 1), out(Shape3(2, 4, 5));
  FillWhole(a, 100);
  FillWhole(b, 100);
  *out = broadcast_keepdim(*a, 1, 4);
  ExpectValues(out, Each(out->shape_, [&](Index<3> i) { return At(a, Index<3>{i[0], 0, i[2]}); }));
  Guarded<3> wide(Shape3(2, 5, 9));
  *wide = broadcast_keepdim(*b, -1, 9);
  ExpectValues(wide, Each(wide->shape_, [&](Index<3> i) {
                 return At(b, Index<3>{i[0], i[1], 0});
               }));
}

TEST(BroadcastWithAxis, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> a(Shape1(20));
    FillWhole(a, 100);
    Guarded<2, DType> out(Shape2(20, 3), 1);
    *out = broadcast_with_axis(*a, 0, 3);
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) { return At(a, Index<1>{i[0]}); }));
  });
}

// Sources whose rows consist of runs, or are computed in advance.
TEST(BroadcastWithAxis, OfRuns) {
  Guarded<2> a(Shape2(6, 10), 1);
  FillWhole(a, 100);
  const Shape<3> to = Shape3(2, 3, 20);
  ExpectUses(to, Each(to, [&](Index<3> i) {
               const std::size_t k = i[1] * 20 + i[2];
               return At(a, Index<2>{k / 10, k % 10});
             }),
             [&] { return broadcast_with_axis(reshape(*a, Shape2(3, 20)), -1, 2); });
}

// A tile asks the row for runs; the source's row, computed in advance, is shorter than the one that
// repeats an element of it.
TEST(BroadcastWithAxis, LastAxisInTiles) {
  Guarded<2> a(Shape2(2, 9), 1), out(Shape2(40, 9), 1);
  FillWhole(a, 9);
  *out = swapaxis<1, 0>(
      broadcast_with_axis(reduce_with_axis<red::sum, false>(mirror(*a), 0), 0, 40));
  ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                 return At(a, Index<2>{0, 8 - i[1]}) + At(a, Index<2>{1, 8 - i[1]});
               }));
}

TEST(BroadcastWithAxis, OfItself) {
  Guarded<2> a(Shape2(4, 6));
  a.FillIota();
  Tensor<TestDevice, 1> first = (*a)[0];
  *a = broadcast_with_axis(first + 1.0f, -1, 4);
  ExpectValues(a, Each(a->shape_, [](Index<2> i) { return i[1] + 1.0; }));
}

TEST(BroadcastWithAxis, Errors) {
  Guarded<2> a(Shape2(2, 3));
  EXPECT_EQ(ErrorOf([&] { broadcast_with_axis(*a, 2, 2); }),
            "broadcast_with_axis: axis = 2 is out of range: -1 to 1, the axes of the source; -1 "
            "puts the new axis in front");
  EXPECT_NE(ErrorOf([&] { broadcast_keepdim(*a, 1, 2); }).find("must have extent 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { broadcast_keepdim(*a, 2, 2); }).find("axis = 2 is out of range: -2 to 1"),
            std::string::npos);
  const std::string shapes = ErrorOf([&] { broadcast_to(*a, Shape2(4, 3)); });
  EXPECT_NE(shapes.find("(2,3) cannot become (4,3)"), std::string::npos) << shapes;
  EXPECT_NE(ErrorOf([&] { broadcast_to(*a, TShape(1)); }).find("number of axes"),
            std::string::npos);
  const index_t one[] = {1}, two[] = {1, 0};
  EXPECT_NE(ErrorOf([&] { broadcast_multi_axes(*a, TShape(one, one + 1), TShape(two, two + 2)); })
                .find("differ in number"),
            std::string::npos);
  Guarded<2> b(Shape2(1, 1));
  EXPECT_NE(ErrorOf([&] { broadcast_multi_axes(*b, TShape(two, two + 2), TShape(two, two + 2)); })
                .find("must ascend"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
