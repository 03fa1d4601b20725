// SPDX-License-Identifier: Apache-2.0
// Elements that move, are repeated, or are named by an index.
#include <cstring>

#include "loops.h"

namespace compare {
namespace {

inline void CopyRow(float* o, const float* a, ptrdiff_t n) {
  std::memcpy(o, a, static_cast<std::size_t>(n) * sizeof(float));
}
/// Rows of `cols` floats from rows `a_pitch` apart to rows `o_pitch` apart.
void CopyRows(float* o, ptrdiff_t o_pitch, const float* a, ptrdiff_t a_pitch, ptrdiff_t rows,
              ptrdiff_t cols) {
  ForRows(rows, [=](ptrdiff_t y) {
    const float* const from = a + y * a_pitch;
    Set(o + y * o_pitch, cols, [=](ptrdiff_t x) { return from[x]; });
  });
}

/// The part of the images that the result has room for, from image n0, row y0, column x0 on.
void Crop(Job& job, long n0, long y0, long x0) {
  const long channels = job.size(1), high = job.size(2), wide = job.size(3);
  const Extents& out = job.what().out;
  float* const o = job.out();
  const float* const a = job.in(0) + (n0 * channels * high + y0) * wide + x0;
  ForRows(out[0] * channels, [=, height = out[2], width = out[3]](ptrdiff_t p) {
    for (ptrdiff_t y = 0; y < height; ++y) {
      const float* const from = a + (p * high + y) * wide;
      Set(o + (p * height + y) * width, width, [=](ptrdiff_t x) { return from[x]; });
    }
  });
}
void CropCentre(Job& job) { Crop(job, 0, 4, 4); }

void Pad(Job& job) {
  const long height = job.size(2), width = job.size(3), wide = width + 2;
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.rows(2), [=](ptrdiff_t p) {
    float* to = o + p * (height + 2) * wide;
    std::memset(to, 0, static_cast<std::size_t>(wide) * sizeof(float));
    to += wide;
    for (ptrdiff_t y = 0; y < height; ++y, to += wide) {
      const float* const from = a + (p * height + y) * width;
      to[0] = 0;
      Set(to + 1, width, [=](ptrdiff_t x) { return from[x]; });
      to[width + 1] = 0;
    }
    std::memset(to, 0, static_cast<std::size_t>(wide) * sizeof(float));
  });
}
void Upsample(Job& job) {
  const long width = job.size(3);
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.rows(3), [=](ptrdiff_t y) {
    const float* const from = a + y * width;
    float* const first = o + 4 * y * width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < width; ++x) first[2 * x] = first[2 * x + 1] = from[x];
    CopyRow(first + 2 * width, first, 2 * width);
  });
}
void Mirror(Job& job) {
  const long width = job.size(3);
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.rows(3), [=](ptrdiff_t y) {
    const float* const from = a + y * width;
    Set(o + y * width, width, [=](ptrdiff_t x) { return from[width - 1 - x]; });
  });
}
void Roll(Job& job) {
  constexpr long kShift = 5;
  const long width = job.size(3);
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.rows(3), [=](ptrdiff_t y) {
    const float *const from = a + y * width, *const end = from + width - kShift;
    Set(o + y * width, kShift, [=](ptrdiff_t x) { return end[x]; });
    Set(o + y * width + kShift, width - kShift, [=](ptrdiff_t x) { return from[x]; });
  });
}
void EverySecond(Job& job) {
  const long height = job.size(2) / 2, width = job.size(3);
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.rows(2) * height, [=](ptrdiff_t i) {
    const float* const from = a + (2 * i + 1) * width;
    Set(o + i * (width / 2), width / 2, [=](ptrdiff_t x) { return from[2 * x + 1]; });
  });
}

/// Each of `outer` rows of `width` elements, `times` times.
void RepeatRows(float* o, const float* a, ptrdiff_t outer, ptrdiff_t times, ptrdiff_t width) {
  ForRows(outer, [=](ptrdiff_t i) {
    const float* const from = a + i * width;
    for (ptrdiff_t k = i * times; k < (i + 1) * times; ++k) {
      Set(o + k * width, width, [=](ptrdiff_t x) { return from[x]; });
    }
  });
}
/// Each element of operand 0 as often as fills the result.
void RepeatElements(float* o, const float* a, ptrdiff_t count, ptrdiff_t times) {
  ForRows(count, [=](ptrdiff_t i) {
    const float value = a[i];
    Set(o + i * times, times, [=](ptrdiff_t) { return value; });
  });
}
void Repeat(Job& job) {
  RepeatElements(job.out(), job.in(0), job.count(0), job.count() / job.count(0));
}
void RepeatPlanes(Job& job) {
  RepeatRows(job.out(), job.in(0), job.size(0), job.size(1), job.size(2) * job.size(3));
}
Body MultiAxes(Job& job) {
  const auto rows = std::make_shared<Buffer>(4 * job.count(0) * job.size(3));
  return [=, &job] {
    float* const row = static_cast<float*>(rows->data());
    RepeatElements(row, job.in(0), job.count(0), job.size(3));
    RepeatRows(job.out(), row, job.size(0), job.size(1), job.size(2) * job.size(3));
  };
}

