// SPDX-License-Identifier: Apache-2.0
// Transforms are the same bits for any number of threads, and may be called by several threads.
#include <mshadow/fft.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <thread>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace fft_threads_test {
namespace {

using namespace expr;  // NOLINT

template <typename T, int dim>
TensorContainer<cpu, dim, T> Some(const Shape<dim>& shape) {
  TensorContainer<cpu, dim, T> x(shape);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.Size()); ++i) {
    x.dptr_[i] = T(std::sin(1.3 * static_cast<double>(i * i % 1009)));
  }
  return x;
}
template <int dim, typename T>
void ExpectSame(const TensorContainer<cpu, dim, T>& a, const TensorContainer<cpu, dim, T>& b) {
  ASSERT_EQ(a.shape_, b.shape_);
  EXPECT_EQ(std::memcmp(a.dptr_, b.dptr_, sizeof(T) * static_cast<std::size_t>(a.shape_.Size())),
            0);
}

template <typename T>
void SameBits() {
  // Lines along each axis: parts of a block, and several blocks in a part.
  for (const Shape<3>& shape :
       {Shape3(3, 50, 200), Shape3(70, 2, 130), Shape3(33, 61, 7), Shape3(1, 194, 256)}) {
    const auto x = Some<std::complex<T>, 3>(shape);
    TensorContainer<cpu, 3, T> r(shape);
    r = real(x);
    for (int axis = 0; axis < 3; ++axis) {
      const auto n = static_cast<std::ptrdiff_t>(shape[axis]);
      SetThreads(1);
      const auto forth = fft(x, axis), back = ifft(x, axis), half = rfft(r, axis),
                 full = fft(r, axis);
      const auto whole = irfft(half, n, axis);
      const int most = kHasThreads ? 4 : 1;
      for (int threads = 2; threads <= most; ++threads) {
        SetThreads(threads);
        ExpectSame(fft(x, axis), forth);
        ExpectSame(ifft(x, axis), back);
        ExpectSame(rfft(r, axis), half);
        ExpectSame(fft(r, axis), full);
        ExpectSame(irfft(half, n, axis), whole);
      }
    }
  }
  const auto a = Some<T, 1>(Shape1(20000)), b = Some<T, 1>(Shape1(17)), c = Some<T, 1>(Shape1(400));
  SetThreads(1);
  const auto direct = convolve(a, b), transformed = convolve(a, c);
  SetThreads(4);
  ExpectSame(convolve(a, b), direct);
  ExpectSame(convolve(a, c), transformed);
  SetThreads(2);
}
TEST(FftThreads, SameBits) {
  SameBits<float>();
  SameBits<double>();
}

TEST(FftThreads, CalledBySeveral) {
  // More lengths than plans are kept of.
  const auto transform = [] {
    double sum = 0;
    for (index_t n = 20; n < 100; ++n) {
      const auto x = Some<std::complex<double>, 1>(Shape1(n));
      const auto y = ifft(fft(x));
      for (index_t i = 0; i < n; ++i) sum += std::abs(y.dptr_[i] - x.dptr_[i]);
    }
    return sum;
  };
  std::vector<double> errors(4);
  std::vector<std::thread> threads;
  for (double& error : errors) {
    threads.emplace_back([&error, &transform] {
      SetThreads(1);
      error = transform();
    });
  }
  for (auto& thread : threads) thread.join();
  for (const double error : errors) EXPECT_LT(error, 1e-11);
}

}  // namespace
}  // namespace fft_threads_test
}  // namespace mshadow
