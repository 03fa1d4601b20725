// SPDX-License-Identifier: Apache-2.0
// Tensors of rank 0, against numbers.
#include <mshadow/rank0.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "error_of.h"
#include "../extension/uses.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename DType = float>
using Number = Tensor<TestDevice, 0, DType>;

/// The middle one of three elements, so that a write beside it is seen.
template <typename DType = float>
class GuardedNumber {
 public:
  explicit GuardedNumber(double value) : memory_(Shape1(3)) {
    for (std::size_t i = 0; i < 3; ++i) {
      memory_.At(i) = static_cast<DType>(static_cast<float>(value));
    }
  }
  Number<DType> operator*() { return At(*memory_, 1); }
  double Value() { return static_cast<double>(static_cast<float>(memory_.At(1))); }
  bool Intact(double value) {
    return memory_.Intact() && static_cast<double>(static_cast<float>(memory_.At(0))) == value &&
           static_cast<double>(static_cast<float>(memory_.At(2))) == value;
  }

 private:
  Guarded<1, DType> memory_;
};

TEST(Rank0, IsOneElementWithoutAxes) {
  GuardedNumber<> s(2.5);
  static_assert(Number<>::kRank == 0 && std::is_same_v<decltype(Number<>::shape_), Shape<0>>);
  EXPECT_EQ((*s).shape_.Size(), 1u);
  EXPECT_EQ((*s).MSize(), 1u);
  EXPECT_EQ(LogText((*s).shape_), "()");
  EXPECT_TRUE(Shape<0>() == Shape<0>() && !(Shape<0>() != Shape<0>()));
  EXPECT_TRUE((*s).CheckContiguous());
  EXPECT_EQ((*s).FlatTo1D().shape_, Shape1(1));
  EXPECT_EQ((*s).FlatTo2D().shape_, Shape2(1, 1));
  EXPECT_EQ((*s).FlatTo2D().dptr_, (*s).dptr_);
  EXPECT_EQ((*s)(), 2.5f);
}

TEST(Rank0, TakesNumbersAndExpressions) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    if constexpr (!std::is_same_v<DType, bool>) {
      const auto value = [](float v) { return static_cast<DType>(v); };
      GuardedNumber<DType> s(2), u(3);
      *s = value(5);
      EXPECT_EQ(s.Value(), 5);
      *s += value(4);
      EXPECT_EQ(s.Value(), 9);
      *s -= *u;
      EXPECT_EQ(s.Value(), 6);
      *s *= *u * value(2);
      EXPECT_EQ(s.Value(), 36);
      *s /= *u + *u;
      EXPECT_EQ(s.Value(), 6);
      *s = *s * *s + *u;  // reads what it writes
      EXPECT_EQ(s.Value(), 39);
      *s = *u;  // without a name: the element
      EXPECT_EQ(s.Value(), 3);
      EXPECT_TRUE(s.Intact(2));
      EXPECT_TRUE(u.Intact(3));
    }
  });
  GuardedNumber<> s(2);
  *s = 3;
  *s = sqrt(*s + 6);
  EXPECT_EQ(s.Value(), 3);
  *s = F<op::where>(*s > 2, *s * 10, 0);
  EXPECT_EQ(s.Value(), 30);
  GuardedNumber<int32_t> i(1);
  EXPECT_NE(ErrorOf([&] { *i = 0.5; }).find("equals the scalar 0.5"), std::string::npos);
  *i = tcast<int32_t>(*s);
  EXPECT_EQ(i.Value(), 30);
}

TEST(Rank0, ANamedOneIsBound) {
  GuardedNumber<> s(2), u(3);
  Number<> named = *s;
  named = *u;
  EXPECT_EQ(named.dptr_, (*u).dptr_);
  EXPECT_EQ(s.Value(), 2);
}

