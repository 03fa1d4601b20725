// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/argmax.h>
#include <mshadow/extension/reduce_with_axis.h>
#include <mshadow/extension/reshape.h>

#include <cmath>
#include <limits>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

constexpr float kInf = std::numeric_limits<float>::infinity();

/// f(values of the axis) for each index of the others, with the axis kept.
template <int dim, typename DType, typename F>
std::vector<double> AlongAxis(Guarded<dim, DType>& a, int axis, const F& f) {
  Shape<dim> kept = a->shape_;
  kept[axis] = 1;
  return Each(kept, [&](Index<dim> index) {
    std::vector<double> values;
    for (index_t i = 0; i < a->shape_[axis]; ++i) {
      index[axis] = i;
      values.push_back(At(a, index));
    }
    return static_cast<double>(f(values));
  });
}
double Sum(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}
double Max(const std::vector<double>& v) {
  double most = -1e9;
  for (double x : v) most = std::max(most, x);
  return most;
}
double ArgMax(const std::vector<double>& v) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < v.size(); ++i) at = v[i] > v[at] ? i : at;
  return static_cast<double>(at);
}
double ArgMin(const std::vector<double>& v) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < v.size(); ++i) at = v[i] < v[at] ? i : at;
  return static_cast<double>(at);
}

template <int dim>
void CheckReduceWithAxis(const Shape<dim>& shape) {
  for (int axis = 0; axis < dim; ++axis) {
    Guarded<dim> a(shape, 1, 1);
    FillWhole(a, 9);  // many ties
    Shape<dim> kept = shape;
    kept[axis] = 1;
    Guarded<dim> out(kept, 2);
    *out = reduce_keepdim<red::sum, false>(*a, axis);
    ExpectValues(out, AlongAxis(a, axis, Sum));
    *out = reduce_keepdim<red::maximum, false>(*a, axis - dim);
    ExpectValues(out, AlongAxis(a, axis, Max));
    *out = reduce_keepdim<red::maximum, true>(*a, axis);
    ExpectValues(out, AlongAxis(a, axis, ArgMax));
    if constexpr (dim == 3) {
      Shape<dim - 1> rest;
      for (int i = 0; i < dim - 1; ++i) rest[i] = shape[i < axis ? i : i + 1];
      ExpectUses(rest, AlongAxis(a, axis, ArgMin), [&] { return argmin<float>(*a, axis); });
      Guarded<dim - 1> less(rest, 1);
      *less = argmax<float>(*a, axis) + reduce_with_axis<red::maximum, false>(*a, axis);
      std::vector<double> expected = AlongAxis(a, axis, ArgMax);
      const std::vector<double> most = AlongAxis(a, axis, Max);
      for (std::size_t i = 0; i < most.size(); ++i) expected[i] += most[i];
      ExpectValues(less, expected);
    }
  }
}

TEST(ReduceWithAxis, EveryAxis) {
  CheckReduceWithAxis(Shape1(77));
  CheckReduceWithAxis(Shape2(19, 37));
  CheckReduceWithAxis(Shape2(3, 700));
  CheckReduceWithAxis(Shape3(5, 600, 3));
}

// Rows of as many vectors as live in registers, of all of which the last may overlap those before.
TEST(ReduceWithAxis, AcrossRowsOfFewVectors) {
  for (index_t cols : {16u, 17u, 31u, 33u, 47u, 48u, 49u, 63u, 64u, 65u}) {
    SCOPED_TRACE(cols);
    CheckReduceWithAxis(Shape2(19, cols));
    Guarded<2, double> a(Shape2(23, cols), 1), out(Shape2(1, cols));
    FillWhole(a, 30);
    *out = reduce_keepdim<red::sum, false>(*a, 0);
    ExpectValues(out, AlongAxis(a, 0, Sum));
    EXPECT_TRUE(out.Intact());
  }
  ForEachIsa([] {
    for (index_t cols = 7; cols <= 66; cols += cols < 17 ? 1 : 7) {
      SCOPED_TRACE(cols);
      // 2100 rows are several blocks.
      for (index_t rows : {2u, 23u, 2100u}) {
        Guarded<2> a(Shape2(rows, cols), 1), out(Shape2(1, cols));
        FillWhole(a, 30);
        *out = reduce_keepdim<red::sum, false>(*a + 1.0f, 0);
        ExpectValues(out, AlongAxis(a, 0, [](const auto& v) {
                       return Sum(v) + static_cast<double>(v.size());
                     }));
        *out = reduce_keepdim<red::maximum, true>(*a * -1.0f, 0);
        ExpectValues(out, AlongAxis(a, 0, ArgMin));
        EXPECT_TRUE(out.Intact());
      }
    }
  });
}

