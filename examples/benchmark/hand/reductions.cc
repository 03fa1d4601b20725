// SPDX-License-Identifier: Apache-2.0
// Sums, running sums, and where a largest element is.
#include <cstdlib>
#include <cstring>

#include "loops.h"

namespace compare {
namespace {

void SumRows(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long rows = job.size(0), cols = job.size(1);
  std::memset(o, 0, static_cast<std::size_t>(cols) * sizeof(float));
#pragma omp parallel
  {
    // A row of sums a thread; four rows at a time, so that the sums are loaded a quarter as often.
    float* const sum =
        static_cast<float*>(std::calloc(static_cast<std::size_t>(cols), sizeof(float)));
#pragma omp for schedule(static)
    for (ptrdiff_t y = 0; y < rows / 4; ++y) {
      const float* const r0 = a + 4 * y * cols;
      const float* const r1 = r0 + cols;
      const float* const r2 = r1 + cols;
      const float* const r3 = r2 + cols;
      Set(sum, cols, [=](ptrdiff_t x) { return sum[x] + ((r0[x] + r1[x]) + (r2[x] + r3[x])); });
    }
#pragma omp for schedule(static)
    for (ptrdiff_t y = rows / 4 * 4; y < rows; ++y) {
      for (ptrdiff_t x = 0; x < cols; ++x) sum[x] += a[y * cols + x];
    }
#pragma omp critical
    for (ptrdiff_t x = 0; x < cols; ++x) o[x] += sum[x];
    std::free(sum);
  }
}

/// The sum of each row, times `factor`.
void SumEachRow(Job& job, long rows, float factor) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.count(0) / rows;
  ForRows(rows, [=](ptrdiff_t y) {
    const float* const row = a + y * cols;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t x = 0; x < cols; ++x) sum += row[x];
    o[y] = sum * factor;
  });
}

void SumChannels(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long n = job.size(0), channels = job.size(1), inner = job.size(2) * job.size(3);
  ForRows(channels, [=](ptrdiff_t c) {
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
  });
}

float Sum(const float* a, ptrdiff_t n) {
  constexpr ptrdiff_t kBlock = 8192;
  const auto part = [](const float* from, ptrdiff_t count) {
    float sums[64] = {};  // four or more vectors
    const ptrdiff_t whole = count / 64 * 64;
    for (ptrdiff_t i = 0; i < whole; i += 64) {
#pragma omp simd
      for (ptrdiff_t j = 0; j < 64; ++j) sums[j] += from[i + j];
    }
    float sum = 0;
    for (const float each : sums) sum += each;
    for (ptrdiff_t i = whole; i < count; ++i) sum += from[i];
    return sum;
  };
  if (n < kSerial) return part(a, n);
  float sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (ptrdiff_t i = 0; i < n; i += kBlock) {
    sum += part(a + i, n - i < kBlock ? n - i : kBlock);
  }
  return sum;
}

void MeanVariance(Job& job) {
  const float* const a = job.in(0);
  const long n = job.size(0), channels = job.size(1), inner = job.size(2) * job.size(3);
  float *const mean = job.out(), *const variance = mean + channels;
  const float scale = 1.0f / static_cast<float>(n * inner);
  ForRows(channels, [=](ptrdiff_t c) {
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
  });
}

// ---- Along an axis: operand 0 is (outer, axis, inner), outer the first axes of the size ----
struct Axes {
  long outer, axis, inner;
  Axes(const Job& job, int before)
      : outer(job.rows(before)), axis(job.size(before)), inner(job.count(0) / outer / axis) {}
};

template <int before>
void SumAxis(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.rows(before), [=, all = Axes(job, before)](ptrdiff_t n) {
    float* const to = o + n * all.inner;
    Set(to, all.inner, [](ptrdiff_t) { return 0.0f; });
    for (ptrdiff_t i = 0; i < all.axis; ++i) {
      const float* const from = a + (n * all.axis + i) * all.inner;
      Set(to, all.inner, [=](ptrdiff_t x) { return to[x] + from[x]; });
    }
  });
}

