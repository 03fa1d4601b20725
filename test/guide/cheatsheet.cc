// SPDX-License-Identifier: Apache-2.0
// Every statement of guide/cheatsheet.md, which cheatsheet.cmake looks for here.
#include <mshadow/einsum.h>
#include <mshadow/fft.h>
#include <mshadow/index.h>
#include <mshadow/nn.h>
#include <mshadow/npy.h>
#include <mshadow/numpy.h>
#include <mshadow/print.h>
#include <mshadow/random.h>
#include <mshadow/rank0.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_container.h>

#include <complex>
#include <iostream>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  const index_t m = 3, n = 4, i = 1, j = 2, k = 4;
  const int axis = 0;
  float p[12] = {};
  Random<cpu> random(1);
  TensorContainer<cpu, 2> x(Shape2(m, n), 1.5f), x2(x.shape_), x3(x.shape_, 0.5f), y(Shape2(n, m));
  TensorContainer<cpu, 2> block, every, wide, tiled, picked, hot;
  TensorContainer<cpu, 2> square(Shape2(m, m));
  TensorContainer<cpu, 1> v(Shape1(n), 1.0f), u(Shape1(m), 1.0f), w,
      b2(Shape1(2), 1.0f);
  TensorContainer<cpu, 3> t(Shape3(2, 3, 4), 1.0f), r(Shape3(2, 4, 5), 1.0f), t2,
      z(Shape3(2, 3, 3), 1.0f);
  TensorContainer<cpu, 3> framed, tr(Shape3(2, 3, 5));
  TensorContainer<cpu, 4> image(Shape4(1, 2, 4, 4), 1.0f), kernel(Shape4(3, 2, 3, 3), 1.0f), pooled,
      large;
  TensorContainer<cpu, 3> filter(Shape3(2, 3, 2), 1.0f);
  TensorContainer<cpu, 5> volume(Shape5(1, 2, 3, 4, 4), 1.0f), cube(Shape5(2, 2, 3, 3, 3), 1.0f);
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
  auto a8 = zeros(Shape2(m, n));
  v = linspace(0, 1, n);
  v = logspace(0, 3, n);
  x3 = from_function(x.shape_, [](float i, float j) { return i / (j + 1); });
  x2 = indices(x.shape_, 0);
  auto grid = meshgrid(v, u);
  Shape<2> s = x.shape_;
  index_t rows = x.size(0);
  x(i, j) = 1.0f;
  At(x, i, j) = 2.0f;
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
  auto twice = eval(repeat(x, 2, 1));
  auto deep = eval(expand_dims(x, 0));
  x2 = squeeze(deep, 0);
  auto moved = eval(moveaxis(t, 0, -1));
  auto pair = eval(stack<0>(x, x));
  wide = hstack(x, x);
  auto all_of = concatenate(std::vector<Tensor<cpu, 2>>{x, x, x}, 1);
  auto halves = split(x, 2, 1);
  y = rot90(x);
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
  x2 = hypot(x, x3);
  x2 = fmod(x, 3);
  x2 = floor_divide(x, 2);
  x2 = copysign(x, x3);
  x2 = heaviside(x, 0.5f);
  x2 = deg2rad(x);
  x2 = logaddexp(x, x3);
  i32 = bitwise_and(i32, 3);
  i32 = left_shift(i32, 2);
  x2 = nan_to_num(x);
  x2 = isclose(x, x3);
  bool near_all = allclose(x, x3);
  x2 = x + v;
  x2 = x + broadcast<0>(u, x.shape_);
  x2 = x - mean<1>(x);
  float total = sum(x);
  TensorContainer<cpu, 0> s0 = sum<kAllAxes>(x);
  float number = s0.item();
  float middle = mean(x);
  v = sum<0>(x);
  u = max<1>(x);
  w = mean<0, 2>(t);
  v = var<0>(x);
  v = sum(x, axis);
  w = mean(t, {0, axis + 2});
  auto kept = eval(expand_dims(sum(x, 1), 1));
  v = var<0>(x, Ddof{1});
  v = ptp<0>(x);
  v = average<0>(x, x3);
  v = nansum<0>(x);
  v = nanmean<0>(x);
  square = cov(x);
  square = corrcoef(x);
  float length = norm(x);
  at = argmax<1>(x);
  bool some = any(x > 2);
  u = logsumexp<1>(x);
  x2 = cumsum(x, 1);
  x2 = cumprod(x, 1);
  x2 = cummax(x, 1);
  auto steps = eval(diff(x, 0));
  x2 = gradient(x);
  u = trapezoid(x);
  square = dot(x, y);
  square = dot(x, x.T());
  u = dot(x, v);
  square = relu(dot(x, y) + u);
  square += dot(x, y);
  x2 = dot(u.T(), v);
  tr = batch_dot<false, false>(t, r);
  x2 = outer(u, v);
  float square_of_u = dot(u, u);
  float inner = vdot(x, x3);
  auto normal = eval(cross(v.Slice(0, 3), v.Slice(1, 4)));
  tr = MSHADOW_EINSUM("bij,bjk->bik", t, r);
  float form = MSHADOW_EINSUM("i,ij,j->", u, x, v);
  float trace = MSHADOW_EINSUM("ii->", square);
  TensorContainer<cpu, 1, std::complex<float>> c(Shape1(n), {1, 2});
  TensorContainer<cpu, 1, std::complex<float>> c2(c.shape_);
  c2 = c * std::complex<float>(0, 1) + 2;
  c2 = c * v;
  v = abs(c);
  v = arg(c);
  v = real(c) + imag(c);
  c2 = conj(c);
  c2 = polar(v, v);
  c2 = tcast<std::complex<float>>(v);
  c2 = fft(c);
  auto longer = eval(fft(c, 64, 0));
  auto plane = eval(rfft2(x));
  auto shifted = eval(fftshift(x));
  auto smooth = eval(convolve(v, u, ConvolveMode::kSame));
  auto matches = eval(correlate(v, u, ConvolveMode::kFull));
  x2 = softmax<1>(x);
  x2 = layer_norm(x, v, v);
  auto convolved = eval(conv2d(image, kernel, 1, 1));
  auto filtered = eval(conv1d(t, filter));
  auto solid = eval(conv3d(volume, cube));
  auto grown = eval(conv_transpose2d(convolved, kernel, 2));
  x2 = rms_norm(x, v);
  x2 = batch_norm(x, v, v);
  auto grouped = eval(group_norm(image, 2, b2, b2));
  x2 = scaled_dot_product_attention(x, x, x);
  x2 = dropout(x, 0.5, &random);
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
  static_cast<void>(rows + total + number + middle + length + inner + form + trace + near_all +
                    square_of_u);
  static_cast<void>(grid);
  return a5.dptr_ == p && some == (max(x) > 2) && list.size() == m * n && s == x.shape_ &&
                 row.shape_[0] == n && part.shape_[0] == 2 && flat.shape_[0] == m * n
             ? 0
             : 1;
}
