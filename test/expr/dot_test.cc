// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/dot.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

template <typename DType>
class Dot : public ::testing::Test {};
// cuBLAS knows no integers.
using DotDTypes = std::conditional_t<std::is_same_v<TestDevice, gpu>,
                                  ::testing::Types<float, double, half::half_t, bfloat::bf16_t>,
                                  ::testing::Types<float, double, half::half_t, int32_t>>;
TYPED_TEST_SUITE(Dot, DotDTypes);

template <typename DType>
void FillDigits(Guarded<2, DType>* t, uint32_t seed) {
  t->FillRandom(0, 3.99, seed);
  for (std::size_t i = 0; i < t->Size(); ++i) {
    t->At(i) = static_cast<DType>(static_cast<int>(t->At(i)));
  }
}

// Digits 0..3, 7 products a sum: every dtype holds every result.
TYPED_TEST(Dot, MatricesInAllTransposesAndSaversWithPaddedRows) {
  using DType = TypeParam;
  const index_t m = 5, n = 9, k = 7;
  for (index_t pad : {0u, 3u}) {
    Guarded<2, DType> a(Shape2(m, k), pad, 1), at(Shape2(k, m), pad), b(Shape2(k, n), pad),
        bt(Shape2(n, k), pad, 1), c(Shape2(m, n), pad);
    FillDigits(&a, 1);
    FillDigits(&b, 2);
    *at = a->T();
    *bt = b->T();
    const auto product = [&](index_t i, index_t j) {
      double sum = 0;
      for (index_t l = 0; l < k; ++l) {
        sum += static_cast<double>((*a)[i][l]) * static_cast<double>((*b)[l][j]);
      }
      return sum;
    };
    const auto expect = [&](double scale, double offset) {
      for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < n; ++j) {
          ASSERT_EQ(static_cast<double>((*c)[i][j]), scale * product(i, j) + offset);
        }
      }
      ASSERT_TRUE(c.Intact());
    };
    *c = static_cast<DType>(100);
    *c = dot(*a, *b);
    expect(1, 0);
    *c += 2 * dot(at->T(), *b);
    expect(3, 0);
    *c -= dot(*a, bt->T()) * 2;
    expect(1, 0);
    *c = static_cast<DType>(1);
    *c += dot(at->T(), bt->T());
    expect(1, 1);
  }
}

TYPED_TEST(Dot, VectorsAndMatrices) {
  using DType = TypeParam;
  Guarded<2, DType> w(Shape2(3, 4), 1);
  FillDigits(&w, 5);
  Guarded<1, DType> v3(Shape1(3)), v4(Shape1(4)), out3(Shape1(3)), out4(Shape1(4));
  for (int i = 0; i < 3; ++i) v3.At(i) = static_cast<DType>(i + 1);
  for (int i = 0; i < 4; ++i) v4.At(i) = static_cast<DType>(2 - i % 2);
  const auto row = [&](int j) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += (i + 1.0) * static_cast<double>((*w)[i][j]);
    return sum;
  };
  const auto column = [&](int i) {
    double sum = 0;
    for (int j = 0; j < 4; ++j) sum += (2.0 - j % 2) * static_cast<double>((*w)[i][j]);
    return sum;
  };
  *out4 = dot(*v3, *w);
  for (int j = 0; j < 4; ++j) EXPECT_EQ(static_cast<double>(out4.At(j)), row(j));
  *out4 += dot(w->T(), *v3);
  for (int j = 0; j < 4; ++j) EXPECT_EQ(static_cast<double>(out4.At(j)), 2 * row(j));
  *out3 = dot(*v4, w->T());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(static_cast<double>(out3.At(i)), column(i));
  *out3 -= dot(*w, *v4);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(static_cast<double>(out3.At(i)), 0.0);

  // The outer product overwrites with =, where 2.x added to the old contents.
  *w = static_cast<DType>(100);
  *w = dot(v3->T(), *v4);
  EXPECT_EQ(static_cast<double>((*w)[2][0]), 6.0);
  *w += 2 * dot(v3->T(), *v4);
  EXPECT_EQ(static_cast<double>((*w)[2][0]), 18.0);
  *w -= dot(v3->T(), *v4);
  EXPECT_EQ(static_cast<double>((*w)[2][0]), 12.0);
  EXPECT_TRUE(w.Intact());
}

