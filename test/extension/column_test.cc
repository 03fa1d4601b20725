// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/column.h>

#include "uses.h"

namespace mshadow {
namespace column_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

/// Column `index` of a source with as many columns, of every use.
template <int dim>
void CheckColumn(const Shape<dim>& shape, index_t index) {
  Shape<dim - 1> outer;
  for (int k = 0; k < dim - 1; ++k) outer[k] = shape[k];
  const std::size_t cols = shape[dim - 1];
  for (index_t pad : {0, 3}) {
    Guarded<dim> a(shape, pad, 1);
    FillWhole(a, 50);
    std::vector<double> all = Values(a), expected;
    for (std::size_t i = index; i < all.size(); i += cols) expected.push_back(all[i]);
    ExpectUses(outer, expected, [&] { return Column(*a, index); });
    ForEachIsa([&] {
      Guarded<dim - 1> b(outer, pad);
      FillWhole(b, 50, 2);
      FillWhole(a, 50);
      std::vector<double> after = all;
      const auto each = [&](const auto& f) {
        for (std::size_t i = 0; i < b.Size(); ++i) {
          double& element = after[i * cols + index];
          element = f(element, b.At(i));
        }
        ExpectValues(a, after);
      };
      Column(*a, index) = *b * 3.0f;
      each([](double, double v) { return 3 * v; });
      Column(*a, index) += *b + 1.0f;
      each([](double was, double v) { return was + v + 1; });
      Column(*a, index) *= 2.0f;
      each([](double was, double) { return 2 * was; });
      Column(*a, index) = Column(*a, index) - *b;
      each([](double was, double v) { return was - v; });
      Column(*a, index) = 4;
      each([](double, double) { return 4.0; });
    });
  }
}

TEST(Column, EveryRank) {
  CheckColumn(Shape2(37, 5), 0);
  CheckColumn(Shape2(37, 5), 4);
  CheckColumn(Shape2(131, 2), 1);
  CheckColumn(Shape2(9, 1), 0);
  CheckColumn(Shape2(1, 9), 3);
  CheckColumn(Shape2(0, 3), 2);
  CheckColumn(Shape3(3, 17, 4), 2);
  CheckColumn(Shape3(5, 1, 2), 1);
  CheckColumn(Shape4(2, 3, 5, 7), 6);
  CheckColumn(Shape5(2, 2, 3, 2, 3), 1);
}

TEST(Column, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(50, 3), 1);
    Guarded<1, DType> b(Shape1(50)), out(Shape1(50));
    FillWhole(a, 20);
    FillWhole(b, 20, 2);
    std::vector<double> all = Values(a), expected;
    for (std::size_t i = 0; i < 50; ++i) expected.push_back(all[3 * i + 1] + b.At(i));
    *out = Column(*a, 1) + *b;
    ExpectValues(out, expected);
    Column(*a, 1) += *b;
    for (std::size_t i = 0; i < 50; ++i) all[3 * i + 1] = expected[i];
    ExpectValues(a, all);
  });
}

// Columns of one tensor do not meet: one statement reads one and writes another.
TEST(Column, OfItself) {
  Guarded<2> a(Shape2(40, 3), 1);
  FillWhole(a, 90);
  std::vector<double> all = Values(a);
  Column(*a, 0) = Column(*a, 2) * 2.0f + Column(*a, 0);
  for (std::size_t i = 0; i < 40; ++i) all[3 * i] += 2 * all[3 * i + 2];
  ExpectValues(a, all);
  // A part of the column, one row on.
  Column(a->Slice(1, 40), 1) = Column(a->Slice(0, 39), 1) + 1.0f;
  for (std::size_t i = 40; i-- > 1;) all[3 * i + 1] = all[3 * i - 2] + 1;
  ExpectValues(a, all);
  // Copied elements, not a view that is bound anew.
  auto column = Column(*a, 2);
  column = Column(*a, 1);
  for (std::size_t i = 0; i < 40; ++i) all[3 * i + 2] = all[3 * i + 1];
  ExpectValues(a, all);
  // Its matrix is read at other elements.
  Guarded<2> square(Shape2(5, 5));
  FillWhole(square);
  all = Values(square);
  std::vector<double> expected = all;
  for (std::size_t i = 0; i < 5; ++i) expected[5 * i + 3] = all[10 + i];
  Column(*square, 3) = (*square)[2];
  ExpectValues(square, expected);
  const auto meets = [](const auto& read, const auto& dst, bool same_index) {
    return Overlaps(read, dst.Written(), same_index);
  };
  EXPECT_FALSE(meets(Column(*a, 0), Column(*a, 1), false));
  EXPECT_FALSE(meets(Column(*a, 1), Column(*a, 1), true));
  EXPECT_TRUE(meets(Column(*a, 1), Column(*a, 1), false));
  EXPECT_TRUE(meets(*a, Column(*a, 1), true));
}

