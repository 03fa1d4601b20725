// SPDX-License-Identifier: Apache-2.0
// Transforms of the lines of contiguous memory along one axis.
#ifndef MSHADOW_FFT_LINES_H_
#define MSHADOW_FFT_LINES_H_

#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "../backend/cpu/threads.h"
#include "../tensor.h"
#include "fftw_lines.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN

/// By what a transform of n numbers is divided, forth and back: 1 and n, sqrt(n) and sqrt(n), or n
/// and 1.
enum class FftNorm { kBackward, kOrtho, kForward };

namespace detail::fft {

inline namespace MSHADOW_FFT_NAMESPACE {

/// f(data, scratch, first, lines, alone) for all `count` lines, those of one call side by side in
/// `data`: plan.Data(lines) numbers.
template <typename T, typename F>
inline void ForLines(const FftPlan<T>& plan, std::ptrdiff_t count, const F& f) {
  // As many as a second-level cache holds; one is faster than a few.
  const std::ptrdiff_t n = plan.size(), most = (FftPlan<T>::kLong - 1) / n;
  const std::ptrdiff_t side = most > 16 ? 16 : most < 8 ? 1 : most;
  const bool alone = side == 1 || count == 1;
  ParallelRanges(count, side > 16384 / n + 1 ? side : 16384 / n + 1,
                 [&](std::ptrdiff_t first, std::ptrdiff_t end) {
                   Temporary<cpu, 1, T> memory(
                       Shape1(static_cast<index_t>(plan.Data(side) + plan.Scratch(side))), nullptr);
                   T* const data = memory.tensor().dptr_;
                   for (; first < end; first += side) {
                     f(data, data + plan.Data(side), first, end - first < side ? end - first : side,
                       alone);
                   }
                 });
}

/// f(line, i), i < count, eight of a line in turn: a cache line of each of the lines is used up, or
/// of eight numbers side by side.
template <typename F>
inline void ForNumbersOf(std::ptrdiff_t lines, std::ptrdiff_t count, const F& f) {
  for (std::ptrdiff_t first = 0; first < count; first += 8) {
    const std::ptrdiff_t end = first + 8 < count ? first + 8 : count;
    for (std::ptrdiff_t l = 0; l < lines; ++l) {
      for (std::ptrdiff_t i = first; i < end; ++i) f(l, i);
    }
  }
}
/// Where the lines of one call begin: at most 16.
template <typename P>
struct LineStarts {
  P* at[16];
  LineStarts(P* data, const Lines& all, std::ptrdiff_t first, std::ptrdiff_t lines) {
    for (std::ptrdiff_t l = 0; l < lines; ++l) at[l] = data + all.At(first + l);
  }
};

/// Transforms the first n numbers of each line of `in` into the lines of `out`; where `out` is
/// real, the first n / 2 + 1: the others are their conjugates. The inverse transform exchanges real
/// and imaginary parts before and after.
template <typename T, typename In, typename Out>
inline void TransformLines(const In* in, const Lines& from, Out* out, const Lines& to,
                           std::ptrdiff_t n, bool inverse, T scale) {
  const auto plan = PlanOf<FftPlan<T>>(n);
  ForLines(*plan, from.count,
           [&](T* data, T* scratch, std::ptrdiff_t first, std::ptrdiff_t lines, bool alone) {
             const std::ptrdiff_t apart = plan->Imag(lines);
             T* const real = inverse ? data + apart : data;
             T* const imag = inverse ? data : data + apart;
             const std::ptrdiff_t given = std::is_floating_point_v<Out> ? n / 2 + 1 : n;
             const LineStarts<const In> from_lines(in, from, first, lines);
             if (std::is_same_v<In, std::complex<T>> && lines == 1 && from.step == 1) {
               const T* const pairs = reinterpret_cast<const T*>(from_lines.at[0]);
               simd::Call<SplitStep<T>>(pairs, real, imag, given);
             } else {
               ForNumbersOf(lines, given, [&](std::ptrdiff_t l, std::ptrdiff_t i) {
                 const In value = from_lines.at[l][i * from.step];
                 real[i * lines + l] = RealPart(value);
                 imag[i * lines + l] = ImagPart(value);
               });
             }
             if constexpr (std::is_floating_point_v<Out>) {
               for (std::ptrdiff_t l = 0; l < lines; ++l) imag[l] = 0;
               for (std::ptrdiff_t i = given; i < n; ++i) {
                 for (std::ptrdiff_t l = 0; l < lines; ++l) {
                   real[i * lines + l] = real[(n - i) * lines + l];
                   imag[i * lines + l] = -imag[(n - i) * lines + l];
                 }
               }
             }
             const T* const done = plan->Run(data, scratch, lines, alone);
             const T* const done_real = inverse ? done + apart : done;
             const T* const done_imag = inverse ? done : done + apart;
             const LineStarts<Out> to_lines(out, to, first, lines);
             if (std::is_same_v<Out, std::complex<T>> && lines == 1 && to.step == 1) {
               T* const pairs = reinterpret_cast<T*>(to_lines.at[0]);
               simd::Call<JoinStep<T>>(done_real, done_imag, pairs, scale, to.n);
             } else {
               ForNumbersOf(lines, to.n, [&](std::ptrdiff_t l, std::ptrdiff_t i) {
                 Set(to_lines.at[l] + i * to.step, done_real[i * lines + l] * scale,
                     done_imag[i * lines + l] * scale);
               });
             }
           });
}

/// TransformLines of an even number n of real numbers: even and odd ones are the real and imaginary
/// parts of n / 2 numbers, of whose transform Z
///   X[k] = (Z[k] + Z*[n / 2 - k]) / 2 + w^k (Z[k] - Z*[n / 2 - k]) / 2i, w = exp(-2 pi i / n).
template <typename T>
inline void TransformReal(const T* in, const Lines& from, std::complex<T>* out, const Lines& to,
                          std::ptrdiff_t n, T scale) {
  const auto plan = PlanOf<RealFftPlan<T>>(n);
  const std::ptrdiff_t half = n / 2;
  ForLines(plan->half(), from.count,
           [&](T* data, T* scratch, std::ptrdiff_t first, std::ptrdiff_t lines, bool alone) {
             const std::ptrdiff_t apart = plan->half().Imag(lines);
             const LineStarts<const T> from_lines(in, from, first, lines);
             T* const odd_numbers = data + apart;
             if (lines == 1 && from.step == 1) {
               simd::Call<SplitStep<T>>(from_lines.at[0], data, odd_numbers, half);
             } else {
               ForNumbersOf(lines, half, [&](std::ptrdiff_t l, std::ptrdiff_t i) {
                 data[i * lines + l] = from_lines.at[l][2 * i * from.step];
                 odd_numbers[i * lines + l] = from_lines.at[l][(2 * i + 1) * from.step];
               });
             }
             const T* const a = plan->half().Run(data, scratch, lines, alone);
             const T* const b = a + apart;
             for (std::ptrdiff_t l = 0; l < lines; ++l) {
               std::complex<T>* const line = out + to.At(first + l);
               for (std::ptrdiff_t k = 0; k <= half; ++k) {
                 const std::ptrdiff_t i = (k < half ? k : 0) * lines + l;
                 const std::ptrdiff_t j = (k > 0 ? half - k : 0) * lines + l;
                 const T even = a[i] + a[j], even_i = b[i] - b[j], odd = b[i] + b[j],
                         odd_i = a[j] - a[i];
                 const T u = plan->w_real()[k], v = plan->w_imag()[k];
                 const T real = (even + odd * u - odd_i * v) * (scale / 2);
                 const T imag = (even_i + odd * v + odd_i * u) * (scale / 2);
                 line[k * to.step] = {real, imag};
                 if (to.n == n && k > 0 && k < half) line[(n - k) * to.step] = {real, -imag};
               }
             }
           });
}
/// The inverse, from n / 2 + 1 numbers; the first and the last are taken as real.
template <typename T, typename In>
inline void TransformToReal(const In* in, const Lines& from, T* out, const Lines& to,
                            std::ptrdiff_t n, T scale) {
  const auto plan = PlanOf<RealFftPlan<T>>(n);
  const std::ptrdiff_t half = n / 2;
  ForLines(plan->half(), from.count,
           [&](T* data, T* scratch, std::ptrdiff_t first, std::ptrdiff_t lines, bool alone) {
             const std::ptrdiff_t apart = plan->half().Imag(lines);
             for (std::ptrdiff_t l = 0; l < lines; ++l) {
               const In* const line = in + from.At(first + l);
               for (std::ptrdiff_t k = 0; k < half; ++k) {
                 const In x = line[k * from.step], y = line[(half - k) * from.step];
                 const T x_imag = k > 0 ? ImagPart(x) : T(0), y_imag = k > 0 ? ImagPart(y) : T(0);
                 const T even = RealPart(x) + RealPart(y), even_i = x_imag - y_imag;
                 const T diff = RealPart(x) - RealPart(y), diff_i = x_imag + y_imag;
                 const T u = plan->w_real()[k], v = -plan->w_imag()[k];
                 // even + i w^-k diff, with real and imaginary parts exchanged for the inverse.
                 data[apart + k * lines + l] = even - (diff * v + diff_i * u);
                 data[k * lines + l] = even_i + (diff * u - diff_i * v);
               }
             }
             const T* const b = plan->half().Run(data, scratch, lines, alone);
             const T* const a = b + apart;
             const LineStarts<T> to_lines(out, to, first, lines);
             if (lines == 1 && to.step == 1) {
               simd::Call<JoinStep<T>>(a, b, to_lines.at[0], scale, half);
             } else {
               ForNumbersOf(lines, half, [&](std::ptrdiff_t l, std::ptrdiff_t i) {
                 to_lines.at[l][2 * i * to.step] = a[i * lines + l] * scale;
                 to_lines.at[l][(2 * i + 1) * to.step] = b[i * lines + l] * scale;
               });
             }
           });
}

template <typename T>
inline T ScaleOf(std::ptrdiff_t n, bool inverse, FftNorm norm) {
  const double length = static_cast<double>(n);
  if (norm == FftNorm::kOrtho) return static_cast<T>(1 / std::sqrt(length));
  return static_cast<T>(inverse == (norm == FftNorm::kBackward) ? 1 / length : 1);
}

/// Transforms the first n numbers of each line of `in`, which have at least as many (n / 2 + 1
/// where real numbers are made of complex ones), into the lines of `out`.
template <typename T, typename In, typename Out>
inline void Transform(const In* in, const Lines& from, Out* out, const Lines& to, std::ptrdiff_t n,
                      bool inverse, T scale) {
#if MSHADOW_USE_FFTW
  constexpr bool kIsReal = std::is_floating_point_v<In> || std::is_floating_point_v<Out>;
  if (UsesFftw(n, kIsReal)) return FftwLines<T>(in, from, out, to, n, inverse, scale);
#endif
  if (n % 2 == 0) {
    if constexpr (std::is_floating_point_v<Out>) {
      return TransformToReal<T>(in, from, out, to, n, scale);
    } else if constexpr (std::is_floating_point_v<In>) {
      if (!inverse) return TransformReal<T>(in, from, out, to, n, scale);
    }
  }
  TransformLines<T>(in, from, out, to, n, inverse, scale);
}

}  // namespace MSHADOW_FFT_NAMESPACE
}  // namespace detail::fft
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_FFT_LINES_H_
