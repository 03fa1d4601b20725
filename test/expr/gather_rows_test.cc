// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/gather_rows.h>

#include <mshadow/tensor.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// The columns around those of whole vectors and whole lines, and around the most that are repeated.
constexpr index_t kColumns[] = {1,  2,  3,  4,  5,  6,   7,   8,   9,   12,  13,  15,  16,
                                17, 24, 31, 33, 56, 100, 127, 128, 129, 200, 255, 256, 257};

TEST(GatherRows, WhichPlansHaveThem) {
  Guarded<1> row(Shape1(3));
  Guarded<2> a(Shape2(5, 3)), tall(Shape2(5, 1));
  const auto bytes = [](const auto& e) { return kGatherBytesOf<decltype(MakePlan(e))>; };
  constexpr int kEvaluated = expr::detail::kEvaluated;
  EXPECT_EQ(bytes(*a), 4);
  EXPECT_EQ(bytes(*a * 2.0f), 4);
  EXPECT_EQ(bytes(slice<1>(*a, 0, 2) - *tall), 8);
  EXPECT_EQ(bytes(slice<0>(*a, 0, 2)), 4);
  EXPECT_EQ(bytes(slice(*a, Shape2(0, 0), Shape2(2, 2))), 4);
  EXPECT_EQ(bytes(repmat(*row, 5)), 4);
  EXPECT_EQ(bytes(F<op::exp>(repmat(*row, 5) * *a)), 8);
  EXPECT_EQ(bytes(F<op::clip>(*a, repmat(*row, 5), 1.0f)), 8);
  EXPECT_EQ(bytes(tcast<double>(repmat(*row, 5))), 4);
  EXPECT_EQ(bytes(broadcast_to(*tall, a->shape_)), 4);
  EXPECT_EQ(bytes(repmat(*row + 1.0f, 5)), kEvaluated + 4);  // not in memory
  EXPECT_EQ(bytes(a->T()), kEvaluated + 4);
  EXPECT_EQ(bytes(*a + mirror(*a) + mirror(*a)), 2 * kEvaluated + 12);
  EXPECT_EQ(bytes(tcast<double>(mirror(*a))), kEvaluated + 4);
  EXPECT_EQ(bytes(tcast<half::half_t>(mirror(*a))) % kEvaluated, MSHADOW_HALF_CONVERT ? 2 : 4);
}

// rows * columns of every width, and as many rows as are too few, just enough, and leave a rest.
TEST(GatherRows, EveryWidth) {
  ForEachIsa([] {
    for (index_t columns : kColumns) {
      for (index_t rows : {index_t{1}, index_t{7}, index_t{40}, 9000 / columns + 3}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
        Guarded<1> bias(Shape1(columns), 0, 1), scale(Shape1(columns));
        Guarded<2> a(Shape2(rows, columns), 0, 1), out(a->shape_, 0, 3);
        FillWhole(a, 1000);
        FillWhole(bias, 1000, 2);
        FillWhole(scale, 10, 3);
        std::vector<double> sums(out.Size()), both(out.Size()), copies(out.Size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
          copies[i] = bias.At(i % columns);
          sums[i] = a.At(i) + copies[i];
          both[i] = sums[i] - (a.At(i) - copies[i]) * scale.At(i % columns);
        }
        *out = *a + repmat(*bias, rows);
        ExpectValues(out, sums);
        *out -= (*a - broadcast<1>(*bias, a->shape_)) * repmat(*scale, rows);
        ExpectValues(out, both);
        *out = repmat(*bias, rows);
        ExpectValues(out, copies);
      }
    }
  });
}

TEST(GatherRows, EveryDType) {
  ForEachIsa([] {
    ForEachDType([](auto zero) {
      using DType = decltype(zero);
      for (index_t columns : {1, 3, 10, 17, 100}) {
        SCOPED_TRACE(columns);
        Guarded<1, DType> bias(Shape1(columns), 0, 1);
        Guarded<2, DType> a(Shape2(2000 / columns + 1, columns), 0, 1), out(a->shape_, 0, 1);
        FillWhole(a, 50);
        FillWhole(bias, 50, 2);
        std::vector<double> expected = Values(a), addends = Values(bias);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += addends[i % columns];
        *out = *a + repmat(*bias, a->shape_[0]);
        ExpectValues(out, expected);
      }
    });
  });
}

// What is padded, transposed, or of other rows is computed row by row, beside what is repeated too.
TEST(GatherRows, BesideWhatCannotBeJoined) {
  ForEachIsa([] {
    for (index_t columns : {3, 10, 64}) {
      SCOPED_TRACE(columns);
      Guarded<1> bias(Shape1(columns)), of_rows(Shape1(500));
      Guarded<2> a(Shape2(500, columns)), padded(a->shape_, 5), out(a->shape_);
      Guarded<2> turned(Shape2(columns, 500)), padded_out(a->shape_, 1);
      FillWhole(a, 100);
      FillWhole(padded, 100, 2);
      FillWhole(turned, 100, 3);
      FillWhole(bias, 100, 4);
      FillWhole(of_rows, 100, 5);
      const std::size_t n = columns;
      std::vector<double> one(out.Size()), two(one), three(one), four(one);
      for (std::size_t i = 0; i < one.size(); ++i) {
        const std::size_t y = i / n, x = i % n;
        one[i] = bias.At(x) + padded.At(i);
        two[i] = bias.At(x) * turned.At(x * 500 + y);
        three[i] = bias.At(x) - of_rows.At(y);
        four[i] = bias.At(x) + a.At(i);
      }
      *out = repmat(*bias, 500) + *padded;
      ExpectValues(out, one);
      *out = repmat(*bias, 500) * turned->T();
      ExpectValues(out, two);
      *out = repmat(*bias, 500) - broadcast<0>(*of_rows, a->shape_);
      ExpectValues(out, three);
      *padded_out = repmat(*bias, 500) + *a;
      ExpectValues(padded_out, four);
    }
  });
}

