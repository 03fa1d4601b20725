// SPDX-License-Identifier: Apache-2.0
// Reductions over the last, the first and a middle axis on a CUDA device, short and long, beside
// loops in double on the host.
#include "gpu_testing.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mshadow {
namespace {

using namespace expr;
using testing::ElementOf;
using testing::Twin;
using testing::ValueOf;
using Half = mshadow::half::half_t;

/// What the middle axis of (outer, n, inner) is reduced to: element outer * inner of each.
template <typename DType>
struct Expected {
  Twin<1, DType> sum, most, variance;
  Twin<1, int64_t> where;
  template <typename Elements>
  Expected(const Shape<3>& shape, const Elements& at)
      : sum(Shape1(shape[0] * shape[2])),
        most(sum.c().shape_),
        variance(sum.c().shape_),
        where(sum.c().shape_) {
    for (index_t i = 0; i < shape[0] * shape[2]; ++i) {
      const index_t first = i / shape[2] * shape[1] * shape[2] + i % shape[2];
      double total = 0, squares = 0, largest = at(first);
      int64_t place = 0;
      for (index_t k = 0; k < shape[1]; ++k) {
        const double x = at(first + k * shape[2]);
        total += x;
        if (x > largest) {
          largest = x;
          place = static_cast<int64_t>(k);
        }
      }
      const double n = static_cast<double>(shape[1]), mean = total / n;
      for (index_t k = 0; k < shape[1]; ++k) {
        const double x = at(first + k * shape[2]) - mean;
        squares += x * x;
      }
      sum.host().At(i) = ElementOf<DType>(total);
      most.host().At(i) = ElementOf<DType>(largest);
      variance.host().At(i) = ElementOf<DType>(squares / n);
      where.host().At(i) = place;
    }
  }
  void Check(double tolerance) {
    sum.ExpectEqual(tolerance);
    most.ExpectEqual();
    variance.ExpectEqual(tolerance);
    where.ExpectEqual();
  }
};

template <typename DType>
constexpr double kTolerance = sizeof(DType) == 2 ? 4e-3 : 1e-5;

template <typename DType>
void CheckLast(const Shape<2>& shape, index_t pad, index_t shift) {
  SCOPED_TRACE(::testing::Message() << LogText(shape) << " pad " << pad << " shift " << shift);
  Twin<2, DType> a(shape, pad, shift);
  a.Fill(-1, 1);
  Expected<DType> expected(Shape3(shape[0], shape[1], 1),
                           [&](std::size_t i) { return ValueOf(a.host().At(i)); });
  expected.sum.g() = sum<1>(a.g());
  expected.most.g() = reduce_with_axis<red::maximum, false>(a.g(), 1);
  expected.variance.g() = var<1>(a.g());
  expected.where.g() = argmax<1>(a.g());
  expected.Check(kTolerance<DType>);
  expected.sum.g() = 0.5f * sumall_except_dim<0>(a.g() + a.g());
  expected.sum.ExpectEqual(4 * kTolerance<DType>);
}

TEST(GpuReduction, LastAxis) {
  for (index_t n : {1u, 2u, 3u, 5u, 16u, 31u, 32u, 33u, 64u, 100u, 1000u, 9000u}) {
    for (index_t rows : {1u, 3u, 1025u, 5000u}) {
      if (rows * n > 200000) continue;
      for (index_t pad : {0u, 1u}) {
        CheckLast<float>(Shape2(rows, n), pad, 0);
        CheckLast<float>(Shape2(rows, n), pad, 1);
      }
      if (n <= 100) CheckLast<Half>(Shape2(rows, n), 0, n % 2);
    }
  }
}

template <typename DType>
void CheckFirst(const Shape<2>& shape, index_t pad) {
  SCOPED_TRACE(::testing::Message() << LogText(shape) << " pad " << pad);
  Twin<2, DType> a(shape, pad);
  a.Fill(-1, 1);
  Expected<DType> expected(Shape3(1, shape[0], shape[1]),
                           [&](std::size_t i) { return ValueOf(a.host().At(i)); });
  expected.sum.g() = sum<0>(a.g());
  expected.most.g() = reduce_with_axis<red::maximum, false>(a.g(), 0);
  expected.variance.g() = var<0>(a.g());
  expected.where.g() = argmax<0>(a.g());
  expected.Check(kTolerance<DType>);
  expected.sum.g() = sum_rows(a.g());
  expected.sum.ExpectEqual(kTolerance<DType>);
}

TEST(GpuReduction, FirstAxis) {
  for (index_t n : {1u, 5u, 15u, 16u, 100u, 5000u, 70001u}) {
    for (index_t cols : {1u, 2u, 3u, 5u, 16u, 33u, 64u, 65u, 100u, 257u, 1000u, 3000u}) {
      if (std::size_t{n} * cols > 250000) continue;
      CheckFirst<float>(Shape2(n, cols), 0);
      if (n <= 100) CheckFirst<float>(Shape2(n, cols), 1);
      if (n <= 100) CheckFirst<Half>(Shape2(n, cols), 0);
    }
  }
}

TEST(GpuReduction, MiddleAxis) {
  for (const Shape<3>& shape : {Shape3(7, 5, 100), Shape3(50, 3, 33), Shape3(2, 300, 7),
                                Shape3(100, 5, 10), Shape3(3, 2000, 2), Shape3(9, 1, 40)}) {
    for (index_t pad : {0u, 1u}) {
      SCOPED_TRACE(LogText(shape));
      Twin<3> a(shape, pad);
      a.Fill(-1, 1);
      Expected<float> expected(shape, [&](std::size_t i) { return ValueOf(a.host().At(i)); });
      const Shape<2> rows = Shape2(shape[0], shape[2]);
      Tensor<gpu, 2> sum(expected.sum.g().dptr_, rows), most(expected.most.g().dptr_, rows);
      Tensor<gpu, 2> variance(expected.variance.g().dptr_, rows);
      Tensor<gpu, 2, int64_t> where(expected.where.g().dptr_, rows);
      sum = mshadow::expr::sum<1>(a.g());
      most = reduce_with_axis<red::maximum, false>(a.g(), 1);
      variance = var<1>(a.g());
      where = argmax<1>(a.g());
      expected.Check(1e-5);
    }
  }
}

}  // namespace
}  // namespace mshadow
