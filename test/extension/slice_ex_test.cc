// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/slice_ex.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// The positions in a tensor of `shape` of the elements of a box with steps.
template <int dim>
std::vector<std::size_t> Positions(const Shape<dim>& shape, const Shape<dim>& begin,
                                   const Shape<dim>& end, const Shape<dim>& step) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0, size = shape.Size(); i < size; ++i) {
    std::size_t rest = i;
    bool inside = true;
    for (int axis = dim - 1; axis >= 0; --axis) {
      const std::size_t at = rest % shape[axis];
      rest /= shape[axis];
      const std::size_t first = begin[axis], last = end[axis];
      inside = inside && first <= at && at < last && (at - first) % step[axis] == 0;
    }
    if (inside) positions.push_back(i);
  }
  return positions;
}

template <int dim>
Shape<dim> Ones() {
  Shape<dim> ones;
  for (int i = 0; i < dim; ++i) ones[i] = 1;
  return ones;
}

/// `cut` makes the view.
template <int dim, typename Cut>
void CheckView(const Shape<dim>& shape, const Shape<dim>& part,
               const std::vector<std::size_t>& at, const Cut& cut) {
  for (index_t pad : {0, 3}) {
    Guarded<dim> a(shape, pad, 1), b(part, 1), out(part, pad);
    ASSERT_EQ(out.Size(), at.size());
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    const std::vector<double> before = Values(a);
    std::vector<double> expected;
    for (std::size_t i = 0; i < at.size(); ++i) expected.push_back(2 * before[at[i]] + b.At(i));
    *out = cut(*a) * 2.0f + *b;
    ExpectValues(out, expected);
    for (std::size_t i = 0; i < at.size(); ++i) expected[i] = before[at[i]];
    *out = cut(*a);
    ExpectValues(out, expected);
    std::vector<double> after = before;
    for (std::size_t i = 0; i < at.size(); ++i) after[at[i]] += 3 * b.At(i);
    cut(*a) += *b * 3.0f;
    ExpectValues(a, after);
    for (std::size_t i = 0; i < at.size(); ++i) after[at[i]] *= 2;
    cut(*a) = cut(*a) * 2.0f;
    ExpectValues(a, after);
    for (std::size_t i : at) after[i] = -1;
    cut(*a) = -1;
    ExpectValues(a, after);
  }
}

template <int dim>
void CheckBox(const Shape<dim>& shape, const Shape<dim>& begin, const Shape<dim>& end) {
  Shape<dim> part;
  for (int i = 0; i < dim; ++i) part[i] = end[i] - begin[i];
  CheckView(shape, part, Positions(shape, begin, end, Ones<dim>()),
            [&](const Tensor<TestDevice, dim>& t) { return slice(t, begin, end); });
}

template <int dim>
void CheckSteps(const Shape<dim>& shape, const Shape<dim>& begin, const Shape<dim>& end,
                const Shape<dim>& step, const Shape<dim>& part) {
  CheckView(shape, part, Positions(shape, begin, end, step),
            [&](const Tensor<TestDevice, dim>& t) { return slice(t, begin, end, step); });
}

TEST(SliceEx, Boxes) {
  ForEachIsa([] {
    CheckBox(Shape1(60), Shape1(7), Shape1(52));
    CheckBox(Shape2(9, 40), Shape2(2, 3), Shape2(8, 39));
    CheckBox(Shape3(4, 5, 19), Shape3(1, 0, 1), Shape3(3, 5, 18));
    CheckBox(Shape4(3, 4, 5, 9), Shape4(0, 1, 2, 0), Shape4(3, 3, 4, 9));
    CheckBox(Shape5(2, 3, 2, 4, 5), Shape5(0, 1, 0, 2, 1), Shape5(2, 2, 2, 4, 4));
    CheckBox(Shape2(4, 5), Shape2(1, 2), Shape2(1, 4));
  });
}

TEST(SliceEx, Steps) {
  ForEachIsa([] {
    CheckSteps(Shape1(60), Shape1(1), Shape1(52), Shape1(2), Shape1(26));
    CheckSteps(Shape1(60), Shape1(3), Shape1(52), Shape1(7), Shape1(7));
    CheckSteps(Shape2(9, 40), Shape2(2, 3), Shape2(9, 37), Shape2(3, 1), Shape2(3, 34));
    CheckSteps(Shape3(5, 6, 9), Shape3(0, 1, 0), Shape3(5, 6, 9), Shape3(2, 2, 3), Shape3(3, 3, 3));
    CheckSteps(Shape4(3, 2, 4, 8), Shape4(0, 0, 0, 0), Shape4(3, 2, 4, 8), Shape4(1, 1, 2, 2),
               Shape4(3, 2, 2, 4));
    CheckSteps(Shape2(3, 3), Shape2(0, 2), Shape2(3, 2), Shape2(2, 5), Shape2(2, 0));
    // One element of an axis is all of it, whatever the step.
    CheckSteps(Shape3(6, 9, 1), Shape3(0, 1, 0), Shape3(6, 9, 1), Shape3(1, 1, 2),
               Shape3(6, 8, 1));
    CheckSteps(Shape3(6, 1, 20), Shape3(0, 0, 0), Shape3(6, 1, 20), Shape3(1, 4, 1),
               Shape3(6, 1, 20));
  });
}

