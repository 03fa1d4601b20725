// SPDX-License-Identifier: Apache-2.0
// Linear algebra on a CUDA device: the calls of cuSOLVER and cuBLAS against the host's results.
// linalg/on_device_test.cc tests what is around the calls, without a device.
#include <mshadow/linalg.h>

#include "gpu_testing.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT
using expr::broadcast;

template <int dim, typename T>
TensorContainer<cpu, dim, T> Host(const Tensor<gpu, dim, T>& t) {
  TensorContainer<cpu, dim, T> host(t.shape_);
  cudaDeviceSynchronize();
  Copy(host, t);
  return host;
}
template <int dim, typename T>
void ExpectNear(const Tensor<gpu, dim, T>& got, const Tensor<cpu, dim, T>& expected, double bound) {
  ASSERT_EQ(got.shape_, expected.shape_);
  const std::vector<T> a = ToVector(got), b = ToVector(expected);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], bound * (1 + std::abs(b[i]))) << "element " << i;
  }
}

template <typename T>
class GpuLinalg : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuLinalg, Elements);

// One matrix and a batch, small and large: each has calls of its own.
TYPED_TEST(GpuLinalg, AsOnTheHost) {
  using T = TypeParam;
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (index_t count : {1, 3}) {
    for (index_t n : {1, 3, 20, 40, 300}) {
      SCOPED_TRACE(LogText(Shape2(count, n)));
      const double bound = 2000.0 * n * eps;
      Twin<3, T> a(Shape3(count, n, n), 3, 1), b(Shape3(count, n, 2), 2), p(Shape3(count, n, n));
      a.Fill(-1, 1);
      b.Fill(-1, 1, 2);
      for (index_t m = 0; m < count; ++m) {
        for (index_t i = 0; i < n; ++i) a.c()(m, i, i) += T(n);
        p.c()[m] = dot(a.c()[m], a.c()[m].T());
      }
      a.Upload();
      p.Upload();
      ExpectNear<3, T>(solve(a.g(), b.g()), solve(a.c(), b.c()), bound);
      ExpectNear<3, T>(inv(a.g()), inv(a.c()), bound);
      ExpectNear<1, T>(slogdet(a.g()).logabsdet, slogdet(a.c()).logabsdet, bound);
      ExpectNear<3, T>(lu(a.g()).U(), lu(a.c()).U(), bound * n);
      ExpectNear<3, T>(lu(a.g()).P(), lu(a.c()).P(), 0);
      ExpectNear<3, T>(cholesky(p.g()), cholesky(p.c()), bound * n);
      ExpectNear<3, T>(cho_factor(p.g()).solve(b.g()), cho_factor(p.c()).solve(b.c()), bound * n);
      ExpectNear<3, T>(lstsq(a.g(), b.g()), lstsq(a.c(), b.c()), bound);
      ExpectNear<3, T>(triangular_solve(a.g(), b.g()), triangular_solve(a.c(), b.c()), bound);
      ExpectNear<3, T>(triangular_solve(a.g(), b.g(), Triangle::kUpper, true),
                       triangular_solve(a.c(), b.c(), Triangle::kUpper, true), bound * 1e3);
      ExpectNear<2, T>(eigvalsh(p.g()), eigvalsh(p.c()), bound * n);
      ExpectNear<2, T>(svdvals(a.g()), svdvals(a.c()), bound * n);
      ExpectNear<3, T>(pinv(a.g()), pinv(a.c()), bound);
      ExpectNear<3, T>(matrix_power(a.g(), -1), inv(a.c()), bound);
      ExpectNear<1, T>(cond(a.g()), cond(a.c()), bound * n);
      ExpectNear<1, T>(trace(a.g()), trace(a.c()), bound);
      for (MatrixNorm kind : {MatrixNorm::kFro, MatrixNorm::k1, MatrixNorm::k2, MatrixNorm::kInf,
                              MatrixNorm::kNuc}) {
        ExpectNear<1, T>(matrix_norm(a.g(), kind), matrix_norm(a.c(), kind), bound);
      }
      const auto [values, vectors] = eigh(p.g());
      const auto f = qr(a.g());
      const auto s = svd(a.g());
      for (index_t m = 0; m < count; ++m) {
        const auto v = Host<3, T>(vectors), q = Host<3, T>(f.Q()), r = Host<3, T>(f.R());
        const auto u = Host<3, T>(s.u), vt = Host<3, T>(s.vt);
        const auto w = Host<2, T>(values), sigma = Host<2, T>(s.s);
        const TensorContainer<cpu, 2, T> scaled(v[m] * broadcast<1>(w[m], Shape2(n, n)));
        const TensorContainer<cpu, 2, T> of_u(u[m] * broadcast<1>(sigma[m], Shape2(n, n)));
        const double size = norm(p.c()[m]), of_a = norm(a.c()[m]);
        EXPECT_LE(norm(dot(scaled, v[m].T()) - p.c()[m]), bound * size);
        EXPECT_LE(norm(dot(of_u, vt[m]) - a.c()[m]), bound * of_a);
        EXPECT_LE(norm(dot(q[m], r[m]) - a.c()[m]), bound * of_a);
        EXPECT_LE(norm(dot(q[m].T(), q[m]) - eye<T>(n)), bound);
      }
    }
  }
}

TYPED_TEST(GpuLinalg, OfAnyShapeAndOnAStream) {
  using T = TypeParam;
  Stream<gpu>* const stream = NewStream<gpu>(0);
  {
    for (index_t m : {2, 5, 70}) {
      Twin<2, T> a(Shape2(m, 5), 3);
      a.Fill(-1, 1);
      cudaDeviceSynchronize();
      Tensor<gpu, 2, T> on = a.g();
      on.stream_ = stream;
      ExpectNear<1, T>(svdvals(on), svdvals(a.c()), 1e-4);
      const auto s = svd(on);
      const auto u = Host<2, T>(s.u), vt = Host<2, T>(s.vt);
      const auto sigma = Host<1, T>(s.s);
      const TensorContainer<cpu, 2, T> of_u(u * broadcast<1>(sigma, u.shape_));
      EXPECT_LE(norm(dot(of_u, vt) - a.c()), 1e-4);
      EXPECT_EQ(matrix_rank(on), int(m < 5 ? m : 5));
      const auto f = qr(on);
      const auto q = Host<2, T>(f.Q()), r = Host<2, T>(f.R());
      EXPECT_LE(norm(dot(q, r) - a.c()), 1e-4);
    }
    Twin<2, T> zero(Shape2(4, 4));
    zero.Fill(0, 0);
    EXPECT_THROW(inv(zero.g()), Error);
    EXPECT_THROW(cholesky(zero.g()), Error);
    EXPECT_EQ(det(zero.g()), 0);
    zero.c()(2, 1) = std::numeric_limits<T>::quiet_NaN();
    zero.Upload();
    EXPECT_TRUE(std::isnan(double(ToVector(svdvals(zero.g()))[0])));
    EXPECT_TRUE(std::isnan(double(ToVector(eigvalsh(zero.g()))[0])));
  }
  DeleteStream(stream);
}

}  // namespace
}  // namespace mshadow
