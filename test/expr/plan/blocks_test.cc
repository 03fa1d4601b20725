// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/blocks.h>

#include <mshadow/tensor.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// A block holds every step-th row of a plan.
TEST(Blocks, AsAPlan) {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  expr::detail::BlockPlan<float> block{memory, 3, 10, 100, FastDivmod(4)};
  EXPECT_EQ(RowOf(block, 10).Eval(100), 1);
  EXPECT_EQ(RowOf(block, 14).Eval(102), 6);
  RowOf(block, 14).REval(101) = 7;
  EXPECT_EQ(memory[4], 7);
  EXPECT_EQ(RowOf(block, 14).Pointer(101), memory + 4);
}

// Rows of a block join where nothing lies between them, neither in memory nor in the plan.
TEST(Blocks, AreFlat) {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  const expr::detail::BlockPlan<float> block{memory, 3, 0, 0, FastDivmod(1)};
  EXPECT_TRUE(IsFlat(block, 3));
  EXPECT_FALSE(IsFlat(block, 2));
  EXPECT_EQ(RowOf(block, 0).Eval(5), RowOf(block, 1).Eval(2));
  EXPECT_FALSE(IsFlat(expr::detail::BlockPlan<float>{memory, 3, 0, 0, FastDivmod(4)}, 3));
}

// An operand that is computed aside within one that repeats it may be asked for no element.
TEST(Blocks, OfNoColumn) {
  Guarded<2> a(Shape2(5, 4), 1), centred(Shape2(5, 4), 1);
  FillWhole(a, 9);
  *centred = *a - broadcast_keepdim(reduce_keepdim<red::sum, false>(*a, 1) * 0.25f, 1, 4);
  std::vector<double> expected;
  for (std::size_t y = 0; y < 5; ++y) {
    double mean = 0;
    for (std::size_t x = 0; x < 4; ++x) mean += a.At(4 * y + x) / 4;
    for (std::size_t x = 0; x < 4; ++x) expected.push_back(a.At(4 * y + x) - mean);
  }
  ExpectValues(centred, expected);
}

// The maximum of pairs of columns, what maps and savers do with it, and with what is transposed or
// lies in the destination.
TEST(Blocks, OfMapsAndSavers) {
  ForEachIsa([] {
    for (index_t columns : {1, 5, 64, 3000}) {
      SCOPED_TRACE(columns);
      const std::size_t w = columns, h = 7;
      Guarded<2> a(Shape2(h, 2 * columns), 1), b(Shape2(h, columns), 3), out(b->shape_, 2);
      Guarded<2> transposed(Shape2(columns, h));
      FillWhole(a, 9);
      FillWhole(b, 7, 2);
      FillWhole(out, 5, 3);
      FillWhole(transposed, 5, 1);
      std::vector<double> maps, savers, itself;
      for (std::size_t i = 0; i < w * h; ++i) {
        const std::size_t y = i / w, x = i % w;
        const double pooled = std::max(a.At(y * 2 * w + 2 * x), a.At(y * 2 * w + 2 * x + 1));
        maps.push_back(3 - pooled * transposed.At(x * h + y));
        savers.push_back(out.At(i) - (pooled * pooled + b.At(i)));
        itself.push_back(out.At(i) * (2 * pooled));
      }
      Guarded<2> second(out->shape_), third(out->shape_, 1);
      *second = *out * 1.0f;
      *third = *out * 1.0f;
      *out -= F<op::square>(pool<red::maximum>(*a, 1, 2, 1, 2)) + *b;
      ExpectValues(out, savers);
      *second = *second * (pool<red::maximum>(*a, 1, 2, 1, 2) * 2.0f);
      ExpectValues(second, itself);
      *third = 3.0f - pool<red::maximum>(*a, 1, 2, 1, 2) * transposed->T();
      ExpectValues(third, maps);
    }
  });
}

