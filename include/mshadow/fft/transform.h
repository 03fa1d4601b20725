// SPDX-License-Identifier: Apache-2.0
// Transforms of tensors along axes.
#ifndef MSHADOW_FFT_TRANSFORM_H_
#define MSHADOW_FFT_TRANSFORM_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../complex.h"
#include "../tensor.h"
#include "../tensor_container.h"
#include "gpu.h"
#include "lines.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::fft {

/// The real type of an expression's elements, or a sentence.
template <typename E>
constexpr bool IsTransformable() {
  using T = typename RealOf<expr::detail::ElementOfExp<E>>::Type;
  constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  static_assert(is_real,
                "mshadow: Fourier transforms take float, double and std::complex of them; "
                "tcast<float>(x) makes them of other numbers");
  constexpr bool is_host = (expr::ExpInfo<E>::kDevMask & cpu::kDevMask) != 0;
  constexpr bool is_gpu = MSHADOW_USE_CUFFT && (expr::ExpInfo<E>::kDevMask & gpu::kDevMask) != 0;
  static_assert(
      is_host || is_gpu,
      "mshadow: Fourier transforms run on the CPU, and with MSHADOW_USE_CUFFT=1 on a GPU: "
      "Copy the tensor to the CPU");
  constexpr bool is_variable = expr::detail::NamesVariable<E>();
  static_assert(!is_variable,
                "mshadow: a Fourier transform of a Variable would leave the tape: its result is a "
                "constant. Of x.value it is meant to be one");
  return is_real && (is_host || is_gpu) && !is_variable;
}
template <typename E>
using ComplexOf = std::complex<typename RealOf<expr::detail::ElementOfExp<E>>::Type>;

/// Lengths of transforms, and axes, as NumPy's s and axes.
using Sizes = std::vector<std::ptrdiff_t>;
using Axes = std::vector<int>;

