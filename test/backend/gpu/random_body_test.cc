// SPDX-License-Identifier: Apache-2.0
// The threads of a random fill, run on the host, make the numbers of Random<cpu>.
#include <mshadow/backend/gpu/random_body.h>

#include "testing.h"

namespace mshadow {
namespace {

using testing::Guarded;

template <typename Body>
void RunThreads(const Body& body, std::ptrdiff_t threads) {
  for (std::ptrdiff_t t = threads; t-- > 0;) body(t, threads);
}

template <typename DType>
void CheckUniform(const Shape<2>& shape, index_t pad) {
  using Real = std::conditional_t<std::is_same_v<DType, double>, double, float>;
  Guarded<2, DType> expected(shape, pad), out(shape, pad);
  Random<cpu, DType> random(7);
  random.SampleUniform(&*expected, 0, 1);
  const std::ptrdiff_t cols = shape[1], size = static_cast<std::ptrdiff_t>(shape.Size());
  const rng::Rows<DType> rows{out->dptr_, size, pad == 0 ? size : cols,
                              static_cast<std::ptrdiff_t>(out->stride_)};
  const Real last = detail::LastBelow<DType>(1);
  const rng::UniformVariate<Real> variate(0, 1, last);
  RunThreads(cuda::FillBody<rng::UniformVariate<Real>, DType>{variate, rng::Draw::Of(7, 0), rows},
             13);
  for (std::size_t i = 0; i < out.Size(); ++i) {
    ASSERT_EQ(static_cast<double>(static_cast<Real>(out.At(i))),
              static_cast<double>(static_cast<Real>(expected.At(i))))
        << i;
  }
  EXPECT_TRUE(out.Intact());
}

TEST(FillBody, TheNumbersOfTheHost) {
  for (index_t pad : {0u, 3u}) {
    CheckUniform<float>(Shape2(3, 67), pad);
    CheckUniform<float>(Shape2(1, 1), pad);
    CheckUniform<double>(Shape2(5, 33), pad);
    CheckUniform<half::half_t>(Shape2(2, 100), pad);
  }
}

TEST(FillEachBody, TheNumbersOfTheHost) {
  Guarded<2> expected(Shape2(4, 19), 2), out(Shape2(4, 19), 2);
  Random<cpu> random(3);
  random.SamplePoisson(&*expected, 4.5);
  const rng::Rows<float> rows{out->dptr_, 76, 19, static_cast<std::ptrdiff_t>(out->stride_)};
  RunThreads(cuda::FillEachBody<rng::PoissonSampler, float>{rng::PoissonSampler(4.5),
                                                            rng::Draw::Of(3, 0), rows},
             9);
  for (std::size_t i = 0; i < out.Size(); ++i) ASSERT_EQ(out.At(i), expected.At(i)) << i;
  EXPECT_TRUE(out.Intact());
}

}  // namespace
}  // namespace mshadow