// More rows than there is room for: the statement is computed as if none were repeated.
TEST(GatherRows, OfFiveOperands) {
  ForEachIsa([] {
    Guarded<1> b(Shape1(3)), c(Shape1(3)), d(Shape1(3)), e(Shape1(3)), f(Shape1(3));
    Guarded<2> a(Shape2(5000, 3)), out(a->shape_);
    FillWhole(a, 50);
    int seed = 2;
    for (auto* row : {&b, &c, &d, &e, &f}) FillWhole(*row, 50, seed++);
    std::vector<double> four(out.Size()), five(out.Size());
    for (std::size_t i = 0; i < five.size(); ++i) {
      const std::size_t x = i % 3;
      four[i] = a.At(i) * b.At(x) + (c.At(x) - d.At(x)) * e.At(x);
      five[i] = four[i] - f.At(x);
    }
    const auto of_four =
        *a * repmat(*b, 5000) + (repmat(*c, 5000) - repmat(*d, 5000)) * repmat(*e, 5000);
    *out = of_four;
    ExpectValues(out, four);
    *out = of_four - repmat(*f, 5000);
    ExpectValues(out, five);
  });
}

TEST(GatherRows, TypesAndTernary) {
  ForEachIsa([] {
    Guarded<1, uint8_t> bias(Shape1(3), 0, 1);
    Guarded<1> low(Shape1(3)), high(Shape1(3));
    Guarded<2> a(Shape2(700, 3)), out(a->shape_);
    FillWhole(a, 100);
    FillWhole(bias, 200);
    for (std::size_t x = 0; x < 3; ++x) {
      low.At(x) = 10.0f * static_cast<float>(x + 1);
      high.At(x) = 20.0f * static_cast<float>(x + 2);
    }
    std::vector<double> sums(out.Size()), clipped(out.Size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t x = i % 3;
      sums[i] = a.At(i) + 2.0 * bias.At(x);
      clipped[i] = std::min<double>(std::max(a.At(i), low.At(x)), high.At(x));
    }
    *out = *a + tcast<float>(repmat(*bias, 700)) * 2.0f;
    ExpectValues(out, sums);
    *out = F<op::clip>(*a, repmat(*low, 700), repmat(*high, 700));
    ExpectValues(out, clipped);
  });
}

// broadcast_to of one row, of an image, and of what is not one row.
TEST(GatherRows, OfOtherRanks) {
  ForEachIsa([] {
    Guarded<4> images(Shape4(4, 9, 11, 3)), out(images->shape_), bias(Shape4(1, 1, 1, 3));
    Guarded<4> of_each(Shape4(4, 1, 1, 3)), of_rows(Shape4(4, 9, 11, 1));
    FillWhole(images, 100);
    FillWhole(bias, 100, 2);
    FillWhole(of_each, 100, 3);
    FillWhole(of_rows, 100, 4);
    std::vector<double> one(out.Size()), each(one), rows(one);
    for (std::size_t i = 0; i < one.size(); ++i) {
      one[i] = images.At(i) + bias.At(i % 3);
      each[i] = images.At(i) + of_each.At(i / 297 * 3 + i % 3);
      rows[i] = images.At(i) * of_rows.At(i / 3) + bias.At(i % 3);
    }
    *out = *images + broadcast_to(*bias, images->shape_);
    ExpectValues(out, one);
    *out = *images + broadcast_to(*of_each, images->shape_);
    ExpectValues(out, each);
    *out = *images * broadcast_to(*of_rows, images->shape_) + broadcast_to(*bias, images->shape_);
    ExpectValues(out, rows);
  });
}

// One element in all, of which no second is read.
TEST(GatherRows, OfOneElement) {
  ForEachIsa([] {
    std::vector<float> element(1, 7.0f);
    const Tensor<cpu, 2> one(element.data(), Shape2(1, 1));
    Guarded<2> a(Shape2(100, 200)), out(a->shape_);
    FillWhole(a, 100);
    std::vector<double> expected = Values(a);
    for (double& value : expected) value += 7;
    *out = *a + broadcast_to(one, a->shape_);
    ExpectValues(out, expected);
  });
}

// The row is of the destination, and of the elements around it.
TEST(GatherRows, OfItself) {
  ForEachIsa([] {
    Guarded<2> a(Shape2(400, 3));
    FillWhole(a, 100);
    std::vector<double> expected = Values(a);
    const std::vector<double> before = expected;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += 2 * before[3 * 7 + i % 3];
    const Tensor<cpu, 1> row = (*a)[7];
    *a += repmat(row, 400) * 2.0f;
    ExpectValues(a, expected);
  });
}

TEST(GatherRows, LargeIsSplitAmongThreads) {
  for (index_t columns : {3, 16, 100}) {
    Guarded<1> bias(Shape1(columns));
    Guarded<2> a(Shape2(1000001 / columns, columns)), out(a->shape_);
    FillWhole(a, 1000);
    FillWhole(bias, 1000, 2);
    std::vector<double> expected = Values(a);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias.At(i % columns);
    *out = *a + repmat(*bias, a->shape_[0]);
    ExpectValues(out, expected);
  }
}

}  // namespace
}  // namespace mshadow