// Along rows as joined as memory allows, and along runs of a source.
TEST(ReduceWithAxis, FlatAndOfRuns) {
  Guarded<4> a(Shape4(2, 3, 5, 16));
  FillWhole(a, 50);
  Guarded<3> out(Shape3(2, 5, 16));
  *out = reduce_with_axis<red::sum, false>(*a, 1);
  ExpectValues(out, AlongAxis(a, 1, Sum));
  Guarded<2> b(Shape2(12, 10), 1), flat(Shape2(4, 30));
  FillWhole(b, 50);
  *flat = reshape(*b, flat->shape_);
  Guarded<1> rows(Shape1(4)), cols(Shape1(30));
  *rows = reduce_with_axis<red::sum, false>(reshape(*b, Shape2(4, 30)), 1);
  ExpectValues(rows, AlongAxis(flat, 1, Sum));
  *cols = argmax<float>(reshape(*b, Shape2(4, 30)), 0);
  ExpectValues(cols, AlongAxis(flat, 0, ArgMax));
}

TEST(ReduceWithAxis, OfOneAnother) {
  Guarded<3> a(Shape3(4, 9, 20), 1);
  FillWhole(a, 20);
  Guarded<1> out(Shape1(9)), expected(Shape1(9));
  *out = reduce_with_axis<red::sum, false>(reduce_with_axis<red::sum, false>(*a, 2), 0);
  *expected = sumall_except_dim<1>(*a);
  ExpectValues(out, Values(expected));
}

TEST(ReduceWithAxis, NaNAndInfinity) {
  ForEachIsa([] {
    for (int axis : {0, 1}) {
      Guarded<2> a(axis == 0 ? Shape2(200, 1) : Shape2(1, 200)), one(Shape2(1, 1));
      *a = -kInf;
      *one = reduce_keepdim<red::maximum, true>(*a, axis);
      EXPECT_EQ(one.At(0), 0.0f);
      *one = reduce_keepdim<red::maximum, false>(*a, axis);
      EXPECT_EQ(one.At(0), -kInf);
      a.At(150) = 3;
      a.At(170) = 3;
      *one = reduce_keepdim<red::maximum, true>(*a, axis);
      EXPECT_EQ(one.At(0), 150.0f);
      a.At(120) = a.At(160) = std::nanf("");
      *one = reduce_keepdim<red::maximum, true>(*a, axis);
      EXPECT_EQ(one.At(0), 120.0f);
      *one = reduce_keepdim<red::minimum, true>(*a, axis);
      EXPECT_EQ(one.At(0), 120.0f);
      *one = reduce_keepdim<red::maximum, false>(*a, axis);
      EXPECT_TRUE(std::isnan(one.At(0)));
    }
  });
}

TEST(ReduceWithAxis, OverNothing) {
  Guarded<2> a(Shape2(3, 0)), b(Shape2(0, 4)), out(Shape2(3, 1)), wide(Shape2(1, 4));
  *out = reduce_keepdim<red::sum, false>(*a, 1);
  ExpectValues(out, {0, 0, 0});
  *wide = reduce_keepdim<red::maximum, false>(*b, 0);
  ExpectValues(wide, {-kInf, -kInf, -kInf, -kInf});
  *wide = reduce_keepdim<red::maximum, true>(*b, 0);
  ExpectValues(wide, {0, 0, 0, 0});
}

// Without Combine, in the order of the axis: 2 acc + x.
struct Horner {
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& init) {  // NOLINT: the interface of reducers
    init = DType(0);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {
    dst = 2 * dst + src;
  }
};

TEST(ReduceWithAxis, InOrderWithoutCombine) {
  Guarded<2> a(Shape2(7, 9), 1);
  FillWhole(a, 3);
  const auto horner = [](const std::vector<double>& v) {
    double sum = 0;
    for (double x : v) sum = 2 * sum + x;
    return sum;
  };
  for (int axis : {0, 1}) {
    Guarded<1> out(Shape1(axis == 0 ? 9 : 7));
    *out = reduce_with_axis<Horner, false>(*a, axis);
    ExpectValues(out, AlongAxis(a, axis, horner));
  }
  for (index_t rows : {1u, 2u, 31u, 32u, 33u, 50u, 70u}) {
    Guarded<2> b(Shape2(rows, 11), 1);
    FillWhole(b, 2);
    Guarded<1> out(Shape1(rows));
    *out = reduce_with_axis<Horner, false>(*b, 1);
    ExpectValues(out, AlongAxis(b, 1, horner));
    *out = reduce_with_axis<Horner, true>(*b, 1);  // the last element but 0, unless all are
    ExpectValues(out, AlongAxis(b, 1, [](const std::vector<double>& v) {
                   double sum = 0;
                   std::size_t at = 0;
                   for (std::size_t i = 0; i < v.size(); ++i) {
                     if (2 * sum + v[i] != sum) at = i;
                     sum = 2 * sum + v[i];
                   }
                   return at;
                 }));
  }
}

