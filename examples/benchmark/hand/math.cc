// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffast-math as well: only so does GCC take the C library's vector functions for
// loops that name no library of their own.
#include <math.h>

#include "loops.h"

namespace compare {
namespace {

inline float Sigmoid(float a) { return 1.0f / (1.0f + expf(-a)); }
inline float Exp(float a) { return expf(a); }
inline float Tanh(float a) { return tanhf(a); }
inline float Gelu(float a) { return 0.5f * a * (1.0f + erff(a * 0.70710678f)); }
inline float Elu(float a) {
  const float below = expf(a) - 1;
  return a > 0 ? a : below;
}

template <float (*f)(float)>
Body Function(Job& job) {
  return [o = job.out(), a = job.in(0), n = job.count()] {
    For(n, [=](ptrdiff_t i) { o[i] = f(a[i]); });
  };
}
/// One loop over rows and padding, which keeps its values. The pitch is a power of two.
template <float (*f)(float)>
void FunctionOfRows(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const ptrdiff_t cols = job.size(1), mask = job.size(2) - 1;
  For(job.count(), [=](ptrdiff_t i) {
    const float value = f(a[i]);
    o[i] = (i & mask) < cols ? value : o[i];
  });
}
Body Chain(Job& job) {
  return [o = job.out(), a = job.in(0), b = job.in(1), n = job.count()] {
    For(n, [=](ptrdiff_t i) { o[i] = Sigmoid(tanhf(a[i]) + expf(b[i])); });
  };
}
void WhereExp(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const b = job.in(1);
  For(job.count(), [=](ptrdiff_t i) {
    const float above = expf(a[i]);
    o[i] = a[i] > 0 ? above : b[i];
  });
}
void Boxes(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const d = job.in(1);
  For(job.size(0), [=](ptrdiff_t n) {
    const ptrdiff_t i = 4 * n;
    o[i] = a[i] + d[i] * a[i + 2];
    o[i + 1] = a[i + 1] + d[i + 1] * a[i + 3];
    o[i + 2] = a[i + 2] * expf(d[i + 2]);
    o[i + 3] = a[i + 3] * expf(d[i + 3]);
  });
}

void Softmax(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) {
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
    Set(to, cols, [=](ptrdiff_t x) { return to[x] * scale; });
  });
}
void LogSumExp(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) {
    const float* const row = a + y * cols;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t x = 0; x < cols; ++x) sum += expf(row[x]);
    o[y] = logf(sum);
  });
}

const Entries entries{
    {"sigmoid", Function<Sigmoid>},
    {"tanh", Function<Tanh>},
    {"exp", Function<Exp>},
    {"gelu", Function<Gelu>},
    {"user_sigmoid", Function<Sigmoid>},
    {"user_elu", Function<Elu>},
    {"chain", Chain},
    {"where_exp", WhereExp},
    {"sigmoid_rows", FunctionOfRows<Sigmoid>},
    {"exp_rows", FunctionOfRows<Exp>},
    {"tanh_rows", FunctionOfRows<Tanh>},
    {"boxes", Boxes},
    {"softmax", Softmax},
    {"user_logsumexp", LogSumExp},
};

}  // namespace
}  // namespace compare
