// SPDX-License-Identifier: Apache-2.0
// What networks do with images.
#include <cmath>
#include <cstring>

#include "loops.h"

namespace compare {
namespace {

inline float Max(float a, float b) { return a > b ? a : b; }

/// The planes of the images, and the rows and columns of each.
struct Planes {
  long count, height, width;
  explicit Planes(const Job& job) : count(job.rows(2)), height(job.size(2)), width(job.size(3)) {}
};

/// The largest of 2x2, at two rows.
template <int step>
inline float Max2(const float* top, const float* bottom, ptrdiff_t x) {
  return Max(Max(top[step * x], top[step * x + 1]), Max(bottom[step * x], bottom[step * x + 1]));
}
template <int step>
void MaxPool2(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const Planes in(job);
  const long rows = (in.height - 2) / step + 1, cols = (in.width - 2) / step + 1;
  ForRows(in.count * rows, [=](ptrdiff_t row) {
    const float* const top = a + (row / rows * in.height + row % rows * step) * in.width;
    Set(o + row * cols, cols, [=](ptrdiff_t x) { return Max2<step>(top, top + in.width, x); });
  });
}
void MaxPool3d(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const Planes in(job);
  const long rows = in.height / 2, cols = in.width / 2;
  ForRows(in.count / 2 * rows, [=](ptrdiff_t row) {
    const float* const front = a + (row / rows * 2 * in.height + row % rows * 2) * in.width;
    const float* const back = front + in.height * in.width;
    Set(o + row * cols, cols, [=](ptrdiff_t x) {
      return Max(Max2<2>(front, front + in.width, x), Max2<2>(back, back + in.width, x));
    });
  });
}
/// Along columns, then along rows.
void MaxPool3(float* o, const float* a, const Planes& in) {
  const long rows = (in.height - 3) / 2 + 1, cols = (in.width - 3) / 2 + 1;
  ForRows(in.count, [=](ptrdiff_t p) {
    std::vector<float> columns(static_cast<std::size_t>(in.width));
    float* const most = columns.data();
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const r0 = a + (p * in.height + 2 * y) * in.width;
      const float* const r1 = r0 + in.width;
      const float* const r2 = r1 + in.width;
      Set(most, in.width, [=](ptrdiff_t x) { return Max(Max(r0[x], r1[x]), r2[x]); });
      Set(o + (p * rows + y) * cols, cols,
          [=](ptrdiff_t x) { return Max(Max(most[2 * x], most[2 * x + 1]), most[2 * x + 2]); });
    }
  });
}

/// The mean of 3x3 windows 2 apart, padded by one; even height and width.
void AvgPool3(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const Planes in(job);
  const long rows = in.height / 2, cols = in.width / 2;
  ForRows(in.count, [=](ptrdiff_t p) {
    std::vector<float> columns(static_cast<std::size_t>(in.width));
    float* const sum = columns.data();
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const middle = a + (p * in.height + 2 * y) * in.width;
      const float* const bottom = middle + in.width;
      const float* const top = y == 0 ? middle : middle - in.width;
      const float with_top = y == 0 ? 0.0f : 1.0f, part = y == 0 ? 1.0f / 6 : 1.0f / 9;
      Set(sum, in.width, [=](ptrdiff_t x) { return with_top * top[x] + middle[x] + bottom[x]; });
      float* const to = o + (p * rows + y) * cols;
      to[0] = (sum[0] + sum[1]) * (y == 0 ? 1.0f / 4 : 1.0f / 6);
      Set(to + 1, cols - 1,
          [=](ptrdiff_t x) { return (sum[2 * x + 1] + sum[2 * x + 2] + sum[2 * x + 3]) * part; });
    }
  });
}
void AvgUnpool2(Job& job) {
  float* const o = job.out();
  const float* const g = job.in(0);
  const Planes in(job);
  const long cols = in.width / 2;
  ForRows(in.count * in.height, [=](ptrdiff_t y) {
    const float* const grad = g + y / 2 * cols;
    float* const to = o + y * in.width;
    For(cols, [=](ptrdiff_t x) { to[2 * x] = to[2 * x + 1] = 0.25f * grad[x]; });
  });
}

