// SPDX-License-Identifier: Apache-2.0
// Statements that reduce rows and use the results in the same rows, on a CUDA device: beside loops
// in double on the host.
#include "gpu_testing.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace mshadow {
namespace {

using namespace expr;
using testing::ElementOf;
using testing::Twin;
using testing::ValueOf;
using Half = mshadow::half::half_t;

/// What a row of doubles is reduced to.
struct RowFacts {
  double most, sum_exp, mean, variance;
  explicit RowFacts(const std::vector<double>& row)
      : most(row[0]), sum_exp(0), mean(0), variance(0) {
    const double n = static_cast<double>(row.size());
    for (double x : row) most = x > most ? x : most;
    for (double x : row) {
      sum_exp += std::exp(x - most);
      mean += x / n;
    }
    for (double x : row) variance += (x - mean) * (x - mean) / n;
  }
};

/// A matrix on both, what a statement makes of it, and what it should make.
template <typename DType>
class RowCheck {
 public:
  RowCheck(const Shape<2>& shape, index_t pad, index_t shift)
      : x_(shape, pad, shift),
        o_(shape, 3),
        gamma_(Shape1(shape[1])),
        beta_(Shape1(shape[1])),
        rows_(shape[0], std::vector<double>(shape[1])) {
    x_.Fill(-4, 4, 1);
    gamma_.Fill(-1, 1, 2);
    beta_.Fill(-1, 1, 3);
    for (index_t y = 0; y < shape[0]; ++y) {
      for (index_t x = 0; x < shape[1]; ++x) {
        rows_[y][x] = ValueOf(x_.host().At(std::size_t{y} * shape[1] + x));
      }
      facts_.emplace_back(rows_[y]);
    }
  }
  /// Element x of a row should be f(its value, x, facts of the row).
  template <typename F>
  void Expect(Twin<2, DType>* got, double tolerance, const F& f) {
    for (std::size_t y = 0; y < rows_.size(); ++y) {
      for (std::size_t x = 0; x < rows_[y].size(); ++x) {
        got->host().At(y * rows_[y].size() + x) = ElementOf<DType>(f(rows_[y][x], x, facts_[y]));
      }
    }
    got->ExpectEqual(tolerance);
  }
  void Run(double tolerance) {
    const auto x = x_.g(), o = o_.g();
    const auto gamma = gamma_.g(), beta = beta_.g();
    const double n = static_cast<double>(rows_[0].size()), size = n / 16;
    const DType scale = ElementOf<DType>(size);
    Tensor<gpu, 2, DType> to = o, in_place = x;
    const auto softmax = [=](double v, std::size_t, const RowFacts& r) {
      return std::exp(v - r.most) / r.sum_exp * size;
    };
    to = exp(x - max<1>(x)) / sum<1>(exp(x - max<1>(x))) * scale;
    Expect(&o_, tolerance, softmax);
    to = x - logsumexp<1>(x);
    Expect(&o_, tolerance, [](double v, std::size_t, const RowFacts& r) {
      return v - r.most - std::log(r.sum_exp);
    });
    const auto norm = [&](double v, std::size_t i, const RowFacts& r) {
      return ValueOf(gamma_.host().At(i)) * (v - r.mean) / std::sqrt(r.variance + 1e-3) +
             ValueOf(beta_.host().At(i));
    };
    to = gamma * (x - mean<1>(x)) / sqrt(var<1>(x) + 1e-3f) + beta;
    Expect(&o_, tolerance, norm);
    to = x * 0.5f;
    to += (x - mean<1>(x)) / (stddev<1>(x) + 1.0f);
    Expect(&o_, tolerance, [](double v, std::size_t, const RowFacts& r) {
      return v / 2 + (v - r.mean) / (std::sqrt(r.variance) + 1);
    });
    in_place = exp(x - max<1>(x)) / sum<1>(exp(x - max<1>(x))) * scale;
    Expect(&x_, tolerance, softmax);
  }

