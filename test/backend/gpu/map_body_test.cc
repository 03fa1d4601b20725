// SPDX-License-Identifier: Apache-2.0
// Every thread of a launch, run on the host: each element is written once, and nothing else is.
#include <mshadow/backend/gpu/choose_body.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Guarded;

// All threads of a grid nx x ny, the last first.
template <typename Saver, typename DType, typename Index, int dim, typename E>
void RunThreadsOf(Tensor<cpu, dim, DType> dst, const E& exp, Index nx, Index ny) {
  const auto to = MakePlan(dst);
  const auto from = MakePlan(exp);
  const Shape<2> flat = dst.shape_.FlatTo2D();
  const cuda::MapBody<Saver, DType, std::decay_t<decltype(to)>, std::decay_t<decltype(from)>,
                      Index>
      body{to, from, static_cast<Index>(flat[0]), static_cast<Index>(flat[1]), 1};
  for (Index ty = ny; ty-- > 0;) {
    for (Index tx = nx; tx-- > 0;) body(tx, nx, ty, ny);
  }
}

// With indices of 32 bits; those of every third grid have 64.
template <typename Saver, typename DType, int dim, typename E>
void RunThreads(Tensor<cpu, dim, DType> dst, const E& exp, std::ptrdiff_t nx, std::ptrdiff_t ny) {
  if (nx % 3 == 0) return RunThreadsOf<Saver>(dst, exp, nx, ny);
  RunThreadsOf<Saver>(dst, exp, static_cast<std::int32_t>(nx), static_cast<std::int32_t>(ny));
}

template <typename DType>
void CheckSum(index_t rows, index_t cols, index_t pad, index_t shift, index_t other_shift) {
  Guarded<2, DType> a(Shape2(rows, cols), pad, other_shift), b(Shape2(rows, cols), pad, shift);
  Guarded<2, DType> out(Shape2(rows, cols), pad, shift);
  for (std::size_t i = 0; i < a.Size(); ++i) {
    a.At(i) = static_cast<DType>(static_cast<float>(i % 7));
    b.At(i) = static_cast<DType>(static_cast<float>(i % 5));
    out.At(i) = static_cast<DType>(1.0f);
  }
  for (std::ptrdiff_t nx : {1, 3, 32}) {
    for (std::ptrdiff_t ny : {1, 2}) {
      RunThreads<sv::saveto>(*out, *a + *b * 2.0f, nx, ny);
      for (std::size_t i = 0; i < out.Size(); ++i) {
        ASSERT_EQ(static_cast<float>(out.At(i)), static_cast<float>(i % 7 + i % 5 * 2))
            << i << " of " << rows << " x " << cols;
      }
      RunThreads<sv::plusto>(*out, tcast<DType>(*a) * *b, nx, ny);
      for (std::size_t i = 0; i < out.Size(); ++i) {
        ASSERT_EQ(static_cast<float>(out.At(i)),
                  static_cast<float>(i % 7 + i % 5 * 2 + (i % 7) * (i % 5)))
            << i << " of " << rows << " x " << cols;
      }
      ASSERT_TRUE(out.Intact());
    }
  }
}

template <typename DType>
void CheckShapes() {
  for (index_t cols : {1u, 2u, 7u, 16u, 17u, 67u, 300u}) {
    for (index_t shift : {0u, 1u, 5u}) {
      CheckSum<DType>(3, cols, 1, shift, shift);  // rows out of step with each other
      CheckSum<DType>(2, cols, 0, shift, 0);      // an operand shifted against the destination
    }
  }
}

// No memory is behind the tensor: nothing runs.
std::size_t IndexBytes(index_t rows, index_t cols, index_t stride) {
  const Tensor<cpu, 2> tensor(nullptr, Shape2(rows, cols), stride, nullptr);
  const auto plan = MakePlan(tensor);
  std::size_t bytes = 0;
  const auto never = [](const auto&) { FAIL(); };
  cuda::ChooseBody<sv::saveto, float>(plan, plan, tensor.shape_, never, never, never,
                                      [&](const auto& body) { bytes = sizeof(body.rows); });
  return bytes;
}

TEST(MapBody, IndicesOf32BitsWhereTheySuffice) {
  constexpr index_t kMax = index_t{1} << 28;
  EXPECT_EQ(IndexBytes(3, 5, 5), 4u);
  EXPECT_EQ(IndexBytes(1, kMax, kMax), 4u);
  EXPECT_EQ(IndexBytes(1, kMax + 1, kMax + 1), 8u);
  EXPECT_EQ(IndexBytes(2, kMax, kMax), 8u) << "rows that are joined";
  EXPECT_EQ(IndexBytes(kMax + 1, 3, 4), 8u);
}

