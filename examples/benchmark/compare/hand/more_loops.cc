// SPDX-License-Identifier: Apache-2.0
#include "more_loops.h"

#include <string.h>

#include "../../hand/parallel.h"

namespace hand {

void Momentum(float* w, float* v, const float* g, float mu, float eta, float lambda, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) {
    const float step = mu * v[i] - eta * (g[i] + lambda * w[i]);
    v[i] = step;
    w[i] += step;
  });
}

void AddColumn(float* o, const float* a, const float* v, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float add = v[y];
    float* const to = o + y * cols;
    const float* const from = a + y * cols;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[x] = from[x] + add;
  }
}

void AddThree(float* o, const float* a, const float* v, ptrdiff_t rows) {
  constexpr ptrdiff_t kBlock = 16;  // rows; a block is three whole vectors of any size to 64 bytes
  float add[3 * kBlock];
  for (ptrdiff_t i = 0; i < 3 * kBlock; ++i) add[i] = v[i % 3];
#pragma omp parallel for schedule(static) firstprivate(add)
  for (ptrdiff_t block = 0; block < rows / kBlock; ++block) {
    float* const to = o + block * 3 * kBlock;
    const float* const from = a + block * 3 * kBlock;
#pragma omp simd
    for (ptrdiff_t i = 0; i < 3 * kBlock; ++i) to[i] = from[i] + add[i];
  }
  for (ptrdiff_t i = rows / kBlock * kBlock * 3; i < rows * 3; ++i) o[i] = a[i] + v[i % 3];
}

float Sum(const float* a, ptrdiff_t n) {
  constexpr ptrdiff_t kBlock = 8192;
  const auto part = [](const float* from, ptrdiff_t count) {
    float sums[64] = {};  // four or more vectors
    const ptrdiff_t whole = count / 64 * 64;
    for (ptrdiff_t i = 0; i < whole; i += 64) {
#pragma omp simd
      for (ptrdiff_t j = 0; j < 64; ++j) sums[j] += from[i + j];
    }
    float sum = 0;
    for (const float each : sums) sum += each;
    for (ptrdiff_t i = whole; i < count; ++i) sum += from[i];
    return sum;
  };
  if (n < kSerial) return part(a, n);
  float sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (ptrdiff_t i = 0; i < n; i += kBlock) {
    sum += part(a + i, n - i < kBlock ? n - i : kBlock);
  }
  return sum;
}

void Unpool3(float* o, const float* a, const float* m, const float* g, ptrdiff_t planes,
             ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t out_height = (height - 3) / 2 + 1, out_width = (width - 3) / 2 + 1;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t p = 0; p < planes; ++p) {
    const float* const image = a + p * height * width;
    float* const grad = o + p * height * width;
    memset(grad, 0, static_cast<size_t>(height * width) * sizeof(float));
    for (ptrdiff_t y = 0; y < out_height; ++y) {
      const float* const most = m + (p * out_height + y) * out_width;
      const float* const from = g + (p * out_height + y) * out_width;
      for (ptrdiff_t i = 0; i < 3; ++i) {
        const float* const row = image + (2 * y + i) * width;
        float* const to = grad + (2 * y + i) * width;
        for (ptrdiff_t j = 0; j < 3; ++j) {  // every second element: no two windows meet
#pragma omp simd
          for (ptrdiff_t x = 0; x < out_width; ++x) {
            to[2 * x + j] += row[2 * x + j] == most[x] ? from[x] : 0.0f;
          }
        }
      }
    }
  }
}

void OneHot(float* o, const int32_t* index, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    memset(o + y * cols, 0, static_cast<size_t>(cols) * sizeof(float));
    o[y * cols + index[y]] = 1;
  }
}

}  // namespace hand
