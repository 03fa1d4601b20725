// SPDX-License-Identifier: Apache-2.0
// The lines of contiguous memory along an axis, and their transforms by FFTW.
#ifndef MSHADOW_FFT_FFTW_LINES_H_
#define MSHADOW_FFT_FFTW_LINES_H_

#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../tensor.h"
#include "fftw.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::fft {

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
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

#if MSHADOW_USE_FFTW
inline namespace MSHADOW_FFT_NAMESPACE {

/// True if lines of n numbers, real ones on a side, are transformed by FFTW. Those of
/// FFTW_ESTIMATE, which does not see the levels of a memory, are slower than builtin plans of more
/// numbers (EPYC, AVX-512).
inline bool UsesFftw(std::ptrdiff_t n, bool is_real) {
  using mshadow_fftw::Choice;
  const Choice choice = mshadow_fftw::ChosenByUser();
  if (choice != Choice::kFaster) return choice != Choice::kBuiltin;
  return n <= (is_real ? 16384 : 4096);
}

/// to[i] *= scale
template <typename T>
struct ScaleStep {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(T* to, T scale, std::ptrdiff_t count) {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] *= scale;
  }
};

/// A part of the lines: `outer` blocks from `block` on, of each the lines from `first` on.
struct LinesPart {
  std::ptrdiff_t block, outer, first, inner;
};
/// Calls f(part) for parts of about 16384 numbers, on all threads. The parts, and so the plans that
/// transform them, do not depend on the number of threads.
template <typename F>
inline void ForParts(std::ptrdiff_t n, const Lines& lines, const F& f) {
  const std::ptrdiff_t blocks = lines.count / lines.step;
  // Multiples of four lines start at addresses that are aligned alike.
  std::ptrdiff_t most = 16384 / n;
  most = most < 2 ? 1 : (most + 3) / 4 * 4;
  const bool is_split = lines.step >= most;  // a block is several parts, or a part several blocks
  const std::ptrdiff_t inner = is_split ? most : lines.step;
  const std::ptrdiff_t outer = is_split ? 1 : most / lines.step;
  const std::ptrdiff_t across = (lines.step + inner - 1) / inner;
  const std::ptrdiff_t parts = (blocks + outer - 1) / outer * across;
  ParallelRanges(parts, n * inner * outer < 8192 ? 2 : 1,
                 [&](std::ptrdiff_t part, std::ptrdiff_t end) {
                   for (; part < end; ++part) {
                     LinesPart p{part / across * outer, outer, part % across * inner, inner};
                     if (p.block + p.outer > blocks) p.outer = blocks - p.block;
                     if (p.first + p.inner > lines.step) p.inner = lines.step - p.first;
                     f(p);
                   }
                 });
}

template <typename T>
inline std::shared_ptr<const mshadow_fftw::Plan<T>> FftwPlanOf(mshadow_fftw::Layout layout,
                                                               void* in, void* out) {
  using A = mshadow_fftw::Api<T>;
  layout.in_place = in == out;
  layout.is_aligned =
      A::AlignmentOf(static_cast<T*>(in)) == 0 && A::AlignmentOf(static_cast<T*>(out)) == 0;
  auto plan = mshadow_fftw::PlanOf<T>(layout, in, out);
  MSHADOW_CHECK(plan->plan != nullptr)
      << "FFTW has no plan for lines of " << layout.n << " numbers";
  return plan;
}

/// f(z, block, number, line) for the first n numbers of each line of a part.
template <typename Z, typename F>
inline void ForNumbers(Z* data, const Lines& to, const LinesPart& p, std::ptrdiff_t n, const F& f) {
  for (std::ptrdiff_t o = 0; o < p.outer; ++o) {
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      Z* const at = data + (o * to.n + k) * to.step;
      for (std::ptrdiff_t i = 0; i < p.inner; ++i) f(at + i, o, k, i);
    }
  }
}
/// The first `half` numbers of each line of a part, the lines of a block side by side. The
/// imaginary parts of the first, and for even n of the last, are 0: they do not count, but FFTW
/// reads them.
template <typename T, typename In>
inline void CopyHalf(const In* x, const Lines& from, const LinesPart& p, std::ptrdiff_t n, T* to) {
  const std::ptrdiff_t half = n / 2 + 1, side = p.inner;
  for (std::ptrdiff_t o = 0; o < p.outer; ++o) {
    T* const block = to + 2 * o * half * side;
    const In* const at = x + o * from.n * from.step;
    if constexpr (std::is_same_v<In, std::complex<T>>) {
      const std::ptrdiff_t runs = side == from.step ? 1 : half, run = half * side / runs;
      for (std::ptrdiff_t k = 0; k < runs; ++k) {
        std::memcpy(block + 2 * k * run, at + k * from.step,
                    static_cast<std::size_t>(run) * sizeof(In));
      }
    } else {
      for (std::ptrdiff_t k = 0; k < half; ++k) {
        for (std::ptrdiff_t i = 0; i < side; ++i) {
          block[2 * (k * side + i)] = at[k * from.step + i];
          block[2 * (k * side + i) + 1] = 0;
        }
      }
    }
    for (std::ptrdiff_t i = 0; i < side; ++i) {
      block[2 * i + 1] = 0;
      if (n % 2 == 0) block[2 * ((half - 1) * side + i) + 1] = 0;
    }
  }
}