// Tiles of a transposing operand are of rows apart, blocks of rows beside each other.
TEST(Blocks, BesideTiles) {
  ForEachIsa([] {
    Guarded<3> a(Shape3(5, 40, 70), 1), b(Shape3(70, 40, 5)), out(a->shape_);
    FillWhole(a, 9);
    FillWhole(b, 7, 2);
    FillWhole(out, 5, 3);
    std::vector<double> sums, products;
    for (std::size_t i = 0; i < 5 * 40 * 70; ++i) {
      const std::size_t x = i % 70, y = i / 70 % 40, z = i / 70 / 40;
      const double product = a.At(i) * b.At((x * 40 + y) * 5 + z);
      sums.push_back(out.At(i) + product);
      products.push_back(product);
    }
    *out += pool<red::maximum>(*a, 1, 1, 1) * swapaxis<2, 0>(*b);
    ExpectValues(out, sums);
    *out = pool<red::maximum>(*a, 1, 1, 1) * swapaxis<2, 0>(*b);
    ExpectValues(out, products);
  });
}

// Sums of operands of one kind, as many as are computed aside, and of different ones: the same as
// of operands that were assigned to tensors before. Rows are short, whole blocks, and longer.
template <typename Operand>
void CheckSums(const Operand& operand, Guarded<2>& out) {
  Guarded<2> a(out->shape_, 1), b(out->shape_), c(out->shape_, 2);
  *a = operand(0);
  *b = operand(1);
  *c = operand(2);
  std::vector<double> sums;
  for (std::size_t i = 0; i < out.Size(); ++i) {
    sums.push_back(a.At(i) * b.At(i) + (c.At(i) - 2 * a.At(i)));
  }
  *out = operand(0) * operand(1) + (operand(2) - 2.0f * operand(0));
  ExpectValues(out, sums);
}

TEST(Blocks, SumsOfEveryKind) {
  ForEachIsa([] {
    for (const Shape<2> shape : {Shape2(6, 4), Shape2(30, 12), Shape2(50, 100), Shape2(4, 2600)}) {
      SCOPED_TRACE(LogText(shape));
      const index_t h = shape[0], w = shape[1];
      for (index_t padding : {0, 1}) {
        Guarded<2> g(shape, padding), wide(Shape2(h, 2 * w), padding), half(Shape2(h, w / 2), 1);
        Guarded<2> turned(Shape2(w, h), padding), out(shape, padding);
        Guarded<1> flat(Shape1(h * w)), index(Shape1(h));
        FillWhole(g, 9);
        FillWhole(wide, 9, 2);
        FillWhole(half, 9, 4);
        FillWhole(turned, 9, 5);
        FillWhole(flat, 9, 6);
        FillWhole(index, 4, 7);
        CheckSums([&](index_t i) { return crop(pad(*g, 1, 2), shape, 1, i); }, out);
        CheckSums([&](index_t i) { return crop(pad(*g, 1, 2, 3.0f), shape, i, 2); }, out);
        CheckSums([&](index_t i) { return roll(*g, i, 1); }, out);
        CheckSums([&](index_t i) { return tile(*half * float(i + 1), Shape2(1, 2)); }, out);
        CheckSums([&](index_t) { return concat<1>(*half, *half); }, out);
        CheckSums([&](index_t i) { return mirror(*g + float(i)); }, out);
        CheckSums([&](index_t) { return flip(*g, 1); }, out);
        CheckSums([&](index_t) { return reshape(*flat, shape); }, out);
        CheckSums([&](index_t) { return reshape(*turned + reshape(*flat, turned->shape_), shape); },
                  out);
        CheckSums([&](index_t i) {
          return slice(*wide, Shape2(0, i % 2), wide->shape_, Shape2(1, 2));
        }, out);
        CheckSums([&](index_t i) { return transpose(*turned + float(i), Shape2(1, 0)); }, out);
        CheckSums([&](index_t i) { return swapaxis<1, 0>(*turned * float(i)); }, out);
        CheckSums([&](index_t) { return turned->T(); }, out);
        CheckSums([&](index_t i) { return pool<red::maximum>(*wide + float(i), 1, 2, 1, 2); }, out);
        CheckSums([&](index_t i) { return take(*index, *g - float(i)); }, out);
        CheckSums([&](index_t) { return one_hot_encode(*index, w); }, out);
        CheckSums([&](index_t i) { return cumsum(*g * float(i), 1); }, out);
        CheckSums([&](index_t i) {
          return cumsum(*g, 0) + slice(*wide, Shape2(0, i % 2), wide->shape_, Shape2(1, 2));
        }, out);
        CheckSums([&](index_t i) {
          return pad(slice<1>(*g, 1, w - 1), 0, 1, float(i)) + resize(*half, h, w) +
                 turned->T() * concat<1>(*half, *half);
        }, out);
      }
    }
  });
}

