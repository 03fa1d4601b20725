// SPDX-License-Identifier: Apache-2.0
// FftPlan: the discrete Fourier transform of one length, of any number of lines side by side.
#ifndef MSHADOW_FFT_PLAN_H_
#define MSHADOW_FFT_PLAN_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../backend/cpu/device.h"
#include "../simd/isa.h"
#include "../simd/transpose_block.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::fft {

/// One of the factors of a transform: n = radix * m elements in each of `stride` subsequences.
///   y[q + stride (radix p + k)] = w^(p k) sum_j x[q + stride (p + m j)] w_radix^(j k),
/// w = exp(-2 pi i / n), p < m, k < radix. Stockham's form: the results of the last factor are in
/// order. Real and imaginary parts are apart, so that the loops are those of real numbers.
template <typename T>
struct Step {
  std::ptrdiff_t radix, m, stride;
  const T *w_real, *w_imag;  // w^(p k) at [(k - 1) m + p]
  const T *r_real, *r_imag;  // w_radix^j at [j], for a radix without a kernel of its own
};

/// The butterflies of radix 2, 3, 4 and 5: k results of k numbers, without the factors w^(p k).
template <typename T, int radix>
struct Butterfly;
template <typename T>
struct Butterfly<T, 2> {
  MSHADOW_FORCE_INLINE static void Of(const T* a, const T* b, T* c, T* d) {
    c[0] = a[0] + a[1], d[0] = b[0] + b[1];
    c[1] = a[0] - a[1], d[1] = b[0] - b[1];
  }
};
template <typename T>
struct Butterfly<T, 3> {
  MSHADOW_FORCE_INLINE static void Of(const T* a, const T* b, T* c, T* d) {
    constexpr T kSin = T(0.866025403784438646763723170752936183);  // sin(pi / 3)
    const T sum_a = a[1] + a[2], sum_b = b[1] + b[2];
    const T turned_a = kSin * (b[1] - b[2]), turned_b = kSin * (a[2] - a[1]);
    const T middle_a = a[0] - T(0.5) * sum_a, middle_b = b[0] - T(0.5) * sum_b;
    c[0] = a[0] + sum_a, d[0] = b[0] + sum_b;
    c[1] = middle_a + turned_a, d[1] = middle_b + turned_b;
    c[2] = middle_a - turned_a, d[2] = middle_b - turned_b;
  }
};
template <typename T>
struct Butterfly<T, 4> {
  MSHADOW_FORCE_INLINE static void Of(const T* a, const T* b, T* c, T* d) {
    const T even_a = a[0] + a[2], even_b = b[0] + b[2], odd_a = a[1] + a[3], odd_b = b[1] + b[3];
    const T left_a = a[0] - a[2], left_b = b[0] - b[2], right_a = b[1] - b[3],
            right_b = a[3] - a[1];
    c[0] = even_a + odd_a, d[0] = even_b + odd_b;
    c[1] = left_a + right_a, d[1] = left_b + right_b;
    c[2] = even_a - odd_a, d[2] = even_b - odd_b;
    c[3] = left_a - right_a, d[3] = left_b - right_b;
  }
};
template <typename T>
struct Butterfly<T, 5> {
  MSHADOW_FORCE_INLINE static void Of(const T* a, const T* b, T* c, T* d) {
    constexpr T kCos1 = T(0.309016994374947424102293417182819059),  // cos(2 pi / 5)
        kCos2 = T(-0.809016994374947424102293417182819059),         // cos(4 pi / 5)
        kSin1 = T(0.951056516295153572116439333379382143),          // sin(2 pi / 5)
        kSin2 = T(0.587785252292473129168705954639072769);          // sin(4 pi / 5)
    const T sum1_a = a[1] + a[4], sum1_b = b[1] + b[4], sum2_a = a[2] + a[3], sum2_b = b[2] + b[3];
    const T dif1_a = a[1] - a[4], dif1_b = b[1] - b[4], dif2_a = a[2] - a[3], dif2_b = b[2] - b[3];
    const T even1_a = a[0] + kCos1 * sum1_a + kCos2 * sum2_a;
    const T even1_b = b[0] + kCos1 * sum1_b + kCos2 * sum2_b;
    const T even2_a = a[0] + kCos2 * sum1_a + kCos1 * sum2_a;
    const T even2_b = b[0] + kCos2 * sum1_b + kCos1 * sum2_b;
    const T odd1_a = kSin1 * dif1_b + kSin2 * dif2_b, odd1_b = -kSin1 * dif1_a - kSin2 * dif2_a;
    const T odd2_a = kSin2 * dif1_b - kSin1 * dif2_b, odd2_b = kSin1 * dif2_a - kSin2 * dif1_a;
    c[0] = a[0] + sum1_a + sum2_a, d[0] = b[0] + sum1_b + sum2_b;
    c[1] = even1_a + odd1_a, d[1] = even1_b + odd1_b;
    c[2] = even2_a + odd2_a, d[2] = even2_b + odd2_b;
    c[3] = even2_a - odd2_a, d[3] = even2_b - odd2_b;
    c[4] = even1_a - odd1_a, d[4] = even1_b - odd1_b;
  }
};