 private:
  Twin<2, DType> x_, o_;
  Twin<1, DType> gamma_, beta_;
  std::vector<std::vector<double>> rows_;
  std::vector<RowFacts> facts_;
};

template <typename DType>
void CheckRows(double tolerance) {
  for (index_t cols : {1u, 3u, 31u, 32u, 33u, 100u, 1000u, 1024u, 1025u, 4097u, 8192u, 32768u,
                       100001u}) {
    for (index_t rows : {1u, 7u, 4096u}) {
      const index_t most = (1u << 18) / cols;
      const index_t count = rows < most ? rows : most;
      SCOPED_TRACE(::testing::Message() << count << " x " << cols);
      RowCheck<DType>(Shape2(count, cols), 0, 0).Run(tolerance);
      RowCheck<DType>(Shape2(count, cols), cols % 2 == 0 ? 8 : 1, cols % 3 == 0 ? 1 : 0)
          .Run(tolerance);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(GpuRowStatement, Float) { CheckRows<float>(2e-5); }
TEST(GpuRowStatement, Double) { CheckRows<double>(1e-6); }  // of what Twin compares in float
TEST(GpuRowStatement, Half) { CheckRows<Half>(1e-2); }

TEST(GpuRowStatement, SeveralAxesAndOtherReductions) {
  for (index_t cols : {5u, 33u, 300u}) {
    Twin<3> x(Shape3(50, 7, cols)), o(Shape3(50, 7, cols));
    Twin<3> padded(Shape3(50, 7, cols), 1);
    x.Fill(0.5, 1);
    padded.Fill(0.5, 1);
    o.c() = (x.c() - mean<1, 2>(x.c())) / norm<1, 2>(x.c());
    o.g() = (x.g() - mean<1, 2>(x.g())) / norm<1, 2>(x.g());
    o.ExpectEqual(1e-5);
    o.c() = (padded.c() - mean<1, 2>(padded.c())) / norm<1, 2>(padded.c());
    o.g() = (padded.g() - mean<1, 2>(padded.g())) / norm<1, 2>(padded.g());
    o.ExpectEqual(1e-5);
    o.c() = x.c() / sum<2>(x.c()) - x.c() * tcast<float>(argmax<2>(x.c())) + min<0>(x.c());
    o.g() = x.g() / sum<2>(x.g()) - x.g() * tcast<float>(argmax<2>(x.g())) + min<0>(x.g());
    o.ExpectEqual(1e-4);
    // Other rows than those that are written, and rows of another length: through memory.
    Twin<2> longer(Shape2(50, 2 * cols)), flat(Shape2(50, cols));
    longer.Fill(0.5, 1);
    flat.Fill(0.5, 1);
    flat.c() = flat.c() / sum<1>(longer.c());
    flat.g() = flat.g() / sum<1>(longer.g());
    flat.ExpectEqual(1e-5);
    padded.c() = padded.c() - max<2>(flip(padded.c(), 0));
    padded.g() = padded.g() - max<2>(flip(padded.g(), 0));
    padded.ExpectEqual(1e-5);
  }
}

// Equal reductions are computed once; one of two kinds over different tensors, twice.
TEST(GpuRowStatement, EqualAndSimilarReductions) {
  Twin<2> x(Shape2(300, 700)), y(Shape2(300, 700)), o(Shape2(300, 700));
  x.Fill(-1, 1, 1);
  y.Fill(-1, 1, 2);
  o.c() = x.c() * max<1>(x.c()) + y.c() * max<1>(y.c()) - max<1>(x.c());
  o.g() = x.g() * max<1>(x.g()) + y.g() * max<1>(y.g()) - max<1>(x.g());
  o.ExpectEqual(1e-6);
  o.c() = exp(x.c() - max<1>(x.c())) / sum<1>(exp(x.c() - max<1>(x.c()))) -
          exp(y.c() - max<1>(y.c())) / sum<1>(exp(y.c() - max<1>(y.c())));
  o.g() = exp(x.g() - max<1>(x.g())) / sum<1>(exp(x.g() - max<1>(x.g()))) -
          exp(y.g() - max<1>(y.g())) / sum<1>(exp(y.g() - max<1>(y.g())));
  o.ExpectEqual(1e-6);
}

}  // namespace
}  // namespace mshadow
