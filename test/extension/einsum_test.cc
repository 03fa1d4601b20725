// SPDX-License-Identifier: Apache-2.0
#include <mshadow/einsum.h>

#include <map>
#include <string>
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

/// The result by its definition: a loop over all letters.
template <int da, int db, typename DType>
std::vector<double> EinsumByLoops(const std::string& text, Guarded<da, DType>& a,
                                  Guarded<db, DType>& b) {
  const std::string ta = text.substr(0, text.find(','));
  const std::string tb = text.substr(ta.size() + 1, text.find('-') - ta.size() - 1);
  const std::string out = text.substr(text.find('>') + 1);
  std::map<char, std::size_t> index;
  for (char c : ta + tb) index[c] = 0;
  std::size_t size = 1;
  for (char c : out) size *= ExtentOfLetter(c);
  std::vector<double> result(size, 0);
  for (;;) {
    result[PlaceOfTerm(out, index)] += static_cast<double>(a.At(PlaceOfTerm(ta, index))) *
                                   static_cast<double>(b.At(PlaceOfTerm(tb, index)));
    auto letter = index.begin();
    while (letter != index.end() && ++letter->second == ExtentOfLetter(letter->first)) {
      letter->second = 0;
      ++letter;
    }
    if (letter == index.end()) return result;
  }
}

/// make(a, b) is what the loops give, into rows of any padding, from operands of any.
template <int da, int db, int dim, typename DType = float, typename Make>
void CheckEinsum(const std::string& text, const Make& make) {
  const std::string ta = text.substr(0, text.find(','));
  const std::string tb = text.substr(ta.size() + 1, text.find('-') - ta.size() - 1);
  const std::string out = text.substr(text.find('>') + 1);
  for (index_t pad : {0, 3}) {
    Guarded<da, DType> a(ShapeOfTerm<da>(ta), pad, 1);
    Guarded<db, DType> b(ShapeOfTerm<db>(tb), 2 * pad, 1);
    FillWhole(a, 9, 1);
    FillWhole(b, 7, 2);
    const std::vector<double> expected = EinsumByLoops(text, a, b);
    const auto e = make(*a, *b);
    if constexpr (dim == 0) {
      EXPECT_EQ(static_cast<double>(e), expected[0]) << text;
    } else {
      Guarded<dim, DType> y(ShapeOfTerm<dim>(out), 3 - pad, 1);
      *y = e;
      for (std::size_t i = 0; i < y.Size(); ++i) {
        ASSERT_EQ(static_cast<double>(y.At(i)), expected[i]) << text << ", element " << i;
      }
      *y += DType(2) * make(*a, *b * DType(2)) + DType(1);
      for (std::size_t i = 0; i < y.Size(); ++i) {
        ASSERT_EQ(static_cast<double>(y.At(i)), 5 * expected[i] + 1) << text << " in a statement";
      }
      EXPECT_TRUE(y.Intact()) << text;
    }
  }
}
#define CHECK_EINSUM(da, db, dim, text) \
  CheckEinsum<da, db, dim>(             \
      text, [](const auto& a, const auto& b) { return MSHADOW_EINSUM(text, a, b); })

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
TEST(Einsum, Types) {
  CheckEinsum<2, 2, 2, double>("ij,jk->ik", [](const auto& a, const auto& b) {
    return MSHADOW_EINSUM(" ij , jk -> ik ", a, b);
  });
  CheckEinsum<2, 2, 1, int32_t>("ij,jk->k", [](const auto& a, const auto& b) {
    return MSHADOW_EINSUM("ij,jk->k", a, b);
  });
  CheckEinsum<2, 2, 1, uint8_t>("bi,bi->b", [](const auto& a, const auto& b) {
    return MSHADOW_EINSUM("bi,bi->b", a, b);
  });
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
}

#endif

}  // namespace
}  // namespace einsum_test
}  // namespace mshadow