// Columns of pages have several rows: written by columns of pages, and repeated.
TEST(Column, OfPages) {
  Guarded<3> a(Shape3(3, 5, 2)), b(Shape3(3, 5, 4), 1);
  Guarded<3> repeated(Shape3(3, 5, 7));
  FillWhole(a, 90);
  FillWhole(b, 90, 2);
  std::vector<double> all = Values(a), expected;
  const std::vector<double> source = Values(b);
  for (std::size_t i = 0; i < 15; ++i) {
    all[2 * i + 1] = source[4 * i + 3];
    expected.insert(expected.end(), 7, source[4 * i + 2]);
  }
  Column(*a, 1) = Column(*b, 3);
  ExpectValues(a, all);
  *repeated = broadcast_with_axis(Column(*b, 2), 1, 7);
  ExpectValues(repeated, expected);
  // A column of a matrix is one row, and loops may leave out the others.
  EXPECT_FALSE(kFactsOf<PlanOf<decltype(Column(*b, 2))>>.one_row);
  EXPECT_TRUE(kFactsOf<PlanOf<decltype(Column((*b)[0], 2))>>.one_row);
}

TEST(Column, OfOtherViewsAndExpressions) {
  Guarded<3> a(Shape3(3, 4, 6), 2);
  FillWhole(a, 100);
  std::vector<double> all = Values(a), expected;
  Guarded<1> out(Shape1(3));
  for (std::size_t i = 0; i < 3; ++i) expected.push_back(all[i * 24 + 2 * 6 + 5]);
  *out = Column(Column(*a, 5), 2);
  ExpectValues(out, expected);
  Column(Column(*a, 5), 2) = 7;
  for (std::size_t i = 0; i < 3; ++i) all[i * 24 + 2 * 6 + 5] = 7;
  ExpectValues(a, all);
  Column(slice<2>(*a, 1, 4), 2) *= 2.0f;
  for (std::size_t i = 0; i < 12; ++i) all[i * 6 + 3] *= 2;
  ExpectValues(a, all);
  Guarded<2> sums(Shape2(3, 4));
  *sums = Column(*a + 1.0f, -1) + Column(flip(*a, 2), 0);
  expected.clear();
  for (std::size_t i = 0; i < 12; ++i) expected.push_back(2 * all[i * 6 + 5] + 1);
  ExpectValues(sums, expected);
  Guarded<2> left(Shape2(4, 2)), right(Shape2(4, 3));
  FillWhole(left);
  FillWhole(right);
  Column(concat<1>(*left, *right), 3) = 9;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(right.At(3 * i + 1), 9);
}

TEST(Column, Errors) {
  Guarded<2> a(Shape2(3, 5));
  Guarded<1> out(Shape1(4));
  const std::string range = "is out of range: -5 to 4, the columns of the source";
  EXPECT_EQ(ErrorOf([&] { Column(*a, 5); }), "Column: index = 5 " + range);
  EXPECT_EQ(ErrorOf([&] { Column(*a, -6); }), "Column: index = -6 " + range);
  EXPECT_NE(ErrorOf([&] { *out = Column(*a, 0); }).find("eshape: (3,) dshape:(4,)"),
            std::string::npos);
  Guarded<2> none(Shape2(3, 0));
  EXPECT_NE(ErrorOf([&] { Column(*none, 0); }).find("Column: index = 0 is out of range"),
            std::string::npos);
}

}  // namespace
}  // namespace column_test
}  // namespace mshadow