TEST(SliceEx, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> a(Shape1(40)), out(Shape1(13));
    FillWhole(a, 100);
    *out = slice(*a, Shape1(1), Shape1(40), Shape1(3));
    std::vector<double> all = Values(a), expected;
    for (int i = 0; i < 13; ++i) expected.push_back(all[1 + 3 * i]);
    ExpectValues(out, expected);
  });
}

TEST(SliceEx, NestedAndReduced) {
  Guarded<2> a(Shape2(8, 12), 2), out(Shape2(3, 4));
  Guarded<1> sums(Shape1(4));
  a.FillIota();
  const std::vector<double> all = Values(a);
  std::vector<double> expected, sum(4, 0.0);
  for (int i = 0; i < 12; ++i) {
    expected.push_back(all[(1 + i / 4 * 2) * 12 + 2 + i % 4 * 2]);
    sum[i % 4] += 2 * expected[i];
  }
  const auto inner = slice(*a, Shape2(1, 1), Shape2(8, 11));
  const auto nested = slice(inner, Shape2(0, 1), Shape2(6, 9), Shape2(2, 2));
  *out = nested;
  ExpectValues(out, expected);
  *out = mirror(slice<1>(nested, 0, 4));
  EXPECT_EQ(out.At(0), expected[3]);
  *sums = sum_rows(nested * 2.0f);
  ExpectValues(sums, sum);
  slice<0>(nested, 1, 2) = 0.0f;
  EXPECT_EQ(a.At(3 * 12 + 2), 0.0f);
  EXPECT_EQ(a.At(3 * 12 + 3), all[3 * 12 + 3]);
  EXPECT_EQ(a.At(1 * 12 + 2), all[1 * 12 + 2]);
}

TEST(SliceEx, OfOneTypeToTheOtherAndOfItself) {
  Guarded<3> a(Shape3(3, 4, 5));
  a.FillIota();
  std::vector<double> expected = Values(a);
  const std::vector<double> before = expected;
  for (int i = 0; i < 60; ++i) {
    if (i / 20 >= 1 && i / 5 % 4 >= 1 && i % 5 >= 1) expected[i] = before[i - 26];
  }
  slice(*a, Shape3(1, 1, 1), Shape3(3, 4, 5)) = slice(*a, Shape3(0, 0, 0), Shape3(2, 3, 4));
  ExpectValues(a, expected);
  Guarded<2> b(Shape2(4, 6)), c(Shape2(4, 6));
  b.FillIota();
  *c = 0.0f;
  slice(*c, Shape2(0, 0), Shape2(4, 6), Shape2(2, 3)) =
      slice(*b, Shape2(1, 1), Shape2(4, 6), Shape2(2, 3));
  expected.assign(24, 0.0);
  expected[0] = 7;
  expected[3] = 10;
  expected[12] = 19;
  expected[15] = 22;
  ExpectValues(c, expected);
}

TEST(SliceEx, WrittenTellsBoxesApart) {
  Guarded<2> a(Shape2(6, 8));
  const auto meets = [](const auto& read, const auto& dst) {
    return Overlaps(read, dst.Written(), true);
  };
  const auto box = [&](index_t y, index_t x) {
    return slice(*a, Shape2(y, x), Shape2(y + 2, x + 3));
  };
  EXPECT_FALSE(meets(box(0, 0), box(0, 0)));
  EXPECT_FALSE(meets(box(0, 0), box(0, 3)));
  EXPECT_FALSE(meets(box(0, 0), box(2, 0)));
  EXPECT_TRUE(meets(box(0, 0), box(1, 2)));
}

TEST(SliceEx, BoundsFromTheEndAndErrors) {
  Guarded<2> a(Shape2(4, 5)), out(Shape2(1, 2));
  a.FillIota();
  *out = slice(*a, {-2, 1}, {-1, -2});
  ExpectValues(out, {11, 12});
  slice(*a, {-2, 1}, {-1, -2}) += 1.0f;
  *out = slice(*a, {-2, -4}, {-1, 4}, {3, 2});
  ExpectValues(out, {12, 13});
  slice(*a, {-2, 1}, {-1, -2}) -= 1.0f;
  *out = slice(*a, Shape<2>{{static_cast<index_t>(-2), 1}}, Shape2(3, 3));
  ExpectValues(out, {11, 12});
  const std::string range = "slice: The slice went out of range: ";
  EXPECT_EQ(ErrorOf([&] { slice(*a, Shape2(0, 0), Shape2(4, 6)); }),
            range + "end = 6 is not one of 0 to 5, the extent of axis 1");
  EXPECT_EQ(ErrorOf([&] { slice(*a, {-5, 0}, {4, 5}); }),
            range + "begin = -5 is not one of 0 to 4, the extent of axis 0");
  EXPECT_EQ(ErrorOf([&] { slice(*a, Shape2(3, 0), Shape2(2, 5)); }),
            range + "end = 2 is not one of 3 to 4, the extent of axis 0");
  EXPECT_EQ(ErrorOf([&] { slice(*a, Shape2(0, 0), Shape2(4, 5), Shape2(1, 0)); }),
            "slice: step = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { slice(*a, {0, 0}, {4, 5}, {-1, 1}); }),
            "slice: step = -1 must be positive");
  if (sizeof(index_t) == 4) {
    EXPECT_NE(ErrorOf([&] { slice(*a, {0, 0}, {4, std::ptrdiff_t(1) << 32}); })
                  .find("slice: end = 4294967296 is out of range"), std::string::npos);
  }
}

}  // namespace
}  // namespace mshadow
