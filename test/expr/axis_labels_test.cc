// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/axis_labels.h>

#include <gtest/gtest.h>

namespace mshadow {
namespace expr {
namespace detail {
namespace {

constexpr Labels kAll = EinsumTerm("abcdefgh,h->a", 0);

TEST(AxisLabels, TermsOfAText) {
  constexpr const char* kText = "bij, bjk -> bik";
  EXPECT_TRUE(IsEinsum(kText));
  constexpr Labels kTerms[] = {EinsumTerm(kText, 0), EinsumTerm(kText, 1), EinsumTerm(kText, 2)};
  const char* const expected[] = {"bij", "bjk", "bik"};
  for (int term = 0; term < 3; ++term) {
    ASSERT_EQ(CountLabels(kTerms[term]), 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(LabelAt(kTerms[term], i), expected[term][i]);
  }
  EXPECT_EQ(EinsumTerm("ij,ij->", 2), 0u);
}

TEST(AxisLabels, OtherTexts) {
  for (const char* text : {"", "ij", "ij,jk", "ij->ij", "i1,j->i", "ij,jk,kl->il", "ij-jk,ij->",
                           "abcdefghi,a->a", "ij,jk->ik->"}) {
    EXPECT_FALSE(IsEinsum(text)) << text;
    EXPECT_EQ(EinsumTerm(text, 0), 0u) << text;
  }
}

TEST(AxisLabels, AsManyAsThereMayBe) {
  EXPECT_EQ(CountLabels(kAll), kMaxLabels);
  EXPECT_EQ(FindLabel(kAll, 'h'), 7);
  EXPECT_EQ(FindLabel(kAll, 'z'), -1);
  EXPECT_EQ(Joined(kAll, 0), kAll);
}

TEST(AxisLabels, ChosenOnes) {
  constexpr Labels kSome = EinsumTerm("hxc,x->x", 0);
  EXPECT_EQ(Chosen(kSome, kAll, true), EinsumTerm("hc,c->c", 0));
  EXPECT_EQ(Chosen(kSome, kAll, false), EinsumTerm("x,x->x", 0));
  EXPECT_TRUE(HasTwice(EinsumTerm("iji,j->j", 0)));
  EXPECT_FALSE(HasTwice(kAll));
}

}  // namespace
}  // namespace detail
}  // namespace expr
}  // namespace mshadow
