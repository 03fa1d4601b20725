// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/past_cache.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;

/// As if no cache held any result.
class PastCache : public ::testing::Test {
 protected:
  PastCache() : machine_(simd::detail::TheLastLevelCache()) {
    simd::detail::TheLastLevelCache() = {1, 1};
  }
  ~PastCache() override { simd::detail::TheLastLevelCache() = machine_; }

 private:
  const simd::detail::SharedCache machine_;
};

/// Rows that begin `shift` elements behind a line and are `pad` elements apart, of 2 a + b.
template <typename DType>
void CheckMap(const Shape<2>& shape, index_t pad, index_t shift) {
  SCOPED_TRACE(LogText(shape) + " pad " + std::to_string(pad) + " shift " + std::to_string(shift));
  Guarded<2, DType> a(shape, 1, 2), b(shape), out(shape, pad, shift);
  a.FillRandom(0, 30, 1);
  b.FillRandom(0, 30, 2);
  *out = *a * DType(2) + *b;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < out.Size(); ++i) {
    wrong += !(out.At(i) == static_cast<DType>(a.At(i) * DType(2) + b.At(i)));
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(out.Intact());
}

// Rows of one part, of several and a rest, and of fewer elements than a part; heads and tails of
// lines.
TEST_F(PastCache, PartsOfRows) {
  ForEachIsa([] {
    for (index_t cols : {700u, 1024u, 1025u, 4111u}) {
      for (index_t pad : {0u, 3u, 16u}) {
        for (index_t shift : {0u, 1u, 15u}) {
          CheckMap<float>(Shape2(52000 / cols + 1, cols), pad, shift);
        }
      }
    }
    CheckMap<float>(Shape2(1, 300007), 0, 5);
    CheckMap<double>(Shape2(40, 2051), 1, 3);
    CheckMap<int8_t>(Shape2(11, 9001), 5, 7);
    CheckMap<int64_t>(Shape2(11, 9001), 0, 1);
    CheckMap<half::half_t>(Shape2(20, 5001), 1, 9);
    CheckMap<bfloat::bf16_t>(Shape2(20, 5001), 0, 31);
  });
}

// A row of a joined grid, rows that are copied, casts, rows that repeat.
TEST_F(PastCache, EveryKindOfStatement) {
  ForEachIsa([] {
    Guarded<4> a(Shape4(3, 5, 61, 97), 1), b(Shape4(3, 5, 61, 97)), c(Shape4(3, 10, 61, 97), 0, 3);
    Guarded<1> bias(Shape1(5)), last(Shape1(97));
    a.FillRandom(-1, 1, 1);
    bias.FillRandom(-1, 1, 2);
    last.FillRandom(-1, 1, 3);
    const std::size_t size = a.Size(), image = 61 * 97;
    *b = *a + broadcast<1>(*bias, a->shape_);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(b.At(i), a.At(i) + bias.At(i / image % 5));
    *b = *a + broadcast<3>(*last, a->shape_);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(b.At(i), a.At(i) + last.At(i % 97));
    b.FillRandom(-1, 1, 4);
    *c = concat<1>(*a, *b);
    for (std::size_t i = 0; i < c.Size(); ++i) {
      const std::size_t channel = i / image % 10, in = (i / image / 10 * 5 + channel % 5) * image;
      ASSERT_EQ(c.At(i), (channel < 5 ? a : b).At(in + i % image)) << i;
    }
    Guarded<4, half::half_t> h(Shape4(3, 5, 61, 97), 0, 5);
    *h = tcast<half::half_t>(*a);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(float(h.At(i)), float(half::half_t(a.At(i))));
    *b = tcast<float>(*h);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(b.At(i), float(h.At(i)));
    EXPECT_TRUE(a.Intact() && b.Intact() && c.Intact() && h.Intact());
  });
}

// Statements that read what they write are not streamed, but right they are.
TEST_F(PastCache, InPlace) {
  Guarded<2> a(Shape2(30, 3001), 7, 1), b(Shape2(30, 3001));
  a.FillRandom(-1, 1, 1);
  Copy(*b, *a);
  *a = *a * 2.0f + 1.0f;
  for (std::size_t i = 0; i < a.Size(); ++i) ASSERT_EQ(a.At(i), b.At(i) * 2.0f + 1.0f);
  Copy(*b, *a);
  *a += *a * 2.0f;
  for (std::size_t i = 0; i < a.Size(); ++i) ASSERT_EQ(a.At(i), b.At(i) + b.At(i) * 2.0f);
  // Shifted by one row, through a copy.
  Copy(*b, *a);
  a->Slice(1, 30) = a->Slice(0, 29) * 2.0f;
  for (std::size_t i = 3001; i < a.Size(); ++i) ASSERT_EQ(a.At(i), b.At(i - 3001) * 2.0f);
  EXPECT_TRUE(a.Intact());
}

// What is written past the cache is read by the next statement, on other threads.
TEST_F(PastCache, StatementsInTurn) {
#ifdef _OPENMP
  const int threads = omp_get_max_threads();
  omp_set_num_threads(4);
#endif
  Guarded<2> a(Shape2(257, 1031)), b(Shape2(257, 1031), 1), c(Shape2(1031, 257));
  a.FillIota();
  for (int turn = 0; turn < 10; ++turn) {
    *b = *a + float(turn);
    *c = b->T();
    std::size_t wrong = 0;
    for (index_t y = 0; y < 257; ++y) {
      for (index_t x = 0; x < 1031; ++x) wrong += (*c)[x][y] != (*a)[y][x] + float(turn);
    }
    ASSERT_EQ(wrong, 0u);
  }
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
}

}  // namespace
}  // namespace mshadow
