// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix, Eigen::Aligned64>;
using RowMap = Eigen::Map<Eigen::RowVectorXf>;

MatrixMap InMatrix(const Job& job, int i) { return {job.in(i), job.size(i, 0), job.size(i, 1)}; }

Body Dot(Job& job) {
  return [o = MatrixMap(job.out(), job.size(0), job.size(1)), a = InMatrix(job, 0),
          b = InMatrix(job, 1)]() mutable { o.noalias() = a * b; };
}
Body DotTransposed(Job& job) {
  return [o = MatrixMap(job.out(), job.size(0), job.size(1)), a = InMatrix(job, 0),
          b = InMatrix(job, 1)]() mutable { o.noalias() = a * b.transpose(); };
}
void BatchDot(Job& job) {
  using Small = Eigen::Map<Eigen::Matrix<float, 16, 16, Eigen::RowMajor>, Eigen::Aligned64>;
  ForEach(job, job.size(0), [&](long i) {
    Small(job.out() + i * 256).noalias() = Small(job.in(0) + i * 256) * Small(job.in(1) + i * 256);
  });
}

Body Train(Job& job) {
  float* const p = job.out();
  MatrixMap w1(p + Network::kWeight1, kInputs, kHidden);
  MatrixMap w2(p + Network::kWeight2, kHidden, kClasses);
  RowMap b1(p + Network::kBias1, kHidden), b2(p + Network::kBias2, kClasses);
  const long n = job.size(0);
  Matrix hidden(n, kHidden), output(n, kClasses), grad(n, kHidden);
  const float rate = kEta / static_cast<float>(n);
  return [=, x = InMatrix(job, 1), label = job.indices(2)]() mutable {
    hidden.noalias() = x * w1;
    hidden = (hidden.rowwise() + b1).cwiseMax(0.0f);
    output.noalias() = hidden * w2;
    output.rowwise() += b2;
    for (long y = 0; y < n; ++y) {
      auto row = output.row(y).array();
      row = (row - row.maxCoeff()).exp();
      row *= 1.0f / row.sum();
      row[label[y]] -= 1;
    }
    grad.noalias() = output * w2.transpose();
    grad.array() *= (hidden.array() > 0.0f).cast<float>();
    w2.noalias() -= rate * hidden.transpose() * output;
    b2 -= rate * output.colwise().sum();
    w1.noalias() -= rate * x.transpose() * grad;
    b1 -= rate * grad.colwise().sum();
  };
}

const Entries entries{
    {"dot", Dot}, {"dot_transposed", DotTransposed}, {"batch_dot", BatchDot}, {"train", Train}};

}  // namespace
}  // namespace compare
