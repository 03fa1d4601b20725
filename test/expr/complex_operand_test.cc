// SPDX-License-Identifier: Apache-2.0
// Products and reductions to one axis as operands of larger expressions.
#include <mshadow/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "error_of.h"
#include "extension/reference.h"

// GCC sees through them, at -O2, and takes each for one of a pair with the library's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {
long allocations = 0;  // of the whole program
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::aligned_alloc(64, (bytes + 64) / 64 * 64);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* const memory = operator new(bytes, alignment, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

struct Relu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : 0; }
};
struct Tanh {
  MSHADOW_XINLINE static float Map(float a) { return std::tanh(a); }
};

using Matrix = std::vector<double>;  // row-major

Matrix Product(const Matrix& a, const Matrix& b, std::size_t m, std::size_t k, std::size_t n) {
  Matrix c(m * n, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  return c;
}
Matrix Transposed(const Matrix& a, std::size_t m, std::size_t n) {
  Matrix b(a.size());
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) b[j * m + i] = a[i * n + j];
  }
  return b;
}

// x (m, k), w (k, n), h (m, n), u (n, n), b (n): small integers, rows padded.
struct Layer {
  explicit Layer(index_t m, index_t k, index_t n)
      : x(Shape2(m, k), 1, 1), w(Shape2(k, n), 2, 1), h(Shape2(m, n), 3, 1), u(Shape2(n, n), 0, 1),
        y(Shape2(m, n), 1, 1), b(Shape1(n), 0, 1) {
    FillWhole(x, 5, 3);
    FillWhole(w, 7, 4);
    FillWhole(h, 3, 2);
    FillWhole(u, 5, 1);
    FillWhole(b, 9, 5);
  }
  Guarded<2> x, w, h, u, y;
  Guarded<1> b;
};

TEST(ComplexOperand, ProductsInsideStatements) {
  for (index_t m : {1, 5, 64}) {
    for (index_t n : {1, 7, 33}) {
      const index_t k = 6;
      Layer l(m, k, n);
      const Matrix x = Values(l.x), w = Values(l.w), u = Values(l.u), b = Values(l.b);
      Matrix h = Values(l.h);
      const Matrix xw = Product(x, w, m, k, n), hu = Product(h, u, m, n, n);
      Matrix dense, twice, two, square, sums;
      for (std::size_t i = 0; i < xw.size(); ++i) {
        dense.push_back(std::max(xw[i] + b[i % n], 0.0));
        twice.push_back(dense.back() * 2);
        two.push_back(xw[i] - 2 * hu[i] + h[i]);
        square.push_back(xw[i] * std::max(xw[i], 0.0));
      }
      *l.y = F<Relu>(dot(*l.x, *l.w) + repmat(*l.b, m));
      ExpectValues(l.y, dense);
      *l.y += F<Relu>(dot(*l.x, *l.w) + repmat(*l.b, m));
      ExpectValues(l.y, twice);
      *l.y = dot(*l.x, *l.w) - 2.0f * dot(*l.h, *l.u) + *l.h;
      ExpectValues(l.y, two);
      // The target is an operand: of a product, and at the index at hand.
      Guarded<2> target(l.h->shape_, 2, 1);
      *target = 1.0f * *l.h;
      *target = dot(*l.x, *l.w) - 2.0f * dot(*target, *l.u) + *target;
      ExpectValues(target, two);
      // One product twice.
      *l.y = dot(*l.x, *l.w) * F<Relu>(dot(*l.x, *l.w));
      ExpectValues(l.y, square);
      // Elsewhere than at the index at hand.
      *l.y = mirror(dot(*l.x, *l.w)) + dot(*l.x, *l.w);
      for (std::size_t i = 0; i < xw.size(); ++i) {
        two[i] = xw[i] + xw[i / n * n + n - 1 - i % n];
      }
      ExpectValues(l.y, two);
    }
  }
}

TEST(ComplexOperand, ProductsOfExpressions) {
  const index_t m = 5, k = 4, n = 3;
  Layer l(m, k, n);
  const Matrix x = Values(l.x), w = Values(l.w), b = Values(l.b);
  Matrix x1 = x, w2 = w;
  for (double& v : x1) v += 1;
  for (double& v : w2) v *= v;
  *l.y = dot(*l.x + 1.0f, *l.w * *l.w);
  ExpectValues(l.y, Product(x1, w2, m, k, n));
  *l.y += dot(dot(*l.x, *l.w), *l.u) - dot(*l.x + 1.0f, *l.w * *l.w);
  Matrix expected = Product(Product(x, w, m, k, n), Values(l.u), m, n, n);
  ExpectValues(l.y, expected);
  // Savers that no BLAS has.
  *l.y = 2.0f;
  *l.y *= dot(*l.x, *l.w);
  Matrix doubled = Product(x, w, m, k, n);
  for (double& v : doubled) v *= 2;
  ExpectValues(l.y, doubled);
  // To a part of a tensor.
  Guarded<2> wide(Shape2(m, n + 2), 1);
  FillWhole(wide, 11, 1);
  Matrix all = Values(wide);
  slice(*wide, Shape2(0, 1), Shape2(m, n + 1)) = dot(*l.x, *l.w);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) all[i * (n + 2) + j + 1] = doubled[i * n + j] / 2;
  }
  ExpectValues(wide, all);
}

