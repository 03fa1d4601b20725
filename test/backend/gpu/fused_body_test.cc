// SPDX-License-Identifier: Apache-2.0
// Every thread of a launch of fused statements, run on the host one after the other, the last
// first: what a thread reads that another one writes comes out wrong.
#include <mshadow/backend/gpu/fused_body.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Guarded;

// dst Saver= exp as MapFused takes it.
template <typename Saver, int dim, typename DType, typename E, int etype>
auto Planned(Tensor<cpu, dim, DType> dst, const Exp<E, DType, etype>& exp) {
  using Statement = LazyAssignment<Saver, Tensor<cpu, dim, DType>, cpu, dim, DType, E, etype>;
  return Statement(dst, exp).MakePlanned();
}

template <typename... Maps>
int RunThreads(const Shape<2>& shape, int nx, int ny, const Maps&... maps) {
  int width = 0;
  cuda::ChooseFusedBody(
      shape,
      [&](const auto& body, std::ptrdiff_t) {
        width = body.kWidth;
        for (int ty = ny; ty-- > 0;) {
          for (int tx = nx; tx-- > 0;) body(tx, nx, ty, ny);
        }
      },
      maps...);
  return width;
}

// v = 2 v + w; w -= v; h = w in 16 bits, which reads what the others wrote. The packs of
// both lie alike, differ, or are none, as `shift` and `other` elements in front of them say.
void CheckChain(index_t rows, index_t cols, index_t pad, std::size_t shift, std::size_t other) {
  const Shape<2> shape = Shape2(rows, cols);
  Guarded<2> v(shape, pad, shift), w(shape, pad, other);
  Guarded<2, bfloat::bf16_t> h(shape, pad, shift);
  for (int nx : {1, 3, 32}) {
    for (int ny : {1, 2}) {
      for (std::size_t i = 0; i < v.Size(); ++i) {
        v.At(i) = static_cast<float>(i % 7);
        w.At(i) = static_cast<float>(i % 5);
      }
      EXPECT_EQ(RunThreads(shape, nx, ny, Planned<sv::saveto>(*v, 2.0f * *v + *w),
                           Planned<sv::minusto>(*w, *v),
                           Planned<sv::saveto>(*h, tcast<bfloat::bf16_t>(*w))),
                v.Size() == 0 ? 0 : 4);
      for (std::size_t i = 0; i < v.Size(); ++i) {
        const int next = static_cast<int>(2 * (i % 7) + i % 5);
        const int left = static_cast<int>(i % 5) - next;
        ASSERT_EQ(v.At(i), static_cast<float>(next)) << i;
        ASSERT_EQ(w.At(i), static_cast<float>(left)) << i;
        ASSERT_EQ(static_cast<float>(h.At(i)), static_cast<float>(left)) << i;
      }
      ASSERT_TRUE(v.Intact() && w.Intact() && h.Intact());
    }
  }
}

TEST(FusedBody, HeadPacksAndTail) {
  for (index_t cols : {0, 1, 3, 4, 5, 8, 61, 130}) {
    for (index_t pad : {0, 1, 3}) {
      for (std::size_t shift : {0, 1, 2}) {
        for (std::size_t other : {0, 1, 2}) CheckChain(3, cols, pad, shift, other);
      }
    }
  }
}

// Each has packs, but they begin at other elements: single elements, or packs would be misaligned,
// which UBSan sees.
TEST(FusedBody, HeadsThatDiffer) {
  const Shape<2> shape = Shape2(3, 61);
  for (std::size_t shift : {0, 1, 2, 3}) {
    Guarded<2> a(shape, 3), b(shape, 3, shift);
    for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = b.At(i) = static_cast<float>(i);
    EXPECT_EQ(RunThreads(shape, 3, 2, Planned<sv::saveto>(*a, 2.0f * *a),
                         Planned<sv::saveto>(*b, 3.0f * *b)),
              4);
    for (std::size_t i = 0; i < a.Size(); ++i) {
      ASSERT_EQ(a.At(i), static_cast<float>(2 * i));
      ASSERT_EQ(b.At(i), static_cast<float>(3 * i));
    }
  }
}

TEST(FusedBody, SingleElementsWhereOneHasNoPacks) {
  const Shape<2> shape = Shape2(3, 16);
  Guarded<2> a(shape), b(shape), c(shape);
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = static_cast<float>(i);
  EXPECT_EQ(RunThreads(shape, 3, 2, Planned<sv::saveto>(*b, *a * 2.0f),
                       Planned<sv::saveto>(*c, *b + mirror(*a))),
            1);
  for (std::size_t i = 0; i < a.Size(); ++i) {
    EXPECT_EQ(b.At(i), static_cast<float>(2 * i));
    EXPECT_EQ(c.At(i), static_cast<float>(2 * i + i / 16 * 16 + 15 - i % 16));
  }
}

}  // namespace
}  // namespace mshadow
