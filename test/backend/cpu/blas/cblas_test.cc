// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor.h>

#include <limits>

#include "testing.h"

#if MSHADOW_USE_CBLAS
namespace mshadow {
namespace {

/// 2 op(A) op(B) + beta C of small integers: what Multiply(product) computes is the builtin's.
template <typename DType, typename F>
void Check(bool trans_a, bool trans_b, index_t m, index_t n, index_t k, int beta,
           const F& multiply) {
  SCOPED_TRACE(::testing::Message() << m << "x" << n << "x" << k << (trans_a ? " A^T" : "")
                                    << (trans_b ? " B^T" : "") << ", beta " << beta);
  testing::Guarded<2, DType> a(trans_a ? Shape2(k, m) : Shape2(m, k), 3);
  testing::Guarded<2, DType> b(trans_b ? Shape2(n, k) : Shape2(k, n), 1);
  testing::Guarded<2, DType> c(Shape2(m, n), 2), expected(Shape2(m, n));
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<DType>(i % 7) - 3;
  for (std::size_t i = 0; i < b.Size(); ++i) b.At(i) = static_cast<DType>(i % 5) - 2;
  *c = beta == 0 ? std::numeric_limits<DType>::quiet_NaN() : DType(1);
  *expected = DType(1);
  blas::Builtin::LargeGemm<DType>(trans_a, trans_b, m, n, k, 2, a->dptr_, a->stride_, b->dptr_,
                                  b->stride_, static_cast<DType>(beta), expected->dptr_,
                                  expected->stride_);
  multiply(blas::GemmProblem<DType>{trans_a, trans_b, m, n, k, 2, a->dptr_, a->stride_, b->dptr_,
                                    b->stride_, static_cast<DType>(beta), c->dptr_, c->stride_});
  for (std::size_t i = 0; i < c.Size(); ++i) ASSERT_EQ(c.At(i), expected.At(i)) << i;
  EXPECT_TRUE(c.Intact());
}

template <typename DType>
void CheckParts(bool trans_a, bool trans_b, index_t m, index_t n, index_t k) {
  Check<DType>(trans_a, trans_b, m, n, k, 3, [](const auto& product) {
    blas::GemmThreads(product, 3, blas::Cblas::CblasGemm<DType>);
  });
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

/// Covers every kind of edge: single rows and columns, slivers and blocks that are not full.
TEST(Cblas, ProductsInItsPlace) {
  testing::ForEachIsa([] {
    const auto multiply = [](const auto& product) { blas::Builtin::BlockedGemm(product); };
    for (int t = 0; t < 4; ++t) {
      const bool trans_a = t % 2 != 0, trans_b = t / 2 != 0;
      for (index_t m : {1, 3, 9, 27}) {
        for (index_t n : {1, 2, 3, 4, 9, 31, 70}) {
          Check<float>(trans_a, trans_b, m, n, 7, 3, multiply);
          Check<double>(trans_a, trans_b, m, n, 7, 0, multiply);
        }
      }
      Check<float>(trans_a, trans_b, 150, 70, 300, 3, multiply);
      Check<double>(trans_a, trans_b, 5, 1030, 260, 3, multiply);
      Check<float>(trans_a, trans_b, 2, 6, 0, 3, multiply);
      Check<float>(trans_a, trans_b, 5, 6, 17000, 3, multiply);
      Check<float>(trans_a, trans_b, 32, 33, 17000, 3, multiply);  // no thread gets one column
    }
  });
}

}  // namespace
}  // namespace mshadow
#endif
