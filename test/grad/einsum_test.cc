// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/einsum.h>

#include "check_gradient.h"

namespace mshadow {
namespace {

using testing::CheckGradient;
using testing::Filled;

TEST(GradientOf, EinsumOfMatrices) {
  Filled<2> x(Shape2(3, 4), -1, 1, 1), z(Shape2(3, 4), -1, 1, 2), w(Shape2(4, 2), -1, 1, 3);
  Filled<1> c(Shape1(2), -1, 1, 4);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(MSHADOW_EINSUM("ij,jk->ki", l, r)); }, x,
                w);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(MSHADOW_EINSUM("ij,ij->i", l * l, r)); },
                x, z);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(MSHADOW_EINSUM("ij,k->ijk", l, r)); }, x,
                c);
}
TEST(GradientOf, EinsumOfBatches) {
  Filled<3> p(Shape3(2, 3, 4), -1, 1, 1), r(Shape3(2, 5, 4), -1, 1, 2);
  CheckGradient([](Tape& t, auto& l, auto& m) { return t(MSHADOW_EINSUM("bij,bkj->kbi", l, m)); },
                p, r);
  CheckGradient(
      [](Tape& t, auto& l, auto& m) { return t(MSHADOW_EINSUM("bij,bkj->ik", l, m) * 2.0); }, p, r);
}

}  // namespace
}  // namespace mshadow