/// Each row of the result is one of each operand, where `axes` axes count the rows.
template <int axes>
void Concat(Job& job) {
  float* const o = job.out();
  const int parts = static_cast<int>(job.what().in.size());
  const long rows = job.rows(axes), all = job.count() / rows;
  ForRows(rows, [=, &job](ptrdiff_t y) {
    float* to = o + y * all;
    for (int i = 0; i < parts; ++i) {
      const long cols = job.count(i) / rows;
      CopyRow(to, job.in(i) + y * cols, cols);
      to += cols;
    }
  });
}
void Split(Job& job) {
  float *const a = job.in(0), *const b = job.in(1);
  const float* const x = job.in(2);
  const long cols = job.size(3) / 2;
  ForRows(job.rows(3), [=](ptrdiff_t y) {
    CopyRow(a + y * cols, x + 2 * y * cols, cols);
    CopyRow(b + y * cols, x + (2 * y + 1) * cols, cols);
  });
}

/// (n, c, h, w) -> (n, h, c, w)
void SwapRows(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long c = job.size(1), h = job.size(2), w = job.size(3);
  ForRows(job.size(0) * h, [=](ptrdiff_t row) {
    const float* const image = a + (row / h * c * h + row % h) * w;
    for (ptrdiff_t j = 0; j < c; ++j) {
      const float* const from = image + j * h * w;
      Set(o + (row * c + j) * w, w, [=](ptrdiff_t x) { return from[x]; });
    }
  });
}
/// o[x o_pitch + y] = a[y a_pitch + x] in tiles.
void TransposeTiles(float* o, ptrdiff_t o_pitch, const float* a, ptrdiff_t a_pitch, ptrdiff_t rows,
                    ptrdiff_t cols) {
  constexpr ptrdiff_t kSide = 16;
  for (ptrdiff_t x0 = 0; x0 < cols; x0 += kSide) {
    const ptrdiff_t x1 = x0 + kSide < cols ? x0 + kSide : cols;
    for (ptrdiff_t y0 = 0; y0 < rows; y0 += kSide) {
      const ptrdiff_t count = y0 + kSide < rows ? kSide : rows - y0;
      for (ptrdiff_t x = x0; x < x1; ++x) {
        const float* const from = a + y0 * a_pitch + x;
        Set(o + x * o_pitch + y0, count, [=](ptrdiff_t y) { return from[y * a_pitch]; });
      }
    }
  }
}
/// (n, c, h, w) -> (n, w, h, c)
void SwapColumns(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long c = job.size(1), h = job.size(2), w = job.size(3);
  ForRows(job.size(0) * h, [=](ptrdiff_t row) {
    const ptrdiff_t i = row / h, y = row % h;
    TransposeTiles(o + (i * w * h + y) * c, h * c, a + (i * c * h + y) * w, h * w, c, w);
  });
}
/// n matrices (rows, cols).
void Transpose(Job& job, long n, long rows, long cols) {
  constexpr ptrdiff_t kBand = 64;
  float* const o = job.out();
  const float* const a = job.in(0);
  const ptrdiff_t bands = (cols + kBand - 1) / kBand;
  ForRows(n * bands, [=](ptrdiff_t i) {
    const ptrdiff_t first = i / bands * rows * cols, x = i % bands * kBand;
    TransposeTiles(o + first + x * rows, rows, a + first + x, cols, rows,
                   x + kBand < cols ? kBand : cols - x);
  });
}
void TransposeMatrix(Job& job) { Transpose(job, 1, job.size(0), job.size(1)); }

/// Positions in (n, c, h, w) -> positions in (n, h, w, c).
void TransposeIndices(Job& job) {
  std::int32_t* const o = job.index_out();
  const std::int32_t* const a = job.indices(0);
  const auto channels = static_cast<std::uint32_t>(job.size(2));
  const auto plane = static_cast<std::uint32_t>(job.size(3) * job.size(4));
  ForRows(job.count(), [=](ptrdiff_t i) {
    const std::uint32_t v = static_cast<std::uint32_t>(a[i]), image = v / (plane * channels);
    const std::uint32_t rest = v - image * plane * channels, c = rest / plane;
    o[i] = static_cast<std::int32_t>((image * plane + rest - c * plane) * channels + c);
  });
}

