// SPDX-License-Identifier: Apache-2.0
// Element by element, and what memory can do.
#ifdef __F16C__
#include <immintrin.h>
#endif

#include <cstring>
#include <random>

#include "loops.h"

namespace compare {

std::string Description() { return COMPARE_FLAGS; }
void UseThreads(int) {}

namespace {

Body Sgd(Job& job) {
  return [w = job.out(), g = job.in(1), n = job.count(0)] {
    For(n, [=](ptrdiff_t i) { w[i] = -kEta * (g[i] + kLambda * w[i]); });
  };
}
Body Momentum(Job& job) {
  return [w = job.out(), v = job.in(1), g = job.in(2), n = job.count(0)] {
    For(n, [=](ptrdiff_t i) {
      const float step = kMomentum * v[i] - kEta * (g[i] + kLambda * w[i]);
      v[i] = step;
      w[i] += step;
    });
  };
}

/// o = f(first, last, middle operand)
template <typename F>
void Map(Job& job, F f) {
  const int last = static_cast<int>(job.what().in.size()) - 1;
  float* const o = job.out();
  const float *const a = job.in(0), *const b = job.in(last), *const m = job.in(last / 2);
  For(job.count(), [=](ptrdiff_t i) { o[i] = f(a[i], b[i], m[i]); });
}

/// Some columns of each row, from `first` on, without the first and last `skip` rows.
void SgdRows(Job& job, long first, long skip) {
  const long cols = job.size(1), pitch = job.size(2), from = skip * pitch + first;
  float* const w = job.out() + from;
  const float* const g = job.in(1) + from;
  ForRows(job.size(0) - 2 * skip, [=](ptrdiff_t y) {
    float* const to = w + y * pitch;
    const float* const by = g + y * pitch;
    Set(to, cols, [=](ptrdiff_t x) { return -kEta * (by[x] + kLambda * to[x]); });
  });
}

/// o[i][c][j] = a[i][c][j] + v[c], where (i, c) are the first `axes` axes.
template <int axes>
void AddChannels(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const v = job.in(1);
  const long rows = job.rows(axes), channels = job.count(1), inner = job.count() / rows;
  ForRows(rows, [=](ptrdiff_t row) {
    const float add = v[row % channels];
    const float* const from = a + row * inner;
    Set(o + row * inner, inner, [=](ptrdiff_t x) { return from[x] + add; });
  });
}
void AddRow(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const v = job.in(1);
  const long cols = job.count(1), rows = job.count() / cols;
  if (cols == 3) {
    constexpr ptrdiff_t kBlock = 48;  // three whole vectors of any size to 64 bytes
    struct {
      float of[kBlock];
    } add;
    for (ptrdiff_t i = 0; i < kBlock; ++i) add.of[i] = v[i % 3];
    ForRows(rows * 3 / kBlock, [=](ptrdiff_t y) {
      const float* const from = a + y * kBlock;
      Set(o + y * kBlock, kBlock, [=, &add](ptrdiff_t x) { return from[x] + add.of[x]; });
    });
    for (ptrdiff_t i = rows * 3 / kBlock * kBlock; i < rows * 3; ++i) o[i] = a[i] + v[i % 3];
    return;
  }
  ForRows(rows, [=](ptrdiff_t y) {
    const float* const from = a + y * cols;
    Set(o + y * cols, cols, [=](ptrdiff_t x) { return from[x] + v[x]; });
  });
}
void ScaleRows(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(0), *const factor = job.in(1);
  const long width = job.size(1);
  ForRows(job.size(0), [=](ptrdiff_t y) {
    const float scale = factor[y];
    const float* const from = a + y * width;
    Set(o + y * width, width, [=](ptrdiff_t x) { return from[x] * scale; });
  });
}

/// One loop over rows and padding, which keeps its values. The pitch is a power of two.
void ClipRows(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  const ptrdiff_t cols = job.size(1), mask = job.size(2) - 1;
  For(job.count(), [=](ptrdiff_t i) {
    const float raised = a[i] < 0.25f ? 0.25f : a[i];
    o[i] = (i & mask) < cols ? (raised > 0.75f ? 0.75f : raised) : o[i];
  });
}

void Range(Job& job) {
  float* const o = job.out();
  For(job.count(), [=](ptrdiff_t i) { o[i] = 3 + static_cast<float>(static_cast<int>(i)) * 0.5f; });
}

/// The generators of <random>, one after another on one thread.
template <typename Distribution>
void Draw(Job& job) {
  static std::mt19937 engine(1);
  Distribution distribution;
  float* const o = job.out();
  for (long i = 0; i < job.count(); ++i) o[i] = distribution(engine);
}

// ---- Half precision ----
#ifdef __F16C__
__m256 Load(const std::uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
__m128i Rounded(__m256 a) { return _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT); }
void Store(std::uint16_t* p, __m256 a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), Rounded(a));
}