TEST(ReduceWithAxis, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(5, 20), 1);
    FillWhole(a, 6);
    Guarded<1, DType> rows(Shape1(5)), cols(Shape1(20));
    *rows = reduce_with_axis<red::sum, false>(*a, 1);
    ExpectValues(rows, AlongAxis(a, 1, Sum));
    *cols = argmax<DType>(*a, 0);
    ExpectValues(cols, AlongAxis(a, 0, ArgMax));
  });
}

/// Segments of n elements, m apart, of a source that is one row or is not.
template <typename DType>
void CheckShortAxis(index_t outer, index_t n, index_t m, index_t padding) {
  SCOPED_TRACE(::testing::Message() << outer << "x" << n << "x" << m << " padded by " << padding);
  Guarded<3, DType> a(Shape3(outer, n, m), padding, 1);
  FillWhole(a, 7);  // many ties
  Guarded<2, DType> out(Shape2(outer, m), 1);
  *out = reduce_with_axis<red::sum, false>(*a, 1);
  ExpectValues(out, AlongAxis(a, 1, Sum));
  *out = reduce_with_axis<red::maximum, false>(*a, 1) + DType(1);
  ExpectValues(out, AlongAxis(a, 1, [](const auto& v) { return Max(v) + 1; }));
  *out = argmax<DType>(*a, 1);
  ExpectValues(out, AlongAxis(a, 1, ArgMax));
  EXPECT_TRUE(out.Intact());
}
template <typename DType>
void CheckShortLastAxis(index_t rows, index_t n, index_t padding) {
  SCOPED_TRACE(::testing::Message() << rows << "x" << n << " padded by " << padding);
  Guarded<2, DType> a(Shape2(rows, n), padding, 1);
  FillWhole(a, 7);
  Guarded<1, DType> out(Shape1(rows), 1);
  *out = reduce_with_axis<red::sum, false>(*a, 1);
  ExpectValues(out, AlongAxis(a, 1, Sum));
  *out = reduce_with_axis<red::minimum, false>(*a + DType(1), 1);
  ExpectValues(out, AlongAxis(a, 1, [](const auto& v) {
                 double least = 1e9;
                 for (double x : v) least = std::min(least, x + 1);
                 return least;
               }));
  *out = reduce_with_axis<red::maximum, true>(*a, 1);
  ExpectValues(out, AlongAxis(a, 1, ArgMax));
  EXPECT_TRUE(out.Intact());
}
TEST(ReduceWithAxis, ShortAxes) {
  ForEachIsa([] {
    for (index_t n = 1; n <= 20; ++n) {
      CheckShortLastAxis<float>(1500 / n, n, 0);
      CheckShortLastAxis<float>(37, n, 1);
      CheckShortLastAxis<double>(53, n, n % 2);
      CheckShortLastAxis<half::half_t>(101, n, n % 2);
      CheckShortAxis<float>(3, n, 50, 0);
      CheckShortAxis<float>(400 / n, n, 3, n % 2);
    }
    CheckShortAxis<double>(75, 6, 3, 0);
  });
}

// Rows that overlap in memory, as windows do.
TEST(ReduceWithAxis, RowsThatOverlap) {
  ForEachIsa([] {
    for (index_t stride = 1; stride <= 9; ++stride) {
      for (index_t n = stride; n <= 12; ++n) {
        SCOPED_TRACE(::testing::Message() << "rows of " << n << ", " << stride << " apart");
        Guarded<1> memory(Shape1(100 * stride + n)), out(Shape1(100));
        FillWhole(memory, 50);
        *out = reduce_with_axis<red::sum, false>(
            Tensor<TestDevice, 2>(memory->dptr_, Shape2(100, n), stride, nullptr), 1);
        ExpectValues(out, Each(out->shape_, [&](const Index<1>& i) {
                       double sum = 0;
                       for (index_t x = 0; x < n; ++x) sum += memory.At(i[0] * stride + x);
                       return sum;
                     }));
      }
    }
  });
}

