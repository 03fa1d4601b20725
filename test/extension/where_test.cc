// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/where.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename CDType>
void CheckWhere() {
  Guarded<2, CDType> c(Shape2(3, 37), 2, 1);
  FillWhole(c, 3);
  Guarded<2> a(Shape2(3, 37), 1), b(Shape2(3, 37));
  FillWhole(a, 100);
  FillWhole(b, 100, 2);
  const auto pick = [&](const auto& yes, const auto& no) {
    return Each(a->shape_, [&](Index<2> i) { return At(c, i) != 0 ? yes(i) : no(i); });
  };
  const auto at_a = [&](Index<2> i) { return At(a, i); };
  ExpectUses(a->shape_, pick(at_a, [&](Index<2> i) { return 2 * At(b, i); }),
             [&] { return where(*c, *a, *b * 2.0f); });
  ExpectUses(a->shape_, pick(at_a, [](Index<2>) { return 5.0; }),
             [&] { return where(*c, *a, 5); });
  ExpectUses(a->shape_, pick([](Index<2>) { return 5.0; }, at_a),
             [&] { return where(*c, 5.0, *a); });
}

TEST(Where, ConditionsOfEveryDType) {
  CheckWhere<float>();
  CheckWhere<uint8_t>();
  CheckWhere<int64_t>();
  CheckWhere<half::half_t>();
}

// Not converted to the type of the values: a half would be 0, and NaN is no number to convert.
TEST(Where, FractionsAndNaN) {
  Guarded<1> c(Shape1(4));
  c.At(0) = 0.25f;
  c.At(1) = -0.0f;
  c.At(2) = std::nanf("");
  c.At(3) = 0.0f;
  Guarded<1, int32_t> a(Shape1(4)), out(Shape1(4));
  FillWhole(a, 100);
  *out = where(*c, *a, -1);
  ExpectValues(out, {At(a, Index<1>{0}), -1, At(a, Index<1>{2}), -1});
}

TEST(Where, Comparisons) {
  Guarded<2> a(Shape2(4, 9)), b(Shape2(4, 9)), out(Shape2(4, 9));
  FillWhole(a, 100);
  FillWhole(b, 100, 2);
  *out = where(F<op::logical_and>(F<op::gt>(*a, *b), F<op::lt>(*a, 80.0f)), *a, *b);
  ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                 return At(a, i) > At(b, i) && At(a, i) < 80 ? At(a, i) : At(b, i);
               }));
}

// Two scalars: as floats where the condition is of floats, whatever they are written as.
TEST(Where, TwoScalars) {
  Guarded<1> c(Shape1(5)), out(Shape1(5));
  Guarded<1, int32_t> label(Shape1(5)), whole(Shape1(5));
  FillWhole(c, 3);
  FillWhole(label, 3, 2);
  std::vector<double> floats, halves, integers;
  for (int i = 0; i < 5; ++i) {
    floats.push_back(c.At(i) > 1 ? 1 : 0);
    halves.push_back(label.At(i) == 1 ? 0.5 : -0.5);
    integers.push_back(label.At(i) == 1 ? 7 : 9);
  }
  *out = where(*c > 1, 1, 0);
  ExpectValues(out, floats);
  *out = where(*c > 1.0f, 1.0, 0.0);
  ExpectValues(out, floats);
  *out = where(*label == 1, 0.5f, -0.5f);
  ExpectValues(out, halves);
  *whole = where(*label == 1, 7, 9);
  ExpectValues(whole, integers);
}

TEST(Where, Errors) {
  Guarded<2> c(Shape2(3, 5)), a(Shape2(3, 4)), out(Shape2(3, 5));
  const std::string text = ErrorOf([&] { *out = where(*c, *a, 1.0f); });
  EXPECT_NE(text.find("(3,5)"), std::string::npos) << text;
  EXPECT_NE(text.find("(3,4)"), std::string::npos) << text;
}

}  // namespace
}  // namespace mshadow
