// SPDX-License-Identifier: Apache-2.0
// Linear algebra of tensors on a device: all but the calls of cuSOLVER and cuBLAS, in whose place
// are the algorithms of the host.
#define MSHADOW_TEST_DEVICE "gpu/simulated_device.h"
#include <mshadow/linalg/on_device_functions.h>

#include "matrices.h"

namespace mshadow {
namespace testing {

#if MSHADOW_TEST_CUDA_SOLVER  // cuda_solver_test.cc
class HostSolver : public cuda::Solver {
 public:
  explicit HostSolver(Stream<simulated>*) : Solver(static_cast<Stream<gpu>*>(nullptr)) {}
};
#else
/// The calls of cuda::Solver, on memory that the host reaches.
class HostSolver {
  using Index = std::ptrdiff_t;

 public:
  explicit HostSolver(Stream<simulated>*) {}

  template <typename T>
  void getrf(Index n, Index count, T* a, int* pivots, int* info) const {
    for (Index b = 0; b < count; ++b) {
      info[b] = detail::linalg::Factor(n, a + b * n * n, pivots + b * n);
      for (Index i = 0; i < n; ++i) ++pivots[b * n + i];
    }
  }
  template <typename T>
  void getrs(Index n, Index k, Index count, const T* a, const int* pivots, T* x) const {
    std::vector<int> from_zero(pivots, pivots + count * n);
    for (int& p : from_zero) --p;
    for (Index b = 0; b < count; ++b) {
      detail::linalg::SolveFactored(n, k, a + b * n * n, from_zero.data() + b * n, x + b * n * k);
    }
  }
  template <typename T>
  void potrf(Index n, Index count, T* a, int* info) const {
    for (Index b = 0; b < count; ++b) {
      info[b] = detail::linalg::FactorCholesky(n, a + b * n * n);
      if (n > 1) a[b * n * n + 1] = 77;  // as potrfBatched, which leaves what it computed there
    }
  }
  template <typename T>
  void geqrf(Index m, Index n, Index count, T* a, T* tau) const {
    for (Index b = 0; b < count; ++b) {
      detail::linalg::FactorQR(m, n, a + b * m * n, tau + b * (m < n ? m : n));
    }
  }
  template <typename T>
  void orgqr(Index m, Index k, Index count, T* q, const T* tau) const {
    for (Index b = 0; b < count; ++b) {
      std::vector<T> a(q + b * m * k, q + (b + 1) * m * k);
      for (Index i = 0; i < m * k; ++i) q[b * m * k + i] = i % (m + 1) == 0 ? T(1) : T(0);
      detail::linalg::ApplyQ(false, m, k, k, a.data(), tau + b * k, q + b * m * k);
    }
  }
  template <typename T>
  void ormqr(Index m, Index n, Index k, Index count, const T* a, const T* tau, T* c) const {
    for (Index b = 0; b < count; ++b) {
      std::vector<T> copy(a + b * m * k, a + (b + 1) * m * k);
      detail::linalg::ApplyQ(true, m, n, k, copy.data(), tau + b * k, c + b * m * n);
    }
  }
  template <typename T>
  void syevd(bool vectors, Index n, Index count, T* a, T* values, int* info) const {
    for (Index b = 0; b < count; ++b) {
      T* const m = a + b * n * n;
      for (Index i = 0; i < n; ++i) {  // the upper triangle is read
        for (Index j = 0; j < i; ++j) m[j * n + i] = m[i * n + j];
      }
      info[b] = detail::linalg::Symmetric(n, m, values + b * n, vectors);
      if (!vectors) m[0] = 77;
    }
  }
  template <typename T>
  void gesvd(bool vectors, Index m, Index n, Index count, T* a, T* values, T* u, T* vt,
             int* info) const {
    ASSERT_GE(m, n);
    for (Index b = 0; b < count; ++b) {
      info[b] = detail::linalg::Svd(m, n, a + b * m * n, values + b * n, vectors, u + b * m * n,
                                    vt + b * n * n);
    }
  }
  template <typename T>
  void trsm(bool lower, bool transposed, bool unit, Index n, Index k, Index count, const T* t,
            Index ldt, T* x, Index ldb) const {
    for (Index b = 0; b < count; ++b) {
      std::vector<T> copy(static_cast<std::size_t>(n * n));
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          const T e = t[b * ldt * n + j * ldt + i];
          copy[static_cast<std::size_t>(transposed ? i * n + j : j * n + i)] = e;
        }
      }
      detail::linalg::SolveTriangle(lower != transposed, unit, n, k,
                                    static_cast<const T*>(copy.data()), n, x + b * ldb * k, ldb);
    }
  }
};
#endif

}  // namespace testing