// Rows of few elements, all of them as one.
template <typename Saver, int dim, typename E>
void RunNarrowRows(Tensor<cpu, dim> dst, const E& exp, std::int32_t nx) {
  const auto to = MakePlan(dst);
  const auto from = MakePlan(exp);
  const Shape<2> flat = dst.shape_.FlatTo2D();
  using To = std::decay_t<decltype(to)>;
  using From = std::decay_t<decltype(from)>;
  const cuda::NarrowRowsBody<Saver, float, To, From> body{
      to, from, FastDivmod(static_cast<std::ptrdiff_t>(flat[1])), 1,
      static_cast<std::int32_t>(flat.Size())};
  for (std::int32_t ty = 2; ty-- > 0;) {
    for (std::int32_t tx = nx; tx-- > 0;) body(tx, nx, ty, 2);
  }
}

TEST(NarrowRowsBody, EachElementOnce) {
  for (index_t cols : {1u, 2u, 3u, 7u, 15u}) {
    for (index_t pad : {0u, 1u}) {
      Guarded<2> a(Shape2(37, cols), pad, 1), bias(Shape2(1, cols), 0), out(Shape2(37, cols), 3);
      a.FillIota();
      bias.FillIota();
      for (std::int32_t nx : {1, 3, 40, 4000}) {
        RunNarrowRows<sv::saveto>(*out, *a + broadcast<1>((*bias)[0], (*a).shape_), nx);
        RunNarrowRows<sv::plusto>(*out, *a * 2.0f, nx);
        for (std::size_t i = 0; i < out.Size(); ++i) {
          ASSERT_EQ(out.At(i), 3 * a.At(i) + bias.At(i % cols)) << i << " of 37 x " << cols;
        }
        ASSERT_TRUE(out.Intact());
      }
    }
  }
}

// Whether the body that is chosen is NarrowRowsBody.
template <typename E>
bool IsNarrow(const Tensor<cpu, 2>& dst, const E& exp) {
  const auto to = MakePlan(dst);
  const auto from = MakePlan(exp);
  using To = std::decay_t<decltype(to)>;
  using From = std::decay_t<decltype(from)>;
  bool narrow = false;
  const auto never = [](const auto&) { FAIL(); };
  cuda::ChooseBody<sv::saveto, float>(
      to, from, dst.shape_, never, never, never, [&](const auto& body) {
        narrow = std::is_same_v<std::decay_t<decltype(body)>,
                                cuda::NarrowRowsBody<sv::saveto, float, To, From>>;
      });
  return narrow;
}

TEST(NarrowRowsBody, IsForShortRowsThatDoNotJoin) {
  const auto of = [](index_t rows, index_t cols, index_t stride) {
    return Tensor<cpu, 2>(nullptr, Shape2(rows, cols), stride, nullptr);
  };
  const auto is_narrow = [&](const Tensor<cpu, 2>& a) { return IsNarrow(a, F<op::exp>(a)); };
  EXPECT_TRUE(is_narrow(of(100, 3, 4)));
  EXPECT_TRUE(is_narrow(of(100, 15, 16)));
  EXPECT_FALSE(is_narrow(of(100, 16, 20)));
  EXPECT_FALSE(is_narrow(of(100, 3, 3))) << "one row";
  EXPECT_FALSE(is_narrow(of(100, 1, 8))) << "one column";
  EXPECT_FALSE(is_narrow(of(1u << 27, 3, 4))) << "not in 32 bits";
  const Tensor<cpu, 1> bias(nullptr, Shape1(3));
  const Tensor<cpu, 2> packed = of(100, 3, 3);
  EXPECT_TRUE(IsNarrow(packed, packed + broadcast<1>(bias, packed.shape_)));
}

TEST(MapBody, HeadPacksAndTail) {
  CheckShapes<float>();
  CheckShapes<double>();
  CheckShapes<half::half_t>();
  CheckShapes<bfloat16>();
  CheckShapes<uint8_t>();
}

