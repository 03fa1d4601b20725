// SPDX-License-Identifier: Apache-2.0
// View: memory with any strides, against index arithmetic in plain loops.
#include <mshadow/view.h>

#include <random>
#include <type_traits>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace {

using expr::dot;
using expr::sum;
using testing::ErrorOf;
using testing::Guarded;

/// A view beside the place, in the memory of `base`, of each of its elements in C order.
template <typename DType>
struct Traced {
  View<cpu, 3, DType> view;
  std::vector<const DType*> at;
  Shape<3> shape;

  explicit Traced(const Tensor<cpu, 3, DType>& t) : view(t), shape(t.shape_) {
    for (index_t i = 0; i < shape[0]; ++i) {
      for (index_t j = 0; j < shape[1]; ++j) {
        for (index_t k = 0; k < shape[2]; ++k) at.push_back(&t[i][j][k]);
      }
    }
  }
  template <typename Index>
  void Take(const Shape<3>& to, const Index& index) {
    std::vector<const DType*> taken;
    for (index_t i = 0; i < to[0]; ++i) {
      for (index_t j = 0; j < to[1]; ++j) {
        for (index_t k = 0; k < to[2]; ++k) {
          const Shape<3> from = index(Shape3(i, j, k));
          taken.push_back(at[(from[0] * shape[1] + from[1]) * shape[2] + from[2]]);
        }
      }
    }
    at = taken;
    shape = to;
  }
  /// A slice with a step, a flip or another order of axes.
  template <typename Random>
  void Change(Random* random) {
    const int axis = static_cast<int>((*random)() % 3);
    const index_t n = shape[axis];
    switch ((*random)() % 3) {
      case 0: {
        const index_t begin = (*random)() % (n + 1), step = 1 + (*random)() % 3;
        const bool back = (*random)() % 2 != 0 && n > 0;
        view = back ? view.slice(axis, -1, -static_cast<std::ptrdiff_t>(n) - 1,
                                 -static_cast<std::ptrdiff_t>(step))
                    : view.slice(axis, begin, n, step);
        const index_t first = back ? 0 : begin;
        Shape<3> to = shape;
        to[axis] = (n - first + step - 1) / step;
        Take(to, [=](Shape<3> i) {
          i[axis] = back ? n - 1 - i[axis] * step : first + i[axis] * step;
          return i;
        });
        break;
      }
      case 1:
        view = view.flip(axis - 3);
        Take(shape, [=](Shape<3> i) {
          i[axis] = n - 1 - i[axis];
          return i;
        });
        break;
      default: {
        view = view.transpose(Shape3(1, 2, 0));
        Take(Shape3(shape[1], shape[2], shape[0]),
             [](const Shape<3>& i) { return Shape3(i[2], i[0], i[1]); });
      }
    }
  }
};

template <typename DType>
void TestStatements() {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Guarded<3, DType> base(Shape3(4 + round % 3, 5 + round % 9, 7 + round % 14), round % 4,
                           round % 5);
    for (std::size_t i = 0; i < base.Size(); ++i) {
      base.At(i) = DType(static_cast<int>(random() % 80));
    }
    Traced<DType> t(*base);
    for (int i = 0; i < round % 5; ++i) t.Change(&random);
    ASSERT_EQ(t.view.shape_, t.shape);
    const std::size_t n = t.at.size();
    TensorContainer<cpu, 3, DType> out(t.shape, DType(0));
    const auto element = [&](const auto& of, std::size_t i) -> decltype(auto) {
      const index_t k = static_cast<index_t>(i) % t.shape[2],
                    j = static_cast<index_t>(i) / t.shape[2];
      return of(j / t.shape[1], j % t.shape[1], k);
    };
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(&element(t.view, i), t.at[i]);
      total += static_cast<double>(*t.at[i]);
    }
    out = t.view * DType(2) + t.view;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(static_cast<double>(element(out, i)), 3 * static_cast<double>(*t.at[i]));
    }
    if constexpr (sizeof(DType) >= 4) {
      EXPECT_NEAR(static_cast<double>(sum(t.view)), total, 1e-4 * (1 + total));
    }
    // It is assigned to, and elements beside it stay as they are.
    TensorContainer<cpu, 3, DType> values(t.shape);
    for (std::size_t i = 0; i < n; ++i) element(values, i) = DType(static_cast<int>(i % 37));
    const std::vector<DType> before(base->dptr_, base->dptr_ + base->MSize());
    std::vector<DType> expected = before;
    for (std::size_t i = 0; i < n; ++i) {
      expected[static_cast<std::size_t>(t.at[i] - base->dptr_)] = DType(static_cast<int>(i % 37));
    }
    t.view = values + DType(0);
    t.view += DType(0);
    EXPECT_TRUE(base.Intact());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(base->dptr_[i], expected[i]) << i;
    t.view += values;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(static_cast<double>(*t.at[i]), 2.0 * static_cast<double>(i % 37));
    }
  }
}

