// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"

namespace hand {
namespace {

inline float Max(float a, float b) { return a > b ? a : b; }

}  // namespace

void MaxPool2(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t rows = planes * height / 2, cols = width / 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const top = a + 2 * y * width;
    const float* const bottom = top + width;
    float* const to = o + y * cols;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) {
      to[x] = Max(Max(top[2 * x], top[2 * x + 1]), Max(bottom[2 * x], bottom[2 * x + 1]));
    }
  }
}

void MaxPool3(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t rows = (height - 3) / 2 + 1, cols = (width - 3) / 2 + 1;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t p = 0; p < planes; ++p) {
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const r0 = a + (p * height + 2 * y) * width;
      const float* const r1 = r0 + width;
      const float* const r2 = r1 + width;
      float* const to = o + (p * rows + y) * cols;
#pragma omp simd
      for (ptrdiff_t x = 0; x < cols; ++x) {
        const float m0 = Max(Max(r0[2 * x], r0[2 * x + 1]), r0[2 * x + 2]);
        const float m1 = Max(Max(r1[2 * x], r1[2 * x + 1]), r1[2 * x + 2]);
        const float m2 = Max(Max(r2[2 * x], r2[2 * x + 1]), r2[2 * x + 2]);
        to[x] = Max(Max(m0, m1), m2);
      }
    }
  }
}

void MaxPool3TwoPass(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height,
                     ptrdiff_t width) {
  const ptrdiff_t rows = (height - 3) / 2 + 1, cols = (width - 3) / 2 + 1;
#pragma omp parallel
  {
    float* const column = static_cast<float*>(malloc(static_cast<size_t>(width) * sizeof(float)));
#pragma omp for schedule(static)
    for (ptrdiff_t p = 0; p < planes; ++p) {
      for (ptrdiff_t y = 0; y < rows; ++y) {
        const float* const r0 = a + (p * height + 2 * y) * width;
        const float* const r1 = r0 + width;
        const float* const r2 = r1 + width;
        float* const to = o + (p * rows + y) * cols;
#pragma omp simd
        for (ptrdiff_t x = 0; x < width; ++x) column[x] = Max(Max(r0[x], r1[x]), r2[x]);
#pragma omp simd
        for (ptrdiff_t x = 0; x < cols; ++x) {
          to[x] = Max(Max(column[2 * x], column[2 * x + 1]), column[2 * x + 2]);
        }
      }
    }
    free(column);
  }
}

void Unpool2(float* o, const float* a, const float* m, const float* g, ptrdiff_t planes,
             ptrdiff_t height, ptrdiff_t width) {
  const ptrdiff_t cols = width / 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < planes * height; ++y) {
    const float* const from = a + y * width;
    const float* const most = m + y / 2 * cols;
    const float* const grad = g + y / 2 * cols;
    float* const to = o + y * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) {
      to[2 * x] = from[2 * x] == most[x] ? grad[x] : 0.0f;
      to[2 * x + 1] = from[2 * x + 1] == most[x] ? grad[x] : 0.0f;
    }
  }
}

void Im2Col3(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w) {
  const ptrdiff_t oh = h - 2, ow = w - 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t row = 0; row < c * 9; ++row) {
    const ptrdiff_t channel = row / 9, i = row / 3 % 3, j = row % 3;
    for (ptrdiff_t image = 0; image < n; ++image) {
      const float* const plane = a + (image * c + channel) * h * w;
      for (ptrdiff_t y = 0; y < oh; ++y) {
        const float* const from = plane + (y + i) * w + j;
        float* const to = o + ((row * n + image) * oh + y) * ow;
#pragma omp simd
        for (ptrdiff_t x = 0; x < ow; ++x) to[x] = from[x];
      }
    }
  }
}

void Col2Im3(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w) {
  const ptrdiff_t oh = h - 2, ow = w - 2;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t p = 0; p < n * c; ++p) {
    const ptrdiff_t image = p / c, channel = p % c;
    float* const plane = o + p * h * w;
    memset(plane, 0, static_cast<size_t>(h * w) * sizeof(float));
    for (ptrdiff_t i = 0; i < 3; ++i) {
      for (ptrdiff_t j = 0; j < 3; ++j) {
        const float* const part = a + (((channel * 3 + i) * 3 + j) * n + image) * oh * ow;
        for (ptrdiff_t y = 0; y < oh; ++y) {
          float* const to = plane + (y + i) * w + j;
          const float* const from = part + y * ow;
#pragma omp simd
          for (ptrdiff_t x = 0; x < ow; ++x) to[x] += from[x];
        }
      }
    }
  }
}

void Crop(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
          ptrdiff_t out_height, ptrdiff_t out_width, ptrdiff_t y0, ptrdiff_t x0) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t p = 0; p < planes; ++p) {
    for (ptrdiff_t y = 0; y < out_height; ++y) {
      const float* const from = a + (p * height + y + y0) * width + x0;
      float* const to = o + (p * out_height + y) * out_width;
#pragma omp simd
      for (ptrdiff_t x = 0; x < out_width; ++x) to[x] = from[x];
    }
  }
}

void Mirror(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const from = a + y * width;
    float* const to = o + y * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < width; ++x) to[x] = from[width - 1 - x];
  }
}

namespace {

/// A pixel of the result between pixels `low` and `high` of the source, the latter weighing `part`.
struct Place {
  int low, high;
  float part;
};
Place PlaceOf(ptrdiff_t i, ptrdiff_t size, ptrdiff_t out) {
  const float step = static_cast<float>(size) / static_cast<float>(out);
  float at = (step - 1) / 2 + static_cast<float>(i) * step;
  const float last = static_cast<float>(size - 1);
  at = at < 0 ? 0 : at > last ? last : at;
  const int low = static_cast<int>(at);
  return Place{low, low + 1 < size ? low + 1 : low, at - static_cast<float>(low)};
}

}  // namespace

void Resize(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
            ptrdiff_t out_height, ptrdiff_t out_width) {
  const size_t columns = static_cast<size_t>(out_width);
  int* const low = static_cast<int*>(malloc(columns * sizeof(int)));
  int* const high = static_cast<int*>(malloc(columns * sizeof(int)));
  float* const part = static_cast<float*>(malloc(columns * sizeof(float)));
  for (ptrdiff_t x = 0; x < out_width; ++x) {
    const Place place = PlaceOf(x, width, out_width);
    low[x] = place.low;
    high[x] = place.high;
    part[x] = place.part;
  }
#pragma omp parallel
  {
    float* const blend = static_cast<float*>(malloc(static_cast<size_t>(width) * sizeof(float)));
#pragma omp for schedule(static)
    for (ptrdiff_t p = 0; p < planes; ++p) {
      for (ptrdiff_t y = 0; y < out_height; ++y) {
        const Place place = PlaceOf(y, height, out_height);
        const float* const top = a + (p * height + place.low) * width;
        const float* const bottom = a + (p * height + place.high) * width;
        float* const to = o + (p * out_height + y) * out_width;
#pragma omp simd
        for (ptrdiff_t x = 0; x < width; ++x) blend[x] = top[x] + place.part * (bottom[x] - top[x]);
#pragma omp simd
        for (ptrdiff_t x = 0; x < out_width; ++x) {
          const float left = blend[low[x]];
          to[x] = left + part[x] * (blend[high[x]] - left);
        }
      }
    }
    free(blend);
  }
  free(part);
  free(high);
  free(low);
}

}  // namespace hand
