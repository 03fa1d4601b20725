// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/fuse.h>

#include <mshadow/tensor.h>

#include <algorithm>
#include <vector>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// Every saver, one statement reading what another writes, rows of all sorts; beside loops.
template <typename DType>
void CheckOptimizer(index_t rows, index_t cols, index_t pad, std::size_t shift) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + ", " + std::to_string(pad));
  const Shape<2> shape = Shape2(rows, cols);
  Guarded<2, DType> w(shape, pad, shift), m(shape, 0, 2), v(shape, 2 * pad), g(shape, pad);
  Guarded<2, DType> n(shape);
  FillWhole(w, 5, 1);
  FillWhole(m, 6, 2);
  FillWhole(v, 3, 3);
  FillWhole(g, 4, 4);
  FillWhole(n, 4, 5);
  std::vector<double> ws = Values(w), ms = Values(m), vs = Values(v), ns = Values(n);
  const std::vector<double> gs = Values(g);
  for (std::size_t i = 0; i < gs.size(); ++i) {
    ms[i] = ms[i] + 2 * gs[i];
    vs[i] += gs[i] * gs[i];
    ns[i] *= 2;
    ws[i] -= -(ms[i] + vs[i] * ns[i]);
    ns[i] /= 2;
  }
  Fuse(lazy(*m) = *m + DType(2) * *g, lazy(*v) += *g * *g, lazy(*n) *= DType(2),
       lazy(*w) -= DType(0) - (*m + *v * *n), lazy(*n) /= DType(2));
  ExpectValues(m, ms);
  ExpectValues(v, vs);
  ExpectValues(w, ws);
  ExpectValues(n, ns);
}

TEST(Fuse, IsTheStatementsInOrder) {
  ForEachIsa([] {
    for (index_t cols : {0, 1, 3, 7, 8, 16, 61, 300}) {
      for (index_t rows : {0, 1, 5}) {
        CheckOptimizer<float>(rows, cols, 0, 0);
        CheckOptimizer<float>(rows, cols, 0, 1);
        CheckOptimizer<float>(rows, cols, 3, 0);
      }
    }
  });
  // As many as take turns: one row, rows of all widths, with gaps.
  for (index_t pad : {0, 3}) {
    CheckOptimizer<float>(1, 9001, pad, 1);
    CheckOptimizer<float>(4001, 3, pad, 0);
    CheckOptimizer<float>(301, 61, pad, 1);
    CheckOptimizer<half::half_t>(31, 601, pad, 0);
    CheckOptimizer<std::int64_t>(5, 3007, pad, 0);
  }
  CheckOptimizer<half::half_t>(3, 37, 0, 0);
  CheckOptimizer<half::half_t>(3, 37, 5, 3);
  CheckOptimizer<std::int64_t>(3, 37, 0, 1);
}

// A step of mixed precision: casts to and from half_t, of expressions.
void CheckCasts(index_t cols, index_t pad) {
  SCOPED_TRACE(std::to_string(cols) + ", " + std::to_string(pad));
  const Shape<2> shape = Shape2(5, cols);
  Guarded<2, half::half_t> gradient(shape, pad, 1), weight(shape);
  Guarded<2, float> master(shape, pad), scaled(shape);
  FillWhole(gradient, 5, 1);
  FillWhole(master, 6, 2);
  std::vector<double> ms = Values(master);
  const std::vector<double> gs = Values(gradient);
  std::vector<double> ss = gs;
  for (std::size_t i = 0; i < gs.size(); ++i) {
    ss[i] = gs[i] * gs[i] - gs[i];
    ms[i] -= 2 * ss[i];
  }
  Fuse(lazy(*scaled) = tcast<float>(*gradient * *gradient - *gradient),
       lazy(*master) -= 2.0f * *scaled, lazy(*weight) = tcast<half::half_t>(*master + 0.0f));
  ExpectValues(scaled, ss);
  ExpectValues(master, ms);
  ExpectValues(weight, ms);
}

TEST(Fuse, CastsOfHalf) {
  ForEachIsa([] {
    for (index_t cols : {1, 7, 8, 19, 61, 300, 3001}) {
      CheckCasts(cols, 0);
      CheckCasts(cols, 3);
    }
  });
}