inline namespace MSHADOW_FFT_NAMESPACE {

template <typename E>
using DeviceOf = expr::detail::DeviceOf<E>;

/// Out <- x, of the same shape and contiguous. On a GPU, complex numbers are moved as real ones.
template <typename Device, int dim, typename DType, typename E>
inline void Assign(Tensor<Device, dim, DType> out, const E& x) {
  using T = typename RealOf<DType>::Type;
  if constexpr (!std::is_same_v<Device, cpu> && !std::is_same_v<T, DType> &&
                std::is_base_of_v<Tensor<Device, dim, DType>, E>) {
    Shape<dim> shape = out.shape_;
    shape[dim - 1] *= 2;
    Tensor<Device, dim, T> parts(reinterpret_cast<T*>(out.dptr_), shape, out.stride_ * 2,
                                 out.stream_);
    parts = Tensor<Device, dim, T>(reinterpret_cast<T*>(x.dptr_), shape, x.stride_ * 2, x.stream_) *
            T(1);
  } else {
    out.__assign(x);
  }
}
/// An empty container without padding, for results of x.
template <int dim, typename DType, typename E>
inline auto ContainerFor(const E& x, const Shape<dim>& shape) {
  TensorContainer<DeviceOf<E>, dim, DType> result(false);
  result.set_stream(expr::detail::StreamOf<DeviceOf<E>>(x));
  result.Resize(shape);
  return result;
}

/// x in contiguous memory, on the host with at least `extent` numbers along `axis`: those after its
/// own are 0. Contiguous tensors that have as many are not copied.
template <typename E>
class Operand {
 public:
  static constexpr int kDim = expr::ExpInfo<E>::kDim;
  using Device = DeviceOf<E>;
  using DType = expr::detail::ElementOfExp<E>;

  Operand(const E& x, int axis, std::ptrdiff_t extent)
      : shape_(expr::ShapeCheck<kDim, E>::Check(x)), memory_(false), longer_(false) {
    const std::ptrdiff_t given = static_cast<std::ptrdiff_t>(shape_[axis]);
    bool is_packed = false;
    if constexpr (std::is_base_of_v<Tensor<Device, kDim, DType>, E>) {
      is_packed = x.CheckContiguous();
      data_ = x.dptr_;
    }
    if (!is_packed) {
      memory_.set_stream(expr::detail::StreamOf<Device>(x));
      memory_.Resize(shape_);
      Tensor<Device, kDim, DType>& whole = memory_;
      if (shape_.Size() > 0) Assign(whole, x);
      data_ = whole.dptr_;
    }
    if constexpr (std::is_same_v<Device, cpu>) {
      if (given >= extent) return;
      const Lines lines(shape_, axis);
      shape_[axis] = static_cast<index_t>(extent);
      longer_.Resize(shape_);
      const std::ptrdiff_t step = lines.step, blocks = lines.count / (step > 0 ? step : 1);
      for (std::ptrdiff_t b = 0; b < blocks; ++b) {
        DType* const to = longer_.dptr_ + b * extent * step;
        const DType* const from = data_ + b * given * step;
        for (std::ptrdiff_t i = 0; i < given * step; ++i) to[i] = from[i];
        for (std::ptrdiff_t i = given * step; i < extent * step; ++i) to[i] = DType(0);
      }
      data_ = longer_.dptr_;
    }
  }
  const Shape<kDim>& shape() const { return shape_; }
  const DType* data() const { return data_; }

 private:
  Shape<kDim> shape_;
  TensorContainer<Device, kDim, DType> memory_, longer_;
  const DType* data_ = nullptr;
};

/// Transform, on the device of the stream.
template <typename T, typename In, typename Out>
inline void TransformOn(Stream<cpu>*, const In* in, const Lines& from, Out* out, const Lines& to,
                        std::ptrdiff_t n, bool inverse, T scale) {
  Transform<T>(in, from, out, to, n, inverse, scale);
}
#if MSHADOW_USE_CUFFT
template <typename T, typename In, typename Out>
inline void TransformOn(Stream<gpu>* stream, const In* in, const Lines& from, Out* out,
                        const Lines& to, std::ptrdiff_t n, bool inverse, T scale) {
  GpuLines<T>(stream).Transform(in, from, out, to, n, inverse, scale);
}
#endif

template <typename E>
inline std::ptrdiff_t ExtentOf(const E& x, int axis) {
  return static_cast<std::ptrdiff_t>(expr::ShapeCheck<expr::ExpInfo<E>::kDim, E>::Check(x)[axis]);
}
/// Throws Error unless a transform of n numbers is one.
template <int dim>
inline void CheckLength(const char* function, std::ptrdiff_t n, int axis, const Shape<dim>& shape) {
  MSHADOW_CHECK(n > 0) << function << ": axis " << axis << " of " << shape << " is transformed as "
                       << n << " numbers; at least 1 is needed";
  MSHADOW_CHECK(static_cast<std::uint64_t>(n) <= mshadow::detail::kMaxElements)
      << function << ": no extent holds " << n << " elements";
}

/// The transform of x along an axis: n numbers of a line, of which `results` are kept. `given` are
/// read: n, or n / 2 + 1 where n real numbers are made of complex ones.
template <typename Out, typename E>
inline auto Transformed(const char* function, const E& x, int axis, std::ptrdiff_t n,
                        std::ptrdiff_t given, std::ptrdiff_t results, bool inverse, FftNorm norm) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  using T = typename RealOf<Out>::Type;
  Shape<kDim> shape = expr::ShapeCheck<kDim, E>::Check(x);
  CheckLength(function, n, axis, shape);
  const Operand<E> operand(x, axis, given);
  shape[axis] = static_cast<index_t>(results);
  auto result = ContainerFor<kDim, Out>(x, shape);
  if (shape.Size() == 0) return result;
  TransformOn<T>(result.stream_, operand.data(), Lines(operand.shape(), axis), result.dptr_,
                 Lines(shape, axis), n, inverse, ScaleOf<T>(n, inverse, norm));
  return result;
}
/// fft and ifft of n numbers; n = -1 stands for the extent of the axis.
template <typename E>
inline auto Complex(const char* function, const E& x, std::ptrdiff_t n, int axis, bool inverse,
                    FftNorm norm) {
  const int at = expr::detail::CheckAxis(function, axis, expr::ExpInfo<E>::kDim);
  if (n == -1) n = ExtentOf(x, at);
  return Transformed<ComplexOf<E>>(function, x, at, n, n, n, inverse, norm);
}
/// rfft of n numbers; n = -1 stands for the extent of the axis.
template <typename E>
inline auto Half(const char* function, const E& x, std::ptrdiff_t n, int axis, FftNorm norm) {
  static_assert(std::is_floating_point_v<expr::detail::ElementOfExp<E>>,
                "mshadow: rfft, rfft2, rfftn and ihfft take real numbers; fft transforms complex "
                "ones");
  const int at = expr::detail::CheckAxis(function, axis, expr::ExpInfo<E>::kDim);
  if (n == -1) n = ExtentOf(x, at);
  return Transformed<ComplexOf<E>>(function, x, at, n, n, n / 2 + 1, false, norm);
}
/// irfft to n numbers; n = 0 and n = -1 stand for 2 (m - 1), m the extent of the axis.
template <typename E>
inline auto Whole(const char* function, const E& x, std::ptrdiff_t n, int axis, FftNorm norm) {
  const int at = expr::detail::CheckAxis(function, axis, expr::ExpInfo<E>::kDim);
  if (n == 0 || n == -1) n = 2 * (ExtentOf(x, at) - 1);
  using T = typename RealOf<expr::detail::ElementOfExp<E>>::Type;
  return Transformed<T>(function, x, at, n, n / 2 + 1, n, true, norm);
}