/// Products, by the host's BLAS.
template <>
struct Blas<testing::simulated> : Blas<cpu> {
  explicit Blas(Stream<testing::simulated>*) : Blas<cpu>{} {}
};
template <>
struct detail::linalg::SolverOf<testing::simulated> {
  using Type = testing::HostSolver;
};

namespace {

using namespace testing;  // NOLINT

template <typename T>
class OnDevice : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OnDevice, Elements);

/// On the device: the memory of `host`, which keeps it; and back.
template <int dim, typename T>
Tensor<simulated, dim, T> On(const Tensor<cpu, dim, T>& host) {
  return Tensor<simulated, dim, T>(host.dptr_, host.shape_, host.stride_, nullptr);
}
template <int dim, typename T>
Tensor<cpu, dim, T> Off(const Tensor<simulated, dim, T>& t) {
  return Tensor<cpu, dim, T>(t.dptr_, t.shape_, t.stride_, nullptr);
}
/// Padded matrices of noise.
template <typename T>
struct Noisy : Guarded<4, T> {
  Noisy(index_t m, index_t n, uint32_t seed = 1) : Guarded<4, T>(Shape4(2, 3, m, n), 3, 1) {
    this->FillRandom(-1, 1, seed);
  }
};

TYPED_TEST(OnDevice, SystemsAsOnTheHost) {
  using T = TypeParam;
  for (index_t n : {1, 3, 8, 11, 20}) {
    SCOPED_TRACE(n);
    Noisy<T> a(n, n), b(n, 2, 2);
    Guarded<3, T> v(Shape3(2, 3, n), 4, 1);
    v.FillRandom(-1, 1, 3);
    const auto x = solve(*a, *b), inverse = inv(*a);
    const auto y = solve(*a, *v);
    const auto f = lu(*a);
    const auto again = f.solve(*b);
    const auto lower = f.L(), upper = f.U(), order = f.P();
    const auto d = det(*a), d_host = f.det();
    const auto [sign, log] = slogdet(*a);
    const auto expected = det(Off(*a));
    for (index_t i = 0; i < 2; ++i) {
      for (index_t j = 0; j < 3; ++j) {
        const auto dense = In(Off(*a)[i][j]), right = In(Off(*b)[i][j]);
        for (const auto& of : {In(Off(x)[i][j]), In(Off(again)[i][j])}) {
          EXPECT_LE(Size(dense * of - right), Bound<T>(int(n), Size(dense) * Size(of)));
        }
        const auto other = In(Off(inverse)[i][j]);
        EXPECT_LE(Size(dense * other - Identity(int(n))),
                  Bound<T>(int(n), Size(dense) * Size(other)));
        Matrix of_vector(int(n), 1), vector(int(n), 1);
        for (index_t r = 0; r < n; ++r) {
          of_vector(int(r), 0) = Off(y)(i, j, r);
          vector(int(r), 0) = Off(*v)(i, j, r);
        }
        EXPECT_LE(Size(dense * of_vector - vector),
                  Bound<T>(int(n), Size(dense) * Size(of_vector)));
        EXPECT_LE(
            Size(In(Off(order)[i][j]) * (In(Off(lower)[i][j]) * In(Off(upper)[i][j])) - dense),
            Bound<T>(int(n), Size(dense)));
        const double of = Off(d)(i, j);
        EXPECT_NEAR(of, expected(i, j), 100 * Bound<T>(int(n), std::abs(of)));
        EXPECT_EQ(of, Off(d_host)(i, j));
        EXPECT_NEAR(of, Off(sign)(i, j) * std::exp(double(Off(log)(i, j))),
                    100 * Bound<T>(int(n), std::abs(of)));
      }
    }
    EXPECT_TRUE(a.Intact() && b.Intact() && v.Intact());
  }
  // One matrix gives numbers, on the host.
  const TensorContainer<cpu, 2, T> m({{0, 2}, {3, 0}});
  const T number = det(On(m));
  EXPECT_EQ(number, -6);
  EXPECT_EQ(slogdet(On(m)).sign, -1);
  const Tensor<simulated, 2, const T> of_const = On(m);
  EXPECT_EQ(Off(inv(of_const))(0, 1), T(1) / 3);
  // Containers are the better match, too, and results stand in statements.
  TensorContainer<simulated, 2, T> c(false), s(false);
  c = inv(of_const);
  s = solve(c, c) * T(2) + inv(c);
  EXPECT_NEAR(Off(s)(0, 1), 2, 1e-6);
  EXPECT_NEAR(Off(s)(0, 0), 2, 1e-6);
}