TEST(Fuse, OneAxisAndManyElements) {
  for (index_t size : {1, 64, 1000, 200001}) {
    Guarded<1> w(Shape1(size)), v(Shape1(size)), g(Shape1(size));
    FillWhole(w, 5, 1);
    FillWhole(v, 6, 2);
    FillWhole(g, 4, 3);
    std::vector<double> ws = Values(w), vs = Values(v);
    const std::vector<double> gs = Values(g);
    for (std::size_t i = 0; i < gs.size(); ++i) {
      vs[i] = 0.5 * vs[i] - 0.25 * (gs[i] + 2 * ws[i]);
      ws[i] += vs[i];
    }
    Fuse(lazy(*v) = 0.5f * *v - 0.25f * (*g + 2.0f * *w), lazy(*w) += *v);
    ExpectValues(v, vs);
    ExpectValues(w, ws);
  }
}

// A broadcast operand, a scalar, a view, a tensor as it is; two types; one statement alone.
void CheckOneByOne(index_t rows) {
  const Shape<2> shape = Shape2(rows, 37);
  Guarded<2> a(shape, 1), b(shape), c(Shape2(rows, 80));
  Guarded<2, half::half_t> h(shape, 3);
  Guarded<1> bias(Shape1(37));
  FillWhole(a, 5, 1);
  FillWhole(c, 7, 2);
  FillWhole(bias, 4, 3);
  std::vector<double> as = Values(a), bs(as.size());
  const std::vector<double> cs = Values(c), bias_values = Values(bias);
  for (std::size_t i = 0; i < as.size(); ++i) {
    bs[i] = as[i] + bias_values[i % 37];
    as[i] = cs[i / 37 * 80 + i % 37 + 5];
  }
  Fuse(lazy(*b) = *a + repmat(*bias, rows), lazy(*a) = slice<1>(*c, 5, 42),
       lazy(*h) = tcast<half::half_t>(*a));
  ExpectValues(a, as);
  ExpectValues(b, bs);
  ExpectValues(h, as);
  Fuse(lazy(*a) = *b);
  ExpectValues(a, bs);
  Fuse(lazy(*a) = 3.0f, lazy(*b) += 1.0f);
  for (double& x : bs) x += 1;
  ExpectValues(a, std::vector<double>(as.size(), 3));
  ExpectValues(b, bs);
}

TEST(Fuse, OfWhatComesOneByOne) {
  CheckOneByOne(6);
  CheckOneByOne(301);  // as many as take turns
}

// Some rows of all operands make one, as those of a channel.
TEST(Fuse, RowsOfChannels) {
  const Shape<4> shape = Shape4(2, 3, 40, 50);
  Guarded<4> x(shape), y(shape);
  Guarded<1> scale(Shape1(3)), shift(Shape1(3));
  FillWhole(x, 5, 1);
  FillWhole(y, 5, 2);
  FillWhole(scale, 4, 3);
  FillWhole(shift, 4, 4);
  std::vector<double> xs = Values(x), ys = Values(y);
  const std::vector<double> scales = Values(scale), shifts = Values(shift);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    xs[i] *= scales[i / 2000 % 3];
    ys[i] += xs[i] - shifts[i / 2000 % 3];
  }
  Fuse(lazy(*x) *= broadcast<1>(*scale, shape), lazy(*y) += *x - broadcast<1>(*shift, shape));
  ExpectValues(x, xs);
  ExpectValues(y, ys);
}