Body ToHalf(Job& job) {
  return [o = job.half_out(), a = job.in(0), n = job.count()] {
    ForParts(n, [=](ptrdiff_t i, ptrdiff_t count) {
      const ptrdiff_t end = i + count;
      for (; i + 8 <= end; i += 8) Store(o + i, _mm256_loadu_ps(a + i));
      for (; i < end; ++i) o[i] = _cvtss_sh(a[i], _MM_FROUND_TO_NEAREST_INT);
    });
  };
}
Body FromHalf(Job& job) {
  return [o = job.out(), a = job.halves(0), n = job.count()] {
    ForParts(n, [=](ptrdiff_t i, ptrdiff_t count) {
      const ptrdiff_t end = i + count;
      for (; i + 8 <= end; i += 8) _mm256_storeu_ps(o + i, Load(a + i));
      for (; i < end; ++i) o[i] = _cvtsh_ss(a[i]);
    });
  };
}
/// Rounded after each operation.
void HalfMulAdd(Job& job) {
  std::uint16_t* const o = job.half_out();
  const std::uint16_t *const h = job.halves(0), *const k = job.halves(1);
  ForParts(job.count(), [=](ptrdiff_t i, ptrdiff_t count) {
    const ptrdiff_t end = i + count;
    for (; i + 8 <= end; i += 8) {
      const __m256 product = _mm256_cvtph_ps(Rounded(_mm256_mul_ps(Load(h + i), Load(k + i))));
      Store(o + i, _mm256_add_ps(product, Load(k + i)));
    }
    for (; i < end; ++i) {
      const float by = _cvtsh_ss(k[i]);
      const float product = _cvtsh_ss(_cvtss_sh(_cvtsh_ss(h[i]) * by, _MM_FROUND_TO_NEAREST_INT));
      o[i] = _cvtss_sh(product + by, _MM_FROUND_TO_NEAREST_INT);
    }
  });
}
const Entries half_entries{
    {"to_half", ToHalf}, {"from_half", FromHalf}, {"half_mul_add", HalfMulAdd}};
#endif

