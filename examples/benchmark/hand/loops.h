// SPDX-License-Identifier: Apache-2.0
// The hand-written loops that the statements are measured against. Their sources know nothing of
// the library and are compiled for this very machine; CMakeLists.txt has the flags.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_

#include <cstddef>
#include <cstdint>

namespace hand {

using std::ptrdiff_t;

// ---- What memory can do ----
void Copy(float* dst, const float* src, ptrdiff_t n);
void Triad(float* dst, const float* a, const float* b, float s, ptrdiff_t n);  // dst = a + s b
float Read(const float* src, ptrdiff_t n);                                     // their sum
void Write(float* dst, float value, ptrdiff_t n);

// ---- Element by element ----
/// w = -eta (g + lambda w)
void Sgd(float* w, const float* g, float eta, float lambda, ptrdiff_t n);
/// The same on rows `stride` apart.
void SgdRows(float* w, const float* g, float eta, float lambda, ptrdiff_t rows, ptrdiff_t cols,
             ptrdiff_t stride);
/// o[i][c][j] = a[i][c][j] + v[c]
void AddChannels(float* o, const float* a, const float* v, ptrdiff_t outer, ptrdiff_t channels,
                 ptrdiff_t inner);
/// o[y][x] = a[y][x] + v[x]
void AddRow(float* o, const float* a, const float* v, ptrdiff_t rows, ptrdiff_t cols);
void Sigmoid(float* o, const float* a, ptrdiff_t n);
void Exp(float* o, const float* a, ptrdiff_t n);
void Tanh(float* o, const float* a, ptrdiff_t n);
/// o = sigmoid(tanh(a) + exp(b))
void Chain(float* o, const float* a, const float* b, ptrdiff_t n);

// ---- Half precision; false where the machine has no instructions for it ----
bool HasHalf();
void ToHalf(std::uint16_t* o, const float* a, ptrdiff_t n);
void FromHalf(float* o, const std::uint16_t* a, ptrdiff_t n);

// ---- Images: `planes` images of (height, width) ----
/// 2x2 windows 2 apart; even height and width.
void MaxPool2(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width);
/// 3x3 windows 2 apart, whole windows only: in one pass, or along columns and then along rows.
void MaxPool3(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width);
void MaxPool3TwoPass(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height,
                     ptrdiff_t width);
/// The gradient of MaxPool2: o = g where a is the maximum m of its window, else 0.
void Unpool2(float* o, const float* a, const float* m, const float* g, ptrdiff_t planes,
             ptrdiff_t height, ptrdiff_t width);
/// 3x3 patches one apart: a (n, c, h, w) -> o (9 c, n (h - 2) (w - 2)).
void Im2Col3(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w);
/// Its adjoint: a as o above is added into o (n, c, h, w).
void Col2Im3(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w);
void Crop(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
          ptrdiff_t out_height, ptrdiff_t out_width, ptrdiff_t y0, ptrdiff_t x0);
void Mirror(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width);
/// Bilinear; pixel centres on the half-pixel grid, the edge repeated outside.
void Resize(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
            ptrdiff_t out_height, ptrdiff_t out_width);

// ---- Across rows ----
/// o[x][y] = a[y][x] in square tiles of side 16 or 64.
void Transpose16(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
void Transpose64(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// o[x] = sum_y a[y][x]
void SumRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// o[c] = sum over n and i of a[n][c][i]
void SumChannels(float* o, const float* a, ptrdiff_t n, ptrdiff_t channels, ptrdiff_t inner);
void Softmax(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);

}  // namespace hand
#endif  // MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
