// SPDX-License-Identifier: Apache-2.0
// Statements on half_t against the same ops on one element at a time.
#include "mshadow/backend/cpu/half_rows.h"

#include <cstring>
#include <limits>
#include <vector>

#include "../../testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using half::half_t;
using testing::Guarded;

/// Numbers of every kind: normal and subnormal ones, zeros, infinities, NaNs.
template <int dim>
void FillBits(Guarded<dim, half_t>* tensor, uint32_t seed) {
  for (std::size_t i = 0; i < tensor->Size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor->At(i) = half_t::Binary(static_cast<uint16_t>(seed >> 16));
  }
}

template <typename T>
bool Same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

/// A user's op, which rounds after each operation.
struct TwiceRounded {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    return a * b + b;
  }
};

/// The statements, each with the element that is right, over shapes (rows, cols) with strides of
/// their own.
void CheckRows(index_t rows, index_t cols, index_t pad, index_t shift) {
  const Shape<2> shape = Shape2(rows, cols);
  Guarded<2, half_t> a(shape, pad, shift), b(shape, 0, 1), out(shape, pad, 3);
  Guarded<2, float> f(shape, 0, shift), out_float(shape, pad, 1);
  Guarded<2, bfloat::bf16_t> g(shape, pad, shift);
  FillBits(&a, 1);
  FillBits(&b, 2);
  f.FillRandom(-300, 300);
  g.FillRandom(-3, 3);
  const half_t half(0.5f);
#define CHECK_ROWS(result, statement, expected)                          \
  statement;                                                             \
  for (std::size_t i = 0; i < a.Size(); ++i) {                           \
    using T = std::decay_t<decltype(result.At(i))>;                      \
    const T right = expected;                                            \
    ASSERT_TRUE(Same(result.At(i), right))                               \
        << #statement << ": " << i << " of " << rows << " x " << cols << " is " \
        << static_cast<float>(result.At(i)) << ", not " << static_cast<float>(right); \
  }                                                                      \
  ASSERT_TRUE(result.Intact()) << #statement
  CHECK_ROWS(out, *out = *a * *b + *b, a.At(i) * b.At(i) + b.At(i));
  CHECK_ROWS(out, *out = F<op::exp>(*a) - half, op::exp::Map(a.At(i)) - half);
  CHECK_ROWS(out, *out = F<op::gt>(*a, *b), op::gt::Map(a.At(i), b.At(i)));
  CHECK_ROWS(out, *out = F<op::where>(F<op::lt>(*a, half), *a * *a, *b),
             a.At(i) < half ? a.At(i) * a.At(i) : b.At(i));
  CHECK_ROWS(out, *out = F<TwiceRounded>(*a, *b) * half,
             (a.At(i) * b.At(i) + b.At(i)) * half);
  CHECK_ROWS(out, *out = F<TwiceRounded>(*a * half, *b),
             (a.At(i) * half) * b.At(i) + b.At(i));
  CHECK_ROWS(out, *out = tcast<half_t>(tcast<float>(*a) * *f),
             half_t(float(a.At(i)) * f.At(i)));
  CHECK_ROWS(out, *out = *a * tcast<half_t>(*f), a.At(i) * half_t(f.At(i)));
  CHECK_ROWS(out, *out = tcast<half_t>(*g) - *a, half_t(float(g.At(i))) - a.At(i));
  CHECK_ROWS(out_float, *out_float = tcast<float>(*a + *b), float(a.At(i) + b.At(i)));
  CHECK_ROWS(out_float, *out_float = tcast<float>(*a) * *f, float(a.At(i)) * f.At(i));
  // The destination is read too.
  FillBits(&out, 3);
  Guarded<2, half_t> old(shape);
  Copy(*old, *out);
  CHECK_ROWS(out, *out += *a * *b, old.At(i) + a.At(i) * b.At(i));
  Copy(*old, *out);
  CHECK_ROWS(out, *out /= *a, old.At(i) / a.At(i));
  Copy(*old, *out);
  CHECK_ROWS(out, *out = *out * *out - *a, old.At(i) * old.At(i) - a.At(i));
#undef CHECK_ROWS
}

