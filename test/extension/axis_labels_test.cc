// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/axis_labels.h>

#include <gtest/gtest.h>

namespace mshadow {
namespace expr {
namespace detail {
namespace {

constexpr Labels kAll = EinsumTerm("abcdefgh,h->a", 0);

TEST(AxisLabels, TermsOfAText) {
  constexpr const char* kText = "bij, bjk -> bik";
  EXPECT_EQ(CountOperands(kText), 2);
  constexpr Labels kTerms[] = {EinsumTerm(kText, 0), EinsumTerm(kText, 1), EinsumTerm(kText, -1)};
  const char* const expected[] = {"bij", "bjk", "bik"};
  for (int term = 0; term < 3; ++term) {
    ASSERT_EQ(CountLabels(kTerms[term]), 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(LabelAt(kTerms[term], i), expected[term][i]);
  }
  EXPECT_EQ(EinsumTerm(kText, 2), 0u);
  EXPECT_EQ(EinsumTerm("ij,ij->", -1), 0u);
}

TEST(AxisLabels, AnyNumberOfTerms) {
  EXPECT_EQ(CountOperands("ij->ji"), 1);
  EXPECT_EQ(EinsumTerm("ij->ji", -1), EinsumTerm("ji->", 0));
  EXPECT_EQ(CountOperands("ij,jk,kl->il"), 3);
  EXPECT_EQ(EinsumTerm("ij,jk,kl->il", 2), EinsumTerm("kl->", 0));
}

TEST(AxisLabels, OtherTexts) {
  for (const char* text :
       {"", "ij", "ij,jk", "i1,j->i", "ij-jk,ij->", "abcdefghi,a->a", "ij,jk->ik->", "ij->i,j"}) {
    EXPECT_EQ(CountOperands(text), 0) << text;
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
  EXPECT_EQ(ChosenOfAny(kSome, kAll, Labels{0}), EinsumTerm("hc,c->c", 0));
}

TEST(AxisLabels, RepeatedOnes) {
  EXPECT_EQ(FindRepeated(EinsumTerm("ijjik->j", 0)), 2);
  EXPECT_EQ(Distinct(EinsumTerm("ijjik->j", 0)), EinsumTerm("ijk->j", 0));
  EXPECT_EQ(FindRepeated(kAll), -1);
  EXPECT_EQ(Distinct(kAll), kAll);
}

}  // namespace
}  // namespace detail
}  // namespace expr
}  // namespace mshadow
