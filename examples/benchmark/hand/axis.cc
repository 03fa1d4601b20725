// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

namespace hand {

void SumAxis(float* o, const float* a, ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t n = 0; n < outer; ++n) {
    float* const to = o + n * inner;
    for (ptrdiff_t x = 0; x < inner; ++x) to[x] = 0;
    for (ptrdiff_t i = 0; i < axis; ++i) {
      const float* const from = a + (n * axis + i) * inner;
#pragma omp simd
      for (ptrdiff_t x = 0; x < inner; ++x) to[x] += from[x];
    }
  }
}

void SumEachRow(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const row = a + y * cols;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t x = 0; x < cols; ++x) sum += row[x];
    o[y] = sum;
  }
}

void ArgMaxAxis(float* o, const float* a, ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t n = 0; n < outer; ++n) {
    constexpr ptrdiff_t kBlock = 512;
    for (ptrdiff_t x0 = 0; x0 < inner; x0 += kBlock) {
      const ptrdiff_t count = inner - x0 < kBlock ? inner - x0 : kBlock;
      float most[kBlock];
      int index[kBlock];
      for (ptrdiff_t i = 0; i < axis; ++i) {
        const float* const from = a + (n * axis + i) * inner + x0;
        const int number = static_cast<int>(i);
#pragma omp simd
        for (ptrdiff_t x = 0; x < count; ++x) {
          const bool more = number == 0 || from[x] > most[x];
          most[x] = more ? from[x] : most[x];
          index[x] = more ? number : index[x];
        }
      }
#pragma omp simd
      for (ptrdiff_t x = 0; x < count; ++x) o[n * inner + x0 + x] = static_cast<float>(index[x]);
    }
  }
}

void CumulateRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows / 4; ++y) {
    const float* const from = a + 4 * y * cols;
    float* const to = o + 4 * y * cols;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (ptrdiff_t x = 0; x < cols; ++x) {
      to[x] = s0 += from[x];
      to[cols + x] = s1 += from[cols + x];
      to[2 * cols + x] = s2 += from[2 * cols + x];
      to[3 * cols + x] = s3 += from[3 * cols + x];
    }
  }
}

void CumulateAxis(float* o, const float* a, ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t n = 0; n < outer; ++n) {
    const float* const from = a + n * axis * inner;
    float* const to = o + n * axis * inner;
    for (ptrdiff_t x = 0; x < inner; ++x) to[x] = from[x];
    for (ptrdiff_t i = inner; i < axis * inner; i += inner) {
#pragma omp simd
      for (ptrdiff_t x = i; x < i + inner; ++x) to[x] = to[x - inner] + from[x];
    }
  }
}

void ArgMaxEachRow(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    const float* const row = a + y * cols;
    float most = row[0];
#pragma omp simd reduction(max : most)
    for (ptrdiff_t x = 0; x < cols; ++x) most = row[x] > most ? row[x] : most;
    const int count = static_cast<int>(cols);
    int first = count;
#pragma omp simd reduction(min : first)
    for (int x = 0; x < count; ++x) {
      const int here = row[x] == most ? x : count;
      first = here < first ? here : first;
    }
    o[y] = static_cast<float>(first);
  }
}

void SumThreeChannels(float* o, const float* a, ptrdiff_t images, ptrdiff_t channels,
                      ptrdiff_t plane) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t n = 0; n < images; ++n) {
    for (ptrdiff_t c = 0; c < channels; ++c) {
      const float* const here = a + (n * channels + c) * plane;
      float* const to = o + (n * channels + c) * plane;
      const float* const before = c > 0 ? here - plane : nullptr;
      const float* const behind = c + 1 < channels ? here + plane : nullptr;
      if (before != nullptr && behind != nullptr) {
#pragma omp simd
        for (ptrdiff_t x = 0; x < plane; ++x) to[x] = before[x] + here[x] + behind[x];
      } else {
        const float* const other = before != nullptr ? before : behind;
#pragma omp simd
        for (ptrdiff_t x = 0; x < plane; ++x) to[x] = here[x] + other[x];
      }
    }
  }
}

void UnpoolThreeChannels(float* o, const float* a, const float* most, const float* grad,
                         ptrdiff_t images, ptrdiff_t channels, ptrdiff_t plane) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t n = 0; n < images; ++n) {
    for (ptrdiff_t c = 0; c < channels; ++c) {
      const ptrdiff_t here = (n * channels + c) * plane;
      const float* const from = a + here;
      float* const to = o + here;
      const ptrdiff_t first = c > 0 ? -1 : 0, last = c + 1 < channels ? 1 : 0;
      for (ptrdiff_t k = first; k <= last; ++k) {
        const float* const m = most + here + k * plane;
        const float* const g = grad + here + k * plane;
        if (k == first) {
#pragma omp simd
          for (ptrdiff_t x = 0; x < plane; ++x) to[x] = from[x] == m[x] ? g[x] : 0.0f;
        } else {
#pragma omp simd
          for (ptrdiff_t x = 0; x < plane; ++x) to[x] += from[x] == m[x] ? g[x] : 0.0f;
        }
      }
    }
  }
}

void MultiplyComplex(float* o, const float* a, const float* b, ptrdiff_t pairs) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t p = 0; p < pairs; ++p) {
    const float a_real = a[2 * p], a_imag = a[2 * p + 1];
    const float b_real = b[2 * p], b_imag = b[2 * p + 1];
    o[2 * p] = a_real * b_real - a_imag * b_imag;
    o[2 * p + 1] = a_real * b_imag + a_imag * b_real;
  }
}

void Multiply(float* o, const float* a, const float* b, ptrdiff_t side) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < side; ++y) {
    float* const to = o + y * side;
    for (ptrdiff_t x = 0; x < side; ++x) to[x] = 0;
    for (ptrdiff_t k = 0; k < side; k += 4) {
      const float* const factor = a + y * side + k;
      const float* const row = b + k * side;
#pragma omp simd
      for (ptrdiff_t x = 0; x < side; ++x) {
        to[x] += factor[0] * row[x] + factor[1] * row[side + x] + factor[2] * row[2 * side + x] +
                 factor[3] * row[3 * side + x];
      }
    }
  }
}

void RealParts(float* o, const float* a, ptrdiff_t pairs) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t p = 0; p < pairs; ++p) o[p] = a[2 * p];
}

void PadImag(float* o, const float* a, ptrdiff_t pairs) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t p = 0; p < pairs; ++p) {
    o[2 * p] = a[p];
    o[2 * p + 1] = 0;
  }
}

void Exchange(float* o, const float* a, ptrdiff_t pairs) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t p = 0; p < pairs; ++p) {
    o[2 * p] = a[2 * p + 1];
    o[2 * p + 1] = a[2 * p];
  }
}

void Conjugate(float* o, const float* a, ptrdiff_t pairs) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t p = 0; p < pairs; ++p) {
    o[2 * p] = a[2 * p];
    o[2 * p + 1] = -a[2 * p + 1];
  }
}

void AbsSquare(float* o, const float* a, ptrdiff_t pairs) {
#pragma omp parallel for simd schedule(static)
  for (ptrdiff_t p = 0; p < pairs; ++p) o[p] = a[2 * p] * a[2 * p] + a[2 * p + 1] * a[2 * p + 1];
}

}  // namespace hand