TEST(HalfRows, EveryLengthAndStride) {
  testing::ForEachIsa([] {
    for (index_t cols : {1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 100}) CheckRows(1, cols, 0, 1);
    for (index_t cols : {1, 3, 8, 13, 21, 64}) CheckRows(3, cols, 2, 3);
    CheckRows(2, 26000, 0, 0);  // on threads
  });
}

TEST(HalfRows, RunsBlocksTilesAndFusedStatements) {
  testing::ForEachIsa([] {
    for (index_t cols : {5, 8, 20, 33}) {
      const Shape<2> shape = Shape2(12, cols), half_shape = Shape2(12, cols + 3);
      Guarded<2, half_t> a(shape, 1, 1), b(half_shape), wide(Shape2(12, 2 * cols + 3), 0, 1);
      Guarded<2, half_t> turned(Shape2(cols, 12), 3), sum(shape), product(shape, 2);
      FillBits(&a, 4);
      FillBits(&b, 5);
      const half_t two(2.0f);
      *wide = concat<1>(*a, *b) * two;
      *turned = a->T() * two;
      for (index_t y = 0; y < 12; ++y) {
        for (index_t x = 0; x < 2 * cols + 3; ++x) {
          const half_t from = x < cols ? (*a)[y][x] : (*b)[y][x - cols];
          ASSERT_TRUE(Same((*wide)[y][x], from * two)) << y << " " << x;
        }
        for (index_t x = 0; x < cols; ++x) {
          ASSERT_TRUE(Same((*turned)[x][y], (*a)[y][x] * two)) << y << " " << x;
        }
      }
      Guarded<2, half_t> padded(Shape2(14, cols + 2)), with(Shape2(14, cols + 2), 1);
      FillBits(&with, 6);
      *padded = pad(*a, 1) + *with;
      for (index_t y = 0; y < 14; ++y) {
        for (index_t x = 0; x < cols + 2; ++x) {
          const bool inside = y > 0 && y < 13 && x > 0 && x <= cols;
          const half_t from = inside ? (*a)[y - 1][x - 1] : half_t(0.0f);
          ASSERT_TRUE(Same((*padded)[y][x], from + (*with)[y][x])) << y << " " << x;
        }
      }
      *sum = half_t(1.0f);
      Fuse(lazy(*product) = *a * *a, lazy(*sum) += *product);
      for (std::size_t i = 0; i < a.Size(); ++i) {
        ASSERT_TRUE(Same(product.At(i), a.At(i) * a.At(i))) << i;
        ASSERT_TRUE(Same(sum.At(i), half_t(1.0f) + a.At(i) * a.At(i))) << i;
      }
      ASSERT_TRUE(wide.Intact() && turned.Intact() && padded.Intact() && sum.Intact() &&
                  product.Intact());
    }
  });
}

