// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

// Plane by plane; the elements (i, j) of its windows are every second row and column. 5 to 30 times
// as fast as tensors reduced over the axes of windows, and as their slices with strides.

using Plane = Eigen::Map<Rows>;

/// Planes of the images, and of what is pooled.
template <long window>
struct Sizes {
  long planes, height, width, rows, cols;
  explicit Sizes(const Job& job)
      : planes(job.rows(2)),
        height(job.size(2)),
        width(job.size(3)),
        rows((height - window) / 2 + 1),
        cols((width - window) / 2 + 1) {}
  Plane Whole(float* images, long p) const { return {images + p * height * width, height, width}; }
  Plane Pooled(float* images, long p) const { return {images + p * rows * cols, rows, cols}; }
  template <typename T>
  auto At(T& plane, long i, long j) const {
    const auto step = Eigen::fix<2>;
    return plane(Eigen::seqN(i, rows, step), Eigen::seqN(j, cols, step));
  }
};

template <long window>
void PoolPlane(const Sizes<window>& sizes, Plane o, Plane a) {
  const auto at = [&](long i, long j) { return sizes.At(a, i, j); };
  if constexpr (window == 2) {
    o = at(0, 0).max(at(0, 1)).max(at(1, 0).max(at(1, 1)));
  } else {
    o = at(0, 0).max(at(0, 1)).max(at(0, 2));
    for (long i = 1; i < 3; ++i) o = o.max(at(i, 0).max(at(i, 1)).max(at(i, 2)));
  }
}

template <long window>
void Pool(Job& job) {
  const Sizes<window> sizes(job);
  ForEach(job, sizes.planes,
          [&](long p) { PoolPlane(sizes, sizes.Pooled(job.out(), p), sizes.Whole(job.in(0), p)); });
}

template <long window>
Body Unpool(Job& job) {
  const Sizes<window> sizes(job);
  const auto memory = std::make_shared<Buffer>(4 * job.count(1));
  float* const most = static_cast<float*>(memory->data());
  for (long p = 0; p < sizes.planes; ++p) {
    PoolPlane(sizes, sizes.Pooled(most, p), sizes.Whole(job.in(0), p));
  }
  return [=, &job] {
    static_cast<void>(memory);  // held
    ForEach(job, sizes.planes, [&](long p) {
      Plane o = sizes.Whole(job.out(), p), a = sizes.Whole(job.in(0), p);
      const Plane m = sizes.Pooled(most, p), grad = sizes.Pooled(job.in(1), p);
      o.setZero();
      for (long k = 0; k < window * window; ++k) {
        const long i = k / window, j = k % window;
        sizes.At(o, i, j) += (sizes.At(a, i, j) == m).select(grad, 0.0f);
      }
    });
  };
}

/// f(plane, patch, k) for element k of the patches of each channel of each image: a block of the
/// plane, and the part of a row of the columns.
template <typename F>
void ForPatches(const Job& job, float* images, float* columns, F f) {
  const long n = job.size(0), channels = job.size(1), height = job.size(2), width = job.size(3);
  const long size = (height - 2) * (width - 2);
  ForEach(job, n * channels, [&](long p) {
    Plane plane(images + p * height * width, height, width);
    for (long k = 0; k < 9; ++k) {
      Plane patch(columns + ((p % channels * 9 + k) * n + p / channels) * size, height - 2,
                  width - 2);
      f(plane, plane.block(k / 3, k % 3, height - 2, width - 2), patch, k);
    }
  });
}
void Im2Col(Job& job) {
  ForPatches(job, job.in(0), job.out(),
             [](Plane&, const auto& block, Plane& patch, long) { patch = block; });
}
void Col2Im(Job& job) {
  ForPatches(job, job.out(), job.in(0), [](Plane& plane, auto&& block, Plane& patch, long k) {
    if (k == 0) plane.setZero();
    block += patch;
  });
}

const Entries entries{{"max_pool2", Pool<2>}, {"max_pool3", Pool<3>}, {"unpool2", Unpool<2>},
                      {"unpool3", Unpool<3>}, {"im2col", Im2Col},     {"col2im", Col2Im}};

}  // namespace
}  // namespace compare
