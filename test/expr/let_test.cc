// SPDX-License-Identifier: Apache-2.0
// Let: values that the statements of a Fuse share, in one loop and otherwise.
#include <mshadow/let.h>

#include <mshadow/tensor.h>

#include <cmath>
#include <string>
#include <vector>

#include "error_of.h"
#include "extension/reference.h"

namespace mshadow {
namespace let_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

/// y = (a b + c) d and its gradients, which have whole numbers.
template <typename DType>
void CheckGradients(index_t rows, index_t cols, index_t pad, std::size_t shift) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + ", " + std::to_string(pad));
  const Shape<2> shape = Shape2(rows, cols);
  Guarded<2, DType> a(shape, pad, shift), b(shape), c(shape, 2 * pad), d(shape, pad, 1), ga(shape),
      gb(shape, pad), gc(shape, 0, shift), gd(shape);
  FillWhole(a, 3, 1);
  FillWhole(b, 4, 2);
  FillWhole(c, 3, 3);
  FillWhole(d, 4, 4);
  FillWhole(gd, 5, 5);
  const std::vector<double> as = Values(a), bs = Values(b), cs = Values(c), ds = Values(d);
  std::vector<double> gas(as.size()), gbs = gas, gcs = gas, gds = Values(gd);
  for (std::size_t i = 0; i < as.size(); ++i) {
    const double t = as[i] * bs[i] + cs[i], p = ds[i] * (1 - t);
    gds[i] += t;
    gcs[i] = p;
    gas[i] = p * bs[i];
    gbs[i] = p * as[i] - 2;
  }
  const Let<TestDevice, 2, DType> t(shape), p(shape);
  Fuse(let(t) = *a * *b + *c, let(p) = *d * (DType(1) - t), lazy(*gd) += t, lazy(*gc) = p,
       lazy(*ga) = *gc * *b, lazy(*gb) = p * *a - DType(2));
  ExpectValues(gd, gds);
  ExpectValues(gc, gcs);
  ExpectValues(ga, gas);
  ExpectValues(gb, gbs);
  EXPECT_TRUE(ga.Intact() && gb.Intact() && gc.Intact() && gd.Intact());
}

TEST(Let, IsComputedOnceAnElement) {
  ForEachIsa([] {
    for (const index_t cols : {0, 1, 7, 8, 63, 64, 65, 71, 72, 130, 1000}) {
      CheckGradients<float>(1, cols, 0, 1);
    }
    for (const index_t pad : {0, 3}) {
      CheckGradients<float>(5, 61, pad, 0);
      CheckGradients<float>(0, 3, pad, 0);
    }
    // Where a part ends, and the rest is short.
    for (const index_t cols : {511, 512, 513, 575, 576, 1024, 1025, 1600}) {
      CheckGradients<float>(1, cols, 0, 0);
    }
  });
  // Many parts, threads, and rows that are not one.
  for (const index_t pad : {0, 1}) {
    CheckGradients<float>(1, 200003, pad, 1);
    CheckGradients<float>(130, 301, pad, 1);
    CheckGradients<float>(301, 61, pad, 0);
    CheckGradients<double>(7, 3001, pad, 0);
  }
  CheckGradients<half::half_t>(3, 37, 0, 0);
  CheckGradients<half::half_t>(31, 601, 1, 0);
  CheckGradients<std::int64_t>(5, 3007, 0, 0);
}

TEST(Let, SeveralTypes) {
  for (const index_t n : {100, 20000}) {
    Guarded<1> x(Shape1(n)), y(Shape1(n));
    Guarded<1, double> z(Shape1(n));
    FillWhole(x, 9);
    std::vector<double> ys = Values(x), zs = ys;
    for (std::size_t i = 0; i < ys.size(); ++i) {
      zs[i] = 2 * ys[i] + 1;
      ys[i] = 3 * zs[i];
    }
    const Let<TestDevice, 1, double> t(x->shape_);
    const Let<TestDevice, 1> u(x->shape_);
    Fuse(let(t) = tcast<double>(*x * 2.0f), let(t) = t + 1.0, let(u) = tcast<float>(t),
         lazy(*z) = t, lazy(*y) = u * 3.0f);
    ExpectValues(y, ys);
    ExpectValues(z, zs);
  }
}

// Operands that are no tensors of this shape, and statements that cannot share a loop.
TEST(Let, InTurn) {
  for (const index_t rows : {6, 501}) {
    const Shape<2> shape = Shape2(rows, 37);
    Guarded<2> a(shape), b(shape), c(shape), part(Shape2(rows, 50));
    Guarded<1> bias(Shape1(37)), sums(Shape1(37));
    FillWhole(part, 7, 1);
    FillWhole(bias, 4, 2);
    const Let<TestDevice, 2> t(shape);
    Fuse(let(t) = slice<1>(*part, 5, 42) + *bias, lazy(*a) = t * 2.0f, lazy(*b) = flip(t, 1),
         lazy(*c) = concat<1>(slice<1>(t, 1, 37), slice<1>(t, 0, 1)));
    std::vector<double> as, bs, cs;
    const auto value = [&](std::size_t y, std::size_t x) {
      return static_cast<double>(part.At(y * 50 + x + 5)) + static_cast<double>(bias.At(x));
    };
    for (std::size_t i = 0; i < a.Size(); ++i) {
      const std::size_t y = i / 37, x = i % 37;
      as.push_back(2 * value(y, x));
      bs.push_back(value(y, 36 - x));
      cs.push_back(value(y, (x + 1) % 37));
    }
    ExpectValues(a, as);
    ExpectValues(b, bs);
    ExpectValues(c, cs);
  }
}