/// `loop(o, a, most, grad)`, where `pool` leaves the maxima in the result.
Body WithMaxima(Job& job, void (*pool)(Job&),
                void (*loop)(const Job&, float*, const float*, const float*, const float*)) {
  const auto most = std::make_shared<Buffer>(4 * job.count(1));
  float *const m = static_cast<float*>(most->data()), *const o = job.out();
  job.ResultIsAt(m);
  pool(job);
  job.ResultIsAt(o);
  return [=, &job] {
    static_cast<void>(most);  // held
    loop(job, o, job.in(0), m, job.in(1));
  };
}
/// The gradient of windows of 2x2 in `planes` neighbouring planes: g where a is their maximum m.
template <int planes>
void Unpool2(const Job& job, float* o, const float* a, const float* m, const float* g) {
  const Planes in(job);
  const long cols = in.width / 2;
  ForRows(in.count * in.height, [=](ptrdiff_t y) {
    const ptrdiff_t window = (y / in.height / planes * in.height + y % in.height) / 2 * cols;
    const float *const from = a + y * in.width, *const most = m + window, *const grad = g + window;
    float* const to = o + y * in.width;
#pragma omp simd
    for (ptrdiff_t x = 0; x < cols; ++x) {
      to[2 * x] = from[2 * x] == most[x] ? grad[x] : 0.0f;
      to[2 * x + 1] = from[2 * x + 1] == most[x] ? grad[x] : 0.0f;
    }
  });
}
void Unpool3(const Job& job, float* o, const float* a, const float* m, const float* g) {
  const Planes in(job);
  const long rows = (in.height - 3) / 2 + 1, cols = (in.width - 3) / 2 + 1;
  ForRows(in.count, [=](ptrdiff_t p) {
    const ptrdiff_t plane = p * in.height * in.width;
    std::memset(o + plane, 0, static_cast<std::size_t>(in.height * in.width) * sizeof(float));
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const most = m + (p * rows + y) * cols;
      const float* const grad = g + (p * rows + y) * cols;
      for (ptrdiff_t i = 0; i < 9; ++i) {
        const ptrdiff_t first = plane + (2 * y + i / 3) * in.width + i % 3;
#pragma omp simd
        for (ptrdiff_t x = 0; x < cols; ++x) {  // every second element: no two windows meet
          o[first + 2 * x] += a[first + 2 * x] == most[x] ? grad[x] : 0.0f;
        }
      }
    }
  });
}

// ---- Each channel and those beside it ----
void SumThree(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long channels = job.size(1), plane = job.size(2) * job.size(3);
  ForRows(job.rows(2), [=](ptrdiff_t p) {
    const ptrdiff_t c = p % channels;
    const float* const here = a + p * plane;
    const float* const before = c > 0 ? here - plane : here + plane;
    const float* const after = c + 1 < channels ? here + plane : before;
    float* const to = o + p * plane;
    if (c > 0 && c + 1 < channels) {
      Set(to, plane, [=](ptrdiff_t x) { return before[x] + here[x] + after[x]; });
    } else {
      Set(to, plane, [=](ptrdiff_t x) { return here[x] + before[x]; });
    }
  });
}
void MaxThree(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long channels = job.size(1), plane = job.size(2) * job.size(3);
  ForRows(job.rows(2), [=](ptrdiff_t p) {
    const ptrdiff_t c = p % channels;
    const float* const here = a + p * plane;
    const float* const before = c > 0 ? here - plane : here;
    const float* const after = c + 1 < channels ? here + plane : here;
    Set(o + p * plane, plane, [=](ptrdiff_t x) { return Max(Max(before[x], here[x]), after[x]); });
  });
}
void UnpoolThree(const Job& job, float* o, const float* a, const float* m, const float* g) {
  const long channels = job.size(1), plane = job.size(2) * job.size(3);
  ForRows(job.rows(2), [=](ptrdiff_t p) {
    const ptrdiff_t c = p % channels, first = c > 0 ? -1 : 0, last = c + 1 < channels ? 1 : 0;
    const float* const from = a + p * plane;
    float* const to = o + p * plane;
    for (ptrdiff_t k = first; k <= last; ++k) {
      const float *const most = m + (p + k) * plane, *const grad = g + (p + k) * plane;
      Set(to, plane, [=](ptrdiff_t x) {
        return (k == first ? 0.0f : to[x]) + (from[x] == most[x] ? grad[x] : 0.0f);
      });
    }
  });
}

