// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/exp.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

TEST(Exp, KindsAreBitMasksThatOrToTheHarderOne) {
  static_assert(type::kRValue == 0 && type::kMapper == 1 && type::kChainer == 3 &&
                type::kComplex == 7);
  static_assert((type::kMapper | type::kChainer) == type::kChainer);
}

TEST(ScalarExp, IsBuiltFromALiteral) {
  ScalarExp<float> from_literal = 2.0f;
  EXPECT_EQ(from_literal.scalar_, 2.0f);
  EXPECT_EQ(scalar<double>(3).scalar_, 3.0);
  EXPECT_EQ(ScalarExp(1.0f).scalar_, 1.0f);
  EXPECT_EQ(from_literal.self().scalar_, 2.0f);
}

TEST(IsScalar, NumbersOfTheLanguageAndOfTheLibrary) {
  static_assert(IsScalar<int>::value && IsScalar<long long>::value && IsScalar<bool>::value);
  static_assert(IsScalar<half::half_t>::value && IsScalar<bfloat::bf16_t>::value);
  static_assert(!IsScalar<std::string>::value && !IsScalar<Tensor<cpu, 1>>::value);
}

TEST(RValueExp, BasesAreEmptySoThatATensorIsItsFieldsAlone) {
  static_assert(std::is_empty_v<TRValue<Tensor<cpu, 2>, cpu, 2, float>>);
}

TEST(RValueExp, AssignByNameDoesWhatEqualsDoes) {
  float memory[3] = {1, 2, 3};
  Tensor<cpu, 1> t(memory, Shape1(3));
  t.__assign(5.0f);
  EXPECT_EQ(memory[2], 5.0f);
  t.__assign(t * 2.0f);
  EXPECT_EQ(memory[0], 10.0f);
}

}  // namespace
}  // namespace mshadow
