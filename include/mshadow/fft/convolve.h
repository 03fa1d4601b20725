// SPDX-License-Identifier: Apache-2.0
// convolve, correlate, fftconvolve: of vectors, as NumPy's and SciPy's.
#ifndef MSHADOW_FFT_CONVOLVE_H_
#define MSHADOW_FFT_CONVOLVE_H_

#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "transform.h"

MSHADOW_NAMESPACE_BEGIN

/// Which numbers of a convolution of n and m numbers are kept: all n + m - 1; max(n, m) in their
/// middle, n by fftconvolve; or those max(n, m) - min(n, m) + 1 that no end of a vector takes part
/// in.
enum class ConvolveMode { kFull, kSame, kValid };

namespace detail::fft {

/// From this many numbers of the shorter vector on, convolve and correlate use transforms: where
/// these take as long as sums of products, for vectors of 1000 to 10^6 numbers (AVX-512).
template <typename T>
constexpr std::ptrdiff_t kLongFilter = !std::is_floating_point_v<T> ? 64
                                       : std::is_same_v<T, float>   ? 256
                                                                    : 160;

/// The least even 2^i, 3 2^i or 5 2^i of at least n: an extent that is transformed fast.
inline std::ptrdiff_t FastLength(std::ptrdiff_t n) {
  std::ptrdiff_t least = 0;
  for (const std::ptrdiff_t odd : {1, 3, 5}) {
    std::ptrdiff_t length = 2 * odd;
    while (length < n) length *= 2;
    if (least == 0 || length < least) least = length;
  }
  return least;
}

/// out[i] += sum_j x[i + j] w[j], j < m, of `count` numbers.
template <typename T>
struct FilterStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const T* x, const T* w, T* to, std::ptrdiff_t m,
                                       std::ptrdiff_t count) {
    T* const __restrict out = to;
    std::ptrdiff_t j = 0;
    // Eight products for each load and store of a sum.
    for (; j + 8 <= m; j += 8) {
      const T* const __restrict a = x + j, * const b = w + j;
      const T b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3], b4 = b[4], b5 = b[5], b6 = b[6],
              b7 = b[7];
      MSHADOW_SIMD_LOOP
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        out[i] = out[i] + a[i] * b0 + a[i + 1] * b1 + a[i + 2] * b2 + a[i + 3] * b3 +
                 a[i + 4] * b4 + a[i + 5] * b5 + a[i + 6] * b6 + a[i + 7] * b7;
      }
    }
    for (; j < m; ++j) {
      const T* const __restrict a = x + j;
      const T b = w[j];
      MSHADOW_SIMD_LOOP
      for (std::ptrdiff_t i = 0; i < count; ++i) out[i] += a[i] * b;
    }
  }
};

inline namespace MSHADOW_FFT_NAMESPACE {

/// out[i] += sum_j x[i + j] w[j], on all threads.
template <typename T>
inline void Filter(const T* x, const T* w, T* out, std::ptrdiff_t m, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t kBlock = 1024;  // of sums that stay in a first-level cache
  const std::ptrdiff_t blocks = (count + kBlock - 1) / kBlock;
  ParallelRanges(blocks, 262144 / (kBlock * m) + 1, [&](std::ptrdiff_t block, std::ptrdiff_t end) {
    for (; block < end; ++block) {
      const std::ptrdiff_t first = block * kBlock, rest = count - first;
      const T* const from = x + first;
      T* const to = out + first;
      simd::Call<FilterStep<T>>(from, w, to, m, rest < kBlock ? rest : kBlock);
    }
  });
}

/// out[i] = sum_j x[i + j] w[j], j < m, of `count` numbers, of x with count + m - 1.
template <typename T>
inline void FilterDirectly(const T* x, const T* w, T* out, std::ptrdiff_t m, std::ptrdiff_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = 0;
    Filter(x, w, out, m, count);
  } else {
    using Real = typename T::value_type;
    const std::ptrdiff_t n = count + m - 1;
    std::vector<Real> parts(static_cast<std::size_t>(2 * n + 3 * m + 2 * count));
    Real *const x_real = parts.data(), *const x_imag = x_real + n, *const w_real = x_imag + n;
    Real *const w_imag = w_real + m, *const minus = w_imag + m;
    Real *const real = minus + m, *const imag = real + count;
    for (std::ptrdiff_t i = 0; i < n; ++i) x_real[i] = x[i].real(), x_imag[i] = x[i].imag();
    for (std::ptrdiff_t j = 0; j < m; ++j) {
      w_real[j] = w[j].real(), w_imag[j] = w[j].imag(), minus[j] = -w[j].imag();
    }
    Filter<Real>(x_real, w_real, real, m, count);
    Filter<Real>(x_imag, minus, real, m, count);
    Filter<Real>(x_real, w_imag, imag, m, count);
    Filter<Real>(x_imag, w_real, imag, m, count);
    for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = {real[i], imag[i]};
  }
}