// The product of two vectors is a number.
TYPED_TEST(Dot, Vectors) {
  using DType = TypeParam;
  for (index_t n : {1u, 3u, 17u, 100u}) {
    Guarded<2, DType> m(Shape2(2, n), 3, 1);
    Guarded<1, DType> v(Shape1(n));
    double sum = 0;
    for (index_t i = 0; i < n; ++i) {
      m.At(i) = static_cast<DType>(0);
      (*m)[1][i] = static_cast<DType>(static_cast<int>(i % 3));
      v.At(i) = static_cast<DType>(static_cast<int>(i % 4));
      sum += static_cast<double>(i % 3 * (i % 4));
    }
    const DType product = dot((*m)[1], *v);
    static_assert(std::is_same_v<decltype(dot(*v, *v)), DType>);
    EXPECT_EQ(static_cast<double>(product), sum);
    EXPECT_EQ(static_cast<double>(dot(*v, (*m)[1] + (*m)[1])), 2 * sum);  // of expressions
    *v = dot((*m)[1], *v) * *v;
    EXPECT_EQ(static_cast<double>(v.At(n - 1)), sum * ((n - 1) % 4));
    Guarded<1, DType> other(Shape1(n + 1));
    const std::string error = testing::ErrorOf([&] { static_cast<void>(dot(*v, *other)); });
    EXPECT_NE(error.find("has no common extent"), std::string::npos) << error;
  }
  Guarded<1, DType> none(Shape1(0));
  EXPECT_EQ(static_cast<double>(dot(*none, *none)), 0.0);
}

TEST(DotTwoDevices, GoldenValuesOf2x) {
  Guarded<2> w(Shape2(2, 2)), a(Shape2(2, 3)), d(Shape2(2, 3));
  *w = 2.0f;
  *a = 1.0f;
  *d = dot(*w, *a);
  EXPECT_EQ(d.At(5), 4.0f);
  *d += 2 * dot(*w, *a);
  EXPECT_EQ(d.At(5), 12.0f);
}

TEST(DotOverwrites, OldContentsAreNotRead) {
  Guarded<2> a(Shape2(3, 3)), c(Shape2(3, 3));
  Guarded<1> v(Shape1(3)), out(Shape1(3));
  *a = 1.0f;
  *v = 1.0f;
  *c = std::nanf("");
  *c = dot(*a, *a);
  EXPECT_EQ(c.At(8), 3.0f);
  *out = std::nanf("");
  *out = dot(*v, *a);
  EXPECT_EQ(out.At(2), 3.0f);
  *c = std::nanf("");
  *c = dot(v->T(), *v);
  EXPECT_EQ(c.At(8), 1.0f);
}

TEST(DotAlias, TheDestinationMayBeAnOperand) {
  Guarded<2> a(Shape2(3, 3), 2), b(Shape2(3, 3));
  a.FillIota();
  *b = *a + 0.0f;
  *a = dot(*a, *b);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      float want = 0;
      for (int k = 0; k < 3; ++k) want += (*b)[i][k] * (*b)[k][j];
      EXPECT_EQ((*a)[i][j], want);
    }
  }
  *b += dot(b->T(), *b);
  EXPECT_EQ(b.At(0), 0 + 0 * 0 + 3 * 3 + 6 * 6.0f);
  EXPECT_TRUE(a.Intact());
}