TYPED_TEST(OnDevice, Factors) {
  using T = TypeParam;
  for (int n : {1, 3, 12}) {
    auto a = Of<T>(Positive(n));
    const auto dense = In(a);
    for (int i = 0; i < n; ++i) {  // what is not read
      for (int j = i + 1; j < n; ++j) a(i, j) = std::numeric_limits<T>::quiet_NaN();
    }
    const auto device = On(a);
    const auto l = cholesky(device);
    const auto lower = In(Off(l));
    EXPECT_LE(Size(lower * Transposed(lower) - dense), Bound<T>(n, Size(dense)));
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) EXPECT_EQ(lower(i, j), 0);
    }
    const auto b = Of<T>(Make(Kind::kRandom, n, 3));
    const auto y = cho_factor(device).solve(On(b));
    const double d = cho_factor(device).det(), right = cho_factor(a).det();
    EXPECT_NEAR(d, right, Bound<T>(n, right));
    const auto x = In(Off(y));
    EXPECT_LE(Size(dense * x - In(b)), Bound<T>(n, Size(dense) * Size(x)));
    auto t = Of<T>(dense);
    for (const bool unit : {false, true}) {
      for (const Triangle triangle : {Triangle::kLower, Triangle::kUpper}) {
        const auto expected = In(triangular_solve(t, b, triangle, unit));
        const auto got = triangular_solve(On(t), On(b), triangle, unit);
        EXPECT_LE(Size(In(Off(got)) - expected), Bound<T>(n, 10 * Size(expected)));
      }
    }
  }
  for (index_t m : {1, 4, 12}) {
    for (index_t n : {1, 3, 12}) {
      SCOPED_TRACE(m * 100 + n);
      Noisy<T> a(m, n), b(m, 2, 2);
      const int most = int(m < n ? n : m);
      const auto f = qr(*a);
      const auto q = f.Q(), r = f.R();
      const auto [u, s, vt] = svd(*a);
      const auto alone = svdvals(*a);
      const auto expected = svdvals(Off(*a));
      const auto rank = matrix_rank(*a);
      for (index_t i = 0; i < 2; ++i) {
        for (index_t j = 0; j < 3; ++j) {
          const auto dense = In(Off(*a)[i][j]);
          EXPECT_LE(FromOrthonormal(In(Off(q)[i][j])), Bound<T>(most, 1));
          EXPECT_LE(Size(In(Off(q)[i][j]) * In(Off(r)[i][j]) - dense), Bound<T>(most, Size(dense)));
          Matrix scaled = In(Off(u)[i][j]);
          EXPECT_LE(FromOrthonormal(scaled), Bound<T>(most, 1));
          const Matrix right = In(Off(vt)[i][j]);
          EXPECT_LE(FromOrthonormal(Transposed(right)), Bound<T>(most, 1));
          for (int y = 0; y < scaled.rows; ++y) {
            for (int x = 0; x < scaled.cols; ++x) scaled(y, x) *= Off(s)(i, j, index_t(x));
          }
          EXPECT_LE(Size(scaled * right - dense), Bound<T>(most, Size(dense)));
          for (index_t x = 0; x < s.shape_[2]; ++x) {
            EXPECT_NEAR(Off(alone)(i, j, x), expected(i, j, x), Bound<T>(most, Size(dense)));
          }
          EXPECT_EQ(Off(rank)(i, j), int(m < n ? m : n));
        }
      }
      if (m >= n) {
        const auto x = lstsq(*a, *b), of_qr = f.solve(*b);
        const auto on_host = lstsq(Off(*a), Off(*b));
        for (index_t i = 0; i < 2; ++i) {
          for (index_t j = 0; j < 3; ++j) {
            const auto of = In(on_host[i][j]);
            EXPECT_LE(Size(In(Off(x)[i][j]) - of), 1e3 * Bound<T>(most, Size(of)));
            EXPECT_LE(Size(In(Off(of_qr)[i][j]) - of), 1e3 * Bound<T>(most, Size(of)));
          }
        }
      } else {
        EXPECT_NE(ErrorOf([&] { lstsq(*a, *b); }).find("lstsq: there are fewer equations"),
                  std::string::npos);
      }
      EXPECT_TRUE(a.Intact() && b.Intact());
    }
  }
}