/// Views of `out`, `rows` x `cols`, that are changed by expressions of a and b.
void CheckViews(index_t rows, index_t cols) {
  const Shape<2> shape = Shape2(rows, cols);
  Guarded<2, half_t> a(shape, 2, 1), b(shape, 1), out(shape, 3, 1), old(shape);
  Guarded<2, half_t> large(Shape2(2 * rows + 1, 3 * cols + 1), 1, 3);
  FillBits(&a, 1);
  FillBits(&b, 2);
  FillBits(&out, 3);
  FillBits(&large, 4);
  Guarded<2, half_t> old_large(large->shape_);
  Copy(*old_large, *large);
  const half_t half(0.5f);
#define CHECK_VIEW(statement, expected)                                                    \
  Copy(*old, *out);                                                                        \
  statement;                                                                               \
  for (index_t y = 0; y < rows; ++y) {                                                     \
    for (index_t x = 0; x < cols; ++x) {                                                   \
      ASSERT_TRUE(Same((*out)[y][x], half_t(expected)))                                    \
          << #statement << ": " << y << " " << x << " of " << rows << " x " << cols;       \
    }                                                                                      \
  }                                                                                        \
  ASSERT_TRUE(out.Intact()) << #statement
  CHECK_VIEW(flip(*out, 0) += *a, (*old)[y][x] + (*a)[rows - 1 - y][x]);
  CHECK_VIEW(flip(*out, 1) -= *a * half, (*old)[y][x] - (*a)[y][cols - 1 - x] * half);
  CHECK_VIEW(flip(*out, 1) *= flip(*b, 0), (*old)[y][x] * (*b)[rows - 1 - y][cols - 1 - x]);
  CHECK_VIEW(flip(*out, 1) += F<op::abs>(flip(*out, 1)),
             (*old)[y][x] + op::abs::Map((*old)[y][x]));
  CHECK_VIEW(flip(*out, 1) += *out, (*old)[y][x] + (*old)[y][cols - 1 - x]);
#undef CHECK_VIEW
  slice(*large, Shape2(1, 1), Shape2(2 * rows + 1, 3 * cols + 1), Shape2(2, 3)) += *a * *b;
  for (index_t y = 0; y < 2 * rows + 1; ++y) {
    for (index_t x = 0; x < 3 * cols + 1; ++x) {
      const half_t from = (*old_large)[y][x];
      const bool in = y % 2 == 1 && x % 3 == 1;
      ASSERT_TRUE(Same((*large)[y][x],
                       in ? from + (*a)[y / 2][x / 3] * (*b)[y / 2][x / 3] : from))
          << y << " " << x << " of " << rows << " x " << cols;
    }
  }
  ASSERT_TRUE(large.Intact());
}

TEST(HalfRows, ViewsThatAreNoRowsOfMemory) {
  testing::ForEachIsa([] {
    for (index_t cols : {1, 2, 5, 8, 17, 40, 100}) CheckViews(13, cols);
    CheckViews(1000, 3);
    CheckViews(3, 2049);
    CheckViews(0, 4);
    CheckViews(7, 30001);  // on threads
  });
}

TEST(HalfRows, ReductionsAddRoundedElements) {
  testing::ForEachIsa([] {
    for (index_t cols : {1, 5, 8, 23, 64, 300}) {
      for (index_t rows : {1, 4, 37}) {
        Guarded<2, half_t> a(Shape2(rows, cols), 1, 1), b(Shape2(rows, cols));
        Guarded<1, half_t> sums(Shape1(cols)), most(Shape1(rows));
        Guarded<1> of_rows(Shape1(rows));
        a.FillRandom(-2, 2);
        b.FillRandom(-2, 2, 3);
        *sums = sum_rows(*a * *b);
        *of_rows = sumall_except_dim<0>(tcast<float>(*a * *b));
        *most = reduce_with_axis<red::maximum, false>(*a * *b, 1);
        std::vector<double> column(cols, 0.0);
        for (index_t y = 0; y < rows; ++y) {
          double row = 0;
          half_t highest = -std::numeric_limits<half_t>::infinity();
          for (index_t x = 0; x < cols; ++x) {
            const half_t product = (*a)[y][x] * (*b)[y][x];
            column[x] += static_cast<double>(product);
            row += static_cast<double>(product);
            if (product > highest) highest = product;
          }
          EXPECT_NEAR(of_rows.At(y), row, 1e-5 * cols) << rows << " x " << cols;
          EXPECT_TRUE(Same(most.At(y), highest)) << rows << " x " << cols;
        }
        for (index_t x = 0; x < cols; ++x) {
          EXPECT_NEAR(static_cast<double>(sums.At(x)), column[x], 2e-3 * (rows + 1));
        }
        ASSERT_TRUE(sums.Intact() && most.Intact() && of_rows.Intact());
      }
    }
  });
}

TEST(HalfRows, EmptyTensors) {
  TensorContainer<cpu, 2, half_t> a(Shape2(0, 5)), b(Shape2(0, 5));
  b = a * a + b;
  EXPECT_EQ(b.shape_.Size(), 0u);
}

}  // namespace
}  // namespace mshadow
