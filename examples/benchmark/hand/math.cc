// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffast-math as well: only so does GCC take the C library's vector functions for
// loops that name no library of their own.
#include <math.h>

#include "loops.h"
#include "parallel.h"

namespace hand {

void Sigmoid(float* o, const float* a, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { o[i] = 1.0f / (1.0f + expf(-a[i])); });
}

void Exp(float* o, const float* a, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { o[i] = expf(a[i]); });
}

void Tanh(float* o, const float* a, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { o[i] = tanhf(a[i]); });
}

void Chain(float* o, const float* a, const float* b, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { o[i] = 1.0f / (1.0f + expf(-(tanhf(a[i]) + expf(b[i])))); });
}

void SigmoidRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) {
      o[y * stride + x] = 1.0f / (1.0f + expf(-a[y * stride + x]));
    }
  }
}

void Softmax(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const from = a + y * cols;
    float* const to = o + y * cols;
    float most = from[0];
#pragma omp simd reduction(max : most)
    for (ptrdiff_t x = 0; x < cols; ++x) most = from[x] > most ? from[x] : most;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t x = 0; x < cols; ++x) {
      to[x] = expf(from[x] - most);
      sum += to[x];
    }
    const float scale = 1.0f / sum;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[x] *= scale;
  }
}

}  // namespace hand
