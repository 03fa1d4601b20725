// SPDX-License-Identifier: Apache-2.0
#include "check_gradient.h"

#include <stdexcept>

namespace mshadow {
namespace {

using namespace expr;
using testing::CheckGradient;
using testing::FillBetween;
using testing::Filled;

TEST(Tape, SeveralStatements) {
  Filled<2> x(Shape2(3, 4), -1, 1, 1), w(Shape2(4, 2), -1, 1, 2);
  Filled<1> b(Shape1(2), -1, 1, 3);
  CheckGradient(
      [](Tape& t, auto& a, auto& c, auto& o) {
        const auto h = t(tanh(dot(a, c) + o));
        const auto g = t(h * h);
        return t(g + h * sum<0>(h));
      },
      x, w, b);
}
TEST(Tape, LoopsAndCheckpoints) {
  Filled<2> x(Shape2(3, 4), -1, 1, 1);
  Filled<1> b(Shape1(4), -1, 1, 2);
  CheckGradient(
      [](Tape& t, auto& a, auto& c) {
        auto h = t(a * 1.0);
        for (int i = 0; i < 3; ++i) h = t(tanh(h * c + a));
        return h;
      },
      x, b);
  CheckGradient(
      [](Tape& t, auto& a, auto& c) {
        const auto block = [](Tape& s, const Variable<cpu, 2, double>& h,
                              const Variable<cpu, 1, double>& o) {
          const auto m = s(tanh(h * o));
          return s(m * m + h);
        };
        Variable<cpu, 2, double> h = a;
        for (int i = 0; i < 3; ++i) h = t.Again(block, h, c);
        return h;
      },
      x, b);
}
TEST(Tape, ValuesAreConstantsAndGradientsAddUp) {
  Filled<2> x(Shape2(3, 4), -1, 1);
  Tape t;
  const auto h = t(x * 2.0);
  const auto y = t(sum_all(h.value * h));
  t.Backward(y);
  const double once = 4 * x.value(1, 2);
  EXPECT_NEAR(x.grad()(1, 2), once, 1e-12);
  t.Backward(y);
  EXPECT_NEAR(x.grad()(1, 2), 2 * once, 1e-12);
  x.ZeroGradient();
  EXPECT_EQ(x.grad()(1, 2), 0.0);
  EXPECT_EQ(t.size(), 2u);
  t.Clear();
  EXPECT_EQ(t.size(), 0u);
}
TEST(Tape, GradientsOfResultsThatAreTensors) {
  Parameter<cpu, 1, double> a(Shape1(3), 2.0);
  const TensorContainer<cpu, 1, double> dy({1, 2, 3});
  Tape t;
  t.Backward(a, Tensor<cpu, 1, double>(dy));  // written, not another view of dy
  EXPECT_NE(a.grad().dptr_, dy.dptr_);
  t.Backward(a, Tensor<cpu, 1, double>(dy));
  EXPECT_EQ(a.grad()[2], 6.0);
  EXPECT_EQ(dy[2], 3.0);
}
TEST(Tape, StatementsThatAreTensors) {
  const TensorContainer<cpu, 1, double> x(Shape1(3), 5.0);
  Parameter<cpu, 1, double> w(Shape1(3), 2.0);
  {
    Tape t;
    const auto start = t(x);  // a copy, which the tape owns
    const auto copy = t(w);
    EXPECT_NE(start.value.dptr_, x.dptr_);
    t.Backward(t(start * copy));
  }
  EXPECT_EQ(w.grad()[1], 5.0);
  AddGradient(w, Tensor<cpu, 1, double>(x));
  EXPECT_EQ(w.grad()[1], 10.0);
}
TEST(Tape, VariablesThatBeginAtOneAddress) {
  TensorContainer<cpu, 2, double> block(Shape2(4, 2), 1.0), gradients(Shape2(4, 2), 0.0);
  const TensorContainer<cpu, 2, double> x(Shape2(2, 3), 1.0);
  const Variable<cpu, 2, double> two(block.Slice(0, 2), gradients.Slice(0, 2)),
      four(block.Slice(0, 4), gradients.Slice(0, 4));
  Tape t;
  const auto y = t(sum<0>(dot(two, x)) + 2.0 * sum<0>(dot(four, x)));
  EXPECT_EQ(y.value[0], 2 * 2 + 2 * 4 * 2.0);
  t.Backward(y);
  EXPECT_EQ(gradients(0, 0), 9.0);
  EXPECT_EQ(gradients(3, 1), 6.0);
}
TEST(Tape, AfterAnException) {
  Parameter<cpu, 1, double> a(Shape1(3), 2.0);
  const TensorContainer<cpu, 1, double> wrong(Shape1(5), 1.0);
  Tape t;
  const auto y = t(a * a);
  EXPECT_THROW(t.Backward(y, wrong * 1.0), Error);
  EXPECT_EQ(a.grad()[0], 0.0);
  t.Backward(y);
  EXPECT_EQ(a.grad()[0], 4.0);
}
TEST(Tape, TheValueOfAParameterIsItsOwn) {
  Parameter<cpu, 1, double> w(Shape1(2));
  const double* const memory = w.value.dptr_;
  {
    const TensorContainer<cpu, 1, double> saved({3, 4});
    w.value = saved;
  }
  EXPECT_EQ(w.value.dptr_, memory);
  EXPECT_EQ(w.value[1], 4.0);
  w.value = w.value * 2.0;
  w.value = 1.0;
  w.grad() = 2.0;
  w.grad() *= 3.0;
  EXPECT_EQ(w.value[0] + w.grad()[1], 7.0);
}
TEST(Tape, OfAnotherTape) {
  Parameter<cpu, 1, double> a(Shape1(2), 2.0);
  Tape first, second;
  const auto y = first(a * a);
  EXPECT_THROW(second.Backward(y), Error);
  first.Backward(y);
  EXPECT_EQ(a.grad()[0], 4.0);
}
TEST(Tape, ReadsAnotherTape) {
  Parameter<cpu, 1, double> a(Shape1(2), 2.0), b(Shape1(2), 3.0);
  Tape first, second;
  const auto y = first(a * a);
  const auto z = second(y * b);
  EXPECT_THROW(second.Backward(z), Error);
  EXPECT_THROW(second.BackwardEach(
                   z, [](const auto&) {}, b),
               Error);
  const auto again =
      second.Again([](Tape& t, const Variable<cpu, 1, double>& v) { return t(v * v); }, y);
  EXPECT_THROW(second.Backward(again), Error);
  first.Backward(y);  // nothing is left of those
  EXPECT_EQ(a.grad()[0], 4.0);
  const auto c = second(y.value * b);  // a constant may be of any
  b.ZeroGradient();
  second.Backward(c);
  EXPECT_EQ(b.grad()[0], 4.0);
}
TEST(Tape, AgainOfTheArgumentItself) {
  Parameter<cpu, 1, double> a(Shape1(2), 2.0);
  Tape t;
  const auto same = [](Tape&, const Variable<cpu, 1, double>& v) { return v; };
  t.Backward(t(t.Again(same, t(a * a)) * 3.0));
  EXPECT_EQ(a.grad()[0], 12.0);
}
TEST(Tape, MeansOfManyHalves) {
  Parameter<cpu, 1, half::half_t> w(Shape1(70000), half::half_t(1.0f));
  Tape t;
  t.Backward(t(mean_all(w)));
  EXPECT_NEAR(float(w.grad()[5]), 1.0 / 70000, 1e-7);
}
TEST(Tape, NothingArrivesAtWhatIsNotUsed) {
  Parameter<cpu, 1, double> a(Shape1(3), 2.0), b(Shape1(3), 3.0);
  Tape t;
  const auto unused = t(b * b);
  t.Backward(t(a * a));
  EXPECT_EQ(a.grad()[0], 4.0);
  EXPECT_EQ(b.grad()[0], 0.0);
  EXPECT_EQ(unused.value[0], 9.0);
}
TEST(Tape, VariablesOverMemoryOfOthers) {
  TensorContainer<cpu, 2, double> values(Shape2(2, 3), 2.0), gradients(Shape2(2, 3), 0.0);
  const Variable<cpu, 1, double> first(values[0], gradients[0]), second(values[1], gradients[1]);
  Tape t;
  t.Backward(t(first * second * second));
  EXPECT_EQ(gradients(0, 1), 4.0);
  EXPECT_EQ(gradients(1, 1), 8.0);
}
TEST(Tape, AddGradientIsOneStatement) {
  Parameter<cpu, 1, double> a(Shape1(3), 2.0);
  const TensorContainer<cpu, 1, double> dy({1, 2, 3});
  AddGradient(a * a, Tensor<cpu, 1, double>(dy));
  EXPECT_EQ(a.grad()[2], 12.0);
}
TEST(Tape, ValueAndGradient) {
  TensorContainer<cpu, 2, double> x(Shape2(3, 4));
  TensorContainer<cpu, 1, double> b(Shape1(4));
  FillBetween(x, -1, 1);
  FillBetween(b, -1, 1, 2);
  const auto [value, dx, db] = value_and_gradient(
      [](Tape& t, const auto& a, const auto& c) { return t(sum_all(tanh(a + c))); },
      Tensor<cpu, 2, double>(x), Tensor<cpu, 1, double>(b));
  double expected = 0, column = 0;
  for (index_t i = 0; i < 12; ++i) expected += std::tanh(x(i / 4, i % 4) + b(i % 4));
  for (index_t i = 0; i < 3; ++i) column += 1 - std::pow(std::tanh(x(i, 2) + b(2)), 2);
  EXPECT_NEAR(value, expected, 1e-12);
  EXPECT_NEAR(db[2], column, 1e-12);
  EXPECT_NEAR(dx(1, 3), 1 - std::pow(std::tanh(x(1, 3) + b(3)), 2), 1e-12);
}
TEST(Tape, EmptyTensors) {
  Parameter<cpu, 2, double> x(Shape2(0, 4));
  Tape t;
  t.Backward(t(x * 2.0));
  EXPECT_EQ(x.grad().shape_, Shape2(0, 4));
}
TEST(Tape, WrongShapes) {
  Parameter<cpu, 2, double> x(Shape2(3, 4));
  Tape t;
  const auto y = t(x * 2.0);
  const TensorContainer<cpu, 2, double> dy(Shape2(4, 3), 1.0);
  EXPECT_THROW(t.Backward(y, dy * 1.0), Error);
  EXPECT_THROW((Variable<cpu, 2, double>(x.value, dy)), Error);
}

// A node of a third party: out[i] = src[i + 1] - src[i] along rows, and its gradient.
template <typename SrcExp, typename DType, int dim>
struct StepsExp;
template <typename SrcExp, typename DType, int etype>
StepsExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> steps(const Exp<SrcExp, DType, etype>& src) {
  return StepsExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self());
}
template <typename SrcExp, typename DType, int dim>
struct StepsExp : public MakeTensorExp<StepsExp<SrcExp, DType, dim>, SrcExp, dim, DType> {
  SrcExp src_;
  explicit StepsExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<dim, SrcExp>::Check(src_);
    this->shape_[dim - 1] -= 1;
  }
};

}  // namespace

