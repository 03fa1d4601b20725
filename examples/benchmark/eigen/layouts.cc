// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

template <int rank>
void Shuffle(Job& job, const Dims<rank>& axes) {
  Assign(job, Out<rank>(job), In<rank>(job).shuffle(axes));
}
/// An image is a matrix of channels and pixels.
void Nhwc(Job& job) {
  const long channels = job.size(1), plane = job.size(2) * job.size(3), image = channels * plane;
  ForEach(job, job.size(0), [&](long i) {
    Eigen::Map<Rows> o(job.out() + i * image, plane, channels);
    o = Eigen::Map<Rows>(job.in(0) + i * image, channels, plane).transpose();
  });
}
/// The part of the operand from `start` on that the result has room for.
void Part(Job& job, const Dims<4>& start) {
  const Tensor<4> a = In<4>(job);
  Assign(job, Out<4>(job), a.slice(start, Out<4>(job).dimensions()));
}
void Pad(Job& job) {
  using Side = std::pair<Eigen::Index, Eigen::Index>;
  const Eigen::array<Side, 4> frame{Side{0, 0}, Side{0, 0}, Side{1, 1}, Side{1, 1}};
  Assign(job, Out<4>(job), In<4>(job).pad(frame));
}
void Mirror(Job& job) {
  const long rows = job.rows(3), cols = job.size(3);
  if (OnPool(job)) {
    const Eigen::array<bool, 2> reversed{false, true};
    AsTensor<2>(job.out(), {rows, cols}).device(Pool()) =
        AsTensor<2>(job.in(0), {rows, cols}).reverse(reversed);
  } else {
    RowsMap(job.out(), rows, cols) = RowsMap(job.in(0), rows, cols).rowwise().reverse();
  }
}
void Concat(Job& job) {
  Dims<4> at{0, 0, 0, 0};
  Tensor<4> o = Out<4>(job);
  for (int i = 0; i < 2; ++i) {
    const Tensor<4> part = In<4>(job, i);
    Assign(job, o.slice(at, part.dimensions()), part);
    at[1] += job.size(i, 1);
  }
}
void Take(Job& job) {
  const Eigen::Map<Eigen::ArrayXi> index(job.indices(0), job.size(0));
  RowsMap o = OutRows(job), table = InRows(job, 1);
  InBlocks(job, o.rows(), [&](long begin, long count) {
    o.middleRows(begin, count) = table(index.segment(begin, count), Eigen::all);
  });
}
void OneHot(Job& job) {
  RowsMap o = OutRows(job);
  InBlocks(job, o.rows(), [&](long begin, long count) {
    o.middleRows(begin, count).setZero();
    for (long y = begin; y < begin + count; ++y) o(y, job.indices(0)[y]) = 1;
  });
}

const Entries entries{
    {"transpose",
     [](Job& j) {
       Shuffle<2>(j, {1, 0});
     }},
    {"swap_rows",
     [](Job& j) {
       Shuffle<4>(j, {0, 2, 1, 3});
     }},
    {"nhwc", Nhwc},
    {"crop",
     [](Job& j) {
       Part(j, {0, 0, 4, 4});
     }},
    {"pad", Pad},
    {"mirror", Mirror},
    {"concat", Concat},
    {"slice",
     [](Job& j) {
       Part(j, {0, 16, 0, 0});
     }},
    {"take", Take},
    {"one_hot", OneHot},
};

}  // namespace
}  // namespace compare
