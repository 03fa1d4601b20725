// SPDX-License-Identifier: Apache-2.0
// Every thread of a reduction, run on the host: each element is added once.
#include <mshadow/backend/gpu/reduce_body.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Guarded;

template <typename Plan>
using RunsOf = cuda::RunsBody<red::sum, double, Plan>;

TEST(ColumnsBody, EveryRowOnce) {
  for (index_t rows : {0u, 1u, 5u, 33u, 200u}) {
    for (std::ptrdiff_t parts : {1, 3}) {
      Guarded<2> a(Shape2(rows, 5), 2);
      a.FillIota();
      const auto plan = MakePlan(*a + 1.0f);
      const std::ptrdiff_t part_rows = (static_cast<std::ptrdiff_t>(rows) + parts - 1) / parts;
      const cuda::ColumnsBody<red::sum, double, std::decay_t<decltype(plan)>> body{
          plan, static_cast<std::ptrdiff_t>(rows), 5, part_rows};
      for (std::ptrdiff_t x = 0; x < 5; ++x) {
        double sum = 0, expected = 0;
        for (std::ptrdiff_t part = 0; part < parts; ++part) {
          for (int ty = 0; ty < 8; ++ty) sum += body(x, part, ty, 8);
        }
        for (index_t y = 0; y < rows; ++y) expected += a.At(y * 5 + x) + 1;
        EXPECT_EQ(sum, expected) << rows << " rows";
      }
    }
  }
}

TEST(RunsBody, EveryElementOnce) {
  for (const Shape<4>& shape : {Shape4(2, 3, 4, 5), Shape4(1, 2, 1, 9001), Shape4(3, 1, 70, 33),
                                Shape4(1, 4, 0, 3)}) {
    for (std::ptrdiff_t parts : {1, 2}) {
      Guarded<4> a(shape, 1);
      a.FillIota();
      const auto plan = MakePlan(*a);
      const std::ptrdiff_t chunk = RunsOf<std::decay_t<decltype(plan)>>::kChunk;
      RunsOf<std::decay_t<decltype(plan)>> body{
          plan,     shape[0], shape[1], FastDivmod(shape[2]),
          shape[3], 1,        0,        FastDivmod((shape[3] + chunk - 1) / chunk)};
      body.part_chunks = (body.Chunks() + parts - 1) / parts;
      for (index_t c = 0; c < shape[1]; ++c) {
        double sum = 0, expected = 0;
        for (std::ptrdiff_t part = 0; part < parts; ++part) {
          for (int t = 0; t < 32; ++t) sum += body(c, part, t % 8, 8, t / 8, 4);
        }
        for (std::size_t i = 0; i < a.Size(); ++i) {
          if (i / (shape[2] * shape[3]) % shape[1] == c) expected += a.At(i);
        }
        EXPECT_EQ(sum, expected) << LogText(shape);
      }
    }
  }
}

TEST(RunsBody, JoinedRows) {
  Guarded<3> a(Shape3(2, 6, 5));
  a.FillIota();
  const auto plan = MakePlan(*a);
  const RunsOf<std::decay_t<decltype(plan)>> body{plan, 1, 2, FastDivmod(1),
                                                  30,   6, 1, FastDivmod(1)};
  for (int c = 0; c < 2; ++c) {
    double sum = 0;
    for (int t = 0; t < 8; ++t) sum += body(c, 0, t, 8, 0, 1);
    EXPECT_EQ(sum, c * 900 + 435);
  }
}

// first - second - third ...: depends on the order.
struct Alternating {
  template <typename DType>
  static void SetInitValue(DType& init) {  // NOLINT: the interface of reducers
    init = DType(0);
  }
  template <typename DType>
  static void Reduce(volatile DType& dst, DType src) {
    dst = src - 2 * dst;
  }
};

TEST(InOrderBody, GoesInOrder) {
  Guarded<3> a(Shape3(2, 3, 4), 1);
  a.FillIota();
  const auto plan = MakePlan(*a);
  using Body = cuda::InOrderBody<Alternating, double, std::decay_t<decltype(plan)>>;
  for (int c = 0; c < 3; ++c) {
    double expected = 0;
    for (int n = 0; n < 2; ++n) {
      for (int x = 0; x < 4; ++x) expected = a.At((n * 3 + c) * 4 + x) - 2 * expected;
    }
    EXPECT_EQ((Body{plan, 2, 3, 1, 4, false}(c)), expected);
  }
  double expected = 0;
  for (int y = 0; y < 6; ++y) expected = a.At(y * 4 + 2) - 2 * expected;
  EXPECT_EQ((Body{plan, 6, 4, 1, 1, true}(2)), expected);
}

TEST(ReduceSink, PartsAndResults) {
  Guarded<1> out(Shape1(3));
  for (int i = 0; i < 3; ++i) out.At(i) = 10;
  const auto plan = MakePlan(*out);
  using Sink = cuda::ReduceSink<sv::plusto, red::sum, float, std::decay_t<decltype(plan)>, double>;
  Sink{plan, 2.0f, nullptr}.Put(1, 0, 3, 4.0);
  EXPECT_EQ(out.At(1), 18);
  double partial[6] = {};
  Sink{plan, 2.0f, partial}.Put(1, 1, 3, 4.0);
  EXPECT_EQ(partial[4], 4.0);
  EXPECT_EQ(out.At(1), 18);
}

}  // namespace
}  // namespace mshadow
