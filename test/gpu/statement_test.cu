// SPDX-License-Identifier: Apache-2.0
// Statements on a CUDA device give what they give on the host: what the tests of every statement,
// compiled for the device, leave out.
#include "gpu_testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Twin;
using Half = mshadow::half::half_t;

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

TEST(GpuStatement, Functions) {
  Twin<1> a(Shape1(10001)), o(Shape1(10001));
  a.Fill(-4, 4);
  BOTH(at(o) = F<op::sigmoid>(F<op::tanh>(at(a)) + F<op::exp>(at(a))));
  o.ExpectEqual(2e-6);
  BOTH(at(o) = F<op::gelu>(at(a)) + F<op::softplus>(at(a)) + F<op::erf>(at(a)));
  o.ExpectEqual(4e-6);
  BOTH(at(o) = F<op::log>(F<op::abs>(at(a)) + 1.0f) * F<op::sqrt>(F<op::square>(at(a))));
  o.ExpectEqual(2e-6);
}

TEST(GpuStatement, ManyRowsAndManyColumns) {
  Twin<2> tall(Shape2(300001, 3), 1), wide(Shape2(2, 3000001), 1);
  tall.Fill(0, 1);
  wide.Fill(0, 1);
  BOTH(at(tall) *= 2.0f);
  tall.ExpectEqual();
  BOTH(at(wide) = at(wide) + 1.0f);
  wide.ExpectEqual();
}

// Two lanes at a time give the numbers of single elements: those of the CPU, of rows with a shifted
// operand, and of both ends of a row.
template <typename DType>
void CheckPairs() {
  for (index_t shift : {0u, 1u, 3u}) {
    Twin<2, DType> a(Shape2(5, 1003), 3, 0), b(Shape2(5, 1003), 3, shift), o(Shape2(5, 1003), 3);
    a.Fill(-4, 4, 1);
    b.Fill(-4, 4, 2);
    BOTH(at(o) = at(a) * at(b) + at(a));
    o.ExpectEqual();
    BOTH(at(o) -= F<op::square>(at(b)) - at(a));
    o.ExpectEqual();
    BOTH(at(o) *= at(a));
    o.ExpectEqual();
  }
}

TEST(GpuStatement, PairsOf16BitFloats) {
  CheckPairs<Half>();
  CheckPairs<bfloat16>();
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
  CheckReductions<float>(1e-5);
  CheckReductions<double>(1e-6);
  CheckReductions<Half>(2e-3);
}

// Rows of a warp and of a block, in several chunks, and columns.
template <typename DType>
void CheckRunningSums(index_t below, double tolerance) {
  for (const Shape<2>& shape : {Shape2(3, 40001), Shape2(1, 2049), Shape2(701, 1024),
                                Shape2(70001, 3), Shape2(5, 257)}) {
    Twin<2, DType> a(shape, 1), o(shape, 3);
    for (std::size_t i = 0; i < a.host().Size(); ++i) {
      a.host().At(i) = static_cast<DType>(static_cast<float>(i * 7 % below));
    }
    a.Upload();
    for (int axis : {0, 1}) {
      BOTH(at(o) = cumsum(at(a), axis));
      o.ExpectEqual(tolerance);
      BOTH(at(o) -= cumsum(at(a) * DType(2.0f), axis));
      o.ExpectEqual(tolerance);
    }
  }
}

TEST(GpuStatement, RunningSums) {
  CheckRunningSums<float>(11, 0);
  CheckRunningSums<int32_t>(11, 0);
  CheckRunningSums<Half>(2, 2e-3);
}

// A statement is captured into a graph: it neither waits nor allocates outside of the stream.
TEST(GpuStatement, InAGraph) {
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