// Tells pairs from single elements.
struct Lanes {
  template <typename DType>
  static DType Map(DType) {
    return DType(1);
  }
  static half::half2_t Map(half::half2_t) { return half::half2_t(2); }
};
// An op of the user's own: single elements, whatever it derives from.
struct OwnProduct : op::mul {
  static half::half_t Map(half::half_t a, half::half_t b) { return b * a; }
};

}  // namespace

template <>
inline constexpr bool op::kMapsPairs<Lanes> = true;

namespace {

TEST(MapBody, PairsInPacksAlone) {
  using Half = half::half_t;
  for (index_t shift : {0u, 1u, 5u}) {
    Guarded<1, Half> a(Shape1(27), 0, shift), out(Shape1(27), 0, shift);
    a.FillIota();
    RunThreads<sv::saveto>(*out, F<Lanes>(*a), 2, 1);
    const std::size_t head = (8 - shift) % 8;
    for (std::size_t i = 0; i < 27; ++i) {
      const bool packed = i >= head && i < head + (27 - head) / 8 * 8;
      ASSERT_EQ(out.At(i), packed ? 2.0f : 1.0f) << i;
    }
    RunThreads<sv::saveto>(*out, F<OwnProduct>(*a, *a), 2, 1);
    for (std::size_t i = 0; i < 27; ++i) ASSERT_EQ(out.At(i), static_cast<float>(i * i)) << i;
  }
}

template <typename Saver, typename DType>
void CheckPairs(index_t cols, index_t shift, index_t other_shift) {
  Guarded<2, DType> a(Shape2(3, cols), 1, other_shift), b(Shape2(3, cols), 1, shift);
  Guarded<2, DType> out(Shape2(3, cols), 1, shift);
  a.FillRandom(-4, 4, 1);
  b.FillRandom(-4, 4, 2);
  out.FillRandom(-4, 4, 3);
  a.At(cols / 2) = BitCast<DType>(uint16_t{0x8001});  // the largest below zero
  std::vector<DType> want;
  for (std::size_t i = 0; i < a.Size(); ++i) {
    const DType x = a.At(i), y = b.At(i), product = x * y, square = y * y;
    const DType difference = product - square, value = difference + x;
    want.push_back(out.At(i));
    Saver::template Save<DType>(want.back(), value);
  }
  RunThreads<Saver>(*out, *a * *b - F<op::square>(*b) + *a, 3, 2);
  for (std::size_t i = 0; i < out.Size(); ++i) {
    ASSERT_EQ(BitCast<uint16_t>(out.At(i)), BitCast<uint16_t>(want[i]))
        << i << " of 3 x " << cols << ", shifted by " << shift << " and " << other_shift;
  }
  EXPECT_TRUE(out.Intact());
}

template <typename DType>
void CheckPairs() {
  for (index_t cols : {1u, 7u, 8u, 9u, 31u, 300u}) {
    for (index_t shift : {0u, 1u, 5u}) {
      for (index_t other_shift : {shift, index_t(0)}) {
        CheckPairs<sv::saveto, DType>(cols, shift, other_shift);
        CheckPairs<sv::plusto, DType>(cols, shift, other_shift);
        CheckPairs<sv::minusto, DType>(cols, shift, other_shift);
        CheckPairs<sv::multo, DType>(cols, shift, other_shift);
        CheckPairs<sv::divto, DType>(cols, shift, other_shift);
      }
    }
  }
}

TEST(MapBody, PairsGiveTheBitsOfSingleElements) {
  CheckPairs<half::half_t>();
  CheckPairs<bfloat16>();
}

TEST(MapBody, PacksWhereMemoryAllows) {
  Guarded<2> a(Shape2(2, 8)), b(Shape2(2, 8));
  Guarded<1> c(Shape1(2));
  const auto plan = MakePlan(*b);
  const auto packed = MakePlan(F<op::max>(*a, 1.0f) + broadcast<0>(*c, Shape2(2, 8)));
  using Plan = std::decay_t<decltype(plan)>;
  using Packed = std::decay_t<decltype(packed)>;
  EXPECT_EQ((cuda::MapBody<sv::saveto, float, Plan, Packed>::kWidth), 4);
  const auto cropped = MakePlan(crop(*a, Shape2(2, 8)) + 1.0f);
  EXPECT_EQ((cuda::MapBody<sv::saveto, float, Plan, std::decay_t<decltype(cropped)>>::kWidth), 4);
  const auto mirrored = MakePlan(mirror(*a));
  EXPECT_EQ((cuda::MapBody<sv::saveto, float, Plan, std::decay_t<decltype(mirrored)>>::kWidth), 1);
}

// Windows of 2 by 2, side by side, of (n, h, w), clipped at the image where the result is larger.
template <typename DType>
void CheckPooling(const Shape<3>& image, const Shape<2>& result, index_t pad, index_t shift) {
  Guarded<3, DType> a(image, pad, shift), out(Shape3(image[0], result[0], result[1]), pad, shift);
  a.FillRandom(-1, 1);
  RunThreads<sv::saveto>(*out, pool<red::maximum>(*a, result, 2, 2, 2), 8, 4);
  for (std::size_t i = 0; i < out.Size(); ++i) {
    const std::size_t x = i % result[1], y = i / result[1] % result[0];
    const std::size_t n = i / (result[0] * result[1]);
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t row = 2 * y; row < 2 * y + 2 && row < image[1]; ++row) {
      for (std::size_t col = 2 * x; col < 2 * x + 2 && col < image[2]; ++col) {
        most = std::max(most, static_cast<float>(a.At((n * image[1] + row) * image[2] + col)));
      }
    }
    ASSERT_EQ(static_cast<float>(out.At(i)), most) << i << " of " << image << ", pad " << pad;
  }
  EXPECT_TRUE(out.Intact());
}