TEST(StridedView, ChainsOfViewsInStatements) {
  testing::ForEachIsa([] {
    TestStatements<float>();
    TestStatements<double>();
    TestStatements<uint8_t>();
    TestStatements<half::half_t>();
  });
}

TEST(StridedView, OfExpressions) {
  TensorContainer<cpu, 2> x(Shape2(4, 6));
  for (index_t i = 0; i < 24; ++i) x[i / 6][i % 6] = static_cast<float>(i);
  View<cpu, 2> v = expr::flip(expr::slice<1>(x, 1, 4), 0);
  EXPECT_EQ(v.shape_, Shape2(4, 3));
  EXPECT_EQ(&v(0, 2), &x[3][3]);
  v(1, 0) = -1.0f;
  EXPECT_EQ(x[2][1], -1.0f);
  const View t = x.T();
  static_assert(std::is_same_v<decltype(t), const View<cpu, 2, const float>>,
                "a view that cannot be assigned to is read only");
  EXPECT_EQ(&t(5, 3), &x[3][5]);
  EXPECT_EQ(t.stride(1), static_cast<std::ptrdiff_t>(x.stride_));
  static_assert(std::is_same_v<decltype(View(x)), View<cpu, 2, float>>, "");
  View(x).T()[5] = 2.0f;  // column 5
  EXPECT_EQ(x[0][5] + x[1][5] + x[2][5] + x[3][5], 8.0f);
  // What is computed, or owned by the expression, is no view.
  static_assert(!std::is_constructible_v<View<cpu, 2, const float>, decltype(x + x)>, "");
  static_assert(!std::is_constructible_v<View<cpu, 2, const float>, decltype((x + x).T())>, "");
  static_assert(!std::is_constructible_v<View<cpu, 2, const float>,
                                         decltype(expr::flip(TensorContainer<cpu, 2>(), 0))>,
                "");
}

TEST(StridedView, OperandsOfFunctions) {
  TensorContainer<cpu, 2> x(Shape2(5, 7)), y(Shape2(7, 5));
  for (index_t i = 0; i < 35; ++i) x[i / 7][i % 7] = static_cast<float>(i * 7 % 11);
  y = x.T();
  const View<cpu, 2> v = View(x).T();
  TensorContainer<cpu, 2> a(Shape2(7, 7)), b(Shape2(7, 7));
  a = dot(v, x);
  b = dot(y, x);
  for (index_t i = 0; i < 49; ++i) EXPECT_EQ(a(i / 7, i % 7), b(i / 7, i % 7));
  TensorContainer<cpu, 1> p(Shape1(7)), q(Shape1(7));
  p = sum<1>(v * v);
  q = sum<1>(y * y);
  for (index_t i = 0; i < 7; ++i) EXPECT_EQ(p(i), q(i));
  a = 0.0f;
  View(a).T() = dot(v, x);  // symmetric
  for (index_t i = 0; i < 49; ++i) EXPECT_EQ(a(i / 7, i % 7), b(i / 7, i % 7));
  TensorContainer<cpu, 2> wide(Shape2(9, 7)), same(Shape2(9, 7));
  wide = expr::pad(v, 1);
  same = expr::pad(y, 1);
  for (index_t i = 0; i < 63; ++i) EXPECT_EQ(wide(i / 7, i % 7), same(i / 7, i % 7));
}

