// SPDX-License-Identifier: Apache-2.0
// Transforms of lines in the memory of a device whose library transforms batches of lines, as cuFFT
// does. What surrounds the library's call are statements on real numbers.
#ifndef MSHADOW_FFT_DEVICE_LINES_H_
#define MSHADOW_FFT_DEVICE_LINES_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../tensor.h"
#include "fftw_lines.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::fft {

/// `count` transforms of n numbers: number k of line l is at [k step + l distance]. Complex numbers
/// to complex ones, n real ones to n / 2 + 1, or back; none is scaled.
struct Batch {
  enum Kind { kForward, kBackward, kFromReal, kToReal };
  Kind kind;
  std::ptrdiff_t n, in_step, in_distance, out_step, out_distance, count;
};

/// Transform (lines.h) on Device by Library::Run<T>(batch, in, out, stream), which may overwrite
/// what real numbers are made of, and wants pointers that are aligned to complex numbers. Unlike
/// there, lines of `in` may be shorter than n: the missing numbers are 0.
template <typename Library, typename Device, typename T>
class DeviceLines {
 public:
  using Number = std::complex<T>;

  explicit DeviceLines(Stream<Device>* stream) : stream_(stream) {}

  template <typename In, typename Out>
  void Transform(const In* in, const Lines& from, Out* out, const Lines& to, std::ptrdiff_t n,
                 bool inverse, T scale) const {
    constexpr bool kFromReal = std::is_floating_point_v<In>,
                   kToReal = std::is_floating_point_v<Out>;
    if constexpr (kFromReal && !kToReal) {
      if (!inverse && to.n == n / 2 + 1) {
        if (from.n >= n) {
          Run(Batch::kFromReal, in, from, out, to, n);
        } else {
          const Temporary<Device, 1, T> memory(Extent(from.count * n), stream_);
          T* const numbers = memory.tensor().dptr_;
          Copy(Input(in, from), Numbers(numbers, from, n, 1));
          Run(Batch::kFromReal, numbers, Resized(from, n), out, to, n);
        }
        return Scale(out, to, scale);
      }
    }
    const auto kind = kToReal ? Batch::kToReal : inverse ? Batch::kBackward : Batch::kForward;
    if constexpr (!kFromReal && !kToReal) {
      if (from.n >= n) {
        Run(kind, in, from, out, to, n);
        return Scale(out, to, scale);
      }
    }
    const std::ptrdiff_t read = kToReal ? n / 2 + 1 : n;
    const Temporary<Device, 1, Number> memory(Extent(from.count * read), stream_);
    Number* const numbers = memory.tensor().dptr_;
    Tensor<Device, 4, T> parts = Numbers(reinterpret_cast<T*>(numbers), from, read, 2);
    Copy(Input(in, from), parts);
    if (kToReal) {
      // The imaginary parts of the first number, and for even n of the last, do not count.
      for (const std::ptrdiff_t k : {std::ptrdiff_t{0}, n % 2 == 0 ? read - 1 : 0}) {
        expr::slice(parts, Shape4(0, Index(k), 0, 1),
                    Shape4(parts.shape_[0], Index(k + 1), parts.shape_[2], 2)) = T(0);
      }
    }
    Run(kind, static_cast<const Number*>(numbers), Resized(from, read), out, to, n);
    Scale(out, to, scale);
  }

