// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/narrow_rows.h>

#include <mshadow/tensor.h>

#include <cmath>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// exp of small numbers, in every element type.
struct Exponential {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return static_cast<DType>(std::exp(static_cast<float>(a)));
  }
};

/// As ExpectValues, within what float functions differ by.
template <int dim, typename DType>
void ExpectNear(Guarded<dim, DType>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.Size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(static_cast<float>(actual.At(i))), expected[i],
                2e-5 * std::abs(expected[i]) + 1e-6)
        << i;
  }
  EXPECT_TRUE(actual.Intact());
}

// Widths around those of moves and vectors; rows as many as make no vector, and several blocks.
TEST(NarrowRows, PaddedOrNotEveryWidth) {
  ForEachIsa([] {
    for (index_t cols = 1; cols <= 41; ++cols) {
      for (index_t rows : {index_t{1}, index_t{2}, index_t{9}, 512 / cols + 1, 5000 / cols}) {
        for (index_t pads = 0; pads < 8; ++pads) {
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + ", " +
                       std::to_string(pads));
          const Shape<2> shape = Shape2(rows, cols);
          Guarded<2> a(shape, pads & 1 ? 3 : 0, 1), b(shape, pads & 2 ? 1 : 0);
          Guarded<2> out(shape, pads & 4 ? 2 : 0, 3);
          Guarded<1> row(Shape1(cols), 0, 1);
          a.FillRandom(-1, 1);
          b.FillRandom(1, 2, 2);
          row.FillRandom(-1, 1, 3);
          std::vector<double> expected(out.Size());
          for (std::size_t i = 0; i < expected.size(); ++i) {
            expected[i] = std::exp(a.At(i)) * b.At(i) + row.At(i % cols);
          }
          *out = F<op::exp>(*a) * *b + repmat(*row, rows);
          ExpectNear(out, expected);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            expected[i] = (expected[i] + std::exp(b.At(i) * 0.5)) * std::min(a.At(i), 0.5f);
          }
          *out += F<op::exp>(*b * 0.5f);
          *out *= F<op::min>(*a, 0.5f);
          ExpectNear(out, expected);
          for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::exp(a.At(i));
          *a = F<op::exp>(*a);
          ExpectNear(a, expected);
        }
      }
    }
  });
}

TEST(NarrowRows, EveryDType) {
  ForEachIsa([] {
    ForEachDType([](auto zero) {
      using DType = decltype(zero);
      for (index_t cols : {1, 2, 3, 5, 8, 13, 33}) {
        SCOPED_TRACE(cols);
        const Shape<2> shape = Shape2(2000 / cols, cols);
        Guarded<2, DType> a(shape, 1, 1), b(shape, 2, 1), out(shape, 3, 1);
        FillWhole(a, 8);
        FillWhole(b, 8, 2);
        std::vector<double> expected(out.Size());
        const std::vector<double> of_a = Values(a), of_b = Values(b);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(of_a[i], of_b[i]);
        *out = F<op::max>(*a, *b);
        ExpectValues(out, expected);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += of_a[i] + of_b[i];
        *out += *a + *b;
        ExpectValues(out, expected);
      }
    });
  });
}

// Parts of rows, which lie in memory in several ways, as operands and as what is written.
TEST(NarrowRows, Slices) {
  ForEachIsa([] {
    for (index_t cols : {1, 2, 3, 5}) {
      SCOPED_TRACE(cols);
      Guarded<2> table(Shape2(3000, 8), 1, 1), out(Shape2(3000, 7), 2), c(Shape2(3000, cols));
      table.FillRandom(-1, 1);
      out.FillRandom(-1, 1, 2);
      c.FillRandom(-1, 1, 3);
      std::vector<double> whole = Values(out), part(c.Size());
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t y = i / cols, x = i % cols;
        part[i] = std::exp(table.At(y * 8 + x + 2)) - c.At(i);
        whole[y * 7 + x + 1] += part[i] * 2;
      }
      *c = F<op::exp>(slice<1>(*table, 2, cols + 2)) - *c;
      ExpectNear(c, part);
      slice<1>(*out, 1, cols + 1) += *c * 2.0f;
      ExpectNear(out, whole);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t y = i / cols, x = i % cols;
        whole[y * 7 + x + 1] = std::tanh(whole[y * 7 + x + 1]);
      }
      slice<1>(*out, 1, cols + 1) = F<op::tanh>(slice<1>(*out, 1, cols + 1));
      ExpectNear(out, whole);

      for (index_t pads = 0; pads < 4; ++pads) {
        Guarded<3> image(Shape3(31, 20, cols), pads & 2);
        Guarded<3> middle(Shape3(31, 7, cols), pads & 1);
        image.FillRandom(-1, 1);
        middle.FillRandom(-1, 1, 2);
        std::vector<double> of_middle(middle.Size()), of_image = Values(image);
        for (std::size_t i = 0; i < of_middle.size(); ++i) {
          const std::size_t n = i / cols / 7, y = i / cols % 7, x = i % cols;
          double& at = of_image[(n * 20 + y + 5) * cols + x];
          of_middle[i] = middle.At(i) + std::exp(at);
          at = std::exp(of_middle[i]);
        }
        *middle += F<op::exp>(slice<1>(*image, 5, 12));
        ExpectNear(middle, of_middle);
        slice<1>(*image, 5, 12) = F<op::exp>(*middle);
        ExpectNear(image, of_image);
        for (std::size_t i = 0; i < of_middle.size(); ++i) {
          const std::size_t n = i / cols / 7, y = i / cols % 7, x = i % cols;
          of_middle[i] = std::tanh(of_image[(n * 20 + y + 6) * cols + x]);
        }
        *middle = F<op::tanh>(slice(*image, Shape3(0, 6, 0), Shape3(31, 13, cols)));
        ExpectNear(middle, of_middle);
      }
    }
  });
}