TYPED_TEST(OnDevice, Symmetric) {
  using T = TypeParam;
  for (index_t n : {1, 3, 8, 12}) {
    Noisy<T> a(n, n);
    const auto [values, vectors] = eigh(*a);
    const auto alone = eigvalsh(*a);
    for (index_t i = 0; i < 2; ++i) {
      for (index_t j = 0; j < 3; ++j) {
        Matrix dense = In(Off(*a)[i][j]);
        for (int y = 0; y < int(n); ++y) {
          for (int x = y + 1; x < int(n); ++x) dense(y, x) = dense(x, y);
        }
        const Matrix v = In(Off(vectors)[i][j]);
        EXPECT_LE(FromOrthonormal(v), Bound<T>(int(n), 1));
        Matrix scaled = v;
        for (int y = 0; y < int(n); ++y) {
          for (int x = 0; x < int(n); ++x) scaled(y, x) *= Off(values)(i, j, index_t(x));
          EXPECT_NEAR(Off(alone)(i, j, index_t(y)), Off(values)(i, j, index_t(y)),
                      Bound<T>(int(n), Size(dense)));
        }
        EXPECT_LE(Size(dense * v - scaled), Bound<T>(int(n), Size(dense)));
      }
    }
    EXPECT_TRUE(a.Intact());
  }
}

TYPED_TEST(OnDevice, Composed) {
  using T = TypeParam;
  for (index_t m : {1, 4, 12}) {
    for (index_t n : {1, 3, 12}) {
      SCOPED_TRACE(m * 100 + n);
      Noisy<T> a(m, n);
      const int most = int(m < n ? n : m);
      const auto inverse = pinv(*a);
      const auto expected = pinv(Off(*a));
      const auto number = cond(*a), sum = trace(*a);
      const auto numbers = cond(Off(*a)), sums = trace(Off(*a));
      for (index_t i = 0; i < 2; ++i) {
        for (index_t j = 0; j < 3; ++j) {
          const auto of = In(expected[i][j]);
          EXPECT_LE(Size(In(Off(inverse)[i][j]) - of), 100 * Bound<T>(most, Size(of)));
          EXPECT_NEAR(Off(number)(i, j), numbers(i, j), 1e3 * Bound<T>(most, numbers(i, j)));
          EXPECT_NEAR(Off(sum)(i, j), sums(i, j), Bound<T>(most, most));
        }
      }
      for (MatrixNorm kind :
           {MatrixNorm::kFro, MatrixNorm::k1, MatrixNorm::k2, MatrixNorm::kInf, MatrixNorm::kNuc}) {
        const auto got = matrix_norm(*a, kind);
        const auto right = matrix_norm(Off(*a), kind);
        for (index_t i = 0; i < 2; ++i) {
          for (index_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(Off(got)(i, j), right(i, j), Bound<T>(most, right(i, j)));
          }
        }
        const TensorContainer<cpu, 2, T> none(Shape2(0, 3));
        EXPECT_EQ(matrix_norm(On(none), kind), 0);
      }
      EXPECT_TRUE(a.Intact());
    }
  }
  const TensorContainer<cpu, 2, T> s({{4, 0, 0}, {0, T(0.5), 0}, {0, 0, 1}});
  EXPECT_EQ(matrix_rank(On(s), 0.2), 2);
  EXPECT_EQ(matrix_rank(On(s)), 3);
  EXPECT_NEAR(Off(pinv(On(s)))(1, 1), 2, 1e-5);
  EXPECT_EQ(Off(pinv(On(s), 0.2))(1, 1), 0);
  EXPECT_NEAR(cond(On(s)), 8, 1e-5);
  EXPECT_EQ(trace(On(s)), T(5.5));
  const TensorContainer<cpu, 2, T> zero(Shape2(2, 2), T(0));
  EXPECT_TRUE(std::isinf(cond(On(zero))));
  Noisy<T> a(5, 5);
  for (int power : {0, 1, 2, 3, 6, -1, -3}) {
    const auto got = matrix_power(*a, power);
    const auto expected = matrix_power(Off(*a), power);
    for (index_t j = 0; j < 3; ++j) {
      const auto of = In(expected[1][j]);
      EXPECT_LE(Size(In(Off(got)[1][j]) - of), 1e3 * Bound<T>(5, Size(of))) << power;
    }
  }
}