TEST(MapBody, Pooling) {
  for (const Shape<3>& image : {Shape3(2, 9, 31), Shape3(3, 6, 64), Shape3(2, 4, 66)}) {
    for (const index_t clipped : {0u, 1u}) {
      const Shape<2> result = Shape2((image[1] + clipped) / 2, (image[2] + clipped) / 2);
      for (const index_t pad : {0u, 1u, 16u}) {
        for (const index_t shift : {0u, 3u}) {
          CheckPooling<float>(image, result, pad, shift);
          CheckPooling<double>(image, result, pad, shift);
          CheckPooling<half::half_t>(image, result, pad, shift);
        }
      }
    }
  }
}

// Several elements of a thread at a time are what the host's loops make of one row.
TEST(MapBody, WindowsSeveralAtATime) {
  for (const index_t ksize : {2u, 3u}) {
    const index_t rows = (9 - ksize) / 2 + 1, cols = (37 - ksize) / 2 + 1;
    Guarded<3> a(Shape3(2, 9, 37), 1), pooled(Shape3(2, rows, cols)), grad(Shape3(2, rows, cols));
    Guarded<3> out(Shape3(2, 9, 37)), want(Shape3(2, 9, 37)), threads(Shape3(2, rows, cols));
    a.FillRandom(-1, 1);
    grad.FillRandom(-1, 1);
    *pooled = pool<red::maximum>(*a, ksize, ksize, 2);
    RunThreads<sv::saveto>(*threads, pool<red::maximum>(*a, ksize, ksize, 2), 4, 2);
    for (std::size_t i = 0; i < pooled.Size(); ++i) ASSERT_EQ(threads.At(i), pooled.At(i)) << i;
    *want = unpool<red::maximum>(*a, *pooled, *grad, ksize, ksize, 2);
    RunThreads<sv::saveto>(*out, unpool<red::maximum>(*a, *pooled, *grad, ksize, ksize, 2), 4, 2);
    for (std::size_t i = 0; i < want.Size(); ++i) ASSERT_EQ(out.At(i), want.At(i)) << i;
    EXPECT_TRUE(out.Intact() && threads.Intact());
  }
}

TEST(MapBody, PoolingInPacks) {
  Guarded<2> a(Shape2(8, 32));
  a.FillRandom(-1, 1);
  const auto aligned = [&](const auto& exp) { return PacksAligned<4>(MakePlan(exp).Row(0), 0); };
  EXPECT_TRUE(aligned(pool<red::maximum>(*a, 2, 2, 2)));
  EXPECT_TRUE(aligned(avg_pool(*a, 2, 2, 2)));
  EXPECT_FALSE(aligned(pool<red::maximum>(*a, 2, 2, 1)));
  EXPECT_FALSE(aligned(pool<red::maximum>(*a, 3, 3, 2)));
  EXPECT_FALSE(aligned(pool<red::maximum>(*a, 2, 3, 2)));
  EXPECT_FALSE(aligned(pool<red::maximum>(*a, 1, 2, 2)));
  const auto plan = MakePlan(avg_pool(*a * 2.0f, 2, 2, 2));
  const auto row = plan.Row(1);
  const Pack<float, 4> means = EvalPack<4>(row, 8);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(means.item[i], row.Eval(8 + i)) << i;
}

