// SPDX-License-Identifier: Apache-2.0
// Formulas that hold reductions and products. Compiled with -ffast-math, as math.cc is.
#include <math.h>

#include <algorithm>

#if COMPARE_CBLAS
#include <cblas.h>
#endif

#include "loops.h"

namespace compare {
namespace {

struct Moments {
  float mean, variance;
};
/// The moments of n numbers whose sum is `sum` and whose squares sum to `square`, less `shift`.
inline Moments MomentsOf(float sum, float square, float shift, long n) {
  const float offset = sum / static_cast<float>(n);
  return {shift + offset, square / static_cast<float>(n) - offset * offset};
}
inline Moments MomentsOf(const float* a, long n) {
  const float shift = a[0];
  float sum = 0, square = 0;
#pragma omp simd reduction(+ : sum, square)
  for (ptrdiff_t x = 0; x < n; ++x) {
    const float d = a[x] - shift;
    sum += d;
    square += d * d;
  }
  return MomentsOf(sum, square, shift, n);
}
inline float MaxOf(const float* a, long n) {
  float most = a[0];
#pragma omp simd reduction(max : most)
  for (ptrdiff_t x = 0; x < n; ++x) most = a[x] > most ? a[x] : most;
  return most;
}
inline void SoftmaxRow(float* o, const float* a, long n, float factor) {
  const float most = MaxOf(a, n);
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (ptrdiff_t x = 0; x < n; ++x) {
    o[x] = expf((a[x] - most) * factor);
    sum += o[x];
  }
  const float scale = 1 / sum;
  Set(o, n, [=](ptrdiff_t x) { return o[x] * scale; });
}

/// o[y] = f(row y, columns)
template <typename F>
void EachRow(Job& job, F f) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) { o[y] = f(a + y * cols, cols); });
}
void MeanAndVar(Job& job) {
  float* const mean = job.out();
  float* const variance = mean + job.size(0);
  const float* const a = job.in(0);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) {
    const Moments moments = MomentsOf(a + y * cols, cols);
    mean[y] = moments.mean;
    variance[y] = moments.variance;
  });
}
void LogSumExp(Job& job) {
  EachRow(job, [](const float* row, long cols) {
    const float most = MaxOf(row, cols);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t x = 0; x < cols; ++x) sum += expf(row[x] - most);
    return most + logf(sum);
  });
}
void ArgMax(Job& job) {
  EachRow(job, [](const float* row, long cols) {
    const float most = MaxOf(row, cols);
    int first = static_cast<int>(cols);
#pragma omp simd reduction(min : first)
    for (int x = 0; x < static_cast<int>(cols); ++x) {
      const int here = row[x] == most ? x : static_cast<int>(cols);
      first = here < first ? here : first;
    }
    return static_cast<float>(first);
  });
}
void Softmax(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) { SoftmaxRow(o + y * cols, a + y * cols, cols, 1); });
}
void LayerNorm(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const gamma = job.in(1), *const beta = job.in(2);
  const long cols = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) {
    const float* const row = a + y * cols;
    const Moments m = MomentsOf(row, cols);
    const float scale = 1 / sqrtf(m.variance + kEpsilon);
    Set(o + y * cols, cols,
        [=](ptrdiff_t x) { return gamma[x] * ((row[x] - m.mean) * scale) + beta[x]; });
  });
}

/// f(first column, columns) for blocks of columns.
constexpr ptrdiff_t kColumns = 256;
template <typename F>
void InColumns(long cols, F f) {
  ForRows((cols + kColumns - 1) / kColumns, [=](ptrdiff_t block) {
    f(block * kColumns, std::min<ptrdiff_t>(kColumns, cols - block * kColumns));
  });
}
void SumRows(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const long rows = job.size(0), cols = job.size(1);
  InColumns(cols, [=](ptrdiff_t first, ptrdiff_t count) {
    float sum[kColumns] = {};
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const row = a + y * cols + first;
#pragma omp simd
      for (ptrdiff_t x = 0; x < count; ++x) sum[x] += row[x];
    }
    std::copy_n(sum, count, o + first);
  });
}
void BatchNorm(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const gamma = job.in(1), *const beta = job.in(2);
  const long rows = job.size(0), cols = job.size(1);
  InColumns(cols, [=](ptrdiff_t first, ptrdiff_t count) {
    float sum[kColumns] = {}, square[kColumns] = {};
    for (ptrdiff_t y = 1; y < rows; ++y) {
      const float* const row = a + y * cols + first;
#pragma omp simd
      for (ptrdiff_t x = 0; x < count; ++x) {
        const float d = row[x] - a[first + x];
        sum[x] += d;
        square[x] += d * d;
      }
    }
    float scale[kColumns], shift[kColumns];
    for (ptrdiff_t x = 0; x < count; ++x) {
      const Moments m = MomentsOf(sum[x], square[x], a[first + x], rows);
      scale[x] = gamma[first + x] / sqrtf(m.variance + kEpsilon);
      shift[x] = beta[first + x] - m.mean * scale[x];
    }
    for (ptrdiff_t y = 0; y < rows; ++y) {
      const float* const row = a + y * cols + first;
      float* const to = o + y * cols + first;
#pragma omp simd
      for (ptrdiff_t x = 0; x < count; ++x) to[x] = row[x] * scale[x] + shift[x];
    }
  });
}
void BatchNormImages(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const gamma = job.in(1), *const beta = job.in(2);
  const long n = job.size(0), channels = job.size(1), inner = job.size(2) * job.size(3);
  ForRows(channels, [=](ptrdiff_t c) {
    const float shift = a[c * inner];
    float sum = 0, square = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
      const float* const plane = a + (i * channels + c) * inner;
#pragma omp simd reduction(+ : sum, square)
      for (ptrdiff_t x = 0; x < inner; ++x) {
        const float d = plane[x] - shift;
        sum += d;
        square += d * d;
      }
    }
    const Moments m = MomentsOf(sum, square, shift, n * inner);
    const float scale = gamma[c] / sqrtf(m.variance + kEpsilon), add = beta[c] - m.mean * scale;
    for (ptrdiff_t i = 0; i < n; ++i) {
      const float* const plane = a + (i * channels + c) * inner;
      Set(o + (i * channels + c) * inner, inner,
          [=](ptrdiff_t x) { return plane[x] * scale + add; });
    }
  });
}

