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

/// op(A) * op(B), cut up for several threads, beside the builtin's.
template <typename DType>
void CheckParts(bool trans_a, bool trans_b, index_t m, index_t n, index_t k) {
  SCOPED_TRACE(::testing::Message() << m << "x" << n << "x" << k << (trans_a ? " A^T" : "")
                                    << (trans_b ? " B^T" : ""));
  testing::Guarded<2, DType> a(trans_a ? Shape2(k, m) : Shape2(m, k), 3);
  testing::Guarded<2, DType> b(trans_b ? Shape2(n, k) : Shape2(k, n), 1);
  testing::Guarded<2, DType> c(Shape2(m, n), 2), expected(Shape2(m, n));
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<DType>(i % 7) - 3;
  for (std::size_t i = 0; i < b.Size(); ++i) b.At(i) = static_cast<DType>(i % 5) - 2;
  *c = DType(1);
  *expected = DType(1);
  blas::Builtin::LargeGemm<DType>(trans_a, trans_b, m, n, k, 2, a->dptr_, a->stride_, b->dptr_,
                                  b->stride_, 3, expected->dptr_, expected->stride_);
  blas::Cblas::GemmInParts(
      blas::GemmProblem<DType>{trans_a, trans_b, m, n, k, 2, a->dptr_, a->stride_, b->dptr_,
                               b->stride_, 3, c->dptr_, c->stride_},
      3);
  for (std::size_t i = 0; i < c.Size(); ++i) ASSERT_EQ(c.At(i), expected.At(i)) << i;
  EXPECT_TRUE(c.Intact());
}
TEST(Cblas, Parts) {
  for (bool trans_a : {false, true}) {
    for (bool trans_b : {false, true}) {
      CheckParts<float>(trans_a, trans_b, 130, 70, 300);
      CheckParts<float>(trans_a, trans_b, 31, 255, 400);
      CheckParts<float>(trans_a, trans_b, 5, 6, 70000);
      CheckParts<double>(trans_a, trans_b, 97, 97, 350);
    }
  }
}

}  // namespace
}  // namespace mshadow
#endif
