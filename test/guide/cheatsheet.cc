// SPDX-License-Identifier: Apache-2.0
// Every statement of guide/cheatsheet.md, which cheatsheet.cmake looks for here.
#include <mshadow/einsum.h>
#include <mshadow/index.h>
#include <mshadow/nn.h>
#include <mshadow/npy.h>
#include <mshadow/print.h>
#include <mshadow/random.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_container.h>

#include <iostream>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  const index_t m = 3, n = 4, i = 1, j = 2, k = 4;
  float p[12] = {};
  Random<cpu> random(1);
  TensorContainer<cpu, 2> x(Shape2(m, n), 1.5f), x2(x.shape_), x3(x.shape_, 0.5f), y(Shape2(n, m));
  TensorContainer<cpu, 2> block, every, wide, tiled, picked, hot;
  TensorContainer<cpu, 2> square(Shape2(m, m));
  TensorContainer<cpu, 1> v(Shape1(n), 1.0f), u(Shape1(m), 1.0f), w;
  TensorContainer<cpu, 3> t(Shape3(2, 3, 4), 1.0f), r(Shape3(2, 4, 5), 1.0f), t2,
      z(Shape3(2, 3, 3), 1.0f);
  TensorContainer<cpu, 3> framed, tr(Shape3(2, 3, 5));
  TensorContainer<cpu, 4> image(Shape4(1, 2, 4, 4), 1.0f), kernel(Shape4(3, 2, 3, 3), 1.0f), pooled,
      large;
  TensorContainer<cpu, 2, int32_t> i32;
  TensorContainer<cpu, 1, int64_t> at;
  TensorContainer<cpu, 1> index({0, 2, 1});
  TensorContainer<cpu, 2> a1(Shape2(m, n));
  TensorContainer<cpu, 2> a2(Shape2(m, n), 2.0f);
  TensorContainer<cpu, 2> a3({{1, 2}, {3, 4}});
  TensorContainer<cpu, 1, double> a4(Shape1(n), 0);
  Tensor<cpu, 2> a5(p, Shape2(m, n));
  v = range<float>(0, n);
  random.SampleUniform(&x);
  random.SampleGaussian(&x, 0, 1);
  TensorContainer<cpu, 2> a6 = x;
  auto a7 = eval(x * 2);
  Shape<2> s = x.shape_;
  index_t rows = x.size(0);
  x(i, j) = 1.0f;
  Tensor<cpu, 1> row = x[i];
  u = Column(x, j);
  Tensor<cpu, 2> part = x.Slice(1, 3);
  block = slice(x, Shape2(1, 0), Shape2(3, 2));
  every = slice(x, Shape2(0, 0), Shape2(m, n), Shape2(1, 2));
  slice(x, Shape2(1, 0), Shape2(3, 2)) = 0.0f;
  y = reshape(x, Shape2(n, m));
  Tensor<cpu, 1> flat = x.FlatTo1D();
  y = x.T();
  t2 = transpose(t, Shape3(2, 0, 1));
  x = broadcast<0>(u, x.shape_);
  wide = concat<1>(x, x);
  tiled = tile(x, Shape2(2, 3));
  x2 = flip(x, 1);
  x2 = roll(x, 1, 0);
  framed = pad(z, 1);
  x2 = x * x3 + 1;
  x += x3;
  x2 = exp(x);
  x2 = pow(x, 2);
  x2 = maximum(x, x3);
  x2 = clip(x, 0, 1);
  x2 = x > 0;
  x2 = x > 0 && !(x > 1);
  x2 = where(isnan(x), 0, x);
  x2 = where(x > 0, x, 0);
  x2 = F([](float a) { return a * a; }, x);
  x2 = F<op::sigmoid>(x);
  i32 = tcast<int32_t>(x);
  x2 = x % 3;
  x2 = gelu(x);
  x2 = x + v;
  x2 = x + broadcast<0>(u, x.shape_);
  x2 = x - mean<1>(x);
  float total = sum(x);
  float average = mean(x);
  v = sum<0>(x);
  u = max<1>(x);
  w = mean<0, 2>(t);
  v = var<0>(x);
  float length = norm(x);
  at = argmax<1>(x);
  bool some = any(x > 2);
  u = logsumexp<1>(x);
  x2 = cumsum(x, 1);
  square = dot(x, y);
  square = dot(x, x.T());
  u = dot(x, v);
  square = relu(dot(x, y) + u);
  square += dot(x, y);
  x2 = dot(u.T(), v);
  tr = batch_dot<false, false>(t, r);
  tr = MSHADOW_EINSUM("bij,bjk->bik", t, r);
  x2 = softmax<1>(x);
  x2 = layer_norm(x, v, v);
  auto convolved = eval(conv2d(image, kernel, 1, 1));
  pooled = pool<red::maximum>(image, 2, 2, 2, 2);
  large = upsampling_nearest(image, 2);
  hot = one_hot_encode(index, k);
  picked = take(index, x);
  u = mat_choose_row_element(x, index);
  auto order = argsort(v);
  auto hits = nonzero(v > 1);
  auto values = unique(v);
  auto counts = bincount(tcast<int>(v));
  std::cout << x;
  SaveNpy("x.npy", x);
  std::vector<float> list = ToVector(x);
  std::cout << describe(lazy(x2) = exp(x) + v);
  auto loaded = LoadNpy<2>("x.npy");
  static_cast<void>(rows + total + average + length);
  return a5.dptr_ == p && some == (max(x) > 2) && list.size() == m * n && s == x.shape_ &&
                 row.shape_[0] == n && part.shape_[0] == 2 && flat.shape_[0] == m * n
             ? 0
             : 1;
}
