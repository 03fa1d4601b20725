// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "loops.h"

namespace hand {
namespace {

template <int kSide>
inline void Transpose(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for collapse(2) schedule(static)
  for (ptrdiff_t x0 = 0; x0 < cols; x0 += kSide) {
    for (ptrdiff_t y0 = 0; y0 < rows; y0 += kSide) {
      const ptrdiff_t x1 = x0 + kSide < cols ? x0 + kSide : cols;
      const ptrdiff_t y1 = y0 + kSide < rows ? y0 + kSide : rows;
      for (ptrdiff_t x = x0; x < x1; ++x) {
#pragma omp simd
        for (ptrdiff_t y = y0; y < y1; ++y) o[x * rows + y] = a[y * cols + x];
      }
    }
  }
}

}  // namespace

void Transpose16(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
  Transpose<16>(o, a, rows, cols);
}
void Transpose64(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
  Transpose<64>(o, a, rows, cols);
}

void SumRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
  memset(o, 0, static_cast<size_t>(cols) * sizeof(float));
#pragma omp parallel
  {
    // A row of sums a thread; four rows at a time, so that the sums are loaded a quarter as often.
    float* const sum = static_cast<float*>(calloc(static_cast<size_t>(cols), sizeof(float)));
#pragma omp for schedule(static)
    for (ptrdiff_t y = 0; y < rows / 4; ++y) {
      const float* const r0 = a + 4 * y * cols;
      const float* const r1 = r0 + cols;
      const float* const r2 = r1 + cols;
      const float* const r3 = r2 + cols;
#pragma omp simd
      for (ptrdiff_t x = 0; x < cols; ++x) sum[x] += (r0[x] + r1[x]) + (r2[x] + r3[x]);
    }
#pragma omp for schedule(static)
    for (ptrdiff_t y = rows / 4 * 4; y < rows; ++y) {
      for (ptrdiff_t x = 0; x < cols; ++x) sum[x] += a[y * cols + x];
    }
#pragma omp critical
    for (ptrdiff_t x = 0; x < cols; ++x) o[x] += sum[x];
    free(sum);
  }
}

void SumChannels(float* o, const float* a, ptrdiff_t n, ptrdiff_t channels, ptrdiff_t inner) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t c = 0; c < channels; ++c) {
    // Four sums: the additions of one would wait for each other.
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
      const float* const from = a + (i * channels + c) * inner;
      const ptrdiff_t quarter = inner / 4;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
      for (ptrdiff_t x = 0; x < quarter; ++x) {
        s0 += from[x];
        s1 += from[x + quarter];
        s2 += from[x + 2 * quarter];
        s3 += from[x + 3 * quarter];
      }
      for (ptrdiff_t x = 4 * quarter; x < inner; ++x) s0 += from[x];
    }
    o[c] = (s0 + s1) + (s2 + s3);
  }
}

void MeanVariance(float* mean, float* variance, const float* a, ptrdiff_t n, ptrdiff_t channels,
                  ptrdiff_t inner) {
  const float scale = 1.0f / static_cast<float>(n * inner);
#pragma omp parallel for schedule(static)
  for (ptrdiff_t c = 0; c < channels; ++c) {
    // Sums of x - shift and of its square; a value of the channel as the shift saves the digits.
    const float shift = a[c * inner];
    float sum = 0, square = 0;
    for (ptrdiff_t image = 0; image < n; ++image) {
      const float* const plane = a + (image * channels + c) * inner;
      float s = 0, q = 0;
#pragma omp simd reduction(+ : s, q)
      for (ptrdiff_t i = 0; i < inner; ++i) {
        const float d = plane[i] - shift;
        s += d;
        q += d * d;
      }
      sum += s;
      square += q;
    }
    const float offset = sum * scale;
    mean[c] = shift + offset;
    variance[c] = square * scale - offset * offset;
  }
}

}  // namespace hand
