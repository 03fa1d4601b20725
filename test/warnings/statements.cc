// SPDX-License-Identifier: Apache-2.0
// A statement of each kind, for several element types: what a program that uses the library makes
// the compiler look at. warnings.sh compiles it, and guide/cheatsheet.cc; nothing runs.
#include <mshadow/complex.h>
#include <mshadow/dist.h>
#include <mshadow/einsum.h>
#include <mshadow/index.h>
#include <mshadow/nn.h>
#include <mshadow/npy.h>
#include <mshadow/print.h>
#include <mshadow/random.h>
#include <mshadow/safetensors.h>
#include <mshadow/span.h>
#include <mshadow/tblob.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_container.h>

#include <complex>
#include <sstream>
#include <string>
#include <vector>

#include "mshadow-ps/mshadow_ps.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

template <typename DType>
struct Square {
  MSHADOW_XINLINE static DType Map(DType a) { return a * a; }
};

/// What every element type can do.
template <typename DType>
void Statements(const std::string& path) {
  const DType one = static_cast<DType>(1), two = static_cast<DType>(2);
  TensorContainer<cpu, 1, DType> v(Shape1(4), one), w(Shape1(3), one);
  TensorContainer<cpu, 2, DType> x(Shape2(3, 4), one), x2(Shape2(3, 4)), y(Shape2(4, 3)), z;
  TensorContainer<cpu, 3, DType> t(Shape3(2, 3, 4), one), t2;
  TensorContainer<cpu, 4, DType> image(Shape4(2, 3, 4, 4), one), image2;
  TensorContainer<cpu, 1, int32_t> index(Shape1(3), 0);
  // Element by element.
  x2 = x * x + one;
  x2 += x - x2;
  x2 = F<op::plus>(x, x2) / two;
  x2 = F<Square<DType>>(x);
  x2 = F([](DType a) { return a; }, x);
  x2 = maximum(x, one);
  x2 = where(x > x2, x, x2);
  x2 = x + v;
  x2 = tcast<DType>(tcast<double>(x));
  y = x.T();
  // Reductions.
  v = sum_rows(x);
  auto sums = eval(sum<0>(x));
  w = max<1>(x * two);
  w = reduce_with_axis<red::maximum, false>(x, 1);
  w = reduce_except_dim<0, red::sum>(x);
  x2 = tcast<DType>(cumsum(x, 1));
  TensorContainer<cpu, 1, int64_t> at;
  at = argmax<1>(x);
  static_cast<void>(sum(x) + min(x));
  // Shapes.
  x = broadcast<0>(w, x.shape_);
  x2 = repmat(v, 3);
  t2 = broadcast_with_axis(x, 0, 2);
  z = reshape(x, Shape2(4, 3));
  image2 = swapaxis<2, 1>(image);
  t2 = transpose(t, Shape3(2, 0, 1));
  z = transpose_indices(x, Shape2(4, 3), Shape2(1, 0));
  x2 = mirror(x);
  image2 = pad(image, 1);
  image2 = unpad(pad(image, 1), 1);
  image2 = crop(image, Shape2(2, 2));
  z = slice(x, Shape2(0, 0), Shape2(2, 2));
  z = slice(x, {0, -4}, {3, -1}, {1, 2});
  slice<1>(x, 0, 2) = one;
  z = concat<1>(x, x);
  x2 = flip(x, 1);
  x2 = roll(x, 1, 0);
  z = tile(x, Shape2(2, 3));
  // Windows.
  image2 = pool<red::maximum>(image, 2, 2, 2, 2);
  image2 = pool<red::sum>(image, Shape2(3, 3), 3, 3, 1, 1);
  image2 = unpool<red::maximum>(image, image, image, 1, 1, 1, 1);
  image2 = chpool<red::sum>(image, 3);
  image2 = ch_unpool<red::sum>(image, image, image, 3);
  z = unpack_patch2col(image, 2, 2, 1, 1);
  image2 = pack_col2patch(z, image.shape_, 2, 2, 1, 1);
  image2 = pool3d<red::sum>(image, Shape3(2, 2, 2), Shape3(1, 1, 1));
  image2 = upsampling_nearest(image, 2);
  image2 = resize(image, 8, 8);
  // Indices.
  v = range<DType>(0, 4);
  w = mat_choose_row_element(x, index);
  x2 = mat_fill_row_element(x, w, index);
  z = tcast<DType>(one_hot_encode(index, 5));
  z = take(index, x);
  z = take_grad(index, x, 9);
  x2 = mask(w, x);
  // Functions.
  Copy(x2, x);
  SortByKey(v, x[0]);
  AddTakeGrad(z, index, x);
  IndexFill(z, index, x);
  MapReduceKeepLowest<sv::saveto, red::sum>(&v, x);
  MapReduceKeepHighDim<sv::plusto, red::maximum, 0>(&w, x);
  std::ostringstream text;
  text << x;
  SaveNpy(path, x);
  auto loaded = LoadNpy<2, DType>(path);
  const std::vector<DType> list = ToVector(x);
  TBlob blob(x);
  x2 = blob.get<cpu, 2, DType>();
}