namespace expr {

template <typename SrcExp, typename DType, int dim>
class Plan<StepsExp<SrcExp, DType, dim>, DType> {
 public:
  explicit Plan(const StepsExp<SrcExp, DType, dim>& e) : src_(MakePlan(e.src_)) {}
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const {
    return src_.Eval(y, x + 1) - src_.Eval(y, x);
  }

 private:
  PlanOf<SrcExp> src_;
};
template <typename SrcExp, typename DType, int dim>
struct Gradient<StepsExp<SrcExp, DType, dim>> : GradientBase {
  using Operands = detail::TypeList<SrcExp>;
  static constexpr bool kAdds = true;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src_);
  }
  template <typename E, typename V>
  static auto With(const E&, const V& v) {
    return steps(v);
  }
  template <int i, typename E, typename G, typename T, typename V>
  static void AddTo(const E& e, const G& g, T* gradient, const V&) {
    const index_t n = e.shape_[dim - 1];
    slice<dim - 1>(*gradient, 1, n + 1) += g;
    slice<dim - 1>(*gradient, 0, n) -= g;
  }
};

// src, whose gradient fails where fails_now is true.
template <typename SrcExp, typename DType, int dim>
struct FailsExp : public MakeTensorExp<FailsExp<SrcExp, DType, dim>, SrcExp, dim, DType> {
  SrcExp src_;
  explicit FailsExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<dim, SrcExp>::Check(src_);
  }
};
template <typename SrcExp, typename DType, int dim>
class Plan<FailsExp<SrcExp, DType, dim>, DType> {
 public:
  explicit Plan(const FailsExp<SrcExp, DType, dim>& e) : src_(MakePlan(e.src_)) {}
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return src_.Eval(y, x); }

 private:
  PlanOf<SrcExp> src_;
};
static bool fails_now = false;
template <typename SrcExp, typename DType, int etype>
FailsExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> fails(const Exp<SrcExp, DType, etype>& src) {
  return FailsExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self());
}
template <typename SrcExp, typename DType, int dim>
struct Gradient<FailsExp<SrcExp, DType, dim>> : GradientBase {
  using Operands = detail::TypeList<SrcExp>;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src_);
  }
  template <typename E, typename V>
  static auto With(const E&, const V& v) {
    return fails(v);
  }
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E&, const G& g, const Y&, const V&) {
    if (fails_now) throw std::runtime_error("no gradient");
    return g * DType(1);
  }
};

}  // namespace expr