/// s is an operand of every element-wise statement.
template <int dim>
void CheckOperand(const Shape<dim>& shape, index_t pad, index_t shift) {
  Guarded<dim> x(shape, pad, shift), y(shape, pad + 1);
  GuardedNumber<> s(3);
  x.FillRandom(-2, 2);
  const auto check = [&](const auto& expected) {
    for (std::size_t i = 0; i < y.Size(); ++i) {
      ASSERT_FLOAT_EQ(y.At(i), static_cast<float>(expected(static_cast<double>(x.At(i))))) << i;
    }
    EXPECT_TRUE(y.Intact());
  };
  *y = *x * *s;
  check([](double v) { return v * 3; });
  *y = *s - *x;
  check([](double v) { return 3 - v; });
  *y = *s;
  check([](double) { return 3; });
  *y += *s * 2;
  check([](double) { return 9; });
  *y = *x / (*s * *s) + *s;
  check([](double v) { return v / 9 + 3; });
  *y = F<op::clip>(*x, -*s / 3, *s / 3);
  check([](double v) { return v < -1 ? -1 : v > 1 ? 1 : v; });
  EXPECT_TRUE(s.Intact(3));
}

TEST(Rank0, IsAnOperandBesideAnyRank) {
  ForEachIsa([] {
    for (index_t shift : {0, 1}) {
      CheckOperand(Shape1(1), 0, shift);
      CheckOperand(Shape1(37), 0, shift);
      CheckOperand(Shape1(0), 0, shift);
      CheckOperand(Shape2(5, 7), 3, shift);
      CheckOperand(Shape2(3, 130), 0, shift);
      CheckOperand(Shape3(2, 3, 17), 1, shift);
      CheckOperand(Shape4(2, 0, 3, 5), 0, shift);
      CheckOperand(Shape5(2, 1, 3, 2, 9), 2, shift);
    }
  });
  Guarded<2> large(Shape2(301, 517), 3);  // by several threads
  GuardedNumber<> s(2);
  large.FillIota();
  *large = *large * *s + *s;
  for (std::size_t i = 0; i < large.Size(); ++i) {
    ASSERT_EQ(large.At(i), 2.0f * static_cast<float>(i) + 2);
  }
}

TEST(Rank0, IsReadWhenTheStatementRuns) {
  Guarded<1> x(Shape1(19)), y(Shape1(19));
  x.FillIota();
  GuardedNumber<> s(3);
  const auto product = *x * *s;
  *s = 5;
  *y = product;
  EXPECT_EQ(y.At(18), 90);
}

TEST(Rank0, OfWhatIsWritten) {
  for (index_t at : {0, 7, 12, 512}) {
    const index_t rows = 57, cols = 9;
    Guarded<2> x(Shape2(rows, cols), 2), y(Shape2(rows, cols), 1);
    x.FillRandom(1, 2);
    std::vector<float> before(x.Size());
    for (std::size_t i = 0; i < x.Size(); ++i) before[i] = x.At(i);
    const float s = before[at];
    const auto check = [&](const auto& expected) {
      for (std::size_t i = 0; i < x.Size(); ++i) {
        ASSERT_FLOAT_EQ(x.At(i), expected(before[i])) << at << ' ' << i;
        x.At(i) = before[i];
      }
      EXPECT_TRUE(x.Intact());
    };
    const auto element = [&] { return At(*x, at / cols, at % cols); };
    *x = *x * element();
    check([&](float v) { return v * s; });
    *x += element();
    check([&](float v) { return v + s; });
    *x /= element();
    check([&](float v) { return v / s; });
    *x *= element() * 2 + 1;
    check([&](float v) { return v * (s * 2 + 1); });
    *x = element();
    check([&](float) { return s; });
    element() = sum<kAllAxes>(*x);
    EXPECT_NEAR(x.At(at), sum(*x) - x.At(at) + s, 1e-3);
    x.At(at) = s;
    element() += max<kAllAxes>(*x * element());
    float most = 0;
    for (float v : before) most = v * s > most ? v * s : most;
    EXPECT_FLOAT_EQ(x.At(at), s + most);
    x.At(at) = s;
    const float deviation = stddev(*x);
    element() = stddev<kAllAxes>(*x);
    EXPECT_FLOAT_EQ(x.At(at), deviation);
  }
}

TEST(Rank0, WithoutMemory) {
  Number<> none;
  GuardedNumber<> s(1);
  Guarded<1> x(Shape1(5));
  TensorContainer<TestDevice, 0> moved(2.0f), taken(std::move(moved));
  const std::string error = "a tensor of shape () has no memory";
  const auto throws = [&](const auto& f) {
    EXPECT_NE(ErrorOf(f).find(error), std::string::npos) << ErrorOf(f);
  };
  throws([&] { *x = *x * none; });
  throws([&] { *x = none; });
  throws([&] { *x = flip(*x - moved, 0); });
  throws([&] { static_cast<void>(sum(*x * none)); });
  throws([&] { *s = none + 1; });
  throws([&] { none = 3.0f; });
  throws([&] { none += *s; });
  throws([&] { none = sum<kAllAxes>(*x); });
  throws([&] { Copy(none, *s); });
  throws([&] { Copy(*s, none); });
  throws([&] { mshadow::View<TestDevice, 0>(none).broadcast_to(Shape1(2)); });
  EXPECT_TRUE(s.Intact(1));
}

