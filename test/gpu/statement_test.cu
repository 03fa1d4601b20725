// SPDX-License-Identifier: Apache-2.0
// Statements on a CUDA device give what they give on the host: what the tests of every statement,
// compiled for the device, leave out.
#include "gpu_testing.h"

#include <mshadow/view.h>

#include <cstddef>
#include <limits>
#include <vector>

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

TEST(GpuStatement, RowsOfFewElements) {
  for (index_t cols : {1u, 2u, 3u, 5u, 7u, 15u}) {
    for (index_t pad : {0u, 1u}) {
      Twin<2> a(Shape2(30011, cols), pad), o(Shape2(30011, cols), pad, 1);
      Twin<2> t(Shape2(cols, 30011), 3), back(Shape2(30011, cols), 2);
      Twin<1> bias(Shape1(cols));
      a.Fill(-1, 1);
      bias.Fill(-1, 1);
      BOTH(at(o) = at(a) * broadcast<1>(at(bias), at(a).shape_));
      BOTH(at(o) += slice<1>(at(a), 0, cols) * 2.0f);
      o.ExpectEqual(1e-6);
      BOTH(at(t) = at(a).T());
      t.ExpectEqual();
      BOTH(at(back) = at(t).T() * 2.0f);
      back.ExpectEqual();
      BOTH(at(bias) = sum_rows(at(a)));
      bias.ExpectEqual(5e-4);  // the numbers cancel: their absolute values add up to 15,000
    }
  }
}

TEST(GpuStatement, ViewsOfAnyStrides) {
  Twin<3> a(Shape3(7, 33, 65), 3), o(Shape3(65, 17, 7), 1);
  a.Fill(-1, 1);
  BOTH(at(o) = View(at(a)).slice(1, 0, 33, 2).flip(0).transpose(Shape3(2, 1, 0)) * 2.0f);
  o.ExpectEqual();
  BOTH(View(at(o)).swapaxis(0, 2).slice(2, -1, -66, -3) += 1.0f);
  o.ExpectEqual();
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
                                Shape4(1, 2, 1, 200001), Shape4(64, 3, 2, 2),
                                Shape4(1, 30011, 1, 3), Shape4(2, 5003, 1, 17),
                                Shape4(1, 70001, 1, 1), Shape4(3, 1009, 5, 33)}) {
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

// Few results of many elements each, and many of few, along every axis.
template <typename DType>
void CheckAxisReductions(double tolerance) {
  for (const Shape<3>& shape : {Shape3(3, 50021, 7), Shape3(2, 5, 70001), Shape3(30011, 2, 3),
                                Shape3(301, 40, 33), Shape3(5003, 3, 17), Shape3(2, 600, 601)}) {
    for (int axis = 0; axis < 3; ++axis) {
      Shape<2> rest;
      for (int i = 0; i < 2; ++i) rest[i] = shape[i < axis ? i : i + 1];
      Twin<3, DType> a(shape, 1), o(shape);
      Twin<2, DType> r(rest, 3);
      a.Fill(0, 1);
      r.Fill(0, 1);
      BOTH((at(r) += DType(0.5f) * reduce_with_axis<red::sum, false>(at(a) * DType(0.5f), axis)));
      r.ExpectEqual(tolerance);
      BOTH((at(r) = reduce_with_axis<red::maximum, false>(at(a), axis)));
      r.ExpectEqual();
      BOTH((at(r) = reduce_with_axis<red::minimum, true>(at(a), axis)));
      r.ExpectEqual();
      BOTH((at(o) = at(a) - broadcast_keepdim(reduce_keepdim<red::maximum, false>(at(a), axis),
                                              axis, shape[axis])));
      o.ExpectEqual();
    }
  }
}

TEST(GpuStatement, ReductionsOverAnAxis) { CheckAxisReductions<float>(1e-5); }

// Rows of a warp and of a block, in several chunks, and columns, whole and in parts.
template <typename DType>
void CheckRunningSums(double unit, double tolerance) {
  for (const Shape<2>& shape : {Shape2(3, 40001), Shape2(1, 2049), Shape2(701, 1024),
                                Shape2(70001, 3), Shape2(5, 257), Shape2(65, 50001)}) {
    Twin<2, DType> a(shape, 1), o(shape, 3);
    std::vector<double> value(a.host().Size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i] = unit * static_cast<double>(i * 7 % 11);
      a.host().At(i) = static_cast<DType>(static_cast<float>(value[i]));
    }
    a.Upload();
    for (int axis : {0, 1}) {
      std::vector<double> sum = value;
      const std::size_t step = axis == 0 ? shape[1] : 1;
      for (std::size_t i = axis == 0 ? step : 0; i < sum.size(); ++i) {
        if (axis == 0 || i % shape[1] != 0) sum[i] += sum[i - step];
      }
      const auto expect = [&](double sign) {
        for (std::size_t i = 0; i < sum.size(); ++i) {
          o.host().At(i) = static_cast<DType>(static_cast<float>(sign * sum[i]));
        }
        o.ExpectEqual(tolerance);
      };
      // Sums of integers have 64 bits, like NumPy's.
      o.g() = tcast<DType>(cumsum(a.g(), axis));
      expect(1);
      o.g() -= tcast<DType>(cumsum(a.g() * DType(2.0f), axis));
      expect(-1);
    }
  }
}