TEST(StridedView, OfItself) {
  for (index_t n : {3u, 8u, 33u}) {
    TensorContainer<cpu, 2> x(Shape2(n, n)), old(Shape2(n, n));
    const auto fill = [&] {
      for (index_t i = 0; i < n * n; ++i) x[i / n][i % n] = static_cast<float>(i);
      old = x + 0.0f;
    };
    fill();
    x = View(x).T() + 0.0f;
    for (index_t i = 0; i < n * n; ++i) ASSERT_EQ(x(i / n, i % n), old(i % n, i / n));
    fill();
    View(x).flip(1) = x + 0.0f;
    for (index_t i = 0; i < n * n; ++i) ASSERT_EQ(x(i / n, i % n), old(i / n, n - 1 - i % n));
    fill();
    View<cpu, 2> v = View(x).flip(0).T();
    v = v * 2.0f + v;
    for (index_t i = 0; i < n * n; ++i) ASSERT_EQ(x(i / n, i % n), 3 * old(i / n, i % n));
    fill();
    View(x).slice(0, 1, n) = View(x).slice(0, 0, n - 1) * 1.0f;
    for (index_t i = n; i < n * n; ++i) ASSERT_EQ(x(i / n, i % n), old(i / n - 1, i % n));
    fill();
    View(x).slice(1, 0, n, 2) = View(x).slice(1, -1, -100, -2).flip(0) * 1.0f;
    for (index_t i = 0; i < n; ++i) {
      for (index_t k = 0; k < n; k += 2) ASSERT_EQ(x(i, k), old(n - 1 - i, n - 1 - k));
    }
  }
}

/// A stand-in for a std::mdspan.
struct Spanned {
  float* data;
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t i) const { return i == 0 ? 2 : 3; }
  std::size_t stride(std::size_t i) const { return i == 0 ? 1 : 4; }
  float* data_handle() const { return data; }
};

TEST(StridedView, OfOtherLibraries) {
  float a[16] = {};
  const View<cpu, 2> v = AsView(Spanned{a});
  EXPECT_EQ(v.shape_, Shape2(2, 3));
  EXPECT_EQ(&v(1, 2), a + 9);
}

TEST(StridedView, OfItselfInPaddedRows) {
  for (int kind = 0; kind < 3; ++kind) {
    Guarded<2> x(Shape2(5, 5), 3);
    x.FillRandom(-1, 1);
    TensorContainer<cpu, 2> old(Shape2(5, 5)), expected(Shape2(5, 5));
    old = *x + 0.0f;
    const View<cpu, 2> v = *x, w = kind == 0 ? v.T() : kind == 1 ? v.flip(0) : v.T().flip(1);
    expected = w * 1.0f;
    *x = w * 1.0f;
    for (index_t i = 0; i < 25; ++i) ASSERT_EQ((*x)(i / 5, i % 5), expected(i / 5, i % 5));
    *x = old + 0.0f;
    *x += w;
    for (index_t i = 0; i < 25; ++i) {
      ASSERT_EQ((*x)(i / 5, i % 5), old(i / 5, i % 5) + expected(i / 5, i % 5));
    }
  }
  TensorContainer<cpu, 1> t(Shape1(5000));
  t = expr::range<float>(0, 5000);
  t = View(t).flip(0) * 1.0f;
  for (index_t i = 0; i < 5000; ++i) ASSERT_EQ(t[i], static_cast<float>(4999 - i));
}

TEST(StridedView, BoundAnewByTensors) {
  TensorContainer<cpu, 1> a({1, 2}), b({3, 4});
  View<cpu, 1> v = a;
  v = b;
  EXPECT_EQ(v.dptr_, b.dptr_);
  EXPECT_EQ(a[0], 1.0f);
  View<cpu, 1, const float> c;
  c = View(b).flip(0);
  EXPECT_EQ(c(0), 4.0f);
}