// A constructor that throws gives the memory back, which the address sanitizer sees.
TEST(Rank0, ConstructorThatThrows) {
  Guarded<1> nothing(Shape1(0));
  EXPECT_NE(ErrorOf([&] { TensorContainer<TestDevice, 0> s(max<kAllAxes>(*nothing)); }), "");
}

TEST(Rank0, ReductionsOverAllAxes) {
  ForEachIsa([] {
    Guarded<3> x(Shape3(3, 5, 37), 2, 1);
    x.FillRandom(-1, 1);
    double total = 0, squares = 0, most = -9;
    for (std::size_t i = 0; i < x.Size(); ++i) {
      total += x.At(i);
      squares += double(x.At(i)) * x.At(i);
      most = x.At(i) > most ? x.At(i) : most;
    }
    const double n = static_cast<double>(x.Size());
    GuardedNumber<> s(1);
    *s = sum<kAllAxes>(*x);
    EXPECT_NEAR(s.Value(), total, 1e-4);
    *s = sum(*x);  // a number
    EXPECT_NEAR(s.Value(), total, 1e-4);
    *s += mean<kAllAxes>(*x * 2);
    EXPECT_NEAR(s.Value(), total + 2 * total / n, 1e-4);
    *s = max<kAllAxes>(*x);
    EXPECT_EQ(s.Value(), most);
    *s = sqrt(sum<kAllAxes>(*x * *x)) / 2 + 1;
    EXPECT_NEAR(s.Value(), std::sqrt(squares) / 2 + 1, 1e-4);
    *s = norm<kAllAxes>(*x) * var<kAllAxes>(*x);
    EXPECT_NEAR(s.Value(), std::sqrt(squares) * (squares / n - total / n * total / n), 1e-4);
    *s = any<kAllAxes>(*x > 5);
    EXPECT_EQ(s.Value(), 0);
    GuardedNumber<int64_t> at(1);
    *at = argmax<kAllAxes>(*x);
    EXPECT_EQ(x.At(static_cast<std::size_t>(at.Value())), most);

    // As operands, computed before the statement.
    Guarded<3> y(Shape3(3, 5, 37), 1);
    *y = (*x - mean<kAllAxes>(*x)) / stddev<kAllAxes>(*x);
    EXPECT_NEAR(sum(*y), 0, 1e-3);
    EXPECT_NEAR(norm(*y), std::sqrt(n), 1e-3);
    *y = sum<kAllAxes>(*x);
    EXPECT_NEAR(y.At(100), total, 1e-4);
    *y += sum<kAllAxes>(*x);
    EXPECT_NEAR(y.At(100), 2 * total, 1e-4);
    // Two reductions of different ranks, and one that is aligned.
    Guarded<1> v(Shape1(11));
    v.FillIota();
    *y = *x * (sum<kAllAxes>(*v) * sum<kAllAxes>(*x));
    EXPECT_NEAR(y.At(100), x.At(100) * 55 * total, 1e-3);
    *y = *x - sum<2>(*x) * sum<kAllAxes>(*v);
    double row = 0;
    for (int i = 0; i < 37; ++i) row += x.At(2 * 37 + i);
    EXPECT_NEAR(y.At(100), x.At(100) - row * 55, 1e-3);
    // s is read by what is reduced.
    *s = 2;
    *s = sum<kAllAxes>(*x * *s);
    EXPECT_NEAR(s.Value(), 2 * total, 1e-4);
    EXPECT_NEAR(sum(*x * *s), 2 * total * total, 1e-3);
    EXPECT_TRUE(s.Intact(1));
  });
  Guarded<2> none(Shape2(0, 3));
  GuardedNumber<> s(1);
  *s = sum<kAllAxes>(*none);
  EXPECT_EQ(s.Value(), 0);
  EXPECT_NE(ErrorOf([&] { *s = max<kAllAxes>(*none); }).find("(0,3)"), std::string::npos);
}

