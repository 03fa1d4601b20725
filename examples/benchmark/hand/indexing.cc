// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "loops.h"

namespace hand {
namespace {

inline void CopyRow(float* o, const float* a, ptrdiff_t n) {
  memcpy(o, a, static_cast<size_t>(n) * sizeof(float));
}

/// o[x o_pitch + y] = a[y a_pitch + x] in tiles.
inline void TransposeTiles(float* o, ptrdiff_t o_pitch, const float* a, ptrdiff_t a_pitch,
                           ptrdiff_t rows, ptrdiff_t cols) {
  constexpr ptrdiff_t kSide = 16;
  for (ptrdiff_t x0 = 0; x0 < cols; x0 += kSide) {
    const ptrdiff_t x1 = x0 + kSide < cols ? x0 + kSide : cols;
    for (ptrdiff_t y0 = 0; y0 < rows; y0 += kSide) {
      const ptrdiff_t y1 = y0 + kSide < rows ? y0 + kSide : rows;
      for (ptrdiff_t x = x0; x < x1; ++x) {
#pragma omp simd
        for (ptrdiff_t y = y0; y < y1; ++y) o[x * o_pitch + y] = a[y * a_pitch + x];
      }
    }
  }
}

}  // namespace

void CopyRows(float* o, ptrdiff_t o_pitch, const float* a, ptrdiff_t a_pitch, ptrdiff_t rows,
              ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    float* const to = o + y * o_pitch;
    const float* const from = a + y * a_pitch;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[x] = from[x];
  }
}

void EverySecond(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < planes * (height / 2); ++i) {
    const ptrdiff_t y = i % (height / 2), plane = i / (height / 2);
    const float* const from = a + (plane * height + 2 * y + 1) * width;
    float* const to = o + i * (width / 2);
#pragma omp simd
    for (ptrdiff_t x = 0; x < width / 2; ++x) to[x] = from[2 * x + 1];
  }
}

void Concat(float* o, const float* a, const float* b, ptrdiff_t rows, ptrdiff_t cols1,
            ptrdiff_t cols2) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    float* const to = o + y * (cols1 + cols2);
    CopyRow(to, a + y * cols1, cols1);
    CopyRow(to + cols1, b + y * cols2, cols2);
  }
}

void Split(float* a, float* b, const float* x, ptrdiff_t rows, ptrdiff_t cols1, ptrdiff_t cols2) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const from = x + y * (cols1 + cols2);
    CopyRow(a + y * cols1, from, cols1);
    CopyRow(b + y * cols2, from + cols1, cols2);
  }
}

void SwapRows(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w) {
#pragma omp parallel for collapse(2) schedule(static)
  for (ptrdiff_t i = 0; i < n; ++i) {
    for (ptrdiff_t y = 0; y < h; ++y) {
      for (ptrdiff_t j = 0; j < c; ++j) {
        float* const to = o + ((i * h + y) * c + j) * w;
        const float* const from = a + ((i * c + j) * h + y) * w;
#pragma omp simd
        for (ptrdiff_t x = 0; x < w; ++x) to[x] = from[x];
      }
    }
  }
}

void SwapColumns(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w) {
#pragma omp parallel for collapse(2) schedule(static)
  for (ptrdiff_t i = 0; i < n; ++i) {
    for (ptrdiff_t y = 0; y < h; ++y) {
      TransposeTiles(o + (i * w * h + y) * c, h * c, a + (i * c * h + y) * w, h * w, c, w);
    }
  }
}

void TransposeEach(float* o, const float* a, ptrdiff_t n, ptrdiff_t rows, ptrdiff_t cols) {
  constexpr ptrdiff_t kBand = 64;
#pragma omp parallel for collapse(2) schedule(static)
  for (ptrdiff_t i = 0; i < n; ++i) {
    for (ptrdiff_t x = 0; x < cols; x += kBand) {
      TransposeTiles(o + i * rows * cols + x * rows, rows, a + i * rows * cols + x, cols, rows,
                     x + kBand < cols ? kBand : cols - x);
    }
  }
}

void ChannelsLastIndices(int32_t* o, const int32_t* a, ptrdiff_t n, int32_t channels,
                         int32_t plane) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < n; ++i) {
    const uint32_t v = static_cast<uint32_t>(a[i]);
    const uint32_t image = v / static_cast<uint32_t>(plane) / static_cast<uint32_t>(channels);
    const uint32_t rest = v - image * static_cast<uint32_t>(plane * channels);
    const uint32_t c = rest / static_cast<uint32_t>(plane);
    const uint32_t pixel = rest - c * static_cast<uint32_t>(plane);
    o[i] = static_cast<int32_t>((image * static_cast<uint32_t>(plane) + pixel) *
                                static_cast<uint32_t>(channels) + c);
  }
}

void Choose(float* o, const float* a, const int32_t* index, ptrdiff_t rows, ptrdiff_t cols) {
  for (ptrdiff_t y = 0; y < rows; ++y) o[y] = a[y * cols + index[y]];
}

void FillElements(float* o, const float* value, const int32_t* index, ptrdiff_t rows,
                  ptrdiff_t cols) {
  for (ptrdiff_t y = 0; y < rows; ++y) o[y * cols + index[y]] = value[y];
}

void TakeRows(float* o, const float* a, const int32_t* index, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) CopyRow(o + y * cols, a + index[y] * cols, cols);
}

void AddRows(float* o, const float* a, const int32_t* index, ptrdiff_t rows, ptrdiff_t cols) {
  for (ptrdiff_t y = 0; y < rows; ++y) {
    float* const to = o + index[y] * cols;
    const float* const from = a + y * cols;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[x] += from[x];
  }
}

}  // namespace hand