/// What a transform of several axes was asked for: each axis, counted from 0, and its length, -1
/// for that of x. As NumPy: no axes are all, or the last ones that s has lengths for.
struct Request {
  Axes axes;
  Sizes s;
  Request(const char* function, int dim, const Sizes& sizes, const Axes& which)
      : axes(which), s(sizes) {
    if (axes.empty()) {
      const int count = s.empty() ? dim : static_cast<int>(s.size());
      MSHADOW_CHECK(count <= dim) << function << ": " << count << " lengths for " << dim << " axes";
      for (int axis = dim - count; axis < dim; ++axis) axes.push_back(axis);
    }
    if (s.empty()) s.assign(axes.size(), -1);
    MSHADOW_CHECK_EQ(s.size(), axes.size()) << function << ": as many lengths as axes are needed";
    for (int& axis : axes) axis = expr::detail::CheckAxis(function, axis, dim);
    for (const std::ptrdiff_t n : s) {
      MSHADOW_CHECK(n > 0 || n == -1)
          << function << ": a length is " << n << "; it is positive, or -1 for that of the axis";
    }
  }
};

/// Transforms *x along all axes of the request but the last, which are taken backwards.
template <typename Device, int dim, typename T>
inline void TransformOthers(const char* function, TensorContainer<Device, dim, std::complex<T>>* x,
                            const Request& request, bool inverse, FftNorm norm) {
  for (std::size_t i = request.axes.size() - 1; i-- > 0;) {
    const int axis = request.axes[i];
    const Lines lines(x->shape_, axis);
    const std::ptrdiff_t n = request.s[i] == -1 ? lines.n : request.s[i];
    if (n != lines.n) {
      *x = Transformed<std::complex<T>>(function,
                                        static_cast<Tensor<Device, dim, std::complex<T>>&>(*x),
                                        axis, n, n, n, inverse, norm);
    } else if (x->shape_.Size() > 0) {
      TransformOn<T>(x->stream_, x->dptr_, lines, x->dptr_, lines, n, inverse,
                     ScaleOf<T>(n, inverse, norm));
    }
  }
}
template <typename E>
inline auto ComplexOfAxes(const char* function, const E& x, const Sizes& s, const Axes& axes,
                          bool inverse, FftNorm norm) {
  const Request request(function, expr::ExpInfo<E>::kDim, s, axes);
  auto result = Complex(function, x, request.s.back(), request.axes.back(), inverse, norm);
  TransformOthers(function, &result, request, inverse, norm);
  return result;
}
template <typename E>
inline auto HalfOfAxes(const char* function, const E& x, const Sizes& s, const Axes& axes,
                       FftNorm norm) {
  const Request request(function, expr::ExpInfo<E>::kDim, s, axes);
  auto result = Half(function, x, request.s.back(), request.axes.back(), norm);
  TransformOthers(function, &result, request, false, norm);
  return result;
}
/// x as complex numbers, in a container of its own.
template <typename E>
inline auto ComplexCopy(const E& x) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  using DType = expr::detail::ElementOfExp<E>;
  using T = typename RealOf<DType>::Type;
  const Shape<kDim> shape = expr::ShapeCheck<kDim, E>::Check(x);
  auto copy = ContainerFor<kDim, std::complex<T>>(x, shape);
  if (shape.Size() == 0) return copy;
  if constexpr (!std::is_same_v<T, DType>) {
    Assign<DeviceOf<E>, kDim, DType>(copy, x);
  } else {
    // The real parts, as rows of one number each.
    const Shape<1> parts = Shape1(shape.Size() * 2);
    MSHADOW_CHECK(static_cast<std::uint64_t>(shape.Size()) <= mshadow::detail::kMaxElements / 2)
        << "a transform of " << shape << ": no extent holds the parts of the numbers";
    T* const numbers = reinterpret_cast<T*>(copy.dptr_);
    Tensor<DeviceOf<E>, 1, T> all(numbers, parts, copy.stream_);
    Shape<kDim + 1> wide;
    for (int i = 0; i < kDim; ++i) wide[i] = shape[i];
    wide[kDim] = 1;
    Tensor<DeviceOf<E>, kDim + 1, T> real(numbers, wide, 2, copy.stream_);
    all = T(0);
    real = expr::reshape(x, wide);
  }
  return copy;
}
template <typename E>
inline auto WholeOfAxes(const char* function, const E& x, const Sizes& s, const Axes& axes,
                        FftNorm norm) {
  constexpr int kDim = expr::ExpInfo<E>::kDim;
  const Request request(function, kDim, s, axes);
  auto spectrum = ComplexCopy(x);
  TransformOthers(function, &spectrum, request, true, norm);
  return Whole(function, static_cast<Tensor<DeviceOf<E>, kDim, ComplexOf<E>>&>(spectrum),
               request.s.back(), request.axes.back(), norm);
}