namespace {

// The gradients that wait for the rule which fails are not added by a later Backward.
TEST(Tape, AfterARuleThatThrows) {
  Filled<2> x(Shape2(3, 5), -1, 1);
  Filled<1> b(Shape1(5), -1, 1, 2);
  Tape t;
  const auto h = t(tanh(x * b));
  const auto y = t(fails(h) * 3.0 + x * x + b * x);
  const auto z = t(fails(x * x) + x);
  const auto loss = t(y * y + z);
  t.Backward(loss);
  const TensorContainer<cpu, 2, double> dx(x.grad() * 1.0);
  const TensorContainer<cpu, 1, double> db(b.grad() * 1.0);
  for (int round = 0; round < 3; ++round) {
    if (round == 2) {  // the second failure meets gradients that nothing was added to
      x.ZeroGradient();
      b.ZeroGradient();
    }
    fails_now = true;
    EXPECT_THROW(t.Backward(loss), std::runtime_error);
    EXPECT_THROW(t.BackwardEach(
                     loss, [](const auto&) {}, x, b),
                 std::runtime_error);
    fails_now = false;
    x.ZeroGradient();
    b.ZeroGradient();
    t.Backward(loss);
    EXPECT_EQ(sum(x.grad() != dx), 0.0) << round;
    EXPECT_EQ(sum(b.grad() != db), 0.0) << round;
  }
}
TEST(Tape, NodesOfOthers) {
  Filled<2> x(Shape2(3, 5), -1, 1);
  CheckGradient([](Tape& t, auto& a) { return t(square(steps(a)) + steps(a * a)); }, x);
}

}  // namespace
}  // namespace mshadow