/// A step of a small radix.
template <typename T, int radix>
struct SmallStep {
  /// One butterfly: numbers `from` apart, results `to` apart.
  MSHADOW_FORCE_INLINE static void One(const T* __restrict xr, const T* __restrict xi,
                                       T* __restrict yr, T* __restrict yi, std::ptrdiff_t from,
                                       std::ptrdiff_t to, const T* wr, const T* wi,
                                       std::ptrdiff_t m) {
    T a[radix], b[radix], c[radix], d[radix];
    for (int j = 0; j < radix; ++j) a[j] = xr[j * from], b[j] = xi[j * from];
    Butterfly<T, radix>::Of(a, b, c, d);
    yr[0] = c[0], yi[0] = d[0];
    for (int k = 1; k < radix; ++k) {
      const T u = wr[(k - 1) * m], v = wi[(k - 1) * m];
      yr[k * to] = c[k] * u - d[k] * v;
      yi[k * to] = c[k] * v + d[k] * u;
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Step<T>* step, const T* x_real, const T* x_imag,
                                       T* y_real, T* y_imag) {
    const std::ptrdiff_t m = step->m, s = step->stride;
    const T *const w_real = step->w_real, *const w_imag = step->w_imag;
    const T* __restrict xr = x_real, * __restrict xi = x_imag;
    T* __restrict yr = y_real, * __restrict yi = y_imag;
    // The inner loop is the longer one of neighbours: those of a subsequence, or subsequences.
    if (s >= 8 || s >= m) {
      for (std::ptrdiff_t p = 0; p < m; ++p) {
        const T *const u = w_real + p, *const v = w_imag + p;
        MSHADOW_SIMD_LOOP
        for (std::ptrdiff_t q = 0; q < s; ++q) {
          One(xr + q + s * p, xi + q + s * p, yr + q + s * radix * p, yi + q + s * radix * p, s * m,
              s, u, v, m);
        }
      }
    } else {
      for (std::ptrdiff_t q = 0; q < s; ++q) {
        MSHADOW_SIMD_LOOP
        for (std::ptrdiff_t p = 0; p < m; ++p) {
          One(xr + q + s * p, xi + q + s * p, yr + q + s * radix * p, yi + q + s * radix * p, s * m,
              s, w_real + p, w_imag + p, m);
        }
      }
    }
  }
};

/// A step of any radix: radix additions and multiplications for each number.
template <typename T>
struct AnyStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Step<T>* step, const T* xr, const T* xi, T* yr,
                                       T* yi) {
    const std::ptrdiff_t radix = step->radix, m = step->m, s = step->stride;
    for (std::ptrdiff_t p = 0; p < m; ++p) {
      for (std::ptrdiff_t k = 0; k < radix; ++k) {
        T* const __restrict c = yr + s * (radix * p + k);
        T* const __restrict d = yi + s * (radix * p + k);
        for (std::ptrdiff_t q = 0; q < s; ++q) c[q] = xr[q + s * p], d[q] = xi[q + s * p];
        std::ptrdiff_t turn = 0;
        for (std::ptrdiff_t j = 1; j < radix; ++j) {
          turn = turn + k < radix ? turn + k : turn + k - radix;
          const T u = step->r_real[turn], v = step->r_imag[turn];
          const T* const __restrict a = xr + s * (p + m * j);
          const T* const __restrict b = xi + s * (p + m * j);
          MSHADOW_SIMD_LOOP
          for (std::ptrdiff_t q = 0; q < s; ++q) {
            c[q] += a[q] * u - b[q] * v;
            d[q] += a[q] * v + b[q] * u;
          }
        }
        if (k == 0) continue;
        const T u = step->w_real[(k - 1) * m + p], v = step->w_imag[(k - 1) * m + p];
        for (std::ptrdiff_t q = 0; q < s; ++q) {
          const T real = c[q] * u - d[q] * v;
          d[q] = c[q] * v + d[q] * u;
          c[q] = real;
        }
      }
    }
  }
};

