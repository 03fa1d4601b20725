// SPDX-License-Identifier: Apache-2.0
// Running sums and reductions as operands, on every device; on a GPU they are computed once.
#include <mshadow/expr/materialised.h>

#include <mshadow/tensor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

constexpr bool kMaterialises = (TestDevice::kDevMask & cpu::kDevMask) == 0;

// a: n x m of small numbers. sums[y][x]: of a down the column. all[y]: of the row.
struct Reference {
  explicit Reference(const Shape<2>& shape, index_t pad) : a(shape, pad, 1) {
    FillWhole(a, 5, 7);
    const std::vector<double> v = Values(a);
    const std::size_t m = shape[1];
    for (std::size_t i = 0; i < v.size(); ++i) {
      sums.push_back(v[i] + (i < m ? 0 : sums[i - m]));
      if (i % m == 0) all.push_back(0);
      all.back() += v[i];
    }
  }
  Guarded<2> a;
  std::vector<double> sums, all;
};

TEST(Materialised, OperandsOfEveryKindOfStatement) {
  for (index_t rows : {1u, 5u, 37u}) {
    for (index_t cols : {1u, 3u, 40u}) {
      const Shape<2> shape = Shape2(rows, cols);
      Reference r(shape, cols % 2);
      Guarded<2> out(shape, 3), more(shape, 1), product(shape, 0);
      Guarded<1> total(Shape1(cols));
      std::vector<double> expected, doubled, totals(cols, 0.0);
      for (std::size_t i = 0; i < r.sums.size(); ++i) {
        expected.push_back(r.a.At(i) - r.all[i / cols] + 2 * r.sums[i]);
        doubled.push_back(2 * expected.back());
        totals[i % cols] += r.sums[i];
      }
      const auto make = [&] {
        return *r.a - broadcast_keepdim(reduce_keepdim<red::sum, false>(*r.a, 1), 1, cols) +
               cumsum(*r.a, 0) * 2.0f;
      };
      *out = make();
      ExpectValues(out, expected);
      *out += make();
      ExpectValues(out, doubled);
      Fuse(lazy(*out) = make(), lazy(*more) = *out + make());
      ExpectValues(out, expected);
      ExpectValues(more, doubled);
      *total = sum_rows(cumsum(*r.a, 0));
      ExpectValues(total, totals);
      // What is read is written to.
      *r.a = make();
      ExpectValues(r.a, expected);
    }
  }
}

TEST(Materialised, OneInAnother) {
  Reference r(Shape2(7, 5), 2);
  Guarded<2> out(Shape2(7, 5));
  *out = 2.0f * cumsum(cumsum(*r.a, 0) - cumsum(*r.a, 0) + 1.0f, 0);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 35; ++i) expected.push_back(2.0 * static_cast<double>(i / 5 + 1));
  ExpectValues(out, expected);
  Guarded<1, int64_t> index(Shape1(7));
  *index = argmax(*out + tcast<float>(broadcast_with_axis(argmax(*r.a, 1), 0, 5)), 1) * int64_t(1);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(index.At(i), 0) << i;
}

#ifndef __CUDACC__
int evaluations = 0;
struct Counted {
  MSHADOW_FORCE_INLINE static float Map(float a) {
    ++evaluations;
    return a;
  }
};

TEST(Materialised, EachElementOnce) {
  if (!kMaterialises) GTEST_SKIP() << "the CPU computes them block by block";
  Reference r(Shape2(400, 30), 0);  // more than what compares Row with Eval looks at
  Guarded<2> out(Shape2(400, 30));
  evaluations = 0;
  *out = 2.0f * cumsum(F<Counted>(*r.a), 0);
  // Running sums in parts read the source twice.
  EXPECT_LE(evaluations, 2 * 400 * 30);
  evaluations = 0;
  *out = *r.a / broadcast_keepdim(reduce_keepdim<red::maximum, false>(F<Counted>(*r.a), 1), 1, 30);
  // (The 400 results are few enough for what compares Row with Eval.)
  EXPECT_LE(evaluations, 4 * 400 * 30);
}
#endif

// Only a statement has a place for them.
TEST(Materialised, ThrowsOutsideOfAStatement) {
  if constexpr (kMaterialises) {
    Guarded<2> a(Shape2(3, 5));
    const std::string text = ErrorOf([&] { MakePlan(cumsum(*a, 0)); });
    EXPECT_NE(text.find("operand of shape (3,5)"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mshadow
