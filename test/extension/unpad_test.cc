// SPDX-License-Identifier: Apache-2.0
// unpad is a crop from the middle; crop_test.cc holds what they share.
#include <mshadow/extension/pad.h>
#include <mshadow/extension/unpad.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

TEST(Unpad, TakesTheBorderAway) {
  Guarded<3> a(Shape3(2, 7, 9), 1), inner(Shape3(2, 5, 3)), same(Shape3(2, 7, 9));
  FillWhole(a, 9);
  ExpectUses(inner->shape_, Each(inner->shape_, [&](Index<3> index) {
               index[1] += 1;
               index[2] += 3;
               return At(a, index);
             }),
             [&] { return unpad(*a, 1, 3); });
  *same = unpad(pad(*a, 2), 2);
  ExpectValues(same, Values(a));
}

TEST(Unpad, Errors) {
  Guarded<2> a(Shape2(3, 5));
  EXPECT_EQ(ErrorOf([&] { unpad(*a, 2); }),
            "unpad: pad_y = 2 is out of range: 0 to 1, half of the source's height");
}

}  // namespace
}  // namespace mshadow