// A map with operands that are computed aside as an operand of what is no map, of a reduction, and
// assigned to a view in parts.
TEST(Blocks, WithinOthers) {
  ForEachIsa([] {
    Guarded<2> g(Shape2(9, 700), 1), whole(g->shape_), out(g->shape_, 1), left(Shape2(9, 300), 1);
    Guarded<2> right(Shape2(9, 400));
    Guarded<1> sums(Shape1(700));
    FillWhole(g, 9);
    const auto taps = [&] {
      const auto tap = [&](index_t i) { return crop(pad(*g, 1), g->shape_, 1, i); };
      return tap(0) - 2.0f * tap(1) + tap(2);
    };
    *whole = taps();
    *out = *whole * 3.0f;
    const std::vector<double> thrice = Values(out);
    *out = *whole * 2.0f;
    *out += taps();
    ExpectValues(out, thrice);
    *out = mirror(*whole);
    const std::vector<double> mirrored = Values(out);
    *out = mirror(taps());
    ExpectValues(out, mirrored);
    *out = crop(pad(*whole, 2), g->shape_, 1, 3);
    const std::vector<double> cropped = Values(out);
    *out = crop(pad(taps(), 2), g->shape_, 1, 3);
    ExpectValues(out, cropped);
    *sums = sum_rows(*whole);
    const std::vector<double> added = Values(sums);
    *sums = sum_rows(taps());
    ExpectValues(sums, added);
    *sums = reduce_with_axis<red::sum, false>(taps(), 0);
    ExpectValues(sums, added);
    const std::vector<double> all = Values(whole);
    concat<1>(*left, *right) = taps();
    *out = concat<1>(*left, *right);
    ExpectValues(out, all);
    Fuse(lazy(*out) = taps(), lazy(*whole) = *whole * 2.0f);
    ExpectValues(out, all);
  });
}

// Any part of any rows that a plan fills is what it evaluates, and nothing else is written.
template <typename E>
void CheckParts(const E& e) {
  const auto plan = MakePlan(e);
  static_assert(kFillsOf<decltype(plan)>);
  constexpr int kDim = ExpInfo<E>::kDim;
  const Shape<2> shape = ShapeCheck<kDim, E>::Check(e).FlatTo2D();
  const std::ptrdiff_t rows = shape[0], cols = shape[1], stride = cols + 2;
  for (std::ptrdiff_t y = 0; y < rows; ++y) {
    for (std::ptrdiff_t end_y = y + 1; end_y <= rows; ++end_y) {
      for (std::ptrdiff_t x = 0; x < cols; ++x) {
        for (std::ptrdiff_t end = x + 1; end <= cols; ++end) {
          std::vector<float> to((end_y - y) * stride + 1, -77.0f);
          FillBlock(plan, to.data() + 1, stride, y, end_y, x, end);
          std::vector<float> expected(to.size(), -77.0f);
          for (std::ptrdiff_t v = y; v < end_y; ++v) {
            for (std::ptrdiff_t u = x; u < end; ++u) {
              expected[1 + (v - y) * stride + u - x] =
                  plan.Eval(static_cast<index_t>(v), static_cast<index_t>(u));
            }
          }
          ASSERT_EQ(to, expected) << y << ".." << end_y << ", " << x << ".." << end;
        }
      }
    }
  }
}
// Blocks of tensors, of maps, and of plans that fill.
template <typename E>
void CheckPartsOver(const E& e) {
  CheckParts(pad(e, 2, 3, 5.0f));
  for (int shift : {0, 1, 3}) {
    CheckParts(roll(e, shift, 0));
    CheckParts(roll(e, shift, 1));
  }
  CheckParts(roll(reshape(e, Shape3(2, 3, 5)), 2, 1));
  CheckParts(roll(reshape(e, Shape3(3, 2, 5)), 1, 0));
  CheckParts(tile(e, Shape2(2, 3)));
  CheckParts(concat<1>(e, e * 2.0f));
  CheckParts(concat<0>(e, e * 2.0f));
  CheckParts(concat<1>(reshape(e, Shape3(2, 3, 5)), reshape(e * 2.0f, Shape3(2, 3, 5))));
  CheckParts(reshape(e, Shape2(5, 6)));
  CheckParts(reshape(e, Shape2(10, 3)));
  CheckParts(slice(e, {1, 0}, {6, 5}, {2, 2}));
  CheckParts(slice(e, {1, 1}, {6, 5}, {1, 1}));
  CheckParts(flip(e, 0));
  CheckParts(flip(e, 1));
  CheckParts(transpose(reshape(e, Shape3(2, 3, 5)), Shape3(1, 0, 2)));
  CheckParts(transpose(reshape(e, Shape3(2, 3, 5)), Shape3(2, 1, 0)));
}
TEST(Blocks, AnyPart) {
  Guarded<2> a(Shape2(6, 5), 2);
  Guarded<1> index(Shape1(6), 1), three(Shape1(3));
  FillWhole(a, 31);
  FillWhole(index, 7);
  FillWhole(three, 5);
  CheckPartsOver(*a);
  CheckPartsOver(*a * 3.0f);
  CheckPartsOver(roll(*a, 1, 1) - *a);
  CheckParts(mask(*index, roll(*a, 1, 1)));
  CheckParts(take(*three, roll(*a, 1, 1)));
  CheckParts(mat_fill_row_element(*a, *index, *index));
  CheckParts(one_hot_encode(*index, 5));
  CheckParts(range(1.0f, 8.0f, 0.5f, 3));
  CheckParts(broadcast_to(reshape(*three, Shape2(3, 1)), Shape2(3, 4)));
  CheckParts(broadcast_to(reshape(*three, Shape2(1, 3)), Shape2(4, 3)));
}

