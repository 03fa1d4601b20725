// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor.h>

#include "testing.h"

#if MSHADOW_USE_CBLAS
namespace mshadow {
namespace {

TEST(Cblas, KnowsWhichCoresHaveShortVectors) {
  using simd::Isa;
  EXPECT_TRUE(blas::HasShortVectors("Haswell", Isa::kAvx512));
  EXPECT_TRUE(blas::HasShortVectors("Zen", Isa::kAvx512));
  EXPECT_FALSE(blas::HasShortVectors("SkylakeX", Isa::kAvx512));
  EXPECT_FALSE(blas::HasShortVectors("Cooperlake", Isa::kAvx512));
  EXPECT_FALSE(blas::HasShortVectors("Haswell", Isa::kAvx2));
  EXPECT_FALSE(blas::HasShortVectors("", Isa::kAvx512));
}

}  // namespace
}  // namespace mshadow
#endif
