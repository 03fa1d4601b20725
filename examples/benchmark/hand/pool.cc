// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "loops.h"

namespace hand {
namespace {

inline float Max(float a, float b) { return a > b ? a : b; }

}  // namespace

void MaxPool2By1(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t rows = height - 1, cols = width - 1;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t p = 0; p < planes; ++p) {
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const top = a + (p * height + y) * width;
      const float* const bottom = top + width;
      float* const to = o + (p * rows + y) * cols;
#pragma omp simd
      for (ptrdiff_t x = 0; x < cols; ++x) {
        to[x] = Max(Max(top[x], top[x + 1]), Max(bottom[x], bottom[x + 1]));
      }
    }
  }
}

void MaxPool3d2(float* o, const float* a, ptrdiff_t volumes, ptrdiff_t depth, ptrdiff_t height,
                ptrdiff_t width) {
  const ptrdiff_t rows = height / 2, cols = width / 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t plane = 0; plane < volumes * depth / 2; ++plane) {
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const r0 = a + (2 * plane * height + 2 * y) * width;
      const float* const r1 = r0 + width;
      const float* const r2 = r0 + height * width;
      const float* const r3 = r2 + width;
      float* const to = o + (plane * rows + y) * cols;
#pragma omp simd
      for (ptrdiff_t x = 0; x < cols; ++x) {
        const float front = Max(Max(r0[2 * x], r0[2 * x + 1]), Max(r1[2 * x], r1[2 * x + 1]));
        const float back = Max(Max(r2[2 * x], r2[2 * x + 1]), Max(r3[2 * x], r3[2 * x + 1]));
        to[x] = Max(front, back);
      }
    }
  }
}

void Unpool3d2(float* o, const float* a, const float* m, const float* g, ptrdiff_t volumes,
               ptrdiff_t depth, ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t rows = height / 2, cols = width / 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t plane = 0; plane < volumes * depth; ++plane) {
    for (ptrdiff_t y = 0; y < height; ++y) {
      const float* const from = a + (plane * height + y) * width;
      const float* const most = m + (plane / 2 * rows + y / 2) * cols;
      const float* const grad = g + (plane / 2 * rows + y / 2) * cols;
      float* const to = o + (plane * height + y) * width;
#pragma omp simd
      for (ptrdiff_t x = 0; x < cols; ++x) {
        to[2 * x] = from[2 * x] == most[x] ? grad[x] : 0.0f;
        to[2 * x + 1] = from[2 * x + 1] == most[x] ? grad[x] : 0.0f;
      }
    }
  }
}

void AvgPool3(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t rows = height / 2, cols = width / 2;
#pragma omp parallel
  {
    float* const column = static_cast<float*>(malloc(static_cast<size_t>(width) * sizeof(float)));
#pragma omp for schedule(static)
    for (ptrdiff_t p = 0; p < planes; ++p) {
      for (ptrdiff_t y = 0; y < rows; ++y) {
        const float* const middle = a + (p * height + 2 * y) * width;
        const float* const bottom = middle + width;
        float* const to = o + (p * rows + y) * cols;
        if (y == 0) {
#pragma omp simd
          for (ptrdiff_t x = 0; x < width; ++x) column[x] = middle[x] + bottom[x];
        } else {
          const float* const top = middle - width;
#pragma omp simd
          for (ptrdiff_t x = 0; x < width; ++x) column[x] = top[x] + middle[x] + bottom[x];
        }
        const float part = y == 0 ? 1.0f / 6 : 1.0f / 9;
        to[0] = (column[0] + column[1]) / (y == 0 ? 4.0f : 6.0f);
#pragma omp simd
        for (ptrdiff_t x = 1; x < cols; ++x) {
          to[x] = (column[2 * x - 1] + column[2 * x] + column[2 * x + 1]) * part;
        }
      }
    }
    free(column);
  }
}

void AvgUnpool2(float* o, const float* g, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t cols = width / 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < planes * height; ++y) {
    const float* const grad = g + y / 2 * cols;
    float* const to = o + y * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[2 * x] = to[2 * x + 1] = 0.25f * grad[x];
  }
}

namespace {

/// A pixel of the result between four of the source, clamped to the image, and their weights.
struct Taps {
  int at[4];
  float weight[4];
};
Taps TapsOf(ptrdiff_t i, ptrdiff_t size, ptrdiff_t out) {
  const float step = static_cast<float>(size) / static_cast<float>(out);
  const float at = (step - 1) / 2 + static_cast<float>(i) * step;
  const float base = floorf(at), t = at - base, s = 1 - t, a = -0.75f;
  Taps taps;
  for (int k = 0; k < 4; ++k) {
    const int c = static_cast<int>(base) - 1 + k, last = static_cast<int>(size) - 1;
    taps.at[k] = c < 0 ? 0 : c > last ? last : c;
  }
  taps.weight[0] = a * t * s * s;
  taps.weight[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  taps.weight[2] = ((a + 2) * s - (a + 3)) * s * s + 1;
  taps.weight[3] = a * s * t * t;
  return taps;
}

}  // namespace

void ResizeCubic(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
                 ptrdiff_t out_height, ptrdiff_t out_width) {
  const size_t columns = static_cast<size_t>(out_width);
  int* const at = static_cast<int*>(malloc(4 * columns * sizeof(int)));
  float* const weight = static_cast<float*>(malloc(4 * columns * sizeof(float)));
  for (ptrdiff_t x = 0; x < out_width; ++x) {
    const Taps taps = TapsOf(x, width, out_width);
    for (int k = 0; k < 4; ++k) {
      at[k * out_width + x] = taps.at[k];
      weight[k * out_width + x] = taps.weight[k];
    }
  }
#pragma omp parallel
  {
    float* const blend = static_cast<float*>(malloc(static_cast<size_t>(width) * sizeof(float)));
#pragma omp for schedule(static)
    for (ptrdiff_t p = 0; p < planes; ++p) {
      for (ptrdiff_t y = 0; y < out_height; ++y) {
        const Taps taps = TapsOf(y, height, out_height);
        const float* row[4];
        for (int k = 0; k < 4; ++k) row[k] = a + (p * height + taps.at[k]) * width;
        float* const to = o + (p * out_height + y) * out_width;
#pragma omp simd
        for (ptrdiff_t x = 0; x < width; ++x) {
          blend[x] = taps.weight[0] * row[0][x] + taps.weight[1] * row[1][x] +
                     taps.weight[2] * row[2][x] + taps.weight[3] * row[3][x];
        }
#pragma omp simd
        for (ptrdiff_t x = 0; x < out_width; ++x) {
          to[x] = weight[x] * blend[at[x]] + weight[out_width + x] * blend[at[out_width + x]] +
                  weight[2 * out_width + x] * blend[at[2 * out_width + x]] +
                  weight[3 * out_width + x] * blend[at[3 * out_width + x]];
        }
      }
    }
    free(blend);
  }
  free(weight);
  free(at);
}

void MeanOfRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t x = 0; x < cols; ++x) sum += a[y * cols + x];
    o[y] = sum / static_cast<float>(cols);
  }
}

}  // namespace hand
