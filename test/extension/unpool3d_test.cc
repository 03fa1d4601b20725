// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/unpool3d.h>

#include <algorithm>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// Spreads the gradient of every window over the elements it covers.
template <typename Reducer>
std::vector<double> Unpool(const std::vector<double>& src, const std::vector<double>& pooled,
                           const std::vector<double>& grad, const Shape<3>& size,
                           const Shape<3>& small, const Shape<3>& k, const Shape<3>& s) {
  std::vector<double> out(src.size());
  for (std::size_t i = 0; i < pooled.size(); ++i) {
    const std::size_t u = i % small[2], v = i / small[2] % small[1];
    const std::size_t w = i / small[2] / small[1] % small[0], volume = i / small.Size();
    for (std::size_t z = w * s[0]; z < std::min<std::size_t>(w * s[0] + k[0], size[0]); ++z) {
      for (std::size_t y = v * s[1]; y < std::min<std::size_t>(v * s[1] + k[1], size[1]); ++y) {
        for (std::size_t x = u * s[2]; x < std::min<std::size_t>(u * s[2] + k[2], size[2]); ++x) {
          const std::size_t at = ((volume * size[0] + z) * size[1] + y) * size[2] + x;
          out[at] += Reducer::PartialGrad(src[at], pooled[i]) * grad[i];
        }
      }
    }
  }
  return out;
}

template <typename Reducer, int dim>
void CheckUnpool3d(const Shape<dim>& shape, const Shape<3>& k, const Shape<3>& s) {
  SCOPED_TRACE(LogText(shape) + ": " + LogText(k) + " / " + LogText(s));
  Shape<dim> small = shape;
  Shape<3> size, pooled_size;
  for (int i = 0; i < 3; ++i) {
    size[i] = shape[dim - 3 + i];
    // Some are clipped at the end.
    pooled_size[i] = small[dim - 3 + i] =
        i % 2 == 0 ? (size[i] - k[i]) / s[i] + 1 : (size[i] - 1) / s[i] + 1;
  }
  // Few different values: ties.
  Guarded<dim> src(shape, 2, 1), pooled(small, 1), grad(small, 3), out(shape, 1), b(shape);
  FillWhole(src, 3);
  FillWhole(pooled, 3, 5);
  FillWhole(grad, 9, 2);
  FillWhole(b, 9, 3);
  const std::vector<double> expected =
      Unpool<Reducer>(Values(src), Values(pooled), Values(grad), size, pooled_size, k, s);
  *out = unpool3d<Reducer>(*src, *pooled, *grad, k, s);
  ExpectValues(out, expected);
  std::vector<double> more = expected;
  for (std::size_t i = 0; i < more.size(); ++i) more[i] += expected[i] + b.At(i);
  *out += unpool3d<Reducer>(*src * 2.0f, *pooled * 2.0f, *grad, k, s) + *b;
  ExpectValues(out, more);
  // In place: src is read at the index that is written.
  *src = unpool3d<Reducer>(*src, *pooled, *grad, k, s);
  ExpectValues(src, expected);
}

TEST(Unpool3d, Maximum) {
  ForEachIsa([] {
    CheckUnpool3d<red::maximum>(Shape3(5, 6, 37), Shape3(2, 2, 2), Shape3(2, 2, 2));
    CheckUnpool3d<red::maximum>(Shape3(5, 6, 37), Shape3(3, 3, 3), Shape3(2, 2, 2));
    CheckUnpool3d<red::maximum>(Shape3(4, 5, 40), Shape3(2, 3, 1), Shape3(1, 1, 1));
    CheckUnpool3d<red::maximum>(Shape3(4, 5, 9), Shape3(1, 3, 4), Shape3(2, 2, 3));
  });
}
TEST(Unpool3d, Sum) {
  ForEachIsa(
      [] { CheckUnpool3d<red::sum>(Shape5(2, 2, 4, 3, 9), Shape3(2, 3, 4), Shape3(1, 2, 3)); });
}

TEST(Unpool3d, Reduced) {
  Guarded<3> src(Shape3(2, 4, 34)), pooled(Shape3(1, 2, 17)), grad(pooled->shape_);
  *src = 1.0f;
  *pooled = 1.0f;
  FillWhole(grad, 9);
  const Shape<3> two = Shape3(2, 2, 2);
  double sum = 0;
  for (double g : Values(grad)) sum += 4 * g;
  Guarded<1> total(Shape1(2));
  *total = sumall_except_dim<0>(unpool3d<red::maximum>(*src, *pooled, *grad, two, two));
  ExpectValues(total, {sum, sum});
}

// The kernels are those of unpool, which takes every type.
TEST(Unpool3d, DTypeOfEachSize) {
  ForDTypeOfEachSize([](auto zero) {
    using DType = decltype(zero);
    Guarded<3, DType> src(Shape3(2, 4, 37), 1), pooled(Shape3(1, 2, 18)), grad(pooled->shape_);
    Guarded<3, DType> out(src->shape_, 2);
    FillWhole(src, 3);
    FillWhole(pooled, 3, 2);
    FillWhole(grad, 9);
    const Shape<3> two = Shape3(2, 2, 2);
    *out = unpool3d<red::maximum>(*src, *pooled, *grad, two, two);
    ExpectValues(out, Unpool<red::maximum>(Values(src), Values(pooled), Values(grad), src->shape_,
                                           pooled->shape_, two, two));
  });
}

TEST(Unpool3d, Errors) {
  Guarded<4> a(Shape4(2, 4, 4, 4)), small(Shape4(2, 2, 2, 2)), other(Shape4(3, 2, 2, 2));
  const Shape<3> two = Shape3(2, 2, 2);
  EXPECT_NE(ErrorOf([&] { unpool3d<red::sum>(*a, *small, *other, two, two); })
                .find("pooled shape mismatch"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { unpool3d<red::sum>(*a, *other, *other, two, two); })
                .find("(2,4,4,4), (3,2,2,2)"),
            std::string::npos);
  EXPECT_EQ(ErrorOf([&] { unpool3d<red::sum>(*a, *small, *small, two, Shape3(2, 2, 0)); }),
            "unpool3d: kstride[2] = 0 must be positive");
  EXPECT_EQ(ErrorOf([&] { unpool3d<red::sum>(*a, *small, *small, two, Shape3(3, 3, 4)); }),
            "unpool3d: pooled shape (2,2,2) has windows that hold no element: image (4,4,4), window "
            "(2,2,2), stride (3,3,4)");
}

}  // namespace
}  // namespace mshadow
