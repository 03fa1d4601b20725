// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of Tensor<gpu> by cuFFT, beside those of the host.
#include "gpu_testing.h"

#include <mshadow/fft.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "../error_of.h"

namespace mshadow {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;

/// A container on the device, of the same elements; padded where `pad`.
template <int dim, typename DType>
TensorContainer<gpu, dim, DType> OnDevice(const TensorContainer<cpu, dim, DType>& x, bool pad) {
  TensorContainer<gpu, dim, DType> result(pad);
  result.Resize(x.shape_);
  Copy(static_cast<Tensor<gpu, dim, DType>&>(result),
       static_cast<const Tensor<cpu, dim, DType>&>(x));
  return result;
}
template <int dim, typename DType>
TensorContainer<cpu, dim, DType> Some(const Shape<dim>& shape) {
  TensorContainer<cpu, dim, DType> x(shape);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.Size()); ++i) {
    const double t = static_cast<double>(i);
    if constexpr (std::is_floating_point_v<DType>) {
      x.dptr_[i] = static_cast<DType>(std::sin(1.7 * t * t));
    } else {
      using T = typename DType::value_type;
      x.dptr_[i] = DType(static_cast<T>(std::sin(1.7 * t * t)), static_cast<T>(std::cos(t * 0.3)));
    }
  }
  return x;
}
template <int dim, typename DType>
void ExpectNear(const TensorContainer<gpu, dim, DType>& device,
                const TensorContainer<cpu, dim, DType>& host, double tolerance) {
  ASSERT_EQ(device.shape_, host.shape_);
  TensorContainer<cpu, dim, DType> got(host.shape_);
  Copy(static_cast<Tensor<cpu, dim, DType>&>(got),
       static_cast<const Tensor<gpu, dim, DType>&>(device));
  for (std::size_t i = 0; i < static_cast<std::size_t>(host.shape_.Size()); ++i) {
    ASSERT_LT(std::abs(got.dptr_[i] - host.dptr_[i]), tolerance) << i << " of " << host.shape_;
  }
}

template <typename T>
void AllFunctions(double tolerance) {
  const auto z = Some<3, std::complex<T>>(Shape3(3, 40, 7));
  const auto x = Some<3, T>(Shape3(3, 40, 7));
  for (const bool pad : {false, true}) {
    const auto gz = OnDevice(z, pad);
    const auto gx = OnDevice(x, pad);
    for (int axis = 0; axis < 3; ++axis) {
      for (const FftNorm norm : {FftNorm::kBackward, FftNorm::kOrtho, FftNorm::kForward}) {
        ExpectNear(fft(gz, axis, norm), fft(z, axis, norm), tolerance);
        ExpectNear(ifft(gz, axis, norm), ifft(z, axis, norm), tolerance);
        ExpectNear(fft(gx, axis, norm), fft(x, axis, norm), tolerance);
        ExpectNear(rfft(gx, axis, norm), rfft(x, axis, norm), tolerance);
        ExpectNear(irfft(gz, 0, axis, norm), irfft(z, 0, axis, norm), tolerance);
        ExpectNear(hfft(gz, 5, axis, norm), hfft(z, 5, axis, norm), tolerance);
        ExpectNear(ihfft(gx, axis, norm), ihfft(x, axis, norm), tolerance);
      }
      for (const std::ptrdiff_t n : {1, 6, 45}) {
        ExpectNear(fft(gz, n, axis), fft(z, n, axis), tolerance);
        ExpectNear(rfft(gx, n, axis), rfft(x, n, axis), tolerance);
        ExpectNear(irfft(gz, n, axis), irfft(z, n, axis), tolerance);
      }
    }
    ExpectNear(fftn(gz), fftn(z), tolerance * 40);
    ExpectNear(ifftn(gz, {}, {2, 0}), ifftn(z, {}, {2, 0}), tolerance);
    ExpectNear(fft2(gx, {8, 9}), fft2(x, {8, 9}), tolerance * 10);
    ExpectNear(irfftn(rfftn(gx), 7), irfftn(rfftn(x), 7), tolerance);
    ExpectNear(irfft2(gx), irfft2(x), tolerance);
  }
}
TEST(GpuFft, Floats) { AllFunctions<float>(2e-4); }
TEST(GpuFft, Doubles) { AllFunctions<double>(1e-12); }

TEST(GpuFft, ExpressionsAndStreams) {
  const auto x = Some<2, float>(Shape2(30, 65));
  const auto gx = OnDevice(x, true);
  ExpectNear(rfft(gx * 2.0f + 1.0f), rfft(x * 2.0f + 1.0f), 1e-3);
  // An address that is not that of a complex number.
  const Tensor<gpu, 1> odd(gx.dptr_ + 1, Shape1(64), 64, nullptr);
  TensorContainer<cpu, 1> odd_host(Shape1(64));
  for (index_t i = 0; i < 64; ++i) odd_host[i] = x.dptr_[i + 1];
  ExpectNear(rfft(odd), rfft(odd_host), 1e-4);
  Stream<gpu>* const stream = NewStream<gpu>(-1);
  Tensor<gpu, 2> on_stream = gx;
  on_stream.set_stream(stream);
  const auto spectrum = fft(on_stream, 0);
  EXPECT_EQ(spectrum.stream_, stream);
  stream->Wait();
  ExpectNear(spectrum, fft(x, 0), 1e-3);
  DeleteStream(stream);
  // More shapes than plans are kept of.
  for (index_t n = 2; n < 40; ++n) {
    const auto z = Some<1, std::complex<float>>(Shape1(n));
    ExpectNear(ifft(fft(OnDevice(z, false))), z, 1e-5);
  }
}

TEST(GpuFft, Errors) {
  TensorContainer<gpu, 2> none(Shape2(3, 0)), x(Shape2(3, 4));
  EXPECT_NE(ErrorOf([&] { fft(none); }).find("fft: axis 1 of (3,0)"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { rfft(x, 0, 1); }).find("rfft: axis 1 of (3,4)"), std::string::npos);
  EXPECT_EQ(fft(none, 0).shape_, Shape2(3, 0));
}

}  // namespace
}  // namespace mshadow
