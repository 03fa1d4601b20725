// SPDX-License-Identifier: Apache-2.0
// Statements on a CUDA device give what they give on the host.
#include "gpu_testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Twin;
using Half = mshadow::half::half_t;

struct SquareOf {  // a user's own op
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a * a;
  }
};

// The same statement on both; `t` is a Twin, and x a function of how to get at it.
#define BOTH(statement)                               \
  do {                                                \
    {                                                 \
      const auto at = [](auto& t) { return t.c(); };  \
      statement;                                      \
    }                                                 \
    {                                                 \
      const auto at = [](auto& t) { return t.g(); };  \
      statement;                                      \
    }                                                 \
  } while (false)

template <typename DType>
void CheckMaps(double tolerance) {
  for (index_t cols : {1u, 3u, 64u, 131u, 4099u}) {
    for (index_t pad : {0u, 1u, 5u}) {
      const Shape<2> shape = Shape2(7, cols);
      Twin<2, DType> a(shape, pad, 1), b(shape, pad, 1), o(shape, pad, 1);
      Twin<1, DType> v(Shape1(cols)), w(Shape1(7));
      a.Fill(1, 4);
      b.Fill(1, 4, 2);
      o.Fill(1, 4, 3);
      v.Fill(1, 4, 4);
      w.Fill(1, 4, 5);
      BOTH(at(o) += F<SquareOf>(at(a)) * 0.5f - at(b));
      o.ExpectEqual(tolerance);
      BOTH(at(o) = at(a) + broadcast<1>(at(v), Shape2(7, cols)) *
                               broadcast<0>(at(w), Shape2(7, cols)));
      o.ExpectEqual(tolerance);
      BOTH(at(o) = mirror(at(a)) + at(b));
      o.ExpectEqual(tolerance);
    }
  }
}

TEST(GpuStatement, Maps) {
  MSHADOW_NEEDS_GPU();
  CheckMaps<float>(1e-6);
  CheckMaps<Half>(2e-3);
  CheckMaps<double>(1e-6);
  CheckMaps<int32_t>(0);
  CheckMaps<uint8_t>(0);
}

TEST(GpuStatement, Functions) {
  MSHADOW_NEEDS_GPU();
  Twin<1> a(Shape1(10001)), o(Shape1(10001));
  a.Fill(-4, 4);
  BOTH(at(o) = F<op::sigmoid>(F<op::tanh>(at(a)) + F<op::exp>(at(a))));
  o.ExpectEqual(2e-6);
  BOTH(at(o) = F<op::gelu>(at(a)) + F<op::softplus>(at(a)) + F<op::erf>(at(a)));
  o.ExpectEqual(4e-6);
  BOTH(at(o) = F<op::log>(F<op::abs>(at(a)) + 1.0f) * F<op::sqrt>(F<op::square>(at(a))));
  o.ExpectEqual(2e-6);
}

TEST(GpuStatement, Transposes) {
  MSHADOW_NEEDS_GPU();
  for (index_t rows : {1u, 33u, 200u}) {
    Twin<2> a(Shape2(70, rows), 1), o(Shape2(rows, 70), 2);
    a.Fill(0, 1);
    BOTH(at(o) = at(a).T() * 2.0f);
    o.ExpectEqual();
    BOTH(at(o) += at(o) * 0.5f + at(a).T());
    o.ExpectEqual(1e-6);
  }
}

TEST(GpuStatement, Images) {
  MSHADOW_NEEDS_GPU();
  Twin<4> a(Shape4(2, 3, 11, 13), 3, 1), p(Shape4(2, 3, 5, 6)), g(Shape4(2, 3, 5, 6));
  Twin<4> grad(Shape4(2, 3, 11, 13));
  a.Fill(-1, 1);
  g.Fill(-1, 1, 2);
  BOTH(at(p) = pool<red::maximum>(at(a) * 1.0f, 2, 2, 2));
  p.ExpectEqual();
  BOTH(at(grad) = unpool<red::maximum>(at(a), at(p), at(g), 2, 2, 2));
  grad.ExpectEqual();
  Twin<2> col(Shape2(27, 2 * 9 * 11));
  BOTH(at(col) = unpack_patch2col(at(a), 3, 3, 1));
  col.ExpectEqual();
  BOTH(at(grad) = pack_col2patch(at(col), at(grad).shape_, 3, 3, 1));
  grad.ExpectEqual(1e-6);
  Twin<4> r(Shape4(2, 3, 20, 17));
  BOTH(at(r) = resize(at(a), 20, 17));
  r.ExpectEqual(1e-6);
}

TEST(GpuStatement, Aliases) {
  MSHADOW_NEEDS_GPU();
  Twin<2> a(Shape2(40, 301), 1);
  a.Fill(0, 1);
  BOTH(auto x = at(a); x = mirror(x));
  a.ExpectEqual();
}