/// FilterDirectly by transforms. A long x is cut into overlapping rows, so that the transforms fit
/// into a cache: of L results of a row, those from m - 1 on are right.
template <typename T>
inline void FilterByTransforms(const T* x, const T* w, T* out, std::ptrdiff_t m,
                               std::ptrdiff_t count) {
  const std::ptrdiff_t n = count + m - 1;
  std::ptrdiff_t length = 1024;
  while (length < 8 * m) length *= 2;
  if (n <= 2 * length) length = FastLength(n);
  const std::ptrdiff_t step = length - m + 1, rows = (count + step - 1) / step;
  const Shape<2> shape = Shape2(static_cast<index_t>(rows), static_cast<index_t>(length));
  TensorContainer<cpu, 2, T> signal(false), filter(Shape2(1, shape[1]), T(0));
  signal.Resize(shape);
  ParallelRanges(rows, 65536 / length + 1, [&](std::ptrdiff_t row, std::ptrdiff_t end) {
    for (; row < end; ++row) {
      const std::ptrdiff_t rest = n - row * step;
      T* const to = signal.dptr_ + row * length;
      for (std::ptrdiff_t i = 0; i < length; ++i) to[i] = i < rest ? x[row * step + i] : T(0);
    }
  });
  for (std::ptrdiff_t j = 0; j < m; ++j) filter.dptr_[j] = w[m - 1 - j];
  const auto multiply = [&](auto* spectrum, const auto& factors) {
    const std::ptrdiff_t numbers = static_cast<std::ptrdiff_t>(spectrum->shape_[1]);
    ParallelRanges(rows, 65536 / length + 1, [&](std::ptrdiff_t row, std::ptrdiff_t end) {
      for (; row < end; ++row) {
        auto* const a = spectrum->dptr_ + row * numbers;
        for (std::ptrdiff_t k = 0; k < numbers; ++k) {
          const auto u = a[k], v = factors.dptr_[k];
          a[k] = {u.real() * v.real() - u.imag() * v.imag(),
                  u.real() * v.imag() + u.imag() * v.real()};
        }
      }
    });
  };
  const Tensor<cpu, 2, T>&x_rows = signal, &w_row = filter;
  const FftNorm norm = FftNorm::kBackward;
  if constexpr (std::is_floating_point_v<T>) {
    auto spectrum = Half("rfft", x_rows, -1, 1, norm);
    multiply(&spectrum, Half("rfft", w_row, -1, 1, norm));
    signal =
        Whole("irfft", static_cast<Tensor<cpu, 2, std::complex<T>>&>(spectrum), length, 1, norm);
  } else {
    auto spectrum = Complex("fft", x_rows, -1, 1, false, norm);
    multiply(&spectrum, Complex("fft", w_row, -1, 1, false, norm));
    signal = Complex("ifft", static_cast<Tensor<cpu, 2, T>&>(spectrum), -1, 1, true, norm);
  }
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const T* const from = signal.dptr_ + row * length + m - 1;
    const std::ptrdiff_t rest = count - row * step;
    for (std::ptrdiff_t i = 0; i < step && i < rest; ++i) out[row * step + i] = from[i];
  }
}

enum class Method { kFaster, kTransforms };

/// The element type of a convolution: of a real and a complex operand, complex.
template <typename A, typename B>
struct CommonElementOf {
  using DA = expr::detail::ElementOfExp<A>;
  using DB = expr::detail::ElementOfExp<B>;
  using Type = expr::detail::DotElement<DA, DB>;
  static_assert(std::is_same_v<Type, DB> || kIsPartOf<Type, DB>,
                "mshadow: convolve, correlate and fftconvolve take operands of one precision; "
                "tcast<T>(x) converts one");
};
template <typename A, typename B>
using CommonElement = typename CommonElementOf<A, B>::Type;