TEST(DotErrors, NameAllShapes) {
  Guarded<2> a(Shape2(2, 3)), c(Shape2(2, 2));
  *c = 7.0f;
  try {
    *c = dot(*a, *a);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(
        std::string(e.what()).find("dot((2,3), (2,3)) does not fit the target of shape (2,2)"),
        std::string::npos)
        << e.what();
  }
  EXPECT_EQ(c.At(3), 7.0f);
  const std::string end = " has a common extent", without = "; without the ";
  const auto hint = [&](const auto& statement) {
    const std::string message = mshadow::testing::ErrorOf(statement);
    return message.substr(std::min(message.find(';'), message.size()));
  };
  Guarded<2> b(Shape2(4, 3)), d(Shape2(3, 5));
  Guarded<1> u(Shape1(2));
  EXPECT_EQ(hint([&] { *c = dot(*a, *b); }), "; dot(a, b.T())" + end);
  EXPECT_EQ(hint([&] { *c = dot(b->T(), *d); }), without + "first .T() it" + end);
  EXPECT_EQ(hint([&] { *c = dot(*a, d->T()); }), without + "second .T() it" + end);
  EXPECT_EQ(hint([&] { *c = dot(*b, *c); }), "");
  EXPECT_EQ(hint([&] { *c = dot(*a, *d); }), "");  // it is the target that does not fit
  EXPECT_EQ(hint([&] { *c = repmat(dot(*a, *u), 2); }), "; dot(a.T(), b)" + end);
  EXPECT_EQ(hint([&] { *c = repmat(dot(*u, a->T()), 2); }), without + "second .T() it" + end);
  Guarded<1> v(Shape1(4));
  EXPECT_THROW((*v = dot(*v, *a)), Error);
  EXPECT_THROW((*v = dot(*a, *v)), Error);
  EXPECT_THROW((*a = dot(v->T(), *v)), Error);
}

TEST(DotEmpty, NoElementsAndEmptySums) {
  Guarded<2> none(Shape2(0, 3)), b(Shape2(3, 2)), out(Shape2(0, 2)), left(Shape2(2, 0)),
      right(Shape2(0, 3)), sums(Shape2(2, 3));
  *out = dot(*none, *b);
  *sums = 5.0f;
  *sums = dot(*left, *right);
  EXPECT_EQ(sums.At(5), 0.0f);
  *sums = 5.0f;
  *sums += dot(*left, *right);
  EXPECT_EQ(sums.At(5), 5.0f);
}

TEST(BatchDot, EveryTransposeWithPaddedRows) {
  for (index_t pad : {0u, 1u}) {
    Guarded<3> a(Shape3(4, 2, 3), pad), at(Shape3(4, 3, 2), pad), b(Shape3(4, 3, 5), pad),
        bt(Shape3(4, 5, 3), pad), c(Shape3(4, 2, 5), pad);
    a.FillRandom(-1, 1);
    b.FillRandom(-1, 1, 2);
    for (index_t n = 0; n < 4; ++n) {
      (*at)[n] = (*a)[n].T();
      (*bt)[n] = (*b)[n].T();
    }
    const auto expect = [&](double scale) {
      for (index_t n = 0; n < 4; ++n) {
        for (index_t i = 0; i < 2; ++i) {
          for (index_t j = 0; j < 5; ++j) {
            double sum = 0;
            for (index_t k = 0; k < 3; ++k) sum += (*a)[n][i][k] * (*b)[n][k][j];
            ASSERT_NEAR((*c)[n][i][j], scale * sum, 1e-5);
          }
        }
      }
    };
    *c = batch_dot<false, false>(*a, *b);
    expect(1);
    *c += 2 * batch_dot<true, false>(*at, *b);
    expect(3);
    *c -= batch_dot<false, true>(*a, *bt);
    expect(2);
    *c = batch_dot<true, true>(*at, *bt);
    expect(1);
    BatchGEMM<false, false>(*c, *a, *b, 2.0f, 1.0f, Tensor<TestDevice, 1, float*>());
    expect(3);
    ASSERT_TRUE(c.Intact());
  }
  Guarded<3> a(Shape3(4, 2, 3)), b(Shape3(3, 3, 2)), c(Shape3(4, 2, 2));
  EXPECT_THROW((*c = batch_dot<false, false>(*a, *b)), Error);
}

}  // namespace
}  // namespace mshadow