// ---- Patches of 3x3 ----
void Im2Col(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long n = job.size(0), c = job.size(1), h = job.size(2), w = job.size(3);
  ForRows(c * 9, [=](ptrdiff_t row) {
    const ptrdiff_t channel = row / 9, i = row / 3 % 3, j = row % 3;
    for (ptrdiff_t image = 0; image < n; ++image) {
      for (ptrdiff_t y = 0; y < h - 2; ++y) {
        const float* const from = a + ((image * c + channel) * h + y + i) * w + j;
        float* const to = o + ((row * n + image) * (h - 2) + y) * (w - 2);
        Set(to, w - 2, [=](ptrdiff_t x) { return from[x]; });
      }
    }
  });
}
void Col2Im(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long n = job.size(0), c = job.size(1), h = job.size(2), w = job.size(3);
  ForRows(n * c, [=](ptrdiff_t p) {
    float* const plane = o + p * h * w;
    std::memset(plane, 0, static_cast<std::size_t>(h * w) * sizeof(float));
    for (ptrdiff_t k = 0; k < 9; ++k) {
      const float* const part = a + ((p % c * 9 + k) * n + p / c) * (h - 2) * (w - 2);
      for (ptrdiff_t y = 0; y < h - 2; ++y) {
        float* const to = plane + (y + k / 3) * w + k % 3;
        const float* const from = part + y * (w - 2);
        Set(to, w - 2, [=](ptrdiff_t x) { return to[x] + from[x]; });
      }
    }
  });
}

// ---- Images of another size: pixel centres on the half-pixel grid, the edge repeated outside ----
/// A pixel of the result is a sum of `taps` of the source.
template <int taps>
struct Taps {
  int at[taps];
  float weight[taps];
  Taps(ptrdiff_t i, ptrdiff_t size, ptrdiff_t out) {
    const float step = static_cast<float>(size) / static_cast<float>(out);
    const float from = (step - 1) / 2 + static_cast<float>(i) * step;
    const float base = std::floor(from), t = from - base, s = 1 - t, a = -0.75f;
    for (int k = 0; k < taps; ++k) {
      const int c = static_cast<int>(base) + 1 - taps / 2 + k, last = static_cast<int>(size) - 1;
      at[k] = c < 0 ? 0 : c > last ? last : c;
    }
    if constexpr (taps == 2) {
      weight[0] = s;
      weight[1] = t;
    } else {
      weight[0] = a * t * s * s;
      weight[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
      weight[2] = ((a + 2) * s - (a + 3)) * s * s + 1;
      weight[3] = a * s * t * t;
    }
  }
};
/// Rows, then columns.
template <int taps>
void Resize(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const Planes in(job);
  const long height = job.what().out[2], width = job.what().out[3];
  std::vector<int> places;
  std::vector<float> weights;
  for (int k = 0; k < taps; ++k) {
    for (ptrdiff_t x = 0; x < width; ++x) {
      const Taps<taps> column(x, in.width, width);
      places.push_back(column.at[k]);
      weights.push_back(column.weight[k]);
    }
  }
  ForRows(in.count, [=, at = places.data(), weight = weights.data()](ptrdiff_t p) {
    std::vector<float> blended(static_cast<std::size_t>(in.width));
    float* const blend = blended.data();
    for (ptrdiff_t y = 0; y < height; ++y) {
      const Taps<taps> row(y, in.height, height);
      const float* from[taps];
      for (int k = 0; k < taps; ++k) from[k] = a + (p * in.height + row.at[k]) * in.width;
      Set(blend, in.width, [&](ptrdiff_t x) {
        float sum = row.weight[0] * from[0][x];
        for (int k = 1; k < taps; ++k) sum += row.weight[k] * from[k][x];
        return sum;
      });
      Set(o + (p * height + y) * width, width, [=](ptrdiff_t x) {
        float sum = weight[x] * blend[at[x]];
        for (int k = 1; k < taps; ++k) sum += weight[k * width + x] * blend[at[k * width + x]];
        return sum;
      });
    }
  });
}

const Entries entries{
    {"max_pool2", MaxPool2<2>},
    {"max_pool2_by_1", MaxPool2<1>},
    {"max_pool3", [](Job& j) { MaxPool3(j.out(), j.in(0), Planes(j)); }},
    {"pool3d", MaxPool3d},
    {"avg_pool", AvgPool3},
    {"avg_unpool", AvgUnpool2},
    {"unpool2", [](Job& j) { return WithMaxima(j, MaxPool2<2>, Unpool2<1>); }},
    {"unpool3d", [](Job& j) { return WithMaxima(j, MaxPool3d, Unpool2<2>); }},
    {"unpool3",
     [](Job& j) {
       return WithMaxima(
           j, [](Job& k) { MaxPool3(k.out(), k.in(0), Planes(k)); }, Unpool3);
     }},
    {"chpool", SumThree},
    {"ch_unpool", [](Job& j) { return WithMaxima(j, MaxThree, UnpoolThree); }},
    {"im2col", Im2Col},
    {"col2im", Col2Im},
    {"resize", Resize<2>},
    {"resize_cubic", Resize<4>},
};

}  // namespace
}  // namespace compare