// What reads other elements of what is written, or is not computed one by one, runs in turn.
TEST(Fuse, InTurnWhereElementsMeet) {
  Guarded<2> a(Shape2(5, 4000)), b(Shape2(5, 4000), 2), c(Shape2(5, 4000));
  const auto fill = [&] {
    FillWhole(a, 5, 1);
    FillWhole(b, 7, 2);
    FillWhole(c, 6, 3);
  };
  const auto check = [&](const auto& together, const auto& in_turn) {
    fill();
    in_turn();
    const std::vector<double> as = Values(a), bs = Values(b), cs = Values(c);
    fill();
    together();
    ExpectValues(a, as);
    ExpectValues(b, bs);
    ExpectValues(c, cs);
  };
  // The second reads another row of what the first writes, and the other way round.
  check([&] { Fuse(lazy(*a) = *b * 2.0f, lazy(*c) = repmat((*a)[3], 5)); },
        [&] {
          *a = *b * 2.0f;
          *c = repmat((*a)[3], 5);
        });
  check([&] { Fuse(lazy(*c) = repmat((*a)[1], 5), lazy(*a) = *b * 2.0f); },
        [&] {
          *c = repmat((*a)[1], 5);
          *a = *b * 2.0f;
        });
  check([&] { Fuse(lazy(*a) = *b * 2.0f, lazy(*c) = mirror(*a)); },
        [&] {
          *a = *b * 2.0f;
          *c = mirror(*a);
        });
  check([&] { Fuse(lazy(*a) = mirror(*a) * 2.0f, lazy(*c) += *a); },
        [&] {
          *a = mirror(*a) * 2.0f;
          *c += *a;
        });
  check([&] { Fuse(lazy(*a) = *b * 2.0f, lazy(*c) = cumsum(*a, 1)); },
        [&] {
          *a = *b * 2.0f;
          *c = cumsum(*a, 1);
        });
  check([&] { Fuse(lazy(*a) *= 2.0f, lazy(*c) = pool<red::maximum>(*b, 1, 1, 1), lazy(*b) += *c); },
        [&] {
          *a *= 2.0f;
          *c = pool<red::maximum>(*b, 1, 1, 1);
          *b += *c;
        });
  // Rows one further down in the same memory, read and written.
  const auto upper = [](Guarded<2>& t) { return (*t).Slice(0, 4); };
  const auto lower = [](Guarded<2>& t) { return (*t).Slice(1, 5); };
  check([&] { Fuse(lazy(upper(a)) = upper(b) + 1.0f, lazy(upper(c)) = lower(a)); },
        [&] {
          upper(a) = upper(b) + 1.0f;
          upper(c) = lower(a) * 1.0f;
        });
  check([&] { Fuse(lazy(upper(c)) = lower(a), lazy(upper(a)) = upper(b) + 1.0f); },
        [&] {
          upper(c) = lower(a) * 1.0f;
          upper(a) = upper(b) + 1.0f;
        });
  check([&] { Fuse(lazy(upper(a)) = upper(b) + 1.0f, lazy(lower(a)) *= 3.0f); },
        [&] {
          upper(a) = upper(b) + 1.0f;
          lower(a) *= 3.0f;
        });
  check(
      [&] {
        Fuse(lazy(slice<1>(*a, 0, 20)) = slice<1>(*b, 1, 21) + 1.0f,
             lazy(slice<1>(*a, 1, 21)) *= 3.0f);
      },
      [&] {
        slice<1>(*a, 0, 20) = slice<1>(*b, 1, 21) + 1.0f;
        slice<1>(*a, 1, 21) *= 3.0f;
      });
  // Both end as b: the second copies what the first wrote.
  check([&] { Fuse(lazy(*a) = *b, lazy(*b) = *a); }, [&] { *a = *b * 1.0f; });
}

}  // namespace

namespace fuse_test {
// Nodes as 2.x has them: an operand that no one is told of, and a target that says nothing.
template <typename A>
struct ReversedExp : public expr::MakeTensorExp<ReversedExp<A>, A, 2, float> {
  A data_;
  explicit ReversedExp(const A& data) : data_(data) {
    this->shape_ = expr::ShapeCheck<2, A>::Check(data);
  }
};
struct Whole : public TRValue<Whole, testing::TestDevice, 2, float> {
  Tensor<testing::TestDevice, 2> data_;
  explicit Whole(const Tensor<testing::TestDevice, 2>& data) : data_(data) {}
};

}  // namespace fuse_test

namespace expr {
template <typename A>
class Plan<fuse_test::ReversedExp<A>, float> {
 public:
  explicit Plan(const fuse_test::ReversedExp<A>& e)
      : data_(MakePlan(e.data_)), cols_(e.shape_[1]) {}
  MSHADOW_XINLINE float Eval(index_t y, index_t x) const { return data_.Eval(y, cols_ - 1 - x); }
  Plan<A, float> data_;
  index_t cols_;
};
template <>
struct ExpInfo<fuse_test::Whole> {
  static const int kDim = 2;
  static const int kDevMask = testing::TestDevice::kDevMask;
};
template <int dim>
struct ShapeCheck<dim, fuse_test::Whole> {
  static Shape<dim> Check(const fuse_test::Whole& e) { return e.data_.shape_; }
};
template <typename Device>
struct StreamInfo<Device, fuse_test::Whole> {
  static Stream<Device>* Get(const fuse_test::Whole& e) { return e.data_.stream_; }
};
template <>
class Plan<fuse_test::Whole, float> {
 public:
  explicit Plan(const fuse_test::Whole& e) : data_(MakePlan(e.data_)) {}
  MSHADOW_XINLINE float Eval(index_t y, index_t x) const { return data_.Eval(y, x); }
  MSHADOW_XINLINE float& REval(index_t y, index_t x) { return data_.REval(y, x); }
  Plan<Tensor<testing::TestDevice, 2>, float> data_;
};
}  // namespace expr