/// The axes of fft2: the last two where none are given.
template <typename E>
inline Axes TwoOf(const Axes& axes) {
  static_assert(expr::ExpInfo<E>::kDim >= 2, "mshadow: fft2 and its like transform two axes");
  return axes.empty() ? Axes{-2, -1} : axes;
}
/// kBackward for kForward, and the reverse.
inline FftNorm Swapped(FftNorm norm) {
  if (norm == FftNorm::kOrtho) return norm;
  return norm == FftNorm::kBackward ? FftNorm::kForward : FftNorm::kBackward;
}
/// x, of numbers conjugated in place.
template <typename Device, int dim, typename T>
inline TensorContainer<Device, dim, std::complex<T>> Conjugate(
    TensorContainer<Device, dim, std::complex<T>>&& x) {
  if constexpr (std::is_same_v<Device, cpu>) {
    const std::size_t count = static_cast<std::size_t>(x.shape_.Size());
    for (std::size_t i = 0; i < count; ++i) x.dptr_[i] = std::conj(x.dptr_[i]);
  } else if (x.shape_.Size() > 0) {
    Tensor<Device, 2, T> imag(reinterpret_cast<T*>(x.dptr_) + 1, Shape2(x.shape_.Size(), 1), 2,
                              x.stream_);
    imag *= T(-1);
  }
  return static_cast<TensorContainer<Device, dim, std::complex<T>>&&>(x);
}

/// x rolled by its extents / 2 along the axes of `mask` from `axis` on, forth or back.
template <int axis, typename E>
inline auto Shifted(const E& x, unsigned mask, bool back) {
  if constexpr (axis == expr::ExpInfo<E>::kDim) {
    return x;
  } else {
    const std::ptrdiff_t half = (mask >> axis & 1u) != 0 ? ExtentOf(x, axis) / 2 : 0;
    return Shifted<axis + 1>(roll(x, static_cast<int>(back ? -half : half), axis), mask, back);
  }
}
inline unsigned MaskOf(const char* function, const Axes& axes, int dim) {
  unsigned mask = 0;
  for (const int axis : axes) mask |= 1u << expr::detail::CheckAxis(function, axis, dim);
  return mask;
}

}  // namespace MSHADOW_FFT_NAMESPACE
}  // namespace detail::fft

