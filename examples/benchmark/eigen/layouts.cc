// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

template <int rank>
Body Shuffle(Job& job, const Dims<rank>& axes) {
  return [axes, o = Out<rank>(job), a = In<rank>(job, 0), threads = job.threads()]() mutable {
    Assign(o, a.shuffle(axes), threads);
  };
}
Body Transpose(Job& job) { return Shuffle<2>(job, {1, 0}); }
Body SwapRows(Job& job) { return Shuffle<4>(job, {0, 2, 1, 3}); }
/// An image is a matrix of channels and pixels.
Body Nhwc(Job& job) {
  const long plane = kSide * kSide;
  return [=, out = job.out(), in = job.in(0), n = job.n(), threads = job.threads()] {
#pragma omp parallel for schedule(static) if (threads > 1)
    for (long i = 0; i < n; ++i) {
      RowsMap o(out + i * kChannels * plane, plane, kChannels);
      o = RowsMap(in + i * kChannels * plane, kChannels, plane).transpose();
    }
  };
}
Body Crop(Job& job) {
  constexpr long kStart = (kSide - kCropped) / 2;
  const Dims<4> start{0, 0, kStart, kStart}, size{job.n(), kChannels, kCropped, kCropped};
  return [=, o = Out<4>(job), a = In<4>(job, 0), threads = job.threads()]() mutable {
    Assign(o, a.slice(start, size), threads);
  };
}
Body Pad(Job& job) {
  using Side = std::pair<Eigen::Index, Eigen::Index>;
  const Eigen::array<Side, 4> frame{Side{0, 0}, Side{0, 0}, Side{1, 1}, Side{1, 1}};
  return [frame, o = Out<4>(job), a = In<4>(job, 0), threads = job.threads()]() mutable {
    Assign(o, a.pad(frame), threads);
  };
}
Body Mirror(Job& job) {
  const long rows = job.n() * kChannels * kSide;
  if (OnPool(job)) {
    auto o = AsTensor<2>(job.out(), {rows, kSide}), a = AsTensor<2>(job.in(0), {rows, kSide});
    const Eigen::array<bool, 2> reversed{false, true};
    return [=]() mutable { o.device(Pool()) = a.reverse(reversed); };
  }
  RowsMap o(job.out(), rows, kSide), a(job.in(0), rows, kSide);
  return [=]() mutable { o = a.rowwise().reverse(); };
}
Body Concat(Job& job) {
  const Dims<4> at{0, job.size(0, 1), 0, 0}, zero{0, 0, 0, 0};
  return [=, o = Out<4>(job), a = In<4>(job, 0), b = In<4>(job, 1),
          threads = job.threads()]() mutable {
    Assign(o.slice(zero, a.dimensions()), a, threads);
    Assign(o.slice(at, b.dimensions()), b, threads);
  };
}
Body Slice(Job& job) {
  const Dims<4> start{0, 16, 0, 0}, size{job.n(), kChannels / 2, kSide, kSide};
  return [=, o = Out<4>(job), a = In<4>(job, 0), threads = job.threads()]() mutable {
    Assign(o, a.slice(start, size), threads);
  };
}
Body Take(Job& job) {
  const Eigen::Map<Eigen::ArrayXi> index(job.indices(0), job.n());
  return [=, o = OutRows(job), table = InRows(job, 1), threads = job.threads()]() mutable {
    InBlocks(o.rows(), threads, [&](long begin, long count) {
      o.middleRows(begin, count) = table(index.segment(begin, count), Eigen::all);
    });
  };
}
Body OneHot(Job& job) {
  return [index = job.indices(0), o = OutRows(job), threads = job.threads()]() mutable {
    InBlocks(o.rows(), threads, [&](long begin, long count) {
      o.middleRows(begin, count).setZero();
      for (long y = begin; y < begin + count; ++y) o(y, index[y]) = 1;
    });
  };
}

}  // namespace

std::vector<Entry> Layouts() {
  return {{"transpose", Transpose},
          {"swap_rows", SwapRows},
          {"nhwc", Nhwc},
          {"crop", Crop},
          {"pad", Pad},
          {"mirror", Mirror},
          {"concat", Concat},
          {"slice", Slice},
          {"take", Take},
          {"one_hot", OneHot}};
}

}  // namespace compare