TYPED_TEST(OnDevice, ErrorsNameTheMatrix) {
  using T = TypeParam;
  for (index_t n : {4, 12}) {
    TensorContainer<cpu, 3, T> a(Shape3(5, n, n), T(0));
    for (index_t b = 0; b < 5; ++b) {
      for (index_t i = 0; i < n; ++i) a(b, i, i) = T(i + 1);
    }
    const TensorContainer<cpu, 2, T> x(Shape2(5, n), T(1));
    const auto d = On(a);
    const auto right = On(x);
    EXPECT_EQ(ErrorOf([&] { solve(d, right); }), "no error");
    a(3, 2, 2) = 0;
    a(4, 1, 1) = 0;
    const std::string what = "matrix 3 of 5 is singular: there is nothing but 0 for pivot 2";
    EXPECT_EQ(ErrorOf([&] { solve(d, right); }), "solve: " + what);
    EXPECT_EQ(ErrorOf([&] { inv(d); }), "inv: " + what);
    EXPECT_EQ(ErrorOf([&] { lu(d).solve(right); }), "LU.solve: " + what);
    EXPECT_TRUE(lu(d).is_singular(4));
    EXPECT_FALSE(lu(d).is_singular(2));
    EXPECT_EQ(Off(det(d))[3], 0);
    EXPECT_EQ(Off(slogdet(d).sign)[3], 0);
    EXPECT_EQ(ErrorOf([&] { cholesky(d); }),
              "cholesky: matrix 3 of 5 is not positive definite at pivot 2");
    EXPECT_EQ(ErrorOf([&] { triangular_solve(d, right); }),
              "triangular_solve: matrix 3 of 5 is singular: the diagonal is 0 in row 2");
    EXPECT_EQ(ErrorOf([&] { qr(d).solve(right); }),
              "QR.solve: matrix 3 of 5 has dependent columns: R is 0 at 2");
    // The same words as the host's.
    EXPECT_EQ(ErrorOf([&] { solve(a, x); }), "solve: " + what);
    EXPECT_EQ(ErrorOf([&] { solve(d[0], right); }), ErrorOf([&] { solve(a[0], x); }));
    EXPECT_EQ(ErrorOf([&] { inv(On(a[0].Slice(0, 2))); }), ErrorOf([&] { inv(a[0].Slice(0, 2)); }));
  }
}

TYPED_TEST(OnDevice, NaNAndEmpty) {
  using T = TypeParam;
  for (index_t n : {1, 3, 12}) {
    TensorContainer<cpu, 3, T> a(Shape3(2, n, n), T(0));
    for (index_t i = 0; i < n; ++i) a(0, i, i) = a(1, i, i) = 1;
    a(1, n - 1, 0) = std::numeric_limits<T>::infinity();
    const auto d = On(a);
    const auto [values, vectors] = eigh(d);
    const auto [u, s, vt] = svd(d);
    const auto l = cholesky(d);
    EXPECT_TRUE(AllNaN(Off(values)[1]) && AllNaN(Off(vectors)[1]));
    EXPECT_TRUE(AllNaN(Off(u)[1]) && AllNaN(Off(s)[1]) && AllNaN(Off(vt)[1]));
    EXPECT_TRUE(AllNaN(Off(svdvals(d))[1]) && AllNaN(Off(eigvalsh(d))[1]));
    EXPECT_TRUE(std::isnan(Off(l)(1, n - 1, 0)));
    EXPECT_EQ(Off(l)(0, n - 1, n - 1), 1);
    EXPECT_EQ(Off(values)(0, 0), 1);
    EXPECT_EQ(Off(s)(0, n - 1), 1);
    if (n > 1) {
      EXPECT_EQ(Off(l)(1, 0, n - 1), 0);
    }
  }
  const TensorContainer<cpu, 2, T> none(Shape2(0, 0)), wide(Shape2(0, 3)), tall(Shape2(20, 0));
  const auto d = On(none);
  EXPECT_EQ(det(d), 1);
  EXPECT_EQ(slogdet(d).logabsdet, 0);
  EXPECT_EQ(inv(d).shape_, Shape2(0, 0));
  EXPECT_EQ(solve(d, On(wide)).shape_, Shape2(0, 3));
  EXPECT_EQ(eigh(d).values.shape_, Shape1(0));
  EXPECT_EQ(svd(On(tall)).u.shape_, Shape2(20, 0));
  EXPECT_EQ(qr(On(tall)).Q().shape_, Shape2(20, 0));
  EXPECT_EQ(cholesky(d).shape_, Shape2(0, 0));
  EXPECT_EQ(matrix_rank(On(tall)), 0);
  const TensorContainer<cpu, 3, T> no_matrices(Shape3(0, 4, 4));
  EXPECT_EQ(inv(On(no_matrices)).shape_, Shape3(0, 4, 4));
  EXPECT_EQ(det(On(no_matrices)).shape_, Shape1(0));
}

}  // namespace
}  // namespace mshadow