TEST(Rank0, OtherStatements) {
  GuardedNumber<> s(3);
  Guarded<2> y(Shape2(3, 5), 1), x(Shape2(3, 5));
  x.FillIota();
  *y = broadcast_scalar(*s + 1, y->shape_);
  EXPECT_EQ(y.At(14), 4);
  *y = broadcast_scalar(*s, y->shape_) * *x;
  EXPECT_EQ(y.At(14), 42);
  Guarded<2> t(Shape2(5, 3));
  *t = (*x * *s).T();
  EXPECT_EQ(t.At(2), 30);
  *t = *s * x->T() + *s;
  EXPECT_EQ(t.At(2), 33);
#ifndef MSHADOW_TEST_DEVICE  // another one asks for a device's lambda
  *y = F([](float a, float b, float c) { return a * b - c; }, *x, *s, *x);
  EXPECT_EQ(y.At(14), 28);
  *s = F([](float a) { return a + 1; }, *s);
  EXPECT_EQ(s.Value(), 4);
  *s = 3;
#endif
  *y = flip(*x - *s, 1);
  EXPECT_EQ(y.At(0), 1);
  Guarded<2> z(Shape2(3, 5));
  Fuse(lazy(*y) = *x * *s, lazy(*z) = *y + *s);
  EXPECT_EQ(z.At(14), 45);
  *s = 2;
  Fuse(lazy(*y) = *x * *s, lazy(*z) = *y + *s, lazy(*y) += *z);
  EXPECT_EQ(y.At(14), 58);
}

TEST(Rank0, OfConstElements) {
  GuardedNumber<> s(3);
  const Tensor<TestDevice, 0, const float> c = *s;
  Guarded<1> y(Shape1(5));
  *y = c * 2;
  EXPECT_EQ(y.At(4), 6);
  GuardedNumber<> t(0);
  *t = c;
  *t += c + 1;
  EXPECT_EQ(t.Value(), 7);
}