TEST(GpuStatement, RunningSums) {
  CheckRunningSums<float>(1, 0);
  CheckRunningSums<int32_t>(1, 0);
  CheckRunningSums<Half>(1.0 / 64, 2e-3);
}

// Rows of a warp; of a block or a cluster of blocks that keeps one and reads the next, of whole
// chunks and others, one block's part shorter than the rest; and rows that are read twice.
// pad 0: in packs, where `shape` allows.
template <typename DType>
void CheckSoftmax(const Shape<2>& shape, double tolerance, index_t pad = 1) {
  if (pad > 0) CheckSoftmax<DType>(shape, tolerance, 0);
  Twin<2, DType> a(shape, pad), o(shape, 3 * pad);
  a.Fill(-9, 9);
  const double infinity = std::numeric_limits<double>::infinity();
  a.host().At(1) = static_cast<DType>(static_cast<float>(-infinity));
  a.host().At(2 * shape[1] - 1) = static_cast<DType>(static_cast<float>(infinity));
  for (index_t x = 0; x < shape[1]; ++x) {
    a.host().At(2 * shape[1] + x) = static_cast<DType>(static_cast<float>(-infinity));
  }
  a.Upload();
  const DType scale = static_cast<DType>(static_cast<float>(shape[1]) / 16);
  BOTH(Softmax(at(o), at(a)); at(o) *= scale);
  o.ExpectEqual(tolerance);
  BOTH(Softmax(at(a), at(a)); at(a) *= scale);
  a.ExpectEqual(tolerance);
}

TEST(GpuStatement, Softmax) {
  for (const Shape<2>& shape : {Shape2(5, 1), Shape2(3001, 2), Shape2(30011, 3), Shape2(3001, 5),
                                Shape2(701, 33), Shape2(701, 129), Shape2(701, 300),
                                Shape2(3000, 10), Shape2(3000, 16), Shape2(3001, 64),
                                Shape2(3000, 128), Shape2(700, 512), Shape2(700, 1001),
                                Shape2(700, 1024),
                                Shape2(3000, 1025), Shape2(700, 9000), Shape2(300, 33000),
                                Shape2(3, 57000), Shape2(40, 70001), Shape2(100, 131072),
                                Shape2(20, 400001), Shape2(3, 500001)}) {
    CheckSoftmax<float>(shape, 2e-5);
  }
  for (const Shape<2>& shape : {Shape2(300, 64), Shape2(300, 1000), Shape2(2000, 5001),
                                Shape2(70, 30002), Shape2(70, 100001)}) {
    CheckSoftmax<double>(shape, 1e-12);
  }
  for (const Shape<2>& shape : {Shape2(3000, 72), Shape2(700, 1024), Shape2(700, 5001),
                                Shape2(70, 40008), Shape2(40, 131072)}) {
    CheckSoftmax<Half>(shape, 4e-3);
  }
}

// {n / d, n % d} of the numbers n, side by side: a device multiplies and divides by other
// instructions than a host.
struct SplitBody {
  const int64_t* numbers;
  int64_t* parts;
  std::ptrdiff_t count;
  FastDivmod divisor;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t thread, std::ptrdiff_t threads) const {
    for (std::ptrdiff_t i = thread; i < count; i += threads) {
      const DivModResult at = DivMod(static_cast<std::ptrdiff_t>(numbers[i]), divisor);
      parts[2 * i] = at.quot;
      parts[2 * i + 1] = at.rem;
    }
  }
};

TEST(GpuStatement, QuotientsOfAnySize) {
  const std::ptrdiff_t most = 0x7fffffff, large = std::ptrdiff_t{1} << 40;
  const std::ptrdiff_t near[] = {0,        1,    2,        7,     640,      65536,
                                 most - 1, most, most + 1, large, 3 * large};
  Twin<1, int64_t> n(Shape1(3 * 11)), parts(Shape1(6 * 11));
  for (std::ptrdiff_t d : {std::ptrdiff_t{1}, std::ptrdiff_t{2}, std::ptrdiff_t{3},
                           std::ptrdiff_t{641}, std::ptrdiff_t{1} << 30, most, most + 1, large}) {
    for (std::size_t i = 0; i < n.host().Size(); ++i) {
      const std::ptrdiff_t number = near[i / 3] / d * d + static_cast<std::ptrdiff_t>(i % 3);
      n.host().At(i) = number;
      parts.host().At(2 * i) = number / d;
      parts.host().At(2 * i + 1) = number % d;
    }
    n.Upload();
    const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(n.host().Size());
    cuda::LaunchThreads(SplitBody{n.g().dptr_, parts.g().dptr_, count, FastDivmod(d)}, count,
                        nullptr, "the test");
    parts.ExpectEqual();
  }
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