// Rows of the source for several of the result, one element for a row, and both.
TEST(NarrowRows, BroadcastTo) {
  ForEachIsa([] {
    for (index_t cols : {1, 2, 3, 5, 12}) {
      SCOPED_TRACE(cols);
      const Shape<3> shape = Shape3(23, 40, cols);
      Guarded<3> a(shape, 1, 1), out(shape, 2);
      Guarded<3> rows(Shape3(23, 40, 1), 1), few(Shape3(23, 1, cols), 2), one(Shape3(23, 1, 1));
      Guarded<2> matrix(Shape2(23, 40), 3);
      a.FillRandom(-1, 1);
      rows.FillRandom(-1, 1, 2);
      few.FillRandom(-1, 1, 3);
      one.FillRandom(-1, 1, 4);
      matrix.FillRandom(-1, 1, 5);
      std::vector<double> expected(out.Size()), other(out.Size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t y = i / cols, n = y / 40;
        expected[i] = std::exp(a.At(i) - rows.At(y)) * few.At(n * cols + i % cols) + one.At(n);
        other[i] = std::exp(a.At(i)) - matrix.At(y);
      }
      *out = F<op::exp>(*a - broadcast_to(*rows, shape)) * broadcast_to(*few, shape) +
             broadcast_to(*one, shape);
      ExpectNear(out, expected);
      *out = F<op::exp>(*a) - broadcast_with_axis(*matrix, 1, cols);
      ExpectNear(out, other);
    }
  });
}

// Operands that are not rows of memory, and results that are not.
TEST(NarrowRows, EvaluatedOperands) {
  ForEachIsa([] {
    for (index_t cols : {1, 2, 3, 5, 12}) {
      for (index_t rows : {1, 2, 2000}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
        const Shape<2> shape = Shape2(rows, cols);
        Guarded<2> a(shape, 1, 1), out(shape, 2), turned(Shape2(cols, rows), 1);
        Guarded<1> of_rows(Shape1(rows));
        a.FillRandom(-1, 1);
        turned.FillRandom(-1, 1, 2);
        of_rows.FillRandom(-1, 1, 3);
        std::vector<double> expected(out.Size()), flipped(out.Size()), cast(out.Size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const std::size_t y = i / cols, x = i % cols;
          const double opposite = a.At(y * cols + cols - 1 - x), at = turned.At(x * rows + y);
          expected[i] = std::exp(a.At(i) - of_rows.At(y)) + std::tanh(opposite) * at;
          flipped[y * cols + cols - 1 - x] = expected[i] + std::exp(at);
          cast[i] = std::exp(opposite + 1);
        }
        *out = F<op::exp>(*a - broadcast<0>(*of_rows, shape)) +
               F<op::tanh>(mirror(*a)) * turned->T();
        ExpectNear(out, expected);
        flip(*out, 1) = *out + 0.0f;
        flip(*out, 1) += F<op::exp>(turned->T());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const std::size_t y = i / cols, x = i % cols, j = y * cols + cols - 1 - x;
          expected[j] = flipped[j];
        }
        ExpectNear(out, expected);
        Guarded<2, double> wide(shape, 1);
        *wide = F<op::exp>(tcast<double>(mirror(*a) + 1.0f));
        ExpectNear(wide, cast);
      }
    }
    Guarded<4> image(Shape4(2, 3, 40, 6), 2), pooled(Shape4(2, 3, 20, 3), 1);
    image.FillRandom(-1, 1);
    std::vector<double> expected(pooled.Size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t at = i / 60 * 240 + i / 3 % 20 * 12 + i % 3 * 2;
      const double most = std::max(std::max(image.At(at), image.At(at + 1)),
                                   std::max(image.At(at + 6), image.At(at + 7)));
      expected[i] = std::exp(most);
    }
    *pooled = F<op::exp>(pool<red::maximum>(*image, 2, 2, 2));
    ExpectNear(pooled, expected);
  });
}

/// A user's division, which traps where op::div does not.
struct Quotient {
  MSHADOW_XINLINE static int32_t Map(int32_t a, int32_t b) { return a / b; }
};

// Integers divide only what is there: what lies between rows is 0, and so may a buffer be.
TEST(NarrowRows, ComputesNothingElse) {
  ForEachIsa([] {
    std::vector<int32_t> memory(4000, 0);
    for (index_t cols : {1, 2, 3}) {
      for (index_t rows : {1, 2, 3, 1000}) {
        const Tensor<cpu, 2, int32_t> a(memory.data(), Shape2(rows, cols), 4, nullptr);
        TensorContainer<cpu, 2, int32_t> out(Shape2(rows, cols)), zeros(Shape2(300, 5), 0);
        Tensor<cpu, 2, int32_t> padded(zeros.dptr_, Shape2(300, 3), 5, nullptr);
        padded = F<op::max>(padded, -1);  // leaves zeros in the buffer
        for (index_t y = 0; y < rows; ++y) {
          for (index_t x = 0; x < cols; ++x) a.dptr_[y * 4 + x] = static_cast<int32_t>(y + x + 1);
        }
        out = F<Quotient>(1000, a);
        for (index_t y = 0; y < rows; ++y) {
          for (index_t x = 0; x < cols; ++x) {
            ASSERT_EQ(out[y][x], 1000 / static_cast<int32_t>(y + x + 1)) << y << ' ' << x;
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace mshadow