const Entries entries{
    {"sum_0", SumRows},
    {"sum_1",
     [](Job& j) {
       EachRow(j, [](const float* row, long cols) {
         float sum = 0;
#pragma omp simd reduction(+ : sum)
         for (ptrdiff_t x = 0; x < cols; ++x) sum += row[x];
         return sum;
       });
     }},
    {"var_1",
     [](Job& j) {
       EachRow(j, [](const float* row, long cols) { return MomentsOf(row, cols).variance; });
     }},
    {"mean_and_var", MeanAndVar},
    {"logsumexp", LogSumExp},
    {"argmax_rows", ArgMax},
    {"softmax_formula", Softmax},
    {"layer_norm", LayerNorm},
    {"batch_norm", BatchNorm},
    {"batch_norm_images", BatchNormImages},
};

#if COMPARE_CBLAS
/// c (rows, cols) = a b + beta c, or a b' + beta c.
void Multiply(const float* a, const float* b, float* c, long rows, long inner, long cols,
              bool transposed, float alpha, float beta) {
  const int m = static_cast<int>(rows), k = static_cast<int>(inner), n = static_cast<int>(cols);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, m, n, k, alpha,
              a, k, b, transposed ? k : n, beta, c, n);
}
Body Dense(Job& job) {
  return [&job] {
    const long rows = job.size(0), cols = job.size(2);
    float* const o = job.out();
    const float* const b = job.in(2);
    Multiply(job.in(0), job.in(1), o, rows, job.size(1), cols, false, 1, 0);
    ForRows(rows, [=](ptrdiff_t y) {
      float* const row = o + y * cols;
      Set(row, cols, [=](ptrdiff_t x) {
        const float sum = row[x] + b[x];
        return sum > 0 ? sum : 0;
      });
    });
  };
}
Body Attention(Job& job) {
  const long n = job.size(0), keys = job.size(1), d = job.size(2);
  return [&job, n, keys, d, memory = std::make_shared<Buffer>(4 * n * keys)] {
    float* const weight = static_cast<float*>(memory->data());
    Multiply(job.in(0), job.in(1), weight, n, d, keys, true, 1, 0);
    const float scale = 1 / sqrtf(static_cast<float>(d));
    ForRows(n, [=](ptrdiff_t y) { SoftmaxRow(weight + y * keys, weight + y * keys, keys, scale); });
    Multiply(weight, job.in(2), job.out(), n, keys, d, false, 1, 0);
  };
}
/// Sums of squares go into the result before the product does.
Body Distances(Job& job) {
  const long n = job.size(0), centres = job.size(1), d = job.size(2);
  return [&job, n, centres, d, memory = std::make_shared<Buffer>(4 * centres)] {
    float* const o = job.out();
    float* const c2 = static_cast<float*>(memory->data());
    const auto squares = [d](const float* row) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (ptrdiff_t x = 0; x < d; ++x) sum += row[x] * row[x];
      return sum;
    };
    const float *const a = job.in(0), *const c = job.in(1);
    for (ptrdiff_t i = 0; i < centres; ++i) c2[i] = squares(c + i * d);
    ForRows(n, [=](ptrdiff_t y) {
      const float a2 = squares(a + y * d);
      Set(o + y * centres, centres, [=](ptrdiff_t x) { return a2 + c2[x]; });
    });
    Multiply(a, c, o, n, d, centres, true, -2, 1);
  };
}
const Entries products{{"dense", Dense}, {"attention", Attention}, {"distances", Distances}};
#endif

}  // namespace
}  // namespace compare
