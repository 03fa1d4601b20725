// SPDX-License-Identifier: Apache-2.0
// Nodes own the containers that were temporaries.
#include <mshadow/expr/temporary.h>

#include <mshadow/einsum.h>
#include <mshadow/nn.h>
#include <mshadow/tensor.h>

#include <utility>

#include "tensor/counting_device.h"
#include "testing.h"

namespace mshadow {
namespace temporary_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using testing::counting;
using Matrix = TensorContainer<counting, 2>;

int made = 0;
template <int dim>
TensorContainer<counting, dim> Make() {
  Shape<dim> shape;
  for (int i = 0; i < dim; ++i) shape[i] = 4;
  ++made;
  return TensorContainer<counting, dim>(shape);
}
Matrix Make() { return Make<2>(); }

/// True if what f returns keeps the memory of the containers that f makes, until its end.
template <typename F>
bool Owns(const F& f) {
  const int before = counting::live;
  made = 0;
  bool owns;
  {
    const auto node = f();
    const auto copy = node;
    owns = made > 0 && counting::live == before + made;
  }
  return owns && counting::live == before;
}

struct Derived : Matrix {
  Derived() : Matrix(Make()) {}
};

#define EXPECT_OWNS(...) EXPECT_TRUE(Owns([&] { return __VA_ARGS__; })) << #__VA_ARGS__

TEST(Temporary, OperatorsAndFunctions) {
  const Matrix named = Make();
  EXPECT_OWNS(Make() * 2);
  EXPECT_OWNS(2 - Make());
  EXPECT_OWNS(Make() / Make());
  EXPECT_OWNS(named + Make());
  EXPECT_OWNS(Make() + named * 3 - Make());
  EXPECT_OWNS(-Make());
  EXPECT_OWNS(Make() > 0);
  EXPECT_OWNS(named * Derived());
  EXPECT_OWNS(exp(Derived()));
  EXPECT_OWNS(sum<0>(Derived()));
  EXPECT_OWNS(F<op::identity>(Derived()));
  EXPECT_OWNS(!Make() && named);
  EXPECT_OWNS(exp(Make()));
  EXPECT_OWNS(maximum(named, Make()));
  EXPECT_OWNS(pow(Make(), 2));
  EXPECT_OWNS(clip(Make(), 0, Make()));
  EXPECT_OWNS(where(named, Make(), 0));
  EXPECT_OWNS(F<op::exp>(Make()));
  EXPECT_OWNS(F<op::plus>(named, Make()));
  EXPECT_OWNS(F<op::where>(Make(), named, Make()));
  EXPECT_OWNS(F([](float a, float b) { return a + b; }, named, Make()));
  EXPECT_OWNS(MakeExp<op::exp>(Make()));
  EXPECT_OWNS(tcast<int>(Make()));
  EXPECT_OWNS(saturate_cast<int>(Make()));
  EXPECT_OWNS(Make<1>() + named);
}

TEST(Temporary, ProductsAndReductions) {
  const Matrix named = Make();
  EXPECT_OWNS(dot(Make(), named));
  EXPECT_OWNS(dot(named, Make().T()) * 2);
  EXPECT_OWNS(batch_dot<false, true>(Make<3>(), Make<3>()));
  EXPECT_OWNS(implicit_dot(Make(), Make()));
  EXPECT_OWNS(MSHADOW_EINSUM("ij,jk->ik", Make(), named));
  EXPECT_OWNS(MSHADOW_EINSUM("ij,jk,kl->il", named, Make(), named));
  EXPECT_OWNS(MSHADOW_EINSUM("ij->ij", Make()));
  EXPECT_OWNS(MSHADOW_EINSUM("ii->i", Make()));
  EXPECT_OWNS(conv1d(Make<3>(), Make<3>()));
  EXPECT_OWNS(conv_transpose2d(Make<4>(), Make<4>(), 2));
  EXPECT_OWNS(conv3d(Make<5>(), Make<5>()));
  EXPECT_OWNS(sum<1>(Make()));
  EXPECT_OWNS(any<0>(Make()));
  EXPECT_OWNS(argmax<1>(Make()));
  EXPECT_OWNS(argmax(Make(), 1));
  EXPECT_OWNS(sum_rows(Make()));
  EXPECT_OWNS(sumall_except_dim<1>(Make()));
  EXPECT_OWNS(reduce_except_dim<1, red::maximum>(Make()));
  EXPECT_OWNS(reduce_with_axis<red::maximum, false>(Make(), 1));
  EXPECT_OWNS(reduce_keepdim<red::maximum, false>(Make(), 1));
  EXPECT_OWNS(cumsum(Make(), 0));
  EXPECT_OWNS(softmax<1>(Make()));
  EXPECT_OWNS(log_softmax(Make()));
}

TEST(Temporary, Extensions) {
  const Matrix named = Make();
  const Shape<2> shape = Shape2(4, 4);
  EXPECT_OWNS(Make().T());
  EXPECT_OWNS(broadcast<1>(Make<1>(), shape));
  EXPECT_OWNS(repmat(Make<1>(), 4));
  EXPECT_OWNS(broadcast_to(Make(), shape));
  EXPECT_OWNS(broadcast_with_axis(Make(), 0, 4));
  EXPECT_OWNS(broadcast_scalar(TensorContainer<counting, 1>(Shape1(static_cast<index_t>(++made))),
                               shape));
  EXPECT_OWNS(broadcast_keepdim(Matrix(Shape2(static_cast<index_t>(++made), 4)), 0, 4));
  EXPECT_OWNS(reshape(Make(), Shape1(16)));
  EXPECT_OWNS(slice<0>(Make(), 1, 2));
  EXPECT_OWNS(slice(Make(), Shape2(0, 0), shape));
  EXPECT_OWNS(concat<0>(Make(), named));
  EXPECT_OWNS(flip(Make(), 0));
  EXPECT_OWNS(mirror(Make()));
  EXPECT_OWNS(roll(Make(), 1, 0));
  EXPECT_OWNS(tile(Make(), shape));
  EXPECT_OWNS(transpose(Make(), Shape2(1, 0)));
  EXPECT_OWNS(swapaxis<1, 0>(Make()));
  EXPECT_OWNS(Column(Make(), 1));
  EXPECT_OWNS(crop(Make(), Shape2(2, 2)));
  EXPECT_OWNS(pad(Make(), 1));
  EXPECT_OWNS(unpad(Make(), 1));
  EXPECT_OWNS(take(Make<1>(), named));
  EXPECT_OWNS(take_grad(Make<1>(), named, 4));
  EXPECT_OWNS(mask(Make<1>(), Make()));
  EXPECT_OWNS(one_hot_encode(Make<1>(), 4));
  EXPECT_OWNS(mat_choose_row_element(named, Make<1>()));
  EXPECT_OWNS(mat_fill_row_element(named, Make<1>(), Make<1>()));
  EXPECT_OWNS(pool<red::maximum>(Make(), 2, 2, 1));
  EXPECT_OWNS(unpool<red::maximum>(named, Make(), named, 1, 1, 1));
  EXPECT_OWNS(chpool<red::sum>(Make<3>(), 3));
  EXPECT_OWNS(upsampling_nearest(Make(), 2));
  EXPECT_OWNS(resize(Make(), 2, 2));
  EXPECT_OWNS(unpack_patch2col(Make<3>(), 2, 2, 1));
  EXPECT_OWNS(conj(Make()));
  EXPECT_OWNS(complex_mul_cc(named, Make()));
}

TensorContainer<cpu, 2> Filled(float value) {
  return TensorContainer<cpu, 2>(Shape2(4, 4), value);
}

TEST(Temporary, KeptNodesHaveTheirValues) {
  TensorContainer<cpu, 2> y = Filled(0), named = Filled(3);
  const auto twice = Filled(1) * 2 + named;
  const auto product = dot(Filled(1), Filled(2).T());
  const auto other = Filled(77), another = Filled(78);  // in the memory that was given back
  y = twice;
  EXPECT_EQ(y[3][3], 5.0f);
  y = product;
  EXPECT_EQ(y[3][3], 8.0f);
  y = std::move(named) * 2;
  EXPECT_EQ(y[3][3], 6.0f);
  EXPECT_EQ(named.dptr_, nullptr);
}

/// A function of a program, of a view.
template <typename Device>
index_t Rows(Tensor<Device, 2> t) {
  return t.size(0);
}

TEST(Temporary, WhatLivesAsLongAsTheStatement) {
  const int before = counting::live;
  EXPECT_EQ(Rows<counting>(Make()), 4);
  EXPECT_EQ(Make().Slice(1, 3).size(0), 2);
  EXPECT_EQ(counting::live, before);
}

}  // namespace
}  // namespace temporary_test
}  // namespace mshadow
