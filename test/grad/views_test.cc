// SPDX-License-Identifier: Apache-2.0
#include <mshadow/linalg.h>

#include "check_gradient.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

struct Views : ::testing::Test {
  Filled<2> x{Shape2(4, 6), -1, 1, 1}, z{Shape2(4, 6), -1, 1, 2};
  Filled<3> p{Shape3(2, 3, 4), -1, 1, 3};
};

TEST_F(Views, InAnotherOrder) {
  CheckGradient([](Tape& t, auto& a) { return t((a * 2.0).T() * 1.5); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(transpose(sin(a), Shape3(1, 2, 0)) * 2.0); }, p);
  CheckGradient([](Tape& t, auto& a) { return t(swapaxis<2, 0>(a * a) * 3.0); }, p);
  CheckGradient([](Tape& t, auto& a) { return t(reshape(a * a, Shape2(6, 4)) * 2.0); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(flip(a * a, 1) * roll(a, 2, 0)); }, x);
}
TEST_F(Views, Triangles) {
  CheckGradient([](Tape& t, auto& a) { return t(tril(a * a, 1) + triu(a, -1)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(sin(triu(a))); }, p);
}
TEST_F(Views, Parts) {
  CheckGradient([](Tape& t, auto& a) { return t(slice<1>(a, 1, 4) * slice<1>(a * a, 2, 5)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(exp(slice<0>(a, 1, 3))); }, x);
  CheckGradient(
      [](Tape& t, auto& a) { return t(sin(slice(a, Shape2(1, 0), Shape2(4, 6), Shape2(2, 2)))); },
      x);
  CheckGradient(
      [](Tape& t, auto& a) { return t(crop(a, Shape2(2, 3), 1, 2) * crop(a, Shape2(2, 3), 0, 0)); },
      x);
}
TEST_F(Views, Joins) {
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(sin(concat<1>(a, b * 2.0))); }, x, z);
  CheckGradient([](Tape& t, auto& a, auto& b) { return t(concat<0>(a, b) * 2.0); }, x, z);
  CheckGradient([](Tape& t, auto& a) { return t(crop(pad(a * a, 1, 2), Shape2(5, 7), 1, 1)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(sin(tile(a, Shape2(2, 3)))); }, x);
}
TEST_F(Views, Rows) {
  const TensorContainer<cpu, 1, double> rows({2, 0, 2, 1, 3}), labels({0, 3, 5, 2});
  CheckGradient([&](Tape& t, auto& a) { return t(take(rows, a) * take(rows, a * 2.0)); }, x);
  CheckGradient([&](Tape& t, auto& a) { return t(mat_choose_row_element(a * a, labels)); }, x);
  CheckGradient([](Tape& t, auto& a) { return t(cumsum(a * a, 1)); }, x);
}
TEST_F(Views, Windows) {
  Filled<4> images(Shape4(2, 2, 6, 6), -1, 1);
  Filled<2> columns(Shape2(18, 32), -1, 1), weights(Shape2(3, 18), -1, 1, 2);
  CheckGradient([](Tape& t, auto& a) { return t(pool<red::maximum>(a * a, 3, 3, 1)); }, images);
  CheckGradient([](Tape& t, auto& a) { return t(pool<red::sum>(sin(a), 3, 2, 1)); }, images);
  CheckGradient([](Tape& t, auto& a, auto& w) { return t(dot(w, unpack_patch2col(a, 3, 3, 1))); },
                images, weights);
  CheckGradient(
      [](Tape& t, auto& a) { return t(pack_col2patch(a, Shape4(2, 2, 6, 6), 3, 3, 1) * 2.0); },
      columns);
}

}  // namespace
}  // namespace mshadow