// All threads load, then all store, as between barriers.
template <typename Saver, int dim, typename E>
void RunTiles(Tensor<cpu, dim> dst, const E& exp, std::int32_t step) {
  const auto to = MakePlan(dst);
  const auto from = MakePlan(exp);
  const Shape<2> flat = dst.shape_.FlatTo2D();
  using Body =
      cuda::TileBody<Saver, float, std::decay_t<decltype(to)>, std::decay_t<decltype(from)>>;
  const Body body{to, from, static_cast<std::int32_t>(flat[0]), static_cast<std::int32_t>(flat[1]),
                  1, step};
  for (std::ptrdiff_t down = 0; down < body.TilesDown(); ++down) {
    for (std::ptrdiff_t across = 0; across < body.TilesAcross(); ++across) {
      typename Body::Tile tile;
      for (float& item : tile) item = std::nanf("");
      const auto each = [&](auto square) {
        constexpr bool kSquare = decltype(square)::value;
        for (int t = 0; t < Body::kThreads; ++t) body.template Load<kSquare>(tile, across, down, t);
        for (int t = 0; t < Body::kThreads; ++t) {
          body.template Store<kSquare>(tile, across, down, t);
        }
      };
      if (body.IsSquare()) {
        each(std::true_type());
      } else {
        each(std::false_type());
      }
    }
  }
}

TEST(TileBody, Transposes) {
  for (index_t rows : {1u, 4u, 5u, 9u, 16u, 17u, 32u, 70u, 600u}) {
    for (index_t cols : {1u, 2u, 4u, 7u, 16u, 31u, 33u, 64u, 300u}) {
      Guarded<2> a(Shape2(cols, rows), 1), out(Shape2(rows, cols), 3, 1);
      a.FillIota();
      RunTiles<sv::saveto>(*out, (*a).T() * 2.0f, 1);
      RunTiles<sv::plusto>(*out, (*a).T(), 1);
      for (std::size_t i = 0; i < out.Size(); ++i) {
        ASSERT_EQ(out.At(i), 3 * a.At(i % cols * rows + i / cols)) << rows << " x " << cols;
      }
      EXPECT_TRUE(out.Intact());
    }
  }
}

// Rows that are neighbours in memory lie `step` apart.
TEST(TileBody, RowsInSteps) {
  for (std::int32_t step : {1, 3, 7, 315}) {
    for (index_t cols : {3u, 33u}) {
      Guarded<3> a(Shape3(45, 7, cols), 1), out(Shape3(45, 7, cols), 2);
      a.FillIota();
      RunTiles<sv::saveto>(*out, *a + 1.0f, step);
      for (std::size_t i = 0; i < out.Size(); ++i) ASSERT_EQ(out.At(i), a.At(i) + 1) << i;
      EXPECT_TRUE(out.Intact());
    }
  }
}

// Where there are few rows or columns, lanes take neighbours of the others.
TEST(TileBody, FollowsTheShape) {
  const auto sides = [](std::int32_t rows, std::int32_t cols, std::int32_t step) {
    const Tensor<cpu, 2> tensor(nullptr, Shape2(1, 1));
    const auto plan = MakePlan(tensor);
    using Plan = std::decay_t<decltype(plan)>;
    const cuda::TileBody<sv::saveto, float, Plan, Plan> body(plan, plan, rows, cols, 1, step);
    return std::pair<int, int>(1 << body.log_height, 1 << body.log_width);
  };
  EXPECT_EQ(sides(100, 100, 1), std::make_pair(32, 32));
  EXPECT_EQ(sides(17, 17, 1), std::make_pair(32, 32));
  EXPECT_EQ(sides(16, 100, 1), std::make_pair(16, 64));
  EXPECT_EQ(sides(2, 1000, 1), std::make_pair(4, 256));
  EXPECT_EQ(sides(2, 100, 1), std::make_pair(8, 128));
  EXPECT_EQ(sides(100, 5, 1), std::make_pair(128, 8));
  EXPECT_EQ(sides(3, 3, 1), std::make_pair(256, 4));
  EXPECT_EQ(sides(700, 100, 100), std::make_pair(8, 128)) << "seven neighbours";
  EXPECT_EQ(sides(1 << 27, 4, 1 << 22), std::make_pair(32, 32)) << "steps of steps of 32 bits";
}

}  // namespace
}  // namespace mshadow