/// to = a b, of `count` numbers, each of which has `lines` in a row of a.
template <typename T>
struct ProductStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(T* a_real, T* a_imag, const T* b_real, const T* b_imag,
                                       std::ptrdiff_t count, std::ptrdiff_t lines) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const T u = b_real[i], v = b_imag[i];
      T* const __restrict a = a_real + i * lines;
      T* const __restrict b = a_imag + i * lines;
      MSHADOW_SIMD_LOOP
      for (std::ptrdiff_t q = 0; q < lines; ++q) {
        const T real = a[q] * u - b[q] * v;
        b[q] = a[q] * v + b[q] * u;
        a[q] = real;
      }
    }
  }
};

/// to[j rows + i] = from[i cols + j] w[i cols + j], of complex numbers; `from` is overwritten.
template <typename T>
struct TurnStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(T* from_real, T* from_imag, const T* w_real, const T* w_imag,
                                       T* to_real, T* to_imag, std::ptrdiff_t rows,
                                       std::ptrdiff_t cols) {
    T* const __restrict a = from_real;
    T* const __restrict b = from_imag;
    const T* const __restrict u = w_real;
    const T* const __restrict v = w_imag;
    MSHADOW_SIMD_LOOP
    for (std::ptrdiff_t i = 0; i < rows * cols; ++i) {
      const T real = a[i] * u[i] - b[i] * v[i];
      b[i] = a[i] * v[i] + b[i] * u[i];
      a[i] = real;
    }
    Transpose<Isa>(from_real, to_real, rows, cols);
    Transpose<Isa>(from_imag, to_imag, rows, cols);
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Transpose(const T* from, T* to, std::ptrdiff_t rows,
                                             std::ptrdiff_t cols) {
    constexpr std::ptrdiff_t kSide = simd::kCopySide<Isa, T>;
    const std::ptrdiff_t whole_rows = simd::kShuffles<Isa, T> ? rows / kSide * kSide : 0;
    const std::ptrdiff_t whole_cols = cols / kSide * kSide;
    for (std::ptrdiff_t i = 0; i < whole_rows; i += kSide) {
      for (std::ptrdiff_t j = 0; j < whole_cols; j += kSide) {
        simd::CopyTransposedBlock<Isa>(from + i * cols + j, cols, to + j * rows + i, rows);
      }
    }
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t j = i < whole_rows ? whole_cols : 0; j < cols; ++j) {
        to[j * rows + i] = from[i * cols + j];
      }
    }
  }
};

/// Pairs of numbers apart, and together again, times a scale.
template <typename T>
struct SplitStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const T* from, T* real, T* imag, std::ptrdiff_t count) {
    const T* const __restrict in = from;
    T* const __restrict a = real;
    T* const __restrict b = imag;
    MSHADOW_SIMD_LOOP
    for (std::ptrdiff_t i = 0; i < count; ++i) a[i] = in[2 * i], b[i] = in[2 * i + 1];
  }
};
template <typename T>
struct JoinStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const T* real, const T* imag, T* to, T scale,
                                       std::ptrdiff_t count) {
    const T* const __restrict a = real;
    const T* const __restrict b = imag;
    T* const __restrict out = to;
    MSHADOW_SIMD_LOOP
    for (std::ptrdiff_t i = 0; i < count; ++i)
      out[2 * i] = a[i] * scale, out[2 * i + 1] = b[i] * scale;
  }
};

