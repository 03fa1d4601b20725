// SPDX-License-Identifier: Apache-2.0
#include <xtensor/xoperation.hpp>

#include "tensors.h"

namespace compare {
namespace {

/// Every second element of an axis, `count` of them, from i on.
auto Every2(long i, long count) { return xt::range(i, i + 2 * count - 1, 2); }
/// The elements at (y, x) of windows 2 apart.
template <typename T>
auto At(T& a, long y, long x, long count) {
  return xt::view(a, xt::all(), xt::all(), Every2(y, count), Every2(x, count));
}

Body MaxPool2(Job& job) {
  return Into<4>(
      job,
      [](auto& o, auto& a) {
        constexpr long kPooled = kSide / 2;
        xt::noalias(o) = xt::maximum(xt::maximum(At(a, 0, 0, kPooled), At(a, 0, 1, kPooled)),
                                     xt::maximum(At(a, 1, 0, kPooled), At(a, 1, 1, kPooled)));
      },
      In<4>(job, 0));
}

/// Three columns, then three rows.
Body MaxPool3(Job& job) {
  constexpr long kPooled = (kSide - 3) / 2 + 1;
  const Extents between = {job.n(), kChannels, kSide, kPooled};
  return Into<4>(
      job,
      [](auto& o, auto& a, auto& rows) {
        const auto column = [&](long x) {
          return xt::view(a, xt::all(), xt::all(), xt::all(), Every2(x, kPooled));
        };
        const auto row = [&](long y) {
          return xt::view(rows, xt::all(), xt::all(), Every2(y, kPooled), xt::all());
        };
        xt::noalias(rows) = xt::maximum(xt::maximum(column(0), column(1)), column(2));
        xt::noalias(o) = xt::maximum(xt::maximum(row(0), row(1)), row(2));
      },
      In<4>(job, 0), In<4>(job, 0, between));
}

template <long kWindow>
Body Unpool(Job& job) {
  constexpr long kPooled = (kSide - kWindow) / 2 + 1;
  Tensor<4> a = In<4>(job, 0), most = At(a, 0, 0, kPooled);
  for (long k = 1; k < kWindow * kWindow; ++k) {
    most = xt::maximum(most, At(a, k / kWindow, k % kWindow, kPooled));
  }
  return Into<4>(
      job,
      [](auto& o, auto& image, auto& largest, auto& grad) {
        o.fill(0.0f);
        for (long k = 0; k < kWindow * kWindow; ++k) {
          const long i = k / kWindow, j = k % kWindow;
          auto to = At(o, i, j, kPooled);
          xt::noalias(to) += xt::where(xt::equal(At(image, i, j, kPooled), largest), grad, 0.0f);
        }
      },
      a, most, In<4>(job, 1));
}

/// A patch element (i, j) of all channels is a shifted image.
template <typename T>
auto Shifted(T& image, long k, long side) {
  return xt::view(image, xt::all(), xt::range(k / 3, k / 3 + side), xt::range(k % 3, k % 3 + side));
}

Body Im2Col(Job& job) {
  const long side = job.n() - 2;
  return Into<4>(
      job, {kChannels, 9, side, side},
      [side](auto& o, auto& a) {
        for (long k = 0; k < 9; ++k) {
          auto to = xt::view(o, xt::all(), k);
          xt::noalias(to) = Shifted(a, k, side);
        }
      },
      In<3>(job, 0, {kChannels, job.n(), job.n()}));
}

Body Col2Im(Job& job) {
  const long side = job.n() - 2;
  return Into<3>(
      job, {kChannels, job.n(), job.n()},
      [side](auto& o, auto& a) {
        o.fill(0.0f);
        for (long k = 0; k < 9; ++k) {
          auto to = Shifted(o, k, side);
          xt::noalias(to) += xt::view(a, xt::all(), k);
        }
      },
      In<4>(job, 0, {kChannels, 9, side, side}));
}

}  // namespace

std::vector<Entry> Images() {
  return {{"max_pool2", MaxPool2}, {"max_pool3", MaxPool3}, {"unpool2", Unpool<2>},
          {"unpool3", Unpool<3>},  {"im2col", Im2Col},      {"col2im", Col2Im}};
}

}  // namespace compare
