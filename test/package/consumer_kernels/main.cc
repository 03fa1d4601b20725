// SPDX-License-Identifier: Apache-2.0
// Everything that mshadow::kernels has, of float and, products, of double; returns 0.
// Products are those of mshadow, also where it was configured with a BLAS.
#define MSHADOW_STAND_ALONE 1
#include <mshadow/tensor.h>

#include <cmath>
#include <cstdio>

using namespace mshadow;
using namespace mshadow::expr;

int wrong = 0;

void Check(const char* what, double value, double expected, double tolerance = 1e-6) {
  if (std::abs(value - expected) <= tolerance) return;
  std::printf("%s: %g instead of %g\n", what, value, expected);
  ++wrong;
}

void Pooling() {
  TensorContainer<cpu, 4> image(Shape4(1, 1, 9, 9)), gradient(image.shape_);
  for (index_t i = 0; i < 81; ++i) image[0][0][i / 9][i % 9] = static_cast<float>(i * 37 % 81);
  for (index_t size : {2, 3, 5}) {
    const index_t windows = (9 - size) / 2 + 1;
    const Shape<4> shape = Shape4(1, 1, windows, windows);
    TensorContainer<cpu, 4> largest(shape), sum(shape), mean(shape);
    largest = pool<red::maximum>(image, size, size, 2);
    sum = pool<red::sum>(image, size, size, 2);
    mean = avg_pool(image, size, size, 2, 2, 0, 0);
    for (index_t y = 0; y < windows; ++y) {
      for (index_t x = 0; x < windows; ++x) {
        double most = 0, all = 0;
        for (index_t k = 0; k < size * size; ++k) {
          const double value = image[0][0][2 * y + k / size][2 * x + k % size];
          most = value > most ? value : most;
          all += value;
        }
        Check("largest", largest[0][0][y][x], most);
        Check("sum", sum[0][0][y][x], all);
        Check("mean", mean[0][0][y][x], all / (size * size), 1e-4);
      }
    }
    // Each window has one largest element, and all are different: the gradient sums to windows^2.
    TensorContainer<cpu, 1> total(Shape1(1));
    gradient = unpool<red::maximum>(image, largest, largest * 0.0f + 1.0f, size, size, 2);
    total = sumall_except_dim<0>(gradient);
    Check("gradient", total[0], windows * windows);
    gradient = unpool<red::sum>(image, sum, sum * 0.0f + 1.0f, size, size, 2);
    total = sumall_except_dim<0>(gradient);
    Check("gradient of sums", total[0], windows * windows * size * size);
  }
}

template <typename DType>
void Products() {
  for (index_t n : {5, 70}) {
    TensorContainer<cpu, 2, DType> a(Shape2(n, n)), b(Shape2(n, n)), c(Shape2(n, n));
    TensorContainer<cpu, 1, DType> v(Shape1(n), DType(1)), w(Shape1(n));
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j) {
        a[i][j] = static_cast<DType>(i);
        b[i][j] = static_cast<DType>(j);
      }
    }
    c = dot(a, b);
    Check("product", static_cast<double>(c[n - 1][n - 2]), (n - 1.0) * (n - 2.0) * n);
    w = dot(v, a);
    Check("vector", static_cast<double>(w[0]), n * (n - 1.0) / 2);
    c = dot(v.T(), v);
    Check("outer product", static_cast<double>(c[n - 1][0]), 1);
  }
}

void Functions() {
  TensorContainer<cpu, 2> energy(Shape2(3, 50)), probability(Shape2(3, 50)), grad(Shape2(3, 50));
  TensorContainer<cpu, 1> label(Shape1(3), 7.0f), rows(Shape1(3)), columns(Shape1(50));
  for (index_t i = 0; i < 150; ++i) energy[i / 50][i % 50] = static_cast<float>(i % 50);
  Softmax(probability, energy);
  rows = sumall_except_dim<0>(probability);
  Check("softmax", rows[2], 1);
  SoftmaxGrad(grad, probability, label);
  Check("gradient of softmax", grad[1][7], probability[1][7] - 1.0);
  columns = sum_rows(energy);
  Check("sum of rows", columns[49], 3 * 49);
  Random<cpu, float> random(1);
  TensorContainer<cpu, 2> noise(Shape2(100, 100));
  TensorContainer<cpu, 1> sums(Shape1(100));
  random.SampleUniform(&noise, 0.0f, 1.0f);
  sums = sumall_except_dim<0>(noise);
  Check("uniform", sums[0], 50, 15);
  random.SampleGaussian(&noise, 0.0f, 1.0f);
  sums = sumall_except_dim<0>(noise);
  Check("gaussian", sums[0], 0, 60);
}

void Reductions() {
  TensorContainer<cpu, 2> x(Shape2(5, 40));
  TensorContainer<cpu, 1> rows(Shape1(5)), columns(Shape1(40));
  for (index_t i = 0; i < 200; ++i) x[i / 40][i % 40] = static_cast<float>(i % 40);
  rows = sum<1>(x);
  Check("sums of rows", rows[4], 39 * 40 / 2);
  columns = sum<0>(x);
  Check("sums of columns", columns[39], 5 * 39);
  rows = mean<1>(x);
  Check("means", rows[4], 39 / 2.0);
  columns = mean<0>(x);
  Check("means of columns", columns[39], 39);
  rows = max<1>(x);
  Check("maxima", rows[4], 39);
  columns = max<0>(x);
  Check("maxima of columns", columns[7], 7);
}

int main() {
  for (simd::Isa isa : {simd::Isa::kBaseline, simd::Isa::kAvx2, simd::Isa::kAvx512}) {
    if (!simd::ForceIsa(isa)) continue;
    Pooling();
    Products<float>();
    Products<double>();
    Functions();
    Reductions();
  }
  return wrong;
}