// A statement writes what another one reads elsewhere, or what a Let lies in.
TEST(Let, WhereElementsMeet) {
  const index_t n = 3001;
  Guarded<1> memory(Shape1(n + 10)), x(Shape1(n)), y(Shape1(n));
  FillWhole(memory, 9, 1);
  FillWhole(x, 5, 2);
  const std::vector<double> ms = Values(memory), xs = Values(x);
  std::vector<double> after = ms, ys(n);
  const Let<TestDevice, 1> t(Shape1(n));
  // Behind what is written, and ahead of it.
  Fuse(let(t) = *x + memory->Slice(0, n), lazy(memory->Slice(2, n + 2)) = t * 2.0f,
       lazy(*y) = t + memory->Slice(5, n + 5));
  for (index_t i = 0; i < n; ++i) after[i + 2] = 2 * (xs[i] + ms[i]);
  for (index_t i = 0; i < n; ++i) ys[i] = xs[i] + ms[i] + after[i + 5];
  ExpectValues(memory, after);
  ExpectValues(y, ys);
  Fuse(let(t) = *x * 3.0f, lazy(t) += 1.0f, lazy(*y) = t);
  for (index_t i = 0; i < n; ++i) ys[i] = 3 * xs[i] + 1;
  ExpectValues(y, ys);
  Fuse(let(t) = 4.0f, lazy(*x) *= t, lazy(*y) = *x - t);
  for (index_t i = 0; i < n; ++i) ys[i] = 4 * xs[i] - 4;
  ExpectValues(y, ys);
}

TEST(Let, Shapes) {
  Guarded<2> a(Shape2(3, 4)), b(Shape2(4, 3));
  FillWhole(a, 5);
  const std::vector<double> before = Values(a);
  const Let<TestDevice, 2> t(Shape2(3, 4)), wrong(Shape2(4, 3));
  for (const std::string& message :
       {ErrorOf([&] { Fuse(let(wrong) = *a * 2.0f, lazy(*a) = *a + 1.0f); }),
        ErrorOf([&] { Fuse(let(t) = *b * 2.0f, lazy(*a) = t); }),
        ErrorOf([&] { Fuse(let(t) = *a * 2.0f, lazy(*a) = wrong + t); }),
        ErrorOf([&] { Fuse(let(t) = *a * 2.0f, lazy(*b) = *b + 1.0f); })}) {
    EXPECT_NE(message.find("(3,4)"), std::string::npos) << message;
    EXPECT_NE(message.find("(4,3)"), std::string::npos) << message;
  }
  ExpectValues(a, before);
}

#ifndef MSHADOW_TEST_DEVICE
// Its memory is not touched where the statements become one loop: of tensors of equal strides.
void CheckBuffers(index_t cols, index_t stride) {
  const index_t n = 5 * stride;
  std::vector<float> memory(3 * n, 1.0f);
  const Shape<2> shape = Shape2(5, cols);
  const Tensor<cpu, 2> x(memory.data(), shape, stride, nullptr);
  Tensor<cpu, 2> y(memory.data() + n, shape, stride, nullptr);
  Tensor<cpu, 2> z(memory.data() + 2 * n, shape, stride, nullptr);
  for (index_t i = 0; i < n; ++i) memory[i] = static_cast<float>(i % 50);
  const Let<cpu, 2> t(shape);
  for (index_t i = 0; i < 5 * cols; ++i) t.dptr_[i] = 77;
  Fuse(let(t) = x * x, let(t) = t + 1.0f, lazy(y) = t, lazy(z) -= t - 1.0f);
  for (index_t i = 0; i < 5 * cols; ++i) ASSERT_EQ(t.dptr_[i], 77);
  for (index_t i = 0; i < n; ++i) {
    const float square = static_cast<float>(i % 50 * (i % 50));
    ASSERT_EQ(memory[n + i], i % stride < cols ? square + 1 : 1) << i;
    ASSERT_EQ(memory[2 * n + i], i % stride < cols ? 1 - square : 1) << i;
  }
}
TEST(Let, LivesInBuffers) {
  CheckBuffers(1000, 1000);
  CheckBuffers(13, 13);
  CheckBuffers(100, 103);
  CheckBuffers(2070, 2080);
  CheckBuffers(20001, 20004);
}
#endif

}  // namespace
}  // namespace let_test
}  // namespace mshadow