/// cos and sin of -2 pi k / n, 0 <= k < n, to the last digit: the angle is at most pi / 4.
inline void RootOfUnity(std::int64_t k, std::int64_t n, double* real, double* imag) {
  // 8 k / n is the eighth of the circle; an odd one measures the angle from its end.
  const std::int64_t eighth = 8 * k / n;
  const std::int64_t rest = eighth % 2 == 0 ? 8 * k - eighth * n : (eighth + 1) * n - 8 * k;
  const double angle =
      0.785398163397448309615660845819875721 * static_cast<double>(rest) / static_cast<double>(n);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (eighth) {
    case 0:
      *real = c, *imag = -s;
      break;
    case 1:
      *real = s, *imag = -c;
      break;
    case 2:
      *real = -s, *imag = -c;
      break;
    case 3:
      *real = -c, *imag = -s;
      break;
    case 4:
      *real = -c, *imag = s;
      break;
    case 5:
      *real = -s, *imag = c;
      break;
    case 6:
      *real = s, *imag = c;
      break;
    default:
      *real = c, *imag = s;
      break;
  }
}

/// The transform of n numbers: X[k] = sum_i x[i] exp(-2 pi i k / n). A product of primes up to 31
/// is transformed factor by factor; of any other n it is a convolution of a longer one that is
/// (Bluestein, 1970: https://doi.org/10.1109/TAU.1970.1162132).
template <typename T>
class FftPlan {
 public:
  explicit FftPlan(std::ptrdiff_t n) : n_(n) {
    std::ptrdiff_t rest = n;
    std::vector<std::ptrdiff_t> factors;
    for (const std::ptrdiff_t radix : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}) {
      for (; rest % radix == 0 && rest > 1; rest /= radix) factors.push_back(radix);
    }
    if (rest > 1) {
      MakeChirp();
    } else {
      MakeSteps(factors);
      MakeTurn(factors);
    }
  }

  std::ptrdiff_t size() const { return n_; }
  /// Where the imaginary parts of lines side by side begin, after the real ones: five cache lines
  /// later than these end. Powers of two between all that a step reads and writes would fall into
  /// the same sets of a cache: twice the time for 1024 numbers.
  std::ptrdiff_t Imag(std::ptrdiff_t lines) const { return n_ * lines + kApart; }
  /// How many numbers `data` and `scratch` of Run hold.
  std::ptrdiff_t Data(std::ptrdiff_t lines) const { return 2 * Imag(lines); }
  std::ptrdiff_t Scratch(std::ptrdiff_t lines) const {
    return inner_ == nullptr ? Data(lines) : 2 * inner_->Data(lines);
  }

  /// Transforms `lines` lines: element i of line l is at [i lines + l] of the real parts, which are
  /// the first of `data`, and of the imaginary ones. Returns where the real parts are then; the
  /// imaginary ones are Imag(lines) after them. Both `data` and `scratch` are written. A line that
  /// is `alone` may end in other last digits than one of several: that depends on shapes, not on
  /// what a thread happens to get.
  T* Run(T* data, T* scratch, std::ptrdiff_t lines, bool alone) const {
    if (inner_ != nullptr) return RunChirp(data, scratch, lines);
    if (alone && rows_ != nullptr) return RunTurn(data, scratch);
    return RunSteps(data, scratch, lines);
  }

  /// From this length on one line is transformed at a time.
  static constexpr std::ptrdiff_t kLong = 32768;

 private:
  /// One line of so many numbers takes less time in two turns.
  static constexpr std::ptrdiff_t kLeastOfTurn = 128, kMostOfTurn = 65536;
  static constexpr std::ptrdiff_t kApart = 320 / static_cast<std::ptrdiff_t>(sizeof(T));

  struct Factor {
    std::ptrdiff_t radix, m, stride;
    std::size_t twiddles, roots;
  };

  void MakeSteps(const std::vector<std::ptrdiff_t>& factors) {
    std::ptrdiff_t n = n_, stride = 1;
    for (const std::ptrdiff_t radix : factors) {
      Factor factor{radix, n / radix, stride, real_.size(), 0};
      for (std::ptrdiff_t k = 1; k < radix; ++k) {
        for (std::ptrdiff_t p = 0; p < factor.m; ++p) Push(p * k, n);
      }
      factor.roots = real_.size();
      if (radix > 5) {
        for (std::ptrdiff_t j = 0; j < radix; ++j) Push(j, radix);
      }
      factors_.push_back(factor);
      n /= radix;
      stride *= radix;
    }
  }
  /// One line of n = n1 n2 numbers as n2 lines of n1, and then n1 of n2 (Gentleman and Sande,
  /// 1966):
  ///   X[k1 + n1 k2] = sum_j2 w_n2^(j2 k2) w_n^(j2 k1) sum_j1 w_n1^(j1 k1) x[n2 j1 + j2],
  /// so that all steps are those of lines side by side, which are vectors.
  void MakeTurn(const std::vector<std::ptrdiff_t>& factors) {
    if (n_ < kLeastOfTurn || n_ > kMostOfTurn) return;
    std::ptrdiff_t n1 = 1, n2 = 1;
    for (const std::ptrdiff_t radix : factors) (n1 <= n2 ? n1 : n2) *= radix;
    if (n1 < 8 || n2 < 8) return;
    columns_ = std::make_unique<FftPlan>(n1);
    rows_ = std::make_unique<FftPlan>(n2);
    turn_ = real_.size();
    for (std::ptrdiff_t k = 0; k < n1; ++k) {
      for (std::ptrdiff_t j = 0; j < n2; ++j) Push(j * k, n_);
    }
  }
  T* RunTurn(T* data, T* scratch) const {
    T* const from = columns_->RunSteps(data, scratch, rows_->n_);
    T* const to = from == data ? scratch : data;
    T *const from_imag = from + Imag(1), *const to_imag = to + Imag(1);
    const T *const u = real_.data() + turn_, *const v = imag_.data() + turn_;
    simd::Call<TurnStep<T>>(from, from_imag, u, v, to, to_imag, columns_->n_, rows_->n_);
    return rows_->RunSteps(to, from, columns_->n_);
  }
  void Push(std::ptrdiff_t k, std::ptrdiff_t n) {
    double real, imag;
    RootOfUnity(k % n, n, &real, &imag);
    real_.push_back(static_cast<T>(real));
    imag_.push_back(static_cast<T>(imag));
  }

  T* RunSteps(T* data, T* scratch, std::ptrdiff_t lines) const {
    const std::ptrdiff_t apart = Imag(lines);
    T *x = data, *y = scratch;
    for (const Factor& f : factors_) {
      const Step<T> step{f.radix,
                         f.m,
                         f.stride * lines,
                         real_.data() + f.twiddles,
                         imag_.data() + f.twiddles,
                         real_.data() + f.roots,
                         imag_.data() + f.roots};
      const Step<T>* const at = &step;
      const T *const xr = x, *const xi = x + apart;
      T *const yr = y, *const yi = y + apart;
      switch (f.radix) {
        case 2:
          simd::Call<SmallStep<T, 2>>(at, xr, xi, yr, yi);
          break;
        case 3:
          simd::Call<SmallStep<T, 3>>(at, xr, xi, yr, yi);
          break;
        case 4:
          simd::Call<SmallStep<T, 4>>(at, xr, xi, yr, yi);
          break;
        case 5:
          simd::Call<SmallStep<T, 5>>(at, xr, xi, yr, yi);
          break;
        default:
          simd::Call<AnyStep<T>>(at, xr, xi, yr, yi);
          break;
      }
      T* const swap = x;
      x = y;
      y = swap;
    }
    return x;
  }

  /// k i = (k^2 + i^2 - (k - i)^2) / 2 makes of the transform a convolution with a chirp.
  void MakeChirp() {
    std::ptrdiff_t least = 0;
    for (const std::ptrdiff_t odd : {1, 3, 5}) {
      std::ptrdiff_t m = odd;
      while (m < 2 * n_ - 1) m *= 2;
      if (least == 0 || m < least) least = m;
    }
    inner_ = std::make_unique<FftPlan>(least);
    for (std::int64_t i = 0; i < n_; ++i) {
      // exp(-pi i^2 / n): i^2 modulo 2 n.
      Push(static_cast<std::ptrdiff_t>(i * i % (2 * n_)), 2 * n_);
    }
    // The transform of the conjugate chirp, around 0, divided by its length.
    const std::ptrdiff_t apart = inner_->Imag(1);
    std::vector<T> chirp(static_cast<std::size_t>(inner_->Data(1))), scratch(chirp.size());
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      const T real = real_[at] / static_cast<T>(least), imag = -imag_[at] / static_cast<T>(least);
      for (const std::ptrdiff_t k : {i, (least - i) % least}) {
        chirp[static_cast<std::size_t>(k)] = real;
        chirp[static_cast<std::size_t>(apart + k)] = imag;
      }
    }
    const T* const result = inner_->RunSteps(chirp.data(), scratch.data(), 1);
    chirp_.assign(result, result + inner_->Data(1));
  }
  T* RunChirp(T* data, T* scratch, std::ptrdiff_t lines) const {
    const std::ptrdiff_t all = n_ * lines, m = inner_->n_, long_all = m * lines;
    const std::ptrdiff_t imag = Imag(lines), long_imag = inner_->Imag(lines);
    T *const x = scratch, *const y = scratch + inner_->Data(lines);
    const T *const u = real_.data(), *const v = imag_.data();
    for (int part = 0; part < 2; ++part) {
      T* const to = x + part * long_imag;
      const T* const from = data + part * imag;
      for (std::ptrdiff_t i = 0; i < all; ++i) to[i] = from[i];
      for (std::ptrdiff_t i = all; i < long_all; ++i) to[i] = 0;
    }
    simd::Call<ProductStep<T>>(x, x + long_imag, u, v, n_, lines);
    T* const z = inner_->RunSteps(x, y, lines);
    T* const other = z == x ? y : x;
    const T* const chirp = chirp_.data();
    const T* const chirp_imag = chirp + inner_->Imag(1);
    simd::Call<ProductStep<T>>(z, z + long_imag, chirp, chirp_imag, m, lines);
    // The inverse transform: real and imaginary parts change places, before and behind.
    for (std::ptrdiff_t i = 0; i < long_all; ++i) {
      const T real = z[i];
      z[i] = z[long_imag + i];
      z[long_imag + i] = real;
    }
    const T* const back = inner_->RunSteps(z, other, lines);
    for (std::ptrdiff_t i = 0; i < all; ++i) {
      data[i] = back[long_imag + i];
      data[imag + i] = back[i];
    }
    simd::Call<ProductStep<T>>(data, data + imag, u, v, n_, lines);
    return data;
  }

  std::ptrdiff_t n_;
  std::vector<Factor> factors_;
  std::vector<T> real_, imag_;               // of roots of unity: of the steps, or the chirp
  std::unique_ptr<FftPlan> inner_;           // of the convolution
  std::unique_ptr<FftPlan> columns_, rows_;  // of one line
  std::size_t turn_ = 0;                     // where the factors between them are
  std::vector<T> chirp_;
};