/// The convolution of a and b, or of a and the conjugates of b in reverse order.
template <bool kCorrelate, typename A, typename B>
inline auto Convolved(const char* function, const A& a, const B& b, ConvolveMode mode,
                      Method method) {
  using T = CommonElement<A, B>;
  static_assert(expr::ExpInfo<A>::kDim == 1 && expr::ExpInfo<B>::kDim == 1,
                "mshadow: convolve, correlate and fftconvolve take vectors");
  static_assert(
      (expr::ExpInfo<A>::kDevMask & expr::ExpInfo<B>::kDevMask & cpu::kDevMask) != 0,
      "mshadow: convolve, correlate and fftconvolve run on the CPU: Copy the vectors there");
  const std::ptrdiff_t n = ExtentOf(a, 0), m = ExtentOf(b, 0);
  MSHADOW_CHECK(n > 0 && m > 0) << function << ": vectors of " << expr::ShapeCheck<1, A>::Check(a)
                                << " and " << expr::ShapeCheck<1, B>::Check(b)
                                << "; none may be empty";
  const Operand<A> a_memory(a, 0, n);
  const Operand<B> b_memory(b, 0, m);
  const bool swap = n < m;
  const std::ptrdiff_t most = swap ? m : n, least = swap ? n : m;
  // Those that are kept: the number k of all n + m - 1 is sum_i a[i] b[k - i].
  std::ptrdiff_t first = 0, count = n + m - 1;
  if (mode == ConvolveMode::kValid) {
    first = least - 1;
    count = most - least + 1;
  } else if (mode == ConvolveMode::kSame) {
    const bool is_scipy = method == Method::kTransforms;
    first = kCorrelate && swap ? least / 2 : ((is_scipy ? m : least) - 1) / 2;
    count = is_scipy ? n : most;
  }
  // The longer one with least - 1 numbers before and after it, as far as they are needed; the
  // shorter one in reverse order.
  std::vector<T> memory(static_cast<std::size_t>(count + 2 * least - 1));
  T *const x = memory.data(), *const w = x + count + least - 1;
  const auto number = [&](bool of_b, std::ptrdiff_t i) -> T {
    if (!of_b) return a_memory.data()[i];
    if constexpr (!kCorrelate) return b_memory.data()[i];
    const T value = b_memory.data()[m - 1 - i];
    if constexpr (std::is_floating_point_v<T>) {
      return value;
    } else {
      return std::conj(value);
    }
  };
  for (std::ptrdiff_t i = 0; i < count + least - 1; ++i) {
    const std::ptrdiff_t at = first + i - (least - 1);
    x[i] = at >= 0 && at < most ? number(swap, at) : T(0);
  }
  for (std::ptrdiff_t j = 0; j < least; ++j) w[j] = number(!swap, least - 1 - j);
  TensorContainer<cpu, 1, T> result(Shape1(static_cast<index_t>(count)));
  if (method == Method::kTransforms || least >= kLongFilter<T>) {
    FilterByTransforms(x, w, result.dptr_, least, count);
  } else {
    FilterDirectly(x, w, result.dptr_, least, count);
  }
  return result;
}

