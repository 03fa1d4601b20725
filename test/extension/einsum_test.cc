// SPDX-License-Identifier: Apache-2.0
#include <mshadow/complex.h>
#include <mshadow/einsum.h>

#include <complex>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "../error_of.h"
#include "uses.h"

namespace mshadow {
namespace einsum_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

/// The extent that the tests give a letter.
std::size_t ExtentOfLetter(char c) { return static_cast<std::size_t>(2 + (c - 'a') % 5); }

template <int dim>
Shape<dim> ShapeOfTerm(const std::string& term) {
  Shape<dim> shape;
  for (int i = 0; i < dim; ++i) shape[i] = static_cast<index_t>(ExtentOfLetter(term[i]));
  return shape;
}
/// The place of the element of a term at an index.
std::size_t PlaceOfTerm(const std::string& term, const std::map<char, std::size_t>& index) {
  std::size_t place = 0;
  for (char c : term) place = place * ExtentOfLetter(c) + index.at(c);
  return place;
}

std::vector<std::string> TermsOf(const std::string& text) {
  std::vector<std::string> terms(1);
  for (char c : text.substr(0, text.find('-'))) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  return terms;
}
/// The result by its definition: a loop over all letters.
std::vector<double> EinsumByLoops(const std::string& text,
                                  const std::vector<std::vector<double>>& operands) {
  const std::vector<std::string> terms = TermsOf(text);
  const std::string out = text.substr(text.find('>') + 1);
  std::map<char, std::size_t> index;
  for (const std::string& term : terms) {
    for (char c : term) index[c] = 0;
  }
  std::size_t size = 1;
  for (char c : out) size *= ExtentOfLetter(c);
  std::vector<double> result(size, 0);
  for (;;) {
    double product = 1;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      product *= operands[i][PlaceOfTerm(terms[i], index)];
    }
    result[PlaceOfTerm(out, index)] += product;
    auto letter = index.begin();
    while (letter != index.end() && ++letter->second == ExtentOfLetter(letter->first)) {
      letter->second = 0;
      ++letter;
    }
    if (letter == index.end()) return result;
  }
}

/// make(operand...) is what the loops give, into rows of any padding, from operands of any.
template <int dim, typename DType, int... ranks, typename Make>
void CheckEinsum(const std::string& text, const Make& make) {
  const std::vector<std::string> terms = TermsOf(text);
  const std::string out = text.substr(text.find('>') + 1);
  for (index_t pad : {0, 3}) {
    std::vector<std::vector<double>> values;
    uint32_t i = 0;
    const auto operand = [&](auto rank) {
      constexpr int kRank = decltype(rank)::value;
      auto t =
          std::make_unique<Guarded<kRank, DType>>(ShapeOfTerm<kRank>(terms[i]), pad * (i + 1), 1);
      FillWhole(*t, i < 2 ? 9 - 2 * i : 3, i + 1);
      values.push_back(Values(*t));
      ++i;
      return t;
    };
    const std::tuple<std::unique_ptr<Guarded<ranks, DType>>...> operands{
        operand(std::integral_constant<int, ranks>())...};
    const std::vector<double> expected = EinsumByLoops(text, values);
    const auto made = [&](DType factor) {
      return std::apply([&](const auto& first,
                            const auto&... others) { return make(**first * factor, **others...); },
                        operands);
    };
    const auto e = std::apply([&](const auto&... o) { return make(**o...); }, operands);
    if constexpr (dim == 0) {
      EXPECT_EQ(static_cast<double>(e), expected[0]) << text;
      EXPECT_EQ(static_cast<double>(made(DType(2))), 2 * expected[0]) << text;
    } else {
      Guarded<dim, DType> y(ShapeOfTerm<dim>(out), 3 - pad, 1);
      *y = e;
      for (std::size_t k = 0; k < y.Size(); ++k) {
        ASSERT_EQ(static_cast<double>(y.At(k)), expected[k]) << text << ", element " << k;
      }
      *y += DType(2) * made(DType(2)) + DType(1);
      for (std::size_t k = 0; k < y.Size(); ++k) {
        ASSERT_EQ(static_cast<double>(y.At(k)), 5 * expected[k] + 1) << text << " in a statement";
      }
      EXPECT_TRUE(y.Intact()) << text;
    }
  }
}
/// dim: axes of the result; then those of the operands.
#define CHECK_EINSUM_OF(text, dim, ...) \
  CheckEinsum<dim, float, __VA_ARGS__>( \
      text, [](const auto&... operands) { return MSHADOW_EINSUM(text, operands...); })
