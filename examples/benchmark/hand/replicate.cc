// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "loops.h"

namespace hand {

void Pad(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
         ptrdiff_t pad) {
  const ptrdiff_t wide = width + 2 * pad, high = height + 2 * pad;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t p = 0; p < planes; ++p) {
    float* to = o + p * high * wide;
    memset(to, 0, static_cast<size_t>(pad * wide) * sizeof(float));
    to += pad * wide;
    for (ptrdiff_t y = 0; y < height; ++y, to += wide) {
      const float* const from = a + (p * height + y) * width;
      for (ptrdiff_t x = 0; x < pad; ++x) to[x] = 0;
#pragma omp simd
      for (ptrdiff_t x = 0; x < width; ++x) to[pad + x] = from[x];
      for (ptrdiff_t x = 0; x < pad; ++x) to[pad + width + x] = 0;
    }
    memset(to, 0, static_cast<size_t>(pad * wide) * sizeof(float));
  }
}

void UpsampleNearest2(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const from = a + y * width;
    float* const first = o + 4 * y * width;
    float* const second = first + 2 * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < width; ++x) first[2 * x] = first[2 * x + 1] = from[x];
    memcpy(second, first, static_cast<size_t>(2 * width) * sizeof(float));
  }
}

void MirrorRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const from = a + y * width;
    float* const to = o + y * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < width; ++x) to[x] = from[width - 1 - x];
  }
}

void RollRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width, ptrdiff_t shift) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const from = a + y * width;
    float* const to = o + y * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < shift; ++x) to[x] = from[x - shift + width];
#pragma omp simd
    for (ptrdiff_t x = shift; x < width; ++x) to[x] = from[x - shift];
  }
}

void RepeatRows(float* o, const float* a, ptrdiff_t outer, ptrdiff_t times, ptrdiff_t width) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < outer; ++i) {
    for (ptrdiff_t k = 0; k < times; ++k) {
      float* const to = o + (i * times + k) * width;
      const float* const from = a + i * width;
#pragma omp simd
      for (ptrdiff_t x = 0; x < width; ++x) to[x] = from[x];
    }
  }
}

void RepeatElements(float* o, const float* a, ptrdiff_t count, ptrdiff_t times) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < count; ++i) {
    const float value = a[i];
    float* const to = o + i * times;
#pragma omp simd
    for (ptrdiff_t x = 0; x < times; ++x) to[x] = value;
  }
}

void ScaleRows(float* o, const float* a, const float* factor, ptrdiff_t rows, ptrdiff_t width) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float scale = factor[y];
#pragma omp simd
    for (ptrdiff_t x = 0; x < width; ++x) o[y * width + x] = a[y * width + x] * scale;
  }
}

void Where(float* o, const float* c, const float* a, const float* b, ptrdiff_t n) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t i = 0; i < n; ++i) o[i] = c[i] != 0 ? a[i] : b[i];
}

void Clip(float* o, const float* a, float low, float high, ptrdiff_t n) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t i = 0; i < n; ++i) {
    const float raised = a[i] < low ? low : a[i];
    o[i] = raised > high ? high : raised;
  }
}

void Range(float* o, float start, float step, ptrdiff_t n) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < static_cast<int>(n); ++i) o[i] = start + static_cast<float>(i) * step;
}

}  // namespace hand