// ---- Rows and elements that an index names ----
void Choose(Job& job) {
  const std::int32_t* const index = job.indices(1);
  for (long y = 0; y < job.size(0); ++y) job.out()[y] = job.in(0)[y * job.size(1) + index[y]];
}
void FillElements(Job& job) {
  float *const o = job.out(), *const value = job.in(2);
  const std::int32_t* const index = job.indices(1);
  const long cols = job.size(1);
  CopyRows(o, cols, job.in(0), cols, job.size(0), cols);
  for (long y = 0; y < job.size(0); ++y) o[y * cols + index[y]] = value[y];
}
void OneHot(Job& job) {
  float* const o = job.out();
  const std::int32_t* const index = job.indices(0);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) {
    std::memset(o + y * cols, 0, static_cast<std::size_t>(cols) * sizeof(float));
    o[y * cols + index[y]] = 1;
  });
}
void Take(Job& job) {
  float *const o = job.out(), *const a = job.in(1);
  const std::int32_t* const index = job.indices(0);
  const long cols = job.size(2);
  ForRows(job.size(0), [=](ptrdiff_t y) { CopyRow(o + y * cols, a + index[y] * cols, cols); });
}
void TakeGrad(Job& job) {
  const long cols = job.size(2);
  For(job.count(), [o = job.out()](ptrdiff_t i) { o[i] = 0; });
  for (long y = 0; y < job.size(0); ++y) {
    float* const to = job.out() + job.indices(0)[y] * cols;
    const float* const from = job.in(1) + y * cols;
    Set(to, cols, [=](ptrdiff_t x) { return to[x] + from[x]; });
  }
}

const Entries entries{
    {"upsample", Upsample},
    {"pad", Pad},
    {"unpad", [](Job& j) { Crop(j, 0, 1, 1); }},
    {"crop", CropCentre},
    {"mirror", Mirror},
    {"flip", Mirror},
    {"into_flip", Mirror},
    {"roll", Roll},
    {"tile", RepeatPlanes},
    {"new_axis", RepeatPlanes},
    {"keepdim", Repeat},
    {"multi_axes", MultiAxes},
    {"broadcast_to", Repeat},
    {"broadcast_scalar",
     [](Job& j) {
       For(j.count(), [o = j.out(), value = *j.in(0)](ptrdiff_t i) { o[i] = value; });
     }},
    {"repmat", [](Job& j) { RepeatRows(j.out(), j.in(0), 1, j.size(0), j.size(1)); }},
    {"slice",
     [](Job& j) {
       const long plane = j.size(2) * j.size(3), part = 32 * plane, all = j.size(1) * plane;
       CopyRows(j.out(), part, j.in(0) + 16 * plane, all, j.size(0), part);
     }},
    {"slice_columns",
     [](Job& j) {
       const long wide = j.size(3), cols = wide - 8;
       CopyRows(j.out(), cols, j.in(0) + 4, wide, j.rows(3), cols);
     }},
    {"into_slice",
     [](Job& j) {
       const long wide = j.size(3), cols = wide - 8;
       CopyRows(j.out() + 4, wide, j.in(0), cols, j.rows(3), cols);
     }},
    {"slice_box", [](Job& j) { Crop(j, j.size(0) / 4, 4, 4); }},
    {"slice_steps", EverySecond},
    {"concat", Concat<1>},
    {"concat_three", Concat<1>},
    {"concat_columns", Concat<3>},
    {"into_concat", Split},
    {"transpose", TransposeMatrix},
    {"transpose_pages", TransposeMatrix},
    {"transpose_axes", TransposeMatrix},
    {"swap_rows", SwapRows},
    {"transpose_rows", SwapRows},
    {"swap_columns", SwapColumns},
    {"nhwc", [](Job& j) { Transpose(j, j.size(0), j.size(1), j.size(2) * j.size(3)); }},
    {"nchw", [](Job& j) { Transpose(j, j.size(0), j.size(1) * j.size(2), j.size(3)); }},
    {"transpose_indices", TransposeIndices},
    {"choose", Choose},
    {"fill", FillElements},
    {"one_hot", OneHot},
    {"take", Take},
    {"take_grad", TakeGrad},
};

}  // namespace
}  // namespace compare
