// SPDX-License-Identifier: Apache-2.0
// All functions agree on empty tensors, as NumPy: an empty result where the shape says so, the value
// of nothing where elements are left out, and an Error where nothing is to be chosen from.
#include <mshadow/einsum.h>
#include <mshadow/index.h>
#include <mshadow/nn.h>

#include <cmath>
#include <limits>

#include "../error_of.h"
#include "testing.h"

namespace mshadow {
namespace empty_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using testing::ErrorOf;

/// `e` has this shape, and all its elements are `value`.
template <typename E, int dim>
void ExpectAll(const char* text, const E& e, const Shape<dim>& shape, double value = 0) {
  SCOPED_TRACE(text);
  const auto result = eval(e);
  ASSERT_EQ(result.shape_, shape);
  const auto flat = result.FlatTo1D();
  for (index_t i = 0; i < flat.size(0); ++i) {
    const double x = static_cast<double>(flat[i]);
    EXPECT_TRUE(x == value || (std::isnan(x) && std::isnan(value))) << x;
  }
}
#define MSHADOW_EXPECT_ALL(e, ...) ExpectAll(#e, e, __VA_ARGS__)
#define MSHADOW_EXPECT_SAME(e) ExpectAll(#e, e, s)

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Empty, EveryFunctionAgrees) {
  for (const Shape<2>& s : {Shape2(0, 3), Shape2(3, 0), Shape2(0, 0)}) {
    SCOPED_TRACE(LogText(s));
    const index_t m = s[0], n = s[1];
    TensorContainer<cpu, 2> x(s), y(Shape2(n, 2), 1.0f), grown(Shape2(2, n), 0.0f);
    TensorContainer<cpu, 1> u(Shape1(m), 1.0f), v(Shape1(n), 1.0f), one(Shape1(1), 7.0f);
    TensorContainer<cpu, 1, int> index(Shape1(m), 1);
    // The shape stays.
    MSHADOW_EXPECT_SAME(x * 2 + v);
    MSHADOW_EXPECT_SAME(isnan(x));
    MSHADOW_EXPECT_SAME(cumsum(x, 0));
    MSHADOW_EXPECT_SAME(cumsum(x, 1) + 1);
    MSHADOW_EXPECT_SAME(softmax<0>(x));
    MSHADOW_EXPECT_SAME(softmax<1>(x));
    MSHADOW_EXPECT_SAME(log_softmax<0>(x));
    MSHADOW_EXPECT_SAME(log_softmax<1>(x));
    MSHADOW_EXPECT_SAME(layer_norm(x, v, v));
    MSHADOW_EXPECT_SAME(x - mean<1>(x));
    MSHADOW_EXPECT_SAME(x / sum<0>(x));
    MSHADOW_EXPECT_SAME(flip(x, 0) + roll(x, 1, 1));
    MSHADOW_EXPECT_SAME(take(index, x));
    // Values of nothing.
    EXPECT_EQ(sum(x), 0);
    EXPECT_EQ(prod(x), 1);
    EXPECT_TRUE(std::isnan(mean(x)) && std::isnan(var(x)) && std::isnan(stddev(x)));
    EXPECT_EQ(norm(x), 0);
    EXPECT_EQ(logsumexp(x), -kInfinity);
    EXPECT_TRUE(!any(x) && all(x));
    MSHADOW_EXPECT_ALL(sum<0>(x), Shape1(n));
    MSHADOW_EXPECT_ALL(prod<1>(x), Shape1(m), 1);
    MSHADOW_EXPECT_ALL(mean<0>(x), Shape1(n), kNan);
    MSHADOW_EXPECT_ALL(var<1>(x), Shape1(m), kNan);
    MSHADOW_EXPECT_ALL(logsumexp<1>(x), Shape1(m), -kInfinity);
    MSHADOW_EXPECT_ALL(sum_rows(x), Shape1(n));
    MSHADOW_EXPECT_ALL(sumall_except_dim<0>(x), Shape1(m));
    MSHADOW_EXPECT_ALL((reduce_with_axis<red::sum, false>(x, 1)), Shape1(m));
    MSHADOW_EXPECT_ALL(dot(x, y) + 1, Shape2(m, 2), 1);
    MSHADOW_EXPECT_ALL(implicit_dot(x, y), Shape2(m, 2));
    MSHADOW_EXPECT_ALL(dot(u, x), Shape1(n));
    MSHADOW_EXPECT_ALL(MSHADOW_EINSUM("ij,jk->ik", x, y), Shape2(m, 2));
    MSHADOW_EXPECT_ALL(pad(x, 1), Shape2(m + 2, n + 2));
    MSHADOW_EXPECT_ALL(take_grad(index, x, 2), Shape2(2, n));
    // Nothing to choose from, where there is something to say.
    const auto throws = [](const auto& f) { return ErrorOf(f) != "no error"; };
    EXPECT_TRUE(throws([&] { max(x); }));
    EXPECT_TRUE(throws([&] { argmin(x); }));
    EXPECT_EQ(throws([&] { eval(max<0>(x)); }), n != 0 && m == 0);
    EXPECT_EQ(throws([&] { eval(argmax<1>(x)); }), m != 0 && n == 0);
    EXPECT_EQ(throws([&] { eval(x - max<1>(x)); }), m != 0 && n == 0);
    EXPECT_EQ(throws([&] { eval(argmax(x, 1)); }), m != 0 && n == 0);
    // Functions that write.
    Softmax(x, x);
    SoftmaxGrad(x, x, u);
    MeanVariance<1>(v, eval(v), x);
    for (index_t i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(v[i]));
    v = 0;
    VectorDot(one, v, v);
    EXPECT_EQ(one[0], 0);
    AddTakeGrad(grown, index, x);
    IndexFill(grown, index, x);
    EXPECT_EQ(sum(grown), 0);
    SortByKey(u, index);
    EXPECT_EQ(argsort(v).size(0), n);
    EXPECT_EQ(unique(v).size(0), n == 0 ? 0u : 1u);
    EXPECT_EQ(bincount(tcast<int>(v), 2).size(0), 2u);
  }
  for (const Shape<4>& s : {Shape4(0, 3, 4, 4), Shape4(2, 0, 4, 4)}) {
    TensorContainer<cpu, 4> image(s), kernel(Shape4(2, s[1], 3, 3), 1.0f);
    MSHADOW_EXPECT_ALL(conv2d(image, kernel), Shape4(s[0], 2, 2, 2));
    TensorContainer<cpu, 4> back(Shape4(s[1], 2, 3, 3), 1.0f);
    MSHADOW_EXPECT_ALL(conv_transpose2d(image, back), Shape4(s[0], 2, 6, 6));
    TensorContainer<cpu, 3> row(Shape3(s[0], s[1], 4)), filter(Shape3(2, s[1], 3), 1.0f);
    MSHADOW_EXPECT_ALL(conv1d(row, filter), Shape3(s[0], 2, 2));
    TensorContainer<cpu, 5> volume(Shape5(s[0], s[1], 4, 4, 4)),
        cube(Shape5(2, s[1], 3, 3, 3), 1.0f), back3(Shape5(s[1], 2, 3, 3, 3), 1.0f);
    MSHADOW_EXPECT_ALL(conv3d(volume, cube), Shape5(s[0], 2, 2, 2, 2));
    MSHADOW_EXPECT_ALL(conv_transpose3d(volume, back3), Shape5(s[0], 2, 6, 6, 6));
    MSHADOW_EXPECT_ALL(pool<red::maximum>(image, 2, 2, 2), Shape4(s[0], s[1], 2, 2));
    MSHADOW_EXPECT_ALL((sum<0, 2, 3>(image)), Shape1(s[1]));
  }
}

}  // namespace
}  // namespace empty_test
}  // namespace mshadow
