// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/concat.h>

#include <mshadow/extension/cumsum.h>
#include <mshadow/extension/mirror.h>
#include <mshadow/extension/slice.h>
#include <mshadow/extension/slice_ex.h>
#include <mshadow/extension/transpose.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// Where element i of a concat along `axis` comes from: operand, and position there.
template <int dim>
std::pair<int, std::size_t> Origin(const Shape<dim>& whole, int axis,
                                   const std::vector<std::size_t>& lengths, std::size_t i) {
  const std::size_t inner = whole.ProdShape(axis + 1, dim);
  const std::size_t outer = i / inner / whole[axis];
  std::size_t at = i / inner % whole[axis];
  int operand = 0;
  while (at >= lengths[operand]) at -= lengths[operand++];
  return {operand, (outer * lengths[operand] + at) * inner + i % inner};
}

template <int axis, int dim>
void CheckConcat(Shape<dim> shape, index_t n1, index_t n2, index_t pad1, index_t pad2) {
  Shape<dim> shape1 = shape, shape2 = shape;
  shape1[axis] = n1;
  shape2[axis] = n2;
  shape[axis] = n1 + n2;
  Guarded<dim> a(shape1, pad1, 1), b(shape2, pad2), c(shape, 1), out(shape, pad1);
  FillWhole(a, 1000);
  FillWhole(b, 1000, 2);
  FillWhole(c, 1000, 3);
  std::vector<double> joined, expected, of[2] = {Values(a), Values(b)};
  for (std::size_t i = 0; i < out.Size(); ++i) {
    const auto from = Origin(shape, axis, {std::size_t(n1), std::size_t(n2)}, i);
    joined.push_back(of[from.first][from.second]);
    of[from.first][from.second] += 2 * c.At(i);
    expected.push_back(joined[i] * 3 + c.At(i));
  }
  *out = concat<axis>(*a, *b);
  ExpectValues(out, joined);
  *out += concat<axis>(*a, *b) * 2.0f + *c;
  ExpectValues(out, expected);
  concat<axis>(*a, *b) += *c * 2.0f;
  ExpectValues(a, of[0]);
  ExpectValues(b, of[1]);
  concat<axis>(*a, *b) = 5;
  ExpectValues(a, std::vector<double>(a.Size(), 5));
  ExpectValues(b, std::vector<double>(b.Size(), 5));
}

TEST(Concat, EveryRankAndAxis) {
  ForEachIsa([] {
    for (index_t pad : {0u, 3u}) {
      CheckConcat<0>(Shape1(0), 5, 40, pad, 0);
      CheckConcat<0>(Shape2(0, 33), 2, 5, pad, pad);
      CheckConcat<1>(Shape2(7, 0), 33, 18, pad, 0);
      CheckConcat<1>(Shape3(3, 0, 9), 4, 6, 0, pad);
      CheckConcat<2>(Shape3(2, 5, 0), 1, 20, pad, pad);
      CheckConcat<0>(Shape4(0, 2, 3, 5), 2, 4, pad, pad);
      CheckConcat<1>(Shape4(2, 0, 3, 5), 2, 4, pad, 0);
      CheckConcat<3>(Shape5(2, 1, 3, 0, 7), 2, 1, pad, pad);
      CheckConcat<4>(Shape5(2, 1, 3, 2, 0), 8, 9, 0, pad);
      CheckConcat<1>(Shape2(4, 0), 0, 9, pad, 0);
      CheckConcat<0>(Shape2(0, 9), 3, 0, pad, 0);
    }
  });
}

TEST(Concat, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 3)), b(Shape2(2, 2), 1), out(Shape2(2, 5));
    a.FillIota();
    b.FillIota();
    *out = concat<1>(*a, *b);
    ExpectValues(out, {0, 1, 2, 0, 1, 3, 4, 5, 2, 3});
    concat<1>(*a, *b) = *out + *out;
    ExpectValues(a, {0, 2, 4, 6, 8, 10});
    ExpectValues(b, {0, 2, 4, 6});
  });
}