// What fills, added to tensors and to views, of what it reads too.
TEST(Blocks, AddedTo) {
  ForEachIsa([] {
    for (index_t columns : {1, 3, 40, 1300}) {
      SCOPED_TRACE(columns);
      Guarded<2> a(Shape2(5, columns), 3), out(a->shape_, 1);
      FillWhole(a, 9);
      FillWhole(out, 7, 2);
      const std::vector<double> first = Values(out), source = Values(a);
      const auto rolled = [&](const std::vector<double>& of, std::size_t i) {
        const std::size_t w = columns, x = i % w;
        return of[i - x + (x + w - 1) % w];
      };
      std::vector<double> expected(first.size());
      *out += roll(*a, 1, 1);
      for (std::size_t i = 0; i < first.size(); ++i) expected[i] = first[i] + rolled(source, i);
      ExpectValues(out, expected);
      *out -= roll(*out, 1, 1);
      std::vector<double> differences(first.size());
      for (std::size_t i = 0; i < first.size(); ++i) {
        differences[i] = expected[i] - rolled(expected, i);
      }
      ExpectValues(out, differences);
      flip(*out, 1) += roll(*a, 1, 1);
      for (std::size_t i = 0; i < first.size(); ++i) {
        const std::size_t w = columns, x = i % w;
        expected[i] = differences[i] + rolled(source, i - x + (w - 1 - x));
      }
      ExpectValues(out, expected);
    }
  });
}

// Pieces of a row follow each other; each is filled, and converted where it is asked for.
TEST(Blocks, InPieces) {
  Guarded<2> a(Shape2(2, 1300), 1);
  FillWhole(a, 97);
  const auto plan = MakePlan(roll(*a, 1, 1));
  std::vector<double> to(1297);
  FillBlock(plan, to.data(), 0, 1, 2, 3, 1300);
  std::ptrdiff_t next = 3;
  InPieces(plan, 1, 3, 1300, [&](const auto& piece, std::ptrdiff_t x, std::ptrdiff_t end) {
    EXPECT_EQ(x, next);
    next = end;
    for (; x < end; ++x) {
      ASSERT_EQ(piece.Eval(x), (*a)[1][static_cast<index_t>(x - 1)]);
      ASSERT_EQ(to[x - 3], piece.Eval(x));
    }
  });
  EXPECT_EQ(next, 1300);
}

}  // namespace
}  // namespace mshadow