void SumSquares(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.size(2);
  ForRows(job.size(0) * job.size(1), [=](ptrdiff_t y) {
    float sum = 0;
    for (ptrdiff_t x = y * cols; x < (y + 1) * cols; ++x) sum += a[x] * a[x];
    o[y] = sum;
  });
}

void ArgMaxAxis(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.size(0), [=, all = Axes(job, 1)](ptrdiff_t n) {
    constexpr ptrdiff_t kBlock = 512;
    for (ptrdiff_t x0 = 0; x0 < all.inner; x0 += kBlock) {
      const ptrdiff_t count = all.inner - x0 < kBlock ? all.inner - x0 : kBlock;
      float most[kBlock];
      int index[kBlock];
      for (ptrdiff_t i = 0; i < all.axis; ++i) {
        const float* const from = a + (n * all.axis + i) * all.inner + x0;
        const int number = static_cast<int>(i);
#pragma omp simd
        for (ptrdiff_t x = 0; x < count; ++x) {
          const bool more = number == 0 || from[x] > most[x];
          most[x] = more ? from[x] : most[x];
          index[x] = more ? number : index[x];
        }
      }
      for (ptrdiff_t x = 0; x < count; ++x)
        o[n * all.inner + x0 + x] = static_cast<float>(index[x]);
    }
  });
}
void ArgMaxEachRow(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const int cols = static_cast<int>(job.size(3));
  ForRows(job.rows(3), [=](ptrdiff_t y) {
    const float* const row = a + y * cols;
    float most = row[0];
#pragma omp simd reduction(max : most)
    for (int x = 0; x < cols; ++x) most = row[x] > most ? row[x] : most;
    int first = cols;
#pragma omp simd reduction(min : first)
    for (int x = 0; x < cols; ++x) {
      const int here = row[x] == most ? x : cols;
      first = here < first ? here : first;
    }
    o[y] = static_cast<float>(first);
  });
}

/// Four rows at a time; there are 4 n.
void CumulateRows(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.size(3);
  ForRows(job.rows(3) / 4, [=](ptrdiff_t y) {
    const float* const from = a + 4 * y * cols;
    float* const to = o + 4 * y * cols;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (ptrdiff_t x = 0; x < cols; ++x) {
      to[x] = s0 += from[x];
      to[cols + x] = s1 += from[cols + x];
      to[2 * cols + x] = s2 += from[2 * cols + x];
      to[3 * cols + x] = s3 += from[3 * cols + x];
    }
  });
}
void CumulateAxis(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  ForRows(job.size(0), [=, all = Axes(job, 1)](ptrdiff_t n) {
    const float* from = a + n * all.axis * all.inner;
    float* to = o + n * all.axis * all.inner;
    Set(to, all.inner, [=](ptrdiff_t x) { return from[x]; });
    for (ptrdiff_t i = 1; i < all.axis; ++i) {
      const float* const sum = to;
      from += all.inner;
      to += all.inner;
      Set(to, all.inner, [=](ptrdiff_t x) { return sum[x] + from[x]; });
    }
  });
}

const Entries entries{
    {"read",
     [](Job& j) {
       volatile float sum = Sum(j.in(0), j.count(0));
       static_cast<void>(sum);
     }},
    {"sum_all", [](Job& j) { *j.out() = Sum(j.in(0), j.count(0)); }},
    {"sum_rows", SumRows},
    {"sum_columns", [](Job& j) { SumEachRow(j, j.size(0), 1); }},
    {"sum_channels", SumChannels},
    {"mean_variance", MeanVariance},
    {"reduce_1", SumAxis<1>},
    {"reduce_2", SumAxis<2>},
    {"reduce_3", [](Job& j) { SumEachRow(j, j.rows(3), 1); }},
    {"avg_pool_global", [](Job& j) { SumEachRow(j, j.rows(2), 1.0f / 49); }},
    {"sum_squares", SumSquares},
    {"argmax_1", ArgMaxAxis},
    {"argmax_3", ArgMaxEachRow},
    {"cumsum_1", CumulateAxis},
    {"cumsum_3", CumulateRows},
};

}  // namespace
}  // namespace compare