TEST(GpuStatement, ManyRowsAndManyColumns) {
  MSHADOW_NEEDS_GPU();
  Twin<2> tall(Shape2(300001, 3), 1), wide(Shape2(2, 3000001), 1);
  tall.Fill(0, 1);
  wide.Fill(0, 1);
  BOTH(at(tall) *= 2.0f);
  tall.ExpectEqual();
  BOTH(at(wide) = at(wide) + 1.0f);
  wide.ExpectEqual();
}

template <typename DType>
void CheckReductions(double tolerance) {
  for (const Shape<4>& shape : {Shape4(3, 5, 7, 9), Shape4(2, 1, 300, 301), Shape4(1, 700, 1, 33),
                                Shape4(1, 2, 1, 200001), Shape4(64, 3, 2, 2)}) {
    Twin<4, DType> a(shape, 1);
    Twin<1, DType> c(Shape1(shape[1])), x(Shape1(shape[3]));
    a.Fill(0, 1);
    c.Fill(0, 1);
    x.Fill(0, 1);
    BOTH(at(c) += DType(0.5f) * sumall_except_dim<1>(at(a)));
    c.ExpectEqual(tolerance);
    BOTH(at(x) = sumall_except_dim<3>(at(a)));
    x.ExpectEqual(tolerance);
    BOTH((at(c) = reduce_except_dim<1, red::maximum>(at(a) * 1.0f)));
    c.ExpectEqual();
    BOTH((at(x) = reduce_except_dim<3, red::minimum>(at(a))));
    x.ExpectEqual();
  }
}

TEST(GpuStatement, Reductions) {
  MSHADOW_NEEDS_GPU();
  CheckReductions<float>(1e-5);
  CheckReductions<double>(1e-6);
  CheckReductions<Half>(2e-3);
}

TEST(GpuStatement, Products) {
  MSHADOW_NEEDS_GPU();
  Twin<2> a(Shape2(33, 70), 3), b(Shape2(70, 45), 1), c(Shape2(33, 45), 2);
  Twin<1> u(Shape1(33)), v(Shape1(70));
  a.Fill(-1, 1);
  b.Fill(-1, 1, 2);
  v.Fill(-1, 1, 3);
  BOTH(at(c) = dot(at(a), at(b)));
  c.ExpectEqual(1e-5);
  BOTH(at(c) -= 2.0f * dot(at(a), at(b)));
  c.ExpectEqual(1e-5);
  BOTH(at(u) = dot(at(a), at(v)));
  u.ExpectEqual(1e-5);
  BOTH(at(v) = dot(at(u), at(a)));
  v.ExpectEqual(1e-5);
  BOTH(at(a) += dot(at(u).T(), at(v)));
  a.ExpectEqual(1e-5);
  BOTH(at(b) = dot(at(a).T(), at(c)));
  b.ExpectEqual(1e-4);
  Twin<3> x(Shape3(5, 9, 7), 1), y(Shape3(5, 8, 7), 2), z(Shape3(5, 9, 8), 3);
  x.Fill(-1, 1);
  y.Fill(-1, 1);
  BOTH((at(z) = batch_dot<false, true>(at(x), at(y))));
  z.ExpectEqual(1e-5);
  Twin<2, Half> ha(Shape2(40, 32)), hb(Shape2(32, 24)), hc(Shape2(40, 24));
  ha.Fill(-1, 1);
  hb.Fill(-1, 1);
  BOTH(at(hc) = dot(at(ha), at(hb)));
  hc.ExpectEqual(2e-3);
}

// A statement is captured into a graph: it neither waits nor allocates outside of the stream.
TEST(GpuStatement, InAGraph) {
  MSHADOW_NEEDS_GPU();
  Stream<gpu>* const stream = NewStream<gpu>(0);
  Twin<2> a(Shape2(70, 65)), t(Shape2(65, 70));
  Twin<1> sum(Shape1(65));
  a.Fill(0, 1);
  a.g().stream_ = t.g().stream_ = sum.g().stream_ = stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  ASSERT_EQ(cudaStreamBeginCapture(stream->stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  t.g() = a.g().T() * 2.0f;
  sum.g() = sum_rows(a.g());
  a.g() = mirror(a.g());
  ASSERT_EQ(cudaStreamEndCapture(stream->stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, stream->stream_), cudaSuccess);
  stream->Wait();
  t.c() = a.c().T() * 2.0f;
  sum.c() = sum_rows(a.c());
  a.c() = mirror(a.c());
  t.ExpectEqual();
  sum.ExpectEqual(1e-5);
  a.ExpectEqual();
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  DeleteStream(stream);
}

}  // namespace
}  // namespace mshadow