/// Four operands: nested as users of 2.x wrote it, and in one call; along `axis` of two.
template <int axis>
void CheckFour() {
  const auto shape = [](index_t n) { return axis == 0 ? Shape2(n, 12) : Shape2(12, n); };
  Guarded<2> a(shape(3)), b(shape(1), 2), c(shape(4), 1), d(shape(2));
  Guarded<2> x(shape(10), 1), y(shape(10));
  FillWhole(x, 1000);
  std::vector<double> of[4];
  for (std::size_t i = 0; i < x.Size(); ++i) {
    of[Origin(x->shape_, axis, {3, 1, 4, 2}, i).first].push_back(x.At(i));
  }
  const auto expect = [&] {
    ExpectValues(a, of[0]);
    ExpectValues(b, of[1]);
    ExpectValues(c, of[2]);
    ExpectValues(d, of[3]);
    for (auto* t : {&a, &b, &c, &d}) **t = 0.0f;
  };
  concat<axis>(concat<axis>(*a, *b), concat<axis>(*c, *d)) = *x;
  *y = concat<axis>(*a, *b, *c, *d);
  ExpectValues(y, Values(x));
  expect();
  concat<axis>(*a, *b, *c, *d) = *x;
  *y = concat<axis>(concat<axis>(*a, *b), concat<axis>(*c, *d));
  ExpectValues(y, Values(x));
  expect();
  concat<-2 + axis>(*a, concat<axis>(*b, *c, *d)) += *x * 1.0f;
  expect();
}

TEST(Concat, OfFour) {
  ForEachIsa([] {
    CheckFour<0>();
    CheckFour<1>();
  });
}

// Operands whose cursors differ: each along the axis of the other, slices and steps.
TEST(Concat, OfOtherViews) {
  Guarded<2> a(Shape2(3, 4), 1), b(Shape2(3, 3)), c(Shape2(2, 14)), out(Shape2(5, 7), 2);
  FillWhole(a, 100);
  FillWhole(b, 100, 2);
  FillWhole(c, 100, 3);
  const auto view = [&] {
    return concat<0>(concat<1>(*a, *b), slice(*c, Shape2(0, 1), Shape2(2, 14), Shape2(1, 2)));
  };
  std::vector<double> expected;
  for (int i = 0; i < 35; ++i) {
    const int y = i / 7, x = i % 7;
    expected.push_back(y > 2 ? c.At((y - 3) * 14 + 1 + 2 * x)
                             : x < 4 ? a.At(y * 4 + x) : b.At(y * 3 + x - 4));
  }
  *out = view();
  ExpectValues(out, expected);
  *out = mirror(mirror(view() * 1.0f));
  ExpectValues(out, expected);
  const std::vector<double> of_a = Values(a), of_c = Values(c);
  view() *= 2.0f;
  EXPECT_EQ(a.At(5), 2 * of_a[5]);
  EXPECT_EQ(c.At(1), 2 * of_c[1]);
  EXPECT_EQ(c.At(2), of_c[2]);
  Guarded<2> cut(Shape2(4, 5));
  *cut = slice<1>(slice<0>(view(), 1, 5), 2, 7);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(cut.At(i), 2 * expected[(i / 5 + 1) * 7 + i % 5 + 2]);
  }
  slice<1>(concat<1>(*a, *b), 3, 5) = 1.0f;
  EXPECT_EQ(a.At(3), 1.0f);
  EXPECT_EQ(b.At(0), 1.0f);
  EXPECT_EQ(a.At(2), 2 * of_a[2]);
  Guarded<2> wide(Shape2(2, 26));
  *wide = concat<1>(slice<0>(view(), 3, 5), *c, slice<1>(*c, 0, 5));
  for (int i = 0; i < 26; ++i) {
    EXPECT_EQ(wide.At(i), c.At(i < 7 ? 1 + 2 * i : i < 21 ? i - 7 : i - 21)) << i;
  }
}

