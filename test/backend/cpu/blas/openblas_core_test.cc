// SPDX-License-Identifier: Apache-2.0
// In a program of its own, whose BLAS says that the processor is a Prescott.
#include <mshadow/backend/cpu/blas.h>

#include <cstdlib>
#include <vector>

#include "testing.h"

#if MSHADOW_USE_CBLAS && defined(__ELF__)
extern "C" char* openblas_get_corename(void) {
  static char name[] = "Prescott";
  return name;
}

namespace mshadow {
namespace {

using simd::Isa;

TEST(OpenBlasCore, IsSlowIfItsKernelsHaveShorterVectors) {
  for (const char* old : {"Prescott", "PRESCOTT", "Nehalem", "Sandybridge", "generic"}) {
    EXPECT_FALSE(blas::IsSlowCore(old, Isa::kBaseline, 1)) << old;
    EXPECT_TRUE(blas::IsSlowCore(old, Isa::kAvx2, 1)) << old;
    EXPECT_TRUE(blas::IsSlowCore(old, Isa::kAvx512, 1)) << old;
  }
  for (const char* avx2 : {"Haswell", "Zen"}) {
    EXPECT_FALSE(blas::IsSlowCore(avx2, Isa::kAvx2, 1)) << avx2;
    EXPECT_TRUE(blas::IsSlowCore(avx2, Isa::kAvx512, 1)) << avx2;
  }
  for (const char* trusted : {"SkylakeX", "Cooperlake", "SapphireRapids", "Unknown", "", "n"}) {
    EXPECT_FALSE(blas::IsSlowCore(trusted, Isa::kAvx512, 1)) << trusted;
  }
}
TEST(OpenBlasCore, IsNotSlowWithMoreThreads) {
  EXPECT_TRUE(blas::IsSlowCore("Prescott", Isa::kAvx2, 3));
  EXPECT_FALSE(blas::IsSlowCore("Prescott", Isa::kAvx2, 4));
  EXPECT_FALSE(blas::IsSlowCore("Zen", Isa::kAvx512, 2));
}
TEST(OpenBlasCore, TheEnvironmentChooses) {
  for (const bool slow : {false, true}) {
    EXPECT_EQ(blas::ChoosesBuiltin(nullptr, slow), slow);
    EXPECT_EQ(blas::ChoosesBuiltin("", slow), slow);
    EXPECT_TRUE(blas::ChoosesBuiltin("builtin", slow));
    EXPECT_FALSE(blas::ChoosesBuiltin("cblas", slow));
  }
}

TEST(OpenBlasCore, ProductsAreThoseOfTheLibrary) {
  if (std::getenv("MSHADOW_BLAS") != nullptr) GTEST_SKIP();
  const bool replaces =
      simd::ActiveIsa() != Isa::kBaseline && (kHasThreads || blas::OpenBlasThreads() < 4);
  EXPECT_EQ(Blas<cpu>::Replaces(), replaces);
  EXPECT_EQ(Blas<cpu>::Name(),
            replaces ? blas::Builtin::Name() + ", since OpenBLAS takes the processor for Prescott"
                     : "OpenBLAS (Prescott)");
  const std::vector<float> a(70 * 70, 2), b(70 * 70, 3);
  std::vector<float> c(70 * 70);
  Blas<cpu>::Gemm(false, false, 70, 70, 70, 1.0f, a.data(), 70, b.data(), 70, 0.0f, c.data(), 70);
  for (const float sum : c) ASSERT_EQ(sum, 420);
}

}  // namespace
}  // namespace mshadow
#endif
