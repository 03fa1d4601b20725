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

TEST(GradientOf, EinsumOfOneOperand) {
  Filled<2> x(Shape2(3, 4), -1, 1, 1), square(Shape2(4, 4), -1, 1, 2);
  Filled<3> b(Shape3(3, 2, 3), -1, 1, 3);
  CheckGradient([](Tape& t, auto& v) { return t(MSHADOW_EINSUM("ij->ji", v)); }, x);
  CheckGradient([](Tape& t, auto& v) { return t(MSHADOW_EINSUM("ij->j", v * v)); }, x);
  CheckGradient([](Tape& t, auto& v) { return t(MSHADOW_EINSUM("ij->", v * v)); }, x);
  CheckGradient([](Tape& t, auto& v) { return t(MSHADOW_EINSUM("ii->i", v)); }, square);
  CheckGradient([](Tape& t, auto& v) { return t(MSHADOW_EINSUM("ii->", v * v)); }, square);
  CheckGradient([](Tape& t, auto& v) { return t(exp(MSHADOW_EINSUM("iji->ji", v))); }, b);
}
TEST(GradientOf, EinsumOfSeveralOperands) {
  Filled<2> x(Shape2(3, 4), -1, 1, 1), w(Shape2(4, 2), -1, 1, 2), z(Shape2(2, 3), -1, 1, 3);
  Filled<1> u(Shape1(3), -1, 1, 4), v(Shape1(4), -1, 1, 5);
  CheckGradient(
      [](Tape& t, auto& a, auto& b, auto& c) { return t(MSHADOW_EINSUM("ij,jk,kl->il", a, b, c)); },
      x, w, z);
  CheckGradient(
      [](Tape& t, auto& a, auto& b, auto& c) { return t(MSHADOW_EINSUM("i,ij,j->", a, b, c)); }, u,
      x, v);
  CheckGradient([](Tape& t, auto& a, auto& b,
                   auto& c) { return t(MSHADOW_EINSUM("i,i,jk->kj", a, a * b, c)); },
                u, u, x);
  CheckGradient([](Tape& t, auto& a, auto& b,
                   auto& c) { return t(MSHADOW_EINSUM("i,j,ij->ij", a, b, tanh(c))); },
                u, v, x);
}
TEST(GradientOf, EinsumThatIsAValue) {
  Filled<2> x(Shape2(3, 4), -1, 1, 1), z(Shape2(3, 4), -1, 1, 2);
  Filled<1> u(Shape1(3), -1, 1, 4);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(MSHADOW_EINSUM("ij,ij->", a, b)); }, x, z);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(MSHADOW_EINSUM("ij,k->", a, b)); }, x, u);
  CheckGradient([](Tape& t, auto& a) { return t(MSHADOW_EINSUM("i,i->", a, a)); }, u);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(MSHADOW_EINSUM("i,jk->jk", a, b)); }, u,
                x);
}

}  // namespace
}  // namespace mshadow