/// The convolution of tensors along all axes, by transforms.
template <typename A, typename B>
inline auto ConvolvedTensors(const A& a, const B& b, ConvolveMode mode) {
  constexpr int kDim = expr::ExpInfo<A>::kDim;
  using T = CommonElement<A, B>;
  static_assert(kDim == expr::ExpInfo<B>::kDim,
                "mshadow: fftconvolve takes tensors of as many axes");
  const Shape<kDim> n = expr::ShapeCheck<kDim, A>::Check(a),
                    m = expr::ShapeCheck<kDim, B>::Check(b);
  MSHADOW_CHECK(n.Size() > 0 && m.Size() > 0)
      << "fftconvolve: tensors of " << n << " and " << m << "; none may be empty";
  Shape<kDim> first, end;
  Sizes s;
  bool a_is_larger = true, b_is_larger = true;
  for (int i = 0; i < kDim; ++i) {
    a_is_larger = a_is_larger && n[i] >= m[i];
    b_is_larger = b_is_larger && m[i] >= n[i];
    const index_t all = n[i] + m[i] - 1, least = n[i] < m[i] ? n[i] : m[i];
    const index_t most = n[i] < m[i] ? m[i] : n[i];
    first[i] = mode == ConvolveMode::kFull
                   ? 0
                   : (mode == ConvolveMode::kSame ? (m[i] - 1) / 2 : least - 1);
    end[i] = first[i] + (mode == ConvolveMode::kFull   ? all
                         : mode == ConvolveMode::kSame ? n[i]
                                                       : most - least + 1);
    s.push_back(FastLength(static_cast<std::ptrdiff_t>(all)));
  }
  MSHADOW_CHECK(mode != ConvolveMode::kValid || a_is_larger || b_is_larger)
      << "fftconvolve: of " << n << " and " << m << " none is the larger one along every axis";
  TensorContainer<cpu, kDim, T> result;
  const FftNorm norm = FftNorm::kBackward;
  if constexpr (std::is_floating_point_v<T>) {
    auto spectrum = HalfOfAxes("fftconvolve", a, s, {}, norm);
    spectrum *= HalfOfAxes("fftconvolve", b, s, {}, norm);
    result =
        slice(WholeOfAxes("fftconvolve", static_cast<Tensor<cpu, kDim, ComplexOf<A>>&>(spectrum), s,
                          {}, norm),
              first, end);
  } else {
    auto spectrum = ComplexOfAxes("fftconvolve", a, s, {}, false, norm);
    spectrum *= ComplexOfAxes("fftconvolve", b, s, {}, false, norm);
    result = slice(ComplexOfAxes("fftconvolve", static_cast<Tensor<cpu, kDim, T>&>(spectrum), s, {},
                                 true, norm),
                   first, end);
  }
  return result;
}

}  // namespace MSHADOW_FFT_NAMESPACE
}  // namespace detail::fft

namespace expr::adl {
inline namespace MSHADOW_FFT_NAMESPACE {

#define MSHADOW_CONVOLVE_(name, default_mode, correlate)                                   \
  template <typename A, typename B, typename DA, typename DB, int e1, int e2>              \
  inline auto name(const Exp<A, DA, e1>& a, const Exp<B, DB, e2>& b,                       \
                   ConvolveMode mode = ConvolveMode::default_mode) {                       \
    namespace f = mshadow::detail::fft;                                                    \
    if constexpr (f::IsTransformable<A>() && f::IsTransformable<B>()) {                    \
      return f::Convolved<correlate>(#name, a.self(), b.self(), mode, f::Method::kFaster); \
    }                                                                                      \
  }

/// out[k] = sum_i a[i] b[k - i], of two vectors, each real or complex: a container of n + m - 1
/// numbers, or of those that `mode` keeps. Throws Error where one is empty. If the shorter one has
/// 256 floats, 160 doubles or 64 complex numbers, both are transformed: O(log) steps for each
/// number, and errors are some units of the last digit of the largest result in place of each
/// result's own.
/// https://numpy.org/doc/stable/reference/generated/numpy.convolve.html
MSHADOW_CONVOLVE_(convolve, kFull, false)
/// out[k] = sum_i a[i + k] conj(b[i]), k from 1 - m to n - 1, as numpy.correlate: by default those
/// for which the shorter vector lies within the longer one.
MSHADOW_CONVOLVE_(correlate, kValid, true)
#undef MSHADOW_CONVOLVE_
/// The convolution by transforms, whatever the lengths, of tensors of any rank along all axes, as
/// scipy.signal.fftconvolve: out[k][l].. = sum a[i][j].. b[k - i][l - j]... Of mode kSame it has
/// the shape of a. Throws Error where one is empty, and of mode kValid where none is the larger
/// one.
template <typename A, typename B, typename DA, typename DB, int e1, int e2>
inline auto fftconvolve(const Exp<A, DA, e1>& a, const Exp<B, DB, e2>& b,
                        ConvolveMode mode = ConvolveMode::kFull) {
  namespace f = mshadow::detail::fft;
  if constexpr (f::IsTransformable<A>() && f::IsTransformable<B>()) {
    if constexpr (ExpInfo<A>::kDim == 1 && ExpInfo<B>::kDim == 1) {
      return f::Convolved<false>("fftconvolve", a.self(), b.self(), mode, f::Method::kTransforms);
    } else {
      return f::ConvolvedTensors(a.self(), b.self(), mode);
    }
  }
}

}  // namespace MSHADOW_FFT_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_FFT_CONVOLVE_H_
