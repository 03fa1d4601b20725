// SPDX-License-Identifier: Apache-2.0
#include "check_gradient.h"

#include <limits>

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::Filled;

struct Products : ::testing::Test {
  Filled<2> x{Shape2(4, 6), -1, 1, 1}, z{Shape2(4, 6), -1, 1, 2}, w{Shape2(6, 5), -1, 1, 3},
      q{Shape2(5, 6), -1, 1, 4};
  Filled<1> b{Shape1(6), -1, 1, 5}, u{Shape1(4), -1, 1, 6}, c{Shape1(5), -1, 1, 7};
};

TEST_F(Products, OfMatrices) {
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l, r)); }, x, w);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l, r.T())); }, x, q);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l.T(), r) * 2.0); }, x, z);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l.T(), r.T())); }, w, x);
  CheckGradient([](Tape& t, auto& l) { return t(dot(l, l.T())); }, x);
}
TEST_F(Products, OfVectors) {
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l, r)); }, u, x);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l, r.T())); }, b, x);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l, r)); }, x, b);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l.T(), r)); }, x, u);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l.T(), r)); }, u, b);
}
TEST_F(Products, InExpressions) {
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(2.0 * dot(exp(l), r * r)); }, x, w);
  CheckGradient([](Tape& t, auto& l, auto& m, auto& r) { return t(dot(tanh(dot(l, m)), r)); }, x, w,
                q);
  CheckGradient([](Tape& t, auto& l, auto& r, auto& o) { return t(gelu(dot(l, r) + o)); }, x, w, c);
  CheckGradient([](Tape& t, auto& l, auto& r) { return t(dot(l, r) * dot(l, r)); }, x, w);
}
TEST_F(Products, Batches) {
  Filled<3> p(Shape3(2, 3, 4), -1, 1, 1), r(Shape3(2, 4, 3), -1, 1, 2),
      s(Shape3(2, 3, 4), -1, 1, 3);
  CheckGradient([](Tape& t, auto& l, auto& m) { return t(batch_dot<false, false>(l, m)); }, p, r);
  CheckGradient([](Tape& t, auto& l, auto& m) { return t(batch_dot<true, false>(l, m)); }, p, s);
  CheckGradient([](Tape& t, auto& l, auto& m) { return t(batch_dot<true, true>(l, m)); }, p, r);
  CheckGradient(
      [](Tape& t, auto& query, auto& key, auto& value) {
        const auto score = t(softmax<2>(batch_dot<false, true>(query, key) * 0.5));
        return t(batch_dot<false, false>(score, value));
      },
      p, s, s);
}
TEST_F(Products, Attention) {
  Filled<3> query(Shape3(2, 5, 3), -1, 1), key(Shape3(2, 4, 3), -1, 1, 2),
      value(Shape3(2, 4, 2), -1, 1, 3);
  CheckGradient(
      [](Tape& t, auto& q, auto& k, auto& v) {
        return t(sin(scaled_dot_product_attention(q * q, k, v)));
      },
      query, key, value);
  CheckGradient(
      [](Tape& t, auto& q, auto& k, auto& v) {
        return t(scaled_dot_product_attention(q, k * 2.0, v, true, 0.7));
      },
      query, key, value);
  TensorContainer<cpu, 2, double> mask(Shape2(5, 4), 0.0);
  mask[1][2] = -std::numeric_limits<double>::infinity();
  mask[4][0] = 1.5;
  CheckGradient(
      [&](Tape& t, auto& q, auto& k, auto& v) {
        return t(scaled_dot_product_attention(q, k, v, mask));
      },
      query, key, value);
}
TEST_F(Products, Convolutions) {
  Filled<4> images(Shape4(2, 2, 5, 5), -1, 1), kernels(Shape4(3, 2, 3, 3), -1, 1, 2);
  CheckGradient([](Tape& t, auto& a, auto& k) { return t(conv2d(a * a, k, 2, 1)); }, images,
                kernels);
  // The gradient of each of the three by the others.
  Filled<4> y(Shape4(2, 3, 3, 3), -1, 1, 3);
  CheckGradient(
      [](Tape& t, auto& a, auto& k) { return t(conv2d_grad_x(a, k * k, Shape2(5, 5), 2, 1)); }, y,
      kernels);
  CheckGradient(
      [](Tape& t, auto& a, auto& b) { return t(conv2d_grad_w(a, b, Shape2(3, 3), 2, 1)); }, y,
      images);
}
TEST_F(Products, OtherConvolutions) {
  Filled<3> rows(Shape3(2, 4, 7), -1, 1), row_kernels(Shape3(6, 2, 3), -1, 1, 2),
      back(Shape3(4, 3, 3), -1, 1, 2);
  CheckGradient([](Tape& t, auto& a, auto& k) { return t(relu(conv1d(a, k, 2, 1, 1, 2))); }, rows,
                row_kernels);
  CheckGradient([](Tape& t, auto& a, auto& k) { return t(conv_transpose1d(a, k, 2, 1, 1)); }, rows,
                back);
  Filled<4> images(Shape4(2, 4, 3, 4), -1, 1), kernels(Shape4(4, 2, 3, 2), -1, 1, 2);
  CheckGradient(
      [](Tape& t, auto& a, auto& k) { return t(conv_transpose2d(a * a, k, 2, 1, 0, 2)); }, images,
      kernels);
  Filled<5> volumes(Shape5(2, 2, 4, 3, 4), -1, 1), all(Shape5(2, 2, 2, 3, 2), -1, 1, 2);
  CheckGradient([](Tape& t, auto& a, auto& k) { return t(conv3d(a, k, Shape3(2, 1, 2), 1)); },
                volumes, all);
  CheckGradient(
      [](Tape& t, auto& a, auto& k) { return t(conv_transpose3d(a, k * k, Shape3(2, 1, 2), 1)); },
      volumes, all);
}
TEST_F(Products, TransposedConvolutions) {
  Filled<4> results(Shape4(2, 4, 3, 3), -1, 1), kernels(Shape4(4, 1, 3, 2), -1, 1, 2),
      images(Shape4(2, 2, 6, 5), -1, 1, 3);
  CheckGradient([](Tape& t, auto& a,
                   auto& k) { return t(sin(conv2d_grad_x(a * a, k, Shape2(6, 5), 2, 1, 1, 2))); },
                results, kernels);
  CheckGradient([](Tape& t, auto& a,
                   auto& x) { return t(conv2d_grad_w(a, sin(x), Shape2(3, 2), 2, 1, 1, 2) * 2.0); },
                results, images);
}

}  // namespace
}  // namespace mshadow
