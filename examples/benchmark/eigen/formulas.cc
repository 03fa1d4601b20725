// SPDX-License-Identifier: Apache-2.0
// Formulas that hold reductions and products. Row by row, plane by plane and in blocks of columns:
// faster than tensors that are reduced and broadcast.
#include <algorithm>
#include <cmath>

#include "tensors.h"

namespace compare {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix, Eigen::Aligned64>;
using RowArray = Eigen::Array<float, 1, Eigen::Dynamic>;
using RowMap = Eigen::Map<RowArray>;

MatrixMap InMatrix(const Job& job, int i) { return {job.in(i), job.size(i, 0), job.size(i, 1)}; }
MatrixMap OutMatrix(const Job& job) {
  const RowsMap o = OutRows(job);
  return {job.out(), o.rows(), o.cols()};
}
RowMap InRow(const Job& job, int i) { return {job.in(i), job.count(i)}; }

void Dense(Job& job) {
  MatrixMap o = OutMatrix(job);
  o.noalias() = InMatrix(job, 0) * InMatrix(job, 1);
  InBlocks(job, o.rows(), [&](long begin, long count) {
    auto part = o.middleRows(begin, count).array();
    part = (part.rowwise() + InRow(job, 2)).max(0.0f);
  });
}
template <typename Row>
void Softmax(Row&& to, const Row& from, float scale) {
  to = ((from - from.maxCoeff()) * scale).exp();
  to *= 1.0f / to.sum();
}
Body Attention(Job& job) {
  return [&job, weight = Rows(job.size(0), job.size(1))]() mutable {
    weight.matrix().noalias() = InMatrix(job, 0) * InMatrix(job, 1).transpose();
    const float scale = 1 / std::sqrt(static_cast<float>(job.size(2)));
    ForEach(job, weight.rows(), [&](long y) { Softmax(weight.row(y), weight.row(y), scale); });
    OutMatrix(job).noalias() = weight.matrix() * InMatrix(job, 2);
  };
}
void Distances(Job& job) {
  const MatrixMap x = InMatrix(job, 0), c = InMatrix(job, 1);
  MatrixMap o = OutMatrix(job);
  o.noalias() = x * c.transpose();
  const RowArray c2 = c.rowwise().squaredNorm().transpose().array();
  InBlocks(job, o.rows(), [&](long begin, long count) {
    for (long y = begin; y < begin + count; ++y) {
      o.row(y).array() = x.row(y).squaredNorm() - 2 * o.row(y).array() + c2;
    }
  });
}

/// o[y] = f(row y)
template <typename F>
void EachRow(Job& job, F f) {
  const RowsMap a = InRows(job);
  ForEach(job, a.rows(), [&](long y) { job.out()[y] = f(a.row(y)); });
}
template <typename Row>
float Variance(const Row& row, float mean) {
  return (row - mean).square().sum() / static_cast<float>(row.size());
}
void MeanAndVar(Job& job) {
  const RowsMap a = InRows(job);
  ForEach(job, a.rows(), [&](long y) {
    const float mean = a.row(y).mean();
    job.out()[y] = mean;
    job.out()[a.rows() + y] = Variance(a.row(y), mean);
  });
}
void SoftmaxRows(Job& job) {
  RowsMap o = OutRows(job), a = InRows(job);
  ForEach(job, a.rows(), [&](long y) { Softmax(o.row(y), a.row(y), 1); });
}
void LayerNorm(Job& job) {
  RowsMap o = OutRows(job), a = InRows(job);
  const RowMap gamma = InRow(job, 1), beta = InRow(job, 2);
  ForEach(job, a.rows(), [&](long y) {
    const float mean = a.row(y).mean();
    const float scale = 1 / std::sqrt(Variance(a.row(y), mean) + kEpsilon);
    o.row(y) = gamma * ((a.row(y) - mean) * scale) + beta;
  });
}
/// f(first, count) for blocks of columns.
template <typename F>
void InColumns(const Job& job, F f) {
  constexpr long kColumns = 256;
  const long cols = job.size(0, 1);
  ForEach(job, (cols + kColumns - 1) / kColumns,
          [&](long block) { f(block * kColumns, std::min(kColumns, cols - block * kColumns)); });
}
void SumRows(Job& job) {
  const RowsMap a = InRows(job);
  InColumns(job, [&](long first, long count) {
    RowArray sum = RowArray::Zero(count);
    for (long y = 0; y < a.rows(); ++y) sum += a.row(y).segment(first, count);
    RowMap(job.out() + first, count) = sum;
  });
}
void BatchNorm(Job& job) {
  RowsMap o = OutRows(job), a = InRows(job);
  const RowMap gamma = InRow(job, 1), beta = InRow(job, 2);
  const float share = 1 / static_cast<float>(a.rows());
  InColumns(job, [&](long first, long count) {
    const auto row = [&](long y) { return a.row(y).segment(first, count); };
    RowArray sum = RowArray::Zero(count), square = sum;
    for (long y = 0; y < a.rows(); ++y) sum += row(y);
    const RowArray mean = sum * share;
    for (long y = 0; y < a.rows(); ++y) square += (row(y) - mean).square();
    const RowArray scale = gamma.segment(first, count) / (square * share + kEpsilon).sqrt();
    const RowArray shift = beta.segment(first, count) - mean * scale;
    for (long y = 0; y < a.rows(); ++y) o.row(y).segment(first, count) = row(y) * scale + shift;
  });
}
void BatchNormImages(Job& job) {
  const long n = job.size(0), channels = job.size(1), size = job.size(2) * job.size(3);
  ForEach(job, channels, [&](long c) {
    const auto plane = [&](float* images, long i) {
      return Eigen::Map<Eigen::ArrayXf>(images + (i * channels + c) * size, size);
    };
    float sum = 0, square = 0;
    for (long i = 0; i < n; ++i) sum += plane(job.in(0), i).sum();
    const float mean = sum / static_cast<float>(n * size);
    for (long i = 0; i < n; ++i) square += (plane(job.in(0), i) - mean).square().sum();
    const float scale = job.in(1)[c] / std::sqrt(square / static_cast<float>(n * size) + kEpsilon);
    const float shift = job.in(2)[c] - mean * scale;
    for (long i = 0; i < n; ++i) plane(job.out(), i) = plane(job.in(0), i) * scale + shift;
  });
}

const Entries entries{
    {"dense", Dense},
    {"attention", Attention},
    {"distances", Distances},
    {"sum_0", SumRows},
    {"sum_1", [](Job& j) { EachRow(j, [](const auto& row) { return row.sum(); }); }},
    {"var_1",
     [](Job& j) { EachRow(j, [](const auto& row) { return Variance(row, row.mean()); }); }},
    {"mean_and_var", MeanAndVar},
    {"logsumexp",
     [](Job& j) {
       EachRow(j, [](const auto& row) {
         const float most = row.maxCoeff();
         return most + std::log((row - most).exp().sum());
       });
     }},
    {"argmax_rows",
     [](Job& j) {
       EachRow(j, [](const auto& row) {
         Eigen::Index at;
         row.maxCoeff(&at);
         return static_cast<float>(at);
       });
     }},
    {"softmax_formula", SoftmaxRows},
    {"layer_norm", LayerNorm},
    {"batch_norm", BatchNorm},
    {"batch_norm_images", BatchNormImages},
};

}  // namespace
}  // namespace compare
