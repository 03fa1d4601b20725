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
/// 2x2 windows one apart.
void MaxPool2By1(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width);
/// 2x2x2 windows 2 apart of volumes; even depth, height and width.
void MaxPool3d2(float* o, const float* a, ptrdiff_t volumes, ptrdiff_t depth, ptrdiff_t height,
                ptrdiff_t width);
/// The gradient of MaxPool3d2: o = g where a is the maximum m of its window, else 0.
void Unpool3d2(float* o, const float* a, const float* m, const float* g, ptrdiff_t volumes,
               ptrdiff_t depth, ptrdiff_t height, ptrdiff_t width);
/// Means of 3x3 windows 2 apart, padded by one; cells outside do not count; even height and width.
void AvgPool3(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width);
/// Its gradient of 2x2 windows 2 apart, not padded: a quarter for each.
void AvgUnpool2(float* o, const float* g, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width);
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
/// Cubic with a = -0.75, likewise.
void ResizeCubic(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
                 ptrdiff_t out_height, ptrdiff_t out_width);

// ---- Parts, permutations, rows that an index names ----
/// Rows of `cols` floats from rows `a_pitch` apart to rows `o_pitch` apart.
void CopyRows(float* o, ptrdiff_t o_pitch, const float* a, ptrdiff_t a_pitch, ptrdiff_t rows,
              ptrdiff_t cols);
/// o[p][y][x] = a[p][2 y + 1][2 x + 1]; even height and width.
void EverySecond(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width);
/// Each row of o is one of a and one of b; Split is its inverse.
void Concat(float* o, const float* a, const float* b, ptrdiff_t rows, ptrdiff_t cols1,
            ptrdiff_t cols2);
void Split(float* a, float* b, const float* x, ptrdiff_t rows, ptrdiff_t cols1, ptrdiff_t cols2);
/// a (n, c, h, w) -> o (n, h, c, w), and -> o (n, w, h, c) in tiles.
void SwapRows(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w);
void SwapColumns(float* o, const float* a, ptrdiff_t n, ptrdiff_t c, ptrdiff_t h, ptrdiff_t w);
/// n matrices (rows, cols) transposed in tiles.
void TransposeEach(float* o, const float* a, ptrdiff_t n, ptrdiff_t rows, ptrdiff_t cols);
/// Positions in (n, c, y x) -> positions in (n, y x, c).
void ChannelsLastIndices(std::int32_t* o, const std::int32_t* a, ptrdiff_t n,
                         std::int32_t channels, std::int32_t plane);
/// o[y] = a[y][index[y]]
void Choose(float* o, const float* a, const std::int32_t* index, ptrdiff_t rows, ptrdiff_t cols);
/// o[y][index[y]] = value[y]
void FillElements(float* o, const float* value, const std::int32_t* index, ptrdiff_t rows,
                  ptrdiff_t cols);
/// o[y] = a[index[y]], rows
void TakeRows(float* o, const float* a, const std::int32_t* index, ptrdiff_t rows, ptrdiff_t cols);
/// o[index[y]] += a[y], rows
void AddRows(float* o, const float* a, const std::int32_t* index, ptrdiff_t rows, ptrdiff_t cols);

// ---- Repeated, moved, chosen ----
/// a (planes, height, width) in a frame of `pad` zeros.
void Pad(float* o, const float* a, ptrdiff_t planes, ptrdiff_t height, ptrdiff_t width,
         ptrdiff_t pad);
/// Every pixel of a (rows, width) four times.
void UpsampleNearest2(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width);
void MirrorRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width);
void RollRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t width, ptrdiff_t shift);
/// Each of `outer` rows, each of `count` elements, `times` times.
void RepeatRows(float* o, const float* a, ptrdiff_t outer, ptrdiff_t times, ptrdiff_t width);
void RepeatElements(float* o, const float* a, ptrdiff_t count, ptrdiff_t times);
/// o[y][x] = a[y][x] factor[y]
void ScaleRows(float* o, const float* a, const float* factor, ptrdiff_t rows, ptrdiff_t width);
/// o[i] = c[i] != 0 ? a[i] : b[i]
void Where(float* o, const float* c, const float* a, const float* b, ptrdiff_t n);
void Clip(float* o, const float* a, float low, float high, ptrdiff_t n);
/// o[i] = start + i step
void Range(float* o, float start, float step, ptrdiff_t n);

// ---- Along an axis, of pairs ----
/// o[n][x] = sum over i of a[n][i][x]; the first i of the largest
void SumAxis(float* o, const float* a, ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner);
void ArgMaxAxis(float* o, const float* a, ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner);
/// o[y] = sum of a[y]; o[y][x] = sum of a[y][0 .. x]
void SumEachRow(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
void CumulateRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);  // rows: 4 n
/// The same along the middle axis of three.
void CumulateAxis(float* o, const float* a, ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner);
/// Where each row is greatest, first.
void ArgMaxEachRow(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// Each channel and those beside it.
void SumThreeChannels(float* o, const float* a, ptrdiff_t images, ptrdiff_t channels,
                      ptrdiff_t plane);
/// The gradient of the largest of each channel and those beside it.
void UnpoolThreeChannels(float* o, const float* a, const float* most, const float* grad,
                         ptrdiff_t images, ptrdiff_t channels, ptrdiff_t plane);
/// Of pairs (real, imag): products, conjugates, and real^2 + imag^2.
void MultiplyComplex(float* o, const float* a, const float* b, ptrdiff_t pairs);
void Conjugate(float* o, const float* a, ptrdiff_t pairs);
/// The real parts; real numbers with an imaginary part of 0; imag + i real.
void RealParts(float* o, const float* a, ptrdiff_t pairs);
void PadImag(float* o, const float* a, ptrdiff_t pairs);
void Exchange(float* o, const float* a, ptrdiff_t pairs);
/// o = a b of square matrices; side: 4 n.
void Multiply(float* o, const float* a, const float* b, ptrdiff_t side);
void AbsSquare(float* o, const float* a, ptrdiff_t pairs);

// ---- Across rows ----
/// o[x][y] = a[y][x] in square tiles of side 16 or 64.
void Transpose16(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
void Transpose64(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// o[x] = sum_y a[y][x]
void SumRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// o[c] = sum over n and i of a[n][c][i]
void SumChannels(float* o, const float* a, ptrdiff_t n, ptrdiff_t channels, ptrdiff_t inner);
/// Of each channel of a (n, channels, inner), in one pass.
void MeanVariance(float* mean, float* variance, const float* a, ptrdiff_t n, ptrdiff_t channels,
                  ptrdiff_t inner);
void Softmax(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// o[y] = mean of row y, of so many columns.
void MeanOfRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols);
/// Rows `stride` elements apart, of which `cols` are computed.
void SigmoidRows(float* o, const float* a, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride);

}  // namespace hand
#endif  // MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