#define CHECK_EINSUM(da, db, dim, text) CHECK_EINSUM_OF(text, dim, da, db)

#ifndef MSHADOW_TEST_DEVICE  // others have no products
TEST(Einsum, ProductsOfMatrices) {
  CHECK_EINSUM(2, 2, 2, "ij,jk->ik");
  CHECK_EINSUM(2, 2, 2, "ji,jk->ik");
  CHECK_EINSUM(2, 2, 2, "ij,kj->ik");
  CHECK_EINSUM(2, 2, 2, "ji,kj->ik");
  CHECK_EINSUM(2, 2, 2, "ij,jk->ki");
  CHECK_EINSUM(2, 1, 1, "ij,j->i");
  CHECK_EINSUM(2, 1, 1, "ji,j->i");
  CHECK_EINSUM(1, 2, 1, "j,ji->i");
  CHECK_EINSUM(1, 2, 1, "j,ij->i");
}
TEST(Einsum, BatchesOfMatrices) {
  CHECK_EINSUM(3, 3, 3, "bij,bjk->bik");
  CHECK_EINSUM(3, 3, 3, "bji,bkj->bik");
  CHECK_EINSUM(3, 3, 3, "bij,bjk->bki");
  CHECK_EINSUM(3, 2, 2, "bij,bj->bi");
  CHECK_EINSUM(2, 3, 2, "bj,bji->bi");
  CHECK_EINSUM(3, 3, 3, "ibj,jbk->bik");
  CHECK_EINSUM(4, 4, 4, "bihd,bjhd->bhij");
  // Batches of two axes, of matrices by vectors.
  CHECK_EINSUM(4, 3, 3, "gkdb,kdb->gkd");
  CHECK_EINSUM(3, 4, 3, "cja,ceja->cej");
  CHECK_EINSUM(4, 4, 3, "abcd,abce->abd");
}
TEST(Einsum, JoinedAxes) {
  CHECK_EINSUM(3, 2, 3, "aij,jk->aik");
  CHECK_EINSUM(3, 3, 2, "aij,ijk->ak");
  CHECK_EINSUM(3, 3, 2, "aij,jik->ak");
  CHECK_EINSUM(3, 2, 1, "aij,ij->a");
  CHECK_EINSUM(2, 3, 1, "ij,ija->a");
  CHECK_EINSUM(3, 3, 4, "iaj,kbj->bkia");
}
#endif
TEST(Einsum, ElementByElement) {
  CHECK_EINSUM(2, 2, 2, "ij,ij->ij");
  CHECK_EINSUM(2, 2, 2, "ij,ji->ij");
  CHECK_EINSUM(2, 2, 2, "ij,ij->ji");
  CHECK_EINSUM(1, 1, 2, "i,j->ij");
  CHECK_EINSUM(1, 1, 2, "i,j->ji");
  CHECK_EINSUM(2, 1, 2, "ij,i->ij");
  CHECK_EINSUM(2, 2, 3, "bi,bj->bij");
  CHECK_EINSUM(2, 2, 1, "bi,bi->b");
  CHECK_EINSUM(2, 2, 1, "bi,ib->i");
}
TEST(Einsum, SummedOutAxes) {
  CHECK_EINSUM(2, 2, 0, "ij,ij->");
  CHECK_EINSUM(1, 1, 0, "i,i->");
  CHECK_EINSUM(1, 1, 0, "i,j->");
  CHECK_EINSUM(2, 2, 0, "ij,jk->");
  CHECK_EINSUM(1, 1, 1, "i,j->j");
  CHECK_EINSUM(2, 1, 2, "ij,k->ji");
}
TEST(Einsum, OneOperand) {
  CHECK_EINSUM_OF("ij->ij", 2, 2);
  CHECK_EINSUM_OF("ij->ji", 2, 2);
  CHECK_EINSUM_OF("ijkl->kjli", 4, 4);
  CHECK_EINSUM_OF("ijk->k", 1, 3);
  CHECK_EINSUM_OF("ijk->ki", 2, 3);
  CHECK_EINSUM_OF("ij->", 0, 2);
  CHECK_EINSUM_OF("i->i", 1, 1);
  CheckEinsum<1, uint8_t, 2>("bi->b", [](const auto& a) { return MSHADOW_EINSUM("bi->b", a); });
  CheckEinsum<2, int64_t, 3>("aij->ja", [](const auto& a) { return MSHADOW_EINSUM("aij->ja", a); });
}
TEST(Einsum, OneOperandThatIsWritten) {
  Guarded<2> x(Shape2(3, 3), 2);
  FillWhole(x, 9, 1);
  const std::vector<double> v = Values(x);
  (*x)[1] = MSHADOW_EINSUM("ii->i", *x);
  ExpectValues(x, {v[0], v[1], v[2], v[0], v[4], v[8], v[6], v[7], v[8]});
  *x = MSHADOW_EINSUM("ij->ji", *x);
  ExpectValues(x, {v[0], v[0], v[6], v[1], v[4], v[7], v[2], v[8], v[8]});
}
TEST(Einsum, LongTerms) {
  CHECK_EINSUM_OF("fabcdeff->", 0, 8);
  CHECK_EINSUM_OF("abcdaefa->fbed", 4, 8);
}
TEST(Einsum, OfATensorIsNoViewOfIt) {
  Guarded<2> x(Shape2(2, 3), 0), y(Shape2(2, 3), 2);
  FillWhole(x, 7, 1);
  const float* const memory = y->dptr_;
  *y = MSHADOW_EINSUM("ij->ij", *x);
  EXPECT_EQ(y->dptr_, memory);
  ExpectValues(y, Values(x));
}
TEST(Einsum, Diagonals) {
  CHECK_EINSUM_OF("ii->i", 1, 2);
  CHECK_EINSUM_OF("ii->", 0, 2);
  CHECK_EINSUM_OF("iii->i", 1, 3);
  CHECK_EINSUM_OF("bii->bi", 2, 3);
  CHECK_EINSUM_OF("iib->bi", 2, 3);
  CHECK_EINSUM_OF("iji->ij", 2, 3);
  CHECK_EINSUM_OF("jabj->ba", 2, 4);
  CHECK_EINSUM_OF("ijij->ji", 2, 4);
  CHECK_EINSUM_OF("ijji->", 0, 4);
  CHECK_EINSUM_OF("biki->k", 1, 4);
  CHECK_EINSUM_OF("ii,ij->ij", 2, 2, 2);
  CHECK_EINSUM_OF("ij,iji->j", 1, 2, 3);
}
TEST(Einsum, ValuesOfSeveral) {
  CHECK_EINSUM_OF("i,j,k->", 0, 1, 1, 1);
  CHECK_EINSUM_OF("i,i,jk->kj", 2, 1, 1, 2);
  CHECK_EINSUM_OF("i,i,i->i", 1, 1, 1, 1);
  CHECK_EINSUM_OF("i,j,k->kij", 3, 1, 1, 1);
}
TEST(Einsum, IntegersWrap) {
  Guarded<1, int32_t> a(Shape1(1), 0);
  *a = 100000;
  EXPECT_EQ((MSHADOW_EINSUM("i,j->", *a, *a)), 1410065408);  // 1e10 modulo 2^32
  Guarded<1, uint16_t> b(Shape1(1), 0);
  *b = uint16_t{65535};
  EXPECT_EQ((MSHADOW_EINSUM("i,j->", *b, *b)), 1);
}
TEST(Einsum, NoElements) {
  Guarded<2> none(Shape2(0, 0), 0), wide(Shape2(0, 3), 0), y(Shape2(3, 3), 0);
  Guarded<1> v(Shape1(3), 0), w(Shape1(0), 0);
  EXPECT_EQ((MSHADOW_EINSUM("ii->", *none)), 0.0f);
  EXPECT_EQ((MSHADOW_EINSUM("ij->", *wide)), 0.0f);
  *w = MSHADOW_EINSUM("ii->i", *none);
  FillWhole(v, 5, 1);
  *v = MSHADOW_EINSUM("ij->j", *wide);
  ExpectValues(v, {0, 0, 0});
#ifndef MSHADOW_TEST_DEVICE
  FillWhole(y, 5, 1);
  *y = MSHADOW_EINSUM("ij,ik,ii->jk", *wide, *wide, *none);
  ExpectValues(y, std::vector<double>(9, 0));
#endif
}
TEST(Einsum, AlignedAtTheLastAxes) {
  // As any tensor, also where it runs as a reduction: x is square, so both ways fit.
  Guarded<2> x(Shape2(3, 3), 1), y(Shape2(3, 3), 0), a(Shape2(3, 4), 0), b(Shape2(3, 4), 2);
  FillWhole(x, 9, 1);
  FillWhole(a, 9, 2);
  FillWhole(b, 7, 3);
  *y = *x + MSHADOW_EINSUM("ij,ij->i", *a, *b);
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += a.At(4 * j + k) * b.At(4 * j + k);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(y.At(3 * i + j), x.At(3 * i + j) + sum);
  }
}
#ifndef MSHADOW_TEST_DEVICE
TEST(Einsum, SummedOutBeforeProducts) {
  CHECK_EINSUM(2, 2, 1, "ij,jk->k");
  CHECK_EINSUM(3, 2, 2, "aij,jk->ik");
}
TEST(Einsum, SeveralOperands) {
  CHECK_EINSUM_OF("ij,jk,kl->il", 2, 2, 2, 2);
  CHECK_EINSUM_OF("ij,jk,kl->li", 2, 2, 2, 2);
  CHECK_EINSUM_OF("ji,jk,lk->il", 2, 2, 2, 2);
  CHECK_EINSUM_OF("i,ij,j->", 0, 1, 2, 1);
  CHECK_EINSUM_OF("ij,j,i->j", 1, 2, 1, 1);
  CHECK_EINSUM_OF("bij,bjk,bk->bi", 2, 3, 3, 2);
  CHECK_EINSUM_OF("bi,ijk,bk->bj", 2, 2, 3, 2);
  CHECK_EINSUM_OF("ij,jk,kl,lm->im", 2, 2, 2, 2, 2);
  CHECK_EINSUM_OF("ij,ik,il,ii->jkl", 3, 2, 2, 2, 2);
  CHECK_EINSUM_OF("a,b,ab,ac,bd,cd->", 0, 1, 1, 2, 2, 2, 2);
  CheckEinsum<2, int32_t, 2, 2, 2>(
      "ij,jk,kl->il", [](const auto&... e) { return MSHADOW_EINSUM("ij,jk,kl->il", e...); });
}
TEST(Einsum, MoreThanEightLetters) {
  CHECK_EINSUM_OF("abcdef,defghi->abcghi", 6, 6, 6);
  CHECK_EINSUM_OF("abcde,fghie->fbai", 4, 5, 5);
  CHECK_EINSUM_OF("bfahc,chgide->bdg", 3, 5, 6);
  CHECK_EINSUM_OF("abcde,efghi,ai->cd", 2, 5, 5, 2);
}
TEST(Einsum, Numbers) {
  Guarded<2> a(Shape2(3, 5), 1, 1), y(Shape2(3, 5), 0, 1), square(Shape2(5, 5));
  FillWhole(a, 9, 1);
  const auto at = [&](Index<2> i) { return At(a, i); };
  *y = MSHADOW_EINSUM(",ij->ij", 2, *a);
  ExpectValues(y, Each(y->shape_, [&](Index<2> i) { return 2 * at(i); }));
  *y += MSHADOW_EINSUM("ij,,->ij", *a, 0.5f, 4.0);
  ExpectValues(y, Each(y->shape_, [&](Index<2> i) { return 4 * at(i); }));
  *square = MSHADOW_EINSUM("ij,,ik->jk", *a, -1, *a);
  ExpectValues(square, Each(square->shape_, [&](Index<2> i) {
                 double sum = 0;
                 for (std::size_t k = 0; k < 3; ++k) {
                   sum -= at(Index<2>{k, i[0]}) * at(Index<2>{k, i[1]});
                 }
                 return sum;
               }));
  double sum = 0;
  for (double value : Values(a)) sum += value;
  EXPECT_EQ((MSHADOW_EINSUM("ij,->", *a, 3)), 3 * sum);
  EXPECT_EQ((MSHADOW_EINSUM(",,->", 1.5, 2, 4.0f)), 12.0);
  EXPECT_EQ((MSHADOW_EINSUM("->", 1.5)), 1.5);
}
TEST(Einsum, DiagonalsOfManyEmptyMatrices) {
  // n * n elements would be 0 modulo 2^32.
  Guarded<3> memory(Shape3(0, 65536, 65536));
  Guarded<2> target(Shape2(0, 65536));
  const Tensor<TestDevice, 3> none = *memory;
  *target = MSHADOW_EINSUM("ijj->ij", none);
  *target = MSHADOW_EINSUM("ijj->ij", none + 1);
  EXPECT_EQ((MSHADOW_EINSUM("ijj->", none)), 0.0f);
}
TEST(Einsum, ComplexOperands) {
  using C = std::complex<float>;
  Guarded<2, C> z(Shape2(3, 4), 1, 1), w(Shape2(4, 2)), y(Shape2(3, 2), 2);
  Guarded<2> x(Shape2(4, 2), 1);
  FillWhole(x, 9, 3);
  for (std::size_t i = 0; i < 12; ++i) z.At(i) = C(float(i % 5), float(i % 3) - 1);
  for (std::size_t i = 0; i < 8; ++i) w.At(i) = C(float(i % 3) - 2, float(i % 4));
  const auto check = [&](const auto& right, C scale) {
    for (std::size_t i = 0; i < 6; ++i) {
      C sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += z.At(i / 2 * 4 + k) * right(k * 2 + i % 2);
      EXPECT_EQ(y.At(i), scale * sum);
    }
  };
  *y = MSHADOW_EINSUM("ij,jk->ik", *z, *w);
  check([&](std::size_t i) { return w.At(i); }, 1);
  *y = MSHADOW_EINSUM("jk,ij->ik", *x, *z);
  check([&](std::size_t i) { return x.At(i); }, 1);
  *y = MSHADOW_EINSUM(",ij,jk->ik", C(0, 2), *z, *x);
  check([&](std::size_t i) { return x.At(i); }, C(0, 2));
  C sum = 0;
  for (std::size_t i = 0; i < 8; ++i) sum += w.At(i) * x.At(i);
  EXPECT_EQ((MSHADOW_EINSUM("ij,ij->", *w, *x)), sum);
}
TEST(Einsum, Types) {
  CheckEinsum<2, double, 2, 2>("ij,jk->ik", [](const auto& a, const auto& b) {
    return MSHADOW_EINSUM(" ij , jk -> ik ", a, b);
  });
  CheckEinsum<1, int32_t, 2, 2>(
      "ij,jk->k", [](const auto& a, const auto& b) { return MSHADOW_EINSUM("ij,jk->k", a, b); });
  CheckEinsum<1, uint8_t, 2, 2>(
      "bi,bi->b", [](const auto& a, const auto& b) { return MSHADOW_EINSUM("bi,bi->b", a, b); });
}
TEST(Einsum, ConstViewsAndTargetsThatAreRead) {
  Guarded<2> a(Shape2(3, 3), 0), b(Shape2(3, 3), 0);
  FillWhole(a, 9, 1);
  FillWhole(b, 7, 2);
  const Tensor<TestDevice, 2, const float> view(*b);
  double expected = 0;
  for (std::size_t j = 0; j < 3; ++j) expected += a.At(3 + j) * b.At(3 * j + 2);
  *a = MSHADOW_EINSUM("ij,jk->ik", *a, view);
  EXPECT_EQ(a.At(5), expected);
}
TEST(Einsum, ExtentsThatDiffer) {
  Guarded<2> a(Shape2(2, 3), 0), b(Shape2(4, 5), 0);
  const std::string error = ErrorOf([&] { MSHADOW_EINSUM("ij,jk->ik", *a, *b); });
  EXPECT_NE(error.find("(2,3) and (4,5) do not fit \"ij,jk->ik\""), std::string::npos) << error;
  EXPECT_NE(error.find("axis j"), std::string::npos) << error;
  const std::string three = ErrorOf([&] { MSHADOW_EINSUM("ij,jk,kl->il", *a, *a, *b); });
  EXPECT_NE(three.find("(2,3), (2,3) and (4,5) do not fit \"ij,jk,kl->il\""), std::string::npos)
      << three;
  const std::string one = ErrorOf([&] { MSHADOW_EINSUM("ii->i", *a); });
  EXPECT_NE(one.find("shape (2,3) does not fit \"ii->i\": the extents of axis i"),
            std::string::npos)
      << one;
}

#endif

}  // namespace
}  // namespace einsum_test
}  // namespace mshadow