namespace {

TEST(Fuse, InTurnWithNodesThatSayNothing) {
  using Reversed = fuse_test::ReversedExp<Tensor<TestDevice, 2>>;
  using fuse_test::Whole;
  const Shape<2> shape = Shape2(1, 16000);
  Guarded<2> a(shape), b(shape), c(shape);
  FillWhole(b, 7, 2);
  std::vector<double> doubled, reversed;
  for (const double value : Values(b)) {
    doubled.push_back(2 * value);
    reversed.insert(reversed.begin(), 2 * value + 1);
  }
  const auto check = [&](const auto& fuse) {
    *a = 0.0f;
    *c = 0.0f;
    fuse();
    ExpectValues(a, doubled);
    ExpectValues(c, reversed);
  };
  check([&] { Fuse(lazy(*a) = *b * 2.0f, lazy(*c) = Reversed(*a) + 1.0f); });
  check([&] { Fuse(lazy(Whole(*a)) = *b * 2.0f, lazy(*c) = mirror(*a) + 1.0f); });
}

TEST(Fuse, Shapes) {
  Guarded<2> a(Shape2(2, 3)), b(Shape2(2, 4));
  FillWhole(a);
  FillWhole(b);
  const std::vector<double> as = Values(a), bs = Values(b);
  EXPECT_EQ(ErrorOf([&] { Fuse(lazy(*a) = 1.0f, lazy(*b) = 2.0f); }),
            "Fuse: Shapes of the statements are not the same, Shape1=(2,3), Shape2=(2,4)");
  EXPECT_NE(ErrorOf([&] { Fuse(lazy(*a) = 1.0f, lazy(*a) += *b); }).find("(2,4)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { Fuse(lazy(*a) = 1.0f, lazy(*a) += *b * *a); }).find("(2,4)"),
            std::string::npos);
  ExpectValues(a, as);
  ExpectValues(b, bs);
}

#ifndef __CUDACC__
// Elements in the order in which an op sees them.
std::vector<int>& Seen() {
  static std::vector<int> seen;
  return seen;
}
struct watched {
  template <typename DType>
  MSHADOW_FORCE_INLINE static DType Map(DType a) {
    Seen().push_back(static_cast<int>(a));
    return a;
  }
};

// Turns, not one after another: what the second statement computes begins before the first ends,
// unless it must not.
TEST(Fuse, TakesTurns) {
  if constexpr (std::is_same_v<TestDevice, cpu>) {
    constexpr int kSize = 30000;
    std::vector<float> a(kSize), b(kSize), c(kSize);
    for (int i = 0; i < kSize; ++i) a[static_cast<std::size_t>(i)] = static_cast<float>(i);
    const auto view = [](std::vector<float>& of) {
      return Tensor<cpu, 2>(of.data(), Shape2(3, kSize / 3));
    };
    const auto is_second = [](int x) { return x >= kSize; };
    const auto fused_begins = [&] {
      EXPECT_EQ(Seen().size(), 2u * kSize);
      return std::find_if(Seen().begin(), Seen().end(), is_second) - Seen().begin();
    };
    Fuse(lazy(view(b)) = F<watched>(view(a)), lazy(view(c)) = F<watched>(view(b) + float(kSize)));
    EXPECT_LT(fused_begins(), kSize / 2);
    Seen().clear();
    // Elements of another size.
    std::vector<std::int64_t> wide(kSize);
    Tensor<cpu, 2, std::int64_t> wide_view(wide.data(), Shape2(3, kSize / 3));
    Fuse(lazy(view(b)) = F<watched>(view(a)),
         lazy(wide_view) = F<watched>(tcast<std::int64_t>(view(b)) + kSize));
    EXPECT_LT(fused_begins(), kSize / 2);
    EXPECT_EQ(wide.back(), 2 * kSize - 1);
    Seen().clear();
    Fuse(lazy(view(b)) = F<watched>(view(a)),
         lazy(view(c)) = F<watched>(mirror(view(b)) + float(kSize)));
    EXPECT_EQ(fused_begins(), kSize);
  }
}
#endif

}  // namespace
}  // namespace mshadow
