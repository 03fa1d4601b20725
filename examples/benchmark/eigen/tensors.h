// SPDX-License-Identifier: Apache-2.0
// Operands as maps of Eigen: arrays for one thread, tensors for a pool of threads.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_EIGEN_TENSORS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_EIGEN_TENSORS_H_

#define EIGEN_USE_THREADS
#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>
#include <unsupported/Eigen/SpecialFunctions>

#include "../peer.h"

namespace compare {

/// The device of the threads in use.
const Eigen::ThreadPoolDevice& Pool();

using Vector = Eigen::Map<Eigen::ArrayXf, Eigen::Aligned64>;
using Rows = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowsMap = Eigen::Map<Rows, Eigen::Aligned64>;
template <int rank>
using Tensor = Eigen::TensorMap<Eigen::Tensor<float, rank, Eigen::RowMajor>, Eigen::Aligned64>;
template <int rank>
using Dims = Eigen::array<Eigen::Index, rank>;

template <int rank>
Tensor<rank> AsTensor(float* data, const Extents& extents) {
  Dims<rank> dims;
  for (int i = 0; i < rank; ++i) dims[i] = extents[i];
  return {data, dims};
}
template <int rank>
Tensor<rank> In(const Job& job, int i = 0) {
  return AsTensor<rank>(job.in(i), job.what().in[i].shape);
}
template <int rank>
Tensor<rank> Out(const Job& job) {
  return AsTensor<rank>(job.out(), job.what().ResultShape());
}
inline RowsMap InRows(const Job& job, int i = 0) {
  return {job.in(i), job.size(i, 0), job.size(i, 1)};
}
inline RowsMap OutRows(const Job& job) {
  const Extents& shape = job.what().ResultShape();
  return {job.out(), shape[0], shape[1]};
}

/// to = from on one thread, or on all.
template <typename To, typename From>
void Assign(const Job& job, To&& to, const From& from) {
  if (job.threads() == 1) {
    to.device(Eigen::DefaultDevice()) = from;
  } else {
    to.device(Pool()) = from;
  }
}

/// f(i) for i < n, or f(begin, count) for a block of rows on each thread.
template <typename F>
void ForEach(const Job& job, long n, F f) {
#pragma omp parallel for schedule(static) if (job.threads() > 1)
  for (long i = 0; i < n; ++i) f(i);
}
template <typename F>
void InBlocks(const Job& job, long rows, F f) {
  const long threads = job.threads();
  ForEach(job, threads, [&](long t) {
    const long begin = rows * t / threads;
    f(begin, rows * (t + 1) / threads - begin);
  });
}

/// Where a pool of threads pays.
inline bool OnPool(const Job& job) { return job.threads() > 1 && job.count(0) >= (1 << 15); }

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_EIGEN_TENSORS_H_