namespace expr::adl {
inline namespace MSHADOW_FFT_NAMESPACE {

// name(x, axis, norm) and name(x, n, axis, norm): n numbers of each line, of which those that x
// does not have are 0. How(name, x, n, axis, norm) is the result.
#define MSHADOW_FFT_(name, how)                                                           \
  template <typename E, typename DType, int etype>                                        \
  inline auto name(const Exp<E, DType, etype>& x, int axis = -1,                          \
                   FftNorm norm = FftNorm::kBackward) {                                   \
    namespace f = mshadow::detail::fft;                                                   \
    if constexpr (f::IsTransformable<E>()) {                                              \
      const std::ptrdiff_t n = -1;                                                        \
      detail::CheckArgument(#name, "axis", axis, -ExpInfo<E>::kDim,                       \
                            ExpInfo<E>::kDim - 1,                                         \
                            "; a length is followed by its axis, " #name "(x, n, axis)"); \
      return how;                                                                         \
    }                                                                                     \
  }                                                                                       \
  template <typename E, typename DType, int etype>                                        \
  inline auto name(const Exp<E, DType, etype>& x, std::ptrdiff_t n, int axis,             \
                   FftNorm norm = FftNorm::kBackward) {                                   \
    namespace f = mshadow::detail::fft;                                                   \
    if constexpr (f::IsTransformable<E>()) {                                              \
      const int at = detail::CheckAxis(#name, axis, ExpInfo<E>::kDim);                    \
      f::CheckLength(#name, n, at, ShapeCheck<ExpInfo<E>::kDim, E>::Check(x.self()));     \
      return how;                                                                         \
    }                                                                                     \
  }

/// X[k] = sum_i x[i] exp(-2 pi i k / n) along `axis`, of real or complex x of any rank: a container
/// of std::complex, of the same shape, or of n numbers along the axis. Any n takes O(n log n).
/// Throws Error where n is 0. https://numpy.org/doc/stable/reference/routines.fft.html
MSHADOW_FFT_(fft, f::Complex("fft", x.self(), n, axis, false, norm))
/// The inverse of fft: x[i] = sum_k X[k] exp(2 pi i k / n) / n.
MSHADOW_FFT_(ifft, f::Complex("ifft", x.self(), n, axis, true, norm))
/// The first n / 2 + 1 numbers of the fft of real x; the others are conjugates of these.
MSHADOW_FFT_(rfft, f::Half("rfft", x.self(), n, axis, norm))
/// The inverse of hfft: the conjugate of rfft(x), divided by n.
MSHADOW_FFT_(ihfft, f::Conjugate(f::Half("ihfft", x.self(), n, axis, f::Swapped(norm))))
#undef MSHADOW_FFT_

/// The inverse of rfft: n real numbers of n / 2 + 1 complex ones. n = 0 stands for 2 (m - 1), m
/// the extent of the axis. Missing numbers are 0, surplus ones are not read. The imaginary parts of
/// the first number, and for even n of the last, count as 0.
template <typename E, typename DType, int etype>
inline auto irfft(const Exp<E, DType, etype>& x, std::ptrdiff_t n = 0, int axis = -1,
                  FftNorm norm = FftNorm::kBackward) {
  namespace f = mshadow::detail::fft;
  if constexpr (f::IsTransformable<E>()) {
    MSHADOW_CHECK(n >= 0) << "irfft: n = " << n << " is negative";
    return f::Whole("irfft", x.self(), n, axis, norm);
  }
}
/// The fft of a signal with x[-i] = conj(x[i]), of which x has the first n / 2 + 1 numbers: n real
/// ones, irfft(conj(x), n) * n. n as that of irfft.
template <typename E, typename DType, int etype>
inline auto hfft(const Exp<E, DType, etype>& x, std::ptrdiff_t n = 0, int axis = -1,
                 FftNorm norm = FftNorm::kBackward) {
  namespace f = mshadow::detail::fft;
  if constexpr (f::IsTransformable<E>()) {
    MSHADOW_CHECK(n >= 0) << "hfft: n = " << n << " is negative";
    constexpr int kDim = ExpInfo<E>::kDim;
    auto conjugates = f::Conjugate(f::ComplexCopy(x.self()));
    Tensor<f::DeviceOf<E>, kDim, f::ComplexOf<E>>& numbers = conjugates;
    return f::Whole("hfft", numbers, n, axis, f::Swapped(norm));
  }
}

// name(x, norm) and name(x, s, axes, norm). As NumPy: s has the length of each axis, -1 for that of
// x, and may be {}; axes {} are all axes, or the last ones that s has lengths for.
#define MSHADOW_FFT_AXES_(name, how)                                                    \
  template <typename E, typename DType, int etype>                                      \
  inline auto name(const Exp<E, DType, etype>& x, const mshadow::detail::fft::Sizes& s, \
                   const mshadow::detail::fft::Axes& axes = {},                         \
                   FftNorm norm = FftNorm::kBackward) {                                 \
    namespace f = mshadow::detail::fft;                                                 \
    if constexpr (f::IsTransformable<E>()) {                                            \
      return how;                                                                       \
    }                                                                                   \
  }                                                                                     \
  template <typename E, typename DType, int etype>                                      \
  inline auto name(const Exp<E, DType, etype>& x, FftNorm norm = FftNorm::kBackward) {  \
    return name(x, {}, {}, norm);                                                       \
  }

/// fft, ifft along several axes, and along the last two.
MSHADOW_FFT_AXES_(fftn, f::ComplexOfAxes("fftn", x.self(), s, axes, false, norm))
MSHADOW_FFT_AXES_(ifftn, f::ComplexOfAxes("ifftn", x.self(), s, axes, true, norm))
MSHADOW_FFT_AXES_(fft2, f::ComplexOfAxes("fft2", x.self(), s, f::TwoOf<E>(axes), false, norm))
MSHADOW_FFT_AXES_(ifft2, f::ComplexOfAxes("ifft2", x.self(), s, f::TwoOf<E>(axes), true, norm))
/// Those of real numbers; the last of the axes has n / 2 + 1 of n numbers, as of rfft.
MSHADOW_FFT_AXES_(rfftn, f::HalfOfAxes("rfftn", x.self(), s, axes, norm))
MSHADOW_FFT_AXES_(rfft2, f::HalfOfAxes("rfft2", x.self(), s, f::TwoOf<E>(axes), norm))
/// Their inverses; the length of the last of the axes is that of irfft.
MSHADOW_FFT_AXES_(irfftn, f::WholeOfAxes("irfftn", x.self(), s, axes, norm))
MSHADOW_FFT_AXES_(irfft2, f::WholeOfAxes("irfft2", x.self(), s, f::TwoOf<E>(axes), norm))
#undef MSHADOW_FFT_AXES_
/// irfftn along all axes, to n numbers of the last; 0 is as of irfft.
template <typename E, typename DType, int etype>
inline auto irfftn(const Exp<E, DType, etype>& x, std::ptrdiff_t n,
                   FftNorm norm = FftNorm::kBackward) {
  MSHADOW_CHECK(n >= 0) << "irfftn: n = " << n << " is negative";
  mshadow::detail::fft::Sizes s(static_cast<std::size_t>(ExpInfo<E>::kDim), -1);
  if (n > 0) s.back() = n;
  return irfftn(x, s, {}, norm);
}

// name(x), name(x, axis), name(x, {axis, ..}): of all axes, one or several.
#define MSHADOW_FFT_SHIFT_(name, back)                                                      \
  template <typename E, typename DType, int etype>                                          \
  inline auto name(const Exp<E, DType, etype>& x) {                                         \
    return mshadow::detail::fft::Shifted<0>(x.self(), ~0u, back);                           \
  }                                                                                         \
  template <typename E, typename DType, int etype>                                          \
  inline auto name(const Exp<E, DType, etype>& x, int axis) {                               \
    const int at = expr::detail::CheckAxis(#name, axis, ExpInfo<E>::kDim);                  \
    const std::ptrdiff_t half = mshadow::detail::fft::ExtentOf(x.self(), at) / 2;           \
    return roll(x, static_cast<int>((back) ? -half : half), at);                            \
  }                                                                                         \
  template <typename E, typename DType, int etype>                                          \
  inline auto name(const Exp<E, DType, etype>& x, const mshadow::detail::fft::Axes& axes) { \
    namespace f = mshadow::detail::fft;                                                     \
    return f::Shifted<0>(x.self(), f::MaskOf(#name, axes, ExpInfo<E>::kDim), back);         \
  }                                                                                         \
  MSHADOW_OWNS_TEMPORARIES_(name)                                                           \
  template <typename Device, int dim, typename T> /* {0, 1} has no type to be deduced */    \
  inline auto name(TensorContainer<Device, dim, T>&& x,                                     \
                   const mshadow::detail::fft::Axes& axes) {                                \
    return name(static_cast<TensorContainer<Device, dim, T>&&>(x).Owned(), axes);           \
  }
/// x with the number of frequency 0 in the middle: roll by half of each extent. And back.
MSHADOW_FFT_SHIFT_(fftshift, false)
MSHADOW_FFT_SHIFT_(ifftshift, true)
#undef MSHADOW_FFT_SHIFT_

}  // namespace MSHADOW_FFT_NAMESPACE
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