// What transposes, what fills blocks of rows, and what reads the targets in another order.
TEST(Concat, AssignedInParts) {
  ForEachIsa([] {
    for (index_t n : {1u, 3u, 40u}) {
      Guarded<2> a(Shape2(50, n), 1), b(Shape2(50, 7)), x(Shape2(n + 7, 50));
      Guarded<2> sums(Shape2(50, n + 7));
      FillWhole(x, 100);
      concat<1>(*a, *b) = transpose(*x, Shape2(1, 0)) * 2.0f;
      for (index_t i = 0; i < 50 * (n + 7); ++i) {
        const index_t row = i / (n + 7), col = i % (n + 7);
        EXPECT_EQ(col < n ? a.At(row * n + col) : b.At(row * 7 + col - n),
                  2 * x.At(col * 50 + row));
      }
      *sums = concat<1>(*a, *b) + cumsum(concat<1>(*a, *b), 0);
      concat<1>(*a, *b) += cumsum(concat<1>(*a, *b), 0);
      Guarded<2> joined(sums->shape_);
      *joined = concat<1>(*a, *b);
      ExpectValues(joined, Values(sums));
      *sums = mirror(concat<1>(*a, *b));
      concat<1>(*a, *b) = mirror(concat<1>(*a, *b));
      *joined = concat<1>(*a, *b);
      ExpectValues(joined, Values(sums));
    }
  });
}

// Wide rows, more than a cache is near: both operands in one loop.
TEST(Concat, OfWideRows) {
  Guarded<2> a(Shape2(601, 200), 1), b(Shape2(601, 299)), x(Shape2(601, 499)), joined(x->shape_);
  FillWhole(x, 100);
  concat<1>(*a, *b) = *x;
  EXPECT_EQ(a.At(600 * 200 + 199), x.At(600 * 499 + 199));
  EXPECT_EQ(b.At(600 * 299 + 298), x.At(601 * 499 - 1));
  *joined = concat<1>(*a, *b);
  ExpectValues(joined, Values(x));
}

TEST(Concat, ReducedAndInChainers) {
  Guarded<3> a(Shape3(2, 3, 5), 1), b(Shape3(2, 4, 5));
  FillWhole(a);
  FillWhole(b);
  Guarded<1> sums(Shape1(7)), columns(Shape1(5));
  std::vector<double> sum(7, 0.0), column(5, 0.0);
  for (int i = 0; i < 30; ++i) {
    sum[i / 5 % 3] += 2 * a.At(i);
    column[i % 5] += a.At(i);
  }
  for (int i = 0; i < 40; ++i) {
    sum[3 + i / 5 % 4] += 2 * b.At(i);
    column[i % 5] += b.At(i);
  }
  *sums = sumall_except_dim<1>(concat<1>(*a, *b) * 2.0f);
  ExpectValues(sums, sum);
  *columns = sumall_except_dim<2>(concat<1>(*a, *b));
  ExpectValues(columns, column);
  Guarded<1> first(Shape1(3)), second(Shape1(4));
  concat<0>(*first, *second) = sumall_except_dim<1>(concat<1>(*a, *b) * 2.0f);
  ExpectValues(first, {sum[0], sum[1], sum[2]});
  ExpectValues(second, {sum[3], sum[4], sum[5], sum[6]});
  Guarded<2> flat(Shape2(7, 10));
  *flat = reshape(concat<1>(*a, *b), flat->shape_);
  EXPECT_EQ(flat.At(15), b.At(0));
  EXPECT_EQ(flat.At(35), a.At(15));
}

TEST(Concat, OfOneTypeToTheOtherAndOfItself) {
  Guarded<2> a(Shape2(2, 2)), b(Shape2(2, 3)), c(Shape2(2, 2)), d(Shape2(2, 3));
  FillWhole(c);
  FillWhole(d);
  concat<1>(*a, *b) = concat<1>(*c, *d);
  ExpectValues(a, Values(c));
  ExpectValues(b, Values(d));
  a.FillIota();
  *c = *a + 10.0f;
  concat<1>(*a, *c) = concat<1>(*c, *a);
  ExpectValues(a, {10, 11, 12, 13});
  ExpectValues(c, {0, 1, 2, 3});
  concat<0>(*a, *c) = mirror(concat<0>(*c, *a));
  ExpectValues(a, {1, 0, 3, 2});
  ExpectValues(c, {11, 10, 13, 12});
}