 private:
  /// Throws Error where a statement on the real parts of that many numbers has no extents.
  static Shape<1> Extent(std::ptrdiff_t numbers) {
    MSHADOW_CHECK(static_cast<std::uint64_t>(numbers) <= mshadow::detail::kMaxElements / 2)
        << "a transform of " << numbers << " numbers on a device: no extent holds their parts";
    return Shape1(static_cast<index_t>(numbers));
  }
  static index_t Index(std::ptrdiff_t i) { return static_cast<index_t>(i); }
  static Lines Resized(Lines lines, std::ptrdiff_t n) {
    lines.n = n;
    return lines;
  }
  /// Memory of real numbers, or of the parts of complex ones, as (blocks, n, step, parts).
  Tensor<Device, 4, T> Numbers(const T* data, const Lines& lines, std::ptrdiff_t n,
                               index_t parts) const {
    const Shape<4> shape =
        Shape4(Index(lines.count / lines.step), Index(n), Index(lines.step), parts);
    static_cast<void>(Extent(lines.count * n));
    return Tensor<Device, 4, T>(const_cast<T*>(data), shape, parts, stream_);
  }
  /// The first n numbers of each line; missing ones are 0, and so are imaginary parts of real ones.
  void Copy(Tensor<Device, 4, T> in, Tensor<Device, 4, T> to) const {
    const Shape<4> zero = Shape4(0, 0, 0, 0);
    Shape<4> part = in.shape_;
    if (part[1] > to.shape_[1]) part[1] = to.shape_[1];
    if (part != to.shape_) to = T(0);
    if (part.Size() > 0) expr::slice(to, zero, part) = expr::slice(in, zero, part);
  }
  Tensor<Device, 4, T> Input(const Number* in, const Lines& from) const {
    return Numbers(reinterpret_cast<const T*>(in), from, from.n, 2);
  }
  Tensor<Device, 4, T> Input(const T* in, const Lines& from) const {
    return Numbers(in, from, from.n, 1);
  }
  template <typename Out>
  void Scale(Out* out, const Lines& to, T scale) const {
    if (scale == T(1)) return;
    const index_t parts = sizeof(Out) / sizeof(T);
    const Shape<1> count = Shape1(Extent(to.count * to.n)[0] * parts);
    Tensor<Device, 1, T> numbers(reinterpret_cast<T*>(out), count, stream_);
    numbers *= scale;
  }

  static bool IsAligned(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % (2 * sizeof(T)) == 0;
  }
  /// All lines, in as few batches as their steps allow: of all blocks, or of the lines of one.
  template <typename In, typename Out>
  void Run(typename Batch::Kind kind, const In* in, const Lines& from, Out* out, const Lines& to,
           std::ptrdiff_t n) const {
    const std::ptrdiff_t step = from.step, blocks = from.count / step;
    const std::ptrdiff_t in_block = from.n * step, out_block = to.n * step;
    constexpr bool kIsComplex = !std::is_floating_point_v<In> && !std::is_floating_point_v<Out>;
    if (step == 1) {
      const Batch batch{kind, n, 1, in_block, 1, out_block, blocks};
      return RunAligned(batch, in, in_block * blocks, out, out_block * blocks);
    }
    if (kIsComplex && step < blocks && IsAligned(in) && IsAligned(out)) {
      const Batch batch{kind, n, step, in_block, step, out_block, blocks};
      for (std::ptrdiff_t i = 0; i < step; ++i) {
        Library::template Run<T>(batch, in + i, out + i, stream_);
      }
      return;
    }
    const Batch batch{kind, n, step, 1, step, 1, step};
    for (std::ptrdiff_t b = 0; b < blocks; ++b) {
      RunAligned(batch, in + b * in_block, in_block, out + b * out_block, out_block);
    }
  }
  /// Numbers at addresses that the library does not take go through memory of their own.
  template <typename In, typename Out>
  void RunAligned(const Batch& batch, const In* in, std::ptrdiff_t in_count, Out* out,
                  std::ptrdiff_t out_count) const {
    const bool copies_in = !IsAligned(in), copies_out = !IsAligned(out);
    const Temporary<Device, 1, In> in_memory(Extent(copies_in ? in_count : 0), stream_);
    const Temporary<Device, 1, Out> out_memory(Extent(copies_out ? out_count : 0), stream_);
    if (copies_in) CopyNumbers(in, in_memory.tensor().dptr_, in_count);
    Library::template Run<T>(batch, copies_in ? in_memory.tensor().dptr_ : in,
                             copies_out ? out_memory.tensor().dptr_ : out, stream_);
    if (copies_out) CopyNumbers(out_memory.tensor().dptr_, out, out_count);
  }
  template <typename Z>
  void CopyNumbers(const Z* from, Z* to, std::ptrdiff_t count) const {
    const Shape<1> reals = Shape1(Extent(count)[0] * static_cast<index_t>(sizeof(Z) / sizeof(T)));
    const Tensor<Device, 1, T> source(const_cast<T*>(reinterpret_cast<const T*>(from)), reals,
                                      stream_);
    Tensor<Device, 1, T> target(reinterpret_cast<T*>(to), reals, stream_);
    target = expr::F<op::identity>(source);
  }

  Stream<Device>* stream_;
};

}  // namespace detail::fft
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_FFT_DEVICE_LINES_H_