// From any result on: parts of rows, and rows of which the source has several.
TEST(ReduceWithAxis, PartsOfShortAxes) {
  Guarded<3> a(Shape3(40, 5, 3));
  FillWhole(a, 50);
  ExpectUses(Shape2(40, 3), AlongAxis(a, 1, Sum),
             [&] { return reduce_with_axis<red::sum, false>(*a, 1); });
  ExpectUses(Shape2(40, 5), AlongAxis(a, 2, ArgMax), [&] { return argmax<float>(*a, 2); });
  Guarded<2> wide(Shape2(900, 3)), out(Shape2(3, 300));
  FillWhole(wide, 50);
  *out = reshape(reduce_keepdim<red::sum, false>(*wide, 1), out->shape_);
  ExpectValues(out, AlongAxis(wide, 1, Sum));
  *out = 1.0f;
  *out += reshape(reduce_keepdim<red::sum, false>(*wide, 1), out->shape_);
  ExpectValues(out, AlongAxis(wide, 1, [](const auto& v) { return Sum(v) + 1; }));
}

TEST(ReduceWithAxis, NaNInShortAxes) {
  ForEachIsa([] {
    const float nan = std::nanf("");
    for (index_t n : {1u, 2u, 5u, 7u, 8u, 16u}) {
      Guarded<2> a(Shape2(40, n));
      *a = -kInf;
      for (index_t y = 0; y < 40; y += 2) a.At(y * n + y % n) = y % 4 == 0 ? nan : 2;
      a.At(6 * n + n - 1) = nan;
      Guarded<1> most(Shape1(40)), at(Shape1(40));
      *most = reduce_with_axis<red::maximum, false>(*a, 1);
      *at = argmax<float>(*a, 1);
      for (index_t y = 0; y < 40; ++y) {
        SCOPED_TRACE(::testing::Message() << "row " << y << " of " << n);
        const bool has_nan = y % 4 == 0 || y == 6;
        if (has_nan) {
          EXPECT_TRUE(std::isnan(most.At(y)));
        } else {
          EXPECT_EQ(most.At(y), y % 2 == 0 ? 2 : -kInf);
        }
        const index_t first = y == 6 ? n - 1 : y % 2 == 0 ? y % n : 0;
        EXPECT_EQ(at.At(y), static_cast<float>(first));
      }
    }
  });
}

TEST(ReduceWithAxis, LongSumsAreAccurate) {
  Guarded<2> a(Shape2(1, 1000001)), one(Shape2(1, 1));
  *a = 0.1f;
  *one = reduce_keepdim<red::sum, false>(*a, 1);
  EXPECT_NEAR(one.At(0), 1000001 * 0.1, 0.5);
  Guarded<2, half::half_t> h(Shape2(1, 5000)), h_one(Shape2(1, 1));
  *h = half::half_t(1.0f);
  *h_one = reduce_keepdim<red::sum, false>(*h, 1);
  EXPECT_EQ(static_cast<float>(h_one.At(0)), 5000.0f);
}

TEST(ReduceWithAxis, OfWhatIsWritten) {
  Guarded<2> a(Shape2(6, 6));
  FillWhole(a, 9);
  const std::vector<double> sums = AlongAxis(a, 0, Sum);
  *a = broadcast_keepdim(reduce_keepdim<red::sum, false>(*a, 0), 0, 6);
  ExpectValues(a, Each(a->shape_, [&](Index<2> i) { return sums[i[1]]; }));
}

TEST(ReduceWithAxis, AnAxisOfOneElement) {
  for (index_t pad : {0, 3}) {
    for (index_t n : {1, 5, 300, 2000}) {
      Guarded<2> a(Shape2(n, 1), pad);
      Guarded<1> sums(Shape1(n)), places(Shape1(n));
      a.FillRandom(-1, 1);
      *sums = reduce_with_axis<red::sum, false>(*a, 1);
      *places = reduce_with_axis<red::maximum, true>(*a * 2.0f, 1);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(sums.At(i), a.At(i)) << i;
        ASSERT_EQ(places.At(i), 0) << i;
      }
      EXPECT_TRUE(sums.Intact() && places.Intact());
    }
  }
}

TEST(ReduceWithAxis, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { reduce_with_axis<red::sum, false>(*a, 2); }),
            "reduce_with_axis: axis = 2 is out of range: -2 to 1, the axes of the source");
  EXPECT_EQ(ErrorOf([&] { reduce_keepdim<red::sum, false>(*a, -3); }),
            "reduce_keepdim: axis = -3 is out of range: -2 to 1, the axes of the source");
}

}  // namespace
}  // namespace mshadow