/// Transform (lines.h), by FFTW.
template <typename T, typename In, typename Out>
inline void FftwLines(const In* in, const Lines& from, Out* out, const Lines& to, std::ptrdiff_t n,
                      bool inverse, T scale) {
  using A = mshadow_fftw::Api<T>;
  using Complex = typename A::Complex;
  constexpr bool kToReal = std::is_floating_point_v<Out>;
  ForParts(n, to, [&](const LinesPart& p) {
    // FFTW reads what is not const.
    In* const x = const_cast<In*>(in) + p.block * from.n * from.step + p.first;
    Out* const y = out + p.block * to.n * to.step + p.first;
    mshadow_fftw::Layout layout{};
    layout.n = n;
    layout.in_step = from.step, layout.out_step = to.step;
    layout.outer = p.outer, layout.inner = p.inner;
    layout.in_outer = from.n * from.step, layout.out_outer = to.n * to.step;
    if constexpr (kToReal) {
      // FFTW overwrites what real numbers are made of, and reads imaginary parts that count as 0.
      const std::ptrdiff_t half = n / 2 + 1;
      layout.kind = mshadow_fftw::kToReal;
      layout.in_step = p.inner, layout.in_outer = half * p.inner;
      Temporary<cpu, 1, T> memory(Shape1(static_cast<index_t>(2 * p.outer * half * p.inner)),
                                  nullptr);
      T* const numbers = memory.tensor().dptr_;
      CopyHalf(x, from, p, n, numbers);
      const auto plan = FftwPlanOf<T>(layout, numbers, y);
      A::RunToReal(plan->plan, reinterpret_cast<Complex*>(numbers), y);
    } else if constexpr (std::is_floating_point_v<In>) {
      layout.kind = mshadow_fftw::kFromReal;
      const auto plan = FftwPlanOf<T>(layout, x, y);
      A::RunFromReal(plan->plan, x, reinterpret_cast<Complex*>(y));
      // The inverse is the conjugate; the second half is that of the first.
      if (inverse) {
        ForNumbers(y, to, p, n / 2 + 1, [](Out* z, auto...) { *z = Out(z->real(), -z->imag()); });
      }
      if (to.n == n) {
        ForNumbers(y, to, p, (n + 1) / 2,
                   [&](Out* z, std::ptrdiff_t, std::ptrdiff_t k, std::ptrdiff_t) {
                     if (k > 0) z[(n - 2 * k) * to.step] = Out(z->real(), -z->imag());
                   });
      }
    } else {
      layout.kind = inverse ? mshadow_fftw::kBackward : mshadow_fftw::kForward;
      const auto plan = FftwPlanOf<T>(layout, x, y);
      A::Run(plan->plan, reinterpret_cast<Complex*>(x), reinterpret_cast<Complex*>(y));
    }
    if (scale != T(1)) {
      const std::ptrdiff_t runs = p.inner == to.step ? 1 : to.n;
      const std::ptrdiff_t run =
          p.outer * to.n * p.inner / runs;  // outer is 1 where runs are several
      const std::ptrdiff_t reals = run * static_cast<std::ptrdiff_t>(sizeof(Out) / sizeof(T));
      for (std::ptrdiff_t k = 0; k < runs; ++k) {
        T* const at = reinterpret_cast<T*>(y + k * to.step);
        simd::Call<ScaleStep<T>>(at, scale, reals);
      }
    }
  });
}

}  // namespace MSHADOW_FFT_NAMESPACE
#endif  // MSHADOW_USE_FFTW
}  // namespace detail::fft
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_FFT_FFTW_LINES_H_