/// The transform of an even number n of real numbers, by one of n / 2 complex ones.
template <typename T>
class RealFftPlan {
 public:
  explicit RealFftPlan(std::ptrdiff_t n) : n_(n), half_(n / 2) {
    for (std::ptrdiff_t k = 0; k <= n / 2; ++k) {
      double real, imag;
      RootOfUnity(k, n, &real, &imag);
      real_.push_back(static_cast<T>(real));
      imag_.push_back(static_cast<T>(imag));
    }
  }
  std::ptrdiff_t size() const { return n_; }
  const FftPlan<T>& half() const { return half_; }
  /// exp(-2 pi i k / n), k <= n / 2.
  const T* w_real() const { return real_.data(); }
  const T* w_imag() const { return imag_.data(); }

 private:
  std::ptrdiff_t n_;
  FftPlan<T> half_;
  std::vector<T> real_, imag_;
};

/// The plan of length n; each thread keeps those of the last 16 lengths.
template <typename Plan>
inline std::shared_ptr<const Plan> PlanOf(std::ptrdiff_t n) {
  constexpr std::size_t kKept = 16;
  thread_local std::vector<std::shared_ptr<const Plan>> plans;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i]->size() != n) continue;
    auto plan = plans[i];
    plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(i));
    plans.push_back(plan);
    return plan;
  }
  if (plans.size() == kKept) plans.erase(plans.begin());
  plans.push_back(std::make_shared<const Plan>(n));
  return plans.back();
}

}  // namespace detail::fft
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_FFT_PLAN_H_