TEST(Concat, WrittenTellsOtherMemoryApart) {
  Guarded<2> a(Shape2(9, 4));
  const auto part = [&](index_t i) { return a->Slice(3 * i, 3 * i + 3); };
  const auto meets = [](const auto& read, const auto& dst) {
    return mshadow::detail::ReadsTarget<false>(read, dst, true);
  };
  EXPECT_FALSE(meets(part(1), concat<0>(part(0), part(2)))) << "between the two";
  EXPECT_TRUE(meets(part(2), concat<0>(part(0), part(2))));
  EXPECT_FALSE(meets(concat<0>(part(0), part(2)), part(1)));
  EXPECT_TRUE(meets(part(0), slice<0>(concat<0>(part(0), part(2)), 1, 2)));
  EXPECT_FALSE(meets(part(1), slice<0>(concat<0>(part(0), part(2)), 1, 2)));
}

TEST(Concat, StreamOfBothOrNone) {
  Stream<TestDevice> one, other;
  Guarded<1> a(Shape1(2)), b(Shape1(2));
  a->set_stream(&one);
  b->set_stream(&one);
  const auto stream = [](const auto& e) {
    return StreamInfo<TestDevice, std::decay_t<decltype(e)>>::Get(e);
  };
  EXPECT_EQ(stream(concat<0>(*a, *b)), &one);
  b->set_stream(&other);
  EXPECT_EQ(stream(concat<0>(*a, *b)), nullptr);
  EXPECT_EQ(stream(slice<0>(*b, 0, 1)), &other);
}

TEST(Concat, Errors) {
  Guarded<2> a(Shape2(2, 3)), b(Shape2(3, 3)), out(Shape2(4, 3));
  const std::string message = ErrorOf([&] { concat<1>(*a, *b); });
  EXPECT_NE(message.find("concat: shape mismatch"), std::string::npos);
  EXPECT_NE(message.find("Shape1=(2,3), Shape2=(3,3)"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { *out = concat<0>(*a, *b); }).find("(5,3)"), std::string::npos);
}

// Operands that are expressions, beside tensors, along each axis.
TEST(Concat, OfExpressions) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(4, 6), 1), b(Shape2(4, 10)), wide(Shape2(4, 22), 1), high(Shape2(8, 6));
    FillWhole(a, 9);
    FillWhole(b, 9, 2);
    std::vector<double> side, below;
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 6; ++x) side.push_back(a.At(6 * y + x) + 1);
      for (std::size_t x = 0; x < 5; ++x) {
        side.push_back(std::max(b.At(10 * y + 2 * x), b.At(10 * y + 2 * x + 1)));
      }
      for (std::size_t x = 0; x < 10; ++x) side.push_back(b.At(10 * y + x));
      side.push_back(7);
    }
    for (std::size_t i = 0; i < 24; ++i) below.push_back(a.At(i));
    for (std::size_t i = 0; i < 24; ++i) below.push_back(2 * a.At(i));
    const auto column = broadcast_scalar(range(7.0f, 8.0f), Shape2(4, 1));
    *wide = concat<1>(*a + 1.0f, pool<red::maximum>(*b, 1, 2, 1, 2), *b, column);
    ExpectValues(wide, side);
    *high = concat<0>(*a, 2.0f * *a);
    ExpectValues(high, below);
    Guarded<2> none(Shape2(4, 0)), same(Shape2(4, 6));
    EXPECT_NE(ErrorOf([&] { *same = concat<1>(*none, 2.0f * *a); }).find("no element"),
              std::string::npos);
  });
}

// What lies in the destination is read before it is overwritten.
TEST(Concat, OfExpressionsOfTheDestination) {
  Guarded<1> a(Shape1(9));
  for (std::size_t i = 0; i < 9; ++i) a.At(i) = static_cast<float>(i);
  *a = concat<0>(slice<0>(*a + 10.0f, 6, 9), slice<0>(*a * 1.0f, 0, 6));
  ExpectValues(a, {16, 17, 18, 0, 1, 2, 3, 4, 5});
}

}  // namespace
}  // namespace mshadow