inline float FromBfloat(std::uint32_t bits) {
  bits <<= 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline std::uint16_t ToBfloat(float value) {  // to the nearest, of two the even one
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
void BfloatMulAdd(Job& job) {
  std::uint16_t* const o = job.half_out();
  const std::uint16_t *const h = job.halves(0), *const k = job.halves(1);
  For(job.count(), [=](ptrdiff_t i) {
    const float by = FromBfloat(k[i]);
    o[i] = ToBfloat(FromBfloat(ToBfloat(FromBfloat(h[i]) * by)) + by);
  });
}

// ---- Pairs (real, imag) ----
template <typename F>
void Pairs(Job& job, F f) {
  float* const o = job.out();
  const float* const a = job.in(0);
  For(job.count(0) / 2, [=](ptrdiff_t p) { f(o, p, a[2 * p], a[2 * p + 1]); });
}
void MultiplyPairs(Job& job) {
  const float* const b = job.in(1);
  Pairs(job, [=](float* o, ptrdiff_t p, float real, float imag) {
    const float b_real = b[2 * p], b_imag = b[2 * p + 1];
    o[2 * p] = real * b_real - imag * b_imag;
    o[2 * p + 1] = real * b_imag + imag * b_real;
  });
}
void PadImag(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(0);
  For(job.count(0), [=](ptrdiff_t p) {
    o[2 * p] = a[p];
    o[2 * p + 1] = 0;
  });
}

// ---- Memory ----
void CopyAll(Job& job) {
  float* const o = job.out();
  const float* const a = job.in(static_cast<int>(job.what().in.size()) - 1);
  ForParts(job.count(), [=](ptrdiff_t i, ptrdiff_t count) {
    std::memcpy(o + i, a + i, static_cast<std::size_t>(count) * sizeof(float));
  });
}
void Triad(Job& job) {
  float* const o = job.out();
  const float *const a = job.in(1), *const b = job.in(2);
  For(job.count(), [=](ptrdiff_t i) { o[i] = a[i] + 0.5f * b[i]; });
}

const Entries entries{
    {"copy", CopyAll},
    {"triad", Triad},
    {"write", [](Job& j) { For(j.count(), [o = j.out()](ptrdiff_t i) { o[i] = 1; }); }},
    {"sgd", Sgd},
    {"sgd_matrix", Sgd},
    {"momentum", Momentum},
    {"scale", [](Job& j) { Map(j, [](float a, float, float) { return 2.0f * a + 1.0f; }); }},
    {"scale_pages", [](Job& j) { Map(j, [](float a, float, float) { return 2.0f * a + 1.0f; }); }},
    {"clip",
     [](Job& j) {
       Map(j, [](float a, float, float) {
         const float raised = a < 0.25f ? 0.25f : a;
         return raised > 0.75f ? 0.75f : raised;
       });
     }},
    {"where", [](Job& j) { Map(j, [](float c, float b, float a) { return c != 0 ? a : b; }); }},
    {"where_scaled",
     [](Job& j) {
       Map(j, [](float c, float a, float) {
         const float scaled = 0.1f * a;
         return c != 0 ? a : scaled;
       });
     }},
    {"user_huber",
     [](Job& j) {
       Map(j, [](float a, float, float) {
         const float size = a < 0 ? -a : a, near = 0.5f * a * a, far = 2.0f * (size - 1.0f);
         return size <= 2.0f ? near : far;
       });
     }},
    {"range", Range},
    {"bfloat_mul_add", BfloatMulAdd},
    {"uniform", Draw<std::uniform_real_distribution<float>>},
    {"gaussian", Draw<std::normal_distribution<float>>},
    {"bias0", AddChannels<1>},
    {"bias1", AddChannels<2>},
    {"bias3", AddRow},
    {"bias_last", AddRow},
    {"mask", ScaleRows},
    {"sgd_padded", [](Job& j) { SgdRows(j, 0, 0); }},
    {"sgd_rows", [](Job& j) { SgdRows(j, 0, 1); }},
    {"sgd_columns", [](Job& j) { SgdRows(j, 3, 0); }},
    {"clip_rows", ClipRows},
    {"column",
     [](Job& j) {
       const long cols = j.size(2);
       For(j.size(0), [=, o = j.out() + 1, a = j.in(0) + 1](ptrdiff_t y) {
         o[y * cols] = 2.0f * a[y * cols] + 1.0f;
       });
     }},
    {"reshape", CopyAll},
    {"complex_mul", MultiplyPairs},
    {"complex_conj",
     [](Job& j) {
       Pairs(j, [](float* o, ptrdiff_t p, float real, float imag) {
         o[2 * p] = real;
         o[2 * p + 1] = -imag;
       });
     }},
    {"complex_exchange",
     [](Job& j) {
       Pairs(j, [](float* o, ptrdiff_t p, float real, float imag) {
         o[2 * p] = imag;
         o[2 * p + 1] = real;
       });
     }},
    {"complex_toreal",
     [](Job& j) { Pairs(j, [](float* o, ptrdiff_t p, float real, float) { o[p] = real; }); }},
    {"complex_abs_square",
     [](Job& j) {
       Pairs(j, [](float* o, ptrdiff_t p, float real, float imag) {
         o[p] = real * real + imag * imag;
       });
     }},
    {"complex_pad_imag", PadImag},
};

}  // namespace
}  // namespace compare
