// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/error_text.h>

#include <string>
#include <utility>

#include "testing.h"

namespace mshadow {
namespace {

TEST(ErrorText, ExtentsAreATuple) {
  const index_t extents[] = {2, 30, 4};
  for (const auto& [n, expected] :
       {std::pair(0, "()"), std::pair(1, "(2,)"), std::pair(3, "(2,30,4)")}) {
    detail::ErrorText text;
    text.AddExtents(extents, n);
    EXPECT_STREQ(text.text(), expected);
  }
}

TEST(ErrorText, NumbersThatNoIndexHolds) {
  detail::ErrorText text;
  text.Add("%s ", "from");
  text.AddNumber({1, true});
  text.Add(" to ");
  text.AddNumber({~uint64_t{0}, false});
  EXPECT_STREQ(text.text(), "from -1 to 18446744073709551615");
}

TEST(ErrorText, WhatDoesNotFitIsLeftOut) {
  detail::ErrorText text;
  for (int i = 0; i < 300; ++i) text.Add("%s", "ten chars.");
  EXPECT_EQ(std::string(text.text()).size(), 2047u);
}

TEST(ErrorText, Mismatches) {
  const index_t a[] = {2, 3}, b[] = {2, 1}, c[] = {2, 4}, none[] = {0, 0};
  const auto text = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(
      text([&] { detail::ThrowShapeMismatch("who", a, b, 2); }),
      "who: Shapes of operands are not the same, Shape1=(2,3), Shape2=(2,1); broadcast_to and "
      "broadcast_keepdim repeat axes of extent 1");
  EXPECT_EQ(text([&] { detail::ThrowShapeMismatch("who", a, c, 2); }),
            "who: Shapes of operands are not the same, Shape1=(2,3), Shape2=(2,4)");
  EXPECT_EQ(text([&] { detail::ThrowAssignMismatch(a, none, 2); }),
            "Assignment: Shape of Tensors are not consistent with target, eshape: (2,3) "
            "dshape:(0,0); the target has no elements: Resize(shape) gives a container some");
  EXPECT_EQ(text([&] { detail::ThrowTooManyBytes("AllocSpace", a, 2); }),
            "AllocSpace: shape (2,3) exceeds the address space");
}

}  // namespace
}  // namespace mshadow
