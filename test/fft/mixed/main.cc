// SPDX-License-Identifier: Apache-2.0
// Files with FFTW and without in one program: the linker takes the first of what has one name,
// which must not be a transform.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "file.h"

TEST(Fft, FilesWithFftwAndWithout) {
  const MixedResult with = WithFftw(), without = WithoutFftw();
  for (std::size_t k = 0; k < 505; ++k) {
    EXPECT_LT(std::abs(with.numbers[k] - without.numbers[k]), 1e-11) << k;
    EXPECT_LT(std::abs(with.of_real[k] - without.numbers[k]), 1e-11) << k;
    EXPECT_LT(std::abs(without.of_real[k] - without.numbers[k]), 1e-11) << k;
  }
  EXPECT_NE(with.numbers, without.numbers);
  EXPECT_NE(with.of_real, without.of_real);
}