/// What real numbers can do, too.
template <typename DType>
void RealStatements() {
  const DType one = static_cast<DType>(1);
  TensorContainer<cpu, 1, DType> v(Shape1(4), one), w(Shape1(3), one);
  TensorContainer<cpu, 2, DType> x(Shape2(3, 4), one), x2(Shape2(3, 4)), y(Shape2(4, 3)),
      square(Shape2(3, 3));
  TensorContainer<cpu, 3, DType> t(Shape3(2, 3, 4), one), r(Shape3(2, 4, 5), one),
      tr(Shape3(2, 3, 5));
  TensorContainer<cpu, 4, DType> image(Shape4(2, 3, 4, 4), one), image2;
  TensorContainer<cpu, 1, int32_t> index(Shape1(3), 0);
  square = dot(x, y);
  square += dot(x, x.T());
  w = dot(x, v);
  x2 = dot(w.T(), v);
  square = relu(dot(x, y) + w);
  tr = batch_dot<false, false>(t, r);
  tr = MSHADOW_EINSUM("bij,bjk->bik", t, r);
  w = MSHADOW_EINSUM("ii->i", square);
  x2 = MSHADOW_EINSUM("ij,jk,kl->il", square, square * one, x);
  x2 = implicit_dot(square, x);
  x2 = exp(x) + tanh(x) * sqrt(abs(x)) - erf(x) / cbrt(x) + log1p(pow(x, x));
  x2 = F<op::sigmoid>(x) + gelu(x) + floor(x) % x;
  w = mean<1>(x) + var<1>(x) + logsumexp<1>(x);
  x2 = x - mean<1>(x);
  x2 = softmax<1>(x);
  Softmax(x2, x);
  SoftmaxGrad(x2, x, index);
  x2 = layer_norm(x, v, v);
  image2 = avg_pool(image, 2, 2, 2);
  image2 = resize(image, 8, 8, resize_kernel::kBicubic, true);
  image2 = conv2d(image, image, 1, 1);
  image2 = conv_transpose2d(image, image, Shape2(2, 1));
  t = conv1d(t, t, 2);
  TensorContainer<cpu, 5, DType> volume(Shape5(1, 1, 3, 3, 3), one);
  volume = conv_transpose3d(conv3d(volume, volume, 1, 1), volume);
  x2 = complex_mul_cc(x, x) + conj(complex_div_cc(x, x));
  y.Resize(Shape2(3, 2));
  y = complex_toreal(x);
  Random<cpu, DType> random(1);
  random.SampleUniform(&x);
  random.SampleGaussian(&x, 0, 1);
  x = random.gaussian(x.shape_);
}

/// Ranks, and a parameter server.
template <typename T>
void ComplexStatements() {
  using C = std::complex<T>;
  TensorContainer<cpu, 2, C> z(Shape2(3, 4), C(1, 2)), w(z.shape_), y(Shape2(3, 3));
  TensorContainer<cpu, 2, T> r(z.shape_);
  TensorContainer<cpu, 1, C> v(Shape1(4));
  w = exp(z) * 2 + conj(z) / 3.0f - std::complex<double>(0, 1) * pow(z, 2) - 1.5;
  w = where(z == w, z, 0) + tcast<C>(r);
  r = abs(z) + real(w) * imag(w) + arg(z);
  w = polar(r, r) + polar(2, r);
  v = sum<0>(z) + mean<0>(z) + prod<0>(z);
  y = dot(z, conj(w).T()) * 2;
  w = pad(unpad(z, 1), 1) + flip(z, 0);
  static_cast<void>(norm(z) + std::abs(sum(z)));
  static_cast<void>(all(z == w));
}

void Parallel() {
  TensorContainer<cpu, 2> x(Shape2(3, 4), 1.0f);
  dist::RunLocal<cpu>(2, [](dist::Communicator<cpu>& world) {
    TensorContainer<cpu, 1> sum(Shape1(8), 1.0f);
    world.AllReduce<red::sum>(sum);
    world.AllGather(sum.Slice(0, 4), sum).Wait();
    world.Broadcast(sum, 0);
  });
  ps::ISharedModel<cpu, float>* const model = ps::CreateSharedModel<cpu, float>("local");
  delete model;
  SafetensorsWriter writer("x.safetensors");
  writer.Add("x", x);
  writer.Close();
  TensorContainer<cpu, 2> loaded;
}

}  // namespace

int main() {
  Statements<float>("f.npy");
  Statements<double>("d.npy");
  Statements<half::half_t>("h.npy");
  Statements<int32_t>("i.npy");
  Statements<uint8_t>("u.npy");
  RealStatements<float>();
  RealStatements<double>();
  ComplexStatements<float>();
  ComplexStatements<double>();
  Parallel();
}
