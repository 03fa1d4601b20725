// SPDX-License-Identifier: Apache-2.0
// Transforms of tensors along axes.
#ifndef MSHADOW_FFT_TRANSFORM_H_
#define MSHADOW_FFT_TRANSFORM_H_

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "../backend/cpu/threads.h"
#include "../tensor.h"
#include "../tensor_container.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN

/// By what a transform of n numbers is divided, forth and back: 1 and n, sqrt(n) and sqrt(n), or n
/// and 1.
enum class FftNorm { kBackward, kOrtho, kForward };

namespace detail::fft {

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
/// The real type of an expression's elements, or a sentence.
template <typename E>
constexpr bool IsTransformable() {
  using T = typename RealOf<expr::detail::ElementOfExp<E>>::Type;
  constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  static_assert(is_real,
                "mshadow: Fourier transforms take float, double and std::complex of them; "
                "tcast<float>(x) makes them of other numbers");
  constexpr bool is_host = (expr::ExpInfo<E>::kDevMask & cpu::kDevMask) != 0;
  static_assert(is_host, "mshadow: Fourier transforms run on the CPU: Copy the tensor there");
  return is_real && is_host;
}
template <typename E>
using ComplexOf = std::complex<typename RealOf<expr::detail::ElementOfExp<E>>::Type>;

/// Where the lines of a contiguous tensor along an axis lie.
struct Lines {
  std::ptrdiff_t n, step, count;
  template <int dim>
  Lines(const Shape<dim>& shape, int axis)
      : n(static_cast<std::ptrdiff_t>(shape[axis])), step(1), count(1) {
    for (int i = 0; i < dim; ++i) {
      if (i != axis) count *= static_cast<std::ptrdiff_t>(shape[i]);
      if (i > axis) step *= static_cast<std::ptrdiff_t>(shape[i]);
    }
  }
  std::ptrdiff_t At(std::ptrdiff_t line) const { return line / step * step * n + line % step; }
};

template <typename T>
inline T RealPart(const std::complex<T>& z) {
  return z.real();
}
template <typename T>
inline T ImagPart(const std::complex<T>& z) {
  return z.imag();
}
template <typename T>
inline std::enable_if_t<std::is_floating_point_v<T>, T> RealPart(T x) {
  return x;
}
template <typename T>
inline std::enable_if_t<std::is_floating_point_v<T>, T> ImagPart(T) {
  return T(0);
}
template <typename T>
inline void Set(std::complex<T>* to, T real, T imag) {
  *to = {real, imag};
}
template <typename T>
inline void Set(T* to, T real, T) {
  *to = real;
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// f(data, scratch, first, lines) for all `count` lines, those of one call side by side in `data`:
/// 2 n numbers of each line, and what the plan needs behind them.
template <typename T, typename F>
inline void ForLines(const FftPlan<T>& plan, std::ptrdiff_t count, const F& f) {
  // As many as a second-level cache holds.
  const std::ptrdiff_t n = plan.size(), most = (FftPlan<T>::kLong - 1) / n;
  const std::ptrdiff_t side = most > 16 ? 16 : most < 1 ? 1 : most;
  ParallelRanges(count, side > 16384 / n + 1 ? side : 16384 / n + 1,
                 [&](std::ptrdiff_t first, std::ptrdiff_t end) {
                   Temporary<cpu, 1, T> memory(
                       Shape1(static_cast<index_t>((2 * n + plan.scratch()) * side)), nullptr);
                   T* const data = memory.tensor().dptr_;
                   for (; first < end; first += side) {
                     f(data, data + 2 * n * side, first, end - first < side ? end - first : side);
                   }
                 });
}

/// Transforms the lines of `in`, of which the first n numbers count, into those of `out`. Where
/// `from` has n / 2 + 1 numbers and `out` is real, the others are their conjugates. The inverse
/// transform exchanges real and imaginary parts before and behind.
template <typename T, typename In, typename Out>
inline void TransformLines(const In* in, const Lines& from, Out* out, const Lines& to,
                           std::ptrdiff_t n, bool inverse, T scale) {
  const auto plan = PlanOf<FftPlan<T>>(n);
  ForLines(*plan, from.count, [&](T* data, T* scratch, std::ptrdiff_t first, std::ptrdiff_t lines) {
    T* const real = inverse ? data + n * lines : data;
    T* const imag = inverse ? data : data + n * lines;
    for (std::ptrdiff_t l = 0; l < lines; ++l) {
      const In* const line = in + from.At(first + l);
      const std::ptrdiff_t given = from.n < n ? from.n : n;
      for (std::ptrdiff_t i = 0; i < given; ++i) {
        const In value = line[i * from.step];
        real[i * lines + l] = RealPart(value);
        imag[i * lines + l] = ImagPart(value);
      }
      if constexpr (std::is_floating_point_v<Out>) {
        imag[l] = 0;
        for (std::ptrdiff_t i = given; i < n; ++i) {
          real[i * lines + l] = real[(n - i) * lines + l];
          imag[i * lines + l] = -imag[(n - i) * lines + l];
        }
      }
    }
    const T* const done = plan->Run(data, scratch, lines);
    const T* const done_real = inverse ? done + n * lines : done;
    const T* const done_imag = inverse ? done : done + n * lines;
    for (std::ptrdiff_t l = 0; l < lines; ++l) {
      Out* const line = out + to.At(first + l);
      for (std::ptrdiff_t i = 0; i < to.n; ++i) {
        Set(line + i * to.step, done_real[i * lines + l] * scale, done_imag[i * lines + l] * scale);
      }
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
           [&](T* data, T* scratch, std::ptrdiff_t first, std::ptrdiff_t lines) {
             for (std::ptrdiff_t l = 0; l < lines; ++l) {
               const T* const line = in + from.At(first + l);
               for (std::ptrdiff_t i = 0; i < half; ++i) {
                 data[i * lines + l] = line[2 * i * from.step];
                 data[(half + i) * lines + l] = line[(2 * i + 1) * from.step];
               }
             }
             const T* const a = plan->half().Run(data, scratch, lines);
             const T* const b = a + half * lines;
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
           [&](T* data, T* scratch, std::ptrdiff_t first, std::ptrdiff_t lines) {
             for (std::ptrdiff_t l = 0; l < lines; ++l) {
               const In* const line = in + from.At(first + l);
               for (std::ptrdiff_t k = 0; k < half; ++k) {
                 const In x = line[k * from.step], y = line[(half - k) * from.step];
                 const T x_imag = k > 0 ? ImagPart(x) : T(0), y_imag = k > 0 ? ImagPart(y) : T(0);
                 const T even = RealPart(x) + RealPart(y), even_i = x_imag - y_imag;
                 const T diff = RealPart(x) - RealPart(y), diff_i = x_imag + y_imag;
                 const T u = plan->w_real()[k], v = -plan->w_imag()[k];
                 // even + i w^-k diff, with real and imaginary parts exchanged for the inverse.
                 data[(half + k) * lines + l] = even - (diff * v + diff_i * u);
                 data[k * lines + l] = even_i + (diff * u - diff_i * v);
               }
             }
             const T* const b = plan->half().Run(data, scratch, lines);
             const T* const a = b + half * lines;
             for (std::ptrdiff_t l = 0; l < lines; ++l) {
               T* const line = out + to.At(first + l);
               for (std::ptrdiff_t i = 0; i < half; ++i) {
                 line[2 * i * to.step] = a[i * lines + l] * scale;
                 line[(2 * i + 1) * to.step] = b[i * lines + l] * scale;
               }
             }
           });
}

template <typename T>
inline T ScaleOf(std::ptrdiff_t n, bool inverse, FftNorm norm) {
  const double length = static_cast<double>(n);
  if (norm == FftNorm::kOrtho) return static_cast<T>(1 / std::sqrt(length));
  return static_cast<T>(inverse == (norm == FftNorm::kBackward) ? 1 / length : 1);
}

/// x in contiguous memory.
template <typename E>
inline auto Packed(const E& x) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  TensorContainer<cpu, kDim, expr::detail::ElementOfExp<E>> packed(false);
  packed.Resize(expr::ShapeCheck<kDim, E>::Check(x));
  static_cast<Tensor<cpu, kDim, expr::detail::ElementOfExp<E>>&>(packed).__assign(x);
  return packed;
}

/// The transform of x along an axis: `length` numbers of a line, of which `results` are kept.
template <typename Out, typename E>
inline auto Transformed(const char* function, const E& x, int axis, std::ptrdiff_t length,
                        std::ptrdiff_t results, bool inverse, FftNorm norm) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  using T = typename RealOf<Out>::Type;
  const auto packed = detail::fft::Packed(x);
  Shape<kDim> shape = packed.shape_;
  MSHADOW_CHECK(length > 0 && shape[axis] > 0)
      << function << ": axis " << axis << " of " << shape << " is transformed as " << length
      << " numbers; at least 1 is needed";
  shape[axis] = static_cast<index_t>(results);
  TensorContainer<cpu, kDim, Out> result(false);
  result.Resize(shape);
  if (shape.Size() == 0) return result;
  const Lines from(packed.shape_, axis), to(shape, axis);
  const T scale = ScaleOf<T>(length, inverse, norm);
  if (length % 2 == 0) {
    if constexpr (std::is_floating_point_v<Out>) {
      TransformToReal<T>(packed.dptr_, from, result.dptr_, to, length, scale);
      return result;
    } else if constexpr (std::is_floating_point_v<expr::detail::ElementOfExp<E>>) {
      if (!inverse) {
        TransformReal(packed.dptr_, from, result.dptr_, to, length, scale);
        return result;
      }
    }
  }
  TransformLines<T>(packed.dptr_, from, result.dptr_, to, length, inverse, scale);
  return result;
}
/// Transforms a tensor of complex numbers along the axes from `first` to `last`, in place.
template <int dim, typename T>
inline void TransformAxes(TensorContainer<cpu, dim, std::complex<T>>* x, int first, int last,
                          bool inverse, FftNorm norm) {
  if (x->shape_.Size() == 0) return;
  for (int axis = first; axis <= last; ++axis) {
    const Lines lines(x->shape_, axis);
    TransformLines<T>(x->dptr_, lines, x->dptr_, lines, lines.n, inverse,
                      ScaleOf<T>(lines.n, inverse, norm));
  }
}
template <typename E>
inline std::ptrdiff_t ExtentOf(const E& x, int axis) {
  return static_cast<std::ptrdiff_t>(expr::ShapeCheck<expr::ExpInfo<E>::kDim, E>::Check(x)[axis]);
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::fft

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// X[k] = sum_i x[i] exp(-2 pi i k / n) along `axis`, of real or complex x of any rank: a container
/// of std::complex, of the same shape. Any n takes O(n log n). Throws Error where the axis has no
/// element. https://numpy.org/doc/stable/reference/routines.fft.html
template <typename E, typename DType, int etype>
inline auto fft(const Exp<E, DType, etype>& x, int axis = -1, FftNorm norm = FftNorm::kBackward) {
  namespace f = mshadow::detail::fft;
  if constexpr (f::IsTransformable<E>()) {
    const int at = expr::detail::CheckAxis("fft", axis, ExpInfo<E>::kDim);
    const std::ptrdiff_t n = f::ExtentOf(x.self(), at);
    return f::Transformed<f::ComplexOf<E>>("fft", x.self(), at, n, n, false, norm);
  }
}
/// The inverse of fft: x[i] = sum_k X[k] exp(2 pi i k / n) / n.
template <typename E, typename DType, int etype>
inline auto ifft(const Exp<E, DType, etype>& x, int axis = -1, FftNorm norm = FftNorm::kBackward) {
  namespace f = mshadow::detail::fft;
  if constexpr (f::IsTransformable<E>()) {
    const int at = expr::detail::CheckAxis("ifft", axis, ExpInfo<E>::kDim);
    const std::ptrdiff_t n = f::ExtentOf(x.self(), at);
    return f::Transformed<f::ComplexOf<E>>("ifft", x.self(), at, n, n, true, norm);
  }
}
/// The first n / 2 + 1 numbers of the fft of real x; the others are conjugates of these.
template <typename E, typename DType, int etype>
inline auto rfft(const Exp<E, DType, etype>& x, int axis = -1, FftNorm norm = FftNorm::kBackward) {
  namespace f = mshadow::detail::fft;
  static_assert(std::is_floating_point_v<DType>,
                "mshadow: rfft takes real numbers; fft transforms complex ones");
  if constexpr (f::IsTransformable<E>() && std::is_floating_point_v<DType>) {
    const int at = expr::detail::CheckAxis("rfft", axis, ExpInfo<E>::kDim);
    const std::ptrdiff_t n = f::ExtentOf(x.self(), at);
    return f::Transformed<f::ComplexOf<E>>("rfft", x.self(), at, n, n / 2 + 1, false, norm);
  }
}
/// The inverse of rfft: n real numbers of n / 2 + 1 complex ones. n = 0 stands for 2 (m - 1), m
/// the extent of the axis. Missing numbers are 0, surplus ones are not read.
template <typename E, typename DType, int etype>
inline auto irfft(const Exp<E, DType, etype>& x, std::ptrdiff_t n = 0, int axis = -1,
                  FftNorm norm = FftNorm::kBackward) {
  namespace f = mshadow::detail::fft;
  if constexpr (f::IsTransformable<E>()) {
    using T = typename f::RealOf<DType>::Type;
    const int at = expr::detail::CheckAxis("irfft", axis, ExpInfo<E>::kDim);
    MSHADOW_CHECK(n >= 0) << "irfft: n = " << n << " is negative";
    if (n == 0) n = 2 * (f::ExtentOf(x.self(), at) - 1);
    MSHADOW_CHECK(n < 0 || static_cast<std::uint64_t>(n) <= mshadow::detail::kMaxElements)
        << "irfft: no extent holds " << n << " elements";
    const std::ptrdiff_t given = f::ExtentOf(x.self(), at), half = n / 2 + 1;
    if (given == half) return f::Transformed<T>("irfft", x.self(), at, n, n, true, norm);
    TensorContainer<cpu, ExpInfo<E>::kDim, DType> whole(false);
    Shape<ExpInfo<E>::kDim> shape = ShapeCheck<ExpInfo<E>::kDim, E>::Check(x.self()), part = shape;
    shape[at] = static_cast<index_t>(half);
    part[at] = static_cast<index_t>(given < half ? given : half);
    whole.Resize(shape);
    whole = DType(0);
    Shape<ExpInfo<E>::kDim> zero;
    for (int i = 0; i < ExpInfo<E>::kDim; ++i) zero[i] = 0;
    slice(static_cast<Tensor<cpu, ExpInfo<E>::kDim, DType>&>(whole), zero, part) =
        slice(x.self(), zero, part);
    return f::Transformed<T>("irfft", whole, at, n, n, true, norm);
  }
}

/// fft, ifft along all axes, and along the last two.
template <typename E, typename DType, int etype>
inline auto fftn(const Exp<E, DType, etype>& x, FftNorm norm = FftNorm::kBackward) {
  auto result = fft(x, -1, norm);
  mshadow::detail::fft::TransformAxes(&result, 0, ExpInfo<E>::kDim - 2, false, norm);
  return result;
}
template <typename E, typename DType, int etype>
inline auto ifftn(const Exp<E, DType, etype>& x, FftNorm norm = FftNorm::kBackward) {
  auto result = ifft(x, -1, norm);
  mshadow::detail::fft::TransformAxes(&result, 0, ExpInfo<E>::kDim - 2, true, norm);
  return result;
}
template <typename E, typename DType, int etype>
inline auto fft2(const Exp<E, DType, etype>& x, FftNorm norm = FftNorm::kBackward) {
  static_assert(ExpInfo<E>::kDim >= 2, "mshadow: fft2 transforms the last two axes");
  auto result = fft(x, -1, norm);
  constexpr int kAxis = ExpInfo<E>::kDim - 2;
  mshadow::detail::fft::TransformAxes(&result, kAxis, kAxis, false, norm);
  return result;
}
template <typename E, typename DType, int etype>
inline auto ifft2(const Exp<E, DType, etype>& x, FftNorm norm = FftNorm::kBackward) {
  static_assert(ExpInfo<E>::kDim >= 2, "mshadow: ifft2 transforms the last two axes");
  auto result = ifft(x, -1, norm);
  constexpr int kAxis = ExpInfo<E>::kDim - 2;
  mshadow::detail::fft::TransformAxes(&result, kAxis, kAxis, true, norm);
  return result;
}
/// fftn of real numbers, and its inverse; the last axis has n / 2 + 1 of n numbers, as of rfft.
template <typename E, typename DType, int etype>
inline auto rfftn(const Exp<E, DType, etype>& x, FftNorm norm = FftNorm::kBackward) {
  auto result = rfft(x, -1, norm);
  mshadow::detail::fft::TransformAxes(&result, 0, ExpInfo<E>::kDim - 2, false, norm);
  return result;
}
template <typename E, typename DType, int etype>
inline auto irfftn(const Exp<E, DType, etype>& x, std::ptrdiff_t n = 0,
                   FftNorm norm = FftNorm::kBackward) {
  auto spectrum = mshadow::detail::fft::Packed(x.self());
  mshadow::detail::fft::TransformAxes(&spectrum, 0, ExpInfo<E>::kDim - 2, true, norm);
  return irfft(spectrum, n, -1, norm);
}

/// x with the number of frequency 0 in the middle of `axis`, and back.
template <typename E, typename DType, int etype>
inline auto fftshift(const Exp<E, DType, etype>& x, int axis = -1) {
  const int at = expr::detail::CheckAxis("fftshift", axis, ExpInfo<E>::kDim);
  return roll(x, static_cast<int>(mshadow::detail::fft::ExtentOf(x.self(), at) / 2), at);
}
template <typename E, typename DType, int etype>
inline auto ifftshift(const Exp<E, DType, etype>& x, int axis = -1) {
  const int at = expr::detail::CheckAxis("ifftshift", axis, ExpInfo<E>::kDim);
  return roll(x, -static_cast<int>(mshadow::detail::fft::ExtentOf(x.self(), at) / 2), at);
}

/// The convolution of two real vectors, of n + m - 1 numbers: out[k] = sum_i a[i] b[k - i]. It
/// takes O((n + m) log(n + m)).
template <typename A, typename B, typename DType, int e1, int e2>
inline auto fftconvolve(const Exp<A, DType, e1>& a, const Exp<B, DType, e2>& b) {
  static_assert(ExpInfo<A>::kDim == 1 && ExpInfo<B>::kDim == 1,
                "mshadow: fftconvolve takes vectors");
  const Shape<1> n = ShapeCheck<1, A>::Check(a.self()), m = ShapeCheck<1, B>::Check(b.self());
  MSHADOW_CHECK(n[0] > 0 && m[0] > 0) << "fftconvolve: vectors of " << n << " and " << m;
  // A power of 2 that holds the result: its transform is the fastest.
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n[0] + m[0] - 1);
  std::ptrdiff_t length = 1;
  while (length < size) length *= 2;
  TensorContainer<cpu, 1, DType> x(Shape1(static_cast<index_t>(length)), DType(0)), y = x;
  x.Slice(0, n[0]).__assign(a.self());
  y.Slice(0, m[0]).__assign(b.self());
  auto product = rfft(x);
  product *= rfft(y);
  TensorContainer<cpu, 1, DType> result(Shape1(static_cast<index_t>(size)));
  result = slice<0>(irfft(product, length), 0, static_cast<index_t>(size));
  return result;
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl

namespace expr {
/// The frequencies of the numbers of fft, of n samples d apart: 0, 1, .., -1, divided by n d.
template <typename DType = default_real_t>
inline auto fftfreq(std::ptrdiff_t n, double d = 1) {
  MSHADOW_CHECK(n >= 0) << "fftfreq: n = " << n << " is negative";
  const double count = static_cast<double>(n);
  const auto i = range<double>(0, count);
  return tcast<DType>(where(i * 2.0 < count, i, i - count) * (1 / (count * d)));
}
/// The frequencies of the numbers of rfft: 0, 1, .., n / 2, divided by n d.
template <typename DType = default_real_t>
inline auto rfftfreq(std::ptrdiff_t n, double d = 1) {
  MSHADOW_CHECK(n >= 0) << "rfftfreq: n = " << n << " is negative";
  const double count = static_cast<double>(n);
  return tcast<DType>(range<double>(0, static_cast<double>(n / 2 + 1)) * (1 / (count * d)));
}
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_FFT_TRANSFORM_H_
