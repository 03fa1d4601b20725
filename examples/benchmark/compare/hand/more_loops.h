// SPDX-License-Identifier: Apache-2.0
// Loops for statements that ../../hand has none for.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_HAND_MORE_LOOPS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_HAND_MORE_LOOPS_H_

#include "../../hand/loops.h"

namespace hand {

/// v = mu v - eta (g + lambda w); w = w + v, in one pass
void Momentum(float* w, float* v, const float* g, float mu, float eta, float lambda, ptrdiff_t n);
/// o = a (1 + erf(a / sqrt(2))) / 2
void Gelu(float* o, const float* a, ptrdiff_t n);
/// o[y][x] = a[y][x] + v[y]
void AddColumn(float* o, const float* a, const float* v, ptrdiff_t rows, ptrdiff_t cols);
/// Rows of three floats.
void AddThree(float* o, const float* a, const float* v, ptrdiff_t rows);
/// The sum of a, with more additions under way than hand::Read has.
float Sum(const float* a, ptrdiff_t n);
/// The gradient of MaxPool3: the sum of g over the windows in which a is the maximum m.
void Unpool3(float* o, const float* a, const float* m, const float* g, ptrdiff_t planes,
             ptrdiff_t height, ptrdiff_t width);
void OneHot(float* o, const int32_t* index, ptrdiff_t rows, ptrdiff_t cols);

}  // namespace hand
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_HAND_MORE_LOOPS_H_
