// SPDX-License-Identifier: Apache-2.0
// What surrounds a device's library: batches, steps, lengths, alignment, scales. The library here
// adds up sums in double on the host, wants aligned pointers, and overwrites what it may.
#include <mshadow/fft.h>
#include <mshadow/fft/device_lines.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace device_lines_test {
namespace {

namespace f = mshadow::detail::fft;
using testing::Guarded;

int calls = 0;

struct SlowLibrary {
  template <typename T>
  static void Run(const f::Batch& batch, const void* in, void* out, Stream<cpu>*) {
    ++calls;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(in) % (2 * sizeof(T)), 0u);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(out) % (2 * sizeof(T)), 0u);
    const std::ptrdiff_t n = batch.n, half = n / 2 + 1;
    const bool to_real = batch.kind == f::Batch::kToReal,
               from_real = batch.kind == f::Batch::kFromReal;
    const std::ptrdiff_t read = to_real ? half : n, written = from_real ? half : n;
    const double sign = batch.kind == f::Batch::kForward || from_real ? -1 : 1;
    T* const x = static_cast<T*>(const_cast<void*>(in));
    T* const y = static_cast<T*>(out);
    for (std::ptrdiff_t l = 0; l < batch.count; ++l) {
      std::vector<std::complex<double>> line(static_cast<std::size_t>(n));
      for (std::ptrdiff_t i = 0; i < read; ++i) {
        T* const at = x + (i * batch.in_step + l * batch.in_distance) * (from_real ? 1 : 2);
        const std::complex<double> value(at[0], from_real ? 0 : at[1]);
        line[static_cast<std::size_t>(i)] = value;
        if (to_real && i > 0) line[static_cast<std::size_t>(n - i)] = std::conj(value);
        if (to_real && (i == 0 || 2 * i == n)) {
          EXPECT_EQ(at[1], 0);
          line[static_cast<std::size_t>(i)] = value;
        }
        if (to_real) at[0] = at[1] = T(1e9);
      }
      for (std::ptrdiff_t k = 0; k < written; ++k) {
        std::complex<double> sum = 0;
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          sum += line[static_cast<std::size_t>(i)] *
                 std::polar(1.0, sign * 2 * M_PI * static_cast<double>(i * k % n) /
                                     static_cast<double>(n));
        }
        T* const at = y + (k * batch.out_step + l * batch.out_distance) * (to_real ? 1 : 2);
        at[0] = static_cast<T>(sum.real());
        if (!to_real) at[1] = static_cast<T>(sum.imag());
      }
    }
  }
};

/// A transform of lines of `shape` to `results` numbers each, beside that of the host.
template <typename T, typename In, typename Out>
void Check(const Shape<3>& shape, int axis, std::ptrdiff_t n, std::ptrdiff_t results, bool inverse,
           index_t shift, T scale) {
  Shape<3> to_shape = shape;
  to_shape[axis] = static_cast<index_t>(results);
  SCOPED_TRACE(::testing::Message() << shape << " axis " << axis << " n " << n << " to " << to_shape
                                    << " inverse " << inverse << " shift " << shift);
  // Parts as real numbers, so that guards surround them.
  const index_t in_parts = sizeof(In) / sizeof(T), out_parts = sizeof(Out) / sizeof(T);
  Guarded<1, T> in(Shape1(shape.Size() * in_parts), 0, shift);
  Guarded<1, T> out(Shape1(to_shape.Size() * out_parts), 0, shift);
  in.FillRandom(-1, 1);
  const std::vector<T> before(in->dptr_, in->dptr_ + in.Size());
  const f::Lines from(shape, axis), to(to_shape, axis);
  const f::DeviceLines<SlowLibrary, cpu, T> lines(nullptr);
  lines.Transform(reinterpret_cast<const In*>(in->dptr_), from, reinterpret_cast<Out*>(out->dptr_),
                  to, n, inverse, scale);
  EXPECT_TRUE(in.Intact());
  EXPECT_TRUE(out.Intact());
  EXPECT_EQ(before, std::vector<T>(in->dptr_, in->dptr_ + in.Size()));
  // The same by the functions of the host.
  TensorContainer<cpu, 3, In> x(shape);
  for (index_t i = 0; i < shape.Size(); ++i) {
    x.dptr_[i] = reinterpret_cast<const In*>(in->dptr_)[i];
  }
  TensorContainer<cpu, 3, Out> right;
  if constexpr (std::is_floating_point_v<Out>) {
    right = irfft(x, n, axis, FftNorm::kForward);
  } else if constexpr (std::is_floating_point_v<In>) {
    if (results == n / 2 + 1 && !inverse) {
      right = rfft(x, n, axis);
    } else {
      right = inverse ? ifft(x, n, axis, FftNorm::kForward) : fft(x, n, axis);
    }
  } else {
    right = inverse ? ifft(x, n, axis, FftNorm::kForward) : fft(x, n, axis);
  }
  ASSERT_EQ(right.shape_, to_shape);
  for (index_t i = 0; i < to_shape.Size(); ++i) {
    ASSERT_LT(std::abs(reinterpret_cast<const Out*>(out->dptr_)[i] - right.dptr_[i] * scale), 1e-4)
        << i;
  }
}

template <typename T>
void AllKinds() {
  using Z = std::complex<T>;
  for (const auto& shape : {Shape3(3, 8, 5), Shape3(7, 5, 2), Shape3(1, 9, 3), Shape3(2, 6, 1)}) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto extent = static_cast<std::ptrdiff_t>(shape[axis]);
      for (const std::ptrdiff_t n : {extent, extent + 3, extent - 1, std::ptrdiff_t{1}}) {
        if (n < 1) continue;
        for (const index_t shift : {0, 1}) {
          Check<T, Z, Z>(shape, axis, n, n, false, shift, T(1));
          Check<T, Z, Z>(shape, axis, n, n, true, shift, T(0.5));
          Check<T, T, Z>(shape, axis, n, n, false, shift, T(1));
          Check<T, T, Z>(shape, axis, n, n, true, shift, T(0.25));
          Check<T, T, Z>(shape, axis, n, n / 2 + 1, false, shift, T(0.5));
          Check<T, Z, T>(shape, axis, n, n, true, shift, T(0.5));
          Check<T, T, T>(shape, axis, n, n, true, shift, T(1));
        }
      }
    }
  }
}
TEST(DeviceLines, Floats) { AllKinds<float>(); }
TEST(DeviceLines, Doubles) { AllKinds<double>(); }

TEST(DeviceLines, FewCalls) {
  const auto count = [](const Shape<3>& shape, int axis) {
    TensorContainer<cpu, 3, std::complex<float>> x(shape), y(shape);
    calls = 0;
    const f::Lines lines(shape, axis);
    f::DeviceLines<SlowLibrary, cpu, float>(nullptr).Transform(x.dptr_, lines, y.dptr_, lines,
                                                               lines.n, false, 1.0f);
    return calls;
  };
  EXPECT_EQ(count(Shape3(5, 4, 3), 2), 1);
  EXPECT_EQ(count(Shape3(5, 4, 3), 0), 1);
  EXPECT_EQ(count(Shape3(5, 4, 3), 1), 3);
  EXPECT_EQ(count(Shape3(2, 4, 30), 1), 2);
}

}  // namespace
}  // namespace device_lines_test
}  // namespace mshadow