TEST(ComplexOperand, VectorsBatchesAndSums) {
  const index_t m = 5, k = 4, n = 3;
  Layer l(m, k, n);
  const Matrix x = Values(l.x), w = Values(l.w), b = Values(l.b);
  Guarded<1> v(Shape1(k), 0, 1), out(Shape1(n)), tall(Shape1(m));
  FillWhole(v, 5, 2);
  const Matrix vv = Values(v);
  Matrix expected = Product(vv, w, 1, k, n);
  for (std::size_t j = 0; j < n; ++j) expected[j] += b[j];
  *out = dot(*v, *l.w) + *l.b;
  ExpectValues(out, expected);
  *out = *l.b + dot((*l.w).T(), *v);
  ExpectValues(out, expected);
  *tall = 2.0f * dot(*l.x, *v) - dot(*l.x, *v);
  ExpectValues(tall, Product(x, vv, m, k, 1));
  *l.w = *l.w + dot((*v).T(), *l.b);
  Matrix outer = Product(vv, b, k, 1, n);
  for (std::size_t i = 0; i < outer.size(); ++i) outer[i] += w[i];
  ExpectValues(l.w, outer);

  Guarded<3> p(Shape3(2, m, k), 1, 1), q(Shape3(2, k, n), 0, 1), r(Shape3(2, m, n), 2, 1);
  FillWhole(p, 5, 2);
  FillWhole(q, 7, 3);
  *r = batch_dot<false, false>(*p, *q) * 2.0f + 1.0f;
  const Matrix pv = Values(p), qv = Values(q);
  Matrix batches;
  for (std::size_t i = 0; i < 2; ++i) {
    const Matrix one = Product(Matrix(pv.begin() + i * m * k, pv.begin() + (i + 1) * m * k),
                               Matrix(qv.begin() + i * k * n, qv.begin() + (i + 1) * k * n), m, k,
                               n);
    for (double value : one) batches.push_back(2 * value + 1);
  }
  ExpectValues(r, batches);

  *out = sumall_except_dim<1>(dot(*l.x, *l.w)) - sum_rows(dot(*l.x, *l.w)) + 3.0f * sum_rows(*l.w);
  expected.assign(n, 0.0);
  for (std::size_t i = 0; i < outer.size(); ++i) expected[i % n] += 3 * outer[i];
  ExpectValues(out, expected);
}

TEST(ComplexOperand, TransposedShapes) {
  Guarded<2> a(Shape2(4, 5), 0), b(Shape2(3, 4), 0), c(Shape2(5, 3), 1);
  FillWhole(a, 5, 1);
  FillWhole(b, 7, 1);
  *c = 1.0f - dot((*a).T(), (*b).T());
  Matrix expected = Product(Transposed(Values(a), 4, 5), Transposed(Values(b), 3, 4), 5, 4, 3);
  for (double& v : expected) v = 1 - v;
  ExpectValues(c, expected);
}

TEST(ComplexOperand, ShapesThatDoNotFit) {
  Guarded<2> a(Shape2(4, 5), 0), b(Shape2(3, 4), 0), c(Shape2(4, 4), 1);
  FillWhole(c, 5, 1);
  const Matrix before = Values(c);
  EXPECT_EQ(ErrorOf([&] { *c = 1.0f + dot(*a, *b); }),
            "dot: matrix shape mismatch, dot((4,5), (3,4)) has no common extent to sum over");
  EXPECT_NE(ErrorOf([&] { *c = *c + dot(*a, (*a).T()) + dot(*b, (*b).T()); }).find("(3,3)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { *c = 2.0f + dot(*b, *a); }).find("(3,5)"), std::string::npos);
  ExpectValues(c, before);
}

// MakePlan as old code calls it, outside of a statement: the plan keeps what it computed.
TEST(ComplexOperand, PlansOfTheirOwn) {
  Layer l(5, 4, 3);
  const Matrix xw = Product(Values(l.x), Values(l.w), 5, 4, 3);
  const auto exp = dot(*l.x, *l.w) + broadcast_keepdim(
      reduce_keepdim<red::sum, false>(dot(*l.x, *l.w), 1), 1, 3);
  const auto plan = MakePlan(exp), other = MakePlan(exp);
  *l.y = 3.0f;
  *l.y = dot(*l.x, *l.w) * 2.0f;
  const auto copy = plan;
  for (index_t i = 0; i < 15; ++i) {
    const std::size_t y = i / 3;
    const double sum = xw[3 * y] + xw[3 * y + 1] + xw[3 * y + 2];
    EXPECT_EQ(copy.Eval(i / 3, i % 3), xw[i] + sum);
    EXPECT_EQ(other.Eval(i / 3, i % 3), xw[i] + sum);
  }
}

TEST(ComplexOperand, StatementInALoopDoesNotAllocate) {
  if (mshadow::detail::TemporaryCache::kSlots == 0) GTEST_SKIP() << "AddressSanitizer sees every block";
  Layer l(64, 32, 48);
  long before = 0;
  for (int i = 0; i < 4; ++i) {
    if (i == 2) before = allocations;
    *l.h = F<Tanh>(dot(*l.x, *l.w) + dot(*l.h, *l.u) + repmat(*l.b, 64));
    *l.b = 0.5f * sum_rows(*l.h * *l.h) + *l.b;
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace mshadow
