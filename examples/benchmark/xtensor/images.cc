// SPDX-License-Identifier: Apache-2.0
#include <xtensor/xoperation.hpp>

#include "tensors.h"

namespace compare {
namespace {

/// Every second element of an axis, from i on, as windows of `window` have it.
template <long window>
auto Every2(long i, long extent) {
  return xt::range(i, i + (extent - window) / 2 * 2 + 1, 2);
}
/// The elements at (y, x) of windows 2 apart.
template <long window, typename T>
auto At(T& a, long y, long x) {
  const long height = static_cast<long>(a.shape(2)), width = static_cast<long>(a.shape(3));
  return xt::view(a, xt::all(), xt::all(), Every2<window>(y, height), Every2<window>(x, width));
}

Body MaxPool2(Job& job) {
  return Of<4>(job, [](auto& a) {
    return xt::maximum(xt::maximum(At<2>(a, 0, 0), At<2>(a, 0, 1)),
                       xt::maximum(At<2>(a, 1, 0), At<2>(a, 1, 1)));
  });
}

/// Three columns, then three rows.
Body MaxPool3(Job& job) {
  const long height = job.size(2), width = job.size(3);
  const Extents between = {job.size(0), job.size(1), height, (width - 3) / 2 + 1};
  return Into<4>(
      job,
      [=](auto& o, auto& a, auto& rows) {
        const auto column = [&](long x) {
          return xt::view(a, xt::all(), xt::all(), xt::all(), Every2<3>(x, width));
        };
        const auto row = [&](long y) {
          return xt::view(rows, xt::all(), xt::all(), Every2<3>(y, height), xt::all());
        };
        xt::noalias(rows) = xt::maximum(xt::maximum(column(0), column(1)), column(2));
        xt::noalias(o) = xt::maximum(xt::maximum(row(0), row(1)), row(2));
      },
      In<4>(job), In<4>(job, 0, between));
}

template <long window>
Body Unpool(Job& job) {
  Tensor<4> a = In<4>(job), most = At<window>(a, 0, 0);
  for (long k = 1; k < window * window; ++k) {
    most = xt::maximum(most, At<window>(a, k / window, k % window));
  }
  return Into<4>(
      job,
      [](auto& o, auto& image, auto& largest, auto& grad) {
        o.fill(0.0f);
        for (long k = 0; k < window * window; ++k) {
          const long i = k / window, j = k % window;
          auto to = At<window>(o, i, j);
          xt::noalias(to) += xt::where(xt::equal(At<window>(image, i, j), largest), grad, 0.0f);
        }
      },
      a, most, In<4>(job, 1));
}

/// Element k of the patches of all channels is a shifted image, (channels, images, rows, columns).
template <typename T>
auto Shifted(T& images, long k) {
  const long height = static_cast<long>(images.shape(2)),
             width = static_cast<long>(images.shape(3));
  return xt::view(xt::transpose(images, {1, 0, 2, 3}), xt::all(), xt::all(),
                  xt::range(k / 3, k / 3 + height - 2), xt::range(k % 3, k % 3 + width - 2));
}
Extents Patches(const Job& job) {
  return {job.size(1), 9, job.size(0), job.size(2) - 2, job.size(3) - 2};
}
Body Im2Col(Job& job) {
  return With<5>(
      job, Patches(job),
      [](auto& o, auto& a) {
        for (long k = 0; k < 9; ++k) {
          auto to = xt::view(o, xt::all(), k);
          xt::noalias(to) = Shifted(a, k);
        }
      },
      In<4>(job));
}
Body Col2Im(Job& job) {
  return Into<4>(
      job,
      [](auto& o, auto& a) {
        o.fill(0.0f);
        for (long k = 0; k < 9; ++k) {
          auto to = Shifted(o, k);
          xt::noalias(to) += xt::view(a, xt::all(), k);
        }
      },
      In<5>(job, 0, Patches(job)));
}

const Entries entries{{"max_pool2", MaxPool2}, {"max_pool3", MaxPool3}, {"unpool2", Unpool<2>},
                      {"unpool3", Unpool<3>},  {"im2col", Im2Col},      {"col2im", Col2Im}};

}  // namespace
}  // namespace compare