TEST(StridedView, BoundAnewOrAssigned) {
  float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  View<cpu, 1> v(a, Shape1(2), {2}), w(b + 3, Shape1(2), {-2});
  v[0] = 10.0f;
  EXPECT_EQ(a[0], 10.0f);
  v.flip(0) = w;  // without a name: elements
  EXPECT_EQ(a[2], 8.0f);
  EXPECT_EQ(a[0], 6.0f);
  v = w;
  EXPECT_EQ(v.dptr_, b + 3);
  v = 1.0f;
  EXPECT_EQ(b[3] + b[1], 2.0f);
}

TEST(StridedView, Repeated) {
  float a[] = {1, 2, 3};
  View<cpu, 1> v(a, Shape1(3), {1});
  const auto repeated = v.broadcast_to(Shape2(2, 3));
  EXPECT_EQ(&repeated(1, 2), a + 2);
  TensorContainer<cpu, 2> x(Shape2(2, 3));
  x = repeated + 1.0f;
  EXPECT_EQ(x(1, 2), 4.0f);
  EXPECT_EQ(ErrorOf([&] { v.broadcast_to(Shape2(3, 2)); }),
            "View.broadcast_to: shape (3,) is not repeated to (3,2)");
  const View<cpu, 2, const float> windows(a, Shape2(2, 2), {1, 1});
  x.Slice(0, 2) = 0.0f;
  EXPECT_EQ(windows(1, 1), 3.0f);
  EXPECT_EQ(ErrorOf([&] {
              View<cpu, 2>(a, Shape2(2, 2), {1, 1});
            }),
            "View: elements of shape (2,2) with strides (1,1) share memory; such a view is read "
            "only: View<Device, dim, const T>");
  EXPECT_EQ(ErrorOf([&] {
              View<cpu, 2>(a, Shape2(2, 1), {0, 5});
            }),
            "View: elements of shape (2,1) with strides (0,5) share memory; such a view is read "
            "only: View<Device, dim, const T>");
}

TEST(StridedView, Errors) {
  TensorContainer<cpu, 2> x(Shape2(2, 3));
  const View<cpu, 2> v = x;
  EXPECT_EQ(ErrorOf([&] { v.slice(2, 0, 1); }),
            "View.slice: axis = 2 is out of range: -2 to 1, the axes of the source");
  EXPECT_EQ(ErrorOf([&] { v.slice(0, 0, 1, 0); }), "View.slice: step = 0");
  EXPECT_EQ(ErrorOf([&] { v.transpose(Shape2(1, 1)); }),
            "View.transpose: axes (1,1) are no order of 0 to 1");
  EXPECT_NE(ErrorOf([&] { x = v.T() + 1.0f; }).find("(3,2)"), std::string::npos);
}

TEST(StridedView, Empty) {
  TensorContainer<cpu, 2> x(Shape2(0, 3));
  View<cpu, 2> v = View(x).flip(0).T().slice(0, 2, 0, -1);
  EXPECT_EQ(v.shape_, Shape2(2, 0));
  v = 1.0f;
  EXPECT_EQ(sum(v), 0.0f);
  EXPECT_TRUE(v.is_contiguous());
  v = View<cpu, 2>();
  EXPECT_EQ(v.shape_.Size(), 0u);
}

TEST(StridedView, ElementsOfTensors) {
  Guarded<3> x(Shape3(2, 3, 5), 2, 1);
  x.FillRandom(-1, 1);
  const Tensor<cpu, 3> t = *x;
  EXPECT_EQ(&t(1, 2, 3), &t[1][2][3]);
  EXPECT_EQ(&t[1](2, 4), &t[1][2][4]);
  TensorContainer<cpu, 1> v(Shape1(3), 1.0f);
  v(2) = 4.0f;
  EXPECT_EQ(v[2], 4.0f);
}

}  // namespace
}  // namespace mshadow
