// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/channel_pool.h>
#include <mshadow/extension/channel_unpool.h>

#include "uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

/// Spreads the gradient of every window over the channels it covers.
template <typename Reducer, int dim>
std::vector<double> Spread(Guarded<dim>& a, Guarded<dim>& pooled, Guarded<dim>& grad, int n,
                           int stride, int pad) {
  return Each(a->shape_, [&](Index<dim> index) {
    const int c = static_cast<int>(index[dim - 3]);
    const double element = At(a, index);
    double sum = 0;
    for (int k = 0; k < static_cast<int>(pooled->shape_[dim - 3]); ++k) {
      if (c < k * stride - pad || c >= k * stride - pad + n) continue;
      index[dim - 3] = k;
      sum += Reducer::PartialGrad(element, At(pooled, index)) * At(grad, index);
    }
    return sum;
  });
}

template <int dim>
void CheckChannelUnpool(const Shape<dim>& shape, index_t n, index_t stride, index_t pad) {
  Guarded<dim> a(shape, 1, 1);
  FillWhole(a, 5);
  Shape<dim> less = shape;
  less[dim - 3] = (shape[dim - 3] - n + 2 * pad + 1) / stride;
  Guarded<dim> pooled(less, 2), grad(less);
  *pooled = chpool<red::maximum>(*a, n, stride, pad);
  FillWhole(grad, 9, 2);
  ForEachIsa([&] {
    Guarded<dim> out(shape, 3, 1);
    *out = ch_unpool<red::maximum>(*a, *pooled, *grad, n, stride, pad);
    std::vector<double> expected = Spread<red::maximum>(a, pooled, grad, n, stride, pad);
    ExpectValues(out, expected);
    *out += ch_unpool<red::maximum>(*a * 1.0f, *pooled, *grad * 2.0f, n, stride, pad);
    for (double& value : expected) value *= 3;
    ExpectValues(out, expected);
  });
}

TEST(ChannelUnpool, Windows) {
  CheckChannelUnpool(Shape3(9, 3, 19), 3, 1, 1);
  CheckChannelUnpool(Shape3(9, 3, 19), 3, 2, 0);
  CheckChannelUnpool(Shape3(9, 3, 19), 4, 3, 2);
  CheckChannelUnpool(Shape4(2, 5, 4, 6), 3, 1, 1);
  CheckChannelUnpool(Shape5(2, 2, 4, 2, 5), 2, 2, 1);
}

TEST(ChannelUnpool, GoldenValuesAndInPlace) {
  Guarded<3> s(Shape3(5, 2, 2)), out(Shape3(5, 2, 2));
  *s = 1.0f;
  const std::vector<double> expected = Each(s->shape_, [](Index<3> i) {
    return i[0] == 0 || i[0] == 4 ? 2.0 : 3.0;
  });
  *out = ch_unpool<red::sum>(*s, *s, *s, 3, 1, 1);
  ExpectValues(out, expected);
  *out = ch_unpool<red::sum>(*s, *s, *s, 3);
  ExpectValues(out, expected);
  *s = ch_unpool<red::sum>(*s, *s, *s, 3);
  ExpectValues(s, expected);
}

TEST(ChannelUnpool, Errors) {
  Guarded<3> a(Shape3(4, 2, 3)), less(Shape3(3, 2, 3)), other(Shape3(3, 2, 4));
  EXPECT_NE(ErrorOf([&] { ch_unpool<red::sum>(*a, *a, *less, 3, 1, 1); }).find("shape mismatch"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { ch_unpool<red::sum>(*a, *other, *other, 3, 1, 1); })
                .find("pool and src shape mismatch: (4,2,3), (3,2,4)"),
            std::string::npos);
  EXPECT_EQ(ErrorOf([&] { ch_unpool<red::sum>(*a, *a, *a, 0, 1, 0); }),
            "ch_unpool: nsize = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { ch_unpool<red::sum>(*a, *a, *a, 3, 1, 3); }),
            "ch_unpool: pad = 3 is out of range: 0 to 2, nsize - 1 (each window holds a channel)");
  EXPECT_EQ(ErrorOf([&] { ch_unpool<red::sum>(*a, *a, *a, 3, 2, 1); }),
            "ch_unpool: pooled shape (4,) has windows that hold no element: image (4,), window (3,), "
            "stride (2,), padding (1,)");
}

}  // namespace
}  // namespace mshadow
