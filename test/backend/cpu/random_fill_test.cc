// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/random_fill.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// Fills rows that are padded by 3 with both fills and 1 and 2 threads, and compares with the
/// definition: number k of block l of a chunk is its element 16 k + l.
template <typename DType>
void Check(std::ptrdiff_t rows, std::ptrdiff_t cols) {
  const rng::Draw draw = rng::Draw::Of(17, 5);
  const rng::UniformVariate<float> uniform(2.0f, 3.0f, 4.9999995f);
  const auto sampler = [](rng::ElementStream* stream) {
    double u, v;
    stream->NextUniforms(&u, &v);
    return 100 * u;
  };
  const std::ptrdiff_t size = rows * cols, stride = cols + 3;
  for (const int threads : {1, 2}) {
#ifdef _OPENMP
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
#endif
    std::vector<DType> filled(static_cast<std::size_t>(rows * stride), static_cast<DType>(-1));
    std::vector<DType> each = filled;
    rng::Fill(rng::Rows<DType>{filled.data(), size, cols, stride}, draw, uniform);
    rng::FillEach(rng::Rows<DType>{each.data(), size, cols, stride}, draw, sampler);
#ifdef _OPENMP
    omp_set_num_threads(before);
#endif
    for (std::ptrdiff_t at = 0; at < rows * stride; ++at) {
      const std::ptrdiff_t i = at / stride * cols + at % stride;
      DType one = static_cast<DType>(-1), other = one;
      if (at % stride < cols) {
        const std::ptrdiff_t chunk = i / 64, k = i % 64 / 16, l = i % 16;
        float numbers[4];
        uniform.template operator()<1>(draw.At(static_cast<std::uint32_t>(chunk * 16 + l), 0, 0),
                                       numbers);
        one = static_cast<DType>(numbers[k]);
        rng::ElementStream stream(draw, static_cast<std::uint64_t>(i));
        other = rng::ConvertTo<DType>(sampler(&stream));
      }
      ASSERT_EQ(static_cast<double>(filled[at]), static_cast<double>(one)) << i << " of " << size;
      ASSERT_EQ(static_cast<double>(each[at]), static_cast<double>(other)) << i << " of " << size;
    }
  }
}

TEST(RandomFill, FillsRowsAsDefined) {
  testing::ForEachIsa([] {
    for (const std::ptrdiff_t cols : {1, 37, 64, 130}) {
      for (const std::ptrdiff_t rows : {0, 1, 7, 160}) {
        Check<float>(rows, cols);
        Check<half::half_t>(rows, cols);
        Check<std::int32_t>(rows, cols);
      }
    }
    Check<float>(1, 20001);
  });
}

}  // namespace
}  // namespace mshadow