TEST(Rank0, ElementsOfTensors) {
  Guarded<3> x(Shape3(2, 3, 5), 2);
  x.FillIota();
  EXPECT_EQ(At(*x, 1, 2, 3).dptr_, &(*x)(1, 2, 3));
  At(*x, 1, 2, 3) += 100;
  EXPECT_EQ(x.At(28), 128);
  const mshadow::View<TestDevice, 3> v = mshadow::View<TestDevice, 3>(*x).flip(2);
  EXPECT_EQ(At(v, 1, 2, 1).dptr_, &(*x)(1, 2, 3));
  EXPECT_NE(ErrorOf([&] { At(*x, 1, 3, -1); }).find("index (1,3,-1) of a tensor of shape (2,3,5)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { At(*x, 2, 0, 0); }).find("(2,0,0)"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { At(*x, 0, 0, uint64_t{1} << 63); }), "");
}

#ifndef MSHADOW_TEST_DEVICE
TEST(Rank0, ConvertsToItsElement) {
  GuardedNumber<> s(2.5);
  const float f = *s;
  const double d = *s;
  EXPECT_EQ(f, 2.5f);
  EXPECT_EQ(d, 2.5);
  EXPECT_EQ((*s).item(), 2.5f);
  EXPECT_TRUE(*s ? true : false);
  const TensorContainer<cpu, 0, bool> yes(true), no;
  EXPECT_TRUE(bool(yes) && !bool(no));
  if (no) ADD_FAILURE();
  std::vector<float> v(3);
  v[1] = *s;
  EXPECT_EQ(v[1], 2.5f);
  Guarded<1> y(Shape1(3));
  (*y)[1] = *s;
  (*y)(2) = *s;
  EXPECT_EQ(y.At(2), 2.5f);
  EXPECT_NE(ErrorOf([] { static_cast<void>(Number<>().item()); }).find("has no memory"),
            std::string::npos);
  // An operator makes an expression of it, not a number.
  static_assert(!std::is_arithmetic_v<decltype(*s * 2)>);
  static_assert(!std::is_arithmetic_v<decltype(1.0 - *s)>);
}

TEST(Rank0, Containers) {
  TensorContainer<cpu, 0> s, t(3.0f), u(Shape<0>(), 4.0f);
  EXPECT_EQ(s.item(), 0);
  s = 5;
  EXPECT_EQ(s.item(), 5);
  TensorContainer<cpu, 0> copy = t;
  copy += 1;
  EXPECT_EQ(t.item(), 3);
  EXPECT_EQ(copy.item(), 4);
  copy = u;  // copies the element
  EXPECT_NE(copy.dptr_, u.dptr_);
  TensorContainer<cpu, 0> moved = std::move(copy);
  EXPECT_EQ(moved.item(), 4);
  EXPECT_NE(ErrorOf([&] { copy.item(); }), "");
  const TensorContainer<cpu, 1> none;
  EXPECT_NE(ErrorOf([&] {
              TensorContainer<cpu, 0> largest = max<kAllAxes>(none);  // gives its memory back
            }),
            "");
  copy = moved * 2;  // allocates anew
  EXPECT_EQ(copy.item(), 8);
  copy = std::move(moved);
  EXPECT_EQ(copy.item(), 4);
  TensorContainer<cpu, 0> made = s * t + u;
  EXPECT_EQ(made.item(), 19);
  TensorContainer<cpu, 1> v({1, 2, 3});
  TensorContainer<cpu, 0> total = sum<kAllAxes>(v), number = sum(v), product = dot(v, v);
  EXPECT_EQ(total.item(), 6);
  EXPECT_EQ(number.item(), 6);
  EXPECT_EQ(product.item(), 14);
  product += dot(v, v);
  EXPECT_EQ(product.item(), 28);
  EXPECT_EQ(eval(total * 2).item(), 12);
  const auto kept = TensorContainer<cpu, 0>(7.0f) * total;  // which owns the temporary
  made = kept;
  EXPECT_EQ(made.item(), 42);
  made = At(v, 1);  // a copy: v is not written
  made += 1;
  EXPECT_EQ(v[1], 2);
  made.Release();
  made.Resize(Shape<0>(), 2.0f);
  EXPECT_EQ(made.item(), 2);
  float adds = 0;
  for (float e : made) adds += e;
  EXPECT_EQ(adds, 2);
  EXPECT_EQ(ToVector(made), std::vector<float>{2});
  Copy(made, t);
  EXPECT_EQ(made.item(), 3);
  TensorContainer<cpu, 0, int32_t> i = 3;
  EXPECT_NE(ErrorOf([&] { i = 2.5; }), "");
  EXPECT_NE(ErrorOf([] { TensorContainer<cpu, 0, int32_t> j(2.5); }), "");
}

TEST(Rank0, Views) {
  TensorContainer<cpu, 0> s = 3.0f;
  mshadow::View<cpu, 0> v(s);
  v = 4.0f;
  EXPECT_EQ(s.item(), 4);
  EXPECT_TRUE(v.is_contiguous());
  const mshadow::View<cpu, 2, const float> wide = v.broadcast_to(Shape2(2, 3));
  EXPECT_EQ(wide(1, 2), 4);
  EXPECT_EQ(wide.stride(0), 0);
  TensorContainer<cpu, 2> y(Shape2(2, 3));
  y = wide + v;
  EXPECT_EQ(y[1][2], 8);
  mshadow::View by_guide(s);
  static_assert(std::is_same_v<decltype(by_guide), mshadow::View<cpu, 0>>);
}

struct Bytes {
  std::vector<unsigned char> bytes;
  std::size_t at = 0;
  void Write(const void* p, std::size_t n) {
    bytes.insert(bytes.end(), static_cast<const unsigned char*>(p),
                 static_cast<const unsigned char*>(p) + n);
  }
  std::size_t Read(void* p, std::size_t n) {
    n = std::min(n, bytes.size() - at);
    std::copy(bytes.begin() + at, bytes.begin() + at + n, static_cast<unsigned char*>(p));
    at += n;
    return n;
  }
};

TEST(Rank0, SaveBinary) {
  Bytes file;
  TensorContainer<cpu, 0, double> s(1.5), t;
  s.SaveBinary(file);
  EXPECT_EQ(file.bytes.size(), sizeof(double));
  t.LoadBinary(file);
  EXPECT_EQ(t.item(), 1.5);
  EXPECT_NE(ErrorOf([&] { t.LoadBinary(file); }).find("end too early"), std::string::npos);
  EXPECT_EQ(t.item(), 1.5);
}
#endif

}  // namespace
}  // namespace mshadow
