// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/clip.h>

#include <cmath>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

TEST(Clip, ScalarsAndExpressions) {
  Guarded<3> a(Shape3(2, 3, 19), 1, 1), low(Shape3(2, 3, 19));
  FillWhole(a, 100);
  FillWhole(low, 60, 2);
  ExpectUses(a->shape_, Each(a->shape_, [&](Index<3> i) {
               return std::min(std::max(At(a, i), 20.0), 70.0);
             }),
             [&] { return clip(*a, 20, 70.0); });
  ExpectUses(a->shape_, Each(a->shape_, [&](Index<3> i) {
               return std::min(std::max(At(a, i), At(low, i)), 70.0);
             }),
             [&] { return clip(*a, *low, 70); });
}

TEST(Clip, NaNStays) {
  Guarded<1> a(Shape1(19));
  *a = 5.0f;
  a.At(3) = std::nanf("");
  ForEachIsa([&] {
    Guarded<1> out(Shape1(19));
    *out = clip(*a, 0, 1);
    EXPECT_TRUE(std::isnan(out.At(3)));
    EXPECT_EQ(out.At(4), 1.0f);
  });
}

TEST(Clip, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(2, 20), 1), out(Shape2(2, 20));
    FillWhole(a, 100);
    *out = clip(*a, 10, 50);
    ExpectValues(out, Each(out->shape_, [&](Index<2> i) {
                   return std::min(std::max(At(a, i), 10.0), 50.0);
                 }));
  });
}

}  // namespace
}  // namespace mshadow
