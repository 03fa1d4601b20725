// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "loops.h"
#include "parallel.h"

namespace hand {

/// Elements that a thread takes at a time where a loop calls another.
constexpr ptrdiff_t kPart = 1 << 14;

void Copy(float* dst, const float* src, ptrdiff_t n) {
  if (n < kSerial) {
    memcpy(dst, src, static_cast<size_t>(n) * sizeof(float));
    return;
  }
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < n; i += kPart) {
    memcpy(dst + i, src + i, static_cast<size_t>(n - i < kPart ? n - i : kPart) * sizeof(float));
  }
}

void Triad(float* dst, const float* a, const float* b, float s, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { dst[i] = a[i] + s * b[i]; });
}

float Read(const float* src, ptrdiff_t n) {
  float sum = 0;
  if (n < kSerial) {
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 0; i < n; ++i) sum += src[i];
    return sum;
  }
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (ptrdiff_t i = 0; i < n; ++i) sum += src[i];
  return sum;
}

void Write(float* dst, float value, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { dst[i] = value; });
}

void Sgd(float* w, const float* g, float eta, float lambda, ptrdiff_t n) {
  For(n, [=](ptrdiff_t i) { w[i] = -eta * (g[i] + lambda * w[i]); });
}

void SgdRows(float* w, const float* g, float eta, float lambda, ptrdiff_t rows, ptrdiff_t cols,
             ptrdiff_t stride) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    float* const to = w + y * stride;
    const float* const from = g + y * stride;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[x] = -eta * (from[x] + lambda * to[x]);
  }
}

void AddChannels(float* o, const float* a, const float* v, ptrdiff_t outer, ptrdiff_t channels,
                 ptrdiff_t inner) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t row = 0; row < outer * channels; ++row) {
    const float add = v[row % channels];
    float* const to = o + row * inner;
    const float* const from = a + row * inner;
#pragma omp simd
    for (ptrdiff_t x = 0; x < inner; ++x) to[x] = from[x] + add;
  }
}

void AddRow(float* o, const float* a, const float* v, ptrdiff_t rows, ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (ptrdiff_t y = 0; y < rows; ++y) {
    float* const to = o + y * cols;
    const float* const from = a + y * cols;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) to[x] = from[x] + v[x];
  }
}

// ---- Half precision ----

#ifdef __F16C__
bool HasHalf() { return true; }

namespace {

inline void ToHalfPart(std::uint16_t* o, const float* a, ptrdiff_t n) {
  const ptrdiff_t whole = n / 8 * 8;
  for (ptrdiff_t i = 0; i < whole; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(a + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(o + i), half);
  }
  for (ptrdiff_t i = whole; i < n; ++i) o[i] = _cvtss_sh(a[i], _MM_FROUND_TO_NEAREST_INT);
}

inline void FromHalfPart(float* o, const std::uint16_t* a, ptrdiff_t n) {
  const ptrdiff_t whole = n / 8 * 8;
  for (ptrdiff_t i = 0; i < whole; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i));
    _mm256_storeu_ps(o + i, _mm256_cvtph_ps(half));
  }
  for (ptrdiff_t i = whole; i < n; ++i) o[i] = _cvtsh_ss(a[i]);
}

}  // namespace

void ToHalf(std::uint16_t* o, const float* a, ptrdiff_t n) {
  if (n < kSerial) return ToHalfPart(o, a, n);
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < n; i += kPart) {
    ToHalfPart(o + i, a + i, n - i < kPart ? n - i : kPart);
  }
}

void FromHalf(float* o, const std::uint16_t* a, ptrdiff_t n) {
  if (n < kSerial) return FromHalfPart(o, a, n);
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < n; i += kPart) {
    FromHalfPart(o + i, a + i, n - i < kPart ? n - i : kPart);
  }
}
#else
bool HasHalf() { return false; }
void ToHalf(std::uint16_t*, const float*, ptrdiff_t) {}
void FromHalf(float*, const std::uint16_t*, ptrdiff_t) {}
#endif

}  // namespace hand
