// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/channel_pool.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// The windows as far as there are channels.
template <typename Reducer, int dim>
std::vector<double> Pooled(Guarded<dim>& a, const Shape<dim>& shape, int n, int stride, int pad) {
  return Each(shape, [&](Index<dim> index) {
    const int first = static_cast<int>(index[dim - 3]) * stride - pad;
    double value;
    Reducer::SetInitValue(value);
    for (int c = std::max(first, 0);
         c < std::min(first + n, static_cast<int>(a->shape_[dim - 3])); ++c) {
      index[dim - 3] = c;
      Reducer::Reduce(value, At(a, index));
    }
    return value;
  });
}

template <int dim>
void CheckChannelPool(const Shape<dim>& shape, index_t n, index_t stride, index_t pad) {
  Guarded<dim> a(shape, 1, 1);
  FillWhole(a, 50);
  Shape<dim> pooled = shape;
  pooled[dim - 3] = (shape[dim - 3] - n + 2 * pad + 1) / stride;
  ForEachIsa([&] {
    for (index_t row_pad : {0, 3}) {
      Guarded<dim> out(pooled, row_pad, 1), b(pooled);
      FillWhole(b, 50, 2);
      *out = chpool<red::sum>(*a, n, stride, pad);
      const std::vector<double> sums = Pooled<red::sum>(a, pooled, n, stride, pad);
      ExpectValues(out, sums);
      std::vector<double> expected = Pooled<red::maximum>(a, pooled, n, stride, pad);
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += sums[i] + b.At(i);
      *out += chpool<red::maximum>(*a, n, stride, pad) + *b;
      ExpectValues(out, expected);
    }
  });
}

TEST(ChannelPool, Windows) {
  CheckChannelPool(Shape3(9, 3, 19), 3, 1, 1);
  CheckChannelPool(Shape3(9, 3, 19), 5, 1, 2);
  CheckChannelPool(Shape3(9, 3, 19), 3, 2, 0);
  CheckChannelPool(Shape3(9, 3, 19), 4, 3, 2);
  CheckChannelPool(Shape3(2, 2, 7), 2, 1, 1);  // more channels out than in
  CheckChannelPool(Shape4(2, 5, 4, 6), 3, 1, 1);
  CheckChannelPool(Shape5(2, 2, 4, 2, 5), 2, 2, 1);
}

// Few columns are vectors of 16, 8 or 4 that overlap.
TEST(ChannelPool, EveryWidth) {
  for (index_t width = 1; width <= 70; ++width) {
    SCOPED_TRACE(width);
    CheckChannelPool(Shape3(6, 2, width), 5, 1, 2);
  }
}

TEST(ChannelPool, AroundEachChannel) {
  Guarded<3> a(Shape3(5, 1, 1)), out(Shape3(5, 1, 1));
  for (int i = 0; i < 5; ++i) a.At(i) = static_cast<float>(i + 1);
  *out = chpool<red::sum>(*a, 3);
  ExpectValues(out, {3, 6, 9, 12, 9});
}

TEST(ChannelPool, NestedAndReduced) {
  Guarded<4> a(Shape4(2, 5, 4, 6), 1), doubled(Shape4(2, 5, 4, 6));
  FillWhole(a, 50);
  *doubled = *a * 2.0f;
  Guarded<1> out(Shape1(5));
  *out = sumall_except_dim<1>(chpool<red::sum>(*a * 2.0f, 3));
  const std::vector<double> pooled = Pooled<red::sum>(doubled, a->shape_, 3, 1, 1);
  std::vector<double> expected(5);
  for (std::size_t i = 0; i < pooled.size(); ++i) expected[i / 24 % 5] += pooled[i];
  ExpectValues(out, expected);
}

TEST(ChannelPool, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<3, DType> a(Shape3(3, 1, 20), 1), out(Shape3(3, 1, 20));
    FillWhole(a, 20);
    *out = chpool<red::sum>(*a, 3);
    ExpectValues(out, Each(out->shape_, [&](Index<3> i) {
                   double sum = 0;
                   for (std::size_t c = 0; c < 3; ++c) {
                     if (c + 1 >= i[0] && c <= i[0] + 1) sum += At(a, Index<3>{c, 0, i[2]});
                   }
                   return sum;
                 }));
  });
}

TEST(ChannelPool, Errors) {
  Guarded<3> a(Shape3(4, 2, 3));
  EXPECT_NE(ErrorOf([&] { chpool<red::sum>(*a, 2); }).find("local size must be odd"),
            std::string::npos);
  EXPECT_EQ(ErrorOf([&] { chpool<red::sum>(*a, 5); }),
            "chpool: nsize = 5 is out of range: 1 to 4, the source's channels");
  EXPECT_EQ(ErrorOf([&] { chpool<red::sum>(*a, 3, 0, 1); }), "chpool: stride = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { chpool<red::sum>(*a, 3, 1, 4); }),
            "chpool: pad = 4 is out of range: 0 to 2, nsize - 1 (each window holds a channel)");
  EXPECT_NE(ErrorOf([&] { chpool<red::maximum>(*a, 3, 1, 3); }), "no error");
}

}  // namespace
}  // namespace mshadow
